"""Lemma 12 as sharp as it can be."""

from __future__ import annotations

from math import inf

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, inequality_step, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import checked_step, machine_checked
from dpbandits.reference.claims.model import Real
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)
POSITIVE = Real(0, inf)
SHARE = Real(0, 1, closed=True)
LEMMA_12 = Reduction(
    "Replace the samples one by one. It is enough to bound the ratio P[E]/P'[E] for one coordinate, because the "
    "mechanism, averaged over the other coordinates, is eps-DP in that coordinate. Let q = d_TV, D = (1-q) C + q A and "
    "D' = (1-q) C + q A'. Let g0, g1 and f1 be the probabilities of E when the sample comes from C, A' and A, "
    "respectively, scaled so that g0 = 1. Then f1 <= e^eps min(1, g1), and P[E]/P'[E] = (1-q+q f1)/(1-q+q g1) is at "
    "most 1 + q (e^eps - 1): the first step shows this for g1 <= 1, and the second step for g1 >= 1. Randomised "
    "response attains this bound, for D that is 1 with probability q and 0 otherwise, and for D' = 0.",
    (
        inequality_step(
            "1 - q + q (1+e) g <= (1 + q e)(1 - q + q g) for g, q in [0, 1], e = e^eps - 1",
            lambda m, g, q, e: 1 - q + q * (1 + e) * g,
            lambda m, g, q, e: (1 + q * e) * (1 - q + q * g),
            {"g": SHARE, "q": SHARE, "e": POSITIVE},
        ),
        inequality_step(
            "1 - q + q (1+e) <= (1 + q e)(1 + q h) for q in [0, 1], g = 1 + h >= 1",
            lambda m, h, q, e: 1 - q + q * (1 + e),
            lambda m, h, q, e: (1 + q * e) * (1 + q * h),
            {"h": POSITIVE, "q": SHARE, "e": POSITIVE},
        ),
    ),
)

MECHANISM = """W is the sample space of one datum. D and D' are two probability measures on it, given by their
expectations; the theorem uses only the properties that the two records list, which every probability space has. M x e
is the probability of the event e on the n data in the list x, and private_mechanism says that M is eps-DP if
neighbouring data differ in one entry. average D n integrates over n independent data from D, one after another; that
this can be done (jointly_measurable) is Fubini's theorem, which Rocq has not checked. q is any number that is at least
d_TV(D, D'), such as d_TV itself."""
ATTAINED = f"""{MECHANISM} The second part says that the factor is attained: for every q from 0 to 1 there are D, D', a
mechanism that is eps-DP on one datum and an event with equality. A datum from D is 1 with probability q and otherwise
0, and a datum from D' is 0. q is then d_TV(D, D'), as a smaller distance would contradict the first part."""
proves("lemma-12/sharp")(machine_checked(__file__, "lemma_12_sharp", ATTAINED)(lemma_by_argument(LEMMA_12)))
proves("lemma-12/small-eps")(checked_step(__file__, "lemma_12_small_eps", MECHANISM))
