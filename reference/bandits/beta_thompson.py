"""Thompson sampling for the Bernoulli bandit, with Beta priors. It belongs to none of the papers checked here, but most
public libraries implement it.

The posterior: Thompson, On the Likelihood that One Unknown Probability Exceeds Another (Biometrika 25, 1933). The
algorithm: Agrawal and Goyal, Analysis of Thompson Sampling for the Multi-armed Bandit Problem (COLT 2012), Algorithm 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, betaln

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import at_least, normalize_numeric_fields
from dpbandits.reference.arithmetic.linear import legendre
from dpbandits.reference.bandits.noise import Array, Noise, frozen
from dpbandits.reference.bandits.policy import RELATIVE, Ints, Law, Pulls, one_arm
from dpbandits.reference.bandits.release_laws import betas

AT_ONCE = 1 << 20  # numbers that the law of many states holds at once
MAX_UNBLURRED_BITS = 900  # bits: chances are at least 2^-(T + K); above 2^-DEEP nothing that a double loses counts
FAINT_BLUR = 2.0**-MAX_UNBLURRED_BITS
MAX_EXACT_PULLS = 2048  # pulls and arms: for more of them the law is no longer integrated exactly, but
COARSE_BLUR = 2.0**-64  # within so much
ORDER_MULTIPLE = 32  # orders above are rounded up to a multiple, so that the steps of a run share few rules
ERROR = 1e-13  # relative, for every pull: logarithms of densities grow with them; measured, it is a quarter of this


class State(NamedTuple):
    """The counts S_i and F_i of successes and failures."""

    successes: Ints  # (trials, arms). SECRET
    failures: Ints  # (trials, arms). SECRET


@dataclass(frozen=True)
class ThompsonSampling:
    """Algorithm 1 of Agrawal and Goyal: theta_i ~ Beta(S_i + 1, F_i + 1), and the arm with the largest theta_i is
    pulled.

    Rewards are 0 or 1. Other rewards are refused, because they require a further choice (their Algorithm 2 tosses a
    coin that shows 1 with the reward as probability).
    """

    arms: int
    horizon: int

    def __post_init__(self) -> None:
        """Raises ValueError unless the number of arms and the horizon are integers of at least 1."""
        normalize_numeric_fields(self)
        at_least("N (arms)", self.arms, 1)
        at_least("T (horizon)", self.horizon, 1)

    @property
    def reward_range(self) -> frozenset[float]:
        """The rewards for which the policy is defined; no others are accepted."""
        return frozenset({0.0, 1.0})

    def init(self, trials: int) -> State:
        """The state before the first step: no rewards of 1 and no rewards of 0 for any arm."""
        zero: Ints = np.zeros((trials, self.arms), dtype=np.int64)
        return State(zero, zero)

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        """Pulls the arm with the largest sample of the Beta posteriors."""
        quantile = noise.uniform("theta", t, (self.arms,))
        won, lost = (part.astype(np.float64) for part in state)
        return Pulls.one(betas.largest_sample(won + 1, lost + 1, quantile), self.arms)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        """The numbers of rewards 1 and 0 of every arm after step t. Raises ValueError for other rewards."""
        won = np.rint(sums).astype(np.int64)
        wrong = (won != sums) | (won < 0) | (won > pulls.counts)
        if wrong.any():
            raise ValueError(
                f"step {t}: the sum of rewards is {sums[wrong][0]:g} for a pull count of "
                f"{pulls.counts[wrong][0]}, but Beta posteriors need rewards of 0 or 1; round the rewards, "
                "or replace each reward r by a Bernoulli draw with mean r"
            )
        return State(state.successes + won, state.failures + pulls.counts - won)

    def law(self, t: int, state: State) -> Law:
        """The exact law of the arm that `act` releases."""
        each, place = np.unique(np.concatenate(state, axis=1), axis=0, return_inverse=True)
        size = self.horizon + self.arms
        absolute_error = 0.0 if size <= MAX_UNBLURRED_BITS else FAINT_BLUR if size <= MAX_EXACT_PULLS else COARSE_BLUR
        chance = argmax_chances(
            each[:, : self.arms] + 1, each[:, self.arms :] + 1, COARSE_BLUR if size > MAX_EXACT_PULLS else 0.0
        )
        return one_arm(chance[place.reshape(-1)], 1, max(RELATIVE, ERROR * (self.horizon + self.arms)), absolute_error)


def argmax_chances(a: Ints, b: Ints, absolute_error: float = 0.0) -> Array:
    """The probability that each of independent Beta(a_i, b_i) variables is the largest, (states, arms).
    a, b: positive integers, (states, arms). absolute_error: of each probability, in addition to its relative error; at
    least 0.

    The density of one variable times the distribution functions of the others is a polynomial of degree sum(a + b) -
    arms - 1, which Gauss-Legendre quadrature with half as many nodes integrates exactly. All its terms are positive, so
    the error is relative, as long as nothing underflows: see ERROR. `nodes` returns how many nodes suffice for an
    absolute error.
    """
    states, arms = a.shape
    low, log_low, log_high, weights = unit_quadrature(nodes(int((a + b).sum(axis=1).max()) - arms - 1, absolute_error))
    found = np.empty((states, arms))
    step = max(1, AT_ONCE // (len(low) * arms))
    for first in range(0, states, step):
        some = slice(first, first + step)
        # Once for each Beta distribution: the states of one run share most of theirs.
        pair, place = np.unique(a[some] * (b.max() + 1) + b[some], return_inverse=True)
        one, other = pair[:, None] // (b.max() + 1), pair[:, None] % (b.max() + 1)
        place = place.reshape(-1, arms)
        weighted = weights * el.exp((one - 1) * log_low + (other - 1) * log_high - betaln(one, other))
        below = betainc(one, other, low)[place]
        for arm in range(arms):
            others = np.delete(below, arm, axis=1).prod(axis=1)
            found[some, arm] = (weighted[place[:, arm]] * others).sum(axis=1)
    return found


def nodes(degree: int, absolute_error: float) -> int:
    """Returns the number of Gauss-Legendre nodes that integrate the polynomial of `argmax_chances`.
    The polynomial has this degree, and the error is at most `absolute_error`; exactly if this is 0.

    Write x = sin(z/2)^2 with z = phi + i eta. Then |x| + |1 - x| = cosh eta, so that C(n, k) |x|^k |1 - x|^(n - k) is
    cosh(eta)^n times a binomial probability. A distribution function is a sum of such terms with n = a + b - 1, each
    once, and a density is n times one of them with n - 1; so the polynomial is at most n cosh(eta)^degree, which is at
    most n exp(degree eta^2 / 2). Its m-th Chebyshev coefficient is at most twice this times exp(-m eta), and with
    eta = m/degree at most 2 n exp(-m^2 / (2 degree)). A rule with N nodes is off by at most twice the coefficients
    from 2 N on; these add up to at most 2 n exp(-(2 N)^2 / (2 degree)) (1 + degree/(2 N)), where n is at most
    degree + 1.
    """
    exact = degree // 2 + 1
    if absolute_error > 0:
        # above 2, so that degree/(2 N) is at most sqrt(degree)
        room = 4 * (degree + 1) * (1 + sqrt(degree)) / absolute_error
        exact = min(exact, max(1, ceil(sqrt(2 * degree * log(room)) / 2)))
    return exact if exact <= ORDER_MULTIPLE else -(-exact // ORDER_MULTIPLE) * ORDER_MULTIPLE


@lru_cache(maxsize=128)
def unit_quadrature(order: int) -> tuple[Array, Array, Array, Array]:
    """Gauss-Legendre quadrature on [0, 1]: its nodes x, log x, log(1 - x), and its weights."""
    at, weights = legendre(order)
    low, high = (1 + at) / 2, (1 - at) / 2
    return frozen(low), frozen(el.log(low)), frozen(el.log(high)), frozen(weights / 2)
