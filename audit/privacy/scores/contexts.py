"""64-bit hashes of the release of each step of a transcript, and of the context before the step.

A context describes the earlier releases in more or less detail: the step; the pulls of the changed arm; all pull
counts; the last symbols; everything so far. Equal contexts have equal hashes; different ones collide with negligible
probability.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.play.transcripts import Transcripts
from dpbandits.reference.bandits.adjacency import Pair

Words = NDArray[np.uint64]  # arithmetic is modulo 2^64
Numbers = NDArray[np.integer]

ODD = np.uint64(0x9E3779B97F4A7C15)


def mixed_bits(words: Words) -> Words:
    """A bijection of 64-bit words after which nearby words are far apart (the end of splitmix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def symbols(seen: Transcripts) -> Words:
    """Encodes the release of each step as one word, (trials, steps).
    A sum of odd numbers, one for each arm and pull, so that sums of symbols encode sums of pull counts. No pull is
    encoded as 0."""
    arms = seen.counts.shape[2]
    names = mixed_bits(np.arange(1, arms + 1, dtype=np.uint64) * ODD) | np.uint64(1)
    if seen.counts.shape[1]:
        return np.asarray((seen.counts.astype(np.uint64) * names).sum(axis=2, dtype=np.uint64))
    return seen.sizes.astype(np.uint64) * names[np.maximum(seen.arms, 0)]


def pulls_of(seen: Transcripts, arm: int) -> NDArray[np.int64]:
    """The number of pulls of this arm in each step, (trials, steps)."""
    if seen.counts.shape[1]:
        return seen.counts[:, :, arm].astype(np.int64)
    return np.where(seen.arms == arm, seen.sizes, 0).astype(np.int64)


def sums_before(steps: np.ndarray) -> np.ndarray:
    """Returns, for each step, the sum over all earlier steps, (trials, steps)."""
    out = np.zeros_like(steps)
    np.cumsum(steps[:, :-1], axis=1, out=out[:, 1:])
    return out


@dataclass(frozen=True)
class Cells:
    """The steps of transcripts that may depend on the change: the release of each step, and its context of each kind.
    makers: functions that compute the contexts of a kind, (cells,)."""

    trials: int
    row: NDArray[np.int64]  # (cells,): the trial
    symbol: Words  # (cells,)
    makers: dict[str, Callable[[], Words]]


class Met(NamedTuple):
    """The distinct pairs of context and release for one kind of context, over all cells that were numbered together.
    Most cells are equal to others, so each such pair is evaluated only once."""

    number: Numbers  # (cells,): which release in which context
    first: Numbers  # (releases,): a cell of each
    context: Numbers  # (releases,): the context's number
    words: Words  # (contexts,)
    symbols: Words  # (releases,)

    @property
    def releases(self) -> Words:
        """A word (64 bits) for each distinct pair of context and release, (releases,)."""
        return mixed_bits(self.words[self.context] * np.uint64(3) + self.symbols)


class Numbered(NamedTuple):
    """`Cells` whose contexts and releases are numbered consistently with all cells that were numbered together. met: by
    kind of context."""

    trials: int
    row: NDArray[np.int64]  # (cells,)
    part: slice
    met: Callable[[str], Met]

    def numbers(self, kind: str) -> Numbers:
        """Returns, for each cell, the number of its pair of context (of this kind) and release, (cells,)."""
        return self.met(kind).number[self.part]


def number_cells(several: Sequence[Cells]) -> list[Numbered]:
    """Numbers the contexts and releases of several sets of cells in common.
    Equal contexts get equal numbers in all of the sets, and so do equal releases in a context. A kind of context is
    numbered when it is first used."""
    ends = np.cumsum([0, *(len(each.row) for each in several)])
    symbols = np.concatenate([each.symbol for each in several])
    named, symbol = number_words(symbols)

    @cache
    def met(kind: str) -> Met:
        """Numbers the contexts of this kind, and their releases, in all cells together."""
        # The words of cells are not kept: cells are many, and those that differ are mostly few.
        words = np.concatenate([each.makers[kind]() for each in several])
        apart, context = number_words(words)
        first, number = number_words(context.astype(np.uint64) * np.uint64(len(named)) + symbol.astype(np.uint64))
        return Met(number, first, context[first], words[apart], symbols[first])

    return [
        Numbered(each.trials, each.row, slice(int(start), int(stop)), met)
        for each, start, stop in zip(several, ends[:-1], ends[1:], strict=True)
    ]


def number_words(words: Words) -> tuple[Numbers, Numbers]:
    """Numbers the distinct values; returns an index of each, (kinds,), and the number of each word's value, (n,).
    The distinct values are unordered, so a hash table suffices, which is five times as fast as sorting."""
    many = len(words)
    small = np.int32 if many < 2**30 else np.int64  # a place in the table has one bit more
    winner, left, here, times = np.zeros(many, small), np.arange(many, dtype=small), words, int(ODD)
    while len(left):
        bits = (2 * len(left)).bit_length()
        slot = ((here * np.uint64(times)) >> np.uint64(64 - bits)).astype(small)
        table = np.zeros(1 << bits, small)
        table[slot] = left  # of several words, one has its place: they win who are alike, the others ask another table
        winner[left] = found = table[slot]
        lost = np.flatnonzero(words[found] != here)
        left, here, times = left[lost], here[lost], times * int(ODD) % 2**64
    stands = np.zeros(many, dtype=bool)
    stands[winner] = True
    return np.flatnonzero(stands).astype(small), (np.cumsum(stands) - 1).astype(small)[winner]


def released_before(words: Words, by: int) -> Words:
    """For each step, a word that encodes the release `by` steps earlier.
    For a step without such a release, 1 is encoded instead (no symbol is 1: it would be one pull of hash 1)."""
    if by >= words.shape[1]:
        return np.zeros_like(words)
    before = np.ones_like(words)
    before[:, by:] = words[:, :-by]
    return mixed_bits(before + np.uint64(by))


def cells(seen: Transcripts, pair: Pair) -> Cells:
    """Returns the steps after the changed reward or context has taken effect, with the contexts of each step."""
    words = symbols(seen)
    arm, index = spot if (spot := pair.spot) is not None else (0, 0)
    own = sums_before(pulls_of(seen, arm))
    paid = (own if pair.relation == "pull" else sums_before(seen.sizes.astype(np.int64))) > index - (
        pair.relation == "user"  # whose context is seen before the round's release
    )
    step = mixed_bits(np.arange(1, words.shape[1] + 1, dtype=np.uint64) * ODD)[None, :]
    row, column = np.nonzero(paid)
    at = row, column
    steps = np.broadcast_to(step, words.shape)[at]

    last = cache(partial(released_before, words))

    @cache
    def counts() -> Words:
        """Returns, for each step, a word that encodes the step's number and all earlier pull counts."""
        return mixed_bits(sums_before(words) ^ step)

    @cache
    def two() -> Words:
        """Returns, for each step, a word that encodes the two preceding releases."""
        return last(1) + last(2) * np.uint64(3)

    makers: dict[str, Callable[[], Words]] = {
        "step": lambda: steps,
        "changed arm": lambda: mixed_bits(own[at].astype(np.uint64) * ODD) ^ steps,
        "counts": lambda: counts()[at],
        "last": lambda: mixed_bits(last(1)[at] ^ steps),
        "last two": lambda: mixed_bits(two()[at] ^ steps),
        "last three": lambda: mixed_bits((two() + last(3) * np.uint64(5))[at] ^ steps),
        "counts, last": lambda: mixed_bits((counts() + last(1))[at]),
        "counts, last two": lambda: mixed_bits((counts() + two())[at]),
        "all": lambda: mixed_bits((whole_pasts(words) ^ step)[at]),
    }
    return Cells(len(words), row, words[at], makers)


def whole_pasts(words: Words) -> Words:
    """Returns, for each step, a word that encodes all earlier releases."""
    past = np.zeros_like(words)
    for t in range(1, words.shape[1]):
        past[:, t] = mixed_bits(past[:, t - 1] * ODD + words[:, t - 1])
    return past
