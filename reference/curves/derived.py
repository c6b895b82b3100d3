"""Properties of a curve that are computed from its seven methods: its name, its trade-off function, where it is
violated, and points for its plot.

A curve may define an attribute or method of the same name as a function here, which then takes precedence: for example
a closed form instead of a grid.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.curves.conversions import beta_from_approximate_dp
from dpbandits.reference.curves.curve import Curve, ExactPrivacy, NoGuarantee, StatementPart, Trace, Tracing, Violation

EPS_GRID = np.linspace(0.0, 20.0, 401)  # where a curve is asked for the eps at which a pair contradicts it


def parameter_name(curve: Curve) -> str:
    """The name of the claimed parameter: "eps" unless the curve defines another, such as mu, rho or gamma."""
    return str(getattr(curve, "parameter_name", "eps"))


def plot_kind(curve: Curve) -> str:
    """The plot that suits the curve.
    "profile" (delta against eps) unless the curve says "tradeoff" (beta against alpha).
    """
    return str(getattr(curve, "plot_kind", "profile"))


def guarantee_name(curve: Curve, number: Callable[[float], float] = float) -> str:
    """The guarantee as a short text, such as "0.5-GDP", by default made from the curve's parameters.
    number: how a parameter is rounded."""
    if own := getattr(curve, "name", ""):
        return str(own)
    numbers, at = curve.claimed_parameters()
    return " and ".join(
        curve.format_parameter(number(float(value)), float(place)) for value, place in zip(numbers, at, strict=True)
    )


def statement_parts(curve: Curve, trace: Trace) -> list[StatementPart]:
    """The statement of the guarantee in parts, which are sentences and formulas; by default its parameters in words."""
    if own := getattr(curve, "statement_parts", None):
        return list(own(trace))
    numbers, at = curve.claimed_parameters()
    said = [
        curve.format_parameter(float(number), float(index_name), 6)
        for number, index_name in zip(numbers, at, strict=True)
    ]
    return [{"kind": "words", "text": " and ".join(said)}]


def index_name(curve: Curve) -> str:
    """The name of what a curve's parameter depends on: "delta" unless the curve has `index_name` "order"."""
    return str(getattr(curve, "index_name", "delta"))


def parameter_in_words(curve: Curve, value: float, at: float, sign: str = "") -> str:
    """A parameter in words: "eps 0.5 at delta 1e-06", or "eps >= 0.5 at delta 1e-06" with the sign ">= ".
    `at` is nan for a guarantee with one number."""
    return f"{parameter_name(curve)} {sign}{value:.4g}{'' if np.isnan(at) else f' at {index_name(curve)} {at:.3g}'}"


def beta_at(curve: Curve, alpha: ArrayLike) -> Array:
    """The trade-off function of the curve: the smallest type II error at each type I error, (m,).
    By default from delta_at on a grid of eps, which allows a little more than the curve.
    """
    if own := getattr(curve, "beta_at", None):
        return np.asarray(own(alpha))
    return beta_from_approximate_dp(alpha, EPS_GRID, curve.delta_at(EPS_GRID))


def profile(curve: Curve, eps: Array) -> tuple[Array, Array]:
    """The points (eps, delta) of the curve's plot over the range of the given eps."""
    own = getattr(curve, "profile", None)
    return own(eps) if own else (eps, curve.delta_at(eps))


def certified_lower_bound(curve: Curve, exact: ExactPrivacy) -> float:
    """The certified lower bound on the privacy parameter of a pair of inputs."""
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
    """The bounds on Renyi divergences that the curve guarantees, as `Divergences`; None if it defines none."""
    own = getattr(curve, "divergences", None)
    return Divergences(*own()) if own else None


def search_objective(curve: Curve, low: float) -> tuple[str, *tuple[float, ...]]:
    """The quantity that a search for the worst pair maximises: ("delta", eps), unless the curve's own method returns
    ("mu",) or ("eps", delta)."""
    own = getattr(curve, "search_objective", None)
    return tuple(own(low)) if own else ("delta", low)


