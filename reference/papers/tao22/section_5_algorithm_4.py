"""Section 5: lines 21 and 23 of Algorithm 4."""

from __future__ import annotations

from typing import Any

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET
from dpbandits.reference.claims.model import Fault, Harm, Reading, Stated, Verdict, Whole
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
    note="The proof bounds deviations by 7 u^{1/(1+v)} (sqrt(L)/(sqrt(R) eps))^{v/(1+v)}, and eliminates an arm at "
    "twice this bound.\n"
    "With R itself the threshold is smaller by a factor of R^{v/(2(1+v))}, far below the noise.\n"
    "An implementation of the printed line eliminates all arms except the arm whose estimate happens to be largest "
    "(`tao22/algorithm-4/regret`).",
    related=("tao22/algorithm-4/regret",),
)
def algorithm_4_err(m: Vocabulary, eps: Number, v: Number, u: Number, L: Number, R: Number) -> Sides:
    """The claim is that the printed line equals a seventh of the proof's bound on deviations, which has sqrt(R) in
    place of R. Here L = log(8|S|tau^2/beta) and R = R_tau."""
    return f.printed_err_4(m, eps, v, u, L, R), f.err_4(m, eps, v, u, L, R)


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
    note="The printed algorithm exceeds even the larger rate that Algorithm 4 has with the root "
    "(`tao22/theorem-7/rate`). In about half of all runs the best arm is eliminated in the first epoch, and the "
    "regret is linear in T.",
    repaired_by=("tao22/theorem-7/rate",),
)
def algorithm_4_regret(p: Any, environment: Any) -> float | None:
    """The claim is that the regret of Algorithm 4 as printed, without the root in line 21, is at most the bound of
    `tao22/theorem-7/rate`."""
    return repaired_bound(p, environment)


@chapter.identity(
    "algorithm-4/d-tau",
    source(
        "Proof of Theorem 7, against Algorithm 4, line 7",
        "Next, we show that under E, in each epoch tau, we eliminate all arms with sub-optimality gap >= 2^{-tau} = "
        "D_tau.",
    ),
    over={"tau": Whole(1)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="Line 7 of Algorithm 4 sets D_tau to 4^-tau, and line 7 of Algorithm 3 to 2^-tau.\n"
    "The steps of the proof hold for both values (`tao22/lemma-13/half-gap`). We follow line 7 of Algorithm 4.",
    related=("tao22/lemma-13/half-gap",),
)
def algorithm_4_d_tau(m: Vocabulary, tau: Number) -> Sides:
    """The claim is that the proof's D_tau = 2^-tau equals the D_tau = 4^-tau of Algorithm 4, line 7."""
    return m.power(m.number("0.5"), tau), m.power(m.number("0.25"), tau)


chapter.add(
    "algorithm-4/mu-tilde",
    source("Algorithm 4, line 23", "if mu-tilde_max - mu-tilde_a > 14 err_tau then Remove arm a from S."),
    Stated("mu-tilde_max and mu-tilde_a are defined in the lines before line 23"),
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="Algorithm 4 does not define mu-tilde. Lines 19 and 20 compute mu-bar_a and mu-bar_max.\n"
    "We read line 23 with mu-bar_a and mu-bar_max, which are clearly meant.\n"
    "The proof of Theorem 7 calls these two means mu-tilde. The symbol mu-bar comes from Algorithm 3.",
)
