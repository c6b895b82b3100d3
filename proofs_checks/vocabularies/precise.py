"""The vocabulary of formulas at 50 digits, with mpmath: numbers for display and comparison, without enclosures."""

from __future__ import annotations

from math import inf

import mpmath

from dpbandits.proofs_checks.vocabularies.decimals import exact_fraction

DIGITS = 50


class Precise:
    """The vocabulary at DIGITS decimal digits, in its own mpmath context (no global state).

    Raises ValueError for an argument at which a real function is undefined.
    """

    def __init__(self) -> None:
        """Prepares arithmetic with DIGITS decimal digits."""
        self.context = mpmath.MPContext()
        self.context.dps = DIGITS
        self.pi = +self.context.pi

    def number(self, value: object) -> mpmath.mpf:
        """The number, read exactly and rounded to the context's precision."""
        exact = exact_fraction(value)
        return self.context.mpf(exact.numerator) / exact.denominator

    def of(self, value: object) -> mpmath.mpf:
        """A number of any kind, including infinities, as a number of this context."""
        if isinstance(value, float) and abs(value) == inf:
            return self.context.mpf(value)
        return value if isinstance(value, self.context.mpf) else self.number(value)

    def exp(self, x: object) -> mpmath.mpf:
        """e^x in this precision."""
        return self.context.exp(self.of(x))

    def log(self, x: object) -> mpmath.mpf:
        """The natural logarithm of x; -inf at 0. Raises ValueError for a negative x."""
        known = self.of(x)
        if known < 0:
            raise ValueError(f"log({self.context.nstr(known, 6)}): the argument must not be negative")
        return self.context.log(known) if known else self.context.mpf("-inf")

    def sqrt(self, x: object) -> mpmath.mpf:
        """The square root of x. Raises ValueError for a negative x."""
        known = self.of(x)
        if known < 0:
            raise ValueError(f"sqrt({self.context.nstr(known, 6)}): the argument must not be negative")
        return self.context.sqrt(known)

    def power(self, base: object, exponent: object) -> mpmath.mpf:
        """base ** exponent, computed as exp(exponent log(base))."""
        return self.exp(self.of(exponent) * self.log(base))

    def ncdf(self, x: object) -> mpmath.mpf:
        """Phi(x), the standard normal distribution function."""
        return self.context.ncdf(self.of(x))

    def floor(self, x: object) -> mpmath.mpf:
        """The largest integer that is at most x."""
        return self.context.floor(self.of(x))

    def ceil(self, x: object) -> mpmath.mpf:
        """The smallest integer that is at least x."""
        return self.context.ceil(self.of(x))

    def maximum(self, *values: object) -> mpmath.mpf:
        """maximum(a, b, ...): the largest of its arguments."""
        return max(self.of(value) for value in values)

    def minimum(self, *values: object) -> mpmath.mpf:
        """minimum(a, b, ...): the smallest of its arguments."""
        return min(self.of(value) for value in values)


mp = Precise()
