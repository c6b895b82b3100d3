"""Rows of privacy losses and what a forward pass makes of them: each step beside loops over atoms, cells and paths."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from dpbandits.proofs_checks.exact import privacy_loss_distribution
from dpbandits.proofs_checks.exact.privacy_loss_distribution import (
    FINAL_GRID_REFINEMENT,
    LEAST_CELL,
    Paths,
    StateLosses,
    empty_paths,
    group_transfers,
)
from dpbandits.proofs_checks.exact.state_graph import PairTransitions

GRID = 0.25


def losses_of(rows: StateLosses, row: int) -> np.ndarray:
    return rows.offset[row] + rows.grid * np.arange(rows.widths[row])


def made(offsets: list[float], widths: list[int], seed: int = 0) -> StateLosses:
    """Rows of random cells: of the dominated pair as far as their losses say, a little beside them."""
    draw = np.random.default_rng(seed)
    rows, total = StateLosses(GRID), sum(widths)
    rows.begin = np.concatenate([[0], np.cumsum(widths)[:-1]]).astype(np.int64)
    rows.widths, rows.offset = np.array(widths, dtype=np.int64), np.array(offsets)
    losses = np.concatenate([losses_of(rows, row) for row in range(len(widths))]) + draw.uniform(-0.1, 0.1, total)
    m = draw.random(total) + 0.01
    rows.cells = (draw.random(total) + 0.01, m * np.exp(losses / 2), m * np.exp(-losses / 2))
    return rows


def atoms(rows: StateLosses) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The losses of all cells, and p and q of the dominating pair there."""
    losses = np.concatenate([losses_of(rows, row) for row in range(len(rows))])
    m = np.concatenate([rows.row_cells(0, row) for row in range(len(rows))])
    return losses, m * np.exp(losses / 2), m * np.exp(-losses / 2)


def delta(p: Any, q: Any, eps: float) -> float:
    return float(np.maximum(p - math.exp(eps) * q, 0).sum())


# -- paths -------------------------------------------------------------------------------------------------------------


def test_paths_are_followed_by_every_move_from_where_they_end() -> None:
    paths = Paths(np.array([0, 1, 1]), np.array([2, 0, 2]), np.array([0.5, 0.25, 0.75]), np.array([0.1, 0.2, 0.3]))
    moves = PairTransitions(
        np.array([2, 0, 2, 1, 0]), np.array([0, 0, 1, 1, 2]), np.array([0.3, 1.0, 0.7, 0.9, 0.5]),
        np.array([0.6, 0.8, 0.4, 0.1, 0.25]),
    )  # fmt: skip
    found = paths.extended_by(moves)
    wanted = [
        (source, int(moves.target[k]), left * moves.left[k], right * moves.right[k])
        for source, end, left, right in zip(*paths, strict=True)
        for k in range(5)
        if moves.source[k] == end
    ]
    rows = sorted(zip(*(part.tolist() for part in found), strict=True))
    assert np.array(rows) == pytest.approx(np.array(sorted(wanted)), rel=1e-15, abs=0)
    assert found.root == pytest.approx(np.sqrt(found.left * found.right), rel=1e-15, abs=0)
    none = empty_paths(3)
    assert (none.source.tolist(), none.target.tolist()) == ([0, 1, 2], [0, 1, 2])
    assert none.left.tolist() == none.right.tolist() == [1, 1, 1]


def test_paths_that_land_in_the_same_place_are_one_term() -> None:
    source, target = np.array([0, 2, 0, 2, 2, 1]), np.array([1, 0, 1, 1, 0, 1])
    place, weights = np.array([3, -2, 3, 3, -1, 0]), [2.0 ** np.arange(6), 3.0 ** np.arange(6)]
    found = group_transfers(source, target, place, weights)
    rows = list(zip(found.source.tolist(), found.target.tolist(), found.place.tolist(), strict=True))
    assert rows == [(2, 0, -2), (2, 0, -1), (0, 1, 3), (1, 1, 0), (2, 1, 3)]
    assert [scale.tolist() for scale in found.scales] == [[2, 16, 5, 32, 8], [3, 81, 10, 243, 27]]
    assert found.most == 2 + 3  # two paths in one term, and three terms of the second state


