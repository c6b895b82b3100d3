"""Scores learned from search trials alone, for policies that declare no law.

The release of a step is a symbol: a hash of its pull counts. The law of the next symbol is estimated on either side in
increasingly fine contexts: the step; the pulls of the changed arm; all pull counts; the last symbols; the whole past.
Each estimate is shrunk towards that of the coarser context if it has little data. The logarithms of the ratios add up
over the steps, which gives a likelihood ratio with estimated laws. For short runs the finest context is the whole
transcript. Only steps after the changed reward count, because both sides have the same law until then.

In addition, a logistic regression uses the pull counts of each arm, for which a few trials of long runs suffice.

Errors here reduce power only: a score chooses the event, and fresh trials certify it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache, partial
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.play.transcripts import BLOCK, Transcripts, step_counts
from dpbandits.audit.privacy.scores.classifier import LinearForm
from dpbandits.audit.privacy.scores.contexts import Cells, Met, Numbered, Words, cells, number_cells
from dpbandits.audit.statistics.events import MAIN_SHARE, even_ranks
from dpbandits.audit.statistics.region import (
    PLANNED_POINTS,
    Region,
    excess_at_errors,
    excess_over_region,
    planned_region,
    probability_upper_limit,
)
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.curves import Curve

CONTEXT_COUNTS = ("step", "changed arm", "counts", "last", "last two", "all")
ORDER = ("step", "last", "last two", "last three", "all")
LEANS = (2.0, 16.0)  # an estimate leans on the coarser one as if that were so many trials
MAX_LAW_CELLS = 2_000_000  # steps of search trials that a law is estimated from, at most on either side
FIT_SHARE = 0.6  # of the search trials estimate laws; the others choose among scores, and the thresholds
COUNTED_STEPS, COUNTED_PLACES = 32, 16  # first steps that a linear score counts one by one; places of running counts
CUTS = 400  # thresholds that a judge looks at (as `events.even_ranks` makes them)
MAX_CLOSER_LOOKS = 16  # of them, by the middle of their outline, are looked at closer
CAREFUL = 0.1  # the level of the limit that a few trials give an error
# What scores on the left and on the right promise for the claim: for comparing, not for verdicts.
ExcessEstimate = Callable[[Array, Array], float]


class TranscriptScore(Protocol):
    """Numbers (trials,) that are large for the right side."""

    def __call__(self, seen: Transcripts, /) -> Array:
        """Returns the score of each trial, (trials,), computed from its transcript."""


def names_of(chain: tuple[str, ...]) -> Iterator[str]:
    """Yields the names of a chain's contexts, as `Cells` stores them."""
    for name in chain:
        yield f"counts, {name}" if chain is CONTEXT_COUNTS and name in ("last", "last two") else name


class Counted(NamedTuple):
    """How often each word occurred on either side."""

    words: Words  # sorted
    hits: Array  # (words + 1, 2): left, right; the last row is 0, for words never met

    def of(self, words: Words) -> Array:
        """Returns how often each of these words occurred on either side, (words, 2); 0 for unknown words."""
        nowhere = len(self.words)
        if not nowhere:
            return np.zeros((len(words), 2))
        place = np.searchsorted(self.words, words)
        known = self.words.take(np.minimum(place, nowhere - 1)) == words
        return np.asarray(self.hits.take(np.maximum(place, nowhere * ~known), axis=0))


def count_distinct_words(words: Words, hits: Array) -> Counted:
    """A look-up table of counts by word, for words that are all different.
    hits: the counts of each word on either side, (words, 2)."""
    order = np.argsort(words)
    return Counted(words[order], np.concatenate([hits[order], np.zeros((1, 2))]))


class Level(NamedTuple):
    """One kind of context: how often each context occurred on either side, and how often with each release, by the
    numbers of `Met`."""

    name: str
    visits: Array  # (contexts, 2)
    hits: Array  # (releases, 2)

    def of(self, met: Met) -> tuple[Array, Array]:
        """Returns visits and releases for each combination of context and release, on either side.
        They are two arrays, (releases, 2) each: how often the context was visited, and how often the release occurred
        in it."""
        return self.visits.take(met.context, axis=0), self.hits

    def by_words(self, met: Met) -> LevelOfWords:
        """Returns the same counts, stored by words, for cells that were not numbered together with these."""
        return LevelOfWords(
            self.name, count_distinct_words(met.words, self.visits), count_distinct_words(met.releases, self.hits)
        )


class LevelOfWords(NamedTuple):
    """A `Level` for cells that were numbered separately."""

    name: str
    visits: Counted
    hits: Counted

    def of(self, met: Met) -> tuple[Array, Array]:
        """Returns visits and releases, as `Level.of`; contexts and releases are looked up by their words."""
        return self.visits.of(met.words).take(met.context, axis=0), self.hits.of(met.releases)


