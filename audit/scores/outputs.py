"""Scores for the outputs of a plain mechanism: rows of numbers, of whose law nothing is known.

Several scores are learnt on one part of the search trials, and another part decides between them: the middle way of
not believing a score where it was learnt. Outputs that differ by rounding errors alone are made one first, so that a
score sees the numbers and not the last bits in which a sampler wrote them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.scores.newton import newton
from dpbandits.audit.tradeoff.curve import outline, said, upper_limit
from dpbandits.audit.tradeoff.events import CAUTION, Event, counts, finite, thresholds
from dpbandits.reference import elementary as el
from dpbandits.reference.checks import unmasked
from dpbandits.reference.curves import Curve
from dpbandits.reference.linear import product
from dpbandits.reference.noise import Array

DIGITS = 43  # binary digits of a number that are looked at: 1e-13 of its size, 512 of a double's last units
SPREAD = 30  # and at least so many of the outputs' spread, 1e-9 of it, where they lie far from 0
EXACT = 2**53  # doubles are exact for whole numbers up to this
BINS = 32  # of equal frequency, for one number; for each of several numbers, half as many
ATOMS = 0.98  # where there are fewer different outputs than this share of the trials, each is an event of its own:
# few repeats show a grid that numbers lie on, as noise does that is rounded before it is added
BEYOND = 1e12  # the score of an output that is no finite number, on the side where it came more often
RIDGE = 1.0  # keeps separable features finite
PRODUCTS = 6  # up to so many numbers a trial, their products are features as well
OUTPUT, DISTANCE = "the output", "its distance from the middle"

Score = Callable[[Array], Array]


class Chosen(NamedTuple):
    """The score that told most in the second part of the search trials, and the tests that it chose."""

    name: str
    score: Score
    events: tuple[Event, ...]


def rows(outputs: Any, trials: int, where: str) -> Array:
    """A mechanism's outputs as numbers, (trials, d). Raises ValueError where they are none, or not so many."""
    unmasked(f"{where}: outputs", outputs)
    try:
        found = np.asarray(outputs)
    except ValueError:
        raise ValueError(
            f"{where}: outputs are rows of different lengths; give as many numbers for every trial"
        ) from None
    if found.dtype.kind not in "biuf":
        raise ValueError(f"{where}: outputs must be numbers, not of type {found.dtype}; give a row of numbers a trial")
    if found.ndim not in (1, 2) or len(found) != trials or not found.size:
        raise ValueError(f"{where}: outputs of shape {found.shape}; {trials} trials need ({trials},) or ({trials}, d)")
    if found.dtype.itemsize > 8 or (found.dtype.kind in "iu" and not ((found >= -EXACT) & (found <= EXACT)).all()):
        raise ValueError(
            f"{where}: outputs beyond 2^53, or of more than 8 bytes each, do not fit a double, and what tells them "
            "apart might get lost: subtract a constant, or give the high and the low digits as two columns"
        )
    # A copy: the mechanism may hand out the same buffer for the other input.
    return np.array(found, dtype=np.float64).reshape(trials, -1)


def rounding(known: Array) -> Score:
    """Makes one of all numbers that differ by rounding errors alone: each becomes the smallest of those like it among
    these outputs, (n, d), and stays as it is where none is.

    Nothing is cut at fixed places, where a last bit would decide; and supports that differ by more stay apart, however
    little it is.
    """
    kinds = [Kinds.of(column) for column in known.T]
    return lambda outputs: np.stack([kind.one(column) for kind, column in zip(kinds, outputs.T, strict=True)], axis=1)


