"""Parts of the walk: which states tell nothing, which are one, what is counted, and who is led by transcripts."""

from __future__ import annotations

import numpy as np
import pytest
from test_walk import pair_of

from dpbandits import Pair, flipped
from dpbandits.proofs_checks.exact.engine import unfold_states
from dpbandits.proofs_checks.exact.enumeration import enumerate_transcripts
from dpbandits.proofs_checks.exact.follow_transcripts import ReleasedPulls, follow_transcripts
from dpbandits.proofs_checks.exact.state_graph import (
    Transitions,
    pulls_until_equal_rewards,
    stack_truncations,
    state_graph,
)
from dpbandits.proofs_checks.exact.state_graph import merge_ended_states as merged
from dpbandits.reference.bandits.passing import state_rows as rows_of
from dpbandits.reference.papers.ou24 import ALGORITHM_1


def test_from_where_on_both_sides_pay_alike():
    """After the pull of the arm whose reward differs, on a stream after that round; at once where nothing does."""
    table = np.zeros((3, 6))
    assert pulls_until_equal_rewards(flipped("pull", table, 1, 4, 1.0)).tolist() == [0, 5, 0]
    assert pulls_until_equal_rewards(flipped("pull", table, 0, 0, 1.0)).tolist() == [1, 0, 0]
    assert pulls_until_equal_rewards(Pair("pull", table, table)).tolist() == [0, 0, 0]
    assert pulls_until_equal_rewards(Pair("round", table, table)) == 0
    changed = table.copy()
    changed[1:, 3] = 1
    assert pulls_until_equal_rewards(Pair("round", table, changed)) == 4
    assert pulls_until_equal_rewards(flipped("pull", table[:, :2], 2, 3, 1.0, np.array([2, 4]))).tolist() == [0, 0, 4]


@pytest.mark.parametrize(("relation", "place"), [("pull", 2), ("round", 2), ("round", 5)])
def test_a_state_tells_nothing_once_both_sides_pay_alike_and_it_is_the_same(relation, place):
    """Not before the reward that differs has been paid, and not where it has left a trace."""
    along = state_graph(ALGORITHM_1(2, 6), flipped(relation, np.zeros((2, 6)), 1, place, 1.0))
    start = along.first_layer()
    made = np.array([[0, 0], [5, 0], [3, place], [0, place + 1], [0, place + 1]])
    alike = np.array([True, True, True, True, False])
    layer = start._replace(pulls=made, same_on_all_sides=alike, pulls_left=np.ones(5), table=None)
    paid = made[:, 1] if relation == "pull" else made.sum(axis=1)
    assert along.settled_states(layer).tolist() == np.flatnonzero(alike & (paid > place)).tolist()
    assert along._replace(equal_rewards_after=None).settled_states(layer).size == 0


def test_states_that_have_ended_become_the_first_of_them():
    """Of five states, 1, 3 and 4 tell nothing: 3 and 4 are gone, 1 has nothing left to do, and all ways lead on."""
    along = state_graph(ALGORITHM_1(2, 6), pair_of("pull", 6))
    start = along.first_layer()
    five = np.array([0, 0, 0, 0, 0])
    layer = start._replace(
        pulls=np.arange(10).reshape(5, 2), state=rows_of(start.state, start.rows_on_all_sides(five)),
        same_on_all_sides=np.arange(5) > 1,
        pulls_left=np.array([6, 5, 4, 3, 2]),
    )  # fmt: skip
    target, after = merged(np.array([0, 1, 1, 2, 3, 4, 4]), layer, np.array([1, 3, 4]))
    assert target.tolist() == [0, 1, 1, 2, 1, 1, 1]
    assert after.pulls.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert after.pulls_left.tolist() == [6, 0, 4]
    assert after.same_on_all_sides.tolist() == [False, False, True]
    assert len(after.state.total) == 2 * 3  # of both sides
    unchanged = merged(np.array([0, 1]), layer, np.array([], dtype=np.int64))
    assert unchanged[0].tolist() == [0, 1]
    assert unchanged[1] is layer


def test_states_are_counted_until_there_are_too_many():
    """Of two arms that are pulled once a step, t + 1 states after t steps where nothing is ever the same for good."""
    whole = state_graph(ALGORITHM_1(2, 4), pair_of("pull", 4))._replace(equal_rewards_after=None)
    assert unfold_states(whole, 10**6)[0] == unfold_states(whole, 2 + 3 + 4 + 5)[0] == 14
    assert unfold_states(whole, 14)[1] is not None
    assert unfold_states(whole, 8) == (2 + 3 + 4, None)
    assert unfold_states(whole, 9) == (14, None)  # as many as there are after three steps of the four
    assert [len(layer.pulls) for _, layer in unfold_states(whole, 14)[1]] == [2, 3, 4, 5]


