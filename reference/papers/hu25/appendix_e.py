"""Appendix E."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import OneOf, Reading, Verdict, Whole
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.page import page
from dpbandits.reference.papers.hu25.shared import ALPHA, HORIZON, MILLION, source

chapter = page.chapter("Appendix E")


@chapter.identity(
    "appendix-e.1/c",
    source(
        "Appendix E.1",
        "Recall that in Section 5.3, we let c = 1/(2 c_0 (b+1)) T^{0.5(1+alpha)} ln^{-1.5(1-alpha)}(T) for any b "
        "for M-TS-Gaussian to satisfy sqrt(2 c_0 T^{0.5(1-alpha)} ln^{1.5(1-alpha)}(T))-GDP.",
    ),
    over={"T": HORIZON, "alpha": ALPHA, "b": Whole(0, 10**5)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def appendix_e_1_c(m: Vocabulary, T: Number, alpha: Number, b: Number) -> Sides:
    """The formula is c without the additional root of Section 5.3."""
    return f.quoted_eta(m, T, b, f.matching_c(m, T, alpha, b)), f.theorem_4_4_eta(m, T, alpha)


@chapter.inequality(
    "appendix-e.1/c-below-1",
    source("Appendix E.1", "we conduct experiments with b = {0, 1, 500, 1000, 2000, 5000, 100000}"),
    over={"T": MILLION, "b": OneOf((500, 1000, 2000, 5000, 100_000))},
    strict=True,
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="The privacy guarantee needs c > 0 only, but ou24's regret theorem needs c >= 1.",
)
def appendix_e_1_c_below_1(m: Vocabulary, T: Number, b: Number) -> Sides:
    """For alpha = 0 and b >= 500, c is below 1, which ou24's algorithm does not admit."""
    return f.matching_c(m, T, 0, b), m.number(1)
