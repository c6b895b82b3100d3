"""The only loop over claims: judge each once, keep what is finished, combine by theorems, write the document.

Every finished finding is on disk at once, below OUT/cases, under a key that tells whether anything has changed that
it may depend on. So an interrupted run loses no finding, and what has not changed is not judged anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from dpbandits.audit.claims.deduction import apply_theorems, premises_first
from dpbandits.audit.claims.proofs import theorem_of
from dpbandits.audit.judges.effort import Profile, Run, demand_profile
from dpbandits.audit.judges.run_settings import Plan
from dpbandits.audit.runner import documents, store
from dpbandits.audit.runner.cache import (
    Case,
    CasePlace,
    asks_kernel,
    cache_key,
    digest,
    environment,
    keep,
    kept_elsewhere,
    package_hash,
    read_back,
)
from dpbandits.audit.runner.cost import Shard, deal, group_seconds, timed_as
from dpbandits.audit.runner.dispatch import directly, judge, repro
from dpbandits.audit.runner.progress import Progress
from dpbandits.audit.runner.selection import by_experiment, in_order
from dpbandits.audit.runner.work import Call, Home, Job, JobGroup
from dpbandits.audit.runner.workers import Workers, lost, version
from dpbandits.proofs_checks.formulas.theorems import demand_kernel
from dpbandits.reference.arithmetic.checks import checked_integer
from dpbandits.reference.claims import ledger as library
from dpbandits.reference.claims.file_names import stem
from dpbandits.reference.claims.ledger import Ledger
from dpbandits.reference.claims.model import Claim, Finding

HERE = Workers()
MIN_DIVIDED_SECONDS = 10.0  # of one core, as estimated, from which several workers share a claim's tasks


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
    at work; WorkerKilled; workers.Unavailable; coqc.NotInstalled where the profile asks Rocq's kernel about a claim
    that has a theorem, and coqc or a library is missing.
    """
    seed = checked_integer(seed, "seed", 0, 2**64 - 1)
    plan = Plan(ledger or library.ledger(), demand_profile(profile), seed)
    workers = workers or Workers(jobs)
    if out is None:
        return document(claims, plan, workers, None, progress)[0]
    if not str(out):
        raise ValueError("out='': name a folder, or pass None to keep nothing")
    store.claim_folder(Path(out), force)
    with store.lock_folder(Path(out)):
        content, seconds = document(claims, plan, workers, Path(out) / "cases", progress)
        with explained(workers.jobs):
            documents.write(content, Path(out), seconds, timed_as(plan.profile), workers.jobs)
    return content


class WorkerKilled(RuntimeError):
    """A worker was killed from outside, by the system for want of memory in most cases."""


class ShardOutcome(NamedTuple):
    """What a shard did. judged, failed: its own claims, and the texts of the errors by claim. missing: how many claims
    of all shards are not finished. document: as `audit` returns it, where none is, and nobody else is at work.
    unread: its own claims that were judged and kept, and cannot be read back. elsewhere: of claims that are missing,
    those whose findings another environment has kept here, each with what differs."""

    judged: int
    failed: dict[str, str]
    missing: int
    document: dict[str, Any] | None
    unread: tuple[str, ...] = ()
    elsewhere: Mapping[str, str] = {}


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
) -> ShardOutcome:
    """Judges a shard's part of the claims into a folder that all shards share. Who finishes last writes the report, as
    `audit` on the same folder would. The arguments are those of `audit`, and so are the errors."""
    plan = Plan(ledger or library.ledger(), profile, checked_integer(seed, "seed", 0, 2**64 - 1))
    listed = in_order(plan.ledger, claims)
    ordered = premises_first(listed, plan.ledger.by_id)
    demand_asked_kernel(ordered, plan)
    mine = deal(by_experiment(ordered), profile, shard)
    folder = out / "cases"
    store.claim_folder(out, force)
    with store.lock_folder(out, among_shards=True):
        cases = judge_or_read_back(mine, plan, Workers(jobs), folder, progress)
    failed = {case.claim: case.error for case in cases.values() if case.error}
    there = finished(ordered, plan, folder)
    missing = len(ordered) - len(there)
    unread = tuple(name for name, case in cases.items() if case.finding is not None and name not in there)
    others = {
        claim.id: kept_elsewhere(place_of_case(claim, plan, folder)) for claim in ordered if claim.id not in there
    }
    whole_document = None
    if not missing:
        with suppress(store.Refused):  # another shard is at work, and will find the same
            whole_document = audit(listed, profile, seed, jobs, out, False, force, plan.ledger)
    elsewhere = {name: differs for name, differs in others.items() if differs}
    return ShardOutcome(len(cases), failed, missing, whole_document, unread, elsewhere)


def finished(claims: Sequence[Claim], plan: Plan, folder: Path) -> dict[str, Case]:
    """The cases that are kept in the folder and still count, by claim."""
    found = (read_back(claim.id, place_of_case(claim, plan, folder)) for claim in claims)
    return {case.claim: case for case in found if case}


