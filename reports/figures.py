"""Pictures of evidence: trade-off curves, privacy profiles, series of points, matrices, and regret with its bound."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from dpbandits.reference.claims.findings import Column, Side, above, below, columns_of
from dpbandits.reference.claims.records import (
    Cell,
    Lines,
    Matrix,
    PicturedItem,
    PrivacyProfile,
    Regret,
    RegretRow,
    SeriesRecord,
    Tradeoff,
)
from dpbandits.reports import vector
from dpbandits.reports.plotting import (
    DASHES,
    MIN_DRAWN_VALUE,
    PICTURE_HEIGHT,
    PICTURE_WIDTH,
    Array,
    Key,
    Picture,
    TableRow,
    curve_at,
    curve_rows,
    dashed,
    decades,
    empty_picture,
    enclosure_in_words,
    exact_curve_rows,
    finite_points,
    legend_entry,
    pictured,
    thin_curve,
    ticks,
)
from dpbandits.reports.refutations import PrivacyExcess
from dpbandits.reports.words import DASH, count_phrase, format_number, rounded_safely, shorten_text, symbols

DRAWABLE = 1e150  # what is far beyond has limits and ticks that are no doubles
ALPHAS_BELOW_TEST = 1e3  # a logarithmic axis of type I errors begins so many times below the test's
MIN_LINEAR_ERROR = 0.02  # a trade-off curve whose alpha = beta is below this cannot be seen on linear axes


def draw(item: PicturedItem, name: str) -> Picture:
    """Draws the picture of an item of evidence. name: unique on the page."""
    if item["kind"] == "matrix":
        return matrix(item, name)
    if largest_magnitude(item) > DRAWABLE:
        return empty_picture(name, "Some of its numbers are too large for any axis; they stand in findings.json.")
    with vector.drawing():
        match item["kind"]:
            case "tradeoff":
                return tradeoff(item, name)
            case "profile":
                return profile(item, name)
            case "lines":
                return lines(item, name)
            case "regret":
                return regret(item, name)


def largest_magnitude(node: object) -> float:
    """The largest absolute value of a number anywhere in the data; 0 if it contains none."""
    if isinstance(node, Mapping):
        return max(map(largest_magnitude, node.values()), default=0.0)
    if isinstance(node, list | tuple):
        return max(map(largest_magnitude, node), default=0.0)
    return abs(node) if isinstance(node, int | float) else 0.0


class DrawnCurves(NamedTuple):
    """The curves of a figure about privacy, each of shape (points, 2), with increasing x; empty if missing.

    claimed: the claimed curve. low, high: bounds of the exact curve for one pair of inputs. resolved: the smallest
    violation that the run would have detected. points: certified points, with four coordinates for a trade-off.
    """

    claimed: Array
    low: Array
    high: Array
    resolved: Array
    points: Array


def drawn_curves(item: Tradeoff | PrivacyProfile, points: Array) -> DrawnCurves:
    """Returns the curves of an item of evidence as arrays. points: the item's certified points."""
    claimed, low, high = map(finite_points, (item["claimed"], item["exact_low"], item["exact_high"]))
    return DrawnCurves(claimed, low, high, finite_points(item.get("resolved", ())), points)


def tradeoff(item: Tradeoff, name: str) -> Picture:
    """Draws a trade-off: type II error against type I error. name: unique on the page."""
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
    keys = [legend_entry("perfect privacy", "line", vector.MUTED, DASHES[2])]
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
    words += violation_in_words(claimed, high, log)
    rows = [
        *curve_rows("claimed", claimed),
        *exact_curve_rows(low, high),
        *curve_rows("resolved", resolved),
        *(("measured", *point[:2], None, None) for point in points.tolist()),
        *(
            ("certified", *(rounded_safely(end, Side.ABOVE, 5) for end in point[2:]), None, None)
            for point in points.tolist()
        ),
    ]
    return pictured(name, figure, keys, words, ("curve", "α", "β", below("low"), above("high")), rows)


