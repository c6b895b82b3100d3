"""A certified lower limit of a Renyi divergence from samples: what more than two kinds of outcomes tell at once.

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

from typing import NamedTuple

import numpy as np

from dpbandits.audit.statistics.region import Excess
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.curves import Curve, derived

DIVERGENCE_SHARE = 0.5  # of the level, where a curve speaks of divergences; tests of two errors have the rest
TAIL_CELLS = (1 / 2048, 1 / 512, 1 / 128)  # of the scores, at either end; between them lie even cells
EVEN_CELLS = 32
MAX_EXPONENT = 600.0  # of e; orders that take more are left out
DIVERGENCE_ROUNDING = 1e-9  # relative to a/(a - 1), of sums over at most 1e8 trials


class Witness(NamedTuple):
    """The function g, a step function of the score, and the order for which it is asked; what it may spend.

    edges: (cells - 1,) of the scores. gains: g, (cells + 1,), of which the last is that of scores that are nan.
    swapped: whether P is the left side. claimed: the number that the curve promises there; divisor: of the divergence,
    in that number; at: its place.
    """

    edges: Array
    gains: Array
    order: float
    swapped: bool
    level: float
    claimed: float
    divisor: float
    at: float


def plan_divergence(left: Array, right: Array, curve: Curve, fresh: int, level: float) -> Witness | None:
    """The witness that should say most about the claim with so many fresh trials, by these search scores of either
    side; None for a curve that does not speak of divergences, and for scores that are all the same."""
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
            if order * np.ptp(gains) > MAX_EXPONENT:
                continue
            tried = Witness(edges, gains, float(order), swapped, level, float(claimed), float(divisor), float(at))
            amount = excess_of_counts(tried, counts[one], counts[other], fresh).amount
            if amount > most:
                best, most = tried, amount
    return best


def counts_in_cells(scores: Array, edges: Array) -> Array:
    """How many scores (n,) lie in each cell, (cells + 1,); the last one holds those that are nan."""
    cells = np.where(np.isnan(scores), len(edges) + 1, np.searchsorted(edges, scores, side="right"))
    return np.bincount(cells, minlength=len(edges) + 2).astype(np.float64)


def certified_divergence(left: Array, right: Array, witness: Witness) -> Excess:
    """What fresh scores of either side, (n,) each, certify; wrong with probability at most the witness's level."""
    p, q = (counts_in_cells(side, witness.edges) for side in ((left, right) if witness.swapped else (right, left)))
    return excess_of_counts(witness, p, q, len(left))


def excess_of_counts(witness: Witness, p: Array, q: Array, trials: int) -> Excess:
    """What is certified where the cells hold so many of the trials of P and of Q, (cells,) each; by as many trials as
    are said, which planning may choose."""
    order, most = witness.order, float(witness.gains.max())
    ratio = order / (order - 1)
    least = mean_limit(el.exp((order - 1) * (witness.gains - most)), p, trials, witness.level / 2, -1.0)
    largest = mean_limit(el.exp(order * (witness.gains - most)), q, trials, witness.level / 2, 1.0)
    shown = 0.0
    if least > 0:
        divergence = ratio * float(el.log(least)) - float(el.log(largest)) - ratio * DIVERGENCE_ROUNDING
        shown = max(0.0, divergence) / witness.divisor
    return Excess(shown - witness.claimed, shown, witness.at)


def mean_limit(values: Array, counts: Array, trials: int, level: float, sign: float) -> float:
    """The limit, above the mean for a sign of 1 and below it for -1, of the expectation of a variable with these
    values, (cells,), that came so often."""
    shares = counts / counts.sum()
    mean = float((shares * values).sum())
    variance = float((shares * (values - mean) ** 2).sum()) * trials / (trials - 1)
    confidence = float(el.log(2 / level))
    return mean + sign * (
        float(np.sqrt(2 * variance * confidence / trials)) + 7 * float(np.ptp(values)) * confidence / (3 * (trials - 1))
    )
