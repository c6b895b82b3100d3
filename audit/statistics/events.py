"""Certifies points from scores: the search trials choose the tests, and fresh trials certify them.

A test is "right if score >= cut". One test gets nearly all of the level, and a weight that makes
the joint region of its two errors tighter for the error that decides; a few other tests give the rest of the curve. All
this is chosen before a fresh trial is used, so that a certified point depends only on the region and a union bound.

A certified lower limit of a Renyi divergence from samples: what more than two kinds of outcomes tell at once.

A test's two errors are a picture of two laws in two cells, and a divergence of normal laws loses a third in it. With a
function g of the outcome, fixed beforehand, every order a > 1 and any laws P and Q,

    D_a(P, Q) >= a/(a - 1) log E_P[e^((a - 1) g)] - log E_Q[e^(a g)]

(Birrell, Dupuis, Katsoulakis, Rey-Bellet, Wang 2021), with equality for g = log dP/dQ. For let r = dP/dQ: by Hoelder's
inequality E_P[e^((a - 1) g)] = E_Q[r e^((a - 1) g)] is at most E_Q[r^a]^(1/a) E_Q[e^(a g)]^((a - 1)/a), and the
logarithm of E_Q[r^a] is (a - 1) D_a. Where P has what Q has not, D_a is infinite, and nothing is to be shown.

Here g is a step function of a score, learnt on search trials as is the order; the two expectations are of bounded
variables of fresh trials, and each has the limit of Maurer and Pontil (2009, Theorem 4) at half of the level: with
probability 1 - p the mean of n variables in a range of width w is off by less than

    sqrt(2 V log(2/p)/n) + 7 w log(2/p)/(3 (n - 1)),    V the variance of the sample.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.statistics import region
from dpbandits.audit.statistics.resolution import Resolution, min_caught_violations
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints
from dpbandits.reference.curves import Curve, derived

DIVERGENCE_SHARE = 0.5  # of the level, where a curve speaks of divergences; tests of two errors have the rest
TAIL_CELLS = (1 / 2048, 1 / 512, 1 / 128)  # of the scores, at either end; between them lie even cells
EVEN_CELLS = 32
MAX_MOMENT_EXPONENT = 600.0  # of e; orders that take more are left out
DIVERGENCE_ROUNDING = 1e-9  # relative to a/(a - 1), of sums over at most 1e8 trials
MAIN_SHARE = 0.96  # the share of the level that the most telling test spends; the others share the rest
MINOR_TESTS = 4  # tests that draw the rest of the curve
MAX_CANDIDATE_CUTS = 400  # thresholds looked at on the search trials
MAX_FINALIST_CUTS = 24  # of them are tried with every weight
ALPHA_WEIGHTS = (0.2, 0.35, 0.5, 0.65, 0.8)  # of alpha: what lies between them, or beyond, would save 5 % of the trials
CAUTIOUS_LEVEL = 0.01  # the best of many estimates flatters: each is replaced by its upper limit at this level


class Witness(NamedTuple):
    """The function g, a step function of the score, with its order and its share of the level.

    edges: (cells - 1,) of the scores. gains: g, (cells + 1,), the last for scores that are nan. swapped: whether P is
    the left side. claimed: the number that the curve guarantees at this order; divisor: of the divergence, to give this
    number; at: its place.
    """

    edges: Array
    gains: Array
    order: float
    swapped: bool
    level: float
    claimed: float
    divisor: float
    at: float


def plan_witness(left: Array, right: Array, curve: Curve, fresh: int, level: float) -> Witness | None:
    """Returns the witness that should certify the largest violation with `fresh` fresh trials on each side.
    left, right: the search scores. None for a curve without divergences, and for scores that are all equal."""
    said = derived.divergences(curve)
    pooled = np.concatenate([left, right])
    pooled = pooled[~np.isnan(pooled)]
    if said is None or not len(said.orders) or not len(pooled):
        return None
    ends = np.concatenate([TAIL_CELLS, np.arange(1, EVEN_CELLS) / EVEN_CELLS, 1 - np.array(TAIL_CELLS)])
    edges = np.unique(np.quantile(pooled, np.sort(ends), method="nearest"))
    counts = [counts_in_cells(side, edges) for side in (left, right)]
    shares = [(count + 1) / (count.sum() + len(count)) for count in counts]
    best, most = None, -np.inf
    for swapped in (False, True):
        one, other = (0, 1) if swapped else (1, 0)  # P, Q
        gains = el.log(shares[one]) - el.log(shares[other])
        gains[-1] = 0.0
        for order, claimed, divisor, at in zip(*said, strict=True):
            if order * np.ptp(gains) > MAX_MOMENT_EXPONENT:
                continue
            tried = Witness(edges, gains, float(order), swapped, level, float(claimed), float(divisor), float(at))
            expected_excess = certified_divergence_of_counts(tried, counts[one], counts[other], fresh).amount
            if expected_excess > most:
                best, most = tried, expected_excess
    return best


def counts_in_cells(scores: Array, edges: Array) -> Array:
    """Counts the scores (n,) in each cell, (cells + 1,); the last cell contains the scores that are nan."""
    cells = np.where(np.isnan(scores), len(edges) + 1, np.searchsorted(edges, scores, side="right"))
    return np.bincount(cells, minlength=len(edges) + 2).astype(np.float64)


def certified_divergence(left: Array, right: Array, witness: Witness) -> region.Excess:
    """Certifies from fresh scores, (n,) each, by how much the divergence between left and right exceeds the claim.
    The result is wrong with probability at most the witness's level."""
    p, q = (counts_in_cells(side, witness.edges) for side in ((left, right) if witness.swapped else (right, left)))
    return certified_divergence_of_counts(witness, p, q, len(left))


