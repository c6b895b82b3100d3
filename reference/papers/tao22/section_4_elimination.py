"""Section 4, second part: elimination, Algorithm 3, and the lower bound."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary, doubles
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Stated, Unjudged, Verdict
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.tao22 import DPRSE, Elimination, TwoPoint
from dpbandits.reference.papers.tao22 import formulas as f
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import (
    ALL_ALGORITHMS,
    HORIZON,
    ONE_INSTANCE,
    POSITIVE,
    U_CONSTANT,
    W,
    at_the_bounds,
    largest_moment,
)

chapter = page.chapter("Section 4: Algorithm 3")
LEMMA_4 = source(
    "Lemma 4, eq. (6)",
    "For any instance of the K-MAB problem, denote by a* its optimal arm. Fix the time horizon T and confidence level "
    "beta in (0, 1). Then, with probability at least 1 - beta, in Algorithm 3, the total number of rounds to pull each "
    "sub-optimal arm a != a* is at most min{T, O((u^{1/(1+v)}/(eps Delta_a^{(1+v)/v})) (log(K/beta) + log "
    "log(1/Delta_a)))}.",
)
THEOREM_4 = source(
    "Theorem 4, eq. (7)",
    "If we set beta = 1/T in Algorithm 3, then for sufficiently large T and any eps in (0, 1], the instance-dependent "
    "expected regret of Algorithm 3 satisfies R_T <= O((u^{1/(1+v)} log T/eps) sum_{Delta_a > 0} (1/Delta_a)^{1/v} + "
    "max_a Delta_a).",
)
EQ_8 = source(
    "Theorem 4, eq. (8)",
    "Moreover, the instance-independent expected regret of Algorithm 3 satisfies R_T <= O(u^{v/(1+v)^2} (K log "
    "T/eps)^{v/(1+v)} T^{1/(1+v)}), where the O(.)-notation omits log log(1/Delta_a) terms.",
)
THEOREM_5 = source(
    "Theorem 5 (DP Instance-dependent Lower Bound)",
    "There exists a heavy-tailed K-armed bandit instance with u <= 1 in (2), mu_a <= 1/6 and Delta_a in (0, 1/12), "
    "such that for any eps-DP (0 < eps <= 1) algorithm A whose expected regret is at most T^{3/4}, we have R_T >= "
    "Omega((log T/eps) sum_{Delta_a > 0} (1/Delta_a)^{1/v}).",
)
THEOREM_3 = source("Theorem 3", "For any eps > 0, Algorithm 3 is eps-differentially private.")


chapter.add(
    "theorem-3",
    THEOREM_3,
    Consequence("every reward enters one noisy mean, and arms are removed by noisy means alone"),
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-3/mean", "tao22/theorem-3/once", "tao22/definition-3"),
    by="post-processing and parallel composition",
)


@chapter.private(
    "theorem-3/means",
    THEOREM_3,
    relation="pull",
    view="samples",
    pairs=at_the_bounds,
    subject=DPRSE,
    params=({"arms": 2, "horizon": 500, "eps": 1.0, "v": 1.0, "u": 5e-3, "beta": 0.9},),
    reading=Reading.OURS,
    expect=Verdict.CONSISTENT,
    note="The means are what the proof argues about; the algorithm releases arms alone. A reward that goes from B to "
    "-B moves one mean by 2 B/R, and attains eps in its tail: judged exactly, and by runs.",
)
def theorem_3_means(policy: Elimination) -> Approximate:
    """(eps, 0)-DP of all noisy means of a run, from which the pulls follow."""
    return Approximate(policy.eps, 0.0)


chapter.add(
    "theorem-3/arms",
    THEOREM_3,
    Stated("the released arms are not eps'-DP for any eps' below eps + log(1 - eps/(2 + 6 L + R_1 eps))"),
    scope="K = 2, L = log(8/beta).",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="The arms tell nearly all of eps: 0.99998 of eps = 1 at u = v = 1, T = 10^9. The noise is as small as "
    "it may be.",
)


chapter.add(
    "theorem-3/arms/exact",
    THEOREM_3,
    Stated("the released arms alone tell at least 0.99 eps"),
    scope="2, 3 and 5 arms.",
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    given="the first epoch, means on a grid, eps in {0.1, 0.5, 1, 2, 4}, v in {0.25, 0.5, 1}",
    note="By the exact law of the arms that survive, at certified numbers. With three arms or more all of eps is told "
    "but 1e-10 of it; none was found to tell more, which Theorem 3 excludes. A transcript's loss is that of the epoch "
    "that holds the changed reward.",
)


chapter.add(
    "lemma-4",
    LEMMA_4,
    Consequence("its explicit form, where v and u are constants, as the paper takes them"),
    scope="The O hides what hangs on v and u alone; eps <= 1, as in Theorem 4, whose lemma it is; log log(2/Delta_a), "
    "as in the proof, for log log(1/Delta_a), and 0 where that is negative or none.",
    expect=Verdict.ARGUED,
    follows=("tao22/lemma-4/repaired", "tao22/lemma-4/order/logs"),
    by="D >= Delta_a/2 in (24/D)^p for Delta_a <= 1, log(4 K tau(a)^2/beta) <= 10 (log(K/beta) + log log(2/Delta_a)) "
    "for K >= 2, and 2 tau(a) is of a smaller order; a larger gap goes in epoch 1, and is at most 2 u^{1/(1+v)}, so "
    "that 48^p is at most a constant times Delta_a^{-p}",
    note="In one constant for every u, eps or gap it is not true: tao22/lemma-4/every-u, tao22/lemma-4/every-eps, "
    "tao22/lemma-4/large-gap.",
)


chapter.add(
    "lemma-4/every-eps",
    LEMMA_4,
    Stated("(6) with one constant for every eps > 0"),
    scope="u, v, K, beta and the instance fixed.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    note="The lemma does not say eps <= 1: an arm is pulled at least twice, and the bound vanishes as eps grows. "
    "Theorem 4, which uses the lemma, does say it. (log log(1/Delta) is no number from Delta = 1 on and negative from "
    "1/e on: log log(2/Delta), as in the proof, is meant.)",
)


chapter.add(
    "lemma-4/every-u",
    LEMMA_4,
    Stated("(6) with one constant for every u >= 1"),
    scope="v fixed, and eps = 1.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.NUMBER,
    same_error_as="tao22/lemma-4/power-of-u",
    note=f"{U_CONSTANT} The power is u^{{1/v}}: tao22/lemma-4/repaired.",
)


@chapter.inequality(
    "lemma-4/order/logs",
    LEMMA_4,
    over={"x": Real(0.69, np.inf), "y": Real(-0.37, np.inf)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="tau(a) <= log2(2/Delta_a), so that log tau(a) <= y - log log 2; log 2 > 0.69, log log 2 > -0.37.",
)
def lemma_4_order_logs(m: Vocabulary, x: Number, y: Number) -> Sides:
    """As a formula: log 4 + x + 2 (y - log log 2) <= 10 (x + y), where x = log(K/beta), y = log log(2/Delta_a)."""
    two = m.log(m.number(2))
    return 2 * two + x + 2 * (y - m.log(two)), 10 * (x + y)


chapter.add(
    "lemma-4/repaired",
    LEMMA_4,
    Stated(
        "with probability at least 1 - beta every sub-optimal arm is pulled at most (4/3) u^{1/v} (24/D)^p log(4 K "
        "tau(a)^2/beta)/eps + 2 tau(a) times"
    ),
    scope="tau(a) is the first epoch with D = 2^-tau(a) <= Delta_a.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    given="eps <= 1",
    note="The proof of Lemma 4 with one-sided events, the power of u of line 8, K for |S|, the rounding up, and "
    "Bernstein's inequality in its sub-gamma form.",
)


@chapter.inequality(
    "lemma-4/power-of-u",
    source(
        "Lemma 4, with the constant of its proof",
        "Thus, the total number of pulls of arm a is sum_{tau <= tau(a)} R_tau <= [...] <= u^{1/(1+v)} "
        "(96/Delta_a)^{(1+v)/v} (log(4K/beta) + log log(2/Delta_a))/eps + 2",
    ),
    over={"u": POSITIVE, "w": W},
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.NUMBER,
    note="Line 8 has u^{1/v}, which the proof replaces by u^{1/(1+v)} from one line to the next: so in (6), (7) and "
    "(8), of which no constant serves every u: tao22/lemma-4/every-u, tao22/theorem-4/every-u, "
    "tao22/theorem-4/eq-8/every-u. The right power can be told by scaling: rewards c X have gaps c Delta and moments "
    "c^{1+v} u, and c times the regret; (u/Delta)^{1/v} scales like c, as in Theorem 2. The paper takes u for a "
    "constant, but this bound has its constants written out.",
)
def lemma_4_power_of_u(m: Vocabulary, u: Number, w: Number) -> Sides:
    """An arm of gap 1/2 is pulled R_1 >= u^{1/v} 48^p log(4K/beta)/eps times; the bound is u^{1/(1+v)} 192^p
    (log(4K/beta) + log log 4)/eps + 2, at most twice the same without log log 4 and 2 where that is 4 or more."""
    p = 1 + w
    left = f.power(m, u, w) * f.power(m, m.number(48), p)
    return left, 2 * f.power(m, u, w / (1 + w)) * f.power(m, m.number(192), p)


@chapter.at_most(
    "theorem-4/explicit",
    THEOREM_4,
    PSEUDO_REGRET,
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    subject=DPRSE,
    params=(
        {"arms": 2, "horizon": 10**9, "eps": 1.0, "v": 1.0, "u": 1.0, "environment": Bernoulli((0.9, 0.1))},
        {"arms": 3, "horizon": 10**11, "eps": 0.5, "v": 1.0, "u": 1.0, "environment": Bernoulli((0.9, 0.6, 0.1))},
        {
            "arms": 2,
            "horizon": 10**13,
            "eps": 1.0,
            "v": 0.5,
            "u": 0.5,
            "environment": TwoPoint((4.0, 4.0), (0.06, 0.0)),
        },
    ),
    follows=(
        "tao22/lemma-4/bias",
        "tao22/lemma-4/deviation",
        "tao22/lemma-4/range",
        "tao22/lemma-4/four-err",
        "tao22/lemma-4/noise",
        "tao22/lemma-4/union",
        "tao22/lemma-4/half-gap",
        "tao22/lemma-4/repaired",
    ),
    by="the repaired Lemma 4 with probability 1 - 1/T, and T Delta_a else",
    given="eps <= 1, beta = 1/T, 0 < Delta_a <= 1",
    note="With the power of u that line 8 has, the rounding up, and (2) log tau(a).",
)
def theorem_4_explicit(p: Any, environment: Any) -> float | None:
    """sum of Delta_a ((4/3) u^{1/v} (24/D)^p log(4 K tau(a)^2 T)/eps + 2 tau(a)) + max Delta_a, where tau(a) =
    ceil(log2(1/Delta_a)) and at least 1, D = 2^-tau(a): the repaired Lemma 4, and T Delta_a with probability 1/T."""
    best = max(environment.means)
    gaps = [best - mean for mean in environment.means if mean < best]
    if p.eps > 1 or max(gaps) > 1 or largest_moment(environment, 1 + p.v) > p.u:
        return None
    total = max(gaps)
    for gap in gaps:
        tau = max(1.0, float(np.ceil(-np.log2(gap))))
        log = f.log_3(doubles, p.arms, tau, p.risk)
        rounds = f.length_3(doubles, p.eps, p.v, p.u, log, 2.0**-tau) - 1
        total += gap * (4 / 3 * rounds + 2 * tau)
    return float(total)


chapter.add(
    "theorem-4/order",
    THEOREM_4,
    Consequence("the explicit bound, where v and u are constants, as the paper takes them"),
    scope="The O hides what hangs on v and u alone, and log log(1/Delta_a); T >= 2 K.",
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-4/explicit", "tao22/lemma-4/repaired", "tao22/lemma-4/order/logs"),
    by="log(4 K T) <= 3 log T + 1 for T >= 2 K; a constant u makes any power of u a constant; a gap beyond 1 goes in "
    "epoch 1, and is at most 2 u^{1/(1+v)}",
    note=f"{U_CONSTANT} With that power no constant serves every u: tao22/theorem-4/every-u.",
)


chapter.add(
    "theorem-4/every-u",
    THEOREM_4,
    Stated("(7) with one constant for every u >= 1"),
    scope="v fixed, and eps = 1; T as large as u and the instance want it.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.NUMBER,
    same_error_as="tao22/lemma-4/power-of-u",
    note=f"{U_CONSTANT} The power is u^{{1/v}}: tao22/theorem-4/explicit.",
)


chapter.add(
    "theorem-4/eq-8/every-u",
    EQ_8,
    Stated("(8) with one constant for every u >= 1"),
    scope="v fixed, eps = 1 and K = 2; T as large as u wants it.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.NUMBER,
    same_error_as="tao22/lemma-4/power-of-u",
    note=f"{U_CONSTANT} The power is u^{{1/(1+v)}}, as rewards c X make c times the regret.",
)


chapter.add(
    "theorem-4/eq-8",
    EQ_8,
    Consequence("the proof's two groups of arms"),
    scope="eps <= 1, T >= 2 K, and the O hides what hangs on v and u alone.",
    expect=Verdict.ARGUED,
    follows=(
        "tao22/lemma-4/repaired",
        "tao22/lemma-4/order/logs",
        "tao22/theorem-4/gap-star",
        "tao22/theorem-4/log-KT",
        "tao22/theorem-4/independent",
    ),
    by="a gap is at most 2 u^{1/(1+v)}, and from 1/2 on D = 1/2 serves it; arms with gaps up to Delta* cost at most T "
    "Delta* together, and each of the others at most a constant times (log T/eps) Delta*^{-1/v} = Delta* T/K, as "
    "Delta* >= 1/T makes log log(2/Delta_a) <= log(2 T); T max Delta_a with probability 1/T",
)


chapter.add(
    "theorem-5",
    THEOREM_5,
    Consequence("the coupling of Lemma 12, arm by arm"),
    scope="R_T >= (log T/(200 4^{1/v} eps)) sum (1/Delta_a)^{1/v} on the instance of the proof, for T with T^0.13 > "
    "4K/Delta_a and 2 t_a <= T for every arm.",
    expect=Verdict.ARGUED,
    follows=(
        "tao22/theorem-5/mean",
        "tao22/theorem-5/moment",
        "tao22/theorem-5/mean/changed",
        "tao22/theorem-5/moment/changed",
        "tao22/theorem-5/chances",
        "tao22/theorem-10/rare",
        "tao22/theorem-5/exponent",
        "tao22/theorem-5/half",
        "tao22/lemma-12/sharp",
        "tao22/lemma-12/small-eps",
    ),
    by="whether arm a is pulled at most t_a times hangs on its first t_a rewards, and on randomness that has the same "
    "law in both instances, which differ in arm a alone: so Lemma 12 applies. With probability 1/2 every arm a is "
    "pulled more than t_a times",
    note="As printed, for algorithms whose regret is at most T^{3/4} on the proof's instances.",
)


chapter.add(
    "theorem-5/letter",
    THEOREM_5,
    Stated("one instance on which every eps-DP algorithm with regret at most T^{3/4} has the regret (9)"),
    scope=ALL_ALGORITHMS,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.QUANTIFIER,
    harm=Harm.NONE,
    note=f"{ONE_INSTANCE}: tao22/theorem-5.",
)

SPECIAL_ROUNDS = source(
    "Section 4, after Theorem 4",
    "We think the main reason for the improvement is that the UCB-based method needs to make a reward-dependent "
    "choice in each round whereas the SE-based method only makes the reward-dependent choices in K-1 special rounds "
    "when it performs arm elimination.",
)


chapter.add(
    "section-4/special-rounds",
    SPECIAL_ROUNDS,
    Stated("there are at most K - 1 rounds after which Algorithm 3 removes an arm"),
    scope="A choice is one that changes what is pulled. That it is the reason is what the authors think.",
    expect=Verdict.ARGUED,
)


chapter.add(
    "section-4/special-rounds/decisions",
    SPECIAL_ROUNDS,
    Stated("there are at most K - 1 rounds after which Algorithm 3 decides by rewards"),
    scope="A decision that nothing goes is one as well.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.NONE,
    note="There is one at the end of every epoch, several for two arms with a small gap. Each epoch takes rewards of "
    "its own, and so the privacy is not touched (tao22/theorem-3).",
)


chapter.add(
    "remark-1",
    source(
        "Remark 1",
        "As mentioned earlier, Sajed and Sheffet, (2019) also studied a DP variant of the SE algorithm. However, there "
        "are several differences between their result and ours.",
    ),
    Unjudged("a comparison with another paper's proofs"),
    expect=Verdict.UNSUPPORTED,
)


@chapter.identity(
    "remark-2",
    source(
        "Remark 2",
        "Secondly, the price of privacy in the bounded rewards case is an additional term of O(K log T/eps) compared "
        "with the non-private rate, while in the heavy-tailed case, there is an additional factor of 1/eps compared "
        "with the non-private one.",
    ),
    over={"T": HORIZON, "eps": POSITIVE, "rates": POSITIVE},
    expect=Verdict.PROVED,
)
def remark_2(m: Vocabulary, T: Number, eps: Number, rates: Number) -> Sides:
    """As a formula: (log T/eps) sum (1/Delta_a)^{1/v} over log T sum (1/Delta_a)^{1/v}, of the printed rates of the
    heavy-tailed case; rates = sum (1/Delta_a)^{1/v}."""
    return m.log(T) / eps * rates / (m.log(T) * rates), 1 / eps


# -- Theorem 5's sketch --------------------------------------------------------------------------------------------


@chapter.inequality(
    "theorem-5/sketch/chances",
    source(
        "Section 4, sketch of Theorem 5",
        "Note that when setting mu_a^{1+v} <= 1/6 and Delta_a^{1+v} <= 1/12, we have s_a^{1+v}/2 + 2 Delta_a gamma_a = "
        "2^{1/v} mu_a^{(1+v)/v} + 2 4^{1/v} Delta_a^{(1+v)/v} <= (1/3)^{1/v} + 2 (1/3)^{1/v} <= 1, thus the postulated "
        "nu'_a is reasonable.",
    ),
    over={"w": W},
    expect=Verdict.PROVED,
    note="2^{1/v} mu^{(1+v)/v} + 2 4^{1/v} Delta^{(1+v)/v} at the ends of both conditions: 3 3^{-1/v}.",
)
def theorem_5_sketch_chances(m: Vocabulary, w: Number) -> Sides:
    """3 3^{-1/v} <= 1, in logarithms to the base 3."""
    return 1 - w, m.number(0)
