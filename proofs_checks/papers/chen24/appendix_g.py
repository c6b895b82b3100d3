"""Lemmas A.1, A.3 and A.4 in words; and what Lemma G.3 says of the printed indices."""

from __future__ import annotations

from math import log

import numpy as np

from dpbandits.proofs_checks.formulas.arguments import argued
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, one_line
from dpbandits.proofs_checks.papers.chen24.evidence import refuted, table
from dpbandits.reference.bandits.release_laws.selections import LAPLACE, top
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

# -- Lemmas A.1, A.3 and A.4 -----------------------------------------------------------------------------------------

HOEFFDING = Reduction(
    "Put X in [a, b] as a + (b - a) Y. The second derivative of log E e^{sY} is the variance of Y under the law whose "
    "density with respect to Y's is e^{sY}/E e^{sY}; Y is in [0, 1], so with its mean q there the variance is at most "
    "q - q^2 <= 1/4. At s = 0 the function is 0 and its derivative E Y, so by Taylor's formula log E e^{s (X - E X)} "
    "<= s^2 (b - a)^2/8. For independent X_i these add up, and by Markov's inequality for e^{s (S_n - E S_n)} the "
    "chance in (25) is at most exp(s^2 sum (b_i - a_i)^2/8 - s epsilon), for every s > 0. (26) is (25) for X and for "
    "-X.",
    (),
)

proves("lemma-a.1")(argued(HOEFFDING))

COMBINATION = Reduction(
    "For |lambda| < 1/b, |lambda a_i| < 1/b_i (an a_i of 0 adds nothing). By independence E exp(lambda sum a_i X_i) "
    "is the product of E exp(lambda a_i X_i) <= exp(lambda^2 a_i^2 tau_i^2/2), and exponents add up.",
    (),
)

proves("lemma-a.3")(argued(COMBINATION))

TAILS = Reduction(
    "By Markov's inequality for e^{lambda X}, the chance is at most exp(lambda^2 tau^2/2 - lambda epsilon) for 0 < "
    "lambda < 1/b. Up to epsilon = tau^2/b take lambda = epsilon/tau^2 (at the end, and beyond, the limit 1/b, as the "
    "bound is continuous in lambda).",
    (),
)

proves("lemma-a.4")(argued(TAILS))


# -- Lemma G.3, as printed -------------------------------------------------------------------------------------------


NEAR, FAR = 1 / 128, 1 / 2  # gaps of arms that are nearly as good as the best one, and of all others
TIMES = (1, 2, 4)
STAGES = ((10, 4), (20, 4), (30, 5))  # K and d of instances, here and in Appendix J


def few_kept(arms: int, d: int, indices: Indices) -> tuple[int, int] | None:
    """How many arms the last phase of the first stage has, and how many it keeps, where it pulls all of them, if they
    are in general position, and keeps at most g_0 - 2; None where it is another phase."""
    plan = phases(arms, d, indices)
    size, kept = plan.sizes[plan.first_stage - 1 : plan.first_stage + 1]
    return (size, kept) if kept + 2 <= quarter(d) and pulled_arms(size, d) == size else None


@proves("lemma-g.3/printed")
def first_stage_loses(claim: Claim, effort: Effort, seed: int) -> Finding:
    """Printed indices: the last phase of the first stage keeps g_1 = ceil(g_0/2) arms. Rewards are certain, eps = 1;
    g_1 arms of Q have a gap of 1/128, all others of 1/2, so Delta_(g_0) = 1/2 where g_1 + 2 <= g_0. All arms of Q are
    pulled n times. The best arm goes if its noise is below -1/128 and that of the g_1 arms is not negative, which has a
    chance of e^{-n/128}/2^{g_1 + 1}. (69) says at most 2 lambda (e^{-n/64} + e^{-n/32}) <= 4 lambda e^{-n/64}: less,
    for all n > 128 log(4 lambda 2^{g_1 + 1})."""
    rows, above = [], True
    for arms, d in STAGES:
        stage, ratio = few_kept(arms, d, PRINTED), float(growth(arms, d))
        if stage is None:
            return Finding(claim.id, Verdict.CONSISTENT, f"K = {arms}, d = {d}: it is another phase")
        size, kept = stage
        least = int(128 * log(4 * ratio * 2 ** (kept + 1))) + 1
        means = np.array([FAR] + [FAR - NEAR] * kept + [0.0] * (size - kept - 1))
        instead = (np.arange(size) >= 1) & (np.arange(size) <= kept)  # the arms that are nearly as good, and no other
        for n in (least * times for times in TIMES):
            found = top(LAPLACE, n * means[None, :], 1.0, kept, instead[None, :])
            lost = float(found.log[0, 0])
            printed = log(2 * ratio) + float(np.logaddexp(-n * FAR**2 / 16, -n * FAR / 16))
            above = above and lost - float(found.error.max()) > printed
            rows.append([arms, d, size, quarter(d), kept, n, lost, printed])
    columns = ["K", "d", "s_(M_1)", "g_0", "g_1", "n", "log of the chance, at least", "log of (69)"]
    evidence = (table("The chance that the last phase of the first stage loses the best arm", columns, rows),)
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
    evidence = (table("s_{M_1+1} - g_0 + 1, which the step divides by", ["K", "d", "printed", "repaired"], rows),)
    if wrong:
        return refuted(claim, "printed: it is not positive, so Markov's inequality says nothing", evidence)
    return Finding(claim.id, Verdict.CONSISTENT, "it is positive in the cases of the table", evidence)
