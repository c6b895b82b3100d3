"""Equalities of products of powers: each that is told is one, and its neighbours are not."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import inf, isinf, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vacuity import nonvacuous_if

from dpbandits.proofs_checks.formulas.algebra.derivatives import decreases_to_zero, derivative_by
from dpbandits.proofs_checks.formulas.algebra.identities import (
    Atoms,
    are_identical,
    equal_squares,
    linear_parts,
    range_low,
)
from dpbandits.proofs_checks.formulas.algebra.inequalities import is_provably_at_most, substitute
from dpbandits.proofs_checks.formulas.algebra.polynomials import as_ratio, variable_ratio
from dpbandits.proofs_checks.formulas.algebra.real_powers import equal_powers, powers_at_most
from dpbandits.proofs_checks.formulas.methods import judge_by_methods
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.claims.model import Claim, Inequality, OneOf, Real, Source, Verdict, Whole
from dpbandits.reference.claims.paper import conditions

OVER = {"x": Real(0, 9), "y": Real(0, 9), "n": Whole(1)}

EQUAL: dict[str, tuple[Any, Any]] = {
    "square": (lambda m, x: x**2, lambda m, x: x * x),
    "cube of a sum": (lambda m, x: (x + 1) ** 3, lambda m, x: x * x * x + 3 * x * x + 3 * x + 1),
    "power of an exponential": (lambda m, x: m.exp(x) ** 3, lambda m, x: m.exp(3 * x)),
    "power of a root": (lambda m, x: m.sqrt(x) ** 4, lambda m, x: x * x),
    "product under a root": (lambda m, x, y: m.sqrt(x * y), lambda m, x, y: m.sqrt(x) * m.sqrt(y)),
    "exponentials": (lambda m, x, y: m.exp(x) / m.exp(y), lambda m, x, y: m.exp(x - y)),
    "a quotient turned round": (lambda m, x: 2 / m.exp(x), lambda m, x: m.exp(-x) * 2),
    "a quotient of sums": (lambda m, x: 1 / (1 / x - 1), lambda m, x: x / (1 - x)),
    "logarithm": (lambda m, x, y: m.log(x**2 * y), lambda m, x, y: 2 * m.log(x) + m.log(y)),
    "logarithm of a sum": (lambda m, x: m.log(2 + x - 1), lambda m, x: m.log(1 + x)),
    "exponential of a logarithm": (lambda m, n: m.exp(m.log(n) / 2), lambda m, n: m.sqrt(n)),
    "a factor that is not negative": (lambda m, x: m.sqrt(((x + 1) * m.exp(x)) ** 2), lambda m, x: (x + 1) * m.exp(x)),
    "difference": (lambda m, x: 3 - (x - 1), lambda m, x: -x + 4),
    "the log of a number": (lambda m: m.log(m.number(34)), lambda m: m.log(m.number(2)) + m.log(m.number(17))),
}


def of_factors(*factors: int) -> tuple[Any, Any]:
    """A power of a product, and the product of the powers of its factors, the first factor squared."""
    return (
        lambda m, x: m.power(m.number(factors[0] * prod(factors)), x),
        lambda m, x: prod((m.power(m.number(each), x) for each in factors), start=m.power(m.number(factors[0]), x)),
    )


EQUAL |= {f"a power of {factors}": of_factors(*factors) for factors in combinations((2, 3, 5, 7, 11, 13), 2)}
OTHER: dict[str, tuple[Any, Any]] = {
    "a power and its exponent": (lambda m, x: x**2, lambda m, x: m.number(2)),
    "an exponential's power and its exponent": (lambda m, x: m.exp(x) ** 2, lambda m, x: m.number(2)),
    "square and cube": (lambda m, x: x**2, lambda m, x: x**3),
    "root and square": (lambda m, x: m.sqrt(x), lambda m, x: x * x),
    "root and number": (lambda m, x: m.sqrt(x), lambda m, x: x),
    "exponentials": (lambda m, x, y: m.exp(x) / m.exp(y), lambda m, x, y: m.exp(x + y)),
    "product and quotient": (lambda m, x, y: m.sqrt(x) * m.sqrt(y), lambda m, x, y: m.sqrt(x) / m.sqrt(y)),
    "the log of a number and of one of its factors": (
        lambda m: m.log(m.number(34)), lambda m: m.log(m.number(2)),
    ),
    "the logs of two numbers with one large factor each": (
        lambda m: m.log(m.number(34)), lambda m: m.log(m.number(38)),
    ),
    "sign": (lambda m, x: 3 - x, lambda m, x: x - 3),
    "a sum of powers": (lambda m, x: m.exp(x) + 1, lambda m, x: m.exp(x) + 1),  # true, and beyond this algebra
    "the square root of a square, a factor of which may be negative": (
        lambda m, x: m.sqrt(((x - 1) * m.exp(x)) ** 2), lambda m, x: (x - 1) * m.exp(x),
    ),
    "the square root of a negative number's square": (
        lambda m, x: m.sqrt((m.sqrt(x) / -1) ** 2), lambda m, x: m.sqrt(x) / -1,
    ),
    "the log of a factor that may be negative": (
        lambda m, x: m.log((x - 1) * (x - 1)), lambda m, x: 2 * m.log(x - 1),
    ),
}  # fmt: skip


def same(pair: tuple[Any, Any]) -> bool:
    names = pair[0].__code__.co_varnames[1:]
    return equal_powers(*pair, {name: OVER[name] for name in names})


@pytest.mark.parametrize("name", EQUAL)
def test_what_is_equal_is_told(name: str) -> None:
    assert same(EQUAL[name])


@pytest.mark.parametrize("name", OTHER)
def test_what_is_not_is_never_told(name: str) -> None:
    assert not same(OTHER[name])


X, Y = variable_ratio("x"), variable_ratio("y")
NOT_LINEAR = {"square": X * X + Y, "quotient": Y / X, "both": X / (1 + X), "absent": Y * Y, "cube": X * X * X - X}


@pytest.mark.parametrize("name", NOT_LINEAR)
def test_what_is_not_linear_has_no_linear_parts(name: str) -> None:
    """A square, or the variable in the bottom: a bound of a linear part would be a proof of something else."""
    assert linear_parts(as_ratio(NOT_LINEAR[name]), "x") is None


def test_linear_parts_are_the_slope_and_the_rest() -> None:
    slope, rest = linear_parts((3 * X * Y - X + Y * Y + 2) / (1 + Y), "x") or pytest.fail("it is linear")
    again = slope * X + rest - (3 * X * Y - X + Y * Y + 2) / (1 + Y)
    assert not again.top


# -- what algebra alone shows ------------------------------------------------------------------------------------------

ENDLESS = Real(0, float("inf"))
RANGES = (Real(0, 1, closed=True), ENDLESS, Real(-1, 2, closed=True), Whole(0, 5), Whole(-3), OneOf((-2, 1)))


def members(over: Any) -> list[Fraction]:
    """Some numbers of a range, its ends among them."""
    if isinstance(over, OneOf):
        return [Fraction(value) for value in over.values]
    high = over.low + 9 if over.high is None or isinf(over.high) else over.high
    grid = [over.low + (high - over.low) * Fraction(k, 12) for k in range(13)]
    return [Fraction(x) for x in grid if not isinstance(over, Whole) or x.denominator == 1]


@pytest.mark.parametrize("over", RANGES, ids=str)
@pytest.mark.first(3)
def test_what_algebra_shows_holds_all_over_the_range(over: Any) -> None:
    """Between random quadratics: never a false one; and with a gap that has no negative coefficient, always."""
    draw, shown = np.random.default_rng(5), 0
    points = members(over)
    for strict in (False, True):
        for _ in range(60):
            a, b = (draw.integers(-2, 3, 3).tolist() for _ in range(2))
            left, right = (lambda m, x, c=c: c[0] + c[1] * x + c[2] * x * x for c in (a, b))
            values = [right(None, x) - left(None, x) for x in points]
            if is_provably_at_most(left, right, {"x": over}, strict):
                shown += 1
                assert min(values) > 0 if strict and isinstance(over, OneOf) else min(values) >= 0
            elif not strict and over == ENDLESS:
                assert min(d - c for c, d in zip(a, b, strict=True)) < 0
    assert shown > 0


def test_a_variable_of_the_name_pi_is_not_the_constant() -> None:
    over = {"pi": Real(0, 5)}
    assert not are_identical(lambda m, pi: m.pi, lambda m, pi: pi, ("pi",))
    assert not equal_powers(lambda m, pi: m.sqrt(m.pi), lambda m, pi: m.sqrt(pi), over)
    assert not is_provably_at_most(lambda m, pi: m.pi, lambda m, pi: pi, over)
    assert are_identical(lambda m, pi: m.pi * pi, lambda m, pi: pi * m.pi, ("pi",))


def test_what_takes_exact_algebra_too_long_is_left_to_others() -> None:
    unit = {"x": Real(0, 1)}
    with pytest.raises(TypeError, match="terms is too long for exact algebra"):
        is_provably_at_most(lambda m, x: (1 - x) ** 10**6, lambda m, x: m.number(1), unit)
    assert not equal_powers(lambda m, x: (2 - x) ** 10**6, lambda m, x: m.number(1) + x, unit)
    assert are_identical(lambda m, x: x ** (10**9), lambda m, x: (x * x) ** (5 * 10**8), ("x",))
    assert are_identical(lambda m, x: (1 + x) ** 5 * (1 + x) ** -3, lambda m, x: 1 + 2 * x + x * x, ("x",))


def test_squares_show_what_is_plainly_not_negative_and_nothing_else() -> None:
    root, low = (lambda m, x: m.sqrt(x)), (lambda m, x: m.number(1))
    assert is_provably_at_most(low, root, {"x": Real(1, 9, closed=True)})
    assert not is_provably_at_most(low, root, {"x": Real(0, 9, closed=True)})
    assert not is_provably_at_most(low, lambda m, x: x, {"x": OneOf((-2, 1))})
    assert not is_provably_at_most(low, lambda m, x: x, {"x": Real(-3, -2, closed=True)})
    assert equal_squares(lambda m, x: m.sqrt(x * x), lambda m, x: x, {"x": Real(0, 9)})
    for over in (OneOf((-2, 1)), Real(-1, 1), Whole(-1)):
        assert not equal_squares(lambda m, x: m.sqrt(x * x), lambda m, x: x, {"x": over})
    assert not equal_squares(lambda m, x: m.log(x) * m.log(x), lambda m, x: m.log(x), {"x": Real(1, 9)})
    assert are_identical(lambda m, x: m.sqrt(x) ** 2, lambda m, x: x, ("x",))
    assert not are_identical(lambda m, x: m.sqrt(x) ** 2, lambda m, x: -x, ("x",))
    assert [range_low(over) for over in (None, OneOf((3, -2, 1)), Real(-1, 5), Whole(2))] == [0, -2, -1, 2]


def grown(draw: np.random.Generator, depth: int) -> Any:
    """A random formula of sums, products, quotients and whole powers, also negative ones; numbers on either side."""
    if depth == 0:
        name = draw.choice(["x", "y"])
        return lambda values: values[name]
    (one, other), whole = (grown(draw, depth - 1) for _ in range(2)), int(draw.integers(-3, 4))
    return [
        lambda values: one(values) + other(values),
        lambda values: one(values) - other(values),
        lambda values: one(values) * other(values),
        lambda values: one(values) / other(values),
        lambda values: one(values) ** whole,
        lambda values: -one(values),
        lambda values: whole - one(values),
        lambda values: whole / one(values),
        lambda values: other(values) + whole,
    ][draw.integers(9)]


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.first(20)
def test_quotients_of_polynomials_have_the_values_of_their_formulas(seed: int) -> None:
    draw = np.random.default_rng(seed)
    formula = grown(draw, int(draw.integers(1, 4)))
    values = {name: Fraction(int(draw.integers(1, 40)), int(draw.integers(1, 9))) for name in ("x", "y")}
    try:
        exact = formula(values)
    except ZeroDivisionError:
        return
    found = substitute(
        formula({name: variable_ratio(name) for name in values}), {n: as_ratio(v) for n, v in values.items()}
    )
    assert not (found - exact).top
    assert (found - exact - Fraction(1, 7)).top


@pytest.mark.parametrize("power", [-1, -2, -3])
def test_a_negative_power_is_one_over_the_power(power: int) -> None:
    over = {"x": Real(1, 9)}
    assert are_identical(lambda m, x: (x + 1) ** power, lambda m, x: 1 / (x + 1) ** -power, ("x",))
    assert not are_identical(lambda m, x: (x + 1) ** power, lambda m, x: (x + 1) ** -power, ("x",))
    assert is_provably_at_most(lambda m, x: (x + 1) ** power, lambda m, x: m.number(1), over)
    assert not is_provably_at_most(lambda m, x: (x + 1) ** -power, lambda m, x: m.number(1), over)


@pytest.mark.parametrize("over", [OneOf((-1, 4)), OneOf((4, -1)), Real(-1, 4), Whole(-1, 4), Real(-1, inf)])
def test_the_root_of_a_square_is_the_number_only_where_it_is_not_negative(over: Any) -> None:
    """Nor is a logarithm known to be positive, of a sum or of what may be below 1."""
    sides = lambda m, x: m.sqrt(x**2), lambda m, x: x
    assert not equal_powers(*sides, {"x": over})
    for inside in (OneOf((1, 4)), Real(0, 4), Whole(0)):
        assert equal_powers(*sides, {"x": inside})
    for shift, low, known in ((0.5, 0, False), (0, 0.5, False), (0, 1, True)):
        root, plain = lambda m, x, s=shift: m.sqrt(m.log(x + s) ** 2), lambda m, x, s=shift: m.log(x + s)
        assert equal_powers(root, plain, {"x": Real(low, 4)}) == known


CEILINGS: dict[str, tuple[Any, Any, Any, bool]] = {
    "x <= ceil(x)": (lambda m, x: x, lambda m, x: m.ceil(x), ENDLESS, True),
    "ceil(x) <= x + 1": (lambda m, x: m.ceil(x), lambda m, x: x + 1, ENDLESS, True),
    "floor(x) <= x": (lambda m, x: m.floor(x), lambda m, x: x, ENDLESS, True),
    "ceil(ceil(x/2)/2) <= x/4 + 3/2": (
        lambda m, x: m.ceil(m.ceil(x / 2) / 2),
        lambda m, x: x / 4 + m.number(3) / 2,
        ENDLESS,
        True,
    ),
    "ceil(x) <= x": (lambda m, x: m.ceil(x), lambda m, x: x, ENDLESS, False),
    "x <= floor(x)": (lambda m, x: x, lambda m, x: m.floor(x), ENDLESS, False),
    "ceil(x) <= ceil(x/2) + x/2": (lambda m, x: m.ceil(x), lambda m, x: m.ceil(x / 2) + x / 2, ENDLESS, False),
    "ceil(2 x) <= 2 ceil(x)": (
        lambda m, x: m.ceil(2 * x),
        lambda m, x: 2 * m.ceil(x),
        ENDLESS,
        False,
    ),  # true, beyond it
}


@pytest.mark.parametrize("name", CEILINGS)
def test_a_ceiling_is_its_argument_and_a_rest(name: str) -> None:
    """Which is less than 1, and so the algebra takes it to be at most 1: no strict inequality hangs on it."""
    left, right, over, shown = CEILINGS[name]
    assert is_provably_at_most(left, right, {"x": over}) is shown
    assert not is_provably_at_most(left, right, {"x": over}, strict=True)


def test_a_ceiling_is_the_same_for_every_way_to_write_its_argument() -> None:
    assert are_identical(lambda m, x: m.ceil(x + x), lambda m, x: m.ceil(2 * x), ("x",))
    assert not are_identical(lambda m, x: m.ceil(x), lambda m, x: m.ceil(2 * x) / 2, ("x",))
    assert not are_identical(lambda m, x: m.ceil(x), lambda m, x: m.floor(x) + 1, ("x",))  # not of whole numbers


# -- facts about atoms -------------------------------------------------------------------------------------------------

CLOSED = Real(0, 1, closed=True)
ABOVE = Real(1, float("inf"), closed=True)


def power(m: Any, x: Any, u: Any) -> Any:
    return m.exp(u * m.log(x))


# left, right, over, given; then what of it is false: another right side. Each fact shows the first and not the second.
FACTS: dict[str, tuple[Any, Any, Any, Any, Any]] = {
    "Bernoulli": (
        lambda m, x, u: power(m, x, u),
        lambda m, x, u: 1 + u * (x - 1),
        {"x": ENDLESS, "u": CLOSED},
        (),
        lambda m, x, u: 1 + u * (x - 1) * m.number("0.99"),
    ),
    "of 1 - u as well": (
        lambda m, x, u: power(m, x, 1 - u),
        lambda m, x, u: x + u * (1 - x),
        {"x": ENDLESS, "u": CLOSED},
        (),
        lambda m, x, u: 1 + u * (x - 1),
    ),
    "a ceiling under a power of two": (
        lambda m, x: power(m, m.number(2), m.ceil(m.log(x) / m.log(m.number(2)))),
        lambda m, x: 2 * x,
        {"x": ABOVE},
        (),
        lambda m, x: m.number("1.99") * x,
    ),
    "a floor": (
        lambda m, x: x - m.floor(x),
        lambda m, x: m.number(1),
        {"x": ENDLESS},
        (),
        lambda m, x: m.number("0.99"),
    ),
    "two ceilings of one number": (
        lambda m, x: m.ceil(x / 3) - x / 3,
        lambda m, x: m.number(2) + 2 * x / 3 - 2 * m.ceil(x / 3),
        {"x": ENDLESS},
        (lambda m, x: (3 * (m.ceil(x / 3) - x / 3), m.number(2)),),
        lambda m, x: m.number(1) + 2 * x / 3 - 2 * m.ceil(x / 3),
    ),
    "what is given": (
        lambda m, x, y: x,
        lambda m, x, y: 3 * y,
        {"x": ENDLESS, "y": ENDLESS},
        (lambda m, x, y: (2 * x, 5 * y),),
        lambda m, x, y: m.number("2.4") * y,
    ),
    "the inequality of the means": (
        lambda m, x, y: m.sqrt(x * y),
        lambda m, x, y: (x + y) / 2,
        {"x": ENDLESS, "y": ENDLESS},
        (),
        lambda m, x, y: (x + y) * m.number("0.49"),
    ),
    "the same with a logarithm": (
        lambda m, a, d: m.sqrt(m.log(1 / d)),
        lambda m, a, d: a / 4 + m.log(1 / d) / a,
        {"a": ENDLESS, "d": Real(0, 1)},
        (),
        lambda m, a, d: a / 5 + m.log(1 / d) / a,
    ),
    "a range of an atom": (
        lambda m, x: m.ncdf(x) * m.exp(x),
        lambda m, x: m.exp(x),
        {"x": Real(-9, 9)},
        (),
        lambda m, x: m.exp(x) / 2,
    ),
}


@pytest.mark.parametrize("name", FACTS)
def test_each_fact_shows_what_is_true_and_not_what_is_a_little_less(name: str) -> None:
    left, right, over, where, less = FACTS[name]
    known = conditions(where)
    assert is_provably_at_most(left, right, over, given=known)
    assert not is_provably_at_most(left, less, over, given=known)
    assert not is_provably_at_most(right, left, over, given=known)
    assert not is_provably_at_most(left, right, over, strict=True, given=known)
    assert not where or not is_provably_at_most(left, right, over)


def test_what_is_given_is_used_in_its_own_direction_alone() -> None:
    over = {"x": ENDLESS, "y": ENDLESS}
    (below,) = conditions((lambda m, x, y: (y, x),))
    assert is_provably_at_most(lambda m, x, y: y, lambda m, x, y: 2 * x, over, given=(below,))
    assert not is_provably_at_most(lambda m, x, y: x, lambda m, x, y: y, over, given=(below,))
    (turned,) = conditions((lambda m, x, y: (y / -2, x / -2),))
    assert is_provably_at_most(lambda m, x, y: x, lambda m, x, y: y, over, given=(turned,))
    assert not is_provably_at_most(lambda m, x, y: y, lambda m, x, y: x, over, given=(turned,))


def test_exponents_outside_of_0_and_1_and_numbers_below_0_obey_no_bernoulli() -> None:
    for u in (Real(0, 1.1, closed=True), Real(-0.1, 1, closed=True)):
        over = {"x": ENDLESS, "u": u}
        assert not is_provably_at_most(lambda m, x, u: power(m, x, u), lambda m, x, u: 1 + u * (x - 1), over)


def test_roots_ask_for_a_side_that_is_not_negative() -> None:
    """(x - 9)^2 >= 4 holds where x <= 7, too; 2 <= x - 9 does not."""
    over = {"x": Real(0, 7, closed=True), "y": Real(4, 4.5, closed=True)}
    assert not is_provably_at_most(lambda m, x, y: m.sqrt(y), lambda m, x, y: x - 9, over)


def test_a_mirrored_phi_and_a_whole_power_of_a_logarithm() -> None:
    assert are_identical(lambda m, x, y: m.ncdf(x - y), lambda m, x, y: 1 - m.ncdf(y - x), ("x", "y"))
    assert not are_identical(lambda m, x, y: m.ncdf(x - y), lambda m, x, y: 1 - m.ncdf(x - y), ("x", "y"))
    assert are_identical(lambda m, x, u: power(m, x, 2 + u * 0), lambda m, x, u: x * x, ("x", "u"))
    assert are_identical(lambda m, x, u: m.exp(u - m.log(x)), lambda m, x, u: m.exp(u) / x, ("x", "u"))
    assert not are_identical(lambda m, x, u: power(m, x, u), lambda m, x, u: x, ("x", "u"))


def test_products_of_powers_are_compared_by_their_logarithms() -> None:
    over: Any = {"x": ABOVE, "y": ENDLESS, "u": CLOSED}
    assert powers_at_most(lambda m, x, y, u: power(m, x, 1 - u) * y, lambda m, x, y, u: x * y, over)
    assert powers_at_most(lambda m, x, y, u: m.log(y / (x * x)), lambda m, x, y, u: m.log(y), over)
    assert not powers_at_most(lambda m, x, y, u: power(m, x, 1 + u) * y, lambda m, x, y, u: x * y, over)
    assert not powers_at_most(lambda m, x, y, u: x * y, lambda m, x, y, u: x * y * y, over)
    assert not powers_at_most(lambda m, x, y, u: power(m, y, 1 - u), lambda m, x, y, u: y, over)


def test_logarithms_have_the_signs_that_their_arguments_give_them() -> None:
    """Of numbers and of variables up to 1 and from 1 on, and log log x from e on; at the wrong side nothing is told."""
    up_to_1: Any = {"v": Real(0, 1, closed="right"), "x": Real(0, 1, closed=True), "T": Real(3, inf, closed=True)}

    def third(m: Any, v: Any, **others: Any) -> Any:
        return 3 * m.power(m.number(1) / 3, 1 / v)

    def one(m: Any, **others: Any) -> Any:
        return m.number(1)

    assert powers_at_most(third, one, up_to_1)
    assert not powers_at_most(one, third, up_to_1)
    assert not powers_at_most(lambda m, v, **o: m.number("3.1") * m.power(m.number(1) / 3, 1 / v), one, up_to_1)
    assert powers_at_most(lambda m, v, x, T: m.power(x, v), one, up_to_1)
    assert not powers_at_most(one, lambda m, v, x, T: m.power(x, v), up_to_1)
    assert not powers_at_most(lambda m, v, x, T: m.power(x, v), one, {**up_to_1, "x": Real(0, 1.01)})
    assert powers_at_most(one, lambda m, v, x, T: m.power(m.log(T), v), up_to_1)
    assert not powers_at_most(one, lambda m, v, x, T: m.power(m.log(T), v), {**up_to_1, "T": Real(2.7, inf)})
    assert not powers_at_most(lambda m, v, x, T: m.power(m.log(T), v), one, up_to_1)


# (p x + q y + r)^2 + s, which is negative somewhere for s = -1 at most, by its coefficients; and any form.
squares = st.tuples(*[st.integers(-3, 3)] * 3, st.integers(-1, 4)).map(
    lambda c: (c[0] ** 2, 2 * c[0] * c[1], c[1] ** 2, 2 * c[0] * c[2], 2 * c[1] * c[2], c[2] ** 2 + c[3])
)
forms = st.tuples(*[st.integers(-6, 6)] * 6)


@given(squares, forms)
@settings(max_examples=60)
@pytest.mark.nonvacuous(20)
def test_what_squares_make_up_for_is_not_negative(square: tuple[int, ...], other: tuple[int, ...]) -> None:
    """Quadratic forms in two variables that are not negative, and a linear term: never a false one."""
    for c in (square, other):
        form = lambda m, x, y, c=c: c[0] * x * x + c[1] * x * y + c[2] * y * y + c[3] * x + c[4] * y + c[5]  # noqa: E731
        proved = is_provably_at_most(lambda m, x, y: m.number(0), form, {"x": ENDLESS, "y": ENDLESS})
        nonvacuous_if(proved and any(c[:5]))
        if proved:
            grid = np.linspace(0, 9, 37)
            assert form(None, *np.meshgrid(grid, grid)).min() >= -1e-9


# -- derivatives -------------------------------------------------------------------------------------------------------


def density(m: Any, x: Any) -> Any:
    return m.exp(-x * x / 2) / m.sqrt(2 * m.pi)


# left, right, whether strictly, and what is false instead of the right side.
FALLING: dict[str, tuple[Any, Any, bool, Any]] = {
    "Mill": (lambda m, x: m.ncdf(-x), lambda m, x: density(m, x) / x, True, lambda m, x: density(m, x) / (x + 1)),
    "Gordon": (
        lambda m, x: x / (x * x + 1) * density(m, x),
        lambda m, x: m.ncdf(-x),
        True,
        lambda m, x: m.ncdf(-x) * m.number("0.9"),
    ),
    "half": (
        lambda m, x: m.ncdf(-x),
        lambda m, x: m.exp(-x * x / 2) / 2,
        False,
        lambda m, x: m.exp(-x * x / 2) * m.number("0.499"),
    ),
    "whole": (lambda m, x: m.ncdf(-x), lambda m, x: m.exp(-x * x / 2), False, lambda m, x: m.exp(-x * x)),
}


@pytest.mark.parametrize("name", FALLING)
def test_what_falls_to_0_is_positive_before(name: str) -> None:
    left, right, strictly, less = FALLING[name]
    over = {"x": ENDLESS}
    assert decreases_to_zero(left, right, over)
    assert decreases_to_zero(left, right, over, strict=True) == strictly
    assert not decreases_to_zero(left, less, over)
    assert not decreases_to_zero(right, left, over)
    for other in (Real(-1, inf), Real(0, inf, closed=True), Real(0, 9), Whole(1)):
        assert not decreases_to_zero(left, right, {"x": other})


def test_what_does_not_vanish_or_whose_slope_turns_twice_is_left_to_others() -> None:
    over = {"x": ENDLESS}
    grows = lambda m, x: m.ncdf(x), lambda m, x: m.number(1)  # true, and tends to 0 by cancellation
    assert not decreases_to_zero(*grows, over)
    assert not decreases_to_zero(lambda m, x: m.exp(x) * m.ncdf(-x), lambda m, x: m.exp(x), over)
    # e^-x (1 - x)(3 - x) is negative between 1 and 3, and rises, falls and rises again
    wave = lambda m, x: m.exp(-x) * (1 - x) * (3 - x)  # noqa: E731
    assert not decreases_to_zero(lambda m, x: m.number(0), wave, over)
    assert not decreases_to_zero(
        lambda m, x, y: m.ncdf(-x), lambda m, x, y: m.exp(-x * x / 2), {"x": ENDLESS, "y": ENDLESS}
    )


def test_a_derivative_is_that_of_calculus() -> None:
    m, x = Atoms(), variable_ratio("x")
    formula = m.exp(-x * x) * m.ncdf(3 - x) / (1 + m.sqrt(x)) + m.log(1 + x * x)
    slope = derivative_by(formula, m, "x")
    step, at = 1e-6, 0.7

    def value(ratio: Any, x: float) -> float:
        atoms = {"x": x, "pi#": float(np.pi)}
        for function, argument, name in m.known:
            atoms[name] = float(getattr(doubles, function)(np.float64(of(argument, atoms))))
        return of(ratio, atoms)

    def of(ratio: Any, atoms: dict[str, float]) -> float:
        top, bottom = (
            sum(float(c) * np.prod([atoms[n] ** k for n, k in powers]) for powers, c in part.items())
            for part in (ratio.top, ratio.bottom)
        )
        return float(top / bottom)

    difference = (value(formula, at + step) - value(formula, at - step)) / (2 * step)
    assert value(slope, at) == pytest.approx(difference, rel=1e-7)
    with pytest.raises(TypeError, match="the derivative of ceil does not exist everywhere"):
        derivative_by(m.ceil(x), m, "x")


@pytest.mark.parametrize("name", FALLING)
def test_what_falls_to_0_is_proved_by_its_derivative(name: str) -> None:
    left, right, strictly, less = FALLING[name]
    source = Source("test", "here", "quoted")
    for strict in (False, strictly):
        says = Inequality(left, right, {"x": ENDLESS}, strict=strict)
        finding = judge_by_methods(Claim("test/claim", source, says, expect=Verdict.PROVED))
        assert finding.verdict == Verdict.PROVED
        assert "tends to 0" in finding.summary
    finding = judge_by_methods(
        Claim("test/claim", source, Inequality(left, less, {"x": ENDLESS}), expect=Verdict.REFUTED)
    )
    assert finding.verdict != Verdict.PROVED
