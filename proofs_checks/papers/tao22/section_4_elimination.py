"""Algorithm 3: how much its released arms tell, by the exact law of the arms that survive an epoch; and Lemma 4.

In units of the noise's scale 2 B/(R eps) a mean lies in [-R eps/2, R eps/2], one reward moves it by at most eps, and
an arm goes when it is more than 12 err = 6 L below the best. Everything else that is released, given the sets of the
epochs before, is the same on both sides: so a transcript's loss is that of the one epoch that holds the changed reward.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count, pairwise
from typing import Any, NamedTuple

import numpy as np

from dpbandits.proofs_checks.exact.phases import near_ends, worst_change
from dpbandits.proofs_checks.formulas.arguments import Evidence, argued
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, encloses, equality_step
from dpbandits.proofs_checks.papers.tao22.quantifiers import NO_INSTANCE
from dpbandits.proofs_checks.papers.tao22.releases import Constant
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.noise import Array, Seeded
from dpbandits.reference.bandits.play import play
from dpbandits.reference.bandits.release_laws.selections import LAPLACE, Chances, survivors
from dpbandits.reference.claims.model import Basis, Claim, Finding, Real, Verdict, established
from dpbandits.reference.papers.tao22 import DPRSE, Elimination
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)

# -- Theorem 3: two arms, in closed form -----------------------------------------------------------------------------


def two_arms_told() -> tuple[bool, Evidence]:
    """The log-ratio of "arm 1 goes after the first epoch" for two tables that differ in one reward, by the numbers of
    the algorithm and the tail of the difference of two Laplace variables, against the closed form."""
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
    columns = ["claimed eps", "v", "u", "T", "R_1", "eps of the arms, at least"]
    return fits, {"kind": "table", "title": "Two arms, one reward changed", "columns": columns, "rows": rows}


def log_tail(x: float) -> float:
    """log P(Z - Z' > x) for two standard Laplace variables, x >= 0: ((2 + x)/4) e^{-x}."""
    return float(np.log((2 + x) / 4) - x)


ARMS = Reduction(
    "All rewards of arm 0 in the first epoch are -B, all of arm 1 are B; then one of arm 0 becomes B, which moves the "
    "gap of the means, -2 B, by 2 B/R. Arm 1 goes where the noise, (2 B/(R eps)) (Z - Z'), exceeds 12 err minus the "
    "gap. In units of its scale the threshold is x = 6 L + R eps, as err R eps = B L, and x - eps for the neighbour; "
    "and P(Z - Z' > x) = ((2 + x)/4) e^{-x}: so the probabilities have the ratio e^eps (1 - eps/(2 + x)).",
    (),
)

proves("theorem-3/arms")(argued(ARMS, two_arms_told))


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
    """All means of policy.arms active arms on a grid (the ends, 0, and what lies half a width, one or two from 0 or the
    ends), arm 0's moved up or down by one reward."""
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
def attained(claim: Claim, effort: Effort, seed: int, make: Callable[..., Elimination] = DPRSE) -> Finding:
    """PROVED where every instance tells at least SHARE eps; REFUTED where one tells more
    than eps for certain, which Theorem 3 excludes."""
    found = [
        (eps, v, u, horizon, arms, worst_epoch(make(arms, horizon, eps, v, u), 1))
        for eps, v, u, horizon, arms in INSTANCES
    ]
    evidence = (table(found),)
    least = min(worst.low / eps for eps, *_, worst in found)
    most = max(worst.low / eps for eps, *_, worst in found)
    said = f"The released arms of the first epoch tell between {least:.6f} eps and {most:.6f} eps, by their exact law"
    if most > 1 + 1e-12:
        return Finding(claim.id, Verdict.REFUTED, said, evidence, rests_on=(Basis.EXACT_LAW,))
    if least < SHARE:
        return Finding(claim.id, Verdict.CONSISTENT, said, evidence)
    return established(claim.id, said, evidence, Basis.EXACT_LAW)


def table(found: list[Any]) -> Mapping[str, Any]:
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
    columns = ["instance", "arms", "claimed eps", "eps of the arms, at least", "at most"]
    columns += ["means / scale", "arm 0 moved by", "kept"]
    return {"kind": "table", "title": "The largest loss found, by the exact law", "columns": columns, "rows": rows}


# -- Lemma 4 ---------------------------------------------------------------------------------------------------------


def two_pulls() -> tuple[bool, Evidence]:
    """R_1 of Algorithm 3 as eps grows."""
    rows = []
    for eps in (1.0, 1e3, 1e6, 1e9, 1e12):
        policy = DPRSE(2, 1000, eps, 1.0, 1.0)
        length = float(policy.numbers(np.array([1]), np.ones((1, 2), dtype=bool)).length[0, 0])
        rows.append([eps, length])
    fits = all(length >= 2 for _, length in rows)
    return fits, {"kind": "table", "title": "u = v = 1, K = 2, T = 1000", "columns": ["eps", "R_1"], "rows": rows}


LEMMA_4 = Reduction(
    "Line 8 rounds u^{1/v} 24^p L/(eps D^p) + 1 up, which exceeds 1: so R_1 >= 2, and every arm is pulled at least "
    "twice where T >= 2 K, with certainty. For fixed v, u, K, beta and Delta < 1/e the bound of (6) is a constant over "
    "eps: whatever constant the O hides, it falls below 2 as eps grows.",
    (),
)

proves("lemma-4/every-eps")(argued(LEMMA_4, two_pulls, verdict=Verdict.REFUTED))


LEMMA_4_REPAIRED = Reduction(
    "Take for every epoch and active arm one side of the sampling error (the best arm's from below, "
    "the others' from above), each with probability beta/(4|S|tau^2) of more than 4 err by Bernstein's inequality, and "
    "one side of the noise, more than 2 err: all hold but with probability (beta/2) sum tau^-2 <= beta. The difference "
    "of any other estimate to the best arm's is then at most 12 err too large: the best arm is never more than 12 err "
    "below the maximum, and an arm with Delta_a >= D_tau > 24 err is more than 12 err below the best. So arm a goes by "
    "epoch tau(a). R_tau <= c 2^{p tau} log(4 K tau(a)^2/beta) + 2 with c = u^{1/v} 24^p/eps, and sum_{i >= 0} "
    "2^{-p i} <= 4/3 as p >= 2.",
    (
        encloses(
            "sqrt(2 eps) + eps/3 + 1 <= 4 for eps <= 1",
            lambda m, eps: m.sqrt(2 * eps) + eps / 3 + 1,
            lambda m, eps: m.number(4),
            {"eps": Real(0, 1, closed=True)},
        ),
    ),
)

proves("lemma-4/repaired")(argued(LEMMA_4_REPAIRED))


# -- Lemma 4 and Theorem 4 for every u -------------------------------------------------------------------------------


def first_epochs() -> tuple[bool, Evidence]:
    """R_1 of Algorithm 3 as u grows, beside the printed power of u."""
    rows = []
    for u in (1.0, 1e2, 1e4, 1e6):
        policy = DPRSE(2, 10**12, 1.0, 1.0, u)
        length = float(policy.numbers(np.array([1]), np.ones((1, 2), dtype=bool)).length[0, 0])
        rows.append([u, length, length / (np.sqrt(u) * np.log(1e12))])
    columns = ["u", "R_1", "R_1 over u^{1/2} log T"]
    growing = all(later[2] > 9 * before[2] for before, later in pairwise(rows))
    return growing, {"kind": "table", "title": "v = eps = 1, K = 2, T = 10^12", "columns": columns, "rows": rows}


EVERY_U = Reduction(
    "Take eps = 1 and two arms with rewards in [0, 1] and the gap 1/2: their moments are at most 1 <= u. Line 8 makes "
    "R_1 >= u^{1/v} 48^p log(8/beta), and both arms are pulled R_1 times with certainty where T >= 2 R_1, so that the "
    "regret is at least R_1/2. All else being fixed, the bound grows like u^{1/(1+v)}, and the pulls over it like "
    "u^{1/v - 1/(1+v)}: whatever constant the O hides, they pass it.",
    (
        equality_step(
            "1/v - 1/(1+v) = 1/(v (1+v))", lambda m, v: 1 / v - 1 / (1 + v), lambda m, v: 1 / (v * (1 + v)), "v"
        ),
    ),
)

proves("lemma-4/every-u", "theorem-4/every-u")(argued(EVERY_U, first_epochs, verdict=Verdict.REFUTED))

TRIALS = 20


def untold() -> tuple[bool, Evidence]:
    """Two arms that the last whole epoch cannot tell: the regret over (8), with the constant 1, as u grows."""
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
    columns = ["u", "gap", "regret, the least of all runs", "over (8)"]
    title = f"Played: v = eps = 1, K = 2, T = 10^12, {TRIALS} runs"
    fits = all(later[3] > 2 * before[3] for before, later in pairwise(rows))
    return fits, {"kind": "table", "title": title, "columns": columns, "rows": rows}


EQ_8 = Reduction(
    "Take eps = 1, u >= 1 and two arms of Bernoulli rewards, with means 1/2 and 1/2 - Delta; beta = 1/T. As R >= "
    "u^{1/v} 48^p L, B is at least 1 and nothing is truncated. R err^2 = L u^{2/(1+v)} (L/R)^{(v-1)/(1+v)} is at "
    "least L, so that by Hoeffding's inequality a mean is off by more than err with probability at most 2 e^{-2L}; "
    "the noise, of scale 2 err/L, exceeds err with probability e^{-L/2}. As L >= log(8 tau^2 T), all of this happens "
    "in no epoch but with a probability that tends to 0 as T grows. Given T, let tau be the last epoch that ends by T "
    "with both arms, and Delta = 8 err_tau, below 8 D_tau/24. As err falls, two estimates differ by at most 8 err + 4 "
    "err in every epoch up to tau: no arm goes. So the regret is at least 8 err_tau R_tau, but for that probability, "
    "and R_tau is at least a share of T that hangs on v alone, as epochs grow by at most a factor of 2^{p+2}. R err = "
    "u^{1/(1+v)} L^{v/(1+v)} R^{1/(1+v)}: over (8) this grows like u^{1/(1+v) - v/(1+v)^2}, and passes every constant.",
    (
        equality_step(
            "1/(1+v) - v/(1+v)^2 = 1/(1+v)^2",
            lambda m, v: 1 / (1 + v) - v / (1 + v) ** 2,
            lambda m, v: 1 / (1 + v) ** 2,
            "v",
        ),
    ),
)

proves("theorem-4/eq-8/every-u")(argued(EQ_8, untold, verdict=Verdict.REFUTED))


# -- what Algorithm 3 decides by rewards -----------------------------------------------------------------------------

GAP, EPOCHS = 0.1, 2


def decided() -> tuple[bool, Evidence]:
    """Two arms with a gap of 1/10: how many runs have ended epochs with both."""
    policy = DPRSE(2, 10**9, 1.0, 1.0, 1.0)
    played = play(policy, Bernoulli((0.5, 0.5 - GAP)), Seeded(0, TRIALS), TRIALS)
    both = (played.released[:, 1 : EPOCHS + 1] > 0).all(axis=2).sum(axis=0)
    rows = [[epoch + 1, int(both[epoch])] for epoch in range(EPOCHS)]
    title = f"Played: eps = u = v = 1, K = 2, gap {GAP}, T = 10^9, {TRIALS} runs"
    columns = ["epoch", "runs that go on with both arms"]
    return bool((both == TRIALS).all()), {"kind": "table", "title": title, "columns": columns, "rows": rows}


REMOVALS = Reduction(
    "An arm that goes does not come back, and the last one stays: so K - 1 arms go at most, in at most K - 1 rounds. "
    "Between them all arms that are left are pulled in turn, whatever they pay.",
    (),
)

proves("section-4/special-rounds")(argued(REMOVALS))

DECISIONS = Reduction(
    "At the end of every epoch line 23 asks whether the noisy means differ by more than 12 err: they are made of this "
    "epoch's rewards, and noise makes either answer possible. With two arms K - 1 is 1. In the first epochs 12 err is "
    "just below D_tau/2, 1/4 in the first one; with a gap of 1/10 neither arm goes, unless both estimates are far "
    "off, and the run has several such decisions.",
    (),
)

proves("theorem-5/letter")(NO_INSTANCE)
proves("section-4/special-rounds/decisions")(argued(DECISIONS, decided, verdict=Verdict.REFUTED))