# -- moves -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_rows_keep_both_masses_on_their_way_and_bound_delta_from_both_sides(seed: int) -> None:
    """Three rows go to two states; whatever they weigh, each atom of rows and paths goes where its loss is."""
    draw = np.random.default_rng(seed)
    rows = made([-1.0, 0.1, 3.3], [5, 1, 7], seed)
    source, target = np.array([0, 2, 1, 0, 2, 1]), np.array([1, 1, 0, 0, 0, 1])
    left, right = draw.random(6) / 2, draw.random(6) / 2
    paths = Paths(source, target, left, right)
    before = []
    for state in range(2):
        some = np.flatnonzero(target == state)
        upper = [[], []]
        lower = [[], []]
        for path in some:
            row = source[path]
            losses, m = losses_of(rows, row), rows.row_cells(0, row)
            for sides, parts in ((upper, (m * np.exp(losses / 2), m * np.exp(-losses / 2))),
                                 (lower, (rows.row_cells(1, row), rows.row_cells(2, row)))):  # fmt: skip
                sides[0].append(parts[0] * left[path])
                sides[1].append(parts[1] * right[path])
        # Of an atom that is split between two cells, at its own loss a quarter of their distance is told more.
        before.append([[np.concatenate(side) for side in pair] for pair in (upper, lower)])
    most = rows.move(paths, np.ones((3, 2)))
    assert 2 <= most <= 12
    assert len(rows) == 2
    for state, (upper, lower) in enumerate(before):
        some = np.flatnonzero(target == state)
        losses, m = losses_of(rows, state), rows.row_cells(0, state)
        p, q = m * np.exp(losses / 2), m * np.exp(-losses / 2)
        assert (p.sum(), q.sum()) == pytest.approx((upper[0].sum(), upper[1].sum()), rel=1e-13)
        low = rows.row_cells(1, state), rows.row_cells(2, state)
        assert (low[0].sum(), low[1].sum()) == pytest.approx((lower[0].sum(), lower[1].sum()), rel=1e-13)
        for eps in (-1.0, 0.0, 0.7, 2.0, 4.0):
            true = delta(*upper, eps)
            assert true * (1 - 1e-12) <= delta(p, q, eps) <= true + len(some) * upper[0].max() * GRID / 4
            true = delta(*lower, eps)
            assert true - lower[0].sum() * (GRID / 2 + 0.1) <= delta(*low, eps) <= true * (1 + 1e-12)


def test_narrow_rows_are_added_as_wide_ones_are() -> None:
    """All at once or one by one: bit by bit the same."""
    draw = np.random.default_rng(0)
    source, target = draw.integers(0, 3, 20), np.sort(np.concatenate([np.arange(4), draw.integers(0, 4, 16)]))
    paths = Paths(source, target, draw.random(20), draw.random(20))
    both = []
    for narrow in (0, 128):
        rows = made([0.0, 0.3, -0.7], [5, 9, 2])
        rows.move(paths, np.ones((3, 2)), narrow)
        both.append([*(side.tolist() for side in rows.cells), rows.begin.tolist()])
    assert both[0] == both[1]


def test_the_heaviest_path_keeps_its_cells() -> None:
    """Its loss is added to the row's; the lighter one, whose row is heavier by far, is split or merged."""
    rows = made([0.1, -0.3], [3, 4])
    cells = rows.row_cells(0, 1).copy()
    paths = Paths(np.array([0, 1]), np.array([0, 0]), np.array([0.5, 0.25]), np.array([0.125, 0.5]))
    most = rows.move(paths, np.array([[1e-9, 1e-9], [1.0, 1.0]]))
    assert most == 1 + 3  # of the dominating pair: no two paths in one term, and three terms, of which two are halves
    landing = -0.3 + math.log(0.5)
    steps = (rows.offset[0] - landing) / GRID
    assert steps == pytest.approx(round(steps), abs=1e-12)
    first = round(-steps)
    assert (rows.row_cells(0, 0)[first : first + 4] >= cells * math.sqrt(0.125) * (1 - 1e-14)).all()
    light = made([0.1, -0.3], [3, 4])
    light.move(paths, np.array([[1.0, 1.0], [1e-9, 1e-9]]))
    steps = (light.offset[0] - (0.1 + math.log(4))) / GRID
    assert steps == pytest.approx(round(steps), abs=1e-12)


