"""Quotients of polynomials with rational coefficients, in which variables with ranges are replaced by expressions in
nonnegative variables.

A formula f(m, **variables) that uses only + - * / and whole powers becomes a `Ratio` when it is called with Ratios;
anything else raises TypeError. Two formulas are the same function if and only if their difference has numerator {}.

A variable's range is substituted by a quotient in a new variable t >= 0: [low, inf) by low + t, (-inf, high] by high -
t, and [low, high] by (high + low t)/(1 + t), which reaches low in the limit. If a Ratio in such variables has no
negative coefficient, it is >= 0 on the whole box, boundary included. (This is the Bernstein basis in another form: it
may fail for true inequalities, and never succeeds for false ones. Ends are decimals as people write them: 0.1 is one
tenth.)
"""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import NoReturn

from dpbandits.proofs_checks.vocabularies.decimals import exact_as_printed, exact_fraction, reject_rounded_double
from dpbandits.proofs_checks.vocabularies.operators import raises_type_error
from dpbandits.reference.claims.model import Domain, OneOf, Real, Whole

Powers = tuple[tuple[str, int], ...]  # (variable, exponent >= 1), sorted: one monomial
Polynomial = dict[Powers, Fraction]  # no zero coefficients

MAX_TERM_PAIRS = 10_000  # pairs of terms that a product may have; (1 - x)^1000 is for intervals
PI = "pi#"  # the variable that stands for the constant: no formula can have one of this name


class Ratio:
    """numerator/denominator, two polynomials with rational coefficients; not reduced."""

    __slots__ = ("bottom", "top")

    def __init__(self, top: Polynomial, bottom: Polynomial):
        """The quotient top/bottom of two polynomials. Raises ZeroDivisionError if the denominator is 0."""
        if not bottom:
            raise ZeroDivisionError("the denominator of a quotient of polynomials is 0")
        self.top = top
        self.bottom = bottom

    def __add__(self, value: object) -> Ratio:
        """The quotient of polynomials self + value."""
        other = as_ratio(value)
        if self.bottom == other.bottom:
            return Ratio(polynomial_sum(self.top, other.top), self.bottom)
        crossed = polynomial_sum(polynomial_product(self.top, other.bottom), polynomial_product(other.top, self.bottom))
        return Ratio(crossed, polynomial_product(self.bottom, other.bottom))

    def __mul__(self, value: object) -> Ratio:
        """The quotient of polynomials self * value."""
        other = as_ratio(value)
        return Ratio(polynomial_product(self.top, other.top), polynomial_product(self.bottom, other.bottom))

    def __truediv__(self, value: object) -> Ratio:
        """The quotient of polynomials self / value."""
        other = as_ratio(value)
        return Ratio(polynomial_product(self.top, other.bottom), polynomial_product(self.bottom, other.top))

    def __pow__(self, value: object) -> Ratio:
        """self ** value for an integer exponent. Raises TypeError for other exponents."""
        power = exact_fraction(value)
        if power.denominator != 1:
            raise TypeError(f"the power {power} is not an integer, so the result is not a quotient of polynomials")
        base = self if power >= 0 else 1 / self
        out = as_ratio(1)
        for digit in f"{abs(power.numerator):b}":
            out = out * out * base if digit == "1" else out * out
        return out

    def __neg__(self) -> Ratio:
        """The quotient of polynomials -self."""
        return self * -1

    def __sub__(self, value: object) -> Ratio:
        """The quotient of polynomials self - value."""
        return self + -as_ratio(value)

    def __rsub__(self, value: object) -> Ratio:
        """The quotient of polynomials value - self."""
        return as_ratio(value) - self

    def __rtruediv__(self, value: object) -> Ratio:
        """The quotient of polynomials value / self."""
        return as_ratio(value) / self

    __radd__, __rmul__ = __add__, __mul__

    __eq__ = __ne__ = raises_type_error(
        "quotients of polynomials are not compared; formulas must not branch on a value"
    )
    __bool__ = raises_type_error("formulas must not branch on a value")
    __hash__ = None  # type: ignore[assignment]  # nor looked up

    @property
    def names(self) -> set[str]:
        """The names of the variables in the quotient."""
        return {name for part in (self.top, self.bottom) for powers in part for name, _ in powers}

    def never_negative(self) -> bool:
        """Whether no coefficient is negative, so that the quotient is nonnegative if all variables are >= 0."""
        return all(value >= 0 for part in (self.top, self.bottom) for value in part.values())


