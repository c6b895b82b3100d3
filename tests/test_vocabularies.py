"""The four contexts: they agree, intervals enclose, and undefined formulas give no information."""

from __future__ import annotations

import operator
import pickle
from fractions import Fraction
from math import inf, isnan
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from vacuity import nonvacuous_if

from dpbandits.proofs_checks.formulas.integer_operands import IntegerOperand
from dpbandits.proofs_checks.vocabularies.boxes import Span, boxes
from dpbandits.proofs_checks.vocabularies.decimals import decimal_text, exact_fraction
from dpbandits.proofs_checks.vocabularies.exact_points import as_interval, is_certainly_at_most, rational_vocabulary
from dpbandits.proofs_checks.vocabularies.expressions import Term, text
from dpbandits.proofs_checks.vocabularies.gradients import Gradient, gradients
from dpbandits.proofs_checks.vocabularies.intervals import (
    Defined,
    Interval,
    Intervals,
    certainly_at_most,
    certainly_less,
    iv,
)
from dpbandits.proofs_checks.vocabularies.precise import mp
from dpbandits.reference.arithmetic.vocabulary import doubles

# boxes compute with infinite ends; the prover silences numpy about it, as is done here
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

truth = mpmath.MPContext()
truth.dps = 120  # more than twice the digits of iv and mp, so that its own errors do not matter

numbers = st.floats(-1e6, 1e6)
short = st.fractions(-50, 50, max_denominator=1000)
positive = st.floats(1e-6, 1e6)


def exact(value: Any) -> Any:
    """The reference's number for a rational."""
    value = exact_fraction(value)
    return truth.mpf(value.numerator) / value.denominator


def contains(interval: Interval, value: Any) -> bool:
    return bool(interval.low <= Fraction(value) <= interval.high)


def encloses(interval: Interval, value: Any) -> bool:
    """Whether the interval contains the 120-digit value, up to that value's own error of 1e-110."""
    slack = abs(value) * truth.mpf(10) ** -110
    low = -truth.inf if interval.low == -inf else exact(interval.low)
    high = truth.inf if interval.high == inf else exact(interval.high)
    return bool(low <= value + slack and value - slack <= high)


def spanned(low: float, high: float) -> Span:
    """One box [low, high]."""
    closed = np.zeros(1, dtype=bool)
    return Span(np.array([low]), np.array([high]), closed, closed, np.array([2], dtype=np.int8))


def low_of(span: Span) -> float:
    return float(np.ravel(span.low)[0])


def high_of(span: Span) -> float:
    return float(np.ravel(span.high)[0])


# -- the normal distribution function --------------------------------------------------------------------


@pytest.mark.parametrize(
    "x", ["-100", "-40", "-38.5", "-5.001", "-5", "-4.999", "-1", "-1e-30", "0", "0.5", "3", "9", "40"]
)
def test_ncdf_encloses_and_is_tight_relative_to_the_tail(x: str) -> None:
    value = iv.ncdf(x)
    assert encloses(value, truth.ncdf(exact(x)))
    # iv has 50 digits; the series loses a few of them to cancellation
    assert value.high - value.low <= value.low * Fraction(1, 10**46)


@given(st.floats(-60, 60), st.floats(0, 3))
@example(-5.0, 0.0)
@example(5.0, 1e-12)
@pytest.mark.nonvacuous(10)
def test_ncdf_contains_and_is_monotone(x: float, width: float) -> None:
    a, b = iv.ncdf(x), iv.ncdf(exact_fraction(x) + exact_fraction(width))
    nonvacuous_if(abs(x) < 40)
    assert encloses(a, truth.ncdf(exact(x)))
    assert a.low <= b.high
    whole = iv.ncdf(iv.between(x, exact_fraction(x) + exact_fraction(width)))
    assert (whole.low, whole.high) == (a.low, b.high)
    assert 0 <= a.low <= a.high <= 1


def test_ncdf_at_infinity() -> None:
    assert iv.ncdf(iv.between(-inf, inf)).bounds == (0.0, 1.0)
    assert iv.ncdf(iv.between(2**40, inf)).high == 1
    assert iv.ncdf(iv.number(-(2**40))).low == 0


