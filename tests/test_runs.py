"""Runs side by side: who has ended is played no more, and nobody else notices."""

import numpy as np
import pytest

from dpbandits.audit.play import runs
from dpbandits.audit.play.runs import Columns, columns, side_by_side
from dpbandits.reference import policy as played
from dpbandits.reference.environments import Bernoulli, TruncatedExponential
from dpbandits.reference.papers.ou24 import REPAIRED

PREPULLS = (10, 90, 0, 100, 50)  # of 300 rounds with three arms
SETTINGS = tuple(REPAIRED(3, 300, b, 1.0 + b) for b in PREPULLS)


@pytest.mark.parametrize("environment", [Bernoulli((0.2, 0.5, 0.7)), TruncatedExponential((1.0, 2.0, 0.1))])
def test_runs_that_have_ended_are_dropped_and_the_others_stay_as_they_were(monkeypatch, environment):
    asked = []
    fewer = Columns.first

    def noted(self: Columns, many: int) -> Columns:
        asked.append(many)
        return fewer(self, many)

    monkeypatch.setattr(Columns, "first", noted)
    dropped = side_by_side(SETTINGS, environment, 7, seed=3)
    assert asked == [28, 21, 14, 8]  # the longest and one that pre-pulls stay to the end
    monkeypatch.setattr(played, "FEWER", -1.0)
    whole = side_by_side(SETTINGS, environment, 7, seed=3)
    assert asked == [28, 21, 14, 8]
    for one, other in zip(dropped, whole, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
        assert (one.pulls.sum(axis=1) == 300).all()


def test_the_first_runs_of_a_batch_do_not_depend_on_how_many_batches_there_are(monkeypatch):
    whole = side_by_side(SETTINGS[2:3], Bernoulli((0.2, 0.5, 0.7)), 10, seed=3)[0]
    monkeypatch.setattr(runs, "TOGETHER", 12)
    parts = side_by_side(SETTINGS[2:3], Bernoulli((0.2, 0.5, 0.7)), 10, seed=3)[0]
    assert np.array_equal(parts.pulls[:4], whole.pulls[:4])
    assert not np.array_equal(parts.pulls[4:8], whole.pulls[4:8])
    assert len({row.tobytes() for row in np.column_stack(parts[:2])}) == 10  # every batch has noise of its own


def test_the_said_number_of_steps_is_that_of_a_run():
    for policy in SETTINGS:
        assert runs.steps_said(policy) == runs.steps_of(policy, Bernoulli((0.2, 0.5, 0.7)), 10_000)


def test_columns_stand_in_the_order_of_the_runs():
    joint = columns(SETTINGS, np.array([2, 2, 0, 3]))
    assert joint.joint.prepulls.tolist() == [[0], [0], [10], [100]]
    assert joint.first(3).joint.variance.tolist() == [[1.0], [1.0], [11.0]]
    assert columns(SETTINGS, np.array([1, 1])) is SETTINGS[1]
