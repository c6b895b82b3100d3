"""What environments pay for a single pull, as numba compiles it."""

from __future__ import annotations

from functools import lru_cache
from math import inf
from typing import Any

import numpy as np

from dpbandits.audit.play.many import Many
from dpbandits.reference.bandits.environments import Bernoulli, Stream, Table
from dpbandits.reference.bandits.reward_rows import length_of


def kind_of(environment: Any) -> str | None:
    """How its single pulls are paid: by "chance", or as a table says by "pull" or "round"; None for what is not
    compiled."""
    if isinstance(environment, Many):
        return environment.relation
    kinds = {Bernoulli: "chance", Table: "pull", Stream: "round"}
    return kinds.get(type(environment))


def paying(environment: Any, trials: int) -> tuple[Any, ...]:
    """The arrays that say what an environment pays: its means, or tables, which of them a trial plays, and where their
    runs end."""
    if isinstance(environment, Bernoulli):
        return (np.array(environment.means),)
    many = isinstance(environment, Many)
    which = environment.which if many else np.zeros(trials, dtype=np.int64)
    tables = environment.tables if many else environment.rewards[None]
    ends = np.arange(0) if environment.lengths is None else np.cumsum(environment.lengths)
    return np.array(tables, dtype=np.float64, order="C"), np.array(which), np.array(ends)


def steps_paid(environment: Any, made: Any) -> float:
    """How many more steps there is something to pay whatever is pulled; beyond, the environment complains."""
    if not isinstance(environment, Table | Stream):
        return inf
    used = made.max(initial=0) if isinstance(environment, Table) else made.sum(axis=1).max(initial=0)
    return length_of(environment.rewards, environment.lengths) - int(used)


@lru_cache(maxsize=4)
def payment(kind: str) -> Any:
    """What a single pull of an arm pays trial i after the pulls `made`; u is uniform where chance pays."""
    from numba import njit

    @njit
    def by_chance(numbers, i, arm, made, u):  # type: ignore[no-untyped-def]
        return 1.0 if u < numbers[0][arm] else 0.0

    @njit
    def by_table(numbers, i, arm, place):  # type: ignore[no-untyped-def]
        tables, which, ends = numbers
        if len(ends):
            place = min(np.searchsorted(ends, place, side="right"), len(ends) - 1)
        return tables[which[i], arm, min(place, tables.shape[2] - 1)]

    @njit
    def by_pull(numbers, i, arm, made, u):  # type: ignore[no-untyped-def]
        return by_table(numbers, i, arm, made[i, arm])

    @njit
    def by_round(numbers, i, arm, made, u):  # type: ignore[no-untyped-def]
        rounds = 0
        for j in range(made.shape[1]):
            rounds += made[i, j]
        return by_table(numbers, i, arm, rounds)

    return {"chance": by_chance, "pull": by_pull, "round": by_round}[kind]
