"""Boxes, their slopes and their halves at the awkward places of doubles, against exact and 60-digit arithmetic.

FUZZ (an environment variable) multiplies the number of examples: FUZZ=100 takes some minutes.
"""

from __future__ import annotations

import os
from fractions import Fraction
from math import inf, isfinite, nextafter
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from vacuity import nonvacuous_if

from dpbandits.proofs_checks.formulas.branch_and_bound import BoxBatch, halve_boxes, initial_boxes
from dpbandits.proofs_checks.formulas.domains import Axis, axes_of
from dpbandits.proofs_checks.vocabularies.boxes import Span, boxes, make_span, span_power
from dpbandits.proofs_checks.vocabularies.gradients import Gradient, as_gradient, gradients
from dpbandits.proofs_checks.vocabularies.intervals import iv
from dpbandits.reference.claims.model import Real, Whole

# boxes compute with infinite ends; the prover silences numpy about it, as is done here
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

FUZZ = int(os.environ.get("FUZZ", "1"))
fuzzed = settings(max_examples=20 * FUZZ)

truth = mpmath.MPContext()
truth.dps = 60

# Doubles where something rounds, overflows, underflows or changes its rule, and their neighbours.
PLACES = (
    0.0, 5e-324, 1e-320, 2.0**-1022, 1e-300, 1e-290, 2.0**-53, 1e-8, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 37.5, 38.0, 700.0,
    709.782712893384, 745.2, 2.0**53, 1e100, 1e154, 2.0**1022, 1e308, 1.7976931348623157e308,
)  # fmt: skip


@st.composite
def doubles(draw: Any, most: float = 1.7976931348623157e308) -> float:
    """A finite double at or next to an awkward place; now and then any."""
    if draw(st.integers(0, 3)) == 0:
        return draw(st.floats(-most, most, allow_nan=False))
    value = draw(st.sampled_from(PLACES))
    for _ in range(draw(st.integers(0, 3))):
        value = nextafter(value, draw(st.sampled_from([-inf, inf])))
    value = draw(st.sampled_from([1, 1, -1])) * value
    return value if abs(value) <= most else most


@st.composite
def ranges(draw: Any, most: float = 1.7976931348623157e308) -> tuple[float, float, bool, bool, float]:
    """(low, high, low open, high open, a point of the range): single points, neighbours and half-lines among them."""
    low, high = sorted((draw(doubles(most)), draw(doubles(most))))
    if draw(st.integers(0, 4)) == 0:
        high = low
    if draw(st.integers(0, 7)) == 0:
        high = inf
    if draw(st.integers(0, 7)) == 0:
        low = -inf
    low_open, high_open = draw(st.booleans()) or low == -inf, draw(st.booleans()) or high == inf
    if low == high:
        low_open = high_open = False
    inner = [nextafter(low, inf) if low_open else low, nextafter(high, -inf) if high_open else high]
    if inner[0] > inner[1]:  # open ends with nothing between them
        low_open, high_open = low == -inf, high == inf
        inner = [low if isfinite(low) else high] * 2
    choices = [*inner, *(x for x in (0.0, 1.0, inner[0] / 2 + inner[1] / 2) if inner[0] <= x <= inner[1])]
    return low, high, low_open, high_open, draw(st.sampled_from(choices))


@st.composite
def positive_ranges(draw: Any) -> tuple[float, float, bool, bool, float]:
    """The same, of moderate positive numbers, where most functions are defined and finite; narrow ones, which hardly
    ever have a whole number, among them."""
    low, share = draw(st.floats(0, 4)) + 0.01, draw(st.floats(0, 0.9))
    width = draw(st.sampled_from([0.03, 0.1, 0.2, 3.0]))
    return low, low + width, False, draw(st.booleans()), low + share * width


def span_of(low: float, high: float, low_open: bool, high_open: bool) -> Span:
    flags = np.array([low_open]), np.array([high_open])
    return Span(np.array([low]), np.array([high]), *flags, np.array([2], dtype=np.int8))


def first(value: Any) -> Any:
    return np.ravel(value)[0]


def contains(span: Span, value: Any) -> bool:
    """Whether the span contains an exact rational, or a number of 60 digits up to its own error; and not at an end
    that it says is not attained."""
    low, high = float(first(span.low)), float(first(span.high))
    if isinstance(value, Fraction):
        above = low == -inf or (Fraction(low) < value if first(span.low_open) else Fraction(low) <= value)
        return above and (high == inf or (value < Fraction(high) if first(span.high_open) else value <= Fraction(high)))
    slack = abs(value) * truth.mpf(10) ** -50
    return bool(truth.mpf(low) <= value + slack and value - slack <= truth.mpf(high))


