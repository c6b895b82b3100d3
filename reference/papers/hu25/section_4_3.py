"""Section 4.3."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Stated, Unjudged, Verdict, Whole
from dpbandits.reference.curves import Curve, Gaussian
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.page import page
from dpbandits.reference.papers.hu25.shared import (
    ALPHA,
    CITED,
    HORIZON,
    POSITIVE,
    QUOTED_RATE,
    SMALL,
    TINY,
    printed_eta,
    sharp_eta,
    source,
)

chapter = page.chapter("Section 4.3")


ROUND = source(
    "Proof of Theorem 4.4",
    "From Lemma 5 of Ou et al. (2024), we know DP-TS-UCB is sqrt(1/ln^alpha(T))-GDP in each round in the mandatory "
    "TS-Gaussian phase.",
)
chapter.add(
    "theorem-4.4/round",
    ROUND,
    Consequence("a Gaussian mechanism of this parameter, whose samples are all that the round's release hangs on"),
    expect=Verdict.ARGUED,
    follows=("ou24/gaussian-mechanism", "hu25/theorem-4.4/round/formula"),
    by="post-processing: one sample's mean moves, by at most 1/n, and the others do not",
)


@chapter.inequality(
    "theorem-4.4/round/formula",
    ROUND,
    over={"n": Whole(1)},
    expect=Verdict.PROVED,
    note="Squared, (1/n)^2/(ln^alpha(T)/n) <= 1/ln^alpha(T), times ln^alpha(T). n >= 1 observations make the "
    "mean; n = 1, an arm's initial pull, attains it. The paper cites Lemma 5 of ou24, whose algorithm divides "
    "by n + 1; the bound is right for this one too.",
)
def theorem_4_4_round_formula(m: Vocabulary, n: Number) -> Sides:
    """As a formula: of one sample of the arm whose reward has changed, sensitivity over standard deviation."""
    return 1 / n, m.number(1)


chapter.add(
    "theorem-4.4/once",
    source(
        "Proof of Theorem 4.4",
        "Note that X_j(tau) will not be used to construct Gaussian distributions starting from epoch r_j + 1 to "
        "the end of learning due to the usage of arm-specific epoch structure, i.e., we abandon X_j(tau) at the "
        "end of epoch r_j.",
    ),
    Stated("a reward enters at most one mean, with weight 1/n, around which at most phi samples are drawn"),
    scope="A reward enters at most one mean, with weight 1/n, and at most phi samples are drawn around it.",
    expect=Verdict.ARGUED,
    note="'Each observation can only be used at most once for computing empirical estimates' (Section 3).",
)


@chapter.private(
    "theorem-4.4",
    source(
        "Theorem 4.4",
        "DP-TS-UCB with trade-off parameter alpha in [0, 1] satisfies sqrt(2 c_0 T^{0.5(1-alpha)} "
        "ln^{1.5(1-alpha)}(T))-GDP.",
    ),
    "pull",
    "arms",
    expect=Verdict.ARGUED,
    subject=DPTSUCB,
    params=SMALL,
    follows=("hu25/theorem-4.4/round", "hu25/theorem-4.4/once", "hu25/algorithm-1/budget"),
    by=f"composing the phi samples of each of two phases, {CITED}",
    note="True, but the second phase only repeats samples of the first, and post-processing is free: the "
    "factor 2 is not needed. See the sharp reading.",
)
def theorem_4_4(p: Any) -> Curve | None:
    return Gaussian(printed_eta(p))


@chapter.private(
    "theorem-4.4/round-neighbours",
    source(
        "Proof of Theorem 4.4",
        "Fix any two neighbouring reward sequences [...] where the complete reward vector in round tau is changed.",
    ),
    "round",
    "arms",
    expect=Verdict.ARGUED,
    subject=DPTSUCB,
    params=({"arms": 2, "horizon": 20, "alpha": 1.0},),
    follows=("hu25/theorem-4.4/round", "hu25/theorem-4.4/once", "hu25/algorithm-1/budget"),
    by=f"composition, {CITED}; whichever arm is pulled in the changed round, one observed reward changes",
    note="A whole reward vector changes, but bandit feedback reads one entry of it.",
)
def theorem_4_4_round_neighbours(p: Any) -> Curve | None:
    """Neighbours differ in one reward vector, that is in one round."""
    return Gaussian(printed_eta(p))


@chapter.private(
    "theorem-4.4/samples",
    source(
        "Proof of Theorem 4.4",
        "we draw at most phi Gaussian mean reward models from that constructed Gaussian distribution",
    ),
    "pull",
    "samples",
    expect=Verdict.ARGUED,
    subject=DPTSUCB,
    params=({"arms": 2, "horizon": 20, "alpha": 1.0}, {"arms": 2, "horizon": 100, "alpha": 0.5}),
    follows=("hu25/theorem-4.4/round", "hu25/theorem-4.4/once", "hu25/algorithm-1/budget"),
    by=f"composition, {CITED}",
    note="The view that the proof argues about: every fresh Gaussian sample.",
)
def theorem_4_4_samples(p: Any) -> Curve | None:
    """What the proof argues about, all fresh samples released."""
    return Gaussian(printed_eta(p))


@chapter.private(
    "theorem-4.4/sharp",
    source(
        "Theorem 4.4",
        "DP-TS-UCB with trade-off parameter alpha in [0, 1] satisfies sqrt(2 c_0 T^{0.5(1-alpha)} "
        "ln^{1.5(1-alpha)}(T))-GDP.",
    ),
    "pull",
    "samples",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    subject=DPTSUCB,
    params=(
        *({"arms": 2, "horizon": T, "alpha": alpha} for T in (20, 100) for alpha in (0.0, 0.5, 1.0)),
        {"arms": 2, "horizon": 300, "alpha": 1.0},
        {"arms": 12, "horizon": 20, "alpha": 1.0},  # fewer rounds after the first pulls, T - K, than phi
    ),
    follows=("hu25/theorem-4.4/round", "hu25/theorem-4.4/once"),
    by=f"composing the samples of one phase, {CITED}; the second phase is post-processing",
    note="The paper's own argument with post-processing used once: at most floor(phi) samples, at most one a "
    "round from round K + 1 on, each 1/sqrt(n ln^alpha T)-GDP with n >= 1.",
)
def theorem_4_4_sharp(p: Any) -> Curve | None:
    """Sharp: sqrt(min(floor(phi), T - K)/ln^alpha(T))-GDP, all fresh samples released."""
    return Gaussian(sharp_eta(p))


chapter.add(
    "theorem-4.4/sharp/attained",
    source(
        "Theorem 4.4",
        "DP-TS-UCB with trade-off parameter alpha in [0, 1] satisfies sqrt(2 c_0 T^{0.5(1-alpha)} "
        "ln^{1.5(1-alpha)}(T))-GDP.",
    ),
    Stated(
        "all samples together are mu-GDP for no mu below sqrt(min(floor(phi), T - K)/ln^alpha(T)); of the released "
        "arms, a transcript that attains most of it is exhibited"
    ),
    scope="No parameter below sqrt(min(floor(phi), T - K)/ln^alpha(T)) is true for all samples, K >= 2; the "
    "released arms attain most of it.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    given="T up to 10^6, alpha = 0, 1/2, 1, two arms for the table",
    note="So the sharp parameter is exact for all samples, and the released arms alone are between 0.64 of it and "
    "all of it: the printed one is loose by sqrt 2 (more where phi exceeds T), not by its order.",
)


@chapter.private(
    "theorem-4.4/tiny",
    source(
        "Theorem 4.4",
        "DP-TS-UCB with trade-off parameter alpha in [0, 1] satisfies sqrt(2 c_0 T^{0.5(1-alpha)} "
        "ln^{1.5(1-alpha)}(T))-GDP.",
    ),
    "pull",
    "arms",
    reading=Reading.OURS,
    expect=Verdict.CONSISTENT,
    subject=DPTSUCB,
    params=TINY,
    note="Ground truth: the probability of every transcript by quadrature, hidden samples and maxima integrated "
    "out, for all pairs of 0-1 tables that differ in one pull.",
)
def theorem_4_4_tiny(p: Any) -> Curve | None:
    """Sharp, for the released arms, with budgets of 1 and 2."""
    return Gaussian(sharp_eta(p))


@chapter.inequality(
    "theorem-4.4/loose-by-root-2",
    source(
        "Theorem 4.4",
        "DP-TS-UCB with trade-off parameter alpha in [0, 1] satisfies sqrt(2 c_0 T^{0.5(1-alpha)} "
        "ln^{1.5(1-alpha)}(T))-GDP.",
    ),
    over={"whole": Whole(1), "rest": Real(0, 1, True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="Squares times ln^alpha T: 2 floor(phi) against 2 phi, phi = whole + rest.",
)
def theorem_4_4_loose_by_root_2(m: Vocabulary, whole: Number, rest: Number) -> Sides:
    """The printed parameter exceeds the sharp one by a factor of at least sqrt 2."""
    return 2 * whole, 2 * (whole + rest)


@chapter.identity(
    "corollary-4.5/alpha-1/formula",
    source(
        "Corollary 4.5",
        "DP-TS-UCB with trade-off parameter alpha = 0 satisfies O(T^0.25 ln^0.75(T))-GDP; DP-TS-UCB with trade-off "
        "parameter alpha = 1 satisfies O(1)-GDP.",
    ),
    over={"T": HORIZON},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="The constant is sqrt(2 c_0) = 2.875.",
)
def corollary_4_5_alpha_1_formula(m: Vocabulary, T: Number) -> Sides:
    """Theorem 4.4's parameter at alpha = 1 is sqrt(2 c_0)."""
    return f.theorem_4_4_eta(m, T, 1), m.sqrt(2 * f.c_0(m))


