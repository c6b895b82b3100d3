"""The algorithms of ou24 against naive twins, written one trial and one number at a time from the pseudo-code."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest
from fits import LEVEL, chi_square
from hypothesis import given
from hypothesis import strategies as st
from strategies import policies, seeds, states, tables
from vacuity import nonvacuous_if

from dpbandits import GaussianNoisyMax, Pulls, ReportNoisyMax, Seeded, Stream, Table, play
from dpbandits.reference.bandits.play import released_arms
from dpbandits.reference.bandits.release_laws.argmax_law import ERROR
from dpbandits.reference.bandits.tapes import Recorder, Tape
from dpbandits.reference.papers.ou24 import ARXIV_27, PRINTED, ModifiedThompsonSampling, ThompsonSampling, single_step
from dpbandits.reference.papers.ou24.algorithms import forgotten

# -- the twins ---------------------------------------------------------------------------------------------------


def argmax(values):
    best = 0
    for i in range(1, len(values)):
        if values[i] > values[best]:
            best = i
    return best


def algorithm_1(arms, horizon, reward, normal):
    """Algorithm 1 with the printed recursion. reward(i, k, t): of arm i's k-th pull, in round t; normal(t, i)."""
    mu, n, released = [0.0] * arms, [0] * arms, []  # line 2
    for t in range(1, horizon + 1):  # line 3
        theta = [mu[i] + (1 / (n[i] + 1)) ** 0.5 * normal(t, i) for i in range(arms)]  # line 4
        a = argmax(theta)  # line 5
        released.append(a)  # line 6
        r = reward(a, n[a] + 1, t)
        mu[a] = (mu[a] * (n[a] + 1) + r) / (n[a] + 2)  # line 7
        n[a] += 1
    return released


def algorithm_2(arms, horizon, b, c, reward, normal, letter=False):
    """Algorithm 2 with the printed recursion. letter: line 7 assigns mu-hat_i and leaves mu-hat_{i,0} at 0."""
    mu, n, released = [0.0] * arms, [0] * arms, []  # line 2
    for i in range(arms):  # line 3
        for _ in range(b):  # line 4
            r = reward(i, n[i] + 1, len(released) + 1)  # line 5
            released.append(i)  # line 6
            mean = (mu[i] * (n[i] + 1) + r) / (n[i] + 2)  # line 7
            mu[i] = 0.0 if letter else mean
            n[i] += 1
    for t in range(1, horizon - b * arms + 1):  # line 10
        theta = [mu[i] + (c / (n[i] + 1)) ** 0.5 * normal(t, i) for i in range(arms)]  # line 11
        a = argmax(theta)  # line 12
        released.append(a)  # line 13
        r = reward(a, n[a] + 1, len(released))
        mu[a] = (mu[a] * (n[a] + 1) + r) / (n[a] + 2)  # line 14
        n[a] += 1
    return released


def pull_by_pull(policy, played, trial):
    """The released arms of one trial, block after block."""
    arms = np.repeat(np.tile(np.arange(policy.arms), played.released.shape[1]), played.released[trial].ravel())
    return arms.tolist()


def twin(policy, rewards, kind, tape, trial):
    def reward(i, k, t):
        return float(rewards[i, (k if kind is Table else t) - 1])

    def normal(t, i):
        return float(tape.values["theta", t][trial, i])

    if isinstance(policy, ThompsonSampling):
        return algorithm_1(policy.arms, policy.horizon, reward, normal)
    letter = policy.warm(np.ones(1))[0] == 0
    return algorithm_2(policy.arms, policy.horizon, policy.prepulls, policy.variance, reward, normal, letter=letter)


@pytest.mark.parametrize("kind", [Table, Stream])
@given(policy=policies(), seed=seeds, data=st.data())
@pytest.mark.nonvacuous(10)
def test_every_trial_of_a_batch_is_what_the_twin_does(kind, policy, seed, data):
    """The same noise gives exactly the same arms. (mu-hat is a quotient here and a recursion there; they differ by
    a few units of 1e-16, which changes an argmax of normals with a probability of the same size.)"""
    nonvacuous_if(policy.arms > 1)
    rewards = data.draw(tables(arms=policy.arms, length=policy.horizon))
    if isinstance(policy, ModifiedThompsonSampling) and data.draw(st.booleans()):
        policy = replace(policy, warm=PRINTED(arms=1, horizon=1).warm)
    recorder = Recorder(Seeded(seed, 5))
    played = play(policy, kind(rewards), recorder, 5)
    tape = recorder.tape()
    for trial in range(5):
        assert pull_by_pull(policy, played, trial) == twin(policy, rewards, kind, tape, trial)


