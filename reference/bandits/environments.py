"""Where rewards come from: fixed tables (privacy), fixed streams (privacy), and random arms (regret)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import describe_given, is_number, normalize_numeric_fields, reals
from dpbandits.reference.bandits.noise import Array, Noise, Seeded, frozen

Ints = NDArray[np.int64]


class Environment(Protocol):
    """What a policy is played against: it answers a block of pulls with the (truncated) reward sums of each arm."""

    @property
    def arms(self) -> int:
        """How many arms there are."""
        ...

    def draw(self, t: int, made: Ints, counts: Ints, bound: Any, noise: Noise) -> Array:
        """The reward sums (trials, arms) of `counts` more pulls after `made` earlier ones; t is the step. An array that
        is read-only is kept as it is, another one is copied."""
        ...


class Range(NamedTuple):
    """Where rewards lie."""

    low: float
    high: float

    @property
    def size(self) -> float:
        """The largest size of a reward."""
        return max(abs(self.low), abs(self.high))

    def at(self, share: Any) -> Any:
        """low for 0, high for 1, between in proportion, and never beyond by rounding."""
        if self == UNIT_RANGE:
            return share
        return np.where(share == 1, self.high, np.clip(self.low + (self.high - self.low) * share, self.low, self.high))

    def share(self, rewards: Any) -> Any:
        """What `at` makes these rewards of."""
        return rewards if self == UNIT_RANGE else (rewards - self.low) / (self.high - self.low)


UNIT_RANGE = Range(0.0, 1.0)
MAX_REWARD_SIZE = 1e140  # of a reward's size: squares of sums of 2^40 of them are doubles


def reward_range(subject: Any) -> Range:
    """Where the rewards lie that a policy is made for, or that random arms pay: its `reward_range`, else [0, 1].

    That is (low, high), or a set of numbers, {0.0, 1.0}, where no others are taken; then its ends. Raises ValueError
    for what is neither, or not finite.
    """
    values = reward_values(subject)
    said = getattr(subject, "reward_range", UNIT_RANGE) if values is None else (float(values[0]), float(values[-1]))
    return checked_range(f"{type(subject).__name__}.reward_range", said)


def reward_values(subject: Any) -> Array | None:
    """The only rewards that a policy takes, in order, where its `reward_range` is a set; else None."""
    said = getattr(subject, "reward_range", UNIT_RANGE)
    if not isinstance(said, set | frozenset):
        return None
    if len(said) < 2 or not all(map(is_number, said)):
        raise ValueError(f"{type(subject).__name__}.reward_range is {said!r}; a set of rewards has two numbers or more")
    return frozen(np.array(sorted(said), dtype=np.float64))


def nearest_payable(subject: Any, rewards: Any) -> Array:
    """The rewards, each as near as what the policy takes comes to it; all of them where it takes a whole range."""
    given, known = np.asarray(rewards, dtype=np.float64), reward_values(subject)
    return given if known is None else np.asarray(known[np.abs(given[..., None] - known).argmin(axis=-1)])


def checked_range(what: str, said: Any) -> Range:
    """The range, if it is a tuple of two finite numbers, the smaller one first; else ValueError."""
    numbers = isinstance(said, tuple) and len(said) == 2 and all(map(is_number, said))
    if not (numbers and -np.inf < said[0] < said[1] < np.inf):
        raise ValueError(f"{what} is {said!r}; it must be (low, high), finite numbers with low < high")
    if max(map(abs, said)) > MAX_REWARD_SIZE:
        raise ValueError(
            f"{what} is {said!r}; no reward may be beyond {MAX_REWARD_SIZE:g}, or sums of them would overflow"
        )
    return Range(float(said[0]), float(said[1]))


def checked_rewards(rewards: Any, what: str, low: float = 0.0, high: float = 1.0) -> Array:
    """The rewards as a read-only array; ValueError names the first entry outside [low, high] or not a number."""
    values = reals(what, rewards)
    inside = (values >= low) & (values <= high)
    if not inside.all():
        where = tuple(int(i) for i in np.argwhere(~inside)[0])
        raise ValueError(
            f"{what}: the reward at {where} is {values[where]}, outside [{low:g}, {high:g}]; rescale the rewards, or "
            "say low and high"
        )
    values.flags.writeable = False
    return values


def checked_table(rewards: Any, what: str, low: float = 0.0, high: float = 1.0) -> Array:
    """The rewards as a read-only array (arms, length); ValueError for any other shape, or a reward out of range."""
    checked_range(f"{what}: (low, high)", (low, high))
    values = checked_rewards(rewards, what, low, high)
    if values.ndim != 2 or 0 in values.shape:
        raise ValueError(f"{what}: shape {values.shape}, expected (arms, length) with at least one arm and reward")
    return values


def one_per_arm(values: Any, what: str) -> None:
    """ValueError unless these are numbers in a row, at least one."""
    if np.ndim(values) != 1 or not len(values):
        raise ValueError(f"{what}: shape {np.shape(values)}; give one number per arm, such as (0.5, 0.25)")


def per_trial(counts: Ints) -> Ints:
    """counts.sum(axis=1), which numpy does slowly for few arms."""
    return np.asarray(np.einsum("ij->i", counts))


def pulled_once(counts: Ints) -> Ints:
    """The arm of every trial that pulls one, once, (trials,), some arm where a trial does otherwise: there
    counts.argmax(axis=1), which numpy does slowly for few arms."""
    return np.asarray(np.minimum(np.einsum("ij,j->i", counts, np.arange(counts.shape[1])), counts.shape[1] - 1))


# -- fixed rewards -----------------------------------------------------------------------------------------------


# A table stands as an array (arms, length), or in runs: an array (arms, runs) with the runs' lengths, (runs,), for all
# arms alike. So a table of 1e8 rewards per arm that changes its mind three times costs four columns.


MAX_TABLE_LENGTH = 2**63 - 1  # rewards of an arm: places are integers of 64 bits


def checked_lengths(lengths: Any, columns: int, what: str) -> Ints | None:
    """The lengths of runs, read-only; None for none. ValueError unless these are whole numbers >= 1, one a column."""
    if lengths is None:
        return None
    values = np.array(lengths)
    if values.shape != (columns,) or values.dtype.kind not in "iu" or values.min(initial=1) < 1:
        raise ValueError(
            f"{what}: run lengths {describe_given(lengths)}; give a whole number of at least 1 for each of {columns} "
            "columns"
        )
    if int(values.max(initial=0)) > MAX_TABLE_LENGTH // max(columns, 1):
        raise ValueError(
            f"{what}: a run length of {values.max()}; {columns} are at most {MAX_TABLE_LENGTH // columns:.2g} each"
        )
    return frozen(values.astype(np.int64))


def length_of(rewards: Array, lengths: Ints | None) -> int:
    """How many rewards each arm has."""
    return int(rewards.shape[-1] if lengths is None else lengths.sum())


def columns_of(lengths: Ints | None, place: Any) -> Any:
    """The column that holds each arm's reward at a place that counts from 0; the last one beyond the end."""
    if lengths is None:
        return place
    return np.minimum(np.searchsorted(np.cumsum(lengths), place, side="right"), len(lengths) - 1)


