"""DP-BAI as an observer follows it who sees the rewards and what is released, but neither the noise nor the active
arms.

Where a phase pulls only some of its active arms, its pulls do not tell which arms are active, and what the next phase
releases hangs on that. The observer holds a belief: the chance of every set of active arms, given all that was
released. What is released has the same law as from the policy itself; here the law can be said.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import NoLaw
from dpbandits.reference.arithmetic.rows import distinct_rows
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.policy import RELATIVE, Ints, Law, OfSameShape, Pulls
from dpbandits.reference.bandits.release_laws.selections import Chances, subsets
from dpbandits.reference.bandits.release_laws.selections.laws import MAX_LISTED_SETS
from dpbandits.reference.papers.chen24.algorithms.dp_bai import Elimination, dp_bai
from dpbandits.reference.papers.chen24.algorithms.releases import FAINTEST, certain


class Belief(NamedTuple):
    """Of a phase that has ended. log: (trials, sets), the logarithm of the chance that these were its active arms, in
    the order of `sets_of`. means: (trials, arms), its empirical means. SECRET. off: (trials,), what the chances may be
    wrong by, relatively."""

    log: Array
    means: Array
    off: Array


@lru_cache(maxsize=256)
def sets_of(arms: int, size: int) -> NDArray[np.bool_]:
    """All sets of so many arms, (sets, arms). NoLaw where there are more than MAX_LISTED_SETS."""
    if comb(arms, size) > MAX_LISTED_SETS:
        raise NoLaw(
            f"{comb(arms, size)} sets of {size} of {arms} arms are too many for a posterior; at most "
            f"{MAX_LISTED_SETS} are supported"
        )
    return subsets(arms, size, size)


@lru_cache(maxsize=4096)
def one_retained(policy: Elimination, active: tuple[int, ...], pulled: tuple[float, ...], size: int) -> Chances:
    """`policy.retained` for the means of the pulled arms in one state, which every step of a run asks for again."""
    plan = policy.planned(active)
    means = np.zeros((1, policy.arms))
    means[0, list(plan.pulled)] = pulled
    return policy.retained(plan, means, size)


@dataclass(frozen=True)
class Observed(OfSameShape):
    """A policy with the releases of `policy`, and a law in every phase. policy: DP-BAI, DP-BAI-Gauss or Baseline."""

    policy: Elimination

    @property
    def answers(self) -> bool:
        return True

    @property
    def last(self) -> int:
        """M."""
        return self.policy.plan.last

    def sets(self, t: int) -> NDArray[np.bool_]:
        """The sets of arms that may be active in phase t; after the last phase, those that may be recommended."""
        return sets_of(self.arms, self.policy.plan.sizes[min(t, self.last + 1) - 1])

    def init(self, trials: int) -> Belief:
        return Belief(np.zeros((trials, 1)), np.zeros((trials, self.arms)), np.zeros(trials))

    def blocks(self, t: int) -> Ints:
        """The release of step t for each possible active set, (sets, arms)."""
        sets = self.sets(t)
        return -sets.astype(np.int64) if t > self.last else self.policy.block(sets)

    def following(self, t: int, state: Belief) -> tuple[Array, float]:
        """log P(the sets of phase t are active | all that was released before it), (trials, sets), and a bound on its
        error beside that of the belief."""
        once, which = distinct_rows(np.concatenate([state.log, state.means], axis=1))
        if len(once) < len(state.log):  # many trials are in the same state
            few = state._replace(log=once[:, : state.log.shape[1]], means=once[:, state.log.shape[1] :])
            found, error = self.following(t, few)
            return found[which], error
        before, sets = self.sets(t - 1), self.sets(t)
        place = {chosen.tobytes(): number for number, chosen in enumerate(sets)}
        found, error = np.full((len(state.log), len(sets)), -np.inf), 0.0
        for number in np.flatnonzero((state.log > -np.inf).any(axis=0)):
            held = np.flatnonzero(state.log[:, number] > -np.inf)
            plan = self.policy.planned(tuple(np.flatnonzero(before[number]).tolist()))
            means = map(tuple, state.means[held][:, list(plan.pulled)].tolist())
            rows = [one_retained(self.policy, plan.active, row, int(sets[0].sum())) for row in means]
            kept = Chances(rows[0].sets, *(np.concatenate([row[k] for row in rows]) for k in (1, 2)))
            chosen = np.zeros((len(kept.sets), self.arms), dtype=bool)
            chosen[:, list(plan.active)] = kept.sets
            for column, after in enumerate(chosen):
                at = place[after.tobytes()]
                found[held, at] = np.logaddexp(found[held, at], state.log[held, number] + kept.log[:, column])
            error = max(error, float(kept.error.max(initial=0.0)))
        return found, error + RELATIVE

    def law(self, t: int, state: Belief) -> Law:
        """The exact law of the next pulls."""
        if t == 1:
            return certain(np.repeat(self.blocks(1), len(state.log), axis=0))
        log, error = self.following(t, state)
        counts, which = np.unique(self.blocks(t), axis=0, return_inverse=True)
        chance = el.exp(log) @ (which.ravel()[:, None] == np.arange(len(counts)))
        lost = ((log > -np.inf) & (log < el.log(FAINTEST))).any()
        error = min(error + float(state.off.max(initial=0.0)), 0.5)
        return Law(np.broadcast_to(counts, (len(log), *counts.shape)), chance, None, error, FAINTEST if lost else 0.0)

    def act(self, t: int, state: Belief, noise: Noise) -> Pulls:
        """Draws a release from this law."""
        law = self.law(t, state)
        upto = np.cumsum(law.chance, axis=1)
        drawn = (noise.uniform("release", t)[:, None] * upto[:, -1:] > upto).sum(axis=1)
        return Pulls(law.counts[np.arange(len(drawn)), drawn])

    def learn(self, t: int, state: Belief, pulls: Pulls, sums: Array, noise: Noise) -> Belief:
        if t > self.last:
            return state
        means = np.where(pulls.counts > 0, sums / np.maximum(pulls.counts, 1), 0.0)
        if t == 1:
            return state._replace(means=means)
        log, error = self.following(t, state)
        fits: Any = np.equal(pulls.counts[:, None, :], self.blocks(t)).all(axis=2)
        seen = np.where(fits, log, -np.inf)
        possible: Any = (seen > -np.inf).any(axis=1)  # pulls that are not the policy's tell nothing
        seen = np.where(possible[:, None], seen, log)
        peak = seen.max(axis=1, keepdims=True)
        total = peak + el.log(el.exp(seen - peak).sum(axis=1, keepdims=True))
        return Belief(seen - total, means, 2 * (state.off + error))


def observed_dp_bai(features: Any, horizon: int, eps: float) -> Observed:
    """DP-BAI, observed."""
    return Observed(dp_bai(features, horizon, eps))