def draw_certified_errors(axes: Axes, points: Array, clipped: bool) -> list[Key]:
    """Draws certified points of a trade-off, each with the measured errors, and returns their legend.
    clipped: whether to cut the points at the edges of the axes."""
    if not len(points):
        return []
    for alpha, beta, right, up in points:
        axes.plot([alpha, right, right], [beta, beta, up], color=vector.CERTIFIED, linewidth=0.6, alpha=0.7)
    axes.plot(points[:, 0], points[:, 1], "+", color=vector.CERTIFIED, markersize=4, alpha=0.7)
    axes.plot(points[:, 2], points[:, 3], "o", color=vector.CERTIFIED, markersize=3.6, clip_on=clipped)
    return [legend_entry("certified point, and the measurement (+)", "dot", vector.CERTIFIED)]


def tradeoff_in_words(curves: DrawnCurves, hidden: bool) -> list[str]:
    """Sentences that describe each curve of a trade-off. hidden: whether the claimed curve lies below the picture."""
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


def violation_in_words(claimed: Array, high: Array, log: bool) -> list[str]:
    """A sentence about where the exact curve lies farthest below the claimed one; none if it lies nowhere below.
    It also states whether linear axes can show the difference. high: an upper bound on the exact curve."""
    if len(claimed) < 2 or len(high) < 2:
        return []
    alphas = np.union1d(claimed[:, 0], high[:, 0])
    below, above = (np.interp(alphas, *curve.T) for curve in (high, claimed))
    farthest = int((above - below).argmax())
    gap = float(above[farthest] - below[farthest])
    if gap <= 0:
        return []
    alpha, beta, wanted = (format_number(float(each[farthest])) for each in (alphas, below, above))
    unseen = ", which is too small a difference for these axes" if gap < MIN_LINEAR_ERROR and not log else ""
    return [f"At α = {alpha} the exact curve has β = {beta}, and the claimed curve {wanted}{unseen}."]


def crossing(curves: Sequence[Array]) -> float:
    """The smallest positive value of max(alpha, beta) at the points of these curves; 1 if there is none."""
    values = np.concatenate([curve[:, :2].max(axis=1) for curve in curves])
    return float(values[values > 0].min(initial=1.0))


def draw_claimed_curve(axes: Axes, curve: Array, below: bool) -> Key:
    """Draws the claimed curve, with a light shade on the excluded side, and returns its legend.
    below: whether the claim excludes what lies below."""
    curve = thin_curve(axes, curve)
    bottom, top = axes.get_ylim()
    edge = bottom if below else top
    shade = np.concatenate([curve, [[curve[-1, 0], edge], [curve[0, 0], edge]]])
    axes.fill(shade[:, 0], shade[:, 1], color=vector.CLAIMED, alpha=0.08, linewidth=0)
    style: dict[str, Any] = {"marker": "s", "markersize": 4} if len(curve) == 1 else {}
    axes.plot(curve[:, 0], curve[:, 1], color=vector.CLAIMED, **style)
    return legend_entry("claimed; nothing may lie in the shaded part", "line", vector.CLAIMED)


def draw_exact_band(axes: Axes, low: Array, high: Array) -> list[Key]:
    """Draws the two curves that enclose the exact one, with the band between them, and returns their legend."""
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
    return [legend_entry("exact curve of one pair of inputs", "band", vector.EXACT)]


def draw_unseen_band(axes: Axes, claimed: Array, resolved: Array) -> list[Key]:
    """Draws the band of violations that the run may have missed, and returns its legend.
    It lies between the claim and the smallest violation that the run would have detected."""
    if not resolved.size or len(claimed) < 2:
        return []
    claimed, resolved = thin_curve(axes, claimed), thin_curve(axes, resolved)
    loop = np.concatenate([claimed, resolved[::-1]])
    axes.fill(loop[:, 0], loop[:, 1], color=vector.CERTIFIED, alpha=0.18, linewidth=0)
    axes.plot(resolved[:, 0], resolved[:, 1], color=vector.CERTIFIED, linewidth=0.8)
    return [legend_entry("violations that this run may not see", "band", vector.CERTIFIED)]


def draw_excess(excess: PrivacyExcess, name: str) -> Picture:
    """The picture of a test whose errors the claimed guarantee excludes. excess: with its test.
    The picture is empty if no axes can show the difference."""
    assert excess.test is not None
    alpha, power = excess.test
    if power - power_allowed(excess) < MIN_LINEAR_ERROR:
        test = f"A test with type I error {format_number(alpha)} has power {format_number(power)}"
        claimed = f"the claim ({excess.unit} = {format_number(excess.promised)}{excess.at_delta}) "
        most = f"allows at most {format_number(power_allowed(excess))}"
        return empty_picture(name, f"{test}, and {claimed}{most}. The difference is too small for a picture.")
    with vector.drawing():
        return draw_excluded_test(excess, alpha, 1 - power, name)


