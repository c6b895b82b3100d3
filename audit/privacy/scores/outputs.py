"""Scores for the outputs of a plain mechanism: rows of numbers, of whose law nothing is known.

Several scores are learnt on one part of the search trials, and another part decides between them: the middle way of
not believing a score where it was learnt. Outputs that differ by rounding errors alone are made one first, so that a
score sees the numbers and not the last bits in which a sampler wrote them.

A test is "right if score >= cut", so that it looks at one end of a score: the high one where the right is likelier, the
low one where the left is. Learnt scores are turned so by what they learnt. Of those that are not, such as the output
itself, both directions are tried: which input is called left must not decide what is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.privacy.scores.distinguishers import newton
from dpbandits.audit.privacy.scores.rounded_outputs import OutputScore, digits
from dpbandits.audit.statistics.events import CAUTIOUS_LEVEL, Event, count_errors, plan_tests_by_scores, require_finite
from dpbandits.audit.statistics.region import chance_upper_limit, excess_over_region, planned_region
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.linear import matrix_product
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.curves import Curve

BINS = 32  # of equal frequency, for one number; for each of several numbers, half as many
MAX_NARROW_BINS = 1024  # bins of equal frequency of one number, to see what happens between the edges of the others
MIN_BIN_OUTPUTS = 16  # outputs in a bin, or more
NONFINITE_SCORE = 1e12  # the score of an output that is no finite number, on the side where it came more often
RIDGE = 1.0  # keeps separable features finite
PRODUCTS = 6  # up to so many numbers a trial, their products are features as well
OUTPUT, DISTANCE, TURNED = "the output", "its distance from the middle", ", turned round"
# Nothing of these is learnt
UNLEARNT_NAMES = tuple(name + turned for name in (OUTPUT, DISTANCE) for turned in ("", TURNED))


Learner = Callable[[Array, Array], Iterable[tuple[str, OutputScore]]]


class Chosen(NamedTuple):
    """The score that told most in the second part of the search trials, and the tests that it chose."""

    name: str
    score: OutputScore
    events: tuple[Event, ...]


def choose_score(left: Array, right: Array, curve: Curve, fresh: int, level: float, learn: Learner) -> Chosen:
    """The best of the scores that are learnt on the first half of these search outputs (n, d), by the second half."""
    half = len(left) // 2
    best, most = None, -np.inf
    for name, score in learn(left[:half], right[:half]):
        scores = score(left[half:]), score(right[half:])
        events = plan_tests_by_scores(*scores, curve, fresh, level)
        amount = cautious_promise(*scores, events[0], curve, fresh)
        if best is None or amount > most:
            best, most = Chosen(name, score, events), amount
    assert best is not None
    if best.name not in UNLEARNT_NAMES:
        return best
    # All search trials may choose the tests.
    return best._replace(events=plan_tests_by_scores(best.score(left), best.score(right), curve, fresh, level))


def cautious_promise(left: Array, right: Array, event: Event, curve: Curve, fresh: int) -> float:
    """How much an event should say about the claim with so many fresh trials, by these scores; cautiously."""
    wrong = count_errors(left, right, np.array([event.cut]))
    alpha, beta = (chance_upper_limit(each, len(left), CAUTIOUS_LEVEL) * fresh for each in wrong)
    likely = planned_region(alpha, beta, fresh, event.level, event.weight)
    return float(np.max(excess_over_region(curve, likely).amount))


def learnt_scores(left: Array, right: Array) -> Iterator[tuple[str, OutputScore]]:
    """Scores worth trying for outputs like these, (n, d), by name: large where the right is likelier."""
    pooled = np.concatenate([left, right])
    inside = [side[np.isfinite(side).all(axis=1)] for side in (left, right)]
    for name, score in finite_scores(inside[0], inside[1]):
        yield name, guard_nonfinite(score, left, right)
    if pooled.shape[1] > 1 and not np.isfinite(pooled).all():
        split = split_missing(pooled)
        for name, score in finite_scores(split(left), split(right)):
            yield f"{name}, with nan and inf as kinds", score_after_split(split, score)
    if len(np.unique(pooled, axis=0)) < len(pooled):
        # However seldom: among numbers that are spread out, one that comes again is noise that was left out, or a grid
        # that noise lies on before it is added.
        yield "the frequency of each output", frequencies(left, right)


def split_missing(known: Array) -> OutputScore:
    """Makes finite rows of any: of each column the numbers, with the middle of the known ones where there is none; and
    beside them, of columns in which one is missing, what stands in its place."""
    finite = np.isfinite(known)
    some = ~finite.all(axis=0)
    middle = np.array([np.median(each[own]) if own.any() else 0.0 for each, own in zip(known.T, finite.T, strict=True)])

    def split(outputs: Array) -> Array:
        own, there = np.isfinite(outputs), outputs[:, some]
        kind = np.isnan(there) + 2.0 * np.isposinf(there) + 3.0 * np.isneginf(there)
        return np.concatenate([np.where(own, outputs, middle), kind], axis=1)

    return split


def score_after_split(split: OutputScore, score: OutputScore) -> OutputScore:
    return lambda outputs: score(split(outputs))


def finite_scores(left: Array, right: Array) -> Iterator[tuple[str, OutputScore]]:
    """Scores for rows of finite numbers; constant ones where a side has hardly any."""
    if min(len(left), len(right)) < 2:
        yield "whether the output is a number", lambda outputs: np.zeros(len(outputs))
        return
    if left.shape[1] == 1:
        middle = float(np.median(np.concatenate([left, right])))
        yield from both_ends(OUTPUT, lambda outputs: outputs[:, 0])
        yield from both_ends(DISTANCE, lambda outputs: np.abs(outputs[:, 0] - middle))
        yield "the ratio of frequencies", binned(left[:, 0], right[:, 0], BINS).column(0)
        narrow = min(MAX_NARROW_BINS, 2 * len(left) // MIN_BIN_OUTPUTS)
        if narrow > BINS:
            yield "the ratio of frequencies in narrow bins", binned(left[:, 0], right[:, 0], narrow).column(0)
    else:
        yield from scores_of_rows(left, right)
    if (late_digits := digits(left, right)) is not None:
        yield late_digits


def both_ends(name: str, score: OutputScore) -> Iterator[tuple[str, OutputScore]]:
    yield name, score
    yield name + TURNED, lambda outputs: -score(outputs)


def scores_of_rows(left: Array, right: Array) -> Iterator[tuple[str, OutputScore]]:
    """Scores for rows of several finite numbers, (n, d): of all numbers together, and of single ones."""
    columns = range(left.shape[1])
    each = [binned(left[:, place], right[:, place], BINS // 2).column(place) for place in columns]
    yield "the product of the ratios of frequencies", lambda outputs: np.sum([one(outputs) for one in each], axis=0)
    yield "a logistic regression", logistic(left, right, each)
    for suffix, view in OUTPUT_VIEWS.items():
        seen = view(left), view(right)
        if view is sorted_rows:
            each_sorted = [binned(seen[0][:, place], seen[1][:, place], BINS // 2).column(place) for place in columns]
            yield f"a logistic regression{suffix}", score_after_split(view, logistic(*seen, each_sorted))
        for name, score in scores_of_one(*seen):
            yield f"{name}{suffix}", score_after_split(view, score)


def as_they_are(outputs: Array) -> Array:
    return outputs


def sorted_rows(outputs: Array) -> Array:
    """Where rows are shuffled, the largest number is the same place's all the same."""
    return np.sort(outputs, axis=1)


