"""A classifier that is learned from a mechanism's outputs: it guesses which of the two inputs a trial had.

A feature maps outputs, (n, d), to columns of numbers, (n, m). A column of ordered numbers is divided into bins of equal
frequency; in a column of codes each code is a bin. The classifier learns the log ratio of the frequencies of every bin
on the two sides. The score of an output is the sum of the log ratios of its columns, or the linear form in numbers,
squares, products and log ratios that a logistic regression with a ridge finds. The numbers of the column whose tails
differ most are also a score.

The score is learned on one half of the search trials, and the other half chooses the features, because no score is
evaluated on the trials that taught it. Fresh trials certify the chosen score.

A test is "right if score >= cut", so it uses one end of a score: the high end if the right side is likelier there, the
low end if the left side is. Learned ratios determine the direction. A plain number does not, so both directions are
tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.statistics.events import CAUTIOUS_LEVEL, Event, Tests, count_errors, plan_tests_by_scores
from dpbandits.audit.statistics.region import excess_over_region, planned_region, probability_upper_limit
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.linear import matrix_product, solve_linear_system
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.curves import Curve

CODES = 0  # in place of a number of bins: every number of a column is a bin
RIDGE = 1.0  # keeps features finite that separate the sides
PRODUCTS = 6  # up to so many columns, their products are in the regression as well
LOGISTIC_STEPS = 8
MAX_LOGIT = 30.0
# A column's squares add up to the trials n, so that by Cauchy and Schwarz the parts of sums of x_i x_j w with w <= 1/4
# are at most n/4: in multiples of 2^-32 they are whole numbers below 2^53 for n < 2^23, and exact in any order. What
# the curvature is off by costs a fraction of a step, and nothing of the optimum, which the slope decides.
ENTRY, CURVE = 2.0**10, 2.0**12
TURNED = ", turned round"

OutputScore = Callable[[Array], Array]  # outputs (n, d) to scores (n,), large where the right side is likelier


class Feature(NamedTuple):
    """A feature of outputs. read: (n, d) to (n, columns), for every row separately. bins: of equal frequency for each
    column, or CODES. regression: whether a logistic regression also weighs the columns. itself: whether the column
    whose tails differ most is a score without learning."""

    name: str
    read: Callable[[Array], Array]
    bins: int
    regression: bool = False
    itself: bool = False


class Candidate(NamedTuple):
    """A score that the other half of the search trials may choose. learnt: whether it was learned from trials."""

    name: str
    score: OutputScore
    learnt: bool = True


Learner = Callable[[Array, Array], Iterable[Candidate]]  # of outputs on the left and on the right, (n, d) each


class RatioTable(NamedTuple):
    """The log ratios of the frequencies of one column's bins on the two sides. cuts: edges of the bins, ascending,
    (bins - 1,); or the codes, (bins,). ratio: log(right/left), (bins,), with one more trial in every bin on either
    side, so that rare bins get no extreme ratios. codes: whether `cuts` are codes."""

    cuts: Array
    ratio: Array
    codes: bool

    @staticmethod
    def of(left: Array, right: Array, bins: int) -> RatioTable:
        """Learns a table of log ratios from one column of numbers on either side, (n,) each.
        bins: the number of bins, or CODES for one bin for each distinct number."""
        if bins == CODES:
            cuts, counts, _ = counts_of_codes(left, right)
            one, other = counts + 1.0
            return RatioTable(cuts, el.log(other) - el.log(one) - el.log(len(right) / len(left)), codes=True)
        cuts = np.unique(np.quantile(np.concatenate([left, right]), np.arange(1, bins) / bins, method="nearest"))
        counts = np.stack(
            [np.bincount(np.searchsorted(cuts, each, side="right"), minlength=len(cuts) + 1) for each in (left, right)]
        )
        one, other = el.log((counts + 1) / (counts.sum(axis=1, keepdims=True) + len(cuts) + 1))
        return RatioTable(cuts, other - one, codes=False)

    def __call__(self, values: Array) -> Array:
        """Returns the log ratio of the bin of each number, (n,); 0 for a code that is in no bin."""
        if not self.codes:
            return np.asarray(self.ratio[np.searchsorted(self.cuts, values, side="right")])
        if not len(self.cuts):
            return np.zeros(len(values))
        place = np.minimum(np.searchsorted(self.cuts, values), len(self.cuts) - 1)
        return np.where(self.cuts[place] == values, self.ratio[place], 0.0)

    def only(self, kept: NDArray[np.bool_]) -> RatioTable:
        """The part of a table of codes that contains only these bins. kept: a mask, (bins,)."""
        return RatioTable(self.cuts[kept], self.ratio[kept], self.codes)


def counts_of_codes(left: Array, right: Array) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
    """The distinct codes of both sides, (codes,), with their counts on either side, (2, codes), and in total."""
    every, place = np.unique(np.concatenate([left, right]), return_inverse=True)
    sides = np.split(place.reshape(-1), [len(left)])
    counts = np.stack([np.bincount(side, minlength=len(every)) for side in sides])
    return every, counts, counts.sum(axis=0)


def candidates(features: Iterable[Feature], left: Array, right: Array) -> Iterator[Candidate]:
    """Yields the candidate scores for each feature, learned from outputs (n, d) on either side."""
    for feature in features:
        one, other = feature.read(left), feature.read(right)
        tables = [RatioTable.of(*columns, feature.bins) for columns in zip(one.T, other.T, strict=True)]
        if feature.itself:
            most = int(np.argmax(ends_apart(one, other)))
            name = feature.name if len(tables) == 1 else f"number {most + 1} of {feature.name}"
            yield Candidate(name, reading(feature, partial(signed_column, most, 1)), learnt=False)
            yield Candidate(name + TURNED, reading(feature, partial(signed_column, most, -1)), learnt=False)
        yield Candidate(f"the frequencies of {feature.name}", reading(feature, partial(sum_of_ratios, tables)))
        if feature.regression:
            yield Candidate(f"a logistic regression on {feature.name}", reading(feature, logistic(one, other, tables)))


def reading(feature: Feature, score: OutputScore) -> OutputScore:
    """Returns a function that computes a feature of outputs and then the given score of that feature."""
    return lambda outputs: score(feature.read(outputs))


def signed_column(place: int, sign: int, columns: Array) -> Array:
    """Returns one column of features, multiplied by the sign."""
    return np.asarray(sign * columns[:, place])


def ends_apart(left: Array, right: Array) -> Array:
    """Returns, for each number of an output, how much its tails differ between the two sides, (n, d) to (d,).
    For every k, about half of the k most extreme numbers should come from the left; returns the largest deviation from
    this, in standard deviations of one trial."""
    pooled = np.concatenate([left, right])
    order = np.argsort(pooled, axis=0, kind="stable")
    label = np.repeat([-1 / len(left), 1 / len(right)], [len(left), len(right)])
    many = np.arange(1, len(pooled))[:, None] / len(pooled)
    apart = np.abs(np.cumsum(label[order], axis=0)[:-1]) / np.sqrt(many * (1 - many))
    ends = np.diff(np.take_along_axis(pooled, order, axis=0), axis=0) > 0  # no cut goes through what is the same
    return np.asarray(np.max(np.where(ends, apart, 0.0), axis=0, initial=0.0))


def sum_of_ratios(tables: Sequence[RatioTable], columns: Array) -> Array:
    """Returns the sums of the log ratios of all columns, (n, columns) to (n,)."""
    return np.asarray(np.sum([table(column) for table, column in zip(tables, columns.T, strict=True)], axis=0))


# -- a logistic regression ---------------------------------------------------------------------------------------


class LinearForm(NamedTuple):
    """A linear form in standardised columns. centre, scale, weights: (columns,)."""

    centre: Array
    scale: Array
    weights: Array

    @staticmethod
    def of(left: Array, right: Array) -> LinearForm:
        """Fits a ridge-regularised logistic regression that distinguishes left from right rows, (n, columns) each."""
        x = np.concatenate([left, right])
        centre, spread = x.mean(axis=0), x.std(axis=0)
        scale = np.where(spread > 1e-12, spread, np.inf)  # constant columns count for nothing
        label = np.repeat([0.0, 1.0], [len(left), len(right)])
        return LinearForm(centre, scale, logit_weights((x - centre) / scale, label))

    def __call__(self, columns: Array) -> Array:
        """Returns the value of the linear form for each row: (n, columns) to (n,)."""
        return np.asarray(matrix_product((columns - self.centre) / self.scale, self.weights))


def logistic(left: Array, right: Array, tables: Sequence[RatioTable]) -> OutputScore:
    """Returns the linear form, fitted by Newton's method, that tells right rows from left rows.
    Its terms are the columns, their squares, a few of their products and their log ratios. left, right: (n,
    columns)."""
    raw = np.concatenate([left, right])
    low, high = np.quantile(raw, [0.01, 0.99], axis=0)  # heavy tails would rule the regression
    pairs = np.triu_indices(raw.shape[1], 1) if raw.shape[1] <= PRODUCTS else (np.arange(0), np.arange(0))

    def terms(columns: Array) -> Array:
        """Returns the terms of the linear form for each row: scaled columns, squares, some products, and log ratios."""
        x = np.clip(columns, low, high)
        x = (x - (low + high) / 2) / np.where(high > low, high - low, 1.0)
        logs = np.stack([table(column) for table, column in zip(tables, columns.T, strict=True)], axis=1)
        return np.concatenate([x, x**2, x[:, pairs[0]] * x[:, pairs[1]], logs], axis=1)

    form = LinearForm.of(terms(left), terms(right))
    return lambda columns: form(terms(columns)).round(9)


def coarse(values: Array, unit: float) -> Array:
    """Rounds the values to multiples of 1/unit."""
    return np.asarray(np.rint(values * unit) / unit)


def logit_weights(x: Array, label: Array) -> Array:
    """The weights, (columns,), of the ridge-regularised logit of label 1 against label 0.
    x: (trials, columns), each column with mean 0 and variance 1, or constantly 0. The result has the same bits on every
    processor."""
    rough, weights = coarse(x, ENTRY), np.zeros(x.shape[1])
    for _ in range(LOGISTIC_STEPS):
        chance = 1 / (1 + el.exp(-np.clip(matrix_product(x, weights), -MAX_LOGIT, MAX_LOGIT)))
        slope = (x * (label - chance)[:, None]).sum(axis=0) - RIDGE * weights
        curvature = (rough * coarse(chance * (1 - chance), CURVE)[:, None]).T @ rough + RIDGE * np.eye(x.shape[1])
        weights = weights + solve_linear_system(curvature, slope)
    return weights


# -- which score -------------------------------------------------------------------------------------------------


class Chosen(NamedTuple):
    """The score with the best result on the second half of the search trials, and the tests that it chose."""

    name: str
    score: OutputScore
    events: Tests


def choose_score(left: Array, right: Array, curve: Curve, fresh: int, level: float, learn: Learner) -> Chosen:
    """Returns the best score among those learned on the first half of the search outputs.
    left, right: the search outputs, (n, d). The second half judges the scores. If the best score was not learned, all
    search outputs choose its tests."""
    half = len(left) // 2
    best: Candidate | None = None
    most = -np.inf
    for candidate in learn(left[:half], right[:half]):
        scores = candidate.score(left[half:]), candidate.score(right[half:])
        tests = plan_tests_by_scores(*scores, curve, fresh, level)
        amount = cautious_excess(*scores, tests[0], curve, fresh)
        if best is None or amount > most:
            best, events, most = candidate, tests, amount
    assert best is not None
    if not best.learnt:
        events = plan_tests_by_scores(best.score(left), best.score(right), curve, fresh, level)
    return Chosen(best.name, best.score, events)


def cautious_excess(left: Array, right: Array, event: Event, curve: Curve, fresh: int) -> float:
    """Estimates, cautiously, the violation that an event should certify with `fresh` fresh trials.
    The estimate uses the scores on either side."""
    wrong = count_errors(left, right, np.array([event.cut]))
    alpha, beta = (probability_upper_limit(each, len(left), CAUTIOUS_LEVEL) * fresh for each in wrong)
    likely = planned_region(alpha, beta, fresh, event.level, event.weight)
    return float(np.max(excess_over_region(curve, likely).amount))
