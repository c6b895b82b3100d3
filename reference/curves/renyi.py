"""Renyi differential privacy over a range of orders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import inf, nan
from typing import Any

import numpy as np

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import (
    normalize_numeric_fields,
    require_callable,
    require_in_closed_interval,
    require_in_open_interval,
)
from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary, doubles
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.curves.curve import Bounds, Broken, Exact, NoPromise, StatementPart, Trace, Tracing, as_written
from dpbandits.reference.curves.errors import renyi_lower
from dpbandits.reference.curves.formulas import renyi_delta
from dpbandits.reference.curves.shapes import SPARSE_TESTS, MechanismErrors, normal_errors

RENYI_ORDER_COUNT = 61  # how many orders are looked at; more would only find more
MAX_ORDER_EXCESS = 1e4  # the largest order - 1 of them, where the range begins below it
BISECTION_STEPS = 60  # of the range of a type II error


@dataclass(frozen=True, eq=False)  # what a function says may change: each is remembered by itself
class Renyi:
    """(alpha, gamma(alpha))-RDP for every alpha in (low, high]. gamma: formula (m, alpha) -> gamma."""

    gamma: Callable[[Any, Any], Any]
    low: float = 1.0
    high: float = 100.0

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        require_callable("(alpha, gamma(alpha))-RDP: gamma", self.gamma)
        require_in_closed_interval("(alpha, gamma(alpha))-RDP: low", self.low, 1, 1e300)
        require_in_open_interval("(alpha, gamma(alpha))-RDP: high", self.high, self.low, float("inf"))

    unit = "gamma"
    picture = "tradeoff"
    name = "(alpha, gamma(alpha))-RDP"
    place = "order"

    def called(self, value: float, at: float, digits: int = 4) -> str:
        return f"({at:.4g}, {value:.{digits}g})-RDP"

    def parts(self, trace: Trace) -> list[StatementPart]:
        return [
            {"kind": "words", "text": "(alpha,"},
            {"kind": "expression", "text": trace(self.gamma, "alpha", "gamma")},
            {"kind": "words", "text": ")-RDP"},
            {"kind": "range", "text": f"{self.low:.6g} < alpha <= {self.high:.6g}"},
        ]

    def points(self) -> tuple[Array, Array]:
        return renyi_points(self)

    def shown(self, alpha: Any, beta: Any, at: Any) -> Any:
        return renyi_lower(alpha, beta, at)

    def divergences(self) -> tuple[Array, Array, Array, Array]:
        """Orders, what is claimed of the divergence, divisors of 1, and the orders as places; (m,) each."""
        gamma, orders = self.points()
        return orders, gamma, np.ones(len(orders)), orders

    @property
    def shapes(self) -> Mapping[str, MechanismErrors]:
        return {"Gaussian": lambda gamma, order, tests=SPARSE_TESTS: normal_errors(np.sqrt(2 * gamma / order), tests)}

    def beta_at(self, alpha: Any) -> Array:
        return least_beta(alpha, *self.points())

    def delta_at(self, eps: Any) -> Array:
        return delta_from_renyi(eps, *self.points())

    def bounds(self, exact: Exact) -> Bounds:
        gamma, orders = self.points()
        if not len(orders):
            return Bounds(0.0, 0.0, 0.0, nan)
        ends = [both_ways(exact, float(order)) for order in orders]
        low, high = np.array(ends).T
        worst = int(np.argmax(np.where(low > gamma, 1e3, 1.0) * (low + 1e-300) / (gamma + 1e-300)))
        return Bounds(float(low[worst]), float(high[worst]), float(gamma[worst]), float(orders[worst]))

    def objective(self, low: float) -> tuple[Any, ...]:
        return ("mu",)

    def broken(self, text: Tracing, exact: Exact, at: float) -> Broken | None:
        gamma, orders = self.points()
        eps, place = where_broken(exact, gamma, orders)
        order = text.variable("order")
        try:
            told = text.source(renyi_delta(text, text.variable("eps"), order, self.gamma(text, order)))
        except (TypeError, ValueError, AttributeError):  # a formula that only numbers can go through
            return None
        return Broken(eps, "eps", told, {"eps": eps, "order": float(orders[place])})

    def promised(self, m: Vocabulary, eps: Number, delta: Number, slack: Number) -> tuple[Number, Number]:
        gamma, orders = self.points()
        if not len(orders):
            raise NoPromise("the claim promises no gamma at any order")
        order = as_written(m, orders[best_order(float(eps), gamma, orders)])
        return eps, renyi_delta(m, eps, order, self.gamma(m, order) * (1 + slack))


@lru_cache(maxsize=64)
def renyi_points(curve: Renyi) -> tuple[Array, Array]:
    """gamma at orders over the range, even in log(order - 1), and these orders; only where it is a number >= 0."""
    least = max(1e-3, (curve.low - 1) * (1 + 1e-9))
    most = min(max(MAX_ORDER_EXCESS, 2 * least), curve.high - 1)  # never below the range
    orders = 1 + el.geometric(min(least, most), most, RENYI_ORDER_COUNT)
    orders[-1] = min(orders[-1], curve.high)
    gamma = []
    for order in orders:
        try:
            with np.errstate(all="ignore"):
                gamma.append(float(curve.gamma(doubles, float(order))))
        except (ValueError, ZeroDivisionError, OverflowError):
            gamma.append(np.nan)
    values = np.asarray(gamma)
    good = np.isfinite(values) & (values >= 0)
    return values[good], orders[good]


def both_ways(exact: Exact, order: float) -> tuple[float, float]:
    """The larger of the two divergences of a pair, between two ends."""
    ends = [side.renyi(order) for side in (exact, exact.swapped)]
    return max(low for low, _ in ends), max(high for _, high in ends)


def least_beta(alpha: Any, gamma: Array, orders: Array) -> Array:
    """The smallest type II error that divergences of at most gamma (m,) at these orders allow at each type I error;
    from below, to 2^-60 of the range; 0 where nothing is promised."""
    alpha = np.asarray(alpha, dtype=np.float64)
    low, high = np.zeros(alpha.shape), 1 - alpha
    if not len(orders):
        return low
    for _ in range(BISECTION_STEPS):
        middle = (low + high) / 2
        shown = renyi_lower(alpha[:, None], middle[:, None], orders)
        excluded = (shown > gamma).any(axis=1)
        low, high = np.where(excluded, middle, low), np.where(excluded, high, middle)
    return low


def delta_from_renyi(eps: Any, gamma: Array, orders: Array) -> Array:
    """The smallest delta at each eps (k,) that follows at one of these orders (m,); 1 where nothing is promised."""
    eps = np.asarray(eps, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        deltas = np.asarray(renyi_delta(doubles, eps[:, None], orders, gamma))
    return np.asarray(np.minimum(1.0, deltas.min(axis=1, initial=inf)))


def best_order(eps: float, gamma: Array, orders: Array) -> int:
    """The place of the order at which the smallest delta follows."""
    with np.errstate(over="ignore"):
        return int(np.argmin(renyi_delta(doubles, eps, orders, gamma)))


def where_broken(exact: Exact, gamma: Array, orders: Array) -> tuple[float, int]:
    """The eps at which a pair's own delta lies farthest above what follows from the divergences, and the place of the
    order that it follows at."""
    grid = np.linspace(0.0, 20.0, 401)
    eps = float(grid[int(np.argmax(np.asarray(exact.delta(grid)[0]) - delta_from_renyi(grid, gamma, orders)))])
    return eps, best_order(eps, gamma, orders)
