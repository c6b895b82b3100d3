"""Evaluates formulas at exact points: in rational numbers as long as possible, then in interval enclosures.

Only exact arithmetic decides a comparison at equality, such as x <= 0.1 at x = 0.1; an enclosure of one tenth is not a
point. Roots, exponentials and similar functions leave the rationals and become intervals, unless their value is known
to be rational: exp(0), log(1), ncdf(0), and roots of squares.
"""

from __future__ import annotations

import operator
from fractions import Fraction
from functools import reduce
from math import isqrt

from dpbandits.proofs_checks.vocabularies.decimals import exact_fraction
from dpbandits.proofs_checks.vocabularies.intervals import (
    Interval,
    certainly_at_most,
    certainly_less,
    iv,
    undefined_interval,
)
from dpbandits.proofs_checks.vocabularies.operators import BinaryOperator, operator_methods, raises_type_error

MAX_RATIONAL_BITS = 20_000  # bits of a numerator or denominator, beyond which an enclosure takes over


def exact_operation(operation: BinaryOperator, a: object, b: object) -> Exact:
    """The result of an operation: exact between rational numbers, otherwise an enclosure."""
    if isinstance(a, Interval) or isinstance(b, Interval):
        enclosure: Interval = operation(as_interval(a), as_interval(b))
        return enclosure
    try:
        p, q = (x.value if isinstance(x, Rational) else exact_fraction(x) for x in (a, b))
    except TypeError:
        return NotImplemented  # type: ignore[no-any-return]
    if operation is operator.truediv and q == 0:
        return undefined_interval(iv.prec)
    if operation is operator.pow:
        if q.denominator != 1 or (p == 0 and q < 0) or bit_size(p) * abs(q) > MAX_RATIONAL_BITS:
            return as_interval(Rational(p)) ** q
        return Rational(p ** int(q))
    result: Fraction = operation(p, q)
    return Rational(result) if bit_size(result) <= MAX_RATIONAL_BITS else iv.number(result)


class Rational:
    """An exact rational number that never becomes a double, not even by 2 ** 0.5."""

    __array_ufunc__ = None
    __slots__ = ("value",)

    def __init__(self, value: Fraction):
        """The exact rational number."""
        self.value = value

    __add__, __radd__ = operator_methods(exact_operation, operator.add)
    __sub__, __rsub__ = operator_methods(exact_operation, operator.sub)
    __mul__, __rmul__ = operator_methods(exact_operation, operator.mul)
    __truediv__, __rtruediv__ = operator_methods(exact_operation, operator.truediv)
    __pow__, __rpow__ = operator_methods(exact_operation, operator.pow)

    def __neg__(self) -> Rational:
        """The exact number -self."""
        return Rational(-self.value)

    def __pos__(self) -> Rational:
        """The exact number itself, unchanged."""
        return self

    def __abs__(self) -> Rational:
        """The exact absolute value."""
        return Rational(abs(self.value))

    __bool__ = raises_type_error("formulas must not branch on a value")
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = raises_type_error(
        "formulas must not compare values; they have m.maximum and m.minimum"
    )
    __hash__ = object.__hash__


Exact = Rational | Interval


def as_interval(value: object) -> Interval:
    """The value as an enclosing interval."""
    return iv.of(value.value if isinstance(value, Rational) else value)


def bit_size(value: Fraction) -> int:
    """The number of bits of the numerator or the denominator, whichever is larger."""
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def rational_root(value: Fraction) -> Fraction | None:
    """The square root, if it is rational; otherwise None."""
    if value < 0:
        return None
    p, q = isqrt(value.numerator), isqrt(value.denominator)
    return Fraction(p, q) if p * p == value.numerator and q * q == value.denominator else None


class ExactPoints:
    """The vocabulary at exact points."""

    pi = iv.pi

    def number(self, value: object) -> Rational:
        """The number as an exact rational."""
        return Rational(exact_fraction(value))

    def rational(self, x: object) -> Fraction | None:
        """The value as a fraction; None for an interval."""
        if isinstance(x, Interval):
            return None
        return x.value if isinstance(x, Rational) else exact_fraction(x)

    def exp(self, x: object) -> Exact:
        """e^x: exactly 1 for x = 0, otherwise an enclosing interval."""
        return Rational(Fraction(1)) if self.rational(x) == 0 else iv.exp(as_interval(x))

    def log(self, x: object) -> Exact:
        """The natural logarithm of x: exactly 0 for x = 1, otherwise an enclosing interval."""
        return Rational(Fraction(0)) if self.rational(x) == 1 else iv.log(as_interval(x))

    def power(self, base: object, exponent: object) -> Exact:
        """base ** exponent: an exact rational number where possible, otherwise an enclosing interval."""
        return exact_operation(operator.pow, base, exponent)

    def ncdf(self, x: object) -> Exact:
        """Phi(x), the standard normal distribution function: exactly 1/2 for x = 0, otherwise an enclosing interval."""
        return Rational(Fraction(1, 2)) if self.rational(x) == 0 else iv.ncdf(as_interval(x))

    def sqrt(self, x: object) -> Exact:
        """The square root of x: exact if it is rational, otherwise an enclosing interval."""
        exact = self.rational(x)
        exact_root = None if exact is None else rational_root(exact)
        return iv.sqrt(as_interval(x)) if exact_root is None else Rational(exact_root)

    def floor(self, x: object) -> Exact:
        """floor(x): exact for a rational number, otherwise an enclosing interval."""
        exact = self.rational(x)
        return iv.floor(x) if exact is None else Rational(Fraction(exact.__floor__()))

    def ceil(self, x: object) -> Exact:
        """ceil(x): exact for a rational number, otherwise an enclosing interval."""
        exact = self.rational(x)
        return iv.ceil(x) if exact is None else Rational(Fraction(exact.__ceil__()))

    def maximum(self, *values: object) -> Exact:
        """maximum(a, b, ...): the largest of its arguments."""
        exact = [self.rational(value) for value in values]
        if None in exact:
            return iv.maximum(*map(as_interval, values))
        return Rational(reduce(max, [value for value in exact if value is not None]))

    def minimum(self, *values: object) -> Exact:
        """minimum(a, b, ...): the smallest of its arguments."""
        exact = [self.rational(value) for value in values]
        if None in exact:
            return iv.minimum(*map(as_interval, values))
        return Rational(reduce(min, [value for value in exact if value is not None]))


rational_vocabulary = ExactPoints()


def is_certainly_at_most(a: object, b: object, strictly: bool = False) -> bool:
    """Whether a <= b (a < b if strictly) is certain, with both values defined."""
    p, q = rational_vocabulary.rational(a), rational_vocabulary.rational(b)
    if p is not None and q is not None:
        return p < q if strictly else p <= q
    return (certainly_less if strictly else certainly_at_most)(as_interval(a), as_interval(b))
