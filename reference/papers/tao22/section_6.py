"""Section 6: experiments. The paper gives neither T nor beta; beta = 1/T is taken."""

from __future__ import annotations

from typing import Any

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET
from dpbandits.reference.claims.model import OneOf, Ordering, Reading, Real, Stated, Unjudged, Verdict, Whole
from dpbandits.reference.papers.tao22 import DPRSE, DPRUCB
from dpbandits.reference.papers.tao22 import formulas as f
from dpbandits.reference.papers.tao22.arms import S_3
from dpbandits.reference.papers.tao22.arms import section_6 as section_6_arms
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import POSITIVE, SHARE, V

chapter = page.chapter("Section 6")
SETTINGS = "Section 6, Datasets and Setting"
S_1_PRINTED = ("0.9", "0.7", "0.5", "0.3", "0.1")
S_2_PRINTED = ("0.9", "0.55", "0.3", "0.15", "0.1")
S_3_PRINTED = ("0.9", "0.85", "0.7", "0.45", "0.1")


@chapter.identity(
    "section-6/mean",
    source(
        SETTINGS,
        "For a given alpha, we set lambda_a = (alpha - 1) mu_a/alpha since the mean of a Pareto distribution with "
        "parameters alpha and lambda_a is alpha lambda_a/(alpha - 1).",
    ),
    over={"alpha": Real(1, float("inf")), "mean": POSITIVE},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def section_6_mean(m: Vocabulary, alpha: Number, mean: Number) -> Sides:
    """With lambda_a = (alpha - 1) mu_a/alpha, alpha lambda_a/(alpha - 1) = mu_a. The formula does not show that the
    left side is the mean of a Pareto distribution."""
    return alpha * ((alpha - 1) * mean / alpha) / (alpha - 1), mean


@chapter.identity(
    "section-6/shape",
    source(
        SETTINGS,
        "We set alpha = 1.05 + v such that the 1+v-th moment of reward distribution always exists and is bounded by "
        "alpha lambda_a^{1+v}/(alpha - (1+v)).",
    ),
    over={"v": SHARE},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def section_6_shape(m: Vocabulary, v: Number) -> Sides:
    """As alpha - (1 + v) = 0.05 > 0, the bound is 20 alpha lambda_a^{1+v}."""
    return m.number("1.05") + v - (1 + v), m.number("0.05")


@chapter.identity(
    "section-6/S-1",
    source(
        SETTINGS,
        "In S_1, we let the gaps of sub-optimal arms decrease linearly where the largest mean is always 0.9 and the "
        "smallest mean is always 0.1 (so the means are {0.9, 0.7, 0.5, 0.3, 0.1}).",
    ),
    over={"a": OneOf((1, 2, 3, 4, 5))},
    expect=Verdict.PROVED,
    note="The means decrease linearly. The gaps of arms 2 to 5 are 0.2, 0.4, 0.6 and 0.8.",
)
def section_6_s_1(m: Vocabulary, a: int) -> Sides:
    """The linear formula 0.9 - 0.2 (a - 1), from 0.9 to 0.1, gives the five printed means."""
    return m.number("0.9") - m.number("0.2") * (m.number(a) - 1), m.number(S_1_PRINTED[a - 1])


@chapter.identity(
    "section-6/S-2",
    source(
        SETTINGS,
        "In S_2, we consider the case that a larger fraction of arms have large sub-optimal gaps, hence we set the "
        "mean of each arm a by a quadratic convex function mu_a = 0.05(a-5)^2 + 0.1 (so the means are {0.9, 0.55, "
        "0.3, 0.15, 0.1}).",
    ),
    over={"a": OneOf((1, 2, 3, 4, 5))},
    expect=Verdict.PROVED,
)
def section_6_s_2(m: Vocabulary, a: int) -> Sides:
    """The formula gives the five printed means. The formula does not cover the words 'a larger fraction of arms'."""
    return m.number("0.05") * (m.number(a) - 5) ** 2 + m.number("0.1"), m.number(S_2_PRINTED[a - 1])


@chapter.identity(
    "section-6/S-3",
    source(
        SETTINGS,
        "In S_3, we consider the case that a larger fraction of arms have small sub-optimal gaps, hence we set the "
        "mean of each arm a by a quadratic concave function mu_a = -0.05(a-1)^2 + 0.9 (so the means are {0.9, 0.85, "
        "0.7, 0.45, 0.1}).",
    ),
    over={"a": OneOf((1, 2, 3, 4, 5))},
    expect=Verdict.PROVED,
)
def section_6_s_3(m: Vocabulary, a: int) -> Sides:
    """The formula gives the five printed means. The formula does not cover the words 'a larger fraction of arms'."""
    return -m.number("0.05") * (m.number(a) - 1) ** 2 + m.number("0.9"), m.number(S_3_PRINTED[a - 1])


LARGER = source(
    "Section 6, Results and Discussion",
    "In the second part, we evaluate our proposed Algorithm 4 (LDPRSE) for the local DP model in the Setting 3 (S_3), "
    "since S_3 will has larger regret than S_1 and S_2 theoretically.",
)


@chapter.inequality("section-6/S-3-larger/S-1", LARGER, over={"v": V}, reading=Reading.STEP, expect=Verdict.PROVED)
def section_6_s_3_larger_s_1(m: Vocabulary, v: Number) -> Sides:
    """The claim is that sum (1/Delta_a)^{1/v} over the gaps 0.2, 0.4, 0.6, 0.8 of S_1 is at most the sum over the gaps
    0.05, 0.2, 0.45, 0.8 of S_3. The common terms cancel, and (1/0.45)^{1/v} on the right may be dropped. The formula is
    the rest, (1/0.4)^{1/v} + (1/0.6)^{1/v} <= (1/0.05)^{1/v}, divided by its right side."""
    return m.power(m.number(8), -1 / v) + m.power(m.number(12), -1 / v), m.number(1)


@chapter.inequality("section-6/S-3-larger/S-2", LARGER, over={"v": V}, reading=Reading.STEP, expect=Verdict.PROVED)
def section_6_s_3_larger_s_2(m: Vocabulary, v: Number) -> Sides:
    """The claim about S_1 is repeated for the gaps 0.35, 0.6, 0.75, 0.8 of S_2. The formula is (1/0.35)^{1/v} +
    (1/0.6)^{1/v} + (1/0.75)^{1/v} <= (1/0.05)^{1/v}, divided by its right side."""
    first, second, third = (m.power(m.number(k), -1 / v) for k in (7, 12, 15))
    return first + second + third, m.number(1)


# -- how long the first epoch lasts --------------------------------------------------------------------------------


def moment_bound(m: Vocabulary, v: Number) -> Number:
    """u: the largest of alpha lambda_a^{1+v}/(alpha - (1+v)), that of the arm with mean 0.9, in all three settings."""
    alpha = m.number("1.05") + v
    return 20 * alpha * m.power((alpha - 1) * m.number("0.9") / alpha, 1 + v)


def first_epoch_3(m: Vocabulary, v: Number, eps: Number, T: Number) -> Number:
    """5 R_1: the pulls of Algorithm 3's first epoch, before rounding up."""
    return 5 * f.length_3(m, eps, v, moment_bound(m, v), f.log_3(m, 5, 1, 1 / T), m.number("0.5"))


def first_epoch_4(m: Vocabulary, v: Number, eps: Number, T: Number) -> Number:
    """5 R_1 of Algorithm 4, before rounding up."""
    return 5 * f.length_4(m, eps, v, moment_bound(m, v), f.log_4(m, 5, 1, 1 / T), m.number("0.25"))


DISCUSSION = "Section 6, Results and Discussion"
FIGURES = source(
    DISCUSSION,
    "Moreover, we can see when eps decreases, the regret will increase, and when the term v becomes larger, we have "
    "smaller regret.",
)
LARGER_EPS = source(
    DISCUSSION,
    "The results are given in Figure 2. We can see that when eps or v is larger, we have smaller regret.",
)
NO_SIGN = (
    "During the first epoch, Algorithm {} pulls the arms in turn and eliminates no arm, so its regret is T times the "
    "mean gap for every eps. The paper does not say which T and which constants its figures use."
)


@chapter.inequality(
    "figure-1/first-epoch/v-0.5",
    FIGURES,
    over={"T": Whole(5, 250_000_000), "eps": OneOf((0.5, 1.0))},
    reading=Reading.OURS,
    strict=True,
    expect=Verdict.PROVED,
    note=NO_SIGN.format(3),
)
def figure_1_first_epoch_half(m: Vocabulary, T: Number, eps: Number) -> Sides:
    """The formula is T < 5 R_1: for v = 0.5 and the printed constants, DPRSE is in its first epoch up to T = 2.5
    10^8."""
    return T, first_epoch_3(m, m.number("0.5"), eps, T)


@chapter.inequality(
    "figure-1/first-epoch/v-0.9",
    FIGURES,
    over={"T": Whole(5, 3_000_000), "eps": OneOf((0.5, 1.0))},
    reading=Reading.OURS,
    strict=True,
    expect=Verdict.PROVED,
    note=NO_SIGN.format(3),
)
def figure_1_first_epoch_nine_tenths(m: Vocabulary, T: Number, eps: Number) -> Sides:
    """The formula is T < 5 R_1: for v = 0.9 and the printed constants, DPRSE is in its first epoch up to T = 3 10^6."""
    return T, first_epoch_3(m, m.number("0.9"), eps, T)


@chapter.inequality(
    "figure-2/first-epoch",
    LARGER_EPS,
    over={"T": Whole(5, 10_000_000_000), "eps": OneOf((5.0, 10.0, 20.0)), "v": OneOf((0.5, 0.9))},
    reading=Reading.OURS,
    strict=True,
    expect=Verdict.PROVED,
    note=NO_SIGN.format(4),
)
def figure_2_first_epoch(m: Vocabulary, T: Number, eps: Number, v: Number) -> Sides:
    """The formula is T < 5 R_1: for all eps and v of Figure 2 and the printed constants, LDPRSE is in its first epoch
    up to T = 10^10."""
    return T, first_epoch_4(m, v, eps, T)


BETTER = source(
    DISCUSSION, "From these results, we can see that DPRSE always outperform DPRUCB among these three settings."
)
CENTRAL = source(
    DISCUSSION, "Moreover, compared with the central DP model, we can see the regret is larger in the LDP model."
)
ON_PARETO_ARMS = "Pareto arms of Section 6, printed constants, beta = 1/T, u as the paper sets it"


def raced(means: tuple[float, ...], v: float, eps: float, horizon: int) -> tuple[Any, Any]:
    """DPRUCB and DPRSE against the same arms."""
    environment = section_6_arms(means, v)
    u = environment.moment(1 + v)
    return tuple((policy(5, horizon, eps, v, u), environment) for policy in (DPRUCB, DPRSE))  # type: ignore[return-value]


optimistic, eliminating = raced(S_3, 0.9, 1.0, 10_000)
chapter.add(
    "figure-4/early",
    BETTER,
    Ordering(PSEUDO_REGRET, {"DPRUCB": optimistic, "DPRSE": eliminating}, (("DPRUCB", "DPRSE"),), figure="Figure 4"),
    scope="The claim is that for S_3, v = 0.9, eps = 1 and T = 10^4, DPRUCB has the smaller regret in most runs.",
    reading=Reading.OURS,
    expect=Verdict.CONSISTENT,
    note="With the printed constants, DPRSE pulls the arms in turn at this horizon. DPRUCB pulls the arms almost in "
    "turn: its bonus is at least 160 times the largest gap, so it learns only a little. The order shown in the "
    "paper's figures holds at horizons at which DPRSE has finished an epoch (`tao22/figure-1/late`).",
    related=("tao22/figure-1/late",),
)


for name, source_of, stated, scope in (
    (
        "figure-1/late",
        BETTER,
        "DPRSE has a smaller expected regret than DPRUCB",
        "The claim is for S_1, S_2 and S_3 and eps = 0.5 and 1, at T = 10^9 for v = 0.9, and at T = 10^14 for v = 0.5.",
    ),
    (
        "figure-1/eps",
        FIGURES,
        "the expected regret of DPRSE is larger for eps = 0.5 than for eps = 1",
        "The claim is for S_1, S_2 and S_3, at T = 6 10^6 for v = 0.9 and at T = 10^9 for v = 0.5.",
    ),
    (
        "figure-1/v",
        FIGURES,
        "the expected regret of DPRSE is smaller for v = 0.9 than for v = 0.5",
        "The claim is for S_1, S_2 and S_3 and eps = 0.5 and 1, at T = 10^9.",
    ),
    (
        "figure-2/order",
        LARGER_EPS,
        "the expected regret of LDPRSE is smaller for the larger eps, and for the larger v",
        "The claim is for S_3, with sqrt(R_tau) in line 21 as in the proof. For v = 0.9, eps = 10 is compared with 5 "
        "at T = 2 10^11, and 20 with 10 at T = 5 10^10. For v = 0.5, the same eps are compared at T = 10^16 and T = "
        "2 10^15. For all three eps, v = 0.9 is compared with v = 0.5 at T = 10^12.",
    ),
    (
        "figure-2/central/order",
        CENTRAL,
        "LDPRSE with eps = 5, 10 or 20 has a larger expected regret than DPRSE with eps = 0.5 or 1",
        "The regrets are compared in S_3, with sqrt(R_tau) in line 21 as in the proof, at T = 10^9 for v = 0.9 and at "
        "T = 10^12 for v = 0.5.",
    ),
):
    chapter.add(
        name,
        source_of,
        Stated(stated),
        scope=scope,
        reading=Reading.OURS,
        expect=Verdict.ARGUED,
        given=ON_PARETO_ARMS,
        note="The paper gives no horizon. At smaller horizons the algorithms with the printed constants are still in "
        "their first epoch.",
    )


chapter.add(
    "section-6/summary",
    source(
        DISCUSSION, "In summary, we can observe that all the above results support our previous theoretical analysis."
    ),
    Unjudged(
        "whether results support a theory is a matter of judgement. The figures show neither horizons nor error bars, "
        "so there is nothing to test"
    ),
    expect=Verdict.UNSUPPORTED,
    note="Two of the theoretical results that the sentence refers to are false: (10) and (11) of Theorem 7 "
    "(`tao22/theorem-7`, `tao22/theorem-7/independent`). With the printed constants, the order of the curves depends "
    "on the horizon (`tao22/figure-1`, `tao22/figure-2`).",
    related=("tao22/theorem-7", "tao22/theorem-7/independent", "tao22/figure-1", "tao22/figure-2"),
)
ABOVE_1 = " Figure 2 has eps = 5, 10 and 20, but Theorem 7 is about eps in (0, 1]."
for name, source_of, by_us, named in (
    (
        "figure-1",
        BETTER,
        "With the printed constants DPRUCB has the smaller regret in most runs at T = 10^4 (`tao22/figure-4/early`), "
        "and DPRSE has the smaller expected regret at T = 10^9 (`tao22/figure-1/late`).",
        ("tao22/figure-4/early", "tao22/figure-1/late"),
    ),
    (
        "figure-2",
        LARGER_EPS,
        "With the printed constants the sentence holds at the horizons of `tao22/figure-2/order`." + ABOVE_1,
        ("tao22/figure-2/order",),
    ),
    (
        "figure-2/central",
        CENTRAL,
        "With the printed constants the sentence holds at the horizons of `tao22/figure-2/central/order`." + ABOVE_1,
        ("tao22/figure-2/central/order",),
    ),
):
    chapter.add(
        name,
        source_of,
        Unjudged(
            "the paper gives no horizon, and with its constants the algorithms eliminate no arm at horizons that can "
            "be simulated"
        ),
        expect=Verdict.UNSUPPORTED,
        note=by_us,
        related=named,
    )
