"""(eps(delta), delta)-differential privacy for a whole range of delta."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import nan
from typing import Any

import numpy as np

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import normalize_numeric_fields, require_callable, require_in_closed_interval
from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary, doubles
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.curves.curve import Bounds, Broken, Exact, NoPromise, StatementPart, Trace, Tracing
from dpbandits.reference.curves.errors import eps_lower, least_beta
from dpbandits.reference.curves.shapes import MECHANISMS, MechanismErrors

DELTAS = 241  # how many deltas are looked at; more would only find more
PICTURE_POINTS = 161  # points of its picture


@dataclass(frozen=True, eq=False)  # what a function says may change: each is remembered by itself
class Family:
    """(eps(delta), delta)-DP for every delta in [low, high]: a formula that promises a whole curve at once.

    eps: formula (m, delta) -> eps.
    """

    eps: Callable[[Any, Any], Any]
    low: float
    high: float

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        require_callable("(eps(delta), delta)-DP: eps", self.eps)
        require_in_closed_interval("(eps(delta), delta)-DP: low", self.low, 0, 1)
        require_in_closed_interval("(eps(delta), delta)-DP: high", self.high, self.low, 1)

    name = "(eps(delta), delta)-DP"

    def called(self, value: float, at: float, digits: int = 4) -> str:
        return f"({value:.{digits}g}, {at:.3g})-DP"

    def parts(self, trace: Trace) -> list[StatementPart]:
        eps = trace(self.eps, "delta", "eps")
        return [
            {"kind": "words", "text": "(eps, delta)-DP with"},
            {"kind": "formula", "left": "eps", "sign": "=", "right": eps},
            {"kind": "range", "text": f"{self.low:.6g} <= delta <= {self.high:.6g}"},
        ]

    def points(self) -> tuple[Array, Array]:
        return family_points(self)

    def shown(self, alpha: Any, beta: Any, at: Any) -> Any:
        return eps_lower(alpha, beta, at)

    @property
    def shapes(self) -> Mapping[str, MechanismErrors]:
        return MECHANISMS

    def beta_at(self, alpha: Any) -> Array:
        return least_beta(alpha, *self.points())

    def delta_at(self, eps: Any) -> Array:
        promised, deltas = self.points()
        return np.array([min([1.0, *deltas[promised <= e]]) for e in np.asarray(eps, dtype=np.float64)])

    def profile(self, eps: Array) -> tuple[Array, Array]:
        """At its own points, which lie on it, where a grid of eps would show stairs above it; beyond its smallest
        delta it promises that one."""
        promised, deltas = self.points()
        falling = len(promised) > 1 and bool((np.diff(promised) <= 0).all())
        if not (falling and promised[-1] <= eps[-1]):
            return self.stairs(eps)
        wanted = np.linspace(promised[-1], min(float(promised[0]), float(eps[-1])), PICTURE_POINTS)
        kept = np.unique(len(promised) - np.searchsorted(promised[::-1], wanted, side="right"))[::-1]
        drawn, at = promised[kept], deltas[kept]
        if promised[0] <= eps[-1]:
            drawn, at = np.append(drawn, eps[-1]), np.append(at, deltas[0])
        return drawn, at

    def stairs(self, eps: Array) -> tuple[Array, Array]:
        """The corners of delta_at over this range: it falls at promised eps alone, and at once."""
        promised, _ = self.points()
        at = np.unique(promised[(promised > eps[0]) & (promised <= eps[-1])])
        levels = self.delta_at(np.append(eps[0], at))
        falls = np.diff(levels) < 0
        at, levels = at[falls], levels[np.append(True, falls)]
        return np.concatenate([eps[:1], np.repeat(at, 2), eps[-1:]]), np.repeat(levels, 2)

    def bounds(self, exact: Exact) -> Bounds:
        eps, deltas = self.points()
        if not len(deltas):
            return Bounds(0.0, 0.0, 0.0, nan)
        below, above = exact.delta(eps)
        broken = np.asarray(below) > deltas
        # Where it is broken: at the largest ratio of probabilities; else where the upper curve comes nearest.
        worst = int(np.argmax(np.where(broken, 1e3, 1.0) * el.log1p(np.asarray(above) / np.maximum(deltas, 1e-300))))
        at = float(deltas[worst])
        low, high = exact.eps(at)
        return Bounds(low, high, float(eps[worst]), at)

    def broken(self, text: Tracing, exact: Exact, at: float) -> Broken | None:
        try:
            told = text.source(self.eps(text, text.variable("delta")))
        except (TypeError, ValueError, AttributeError):  # a formula that only numbers can go through
            return None
        return Broken(float(self.eps(doubles, at)), told, "delta", {"delta": at})

    def promised(self, m: Vocabulary, eps: Number, delta: Number, slack: Number) -> tuple[Number, Number]:
        if not m.number(repr(self.low)) <= delta <= m.number(repr(self.high)):
            raise NoPromise(
                f"delta = {float(delta):.6g}, and the claim promises an eps for {self.low:g} <= delta <= {self.high:g}"
            )
        return self.eps(m, delta) * (1 + slack), delta * (1 + slack)


@lru_cache(maxsize=64)
def family_points(curve: Family) -> tuple[Array, Array]:
    """The eps at deltas over the family's range, dense at both ends, and these deltas; only those where eps is a
    number >= 0."""
    width = curve.high - curve.low
    small = el.geometric(1e-12, 0.5, DELTAS // 2 + 1)
    share = np.unique(np.concatenate([[0.0], small, 1 - small, [1.0]]))
    deltas = curve.low + width * share
    eps = []
    for delta in deltas:
        try:
            with np.errstate(all="ignore"):
                eps.append(float(curve.eps(doubles, float(delta))))
        except (ValueError, ZeroDivisionError, OverflowError):
            eps.append(np.nan)
    values = np.asarray(eps)
    good = np.isfinite(values) & (values >= 0) & (deltas >= 0) & (deltas < 1)
    return values[good], deltas[good]
