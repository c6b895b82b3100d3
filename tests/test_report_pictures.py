"""The report's pictures: what their axes span, what is marked how, and which of their numbers are listed."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from math import exp
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.transforms import Bbox

from dpbandits.reference.claims.findings import columns_of
from dpbandits.reports import alone, figures, plotting, vector
from dpbandits.reports.plotting import Key, Picture
from dpbandits.reports.words import DASH


@pytest.fixture(autouse=True)
def made(monkeypatch: pytest.MonkeyPatch) -> list[Axes]:
    """The axes of what is drawn, instead of their drawing."""
    found: list[Axes] = []

    def kept(figure: Figure, name: str) -> str:
        found.append(figure.axes[0])
        return f"the drawing {name}"

    monkeypatch.setattr(vector, "svg", kept)
    return found


def corners(line: Line2D) -> list[list[float]]:
    return [[float(x), float(y)] for x, y in np.asarray(line.get_xydata())]


@contextmanager
def axes_over(low: float, high: float, log_x: bool, log_y: bool) -> Iterator[Axes]:
    with vector.drawing():
        _, axes = vector.canvas(300, 200)
        axes.set(xscale="log" if log_x else "linear", yscale="log" if log_y else "linear")
        axes.set(xlim=(low, high), ylim=(low, high))
        plotting.ticks(axes, log_x, log_y)
        yield axes


# -- axes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [
        ([2.0, 99.0], 1.6, 123.75),  # less than a factor of 50: a quarter more on either side
        ([2.0, 100.0], 1.0, 150.0),  # from the decade below the lowest, to half as much again as the highest
        ([0.0, -3.0, 2.0, 100.0], 1.0, 150.0),
        ([5e-4, 1.0], 1e-4, 1.5),
        ([1e-3, 1.0], 1e-4, 1.5),  # what stands at a decade has some room below it
        ([1.4e-3, 1.0], 1e-4, 1.5),  # log10 of 1.4 is 0.146, of 1.42 it is 0.152
        ([1.42e-3, 1.0], 1e-3, 1.5),
        ([1e-40, 1.0], 1e-16, 1.5),  # nothing below 1e-15 is drawn
        ([1e-40, 1e-20], 1e-41, 1.5e-20),  # but where all lies there
        ([3.0], 2.4, 3.75),
    ],
)
def test_a_logarithmic_axis_spans_its_values(values: list[float], low: float, high: float) -> None:
    assert plotting.decades(np.array(values)) == pytest.approx((low, high), rel=1e-12, abs=0)


def test_a_logarithmic_axis_of_nothing_positive_has_no_limits() -> None:
    assert plotting.decades(np.array([])) is None
    assert plotting.decades(np.array([0.0, -1.0])) is None


@pytest.mark.parametrize("upright", [False, True])
@pytest.mark.parametrize(
    ("high", "log", "written"), [(1e6, True, "10³"), (1.01e5, True, "10³"), (1e5, True, "1000"), (1e6, False, "1000")]
)
def test_powers_of_ten_are_written_where_an_axis_spans_many(
    high: float, log: bool, written: str, upright: bool
) -> None:
    """On the one axis; the other one is linear."""
    with axes_over(1.0, high, log and not upright, log and upright) as axes:
        one, other = (axes.yaxis, axes.xaxis) if upright else (axes.xaxis, axes.yaxis)
        assert one.get_major_formatter()(1000.0) == written
        assert other.get_major_formatter()(1000.0) == "1000"


def test_a_narrow_logarithmic_axis_has_ticks_between_its_decades() -> None:
    for high, between in ((99.0, True), (100.0, False)):
        with axes_over(1.0, high, True, False) as axes:
            places = set(np.round(axes.xaxis.get_major_locator().tick_values(1.0, high), 9))
            assert {1.0, 10.0} <= places
            assert ({2.0, 5.0, 20.0} <= places) is between
            assert {2.0, 5.0, 20.0}.isdisjoint(places) is not between
            assert not axes.xaxis.get_minor_locator().tick_values(1.0, high)
            assert 3 < len(axes.yaxis.get_major_locator().tick_values(0.0, 1.0)) <= 8


@pytest.mark.parametrize("low", [1.1, 3.0, 9.0])
@pytest.mark.parametrize("factor", [20.0, 60.0, 99.0, 101.0, 1e4])
def test_a_logarithmic_axis_has_two_ticks_at_least(low: float, factor: float) -> None:
    with axes_over(low, factor * low, True, False) as axes:
        places = axes.xaxis.get_major_locator().tick_values(low, factor * low)
        assert sum(low <= place <= factor * low for place in places) >= 2


# -- numbers beside a picture ------------------------------------------------------------------------------------


def test_seven_points_of_a_curve_are_listed() -> None:
    """Both ends, and those between at even distances: 0, 1.5, 3, ..., 9, rounded to even."""
    points = np.column_stack([np.arange(10.0) * 3, np.arange(10.0) ** 2])
    rows = plotting.curve_rows("one", points, points[:, 1] - 1, points[:, 1] + 2)
    assert rows == [("one", 3.0 * i, i**2, i**2 - 1, i**2 + 2) for i in (0, 2, 3, 4, 6, 8, 9)]
    assert plotting.curve_rows("one", points[:3]) == [("one", 3.0 * i, i**2, None, None) for i in range(3)]
    assert plotting.curve_rows("one", points[:1], points[:1, 1]) == [("one", 0.0, 0.0, None, None)]
    assert plotting.curve_rows("one", points[:0]) == []


def test_an_enclosure_is_one_band_where_its_ends_stand_at_the_same_places() -> None:
    low, high = np.array([[0.0, 0.1], [1.0, 0.2]]), np.array([[0.0, 0.3], [1.0, 0.4]])
    assert plotting.exact_curve_rows(low, high) == [("exact", 0.0, None, 0.1, 0.3), ("exact", 1.0, None, 0.2, 0.4)]
    apart = [("exact, lower end", 0.0, 0.1, None, None), ("exact, lower end", 1.0, 0.2, None, None)]
    for other in (high[:1], high + np.array([[0], [0.5]]) * [1, 0]):
        ends = [("exact, upper end", *point, None, None) for point in other.tolist()]
        assert plotting.exact_curve_rows(low, other) == [*apart, *ends]


def test_points_without_a_number_are_left_out_and_the_others_sorted() -> None:
    found = plotting.finite_points([[3, 1, 5], [1, None, 2], [None, 1, 2], [2, 7, 4]], 3)
    assert found.tolist() == [[2, 7, 4], [3, 1, 5]]
    assert plotting.finite_points([], 4).shape == (0, 4)


def test_an_enclosure_of_equal_ends_is_a_number() -> None:
    assert plotting.enclosure_in_words(0.25, 0.25) == "is 0.25"
    assert plotting.enclosure_in_words(0.25, 0.26) == "lies between 0.25 and 0.26"


# -- trade-offs and profiles -------------------------------------------------------------------------------------

TRADE_OFF: dict[str, Any] = {"kind": "tradeoff", "title": "", "exact_low": [], "exact_high": [], "points": []}


def test_where_curves_come_closest_to_the_corner() -> None:
    """At the smallest of the larger coordinates, over all curves; zero is no such place."""
    one = np.array([[0.0, 0.9], [0.3, 0.4], [0.6, 0.1], [1.0, 0.0]])
    other = np.array([[0.0, 0.0], [0.05, 0.35], [0.9, 0.0]])
    assert figures.crossing([one]) == 0.4
    assert figures.crossing([one, other]) == 0.35
    assert figures.crossing([np.zeros((2, 2))]) == 1.0


@pytest.mark.parametrize(
    ("claimed", "exact", "limits"),
    [
        (0.03, 0.02, (0.0, 1.0)),  # to be seen on linear axes
        (0.03, 0.019, (1.9e-4, 1.2)),  # two decades below what comes closest to the corner
        (1e-4, 1e-3, (1e-6, 1.2)),  # the claim, too
        (1e-12, 1e-3, (1e-9, 1.2)),  # but not for more than six decades below what is exact
        (1e-30, 1e-12, (1e-15, 1.2)),  # and nothing below 1e-15
    ],
)
def test_a_trade_off_is_shown_as_far_as_its_curves_reach(
    made: list[Axes], claimed: float, exact: float, limits: tuple[float, float]
) -> None:
    curves = {"claimed": [[claimed, claimed]], "exact_low": [[exact, exact]]}
    figures.draw(TRADE_OFF | curves, "x")
    (axes,) = made
    assert axes.get_xlim() == pytest.approx(limits, rel=1e-12, abs=0)
    assert axes.get_ylim() == pytest.approx(limits, rel=1e-12, abs=0)
    assert axes.get_xscale() == axes.get_yscale() == ("linear" if limits[1] == 1 else "log")
    assert axes.get_aspect() == 1
    alpha, beta = np.array(corners(axes.lines[0])).T  # perfect privacy: alpha + beta = 1, over the whole axis
    np.testing.assert_allclose(alpha + beta, 1, rtol=1e-12)
    assert alpha.min() == pytest.approx(limits[0], rel=1e-9, abs=0)
    assert alpha.max() > 0.999


def test_a_certified_point_is_joined_to_its_measurement(made: list[Axes]) -> None:
    """By a corner: along the type I error first, then along the type II error."""
    point = {"alpha": 0.2, "beta": 0.3, "alpha_upper": 0.25, "beta_upper": 0.4}
    drawn = figures.draw(TRADE_OFF | {"claimed": [], "points": [point]}, "x")
    (axes,) = made
    _, joint, measured, certified = (corners(line) for line in axes.lines)
    assert joint == [[0.2, 0.3], [0.25, 0.3], [0.25, 0.4]]
    assert (measured, certified) == ([[0.2, 0.3]], [[0.25, 0.4]])
    assert [line.get_marker() for line in axes.lines[2:]] == ["+", "o"]
    assert drawn.rows == (("measured", 0.2, 0.3), ("certified", 0.25, 0.4))
    assert figures.draw(TRADE_OFF | {"claimed": []}, "x").words == "The finding gives no point of any trade-off curve."


def test_the_lowest_point_is_told_against_a_claimed_curve_alone() -> None:
    """One claimed point is no curve."""
    points = [{"alpha": 0.2, "beta": 0.3, "alpha_upper": 0.25, "beta_upper": 0.4}]
    for claimed, told in (([[0, 1], [1, 0]], True), ([[0.5, 0.5]], False)):
        drawn = figures.draw(TRADE_OFF | {"claimed": claimed, "points": points}, "x")
        assert ("The one that lies lowest" in drawn.words) is told


@pytest.mark.parametrize(
    ("claimed", "x", "y"),
    [
        ([[0.0, 0.5], [4.0, 0.1]], (0, 4.12), (0.4 / 4, 1)),
        ([[1.0, 0.9], [2.0, 1e-3]], (0, 2.06), (1e-4, 1.35)),  # down to eps = 0, and up to half as much again
        ([[-1.0, 1.4], [2.0, 1e-3]], (-1, 2.06), (1e-4, 1.5)),
        ([[0.0, 0.5]], (0, 1.03), (0.4, 0.625)),  # an axis of no width is one of width 1
    ],
)
def test_what_a_profile_spans(
    made: list[Axes], claimed: list[list[float]], x: tuple[float, float], y: tuple[float, float]
) -> None:
    figures.draw(
        {"kind": "profile", "title": "", "claimed": claimed, "exact_low": [], "exact_high": [], "points": []}, "x"
    )
    (axes,) = made
    assert axes.get_xlim() == pytest.approx(x, rel=1e-12)
    if claimed[0][1] != 0.5 or len(claimed) == 1:
        assert axes.get_ylim() == pytest.approx(y, rel=1e-12, abs=0)


def test_bounds_below_the_axis_are_not_drawn(made: list[Axes]) -> None:
    """A certified delta of zero is listed; on a logarithmic axis it has no place."""
    item = {"kind": "profile", "title": "", "claimed": [[0, 0.5], [1, 0.4]], "exact_low": [], "exact_high": []}
    drawn = figures.draw(item | {"points": [{"eps": 0.5, "delta_lower": 0.0}, {"eps": 1, "delta_lower": 0.45}]}, "x")
    assert corners(made[0].lines[-1]) == [[1.0, 0.45]]
    assert [row[2] for row in drawn.rows if row[0] == "certified, at least"] == [0.0, 0.45]


def test_one_point_above_the_exact_curve_is_enough_for_another_pair() -> None:
    exact = [[0.0, 0.4], [2.0, 0.2]]  # straight: 0.3 at 1
    item = {"kind": "profile", "title": "", "claimed": [[0, 0.5], [2, 0.4]], "exact_low": exact, "exact_high": exact}
    for deltas, another in (((0.29, 0.35), True), ((0.31, 0.1), True), ((0.29, 0.1), False), ((), False)):
        points = [{"eps": eps, "delta_lower": delta} for eps, delta in zip((1.0, 0.9), deltas, strict=False)]
        said = figures.draw(item | {"points": points}, "x").words
        assert ("are about another pair of inputs" in said) == another


# -- other series ------------------------------------------------------------------------------------------------


def series(style: str = "other", **other: Any) -> dict[str, Any]:
    return {"label": "one", "points": [[1, 2], [3, 4]], "style": style} | other


def chart(*shown: dict[str, Any], log_x: bool = False, log_y: bool = False) -> dict[str, Any]:
    return {"kind": "lines", "title": "", "x": "n", "y": "loss", "log_x": log_x, "log_y": log_y, "series": [*shown]}


def test_series_of_one_kind_are_told_apart() -> None:
    """By their dashes; those of no kind by colours first, and then by both. Dots have no dash."""
    named = figures.series_with_style([series("claimed") for _ in range(5)])
    assert {one.colour for one in named} == {vector.CLAIMED}
    assert [one.dash for one in named] == [*plotting.DASHES, plotting.DASHES[0]]
    others = figures.series_with_style([series() for _ in range(16)])
    assert [one.colour for one in others[:5]] == [*vector.OTHER_COLOURS, vector.OTHER_COLOURS[0]]
    assert len({(one.colour, one.dash) for one in others}) == 16
    assert others[0].dash == plotting.DASHES[0]
    dots = figures.series_with_style([series("certified"), series("exact"), series("certified")])
    assert [(one.certified, one.colour, one.dash) for one in dots] == [
        (True, vector.CERTIFIED, ""),
        (False, vector.EXACT, plotting.DASHES[0]),
        (True, vector.CERTIFIED, ""),
    ]


def test_a_band_without_an_end_ends_at_the_curve() -> None:
    below, above, neither, both = figures.series_with_style(
        [series(low=[1, None]), series(high=[None, 9]), series(), series(low=[0, 1], high=[5, 6])]
    )
    assert below.points.tolist() == [[1, 2, 1, 2], [3, 4, 4, 4]]
    assert above.points.tolist() == [[1, 2, 2, 2], [3, 4, 4, 9]]
    assert neither.points.tolist() == [[1, 2, 2, 2], [3, 4, 4, 4]]
    assert both.points.tolist() == [[1, 2, 0, 5], [3, 4, 1, 6]]
    assert [one.banded for one in (below, above, neither, both)] == [True, True, False, True]


@pytest.mark.parametrize(
    ("log_x", "log_y", "kept"),
    [(False, False, [-1, 0, 2, 5]), (True, False, [2, 5]), (False, True, [-1, 5]), (True, True, [5])],
)
def test_what_a_logarithmic_axis_can_show(log_x: bool, log_y: bool, kept: list[float]) -> None:
    (one,) = figures.series_with_style([series(points=[[-1, 4], [0, 0], [2, -3], [5, 2]], low=[1, -2, -4, 0])])
    shown = figures.drawable(one, log_x, log_y).points
    assert shown[:, 0].tolist() == kept


def test_a_logarithmic_axis_shows_bands_whole(made: list[Axes]) -> None:
    """But for ends that are zero, or nearly: these leave the picture, and do not seem to end within it."""
    figures.draw(chart(series(points=[[1, 1e-3], [2, 1e-3]], low=[1e-5, 1e-4], high=[1, 0.1]), log_y=True), "x")
    bottom, top = made[0].get_ylim()
    assert bottom <= 1e-5 < 1 <= top
    steep = series(points=[[1, 1e-6], [2, 1e-6]])
    figures.draw(chart(series(points=[[1, 10], [2, 10]], low=[0, 1e-12], high=[20, 20]), steep, log_y=True), "x")
    assert made[1].collections[0].get_datalim(made[1].transData).y0 < made[1].get_ylim()[0]
    assert made[1].get_ylim()[0] > 1e-8


def test_points_below_a_logarithmic_axis_are_told() -> None:
    words = figures.draw(chart(series(points=[[1, 1e-40], [2, 1]]), log_y=True), "x").words
    assert words.endswith("1 point lies below the picture.")


def test_ticks_of_a_narrow_axis_are_told_apart(made: list[Axes]) -> None:
    figures.draw(chart(series(points=[[1, 1e9 + 1], [2, 1e9 + 2]])), "x")
    told = [made[0].yaxis.get_major_formatter()(tick) for tick in made[0].get_yticks()]
    assert len(set(told)) == len(told) > 3


def test_what_series_span(made: list[Axes]) -> None:
    item = chart(series(points=[[2, 3], [20, 600]]), series(points=[[5, 3], [40, 30]]), log_x=True, log_y=True)
    figures.draw(item, "x")
    assert made[0].get_xlim() == pytest.approx((2 / 1.1, 44), rel=1e-12)
    assert made[0].get_ylim() == pytest.approx((1, 900), rel=1e-12)
    assert (made[0].get_xscale(), made[0].get_yscale()) == ("log", "log")
    figures.draw(item | {"log_x": False}, "x")
    assert (made[1].get_xscale(), made[1].get_yscale()) == ("linear", "log")


def test_how_series_are_marked(made: list[Axes]) -> None:
    """A certified one by dots, a lone point by a square, bands by areas or, at dots, by lines."""
    dots = series("certified", low=[1, 3], high=[3, 5])
    figures.draw(chart(dots, series(points=[[2, 2]]), series(low=[1, 1], high=[6, 6])), "x")
    first, alone, curve = made[0].lines
    assert [line.get_marker() for line in (first, alone, curve)] == ["o", "s", "None"]
    bars, area = made[0].collections
    assert isinstance(bars, LineCollection)
    assert [each.tolist() for each in bars.get_segments()] == [[[1, 1], [1, 3]], [[3, 3], [3, 5]]]
    (outline,) = area.get_paths()
    assert {(1, 1), (1, 6), (3, 1), (3, 6)} <= {(x, y) for x, y in np.asarray(outline.vertices)}


def test_up_to_four_series_are_told_by_their_ends() -> None:
    four = [series(label=f"s{k}", points=[[1, k], [3, k + 5]]) for k in range(1, 5)]
    told = " ".join(f"“s{k}” goes from {k} at 1 to {k + 5} at 3." for k in range(1, 5))
    assert figures.draw(chart(*four), "x").words == f"Loss against n. {told}"
    five = figures.draw(chart(*four, series()), "x").words
    assert five == "Loss against n. 5 series; their numbers are listed below the figure."
    assert figures.draw(chart(*four[:1], series(points=[])), "x").words.endswith("at 3. “one” has no points.")


@pytest.mark.parametrize(
    ("log_x", "log_y", "words"),
    [
        (False, False, ""),
        (True, False, ", on a logarithmic horizontal axis"),
        (False, True, ", on a logarithmic vertical axis"),
        (True, True, ", on logarithmic axes"),
    ],
)
def test_logarithmic_axes_are_told(log_x: bool, log_y: bool, words: str) -> None:
    assert figures.draw(chart(series(), log_x=log_x, log_y=log_y), "x").words.startswith(f"Loss against n{words}. ")


# -- regret ------------------------------------------------------------------------------------------------------


def row(label: str, mean: float | None, low: Any = None, high: Any = None, bound: Any = None, **other: Any) -> Any:
    given = {"label": label, "mean": mean, "low": low, "high": high, "bound": bound, "ratio": None, "trials": 10}
    return given | other


def regret(*rows: Any) -> dict[str, Any]:
    return {"kind": "regret", "title": "", "rows": [*rows]}


@pytest.mark.parametrize(
    ("rows", "scale", "limits"),
    [
        ([row("a", 2, 1, 3), row("b", 60)], "linear", (0, 63)),  # a factor of thirty at most
        ([row("a", 2, 1, 3, 8), row("b", 61)], "log", None),
        ([row("a", 2), row("b", 3, bound=61)], "log", None),  # bounds count
        ([row("a", -2, -4, 1), row("b", 61)], "linear", (-4.2, 64.05)),  # and what lies below zero is shown
        ([row("a", 0)], "linear", (0, 1)),
        ([row("a", 0), row("b", 60)], "linear", (0, 63)),  # zero has no place on a logarithmic axis
    ],
)
def test_what_regret_spans(made: list[Axes], rows: list[Any], scale: str, limits: Any) -> None:
    figures.draw(regret(*rows), "x")
    (axes,) = made
    assert axes.get_xscale() == scale
    assert limits is None or axes.get_xlim() == pytest.approx(limits, rel=1e-12)
    assert axes.get_ylim() == (len(rows) - 0.4, -0.6)
    assert axes.get_yticks().tolist() == [*range(len(rows))]


def test_how_regret_is_marked(made: list[Axes]) -> None:
    """An interval that reaches zero reaches, on a logarithmic axis, a tenth of the lowest number."""
    drawn = figures.draw(regret(row("a", 2, -1, 3), row("b", None, bound=7), row("c", 90, bound=100)), "x")
    marks = [corners(line) for line in made[0].lines]
    assert marks == [[[pytest.approx(0.2), 0], [3, 0]], [[2, 0]], [[90, 1]], [[100, 1]]]
    assert [key.label for key in drawn.legend] == ["mean regret with its confidence interval", "claimed bound"]
    assert drawn.words.startswith("Mean regret of 2 settings, on a logarithmic horizontal axis.")
    alone = figures.draw(regret(row("a", 2, 1)), "x")  # half of an interval is none
    assert len(made[1].lines) == 1
    assert [key.label for key in alone.legend] == ["mean regret with its confidence interval"]


def test_what_is_said_of_regret() -> None:
    ratios = [row("a", 2, ratio=0.5), row("b", 3, ratio=0.25), row("c", 3)]
    assert figures.draw(regret(*ratios), "x").words == (
        "Mean regret of 3 settings. The mean is 0.25 to 0.5 times its bound."
    )
    assert figures.draw(regret(ratios[0]), "x").words.endswith("The mean is 0.5 times its bound.")
    for ratio, near in ((1.0, "1"), (1.00004, "just above 1"), (0.99996, "just below 1")):  # 1 is the bound itself
        assert figures.draw(regret(row("a", 2, ratio=ratio)), "x").words.endswith(f" is {near} times its bound.")
    nothing = figures.draw(regret(row("a", None, trials=0)), "x")
    assert (nothing.words, nothing.svg, nothing.columns) == ("Nothing was played.", "", ())
    bounds = figures.draw(regret(row("a", None, bound=3.0, trials=0)), "x")
    assert bounds.words == "Nothing was played: the finding gives the bounds alone."
    assert (bounds.columns, bounds.rows) == (columns_of(("setting", "bound")), (("a", 3.0),))


def test_labels_of_settings_have_two_lines() -> None:
    assert figures.label_in_two_lines("b = 0") == "b = 0"
    assert figures.label_in_two_lines("twelve letter twelve letter") == "twelve letter twelve\nletter"
    assert figures.label_in_two_lines("twelve letter " * 9).endswith(figures.CUT)
    assert figures.label_in_two_lines("") == DASH


def test_a_profile_leaves_the_picture_just_below_its_axis() -> None:
    curve = np.array([[0.0, exp(-1)], [2.0, 1e-9], [3.0, 0.0]])
    assert figures.moved_off_axis(curve, 1e-3).tolist() == [[0.0, exp(-1)], [2.0, 1e-4], [3.0, 1e-4]]


def test_columns_of_a_regret_table_hold_something_somewhere() -> None:
    """A bound in one row of two is a column; trials in none are not."""
    empty = {"label": "a", "mean": None, "low": None, "high": None, "bound": None, "ratio": None, "trials": 0}
    rows = [empty, empty | {"label": "b", "bound": 7.5}]
    found = figures.regret({"rows": rows}, "name")
    assert found.columns == columns_of(("setting", "bound"))
    assert found.rows == (("a", None), ("b", 7.5))
    assert found.words == "Nothing was played: the finding gives the bounds alone."
    nothing = figures.regret({"rows": [empty]}, "name")
    assert (nothing.columns, nothing.rows, nothing.words) == ((), (), "Nothing was played.")


def test_columns_of_a_picture_hold_something_somewhere() -> None:
    rows: list[Any] = [("a", None, None, 1.0), ("b", 2.0, None, None)]
    with vector.drawing():
        figure, _ = vector.canvas(100, 50)
        found = plotting.pictured("name", figure, [], ["one", "two"], ("w", "x", "y", "z"), rows)
    assert (found.columns, found.rows) == (columns_of(("w", "x", "z")), (("a", None, 1.0), ("b", 2.0, None)))
    assert found.words == "one two"


@pytest.mark.parametrize("beside", ["", "a name beside the picture"])
def test_axes_leave_room_for_the_words_around_them(beside: str) -> None:
    with vector.drawing():
        figure, axes = vector.canvas(300, 200)
        axes.set(xlim=(0, 1e6), ylim=(-0.5, 1.5), xlabel="x", ylabel="y")
        axes.set_yticks([0, 1], ["a label of a row", "a label\nof two lines"])
        if beside:
            axes.annotate(beside, (1.08, 0.5), xycoords="axes fraction", va="center", annotation_clip=False)
        figure.dpi = 72
        renderer = RendererSVG(300, 200, io.StringIO())
        vector.fit_axes(figure, renderer)
        words = [part.get_tightbbox(renderer) for part in (axes.xaxis, axes.yaxis, *axes.texts)]
        left, bottom, right, top = Bbox.union([axes.bbox, *words]).extents
    edge = pytest.approx(vector.MARGIN, abs=1.0 if beside else 1e-6)
    assert (left, bottom, 300 - right, 200 - top) == (edge, edge, edge, edge)


@pytest.mark.parametrize("dashes", [True, False])
def test_a_picture_alone_shows_dashes_where_colours_do_not_tell_its_curves_apart(dashes: bool) -> None:
    """Else the legend's words have the colours of the curves, and no strokes stand beside them."""
    blank = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50"></svg>'
    legend = tuple(Key(name, "line", "red" if dashes else name, "3 2") for name in ("red", "blue"))
    made = alone.svg_file(Picture("a", blank, legend, "words", (), ()), "title")
    assert made.count("<path") == made.count("stroke-dasharray") == 2 * dashes
    assert re.findall(r'x="(\d+)" y="(\d+)"', made) == [("8", str(50 + alone.LINE))] + [
        ("36" if dashes else "8", str(50 + alone.LINE * k)) for k in (2, 3)
    ]
