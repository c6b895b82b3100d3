"""A test martingale against a privacy claim: a capital that grows by bets on fresh trials, and may be inspected after
every batch.

Before a batch is drawn, earlier trials choose two tests: score >= high, which names the right side, and score < low,
which names the left side. For either test a claim guarantees p <= e^eps q + delta at every eps, where p is the
probability of this event on the side that it names, and q its probability on the other side. Let p0 >= e^eps q0 +
delta, a >= 0 and c = a e^eps. A pair of fresh trials, one of either side, multiplies the capital by

    (1 + a (r - p0) - c' (r' - q0')) (1 - c (l - q0) + a' (l' - p0')),

where r and l indicate whether the right's and the left's trial have a score >= high, r' and l' whether theirs is < low,
and primes mark the second test's numbers. If no factor can be negative, its expectation is (1 + R)(1 + L) with

    R + L = a (p - p0 - e^eps (q - q0)) + a' (p' - p0' - e^eps' (q' - q0')) <= 0

if the claim holds, so at most ((2 + R + L)/2)^2 <= 1. The whole capital is staked again: it is a supermartingale for
any tests and numbers of the batches that depend only on earlier trials. By Ville's inequality it ever exceeds 1/risk
with probability at most `risk`: one may inspect it, and stop, after every batch.

The point (p0, q0) is the nearest one to the expected probabilities (in Kullback-Leibler divergence), so that the
capital grows as fast as any bet on one test can (Turner, Ly and Gruenwald 2024). Because the probabilities are only
estimated, several players each stake a fraction of this bet; the evidence is the mean of their capitals, also a
supermartingale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from math import inf, nextafter
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from dpbandits.audit.statistics.events import count_errors
from dpbandits.audit.statistics.region import probability_upper_limit
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints
from dpbandits.reference.curves import Curve, derived

BET_SHARES = np.array([0.25, 0.5, 1.0])  # shares of the fastest bets, a player each
BET_SLOPES = np.concatenate([[0.0], el.geometric(0.01, 20.0, 60)])  # eps of the promises that are looked at
# Of the search for the point: what they miss costs growth, and no validity.
POINT_ROUNDS, MIN_EDGE_SHARE, MIN_CHANCE = 8, 1e-9, 1e-300
MAX_CUTS = 120  # at which tests are looked at
POINT_SLACK = 1e-12  # relative: p0 errs on the claim's side, against rounding
MAX_CAPITAL_LOST = 0.999  # of the capital, by one trial
CUT_RANKS = ndtr(np.linspace(-3.5, 3.5, MAX_CUTS))  # their ranks: close in the tails
CLAIM_SHARE = 0.9  # of the risk is for the claimed number, which decides; numbers below it share the rest
DOUBT_LEVEL = 0.1  # the level of the limits by which tests are compared, each the best of many on few trials
# Numbers that are certified, as multiples of the claimed one, or of LEAST_CLAIM: fixed, and asked in turn from below.
SMALLER_CLAIMS = (0.9, 0.7, 0.4, 0.0)  # of the claimed number
MULTIPLES, LEAST_CLAIM = np.concatenate([np.arange(1, 20) / 20, 1.02 ** np.arange(160)]), 0.1


class NamingTests(NamedTuple):
    """The two tests of a batch: scores from `high` on name the right side, scores below `low` the left side. called:
    the expected probabilities, (2, 2): for each test, that it names the side correctly, and that it names it on the
    other side."""

    high: float
    low: float
    called: Array


class BetBatch(NamedTuple):
    """The counts of a batch. tests: chosen before its trials were drawn. left, right: the number of scores of either
    side's fresh trials below, between and above the two cuts, (3,)."""

    tests: NamingTests
    left: Ints
    right: Ints


def bet_batch(tests: NamingTests, left: Array, right: Array) -> BetBatch:
    """Counts the scores of a batch below, between and above the two thresholds of the tests, on either side.
    left, right: the scores, (trials,)."""
    edges = sorted((tests.low, tests.high))
    found = [np.bincount(np.searchsorted(edges, scores, side="right"), minlength=3) for scores in (left, right)]
    return BetBatch(tests, found[0], found[1])


class Bet(NamedTuple):
    """A bet on one test: a, c, p0, q0, as in the module's docstring."""

    a: float
    c: float
    p0: float
    q0: float


