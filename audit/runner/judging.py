"""What a worker does: it judges claims, each on disk before the next one begins, or does one task of a claim."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Sequence
from functools import cache, partial
from threading import Lock, Thread
from time import process_time, sleep
from traceback import format_exc
from typing import Any, NamedTuple

from dpbandits.audit.judges.effort import Run
from dpbandits.audit.runner.cache import Case, CasePlace, fault, keep
from dpbandits.audit.runner.dispatch import directly, one_thread, split_claim
from dpbandits.audit.runner.workers import demand_version
from dpbandits.reference.claims import ledger
from dpbandits.reference.claims.model import Claim, Finding


class Job(NamedTuple):
    """A claim that is to be judged: the ledger's own by its id, so that it is the worker's own, too. A copy would have
    other functions, and proofs ask whether a formula is the very one they are about. place: where its case is kept, if
    it is."""

    claim: Claim | str
    run: Run
    place: CasePlace | None


class Home(NamedTuple):
    """The process that asked. files: of the ledger that ids are of. process: its id; 0 where it is on another machine.
    version: of its code, as `workers.version`; "" where it is ours."""

    judge: Callable[..., Finding]
    files: tuple[str, ...] | None
    process: int
    version: str = ""

    def enter(self) -> None:
        """Ends with the process that asked, or demands its version. Raises RuntimeError where this process runs other
        code."""
        if self.version:
            demand_version(self.version)
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


# Intervals have one precision for all threads of a process, so that these judge one after another
PRECISION_LOCK = Lock()


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
