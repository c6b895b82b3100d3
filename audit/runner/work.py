"""What a run has to judge, and what a worker does of it: claims, and of those that are dear their tasks, each a call
for whichever worker is free. Each claim is on disk before the next one begins."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from threading import Lock, Thread
from time import process_time, sleep
from traceback import format_exc
from typing import Any, NamedTuple

from dpbandits.audit.judges.effort import Run
from dpbandits.audit.judges.kinds import Work
from dpbandits.audit.runner.cache import Case, CasePlace, fault, keep
from dpbandits.audit.runner.dispatch import directly, merged, one_thread, split_claim
from dpbandits.audit.runner.workers import demand_version
from dpbandits.reference.claims import ledger
from dpbandits.reference.claims.model import Claim, Finding

# Intervals have one precision for all threads of a process, so that these judge one after another
PRECISION_LOCK = Lock()


class Job(NamedTuple):
    """A claim that is to be judged: the ledger's own by its id, so that it is the worker's own, too. A copy would have
    other functions, and proofs ask whether a formula is the very one they are about. place: where its case is kept, if
    it is."""

    claim: Claim | str
    run: Run
    place: CasePlace | None


class Home(NamedTuple):
    """The process that asked. files: of the ledger that ids are of. process: its id; 0 where it is on another machine.
    version: of its code, as `workers.version`; "" where it is ours. kernel: whether Rocq's kernel is asked."""

    judge: Callable[..., Finding]
    files: tuple[str, ...] | None
    process: int
    version: str = ""
    kernel: bool = False

    def enter(self) -> None:
        """Ends with the process that asked, or demands its version. Raises RuntimeError where this process runs other
        code."""
        if self.version:
            demand_version(self.version, self.kernel)
        else:
            leave_with(self.process)

    def opened(self, claim: Claim | str) -> Claim:
        """The claim that was sent."""
        return ledger.open_ledger(self.files or ()).by_id[claim] if isinstance(claim, str) else claim


class TaskResult(NamedTuple):
    """What became of a task. pickled: its result; None where that cannot be sent. error: the text of the exception that
    it ended with, else empty. seconds: of the processor, as a Case's."""

    pickled: bytes | None
    error: str
    seconds: float


def judge_claims(jobs: Sequence[Job], home: Home) -> list[Case]:
    """The cases of some claims. An exception becomes a text, and is not kept."""
    home.enter()
    made = []
    with PRECISION_LOCK:
        for job in jobs:
            claim = home.opened(job.claim)
            made.append(case_of(claim, partial(directly, home.judge, claim, job.run)))
            if job.place and not made[-1].error:
                keep(made[-1], job.place)
    return made


def case_of(claim: Claim, find: Callable[[], Finding], spent: float = 0.0) -> Case:
    """The case of a claim, whose finding this call makes. spent: seconds that have gone into it before."""
    start, finding = process_time() - spent, None
    try:
        finding = find()
        why = fault(claim.id, finding)
        error = why and f"the finding would never be read back: {why}"
    except KeyboardInterrupt:
        raise
    except BaseException:  # a page's code may well ask to end the process, or raise what is no Exception
        error = format_exc()
    return Case(claim.id, None if error else finding, error, process_time() - start)


def do_task(job: Job, number: int, home: Home) -> TaskResult:
    """One task of a claim, by its number. An exception becomes a text."""
    home.enter()
    start = process_time()
    with PRECISION_LOCK, one_thread():
        try:
            work = split_claim(home.opened(job.claim), job.run)
            assert work is not None
            result = work.tasks[number]()
        except KeyboardInterrupt:
            raise
        except BaseException:
            return TaskResult(None, format_exc(), process_time() - start)
        return TaskResult(pickled(result), "", process_time() - start)


def pickled(result: Any) -> bytes | None:
    """The result as it is sent; None where it holds what cannot be, such as a lock of a policy's."""
    import cloudpickle

    try:
        return bytes(cloudpickle.dumps(result))
    except (pickle.PicklingError, TypeError, AttributeError):
        return None


@cache
def leave_with(home: int) -> None:
    """Ends this worker when the process that it works for has gone, however that ended."""

    def watch() -> None:
        while os.getppid() == home:
            sleep(0.5)
        os._exit(1)

    if os.getpid() != home:
        Thread(target=watch, daemon=True).start()


class Divided(NamedTuple):
    """The work of a claim that is done task by task."""

    claim: Claim
    job: Job
    work: Work[Any]


@dataclass
class JobGroup:
    """The claims about one experiment, or a single one, with their jobs. seconds: of one core, as estimated. divided:
    the work of the claims; empty where they are judged as a whole. Claims about one experiment have the same tasks, or
    none. results: of the tasks that are done, by number."""

    claims: Sequence[Claim]
    jobs: Sequence[Job]
    seconds: float
    divided: list[Divided] = field(default_factory=list)
    results: dict[int, TaskResult] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The first claim, and how many more, for readers."""
        return self.claims[0].id + (f" and {len(self.claims) - 1} more" if len(self.claims) > 1 else "")

    @property
    def first(self) -> Divided:
        """The claim whose tasks are done."""
        return max(self.divided, key=lambda one: len(one.work.tasks))

    def divide(self) -> list[Case]:
        """Divides the claims, where there are several tasks; the cases of those whose own code fails at that."""
        failed = []
        for claim, job in zip(self.claims, self.jobs, strict=True):
            try:
                work = split_claim(claim, job.run)
            except KeyboardInterrupt:
                raise
            except BaseException:
                failed.append(Case(claim.id, None, format_exc(), 0.0))
            else:
                self.divided += [Divided(claim, job, work)] if work is not None else []
        if max((len(one.work.tasks) for one in self.divided), default=0) < 2:
            self.divided = []
            return []  # they are judged as a whole, where what failed will say so
        return failed

    def calls(self, home: Home) -> list[Call]:
        """All calls that the group takes."""
        if not self.divided:
            return [Call(self, None, self.seconds, partial(judge_claims, self.jobs, home))]
        many = len(self.first.work.tasks)
        each = self.seconds / many
        return [Call(self, k, each, partial(do_task, self.first.job, k, home)) for k in range(many)]

    def finished(self) -> list[Case]:
        """The cases of claims that were divided, whose tasks are all done. The first one gets the seconds of these."""
        start, spent = process_time(), sum(result.seconds for result in self.results.values())
        ordered = [self.results[number] for number in sorted(self.results)]
        error = next((result.error for result in ordered if result.error), "")
        pairs = zip(self.first.work.tasks, ordered, strict=True)
        # What could not be sent is done here.
        received = (task() if result.pickled is None else pickle.loads(result.pickled) for task, result in pairs)
        results = [] if error else list(received)
        spent += process_time() - start
        cases = []
        for claim, job, work in self.divided:
            if error and work.tasks:
                cases.append(Case(claim.id, None, error, spent))
            else:
                find = partial(merged, claim, job.run, work, results if work.tasks else [])
                cases.append(case_of(claim, find, spent))
            spent = 0.0
        return cases


class Call(NamedTuple):
    """What a worker does in one go. task: its number; None for all claims of the group. seconds: as estimated."""

    group: JobGroup
    task: int | None
    seconds: float
    do: partial[Any]

    def take(self, made: Any) -> list[Case]:
        """The cases that are finished with what the call has made."""
        if self.task is None:
            return list(made)
        self.group.results[self.task] = made
        left = len(self.group.first.work.tasks) - len(self.group.results)
        return [] if left else self.group.finished()
