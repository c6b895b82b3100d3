"""Guided runs: what a plan wishes, which plans there are, which steps of a walk are looked at, which rounds stay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mutants import Silent

from dpbandits import Pulls, Seeded
from dpbandits.audit.privacy import rounds, single_rounds
from dpbandits.audit.privacy.rounds import (
    LOOKS,
    WANTED,
    CandidateRound,
    Plan,
    Wants,
    changed_at,
    extremes,
    guided_runs,
    law_cost,
    most_laws,
    order_is_idle,
    plans_of,
    ranks_by_law,
    rounds_of,
    thin_plans,
    tried_rounds,
)
from dpbandits.audit.privacy.single_rounds import History, state_after_histories, states_after
from dpbandits.reference.papers.ou24 import ModifiedThompsonSampling, ThompsonSampling

PLANS = [
    Plan(0, 2, 0, 0.25),
    Plan(1, 3, 2, 0.5, late=True),
    Plan(2, 1, 0, 1.0, main=0),
    Plan(0, 4, 3, 0.75, main=2, to=0.5),
    Plan(2, 3, 1, 0.0, to=0.25),
]


def wish(plan: Plan, made: tuple[int, ...], arm: int) -> float:
    """How welcome a pull of this arm is: first those of the plan's arm; then those of the others, the least pulled
    first, or one alone. What would spoil the plan is 0, what is out of turn is little, and the least pulled first."""
    little = 1 / (2 + made[arm])
    if made[plan.arm] < plan.n:
        return WANTED + 1 if arm == plan.arm else little
    if arm == plan.arm:
        return 0.0
    if plan.main < 0:
        return WANTED + little
    return WANTED + 1 if arm == plan.main else little


def pays(plan: Plan, made: tuple[int, ...], arm: int, side: int) -> float:
    """What so many pulls of this arm pay: the ones come first, and then zeros, but for the changed reward; the others'
    rewards are 0 and 1, as many as their mean wants, or all one half."""
    if arm == plan.arm:
        place = plan.n - 1 if plan.late else plan.ones
        return min(made[arm], plan.ones) + (plan.to if side and made[arm] > place else 0.0)
    return made[arm] / 2 if plan.mean == 0.5 else float(int(plan.mean * made[arm]))


def test_the_wishes_of_many_plans_are_those_of_each() -> None:
    wants = Wants(PLANS)
    every = [(a, b, c) for a in range(6) for b in range(6) for c in range(0, 6, 2)]
    for made in every:
        scores, totals = wants.scores(np.tile(made, (5, 1))), [wants.total(np.tile(made, (5, 1)), s) for s in (0, 1)]
        for row, plan in enumerate(PLANS):
            assert scores[row] == pytest.approx([wish(plan, made, arm) for arm in range(3)])
            for side in (0, 1):
                assert totals[side][row].tolist() == [pays(plan, made, arm, side) for arm in range(3)]


def test_a_walk_makes_the_pulls_that_its_plan_wishes_where_they_are_possible() -> None:
    """Any arm is possible here: the plan's arm first, then the others in turn, or one alone; to the horizon."""

    class Any3(Silent):
        horizon = 8

        def act(self, t: int, state: Any, noise: Any) -> Pulls:
            return Pulls.one((3 * noise.uniform("u", t)).astype(int), 3)

    walk = guided_runs(Any3(ThompsonSampling(3, 8)), PLANS, 8, 0)
    assert walk.arms[0].tolist() == [0, 0, 1, 2, 1, 2, 1, 2]
    assert walk.arms[1].tolist() == [1, 1, 1, 0, 2, 0, 2, 0]
    assert walk.arms[2].tolist() == [2] + 7 * [0]
    assert walk.arms[3].tolist() == 4 * [0] + 4 * [2]
    assert (walk.sizes == 1).all()
    assert walk.last.tolist() == 5 * [8]
    for row, plan in enumerate(PLANS):
        made = np.zeros(3, dtype=int)
        for step, arm in enumerate(walk.arms[row]):
            before = tuple(made.tolist())
            made[arm] += 1
            paid = [pays(plan, tuple(made.tolist()), arm, side) - pays(plan, before, arm, side) for side in (0, 1)]
            assert walk.paid[:, row, step].tolist() == paid
        counts, totals = walk.standing(row, 3)
        for t in range(1, 9):
            history = walk.history(row, t)
            assert history.t == t
            assert history.counts(3) == tuple(counts[t - 1])
            for side in (0, 1):
                assert history.totals(3, side) == pytest.approx(tuple(totals[side, t - 1]))


