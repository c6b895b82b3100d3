"""Playing: horizons, cut blocks, what is recorded, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from fits import LEVEL
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from strategies import policies, seeds
from vacuity import nonvacuous_if

from dpbandits import Bernoulli, Pulls, Seeded, Table, play
from dpbandits.reference.bandits.environments import TruncatedExponential
from dpbandits.reference.bandits.passing import MAX_STEP_PULLS, checked_pulls, cut_to_horizon
from dpbandits.reference.bandits.play import released_arms
from dpbandits.reference.bandits.tapes import Recorder, Tape
from dpbandits.reference.papers.ou24 import ModifiedThompsonSampling, ThompsonSampling


class Nothing(NamedTuple):
    seen: Any  # (trials, arms): the sums that came back last


@dataclass(frozen=True)
class Script:
    """A policy that pulls what the script says, in every trial, and remembers what it was paid."""

    script: list[Any]
    arms: int
    horizon: int
    bound: Any = None
    paid: list[Any] = field(default_factory=list)

    def init(self, trials: int) -> Nothing:
        return Nothing(np.zeros((trials, self.arms)))

    def act(self, t: int, state: Nothing, noise: Any) -> Pulls:
        counts = np.array(self.script[min(t, len(self.script)) - 1])
        return Pulls(counts, self.bound)

    def learn(self, t: int, state: Nothing, pulls: Pulls, sums: Any, noise: Any) -> Nothing:
        self.paid.append((pulls.counts.tolist(), sums.tolist()))
        return Nothing(sums)


@given(
    counts=st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=4),
    left=st.lists(st.integers(0, 12), min_size=4, max_size=4),
)
@pytest.mark.nonvacuous(7)
def test_cut_takes_what_fits_in_arm_order(counts, left):
    room = np.array(left[: len(counts)])
    nonvacuous_if(any(0 < fits < sum(asked) for asked, fits in zip(counts, room, strict=True)))
    pulls, used = cut_to_horizon(Pulls(np.array(counts)), room)
    for row, asked, fits, total in zip(pulls.counts, counts, room, used, strict=True):
        arms = [arm for arm in range(3) for _ in range(asked[arm])][:fits]  # one pull after another
        assert row.tolist() == [arms.count(arm) for arm in range(3)]
        assert total == len(arms)


@pytest.mark.parametrize("keep", [np.array([1, 0]), None, "no"])
def test_what_is_kept_is_a_yes_or_a_no(keep):
    with pytest.raises(TypeError, match=r"play: keep is .*; give True, or False"):
        play(ThompsonSampling(2, 3), Bernoulli((0.5, 0.5)), Seeded(0, 4), 4, keep)


def test_cut_keeps_the_bound():
    assert cut_to_horizon(Pulls(np.array([[5, 5]]), 0.25), np.array([7]))[0].bound == 0.25


@pytest.mark.parametrize("horizon", [2.5, 4.0, float("nan"), "4", True, -1, 10**19])
def test_a_horizon_that_is_no_whole_number_is_not_cut_to_one(horizon):
    policy = SimpleNamespace(arms=2, horizon=horizon, init=lambda trials: ())
    with pytest.raises(ValueError, match=r"the policy's horizon = .*; it must be an integer"):
        play(policy, Table([[1.0], [1.0]]), Seeded(0, 1), 1)


def test_a_block_is_cut_at_the_horizon_and_paid_for_what_is_left():
    table = Table(np.array([[0.5, 0.25, 0.0, 1.0, 0.5], [0.125, 0.5, 0.5, 0.5, 0.5]]))
    policy = Script([[[3, 0]], [[2, 9]]], arms=2, horizon=7)
    played = play(policy, table, Seeded(0, 1), 1)
    assert played.released.tolist() == [[[3, 0], [2, 2]]]
    assert policy.paid == [([[3, 0]], [[0.75, 0.0]]), ([[2, 2]], [[1.5, 0.625]])]
    assert played.pulls.tolist() == [[5, 2]]
    assert played.sums.tolist() == [[2.25, 0.625]]


def test_trials_that_are_done_wait_for_the_others_with_empty_rows():
    policy = Script([[[4], [1]], [[4], [1]]], arms=1, horizon=3)
    played = play(policy, Table(np.zeros((1, 3))), Seeded(0, 2), 2)
    assert played.released[:, :, 0].tolist() == [[3, 0, 0], [1, 1, 1]]
    assert policy.paid[1] == ([[0], [1]], [[0.0], [0.0]])


def test_the_bound_reaches_the_environment():
    policy = Script([[[2]]], arms=1, horizon=2, bound=0.5)
    assert play(policy, Table(np.array([[0.5, 0.75]])), Seeded(0, 1), 1).sums.tolist() == [[0.5]]


@given(policy=policies(), seed=seeds)
@pytest.mark.nonvacuous(7)
def test_one_trial_is_the_prefix_of_many(policy, seed):
    """On fixed rewards and on random ones, blocks included."""
    nonvacuous_if(policy.arms > 1 and policy.horizon > 1)
    length = policy.horizon
    rewards = np.random.default_rng(seed).random((policy.arms, length))
    for environment in (
        Table(rewards),
        Bernoulli(tuple(rewards[:, 0])),
        TruncatedExponential(tuple(1 + rewards[:, 0])),
    ):
        many = play(policy, environment, Seeded(seed, 50), 50)
        for few in (1, 7):
            part = play(policy, environment, Seeded(seed, few), few)
            assert all(np.array_equal(a, b[:few]) for a, b in zip(part, many, strict=True))


def test_one_trial_is_the_prefix_of_a_hundred_thousand():
    policy, table = ThompsonSampling(3, 6), Table(np.tile([0.0, 1.0], (3, 3)))
    many = play(policy, table, Seeded(5, 100_000), 100_000)
    one = play(policy, table, Seeded(5, 1), 1)
    assert np.array_equal(one.released[0], many.released[0])
    assert np.array_equal(one.sums[0], many.sums[0])


def test_blocks_differ_and_do_not_depend_on_each_other():
    policy, table = ThompsonSampling(3, 8), Table(np.zeros((3, 8)))
    first, second, again = (play(policy, table, Seeded(5, 64, block), 64).released for block in (0, 1, 0))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, second)


@given(policy=policies(), seed=seeds)
@pytest.mark.nonvacuous(8)
def test_not_recording_changes_nothing_else(policy, seed):
    nonvacuous_if(policy.arms > 1)
    environment = Bernoulli((0.5,) * policy.arms)
    kept = play(policy, environment, Seeded(seed, 4), 4)
    bare = play(policy, environment, Seeded(seed, 4), 4, keep=False)
    assert bare.released.shape == (4, 0, policy.arms)
    assert np.array_equal(kept.sums, bare.sums)
    assert np.array_equal(kept.pulls, bare.pulls)
    assert np.array_equal(kept.released.sum(axis=1), kept.pulls)
    assert (kept.pulls.sum(axis=1) == policy.horizon).all()


def test_released_arms_of_a_policy_that_starts_with_blocks():
    policy = ModifiedThompsonSampling(3, horizon=8, prepulls=2)
    played = play(policy, Table(np.zeros((3, 8))), Seeded(1, 5), 5)
    arms = released_arms(played)
    assert arms.shape == (5, 3 + 2)
    assert (arms[:, :3] == [0, 1, 2]).all()
    assert (played.released[:, :3].max(axis=2) == 2).all()


def test_released_arms_refuses_steps_of_several_arms():
    played = play(Script([[[1, 1]]], 2, 2), Table(np.zeros((2, 2))), Seeded(0, 1), 1)
    with pytest.raises(ValueError, match=r"use Played\.released, which contains the pull counts"):
        released_arms(played)


def test_one_pull_of_one_arm():
    with pytest.raises(
        ValueError, match=r"Pulls\.one: arms have type float64, for example 1\.0; each arm must be an integer"
    ):
        Pulls.one(np.array([1.0, 0.0]), 2)
    assert Pulls.one(np.array([True, False]), 2).counts.tolist() == [[0, 1], [1, 0]]
    assert Pulls.one(np.array([1, 0, 2]), 3).counts.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (
            Script([[[0, 0]]], 2, 3),
            r"step 1: the policy pulled no arm, although its horizon is not used up \(pulls left: 3\)",
        ),
        (Script([[[1, 0]], [[0, 0]]], 2, 3), "step 2: the policy pulled no arm, although its horizon is not used up"),
        (Script([[[1, -1]]], 2, 3), "step 1: a pull count is -1; counts must be at least 0"),
        (
            Script([[[0.5, 0.5]]], 2, 3),
            r"step 1: act returned pull counts of shape \(1, 2\) and type float64; expected integers",
        ),
        (
            Script([[[True, False]]], 2, 3),
            r"and type bool; expected integers of shape \(1, 2\) = \(trials, arms\)\. Draw",
        ),
        (Script([[1, 0]], 2, 3), r"step 1: act returned pull counts of shape \(2,\) and type"),
        (Script([[[1, 0], [1, 0]]], 2, 3), r"pull counts of shape \(2, 2\).*expected integers of shape \(1, 2\)"),
        (Script([[[1, 0, 0]]], 2, 3), r"pull counts of shape \(1, 3\)"),
        (Script([[[1, 0]]], 2, 3, bound=float("nan")), "truncation bound is nan; it must be at least 0"),
        (
            Script([np.array([[2**63, 0]], dtype=np.uint64)], 2, 3),
            "step 1: act returned a pull count of 9223372036854775808",
        ),
        (
            Script([[[2**62, 2**62]]], 2, 3),
            "step 1: act returned a pull count of 4611686018427387904; with arms = 2, counts must be at most",
        ),
        (Script([[[1, 0, 0]]], 3, 3), "the policy has arms = 3, but the environment has arms = 2; these must be equal"),
    ],
)
def test_play_refuses_what_is_no_pull(policy, message):
    with pytest.raises(ValueError, match=message):
        play(policy, Table(np.zeros((2, 3))), Seeded(0, 1), 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda hidden: checked_pulls(1, Pulls(hidden), (1, 2)),
        lambda hidden: checked_pulls(1, Pulls(np.array([[1, 0]]), hidden), (1, 2)),
        lambda hidden: Pulls.one(hidden[0], 2),
    ],
)
def test_what_lies_under_a_mask_is_no_pull(call):
    with pytest.raises(ValueError, match="is a masked array; replace the masked entries"):
        call(np.ma.masked_array([[1, 0]], [[True, False]]))


def test_noise_of_another_batch_size_is_noticed():
    with pytest.raises(ValueError, match="the run has trials = 1, but the noise has trials = 5; these must be equal"):
        play(ThompsonSampling(2, 3), Table(np.zeros((2, 3))), Seeded(0, 5), 1)


@pytest.mark.parametrize(("asked", "given"), [(5, 1), (5, 4), (1, 5)])
def test_a_run_and_its_noise_have_the_same_trials(asked, given):
    """Noise of one trial would be broadcast: five identical runs."""
    for noise in (Seeded(0, given), Recorder(Seeded(0, given))):
        with pytest.raises(
            ValueError, match=f"the run has trials = {asked}, but the noise has trials = {given}; these must be equal"
        ):
            play(ThompsonSampling(2, 3), Table(np.zeros((2, 3))), noise, asked)


def test_a_tape_of_other_trials_is_noticed_at_its_first_draw():
    tape = Tape({("theta", 1): np.zeros((1, 2))})
    with pytest.raises(ValueError, match=r"step 1: .*shape \(1, 2\) for site 'theta', index 1; expected \(5, 2\)"):
        play(ThompsonSampling(2, 3), Table(np.zeros((2, 3))), tape, 5)


@pytest.mark.parametrize("rows", [1, 4])
def test_every_array_of_a_state_has_a_row_per_trial(rows):
    class Rows(ThompsonSampling):
        def init(self, trials: int) -> Any:
            return super().init(rows)

    class Later(ThompsonSampling):
        def learn(self, t: int, state: Any, *rest: Any) -> Any:
            return type(state)(*(part[:rows] for part in super().learn(t, state, *rest)))

    for kind, whence in ((Rows, "init"), (Later, "step 1: learn")):
        with pytest.raises(ValueError, match=rf"^{whence} returned a state .*shape \({rows}, 2\), but trials = 5"):
            play(kind(2, 3), Table(np.zeros((2, 3))), Seeded(0, 5), 5)


@pytest.mark.parametrize("bound", [-1.0, [[0.5, -0.5]], [[float("nan"), 1.0]], float("nan")])
def test_a_truncation_bound_is_at_least_0(bound):
    with pytest.raises(ValueError, match=r"step 1: the truncation bound is (-1|-0\.5|nan).*at least 0, or None"):
        play(Script([[[1, 0]]], 2, 3, bound=bound), Table(np.zeros((2, 3))), Seeded(0, 1), 1)


def test_a_truncation_bound_is_a_real_number():
    with pytest.raises(ValueError, match=r"step 1: the truncation bound: 1j is not an array of real numbers"):
        play(Script([[[1, 0]]], 2, 3, bound=1j), Table(np.zeros((2, 3))), Seeded(0, 1), 1)


def test_a_truncation_bound_is_one_for_each():
    with pytest.raises(
        ValueError, match=r"truncation bound has shape \(4, 2\); it must be a number, or broadcast to \(1, 2\)"
    ):
        play(Script([[[1, 0]]], 2, 3, bound=np.ones((4, 2))), Table(np.zeros((2, 3))), Seeded(0, 1), 1)


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (np.array([0]), r"an array of shape \(1,\)"),
        (None, "NoneType"),
        (1, "int"),
        ((np.array([[1, 0]]), None, 3), "tuple"),
    ],
)
def test_what_act_must_return_is_told(returned, words):
    class Other(ThompsonSampling):
        def act(self, *_: Any) -> Any:
            return returned

    with pytest.raises(TypeError, match=rf"^step 1: act returned {words}.*; it must return Pulls\.one\(arm, 2\)"):
        play(Other(2, 3), Table(np.zeros((2, 3))), Seeded(0, 1), 1)


def test_counts_of_any_integer_type_are_pulls():
    script = Script([np.array([[1, 0]], dtype=np.uint8)], 2, 3)
    assert play(script, Table(np.zeros((2, 3))), Seeded(0, 1), 1).released.dtype == np.int64


def test_a_loop_over_arms_with_one_site_is_told():
    class Loop(ThompsonSampling):
        def act(self, t: int, state: Any, noise: Any) -> Pulls:
            draws = np.stack([noise.normal("theta", t) for _ in range(2)], axis=1)
            return Pulls.one(draws.argmax(axis=1), 2)

    class Both(ThompsonSampling):
        def learn(self, t: int, state: Any, pulls: Any, sums: Any, noise: Any) -> Any:
            noise.normal("theta", t, (2,))
            return state

    for policy in (Loop(2, 3), Both(2, 3)):
        with pytest.raises(ValueError, match="step 1: the draw at site 'theta', index 1 was requested twice"):
            play(policy, Table(np.zeros((2, 3))), Seeded(0, 9), 9)


def test_policies_and_environments_draw_from_spaces_of_their_own():
    """A policy that explores by the address at which Bernoulli arms draw their rewards: it once saw them coming."""

    class Explores(ThompsonSampling):
        def act(self, t: int, state: Any, noise: Any) -> Pulls:
            return Pulls.one((noise.uniform("reward", t) < 0.5).astype(int), 2)

    played = play(Explores(2, 8), Bernoulli((0.5, 0.5)), Seeded(3, 4_000), 4_000)
    paid, pulls = played.sums.sum(axis=0), played.pulls.sum(axis=0)
    z = (paid - 0.5 * pulls) / np.sqrt(0.25 * pulls)
    assert (abs(z) < stats.norm.isf(LEVEL / 4)).all()


@pytest.mark.parametrize(
    ("sums", "words"),
    [
        (np.zeros(2), r"of rewards of shape \(2,\); expected \(3, 2\) = \(trials, arms\)"),
        (np.zeros((1, 2)), r"of rewards of shape \(1, 2\); expected \(3, 2\) = \(trials, arms\)"),
        (0.0, r"of rewards of shape \(\); expected \(3, 2\) = \(trials, arms\)"),
        (np.full((3, 2), float("nan")), "Pays paid nan; rewards must be finite"),
        (np.full((3, 2), 1j), "step 1: what the environment pays: an array of type complex128 is not an array of real"),
        (
            np.full((3, 2), "1"),
            "step 1: what the environment pays: an array of type <U1 is not an array of real numbers",
        ),
    ],
)
def test_environments_pay_one_finite_sum_per_trial_and_arm(sums, words):
    class Pays:
        arms = 2

        def draw(self, *_: Any) -> Any:
            return sums

    with pytest.raises(ValueError, match=words):
        play(ThompsonSampling(2, 3, lambda n: 1.0 + 0 * n), Pays(), Seeded(0, 3), 3)


@pytest.mark.parametrize("arms", [1, 2, 3])
def test_so_many_pulls_that_their_sum_is_a_number(arms):
    most = MAX_STEP_PULLS // arms
    assert most * arms <= 2**63 - 1 < (most + 1) * arms
    whole = np.full((1, arms), most)
    assert checked_pulls(1, Pulls(whole), (1, arms)).counts.tolist() == whole.tolist()
    if most < 2**63 - 1:
        with pytest.raises(
            ValueError, match=rf"a pull count of {most + 1}; with arms = {arms}, counts must be at most"
        ):
            checked_pulls(1, Pulls(whole + 1), (1, arms))


def test_pulls_are_cut_where_somebody_has_less_left():
    """Whatever the caller knows of the least that is left."""
    pulls, left = Pulls(np.array([[2, 3, 1], [1, 1, 0]])), np.array([4, 2])
    for least in (0, 1, 2):
        kept, used = cut_to_horizon(pulls, left, min_remaining=least)
        assert kept.counts.tolist() == [[2, 2, 0], [1, 1, 0]]
        assert used.tolist() == [4, 2]
    assert cut_to_horizon(pulls, np.array([6, 6]), min_remaining=6)[0] is pulls
    # With an answer to come, one of what is left is for it; it uses up all.
    ends = Pulls(np.array([[2, 3, 1], [0, -1, 0], [0, -1, 0]]))
    kept, used = cut_to_horizon(ends, np.array([5, 3, 0]), may_answer=True)
    assert kept.counts.tolist() == [[2, 2, 0], [0, -1, 0], [0, 0, 0]]
    assert used.tolist() == [4, 3, 0]


def test_a_trial_may_wait_in_a_step_in_which_another_one_pulls():
    script = [[[1, 0], [0, 0]], [[0, 0], [1, 0]], [[0, 1], [0, 0]], [[0, 0], [0, 1]]]
    played = play(Script(script, 2, 2), Table(np.ones((2, 2))), Seeded(0, 2), 2)
    assert played.released.transpose(1, 0, 2).tolist() == script
    assert played.pulls.tolist() == played.sums.tolist() == [[1, 1], [1, 1]]
