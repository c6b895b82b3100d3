"""Section 4: Theorem 5, the lower bound, with its sketch; and Remarks 1 and 2, with what stands before them."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Stated, Unjudged, Verdict
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import ALL_ALGORITHMS, HORIZON, ONE_INSTANCE, POSITIVE, V

chapter = page.chapter("Section 4: Algorithm 3")
THEOREM_5 = source(
    "Theorem 5 (DP Instance-dependent Lower Bound)",
    "There exists a heavy-tailed K-armed bandit instance with u <= 1 in (2), mu_a <= 1/6 and Delta_a in (0, 1/12), "
    "such that for any eps-DP (0 < eps <= 1) algorithm A whose expected regret is at most T^{3/4}, we have R_T >= "
    "Omega((log T/eps) sum_{Delta_a > 0} (1/Delta_a)^{1/v}).",
    statement="Theorem 5",
)

chapter.add(
    "theorem-5",
    THEOREM_5,
    Consequence("R_T >= (log T/(200 4^{1/v} eps)) sum_{Delta_a > 0} (1/Delta_a)^{1/v} on the instance of the proof"),
    scope="The claim is about eps-DP algorithms with 0 < eps <= 1 whose regret is at most T^{3/4} on all of the "
    "proof's instances. T is so large that T^0.13 > 4K/Delta_a and 2 t_a <= T for every arm a.",
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
    by="Lemma 12, arm by arm",
    note="The argument is as follows. Whether arm a is pulled at most t_a times depends only on the first t_a rewards "
    "of arm a and on other randomness. This randomness has the same law in both instances, because they differ in arm "
    "a alone. So Lemma 12 applies, and each arm a is pulled more than t_a times with probability at least 1/2.",
)

chapter.add(
    "theorem-5/letter",
    THEOREM_5,
    Stated("there is one instance on which every eps-DP algorithm with regret at most T^{3/4} has the regret (9)"),
    scope=ALL_ALGORITHMS,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.QUANTIFIER,
    harm=Harm.NONE,
    note=f"{ONE_INSTANCE}: `tao22/theorem-5`.",
    related=("tao22/theorem-5",),
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
    scope="A reward-dependent choice is one that changes which arms are pulled. The claim is the sentence's part "
    "about Algorithm 3. The sentence also states that the UCB-based method makes such a choice in each round. The "
    "claim does not cover this part. It is the authors' opinion that the number of such choices is the main reason.",
    expect=Verdict.ARGUED,
)

chapter.add(
    "section-4/special-rounds/decisions",
    SPECIAL_ROUNDS,
    Stated("there are at most K - 1 rounds after which Algorithm 3 makes a reward-dependent decision"),
    scope="A decision to eliminate no arm counts as a decision.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.NONE,
    note="Algorithm 3 makes such a decision at the end of every epoch, so there are several decisions for two arms "
    "with a small gap.\n"
    "Each epoch uses its own rewards, so privacy is not affected (`tao22/theorem-3`).",
    related=("tao22/theorem-3",),
)

chapter.add(
    "remark-1",
    source(
        "Remark 1",
        "As mentioned earlier, Sajed and Sheffet, (2019) also studied a DP variant of the SE algorithm. However, there "
        "are several differences between their result and ours.",
    ),
    Unjudged("the sentence compares this paper's proofs with those of another paper"),
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
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def remark_2(m: Vocabulary, T: Number, eps: Number, rates: Number) -> Sides:
    """The formula is the remark's second half, on heavy tails: the quotient of the printed rates (log T/eps) sum
    (1/Delta_a)^{1/v} and log T sum (1/Delta_a)^{1/v} is 1/eps. In the formula, rates = sum (1/Delta_a)^{1/v}. The half
    on bounded rewards is not part of this formula."""
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
    over={"v": V},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_5_sketch_chances(m: Vocabulary, v: Number) -> Sides:
    """The formula is the last inequality, (1/3)^{1/v} + 2 (1/3)^{1/v} <= 1. The preceding inequality, which inserts the
    largest values mu_a^{1+v} = 1/6 and Delta_a^{1+v} = 1/12, is not part of this formula."""
    return 3 * m.power(m.number(1) / 3, 1 / v), m.number(1)
