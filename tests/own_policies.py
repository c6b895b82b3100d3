"""Policies as users write them, one pull at a time and without a law: Algorithm 1, right and broken on purpose.

All remember running means by the textbook's recursion, which takes one pull at a time and no more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpbandits import Noise, Pulls
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints


class Seen(NamedTuple):
    """What a step may use, arrays (trials, arms)."""

    t: int
    horizon: int
    pulls: Ints
    mean: Array
    last: Array  # the last reward of each arm, 0 before


class Memory(NamedTuple):
    pulls: Ints
    mean: Array
    last: Array


Part = Callable[[Seen, Noise], Any]


def recursion(memory: Memory, counts: Ints, sums: Array) -> Memory:
    """mean += (r - mean)/(n + 2) where pulled, n the pulls before: right for one pull at a time."""
    pulled = counts > 0
    mean = memory.mean + np.where(pulled, (sums - memory.mean) / (memory.pulls + 2), 0)
    return Memory(memory.pulls + counts, mean, np.where(pulled, sums, memory.last))


def one_pull(memory: Memory, counts: Ints, sums: Array) -> Memory:
    """The same by a log of one line a round."""
    arm = counts.argmax(axis=1)
    row = np.arange(len(arm))
    pulls, mean, last = memory.pulls.copy(), memory.mean.copy(), memory.last.copy()
    pulls[row, arm] += 1
    mean[row, arm] += (sums[row, arm] - mean[row, arm]) / (pulls[row, arm] + 1)
    last[row, arm] = sums[row, arm]
    return Memory(pulls, mean, last)


def asserting(memory: Memory, counts: Ints, sums: Array) -> Memory:
    assert (counts.sum(axis=1) == 1).all()
    return one_pull(memory, counts, sums)


def rounding(memory: Memory, counts: Ints, sums: Array) -> Memory:
    """Integer rewards: a half counts as one."""
    return recursion(memory, counts, np.ceil(sums))


def algorithm_1(seen: Seen, noise: Noise) -> Any:
    return 1.0


def argmax(theta: Array, seen: Seen, noise: Noise) -> Any:
    return theta.argmax(axis=1)


@dataclass(frozen=True)
class Own:
    """factor: what the noise is multiplied by. choose: the released arm, from theta. learning: the recursion."""

    arms: int
    horizon: int
    factor: Part = algorithm_1
    choose: Callable[[Array, Seen, Noise], Any] = argmax
    learning: Callable[[Memory, Ints, Array], Memory] = recursion

    def init(self, trials: int) -> Memory:
        none = np.zeros((trials, self.arms))
        return Memory(none.astype(np.int64), none, none)

    def act(self, t: int, memory: Memory, noise: Noise) -> Pulls:
        seen = Seen(t, self.horizon, *memory)
        scale = self.factor(seen, noise) / np.sqrt(memory.pulls + 1)
        theta = memory.mean + scale * noise.normal("theta", t, (self.arms,))
        return Pulls.one(self.choose(theta, seen, noise), self.arms)

    def learn(self, t: int, memory: Memory, pulls: Pulls, sums: Array, noise: Noise) -> Memory:
        return self.learning(memory, pulls.counts, sums)


def per_arm(seen: Seen, factors: tuple[float, ...]) -> Array:
    return np.broadcast_to(np.asarray(factors), seen.pulls.shape)


def leaked(theta: Array, seen: Seen, noise: Noise) -> Any:
    """In one of 100 trials, the last arm's last reward decides."""
    leaks = noise.uniform("leak", seen.t) < 0.01
    return np.where(leaks, np.where(seen.last[:, -1] > 0.5, seen.last.shape[1] - 1, 0), theta.argmax(axis=1))


def dropped(share: float) -> Part:
    return lambda seen, noise: (noise.uniform("drop", seen.t) >= share)[:, None] * 1.0


def secret_ties(theta: Array, seen: Seen, noise: Noise) -> Any:
    """Near ties go to the arm with the larger mean."""
    near = theta >= theta.max(axis=1, keepdims=True) - 0.2
    return np.where(near, seen.mean, -np.inf).argmax(axis=1)


