"""The policies of tao22 against scalar twins, their mutants, their arms, and what they refuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from fits import LEVEL
from heavy_tails import (
    MEANS_3,
    MEANS_4,
    ROOTED_4,
    ROOTED_MEANS_4,
    SMALL_3,
    SMALL_4,
    CountBefore,
    Fixed,
    FrozenS,
    NoiseAtQuery,
    NoisyMean,
    QuietBest,
    Remembering,
    SameNoise,
    elimination_twin,
    laplace_by_parts,
    mutated,
    tree_twin,
    ucb_twin,
)
from scipy import stats

from dpbandits import Bernoulli, Pulls, Seeded, play
from dpbandits.audit.play.runs import joint_policy, side_by_side
from dpbandits.reference.bandits.heavy_tails import CHUNK
from dpbandits.reference.bandits.tapes import Recorder
from dpbandits.reference.papers.tao22 import (
    DPRSE,
    DPRUCB,
    LDPRSE,
    Elimination,
    Pareto,
    Randomizer,
    Tree,
    TwoPoint,
    arms,
    repaired_ldprse,
)
from dpbandits.reference.papers.tao22.algorithms.laplace_sums import laplace_sum
from dpbandits.reference.papers.tao22.algorithms.tree import binary_log, natural_log, trailing_zeros, whole_levels

TRIALS = 8


def heavy(means, length, scale, seed=1):
    """Rewards with a heavy tail around these means."""
    rng = np.random.default_rng(seed)
    return np.array(means)[:, None] + scale * rng.standard_t(1.5, (len(means), length))


# -- the tree ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("log", [natural_log, binary_log, whole_levels])
def test_the_tree_is_its_twin(log):
    rng = np.random.default_rng(0)
    bounds = np.sqrt(np.arange(1, 38.0))
    items, draws = rng.uniform(-1, 1, (3, 37)) * bounds, rng.laplace(size=(3, 37))
    tree = Tree(37, 0.7, log)
    sums, out = tree.empty(3), []
    for t in range(37):
        sums = tree.insert(sums, items[:, t], bounds[t], draws[:, t])
        out.append(tree.query(sums))
        assert np.array_equal(tree.query(sums), out[-1])  # a query draws nothing
    for stream in range(3):
        twin = tree_twin(items[stream], bounds, 0.7, log(37), draws[stream])
        assert np.allclose([each[stream] for each in out], twin, rtol=1e-12)


def test_streams_that_get_no_item_stay_as_they_are():
    tree = Tree(8, 1.0)
    sums = tree.insert(tree.empty(2), 1.0, 1.0, 0.5, np.array([True, False]))
    assert sums.items.tolist() == [1, 0]
    assert not sums.noisy[1].any()


def test_trailing_zeros():
    assert trailing_zeros(np.array([1, 2, 3, 12, 2**52, 2**62])).tolist() == [0, 1, 0, 2, 52, 62]


# -- Algorithm 1 ---------------------------------------------------------------------------------------------------

UCB = {"arms": 3, "horizon": 60, "eps": 50.0, "v": 0.5, "u": 1e-5}
UCB_REWARDS = heavy((1e-4, 5e-5, 0.0), 60, 2e-4)


def ucb_runs(kind):
    recorder = Recorder(Seeded(5, TRIALS))
    policy = kind(**UCB)
    released = play(policy, Fixed(UCB_REWARDS), recorder, TRIALS).released.argmax(axis=2)
    twins = [
        ucb_twin(3, 60, 50.0, 0.5, 1e-5, UCB_REWARDS, lambda t, arm, k=k: recorder.values["tree", t][k, arm])
        for k in range(TRIALS)
    ]
    return released.tolist(), twins


def test_algorithm_1_is_its_twin():
    released, twins = ucb_runs(DPRUCB)
    assert released == twins
    assert len({tuple(run) for run in released}) > TRIALS // 2  # rewards and noise decide


@pytest.mark.parametrize("mutant", [CountBefore, NoiseAtQuery])
def test_mutants_of_algorithm_1_part_from_the_twin(mutant):
    released, twins = ucb_runs(mutant)
    assert released != twins


def test_policies_with_other_eps_play_side_by_side():
    """A column of eps gives the runs that each policy has alone, but for the noise, which has another address."""
    environment = Pareto(2.0, (0.002, 0.0015, 0.001))
    first, second = side_by_side((DPRUCB(**UCB), DPRUCB(**{**UCB, "eps": 0.1})), environment, 3, 1)
    joint = joint_policy((DPRUCB(**UCB), DPRUCB(**{**UCB, "eps": 0.1})), np.repeat([0, 1], 3)).joint
    assert joint.tree.share.ravel().tolist() == 3 * [50 / np.log(60)] + 3 * [0.1 / np.log(60)]
    alone = play(DPRUCB(**UCB), environment, Seeded(1, 6, 0), 6).pulls
    assert np.array_equal(first.pulls, alone[:3])
    assert not np.array_equal(second.pulls, alone[3:])


def test_a_tree_learns_no_blocks():
    policy = DPRUCB(**UCB)
    with pytest.raises(ValueError, match="2 pulls of an arm at once"):
        policy.learn(1, policy.init(1), Pulls(np.array([[2, 0, 0]])), np.zeros((1, 3)), Seeded(0, 1))


# -- Algorithms 3 and 4 --------------------------------------------------------------------------------------------


def elimination_runs(policy):
    """The blocks of all trials, and those of the twins."""
    local, rooted = policy.local, policy.err is ROOTED_4.err
    means = (ROOTED_MEANS_4 if rooted else MEANS_4) if local else MEANS_3
    rewards = heavy(means, policy.horizon, 0.001)
    recorder = Recorder(Seeded(3, TRIALS))
    played = play(policy, Fixed(rewards), recorder, TRIALS)
    blocks = [[block for block in run if any(block)] for run in played.released.tolist()]
    twins = []
    for trial in range(TRIALS):
        noise = laplace_by_parts(recorder, trial) if local else central(recorder, trial)
        given = policy.arms, policy.horizon, policy.eps, policy.v, policy.u, policy.risk
        twins.append(elimination_twin(*given, rewards, noise, local, rooted))
    return blocks, twins


def central(recorder, trial):
    return lambda epoch, arm, R: recorder.values["mean", epoch + 1][trial, arm]


@pytest.mark.parametrize("policy", [SMALL_3, SMALL_4, ROOTED_4])
def test_elimination_is_its_twin(policy):
    blocks, twins = elimination_runs(policy)
    assert blocks == twins
    assert len({str(run) for run in blocks}) > 1  # trials differ
    assert all(np.sum(run) == policy.horizon for run in blocks)


def test_the_runs_above_are_worth_testing():
    """Epochs with 2 of 3 or more arms left, and epochs that the horizon cuts."""
    blocks, _ = elimination_runs(SMALL_3)
    active = [sum(pulls > 0 for pulls in block) for run in blocks for block in run]
    assert {1, 2, 3, 4} <= set(active)
    cut, _ = elimination_runs(replace(SMALL_3, horizon=333))
    last = [[pulls for pulls in run[-1] if pulls] for run in cut]
    assert any(max(block) - min(block) == 1 for block in last if len(block) > 1)


@pytest.mark.parametrize(
    ("kind", "policy"), [(FrozenS, SMALL_3), (QuietBest, SMALL_3), (Remembering, SMALL_3), (NoisyMean, ROOTED_4)]
)
def test_mutants_part_from_the_twin(kind, policy):
    blocks, twins = elimination_runs(mutated(kind, policy))
    assert blocks != twins


@pytest.mark.parametrize(("kind", "fresh"), [(Elimination, True), (SameNoise, False)])
def test_fresh_noise_in_every_epoch(kind, fresh):
    recorder = Recorder(Seeded(3, TRIALS))
    played = play(mutated(kind, SMALL_3), Fixed(heavy(MEANS_3, 5000, 0.001)), recorder, TRIALS)
    draws = [draw for (site, _), draw in recorder.values.items() if site == "mean"]
    assert (len(draws) == played.released.shape[1] - 1) == fresh


def test_a_sum_of_laplace_variables_has_their_law():
    trials = 4000
    for n in (1, 3, 50):
        draws = laplace_sum(1, np.full((trials, 1), float(n)), Seeded(2, trials)).ravel()
        sums = np.random.default_rng(n).laplace(size=(trials, n)).sum(axis=1)
        assert stats.ks_2samp(draws, sums).pvalue > LEVEL
    huge = laplace_sum(1, np.full((trials, 1), 1e17), Seeded(2, trials)).ravel()
    assert stats.kstest(huge / np.sqrt(2e17), stats.norm.cdf).pvalue > LEVEL


def test_horizons_of_ten_to_the_eighteen_take_three_steps():
    policy = repaired_ldprse(arms=2, horizon=10**18, eps=1.0, v=1.0, u=1.0)
    played = play(policy, Bernoulli((0.9, 0.2)), Seeded(0, 3), 3)
    assert played.released.shape == (3, 2, 2)
    assert (played.pulls.sum(axis=1) == 10**18).all()


def test_a_small_v_overflows_nothing():
    """R_1 is beyond every integer: the run is round robin, and it ends."""
    for policy in (DPRSE(3, 1000, 1.0, 1e-3, 1.0), LDPRSE(3, 1000, 1.0, 1e-3, 1.0)):
        played = play(policy, Bernoulli((0.5, 0.4, 0.3)), Seeded(0, 2), 2)
        assert played.pulls.tolist() == [[334, 333, 333]] * 2


def test_one_arm_is_pulled_throughout():
    assert play(DPRSE(1, 10, 1.0, 1.0, 1.0), Bernoulli((0.5,)), Seeded(0, 1), 1).pulls.tolist() == [[10]]


def test_line_21_as_printed_removes_the_best_arm():
    best = {"arms": 10, "horizon": 10**17, "eps": 1.0, "v": 1.0, "u": 0.07}
    environment = Bernoulli((0.024,) + 9 * (0.02,))
    kept = [
        (play(kind(**best), environment, Seeded(1, 100), 100, keep=False).pulls[:, 0] > 10**16).mean()
        for kind in (LDPRSE, repaired_ldprse)
    ]
    assert kept[0] < 0.5
    assert kept[1] == 1.0


# -- arms and messages ---------------------------------------------------------------------------------------------


def test_pareto_arms():
    environment = Pareto(2.5, (1.0, 2.0))
    assert environment.means == pytest.approx((5 / 3, 10 / 3))
    assert environment.moment(1.5) == pytest.approx(2.5 * 2**1.5)
    counts = np.array([[3000, 0], [0, 3000]])
    draw = environment.draw(1, counts * 0, counts, 7.0, Seeded(0, 2))
    kept = 2.5 * (1 - 7**-1.5) / 1.5  # E[X; X <= 7] for the first arm
    assert draw[0, 0] / 3000 == pytest.approx(kept, rel=0.1)
    assert draw[0, 1] == draw[1, 0] == 0  # what is not pulled pays nothing, to the last digit
    mixed = environment.draw(1, np.zeros((3, 2), int), np.array([[1, 0], [0, 2], [0, 0]]), None, Seeded(0, 3))
    assert (mixed > 0).tolist() == [[True, False], [False, True], [False, False]]
    several = CHUNK + 5000  # rewards are drawn in chunks: each of them once, and the rest
    large = environment.draw(1, np.zeros((1, 2), int), np.array([[several, 0]]), 7.0, Seeded(0, 1))
    assert large[0, 0] / several == pytest.approx(kept, rel=2e-3)
    assert large[0, 1] == 0
    single = environment.draw(1, counts * 0, np.tile([1, 0], (5000, 1)), None, Seeded(0, 5000))[:, 0]
    assert stats.kstest(single, stats.pareto(2.5).cdf).pvalue > LEVEL


def test_section_6():
    environment = arms.section_6(arms.S_3, 0.5)
    assert environment.means == pytest.approx(arms.S_3)
    assert environment.moment(1.5) == pytest.approx(20 * 1.55 * (0.55 * 0.9 / 1.55) ** 1.5)
    assert environment.moment(1.6) == np.inf


def test_two_point_arms():
    environment = TwoPoint((4.0, 10.0), (0.25, 0.1))
    assert environment.means == (1.0, 1.0)
    assert environment.moment(2.0) == 10.0
    counts = np.full((400, 2), 50)
    sums = environment.draw(1, counts * 0, counts, 5.0, Seeded(0, 400))
    assert not sums[:, 1].any()  # truncated
    assert stats.binomtest(int(sums[:, 0].sum() / 4), 20_000, 0.25).pvalue > LEVEL


def test_a_message_is_truncated_and_not_clipped():
    quiet = Seeded(0, 3).laplace("report", 0)
    sent = Randomizer(2.0, 0.5).report(7.0, Seeded(0, 3))
    assert sent == pytest.approx(8 * quiet)  # centre 0, scale 2 B/eps


# -- bad input -----------------------------------------------------------------------------------------------------

GOOD = {"arms": 2, "horizon": 10, "eps": 1.0, "v": 0.5, "u": 1.0}


@pytest.mark.parametrize("kind", [DPRUCB, DPRSE, LDPRSE])
@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"v": 0.0}, "v is 0.0; it must lie in"),
        ({"v": 1.5}, "v is 1.5; it must lie in"),
        ({"v": float("nan")}, "v is nan"),
        ({"u": 0.0}, "u is 0.0; it must be positive"),
        ({"u": float("inf")}, "u is inf"),
        ({"u": -1.0}, "u is -1.0; it must be positive"),
        ({"eps": -1.0}, "eps is -1.0; it must be positive"),
        ({"eps": 0}, "eps is 0; it must be positive"),
        ({"eps": float("nan")}, "eps is nan; it must be positive"),
        ({"horizon": 0}, "T .horizon. is 0; it must be an integer of at least 3"),
        ({"horizon": 2}, "T .horizon. is 2; it must be an integer of at least 3"),
        ({"arms": 0}, "K .arms. is 0"),
    ],
)
def test_bad_parameters_are_named(kind, wrong, match):
    with pytest.raises(ValueError, match=match):
        kind(**{**GOOD, **wrong})


@pytest.mark.parametrize(
    ("kind", "match"),
    [
        (DPRUCB, r"v is 0\.001, for which log\^\(1\.5 \+ 1/v\) T in line 13 is outside"),
        (
            DPRSE,
            r"v is 0\.001 and u is 0\.9; the factors of R_tau in line 8 .* 1\.75e-46 \(.*\) and inf, outside",
        ),
        (
            LDPRSE,
            r"v is 0\.001 and u is 0\.9; the factors of R_tau in line 8 .* 3\.06e-92 \(.*\) and inf, outside",
        ),
    ],
)
def test_a_v_whose_powers_leave_the_range_of_doubles_is_named(kind, match):
    """24^(1/v) and log^(1/v) T."""
    with pytest.raises(ValueError, match=f"^{match} the range of doubles; give a larger v$"):
        kind(**{**GOOD, "v": 0.001, "u": 0.9})


def test_other_bad_input():
    with pytest.raises(ValueError, match=r"beta is 1\.0; it must lie strictly between 0 and 1"):
        DPRSE(**GOOD, beta=1.0)
    with pytest.raises(
        ValueError, match=r"v is 0\.01 and u is 0\.0001; the factors of R_tau.*line 8 are then 0 \(the power of u\)"
    ):
        DPRSE(**{**GOOD, "v": 0.01, "u": 1e-4})
    with pytest.raises(ValueError, match=r"tree: an item is 2\.0, which exceeds its bound; truncate"):
        Tree(4, 1.0).insert(Tree(4, 1.0).empty(1), 2.0, 1.0, 0.0)
    with pytest.raises(ValueError, match="an item is nan"):
        Tree(4, 1.0).insert(Tree(4, 1.0).empty(1), np.nan, 1.0, 0.0)
    with pytest.raises(ValueError, match="levels"):
        Tree(4, 1.0, lambda horizon: 0.0)
    with pytest.raises(ValueError, match="rewards must be finite"):
        Randomizer(1.0, 1.0).truncated(np.nan)
    with pytest.raises(ValueError, match=r"B \(bound\) is 0"):
        Randomizer(0, 1.0)
    with pytest.raises(ValueError, match="must be a finite number greater than 1"):
        Pareto(1.0, (1.0,))
    with pytest.raises(ValueError, match="each must be a probability in"):
        TwoPoint((1.0,), (1.5,))
    with pytest.raises(ValueError, match="sizes has length 2, chances has length 1"):
        TwoPoint((1.0, 1.0), (0.5,))


@pytest.mark.parametrize("policy", [DPRUCB(**UCB), SMALL_3, SMALL_4])
@pytest.mark.parametrize("reward", [np.nan, np.inf, -np.inf])
def test_rewards_that_are_no_numbers_are_refused(policy, reward):
    sums = np.zeros((1, policy.arms))
    sums[0, 0] = reward
    pulls = Pulls(np.eye(policy.arms, dtype=np.int64)[:1])
    with pytest.raises(ValueError, match=r"exceeds its bound|must be finite"):
        policy.learn(1, policy.init(1), pulls, sums, Seeded(0, 1))


def test_items_beyond_the_horizon_are_refused():
    tree = Tree(2, 1.0)
    sums = tree.empty(1)
    for _ in range(2):
        sums = tree.insert(sums, 0.0, 1.0, 0.0)
    with pytest.raises(ValueError, match="item number 3 does not exist, because the horizon is T = 2"):
        tree.insert(sums, 0.0, 1.0, 0.0)


@pytest.mark.parametrize("kind", [DPRSE, LDPRSE])
def test_each_run_of_a_batch_removes_its_own_arms(kind):
    """Beside runs that have one arm left, or no epoch behind them; the noise is next to nothing."""
    policy = kind(3, 10**6, 1e12, 1.0, 1.0)
    now = policy.numbers(np.array([2]), np.ones((1, 3), dtype=bool))
    cut, length = policy.cut * float(now.err[0, 0]), float(now.length[0, 0])
    state = policy.init(4)
    active = np.array([[0, 1, 0], [1, 1, 1], [1, 1, 1], [1, 1, 1]], dtype=bool)
    sums = length * cut * np.array([[0.0, 9, 0], [3, 1.0, 2.5], [0, 3, 0], [1.5, 2.0, 0.5]])
    state = state._replace(active=active, epoch=np.array([2, 2, 0, 2]), sums=sums)
    left = policy.survivors(3, state, Seeded(0, 4))
    assert left.astype(int).tolist() == [[0, 1, 0], [1, 0, 1], [1, 1, 1], [1, 1, 0]]


def test_neighbours_are_looked_for_within_the_largest_bound_of_an_epoch_that_begins():
    """Of the epochs that begin within the horizon; where the first one never ends, its bound is infinite."""
    policy = DPRSE(3, 10**6, 1.0, 1.0, 1e-3)
    epochs = [policy.numbers(np.array([tau]), np.ones((1, 3), dtype=bool)) for tau in range(1, 20)]
    begins = [0, *np.cumsum([3 * float(each.length[0, 0]) for each in epochs])]
    bounds = [float(each.bound[0, 0]) for begin, each in zip(begins, epochs, strict=False) if begin < 10**6]
    assert 1 < len(bounds) < 19
    assert policy.reward_range == (-max(bounds), max(bounds))
    assert DPRSE(2, 10, 1e-307, 1.0, 1.0).reward_range == (-1.0, 1.0)