def violation(curve: Curve, text: Tracing, exact: ExactPrivacy, at: float) -> Violation | None:
    """The (eps, delta) at which the exact bounds contradict the curve; None if it cannot be written as a formula.
    By default at the grid point of eps where the pair's own delta exceeds the guaranteed one most.
    """
    if own := getattr(curve, "violation", None):
        return own(text, exact, at)  # type: ignore[no-any-return]
    eps = most_violated_eps(curve.delta_at, exact)
    try:
        promise = curve.implied_approximate_dp(text, text.variable("eps"), text.variable("delta"), text.number(0))
        written = [text.source(each) for each in promise]
    except (NoGuarantee, TypeError, ValueError, AttributeError):  # a formula that only numbers can go through
        return None
    return Violation(eps, written[0], written[1], {"eps": eps})


def most_violated_eps(delta_at: Callable[[Array], Array], exact: ExactPrivacy) -> float:
    """The eps of EPS_GRID at which a pair's own delta exceeds the guaranteed one, `delta_at`, most."""
    return float(EPS_GRID[int(np.argmax(np.asarray(exact.delta(EPS_GRID)[0]) - delta_at(EPS_GRID)))])


# -- the plot ----------------------------------------------------------------------------------------------------------

ACROSS, UP = 400.0, 280.0  # pixels that a picture of the report takes, at most
# Of a pixel: how far a curve may lie from the middle of a chord; a bend between may be off by twice that
CHORD_TOLERANCE_PIXELS = 0.25
MAX_STEP_HALVINGS = 12  # of halving: 2^-12 of the first step is no pixel any more
LOG_AXIS_FLOOR = 1e-15  # nothing smaller is drawn on a logarithmic axis


def adaptive_abscissae(curve: Callable[[Array], Any], x: Array, log_x: bool = False, log_y: bool = False) -> Array:
    """The points x, (n,), ascending, and more points between them where the curve bends, so that its plot looks smooth.

    curve: maps (m,) to (m,) or, for several curves at the same x, to (curves, m). log_x, log_y: whether the axes are
    logarithmic; values below LOG_AXIS_FLOOR, and below the least positive value at the given x, are drawn at the end of
    the axis.
    """
    values = np.atleast_2d(np.asarray(curve(x), float))
    bottom = max(LOG_AXIS_FLOOR, float(values[values > 0].min(initial=1.0))) if log_y else 0.0

    def flat(at: Array, value: Array) -> tuple[Array, Array]:
        """The positions of points on the plot, on logarithmic axes as their logarithms."""
        return (el.log(np.maximum(at, LOG_AXIS_FLOOR)) if log_x else at), (
            el.log(np.maximum(value, bottom)) if log_y else value
        )

    wide, high = (float(np.ptp(side)) or 1.0 for side in flat(x, values))
    ends = np.stack([x[:-1], x[1:]])  # of chords that are still to be looked at: (2, m),
    heights = np.stack([values[:, :-1], values[:, 1:]], axis=1)  # and the curves there: (curves, 2, m)
    found = [x]
    for _ in range(MAX_STEP_HALVINGS):
        middle = np.sqrt(ends[0] * ends[1]) if log_x and (ends[0] > 0).all() else ends.mean(axis=0)
        here = np.atleast_2d(np.asarray(curve(middle), float))
        at, up = flat(ends, heights)
        seen_at, seen = flat(middle, here)
        run = np.maximum((at[1] - at[0]) / wide * ACROSS, 1e-9)
        rise = (up[:, 1] - up[:, 0]) / high * UP
        share = (seen_at - at[0]) / wide * ACROSS / run
        away = np.abs((seen - up[:, 0]) / high * UP - share * rise) * run / np.hypot(run, rise)
        bent = (away > CHORD_TOLERANCE_PIXELS).any(axis=0)
        if not bent.any():
            break
        found.append(middle[bent])
        both = np.tile(bent, 2)
        halves = [np.stack([ends[0], middle]), np.stack([middle, ends[1]])]
        sides = [np.stack([heights[:, 0], here], axis=1), np.stack([here, heights[:, 1]], axis=1)]
        ends, heights = np.concatenate(halves, axis=1)[:, both], np.concatenate(sides, axis=2)[..., both]
    return np.unique(np.concatenate(found))