def says_where(span: Span) -> bool:
    """Whether the span is less than the whole line, so that not every number lies in it."""
    return first(span.low) > -inf or first(span.high) < inf


def precise(x: float) -> Any:
    return truth.mpf(x)


# -- values ----------------------------------------------------------------------------------------------------------

OPERATIONS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b}


@pytest.mark.parametrize("sign", OPERATIONS)
@fuzzed
@given(ranges(), ranges())
@example((PLACES[-1], PLACES[-1], False, False, PLACES[-1]), (PLACES[-1], PLACES[-1], False, False, PLACES[-1]))
@example((1.5e-323, 1.5e-323, False, False, 1.5e-323), (0.5, 0.5, False, False, 0.5))
@pytest.mark.nonvacuous(6)
def test_operations_contain_every_point(sign: str, one: Any, two: Any) -> None:
    (*a, x), (*b, y) = one, two
    span = OPERATIONS[sign](span_of(*a), span_of(*b))
    nonvacuous_if(says_where(span) or y == 0)
    if sign == "/" and y == 0:
        assert first(span.defined) < 2
        return
    assert first(span.defined) > 0
    assert contains(span, OPERATIONS[sign](Fraction(x), Fraction(y)))


@pytest.mark.parametrize("far", [(1.0, inf), (-inf, -1.0), (-inf, inf), (0.0, inf), (inf, inf), (-inf, -inf)])
@pytest.mark.parametrize("near", [(-1.0, 0.0), (0.0, 0.0), (0.0, 1.0), (-1.0, 1.0), (-1.0, -0.5), (0.5, 1.0)])
def test_nothing_times_an_infinite_limit_may_be_anything(near: Any, far: Any) -> None:
    limit = span_of(*far, False, False)
    limit = Span(limit.low, limit.high, limit.low_open, limit.high_open, limit.defined, np.array([True]))
    for product in (span_of(*near, False, False) * limit, limit * span_of(*near, False, False)):
        assert (first(product.defined) < 2) == (near[0] <= 0 <= near[1])


@fuzzed
@given(ranges(), ranges())
@pytest.mark.nonvacuous(8)
def test_maximum_and_minimum_contain_every_point(one: Any, two: Any) -> None:
    (*a, x), (*b, y) = one, two
    nonvacuous_if(says_where(abs(span_of(*a))))
    assert contains(boxes.maximum(span_of(*a), span_of(*b)), Fraction(max(x, y)))
    assert contains(boxes.minimum(span_of(*a), span_of(*b)), Fraction(min(x, y)))
    assert contains(abs(span_of(*a)), abs(Fraction(x)))


