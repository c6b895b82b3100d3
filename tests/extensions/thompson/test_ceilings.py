"""Ceilings: the checker of upper ends is never below the truth, as sharp as the bound, and refuses what is forged."""

from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from click.testing import CliRunner
from scipy.special import ndtr
from test_game import EPS, hull, worst

from dpbandits import Sampler
from dpbandits.audit.cli.command_line import main
from dpbandits.extensions.thompson import ceiling as maker
from dpbandits.extensions.thompson.bound import certified_curve
from dpbandits.extensions.thompson.ceilings import game as ceiling_game
from dpbandits.extensions.thompson.ceilings import numbers as ceiling_numbers
from dpbandits.extensions.thompson.ceilings import prices as ceiling_prices
from dpbandits.extensions.thompson.ceilings import rounds as ceiling_rounds
from dpbandits.extensions.thompson.ceilings import sampler as ceiling_sampler
from dpbandits.extensions.thompson.ceilings import statement as ceiling_statement
from dpbandits.extensions.thompson.ceilings import verification as ceiling_verification
from dpbandits.extensions.thompson.ceilings.numbers import FIXED_POINT_ONE, Ends
from dpbandits.extensions.thompson.ceilings.rounds import FIRST_THRESHOLD, LAST_THRESHOLD, PART, Coin
from dpbandits.extensions.thompson.ceilings.rows import CELL_BITS, VALUE_BITS, WEIGHT_BITS, Grid, Tap, ValueRow

PLAIN = Sampler(6, 2)
SOME = np.array([0.0, 0.3, 0.7, 1.0])


@cache
def made(sampler: Sampler, relation: str = "pull", delta: float = 1e-3) -> dict[str, Any]:
    return maker.ceiling(sampler, delta, relation, 120)  # coarser, and faster


def deltas(found: dict[str, Any], eps: Any) -> np.ndarray:
    """What the checker finds at each eps."""
    sampler, relation, games, _, _ = ceiling_statement.read_ceiling(found)
    starts = [ceiling_game.start(sampler, relation, choices) for choices in games]
    return np.array([max(float(grid.at(row, Fraction(x))) for grid, row in starts) for x in eps])


# -- numbers and rows --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("x", ["-13", "-12", "-89/10", "-31/32", "0", "1/3", "1/32", "115/10", "12", "500"])
def test_phi_is_enclosed(x: str) -> None:
    units = int(Fraction(x) * FIXED_POINT_ONE)
    with mpmath.workprec(600):
        exact = mpmath.ncdf(mpmath.mpf(units) / FIXED_POINT_ONE) * FIXED_POINT_ONE
        found = ceiling_numbers.phi(units)
        assert found.low <= exact <= found.high
        assert found.high - found.low <= (
            2 * ceiling_numbers.OFF if abs(Fraction(x)) < 12 else FIXED_POINT_ONE // 10**30
        )


@pytest.mark.parametrize("x", ["-150", "-89/7", "0", "1/3", "40", "700"])
def test_exp_is_enclosed(x: str) -> None:
    with mpmath.workprec(2000):
        exact = mpmath.exp(mpmath.mpf(Fraction(x).numerator) / Fraction(x).denominator) * FIXED_POINT_ONE
        found = ceiling_numbers.exponential(Fraction(x))
        assert found.low <= exact <= found.high
        assert found.high - found.low <= 4 + exact / 2**280


def test_ends_of_sums_products_and_quotients_are_the_next_units_outwards() -> None:
    """The extremes are taken at corners; sums are exact, and other ends rounded by less than a unit."""
    generator = np.random.default_rng(6)
    for _ in range(100):
        one, two = (Ends(*sorted(int(x * FIXED_POINT_ONE) for x in generator.normal(size=2))) for _ in range(2))
        corners = [(Fraction(a, FIXED_POINT_ONE), Fraction(b, FIXED_POINT_ONE)) for a in one for b in two]
        for found, exact in (
            (one.plus(two), [a + b for a, b in corners]),
            (one.minus(two), [a - b for a, b in corners]),
            (one.times(two), [a * b for a, b in corners]),
            *([(one.over(two), [a / b for a, b in corners])] if two.low > 0 else []),
        ):
            assert found == (math.floor(min(exact) * FIXED_POINT_ONE), math.ceil(max(exact) * FIXED_POINT_ONE))