def test_a_rare_release_is_looked_for_again_where_no_wanted_one_was_seen() -> None:
    """Arm 1 in one of forty: sixteen trials of a side miss it as often as not, sixty-four more hardly ever do."""

    class Rare(Silent):
        horizon = 40

        def act(self, t: int, state: Any, noise: Any) -> Pulls:
            return Pulls.one((noise.uniform("u", t) < 1 / 40).astype(int), 2)

    walk = guided_runs(Rare(ThompsonSampling(2, 40)), [Plan(1, 40, 0, 0.5)], 40, 0)
    with_more = int((walk.arms == 1).sum())
    once, twice = ((1 - (1 - 1 / 40) ** trials) ** 2 for trials in (rounds.TRIES, rounds.AGAIN))
    expected = 40 * (once + (1 - once) * twice)  # seen on both sides, in the first trials or in the others
    assert abs(with_more - expected) < 12  # four standard deviations, which are 3 at most
    assert (rounds.TRIES, rounds.AGAIN) == (16, 64)


def test_states_are_taught_step_by_step() -> None:
    class Told(Silent):
        """Remembers what it was told, in the order."""

        def init(self, trials: int) -> Any:
            return np.zeros((trials, 0))

        def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
            return np.concatenate([state, np.full((len(sums), 1), t), pulls.counts, sums], axis=1)

    policy = Told(ThompsonSampling(2, 6))
    past = [
        History((0, 1, 1), (1, 2, 1), (0.0, 0.5, 1.0), (1.0, 0.5, 1.0)),
        History((1, 1, 0), (1, 1, 3), (0.25, 0.0, 2.0), (0.25, 0.0, 3.0)),
    ]
    for side, paid in ((0, [0.0, 2.0]), (1, [1.0, 3.0])):
        wanted = [
            [1, 1, 0, paid[0], 0, 2, 0, 2, 0, 0.5, 3, 0, 1, 0, 1],
            [1, 0, 1, 0, 0.25, 2, 0, 1, 0, 0, 3, 3, 0, paid[1], 0],
        ]
        assert state_after_histories(policy, past, side, Seeded(0, 2)).tolist() == wanted
        assert states_after(policy, past, side).tolist() == wanted
        always = state_after_histories(policy, past, side, Seeded(0, 2), always=5)
        assert always[:, [0, 5, 10]].tolist() == [[5, 5, 5], [5, 5, 5]]


