"""What each step of a transcript released, and in which contexts, as words: hashes of 64 bits.

A context is what was released before, seen more or less closely: the step; what the changed arm was pulled; all pull
counts; the last symbols; everything so far. Equal contexts are equal words; others are the same word by chance only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.play.transcripts import Transcripts
from dpbandits.reference.bandits.adjacency import Pair

Words = NDArray[np.uint64]  # arithmetic is modulo 2^64
Numbers = NDArray[np.integer]

SPARSE = 4  # numbers are counted densely while there are at most so many for each cell

ODD = np.uint64(0x9E3779B97F4A7C15)


def mixed(words: Words) -> Words:
    """A bijection of 64-bit words after which nearby words are far apart (the end of splitmix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def symbols(seen: Transcripts) -> Words:
    """What each step released as one word, (trials, steps): sums of odd numbers, one per arm and pull, so that sums
    of symbols stand for sums of pull counts. No pull is 0."""
    arms = seen.counts.shape[2]
    names = mixed(np.arange(1, arms + 1, dtype=np.uint64) * ODD) | np.uint64(1)
    if seen.counts.shape[1]:
        return np.asarray((seen.counts.astype(np.uint64) * names).sum(axis=2, dtype=np.uint64))
    return seen.sizes.astype(np.uint64) * names[np.maximum(seen.arms, 0)]


def pulls_of(seen: Transcripts, arm: int) -> NDArray[np.int64]:
    """How often each step pulled this arm, (trials, steps)."""
    if seen.counts.shape[1]:
        return seen.counts[:, :, arm].astype(np.int64)
    return np.where(seen.arms == arm, seen.sizes, 0).astype(np.int64)


def sums_before(steps: NDArray[Any]) -> NDArray[Any]:
    """The sums over the earlier steps, (trials, steps)."""
    out = np.zeros_like(steps)
    np.cumsum(steps[:, :-1], axis=1, out=out[:, 1:])
    return out


def words_ago(words: Words, by: int) -> Words:
    """The words of `by` steps ago; 1 where there was no such step (no symbol is 1: it would be one pull of hash 1)."""
    out = np.ones_like(words)
    out[:, by:] = words[:, : words.shape[1] - by]
    return out


@dataclass(frozen=True)
class Cells:
    """The steps of transcripts that may tell: what was released, and in which context of each kind. A kind of context
    is made when somebody first asks for it."""

    trials: int
    row: NDArray[np.int64]  # (cells,): the trial
    symbol: Words  # (cells,)
    makers: dict[str, Callable[[], Words]]
    known: dict[str, Words] = field(default_factory=dict)

    def words(self, kind: str) -> tuple[Words, Words]:
        """The contexts of this kind, (cells,), and the same with what was released there."""
        if kind not in self.known:
            self.known[kind] = self.makers[kind]()
        return self.known[kind], mixed(self.known[kind] * np.uint64(3) + self.symbol)


@dataclass(frozen=True)
class Numbered:
    """`Cells` whose words are small numbers, the same number for the same word in all cells that were numbered
    together: counting them takes no search. Which words there are has to be known before."""

    trials: int
    row: NDArray[np.int64]
    maker: Callable[[str], tuple[Numbers, Numbers]]

    def words(self, kind: str) -> tuple[Numbers, Numbers]:
        """The contexts of this kind, (cells,), and the same with what was released there."""
        return self.maker(kind)


def number_cells(several: Sequence[Cells]) -> list[Numbered]:
    """These cells, numbered together; a kind of context when somebody first asks for it."""
    ends = np.cumsum([len(each.row) for each in several])
    names, symbol = np.unique(np.concatenate([each.symbol for each in several]), return_inverse=True)
    small = np.int32 if SPARSE * len(symbol) < 2**31 else np.intp

    @cache
    def numbers(kind: str) -> list[tuple[Numbers, Numbers]]:
        # The words themselves are not kept: cells are many, and their numbers take as much memory.
        words, context = np.unique(np.concatenate([each.makers[kind]() for each in several]), return_inverse=True)
        release = context * len(names) + symbol
        if len(words) * len(names) > SPARSE * len(release):
            release = np.unique(release, return_inverse=True)[1]
        both = (np.split(each.astype(small), ends[:-1]) for each in (context, release))
        return list(zip(*both, strict=True))

    def maker(place: int) -> Callable[[str], tuple[Numbers, Numbers]]:
        return lambda kind: numbers(kind)[place]

    return [Numbered(each.trials, each.row, maker(place)) for place, each in enumerate(several)]


def cells(seen: Transcripts, pair: Pair) -> Cells:
    """The steps that come after the changed reward has been paid, or the changed context seen, with their contexts."""
    words = symbols(seen)
    arm, index = spot if (spot := pair.spot) is not None else (0, 0)
    own = sums_before(pulls_of(seen, arm))
    paid = (own if pair.relation == "pull" else sums_before(seen.sizes.astype(np.int64))) > index - (
        pair.relation == "user"  # whose context is seen before the round's release
    )
    step = mixed(np.arange(1, words.shape[1] + 1, dtype=np.uint64) * ODD)[None, :]
    row, column = np.nonzero(paid)
    at = row, column
    steps = np.broadcast_to(step, words.shape)[at]

    @cache
    def last(by: int) -> Words:
        """What was released so many steps ago."""
        return mixed(words_ago(words, by) + np.uint64(by)) if by < words.shape[1] else np.zeros_like(words)

    @cache
    def counts() -> Words:
        return mixed(sums_before(words) ^ step)

    @cache
    def two() -> Words:
        return last(1) + last(2) * np.uint64(3)

    makers: dict[str, Callable[[], Words]] = {
        "step": lambda: steps,
        "changed arm": lambda: mixed(own[at].astype(np.uint64) * ODD) ^ steps,
        "counts": lambda: counts()[at],
        "last": lambda: mixed(last(1)[at] ^ steps),
        "last two": lambda: mixed(two()[at] ^ steps),
        "last three": lambda: mixed((two() + last(3) * np.uint64(5))[at] ^ steps),
        "counts, last": lambda: mixed((counts() + last(1))[at]),
        "counts, last two": lambda: mixed((counts() + two())[at]),
        "all": lambda: mixed((whole_pasts(words) ^ step)[at]),
    }
    return Cells(len(words), row, words[at], makers)


def whole_pasts(words: Words) -> Words:
    """For each step a word of all that was released before it."""
    past = np.zeros_like(words)
    for t in range(1, words.shape[1]):
        past[:, t] = mixed(past[:, t - 1] * ODD + words[:, t - 1])
    return past
