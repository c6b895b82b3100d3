"""The exact engine against plain enumeration of all transcripts, and against what is known."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr
from vacuity import nonvacuous_if

from dpbandits import Approximate, Gaussian, Pair, Pulls, Seeded, Step, Table, flipped
from dpbandits.audit.privacy.evidence import result_figures
from dpbandits.audit.privacy.result import Result
from dpbandits.proofs_checks.exact import engine, privacy_loss_distribution
from dpbandits.proofs_checks.exact.engine import exact_profile, step_profile, worst_event
from dpbandits.proofs_checks.exact.enumeration import enumerated_profile
from dpbandits.proofs_checks.exact.gaussian_profile import below_some_tangent, log_gaussian_delta
from dpbandits.proofs_checks.exact.privacy_profile import ExactProfile, MeasurePair, SortedAtoms
from dpbandits.reference.papers.ou24 import ALGORITHM_1, ModifiedThompsonSampling, letter, single_step

EPS = np.linspace(0, 8, 41)
# The engine and the enumeration multiply the same doubles in another order: equal up to a few hundred
# roundings.
ROUNDING = 1e-12


def clear_cut(horizon: int) -> Pair:
    rewards = np.zeros((2, horizon))
    rewards[1] = 1
    return flipped("pull", rewards, 0, 0, 1.0)


def enumerated(policy: Any, pair: Pair) -> tuple[np.ndarray, np.ndarray]:
    """The probabilities of all transcripts on both sides: the naive twin."""
    return tuple(one_side(policy, table) for table in pair.environments())  # type: ignore[return-value]


def one_side(policy: Any, table: Any) -> np.ndarray:
    sizes, done, t = [], 0, 0
    while done < policy.horizon:
        t += 1
        sizes.append(int(policy.law(t, policy.init(1)).counts[0, 0].sum()))
        done += sizes[-1]
    transcripts = np.array(list(product(range(policy.arms), repeat=len(sizes))))
    trials = len(transcripts)
    noise, state = Seeded(0, trials), policy.init(trials)
    probability, made = np.ones(trials), np.zeros((trials, policy.arms), dtype=np.int64)
    for t, size in enumerate(sizes, start=1):
        arm = transcripts[:, t - 1]
        probability *= policy.law(t, state).chance[np.arange(trials), arm]
        pulls = Pulls(size * Pulls.one(arm, policy.arms).counts)
        fits = (made + pulls.counts).max(axis=1) <= policy.horizon
        assert (probability[~fits] == 0).all()
        counts = np.where(fits[:, None], pulls.counts, 0)
        state = policy.learn(t, state, Pulls(counts), table.draw(t, made, counts, None, noise), noise)
        made = made + counts
    return probability


def true_delta(left: np.ndarray, right: np.ndarray, eps: np.ndarray) -> np.ndarray:
    return np.maximum(left - np.exp(eps)[:, None] * right, 0).sum(axis=1)


def assert_agrees(policy: Any, pair: Pair, grid: float = 0.01, deep: bool | None = None) -> ExactProfile:
    left, right = enumerated(policy, pair)
    assert left.sum() == pytest.approx(1, abs=1e-11)
    profile = exact_profile(policy, pair, grid=grid, deep=deep)
    for side, one, other in ((profile, left, right), (profile.swapped, right, left)):
        low, high = side.delta_one_way(EPS)
        truth = true_delta(one, other, EPS)
        assert (low <= truth * (1 + ROUNDING) + ROUNDING).all()
        assert (truth <= high * (1 + ROUNDING) + ROUNDING).all()
        # At most one light move a step, each of which spreads the loss by at most (grid/2)^2 in variance and
        # so moves delta by at most grid/2 (the split cannot move an atom farther than one cell).
        assert (high - low <= policy.horizon * grid**2 + 2 * grid * truth + 1e-9).all()
    low, high = profile.tradeoff()
    alpha, beta = np.array(true_curve(left, right)).T
    assert (np.interp(alpha, *np.transpose(low)) <= beta + 1e-9).all()
    corners = np.array(high)
    assert (np.interp(corners[:, 0], alpha, beta) <= corners[:, 1] + 1e-9).all()
    return profile


def true_curve(left: np.ndarray, right: np.ndarray) -> list[tuple[float, float]]:
    """The corners of the exact trade-off curve: reject left where left/right is small."""
    order = np.argsort(np.log(left[left > 0]) - np.log(right[left > 0]))
    alpha, power = np.cumsum(left[left > 0][order]), np.cumsum(right[left > 0][order])
    return [(0.0, 1.0), *zip(alpha.tolist(), (1 - power).tolist(), strict=True)]


@pytest.mark.parametrize("horizon", [1, 2, 3, 7, 11])
def test_two_arms_against_enumeration(horizon: int) -> None:
    assert_agrees(ALGORITHM_1(2, horizon), clear_cut(horizon))


@settings(max_examples=25, deadline=None)
@given(st.data())
@pytest.mark.nonvacuous(8)
def test_any_table(data: st.DataObject) -> None:
    arms = data.draw(st.integers(2, 3))
    horizon = data.draw(st.integers(2, 9 if arms == 2 else 5))
    reward = st.one_of(st.sampled_from([0.0, 1.0, 0.5]), st.floats(0, 1))
    rewards = data.draw(st.lists(reward, min_size=arms * horizon, max_size=arms * horizon))
    arm, at = data.draw(st.integers(0, arms - 1)), data.draw(st.integers(0, horizon - 1))
    pair = flipped("pull", np.reshape(rewards, (arms, horizon)), arm, at, data.draw(reward))
    nonvacuous_if((pair.left != pair.right).any())
    deep = data.draw(st.booleans())
    assert_agrees(ALGORITHM_1(arms, horizon), pair, grid=0.02, deep=deep)


@pytest.mark.parametrize(("arms", "horizon"), [(3, 6), (4, 4)])
@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.thorough
def test_dense_tables_of_several_arms(arms: int, horizon: int, deep: bool) -> None:
    """Rewards without any pattern: three and more rows meet in a state, none of them aligned with another."""
    generator = np.random.default_rng(arms)
    for _ in range(4):
        rewards = generator.random((arms, horizon))
        pair = flipped("pull", rewards, int(generator.integers(arms)), 0, float(generator.random()))
        assert_agrees(ALGORITHM_1(arms, horizon), pair, grid=0.02, deep=deep)


@pytest.mark.parametrize("make", [ModifiedThompsonSampling, letter])
@pytest.mark.parametrize(("arms", "horizon"), [(2, 11), (3, 11)])
@pytest.mark.first(1)
def test_prepulls(make: Any, arms: int, horizon: int) -> None:
    policy = make(arms=arms, horizon=horizon, prepulls=2, variance=3.0)
    rewards = np.zeros((arms, horizon))
    rewards[1:] = 1
    profile = assert_agrees(policy, flipped("pull", rewards, 0, 1, 1.0))
    early = make is letter  # to the letter, Algorithm 2 forgets the rewards of its pre-pulls
    assert (profile.largest_loss < 1e-6) == early


def test_no_policy_reads_a_reward_that_it_never_gets() -> None:
    """A flip of the last pull of a table is seen after the last release: both sides are equal."""
    profile = exact_profile(ALGORITHM_1(2, 6), flipped("pull", np.zeros((2, 6)), 0, 5, 1.0))
    low, high = profile.delta(EPS)
    assert (low == 0).all()
    assert (high < 1e-9).all()
    assert profile.mu()[0] == 0
    assert profile.eps(1e-6) == (0.0, 0.0)


def test_known_eps_of_the_clear_cut_pair() -> None:
    """A public figure, found by another program: T = 20, eps = 4.63 at delta = 1e-3."""
    low, high = exact_profile(ALGORITHM_1(2, 20), clear_cut(20)).eps(1e-3)
    assert low <= high < low + 0.005
    assert round(low, 2) == round(high, 2) == 4.63


def test_swapped_pair_swaps_the_directions() -> None:
    policy, pair = ALGORITHM_1(2, 9), clear_cut(9)
    there, back = exact_profile(policy, pair), exact_profile(policy, pair.swapped())
    for one, other in zip(there.delta_one_way(EPS), back.swapped.delta_one_way(EPS), strict=True):
        # Not bit for bit: the grid is anchored at the lowest loss.
        np.testing.assert_allclose(one, other, atol=9 * 0.01**2 + 1e-9)
    np.testing.assert_allclose(there.mu(), back.mu(), rtol=1e-3)


@pytest.mark.thorough
def test_the_gap_shrinks_with_the_square_of_the_grid() -> None:
    """Halving the grid must divide the gap by about four (by two, if the engine rounded to first order)."""
    policy, pair = ALGORITHM_1(2, 200), clear_cut(200)
    gaps = []
    for grid in (0.08, 0.04, 0.02):
        low, high = exact_profile(policy, pair, grid=grid, deep=False).delta(np.linspace(0.5, 6, 12))
        gaps.append(float((high - low).sum()))
    assert gaps[0] / gaps[2] > 8


@pytest.mark.thorough
def test_deep_and_shallow_passes_agree() -> None:
    policy, pair = ALGORITHM_1(2, 60), clear_cut(60)
    deep, shallow = (exact_profile(policy, pair, deep=choice) for choice in (True, False))
    for one, other in ((deep, shallow), (shallow, deep)):
        assert (one.delta(EPS)[0] <= other.delta(EPS)[1]).all()
    low, high = deep.mu()
    assert shallow.mu()[1] == np.inf  # pruned mass, and nothing known of its losses
    assert shallow.mu()[0] <= high
    assert low <= high < 1.001 * low
    # In the deep tail, the pruned mass no longer counts as fully revealing.
    far = deep.largest_loss * 0.99
    assert float(deep.delta_one_way(far)[1]) < float(shallow.delta_one_way(far)[1])


def test_mu_against_enumeration() -> None:
    policy, pair = ALGORITHM_1(2, 10), clear_cut(10)
    left, right = enumerated(policy, pair)
    low, high = assert_agrees(policy, pair).mu()
    fine = np.linspace(0, 3, 3001)
    delta = np.maximum(true_delta(left, right, fine), true_delta(right, left, fine))
    holds = [bool((delta <= np.exp(log_gaussian_delta(fine, mu)) + 1e-12).all()) for mu in (low * 0.999, high)]
    assert holds == [False, True]
    assert high - low < 0.001 * high


@pytest.mark.thorough
def test_mu_from_moments_of_a_single_deep_transcript() -> None:
    """With all rewards 0, the transcript "arm 0 once, then arm 1" decides: its two probabilities bound mu
    from below.

    Its loss is so rare (2^-T) that a shallow pass cannot see it; the moments must.
    """
    horizon = 60
    pair = flipped("pull", np.zeros((2, horizon)), 0, 0, 1.0)
    low, high = exact_profile(ALGORITHM_1(2, horizon), pair, grid=0.02, deep=True).mu()
    m = np.arange(horizon - 1)  # arm 1's pulls in rounds 2, 3, ...
    rare = 0.5 * 0.5 ** (horizon - 1)
    other = 0.5 * np.prod(ndtr(-0.5 / np.sqrt(0.5 + 1 / (m + 1))))
    # The event {this transcript} has alpha = 1 - rare under left and beta = other under right; mu-GDP needs
    # ndtri(1 - alpha) - ndtri(beta) <= mu.
    from scipy.special import ndtri

    assert low <= high < 1.001 * low
    assert high >= ndtri(rare) - ndtri(other)
    moments_only = exact_profile(ALGORITHM_1(2, horizon), pair, grid=0.02, deep=True).mu_low_from_moments()
    assert 0.8 * low < moments_only <= high


def test_gaussians_are_their_own_measure() -> None:
    """N(0, 1) against N(mu, 1), cut into cells, has mu-GDP's curve: mu_high may not be below, mu_low not
    above.
    """
    mu, edges = 1.5, np.concatenate([[-np.inf], np.linspace(-9, 9, 4001), [np.inf]])
    left, right = np.diff(ndtr(edges)), np.diff(ndtr(edges - mu))
    # The cells at +9 and beyond have ndtr = 1: compute the upper half from the other side.
    left = np.where(edges[:-1] > 0, -np.diff(ndtr(-edges)), left)
    right = np.where(edges[:-1] > mu, -np.diff(ndtr(mu - edges)), right)
    low, high = ExactProfile(MeasurePair(left, right), MeasurePair(left, right)).mu()
    assert low <= mu
    # Cells of width w lose a share of order w^2 of mu: 18/4000 squared is 2e-5.
    assert low == pytest.approx(mu, rel=1e-4)
    assert high == pytest.approx(mu, rel=1e-2)


def test_what_moments_show_is_rounded_down() -> None:
    """A divergence of exactly 2 mu^2/2 at order 2 shows a little less than mu, and a drift of the logs less again."""
    law = np.array([0.25, 0.5, 0.25])
    profile = ExactProfile(MeasurePair(law, law), MeasurePair(law, law))
    for mu in (0.1, 1.0, 20.0):
        shown = []
        for drift in (0.0, 1e-6):
            tail = SimpleNamespace(orders=np.array([0.5, 2.0]), total=np.array([9.0, mu**2]), log_error=drift)
            shown.append(replace(profile, tail=tail).mu_low_from_moments())
        assert mu * (1 - 1e-9) < shown[0] < mu
        assert shown[1] ** 2 <= mu**2 - 3e-6 * (1 - 1e-6)


def test_two_laws_that_are_one_reveal_nothing() -> None:
    law = np.array([0.25, 0.5, 0.25])
    profile = ExactProfile(MeasurePair(law, law), MeasurePair(law, law))
    assert profile.mu() == (0.0, 0.0)
    assert profile.eps(1e-9)[0] == 0.0


def test_what_is_possible_on_one_side_alone_is_no_gaussian() -> None:
    """An output of probability 1e-3 that tells the side: no mu suffices, and eps is infinite below it."""
    left, right = np.array([0.5, 0.5, 0.0]), np.array([0.5, 0.499, 0.001])
    profile = ExactProfile(MeasurePair(left, right), MeasurePair(left, right))
    assert profile.mu()[1] == np.inf
    assert profile.eps(1e-4)[1] == np.inf
    assert profile.eps(2e-3)[1] < 0.01


def test_a_curve_above_the_gaussian_at_one_point_is_not_dominated() -> None:
    eps = np.linspace(0, 10, 501)
    log = log_gaussian_delta(eps, 1.0)

    def above(mu: float) -> list[int]:
        return [
            int(k) for k in np.flatnonzero(~below_some_tangent(np.stack([eps[:-1], eps[1:], log[:-1], log[1:]]), mu))
        ]

    assert above(1.001) == []
    assert len(above(0.999)) == 500
    log[300] += 0.05
    assert above(1.001) == [299, 300]


def test_a_chord_down_to_nothing_is_dominated_where_a_tangent_is_positive_there() -> None:
    """Every tangent of the Gaussian that lies above the left end of the long chord is negative at its right end."""
    for left, right, good in ((0.0, 3.0, False), (2.9, 3.0, True)):
        high = log_gaussian_delta(np.array([left]), 1.0) - 1e-2
        assert below_some_tangent(np.array([[left], [right], high, [-np.inf]]), 1.0).tolist() == [good]


@pytest.mark.parametrize(
    ("mu", "eps"),
    [(1.5e-4, 2.1e-3), (2.8e-4, 1.9e-3), (3.6e-4, 1.7e-6), (5.9e-3, 6.6e-6), (1.6e-2, 0.24), (1e-3, 1e-3)],
)
@pytest.mark.first(3)
def test_a_curve_above_the_gaussian_by_less_than_rounding_is_not_dominated(mu: float, eps: float) -> None:
    """Where nearly all of a delta cancels, doubles may put it above its true value, and a curve between the two."""
    points = eps * (1 + 1e-3 * np.arange(40))
    computed = log_gaussian_delta(points, mu)
    with mpmath.workdps(60):
        terms = [(mpmath.mpf(mu) / 2, mpmath.mpf(at) / mpmath.mpf(mu), mpmath.mpf(at)) for at in points]
        true = [
            float(mpmath.log(mpmath.ncdf(half - x) - mpmath.exp(at) * mpmath.ncdf(-half - x))) for half, x, at in terms
        ]
    above = (computed - true > 0) & (computed - true < 1e-6)
    assert above.any()
    between = (computed + true)[above] / 2
    assert not below_some_tangent(np.stack([points[above], points[above], between, between]), mu).any()


@pytest.mark.parametrize("alpha", [1.5, 2.0, 8.0])
def test_renyi_against_enumeration(alpha: float) -> None:
    policy, pair = ALGORITHM_1(2, 9), clear_cut(9)
    left, right = enumerated(policy, pair)
    truth = float(np.log(np.sum(left**alpha * right ** (1 - alpha))) / (alpha - 1))
    low, high = exact_profile(policy, pair).renyi(alpha)
    assert low <= truth <= high or high == np.inf


# -- what a broken engine would look like --------------------------------------------------------------------


def caught(policy: Any, pair: Pair, **options: Any) -> bool:
    """Whether the comparison with the enumeration refutes the engine."""
    left, right = enumerated(policy, pair)
    profile = exact_profile(policy, pair, deep=False, **options)
    bad = False
    for side, one, other in ((profile, left, right), (profile.swapped, right, left)):
        low, high = side.delta_one_way(EPS)
        truth = true_delta(one, other, EPS)
        bad |= bool((low > truth + 1e-9).any() or (high < truth - 1e-9).any())
    return bad


def test_a_split_that_does_not_keep_both_masses_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Linear interpolation of m = sqrt(p q) keeps neither mass: it must fall below the truth or above."""
    policy, pair = ALGORITHM_1(2, 10), clear_cut(10)
    assert not caught(policy, pair, grid=0.5)

    def nearest(part: np.ndarray, grid: float) -> tuple[np.ndarray, np.ndarray]:
        return np.where(part < 0.5, 1.0, 0.0), np.where(part < 0.5, 0.0, 1.0)

    monkeypatch.setattr(privacy_loss_distribution, "split_weights", nearest)
    assert caught(policy, pair, grid=0.5)