def fastest_bet(eps: Array, delta: Array, p: float, q: float) -> Bet:
    """Returns the bet with the fastest growth against one of the guarantees (eps, delta), (m,) each.
    p, q: the probabilities of the test, in (0, 1)."""
    q0, growth = nearest_point(np.array([p]), np.array([q]), eps, delta)
    place = int(growth.argmax())
    factor, at = float(el.exp(eps[place])), float(q0[place])
    p0 = min(1.0, (factor * at + float(delta[place])) * (1 + POINT_SLACK))
    a = max(0.0, (p - p0) / (p0 * (1 - p0))) if growth[place] > 0 and 0 < p0 < 1 else 0.0
    return Bet(a, a * factor, p0, at)


def log_capital(curve: Curve, batch: BetBatch) -> Array:
    """Returns the logarithm of the factor by which each player's capital grows in this batch, (players,)."""
    eps, delta = guaranteed_pairs(curve)
    one, other = (fastest_bet(eps, delta, p, q) for p, q in batch.tests.called.tolist())
    high = np.array([0, batch.tests.high < batch.tests.low, 1])  # of scores below, between and above the cuts
    low = np.array([1, batch.tests.high < batch.tests.low, 0])
    right = one.a * (high - one.p0) - other.c * (low - other.q0)
    left = other.a * (low - other.p0) - one.c * (high - one.q0)
    most = max(1.0, -float(min(right.min(), left.min())) / MAX_CAPITAL_LOST)
    won = [el.log1p(np.outer(BET_SHARES, side / most)) for side in (left, right)]
    return np.asarray(won[0] @ batch.left + won[1] @ batch.right)


def guaranteed_pairs(curve: Curve) -> tuple[Array, Array]:
    """Pairs (eps, delta) that the claim guarantees, as two arrays (m,): at the claimed eps, or at many."""
    claimed, at = curve.claimed_parameters()
    eps = claimed if derived.parameter_name(curve) == "eps" and len(at) == 1 else BET_SLOPES
    return eps, np.asarray(curve.delta_at(eps), dtype=np.float64)


def nearest_point(p: Array, q: Array, eps: Array, delta: Array) -> tuple[Array, Array]:
    """The nearest point at which a guarantee holds with equality, p0 = e^eps q0 + delta, approximately.
    It is nearest to probabilities p and q, (n,), for guarantees (m,). Returns q0 and the distance, both (n, m) but for
    n = 1, then (m,); the distance is 0 if the probabilities satisfy the guarantee. Distances are squares divided by the
    variances at the point itself."""
    factor = el.exp(eps)
    p, q = (np.repeat(each[:, None], len(eps), axis=1) for each in (p, q))
    most = np.maximum(0.0, 1 - delta) / factor
    p0, q0 = p, q
    for _ in range(POINT_ROUNDS):
        weight, other = factor * q0 * (1 - q0), p0 * (1 - p0)
        q0 = (weight * (p - delta) + other * q) / np.maximum(weight * factor + other, MIN_CHANCE)
        q0 = np.clip(q0, most * MIN_EDGE_SHARE, most * (1 - MIN_EDGE_SHARE))
        p0 = factor * q0 + delta
    both = [(p, p0), (1 - p, 1 - p0), (q, q0), (1 - q, 1 - q0)]
    logs = [tuple(el.log(np.maximum(each, MIN_CHANCE)) for each in pair) for pair in both]
    far = sum(one * (log - other) for (one, _), (log, other) in zip(both, logs, strict=True))
    growth = np.where(p > factor * q + delta, np.maximum(far, 0.0), 0.0)
    return (q0[0], growth[0]) if len(q0) == 1 else (q0, growth)


def log_betting_evidence(curve: Curve, batches: Sequence[BetBatch]) -> float:
    """Returns the logarithm of the evidence that all batches together give against a claim."""
    return log_mean_capital(sum((log_capital(curve, each) for each in batches), np.zeros(len(BET_SHARES))))


def log_mean_capital(won: Array) -> float:
    """Returns the logarithm of the players' mean capital. won: the logarithm of each player's capital, (players,)."""
    return float(np.logaddexp.reduce(won) - np.log(len(won)))


def refutes(evidence: float, risk: float) -> bool:
    """Whether evidence with this logarithm refutes a claim.
    risk: an upper bound on the probability that a true claim is refuted."""
    return bool(evidence >= -np.log(risk))


