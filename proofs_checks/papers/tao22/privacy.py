"""Exact privacy of what Algorithms 1, 2, 3 and 4 release besides arms: noisy p-sums, noisy means, messages.

All noise is Laplace and independent. So the log-ratio of the densities of a release is a sum over noisy numbers, each
of which contributes at most shift/scale, and all of them at once where every number lies beyond both centres: the
supremum is the sum of shift/scale. Shifts and scales are measured on the algorithms themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dpbandits.proofs_checks.judge.reductions import Lemma, Reduction, encloses
from dpbandits.proofs_checks.papers.tao22.arguments import Evidence, argued
from dpbandits.reference.noise import Array
from dpbandits.reference.papers.tao22 import DPRSE, DPRUCB, Elimination, Randomizer, Tree
from dpbandits.reference.papers.tao22.tree import binary_log, natural_log, trailing_zeros, whole_levels
from dpbandits.reference.vocabulary import Number, Vocabulary

PLAYED = (*range(2, 40), 63, 64, 65, 100, 127, 128, 129)  # horizons; the argument serves all
ROUNDING = 1e-9


class Constant:
    """Laplace noise that is always the same number."""

    def __init__(self, trials: int, value: float = 0.0) -> None:
        self.trials, self.value = trials, value

    def laplace(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return np.full((self.trials, *shape), self.value)

    normal = uniform = laplace


def tree_losses(tree: Any, bounds: Array) -> Array:
    """The supremum of the privacy loss when item t of a stream goes from B_t to -B_t, for every t, (items,): the sum of
    shift/scale over all noisy p-sums. bounds: B_1, ..., B_n, non-decreasing."""
    n = len(bounds)
    sums, loss = tree.empty(n), np.zeros(n)
    for time in range(1, n + 1):
        items = np.where(np.arange(n) == time - 1, bounds[time - 1], 0.0)  # stream t holds B_t at time t, else 0
        sums = tree.insert(sums, items, bounds[time - 1], 1.0)
        written = int(trailing_zeros(np.array([time]))[0])
        exact, noisy = sums.exact[:, written], sums.noisy[:, written]
        loss += 2 * np.abs(exact) / (noisy - exact)
    return np.asarray(loss)


LOGS: Mapping[str, Callable[[int], float]] = {
    "log to the base e": natural_log,
    "log to the base 2": binary_log,
    "floor(log2 T) + 1": whole_levels,
}


def equal_bounds() -> tuple[bool, Evidence]:
    """Lemma 2 with B_t = 1, eps = 1: three readings of line 4."""
    rows, fits = [], True
    for horizon in PLAYED:
        found = [float(tree_losses(Tree(horizon, 1.0, log), np.ones(horizon)).max()) for log in LOGS.values()]
        levels = horizon.bit_length()
        fits &= all(
            abs(loss - levels / log(horizon)) < ROUNDING for loss, log in zip(found, LOGS.values(), strict=True)
        )
        if horizon in (2, 3, 4, 7, 8, 16, 64, 128):
            rows.append([horizon, *found])
    return fits, table("The exact eps of Algorithm 2 at eps = 1, B_t = 1", rows)


def table(title: str, rows: list[list[float]]) -> Evidence:
    return {"kind": "table", "title": title, "columns": ["T", *LOGS], "rows": rows}


def ucb_losses(horizon: int, v: float, log: Callable[[int], float], arms: int = 2) -> float:
    """The exact eps of Algorithm 1's noisy p-sums at eps = 1: its longest stream has T - K + 1 items."""
    policy = DPRUCB(arms, horizon, 1.0, v, 1.0, log)
    counts = np.arange(1.0, horizon - arms + 2)
    return float(tree_losses(policy.tree, np.asarray(policy.threshold(counts))).max())


def growing_bounds() -> tuple[bool, Evidence]:
    """Theorem 1 for K = 2 at v = 1, the worst: to the base 2 at most eps from T = 4 on."""
    rows, fits = [], True
    for horizon in PLAYED[2:]:
        found = [ucb_losses(horizon, 1.0, log) for log in LOGS.values()]
        fits &= found[1] <= 1 + ROUNDING
        fits &= ucb_losses(horizon, 0.5, binary_log) <= found[1] + ROUNDING
        if horizon in (4, 5, 9, 17, 33, 65, 129):
            rows.append([horizon, *found])
    return fits, table("The exact eps of Algorithm 1's noisy p-sums at eps = 1, v = 1, K = 2", rows)


