"""Quantities that are measured in runs with random arms, such as regret; a paper's module may define its own.

A quantity defines its value in every run, its range, and the possible range of its expectation. The ranges determine
how the expectation is certified. A run is a `Runs` row: pulls, rewards, answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from dpbandits.reference.bandits.environments import Environment
from dpbandits.reference.bandits.noise import Array, Ints
from dpbandits.reference.bandits.reward_ranges import reward_range

if TYPE_CHECKING:
    from dpbandits.reference.bandits.policy import Policy

Range = tuple[float, float]


class HasMeans(Environment, Protocol):
    """An environment whose arms have mean rewards."""

    @property
    def means(self) -> Sequence[float]:
        """The mean of every arm."""
        ...


class Runs(NamedTuple):
    """The total pulls and rewards of each arm, and the final answer, one row per run."""

    pulls: Ints  # (runs, arms)
    sums: Array  # (runs, arms)
    answers: Ints  # (runs,); -1 from a policy that gives none


@dataclass(frozen=True)
class Quantity:
    """A number that every run of a policy against an environment has.

    name: in words, as claims and findings print it. of: (policy, environment, runs) -> (runs,). span: (policy,
    environment) -> the range of its values; None if it is unknown: the quantity can then be compared, but bounds on its
    expectation cannot be checked. means: (policy, environment) -> the range of the expectations that policies can have,
    None for the span: bounds beyond it hold trivially. two_valued: whether every run is at one of the two ends of the
    span, so that the expectation is a probability.
    """

    name: str
    of: Callable[[Policy, HasMeans, Runs], Array]
    span: Callable[[Policy, HasMeans], Range] | None = None
    means: Callable[[Policy, HasMeans], Range] | None = None
    two_valued: bool = False

    def __str__(self) -> str:
        """The name of the quantity."""
        return self.name


def demand_quantity(value: object) -> None:
    """Raises TypeError if the value is not a Quantity."""
    if not isinstance(value, Quantity):
        raise TypeError(
            f"the quantity is {value!r}; give a Quantity of dpbandits.pages, such as PSEUDO_REGRET, or a Quantity of "
            "your own"
        )


# -- regret ------------------------------------------------------------------------------------------------------


def gaps(environment: HasMeans) -> Array:
    """The difference between the best mean and each arm's mean, (arms,)."""
    means = np.asarray(environment.means, dtype=np.float64)
    return np.asarray(means.max() - means)


def weighted(pulls: Ints, environment: HasMeans) -> Array:
    """The regret sum_i gap_i n_i of each row of pull counts n, (rows,).
    Unlike a matrix product, this gives the same number for the same pulls in any row, which ties between settings
    require."""
    return np.asarray((pulls * gaps(environment)).sum(axis=1))


def pseudo_regret(policy: Policy, environment: HasMeans, runs: Runs) -> Array:
    """The pseudo-regret sum_i gap_i n_i of each run, (runs,), for n_i pulls of arm i."""
    return weighted(runs.pulls, environment)


def realised_regret(policy: Policy, environment: HasMeans, runs: Runs) -> Array:
    """The realised regret of each run: the largest mean times T, minus the rewards received."""
    return np.asarray(max(environment.means) * runs.pulls.sum(axis=1) - runs.sums.sum(axis=1))


def regret_span(policy: Policy, environment: HasMeans) -> Range:
    """The range of regret: every round costs at most the largest gap."""
    return 0.0, float(policy.horizon * gaps(environment).max())


def realised_span(policy: Policy, environment: HasMeans) -> Range:
    """The smallest and the largest possible realised regret of a run.
    Every reward lies in the environment's range, and a policy may leave part of its horizon unused. Raises ValueError
    for arms whose rewards have no finite range."""
    best, (low, high) = max(environment.means), reward_range(environment)
    return float(min(best - high, 0) * policy.horizon), float(max(best - low, 0) * policy.horizon)


PSEUDO_REGRET = Quantity("pseudo-regret", pseudo_regret, regret_span)
REGRET = Quantity("regret", realised_regret, realised_span, means=regret_span)


# -- answers -----------------------------------------------------------------------------------------------------


def final_answers(policy: Policy, runs: Runs) -> Ints:
    """The final answer of each run, (runs,). Raises ValueError if a run gave none."""
    if (runs.answers < 0).any():
        raise ValueError(
            f"{type(policy).__name__} gives no final recommendation in run "
            f"{int((runs.answers < 0).argmax())}; a policy that recommends an arm sets answers = True and "
            "returns Pulls.answer(arm, arms) after the last pull"
        )
    return runs.answers


def wrong_answer(policy: Policy, environment: HasMeans, runs: Runs) -> Array:
    """For each run 1 if the recommended arm is not a best one, otherwise 0, (runs,)."""
    return np.asarray(gaps(environment)[final_answers(policy, runs)] > 0, dtype=np.float64)


def answer_gap(policy: Policy, environment: HasMeans, runs: Runs) -> Array:
    """The difference between the best mean and the mean of the recommended arm, in each run."""
    return np.asarray(gaps(environment)[final_answers(policy, runs)])


def gap_span(policy: Policy, environment: HasMeans) -> Range:
    """The range of a gap: from 0 to the largest gap."""
    return 0.0, float(gaps(environment).max())


def unit_span(policy: Policy, environment: HasMeans) -> Range:
    """The range of a probability or indicator: from 0 to 1."""
    return 0.0, 1.0


ERROR_PROBABILITY = Quantity("error probability", wrong_answer, unit_span, two_valued=True)
SIMPLE_REGRET = Quantity("simple regret", answer_gap, gap_span)