@pytest.mark.parametrize("square", ["0", "1", "2", "1/4", "1/3", "1e-30", "12345/67"])
def test_roots_are_rounded_up_by_a_unit_at_most(square: str) -> None:
    found, exact = (
        ceiling_numbers.root_rounded_up(Fraction(square)),
        Fraction(square) * FIXED_POINT_ONE * FIXED_POINT_ONE,
    )
    assert (found - 1) ** 2 <= exact < found**2


def cells(grid: Grid, row: int) -> list[int]:
    return [row >> CELL_BITS * i & (1 << CELL_BITS) - 1 for i in range(grid.size)]


def packed(values: list[int]) -> int:
    return sum(value << CELL_BITS * i for i, value in enumerate(values))


def test_rows_are_moved_compared_and_rounded_cell_by_cell() -> None:
    generator = np.random.default_rng(4)
    grid = Grid(Fraction("1.1"), 6, 4)
    one = 1 << VALUE_BITS
    values = [int(x) for x in generator.integers(0, one, grid.size)]
    other = [int(x) for x in generator.integers(0, one, grid.size - 1)] + [values[-1]]
    for k in (0, 1, 3, 10, 11, 40, -1, -4, -10, -11, -40):
        tap = Tap(k, 3 << WEIGHT_BITS - 3, (1 << WEIGHT_BITS - 1) + 5)

        def at(i: int) -> int:
            return one if i >= grid.size else values[max(i, 0)]

        wanted = [at(i + k) * tap.first + at(i + k + 1) * tap.second for i in range(grid.size)]
        if abs(k) >= grid.size:  # what is beyond the grid altogether
            wanted = [at(i + k) * tap.first for i in range(grid.size)]
        assert cells(grid, grid.moved(packed(values), tap)) == wanted
    assert cells(grid, grid.larger(packed(values), packed(other))) == [max(p) for p in zip(values, other, strict=True)]
    sums = [
        (value << WEIGHT_BITS) + extra for value, extra in zip(values[:3], (0, 1, (1 << WEIGHT_BITS) - 1), strict=True)
    ]
    sums += [(one << WEIGHT_BITS) + 1, 2 * one << WEIGHT_BITS]
    assert cells(grid, grid.rounded(packed(sums)))[:5] == [values[0], values[1] + 1, values[2] + 1, one, one]


@pytest.mark.parametrize(("left", "right"), [(0.3, 0.31), (0.7, 0.2), (1e-9, 0.999), (0.999, 1e-12), (0.5, 0.5)])
def test_an_outcome_is_split_with_no_less_mass_and_no_smaller_ratio(left: float, right: float) -> None:
    grid = Grid(Fraction("1.07"), 200, 100)
    here, there = int(1.03 * FIXED_POINT_ONE), int(0.98 * FIXED_POINT_ONE)
    k, *weights = grid.tap(here, there, int(left * FIXED_POINT_ONE), int(right * FIXED_POINT_ONE))
    first, second = (Fraction(weight, 1 << WEIGHT_BITS) for weight in weights)
    z, step = Fraction(right) / Fraction(left) * Fraction(here, there), grid.ratio
    assert Fraction(left) <= first + second <= Fraction(left) + Fraction(3, 1 << WEIGHT_BITS)
    if abs(k) == grid.size:
        assert step**-k * step**-1 <= z if k < 0 else z <= step**-k
        return
    assert step ** -(k + 1) <= z <= step**-k
    share = second / (first + second)
    assert (1 - share + share / step) / step**k <= z * (1 + Fraction(1, 10**6))  # the ratio is hardly lowered, and so
    exact = (1 - z * step**k) / (1 - 1 / step)
    assert first + Fraction(1, 1 << WEIGHT_BITS) >= Fraction(left) * (1 - exact) - Fraction(1, 1 << 100)
    assert second >= Fraction(left) * exact - Fraction(1, 1 << 100)


