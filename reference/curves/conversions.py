"""Conversions from one privacy guarantee to another, and from the two errors of a test to lower bounds on privacy
parameters.

Each conversion is written once; its argument m provides the operations on doubles, intervals or text.

The lower bounds take alpha, the type I error, and beta, the type II error. All bounds decrease in both errors, so upper
confidence bounds on the errors give lower bounds on the parameter. All are symmetric in alpha and beta: exchanging them
is the complementary event with the sides swapped.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary
from dpbandits.reference.bandits.noise import Array, Reals


def gaussian_delta(m: Vocabulary, eps: Number, mu: Number) -> Number:
    """delta(eps) of mu-GDP at eps >= 0, by ou24, Definition 2 (arXiv: Lemma 1).

    In doubles e^eps overflows beyond eps = 709, with result nan, and digits are lost from eps = 450 on
    (`extremal_mechanisms.normal_delta` loses none); other vocabularies have no such limit.
    """
    return m.ncdf(-eps / mu + mu / 2) - m.exp(eps) * m.ncdf(-eps / mu - mu / 2)


def threshold_delta(m: Vocabulary, eps: Number, mu: Number, threshold: Number) -> Number:
    """A lower bound on delta from the test "release > threshold": P(N(mu,1) > t) - e^eps P(N(0,1) > t)."""
    return m.ncdf(mu - threshold) - m.exp(eps) * m.ncdf(-threshold)


def compose_gdp(m: Vocabulary, etas: list[Number]) -> Number:
    """The mu of an adaptive composition of mechanisms that are eta_i-GDP.
    The root of the sum of squares of the etas. ou24, Lemma 1 (arXiv: 2)."""
    return m.sqrt(sum((eta * eta for eta in etas), m.number(0)))


def gaussian_renyi(m: Vocabulary, alpha: Number, mu: Number) -> Number:
    """The Renyi divergence of order alpha between normals at distance mu: alpha mu^2/2. ou24, C.2."""
    return alpha * mu * mu / 2


def eps_from_renyi(m: Vocabulary, gamma: Number, alpha: Number, delta: Number) -> Number:
    """The eps for which an (alpha, gamma)-RDP mechanism is (eps, delta)-DP. ou24, C.2 (Mironov 2017)."""
    return gamma + m.log(1 / delta) / (alpha - 1)


def advanced_composition(m: Vocabulary, eps: Number, rounds: Number, slack: Number) -> Number:
    """The eps of `rounds` composed (eps, delta)-DP steps at delta_total = rounds delta + slack. ou24, Corollary 1."""
    return eps * m.sqrt(2 * rounds * m.log(1 / slack)) + rounds * eps * (m.exp(eps) - 1)


def renyi_delta(m: Vocabulary, eps: Number, order: Number, gamma: Number) -> Number:
    """The delta for which an (order, gamma)-RDP mechanism is (eps, delta)-DP, order > 1.
    Canonne, Kamath, Steinke 2020, Proposition 7.

    It is at most e^{(order - 1)(gamma - eps)}, Mironov's."""
    share = m.exp(order * m.log(1 - 1 / order)) / (order - 1)
    return m.exp((order - 1) * (gamma - eps)) * share


def mu_lower(alpha: Reals, beta: Reals) -> Array:
    """The smallest mu such that mu-GDP allows a test with these errors; at least 0."""
    with np.errstate(invalid="ignore"):  # an error of 0 beside one of 1 says nothing, and inf - inf says nan
        return np.where(np.add(alpha, beta) < 1, np.maximum(0.0, -ndtri(alpha) - ndtri(beta)), 0.0)


def delta_lower(alpha: Reals, beta: Reals, eps: Reals) -> Array:
    """The smallest delta such that (eps, delta)-DP allows a test with these errors; at least 0."""
    one = 1 - beta - el.exp(eps) * alpha
    other = 1 - alpha - el.exp(eps) * beta
    return np.asarray(np.maximum(0.0, np.maximum(one, other)))


def eps_lower(alpha: Reals, beta: Reals, delta: Reals) -> Array:
    """The smallest eps such that (eps, delta)-DP allows a test with these errors; at least 0, possibly inf."""
    with np.errstate(divide="ignore", invalid="ignore"):
        one = el.log(np.maximum(0.0, 1 - beta - delta)) - el.log(alpha)
        other = el.log(np.maximum(0.0, 1 - alpha - delta)) - el.log(beta)
    return np.asarray(np.nan_to_num(np.maximum(0.0, np.maximum(one, other)), nan=0.0, posinf=np.inf))


def renyi_lower(alpha: Reals, beta: Reals, order: Reals) -> Array:
    """A lower bound on the larger of the two Renyi divergences of this order > 1, if a test has these errors.
    It is the divergence of the test's outcome (data processing). At least 0, possibly inf."""
    with np.errstate(divide="ignore", invalid="ignore"):
        right, left = el.log1p(-np.asarray(beta)), el.log(alpha)  # of "right" on the right, on the left
        other_right, other_left = el.log(beta), el.log1p(-np.asarray(alpha))
        one = np.logaddexp(log_renyi_term(right, left, order), log_renyi_term(other_right, other_left, order))
        other = np.logaddexp(log_renyi_term(left, right, order), log_renyi_term(other_left, other_right, order))
        shown = np.maximum(one, other) / (order - 1)
    return np.where(np.add(alpha, beta) < 1, np.maximum(0.0, shown), 0.0)


def log_renyi_term(p: Reals, q: Reals, order: Reals) -> Array:
    """log p^order q^(1 - order), from the logs of two probabilities; -inf where p is 0."""
    return np.where(p == -np.inf, -np.inf, order * p + (1 - order) * q)


def beta_from_approximate_dp(alpha: ArrayLike, eps: Array, delta: Array) -> Array:
    """The smallest type II error at each type I error that a list of (eps, delta)-DP guarantees, (m,) each, allows.
    0 for an empty list."""
    alpha = np.asarray(alpha, dtype=np.float64)
    if not len(delta):
        return np.zeros(alpha.shape)
    with np.errstate(over="ignore", invalid="ignore"):  # e^eps may overflow, and no event has 0 times as much
        low = 1 - delta - np.where(alpha[:, None] > 0, el.exp(eps) * alpha[:, None], 0.0)
    high = el.exp(-eps) * (1 - delta - alpha[:, None])
    return np.asarray(np.maximum(0.0, np.maximum(low, high).max(axis=1)))
