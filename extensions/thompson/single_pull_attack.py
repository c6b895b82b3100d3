"""A lower bound on the eps of Thompson sampling with many arms, by the event that the changed arm is pulled once and
never again.

All other arms pay 1. Soon there are many of them, each with a few pulls, and the largest of their samples lies far
above what two arms allow: a threshold that is nearly certain, and falls slowly as they are pulled more often. The
changed arm was pulled once and paid 0 or 1 (relation "round": the arm of the first round, in which all arms pay 0 or
all pay 1). That it is never pulled again is rare where it paid 0, and much rarer where it paid 1.

Its chance is a mean over runs of the other arms. Let p_t and q_t be the chances, on the two sides, that round t pulls
the changed arm, given how often the others were pulled; these are integrals, not samples. Along a run of the left side
that is led past the changed arm (samples are drawn until another arm's is the largest),

    P_left(event) = E W,  W = prod (1 - p_t),        P_right(event with W' <= w) <= w,  W' = prod (1 - q_t).

So the event "alone, and W' <= w" has at most the chance w on the right, whatever the runs, and at least a P(W >= a and
W' <= w) on the left, which is a frequency: Clopper and Pearson bound it from below. a and w are chosen on runs of their
own. What is told is certified up to `risk`, and the law of the draws.

The trapezoidal rule of step h, in deviations of the changed arm, is off by 2 e^(-2 pi^2/(h^2 B)), B = 1 + the sum of (m
+ 1)/2 over the other arms with m pulls (see `chance_of_largest` of run_checker/pull_chances.py), at most 1 + (T + K)/2.
That is WRONG, absolutely; so 1 - p_t is rounded down by it and 1 - q_t up, which counts where the other arms hardly
ever win.
"""

from __future__ import annotations

from math import log, pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, log_ndtr

from dpbandits.extensions.thompson.rules import Sampler, checked_sampler
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.linear import matrix_product
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

WRONG = 1e-11  # of a chance p_t: its integral
MAX_DEVIATIONS = 9.0  # deviations: what lies beyond has probability 2e-19
PATHS = 400  # a quarter of them choose a and w
RISK = 1e-9


class SinglePullAttack(NamedTuple):
    """An attack that shows, up to an error probability, that the sampler is not private at delta for any smaller eps.
    left: a lower bound on the event's probability where the arm paid 0; right: an upper bound where it paid 1; both as
    logs."""

    eps: float
    left: float
    right: float


def single_pull_attack(
    sampler: Sampler, relation: str, delta: float, seed: int = 0, paths: int = PATHS, risk: float = RISK
) -> SinglePullAttack:
    """Returns the certified attack by the event that the changed arm is never pulled again after its first pull.
    Its eps is 0 if the event has a probability below delta.

    Raises ValueError for fewer than three arms, an unknown number of arms, pre-pulls, or another relation.
    """
    T, K, b, _ = checked_sampler(sampler)
    if K is None or K < 3 or b or relation not in ("pull", "round") or T < 3:
        raise ValueError(
            "single_pull_attack needs three arms or more, no pre-pulls, T >= 3 and the relation 'pull' or 'round'; "
            f"it got {sampler}, {relation!r}"
        )
    return attack_of_log_weights(simulate_log_weights(sampler, relation, seed, paths), delta, risk)


def attack_of_log_weights(logs: Array, delta: float, risk: float = RISK) -> SinglePullAttack:
    """Returns the attack whose eps these simulated weights certify, with an error probability of at most `risk`.
    A quarter of the runs chooses the event, and the others count it. logs: as of `simulate_log_weights`, (2, runs)."""
    paths = logs.shape[1]
    few = paths // 4
    a, w = best_cutoffs(logs[:, :few], delta)
    both = int(((logs[0, few:] >= a) & (logs[1, few:] <= w)).sum())
    if both == 0:
        return SinglePullAttack(0.0, -np.inf, 0.0)
    share = float(betaincinv(both, paths - few - both + 1, risk))
    left, right = a + log(share), w
    gain = el.exp(left) - delta
    return SinglePullAttack(max(log(gain) - right, 0.0) if gain > 0 else 0.0, left, right)