def taught(left: Numbered, right: Numbered, name: str) -> Level:
    """Counts how often each context of one kind was visited on either side, and each release occurred in it."""
    met = left.met(name)
    sides = [np.bincount(side.numbers(name), minlength=len(met.first)) for side in (left, right)]
    visits = [np.bincount(met.context, hits, minlength=len(met.words)) for hits in sides]
    return Level(name, np.stack(visits, axis=-1), np.stack(sides, axis=-1).astype(float))


def estimated_ratios(
    levels: Iterable[Level | LevelOfWords], seen: Sequence[Numbered], lean: float
) -> Iterator[list[Array]]:
    """Yields the estimated log P_right/P_left of each trial, (trials,), for each level of a chain of contexts.
    Each result contains the trials of every set of cells in `seen`. The laws are estimated from this level and all
    coarser ones. The sets were numbered together. A context determines the coarser ones."""
    before: Met | None = None
    ratio, common = np.zeros(1), np.full(1, 0.5)  # common: the law of both sides together
    for level in levels:
        met = seen[0].met(level.name)
        visits, hits = level.of(met)
        coarser = np.zeros(len(met.first), dtype=np.int64) if before is None else before.number[met.first]
        ratio, common, before = ratio[coarser], common[coarser], met
        common = (hits[:, 0] + hits[:, 1] + common) / (visits[:, 0] + visits[:, 1] + 1)
        tilt = el.exp(np.clip(ratio, -20, 20) / 2)
        right = (hits[:, 1] + lean * common * tilt) / (visits[:, 1] + lean)
        left = (hits[:, 0] + lean * common / tilt) / (visits[:, 0] + lean)
        ratio = el.log(right) - el.log(left)
        scores = [np.bincount(each.row, ratio[each.numbers(level.name)], minlength=each.trials) for each in seen]
        yield [np.asarray(score, dtype=np.float64) for score in scores]


class EstimatedRatio(NamedTuple):
    """The score of one chain that ends after `depth` contexts. laws: those of the chain so far, computed when first
    used."""

    laws: Callable[[int], list[LevelOfWords]]
    pair: Pair
    depth: int
    lean: float

    def __call__(self, seen: Transcripts) -> Array:
        """Returns the estimated log P_right/P_left of each trial, (trials,)."""
        parts, laws = [], self.laws(self.depth)
        for start in range(0, seen.trials, BLOCK):
            found = number_cells([cells(seen.part(start, start + BLOCK), self.pair)])
            *_, (part,) = estimated_ratios(laws, found, self.lean)
            parts.append(part)
        return np.concatenate(parts)


class Chosen(NamedTuple):
    """The score with the best result on trials from which it was not learned, and its scores of these trials, left and
    right."""

    score: TranscriptScore
    left: Array
    right: Array


def best_learnt(
    left: Transcripts,
    right: Transcripts,
    pair: Pair,
    judge: ExcessEstimate,
    ratio_scores: Callable[..., Iterator[Chosen]] | None = None,
) -> Chosen:
    """The best of several scores that are learned on the first part of the search trials, judged by the rest.
    ratio_scores: `learnt_ratio_scores` by default."""
    learn = max(1, int(left.trials * FIT_SHARE))
    first = [side.part(0, learn) for side in (left, right)]
    rest = [side.part(learn, side.trials) for side in (left, right)]
    linear = learn_linear_score(first[0], first[1])
    found = [
        Chosen(linear, linear(rest[0]), linear(rest[1])),
        *(ratio_scores or learnt_ratio_scores)(first, rest, pair, (CONTEXT_COUNTS, ORDER), LEANS),
    ]
    return max(found, key=lambda chosen: (judge(chosen.left, chosen.right), separation(chosen.left, chosen.right)))


def learn_linear_score(left: Transcripts, right: Transcripts) -> TranscriptScore:
    """The score of a ridge-regularised logistic regression on pull counts.
    It weighs how often an arm was pulled, not each release separately, so it needs few trials even if runs are long and
    have many possible releases."""
    form = LinearForm.of(counts_of_pulls(left), counts_of_pulls(right))
    return lambda seen: form(counts_of_pulls(seen))