def certified_divergence_of_counts(witness: Witness, p: Array, q: Array, trials: int) -> region.Excess:
    """Certifies the excess of a divergence over the claim from the numbers of trials in each cell, (cells,) each.
    p, q: the counts on the two sides. trials: the number of trials, which planning may choose."""
    order, most = witness.order, float(witness.gains.max())
    ratio = order / (order - 1)
    least = mean_limit_by_bernstein(el.exp((order - 1) * (witness.gains - most)), p, trials, witness.level / 2, -1.0)
    largest = mean_limit_by_bernstein(el.exp(order * (witness.gains - most)), q, trials, witness.level / 2, 1.0)
    shown = 0.0
    if least > 0:
        divergence = ratio * float(el.log(least)) - float(el.log(largest)) - ratio * DIVERGENCE_ROUNDING
        shown = max(0.0, divergence) / witness.divisor
    return region.Excess(shown - witness.claimed, shown, witness.at)


def mean_limit_by_bernstein(values: Array, counts: Array, trials: int, level: float, sign: float) -> float:
    """A confidence limit for the expectation of a variable, by Bernstein's inequality.
    An upper limit for a sign of 1, a lower one for -1. values, counts: the values of the variable, and how often each
    occurred, (cells,)."""
    shares = counts / counts.sum()
    mean = float((shares * values).sum())
    variance = float((shares * (values - mean) ** 2).sum()) * trials / (trials - 1)
    confidence = float(el.log(2 / level))
    return mean + sign * (
        float(np.sqrt(2 * variance * confidence / trials)) + 7 * float(np.ptp(values)) * confidence / (3 * (trials - 1))
    )


class Event(NamedTuple):
    """The test "right if score >= cut", its share of the level, and the weight of alpha in its region."""

    cut: float
    level: float
    weight: float = region.EVEN_WEIGHT


# The most telling event first, then others; a witness is the last, where the curve speaks of divergences.
Tests = tuple[Event, *tuple[Event | Witness, ...]]


class ScoredTrials(NamedTuple):
    """The input of certification: the scores (trials,) of fresh trials on either side, and tests that were chosen
    without using them."""

    left: Array
    right: Array
    events: Tests


