"""Heavy-tailed arms: Pareto arms, and arms with rare large rewards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import is_number, normalize_numeric_fields
from dpbandits.reference.bandits.environments import (
    one_per_arm,
    per_trial,
    pulled_once,
    require_seeded,
    truncated_rewards,
)
from dpbandits.reference.bandits.noise import Array, Noise, Reals, frozen
from dpbandits.reference.bandits.policy import Ints

CHUNK = 1 << 20  # so many rewards are held at once


@dataclass(frozen=True)
class Pareto:
    """Arms whose reward is a Pareto variable with density shape scale^shape/x^(shape+1) for x >= scale.

    shape: alpha > 1, the same for all arms. scales: lambda_a > 0. Blocks are sampled in chunks, pull by pull.
    """

    shape: float
    scales: tuple[float, ...]

    def __post_init__(self) -> None:
        """Raises ValueError unless the shape alpha is above 1 and the arms' scales are valid."""
        normalize_numeric_fields(self)
        if not (is_number(self.shape) and 1 < self.shape < np.inf):
            raise ValueError(
                f"shape (alpha) is {self.shape!r}; it must be a finite number greater than 1, because the mean is "
                "infinite for a smaller number"
            )
        positive_row(self.scales, "Pareto scales")

    @property
    def arms(self) -> int:
        """The number of arms."""
        return len(self.scales)

    @property
    def means(self) -> tuple[float, ...]:
        """The expected reward alpha lambda/(alpha - 1) of each arm."""
        return tuple(self.shape * scale / (self.shape - 1) for scale in self.scales)

    @property
    def reward_range(self) -> tuple[float, float]:
        """From the smallest reward of any arm to infinity, because no upper limit of the rewards is guaranteed."""
        return float(min(self.scales)), float("inf")

    def moment(self, order: float) -> float:
        """The largest E[X^order] of the reward X of an arm: alpha lambda^order/(alpha - order).
        Infinite for orders of at least alpha."""
        if order >= self.shape:
            return float("inf")
        return float(max(self.shape * scale**order / (self.shape - order) for scale in self.scales))

    def draw(self, t: int, made: Ints, counts: Ints, bound: Reals | None, noise: Noise) -> Array:
        """The reward sums of `counts` further pulls, (trials, arms), of Pareto rewards."""
        scales, block = np.asarray(self.scales), per_trial(counts) > 1
        paid = scales[pulled_once(counts)] * el.power(1 - noise.uniform("reward", t), -1 / self.shape)
        sums: Array = np.where(block[:, None], 0.0, counts * truncated_rewards(paid[:, None], bound))
        if block.any():
            bounds = np.broadcast_to(np.asarray(np.inf if bound is None else bound, dtype=np.float64), counts.shape)
            source = require_seeded(noise).generator("rewards", t)
            for trial, arm in np.ndindex(*counts.shape):  # in this order: the first trials draw first
                left = int(counts[trial, arm]) if block[trial] else 0
                while left:
                    rewards = scales[arm] * el.power(1 - source.random(min(left, CHUNK)), -1 / self.shape)
                    sums[trial, arm] += truncated_rewards(rewards, bounds[trial, arm]).sum()
                    left -= len(rewards)
        return frozen(sums)


@dataclass(frozen=True)
class TwoPoint:
    """Arms with the rewards `sizes` with the given probabilities, and otherwise 0. A block takes one binomial draw."""

    sizes: tuple[float, ...]
    chances: tuple[float, ...]

    def __post_init__(self) -> None:
        """Raises ValueError unless every arm has a positive size and a valid probability."""
        normalize_numeric_fields(self)
        positive_row(self.sizes, "sizes")
        one_per_arm(self.chances, "chances")
        if len(self.chances) != len(self.sizes):
            raise ValueError(
                f"sizes has length {len(self.sizes)}, chances has length {len(self.chances)}; give one of each "
                "for every arm"
            )
        if not all(is_number(chance) and 0 <= chance <= 1 for chance in self.chances):
            raise ValueError(f"chances is {self.chances}; each must be a probability in [0, 1]")

    @property
    def arms(self) -> int:
        """The number of arms."""
        return len(self.sizes)

    @property
    def means(self) -> tuple[float, ...]:
        """The expected reward of each arm, (arms,)."""
        return tuple(size * chance for size, chance in zip(self.sizes, self.chances, strict=True))

    @property
    def reward_range(self) -> tuple[float, float]:
        """From 0 to the largest reward of any arm."""
        return 0.0, float(max(self.sizes))

    def moment(self, order: float) -> float:
        """The largest E[X^order] of the reward X of an arm."""
        return float(max(chance * size**order for size, chance in zip(self.sizes, self.chances, strict=True)))

    def draw(self, t: int, made: Ints, counts: Ints, bound: Reals | None, noise: Noise) -> Array:
        """The reward sums of `counts` further pulls, (trials, arms), of rewards with two values."""
        chances, block = np.asarray(self.chances), per_trial(counts) > 1
        hits: Array = np.where(noise.uniform("reward", t)[:, None] < chances, counts, 0.0)
        if block.any():
            blocks = np.where(block[:, None], counts, 0)
            hits[block] = require_seeded(noise).generator("rewards", t).binomial(blocks, chances)[block]
        return frozen(hits * truncated_rewards(np.asarray(self.sizes), bound))


def positive_row(values: Sequence[float], name: str) -> None:
    """Raises ValueError unless the values are a non-empty row of positive, finite numbers."""
    one_per_arm(values, name)
    if not all(is_number(value) and 0 < value < np.inf for value in values):
        raise ValueError(f"{name} is {values}; all numbers must be positive and finite")
