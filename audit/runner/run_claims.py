"""The only loop over claims: checks each claim once, stores finished findings, applies theorems, and writes the
document.

Every finished finding is stored on disk at once, in OUT/cases, under a key of everything on which it may depend. So an
interrupted run loses no finding, and a claim is checked again only if something that it may depend on has changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from math import inf
from pathlib import Path
from typing import NamedTuple

from dpbandits.audit.claims.deduction import apply_theorems, premises_first
from dpbandits.audit.claims.proofs import theorem_of
from dpbandits.audit.judges.effort import Plan, Profile, demand_profile
from dpbandits.audit.judges.shared_answers import forget_answers
from dpbandits.audit.runner import documents, store
from dpbandits.audit.runner.cache import (
    Case,
    CasePlace,
    asks_kernel,
    cache_key,
    digest,
    environment,
    environment_differences,
    package_hash,
    read_back,
    store_case,
)
from dpbandits.audit.runner.dispatch import repeat_command
from dpbandits.audit.runner.entries import finding_entry
from dpbandits.audit.runner.progress import Progress
from dpbandits.audit.runner.selection import in_order, sharing_work
from dpbandits.audit.runner.timings import Shard, claims_of_shard, profile_key, seconds_of_group
from dpbandits.audit.runner.workers import (
    Call,
    Job,
    JobGroup,
    Origin,
    Workers,
    code_version,
    is_killed_worker,
    rare_collections,
)
from dpbandits.proofs_checks.formulas.theorems import demand_kernel
from dpbandits.reference.arithmetic.checks import checked_integer
from dpbandits.reference.claims import ledger as library
from dpbandits.reference.claims.file_names import stem
from dpbandits.reference.claims.ledger import Ledger
from dpbandits.reference.claims.model import Claim, Ordering
from dpbandits.reference.claims.records import Document, ErrorRecord

ONE_PROCESS = Workers()
MANY_CLAIMS = 200  # from so many on, a run takes so long that compiled code saves more than loading numba takes


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
) -> Document:
    """Checks the claims and returns the document (the content of findings.json).

    The document lists the claims in the ledger's order, claims outside the ledger last. It is the same, byte for byte,
    for any number of jobs, and after an interruption. Premises of the claims are also checked, but not listed. An
    exception in a check becomes an entry of document["errors"]; it is never a verdict, and does not affect other
    claims.

    out: the folder for findings.json, index.html, certificates/, cases/ and timings.json; None stores nothing. force:
    use the folder even if it contains other people's files; files that are not overwritten remain. progress: show a bar
    on stderr, or a line every 20 seconds if stderr is no terminal. ledger: the papers of the claims and of their
    premises; the installed ones by default. workers: run the checks, instead of `jobs` processes of this machine.

    Raises ValueError for two claims with one id, a missing premise, a circular dependency between claims, a bad seed or
    number of jobs; store.Refused for a folder that contains other people's files, or in which another run is active;
    WorkerKilled; workers.Unavailable; NotInstalled if the profile uses Rocq's kernel for a claim that has a theorem,
    and coqc or a library is missing.
    """
    seed = checked_integer(seed, "seed", 0, 2**64 - 1)
    plan = Plan(ledger or library.ledger(), demand_profile(profile), seed)
    workers = workers or Workers(jobs)
    if out is None:
        return judged_document(claims, plan, workers, None, progress)[0]
    if not str(out):
        raise ValueError("out is an empty string; give the name of a folder, or None to write no files")
    store.claim_folder(Path(out), force)
    with store.lock_folder(Path(out)):
        content, seconds = judged_document(claims, plan, workers, Path(out) / "cases", progress)
        forget_answers()  # before the report needs memory
        with killed_workers_explained(workers.jobs), rare_collections():
            documents.write_report(content, Path(out), seconds, profile_key(plan.profile), workers.jobs)
    return content


class WorkerKilled(RuntimeError):
    """A worker was killed from outside, usually by the system because memory ran out."""


class ShardOutcome(NamedTuple):
    """The result of a shard.

    judged: the number of its own claims. failed: the errors of claims whose check failed, by id. missing: the number of
    unfinished claims of all shards. document: as `audit` returns it, if no claim is missing and no other shard is
    active. unread: the ids of its own claims that were checked and stored, but cannot be read back. elsewhere: for
    missing claims whose findings were stored in another environment, the differences between the environments.
    """

    judged: int
    failed: dict[str, str]
    missing: int
    document: Document | None
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
    """Checks a shard's part of the claims into a folder that all shards share.
    The shard that finishes last writes the report, like `audit` on the same folder. Arguments and errors are those of
    `audit`."""
    plan = Plan(ledger or library.ledger(), profile, checked_integer(seed, "seed", 0, 2**64 - 1))
    listed = in_order(plan.ledger, claims)
    ordered = premises_first(listed, plan.ledger.by_id)
    require_kernel(ordered, plan)
    mine = claims_of_shard(sharing_work(ordered), profile, shard)
    folder = out / "cases"
    store.claim_folder(out, force)
    with store.lock_folder(out, among_shards=True):
        cases = judge_or_read_back(mine, plan, Workers(jobs), folder, progress)
    failed = {case.claim: case.error for case in cases.values() if case.error}
    there = stored_cases(ordered, plan, folder)
    missing = len(ordered) - len(there)
    unread = tuple(name for name, case in cases.items() if case.finding is not None and name not in there)
    others = {
        claim.id: environment_differences(place_of_case(claim, plan, folder))
        for claim in ordered
        if claim.id not in there
    }
    whole_document = None
    if not missing:
        with suppress(store.Refused):  # another shard is at work, and will find the same
            whole_document = audit(listed, profile, seed, jobs, out, force=force, ledger=plan.ledger)
    elsewhere = {name: differs for name, differs in others.items() if differs}
    return ShardOutcome(len(cases), failed, missing, whole_document, unread, elsewhere)


def stored_cases(claims: Sequence[Claim], plan: Plan, folder: Path) -> dict[str, Case]:
    """The stored cases of these claims, by claim id, as far as they are in the folder and can be read back."""
    found = (read_back(claim.id, place_of_case(claim, plan, folder)) for claim in claims)
    return {case.claim: case for case in found if case}


def place_of_case(claim: Claim, plan: Plan, folder: Path) -> CasePlace:
    """Returns the file of a claim's case in the folder, and the key under which the case is stored."""
    path = folder.absolute() / f"{stem(claim.id)}.json"
    run = plan.run(claim)
    settings = digest([claim.id, repr(run)])
    here = {**environment(asks_kernel(claim, run)), "code of dpbandits": package_hash()[:8]}
    return CasePlace(path, cache_key(claim, run, plan.ledger), settings, here)


