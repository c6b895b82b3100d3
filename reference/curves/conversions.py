"""Privacy profiles and conversions between guarantees. Each formula is written once; its argument m provides the
operations on doubles, intervals or text."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary


def gaussian_delta(m: Vocabulary, eps: Number, mu: Number) -> Number:
    """delta(eps) of mu-GDP at eps >= 0. ou24, Definition 2 (arXiv: Lemma 1).

    In doubles e^eps overflows beyond eps = 709, with result nan, and digits are lost from eps = 450 on
    (`extremal_mechanisms.normal_delta` loses none); other vocabularies have no such limit.
    """
    return m.ncdf(-eps / mu + mu / 2) - m.exp(eps) * m.ncdf(-eps / mu - mu / 2)


def threshold_delta(m: Vocabulary, eps: Number, mu: Number, threshold: Number) -> Number:
    """A lower bound on delta from the test "release > threshold": P(N(mu,1) > t) - e^eps P(N(0,1) > t)."""
    return m.ncdf(mu - threshold) - m.exp(eps) * m.ncdf(-threshold)


def compose_gdp(m: Vocabulary, etas: list[Number]) -> Number:
    """The GDP parameter of an adaptive composition: the root of the sum of squares. ou24, Lemma 1 (arXiv: 2)."""
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
    """The delta for which an (order, gamma)-RDP mechanism is (eps, delta)-DP, order > 1. Canonne, Kamath, Steinke 2020,
    Proposition 7.

    It is at most e^{(order - 1)(gamma - eps)}, Mironov's."""
    share = m.exp(order * m.log(1 - 1 / order)) / (order - 1)
    return m.exp((order - 1) * (gamma - eps)) * share
