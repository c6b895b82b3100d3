"""Appendix C: Theorem 8 and its proof, a lower bound that depends on the instance."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Stated, Verdict
from dpbandits.reference.papers.tao22.appendix_b_theorem_5 import s_of
from dpbandits.reference.papers.tao22.appendix_b_theorem_10 import FIFTH
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import ALL_ALGORITHMS, ONE_INSTANCE, SHARE, V

chapter = page.chapter("Appendix C: Theorems 11, 8 and 9")
THEOREM_8 = source(
    "Theorem 8 (LDP Instance-dependent Lower Bound)",
    "There exists a heavy-tailed K-armed bandit instance with u <= 1 in (2) and Delta_a = mu_1 - mu_a in (0, 1/5), "
    "such that for any eps-LDP (0 < eps <= 1) algorithm whose regret <= o(T^alpha) for any alpha > 0, the regret "
    "satisfies lim inf_{T -> inf} R_T/log T >= Omega((1/eps^2) sum_{Delta_a > 0} (1/Delta_a)^{1/v}).",
    statement="Theorem 8",
)


@chapter.inequality(
    "theorem-8/chances",
    source(
        "Proof of Theorem 8",
        "Note that, s_a^{1+v}/2 + 2 Delta_a s_a = 2^{1/v} mu_a^{(1+v)/v} + 2^{(1+v)/v} Delta_a mu_a^{1/v} <= mu_a + 2 "
        "Delta_a = mu_1 + Delta_a <= 1, where the first inequality is due to mu_a <= 1/2, hence the postulated nu'_a "
        "is reasonable.",
    ),
    over={"x": Real(0, 1, closed=True), "gap": FIFTH, "v": V},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="Both terms on the left have the factor (2 mu_a)^{1/v} <= 1.",
)
def theorem_8_chances(m: Vocabulary, x: Number, gap: Number, v: Number) -> Sides:
    """The formula is the first inequality, 2^{1/v} mu_a^{(1+v)/v} + 2^{(1+v)/v} Delta_a mu_a^{1/v} <= mu_a + 2 Delta_a,
    in terms of x = 2 mu_a <= 1. The inequality mu_1 + Delta_a <= 1, which follows from mu_1 <= 1/2 and Delta_a < 1/5,
    is not part of this formula."""
    return m.power(x, 1 / v) * (x / 2 + 2 * gap), x / 2 + 2 * gap


@chapter.identity(
    "theorem-8/moment/changed",
    source(
        "Proof of Theorem 8",
        "For nu'_a, we have E[nu'_a] = mu_a + 2 Delta_a = mu_1 + Delta_a and u(nu'_a) = 1/2 + Delta_a/mu_a <= 1, "
        "where the inequality is due to Delta_a <= (1/2) mu_a.",
    ),
    over={"mean": SHARE, "gap": FIFTH, "v": V},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_8_moment(m: Vocabulary, mean: Number, gap: Number, v: Number) -> Sides:
    """The probability 2 Delta_a s_a of the value 1/s_a adds Delta_a/mu_a to the moment 1/2 of nu_a."""
    s = s_of(m, mean, v)
    return 2 * gap * s / m.power(s, 1 + v), gap / mean


DIVERGENCE_8 = source(
    "Proof of Theorem 8",
    "KL(nu_a||nu'_a) = KL(Ber(s_a^{1+v}/2)||Ber(s_a^{1+v}/2 + 2 Delta_a s_a)) <= [...] <= 25^{1/v} "
    "Delta_a^{(1+v)/v}/(1 - 7 10^{1/v} Delta_a^{(1+v)/v}) <= C 25^{1/v} Delta_a^{(1+v)/v}, where C is some constant "
    "and the last inequality holds since (1/5) mu_a <= Delta_a <= (1/2) mu_a and mu_a <= 1/2.",
)


@chapter.inequality(
    "theorem-8/divergence",
    DIVERGENCE_8,
    over={"gap": Real(0, 1 / 6), "v": V},
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.PROOF,
    note="mu_1 <= 1/2 and Delta_a <= mu_a/2 allow gaps up to 1/6. At v = 1 the printed bound is negative for gaps "
    "above 0.12.\n"
    "The theorem needs only an instance with small gaps, and with another denominator the line holds for all allowed "
    "gaps (`tao22/theorem-8/divergence/repaired`). (The preceding line repeats a line of Theorem 11 and still has "
    "gamma in place of s_a.)",
    repaired_by=("tao22/theorem-8/divergence/repaired",),
)
def theorem_8_divergence(m: Vocabulary, gap: Number, v: Number) -> Sides:
    """The claim is that the denominator of the bound is not negative: 7 10^{1/v} Delta_a^{(1+v)/v} <= 1."""
    return 7 * m.power(m.number(10), 1 / v) * m.power(gap, (1 + v) / v), m.number(1)


@chapter.inequality(
    "theorem-8/divergence/chance",
    DIVERGENCE_8,
    over={"ratio": Real(2, 5, closed=True)},
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
    note="The probability is s_a (mu_a + 2 Delta_a), where s_a <= 2 mu_a. With mu_a = ratio Delta_a and mu_a + "
    "Delta_a <= 1/2, Delta_a is at most 1/(2 (1 + ratio)).",
)
def theorem_8_divergence_chance(m: Vocabulary, ratio: Number) -> Sides:
    """The claim is that under nu'_a, arm a pays with probability at most 1/2. In the formula, ratio = mu_a/Delta_a."""
    return ratio * (ratio + 2) / (2 * (1 + ratio) ** 2), m.number("0.5")


