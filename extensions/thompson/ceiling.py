"""Writes ceilings: certificates of an upper bound on the eps of Thompson sampling.

For long runs, the checker computes the bound by a static potential (`potential`). The ceiling then contains the price
of a round for either side of the change, and the checker computes one number for each pull count from it. For short
runs, the checker computes the whole threshold game (`ceilings`), in integers. The ceiling then contains choices that
make the bound sharp, taken from the computation in doubles: where the tangents of a round are close, and how far a
round without a pull moves the ratio (`pull_levels.Level`). The correctness of the bound does not depend on these
choices.
"""

from __future__ import annotations

from math import ceil, exp, log
from typing import Any

import numpy as np

from dpbandits.extensions.thompson.bound import Upper, certified_curve
from dpbandits.extensions.thompson.ceilings import game as ceiling_game
from dpbandits.extensions.thompson.ceilings import prices as ceiling_prices
from dpbandits.extensions.thompson.ceilings import rounds as ceiling_rounds
from dpbandits.extensions.thompson.ceilings import sampler as ceiling_sampler
from dpbandits.extensions.thompson.ceilings import statement as ceiling_statement
from dpbandits.extensions.thompson.grids import Grid
from dpbandits.extensions.thompson.moments import totals_sharing_coins
from dpbandits.extensions.thompson.potential import static_moments
from dpbandits.extensions.thompson.ratios import RATIO_COIN_SPAN, layers
from dpbandits.extensions.thompson.rules import Sampler

CEILING_CLAIM_ID = "own/thompson"  # no claim of a ledger: a ceiling stands for itself
WIDTHS = {"right": 6, "left": 16}  # between tangents, in units of 1/ceilings.PART deviations
GRID_COARSENING = {"right": 1.0, "left": 3.0}  # the grid of the side that seldom counts
CHORDS = 0.8  # as of `bound`: all chords together cost about an eighth of it, in log delta
MIN_CEILING_STEPS = 400  # at least so many steps from ratio 0 to the last
MOST_CELLS = 0.98 * ceiling_statement.SIZE_LIMITS["cells"]
LEAST_STEP = 0.04
MIN_DELTA_SHARE = 1e-3  # values are told apart down to this share of delta
MAX_GRID_RATIO = 8.0
FOLLOWED_PULL_LEVELS = (26, 1.5)  # pull counts that are followed: so many, or this times sqrt(T)
MAX_CEILING_ROUNDS = 1000  # rounds: more take the checker hours, and are bounded by prices


def ceiling(
    sampler: Sampler, delta: float, relation: str = "pull", least_steps: int = MIN_CEILING_STEPS
) -> dict[str, Any]:
    """Returns a certificate of an upper bound on eps, with the smallest eps that the checker accepts.

    Beyond MAX_CEILING_ROUNDS rounds it contains prices. For more than two arms it holds for any number. least_steps: of
    the grid, at least so many from ratio 0 to the last one; with fewer, it is found and checked faster. Raises
    ValueError if no round follows the changed reward, and if the checker does not accept such numbers.
    """
    sampler = sampler if sampler.arms == 2 else sampler._replace(arms=None)
    if sampler.rounds < 1:
        raise ValueError(
            "no certificate of the bound is needed: there is no round after the changed reward, so the policy reveals "
            "nothing about it"
        )
    try:
        if sampler.horizon > MAX_CEILING_ROUNDS:
            return priced_ceiling(sampler, delta, relation)
        found = subject(sampler, delta, relation) | {"games": games(sampler, delta, relation, least_steps)}
        return found | {"eps": least_eps(found, delta)}
    except ceiling_sampler.Rejected as error:
        raise ValueError(f"no certificate of the bound can be written for these parameters ({error})") from None


def games(sampler: Sampler, delta: float, relation: str, least_steps: int = MIN_CEILING_STEPS) -> list[dict[str, Any]]:
    """Returns the settings of the checker's computation (`ratio`, `spans`, ...) for the right and the left side."""
    bound = certified_curve(sampler, relation, smallest=delta * MIN_DELTA_SHARE)
    return [game(sampler, bound, delta, side, least_steps) for side in ("right", "left")]


def subject(sampler: Sampler, delta: float, relation: str) -> dict[str, Any]:
    """The fields of a ceiling certificate with its sampler, relation, horizon and delta; eps is filled in later."""
    return {
        "type": "ceiling",
        "claim": CEILING_CLAIM_ID,
        "policy": {"name": "gaussian-thompson", "prepulls": sampler.prepulls, "variance": repr(sampler.variance)},
        "arms": 2 if sampler.arms == 2 else "any",
        "relation": relation,
        "horizon": sampler.horizon,
        "eps": "0",
        "delta": repr(delta),
    }


