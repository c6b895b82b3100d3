"""The regret of the compared policies: runs on families of arms, and simultaneous confidence bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpbandits.audit.play.runs import side_by_side
from dpbandits.audit.statistics.expectation import mean_limits_by_clopper_pearson, mean_limits_by_staking
from dpbandits.extensions.comparison import document as d
from dpbandits.extensions.comparison.candidates import Entrant
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.bandits.quantities import ERROR_PROBABILITY, PSEUDO_REGRET
from dpbandits.reference.bandits.recommendations import answers

IN_TURNS = d.Candidate(
    name="arms in turns",
    paper="",
    title="no paper",
    standing=d.BASELINE,
    why="Reads no reward, so that nothing is lost: what a private policy has to beat.",
    parameters={},
    promise=None,
)


def families(arms: int) -> tuple[d.Family, ...]:
    """Families of arms with rewards 0 or 1. The best arm is the last one, so that no policy profits from ties, or from
    an incomplete last turn of pulling the arms in turn: both favour the first arm."""
    others = (0.5,) * (arms - 1)
    evenly = tuple(round(float(mean), 9) for mean in np.linspace(0.1, 0.9, arms))
    return (
        d.Family("one arm better by 0.1", (*others, 0.6)),
        d.Family("one arm better by 0.3", (*others, 0.8)),
        d.Family("evenly from 0.1 to 0.9", evenly),
    )


def quantity_of_runs(policy: Policy, means: tuple[float, ...], runs: int, seed: int) -> Array:
    """The quantity of each run of a policy, (runs,), on arms with rewards 0 or 1. All policies receive the same reward
    numbers."""
    arms = Bernoulli(means)
    (found,) = side_by_side((policy,), arms, runs, seed)
    return (ERROR_PROBABILITY if answers(policy) else PSEUDO_REGRET).of(policy, arms, found)


def most_regret(family: d.Family, horizon: int) -> float:
    return horizon * (max(family.means) - min(family.means))


def in_turns(family: d.Family, horizon: int) -> d.Measured:
    """The exact regret of pulling the arms in turn."""
    best, arms = max(family.means), len(family.means)
    cost = sum((best - mean) * ((horizon - arm - 1) // arms + 1) for arm, mean in enumerate(family.means))
    return d.Measured(IN_TURNS.name, family.name, d.OF_REGRET, cost, cost, cost, most_regret(family, horizon))


def measured_row(entrant: Entrant, family: d.Family, values: Array, horizon: int, level: float) -> d.Measured:
    """A row of the table. level: the probability with which each of its limits may be wrong."""
    if answers(entrant.policy):
        most, quantity, limits = 1.0, d.MISSED, mean_limits_by_clopper_pearson(values, 0.0, 1.0, level)
    else:
        most, quantity = most_regret(family, horizon), d.OF_REGRET
        limits = mean_limits_by_staking(values, 0.0, most, level)
    low, high = max(0.0, limits.low), min(most, limits.high)
    return d.Measured(entrant.candidate.name, family.name, quantity, limits.mean, low, high, most)


def certified_orders(rows: Sequence[d.Measured]) -> tuple[d.Order, ...]:
    """All differences of regret that the limits certify."""
    regrets = [row for row in rows if row.quantity == d.OF_REGRET]
    return tuple(
        d.Order(one.family, one.policy, other.policy, other.low - one.high)
        for one in regrets
        for other in regrets
        if one.family == other.family and one.high < other.low
    )
