"""The privacy loss of single runs, for an adversary who sees all values that the policy compares.

The compared values are linear forms in the noise draws, both in a run and in the same run with one reward changed (see
`noise_account`). The draws that give the same values after the change are a translation of those of the run. So the
ratio of the densities of the values is that of Laplace draws at one point, or integrated over the only direction of the
draws that changes no value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf
from typing import NamedTuple

import numpy as np

from dpbandits.proofs_checks.alignment.moves import eliminated, reduced
from dpbandits.proofs_checks.alignment.noise_account import (
    MOST_STEPS,
    AccountedRun,
    Hidden,
    OtherWay,
    Reward,
    first_moment,
    holds,
    steps_from,
)
from dpbandits.proofs_checks.alignment.runs_on_numbers import SameDraws
from dpbandits.proofs_checks.alignment.single_runs import PlaysOneRun
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import context_dimension
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Policy

MOST_ROWS = 60  # comparisons whose values are solved for: 0.2 to 0.6 CPU seconds in rationals, and 8 for 120
LEAST_EXCESS = 1e-6  # of a loss above the claim, far above rounding


class ValueLoss(NamedTuple):
    """The privacy loss of the values that a run compares, under a changed reward: the log of the ratio of their
    densities on the left and on the right table of the pair. loss: inf if the right table never gives them. line: of
    the first value that differs. shifts: how far draws move to give the same values on the right table."""

    reward: Reward
    loss: float
    line: str
    pair: Pair
    shifts: Mapping[int, Fraction]


def loss_of_reward(run: AccountedRun, reward: Reward) -> ValueLoss | None:
    """The privacy loss of all compared values of this run if one reward is changed, at the drawn values.
    None where it is not determined: the two sides compare different values or none differ, there are more than
    MOST_ROWS comparisons, or the loss is finite and other draws than Laplace are compared or several shifts of the
    draws give the same values."""
    start, pair = run.moments[reward.step - 1], run.changed_pair(reward)
    try:
        with run.run.repeating(start.decided):
            every = [*steps_from(run.policy, pair.environments()[1], run.noise, run.run, start)]
            same = [each.released for each in every] == [each.released for each in run.played[reward.step - 1 :]]
            compared = run.compared(start.decided) if same and len(run.run.decided) == len(run.decided) else []
    except (Hidden, OtherWay):
        return None
    if any(each.constant is not None and not holds(each) for each in compared):
        return None
    rows = [each for each in (*run.rows_before(start.decided), *compared) if each.row]
    rows = [each for each in rows if each.place not in run.noise_only_comparisons]
    draws = sorted({number for each in rows for number, _ in each.row})
    if not any(each.change for each in compared) or len(rows) > MOST_ROWS:
        return None
    line = next(each.line for each in compared if each.change)
    if any(each.change for each in compared if not each.row):
        return ValueLoss(reward, inf, line, pair, {})
    places = {draw: place for place, draw in enumerate(draws)}
    equations = []
    for each in rows:
        equation = [Fraction(0)] * (len(draws) + 1)
        for number, value in each.row:
            equation[places[number]] = value
        equation[-1] = -each.change
        equations.append(equation)
    moves = eliminated(equations, len(draws))
    if moves is None:
        return ValueLoss(reward, inf, line, pair, {})
    silent = silent_directions(equations, len(draws))
    if len(silent) > 1 or {run.table.symbols[draw].kind for draw in draws} != {"laplace"}:
        return None
    values = np.array([run.run.values[draw] for draw in draws])
    sides = values, values + np.array([float(move) for move in moves])
    left, right = (log_density(side, next(iter(silent), None)) for side in sides)
    return ValueLoss(reward, left - right, line, pair, dict(zip(draws, moves, strict=True)))


def repeats(run: AccountedRun, loss: ValueLoss) -> bool:
    """Whether the policy, run on the changed table with shifted draws, has the same releases as this run.
    loss: the changed table and the shifts."""
    moved = {
        number: run.run.values[number] + float(loss.shifts.get(number, 0))
        for number in range(len(run.table.symbols))
        if number != run.changed
    }
    environment = loss.pair.environments()[1]
    noise, start = SameDraws(run.table, moved), first_moment(run.policy, run.policy.init(1))
    plain = [each.released for each in steps_from(run.policy, environment, noise, None, start)]
    return plain == [each.released for each in run.played]


def loss_of_values(
    policy: Policy, tables: Sequence[Pair], seed: int, threshold: float, max_steps: int = MOST_STEPS
) -> ValueLoss | None:
    """The first privacy loss found that exceeds `threshold`, for an adversary who sees the compared values.
    None if none was found.

    The loss also holds for values near those of the run, so with positive probability: no policy with such a run is
    (threshold, 0)-DP for this adversary, and none with an infinite loss is mu-GDP. Arguments as for `noise_account`;
    nothing is raised for a policy that is not supported.
    """
    if context_dimension(policy) or isinstance(policy, PlaysOneRun):
        return None
    generator, steps = np.random.default_rng(seed), 0
    try:
        for pair in tables:
            run = AccountedRun(policy, pair, generator)
            steps += run.steps
            for reward in run.rewards():
                found = loss_of_reward(run, reward)
                steps += run.steps - reward.step + 1
                if found is None or found.loss <= threshold + LEAST_EXCESS or run.disagreement():
                    continue
                if found.loss == inf or repeats(run, found):
                    return found
                if steps >= max_steps:
                    return None
    except Exception:  # of the policy, which was handed forms in the place of numbers
        return None
    return None


def silent_directions(equations: Sequence[Sequence[Fraction]], draws: int) -> list[Array]:
    """A basis of the directions in which the draws can move while every compared value stays the same.
    equations: as for `eliminated`."""
    rows, leading = reduced(equations, draws)
    found = []
    for free in sorted({*range(draws)} - {*leading}):
        direction = np.zeros(draws)
        direction[free] = 1.0
        for row, column in zip(rows, leading, strict=False):
            direction[column] = -float(row[free])
        found.append(direction)
    return found


def log_density(draws: Array, silent: Array | None) -> float:
    """The log-density, up to a constant, of values that are linear forms in standard Laplace draws.
    It is the log-density of the draws that give these values; if the draws can move in one direction (`silent`) without
    changing a value, the log of its integral along this direction."""
    if silent is None:
        return -float(np.abs(draws).sum())
    moving = np.abs(silent) > 1e-9
    rest = -float(np.abs(draws[~moving]).sum())
    ends = np.sort(-draws[moving] / silent[moving])
    heights = np.array([-np.abs(draws[moving] + end * silent[moving]).sum() for end in ends])  # linear in between
    slope = float(np.abs(silent[moving]).sum())  # beyond the first and the last
    parts = [float(end - el.log(slope)) for end in heights[[0, -1]]]
    for low, high, width in zip(heights, heights[1:], np.diff(ends), strict=False):
        if width > 0:
            rise = abs(high - low)  # of the exponent: the integral of exp is width exp(top) (1 - exp(-rise)) / rise
            share = (1 - float(el.exp(-rise))) / rise if rise > 1e-6 else 1 - rise / 2
            parts.append(float(max(low, high) + el.log(width * share)))
    top = max(parts)
    return rest + top + float(el.log(sum(float(el.exp(each - top)) for each in parts)))
