"""Abstract, introduction and conclusion."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Stated, Unjudged, Verdict
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.page import page
from dpbandits.reference.papers.hu25.shared import ALPHA, HORIZON, source

chapter = page.chapter("Abstract, introduction and conclusion")


chapter.add(
    "introduction/not-tight",
    source(
        "Introduction",
        "However, this privacy guarantee is not tight due to the fact that TS-Gaussian has to sample a mean reward "
        "model from a data-dependent Gaussian distribution for each arm in each round to achieve exploration.",
    ),
    Stated("TS-Gaussian is mu-GDP with some mu of a smaller order than sqrt(T)"),
    scope="The sentence is read as a statement about the order of the GDP parameter: TS-Gaussian (K = 2) is "
    "o(sqrt(T))-GDP.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.NONE,
    note="TS-Gaussian is not mu-GDP for any mu of smaller order than the O(sqrt(T)) of the preceding sentence "
    "(`hu25/section-3/ts-gaussian/order`). A better GDP parameter needs another algorithm, which the paper constructs "
    "afterwards. Nothing else rests on the sentence.\n"
    "If the sentence is about (eps, delta)-DP at a fixed delta, it is right. sqrt(T/2)-GDP gives an eps of order T, "
    "but the eps of ou24's algorithm grows more slowly than any power of T (`ou24/theorem-3/law/any-arms`). At T = "
    "1000 and delta = 1e-6, sqrt(T/2)-GDP gives 355, and 43.31 is enough for two arms "
    "(`ou24/theorem-3/game/thousand`).",
    related=(
        "hu25/section-3/ts-gaussian/order",
        "ou24/theorem-3/law/any-arms",
        "ou24/theorem-3/game/thousand",
    ),
)


@chapter.identity(
    "introduction/budget-per-pull",
    source(
        "Introduction and Figure 1",
        "Among all the rounds between two consecutive pulls of arm i, DP-TS-UCB can only draw a Gaussian mean "
        "reward model in each of the first phi rounds.",
    ),
    over={"T": HORIZON, "alpha": ALPHA, "n": Real(1, np.inf, True)},
    reading=Reading.LETTER,
    expect=Verdict.PROVED,
    note="In this variant, a mean over n = 2^r observations is used during 2n pulls, for at most 2n phi samples, "
    "each with eta^2 = 1/(n ln^alpha T). So composition gives the printed parameter for this variant as well, "
    "without slack except that phi is rounded down. The claim checks only this identity.",
)
def introduction_budget_per_pull(m: Vocabulary, T: Number, alpha: Number, n: Number) -> Sides:
    """The formula is the parameter that composition gives if the budget is refilled at every pull, not at every epoch
    as in Algorithm 1."""
    left = 2 * n * f.phi(m, T, alpha) / (n * f.log_power(m, T, alpha))
    right = f.theorem_4_4_eta(m, T, alpha) * f.theorem_4_4_eta(m, T, alpha)
    return left, right


chapter.add(
    "conclusion/m-ts-anytime",
    source(
        "Conclusion",
        "Note that both TS-Gaussian and M-TS-Gaussian are anytime and achieve O(sqrt(KT ln K)) worst-case regret "
        "bounds, whereas our DP-TS-UCB is not anytime and achieves only O(sqrt(KT ln T)) worst-case regret "
        "bounds.",
    ),
    Unjudged(
        "M-TS-Gaussian is an anytime algorithm if b and c are fixed, but not with the b and c of Table 1, which "
        "depend on T"
    ),
    expect=Verdict.UNSUPPORTED,
)


ABSTRACT = source(
    "Abstract",
    "DP-TS-UCB satisfies [...] and achieves O(K ln^{alpha+1}(T)/Delta) regret bounds, where K is the number of arms, "
    "Delta is the sub-optimality gap, T is the learning horizon",
)


@chapter.inequality(
    "abstract/regret/order",
    ABSTRACT,
    over={"log_T": Real(1, np.inf, True), "lost": Real(0, np.inf, True), "alpha": ALPHA},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The two sides, multiplied by ln^alpha(T)/D, are the orders of the two bounds. The ln ln T term is of a "
    "smaller order. At alpha = 0 the bound is of the order O(K ln(T)/Delta) that the conclusion states.",
)
def abstract_regret_order(m: Vocabulary, log_T: Number, lost: Number, alpha: Number) -> Sides:
    """The formula states that the leading term of Theorem 4.2 is of no larger order, because ln(T^{0.5(3-alpha)} D^2)
    <= 1.5 ln T. In the formula, lost = -ln D^2 >= 0."""
    return (3 - alpha) / 2 * log_T - lost, m.number("1.5") * log_T


chapter.add(
    "abstract/regret",
    ABSTRACT,
    Consequence("the regret of DP-TS-UCB is O(K ln^(alpha+1)(T)/Delta)"),
    expect=Verdict.ARGUED,
    follows=("hu25/theorem-4.2/problem-dependent", "hu25/abstract/regret/order"),
    by="Theorem 4.2 and, for arms with T Delta_i^2 <= e, by the trivial bound T Delta_i <= e/Delta_i",
)


chapter.add(
    "conclusion/anytime",
    source(
        "Conclusion",
        "We conjecture that our privacy improvement is at the cost of the anytime property of the learning algorithm "
        "and the worst-case regret bounds.",
    ),
    Unjudged("the sentence is a conjecture"),
    expect=Verdict.UNSUPPORTED,
)
