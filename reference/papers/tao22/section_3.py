"""Section 3: preliminaries."""

from __future__ import annotations

from dpbandits.reference.ledger import Consequence, Stated, Verdict
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import PROOF

chapter = page.chapter("Section 3")


chapter.add(
    "section-3.1/moments",
    source("Section 3.1", "the bounded raw moment implies that the bounded central moment, and vice versa"),
    Consequence("Lemma 10"),
    expect=Verdict.ARGUED,
    follows=("tao22/lemma-10/1", "tao22/lemma-10/2"),
    by="the bounds that Lemma 10 states",
    note="Back again the bound takes |mu| with it: X + c has the central moments of X, whatever c is. A user who "
    "knows only a central moment does not know u.",
)


chapter.add(
    "lemma-1",
    source("Lemma 1 (Parallel Composition)", "preserves eps-DP in total"),
    Stated(PROOF),
    expect=Verdict.ARGUED,
)


chapter.add(
    "definition-3",
    source("Definition 3", "Laplacian Mechanism preserves eps-DP."),
    Stated(PROOF),
    expect=Verdict.ARGUED,
    note="And no smaller eps: the ratio of densities is e^eps beyond both centres.",
)