def differences(outputs: Array) -> Array:
    """Of neighbours: noise that both have is gone."""
    return np.diff(outputs, axis=1)


OUTPUT_VIEWS = {"": as_they_are, ", of sorted rows": sorted_rows, ", of differences": differences}


def scores_of_one(left: Array, right: Array) -> Iterator[tuple[str, OutputScore]]:
    """Scores that single numbers of a row decide: the one whose tails tell most, and all that come again."""
    columns = range(left.shape[1])
    most = int(np.argmax(ends_apart(left, right)))
    yield from both_ends(f"number {most + 1}", lambda outputs: outputs[:, most])
    again = [Repeated.of(left[:, place], right[:, place]) for place in columns]
    if any(len(one.numbers) for one in again):
        yield (
            "the frequency of each number",
            lambda outputs: np.sum([one(column) for one, column in zip(again, outputs.T, strict=True)], axis=0),
        )


def ends_apart(left: Array, right: Array) -> Array:
    """How far apart the numbers of both sides are in their tails, (n, d) to (d,): of the most extreme ones, however
    many, about half should be the left's; the largest deviation, in standard deviations of one trial."""
    pooled = np.concatenate([left, right])
    order = np.argsort(pooled, axis=0, kind="stable")
    label = np.repeat([-1 / len(left), 1 / len(right)], [len(left), len(right)])
    many = np.arange(1, len(pooled))[:, None] / len(pooled)
    apart = np.abs(np.cumsum(label[order], axis=0)[:-1]) / np.sqrt(many * (1 - many))
    ends = np.diff(np.take_along_axis(pooled, order, axis=0), axis=0) > 0  # no cut goes through what is the same
    return np.asarray(np.max(np.where(ends, apart, 0.0), axis=0, initial=0.0))


class Repeated(NamedTuple):
    """Numbers that came twice or more, in order, (m,), and the log ratio of how often they came on either side."""

    numbers: Array
    ratio: Array

    @staticmethod
    def of(left: Array, right: Array) -> Repeated:
        every, times, ratio = ratios_of_counts(left, right)
        return Repeated(every[times > 1], ratio[times > 1])

    def __call__(self, values: Array) -> Array:
        """The ratio of each value, 0 for those that never came twice."""
        if not len(self.numbers):
            return np.zeros(len(values))
        place = np.minimum(np.searchsorted(self.numbers, values), len(self.numbers) - 1)
        return np.where(self.numbers[place] == values, self.ratio[place], 0.0)