class Kinds(NamedTuple):
    """Finite numbers in order, (n,), the smallest one like each, (n,), their size, and the largest width of a kind."""

    numbers: Array
    smallest: Array
    size: float
    most: float

    @staticmethod
    def of(column: Array) -> Kinds:
        every = column[np.isfinite(column)]
        numbers = np.unique(every)
        if not len(numbers):
            return Kinds(numbers, numbers, 0.0, 0.0)
        with np.errstate(over="ignore"):
            spread = float(np.subtract(*np.quantile(every, [0.75, 0.25]))) or float(np.ptp(every))
        kinds = Kinds(numbers, numbers, float(np.quantile(np.abs(every), 0.75)), 2.0**-SPREAD * (spread or np.inf))
        with np.errstate(over="ignore"):
            starts = np.append(True, np.diff(numbers) > kinds.width(numbers[1:]))
        return kinds._replace(smallest=numbers[starts][np.cumsum(starts) - 1])

    def width(self, values: Array) -> Array:
        """By how much others may differ and are still the same; for numbers next to 0 the size of most decides, for
        they may be differences of larger ones."""
        return np.minimum(2.0**-DIGITS * np.maximum(self.size, np.abs(values)), self.most)

    def one(self, values: Array) -> Array:
        """The smallest number of the kind of each value, (n,); the value itself where it is of no known kind."""
        if not len(self.numbers):
            return values + 0.0
        after = np.clip(np.searchsorted(self.numbers, values), 1 - (len(self.numbers) == 1), len(self.numbers) - 1)
        before = np.maximum(after - 1, 0)
        with np.errstate(invalid="ignore", over="ignore"):
            nearer = np.abs(values - self.numbers[before]) <= np.abs(self.numbers[after] - values)
            place = np.where(nearer, before, after)
            alike = np.isfinite(values) & (np.abs(values - self.numbers[place]) <= self.width(values))
        return np.where(alike, self.smallest[place], values) + 0.0  # and -0 is 0


def chosen(left: Array, right: Array, curve: Curve, fresh: int, level: float) -> Chosen:
    """The best of the scores that are learnt on the first half of these search outputs (n, d), by the second half."""
    half = len(left) // 2
    best, most = None, -np.inf
    for name, score in learnt(left[:half], right[:half]):
        told = score(left[half:]), score(right[half:])
        events = thresholds(*told, curve, fresh, level)
        amount = promised(*told, events[0], curve, fresh)
        if best is None or amount > most:
            best, most = Chosen(name, score, events), amount
    assert best is not None
    if best.name not in (OUTPUT, DISTANCE):
        return best
    # Nothing of these is learnt, so that all search trials may choose the tests.
    return best._replace(events=thresholds(best.score(left), best.score(right), curve, fresh, level))


def promised(left: Array, right: Array, event: Event, curve: Curve, fresh: int) -> float:
    """How much an event should say about the claim with so many fresh trials, by these scores; cautiously."""
    wrong = counts(left, right, np.array([event.cut]))
    alpha, beta = (upper_limit(each, len(left), CAUTION) * fresh for each in wrong)
    return float(np.max(said(curve, outline(alpha, beta, fresh, event.level, event.weight)).amount))


def learnt(left: Array, right: Array) -> Iterator[tuple[str, Score]]:
    """Scores worth trying for outputs like these, (n, d), by name: large where the right is likelier."""
    pooled = np.concatenate([left, right])
    inside = [side[np.isfinite(side).all(axis=1)] for side in (left, right)]
    for name, score in finite_scores(inside[0], inside[1]):
        yield name, guarded(score, left, right)
    if pooled.shape[1] > 1 and not np.isfinite(pooled).all():
        split = parted(pooled)
        for name, score in finite_scores(split(left), split(right)):
            yield f"{name}, with nan and inf as kinds", after(split, score)
    if len(np.unique(pooled, axis=0)) <= ATOMS * len(pooled):
        yield "the frequency of each output", frequencies(left, right)


def parted(known: Array) -> Score:
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


def after(split: Score, score: Score) -> Score:
    return lambda outputs: score(split(outputs))