@pytest.mark.parametrize("above", [1, 4])
def test_a_value_at_any_ratio_is_no_smaller_than_the_row(above: int) -> None:
    """Of a row that is 1/2 everywhere, 1/2 and a rounding at any eps and theta; beyond the last cell it is 1."""
    grid = Grid(Fraction("1.1"), 6, above)
    row = packed([1 << VALUE_BITS - 1] * grid.size)
    found = {
        (eps, cells_ahead): grid.at(ValueRow(row, int(Fraction("1.1") ** cells_ahead * FIXED_POINT_ONE)), eps)
        for eps in (Fraction(0), Fraction(1, 50), Fraction(1, 10), Fraction(3))
        for cells_ahead in range(-1, above + 4)
    }
    assert all(value >= Fraction(1, 2) for value in found.values())
    assert {value for value in found.values() if value > Fraction(51, 100)} == {1}
    assert found[Fraction(0), above + 3] == 1
    assert found[Fraction(3), -1] < Fraction(51, 100)


@pytest.mark.parametrize(("n", "total", "free"), [(1, 1, False), (1, 9, False), (3, 40, False), (4, 9, True)])
def test_the_corners_enclose_the_curve(n: int, total: int, free: bool) -> None:
    sampler = ceiling_sampler.Sampler(50, True, 0, Fraction(7, 10))
    rule = ceiling_rounds.round_limits(sampler, n, total, free)
    coins = ceiling_rounds.corners(rule, (-20, 90), 20)
    p, q = (
        np.array([float(Fraction(one.low + one.high, 2 * FIXED_POINT_ONE)) for one in side])
        for side in zip(*coins, strict=True)
    )
    shift = float(rule.shift) ** 0.5
    low, high = (np.inf if side is None else float(side) ** 0.5 for side in rule[1:])
    x = np.linspace(max(-9, shift - low), min(9, high), 400)[1:-1]
    order = np.lexsort((q, p))
    gap = np.interp(ndtr(-x), *hull(p[order], q[order])) - ndtr(shift - x)
    assert (gap > -1e-14).all()
    assert gap.max() < 0.05


@pytest.mark.parametrize("variance", ["1", "1/4"])
@pytest.mark.parametrize(("n", "total"), [(0, 1), (0, 5), (1, 4), (3, 4), (4, 9), (8, 9)])
def test_who_waits_has_any_chance_of_a_pull_that_means_of_rewards_allow(n: int, total: int, variance: str) -> None:
    """Arm 0's mean is between 0 and n/(n + 1), the other's as well; the sum is linear in the chance of a pull, so that
    what is best is one of the ends. Ahead of it lies what is known after the next round."""
    sampler = ceiling_sampler.Sampler(10, True, 0, Fraction(variance))
    grid = Grid(Fraction("1.1"), 6, 4)
    waiting = ceiling_game.Waiting(sampler, ceiling_sampler.Choices("left", grid.ratio, 6, 4, 20, 10, ()), grid)
    generator = np.random.default_rng(n)
    pulled, other = ([int(x) for x in generator.integers(0, 1 << VALUE_BITS, grid.size)] for _ in range(2))
    waiting.started = dict.fromkeys(range(total + 2), packed(pulled))
    waiting.values = dict.fromkeys(range(total + 2), packed(other))
    waiting.step(total, {})
    rest = total - n
    with mpmath.workdps(40):
        deviation = mpmath.sqrt(
            mpmath.mpf(float(Fraction(variance))) * (mpmath.mpf(1) / (n + 1) + 1 / mpmath.mpf(rest + 1))
        )
        ends = [
            mpmath.ncdf(-mpmath.mpf(rest) / (rest + 1) / deviation),
            mpmath.ncdf(mpmath.mpf(n) / (n + 1) / deviation),
        ]
        best = [max(p * a + (1 - p) * b for p in ends) for a, b in zip(pulled, other, strict=True)]
        for found, exact in zip(cells(grid, waiting.values[n]), best, strict=True):
            assert exact <= found <= exact + 16  # weights are rounded up to 2^-60, of values up to 2^62
    assert waiting.started[n] == waiting.values[n]