def place_of_case(claim: Claim, plan: Plan, folder: Path) -> CasePlace:
    path = folder.absolute() / f"{stem(claim.id)}.json"
    run = plan.run(claim)
    settings = digest([claim.id, repr(run)])
    here = {**environment(asks_kernel(claim, run)), "code of dpbandits": package_hash()[:8]}
    return CasePlace(path, cache_key(claim, run, plan.ledger), settings, here)


def document(
    claims: Iterable[Claim], plan: Plan, workers: Workers = HERE, folder: Path | None = None, progress: bool = False
) -> tuple[dict[str, Any], dict[str, float]]:
    """What `audit` returns, and the seconds that each claim took. folder: of finished cases."""
    listed = in_order(plan.ledger, claims)
    ordered = premises_first(listed, plan.ledger.by_id)
    demand_asked_kernel(ordered, plan)
    cases = judge_or_read_back(ordered, plan, workers, folder, progress)
    own = {case.claim: case.finding for case in cases.values() if case.finding is not None}
    findings, contradictions = apply_theorems(ordered, own)
    errors = {case.claim: case.error for case in cases.values() if case.error} | contradictions
    entries = [
        documents.finding_entry(claim, findings[claim.id], plan.profile.name, plan.file(claim))
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


def demand_asked_kernel(claims: Sequence[Claim], plan: Plan) -> None:
    """Raises NotInstalled where the profile asks Rocq's kernel about theorems of these claims, and coqc or a library
    that one of them needs is missing."""
    if plan.profile.effort.kernel:
        theorems = [theorem for theorem in map(theorem_of, claims) if theorem is not None]
        if theorems:
            demand_kernel(theorems)


# -- judging -------------------------------------------------------------------------------------------------


def judge_or_read_back(
    claims: Sequence[Claim], plan: Plan, workers: Workers, folder: Path | None, progress: bool
) -> dict[str, Case]:
    """The case of every claim, by id: read back where its key stands in the folder, else made now."""
    checked_integer(workers.jobs, "jobs", 1, max(16, 4 * (os.cpu_count() or 1)))  # more would wait for one another
    places = {} if folder is None else {claim.id: place_of_case(claim, plan, folder) for claim in claims}
    kept = (read_back(name, place) for name, place in places.items())
    cases = {case.claim: case for case in kept if case}
    todo = [claim for claim in claims if claim.id not in cases]
    groups = [group_of(some, plan, {} if workers.remote else places, workers) for some in by_experiment(todo)]
    kernel = plan.profile.effort.kernel
    home = Home(judge, plan.ledger.files, *((0, version(kernel), kernel) if workers.remote else (os.getpid(),)))
    if workers.several:
        dear = [group for group in groups if group.seconds >= MIN_DIVIDED_SECONDS]
        cases |= {case.claim: case for group in dear for case in group.divide()}
    calls = [call for group in groups for call in group.calls(home)]
    if workers.several:  # a worker that begins with the long ones does not keep the others waiting at the end
        calls.sort(key=lambda call: -call.seconds)
    if calls:
        with documents.loading() if folder else nullcontext():
            progressing = partial(Progress, len(claims), len(cases), wanted=progress)
            for case in finished_cases(calls, workers, places, progressing):
                cases[case.claim] = case
    return cases


def group_of(claims: Sequence[Claim], plan: Plan, places: Mapping[str, CasePlace], workers: Workers) -> JobGroup:
    """Claims about one experiment, as they are sent to a worker: the ledger's own by id, as a `Job` says. What they
    cost matters to several alone."""
    known = plan.ledger.files is not None
    sent = [claim.id if known and plan.ledger.volume(claim) else claim for claim in claims]
    jobs = [Job(each, plan.run(claim), places.get(claim.id)) for each, claim in zip(sent, claims, strict=True)]
    return JobGroup(claims, jobs, group_seconds(claims, plan.profile) if workers.several else 0.0)


def finished_cases(
    calls: Sequence[Call], workers: Workers, places: Mapping[str, CasePlace], progressing: Callable[..., Progress]
) -> Iterator[Case]:
    """The cases of all claims, as they are finished. What no worker has kept is kept here. progressing: makes what
    shows how far the run is, of the number of workers."""
    workers = workers._replace(jobs=min(workers.jobs, len(calls)))
    with workers.parallel() as (parallel, many), explained(many), progressing(jobs=many) as shown:
        shown.begin([call.group.name for call in calls])
        for number, made in parallel([call.do for call in calls]):
            call = calls[number]
            finished = call.take(made)
            for case in finished if workers.remote or call.task is not None else ():
                if case.finding is not None and case.claim in places:
                    keep(case, places[case.claim])
            yield from finished
            shown.back(call.group.name, [case.claim for case in finished])


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


def judge_subject(claim: Claim, run: Run, subject: Any) -> Finding:
    """The finding about a subject that is not the claim's own. Raises what the judge raises, and TypeError for what
    is neither a policy nor a one-shot mechanism with its two inputs."""
    from dpbandits.reference.bandits.protocol import demand_policy
    from dpbandits.reference.bandits.release_laws.mechanisms import is_step

    if not is_step(subject):
        demand_policy(subject)
    return directly(judge, claim, run, subject)
