"""The proof of Theorem 3: each reward is used once, as played on Algorithm 3."""

from __future__ import annotations

import numpy as np

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Evidence, Reduction, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers.tao22.releases import ROUNDING, Constant
from dpbandits.reference.claims.findings import nearest, table_item
from dpbandits.reference.papers.tao22 import DPRSE, Elimination
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)
EPOCHS, IMPULSE = 5, 1e-12


def each_reward_once(policy: Elimination | None = None) -> tuple[bool, Evidence]:
    """Trial e has one reward that is not 0, in epoch e: only the means of that epoch may see it, with weight 1/R."""
    policy = DPRSE(2, 10**9, 1.0, 1.0, 1e-9) if policy is None else policy
    state, quiet = policy.init(EPOCHS), Constant(EPOCHS)
    rows, fits = [], True
    for epoch in range(EPOCHS):
        pulls = policy.act(epoch + 1, state, quiet)
        sums = np.zeros((EPOCHS, 2))
        sums[epoch, 0] = IMPULSE
        state = policy.learn(epoch + 1, state, pulls, sums, quiet)
        now = policy.numbers(state.epoch, state.active)
        means = policy.means(epoch + 2, state, now, quiet)
        wanted = sums / now.length
        fits &= bool(np.allclose(means, wanted, rtol=ROUNDING, atol=0) and state.active.all())
        rows.append([epoch + 1, float(now.length[0, 0]), int((means != 0).sum())])
    columns = ["epoch", nearest("R"), "means that hold the reward of this epoch or an earlier one"]
    return fits, table_item("Played on Algorithm 3", columns, rows)


ONCE = Reduction(
    "Line 6 sets the means to 0 at the start of every epoch, and line 18 takes the mean of the R_tau rewards of this "
    "epoch. No line reads a reward of an earlier epoch. An epoch that the horizon cuts short releases no mean.",
    (),
)


ONCE_SAYS = """noisy_mean is the density of the next noisy mean of Algorithm 3 after the means h, the last first, as in
`tao22/theorem-3`. The tables t and u differ in one reward, number m of arm j (relation pull), or in the rewards of
timestep m (relation round). reads marks the means that use the reward: along a run there is at most one. All other
means have the same density on both tables. The marked one has the same noise around c/R_tau and c'/R_tau, where c - c'
is the difference of the truncated rewards. So a reward has the weight 1/R_tau in one mean and 0 in all others."""
proves("theorem-3/once")(machine_checked(__file__, "used_once", ONCE_SAYS)(lemma_by_argument(ONCE, each_reward_once)))
