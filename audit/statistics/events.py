"""From scores to certified points: the search trials choose the tests, fresh trials certify them.

A test is "right if score >= cut". One of them gets nearly all of the level, and a weight with which the joint region
of its two errors leans to the one that decides; a few others draw the rest of the curve. All this is chosen before a
fresh trial is looked at, so that the region and a union bound are all that a certified point rests on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.statistics.divergence import DIVERGENCE_SHARE, Witness, certified_divergence, plan_divergence
from dpbandits.audit.statistics.region import (
    EVEN,
    OUTLINE,
    CertifiedPoint,
    Excess,
    certify_point,
    excess_over_region,
    outline,
    upper_limit,
)
from dpbandits.audit.statistics.resolution import Resolution, resolutions
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.curves import Curve

MAIN = 0.96  # the share of the level that the most telling test spends; the others share the rest
MINOR_TESTS = 4  # tests that draw the rest of the curve
CANDIDATES = 400  # thresholds looked at on the search trials
FINALISTS = 24  # of them are tried with every weight
ALPHA_WEIGHTS = (0.2, 0.35, 0.5, 0.65, 0.8)  # of alpha: what lies between them, or beyond, would save 5 % of the trials
CAUTION = 0.01  # the best of many estimates flatters: each is replaced by its upper limit at this level


Ints = NDArray[np.int64]


class Event(NamedTuple):
    """The test "right if score >= cut", what it may spend, and the weight of alpha in its region."""

    cut: float
    level: float
    weight: float = EVEN


class Scored(NamedTuple):
    """What certification needs: the scores (trials,) of fresh trials on either side, and tests that were chosen without
    a look at them."""

    left: Array
    right: Array
    events: tuple[Any, ...]  # an Event each; and behind them a Witness, where the curve speaks of divergences


class Sampled(NamedTuple):
    """What fresh trials certified about one pair. All points hold together with confidence 1 - level."""

    points: tuple[CertifiedPoint, ...]
    best: CertifiedPoint  # the one that says most about the claim
    excess: Excess  # what it says, or the witness of a divergence; positive amounts refute
    resolutions: tuple[Resolution, ...]  # what the main test would catch, for mechanisms with a name; at least one
    trials: int  # fresh trials on each side
    level: float
    stopped: str = ""  # after how many trials an audit that stops by itself did so, in words; "" for another one

    @property
    def resolution(self) -> Resolution:
        """What the run could have seen of the mechanism that is seen best."""
        return min(self.resolutions, key=lambda each: each.value)


def scored_by_search(left: Array, right: Array, search: int, curve: Curve, level: float, taught: int = 0) -> Scored:
    """The first `search` trials of either side choose the tests, the others are fresh; the first `taught` of them have
    made the score, which looks best there, and choose nothing."""
    events = choose_thresholds(left[taught:search], right[taught:search], curve, len(left) - search, level)
    return Scored(left[search:], right[search:], events)


def scored_by_law(
    left: Array, right: Array, cuts: Array, errors: tuple[Array, Array], curve: Curve, level: float
) -> Scored:
    """The law has made the score, and says which errors (alpha, beta) to expect at each cut: all trials are fresh."""
    return Scored(left, right, plan_events(cuts, *errors, curve, len(left), level))


def choose_thresholds(left: Array, right: Array, curve: Curve, fresh: int, level: float) -> tuple[Any, ...]:
    """The tests that an audit certifies, the most telling one first, and behind them the witness of a divergence where
    the curve speaks of any; their levels add up to `level`.

    left, right: search scores on either side, of which nan counts for the claim. fresh: how many trials a side will
    certify. Raises ValueError where no score is a number.
    """
    pooled = np.unique(np.concatenate([left, right]))
    pooled = pooled[~np.isnan(pooled)]
    if not len(pooled):
        raise ValueError("no score of the search trials is a number: nothing can be tested")
    if len(pooled) > CANDIDATES:
        pooled = pooled[np.unique(np.rint(even_ranks(len(pooled)) * (len(pooled) - 1)).astype(int))]
    wrong = counts(left, right, pooled)
    alpha, beta = upper_limit(wrong[0], len(left), CAUTION), upper_limit(wrong[1], len(right), CAUTION)
    if (witness := plan_divergence(left, right, curve, fresh, DIVERGENCE_SHARE * level)) is None:
        return plan_events(pooled, alpha, beta, curve, fresh, level)
    return *plan_events(pooled, alpha, beta, curve, fresh, level - witness.level), witness


def counts(left: Array, right: Array, cuts: Array) -> tuple[Ints, Ints]:
    """The errors of the tests at these cuts, (cuts,) each; a score that is nan is an error on either side."""
    alpha = len(left) - np.searchsorted(np.sort(left), cuts, side="left")  # nan is sorted to the end
    known = np.sort(right[~np.isnan(right)])
    beta = len(right) - len(known) + np.searchsorted(known, cuts, side="left")
    return np.asarray(alpha, dtype=np.int64), np.asarray(beta, dtype=np.int64)


def plan_events(cuts: Array, alpha: Array, beta: Array, curve: Curve, fresh: int, level: float) -> tuple[Event, ...]:
    """The tests worth certifying with so many fresh trials, where these errors (cuts,) are to be expected."""
    missed = np.clip(alpha, 0, 1) * fresh, np.clip(beta, 0, 1) * fresh

    def amount(some: Any, weight: float = EVEN, points: int = OUTLINE) -> Array:
        likely = outline(missed[0][some], missed[1][some], fresh, level * MAIN, weight, points)
        return np.asarray(excess_over_region(curve, likely).amount)

    good = np.argsort(-amount(slice(None), points=1), kind="stable")[:FINALISTS]
    every = np.array([amount(good, weight) for weight in ALPHA_WEIGHTS])
    which, place = np.unravel_index(int(every.argmax()), every.shape)
    best = int(good[place])
    nearest = [int(np.argmin(np.abs(error - wanted))) for error in (alpha, beta) for wanted in (0.02, 0.2)]
    others = [place for place in dict.fromkeys(nearest) if place != best]
    rest = level * (1 - MAIN) / MINOR_TESTS
    return (
        Event(float(cuts[best]), level * MAIN, ALPHA_WEIGHTS[which]),
        *(Event(float(cuts[place]), rest) for place in others),
    )


def even_ranks(size: int) -> Array:
    """Every rank in the tails, even steps between; in [0, 1]."""
    tails = np.arange(60) / size
    return np.concatenate([tails, np.linspace(0, 1, CANDIDATES - 120), 1 - tails])


def certify(left: Array, right: Array, events: tuple[Any, ...], curve: Curve, level: float) -> Sampled:
    """What these tests certify on fresh scores (trials,) of either side. A score that is nan is an error of every test,
    and says nothing to a witness. Raises ValueError for sides of different lengths, and for tests that spend more than
    the level."""
    trials = len(left)
    if len(right) != trials or not trials:
        raise ValueError(f"{trials} scores on the left and {len(right)} on the right: as many are needed, at least one")
    if sum(event.level for event in events) > level * (1 + 1e-9):
        raise ValueError(f"the tests spend {sum(event.level for event in events):.3g} of a level of {level:.3g}")
    found, tests = [], [event for event in events if isinstance(event, Event)]
    for cut, own, weight in tests:
        alpha, beta = trials - int((left < cut).sum()), trials - int((right >= cut).sum())
        found.append(certify_point(alpha, beta, trials, own, weight))
    every = [Excess(*map(float, excess_over_region(curve, point.region))) for point in found]
    most = max(range(len(every)), key=lambda place: every[place].amount)
    shown = [certified_divergence(left, right, event) for event in events if isinstance(event, Witness)]
    best = max([every[most], *shown], key=lambda each: each.amount)
    main = max(event.level for event in tests)
    return Sampled(tuple(found), found[most], best, resolutions(curve, trials, main), trials, level)


def require_finite(scores: Array, where: str) -> Array:
    """The scores. Raises ValueError where one is not a finite number: a test of it would be about something else."""
    bad = np.flatnonzero(~np.isfinite(scores))
    if len(bad):
        raise ValueError(f"{where}: the score of trial {int(bad[0])} is {scores[bad[0]]}, which is no finite number")
    return scores
