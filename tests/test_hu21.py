"""Anytime-Lazy-UCB: the batch against its naive twin, its law, its privacy exactly, and every mutant."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest
from hidden_means import HORIZON, rewards
from mutants_forgetting import HalfNoiseLazy, RawFirstLazy, RememberingLazy

from dpbandits import Bernoulli, Seeded, Table, play
from dpbandits.proofs_checks.papers.hidden_means import loss
from dpbandits.reference.bandits.tapes import Recorder
from dpbandits.reference.papers.hu21 import AnytimeLazyUCB
from dpbandits.reference.papers.hu21.claims import CLAIMS

CLAIM = next(claim for claim in CLAIMS if claim.id == "hu21/privacy")


def twin(policy, table, noise):
    """One run as it is written, round by round: every round's arm and step. noise(step, arm)."""
    arms, step = range(policy.arms), policy.arms + 1
    used, made = [1] * policy.arms, [1] * policy.arms
    new = [[] for _ in arms]
    mean = [table[arm, 0] + noise(step, arm) / policy.eps for arm in arms]
    rounds, whole, last = [(arm, arm + 1) for arm in arms], None, None
    for t in range(policy.arms + 1, policy.horizon + 1):
        if whole is not None:
            step += 1
            mean[whole] = (sum(new[whole]) + noise(step, whole) / policy.eps) / used[whole]
            new[whole] = []
        index = [
            mean[arm]
            + sqrt(policy.for_mean * log(t) / used[arm])
            + policy.for_noise * log(t) / (policy.eps * used[arm])
            for arm in arms
        ]
        best = index.index(max(index))
        step += whole is None and last is not None and best != last
        rounds.append((best, step))
        new[best].append(table[best, made[best]])
        made[best], last = made[best] + 1, best
        whole = best if len(new[best]) == 2 * used[best] else None
        used[best] *= 1 if whole is None else 2
    return rounds


@pytest.mark.parametrize(("arms", "horizon", "eps"), [(3, 200, 1.0), (3, 77, 0.1), (3, 800, 20.0), (1, 5, 1.0)])
def test_every_round_is_what_the_twin_does(arms, horizon, eps):
    """Blocks say what rounds say."""
    policy, table, recorder = AnytimeLazyUCB(arms, horizon, eps), rewards(arms, horizon), Recorder(Seeded(1, 20))
    played = play(policy, Table(table), recorder, 20)
    for trial in range(20):
        rounds = twin(policy, table, lambda t, arm, trial=trial: recorder.values["mean", t][trial, arm])
        blocks = [
            (int(arm), step + 1)
            for step, counts in enumerate(played.released[trial])
            for arm in np.flatnonzero(counts)
            for _ in range(counts[arm])
        ]
        assert blocks == rounds
    assert arms == 1 or len(np.unique(played.released.reshape(20, -1), axis=0)) > 5


def test_some_blocks_end_because_another_arm_overtakes():
    """Batches are powers of two, and so are blocks that end with one: also among the twin's runs."""
    played = play(AnytimeLazyUCB(3, 800, 20.0), Table(rewards(3, 800)), Seeded(1, 20), 20)
    lengths = played.released.sum(axis=2)
    last = (lengths > 0).sum(axis=1) - 1
    lengths[np.arange(20), last] = 0
    assert (lengths & (lengths - 1) > 0).sum() >= 5


def test_regret_of_this_index():
    """T = 1e5, eps = 1, five arms, c_H = c_L = 3: between Lazy-DP-TS and DP-SE, as others have it."""
    environment = Bernoulli((0.75, 0.625, 0.5, 0.375, 0.25))
    played = play(AnytimeLazyUCB(5, 10**5), environment, Seeded(0, 400), 400)
    assert 1600 < (played.pulls @ (0.75 - np.array(environment.means))).mean() < 1950


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"horizon": 2}, "T \\(horizon\\) is 2"),
        ({"eps": 0.0}, "eps is 0.0"),
        ({"for_mean": 0.0}, "c_H \\(for_mean\\) is 0.0"),
    ],
)
def test_wrong_numbers_are_said(wrong, words):
    with pytest.raises(ValueError, match=words):
        AnytimeLazyUCB(**{"arms": 3, "horizon": 100, **wrong})


# -- its privacy (its law and most mutants: test_forgetting) ---------------------------------------------------------


def test_half_the_noise_is_twice_eps_and_what_is_remembered_adds_up():
    assert 1.99 < loss(HalfNoiseLazy(2, HORIZON), (0, 0), 0).low <= 2 + 1e-9
    assert loss(RememberingLazy(2, HORIZON), (0, 0), 0).low > 1.4


def test_first_rewards_without_noise_decide_for_certain():
    """In round 3 the arm with the larger first reward is pulled: one reward more or less, and no release is shared."""
    released = []
    for first in (1.0, 0.0):
        table = Table(np.array([[first, 0.5, 0.5], [0.5, 0.5, 0.5]]))
        released.append(play(RawFirstLazy(2, 3), table, Seeded(0, 50), 50).released[:, 2].tolist())
    assert released == [[[1, 0]] * 50, [[0, 1]] * 50]