def plan_naming_tests(left: Array, right: Array, curve: Curve) -> tuple[NamingTests, float]:
    """Returns the tests on which bets grow fastest, and a cautious estimate of this growth.
    left, right: the scores of either side, which choose the tests."""
    pooled = np.unique(np.concatenate([left, right]))
    if len(pooled) > MAX_CUTS:
        pooled = pooled[np.unique(np.rint(CUT_RANKS * (len(pooled) - 1)).astype(int))]
    alpha, beta = count_errors(left, right, pooled)
    trials = len(left)
    limits = probability_upper_limit(alpha, trials, DOUBT_LEVEL), probability_upper_limit(beta, trials, DOUBT_LEVEL)
    found = growth_per_cut(curve, *limits)
    likely = found
    for share in SMALLER_CLAIMS:  # where nothing tells against the claim: what tells against a smaller one
        if likely.any():
            break
        likely = growth_per_cut(claim_with_number(curve, share * float(curve.claimed_parameters()[0][0])), *limits)
    high, low = (int(place) for place in likely.argmax(axis=1))
    called = [
        [1 - smoothed_chance(beta[high], trials), smoothed_chance(alpha[high], trials)],
        [1 - smoothed_chance(alpha[low], trials), smoothed_chance(beta[low], trials)],
    ]
    return NamingTests(float(pooled[high]), float(pooled[low]), np.array(called)), float(found.max(axis=1).sum())


def growth_per_cut(curve: Curve, alpha: Array, beta: Array) -> Array:
    """Returns the growth of the capital that bets on either test, for every cut of the scores, (2, cuts).
    alpha, beta: the errors of the tests at the cuts, (cuts,)."""
    every = [
        nearest_point(1 - one, other, *guaranteed_pairs(curve))[1] for one, other in ((beta, alpha), (alpha, beta))
    ]
    return np.stack([each.reshape(len(alpha), -1).max(axis=1) for each in every])


def smoothed_chance(errors: Array, trials: int) -> Array:
    """Estimates the probability of an error from the number of times it occurred: never 0, and never 1."""
    return (errors + 0.5) / (trials + 1)


def claims_by_number(curve: Curve) -> Iterator[tuple[float, Curve]]:
    """Yields (parameter, claim with this parameter) for increasing parameters, including the claimed one."""
    (claimed,), _ = curve.claimed_parameters()
    for number in np.union1d([float(claimed)], max(LEAST_CLAIM, float(claimed)) * MULTIPLES).tolist():
        yield number, claim_with_number(curve, number)


def claim_with_number(curve: Curve, number: float) -> Curve:
    """Returns the claimed curve restated with this parameter."""
    changed: Curve = replace(curve, **{derived.parameter_name(curve): number})  # type: ignore[type-var]
    return changed


Evidence = Callable[[Curve, Sequence[BetBatch]], float]  # the logarithm of an e-value against a claim


def certified_number(
    curve: Curve, batches: Sequence[BetBatch], risk: float, evidence: Evidence = log_betting_evidence
) -> float:
    """A lower bound on the true number, wrong with probability at most the risk, at any stopping time.
    If the claim is refuted at CLAIM_SHARE of the risk: numbers above the claimed one are tested in increasing order,
    and the bound is the last one of those refuted without interruption. Otherwise: the largest number that is refuted
    together with all smaller ones, at the remaining risk, or 0.

    A true number above the claimed one is missed only if the first tested number that is not smaller is refuted; that
    is a single true claim, whatever was observed. Any other true number is missed only if it is refuted itself, or the
    claim is, each at its own share of the risk.
    """
    (claimed,), every = curve.claimed_parameters()[0].tolist(), list(claims_by_number(curve))
    at_least = [each for each in every if each[0] >= claimed]
    above = last_refuted_number(at_least, batches, CLAIM_SHARE * risk, evidence)
    if above is not None:
        return max(above, nextafter(claimed, inf))
    return last_refuted_number(every, batches, (1 - CLAIM_SHARE) * risk, evidence) or 0.0


def last_refuted_number(
    claims: Sequence[tuple[float, Curve]], batches: Sequence[BetBatch], risk: float, evidence: Evidence
) -> float | None:
    """Returns the largest of the tested parameters that is refuted together with all smaller ones.
    None if the first is not refuted. claims: (parameter, claim with this parameter), increasing. evidence: computes the
    evidence against such a claim."""
    refuted = takewhile(lambda each: refutes(evidence(each[1], batches), risk), claims)
    return max((number for number, _ in refuted), default=None)