@pytest.mark.parametrize(("part", "up"), [(0.3, 0), (0.7, 1), (-0.3, 0), (-0.7, -1)])
def test_an_atom_of_the_dominated_pair_goes_to_the_nearest_cell(part: float, up: int) -> None:
    """One of another row's, so many cells above the first one of the heavier row."""
    rows = made([0.0, part * GRID], [1, 1])
    p, q = rows.cells[1].copy(), rows.cells[2].copy()
    halves = np.array([0.5, 0.5])
    rows.move(Paths(np.array([0, 1]), np.array([0, 0]), halves, halves), np.array([[1.0, 1.0], [1e-9, 1e-9]]))
    first = round(-rows.offset[0] / GRID)  # where the heavier one's cell is
    wanted = np.zeros((2, rows.widths[0]))
    wanted[:, first] += p[0] / 2, q[0] / 2
    wanted[:, first + up] += p[1] / 2, q[1] / 2
    assert rows.row_cells(1, 0) == pytest.approx(wanted[0], rel=1e-14, abs=0)
    assert rows.row_cells(2, 0) == pytest.approx(wanted[1], rel=1e-14, abs=0)


# -- ends --------------------------------------------------------------------------------------------------------------


def test_the_ends_of_rows_are_cut_where_they_no_longer_matter() -> None:
    """From the first cell to the last one that is above what is asked for at the nearest loss; a whole row may go."""
    rows = made([0.0, 0.5, -2.0, 1.0], [4, 5, 3, 2])
    m = np.array([1, 5, 1, 2, 1, 1, 5, 0.5, 1, 1, 1, 0.5, 5, 9, 9], dtype=float)[:14]
    rows.cells = (m, np.arange(14.0), np.arange(14.0) + 100)
    heavy = m > 1
    stays, cut = rows.prune_ends(lambda loss: np.ones(len(loss)))
    kept = [np.flatnonzero(part) for part in np.split(heavy, [4, 9, 12])]
    assert stays.tolist() == [0, 1, 3]
    assert rows.widths.tolist() == [3, 1, 2]
    assert rows.begin.tolist() == [1, 6, 12]
    assert rows.offset == pytest.approx([0.25, 1.0, 1.0], rel=1e-14, abs=0)
    assert [len(each) for each in kept] == [2, 1, 0, 2]
    assert cut.place.tolist() == [0, 4, 5, 7, 8, 9, 10, 11]
    assert cut.row.tolist() == [0, 1, 1, 1, 1, 2, 2, 2]
    assert cut.loss == pytest.approx([0, 0.5, 0.75, 1.25, 1.5, -2, -1.75, -1.5], rel=1e-14, abs=0)
    assert cut.m.tolist() == m[cut.place].tolist()
    assert (cut.below.left.tolist(), cut.below.right.tolist()) == (cut.place.tolist(), (cut.place + 100).tolist())
    above = cut.above()
    assert above.left == pytest.approx(cut.m * np.exp(cut.loss / 2), rel=1e-14, abs=0)
    assert above.right == pytest.approx(cut.m * np.exp(-cut.loss / 2), rel=1e-14, abs=0)
    for offset in (1.0, -1.0 - 20 * GRID):
        alone = made([offset, 0.0], [20, 1])
        alone.prune_ends(lambda loss: np.zeros(len(loss)))
        assert 1.0 + 19 * GRID <= alone.widest <= 1.0 + 40 * GRID
        alone.prune_ends(lambda loss: np.full(len(loss), 1e9))  # what once was counts
        assert alone.widest >= 1.0 + 19 * GRID


def test_what_is_asked_for_is_asked_at_the_nearest_loss_and_never_less_than_a_product_can_hold() -> None:
    asked = []

    def least(loss: np.ndarray) -> np.ndarray:
        asked.append(loss)
        return np.where(loss > 0.9, 2.0, 0.0)

    rows = made([-1.0, 0.55], [3, 4])
    rows.cells = (np.array([LEAST_CELL, LEAST_CELL * 2, 1, 1, 1, 1, 3]), np.ones(7), np.ones(7))
    stays, cut = rows.prune_ends(least)
    (losses,) = asked
    assert losses == pytest.approx(-1 + GRID * np.arange(len(losses)), rel=1e-14, abs=0)
    assert losses[-1] >= 0.55 + 3 * GRID - GRID / 2
    assert stays.tolist() == [0, 1]
    assert cut.place.tolist() == [0]  # 0.55 + GRID is nearest to 0.75, but 0.55 + 2 GRID to 1, where 1 is too little
    assert rows.widths.tolist() == [2, 4]


