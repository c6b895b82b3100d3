"""Section 4.2: Theorem 5, the regret of Algorithm 2. Its proof follows in the modules of Appendix B.

Sums over arms run over the suboptimal ones: the printed sums include the optimal arm, whose term divides by 0.
"""

from __future__ import annotations

from math import inf
from typing import Any

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET
from dpbandits.reference.claims.model import (
    AtMost,
    Consequence,
    Fault,
    Harm,
    OneOf,
    Reading,
    Real,
    Source,
    Verdict,
    Whole,
)
from dpbandits.reference.papers.ou24 import REPAIRED
from dpbandits.reference.papers.ou24.appendix_b_1_eqs_9_and_10 import EQ_9_STEPS
from dpbandits.reference.papers.ou24.experiments import BERNOULLI, EXPONENTIAL
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.regret_formulas import LOG_Y, PLAIN, at, problem_dependent, problem_independent

chapter = page.chapter("Sections 2.1 and 4.2")
THEOREM_5 = Source(
    "ou24",
    "Theorem 5",
    "Consider the Modified Thompson Sampling with Gaussian priors and input parameters (b, c) run for "
    "T > bN + 4/min_i Delta_i^2 timesteps, where b >= 0, c >= 1. Then the algorithm has expected regret "
    "bN + O(c sqrt(N(T-bN) log N)) (problem-independent), or bN + sum_{i=1}^N O(c log(T-bN)/Delta_i) "
    "(problem dependent).",
)


def experiments(horizon: int) -> tuple[dict[str, Any], ...]:
    """The two experiments' arms, with the pre-pulls b and variances c that give 1-GDP and 5-GDP at T = 1e5."""
    return tuple(
        {
            "arms": 5,
            "horizon": horizon,
            "prepulls": b,
            "variance": 1e5 / (eta**2 * (b + 1)),
            "environment": environment,
        }
        for environment in (BERNOULLI, EXPONENTIAL)
        for eta, b in ((1, 99), (5, 0), (5, 199))
    )


CHAIN_STEPS = (
    "ou24/problem-independent/first",
    "ou24/problem-independent/threshold/repaired",
    "ou24/problem-independent/second",
    "ou24/problem-independent/third",
    "ou24/problem-independent/small-gaps",
    "ou24/problem-independent/precondition",
    "ou24/problem-independent/whole",
)


def after_prepulls(m: Vocabulary, T: Number, b: Number, N: Number, **others: Number) -> Sides:
    """T > bN."""
    return b * N + 1, T


@chapter.inequality(
    "theorem-5/precondition/printed",
    THEOREM_5,
    over={"T": Whole(1), "b": Whole(0), "N": Whole(2), "gap": Real(0, 1)},
    where=(after_prepulls,),
    strict=True,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    repaired_by=("ou24/theorem-5/precondition/repaired",),
    note="The minimum includes the optimal arm, whose gap is 0, so the printed precondition never holds and the "
    "theorem is vacuous.\n"
    "The precondition is a misprint: the proof divides by these gaps. In the formula, `gap` is the smallest gap of "
    "the suboptimal arms.",
    repair="Take the minimum over the suboptimal arms.",
)
def theorem_5_precondition_printed(m: Vocabulary, T: Number, b: Number, N: Number, gap: Number) -> Sides:
    """The claim covers every T > bN. The minimum runs over all arms, including the optimal one, whose gap is 0."""
    return m.number(4), (T - b * N) * m.minimum(0, gap) ** 2


@chapter.inequality(
    "theorem-5/precondition/repaired",
    THEOREM_5,
    over={"b": Whole(0, 19_948)},
    strict=True,
    reading=Reading.REPAIRED,
    formula_only=True,
    expect=Verdict.PROVED,
    note="In Section 5.1 the precondition then holds for all b up to 19948, which leaves 260 rounds.",
)
def theorem_5_precondition_repaired(m: Vocabulary, b: Number) -> Sides:
    """The formula is the precondition in the experiment of Section 5.1, with the minimum over suboptimal arms only."""
    return m.number(4), (100_000 - 5 * b) * m.number("0.125") ** 2


