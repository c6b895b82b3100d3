"""What a run has to judge: claims, and of those that are dear their tasks, each a call for whichever worker is free."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import process_time
from traceback import format_exc
from typing import Any, NamedTuple

from dpbandits.audit.judges.tasks import Work
from dpbandits.audit.runner.cache import Case
from dpbandits.audit.runner.dispatch import merged, split_claim
from dpbandits.audit.runner.judging import Home, Job, TaskResult, case_of, do_task, judge_claims
from dpbandits.reference.claims.model import Claim


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
        results = [] if error else [receive_result(task, result) for task, result in pairs]
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


def receive_result(task: Callable[[], Any], result: TaskResult) -> Any:
    """What a task came to; where that could not be sent, the task is done here."""
    return task() if result.pickled is None else pickle.loads(result.pickled)


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
