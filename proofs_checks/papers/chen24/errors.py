"""The error probability of DP-BAI with Bernoulli rewards, between two bounds in logarithms, so that it may be
arbitrarily small.

A noisy sum Y = B + Z, B binomial and Z of Laplace's law with scale 1/eps, has a distribution function in closed form,
by two recursions. On a grid of cells, the chance that one arm lies in a cell and others beyond it is between the values
at the two ends of the cell: everything is monotone, so no quadrature has to be believed. A phase that pulls all its
arms compares independent noisy sums; one that pulls two arms of a plane compares wedges of two of them, slice by slice;
one that pulls three is followed in `spaces`.
The chain over active sets multiplies: rewards and noise of different phases are independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import scipy  # whose submodules are imported where they are first used

from dpbandits.proofs_checks.papers.chen24.noisy_sums import SLACK, Between, Noisy, both, cells, noisy, total
from dpbandits.proofs_checks.papers.chen24.spaces import in_space
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.noise import Seeded, address
from dpbandits.reference.bandits.play import play
from dpbandits.reference.papers.chen24.algorithms.blocks import Plan
from dpbandits.reference.papers.chen24.algorithms.dp_bai import Elimination
from dpbandits.reference.papers.chen24.algorithms.fans import fan

# -- one phase -------------------------------------------------------------------------------------------------------


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
        ValueError where a phase pulls some of its arms, more than three."""
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
            if len(sums) > 3:
                raise ValueError(f"a phase pulls {len(sums)} of its arms; 1, 2 or 3 are supported")
            if len(sums) == 3:
                for chosen, chance in zip(*in_space(sums, plan.alpha, size, 16 * self.fine), strict=True):
                    arms = tuple(plan.active[place] for place in np.flatnonzero(chosen))
                    if self.best in arms:
                        found[arms] = chance
                    else:
                        lost.append(chance)
                return {**found, (): both(lost)}
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
    """The number of runs that recommend an arm other than the best."""
    wrong, block = 0, 20_000
    for start in range(0, runs, block):
        many = min(block, runs - start)
        noise = Seeded(address(seed, "chen24 errors", start), many)
        played = play(chain.policy, Bernoulli(chain.means), noise, many, keep=False)
        wrong += int((played.answers != chain.best).sum())
    return wrong


def clopper_pearson(successes: int, runs: int, level: float) -> tuple[float, float]:
    """Confidence limits of a probability; both hold except with probability `level`."""
    low = scipy.stats.beta.ppf(level / 2, successes, runs - successes + 1) if successes else 0.0
    high = scipy.stats.beta.ppf(1 - level / 2, successes + 1, runs - successes) if successes < runs else 1.0
    return float(low), float(high)
