"""What is the same: equal rows of numbers, found by hashes and confirmed bit by bit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.bandits.policy import Ints

Words = NDArray[np.uint64]


def unique_rows(words: list[Words], key: Ints | None = None) -> tuple[Ints, Ints]:
    """Which rows are the first of their kind, and of which kind each row is. words: arrays (n, ...); rows that are
    equal in all of them are of a kind.

    key: numbers (n,) that equal rows share. Where it tells all apart, the kinds are ordered by it, else as they come.
    """
    if key is not None:
        first, kind = unique_numbers(key)
        if all((part == part.take(first[kind], axis=0)).all() for part in words):
            return first, kind
    every = flatten_words(words)
    first, kind = unique_numbers(hashed(every))
    if not np.array_equal(every, every.take(first[kind], axis=0)):
        _, first, kind = np.unique(every, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[kind.reshape(-1)]


def unique_numbers(key: NDArray[Any]) -> tuple[Ints, Ints]:
    """`kinds` of numbers (n,), ordered by them: np.unique's, without what it does besides."""
    order = key.argsort(kind="stable")  # fast where the numbers come in ascending runs
    ordered, new = key[order], np.ones(len(key), dtype=bool)
    new[1:] = ordered[1:] != ordered[:-1]
    kind = np.empty(len(key), dtype=np.int64)
    kind[order] = np.cumsum(new) - 1
    return order[new], kind


def equal(one: Words, other: Words) -> NDArray[np.bool_]:
    """Which rows (..., k) are equal, (...)."""
    return np.asarray(~np.einsum("...k->...", one != other))  # any(axis=-1), which numpy does slowly for few columns


def flatten_words(words: list[Words]) -> Words:
    """Arrays (n, ...) side by side, (n, k)."""
    return np.concatenate([part.reshape(len(part), -1) for part in words], axis=1)


def hashed(words: Words) -> Words:
    """One word for every row of words (n, k): the sum of what the end of splitmix64 makes of them."""
    odd = (np.arange(1, words.shape[1] + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)) | np.uint64(1)
    mixed = (words + odd) * odd
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray((mixed ^ (mixed >> np.uint64(31))).sum(axis=1, dtype=np.uint64))


def state_words(state: Any) -> list[Words]:
    """The bits of a policy's State, arrays of words (count, ...), which differ where the states do."""
    return [as_words(np.asarray(part)) for part in arrays(state)]


def arrays(state: Any) -> Iterator[Any]:
    for part in state if isinstance(state, tuple) else (state,):
        yield from arrays(part) if isinstance(part, tuple) else (part,)


def as_words(values: NDArray[Any]) -> Words:
    if values.dtype.kind == "f" and values.dtype.itemsize <= 8:
        return np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    if values.dtype.kind in "biu":
        return values.astype(np.int64, copy=False).view(np.uint64)
    _, kind = np.unique(values, return_inverse=True)
    return np.asarray(kind.reshape(values.shape), dtype=np.uint64)
