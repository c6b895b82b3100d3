"""The only loop over claims: judge each once, keep what is finished, combine by theorems, write the document.

Every finished finding is on disk at once, below OUT/cases, under a fingerprint of everything it depends on. So an
interrupted run loses nothing, and whatever cannot have changed is not judged anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from threading import Thread
from time import perf_counter, sleep
from traceback import format_exc
from typing import Any

from dpbandits.audit.claims.follows import combined, premises_first
from dpbandits.audit.effort import Profile, Run
from dpbandits.audit.privacy.steps import is_step
from dpbandits.audit.run import documents, store
from dpbandits.audit.run.dispatch import directly, judge, repro
from dpbandits.audit.run.fingerprint import described, fingerprint, sources
from dpbandits.audit.run.kept import Case, Place, keep, read_back
from dpbandits.audit.run.plan import Plan
from dpbandits.audit.run.progress import Progress
from dpbandits.audit.run.selection import in_order
from dpbandits.reference import library
from dpbandits.reference.checks import whole
from dpbandits.reference.ledger import Claim, Finding, Ordering
from dpbandits.reference.library import Ledger
from dpbandits.reference.protocol import demand_policy

Task = tuple[Claim | str, Run, Place | None]  # the claim as a worker gets it, its settings, where its case is kept


def audit(
    claims: Iterable[Claim],
    profile: Profile,
    seed: int = 0,
    jobs: int = 1,
    out: Path | str | None = None,
    progress: bool = False,
    force: bool = False,
    ledger: Ledger | None = None,
) -> dict[str, Any]:
    """Judges the claims and returns the document (the content of findings.json).

    The document lists the claims in the ledger's order, claims outside of the ledger last. It is the same,
    byte for byte, for any number of jobs, interrupted or not. Claims that listed ones follow from are judged
    as well, without being listed. out: a folder for findings.json, index.html, certificates/, cases/ and
    timings.json; None keeps nothing. force: also where the folder holds files of others, which stay if they are
    not in the way. progress: a bar on stderr, a line now and then where that is no terminal. ledger: the pages whose
    claims these are, and their premises; those that joined unless given. An exception in a judge becomes an entry of
    document["errors"]; it is never a verdict, and other claims keep theirs.
    Raises ValueError for two claims with one id, a missing premise, claims that follow from themselves, a seed or
    a number of jobs that is none; store.Refused for a folder that holds files of others, or in which another run is
    at work; WorkerKilled.
    """
    plan = Plan(ledger or library.ledger(), profile, whole(seed, "seed", 0, 2**64 - 1))
    if out is None:
        return document(claims, plan, jobs, None, progress)[0]
    if not str(out):
        raise ValueError("out='': name a folder, or pass None to keep nothing")
    store.claim_folder(Path(out), force)
    with store.alone(Path(out)):
        content, seconds = document(claims, plan, jobs, Path(out) / "cases", progress)
        documents.write(content, Path(out), seconds)
    return content


def most_jobs() -> int:
    """More processes than this are taken for a slip: they would wait for one another."""
    return max(16, 4 * (os.cpu_count() or 1))


class WorkerKilled(RuntimeError):
    """A worker was killed from outside, by the system for want of memory in most cases."""


def document(
    claims: Iterable[Claim], plan: Plan, jobs: int = 1, folder: Path | None = None, progress: bool = False
) -> tuple[dict[str, Any], dict[str, float]]:
    """What `audit` returns, and the seconds that each claim took. folder: of finished cases."""
    listed = in_order(plan.ledger, claims)
    ordered = premises_first(listed, plan.ledger.claims)
    cases = judged(ordered, plan, jobs, folder, progress)
    own = {case.claim: case.finding for case in cases.values() if case.finding is not None}
    findings, contradictions = combined(ordered, own)
    errors = {case.claim: case.error for case in cases.values() if case.error} | contradictions
    entries = [
        documents.entry(claim, findings[claim.id], plan.profile.name, plan.file(claim))
        for claim in listed
        if claim.id in findings
    ]
    entries, faults = documents.valid(entries, plan)
    errors |= faults
    failed = [
        {"id": claim.id, "error": errors[claim.id], "repro": repro(claim, plan.run(claim), plan.file(claim))}
        for claim in ordered
        if claim.id in errors
    ]
    return documents.assembled(entries, failed, plan), {name: case.seconds for name, case in cases.items()}


# -- judging -------------------------------------------------------------------------------------------------


def judged(claims: Sequence[Claim], plan: Plan, jobs: int, folder: Path | None, progress: bool) -> dict[str, Case]:
    """The case of every claim, by id: read back where its fingerprint stands in the folder, else made now."""
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    jobs = whole(jobs, "jobs", 1, most_jobs())
    cases: dict[str, Case] = {}
    tasks: dict[str, list[Task]] = {}
    code = sources()
    for claim in claims:
        run, place = plan.run(claim), None
        if folder:
            place = Place(folder / f"{documents.file_name(claim.id)}.json", fingerprint(claim, run, code))
            kept = read_back(claim.id, place)
            if kept:
                cases[claim.id] = kept
        if claim.id not in cases:
            tasks.setdefault(experiment(claim), []).append((sent(claim, plan.ledger), run, place))
    # The long ones first: a worker that begins with them does not keep the others waiting at the end.
    order = sorted(tasks.values(), key=len, reverse=True)
    todo = [delayed(judged_now)(task, plan.ledger.files, judge, os.getpid()) for task in order]
    names = [[one if isinstance(one, str) else one.id for one, _, _ in task] for task in order]
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


def sent(claim: Claim, ledger: Ledger) -> Claim | str:
    """The claim as a worker gets it: the ledger's own by id, so that it is the worker's own, too. A copy would have
    other functions, and proofs ask whether a formula is the very one they are about."""
    return claim.id if ledger.files is not None and ledger.volume(claim) else claim


def judged_now(
    task: Sequence[Task], files: tuple[str, ...] | None, judge: Callable[..., Finding], home: int
) -> list[Case]:
    """The cases of some claims, each on disk before the next one begins. An exception becomes a text, and is not
    kept. files: of the ledger that the ids are of. home: the process that asked; without it there is nobody to work
    for."""
    leave_with(home)
    made = []
    for claim, run, place in task:
        claim = library.opened(files or ()).by_id[claim] if isinstance(claim, str) else claim
        start = perf_counter()
        try:
            finding = directly(judge, claim, run)
        except (Exception, SystemExit):  # a page's code may well ask to end the process
            made.append(Case(claim.id, None, format_exc(), perf_counter() - start))
            continue
        made.append(Case(claim.id, finding, "", perf_counter() - start))
        if place:
            keep(made[-1], place)
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
