"""E-values of sharpened and of learned laws: their expectation is one, and they see wrong noise, priors and counts."""

from itertools import product

import numpy as np
import pytest

from dpbandits import Table, fits_law, log_of
from dpbandits.audit.statistics import learned, sharpened
from dpbandits.audit.statistics.along import ReferenceStep, left_to_chance, pull_sequence, reference_steps
from dpbandits.audit.statistics.e_values import evidence_groups, log_mean_evidence
from dpbandits.audit.statistics.learned import (
    ALL_SHARE,
    FEATURES,
    GROWTH,
    SETS,
    Rows,
    features_of,
    log_e_value,
    ordered_rows,
    with_learned,
    with_other_laws,
)
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


def learned_means(steps, **when):
    """The e-values of learned laws."""
    rows = ordered_rows(steps)
    return np.exp([0.0 if rows is None else log_e_value(rows, many, **when) for many in SETS.values()])


def law_after(past):
    """A law that depends on the past, with probabilities from 1e-3 to almost 1, and one step without chance."""
    if len(past) == 1:
        return [1.0, 0.0, 0.0]
    scores = np.array([2.5 * sum(arm == 1 for arm in past), 3.0 * (len(past) == 2), -1.0])
    return (np.exp(scores) / np.exp(scores).sum()).tolist()


def steps_of(arms, places, run=0):
    """The steps of one run, in which an arm pays more, the larger its number is and the oftener it was pulled."""
    found = []
    for k, (t, arm) in enumerate(zip(places, arms, strict=True)):
        pulls = np.bincount(arms[:k], minlength=3)
        seen = {"pulls": pulls[None], "paid": (pulls * [0.0, 0.5, 2.0] * pulls)[None], "runs": np.array([run])}
        found.append(step(t, law_after(arms[:k]), arm)._replace(**seen))
    return found


@pytest.mark.parametrize("places", [(1, 2, 3, 4), (1, 40, 41, 3000)])
def test_each_e_value_has_expectation_one_over_all_runs(places):
    means, all_groups = np.zeros(3), 0.0
    for arms in product(range(3), repeat=4):
        chance = np.prod([law_after(arms[:k])[arm] for k, arm in enumerate(arms)])
        if chance:
            steps = steps_of(arms, places)
            means += chance * np.exp(log_means(log_factors_by_bin(steps)))
            all_groups += chance * np.exp(log_mean_evidence(with_sharpened([], steps)))
    assert means == pytest.approx([1, 1, 1], abs=1e-8)
    assert (means <= 1 + 1e-15).all()
    assert all_groups == pytest.approx(0.1, abs=1e-9)


@pytest.mark.parametrize("in_order", [True, False])
def test_learned_laws_have_expectation_one_over_all_runs(in_order):
    """Two runs of three steps, all 9 * 27 of each other's outcomes: theta is learned after every release, so that it
    differs from 0 in all but the first step. As runs in their order, and step by step."""
    runs = [(arms, np.prod([law_after(arms[:k])[arm] for k, arm in enumerate(arms)]))
            for arms in product(range(3), repeat=3)]  # fmt: skip
    means, most, total = np.zeros(len(SETS)), 0.0, 0.0
    for (first, chance), (second, other) in product(runs, repeat=2):
        if chance * other:
            steps = steps_of(first, (1, 2, 3), 0), steps_of(second, (1, 2, 3), 1)
            steps = [*steps[0], *steps[1]] if in_order else [each for pair in zip(*steps, strict=True) for each in pair]
            if not in_order:
                steps = [each._replace(runs=None) for each in steps]
            found = learned_means(steps, first=1, growth=1.0)
            means += chance * other * found
            most, total = max(most, found.max()), total + chance * other
    assert total == pytest.approx(1)
    assert most > 1.3
    assert means == pytest.approx(np.ones(len(SETS)), abs=1e-8)
    assert (means <= 1 + 1e-12).all()


def test_learned_laws_have_expectation_one_where_many_runs_share_a_past():
    """Five visits of one past, then three of another one: all 2^8 outcomes."""
    laws, visits, means = np.array([[0.3, 0.7], [0.9, 0.1]]), (5, 3), np.zeros(len(SETS))
    for outcome in product(range(2), repeat=8):
        arms = np.split(np.array(outcome), [5])
        chance = np.prod([law[arm].prod() for law, arm in zip(laws, arms, strict=True)])
        steps = [
            step(t, laws[t - 1].tolist(), 0)._replace(
                visits=np.array([visits[t - 1]]), released=np.bincount(arms[t - 1], minlength=2)[None],
                pulls=np.array([[t, 2]]), paid=np.array([[0.5, 1.0]]),
            )
            for t in (1, 2)
        ]  # fmt: skip
        means += chance * learned_means(steps, first=1)
    assert means == pytest.approx(np.ones(len(SETS)), abs=1e-8)


