"""The table of precomputed privacy curves delta(eps) of Thompson samplers. For a sampler that is not in the table, a
row of a sampler that is at most as private gives a valid bound immediately.

A row bounds delta(eps) of its own sampler, and (docs/explanation/threshold_game.md, section 3) of samplers with fewer
rounds, more variance or more pre-pulls, and with any number of arms if the row holds for any. Rows for two arms and
relation "pull" bound such samplers with the same b alone; a row for relation "round" serves "pull" as well. Lower
bounds in the table also hold for more rounds, with the same b and c.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dpbandits.extensions.thompson.bound import Upper
from dpbandits.extensions.thompson.moments import Moments
from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.reference.bandits.adjacency import Pair, flipped

TABLE_FILE = Path(__file__).with_suffix(".json")
MANTISSAS = ("8", "6.3", "5", "4", "3.2", "2.5", "2", "1.6", "1.25", "1")
KEPT_DELTAS = tuple(float(f"{each}e-{place}") for place in range(1, 13) for each in MANTISSAS)  # 0.8 to 1e-12
REWARD_UNITS = 1024  # rewards of kept tables are multiples of 1/REWARD_UNITS
LARGE_KEPT_DELTAS = (0.995, 0.99, *(round(1 - k / 50, 2) for k in range(1, 26)))  # what mu hangs on


class KeptCurve(NamedTuple):
    """A row: the certified curve of a sampler. at_zero: the bound on delta(0). eps: at each of KEPT_DELTAS; inf for
    none. large: at each of LARGE_KEPT_DELTAS, in some rows; otherwise empty."""

    sampler: Sampler
    relation: str
    at_zero: float
    eps: tuple[float, ...]
    large: tuple[float, ...] = ()

    def serves(self, sampler: Sampler, relation: str) -> bool:
        """Whether this row's curve is also an upper bound for the requested sampler."""
        (T, K, b, c), (horizon, arms, prepulls, variance) = self.sampler, sampler
        if horizon > T or c > variance or K not in (None, arms) or (self.relation, relation) == ("pull", "round"):
            return False
        return b == prepulls if (K, self.relation) == (2, "pull") else b <= prepulls


class KeptAttack(NamedTuple):
    """The result of two tables for two arms with one changed pull: the first reward of arm 0, from 0 to 1.

    eps: no smaller eps is private at delta. rewards: of either arm, in runs (length, reward in units of
    1/REWARD_UNITS).
    """

    sampler: Sampler
    delta: float
    eps: float
    rewards: tuple[tuple[tuple[int, int], ...], ...]

    @property
    def pair(self) -> Pair:
        """The pair of reward tables that the stored attack distinguishes."""
        arms = [np.repeat([units for _, units in runs], [many for many, _ in runs]) for runs in self.rewards]
        return flipped("pull", np.stack(arms) / REWARD_UNITS, 0, 0, 1.0)

    def serves(self, sampler: Sampler, relation: str, delta: float) -> bool:
        """Whether the attack, made for another sampler, also holds for the requested sampler.
        It does if that sampler is no more private at delta than this one.

        The policy does not use the horizon: its first T rounds in a longer run have the same law as a run of T rounds.
        So any event S of T rounds is one of the longer run, with the same two probabilities on tables that begin with
        these; P(S) > e^eps Q(S) + delta holds for both.
        """
        same = (sampler.prepulls, sampler.variance) == (self.sampler.prepulls, self.sampler.variance)
        told = sampler.arms in (2, None) and relation == "pull"
        return same and told and self.sampler.horizon <= sampler.horizon and delta <= self.delta


class CurveTable(NamedTuple):
    """All precomputed curves and attacks."""

    curves: tuple[KeptCurve, ...]
    attacks: tuple[KeptAttack, ...]


@cache
def read_table() -> CurveTable:
    """Reads the table that belongs to the package; an empty table if the file does not exist yet."""
    if not TABLE_FILE.exists():
        return CurveTable((), ())
    found = json.loads(TABLE_FILE.read_text("utf-8"))
    curves = (
        KeptCurve(sampler_of_row(row), row["relation"], row["at_zero"], tuple(row["eps"]), tuple(row.get("large", ())))
        for row in found["curves"]
    )
    attacks = (
        KeptAttack(
            sampler_of_row(row),
            row["delta"],
            row["eps"],
            tuple(tuple((many, units) for many, units in side) for side in row["rewards"]),
        )
        for row in found["attacks"]
    )
    return CurveTable(tuple(curves), tuple(attacks))