def priced_ceiling(sampler: Sampler, delta: float, relation: str = "pull") -> dict[str, Any]:
    """Returns a ceiling certificate for a run of any length: two prices of a round and the smallest valid eps.
    It contains only the prices of a round for the two sides, and the smallest eps that the checker accepts with
    them."""
    prices = []
    for side in ("right", "left"):
        known = static_moments(sampler, side)
        best = int(np.argmin((known.log_bounds(0.0) - log(delta)) / known.orders))
        lam, price = float(known.orders[best]), float(known.prices[best])
        prices.append({"higher": side, "lam": f"{lam:.6g}", "price": f"{price:.6g}"})
    found = subject(sampler, delta, relation) | {"prices": prices}
    about = ceiling_statement.read_subject(found, ceiling_prices.LONGEST_RUN, ceiling_prices.LARGEST_EPS)
    eps = ceiling_prices.least_eps(about.sampler, about.delta, ceiling_prices.read_prices(found))
    return found | {"eps": f"{ceil(eps * 10**6)}e-6"}


def least_eps(found: dict[str, Any], delta: float) -> str:
    """Returns, as text, the smallest eps to six decimals at which the checker's value is at most delta.
    Returns it as text."""
    sampler, relation, games, _, _ = ceiling_statement.read_ceiling(found)
    starts = [ceiling_game.start(sampler, relation, choices) for choices in games]
    target, low, high = (
        ceiling_statement.read_nonnegative(found["delta"], "delta"),
        0,
        int(1e6 * min(g.below * g.log for g, _ in starts)),
    )

    def enough(millionths: int) -> bool:
        """Whether the checker's value at eps = millionths/10^6 is at most delta."""
        eps = ceiling_statement.read_nonnegative(f"{millionths}e-6", "eps")
        return all(grid.at(row, eps) <= target for grid, row in starts)

    if not enough(high):
        raise ValueError(f"the checker finds no finite eps at delta = {delta:g}; give a larger delta")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return f"{high}e-6"


def game(sampler: Sampler, bound: Upper, delta: float, side: str, least_steps: int) -> dict[str, Any]:
    """Returns the settings of the checker's computation (`ratio`, `spans`, ...) for one side of the change."""
    reach = bound.eps(delta * MIN_DELTA_SHARE)
    fall = log(10) / max(bound.eps(delta / 10) - bound.eps(delta), 1e-3)
    step = (
        min(reach / least_steps, max((CHORDS / (sampler.horizon * fall * (fall + 1))) ** 0.5, LEAST_STEP))
        * GRID_COARSENING[side]
    )
    step = min(max(step, (reach + MAX_GRID_RATIO) / MOST_CELLS), log(2) - 1e-6)  # what the checker takes
    ratio = f"{exp(step):.6f}"
    below, above = ceil(reach / log(float(ratio))) + 1, ceil(MAX_GRID_RATIO / log(float(ratio)))
    grid = Grid(step, below, above, delta * MIN_DELTA_SHARE)
    least, share = FOLLOWED_PULL_LEVELS
    levels = min(max(sampler.rounds, 1), max(least, int(share * sampler.horizon**0.5)))
    rows: dict[int, list[list[Any]]] = {}
    for layer in layers(sampler, side, grid, levels, 0.1 * GRID_COARSENING[side], bound.powers[side]):
        rows[layer.total] = [coin_row(layer.levels[n]) for n in sorted(layer.game)]
    return {
        "higher": side,
        "ratio": ratio,
        "below": below,
        "above": above,
        "last": sampler.first + levels,
        "width": WIDTHS[side],
        "spans": [
            {"top": top, "rows": rows[totals[len(totals) // 2]]}
            for top, totals in totals_sharing_coins(sampler, RATIO_COIN_SPAN)
        ],
    }


def coin_row(level: Any) -> list[Any]:
    """Returns the numbers [first, last, factor] that a ceiling certificate stores for the coins of one pull count.
    Tangents are close between these two thresholds, and a round without a pull multiplies P/Q by about the factor."""
    first, last = (
        min(max(round(x * ceiling_rounds.PART), ceiling_rounds.FIRST_THRESHOLD), ceiling_rounds.LAST_THRESHOLD)
        for x in level.near
    )
    return [first, last, f"{min(exp(level.drift), 4.0):.6f}"]
