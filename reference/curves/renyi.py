"""Renyi differential privacy over a range of orders (Mironov 2017), and zero-concentrated DP (Bun and Steinke 2016)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import (
    normalize_numeric_fields,
    not_negative,
    require_callable,
    require_in_closed_interval,
    require_in_open_interval,
)
from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary, doubles
from dpbandits.reference.bandits.noise import Array, Reals
from dpbandits.reference.curves.conversions import renyi_delta, renyi_lower
from dpbandits.reference.curves.curve import (
    Bounds,
    ExactPrivacy,
    NoGuarantee,
    StatementPart,
    Trace,
    Tracing,
    Violation,
    decimal_number,
    formula_values,
)
from dpbandits.reference.curves.derived import most_violated_eps
from dpbandits.reference.curves.extremal_mechanisms import SPARSE_TESTS, MechanismErrors, normal_errors

RENYI_ORDER_COUNT = 61  # size of the grid of orders; a finer grid would only find more
MAX_ORDER_EXCESS = 1e4  # the largest order - 1 of them, where the range begins below it
BISECTION_STEPS = 60  # of the range of a type II error


@dataclass(frozen=True, eq=False)  # compared by identity, because functions cannot be compared
class Renyi:
    """(alpha, gamma(alpha))-RDP for every order alpha in (low, high]. gamma: a formula (m, alpha) -> gamma over a
    vocabulary m.
    """

    gamma: Callable[[Any, Any], Any]
    low: float = 1.0
    high: float = 100.0

    def __post_init__(self) -> None:
        """Raises ValueError unless gamma is a function and (low, high) is a valid range of orders."""
        normalize_numeric_fields(self)
        require_callable("(alpha, gamma(alpha))-RDP: gamma", self.gamma)
        require_in_closed_interval("(alpha, gamma(alpha))-RDP: low", self.low, 1, 1e300)
        require_in_open_interval("(alpha, gamma(alpha))-RDP: high", self.high, self.low, float("inf"))

    parameter_name = "gamma"
    plot_kind = "tradeoff"
    name = "(alpha, gamma(alpha))-RDP"
    index_name = "order"

    def format_parameter(self, value: float, at: float, digits: int = 4) -> str:
        """The guarantee as text, such as "(2, 0.5)-RDP"."""
        return f"({at:.4g}, {value:.{digits}g})-RDP"

    def statement_parts(self, trace: Trace) -> list[StatementPart]:
        """The statement "(alpha, gamma)-RDP" for a range of orders in parts, with the formula of gamma."""
        return [
            {"kind": "words", "text": "(alpha,"},
            {"kind": "expression", "text": trace(self.gamma, "alpha", "gamma")},
            {"kind": "words", "text": ")-RDP"},
            {"kind": "range", "text": f"{self.low:.6g} < alpha <= {self.high:.6g}"},
        ]

    def claimed_parameters(self) -> tuple[Array, Array]:
        """The claimed gamma on a grid of orders, and these orders: two arrays (m,)."""
        return parameters_over_orders(self)

    def implied_parameter(self, alpha: Reals, beta: Reals, at: Reals) -> Array:
        """The smallest gamma that allows a test with errors alpha and beta at the order `at`."""
        return renyi_lower(alpha, beta, at)

    def divergences(self) -> tuple[Array, Array, Array, Array]:
        """Four arrays (m,): orders, claimed bounds on the divergence, their divisors (all 1), and places.
        The places are the orders."""
        gamma, orders = self.claimed_parameters()
        return orders, gamma, np.ones(len(orders)), orders

    @property
    def extremal_mechanisms(self) -> Mapping[str, MechanismErrors]:
        """The mechanisms that satisfy exactly this guarantee, each with the errors of its likelihood ratio tests."""
        return {"Gaussian": lambda gamma, order, tests=SPARSE_TESTS: normal_errors(np.sqrt(2 * gamma / order), tests)}

    def beta_at(self, alpha: ArrayLike) -> Array:
        """The smallest type II error that the guarantee allows at each type I error, (m,)."""
        return beta_from_renyi(alpha, *self.claimed_parameters())

    def delta_at(self, eps: ArrayLike) -> Array:
        """The smallest guaranteed delta at each eps >= 0, (m,)."""
        return delta_from_renyi(eps, *self.claimed_parameters())

    def bounds(self, exact: ExactPrivacy) -> Bounds:
        """The exact bounds on a Renyi divergence, at the order where the guarantee fails most.
        If it holds at all orders, at the one where it comes closest to failing."""
        gamma, orders = self.claimed_parameters()
        if not len(orders):
            return Bounds(0.0, 0.0, 0.0, nan)
        ends = [divergence_both_ways(exact, float(order)) for order in orders]
        low, high = np.array(ends).T
        worst = int(np.argmax(np.where(low > gamma, 1e3, 1.0) * (low + 1e-300) / (gamma + 1e-300)))
        return Bounds(float(low[worst]), float(high[worst]), float(gamma[worst]), float(orders[worst]))

    def search_objective(self, low: float) -> tuple[str, *tuple[float, ...]]:
        """Returns ("mu",): the search for the worst pair of inputs maximises mu."""
        return ("mu",)

    def violation(self, text: Tracing, exact: ExactPrivacy, at: float) -> Violation | None:
        """The point (eps, delta) at which the exact bounds contradict this curve most; see `derived.violation`."""
        gamma, orders = self.claimed_parameters()
        eps, place = largest_violation(exact, gamma, orders)
        order = text.variable("order")
        try:
            told = text.source(renyi_delta(text, text.variable("eps"), order, self.gamma(text, order)))
        except (TypeError, ValueError, AttributeError):  # a formula that cannot be written as text
            return None
        return Violation(eps, "eps", told, {"eps": eps, "order": float(orders[place])})

    def implied_approximate_dp(self, m: Vocabulary, eps: Number, delta: Number, slack: Number) -> tuple[Number, Number]:
        """The eps itself, and the smallest delta that the divergences guarantee at this eps, as formulas."""
        gamma, orders = self.claimed_parameters()
        if not len(orders):
            raise NoGuarantee("the claim gives no finite gamma at any order alpha; check the formula gamma(m, alpha)")
        order = decimal_number(m, orders[best_order_for_delta(float(eps), gamma, orders)])
        return eps, renyi_delta(m, eps, order, self.gamma(m, order) * (1 + slack))


@lru_cache(maxsize=64)
def parameters_over_orders(curve: Renyi) -> tuple[Array, Array]:
    """Two arrays: gamma on a grid of orders over the range, uniform in log(order - 1), and the orders.
    Orders at which gamma is no number >= 0 are left out."""
    least = max(1e-3, (curve.low - 1) * (1 + 1e-9))
    most = min(max(MAX_ORDER_EXCESS, 2 * least), curve.high - 1)  # never below the range
    orders = 1 + el.geometric(min(least, most), most, RENYI_ORDER_COUNT)
    orders[-1] = min(orders[-1], curve.high)
    values = formula_values(curve.gamma, orders)
    good = np.isfinite(values) & (values >= 0)
    return values[good], orders[good]


def divergence_both_ways(exact: ExactPrivacy, order: float) -> tuple[float, float]:
    """(low, high): exact bounds on the larger of the two Renyi divergences of a pair."""
    ends = [side.renyi(order) for side in (exact, exact.swapped)]
    return max(low for low, _ in ends), max(high for _, high in ends)


def beta_from_renyi(alpha: ArrayLike, gamma: Array, orders: Array) -> Array:
    """The smallest type II error at each type I error, if Renyi divergences are at most gamma.
    orders, gamma: (m,) each. The error is rounded down, to 2^-60 of the range; it is 0 where nothing is guaranteed."""
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


def delta_from_renyi(eps: ArrayLike, gamma: Array, orders: Array) -> Array:
    """The smallest guaranteed delta at each eps, (k,), if Renyi divergences are at most gamma.
    orders, gamma: (m,) each. delta is 1 where nothing is guaranteed."""
    eps = np.asarray(eps, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        deltas = np.asarray(renyi_delta(doubles, eps[:, None], orders, gamma))
    return np.asarray(np.minimum(1.0, deltas.min(axis=1, initial=inf)))


def best_order_for_delta(eps: float, gamma: Array, orders: Array) -> int:
    """The index of the order whose bound on the Renyi divergence implies the smallest delta at eps."""
    with np.errstate(over="ignore"):
        return int(np.argmin(renyi_delta(doubles, eps, orders, gamma)))


def largest_violation(exact: ExactPrivacy, gamma: Array, orders: Array) -> tuple[float, int]:
    """Returns the eps at which a pair's delta exceeds the guaranteed one most, and the index of the deciding order.
    The guaranteed delta follows from the bounds on its Renyi divergences. The second result is the index of the order
    that implies this delta."""
    eps = most_violated_eps(partial(delta_from_renyi, gamma=gamma, orders=orders), exact)
    return eps, best_order_for_delta(eps, gamma, orders)


# The grid of orders, with 1 as a limit from above. Between two of them, a < b, the divergence of order c
# is at most that of order b, because it grows with the order: so that D_c / c <= D_b / a.
RENYI_ORDERS = 1 + el.geometric(1e-3, 1e4, 141)


@dataclass(frozen=True)
class Concentrated:
    """rho-zCDP: the Renyi divergence of every order alpha > 1, in either direction, is at most rho alpha. rho >= 0."""

    rho: float

    def __post_init__(self) -> None:
        """Raises ValueError unless rho is a finite number of at least 0."""
        normalize_numeric_fields(self)
        not_negative("rho-zCDP: rho", self.rho)

    parameter_name = "rho"
    plot_kind = "tradeoff"

    def format_parameter(self, value: float, at: float, digits: int = 4) -> str:
        """The guarantee as text, such as "0.5-zCDP"."""
        return f"{value:.{digits}g}-zCDP"

    def claimed_parameters(self) -> tuple[Array, Array]:
        """The claimed rho, and nan because it depends on no order: two arrays (1,)."""
        return np.array([self.rho], dtype=np.float64), np.array([nan])

    def implied_parameter(self, alpha: Reals, beta: Reals, at: Reals) -> Array:
        """The smallest rho that allows a test with errors alpha and beta."""
        alpha, beta = np.asarray(alpha)[..., None], np.asarray(beta)[..., None]
        return np.asarray((renyi_lower(alpha, beta, RENYI_ORDERS) / RENYI_ORDERS).max(axis=-1))

    def divergences(self) -> tuple[Array, Array, Array, Array]:
        """Four arrays (m,): orders, claimed bounds on divergence/divisor, the divisors, and places.
        The places are nan, because the claim has none."""
        same = np.full(len(RENYI_ORDERS), self.rho)
        return RENYI_ORDERS, same, RENYI_ORDERS, np.full(len(RENYI_ORDERS), nan)

    @property
    def extremal_mechanisms(self) -> Mapping[str, MechanismErrors]:
        """The mechanisms that satisfy exactly this guarantee, each with the errors of its likelihood ratio tests."""
        return {"Gaussian": lambda rho, at, tests=SPARSE_TESTS: normal_errors(np.sqrt(2 * rho), tests)}

    def beta_at(self, alpha: ArrayLike) -> Array:
        """The smallest type II error that the guarantee allows at each type I error, (m,)."""
        return beta_from_renyi(alpha, self.rho * RENYI_ORDERS, RENYI_ORDERS)

    def delta_at(self, eps: ArrayLike) -> Array:
        """The smallest guaranteed delta at each eps >= 0, (m,)."""
        return delta_from_renyi(eps, self.rho * RENYI_ORDERS, RENYI_ORDERS)

    def bounds(self, exact: ExactPrivacy) -> Bounds:
        """The exact bounds on a pair's rho, and the claimed rho."""
        low, high = np.array([divergence_both_ways(exact, float(order)) for order in RENYI_ORDERS]).T
        pure = exact.eps(0.0)[1]  # no divergence of any order is larger
        above = np.append(high, pure) / np.append(1.0, RENYI_ORDERS)
        return Bounds(float((low / RENYI_ORDERS).max()), float(above.max()), self.rho, nan)

    def search_objective(self, low: float) -> tuple[str, *tuple[float, ...]]:
        """Returns ("mu",): the search for the worst pair of inputs maximises mu."""
        return ("mu",)

    def violation(self, text: Tracing, exact: ExactPrivacy, at: float) -> Violation | None:
        """The point (eps, delta) at which the exact bounds contradict this curve most; see `derived.violation`."""
        eps, place = largest_violation(exact, self.rho * RENYI_ORDERS, RENYI_ORDERS)
        order = text.variable("order")
        told = text.source(renyi_delta(text, text.variable("eps"), order, text.variable("rho") * order))
        return Violation(eps, "eps", told, {"eps": eps, "order": float(RENYI_ORDERS[place]), "rho": self.rho})

    def implied_approximate_dp(self, m: Vocabulary, eps: Number, delta: Number, slack: Number) -> tuple[Number, Number]:
        """The eps itself, and the smallest delta that zCDP guarantees at this eps, as formulas."""
        order = decimal_number(m, RENYI_ORDERS[best_order_for_delta(float(eps), self.rho * RENYI_ORDERS, RENYI_ORDERS)])
        return eps, renyi_delta(m, eps, order, decimal_number(m, self.rho) * order * (1 + slack))