def test_no_more_transcripts_are_enumerated_than_are_allowed():
    assert len(enumerate_transcripts(ALGORITHM_1(2, 4), pair_of("pull", 4), max_transcripts=2**4).left) == 16
    with pytest.raises(ValueError, match="more than 15 transcripts at step 4; shorten the horizon"):
        enumerate_transcripts(ALGORITHM_1(2, 4), pair_of("pull", 4), max_transcripts=2**4 - 1)


def test_what_cannot_be_walked_is_refused():
    with pytest.raises(
        ValueError, match=r"the policy has arms = 3, but the reward tables of the pair have shape \(2, "
    ):
        state_graph(ALGORITHM_1(3, 4), pair_of("pull", 4))
    with pytest.raises(TypeError, match=r"has no method law\(t, state\), which the exact engine needs"):
        state_graph(object(), pair_of("pull", 4))


def test_the_chosen_ways_keep_all_that_is_known_of_them():
    offers = Transitions(
        np.array([0, 0, 1, 2]), np.array([[1, 0], [0, 1], [0, 2]]), np.array([0, 1, 2, 1]),
        np.arange(8.0).reshape(2, 4), (None, np.arange(8.0).reshape(4, 2)), 0.25, 0.125, -np.arange(8.0).reshape(2, 4),
    )  # fmt: skip
    some = offers.chosen(np.array([3, 0]))
    assert some.source.tolist() == [2, 0]
    assert some.counts.tolist() == [[0, 1], [1, 0]]
    assert some.chance.tolist() == [[3, 0], [7, 4]]
    assert some.log.tolist() == [[-3, 0], [-7, -4]]
    assert some.bounds[0] is None
    assert some.bounds[1].tolist() == [[6, 7], [0, 1]]
    assert (some.error, some.absolute_error) == (0.25, 0.125)
    assert offers._replace(log=None).chosen(np.array([1])).log is None


def test_no_bound_is_an_infinite_one_where_some_side_has_one():
    one = np.array([[1.0, 2.0], [3.0, np.inf]])
    assert stack_truncations((None, None), (2, 2)) is None
    assert stack_truncations((one, None), (2, 2)).tolist() == [*one.tolist(), [np.inf] * 2, [np.inf] * 2]
    assert stack_truncations((None, one), (2, 2)).tolist() == [[np.inf] * 2, [np.inf] * 2, *one.tolist()]


def test_transcripts_are_followed_as_far_as_the_law_offers_what_they_release():
    """Five of them, of which three release two pulls at once sooner or later, which no state offers."""
    along, kinds_of = state_graph(ALGORITHM_1(2, 4), pair_of("pull", 4)), np.array([[1, 0], [0, 1], [2, 0]])
    runs = np.array([[0, 1, 0, 1], [2, 0, 0, 0], [0, 0, 2, 0], [1, 0, 1, 1], [0, 2, 1, 0]])
    until = np.array([4, 0, 2, 4, 1])  # the steps that are offered
    seen = []

    def released(t, offers):
        seen.append(t)
        assert {tuple(row) for row in offers.counts.tolist()} == {(1, 0), (0, 1)}
        return ReleasedPulls(runs[:, t - 1], kinds_of)

    for visit in follow_transcripts(along, released):
        still = np.flatnonzero(until >= visit.t - 1)
        trial = np.arange(5)[visit.trial]
        assert trial.tolist() == still.tolist()
        assert visit.kind.tolist() == runs[trial, visit.t - 1].tolist()
        assert ((visit.way < 0) == (until[trial] == visit.t - 1)).all()
        fine = visit.way >= 0
        assert (visit.transitions.counts[visit.way[fine]] == kinds_of[visit.kind[fine]]).all()
        assert (visit.transitions.source[visit.way[fine]] == visit.node[fine]).all()
        before = np.array([kinds_of[run[: visit.t - 1]].sum(axis=0) for run in runs[trial]]).reshape(-1, 2)
        assert (visit.layer.pulls[visit.node] == before).all()
    assert seen == [1, 2, 3, 4]
    assert [
        visit.t
        for visit in follow_transcripts(along, lambda t, _: ReleasedPulls(runs[:, t - 1], kinds_of) if t < 3 else None)
    ] == [1, 2]
    nobody = ReleasedPulls(np.full(5, 2), kinds_of)
    assert [visit.way.tolist() for visit in follow_transcripts(along, lambda *_: nobody)] == [[-1] * 5]


def test_transcripts_that_are_kept_apart_do_not_meet():
    """By which arm came first, given as a number of each way; else the two orders of two arms meet."""
    along, kinds_of = state_graph(ALGORITHM_1(2, 3), pair_of("pull", 3)), np.eye(2, dtype=np.int64)
    runs = np.array([[0, 1, 0], [1, 0, 0]])

    def states(apart):
        found = follow_transcripts(along, lambda t, _: ReleasedPulls(runs[:, t - 1], kinds_of), apart)
        return [len(set(visit.node.tolist())) for visit in found]

    assert states(None) == [1, 2, 1]
    assert states(lambda offers: offers.outcome[:, None] * (len(offers.source) > 1)) == [1, 2, 2]
