"""UCB1: the batch against its naive twin, and its mutants."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

import numpy as np
import pytest
from hidden_means import TABLES, rewards

from dpbandits import QUICK, Seeded, Table, Verdict, play, replay
from dpbandits.audit.judges.effort import run_over
from dpbandits.audit.runner.dispatch import judge
from dpbandits.proofs_checks.papers.parted import parted
from dpbandits.reference.bandits.play import released_arms
from dpbandits.reference.papers.auer02 import UCB1
from dpbandits.reference.papers.auer02.claims import CLAIMS
from dpbandits.reference.papers.ou24.algorithms import ThompsonSampling

RIGHT = UCB1(3, 200)


def twin(policy, table):
    arms = range(policy.arms)
    made, total, out = [0] * policy.arms, [0.0] * policy.arms, []
    for t in range(1, policy.horizon + 1):
        index = [total[arm] / made[arm] + sqrt(2 * log(t - 1) / made[arm]) for arm in arms if t > policy.arms]
        best = index.index(max(index)) if index else t - 1
        total[best] += table[best, made[best]]
        made[best] += 1
        out.append(best)
    return out


@pytest.mark.parametrize(("arms", "horizon"), [(3, 200), (2, 50), (1, 4)])
def test_it_does_what_the_twin_does(arms, horizon):
    table = rewards(arms, horizon)
    played = play(UCB1(arms, horizon), Table(table), Seeded(0, 2), 2)
    assert released_arms(played).tolist() == [twin(UCB1(arms, horizon), table)] * 2


@dataclass(frozen=True)
class Unsquared(UCB1):
    """The bonus without its root."""

    def index(self, t, state):
        return super().index(t, state._replace(pulls=state.pulls**2))


@dataclass(frozen=True)
class Greedy(UCB1):
    """Hardly any bonus."""

    exploration: float = 1e-3


@pytest.mark.parametrize("mutant", [Unsquared, Greedy])
def test_conformance_catches(mutant):
    assert replay(mutant(3, 200), RIGHT, TABLES, trials=4).verdict is Verdict.REFUTED


def test_it_reveals_everything_and_thompson_sampling_does_not():
    claim = next(claim for claim in CLAIMS if claim.id == "auer02/privacy/none")
    assert parted(claim, UCB1(2, 3)).verdict is Verdict.PROVED
    assert parted(claim, ThompsonSampling(2, 3)).verdict is Verdict.CONSISTENT


def test_the_bonus_is_proved_and_a_bound_eight_times_smaller_is_refuted():
    run = run_over(CLAIMS, QUICK, 0)
    bonus, theorem = CLAIMS[0], CLAIMS[1]
    assert judge(bonus, run).verdict is Verdict.PROVED
    assert theorem.says.bound(UCB1(2, 1000), theorem.params[0]["environment"]) == pytest.approx(
        8 * log(1000) / 0.8 + (1 + np.pi**2 / 3) * 0.8
    )