# -- the bound ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("sampler", "relation"), [
    (Sampler(4, 2), "pull"), (Sampler(4, 2, variance=0.5), "pull"), (Sampler(4, 2), "round"),
    (Sampler(5, 2, 1), "pull"),
])  # fmt: skip
@pytest.mark.first(1)
def test_never_below_all_tables(sampler: Sampler, relation: str) -> None:
    truth = worst(sampler, relation)
    for known in (sampler, sampler._replace(arms=None)) if sampler == Sampler(4, 2) else (sampler,):
        assert (deltas(made(known, relation), EPS) >= truth).all()


def naive(n: int, left: Any, right: Any, total: int, higher: str) -> Any:
    """The value of the game on two arms for four rounds, by trying many thresholds: never more than the true value."""
    if total == 4:
        return np.maximum(left - right, 0)
    rule = ceiling_rounds.round_limits(ceiling_sampler.Sampler(4, True, 0, Fraction(1)), n, total, False)
    shift, low, high = (float(part or 0) ** 0.5 for part in rule)
    best = 0.0
    for u in np.linspace(shift - low, high, 15):
        p, q = (ndtr(-u), ndtr(shift - u)) if higher == "right" else (ndtr(shift - u), ndtr(-u))
        pulled = naive(n + 1, left * p, right * q, total + 1, higher)
        best = np.maximum(best, pulled + naive(n, left * (1 - p), right * (1 - q), total + 1, higher))
    return best


@pytest.fixture(scope="module")
def tried() -> np.ndarray:
    """One round changed, so that it may begin in any state."""
    states = [(n, total, side) for total in (1, 2, 3) for n in range(1, total + 1) for side in ("right", "left")]
    return np.max([naive(n, np.ones(4), np.exp(SOME), total, side) for n, total, side in states], axis=0)


def small(width: int) -> dict[str, Any]:
    """Four rounds, two arms, a fine grid and tangents so far apart."""
    found = copy.deepcopy(made(Sampler(4, 2), "round"))
    for game in found["games"]:
        game["width"] = width
        for span in game["spans"]:
            span["rows"] = [[-64, 64, "1"]]
    return found


def test_it_is_the_value_of_the_game_and_no_less(tried: np.ndarray) -> None:
    sharp, blunt = (deltas(small(width), SOME) for width in (6, 64))
    assert (sharp >= tried * (1 - 1e-12)).all()
    assert (sharp <= tried * 1.01 + 1e-5).all()
    assert (blunt > sharp * 1.0001).any()


def test_a_checker_without_the_crossings_is_seen(tried: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    """Points of the curve enclose nothing between them: what such a checker finds is less than what can be had."""

    def inscribed(s: int, xs: list[int]) -> list[Coin]:
        return [Coin(ceiling_numbers.phi(-x), ceiling_numbers.phi(s - x)) for x in xs]

    monkeypatch.setattr(ceiling_rounds, "crossings", inscribed)
    assert (deltas(small(64), SOME) < tried).any()


@pytest.mark.parametrize(("sampler", "relation"), [
    (PLAIN, "pull"), (PLAIN, "round"), (Sampler(4), "pull"), (Sampler(8, 2, 2, 0.5), "pull"),
])  # fmt: skip
@pytest.mark.thorough
def test_as_sharp_as_the_bound(sampler: Sampler, relation: str) -> None:
    found = made(sampler, relation)
    bound = certified_curve(sampler, relation, smallest=1e-6).eps(1e-3)
    assert 0.99 * bound < float(found["eps"]) < 1.03 * bound
    at, before = deltas(found, [Fraction(found["eps"]), Fraction(found["eps"]) * Fraction("0.995")])
    assert 0.99e-3 < at <= 1e-3 < before


def test_its_grid_costs_no_more_than_that_of_the_bound() -> None:
    """The bound rounds to a grid, too; on a finer one it is smaller. A ceiling on 400 steps lies between the two."""
    found = float(maker.ceiling(Sampler(12, 2), 1e-3)["eps"])
    finer, bound = (certified_curve(Sampler(12, 2), smallest=1e-6, fineness=x).eps(1e-3) for x in (3.0, 1.0))
    assert finer <= found <= bound


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("0.0010000049", "0.00100001"),
        ("0.001", "0.001"),
        ("0", "0"),
        ("2/3", "0.666667"),
        ("1/3", "0.333334"),
        ("1e-30", "1e-30"),
        ("1e-400", "1E-400"),
        ("1000000.5", "1.00001e+06"),
    ],
)
def test_what_was_shown_of_a_number_is_not_told_of_a_smaller_one(value: str, told: str) -> None:
    assert ceiling_verification.decimal_at_least(Fraction(value), 6) == told
    assert Fraction(told) >= Fraction(value)


