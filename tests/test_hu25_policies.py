"""DP-TS-UCB and the quoted algorithms: a scalar twin written from the paper's lines, and property by property."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from fits import LEVEL, chi_square

from dpbandits import Bernoulli, Policy, Pulls, Seeded, Table, play
from dpbandits.audit.play.runs import joint_key, joint_policy
from dpbandits.audit.privacy.scores.samples import ratio
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.play import released_arms
from dpbandits.reference.bandits.policy import HasLaw
from dpbandits.reference.bandits.tapes import Recorder
from dpbandits.reference.papers.hu25 import (
    DPTSUCB,
    M_TS_GAUSSIAN,
    PRINTED,
    REPAIRED,
    TS_GAUSSIAN,
    QuotedThompsonSampling,
    sampling_budget,
)
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.shared import PAPERS_ARMS, regret_bound


def constant(budget: float) -> Callable[[float, int], float]:
    return lambda alpha, horizon: budget


def random_table(arms: int, horizon: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 9, (arms, horizon)) / 8


# -- the twin ------------------------------------------------------------------------------------------------------


def twin(K, T, alpha, phi, rewards, draws, start=0.0):
    """Algorithm 1, line by line, for one run. rewards[i][n]: arm i's (n+1)-th. draws[t][i]: the standard normal of
    arm i in round t. start: what MAX starts from. Returns the pulled arms, which h were spent, and the epochs."""
    mu, n, r, waiting, h, MAX, seen, batch = {}, {}, {}, {}, {}, {}, {}, {}
    arms, fresh = [], []
    for i in range(K):  # line 2
        mu[i], n[i] = rewards[i][0], 1
        seen[i], batch[i] = 1, []
        r[i], waiting[i] = 1, 0
        h[i], MAX[i] = phi, start
        arms.append(i)
    for t in range(K + 1, T + 1):  # line 3
        theta = {}
        for i in range(K):  # line 4
            if h[i] >= 1:  # line 5
                theta[i] = mu[i] + (np.log(T) ** alpha / n[i]) ** 0.5 * draws[t][i]  # line 6
                h[i], MAX[i] = h[i] - 1, max(MAX[i], theta[i])  # line 7
                fresh.append((t, i))
            else:  # line 8
                theta[i] = MAX[i]  # line 9
        it = max(range(K), key=lambda i: (theta[i], -i))  # line 12
        batch[it].append(rewards[it][seen[it]])
        seen[it] += 1
        waiting[it] += 1
        if waiting[it] == 2 ** r[it]:  # line 13
            n[it] = 2 ** r[it]
            mu[it] = sum(batch[it]) / n[it]  # line 14
            h[it], MAX[it] = phi, start  # line 15
            r[it], waiting[it] = r[it] + 1, 0  # line 16
            batch[it] = []
        arms.append(it)
    return arms, fresh, r


@pytest.mark.thorough
def test_the_batch_makes_the_twins_pulls():
    """K = 2, 3; alpha 0, 1/2, 1; budgets so small that MAX is used, and larger than the horizon; MAX from 0 or not."""
    T, trials, second_phases, epochs = 60, 25, 0, 0
    for K in (2, 3):
        for alpha in (0.0, 0.5, 1.0):
            for phi in (1.0, 2.7, 5.0, 1000.0):
                for start in (0.0, -np.inf):
                    policy = DPTSUCB(K, T, alpha, budget=constant(phi), floor=start)
                    rewards = random_table(K, T, seed=K)
                    recorder = Recorder(Seeded(int(10 * phi), trials))
                    arms = released_arms(play(policy, Table(rewards), recorder, trials))
                    for run in range(trials):
                        draws = {t: recorder.values["theta", t][run] for t in range(K + 1, T + 1)}
                        expected, fresh, r = twin(K, T, alpha, phi, rewards, draws, start)
                        assert arms[run].tolist() == expected
                        second_phases += len(fresh) < K * (T - K)
                        epochs = max(epochs, *r.values())
    assert second_phases > 500  # the twin was in the UCB phase in many runs
    assert epochs >= 5  # 1 + 2 + 4 + 8 + 16 pulls of one arm


def test_the_printed_and_the_repaired_maximum_differ_only_where_all_samples_are_negative():
    T, rewards = 40, np.zeros((2, 40))
    makers = {maker: maker(arms=2, horizon=T, alpha=1.0, budget=constant(1.0)) for maker in (PRINTED, REPAIRED)}
    arms = [released_arms(play(policy, Table(rewards), Seeded(1, 200), 200)) for policy in makers.values()]
    assert (arms[0] != arms[1]).any()
    assert makers[PRINTED].floor == 0
    assert makers[REPAIRED].floor == -np.inf


# -- properties ----------------------------------------------------------------------------------------------------


def one_pull(arm: int, arms: int, trials: int = 1) -> Pulls:
    return Pulls.one(np.full(trials, arm), arms)


def led(policy: DPTSUCB, sequence, rewards, noise):
    """The states after each pull of a prescribed sequence of arms."""
    state, states = policy.init(noise.trials), []
    for t, (arm, reward) in enumerate(zip(sequence, rewards, strict=True), start=1):
        pulls = one_pull(arm, policy.arms, noise.trials)
        state = policy.learn(t, state, pulls, pulls.counts * reward, noise)
        states.append(state)
    return states


def test_budgets_of_unpulled_arms_fall_and_then_rest():
    policy = DPTSUCB(3, 30, 0.0, budget=constant(4.5))
    states = led(policy, [0, 1, 2] + [0] * 10, [0.5] * 13, Seeded(0, 1))
    falling = [float(state.left[0, 2]) for state in states[2:]]
    assert falling == [4.5, 3.5, 2.5, 1.5, 0.5, *[0.5] * 6]
    # Arm 0's budget starts anew after its epochs of 2 and 4, which end with pulls 5 and 9.
    assert [float(state.left[0, 0]) for state in states[2:]] == [4.5, 3.5, 4.5, 3.5, 2.5, 1.5, 4.5, 3.5, 2.5, 1.5, 0.5]


def test_a_budget_of_phi_means_floor_phi_draws_in_an_epoch():
    for phi in (1.0, 2.0, 2.999, 3.2):
        policy = DPTSUCB(2, 40, 0.5, budget=constant(phi))
        states = led(policy, [0, 1] + [0] * 12, [0.0] * 14, Seeded(0, 1))
        drawn = sum(bool(policy.posterior(t, state)[1][0, 1] > 0) for t, state in enumerate(states[1:], start=3))
        assert drawn == int(np.floor(phi))


def test_every_observation_is_used_once_and_unfinished_epochs_not_at_all():
    """Rewards are distinct powers of two, so that the means say which observations they hold."""
    policy = DPTSUCB(2, 40, 0.0)
    rewards = [2.0**-k for k in range(1, 10)]
    states = led(policy, [0, 1, 0, 0, 0, 0, 0, 0, 0], [rewards[0], 0.0, *rewards[1:8]], Seeded(0, 1))
    means = [float(state.mean[0, 0]) for state in states]
    first, second, third = rewards[0], sum(rewards[1:3]) / 2, sum(rewards[3:7]) / 4
    assert means == [first, first, first, second, second, second, second, third, third]
    assert [int(state.used[0, 0]) for state in states] == [1, 1, 1, 2, 2, 2, 2, 4, 4]
    assert [int(state.waiting[0, 0]) for state in states] == [0, 0, 1, 0, 1, 2, 3, 0, 1]


def test_rewards_of_the_last_unfinished_epoch_change_nothing():
    """Two tables that differ from the second observation on: an arm pulled twice has finished no second epoch."""
    T, trials = 12, 400
    policy = DPTSUCB(2, T, 0.0)
    left = random_table(2, T, 3)
    right = left.copy()
    right[0, 1] = 1 - left[0, 1]
    seen = [released_arms(play(policy, Table(table), Seeded(0, trials), trials)) for table in (left, right)]
    counts = (seen[0] == 0).cumsum(axis=1)
    before = counts < 3  # arm 0's third pull ends its epoch of two
    same = np.concatenate([np.ones((trials, 1), bool), before[:, :-1]], axis=1)
    assert (seen[0] == seen[1])[same].all()
    assert (seen[0] != seen[1]).any()


def test_one_trial_is_the_first_of_a_batch():
    policy = DPTSUCB(3, 50, 0.5, budget=constant(3.0))
    arms = [released_arms(play(policy, Table(random_table(3, 50, 1)), Seeded(4, n), n)) for n in (1, 7, 100)]
    assert (arms[0][0] == arms[2][0]).all()
    assert (arms[1] == arms[2][:7]).all()


def test_settings_side_by_side_play_as_they_play_alone():
    """alpha as a column: the joint policy makes the single policies' pulls on the same draws."""
    alphas, runs, T = (0.0, 0.5, 1.0), 20, 80
    policies = tuple(DPTSUCB(2, T, alpha) for alpha in alphas)
    assert len({joint_key(policy, place) for place, policy in enumerate(policies)}) == 1
    joint = joint_policy(policies, np.repeat([0, 1, 2], runs))
    recorder = Recorder(Seeded(0, runs * len(alphas)))
    table = Table(random_table(2, T, 2))
    together = released_arms(play(joint, table, recorder, runs * len(alphas)))
    for place, policy in enumerate(policies):
        for run in (0, runs - 1):
            row = place * runs + run
            draws = {t: recorder.values["theta", t][row] for t in range(3, T + 1)}
            phi = sampling_budget(policy.alpha, T)
            assert together[row].tolist() == twin(2, T, policy.alpha, phi, table.rewards, draws)[0]


