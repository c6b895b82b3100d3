"""Claims of Appendices C.3 (the three analyses compared, Figure 4) and D (the three epsilons)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import (
    Claim,
    Fault,
    Harm,
    Inequality,
    OneOf,
    Reading,
    Real,
    Side,
    Source,
    Verdict,
    Whole,
)
from dpbandits.reference.curves import gaussian_delta
from dpbandits.reference.papers.ou24.appendix_c_2 import ORDER, THEOREM_8
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.privacy_formulas import (
    best_renyi_eps,
    corollary_1_eps,
    lemma_3_mu,
    renyi_at_gdp,
    renyi_delta,
    split_eps,
    theorem_8_eps,
)
from dpbandits.reference.papers.ou24.section_2 import ROUNDS

chapter = page.chapter("Appendices C.3 and D")

T = 1000  # Figure 4
LAM = Real(0.7, 23, closed=True)  # delta = e^-lam, from 0.4966 down to 1.03e-10
C_3_TIGHTER = Source(
    "ou24",
    "Appendix C.3",
    "We observe that the guarantees obtained by GDP and RDP are significantly tighter than the one obtained by the "
    "standard DP method.",
)
C_3_N = Source(
    "ou24",
    "Appendix C.3",
    "Unlike the standard DP guarantee, the GDP and RDP guarantees do not depend on N.",
)
C_3_RENYI = Source(
    "ou24",
    "Appendix C.3",
    "RDP and GDP offer comparable guarantees, with GDP showing a slight advantage in specific regions, particularly "
    "when delta is small, and consistently performing no worse than RDP across all scenarios.",
)
APPENDIX_D = Source(
    "ou24",
    "Appendix D",
    "privacy parameters eps = 4.88, 35.57, and 96.71, corresponding to 1-, 5- and 10-GDP if delta = 10^-6",
)


@chapter.inequality(
    "c3/best-order",
    THEOREM_8,
    over={"T": ROUNDS, "alpha": ORDER, "delta": Real(0, 1)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="The bound is attained at alpha = 1 + sqrt(4 log(1/delta)/T), which gives the RDP curve of Figure 4.",
)
def c3_best_order(m: Vocabulary, T: Number, alpha: Number, delta: Number) -> Sides:
    """For every order alpha, the eps of Theorem 8 is at least T/4 + sqrt(T log(1/delta))."""
    return best_renyi_eps(m, T, delta), theorem_8_eps(m, T, alpha, delta)


@chapter.inequality(
    "c3/significantly-tighter",
    C_3_TIGHTER,
    over={"arms": OneOf((2, 10)), "lam": Real(LAM.low, 600, closed=True), "share": Real(0, 1)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="GDP has an even smaller eps than RDP. The three curves are those of Figure 4.",
)
def c3_significantly_tighter(m: Vocabulary, arms: Number, lam: Number, share: Number) -> Sides:
    """At T = 1000, for every delta = e^-lam from 1e-260 to 0.49 and every division of delta among the rounds, the eps
    of standard DP is at least 5 times the eps of RDP."""
    return 5 * best_renyi_eps(m, T, m.exp(-lam)), split_eps(m, T, arms, m.exp(-lam), share)


@chapter.inequality(
    "c3/depends-on-N",
    C_3_N,
    over={"N": Whole(2), "delta": Real(0, 0.001), "slack": Real(0, 1)},
    strict=True,
    expect=Verdict.ARGUED,
)
def c3_depends_on_n(m: Vocabulary, N: Number, delta: Number, slack: Number) -> Sides:
    """At T = 1000, the eps of standard DP grows with N. N does not occur in Theorems 3 and 8."""
    return corollary_1_eps(m, T, N, delta, slack), corollary_1_eps(m, T, N + 1, delta, slack)


@chapter.inequality(
    "c3/no-worse",
    C_3_RENYI,
    over={"T": ROUNDS, "delta": Real(0, 1)},
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-8/formula",),
    by="Theorem 8's formula at the best order",
)
def c3_no_worse(m: Vocabulary, T: Number, delta: Number) -> Sides:
    """GDP is no worse than RDP at the best order, for every T and delta."""
    return gaussian_delta(m, best_renyi_eps(m, T, delta), lemma_3_mu(m, T)), delta


@chapter.inequality(
    "c3/comparable",
    C_3_RENYI,
    over={"lam": LAM},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The eps of RDP is above that of GDP by 11.0% at delta = 0.5, 3.4% at 1e-6 and 2.7% at 1e-10: comparable, "
    "with a slight advantage for GDP.",
)
def c3_comparable(m: Vocabulary, lam: Number) -> Sides:
    """At T = 1000 and delta = e^-lam from 1.1e-10 to 0.49, the eps of RDP is at most 12% above the eps of GDP."""
    left = m.exp(-lam)
    right = gaussian_delta(m, best_renyi_eps(m, T, m.exp(-lam)) / m.number("1.12"), lemma_3_mu(m, T))
    return left, right


@chapter.inequality(
    "c3/when-delta-is-small",
    C_3_RENYI,
    over={"eps": Real(250, 400), "more": Real(0, 100)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.DIRECTION,
    harm=Harm.NONE,
    note="If eps is compared at equal delta, the disadvantage of RDP is largest at large delta, contrary to the "
    "sentence.\n"
    "If delta is compared at equal eps, the sentence is right (`ou24/c3/when-delta-is-small/in-delta`).\n"
    "Nothing else rests on the sentence.",
    related=("ou24/c3/when-delta-is-small/in-delta",),
)
def c3_when_delta_is_small(m: Vocabulary, eps: Number, more: Number) -> Sides:
    """The eps of RDP and GDP, the ordinate of Figure 4, are compared at equal delta and T = 1000. The ratio RDP/GDP is
    larger at a larger eps, that is, at a smaller delta."""
    left = renyi_at_gdp(m, eps, lemma_3_mu(m, T)) / eps
    right = renyi_at_gdp(m, eps + more, lemma_3_mu(m, T)) / (eps + more)
    return left, right


@chapter.inequality(
    "c3/when-delta-is-small/difference",
    C_3_RENYI,
    over={"eps": Real(250, 400), "more": Real(0, 100)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.DIRECTION,
    harm=Harm.NONE,
    same_error_as="ou24/c3/when-delta-is-small",
    note="The difference of the two eps at equal delta falls as delta falls: 27.3 at delta = 0.5, 12.2 at 1e-6, 10.4 "
    "at 1e-10.\n"
    "If delta is compared at equal eps, the sentence is right (`ou24/c3/when-delta-is-small/in-delta`).\n"
    "Nothing else rests on the sentence.",
    related=("ou24/c3/when-delta-is-small/in-delta",),
)
def c3_when_delta_is_small_difference(m: Vocabulary, eps: Number, more: Number) -> Sides:
    """The eps of RDP and GDP are compared at equal delta, by the difference RDP - GDP in place of the ratio RDP/GDP."""
    left = renyi_at_gdp(m, eps, lemma_3_mu(m, T)) - eps
    right = renyi_at_gdp(m, eps + more, lemma_3_mu(m, T)) - (eps + more)
    return left, right


@chapter.inequality(
    "c3/when-delta-is-small/in-delta",
    C_3_RENYI,
    over={"eps": Real(250, 300), "more": Real(0, 100)},
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    note="The ratio is 2.0 at delta = 0.5, 7.4 at 1e-2, 15.0 at 1e-6 and 21 at 1e-10.",
)
def c3_when_delta_is_small_in_delta(m: Vocabulary, eps: Number, more: Number) -> Sides:
    """The delta of RDP and GDP are compared at equal eps. For T = 1000 and eps from 250 to 400, the ratio RDP/GDP of
    the two delta grows as delta falls."""
    left = renyi_delta(m, eps, T) / gaussian_delta(m, eps, lemma_3_mu(m, T))
    right = renyi_delta(m, eps + more, T) / gaussian_delta(m, eps + more, lemma_3_mu(m, T))
    return left, right


@chapter.inequality(
    "c3/when-delta-is-large",
    C_3_RENYI,
    over={"eps": Real(250, 300), "more": Real(0, 100)},
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    note="The claim covers delta from 0.48 down to 1e-11. The difference shrinks while eps grows, so the ratio shrinks "
    "too.",
)
def c3_when_delta_is_large(m: Vocabulary, eps: Number, more: Number) -> Sides:
    """The eps of RDP and GDP are compared at equal delta. If the eps of GDP is between 250 and 400, the difference RDP
    - GDP shrinks as delta falls, and so does the ratio RDP/GDP."""
    left = renyi_at_gdp(m, eps + more, lemma_3_mu(m, T)) - (eps + more)
    right = renyi_at_gdp(m, eps, lemma_3_mu(m, T)) - eps
    return left, right


def rounded(mu: int, printed: str) -> Claim:
    def off(m: Vocabulary) -> Sides:
        eps, half, target = m.number(printed), m.number("0.005"), m.number("1e-6")
        ratios = gaussian_delta(m, eps + half, mu) / target, target / gaussian_delta(m, eps - half, mu)
        return m.maximum(*ratios), m.number(1)

    return Claim(
        f"ou24/appendix-d/{mu}-gdp/rounded",
        APPENDIX_D,
        Inequality(Side(off, 0), Side(off, 1), over={}),
        scope=f"The formula states that the eps of {mu}-GDP at delta = 1e-6, rounded to two decimals, is {printed}.",
        reading=Reading.STEP if mu == 5 else Reading.PRINTED,
        expect=Verdict.PROVED if mu == 5 else Verdict.REFUTED,
        fault=None if mu == 5 else Fault.CONSTANT,
        harm=None if mu == 5 else Harm.NUMBER,
        same_error_as="ou24/appendix-d/1-gdp/rounded" if mu == 10 else "",
        note={
            1: "The eps of 1-GDP is 4.8866: the printed 4.88 is truncated instead of rounded to 4.89.",
            5: "The eps of 5-GDP is 35.5663.",
            10: "The eps of 10-GDP is 96.7173: the printed 96.71 is truncated instead of rounded to 96.72.",
        }[mu],
    )


def implied(mu: int, printed: str) -> Claim:
    def enough(m: Vocabulary) -> Sides:
        return gaussian_delta(m, m.number(printed), mu), m.number("1e-6")

    return Claim(
        f"ou24/appendix-d/{mu}-gdp/implied",
        APPENDIX_D,
        Inequality(Side(enough, 0), Side(enough, 1), over={}),
        scope=f"The formula states, by Definition 2, that {mu}-GDP implies ({printed}, 1e-6)-DP.",
        reading=Reading.STEP if mu == 5 else Reading.PRINTED,
        expect=Verdict.PROVED if mu == 5 else Verdict.REFUTED,
        fault=None if mu == 5 else Fault.CONSTANT,
        harm=None if mu == 5 else Harm.NUMBER,
        same_error_as="" if mu == 5 else "ou24/appendix-d/1-gdp/rounded",
        note={
            1: "At eps = 4.88, delta is 1.032e-6, because the printed eps is truncated. So the other algorithms get "
            "slightly more privacy than Thompson sampling.",
            5: "At eps = 35.57, delta is 0.996e-6, because the printed eps is rounded up.",
            10: "At eps = 96.71, delta is 1.004e-6, because the printed eps is truncated.",
        }[mu],
    )


EPSILONS = ((1, "4.88"), (5, "35.57"), (10, "96.71"))


def worst_of(m: Vocabulary, epsilons: Sequence[tuple[int, str]], down: str, up: str) -> Number:
    """How far, as a factor in delta, some printed eps misses [printed + down, printed + up]; at most 1: none does."""
    target = m.number("1e-6")
    ratios = [
        ratio
        for mu, printed in epsilons
        for ratio in (
            target / gaussian_delta(m, m.number(printed) + m.number(down), mu),
            gaussian_delta(m, m.number(printed) + m.number(up), mu) / target,
        )
    ]
    return reduce(m.maximum, ratios)


def one_rule(m: Vocabulary, epsilons: Sequence[tuple[int, str]] = EPSILONS) -> Sides:
    """How far the best of three rules misses some eps: by a factor above 1."""
    rules = (("0", "0.01"), ("-0.005", "0.005"), ("-0.01", "0"))
    return m.number(1), reduce(m.minimum, (worst_of(m, epsilons, down, up) for down, up in rules))


ONE_RULE = Claim(
    "ou24/appendix-d/one-rule",
    APPENDIX_D,
    Inequality(Side(one_rule, 0), Side(one_rule, 1), over={}, strict=True),
    reading=Reading.OURS,
    scope="The three rounding rules are down, to the nearest and up. No single one of these rules gives all three "
    "numbers at delta = 1e-6.",
    expect=Verdict.PROVED,
    note="Rounding down gives 4.88, 35.56 and 96.71. Rounding to the nearest and rounding up both give 4.89, 35.57 "
    "and 96.72. If a printed number is the true eps, rounded down, the true eps lies in [printed, printed + 0.01]. "
    "For rounding to the nearest, this interval is [printed - 0.005, printed + 0.005]. For rounding up, this interval "
    "is [printed - 0.01, printed].",
)
chapter.take(*(make(mu, printed) for mu, printed in EPSILONS for make in (rounded, implied)), ONE_RULE)
