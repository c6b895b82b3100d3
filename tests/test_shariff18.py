"""Private linear UCB: against its lines in numpy, and the noise that its privacy hangs on."""

from __future__ import annotations

from collections import Counter
from math import ceil, log

import numpy as np
import pytest

from dpbandits import Seeded, Stream, Verdict, play, replay
from dpbandits.reference.bandits.contexts import Contexts
from dpbandits.reference.bandits.policy import Pulls
from dpbandits.reference.bandits.tapes import Recorder
from dpbandits.reference.papers.shariff18 import PrivateLinUCB
from dpbandits.reference.papers.shariff18.abstract import joint_privacy

ROUNDS, ARMS, D = 11, 3, 2
FEATURES = np.random.default_rng(2).integers(-5, 6, (ROUNDS, ARMS, D)) / 8
REWARDS = np.random.default_rng(3).integers(0, 9, (ARMS, ROUNDS)) / 8


def completed(t):
    """The rounds of the p-sum that round t completes: as many as the lowest binary digit of t says."""
    return range(t - (t & -t) + 1, t + 1)


def adding_up_to(t):
    """The rounds t at which those p-sums were completed that make up the first t rounds."""
    return [] if t == 0 else [*adding_up_to(t - (t & -t)), t]


@pytest.mark.parametrize("eps", [1.0, 1e5])
def test_a_run_is_what_its_lines_say(eps):
    policy, recorder = PrivateLinUCB(ARMS, ROUNDS, D, eps), Recorder(Seeded(1, 5))
    played = play(policy, Stream(REWARDS, contexts=Contexts(FEATURES)), recorder, 5)
    for trial in range(5):
        rows = []
        for t in range(ROUNDS):
            noise = [recorder.values["Z", s][trial] for s in adding_up_to(t)]
            matrix = sum((np.outer(row, row) for row in rows), np.zeros((D + 1, D + 1))) + policy.shift * np.eye(D + 1)
            matrix += policy.sigma * sum(((z + z.T) / np.sqrt(2) for z in noise), np.zeros((D + 1, D + 1)))  # line 5
            inverse = np.linalg.inv(matrix[:D, :D])
            index = [x @ inverse @ matrix[:D, D] + np.sqrt(x @ inverse @ x) for x in FEATURES[t]]  # line 7
            arm = int(np.argmax(index))
            assert played.released[trial, t].argmax() == arm
            rows.append([*FEATURES[t, arm], REWARDS[arm, t]])


@pytest.mark.parametrize("horizon", [1, 2, 7, 8, 9, 64])
def test_a_round_is_in_m_sums_at_most_and_in_as_many_where_T_is_a_power_of_two(horizon):
    times = Counter(s for t in range(1, horizon + 1) for s in completed(t))
    m = PrivateLinUCB(2, horizon, 1).nodes
    assert max(times.values()) <= m == int(np.ceil(np.log2(horizon))) + 1
    assert max(times.values()) == m or horizon & (horizon - 1)


def test_a_sum_has_the_noise_that_the_proof_counts():
    policy, many = PrivateLinUCB(2, 8, 1), 40_000
    pulls, seen = Pulls.one(np.zeros(many, dtype=np.int64), 2), np.full((many, 2, 1), 0.5)
    state = policy.learn(1, policy.init(many), pulls, pulls.counts * 0.25, Seeded(5, many), seen)
    np.testing.assert_array_equal(state.exact[0, 0], [[0.25, 0.125], [0.125, 0.0625]])
    noise = (state.noisy - state.exact)[:, 0] / policy.sigma
    np.testing.assert_array_equal(noise, noise.transpose(0, 2, 1))
    np.testing.assert_allclose(noise.var(axis=0), [[2, 1], [1, 2]], rtol=0.05)
    assert not state.noisy[:, 1:].any()


def test_a_matrix_that_is_not_positive_definite_plays_arm_0():
    policy = PrivateLinUCB(2, 8, 1)
    state = policy.init(1)
    state.noisy[:, 0, 0, 0] = -2 * policy.shift
    seen = np.array([[[0.5], [1.0]]])
    assert policy.act(2, state, Seeded(0, 1), seen).counts.tolist() == [[1, 0]]
    assert policy.act(2, policy.init(1), Seeded(0, 1), seen).counts.tolist() == [[0, 1]]


def test_nothing_is_promised_beyond_the_eps_for_which_the_noise_is_enough():
    at_most = 16 * np.log(4 / 1e-6) ** 2
    assert joint_privacy.says.curve(PrivateLinUCB(2, 8, 1, 0.999 * at_most)) is not None
    assert joint_privacy.says.curve(PrivateLinUCB(2, 8, 1, 1.001 * at_most)) is None


class NaturalLogarithm(PrivateLinUCB):
    """Takes line 1's logarithm for a natural one: too few p-sums, and so too little noise."""

    @property
    def nodes(self):
        return ceil(log(self.horizon)) + 1


@pytest.mark.planted
def test_a_tree_with_the_wrong_logarithm_is_seen_by_replay():
    right, wrong = PrivateLinUCB(2, 32, D, 5.0, 0.1), NaturalLogarithm(2, 32, D, 5.0, 0.1)
    assert wrong.sigma < right.sigma
    assert replay(wrong, right, trials=100).verdict is Verdict.REFUTED
    assert replay(right, right, trials=100).verdict is Verdict.CONSISTENT
