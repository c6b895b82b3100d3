"""Exact determinants and coordinates of rational vectors, for Lemma G.1.

Vectors are tuples of Fractions (or integers); a collection is a tuple of places in the list of vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm
from random import Random

Vector = tuple[Fraction, ...]
Vectors = Sequence[Vector]
Collections = Callable[[Vectors], list[tuple[int, ...]]]  # those of a set that are chosen


def bareiss(rows: Sequence[Sequence[int]]) -> int:
    """The determinant of an integer matrix without fractions: every division is exact (Bareiss 1968, Sylvester's
    identity), and no number is larger than a minor of the matrix."""
    matrix, sign, before = [list(row) for row in rows], 1, 1
    for k in range(len(matrix) - 1):
        pivot = next((i for i in range(k, len(matrix)) if matrix[i][k]), None)
        if pivot is None:
            return 0
        if pivot != k:
            matrix[k], matrix[pivot], sign = matrix[pivot], matrix[k], -sign
        for i in range(k + 1, len(matrix)):
            for j in range(k + 1, len(matrix)):
                matrix[i][j] = (matrix[i][j] * matrix[k][k] - matrix[i][k] * matrix[k][j]) // before
        before = matrix[k][k]
    return sign * matrix[-1][-1] if matrix else 1


def determinant(vectors: Vectors) -> Fraction:
    """The determinant of a square rational matrix: rows are cleared of denominators first."""
    cleared, scale = [], Fraction(1)
    for vector in vectors:
        common = lcm(*(Fraction(entry).denominator for entry in vector)) if vector else 1
        scale *= common
        cleared.append([int(Fraction(entry) * common) for entry in vector])
    return Fraction(bareiss(cleared)) / scale


def size(vectors: Vectors, chosen: Sequence[int]) -> Fraction:
    """Det(B) of Section 3: |det|."""
    return abs(determinant([vectors[place] for place in chosen]))


def maximisers(vectors: Vectors) -> list[tuple[int, ...]]:
    """All Max-Det collections: every d-subset with the largest |det|, ties included. Empty where nothing spans."""
    sizes = {chosen: size(vectors, chosen) for chosen in combinations(range(len(vectors)), len(vectors[0]))}
    largest = max(sizes.values(), default=Fraction(0))
    return [chosen for chosen, found in sizes.items() if found == largest > 0]


def local_optima_from(vectors: Vectors, start: Sequence[int]) -> tuple[int, ...]:
    """Exchanges of one arm while |det| grows. start: with det != 0."""
    chosen = list(start)
    while True:
        now = size(vectors, chosen)
        better = (
            (place, arm)
            for place in range(len(chosen))
            for arm in range(len(vectors))
            if size(vectors, [*chosen[:place], arm, *chosen[place + 1 :]]) > now
        )
        exchange = next(better, None)
        if exchange is None:
            return tuple(chosen)
        chosen[exchange[0]] = exchange[1]


def is_local_optimum(vectors: Vectors, chosen: Sequence[int]) -> bool:
    """det != 0, and no exchange of one arm makes |det| larger."""
    now = size(vectors, chosen)
    return now > 0 and all(
        size(vectors, [*chosen[:place], arm, *chosen[place + 1 :]]) <= now
        for place in range(len(chosen))
        for arm in range(len(vectors))
    )


def solved(vectors: Vectors, chosen: Sequence[int], target: Vector) -> Vector:
    """beta with target = sum_i beta_i b_i, by Gauss-Jordan elimination: no determinant is used, so that Cramer's
    rule can be held against it. ZeroDivisionError where the chosen vectors are dependent."""
    d = len(target)
    rows = [[Fraction(vectors[place][k]) for place in chosen] + [Fraction(target[k])] for k in range(d)]
    for k in range(d):
        pivot = next((i for i in range(k, d) if rows[i][k]), None)
        if pivot is None:
            raise ZeroDivisionError(
                f"the vectors {tuple(chosen)} are linearly dependent, so coefficients are not unique"
            )
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [entry / rows[k][k] for entry in rows[k]]
        for i in range(d):
            if i != k and rows[i][k]:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return tuple(row[-1] for row in rows)


def largest_coefficient(vectors: Vectors, chosen: Sequence[int]) -> Fraction:
    """max over all vectors and places of |beta_i|."""
    return max(abs(beta) for target in vectors for beta in solved(vectors, chosen, target))


def greedy(vectors: Vectors) -> tuple[int, ...]:
    """Each arm the one farthest from the span of those before, the first of equals: exact squared residuals."""
    rest, chosen = [tuple(map(Fraction, vector)) for vector in vectors], []
    for _ in range(len(vectors[0])):
        norms = [sum((entry * entry for entry in vector), Fraction(0)) for vector in rest]
        far = norms.index(max(norms))
        if not norms[far]:
            raise ValueError("the vectors do not span their space, so the greedy choice selects too few of them")
        direction = rest[far]
        shares = [sum(a * b for a, b in zip(vector, direction, strict=True)) / norms[far] for vector in rest]
        rest = [
            tuple(a - share * b for a, b in zip(vector, direction, strict=True))
            for vector, share in zip(rest, shares, strict=True)
        ]
        chosen.append(far)
    return tuple(chosen)


# -- sets of vectors -------------------------------------------------------------------------------------------------


def spread(dice: Random, arms: int, d: int) -> list[Vector]:
    """Random quotients."""
    return [tuple(Fraction(dice.randint(-9, 9), dice.randint(1, 9)) for _ in range(d)) for _ in range(arms)]


def signs(dice: Random, arms: int, d: int) -> list[Vector]:
    """Entries -1, 0, 1: many duplicates, opposite vectors, zeros, and ties of determinants."""
    return [tuple(Fraction(dice.randint(-1, 1)) for _ in range(d)) for _ in range(arms)]


def nearly_flat(dice: Random, arms: int, d: int) -> list[Vector]:
    """The last coordinate is smaller by 10^-30: as good as singular in doubles, and not at all here."""
    return [(*vector[:-1], vector[-1] / 10**30) for vector in spread(dice, arms, d)]


def moments(dice: Random, arms: int, d: int) -> list[Vector]:
    """(1, x, x^2, ...): Vandermonde determinants, whose sizes differ wildly."""
    return [tuple(Fraction(x) ** k for k in range(d)) for x in dice.sample(range(-arms, arms + 1), arms)]


def cone(dice: Random, arms: int, d: int) -> list[Vector]:
    """Around one direction: the longest vector is no good start, so that greedy collections are not Max-Det."""
    return [
        (Fraction(dice.randint(36, 50)), *(Fraction(dice.randint(-30, 30)) for _ in range(d - 1))) for _ in range(arms)
    ]


SHAPES: tuple[Callable[[Random, int, int], list[Vector]], ...] = (spread, signs, nearly_flat, moments, cone)


def spans(vectors: Vectors) -> bool:
    try:
        greedy(vectors)
    except ValueError:
        return False
    return True


def sets(count: int, seed: int, largest: int, spare: int = 4) -> list[list[Vector]]:
    """`count` sets that span, of all shapes, with d up to `largest` and at most `spare` vectors more than d."""
    found: list[list[Vector]] = []
    dice = Random(f"chen24 sets {seed}")
    while len(found) < count:
        d = dice.randint(1, largest)
        vectors = SHAPES[len(found) % len(SHAPES)](dice, d + dice.randint(0, spare), d)
        if spans(vectors):
            found.append(vectors)
    return found
