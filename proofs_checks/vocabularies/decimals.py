"""Exact conversion between decimal strings and rational numbers, with rounding in a stated direction."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import inf
from operator import index

import numpy as np

MAX_UNROUNDED_BITS = 32  # a double of no more was hardly rounded to one


def exact_fraction(value: object) -> Fraction:
    """The rational number given by an integer, float, Fraction, Decimal, mpf or string ("0.1", "1/3").

    A float means its binary value: write "0.1" for one tenth. Raises TypeError for other types and ValueError for
    values that are not finite numbers.
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool | np.bool_):
        raise TypeError(f"{value!r} is a truth value; give a number")
    if hasattr(value, "__index__") and not isinstance(value, np.ndarray):
        return Fraction(index(value))
    if isinstance(value, str):
        return Fraction(value.strip())
    raw = getattr(value, "_mpf_", None)
    try:
        if raw is not None:
            sign, mantissa, exponent, _ = raw
            if mantissa == 0 and exponent != 0:  # infinities and nan
                raise ValueError(f"{value!r} is not a finite number")
            size = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
            return -size if sign else size
        if isinstance(value, float | np.floating | Decimal):
            return Fraction(float(value) if not isinstance(value, Decimal) else value)
    except OverflowError:
        raise ValueError(f"{value!r} is not a finite number") from None
    raise TypeError(
        f"{value!r} of type {type(value).__name__} cannot be converted to an exact number; give an integer, "
        "float, Fraction or decimal string"
    )


def exact_as_printed(value: object) -> Fraction | float:
    """The exact value of a number as it is printed: the float 0.1 is one tenth. Infinities stay floats."""
    if isinstance(value, float | np.floating):
        if np.isnan(value):
            raise ValueError("the end of a domain is nan; give a number, inf or -inf")
        return float(value) if np.isinf(value) else Fraction(repr(float(value)))
    return exact_fraction(value)


def reject_rounded_double(value: object) -> None:
    """Raises TypeError for a double that is neither its printed decimal nor a binary number with few digits.
    Such a double was rounded by Python (from 1/3, 0.1 or math.pi), so it is not the number that the formula means, and
    at equality the difference decides."""
    if isinstance(value, float | np.floating) and np.isfinite(value):
        exact = Fraction(float(value))
        odd = exact.numerator // (exact.numerator & -exact.numerator or 1)
        if exact != Fraction(repr(float(value))) and odd.bit_length() > MAX_UNROUNDED_BITS:
            raise TypeError(
                f'the formula contains {float(value)!r}, a rounded double; write m.number("0.1") instead of '
                "0.1, m.number(1) / k instead of 1 / k for an integer k, and m.pi and m.sqrt instead of "
                "those of math"
            )


def decimal_text(value: Fraction | float, digits: int = 40, up: bool | None = None) -> str:
    """The number as a decimal string that Fraction() reads back: exact if `digits` suffice, otherwise rounded.

    up: the direction of rounding (None: to the nearest). inf and -inf are written as such.
    """
    if isinstance(value, float) and abs(value) == inf:
        return "inf" if value > 0 else "-inf"
    exact = Fraction(value)
    if exact == 0:
        return "0"
    size, sign = abs(exact), "-" if exact < 0 else ""
    power = decimal_exponent(size) - digits + 1  # the last digit kept is worth 10^power
    scaled = size / Fraction(10) ** power
    whole = scaled.numerator // scaled.denominator
    rest = scaled - whole
    if (up is None and rest * 2 >= 1) or (up is not None and rest > 0 and up == (exact > 0)):
        whole += 1
    text = str(whole)
    stripped = text.rstrip("0")
    power += len(text) - len(stripped)
    return sign + place_decimal_point(stripped, power)


def decimal_exponent(size: Fraction) -> int:
    """The exponent of the leading decimal digit of a positive rational."""
    guess = int((size.numerator.bit_length() - size.denominator.bit_length()) * 0.30102999566) - 1
    while Fraction(10) ** (guess + 1) <= size:
        guess += 1
    while Fraction(10) ** guess > size:
        guess -= 1
    return guess


def place_decimal_point(digits: str, power: int) -> str:
    """The number digits * 10^power as decimal text: plain if short, with an exponent otherwise."""
    if 0 <= power <= 6:
        return digits + "0" * power
    if -len(digits) < power < 0:
        return f"{digits[:power]}.{digits[power:]}"
    if -6 - len(digits) <= power <= -len(digits):
        return "0." + "0" * (-power - len(digits)) + digits
    mantissa = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{mantissa}e{power + len(digits) - 1}"


def exact_text(value: object) -> str:
    """The exact number as text: a decimal if it has finitely many digits, otherwise a quotient.
    Raises ValueError for infinities."""
    exact = exact_as_printed(value)
    if isinstance(exact, float):
        raise ValueError(
            f"{value!r} cannot be written into a certificate: a certificate may contain only finite numbers"
        )
    shortened = decimal_text(exact, 1200)
    return shortened if Fraction(shortened) == exact else f"{exact.numerator}/{exact.denominator}"
