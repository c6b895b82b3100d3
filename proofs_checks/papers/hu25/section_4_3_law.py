"""The exact law of the arms that DP-TS-UCB releases on a fixed reward table: ground truth for tiny instances.

DP-TS-UCB has no `law`: the maxima that it repeats are hidden, and depend on which arms were released before. But all
that a transcript says about the hidden samples is who won each round: the arms' values theta are maxima over *sets*
of independent normal samples (and over the constant that MAX starts from), and the winner is the arm whose set holds
the largest element of all. So sweep a level x upwards. F_D(x) is the probability that the samples in D lie below x in
an order that agrees with the transcript so far, where a round is decided by the last element of its sets to be
passed:

    F_D(x) = sum over v in D of int_{-inf}^x density_v(y) F_{D - v}(y) dy,

over those v that may come last: every round whose elements are all in D, with v among them, was won by v's arm. The
constant is an element at a fixed level. F of all samples at infinity is the transcript's probability: integrals over
one variable only, whatever the number of rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.linear import legendre, solve_linear_system
from dpbandits.reference.arithmetic.linear import matrix_product as matrix_product
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.papers.hu25 import DPTSUCB

CONSTANT = -1  # the element that MAX starts from
REACH = 9.0  # standard deviations: beyond them lies less than 1e-18


class Sample(NamedTuple):
    """One fresh theta: a normal variable of this arm."""

    arm: int
    mean: float
    deviation: float


class Round(NamedTuple):
    """One free round: the elements whose maximum each arm offers, and the arm released."""

    offers: tuple[frozenset[int], ...]
    winner: int

    def decided_by(self, last: int) -> int:
        """The arm that wins if this element is the largest; of equals (the constant, twice) the lowest."""
        return next(arm for arm, offer in enumerate(self.offers) if last in offer)


@dataclass
class Arm:
    """Algorithm 1's bookkeeping of one arm, along a transcript."""

    mean: float
    left: float
    used: int = 1
    pulls: int = 1
    waiting: list[float] = field(default_factory=list)
    drawn: set[int] = field(default_factory=set)  # samples of this epoch


def rounds(policy: DPTSUCB, rewards: Array, transcript: tuple[int, ...]) -> tuple[list[Sample], list[Round]]:
    """The samples that are drawn along a transcript of the rounds K + 1 to T, and what each round compared.

    rewards: (arms, length), the pull-indexed table."""
    phi = float(policy.phi)
    arms = [Arm(float(rewards[i, 0]), phi) for i in range(policy.arms)]
    start = {CONSTANT} if np.isfinite(policy.floor) else set()
    samples: list[Sample] = []
    played: list[Round] = []
    for winner in transcript:
        offers: list[frozenset[int]] = []
        for number, arm in enumerate(arms):
            if arm.left >= 1:
                samples.append(Sample(number, arm.mean, float(np.sqrt(policy.variance / arm.used))))
                arm.drawn.add(len(samples) - 1)
                arm.left -= 1
                offers.append(frozenset({len(samples) - 1}))
            else:
                offers.append(frozenset(arm.drawn | start))
        played.append(Round(tuple(offers), winner))
        arm = arms[winner]
        arm.waiting.append(float(rewards[winner, arm.pulls]))
        arm.pulls += 1
        if len(arm.waiting) == 2 * arm.used:
            used = len(arm.waiting)
            arms[winner] = Arm(sum(arm.waiting) / used, phi, used, arm.pulls)
    return samples, played


class Grid(NamedTuple):
    """Panels of Gauss-Legendre nodes; `sums` integrates from a panel's start to each of its nodes and to its end."""

    nodes: Array  # (panels, nodes)
    width: float
    sums: Array  # (nodes + 1, nodes)


def grid(low: float, high: float, panels: int, order: int) -> Grid:
    points, _ = legendre(order)
    powers = np.arange(order)
    ends = np.append(points, 1.0)
    moments = (np.vander(ends, order + 1, increasing=True)[:, 1:] - (-1.0) ** (powers + 1)) / (powers + 1)
    sums = solve_linear_system(np.vander(points, order, increasing=True).T, moments.T).T
    width = (high - low) / panels
    middle = low + width * (np.arange(panels) + 0.5)
    return Grid(middle[:, None] + points * width / 2, width, sums)


def cumulative(values: Array, on: Grid, start: float) -> tuple[Array, float]:
    """start + the integral up to every node, and up to the grid's end."""
    parts = matrix_product(values, on.sums.T) * (on.width / 2)
    ends = start + np.cumsum(parts[:, -1])
    begins = np.concatenate([[start], ends[:-1]])
    return begins[:, None] + parts[:, :-1], float(ends[-1])


