"""The only loop over claims: judge each once, keep what is finished, combine by theorems, write the document.

Every finished finding is on disk at once, below OUT/cases, under a fingerprint of everything it depends on.
So an interrupted run loses nothing, and a changed claim, profile, seed or line of code makes findings anew.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from enum import Enum
from fnmatch import fnmatchcase
from functools import cache, partial
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from threading import Thread
from time import perf_counter, sleep
from traceback import format_exc
from types import CodeType
from typing import Any, NamedTuple

from numpy import ndarray

import dpbandits.audit
import dpbandits.proofs_checks
import dpbandits.reference
from dpbandits.audit.claims.follows import close, combined, premises_first
from dpbandits.audit.effort import Profile, Run, run_over
from dpbandits.audit.privacy.steps import is_step
from dpbandits.audit.run import documents, store
from dpbandits.audit.run.dispatch import judge, repro
from dpbandits.audit.run.progress import Progress
from dpbandits.proofs_checks.certificates import verify
from dpbandits.reference.checks import whole
from dpbandits.reference.ledger import Basis, Claim, Finding, Ordering, Verdict
from dpbandits.reference.papers import CLAIMS
from dpbandits.reference.protocol import demand_policy

LEDGER = {claim.id: claim for claim in CLAIMS}
NUMERICS = ("numpy", "scipy", "mpmath", "python-flint")  # a finding may depend on their versions


class Case(NamedTuple):
    """What became of one claim: a finding, or the text of the error that its judge died of."""

    claim: str
    finding: Finding | None
    error: str
    seconds: float


class Place(NamedTuple):
    """Where a case is kept, and the fingerprint under which it counts."""

    path: Path
    mark: str


def audit(
    claims: Iterable[Claim],
    profile: Profile,
    seed: int = 0,
    jobs: int = 1,
    out: Path | str | None = None,
    progress: bool = False,
    force: bool = False,
) -> dict[str, Any]:
    """Judges the claims and returns the document (the content of findings.json).

    The document lists the claims in the ledger's order, claims outside of the ledger last. It is the same,
    byte for byte, for any number of jobs, interrupted or not. Claims that listed ones follow from are judged
    as well, without being listed. out: a folder for findings.json, index.html, certificates/, cases/ and
    timings.json; None keeps nothing. force: also where the folder holds files of others, which stay if they are
    not in the way. progress: a bar on stderr, a line now and then where that is no terminal. An exception in a
    judge becomes an entry of document["errors"]; it is never a verdict, and other claims keep theirs.
    Raises ValueError for two claims with one id, a missing premise, claims that follow from themselves, a seed or
    a number of jobs that is none; store.Refused for a folder that holds files of others, or in which another run is
    at work; WorkerKilled.
    """
    run = run_over(CLAIMS, profile, whole(seed, "seed", 0, 2**64 - 1))
    if out is None:
        return document(claims, run, jobs, None, progress)[0]
    if not str(out):
        raise ValueError("out='': name a folder, or pass None to keep nothing")
    store.claim_folder(Path(out), force)
    with store.alone(Path(out)):
        content, seconds = document(claims, run, jobs, Path(out) / "cases", progress)
        documents.write(content, Path(out), seconds)
    return content


def most_jobs() -> int:
    """More processes than this are taken for a slip: they would wait for one another."""
    return max(16, 4 * (os.cpu_count() or 1))


class WorkerKilled(RuntimeError):
    """A worker was killed from outside, by the system for want of memory in most cases."""


def document(
    claims: Iterable[Claim], run: Run, jobs: int = 1, folder: Path | None = None, progress: bool = False
) -> tuple[dict[str, Any], dict[str, float]]:
    """What `audit` returns, and the seconds that each claim took. folder: of finished cases."""
    listed = in_order(claims)
    ordered = premises_first(listed, CLAIMS)
    cases = judged(ordered, run, jobs, folder, progress)
    own = {case.claim: case.finding for case in cases.values() if case.finding is not None}
    findings, contradictions = combined(ordered, own)
    errors = {case.claim: case.error for case in cases.values() if case.error} | contradictions
    entries = [documents.entry(claim, findings[claim.id], run.profile.name) for claim in listed if claim.id in findings]
    entries, faults = documents.valid(entries, run)
    errors |= faults
    failed = [
        {"id": claim.id, "error": errors[claim.id], "repro": repro(claim, run)}
        for claim in ordered
        if claim.id in errors
    ]
    return documents.assembled(entries, failed, run), {name: case.seconds for name, case in cases.items()}


def in_order(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """The claims in the ledger's order, strangers last. Raises ValueError where an id stands twice."""
    claims, place = tuple(claims), {claim.id: index for index, claim in enumerate(CLAIMS)}
    seen: set[str] = set()
    for claim in claims:
        if claim.id in seen:
            raise ValueError(f"two claims have the id {claim.id!r}: ids are unique, rename one")
        seen.add(claim.id)
    return tuple(sorted(claims, key=lambda claim: place.get(claim.id, len(place))))