def test_what_holds_is_said() -> None:
    found = made(PLAIN)
    checked = ceiling_verification.verify(found)
    assert checked.ok
    assert checked.lines[0] == "Gaussian Thompson sampling, two arms, 6 rounds, b = 0, c = 1; one pull changed"
    assert f"at eps = {float(found['eps']):.9g}" in checked.lines[1]
    assert not ceiling_verification.verify(found | {"delta": "0.00098"}).ok


@pytest.mark.thorough
def test_fewer_pull_counts_cost_and_never_help() -> None:
    """From some count on a pull counts no more: a larger value."""
    few = copy.deepcopy(made(PLAIN))
    for game in few["games"]:
        game["last"] = 2
    eps = (0.0, 1.0, 2.0)
    assert (deltas(few, eps) >= deltas(made(PLAIN), eps) * (1 - 1e-6)).all()
    assert (deltas(few, eps) > 1.01 * deltas(made(PLAIN), eps)).any()


def garbled(seed: int) -> dict[str, Any]:
    """A ceiling whose choices are drawn at random."""
    draw = np.random.default_rng(seed)
    found = copy.deepcopy(made(Sampler(4, 2)))
    for game in found["games"]:
        game.update(
            last=int(draw.integers(2, 6)), width=int(draw.integers(5, 64)), ratio=f"{draw.uniform(1.02, 1.3):.4f}"
        )
        game.update(below=int(draw.integers(20, 200)), above=int(draw.integers(1, 60)))
        tops = [3, *sorted({int(x) for x in draw.integers(0, 3, 2)}, reverse=True)]
        game["spans"] = [
            {"top": top, "rows": [[a, a + int(draw.integers(0, 99)), f"{draw.uniform(0.3, 3.9):.4f}"]]}
            for top, a in zip(tops, draw.integers(-400, 400, len(tops)).tolist(), strict=True)
        ]
    return found


@pytest.mark.parametrize("seed", range(4))
def test_no_choice_makes_it_too_small(seed: int) -> None:
    assert (deltas(garbled(seed), EPS) >= worst(Sampler(4, 2), "pull")).all()


# -- what is forged ----------------------------------------------------------------------------------------------------


