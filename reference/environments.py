"""Where rewards come from: fixed tables (privacy), fixed streams (privacy), and random arms (regret)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.noise import Array, Noise, Seeded

Ints = NDArray[np.int64]


class Environment(Protocol):
    """Answers a block of pulls with the (truncated) reward sums of each arm."""

    @property
    def arms(self) -> int: ...

    def draw(self, t: int, made: Ints, counts: Ints, bound: Any, noise: Noise) -> Array:
        """The reward sums (trials, arms) of `counts` more pulls after `made` earlier ones; t is the step."""
        ...


def checked(rewards: Any, what: str, low: float = 0.0, high: float = 1.0) -> Array:
    """The rewards as a read-only array; ValueError names the first entry outside [low, high] or not a number."""
    values = np.array(rewards, dtype=np.float64)
    bad = np.argwhere(~((values >= low) & (values <= high)))
    if bad.size:
        where = tuple(int(i) for i in bad[0])
        raise ValueError(
            f"{what}: the reward at {where} is {values[where]}, outside [{low:g}, {high:g}]; rescale the rewards"
        )
    values.flags.writeable = False
    return values


@dataclass(frozen=True, eq=False)
class Table:
    """A fixed pull-indexed table: rewards[arm, n] is what the (n+1)-th pull of the arm pays, in every trial.

    rewards: (arms, length), entries in [0, 1]; pulls beyond the table are an error.
    """

    rewards: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "rewards", checked(self.rewards, "reward table"))
        if self.rewards.ndim != 2:
            raise ValueError(f"reward table: shape {self.rewards.shape}, expected (arms, length)")

    @property
    def arms(self) -> int:
        return int(self.rewards.shape[0])

    @cached_property
    def prefix(self) -> Array:
        """prefix[arm, n]: the sum of the arm's first n rewards, (arms, length + 1)."""
        return prefix_sums(self.rewards)

    def draw(self, t: int, made: Ints, counts: Ints, bound: Any, noise: Noise) -> Array:
        end = made + counts
        if end.max(initial=0) > self.rewards.shape[1]:
            raise ValueError(
                f"step {t}: pull {end.max()} of an arm, but the reward table holds {self.rewards.shape[1]} per arm"
            )
        arm = np.arange(self.arms)
        if bound is None:
            return self.prefix[arm, end] - self.prefix[arm, made]
        bounds = np.broadcast_to(np.asarray(bound, dtype=np.float64), counts.shape)
        sums = np.zeros(counts.shape)
        for value in np.unique(bounds):
            kept = prefix_sums(np.where(np.abs(self.rewards) <= value, self.rewards, 0.0))
            sums = np.where(bounds == value, kept[arm, end] - kept[arm, made], sums)
        return sums


def prefix_sums(rewards: Array) -> Array:
    return np.concatenate([np.zeros((rewards.shape[0], 1)), np.cumsum(rewards, axis=1)], axis=1)


@dataclass(frozen=True, eq=False)
class Stream:
    """A fixed time-indexed table: rewards[arm, t] is what a pull of the arm in round t+1 pays (Definition 1's
    stream of rewards where all arms pay the same in a round). One pull per step.

    rewards: (arms, rounds), entries in [0, 1].
    """

    rewards: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "rewards", checked(self.rewards, "reward stream"))
        if self.rewards.ndim != 2:
            raise ValueError(f"reward stream: shape {self.rewards.shape}, expected (arms, rounds)")

    @property
    def arms(self) -> int:
        return int(self.rewards.shape[0])

    def draw(self, t: int, made: Ints, counts: Ints, bound: Any, noise: Noise) -> Array:
        first, used = made.sum(axis=1), counts.sum(axis=1)
        if (first + used).max(initial=0) > self.rewards.shape[1]:
            raise ValueError(f"step {t}: the reward stream holds only {self.rewards.shape[1]} rounds")
        rewards = self.rewards if bound is None else np.where(np.abs(self.rewards) <= bound, self.rewards, 0.0)
        # A block is released, and paid, in arm order.
        start = first[:, None] + np.cumsum(counts, axis=1) - counts
        prefix, arm = prefix_sums(rewards), np.arange(self.arms)
        return prefix[arm, start + counts] - prefix[arm, start]


@dataclass(frozen=True)
class Bernoulli:
    """Arms that pay 0 or 1; a block of pulls costs one binomial draw. means: one per arm, in [0, 1]."""

    means: tuple[float, ...]

    def __post_init__(self) -> None:
        checked(self.means, "Bernoulli means")

    @property
    def arms(self) -> int:
        return len(self.means)

    def draw(self, t: int, made: Ints, counts: Ints, bound: Any, noise: Noise) -> Array:
        if bound is not None and np.min(bound) < 1:
            return np.zeros(counts.shape)
        if counts.max(initial=0) <= 1:  # one uniform number each, which is much faster than a binomial
            return np.where(noise.uniform("reward", t, (self.arms,)) < np.asarray(self.means), counts, 0.0)
        return seeded(noise).generator("reward", t).binomial(counts, self.means).astype(np.float64)


@dataclass(frozen=True)
class TruncatedExponential:
    """Arms that pay an exponential variable conditioned on [0, 1] (ou24, Section 5.2). rates: positive."""

    rates: tuple[float, ...]

    def __post_init__(self) -> None:
        if not all(rate > 0 and np.isfinite(rate) for rate in self.rates):
            raise ValueError(f"truncated exponential: rates {self.rates}; every rate must be positive and finite")

    @property
    def arms(self) -> int:
        return len(self.rates)

    @property
    def means(self) -> tuple[float, ...]:
        """1/rate - 1/(e^rate - 1) for each arm."""
        return tuple(1 / rate - 1 / float(np.expm1(rate)) for rate in self.rates)

    def draw(self, t: int, made: Ints, counts: Ints, bound: Any, noise: Noise) -> Array:
        longest = int(counts.max(initial=0))
        if longest <= 1:
            return np.where(counts > 0, self.inverse(noise.uniform("reward", t, (self.arms,)), bound), 0.0)
        stream, sums = seeded(noise).generator("reward", t), np.zeros(counts.shape)
        for done in range(longest):
            paid = self.inverse(stream.random(counts.shape), bound)
            sums += np.where(counts > done, paid, 0.0)
        return sums

    def inverse(self, uniform: Array, bound: Any) -> Array:
        rates = np.asarray(self.rates)
        paid = -np.log1p(uniform * np.expm1(-rates)) / rates
        return paid if bound is None else np.where(np.abs(paid) <= bound, paid, 0.0)


def seeded(noise: Noise) -> Seeded:
    """Block sums of random arms need a generator; a tape cannot provide one."""
    if not isinstance(noise, Seeded):
        raise TypeError("blocks of more than one pull of a random arm need Seeded noise; replay them on a Table")
    return noise