def test_repeated_values_add_nothing_to_the_score_of_all_samples():
    """Arm 1 repeats the same maximum on both sides, whatever the means: only arm 0's fresh sample counts."""
    draw = np.array([[0.3, 0.7]])
    scale, best = np.array([[2.0, 0.0]]), -1.0
    left, right = ((np.array([[mean, best]]), scale) for mean in (0.0, 1.0))
    theta = 2.0 * 0.3
    expected = (theta**2 - (theta - 1) ** 2) / (2 * 2.0**2)
    score = ratio(left, right, 0, draw, one_pull(0, 2), 3)
    assert score == pytest.approx([expected])
    with pytest.raises(ValueError, match="on only one of the two reward tables"):
        ratio(left, (right[0], np.array([[2.0, 1.0]])), 0, draw, one_pull(0, 2), 3)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: DPTSUCB(0, 10, 0.5), r"K \(arms\)"),
        (lambda: DPTSUCB(2, 2, 0.5), r"T \(horizon\)"),
        (lambda: DPTSUCB(5, 4, 0.5), "at least 5"),
        (lambda: DPTSUCB(2, 10, -0.1), "alpha"),
        (lambda: DPTSUCB(2, 10, 1.5), "alpha"),
        (lambda: DPTSUCB(2, 10, float("nan")), "alpha"),
        (lambda: QuotedThompsonSampling(0, 10), r"K \(arms\)"),
        (lambda: QuotedThompsonSampling(2, 0), r"T \(horizon\)"),
        (lambda: QuotedThompsonSampling(2, 10, variance=0.0), "variance"),
        (lambda: QuotedThompsonSampling(2, 10, variance=float("inf")), "variance"),
        (lambda: QuotedThompsonSampling(2, 10, first=0), "undefined"),
        (lambda: QuotedThompsonSampling(2, 10, first=6), "exceed"),
    ],
)
def test_wrong_parameters_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_the_policies_fit_the_protocols():
    assert isinstance(DPTSUCB(2, 10, 0.0), Policy)
    assert not isinstance(DPTSUCB(2, 10, 0.0), HasLaw)
    assert isinstance(TS_GAUSSIAN(2, 10), HasLaw)