@given(st.floats(-37, 9))
@example(-2.0)
@example(2.0)
@pytest.mark.nonvacuous(20)
def test_ncdf_of_boxes_encloses(x: float) -> None:
    value, point = boxes.ncdf(spanned(x, x)), iv.ncdf(x)
    assert low_of(value) <= point.low
    assert point.high <= high_of(value)


# -- containment and monotonicity of everything else -----------------------------------------------------

BINARY = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b}


@pytest.mark.parametrize("sign", BINARY)
@given(st.tuples(numbers, numbers), st.tuples(numbers, numbers), st.floats(0, 1), st.floats(0, 1))
@pytest.mark.nonvacuous(10)
def test_arithmetic_contains_every_point(
    sign: str, one: tuple[float, float], two: tuple[float, float], s: float, t: float
) -> None:
    (a, b), (c, d) = sorted(one), sorted(two)
    x, y = min(max(a + (b - a) * s, a), b), min(max(c + (d - c) * t, c), d)
    value = BINARY[sign](iv.between(a, b), iv.between(c, d))
    span = BINARY[sign](spanned(a, b), spanned(c, d))
    nonvacuous_if(a < b or c < d)
    if sign == "/" and y == 0:
        assert value.defined < Defined.EVERYWHERE
        assert span.defined[0] < 2
        return
    point = BINARY[sign](exact_fraction(x), exact_fraction(y))
    assert value.low <= point <= value.high
    assert low_of(span) <= point <= high_of(span)


@pytest.mark.parametrize("name", ["exp", "log", "sqrt"])
@given(st.floats(1e-6, 600))
@example(1.0)
@pytest.mark.nonvacuous(20)
def test_functions_enclose(name: str, x: float) -> None:
    value = getattr(iv, name)(x)
    assert encloses(value, getattr(truth, name)(exact(x)))
    span = getattr(boxes, name)(spanned(x, x))
    assert low_of(span) <= value.low
    assert value.high <= high_of(span)
    assert abs(getattr(doubles, name)(x) - value.middle) <= 1e-12 * max(1.0, abs(value.middle))


@given(st.floats(-20, 20), st.floats(0, 20), st.integers(-5, 7), st.floats(0, 1))
@pytest.mark.nonvacuous(8)
def test_whole_powers_contain_every_point(low: float, width: float, n: int, share: float) -> None:
    high = low + width
    x = min(low + width * share, high)
    value, span = iv.between(low, high) ** n, spanned(low, high) ** n
    nonvacuous_if(n not in (0, 1) and width > 0)
    if n < 0 and low <= 0 <= high:
        assert value.defined < Defined.EVERYWHERE
        assert span.defined[0] < 2
        return
    point = exact_fraction(x) ** n
    assert value.low <= point <= value.high
    assert low_of(span) <= point <= high_of(span)


@given(positive, st.fractions(-3, 3, max_denominator=7).filter(lambda y: y not in (0, 1)))
@example(2.0, Fraction(0))
@example(2.0, Fraction(1))
@pytest.mark.nonvacuous(10)
def test_real_powers_enclose(x: float, y: Fraction) -> None:
    nonvacuous_if(x != 1)
    assert encloses(iv.number(x) ** y, truth.power(exact(x), exact(y)))
    span = spanned(x, x) ** y
    assert low_of(span) <= (iv.number(x) ** y).high
    assert (iv.number(x) ** y).low <= high_of(span)


def test_minus_zero_is_zero() -> None:
    assert iv.number(-0.0) == iv.number(0)
    assert (1 / iv.between(-0.0, 2)).bounds == (0.5, inf)


def test_boxes_know_which_ends_are_attained() -> None:
    opened, closed = np.array([True]), np.array([False])
    x = Span(np.array([1.0]), np.array([2.0]), opened, closed, np.array([2], dtype=np.int8))
    assert boxes.log(x - 1).defined[0] == 2  # x > 1, so that x - 1 is never 0
    assert (1 / boxes.log(x)).defined[0] == 2
    assert boxes.log(spanned(0.0, 1.0)).defined[0] == 1


