"""Runs checks in this process, in several processes of this machine, or on a dask cluster.

A call checks the claims about one experiment, or a single claim. If several workers share the run, claims that may take
long are divided into tasks (the instances of a claim, the batches of an experiment), each with its own call. No finding
depends on which worker makes a call, or on the order of calls.

The workers of a cluster need the same version of dpbandits and of the numerical libraries, but no shared folder: cases
are stored where the run was started. If a worker is killed, another one makes its call, unless this happens several
times.
"""

from __future__ import annotations

import gc
import os
import pickle
import platform
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from threading import Lock, Thread
from time import process_time, sleep
from traceback import format_exc
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from dpbandits.audit.judges.effort import Run
from dpbandits.audit.judges.judge_registry import Work
from dpbandits.audit.runner.cache import Case, CasePlace, environment, finding_fault, package_hash, store_case
from dpbandits.audit.runner.dispatch import (
    completed_finding,
    judge,
    rounded_finding,
    single_threaded_algebra,
    split_claim,
)
from dpbandits.proofs_checks.compiled_elementary import use_compiled_loops, use_compiled_loops_if_loaded
from dpbandits.reference.claims import ledger
from dpbandits.reference.claims.model import Claim, Finding

if TYPE_CHECKING:
    from distributed import Client

CLUSTER_PATIENCE = 60  # seconds that a scheduler has to answer, and a first worker to appear
REPLACED = "A worker stopped while some jobs"  # begins joblib's warning when loky replaces a worker that has grown
MAX_REPLACEMENTS = 2  # of killed processes of this machine in one run
MIN_DIVIDED_SECONDS = 10.0  # of one core: claims that took less in an earlier run are not divided
# Intervals have one precision for all threads of a process, so that its threads judge one after another.
PRECISION_LOCK = Lock()
COLLECTION_THRESHOLDS = (50_000, 20, 50)  # as of `gc.set_threshold`


class TaskResult(NamedTuple):
    """The outcome of a task. pickled: its result; None if it cannot be pickled, such as a policy with a lock. error:
    the traceback if it failed, otherwise "". seconds: processor time."""

    pickled: bytes | None
    error: str
    seconds: float


Result = TypeVar("Result")
Calls = Sequence[Callable[[], Result]]
Results = Iterator[tuple[int, Result]]  # the number of a call and what it returned, in any order


class Parallel(Protocol):
    """A function that makes calls, each in some worker."""

    def __call__(self, calls: Calls[Result], /) -> Results[Result]:
        """Makes the calls, and yields for each call its number and its result."""


class Unavailable(RuntimeError):
    """A cluster that cannot be used; the message gives the reason and a remedy."""


class Workers(NamedTuple):
    """The workers of a run.

    jobs: the number of processes of this machine, for the backend "loky". backend: "loky" or "dask". scheduler: the
    address of a dask cluster's scheduler. min_divided_seconds: claims that took less in an earlier run are not divided.
    patience: seconds within which a scheduler must answer and a first worker appear.
    """

    jobs: int = 1
    backend: str = "loky"
    scheduler: str = ""
    min_divided_seconds: float = MIN_DIVIDED_SECONDS
    patience: float = CLUSTER_PATIENCE

    @property
    def remote(self) -> bool:
        """Whether the checks run on a cluster."""
        return self.backend != "loky"

    @property
    def several(self) -> bool:
        """Whether calls may run in more than one process."""
        return self.remote or self.jobs > 1

    def require_scheduler(self) -> None:
        """Raises Unavailable if the backend is dask and no scheduler is named."""
        if self.backend == "dask" and not self.scheduler:
            raise Unavailable(
                "--backend dask needs the address of the scheduler, for example --scheduler tcp://host:8786"
            )

    @contextmanager
    def parallel(self) -> Iterator[tuple[Parallel, int]]:
        """A context manager that provides a function that makes calls, and the number of workers.
        Raises Unavailable."""
        if not self.several:
            yield one_after_another, 1
        elif self.remote:
            self.require_scheduler()
            with dask_client(self.scheduler, self.patience) as (client, many):
                yield partial(by_cluster, client), many
        else:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", REPLACED)
                yield partial(by_processes, self.jobs), self.jobs