def prefix_sums(rewards: Array, lengths: Ints | None = None) -> Array:
    """prefix[arm, k]: the sum of the arm's first k columns, added up in order, (arms, columns + 1)."""
    paid = rewards if lengths is None else rewards * lengths
    return np.concatenate([np.zeros((rewards.shape[0], 1)), np.cumsum(paid, axis=1)], axis=1)


def paid_before(rewards: Array, prefix: Array, lengths: Ints | None, place: Ints) -> Array:
    """The sum of each arm's first `place` rewards, (trials, arms)."""
    arm = np.arange(len(rewards))
    if lengths is None:
        return np.asarray(prefix[arm, place])
    column = columns_of(lengths, place)
    inside = place - (np.cumsum(lengths) - lengths)[column]
    return np.asarray(prefix[arm, column] + inside * rewards[arm, column])


def block_sums(rewards: Array, prefix: Array, start: Ints, counts: Ints, lengths: Ints | None = None) -> Array:
    """The sums (trials, arms) of each arm's rewards from `start` to `start + counts`.

    A single reward comes back exactly as it stands in the table, so that a policy that adds up single rewards
    holds exactly the prefix sum; a longer block is a difference of prefix sums.
    """
    arm, last = np.arange(len(rewards)), length_of(rewards, lengths) - 1
    places = arm * rewards.shape[1] + columns_of(lengths, np.minimum(start, last))
    single: Array = counts * rewards.ravel().take(places)  # numpy gathers faster by one index than by two
    if counts.max(initial=0) <= 1:
        return single
    block = paid_before(rewards, prefix, lengths, start + counts) - paid_before(rewards, prefix, lengths, start)
    return np.where(counts <= 1, single, block)