def test_a_long_run_is_what_the_twin_does():
    policy = ModifiedThompsonSampling(5, horizon=600, prepulls=3, variance=0.2)
    rewards = (np.random.default_rng(8).random((5, 600)) < [[0.75], [0.625], [0.5], [0.375], [0.25]]).astype(float)
    recorder = Recorder(Seeded(4, 3))
    played = play(policy, Table(rewards), recorder, 3)
    for trial in range(3):
        assert pull_by_pull(policy, played, trial) == twin(policy, rewards, Table, recorder.tape(), trial)


def test_a_tape_written_by_hand():
    """Two arms, T = 3. Round 1: theta = (0.1, -2). Arm 0 pays 1, so mu-hat_0 = 1/2 with deviation sqrt(1/2).
    Round 2: theta = (1/2 - 2/sqrt 2, 0): arm 1, which pays 0: mu-hat_1 = 0 with deviation sqrt(1/2).
    Round 3: theta = (1/2 - 0.7, -0.3/sqrt 2) = (-0.2, -0.212...): arm 0."""
    tape = Tape({("theta", 1): [[0.1, -2.0]], ("theta", 2): [[-2.0, 0.0]], ("theta", 3): [[-0.7 * np.sqrt(2), -0.3]]})
    table = Table(np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]))
    for policy in (ThompsonSampling(2, 3), ModifiedThompsonSampling(2, 3)):
        assert released_arms(play(policy, table, tape, 1)).tolist() == [[0, 1, 0]]


@given(arms=st.integers(1, 5), horizon=st.integers(1, 12), seed=seeds)
@pytest.mark.nonvacuous(8)
def test_without_pre_pulls_and_with_c_1_algorithm_2_is_algorithm_1(arms, horizon, seed):
    nonvacuous_if(arms > 1 and horizon > 1)
    table = Table(np.random.default_rng(seed).random((arms, horizon)))
    one = play(ThompsonSampling(arms, horizon), table, Seeded(seed, 9), 9)
    two = play(ModifiedThompsonSampling(arms, horizon, prepulls=0, variance=1.0), table, Seeded(seed, 9), 9)
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


@pytest.mark.parametrize("policy", [ThompsonSampling(1, 4), ModifiedThompsonSampling(1, 4, prepulls=2)])
def test_one_arm_is_released_t_times(policy):
    played = play(policy, Table(np.ones((1, 4))), Seeded(0, 3), 3)
    assert all(pull_by_pull(policy, played, trial) == [0, 0, 0, 0] for trial in range(3))


def test_all_pre_pulls_and_no_rounds():
    policy = ModifiedThompsonSampling(3, horizon=6, prepulls=2)
    played = play(policy, Table(np.ones((3, 6))), Tape({}), 2)
    assert pull_by_pull(policy, played, 1) == [0, 0, 1, 1, 2, 2]


def test_ties_go_to_the_lowest_index():
    zeros, table = Tape({("theta", 1): np.zeros((1, 4))}), Table(np.zeros((4, 1)))
    assert released_arms(play(ThompsonSampling(4, 1), table, zeros, 1)).tolist() == [[0]]
    later = Tape({("theta", 1): [[-1.0, 0.5, 0.5, 0.5]]})
    assert released_arms(play(ModifiedThompsonSampling(4, 1), table, later, 1)).tolist() == [[1]]
    assert ReportNoisyMax(1.0).release([1.0, 1.0], Tape({("Z", 0): [[0.0, 0.0]]})).tolist() == [0]
    assert GaussianNoisyMax((1.0, 2.0)).release([1.0, 1.0], Tape({("X", 0): [[0.0, 0.0]]})).tolist() == [0]


# -- laws --------------------------------------------------------------------------------------------------------


def put(policy, pulls, totals, trials):
    """The policy's state after these pulls with these reward totals, reached through `learn`, in every trial."""
    counts = np.tile(np.array(pulls, dtype=np.int64), (trials, 1))
    late = policy.horizon  # a step after all pre-pulling
    sums = np.tile(np.array(totals, dtype=float), (trials, 1))
    return policy.learn(late, policy.init(trials), Pulls(counts), sums, Tape({}))