class CertifiedTrials(NamedTuple):
    """The points that fresh trials certify for one pair. All points hold together with confidence 1 - level."""

    points: tuple[region.CertifiedPoint, ...]
    best: region.CertifiedPoint  # the one that says most about the claim
    excess: region.Excess  # what it says, or the witness of a divergence; positive amounts refute
    resolutions: tuple[Resolution, ...]  # what the main test would catch, for mechanisms with a name; at least one
    trials: int  # fresh trials on each side
    level: float
    stopped: str = ""  # after how many trials an audit that stops by itself did so, in words; "" for another one
    stages: tuple[int, ...] = ()  # fresh trials on each side of every stage that was played, of an audit in stages

    @property
    def resolution(self) -> Resolution:
        """The smallest violation that the run could have detected, for the mechanism that is detected best."""
        return min(self.resolutions, key=lambda each: each.value)


def scored_by_search(
    left: Array, right: Array, search: int, curve: Curve, level: float, taught: int = 0
) -> ScoredTrials:
    """The scored trials after the first `search` trials of either side, with the tests that these first trials choose.
    The first `taught` trials taught the score, which looks too good on them, so they choose nothing."""
    events = plan_tests_by_scores(left[taught:search], right[taught:search], curve, len(left) - search, level)
    return ScoredTrials(left[search:], right[search:], events)


def plan_tests_by_scores(left: Array, right: Array, curve: Curve, fresh: int, level: float) -> Tests:
    """Returns the tests that an audit certifies, the most revealing one first.
    If the curve has a divergence, its witness follows. The levels of all add up to `level`.

    left, right: search scores on either side; nan counts for the claim. fresh: the number of fresh trials on each side.
    Raises ValueError if no score is a number.
    """
    pooled = np.unique(np.concatenate([left, right]))
    pooled = pooled[~np.isnan(pooled)]
    if not len(pooled):
        raise ValueError(
            "all scores of the search trials are nan, so no event can be chosen; change the score so that it returns "
            "numbers"
        )
    if len(pooled) > MAX_CANDIDATE_CUTS:
        pooled = pooled[np.unique(np.rint(even_ranks(len(pooled)) * (len(pooled) - 1)).astype(int))]
    wrong = count_errors(left, right, pooled)
    alpha, beta = (
        region.probability_upper_limit(wrong[0], len(left), CAUTIOUS_LEVEL),
        region.probability_upper_limit(wrong[1], len(right), CAUTIOUS_LEVEL),
    )
    if (witness := plan_witness(left, right, curve, fresh, DIVERGENCE_SHARE * level)) is None:
        return plan_tests(pooled, alpha, beta, curve, fresh, level)
    return *plan_tests(pooled, alpha, beta, curve, fresh, level - witness.level), witness


def count_errors(left: Array, right: Array, cuts: Array) -> tuple[Ints, Ints]:
    """The numbers of errors, on the left and on the right, of the tests "right if score >= cut", (cuts,) each.
    A score that is nan is an error on either side."""
    alpha = len(left) - np.searchsorted(np.sort(left), cuts, side="left")  # nan is sorted to the end
    known = np.sort(right[~np.isnan(right)])
    beta = len(right) - len(known) + np.searchsorted(known, cuts, side="left")
    return np.asarray(alpha, dtype=np.int64), np.asarray(beta, dtype=np.int64)