def test_all_laws_together_have_the_weight_that_is_said():
    law = law_after([])
    mean = sum(
        law[arm] * np.exp(log_mean_evidence(with_other_laws([], steps_of([arm], (1,))))) for arm in range(3) if law[arm]
    )
    assert mean == pytest.approx(ALL_SHARE, abs=1e-9)
    assert len(with_learned([], [])) == len(SETS)
    assert len(FEATURES) == max(SETS.values())


@pytest.mark.parametrize(
    ("add", "share"),
    [
        (with_sharpened, sharpened.SHARE),
        (with_learned, learned.SHARE),
        (with_other_laws, ALL_SHARE),
    ],
)
def test_other_e_values_take_their_weight_from_those_before(add, share):
    """Else all weights together would exceed 1, and with them the risk."""
    steps = steps_of([1, 0, 2], (1, 2, 3))
    before = evidence_groups(steps, "here", 0.0)
    after = add(before, steps)
    assert len(after) > len(before) > 1
    lost = [new.log_weight - old.log_weight for old, new in zip(before, after, strict=False)]
    assert lost == pytest.approx(len(before) * [np.log1p(-share)], rel=1e-9)


def rows_of(law, released, pulls, means):
    """Rows of releases of a law that is known up to 1e-12."""
    law, released, pulls, means = (np.array(each, dtype=np.float64) for each in (law, released, pulls, means))
    return Rows(law, released, pulls, means, released.sum(axis=1), np.full(len(law), 1e-12))


def test_features_are_what_their_names_say():
    pulls, means = np.array([[0, 3, 8], [24, 1, 3]]), np.array([[0.0, 0.5, -1.0], [0.2, -0.3, 0.0]])
    rows = rows_of([[0.25, 0.75, 0.0], [1e-6, 1e-3, 1.0]], [[0, 1, 0], [0, 0, 1]], pulls, means)
    logs, rare = np.log([[0.25, 0.75, np.exp(-12)], [np.exp(-12), 1e-3, 1.0]]), (pulls + 1) ** -0.5
    features = [logs, rare, logs * [[1.0], [0.5**0.5]], means, means * rare, pulls == 0]
    for name, found, feature in zip(FEATURES, features_of(rows, len(FEATURES)), features, strict=True):
        assert found == pytest.approx(np.asarray(feature, dtype=float), abs=1e-12), name


@pytest.mark.parametrize("feature", range(len(FEATURES)))
def test_a_law_that_weighs_a_feature_is_learned(feature):
    """Nearly all of the evidence that the best theta would give, of twelve hundred releases."""
    rng = np.random.default_rng(feature)
    law, pulls, means = rng.dirichlet([2.0] * 3, 60), rng.integers(0, 6, (60, 3)), rng.uniform(-1, 1, (60, 3))
    tilted = law * np.exp(1.5 * features_of(rows_of(law, law, pulls, means), len(FEATURES))[feature])
    true = tilted / tilted.sum(axis=1, keepdims=True)
    most = 20 * (true * np.log(true / law)).sum()
    many = min(size for size in SETS.values() if size > feature)
    assert 0.8 * most < log_e_value(rows_of(law, 20 * true, pulls, means), many) <= most


def test_a_growing_log_changes_no_earlier_factor():
    """The e-value of more runs is that of fewer, times factors of the later runs, whatever these are."""
    log, page = logged(80, forgotten=True, averaged=True), ThompsonSampling(2, 10)
    rows = [ordered_rows([s for s, _ in lead_along_log(page, log.first(many, None))]) for many in (50, 80)]
    assert (rows[1].law[:500] == rows[0].law[:500]).all()
    assert len(rows[1].law) == 800
    for many in SETS.values():
        # As if all that came later were left out of the product: released nothing, after the same rows.
        cut = rows[1]._replace(released=np.where(np.arange(800)[:, None] < 500, rows[1].released, 0.0))
        assert log_e_value(rows[0], many) == pytest.approx(log_e_value(cut, many), abs=1e-9)
    assert GROWTH > 1


def test_an_error_of_the_law_is_on_the_side_of_the_policy():
    """Whatever law within the error is true, the expectation is at most one."""
    law, slack = np.array([0.98, 0.02]), 0.01
    for true in (np.array([0.97, 0.03]), np.array([0.99, 0.01])):
        steps = [[step(1, law.tolist(), arm, slack)] for arm in (0, 1)]
        found = [np.exp(log_means(log_factors_by_bin(each))) for each in steps]
        assert (true @ np.array(found) <= 1).all()
        for before in ([40, 0], [0, 40]):  # from which a law is learned that has more, or less, of arm 0
            first = step(1, [0.9, 0.1], 0)._replace(visits=np.array([40]), released=np.array([before]))
            after = np.array([learned_means([first, *each]) for each in steps]) / learned_means([first])
            assert np.abs(after - 1).max() > 0.01
            assert (true @ after <= 1 + 1e-12).all()


