"""The error probability of DP-BAI with Bernoulli rewards, between two bounds, however small it is: in logarithms.

A noisy sum Y = B + Z, B binomial and Z of Laplace's law with scale 1/eps, has a distribution function in closed form,
by two recursions. On a grid of cells, the chance that one arm lies in a cell and others beyond it is between the values
at the two ends of the cell: everything is monotone, so no quadrature has to be believed. A phase that pulls all its
arms compares independent noisy sums; one that pulls two arms of a plane compares wedges of two of them, slice by slice.
The chain over active sets multiplies: rewards and noise of different phases are independent.

Rounding: every logarithm is taken to be good to SLACK, of which a binomial law takes most (10^6 units of a logarithm of
factorials), the recursions of n terms 2 n units, and differences of neighbouring values are taken with both ends moved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import beta, binom

from dpbandits.reference.environments import Bernoulli
from dpbandits.reference.noise import Array, Seeded, address
from dpbandits.reference.papers.chen24.algorithms import Elimination
from dpbandits.reference.papers.chen24.blocks import Plan
from dpbandits.reference.policy import play
from dpbandits.reference.selections.fans import fan

SLACK = 1e-7  # of every logarithm
NOTHING = -np.inf


class Between(NamedTuple):
    """The logarithm of a chance, at least and at most."""

    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Noisy:
    """B + Z, by the logarithms of what its distribution function is made of, at the integers from -1 to n + 1.

    left[k]: sum_{b <= k} p_b e^(-eps (k - b)). right[k]: sum_{b > k} p_b e^(-eps (b - k)). below, above: P(B <= k),
    P(B > k). Index 0 is k = -1.
    """

    eps: float
    n: int
    left: Array
    right: Array
    below: Array
    above: Array

    def logs(self, x: Array) -> tuple[Array, Array]:
        """log P(Y <= x), log P(Y > x); x: any shape, infinite allowed."""
        k = np.clip(np.floor(x), -1, self.n + 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            place = (k + 1).astype(np.int64)
            away = np.where(np.isfinite(x), x - k, np.where(x > 0, np.inf, -np.inf))
            # For x < -1, all of B lies above; e^(-eps (b - x)) = e^(-eps (b - k)) e^(eps (x - k)).
            left, right = self.left[place] - self.eps * away, self.right[place] + self.eps * away
            left, right = np.where(np.isnan(left), NOTHING, left), np.where(np.isnan(right), NOTHING, right)
            half = np.log(2.0)
            under = self.below[place] + np.log1p(-np.exp(np.minimum(left - self.below[place], 0.0)) / 2)
            over = self.above[place] + np.log1p(-np.exp(np.minimum(right - self.above[place], 0.0)) / 2)
            under, over = np.where(np.isnan(under), NOTHING, under), np.where(np.isnan(over), NOTHING, over)
            return np.minimum(np.logaddexp(under, right - half), 0.0), np.minimum(np.logaddexp(over, left - half), 0.0)

    def window(self, low: Array, high: Array) -> tuple[Array, Array]:
        """log P(low < Y <= high) at least and at most; -inf where high <= low."""
        (f_low, s_low), (f_high, s_high) = self.logs(low), self.logs(high)
        upper = s_low < f_high  # the smaller pair loses less
        big, small = np.where(upper, s_low, f_high), np.where(upper, s_high, f_low)
        found = []
        for way in (-1, 1):
            with np.errstate(invalid="ignore", divide="ignore"):
                gap = small - big - 2 * way * SLACK
                value = big + way * SLACK + np.log(-np.expm1(np.minimum(gap, 0.0)))
            found.append(np.where((high > low) & (big > NOTHING), np.nan_to_num(value, nan=NOTHING), NOTHING))
        return found[0], found[1]


@lru_cache(maxsize=64)
def noisy(n: int, mean: float, eps: float) -> Noisy:
    """The noisy sum of n rewards of Ber(mean)."""
    b = np.arange(-1, n + 2)
    log_p = np.where((b >= 0) & (b <= n), binom.logpmf(np.clip(b, 0, n), n, mean), NOTHING)

    def decayed(values: Array, rate: float) -> Array:
        """log sum_{j <= k} e^(values_j - rate (k - j)), by accumulation."""
        tilt = rate * np.arange(len(values))
        return np.asarray(np.logaddexp.accumulate(values + tilt) - tilt)

    shifted = np.append(log_p[1:], NOTHING)
    return Noisy(
        eps,
        n,
        decayed(log_p, eps),
        decayed(shifted[::-1], eps)[::-1] - eps,
        np.minimum(decayed(log_p, 0.0), 0.0),
        np.minimum(decayed(shifted[::-1], 0.0)[::-1], 0.0),
    )


def total(logs: Array) -> float:
    """log of a sum; a sum of n terms is good to n units, which SLACK has room for."""
    peak = float(np.max(logs, initial=NOTHING))
    return peak if peak == NOTHING else peak + float(np.log(np.exp(logs - peak).sum()))


def both(parts: Sequence[Between]) -> Between:
    return Between(total(np.array([each.low for each in parts])), total(np.array([each.high for each in parts])))


# -- one phase -------------------------------------------------------------------------------------------------------


def cells(sums: Sequence[Noisy], fine: int) -> Array:
    """Ends of the cells: fine to a unit and to a scale, from where e^-eps x is below all that counts; and infinite."""
    eps, n = sums[0].eps, sums[0].n
    far = (n + 60) / eps if eps > 1 else n + 60 / eps
    step = min(1.0, 1 / eps) / fine
    middle = np.arange(-far, n + far + step, step)
    return np.concatenate([[-np.inf], middle, [np.inf]])


def selected(sums: Sequence[Noisy], chosen: tuple[int, ...], fine: int) -> Between:
    """That exactly the chosen are on top, of independent noisy sums of the same n: the lowest of them is in a cell,
    the others of them above it, all others below."""
    ends = cells(sums, fine)
    logs = [each.logs(ends) for each in sums]
    parts = []
    for lowest in chosen:
        low, high = sums[lowest].window(ends[:-1], ends[1:])
        for other, (under, over) in enumerate(logs):
            if other == lowest:
                continue
            near, far = (over[1:], over[:-1]) if other in chosen else (under[:-1], under[1:])
            low, high = low + near - SLACK, high + far + SLACK
        parts.append(Between(total(low), total(high)))
    return both(parts)


def in_wedges(sums: Sequence[Noisy], wedges: Sequence[tuple[Any, Any]], fine: int) -> Between:
    """That (Y_0, Y_1) lies in one of these wedges at the origin, of which each lies in one quadrant."""
    ends = cells(sums, fine)
    ends = np.unique(np.concatenate([ends, [0.0]]))
    inner, outer = sums[0].window(ends[:-1], ends[1:])
    parts = []
    for sector in wedges:
        slopes = [np.inf if ray[0] == 0 else ray[1] / ray[0] for ray in sector]
        right = all(ray[0] >= 0 for ray in sector)
        up = any(ray[1] > 0 for ray in sector)
        mine = ends[:-1] >= 0 if right else ends[1:] <= 0
        x = np.stack([ends[:-1][mine], ends[1:][mine]])
        with np.errstate(invalid="ignore"):
            lines = []
            for slope in slopes:
                line = np.where(np.isinf(slope), np.inf if up else -np.inf, slope * x)
                lines.append(np.where(np.isnan(line), 0.0, line))
        bottom, top = np.minimum(*lines), np.maximum(*lines)
        # Of a cell: surely inside between the higher bottom and the lower top, surely outside beyond the others. Ends
        # are rounded twice, relatively.
        move = 1e-12 * (1 + np.abs(np.where(np.isfinite(bottom), bottom, 0.0)).max(axis=0))
        least, _ = sums[1].window(bottom.max(axis=0) + move, top.min(axis=0) - move)
        _, most = sums[1].window(bottom.min(axis=0) - move, top.max(axis=0) + move)
        parts.append(Between(total(inner[mine] + least), total(outer[mine] + most)))
    return both(parts)


def merged(cones: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Neighbouring cones of one quadrant as one wedge, rays in the order of their angles."""
    ordered = []
    for one, other in cones:
        ordered.append((one, other) if one[0] * other[1] - one[1] * other[0] > 0 else (other, one))
    first = dict(ordered)
    quadrant = {begin: (begin[0] + end[0] > 0, begin[1] + end[1] > 0) for begin, end in ordered}
    out = []
    inner = {end for begin, end in ordered if end in first and quadrant[end] == quadrant[begin]}
    for begin in first:
        if begin in inner:
            continue
        end = first[begin]
        while end in inner:
            end = first[end]
        out.append((begin, end))
    return out


