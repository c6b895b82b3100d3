"""Section 4: Theorem 1, the privacy of Algorithm 1."""

from __future__ import annotations

from typing import Any

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Stated, Verdict, Whole
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.tao22 import formulas as f
from dpbandits.reference.papers.tao22.algorithms.dprucb import FullSwing, full_swing
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import POSITIVE, W

chapter = page.chapter("Section 4: Algorithms 1 and 2")
THEOREM_1 = source(
    "Theorem 1",
    "For any eps > 0, the overall algorithm (Algorithm 1 and Algorithm 2) is eps-differentially private.",
)

chapter.add(
    "theorem-1",
    THEOREM_1,
    Stated(
        "one reward of the table of pulls changed: all noisy p-sums of a run, and with them all arms that are pulled, "
        "are eps-DP"
    ),
    scope="log T of line 4 of Algorithm 2 to the base 2; K >= 2, T >= 4. Its neighbours differ at one timestep; "
    "whose reward that is, and which of its arm, follows from the noisy sums before it: so, in words, for those too.",
    expect=Verdict.ARGUED,
    note="True, although Lemma 2, which its proof rests on, is not: B_n grows like n^{1/(1+v)}, so that a reward costs "
    "less in the later p-sums than in its first one. Only the arm's first reward enters floor(log2 T) + 1 of them.",
)


@chapter.inequality(
    "theorem-1/natural",
    THEOREM_1,
    over={"k": Whole(1), "w": W},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.PROOF,
    same_error_as="tao22/lemma-2/privacy",
    note="Who divides by the natural logarithm spends more than eps on all that Algorithm 2 returns: 1.34 eps at T = "
    "1025, v = 1, and up to 1/log 2 = 1.44 eps. So the proof, which goes by way of it, has a gap. Who uses Algorithm 1 "
    "sees the arms alone, which tell less: eps at T = 3 (tao22/theorem-1/arms/three-rounds); beyond, it is open "
    "(tao22/theorem-1/arms).",
)
def theorem_1_natural(m: Vocabulary, k: Any, w: Number) -> Sides:
    """All noisy p-sums released, log T to the base e. One arm is pulled 2^k times of T = 2^k + 1; its reward
    2^{k-1} + 1 changes from B to -B. Left: the sum of B_t/B_s over the p-sums s that hold it. Right: log T."""
    half = 2 ** (k - 1)
    ends = [half + 2**j for j in range(k)]
    first = m.number(half + 1)
    return sum(f.power(m, first / m.number(s), w / (1 + w)) for s in ends), m.log(m.number(2 * half + 1))


@chapter.inequality(
    "theorem-1/three-rounds",
    THEOREM_1,
    over={"w": W},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    same_error_as="tao22/lemma-2/privacy",
    note="With two arms or more the only horizon at which the reading to the base 2 fails, for v above 0.2927: 1.077 "
    "eps at v = 1.",
)
def theorem_1_three_rounds(m: Vocabulary, w: Number) -> Sides:
    """Base 2, K = 2 and T = 3: one arm is pulled twice."""
    return 1 + f.power(m, m.number(2), -w / (1 + w)), m.log(m.number(3)) / m.log(m.number(2))


chapter.add(
    "theorem-1/repaired",
    THEOREM_1,
    Stated(
        "one reward of the table of pulls changed: all noisy p-sums of a run, and with them all arms that are pulled, "
        "are eps-DP"
    ),
    scope="Line 4 of Algorithm 2 divides by floor(log2 T) + 1; every K, T >= 2. The paper's neighbours are those of "
    "theorem-1.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
)


@chapter.inequality(
    "theorem-1/arms/three-rounds",
    THEOREM_1,
    over={"eps": POSITIVE},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="The choice of round 3 is between two single noisy rewards, with equal bonuses: P(Z - Z' > x) = ((2 + x)/4) "
    "e^{-x} for two standard Laplace variables, at x = s and x = 0, where s = eps/log 3 is the whole swing of a "
    "reward.",
)
def theorem_1_arms_three_rounds(m: Vocabulary, eps: Number) -> Sides:
    """As a formula: s - log(1 + s/2) at s = eps/log 3 lies below eps. It is what the released arms alone tell, K = 2
    and T = 3, log to the base e."""
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
    note="Log to the base e, with which the noisy p-sums together tell more than eps (tao22/theorem-1/natural). At "
    "these parameters no run has told more than eps by the arms alone; whether they pass it elsewhere, where the bonus "
    "makes every pull of the other arm a rare event that the noise of one p-sum has to explain, is open.",
)
def theorem_1_arms(policy: FullSwing) -> Approximate:
    """(eps, 0)-DP of the released arms alone, at these parameters; rewards between -B_1 and B_1, log to the base e."""
    return Approximate(policy.policy.eps, 0.0)
