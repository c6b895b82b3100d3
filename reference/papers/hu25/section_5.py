"""Section 5."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Claim, Fault, Harm, Identity, OneOf, Reading, Real, Side, Verdict, Whole
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.page import page
from dpbandits.reference.papers.hu25.shared import ALPHA, ALPHAS, HORIZON, MILLION, source

chapter = page.chapter("Section 5")

SAME_BOUND = source(
    "Section 5.2",
    "Since DP-TS-UCB with parameter alpha and M-TS-Gaussian with parameters b = 0, c = 5 ln^alpha(T)) share "
    "the same theoretical regret bound, we now present empirical regret and privacy guarantees for different "
    "values of alpha = {0, 0.25, 0.5, 0.75, 1}.",
)


@chapter.inequality(
    "figure-4b",
    source(
        "Section 5.2, Figure 4(b)",
        "Figure 4(a) shows that DP-TS-UCB incurs lower empirical regret than M-TS-Gaussian, whereas Figure 4(b) "
        "shows that DP-TS-UCB achieves better privacy.",
    ),
    over={"T": MILLION, "alpha": ALPHAS},
    expect=Verdict.REFUTED,
    fault=Fault.QUANTIFIER,
    harm=Harm.STATEMENT,
    repaired_by=("hu25/figure-4b/alpha-positive",),
    note="The claim is false at alpha = 0 (651.5 against 447.2) and true at the other four values "
    "(`hu25/figure-4b/alpha-positive`).\n"
    "So a reader may wrongly think that DP-TS-UCB is the more private algorithm at alpha = 0. At b = 0 the quoted "
    "algorithm needs a first pull of each arm, which the paper does not mention. The claim compares the printed "
    "formulas.",
)
def figure_4b(m: Vocabulary, T: Number, alpha: Number) -> Sides:
    """The formula compares the two printed parameters at T = 10^6 for all five alpha, with b = 0 and c = 5
    ln^alpha(T)."""
    return f.theorem_4_4_eta(m, T, alpha), f.quoted_eta(m, T, 0, 5 * f.log_power(m, T, alpha))


@chapter.inequality(
    "figure-4b/alpha-positive",
    source(
        "Section 5.2, Figure 4(b)",
        "Figure 4(a) shows that DP-TS-UCB incurs lower empirical regret than M-TS-Gaussian, whereas Figure 4(b) "
        "shows that DP-TS-UCB achieves better privacy.",
    ),
    over={"T": MILLION, "alpha": OneOf(ALPHAS.values[1:])},
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
)
def figure_4b_alpha_positive(m: Vocabulary, T: Number, alpha: Number) -> Sides:
    """The formula compares the two printed parameters for alpha = 0.25, 0.5, 0.75 and 1."""
    return f.theorem_4_4_eta(m, T, alpha), f.quoted_eta(m, T, 0, 5 * f.log_power(m, T, alpha))


@chapter.identity(
    "section-5.3/c",
    source(
        "Section 5.3",
        "Thus, we let c = sqrt(1/(2 c_0 (b+1)) T^{0.5(1+alpha)} ln^{-1.5(1-alpha)} T) for any b of M-TS-Gaussian "
        "to ensure the same privacy guarantees as DP-TS-UCB.",
    ),
    over={"T": HORIZON, "alpha": ALPHA, "b": Whole(0, 10**5)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The printed formula for c has one square root too many.\n"
    "Appendix E.1 prints c without this root. The experiments use the formula of the appendix, so no result is "
    "affected.",
)
def section_5_3_c(m: Vocabulary, T: Number, alpha: Number, b: Number) -> Sides:
    """The claim is that with this c, sqrt(T/(c(b+1))) equals the parameter of Theorem 4.4."""
    return f.quoted_eta(m, T, b, f.matching_c_rooted(m, T, alpha, b)), f.theorem_4_4_eta(m, T, alpha)


def printed_numbers(alpha: int, b: int, c: str) -> Claim:
    def matching(m: Vocabulary, T: Number) -> Sides:
        return f.matching_c(m, T, alpha, b), m.number(c)

    return Claim(
        f"hu25/section-5.3/numbers-alpha-{alpha}",
        source("Sections 5.3 and E.1", f"M-TS-Gaussian parameters are b = {b} and c = {c}"),
        Identity(Side(matching, 0), Side(matching, 1), over={"T": MILLION}, within=0.005),
        expect=Verdict.PROVED,
        note="The printed numbers agree with the formula of Appendix E.1, which lacks the root.",
    )


chapter.take(printed_numbers(0, 1, "1.18"), printed_numbers(1, 2000, "60.46"))


@chapter.inequality(
    "section-5.2/same-bound",
    SAME_BOUND,
    over={"log_T": Real(1, np.inf, True), "share": Real(0, 1, True), "part": Real(0, 1, True), "alpha": ALPHA},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The formula is one of the two directions of 'the same order'. The other direction is "
    "`hu25/section-5.2/same-bound/converse`. The orders are not the same uniformly in the gaps "
    "(`hu25/section-5.2/same-bound/small-gaps`).",
    related=("hu25/section-5.2/same-bound/converse", "hu25/section-5.2/same-bound/small-gaps"),
)
def section_5_2_same_bound(m: Vocabulary, log_T: Number, share: Number, part: Number, alpha: Number) -> Sides:
    """For fixed gaps and T >= D^-4, the formula states that ln(T^{0.5(3-alpha)} D^2) + (3-alpha) ln ln T is at most 8
    ln(T D^2). In the formula, -ln D^2 = share ln(T)/2 and ln ln T = part ln T."""
    left = (3 - alpha) / 2 * log_T - share * log_T / 2 + (3 - alpha) * part * log_T
    return left, 8 * (log_T - share * log_T / 2)


@chapter.inequality(
    "section-5.2/same-bound/converse",
    SAME_BOUND,
    over={"log_T": Real(1, np.inf, True), "share": Real(0, 1, True), "alpha": ALPHA},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def section_5_2_same_bound_converse(m: Vocabulary, log_T: Number, share: Number, alpha: Number) -> Sides:
    """The formula is the other direction of 'the same order': ln(T D^2) <= ln(T^{0.5(3-alpha)} D^2)."""
    return log_T - share * log_T / 2, (3 - alpha) / 2 * log_T - share * log_T / 2


@chapter.identity(
    "section-5.2/same-bound/small-gaps",
    SAME_BOUND,
    over={"log_T": Real(1, np.inf, True), "alpha": ALPHA},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="So the ratio of the two bounds grows with T, except at alpha = 1, where the bounds differ by ln ln T only. "
    "The orders agree for every fixed gap, but not uniformly in the gaps. At alpha = 0, the comparison with the "
    "bound of TS-Gaussian (Section 4.2, 'slightly worse') has the same result.",
)
def section_5_2_same_bound_small_gaps(m: Vocabulary, log_T: Number, alpha: Number) -> Sides:
    """If T D^2 = e, then ln(T D^2) = 1 and -ln D^2 = ln T - 1, so ln(T^{0.5(3-alpha)} D^2) is 1 + (1-alpha) ln(T)/2."""
    return (3 - alpha) / 2 * log_T - (log_T - 1), 1 + (1 - alpha) / 2 * log_T
