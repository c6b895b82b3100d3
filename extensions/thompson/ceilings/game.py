"""Computes upper bounds on the values of all states of the threshold game, from the last round back to the first."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from .numbers import FIXED_POINT_ONE, phi, root_rounded_up
from .rounds import Coin, corners, round_limits
from .rows import Grid, ValueRow, mass_rounded_up
from .sampler import Choices, Rejected, Sampler


def start(sampler: Sampler, relation: str, choices: Choices) -> tuple[Grid, ValueRow]:
    """Returns the grid and upper bounds on the game's value at the start of a run, to be read with `Grid.at`.
    choices: for one side of the change."""
    grid = Grid(choices.ratio, choices.below, choices.above)
    game, waiting = Game(sampler, choices, grid), Waiting(sampler, choices, grid)
    best = grid.end()
    for total in range(sampler.horizon - 1, sampler.begin - 1, -1):
        game.play(total)
        if not sampler.two:
            best = game.rows[sampler.first]
        elif relation == "pull":
            waiting.step(total, game.rows)
        else:  # it may start in any state
            for row in game.rows.values():
                best = ValueRow(grid.larger(best.cells, waiting.moved(row)), FIXED_POINT_ONE)
    if sampler.two and relation == "pull":
        if sampler.prepulls == 0:
            waiting.step(0, {})
        best = ValueRow(waiting.started[sampler.prepulls], FIXED_POINT_ONE)
    return grid, best


class Game:
    """Upper bounds on the values V_N(n) of the game, computed for N decreasing from the horizon. rows: the bounds by
    n."""

    def __init__(self, sampler: Sampler, choices: Choices, grid: Grid) -> None:
        """Prepares the rows of values after the last round, from which the game is computed backwards."""
        self.sampler, self.choices, self.grid = sampler, choices, grid
        end = grid.end()
        self.rows = dict.fromkeys(range(sampler.first, min(choices.last, sampler.horizon) + 1), end)
        self.spans = list(choices.spans)
        self.top, self.near = choices.spans[0] if choices.spans else (0, ())
        self.coins: dict[int, list[Coin]] = {}

    def play(self, total: int) -> None:
        """Replaces the bounds after `total` + 1 pulls by the bounds after `total` pulls, for all pull counts."""
        sampler, choices = self.sampler, self.choices
        if self.spans and total <= self.spans[0][0]:
            (self.top, self.near), self.coins = self.spans.pop(0), {}
        before, self.rows = self.rows, {}
        for n in range(sampler.first, min(choices.last, total - sampler.prepulls) + 1):
            free = n == choices.last  # from there on, a pull leaves n where it is
            self.rows[n] = self.best(total, n, before[n], before[n if free else n + 1], free)

    def best(self, total: int, n: int, without_pull: ValueRow, with_pull: ValueRow, free: bool) -> ValueRow:
        """Returns upper bounds on the game's value before a round, after n pulls of the changed arm.
        A coin is a pair of pull probabilities. without_pull, with_pull: the values after a round without and with a
        pull. free: whether a pull leaves the count n as it is. Raises Rejected if rounds share corners that do not
        cover them all."""
        grid, rule = self.grid, round_limits(self.sampler, n, self.top, free)
        if not round_limits(self.sampler, n, total, free).within(rule):
            raise Rejected(
                f"spans: one span covers the rounds after {self.top} to {total} pulls, but its last round allows pairs "
                "of pull probabilities that its first round does not allow; use shorter spans"
            )
        low, high, drift = self.near[min(n - self.sampler.first, len(self.near) - 1)]
        if n not in self.coins:
            self.coins[n] = corners(rule, (low, high), self.choices.width)
        theta, best = grid.scaled_into_range(math.floor(without_pull.theta * drift)), 0
        for coin in self.coins[n]:
            left, right = (coin.p, coin.q) if self.choices.higher == "right" else (coin.q, coin.p)
            outcomes = (
                (with_pull, left.high, right.low),
                (without_pull, FIXED_POINT_ONE - left.low, FIXED_POINT_ONE - right.high),
            )
            sums = 0
            for row, mass, other in outcomes:
                if mass > 0:
                    sums += grid.moved(row.cells, grid.tap(theta, row.theta, mass, other))
            best = grid.larger(best, sums)
        return ValueRow(grid.rounded(best), theta)


class Waiting:
    """Two arms before the changed reward is read: B_N(n), the best of starting with the next pull of the arm, and of
    waiting, with any probability of a pull that the means allow. `started`: the larger one of B and V."""

    def __init__(self, sampler: Sampler, choices: Choices, grid: Grid) -> None:
        """Prepares the rows of values after the last round, one for each pull count."""
        self.sampler, self.last, self.grid = sampler, choices.last, grid
        end = grid.end().cells
        self.values = dict.fromkeys(range(sampler.prepulls, min(choices.last, sampler.horizon) + 1), end)
        self.started = dict(self.values)

    def moved(self, row: ValueRow) -> int:
        """Returns the cells of a row, shifted to the grid with theta = 1."""
        return self.grid.rounded(
            self.grid.moved(row.cells, self.grid.tap(FIXED_POINT_ONE, row.theta, FIXED_POINT_ONE, FIXED_POINT_ONE))
        )

    def step(self, total: int, game: Mapping[int, ValueRow]) -> None:
        """Replaces the waiting bounds after `total` + 1 pulls by those after `total` pulls, for all pull counts."""
        before, started, grid = self.values, self.started, self.grid
        at_1 = {n: self.moved(row) for n, row in game.items()}
        self.values, self.started = {}, {}
        for n in range(self.sampler.prepulls, min(self.last, total - self.sampler.prepulls) + 1):
            if n == self.last:  # from there on, waiting is no better than the free game
                self.values[n] = at_1[n]
            else:
                rule = round_limits(self.sampler, n, total, False)
                ends = [phi(-root_rounded_up(rule.high or Fraction(0))), phi(root_rounded_up(rule.low or Fraction(0)))]
                sums = (
                    mass_rounded_up(a.high) * started[n + 1] + mass_rounded_up(FIXED_POINT_ONE - a.low) * before[n]
                    for a in ends
                )
                self.values[n] = grid.rounded(grid.larger(*sums))
            self.started[n] = grid.larger(self.values[n], at_1.get(n, 0))
