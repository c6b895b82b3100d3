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
    """One step of one run: among these arms, those are selected whose noisy values are within a width of the largest,
    or the top few. The release pulls exactly the selected arms, or it is the selected arm if it is the answer.

    The centre of an arm's value is the sum of its `latest` most recent rewards, with those beyond `bound` counted as 0,
    divided by its divisor. noise: "laplace" or "gaussian", independent, with these scales. rule: "within" or "top";
    size: the width, or the number of selected arms.

    If the arms share noisy values, divisors and scales have one entry for each value, and latest one for each arm in
    `heard` (None: the arms). mixed: the coefficients of the heard arms' sums in each value, (values, heard); None: one
    value for each arm. weights: the coefficients of the values in each arm's own value, (arms, values); the first of
    equal arms is selected. None: one value for each arm. within: a bound on the rounding errors of `mixed` and
    `weights`, as a fraction of the largest entry of each, and of the scales, as a fraction of each: a certificate then
    holds for all such numbers. For arms that share values.
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
    """Declares one step of Thompson sampling with normal samples: the arm with the largest sample is selected.
    latest: the number of rewards in each arm's mean; divisors: the divisors of the sums of these rewards; deviations:
    the standard deviations of the samples; each (arms,)."""
    arms = tuple(range(len(latest)))
    whole = tuple(int(many) for many in latest)
    return Selecting("gaussian", "top", 1, arms, whole, tuple(map(float, divisors)), tuple(map(float, deviations)))


@runtime_checkable
class Selects(Protocol):
    """A policy that declares how noise selects its releases: selecting(t, state), for a state of one trial; None if the
    release of step t is certain. It depends only on the pulls so far, not on their rewards."""

    def selecting(self, t: int, state: State) -> Selecting | None:
        """The selection by noise that determines the release of step t; None if the release is certain."""


class Comparing(NamedTuple):
    """One step of an index policy with two arms: it releases counts[s, o] exactly if X_0 - X_1 lies between low[s, o]
    and high[s, o], where X_i is the noisy mean that the policy stores for arm i.

    counts: (states, outcomes, arms); an outcome with low >= high cannot happen. low, high: (states, outcomes); infinite
    if nothing is compared. The intervals of a state's outcomes cover the line once.
    """

    counts: Ints
    low: Array
    high: Array


@runtime_checkable
class Compares(Policy, Protocol):
    """A policy that stores a secret noisy mean of each arm, draws some of them again in a step (`noisy`, with one value
    for each arm, and scale 0 for those not drawn), and releases only how they compare: compares(t, state), for two
    arms."""

    def noisy(self, t: int, state: State) -> Noisy:
        """The centres and scales of the noisy means that are compared in step t."""

    def compares(self, t: int, state: State) -> Comparing:
        """The intervals for the difference of two noisy means, each with the release that it causes."""


class LinearRule(NamedTuple):
    """A bandit with contexts that explores with ridge regressions, one for each arm, or one for all (`shared`).

    A is ridge times the identity plus the sum of x x' over its pulls, b the sum of r x; the predicted reward of an arm
    is x'A^-1 b, with deviation width sqrt(x'A^-1 x). rule: "ucb" (the arm with the largest sum of both, the first of
    equal ones) or "thompson" (the arm with the largest normal sample: independent samples, or x times a sample of the
    parameter if arms share it; the first if all are equal).
    """

    rule: str
    width: float
    ridge: float = 1.0
    shared: bool = False


@runtime_checkable
class SaysLinearRule(Protocol):
    """A policy that declares itself a linear bandit of one of these kinds. Its law allows certificates of
    violations."""

    @property
    def linear_rule(self) -> LinearRule:
        """The rule by which the policy explores, with its parameters."""
