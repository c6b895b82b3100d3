"""Thompson sampling as it stands loses O(ln^2 T): the abstract's first sentences, and Theorem 1."""

from __future__ import annotations

from dpbandits.reference.claims.model import Consequence, Reading, Stated, Verdict
from dpbandits.reference.papers.tossou18.page import page

chapter = page.chapter("Theorem 1")

TOO_SHORT = (15, 20)  # horizons at which ln^2 T is not enough for two arms

ALREADY = page.source(
    "Abstract",
    "We show that Thompson Sampling with Gaussian Prior as detailed by Algorithm 2 in (Agrawal & Goyal, 2013) is "
    "already differentially private.",
)
LOSS = page.source(
    "Abstract",
    "Theorem 1 show that it enjoys a very competitive privacy loss of only O(ln^2 T) after T rounds.",
    seen_in=page.seen_in,
)
SOURCE = page.source(
    "Theorem 1",
    "Thompson sampling with Gaussian Prior [Algorithm 2 in (Agrawal & Goyal, 2013)] is O(eps, delta)-differentially "
    "private after T rounds with eps = ln^2 T and delta = T^{-4}.",
)

chapter.add(
    "abstract/already-private",
    ALREADY,
    Consequence(
        "Thompson sampling is sqrt(T/2)-GDP, and so (eps, delta)-DP with some delta < 1 for every eps >= 0 and T"
    ),
    scope="The claim is (eps, delta(eps))-DP with a delta(eps) < 1, for every eps >= 0 and every T.",
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-3/every-run", "ou24/theorem-1/informative"),
    by="Theorem 3 of Ou, Avella Medina and Cummings (2024), which is not the authors' route",
)
chapter.add(
    "theorem-1",
    SOURCE,
    Stated("for every K there is a C_K such that the released arms are (C_K ln^2 T, T^-4)-DP for all T >= 2"),
    scope="The constant in the O may depend on the number of arms, which is fixed. Rewards are in [0, 1], and "
    "neighbours differ in one pull or in one round.",
    reading=Reading.QUOTED,
    expect=Verdict.ARGUED,
    note="The theorem is six years older than ou24, whose sqrt(T/2)-GDP gives an eps of order T at delta = T^-4. So "
    "the rate of this theorem is far better. The proof is ours, because we did not have the authors' proof. "
    "`tossou18/theorem-1/without-o` is about the constant, and `tossou18/theorem-1/constant` about its limit for two "
    "arms. With constants that do not depend on K the theorem is false: `tossou18/theorem-1/uniform`.",
    related=("tossou18/theorem-1/without-o", "tossou18/theorem-1/constant", "tossou18/theorem-1/uniform"),
)
chapter.add(
    "theorem-1/constant",
    SOURCE,
    Stated(
        "for every fixed K the released arms are ((1/2 + o(1)) ln^2 T, T^-4)-DP as T grows; for two arms and one "
        "changed pull, the statement is false with any constant below 1/2"
    ),
    scope="So the constant in the O is at most 1/2 in the limit, and equal to 1/2 for two arms. From some T on, "
    "which depends on K, eps = ln^2 T is enough, without an O. The upper bound is for neighbours of either relation.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-3/law/given-arms", "ou24/theorem-3/law/two-arms/below"),
    note="The statement is asymptotic: at T = 15 and 20 the true eps exceeds ln^2 T (`tossou18/theorem-1/without-o`).",
    related=("tossou18/theorem-1/without-o",),
)
chapter.add(
    "theorem-1/uniform",
    SOURCE,
    Stated(
        "for every constant C there are arbitrarily large K and T such that the released arms are "
        "not (C ln^2 T, C T^-4)-DP"
    ),
    scope="With K arms and T = ceil(1.5 K) rounds, the privacy loss grows faster than every power of ln T, also at a "
    "fixed delta below 1/2. The neighbours differ in one pull.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-3/law/many-arms",),
    note="The text that we have does not say whether the O may depend on K. The abstract compares a regret of O(ln^2 "
    "T/eps) with another paper's O(K ln^3 T/eps^2), in which K is written, so a reader may expect an O that is "
    "uniform in K. For fixed K the theorem holds. At practical T the dependence on K is not visible.",
)
chapter.add(
    "abstract/loss",
    LOSS,
    Consequence("the released arms are (O(ln^2 T), T^-4)-DP, for every fixed number of arms"),
    scope="The sentence's privacy loss is read as the eps at delta = T^-4, as in Theorem 1.",
    reading=Reading.QUOTED,
    expect=Verdict.ARGUED,
    follows=("tossou18/theorem-1",),
)


chapter.add(
    "theorem-1/without-o",
    SOURCE,
    Stated("for two arms and T = 15 or 20 the released arms are not (ln^2 T, T^-4)-DP; one pull is changed"),
    scope="The theorem has an O: its authors claim eps = ln^2 T only up to a constant.",
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="Users should not rely on eps = ln^2 T: at T = 15 and 20 the true eps is larger. At T = 10, the true eps on "
    "the worst tables found is 5.00, below ln^2 T = 5.30.",
)
chapter.add(
    "abstract/loss/pure",
    LOSS,
    Stated("for two arms and every T, the pure privacy loss (delta = 0) is at least 0.38 (T - 1)"),
    scope="So the pure privacy loss is not O(ln^2 T): the loss of the transcript 'arm 0, then arm 1 in all later "
    "rounds' grows like T.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="Theorem 1 has a delta, so the sentence does not mean a pure privacy loss, but a reader of the abstract "
    "alone may think that it does.",
)
