"""What follows from a curve's seven methods: its name, its picture, its far side, and where it is contradicted.

A curve that knows better has an attribute or a method of the same name, which is asked first: a closed form instead of
a grid, its own points instead of stairs, another number than eps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.curves.curve import Broken, Curve, Exact, NoPromise, StatementPart, Trace, Tracing
from dpbandits.reference.curves.errors import least_beta

EPS_GRID = np.linspace(0.0, 20.0, 401)  # where a curve is asked for the eps at which a pair contradicts it


def unit(curve: Curve) -> str:
    """What the claimed number is called: "eps" unless the curve says mu, rho, gamma."""
    return str(getattr(curve, "unit", "eps"))


def picture(curve: Curve) -> str:
    """What shows it best: "profile" (delta against eps) unless the curve says "tradeoff" (beta against alpha)."""
    return str(getattr(curve, "picture", "profile"))


def name(curve: Curve) -> str:
    """The promise in a few characters, such as 0.5-GDP: what its only point is called, unless it has a name."""
    if own := getattr(curve, "name", ""):
        return str(own)
    numbers, at = curve.points()
    return " and ".join(curve.called(float(number), float(place)) for number, place in zip(numbers, at, strict=True))


def parts(curve: Curve, trace: Trace) -> list[StatementPart]:
    """The whole promise, with its formulas as source text: its points in words, unless it has formulas."""
    if own := getattr(curve, "parts", None):
        return list(own(trace))
    numbers, at = curve.points()
    said = [curve.called(float(number), float(place), 6) for number, place in zip(numbers, at, strict=True)]
    return [{"kind": "words", "text": " and ".join(said)}]


def place(curve: Curve) -> str:
    """What its number belongs to: "delta" unless the curve says "order"."""
    return str(getattr(curve, "place", "delta"))


def in_words(curve: Curve, value: float, at: float) -> str:
    """A number of the curve in words: "eps 0.5 at delta 1e-06"; `at` is nan where the number says it all."""
    return f"{unit(curve)} {value:.4g}{'' if np.isnan(at) else f' at {place(curve)} {at:.3g}'}"


def beta_at(curve: Curve, alpha: Any) -> Array:
    """The smallest type II error that it allows at each type I error, (m,): that of all its (eps, delta) on a grid,
    unless the curve knows it in closed form. A grid allows a little more than the curve."""
    if own := getattr(curve, "beta_at", None):
        return np.asarray(own(alpha))
    return least_beta(alpha, EPS_GRID, curve.delta_at(EPS_GRID))


def profile(curve: Curve, eps: Array) -> tuple[Array, Array]:
    """The points (eps, delta) that draw it over this range of eps: its delta at each, unless it bends elsewhere."""
    own = getattr(curve, "profile", None)
    return own(eps) if own else (eps, curve.delta_at(eps))


def certified(curve: Curve, exact: Exact) -> float:
    """The lower end of the engine's answer about a pair; a curve that has it cheaper alone says so."""
    own = getattr(curve, "certified", None)
    return float(own(exact)) if own else curve.bounds(exact).low


class Divergences(NamedTuple):
    """What a curve promises about Renyi divergences, in either direction; all (m,). The divergence of an order over
    its divisor is the curve's number at that place, and no more than claimed."""

    orders: Array
    claimed: Array
    divisors: Array
    at: Array


def divergences(curve: Curve) -> Divergences | None:
    """What it promises about Renyi divergences; None unless the curve says so."""
    own = getattr(curve, "divergences", None)
    return Divergences(*own()) if own else None


def objective(curve: Curve, low: float) -> tuple[Any, ...]:
    """What a search for the worst pair raises, once so much is certified: ("delta", eps), unless the curve says
    ("mu",) or ("eps", delta)."""
    own = getattr(curve, "objective", None)
    return tuple(own(low)) if own else ("delta", low)


def broken(curve: Curve, text: Tracing, exact: Exact, at: float) -> Broken | None:
    """The (eps, delta) at which the engine contradicts it; None where it cannot be written down. Unless the curve says
    where: at the eps of a grid where the pair's own delta lies farthest above it."""
    if own := getattr(curve, "broken", None):
        return own(text, exact, at)  # type: ignore[no-any-return]
    eps = float(EPS_GRID[int(np.argmax(np.asarray(exact.delta(EPS_GRID)[0]) - curve.delta_at(EPS_GRID)))])
    try:
        promise = curve.promised(text, text.variable("eps"), text.variable("delta"), text.number(0))
        written = [text.source(each) for each in promise]
    except (NoPromise, TypeError, ValueError, AttributeError):  # a formula that only numbers can go through
        return None
    return Broken(eps, written[0], written[1], {"eps": eps})