def selected(globs: Sequence[str]) -> tuple[Claim, ...]:
    """The claims of the ledger whose id matches one of the globs (all claims for no glob), in order.

    A glob is a shell pattern over the whole id; `*` also crosses slashes. Raises ValueError, naming ids that
    look alike, for a glob without any match: a misspelt selection must not pass as an empty audit.
    """
    ids = [claim.id for claim in CLAIMS]
    for glob in globs:
        if not any(fnmatchcase(name, glob) for name in ids):
            raise ValueError(f"no claim matches {glob!r}{close(glob, ids)} (`dpbandits claims` lists all)")
    return tuple(claim for claim in CLAIMS if not globs or any(fnmatchcase(claim.id, glob) for glob in globs))


# -- judging -------------------------------------------------------------------------------------------------


def judged(claims: Sequence[Claim], run: Run, jobs: int, folder: Path | None, progress: bool) -> dict[str, Case]:
    """The case of every claim, by id: read back where its fingerprint stands in the folder, else made now."""
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    jobs = whole(jobs, "jobs", 1, most_jobs())
    cases: dict[str, Case] = {}
    tasks: dict[str, list[tuple[Claim | str, Place | None]]] = {}
    for claim in claims:
        place = Place(folder / f"{documents.file_name(claim.id)}.json", fingerprint(claim, run)) if folder else None
        kept = read_back(claim.id, place) if place else None
        if kept:
            cases[claim.id] = kept
        else:
            tasks.setdefault(experiment(claim), []).append((sent(claim), place))
    # The long ones first: a worker that begins with them does not keep the others waiting at the end.
    order = sorted(tasks.values(), key=len, reverse=True)
    todo = [delayed(judged_now)(task, run, judge, os.getpid()) for task in order]
    names = [[one if isinstance(one, str) else one.id for one, _ in task] for task in order]
    jobs = max(1, min(jobs, len(todo)))
    with Progress(len(claims), len(cases), names, jobs, progress) as told:
        try:
            for made in Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)(todo) if todo else ():
                cases |= {case.claim: case for case in made}
                told.done([case.claim for case in made])
        except TerminatedWorkerError:
            raise WorkerKilled(
                "a worker process was killed, by the system for want of memory perhaps; what is finished is kept: run "
                f"the same command again, with fewer than {jobs} --jobs if it happens again"
            ) from None
    return cases


def experiment(claim: Claim) -> str:
    """What the claim shares with others: claims about one experiment go to one process, which plays it once."""
    return described(claim.says.settings) if isinstance(claim.says, Ordering) else claim.id


def sent(claim: Claim) -> Claim | str:
    """The claim as a worker gets it: the ledger's own by id, so that it is the worker's own, too. A copy would have
    other functions, and proofs ask whether a formula is the very one they are about."""
    return claim.id if LEDGER.get(claim.id) is claim else claim


def judged_now(
    task: Sequence[tuple[Claim | str, Place | None]], run: Run, judge: Callable[..., Finding], home: int
) -> list[Case]:
    """The cases of some claims, each on disk before the next one begins. An exception becomes a text, and is not
    kept. home: the process that asked; without it there is nobody to work for."""
    leave_with(home)
    made = []
    for claim, place in task:
        claim = LEDGER[claim] if isinstance(claim, str) else claim
        start = perf_counter()
        try:
            finding = directly(judge, claim, run)
        except Exception:
            made.append(Case(claim.id, None, format_exc(), perf_counter() - start))
            continue
        made.append(Case(claim.id, finding, "", perf_counter() - start))
        if place:
            content = {
                "fingerprint": place.mark,
                "finding": asdict(finding),
                "digest": digest_of(asdict(finding), place.mark),
                "seconds": made[-1].seconds,
            }
            store.write_whole(place.path, json.dumps(content, sort_keys=True))
    return made


@cache
def leave_with(home: int) -> None:
    """Ends this worker when the process that it works for has gone, however that ended."""

    def watch() -> None:
        while os.getppid() == home:
            sleep(0.5)
        os._exit(1)

    if os.getpid() != home:
        Thread(target=watch, daemon=True).start()


