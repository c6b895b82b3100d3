"""Theorem 4: no constant serves every u, in (7) and (8)."""

from __future__ import annotations

from itertools import count, pairwise

import numpy as np

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Evidence, Reduction, equality_step, lemma_by_argument
from dpbandits.proofs_checks.papers.tao22.section_4_lemma_4 import EVERY_U, first_epochs
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.noise import Seeded
from dpbandits.reference.bandits.play import play
from dpbandits.reference.claims.findings import nearest, table_item
from dpbandits.reference.claims.model import Verdict
from dpbandits.reference.papers.tao22 import DPRSE
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)

proves("theorem-4/every-u")(lemma_by_argument(EVERY_U, first_epochs, verdict=Verdict.REFUTED))
TRIALS = 20


def untold() -> tuple[bool, Evidence]:
    """Two arms that the last whole epoch cannot distinguish: the regret over (8), with the constant 1, as u grows."""
    rows, horizon = [], 10**12
    for u in (1.0, 1e2, 1e4):
        policy = DPRSE(2, horizon, 1.0, 1.0, u)
        ends, err = 0.0, 0.0
        for epoch in count(1):
            now = policy.numbers(np.array([epoch]), np.ones((1, 2), dtype=bool))
            if ends + 2 * float(now.length[0, 0]) > horizon:
                break
            ends, err = ends + 2 * float(now.length[0, 0]), float(now.err[0, 0])
        played = play(policy, Bernoulli((0.5, 0.5 - 8 * err)), Seeded(0, TRIALS), TRIALS)
        regret = 8 * err * float(played.pulls[:, 1].min())
        rows.append([u, 8 * err, regret, regret / (u**0.25 * np.sqrt(2 * np.log(horizon) * horizon))])
    columns = ["u", nearest("gap"), nearest("regret, the least of all runs"), nearest("over (8)")]
    title = f"Played: v = eps = 1, K = 2, T = 10^12, {TRIALS} runs"
    fits = all(later[3] > 2 * before[3] for before, later in pairwise(rows))
    return fits, table_item(title, columns, rows)


EQ_8 = Reduction(
    "Take eps = 1, u >= 1, beta = 1/T and two arms with Bernoulli rewards, whose means are 1/2 and 1/2 - Delta. As R "
    ">= u^{1/v} 48^p L, B is at least 1 and nothing is truncated. Moreover, R err^2 = L u^{2/(1+v)} "
    "(L/R)^{(v-1)/(1+v)} is at least L. So, by Hoeffding's inequality, a mean has an error of more than err with "
    "probability at most 2 e^{-2L}. The noise has scale 2 err/L, so it exceeds err with probability e^{-L/2}. As L >= "
    "log(8 tau^2 T), no such error occurs in any epoch, except with a probability that tends to 0 as T grows. Given T, "
    "let tau be the last epoch that ends by T with both arms, and Delta = 8 err_tau, below 8 D_tau/24. Because err "
    "decreases from epoch to epoch, two estimates differ by at most 8 err + 4 err in every epoch up to tau, so no arm "
    "is eliminated. So the regret is at least 8 err_tau R_tau, except with a probability that tends to 0. Because "
    "epochs grow by at most a factor of 2^{p+2}, R_tau/T is at least a constant that depends on v alone. As R err = "
    "u^{1/(1+v)} L^{v/(1+v)} R^{1/(1+v)}, the regret divided by (8) grows like u^{1/(1+v) - v/(1+v)^2}, which exceeds "
    "every constant for large u.",
    (
        equality_step(
            "1/(1+v) - v/(1+v)^2 = 1/(1+v)^2",
            lambda m, v: 1 / (1 + v) - v / (1 + v) ** 2,
            lambda m, v: 1 / (1 + v) ** 2,
            "v",
        ),
    ),
)

proves("theorem-4/eq-8/every-u")(lemma_by_argument(EQ_8, untold, verdict=Verdict.REFUTED))