# -- what is learnt ----------------------------------------------------------------------------------------------


class Binned(NamedTuple):
    """The log ratio of frequencies in bins, (bins,), between edges, (bins - 1,)."""

    edges: Array
    ratio: Array

    def column(self, place: int) -> OutputScore:
        return lambda outputs: self.ratio[np.searchsorted(self.edges, outputs[:, place], side="right")]


def binned(left: Array, right: Array, bins: int) -> Binned:
    edges = np.unique(np.quantile(np.concatenate([left, right]), np.arange(1, bins) / bins, method="nearest"))
    found = [
        np.bincount(np.searchsorted(edges, side, side="right"), minlength=len(edges) + 1) for side in (left, right)
    ]
    # One more in every bin: the ratio of a rare output is not believed to be extreme.
    logs = [el.log((count + 1) / (count.sum() + len(count))) for count in found]
    return Binned(edges, logs[1] - logs[0])


def logistic(left: Array, right: Array, ratios: list[OutputScore]) -> OutputScore:
    """The linear form in outputs, squares, products of few of them and `ratios` that Newton's method finds."""
    raw = np.concatenate([left, right])
    low, high = np.quantile(raw, [0.01, 0.99], axis=0)  # heavy tails would rule the regression
    few = raw.shape[1] <= PRODUCTS
    pairs = np.triu_indices(raw.shape[1], 1) if few else (np.arange(0), np.arange(0))

    def features(outputs: Array) -> Array:
        x = np.clip(outputs, low, high)
        x = (x - (low + high) / 2) / np.where(high > low, high - low, 1.0)
        logs = np.stack([ratio(outputs) for ratio in ratios], axis=1)
        return np.concatenate([x, x**2, x[:, pairs[0]] * x[:, pairs[1]], logs], axis=1)

    x = features(raw)
    centre, spread = x.mean(axis=0), x.std(axis=0)
    scale = np.where(spread > 1e-12, spread, np.inf)
    x = (x - centre) / scale
    weights = newton(x, np.repeat([0.0, 1.0], [len(left), len(right)]), RIDGE)
    return lambda outputs: matrix_product((features(outputs) - centre) / scale, weights).round(9)


def guard_nonfinite(score: OutputScore, left: Array, right: Array) -> OutputScore:
    """The score where all numbers of an output are finite. Where some are not, which are and how is an event: it scores
    NONFINITE_SCORE, or minus that, for the side where it came more often among these outputs; 0 where it never came."""
    table: dict[bytes, float] = {}
    for sign, side in ((-1.0, left), (1.0, right)):
        for pattern in patterns(side):
            table[pattern] = table.get(pattern, 0.0) + sign / len(side)

    def guard(outputs: Array) -> Array:
        inside = np.isfinite(outputs).all(axis=1)
        scores = np.zeros(len(outputs))
        scores[inside] = score(outputs[inside])
        scores[~inside] = [NONFINITE_SCORE * np.sign(table.get(pattern, 0.0)) for pattern in patterns(outputs)]
        return require_finite(scores, "a learnt score")

    return guard


def patterns(outputs: Array) -> list[bytes]:
    """Which numbers of each output are nan, inf or -inf; outputs without any are left out."""
    some = outputs[~np.isfinite(outputs).all(axis=1)]
    kind = np.isnan(some) + 2 * np.isposinf(some) + 3 * np.isneginf(some)
    return [row.tobytes() for row in kind.astype(np.int8)]


def ratios_of_counts(left: Array, right: Array) -> tuple[Array, NDArray[np.int64], Array]:
    """Every different output, how often it came, and the log ratio of how often it came on either side."""
    every, place = np.unique(np.concatenate([left, right]), axis=0 if left.ndim > 1 else None, return_inverse=True)
    sides = np.split(place.reshape(-1), [len(left)])
    times = [np.bincount(side, minlength=len(every)) for side in sides]
    ratio = el.log(times[1] + 1.0) - el.log(times[0] + 1.0) - el.log(len(right) / len(left))
    return every, times[0] + times[1], np.asarray(ratio)


def frequencies(left: Array, right: Array, some: Array | None = None) -> OutputScore:
    """The log ratio of how often an output came on either side, each kind of output for itself; 0 for new ones. some:
    the outputs of which it is so, (k, d), and 0 for all others; all unless given."""
    every, _, ratio = ratios_of_counts(left, right)
    wanted = None if some is None else {row.tobytes() for row in some}
    table = {
        row.tobytes(): float(value)
        for row, value in zip(every, ratio, strict=True)
        if wanted is None or row.tobytes() in wanted
    }

    def score(outputs: Array) -> Array:
        known, back = np.unique(outputs, axis=0, return_inverse=True)
        return np.array([table.get(row.tobytes(), 0.0) for row in known])[back.reshape(-1)]

    return score