@chapter.inequality(
    "theorem-5/horizons",
    THEOREM_5,
    over={},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def theorem_5_horizons(m: Vocabulary) -> Sides:
    """The precondition implies the preconditions of Lemma 6, Lemma 8 and equation (26). These three need T Delta_i^2 to
    be at least e^{1/(4 pi)}, 4 and e^{1/54}, respectively."""
    return m.maximum(m.exp(1 / (4 * m.pi)), m.exp(m.number("1/54"))), m.number(4)


chapter.add(
    "theorem-5/problem-dependent",
    THEOREM_5,
    AtMost(PSEUDO_REGRET, problem_dependent),
    scope="The sum runs over the suboptimal arms, with the constants of equation (10).",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    subject=REPAIRED,
    params=experiments(100_000) + experiments(2_000),
    given="T > bN + 4/min Delta_i^2 over the suboptimal arms, c >= 1",
    follows=("ou24/eq-2", *EQ_9_STEPS),
    by="summing equation (9) times Delta_i over the suboptimal arms, and adding at most b per arm for the pre-pulls",
    note="At every printed experiment the bound exceeds T max Delta_i, so that no algorithm could violate it "
    "(`ou24/theorem-5/informative`). In the bound, b sum Delta_i may replace bN.",
    related=("ou24/theorem-5/informative",),
)

chapter.add(
    "theorem-5/problem-independent",
    THEOREM_5,
    AtMost(PSEUDO_REGRET, problem_independent),
    scope="The bound is read with the constant 6347 (`WHOLE`) that the proof gives.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    subject=REPAIRED,
    params=(*experiments(100_000), {"arms": 1, "horizon": 50, "environment": Bernoulli((0.5,))}),
    given="c >= 1; no gap is needed, because the arms that use equation (10) have (T-bN) Delta_i^2 >= e^2 N log N > 4",
    follows=("ou24/eq-2", *EQ_9_STEPS, *CHAIN_STEPS),
    by="splitting the arms at the gap e sqrt(N log N/(T-bN)); for N = 1 there is no regret",
    note="The bound is below the trivial bound T only for T above 6347^2 N log N, which is 3.2e8 for N = 5 and c = 1.",
)

chapter.add(
    "theorem-5/asymptotic",
    THEOREM_5,
    Consequence("the two bounds of Theorem 5 hold with the constants of its explicit forms"),
    scope="The sum of the problem-dependent bound runs over the suboptimal arms.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("ou24/eq-2", *EQ_9_STEPS, "ou24/eq-10/log", "ou24/eq-10/absorbed", *CHAIN_STEPS),
    by="because 14 <= 11 c log y for y >= 4, and log((T-bN) Delta_i^2) <= log(T-bN)",
)
RESTATED = at(
    "Appendix B.1, Theorem 5 restated",
    "Then the algorithm has expected regret bN + O(c sqrt(N(T-bN)) log N) (problem-independent)",
)

chapter.add(
    "theorem-5/restated",
    RESTATED,
    Consequence("the regret is at most bN + O(c sqrt(N(T-bN)) log N)"),
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-5/problem-independent", "ou24/theorem-5/restated/formula"),
    by="because the bound of `ou24/theorem-5/problem-independent` is at most twice the restated bound",
)


@chapter.inequality(
    "theorem-5/restated/formula",
    RESTATED,
    over={"log_N": Real(0.69, inf, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The claim is about N >= 2. The proof gives the bound of Section 4.2, which is smaller for N >= 3. In the "
    "restated bound, log N is outside the root.",
)
def theorem_5_restated_formula(m: Vocabulary, log_N: Number) -> Sides:
    """The formula states that the bound with log N outside the root is at least half of the one in Section 4.2."""
    return m.sqrt(log_N), 2 * log_N


chapter.add(
    "theorem-5/too-short",
    THEOREM_5,
    AtMost(PSEUDO_REGRET, problem_dependent),
    scope="The precondition excludes this horizon.",
    reading=Reading.REPAIRED,
    expect=Verdict.NOT_APPLICABLE,
    subject=REPAIRED,
    params=({"arms": 5, "horizon": 256, "environment": BERNOULLI},),
    given="T > bN + 4/min Delta_i^2; here T equals the right side, 256",
    note="This claim is a test of the audit: the precondition is a strict inequality, so it excludes T equal to its "
    "right side.",
)


@chapter.inequality(
    "theorem-5/informative",
    THEOREM_5,
    over={"gap": OneOf((0.125, 0.25, 0.375, 0.5)), "c": Real(1, inf, closed=True)},
    strict=True,
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="The explicit bound is trivial in all experiments of the paper: T Delta_i^2 is at most 25000 there. For c = "
    "1, an arm's bound is below T Delta_i only if T Delta_i^2 exceeds 56111. The paper does not claim otherwise: it "
    "states the bound with O, which hides the constants.",
)
def theorem_5_informative(m: Vocabulary, gap: Number, c: Number) -> Sides:
    """With the constants of the proof, equation (10) exceeds the trivial bound T Delta_i at every arm of Section 5.1 (b
    = 0)."""
    return 100_000 * gap**2, PLAIN + LOG_Y * c * m.log(100_000 * gap**2)


@chapter.inequality(
    "theorem-5/informative-from",
    THEOREM_5,
    over={"y": Real(56_111, inf, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="For the four gaps of Section 5.1, the bound is below T Delta_i from T = 3.6e6, 9.0e5, 4.0e5 and 2.2e5 on, "
    "respectively.",
)
def theorem_5_informative_from(m: Vocabulary, y: Number) -> Sides:
    """Let b = 0, c = 1 and y = T Delta_i^2. From y = 56111 on, the bound of equation (10) is below the trivial bound T
    Delta_i."""
    return PLAIN + LOG_Y * m.log(y), y