# -- the quoted algorithms -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [TS_GAUSSIAN(3, 5), M_TS_GAUSSIAN(3, 8, first=2, variance=0.5)])
def test_the_quoted_algorithms_follow_their_law(policy):
    """Every transcript of the last two free rounds, against the product of the laws."""
    trials, table = 40_000, Table(random_table(3, 8, 5))
    arms = released_arms(play(policy, table, Seeded(0, trials), trials))[:, policy.arms :]
    state, noise = policy.init(1), Seeded(0, 1)
    for t in range(1, policy.arms + 1):
        pulls = policy.act(t, state, noise)
        sums = table.draw(t, np.zeros((1, 3), int), pulls.counts, None, noise)
        state = policy.learn(t, state, pulls, sums, noise)
    expected = np.zeros((3, 3))
    first = policy.law(4, state).chance[0]
    for arm in range(3):
        pulls = one_pull(arm, 3)
        sums = table.draw(4, np.full((1, 3), policy.first), pulls.counts, None, noise)
        expected[arm] = first[arm] * policy.law(5, policy.learn(4, state, pulls, sums, noise)).chance[0]
    observed = np.bincount(3 * arms[:, 0] + arms[:, 1], minlength=9)
    assert chi_square(observed, trials * expected.ravel()) > LEVEL


def test_the_quoted_first_round_is_a_normal_difference():
    """One pull each, rewards 1 and 0: P(arm 0) = Phi(1/sqrt(2))."""
    policy = TS_GAUSSIAN(2, 3)
    state, noise = policy.init(1), Seeded(0, 1)
    for t, reward in ((1, 1.0), (2, 0.0)):
        pulls = policy.act(t, state, noise)
        state = policy.learn(t, state, pulls, pulls.counts * reward, noise)
    assert policy.law(3, state).chance[0, 0] == pytest.approx(doubles.ncdf(2**-0.5), abs=1e-12)
    assert policy.law(1, policy.init(1)).chance.tolist() == [[1.0, 0.0]]


# -- formulas ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.0, 0.25, 1.0])
def test_the_policys_numbers_are_the_formulas(alpha):
    T = 10**4
    policy = DPTSUCB(5, T, alpha)
    assert policy.phi == pytest.approx(float(f.phi(doubles, float(T), alpha)), rel=1e-13)
    assert policy.variance == pytest.approx(float(f.log_power(doubles, float(T), alpha)), rel=1e-13)


def test_the_regret_bound_adds_up_the_pulls_bounds():
    policy = DPTSUCB(5, 5000, 0.5)
    gaps = [0.95 - mean for mean in PAPERS_ARMS.means[1:]]
    expected = sum(gap * float(f.pulls_bound(doubles, 5000.0, 0.5, gap)) for gap in gaps)
    assert regret_bound(policy, PAPERS_ARMS) == pytest.approx(expected, rel=1e-12)
    assert regret_bound(DPTSUCB(2, 100, 0.0), Bernoulli((0.5, 0.4))) is None  # T D^2 = 1 < e