@pytest.mark.thorough
def test_paths_of_several_steps_say_what_single_steps_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many steps a path has, the truth lies between the curves; and longer paths lie closer to it."""
    policy, pair = ALGORITHM_1(2, 100), flipped("pull", np.zeros((2, 100)), 0, 0, 1.0)
    eps, gaps = np.linspace(0, 10, 30), []
    fine_low, fine_high = exact_profile(policy, pair, grid=0.02, deep=False).delta(eps)
    for each in (1, 8, 64):
        monkeypatch.setattr(privacy_loss_distribution, "MAX_PATHS_PER_ROW", each)
        low, high = exact_profile(policy, pair, grid=0.1, deep=False).delta(eps)
        assert (low <= fine_high).all()
        assert (fine_low <= high).all()
        gaps.append(float((high - low).max()))
    assert gaps[0] > 1.5 * gaps[1] > 1.5**2 * gaps[2]


def test_the_moments_of_what_was_pruned() -> None:
    """Cells of two rows, three runs of neighbours among them, at orders whose factors overflow over a run."""
    place = np.concatenate([np.arange(5, 300), np.arange(700, 710), np.arange(900, 1000)])
    row = np.where(place < 800, 3, 4)
    loss = 0.01 * place - 20
    m = np.random.default_rng(2).random(len(place)) ** 20
    m[:40] = 0
    deep = privacy_loss_distribution.TailMoments(np.array([-3000.0, 0.0, 0.3, 1.0, 2900.0]))
    deep.lost = np.full((deep.orders.size, 6), -np.inf)
    deep.lost[:, 2] = -1.0
    deep.add_pruned_cells(
        privacy_loss_distribution.PrunedCells(row, place, m, loss, privacy_loss_distribution.MeasurePair(m, m)),
        np.array([9, 9, 9, 2, 5]),
        0.01,
    )
    with np.errstate(divide="ignore"):
        terms = np.log(m) + (deep.orders[:, None] - 0.5) * loss
    want = {state: np.logaddexp.reduce(terms[:, row == source], axis=1) for source, state in ((3, 2), (4, 5))}
    want[2] = np.logaddexp(want[2], -1.0)
    for state in range(6):
        np.testing.assert_allclose(deep.lost[:, state], want.get(state, -np.inf), rtol=1e-13)


def test_the_split_keeps_both_masses() -> None:
    part, grid = np.linspace(0, 1, 21), 0.3
    low, high = privacy_loss_distribution.split_weights(part, grid)
    for sign in (1, -1):  # p weighs exp(+l/2), q weighs exp(-l/2)
        kept = low + high * np.exp(sign * grid / 2)
        np.testing.assert_allclose(kept, np.exp(sign * part * grid / 2), rtol=1e-14)


def test_pruned_mass_that_is_dropped_is_noticed() -> None:
    """With heavy pruning the upper curve holds only because the pruned mass counts as fully revealing."""
    policy, pair = ALGORITHM_1(2, 10), clear_cut(10)
    left, right = enumerated(policy, pair)
    profile = exact_profile(policy, pair, grid=0.001, prune=0.99, deep=False)
    assert min(profile.lost) > 1e-6
    dropped = ExactProfile(profile.upper, profile.lower, log_error=profile.log_error)
    eps, missed = np.linspace(0, 6, 3001), False
    for side, bad, one, other in ((profile, dropped, left, right), (profile.swapped, dropped.swapped, right, left)):
        truth = true_delta(one, other, eps)
        low, high = side.delta_one_way(eps)
        assert (low <= truth + ROUNDING).all()
        assert (truth <= high + ROUNDING).all()
        missed |= bool((bad.delta_one_way(eps)[1] < truth - ROUNDING).any())
    assert missed


# -- the law's assumed error ---------------------------------------------------------------------------------


def test_the_law_is_as_exact_as_assumed() -> None:
    """argmax_law for two arms against 50 digits, over the counts and means that T = 10 000 can produce."""
    policy = ModifiedThompsonSampling(2, 10_000, variance=0.01)
    generator = np.random.default_rng(20240)
    pulls = np.stack([generator.integers(0, 10**k, 25) for k in (1, 2, 3, 4)] * 2, axis=1).reshape(-1, 2)
    total = np.floor(generator.random(pulls.shape) * (pulls + 1))
    state = policy.init(1)._replace(pulls=pulls, total=total)
    stated = policy.law(1, state).chance
    with mpmath.workdps(50):
        for (n, m), (s, r), law in zip(pulls.tolist(), total.tolist(), stated, strict=True):
            gap = mpmath.mpf(s) / (n + 1) - mpmath.mpf(r) / (m + 1)
            wide = mpmath.sqrt(mpmath.mpf(0.01) / (n + 1) + mpmath.mpf(0.01) / (m + 1))
            if abs(gap / wide) < 37:  # beyond, ndtr underflows
                for value, x in zip(law, (gap / wide, -gap / wide), strict=True):
                    truth = mpmath.ncdf(x)
                    assert abs(mpmath.mpf(float(value)) - truth) <= engine.LAW_ERROR / 10 * truth


class Stated(NamedTuple):
    """Two arms; the law is what was given, on the left table and, after a reward, on the right one."""

    before: tuple[float, ...]
    after: tuple[float, ...]
    arms: int = 2
    horizon: int = 3

    def init(self, trials: int) -> np.ndarray:
        return np.zeros(trials)

    def act(self, t: int, state: np.ndarray, noise: Any) -> Any:
        raise NotImplementedError

    def learn(self, t: int, state: np.ndarray, pulls: Pulls, sums: np.ndarray, noise: Any) -> np.ndarray:
        return np.asarray(state + sums.sum(axis=1))

    def law(self, t: int, state: np.ndarray) -> np.ndarray:
        return np.where(state[:, None] > 0, self.after, self.before)


@pytest.mark.parametrize(
    ("after", "message"),
    [
        ((1 + 1e-17, -1e-17), r"law, step 2, state .: the probability of arm 1 is negative"),
        ((0.5, 0.5 + 1e-9), r"law, step 2, state .: .* differs from 1 by 1e-09; at most 1e-11"),
        ((0.5, 0.5 - 1e-9), r"differs from 1 by -1e-09"),
        ((0.5, float("nan")), "arm 1 is nan"),
    ],
)
def test_a_law_that_is_none_is_no_proof(after: tuple[float, float], message: str) -> None:
    """Not even by as little as a rounding: 1 + 1e-9 would be certified as privacy loss."""
    policy = Stated((0.5, 0.5), after)
    pair = flipped("pull", np.zeros((2, 3)), 0, 0, 1.0)
    assert (
        exact_profile(Stated((0.5, 0.5), (0.5, 0.5 + 1e-12)), pair).delta(0.0)[0] == 0
    )  # within what is accounted for
    for profile_of in (exact_profile, enumerated_profile):
        with pytest.raises(ValueError, match=message):
            profile_of(policy, pair)


def test_a_mechanism_whose_law_is_none_is_no_proof() -> None:
    class Mechanism(NamedTuple):
        masses: tuple[float, ...]

        def law(self, values: np.ndarray) -> np.ndarray:
            return np.array(self.masses)

    with pytest.raises(ValueError, match="differs from 1 by"):
        step_profile(Step(Mechanism((0.5, 0.4)), (0.0, 0.0), (1.0, 0.0), (1.0, 1.0)))  # type: ignore[arg-type]


# -- one-shot mechanisms -------------------------------------------------------------------------------------


def test_step_of_two_arms() -> None:
    """delta(0) is the total variation, |Phi(a) - Phi(b)| with a, b the two gaps over sqrt(1/2 + 1/2)."""
    step = single_step((1, 1), (0.0, 0.0), (1.0, 0.0))
    low, high = step_profile(step).delta(0.0)
    truth = float(mpmath.ncdf(0.5) - mpmath.ncdf(0))
    assert low <= truth <= high < low + 1e-9
    event = worst_event(step_profile(step), 0.0)
    assert event.indices == ((1,) if not event.swapped else (0,))
    assert event.delta == pytest.approx(truth, abs=1e-9)


def test_step_of_three_arms_is_relatively_exact() -> None:
    step = single_step((1, 3, 200), (0.0, 1.0, 100.0), (1.0, 1.0, 100.0))
    profile = step_profile(step)
    law = [step.mechanism.law(np.array(side)) for side in (step.left, step.right)]
    truth = true_delta(law[0], law[1], EPS)
    low, high = profile.delta_one_way(EPS)
    assert (low <= truth).all()
    assert (truth <= high).all()
    assert profile.mu()[0] < np.sqrt(0.5)  # Lemma 2 of ou24: sqrt(1/2)-GDP
    assert profile.mu()[0] <= profile.mu()[1] < profile.mu()[0] * (1 + 1e-5)
    assert profile.step_absolute_error == 0


@pytest.mark.thorough
def test_two_arm_step_approaches_the_lemma() -> None:
    """Against an arm with very many pulls, one step is a threshold test on the sample: mu -> sqrt(1/2)."""
    best = 0.0
    for mean in np.linspace(0, 1, 21):
        n = 10**8
        low, high = step_profile(single_step((1, n), (0.0, mean * n), (1.0, mean * n))).mu()
        assert low <= high <= np.sqrt(0.5) * (1 + 2e-6)  # mu_high is searched to 1e-6
        best = max(best, low)
    assert best == pytest.approx(np.sqrt(0.5), rel=0.01)


# -- refusals ------------------------------------------------------------------------------------------------


def test_refusals() -> None:
    policy = ALGORITHM_1(2, 3)
    with pytest.raises(ValueError, match="arms"):
        exact_profile(ALGORITHM_1(3, 3), clear_cut(3))
    with pytest.raises(TypeError, match="law"):
        exact_profile(object(), clear_cut(3))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="law"):
        step_profile(Step(object(), (0.0, 0.0), (1.0, 0.0), (1.0, 1.0)))
    with pytest.raises(ValueError, match="grid"):
        exact_profile(policy, clear_cut(3), grid=0)
    profile = exact_profile(policy, clear_cut(3))
    with pytest.raises(ValueError, match="delta"):
        profile.eps(2.0)
    with pytest.raises(ValueError, match="order"):
        profile.renyi(1.0)


@pytest.mark.thorough
def test_evidence_is_small_and_plain() -> None:
    import json

    profile = exact_profile(ALGORITHM_1(2, 30), clear_cut(30))
    for promised in (Approximate(1.0, 1e-3), Gaussian(1.0)):
        item = result_figures(Result("a", promised, bounds=promised.bounds(profile), exact=profile))[0]
        text = json.dumps(item, allow_nan=False)
        assert json.loads(text) == item
        for curve in ("exact_low", "exact_high"):
            points = np.array(item[curve])
            assert 2 <= len(points) <= 200
            assert (np.diff(points[:, 0]) >= 0).all()
            assert (np.diff(points[:, 1]) <= 1e-12).all()


def test_atoms_of_one_sided_mass() -> None:
    atoms = SortedAtoms(MeasurePair(np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.5, 0.5])))
    value, error = atoms.delta(np.array([0.0, 100.0, 1000.0]))
    np.testing.assert_allclose(value, 0.5, atol=float(error.max()))


def test_table_shorter_than_the_horizon() -> None:
    with pytest.raises(ValueError, match="the reward table has length"):
        exact_profile(ALGORITHM_1(2, 5), flipped("pull", np.zeros((2, 3)), 0, 0, 1.0))
    assert Table(np.zeros((2, 3))).arms == 2
