"""Lemma 2: how private the tree of Algorithm 2 is, exactly, and how large its noise is."""

from __future__ import annotations

from math import inf

import numpy as np

from dpbandits.proofs_checks.formulas.algebra.real_powers import equal_powers
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Evidence, ProofStep, Reduction, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.proofs_checks.papers.tao22.releases import LOGS, ROUNDING, tree_losses
from dpbandits.reference.claims.findings import nearest, table_item
from dpbandits.reference.claims.model import Basis, Real
from dpbandits.reference.papers.tao22 import Tree
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)
POSITIVE = Real(0, inf)
PLAYED = (*range(2, 40), 63, 64, 65, 100, 127, 128, 129)  # horizons; the argument serves all


# -- how private ----------------------------------------------------------------------------------------------------


def equal_bounds() -> tuple[bool, Evidence]:
    """Lemma 2 with B_t = 1, eps = 1: three readings of line 4."""
    rows, fits = [], True
    for horizon in PLAYED:
        found = [float(tree_losses(Tree(horizon, 1.0, log), np.ones(horizon)).max()) for log in LOGS.values()]
        levels = horizon.bit_length()
        fits &= all(
            abs(loss - levels / log(horizon)) < ROUNDING for loss, log in zip(found, LOGS.values(), strict=True)
        )
        if horizon in (2, 3, 4, 7, 8, 16, 64, 128):
            rows.append([horizon, 1.0, *found])
    return fits, table("The exact eps of Algorithm 2 at eps = 1, B_t = 1", rows)


def table(title: str, rows: list[list[float]]) -> Evidence:
    return table_item(title, ["T", "claimed eps", *map(nearest, LOGS)], rows)


LEMMA_2 = Reduction(
    "S-hat(t) is S-hat(t - 2^i) plus the noisy p-sum made at time t, where 2^i is the largest power of 2 that divides "
    "t. So the output and the noisy p-sums determine each other. An item lies in at most one p-sum of each of the "
    "levels 0, ..., floor(log2 T), and the first item lies in one p-sum of every level, made at times 1, 2, 4 and so "
    "on. A change from B to -B has a privacy loss of eps/log T in each of these p-sums, and no other change has a "
    "larger loss.",
    (),
)

proves("lemma-2/privacy/exact")(lemma_by_argument(LEMMA_2, equal_bounds))

REPAIRED = Reduction(
    "S-hat(t) is a sum of noisy p-sums. Item t lies in at most one p-sum of each of the floor(log2 T) + 1 levels, all "
    "of them made at times s >= t. The item changes such a p-sum by at most 2 B_t, and the scale of its noise is 2 "
    "B_s (floor(log2 T) + 1)/eps with B_s >= B_t. So the item's privacy loss is at most eps/(floor(log2 T) + 1) in "
    "each p-sum.",
    (),
)
SAYS = f"""sums_chance draws the noisy p-sums in turn; p_sums are the cells of lines 6 to 10 after n items, and level n
is the i of line 7. near are tables with one item changed, an item beyond its bound counts as 0, and S (Nat.log2 T) is
floor(log2 T) + 1. {INTEGRALS}"""

proves("lemma-2/privacy/repaired")(machine_checked(__file__, "lemma_2_repaired", SAYS)(lemma_by_argument(REPAIRED)))


# -- how much noise --------------------------------------------------------------------------------------------------

LEMMA_2_ERROR = Reduction(
    "S-hat(t) - S(t) is a sum of m <= M independent Laplace variables of scales at most b = 2 B_t M/eps. By Chernoff's "
    "bound with lambda = 1/(b sqrt(2 m)), the absolute value of this sum exceeds x with probability at most 2 (1 - "
    "1/(2 m))^{-m} e^{-lambda x}, and (1 - 1/(2 m))^m >= 1/2 by Bernoulli's inequality. At x = b sqrt(2 m) "
    "log(4/delta), 4 e^{-lambda x} = delta.",
    (
        ProofStep(
            "b sqrt(2 M) = sqrt(2) (2 B_t/eps) M^1.5",
            lambda: equal_powers(
                lambda m, B, M, eps: 2 * B * M / eps * m.sqrt(2 * M),
                lambda m, B, M, eps: m.sqrt(m.number(2)) * 2 * B / eps * m.exp(m.number("3/2") * m.log(M)),
                {"B": POSITIVE, "M": POSITIVE, "eps": POSITIVE},
            ),
            Basis.ALGEBRA,
        ),
    ),
)

proves("lemma-2/error/repaired")(lemma_by_argument(LEMMA_2_ERROR))
