"""How many arms the phases keep: pairs (K, d) on which statements are tried, the example of Appendix B, and what
Theorem 4.2 and Proposition D.3 need of two phases in a row."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from dpbandits.reference.papers.chen24.algorithms.parameters import PRINTED, REPAIRED, Indices, Phases, phases

GRID = [(arms, d) for d in (*range(2, 13), 16, 20) for arms in (*range(2, 45), 50, 64, 65, 100, 101, 257, 1000, 10_000)]
EXAMPLE = (10_000, 16)  # of Appendix B
SIZES = (10_000, 423, 77, 64, 32, 16, 8, 4, 2, 1)  # that it prints


def wrong_index(case: tuple[int, int], *, plan_of: Callable[[int, int, Indices], Phases] = phases) -> str:
    """min(d^2, s_p) <= 8 min(s_{p+1} + 1, d^2), for every phase of both readings."""
    arms, d = case
    for indices in (PRINTED, REPAIRED):
        sizes = plan_of(arms, d, indices).sizes
        for before, after in pairwise(sizes):
            if min(d * d, before) > 8 * min(after + 1, d * d):
                return f"K = {arms}, d = {d}: {before} to {after}"
    return ""