CELLS = [
    (ThompsonSampling(2, 50), (1, 5), (1.0, 2.0)),
    (ThompsonSampling(3, 50), (0, 1, 40), (0.0, 1.0, 20.0)),
    (ThompsonSampling(3, 50, ARXIV_27), (0, 1, 3), (0.0, 1.0, 2.0)),
    (ModifiedThompsonSampling(5, 50, 2, 3.0), (2, 3, 4, 5, 6), (0.5, 3.0, 2.0, 5.0, 0.1)),
]


@pytest.mark.parametrize(("policy", "pulls", "totals"), CELLS)
def test_acts_follow_the_law(policy, pulls, totals):
    trials, step = 100_000, policy.horizon
    state = put(policy, pulls, totals, trials)
    arms = policy.act(step, state, Seeded(1, trials)).counts.argmax(axis=1)
    law = policy.law(step, put(policy, pulls, totals, 1)).chance[0]
    assert chi_square(np.bincount(arms, minlength=policy.arms), trials * law) > LEVEL


@given(state=states(arms=2), variance=st.sampled_from([0.5, 1.0, 7.0]))
@pytest.mark.nonvacuous(12)
def test_the_law_of_two_arms_in_the_paper_s_numbers(state, variance):
    """P(arm 0) = Phi((mu_0 - mu_1)/sqrt(c/(n_0 + 1) + c/(n_1 + 1))); the tolerance as in test_argmax_law."""
    policy = ModifiedThompsonSampling(2, 50, variance=variance)
    (n0, n1), (s0, s1) = state.pulls[0].tolist(), state.total[0].tolist()
    nonvacuous_if(s0 != s1)
    with mpmath.workdps(30):
        gap = mpmath.mpf(s0) / (n0 + 1) - mpmath.mpf(s1) / (n1 + 1)
        spread = mpmath.mpf(variance) * (mpmath.mpf(1) / (n0 + 1) + mpmath.mpf(1) / (n1 + 1))
        # The gap of two means is rounded by 1e-16, in units of a deviation of at least 1e-3: 1e-13 of an argument.
        assert abs(policy.law(50, state).chance[0, 0] - float(mpmath.ncdf(gap / mpmath.sqrt(spread)))) <= 1e-12


@given(policy=policies())
@pytest.mark.nonvacuous(10)
def test_pre_pulling_is_certain_and_releases_in_index_order(policy):
    nonvacuous_if(policy.arms > 1)
    state = policy.init(2)
    if isinstance(policy, ThompsonSampling) or policy.prepulls == 0:
        law = policy.law(1, state)
        assert np.array_equal(law.counts, [np.eye(policy.arms)] * 2)
        assert np.abs(law.chance - 1 / policy.arms).max() <= ERROR  # round 1 looks at no data
        return
    for t in range(1, policy.arms + 1):
        assert np.array_equal(policy.law(t, state).counts, [policy.prepulls * np.eye(policy.arms)] * 2)
        assert policy.law(t, state).chance.tolist() == [[float(arm == t - 1) for arm in range(policy.arms)]] * 2
        pulls = policy.act(t, state, Tape({}))
        assert pulls.counts.tolist() == [[policy.prepulls * (arm == t - 1) for arm in range(policy.arms)]] * 2
        state = policy.learn(t, state, pulls, np.ones((2, policy.arms)) * pulls.counts, Tape({}))
    assert np.array_equal(policy.law(policy.arms + 1, state).counts, [np.eye(policy.arms)] * 2)
    assert (state.pulls == policy.prepulls).all()


