"""One search, whatever is searched: looks at fewer and fewer proposals with more and more trials, and what stands out
in rows of proposals. Where proposals come from, and what a look sees, is no business of this module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from dpbandits.reference.bandits.noise import Array

T = TypeVar("T")


class Look(NamedTuple):
    """One look at all proposals that are left. trials: of each, on either side. keep: so many of the best go on.
    purpose: of the noise that is drawn for it."""

    purpose: str
    trials: int
    keep: int


Promises = Callable[[Sequence[T], Look], Sequence[Any]]  # how much each proposal promises: numbers, or tuples of them


class Ranked(NamedTuple):
    """A proposal, and what it promised in the last look."""

    proposal: Any
    promise: Any


def search(proposals: Sequence[T], score: Promises[T], budget: Iterable[Look]) -> list[Ranked]:
    """The best proposals after all looks, the most promising first; of equal ones, the earlier."""
    best: list[Ranked] = []
    for look in budget:
        promises = score(proposals, look)
        order = sorted(range(len(proposals)), key=promises.__getitem__, reverse=True)
        best = [Ranked(proposals[place], promises[place]) for place in order[: look.keep]]
        proposals = [each.proposal for each in best]
    return best


def pick_from_rows(
    rows: Sequence[Sequence[T]], mark: Callable[[list[T]], Any], pick: Callable[[Array, list[int]], list[int]]
) -> list[T]:
    """Proposals that are picked by their marks, (proposals,), among those in all rows, of these sizes."""
    every = [proposal for row in rows for proposal in row]
    return [every[place] for place in pick(np.asarray(mark(every)), [len(row) for row in rows])] if every else []
