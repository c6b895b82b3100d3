"""Trade-off functions, privacy profiles and conversions, each written once against a context m.

A context offers exp, log, sqrt, ncdf (the standard normal distribution function), maximum, minimum and number.
alpha is always the type I error, beta the type II error, of telling two neighbouring inputs apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dpbandits.reference.checks import function, inside, not_negative, within


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


# -- what a claim may promise ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Gaussian:
    """mu-GDP: beta >= Phi(Phi^-1(1 - alpha) - mu) for every test. mu >= 0; mu = 0 is perfect privacy."""

    mu: float

    def __post_init__(self) -> None:
        not_negative("mu-GDP: mu", self.mu)


@dataclass(frozen=True)
class Approximate:
    """(eps, delta)-DP for one pair of numbers; delta = 0 is pure DP."""

    eps: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        not_negative("(eps, delta)-DP: eps", self.eps)
        inside("(eps, delta)-DP: delta", self.delta, 0, 1)


@dataclass(frozen=True)
class Family:
    """(eps(delta), delta)-DP for every delta in [low, high]: a formula that promises a whole curve at once.

    eps: formula (m, delta) -> eps.
    """

    eps: Callable[[Any, Any], Any]
    low: float
    high: float

    def __post_init__(self) -> None:
        function("(eps(delta), delta)-DP: eps", self.eps)
        inside("(eps(delta), delta)-DP: low", self.low, 0, 1)
        inside("(eps(delta), delta)-DP: high", self.high, self.low, 1)


@dataclass(frozen=True)
class Renyi:
    """(alpha, gamma(alpha))-RDP for every alpha in (low, high]. gamma: formula (m, alpha) -> gamma."""

    gamma: Callable[[Any, Any], Any]
    low: float = 1.0
    high: float = 100.0

    def __post_init__(self) -> None:
        function("(alpha, gamma(alpha))-RDP: gamma", self.gamma)
        inside("(alpha, gamma(alpha))-RDP: low", self.low, 1, 1e300)
        within("(alpha, gamma(alpha))-RDP: high", self.high, self.low, float("inf"))


Curve = Gaussian | Approximate | Family | Renyi