def counts_of_pulls(seen: Transcripts) -> Array:
    """Returns features of each trial for the linear score, (trials, counts).
    The pulls of each arm in each of the first steps and up to some later steps, the number of steps, and whether there
    is an answer."""
    counts = step_counts(seen, seen.counts.shape[2])
    running = np.cumsum(counts, axis=1)
    places = np.unique(el.geometric(1, counts.shape[1], COUNTED_PLACES).astype(int)) - 1
    parts = [each.reshape(seen.trials, -1) for each in (counts[:, :COUNTED_STEPS], running[:, places])]
    steps = (seen.sizes > 0).sum(axis=1, keepdims=True)
    answer = [(counts < 0).any(axis=1)] if (seen.sizes < 0).any() else []
    return np.concatenate([*parts, steps, *answer], axis=1).astype(float)


def learnt_ratio_scores(
    first: list[Transcripts],
    rest: list[Transcripts],
    pair: Pair,
    chains: Sequence[tuple[str, ...]],
    leans: Sequence[float],
    most_cells: int = MAX_LAW_CELLS,
) -> Iterator[Chosen]:
    """Yields scores that are learned on the first trials of both sides, each with its values on the remaining trials.
    most_cells: the largest number of steps, over the trials of one side, from which laws are estimated."""
    few = max(1, most_cells // max(1, first[0].arms.shape[1]))
    fits, tests = [cells(side.part(0, few), pair) for side in first], [cells(side, pair) for side in rest]
    left, right, *asked = number_cells([*fits, *tests])
    for chain in chains:
        names = tuple(names_of(chain))
        laws = cache(partial(laws_by_words, fits, names))
        levels = [taught(left, right, name) for name in names]
        for lean in leans:
            for depth, found in enumerate(estimated_ratios(levels, asked, lean), 1):
                yield Chosen(EstimatedRatio(laws, pair, depth, lean), *found)


def laws_by_words(fits: Sequence[Cells], names: tuple[str, ...], depth: int) -> list[LevelOfWords]:
    """Returns the counts for the first `depth` kinds of contexts, stored by words.
    So they apply to cells of any transcripts. fits: the cells of the left side and of the right side from which the
    counts are taken."""
    left, right = number_cells(fits)
    return [taught(left, right, name).by_words(left.met(name)) for name in names[:depth]]


def separation(left: Array, right: Array) -> float:
    """The probability that a right score exceeds a left score, minus the probability that it is smaller; in [-1, 1]."""
    ordered, others = np.sort(left), np.sort(right)  # what is asked for in order is found soon
    lower, upper = (np.searchsorted(ordered, others, side=side) for side in ("left", "right"))
    return float(lower.mean() + upper.mean()) / max(1, len(left)) - 1


def expected_excess(curve: Curve, fresh: int, level: float) -> ExcessEstimate:
    """Returns a function that estimates, from scores, the violation that `fresh` more trials should certify.
    It takes the scores on either side, and uses the best threshold."""

    def judge(left: Array, right: Array) -> float:
        """Returns the largest excess over the curve that `fresh` trials with these scores should certify."""
        cuts = np.unique(np.concatenate([left, right]))
        if len(cuts) > CUTS:
            cuts = np.unique(np.quantile(cuts, even_ranks(len(cuts)), method="nearest"))
        on_left = len(left) - np.searchsorted(np.sort(left), cuts, side="left")
        on_right = np.searchsorted(np.sort(right), cuts, side="left")
        found = expected_region(on_left, on_right, len(left), fresh, level)
        rough = excess_at_errors(curve, found.alpha[:, PLANNED_POINTS // 2], found.beta[:, PLANNED_POINTS // 2]).amount
        good = np.argsort(-rough, kind="stable")[:MAX_CLOSER_LOOKS]
        return float(np.max(excess_over_region(curve, Region(found.alpha[good], found.beta[good])).amount))

    return judge


def expected_region(left: NDArray[np.int64], right: NDArray[np.int64], trials: int, fresh: int, level: float) -> Region:
    """The expected outline of the confidence region after `fresh` new trials, (cuts, pairs).
    left, right: the numbers of errors in `trials` earlier trials, (cuts,) each. The rates are increased a little first,
    so that an event seen once or twice does not win.
    """
    shares, table = expected_errors_table(trials, fresh, level)
    found = [
        np.stack([np.interp(count / trials, shares, column) for column in side.T], axis=-1)
        for count, side in zip((left, right), table, strict=True)
    ]
    return Region(found[0], found[1])


@lru_cache(maxsize=64)
def expected_errors_table(trials: int, fresh: int, level: float) -> tuple[Array, Region]:
    """Returns a grid of error rates, with the expected confidence region if both errors have the same rate.
    Linear interpolation between the points is accurate enough."""
    shares = np.unique(np.round(np.concatenate([[0.0], el.geometric(1 / trials, 1, 80)]) * trials)) / trials
    careful = probability_upper_limit(shares * trials, trials, CAREFUL) * fresh
    return shares, planned_region(careful, careful, fresh, level * MAIN_SHARE)
