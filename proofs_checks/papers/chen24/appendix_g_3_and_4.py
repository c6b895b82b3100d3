"""Lemma G.3 with the printed indices."""

from __future__ import annotations

from math import log

import numpy as np

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import one_line
from dpbandits.proofs_checks.papers.chen24.evidence import refuted
from dpbandits.reference.bandits.release_laws.selections import LAPLACE, top
from dpbandits.reference.claims.findings import below, nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict
from dpbandits.reference.papers.chen24.algorithms.parameters import (
    PRINTED,
    REPAIRED,
    Indices,
    growth,
    phases,
    pulled_arms,
    quarter,
)
from dpbandits.reference.papers.chen24.page import page

proves = Proofs(page)
NEAR, FAR = 1 / 128, 1 / 2  # gaps of arms that are nearly as good as the best one, and of all others
TIMES = (1, 2, 4)
STAGES = ((10, 4), (20, 4), (30, 5))  # K and d of instances, here and in Appendix J


def few_kept(arms: int, d: int, indices: Indices) -> tuple[int, int] | None:
    """How many arms the last phase of the first stage has, and how many it keeps, where it pulls all of them, if
    they are in general position, and keeps at most g_0 - 2; None where it is another phase."""
    plan = phases(arms, d, indices)
    size, kept = plan.sizes[plan.first_stage - 1 : plan.first_stage + 1]
    return (size, kept) if kept + 2 <= quarter(d) and pulled_arms(size, d) == size else None


@proves("lemma-g.3/printed")
def first_stage_loses(
    claim: Claim, effort: Effort, seed: int, *, near: float = NEAR, indices: Indices = PRINTED
) -> Finding:
    """With the printed indices, the last phase of the first stage keeps g_1 = ceil(g_0/2) arms. Rewards are constant
    and eps = 1. In Q, g_1 arms have a gap of 1/128, and all others have a gap of 1/2. So Delta_(g_0) = 1/2 if g_1 + 2
    <= g_0. All arms of Q are pulled n times. The best arm is eliminated if its noise is below -1/128 and the noise of
    each of the g_1 arms is not negative. This event has probability e^{-n/128}/2^{g_1 + 1}. By (69) this probability
    would be at most 2 lambda (e^{-n/64} + e^{-n/32}) <= 4 lambda e^{-n/64}. This bound is smaller than the probability
    for all n > 128 log(4 lambda 2^{g_1 + 1})."""
    rows, above = [], True
    for arms, d in STAGES:
        stage, ratio = few_kept(arms, d, indices), float(growth(arms, d))
        if stage is None:
            return Finding(claim.id, Verdict.CONSISTENT, f"K = {arms}, d = {d}: it is another phase")
        size, kept = stage
        least = int(128 * log(4 * ratio * 2 ** (kept + 1))) + 1
        means = np.array([FAR] + [FAR - near] * kept + [0.0] * (size - kept - 1))
        instead = (np.arange(size) >= 1) & (np.arange(size) <= kept)  # the arms that are nearly as good, and no other
        for n in (least * times for times in TIMES):
            found = top(LAPLACE, n * means[None, :], 1.0, kept, instead[None, :])
            lost = float(found.log[0, 0])
            printed = log(2 * ratio) + float(np.logaddexp(-n * FAR**2 / 16, -n * FAR / 16))
            above = above and lost - float(found.error.max()) > printed
            rows.append([arms, d, size, quarter(d), kept, n, lost, printed])
    columns = [
        "K",
        "d",
        "s_(M_1)",
        "g_0",
        "g_1",
        "n",
        below("log of the probability, at least"),
        nearest("log of (69)"),
    ]
    evidence = (table_item("The probability that the last phase of the first stage loses the best arm", columns, rows),)
    if above:
        bases = (Basis.EXACT_LAW, Basis.WORDS)
        return Finding(claim.id, Verdict.REFUTED, one_line(first_stage_loses), evidence, rests_on=bases)
    return Finding(claim.id, Verdict.CONSISTENT, "(69) holds for the numbers of the table", evidence)


@proves("lemma-g.3/last-phase")
def last_phase(claim: Claim, effort: Effort, seed: int) -> Finding:
    """s_{M_1+1} - g_0 + 1 in both readings."""
    rows, wrong = [], False
    for arms, d in ((10, 3), (20, 4), (100, 5), (10_000, 16)):
        g_0 = min(arms, quarter(d))
        values = []
        for indices in (PRINTED, REPAIRED):
            plan = phases(arms, d, indices)
            values.append(plan.sizes[plan.first_stage] - g_0 + 1)
        rows.append([arms, d, *values])
        wrong = wrong or values[0] < 1
    evidence = (table_item("s_{M_1+1} - g_0 + 1, which the step divides by", ["K", "d", "printed", "repaired"], rows),)
    if wrong:
        return refuted(
            claim,
            "With the printed indices, s_{p+1} - g_0 + 1 is not positive at p = M_1, so Markov's inequality cannot "
            "be applied.",
            evidence,
        )
    return Finding(claim.id, Verdict.CONSISTENT, "it is positive in the cases of the table", evidence)
