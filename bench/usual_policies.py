"""Twelve policies of kinds that users write, each with a twin that has one fault.

They are written as the documentation shows: policies that pass their state, or classes with a generator. All claim
eps = 1 for one changed reward (propose-test-release: with delta = 0.01). Docstrings of private policies have the
argument. The true eps of every twin is about 1.3 or more: docs/contributing/benchmarks.md.

Run with: python bench/policies.py --profile usual [--only part of a name]; five minutes of one processor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpbandits import Approximate, Noise, Pulls, from_object

E = float(np.e)


class Sums(NamedTuple):
    pulls: Any
    total: Any


@dataclass(frozen=True)
class EpsilonGreedy:
    """Explores with probability 0.2; every reward is counted with noise of its own. Twin: the counts get fresh noise
    in every step instead."""

    arms: int = 2
    horizon: int = 8
    broken: bool = False

    def init(self, trials: int) -> Sums:
        return Sums(np.zeros((trials, self.arms), dtype=np.int64), np.zeros((trials, self.arms)))

    def act(self, t: int, state: Sums, noise: Noise) -> Pulls:
        total = state.total + noise.laplace("count", t, (self.arms,)) if self.broken else state.total
        best = np.where(state.pulls == 0, np.inf, total / np.maximum(state.pulls, 1)).argmax(axis=1)
        explores = noise.uniform("explore", t) < 0.2
        other = (noise.uniform("arm", t) * self.arms >= 1).astype(np.int64)
        return Pulls.one(np.where(explores, other, best), self.arms)

    def learn(self, t: int, state: Sums, pulls: Pulls, sums: Any, noise: Noise) -> Sums:
        drawn = 0.0 if self.broken else pulls.counts * noise.laplace("reward", t, (self.arms,))
        return Sums(state.pulls + pulls.counts, state.total + sums + drawn)


@dataclass(frozen=True)
class ExploreThenCommit:
    """Each arm `explored` times in turn, then the arm with the best noisy mean. Twin: the noise of the mean is divided
    by the number of pulls twice."""

    arms: int = 3
    horizon: int = 14
    explored: int = 3
    broken: bool = False

    class State(NamedTuple):
        total: Any
        best: Any

    def init(self, trials: int) -> State:
        return self.State(np.zeros((trials, self.arms)), np.zeros(trials, dtype=np.int64))

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        if t <= self.arms * self.explored:
            return Pulls.one(np.full(len(state.total), (t - 1) % self.arms), self.arms)
        return Pulls.one(state.best, self.arms)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Noise) -> State:
        total = state.total + sums
        if t != self.arms * self.explored:
            return self.State(total, state.best)
        scale = 1 / self.explored / (self.explored if self.broken else 1)
        mean = total / self.explored + scale * noise.laplace("mean", 0, (self.arms,))
        return self.State(total, mean.argmax(axis=1))


@dataclass(frozen=True)
class NoisyMaxElimination:
    """Rounds over the active arms; after every second round the arm with the smallest noisy sum is out. The sums begin
    anew in each phase. Twin: they do not."""

    arms: int = 3
    horizon: int = 12
    broken: bool = False

    class State(NamedTuple):
        active: Any
        pulls: Any
        total: Any

    def init(self, trials: int) -> State:
        shape = (trials, self.arms)
        return self.State(np.ones(shape, dtype=bool), np.zeros(shape, dtype=np.int64), np.zeros(shape))

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        return Pulls.one(np.where(state.active, state.pulls, 99).argmin(axis=1), self.arms)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Noise) -> State:
        count, total = state.pulls + pulls.counts, state.total + sums
        ends = (np.where(state.active, count, 99).min(axis=1) % 2 == 0) & (count.max(axis=1) % 2 == 0)
        ends &= ((count == count.max(axis=1, keepdims=True)) | ~state.active).all(axis=1)
        ends &= state.active.sum(axis=1) > 1
        noisy = total + noise.laplace("phase", t, (self.arms,))
        worst = np.where(state.active, noisy, np.inf).argmin(axis=1)
        out = ends[:, None] & (np.arange(self.arms) == worst[:, None])
        kept = total if self.broken else np.where(ends[:, None], 0.0, total)
        return self.State(state.active & ~out, count, kept)


@dataclass(frozen=True)
class DoublingBatches:
    """An arm is pulled for a batch of twice its last length, then its mean is the noisy mean of this batch. Twin: the
    noise of a mean is divided by all pulls of the arm."""

    arms: int = 2
    horizon: int = 12
    broken: bool = False

    class State(NamedTuple):
        arm: Any
        left: Any
        size: Any
        pulls: Any
        total: Any
        mean: Any

    def init(self, trials: int) -> State:
        whole, zeros = np.zeros((trials, self.arms), dtype=np.int64), np.zeros((trials, self.arms))
        one = np.ones(trials, dtype=np.int64)
        return self.State(0 * one, one, whole + 1, whole, 0.0 * one, zeros + np.inf)

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        return Pulls.one(state.arm, self.arms)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Noise) -> State:
        here = pulls.counts > 0
        count, total, left = state.pulls + pulls.counts, state.total + sums.sum(axis=1), state.left - 1
        ends = left == 0
        size = (state.size * here).sum(axis=1)
        by = np.where(self.broken, (count * here).sum(axis=1), size)
        mean = total / size + noise.laplace("batch", t) / by
        means = np.where(here & ends[:, None], mean[:, None], state.mean)
        sizes = np.where(here & ends[:, None], 2 * state.size, state.size)
        arm = np.where(ends, means.argmax(axis=1), state.arm)
        following = (sizes * (np.arange(self.arms) == arm[:, None])).sum(axis=1)
        return self.State(arm, np.where(ends, following, left), sizes, count, np.where(ends, 0.0, total), means)


@dataclass(frozen=True)
class SlidingWindow:
    """The arm with the larger sum of the rewards of the last two steps, with fresh noise in each step: each reward is
    in two sums, whose noise has scale 2. Twin: scale 1."""

    arms: int = 2
    horizon: int = 7
    broken: bool = False

    class State(NamedTuple):
        last: Any
        before: Any

    def init(self, trials: int) -> State:
        return self.State(np.zeros((trials, self.arms)), np.zeros((trials, self.arms)))

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        scale = 1.0 if self.broken else 2.0
        index = state.last + state.before + scale * noise.laplace("window", t, (self.arms,))
        return Pulls.one(index.argmax(axis=1), self.arms)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Noise) -> State:
        return self.State(np.zeros_like(state.last) + sums, state.last)


@dataclass(frozen=True)
class ProposeTestRelease:
    """Both arms in turn; the better one after that if a noisy distance from a tie is large, else the first one. (1,
    0.01)-DP: the distance moves by 1 and has noise of scale 1, and where the better arm could change the noise has to
    exceed log(50). Twin: a threshold of 1."""

    arms: int = 2
    horizon: int = 14
    explored: int = 6
    broken: bool = False

    class State(NamedTuple):
        total: Any
        best: Any

    def init(self, trials: int) -> State:
        return self.State(np.zeros((trials, self.arms)), np.zeros(trials, dtype=np.int64))

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        if t <= 2 * self.explored:
            return Pulls.one(np.full(len(state.best), (t - 1) % 2), 2)
        return Pulls.one(state.best, 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Noise) -> State:
        total = state.total + sums
        if t != 2 * self.explored:
            return self.State(total, state.best)
        gap = np.abs(total[:, 0] - total[:, 1])
        stable = gap + noise.laplace("gap", 0) > 1 + (0.0 if self.broken else np.log(50))
        return self.State(total, np.where(stable, total.argmax(axis=1), 0))


@dataclass(frozen=True)
class SparseVectorStopping:
    """The first arm until the noisy sum of its losses exceeds a noisy threshold. Half of eps for the threshold, half
    for the sums, whose sensitivity is 1. Twin: the threshold has no noise."""

    arms: int = 2
    horizon: int = 20
    broken: bool = False

    class State(NamedTuple):
        left: Any
        losses: Any
        bar: Any

    def init(self, trials: int) -> State:
        return self.State(np.zeros(trials, dtype=bool), np.zeros(trials), np.zeros(trials))

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        return Pulls.one(state.left.astype(np.int64), 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Noise) -> State:
        bar = state.bar
        if t == 1:
            bar = 3.0 + (0.0 if self.broken else 2.0) * noise.laplace("threshold", 0)
        losses = state.losses + pulls.counts[:, 0] - sums[:, 0]
        above = losses + 2.0 * noise.laplace("query", t) > bar
        return self.State(state.left | above, losses, bar)


# -- classes with a generator ------------------------------------------------------------------------------------------


class TreeUCB:
    """UCB with a binary counter for each arm: a reward is in at most three sums, whose noise has scale 3."""

    scale = 3.0

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.pulls, self.t = rng, [0, 0], 0
        self.alpha = [[0.0] * 4 for _ in range(2)]
        self.noisy = [[0.0] * 4 for _ in range(2)]

    def select(self) -> int:
        self.t += 1
        if 0 in self.pulls:
            return self.pulls.index(0)
        index = [sum(self.noisy[arm]) / self.pulls[arm] + np.sqrt(2 * np.log(self.t) / self.pulls[arm])
                 for arm in range(2)]  # fmt: skip
        return int(index[1] > index[0])

    def update(self, arm: int, reward: float) -> None:
        self.pulls[arm] += 1
        n = self.pulls[arm]
        level = (n & -n).bit_length() - 1
        alpha, noisy = self.alpha[arm], self.noisy[arm]
        alpha[level] = sum(alpha[:level]) + reward
        for below in range(level):
            alpha[below] = noisy[below] = 0.0
        noisy[level] = alpha[level] + self.scale * self.rng.laplace()


class TreeUCBOneLevel(TreeUCB):
    """Twin: noise for one level."""

    scale = 1.0


class ResponseThompson:
    """Thompson sampling with a Beta prior, on rewards that are replaced by a randomised response with odds of e."""

    odds = E

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.ones, self.zeros = rng, np.ones(2), np.ones(2)

    def select(self) -> int:
        return int(np.argmax(self.rng.beta(self.ones, self.zeros)))

    def update(self, arm: int, reward: float) -> None:
        bit = self.rng.random() < reward
        if self.rng.random() > self.odds / (1 + self.odds):
            bit = not bit
        if bit:
            self.ones[arm] += 1
        else:
            self.zeros[arm] += 1


class ResponseThompsonTwin(ResponseThompson):
    """Twin: odds of e^4."""

    odds = E**4


class GumbelSoftmax:
    """Adds Gumbel noise to a fifth of the sums: five decisions see the first reward, and each costs 1/5."""

    rate = 0.2

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.total = rng, np.zeros(3)

    def select(self) -> int:
        return int(np.argmax(self.rate * self.total + self.rng.gumbel(size=3)))

    def update(self, arm: int, reward: float) -> None:
        self.total[arm] += reward


class GumbelSoftmaxTwin(GumbelSoftmax):
    """Twin: each decision has the whole budget."""

    rate = 1.0


class ExponentialMechanism:
    """Chooses an arm with probability proportional to exp of a fifth of its sum of rewards: five decisions see the
    first reward, and each costs 1/5."""

    rate = 0.2

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.total = rng, np.zeros(2)

    def select(self) -> int:
        weights = np.exp(self.rate * self.total)
        return int(self.rng.choice(2, p=weights / weights.sum()))

    def update(self, arm: int, reward: float) -> None:
        self.total[arm] += reward


class ExponentialMechanismTwin(ExponentialMechanism):
    """Twin: each decision has the whole budget."""

    rate = 1.0


class DiscreteLaplace:
    """Counts of successes; each gets two-sided geometric noise when it arrives."""

    eps = 1.0

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.pulls, self.total = rng, [0, 0], [0, 0]

    def select(self) -> int:
        if 0 in self.pulls:
            return self.pulls.index(0)
        return int(self.total[1] * self.pulls[0] > self.total[0] * self.pulls[1])

    def update(self, arm: int, reward: float) -> None:
        p = 1 - np.exp(-self.eps)
        self.pulls[arm] += 1
        self.total[arm] += reward + (self.rng.geometric(p) - self.rng.geometric(p))


class DiscreteLaplaceTwin(DiscreteLaplace):
    """Twin: half the noise."""

    eps = 2.0


def one_run(kind: Any, arms: int, horizon: int, **settings: Any) -> Any:
    return from_object(kind, kind.select, kind.update, arms=arms, horizon=horizon, **settings)


ZERO_ONE = {0.0, 1.0}
POLICIES: dict[str, tuple[Any, Any]] = {  # the private policy and its twin
    "epsilon-greedy, noisy counts": (EpsilonGreedy(), EpsilonGreedy(broken=True)),
    "UCB, tree mechanism": (one_run(TreeUCB, 2, 7), one_run(TreeUCBOneLevel, 2, 7)),
    "explore then commit": (ExploreThenCommit(), ExploreThenCommit(broken=True)),
    "noisy-max elimination": (NoisyMaxElimination(), NoisyMaxElimination(broken=True)),
    "batches that double": (DoublingBatches(), DoublingBatches(broken=True)),
    "sliding window": (SlidingWindow(), SlidingWindow(broken=True)),
    "randomised response, Thompson": (one_run(ResponseThompson, 2, 5), one_run(ResponseThompsonTwin, 2, 5)),
    "propose-test-release": (ProposeTestRelease(), ProposeTestRelease(broken=True)),
    "sparse vector stopping": (SparseVectorStopping(), SparseVectorStopping(broken=True)),
    "Gumbel softmax": (one_run(GumbelSoftmax, 3, 6), one_run(GumbelSoftmaxTwin, 3, 6)),
    "exponential mechanism": (one_run(ExponentialMechanism, 2, 6), one_run(ExponentialMechanismTwin, 2, 6)),
    "discrete Laplace counts": (
        one_run(DiscreteLaplace, 2, 6, reward_range=ZERO_ONE),
        one_run(DiscreteLaplaceTwin, 2, 6, reward_range=ZERO_ONE),
    ),
}
CLAIMS = {"propose-test-release": Approximate(1.0, 0.01)}  # eps = 1 unless listed
