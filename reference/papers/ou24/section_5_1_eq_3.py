"""Section 5.1: equation (3), the empirical regret."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, OneOf, Reading, Source, Verdict
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.regret_formulas import UNIT

chapter = page.chapter("Sections 2.1 and 4.2")
EQ_3 = Source(
    "ou24",
    "Section 5.1, eq. (3)",
    "Figure 2 shows the empirical regret for each parameter combination over time, defined as, "
    "E[R(T, pi)] = mu* T - sum_{t=1}^T r_t.",
)


@chapter.identity(
    "eq-3/printed",
    EQ_3,
    over={"mu": UNIT, "r": OneOf((0, 1))},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    repaired_by=("ou24/eq-3/repaired",),
    note="Equation (3) is a random variable that can be negative, but it has the same symbol as the expectation in "
    "equation (1).\n"
    "The error is harmless: an average over runs estimates equation (1).\n"
    "With means in place of rewards this average would vary much less.",
)
def eq_3_printed(m: Vocabulary, mu: Number, r: Number) -> Sides:
    """We compare equation (3) with the quantity that equation (1) defines, for one arm, one round and reward r. For
    this round, equation (1) gives mu - mu = 0."""
    return mu - r, mu - mu


@chapter.identity(
    "eq-3/repaired",
    EQ_3,
    over={"mu": UNIT},
    reading=Reading.REPAIRED,
    formula_only=True,
    expect=Verdict.PROVED,
)
def eq_3_repaired(m: Vocabulary, mu: Number) -> Sides:
    """The formula states that the expectation of equation (3) is equation (1), for one arm, one round and a reward of 0
    or 1."""
    return mu * (mu - 1) + (1 - mu) * mu, mu - mu
