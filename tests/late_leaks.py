"""Policies whose privacy leak is late, small or rare, and private ones that look like them; none declares its law.

All claim eps = 1 for one changed reward (`CLAIMS` lists those that claim otherwise). The broken ones add noise to every
reward as it arrives and pull the arm with the best noisy mean, with one fault each: noise that is forgotten, shrinks,
is clipped, reused or shared, that is scaled for the wrong range, or that some rare history switches off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from leaks import DoublingUCB

from dpbandits import Gaussian, Noise, Pulls
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints


class Sums(NamedTuple):
    """What a policy with noise at arrival remembers; all (trials, arms)."""

    pulls: Ints
    raw: Array  # the sum of the rewards. SECRET
    noisy: Array  # the sum of the rewards with their noise
    last: Array  # the last reward of each arm, 0 before the first. SECRET


# noise of a reward that arrives in step t, (trials, arms), in units of 1/eps: rule(noise, t, memory, horizon)
Rule = Callable[[Noise, int, Sums, int], Array]
Decision = Callable[
    [int, Sums, Array, int], Array
]  # the indices of the arms, (trials, arms): rule(t, memory, means, T)


def laplace(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    return noise.laplace("reward", t, memory.pulls.shape[1:])


def best_mean(t: int, memory: Sums, means: Array, horizon: int) -> Array:
    return means


@dataclass(frozen=True)
class NoisyGreedy:
    """Pulls each arm once, then the arm with the largest noisy mean. rule: its noise; decide: its indices."""

    arms: int
    horizon: int
    rule: Rule = laplace
    decide: Decision = best_mean
    eps: float = 1.0
    reward_range: Any = (0.0, 1.0)

    def init(self, trials: int) -> Sums:
        none = np.zeros((trials, self.arms))
        return Sums(none.astype(np.int64), none, none, none)

    def act(self, t: int, state: Sums, noise: Noise) -> Pulls:
        if t <= self.arms:
            return Pulls.one(np.full(len(state.raw), t - 1), self.arms)
        index = self.decide(t, state, state.noisy / np.maximum(state.pulls, 1), self.horizon)
        return Pulls.one(index.argmax(axis=1), self.arms)

    def learn(self, t: int, state: Sums, pulls: Pulls, sums: Array, noise: Noise) -> Sums:
        pulled = pulls.counts > 0
        drawn = np.where(pulled, self.rule(noise, t, state, self.horizon) / self.eps, 0.0)
        return Sums(
            state.pulls + pulls.counts,
            state.raw + sums,
            state.noisy + sums + drawn,
            np.where(pulled, sums, state.last),
        )


# -- broken noise ------------------------------------------------------------------------------------------------


def without_noise_from(pull: int) -> Rule:
    def rule(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
        return laplace(noise, t, memory, horizon) * (memory.pulls + 1 < pull)

    return rule


def shrinking(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    return laplace(noise, t, memory, horizon) / np.sqrt(memory.pulls + 1)


def clipped_at(scales: float) -> Rule:
    def rule(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
        return np.clip(laplace(noise, t, memory, horizon), -scales, scales)

    return rule


def of_pull(noise: Noise, number: Ints, arms: int, horizon: int) -> Array:
    """The draw of this number of every arm, (trials, arms)."""
    drawn = noise.laplace("pulls", 0, (arms, horizon))
    return np.take_along_axis(drawn, number[:, :, None], axis=2)[:, :, 0]


def reused(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    """Every draw serves two pulls of its arm."""
    return of_pull(noise, memory.pulls // 2, memory.pulls.shape[1], horizon)


def shared(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    """The n-th pulls of all arms have the same draw."""
    return np.take_along_axis(noise.laplace("pulls", 0, (horizon,)), np.minimum(memory.pulls, horizon - 1), axis=1)


def seed_of_three(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    """The seed is t modulo 3."""
    return noise.laplace("reward", t % 3, memory.pulls.shape[1:])


def small_in_second_half(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    return laplace(noise, t, memory, horizon) / (2.0 if 2 * t > horizon else 1.0)


def too_small(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    return laplace(noise, t, memory, horizon) / 1.5


def normal(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    return noise.normal("reward", t, memory.pulls.shape[1:])


def half_normal(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    return noise.normal("reward", t, memory.pulls.shape[1:]) / 2


def uniform(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    return 4 * noise.uniform("reward", t, memory.pulls.shape[1:]) - 2


def last_arm_without(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    """The last arm has no noise from its third pull on."""
    last = np.arange(memory.pulls.shape[1]) == memory.pulls.shape[1] - 1
    return laplace(noise, t, memory, horizon) * ~(last & (memory.pulls >= 2))


def without_after_zeros(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    """No noise where the arm has paid nothing in two pulls or more."""
    return laplace(noise, t, memory, horizon) * ~((memory.pulls >= 2) & (memory.raw == 0))


def without_when_even(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    """No noise in a step that finds all arms pulled equally often, three times or more."""
    even = (memory.pulls == memory.pulls[:, :1]).all(axis=1, keepdims=True) & (memory.pulls >= 2)
    return laplace(noise, t, memory, horizon) * ~even


# -- broken noise that the search was not tried on while it was made ------------------------------------------------


def skipped_every_third(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    """Every third reward of an arm has no noise."""
    return laplace(noise, t, memory, horizon) * (memory.pulls % 3 != 2)


def of_two_steps(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    """Two steps in a row have the same draw."""
    return noise.laplace("reward", t // 2, memory.pulls.shape[1:])


def one_sided(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    return np.abs(laplace(noise, t, memory, horizon))


def less_for_large_sums(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    """A third of the noise once an arm's raw sum exceeds 2."""
    return laplace(noise, t, memory, horizon) / np.where(memory.raw > 2, 3.0, 1.0)


