"""Declarations of how a release follows from noise, for policies whose steps are written into certificates.

A step selects some arms, reveals the comparison of two hidden values, or is a step of a linear bandit."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple, Protocol, runtime_checkable

from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.noisy_values import Noisy
from dpbandits.reference.bandits.passing import State
from dpbandits.reference.bandits.policy import Ints, Policy

WeightRows = tuple[tuple[float, ...], ...]


class Selecting(NamedTuple):
    """One step of one run: of these arms, those are kept whose noisy values are within a width of the largest, or the
    top few; the release pulls who is kept, and nobody else, or is who is kept, where it is the answer.

    The centre of an arm's value is the sum of so many of its latest rewards, those beyond `bound` counted as 0, over
    its divisor. noise: "laplace" or "gaussian", independent, of these scales. rule: "within" or "top"; size: the width,
    or how many are kept.

    Where the arms share noisy values, divisors and scales are one for each value, and latest one for each arm in
    `heard` (None: the arms). mixed: of the heard arms' sums in each value, (values, heard); None: each its own.
    weights: of the values in each arm's own, (arms, values); of equal arms the first is kept. None: each its own.
    within: what rounding may have made of `mixed` and `weights`, as a share of the largest of each, and of the scales,
    as a share of themselves: a certificate then holds for all such numbers. For arms that share values.
    """

    noise: str
    rule: str
    size: float
    arms: tuple[int, ...]
    latest: tuple[int, ...]
    divisors: tuple[float, ...]
    scales: tuple[float, ...]
    bound: float = inf
    heard: tuple[int, ...] | None = None
    mixed: WeightRows | None = None
    weights: WeightRows | None = None
    within: float = 0.0


def sampled(
    latest: Sequence[int] | Ints, divisors: Sequence[float] | Array, deviations: Sequence[float] | Array
) -> Selecting:
    """One step of Thompson sampling with normal samples: the largest alone. latest: of how many rewards each arm's mean
    is; divisors: over what; deviations: standard; each (arms,)."""
    arms = tuple(range(len(latest)))
    whole = tuple(int(many) for many in latest)
    return Selecting("gaussian", "top", 1, arms, whole, tuple(map(float, divisors)), tuple(map(float, deviations)))


@runtime_checkable
class Selects(Protocol):
    """A policy that says how noise selects what it releases: selecting(t, state), for a state of one trial; None where
    the release of step t is certain. It hangs on the pulls so far alone, not on what they paid."""

    def selecting(self, t: int, state: State) -> Selecting | None: ...


class Comparing(NamedTuple):
    """One step of an index policy of two arms: it releases counts[s, o] exactly where X_0 - X_1 lies between low[s, o]
    and high[s, o], X_i the noisy mean that the policy holds of arm i.

    counts: (states, outcomes, arms); an outcome with low >= high cannot happen. low, high: (states, outcomes); the
    infinities where nothing is compared. The intervals of a state's outcomes cover the line once.
    """

    counts: Ints
    low: Array
    high: Array


@runtime_checkable
class Compares(Policy, Protocol):
    """A policy that holds a noisy mean of each arm in secret, draws some of them anew (`noisy`, of one value an arm, no
    scale where it is not), and releases nothing but how they compare: compares(t, state), for two arms."""

    def noisy(self, t: int, state: State) -> Noisy: ...

    def compares(self, t: int, state: State) -> Comparing: ...


class LinearRule(NamedTuple):
    """A bandit with contexts that explores with ridge regressions, one for each arm, or one for all (`shared`).

    A is ridge times the identity plus the sum of x x' over its pulls, b the sum of r x; an arm is predicted to pay
    x'A^-1 b, to within a deviation width sqrt(x'A^-1 x). rule: "ucb" (the arm with the largest sum of both, the first
    of equal ones) or "thompson" (with the largest of normal samples: independent ones, or x times a sample of the
    parameter where arms share it; the first where all are equal).
    """

    rule: str
    width: float
    ridge: float = 1.0
    shared: bool = False


@runtime_checkable
class SaysLinearRule(Protocol):
    """A policy that is a linear bandit of these kinds, and says so. With a law: certificates of violations."""

    @property
    def linear_rule(self) -> LinearRule: ...