def changes() -> Iterator[tuple[str, Any, str]]:
    yield "type", "run", "type"
    yield "policy/name", "ucb", "type"
    yield "policy/prepulls", 4, "prepulls"
    yield "policy/variance", "0", "variance"
    yield "policy/variance", "1/4", "not shown"
    yield "policy/variance", "1e9", "variance"
    yield "arms", 3, "arms"
    yield "arms", "any", "not shown"
    yield "relation", "history", "relation"
    yield "horizon", 9, "decrease from span to span, and the first must be 8"
    yield "horizon", 10**6, "not an integer"
    yield "horizon", True, "not an integer"
    yield "eps", "1e-9", "not shown"
    yield "eps", "-1", "not a string with a number of at least 0"
    yield "eps", "1/0", "contains a division by 0"
    yield "eps", 3, "not a string with a number of at least 0"
    yield "delta", "0", "delta strictly between 0 and 1"
    yield "games", [], "there must be two entries"
    yield "games/0/higher", "left", "there must be two entries"
    yield "games/0/ratio", "1", "ratio"
    yield "games/0/ratio", "2", "cells with this ratio reach beyond e"
    yield "games/0/below", 1, "not shown"
    yield "games/0/below", 10**9, "not an integer"
    yield "games/0/last", 1, "not an integer"
    yield "games/0/width", 0, "not an integer"
    yield "games/0/spans", [], "/spans: the numbers `top` must decrease from span to span, and the first must be 5"
    yield "games/0/spans/0/top", 4, "/spans: the numbers `top` must decrease from span to span, and the first must be 5"
    yield "games/0/spans/1/top", 5, "/spans: the numbers `top` must decrease from span to span, and the first must be 5"
    yield "games/0/spans/0/rows", [], "thresholds low <= high and a drift from 1/4 to 4"
    yield "games/0/spans/0/rows", [[3, 2, "1"]], "thresholds low <= high and a drift from 1/4 to 4"
    yield "games/0/spans/0/rows", [[0, 64, "0"]], "thresholds low <= high and a drift from 1/4 to 4"
    yield "games/0/spans/0/rows", [7], "thresholds low <= high and a drift from 1/4 to 4"


@pytest.mark.parametrize(("place", "value", "why"), list(changes()))
def test_what_is_forged_is_refused(place: str, value: Any, why: str) -> None:
    found = copy.deepcopy(made(PLAIN))
    *way, last = place.split("/")
    node: Any = found
    for key in way:
        node = node[int(key) if isinstance(node, list) else key]
    node[last] = value
    checked = ceiling_verification.verify(found)
    assert not checked.ok
    assert why in checked.lines[0], checked.lines
    assert not ceiling_verification.verify(None).ok


