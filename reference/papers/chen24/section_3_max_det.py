"""Section 3: the Max-Det principle and the noise."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Reading, Real, Stated, Unjudged, Verdict, Whole
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Section 3")
NOISE = page.source(
    "Section 1, Our Contributions",
    "the Max-Det principle minimises the maximum Laplacian noise injected across all arms",
)
TIED = ((-1, -3), (1, -2), (-4, 1), (-5, -2))
BROKEN = (36, 6)  # K and d of the smallest gap between what a phase takes and what (8) keeps that is easy to read


@chapter.inequality(
    "max-det/noise/scale",
    NOISE,
    over={"eps": Real(0, inf), "budget": Real(0, inf), "M": Whole(1), "d": Whole(1), "extra": Whole(0)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="The formula has the scale (11) before the ceiling, for every collection of d arms.",
)
def max_det_noise_scale(m: Vocabulary, eps: Number, budget: Number, M: Number, d: Number, extra: Number) -> Sides:
    """Here budget = T', and M is the number of phases. If budget/M pulls are divided evenly among d arms, the noise
    scale in each arm's mean is at most the scale for d + extra arms."""
    return M * d / (eps * budget), M * (d + extra) / (eps * budget)


chapter.add(
    "max-det/noise",
    NOISE,
    Stated(
        "no collection that determines all means has a smaller maximum scale of injected noise than a Max-Det "
        "collection"
    ),
    scope="The claim is about the noise (11) in the means of the pulled arms, with T'/M pulls divided evenly. Every "
    "basis attains the minimum, but Lemma G.1 needs a Max-Det collection.",
    expect=Verdict.ARGUED,
    follows=("chen24/max-det/noise/scale",),
    note="For the noise in the estimates of all arms, another collection may be better (`chen24/max-det/variance`).",
    related=("chen24/max-det/variance",),
)

chapter.add(
    "max-det/variance",
    NOISE,
    Stated(f"for the vectors {TIED}, no Max-Det collection minimises max_i sum_j alpha_{{i,j}}^2"),
    scope="Up to a factor, the quantity is the largest variance of the noise in the estimates of all arms. Max-Det "
    "bounds this variance but need not minimise it.",
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="The paper's sentence is about injected noise, so it is not refuted by this example.",
)

chapter.add(
    "definition-3.1/span",
    page.source(
        "After Definition 3.1",
        "If span(A) = d', the vectors in B are linearly independent, and any b in A may be expressed as a linear "
        "combination of the vectors in B.",
    ),
    Unjudged(
        "span(A) is a subspace and d' is a number, so the printed condition is a misprint for span(A) = R^{d'}, as in "
        "Lemma G.1. A formula cannot refute such a misprint"
    ),
    reading=Reading.LETTER,
    expect=Verdict.UNSUPPORTED,
)
