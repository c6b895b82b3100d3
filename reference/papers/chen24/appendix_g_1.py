"""Lemma G.1: coefficients in a Max-Det collection are at most 1. Also other properties of such collections."""

from __future__ import annotations

from dpbandits.reference.claims.model import Reading, Stated, Verdict
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Appendix G, Lemma G.1")
LEMMA_G_1 = page.source("Lemma G.1", "Then, |beta_i| <= 1 for all i in [d']")
GREEDY = ((50, 0), (40, 29), (40, -28))  # norms 50, 49.4, 48.8: greedy takes the first two

chapter.add(
    "lemma-g.1",
    LEMMA_G_1,
    Stated("for every Max-Det collection of a finite spanning set and every vector of the set, |beta_i| <= 1"),
    scope="The claim is for every dimension and set, including sets with ties, duplicates and zero vectors.",
    expect=Verdict.ARGUED,
)
chapter.add(
    "lemma-g.1/local",
    LEMMA_G_1,
    Stated(
        "for a collection with det != 0, all |beta_i| are at most 1 if and only if no exchange of one vector "
        "makes |det| larger"
    ),
    scope="So the paper's proofs also hold for every local optimum, which can be found without searching all subsets.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="Our policies use a local optimum if there are too many subsets.",
)
chapter.add(
    "lemma-g.1/greedy",
    LEMMA_G_1,
    Stated(f"for the vectors {GREEDY}, the greedy collection has a coefficient of 1.57"),
    scope="So greedy selection of the farthest vector cannot replace Max-Det, not even in the plane.",
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