def test_a_release_of_several_arms_is_no_evidence_of_sharpness():
    """Sets of arms: the probabilities of arms do not add up to one, so that the factors would be no e-values."""
    p, expectation = 0.01, 0.0
    for chance, released in ((p, [1, 1, 0]), (1 - p, [0, 0, 1])):
        seen = step(1, [p, p, 1 - p], 0)._replace(released=np.array([released]), single=np.array([False]))
        expectation += chance * np.exp(log_means(log_factors_by_bin([seen])))
        assert learned_means([seen]) == pytest.approx(np.ones(len(SETS)))
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
    assert [ordered_rows([each]) is not None for each in steps] == [True, False, False, False, False]


def logged(runs, scale=1.0, forgotten=False, averaged=False, prior=0.0, seed=0, pulls=10, means=(0.6, 0.4)):
    """Runs of Thompson sampling with scaled deviations, or 1/sqrt(n) instead of 1/sqrt(n + 1), or sum/n instead of
    sum/(n + 1), or a prior reward."""
    rng = np.random.default_rng(seed)
    n, s = np.zeros((runs, len(means))), np.zeros((runs, len(means)))
    arms, paid, row = [], [], np.arange(runs)
    for _ in range(pulls):
        deviation = scale / np.sqrt(np.maximum(n, 1) if forgotten else n + 1)
        center = s / np.maximum(n, 1) if averaged else (s + prior) / (n + 1)
        arm = (center + deviation * rng.normal(size=n.shape)).argmax(axis=1)
        reward = (rng.random(runs) < np.array(means)[arm]).astype(float)
        n[row, arm] += 1
        s[row, arm] += reward
        arms.append(arm)
        paid.append(reward)
    return log_of([(a.tolist(), r.tolist()) for a, r in zip(np.array(arms).T, np.array(paid).T, strict=True)])


@pytest.mark.first(1)
@pytest.mark.parametrize(("runs", "bug"), [(2000, {"forgotten": True}), (4000, {"scale": 1.2}), (8000, {"scale": 0.9})])
def test_a_little_too_little_or_too_much_noise_is_refuted(runs, bug):
    found = fits_law(logged(runs, **bug), ThompsonSampling(2, 10))
    assert found.verdict is Verdict.REFUTED
    assert "the law sharpened or flattened" in found.summary or "a learned exponent" in found.summary


@pytest.mark.thorough
def test_one_over_n_for_one_over_n_plus_one_is_refuted_in_mean_and_deviation():
    """20 000 pulls of five arms. The likelihood ratio of the true law is 10^114 here; sharpened laws reach 10^9."""
    log = logged(400, forgotten=True, averaged=True, pulls=50, means=(0.6, 0.5, 0.5, 0.5, 0.4))
    steps = [each for each, _ in lead_along_log(ThompsonSampling(5, 50), log)]
    assert log_mean_evidence(with_sharpened([], steps)) < np.log(1e12)
    assert log_mean_evidence(with_learned([], steps)) > np.log(1e50)
    assert fits_law(log, ThompsonSampling(5, 50)).verdict is Verdict.REFUTED


def test_a_wrong_prior_is_refuted():
    found = fits_law(logged(500, prior=0.5), ThompsonSampling(2, 10))
    assert found.verdict is Verdict.REFUTED
    assert any(way in found.summary for way in SETS)


@pytest.mark.thorough
def test_right_logs_fit():
    for seed in range(5):
        assert fits_law(logged(1000, seed=seed), ThompsonSampling(2, 10)).verdict is Verdict.CONSISTENT


@pytest.mark.parametrize("chance", [0.05, 0.5, 0.95])
def test_the_most_that_could_be_shown_is_by_an_arm_that_is_pulled_always_or_never(chance):
    """In ten visits of one past. Of an arm that is nearly always pulled, it is the latter."""

    def shown(released):
        seen = step(1, [chance, 1 - chance], 0)
        return evidence_groups([seen._replace(visits=np.array([10]), released=np.array([released]))], "toy", 0.0)[0]

    always, never, between = shown([10, 0]), shown([0, 10]), shown([4, 6])
    most = np.maximum(always.log_evidence, never.log_evidence)
    for group in (always, never, between):
        assert group.log_most == pytest.approx(most, abs=1e-6)
    assert (between.log_evidence < most).all()