def power_allowed(excess: PrivacyExcess) -> float:
    """The largest power that the claimed guarantee allows at the test's type I error.
    It is also exact for small powers."""
    assert excess.test is not None
    if excess.delta is None:
        return math.erfc(-(NormalDist().inv_cdf(excess.test[0]) + excess.promised) / math.sqrt(2)) / 2
    factor, alpha = math.exp(excess.promised), excess.test[0]
    return min(1.0, factor * alpha + excess.delta, 1 - (1 - excess.delta - alpha) / factor)


def draw_excluded_test(excess: PrivacyExcess, alpha: float, beta: float, name: str) -> Picture:
    """The picture of a test with type I error alpha and type II error beta, which the claim excludes.
    The axis of alpha is logarithmic if the test's alpha is small."""
    figure, axes = vector.canvas(PICTURE_HEIGHT + 42, PICTURE_HEIGHT + 34)
    log = alpha < MIN_LINEAR_ERROR
    least = alpha / ALPHAS_BELOW_TEST if log else 0.0
    axes.set(xscale="log" if log else "linear", xlim=(least, 1), ylim=(0, 1))
    axes.set(xlabel="α, type I error", ylabel="β, type II error")
    places = np.union1d(np.geomspace(least, 1, 301) if log else np.linspace(0, 1, 201), [alpha])
    axes.plot(places, 1 - places, color=vector.MUTED, linewidth=0.7, linestyle=dashed(DASHES[2]))
    claimed = np.column_stack([places, excess.claimed.beta_at(places)])
    keys = [
        legend_entry("perfect privacy", "line", vector.MUTED, DASHES[2]),
        draw_claimed_curve(axes, claimed, below=True),
    ]
    mixed = np.interp(places, [0, alpha, 1], [1, beta, 0])
    axes.plot(places, mixed, color=vector.CERTIFIED, linewidth=1.0, linestyle=dashed(DASHES[1]))
    axes.plot([alpha], [beta], "o", color=vector.CERTIFIED, markersize=3.6)
    keys.append(legend_entry("certified: the errors of this test", "dot", vector.CERTIFIED))
    keys.append(legend_entry("this test, mixed with guessing", "line", vector.CERTIFIED, DASHES[1]))
    ticks(axes, log)
    words = [
        "Type II error β against type I error α of the test that answers by the event of the certificate"
        f"{', with α on a logarithmic axis' if log else ''}.",
        f"It has α = {format_number(alpha)} and β = {format_number(beta)}.",
        f"The claimed curve ({excess.unit} = {format_number(excess.promised)}{excess.at_delta}) "
        f"allows no β below {format_number(1 - power_allowed(excess))} there.",
    ]
    rows = [*curve_rows("claimed", claimed), ("certified", alpha, beta, None, None)]
    return pictured(name, figure, keys, words, ("curve", "α", "β", below("low"), above("high")), rows)


# -- privacy profiles ----------------------------------------------------------------------------------------


def profile(item: PrivacyProfile, name: str) -> Picture:
    """Draws a privacy profile: delta against eps. name: unique on the page."""
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
        keys.append(draw_claimed_curve(axes, moved_off_axis(claimed, bottom), below=False))
    keys += draw_unseen_band(axes, moved_off_axis(claimed, bottom), moved_off_axis(resolved, bottom))
    keys += draw_exact_band(axes, moved_off_axis(low, bottom), moved_off_axis(high, bottom))
    if points.size:
        inside = points[points[:, 1] >= bottom]
        axes.plot(inside[:, 0], inside[:, 1], "^", color=vector.CERTIFIED, markersize=4, clip_on=False)
        keys.append(legend_entry("certified lower bound", "triangle", vector.CERTIFIED))
    axes.set(xlabel="ε", ylabel="δ")
    ticks(axes, log_y=True)
    words = ["The smallest δ against ε; δ on a logarithmic axis.", *profile_in_words(curves)]
    rows = [
        *curve_rows("claimed", claimed),
        *exact_curve_rows(low, high),
        *(
            ("certified, at least", eps, rounded_safely(delta, Side.BELOW, 5), None, None)
            for eps, delta in points.tolist()
        ),
    ]
    return pictured(name, figure, keys, words, ("curve", "ε", "δ", below("low"), above("high")), rows)


