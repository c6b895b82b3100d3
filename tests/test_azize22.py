"""AdaP-UCB: the batch against its naive twin, its law, its privacy exactly, and every mutant."""

from __future__ import annotations

from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest
from hidden_means import HORIZON, rewards
from mutants_forgetting import HalfNoiseAdaP, OverlappingAdaP, RawFirstAdaP

from dpbandits import QUICK, Bernoulli, Seeded, Table, Verdict, play
from dpbandits.audit.judges.effort import run_over
from dpbandits.audit.runner.dispatch import judge_subject
from dpbandits.proofs_checks.papers.hidden_means import loss
from dpbandits.reference.bandits.tapes import Recorder
from dpbandits.reference.papers.azize22 import AdaPUCB
from dpbandits.reference.papers.azize22.claims import CLAIMS

RIGHT = AdaPUCB(3, 200)
CLAIM = next(claim for claim in CLAIMS if claim.id == "azize22/privacy")


def twin(policy, table, noise):
    """One run as it is written: the pulls of every step. noise(step, arm)."""
    arms, steps = range(policy.arms), []
    counts, used = [1] * policy.arms, [1] * policy.arms
    steps += [[int(arm == each) for each in arms] for arm in arms]
    sums, mean, fresh = [table[arm, 0] for arm in arms], [0.0] * policy.arms, list(arms)
    t = policy.arms + 1
    while t <= policy.horizon:
        for arm in fresh:
            mean[arm] = sums[arm] / used[arm] + noise(len(steps) + 1, arm) / (policy.eps * used[arm])
        index = [
            mean[arm]
            + sqrt(policy.alpha * log(2 * t) / (2 * used[arm]))
            + policy.alpha * log(t) / (policy.eps * used[arm])
            for arm in arms
        ]
        best = index.index(max(index))
        many = min(counts[best], policy.horizon - t + 1)
        sums[best] = table[best, counts[best] : counts[best] + many].sum()
        used[best], counts[best], fresh = many, counts[best] + many, [best]
        steps.append([many * (arm == best) for arm in arms])
        t += many
    return steps


@pytest.mark.parametrize(("arms", "horizon", "eps"), [(3, 200, 1.0), (3, 77, 0.1), (2, 200, 5.0), (1, 5, 1.0)])
def test_every_trial_is_what_the_twin_does(arms, horizon, eps):
    policy, table, recorder = AdaPUCB(arms, horizon, eps), rewards(arms, horizon), Recorder(Seeded(1, 20))
    played = play(policy, Table(table), recorder, 20)
    for trial in range(20):
        steps = twin(policy, table, lambda t, arm, trial=trial: recorder.values["mean", t][trial, arm])
        padding = [[0] * arms] * (played.released.shape[1] - len(steps))
        assert played.released[trial].tolist() == steps + padding
    assert arms == 1 or len(np.unique(played.released.reshape(20, -1), axis=0)) > 5


def test_regret_where_others_measured_it():
    """T = 1e5, eps = 1, five arms: others report about 1300 over 40 runs."""
    environment = Bernoulli((0.75, 0.625, 0.5, 0.375, 0.25))
    played = play(AdaPUCB(5, 10**5), environment, Seeded(0, 400), 400)
    assert 1150 < (played.pulls @ (0.75 - np.array(environment.means))).mean() < 1500


@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"horizon": 2}, "T \\(horizon\\) is 2"), ({"eps": 0.0}, "eps is 0.0"), ({"alpha": -1.0}, "alpha is -1.0")],
)
def test_wrong_numbers_are_said(wrong, words):
    with pytest.raises(ValueError, match=words):
        AdaPUCB(**{"arms": 3, "horizon": 100, **wrong})


# -- its privacy (its law and most mutants: test_forgetting) ---------------------------------------------------------


def test_half_the_noise_is_twice_eps_and_overlapping_episodes_add_up():
    assert 1.99 < loss(HalfNoiseAdaP(2, HORIZON), (0, 0), 0).low <= 2 + 1e-9
    assert loss(OverlappingAdaP(2, HORIZON), (0, 0), 0).low > 1.4


@pytest.mark.thorough
def test_first_rewards_without_noise_are_seen_by_whoever_looks():
    """In round 3 the arm with the larger first reward is played, for certain; the audit needs no law to see it."""
    run = run_over(CLAIMS, QUICK, 0)
    run = replace(run, profile=replace(run.profile, trials=600))
    assert judge_subject(CLAIM, run, RawFirstAdaP(2, 3)).verdict is Verdict.REFUTED
    assert judge_subject(CLAIM, run, AdaPUCB(2, 3)).verdict is Verdict.CONSISTENT
