"""Theorem 1: how private the noisy p-sums of Algorithm 1 are."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Evidence, Reduction, enclosure_step, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.proofs_checks.papers.tao22.releases import LOGS, ROUNDING, ucb_losses
from dpbandits.proofs_checks.papers.tao22.section_4_lemma_2 import PLAYED, table
from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary
from dpbandits.reference.papers.tao22.algorithms.tree import binary_log
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)


def growing_bounds() -> tuple[bool, Evidence]:
    """Theorem 1 for K = 2 at v = 1, the worst: to the base 2 at most eps from T = 4 on."""
    rows, fits = [], True
    for horizon in PLAYED[2:]:
        found = [ucb_losses(horizon, 1.0, log) for log in LOGS.values()]
        fits &= found[1] <= 1 + ROUNDING
        fits &= ucb_losses(horizon, 0.5, binary_log) <= found[1] + ROUNDING
        if horizon in (4, 5, 9, 17, 33, 65, 129):
            rows.append([horizon, 1.0, *found])
    return fits, table("The exact eps of Algorithm 1's noisy p-sums at eps = 1, v = 1, K = 2", rows)


def partial_sum(m: Vocabulary, terms: int) -> Number:
    """1 + 2^{-1/2} + ... of so many terms."""
    return sum((1 / m.sqrt(m.number(2**j)) for j in range(terms)), start=m.number(0))


def base_2(m: Vocabulary, x: int) -> Number:
    return m.log(m.number(x)) / m.log(m.number(2))


THEOREM_1 = Reduction(
    "An arm is pulled at most N = T - K + 1 <= T - 1 times. Let k be the number with 2^{k-1} <= N < 2^k, so that T > "
    "2^{k-1}. The arm's t-th reward lies in at most one noisy p-sum of each level 0, ..., k-1, made at times s >= t. "
    "The privacy loss in such a p-sum is (eps/log2 T) B_t/B_s, with B_t/B_s = (t/s)^{1/(1+v)} <= sqrt(t/s). Only t = 1 "
    "lies in a p-sum of every level, because the p-sums of level j contain exactly the rewards t for which "
    "floor((t-1)/2^j) is even. In units of eps/log2 T, any other reward has a loss of at most k - 1 < log2 T. Reward 1 "
    "has a loss of sum_{j < k} 2^{-j/2} in these units, and the steps compare this loss with log2 T. Arms are chosen "
    "from noisy p-sums, which is post-processing, and a reward enters the tree of one arm only. Of the rewards of one "
    "timestep, only one is read. The earlier noisy p-sums determine which arm's reward this is, and its number among "
    "the rewards of this arm.",
    (
        enclosure_step("k = 1, T >= 2", lambda m: partial_sum(m, 1), lambda m: m.number(1), {}),
        enclosure_step("k = 2, T >= 4", lambda m: partial_sum(m, 2), lambda m: m.number(2), {}),
        enclosure_step("k = 3, T >= 5", lambda m: partial_sum(m, 3), lambda m: base_2(m, 5), {}),
        enclosure_step("k = 4, T >= 9", lambda m: partial_sum(m, 4), lambda m: base_2(m, 9), {}),
        enclosure_step(
            "k >= 5, T >= 17: the whole series",
            lambda m: 1 / (1 - 1 / m.sqrt(m.number(2))),
            lambda m: base_2(m, 17),
            {},
        ),
    ),
)

REPAIRED = Reduction(
    "A reward enters the tree of one arm, in which its privacy loss is at most eps (`tao22/lemma-2/privacy/repaired`). "
    "The next arm is computed from the past noisy p-sums, so it is the same on both inputs if these p-sums are the "
    "same. Hence only one of the rewards of a timestep is read, and it belongs to the same arm on both inputs.",
    (),
)
POLICY = """sums_chance draws the noisy p-sum of each pull in turn, with the cells of lines 6 to 10 of Algorithm 2
(p_sums; level n is the i of line 7); choose is lines 6 and 13, any function of the noisy p-sums so far, and with it the
arms are a function of these. near: of a table of pulls one reward is changed (relation pull), of a table of rounds all
rewards of one timestep (relation round); stream has the rewards of an arm's pulls so far, read from either kind of
table, and item is the truncation of lines 8 and 15."""
SAYS = f"""{POLICY} nth_error says that the first K rounds take the arms in turn; threshold is B_n, c = (eps u/log^1.5
T)^(1/(1+v)), and ln (INR T) / ln 2 is log2 T. {INTEGRALS}"""
REPAIRED_SAYS = f"""{POLICY} bound is B_n, any that does not fall, and S (Nat.log2 T) is floor(log2 T) + 1.
{INTEGRALS}"""

proves("theorem-1")(machine_checked(__file__, "theorem_1", SAYS)(lemma_by_argument(THEOREM_1, growing_bounds)))
proves("theorem-1/repaired")(
    machine_checked(__file__, "theorem_1_repaired", REPAIRED_SAYS)(lemma_by_argument(REPAIRED))
)
