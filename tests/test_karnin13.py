"""Sequential Halving: the batch against its naive twin, its error probability, and its mutants."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2

import numpy as np
import pytest

from dpbandits import Bernoulli, Seeded, Table, Verdict, play, replay
from dpbandits.audit.claims.proofs import proofs_of
from dpbandits.reference.bandits.quantities import ERROR_PROBABILITY, Runs
from dpbandits.reference.papers.karnin13 import SequentialHalving
from dpbandits.reference.papers.karnin13.analysis import hardness
from dpbandits.reference.papers.karnin13.claims import CLAIMS

LEMMAS = proofs_of("karnin13")


def rewards(arms, horizon, seed=0):
    """Dyadic, and some means equal."""
    return np.random.default_rng(seed).integers(0, 3, size=(arms, horizon)) / 2


def twin(policy, table):
    """The pulls of every phase, and the answer."""
    arms, phases = list(range(policy.arms)), ceil(log2(policy.arms))
    made, steps = [0] * policy.arms, []
    for _ in range(phases):
        many = policy.horizon // (len(arms) * phases)
        means = {arm: table[arm, made[arm] : made[arm] + many].mean() for arm in arms}
        steps.append([many * (arm in arms) for arm in range(policy.arms)])
        made = [n + m for n, m in zip(made, steps[-1], strict=True)]
        arms = sorted(sorted(arms, key=lambda arm: (-means[arm], arm))[: ceil(len(arms) / 2)])
    return [*steps, [-(arm == arms[0]) for arm in range(policy.arms)]]


@pytest.mark.parametrize(("arms", "horizon"), [(2, 2), (2, 21), (5, 40), (8, 100), (9, 400)])
def test_it_does_what_the_twin_does(arms, horizon):
    policy = SequentialHalving(arms, horizon)
    for seed in range(5):
        played = play(policy, Table(rewards(arms, horizon, seed)), Seeded(0, 2), 2)
        steps = twin(policy, rewards(arms, horizon, seed))
        assert [list(map(list, each)) for each in played.released] == [steps] * 2


@dataclass(frozen=True)
class Worst(SequentialHalving):
    """Line 4 keeps the worst."""

    def kept(self, state):
        return super().kept(state._replace(total=-state.total))


@dataclass(frozen=True)
class Fewer(SequentialHalving):
    """Line 4 rounds down."""

    def kept(self, state):
        kept = super().kept(state)
        odd = (state.active.sum(axis=1) % 2 == 1) & (state.active.sum(axis=1) > 1) & (state.phase > 0)
        worst = np.where(kept, state.total, np.inf).argmin(axis=1)
        return kept & ~((np.arange(self.arms) == worst[:, None]) & odd[:, None])


@dataclass(frozen=True)
class AllRewards(SequentialHalving):
    """Line 3 keeps the rewards of earlier phases."""

    def learn(self, t, state, pulls, sums, noise):
        return super().learn(t, state, pulls, np.asarray(sums) + state.total, noise)


TABLES = {str(seed): Table(rewards(5, 60, seed)) for seed in range(8)}


@pytest.mark.parametrize("mutant", [Worst, Fewer, AllRewards])
def test_replay_catches(mutant):
    assert replay(mutant(5, 60), SequentialHalving(5, 60), TABLES, trials=1).verdict is Verdict.REFUTED


def test_the_hardness_is_that_of_the_worst_place():
    assert hardness(Bernoulli((0.9, 0.8, 0.5))) == pytest.approx(max(2 / 0.01, 3 / 0.16))


def test_a_worse_policy_errs_more_than_the_theorem_allows():
    """The positive control of theorem-4.1: its bound could fail."""
    claim = CLAIMS[0]
    environment = claim.params[0]["environment"]
    policy = Worst(8, claim.params[0]["horizon"])
    played = play(policy, environment, Seeded(0, 200), 200)
    wrong = ERROR_PROBABILITY.of(policy, environment, Runs(played.pulls, played.sums, played.answers)).mean()
    assert claim.says.bound(policy, environment) < 0.1 < wrong


def test_too_few_pulls_are_refused():
    with pytest.raises(ValueError, match="T \\(horizon\\) is 23; it must be an integer of at least 24"):
        SequentialHalving(8, 23)


def test_it_reveals_everything():
    claim = next(claim for claim in CLAIMS if claim.id == "karnin13/privacy/none")
    assert LEMMAS[claim.id](claim, None, 0).verdict is Verdict.PROVED
