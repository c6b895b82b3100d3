"""(eps, delta)-differential privacy for one pair of numbers; pure where delta = 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import (
    SMALLEST_NORMAL,
    normalize_numeric_fields,
    not_negative,
    require_in_closed_interval,
)
from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary
from dpbandits.reference.bandits.noise import Array, Reals
from dpbandits.reference.curves.conversions import beta_from_approximate_dp, eps_lower
from dpbandits.reference.curves.curve import Bounds, ExactPrivacy, Tracing, Violation, decimal_number
from dpbandits.reference.curves.extremal_mechanisms import MECHANISMS, PURE_MECHANISMS, MechanismErrors

# Its picture has so many points below its eps, of which the last is so near, or nearer
LAST_POINT_GAP, POINTS_BELOW_EPS = 1e-3, 25


@dataclass(frozen=True)
class Approximate:
    """(eps, delta)-DP for one pair of numbers; delta = 0 is pure DP."""

    eps: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        """Raises ValueError unless eps >= 0 and delta lies in [0, 1]."""
        normalize_numeric_fields(self)
        not_negative("(eps, delta)-DP: eps", self.eps)
        require_in_closed_interval("(eps, delta)-DP: delta", self.delta, 0, 1)

    def format_parameter(self, value: float, at: float, digits: int = 4) -> str:
        """The guarantee as text, such as "(1, 1e-06)-DP"."""
        return f"({value:.{digits}g}, {delta_text(at, digits if digits > 4 else 3)})-DP"

    def claimed_parameters(self) -> tuple[Array, Array]:
        """The claimed eps, and delta: two arrays (1,)."""
        return np.array([self.eps], dtype=np.float64), np.array([self.delta], dtype=np.float64)

    def implied_parameter(self, alpha: Reals, beta: Reals, at: Reals) -> Array:
        """The smallest eps that allows a test with errors alpha and beta at delta = `at`."""
        return eps_lower(alpha, beta, at)

    @property
    def extremal_mechanisms(self) -> Mapping[str, MechanismErrors]:
        """The mechanisms that satisfy exactly this guarantee, each with the errors of its likelihood ratio tests."""
        return MECHANISMS if self.delta > 0 else PURE_MECHANISMS  # no Gaussian mechanism is pure

    def beta_at(self, alpha: ArrayLike) -> Array:
        """The smallest type II error that the guarantee allows at each type I error, (m,)."""
        return beta_from_approximate_dp(alpha, np.array([self.eps]), np.array([self.delta]))

    def delta_at(self, eps: ArrayLike) -> Array:
        """The smallest guaranteed delta at each eps >= 0, (m,).

        Below its own eps it also implies delta + (1 - delta)(e^eps0 - e^eps)/(1 + e^eps0).
        """
        eps = np.asarray(eps, dtype=np.float64)
        below = (1 - el.exp(np.minimum(0.0, eps - self.eps))) / (1 + el.exp(-self.eps))
        return np.asarray(self.delta + (1 - self.delta) * below)

    def profile(self, eps: Array) -> tuple[Array, Array]:
        """Returns the points (eps, delta) of the curve's plot.
        They include the claimed eps, where the curve has a kink, and points just below it, where delta falls
        steeply."""
        nearest = LAST_POINT_GAP
        if self.delta:
            nearest = min(nearest, max(SMALLEST_NORMAL, 0.1 * self.delta / max(self.eps, 1.0)))
        near = self.eps * (1 - el.geometric(nearest, 0.1, POINTS_BELOW_EPS))
        places = np.union1d(eps, [*near, self.eps])
        places = places[(places >= eps[0]) & (places <= eps[-1])]
        return places, self.delta_at(places)

    def bounds(self, exact: ExactPrivacy) -> Bounds:
        """The exact bounds on eps at the claimed delta, and the claimed eps."""
        low, high = exact.eps(self.delta)
        return Bounds(low, high, self.eps, self.delta)

    def certified_lower_bound(self, exact: ExactPrivacy) -> float:
        """A certified lower bound on eps at the claimed delta, in both directions."""
        return exact.eps_low(self.delta)

    def violation(self, text: Tracing, exact: ExactPrivacy, at: float) -> Violation | None:
        """The claimed (eps, delta), which the exact bounds contradict; see `derived.violation`."""
        return Violation(self.eps, self.eps, self.delta, {})

    def implied_approximate_dp(self, m: Vocabulary, eps: Number, delta: Number, slack: Number) -> tuple[Number, Number]:
        """The claimed eps and delta as formulas, both times 1 + slack."""
        return decimal_number(m, self.eps) * (1 + slack), decimal_number(m, self.delta) * (1 + slack)


def delta_text(delta: float, digits: int = 6) -> str:
    """A delta in few digits; in all digits if rounding would show a delta below 1 as 1."""
    text = f"{delta:.{digits}g}"
    return repr(delta) if text == "1" and delta < 1 else text
