"""What a judge has to do for a claim, as data: tasks, and what makes a finding of their results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from dpbandits.reference.claims.model import Finding

T = TypeVar("T")


class Work(NamedTuple, Generic[T]):
    """tasks: calls that know nothing of each other, whose results can be pickled. merge: makes the finding of all
    results, in order. Whoever does some tasks in another process gets them there by asking the judge again, so that
    the tasks themselves need not be pickled."""

    tasks: Sequence[Callable[[], T]]
    merge: Callable[[Sequence[T]], Finding]

    def finding(self) -> Finding:
        return self.merge([task() for task in self.tasks])