def finite_scores(left: Array, right: Array) -> Iterator[tuple[str, Score]]:
    """Scores for rows of finite numbers; constant ones where a side has hardly any."""
    if min(len(left), len(right)) < 2:
        yield "whether the output is a number", lambda outputs: np.zeros(len(outputs))
        return
    if left.shape[1] == 1:
        middle = float(np.median(np.concatenate([left, right])))
        yield OUTPUT, lambda outputs: outputs[:, 0]
        yield DISTANCE, lambda outputs: np.abs(outputs[:, 0] - middle)
        yield "the ratio of frequencies", binned(left[:, 0], right[:, 0], BINS).column(0)
        return
    each = [binned(left[:, place], right[:, place], BINS // 2).column(place) for place in range(left.shape[1])]
    yield "the product of the ratios of frequencies", lambda outputs: np.sum([one(outputs) for one in each], axis=0)
    yield "a logistic regression", logistic(left, right, each)


class Binned(NamedTuple):
    """The log ratio of frequencies in bins, (bins,), between edges, (bins - 1,)."""

    edges: Array
    ratio: Array

    def column(self, place: int) -> Score:
        return lambda outputs: self.ratio[np.searchsorted(self.edges, outputs[:, place], side="right")]


def binned(left: Array, right: Array, bins: int) -> Binned:
    edges = np.unique(np.quantile(np.concatenate([left, right]), np.arange(1, bins) / bins, method="nearest"))
    found = [
        np.bincount(np.searchsorted(edges, side, side="right"), minlength=len(edges) + 1) for side in (left, right)
    ]
    # One more in every bin: the ratio of a rare output is not believed to be extreme.
    logs = [el.log((count + 1) / (count.sum() + len(count))) for count in found]
    return Binned(edges, logs[1] - logs[0])


def logistic(left: Array, right: Array, ratios: list[Score]) -> Score:
    """The linear form in outputs, squares, products of few of them and `ratios` that Newton's method finds."""
    raw = np.concatenate([left, right])
    low, high = np.quantile(raw, [0.01, 0.99], axis=0)  # heavy tails would rule the regression
    few = raw.shape[1] <= PRODUCTS
    pairs = np.triu_indices(raw.shape[1], 1) if few else (np.arange(0), np.arange(0))

    def features(outputs: Array) -> Array:
        x = np.clip(outputs, low, high)
        x = (x - (low + high) / 2) / np.where(high > low, high - low, 1.0)
        told = np.stack([ratio(outputs) for ratio in ratios], axis=1)
        return np.concatenate([x, x**2, x[:, pairs[0]] * x[:, pairs[1]], told], axis=1)

    x = features(raw)
    centre, spread = x.mean(axis=0), x.std(axis=0)
    scale = np.where(spread > 1e-12, spread, np.inf)
    x = (x - centre) / scale
    weights = newton(x, np.repeat([0.0, 1.0], [len(left), len(right)]), RIDGE)
    return lambda outputs: product((features(outputs) - centre) / scale, weights).round(9)


def guarded(score: Score, left: Array, right: Array) -> Score:
    """The score where all numbers of an output are finite. Where some are not, which are and how is an event: it
    scores BEYOND, or -BEYOND, for the side where it came more often among these outputs; 0 where it never came."""
    table: dict[bytes, float] = {}
    for sign, side in ((-1.0, left), (1.0, right)):
        for pattern in patterns(side):
            table[pattern] = table.get(pattern, 0.0) + sign / len(side)

    def guard(outputs: Array) -> Array:
        inside = np.isfinite(outputs).all(axis=1)
        told = np.zeros(len(outputs))
        told[inside] = score(outputs[inside])
        told[~inside] = [BEYOND * np.sign(table.get(pattern, 0.0)) for pattern in patterns(outputs)]
        return finite(told, "a learnt score")

    return guard


def patterns(outputs: Array) -> list[bytes]:
    """Which numbers of each output are nan, inf or -inf; outputs without any are left out."""
    some = outputs[~np.isfinite(outputs).all(axis=1)]
    kind = np.isnan(some) + 2 * np.isposinf(some) + 3 * np.isneginf(some)
    return [row.tobytes() for row in kind.astype(np.int8)]


def frequencies(left: Array, right: Array) -> Score:
    """The log ratio of how often an output came on either side, each kind of output for itself; 0 for new ones."""
    every, place = np.unique(np.concatenate([left, right]), axis=0, return_inverse=True)
    place = place.reshape(-1)
    told = [np.bincount(part, minlength=len(every)) for part in (place[: len(left)], place[len(left) :])]
    ratio = el.log(told[1] + 1.0) - el.log(told[0] + 1.0) - el.log(len(right) / len(left))
    table = {row.tobytes(): float(value) for row, value in zip(every, ratio, strict=True)}

    def score(outputs: Array) -> Array:
        known, back = np.unique(outputs, axis=0, return_inverse=True)
        return np.array([table.get(row.tobytes(), 0.0) for row in known])[back.reshape(-1)]

    return score