def greedy_last(theta: Array, seen: Seen, noise: Noise) -> Any:
    return seen.mean.argmax(axis=1) if seen.t == seen.horizon else theta.argmax(axis=1)


def last_reward(theta: Array, seen: Seen, noise: Noise) -> Any:
    """theta is drawn around a mean in which the last reward counts twice."""
    return (theta + seen.last / (seen.pulls + 1)).argmax(axis=1)


def others_count(seen: Seen, noise: Noise) -> Any:
    """The deviation is made from another arm's count."""
    return np.sqrt((seen.pulls + 1) / (np.roll(seen.pulls, 1, axis=1) + 1))


# Each is broken: some round of a run is more than sqrt(1/2)-GDP. (name, arms, parts)
BROKEN: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("half the noise, one pull logged", 2, {"factor": lambda s, z: 0.5, "learning": one_pull}),
    ("half the noise, one pull asserted", 2, {"factor": lambda s, z: 0.5, "learning": asserting}),
    ("deviation 1/(n + 1)", 2, {"factor": lambda s, z: 1 / np.sqrt(s.pulls + 1)}),
    ("deviation 1/(n + 1), three arms", 3, {"factor": lambda s, z: 1 / np.sqrt(s.pulls + 1)}),
    ("two thirds of the noise in the last arm", 2, {"factor": lambda s, z: per_arm(s, (1.0, 2 / 3))}),
    ("half the noise in the middle arm", 3, {"factor": lambda s, z: per_arm(s, (1.0, 0.5, 1.0))}),
    ("a third of the noise from the third pull on", 2, {"factor": lambda s, z: np.where(s.pulls >= 3, 1 / 3, 1.0)}),
    ("half the noise after exactly two pulls", 3, {"factor": lambda s, z: np.where(s.pulls == 2, 0.5, 1.0)}),
    ("half the noise in the last step", 2, {"factor": lambda s, z: 0.5 if s.t == s.horizon else 1.0}),
    ("half the noise from step 5 on", 3, {"factor": lambda s, z: 0.5 if s.t >= 5 else 1.0}),
    ("greedy in the last step", 2, {"choose": greedy_last}),
    ("deviation from another arm's count", 3, {"factor": others_count}),
    ("near ties go to the larger mean", 3, {"choose": secret_ties}),
    ("leak of 1 in 100 in the last arm", 2, {"choose": leaked}),
    ("noise dropped 1 in 50", 2, {"factor": dropped(0.02)}),
    ("noise dropped 1 in 5", 3, {"factor": dropped(0.2)}),
    ("the last reward counts twice", 2, {"choose": last_reward}),
)
RIGHT: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("the textbook's recursion", 2, {}),
    ("the textbook's recursion, three arms", 3, {}),
    ("one pull logged", 2, {"learning": one_pull}),
    ("one pull asserted", 3, {"learning": asserting}),
    ("rewards rounded up", 2, {"learning": rounding}),
    (
        "no noise where counts and step do not fit",
        2,
        {"factor": lambda s, z: np.where(s.pulls.sum(axis=1, keepdims=True) == s.t - 1, 1.0, 1e-3)},
    ),
    (
        "the other count is t - 1 - n",
        2,
        {"factor": lambda s, z: np.sqrt((s.pulls + 1) / np.maximum(s.t - s.pulls[:, ::-1], 1e-6))},
    ),
    ("more noise in early epochs", 3, {"factor": lambda s, z: 2.0 ** (1 / (1 + np.log2(s.t) // 1))}),
    (
        "the argmax from the right",
        3,
        {"choose": lambda theta, seen, z: theta.shape[1] - 1 - theta[:, ::-1].argmax(axis=1)},
    ),
)


def policy_of(entry: tuple[str, int, dict[str, Any]], horizon: int) -> Own:
    _, arms, parts = entry
    return Own(arms, horizon, **parts)
