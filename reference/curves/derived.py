"""Properties of a curve that follow from its seven methods: its name, plot, trade-off function, and where it is
violated.

A curve may define an attribute or method of the same name, which then takes precedence: for example a closed form
instead of a grid.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.curves.curve import Curve, ExactPrivacy, NoGuarantee, StatementPart, Trace, Tracing, Violation
from dpbandits.reference.curves.test_errors import beta_from_approximate_dp

EPS_GRID = np.linspace(0.0, 20.0, 401)  # where a curve is asked for the eps at which a pair contradicts it


def parameter_name(curve: Curve) -> str:
    """The name of the claimed parameter: "eps" unless the curve defines another, such as mu, rho or gamma."""
    return str(getattr(curve, "parameter_name", "eps"))


def plot_kind(curve: Curve) -> str:
    """The plot that suits the curve: "profile" (delta against eps) unless the curve says "tradeoff" (beta against
    alpha).
    """
    return str(getattr(curve, "plot_kind", "profile"))


def guarantee_name(curve: Curve) -> str:
    """The guarantee as a short text, such as 0.5-GDP; by default the text of its parameters."""
    if own := getattr(curve, "name", ""):
        return str(own)
    numbers, at = curve.claimed_parameters()
    return " and ".join(
        curve.format_parameter(float(number), float(index_name)) for number, index_name in zip(numbers, at, strict=True)
    )


def statement_parts(curve: Curve, trace: Trace) -> list[StatementPart]:
    """The whole guarantee as sentences and formulas; by default its parameters in words."""
    if own := getattr(curve, "statement_parts", None):
        return list(own(trace))
    numbers, at = curve.claimed_parameters()
    said = [
        curve.format_parameter(float(number), float(index_name), 6)
        for number, index_name in zip(numbers, at, strict=True)
    ]
    return [{"kind": "words", "text": " and ".join(said)}]


def index_name(curve: Curve) -> str:
    """What the parameter depends on: "delta" unless the curve says "order"."""
    return str(getattr(curve, "index_name", "delta"))


def parameter_in_words(curve: Curve, value: float, at: float, sign: str = "") -> str:
    """A parameter in words: "eps 0.5 at delta 1e-06", or "eps >= 0.5 at delta 1e-06" with the sign ">= "; `at` is nan
    for a guarantee with one number."""
    return f"{parameter_name(curve)} {sign}{value:.4g}{'' if np.isnan(at) else f' at {index_name(curve)} {at:.3g}'}"


def beta_at(curve: Curve, alpha: ArrayLike) -> Array:
    """The trade-off function: the smallest type II error at each type I error, (m,). By default from delta_at on a grid
    of eps, which allows a little more than the curve.
    """
    if own := getattr(curve, "beta_at", None):
        return np.asarray(own(alpha))
    return beta_from_approximate_dp(alpha, EPS_GRID, curve.delta_at(EPS_GRID))


def profile(curve: Curve, eps: Array) -> tuple[Array, Array]:
    """The points (eps, delta) that plot the curve over this range of eps."""
    own = getattr(curve, "profile", None)
    return own(eps) if own else (eps, curve.delta_at(eps))


def certified_lower_bound(curve: Curve, exact: ExactPrivacy) -> float:
    """The exact lower bound on a pair's parameter; a curve may compute it without the upper one."""
    own = getattr(curve, "certified_lower_bound", None)
    return float(own(exact)) if own else curve.bounds(exact).low


class Divergences(NamedTuple):
    """Bounds on Renyi divergences in either direction; all (m,). The divergence of an order divided by its divisor is
    the curve's parameter there, and at most `claimed`.
    """

    orders: Array
    claimed: Array
    divisors: Array
    at: Array


def divergences(curve: Curve) -> Divergences | None:
    """The bounds on Renyi divergences that the curve guarantees; None if it defines none."""
    own = getattr(curve, "divergences", None)
    return Divergences(*own()) if own else None


def search_objective(curve: Curve, low: float) -> tuple[str, *tuple[float, ...]]:
    """What a search for the worst pair maximises when the certified lower bound is `low`: ("delta", eps), unless the
    curve says ("mu",) or ("eps", delta).
    """
    own = getattr(curve, "search_objective", None)
    return tuple(own(low)) if own else ("delta", low)


def violation(curve: Curve, text: Tracing, exact: ExactPrivacy, at: float) -> Violation | None:
    """The (eps, delta) at which the exact bounds contradict the curve; None if it cannot be written as a formula. By
    default at the grid point of eps where the pair's own delta exceeds the guaranteed one most.
    """
    if own := getattr(curve, "violation", None):
        return own(text, exact, at)  # type: ignore[no-any-return]
    eps = float(EPS_GRID[int(np.argmax(np.asarray(exact.delta(EPS_GRID)[0]) - curve.delta_at(EPS_GRID)))])
    try:
        promise = curve.implied_approximate_dp(text, text.variable("eps"), text.variable("delta"), text.number(0))
        written = [text.source(each) for each in promise]
    except (NoGuarantee, TypeError, ValueError, AttributeError):  # a formula that only numbers can go through
        return None
    return Violation(eps, written[0], written[1], {"eps": eps})