def probability(
    policy: DPTSUCB, rewards: Array, transcript: tuple[int, ...], panels: int = 24, order: int = 10
) -> float:
    """The probability of one transcript of the free rounds. panels: on either side of the constant."""
    samples, played = rounds(policy, rewards, transcript)
    return jointly(samples, played, policy.floor, panels, order)


def jointly(samples: list[Sample], played: list[Round], floor: float, panels: int = 24, order: int = 10) -> float:
    """The probability that these rounds were won by their winners; rounds that share no sample are independent."""
    found = 1.0
    for part in separate(played):
        elements = sorted(frozenset().union(*(offer for each in part for offer in each.offers)) - {CONSTANT})
        place = {CONSTANT: CONSTANT} | {v: k for k, v in enumerate(elements)}
        renamed = [Round(tuple(frozenset(place[v] for v in o) for o in each.offers), each.winner) for each in part]
        found *= hanging_together([samples[v] for v in elements], renamed, floor, panels, order)
    return found


def separate(played: list[Round]) -> list[list[Round]]:
    """The rounds, in groups of which no two share a sample."""
    groups: list[tuple[frozenset[int], list[Round]]] = []
    for each in played:
        drawn, mine = frozenset().union(*each.offers) - {CONSTANT}, [each]
        apart = []
        for others, group in groups:
            if others & drawn:
                drawn, mine = drawn | others, [*group, *mine]
            else:
                apart.append((others, group))
        groups = [*apart, (drawn, mine)]
    return [group for _, group in groups]


def hanging_together(samples: list[Sample], played: list[Round], floor: float, panels: int, order: int) -> float:
    """The probability of rounds that all fit together."""
    level = floor if np.isfinite(floor) else 0.0
    low = min([level - 1, *(each.mean - REACH * each.deviation for each in samples)])
    high = max([level + 1, *(each.mean + REACH * each.deviation for each in samples)])
    sides = (grid(low, level, panels, order), grid(level, high, panels, order))
    density = [
        [
            el.exp(-0.5 * ((side.nodes - each.mean) / each.deviation) ** 2) / (each.deviation * np.sqrt(2 * np.pi))
            for each in samples
        ]
        for side in sides
    ]
    elements = [frozenset().union(*each.offers) for each in played]

    def may_come_last(last: int, below: frozenset[int]) -> bool:
        """Whether the rounds that `last` decides, when it is passed after those below, were won by its arm."""
        passed = below | {last}
        return all(
            each.decided_by(last) == each.winner
            for each, needed in zip(played, elements, strict=True)
            if last in needed and needed <= passed
        )

    below: dict[int, tuple[Array, float]] = {}  # by the set of samples: F below the constant's level, and at it
    above: dict[int, tuple[Array, float]] = {}  # the same above it, the constant being passed
    for mask in range(1 << len(samples)):
        inside = frozenset(v for v in range(len(samples)) if mask >> v & 1)
        zero = np.zeros_like(sides[0].nodes)
        under, over = zero.copy(), zero.copy()
        for v in inside:
            rest = mask ^ 1 << v
            if rest in below and may_come_last(v, inside - {v}):
                under = under + density[0][v] * below[rest][0]
            if rest in above and may_come_last(v, (inside - {v}) | {CONSTANT}):
                over = over + density[1][v] * above[rest][0]
        below[mask] = cumulative(under, sides[0], 1.0 if mask == 0 else 0.0)
        passes = below[mask][1] if may_come_last(CONSTANT, inside) else 0.0
        above[mask] = cumulative(over, sides[1], passes)
    return above[(1 << len(samples)) - 1][1]


def transcripts(policy: DPTSUCB) -> Iterator[tuple[int, ...]]:
    """All releases of the free rounds."""
    return product(range(policy.arms), repeat=policy.horizon - policy.arms)


def law(policy: DPTSUCB, rewards: Array, panels: int = 24, order: int = 10) -> Array:
    """The probabilities of `transcripts(policy)`, in their order."""
    return laws(policy, panels, order)(rewards)


def laws(policy: DPTSUCB, panels: int, order: int) -> Callable[[Array], Array]:
    """`law` of many tables: transcripts that use the same rewards of them are integrated once."""

    @cache
    def chance(samples: tuple[Sample, ...], played: tuple[Round, ...]) -> float:
        return jointly(list(samples), list(played), policy.floor, panels, order)

    def of(rewards: Array) -> Array:
        parts = (rounds(policy, rewards, each) for each in transcripts(policy))
        return np.array([chance(tuple(samples), tuple(played)) for samples, played in parts])

    return of
