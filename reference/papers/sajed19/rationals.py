"""The law of `IntegerDPSE` with a rational ratio, in fractions: no number of it is rounded.

P(z) = (1 - r)/(1 + r) r^|z|. The chance that a set of arms is kept is added up over the value b of the best noisy sum,
and over the first arm that has it. Below all sums every factor falls by r for each step of b, so that the terms are a
geometric series; beyond all sums and the width they are r^(k b), k the kept arms, times a polynomial in r^b: series as
well, one for each of its powers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple

import numpy as np

from dpbandits.reference.bandits.noise import Seeded
from dpbandits.reference.bandits.policy import Ints, Pulls
from dpbandits.reference.bandits.release_laws.selections import subsets
from dpbandits.reference.papers.sajed19.integers import IntegerDPSE

Kept = Sequence[bool]
Releases = dict[tuple[tuple[int, ...], ...], Fraction]  # how often each arm is pulled, step by step, and how likely


class NoiseChances(NamedTuple):
    """Discrete Laplace noise of this ratio, and a width."""

    ratio: Fraction
    width: int

    def at_most(self, z: int) -> Fraction:
        """P(noise <= z)."""
        return self.beyond(-z) if z < 0 else 1 - self.beyond(z + 1)

    def beyond(self, z: int) -> Fraction:
        """P(noise >= z), z > 0."""
        return self.ratio**z / (1 + self.ratio)

    def factors(self, kept: Kept, first: int, z: Sequence[int]) -> list[Fraction]:
        """The chances of every arm, that together keep these arms, the first of them with this best value; z: the best
        value less each arm's sum."""
        found = []
        for arm, (stays, each) in enumerate(zip(kept, z, strict=True)):
            low = self.at_most(each - self.width - 1)
            high = self.at_most(each - (arm < first))  # an earlier arm lies below the best
            found.append(
                (self.at_most(each) - self.at_most(each - 1) if arm == first else high - low) if stays else low
            )
        return found


def kept_chances(sums: Sequence[int], width: int, ratio: Fraction, sets: Sequence[Kept]) -> list[Fraction]:
    """The chance that each of these sets of arms is kept, for the noise-free sums. sets: that are not empty."""
    noise, least, most = NoiseChances(ratio, width), min(sums), max(sums) + width
    found = []
    for kept in sets:
        total = Fraction(0)
        for first in (arm for arm, stays in enumerate(kept) if stays):
            for best in range(least, most + 1):
                total += prod(noise.factors(kept, first, [best - each for each in sums]))
            below = prod(noise.factors(kept, first, [least - 1 - each for each in sums]))
            total += below / (1 - ratio ** len(sums))
            total += beyond_all(noise, kept, noise.factors(kept, first, [most + 1 - each for each in sums]))
        found.append(total)
    return found


def beyond_all(noise: NoiseChances, kept: Kept, factors: Sequence[Fraction]) -> Fraction:
    """The sum of the products of all factors from some best value on, beyond all sums and the width, where they are
    these: of an arm that is kept r^j as much j steps later; of another one 1 - (1 - what it is) r^j."""
    polynomial = [Fraction(1)]  # in r^j
    for factor in (each for each, stays in zip(factors, kept, strict=True) if not stays):
        shifted = [Fraction(0), *(-(1 - factor) * each for each in polynomial)]
        polynomial = [one + other for one, other in zip([*polynomial, Fraction(0)], shifted, strict=True)]
    inside = prod(each for each, stays in zip(factors, kept, strict=True) if stays)
    many = sum(kept)
    series = (each / (1 - noise.ratio ** (many + power)) for power, each in enumerate(polynomial))
    return inside * sum(series, Fraction(0))


def release_chances(policy: IntegerDPSE, rewards: Any) -> Releases:
    """The chance of everything that a run on a table of rewards, 0 or 1, (arms, horizon), may release: a fraction each.
    Raises ValueError for a policy whose noise has no rational ratio, and for another table."""
    table, ratio = np.asarray(rewards), policy.exact_ratio
    if table.shape != (policy.arms, policy.horizon) or not np.isin(table, (0, 1)).all():
        raise ValueError(f"rewards must be a table of zeros and ones with shape {(policy.arms, policy.horizon)}")
    found: Releases = {}
    todo: list[tuple[Any, Any, Ints, Fraction]] = [((), policy.init(1), np.zeros(policy.arms, dtype=int), Fraction(1))]
    while todo:
        released, state, places, chance = todo.pop()
        if state.used[0] == policy.horizon:
            found[released] = found.get(released, Fraction(0)) + chance
            continue
        for kept, likely in kept_in(policy, state, ratio):
            pulls = policy.block(state, kept)
            ends = places + pulls.counts[0]
            sums = [table[arm, start:end].sum() for arm, (start, end) in enumerate(zip(places, ends, strict=True))]
            after = policy.real.learn(0, state, Pulls(pulls.counts), np.array([sums], dtype=float), Seeded(0, 1))
            todo.append(((*released, tuple(pulls.counts[0].tolist())), after, ends, chance * likely))
    return found


def kept_in(policy: IntegerDPSE, state: Any, ratio: Fraction) -> list[tuple[Any, Fraction]]:
    """Which sets (1, arms) may be left of S in this state of a single trial, and how likely each is."""
    active = np.flatnonzero(state.active[0])
    if state.epoch[0] == 0 or len(active) == 1:
        return [(state.active, Fraction(1))]
    inside = subsets(len(active), 1, len(active))
    sums = state.total[0, active].astype(int).tolist()
    width = int(policy.width(state.epoch, len(active))[0])
    sets = np.zeros((len(inside), policy.arms), dtype=np.bool_)
    sets[:, active] = inside
    return [
        (kept[None], chance)
        for kept, chance in zip(sets, kept_chances(sums, width, ratio, inside.tolist()), strict=True)
    ]


def largest_factor(left: Releases, right: Releases) -> Fraction:
    """By how much the chance of some release differs at most, between two runs that may release the same."""
    return max(max(left[each] / right[each], right[each] / left[each]) for each in left)


def hockey_stick(left: Releases, right: Releases, factor: Fraction) -> Fraction:
    """The least delta at eps = ln(factor), in both directions, exactly."""
    ways = ((left, right), (right, left))
    return max(
        sum((max(Fraction(0), one[each] - factor * other[each]) for each in one), Fraction(0)) for one, other in ways
    )


def at_the_whole_width(policy: IntegerDPSE) -> tuple[Ints, Ints]:
    """Two tables, (arms, horizon), on which the first epoch ends with arm 0 as far above the others as may be; and one
    reward more."""
    left = np.zeros((policy.arms, policy.horizon), dtype=np.int64)
    ones = int(policy.width(1, policy.arms))
    left[0, :ones] = 1
    right = left.copy()
    right[0, ones] = 1
    return left, right
