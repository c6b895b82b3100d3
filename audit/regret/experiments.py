"""An experiment: the runs of its settings, played once for all claims about it, and a quantity in each of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from dpbandits.audit.play.runs import RunBatch, batches, gathered
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.bandits.policy import Ints
from dpbandits.reference.bandits.quantities import Quantity, Runs

Settings = tuple[tuple[str, tuple[Any, Any]], ...]  # label, and policy or pair of policies, with their environment
BatchRuns = tuple[Ints, Runs]  # what a batch comes to
RunsOfSettings = dict[tuple[Any, Any], Runs]  # by policy and environment


def experiment(settings: Settings, quantity: Quantity, runs: int, seed: int) -> dict[str, Array]:
    """The quantity in every run of every setting, by label."""
    return values_of(settings, quantity, remembered_runs(settings, runs, seed))


def values_of(settings: Settings, quantity: Quantity, played: RunsOfSettings) -> dict[str, Array]:
    """The quantity in every run of every setting, by label. A setting whose policy is a pair of policies stands for the
    difference (first minus second). Row i of all settings belongs to one repetition; rows are independent."""
    found, of = dict[str, Array](), quantity.of
    for label, (policy, environment) in settings:
        if isinstance(policy, tuple):
            one, other = (of(each, environment, played[each, environment]) for each in policy)
            found[label] = one - other
        else:
            found[label] = of(policy, environment, played[policy, environment])
    return found


class Table(NamedTuple):
    """The policies that are played in one environment, side by side, and the batches of their runs."""

    environment: Any
    policies: tuple[Any, ...]
    batches: list[RunBatch]


def tables_of(settings: Settings, runs: int, seed: int) -> list[Table]:
    """Everything that has to be played for these settings."""
    by_environment: dict[Any, list[Any]] = {}
    for _, (policy, environment) in settings:
        chosen = by_environment.setdefault(environment, [])
        chosen += [each for each in (policy if isinstance(policy, tuple) else (policy,)) if each not in chosen]
    return [
        Table(environment, (many := tuple(policies)), batches(many, environment, runs, address(seed, "experiment", k)))
        for k, (environment, policies) in enumerate(by_environment.items())
    ]


def gathered_runs(tables: Sequence[Table], runs: int, parts: Iterable[BatchRuns]) -> RunsOfSettings:
    """The runs of every policy in its environment, from what all batches came to, in order."""
    rest, out = iter(parts), RunsOfSettings()
    for table in tables:
        played = gathered(table.policies, [next(rest) for _ in table.batches], runs)
        out |= {(policy, table.environment): each for policy, each in zip(table.policies, played, strict=True)}
    return out


@lru_cache(maxsize=8)
def remembered_runs(settings: Settings, runs: int, seed: int) -> RunsOfSettings:
    """The experiment, played: a pure function of its arguments, remembered because several claims speak of one."""
    tables = tables_of(settings, runs, seed)
    return gathered_runs(tables, runs, (batch.played() for table in tables for batch in table.batches))