# -- plans ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("arms", "horizon"), [(2, 9), (3, 9), (3, 400), (25, 6)])
def test_the_plans_of_a_policy(arms: int, horizon: int) -> None:
    """Fewest and most pulls of every arm, with the others at all means, come first."""
    policy, room = ThompsonSampling(arms, horizon), horizon - 1
    found = plans_of(policy, False)
    ns = sorted({n for n in (*range(1, 11), 20, 50, 200, (1 + room) // 2, room) if n <= room})
    of = range(arms) if arms <= 10 else [round(k * (arms - 1) / 9) for k in range(10)]
    means = (0.0, 0.25, 0.5, 0.75, 1.0)
    first = [Plan(arm, n, 0, mean) for n in (1, room) for arm in of for mean in means]
    assert found[: len(first)] == first
    wanted = set(first)
    for n in ns:
        for arm in of:
            wanted |= {Plan(arm, n, 0, mean) for mean in means}
            wanted |= {Plan(arm, n, n - 1, mean) for mean in (0.5, 1.0) if n > 1}
            wanted |= {Plan(arm, n, (n - 1) // 2, 0.5) for _ in (0,) if n > 2}
            wanted |= {Plan(arm, n, 0, 0.5, to=value) for value in (0.5, 0.25)}
            if arms > 2:
                wanted |= {Plan(arm, n, 0, mean, main=(arm + 1) % arms) for mean in (0.25, 0.5, 1.0)}
                wanted.add(Plan(arm, n, 0, 0.5, main=(arm - 1) % arms))
    assert set(found) == wanted
    assert len(found) == len(wanted)


def test_beyond_the_horizon_there_are_twenty_and_fifty_pulls() -> None:
    found = plans_of(ThompsonSampling(2, 202), True)
    assert sorted({plan.n for plan in found}) == [*range(1, 11), 20, 50]
    assert [(plan.n, plan.arm, plan.mean) for plan in found[:20]] == [
        (n, arm, mean) for n in (1, 20) for arm in (0, 1) for mean in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]


def test_where_the_order_counts_the_changed_reward_comes_late_as_well() -> None:
    class Last(Silent):
        def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
            learnt = super().learn(t, state, pulls, sums, noise)
            return learnt._replace(total=np.where(pulls.counts > 0, sums, state.total))

    right, odd = ThompsonSampling(2, 6), Last(ThompsonSampling(2, 6))
    assert order_is_idle(right)
    assert not order_is_idle(odd)
    late = {Plan(arm, n, 0, mean, late=True) for arm in (0, 1) for n in range(2, 6) for mean in (0.25, 0.5, 1.0)}
    assert set(plans_of(odd, False)) - set(plans_of(right, False)) == late
    assert order_is_idle(Last(ThompsonSampling(2, 3)))  # too short a run to ask
    assert not order_is_idle(Last(ThompsonSampling(2, 4)))


def test_the_order_counts_where_a_policy_takes_no_other() -> None:
    class InTurn(Silent):
        def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
            if (pulls.counts.argmax(axis=1) != (t - 1) % 2).any():
                raise ValueError(f"step {t}: out of turn")
            return super().learn(t, state, pulls, sums, noise)

    assert not order_is_idle(InTurn(ThompsonSampling(2, 6)))


def test_too_many_plans_are_thinned_and_the_first_half_stays() -> None:
    plans = [Plan(0, n, 0, 0.5) for n in range(1, 101)]
    assert thin_plans(plans, 100) == plans
    few = thin_plans(plans, 41)
    assert few[:20] == plans[:20]
    assert len(set(few)) == 41
    assert sorted(few, key=lambda plan: plan.n) == few
    rest = [plan.n for plan in few[20:]]
    assert min(rest) < 40 < 80 < max(rest)  # spread over all that is left: by chance alone, (1/4)^21


@pytest.mark.parametrize(
    ("soonest", "last", "far", "found"),
    [
        (4, 3, False, []),
        (3, 3, False, [3]),
        (3, 24, False, list(range(3, 25))),
        (2, 100, False, [2, 3, 4, 16, 30, 44, 58, 72, 86, 99, 100]),
        (11, 100, False, [11, 12, 13, 21, 24, 36, 49, 62, 75, 87, 99, 100]),
        (2, 100, True, [25, 100]),
        (60, 100, True, [60, 100]),
        (4, 3, True, []),
    ],
)
def test_the_steps_of_a_walk_that_are_looked_at(soonest: int, last: int, far: bool, found: list[int]) -> None:
    """All of a short one; of a long one the first three, the last two, where all arms may have been pulled equally
    often, and a spread of eight."""
    assert rounds_of(ThompsonSampling(2, 200), soonest, last, far) == found


def test_the_first_step_after_the_changed_reward() -> None:
    arms, sizes = np.array([0, 1, 1, 0]), np.array([1, 1, 2, 1])
    for plan, t in ((Plan(1, 1, 0, 0.5), 3), (Plan(1, 2, 1, 0.5), 4), (Plan(1, 3, 2, 0.5), 4), (Plan(0, 2, 1, 0.5), 5)):
        assert changed_at(plan, arms, sizes) == t
    assert changed_at(Plan(1, 9, 3, 0.5), arms, sizes) == 6  # never paid: later than any round


# -- which rounds stay -------------------------------------------------------------------------------------------------


def some_spots(policy: Any) -> tuple[list[CandidateRound], list[str]]:
    every = rounds.candidate_rounds(policy, False)
    return every, [spot.name(policy) for spot in every]


@pytest.mark.parametrize("policy", [ThompsonSampling(2, 9), ModifiedThompsonSampling(3, 12, prepulls=1)], ids=str)
def test_the_extreme_rounds_of_every_arm(policy: Any) -> None:
    every, names = some_spots(policy)
    found = extremes(every, names)
    wanted = []
    for arm in range(policy.arms):
        own = [
            (spot.counts[arm], spot.history.t, spot.plan.mean, name)
            for spot, name in zip(every, names, strict=True)
            if spot.plan.arm == arm and spot.plan.to == 1
        ]
        for key in (
            lambda n, t, mean: (mean == 1, n, t),  # the others at 1 and as certain as may be
            lambda n, t, mean: (mean == 0, n, t),
            lambda n, t, mean: (t, -n),  # the last step, where the reward counts most
            lambda n, t, mean: (t * (mean in (0, 1)), n if 2 * n < t else 0),  # others more certain than the arm
            lambda n, t, mean: (-n, t * (mean == 0.25)),
        ):
            wanted.append(max(own, key=lambda each, key=key: key(*each[:3]))[-1])
    assert set(found) == set(wanted)
    assert len(found) == len(set(found))


def test_of_too_many_rounds_the_extreme_ones_and_a_spread_stay() -> None:
    policy = ThompsonSampling(2, 9)
    every, names = some_spots(policy)
    for most in (40, 10**6):
        kept = tried_rounds(policy, every, most)
        assert len(kept.rounds) == min(most, len(every))
        assert set(kept.extreme) <= set(kept.rounds)
        assert list(kept.rounds) == [name for name in names if name in kept.rounds]
        assert kept.extreme == extremes(every, names)
    assert set(tried_rounds(policy, every, 3).rounds) == set(extremes(every, names))
    assert len(every) < LOOKS == 4_000


def test_a_law_that_is_too_dear_is_not_asked() -> None:
    """N integrals of N - 1 factors: dear from fifty arms on; and so many laws as the budget of values pays."""
    assert ranks_by_law(ThompsonSampling(49, 3))
    assert not ranks_by_law(ThompsonSampling(50, 3))
    assert not ranks_by_law(Silent(ThompsonSampling(2, 3)))
    assert law_cost(ThompsonSampling(2, 3)) == 1
    assert law_cost(ThompsonSampling(3, 3)) == pytest.approx(50 * (200**0.5 + 2 * 3**0.5))
    assert most_laws(ThompsonSampling(3, 3)) == pytest.approx(5e7 / (100 * (200**0.5 + 2 * 3**0.5)))
    assert most_laws(ThompsonSampling(50, 3)) == float("inf")


def test_a_state_that_can_be_looked_at_has_a_row_for_every_trial():
    """Arrays of any shape behind the first axis, also in tuples; no single number, and no objects."""
    for state in (np.zeros(3), np.zeros((3, 2)), (np.zeros(3), (np.zeros((3, 1, 4)),)), ()):
        assert single_rounds.has_rows(state, 3)
    for state in (np.array(3.0), np.zeros(2), (np.zeros(3), np.zeros(2)), np.array([None] * 3), [0, 0, 0], None):
        assert not single_rounds.has_rows(state, 3)


def test_whole_numbers_are_told_in_runs_of_three_or_more() -> None:
    assert rounds.ranges([7, 1, 2, 3, 9, 10, 7]) == "1-3, 7, 9, 10"
    assert (rounds.ranges([]), rounds.ranges([4]), rounds.ranges([4, 5, 6])) == ("", "4", "4-6")
    assert rounds.brief_ranges([1, 3, 5, 7]) == "1, 3, 5, 7"
    assert rounds.brief_ranges([1, 3, 5, 7, 10, 11, 12]) == "7 values in 1-12"


def test_a_spot_is_told_by_what_is_special_about_it() -> None:
    policy, past = ThompsonSampling(3, 9), History((0, 0, 1, 2), (1,) * 4, (1.0, 0.0, 0.5, 0.5), (1.0, 1.0, 0.5, 0.5))

    def named(plan: Plan, counts: tuple[int, ...], total: float) -> str:
        return CandidateRound(plan, past, counts, ((total, 0.5, 0.5), (total + 1, 0.5, 0.5))).name(policy)

    start = "step 5, arm 0 pulled"
    assert (
        named(Plan(0, 2, 1, 0.5), (2, 1, 1), 1.0)
        == f"{start} 2 times (1 of the other rewards 1), others 1 times, mean 0.5"
    )
    assert named(Plan(0, 2, 0, 0.25, late=True), (2, 3, 1), 0.0) == (
        f"{start} 2 times, the last reward changed, others 3 and 1 times, mean 0.25"
    )
    assert named(Plan(0, 1, 0, 0.25, late=True), (1, 0, 1), 0.0) == f"{start} 1 times, others 0 and 1 times, mean 0.25"
    assert named(Plan(0, 3, 0, 0.25, late=True), (4, 1, 1), 0.0) == (
        f"{start} 4 times, the 3. reward changed, others 1 times, mean 0.25"
    )
    assert (
        named(Plan(0, 2, 0, 0.5, to=0.25), (2, 0, 0), 0.0) == f"{start} 2 times, the changed reward 0.25, others never"
    )
