"""The operations that formulas may use (a "vocabulary"), and their implementation on doubles.

A formula `f(m, **variables)` is written once against a vocabulary m. This module defines the protocol that every m
satisfies, and the m that computes with doubles, so that a policy, a curve and a bound evaluate the same function that
is proved. proofs_checks has other vocabularies: 50 digits, intervals, boxes, text. Constants that are not doubles are
written m.number("0.1"), and quotients of Python integers m.number(1) / k: then every vocabulary uses the same number.
Formulas that contain rounded numbers are rejected.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import Any, Protocol

import numpy as np
from scipy import special

from dpbandits.reference.arithmetic import elementary as el

Number = Any  # a number of whichever kind a vocabulary works with: a double, an array, an enclosure, a term
Sides = tuple[Number, Number]  # what a statement compares: the left side and the right side


class Vocabulary(Protocol):
    """The operations that a formula may use. Every method takes and returns numbers of the vocabulary's own type."""

    @property
    def pi(self) -> Number:
        """The number pi."""
        ...

    def number(self, value: Any) -> Number:
        """The number given exactly by an int, a float, a Fraction or a decimal string."""
        ...

    def exp(self, x: Number) -> Number:
        """e^x."""
        ...

    def log(self, x: Number) -> Number:
        """The natural logarithm, of x > 0."""
        ...

    def sqrt(self, x: Number) -> Number:
        """The square root, of x >= 0."""
        ...

    def power(self, base: Number, exponent: Number) -> Number:
        """base^exponent, of base > 0."""
        ...

    def ncdf(self, x: Number) -> Number:
        """The standard normal distribution function."""
        ...

    def floor(self, x: Number) -> Number:
        """The largest integer that is at most x."""
        ...

    def ceil(self, x: Number) -> Number:
        """The smallest integer that is at least x."""
        ...

    def maximum(self, *values: Number) -> Number:
        """maximum(a, b, ...): the largest of its arguments."""
        ...

    def minimum(self, *values: Number) -> Number:
        """minimum(a, b, ...): the smallest of its arguments."""
        ...


class Doubles:
    """The vocabulary on doubles and numpy arrays. Outside a function's domain the result is nan, as in numpy."""

    pi = float(np.pi)
    exp, log, power = staticmethod(el.exp), staticmethod(el.log), staticmethod(el.power)
    sqrt, floor, ceil = np.sqrt, np.floor, np.ceil
    ncdf = special.ndtr

    def number(self, value: Any) -> float:
        """The nearest double; a text is read exactly ("0.1", "1/3")."""
        return float(Fraction(value.strip())) if isinstance(value, str) else float(value)

    def maximum(self, *values: Any) -> Any:
        """maximum(a, b, ...): the largest of its arguments; arrays are compared entry by entry."""
        return reduce(np.maximum, values)

    def minimum(self, *values: Any) -> Any:
        """minimum(a, b, ...): the smallest of its arguments; arrays are compared entry by entry."""
        return reduce(np.minimum, values)


doubles = Doubles()


def power(m: Vocabulary, base: Number, exponent: Number) -> Number:
    """base^exponent for base > 0 and any kind of exponent: m.power."""
    return m.power(base, exponent)
