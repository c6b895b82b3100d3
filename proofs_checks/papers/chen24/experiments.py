"""Section 5 and Appendix E.2: the budget and the privacy of Baseline, and DP-BAI's independence of the lengths of
orthogonal features."""

from __future__ import annotations

import numpy as np

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, lemma_by_argument, one_line
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers.chen24 import section_4
from dpbandits.proofs_checks.papers.chen24.evidence import refuted, tried
from dpbandits.proofs_checks.papers.chen24.sizes import GRID
from dpbandits.reference.claims.findings import table_item
from dpbandits.reference.claims.model import Claim, Finding, Verdict
from dpbandits.reference.papers.chen24 import dp_bai
from dpbandits.reference.papers.chen24.algorithms.parameters import (
    PRINTED,
    REPAIRED,
    Indices,
    Reserve,
    every_arm_reserve,
    phases,
    printed_reserve,
    pulls_each,
)
from dpbandits.reference.papers.chen24.experiments import FEATURES, longer
from dpbandits.reference.papers.chen24.page import page

proves = Proofs(page)


def wrong_length(y: float) -> str:
    policies = [dp_bai(longer(each), 100, 1.0) for each in (1.0, y)]
    plans = [policy.planned((0, 1)) for policy in policies]
    same = plans[0].pulled == plans[1].pulled and policies[0].left == policies[1].left
    alike = all(np.array_equal(plan.alpha, np.eye(2)) for plan in plans)
    return "" if same and alike else f"y = {y}: another plan than at y = 1"


@proves("figure-2/dp-bai")
def independent(claim: Claim, effort: Effort, seed: int) -> Finding:
    """As d_p = 2 >= sqrt(2), the only phase pulls both arms ceil(T'/2) times, whatever their features are, and compares
    their noisy means."""
    return tried(claim, one_line(independent), (1e-6, 0.5, 2.0, 10.0, 50.0, 1e6), wrong_length, "lengths")


# -- Baseline --------------------------------------------------------------------------------------------------------


def pulls_of_all(arms: int, d: int, total: int, indices: Indices, reserve: Reserve) -> int:
    """The pulls of phases that pull all their arms."""
    plan = phases(arms, d, indices)
    left = total - reserve(arms, d, plan)
    return sum(size * pulls_each(left, plan.last, size) for size in plan.sizes[:-1])


@proves("baseline/budget")
def overdrawn(claim: Claim, effort: Effort, seed: int, *, reserve: Reserve = printed_reserve) -> Finding:
    """Budgets of Section 5's instance, and what Baseline pulls with what (8) keeps."""
    size = len(FEATURES), len(FEATURES[0])
    rows = [[total, pulls_of_all(*size, total, PRINTED, reserve)] for total in (100, 200, 400, 1000, 4000)]
    evidence = (table_item(f"Baseline's pulls, K = {size[0]}, d = {size[1]}", ["T", "pulls"], rows),)
    above = [row for row in rows if row[1] > row[0]]
    if above:
        pairs = ", ".join(f"{pulls} for T = {total}" for total, pulls in above)
        return refuted(claim, f"The numbers of pulls are {pairs}.", evidence)
    return Finding(claim.id, Verdict.CONSISTENT, "the pulls stay within these budgets", evidence)


def wrong_baseline(case: tuple[int, int, int], reserve: Reserve = every_arm_reserve) -> str:
    arms, d, rest = case
    total = rest + reserve(arms, d, phases(arms, d, REPAIRED))
    pulls = pulls_of_all(arms, d, total, REPAIRED, reserve)
    return "" if pulls < total else f"K = {arms}, d = {d}, T = {total}: {pulls} pulls"


EVERY_ARM_SAYS = """s p is the number of active arms of phase p, any positive number, and ceiling a b is ceil(a/b). left
is T'; the theorem asks for T' >= 1 and for at least one phase, M >= 1. The sum over the phases 1 to M is below T, so at
least one pull stays unused."""


@proves("baseline/budget/repaired")
@machine_checked(__file__, "baseline_budget", EVERY_ARM_SAYS)
def within(claim: Claim, effort: Effort, seed: int) -> Finding:
    """For integers, s ceil(T'/(M s)) <= T'/M + s - 1/M. So all M phases take at most T' + sum s_p - 1 = T - 1 pulls."""
    cases = ((*size, rest) for size in GRID for rest in (1, 2, 7, 61, 997))
    return tried(claim, one_line(within), cases, wrong_baseline, "budgets")


PRIVATE = Reduction(
    "The argument is that of proposition-4.1 for DP-BAI: every reward is in the noisy mean of one arm in one phase, or "
    "is not read. The arms that a phase pulls and their numbers of pulls are functions of the earlier noisy means.",
    (),
)

proves("baseline/privacy")(
    machine_checked(section_4.__file__, "proposition_4_1", section_4.THEOREM)(lemma_by_argument(PRIVATE))
)
