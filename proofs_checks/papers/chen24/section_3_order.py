"""The number of phases: the order of M."""

from __future__ import annotations

from math import ceil, log

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import one_line
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers.chen24.evidence import refuted, tried
from dpbandits.proofs_checks.papers.chen24.sizes import GRID
from dpbandits.reference.claims.findings import table_item
from dpbandits.reference.claims.model import Claim, Finding, Verdict
from dpbandits.reference.papers.chen24.algorithms.parameters import PRINTED, REPAIRED, phases, quarter
from dpbandits.reference.papers.chen24.page import page

proves = Proofs(page)


PHASES = """number_of_phases is (4) to (8): lam is any number from 2 on with lam^log(d) >= K - ceil(d^2/4), and the
lambda of (4) is the least such number; h and g are the sequences of (6) and (5), where b + 1 = ceil(x) is written as
b < x <= b + 1; first is M_1. If printed is true, N is {1, 2, ...} and M = M_1 + min - 1; otherwise N begins with 0 and
M = M_1 + min. That M exists, because h reaches 0 and g reaches 1, is a hypothesis. quarter d is ceil(d^2/4), and log is
the natural logarithm."""
ORDER_SAYS = f"""{PHASES} c is ceil(log d), and Nat.log2_up is ceil(log_2)."""
THETA_SAYS = f"""{PHASES} d <= 2^M is M >= log_2 d."""


def wrong_order(case: tuple[int, int]) -> str:
    arms, d = case
    bound = ceil(log(d)) + (quarter(d) - 1).bit_length() + 2
    worst = max(phases(arms, d, each).last for each in (PRINTED, REPAIRED))
    return "" if worst <= bound else f"K = {arms}, d = {d}: M = {worst}, the bound is {bound}"


@proves("phases/order")
@machine_checked(__file__, "phases_order", ORDER_SAYS)
def order(claim: Claim, effort: Effort, seed: int) -> Finding:
    """By (6), h_i < (h_{i-1} + 1)/lambda, so h_i < h_0/lambda^i + 1/(lambda - 1) <= h_0/lambda^i + 1. For i = ceil(log
    d) the first term is at most 1 by (4), so h_i <= 1, and h_{i+1} <= ceil(2/lambda) - 1 = 0. By (5), g_i = 1 for i =
    ceil(log_2 g_0). So M_1 <= ceil(log d) + 1, and the second stage adds at most ceil(log_2 ceil(d^2/4)) + 1."""
    return tried(claim, one_line(order), GRID, wrong_order, "pairs (K, d)")


def wrong_growth(case: tuple[int, int]) -> str:
    arms, d = case
    least = min(phases(arms, d, each).last for each in (PRINTED, REPAIRED))
    return "" if 2**least >= d else f"K = {arms}, d = {d}: M = {least}"


@proves("phases/theta")
@machine_checked(__file__, "phases_theta", THETA_SAYS)
def growing(claim: Claim, effort: Effort, seed: int) -> Finding:
    """g_0 = min(K, ceil(d^2/4)) >= d for K >= d >= 3, and halving it takes ceil(log_2 g_0) steps. In both readings, M
    is at least this number of steps: (8) subtracts 1, but M_1 is at least 1. For d = 2, M >= 1."""
    return tried(claim, one_line(growing), [c for c in GRID if c[0] >= c[1]], wrong_growth, "pairs (K, d) with K >= d")


@proves("phases/theta/few-arms")
def few_arms(claim: Claim, effort: Effort, seed: int) -> Finding:
    """For d >= 3, K = 3 is at most ceil(d^2/4). So g_0 = 3 and h_0 = 0 do not depend on d, and lambda = 2 by (4)."""
    rows = [[d, *(phases(3, d, each).last for each in (PRINTED, REPAIRED))] for d in (3, 10, 100, 10**4, 10**8)]
    evidence = (table_item("M for K = 3", ["d", "printed", "repaired"], rows),)
    if all(row[1:] == [2, 2] for row in rows):
        return refuted(claim, one_line(few_arms) + " So M = 2 for every d, although log d grows.", evidence)
    return Finding(claim.id, Verdict.CONSISTENT, "M grows with d", evidence)
