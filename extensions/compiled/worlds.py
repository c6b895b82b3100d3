"""Environments compiled by numba: they compute the rewards of pulls in compiled runs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.play.many import TableBatch
from dpbandits.extensions.compiled.scalar_text import Compiled, NotCompiled, compiled_text
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.environments import Bernoulli, Environment, Stream, Table, TruncatedExponential
from dpbandits.reference.bandits.heavy_tails import Pareto, TwoPoint
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.reward_rows import length_of

Numbers = tuple[Array, ...]  # of an environment, as its function of rewards reads them


class World(NamedTuple):
    """An environment in a form that numba accepts. pays: the function that returns the reward of one pull, from
    (numbers, trial, arm, u, made, used): u is a uniform number, made the number of earlier pulls of this arm, used that
    of all arms. numbers: arrays. draws: whether u is drawn."""

    pays: Compiled
    numbers: tuple[np.ndarray, ...]
    draws: bool


def world_of(environment: Environment, horizon: int, trials: int) -> World:
    """Returns an environment's rewards in the form that compiled code uses.
    Raises NotCompiled for a kind of environment that is not supported, or if its rewards end before the horizon."""
    if isinstance(environment, Bernoulli):
        return World(reward_function("coin"), (np.array(environment.means),), True)
    if isinstance(environment, TwoPoint):
        return World(reward_function("rare"), (np.array(environment.chances), np.array(environment.sizes)), True)
    if isinstance(environment, TruncatedExponential):
        rates = np.array(environment.rates, dtype=np.float64)
        return World(reward_function("exponential"), (rates, np.asarray(el.expm1(-rates))), True)
    if isinstance(environment, Table | Stream | TableBatch):
        return table_world(environment, horizon, trials)
    reason = (
        "its powers are computed for arrays only" if isinstance(environment, Pareto) else "no such environment is known"
    )
    raise NotCompiled(f"rewards of {type(environment).__name__} are not compiled: {reason}")


def table_world(environment: Table | Stream | TableBatch, horizon: int, trials: int) -> World:
    """Returns the rewards of fixed tables as arrays for compiled code.
    Raises NotCompiled if a table is shorter than the horizon."""
    if isinstance(environment, TableBatch):
        by_pull, tables, which = environment.relation == "pull", environment.tables, environment.which
    else:
        by_pull, tables = isinstance(environment, Table), environment.rewards[None]
        which = np.zeros(trials, dtype=np.int64)
    tables = np.ascontiguousarray(tables, dtype=np.float64)
    length = length_of(tables, environment.lengths)
    if length < horizon:
        raise NotCompiled(
            f"the rewards of {type(environment).__name__} have length {length} for each arm, less than the "
            f"horizon {horizon}"
        )
    columns = np.arange(1, tables.shape[2] + 1) if environment.lengths is None else np.cumsum(environment.lengths)
    runs = "column" if environment.lengths is None else "run"
    return World(reward_function(f"{runs} by {'pull' if by_pull else 'round'}"), (tables, which, columns), False)


def reward_function(kind: str) -> Compiled:
    """Returns the compiled function that computes one reward in environments of this kind."""
    return compiled_text(PAYS[kind])


def bernoulli_reward(numbers: Numbers, i: int, arm: int, u: float, made: int, used: int) -> Any:
    """A Bernoulli reward: 1 if the uniform draw u is below the arm's mean, otherwise 0."""
    return 1.0 if u < numbers[0][arm] else 0.0


def two_point_reward(numbers: Numbers, i: int, arm: int, u: float, made: int, used: int) -> Any:
    """A reward of a two-point distribution: the arm's size if the uniform draw u is small enough, otherwise 0."""
    return numbers[1][arm] if u < numbers[0][arm] else 0.0


def exponential_reward(numbers: Numbers, i: int, arm: int, u: float, made: int, used: int) -> Any:
    """A truncated exponential reward, computed from the uniform draw u."""
    return -el.log1p_of_one(u * numbers[1][arm]) / numbers[0][arm]


def column_by_pull(numbers: Numbers, i: int, arm: int, u: float, made: int, used: int) -> Any:
    """The table's reward for the next pull of the arm."""
    return numbers[0][numbers[1][i], arm, made]


def column_by_round(numbers: Numbers, i: int, arm: int, u: float, made: int, used: int) -> Any:
    """The table's reward of the arm in this round."""
    return numbers[0][numbers[1][i], arm, used]


def run_by_pull(numbers: Numbers, i: int, arm: int, u: float, made: int, used: int) -> Any:
    """The reward for the next pull of the arm, from a table whose columns are runs of equal rewards."""
    return numbers[0][numbers[1][i], arm, np.searchsorted(numbers[2], made, side="right")]


def run_by_round(numbers: Numbers, i: int, arm: int, u: float, made: int, used: int) -> Any:
    """The reward of the arm in this round, from a table whose columns are runs of equal rewards."""
    return numbers[0][numbers[1][i], arm, np.searchsorted(numbers[2], used, side="right")]


PAYS: dict[str, Compiled] = {
    "coin": bernoulli_reward,
    "rare": two_point_reward,
    "exponential": exponential_reward,
    "column by pull": column_by_pull,
    "column by round": column_by_round,
    "run by pull": run_by_pull,
    "run by round": run_by_round,
}