def truncated_sums(rewards: Array, start: Ints, counts: Ints, bound: Any, lengths: Ints | None = None) -> Array:
    """`block_sums` with 0 in the place of every reward whose size exceeds the bound of its trial and arm."""
    bounds = np.broadcast_to(np.asarray(bound, dtype=np.float64), counts.shape)
    sums = np.zeros(counts.shape)
    for value in np.unique(bounds):
        kept = np.where(np.abs(rewards) <= value, rewards, 0.0)
        sums = np.where(bounds == value, block_sums(kept, prefix_sums(kept, lengths), start, counts, lengths), sums)
    return sums


@dataclass(frozen=True, eq=False)
class Table:
    """A fixed pull-indexed table: rewards[arm, n] is what the (n+1)-th pull of the arm pays, in every trial.

    rewards: (arms, length), entries in [low, high]; pulls beyond the table are an error. lengths: None, or that of
    each run, (runs,), and rewards is (arms, runs).
    """

    rewards: Array
    lengths: Any = None
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "rewards", checked_table(self.rewards, "reward table", self.low, self.high))
        lengths = checked_lengths(self.lengths, self.rewards.shape[1], "reward table")
        object.__setattr__(self, "lengths", lengths)

    @property
    def arms(self) -> int:
        return len(self.rewards)

    @cached_property
    def prefix(self) -> Array:
        return prefix_sums(self.rewards, self.lengths)

    def draw(self, t: int, made: Ints, counts: Ints, bound: Any, noise: Noise) -> Array:
        last, length = (made + counts).max(initial=0), length_of(self.rewards, self.lengths)
        if last > length:
            raise ValueError(
                f"step {t}: pull {last} of an arm, but the reward table holds {length} per arm; lengthen the table"
            )
        if bound is None:
            return frozen(block_sums(self.rewards, self.prefix, made, counts, self.lengths))
        return frozen(truncated_sums(self.rewards, made, counts, bound, self.lengths))


@dataclass(frozen=True, eq=False)
class Stream:
    """A fixed time-indexed table: rewards[arm, t] is what a pull of the arm in round t+1 pays (Definition 1's
    stream of rewards where all arms pay the same in a round). A round is one pull; a block of pulls of several
    arms is paid, as it is released, in arm order.

    rewards: (arms, rounds), entries in [low, high]; rounds beyond the stream are an error. lengths: as of a Table.
    """

    rewards: Array
    lengths: Any = None
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "rewards", checked_table(self.rewards, "reward stream", self.low, self.high))
        lengths = checked_lengths(self.lengths, self.rewards.shape[1], "reward stream")
        object.__setattr__(self, "lengths", lengths)

    @property
    def arms(self) -> int:
        return len(self.rewards)

    @cached_property
    def prefix(self) -> Array:
        return prefix_sums(self.rewards, self.lengths)

    def draw(self, t: int, made: Ints, counts: Ints, bound: Any, noise: Noise) -> Array:
        first, rounds = per_trial(made), length_of(self.rewards, self.lengths)
        last = (first + per_trial(counts)).max(initial=0)
        if last > rounds:
            raise ValueError(
                f"step {t}: round {last}, but the reward stream holds {rounds} rounds; lengthen the stream"
            )
        start = first[:, None] + np.cumsum(counts, axis=1) - counts
        if bound is None:
            return frozen(block_sums(self.rewards, self.prefix, start, counts, self.lengths))
        return frozen(truncated_sums(self.rewards, start, counts, bound, self.lengths))


# -- random arms -------------------------------------------------------------------------------------------------
# A trial that makes one pull needs one uniform number, whichever arm it pulls. Which way a trial is served depends
# on this trial alone, never on the others in its batch. `single` is `draw` where no trial makes more than one pull, as
# in most steps: whoever has it needs not look, and an environment may well do without.


@lru_cache(maxsize=8)
def same_rows(row: tuple[float, ...], many: int) -> Array:
    """The row, so many times: (many, len(row)), read-only."""
    return frozen(np.tile(np.array(row, dtype=np.float64), (many, 1)))


