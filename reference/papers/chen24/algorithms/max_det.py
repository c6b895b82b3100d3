"""Definition 3.1: the Max-Det collection, and the coordinates in it.

Exactly, by looking at every subset, where there are few; else a local optimum: no exchange of one arm of the
collection for another one makes |det| larger. All that the paper's proofs use of a Max-Det collection is Lemma G.1
(coefficients at most 1), and that holds of every local optimum: the coefficient of an arm is the ratio of two
determinants that differ in one exchange.
"""

from __future__ import annotations

from itertools import combinations, islice
from math import comb
from typing import NamedTuple

import numpy as np

from dpbandits.reference.bandits.noise import Array

EVERY = 5000  # subsets that are looked at one by one; more of them: a local optimum
TOLERANCE = 1e-9  # an exchange counts where it makes |det| larger by this factor; rank is numerical to this share
CHUNK = 1024
UNITS = 64.0  # in the last place: of a few dozen operations on a matrix


class Collection(NamedTuple):
    """A collection of d arms. arms: their places in the list, increasing. exact: whether every subset was looked at, so
    that this is the first of all maximisers (ties within TOLERANCE); otherwise no single exchange improves it."""

    arms: tuple[int, ...]
    exact: bool


def reduced(features: Array) -> Array:
    """The features (arms, d) in orthonormal coordinates of their span, (arms, rank): equation (9). The rank is
    numerical. ValueError where all are zero."""
    _, sizes, right = np.linalg.svd(features, full_matrices=False)
    rank = int((sizes > sizes[:1] * TOLERANCE).sum()) if sizes[0] > 0 else 0
    if not rank:
        raise ValueError(
            "the features of all active arms are 0, so the policy can learn nothing from pulls; remove arms without "
            "features"
        )
    coordinates: Array = features @ right[:rank].T
    return coordinates


def max_det(features: Array, every: int = EVERY) -> Collection:
    """The Max-Det collection of features (arms, d) that span d dimensions; see `Collection`."""
    arms, d = features.shape
    if comb(arms, d) <= every:
        return Collection(first_maximiser(features), exact=True)
    return Collection(tuple(sorted(local_optimum(features, greedy(features)))), exact=False)


def first_maximiser(features: Array) -> tuple[int, ...]:
    """Among all d-subsets, the first in lexicographic order with the largest |det|, up to TOLERANCE."""
    subsets: list[tuple[int, ...]] = list(combinations(range(len(features)), int(features.shape[1])))
    sizes = np.concatenate([log_det(features[np.array(part)]) for part in chunks(subsets)])
    return subsets[int(np.flatnonzero(sizes >= sizes.max() - TOLERANCE)[0])]


def chunks(subsets: list[tuple[int, ...]]) -> list[list[tuple[int, ...]]]:
    rest = iter(subsets)
    return list(iter(lambda: list(islice(rest, CHUNK)), []))


def log_det(stacked: Array) -> Array:
    """log |det| of matrices (..., d, d); -inf for a singular one."""
    size: Array = np.linalg.slogdet(stacked)[1]
    return size


def greedy(features: Array) -> list[int]:
    """Chooses d arms, each the farthest one from the span of the earlier ones. This is only a start: coefficients in a
    greedy collection may be as large as 2^(d-1)."""
    rest: Array = features.astype(np.float64)
    chosen: list[int] = []
    for _ in range(features.shape[1]):
        far = int((rest * rest).sum(axis=1).argmax())
        direction = rest[far] / np.linalg.norm(rest[far])
        rest = np.asarray(rest - np.outer(rest @ direction, direction), dtype=np.float64)
        chosen.append(far)
    return chosen


def local_optimum(features: Array, start: list[int]) -> list[int]:
    """Exchanges arms until no exchange makes |det| larger by more than TOLERANCE. Every exchange makes |det| larger, so
    this ends."""
    chosen = list(start)
    while True:
        coefficients = np.abs(coordinates(features, tuple(chosen)))
        arm, place = np.unravel_index(int(coefficients.argmax()), coefficients.shape)
        if coefficients[arm, place] <= 1 + TOLERANCE:
            return chosen
        chosen[int(place)] = int(arm)


def rounding(matrix: Array) -> float:
    """What the solution of linear equations with this matrix may be off by, as a share of its largest entry: the
    factorizations are exact for numbers that are some units off, which the condition magnifies."""
    return UNITS * 2.0**-52 * float(np.linalg.cond(matrix)) if matrix.size else 0.0


def coordinates(features: Array, chosen: tuple[int, ...]) -> Array:
    """alpha (arms, d) with a_i = sum_j alpha_{i,j} a_{chosen_j}: equation (12). Those of chosen arms are exact
    units."""
    found: Array = np.linalg.solve(features[list(chosen)].T, features.T).T.astype(np.float64)
    found[list(chosen)] = np.eye(len(chosen))
    return found
