"""Thompson sampling for the Bernoulli bandit, with Beta priors: on no page, but what most public code is.

Thompson, On the Likelihood that One Unknown Probability Exceeds Another (Biometrika 25, 1933), has the posterior;
Agrawal and Goyal, Analysis of Thompson Sampling for the Multi-armed Bandit Problem (COLT 2012), Algorithm 1, the form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, betaincinv, betaln

from dpbandits.reference.checks import at_least
from dpbandits.reference.noise import Array, Noise
from dpbandits.reference.policy import RELATIVE, Ints, Law, Pulls, one_arm

AT_ONCE = 1 << 20  # numbers that the law of many states holds at once
DEEP = 900  # bits: chances are at least 2^-(T + K); above 2^-DEEP nothing that a double loses counts
FAINT = 2.0**-DEEP
ERROR = 1e-13  # relative, for every pull: logarithms of densities grow with them; measured, it is a quarter of this


class State(NamedTuple):
    """What is remembered: S_i and F_i."""

    successes: Ints  # (trials, arms). SECRET
    failures: Ints  # (trials, arms). SECRET


@dataclass(frozen=True)
class ThompsonSampling:
    """Algorithm 1 of Agrawal and Goyal: theta_i ~ Beta(S_i + 1, F_i + 1), and the largest is pulled.

    Rewards are 0 or 1. What to do with others is a choice of its own (a coin that shows 1 with the reward's chance is
    their Algorithm 2), so that they are refused.
    """

    arms: int
    horizon: int

    def __post_init__(self) -> None:
        at_least("N (arms)", self.arms, 1)
        at_least("T (horizon)", self.horizon, 1)

    @property
    def rewards(self) -> tuple[float, ...]:
        """The rewards that it is defined for."""
        return (0.0, 1.0)

    def init(self, trials: int) -> State:
        zero: Ints = np.zeros((trials, self.arms), dtype=np.int64)
        return State(zero, zero)

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        quantile = noise.uniform("theta", t, (self.arms,))
        theta = betaincinv(state.successes + 1, state.failures + 1, quantile)
        return Pulls.one(theta.argmax(axis=1), self.arms)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        won = np.rint(sums).astype(np.int64)
        wrong = (won != sums) | (won < 0) | (won > pulls.counts)
        if wrong.any():
            raise ValueError(
                f"step {t}: {pulls.counts[wrong][0]} pulls paid {sums[wrong][0]:g}; a Bernoulli bandit pays 0 or 1: "
                "round the rewards, or draw a coin for each"
            )
        return State(state.successes + won, state.failures + pulls.counts - won)

    def law(self, t: int, state: State) -> Law:
        """The exact law of act's arm."""
        each, place = np.unique(np.concatenate(state, axis=1), axis=0, return_inverse=True)
        chance = largest(each[:, : self.arms] + 1, each[:, self.arms :] + 1)
        blur = 0.0 if self.horizon + self.arms <= DEEP else FAINT
        return one_arm(chance[place.reshape(-1)], 1, max(RELATIVE, ERROR * (self.horizon + self.arms)), blur)


def largest(a: Ints, b: Ints) -> Array:
    """The chance of each of independent Beta(a_i, b_i) variables to be the largest, (states, arms). a, b: positive
    whole numbers, (states, arms).

    The density of one times the distribution functions of the others is a polynomial of degree sum(a + b) - arms - 1,
    which a Gauss-Legendre rule with half as many nodes integrates exactly. All its terms are positive, so that the
    error is relative, as long as nothing underflows: see ERROR.
    """
    states, arms = a.shape
    order = int((a + b).sum(axis=1).max()) // 2 + 1
    nodes, weights = np.polynomial.legendre.leggauss(order)
    low, high = (1 + nodes) / 2, (1 - nodes) / 2  # x and 1 - x; the weights add up to 2
    found = np.empty((states, arms))
    step = max(1, AT_ONCE // (order * arms))
    for first in range(0, states, step):
        some = slice(first, first + step)
        one, other = a[some, :, None], b[some, :, None]
        below = betainc(one, other, low)
        log_density = (one - 1) * np.log(low) + (other - 1) * np.log(high) - betaln(one, other)
        for arm in range(arms):
            others = np.delete(below, arm, axis=1).prod(axis=1)
            found[some, arm] = (weights / 2 * np.exp(log_density[:, arm]) * others).sum(axis=1)
    return found
