"""Reward ranges of policies and environments, and checks of rewards and reward tables."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dpbandits.reference.arithmetic.checks import is_number, reals
from dpbandits.reference.bandits.noise import Array, frozen


class Range(NamedTuple):
    """An interval of rewards."""

    low: float
    high: float

    @property
    def size(self) -> float:
        """The largest absolute value of a reward."""
        return max(abs(self.low), abs(self.high))

    def at(self, share: Any) -> Any:
        """The reward at the fraction `share` of the range: low for 0, high for 1, never outside the range."""
        if self == UNIT_RANGE:
            return share
        return np.where(share == 1, self.high, np.clip(self.low + (self.high - self.low) * share, self.low, self.high))

    def share(self, rewards: Any) -> Any:
        """The position of each reward in the range, as a fraction: 0 for low, 1 for high; the inverse of `at`."""
        return rewards if self == UNIT_RANGE else (rewards - self.low) / (self.high - self.low)


UNIT_RANGE = Range(0.0, 1.0)
MAX_REWARD_SIZE = 1e140  # of a reward's size: squares of sums of 2^40 of them are doubles


def reward_range(subject: object) -> Range:
    """The range of rewards that a policy accepts, or that random arms give: its `reward_range`, by default [0, 1].

    `reward_range` is (low, high), or a set of numbers such as {0.0, 1.0} if no others are accepted; then the range is
    from the smallest to the largest. Raises ValueError for anything else, or for numbers that are not finite.
    """
    values = reward_values(subject)
    said = getattr(subject, "reward_range", UNIT_RANGE) if values is None else (float(values[0]), float(values[-1]))
    return checked_range(f"{type(subject).__name__}.reward_range", said)


def reward_values(subject: object) -> Array | None:
    """The only rewards that a policy accepts, in order, if its `reward_range` is a set; otherwise None."""
    said = getattr(subject, "reward_range", UNIT_RANGE)
    if not isinstance(said, set | frozenset):
        return None
    if len(said) < 2 or not all(map(is_number, said)):
        raise ValueError(
            f"{type(subject).__name__}.reward_range is {said!r}; a set of possible rewards must contain at least "
            "two numbers"
        )
    return frozen(np.array(sorted(said), dtype=np.float64))


def nearest_payable(subject: object, rewards: ArrayLike) -> Array:
    """Each reward replaced by the nearest one that the policy accepts; unchanged if it accepts a whole range."""
    given, known = np.asarray(rewards, dtype=np.float64), reward_values(subject)
    return given if known is None else np.asarray(known[np.abs(given[..., None] - known).argmin(axis=-1)])


def unpayable(subject: object, rewards: ArrayLike) -> Array:
    """Those of the rewards that the policy does not accept, (n,)."""
    given, known, (low, high) = np.asarray(rewards, dtype=np.float64), reward_values(subject), reward_range(subject)
    return given[~((given >= low) & (given <= high) if known is None else np.isin(given, known))]


def checked_range(name: str, value: Any) -> Range:
    """Returns (low, high) as a `Range`. Raises ValueError unless it is a pair of finite numbers, the smaller first."""
    numbers = isinstance(value, tuple) and len(value) == 2 and all(map(is_number, value))
    if not (numbers and -np.inf < value[0] < value[1] < np.inf):
        raise ValueError(f"{name} is {value!r}; it must be a pair (low, high) of finite numbers with low < high")
    if max(map(abs, value)) > MAX_REWARD_SIZE:
        raise ValueError(
            f"{name} is {value!r}; rewards must have absolute values of at most {MAX_REWARD_SIZE:g}, because "
            "sums would overflow otherwise"
        )
    return Range(float(value[0]), float(value[1]))


def checked_rewards(rewards: object, name: str, low: float = 0.0, high: float = 1.0) -> Array:
    """The rewards as a read-only array.
    Raises ValueError that names the first entry that is outside [low, high] or not a number."""
    values = reals(name, rewards)
    inside = (values >= low) & (values <= high)
    if not inside.all():
        where = tuple(int(i) for i in np.argwhere(~inside)[0])
        raise ValueError(
            f"{name}: the reward at {where} is {values[where]}, outside [{low:g}, {high:g}]; rescale the "
            "rewards, or give low= and high="
        )
    values.flags.writeable = False
    return values


def checked_table(rewards: object, name: str, low: float = 0.0, high: float = 1.0) -> Array:
    """The rewards as a read-only array (arms, length).
    Raises ValueError for any other shape, or a reward out of range."""
    checked_range(f"{name}: (low, high)", (low, high))
    values = checked_rewards(rewards, name, low, high)
    if values.ndim != 2 or 0 in values.shape:
        raise ValueError(
            f"{name} has shape {values.shape}; it must have shape (arms, length), with at least one arm and one reward"
        )
    return values