def test_rounds_of_a_span_are_held_against_those_that_stand_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Would a round offer more than the last one of its span, it would be refused."""
    true = ceiling_rounds.round_limits

    def odd(sampler: Any, n: int, total: int, free: bool) -> Any:
        rule = true(sampler, n, total, free)
        return rule._replace(shift=rule.shift * 2) if total == 3 else rule

    found = copy.deepcopy(made(PLAIN))
    for game in found["games"]:
        game["spans"] = game["spans"][:1]
    assert ceiling_statement.read_ceiling(found)
    monkeypatch.setattr(ceiling_game, "round_limits", odd)
    assert "the rounds after 5 to 3 pulls" in ceiling_verification.verify(found).lines[0]


def fresh_coins(horizon: int, spans: int, **changes: Any) -> dict[str, Any]:
    """Three cells, and tangents everywhere, drawn anew after every round."""
    rows = [[FIRST_THRESHOLD, LAST_THRESHOLD, "1"], [0, LAST_THRESHOLD, "1"]]
    tops = [{"top": horizon - 1 - i, "rows": rows} for i in range(spans)]
    game = {"ratio": "1.5", "below": 1, "above": 1, "last": horizon, "width": 1, "spans": tops}
    games = [{"higher": side, **game} for side in ("left", "right")]
    return made(PLAIN) | {"arms": "any", "horizon": horizon, "games": games} | changes


@pytest.mark.parametrize(("arms", "prepulls", "horizon"), [("any", 1, 2), (2, 1, 2), (2, 2, 4)])
@pytest.mark.parametrize("relation", ["pull", "round"])
def test_a_run_of_prepulls_alone_needs_no_spans(arms: Any, prepulls: int, horizon: int, relation: str) -> None:
    """No round follows the changed reward, so that nothing is revealed about it."""
    policy = {"name": "gaussian-thompson", "prepulls": prepulls, "variance": "1"}
    found = fresh_coins(horizon, 0, arms=arms, policy=policy, relation=relation, eps="0", delta="1e-15")
    checked = ceiling_verification.verify(found)
    assert checked.ok, checked.lines
    assert "is (0, 1e-15)-private" in checked.lines[-1]
    assert not ceiling_verification.verify(found | {"horizon": horizon + 1}).ok


def test_new_coins_are_paid_for_before_any_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    dear, cheap = fresh_coins(300, 299), fresh_coins(24, 1)
    monkeypatch.setattr(ceiling_rounds, "phi", None)
    assert re.match(
        r"checking this certificate would take about \d{3} minutes, but at most 33 are allowed; use a shorter run, a "
        "coarser grid, fewer tangents or longer spans",
        ceiling_verification.verify(dear).lines[0],
    )
    assert "the checker failed" in ceiling_verification.verify(cheap).lines[0]  # so it began


@pytest.mark.parametrize(("arms", "prepulls"), [("any", 0), ("any", 2), (2, 0), (2, 1)])
@pytest.mark.parametrize("spans", [1, 3])
def test_the_work_is_counted_as_it_is_done(arms: Any, prepulls: int, spans: int, monkeypatch: Any) -> None:
    policy = {"name": "gaussian-thompson", "prepulls": prepulls, "variance": "1"}
    found = fresh_coins(6, spans, arms=arms, policy=policy)
    for game in found["games"]:
        game |= {"width": PART, "last": 4}
    sampler, relation, games, *_ = ceiling_statement.read_ceiling(found)
    drawn, used, states = [], [], []
    corners, best = ceiling_rounds.corners, ceiling_game.Game.best

    def counted(*args: Any) -> Any:
        drawn.append(corners(*args))
        return drawn[-1]

    def each(game: Any, total: int, n: int, *args: Any) -> Any:
        row = best(game, total, n, *args)
        states.append(n)
        used.append(len(game.coins[n]))
        return row

    monkeypatch.setattr(ceiling_game, "corners", counted)
    monkeypatch.setattr(ceiling_game.Game, "best", each)
    ceiling_game.start(sampler, relation, games[0])
    spare = 2 * len(states) if arms == "any" else math.inf  # with two arms some tangents lie beyond what is allowed
    for made_, constants in (
        (sum(map(len, drawn)), {"CORNER": 1, "COIN": -3, "STATE": 0}),
        (sum(used), {"CORNER": 0, "COIN": -2, "STATE": 0}),
        (len(states), {"CORNER": 0, "COIN": -3, "STATE": 1}),
    ):
        for name, value in ({"FOLDS": 0, "WAITING": 0} | constants).items():
            monkeypatch.setattr(ceiling_statement, name, value)
        assert made_ <= ceiling_statement.estimated_work(sampler, games[0]) <= made_ + spare


def test_a_whole_number_that_python_does_not_write_out_is_refused_with_a_sentence() -> None:
    for place in ("horizon", "eps"):
        refused = ceiling_verification.verify(made(PLAIN) | {place: 10**5000}).lines[0]
        assert f"{place}: a value (int) that is too long to be written out is no" in refused


def test_tangents_that_cannot_be_told_apart_are_refused() -> None:
    with pytest.raises(ceiling_sampler.Rejected, match="too close"):
        Ends(1, 2).over(Ends(0, 5))


def test_the_command_writes_a_ceiling_and_verifies_it(tmp_path: Path) -> None:
    told = tmp_path / "c.json"
    sampler = ["--horizon", "3", "--delta", "1e-2", "--arms", "2"]
    result = CliRunner().invoke(main, ["privacy", "thompson", *sampler, "--ceiling", str(told)])
    assert result.exit_code == 0
    assert f"ceiling: {told}" in result.output
    checked = CliRunner().invoke(main, ["verify", str(told)])
    assert checked.exit_code == 0
    assert "verified, the game's value" in checked.output
    assert "-private, if the game bounds" in checked.output
    assert CliRunner().invoke(main, ["verify", "--strict", str(told)]).exit_code == 1
    found = json.loads(told.read_text(encoding="utf-8"))
    told.write_text(json.dumps(found | {"eps": str(float(found["eps"]) * 0.99)}), encoding="utf-8")
    refused = CliRunner().invoke(main, ["verify", str(told)])
    assert refused.exit_code == 1
    assert "rejected: not shown" in refused.output


def test_a_check_that_takes_long_says_how_long_before_it_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As much as the statement says, by its own count; nothing is said of a short check, or of what is rejected."""
    file = tmp_path / "c.json"
    file.write_text(json.dumps(made(PLAIN)), encoding="utf-8")
    seconds = ceiling_statement.expected_seconds(json.loads(file.read_text(encoding="utf-8")))
    assert 0 < seconds < 10
    assert "takes up to" not in CliRunner().invoke(main, ["verify", str(file)]).output
    monkeypatch.setattr(ceiling_statement, "PACE", ceiling_statement.PACE * 700 / seconds)
    told = CliRunner().invoke(main, ["verify", str(file)]).output
    assert told.startswith("checking this ceiling takes up to about 12 minutes")
    for broken in ({"type": "ceiling"}, {"type": "ceiling", "games": 1, "prices": None}, "ceiling", None):
        assert ceiling_statement.expected_seconds(broken) == 0


