"""A third set of policies that are held back, written before any check was run on the second; see bench/held_back.py.

Twelve broken ones with other faults than those of the first two sets, and five private ones. They claim eps = 1; the
broken ones have a true eps of at least 1.25.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from held_back import Choice, FreshChoice, Witness
from held_back_second import Arrival, Decide, Memory, Value, laplace, mean, true_eps

from dpbandits import Noise
from dpbandits.reference.bandits.noise import Array

__all__ = ["BROKEN_POLICIES", "PRIVATE_POLICIES", "WITNESSES", "true_eps"]


def noise_of_a_batch(rewards: int) -> Value:
    """The first reward of an arm gets the noise of a mean of so many."""

    def value(noise: Noise, t: int, memory: Memory, sums: Array, horizon: int) -> Any:
        return sums + laplace(noise, t, memory) * np.where(memory.pulls == 0, 1 / rewards, 1.0)

    return value


def first_counts_twice(noise: Noise, t: int, memory: Memory, rewards: Array, horizon: int) -> Any:
    return rewards * np.where(memory.pulls == 0, 2.0, 1.0) + laplace(noise, t, memory)


def normal_of(deviation: float) -> Value:
    """Normal noise, for a claim without a delta."""

    def value(noise: Noise, t: int, memory: Memory, rewards: Array, horizon: int) -> Any:
        return rewards + deviation * noise.normal("reward", t, memory.pulls.shape[1:])

    return value


def two_responses(odds: float) -> Value:
    """Whether a reward is above 1/4, and above 3/4: each told by a response with these odds."""

    def value(noise: Noise, t: int, memory: Memory, rewards: Array, horizon: int) -> Any:
        lie = 1 / (1 + odds)
        drawn = noise.uniform("responses", t, (memory.pulls.shape[1], 2))
        told = [drawn[..., k] < np.where(rewards > bar, 1 - lie, lie) for k, bar in enumerate((0.25, 0.75))]
        return (told[0] * 1.0 + told[1]) / 2

    return value


def moving_average(noise: Noise, t: int, memory: Memory, rewards: Array, horizon: int) -> Any:
    """Most of the draw of the step before is subtracted again."""
    before = noise.laplace("step", t - 1, (1,)) if t > 1 else 0.0
    return rewards + noise.laplace("step", t, (1,)) - 0.7 * before


def none_on_return(noise: Noise, t: int, memory: Memory, rewards: Array, horizon: int) -> Any:
    """No noise for an arm that was pulled before, and not in the last step."""
    returns = ~memory.previous & (memory.pulls >= 1)
    return rewards + np.where(returns, 0.0, laplace(noise, t, memory))


def sign_of_the_reward(noise: Noise, t: int, memory: Memory, rewards: Array, horizon: int) -> Any:
    """Noise up for rewards above 1/2, and down for others."""
    return rewards + np.where(rewards > 0.5, 1.0, -1.0) * np.abs(laplace(noise, t, memory))


def larger_of_two(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
    """A bonus for the larger of the last two rewards."""
    larger = np.maximum(memory.last, memory.before)
    return mean(memory.noisy, memory) + 0.8 * larger * (memory.pulls >= 2)


def apart_by_two(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
    """The arm with fewer pulls, once the raw sums lie 2 apart."""
    apart = memory.raw.max(axis=1, keepdims=True) - memory.raw.min(axis=1, keepdims=True) >= 2
    return np.where(apart, -memory.pulls.astype(float), mean(memory.noisy, memory))


def tree_of_both(scale: float) -> Decide:
    """Prefix sums with noise for blocks of 1, 2, 4 and 8 pulls, which all arms share."""

    def decide(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
        sums = memory.raw
        for level in range(4):
            for block in range(0, horizon >> level, 2):
                drawn = scale * noise.laplace(f"block {level}", block, (1,))
                sums = sums + np.where((memory.pulls >> level) == block + 1, drawn, 0.0)
        return mean(sums, memory)

    return decide


def win_stay(odds: float) -> Decide:
    """The same arm again with these odds after a reward above 1/2, and another one with these odds after others."""

    def decide(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
        won = np.where(memory.previous, memory.last, 0.0).sum(axis=1, keepdims=True) > 0.5
        stay = noise.uniform("stay", t)[:, None] < np.where(won, odds, 1.0) / (1 + odds)
        return np.where(memory.previous, np.where(stay, 1.0, 0.0), 0.5)

    return decide


def by_first_mean(slope: float) -> Choice:
    """The second arm with a probability that grows with the raw mean of the first."""

    def choice(t: int, memory: Any, horizon: int) -> Array:
        second = 0.5 - slope / 2 + slope * memory.raw[:, 0] / np.maximum(memory.pulls[:, 0], 1)
        return np.stack([1 - second, second], axis=1)

    return choice


BROKEN_POLICIES: dict[str, Any] = {
    "the first reward with the noise of three": Arrival(2, 7, noise_of_a_batch(3)),
    "the first reward counts twice": Arrival(3, 8, first_counts_twice),
    "normal noise without delta": Arrival(3, 7, normal_of(0.8)),
    "two responses": Arrival(2, 6, two_responses(np.e)),
    "noise that is taken back": Arrival(2, 9, moving_average),
    "no noise for an arm that returns": Arrival(2, 11, none_on_return),
    "the sign of the noise": Arrival(3, 8, sign_of_the_reward),
    "a bonus for the larger of two": Arrival(2, 9, decide=larger_of_two),
    "apart by two": Arrival(2, 9, decide=apart_by_two),
    "a tree that both arms share": Arrival(2, 9, decide=tree_of_both(4.0)),
    "win-stay with odds of 4": Arrival(2, 8, decide=win_stay(4.0)),
    "exploration by a raw mean": FreshChoice(2, 8, by_first_mean(0.5)),
}
PRIVATE_POLICIES: dict[str, Any] = {
    "the first reward with its own noise": Arrival(2, 7, noise_of_a_batch(1)),
    "two responses with half of the budget each": Arrival(2, 6, two_responses(np.exp(0.5))),
    "win-stay with odds of e": Arrival(2, 8, decide=win_stay(np.e)),
    "win-stay with odds of e, three arms": Arrival(3, 9, decide=win_stay(np.e)),
    "the second arm by one reward": FreshChoice(2, 2, by_first_mean(0.4)),
}
WITNESSES: dict[str, Witness] = {
    "the first reward with the noise of three": Witness(((0.0,), (0.0,)), 1, 0, 1.0, (0, 1, 0, 0, 0, 0, 0)),
    "the first reward counts twice": Witness(
        ((0.0, 1.0), (1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0), (1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0)),
        0,
        0,
        1.0,
        (0, 1, 2, 0, 2),
    ),
    "normal noise without delta": Witness(
        ((1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0), (0.0, 1.0), (1.0, 0.0)), 1, 0, 1.0, (0, 1, 2, 1, 1, 0, 1)
    ),
    "two responses": Witness(((0.0,), (0.0, 1.0, 0.0, 1.0, 0.0, 1.0)), 1, 0, 1.0, (0, 1, 1, 1, 0)),
    "noise that is taken back": Witness(((0.0,), (1.0,)), 0, 0, 1.0, (0, 1, 1, 1, 1, 1, 0, 1)),
    "no noise for an arm that returns": Witness(
        ((1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0), (1.0, 0.0)), 1, 1, 1.0, (0, 1, 0, 1, 1)
    ),
    "the sign of the noise": Witness(
        (
            (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0),
            (1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0),
            (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0),
        ),
        2,
        0,
        1.0,
        (0, 1, 2, 2),
    ),
    "a bonus for the larger of two": Witness(
        ((1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0), (1.0, 0.0)), 1, 3, 1.0, (0, 1, 1, 1, 1, 0, 0)
    ),
    "apart by two": Witness(((1.0, 0.0), (0.0,)), 0, 1, 1.0, (0, 1, 0, 0)),
    "a tree that both arms share": Witness(((1.0,), (1.0,)), 0, 0, 0.0, (0, 1, 0)),
    "win-stay with odds of 4": Witness(((1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0), (1.0, 0.0)), 1, 0, 0.0, (0, 1, 0)),
    "exploration by a raw mean": Witness(((1.0, 0.0), (0.0,)), 0, 0, 0.0, (0, 1, 1, 1, 1, 1, 1, 1)),
}