# -- what is undefined says nothing ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        1 / iv.between(0, 0),
        iv.log(-1),
        iv.log(0),
        iv.sqrt(-1),
        iv.number(-2) ** Fraction(1, 2),
        iv.number(0) ** -1,
        1 + iv.log(-1),
        iv.maximum(iv.log(-1), 5),
    ],
)
def test_nowhere_defined(value: Interval) -> None:
    assert value.defined == Defined.NOWHERE
    assert value.bounds == (-inf, inf)
    assert not certainly_less(value, iv.number(1))
    assert not certainly_less(iv.number(1), value)


@pytest.mark.parametrize(
    "value", [1 / iv.between(-1, 1), iv.log(iv.between(-1, 1)), iv.sqrt(iv.between(-1, 1)), iv.between(-1, 1) ** -2]
)
def test_perhaps_defined_is_never_certain(value: Interval) -> None:
    assert value.defined == Defined.PERHAPS
    assert not certainly_at_most(value - 10**9, iv.number(0))


def test_powers_of_negative_numbers_are_open_where_the_exponent_may_be_whole() -> None:
    for base in (iv.number(-2), iv.between(-2, 1), iv.between(-2, 0)):
        perhaps = base ** iv.between("2.9", 3)
        assert perhaps.defined == Defined.PERHAPS
        assert perhaps.bounds == (-inf, inf)
    assert contains(iv.between(-1, 1) ** iv.between("0.5", "1.5"), -1)
    assert contains(iv.between(-1, 1) ** iv.between("-1.5", "0.5"), -1)
    assert (iv.number(-2) ** iv.between("2.1", "2.9")).defined == Defined.NOWHERE
    assert (iv.between(-2, 1) ** iv.between("2.1", "2.9")).bounds == (0, 1)


def test_certainty_is_strict_where_it_says_so() -> None:
    assert certainly_at_most(iv.number("0.5"), iv.number("0.5"))
    assert not certainly_less(iv.number("0.5"), iv.number("0.5"))
    assert not certainly_at_most(iv.number("0.1"), iv.number("0.1"))  # one tenth is no binary number


def test_intervals_do_not_branch() -> None:
    with pytest.raises(TypeError, match="maximum"):
        _ = iv.number(1) < iv.number(2)
    with pytest.raises(TypeError, match="branch"):
        bool(iv.number(1))


def test_nothing_bounds_an_infinite_end_and_zero_times_it_is_zero() -> None:
    """All values are real numbers, however large."""
    up, line, share, zero = iv.between(1, inf), iv.between(-inf, inf), iv.between(0, 1), iv.number(0)
    assert (share * up).bounds == (0.0, inf)
    assert (zero * line).bounds == (0.0, 0.0)
    assert (iv.between(-1, 1) * up).bounds == (-inf, inf)
    assert (line * iv.number(-2)).bounds == (-inf, inf)
    assert (up - up).bounds == (-inf, inf)
    assert (up / up).bounds == (0.0, inf)
    assert (up / -up).bounds == (-inf, 0.0)
    assert (share / up).bounds == (0.0, 1.0)
    assert (up / share).bounds == (1.0, inf)
    assert (line / up).bounds == (-inf, inf)
    assert (1 / line).bounds == (-inf, inf)
    assert (up**-0.5).bounds == (0.0, 1.0)
    assert (up**up).bounds == (1.0, inf)
    assert repr(-iv.number(0)) == "Interval(0.0, 0.0)"
    assert (up ** iv.between(-1, 2)).bounds == (0.0, inf)
    assert (line**3).bounds == (-inf, inf)
    assert (line**2).bounds == (0.0, inf)
    assert iv.floor(up + 0.5).bounds == (1.0, inf)
    assert iv.log(up).bounds == (0.0, inf)
    assert iv.sqrt(line).bounds == (0.0, inf)
    assert iv.exp(line).bounds == (0.0, inf)


def test_sums_keep_the_sign_of_what_is_too_small_to_see() -> None:
    one, tiny = iv.number(1), iv.exp(-1000)
    assert certainly_at_most(one, one + tiny)
    assert certainly_at_most(one, tiny + one)
    assert certainly_at_most(one - tiny, one)
    assert certainly_at_most(-one, tiny - one)
    assert certainly_at_most(-tiny - one, -one)
    assert not certainly_less(one, one + tiny)