chapter.add(
    "corollary-4.5/alpha-1",
    source(
        "Corollary 4.5",
        "DP-TS-UCB with trade-off parameter alpha = 0 satisfies O(T^0.25 ln^0.75(T))-GDP; DP-TS-UCB with trade-off "
        "parameter alpha = 1 satisfies O(1)-GDP.",
    ),
    Consequence("Theorem 4.4 with its parameter written out at alpha = 1"),
    scope="alpha = 1, with the constant that its O hides: sqrt(2 c_0) = 2.875.",
    expect=Verdict.ARGUED,
    follows=("hu25/theorem-4.4", "hu25/corollary-4.5/alpha-1/formula"),
    by=f"Theorem 4.4, {CITED}",
)


@chapter.identity(
    "corollary-4.5/alpha-0/formula",
    source(
        "Corollary 4.5",
        "DP-TS-UCB with trade-off parameter alpha = 0 satisfies O(T^0.25 ln^0.75(T))-GDP; DP-TS-UCB with trade-off "
        "parameter alpha = 1 satisfies O(1)-GDP.",
    ),
    over={"T": HORIZON},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def corollary_4_5_alpha_0_formula(m: Vocabulary, T: Number) -> Sides:
    """Theorem 4.4's parameter at alpha = 0 is sqrt(2 c_0) T^0.25 ln^0.75(T)."""
    left = f.theorem_4_4_eta(m, T, 0)
    right = m.sqrt(2 * f.c_0(m)) * f.power(m, T, m.number("0.25")) * f.power(m, m.log(T), m.number("0.75"))
    return left, right


chapter.add(
    "corollary-4.5/alpha-0",
    source(
        "Corollary 4.5",
        "DP-TS-UCB with trade-off parameter alpha = 0 satisfies O(T^0.25 ln^0.75(T))-GDP; DP-TS-UCB with trade-off "
        "parameter alpha = 1 satisfies O(1)-GDP.",
    ),
    Consequence("Theorem 4.4 with its parameter written out at alpha = 0"),
    scope="alpha = 0, with the constant that its O hides: sqrt(2 c_0) T^0.25 ln^0.75(T).",
    expect=Verdict.ARGUED,
    follows=("hu25/theorem-4.4", "hu25/corollary-4.5/alpha-0/formula"),
    by=f"Theorem 4.4, {CITED}",
)


@chapter.inequality(
    "discussion-4.3/constant-gdp",
    source(
        "Discussion in Section 4.2",
        "DP-TS-UCB with parameter alpha = 0 is not optimal in terms of regret guarantees, but it offers a "
        "constant GDP guarantee (see Corollary 4.5 in Section 4.3).",
    ),
    over={"T": HORIZON},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="A constant guarantee would not exceed its value at T = 3. A misprint: Corollary 4.5, which the "
    "sentence cites, says alpha = 1, and nothing else uses it.",
)
def discussion_4_3_constant_gdp(m: Vocabulary, T: Number) -> Sides:
    """alpha = 0."""
    return f.theorem_4_4_eta(m, T, 0), f.theorem_4_4_eta(m, 3, 0)


@chapter.inequality(
    "discussion-4.3/improves-with-alpha",
    source(
        "Discussion in Section 4.3",
        "The privacy guarantee improves with the increase of trade-off parameter alpha, at the cost of suffering "
        "more regret.",
    ),
    over={"T": HORIZON},
    strict=True,
    expect=Verdict.PROVED,
    note="eta^2 = 2 c_0 (T^0.5 ln^1.5 T)^{1-alpha} decreases in alpha exactly where its base exceeds 1.",
)
def discussion_4_3_improves_with_alpha(m: Vocabulary, T: Number) -> Sides:
    """Of the guarantee of Theorem 4.4, as a formula."""
    return m.number(1), m.sqrt(T) * f.power(m, m.log(T), m.number("1.5"))


@chapter.inequality(
    "preview/better-than-ts-gaussian",
    source(
        "Section 4.3",
        "From the results, even for the worst case, i.e., alpha = 0, DP-TS-UCB is still O~(T^0.25)-GDP, which "
        "could be much better than the O(sqrt(T))-GDP guarantee of TS-Gaussian.",
    ),
    over={"T": Real(1e6, np.inf, closed=True)},
    expect=Verdict.ARGUED,
    note="With their constants they cross at T = 656 805; below, sqrt(0.5 T) is the smaller one.",
)
def preview_better_than_ts_gaussian(m: Vocabulary, T: Number) -> Sides:
    """A comparison of orders, as formulas: of the two printed guarantees, for T from 10^6 on."""
    return f.theorem_4_4_eta(m, T, 0), m.sqrt(T / 2)


chapter.add(
    "preview/better-than-ts-gaussian/algorithm",
    source(
        "Section 4.3",
        "From the results, even for the worst case, i.e., alpha = 0, DP-TS-UCB is still O~(T^0.25)-GDP, which "
        "could be much better than the O(sqrt(T))-GDP guarantee of TS-Gaussian.",
    ),
    Stated("at T = 10^3 and 10^4, alpha = 0, DP-TS-UCB is not sqrt(T/2)-GDP"),
    scope="At T = 10^3 and 10^4 DP-TS-UCB itself, alpha = 0, is not sqrt(T/2)-GDP.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="At these horizons its released arms tell more about a reward than those of ou24's Thompson sampling can. "
    "The paper's sentence is about orders and is not touched.",
)


chapter.add(
    "discussion-4.3/almost-the-same",
    source(
        "Discussion in Section 4.3",
        "By tuning b, c = O(ln^alpha(T)), M-TS-Gaussian achieves sum_{i: Delta_i > 0} O(ln^alpha(T) log(T "
        "Delta_i^2)/Delta_i) regret bounds (almost the same as DP-TS-UCB's regret bounds)",
    ),
    Consequence(
        "ln(T D^2) and ln(T^{0.5(3-alpha)} D^2) + (3-alpha) ln ln T, in which the bounds differ, are of one order"
    ),
    scope="The same order, for fixed gaps and T >= D^-4.",
    expect=Verdict.ARGUED,
    follows=("hu25/section-5.2/same-bound", "hu25/section-5.2/same-bound/converse"),
    by="both bounds are sums of ln^alpha(T)/D_i times these",
)


@chapter.inequality(
    "discussion-4.3/m-ts-log",
    source(
        "Discussion in Section 4.3",
        "By tuning b, c = O(ln^alpha(T)), M-TS-Gaussian achieves [...] but satisfying O(sqrt(T)/ln^alpha(T))-GDP "
        "guarantees, which could be much worse than the O(T^0.25)-GDP guarantees of DP-TS-UCB.",
    ),
    over={"T": Real(1e6, np.inf, True), "alpha": ALPHA},
    expect=Verdict.ARGUED,
    note=QUOTED_RATE,
)
def discussion_4_3_m_ts_log(m: Vocabulary, T: Number, alpha: Number) -> Sides:
    """Of the guarantees, as formulas: b + 1 = c = ln^alpha T, T from 10^6 on."""
    return f.theorem_4_4_eta(m, T, alpha), m.sqrt(T) / f.log_power(m, T, alpha)


@chapter.identity(
    "discussion-4.3/m-ts-power",
    source(
        "Discussion in Section 4.3",
        "By tuning b, c = O(T^gamma), where gamma > 0, M-TS-Gaussian achieves [...] and satisfies "
        "O(sqrt(T^{1-2 gamma}))-GDP.",
    ),
    over={"T": HORIZON, "gamma": POSITIVE},
    expect=Verdict.PROVED,
    note=f"At gamma = 0.25 it is the paper's example, T^0.25. {QUOTED_RATE}",
)
def discussion_4_3_m_ts_power(m: Vocabulary, T: Number, gamma: Number) -> Sides:
    """The rate sqrt(T/(c(b+1))), as a formula, at b + 1 = c = T^gamma."""
    return m.sqrt(T / (f.power(m, T, gamma) * f.power(m, T, gamma))), f.power(m, T, m.number("0.5") - gamma)


@chapter.private(
    "theorem-4.6",
    source(
        "Theorem 4.6",
        "DP-TS-UCB is (eps, delta(eps))-DP for all eps >= 0, where delta(eps) = Phi(-eps/sqrt(2 phi) + sqrt(2 "
        "phi)/2) - e^eps Phi(-eps/sqrt(2 phi) - sqrt(2 phi)/2), where phi = c_0 T^{0.5(1-alpha)} "
        "ln^{0.5(3-alpha)}(T).",
    ),
    "pull",
    "arms",
    expect=Verdict.ARGUED,
    subject=DPTSUCB,
    params=SMALL[:3],
    follows=(
        "hu25/theorem-4.4",
        "hu25/theorem-4.6/weaker",
        "hu25/theorem-2.4",
        "hu25/theorem-2.4/attained",
        "hu25/theorem-2.4/remark",
    ),
    by=f"Theorem 2.4 and its Remark, {CITED}",
    note="True, and weaker than what Theorem 4.4 gives (hu25/theorem-4.6/direct).",
)
def theorem_4_6(p: Any) -> Curve | None:
    return Gaussian(float(np.sqrt(2 * p.phi)))


@chapter.inequality(
    "theorem-4.6/weaker",
    source(
        "Theorem 4.6",
        "DP-TS-UCB is (eps, delta(eps))-DP for all eps >= 0, where delta(eps) = Phi(-eps/sqrt(2 phi) + sqrt(2 "
        "phi)/2) - e^eps Phi(-eps/sqrt(2 phi) - sqrt(2 phi)/2), where phi = c_0 T^{0.5(1-alpha)} "
        "ln^{0.5(3-alpha)}(T).",
    ),
    over={"T": HORIZON, "alpha": ALPHA},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="Squared and divided: 1 <= ln^alpha T.",
)
def theorem_4_6_weaker(m: Vocabulary, T: Number, alpha: Number) -> Sides:
    """Its sqrt(2 phi) is at least Theorem 4.4's parameter sqrt(2 phi/ln^alpha T)."""
    return m.number(1), f.log_power(m, T, alpha)


@chapter.identity(
    "theorem-4.6/direct",
    source("Proof of Theorem 4.6", "Directly using Theorem 2.4 concludes the proof."),
    over={"T": HORIZON, "alpha": ALPHA},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.FACTOR,
    harm=Harm.NUMBER,
    note="Theorem 2.4 applied to Theorem 4.4 gives the profile of sqrt(2 phi/ln^alpha T); the printed one lost "
    "the ln^alpha T, so that at alpha = 1 it grows with T. The theorem is "
    "true (by Theorem 2.4's Remark), but a user of it gives away a factor ln^{alpha/2} T of the guarantee.",
)
def theorem_4_6_direct(m: Vocabulary, T: Number, alpha: Number) -> Sides:
    """Theorem 2.4 turns Theorem 4.4 into the printed profile."""
    return f.theorem_4_6_eta(m, T, alpha), f.theorem_4_4_eta(m, T, alpha)


chapter.add(
    "theorem-4.7",
    source(
        "Theorem 4.7 (Dong et al. 2022)",
        "The m-fold composition of eta_i-GDP mechanisms is sqrt(eta_1^2 + ... + eta_m^2)-GDP.",
    ),
    Unjudged("a cited theorem about all mechanisms; the audits of Theorem 4.4 would show a violation of it"),
    expect=Verdict.UNSUPPORTED,
)


chapter.add(
    "theorem-4.8",
    source("Theorem 4.8 (Dong et al. 2022)", "If a mechanism A is eta-GDP, its post-processing is also eta-GDP."),
    Unjudged("a cited theorem about all mechanisms, an immediate consequence of the trade-off function's infimum"),
    expect=Verdict.UNSUPPORTED,
)