def judged_document(
    claims: Iterable[Claim],
    plan: Plan,
    workers: Workers = ONE_PROCESS,
    folder: Path | None = None,
    progress: bool = False,
) -> tuple[Document, dict[str, float]]:
    """Returns the document that `audit` returns, and the processor seconds of each claim.
    folder: where cases are stored, if anywhere."""
    listed = in_order(plan.ledger, claims)
    ordered = premises_first(listed, plan.ledger.by_id)
    require_kernel(ordered, plan)
    cases = judge_or_read_back(ordered, plan, workers, folder, progress)
    own = {case.claim: case.finding for case in cases.values() if case.finding is not None}
    findings, contradictions = apply_theorems(ordered, own)
    errors = {case.claim: case.error for case in cases.values() if case.error} | contradictions
    entries = [
        finding_entry(claim, findings[claim.id], plan.profile.name, plan.file(claim))
        for claim in listed
        if claim.id in findings
    ]
    entries, faults = documents.reportable_entries(entries, plan, written=folder is not None)
    errors |= faults
    failed: list[ErrorRecord] = [
        {"id": claim.id, "error": errors[claim.id], "repro": repeat_command(claim, plan.run(claim), plan.file(claim))}
        for claim in ordered
        if claim.id in errors
    ]
    return documents.assemble_document(entries, failed, plan), {name: case.seconds for name, case in cases.items()}


def require_kernel(claims: Sequence[Claim], plan: Plan) -> None:
    """Raises NotInstalled if the profile uses Rocq's kernel, and a program that it needs is missing.
    The programs are coqc and the libraries that theorems of these claims require."""
    if plan.profile.effort.kernel:
        theorems = [theorem for theorem in map(theorem_of, claims) if theorem is not None]
        if theorems:
            demand_kernel(theorems)


# -- judging -------------------------------------------------------------------------------------------------


