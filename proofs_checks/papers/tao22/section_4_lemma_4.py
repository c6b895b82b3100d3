"""Lemma 4: how often Algorithm 3 pulls an arm, repaired, and for every eps and u."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import (
    Evidence,
    Reduction,
    enclosure_step,
    equality_step,
    lemma_by_argument,
)
from dpbandits.reference.claims.findings import nearest, table_item
from dpbandits.reference.claims.model import Real, Verdict
from dpbandits.reference.papers.tao22 import DPRSE
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)


# -- Lemma 4 ---------------------------------------------------------------------------------------------------------


def two_pulls() -> tuple[bool, Evidence]:
    """R_1 of Algorithm 3 as eps grows."""
    rows = []
    for eps in (1.0, 1e3, 1e6, 1e9, 1e12):
        policy = DPRSE(2, 1000, eps, 1.0, 1.0)
        length = float(policy.numbers(np.array([1]), np.ones((1, 2), dtype=bool)).length[0, 0])
        rows.append([eps, length])
    fits = all(length >= 2 for _, length in rows)
    return fits, table_item("u = v = 1, K = 2, T = 1000", [nearest("eps"), nearest("R_1")], rows)


LEMMA_4 = Reduction(
    "Line 8 rounds u^{1/v} 24^p L/(eps D^p) + 1 up, which exceeds 1. So R_1 >= 2, and every arm is certainly pulled "
    "at least twice if T >= 2 K. For fixed v, u, K, beta and Delta < 1/e the bound of (6) is a constant divided by "
    "eps. Whatever constant the O hides, the bound falls below 2 as eps grows.",
    (),
)

proves("lemma-4/every-eps")(lemma_by_argument(LEMMA_4, two_pulls, verdict=Verdict.REFUTED))
LEMMA_4_REPAIRED = Reduction(
    "For every epoch and active arm, consider one side of the errors: from below for the best arm, and from above for "
    "the others. The sampling error exceeds 4 err with probability at most beta/(4|S|tau^2) by Bernstein's "
    "inequality, and the noise exceeds 2 err with at most the same probability. So no such error occurs, except with "
    "probability (beta/2) sum tau^-2 <= beta. Then the difference between any other estimate and the best arm's "
    "estimate is at most 12 err too large. So the best arm is never more than 12 err below the maximum, and an arm "
    "with Delta_a >= D_tau > 24 err is more than 12 err below the best arm. So arm a is eliminated by epoch tau(a). "
    "R_tau <= c 2^{p tau} log(4 K tau(a)^2/beta) + 2 with c = u^{1/v} 24^p/eps, and sum_{i >= 0} 2^{-p i} <= 4/3 as "
    "p >= 2.",
    (
        enclosure_step(
            "sqrt(2 eps) + eps/3 + 1 <= 4 for eps <= 1",
            lambda m, eps: m.sqrt(2 * eps) + eps / 3 + 1,
            lambda m, eps: m.number(4),
            {"eps": Real(0, 1, closed=True)},
        ),
    ),
)

proves("lemma-4/repaired")(lemma_by_argument(LEMMA_4_REPAIRED))


# -- Lemma 4 and Theorem 4 for every u -------------------------------------------------------------------------------


def first_epochs() -> tuple[bool, Evidence]:
    """R_1 of Algorithm 3 as u grows, beside the printed power of u."""
    rows = []
    for u in (1.0, 1e2, 1e4, 1e6):
        policy = DPRSE(2, 10**12, 1.0, 1.0, u)
        length = float(policy.numbers(np.array([1]), np.ones((1, 2), dtype=bool)).length[0, 0])
        rows.append([u, length, length / (np.sqrt(u) * np.log(1e12))])
    columns = ["u", nearest("R_1"), nearest("R_1 over u^{1/2} log T")]
    growing = all(later[2] > 9 * before[2] for before, later in pairwise(rows))
    return growing, table_item("v = eps = 1, K = 2, T = 10^12", columns, rows)


EVERY_U = Reduction(
    "Take eps = 1 and two arms with rewards in [0, 1] and gap 1/2. The moments of such rewards are at most 1 <= u. "
    "Line 8 makes R_1 >= u^{1/v} 48^p log(8/beta), and both arms are certainly pulled R_1 times if T >= 2 R_1, so the "
    "regret is at least R_1/2. If everything else is fixed, the bound grows like u^{1/(1+v)}, and the number of pulls "
    "divided by the bound grows like u^{1/v - 1/(1+v)}. So the pulls exceed the bound for large u, whatever constant "
    "the O hides.",
    (
        equality_step(
            "1/v - 1/(1+v) = 1/(v (1+v))", lambda m, v: 1 / v - 1 / (1 + v), lambda m, v: 1 / (v * (1 + v)), "v"
        ),
    ),
)

proves("lemma-4/every-u")(lemma_by_argument(EVERY_U, first_epochs, verdict=Verdict.REFUTED))