def partial_sum(m: Vocabulary, terms: int) -> Number:
    """1 + 2^{-1/2} + ... of so many terms."""
    return sum((1 / m.sqrt(m.number(2**j)) for j in range(terms)), start=m.number(0))


def base_2(m: Vocabulary, x: int) -> Number:
    return m.log(m.number(x)) / m.log(m.number(2))


THEOREM_1 = Reduction(
    "An arm is pulled at most N = T - K + 1 <= T - 1 times; let 2^{k-1} <= N < 2^k, so that T > 2^{k-1}. Its reward t "
    "lies in at most one noisy p-sum of each level 0, ..., k-1, at times s >= t, and costs (eps/log2 T) B_t/B_s there, "
    "with B_t/B_s = (t/s)^{1/(1+v)} <= sqrt(t/s). Only t = 1 lies in one of each level: the p-sum of level k-1 is that "
    "of time 2^{k-1} and the one of level j before it ends 2^j earlier, back to 1. Any other reward costs at most k - "
    "1 < log2 T shares. Reward 1 costs 1 + 2^{-1/2} + ... + 2^{-(k-1)/2}, which the steps compare with log2 T. Arms "
    "are chosen from noisy p-sums, which is post-processing, and a reward enters one arm's tree.",
    (
        encloses("k = 1, T >= 2", lambda m: partial_sum(m, 1), lambda m: m.number(1), {}),
        encloses("k = 2, T >= 4", lambda m: partial_sum(m, 2), lambda m: m.number(2), {}),
        encloses("k = 3, T >= 5", lambda m: partial_sum(m, 3), lambda m: base_2(m, 5), {}),
        encloses("k = 4, T >= 9", lambda m: partial_sum(m, 4), lambda m: base_2(m, 9), {}),
        encloses(
            "k >= 5, T >= 17: the whole series",
            lambda m: 1 / (1 - 1 / m.sqrt(m.number(2))),
            lambda m: base_2(m, 17),
            {},
        ),
    ),
)
LEMMA_2 = Reduction(
    "S-hat(t) is S-hat(t - 2^i) plus the noisy p-sum that is made at time t, i the place of the lowest 1 of t, so the "
    "output and the noisy p-sums determine each other. An item lies in at most one p-sum of each of the levels 0, ..., "
    "floor(log2 T), and the first one in the p-sums of the times 1, 2, 4, ...: one of each. From B to -B it costs "
    "eps/log T in each, and nothing costs more.",
    (),
)

# -- Algorithm 3: each reward once ---------------------------------------------------------------------------------

EPOCHS, IMPULSE = 5, 1e-12


def each_reward_once(policy: Elimination | None = None) -> tuple[bool, Evidence]:
    """Trial e has one reward that is not 0, in epoch e: only the means of that epoch may see it, with weight 1/R."""
    policy = DPRSE(2, 10**9, 1.0, 1.0, 1e-9) if policy is None else policy
    state, quiet = policy.init(EPOCHS), Constant(EPOCHS)
    rows, fits = [], True
    for epoch in range(EPOCHS):
        pulls = policy.act(epoch + 1, state, quiet)
        sums = np.zeros((EPOCHS, 2))
        sums[epoch, 0] = IMPULSE
        state = policy.learn(epoch + 1, state, pulls, sums, quiet)
        now = policy.numbers(state.epoch, state.active)
        means = policy.means(epoch + 2, state, now, quiet)
        wanted = sums / now.length
        fits &= bool(np.allclose(means, wanted, rtol=ROUNDING, atol=0) and state.active.all())
        rows.append([epoch + 1, float(now.length[0, 0]), int((means != 0).sum())])
    columns = ["epoch", "R", "means that hold the reward of this epoch or an earlier one"]
    return fits, {"kind": "table", "title": "Played on Algorithm 3", "columns": columns, "rows": rows}


