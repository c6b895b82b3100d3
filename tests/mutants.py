"""Algorithms 1 and 2, broken on purpose: one bug each, of the kinds that real code has.

A mutant says what its bug does to privacy, and by what argument; which checks catch it is the test's business.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from dpbandits import Noise, Policy, Pulls, Step
from dpbandits.audit.privacy.single_rounds import History, NextArm, UnknownArm, round_of
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import HasLaw, Ints, Law, one_arm
from dpbandits.reference.bandits.release_laws.argmax_law import argmax_law
from dpbandits.reference.papers.ou24 import PRINTED, ModifiedThompsonSampling


class Memory(NamedTuple):
    """What a broken Algorithm 2 remembers: one thing more than the real one, for bugs that are late."""

    pulls: Ints  # (trials, arms)
    total: Array  # (trials, arms). SECRET
    last: Ints  # (trials, arms): the counts of the last step


Part = Callable[["Broken", Memory], Array]


def running_mean(policy: Broken, memory: Memory) -> Array:
    return memory.total / (memory.pulls + 1)


def right_deviation(policy: Broken, memory: Memory) -> Array:
    return np.sqrt(policy.variance / (memory.pulls + 1))


def right_draw(noise: Noise, index: int, arms: int) -> Array:
    return noise.normal("theta", index, (arms,))


def right_credit(sums: Array) -> Array:
    return sums


def right_choice(mean: Array, deviation: Array, draw: Array) -> Array:
    return np.asarray((mean + deviation * draw).argmax(axis=1))


@dataclass(frozen=True)
class Broken:
    """Algorithm 2 (Algorithm 1 by default) in exchangeable parts; with none exchanged it is right."""

    arms: int
    horizon: int
    prepulls: int = 0
    variance: float = 1.0
    mean: Part = running_mean
    deviation: Part = right_deviation
    draw: Callable[[Noise, int, int], Array] = right_draw
    credit: Callable[[Array], Array] = right_credit
    choose: Callable[[Array, Array, Array], Array] = right_choice

    def init(self, trials: int) -> Memory:
        none = np.zeros((trials, self.arms), dtype=np.int64)
        return Memory(none, none.astype(float), none)

    def first(self) -> int:
        """How many steps pre-pulling takes."""
        return self.arms if self.prepulls else 0

    def act(self, t: int, memory: Memory, noise: Noise) -> Pulls:
        if t <= self.first():
            return Pulls(self.prepulls * Pulls.one(np.full(len(memory.pulls), t - 1), self.arms).counts)
        draw = self.draw(noise, t - self.first(), self.arms)
        return Pulls.one(self.choose(self.mean(self, memory), self.deviation(self, memory), draw), self.arms)

    def learn(self, t: int, memory: Memory, pulls: Pulls, sums: Array, noise: Noise) -> Memory:
        return Memory(memory.pulls + pulls.counts, memory.total + self.credit(sums), pulls.counts)


@dataclass(frozen=True)
class Silent:
    """A policy that does not say its law."""

    policy: Policy

    @property
    def arms(self) -> int:
        return self.policy.arms

    @property
    def horizon(self) -> int:
        return self.policy.horizon

    def init(self, trials: int) -> Any:
        return self.policy.init(trials)

    def act(self, t: int, state: Any, noise: Noise) -> Pulls:
        return self.policy.act(t, state, noise)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Array, noise: Noise) -> Any:
        return self.policy.learn(t, state, pulls, sums, noise)


@dataclass(frozen=True)
class Known(Silent):
    """A broken policy whose law is known: chance(mean, deviation) -> (trials, arms)."""

    policy: Broken
    chance: Callable[[Array, Array], Array] = argmax_law

    def law(self, t: int, memory: Memory) -> Law:
        if t <= self.policy.first():
            certain = Pulls.one(np.full(len(memory.pulls), t - 1), self.arms).counts
            return one_arm(certain, self.policy.prepulls)
        return one_arm(self.chance(self.policy.mean(self.policy, memory), self.policy.deviation(self.policy, memory)))


# -- laws of two arms whose choice is no argmax of independent normals ---------------------------------------------


def two(first: Any) -> Array:
    return np.stack([first, 1 - first], axis=1)


def shared_draw_law(mean: Array, deviation: Array) -> Array:
    """theta_0 - theta_1 = gap + (s_0 - s_1) z: equal deviations leave nothing to chance."""
    gap, spread = mean[:, 0] - mean[:, 1], np.abs(deviation[:, 0] - deviation[:, 1])
    with np.errstate(divide="ignore", invalid="ignore"):
        return two(np.where(spread > 0, ndtr(gap / spread), gap >= 0))


def leader_law(mean: Array, deviation: Array) -> Array:
    gap = mean[:, 0] - mean[:, 1]
    leads = np.where(gap >= 0, deviation[:, 0], deviation[:, 1])
    return two(ndtr(gap / leads))


def leader_choice(mean: Array, deviation: Array, draw: Array) -> Array:
    leads = mean.argmax(axis=1)[:, None] == np.arange(mean.shape[1])
    return np.asarray((mean + np.where(leads, deviation * draw, 0.0)).argmax(axis=1))


TOLERANCE = 0.1


def near_tie_choice(mean: Array, deviation: Array, draw: Array) -> Array:
    theta = mean + deviation * draw
    near = theta >= theta.max(axis=1, keepdims=True) - TOLERANCE
    return np.asarray(np.where(near, mean, -np.inf).argmax(axis=1))


def near_tie_law(mean: Array, deviation: Array) -> Array:
    gap = mean[:, 0] - mean[:, 1]
    return two(ndtr((gap + np.where(gap >= 0, TOLERANCE, -TOLERANCE)) / np.hypot(deviation[:, 0], deviation[:, 1])))


def least_law(mean: Array, deviation: Array) -> Array:
    return argmax_law(-mean, deviation)


def noiseless_law(mean: Array, deviation: Array) -> Array:
    """argmax_law, and certainty where no noise is added."""
    still = (deviation == 0).all(axis=1)
    law = argmax_law(mean, np.where(still[:, None], 1.0, deviation))
    certain = Pulls.one(mean.argmax(axis=1), mean.shape[1]).counts.astype(float)
    return np.where(still[:, None], certain, law)


def counted(policy: Broken, memory: Memory) -> Array:
    """The pulls after the first b."""
    return np.maximum(memory.pulls - policy.prepulls, 0)


# -- the mutants ---------------------------------------------------------------------------------------------------


class Round(NamedTuple):
    """Two neighbouring histories of two arms."""

    pulls: tuple[int, int]
    left: tuple[float, float]
    right: tuple[float, float]


def round_after(policy: Any, pulls: tuple[int, ...], left: tuple[float, ...], right: tuple[float, ...]) -> Step:
    """The policy's round after a block of pulls of each arm that paid these totals on the left and right."""
    kind: type[NextArm | UnknownArm] = NextArm if isinstance(policy, HasLaw) else UnknownArm
    past = History(tuple(range(len(pulls))), pulls, left, right)
    return round_of(kind(policy, pulls, past.t, past), left, right)