def sampler_of_row(row: dict[str, Any]) -> Sampler:
    """The sampler for which a row of the table was computed."""
    return Sampler(row["horizon"], row["arms"], row["prepulls"], row["variance"])


def applicable_rows(sampler: Sampler, relation: str) -> tuple[KeptCurve, ...]:
    """Returns the rows of the table whose curves are upper bounds for the requested sampler."""
    return tuple(one for one in read_table().curves if one.serves(sampler, relation))


def tabled_curve(sampler: Sampler, relation: str = "pull") -> Upper | None:
    """Returns the smallest upper bound on the sampler's delta(eps) that the table contains; None if no row applies.

    The bound is looser than that of `certified_curve` if the table has no row for exactly this sampler, and gives
    nothing for a delta below 1e-12.
    """
    rows = applicable_rows(sampler, relation)
    return least_of_rows(rows, sampler, relation) if rows else None


def least_of_rows(rows: Sequence[KeptCurve], sampler: Sampler, relation: str) -> Upper:
    """Returns the smallest upper bound on the sampler's delta(eps) that these rows of the table give together."""
    large = [one.large for one in rows if one.large]
    eps = np.append(np.minimum.reduce([one.eps for one in rows]), np.minimum.reduce(large) if large else [])
    at, delta = np.append(0.0, eps), np.append(min(one.at_zero for one in rows), KEPT_DELTAS)
    delta = np.append(delta, LARGE_KEPT_DELTAS if large else [])
    order = np.argsort(at, kind="stable")
    at, delta = at[order], np.minimum.accumulate(delta[order])  # where delta(0) lies below some that are kept
    last_of_equals = np.append(np.diff(at) > 0, True) & (at < inf)
    at, delta = at[last_of_equals], delta[last_of_equals]
    nothing = Moments(np.array([2.0]), np.array([inf]), np.zeros((1, 1)))
    curve = np.append(at, at[-1] + 1.0), np.append(delta, delta[-1])
    return Upper(sampler, relation, {"kept": nothing}, {"kept": curve})


def tabled_eps(
    sampler: Sampler, relation: str, delta: float, rows: Sequence[KeptCurve] | None = None
) -> tuple[float, KeptCurve | None]:
    """Returns the smallest eps at delta that one row of the table certifies, and this row.
    inf and None if there is none. Between two tabled deltas, only the rows that are best at one of them are used. rows:
    those of the table by default."""
    rows = applicable_rows(sampler, relation) if rows is None else rows
    if not rows or delta < KEPT_DELTAS[-1]:
        return inf, None
    place = int(np.argmax(np.array(KEPT_DELTAS) <= delta))  # the next delta that is kept
    beside = (min(rows, key=lambda one: one.eps[k]) for k in dict.fromkeys((place, max(place - 1, 0))))
    told = ((min(row.eps[place], least_of_rows([row], sampler, relation).eps(delta)), row) for row in beside)
    return min(told, key=lambda pair: pair[0])


def tabled_attack(sampler: Sampler, relation: str, delta: float) -> KeptAttack | None:
    """The strongest tabled attack that applies to the sampler; None if there is none."""
    some = [one for one in read_table().attacks if one.serves(sampler, relation, delta)]
    return max(some, key=lambda one: one.eps, default=None)


def tabled_bracket(sampler: Sampler, eps: float, delta: float, relation: str) -> tuple[float, float]:
    """Returns variances (low, high): by the table, eps is certified at delta with `high` and not with `low`.
    With `low` it does not, although it has a row for exactly this question. 0 and inf stand for no such variance."""
    high, low = inf, 0.0
    for variance in sorted({one.sampler.variance for one in read_table().curves}):
        asked = sampler._replace(variance=variance)
        found, row = tabled_eps(asked, relation, delta)
        if found <= eps:
            return low, variance
        low = variance if row is not None and row.sampler == asked else low
    return low, high