ONCE = Reduction(
    "Line 6 sets the means to 0 at the start of every epoch, and line 18 takes the mean of the R_tau rewards of this "
    "epoch; no line reads a reward of an earlier one. An epoch that the horizon cuts releases no mean.",
    (),
)


# -- Algorithm 3: what the arms tell -------------------------------------------------------------------------------


def two_arms_told() -> tuple[bool, Evidence]:
    """The log-ratio of "arm 1 goes after the first epoch" for two tables that differ in one reward, by the numbers of
    the algorithm and the tail of the difference of two Laplace variables, against the closed form."""
    rows, fits = [], True
    for eps, v, u, horizon in (
        (1.0, 1.0, 1.0, 10**9),
        (0.1, 1.0, 1e-4, 10**6),
        (1.0, 0.5, 1e-3, 10**6),
        (3.0, 1.0, 1e-6, 100),
    ):
        policy = DPRSE(2, horizon, eps, v, u)
        now = policy.numbers(np.array([1]), np.ones((1, 2), dtype=bool))
        length, bound, err = (float(part[0, 0]) for part in now)
        scale = 2 * bound / (length * eps)
        log_chance = [log_tail((12 * err - gap) / scale) for gap in (-2 * bound, -2 * bound + 2 * bound / length)]
        found, closed = (
            log_chance[1] - log_chance[0],
            eps + np.log1p(-eps / (2 + 6 * np.log(8 * horizon) + length * eps)),
        )
        fits &= abs(found - closed) <= 1e-7 and found <= eps
        rows.append([eps, v, u, horizon, length, found])
    columns = ["eps", "v", "u", "T", "R_1", "eps of the arms, at least"]
    return fits, {"kind": "table", "title": "Two arms, one reward changed", "columns": columns, "rows": rows}


def log_tail(x: float) -> float:
    """log P(Z - Z' > x) for two standard Laplace variables, x >= 0: ((2 + x)/4) e^{-x}."""
    return float(np.log((2 + x) / 4) - x)


ARMS = Reduction(
    "All rewards of arm 0 in the first epoch are -B, all of arm 1 are B; then one of arm 0 becomes B, which moves the "
    "gap of the means, -2 B, by 2 B/R. Arm 1 goes where the noise, (2 B/(R eps)) (Z - Z'), exceeds 12 err minus the "
    "gap. In units of its scale the threshold is x = 6 L + R eps, as err R eps = B L, and x - eps for the neighbour; "
    "and P(Z - Z' > x) = ((2 + x)/4) e^{-x}: so the probabilities have the ratio e^eps (1 - eps/(2 + x)).",
    (),
)

# -- Algorithm 4: the randomizer -----------------------------------------------------------------------------------


def whole_range() -> tuple[bool, Evidence]:
    """The loss over pairs of inputs of all sizes, ends and their neighbours included: at most eps, and eps itself."""
    rows, fits = [], True
    for bound in (1e-6, 1.0, 37.5, 1e9):
        for eps in (0.01, 1.0, 20.0):
            just = np.array([bound, np.nextafter(bound, 0), np.nextafter(bound, np.inf), bound / 3, 1e-300, 1e300])
            inputs = np.concatenate([-just, [0.0], just])
            worst = float(Randomizer(bound, eps).loss(inputs[:, None], inputs[None, :]).max())
            fits &= abs(worst - eps) <= ROUNDING * eps
            rows.append([bound, eps, worst])
    return fits, {"kind": "table", "title": "The randomizer", "columns": ["B", "eps", "largest loss"], "rows": rows}


RANGE = Reduction(
    "A truncated reward lies in [-B, B] whatever the reward is, and both ends come up (|x| <= B is kept). So two "
    "centres are at most 2 B apart, and the largest log-ratio of two Laplace densities of scale 2 B/eps is their "
    "distance over it.",
    (),
)

LEMMAS: Mapping[str, Lemma] = {
    "tao22/lemma-2/privacy/exact": argued(LEMMA_2, equal_bounds),
    "tao22/theorem-1": argued(THEOREM_1, growing_bounds),
    "tao22/theorem-3/once": argued(ONCE, each_reward_once),
    "tao22/theorem-3/arms": argued(ARMS, two_arms_told),
    "tao22/theorem-6/range": argued(RANGE, whole_range),
}
