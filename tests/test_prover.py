"""Branch and bound proves nothing false: at ends, at limits, among doubles that are far apart, in single points."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest

from dpbandits import Verdict
from dpbandits.proofs_checks.formulas.branch_and_bound import (
    BoxBatch,
    Proof,
    cut_points,
    halve_boxes,
    has_certain_sign,
    lies_below,
    prove_by_subdivision,
)
from dpbandits.proofs_checks.formulas.domains import axes_of
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.search_or_prove import search_or_prove
from dpbandits.proofs_checks.vocabularies.boxes import Span, boxes
from dpbandits.reference.claims.model import Claim, Condition, Inequality, OneOf, Real, Source, Whole

# boxes compute with infinite ends; the prover silences numpy about it, as is done here
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

THIRD = Fraction(1, 3)
AFTER_ONE = float(np.nextafter(1, 2))


def verdict(says: Inequality) -> Verdict:
    claim = Claim("test/claim", Source("test", "here", "quoted"), says, expect=Verdict.CONSISTENT)
    return search_or_prove(claim, Effort(points=1000, rounds=5, boxes=2000, exact=12)).verdict


def proof(left: Any, right: Any, over: Any, strict: bool = False, given: tuple[Condition, ...] = ()) -> Proof:
    """What subdivision alone makes of left(m, x) <= right(m, x), x in `over`."""
    axes, _ = axes_of({"x": over})
    return prove_by_subdivision(
        lambda m, v: [(left(m, v["x"]), right(m, v["x"]))],
        lambda m, v: [(p(m, v["x"]), q(m, v["x"])) for p, q in given],
        strict,
        axes,
        2000,
    )


def number(value: Any) -> Any:
    return lambda m, x: m.number(value)


def same(m: Any, x: Any) -> Any:
    return x


def squared_from(centre: int) -> Any:
    return lambda m, x: ((x - 2**53) - centre) ** 2


FALSE = {
    # at 1 + 2^-52 the root rounds to 1
    "a root next to 1": (lambda m, x: m.sqrt(x), number(1), Real(0.5, AFTER_ONE, closed=True)),
    "a power next to 1": (lambda m, x: x ** Fraction(1, 2), number(1), Real(0.5, AFTER_ONE, closed=True)),
    "a root below 1": (number(1), lambda m, x: m.sqrt(x), Real(1 - 2**-53, 2, closed=True)),
    # 2^53 + 7 is no double
    "a whole number between doubles": (number("1/2"), squared_from(7), Whole(2**53, 2**53 + 8)),
    "a whole number far out": (number("1/2"), squared_from(7), Whole(0)),
    "a whole number far below": (
        number("1/2"), lambda m, x: ((x + 2**53) + 7) ** 2, Whole(-(2**53) - 8, -(2**53)),
    ),
    # two listed values with the same double below them
    "listed values closer than doubles": (
        same, number("1/10"), OneOf((Fraction(1, 10), Fraction(1, 10) + Fraction(1, 10**30))),
    ),
    "growth without end": (lambda m, x: 2 * x, same, Real(1, inf)),
    "squares": (lambda m, x: x**2, same, Real(1, inf)),
    "roots": (same, lambda m, x: m.sqrt(x), Real(1, inf)),
    "infinity times nothing": (lambda m, x: x * (1 / x), number("1/2"), Real(1, inf)),
    "an exponential against a power": (lambda m, x: m.exp(x) / x, number(5), Real(1, inf)),
    "a cube root of nothing": (number("1/10"), lambda m, x: x**THIRD, Real(0, 1, closed=True)),
    "strictly, nothing": (number(0), lambda m, x: x - x, Real(0, 1)),
    "strictly, what is nothing up to a place": (number(0), lambda m, x: m.maximum(0, x - 1), Real(-1, 2)),
    "strictly, a cube root of nothing": (number(0), lambda m, x: x**THIRD, Real(0, 1, closed=True)),
}  # fmt: skip


@pytest.mark.parametrize("name", FALSE)
@pytest.mark.first(3)
def test_no_false_statement_is_proved(name: str) -> None:
    left, right, over = FALSE[name]
    found = proof(left, right, over, strict=name.startswith("strictly"))
    listed = len(found.points) > 1  # single points are left to exact arithmetic, all of them
    assert not found.complete
    assert listed or not found.but_points
    assert verdict(Inequality(left, right, {"x": over}, strict=name.startswith("strictly"))) != Verdict.PROVED


def test_the_share_that_is_shown_is_the_share_of_the_range() -> None:
    """Of [0, 1] three tenths are below 0.3; and half of it is where a precondition does not hold."""
    found = proof(number("0.3"), same, Real(0, 1, closed=True))
    assert not found.complete
    assert found.closed == pytest.approx(0.7, abs=0.001)
    half = proof(number(-1), same, Real(0, 1, closed=True), given=((number("0.5"), same),))
    assert half.complete
    assert half.closed == 1
    both = proof(number("0.75"), same, Real(0, 1, closed=True), given=((number("0.5"), same),))
    assert both.closed == pytest.approx(0.75, abs=0.001)


def test_listed_values_closer_than_doubles_are_all_looked_at() -> None:
    left, right, over = FALSE["listed values closer than doubles"]
    assert {point["x"] for point in proof(left, right, over).points} == set(over.values)
    assert verdict(Inequality(left, right, {"x": over})) == Verdict.REFUTED


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_share_that_is_undefined_is_what_lies_outside_of_a_function(side: str) -> None:
    """log(x) on half of (-1, 1), whichever side it stands on; boxes at 0 stay open, however small."""
    sides = {"left": lambda m, x: m.log(x), "right": lambda m, x: 1 - m.log(x)}
    found = proof(*((sides[side], number(2)) if side == "left" else (number(0), sides[side])), Real(-1, 1))
    assert found.undefined == 0.5
    assert found.closed == pytest.approx(0.5, abs=1e-9)
    assert not found.complete
    assert not found.but_points


def test_a_precondition_that_only_an_excluded_end_could_meet_voids_the_domain() -> None:
    """x >= 1 and x <= 0 hold nowhere in (0, 1), and at one end of [0, 1]; there nothing is left but this point."""
    for ask in ((number(1), same), (same, number(0))):
        inside, closed = (proof(number(2), same, Real(0, 1, closed=each), given=(ask,)) for each in (False, True))
        assert (inside.complete, inside.applied) == (True, False)
        assert not closed.complete


MIRRORED = {
    "strictly, next to an excluded end": (lambda m, x: 1 + x, lambda m, x: m.exp(x), Real(0, inf)),
    "strictly, from 0": (number(0), lambda m, x: x * (1 + x), Real(0, 1)),
    "strictly, from 1": (number(0), lambda m, x: (1 - x) * (1 + x), Real(0, 1)),
    "far out": (lambda m, x: m.log(x), same, Real(1, inf)),
    "inside": (lambda m, x: x * (1 - x), number("0.25"), Real(0, 1, closed=True)),
    "false": (same, number("0.3"), Real(0, 1, closed=True)),
}


@pytest.mark.parametrize("name", MIRRORED)
def test_a_statement_about_minus_x_is_proved_like_the_one_about_x(name: str) -> None:
    left, right, over = MIRRORED[name]
    plain = proof(left, right, over, strict=name.startswith("strictly"))
    mirrored = proof(
        lambda m, x: left(m, -x), lambda m, x: right(m, -x), Real(-over.high, -over.low, closed=over.closed),
        strict=name.startswith("strictly"),
    )  # fmt: skip
    assert replace(mirrored, points=()) == replace(plain, points=())
    assert [-point["x"] for point in mirrored.points] == [point["x"] for point in plain.points]
    assert plain.complete == (name != "false")


HOLD_SOMEWHERE: dict[str, tuple[Any, tuple[Condition, ...]]] = {
    # 0 ** (1/3) is 0, so that both hold at 5/16 and nowhere else
    "a cube root of nothing": (
        Real(0, 1),
        (
            (number(0), lambda m, x: (x - Fraction(5, 16)) ** THIRD),
            (number(0), lambda m, x: (Fraction(5, 16) - x) ** THIRD),
        ),
    ),
    "a square with a written exponent": (Real(-2, -1), ((number(0), lambda m, x: x ** m.number(2)),)),
    "a variable exponent": (Whole(0, 3), ((number(1), lambda m, x: (-1) ** x),)),
    "an exponent that is computed": (
        Real(-2, -1, closed=True), ((number(1), lambda m, x: x ** (m.sqrt(m.number(2)) ** 2)),),
    ),
    "next to nowhere": (Real(0, 1), ((number(1 - Fraction(1, 2**45)), same),)),
}  # fmt: skip


@pytest.mark.parametrize("name", HOLD_SOMEWHERE)
@pytest.mark.thorough
def test_a_precondition_that_holds_somewhere_does_not_void_the_domain(name: str) -> None:
    over, given = HOLD_SOMEWHERE[name]
    found = proof(number(1), lambda m, x: 0 * x, over, given=given)
    assert not found.complete
    assert verdict(Inequality(number(1), lambda m, x: 0 * x, {"x": over}, given=given)) not in (
        Verdict.PROVED,
        Verdict.NOT_APPLICABLE,
    )


def test_a_precondition_that_hardly_ever_holds_is_no_reason_to_say_never() -> None:
    says = Inequality(number(0), same, {"x": Real(0, 1)}, given=((number(1 - Fraction(1, 2**45)), same),))
    assert verdict(says) == Verdict.PROVED


def test_what_is_undefined_stays_so_under_a_power_of_nothing() -> None:
    assert not proof(lambda m, x: m.log(-x) ** 0, number(1), Real(1, 2)).complete


# -- limits ----------------------------------------------------------------------------------------------------------


def limit(sign: int = 1) -> Span:
    """A variable that was set to infinity."""
    end, closed = np.array([sign * inf]), np.zeros(1, dtype=bool)
    return Span(end, end, closed, closed, np.array([2], dtype=np.int8), ~closed)


def half_line() -> Span:
    closed = np.zeros(1, dtype=bool)
    return Span(np.array([1.0]), np.array([inf]), closed, ~closed, np.array([2], dtype=np.int8), closed)


INDETERMINATE = {
    "exp(inf) 0": lambda: boxes.exp(limit()) * 0,
    "exp(inf)/inf": lambda: boxes.exp(limit()) * (1 / limit()),
    "(inf - y)/inf": lambda: (limit() - half_line()) * (1 / limit()),
    "max(inf - y, 3)/inf": lambda: boxes.maximum(limit() - half_line(), 3) * (1 / limit()),
    "log(inf)/inf": lambda: boxes.log(limit()) / limit(),
    "sqrt(inf)/inf": lambda: boxes.sqrt(limit()) / limit(),
    "inf^3 exp(-inf)": lambda: limit() ** 3 * boxes.exp(limit(-1)),
    "(-inf)^3 exp(-inf)": lambda: limit(-1) ** 3 * boxes.exp(limit(-1)),
    "inf^(1/3)/inf": lambda: limit() ** THIRD / limit(),
    "floor(inf)/inf": lambda: boxes.floor(limit()) / limit(),
}


@pytest.mark.parametrize("name", INDETERMINATE)
def test_zero_times_an_infinite_limit_is_anything(name: str) -> None:
    assert INDETERMINATE[name]().defined[0] < 2


def test_zero_times_what_only_has_no_bound_is_zero() -> None:
    value = half_line() * 0
    assert (value.low[0], value.high[0], value.defined[0]) == (0, 0, 2)
    value = (1 / limit()) * half_line()  # for every value of the second factor
    assert (value.low[0], value.high[0], value.defined[0]) == (0, 0, 2)


def test_infinity_minus_infinity_is_anything() -> None:
    value = limit() - limit()
    assert (value.low[0], value.high[0]) == (-inf, inf)


# -- halving ---------------------------------------------------------------------------------------------------------


def test_statements_without_variables() -> None:
    assert prove_by_subdivision(lambda m, v: [(m.number(0), m.number(1))], lambda m, v: [], False, [], 10).complete
    assert not prove_by_subdivision(
        lambda m, v: [(m.number("0.1"), m.number("0.1"))], lambda m, v: [], False, [], 10
    ).complete


def test_a_box_between_neighbouring_doubles_is_stuck() -> None:
    axes, _ = axes_of({"n": Whole(2**53, 2**53 + 2)})
    ends = np.array([[2.0**53]]), np.array([[2.0**53 + 2]])
    closed = np.zeros((1, 1), dtype=bool)
    children, stuck = halve_boxes(BoxBatch(*ends, closed, closed, np.zeros((1, 1))), axes)
    assert (len(children), stuck) == (0, 1)


@pytest.mark.parametrize(
    ("low", "high", "cut"),
    [
        (2, 6, 4), (1, 4, 2.5), (1, 4.5, 4.5**0.5), (1, 9, 3), (1e-200, 1e200, 1), (5, 7.5, 6.25),
        (0, 1, 0.5), (0, 1.5, 0.5), (0, 0.75, 0.5625), (0, 0.25, 0.0625), (0, 1e-12, 1e-20), (0, 1e9, 0.5),
        (0, inf, 1), (0.25, inf, 1.25), (1, inf, 2), (1.5, inf, 3), (2, inf, 4), (4, inf, 16), (16, inf, 256),
        (1e200, inf, 1e300), (-3, 5, 0), (-1e-9, inf, 0), (-1e300, 1e-300, 0),
    ],
)  # fmt: skip
def test_ranges_are_cut_on_the_scale_of_their_magnitudes(low: float, high: float, cut: float) -> None:
    """By squares next to 0 and to infinity, by the geometric mean where one end is more than four times the other."""
    for whole in (False, True):
        found = cut_points(np.array([low, -high]), np.array([high, -low]), whole)
        wanted = [np.floor(cut), np.floor(-cut)] if whole else [cut, -cut]
        assert found.tolist() == pytest.approx(wanted, rel=1e-14, abs=0)


def batch(*rows: tuple[float, float, bool, bool, int]) -> BoxBatch:
    """One box: for each axis its ends, whether they are open, and how often it was halved."""
    low, high, low_open, high_open, depth = (np.array([column]) for column in zip(*rows, strict=True))
    return BoxBatch(low, high, low_open, high_open, depth.astype(float))


def rows_of(found: BoxBatch) -> list[Any]:
    return [list(zip(*(array[i].tolist() for array in found.arrays), strict=True)) for i in range(len(found))]


def test_a_box_is_cut_along_the_axis_that_was_cut_least() -> None:
    """The first one among equals; never one that is listed, or that is a single point."""
    axes, _ = axes_of({"x": Real(2, 6), "n": Whole(1, 6), "v": OneOf((0, 8)), "y": Real(5, 7)})
    x, n, v, y = (
        (2.0, 6.0, True, True, 1),
        (1.0, 6.0, False, False, 1),
        (0.0, 8.0, False, False, 0),
        (5.0, 7.0, True, True, 2),
    )
    point = (6.0, 6.0, False, False, 0)
    for boxes_, left, right in (
        ((x, n, v, y), {0: (2, 4, True, False, 2)}, {0: (4, 6, False, True, 2)}),
        (((*x[:4], 3), n, v, y), {1: (1, 2, False, False, 2)}, {1: (3, 6, False, False, 2)}),
        ((point, point, v, y), {3: (5, 6, True, False, 3)}, {3: (6, 7, False, True, 3)}),
    ):
        children, stuck = halve_boxes(batch(*boxes_), axes)
        assert stuck == 0
        assert rows_of(children) == [[part.get(i, row) for i, row in enumerate(boxes_)] for part in (left, right)]
    children, stuck = halve_boxes(batch(point, point, v, point), axes)
    assert (len(children), stuck) == (0, 1)


def test_of_two_whole_numbers_each_becomes_a_point() -> None:
    axes, _ = axes_of({"n": Whole(-9, 9)})
    for low in (-4.0, -1.0, 0.0, 7.0):
        children, stuck = halve_boxes(batch((low, low + 1, False, False, 5)), axes)
        assert rows_of(children) == [[(low, low, False, False, 6)], [(low + 1, low + 1, False, False, 6)]]
        assert stuck == 0


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3, 5)])
def test_samples_lie_all_over_an_axis_and_close_to_either_end(low: float, high: float) -> None:
    """A third on a linear scale, a third on a log scale from each end, down to 1e-12: a sixth within 1e-6 of each."""
    (axis,), _ = axes_of({"x": Real(low, high)})
    found = axis.sample(np.random.default_rng(0), 6_000)
    assert all(axis.holds(x) for x in found[:200])
    shares = (found - low) / (high - low)
    for close in (shares[shares < 1e-6], 1 - shares[shares > 1 - 1e-6]):
        assert 800 < len(close) < 1_200
        assert (close > 1e-9).sum() > 300
    # On the linear scale 200 come to each tenth, and those of the log scales besides.
    assert np.all(np.histogram(shares, 8, (0.1, 0.9))[0] > 200)


def test_sides_are_apart_where_their_enclosures_are() -> None:
    """[0, 1] and [1, 2] have a point in common, unless 1 belongs to one of them alone; nothing is known where a side
    may be undefined."""

    def side(low: float, high: float, opened: tuple[bool, bool] = (False, False), defined: int = 2) -> Span:
        ends = np.array([low]), np.array([high]), np.array([opened[0]]), np.array([opened[1]])
        return Span(*ends, np.array([defined], dtype=np.int8))

    below, above = side(0, 1), side(1, 2)
    assert lies_below(below, above, False).tolist() == [True]
    assert lies_below(below, above, True).tolist() == [False]
    assert lies_below(side(0, 1, (False, True)), above, True).tolist() == [True]
    assert lies_below(below, side(1, 2, (True, False)), True).tolist() == [True]
    assert lies_below(below, side(1.5, 2), True).tolist() == [True]
    assert lies_below(below, side(0.5, 2), False).tolist() == [False]
    assert lies_below(side(0, np.inf), side(np.inf, np.inf), False).tolist() == [False]
    for defined in (0, 1):
        assert lies_below(side(0, 1, defined=defined), side(1.5, 2), False).tolist() == [False]
        assert has_certain_sign(side(1, 2, defined=defined), False).tolist() == [False]
    assert [has_certain_sign(side(0, 1), strict).tolist() for strict in (False, True)] == [[True], [False]]
    assert has_certain_sign(side(0, 1, (True, False)), True).tolist() == [True]