# -- the chain -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Chain:
    """A DP-BAI policy on Bernoulli arms. means: (arms,), as features . theta. fine: cells for a unit."""

    policy: Elimination
    means: tuple[float, ...]
    fine: int = 8

    @property
    def best(self) -> int:
        return int(np.argmax(self.means))

    def sums(self, plan: Plan) -> list[Noisy]:
        eps = self.policy.spread.eps  # type: ignore[attr-defined]
        return [noisy(self.policy.each(len(plan.pulled)), self.means[arm], eps) for arm in plan.pulled]

    def kept(self, plan: Plan, size: int) -> dict[tuple[int, ...], Between]:
        """The sets that a phase may keep with the best arm in them, and their chances; with the key (), that it goes.
        ValueError where a phase pulls some of its arms, more than two."""
        sums, found = self.sums(plan), {}
        lost = []
        if plan.whole:
            for places in combinations(range(len(plan.active)), size):
                arms = tuple(plan.active[place] for place in places)
                chance = selected(sums, places, self.fine)
                if self.best in arms:
                    found[arms] = chance
                else:
                    lost.append(chance)
        else:
            if len(sums) > 2:
                raise ValueError(f"a phase pulls {len(sums)} of its arms: followed are 1, of a line, and 2, of a plane")
            space = fan(tuple(map(tuple, plan.alpha.tolist())), size)
            gone: list[Any] = []
            for chosen, cones in zip(space.sets, space.cones, strict=True):
                arms = tuple(plan.active[place] for place in np.flatnonzero(chosen))
                if self.best in arms:
                    found[arms] = self.inside(sums, cones)
                else:
                    gone += cones
            lost.append(self.inside(sums, gone))
        return {**found, (): both(lost)}

    def inside(self, sums: list[Noisy], cones: Sequence[Any]) -> Between:
        """That the noisy sums, one or two of them, lie in one of the cones."""
        if len(sums) == 2:
            return in_wedges(sums, merged(cones), self.fine)
        under, over = (float(side) for side in sums[0].logs(np.array(0.0)))
        side = total(np.array([over if sign > 0 else under for ((sign,),) in cones]))
        return Between(side - SLACK, side + SLACK)

    def error(self) -> Between:
        """P(the recommended arm is not the best one)."""
        sizes = self.policy.plan.sizes
        now: dict[tuple[int, ...], Between] = {tuple(range(self.policy.arms)): Between(0.0, 0.0)}
        lost: list[Between] = []
        for size in sizes[1:]:
            after: dict[tuple[int, ...], list[Between]] = {}
            for active, chance in now.items():
                for arms, share in self.kept(self.policy.planned(active), size).items():
                    step = Between(chance.low + share.low, min(chance.high, 0.0) + min(share.high, 0.0))
                    if arms:
                        after.setdefault(arms, []).append(step)
                    else:
                        lost.append(step)
            now = {arms: both(parts) for arms, parts in after.items()}
        return both(lost)


def hardness(chain: Chain) -> tuple[float, float]:
    """H_BAI and H_pri of (15)."""
    gaps = np.sort(chain.means[chain.best] - np.array(chain.means))
    places = np.arange(2, min(chain.policy.dimension**2, len(gaps)) + 1)
    eps = chain.policy.spread.eps  # type: ignore[attr-defined]
    return float((places / gaps[places - 1] ** 2).max()), float((places / gaps[places - 1]).max()) / eps


def simulated(chain: Chain, runs: int, seed: int) -> int:
    """How many of so many runs recommend another arm."""
    wrong, block = 0, 20_000
    for start in range(0, runs, block):
        many = min(block, runs - start)
        noise = Seeded(address(seed, "chen24 errors", start), many)
        played = play(chain.policy, Bernoulli(chain.means), noise, many, keep=False)
        wrong += int((played.answers != chain.best).sum())
    return wrong


def clopper_pearson(successes: int, runs: int, level: float) -> tuple[float, float]:
    """Limits of a probability that hold together but for the probability `level`."""
    low = beta.ppf(level / 2, successes, runs - successes + 1) if successes else 0.0
    high = beta.ppf(1 - level / 2, successes + 1, runs - successes) if successes < runs else 1.0
    return float(low), float(high)
