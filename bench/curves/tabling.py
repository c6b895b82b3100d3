"""How the table of kept curves is made: `make curves` computes the rows that it has not, each by the engine.

A row needs nothing but its question to be computed again; an attack is kept with its tables, so that anybody can
evaluate it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from dpbandits.extensions.thompson.ascent import worst_tables
from dpbandits.extensions.thompson.bound import certified_curve
from dpbandits.extensions.thompson.ceilings.verification import decimal_at_least
from dpbandits.extensions.thompson.curve_table import (
    KEPT_DELTAS,
    LARGE_KEPT_DELTAS,
    REWARD_UNITS,
    TABLE_FILE,
    CurveTable,
    KeptAttack,
    KeptCurve,
    read_table,
    tabled_eps,
)
from dpbandits.extensions.thompson.formatting import four_digits_down
from dpbandits.extensions.thompson.initial_tables import followed_pulls
from dpbandits.extensions.thompson.rules import Sampler, theorem_eps
from dpbandits.reference.bandits.noise import Array

HORIZONS = (100, 200, 300, 500, 1000)
VARIANCES = (16.0, 64.0, 4.0, 1.0, 2.0, 8.0, 32.0, 0.5, 128.0, 256.0)  # with b = 0; what serves most comes first
PREPULLS = (1, 3, 10, 30)  # with c = 1
MANY_ROUNDS = 200  # beyond, rows take long, and some of these are left out
KEPT_DIGITS = 5
FEW_ARMS = (3, 4)  # arms that have rows of their own,
FEW_ARMS_ROWS = ((1000, 1.0), (500, 1.0), (300, 1.0), (1000, 16.0), (100, 16.0))  # for these rounds and variances
MU_ROWS = 2, "pull"  # where large deltas are kept as well
KEPT_ATTACK_DELTAS = (1e-3, 1e-6, 1e-9)
WALKED_TABLES = 80  # on the way uphill of an attack


def grid_questions() -> Iterator[tuple[Sampler, str]]:
    """The curves that are kept; what is asked most, and serves most questions, comes first. A row for any number of
    arms, or more than two, holds for either relation."""
    for horizon in HORIZONS:
        yield Sampler(horizon, 2), "pull"
        yield Sampler(horizon), "round"
    for horizon in reversed(HORIZONS):
        short = horizon <= MANY_ROUNDS
        for variance in VARIANCES if short else VARIANCES[:7]:
            yield Sampler(horizon, 2, 0, variance), "pull"
            yield Sampler(horizon, None, 0, variance), "round"
        for variance in VARIANCES[:4]:
            yield Sampler(horizon, 2, 0, variance), "round"
        for prepulls in PREPULLS if short else PREPULLS[1::2]:
            yield Sampler(horizon, 2, prepulls), "pull"
            yield Sampler(horizon, None, prepulls), "round"
    for horizon, variance in FEW_ARMS_ROWS:
        for arms in FEW_ARMS:
            yield Sampler(horizon, arms, 0, variance), "round"


def grid_attacks() -> Iterator[tuple[Sampler, float]]:
    """The attacks that are kept: on two arms, one pull changed."""
    for horizon in HORIZONS:
        for delta in KEPT_ATTACK_DELTAS:
            yield Sampler(horizon, 2), delta


def grid_order() -> list[tuple[Sampler, Any]]:
    """Curves with c = 1 and b = 0, attacks on those, the other curves."""
    curves = list(dict.fromkeys(grid_questions()))
    return [*curves[: 2 * len(HORIZONS)], *grid_attacks(), *curves[2 * len(HORIZONS) :]]


def digits_up(value: float) -> float:
    """Rounded up to KEPT_DIGITS digits."""
    return float(decimal_at_least(Fraction(value), KEPT_DIGITS)) if 0 < value < np.inf else value


def computed_curve(sampler: Sampler, relation: str) -> KeptCurve:
    """A row of the table, as the engine computes it."""
    bound = certified_curve(sampler, relation)
    eps = tuple(digits_up(bound.eps(delta)) for delta in KEPT_DELTAS)
    large = (
        tuple(digits_up(bound.eps(delta)) for delta in LARGE_KEPT_DELTAS) if (sampler.arms, relation) == MU_ROWS else ()
    )
    return KeptCurve(sampler, relation, min(digits_up(float(bound.delta(0.0))), 1.0), eps, large)


def computed_row(sampler: Sampler, about: Any) -> KeptCurve | KeptAttack:
    """A curve, under the relation `about`; or an attack, at the delta `about`."""
    return computed_curve(sampler, about) if isinstance(about, str) else computed_attack(sampler, about)


def computed_attack(sampler: Sampler, delta: float) -> KeptAttack:
    """The worst tables that an ascent finds, and what they show."""
    highest = min(theorem_eps(sampler, delta), tabled_eps(sampler, "pull", delta)[0])
    levels = sampler.first + followed_pulls(sampler.horizon)
    bad = worst_tables(sampler, delta, levels, WALKED_TABLES, highest)
    first, second = (tuple(runs_of_units(side)) for side in bad.pair.left[:, : sampler.horizon])
    return KeptAttack(sampler, delta, float(four_digits_down(bad.attack.eps(delta))), (first, second))


def runs_of_units(rewards: Array) -> Iterator[tuple[int, int]]:
    """How many equal rewards follow each other, and how many REWARD_UNITS they are."""
    units = np.rint(rewards * REWARD_UNITS).astype(int)
    assert (units == rewards * REWARD_UNITS).all(), "the ascent's rewards are multiples of this unit"
    for unit, some in groupby(units.tolist()):
        yield len(list(some)), unit


def table_text(table: CurveTable) -> str:
    """The file: a row a line."""
    curves, attacks = (",\n".join(map(row_text, rows)) for rows in (table.curves, table.attacks))
    return f'{{"curves": [\n{curves}\n],\n"attacks": [\n{attacks}\n]}}\n'


def row_text(row: KeptCurve | KeptAttack) -> str:
    found = {name: value for name, value in row._asdict().items() if name != "large" or value}
    return json.dumps(found.pop("sampler")._asdict() | found)


def fill_table(anew: bool, jobs: int) -> None:
    """Compute what the table has not, or all of it anew; each row is written down when it is there. Attacks on longer
    runs took hundreds of steps uphill (bench/attacks.py), and stay."""
    longer = tuple(one for one in read_table().attacks if one.sampler.horizon > HORIZONS[-1])
    table = CurveTable((), longer) if anew else read_table()
    known: set[Any] = {(one.sampler, one.relation) for one in table.curves}
    known |= {(one.sampler, one.delta) for one in table.attacks}
    asked = [each for each in grid_order() if each not in known]
    for row in Parallel(n_jobs=jobs, return_as="generator_unordered")(delayed(computed_row)(*each) for each in asked):
        curves, attacks = (row,) if isinstance(row, KeptCurve) else (), (row,) if isinstance(row, KeptAttack) else ()
        table = written_table(CurveTable((*table.curves, *curves), (*table.attacks, *attacks)))


def written_table(table: CurveTable) -> CurveTable:
    """The table in the grid's order, written down."""
    places = {each: place for place, each in enumerate(grid_order())}
    curves = sorted(table.curves, key=lambda one: places.get((one.sampler, one.relation), len(places)))
    attacks = sorted(table.attacks, key=lambda one: places.get((one.sampler, one.delta), len(places)))
    ordered = CurveTable(tuple(curves), tuple(attacks))
    TABLE_FILE.write_text(table_text(ordered), "utf-8")
    print(f"{len(curves)} curves, {len(attacks)} attacks", file=sys.stderr, flush=True)
    return ordered


if __name__ == "__main__":
    fill_table("--anew" in sys.argv[1:], jobs=2)
