"""How the table behind the picture on the report's overview is made: bounds on the eps of Thompson sampling by horizon.

Bounds for EXACT_HORIZONS are those of the threshold game. For STATIC_HORIZONS they are those of the static potential,
which is looser and takes a second, where the game would take minutes. Kept curves and attacks are used where there are
some; the rest takes about two minutes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

from joblib import Parallel, delayed

from dpbandits.extensions.thompson.answers import followed_pull_counts, thompson_privacy
from dpbandits.extensions.thompson.attack import attack
from dpbandits.extensions.thompson.bound import certified_curve, static_bound
from dpbandits.extensions.thompson.curve_table import read_table, tabled_eps
from dpbandits.extensions.thompson.formatting import four_digits_down, four_digits_up
from dpbandits.extensions.thompson.overview import HORIZON_FILE
from dpbandits.extensions.thompson.rules import Sampler, theorem_eps

DELTAS = (1e-3, 1e-5, 1e-6, 1e-9)
EXACT_HORIZONS = (10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000)
STATIC_HORIZONS = (3000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)
ATTACK_HORIZONS = (10, 20, 30, 50, 100, 200, 300, 500, 1000, 10_000)
SEARCHED_DELTA = 1e-6  # an attack is searched for at this delta, and evaluated at the others


def upper_bounds(sampler: Sampler) -> list[float]:
    """The certified eps at each of DELTAS, rounded up to four digits."""
    if sampler.horizon in STATIC_HORIZONS:
        found = static_bound(sampler, "pull")
        return [float(four_digits_up(found.eps(delta))) for delta in DELTAS]
    kept = [tabled_eps(sampler, "pull", delta) for delta in DELTAS]
    if all(row is not None and row.sampler.horizon == sampler.horizon for _, row in kept):
        return [float(four_digits_up(eps)) for eps, _ in kept]
    exact = certified_curve(sampler, "pull", min(DELTAS) / 1000)
    return [float(four_digits_up(exact.eps(delta))) for delta in DELTAS]


def lower_bounds(horizon: int) -> list[float]:
    """What attacks on two arms show at each of DELTAS, rounded down to four digits."""
    sampler = Sampler(horizon, 2)
    kept = [one for one in read_table().attacks if one.sampler == sampler]
    if not kept:
        worst = thompson_privacy(sampler, SEARCHED_DELTA, exact=True).worst
        assert worst is not None
        return [float(four_digits_down(worst.eps(delta))) for delta in DELTAS]
    reach = (-12.0, 1.2 * max(one.eps for one in kept) + 30.0)
    pairs = [attack(sampler, one.pair, levels=followed_pull_counts(sampler), reach=reach) for one in kept]
    shown = [max(each.eps(delta) for each in pairs) for delta in DELTAS]
    return [float(four_digits_down(eps)) for eps in shown]


def table_rows(jobs: int) -> Iterator[dict[str, object]]:
    """A row for each horizon: horizon, method, theorem, two_arms, any_arms, and attack where there is one."""
    horizons = EXACT_HORIZONS + STATIC_HORIZONS
    asked = [Sampler(horizon, arms) for horizon in horizons for arms in (2, None)]
    pool = Parallel(n_jobs=jobs)
    bounds = dict(zip(asked, pool(delayed(upper_bounds)(each) for each in asked), strict=True))
    attacks = dict(zip(ATTACK_HORIZONS, pool(delayed(lower_bounds)(each) for each in ATTACK_HORIZONS), strict=True))
    for horizon in horizons:
        row = {
            "horizon": horizon,
            "method": "potential" if horizon in STATIC_HORIZONS else "ratios",
            "theorem": [float(four_digits_up(theorem_eps(Sampler(horizon), delta))) for delta in DELTAS],
            "two_arms": bounds[Sampler(horizon, 2)],
            "any_arms": bounds[Sampler(horizon)],
        }
        yield row | ({"attack": attacks[horizon]} if horizon in attacks else {})


def write_table(jobs: int) -> None:
    rows = ",\n".join(map(json.dumps, table_rows(jobs)))
    HORIZON_FILE.write_text(f'{{"deltas": {json.dumps(DELTAS)},\n"rows": [\n{rows}\n]}}\n', "utf-8")


if __name__ == "__main__":
    write_table(jobs=int(sys.argv[1]) if sys.argv[1:] else 2)
