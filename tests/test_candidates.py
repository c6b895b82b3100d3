"""The pairs that a search begins with, and the changes that it makes of them, one by one as they are described."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from leaks import DoublingUCB

from dpbandits import Contexts, Pair, flipped
from dpbandits.audit.privacy.exact_pairs import worst_pair
from dpbandits.audit.privacy.search.between import pair_of_halves
from dpbandits.audit.privacy.search.pairs import (
    candidates,
    changed_arms,
    lengths_of_runs,
    mutated,
    neighbours_of_table,
    pairs_changing_in_time,
    reward_tables,
)
from dpbandits.audit.privacy.search.proposals import run_ends
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.reward_ranges import Range
from dpbandits.reference.papers.ou24 import ALGORITHM_1, ModifiedThompsonSampling, ThompsonSampling


def of(*rows: Any) -> list[list[float]]:
    return [list(map(float, row)) for row in rows]


def test_the_tables_of_three_arms() -> None:
    """Alike at 0, 1, 1/2 and by turns; the first, the last, the middle one best; a ramp; the last one worst; by half
    as much; the last one better late, worse late; by turns at quarters."""
    o, i, h, t = (0,) * 4, (1,) * 4, (0.5,) * 4, (0, 1, 0, 1)
    wanted = [
        of(o, o, o), of(i, i, i), of(h, h, h), of(t, t, t),
        of(i, o, o), of(o, o, i), of(o, i, o), of(o, h, i), of(i, i, o),
        of(o, o, h), of(i, i, h), of(o, o, (0, 0, 1, 1)), of(i, i, (1, 1, 0, 0)), of(*3 * [(0.25, 0.75, 0.25, 0.75)]),
    ]  # fmt: skip
    assert [table.tolist() for table in reward_tables(3, 4)] == wanted


def test_in_runs_the_second_half_begins_one() -> None:
    lengths = lengths_of_runs(100, [0, 1, 98])
    assert lengths.tolist() == [1, 1, 48, 48, 1, 1]
    late, fading = (table[-1].tolist() for table in reward_tables(2, 100, lengths)[11:13])
    assert late == [0, 0, 0, 1, 1, 1]
    assert fading == [1, 1, 1, 0, 0, 0]


def test_the_arms_that_take_a_changed_reward() -> None:
    assert [changed_arms(arms) for arms in (1, 2, 4, 5, 10)] == [[0], [0, 1], [0, 1, 2, 3], [0, 1, 3, 4], [0, 3, 6, 9]]


def where(pair: Pair) -> tuple[Any, ...]:
    """The changed cells, with what they become."""
    return tuple((*map(int, cell), float(pair.right[tuple(cell)])) for cell in np.argwhere(pair.left != pair.right))


def test_the_neighbours_of_a_table_at_a_pull_are_at_the_ends_of_the_range() -> None:
    table = np.array([[0.0, 0.5], [1.0, 0.25]])
    assert [where(pair) for pair in neighbours_of_table("pull", table, 1)] == [
        ((0, 1, 0.0),), ((0, 1, 1.0),), ((1, 1, 0.0),), ((1, 1, 1.0),)
    ]  # fmt: skip
    assert [where(pair) for pair in neighbours_of_table("pull", table, 0)] == [((0, 0, 1.0),), ((1, 0, 0.0),)]


def test_the_neighbours_of_a_table_in_a_round_change_one_arm_or_all() -> None:
    table = np.array([[0.0, 0.5], [1.0, 0.75]])
    assert [where(pair) for pair in neighbours_of_table("round", table, 0)] == [
        ((0, 0, 1.0),), ((1, 0, 0.0),), ((0, 0, 1.0), (1, 0, 0.0))
    ]  # fmt: skip
    assert [where(pair) for pair in neighbours_of_table("round", table, 1)] == [
        ((0, 1, 0.0),), ((0, 1, 1.0),), ((1, 1, 0.0),), ((1, 1, 1.0),),
        ((0, 1, 0.0), (1, 1, 0.0)), ((0, 1, 1.0), (1, 1, 1.0)), ((0, 1, 1.0), (1, 1, 0.0)),
    ]  # fmt: skip
    wide = list(neighbours_of_table("round", 10 * table - 5, 0, None, Range(-5.0, 5.0)))
    assert [where(pair) for pair in wide] == [((0, 0, 5.0),), ((1, 0, -5.0),), ((0, 0, 5.0), (1, 0, -5.0))]


def every(policy: Any, relation: str, places: list[int]) -> list[tuple[int, Pair]]:
    """All neighbours of all tables at these places, each once."""
    found: dict[bytes, tuple[int, Pair]] = {}
    for place in places:
        for table in reward_tables(policy.arms, policy.horizon):
            for pair in neighbours_of_table(relation, table, place):
                found.setdefault(pair.left.tobytes() + pair.right.tobytes(), (place, pair))
    return list(found.values())


def same(one: list[Pair], other: list[Pair]) -> bool:
    return len(one) == len(other) and all(
        np.array_equal(a.left, b.left) and np.array_equal(a.right, b.right) for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("relation", ["pull", "round"])
@pytest.mark.parametrize(
    ("policy", "places"),
    [
        (ALGORITHM_1(2, 1), [0]),
        (ALGORITHM_1(2, 3), [0, 1, 2]),
        (DoublingUCB(2, 12), [0, 1, 2, 3, 5, 10]),
        (DoublingUCB(10, 50), [0, 1, 2, 3, 24, 48]),
        (ModifiedThompsonSampling(2, 30, prepulls=7), [0, 1, 2, 3, 14, 28, 6, 7]),
    ],
    ids=str,
)
@pytest.mark.first(4)
def test_all_first_places_are_candidates_and_an_even_share_of_the_others(
    policy: Any, relation: str, places: list[int]
) -> None:
    """The first four pulls, a middle one, the last that counts, and those at the end of pulls in advance."""
    found = every(policy, relation, places)
    first, rest = ([pair for place, pair in found if (place == 0) == begin] for begin in (True, False))
    first = first[:120]
    changing = pairs_changing_in_time(policy, relation)
    room = min(len(rest), max(120 - len(first) - len(changing), 40))
    evenly = [rest[k * len(rest) // room] for k in range(room)]
    assert same(candidates(policy, relation), first + evenly + changing)


@pytest.mark.parametrize(("relation", "arms", "many"), [("pull", 2, 12), ("pull", 9, 24), ("round", 2, 6)])
def test_rewards_that_rise_fall_or_all_differ_and_a_second_one_that_does_not(
    relation: str, arms: int, many: int
) -> None:
    """So that they rise in turns as well: the first arm pays its first reward below what the second pays."""
    found = pairs_changing_in_time(DoublingUCB(arms, 12), relation)
    assert len(found) == many
    rising, falling, uneven = (found[k * many // 3].left for k in range(3))
    for table in (rising, 1 - falling):
        assert (np.diff(table.T.ravel()) > 0).all()
    assert np.unique(uneven).size == uneven.size == 12 * arms
    for one, other in zip(found[::2], found[1::2], strict=True):
        assert one.spot is not None
        assert other.spot == one.spot
        where = slice(None) if relation == "round" else one.spot[0]
        assert (one.right[where, 1] == one.left[where, 0]).all()
        assert set(np.unique(other.right[where, 1])) <= {0.0, 1.0}
        assert not (np.diff(one.right[where, :3]) > 0).all()
    assert pairs_changing_in_time(DoublingUCB(2, 1), relation) == []
    assert pairs_changing_in_time(ThompsonSampling(2, 5), relation) == []
    long = pairs_changing_in_time(DoublingUCB(2, 10**6), relation)
    assert all(pair.length == 10**6 and pair.left.shape[1] < 9 for pair in long)


# -- changes ---------------------------------------------------------------------------------------------------------


class Dice:
    """Answers what it is told, in order."""

    def __init__(self, numbers: list[int], shares: list[float]) -> None:
        self.numbers, self.shares = iter(numbers), iter(shares)

    def integers(self, below: int) -> int:
        found = next(self.numbers)
        assert 0 <= found < below
        return found

    def random(self) -> float:
        return next(self.shares)


PULL = flipped("pull", np.array([[0, 0, 1, 0.5, 0.25, 1.0], [0.5] * 6]), 0, 1, 1.0)
ROUND = Pair("round", PULL.left, np.where(np.arange(6) == 1, [[1.0], [0.0]], PULL.left))
# log-uniform: 6^0.62 = 3.04 begins at place 2; (6 - 2 + 1)^0.44 = 2.03 ends two places later
BEGIN, END = 0.62, 0.44


def made(pair: Pair, numbers: list[int], shares: tuple[float, float] = (BEGIN, END)) -> tuple[Array, Array]:
    found = mutated(pair, Dice(numbers, list(shares)))  # type: ignore[arg-type]
    assert found is not None
    assert found.relation == pair.relation
    return found.left, found.right


def changed(row: int, cells: Any, values: Any) -> Array:
    out = PULL.left.copy()
    out[row, cells] = values
    return out


@pytest.mark.parametrize(
    ("numbers", "left"),
    [
        ([1, 0, 1], changed(1, 2, 1)),  # one reward to an end
        ([1, 0, 0], changed(1, 2, 0)),
        ([1, 1, 1], changed(1, slice(2, 4), 1)),  # a segment to an end
        ([0, 2], changed(0, slice(2, 6), [0, 0.5, 0.75, 0])),  # from there on the complement
        ([1, 3, 0], changed(1, slice(None), PULL.left[0])),  # another arm's row
        ([0, 3, 0], PULL.left),
    ],
)
def test_a_change_of_the_tables_keeps_the_changed_place(numbers: list[int], left: Array) -> None:
    found, right = made(PULL, numbers)
    assert found.tolist() == left.tolist()
    assert where(Pair("pull", found, right)) == ((0, 1, 1.0),)
    found, right = made(ROUND, numbers)
    assert found.tolist() == left.tolist()
    assert right[:, 1].tolist() == [1.0, 0.0]
    assert (np.delete(right, 1, axis=1) == np.delete(found, 1, axis=1)).all()


def test_the_changed_place_moves_or_is_paid_anew() -> None:
    """To the drawn arm and place, where the reward becomes its opposite; or its own left reward is drawn again."""
    for numbers, spot in (([1, 4], (1, 2, 1.0)), ([0, 4], (0, 2, 0.0))):
        left, right = made(PULL, numbers)
        assert left.tolist() == PULL.left.tolist()
        assert where(Pair("pull", left, right)) == (spot,)
    left, right = made(ROUND, [0, 4])
    assert right[:, 2].tolist() == [0.0, 1.0]  # of 1 and of 1/2, which rounds to 0
    for value in (0, 1):
        left, right = made(PULL, [1, 5, value])
        assert left.tolist() == changed(0, 1, value).tolist()
        assert where(Pair("pull", left, right)) == ((0, 1, 1.0 - value),)
        left, right = made(ROUND, [1, 5, value])
        assert left.tolist() == changed(0, 1, value).tolist()
        assert right[:, 1].tolist() == [1.0 - value, 1.0]


def test_where_the_other_side_would_pay_the_same_it_pays_the_opposite() -> None:
    left, right = made(PULL, [0, 1, 1], (0.0, 0.99))  # all of the arm to 1, where the right paid 1
    assert left[0].tolist() == [1.0] * 6
    assert where(Pair("pull", left, right)) == ((0, 1, 0.0),)
    flat = Pair("round", np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[1.0, 0.0], [1.0, 1.0]]))
    assert mutated(flat, Dice([0, 0, 1], [0.0, 0.0])) is None  # type: ignore[arg-type]


def test_places_and_lengths_are_log_uniform() -> None:
    """The first place with a chance of log 2/log T; the last one is reached, and so is the whole row."""
    for share, place in ((0.0, 0), (0.38, 0), (0.4, 1), (0.999999, 4)):
        left, _ = made(PULL, [1, 0, 1], (share, 0.0))
        assert np.flatnonzero(left[1] == 1).tolist() == [place]
    for share, length in ((0.0, 1), (0.3, 1), (0.36, 2), (0.999999, 6)):
        left, _ = made(PULL, [1, 1, 1], (0.0, share))
        assert (left[1] == 1).sum() == length


def test_a_local_search_goes_on_from_the_best_and_keeps_what_rises() -> None:
    some = [flipped("pull", np.zeros((2, 2)), 0, 0, (k + 1) / 8) for k in range(4)]
    values = {id(pair): value for pair, value in zip(some, (1.0, 3.0, 2.0, 2.5), strict=True)}
    bases: list[Pair] = []
    kept: list[Pair] = []

    def change(pair: Pair, generator: Any) -> Pair | None:
        bases.append(pair)
        if len(bases) % 5 == 0:
            return None
        new = flipped("pull", np.zeros((2, 2)), 0, 0, 1 / (len(bases) + 8))
        kept.append(new)
        rise = {1: 0.5e-9, 2: 0.1, 7: 0.9}.get(len(bases), -0.1)
        values[id(new)] = values[id(pair)] * (1 + rise)
        return new

    found = worst_pair(some, lambda pair: values[id(pair)], 0, 5, change=change)
    best, second = some[1], some[3]
    assert [id(pair) for pair in bases] == [
        id(pair) for pair in (best, best, kept[1], kept[1], kept[1], second, second, kept[5], kept[5], kept[5])
    ]
    assert found is kept[5]  # the second start rose to 2.5 * 1.9, the first one to 3.3 only
    assert values[id(found)] == pytest.approx(4.75)
    bases[:], kept[:] = [None] * 9, []  # beyond the rises: no start gets any better
    again = worst_pair(some, lambda pair: values[id(pair)], 0, 3, change=change)
    assert again is best  # and a later start, which is worse, replaces none


def test_pairs_of_an_unknown_relation_are_refused() -> None:
    with pytest.raises(ValueError, match="relation is 'table'; choose 'pull' or 'round'"):
        candidates(ThompsonSampling(2, 3), "table")


def test_stretches_end_where_rewards_or_contexts_change() -> None:
    rewards, lengths = np.zeros((2, 3)), np.array([2, 1, 3])
    other = rewards.copy()
    other[0, 1] = 1.0
    for relation, contexts, wanted in (
        ("round", None, {2, 3, 6}),
        ("reward", Contexts(np.zeros((6, 2, 1))), {1, 2, 3, 4, 5, 6}),
        ("reward", Contexts(np.zeros((2, 2, 1)), np.array([5, 4])), {2, 3, 5, 6}),
    ):
        assert set(run_ends(Pair(relation, rewards, other, lengths, contexts=contexts)).tolist()) == wanted


@pytest.mark.parametrize(("rewards", "middle"), [({0.0, 0.5, 1.0}, 0.5), ({0.0, 0.375, 1.0}, 0.375)])
def test_tables_of_halves_have_the_reward_that_is_nearest_to_the_half(rewards: set[float], middle: float) -> None:
    class Rewarded(DoublingUCB):
        reward_range = frozenset(rewards)

    pair = pair_of_halves(Rewarded(2, 4), "pull", 0, 1, 0.0, Range(0.0, max(rewards)), 1.0)
    assert set(np.unique(np.delete(pair.left, 1, axis=1))) == {middle}
