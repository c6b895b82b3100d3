"""The sign test: in how many repetitions one setting comes out smaller than another, and how many certify an order."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import NamedTuple

import numpy as np
from scipy import special

from dpbandits.audit.statistics.resolution import RESOLUTION_POWER
from dpbandits.reference.bandits.noise import Array


@lru_cache(maxsize=64)
def critical_count(n: int, level: float) -> int:
    """The smallest count k with P(Binomial(n, 1/2) >= k) <= level, exactly; n + 1 where there is none."""
    allowed, tail, count = Fraction(level) * 2**n, 0, n + 1
    while count > 1 and tail + comb(n, count - 1) <= allowed:
        count -= 1
        tail += comb(n, count)
    return count


def found_at(needed: int, n: int) -> float:
    """The probability of an order that n repetitions certify with probability RESOLUTION_POWER: P(Binomial(n, p) >=
    needed)."""
    return float(special.betaincinv(needed, n - needed + 1, RESOLUTION_POWER))


class Compared(NamedTuple):
    """In how many repetitions the pair came out as claimed, the other way round, or tied; and by how much the larger
    exceeds the smaller on average over all of them."""

    smaller: str
    larger: str
    right: int
    wrong: int
    tied: int
    difference: float


def averages(values: Array, averaged: int, label: str) -> Array:
    """The averages of `averaged` runs each, in order; runs that are left over are dropped."""
    if not np.isfinite(values).all():
        raise ValueError(f"setting {label!r}: a run came out at {values[~np.isfinite(values)][0]}, which is no number")
    repetitions = len(values) // averaged
    return np.asarray(values[: repetitions * averaged].reshape(repetitions, averaged).mean(axis=1))


def compare(smaller: str, larger: str, means: Mapping[str, Array], tie: float) -> Compared:
    differences = means[larger] - means[smaller]
    right, wrong = int((differences > tie).sum()), int((differences < -tie).sum())
    return Compared(smaller, larger, right, wrong, len(differences) - right - wrong, float(differences.mean()))


def confirmed(each: Compared, needed: int) -> bool:
    return each.right >= needed and each.difference > 0


def opposed(each: Compared, needed: int) -> bool:
    return each.wrong >= needed and each.difference < 0
