"""E-values of sharpened laws: their expectation is one, and they see too little or too much noise."""

from itertools import product

import numpy as np
import pytest

from dpbandits import Table, fits_law, log_of
from dpbandits.audit.statistics.along import ReferenceStep, left_to_chance, pull_sequence, reference_steps
from dpbandits.audit.statistics.e_values import log_mean_evidence
from dpbandits.audit.statistics.sharpened import log_factors_by_bin, log_means, with_sharpened
from dpbandits.extensions.conformance.logs import lead_along_log
from dpbandits.papers.ou24 import ThompsonSampling
from dpbandits.reference.bandits.noise import Seeded
from dpbandits.reference.bandits.play import play
from dpbandits.reference.bandits.policy import Law, Pulls
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


def test_a_release_of_several_arms_is_no_evidence_of_sharpness():
    """Sets of arms: the probabilities of arms do not add up to one, so that the factors would be no e-values."""
    p, expectation = 0.01, 0.0
    for chance, released in ((p, [1, 1, 0]), (1 - p, [0, 0, 1])):
        seen = step(1, [p, p, 1 - p], 0)._replace(released=np.array([released]), single=np.array([False]))
        expectation += chance * np.exp(log_means(log_factors_by_bin([seen])))
    assert expectation == pytest.approx([1, 1, 1])


class Sets:
    """In every step one pull of both first arms, with probability 0.3, else two of the last arm; first one pull."""

    arms, horizon = 3, 9

    def init(self, trials):
        return np.zeros((trials, 3))

    def law(self, t, state):
        several, one = [[1, 1, 0], [0, 0, 2]], [[1, 0, 0], [0, 1, 0]]
        return Law(np.array([one if t == 1 else several] * len(state)), np.full((len(state), 2), [0.3, 0.7]))

    def act(self, t, state, noise):
        law, first = self.law(t, state), noise.uniform("set", t, (1,))[:, 0] < 0.3
        return Pulls(np.where(first[:, None], law.counts[:, 0], law.counts[:, 1]))

    def learn(self, t, state, pulls, sums, noise):
        return state


@pytest.mark.parametrize("by_log", [False, True])
def test_steps_say_whether_every_release_pulls_one_arm_alone(by_log):
    table = Table(np.zeros((3, 9)))
    played = play(Sets(), table, Seeded(0, 40), 40)
    if by_log:
        log = log_of([(arms.tolist(), [0.0] * 9) for arms in pull_sequence(played)])
        steps = [each for each, _ in lead_along_log(Sets(), log)]
    else:
        steps = reference_steps(Sets(), table, played, False)
    assert len(steps) == 5
    assert all(left_to_chance(each.law).any(axis=1).all() for each in steps)
    assert [bool(np.all(each.single)) for each in steps] == [True, False, False, False, False]
    assert [bool(log_factors_by_bin([each]).any()) for each in steps] == [True, False, False, False, False]


def logged(runs, scale=1.0, forgotten=False, seed=0):
    """Runs of ten pulls of Thompson sampling with scaled deviations, or 1/sqrt(n) instead of 1/sqrt(n + 1)."""
    rng = np.random.default_rng(seed)
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
    return log_of([(a.tolist(), r.tolist()) for a, r in zip(np.array(arms).T, np.array(paid).T, strict=True)])


@pytest.mark.parametrize(("runs", "bug"), [(2000, {"forgotten": True}), (8000, {"scale": 0.9}), (4000, {"scale": 1.2})])
def test_a_little_too_little_or_too_much_noise_is_refuted(runs, bug):
    found = fits_law(logged(runs, **bug), ThompsonSampling(2, 10))
    assert found.verdict is Verdict.REFUTED
    assert "the law sharpened, or flattened" in found.summary


def test_right_logs_fit():
    for seed in range(5):
        assert fits_law(logged(1000, seed=seed), ThompsonSampling(2, 10)).verdict is Verdict.CONSISTENT
