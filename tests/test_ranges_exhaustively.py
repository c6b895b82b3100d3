"""All ranges with ends among a few numbers, open and closed: what boxes and intervals make of them is exactly what can
be reached, end by end, with what is attained and where it is defined.

The truth is found by substitution: an open end stands for a number next to it, infinity for a large one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from math import inf, isinf
from typing import Any

import mpmath
import numpy as np
import pytest

from dpbandits.proofs_checks.vocabularies.boxes import Span, boxes
from dpbandits.proofs_checks.vocabularies.intervals import iv

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

ENDS = (-inf, -2.0, -0.5, 0.0, 1.0, 4.0, inf)  # powers of two: their products and inverses are doubles
NEXT, FAR = 2.0**-20, 2.0**20
Range = tuple[float, float, bool, bool]

RANGES: list[Range] = [
    (low, high, left, right)
    for low, high in product(ENDS, ENDS)
    for left, right in product((False, True), repeat=2)
    if (low < high and (left or not isinf(low)) and (right or not isinf(high)))
    or (low == high and not isinf(low) and not left and not right)
]


def reached(one: Range) -> list[float]:
    """Its ends, as far as numbers come; and 0 and something beside it."""
    low, high, left, right = one
    first = -FAR if isinf(low) else low + NEXT * left
    last = FAR if isinf(high) else high - NEXT * right
    return [first, last, *(x for x in (-NEXT, 0.0, NEXT, 0.25) if first < x < last)]


def rounded(value: float) -> tuple[float, bool]:
    """The end that a number next to it, or beyond all, stands for; and whether it is attained."""
    if abs(value) > FAR / 64:
        return math.copysign(inf, value), False
    near = round(value * 64) / 64
    return near, near == value


def spans(some: list[Range], defined: int = 2) -> Span:
    low, high, left, right = (np.array(part) for part in zip(*some, strict=True))
    return Span(low, high, left, right, np.full(len(some), defined, dtype=np.int8))


def told(span: Span, which: int) -> tuple[float, float, bool, bool, int]:
    parts = (span.low, span.high, span.low_open, span.high_open, span.defined)
    low, high, left, right, defined = (part[which] if np.ndim(part) else part for part in parts)
    return float(low), float(high), bool(left), bool(right), int(defined)


OPERATIONS: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    "+": (lambda a, b: a + b, lambda a, b: a + b),
    "-": (lambda a, b: a - b, lambda a, b: a - b),
    "*": (lambda a, b: a * b, lambda a, b: a * b),
    "/": (lambda a, b: a / b, lambda a, b: a / b),
    "maximum": (max, boxes.maximum),
    "minimum": (min, boxes.minimum),
}


def truth(name: str, a: Range, b: Range) -> tuple[float, float, bool, bool, int]:
    function = OPERATIONS[name][0]
    pairs = list(product(reached(a), reached(b)))
    fine = [(x, y) for x, y in pairs if name != "/" or y]
    values = [function(x, y) for x, y in fine]
    if not values:
        return -inf, inf, True, True, 0
    (low, left), (high, right) = rounded(min(values)), rounded(max(values))
    return low, high, not left, not right, 2 if len(fine) == len(pairs) else 1


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_on_boxes_are_exact(name: str) -> None:
    pairs = list(product(RANGES, RANGES))
    one, two = ([pair[k] for pair in pairs] for k in (0, 1))
    found = OPERATIONS[name][1](spans(one), spans(two))
    for which, (a, b) in enumerate(pairs):
        low, high, left, right, defined = truth(name, a, b)
        if name == "/" and b[0] <= 0 <= b[1] and a[:2] == (0, 0):  # nothing but 0, if anything
            low, high, left, right = 0.0, 0.0, False, False
        elif name == "/" and b[0] < 0 < b[1]:  # what lies between is kept as well
            low, high, left, right = -inf, inf, True, True
        assert told(found, which) == (low, high, left, right, defined), (a, name, b)
    perhaps = OPERATIONS[name][1](spans(one, 1), spans(two))
    assert (np.broadcast_to(perhaps.defined, len(pairs)) <= 1).all()
    assert (np.broadcast_to(OPERATIONS[name][1](spans(one), spans(two, 0)).defined, len(pairs)) == 0).all()


FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], float]] = {
    # the function, where it is defined, and how close it is enclosed, relatively
    "exp": (mpmath.exp, lambda x: True, 1e-14),
    "log": (mpmath.log, lambda x: x > 0, 1e-14),
    "sqrt": (mpmath.sqrt, lambda x: x >= 0, 1e-15),
    "ncdf": (mpmath.ncdf, lambda x: True, 3e-12),
    "floor": (mpmath.floor, lambda x: True, 0.0),
    "ceil": (mpmath.ceil, lambda x: True, 0.0),
    **{
        f"power {n}": (lambda x, n=n: x**n, lambda x, n=n: x != 0 or n >= 0, 1e-14)
        for n in (0, 1, 2, 3, 4, 5, -1, -2, -3)
    },
    "power 0.5": (mpmath.sqrt, lambda x: x >= 0, 1e-15),
    "power 0.25": (lambda x: x ** mpmath.mpf(0.25), lambda x: x >= 0, 1e-14),
    "power -0.5": (lambda x: 1 / mpmath.sqrt(x), lambda x: x > 0, 1e-14),
}  # fmt: skip


def asked(context: Any, name: str, x: Any) -> Any:
    kind, _, exponent = name.partition(" ")
    if kind != "power":
        return getattr(context, name)(x)
    return x ** (float(exponent) if "." in exponent else int(exponent))


def true_ends(name: str, one: Range) -> tuple[tuple[Any, bool], tuple[Any, bool], int]:
    """The least and the most, and whether they are attained; and what is defined. All of these functions are monotone
    on either side of 0, so that the ends, 0, and what they tend to are all that there is."""
    function, defined, _ = FUNCTIONS[name]
    low, high, left, right = one
    points = [(x, not opened) for x, opened in ((low, left), (high, right)) if not isinf(x)]
    points += [(0.0, True)] if low < 0 < high else []
    values = [(function(mpmath.mpf(x)), attained) for x, attained in points if defined(x)]
    values += [(mpmath.mpf(limit), False) for limit in limits(name, one)]
    values = [(mpmath.mpf(1), True)] if name == "power 0" else values
    known = [defined(x) for x in reached(one)]
    if not any(known):
        return (-inf, False), (inf, False), 0
    least, most = min(value for value, _ in values), max(value for value, _ in values)
    ends = [(end, any(attained for value, attained in values if value == end)) for end in (least, most)]
    return ends[0], ends[1], 2 if all(known) else 1


def limits(name: str, one: Range) -> list[float]:
    """What the function tends to at the infinite ends of a range, and next to 0 where it has a pole."""
    low, high, _, _ = one
    kind, _, exponent = name.partition(" ")
    n = float(exponent or 1)
    odd, found = n % 2 == 1, []
    if low == -inf:
        if kind == "power":
            found += [] if n != int(n) else [1.0] if n == 0 else [-inf if odd else inf] if n > 0 else [0.0]
        else:
            found += {"exp": [0.0], "ncdf": [0.0], "floor": [-inf], "ceil": [-inf]}.get(name, [])
    if high == inf:
        found += [1.0] if name == "ncdf" or n == 0 else [inf] if n > 0 else [0.0]
    if name == "log" or n < 0:
        found += [-inf if name == "log" else inf] if low <= 0 < high else []
        found += [-inf if odd else inf] if low < 0 <= high and name != "log" and n == int(n) else []
    return found


def agrees(end: float, true: Any, close: float, above: bool) -> bool:
    """Whether an end is the true one, or outside of it by no more than it may be."""
    if mpmath.isinf(true) or true == 0:
        return bool(end == true) or (true == 0 and abs(end) <= 2e-290 and (end >= 0) == above)
    gap = (mpmath.mpf(end) - true) if above else (true - mpmath.mpf(end))
    return bool(0 <= gap <= close * max(abs(true), 0.05 if close > 1e-13 else 0))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_boxes_are_close_and_know_their_ends(name: str) -> None:
    found = asked(boxes, name, spans(RANGES))
    close = FUNCTIONS[name][2]
    with mpmath.workdps(40):
        for which, one in enumerate(RANGES):
            (least, at_low), (most, at_high), defined = true_ends(name, one)
            low, high, left, right, said = told(found, which)
            assert said == defined, (name, one)
            if not defined:
                continue
            assert agrees(low, least, close, above=False), (name, one, low, least)
            assert agrees(high, most, close, above=True), (name, one, high, most)
            assert not (left and at_low), (name, one)
            assert not (right and at_high), (name, one)
            if name not in ("floor", "ceil") and not (
                "." in name and one[0] <= 0
            ):  # there ends may be kept as attained
                assert (left, right) == (not at_low, not at_high), (name, one)


CLOSED = [one for one in RANGES if not ((one[2] and not isinf(one[0])) or (one[3] and not isinf(one[1])))]


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_on_intervals_are_exact(name: str) -> None:
    own = {"maximum": iv.maximum, "minimum": iv.minimum}.get(name, OPERATIONS[name][1])
    for a, b in product(CLOSED, CLOSED):
        low, high, _, _, defined = truth(name, a, b)
        if name == "/" and ((b[0] < 0 < b[1]) or b[:2] == (0, 0)):
            low, high = -inf, inf
        found = own(iv.between(*a[:2]), iv.between(*b[:2]))
        assert (*found.bounds, int(found.defined)) == (low, high, defined), (a, name, b)
    nowhere, perhaps = iv.log(-1), iv.sqrt(iv.between(-1, 4))
    assert int(own(perhaps, iv.number(1)).defined) == int(own(iv.number(1), perhaps).defined) == 1
    assert int(own(nowhere, iv.number(1)).defined) == int(own(iv.number(1), nowhere).defined) == 0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_intervals_are_exact_to_many_digits(name: str) -> None:
    with mpmath.workdps(60):
        for one in CLOSED:
            (least, _), (most, _), defined = true_ends(name, one)
            found = asked(iv, name, iv.between(*one[:2]))
            if name == "power -0.5" and one[0] <= 0 <= one[1]:  # 0 to a power below 0 is left open
                assert found.defined < 2
                continue
            assert int(found.defined) == defined, (name, one)
            for end, true, sign in ((found.low, least, 1), (found.high, most, -1)):
                if mpmath.isinf(true):
                    assert end == true, (name, one)
                    continue
                gap = sign * (true - mpmath.mpf(end.numerator) / end.denominator)
                assert 0 <= gap <= abs(true) / 10**30, (name, one)
