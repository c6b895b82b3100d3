"""Theorem 3: how much Algorithm 3's released arms tell, by the exact law of the arms that survive an epoch.

In units of the noise's scale 2 B/(R eps) a mean lies in [-R eps/2, R eps/2], one reward moves it by at most eps, and
an arm is eliminated when it is more than 12 err = 6 L below the best. Everything else that is released, given the sets
of the epochs before, is the same on both sides: so a transcript's loss is that of the one epoch that holds the changed
reward.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Evidence, Reduction, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.proofs_checks.papers.phases import near_ends, worst_change
from dpbandits.proofs_checks.papers.tao22.releases import Constant
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.release_laws.selections import LAPLACE, Chances, survivors
from dpbandits.reference.claims.findings import above, below, nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.claims.records import Item
from dpbandits.reference.papers.tao22 import DPRSE, Elimination
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)


PRIVATE = """Every reward enters at most one noisy mean, the mean of its epoch, with weight 1/R_tau. The eliminations
depend only on noisy means. On tables that differ in one reward, the joint density of all noisy means is a product in
which at most one factor differs. This factor is a Laplace density of scale 2 B/(R eps), whose centres on the two tables
are at most 2 B/R apart, so the quotient is at most e^eps. The pulled arms are a function of these means. Of the rewards
of one timestep, at most one is read. The noisy means of the earlier epochs, which are the same on both inputs,
determine the arm of this reward."""
SAYS = f"""dprse_chance draws the noisy means of line 18 in turn. Each is of the next truncated rewards of its arm in a
table of pulls (relation pull), or of its arm's rewards at the timesteps at which the epoch, pulling in turns, pulls the
arm (relation round; timesteps_of_pulls in elimination.v); rounds, bound and width are R_tau, B_tau and 12 err_tau for
every tau and |S|, any numbers, R_tau at least 1 and B_tau positive; T draws are always enough. A table has any rewards;
near: one of them is changed, or all of one timestep; an event is any set of lists of pulls. {INTEGRALS}"""

proves("theorem-3")(
    machine_checked(__file__, "theorem_3", SAYS)(lemma_by_argument(Reduction(" ".join(PRIVATE.split()), ())))
)


# -- Theorem 3: two arms, in closed form -----------------------------------------------------------------------------


def two_arms_told() -> tuple[bool, Evidence]:
    """The log-ratio of "arm 1 is eliminated after the first epoch" for two tables that differ in one reward, by
    the numbers of the algorithm and the tail of the difference of two Laplace variables, against the closed form."""
    rows, fits = [], True
    for eps, v, u, horizon in (
        (1.0, 1.0, 1.0, 10**9),
        (0.1, 1.0, 1e-4, 10**6),
        (1.0, 0.5, 1e-3, 10**6),
        (3.0, 1.0, 1e-6, 100),
    ):
        policy = DPRSE(2, horizon, eps, v, u)
        now = policy.numbers(np.array([1]), np.ones((1, 2), dtype=bool))
        length, bound, err = (float(part[0, 0]) for part in now)
        scale = 2 * bound / (length * eps)
        log_chance = [log_tail((12 * err - gap) / scale) for gap in (-2 * bound, -2 * bound + 2 * bound / length)]
        found, closed = (
            log_chance[1] - log_chance[0],
            eps + np.log1p(-eps / (2 + 6 * np.log(8 * horizon) + length * eps)),
        )
        fits &= abs(found - closed) <= 1e-7 and found <= eps
        rows.append([eps, v, u, horizon, length, found])
    columns = ["claimed eps", "v", "u", "T", nearest("R_1"), below("eps of the arms, at least")]
    return fits, table_item("Two arms, one reward changed", columns, rows)


def log_tail(x: float) -> float:
    """log P(Z - Z' > x) for two standard Laplace variables, x >= 0: ((2 + x)/4) e^{-x}."""
    return float(np.log((2 + x) / 4) - x)


ARMS = Reduction(
    "In the first epoch, all rewards of arm 0 are -B and all rewards of arm 1 are B. On the neighbouring table, one "
    "reward of arm 0 is B, which changes the difference of the means, -2 B, by 2 B/R. Arm 1 is eliminated if the "
    "noise, (2 B/(R eps)) (Z - Z'), exceeds 12 err minus the gap. In units of the noise's scale, the threshold is x = "
    "6 L + R eps on the one table and x - eps on its neighbour, because err R eps = B L. Since P(Z - Z' > x) = ((2 + "
    "x)/4) e^{-x}, the probabilities have the ratio e^eps (1 - eps/(2 + x)).",
    (),
)

proves("theorem-3/arms")(lemma_by_argument(ARMS, two_arms_told))


# -- Theorem 3: more arms, by the exact law --------------------------------------------------------------------------


# eps, v, u, T, K: a small u makes short epochs, whose laws of three arms and more take little time.
INSTANCES = (
    *((eps, 1.0, 1.0, 10**9, 2) for eps in (0.1, 0.5, 1.0, 2.0, 4.0)),
    (1.0, 0.5, 0.01, 10**8, 2),
    (2.0, 0.25, 0.1, 10**9, 2),
    *((eps, 1.0, 1e-4, 10**6, 3) for eps in (0.1, 0.5, 1.0, 2.0, 4.0)),
    (0.1, 0.5, 0.01, 10**8, 3),
    (1.0, 0.5, 0.01, 10**8, 3),
    (4.0, 0.25, 1e-3, 10**6, 3),
    (0.1, 1.0, 1e-4, 10**6, 5),
    (0.5, 0.25, 1e-4, 10**6, 5),
    (1.0, 0.5, 1e-3, 10**6, 5),
    (2.0, 1.0, 1e-4, 10**6, 5),
    (4.0, 1.0, 1e-4, 10**6, 5),
)
SHARE = 0.99


class Worst(NamedTuple):
    """The worst epoch found. low, high: of the loss. means: of the active arms, in units of the scale; arm 0's is
    moved by `moved`. kept: the set that is released."""

    low: float
    high: float
    means: tuple[float, ...]
    moved: float
    kept: tuple[int, ...]


def worst_epoch(policy: Elimination, epoch: int) -> Worst:
    """All means of policy.arms active arms on a grid (the ends, 0, and what lies half a width, one or two from 0
    or the ends), arm 0's moved up or down by one reward."""
    state = policy.init(1)
    now = policy.numbers(np.array([epoch]), state.active)
    length, bound, err = (float(part[0, 0]) for part in now)
    scale = float(policy.means(epoch + 1, state, now, Constant(1, 1.0))[0, 0])  # of the noise, as the policy adds it
    width, most, step = policy.cut * err / scale, bound / scale, 2 * bound / length / scale

    def survival(means: Array) -> Chances:
        law = survivors(LAPLACE, means, 1.0, width)
        # Numbers of units are rounded by a few roundings each, and move the logarithm of a chance by no more.
        off = 2.0**-50 * (np.abs(means).sum(axis=1) + policy.arms * width)[:, None]
        return law._replace(error=law.error + off)

    near = near_ends(0, most, width)
    found = worst_change(survival, policy.arms, np.concatenate([near, -near]), step, most)
    return Worst(found.loss.low, found.loss.high, found.means, found.changed - found.means[0], found.kept)


@proves("theorem-3/arms/exact")
def attained(
    claim: Claim,
    effort: Effort,
    seed: int,
    *,
    make: Callable[..., Elimination] = DPRSE,
    instances: Sequence[tuple[float, float, float, int, int]] = INSTANCES,
) -> Finding:
    """PROVED where every loss is at least SHARE eps; REFUTED where one is certainly more than eps,
    which Theorem 3 excludes."""
    found = [
        (eps, v, u, horizon, arms, worst_epoch(make(arms, horizon, eps, v, u), 1))
        for eps, v, u, horizon, arms in instances
    ]
    evidence = (table(found),)
    least = min(worst.low / eps for eps, *_, worst in found)
    most = max(worst.low / eps for eps, *_, worst in found)
    said = (
        f"By the exact law, the privacy loss of the first epoch's arms is between {least:.6f} eps and {most:.6f} eps."
    )
    if most > 1 + 1e-12:
        return Finding(claim.id, Verdict.REFUTED, said, evidence, rests_on=(Basis.EXACT_LAW,))
    if least < SHARE:
        return Finding(claim.id, Verdict.CONSISTENT, said, evidence)
    return established(claim.id, said, evidence, Basis.EXACT_LAW)


def table(found: list[Any]) -> Item:
    rows = [
        [
            f"eps = {eps:g}, v = {v:g}, u = {u:g}, T = {horizon:g}",
            arms,
            eps,
            worst.low,
            worst.high,
            ", ".join(f"{mean + 0.0:.6g}" for mean in worst.means),  # 0 has no sign
            worst.moved,
            ", ".join(map(str, worst.kept)),
        ]
        for eps, v, u, horizon, arms, worst in found
    ]
    columns = ["instance", "arms", "claimed eps", below("eps of the arms, at least"), above("at most")]
    columns += ["means / scale", nearest("arm 0 moved by"), "kept"]
    return table_item("The largest loss found, by the exact law", columns, rows)
