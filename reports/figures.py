"""The pictures of the report: what was claimed, what is exact, what was certified, and the same in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from dpbandits.reference.claims.findings import Side, above, below
from dpbandits.reports import vector
from dpbandits.reports.charts import lines, matrix, regret
from dpbandits.reports.plotting import (
    DASHES,
    MIN_DRAWN_VALUE,
    PICTURE_HEIGHT,
    PICTURE_WIDTH,
    Array,
    Key,
    Picture,
    curve_at,
    curve_rows,
    dashed,
    decades,
    empty_picture,
    enclosure_in_words,
    exact_curve_rows,
    finite_points,
    key,
    pictured,
    thin_curve,
    ticks,
)
from dpbandits.reports.words import count_phrase, format_number, toward

DRAWABLE = 1e150  # what is far beyond has limits and ticks that are no doubles
MIN_LINEAR_ERROR = 0.02  # a trade-off curve whose alpha = beta is below this cannot be seen on linear axes


def draw(item: Mapping[str, Any], name: str) -> Picture:
    """The picture of an item of evidence. name: unique on the page. KeyError for a kind without pictures."""
    made = PICTURE_MAKERS[item["kind"]]
    if item["kind"] != "matrix" and largest_magnitude(item) > DRAWABLE:
        return empty_picture(name, "Some of its numbers are too large for any axis; they stand in findings.json.")
    with vector.drawing():
        return made(item, name)


def largest_magnitude(node: Any) -> float:
    """The largest absolute value of a number in the data; 0 for none."""
    if isinstance(node, Mapping):
        return max(map(largest_magnitude, node.values()), default=0.0)
    if isinstance(node, list | tuple):
        return max(map(largest_magnitude, node), default=0.0)
    return abs(node) if isinstance(node, int | float) else 0.0


class DrawnCurves(NamedTuple):
    """What a picture about privacy shows, each of shape (points, 2), by rising x; empty where there is nothing.

    claimed: what nothing may lie beyond. low, high: they enclose what is exact for one pair of inputs. resolved: the
    mildest violation that the run would have seen. points: certified ones, for a trade-off with four coordinates.
    """

    claimed: Array
    low: Array
    high: Array
    resolved: Array
    points: Array


def drawn_curves(item: Mapping[str, Any], points: Array) -> DrawnCurves:
    claimed, low, high = (finite_points(item[part]) for part in ("claimed", "exact_low", "exact_high"))
    return DrawnCurves(claimed, low, high, finite_points(item.get("resolved", ())), points)


def tradeoff(item: Mapping[str, Any], name: str) -> Picture:
    points = finite_points([[p["alpha"], p["beta"], p["alpha_upper"], p["beta_upper"]] for p in item["points"]], 4)
    claimed, low, high, resolved, _ = curves = drawn_curves(item, points)
    if not claimed.size + low.size + high.size + points.size:
        return empty_picture(name, "The finding gives no point of any trade-off curve.")
    figure, axes = vector.canvas(PICTURE_HEIGHT + 42, PICTURE_HEIGHT + 34)
    smallest = crossing([curve for curve in (low, high, points[:, 2:]) if curve.size] or [claimed])
    log = smallest < MIN_LINEAR_ERROR
    lowest = min(smallest, crossing([claimed])) if claimed.size else smallest
    floor = max(lowest / 100, smallest / 1e6, MIN_DRAWN_VALUE) if log else 0.0
    if log:
        axes.set(xscale="log", yscale="log", xlim=(floor, 1.2), ylim=(floor, 1.2))
    else:
        axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.set_aspect("equal")
    line = np.geomspace(floor, 1 - 1e-9, 200) if log else np.array([0.0, 1.0])
    axes.plot(line, 1 - line, color=vector.MUTED, linewidth=0.7, linestyle=dashed(DASHES[2]))
    keys = [key("perfect privacy", "line", vector.MUTED, DASHES[2])]
    hidden = not (claimed[:, :2] >= floor).all(axis=1).any()
    if claimed.size and not hidden:
        keys.append(draw_claimed_curve(axes, claimed, below=True))
    keys += draw_unseen_band(axes, claimed, resolved)
    keys += draw_exact_band(axes, low, high)
    keys += draw_certified_errors(axes, points, clipped=log)
    axes.set(xlabel="α, type I error", ylabel="β, type II error")
    ticks(axes, log, log)
    words = [f"Type II error β against type I error α{', on logarithmic axes' if log else ''}."]
    words += tradeoff_in_words(curves, hidden)
    rows = [
        *curve_rows("claimed", claimed),
        *exact_curve_rows(low, high),
        *curve_rows("resolved", resolved),
        *(("measured", *point[:2], None, None) for point in points.tolist()),
        *(("certified", *(toward(end, Side.ABOVE, 5) for end in point[2:]), None, None) for point in points.tolist()),
    ]
    return pictured(name, figure, keys, words, ("curve", "α", "β", below("low"), above("high")), rows)


def draw_certified_errors(axes: Axes, points: Array, clipped: bool) -> list[Key]:
    """Certified points of a trade-off, each with what was measured. clipped: at the edges of the axes."""
    if not len(points):
        return []
    for alpha, beta, right, up in points:
        axes.plot([alpha, right, right], [beta, beta, up], color=vector.CERTIFIED, linewidth=0.6, alpha=0.7)
    axes.plot(points[:, 0], points[:, 1], "+", color=vector.CERTIFIED, markersize=4, alpha=0.7)
    axes.plot(points[:, 2], points[:, 3], "o", color=vector.CERTIFIED, markersize=3.6, clip_on=clipped)
    return [key("certified point, and the measurement (+)", "dot", vector.CERTIFIED)]


def tradeoff_in_words(curves: DrawnCurves, hidden: bool) -> list[str]:
    """What can be read off each curve. hidden: the claimed one lies below the picture."""
    claimed, low, high, resolved, points = curves
    words = []
    if len(claimed):
        words.append(f"The claimed curve has β = {format_number(curve_at(claimed, 0.05))} at α = 0.05.")
    if len(resolved):
        words.append(
            f"A violation that reaches down to β = {format_number(curve_at(resolved, 0.05))} there would be seen."
        )
    if len(claimed) and hidden:
        words.append("It runs below everything that is shown.")
    if len(low) and len(high):
        words.append(f"The exact curve there {enclosure_in_words(curve_at(low, 0.05), curve_at(high, 0.05))}.")
    if len(points):
        words.append(f"{count_phrase(len(points), 'certified point', 'certified points')}.")
    if len(points) and len(claimed) > 1:
        gaps = points[:, 3] - np.interp(points[:, 2], claimed[:, 0], claimed[:, 1])
        _, _, alpha, beta = points[gaps.argmin()].tolist()
        words.append(
            f"The one that lies lowest against the claimed curve has α = {format_number(alpha)} and "
            f"β = {format_number(beta)}, where the claimed curve has {format_number(curve_at(claimed, alpha))}."
        )
    return words


def crossing(curves: Sequence[Array]) -> float:
    """The smallest positive value that max(alpha, beta) takes on any of these curves."""
    values = np.concatenate([curve[:, :2].max(axis=1) for curve in curves])
    return float(values[values > 0].min(initial=1.0))


def draw_claimed_curve(axes: Axes, curve: Array, below: bool) -> Key:
    """The claimed curve, and a faint shade on the side that the claim excludes: below or above the curve."""
    curve = thin_curve(axes, curve)
    bottom, top = axes.get_ylim()
    edge = bottom if below else top
    shade = np.concatenate([curve, [[curve[-1, 0], edge], [curve[0, 0], edge]]])
    axes.fill(shade[:, 0], shade[:, 1], color=vector.CLAIMED, alpha=0.08, linewidth=0)
    style: dict[str, Any] = {"marker": "s", "markersize": 4} if len(curve) == 1 else {}
    axes.plot(curve[:, 0], curve[:, 1], color=vector.CLAIMED, **style)
    return key("claimed; nothing may lie in the shaded part", "line", vector.CLAIMED)


def draw_exact_band(axes: Axes, low: Array, high: Array) -> list[Key]:
    """The two curves that enclose the exact one, and the band between them."""
    if not low.size + high.size:
        return []
    low, high = thin_curve(axes, low), thin_curve(axes, high)
    if low.size and high.size:
        loop = np.concatenate([low, high[::-1]])
        axes.fill(loop[:, 0], loop[:, 1], color=vector.EXACT, alpha=0.25, linewidth=0)
    for curve in (low, high):
        if curve.size:
            style: dict[str, Any] = {"marker": "s", "markersize": 3} if len(curve) == 1 else {}
            axes.plot(curve[:, 0], curve[:, 1], color=vector.EXACT, linewidth=1.0, **style)
    return [key("exact curve of one pair of inputs", "band", vector.EXACT)]


def draw_unseen_band(axes: Axes, claimed: Array, resolved: Array) -> list[Key]:
    """The band between the claim and the mildest violation that the run would have seen, and its key."""
    if not resolved.size or len(claimed) < 2:
        return []
    claimed, resolved = thin_curve(axes, claimed), thin_curve(axes, resolved)
    loop = np.concatenate([claimed, resolved[::-1]])
    axes.fill(loop[:, 0], loop[:, 1], color=vector.CERTIFIED, alpha=0.18, linewidth=0)
    axes.plot(resolved[:, 0], resolved[:, 1], color=vector.CERTIFIED, linewidth=0.8)
    return [key("violations that this run may not see", "band", vector.CERTIFIED)]


# -- privacy profiles ----------------------------------------------------------------------------------------


def profile(item: Mapping[str, Any], name: str) -> Picture:
    points = finite_points([[p["eps"], p["delta_lower"]] for p in item["points"]])
    claimed, low, high, resolved, _ = curves = drawn_curves(item, points)
    everything = np.concatenate([claimed, low, high, points])
    limits = decades(everything[:, 1])
    if limits is None:
        return empty_picture(name, "The finding gives no point with a positive δ, so there is nothing to draw.")
    figure, axes = vector.canvas(PICTURE_WIDTH, PICTURE_HEIGHT)
    bottom, top = limits
    right = float(everything[:, 0].max()) or 1.0
    axes.set(yscale="log", ylim=(bottom, min(top, 1.5)), xlim=(min(0.0, float(everything[:, 0].min())), 1.03 * right))
    keys = []
    if claimed.size:
        keys.append(draw_claimed_curve(axes, raised(claimed, bottom), below=False))
    keys += draw_unseen_band(axes, raised(claimed, bottom), raised(resolved, bottom))
    keys += draw_exact_band(axes, raised(low, bottom), raised(high, bottom))
    if points.size:
        seen = points[points[:, 1] >= bottom]
        axes.plot(seen[:, 0], seen[:, 1], "^", color=vector.CERTIFIED, markersize=4, clip_on=False)
        keys.append(key("certified lower bound", "triangle", vector.CERTIFIED))
    axes.set(xlabel="ε", ylabel="δ")
    ticks(axes, log_y=True)
    words = ["The smallest δ against ε; δ on a logarithmic axis.", *profile_in_words(curves)]
    rows = [
        *curve_rows("claimed", claimed),
        *exact_curve_rows(low, high),
        *(("certified, at least", eps, toward(delta, Side.BELOW, 5), None, None) for eps, delta in points.tolist()),
    ]
    return pictured(name, figure, keys, words, ("curve", "ε", "δ", below("low"), above("high")), rows)


def profile_in_words(curves: DrawnCurves) -> list[str]:
    """Where each curve begins and ends, what is certified, and where a delta of 0 leaves the picture."""
    claimed, low, high, _, points = curves
    words = []
    if len(claimed) == 1:
        words.append(
            f"Claimed: δ = {format_number(float(claimed[0][1]))} at ε = {format_number(float(claimed[0][0]))}."
        )
    elif len(claimed):
        (first, most), (last, least) = claimed[0].tolist(), claimed[-1].tolist()
        words.append(
            f"The claimed curve falls from {format_number(most)} at ε = {format_number(first)} "
            f"to {format_number(least)} at ε = {format_number(last)}."
        )
    if len(low) and len(high):
        middle = float(low[len(low) // 2][0])
        words.append(
            f"At ε = {format_number(middle)} the exact δ "
            f"{enclosure_in_words(curve_at(low, middle), curve_at(high, middle))}."
        )
    if len(points):
        words.append(f"{count_phrase(len(points), 'certified lower bound', 'certified lower bounds')}.")
    if len(points) and len(high) and any(delta > curve_at(high, eps) for eps, delta in points.tolist()):
        words.append("Those above the exact curve are about another pair of inputs than the one that it belongs to.")
    for which, curve in (("claimed", claimed), ("exact", high)):
        if (zero := curve[curve[:, 1] <= 0]).size:
            words.append(
                f"The {which} δ is 0 from ε = {format_number(float(zero[0][0]))} on, below any logarithmic axis."
            )
    return words


def raised(curve: Array, bottom: float) -> Array:
    """The curve with a delta of zero, or nearly, just below the axis, so that lines and bands leave there."""
    return np.maximum(curve, [-np.inf, bottom / 10])


PICTURE_MAKERS: Mapping[str, Callable[[Mapping[str, Any], str], Picture]] = {
    "tradeoff": tradeoff,
    "profile": profile,
    "lines": lines,
    "matrix": matrix,
    "regret": regret,
}