def plan_tests(
    cuts: Array, alpha: Array, beta: Array, curve: Curve, fresh: int, level: float
) -> tuple[Event, *tuple[Event, ...]]:
    """The tests to certify with `fresh` fresh trials on each side.
    alpha, beta: the expected errors of the tests at the cuts, (cuts,)."""
    missed = np.clip(alpha, 0, 1) * fresh, np.clip(beta, 0, 1) * fresh

    def expected_excess(tests: Any, weight: float = region.EVEN_WEIGHT, points: int = region.PLANNED_POINTS) -> Array:
        """Returns by how much the confidence region that is expected for these tests contradicts the claim.
        tests: the indices of the tests."""
        likely = region.planned_region(missed[0][tests], missed[1][tests], fresh, level * MAIN_SHARE, weight, points)
        return np.asarray(region.excess_over_region(curve, likely).amount)

    good = np.argsort(-expected_excess(slice(None), points=1), kind="stable")[:MAX_FINALIST_CUTS]
    every = np.array([expected_excess(good, weight) for weight in ALPHA_WEIGHTS])
    which, place = np.unravel_index(int(every.argmax()), every.shape)
    best = int(good[place])
    nearest = [int(np.argmin(np.abs(error - wanted))) for error in (alpha, beta) for wanted in (0.02, 0.2)]
    others = [place for place in dict.fromkeys(nearest) if place != best]
    rest = level * (1 - MAIN_SHARE) / MINOR_TESTS
    return (
        Event(float(cuts[best]), level * MAIN_SHARE, ALPHA_WEIGHTS[which]),
        *(Event(float(cuts[place]), rest) for place in others),
    )


def even_ranks(size: int) -> Array:
    """Returns ranks in [0, 1] for thresholds: every rank in the tails, and evenly spaced ranks between.
    size: the number of scores."""
    tails = np.arange(60) / size
    return np.concatenate([tails, np.linspace(0, 1, MAX_CANDIDATE_CUTS - 120), 1 - tails])


def certify_tests(left: Array, right: Array, events: Tests, curve: Curve, level: float) -> CertifiedTrials:
    """The points that the tests certify on fresh scores (trials,) of either side.
    A score that is nan is an error of every test, and adds nothing to a witness. Raises ValueError for sides of
    different lengths, and for tests whose levels exceed the level."""
    trials = len(left)
    if len(right) != trials or not trials:
        raise ValueError(
            f"the number of scores is {trials} on the left and {len(right)} on the right; the two numbers must be "
            f"equal and at least 1"
        )
    if sum(event.level for event in events) > level * (1 + 1e-9):
        raise ValueError(
            f"the error probabilities of the events have the sum {sum(event.level for event in events):.3g}; the sum "
            f"must be at most the level {level:.3g}"
        )
    found, tests = [], [event for event in events if isinstance(event, Event)]
    for cut, own, weight in tests:
        alpha, beta = trials - int((left < cut).sum()), trials - int((right >= cut).sum())
        found.append(region.certify_point(alpha, beta, trials, own, weight))
    every = [region.Excess(*map(float, region.excess_over_region(curve, point.region))) for point in found]
    most = max(range(len(every)), key=lambda place: every[place].amount)
    shown = [certified_divergence(left, right, event) for event in events if isinstance(event, Witness)]
    best = max([every[most], *shown], key=lambda each: each.amount)
    main = max(event.level for event in tests)
    return CertifiedTrials(tuple(found), found[most], best, min_caught_violations(curve, trials, main), trials, level)


def certify_two_scores(first: ScoredTrials, second: ScoredTrials, curve: Curve, level: float) -> CertifiedTrials:
    """Returns the points that the tests of two scores of the same fresh trials certify together.
    A union bound over all tests is used. Their resolution is that of the first score."""
    spent = sum(event.level for event in second.events)
    found = [certify_tests(*first, curve, level - spent), certify_tests(*second, curve, spent)]
    best = max(found, key=lambda each: each.excess.amount)
    points = found[0].points + found[1].points
    return best._replace(points=points, resolutions=found[0].resolutions, level=level)


def require_finite(scores: Array, where: str) -> Array:
    """Returns the scores unchanged; raises ValueError if one is not a finite number.
    A test would then be about something else. where: the beginning of the message."""
    bad = np.flatnonzero(~np.isfinite(scores))
    if len(bad):
        raise ValueError(f"{where}: the score of trial {int(bad[0])} is {scores[bad[0]]}; scores must be finite")
    return scores