def test_what_a_step_selects_is_said_for_a_certificate():
    """The mean of the latest rewards over n + 1, of deviation sqrt(c/(n + 1)); rewards of pre-pulls are among the
    latest where they are remembered, and pull n as they are."""
    pulls = np.array([[2, 3, 7]])
    state = ThompsonSampling(3, 20).init(1)._replace(pulls=pulls)
    for policy, variance, unheard in (
        (ThompsonSampling(3, 20), 1.0, 0),
        (ThompsonSampling(3, 20, spread=lambda n: 4 / (n + 1)), 4.0, 0),
        (ModifiedThompsonSampling(3, 20, prepulls=2, variance=0.5), 0.5, 0),
        (ModifiedThompsonSampling(3, 20, prepulls=2, variance=0.5, warm=forgotten), 0.5, 2),
    ):
        says = policy.selecting(4, state)
        assert (says.noise, says.rule, says.size, says.arms, says.bound) == ("gaussian", "top", 1, (0, 1, 2), np.inf)
        assert says.latest == tuple(n - unheard for n in (2, 3, 7))
        assert says.divisors == (3.0, 4.0, 8.0)
        assert says.scales == pytest.approx([(variance / (n + 1)) ** 0.5 for n in (2, 3, 7)], rel=1e-14, abs=0)
    for t, says in ((3, False), (4, True)):
        assert (ModifiedThompsonSampling(3, 20, prepulls=2).selecting(t, state) is not None) is says


def test_the_posterior_is_what_the_law_and_the_draws_use():
    policy = ModifiedThompsonSampling(2, 50, prepulls=1, variance=4.0)
    assert policy.posterior(2, policy.init(1)) is None
    means, deviations = policy.posterior(3, put(policy, (1, 3), (1.0, 1.5), 1))
    assert means.tolist() == [[1 / 2, 1.5 / 4]]
    assert deviations.tolist() == [[np.sqrt(4 / 2), np.sqrt(4 / 4)]]


# -- Algorithms 3 and 4, and the single step ----------------------------------------------------------------------


def laplace_difference(gap):
    """P(Z_1 - Z_0 <= gap) for independent standard Laplace variables, by quadrature of density times distribution
    function: independent of any closed form."""

    def density(z):
        below = mpmath.exp(z + gap) / 2 if z + gap < 0 else 1 - mpmath.exp(-z - gap) / 2
        return mpmath.exp(-abs(z)) / 2 * below

    return float(mpmath.quad(density, sorted([-60, -abs(gap), 0, abs(gap), 60])))


@pytest.mark.parametrize("values", [(0.0, 0.0), (0.3, 1.0), (2.0, -1.0)])
def test_report_noisy_max_of_two_options(values):
    scale, trials = 0.7, 100_000
    released = ReportNoisyMax(scale).release(values, Seeded(2, trials))
    first = laplace_difference((values[0] - values[1]) / scale)
    assert chi_square(np.bincount(released, minlength=2), trials * np.array([first, 1 - first])) > LEVEL


@pytest.mark.parametrize(
    ("values", "scales"), [((0.2, 0.9), (0.5, 2.0)), ((0.0, 0.5, 1.0), (1.0, 0.1, 3.0)), ((0.4,), (1.0,))]
)
@pytest.mark.thorough
def test_gaussian_noisy_max_follows_its_law(values, scales):
    trials = 100_000
    mechanism = GaussianNoisyMax(scales)
    law = mechanism.law(values)
    assert (
        chi_square(np.bincount(mechanism.release(values, Seeded(2, trials)), minlength=len(values)), trials * law)
        > LEVEL
    )
    with mpmath.workdps(30):
        for i in range(len(values)):

            def density(x, i=i):
                others = [j for j in range(len(values)) if j != i]
                return mpmath.npdf(x) * mpmath.fprod(
                    mpmath.ncdf((values[i] - values[j] + scales[i] * x) / mpmath.mpf(scales[j])) for j in others
                )

            assert abs(float(mpmath.quad(density, range(-12, 13))) - law[i]) <= ERROR


def test_one_round_of_thompson_sampling_is_its_single_step():
    """M_TS is Algorithm 4 on the running means: the laws of `single_step` are those of Algorithms 1 and 2."""
    pulls, left, right = (1, 4, 2), (0.0, 3.0, 1.5), (1.0, 3.0, 1.5)
    for policy, c in ((ThompsonSampling(3, 50), 1.0), (ModifiedThompsonSampling(3, 50, variance=2.5), 2.5)):
        step = single_step(pulls, left, right, variance=c)
        for values, totals in ((step.left, left), (step.right, right)):
            law = policy.law(50, put(policy, pulls, totals, 1)).chance[0]
            assert np.array_equal(step.mechanism.law(values), law)
        assert step.sensitivities == (1 / 2, 1 / 5, 1 / 3)
        moved = np.abs(np.subtract(step.left, step.right))
        assert (moved <= step.sensitivities).all()