@pytest.mark.parametrize("value", [inf, -inf])
def test_no_number_lies_between_infinity_and_itself(value: float) -> None:
    with pytest.raises(ValueError, match=": the interval is empty; the lower end must not exceed the upper end"):
        iv.between(value, value)


def test_what_is_exact_stays_a_point() -> None:
    third, two = iv.number("1/3"), iv.number(2)
    for value, expected in [
        (two / 8, Fraction(1, 4)),
        (iv.number(2**400 + 1), 2**400 + 1),
        (iv.number(Fraction(2**400 + 1, 2**7)), Fraction(2**400 + 1, 2**7)),
        (two**-3, Fraction(1, 8)),
        (iv.sqrt(iv.number("6.25")), Fraction(5, 2)),
        (iv.number("6.25") ** 0.5, Fraction(5, 2)),
        (iv.number(-3) ** 101, Fraction(-(3**101))),
        (iv.exp(0), 1),
        (iv.log(1), 0),
        (iv.ncdf(0), Fraction(1, 2)),
        (iv.floor(2**70 + third), 2**70),
        (iv.ceil(-third), 0),
        (third - third, None),
    ]:
        assert (value.low == value.high == expected) if expected is not None else value.low < 0 < value.high
    assert certainly_at_most(two * two, iv.sqrt(16))


def test_exponents_beyond_all_bounds_are_enclosed_at_once() -> None:
    huge = iv.exp(iv.number(2) ** 60)
    for value in (huge * huge, huge**2, huge + 1, iv.exp(huge), iv.sqrt(huge)):
        assert 10**300 < value.low <= value.high
    for value in (huge ** (10**30), iv.number(2) ** huge):
        assert value.low >= 0
        assert value.high == inf
    for value in (1 / huge, iv.exp(-huge), iv.ncdf(-huge), iv.number("0.5") ** huge):
        assert 0 <= value.low <= value.high < Fraction(1, 10**300)
    assert iv.floor(1 / huge).bounds == (0.0, 0.0)


def test_huge_exponentials_neither_hang_nor_lie() -> None:
    value = iv.exp(1e300)
    assert value.bounds == (1.7976931348623157e308, inf)
    assert iv.exp(-1e300).bounds == (0.0, 5e-324)
    low, high = iv.enclosure(iv.exp(-1e300))
    assert low == "0"
    assert Fraction(high) > 0


# -- numbers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"), [("0.1", Fraction(1, 10)), ("1/3", Fraction(1, 3)), (0.5, Fraction(1, 2)), (7, Fraction(7))]
)
def test_numbers_are_read_exactly(value: Any, expected: Fraction) -> None:
    assert exact_fraction(value) == expected
    assert contains(iv.number(value), expected)
    precise = mp.context.mpf(expected.numerator) / expected.denominator
    assert mp.number(value) == precise
    assert mp.exp(value) == mp.context.exp(precise)
    assert mp.maximum(value, -inf) == mp.minimum(inf, value) == precise
    assert {type(mp.maximum(value, far)) for far in (inf, -inf)} == {mp.context.mpf}
    assert doubles.number(value) == float(expected)


@pytest.mark.parametrize("digits", [1, 14, 15, 25, 33, 34, 38, 50, 52, 53, 100])
def test_intervals_have_whole_words_of_bits_and_some_to_spare(digits: int) -> None:
    """The fewest that hold more than so many digits, log2(10) bits each, and 16 bits for roundings."""
    needed = len(bin(10**digits)) - 3 + 16  # digits log2(10), rounded down
    words = next(n for n in range(1, 99) if 64 * n > needed)
    assert Intervals(digits).prec == 64 * words
    exact = Intervals(digits).sqrt(2)
    assert 0 < (exact.high - exact.low) * 10**digits < Fraction(1, 2**14)


def test_a_float_is_its_binary_value() -> None:
    assert exact_fraction(0.1) != Fraction(1, 10)
    assert iv.number(0.1).low == iv.number(0.1).high == Fraction(0.1)


@pytest.mark.parametrize("value", [True, None, [1], 1j])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        iv.number(value)


