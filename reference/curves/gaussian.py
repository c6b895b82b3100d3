"""Gaussian differential privacy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from dpbandits.reference.arithmetic.checks import normalize_numeric_fields, not_negative
from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary
from dpbandits.reference.bandits.noise import Array, Reals
from dpbandits.reference.curves.conversions import gaussian_delta, mu_lower
from dpbandits.reference.curves.curve import Bounds, ExactPrivacy, Tracing, Violation, decimal_number
from dpbandits.reference.curves.derived import most_violated_eps
from dpbandits.reference.curves.extremal_mechanisms import SPARSE_TESTS, MechanismErrors, normal_delta, normal_errors


@dataclass(frozen=True)
class Gaussian:
    """mu-GDP: beta >= Phi(Phi^-1(1 - alpha) - mu) for every test. mu >= 0; mu = 0 is perfect privacy."""

    mu: float

    def __post_init__(self) -> None:
        """Raises ValueError unless mu is a finite number of at least 0."""
        normalize_numeric_fields(self)
        not_negative("mu-GDP: mu", self.mu)

    parameter_name = "mu"
    plot_kind = "tradeoff"

    def format_parameter(self, value: float, at: float, digits: int = 4) -> str:
        """The guarantee as text, such as "0.5-GDP"."""
        return f"{value:.{digits}g}-GDP"

    def claimed_parameters(self) -> tuple[Array, Array]:
        """The claimed mu, and nan because it depends on no delta: two arrays (1,)."""
        return np.array([self.mu], dtype=np.float64), np.array([nan])

    def implied_parameter(self, alpha: Reals, beta: Reals, at: Reals) -> Array:
        """The smallest mu that allows a test with errors alpha and beta."""
        return mu_lower(alpha, beta)

    @property
    def extremal_mechanisms(self) -> Mapping[str, MechanismErrors]:
        """The mechanisms that satisfy exactly this guarantee, each with the errors of its likelihood ratio tests."""
        return {"Gaussian": lambda mu, at, tests=SPARSE_TESTS: normal_errors(mu, tests)}

    def beta_at(self, alpha: ArrayLike) -> Array:
        """The smallest type II error that the guarantee allows at each type I error, (m,)."""
        return np.asarray(ndtr(-ndtri(np.asarray(alpha, dtype=np.float64)) - self.mu))

    def delta_at(self, eps: ArrayLike) -> Array:
        """The smallest guaranteed delta at each eps >= 0, (m,)."""
        eps = np.asarray(eps, dtype=np.float64)
        if self.mu <= 0:
            return np.zeros(eps.shape)
        return normal_delta(eps, self.mu)

    def bounds(self, exact: ExactPrivacy) -> Bounds:
        """The exact bounds on mu, and the claimed mu."""
        low, high = exact.mu()
        return Bounds(low, high, self.mu, nan)

    def certified_lower_bound(self, exact: ExactPrivacy) -> float:
        """A certified lower bound on mu, in both directions."""
        return max(exact.mu_low(), exact.swapped.mu_low())

    def search_objective(self, low: float) -> tuple[str, *tuple[float, ...]]:
        """Returns ("mu",): the search for the worst pair of inputs maximises mu."""
        return ("mu",)

    def violation(self, text: Tracing, exact: ExactPrivacy, at: float) -> Violation | None:
        """The point (eps, delta) at which the exact bounds contradict this curve most; see `derived.violation`."""
        if not self.mu > 0:
            return None
        eps = most_violated_eps(self.delta_at, exact)
        told = text.source(gaussian_delta(text, text.variable("eps"), text.variable("mu")))
        return Violation(eps, "eps", told, {"eps": eps, "mu": self.mu})

    def implied_approximate_dp(self, m: Vocabulary, eps: Number, delta: Number, slack: Number) -> tuple[Number, Number]:
        """The eps itself, and the delta that mu-GDP guarantees at this eps, as formulas."""
        mu = decimal_number(m, self.mu) * (1 + slack)
        return eps, gaussian_delta(m, eps, mu) if self.mu > 0 else m.number(0)