def test_joined_rows_keep_both_masses_and_bound_delta_from_both_sides() -> None:
    rows = made([-1.03, 0.1, 2.77], [5, 1, 6], 1)
    losses, p, q = atoms(rows)
    upper, lower = rows.joined()
    assert (upper.left.sum(), upper.right.sum()) == pytest.approx((p.sum(), q.sum()), rel=1e-13)
    assert (lower.left.sum(), lower.right.sum()) == pytest.approx((rows.cells[1].sum(), rows.cells[2].sum()), rel=1e-13)
    fine = GRID / FINAL_GRID_REFINEMENT
    found = np.log(upper.left[upper.left > 0] / upper.right[upper.left > 0])
    steps = (found - losses.min()) / fine
    assert steps == pytest.approx(np.round(steps), abs=1e-9)
    for eps in np.linspace(-1, 5, 13):
        true = delta(p, q, eps)
        assert true * (1 - 1e-12) <= delta(*upper, eps) <= true + 3 * p.max() * fine / 4
        true = delta(rows.cells[1], rows.cells[2], eps)
        assert true - rows.cells[1].sum() * fine <= delta(*lower, eps) <= true * (1 + 1e-12)


# -- which cells matter ------------------------------------------------------------------------------------------------


def test_a_cell_matters_by_its_mass_on_either_side() -> None:
    loss = np.array([-30.0, -1.0, 0.0, 2.0, 50.0])
    m = privacy_loss_distribution.min_heavy_mass(1e-9, loss)
    assert np.maximum(m * np.exp(loss / 2), m * np.exp(-loss / 2)) == pytest.approx([1e-9] * 5, rel=1e-13, abs=0)


def test_in_a_deep_pass_a_cell_matters_to_the_moment_of_any_order() -> None:
    """p^a q^(1 - a) = m e^((a - 1/2) loss) beside `tiny` of the moment of all, at the orders that a deep pass keeps."""
    deep = privacy_loss_distribution.TailMoments(np.array([7.0, -3.0]))
    assert deep.orders.tolist() == sorted({7.0, -3.0, *privacy_loss_distribution.KEPT_ORDERS.tolist()})
    deep.sum = deep.orders**2 / 10
    loss = np.array([-20.0, -0.5, 0.0, 3.0, 40.0])
    wanted = [
        min(
            1e-9 * math.exp(a * a / 10) * math.exp(-(a - 0.5) * x)
            for a in privacy_loss_distribution.KEPT_ORDERS.tolist()
        )
        for x in loss
    ]
    assert deep.min_kept_mass(1e-9, loss) == pytest.approx(wanted, rel=1e-12, abs=0)
    far = deep.min_kept_mass(1e-9, np.array([1e4, -1e4]))
    assert np.log(far) == pytest.approx([-privacy_loss_distribution.OVERFLOW_EXPONENT] * 2, rel=1e-12)


def test_a_deep_pass_follows_all_moments_and_those_of_what_is_pruned() -> None:
    """Two steps: one state to two, and these to one; the second move of the first step is pruned."""
    deep = privacy_loss_distribution.TailMoments(np.array([0.0, 1.0, 2.0]))
    first = PairTransitions(np.array([0, 0]), np.array([0, 1]), np.array([0.75, 0.25]), np.array([0.5, 0.5]))
    second = PairTransitions(
        np.array([0, 1, 1]), np.array([0, 0, 0]), np.array([1.0, 0.5, 0.5]), np.array([1.0, 0.25, 0.75])
    )
    deep.move(first, np.array([False, True]))
    assert deep.least == 0.25
    deep.move(second, np.array([False, False, False]))
    paths = [(0.75, 0.5), (0.125, 0.125), (0.125, 0.375)]
    for order, total, lost in zip(deep.orders.tolist(), deep.total[:, 0], deep.lost[:, 0], strict=True):
        parts = [p**order * q ** (1 - order) for p, q in paths]
        assert math.exp(total) == pytest.approx(sum(parts), rel=1e-13)
        assert math.exp(lost) == pytest.approx(sum(parts[1:]), rel=1e-13)
    tail = deep.tail(0.125)
    assert (tail.low, tail.high) == pytest.approx((math.log(1 / 3), math.log(1.5)), rel=1e-13)
    assert tail.log_error == pytest.approx(0.125 + 2 * 2.0**-53 * (8 + 8 * math.log(4)), rel=1e-9, abs=0)
    assert (tail.lost <= tail.total).all()
    assert tail.sharp
    deep.move(PairTransitions(np.array([0]), np.array([0]), np.array([1e-300]), np.array([1.0])), np.array([False]))
    assert not deep.tail(0.0).sharp