@pytest.mark.parametrize("value", [inf, float("nan"), "abc", mpmath.inf, -mpmath.inf, mpmath.nan])
def test_what_is_not_finite_is_refused(value: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  Fraction's own message differs between versions
        iv.number(value)


@given(st.fractions(), st.integers(1, 30))
@pytest.mark.nonvacuous(10)
def test_decimals_round_outwards(value: Fraction, digits: int) -> None:
    low, high = Fraction(decimal_text(value, digits, up=False)), Fraction(decimal_text(value, digits, up=True))
    nonvacuous_if(low < high)
    assert low <= value <= high
    assert high - low <= abs(value) * Fraction(10) ** (1 - digits)  # one unit of the last digit kept


@given(st.integers(1, 6), st.integers(1, 10**6 - 1), st.integers(-9, 9), st.sampled_from([-1, 1]))
@pytest.mark.nonvacuous(10)
def test_decimals_with_few_digits_stay_what_they_are(more: int, whole: int, power: int, sign: int) -> None:
    """Rounding in either direction changes nothing where nothing is cut off: 0.5 is 0.5, not 0.501."""
    value = sign * whole * Fraction(10) ** power
    nonvacuous_if(whole % 10)
    for up in (None, False, True):
        assert Fraction(decimal_text(value, len(str(whole)) + more - 1, up=up)) == value


@given(st.fractions(), st.integers(1, 30))
@pytest.mark.nonvacuous(10)
def test_decimals_round_to_the_nearest(value: Fraction, digits: int) -> None:
    shown = Fraction(decimal_text(value, digits))
    low, high = Fraction(decimal_text(value, digits, up=False)), Fraction(decimal_text(value, digits, up=True))
    nonvacuous_if(low < high)
    assert shown == (low if value - low < high - value else high if high - value < value - low else shown)
    assert shown in (low, high)
    assert decimal_text(Fraction(2, 3), 3) == "0.667"
    assert (decimal_text(inf), decimal_text(-inf), decimal_text(1.5)) == ("inf", "-inf", "1.5")
    assert decimal_text(Fraction(1, 3), 3) == "0.333"


def test_global_mpmath_is_left_alone() -> None:
    assert mpmath.mp.dps == 15
    assert mpmath.iv.dps == 15


def test_a_numpy_scalar_gives_way() -> None:
    assert isinstance(np.float64(2) * iv.number(3), Interval)
    assert (np.float64(2) * text.variable("x")).source == "2 * x"


def test_intervals_travel_to_other_processes() -> None:
    assert pickle.loads(pickle.dumps(iv.number("0.1"))) == iv.number("0.1")


# -- doubles and mp -------------------------------------------------------------------------------------------


def test_fp_takes_arrays() -> None:
    x = np.array([-1.0, 0.0, 2.0])
    assert doubles.maximum(x, 0, -5).tolist() == [0, 0, 2]
    assert doubles.ncdf(x)[1] == 0.5


@pytest.mark.parametrize("name", ["log", "sqrt"])
def test_mp_refuses_what_is_not_real(name: str) -> None:
    with pytest.raises(ValueError, match="must not be negative"):
        getattr(mp, name)(-1)
    with np.errstate(invalid="ignore"):
        assert isnan(getattr(doubles, name)(-1.0))


# -- text ------------------------------------------------------------------------------------------------

LANGUAGE = {
    name: getattr(doubles, name) for name in ("exp", "log", "sqrt", "ncdf", "maximum", "minimum", "floor", "ceil")
}


def formulas(of_one: str = "n2eNp") -> st.SearchStrategy[Any]:
    """Random formulas (m, x, y) with every operator, as functions and thus as any context's values."""
    leaves = st.sampled_from(
        [lambda m, x, y: x, lambda m, x, y: y, lambda m, x, y: m.number(3), lambda m, x, y: m.number("-0.25")]
    )

    def grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        two = st.tuples(st.sampled_from("+-*/mM"), inner, inner).map(lambda t: combined(*t))
        one = st.tuples(st.sampled_from(of_one), inner).map(lambda t: applied(*t))
        return two | one

    return st.recursive(leaves, grown, max_leaves=8)


def combined(sign: str, f: Any, g: Any) -> Any:
    if sign in "mM":
        return lambda m, x, y: (m.minimum if sign == "m" else m.maximum)(f(m, x, y), g(m, x, y))
    return lambda m, x, y: BINARY[sign](f(m, x, y), g(m, x, y))


def applied(sign: str, f: Any) -> Any:
    return {
        "n": lambda m, x, y: -f(m, x, y),
        "2": lambda m, x, y: f(m, x, y) ** 2,
        "e": lambda m, x, y: m.exp(-(f(m, x, y) ** 2)),
        "N": lambda m, x, y: m.ncdf(f(m, x, y)),
        "p": lambda m, x, y: m.power(m.exp(y / 2), f(m, x, y)),
    }[sign]


@given(formulas("n2eN"), st.floats(-3, 3), st.floats(0.5, 3))  # doubles have a power of their own, for all machines
@pytest.mark.nonvacuous(8)
def test_text_evaluates_to_the_same_double(formula: Any, x: float, y: float) -> None:
    source = text.source(formula(text, text.variable("x"), text.variable("y")))
    if not {"x", "y"} & set(source.replace("exp", "").replace("maximum", "")):
        return  # Python's floats raise where numpy's divide by zero
    with np.errstate(all="ignore"):
        direct = formula(doubles, np.float64(x), np.float64(y))
        # the tree of operations is the same, so that the doubles are the same to the last bit
        again = eval(source, {"__builtins__": {}}, {**LANGUAGE, "x": np.float64(x), "y": np.float64(y)})
    nonvacuous_if(np.isfinite(direct))
    assert direct == again or (np.isnan(direct) and np.isnan(again))


@given(formulas(), st.floats(-3, 3), st.floats(0.5, 3))
@pytest.mark.nonvacuous(8)
def test_intervals_enclose_and_boxes_enclose_intervals(formula: Any, x: float, y: float) -> None:
    value = iv.of(formula(iv, iv.number(x), iv.number(y)))
    with np.errstate(all="ignore"):
        span = formula(boxes, spanned(x, x), spanned(y, y))
    nonvacuous_if(value.defined == Defined.EVERYWHERE and np.min(span.defined) == 2)
    if value.defined == Defined.EVERYWHERE and np.min(span.defined) == 2:
        assert low_of(span) <= value.high
        assert value.low <= high_of(span)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (lambda m, x: 1 - (x - 2), "1 - (x - 2)"),
        (lambda m, x: -(x**2), "-x**2"),
        (lambda m, x: (-x) ** 2, "(-x)**2"),
        (lambda m, x: x / (2 * x), "x / (2 * x)"),
        (lambda m, x: 2**-x, "2**-x"),
        (lambda m, x: m.power(1 + x, 1 / x), "(1 + x)**(1 / x)"),
        (lambda m, x: m.number(Fraction(1, 3)) * x, "1 / 3 * x"),
        (lambda m, x: m.ncdf(-x / 2 + m.pi), "ncdf(-x / 2 + pi)"),
        (lambda m, x: m.number("0.1") - m.maximum(x, -1), "0.1 - maximum(x, -1)"),
    ],
)
def test_text_reads_well(formula: Any, expected: str) -> None:
    assert text.source(formula(text, text.variable("x"))) == expected


