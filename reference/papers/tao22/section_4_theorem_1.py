"""Section 4: Theorem 1, the privacy of Algorithm 1."""

from __future__ import annotations

from typing import Any

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Stated, Verdict, Whole
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.tao22.algorithms.dprucb import FullSwing, full_swing
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import POSITIVE, V

chapter = page.chapter("Section 4: Algorithms 1 and 2")
THEOREM_1 = source(
    "Theorem 1",
    "For any eps > 0, the overall algorithm (Algorithm 1 and Algorithm 2) is eps-differentially private.",
)

chapter.add(
    "theorem-1",
    THEOREM_1,
    Stated(
        "all noisy p-sums of a run are eps-DP, and so is the sequence of pulled arms. Both guarantees hold if the "
        "rewards of one timestep change, and also if one entry of the table of pulls (the n-th reward of an arm) "
        "changes"
    ),
    scope="In line 4 of Algorithm 2, log T is read to the base 2. The claim is for K >= 2 and T >= 4. The paper's "
    "neighbours differ at one timestep (Section 3): the rewards of all arms in one round may change.",
    expect=Verdict.ARGUED,
    note="The theorem holds although Lemma 2, on which its proof rests, does not hold. B_n grows like n^{1/(1+v)}, so "
    "the privacy loss of a reward is smaller in later p-sums than in the first p-sum that contains it. Only an arm's "
    "first reward is in floor(log2 T) + 1 p-sums.",
)


def summed_shares(m: Vocabulary, k: Any, v: Number) -> Number:
    """The sum of B_t/B_s over the p-sums s that hold item t = 2^{k-1} + 1 of 2^k: the p-sums of the times 2^{k-1}
    + 2^j, j < k."""
    half = 2 ** (k - 1)
    return sum(m.power(m.number(half + 1) / m.number(half + 2**j), 1 / (1 + v)) for j in range(k))


@chapter.inequality(
    "theorem-1/natural",
    THEOREM_1,
    over={"k": Whole(1), "v": V},
    of=summed_shares,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.OPEN,
    same_error_as="tao22/lemma-2/privacy",
    note="With the natural logarithm, the outputs of Algorithm 2 together have a privacy loss of 1.34 eps at T = "
    "1025 and v = 1, and up to 1.44 eps = eps/log 2 for large T. The proof claims to bound this loss by eps, so the "
    "proof has a gap.\n"
    "An observer of Algorithm 1 sees only the pulled arms, which reveal less: the loss is at most eps for K = 2 and "
    "T = 3 (`tao22/theorem-1/arms/three-rounds`).\n"
    "Whether the pulled arms reveal at most eps for larger T is open (`tao22/theorem-1/arms`).",
    related=("tao22/theorem-1/arms/three-rounds", "tao22/theorem-1/arms"),
)
def theorem_1_natural(m: Vocabulary, k: Any, v: Number) -> Number:
    """log T in line 4 of Algorithm 2 is the natural logarithm, and all noisy p-sums are released. One arm is pulled 2^k
    times in T = 2^k + 1 rounds, and its reward t = 2^{k-1} + 1 changes from B_t to -B_t. This change adds (B_t/B_s)
    eps/log T to the privacy loss through the p-sum of time s. So the total loss is at most eps if summed_shares(k, v) =
    sum_{j < k} ((2^{k-1} + 1)/(2^{k-1} + 2^j))^{1/(1+v)} is at most log T."""
    return m.log(m.number(2) ** k + 1)


@chapter.inequality(
    "theorem-1/three-rounds",
    THEOREM_1,
    over={"v": V},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    same_error_as="tao22/lemma-2/privacy",
    note="For K >= 2, T = 3 is the only horizon at which the theorem fails with binary logarithms. At T = 3 the "
    "theorem fails for v above 0.2927, and the privacy loss is 1.077 eps at v = 1. For T >= 4 the theorem holds: "
    "`tao22/theorem-1`.",
    related=("tao22/theorem-1",),
)
def theorem_1_three_rounds(m: Vocabulary, v: Number) -> Sides:
    """The logarithm has base 2, K = 2 and T = 3. One arm is pulled twice, and its first reward is in the p-sums made at
    times 1 and 2. The claim is that the sum of B_1/B_s over s = 1 and 2 is at most log2 T."""
    return 1 + m.power(m.number(2), -1 / (1 + v)), m.log(m.number(3)) / m.log(m.number(2))


chapter.add(
    "theorem-1/repaired",
    THEOREM_1,
    Stated(
        "all noisy p-sums of a run are eps-DP, and so is the sequence of pulled arms. Both guarantees hold if the "
        "rewards of one timestep change, and also if one entry of the table of pulls (the n-th reward of an arm) "
        "changes"
    ),
    scope="The claim is for floor(log2 T) + 1 in place of log T in line 4 of Algorithm 2, every K and T >= 2, and "
    "the neighbours of `tao22/theorem-1`.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("tao22/lemma-2/privacy/repaired",),
    related=("tao22/theorem-1",),
)


@chapter.inequality(
    "theorem-1/arms/three-rounds",
    THEOREM_1,
    over={"eps": POSITIVE},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="Round 3 compares one noisy reward of each arm, and the bonuses are equal. For two standard Laplace "
    "variables, P(Z - Z' > x) = ((2 + x)/4) e^{-x}. The largest change of a reward shifts x from 0 to s = eps/log 3, "
    "and the log-ratio of the two probabilities is s - log(1 + s/2).",
)
def theorem_1_arms_three_rounds(m: Vocabulary, eps: Number) -> Sides:
    """The claim is about the privacy loss of the released arms alone, for K = 2, T = 3 and the natural logarithm. This
    loss is s - log(1 + s/2) with s = eps/log 3, and the claim is that this loss is at most eps."""
    s = eps / m.log(m.number(3))
    return s - m.log(1 + s / 2), eps


@chapter.private(
    "theorem-1/arms",
    THEOREM_1,
    relation="pull",
    view="arms",
    reading=Reading.OURS,
    expect=Verdict.CONSISTENT,
    subject=full_swing,
    params=(
        {"arms": 2, "horizon": 3, "eps": 4.0, "v": 1.0, "u": 1.0},
        {"arms": 2, "horizon": 8, "eps": 4.0, "v": 1.0, "u": 1.0},
    ),
    note="With the natural logarithm the noisy p-sums together reveal more than eps (`tao22/theorem-1/natural`). At "
    "these parameters no test found that the pulled arms alone reveal more than eps. Whether the pulled arms reveal "
    "more at other parameters is open.",
    related=("tao22/theorem-1/natural",),
)
def theorem_1_arms(policy: FullSwing) -> Approximate:
    """The claim is that the sequence of pulled arms is (eps, 0)-DP at these parameters, for rewards between -B_1 and
    B_1 and the natural logarithm."""
    return Approximate(policy.policy.eps, 0.0)
