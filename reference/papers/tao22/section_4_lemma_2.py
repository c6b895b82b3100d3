"""Section 4: Lemma 2, the privacy and the error of Algorithm 2, the tree."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Stated, Verdict, Whole
from dpbandits.reference.papers.tao22 import formulas as f
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import HORIZON, SHARE

chapter = page.chapter("Section 4: Algorithms 1 and 2")
LEMMA_2 = source(
    "Lemma 2 ((Adaptive) Tree-based Mechanism)",
    "Given a stream sigma such that sigma(t) in [-B_t, B_t] for all t in [T], where B_t is non-decreasing with t [...] "
    "Tree-based Mechanism (Algorithm 2) outputs an estimation S-hat(t) for S(t) at each t in [T] such that S-hat(t) "
    "preserves eps-differential privacy",
    statement="Lemma 2",
)

# The paper states no base of its logarithms. In Lemma 2 and Theorem 1 log T counts the levels of a tree: to the base 2
# is the kinder reading, and the printed one here; a confidence's log(1/delta) is natural, as in Lemma 5.

# -- Lemma 2: privacy ----------------------------------------------------------------------------------------------


@chapter.inequality(
    "lemma-2/privacy",
    LEMMA_2,
    over={"k": Whole(1)},
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.GUARANTEE,
    note="The first item enters log2 T + 1 noisy p-sums, which are made at times 1, 2, 4, ..., 2^k. For B_t = B each "
    "of these p-sums has privacy loss eps/log2 T, and the released S-hat(1), ..., S-hat(T) determine them all "
    "(`tao22/lemma-2/privacy/exact`).\n"
    "So Algorithm 2 is (1 + 1/log2 T) eps-DP and no better.\n"
    "With floor(log2 T) + 1 in place of log T, Algorithm 2 is eps-DP.",
    related=("tao22/lemma-2/privacy/exact",),
)
def lemma_2_privacy(m: Vocabulary, k: Number) -> Sides:
    """For T = 2^k, B_t = B and log T to the base 2, the first item is in k + 1 p-sums. The claim needs at most log2 T =
    k."""
    return k + 1, k


@chapter.inequality(
    "lemma-2/privacy/natural",
    LEMMA_2,
    over={"k": Whole(1)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.GUARANTEE,
    same_error_as="tao22/lemma-2/privacy",
    note="With the natural logarithm, which the error bounds use, the privacy loss is at least 1.44 eps = eps/log 2. "
    "The loss is 2.9 eps at T = 2 and 1.59 eps at T = 1024.",
)
def lemma_2_privacy_natural(m: Vocabulary, k: Number) -> Sides:
    """For T = 2^k, B_t = B and the natural logarithm, the first item is in k + 1 p-sums. The claim needs at most log T
    = k log 2."""
    return k + 1, k * m.log(m.number(2))


@chapter.inequality(
    "algorithm-2/one-round",
    source("Algorithm 2, line 4", "eps' <- eps/log T."),
    over={"T": Whole(1)},
    strict=True,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    note="For T = 1, log T = 0, and the line divides by 0. The paper means T >= 2.\n"
    "With the natural logarithm, T = 2 gives eps' = 1.44 eps, more than the whole privacy budget for each of two "
    "p-sums (`tao22/lemma-2/privacy/natural`).\n"
    "With floor(log2 T) + 1 in place of log T the line works for every T >= 1.",
    related=("tao22/lemma-2/privacy/natural",),
)
def algorithm_2_one_round(m: Vocabulary, T: Number) -> Sides:
    """The claim is that for every time horizon T >= 1, the divisor log T is positive."""
    return m.number(0), m.log(T)


chapter.add(
    "lemma-2/privacy/exact",
    LEMMA_2,
    Stated(
        "S-hat(1), ..., S-hat(T) together are eps'-DP for eps' = eps (floor(log2 T) + 1)/log T, and for no smaller eps'"
    ),
    scope="The claim is for B_t = B and T >= 2. Here log T has the base that line 4 of Algorithm 2 uses.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
)

chapter.add(
    "lemma-2/privacy/repaired",
    LEMMA_2,
    Stated("all noisy p-sums together are eps-DP, and so are S-hat(1), ..., S-hat(T) together"),
    scope="The claim is for floor(log2 T) + 1 in place of log T in line 4, and for non-decreasing B_t.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
)


# -- Lemma 2: error ------------------------------------------------------------------------------------------------

LEMMA_2_ERROR = source(
    "Lemma 2, eq. (3)",
    "Tree-based Mechanism (Algorithm 2) outputs an estimation S-hat(t) for S(t) at each t in [T] such that S-hat(t) "
    "preserves eps-differential privacy and guarantees the following noise bound with probability at least 1 - delta "
    "for any delta > 0, |S-hat(t) - S(t)| <= (2 B_t/eps) log^1.5 T log(1/delta).",
    statement="Lemma 2",
)


@chapter.inequality(
    "lemma-2/error",
    LEMMA_2_ERROR,
    over={"T": HORIZON, "delta": SHARE},
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.STATEMENT,
    note="S-hat(3) contains two Laplace variables of scale 2 B log T/eps. For two standard Laplace variables, |X + "
    "Y| > x has probability (1 + x/2) e^{-x}. So at T = 3, the bound for delta = 1/2 fails with probability 0.600.\n"
    "With more p-sums the bound fails with larger probability: the sum of m standard Laplace variables has standard "
    "deviation sqrt(2 m), but log(1/delta) tends to 0 as delta tends to 1. For small delta the bound holds.\n"
    "Lemma 11 uses the bound for every delta >= 1/(2 T^4), and the constant of Lemma 11 is large enough to absorb "
    "the difference (`tao22/lemma-11`).",
    related=("tao22/lemma-11",),
)
def lemma_2_error(m: Vocabulary, T: Number, delta: Number) -> Sides:
    """The claim is that for t = 3, B_t = B and log T to the base 2, the error exceeds the bound with probability at
    most delta."""
    levels = m.log(T) / m.log(m.number(2))
    return f.two_laplace_tail(m, -m.sqrt(levels) * m.log(delta)), delta


@chapter.inequality(
    "lemma-2/error/natural",
    LEMMA_2_ERROR,
    over={"T": HORIZON, "delta": SHARE},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.STATEMENT,
    same_error_as="tao22/lemma-2/error",
    note="Lemma 11 uses the natural logarithm. At T = 3 the bound for delta = 1/2 fails with probability 0.659.",
)
def lemma_2_error_natural(m: Vocabulary, T: Number, delta: Number) -> Sides:
    """The claim is that for t = 3, B_t = B and the natural logarithm of T, the error exceeds the bound with probability
    at most delta."""
    return f.two_laplace_tail(m, -m.sqrt(m.log(T)) * m.log(delta)), delta


chapter.add(
    "lemma-2/error/repaired",
    LEMMA_2_ERROR,
    Stated(
        "|S-hat(t) - S(t)| <= sqrt(2) (2 B_t/eps) M^1.5 log(4/delta) with probability at least 1 - delta, for every "
        "delta in (0, 1)"
    ),
    scope="The claim is for M = floor(log2 T) + 1 in place of log T in line 4 of Algorithm 2.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
)
