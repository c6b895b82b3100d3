"""Appendix B: the proof of Theorem 3."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Reading, Stated, Verdict
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import POSITIVE

chapter = page.chapter("Appendix B: Theorem 3, Lemma 4 and Theorem 4")
PROOF_3 = source(
    "Proof of Theorem 3",
    "In each epoch tau, the difference of the mean of arm a between the two adjacent streams is at most 2 B_tau/R_tau "
    "since the reward of each arm is truncated by [-B_tau, B_tau]. Thus, adding noise of Lap(2 B_tau/(eps R_tau)) to "
    "mu_a guarantees eps-DP.",
)


@chapter.identity(
    "theorem-3/mean",
    PROOF_3,
    over={"B": POSITIVE, "R": POSITIVE, "eps": POSITIVE},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="Rewards B and -B attain the bound, as truncation keeps both. For the privacy of Algorithm 3 see "
    "`tao22/theorem-3`.",
    related=("tao22/theorem-3",),
)
def theorem_3_mean(m: Vocabulary, B: Number, R: Number, eps: Number) -> Sides:
    """The largest change of the mean, 2 B/R, divided by the noise scale 2 B/(eps R), is eps."""
    return 2 * B / R / (2 * B / (R * eps)), eps


chapter.add(
    "theorem-3/once",
    PROOF_3,
    Stated("each reward is used in the noisy mean of one epoch only, with weight 1/R_tau"),
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    note="The paper's sentence does not state this fact, but needs it: together with `tao22/theorem-3/mean`, the "
    "fact implies the eps-DP of `tao22/theorem-3`.",
    related=("tao22/theorem-3/mean", "tao22/theorem-3"),
)