def judge_or_read_back(
    claims: Sequence[Claim], plan: Plan, workers: Workers, folder: Path | None, progress: bool
) -> dict[str, Case]:
    """Returns the case (finding, or error, and seconds) of every claim, by the claim's id.
    A case is read back if it is stored in the folder under the same key; otherwise the claim is checked now."""
    checked_integer(workers.jobs, "jobs", 1, max(16, 4 * (os.cpu_count() or 1)))  # more would wait for one another
    places = {} if folder is None else {claim.id: place_of_case(claim, plan, folder) for claim in claims}
    kept = (read_back(name, place) for name, place in places.items())
    cases = {case.claim: case for case in kept if case}
    calls, failed = planned_calls([claim for claim in claims if claim.id not in cases], plan, workers, places)
    cases |= {case.claim: case for case in failed}
    if not calls:
        return cases
    workers = workers._replace(jobs=min(workers.jobs, len(calls)))
    with (
        documents.loading_reports() if folder else nullcontext(),
        workers.parallel() as (parallel, many),
        killed_workers_explained(many),
        Progress(len(claims), len(cases), many, wanted=progress) as shown,
    ):
        shown.begin([call.group.name for call in calls])
        for number, made in parallel([call.do for call in calls]):
            call = calls[number]
            finished = call.take(made)
            for case in finished:
                not_stored = workers.remote or call.task is not None  # by the worker
                if not_stored and case.finding is not None and case.claim in places:
                    store_case(case, places[case.claim])
                cases[case.claim] = case
            shown.back(call.group.name, [case.claim for case in finished])
    return cases


def planned_calls(
    todo: Sequence[Claim], plan: Plan, workers: Workers, places: Mapping[str, CasePlace]
) -> tuple[list[Call], list[Case]]:
    """Returns the calls that check the claims, and the cases of claims whose division among workers failed.
    places: the files of the claims' cases by claim id; empty if nothing is stored."""
    groups, known = [], plan.ledger.files is not None
    for some in groups_for_workers(todo, plan.profile, workers):
        sent = [claim.id if known and plan.ledger.volume(claim) else claim for claim in some]
        stored = [None if workers.remote else places.get(claim.id) for claim in some]
        jobs = [Job(each, plan.run(claim), place) for each, claim, place in zip(sent, some, stored, strict=True)]
        groups.append(JobGroup(some, jobs, seconds_of_group(some, plan.profile)))
    kernel = plan.profile.effort.kernel
    process = (0, code_version(kernel), kernel) if workers.remote else (os.getpid(), "", False)
    origin = Origin(plan.ledger.files, *process, len(todo) >= MANY_CLAIMS)
    if not workers.several:
        return [call for group in groups for call in group.calls(origin)], []
    # Several claims about the same runs of a policy share what they compute only within one process.
    divisible = [group for group in groups if len(group.claims) == 1 or isinstance(group.claims[0].says, Ordering)]
    long = [group for group in divisible if group.seconds is None or group.seconds >= workers.min_divided_seconds]
    failed = [case for group in long for case in group.divide()]
    calls = [call for group in groups for call in group.calls(origin)]
    # A long call that begins last would keep the other workers waiting at the end.
    return sorted(calls, key=lambda call: -call.seconds), failed


def groups_for_workers(claims: Sequence[Claim], profile: Profile, workers: Workers) -> list[list[Claim]]:
    """Returns groups of claims for one worker each, or for several workers if their checks can be divided.
    Claims about the same runs of a policy are a group if they take at most a worker's equal part of the whole run, by
    earlier runs. Otherwise each of them is alone, so that its instances can be checked by several workers."""
    groups = sharing_work(claims)
    seconds = [seconds_of_group(some, profile) for some in groups]
    part = inf if not workers.several else 0.0 if workers.remote else sum(filter(None, seconds)) / workers.jobs
    found: list[list[Claim]] = []
    for some, taken in zip(groups, seconds, strict=True):
        together = isinstance(some[0].says, Ordering) or (inf if taken is None else taken) <= part
        found += [some] if together else [[claim] for claim in some]
    return found


@contextmanager
def killed_workers_explained(jobs: int) -> Iterator[None]:
    """A context manager that turns the error of a killed worker into WorkerKilled. jobs: the number of processes."""
    try:
        yield
    except Exception as error:
        if not is_killed_worker(error):
            raise
        raise WorkerKilled(
            "a worker process was killed, perhaps because memory ran out. The findings of finished claims are stored. "
            f"Run the same command again; if this happens again, give a smaller number than {jobs} for --jobs"
        ) from None
