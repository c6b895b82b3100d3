"""E-values of sharpened laws: their expectation is one, and they see too little or too much noise."""

from itertools import product

import numpy as np
import pytest

from dpbandits import fits_law, log_of
from dpbandits.audit.statistics.along import ReferenceStep
from dpbandits.audit.statistics.e_values import log_mean_evidence
from dpbandits.audit.statistics.sharpened import log_factors_by_bin, log_means, with_sharpened
from dpbandits.papers.ou24 import ThompsonSampling
from dpbandits.reference.claims.model import Verdict


def step(t, law, arm, slack=1e-12):
    released = np.eye(len(law), dtype=np.int64)[[arm]]
    return ReferenceStep(t, [""], np.array([-1]), np.array([1]), released, np.array([law]), 9, True, slack)


def law_after(past):
    """A law that depends on the past, with probabilities from 1e-3 to almost 1, and one step without chance."""
    if len(past) == 1:
        return [1.0, 0.0, 0.0]
    scores = np.array([2.5 * sum(arm == 1 for arm in past), 3.0 * (len(past) == 2), -1.0])
    return (np.exp(scores) / np.exp(scores).sum()).tolist()


def steps_of(arms, places):
    return [step(t, law_after(arms[:k]), arm) for k, (t, arm) in enumerate(zip(places, arms, strict=True))]


@pytest.mark.parametrize("places", [(1, 2, 3, 4), (1, 40, 41, 3000)])
def test_each_e_value_has_expectation_one_over_all_runs(places):
    means, all_groups = np.zeros(3), 0.0
    for arms in product(range(3), repeat=4):
        chance = np.prod([law_after(arms[:k])[arm] for k, arm in enumerate(arms)])
        if chance:
            steps = steps_of(arms, places)
            factors = log_factors_by_bin(steps)
            means += chance * np.exp(log_means(factors))
            all_groups += chance * np.exp(log_mean_evidence(with_sharpened([], steps, factors)))
    assert means == pytest.approx([1, 1, 1], abs=1e-8)
    assert (means <= 1 + 1e-15).all()
    assert all_groups == pytest.approx(0.1, abs=1e-9)


def test_an_error_of_the_law_is_on_the_side_of_the_policy():
    """Whatever law within the error is true, the expectation is at most one."""
    law, slack = np.array([0.98, 0.02]), 0.01
    for true in (np.array([0.97, 0.03]), np.array([0.99, 0.01])):
        found = [np.exp(log_means(log_factors_by_bin([step(1, law.tolist(), arm, slack)]))) for arm in (0, 1)]
        assert (true @ np.array(found) <= 1).all()


def logged(runs, scale=1.0, forgotten=False, seed=0):
    """Runs of ten pulls of Thompson sampling with scaled deviations, or 1/sqrt(n) instead of 1/sqrt(n + 1)."""
    rng, every = np.random.default_rng(seed), []
    n, s = np.zeros((runs, 2)), np.zeros((runs, 2))
    arms, paid, row = [], [], np.arange(runs)
    for _ in range(10):
        deviation = scale / np.sqrt(np.maximum(n, 1) if forgotten else n + 1)
        arm = (s / (n + 1) + deviation * rng.normal(size=(runs, 2))).argmax(axis=1)
        reward = (rng.random(runs) < np.where(arm == 0, 0.6, 0.4)).astype(float)
        n[row, arm] += 1
        s[row, arm] += reward
        arms.append(arm)
        paid.append(reward)
    every = [(a.tolist(), r.tolist()) for a, r in zip(np.array(arms).T, np.array(paid).T, strict=True)]
    return log_of(every)


@pytest.mark.parametrize(("runs", "bug"), [(2000, {"forgotten": True}), (8000, {"scale": 0.9}), (4000, {"scale": 1.2})])
def test_a_little_too_little_or_too_much_noise_is_refuted(runs, bug):
    found = fits_law(logged(runs, **bug), ThompsonSampling(2, 10))
    assert found.verdict is Verdict.REFUTED
    assert "the law sharpened, or flattened" in found.summary


def test_right_logs_fit():
    for seed in range(5):
        assert fits_law(logged(1000, seed=seed), ThompsonSampling(2, 10)).verdict is Verdict.CONSISTENT