def as_ratio(value: object) -> Ratio:
    """The exact number as a quotient of polynomials; a quotient unchanged.
    Raises TypeError for anything else, such as a rounded double."""
    if isinstance(value, Ratio):
        return value
    reject_rounded_double(value)
    return Ratio(constant_polynomial(exact_fraction(value)), constant_polynomial(Fraction(1)))


def variable_ratio(name: str) -> Ratio:
    """The variable as a quotient of polynomials, name/1."""
    return Ratio({((name, 1),): Fraction(1)}, constant_polynomial(Fraction(1)))


def constant_polynomial(value: Fraction) -> Polynomial:
    """The polynomial that is this constant."""
    return {(): value} if value else {}


def polynomial_sum(a: Polynomial, b: Polynomial) -> Polynomial:
    """The polynomial a + b, without terms of coefficient 0."""
    out = dict(a)
    for powers, value in b.items():
        out[powers] = out.get(powers, Fraction(0)) + value
    return {powers: value for powers, value in out.items() if value}


def polynomial_product(a: Polynomial, b: Polynomial) -> Polynomial:
    """The polynomial a b. Raises TypeError for more than MAX_TERM_PAIRS pairs of terms."""
    if len(a) * len(b) > MAX_TERM_PAIRS:
        raise TypeError(f"a product of {len(a)} and {len(b)} terms is too long for exact algebra")
    out: Polynomial = {}
    for p, x in a.items():
        for q, y in b.items():
            powers = dict(p)
            for name, power in q:
                powers[name] = powers.get(name, 0) + power
            key = tuple(sorted(powers.items()))
            out[key] = out.get(key, Fraction(0)) + x * y
    return {powers: value for powers, value in out.items() if value}


class Ratios:
    """The part of the vocabulary under which quotients of polynomials are closed: numbers and arithmetic only."""

    def number(self, value: object) -> Ratio:
        """The number as a quotient of polynomials, exactly."""
        return as_ratio(value)

    def __getattr__(self, name: str) -> NoReturn:
        """Raises TypeError: this algebra supports no function with this name."""
        raise TypeError(f"the function {name} is not supported by the algebra of quotients of polynomials")


ratios = Ratios()


def substitute_ranges(over: Domain) -> list[dict[str, Ratio]]:
    """For each variable an expression that covers its range, in a new variable t >= 0.
    The list has one entry for every combination of values of variables with listed values."""
    points: list[dict[str, Ratio]] = [{}]
    for name, values in over.items():
        if isinstance(values, OneOf):
            points = [{**point, name: as_ratio(exact_as_printed(value))} for point in points for value in values.values]
        else:
            points = [{**point, name: substitute_range(name, values)} for point in points]
    return points


def substitute_range(name: str, values: Real | Whole) -> Ratio:
    """An expression in a variable t >= 0 that covers the range: low + t, high - t, or (high + low t)/(1 + t).
    Raises TypeError for a range without ends."""
    t = variable_ratio(name)
    low, high = exact_as_printed(values.low), inf if values.high is None else exact_as_printed(values.high)
    if low == -inf and high == inf:
        raise TypeError(f"{name} has neither a lower nor an upper bound, so it cannot be substituted")
    if low == -inf:
        return as_ratio(high) - t
    return as_ratio(low) + t if high == inf else (as_ratio(high) + as_ratio(low) * t) / (1 + t)