def one_after_another(calls: Calls[Result]) -> Results[Result]:
    """Makes the calls in this process, one after the other, and yields each result with the number of its call."""
    return ((number, call()) for number, call in enumerate(calls))


def by_processes(jobs: int, calls: Calls[Result]) -> Results[Result]:
    """Makes the calls in `jobs` processes of this machine, and yields each result with the number of its call.

    If one of them is killed, all are replaced, and the calls that have not returned are made again; the third time, the
    error of joblib is raised.
    """
    from joblib import Parallel, delayed

    left, killed = dict(enumerate(calls)), 0
    while left:
        parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
        try:
            for number, made in parallel(delayed(numbered_call)(*each) for each in tuple(left.items())):
                del left[number]
                yield number, made
        except Exception as error:
            killed += 1
            if not is_killed_worker(error) or killed > MAX_REPLACEMENTS:
                raise


def by_cluster(client: Client, calls: Calls[Result]) -> Results[Result]:
    """Makes the calls on a dask cluster, and yields each result with the number of its call.
    This does not use joblib, whose dask backend waits forever if a call has killed every worker."""
    from distributed import as_completed

    futures = [client.submit(numbered_call, number, call, pure=False) for number, call in enumerate(calls)]
    for future in as_completed(futures, loop=client.loop):
        yield future.result()


def numbered_call(number: int, call: Callable[[], Result]) -> tuple[int, Result]:
    """Makes a call, and returns its number with its result."""
    return number, call()


@contextmanager
def dask_client(scheduler: str, patience: float) -> Iterator[tuple[Client, int]]:
    """A context manager that connects to a dask cluster; provides the client and the number of its threads.
    Raises Unavailable if the cluster cannot be reached."""
    try:
        from distributed import Client
    except ImportError:
        raise Unavailable(
            "--backend dask needs the package distributed, which is not installed; run python -m pip "
            "install distributed"
        ) from None
    try:
        client = Client(scheduler, timeout=patience, set_as_default=False)
    except (OSError, ValueError) as error:
        raise Unavailable(f"--scheduler {scheduler}: no dask scheduler answers at this address ({error})") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=patience)
        except TimeoutError:
            raise Unavailable(
                f"--scheduler {scheduler}: no worker joined within {patience:g} seconds; start workers with dask "
                f"worker {scheduler}"
            ) from None
        yield client, max(1, sum(client.ncores().values()))


def is_killed_worker(error: BaseException) -> bool:
    """Whether the error of joblib or dask means that a worker was killed.
    The error is recognised by its name, because the packages of clusters may not be installed."""
    return type(error).__name__ in ("TerminatedWorkerError", "KilledWorker")


# -- in a worker -------------------------------------------------------------------------------------------------------


class Job(NamedTuple):
    """A claim to check. claim: the id for a claim of the ledger, so that the worker uses its own copy, because proofs
    require the identical formula object. place: where its case is stored; None stores nothing."""

    claim: Claim | str
    run: Run
    place: CasePlace | None


class Origin(NamedTuple):
    """The process that started the run.

    files: of the ledger to which ids refer; None for the installed one. process: its id; 0 if it is on another machine.
    version: of its code, as returned by `code_version`, if it is on another machine. kernel: whether Rocq's kernel is
    used. long: whether the run is worth loading a compiler.
    """

    files: tuple[str, ...] | None
    process: int
    version: str = ""
    kernel: bool = False
    long: bool = False

    def enter(self) -> None:
        """Prepares a worker process: selects compiled loops, and checks that it runs the same version of the code.
        Raises RuntimeError if this process runs another version of the code than the origin."""
        if self.long:
            use_compiled_loops()
        else:
            use_compiled_loops_if_loaded()
        if self.version:
            require_version(self.version, self.kernel)
        else:
            exit_with_parent(self.process)

    def claim(self, sent: Claim | str) -> Claim:
        """Returns the claim that a job is about, from the ledger of this process if only its id was sent."""
        return ledger.open_ledger(self.files or ()).by_id[sent] if isinstance(sent, str) else sent


