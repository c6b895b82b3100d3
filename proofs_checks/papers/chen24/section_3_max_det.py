"""Max-Det and the noise: the collections with the smallest noise."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import one_line
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers.chen24.evidence import refuted, tried
from dpbandits.proofs_checks.papers.chen24.exact_sets import (
    Collections,
    Vector,
    Vectors,
    maximisers,
    sets,
    size,
    solved,
)
from dpbandits.reference.claims.findings import table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, established
from dpbandits.reference.papers.chen24.page import page
from dpbandits.reference.papers.chen24.section_3_max_det import TIED

proves = Proofs(page)


def wrong_collection(vectors: Vectors, best: Collections = maximisers) -> str:
    """Of every Max-Det collection: it spans; and none of its vectors can be left out."""
    d = len(vectors[0])
    for chosen in best(vectors):
        if len(chosen) != d or not size(vectors, chosen):
            return f"collection {chosen} of {len(chosen)}, in {d} dimensions"
    return ""


NOISE_SAYS = """chosen are the features of the k arms that are pulled, features those of all active arms; determines
says that parameters theta with the same means of the chosen arms have the same means of all arms. noise_scale is the
scale of (11) with T'/M pulls divided evenly among k arms, before the number of pulls is rounded up, and left is T'. A
Max-Det collection has as many arms as the rank of the features, so its noise has the scale on the left. R is any
ordered field, such as the real numbers."""


@proves("max-det/noise")
@machine_checked(__file__, "max_det_noise", NOISE_SAYS)
def fewest(claim: Claim, effort: Effort, seed: int) -> Finding:
    """A collection determines all means only if it spans the span of all features, so it has at least d_p arms. A
    Max-Det collection has exactly d_p arms, with det != 0. If T'/M pulls are divided evenly among k arms, each arm gets
    T'/(M k) pulls, and its noise scale (11) is M k/(eps T'), which is smallest for k = d_p."""
    return tried(claim, one_line(fewest), sets(25, seed, 3), wrong_collection, "sets of rational vectors")


@proves("max-det/variance")
def variance(claim: Claim, effort: Effort, seed: int) -> Finding:
    """The largest sum_j alpha_{i,j}^2 of every collection of the named set."""
    vectors: list[Vector] = [tuple(map(Fraction, vector)) for vector in TIED]
    best = maximisers(vectors)
    spread: dict[tuple[int, ...], Fraction] = {
        chosen: max(sum((b * b for b in solved(vectors, chosen, each)), Fraction(0)) for each in vectors)
        for chosen in combinations(range(len(vectors)), 2)
        if size(vectors, chosen)
    }
    rows = [[str(c), str(size(vectors, c)), "yes" if c in best else "no", str(spread[c])] for c in spread]
    evidence = (
        table_item(f"Collections of {TIED}", ["places", "|det|", "Max-Det", "largest variance, in units"], rows),
    )
    least = min(spread.values())
    if min(spread[chosen] for chosen in best) <= least:
        return refuted(claim, "a Max-Det collection has the least variance", evidence)
    text = (
        f"The smallest possible max_i sum_j alpha_(i,j)^2 is {float(least):.4f}. For Max-Det collections, this "
        f"maximum is at least {float(min(spread[c] for c in best)):.4f}."
    )
    return established(claim.id, text, evidence, Basis.ALGEBRA)
