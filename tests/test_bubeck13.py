"""Robust UCB: the batch against its naive twin, and its mutants."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import NamedTuple

import numpy as np
import pytest

from dpbandits import Pulls, Seeded, Table, Verdict, play, replay
from dpbandits.audit.claims.proofs import proofs_of
from dpbandits.reference.bandits.play import released_arms
from dpbandits.reference.papers.bubeck13 import RobustUCB
from dpbandits.reference.papers.bubeck13.claims import CLAIMS

LEMMAS = proofs_of("bubeck13")


def heavy(arms=3, horizon=150, seed=0):
    """Dyadic rewards with a heavy tail, some of them negative."""
    drawn = np.random.default_rng(seed).standard_t(2, size=(arms, horizon)) + np.arange(arms)[:, None] / 2
    return np.clip(np.floor(256 * drawn) / 256, -50, 50)


TABLES = {"heavy": Table(heavy(), low=-50.0, high=50.0), "other": Table(heavy(seed=1), low=-50.0, high=50.0)}
SETTING = {"arms": 3, "horizon": 150, "v": 0.5, "u": 2.0, "width": 0.5}  # a bonus so small that the rewards decide


def twin(policy, table):
    arms, v, u = range(policy.arms), policy.v, policy.u
    paid, out = [[] for _ in arms], []
    for t in range(1, policy.horizon + 1):
        index = []
        for arm in arms if t > policy.arms else ():
            n = len(paid[arm])
            kept = [x for s, x in enumerate(paid[arm], 1) if abs(x) <= (u * s / log(t**2)) ** (1 / (1 + v))]
            bonus = policy.width * u ** (1 / (1 + v)) * (log(t**2) / n) ** (v / (1 + v))
            index.append(sum(kept) / n + bonus)
        best = index.index(max(index)) if index else t - 1
        paid[best].append(table[best, len(paid[best])])
        out.append(best)
    return out


@pytest.mark.parametrize("width", [0.5, 4.0])
@pytest.mark.first(1)
def test_it_does_what_the_twin_does(width):
    policy = RobustUCB(**{**SETTING, "width": width})
    for seed in range(3):
        played = play(policy, Table(heavy(seed=seed), low=-50.0, high=50.0), Seeded(0, 2), 2)
        assert released_arms(played).tolist() == [twin(policy, heavy(seed=seed))] * 2


@dataclass(frozen=True)
class Untruncated(RobustUCB):
    """Line 2 truncates nothing."""

    def threshold(self, order, t):
        return np.full(np.shape(order), np.inf)


class Heard(NamedTuple):
    """What the mutants remember that look at all rewards."""

    pulls: np.ndarray
    rewards: np.ndarray  # (trials, arms, horizon): 0 from the n_a-th on


@dataclass(frozen=True)
class Listening(RobustUCB):
    """Keeps every reward, as the text of line 2 has it."""

    def init(self, trials):
        return Heard(np.zeros((trials, self.arms), dtype=np.int64), np.zeros((trials, self.arms, self.horizon)))

    def learn(self, t, state, pulls, sums, noise):
        rewards = state.rewards.copy()
        trial, arm = np.nonzero(pulls.counts)
        rewards[trial, arm, state.pulls[trial, arm]] = sums[trial, arm]
        return Heard(state.pulls + pulls.counts, rewards)

    def means(self, t, state):
        bounds = self.threshold(np.arange(1, self.horizon + 1), t)
        return np.where(np.abs(state.rewards) <= bounds, state.rewards, 0.0).sum(axis=2) / np.maximum(state.pulls, 1)


@dataclass(frozen=True)
class Once(Listening):
    """Line 2 truncates all rewards at the last one's threshold."""

    def means(self, t, state):
        last = (self.u * state.pulls / (2 * np.log(t))) ** (1 / (1 + self.v))
        kept = np.where(np.abs(state.rewards) <= last[:, :, None], state.rewards, 0.0)
        return kept.sum(axis=2) / np.maximum(state.pulls, 1)


@dataclass(frozen=True)
class Clipping(Listening):
    """Line 2 clips where it should truncate."""

    def means(self, t, state):
        bounds = self.threshold(np.arange(1, self.horizon + 1), t)
        return np.clip(state.rewards, -bounds, bounds).sum(axis=2) / np.maximum(state.pulls, 1)


@dataclass(frozen=True)
class Forgiving(RobustUCB):
    """A reward is asked for once, when it comes: what its first round counts, every round counts."""

    def learn(self, t, state, pulls, sums, noise):
        made = state.pulls + pulls.counts
        kept = np.abs(sums) <= self.threshold(made, t)
        return state._replace(pulls=made, sure=state.sure + np.where(kept, sums, 0.0))


@pytest.mark.thorough
def test_it_counts_what_the_text_counts_of_every_reward():
    """Seeds of their own for ten runs, all played to the end; rewards are dyadic, so that every sum is exact."""
    for seed in range(10):
        table = Table(heavy(seed=seed), low=-50.0, high=50.0)
        played = [play(policy(**SETTING), table, Seeded(0, 1), 1).released for policy in (RobustUCB, Listening)]
        assert np.array_equal(*played)


@pytest.mark.thorough
def test_it_remembers_few_rewards_one_by_one():
    policy = RobustUCB(2, 2000, u=2.0)
    random, state = np.random.default_rng(0), policy.init(20)
    for t in range(1, 2001):
        pulls = Pulls.one(random.integers(0, 2, 20), 2)
        state = policy.learn(t, state, pulls, pulls.counts * random.standard_normal((20, 2)), Seeded(0, 20))
    assert 0 < state.doubtful.shape[2] < 40


@pytest.mark.parametrize("mutant", [Untruncated, Once, Clipping, Forgiving])
@pytest.mark.first(2)
def test_conformance_catches(mutant):
    assert replay(mutant(**SETTING), RobustUCB(**SETTING), TABLES, trials=4).verdict is Verdict.REFUTED


def test_blocks_are_refused_because_single_rewards_are_truncated():
    policy = RobustUCB(2, 10)
    for counts in ([[2, 0]], [[1, 0], [1, 1]], [[0, 1], [0, 3], [0, 0]]):  # one run of a batch is enough
        pulls = Pulls(np.array(counts))
        with pytest.raises(ValueError, match="pulls at once, but robust UCB truncates single"):
            policy.learn(1, policy.init(len(counts)), pulls, pulls.counts * 0.5, Seeded(0, len(counts)))


@pytest.mark.parametrize("wrong", [{"v": 0.0}, {"v": 1.5}, {"u": 0.0}, {"width": -1.0}])
def test_wrong_numbers_are_said(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        RobustUCB(2, 10, **wrong)


def test_it_reveals_everything():
    claim = next(claim for claim in CLAIMS if claim.id == "bubeck13/privacy/none")
    assert LEMMAS[claim.id](claim, None, 0).verdict is Verdict.PROVED


def test_the_bound_says_something():
    claim = CLAIMS[0]
    (instance,) = claim.params
    environment = instance["environment"]
    policy = RobustUCB(**{name: value for name, value in instance.items() if name != "environment"})
    assert claim.says.bound(policy, environment) < policy.horizon * 0.99