@pytest.mark.parametrize(
    ("pulls", "left", "right", "message"),
    [
        ((1, 1), (0.0, 2.0), (0.0, 1.0), "left history: arm 1 cannot have total 2.0 with pull count 1"),
        ((0, 1), (0.0, 0.0), (0.5, 0.0), "right history: arm 0 cannot have total 0.5 with pull count 0"),
        ((1, 1), (0.0, -0.5), (0.0, 0.0), "left history: arm 1 cannot have total -0.5"),
        ((1, 1), (0.0, float("nan")), (0.0, 0.0), "left history: arm 1 cannot have total nan"),
        ((3, 3), (0.0, 0.0), (1.0, 1.0), "differ by more than one reward in one arm"),
        ((3, 3), (0.0, 0.0), (0.0, 1.5), "differ by more than one reward in one arm"),
        (
            (1, 1),
            (0.0,),
            (0.0, 0.0),
            "there are 2 pull counts, but 1 left and 2 right reward totals; give one of each for every arm",
        ),
    ],
)
def test_histories_that_are_no_neighbours_are_refused(pulls, left, right, message):
    with pytest.raises(ValueError, match=message):
        single_step(pulls, left, right)


def test_histories_may_differ_by_a_whole_reward_whatever_its_total_rounds_to():
    assert 8.8 - 7.8 > 1 > 2.3 - 1.3
    for one, other in ((8.8, 7.8), (2.3, 1.3)):
        assert single_step((12, 1), (one, 0.5), (other, 0.5)).sensitivities == (1 / 13, 1 / 2)


# -- what is refused ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ThompsonSampling(0, 3), r"N \(arms\) is 0; it must be an integer of at least 1"),
        (lambda: ThompsonSampling(2, 0), r"T \(horizon\) is 0; it must be an integer of at least 1"),
        (lambda: ThompsonSampling(2, 2.5), r"T \(horizon\) is 2.5; it must be an integer"),
        (lambda: ModifiedThompsonSampling(2, 0), r"T \(horizon\) is 0"),
        (lambda: ModifiedThompsonSampling(2, 5, -1), r"b \(prepulls\) is -1; it must be an integer of at least 0"),
        (
            lambda: ModifiedThompsonSampling(2, 5, 3),
            r"b N = 3 \* 2 pre-pulls exceed T = 5; decrease b \(prepulls\), or increase T",
        ),
        (lambda: ModifiedThompsonSampling(2, 5, 1, 0.0), r"c \(variance\) is 0.0; it must be positive and finite"),
        (lambda: ModifiedThompsonSampling(2, 5, 1, -1.0), r"c \(variance\) is -1.0"),
        (lambda: ModifiedThompsonSampling(2, 5, 1, float("nan")), r"c \(variance\) is nan"),
        (lambda: ModifiedThompsonSampling(2, 5, 1, float("inf")), r"c \(variance\) is inf"),
        (lambda: PRINTED(arms=2, horizon=5, variance=0), r"c \(variance\) is 0"),
        (lambda: ReportNoisyMax(0.0), r"s/eps \(scale\) is 0.0; it must be positive and finite"),
        (
            lambda: ReportNoisyMax(1e-310),
            r"s/eps \(scale\) is 1e-310; it must be at least 2.2e-308, because smaller doubles",
        ),
        (lambda: ReportNoisyMax(float("nan")), r"s/eps \(scale\) is nan"),
        (lambda: GaussianNoisyMax((1.0, -1.0)), r"sigma_1 \(scales\) is -1.0; it must be positive and finite"),
        (lambda: single_step((1,), (0.0,), (1.0,), variance=0.0), r"c \(variance\) is 0.0"),
        (lambda: GaussianNoisyMax((1.0,)).law([1.0, 2.0]), r"shape \(2,\); expected \(1,\), one answer for each query"),
        (
            lambda: GaussianNoisyMax((1.0, 1.0)).release([0.0], Tape({})),
            r"query answers have shape \(1,\); expected \(2,\), one answer for each",
        ),
        (
            lambda: ReportNoisyMax(1.0).release([[0.0]], Tape({})),
            r"query answers have shape \(1, 1\); expected \(n,\), one answer for each",
        ),
        (lambda: ReportNoisyMax(1.0).release([0.0, float("nan")], Tape({})), "every answer must be finite"),
    ],
)
def test_bad_input_never_becomes_a_number(make, message):
    with pytest.raises(ValueError, match=message):
        make()
