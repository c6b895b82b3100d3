"""(eps(delta), delta)-differential privacy for a whole range of delta."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import normalize_numeric_fields, require_callable, require_in_closed_interval
from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary, doubles
from dpbandits.reference.bandits.noise import Array, Reals
from dpbandits.reference.curves.conversions import beta_from_approximate_dp, eps_lower
from dpbandits.reference.curves.curve import (
    Bounds,
    ExactPrivacy,
    NoGuarantee,
    StatementPart,
    Trace,
    Tracing,
    Violation,
    formula_values,
)
from dpbandits.reference.curves.extremal_mechanisms import MECHANISMS, MechanismErrors

DELTA_COUNT = 241  # size of the grid; a finer grid would only find more
PLOT_POINTS = 161  # of its plot


@dataclass(frozen=True, eq=False)  # compared by identity, because functions cannot be compared
class Family:
    """(eps(delta), delta)-DP for every delta in [low, high]: one formula for a whole curve.

    eps: a formula (m, delta) -> eps over a vocabulary m. Two families are equal only if they are the same object.
    """

    eps: Callable[[Any, Any], Any]
    low: float
    high: float

    def __post_init__(self) -> None:
        """Raises ValueError unless eps is a function and [low, high] is a valid range of deltas."""
        normalize_numeric_fields(self)
        require_callable("(eps(delta), delta)-DP: eps", self.eps)
        require_in_closed_interval("(eps(delta), delta)-DP: low", self.low, 0, 1)
        require_in_closed_interval("(eps(delta), delta)-DP: high", self.high, self.low, 1)

    name = "(eps(delta), delta)-DP"

    def format_parameter(self, value: float, at: float, digits: int = 4) -> str:
        """The guarantee as text, such as "(1, 1e-06)-DP"."""
        return f"({value:.{digits}g}, {at:.3g})-DP"

    def statement_parts(self, trace: Trace) -> list[StatementPart]:
        """The statement "(eps, delta)-DP with eps = ..." in parts, with the formula of eps."""
        eps = trace(self.eps, "delta", "eps")
        return [
            {"kind": "words", "text": "(eps, delta)-DP with"},
            {"kind": "formula", "left": "eps", "sign": "=", "right": eps},
            {"kind": "range", "text": f"{self.low:.6g} <= delta <= {self.high:.6g}"},
        ]

    def claimed_parameters(self) -> tuple[Array, Array]:
        """The claimed eps on a grid of deltas, and these deltas: two arrays (m,)."""
        return parameters_over_deltas(self)

    def implied_parameter(self, alpha: Reals, beta: Reals, at: Reals) -> Array:
        """The smallest eps that allows a test with errors alpha and beta at delta = `at`."""
        return eps_lower(alpha, beta, at)

    @property
    def extremal_mechanisms(self) -> Mapping[str, MechanismErrors]:
        """The mechanisms that satisfy exactly this guarantee, each with the errors of its likelihood ratio tests."""
        return MECHANISMS

    def beta_at(self, alpha: ArrayLike) -> Array:
        """The smallest type II error that the guarantee allows at each type I error, (m,)."""
        return beta_from_approximate_dp(alpha, *self.claimed_parameters())

    def delta_at(self, eps: ArrayLike) -> Array:
        """The smallest guaranteed delta at each eps, (m,); 1 where nothing is guaranteed."""
        promised, deltas = self.claimed_parameters()
        return np.array([min([1.0, *deltas[promised <= e]]) for e in np.asarray(eps, dtype=np.float64)])

    def profile(self, eps: Array) -> tuple[Array, Array]:
        """Returns the points (eps, delta) of the plot: those stored with the curve, in the range of the given eps.
        Beyond its smallest delta the curve guarantees this delta."""
        promised, deltas = self.claimed_parameters()
        falling = len(promised) > 1 and bool((np.diff(promised) <= 0).all())
        if not (falling and promised[-1] <= eps[-1]):
            return self.stairs(eps)
        wanted = np.linspace(promised[-1], min(float(promised[0]), float(eps[-1])), PLOT_POINTS)
        kept = np.unique(len(promised) - np.searchsorted(promised[::-1], wanted, side="right"))[::-1]
        drawn, at = promised[kept], deltas[kept]
        if promised[0] <= eps[-1]:
            drawn, at = np.append(drawn, eps[-1]), np.append(at, deltas[0])
        return drawn, at

    def stairs(self, eps: Array) -> tuple[Array, Array]:
        """The corners of the step function delta_at over the range of eps, as arrays of eps and of delta."""
        promised, _ = self.claimed_parameters()
        at = np.unique(promised[(promised > eps[0]) & (promised <= eps[-1])])
        levels = self.delta_at(np.append(eps[0], at))
        falls = np.diff(levels) < 0
        at, levels = at[falls], levels[np.append(True, falls)]
        return np.concatenate([eps[:1], np.repeat(at, 2), eps[-1:]]), np.repeat(levels, 2)

    def bounds(self, exact: ExactPrivacy) -> Bounds:
        """The exact bounds on a pair's eps, at the delta where the guarantee fails most or comes closest to failing."""
        worst = self.most_critical_point(exact)
        if worst is None:
            return Bounds(0.0, 0.0, 0.0, nan)
        claimed, at = worst
        low, high = exact.eps(at)
        return Bounds(low, high, claimed, at)

    def certified_lower_bound(self, exact: ExactPrivacy) -> float:
        """The lower bound of `bounds`."""
        worst = self.most_critical_point(exact)
        return 0.0 if worst is None else exact.eps_low(worst[1])

    def most_critical_point(self, exact: ExactPrivacy) -> tuple[float, float] | None:
        """The claimed eps and the delta where the guarantee fails most for a pair of inputs, or comes closest to
        failing; None if nothing is claimed."""
        eps, deltas = self.claimed_parameters()
        if not len(deltas):
            return None
        below, above = exact.delta(eps)
        broken = np.asarray(below) > deltas
        # Where it is broken: at the largest ratio of probabilities; else where the upper curve comes nearest.
        worst = int(np.argmax(np.where(broken, 1e3, 1.0) * el.log1p(np.asarray(above) / np.maximum(deltas, 1e-300))))
        return float(eps[worst]), float(deltas[worst])

    def violation(self, text: Tracing, exact: ExactPrivacy, at: float) -> Violation | None:
        """The (eps, delta) of this curve at delta = at, which the exact bounds contradict; see `derived.violation`."""
        try:
            told = text.source(self.eps(text, text.variable("delta")))
        except (TypeError, ValueError, AttributeError):  # a formula that cannot be written as text
            return None
        return Violation(float(self.eps(doubles, at)), told, "delta", {"delta": at})

    def implied_approximate_dp(self, m: Vocabulary, eps: Number, delta: Number, slack: Number) -> tuple[Number, Number]:
        """The claimed eps at this delta, and the delta, as formulas. Raises NoGuarantee outside the range of deltas."""
        if not m.number(repr(self.low)) <= delta <= m.number(repr(self.high)):
            raise NoGuarantee(
                f"the claim guarantees no eps at delta = {float(delta):.6g}; it is stated for {self.low:g} "
                f"<= delta <= {self.high:g}"
            )
        return self.eps(m, delta) * (1 + slack), delta * (1 + slack)


@lru_cache(maxsize=64)
def parameters_over_deltas(curve: Family) -> tuple[Array, Array]:
    """Two arrays: eps on a grid of deltas over the family's range, denser at both ends, and the deltas.
    Deltas at which eps is no number >= 0 are left out."""
    width = curve.high - curve.low
    small = el.geometric(1e-12, 0.5, DELTA_COUNT // 2 + 1)
    share = np.unique(np.concatenate([[0.0], small, 1 - small, [1.0]]))
    deltas = curve.low + width * share
    values = formula_values(curve.eps, deltas)
    good = np.isfinite(values) & (values >= 0) & (deltas >= 0) & (deltas < 1)
    return values[good], deltas[good]
