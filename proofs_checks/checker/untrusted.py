"""Limits on untrusted certificates: their form, size and the effort of checking them; decimal numbers are read
exactly.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, Protocol, TypeVar

LARGEST_EXPONENT = 5000  # of a decimal literal, and of a whole-number power
SIZE = 200_000  # characters and items of a certificate
DEPTH = 6  # of lists and objects in one another
DECIMAL_PATTERN = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d{1,5})?|-?\d+/\d+", re.ASCII)
ExtendedRational = Fraction | float  # exact, or an infinite float
Fields = Mapping[str, Any]  # an object in a certificate, as JSON has it: certificate.schema.json says with which fields


class Rejected(Exception):
    """The certificate does not prove its content; the message says where and why."""


def require_moderate_size(certificate: Any, max_size: int = SIZE) -> None:
    """Raises Rejected for a certificate that is large, deeply nested, or contains unprintable characters.
    Such characters might move a cursor, change the direction of writing, or be invisible. max_size: characters and
    items together."""
    size, waiting = 0, [(certificate, 0)]
    while waiting:
        node, depth = waiting.pop()
        parts: list[Any] = []
        if isinstance(node, dict):
            parts = [*node, *node.values()]
        elif isinstance(node, list | tuple):
            parts = list(node)
        elif isinstance(node, str):
            size += len(node)
            if not node.isprintable():
                raise Rejected(f"the string {node[:60]!a} contains characters that cannot be printed")
        elif isinstance(node, float) or (isinstance(node, int) and abs(node) > 10**9):
            raise Rejected("numbers must be integers up to 10^9; write all other numbers as strings")
        size += 1 + len(parts)
        if depth > DEPTH or size > max_size:
            raise Rejected(
                f"the certificate has more than {max_size} characters and items in total, or is nested more "
                f"than {DEPTH} "
                "levels deep"
            )
        waiting += [(part, depth + 1) for part in parts]


class Effort:
    """The remaining effort for the current certificate; unlimited if there is none."""

    left: float = math.inf


class HasCache(Protocol):
    """A function with lru_cache around it."""

    def cache_clear(self) -> None:
        """Empties the cache of the function."""
        ...


Cached = TypeVar("Cached", bound=HasCache)
REMEMBERED: list[HasCache] = []  # functions whose known values are forgotten before each certificate


def forgettable_cache(cached: Cached) -> Cached:
    """The cached function, unchanged, after it is registered: `limited_effort` empties its cache."""
    REMEMBERED.append(cached)
    return cached


@contextmanager
def limited_effort(units: int) -> Iterator[None]:
    """A context manager in which `spend_effort` allows this many units.
    What earlier checks cached is dropped, so that a check costs the same in any order."""
    for cached in REMEMBERED:
        cached.cache_clear()  # what is known already costs nothing: so begin with nothing, always
    Effort.left = units
    try:
        yield
    finally:
        Effort.left = math.inf


def spend_effort(units: float | Fraction) -> None:
    """Raises Rejected if the check has used up its effort."""
    Effort.left -= float(units)
    if Effort.left < 0:
        raise Rejected("checking this certificate would take too much computation; give a smaller certificate")


def pay_for_operation(*exact_numbers: Fraction) -> int:
    """Charges the effort of one operation on these exact numbers; returns their total number of bits."""
    bits = sum(map(bit_count, exact_numbers))
    spend_effort(1 + (bits / 3000) ** 2)
    return bits


def read_decimal(number: str, place: str) -> Fraction:
    """The exact value of a finite decimal string such as "0.1", or of a quotient such as "1/3". place: for errors."""
    if not DECIMAL_PATTERN.fullmatch(number):
        raise Rejected(f'{place}: {number[:60]!r} is not a number such as "0.1" or "1/3"')
    _, _, exponent = number.partition("e")
    if exponent and abs(int(exponent)) > LARGEST_EXPONENT:
        raise Rejected(f"{place}: the exponent of {number[:60]!r} is too large; it may be at most {LARGEST_EXPONENT}")
    if re.search(r"/0+$", number):
        raise Rejected(f"{place}: the number {number[:60]!r} contains a division by 0")
    value = Fraction(number)
    pay_for_operation(value)
    return value


def read_end(number: str, place: str) -> ExtendedRational:
    """The end of an interval: the exact value of a decimal string, or an infinite float for "inf" and "-inf"."""
    return float(number) if number in ("inf", "-inf") else read_decimal(number, place)


def bit_count(x: Fraction) -> int:
    """The number of bits of numerator and denominator."""
    return x.numerator.bit_length() + x.denominator.bit_length()