@dataclass(frozen=True)
class Bernoulli:
    """Arms that pay 0 or 1; a block of pulls costs one binomial draw. means: one per arm, in [0, 1]."""

    means: tuple[float, ...]

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        means = checked_rewards(self.means, "Bernoulli means")
        one_per_arm(means, "Bernoulli means")
        if not isinstance(self.means, tuple):  # a list has no hash, and could change
            object.__setattr__(self, "means", tuple(means.tolist()))

    @property
    def arms(self) -> int:
        return len(self.means)

    def draw(self, t: int, made: Ints, counts: Ints, bound: Any, noise: Noise) -> Array:
        block = per_trial(counts) > 1
        if not block.any():
            return self.single(t, made, counts, bound, noise)
        paid = require_seeded(noise).generator("rewards", t).binomial(np.where(block[:, None], counts, 0), self.means)
        sums = np.where(block[:, None], paid, self.single(t, made, counts, None, noise))
        return frozen(sums if bound is None else np.where(np.asarray(bound) >= 1, sums, 0.0))

    def single(self, t: int, made: Ints, counts: Ints, bound: Any, noise: Noise) -> Array:
        # numpy compares arrays of one shape several times faster than it broadcasts over a few arms.
        means = same_rows(self.means, len(counts))
        paid = np.repeat(noise.uniform("reward", t), self.arms).reshape(means.shape) < means
        sums: Array = np.multiply(paid, counts, dtype=np.float64)
        return frozen(sums if bound is None else np.where(np.asarray(bound) >= 1, sums, 0.0))


PULLS_PER_DRAW = 64  # pulls of a block that are drawn at once


@dataclass(frozen=True)
class TruncatedExponential:
    """Arms that pay an exponential variable conditioned on [0, 1] (ou24, Section 5.2). rates: positive."""

    rates: tuple[float, ...]

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        one_per_arm(self.rates, "truncated exponential: rates")
        if not all(is_number(rate) and 0 < rate < np.inf for rate in self.rates):
            raise ValueError(f"truncated exponential: rates {self.rates}; every rate must be positive and finite")

    @property
    def arms(self) -> int:
        return len(self.rates)

    @property
    def means(self) -> tuple[float, ...]:
        """1/rate - 1/(e^rate - 1) for each arm."""
        return tuple(truncated_exponential_mean(rate) for rate in self.rates)

    def draw(self, t: int, made: Ints, counts: Ints, bound: Any, noise: Noise) -> Array:
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

    def single(self, t: int, made: Ints, counts: Ints, bound: Any, noise: Noise) -> Array:
        rates, arm = np.asarray(self.rates), pulled_once(counts)
        paid = exponential_below(noise.uniform("reward", t), rates.take(arm), el.expm1(-rates).take(arm))
        paid = np.repeat(paid, self.arms).reshape(counts.shape)
        return frozen(counts * truncated_rewards(paid, bound))


def truncated_exponential(uniform: Array, rate: Array) -> Array:
    """The quantile function of an exponential variable conditioned on [0, 1]."""
    return exponential_below(uniform, rate, el.expm1(-rate))


def exponential_below(uniform: Array, rate: Array, less: Array) -> Array:
    """The same; less: exp(-rate) - 1, which takes a third of the time, and the arms are few."""
    return np.asarray(-el.log1p(uniform * less) / rate)


def truncated_exponential_mean(rate: float) -> float:
    """1/rate - 1/(e^rate - 1); below 0.01 its series at 0, whose next term is below rate**5/30240 < 4e-15, since
    the two fractions cancel there."""
    if rate < 0.01:
        return 1 / 2 - rate / 12 + rate**3 / 720
    return float(1 / rate + el.exp(-rate) / el.expm1(-rate))


def truncated_rewards(rewards: Array, bound: Any) -> Array:
    """The rewards, truncated at the bound."""
    return rewards if bound is None else np.where(np.abs(rewards) <= bound, rewards, 0.0)


def require_seeded(noise: Noise) -> Seeded:
    """Binomials need a generator; a tape cannot provide one."""
    if not isinstance(noise, Seeded):
        raise TypeError("blocks of more than one pull of a random arm need Seeded noise; replay them on a Table")
    return noise
