"""Runs side by side: who has ended is played no more, and nobody else notices."""

import numpy as np
import pytest

from dpbandits import Bernoulli, Seeded, play
from dpbandits.audit.play import runs
from dpbandits.audit.play.runs import JointPolicy, joint_policy, side_by_side
from dpbandits.reference.bandits.environments import TruncatedExponential
from dpbandits.reference.bandits.noise import address
from dpbandits.reference.papers.ou24 import REPAIRED, ThompsonSampling

PREPULLS = (10, 90, 0, 100, 50)  # of 300 rounds with three arms
SETTINGS = tuple(REPAIRED(3, 300, b, 1.0 + b) for b in PREPULLS)


@pytest.mark.parametrize("environment", [Bernoulli((0.2, 0.5, 0.7)), TruncatedExponential((1.0, 2.0, 0.1))])
def test_runs_that_have_ended_are_dropped_and_the_others_stay_as_they_were(environment):
    """Runs whose releases are kept are all played on to the end."""
    of = np.repeat(sorted(range(len(SETTINGS)), key=lambda place: -runs.stated_steps(SETTINGS[place])), 7)
    joint = joint_policy(SETTINGS, of)
    dropped, whole = (play(joint, environment, Seeded(3, len(of)), len(of), keep=keep) for keep in (False, True))
    assert np.array_equal(dropped.sums, whole.sums)
    assert np.array_equal(dropped.pulls, whole.pulls)
    assert (dropped.pulls.sum(axis=1) == 300).all()


def test_the_first_runs_of_a_batch_do_not_depend_on_how_many_batches_there_are():
    whole = side_by_side(SETTINGS[2:3], Bernoulli((0.2, 0.5, 0.7)), 10, seed=3)[0]
    parts = side_by_side(SETTINGS[2:3], Bernoulli((0.2, 0.5, 0.7)), 10, seed=3, batch_numbers=12)[0]
    assert np.array_equal(parts.pulls[:4], whole.pulls[:4])
    assert not np.array_equal(parts.pulls[4:8], whole.pulls[4:8])
    assert len({row.tobytes() for row in np.column_stack(parts[:2])}) == 10  # every batch has noise of its own


def test_the_said_number_of_steps_is_that_of_a_run():
    for policy in SETTINGS:
        assert runs.stated_steps(policy) == runs.steps_of(policy, Bernoulli((0.2, 0.5, 0.7)), 10_000)
    for horizon in (1, 2, 5):
        assert runs.steps_of(ThompsonSampling(2, horizon), Bernoulli((0.2, 0.5)), 10_000) == horizon
    assert runs.steps_of(ThompsonSampling(2, 5), Bernoulli((0.2, 0.5)), 5) == 5
    assert runs.steps_of(ThompsonSampling(2, 5), Bernoulli((0.2, 0.5)), 3) == 4


def test_columns_stand_in_the_order_of_the_runs():
    joint = joint_policy(SETTINGS, np.array([2, 2, 0, 3]))
    assert joint.joint.prepulls.tolist() == [[0], [0], [10], [100]]
    assert joint.first(3).joint.variance.tolist() == [[1.0], [1.0], [11.0]]
    assert joint_policy(SETTINGS, np.array([1, 1])) is SETTINGS[1]
    assert joint_policy(SETTINGS, np.array([3])) is SETTINGS[3]


def test_who_has_ended_is_dropped_but_for_one_that_is_shorter_than_the_longest():
    """Steps of 9, 9, 5, 5, 2: the first of the shorter ones stays, and all up to the last that has something left."""
    joint = JointPolicy(None, {}, np.array([9, 9, 5, 5, 2]), None)
    for left, many in (([1, 1, 1, 1, 1], 5), ([1, 1, 1, 1, 0], 4), ([1, 1, 0, 0, 0], 3), ([3, 0, 0, 0, 0], 3)):
        assert joint.fewer(np.array(left)) == many
    assert joint.fewer(np.array([0, 0, 0, 2, 0])) == 4
    lone = JointPolicy(None, {}, np.array([9, 5, 5]), None)
    assert lone.fewer(np.array([1, 0, 0])) == 2
    even = JointPolicy(None, {}, np.array([7, 7, 7]), None)
    assert even.fewer(np.array([1, 0, 0])) == 3  # none is shorter, and all end together


def test_batches_hold_the_longest_runs_first_and_have_noise_of_their_own():
    """Of 24 numbers each, runs of three arms eight at a time; policies of other kinds in groups of their own."""
    policies = (*SETTINGS[:3], ThompsonSampling(3, 300), ThompsonSampling(2, 300))
    found = runs.batches(policies, None, 5, 11, 24)
    assert [each.of.tolist() for each in found] == [
        [2] * 5 + [0] * 3, [0] * 2 + [1] * 5, [3] * 5, [4] * 5
    ]  # fmt: skip
    assert [each.block for each in found] == [0, address(0, 8), 1, 2]
    assert all(each.seed == 11 for each in found)
    # Fewer numbers than arms: one run at a time.
    assert [len(each.of) for each in runs.batches(policies[:1], None, 5, 11, 2)] == [1] * 5


def test_a_run_is_cut_off_where_its_pace_is_too_slow_and_not_before():
    """From a step on, pulls so far times the most steps are held against the horizon times the steps so far."""
    paid = Bernoulli((0.5, 0.5))
    counts = np.array([[1, 0]])
    for most, t, pulled, fine in (
        (10, 5, 16, True), (10, 5, 15, False), (10, 4, 0, True), (10, 10, 36, True), (10, 10, 35, False),
        (10, 11, 99, False), (10, 1, 0, True),
    ):  # fmt: skip
        place = runs.CountedEnvironment(paid, most, 40, pace_steps=4)
        made = np.array([[pulled - pulled // 2, pulled // 2]])
        if fine:
            assert place.draw(t, made, counts, None, Seeded(0, 1)).shape == (1, 2)
        else:
            with pytest.raises(runs.TooLong):
                place.draw(t, made, counts, None, Seeded(0, 1))
    assert runs.CountedEnvironment(paid, 3, 40).arms == 2
