"""Section 5: Theorem 7 and Lemma 13, the regret of Algorithm 4."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Stated, Verdict
from dpbandits.reference.papers.tao22 import formulas as f
from dpbandits.reference.papers.tao22 import repaired_ldprse
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import LDP_RATE_INDEPENDENT, largest_moment

chapter = page.chapter("Section 5")
THEOREM_7 = source(
    "Theorem 7 (LDP Upper Bound), eq. (10)",
    "Set beta = 1/T in Algorithm 4. For any eps in (0, 1] and sufficiently large T, the instance-dependent expected "
    "regret of Algorithm 4 satisfies R_T <= O((u^{2/v} log T/eps^2) sum_{Delta_a > 0} (1/Delta_a)^{1/v} + max_a "
    "Delta_a).",
    statement="Theorem 7",
)
EQ_11 = source(
    "Theorem 7, eq. (11)",
    "Moreover, the instance-independent expected regret of Algorithm 4 satisfies R_T <= O(u^{2/(1+v)} (K log "
    "T/eps^2)^{v/(1+v)} T^{1/(1+v)}), where the O(.)-notations omit log log(1/Delta_a) terms.",
    statement="Theorem 7",
)

chapter.add(
    "theorem-7",
    THEOREM_7,
    Stated(
        "R_T <= C ((u^{2/v} log T/eps^2) sum_{Delta_a > 0} (1/Delta_a)^{1/v} + max_a Delta_a), with one C for all "
        "instances, eps in (0, 1] and large T"
    ),
    scope="C may depend on v and u. Line 21 is read with sqrt(R_tau), as in the proof.",
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.GUARANTEE,
    given="eps in (0, 1], T large enough for the instance",
    note="No constant works.\n"
    "The epoch length R_tau is designed for gaps of D_tau and grows like D_tau^{-2(1+v)/v}. So an arm is pulled of "
    "order Delta^{-2(1+v)/v} times before it is eliminated, not Delta^{-(1+v)/v} times.\n"
    "The proof treats an arm as eliminated in the first epoch with Delta >= D_tau^2, but it needs Delta >= D_tau "
    "(`tao22/lemma-13/first-epoch`).\n"
    "The rate of Algorithm 4 is (log T/eps^2) sum (1/Delta_a)^{1 + 2/v} (`tao22/theorem-7/rate`). At v = 1 this rate "
    "has 1/Delta^3 in place of 1/Delta, in agreement with the local minimax rate of mean estimation.\n"
    "No other eps-LDP algorithm has (10) either (`tao22/theorem-7/no-algorithm`).\n"
    "Zhou and Zhang (Locally Private and Robust Multi-Armed Bandits, NeurIPS 2024) also report a fundamental flaw in "
    "the state of the art of this setting.",
    related=("tao22/lemma-13/first-epoch", "tao22/theorem-7/no-algorithm"),
    repaired_by=("tao22/theorem-7/rate",),
)

chapter.add(
    "theorem-7/no-algorithm",
    THEOREM_7,
    Consequence("no eps-LDP algorithm has (10) with one constant for all instances, even for two arms and u = 1"),
    scope="The claim is for every eps in (0, 1].",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-11/raised",),
    note="The argument is as follows. An algorithm with (10) has regret O(log T) on both instances of Theorem 11, "
    "whose moments are at most 1. So its regret is at least (log T/eps^2) Delta^{-1-2/v}/(16 5^{2/v}) in the limit, "
    "which exceeds every multiple of (log T/eps^2) Delta^{-1/v} for small Delta.",
)

chapter.add(
    "theorem-7/independent/no-algorithm",
    EQ_11,
    Consequence("no eps-LDP algorithm has (11) with one constant for all instances, even for u = 1"),
    scope="The claim is for every eps in (0, 1].",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-9/raised",),
    note="The argument is as follows. For fixed K and eps, T^{1 - v/(2(1+v))} exceeds every multiple of (log "
    "T)^{v/(1+v)} T^{1 - v/(1+v)} for large T.",
)

chapter.add(
    "theorem-7/independent",
    EQ_11,
    Stated(LDP_RATE_INDEPENDENT),
    scope="C may depend on v and u. Line 21 is read with sqrt(R_tau), as in the proof.",
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.GUARANTEE,
    same_error_as="tao22/theorem-7",
    given="eps in (0, 1]",
    note="At a gap that an epoch of about T/4 pulls cannot detect, the regret is of order T^{1 - v/(2(1+v))}: at v = "
    "1, T^{3/4} in place of T^{1/2}. No eps-LDP algorithm has a smaller order "
    "(`tao22/theorem-7/independent/no-algorithm`).",
    related=("tao22/theorem-7/independent/no-algorithm",),
)
LEMMA_13 = source(
    "Lemma 13, eq. (22)",
    "For any instance of the K-armed MAB problem, denote by a* the optimal arm and by Delta_a the gap between the "
    "mean of arm a* and any sub-optimal arm a != a*. Fix the time horizon T and confidence level beta in (0, 1). "
    "Then, with probability at least 1 - beta, in Algorithm 4, the total number of rounds to pull each sub-optimal "
    "arm a != a*, denoted by T_a, is at most min{T, O((u^{2/v}/(eps^2 Delta_a^{(1+v)/v})) (log(K/beta) + log "
    "log(1/Delta_a)))}.",
    statement="Lemma 13",
)

chapter.add(
    "lemma-13",
    LEMMA_13,
    Stated(
        "with probability at least 1 - beta every sub-optimal arm is pulled at most C (u^{2/v}/(eps^2 "
        "Delta_a^{(1+v)/v})) (log(K/beta) + log log(1/Delta_a)) times, with one C for all instances"
    ),
    scope="C may depend on v and u. Line 21 is read with sqrt(R_tau), as in the proof.",
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.STATEMENT,
    same_error_as="tao22/theorem-7",
    given="eps in (0, 1], beta < 1/2, T large enough for the instance",
    note="The number of pulls is of order Delta_a^{-2(1+v)/v} (`tao22/lemma-13/repaired`).\n"
    "Theorem 7 takes its wrong exponent from this lemma.\n"
    "The false step of the proof is `tao22/lemma-13/first-epoch`.",
    related=("tao22/lemma-13/first-epoch",),
    repaired_by=("tao22/lemma-13/repaired",),
)

chapter.add(
    "lemma-13/repaired",
    LEMMA_13,
    Stated(
        "with probability at least 1 - beta every sub-optimal arm is pulled at most (256/255) u^{2/v} (28/D)^{2p} "
        "L/eps^2 + tau(a) (L + 1) times"
    ),
    scope="Line 21 is read with sqrt(R_tau), as in the proof. tau(a) is the first epoch with D = 4^-tau(a) <= Delta_a, "
    "L = log(8 K tau(a)^2/beta) and p = (1+v)/v.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    given="eps <= 1, 0 < Delta_a <= 1, R_1 >= 28^4 log(8 K/beta)",
)


@chapter.at_most(
    "theorem-7/rate",
    THEOREM_7,
    PSEUDO_REGRET,
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    subject=repaired_ldprse,
    params=(
        {"arms": 2, "horizon": 10**12, "eps": 1.0, "v": 1.0, "u": 1.0, "environment": Bernoulli((0.9, 0.4))},
        {
            "arms": 10,
            "horizon": 10**17,
            "eps": 1.0,
            "v": 1.0,
            "u": 0.07,
            "environment": Bernoulli((0.024,) + 9 * (0.02,)),
        },
    ),
    follows=(
        "tao22/lemma-13/bias",
        "tao22/lemma-13/deviation",
        "tao22/lemma-13/range",
        "tao22/lemma-13/noise",
        "tao22/lemma-13/seven/large-R",
        "tao22/lemma-13/union",
        "tao22/lemma-13/half-gap",
        "tao22/lemma-13/repaired",
    ),
    by="the repaired Lemma 13, which holds with probability 1 - 1/T, and the bound T max Delta_a on the regret "
    "otherwise",
    given="eps <= 1, beta = 1/T, 0 < Delta_a <= 1, R_1 >= 28^4 log(8 K/beta), sqrt(R_tau) in line 21",
)
def theorem_7_rate(p: Any, environment: Any) -> float | None:
    """R_T is at most the sum of Delta_a ((256/255) u^{2/v} (28/D)^{2(1+v)/v} L/eps^2 + tau(a) (L + 1)), plus max
    Delta_a, where tau(a) is the first epoch with D = 4^-tau(a) <= Delta_a and L = log(8 K tau(a)^2 T). This bound is of
    order (log T/eps^2) sum (1/Delta_a)^{1 + 2/v}."""
    return repaired_bound(p, environment)


def repaired_bound(p: Any, environment: Any) -> float | None:
    """The bound of `theorem_7_rate`; None where a precondition is false."""
    best = max(environment.means)
    gaps = [best - mean for mean in environment.means if mean < best]
    enough = p.u ** (2 / p.v) * 28 ** (2 + 2 / p.v) * 16 ** (1 + 1 / p.v) / p.eps**2 >= 28**4
    if p.eps > 1 or max(gaps) > 1 or not enough or largest_moment(environment, 1 + p.v) > p.u:
        return None
    total = max(gaps)
    for gap in gaps:
        tau = max(1.0, float(np.ceil(-np.log2(gap) / 2)))
        log = f.log_4(doubles, p.arms, tau, p.risk)
        rounds = f.length_4(doubles, p.eps, p.v, p.u, log, 4.0**-tau) - log
        total += gap * (256 / 255 * rounds + tau * (log + 1))
    return float(total)
