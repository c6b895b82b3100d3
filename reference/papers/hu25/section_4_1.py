"""Section 4.1."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Reading, Real, Unjudged, Verdict
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.page import page
from dpbandits.reference.papers.hu25.shared import ALPHA, HORIZON, source

chapter = page.chapter("Section 4.1")


@chapter.identity(
    "algorithm-1/budget",
    source("Theorem 4.4 and line 1", "budget phi = c_0 T^{0.5(1-alpha)} ln^{0.5(3-alpha)}(T)", statement="Theorem 4.4"),
    over={"T": HORIZON, "alpha": ALPHA},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="So the composition in the proof gives the parameter that the theorem prints.",
)
def algorithm_1_budget(m: Vocabulary, T: Number, alpha: Number) -> Sides:
    """The parameter sqrt(2 phi/ln^alpha T), which the proof obtains by composition, equals the parameter of the
    theorem."""
    return f.proof_eta(m, T, alpha), f.theorem_4_4_eta(m, T, alpha)


@chapter.inequality(
    "section-4.1/second-phase-exists",
    source(
        "Section 4.1",
        "We can view DP-TS-UCB as a two-phase algorithm with a mandatory TS-Gaussian phase and an optional UCB phase.",
    ),
    over={"T": Real(3, 15_000, True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="For these T, DP-TS-UCB is Thompson sampling on epochs. The paper says 'optional', and in the proof of "
    "Theorem 4.4 'if arm j only has the mandatory TS-Gaussian phase'.",
)
def section_4_1_second_phase_exists(m: Vocabulary, T: Number) -> Sides:
    """For alpha = 0 and T up to 15 000 the budget phi is at least T, so the optional phase never starts."""
    return m.sqrt(T), f.phi(m, T, 0) / m.sqrt(T)


chapter.add(
    "algorithm-1/line-7",
    source("Algorithm 1, lines 6 and 7", "Set h_i <- h_i - 1, MAX_i <- max{MAX_i, theta_{i,n_i}^{(h_i)}}"),
    Unjudged(
        "the index in line 7 is a slip, because after h_i <- h_i - 1, theta^{(h_i)} denotes a sample that is not "
        "drawn yet. The sample of line 6 is meant"
    ),
    scope="In line 7 as printed, the maximum uses the sample of the next index, which is not drawn yet.",
    reading=Reading.LETTER,
    expect=Verdict.UNSUPPORTED,
    note="The text of Section 4.1 takes the maximum over all samples of the epoch. Our implementation does the same.",
)


chapter.add(
    "algorithm-1/maximum-of-0",
    source("Algorithm 1, lines 2 and 15", "MAX_i <- 0"),
    Unjudged(
        "as MAX_i starts from 0, line 7 gives max{0, samples}; Section 4.1 takes the maximum of the samples alone"
    ),
    expect=Verdict.UNSUPPORTED,
    note="The 0 can only raise MAX_i, so Lemma 4.1 still holds. The 0 is also below the threshold of Lemma D.1, "
    "because means of rewards in [0, 1] are not negative. Our implementation can play both variants (field `floor`).",
)
