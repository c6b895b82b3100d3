"""Zero-concentrated differential privacy (Bun, Steinke 2016)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import normalize_numeric_fields, not_negative
from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.curves.curve import Bounds, Broken, Exact, Tracing, as_written
from dpbandits.reference.curves.errors import renyi_lower
from dpbandits.reference.curves.formulas import renyi_delta
from dpbandits.reference.curves.renyi import best_order, both_ways, delta_from_renyi, least_beta, where_broken
from dpbandits.reference.curves.shapes import SPARSE_TESTS, MechanismErrors, normal_errors

# Orders that are looked at, 1 among them as a limit from above. Between two of them, a < b, the divergence of order c
# is at most that of order b, because it grows with the order: so that D_c / c <= D_b / a.
RENYI_ORDERS = 1 + el.geometric(1e-3, 1e4, 141)


@dataclass(frozen=True)
class Concentrated:
    """rho-zCDP: the Renyi divergence of every order alpha > 1, in either direction, is at most rho alpha. rho >= 0."""

    rho: float

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        not_negative("rho-zCDP: rho", self.rho)

    unit = "rho"
    picture = "tradeoff"

    def called(self, value: float, at: float, digits: int = 4) -> str:
        return f"{value:.{digits}g}-zCDP"

    def points(self) -> tuple[Array, Array]:
        return np.array([self.rho], dtype=np.float64), np.array([nan])

    def shown(self, alpha: Any, beta: Any, at: Any) -> Any:
        alpha, beta = np.asarray(alpha)[..., None], np.asarray(beta)[..., None]
        return (renyi_lower(alpha, beta, RENYI_ORDERS) / RENYI_ORDERS).max(axis=-1)

    def divergences(self) -> tuple[Array, Array, Array, Array]:
        """Orders, what is claimed of the divergence over its divisor, the divisors, and no place; (m,) each."""
        same = np.full(len(RENYI_ORDERS), self.rho)
        return RENYI_ORDERS, same, RENYI_ORDERS, np.full(len(RENYI_ORDERS), nan)

    @property
    def shapes(self) -> Mapping[str, MechanismErrors]:
        return {"Gaussian": lambda rho, at, tests=SPARSE_TESTS: normal_errors(np.sqrt(2 * rho), tests)}

    def beta_at(self, alpha: Any) -> Array:
        return least_beta(alpha, self.rho * RENYI_ORDERS, RENYI_ORDERS)

    def delta_at(self, eps: Any) -> Array:
        return delta_from_renyi(eps, self.rho * RENYI_ORDERS, RENYI_ORDERS)

    def bounds(self, exact: Exact) -> Bounds:
        low, high = np.array([both_ways(exact, float(order)) for order in RENYI_ORDERS]).T
        pure = exact.eps(0.0)[1]  # no divergence of any order is larger
        above = np.append(high, pure) / np.append(1.0, RENYI_ORDERS)
        return Bounds(float((low / RENYI_ORDERS).max()), float(above.max()), self.rho, nan)

    def objective(self, low: float) -> tuple[Any, ...]:
        return ("mu",)

    def broken(self, text: Tracing, exact: Exact, at: float) -> Broken | None:
        eps, place = where_broken(exact, self.rho * RENYI_ORDERS, RENYI_ORDERS)
        order = text.variable("order")
        told = text.source(renyi_delta(text, text.variable("eps"), order, text.variable("rho") * order))
        return Broken(eps, "eps", told, {"eps": eps, "order": float(RENYI_ORDERS[place]), "rho": self.rho})

    def promised(self, m: Vocabulary, eps: Number, delta: Number, slack: Number) -> tuple[Number, Number]:
        order = as_written(m, RENYI_ORDERS[best_order(float(eps), self.rho * RENYI_ORDERS, RENYI_ORDERS)])
        return eps, renyi_delta(m, eps, order, as_written(m, self.rho) * order * (1 + slack))
