"""Environments: fixed tables and fixed streams of rewards (for privacy), and random arms (for regret)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import is_number, normalize_numeric_fields
from dpbandits.reference.bandits.contexts import Contexts, demand_seen
from dpbandits.reference.bandits.noise import Array, Ints, Noise, Reals, Seeded, frozen
from dpbandits.reference.bandits.reward_ranges import checked_rewards, checked_table
from dpbandits.reference.bandits.reward_rows import block_sums, checked_lengths, length_of, prefix_sums, truncated_sums


class Environment(Protocol):
    """The protocol of environments: for the pulls of one step, an environment returns the sum of (truncated) rewards of
    each arm."""

    @property
    def arms(self) -> int:
        """The number of arms."""
        ...

    def draw(self, t: int, made: Ints, counts: Ints, bound: Reals | None, noise: Noise) -> Array:
        """The reward sums (trials, arms) of `counts` more pulls after `made` earlier ones; t is the step.
        A read-only array is used as it is; any other array is copied."""
        ...


def one_per_arm(values: ArrayLike, name: str) -> None:
    """Raises ValueError unless the values are one row of numbers, one for each arm."""
    if np.ndim(values) != 1 or not np.size(values):
        raise ValueError(f"{name} has shape {np.shape(values)}; give one number for each arm, such as (0.5, 0.25)")


def per_trial(counts: Ints) -> Ints:
    """The sum of each row of the pull counts, (rows,), computed faster than by numpy's sum."""
    return np.asarray(np.einsum("ij->i", counts))


def pulled_once(counts: Ints) -> Ints:
    """The arm of each trial, (trials,), if the trial pulls one arm once; any arm for other trials.
    It is counts.argmax(axis=1), which is slow in numpy for few arms."""
    return np.asarray(np.minimum(np.einsum("ij,j->i", counts, np.arange(counts.shape[1])), counts.shape[1] - 1))


# -- fixed rewards -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class FixedRewards:
    """Rewards that are the same in every trial: what `Table` and `Stream` have in common."""

    rewards: Array
    lengths: Ints | None = None
    low: float = 0.0
    high: float = 1.0
    contexts: Contexts | None = None
    named: ClassVar[str]  # what errors call it

    def __post_init__(self) -> None:
        """Replaces the rewards and lengths by checked copies. Raises ValueError and TypeError for invalid ones."""
        object.__setattr__(self, "rewards", checked_table(self.rewards, self.named, self.low, self.high))
        object.__setattr__(self, "lengths", checked_lengths(self.lengths, self.rewards.shape[1], self.named))
        demand_seen(self.named, self.contexts)

    @property
    def arms(self) -> int:
        """The number of arms."""
        return len(self.rewards)

    @cached_property
    def prefix(self) -> Array:
        """prefix[arm, k]: the sum of the first k columns of each arm, as in `reward_rows.prefix_sums`."""
        return prefix_sums(self.rewards, self.lengths)

    def paid(self, start: Ints, counts: Ints, bound: Reals | None) -> Array:
        """The sums of each arm's rewards from position `start` to `start + counts`, (trials, arms).
        If there is a bound, rewards whose size exceeds it count as 0."""
        if bound is None:
            return frozen(block_sums(self.rewards, self.prefix, start, counts, self.lengths))
        return frozen(truncated_sums(self.rewards, start, counts, bound, self.lengths))


@dataclass(frozen=True, eq=False)
class Table(FixedRewards):
    """A fixed pull-indexed table: rewards[arm, n] is the reward of the (n+1)-th pull of the arm, in every trial.

    rewards: (arms, length), entries in [low, high]; pulls beyond the table are an error. lengths: None, or the number
    of repetitions of each column, (runs,); rewards is then (arms, runs). contexts: None, or the `Contexts` of the
    rounds.
    """

    named: ClassVar[str] = "reward table"

    def draw(self, t: int, made: Ints, counts: Ints, bound: Reals | None, noise: Noise) -> Array:
        """The reward sums of `counts` further pulls, (trials, arms). Raises ValueError for a pull beyond the table."""
        last, length = (made + counts).max(initial=0), length_of(self.rewards, self.lengths)
        if last > length:
            raise ValueError(
                f"step {t}: pull {last} of an arm, but the reward table has length {length}; give a longer table"
            )
        return self.paid(made, counts, bound)


