"""Pairs refuse to exist unless their sides are neighbours."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from strategies import pairs, rewards, tables
from vacuity import nonvacuous_if

from dpbandits import Pair, Stream, Table, flipped


@given(pair=pairs("pull"))
@pytest.mark.nonvacuous(10)
def test_pull_neighbours_differ_in_one_entry(pair):
    nonvacuous_if((pair.left != pair.right).any())
    assert (pair.left != pair.right).sum() <= 1
    left, right = pair.environments()
    assert isinstance(left, Table)
    assert isinstance(right, Table)
    assert np.array_equal(left.rewards, pair.left)
    assert np.array_equal(right.rewards, pair.right)


@given(pair=pairs("round"))
@pytest.mark.nonvacuous(10)
def test_round_neighbours_differ_in_one_column(pair):
    nonvacuous_if((pair.left != pair.right).any())
    assert (pair.left != pair.right).any(axis=0).sum() <= 1
    assert all(isinstance(side, Stream) for side in pair.environments())


@given(pair=pairs("round"))
@pytest.mark.nonvacuous(10)
def test_swapping_twice_changes_nothing(pair):
    nonvacuous_if((pair.left != pair.right).any())
    swapped = pair.swapped()
    assert np.array_equal(swapped.left, pair.right)
    assert np.array_equal(swapped.swapped().left, pair.left)


@given(table=tables(arms=2, length=3), value=rewards)
@pytest.mark.nonvacuous(10)
def test_a_flipped_table_is_a_neighbour(table, value):
    nonvacuous_if(value != table[1, 2])
    pair = flipped("pull", table, arm=1, index=2, value=value)
    assert pair.right[1, 2] == value
    assert np.array_equal(pair.left, table)
    pair.right  # noqa: B018  built once, read-only for ever
    with pytest.raises(ValueError, match="read-only"):
        pair.right[0, 0] = 0.0


ZERO = np.zeros((2, 3))


def changed(*places):
    table = ZERO.copy()
    for place in places:
        table[place] = 1.0
    return table


@pytest.mark.parametrize(
    ("relation", "left", "right", "message"),
    [
        ("pull", ZERO, changed((0, 0), (1, 0)), "differ in 2 entries; neighbours differ in at most one"),
        ("round", ZERO, changed((0, 0), (0, 2)), "differ in 2 rounds; neighbours differ in at most one"),
        ("pull", ZERO, np.zeros((2, 4)), r"shapes \(2, 3\) and \(2, 4\); both must have"),
        ("pull", np.zeros(3), np.zeros(3), r"shapes \(3,\) and \(3,\)"),
        ("row", ZERO, ZERO, "relation is 'row'; choose one of 'pull', 'round', 'reward', 'user'"),
        ("user", ZERO, ZERO, "pair: relation 'user' needs contexts; give contexts=Contexts"),
        ("pull", ZERO, 1.2 * changed((0, 0)), r"right table: the reward at \(0, 0\) is 1.2"),
        ("pull", ZERO + np.nan, ZERO, r"left table: the reward at \(0, 0\) is nan"),
    ],
)
def test_other_sides_are_refused(relation, left, right, message):
    with pytest.raises(ValueError, match=message):
        Pair(relation, left, right)


@pytest.mark.parametrize("lengths", [None, [1, 1]])
@pytest.mark.parametrize("value", ["1", 1j, None])
def test_a_reward_that_is_no_number_is_put_into_no_table(value, lengths):
    with pytest.raises(ValueError, match=r"pair: the value: .* is not an array of real numbers"):
        flipped("pull", [[0.5, 0.5]], 0, 0, value, lengths)


def test_a_column_of_many_entries_is_one_round():
    Pair("round", ZERO, changed((0, 1), (1, 1)))


def test_a_pair_in_runs_refuses_what_is_no_neighbour() -> None:
    pair = flipped("pull", np.zeros((2, 2)), 1, 4, 1.0, [3, 5])
    assert pair.lengths.tolist() == [3, 1, 1, 3]
    assert (pair.length, pair.spot, pair.column(4), pair.column(7)) == (8, (1, 4), 2, 3)
    assert pair.parted(6, 0, 8, 4).lengths.tolist() == [3, 1, 1, 1, 2]
    with pytest.raises(ValueError, match="differ in an entry that represents 5 equal rewards"):
        Pair("pull", np.zeros((1, 2)), np.array([[0.0, 1.0]]), [3, 5])
    with pytest.raises(ValueError, match="differ in 2 entries"):
        Pair("pull", np.zeros((1, 2)), np.ones((1, 2)), [1, 1])
    for lengths in ([3], [3, 0], [1.5, 2.0]):
        with pytest.raises(ValueError, match="give 2 integers of at least 1, one for each column"):
            Pair("pull", np.zeros((1, 2)), np.zeros((1, 2)), lengths)
    with pytest.raises(ValueError, match="no reward at"):
        flipped("pull", np.zeros((2, 2)), 1, 8, 1.0, [3, 5])
