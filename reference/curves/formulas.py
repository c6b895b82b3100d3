"""Privacy profiles and conversions, each written once against a vocabulary m."""

from __future__ import annotations

from typing import Any


def gaussian_delta(m: Any, eps: Any, mu: Any) -> Any:
    """The privacy profile of mu-GDP: the smallest delta at eps >= 0. ou24, Definition 2 (arXiv: Lemma 1).

    In doubles e^eps overflows beyond eps = 709, and the result is nan; other contexts know no such limit."""
    return m.ncdf(-eps / mu + mu / 2) - m.exp(eps) * m.ncdf(-eps / mu - mu / 2)


def threshold_delta(m: Any, eps: Any, mu: Any, threshold: Any) -> Any:
    """What the test "release > threshold" shows: P(N(mu,1) > t) - e^eps P(N(0,1) > t)."""
    return m.ncdf(mu - threshold) - m.exp(eps) * m.ncdf(-threshold)


def composed(m: Any, etas: list[Any]) -> Any:
    """The GDP parameter of an adaptive composition: the root of the sum of squares. ou24, Lemma 1 (arXiv: 2)."""
    return m.sqrt(sum((eta * eta for eta in etas), m.number(0)))


def gaussian_renyi(m: Any, alpha: Any, mu: Any) -> Any:
    """The Renyi divergence of order alpha between normals at distance mu: alpha mu^2/2. ou24, C.2."""
    return alpha * mu * mu / 2


def eps_from_renyi(m: Any, gamma: Any, alpha: Any, delta: Any) -> Any:
    """An (alpha, gamma)-RDP mechanism is (this eps, delta)-DP. ou24, C.2 (Mironov 2017)."""
    return gamma + m.log(1 / delta) / (alpha - 1)


def advanced_composition(m: Any, eps: Any, rounds: Any, slack: Any) -> Any:
    """eps of `rounds` (eps, delta)-DP steps at delta_total = rounds delta + slack. ou24, Corollary 1."""
    return eps * m.sqrt(2 * rounds * m.log(1 / slack)) + rounds * eps * (m.exp(eps) - 1)


def renyi_delta(m: Any, eps: Any, order: Any, gamma: Any) -> Any:
    """An (order, gamma)-RDP mechanism is (eps, this delta)-DP, order > 1. Canonne, Kamath, Steinke 2020, Proposition 7.

    It is at most e^{(order - 1)(gamma - eps)}, Mironov's."""
    share = m.exp(order * m.log(1 - 1 / order)) / (order - 1)
    return m.exp((order - 1) * (gamma - eps)) * share
