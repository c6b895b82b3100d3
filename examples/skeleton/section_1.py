"""Section 1: formulas. A statement is a function with a name; its docstring is the scope, its value the two sides.

What is read as printed, which is the reading where none is given, quotes the printed sentence.
"""

from __future__ import annotations

from dpbandits.pages import Fault, Harm, Number, Reading, Real, Sides, Unjudged, Verdict, Vocabulary
from skeleton.page import page

chapter = page.chapter("Section 1")
EQ_1 = page.source("Equation (1)", "e^eps - 1 <= 2 eps for every eps in [0, 2]")


def growth(m: Vocabulary, eps: Number) -> Number:
    """e^eps - 1: what several statements bound."""
    return m.exp(eps) - 1


@chapter.inequality(
    "eq-1",
    EQ_1,
    over={"eps": Real(0, 2, closed=True)},
    of=growth,
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.STATEMENT,
    note="The positive control: false from eps = 1.26 on. If it is not refuted, the auditor has lost its power.",
)
def eq_1(m: Vocabulary, eps: Number) -> Number:
    return 2 * eps


@chapter.inequality(
    "eq-1/repaired",
    EQ_1,
    over={"eps": Real(0, 1, closed=True)},
    of=growth,
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
    note="The negative control.",
)
def eq_1_repaired(m: Vocabulary, eps: Number) -> Number:
    """Up to eps = 1."""
    return 2 * eps


@chapter.identity(
    "eq-2",
    page.source("Equation (2)", "(1 + x)^2 = 1 + 2x + x^2"),
    over={"x": Real(0, 9)},
    expect=Verdict.PROVED,
)
def eq_2(m: Vocabulary, x: Number) -> Sides:
    return (1 + x) * (1 + x), 1 + 2 * x + x * x


chapter.add(
    "rate",
    page.source("Section 1", "Our bounds are of the right order."),
    Unjudged("an order, without constants"),
    expect=Verdict.UNSUPPORTED,
)
