"""Theorem 7, whose rate no constant saves, and Lemma 13, printed and repaired."""

from __future__ import annotations

import numpy as np

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Evidence, Reduction, enclosure_step, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import checked_step
from dpbandits.proofs_checks.papers.tao22.local_privacy import ALGORITHM, FAMILY, REGRET, SIMPLE
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.noise import Seeded
from dpbandits.reference.bandits.play import play
from dpbandits.reference.claims.findings import nearest, table_item
from dpbandits.reference.claims.model import Real, Verdict
from dpbandits.reference.papers.tao22 import repaired_ldprse
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)
SMALL = Real(0, 28**-4.0, closed=True)
DEVIATIONS = (
    enclosure_step(
        "-log(1 - r) <= 1.01 r for r <= 28^-4: noise at most 4.02 err",
        lambda m, r: -m.log(1 - r),
        lambda m, r: m.number("1.01") * r,
        {"r": SMALL},
    ),
    enclosure_step(
        "1 + sqrt(2) r^{1/4} + sqrt(r)/3 + 4.02 <= 6.5 for r <= 28^-4",
        lambda m, r: 1 + m.sqrt(2 * m.sqrt(r)) + m.sqrt(r) / 3 + m.number("4.02"),
        lambda m, r: m.number("6.5"),
        {"r": SMALL},
    ),
    enclosure_step("28 2^{1/4} <= 34", lambda m: 28 * m.sqrt(m.sqrt(m.number(2))), lambda m: m.number(34), {}),
)
SURVIVAL = (
    "Consider Algorithm 4 with sqrt(R_tau) in line 21, as in the proof, u = 1, eps in (0, 1] and two arms with a gap "
    "Delta. Let p = (1+v)/v, and let err be u^{1/(1+v)} (sqrt(L)/(sqrt(R) eps))^{1/p}, as in the proof. Line 8 makes "
    "R >= 28^4 L, so by Bernstein's and Chernoff's bounds, as in the proof, no estimate is off by more than 6.5 err "
    "in any epoch, with probability at least 1 - beta. So the difference of two estimates is within 13 err of "
    "the gap, and an arm with Delta <= err_tau survives epoch tau. As R_tau <= 2 28^{2p} L/(eps^2 D^{2p}), err_tau "
    ">= D_tau/34. "
)
PULLED = (
    "For Delta < 1/136, let tau be the last epoch with D_tau >= 34 Delta, so that D_tau < 136 Delta. Then the "
    "suboptimal arm is pulled at least R_tau >= (28/136)^{2p} (log(1/beta)/eps^2) Delta^{-2p} times, for every T "
    "that is large enough for so many pulls. "
)
LEMMA_13 = Reduction(
    SURVIVAL + PULLED + "The arm is pulled so often with probability at least 1 - beta. By (22), the number of pulls "
    "is at most a constant times (log(2/beta) + log log(1/Delta)) Delta^{-p}/eps^2, also with probability at least 1 "
    "- beta. Whatever the constant is, this bound is smaller once Delta is small enough. For beta < 1/2 the two "
    "events cannot be disjoint, so (22) is false.",
    DEVIATIONS,
)
RATE = Reduction(
    SURVIVAL
    + PULLED
    + "With beta = 1/T the regret is at least half of Delta times this number of pulls. Divided by the claimed "
    "(log T/eps^2) Delta^{-1/v} = (log T/eps^2) Delta^{1-p}, this lower bound is (28/136)^{2p} Delta^{-p}/2, which "
    "exceeds every constant as Delta tends to 0. The max Delta and log log terms of the claimed bound are of a "
    "smaller order.",
    DEVIATIONS,
)
INDEPENDENT = Reduction(
    SURVIVAL + "Given T, let tau be the last epoch with 4 R_tau <= T, and Delta = D_tau/34. From one epoch to the "
    "next, R_tau grows by at most a constant factor, namely 16^p times a ratio of logarithms. So this last R_tau is at "
    "least a constant times T, and D_tau is at least a constant times (log T/(eps^2 T))^{1/(2p)}. The regret is at "
    "least R_tau Delta/2, which is of order T^{1 - 1/(2p)} (log T/eps^2)^{1/(2p)}, with 1/(2p) = v/(2(1+v)). The "
    "claimed bound is of order T^{1 - 1/p} up to logarithms, which is a smaller power of T.",
    DEVIATIONS,
)
LEMMA_13_REPAIRED = Reduction(
    "R_tau >= 28^4 L holds in every epoch, because it holds in the first epoch and R_tau/L grows. So no estimate has "
    "an error of more than 6.5 err <= 7 err, except with probability (4/8) beta sum tau^-2 <= beta. This probability "
    "covers both sides of the sampling error and of the noise. Then the difference of two estimates is within 14 err "
    "<= D_tau/2 of the gap. So the best arm is never eliminated, and an arm with Delta_a >= D_tau > 28 err is "
    "eliminated. R_tau <= c 16^{p tau} L + L + 1 with c = u^{2/v} 28^{2p}/eps^2 and L = log(8 K tau(a)^2/beta), and "
    "sum_{i >= 0} 16^{-p i} <= 256/255 as p >= 2.",
    DEVIATIONS[:2],
)