def test_a_price_is_at_most_one_over_lam() -> None:
    def prices(price: str) -> dict[str, Any]:
        return {"prices": [{"higher": side, "lam": "2", "price": price} for side in ("left", "right")]}

    assert [each.price for each in ceiling_prices.read_prices(prices("0.5"))] == [Fraction(1, 2)] * 2
    with pytest.raises(ceiling_sampler.Rejected, match="and lam times price at most 1"):
        ceiling_prices.read_prices(prices("0.500001"))


def test_long_runs_have_ceilings_of_two_prices() -> None:
    found = maker.ceiling(Sampler(maker.MAX_CEILING_ROUNDS + 1, 2), 1e-3)
    assert "games" not in found
    assert [each["higher"] for each in found["prices"]] == ["right", "left"]


@pytest.mark.parametrize("sampler", [Sampler(1, 2), Sampler(4, 2, 2)])
def test_where_no_round_follows_there_is_no_ceiling(sampler: Sampler) -> None:
    with pytest.raises(ValueError, match="there is no round after the changed reward"):
        maker.ceiling(sampler, 1e-3)


@pytest.mark.parametrize(
    ("sampler", "delta", "why"),
    [
        (Sampler(3, 2), 1e-200, "delta: '1e-200'"),
        (Sampler(3, 2, variance=0.009), 1e-3, "variance must be from 0.01 to 10"),
        (Sampler(4, variance=0.01), 1e-6, r"reach beyond e\^150; use fewer cells, or a smaller ratio"),
    ],
)
def test_what_its_checker_does_not_take_is_said(sampler: Sampler, delta: float, why: str) -> None:
    with pytest.raises(ValueError, match=f"no certificate of the bound can be written for these parameters .*{why}"):
        maker.ceiling(sampler, delta)


def test_a_grid_is_no_finer_than_its_checker_takes() -> None:
    """So much noise that all ratios are near 1."""
    assert 5000 < maker.MOST_CELLS < ceiling_statement.SIZE_LIMITS["cells"]
    found = maker.ceiling(Sampler(2, variance=1000.0), 1e-3)
    assert 0.02 < float(Fraction(found["eps"])) < 0.04


def test_a_row_is_read_between_its_cells_from_above() -> None:
    """(1 - Q/theta)_+ at Q = e^eps, by chords over Q; beyond the grid the lowest value, or 1."""
    grid = Grid(Fraction("1.05"), 30, 30)
    row = grid.end()
    for theta in (1, Fraction(5, 4), 2):
        for eps in (Fraction(0), Fraction(1, 10), Fraction(7, 10), Fraction(2)):
            exact = max(1 - float(mpmath.exp(float(eps))) / float(theta), 0.0)
            found = float(grid.at(ValueRow(row.cells, int(theta * FIXED_POINT_ONE)), eps))
            assert exact - 1e-14 <= found < exact + 0.013  # a chord over a kink is a quarter of a step too high
    assert grid.at(ValueRow(row.cells, FIXED_POINT_ONE * 9), Fraction(0)) == 1
    assert grid.at(ValueRow(packed([7] * grid.size), FIXED_POINT_ONE // 9), Fraction(0)) * (
        1 << VALUE_BITS
    ) == pytest.approx(7)
