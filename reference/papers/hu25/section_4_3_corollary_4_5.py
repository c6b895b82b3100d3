"""Section 4.3: Corollary 4.5, and the sentences of the discussion and the preview about it."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Stated, Verdict
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.page import page
from dpbandits.reference.papers.hu25.shared import ALPHA, HORIZON, POSITIVE, source

chapter = page.chapter("Section 4.3")


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
    Consequence("at alpha = 1, DP-TS-UCB is sqrt(2 c_0)-GDP for every T"),
    scope="At alpha = 1, the constant hidden in the O of the corollary is sqrt(2 c_0) = 2.875.",
    expect=Verdict.ARGUED,
    follows=("hu25/theorem-4.4/every-run", "hu25/corollary-4.5/alpha-1/formula"),
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
    Consequence("at alpha = 0 DP-TS-UCB is sqrt(2 c_0) T^0.25 ln^0.75(T)-GDP"),
    scope="At alpha = 0, with the constant hidden in the O of the corollary, eta is sqrt(2 c_0) T^0.25 ln^0.75(T).",
    expect=Verdict.ARGUED,
    follows=("hu25/theorem-4.4/every-run", "hu25/corollary-4.5/alpha-0/formula"),
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
    note="A constant guarantee would not exceed its value at T = 3. The printed alpha = 0 is a misprint: Corollary "
    "4.5, which the sentence cites, says alpha = 1. Nothing else uses the sentence.",
)
def discussion_4_3_constant_gdp(m: Vocabulary, T: Number) -> Sides:
    """The claim is read at alpha = 0, as printed."""
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
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="eta^2 = 2 c_0 (T^0.5 ln^1.5 T)^{1-alpha} decreases in alpha if and only if the base T^0.5 ln^1.5 T exceeds "
    "1.",
)
def discussion_4_3_improves_with_alpha(m: Vocabulary, T: Number) -> Sides:
    """The formula is about the guarantee of Theorem 4.4."""
    return m.number(1), m.sqrt(T) * f.power(m, m.log(T), m.number("1.5"))


@chapter.inequality(
    "preview/better-than-ts-gaussian",
    source(
        "Section 4.3",
        "From the results, even for the worst case, i.e., alpha = 0, DP-TS-UCB is still O~(T^0.25)-GDP, which "
        "could be much better than the O(sqrt(T))-GDP guarantee of TS-Gaussian.",
    ),
    over={"T": Real(1e6, np.inf, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    note="With their constants, the two guarantees are equal near T = 656 805. For smaller T, sqrt(0.5 T) is smaller.",
)
def preview_better_than_ts_gaussian(m: Vocabulary, T: Number) -> Sides:
    """The formula compares the two guarantees, with their constants, for T >= 10^6."""
    return f.theorem_4_4_eta(m, T, 0), m.sqrt(T / 2)


chapter.add(
    "preview/better-than-ts-gaussian/algorithm",
    source(
        "Section 4.3",
        "From the results, even for the worst case, i.e., alpha = 0, DP-TS-UCB is still O~(T^0.25)-GDP, which "
        "could be much better than the O(sqrt(T))-GDP guarantee of TS-Gaussian.",
    ),
    Stated("at T = 10^3 and 10^4, alpha = 0, DP-TS-UCB is not sqrt(T/2)-GDP"),
    scope="The claim is about the algorithm itself, not only about its bound, at alpha = 0, T = 10^3 and 10^4.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="At these horizons, the released arms of DP-TS-UCB reveal more about a reward than the released arms of "
    "ou24's Thompson sampling can. The paper's sentence is about orders and is not affected.",
)

chapter.add(
    "discussion-4.3/almost-the-same",
    source(
        "Discussion in Section 4.3",
        "By tuning b, c = O(ln^alpha(T)), M-TS-Gaussian achieves sum_{i: Delta_i > 0} O(ln^alpha(T) log(T "
        "Delta_i^2)/Delta_i) regret bounds (almost the same as DP-TS-UCB's regret bounds)",
    ),
    Consequence("the regret bounds of DP-TS-UCB and M-TS-Gaussian have the same order, for fixed gaps as T grows"),
    scope="The claim is that the orders are equal, for fixed gaps and T >= D^-4.",
    expect=Verdict.ARGUED,
    follows=("hu25/section-5.2/same-bound", "hu25/section-5.2/same-bound/converse"),
    by="because both bounds are sums of ln^alpha(T)/D_i times logarithms of the same order",
)


@chapter.inequality(
    "discussion-4.3/m-ts-log",
    source(
        "Discussion in Section 4.3",
        "By tuning b, c = O(ln^alpha(T)), M-TS-Gaussian achieves [...] but satisfying O(sqrt(T)/ln^alpha(T))-GDP "
        "guarantees, which could be much worse than the O(T^0.25)-GDP guarantees of DP-TS-UCB.",
    ),
    over={"T": Real(1e6, np.inf, True), "alpha": ALPHA},
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    note="Read literally, M-TS-Gaussian as quoted here has this parameter up to a factor of sqrt(1 + 1/b), b >= 1, "
    "and so the same order (`hu25/section-3/m-ts-gaussian`).",
    related=("hu25/section-3/m-ts-gaussian",),
)
def discussion_4_3_m_ts_log(m: Vocabulary, T: Number, alpha: Number) -> Sides:
    """The formula compares the two guarantees at b + 1 = c = ln^alpha T, for T >= 10^6."""
    return f.theorem_4_4_eta(m, T, alpha), m.sqrt(T) / f.log_power(m, T, alpha)


@chapter.identity(
    "discussion-4.3/m-ts-power",
    source(
        "Discussion in Section 4.3",
        "By tuning b, c = O(T^gamma), where gamma > 0, M-TS-Gaussian achieves [...] and satisfies "
        "O(sqrt(T^{1-2 gamma}))-GDP.",
    ),
    over={"T": HORIZON, "gamma": POSITIVE},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="At gamma = 0.25 the rate is T^0.25, the paper's example. Read literally, M-TS-Gaussian as quoted here has "
    "this parameter up to a factor of sqrt(1 + 1/b), b >= 1, and so the same order (`hu25/section-3/m-ts-gaussian`).",
    related=("hu25/section-3/m-ts-gaussian",),
)
def discussion_4_3_m_ts_power(m: Vocabulary, T: Number, gamma: Number) -> Sides:
    """The formula is the rate sqrt(T/(c(b+1))) at b + 1 = c = T^gamma."""
    return m.sqrt(T / (f.power(m, T, gamma) * f.power(m, T, gamma))), f.power(m, T, m.number("0.5") - gamma)