FUNCTIONS = {
    "exp": (lambda x: truth.exp(x), lambda x: True),
    "log": (lambda x: truth.log(x), lambda x: x > 0),
    "sqrt": (lambda x: truth.sqrt(x), lambda x: x >= 0),
    "ncdf": (lambda x: truth.ncdf(x), lambda x: True),
    "floor": (lambda x: truth.floor(x), lambda x: True),
    "ceil": (lambda x: truth.ceil(x), lambda x: True),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@fuzzed
@given(ranges(1e5) | ranges())
@example((1 + 2.0**-52, 1 + 2.0**-52, False, False, 1 + 2.0**-52))
@example((1 - 2.0**-53, 1 - 2.0**-53, False, False, 1 - 2.0**-53))
@example((-1.0, 0.0, False, False, 0.0))
@example((-1.0, 0.0, False, True, -1.0))
@pytest.mark.first(4)
@pytest.mark.nonvacuous(6)
def test_functions_contain_every_point(name: str, one: Any) -> None:
    *a, x = one
    function, inside = FUNCTIONS[name]
    span = getattr(boxes, name)(span_of(*a))
    nonvacuous_if(not inside(x) or (says_where(span) and (abs(x) < 1e6 or name not in ("exp", "ncdf"))))
    if not inside(x):
        assert first(span.defined) < 2
        return
    assert first(span.defined) > 0
    if abs(x) < 1e6 or name not in ("exp", "ncdf"):  # mpmath takes for ever
        assert contains(span, function(precise(x)))


EXPONENTS: tuple[Any, ...] = (
    0, 1, 2, 3, 5, 8, -1, -2, -3, Fraction(1, 2), Fraction(1, 3), Fraction(5, 2), Fraction(-1, 2), Fraction(-1, 3),
)  # fmt: skip


@fuzzed
@given(ranges(1e30), st.sampled_from(EXPONENTS), st.booleans())
@example((-1.0, 0.0, False, False, 0.0), Fraction(1, 3), False)
@example((0.0, 0.0, False, False, 0.0), Fraction(5, 2), True)
@example((-2.0, 1.0, False, False, -2.0), 3, True)
@example((-1.0, 1.0, False, False, -0.5), Fraction(1, 3), False)
@example((-1.0, 1.0, False, False, 0.0), Fraction(1, 3), True)
@pytest.mark.nonvacuous(8)
def test_powers_contain_every_point(one: Any, exponent: Any, written: bool) -> None:
    """written: an exponent that is m.number(...), as formulas have it."""
    *a, x = one
    span = span_of(*a) ** (boxes.number(exponent) if written else exponent)
    nonvacuous_if(says_where(span))
    whole = Fraction(exponent).denominator == 1
    if (x < 0 and not whole) or (x == 0 and exponent < 0):
        assert first(span.defined) < 2
        return
    assert first(span.defined) > 0
    if whole:
        assert contains(span, Fraction(x) ** int(exponent))
    elif x == 0:
        assert contains(span, Fraction(0))
    else:
        assert contains(span, precise(x) ** (truth.mpf(exponent.numerator) / exponent.denominator))


@fuzzed
@given(ranges(1e3) | positive_ranges(), ranges(20.0) | positive_ranges())
@example((-1.0, 0.0, False, False, 0.0), (0.5, 1.0, False, False, 0.5))
@example((0.0, 0.0, False, False, 0.0), (0.0, 0.0, False, False, 0.0))
@example((0.0, 0.0, False, False, 0.0), (-1.0, 1.0, False, False, 1.0))
@example((0.0, 2.0, False, False, 0.0), (-1.0, 1.0, False, False, 1.0))
@example((-2.0, -1.0, False, False, -2.0), (1.0, 3.0, False, False, 3.0))
@example((-1.0, -1.0, False, False, -1.0), (2.0, 2.0, False, False, 2.0))
@pytest.mark.nonvacuous(5)
def test_powers_with_variable_exponents_contain_every_point(base: Any, exponent: Any) -> None:
    (*a, x), (*b, y) = base, exponent
    span = span_of(*a) ** span_of(*b)
    if abs(x) > 1e6 or abs(y) > 1e6:
        return
    nonvacuous_if(says_where(span))
    if (x < 0 and y != int(y)) or (x == 0 and y < 0):
        assert first(span.defined) < 2
        return
    assert first(span.defined) > 0
    value = (
        Fraction(int(y == 0)) if x == 0 else (precise(-x) ** y * (1 - 2 * (int(y) % 2)) if x < 0 else precise(x) ** y)
    )
    assert contains(span, value)


@fuzzed
@given(ranges(1e30), st.sampled_from([2, 3, -1, -2, -3, 5, 8, -8, 0, 1]))
@example((-2.0, 3.0, False, False, -2.0), 3)
@example((-3.0, -2.0, True, False, -2.0), -3)
@example((-2.0, 0.0, False, False, 0.0), 2)
@example((-inf, -1.0, True, False, -1e8), 1)
@pytest.mark.nonvacuous(5)
def test_whole_exponents_that_are_known_box_by_box_have_negative_bases(one: Any, n: int) -> None:
    """As each value of a whole-number variable becomes; and beside a box on which the base is positive."""
    *a, x = one
    low, high, low_open, high_open = ([each, other] for each, other in zip(a, (1.0, 2.0, False, False), strict=True))
    base = Span(*map(np.array, (low, high, low_open, high_open)), np.array([2, 2], dtype=np.int8))
    times = np.array([float(n), 2.0])
    never = np.zeros(2, dtype=bool)
    span = base ** Span(times, times, never, never, np.array([2, 2], dtype=np.int8))
    nonvacuous_if(a[0] < 0 and n not in (0, 1))
    assert (span.low[1], span.defined[1]) == (pytest.approx(1.0), 2)
    if x == 0 and n < 0:
        assert span.defined[0] < 2
        return
    assert span.defined[0] > 0
    assert span.defined[0] == 2 or (a[0] <= 1e-30 and a[1] >= -1e-30)
    assert contains(span, Fraction(x) ** n)
    ends = [float(Fraction(end) ** n) for end in a[:2] if 1e-30 < abs(end) < 1e30]
    if len(ends) == 2 and a[0] * a[1] > 0:
        assert [first(span.low), first(span.high)] == pytest.approx(sorted(ends), rel=1e-9, abs=0)


# -- slopes ----------------------------------------------------------------------------------------------------------

FORMULAS = {
    "x^2 (1 - x)": lambda m, x: x**2 * (1 - x),
    "x^3": lambda m, x: x**3,
    "x^(1/3)": lambda m, x: x ** Fraction(1, 3),
    "x^(5/2)": lambda m, x: x ** m.number("5/2"),
    "x^-2": lambda m, x: x**-2,
    "1/x": lambda m, x: 1 / x,
    "x/(1 + x)": lambda m, x: x / (1 + x),
    "sqrt": lambda m, x: m.sqrt(x),
    "log(1 + x)": lambda m, x: m.log(1 + x),
    "x log x": lambda m, x: x * m.log(x),
    "exp(-x)": lambda m, x: m.exp(-x),
    "exp(x)/(1 + exp(x))": lambda m, x: m.exp(x) / (1 + m.exp(x)),
    "ncdf": lambda m, x: m.ncdf(x),
    "max": lambda m, x: m.maximum(x, 1 / (1 + x), m.number(1)),
    "min": lambda m, x: m.minimum(x * x, 1 - x),
    "|x - 1|": lambda m, x: abs(x - 1),
    "floor": lambda m, x: m.floor(x) + x,
    "ceil": lambda m, x: m.ceil(x / 2) * x,
    "2^x": lambda m, x: 2**x,
    "x^x": lambda m, x: x**x,
    "0.3^x": lambda m, x: m.number("0.3") ** x,
}


@pytest.mark.parametrize("name", FORMULAS)
@settings(max_examples=24 * FUZZ)
@given(st.tuples(ranges(700.0), positive_ranges()), st.floats(0.1, 0.9))
@pytest.mark.first(8)
@pytest.mark.nonvacuous(6)
def test_slopes_contain_difference_quotients(name: str, two: Any, share: float) -> None:
    """By the mean value theorem the slope over a box contains (f(y) - f(x))/(y - x) for all its points x, y."""
    for low, high, low_open, high_open, x in two:
        y = x + (min(high, 700.0) - x) * share if isfinite(x) else x
        if not low < y < high or x == y or max(abs(x), abs(y)) > 1e4:
            continue
        with np.errstate(all="ignore"):
            box = Gradient(span_of(low, high, low_open, high_open), {"x": boxes.number(1)})
            value = as_gradient(FORMULAS[name](gradients, box))
        part = value.parts["x"]
        if first(value.value.defined) < 2 or first(part.defined) < 2:
            continue
        nonvacuous_if(says_where(part))
        fine = type(iv)(800)  # the smallest differences of doubles cancel 700 digits
        a, b = (fine.of(FORMULAS[name](fine, fine.number(at))) for at in (Fraction(x), Fraction(y)))
        quotient = (b - a) / fine.number(Fraction(y) - Fraction(x))
        slack = quotient.high - quotient.low
        assert float(first(part.low)) == -inf or Fraction(float(first(part.low))) <= quotient.high + slack
        assert float(first(part.high)) == inf or Fraction(float(first(part.high))) >= quotient.low - slack


@pytest.mark.parametrize("name", FORMULAS)
def test_slopes_over_short_boxes_are_the_difference_quotient(name: str) -> None:
    low, high = 0.6, 0.601
    value = as_gradient(FORMULAS[name](gradients, Gradient(span_of(low, high, False, False), {"x": boxes.number(1)})))
    a, b = (iv.of(FORMULAS[name](iv, iv.number(Fraction(at)))) for at in (low, high))
    quotient = (b - a) / iv.number(Fraction(high) - Fraction(low))
    part = value.parts["x"]
    assert first(part.low) <= quotient.high
    assert first(part.high) >= quotient.low
    assert first(part.high) - first(part.low) <= 0.02 * (1 + abs(float(quotient.high)))


@pytest.mark.parametrize("name", FORMULAS)
def test_the_value_of_a_slope_is_that_of_the_box(name: str) -> None:
    for low, high in ((0.6, 0.601), (0.25, 1.75), (1.0, 3.0)):
        box = span_of(low, high, True, False)
        value, plain = (
            as_gradient(FORMULAS[name](gradients, Gradient(box, {"x": boxes.number(1)}))).value,
            FORMULAS[name](boxes, box),
        )
        assert [first(x) for x in (value.low, value.high)] == [first(x) for x in (plain.low, plain.high)]
        assert first(value.low_open) == first(plain.low_open)
        assert first(value.defined) == first(plain.defined)


def test_slopes_where_something_else_begins() -> None:
    """Of a maximum where both sides meet at the end of a box, and of steps."""
    for low, high, formula, slopes_of in (
        (1, 2, lambda m, x: m.maximum(x, 1), (1, 1, 2)),
        (0, 1, lambda m, x: m.maximum(x, 1), (0, 0, 2)),
        (0, 1, lambda m, x: m.maximum(1, x), (0, 0, 2)),
        (0, 2, lambda m, x: m.maximum(x, 1), (0, 1, 2)),
        (0.25, 0.75, lambda m, x: m.floor(x), (0, 0, 2)),
        (0.25, 0.75, lambda m, x: m.ceil(x), (0, 0, 2)),
        (0.25, 1.75, lambda m, x: m.floor(x), (-inf, inf, 1)),
        (0.25, 1.75, lambda m, x: m.ceil(x), (-inf, inf, 1)),
    ):
        part = formula(gradients, Gradient(span_of(low, high, False, False), {"x": boxes.number(1)})).parts["x"]
        assert (first(part.low), first(part.high), first(part.defined)) == slopes_of


def test_where_nothing_is_known_of_one_end_the_line_goes_on() -> None:
    low, high = np.array([0.0, -1.0]), np.array([np.nan, 1.0])
    shut = np.zeros(2, dtype=bool)
    for found in (make_span(low, high, shut, shut, 2, shut), make_span(-high, -low, shut, shut, 2, shut)):
        assert not np.isnan(found.low).any()
        assert not np.isnan(found.high).any()
        assert (np.isinf(found.low) | np.isinf(found.high)).tolist() == [True, False]
        assert (found.low_open | found.high_open).tolist() == [True, False]


# -- halving ---------------------------------------------------------------------------------------------------------


def inside(batch: BoxBatch, row: int, value: Fraction) -> bool:
    low, high = float(batch.low[row, 0]), float(batch.high[row, 0])
    above = low == -inf or (Fraction(low) < value if batch.low_open[row, 0] else Fraction(low) <= value)
    below = high == inf or (value < Fraction(high) if batch.high_open[row, 0] else value <= Fraction(high))
    return above and below


def assert_covered(axis: Axis, member: Fraction) -> None:
    """Halving, wherever the point goes, never loses it, and goes on until it is stuck or a single point."""
    batch = initial_boxes([axis])
    for _ in range(40):
        assert any(inside(batch, row, member) for row in range(len(batch))), (axis, member)
        holding = next(row for row in range(len(batch)) if inside(batch, row, member))
        before = batch.take([holding])
        if before.low[0, 0] == before.high[0, 0]:
            assert Fraction(float(before.low[0, 0])) == member
            return
        batch, stuck = halve_boxes(before, [axis])
        if stuck:
            return
        assert len(batch) == 2
        smaller = (batch.low > before.low) | (batch.high < before.high)
        assert smaller.all()


@fuzzed
@given(st.sampled_from([0, 1, 2**52, 2**53, 2**54, 10**17, 10**30]), st.integers(-9, 9), st.integers(0, 20), st.data())
@example(2**53, 0, 8, None)
@pytest.mark.nonvacuous(6)
def test_halving_keeps_every_whole_number(centre: int, offset: int, width: int, data: Any) -> None:
    sign = -1 if data is not None and data.draw(st.booleans()) else 1
    low, high = sorted((sign * (centre + offset), sign * (centre + offset + width)))
    over = Whole(low) if data is not None and data.draw(st.booleans()) else Whole(low, high)
    (axis,), _ = axes_of({"n": over})
    nonvacuous_if(width > 0)
    for member in {low, high, (low + high) // 2, low + 1, low + 7}:
        if axis.contains(Fraction(member)):
            assert_covered(axis, Fraction(member))


@fuzzed
@given(ranges(), st.booleans())
@example((-inf, inf, True, True, 5e-324), False)
@example((0.0, inf, True, True, 5e-324), False)
@pytest.mark.nonvacuous(6)
def test_halving_covers_every_range(one: Any, closed: bool) -> None:
    low, high, _, _, x = one
    if low == high and not closed:
        return
    (axis,), _ = axes_of({"x": Real(low, high, closed=closed)})
    nonvacuous_if(axis.contains(Fraction(x)))
    for member in (Fraction(x), Fraction(x) + Fraction(1, 3) * (Fraction(1) - 2 * (x > 0))):
        if axis.contains(member):
            assert_covered(axis, member)


def test_powers_that_some_negative_numbers_have_are_defined_in_parts_at_most() -> None:
    """(-2)^2 is a number and (-2)^2.5 is none; and no power is defined where its base is not."""
    exponent, nowhere = span_of(2.0, 2.5, False, False), boxes.log(span_of(-3.0, -2.0, False, False))
    assert int(first(span_power(span_of(-2.0, -1.0, False, False), exponent).defined)) == 1
    assert int(first(span_power(span_of(-2.0, 3.0, False, False), exponent).defined)) == 1
    assert int(first(nowhere.defined)) == 0
    negative = Span(np.array([-2.0]), np.array([-1.0]), nowhere.low_open, nowhere.high_open, nowhere.defined)
    assert int(first(span_power(negative, exponent).defined)) == 0


def test_an_exponent_that_is_one_number_and_known_box_by_box_is_no_whole_one() -> None:
    """x^0 is 1 where x is defined, and where it is differs from box to box: so is x^(x^0) x there."""
    x = boxes.log(Span(np.array([-3.0, -1.0, 1.0]), np.array([-2.0, 2.0, 2.0]), *np.zeros((2, 3), bool), np.full(3, 2)))
    found = span_power(x, span_power(x, Fraction(0)))
    assert list(found.defined) == [0, 1, 2]
    assert found.low[2] <= 0 <= np.log(2) <= found.high[2] <= 0.7


@pytest.mark.parametrize(("low", "high"), [(-2.0, 3.0), (-3.0, -2.0), (-1.0, 0.0)])
def test_odd_powers_of_negative_numbers_are_among_the_powers(low: float, high: float) -> None:
    """Between the exponents 2.5 and 3.5 lies 3, and the cube of a negative number is negative."""
    found = span_power(span_of(low, high, False, False), span_of(2.5, 3.5, False, False))
    assert float(first(found.low)) <= low**3
    assert float(first(found.high)) >= max(high, 0.0) ** 3


@pytest.mark.parametrize(
    ("base", "exponent"), [((0.25, 0.5), (0.5, 2.5)), ((0.0, 0.5), (0.5, 0.75)), ((2.0, 3.0), (-1.5, 2.5))]
)
def test_powers_of_positive_numbers_are_no_wider_than_their_corners(base: Any, exponent: Any) -> None:
    """A power is monotone in either argument, and defined: nothing is lost to what only negative numbers lack."""
    found = span_power(span_of(*base, False, False), span_of(*exponent, False, False))
    corners = [b**e for b in base for e in exponent]
    assert int(first(found.defined)) == 2
    assert float(first(found.low)) == pytest.approx(min(corners), rel=1e-12, abs=0)
    assert float(first(found.high)) == pytest.approx(max(corners), rel=1e-12, abs=0)


@pytest.mark.parametrize("of", [boxes.maximum, boxes.minimum])
def test_the_greater_of_two_is_defined_where_both_are(of: Any) -> None:
    whole, perhaps = span_of(1.0, 2.0, False, False), boxes.log(span_of(-1.0, 2.0, False, False))
    assert [int(first(each.defined)) for each in (whole, perhaps)] == [2, 1]
    assert int(first(of(whole, perhaps).defined)) == 1
    assert int(first(of(perhaps, whole).defined)) == 1


@pytest.mark.parametrize(("low", "high"), [(-1.0, 0.5), (-0.25, 0.5), (0.25, 0.5), (-0.5, -0.25)])
def test_a_cube_has_the_sign_of_its_number(low: float, high: float) -> None:
    found = span_power(span_of(low, high, False, False), 3)
    assert float(first(found.low)) == pytest.approx(low**3, rel=1e-12, abs=0)
    assert float(first(found.high)) == pytest.approx(high**3, rel=1e-12, abs=0)
    assert float(first(found.low)) <= low**3 < high**3 <= float(first(found.high))
