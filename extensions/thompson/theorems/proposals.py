"""Chooses the Rocq theorem with the smallest eps for a question about Thompson sampling. The numbers in the theorem are
searched for in floating point; its proof does not rely on that arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, log
from typing import Any, NamedTuple

import numpy as np

from dpbandits.extensions.thompson.ceiling import games as ceiling_games
from dpbandits.extensions.thompson.potential import static_moments
from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.extensions.thompson.theorems.game_values import LARGEST_GAME_EPS, ROUNDINGS, GameTheorem, game_theorem
from dpbandits.extensions.thompson.theorems.instances import Prices, certified_eps, levels_of

LONGEST_PROVED = 3000  # rounds of a theorem
PLAYED_ROUNDS = range(3, 1001)  # of a theorem by the game's value: what the kernel has been timed with
LARGEST_ROUNDING = 0.2  # of delta: no theorem by the game's value where its whole numbers round up by more
FINE_ROUNDS = 100  # longer games have fewer states and tangents than their ceiling, so that the kernel takes minutes


class Coarser(NamedTuple):
    """What a longer game has. widths: between tangents, in 1/64 deviations. levels: pull counts that are followed, so
    many times sqrt(T), and LEAST_LEVELS at least. grid: so many steps of the ceiling's grid of ratios become one."""

    widths: Mapping[str, int]
    levels: float
    grid: float


COARSER_TWO = Coarser({"right": 10, "left": 24}, 0.75, 1.0)  # for two arms
COARSER_ANY = Coarser({"right": 8, "left": 20}, 1.0, 1.5)  # for any number of arms
LEAST_LEVELS = 20
DEAREST_PRICE = 64.0  # times the price that is best in doubles; dearer ones are not tried
PRICE_STEPS, ORDER_STEPS = (1.1, 1.25, 1.5, 2.0), (0.8, 1.25)


def proposed_prices(sampler: Sampler, delta: float) -> Prices:
    """Returns the prices for the theorem with the smallest eps at delta that a search found, for either relation.
    It is about any number of arms, unless there are two. Raises ValueError for a sampler without such a theorem."""
    if sampler.prepulls or sampler.variance != 1:
        game = f"{PLAYED_ROUNDS[0]} to {PLAYED_ROUNDS[-1]} rounds, delta from T/10^12, pre-pulls below T/2"
        raise ValueError(
            f"Rocq theorems are available only for b = 0 and c = 1, and for runs with {game}, "
            f"eps up to {LARGEST_GAME_EPS}"
        )
    if sampler.horizon > LONGEST_PROVED:
        raise ValueError(
            f"horizon T = {sampler.horizon} is too long; Rocq theorems are available only for T <= {LONGEST_PROVED}"
        )
    asked = Sampler(max(sampler.horizon, 2), 2 if sampler.arms == 2 else None)
    known = static_moments(asked, "right")
    best = int(np.argmin((known.log_bounds(0.0) - log(delta)) / known.orders))
    order, price = float(known.orders[best]), float(known.orders[best] * known.prices[best])
    first, factor = None, 1.0
    while first is None and factor < DEAREST_PRICE:
        first = eps_and_prices(sampler, order, price * factor, delta)
        factor *= PRICE_STEPS[0]
    tried = [
        first,
        *(eps_and_prices(sampler, order, price * factor * more, delta) for more in PRICE_STEPS),
        *(eps_and_prices(sampler, order * more, price * factor * more, delta) for more in ORDER_STEPS),
    ]
    return min(each for each in tried if each is not None)[1]


def proposed_game(sampler: Sampler, delta: float, relation: str) -> GameTheorem | None:
    """Returns the theorem, proved by computing the threshold game's value, with the smallest eps found at delta.
    It is about any number of arms, unless there are two. None unless the horizon is in PLAYED_ROUNDS, a round follows
    the pre-pulls, and delta is large enough for the rounding. If no eps up to LARGEST_GAME_EPS is found, ValueError is
    raised for two arms; for any number of arms, None is returned."""
    horizon, variance = sampler.horizon, Fraction(repr(sampler.variance))
    two = sampler.arms == 2
    if not two:
        sampler = sampler._replace(arms=None)
    if sampler.rounds < 1 or horizon not in PLAYED_ROUNDS:
        return None
    if horizon * ROUNDINGS > LARGEST_ROUNDING * delta:
        return None
    games = ceiling_games(sampler, delta, relation)
    if horizon > FINE_ROUNDS:
        games = [coarser_settings(each, sampler) for each in games]
    try:
        return game_theorem(horizon, variance, sampler.prepulls, two, relation, Fraction(repr(delta)), games)
    except ValueError:
        if two:
            raise
        return None  # prices may prove a larger eps


def coarser_settings(choices: Mapping[str, Any], sampler: Sampler) -> dict[str, Any]:
    """Returns a ceiling's settings for one side with fewer pull counts, tangents and ratios, to save the kernel's
    time."""
    coarser = COARSER_TWO if sampler.arms == 2 else COARSER_ANY
    levels = max(LEAST_LEVELS, int(coarser.levels * sampler.horizon**0.5))
    fewer = {**choices, "width": coarser.widths[choices["higher"]], "last": sampler.first + levels}
    if coarser.grid == 1:
        return fewer
    places = {name: ceil(choices[name] / coarser.grid) for name in ("below", "above")}
    return {**fewer, "ratio": f"{float(choices['ratio']) ** coarser.grid:.6f}", **places}


def eps_and_prices(sampler: Sampler, order: float, price: float, delta: float) -> tuple[Fraction, Prices] | None:
    """Returns the smallest eps for this order and price of a round, and the prices of the theorem that states it.
    None if the price is too small."""
    exact = Fraction(f"{order:.2g}"), Fraction(f"{price:.3g}"), Fraction(repr(delta))
    prices = Prices(sampler.horizon, *exact, sampler.arms == 2)
    try:
        return certified_eps(prices, levels_of(prices)), prices
    except ValueError:
        return None
