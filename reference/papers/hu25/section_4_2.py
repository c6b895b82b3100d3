"""Section 4.2."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET
from dpbandits.reference.claims.model import AtMost, Consequence, Fault, Harm, Reading, Real, Stated, Unjudged, Verdict
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.page import page
from dpbandits.reference.papers.hu25.shared import (
    ALPHA,
    FAR_APART,
    GAP,
    HORIZON,
    PAPERS_ARMS,
    PROOF_OF_4_2,
    regret_bound,
    source,
)

chapter = page.chapter("Section 4.2")


@chapter.inequality(
    "theorem-4.2/positive",
    source(
        "Theorem 4.2",
        "The problem-dependent regret bound of DP-TS-UCB with trade-off parameter alpha in [0, 1] is sum_{i: "
        "Delta_i > 0} O(ln(T^{0.5(3-alpha)} Delta_i^2) ln^alpha(T)/Delta_i + (3-alpha) ln ln(T) "
        "ln^alpha(T)/Delta_i). The worst-case regret bound of DP-TS-UCB with trade-off parameter alpha in [0, 1] "
        "is O(sqrt(KT) ln^{0.5(1+alpha)}(T)).",
    ),
    over={"T": HORIZON, "alpha": ALPHA, "gap": GAP},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.STATEMENT,
    repaired_by=("hu25/theorem-4.2/problem-dependent",),
    note="A regret is nonnegative, but the printed bound is negative for D below about T^{-(3-alpha)/4}. The proof "
    "assumes T D^2 > e (Appendix C), a condition that the theorem does not state.\n"
    "The proof itself has no gap here.",
)
def theorem_4_2_positive(m: Vocabulary, T: Number, alpha: Number, gap: Number) -> Sides:
    """A bound on a regret cannot be negative. The formula is the bracket in the bound for one arm, for any D_i > 0."""
    return m.number(0), m.log(f.power(m, T, (3 - alpha) / 2) * gap * gap) + (3 - alpha) * m.log(m.log(T))


chapter.add(
    "theorem-4.2/explicit",
    source(
        "Theorem 4.2",
        "The problem-dependent regret bound of DP-TS-UCB with trade-off parameter alpha in [0, 1] is sum_{i: "
        "Delta_i > 0} O(ln(T^{0.5(3-alpha)} Delta_i^2) ln^alpha(T)/Delta_i + (3-alpha) ln ln(T) "
        "ln^alpha(T)/Delta_i). The worst-case regret bound of DP-TS-UCB with trade-off parameter alpha in [0, 1] "
        "is O(sqrt(KT) ln^{0.5(1+alpha)}(T)).",
    ),
    AtMost(PSEUDO_REGRET, regret_bound),
    scope="The bound is read with every constant of Appendix D and the repaired L_i, for T D^2 > e.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    subject=DPTSUCB,
    params=(
        *({"arms": 5, "horizon": 2000, "alpha": alpha, "environment": PAPERS_ARMS} for alpha in (0.0, 1.0)),
        {"arms": 2, "horizon": 25_000, "alpha": 0.0, "environment": FAR_APART},
    ),
    given="T D^2 > e for every positive gap",
    follows=PROOF_OF_4_2,
    by="adding up the bounds on the parts of E[N_i(T)], times D_i",
    note="The bound uses all constants of Appendix D and the repaired L_i (`formulas.pulls_bound`). The constants "
    "are so large that the bound is trivial for the paper's arms at T = 2000. For two arms with a large gap at T = "
    "25 000, the bound is not trivial.",
)


chapter.add(
    "theorem-4.2/problem-dependent",
    source(
        "Theorem 4.2",
        "The problem-dependent regret bound of DP-TS-UCB with trade-off parameter alpha in [0, 1] is sum_{i: "
        "Delta_i > 0} O(ln(T^{0.5(3-alpha)} Delta_i^2) ln^alpha(T)/Delta_i + (3-alpha) ln ln(T) "
        "ln^alpha(T)/Delta_i). The worst-case regret bound of DP-TS-UCB with trade-off parameter alpha in [0, 1] "
        "is O(sqrt(KT) ln^{0.5(1+alpha)}(T)).",
    ),
    Consequence("the problem-dependent bound of Theorem 4.2 holds, with the constants of `hu25/theorem-4.2/explicit`"),
    scope="The claim is the theorem's first sentence, for T D_i^2 > e, as Appendix C assumes.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=(*PROOF_OF_4_2, "hu25/theorem-4.2/omega-1", "hu25/theorem-4.2/eq-24", "hu25/theorem-4.2/eq-25"),
    by="the paper's proof with the repaired L_i",
    note="A theorem of Rocq states the whole bound, also in the order that is printed, with 1800 for the hidden "
    "constant.",
    related=("hu25/theorem-4.2/explicit",),
)


chapter.add(
    "theorem-4.2/worst-case",
    source(
        "Theorem 4.2",
        "The problem-dependent regret bound of DP-TS-UCB with trade-off parameter alpha in [0, 1] is sum_{i: "
        "Delta_i > 0} O(ln(T^{0.5(3-alpha)} Delta_i^2) ln^alpha(T)/Delta_i + (3-alpha) ln ln(T) "
        "ln^alpha(T)/Delta_i). The worst-case regret bound of DP-TS-UCB with trade-off parameter alpha in [0, 1] "
        "is O(sqrt(KT) ln^{0.5(1+alpha)}(T)).",
    ),
    Consequence("the regret is O(sqrt(K T) ln^(0.5 (1+alpha))(T))"),
    scope="The claim is the worst-case bound.",
    expect=Verdict.ARGUED,
    follows=(
        "hu25/theorem-4.2/problem-dependent",
        "hu25/theorem-4.2/worst-case/balance",
        "hu25/abstract/regret/order",
    ),
    by="the paper's proof, which needs T D^2 > e for every D >= D_*; for the finitely many other T the regret is at "
    "most T",
)


@chapter.identity(
    "corollary-4.3/formula",
    source(
        "Corollary 4.3",
        "DP-TS-UCB with trade-off parameter alpha = 0 achieves sum_{i: Delta_i > 0} O(ln(T^{1.5} "
        "Delta_i^2)/Delta_i) + O(ln ln(T)/Delta_i) problem-dependent regret bounds and O(sqrt(KT ln(T))) "
        "worst-case regret bounds.",
    ),
    over={"T": HORIZON, "K": Real(1, np.inf, True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="In the first bound, alpha = 0 gives T^{0.5(3-0)} = T^1.5.",
)
def corollary_4_3_formula(m: Vocabulary, T: Number, K: Number) -> Sides:
    """The formula is the worst-case bound of Theorem 4.2 at alpha = 0."""
    return m.sqrt(K * T) * f.power(m, m.log(T), (1 + m.number(0)) / 2), m.sqrt(K * T * m.log(T))


chapter.add(
    "corollary-4.3",
    source(
        "Corollary 4.3",
        "DP-TS-UCB with trade-off parameter alpha = 0 achieves sum_{i: Delta_i > 0} O(ln(T^{1.5} "
        "Delta_i^2)/Delta_i) + O(ln ln(T)/Delta_i) problem-dependent regret bounds and O(sqrt(KT ln(T))) "
        "worst-case regret bounds.",
    ),
    Consequence(
        "at alpha = 0 the regret of DP-TS-UCB is the sum over suboptimal arms of O(ln(T^1.5 "
        "Delta_i^2)/Delta_i) + O(ln ln(T)/Delta_i), and O(sqrt(K T ln T))"
    ),
    scope="The claim is read for T D_i^2 > e.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=(
        "hu25/theorem-4.2/problem-dependent",
        "hu25/theorem-4.2/worst-case",
        "hu25/corollary-4.3/formula",
    ),
    by="Theorem 4.2",
)


@chapter.inequality(
    "discussion-4.2/better-than-ucb1",
    source(
        "Discussion in Section 4.2",
        "the sum_{i: Delta_i > 0} O(ln(T^{1.5} Delta_i^2)/Delta_i) + O(ln ln(T)/Delta_i) bound is better than "
        "the sum_{i: Delta_i > 0} O(ln(T)/Delta_i) bound of UCB1, but it is slightly worse than the sum_{i: "
        "Delta_i > 0} O(ln(T Delta_i^2)/Delta_i) bound of TS-Gaussian.",
    ),
    over={"log_T": Real(1, np.inf, True), "lost": Real(0, np.inf, True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="The bound is not worse in order, but the sentence says more than that. In order, the bound is not better "
    "either: for T D^2 > e, which the proof assumes, ln(T^1.5 D^2) is above ln(T)/2. Which bound is smaller depends "
    "on constants that the paper does not give. The ln ln T term is of a smaller order.",
)
def discussion_4_2_better_than_ucb1(m: Vocabulary, log_T: Number, lost: Number) -> Sides:
    """The claim is about orders: ln(T^1.5 D^2) is never of a larger order than ln T. In the formula, lost = -ln D^2."""
    return m.number("1.5") * log_T - lost, m.number("1.5") * log_T


@chapter.inequality(
    "discussion-4.2/worse-than-ucb1",
    source(
        "Discussion in Section 4.2",
        "the sum_{i: Delta_i > 0} O(ln(T^{1.5} Delta_i^2)/Delta_i) + O(ln ln(T)/Delta_i) bound is better than "
        "the sum_{i: Delta_i > 0} O(ln(T)/Delta_i) bound of UCB1, but it is slightly worse than the sum_{i: "
        "Delta_i > 0} O(ln(T Delta_i^2)/Delta_i) bound of TS-Gaussian.",
    ),
    over={"log_T": Real(1, np.inf, True), "share": Real(0, 1, True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="At fixed gaps, the bound is up to 1.5 times that of UCB1. For T = 10^6 and D = 0.2, the bound is 17.5, and "
    "the bound of UCB1 is 13.8.",
)
def discussion_4_2_worse_than_ucb1(m: Vocabulary, log_T: Number, share: Number) -> Sides:
    """With all constants equal to 1, the bound is at least that of UCB1 for D >= T^{-1/4}. In the formula, -ln D^2 =
    share ln(T)/2."""
    return log_T, m.number("1.5") * log_T - share * log_T / 2


@chapter.inequality(
    "discussion-4.2/better-than-ucb1/small-gaps",
    source(
        "Discussion in Section 4.2",
        "the sum_{i: Delta_i > 0} O(ln(T^{1.5} Delta_i^2)/Delta_i) + O(ln ln(T)/Delta_i) bound is better than "
        "the sum_{i: Delta_i > 0} O(ln(T)/Delta_i) bound of UCB1, but it is slightly worse than the sum_{i: "
        "Delta_i > 0} O(ln(T Delta_i^2)/Delta_i) bound of TS-Gaussian.",
    ),
    over={"T": HORIZON, "x": Real(1, np.inf, True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def discussion_4_2_better_than_ucb1_small_gaps(m: Vocabulary, T: Number, x: Number) -> Sides:
    """With all constants equal to 1, the bound is at most that of UCB1 for D = T^{-1/4}/x, x >= 1."""
    return m.log(f.power(m, T, m.number("1.5")) / (m.sqrt(T) * x * x)), m.log(T)


@chapter.inequality(
    "discussion-4.2/slightly-worse",
    source(
        "Discussion in Section 4.2",
        "the sum_{i: Delta_i > 0} O(ln(T^{1.5} Delta_i^2)/Delta_i) + O(ln ln(T)/Delta_i) bound is better than "
        "the sum_{i: Delta_i > 0} O(ln(T)/Delta_i) bound of UCB1, but it is slightly worse than the sum_{i: "
        "Delta_i > 0} O(ln(T Delta_i^2)/Delta_i) bound of TS-Gaussian.",
    ),
    over={"log_T": Real(1, np.inf, True), "share": Real(0, 1, True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The factor is at most 1.5 for T >= D^-4. For smaller gaps the factor grows "
    "(`hu25/section-5.2/same-bound/small-gaps`).",
    related=("hu25/section-5.2/same-bound/small-gaps",),
)
def discussion_4_2_slightly_worse(m: Vocabulary, log_T: Number, share: Number) -> Sides:
    """The claim is about fixed gaps and T >= D^-4, and reads 'slightly' as 'within a factor of 2 in the leading term'.
    In the formula, -ln D^2 = share ln(T)/2."""
    return m.number("1.5") * log_T - share * log_T / 2, 2 * (log_T - share * log_T / 2)


chapter.add(
    "discussion-4.2/better-than-ucb1/order",
    source(
        "Discussion in Section 4.2",
        "the sum_{i: Delta_i > 0} O(ln(T^{1.5} Delta_i^2)/Delta_i) + O(ln ln(T)/Delta_i) bound is better than the "
        "sum_{i: Delta_i > 0} O(ln(T)/Delta_i) bound of UCB1",
    ),
    Unjudged(
        "it cannot be decided which of two orders with unnamed constants is smaller. At fixed gaps both orders are ln "
        "T (`hu25/discussion-4.2/better-than-ucb1`)"
    ),
    expect=Verdict.UNSUPPORTED,
    related=("hu25/discussion-4.2/better-than-ucb1",),
)


@chapter.inequality(
    "preview/optimal",
    source(
        "Preview of results",
        "For the case where alpha = 0, DP-TS-UCB enjoys the optimal sum_{i: Delta_i > 0} O(ln(phi T "
        "Delta_i^2)/Delta_i) regret bounds",
    ),
    over={"log_T": Real(1, np.inf, True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="By a theorem of another paper (Lai and Robbins 1985), every consistent policy has a regret of at least the "
    "order ln T at fixed gaps. So no better order is possible.",
)
def preview_optimal(m: Vocabulary, log_T: Number) -> Sides:
    """The formula states that at alpha = 0 and fixed gaps the bound's logarithm is of the order ln T: ln(phi T) <= 4.5
    ln T."""
    return m.log(f.c_0(m)) + m.number("1.5") * log_T + m.number("1.5") * m.log(log_T), m.number("4.5") * log_T


chapter.add(
    "discussion-4.2/not-optimal",
    source(
        "Discussion in Section 4.2",
        "DP-TS-UCB with parameter alpha = 0 is not optimal in terms of regret guarantees, but it offers a constant GDP "
        "guarantee (see Corollary 4.5 in Section 4.3).",
    ),
    Stated("at alpha = 0 and fixed gaps the regret bound of Theorem 4.2 is of a larger order than ln T"),
    scope="The claim is the first half of the sentence, at alpha = 0 as printed.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    same_error_as="hu25/discussion-4.3/constant-gdp",
    note="The printed alpha = 0 is a misprint: Corollary 4.5, which the sentence cites, says alpha = 1, and at alpha "
    "= 1 the bound is of order ln^2 T. At alpha = 0 the order is ln T (`hu25/preview/optimal`), and two sentences "
    "earlier the paper calls this order optimal.",
    related=("hu25/preview/optimal",),
)