def test_text_does_not_branch() -> None:
    with pytest.raises(TypeError, match="the formula compares 'x', but a formula must not branch"):
        _ = text.variable("x") < 1


# -- derivatives, and numbers to count with --------------------------------------------------------------


@given(formulas(), st.floats(-2, 2), st.floats(0.5, 2))
@settings(max_examples=60)
@pytest.mark.nonvacuous(15)
def test_slopes_enclose_difference_quotients(formula: Any, x: float, y: float) -> None:
    """By the mean value theorem, (f(x + h) - f(x))/h lies in the slope over [x, x + h]."""
    h = Fraction(1, 64)
    box = Gradient(spanned(x, x + 1 / 64), {"x": boxes.number(1)})
    with np.errstate(all="ignore"):
        value = formula(gradients, box, spanned(y, y))
    if not isinstance(value, Gradient) or "x" not in value.parts:
        return
    part = value.parts["x"]
    if np.min(value.value.defined) < 2 or np.min(part.defined) < 2:
        return
    end = exact_fraction(x + 1 / 64)
    a, b = (iv.of(formula(iv, iv.number(at), iv.number(y))) for at in (exact_fraction(x), end))
    quotient = (b - a) / (end - exact_fraction(x) or h)
    nonvacuous_if(np.isfinite([float(low_of(part)), float(high_of(part))]).any())
    assert low_of(part) <= quotient.high
    assert quotient.low <= high_of(part)


