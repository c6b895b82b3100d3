"""Section 3: the Max-Det principle and the noise."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Reading, Real, Stated, Verdict, Whole
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
    over={"eps": Real(0, inf), "T_left": Real(0, inf), "M": Whole(1), "d": Whole(1), "more": Whole(0)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="T_left: T'. The scale of the noise at the arms that are pulled, before the ceiling: of every collection of "
    "so many arms, whatever else it is.",
)
def max_det_noise_scale(m: Vocabulary, eps: Number, T_left: Number, M: Number, d: Number, more: Number) -> Sides:
    """As a formula: the scale of d arms that share T'/M pulls evenly, against that of d + more arms."""
    return M * d / (eps * T_left), M * (d + more) / (eps * T_left)


chapter.add(
    "max-det/noise",
    NOISE,
    Stated("no collection that determines all means is pulled with less noise at its arms than a Max-Det collection"),
    scope="The noise that (11) injects, at the arms that are pulled, T'/M pulls divided evenly. Every basis does as "
    "well: what Max-Det is needed for is Lemma G.1.",
    expect=Verdict.ARGUED,
    follows=("chen24/max-det/noise/scale",),
    note="In the estimates of all arms, which is another sentence, another collection may have less: max-det/variance.",
)

chapter.add(
    "max-det/variance",
    NOISE,
    Stated(f"of the vectors {TIED}, no Max-Det collection has the least max_i sum_j alpha_{{i,j}}^2"),
    scope="The noise in the estimates of all arms, instead of what is injected: Max-Det bounds it, and another "
    "collection may be better.",
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="No refutation: the sentence speaks of injected noise.",
)
