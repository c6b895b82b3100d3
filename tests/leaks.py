"""Policies that leak a reward in one place, and private ones that look like them; none says its law."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpbandits import Noise, Pulls
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints


class Episodes(NamedTuple):
    """What a policy of doubling episodes remembers of each arm, all (trials, arms)."""

    length: Ints  # of the arm's last episode
    mean: Array  # of the last episode, with noise


@dataclass(frozen=True)
class DoublingUCB:
    """A private UCB with doubling episodes for each arm, in the way of AdaP-UCB (Azize and Basu 2022).

    Each arm is pulled once; then the arm of the highest index is pulled twice as often as in its last episode. The
    index is the mean of the arm's last episode alone, with Laplace noise, and a bonus. A reward enters one mean, so
    that the release is eps-DP. noised_first=False: the mean of an arm's first episode, its first reward, goes
    without noise, and the next choice is a function of raw rewards.
    """

    arms: int
    horizon: int
    eps: float = 1.0
    noised_first: bool = True

    def init(self, trials: int) -> Episodes:
        return Episodes(np.zeros((trials, self.arms), dtype=np.int64), np.zeros((trials, self.arms)))

    def act(self, t: int, state: Episodes, noise: Noise) -> Pulls:
        trials = len(state.mean)
        if t <= self.arms:
            return Pulls.one(np.full(trials, t - 1), self.arms)
        bonus = np.sqrt(np.log(self.horizon) / (2 * state.length)) + np.log(self.horizon) / (self.eps * state.length)
        chosen = Pulls.one((state.mean + bonus).argmax(axis=1), self.arms).counts
        return Pulls(2 * state.length * chosen)

    def learn(self, t: int, state: Episodes, pulls: Pulls, sums: Array, noise: Noise) -> Episodes:
        played, length = pulls.counts > 0, np.maximum(pulls.counts, 1)
        drawn = noise.laplace("mean", t, (self.arms,)) / (self.eps * length)
        if t <= self.arms and not self.noised_first:
            drawn = 0 * drawn
        return Episodes(
            np.where(played, pulls.counts, state.length), np.where(played, sums / length + drawn, state.mean)
        )


class Seen(NamedTuple):
    """What a leaking policy remembers; all (trials, ...)."""

    pulls: Ints  # (trials, arms)
    total: Array  # (trials, arms). SECRET
    arm: Ints  # (trials,): the last arm, -1 at first
    reward: Array  # (trials,): the last reward. SECRET


@dataclass(frozen=True)
class Leaky:
    """Pulls arms at random, but for one rule: rule(t, seen, uniform) -> arm, or -1 for a random one; (trials,).

    Without rule it ignores rewards and is perfectly private.
    """

    arms: int
    horizon: int
    rule: Callable[[int, Seen, Array], Any]

    def init(self, trials: int) -> Seen:
        none = np.zeros((trials, self.arms))
        return Seen(none.astype(np.int64), none, np.full(trials, -1), np.zeros(trials))

    def act(self, t: int, state: Seen, noise: Noise) -> Pulls:
        random = np.minimum((self.arms * noise.uniform("arm", t)).astype(np.int64), self.arms - 1)
        ruled = self.rule(t, state, noise.uniform("rule", t))
        return Pulls.one(np.where(ruled >= 0, ruled, random), self.arms)

    def learn(self, t: int, state: Seen, pulls: Pulls, sums: Array, noise: Noise) -> Seen:
        return Seen(state.pulls + pulls.counts, state.total + sums, pulls.counts.argmax(axis=1), sums.sum(axis=1))


def own(state: Seen) -> Ints:
    """The pulls of the last arm, (trials,)."""
    return np.take_along_axis(state.pulls, np.maximum(state.arm, 0)[:, None], axis=1)[:, 0]


def told(state: Seen) -> Ints:
    """The arm that tells the last reward."""
    return (state.reward > 0.5).astype(np.int64)


def last_arm(t: int, state: Seen, uniform: Array) -> Any:
    return np.where((state.arm == state.pulls.shape[1] - 1) & (own(state) == 1), told(state), -1)


def third_pull(t: int, state: Seen, uniform: Array) -> Any:
    return np.where((state.arm >= 0) & (own(state) == 3), told(state), -1)


def after_two_of_the_other(t: int, state: Seen, uniform: Array) -> Any:
    return np.where((state.arm == 0) & (state.pulls[:, 1] == 2) & (state.pulls[:, 0] == 1), told(state), -1)


def threshold(t: int, state: Seen, uniform: Array) -> Any:
    """Compares the mean of arm 0 with 0.5 once, after four of its pulls."""
    mean = state.total[:, 0] / np.maximum(state.pulls[:, 0], 1)
    return np.where((state.arm == 0) & (state.pulls[:, 0] == 4), (mean > 0.5).astype(np.int64), -1)


def one_in_twenty(t: int, state: Seen, uniform: Array) -> Any:
    """In step 2 it pulls arm 0, but with probability 5 % the arm that tells the first reward."""
    return np.where(uniform < 0.05, told(state), 0) if t == 2 else np.full(len(uniform), -1)


def exclusive_or(t: int, state: Seen, uniform: Array) -> Any:
    """In step 2 the last reward turns the last arm round: neither step tells it by itself."""
    return np.abs(state.arm - told(state)) if t == 2 else np.full(len(uniform), -1)


def late(t: int, state: Seen, uniform: Array) -> Any:
    """The first reward of arm 0 shows in the last steps, when it was pulled once."""
    return np.where((state.pulls[:, 0] == 1) & (t > 5), (state.total[:, 0] > 0.5).astype(np.int64), -1)


def between(t: int, state: Seen, uniform: Array) -> Any:
    """In step 2 it pulls arm 1 after a reward of one quarter, and what it likes after 0, a half or 1."""
    return np.where(state.reward == 0.25, 1, -1) if t == 2 else np.full(len(uniform), -1)


def hundredth(t: int, state: Seen, uniform: Array) -> Any:
    """In step 2 it pulls arm 1 after a reward of 0.37, and what it likes after any other."""
    return np.where(state.reward == 0.37, 1, -1) if t == 2 else np.full(len(uniform), -1)


def nearly_one(t: int, state: Seen, uniform: Array) -> Any:
    """In step 2 it pulls arm 1 after a reward above 0.9 and below 1."""
    return np.where((state.reward > 0.9) & (state.reward < 1), 1, -1) if t == 2 else np.full(len(uniform), -1)


def nothing(t: int, state: Seen, uniform: Array) -> Any:
    return np.full(len(uniform), -1)


LEAKS: dict[str, tuple[int, Any]] = {
    "last arm": (3, last_arm),
    "third pull": (2, third_pull),
    "after two of the other": (2, after_two_of_the_other),
    "threshold": (2, threshold),
    "one in twenty": (2, one_in_twenty),
    "exclusive or": (2, exclusive_or),
    "late": (2, late),
    "between": (2, between),
    "hundredth": (2, hundredth),
    "nearly one": (2, nearly_one),
}