def judge_claims(jobs: Sequence[Job], origin: Origin) -> list[Case]:
    """Checks the claims of the jobs one after another, and returns their cases (finding or error, and seconds).
    Each case is stored before the next check begins. An exception becomes a case with its traceback, which is not
    stored."""
    origin.enter()
    made = []
    with PRECISION_LOCK, rare_collections():
        for job in jobs:
            claim = origin.claim(job.claim)
            made.append(case_of(claim, partial(judge, claim, job.run)))
            if job.place and not made[-1].error:
                store_case(made[-1], job.place)
    return made


@contextmanager
def rare_collections() -> Iterator[None]:
    """A context manager in which Python looks for reference cycles less often.
    Proofs and pages make many small objects, and few of them are in cycles."""
    usual = gc.get_threshold()
    gc.set_threshold(*COLLECTION_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def case_of(claim: Claim, find: Callable[[], Finding], spent: float = 0.0) -> Case:
    """Makes the finding of a claim, and returns it rounded, or an error, with the seconds that it took.
    find: makes the finding. spent: processor seconds that the claim's tasks have already used."""
    start, finding = process_time() - spent, None
    try:
        with single_threaded_algebra():
            finding = rounded_finding(find())
        why = finding_fault(claim.id, finding)
        error = why and f"the finding would never be read back: {why}"
    except KeyboardInterrupt:
        raise
    except BaseException:  # the code of a page may call sys.exit, or raise what is no Exception
        error = format_exc()
    return Case(claim.id, None if error else finding, error, process_time() - start)


def do_task(job: Job, number: int, origin: Origin) -> TaskResult:
    """Does one task of a claim, and returns its result or error, with the processor seconds.
    number: the task's index."""
    origin.enter()
    start = process_time()
    with PRECISION_LOCK, single_threaded_algebra():
        try:
            work = split_claim(origin.claim(job.claim), job.run)
            assert work is not None
            result = work.tasks[number]()
        except KeyboardInterrupt:
            raise
        except BaseException:
            return TaskResult(None, format_exc(), process_time() - start)
        return TaskResult(pickled(result), "", process_time() - start)


def pickled(result: object) -> bytes | None:
    """Returns the result as bytes; None if it cannot be pickled."""
    import cloudpickle

    try:
        return bytes(cloudpickle.dumps(result))
    except (pickle.PicklingError, TypeError, AttributeError):
        return None


@cache
def exit_with_parent(process: int) -> None:
    """Ends this worker when the process that started it has ended, for whatever reason."""

    def watch() -> None:
        """Waits until the parent process has ended, then ends this process."""
        while os.getppid() == process:
            sleep(0.5)
        os._exit(1)

    if os.getpid() != process:
        Thread(target=watch, daemon=True).start()


def code_version(kernel: bool = False) -> str:
    """Returns a text that identifies the code and its environment, to compare the versions of two processes.
    It is a hash of this package's code on disk, with the versions of Python and the numerical libraries, and of Rocq if
    its kernel is used."""
    return " ".join([package_hash(), *environment(kernel).values()])


def require_version(wanted: str, kernel: bool = False) -> None:
    """Raises RuntimeError if this process runs another version of the code than the process that asks, `wanted`."""
    if code_version(kernel) != wanted:
        raise RuntimeError(
            f"the worker on {platform.node()} and the process that started the run have different versions of "
            "dpbandits, Python, a numerical library, or (with --rocq) Rocq; install the same versions on both, and "
            "restart the workers"
        )


# -- in the process that started the run -------------------------------------------------------------------------------


class DividedClaim(NamedTuple):
    """A claim whose tasks are done one by one."""

    claim: Claim
    job: Job
    work: Work[Any]

    def finding(self, results: Sequence[Any]) -> Finding:
        """Returns the claim's finding, made from the results of its tasks."""
        return completed_finding(self.claim, self.work.merge(results), self.job.run)


@dataclass
class JobGroup:
    """Claims whose checks share work, or a single claim, with a job each.

    seconds: of one core in an earlier run; None if unknown. divided: the claims and their tasks; empty if they are not
    divided. Claims about one experiment have the same tasks, or none. results: of the finished tasks, by number.
    """

    claims: Sequence[Claim]
    jobs: Sequence[Job]
    seconds: float | None = None
    divided: list[DividedClaim] = field(default_factory=list)
    results: dict[int, TaskResult] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The id of the group's first claim and the number of the others, for progress lines."""
        return self.claims[0].id + (f" and {len(self.claims) - 1} more" if len(self.claims) > 1 else "")

    @property
    def first(self) -> DividedClaim:
        """The job of the claim whose tasks are done; the other claims of the group use their results."""
        return max(self.divided, key=lambda one: len(one.work.tasks))

    def divide(self) -> list[Case]:
        """Divides the claims into tasks, if there are several; returns the cases of claims that fail meanwhile.
        A claim fails if its own code raises an exception during the division."""
        failed = []
        for claim, job in zip(self.claims, self.jobs, strict=True):
            try:
                work = split_claim(claim, job.run)
            except KeyboardInterrupt:
                raise
            except BaseException:
                failed.append(Case(claim.id, None, format_exc(), 0.0))
            else:
                self.divided += [DividedClaim(claim, job, work)] if work is not None else []
        if max((len(one.work.tasks) for one in self.divided), default=0) < 2:
            self.divided = []
            return []  # they are judged whole, and what failed here fails there again
        return failed

    def calls(self, origin: Origin) -> list[Call]:
        """Returns the calls that check the group's claims: one for each task, or a single one for undivided claims."""
        seconds = self.seconds or 0.0
        if not self.divided:
            return [Call(self, None, seconds, partial(judge_claims, self.jobs, origin))]
        many = len(self.first.work.tasks)
        return [Call(self, k, seconds / many, partial(do_task, self.first.job, k, origin)) for k in range(many)]

    def merged(self) -> list[Case]:
        """Merges the results of all tasks, and returns the cases of the group's claims.
        The seconds of the tasks count for the first case."""
        start, spent = process_time(), sum(result.seconds for result in self.results.values())
        ordered = [self.results[number] for number in sorted(self.results)]
        error = next((result.error for result in ordered if result.error), "")
        pairs = zip(self.first.work.tasks, ordered, strict=True)
        # A result that cannot be pickled is computed here.
        received = (task() if result.pickled is None else pickle.loads(result.pickled) for task, result in pairs)
        results = [] if error else list(received)
        spent += process_time() - start
        cases = []
        for one in self.divided:
            if error and one.work.tasks:
                cases.append(Case(one.claim.id, None, error, spent))
            else:
                cases.append(case_of(one.claim, partial(one.finding, results if one.work.tasks else []), spent))
            spent = 0.0
        return cases


class Call(NamedTuple):
    """A unit of work of a worker. task: its number; None checks all claims of the group. seconds: of one core in an
    earlier run, 0 if unknown."""

    group: JobGroup
    task: int | None
    seconds: float
    do: Callable[[], list[Case] | TaskResult]

    def take(self, result: list[Case] | TaskResult) -> list[Case]:
        """Stores the result of a call; returns the cases that are now complete, or an empty list."""
        if not isinstance(result, TaskResult):
            return result
        assert self.task is not None
        self.group.results[self.task] = result
        return [] if len(self.group.results) < len(self.group.first.work.tasks) else self.group.merged()