def profile_in_words(curves: DrawnCurves) -> list[str]:
    """Sentences that describe a privacy profile.
    The beginning and end of each curve, the certified points, and where a delta of 0 leaves the picture."""
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


def moved_off_axis(curve: Array, bottom: float) -> Array:
    """Returns a profile's curve with deltas of 0, and tiny ones, moved just below the lower end of the axis.
    So lines and bands leave the picture there."""
    return np.maximum(curve, [-np.inf, bottom / 10])


# -- series of points, regret, and matrices ------------------------------------------------------------------


CUT = " …"
SPELT = 4  # with more series than this, their ends are not spelt out in words


class Series(NamedTuple):
    label: str
    points: Array  # (points, 4): x, y, low, high; low and high equal y where there is no band
    banded: bool
    certified: bool
    colour: str
    dash: str


def lines(item: Lines, name: str) -> Picture:
    """Draws several series of points: a line for each, or dots if it is certified. name: unique on the page."""
    log_x, log_y = item["log_x"], item["log_y"]
    series = series_with_style(item["series"])
    shown = [drawable(one, log_x, log_y) for one in series]
    if not any(len(one.points) for one in shown):
        return empty_picture(name, "None of the series has a point that these axes can show.")
    figure, axes = vector.canvas(PICTURE_WIDTH, PICTURE_HEIGHT)
    axes.set(xscale="log" if log_x else "linear", yscale="log" if log_y else "linear")
    values = np.concatenate([one.points for one in shown])
    bottom = -np.inf
    if log_y and (limits := decades(values_to_show(values))):
        axes.set_ylim(*limits)
        bottom = limits[0]
    for one in shown:
        draw_series(axes, one, bottom)
    if log_x:
        axes.set_xlim(float(values[:, 0].min()) / 1.1, float(values[:, 0].max()) * 1.1)
    axes.set(xlabel=symbols(shorten_text(item["x"], 50)), ylabel=symbols(shorten_text(item["y"], 36)))
    axes.margins(x=0.02)
    ticks(axes, log_x, log_y)
    keys = [
        Key(one.label, "dot" if one.certified else "line", vector.VARIABLES[one.colour], one.dash) for one in series
    ]
    upright = symbols(item["y"])
    upright = upright if upright != item["y"] else upright[:1].upper() + upright[1:]
    words = [f"{upright} against {item['x']}{log_axes_in_words(log_x, log_y)}.", *ends_in_words(series)]
    lost = sum(len(all_.points) - len(kept.points) for all_, kept in zip(series, shown, strict=True))
    if lost:
        words.append(f"{count_phrase(lost, 'point', 'points')} at or below zero cannot be shown on a logarithmic axis.")
    if hidden := int((values[:, 1] < bottom).sum()):
        words.append(f"{count_phrase(hidden, 'point lies', 'points lie')} below the picture.")
    rows = [
        row for one in series for row in curve_rows(one.label, one.points, *(one.points.T[2:] if one.banded else ()))
    ]
    return pictured(name, figure, keys, words, ("series", item["x"], item["y"], below("low"), above("high")), rows)


def draw_series(axes: Axes, series: Series, bottom: float) -> None:
    """Draws one series with its band: dots if it is certified, otherwise a line.
    bottom: the low end of a logarithmic vertical axis, otherwise -inf."""
    x, y, low, high = series.points.T
    low = np.maximum(low, bottom / 10)  # a band that goes down to zero leaves the picture
    if series.certified:
        if series.banded:
            axes.vlines(x, low, high, color=series.colour, linewidth=0.8, alpha=0.8)
        axes.plot(x, y, "o", color=series.colour, markersize=3.4 if len(x) < 40 else 2)
        return
    if series.banded:
        axes.fill_between(x, low, high, color=series.colour, alpha=0.18, linewidth=0)
    mark: dict[str, Any] = {"marker": "s", "markersize": 3.6} if len(x) == 1 else {}
    axes.plot(x, y, color=series.colour, linestyle=dashed(series.dash), **mark)


