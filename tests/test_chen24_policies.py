"""The policies of chen24 against a naive twin, their budgets, bad input, and mutants that the twin finds out."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import ceil, log2

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from vacuity import nonvacuous_if

from dpbandits import Bernoulli, Pulls, Seeded, Stream, Table, play
from dpbandits.reference.bandits.tapes import Recorder
from dpbandits.reference.papers.chen24 import (
    EarlyStopping,
    baseline,
    dp_bai,
    dp_bai_gauss,
    dp_bai_printed,
    dp_od,
    od_linbai,
)
from dpbandits.reference.papers.chen24.algorithms.designs import fewer, g_optimal, variances
from dpbandits.reference.papers.chen24.algorithms.dp_bai import Elimination
from dpbandits.reference.papers.chen24.algorithms.od_linbai import OptimalDesign, State
from dpbandits.reference.papers.chen24.algorithms.parameters import (
    PRINTED,
    REPAIRED,
    growth,
    phases,
    printed_reserve,
    quarter,
    repaired_reserve,
)
from dpbandits.reference.papers.chen24.algorithms.spreads import LaplaceNoise

few = settings(max_examples=15)
FIGURE_1 = [(0.0, 1.0), (0.0, 0.9), (10.0, 0.0), *((1.0, 0.8 * k / 27) for k in range(27))]
MEANS = tuple(0.045 * a + 0.5 * b for a, b in FIGURE_1)
CORNERS = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 1.0, 0.0), (0.5, 0.5, 0.5), (1.0, 0.0, 0.0)] * 3


@st.composite
def features(draw):
    """Features of every shape: free, with duplicates, in a hyperplane, of wildly different lengths."""
    arms, d = draw(st.integers(2, 12)), draw(st.integers(2, 4))
    seed = draw(st.integers(0, 10**6))
    found = np.random.default_rng(seed).normal(size=(arms, d)).round(2)
    match draw(st.sampled_from(["free", "duplicates", "flat", "long"])):
        case "duplicates":
            found = found[np.random.default_rng(seed).integers(0, 2, arms)]
        case "flat":
            found[:, -1] = 0
        case "long":
            found[0] *= 1000
    assume(found.any())
    return [tuple(vector) for vector in found.tolist()]


def least(make, vectors):
    """The least T that the policy takes, and the policy there."""

    def taken(total):
        try:
            return make(vectors, total)
        except ValueError:
            return None

    low, high = 0, 1
    while taken(high) is None:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if taken(middle) else (middle, high)
    return taken(high)


MAKERS = {
    "DP-BAI": lambda f, T: dp_bai(f, T, 1.0),
    "Gauss": lambda f, T: dp_bai_gauss(f, T, 1.0, 0.01),
    "Baseline": lambda f, T: baseline(f, T, 1.0),
    "OD-LinBAI": od_linbai,
    "DP-OD": lambda f, T: dp_od(f, T, 1.0),
}


# -- a budget is a budget --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MAKERS)
@given(features(), st.integers(0, 40))
@few
@pytest.mark.first(2)
@pytest.mark.nonvacuous(8)
def test_no_policy_ever_pulls_more_than_its_budget(name, vectors, more):
    smallest = least(MAKERS[name], vectors)
    policy = MAKERS[name](vectors, smallest.horizon + more)
    state, noise, used = policy.init(3), Seeded(more, 3), np.zeros(3, dtype=np.int64)
    last = policy.plan.last if isinstance(policy, Elimination) else policy.rounds
    for t in range(1, last + 1):
        pulls = policy.act(t, state, noise)
        used += pulls.counts.sum(axis=1)
        nonvacuous_if(used.any())
        assert (used <= policy.horizon).all()  # without the help of `play`, which would cut
        state = policy.learn(t, state, pulls, pulls.counts * 0.5, noise)
    assert (policy.survivors(last + 1, state, noise).sum(axis=1) == 1).all()
    played = play(policy, Bernoulli((0.5,) * len(vectors)), noise, 3)
    assert (played.answers >= 0).all()


@given(st.integers(2, 60), st.integers(2, 8), st.integers(1, 500))
@few
@pytest.mark.nonvacuous(8)
def test_the_repaired_phases_never_ask_for_too_much(arms, d, rest):
    vectors = np.vander(np.linspace(0.1, 1, arms), d)
    policy = dp_bai(vectors, repaired_reserve(arms, d, phases(arms, d)) + rest, 1.0)
    assert policy.most_pulls < policy.horizon


def test_arms_without_features_do_not_exceed_the_budget():
    """The only arm that has some is gone after the first phase: rank 0 from then on, for up to 135 > d^2 arms."""
    vectors = np.zeros((10_000, 8))
    vectors[0, 0] = 1
    policy, arms = dp_bai(vectors, 176, 1.0), np.arange(10_000)[None, :]
    blocks = [policy.block((arms > 0) & (arms <= size)) for size in policy.plan.sizes[1:-1]]
    assert sum(int(block.sum()) for block in blocks) <= policy.most_pulls < 176


def test_the_printed_parameters_can_ask_for_too_much():
    vectors = np.random.default_rng(0).normal(size=(36, 6))
    with pytest.raises(ValueError, match="T = 40, but the phases may need 59 pulls, because the printed"):
        dp_bai_printed(vectors, 40, 1.0)
    assert dp_bai(vectors, 200, 1.0).most_pulls < 200
    assert printed_reserve(36, 6, phases(36, 6, PRINTED)) == 39


# -- the phases ------------------------------------------------------------------------------------------------------


@given(st.integers(2, 3000), st.integers(2, 40))
@few
@pytest.mark.nonvacuous(6)
def test_lambda_in_high_precision(arms, d):
    found, rest = float(growth(arms, d)), arms - quarter(d)
    nonvacuous_if(found > 2)
    assert found >= 2
    assert found ** np.log(d) >= rest * (1 - 1e-12)
    if found > 2:
        assert abs(found ** np.log(d) / rest - 1) < 1e-12


@given(st.integers(2, 3000), st.integers(2, 40))
@few
@pytest.mark.nonvacuous(6)
def test_the_repaired_phases_by_their_definition(arms, d):
    plan, c, ratio = phases(arms, d, REPAIRED), quarter(d), float(growth(arms, d))
    h = [max(arms - c, 0)]
    while h[-1]:
        h.append(ceil((h[-1] + 1) / ratio - 1e-12) - 1)
    g = [min(arms, c)]
    while g[-1] > 1:
        g.append(ceil(g[-1] / 2))
    nonvacuous_if(len(h) > 1 and len(g) > 1)
    assert plan.sizes == (*(g[0] + each for each in h[:-1]), *g)
    assert plan.sizes[0] == arms
    assert plan.sizes[-1] == 1
    assert plan.last == len(plan.sizes) - 1


# -- the naive twin --------------------------------------------------------------------------------------------------


def twin(vectors, horizon, scale, rewards, draw):
    """One run of DP-BAI, arm by arm: (blocks of pulls, recommended arm). draw(t, arm): standard noise; scale(n): its
    scale. Max-Det by numpy determinants over all subsets, coefficients by least squares."""
    vectors = np.array(vectors, dtype=float)
    arms, d = vectors.shape
    plan = phases(arms, d, REPAIRED)
    left = horizon - sum(min(size, d * d) for size in plan.sizes[:-1])
    active, position, blocks = list(range(arms)), [0] * arms, []
    for t in range(1, plan.last + 1):
        mine = vectors[active]
        rank = np.linalg.matrix_rank(mine)
        pulled = active
        if rank < np.sqrt(len(active)):
            basis = np.linalg.qr(np.linalg.svd(mine, full_matrices=False)[2][:rank].T)[0]
            small = {arm: vectors[arm] @ basis for arm in active}
            sizes = {c: abs(np.linalg.det([small[arm] for arm in c])) for c in combinations(active, rank)}
            pulled = min(c for c, size in sizes.items() if size >= max(sizes.values()) * (1 - 1e-9))
        n = -(-left // (plan.last * len(pulled)))
        block, noisy = [0] * arms, {}
        for arm in pulled:
            paid = rewards[arm, position[arm] : position[arm] + n]
            position[arm] += n
            block[arm] = n
            noisy[arm] = paid.sum() / n + scale(n) * draw(t, arm)
        blocks.append(block)
        means = {}
        for arm in active:
            alpha = np.linalg.lstsq(vectors[list(pulled)].T, vectors[arm], rcond=None)[0]
            means[arm] = noisy[arm] if arm in noisy else sum(a * noisy[j] for a, j in zip(alpha, pulled, strict=True))
        active = sorted(sorted(active, key=lambda arm: (-means[arm], arm))[: plan.sizes[t]])
    return [*blocks, [-(arm == active[0]) for arm in range(arms)]], active[0]


def both(policy, vectors, scale, trials=5, seed=0, draws="laplace"):
    """What the policy releases on a random table, and what the twin makes of the same draws."""
    rewards = np.random.default_rng(seed).random((len(vectors), policy.horizon)).round(6)
    recorder = Recorder(Seeded(seed, trials))
    played = play(policy, Table(rewards), recorder, trials)
    assert set(recorder.kinds.values()) == {draws}
    runs = [
        twin(vectors, policy.horizon, scale, rewards, lambda t, arm, k=k: recorder.values["mean", t][k, arm])[0]
        for k in range(trials)
    ]
    return played.released.tolist(), runs


GENERAL = np.random.default_rng(7).normal(size=(14, 3)).round(3).tolist()


@pytest.mark.parametrize("vectors", [FIGURE_1, GENERAL, GENERAL[:3], GENERAL[:7] * 2])
def test_dp_bai_does_what_the_twin_does(vectors):
    released, runs = both(dp_bai(vectors, 500, 0.5), vectors, lambda n: 1 / (0.5 * n))
    assert released == runs


def test_dp_bai_gauss_does_what_the_twin_does():
    scale = np.sqrt(2 * np.log(1.25 / 1e-3)) / 0.5
    released, runs = both(dp_bai_gauss(GENERAL, 500, 0.5, 1e-3), GENERAL, lambda n: scale / n, draws="normal")
    assert released == runs


class Loud(LaplaceNoise):  # noise that is not divided by n
    def draw(self, noise, t, each, arms):
        return noise.laplace("mean", t, (arms,)) / self.eps


class Shared(LaplaceNoise):  # one draw for all arms
    def draw(self, noise, t, each, arms):
        return noise.laplace("mean", t, (arms,))[:, :1] / (self.eps * each)


class Halved(LaplaceNoise):  # eps split in half over the phases
    def draw(self, noise, t, each, arms):
        return super().draw(noise, t, each, arms) * 2


class Doubled(LaplaceNoise):  # and doubled
    def draw(self, noise, t, each, arms):
        return super().draw(noise, t, each, arms) / 2


class Early(Elimination):  # the top set is chosen before the noise
    def estimates(self, p, state, noise):
        return replace(self, spread=LaplaceNoise(1e12)).plain(p, state, noise)

    plain = Elimination.estimates


class Raw(Elimination):  # arms that were not pulled get the best raw mean of the pulled ones
    def estimates(self, p, state, noise):
        found, best = super().estimates(p, state, noise), state.means.max(axis=1, keepdims=True)
        return np.where(state.active & (state.means == 0), best, found)


class Reused(Elimination):  # a mean of all rewards so far, those of earlier phases as well
    def learn(self, t, state, pulls, sums, noise):
        after = super().learn(t, state, pulls, sums, noise)
        both = (state.means > 0) & (after.means > 0)
        return after._replace(means=np.where(both, (state.means + after.means) / 2, after.means))


class Peeking(Elimination):  # of equal arms, the last one is preferred where the rewards are good
    def estimates(self, p, state, noise):
        late = 1e-9 * np.arange(self.arms) * (state.means.sum(axis=1, keepdims=True) > 1)
        return super().estimates(p, state, noise) + late


MUTANTS = {
    "noise not divided by n": replace(dp_bai(GENERAL, 500, 0.5), spread=Loud(0.5)),
    "one draw for all arms": replace(dp_bai(GENERAL, 500, 0.5), spread=Shared(0.5)),
    "eps halved": replace(dp_bai(GENERAL, 500, 0.5), spread=Halved(0.5)),
    "eps doubled": replace(dp_bai(GENERAL, 500, 0.5), spread=Doubled(0.5)),
    "top set before the noise": Early(GENERAL, 500, LaplaceNoise(0.5)),
    "rewards of earlier phases": Reused(GENERAL, 500, LaplaceNoise(0.5)),
    "a tie-break that looks": Peeking([*GENERAL[:7]] * 2, 500, LaplaceNoise(0.5)),
    "raw data for unpulled arms": Raw(GENERAL, 500, LaplaceNoise(0.5)),
    "baseline": baseline(GENERAL, 500, 0.5),
}


@pytest.mark.parametrize("name", MUTANTS)
@pytest.mark.first(5)
def test_the_twin_finds_mutants_out(name):
    policy = MUTANTS[name]
    runs = (both(policy, policy.features, lambda n: 1 / (0.5 * n), trials=8, seed=seed) for seed in range(3))
    assert any(released != twins for released, twins in runs)


def test_the_printed_indices_skip_the_phase_with_g_0_arms():
    vectors = np.random.default_rng(1).normal(size=(60, 6))
    sizes = [make(vectors, 900, 1.0).plan.sizes for make in (dp_bai_printed, dp_bai)]
    assert sizes[0] == tuple(size for size in sizes[1] if size != quarter(6))


# -- batches, ties, duals --------------------------------------------------------------------------------------------


def test_ties_go_to_the_lowest_index():
    """Noise so small that equal rewards tie exactly: duplicates of arm 0 come behind it."""
    policy = dp_bai([(1.0, 0.0), (0.0, 1.0)], 50, 1e300)
    played = play(policy, Table(np.ones((2, 50))), Seeded(0, 4), 4)
    assert (played.answers == 0).all()


def test_the_dual_policy_reads_columns():
    """D(pi) is the policy on rewards by time: the two arms pay the same at any time, and only the dual can tell."""
    rewards = np.full((2, 20), 0.5)  # not 0: noise of 1e-300 is lost beside it
    rewards[:, 9:] = 1  # 18 pulls in one phase: 9 of arm 0, then 9 of arm 1
    policy = dp_bai([(1.0, 0.0), (0.0, 1.0)], 20, 1e300)
    assert (play(policy, Stream(rewards), Seeded(0, 3), 3).answers == 1).all()
    assert (play(policy, Table(rewards), Seeded(0, 3), 3).answers == 0).all()


def test_means_of_figure_1():
    """Seeded runs at T = 300: DP-BAI finds the best arm far more often than Baseline."""
    found = {}
    for name, make in MAKERS.items():
        played = play(make(FIGURE_1, 300), Bernoulli(MEANS), Seeded(5, 1000), 1000)
        found[name] = (played.answers == 0).mean()
    assert found["DP-BAI"] > found["Baseline"] + 0.4
    assert found["DP-BAI"] > found["DP-OD"]


# -- early stopping --------------------------------------------------------------------------------------------------


@given(st.integers(1, 15) | st.integers(0, 30), st.integers(0, 2), st.integers(0, 10**6))
@few
@pytest.mark.nonvacuous(5)
def test_early_stopping_reads_and_pulls_iota_n_times_at_most(n, iota, seed):
    inner = dp_bai(np.eye(3), 40, 1.0)
    policy = EarlyStopping(inner, n, iota)
    rewards = np.vstack([np.random.default_rng(seed).random((3, 40)), np.zeros(40)])
    stopped = play(policy, Table(rewards), Seeded(seed, 4), 4)
    free = play(inner, Table(rewards[:3]), Seeded(seed, 4), 4)
    assert (stopped.pulls[:, iota] <= n).all()
    went = free.pulls[:, iota] < n  # these runs were never stopped, and are the same
    assert np.array_equal(stopped.pulls[went, :3], free.pulls[went])
    assert np.array_equal(stopped.answers[went], free.answers[went])
    assert (stopped.pulls[~went, iota] == np.minimum(n, free.pulls[~went, iota])).all()
    idle = stopped.pulls[:, 3] > 0  # recommends the auxiliary arm, where that was pulled, and then to the end
    nonvacuous_if(idle.any() and stopped.pulls[:, iota].any())
    assert (stopped.answers[idle] == 3).all()
    assert (stopped.pulls[idle].sum(axis=1) == 40).all()
    assert (stopped.answers[~idle] < 3).all()
    changed = rewards.copy()
    changed[iota, n:] = 1 - changed[iota, n:]  # X^(n, iota) does not hold these
    again = play(policy, Table(changed), Seeded(seed, 4), 4)
    assert np.array_equal(again.released, stopped.released)


# -- designs ---------------------------------------------------------------------------------------------------------


@given(st.integers(1, 5), st.integers(0, 15), st.integers(0, 10**6))
@few
@pytest.mark.nonvacuous(6)
def test_designs_are_certified_and_have_small_support(d, spare, seed):
    vectors = np.random.default_rng(seed).normal(size=(d + spare, d))
    design = g_optimal(vectors)
    nonvacuous_if(spare > 0)
    assert variances(vectors, design.weights).max() <= d * (1 + 1e-5)
    assert abs(design.weights.sum() - 1) < 1e-12
    assert (design.weights > 0).sum() <= d * (d + 1) // 2


def test_support_is_cut_without_changing_the_design():
    circle = np.array([(np.cos(a), np.sin(a)) for a in np.arange(8) * np.pi / 8])
    weights = np.full(8, 1 / 8)
    cut = fewer(circle, weights)
    assert (cut > 0).sum() <= 3
    assert np.allclose(variances(circle, cut), 2)
    assert np.allclose(variances(circle, weights), 2)


@pytest.mark.parametrize(("arms", "d"), [(4, 2), (12, 3), (30, 5), (40, 8), (50, 9)])
def test_an_optimal_design_halves_the_dimension_in_every_round(arms, d):
    """ceil(log2 d) rounds of m pulls and what rounding up adds; after round r, ceil(d/2^r) arms are left."""
    policy = od_linbai(np.random.default_rng(d).normal(size=(arms, d)).tolist(), 1000)
    rounds = ceil(log2(d))
    kept = min(arms, d * (d + 1) // 2) + sum(ceil(d / 2**r) for r in range(1, rounds))
    assert (policy.rounds, policy.kept, policy.dimension) == (rounds, kept, d)
    assert policy.share == (1000 - kept) / rounds
    played = play(policy, Table(np.random.default_rng(0).random((arms, 1000))), Seeded(0, 2), 2)
    for trial in range(2):
        *blocks, answer = [block for block in played.released[trial] if block.any()]
        assert len(blocks) == rounds
        for r, block in enumerate(blocks):
            active = arms if r == 0 else ceil(d / 2**r)
            pulled = int((block > 0).sum())
            assert 1 <= pulled <= min(active, d * (d + 1) // 2)
            assert policy.share <= block.sum() < policy.share + pulled
        assert sorted(answer.tolist()) == [-1, *[0] * (arms - 1)]
        assert policy.stay(rounds + 1, 2) == 1
    assert [policy.stay(t, arms) for t in range(2, rounds + 3)] == [
        ceil(d / 2 ** min(t - 1, rounds)) for t in range(2, rounds + 3)
    ]
    assert policy.stay(2, 1) == 1


def test_who_is_active_is_told_run_by_run():
    """Of the arms in the first direction the longer one is pulled alone: its pulls do not say that both are active."""
    policy = od_linbai([(1.0, 0, 0, 0), (2.0, 0, 0, 0), (0, 1.0, 0, 0), (0, 0, 1.0, 0), (0, 0, 0, 1.0)], 100)
    plan = policy.groups(policy.init(1).active)[0][1]
    best = np.array([[2.0, 1, 0, 0, 0], [0, 0, 1, 2.0, 0], [0, 0, 2.0, 0, 1]])  # rewards in sum, by arm
    state = State(np.ones((3, 5), dtype=bool), np.pad(best @ plan.small, [(0, 0), (0, 4 - plan.small.shape[1])]))
    pulls = policy.act(2, state, Seeded(0, 3))
    active = policy.survivors(2, state, Seeded(0, 3))
    assert active.sum(axis=1).tolist() == [2, 2, 2]
    assert active[0].tolist() == [True, True, False, False, False]
    assert [(row > 0).sum() for row in pulls.counts] == [1, 2, 2]
    assert np.array_equal(policy.told(2, state, pulls, Seeded(0, 3)), active)
    alone = State(state.active[:1], state.moments[:1])
    assert np.array_equal(policy.told(2, alone, Pulls(pulls.counts[:1]), Seeded(0, 1)), active[:1])


def test_dp_od_noise_has_the_size_of_the_largest_feature():
    """DP-OD without L would be quieter for long features: two arms as in Appendix E.2, x = 1, y = 50."""
    vectors = [(1.0, 0.0), (0.0, 50.0)]
    policy, quiet = OptimalDesign(vectors, 100, 1.0), OptimalDesign([(1.0, 0.0), (0.0, 1.0)], 100, 1.0)
    wins = [(play(each, Bernoulli((0.9, 0.1)), Seeded(1, 2000), 2000).answers == 0).mean() for each in (policy, quiet)]
    assert wins[0] < wins[1] - 0.1


# -- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dp_bai([(1.0, 2.0)], 10, 1.0), "at least 2 arms"),
        (lambda: dp_bai([(1.0,), (2.0,)], 10, 1.0), r"and 2 coordinates \(d\)"),
        (lambda: dp_bai([(1.0, 2.0), (float("nan"), 0.0)], 10, 1.0), "features of arm 1 are"),
        (lambda: dp_bai([(0.0, 0.0), (0.0, 0.0)], 10, 1.0), "all features are 0"),
        (
            lambda: dp_od([(0.0, -1e200), (1.0, 0.0)], 10, 1.0),
            "whose powers are outside the range of doubles",
        ),  # squares overflow
        (lambda: dp_od([(0.0, -1e-200), (1e-300, 0.0)], 10, 1.0), "whose powers are outside the range of doubles"),
        (lambda: dp_bai("abc", 10, 1.0), "not an array of real numbers"),
        (lambda: dp_bai([["1", "0"], ["0", "1"]], 10, 1.0), "not an array of real numbers"),
        (lambda: dp_bai(np.array([[1j, 0], [0, 1]]), 10, 1.0), "not an array of real numbers"),
        (lambda: dp_bai([[10**400, 0], [0, 1]], 10, 1.0), "not an array of real numbers"),
        (lambda: dp_od(np.ma.array(np.eye(2), mask=np.eye(2)), 10, 1.0), "a masked array"),
        (
            lambda: dp_bai([(1.0, 0.0), (0.0, 1.0)], 2, 1.0),
            "T' of the algorithm is then 0; for these features T must be at least 3",
        ),
        (lambda: dp_bai([(1.0, 0.0), (0.0, 1.0)], 10, 0.0), "eps is 0.0"),
        (lambda: dp_bai_gauss([(1.0, 0.0), (0.0, 1.0)], 10, 1.0, 1.0), "delta"),
        (
            lambda: od_linbai([(1.0, 0.0), (0.0, 1.0)], 2),
            "m of the algorithm is then 0; for these features T must be at least 3",
        ),
        (lambda: dp_od([(1.0, 0.0), (0.0, 1.0)], 9, -1.0), "eps is -1.0"),
        (lambda: phases(5, 1), "is 1, so log d = 0 and"),
        (lambda: EarlyStopping(dp_bai([(1.0, 0.0), (0.0, 1.0)], 10, 1.0), 1, 2), "iota = 2"),
    ],
)
def test_bad_input_says_what_would_be_right(make, message):
    with pytest.raises(ValueError, match=message):
        make()