MANY = 10**8
# Arm 0 was pulled once; arm 1 is nearly certain, so that the argmax is a threshold test of theta_0 (Lemma 2 is tight).
THRESHOLD = Round((1, MANY), (0.0, MANY / 4), (1.0, MANY / 4))


class Mutant(NamedTuple):
    """A broken policy beside the right one.

    privacy: what the bug does to the privacy claims, and why: "broken", "stands", or "unproved" where no argument
    decides. at: a round that shows a broken one. runs: whether the bound composed over a few rounds is broken as
    well; it is loose, so that for most bugs it is not.
    """

    name: str
    bug: str
    privacy: str
    policy: Policy
    reference: HasLaw
    at: Round | None = None
    runs: bool = False


def algorithm_2(**parameters: Any) -> ModifiedThompsonSampling:
    return ModifiedThompsonSampling(arms=2, **parameters)


PLAIN = {"arms": 2, "horizon": 6}
REFERENCE = ModifiedThompsonSampling(**PLAIN)
WARM = {"arms": 2, "horizon": 8, "prepulls": 2}
MUTANTS = (
    Mutant(
        "variance for deviation",
        "wrong scale",
        "broken: the noise of arm j shrinks like its sensitivity, 1/(n_j + 1), so every round is 1-GDP, not sqrt(1/2)",
        Known(Broken(**PLAIN, deviation=lambda policy, memory: policy.variance / (memory.pulls + 1))),
        REFERENCE,
        at=THRESHOLD,
    ),
    Mutant(
        "noise halved",
        "wrong scale",
        "broken: twice the sensitivity in units of the noise, sqrt(2) in a round where sqrt(1/2) is claimed",
        Known(Broken(**PLAIN, deviation=lambda policy, memory: 0.5 * right_deviation(policy, memory))),
        REFERENCE,
        at=THRESHOLD,
        runs=True,
    ),
    Mutant(
        "square root taken twice",
        "wrong scale",
        "stands: there is more noise than is claimed",
        Known(Broken(**PLAIN, deviation=lambda policy, memory: np.sqrt(right_deviation(policy, memory)))),
        REFERENCE,
    ),
    Mutant(
        "shrinkage dropped",
        "wrong sensitivity",
        "broken: S/n moves by 1/n_j, not by 1/(n_j + 1): sqrt(2) in a round after one pull",
        Known(Broken(**PLAIN, mean=lambda policy, memory: memory.total / np.maximum(memory.pulls, 1))),
        REFERENCE,
        at=THRESHOLD,
        runs=True,
    ),
    Mutant(
        "prior count 0",
        "wrong sensitivity",
        "broken: mean S/n with variance 1/n is 1/sqrt(n_j)-GDP: 1 in a round after one pull",
        Known(
            Broken(
                **PLAIN,
                mean=lambda policy, memory: memory.total / np.maximum(memory.pulls, 1),
                deviation=lambda policy, memory: np.sqrt(policy.variance / np.maximum(memory.pulls, 1)),
            )
        ),
        REFERENCE,
        at=THRESHOLD,
    ),
    Mutant(
        "reward added twice",
        "wrong sensitivity",
        "broken: a reward moves the mean by 2/(n_j + 1)",
        Known(Broken(**PLAIN, credit=lambda sums: 2 * sums)),
        REFERENCE,
        at=THRESHOLD,
        runs=True,
    ),
    Mutant(
        "counts one ahead",
        "off by one",
        "broken: variance 1/(n_j + 2) under a sensitivity of 1/(n_j + 1): sqrt(3)/2 in a round after one pull",
        Known(Broken(**PLAIN, deviation=lambda policy, memory: np.sqrt(policy.variance / (memory.pulls + 2)))),
        REFERENCE,
        at=THRESHOLD,
    ),
    Mutant(
        "variance by all pulls",
        "wrong scale",
        "broken: the noise of an arm pulled once fades while others are pulled",
        Known(
            Broken(
                **PLAIN,
                deviation=lambda policy, memory: np.sqrt(
                    policy.variance / (1 + memory.pulls.sum(axis=1, keepdims=True) + 0 * memory.pulls)
                ),
            )
        ),
        REFERENCE,
        at=THRESHOLD,
    ),
    Mutant(
        "one draw for all arms",
        "shared randomness",
        "broken: equal counts add the same noise to all arms, so that the argmax of the means is released as it is",
        Known(
            Broken(**PLAIN, draw=lambda noise, t, arms: np.tile(noise.normal("theta", t)[:, None], (1, arms))),
            shared_draw_law,
        ),
        REFERENCE,
        at=Round((1, 1), (0.0, 0.5), (1.0, 0.5)),
        runs=True,
    ),
    Mutant(
        "noise on the leader only",
        "missing noise",
        "broken: an arm without noise loses for certain to a leader that is nearly certain",
        Known(Broken(**PLAIN, choose=leader_choice), leader_law),
        REFERENCE,
        at=THRESHOLD,
    ),
    Mutant(
        "near ties go to the larger mean",
        "secret tie-breaking",
        "broken: the secret moves the threshold by twice the tolerance on top of the mean's own move",
        Known(Broken(**PLAIN, choose=near_tie_choice), near_tie_law),
        REFERENCE,
        at=THRESHOLD,
    ),
    Mutant(
        "reward credited to the next arm",
        "wrong index",
        "broken: it moves the mean of an arm that may never have been pulled, by 1 under noise of variance 1",
        Known(Broken(**PLAIN, credit=lambda sums: np.roll(sums, 1, axis=1))),
        REFERENCE,
        at=Round((0, MANY), (0.0, 0.0), (0.0, 1.0)),
    ),
    Mutant(
        "raw rewards in the first round",
        "missing noise",
        "broken: after one pre-pull of every arm, the first round releases which reward was larger",
        Known(
            Broken(
                arms=2,
                horizon=6,
                prepulls=1,
                deviation=lambda policy, memory: np.where(
                    memory.pulls.sum(axis=1, keepdims=True) == policy.arms, 0.0, right_deviation(policy, memory)
                ),
            ),
            noiseless_law,
        ),
        algorithm_2(horizon=6, prepulls=1),
        at=Round((1, 1), (0.0, 0.5), (1.0, 0.5)),
        runs=True,
    ),
    Mutant(
        "c forgotten",
        "parameter ignored",
        "broken: noise of variance 1/(n + 1) where c/(n + 1) with c = 4 is claimed",
        Known(Broken(**PLAIN, variance=4.0, deviation=lambda policy, memory: 1 / np.sqrt(memory.pulls + 1.0))),
        algorithm_2(horizon=6, variance=4.0),
        at=THRESHOLD,
    ),
    Mutant(
        "c on the deviation, c < 1",
        "wrong scale",
        "broken: for c < 1 the deviation c/sqrt(n + 1) is smaller than sqrt(c/(n + 1))",
        Known(
            Broken(**PLAIN, variance=0.25, deviation=lambda policy, memory: policy.variance / np.sqrt(memory.pulls + 1))
        ),
        algorithm_2(horizon=6, variance=0.25),
        at=THRESHOLD,
    ),
    Mutant(
        "c on the deviation, c > 1",
        "wrong scale",
        "stands: for c > 1 there is more noise than is claimed",
        Known(
            Broken(**PLAIN, variance=4.0, deviation=lambda policy, memory: policy.variance / np.sqrt(memory.pulls + 1))
        ),
        algorithm_2(horizon=6, variance=4.0),
    ),
    Mutant(
        "pre-pulls pulled but not counted",
        "wrong count",
        "broken: after b pre-pulls the sensitivity and the noise are those of an arm that was never pulled",
        Known(
            Broken(
                **WARM,
                mean=lambda policy, memory: memory.total / (counted(policy, memory) + 1),
                deviation=lambda policy, memory: np.sqrt(policy.variance / (counted(policy, memory) + 1)),
            )
        ),
        algorithm_2(horizon=8, prepulls=2),
        at=Round((2, MANY), (0.0, 0.5 * MANY), (1.0, 0.5 * MANY)),
    ),
    Mutant(
        "pre-pulls counted but not pulled",
        "wrong count",
        "stands: a reward counts for 1/(n + b + 1) under variance 1/(n + b + 1), n >= 1: less than 1/sqrt(b + 1)",
        Known(
            Broken(
                arms=2,
                horizon=8,
                mean=lambda policy, memory: memory.total / (memory.pulls + 3),
                deviation=lambda policy, memory: np.sqrt(policy.variance / (memory.pulls + 3)),
            )
        ),
        algorithm_2(horizon=8, prepulls=2),
    ),
    Mutant(
        "pre-pull rewards forgotten",
        "line 7 to the letter",
        "stands: rewards that are never used leak nothing, and the others meet n >= b + 1",
        PRINTED(**WARM),
        algorithm_2(horizon=8, prepulls=2),
    ),
    Mutant(
        "sum not updated",
        "dead data",
        "stands: the release depends on no reward at all",
        Known(Broken(**PLAIN, credit=lambda sums: 0 * sums)),
        REFERENCE,
    ),
    Mutant(
        "rewards rounded up",
        "integer arithmetic",
        "stands: a rounded reward still lies in [0, 1]",
        Known(Broken(**PLAIN, credit=np.ceil)),
        REFERENCE,
    ),
    Mutant(
        "noise clipped at one deviation",
        "wrong distribution",
        "broken: after one pull, 0 + noise never passes 3/4, and 1/2 + noise does with probability Phi(-0.354) = 0.362",
        Broken(**PLAIN, draw=lambda noise, t, arms: np.clip(noise.normal("theta", t, (arms,)), -1, 1)),
        REFERENCE,
        at=Round((1, MANY), (0.0, 0.75 * MANY), (1.0, 0.75 * MANY)),
    ),
    Mutant(
        "uniform noise of the same variance",
        "wrong distribution",
        "broken: after two pulls, 0 + noise never passes sqrt(3)/sqrt(3) = 1, and 1/3 + noise does in 1/6 of all cases",
        Broken(**PLAIN, draw=lambda noise, t, arms: np.sqrt(3) * (2 * noise.uniform("theta", t, (arms,)) - 1)),
        REFERENCE,
        at=Round((2, MANY), (0.0, 1.0 * MANY), (1.0, 1.0 * MANY)),
    ),
    Mutant(
        "rewards rounded down",
        "integer arithmetic",
        "stands: a rounded reward still lies in [0, 1]",
        Known(Broken(**PLAIN, credit=np.floor)),
        REFERENCE,
    ),
    Mutant(
        "counts of the last round but one",
        "stale state",
        "stands: variance 1/n_j is more than 1/(n_j + 1)",
        Broken(**PLAIN, deviation=lambda policy, memory: np.sqrt(policy.variance / (memory.pulls - memory.last + 1))),
        REFERENCE,
    ),
    Mutant(
        "counts stop at 3",
        "saturated counter",
        "stands: a reward moves the mean by 1/4 under variance 1/4, for ever; but the sums grow beyond [0, 1]",
        Known(
            Broken(
                arms=2,
                horizon=12,
                mean=lambda policy, memory: memory.total / (np.minimum(memory.pulls, 3) + 1),
                deviation=lambda policy, memory: np.sqrt(policy.variance / (np.minimum(memory.pulls, 3) + 1)),
            )
        ),
        algorithm_2(horizon=12),
    ),
    Mutant(
        "least theta released",
        "wrong sign",
        "stands: the argmin is a function of the same noisy means",
        Known(
            Broken(**PLAIN, choose=lambda mean, deviation, draw: (mean + deviation * draw).argmin(axis=1)), least_law
        ),
        REFERENCE,
    ),
    Mutant(
        "one draw for all rounds",
        "reused randomness",
        "unproved: rounds are no composition of independent noise any more; nothing is claimed of it either way",
        Broken(**PLAIN, draw=lambda noise, t, arms: noise.normal("theta", 1, (arms,))),
        REFERENCE,
    ),
    Mutant(
        "one draw for all trials",
        "shared randomness",
        "stands for a single run; but runs that share their noise are no sample, and no audit of runs can be trusted",
        Broken(**PLAIN, draw=lambda noise, t, arms: np.tile(noise.normal("theta", t, (arms,))[:1], (batch(noise), 1))),
        REFERENCE,
    ),
    Mutant(
        "Laplace noise",
        "wrong distribution",
        "broken: after one pull, theta_0 > 1/4 has probability e^(-1/2)/2 on the left, 1 less that on the right: 1.03",
        Broken(**PLAIN, draw=lambda noise, t, arms: noise.laplace("theta", t, (arms,)) / np.sqrt(2)),
        REFERENCE,
        at=THRESHOLD,
    ),
)


