"""Whole numbers to count with: exact as long as they are whole, numbers of their context otherwise, never floats."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpbandits.proofs_checks.formulas.integer_operands import IntegerOperand, with_integer_operands
from dpbandits.proofs_checks.vocabularies.expressions import text
from dpbandits.proofs_checks.vocabularies.intervals import Defined, Interval, iv
from dpbandits.reference.arithmetic.vocabulary import doubles

OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "**": operator.pow}
PLACES = (-3, -1, 0, 1, 2, 6)


def exact(value: Any) -> Any:
    """The value as a fraction; for an enclosure, its ends, which are the value or next to it."""
    return Fraction(int(value)) if isinstance(value, int) else value


@pytest.mark.parametrize("sign", OPERATIONS)
@pytest.mark.parametrize("which", ["both", "left", "right"])
def test_counts_calculate_exactly(sign: str, which: str) -> None:
    operation = OPERATIONS[sign]
    for a in PLACES:
        for b in PLACES:
            one = IntegerOperand(a, iv) if which != "right" else a
            two = IntegerOperand(b, iv) if which != "left" else b
            if (sign == "/" and b == 0) or (sign == "**" and a == 0 and b < 0):
                assert operation(one, two).defined == Defined.NOWHERE
                continue
            found, truth = operation(one, two), operation(Fraction(a), b)
            if truth.denominator == 1 and not (sign == "**" and b < 0):
                assert type(found) is IntegerOperand
                assert found == truth
            else:
                assert isinstance(found, Interval)
                assert Fraction(found.low) <= truth <= Fraction(found.high)
                assert float(found.high - found.low) < 1e-30


@pytest.mark.parametrize("sign", OPERATIONS)
def test_counts_meet_numbers_of_their_context(sign: str) -> None:
    """On either side, as the number that they are; floats would lose what 1/3 is."""
    operation, third = OPERATIONS[sign], iv.number(Fraction(1, 3))
    for count in (2, 5):
        for found, truth in (
            (operation(IntegerOperand(count, iv), third), operation(iv.number(count), third)),
            (operation(third, IntegerOperand(count, iv)), operation(third, iv.number(count))),
        ):
            assert (found.low, found.high) == (truth.low, truth.high)


@pytest.mark.parametrize("sign", OPERATIONS)
@pytest.mark.parametrize("number", [0.5, Fraction(1, 3), -2.25, 1.0])
def test_counts_meet_plain_numbers_that_are_not_whole(sign: str, number: Any) -> None:
    """On either side: 1.0/5 is one fifth, and no double."""
    for count in (2, 5):
        found = OPERATIONS[sign](IntegerOperand(count, iv), number)
        truth = OPERATIONS[sign](iv.number(count), iv.number(number))
        assert (found.low, found.high) == (truth.low, truth.high)
        found, exact = (
            iv.of(OPERATIONS[sign](number, IntegerOperand(count, iv))),
            OPERATIONS[sign](Fraction(number), count),
        )
        assert Fraction(found.low) <= exact <= Fraction(found.high)
        assert float(found.high - found.low) < 1e-30


def test_halves_and_remainders_of_counts_are_counts() -> None:
    """Else 1/(n // 2) would be a double."""
    for of, by in ((7, 2), (-7, 2), (7, -3), (6, 3)):
        for one, two in (
            (IntegerOperand(of, iv), by),
            (of, IntegerOperand(by, iv)),
            (IntegerOperand(of, iv), IntegerOperand(by, iv)),
        ):
            for found, truth in ((one // two, of // by), (one % two, of % by)):
                assert type(found) is IntegerOperand
                assert found == truth
    third = 1 / (IntegerOperand(7, iv) // 2)
    assert Fraction(third.low) < Fraction(1, 3) < Fraction(third.high)
    assert type(abs(IntegerOperand(-3, iv))) is IntegerOperand
    assert abs(IntegerOperand(-3, iv)) == 3
    assert +IntegerOperand(-3, iv) == -3


def test_counts_compare_as_the_whole_numbers_that_they_are() -> None:
    for place in PLACES:
        count = IntegerOperand(place, iv)
        for other in PLACES:
            for compare in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
                truth = compare(place, other)
                assert compare(count, other) == compare(other, count) or compare not in (operator.eq, operator.ne)
                assert compare(count, other) == compare(count, IntegerOperand(other, iv)) == truth
                assert compare(place, IntegerOperand(other, iv)) == truth
                assert compare(count, other + 0.5) == compare(place, other + 0.5)
        assert bool(count) == (place != 0)
        assert {place: "here"}[count] == "here"  # type: ignore[index]
        assert repr(count) == str(place)


@pytest.mark.parametrize("call", [math.sqrt, math.exp, float, np.sqrt])
def test_counts_are_no_doubles(call: Any) -> None:
    with pytest.raises(TypeError, match=r"m\.sqrt|__array_ufunc__"):
        call(IntegerOperand(3, iv))
    assert math.comb(IntegerOperand(5, iv), 2) == 10


def test_doubles_count_with_plain_numbers() -> None:
    assert type(with_integer_operands(doubles, {"n": 3}, ["n"])["n"]) is int


def test_counts_are_whole_numbers_for_python() -> None:
    count = IntegerOperand(4, doubles)
    assert list(range(count)) == [0, 1, 2, 3]
    assert "abcde"[count] == "e"
    assert -count == -4
    assert type(-count) is IntegerOperand
    assert with_integer_operands(text, {"n": 3, "x": 2}, ["n"])["n"].m is text
    assert not isinstance(with_integer_operands(text, {"n": 3, "x": 2}, ["n"])["x"], IntegerOperand)
