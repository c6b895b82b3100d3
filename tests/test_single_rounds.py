"""One round, part by part: the histories that it is asked about, whole totals, longer horizons, trials one by one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from dpbandits import Pulls, Seeded
from dpbandits.audit.privacy.goodness import release_in_words
from dpbandits.audit.privacy.rounds import has_same_releases, with_horizon
from dpbandits.audit.privacy.single_rounds import (
    History,
    NextArm,
    Singly,
    SomeRound,
    UnknownArm,
    are_same_states,
    round_of,
    side_of,
)
from dpbandits.reference.papers.ou24 import ThompsonSampling

POLICY = ThompsonSampling(3, 9)
PAST = History((0, 1, 1, 2), (1, 1, 1, 2), (0.0, 1.0, 0.25, 1.5), (1.0, 1.0, 0.25, 1.5))
PULLS = (1, 2, 2)


def test_a_round_knows_its_two_histories_by_their_running_means() -> None:
    """Totals 0 or 1, 1.25 and 1.5 of one, two and two pulls."""
    for side, first in ((0, 0.0), (1, 0.5)):
        assert side_of(PAST, PULLS, (first, 1.25 / 3, 0.5)) == side
    for odd in ((0.25, 1.25 / 3, 0.5), (0.0, 1.25 / 3, 0.25), (0.5, 0.5)):
        with pytest.raises(ValueError, match="neither of the two histories of this round"):
            side_of(PAST, PULLS, odd)
    assert side_of(PAST._replace(right=PAST.left), PULLS, (0.0, 1.25 / 3, 0.5)) == 0


@pytest.mark.parametrize("kind", [NextArm, UnknownArm])
def test_a_round_lies_between_its_histories(kind: Any) -> None:
    step = round_of(kind(POLICY, PULLS, 5, PAST), PAST.totals(3, 0), PAST.totals(3, 1))
    assert (step.left, step.right) == ((0.0, 1.25 / 3, 0.5), (0.5, 1.25 / 3, 0.5))
    assert step.sensitivities == (1 / 2, 1 / 3, 1 / 3)
    one_by_one = Singly(step.mechanism).release(step.right, Seeded(5, 7))
    alone = [step.mechanism.release(step.right, Seeded(5, 1, trial)) for trial in range(7)]
    assert one_by_one.tolist() == np.concatenate(alone).tolist()


def test_any_round_of_a_policy_stands_at_zero() -> None:
    some = SomeRound(POLICY)
    assert some.left == some.right == (0.0, 0.0, 0.0)
    assert repr(some) == repr(POLICY)


def test_two_states_are_alike_up_to_rounding() -> None:
    one = (np.array([1.0, 0.0, np.nan]), (np.array([[1e6]]), np.array([3])))
    assert are_same_states(one, one)
    assert are_same_states(one, (one[0] + np.array([5e-10, 5e-13, 0]), (one[1][0] + 5e-4, one[1][1])))
    for other in (
        (one[0] + np.array([2e-9, 0, 0]), one[1]),
        (one[0] + np.array([0, 2e-12, 0]), one[1]),
        (one[0][:, None], one[1]),
        (one[0], one[1][:1]),
        (one[0], one[1][::-1]),
        (np.array([1.0, 0.0, 0.0]), one[1]),
        one[:1],
    ):
        assert not are_same_states(one, other)


@dataclass(frozen=True)
class Holding:
    """A policy that holds others, and what it makes itself."""

    first: Any
    second: Any = None
    size: int = 3
    made: int = field(init=False, default=0)


def test_a_horizon_is_changed_wherever_it_is_held() -> None:
    other = ThompsonSampling(2, 5)
    assert with_horizon(POLICY, 9, 50) == ThompsonSampling(3, 50)
    assert with_horizon(Holding(POLICY), 9, 50) == Holding(ThompsonSampling(3, 50))
    both = with_horizon(Holding(Holding(POLICY), other), 9, 50)
    assert both == Holding(Holding(ThompsonSampling(3, 50)), other)  # what has another horizon stays
    for value in (POLICY, Holding(POLICY)):
        assert with_horizon(value, 8, 50) is None
    nothing: tuple[Any, ...] = (Holding(3), ThompsonSampling, 9, None)
    for value in nothing:
        assert with_horizon(value, 9, 50) is None


def test_a_longer_run_is_the_same_where_all_releases_are() -> None:
    assert has_same_releases(POLICY, ThompsonSampling(3, 30))
    assert not has_same_releases(POLICY, ThompsonSampling(3, 30, lambda n: 4.0 / (n + 1)))
    one = ThompsonSampling(1, 9)  # with one arm the spread shows nowhere
    assert has_same_releases(one, ThompsonSampling(1, 30, lambda n: 4.0 / (n + 1)))

    class Late(ThompsonSampling):
        """Pulls arm 0 from step 9 on."""

        def act(self, t: int, state: Any, noise: Any) -> Any:
            pulls = super().act(t, state, noise)
            return pulls if t < 9 else pulls._replace(counts=np.eye(3, dtype=np.int64)[np.zeros(len(state.pulls), int)])

    assert has_same_releases(ThompsonSampling(3, 8), Late(3, 30))
    assert not has_same_releases(POLICY, Late(3, 30))


def test_releases_are_named() -> None:
    for counts, name in (
        ([0, 1, 0], "arm 1"),
        ([0, 2, 0], "the pulls [0, 2, 0]"),
        ([1, 1, 0], "the pulls [1, 1, 0]"),
        ([0, 0, 0], "the pulls [0, 0, 0]"),
        ([0, 0, -1], "the answer arm 2"),
    ):
        assert release_in_words(np.array(counts)) == name


def test_no_policy_is_asked_beyond_its_horizon() -> None:
    """Here after two blocks of two pulls, in a run of four."""

    class Blocks:
        arms = 2

        def __init__(self, horizon: int) -> None:
            self.horizon = horizon

        def init(self, trials: int) -> Any:
            return np.zeros(trials)

        def act(self, t: int, state: Any, noise: Any) -> Pulls:
            assert 2 * t <= min(self.horizon, 4), "no pull is left"
            return Pulls(np.full((len(state), 2), 1))

        def learn(self, t: int, state: Any, pulls: Any, sums: Any, noise: Any) -> Any:
            return state

    assert has_same_releases(Blocks(4), Blocks(30))
