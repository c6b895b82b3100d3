"""The protocol carries policies that pull blocks: an elimination policy against its naive twin."""

from __future__ import annotations

import numpy as np
import pytest
from elimination import Elimination, State
from fits import LEVEL
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from strategies import seeds
from vacuity import nonvacuous_if

from dpbandits import Pulls, Seeded, Table, play
from dpbandits.reference.bandits.tapes import Recorder, Tape


def twin(policy, rewards, noise):
    """One run, one pull at a time: the blocks (pulls per arm), and the epoch that each began in. noise(t, arm)."""
    active, epoch, used, step, blocks, epochs = list(range(policy.arms)), 1, 0, 0, [], []
    position = [0] * policy.arms
    while used < policy.horizon:
        step += 1
        epochs.append(epoch)
        rounds = policy.horizon if len(active) == 1 else policy.first * 2 ** (epoch - 1)
        block, sums = [0] * policy.arms, [0.0] * policy.arms
        for arm in active:
            bound = 1 - 0.5**epoch / (1 + arm % 2)
            for _ in range(rounds):
                if used == policy.horizon:
                    break
                reward = rewards[arm, position[arm]]
                sums[arm] += reward if reward <= bound else 0.0
                position[arm] += 1
                block[arm] += 1
                used += 1
        blocks.append(block)
        if len(active) == 1 or any(block[arm] < rounds for arm in active):
            continue
        means = {}
        for arm in active:
            bound = 1 - 0.5**epoch / (1 + arm % 2)
            means[arm] = sums[arm] / rounds + bound / (rounds * policy.eps) * noise(step, arm)
        width = rounds**-0.5 + 1 / (rounds * policy.eps)
        active = [arm for arm in active if max(means.values()) - means[arm] <= width]
        epoch += 1
    return blocks, epochs


@given(
    arms=st.integers(1, 4),
    horizon=st.integers(1, 300),
    first=st.integers(1, 5),
    eps=st.sampled_from([0.3, 5.0]),
    seed=seeds,
)
@pytest.mark.nonvacuous(7)
def test_every_trial_is_what_the_twin_does(arms, horizon, first, eps, seed):
    policy = Elimination(arms, horizon, eps, first)
    # Dyadic rewards, whose sums are exact: prefix sums and the twin's additions agree to the last bit.
    rewards = np.random.default_rng(seed).integers(0, 2**8, (arms, horizon)) / 2**8
    recorder = Recorder(Seeded(seed, 6))
    played = play(policy, Table(rewards), recorder, 6)
    nonvacuous_if(arms > 1 and horizon > arms * first)
    assert (played.pulls.sum(axis=1) == horizon).all()
    for trial in range(6):
        blocks, _ = twin(policy, rewards, lambda t, arm, trial=trial: recorder.values["mean", t][trial, arm])
        padding = [[0] * arms] * (played.released.shape[1] - len(blocks))
        assert played.released[trial].tolist() == blocks + padding


def test_trials_in_different_epochs_share_a_step():
    """States put in by hand: every trial's block, bound and noise scale are those of its own epoch."""
    policy = Elimination(3, 1000, eps=1.0, first=4)
    state = State(np.array([1, 3, 7]), np.array([[True, True, True], [True, False, True], [False, True, False]]))
    pulls = policy.act(5, state, Seeded(0, 3))
    assert pulls.counts.tolist() == [[4, 4, 4], [16, 0, 16], [0, 1000, 0]]
    assert pulls.bound[:2].tolist() == [[0.5, 0.75, 0.5], [0.875, 0.9375, 0.875]]
    sums = np.array([[4.0, 0.0, 4.0], [0.0, 0.0, 16.0], [0.0, 500.0, 0.0]])
    quiet = Tape({("mean", 5): np.zeros((3, 3))})
    after = policy.learn(5, state, pulls, sums, quiet)
    assert after.epoch.tolist() == [2, 4, 7]
    # Widths 1/2 + 1/4 and 1/4 + 1/16; gaps 1 and 1; a sole survivor stays.
    assert after.active.tolist() == [[True, False, True], [False, False, True], [False, True, False]]


def test_an_epoch_that_was_cut_short_releases_and_removes_nothing():
    policy = Elimination(2, 1000, first=4)
    state = policy.init(2)
    pulls = Pulls(np.array([[4, 3], [4, 4]]), None)
    after = policy.learn(1, state, pulls, np.array([[4.0, 0.0], [4.0, 0.0]]), Seeded(0, 2))
    assert after.epoch.tolist() == [1, 2]
    assert after.active[0].tolist() == [True, True]


def test_epochs_beyond_every_integer_type():
    policy = Elimination(2, 10, first=4)
    state = State(np.array([2000]), np.array([[True, True]]))
    with np.errstate(over="ignore"):
        assert policy.act(1, state, Seeded(0, 1)).counts.tolist() == [[10, 10]]


def test_the_noisy_means_have_the_right_law():
    """How often arm 1 goes after epoch 1, against the tail of a difference of two Laplace variables with different
    scales a and b: P(a Z - b Z' > x) = (a^2 e^(-x/a) - b^2 e^(-x/b))/(2 (a^2 - b^2)) for x >= 0."""
    policy, trials = Elimination(2, 8, eps=1.0, first=4), 100_000
    pulls, sums = Pulls(np.full((trials, 2), 4)), np.tile([2.0, 1.0], (trials, 1))
    after = policy.learn(1, policy.init(trials), pulls, sums, Seeded(9, trials))
    gap = (4**-0.5 + 1 / 4) - (2.0 - 1.0) / 4  # the width, less the means' own distance
    a, b = 0.5 / 4, 0.75 / 4
    tail = (a**2 * np.exp(-gap / a) - b**2 * np.exp(-gap / b)) / (2 * (a**2 - b**2))
    assert stats.binomtest(int((~after.active[:, 1]).sum()), trials, tail).pvalue > LEVEL
