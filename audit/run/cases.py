"""The only loop over claims: judge each once, keep what is finished, combine by theorems, write the document.

Every finished finding is on disk at once, below OUT/cases, under a fingerprint of everything it depends on. So an
interrupted run loses nothing, and whatever cannot have changed is not judged anew.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from dpbandits.audit.claims.follows import combined, premises_first
from dpbandits.audit.effort import Profile, Run, demand_profile
from dpbandits.audit.privacy.steps import is_step
from dpbandits.audit.run import divided, documents, store
from dpbandits.audit.run.dispatch import directly, judge, repro
from dpbandits.audit.run.divided import Group, counted
from dpbandits.audit.run.fingerprint import described, fingerprint, sources
from dpbandits.audit.run.judging import Home, Task, ready
from dpbandits.audit.run.kept import Case, Place, read_back
from dpbandits.audit.run.plan import Plan
from dpbandits.audit.run.progress import Progress
from dpbandits.audit.run.selection import in_order
from dpbandits.audit.run.shards import Shard, dealt
from dpbandits.audit.run.work import Work
from dpbandits.audit.run.workers import Workers, lost, version
from dpbandits.reference import library
from dpbandits.reference.checks import whole
from dpbandits.reference.files import stem
from dpbandits.reference.ledger import Claim, Finding, Ordering
from dpbandits.reference.library import Ledger
from dpbandits.reference.protocol import demand_policy

HERE = Workers()


def audit(
    claims: Iterable[Claim],
    profile: Profile,
    seed: int = 0,
    jobs: int = 1,
    out: Path | str | None = None,
    progress: bool = False,
    force: bool = False,
    ledger: Ledger | None = None,
    workers: Workers | None = None,
) -> dict[str, Any]:
    """Judges the claims and returns the document (the content of findings.json).

    The document lists the claims in the ledger's order, claims outside of the ledger last. It is the same,
    byte for byte, for any number of jobs, interrupted or not. Claims that listed ones follow from are judged
    as well, without being listed. out: a folder for findings.json, index.html, certificates/, cases/ and
    timings.json; None keeps nothing. force: also where the folder holds files of others, which stay if they are
    not in the way. progress: a bar on stderr, a line now and then where that is no terminal. ledger: the pages whose
    claims these are, and their premises; those that joined unless given. workers: who judges, in place of `jobs`
    processes of this machine. An exception in a judge becomes an entry of
    document["errors"]; it is never a verdict, and other claims keep theirs.
    Raises ValueError for two claims with one id, a missing premise, claims that follow from themselves, a seed or
    a number of jobs that is none; store.Refused for a folder that holds files of others, or in which another run is
    at work; WorkerKilled; workers.Unavailable.
    """
    seed = whole(seed, "seed", 0, 2**64 - 1)
    plan = Plan(ledger or library.ledger(), demand_profile(profile), seed)
    workers = workers or Workers(jobs)
    if out is None:
        return document(claims, plan, workers, None, progress)[0]
    if not str(out):
        raise ValueError("out='': name a folder, or pass None to keep nothing")
    store.claim_folder(Path(out), force)
    with store.alone(Path(out)):
        content, seconds = document(claims, plan, workers, Path(out) / "cases", progress)
        with explained(workers.jobs):
            documents.write(content, Path(out), seconds, workers.jobs)
    return content


def most_jobs() -> int:
    """More processes than this are taken for a slip: they would wait for one another."""
    return max(16, 4 * (os.cpu_count() or 1))


class WorkerKilled(RuntimeError):
    """A worker was killed from outside, by the system for want of memory in most cases."""


class Part(NamedTuple):
    """What a shard did. judged, failed: its own claims, and the texts of the errors by claim. missing: how many claims
    of all shards are not finished. document: as `audit` returns it, where none is, and nobody else is at work.
    unread: its own claims that were judged and kept, and cannot be read back."""

    judged: int
    failed: dict[str, str]
    missing: int
    document: dict[str, Any] | None
    unread: tuple[str, ...] = ()


def audit_shard(
    claims: Iterable[Claim],
    profile: Profile,
    shard: Shard,
    out: Path,
    seed: int = 0,
    jobs: int = 1,
    progress: bool = False,
    force: bool = False,
    ledger: Ledger | None = None,
) -> Part:
    """Judges a shard's part of the claims into a folder that all shards share. Who finishes last writes the report, as
    `audit` on the same folder would. The arguments are those of `audit`, and so are the errors."""
    plan = Plan(ledger or library.ledger(), profile, whole(seed, "seed", 0, 2**64 - 1))
    listed = in_order(plan.ledger, claims)
    ordered = premises_first(listed, plan.ledger.by_id)
    groups: dict[str, list[Claim]] = {}
    for claim in ordered:
        groups.setdefault(experiment(claim), []).append(claim)
    folder = out / "cases"
    store.claim_folder(out, force)
    with store.alone(out, among_shards=True):
        mine = dealt(groups, plan, shard, counted(groups, plan, judge))
        cases = judged(mine.claims, plan, Workers(jobs), folder, progress, mine.pieces)
    failed = {case.claim: case.error for case in cases.values() if case.error}
    there = finished(ordered, plan, folder)
    missing = len(ordered) - len(there)
    unread = tuple(name for name, case in cases.items() if case.finding is not None and name not in there)
    whole_document = None
    if not missing:
        with suppress(store.Refused):  # another shard is at work, and will find the same
            whole_document = audit(listed, profile, seed, jobs, out, False, force, plan.ledger)
    return Part(len(cases), failed, missing, whole_document, unread)


def finished(claims: Sequence[Claim], plan: Plan, folder: Path) -> dict[str, Case]:
    """The cases that are kept in the folder and still count, by claim."""
    found = (read_back(claim.id, place_of(claim, plan, folder)) for claim in claims)
    return {case.claim: case for case in found if case}


def place_of(claim: Claim, plan: Plan, folder: Path) -> Place:
    path = path_of(claim, folder)
    return Place(path, fingerprint(claim, plan.run(claim), sources()) if path.is_file() else "")


def path_of(claim: Claim, folder: Path) -> Path:
    return folder.absolute() / f"{stem(claim.id)}.json"


def document(
    claims: Iterable[Claim], plan: Plan, workers: Workers = HERE, folder: Path | None = None, progress: bool = False
) -> tuple[dict[str, Any], dict[str, float]]:
    """What `audit` returns, and the seconds that each claim took. folder: of finished cases."""
    listed = in_order(plan.ledger, claims)
    ordered = premises_first(listed, plan.ledger.by_id)
    cases = judged(ordered, plan, workers, folder, progress)
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


def judged(
    claims: Sequence[Claim],
    plan: Plan,
    workers: Workers,
    folder: Path | None,
    progress: bool,
    share: Mapping[str, Collection[int]] | None = None,
) -> dict[str, Case]:
    """The case of every claim, by id: read back where its fingerprint stands in the folder, else made now. share: of
    these experiments, these pieces are done here, and the others where they are needed for these and nobody has done
    them; their claims have no case until all pieces are kept."""
    whole(workers.jobs, "jobs", 1, most_jobs())
    new = [claim for claim in claims if folder is None or not path_of(claim, folder).is_file()]
    with workers.starting(len(new), ready, os.getpid(), plan.ledger.files):
        cases, places = looked_up(claims, plan, folder)
    tasks: dict[str, list[Task]] = {}
    open_claims: dict[str, list[Claim]] = {}
    for claim in claims:
        if claim.id not in cases:
            place = None if workers.remote else places.get(claim.id)  # what comes from afar is kept here
            tasks.setdefault(experiment(claim), []).append((sent(claim, plan.ledger), plan.run(claim), place))
            open_claims.setdefault(experiment(claim), []).append(claim)
    groups = {}
    for key, owners in counted(open_claims, plan, judge).items():
        first, many = open_claims[key][0], len(owners)
        kept_at = [divided.place_of(places[first.id], number, many) for number in range(many)] if folder else []
        mine = range(many) if share is None else share.get(key, ())
        groups[key] = Group(open_claims[key], plan.run(first), owners, kept_at, mine)
    home = Home(0, version()) if workers.remote else Home(os.getpid())
    work = Work(tasks, groups, places, plan.ledger.files, judge, home, workers.remote, cases)
    workers = workers._replace(jobs=max(1, min(workers.jobs, work.most)))
    with ExitStack() as stack:
        parallel, many = stack.enter_context(workers.parallel()) if work.most else (iter, workers.jobs)
        told = stack.enter_context(Progress(len(claims), len(cases), many, progress and work.most > 0))
        stack.enter_context(explained(many))
        if folder:
            stack.enter_context(documents.loading())
        for calls in work.rounds():
            told.begin([work.name(key) for key, _ in calls])
            for key, made in parallel([call for _, call in calls]):
                told.back(work.name(key), [case.claim for case in work.told(key, made)])
    return cases


def looked_up(claims: Sequence[Claim], plan: Plan, folder: Path | None) -> tuple[dict[str, Case], dict[str, Place]]:
    """The cases that are kept and still count, and where the case of every claim is kept, by claim."""
    cases: dict[str, Case] = {}
    places: dict[str, Place] = {}
    if folder is None:
        return cases, places
    for claim in claims:
        places[claim.id] = Place(path_of(claim, folder), fingerprint(claim, plan.run(claim), sources()))
        if kept := read_back(claim.id, places[claim.id]):
            cases[claim.id] = kept
    return cases, places


@contextmanager
def explained(jobs: int) -> Iterator[None]:
    """What says WorkerKilled where one of so many processes is killed."""
    try:
        yield
    except Exception as error:
        if not lost(error):
            raise
        raise WorkerKilled(
            "a worker process was killed, by the system for want of memory perhaps; what is finished is kept: run "
            f"the same command again, with fewer than {jobs} --jobs if it happens again"
        ) from None


def experiment(claim: Claim) -> str:
    """What the claim shares with others: claims about one experiment go to one process, which plays it once."""
    return described(claim.says.settings) if isinstance(claim.says, Ordering) else claim.id


def sent(claim: Claim, ledger: Ledger) -> Claim | str:
    """The claim as a worker gets it: the ledger's own by id, so that it is the worker's own, too. A copy would have
    other functions, and proofs ask whether a formula is the very one they are about."""
    return claim.id if ledger.files is not None and ledger.volume(claim) else claim


def about(claim: Claim, run: Run, subject: Any) -> Finding:
    """The finding about a subject that is not the claim's own. Raises what the judge raises, and TypeError for what
    is neither a policy nor a one-shot mechanism with its two inputs."""
    if not is_step(subject):
        demand_policy(subject)
    return directly(judge, claim, run, subject)
