"""Sections 2.1 and 4.2: regret, equation (2), Theorem 2, and what a larger variance costs.

Sums over arms run over the suboptimal ones: the printed sums include the optimal arm, whose term divides by 0.
"""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Reading, Real, Source, Verdict
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.regret_formulas import LOG_Y, PLAIN, UNIT

chapter = page.chapter("Sections 2.1 and 4.2")


@chapter.identity(
    "eq-2",
    Source(
        "ou24",
        "Section 2.1, eq. (2)",
        "E[R(T, pi)] = E[sum_{t=1}^T (mu* - mu_{a_t})] = sum_{i=1}^N Delta_i E[n_{i,T}].",
    ),
    over={"q": UNIT, "mu_1": UNIT, "mu_2": UNIT},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="Arm 1 is pulled with probability q. The regrets of the rounds add up, because the mean of a reward given the "
    "history is the mean of the pulled arm. The finding also enumerates all deterministic policies on two arms over "
    "three rounds. For Algorithm 2, n_{i,T} must count the pre-pulls.",
)
def eq_2(m: Vocabulary, q: Number, mu_1: Number, mu_2: Number) -> Sides:
    """The formula is the expected regret of one round of two arms."""
    return mu_1 - (q * mu_1 + (1 - q) * mu_2), (1 - q) * (mu_1 - mu_2)


chapter.add(
    "theorem-2",
    Source(
        "ou24",
        "Theorem 2 (Agrawal and Goyal 2017)",
        "The Thompson Sampling algorithm with Gaussian priors (Algorithm 1) has regret at most "
        "sum_{i=1}^N O(log T/Delta_i) (problem-dependent), or O(sqrt(NT log N)) (problem-independent).",
        statement="Theorem 2",
    ),
    Consequence(
        "for T >= 2 the regret of Algorithm 1 is O(sum_i log(T)/Delta_i) over the suboptimal arms, and O(sqrt(N T log "
        "N)) for N >= 2"
    ),
    scope="The bounds are read with the constants of Theorem 5 at b = 0 and c = 1. The printed sum includes the "
    "optimal arm, with Delta_i = 0, where the bound is infinite.",
    expect=Verdict.ARGUED,
    follows=(
        "ou24/eq-2",
        "ou24/eq-9/first",
        "ou24/eq-9/log-term",
        "ou24/eq-9/second",
        "ou24/eq-9/third",
        "ou24/eq-9/fourth",
        "ou24/theorem-5/problem-independent",
    ),
    by="equation (9) at b = 0 and c = 1 and, for arms with T Delta_i^2 <= 4, by the trivial bound T Delta_i <= "
    "4/Delta_i",
    note="The bound is a theorem of Agrawal and Goyal. Section 1.1 cites the theorem with O(sqrt(NT log T)), which "
    "is weaker because N <= T.",
)


@chapter.inequality(
    "regret-factor-c",
    Source(
        "ou24",
        "Section 4.2",
        "Relative to the guarantees of Theorem 2 from the work by Agrawal and Goyal (2017) for standard Thompson "
        "Sampling, we see that regret increases by a factor of c.",
    ),
    over={"c": Real(1, inf, closed=True), "log_y": Real(0, inf)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The sentence is true of the bound. The sentence cannot be true of the regret itself for every c, because the "
    "regret never exceeds T max Delta_i.",
)
def regret_factor_c(m: Vocabulary, c: Number, log_y: Number) -> Sides:
    """The formula states that the bound of equation (10), times Delta_i, grows at most by the factor c."""
    return PLAIN + LOG_Y * c * log_y, c * (PLAIN + LOG_Y * log_y)