proves("lemma-13/repaired")(lemma_by_argument(LEMMA_13_REPAIRED))
TRIALS, LAST = 50, 3


def survivors_played() -> tuple[bool, Evidence]:
    """Two arms with Delta = D_3/34: how many runs pull both arms in epochs 1 to 3."""
    gap = 4.0**-LAST / 34
    policy = repaired_ldprse(arms=2, horizon=10**18, eps=1.0, v=1.0, u=1.0)
    played = play(policy, Bernoulli((0.5, 0.5 - gap)), Seeded(0, TRIALS), TRIALS)
    both = (played.released[:, :LAST] > 0).all(axis=2).sum(axis=0)
    pulls = np.median(played.released[:, :LAST, 1], axis=0)
    rows = [[epoch + 1, float(pulls[epoch]), int(both[epoch])] for epoch in range(LAST)]
    title = f"Played: eps = u = v = 1, Delta = {gap:.3g}, T = 1e18, {TRIALS} runs"
    columns = ["epoch", nearest("pulls of the worse arm"), "runs in which it is still there"]
    return bool((both == TRIALS).all()), table_item(title, columns, rows)


proves("lemma-13")(lemma_by_argument(LEMMA_13, survivors_played, verdict=Verdict.REFUTED))
NO_RATE = lemma_by_argument(RATE, survivors_played, verdict=Verdict.REFUTED)

proves("theorem-7")(NO_RATE)
NO_RATE_INDEPENDENT = lemma_by_argument(INDEPENDENT, survivors_played, verdict=Verdict.REFUTED)

proves("theorem-7/independent")(NO_RATE_INDEPENDENT)

BOTH_ARMS = f"""inverse_gaps is the sum over Delta_a > 0 of (1/Delta_a)^(1/v), and largest_gap is max_a Delta_a. The
T from which on (10) is claimed may depend on the instance. Already the simple instances refute (10). {SIMPLE} {FAMILY}
{REGRET} {ALGORITHM}"""
ALL_INSTANCES = f"""For every number K >= 2 of arms. T0 is the T from which on (11) is claimed; like C it is the
same for all instances, because (11) does not depend on the instance. Already the simple instances refute (11). {SIMPLE}
{FAMILY} {REGRET} {ALGORITHM}"""

proves("theorem-7/no-algorithm")(checked_step(__file__, "theorem_7_no_algorithm", BOTH_ARMS))
proves("theorem-7/independent/no-algorithm")(
    checked_step(__file__, "theorem_7_independent_no_algorithm", ALL_INSTANCES)
)