# -- bugs that show in some rounds only ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Uneven(Silent):
    """Algorithm 1 with its noise multiplied: factor(t, pulls) broadcasts to (trials, arms)."""

    policy: ModifiedThompsonSampling
    factor: Callable[[int, Ints], Any]

    def posterior(self, t: int, state: Any) -> tuple[Array, Array]:
        posterior = self.policy.posterior(t, state)
        assert posterior is not None  # no pre-pulls
        return posterior[0], posterior[1] * self.factor(t, state.pulls)

    def act(self, t: int, state: Any, noise: Noise) -> Pulls:
        mean, deviation = self.posterior(t, state)
        return Pulls.one(right_choice(mean, deviation, right_draw(noise, t, self.arms)), self.arms)

    def law(self, t: int, state: Any) -> Array:
        return noiseless_law(*self.posterior(t, state))


THREE = ModifiedThompsonSampling(arms=3, horizon=8)
# All broken: with noise 1/k of the right one, a round is k/sqrt(n_j + 1)-GDP, where sqrt(1/2) is claimed.
UNEVEN = {
    "half the noise on the middle arm": Uneven(THREE, lambda t, pulls: np.where(np.arange(3) == 1, 0.5, 1.0)),
    "a quarter of the noise after 3 pulls": Uneven(THREE, lambda t, pulls: np.where(pulls == 3, 0.25, 1.0)),
    "a third of the noise from step 4 on": Uneven(THREE, lambda t, pulls: 1 / 3 if t >= 4 else 1.0),
    "no noise in the last step": Uneven(THREE, lambda t, pulls: 0.0 if t == THREE.horizon else 1.0),
}
LOUD = Uneven(THREE, lambda t, pulls: 1.5)  # another algorithm, and more private


def batch(noise: Any) -> int:
    return int(noise.trials)
