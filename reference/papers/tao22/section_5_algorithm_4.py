"""Section 5: lines 21 and 23 of Algorithm 4."""

from __future__ import annotations

from typing import Any

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET
from dpbandits.reference.claims.model import Fault, Harm, Reading, Stated, Verdict
from dpbandits.reference.papers.tao22 import LDPRSE
from dpbandits.reference.papers.tao22 import formulas as f
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.section_5_theorem_7 import repaired_bound
from dpbandits.reference.papers.tao22.shared import EPOCH, long_enough

chapter = page.chapter("Section 5")


@chapter.identity(
    "algorithm-4/err",
    source("Algorithm 4, line 21", "err_tau <- u^{1/(1+v)} (sqrt(log(8|S|tau^2/beta))/(R_tau eps))^{v/(1+v)}"),
    over=EPOCH,
    where=(long_enough,),
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.GUARANTEE,
    note="The proof bounds deviations by 7 u^{1/(1+v)} (sqrt(L)/(sqrt(R) eps))^{v/(1+v)}, and removes at twice that. "
    "With R itself the threshold is smaller by R^{v/(2(1+v))}, far below the noise: whoever implements the line as it "
    "is printed keeps about the luckiest arm alone (tao22/algorithm-4/regret).",
)
def algorithm_4_err(m: Vocabulary, eps: Number, w: Number, u: Number, L: Number, R: Number) -> Sides:
    """The printed line, and what the proof of Theorem 7 bounds deviations by, divided by 7."""
    return f.printed_err_4(m, eps, 1 / w, u, L, R), f.err_4(m, eps, 1 / w, u, L, R)


@chapter.at_most(
    "algorithm-4/regret",
    source("Algorithm 4, line 21", "err_tau <- u^{1/(1+v)} (sqrt(log(8|S|tau^2/beta))/(R_tau eps))^{v/(1+v)}"),
    PSEUDO_REGRET,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.GUARANTEE,
    same_error_as="tao22/algorithm-4/err",
    subject=LDPRSE,
    params=(
        {
            "arms": 10,
            "horizon": 10**17,
            "eps": 1.0,
            "v": 1.0,
            "u": 0.07,
            "environment": Bernoulli((0.024,) + 9 * (0.02,)),
        },
    ),
    note="Even the rate that Algorithm 4 has with the root (tao22/theorem-7/rate, larger than Theorem 7's) is missed: "
    "in about half of all runs the best arm goes in the first epoch, and the regret is linear in T.",
)
def algorithm_4_regret(p: Any, environment: Any) -> float | None:
    """Algorithm 4 as it is printed against the repaired rate."""
    return repaired_bound(p, environment)


chapter.add(
    "algorithm-4/mu-tilde",
    source("Algorithm 4, line 23", "if mu-tilde_max - mu-tilde_a > 14 err_tau then Remove arm a from S."),
    Stated("the lines before say what mu-tilde_max and mu-tilde_a are"),
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="Algorithm 4 does not define mu-tilde; lines 19 and 20 compute mu-bar_a and mu-bar_max, which are meant and "
    "read here. The proof of Theorem 7 calls them mu-tilde, and mu-bar is that of Algorithm 3.",
)