def rounded(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    """Noise in multiples of 3, most of it 0."""
    return 3 * np.round(laplace(noise, t, memory, horizon) / 3)


def repeats_when_equal(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    """The draw of the first pull again, where an arm's last reward was 1."""
    number = np.where((memory.last == 1) & (memory.pulls > 0), 0, memory.pulls)
    return of_pull(noise, number, memory.pulls.shape[1], horizon)


def last_reward_twice(t: int, memory: Sums, means: Array, horizon: int) -> Array:
    """The last reward of an arm enters its index once more, without noise, from step 5 on."""
    return means + (memory.last - 0.5) * (t >= 5) * 1.5


def by_raw_variance(t: int, memory: Sums, means: Array, horizon: int) -> Array:
    """A bonus for arms whose raw mean lies in the middle, after two pulls or more."""
    mean = memory.raw / np.maximum(memory.pulls, 1)
    return means + 6 * mean * (1 - mean) * (memory.pulls >= 2)


# -- broken decisions --------------------------------------------------------------------------------------------


def last_rewards_at_the_end(t: int, memory: Sums, means: Array, horizon: int) -> Array:
    return means + 2 * memory.last * (t == horizon)


def raw_means_when_long(t: int, memory: Sums, means: Array, horizon: int) -> Array:
    """Raw means once every arm has three pulls."""
    every = (memory.pulls >= 3).all(axis=1, keepdims=True)
    return np.where(every, memory.raw / np.maximum(memory.pulls, 1), means)


def raw_means_after_ones(t: int, memory: Sums, means: Array, horizon: int) -> Array:
    """Raw means once all arms have paid 1 and nothing else, in two pulls or more."""
    ones = ((memory.raw == memory.pulls) & (memory.pulls >= 2)).all(axis=1, keepdims=True)
    return np.where(ones, memory.raw / np.maximum(memory.pulls, 1), means)


# -- private policies --------------------------------------------------------------------------------------------


def public_drift(noise: Noise, t: int, memory: Sums, horizon: int) -> Array:
    """Every reward has its noise, and a drift that is public besides."""
    return laplace(noise, t, memory, horizon) + 0.3 * (memory.pulls % 2)


def clipped_means(t: int, memory: Sums, means: Array, horizon: int) -> Array:
    """What is made of noisy sums is as private as they are."""
    return np.clip(means, -1, 2) + 1 / np.sqrt(np.maximum(memory.pulls, 1))


@dataclass(frozen=True)
class RandomisedResponse:
    """Tight: the first reward decides all later pulls, through a coin that lies with probability 1/(1 + e^eps)."""

    arms: int
    horizon: int
    eps: float = 1.0

    def init(self, trials: int) -> Ints:
        return np.zeros(trials, dtype=np.int64)

    def act(self, t: int, state: Ints, noise: Noise) -> Pulls:
        return Pulls.one(np.where(t == 1, 0, state), self.arms)

    def learn(self, t: int, state: Ints, pulls: Pulls, sums: Array, noise: Noise) -> Ints:
        if t > 1:
            return state
        lies = noise.uniform("lie", t) < 1 / (1 + np.exp(self.eps))
        return (lies ^ (sums[:, 0] > 0.5)).astype(np.int64)


@dataclass(frozen=True)
class Threshold:
    """Tight: the first pull's noisy reward, held against a threshold beyond the rewards, decides all later pulls."""

    arms: int
    horizon: int
    eps: float = 1.0
    above: float = 1.5

    def init(self, trials: int) -> Ints:
        return np.zeros(trials, dtype=np.int64)

    def act(self, t: int, state: Ints, noise: Noise) -> Pulls:
        return Pulls.one(np.where(t == 1, 0, state), self.arms)

    def learn(self, t: int, state: Ints, pulls: Pulls, sums: Array, noise: Noise) -> Ints:
        if t > 1:
            return state
        return (sums[:, 0] + noise.laplace("reward", t) / self.eps > self.above).astype(np.int64)


def noisy(rule: Rule = laplace, decide: Decision = best_mean, arms: int = 2, **more: Any) -> Callable[[int], Any]:
    return lambda horizon: NoisyGreedy(arms, horizon, rule, decide, **more)


# By name, each made for a horizon.
BROKEN: dict[str, Callable[[int], Any]] = {
    "no noise from the 3rd pull": noisy(without_noise_from(3)),
    "no noise from the 4th pull": noisy(without_noise_from(4)),
    "noise / sqrt(n)": noisy(shrinking),
    "noise clipped at 1 scale": noisy(clipped_at(1.0)),
    "noise clipped at 2 scales": noisy(clipped_at(2.0)),
    "a draw for two pulls": noisy(reused),
    "a draw for all arms": noisy(shared),
    "three seeds in turn": noisy(seed_of_three),
    "half the noise in the second half": noisy(small_in_second_half),
    "noise too small by 1.5": noisy(too_small),
    "rewards up to 2, noise for 1": noisy(reward_range=(0.0, 2.0)),
    "normal noise of half a unit": noisy(half_normal),
    "uniform noise": noisy(uniform),
    "the last arm without noise": noisy(last_arm_without),
    "no noise after zeros": noisy(without_after_zeros),
    "no noise at equal counts": noisy(without_when_even),
    "the last step sees last rewards": noisy(decide=last_rewards_at_the_end),
    "raw means from 3 pulls each": noisy(decide=raw_means_when_long),
    "raw means after ones": noisy(decide=raw_means_after_ones),
    "three arms, no noise from the 3rd pull": noisy(without_noise_from(3), arms=3),
    "three arms, noise / sqrt(n)": noisy(shrinking, arms=3),
}
HELD_BACK: dict[str, Callable[[int], Any]] = {
    "every third reward without noise": noisy(skipped_every_third),
    "a draw for two steps": noisy(of_two_steps),
    "noise of one sign": noisy(one_sided),
    "less noise for large sums": noisy(less_for_large_sums),
    "noise rounded to 3": noisy(rounded),
    "the first draw again after a 1": noisy(repeats_when_equal),
    "the last reward once more": noisy(decide=last_reward_twice),
    "a bonus by the raw variance": noisy(decide=by_raw_variance),
}
RIGHT: dict[str, Callable[[int], Any]] = {
    "noise at arrival": noisy(),
    "noise at arrival, three arms": noisy(arms=3),
    "noise and a public drift": noisy(public_drift),
    "clipped means": noisy(decide=clipped_means),
    "rewards up to 2, noise for 2": noisy(reward_range=(0.0, 2.0), eps=0.5),
    "normal noise": noisy(normal),
    "doubling episodes": lambda horizon: DoublingUCB(2, horizon),
    "randomised response": lambda horizon: RandomisedResponse(2, horizon),
    "a threshold beyond the rewards": lambda horizon: Threshold(2, horizon),
}
CLAIMS: dict[str, Any] = {"normal noise": Gaussian(1.0)}