def test_exact_points_decide_equality() -> None:
    """One tenth is no double, and its enclosure no point; as a rational number it is at most itself."""
    tenth, third = rational_vocabulary.number("0.1"), rational_vocabulary.number("1/3")
    assert is_certainly_at_most(tenth, tenth)
    assert not is_certainly_at_most(tenth, tenth, strictly=True)
    assert is_certainly_at_most(rational_vocabulary.sqrt(tenth * tenth), tenth)
    assert is_certainly_at_most(3 * third, 1)
    assert is_certainly_at_most(1, 3 * third)
    assert isinstance(third ** Fraction(1, 2), Interval)
    assert isinstance(third + rational_vocabulary.exp(1), Interval)
    assert rational_vocabulary.maximum(tenth, 0, third).value == Fraction(1, 3)
    assert rational_vocabulary.floor(-tenth).value == -1
    assert rational_vocabulary.ceil(tenth).value == 1
    assert not is_certainly_at_most(1 / (tenth - tenth), 5)


@given(formulas(), short, short)
@pytest.mark.nonvacuous(8)
def test_exact_points_agree_with_intervals(formula: Any, x: Fraction, y: Fraction) -> None:
    exact, value = (
        as_interval(formula(rational_vocabulary, rational_vocabulary.number(x), rational_vocabulary.number(y))),
        iv.of(formula(iv, iv.number(x), iv.number(y))),
    )
    nonvacuous_if(value.defined == exact.defined == Defined.EVERYWHERE)
    if value.defined == exact.defined == Defined.EVERYWHERE:
        assert exact.low <= value.high
        assert value.low <= exact.high


def test_counts_stay_whole_and_never_round() -> None:
    n = IntegerOperand(3, iv)
    assert list(range(n - 1)) == [0, 1]
    third = 1 / n
    assert isinstance(third, Interval)
    assert third.low < Fraction(1, 3) < third.high
    assert contains(n + 0.5, "3.5")
    assert not contains(n + 0.5, "3.6")
    assert not contains(n + 0.5, "3.4")
    assert n**-1 == iv.number(1) / 3
    assert contains(n * iv.number("0.1"), "0.3")


def test_a_text_equals_a_text_that_reads_the_same_and_of_nothing_else_it_is_known() -> None:
    assert Term("x") == Term("x", binds=1)
    assert not Term("x") != Term("x")  # noqa: SIM202
    for other in (Term("y"), SimpleNamespace(source="x"), 0):
        for compare in (operator.eq, operator.ne):
            with pytest.raises(TypeError, match="for equality, but a formula must not branch"):
                compare(Term("x"), other)


@pytest.mark.parametrize("number", ["1/3", "-1/3", "0.1", "1e-30", "-7/11"])
def test_ends_that_are_no_binary_numbers_are_rounded_outwards(number):
    low, high = iv.between(number, number).ends
    assert low < high
    known = iv.number(number).ends
    assert low <= known[0]
    assert known[1] <= high


@pytest.mark.parametrize(("low", "high"), [(2, 1), ("0.2", "0.1"), (0, -1), (inf, 0), (0, -inf)])
def test_nothing_lies_between_ends_in_the_wrong_order(low, high):
    with pytest.raises(ValueError, match=": the interval is empty; the lower end must not exceed the upper end"):
        iv.between(low, high)


@pytest.mark.parametrize(
    ("value", "source"),
    [
        ("1/3", "1 / 3"),
        ("2/7", "2 / 7"),
        ("3/8", "0.375"),
        ("1/6", "1 / 6"),
        ("1/25", "0.04"),
        ("7/15", "7 / 15"),
        ("0", "0"),
    ],
)
def test_numbers_are_written_down_exactly(value: str, source: str) -> None:
    """As a decimal only where that ends."""
    assert text.number(value).source == source