@dataclass(frozen=True, eq=False)
class Stream(FixedRewards):
    """A fixed time-indexed table: rewards[arm, t] is the reward of pulling the arm in round t+1. (In Definition 1 all
    arms have the same reward in a round.) A round is one pull; the pulls of a block are rounds in the order of arms.

    rewards: (arms, rounds), entries in [low, high]; rounds beyond the stream are an error. lengths, contexts: as for a
    Table.
    """

    named: ClassVar[str] = "reward stream"

    def draw(self, t: int, made: Ints, counts: Ints, bound: Reals | None, noise: Noise) -> Array:
        """The reward sums, (trials, arms). Raises ValueError for a round after the last."""
        first, rounds = per_trial(made), length_of(self.rewards, self.lengths)
        last = (first + per_trial(counts)).max(initial=0)
        if last > rounds:
            raise ValueError(f"step {t}: round {last}, but the reward stream has length {rounds}; give a longer stream")
        return self.paid(first[:, None] + np.cumsum(counts, axis=1) - counts, counts, bound)


# -- random arms -------------------------------------------------------------------------------------------------
# A trial that makes one pull needs one uniform number, whichever arm it pulls. Which way a trial is served depends
# on this trial alone, never on the others in its batch. `single` is `draw` where no trial makes more than one pull, as
# in most steps: whoever has it needs not look, and an environment may well do without.


@lru_cache(maxsize=8)
def same_rows(row: tuple[float, ...], n: int) -> Array:
    """The row repeated `n` times, a read-only array (n, len(row))."""
    return frozen(np.tile(np.array(row, dtype=np.float64), (n, 1)))


@dataclass(frozen=True)
class Bernoulli:
    """Arms with rewards 0 or 1. means: one for each arm, in [0, 1]. Several pulls of an arm in one step take one
    binomial draw."""

    means: tuple[float, ...]

    def __post_init__(self) -> None:
        """Raises ValueError unless the means are one row of probabilities; stores them as a tuple."""
        normalize_numeric_fields(self)
        means = checked_rewards(self.means, "Bernoulli means")
        one_per_arm(means, "Bernoulli means")
        if not isinstance(self.means, tuple):  # a list has no hash, and could change
            object.__setattr__(self, "means", tuple(means.tolist()))

    @property
    def arms(self) -> int:
        """The number of arms."""
        return len(self.means)

    def draw(self, t: int, made: Ints, counts: Ints, bound: Reals | None, noise: Noise) -> Array:
        """The reward sums of `counts` further pulls, (trials, arms): one binomial draw for each arm and trial."""
        block = per_trial(counts) > 1
        if not block.any():
            return self.single(t, made, counts, bound, noise)
        paid = require_seeded(noise).generator("rewards", t).binomial(np.where(block[:, None], counts, 0), self.means)
        sums = np.where(block[:, None], paid, self.single(t, made, counts, None, noise))
        return frozen(sums if bound is None else np.where(np.asarray(bound) >= 1, sums, 0.0))

    def single(self, t: int, made: Ints, counts: Ints, bound: Reals | None, noise: Noise) -> Array:
        """The reward sums, (trials, arms), if every trial pulls at most one arm, and this arm at most once."""
        # numpy compares arrays of one shape several times faster than it broadcasts over a few arms.
        means = same_rows(self.means, len(counts))
        paid = np.repeat(noise.uniform("reward", t), self.arms).reshape(means.shape) < means
        sums: Array = np.multiply(paid, counts, dtype=np.float64)
        return frozen(sums if bound is None else np.where(np.asarray(bound) >= 1, sums, 0.0))


PULLS_PER_DRAW = 64  # pulls of a block that are drawn at once


