"""Distinct rows of arrays, found by hashing and confirmed bit by bit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbandits.reference.bandits.noise import Flags, Ints
from dpbandits.reference.bandits.passing import State

Words = NDArray[np.uint64]


def unique_rows(words: list[Words], key: Ints | None = None) -> tuple[Ints, Ints]:
    """The index of the first row of each class of equal rows, (classes,), and the class of every row, (n,).

    words: arrays (n, ...); rows belong to one class if they are equal in all arrays. key: numbers (n,), equal for equal
    rows. If the key alone separates all classes, they are ordered by it, otherwise by first appearance.
    """
    if key is not None:
        first, kind = unique_numbers(key)
        if all((part == part.take(first[kind], axis=0)).all() for part in words):
            return first, kind
    every = flatten_words(words)
    first, kind = unique_numbers(row_hashes(every))
    if not np.array_equal(every, every.take(first[kind], axis=0)):
        _, first, kind = np.unique(every, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[kind.reshape(-1)]


def unique_numbers(key: np.ndarray) -> tuple[Ints, Ints]:
    """The index of the first entry of each distinct number, and the class of every entry, (n,).
    Classes are in ascending order of the numbers. Like np.unique, but faster."""
    order = key.argsort(kind="stable")  # fast where the numbers come in ascending runs
    ordered, new = key[order], np.ones(len(key), dtype=bool)
    new[1:] = ordered[1:] != ordered[:-1]
    kind = np.empty(len(key), dtype=np.int64)
    kind[order] = np.cumsum(new) - 1
    return order[new], kind


def equal_rows(a: Words, b: Words) -> Flags:
    """Whether corresponding rows of two arrays (..., k) are equal, (...)."""
    return np.asarray(~np.einsum("...k->...", a != b))  # any(axis=-1), which numpy does slowly for few columns


def flatten_words(words: list[Words]) -> Words:
    """Joins arrays (n, ...) to one array (n, k) by columns."""
    return np.concatenate([part.reshape(len(part), -1) for part in words], axis=1)


def row_hashes(words: Words) -> Words:
    """A 64-bit hash of each row, (n,): the sum of the words (n, k), mixed by the final steps of splitmix64."""
    odd = (np.arange(1, words.shape[1] + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)) | np.uint64(1)
    mixed = (words + odd) * odd
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray((mixed ^ (mixed >> np.uint64(31))).sum(axis=1, dtype=np.uint64))


def state_words(state: State) -> list[Words]:
    """The bits of a policy's state as arrays of words, (count, ...); states with different bits differ in them."""
    return [as_words(np.asarray(part)) for part in state_arrays(state)]


def state_arrays(state: State) -> Iterator[ArrayLike]:
    """Yields the arrays of a State, with nested tuples flattened."""
    for part in state if isinstance(state, tuple) else (state,):
        yield from state_arrays(part) if isinstance(part, tuple) else (part,)


def as_words(values: np.ndarray) -> Words:
    """The values as 64-bit words that are equal for equal bits.
    A value of a type other than numbers becomes its index among the distinct values."""
    if values.dtype.kind == "f" and values.dtype.itemsize <= 8:
        return np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    if values.dtype.kind in "biu":
        return values.astype(np.int64, copy=False).view(np.uint64)
    _, kind = np.unique(values, return_inverse=True)
    return np.asarray(kind.reshape(values.shape), dtype=np.uint64)
