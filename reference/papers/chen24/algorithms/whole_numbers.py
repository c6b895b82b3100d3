"""Arithmetic with vectors of integers, for the cones of `fans`."""

from __future__ import annotations

from itertools import permutations
from math import gcd, log

from dpbandits.reference.bandits.release_laws.selections.noises import LOG_2

Whole = tuple[int, ...]  # a vector of integers
Cone = tuple[Whole, ...]


def dot(a: Whole, b: Whole) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))


def reduced(vector: Whole) -> Whole:
    common = gcd(*vector)
    return tuple(entry // common for entry in vector) if common > 1 else vector


def determinant(rows: Cone) -> int:
    """Of integers, by its sum over permutations: four rows at most."""
    total = 0
    for order in permutations(range(len(rows))):
        odd = sum(order[i] > order[j] for i in range(len(order)) for j in range(i + 1, len(order))) % 2
        term = -1 if odd else 1
        for row, column in enumerate(order):
            term *= rows[row][column]
        total += term
    return total


def log_quotient(above: int, below: int) -> float:
    """log(above/below) of positive integers, however large."""
    shift = above.bit_length() - below.bit_length()
    near = above / (below << shift) if shift >= 0 else (above << -shift) / below
    return log(near) + shift * LOG_2
