"""One box: which inequalities are shown on it, by its enclosures, on its faces and from its middle, and which are not.

What a box shows depends on sharp numbers, so that each is asked on both sides of its threshold: an enclosure that
became too narrow proves something false, one that became too wide loses a proof.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest

from dpbandits.proofs_checks.formulas.branch_and_bound import (
    BoxBatch,
    certainly_excluded,
    certify_boxes,
    initial_boxes,
    prove_by_subdivision,
)
from dpbandits.proofs_checks.formulas.domains import axes_of
from dpbandits.reference.claims.model import OneOf, Real, Whole

# boxes compute with infinite ends; the prover silences numpy about it, as is done here
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

THIRD = Fraction(1, 3)


def closed(low: float, high: float) -> Real:
    return Real(low, high, closed=True)


def shows(formula: Any, over: Any, least: Any, strict: bool = False) -> bool:
    """Whether least <= formula(m, x, ...) is shown on the domain as one box."""
    axes, _ = axes_of(over)
    holds, _ = certify_boxes(lambda m, v: [(m.number(least), formula(m, **v))], initial_boxes(axes), strict, axes)
    assert holds.shape == (1,)
    return bool(holds[0])


# Around the middle M of a box, f(x) is f(M) and the slope times at most half the width. x (1 - x) has the slope
# (1 - x) - x, on [0.4, 0.6] from -0.2 to 0.2: so it is at least 0.25 - 0.1 * 0.2, where its factors alone say 0.16.
# y (1 - y) on [0.4, 0.8] has a slope from -0.6 to 0.2, and 0.24 in the middle.
X, Y = closed(0.4, 0.6), closed(0.4, 0.8)
FROM_THE_MIDDLE: dict[str, tuple[Any, Any, Any]] = {
    "one": (lambda m, x: x * (1 - x), {"x": X}, Fraction("0.23")),
    "two": (lambda m, x, y: x * (1 - x) + 3 * y * (1 - y), {"x": X, "y": Y}, Fraction("0.23") + 3 * Fraction("0.12")),
    "two, one less": (
        lambda m, x, y: 3 * y * (1 - y) - 2 * x * (x - 1), {"x": X, "y": Y}, 2 * Fraction("0.23") + Fraction("0.36"),
    ),
    "and rising": (lambda m, x, y: x * (1 - x) + y, {"x": X, "y": closed(2, 5)}, Fraction("2.23")),
    "and falling": (lambda m, y, x: x * (1 - x) - y, {"y": closed(2, 5), "x": X}, Fraction("-4.77")),
    "and what does not matter": (lambda m, x, y: x * (1 - x), {"x": X, "y": closed(2, 5)}, Fraction("0.23")),
    "negative": (lambda m, x: x * (-1 - x), {"x": closed(-0.6, -0.4)}, Fraction("0.23")),
}  # fmt: skip


@pytest.mark.parametrize("name", FROM_THE_MIDDLE)
@pytest.mark.parametrize("strict", [False, True])
def test_a_box_is_closed_from_its_middle_up_to_the_slope_times_half_its_width(name: str, strict: bool) -> None:
    formula, over, threshold = FROM_THE_MIDDLE[name]
    near = Fraction(1, 10**9)
    assert shows(formula, over, threshold - near, strict)
    assert not shows(formula, over, threshold + near, strict)


def test_boxes_of_a_batch_are_closed_each_for_itself() -> None:
    """Some by their faces, some from their middle, some not at all; some of one point in a variable, or without end."""
    ranges = [
        (closed(0.4, 0.6), closed(0, 1), True), (closed(0.4, 0.6), closed(-0.001, 1), False),
        (closed(0.5, 0.5), closed(0, 1), True), (closed(0.4, 0.6), closed(0.5, 0.5), True),
        (closed(0.4, 0.45), closed(0, 1), True), (closed(0.9, 1), closed(0, 1), False),
        (closed(0.9, 1), closed(1, 2), True), (closed(0.4, 0.6), Real(1, inf, closed=True), True),
        (Real(1, inf), closed(0, 1), False),
    ]  # fmt: skip
    axes, _ = axes_of({"x": X, "y": closed(0, 1)})
    parts = [initial_boxes(axes_of({"x": x, "y": y})[0]) for x, y, _ in ranges]
    wanted = [holds for *_, holds in ranges]

    def demands(m: Any, v: Any) -> Any:
        return [(m.number("0.2299"), v["x"] * (1 - v["x"]) + v["y"])]

    for order in (range(9), [8, 3, 0, 2, 5, 1, 7, 6, 4], [0, 2], [3, 0], [0, 7], [0, 8], [4, 0]):
        holds, _ = certify_boxes(demands, BoxBatch.joined([parts[k] for k in order]), False, axes)
        assert holds.tolist() == [wanted[k] for k in order]


def test_from_the_middle_equality_is_enough_unless_it_is_strict() -> None:
    """On [3/8, 5/8] all of it are powers of two, and exact: 1/4 - 1/8 * 1/4. Rising from a face that does not belong
    to the domain, or falling towards one, nothing of the domain is equal."""
    least = Fraction(7, 32)
    over, tiny = {"x": closed(0.375, 0.625)}, Fraction(1, 2**50)
    assert shows(lambda m, x: x * (1 - x), over, least)
    assert not shows(lambda m, x: x * (1 - x), over, least + tiny)
    assert not shows(lambda m, x: x * (1 - x), over, least, strict=True)
    assert shows(lambda m, x: x * (1 - x), over, least - tiny, strict=True)
    for sign in (1, -1):
        for y, strictly in ((Real(0, 1), True), (closed(0, 1), False)):
            y = y if sign > 0 else Real(-1, 0, closed=y.closed)
            assert shows(lambda m, x, y, s=sign: x * (1 - x) + s * y, over | {"y": y}, least)
            assert shows(lambda m, x, y, s=sign: x * (1 - x) + s * y, over | {"y": y}, least, strict=True) == strictly
            assert not shows(lambda m, x, y, s=sign: x * (1 - x) + s * y, over | {"y": y}, least + tiny)


# Each is 0 at one end and rises from there, which its enclosure does not see.
RISING: dict[str, Any] = {
    "evenly": lambda m, x: 2 * x - x,
    "at first not at all": lambda m, x: (x + 1) ** 2 - 2 * x - 1,
    "at first without bounds": lambda m, x: x**THIRD + 2 * x - x,
}


@pytest.mark.parametrize("name", RISING)
@pytest.mark.parametrize("sign", [1, -1])
def test_a_monotone_gap_is_what_it_is_on_its_lowest_face(name: str, sign: int) -> None:
    def formula(m: Any, x: Any) -> Any:
        return RISING[name](m, sign * x)

    for over, strictly in ((Real(0, 1), True), (closed(0, 1), False)):
        over = over if sign > 0 else Real(-1, 0, closed=over.closed)
        if name != "at first without bounds" or not over.closed:  # it has no slope at 0
            assert shows(formula, {"x": over}, 0)
            assert shows(formula, {"x": over}, 0, strict=True) == strictly
        assert not shows(formula, {"x": over}, Fraction(1, 2**40))
    half_open = {"x": Real(0, 1, closed=False)} if sign > 0 else {"x": Real(-1, 0, closed=False)}
    assert not shows(lambda m, x: -formula(m, x), half_open, 0)


def test_a_gap_that_falls_towards_an_excluded_end_is_not_positive_there() -> None:
    """It is constant in y, whose excluded ends count for nothing, and 0 at an end of x that belongs to the domain."""
    for y in (Real(0, 1), Real(-1, 0), closed(0, 1)):
        assert shows(lambda m, x, y: 2 * x - x + 0 * y, {"x": closed(0, 1), "y": y}, 0)
        assert not shows(lambda m, x, y: 2 * x - x + 0 * y, {"x": closed(0, 1), "y": y}, 0, strict=True)


@pytest.mark.parametrize("sign", [1, -1])
def test_what_falls_towards_infinity_is_its_limit_there(sign: int) -> None:
    """e^-x at infinity, which no x attains, beside what is 0 at y = 0. The middle of y alone says nothing of it."""
    x = Real(0, inf) if sign > 0 else Real(-inf, 0)

    def beside(part: Any) -> Any:
        return lambda m, x, y: m.exp(-sign * x) + part(y)

    over = {"x": x, "y": closed(0, 1)}
    for strict in (False, True):
        assert shows(beside(lambda y: 2 * y - y), over, 0, strict)
        assert not shows(beside(lambda y: 2 * y - y), over, Fraction(1, 10**9), strict)
        assert not shows(beside(lambda y: y * (1 - y)), over | {"y": Y}, Fraction("0.2"), strict)
    assert not shows(lambda m, x, y: -m.exp(-sign * x) + 2 * y - y, over, 0)


@pytest.mark.parametrize("sign", [1, -1])
def test_what_is_flat_next_to_an_excluded_end_does_not_leave_it(sign: int) -> None:
    """max(0, 1 - x) falls to 0 at 1, and is 0 from there to 2: never more than that."""
    over = {"x": Real(0, 2) if sign > 0 else Real(-2, 0)}
    assert shows(lambda m, x: m.maximum(0, 1 - sign * x), over, 0)
    assert not shows(lambda m, x: m.maximum(0, 1 - sign * x), over, 0, strict=True)


def test_both_demands_of_an_identity_have_to_be_shown() -> None:
    axes, _ = axes_of({"x": X})

    def demands(low: str, high: str) -> Any:
        def pairs(m: Any, v: Any) -> Any:
            x = v["x"]
            return [(m.number(low), x * (1 - x)), (x * (1 - x), m.number(high))]

        return pairs

    for low, high, holds in (("0.22", "0.28", True), ("0.24", "0.28", False), ("0.22", "0.26", False)):
        assert certify_boxes(demands(low, high), initial_boxes(axes), False, axes)[0].tolist() == [holds]
        assert certify_boxes(demands(low, high), initial_boxes(axes).take([]), False, axes)[0].tolist() == []


# -- the boxes -------------------------------------------------------------------------------------------------------


def test_every_combination_of_listed_values_is_a_box_of_its_own() -> None:
    """The first axis counts fastest. A listed value that is no double lies between its neighbours."""
    axes, _ = axes_of({"v": OneOf((2, THIRD)), "x": Real(0, inf, closed=True), "w": OneOf((7, -1)), "n": Whole(1, 3)})
    found = initial_boxes(axes)
    third = float(THIRD)  # below one third
    above = np.nextafter(third, 1)
    low, high = ([2, third, 2, third], [2, above, 2, above])
    assert found.low.tolist() == [[v, 0, w, 1] for v, w in zip(low, (7, 7, -1, -1), strict=True)]
    assert found.high.tolist() == [[v, inf, w, 3] for v, w in zip(high, (7, 7, -1, -1), strict=True)]
    odd = [False, True, False, True]
    assert found.low_open.tolist() == [[o, False, False, False] for o in odd]
    assert found.high_open.tolist() == [[o, True, False, False] for o in odd]
    assert (found.depth == np.zeros((4, 4))).all()
    assert len(initial_boxes([])) == 1
    plain = initial_boxes(axes_of({"x": Real(0, 1), "y": Real(-inf, 2, closed=True)})[0])
    assert (plain.low_open.tolist(), plain.high_open.tolist()) == ([[True, True]], [[True, False]])


def test_a_variable_that_was_set_to_infinity_is_a_limit() -> None:
    axes, _ = axes_of({"x": Real(0, 9), "y": Real(-inf, inf)})
    low = np.array([[1.0, inf], [2.0, -inf], [3.0, 1.0], [4.0, -inf], [5.0, 6.0]])
    high = np.array([[1.0, inf], [3.0, -inf], [3.0, inf], [5.0, inf], [5.0, 6.0]])
    opened = np.arange(10).reshape(5, 2) % 3 == 0
    spans = BoxBatch(low, high, opened, ~opened, np.zeros((5, 2))).spans(axes)
    assert spans["x"].limit.tolist() == [False] * 5
    assert spans["y"].limit.tolist() == [True, True, False, False, False]
    for i, name in enumerate(("x", "y")):
        assert (spans[name].low == low[:, i]).all()
        assert (spans[name].high == high[:, i]).all()
        assert (spans[name].low_open == opened[:, i]).all()
        assert (spans[name].high_open == ~opened[:, i]).all()
        assert (spans[name].defined == 2).all()


def test_a_precondition_fails_where_it_is_defined_nowhere_and_not_where_it_may_be() -> None:
    for over, fails in ((Real(-2, -1), True), (Real(-1, 1), False), (Real(0, 1), False)):
        axes, _ = axes_of({"x": over})
        for pair in ("left", "right"):

            def given(m: Any, v: Any, pair: str = pair) -> Any:
                log = m.log(v["x"])
                return [(log, m.number(9)) if pair == "left" else (m.number(-9), 0 - log)]

            assert certainly_excluded(given, initial_boxes(axes), axes).tolist() == [fails]


def test_as_many_boxes_are_looked_at_as_are_allowed_and_their_shares_add_up() -> None:
    """x <= 1/3 on [0, 1]: one box, two halves, four quarters, of which the first is closed."""
    axes, _ = axes_of({"x": closed(0, 1)})
    for limit, seen, share in ((1, 1, 0.0), (2, 3, 0.0), (3, 3, 0.0), (4, 7, 0.25), (7, 7, 0.25)):
        found = prove_by_subdivision(lambda m, v: [(v["x"], m.number(THIRD))], lambda m, v: [], False, axes, limit)
        assert (found.boxes, found.complete, found.but_points, found.points) == (seen, False, False, ())
        assert (found.closed, found.undefined) == (share, 0)