def best_cutoffs(logs: Array, delta: float) -> tuple[float, float]:
    """Returns the two cutoffs log a and log w of the event W >= a, W' <= w that certifies the largest eps.
    These runs certify it."""
    best, found = -np.inf, (0.0, 0.0)
    for a in np.quantile(logs[0], np.linspace(0, 0.9, 19), method="lower").tolist():
        for w in np.quantile(logs[1], np.linspace(0.1, 1, 19), method="higher").tolist():
            chance = el.exp(a) * float(((logs[0] >= a) & (logs[1] <= w)).mean()) - delta
            if chance > 0 and log(chance) - w > best:
                best, found = log(chance) - w, (a, w)
    return found


def simulate_log_weights(sampler: Sampler, relation: str, seed: int, paths: int) -> Array:
    """Simulates runs on the left table whose changed arm is pulled only once; returns the logs of their weights.
    Returns the logs of the weights W, rounded down, and W', rounded up (see the module): (2, paths)."""
    T, K, _, c = sampler
    assert K is not None
    generator = np.random.default_rng(seed)
    deviation, size = sqrt(c / 2), 1 + (T + K) / 2
    ratios, density = abscissas(deviation, deviation * min(pi * sqrt(2 / (size * log(2 / WRONG))), 0.25))
    behind = np.stack([log_ndtr((ratios - m / (m + 1)) * sqrt((m + 1) / c)) for m in range(T)])  # by pulls
    pulls = np.zeros((paths, K - 1), dtype=np.int64)
    many = np.zeros((paths, T + 1))  # how many other arms were pulled so often
    many[:, 0] = K - 1
    pulled = np.full(paths, relation == "round")
    logs = np.zeros((2, paths))
    aside = np.array([[-WRONG], [WRONG]])
    rows = np.arange(paths)
    for _ in range(1 if relation == "round" else 0, T):
        top = int(pulls.max()) + 1
        chances = matrix_product(el.exp(matrix_product(many[:, :top], behind[:top])), density)
        with np.errstate(divide="ignore"):
            passed = el.log(np.maximum(1 - chances.T + aside, 0.0))
        logs += np.where(pulled, passed, 0.0)
        arm = next_arms(pulls, pulled, c, generator)
        moved = rows[arm >= 0]
        many[moved, pulls[moved, arm[moved]]] -= 1
        pulls[moved, arm[moved]] += 1
        many[moved, pulls[moved, arm[moved]]] += 1
    logs[0, ~pulled] = -np.inf
    return logs


def abscissas(deviation: float, step: float) -> tuple[Array, Array]:
    """Returns the nodes of a trapezoidal rule, and the density of the changed arm's sample at them on both sides.
    The density is given on both sides, times the step."""
    ratios = np.arange(-MAX_DEVIATIONS * deviation, 0.5 + MAX_DEVIATIONS * deviation + step, step)
    dense = [
        el.exp(-(((ratios - mean) / deviation) ** 2) / 2) * step / (deviation * sqrt(2 * pi)) for mean in (0.0, 0.5)
    ]
    return ratios, np.stack(dense, axis=1)


def next_arms(pulls: Ints, pulled: NDArray[np.bool_], c: float, generator: np.random.Generator) -> Ints:
    """Draws, for each run, the index of the arm that it pulls next among the other arms, (paths,).
    -1 if the run pulls the changed arm for the first time, which is recorded in `pulled`. If the changed arm was pulled
    before, samples in which it wins are drawn anew."""
    deviation, paths = sqrt(c / 2), len(pulls)
    rows, arm, waiting = np.arange(paths), np.full(paths, -1), np.ones(paths, dtype=bool)
    while waiting.any():
        some = rows[waiting]
        noise = generator.standard_normal((some.size, pulls.shape[1]))
        samples = pulls[some] / (pulls[some] + 1) + np.sqrt(c / (pulls[some] + 1)) * noise
        own = np.where(pulled[some], deviation, sqrt(c)) * generator.standard_normal(some.size)
        best = samples.argmax(axis=1)
        beaten = samples[np.arange(some.size), best] > own
        arm[some[beaten]] = best[beaten]
        first = some[~beaten & ~pulled[some]]  # the pull that makes the difference
        waiting[some[beaten]] = False
        waiting[first] = False
        pulled[first] = True
    return arm