@dataclass(frozen=True)
class TruncatedExponential:
    """Arms whose reward is an exponential variable conditioned on [0, 1] (ou24, Section 5.2). rates: positive."""

    rates: tuple[float, ...]

    def __post_init__(self) -> None:
        """Raises ValueError unless every arm has a positive, finite rate."""
        normalize_numeric_fields(self)
        one_per_arm(self.rates, "truncated exponential: rates")
        if not all(is_number(rate) and 0 < rate < np.inf for rate in self.rates):
            raise ValueError(f"truncated exponential: rates is {self.rates}; every rate must be positive and finite")

    @property
    def arms(self) -> int:
        """The number of arms."""
        return len(self.rates)

    @property
    def means(self) -> tuple[float, ...]:
        """The expected reward 1/rate - 1/(e^rate - 1) of each arm."""
        return tuple(truncated_exponential_mean(rate) for rate in self.rates)

    def draw(self, t: int, made: Ints, counts: Ints, bound: Reals | None, noise: Noise) -> Array:
        """The reward sums of `counts` further pulls, (trials, arms), of truncated exponential rewards."""
        block = per_trial(counts) > 1
        sums = self.single(t, made, counts, bound, noise)
        if not block.any():
            return sums
        sums, ends = np.where(block[:, None], 0.0, sums), np.cumsum(np.where(block[:, None], counts, 0), axis=1)
        starts, bounds = ends - counts, np.broadcast_to(np.inf if bound is None else bound, counts.shape)
        for first in range(0, int(ends.max()), PULLS_PER_DRAW):  # the pulls of a block, in arm order
            uniform, pull = noise.uniform(f"rewards {first}", t, (PULLS_PER_DRAW,)), first + np.arange(PULLS_PER_DRAW)
            for arm, rate in enumerate(self.rates):
                here = np.flatnonzero(block & (starts[:, arm] < first + PULLS_PER_DRAW) & (first < ends[:, arm]))
                mine = (starts[here, arm, None] <= pull) & (pull < ends[here, arm, None])
                paid = truncated_rewards(
                    truncated_exponential(uniform[here], np.asarray(rate)), bounds[here, arm, None]
                )
                sums[here, arm] += np.where(mine, paid, 0.0).sum(axis=1)
        return frozen(sums)

    def single(self, t: int, made: Ints, counts: Ints, bound: Reals | None, noise: Noise) -> Array:
        """The reward sums, (trials, arms), if every trial pulls at most one arm, and this arm at most once."""
        rates, arm = np.asarray(self.rates), pulled_once(counts)
        paid = exponential_below(noise.uniform("reward", t), rates.take(arm), el.expm1(-rates).take(arm))
        paid = np.repeat(paid, self.arms).reshape(counts.shape)
        return frozen(counts * truncated_rewards(paid, bound))


def truncated_exponential(uniform: Array, rate: Array) -> Array:
    """The quantile, at the level `uniform`, of an exponential variable with this rate conditioned on [0, 1]."""
    return exponential_below(uniform, rate, el.expm1(-rate))


def exponential_below(uniform: Array, rate: Array, expm1_of_minus_rate: Array) -> Array:
    """The quantile, at the level `uniform`, of an exponential variable conditioned on [0, 1].
    expm1_of_minus_rate: exp(-rate) - 1; giving it saves two thirds of the time."""
    return np.asarray(-el.log1p(uniform * expm1_of_minus_rate) / rate)


def truncated_exponential_mean(rate: float) -> float:
    """The mean 1/rate - 1/(e^rate - 1).
    Below 0.01 its series at 0 is used, because the two fractions cancel there; the next term is below rate**5/30240 <
    4e-15."""
    if rate < 0.01:
        return 1 / 2 - rate / 12 + rate**3 / 720
    return float(1 / rate + el.exp(-rate) / el.expm1(-rate))


def truncated_rewards(rewards: Array, bound: Reals | None) -> Array:
    """The rewards, with 0 in place of each reward whose absolute value exceeds the bound; unchanged for None."""
    return rewards if bound is None else np.where(np.abs(rewards) <= bound, rewards, 0.0)


def require_seeded(noise: Noise) -> Seeded:
    """Raises an error unless the noise has a generator, which binomial draws need; a tape has none."""
    if not isinstance(noise, Seeded):
        raise TypeError(
            "if rewards are random, an arm can be pulled several times in one step only with Seeded noise, not "
            f"{type(noise).__name__}; with recorded noise, play on a Table of rewards"
        )
    return noise