def about(claim: Claim, run: Run, subject: Any) -> Finding:
    """The finding about a subject that is not the claim's own. Raises what the judge raises, and TypeError for what
    is neither a policy nor a one-shot mechanism with its two inputs."""
    if not is_step(subject):
        demand_policy(subject)
    return directly(judge, claim, run, subject)


def directly(judge: Callable[..., Finding], claim: Claim, run: Run, subject: Any = None) -> Finding:
    """The judge's own finding about the claim, or about another subject of the same promise; plain JSON data.

    Raises what the judge raises, and ValueError or TypeError where the finding is no JSON (NaN, infinity).
    """
    from threadpoolctl import threadpool_limits

    # A sum over several threads depends on how many there are, and a worker has fewer than a lone process.
    with threadpool_limits(limits=1):
        finding = replace(judge(claim, run, subject), seconds=0.0)
    return from_json(json.loads(json.dumps(asdict(finding), allow_nan=False)))


def from_json(parts: Mapping[str, Any]) -> Finding:
    return Finding(
        **{
            **parts,
            "verdict": Verdict(parts["verdict"]),
            "evidence": tuple(parts["evidence"]),
            "rests_on": tuple(Basis(each) for each in parts["rests_on"]),
        },
    )


def read_back(claim: str, place: Place) -> Case | None:
    """The stored case, or None where there is none, it is another one's, or it is not what was stored.

    The digest tells damage; certificates are checked again, so that none is published that does not hold.
    """
    if not place.path.is_file():  # a pipe would keep us waiting
        return None
    try:
        kept = json.loads(place.path.read_text(encoding="utf-8"))
        seconds, digest = float(kept["seconds"]), digest_of(kept["finding"], place.mark)
        if (kept["fingerprint"], kept["digest"]) != (place.mark, digest) or not math.isfinite(seconds):
            return None
        finding = from_json(kept["finding"])
        carried = [item["certificate"] for item in finding.evidence if item["kind"] == "certificate"]
        if finding.claim != claim or not all(one["claim"] == claim and verify(one).ok for one in carried):
            return None
        return Case(claim, finding, "", seconds)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def digest_of(finding: Mapping[str, Any], mark: str) -> str:
    """A digest of a stored finding under its fingerprint."""
    text = json.dumps([mark, finding], sort_keys=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()


# -- fingerprints --------------------------------------------------------------------------------------------


def fingerprint(claim: Claim, run: Run) -> str:
    """A digest of everything a finding depends on: the claim, the run, our code, the numerical libraries."""
    text = described((claim, run, code_digest()))
    return blake2b(text.encode(), digest_size=16).hexdigest()


@cache
def code_digest() -> str:
    """A digest of all modules that judge, and of the versions of what they compute with."""
    digest = blake2b(digest_size=16)
    for package in (dpbandits.reference, dpbandits.proofs_checks, dpbandits.audit):
        root = Path(package.__path__[0])
        for path in sorted(root.rglob("*.py")):
            digest.update(f"{package.__name__}/{path.relative_to(root).as_posix()}\n".encode())
            digest.update(path.read_bytes())
    for name in NUMERICS:
        digest.update(f"{name} {metadata.version(name)}\n".encode())
    return digest.hexdigest()


def described(value: Any) -> str:
    """A text that tells values apart, the same in every process: data by content, functions by their code."""
    if value is None or isinstance(value, str | int | float | Enum):
        return repr(value)
    if isinstance(value, Mapping):
        return f"{{{','.join(sorted(f'{described(k)}:{described(v)}' for k, v in value.items()))}}}"
    if isinstance(value, frozenset | set):
        return f"{{{','.join(sorted(map(described, value)))}}}"
    if isinstance(value, tuple | list):
        return f"{type(value).__qualname__}({','.join(map(described, value))})"
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    if is_dataclass(value):
        parts = (described(getattr(value, field.name)) for field in fields(value))
        return f"{type(value).__qualname__}({','.join(parts)})"
    if isinstance(value, CodeType):
        return f"code({value.co_code.hex()},{described(value.co_consts)},{value.co_names})"
    if callable(value) and hasattr(value, "__code__"):
        cells = tuple(cell.cell_contents for cell in value.__closure__ or ())
        return f"function({described(value.__code__)},{described(value.__defaults__)},{described(cells)})"
    if isinstance(value, partial):
        return f"partial({described((value.func, value.args, value.keywords))})"
    if isinstance(value, ndarray):
        return f"array({value.dtype},{value.shape},{value.tobytes().hex()})"
    return repr(value)  # with an address in it, the case is judged afresh each time: slow, but never wrong