def ends_in_words(series: Sequence[Series]) -> list[str]:
    """Sentences with the first and last point of each series; for many series, a sentence with their number."""
    if len(series) > SPELT:
        return [f"{len(series)} series; their numbers are listed below the figure."]
    words = []
    for one in series:
        if len(one.points):
            (x0, y0, *_), (x1, y1, *_) = one.points[0].tolist(), one.points[-1].tolist()
            ends = f"{format_number(y0)} at {format_number(x0)} to {format_number(y1)} at {format_number(x1)}"
            words.append(f"“{one.label}” goes from {ends}.")
        else:
            words.append(f"“{one.label}” has no points.")
    return words


def series_with_style(items: Sequence[SeriesRecord]) -> list[Series]:
    """Returns the series of an item of evidence with their colours and dashes.
    The colour shows the kind, the dash distinguishes series of one kind."""
    fixed = {"claimed": vector.CLAIMED, "exact": vector.EXACT, "certified": vector.CERTIFIED}
    turns: dict[str, int] = {}
    out = []
    for item in items:
        turn = turns[item["style"]] = turns.get(item["style"], -1) + 1
        if item["style"] in fixed:
            colour, dash = fixed[item["style"]], DASHES[turn % len(DASHES)]
        else:
            colour = vector.OTHER_COLOURS[turn % len(vector.OTHER_COLOURS)]
            dash = DASHES[(turn + turn // len(vector.OTHER_COLOURS)) % len(DASHES)]
        ys = [y for _, y in item["points"]]
        low, high = (
            [y if end is None else end for end, y in zip(ends or ys, ys, strict=True)]
            for ends in (item.get("low"), item.get("high"))
        )
        ends = zip(item["points"], low, high, strict=True)
        points = finite_points([[*point, bottom, top] for point, bottom, top in ends], 4)
        banded = "low" in item or "high" in item
        certified = item["style"] == "certified"
        out.append(Series(item["label"], points, banded, certified, colour, "" if certified else dash))
    return out


def drawable(series: Series, log_x: bool, log_y: bool) -> Series:
    """Returns the series without the points that a logarithmic axis cannot show."""
    x, y = series.points[:, 0], series.points[:, 1]
    return series._replace(points=series.points[((x > 0) | (not log_x)) & ((y > 0) | (not log_y))])


def values_to_show(points: Array) -> Array:
    """Returns the values that a logarithmic vertical axis has to show, without low ends of bands that are far below."""
    _, y, low, high = points.T
    return np.concatenate([y, high, low[low > y.min() / 1e3]])


def log_axes_in_words(log_x: bool, log_y: bool) -> str:
    """Returns the words that state which axes are logarithmic; "" if none is."""
    if log_x and log_y:
        return ", on logarithmic axes"
    return ", on a logarithmic horizontal axis" if log_x else ", on a logarithmic vertical axis" if log_y else ""


# -- regret --------------------------------------------------------------------------------------------------


def regret(item: Regret, name: str) -> Picture:
    """Draws mean regrets with their confidence intervals and claimed bounds. name: unique on the page."""
    rows = item["rows"]
    numbered = any(label_in_two_lines(row["label"]).endswith(CUT) for row in rows)
    columns, table = regret_table(rows, numbered)
    shown = [(place, row, row["mean"]) for place, row in enumerate(rows, 1) if row["mean"] is not None]
    if not shown:
        bounded = any(row["bound"] is not None for row in rows)
        said = "Nothing was played: the finding gives the bounds alone." if bounded else "Nothing was played."
        return Picture(name, "", (), said, columns if bounded else (), table if bounded else ())
    labels = [f"row {place}" if numbered else label_in_two_lines(row["label"]) for place, row, _ in shown]
    figure, axes = vector.canvas(PICTURE_WIDTH, 44 + sum(15 + 10 * label.count("\n") for label in labels))
    bounds = [row["bound"] for _, row, _ in shown if row["bound"] is not None]
    values = [mean for *_, mean in shown] + bounds
    log = min(values) > 0 and max(values) > 30 * min(values)
    axes.set(xscale="log" if log else "linear", ylim=(len(shown) - 0.4, -0.6), xlabel="regret")
    least = min(values) / 10 if log else -np.inf  # a logarithmic axis cannot show an interval down to zero
    for place, (_, row, mean) in enumerate(shown):
        values += draw_regret_row(axes, place, row, mean, least)
    if not log:
        axes.set_xlim(min(0.0, 1.05 * min(values)), max(0.0, 1.05 * max(values)) or 1.0)
    ticks(axes, log_x=log)
    axes.set_yticks(range(len(shown)), labels)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    keys = [legend_entry("mean regret with its confidence interval", "dot", vector.EXACT)]
    keys += [legend_entry("claimed bound", "tick", vector.CLAIMED)] if bounds else []
    words = [f"Mean regret of {count_phrase(len(shown), 'setting', 'settings')}{log_axes_in_words(log, False)}."]
    if numbered:
        words.append("The rows are those of the table below.")
    if ratios := [float(row["ratio"]) for _, row, _ in shown if row["ratio"] is not None]:
        ends = list(dict.fromkeys([ratio_in_words(min(ratios)), ratio_in_words(max(ratios))]))
        words.append(f"The mean is {' to '.join(ends)} times its bound.")
    return Picture(name, vector.svg(figure, name), tuple(keys), " ".join(words), columns, table)


def regret_table(rows: Sequence[RegretRow], numbered: bool) -> tuple[tuple[Column, ...], tuple[TableRow, ...]]:
    """The columns and the rows of the table of regrets.
    numbered: whether a column with the rows' numbers comes first."""
    parts: list[tuple[str | Column, Sequence[Cell]]] = [
        ("setting", [row["label"] for row in rows]),
        ("mean", [row["mean"] for row in rows]),
        (below("low"), [row["low"] for row in rows]),
        (above("high"), [row["high"] for row in rows]),
        ("bound", [row["bound"] for row in rows]),
        ("mean / bound", [row["ratio"] for row in rows]),
        ("trials", [row["trials"] or None for row in rows]),
    ]
    if numbered:
        parts.insert(0, ("row", [str(place) for place in range(1, len(rows) + 1)]))
    told = [part for part in parts if any(cell is not None for cell in part[1])]  # no columns of dashes
    return columns_of(head for head, _ in told), tuple(zip(*(cells for _, cells in told), strict=True))


def draw_regret_row(axes: Axes, place: int, row: RegretRow, mean: float, least: float) -> list[float]:
    """Draws a mean regret with its interval and its bound.
    Returns the ends of the interval, cut at `least`; none without an interval."""
    ends = []
    if row["low"] is not None and row["high"] is not None:
        ends = [max(row["low"], least), max(row["high"], least)]
        axes.plot(ends, [place, place], color=vector.EXACT, linewidth=3, alpha=0.35, solid_capstyle="butt")
    axes.plot([mean], [place], "o", color=vector.EXACT, markersize=4)
    if row["bound"] is not None:
        axes.plot([row["bound"]], [place], "|", color=vector.CLAIMED, markersize=12, markeredgewidth=1.6)
    return ends


def ratio_in_words(ratio: float) -> str:
    """Returns the ratio as text; a ratio other than 1 is never printed as 1 but, for example, as "just above 1"."""
    shown = format_number(ratio)
    return shown if ratio == 1 or shown != "1" else f"just {'above' if ratio > 1 else 'below'} 1"


def label_in_two_lines(label: str) -> str:
    """Breaks the label into at most two lines, and cuts a longer one."""
    return "\n".join(textwrap.wrap(label, 24, max_lines=2, placeholder=CUT)) or DASH


# -- matrices ------------------------------------------------------------------------------------------------


def matrix(item: Matrix, name: str) -> Picture:
    """Returns the table of a matrix of checks, with one row for each check that fails.
    A row contains (row, column, place). The meaning of the columns is stated in words. The page has room only for cells
    and the columns' numbers."""
    names, columns, cells = item["names"], item["columns"], item["cells"]
    if not names or not columns:
        return empty_picture(name, "The matrix is empty.")
    clean = [names[row] for row, line in enumerate(cells) if not any(line)]
    words = ["; ".join(f"{place + 1}: {each}" for place, each in enumerate(columns)) + "."]
    words.append(f"In these rows all holds: {'; '.join(clean)}." if clean else "In no row does all hold.")
    failing = tuple(
        (each, f"{place + 1}: {column}", where)
        for each, line in zip(names, cells, strict=True)
        for place, (column, where) in enumerate(zip(columns, line, strict=True))
        if where
    )
    return Picture(name, "", (), " ".join(words), columns_of((item["of"], "fails", "at")) if failing else (), failing)
