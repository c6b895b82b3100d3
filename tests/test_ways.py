"""What may be released from a layer, and what is the same: both roads to it beside one another and beside loops."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from dpbandits.proofs_checks.exact import state_graph
from dpbandits.proofs_checks.exact.unique_rows import as_words, equal_rows, flatten_words, state_words, unique_rows
from dpbandits.reference.bandits.policy import Law

# -- the same ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_a_kind_are_equal_and_others_are_not(seed: int) -> None:
    draw = np.random.default_rng(seed)
    parts = [draw.integers(0, 3, (30, 2)).astype(np.uint64), draw.integers(0, 2, 30).astype(np.uint64)]
    rows = [(*part, one) for part, one in zip(parts[0].tolist(), parts[1].tolist(), strict=True)]
    first, kind = unique_rows(parts)
    assert first.tolist() == [k for k, row in enumerate(rows) if row not in rows[:k]]  # as they come
    assert [rows[first[k]] for k in kind] == rows
    ranks = {row: rank for rank, row in enumerate(sorted(set(rows)))}
    first, kind = unique_rows(
        parts, np.array([ranks[row] for row in rows])
    )  # tells all apart: so they are ordered by it
    assert [rows[k] for k in first] == sorted(set(rows))
    assert [rows[first[k]] for k in kind] == rows
    first, kind = unique_rows(parts, np.array([row[0] for row in rows]))  # does not
    assert [rows[first[k]] for k in kind] == rows
    assert len(first) == len(set(rows))


@pytest.mark.parametrize(
    "values",
    [
        np.array([0.0, 1.5, -1.5, 1.5, math.inf, 5e-324]),
        np.array([0.25, 0.5, 0.25], dtype=np.float32),
        np.array([3, -3, 2**62, 3]),
        np.array([3, 250, 3], dtype=np.uint8),
        np.array([True, False, True]),
        np.array(["a", "b", "a", "ab"]),
        np.array([["a", "b"], ["b", "a"]]),
    ],
    ids=lambda values: str(values.dtype),
)
def test_words_are_the_same_where_the_values_are(values: np.ndarray) -> None:
    found = as_words(values)
    assert found.shape == values.shape
    assert found.dtype == np.uint64
    assert ((found[..., None] == found.reshape(-1)) == (values[..., None] == values.reshape(-1))).all()


def test_words_of_a_state_are_those_of_its_parts_in_order() -> None:
    state = (np.array([1, 2]), (np.array([0.5, 0.25]), (np.array([[1, 2], [3, 4]]),)))
    found = state_words(state)
    assert [part.tolist() for part in (found[0], found[2])] == [[1, 2], [[1, 2], [3, 4]]]
    assert found[1].view(np.float64).tolist() == [0.5, 0.25]
    assert flatten_words(found).shape == (2, 4)
    assert flatten_words(found)[1].tolist() == [2, int(np.array(0.25).view(np.uint64)), 3, 4]
    assert len(state_words(np.array([1, 2]))) == 1


def test_rows_are_equal_where_all_of_them_is() -> None:
    one = np.array([[1, 2, 3], [1, 2, 4], [0, 2, 3], [0, 0, 0]], dtype=np.uint64)
    assert equal_rows(one, one[:1]).tolist() == [True, False, False, False]
    assert equal_rows(one[:, :0], one[:, :0]).all()


# -- ways --------------------------------------------------------------------------------------------------------------


def by_hand(law: Law, places: list[Any], left: Any) -> dict[tuple[Any, ...], list[float]]:
    """(state, what is released) -> its chance on every side. The sides after the first speak of some states alone."""
    found: dict[tuple[Any, ...], list[float]] = {}
    start = 0
    for side, place in enumerate(places):
        for row, state in enumerate(place.tolist(), start):
            for outcome, chance in enumerate(law.chance[row].tolist()):
                counts = np.minimum(law.counts[row, outcome], left[state])  # these are of one arm each
                key = (state, *counts.tolist())
                sides = found.setdefault(key, [0.0] * len(places))
                for other in range(len(places)):
                    if other == side or (side == 0 and state not in places[other].tolist()):
                        sides[other] += chance
        start += len(place)
    return {key: sides for key, sides in found.items() if max(sides) > 0}


COUNTS = np.array([[1, 0], [0, 1], [3, 0]])
TWICE = np.array([[1, 0], [0, 1], [1, 0]])


@pytest.mark.parametrize("listed", [COUNTS, TWICE])
@pytest.mark.parametrize(("least", "by_logarithms"), [(3, False), (3, True), (2, False), (2, True)])
@pytest.mark.parametrize("shared", [True, False])
def test_the_ways_out_of_a_layer(listed: Any, least: int, by_logarithms: bool, shared: bool) -> None:
    """Four states, of which two are alike on both sides; with 2 pulls left a block of 3 is cut. Some outcomes have no
    chance on the one side or on both; one that is listed twice is one. However the counts lie in memory."""
    left = np.array([5, least, 4, 6])
    alike = np.array([False, True, False, True])
    places = [np.arange(4), np.array([0, 2])]
    chance = np.array([[0.5, 0.5, 0], [0, 0.25, 0.75], [1, 0, 0], [0.5, 0, 0.5], [0.25, 0, 0.75], [0.75, 0.25, 0]])
    counts = np.broadcast_to(listed, (6, 3, 2))
    with np.errstate(divide="ignore"):
        log = np.log(chance) if by_logarithms else None
    law = Law(counts if shared else counts.copy(), chance, None, 0.0, 0.0, log)
    found = state_graph.layer_transitions(law, places, alike, left, False)
    source, outcomes, outcome, sides, bounds, *_, logs = found
    assert (np.diff(source) >= 0).all()
    assert len({tuple(row) for row in outcomes.tolist()}) == len(outcomes)
    released = [(state, *outcomes[k].tolist()) for state, k in zip(source.tolist(), outcome.tolist(), strict=True)]
    assert len(set(released)) == len(released)
    wanted = by_hand(law, places, left)
    assert dict(zip(released, sides.T.tolist(), strict=True)) == wanted
    assert tuple(bounds) == (None, None)
    assert (logs is not None) == by_logarithms
    if logs is not None:
        assert np.exp(logs) == pytest.approx(sides, rel=1e-14, abs=0)


def test_states_that_have_ended_release_zeros_and_nothing_else() -> None:
    """States 1 and 3 have, of which the latter differs between the sides."""
    left, alike = np.array([2, 0, 2, 0]), np.array([True, True, False, False])
    law = Law(np.broadcast_to(np.eye(2, dtype=np.int64), (3, 2, 2)), np.array([[0.5, 0.5], [1, 0], [0.25, 0.75]]), None)
    found = state_graph.layer_transitions(law, [np.array([0, 2]), np.array([2])], alike, left, False)
    released = [tuple(found[1][k].tolist()) for k in found[2]]
    assert list(zip(found[0].tolist(), released, strict=True)) == [
        (0, (1, 0)), (0, (0, 1)), (1, (0, 0)), (2, (1, 0)), (2, (0, 1)), (3, (0, 0)),
    ]  # fmt: skip
    assert found[3].tolist() == [[0.5, 0.5, 1, 1, 0, 1], [0.5, 0.5, 1, 0.25, 0.75, 1]]


def test_a_truncation_belongs_to_its_release_and_is_infinite_where_there_is_none() -> None:
    """On the second side, whose state differs, one release less is possible; and each has another bound there."""
    left, alike = np.array([5, 5]), np.array([True, False])
    counts = np.broadcast_to(np.eye(2, dtype=np.int64), (3, 2, 2))
    bound = np.array([[[1.0, 9.0], [9.0, 2.0]], [[3.0, 9.0], [9.0, 4.0]], [[5.0, 9.0], [9.0, 6.0]]])
    law = Law(counts, np.array([[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]]), bound)
    found = state_graph.layer_transitions(law, [np.arange(2), np.array([1])], alike, left, False)
    source, _, outcome, chance, bounds, *_ = found
    assert (source.tolist(), outcome.tolist()) == ([0, 0, 1, 1], [0, 1, 0, 1])
    assert chance.tolist() == [[0.5] * 4, [0.5, 0.5, 1, 0]]
    assert bounds[0].tolist() == [[1, 9], [9, 2], [3, 9], [9, 4]]
    assert bounds[1].tolist() == [[1, 9], [9, 2], [5, 9], [math.inf, math.inf]]


def test_one_release_has_one_truncation_unless_it_is_the_last() -> None:
    """The same pulls twice: with bounds that differ where it pulls, a refusal; where it does not, or it ends, none."""
    counts = np.broadcast_to(np.array([[1, 0], [1, 0], [0, 1]]), (1, 3, 2))
    chance = np.array([[0.25, 0.25, 0.5]])
    for second, left in product(((2.0, 7.0), (3.0, 7.0), (2.0, 8.0)), (1, 2)):
        law = Law(counts, chance, np.array([[(2.0, 7.0), second, (5.0, 5.0)]]))
        arguments = (law, [np.array([0])], np.array([True]), np.array([left]), False)
        if second[0] == 3 and left == 2:
            with pytest.raises(ValueError, match=r"release the same pulls \[1, 0\] with different truncation bounds"):
                state_graph.layer_transitions(*arguments)
        else:
            assert state_graph.layer_transitions(*arguments)[3].tolist() == [[0.5, 0.5]]


def test_the_laws_of_all_sides_are_taken_apart_in_order() -> None:
    law = Law(np.arange(12).reshape(6, 1, 2), np.arange(6.0)[:, None], np.arange(12.0).reshape(6, 1, 2), 0.5, 0.25)
    first, second, third = state_graph.split_law(law, [3, 1, 2])
    assert [part.chance[:, 0].tolist() for part in (first, second, third)] == [[0, 1, 2], [3], [4, 5]]
    assert second.counts.tolist() == [[[6, 7]]]
    assert third.bound.tolist() == [[[8, 9]], [[10, 11]]]
    assert (third.error, third.absolute_error, third.log) == (0.5, 0.25, None)
    whole = law._replace(bound=None, log=-np.arange(6.0)[:, None])
    assert state_graph.split_law(whole, [4, 2])[1].log.tolist() == [[-4], [-5]]
    assert state_graph.split_law(whole, [4, 2])[1].bound is None