@chapter.inequality(
    "theorem-8/divergence/repaired",
    DIVERGENCE_8,
    over={"ratio": Real(2, 5, closed=True), "v": V},
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
    note="So KL <= (2 Delta_a s_a)^2/(q/2) <= 2 25^{1/v} Delta_a^{(1+v)/v}. Here q = s_a (mu_a + 2 Delta_a) is the "
    "probability that arm a pays under nu'_a, and q is at most 1/2 (`tao22/theorem-8/divergence/chance`).",
    related=("tao22/theorem-8/divergence/chance",),
)
def theorem_8_divergence_repaired(m: Vocabulary, ratio: Number, v: Number) -> Sides:
    """The formula is 4 Delta_a^2 s_a/(mu_a + 2 Delta_a) <= 25^{1/v} Delta_a^{(1+v)/v} with s_a = (2 mu_a)^{1/v},
    divided by its right side. In the formula, ratio = mu_a/Delta_a."""
    return 4 / (ratio + 2) * m.power(2 * ratio / 25, 1 / v), m.number(1)


@chapter.inequality(
    "theorem-8/total-variation",
    source(
        "Proof of Theorem 8",
        "We focus on the K arms with mean reward satisfying 1/2 >= mu_1 >= ... >= mu_K and (1/5) mu_a <= Delta_a <= "
        "(1/2) mu_a.",
    ),
    over={"part": Real(0.4, 1, closed=True), "gap": FIFTH, "v": V},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="So the total variation of nu_a and nu'_a, 2 Delta_a s_a, is at most 2 10^{1/v} Delta_a^{(1+v)/v}.",
)
def theorem_8_total_variation(m: Vocabulary, part: Number, gap: Number, v: Number) -> Sides:
    """The formula is s_a = (2 mu_a)^{1/v} <= (10 Delta_a)^{1/v}, with part = mu_a/(5 Delta_a) between 2/5 and 1."""
    return m.power(10 * part * gap, 1 / v), m.power(10 * gap, 1 / v)


chapter.add(
    "theorem-8/raised",
    THEOREM_8,
    Consequence("lim inf_{T -> inf} R_T/log T >= sum_{Delta_a > 0} 1/(16 10^{2/v} eps^2 Delta_a^{1 + 2/v})"),
    scope="The claim is about the instances and the algorithms of the proof.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=(
        "tao22/lemma-15/sharp",
        "tao22/theorem-5/mean",
        "tao22/theorem-5/moment",
        "tao22/theorem-8/chances",
        "tao22/theorem-8/moment/changed",
        "tao22/theorem-8/total-variation",
        "tao22/theorem-11/eq-28/repaired",
    ),
    by="a bound on the KL divergence of the two runs, arm by arm",
    cites="the inequality of Bretagnolle and Huber",
    note="The argument is that of Theorem 8 with the sharper Lemma 15: nu'_a has the mean mu_1 + Delta_a, and lim "
    "inf KL/log T >= 1 as in Theorem 11.",
)

chapter.add(
    "theorem-8",
    THEOREM_8,
    Consequence(
        "lim inf_{T -> inf} R_T/log T >= Omega((1/eps^2) sum_{Delta_a > 0} (1/Delta_a)^{1/v}) on the instances of the "
        "proof"
    ),
    scope="The claim is about eps-LDP algorithms with eps in (0, 1] and with regret o(T^alpha) for every alpha > 0 "
    "on all of the proof's instances.",
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-8/raised",),
    by="because Delta_a^{-1-2/v} >= Delta_a^{-1/v} for Delta_a < 1",
)

chapter.add(
    "theorem-8/letter",
    THEOREM_8,
    Stated("there is one instance on which every eps-LDP algorithm with regret o(T^alpha) has regret of this order"),
    scope=ALL_ALGORITHMS,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.QUANTIFIER,
    harm=Harm.NONE,
    same_error_as="tao22/theorem-5/letter",
    note=f"{ONE_INSTANCE}: `tao22/theorem-8`.",
    related=("tao22/theorem-8",),
)
