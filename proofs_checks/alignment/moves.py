"""The cheapest move of the noise that compensates a changed reward, in rational numbers.

A move adds a number to each draw. It compensates a change if all comparisons on the path keep their outcomes. Moving
Laplace draws costs the sum of the moves, which is the loss in eps. So does moving exponential, Gumbel and geometric
draws, which may only grow, and geometric draws only by integers. Moving normal draws costs the sum of their squares,
which is mu squared; there the compared values themselves have to stay the same.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from dpbandits.proofs_checks.alignment.branches import Comparison, Key
from dpbandits.proofs_checks.alignment.forms import MOVABLE, ONE_SIDED, WHOLE, Symbol

Row = tuple[tuple[int, Fraction], ...]
Solution = tuple[tuple[Fraction, ...], Fraction]  # how far each draw moves, and what that costs
PROGRAMME = 400  # the effort of a small programme
WHOLE_PROGRAMME = 2000  # the effort of one with whole numbers
DENOMINATORS = (10**3, 10**6, 10**9)  # tried in turn for what the solver of linear programmes returns


class Move(NamedTuple):
    """How far each draw moves, by its number (0 if not listed), and the cost."""

    shifts: dict[int, Fraction]
    cost: Fraction


STILL = Move({}, Fraction(0))


class Side(NamedTuple):
    """One comparison as a constraint of the programme: row . shifts + change >= 0 (<= 0 unless above, == 0 if
    equal)."""

    row: Row
    change: Fraction
    above: bool
    equal: bool


def change_of_form(key: Key, move: Move, reward: int, change: Fraction) -> Fraction:
    """The change of a linear form if `move` shifts the draws and the reward `reward` changes by `change`."""
    return sum((value * move.shifts.get(number, Fraction(0)) for number, value in key), Fraction(0)) + sum(
        (value * change for number, value in key if number == reward), Fraction(0)
    )


class Draw(NamedTuple):
    """How a draw may move: its cost, whether only upwards, and whether only by integers."""

    rate: Fraction
    one_sided: bool
    whole: bool


def draw_of(symbol: Symbol) -> Draw:
    """What a shift of this draw may be: its cost per unit, whether only upwards, and whether only by integers."""
    return Draw(symbol.rate, symbol.kind in ONE_SIDED, symbol.kind in WHOLE)


def keeps(comparisons: Sequence[Comparison], move: Move, reward: int, change: Fraction, equal: bool) -> bool:
    """Whether every comparison keeps its outcome under the move and the changed reward.
    equal: whether, instead, every compared value must stay the same."""
    for each in comparisons:
        apart = change_of_form(each.key, move, reward, change)
        if apart != 0 and (equal or (apart > 0) != each.above):
            return False
    return True


def integer_part_of_move(move: Move, reward: int, symbols: Sequence[Symbol]) -> Move:
    """The part of a move that shifts integer draws; it must keep all comparisons also if the reward does not change.
    If a reward changes by a fraction of its sensitivity, the other shifts are scaled by this fraction, while integer
    shifts are unchanged."""
    if symbols[reward].two_valued:
        return STILL
    shifts = {number: shift for number, shift in move.shifts.items() if symbols[number].kind in WHOLE}
    return Move(shifts, move.cost) if shifts else STILL


@dataclass
class Moves:
    """Finds cheapest moves, and caches them by the programme that they solve.

    symbols: those of the run. noise: the kind of draw that moves, "laplace" or "normal"; "" for none.
    """

    symbols: Sequence[Symbol]
    noise: str
    solved: dict[tuple[frozenset[Side], tuple[Draw, ...]], Solution | None] = field(default_factory=dict)
    effort: int = 0  # of all programmes, in units of some five microseconds

    def cheapest(self, comparisons: Sequence[Comparison], reward: int, change: Fraction) -> Move | None:
        """The cheapest move of the noise that keeps the outcomes of all these comparisons while a reward changes.
        None if there is none."""
        connected, draws = self.connected(comparisons, reward)
        places = {draw: place for place, draw in enumerate(draws)}
        sides = frozenset(
            Side(
                tuple((places[number], value) for number, value in each.key if number in places),
                sum((value * change for number, value in each.key if number == reward), Fraction(0)),
                each.above,
                self.noise == "normal",
            )
            for each in connected
        )
        ways = tuple(draw_of(self.symbols[draw]) for draw in draws)
        whole = {place for place, way in enumerate(ways) if way.whole}
        if whole and not self.symbols[reward].two_valued:
            sides |= {constraint_on_integer_shifts(side, whole) for side in sides}
        problem = (sides, ways)
        if problem not in self.solved:
            small = WHOLE_PROGRAMME if whole else PROGRAMME
            self.effort += small + (len(sides) ** 3 // 8 if self.noise == "normal" else len(sides) ** 2)
            rows = without_duplicates(sides)
            self.solved[problem] = least_norm(rows, len(ways)) if self.noise == "normal" else least_sum(rows, ways)
        found = self.solved[problem]
        if found is None:
            return None
        return Move({draw: found[0][place] for draw, place in places.items() if found[0][place]}, found[1])

    def connected(self, comparisons: Sequence[Comparison], reward: int) -> tuple[list[Comparison], list[int]]:
        """The comparisons connected to the reward through draws that may move, and the numbers of these draws."""
        movable = MOVABLE.get(self.noise, ())
        links = [
            {number for number, _ in each.key if number == reward or self.symbols[number].kind in movable}
            for each in comparisons
        ]
        near, reached = connected_sets(links, {reward})
        return [comparisons[place] for place in near], sorted(reached - {reward})


def connected_sets(sets: Sequence[Set[int]], start: Set[int]) -> tuple[list[int], set[int]]:
    """Returns the indices of the sets that are connected to `start` by common members, and all their members.
    The nearest sets come first."""
    rest, near, reached = [*range(len(sets))], list[int](), {*start}
    while more := [place for place in rest if not reached.isdisjoint(sets[place])]:
        near += more
        taken = {*more}
        rest = [place for place in rest if place not in taken]
        reached = reached.union(*(sets[place] for place in more))
    return near, reached


def constraint_on_integer_shifts(side: Side, whole: set[int]) -> Side:
    """The constraint that one comparison puts on the integer shifts if the reward is unchanged."""
    return Side(tuple(each for each in side.row if each[0] in whole), Fraction(0), side.above, side.equal)


def without_duplicates(sides: frozenset[Side]) -> list[Side]:
    """The constraints without duplicates; two opposite inequalities with the same left side become one equality."""
    directions: dict[tuple[Row, Fraction], set[bool]] = {}
    equal = set()
    for each in sides:
        directions.setdefault((each.row, each.change), set()).add(each.above)
        if each.equal:
            equal.add((each.row, each.change))
    return [
        Side(row, change, True in above, len(above) == 2 or (row, change) in equal)
        for (row, change), above in sorted(directions.items())
    ]


def satisfies_all(constraints: Sequence[Side], shifts: Sequence[Fraction]) -> bool:
    """Whether these shifts of the draws satisfy all constraints, in rational arithmetic."""
    for row, change, above, equal in constraints:
        apart = sum((value * shifts[place] for place, value in row), Fraction(0)) + change
        if apart != 0 and (equal or (apart > 0) != above):
            return False
    return True


def have_finite_cost(draws: Sequence[Draw], shifts: Sequence[Fraction]) -> bool:
    """Whether each draw of the noise may be shifted by its amount in `shifts` at a finite cost.
    Exponential and similar draws only upwards, integer draws only by integers."""
    return all(
        (shift >= 0 or not draw.one_sided) and (shift.denominator == 1 or not draw.whole)
        for draw, shift in zip(draws, shifts, strict=True)
    )


def cost_of(draws: Sequence[Draw], shifts: Sequence[Fraction]) -> Fraction:
    """The cost of these shifts in eps: the sum of rate * abs(shift) over all draws."""
    return sum((draw.rate * abs(shift) for draw, shift in zip(draws, shifts, strict=True)), Fraction(0))


def least_sum(sides: Sequence[Side], draws: Sequence[Draw]) -> Solution | None:
    """The shifts of smallest cost (the sum of rate * abs(shift)) that satisfy all constraints, and this cost.
    None if none were found. A linear programme in doubles finds them; they are then made rational and checked. Any
    shifts that pass the check bound the loss; they need not be the cheapest."""
    many = len(draws)
    nothing = (Fraction(0),) * many
    if satisfies_all(sides, nothing):
        return nothing, Fraction(0)
    if not many:
        return None
    matrix = np.zeros((len(sides), many))
    for place, side in enumerate(sides):
        for draw, value in side.row:
            matrix[place, draw] = float(value)
    change = np.array([float(side.change) for side in sides])
    equal = np.array([side.equal for side in sides])
    sign = np.array([1.0 if side.above else -1.0 for side in sides])
    split = np.hstack([matrix, -matrix])
    rates = [float(draw.rate) for draw in draws]
    whole = np.array([draw.whole for draw in draws])
    found = linprog(
        rates + rates,
        A_eq=split[equal] if equal.any() else None,
        b_eq=-change[equal] if equal.any() else None,
        A_ub=-(sign[:, None] * split)[~equal] if not equal.all() else None,
        b_ub=(sign * change)[~equal] if not equal.all() else None,
        bounds=[(0, None)] * many + [(0, 0 if draw.one_sided else None) for draw in draws],
        method="highs",
        integrality=np.concatenate([whole, whole]).astype(int) if whole.any() else None,
    )
    if found.status != 0:
        return None
    shifts = found.x[:many] - found.x[many:]
    shifts[whole] = np.round(shifts[whole])
    for denominator in DENOMINATORS:
        tried = tuple(Fraction(float(each)).limit_denominator(denominator) for each in shifts)
        cost = cost_of(draws, tried)
        if (
            satisfies_all(sides, tried)
            and have_finite_cost(draws, tried)
            and float(cost) <= found.fun * (1 + 1e-12) + 1e-15
        ):  # else a simpler one that costs more
            return tried, cost
    corner = solved_exactly(sides, shifts)
    if corner is None or not satisfies_all(sides, corner) or not have_finite_cost(draws, corner):
        return None
    return corner, cost_of(draws, corner)


def solved_exactly(sides: Sequence[Side], shifts: np.ndarray) -> tuple[Fraction, ...] | None:
    """The vertex that the linear programme's solver found, recomputed in rationals; None if this fails.
    It is computed from the draws that move and the tight constraints."""
    moving = [draw for draw in range(len(shifts)) if abs(shifts[draw]) > 1e-9]
    rows = []
    for side in sides:
        values = dict(side.row)
        apart = sum(float(value) * shifts[draw] for draw, value in side.row) + float(side.change)
        if side.equal or abs(apart) < 1e-9:
            rows.append([*(values.get(draw, Fraction(0)) for draw in moving), -side.change])
    found = eliminated(rows, len(moving))
    if found is None:
        return None
    corner = [Fraction(0)] * len(shifts)
    for draw, value in zip(moving, found, strict=True):
        corner[draw] = value
    return tuple(corner)


def eliminated(equations: Sequence[Sequence[Fraction]], unknowns: int) -> list[Fraction] | None:
    """A rational solution of linear equations; None if there is none.
    The last entry of each equation is its right side. Free unknowns are 0. unknowns: the number of unknowns."""
    rows, leading = reduced(equations, unknowns)
    if any(row[-1] for row in rows[len(leading) :]):
        return None
    found = [Fraction(0)] * unknowns
    for row, column in zip(rows, leading, strict=False):
        found[column] = row[-1]
    return found


def reduced(equations: Sequence[Sequence[Fraction]], unknowns: int) -> tuple[list[list[Fraction]], list[int]]:
    """The reduced row echelon form of linear equations, and the column of the leading unknown of each of its rows.
    Only the first rows have a leading unknown; the others have no unknowns. unknowns: the number of unknowns."""
    rows = [list(row) for row in equations]
    leading: list[int] = []
    for column in range(unknowns):
        pivot = next((place for place in range(len(leading), len(rows)) if rows[place][column]), None)
        if pivot is None:
            continue
        top = len(leading)
        rows[top], rows[pivot] = rows[pivot], rows[top]
        first = rows[top][column]
        rows[top] = [value / first for value in rows[top]]
        for place in range(len(rows)):
            if place != top and (factor := rows[place][column]):
                rows[place] = [value - factor * above for value, above in zip(rows[place], rows[top], strict=True)]
        leading.append(column)
    return rows, leading


def least_norm(sides: Sequence[Side], draws: int) -> Solution | None:
    """The shifts of smallest Euclidean norm that keep all compared values, with their sum of squares; None if none do.
    All numbers are rational."""
    products = [
        [dot(one.row, other.row) for other in sides] + [-one.change] for one in sides
    ]  # of the rows; a solution y of these equations gives the shifts, the rows times y
    found = eliminated(products, len(sides))
    if found is None:
        return None
    shifts = [Fraction(0)] * draws
    for side, factor in zip(sides, found, strict=True):
        for draw, value in side.row:
            shifts[draw] += factor * value
    if not satisfies_all(sides, shifts):
        return None
    return tuple(shifts), sum((each * each for each in shifts), Fraction(0))


def dot(u: Row, v: Row) -> Fraction:
    """The scalar product of two sparse vectors."""
    values = dict(v)
    return sum((value * values.get(draw, Fraction(0)) for draw, value in u), Fraction(0))
