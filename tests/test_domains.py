"""Where variables range: what belongs to an axis, where its ends are, and what is no range."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan, nextafter
from typing import Any

import numpy as np
import pytest

from dpbandits.proofs_checks.formulas.domains import Axis, axes_of, categorical_cases
from dpbandits.proofs_checks.vocabularies.decimals import exact_as_printed
from dpbandits.reference.claims.model import OneOf, Real, Whole

TENTH, THIRD = Fraction(1, 10), Fraction(1, 3)


def axis(over: Any) -> Axis:
    return axes_of({"x": over})[0][0]


def test_what_belongs_to_an_axis() -> None:
    """Ends belong to a closed one, and what is not whole to no whole one; a list has its values and nothing between."""
    for over, inside, outside in (
        (Real(0.1, 2, closed=True), (TENTH, 1, 2), (TENTH - Fraction(1, 10**30), Fraction(0.1) - TENTH, 2 + TENTH)),
        (Real(0.1, 2), (TENTH + Fraction(1, 10**30), 1), (TENTH, 2, 0, 3)),
        (Real(0, 1, closed="right"), (Fraction(1, 10**30), 1), (0, 1 + TENTH)),
        (Real(0, 1, closed="left"), (0, 1 - TENTH), (-TENTH, 1)),
        (Real(-inf, 0), (-(10**400), -TENTH), (0, 1)),
        (Real(3, inf), (10**400,), (3, 2)),
        (Whole(-2, 5), (-2, 0, 5), (-3, 6, Fraction(1, 2))),
        (Whole(7), (7, 10**400), (6, Fraction(15, 2))),
        (OneOf((0.1, 3, "1/3")), (TENTH, 3, THIRD), (1, Fraction(0.1), Fraction(1 / 3), 2)),
    ):
        assert all(axis(over).contains(Fraction(x)) for x in inside), over
        assert not any(axis(over).contains(Fraction(x)) for x in outside), over
    assert [axis(Real(0.1, 2, closed=True)).holds(x) for x in (0.1, 2.0, 0.0, nextafter(2, 3))] == [
        True,
        True,
        False,
        False,
    ]
    assert axis(OneOf((0.1,))).holds(0.1)  # the double, which prints as the decimal


@pytest.mark.parametrize(
    ("over", "empty"),
    [
        (Real(1, 1), True), (Real(1, 1, closed=True), False), (Real(1, 1, closed="left"), True),
        (Real(2, 1, closed=True), True), (Real(1, 2), False),
        (Whole(3, 3), False), (Whole(3, 2), True), (Whole(3), False), (OneOf(()), True), (OneOf((2,)), False),
    ],
)  # fmt: skip
def test_an_axis_is_empty_where_nothing_belongs_to_it(over: Any, empty: bool) -> None:
    assert axis(over).empty == empty


def test_ends_are_rounded_outwards() -> None:
    """One tenth lies below its double, one third above it; 1/4 is a double."""
    assert Fraction(1 / 3) < THIRD
    assert Fraction(0.1) > TENTH
    assert axis(Real(0.1, 0.25)).ends == (nextafter(0.1, 0), 0.25)
    low, high = Axis("x", THIRD, TENTH + 1, True).ends
    assert (low, high) == (1 / 3, nextafter(1.1, 2) if Fraction(1.1) < TENTH + 1 else 1.1)
    assert axis(Real(-inf, inf)).ends == (-inf, inf)
    assert axis(OneOf((5, 2, 3))).ends == (2, 5)
    assert axis(OneOf((-4,))).ends == (-4, -4)


def test_what_was_moved_beyond_an_end_is_put_next_to_it() -> None:
    """On it where the end belongs to the axis; infinite ends become the largest doubles."""
    far = np.array([-9.0, 1.0, 1.5, 2.0, 9.0])
    assert axis(Real(1, 2, closed=True)).clipped(far).tolist() == [1, 1, 1.5, 2, 2]
    assert axis(Real(1, 2, closed="left")).clipped(far).tolist() == [1, 1, 1.5, nextafter(2, 1), nextafter(2, 1)]
    assert axis(Real(1, 2, closed="right")).clipped(far).tolist() == [nextafter(1, 2), nextafter(1, 2), 1.5, 2, 2]
    assert axis(Real(1, 2)).clipped(far).tolist() == [nextafter(1, 2), nextafter(1, 2), 1.5, *[nextafter(2, 1)] * 2]
    largest = np.finfo(float).max
    assert axis(Real(-inf, inf)).clipped(np.array([-inf, 0, inf])).tolist() == [-largest, 0, largest]


def test_the_kinds_of_variables() -> None:
    axes, others = axes_of(
        {"r": Real(0.1, inf), "n": Whole(-3), "k": Whole(2, 9), "v": OneOf((0.1, -2)), "s": OneOf(("one", "two"))}
    )
    assert axes == [
        Axis("r", TENTH, inf, False, False, ()),
        Axis("n", Fraction(-3), inf, True, True, ()),
        Axis("k", Fraction(2), Fraction(9), True, True, ()),
        Axis("v", Fraction(-2), TENTH, True, False, (TENTH, Fraction(-2))),
    ]
    assert others == {"s": ("one", "two")}
    assert axes_of({"r": Real(0, 1, closed=True)})[0][0].closed
    assert list(categorical_cases(others | {"t": (1, 2)})) == [
        {"s": "one", "t": 1}, {"s": "one", "t": 2}, {"s": "two", "t": 1}, {"s": "two", "t": 2},
    ]  # fmt: skip
    assert list(categorical_cases({})) == [{}]


def test_what_is_no_range_is_refused() -> None:
    with pytest.raises(ValueError, match="'x': OneOf contains an infinite value; all values must be finite"):
        axes_of({"x": OneOf((1, inf))})
    with pytest.raises(TypeError, match="variable 'x': the domain is 3; it must be a"):
        axes_of({"x": 3})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match=r"'x': OneOf.*generator.*can be read only once; give a tuple"):
        axes_of({"x": OneOf(x for x in (1, 2))})  # type: ignore[arg-type]
    for ends in ((0.5, 3), (-inf, 3), (1, 2.5)):
        with pytest.raises(ValueError, match=r"'n': Whole.*must have integers as ends; write high=None"):
            axes_of({"n": Whole(*ends)})  # type: ignore[arg-type]
    assert axes_of({"n": Whole(1, inf)}) == axes_of({"n": Whole(1)})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the end of a domain is nan; give a number, inf or -inf"):
        exact_as_printed(nan)
    assert [exact_as_printed(x) for x in (0.1, np.float64(0.1), "1/3", 7, inf, -inf)] == [
        TENTH,
        TENTH,
        THIRD,
        7,
        inf,
        -inf,
    ]
