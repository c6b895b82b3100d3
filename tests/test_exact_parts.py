"""Parts of the exact engines beside definitions that are slow but plain: Gaussians' tangents, phases, hidden means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from mutants_sajed19 import SMALL
from scipy.special import ndtr, ndtri

from dpbandits import Pulls, Seeded, flipped
from dpbandits.proofs_checks.exact.engine import TooManyStates, exact_profile, tail_orders, unfold_states, worst_event
from dpbandits.proofs_checks.exact.gaussian_profile import (
    SMALLEST_MU,
    below_some_tangent,
    log_gaussian_delta,
    log_gaussian_tangent,
    mu_lower_bound,
)
from dpbandits.proofs_checks.exact.privacy_loss_distribution import LossRange, log_transitions
from dpbandits.proofs_checks.exact.privacy_profile import ExactProfile, MeasurePair, TailBound
from dpbandits.proofs_checks.exact.shifted_noise import MAX_SHIFT_SUM, NormalShift, shifted_noise_profile
from dpbandits.proofs_checks.exact.state_graph import PairTransitions, state_graph
from dpbandits.proofs_checks.papers import phases
from dpbandits.proofs_checks.papers.by_comparisons import ByComparisons, Quiet, interval, of_two
from dpbandits.reference.bandits.policy import Law, one_arm
from dpbandits.reference.bandits.release_laws.declared_steps import Comparing
from dpbandits.reference.bandits.release_laws.selections import Chances
from dpbandits.reference.papers.hu21 import AnytimeLazyUCB
from dpbandits.reference.papers.ou24 import ALGORITHM_1
from dpbandits.reference.papers.sajed19 import DPSE

# -- Gaussian curves ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [2.2e-6, 0.3, 8.0, 4e5])
def test_the_least_mu_is_rounded_down_by_two_margins_at_most(mu: float) -> None:
    eps = np.array([mu * mu / 2])
    assert mu * (1 - 2e-9 - 1e-15 / mu) <= mu_lower_bound(eps, log_gaussian_delta(eps, mu)) <= mu * (1 + 1e-15 / mu)


def test_a_mu_too_small_to_tell_is_none_and_one_too_large_is_infinite() -> None:
    """Below twice SMALLEST_MU the two terms of delta cancel; above a million nobody asks."""
    none = np.array([0.0])
    assert mu_lower_bound(none, log_gaussian_delta(none, 1.8 * SMALLEST_MU)) == 0
    assert mu_lower_bound(none, log_gaussian_delta(none, 2.2 * SMALLEST_MU)) > 0
    assert mu_lower_bound(np.array([4e12]), np.array([math.log(0.5)])) == math.inf


@pytest.mark.parametrize("way", [0.0, 0.5, 1.0])
def test_a_chord_below_one_of_three_tangents_is_dominated(way: float) -> None:
    """Those at both ends and in the middle: of a convex curve's tangents none lies above another one at its point."""
    start, stop, mu = np.array([0.2]), np.array([0.5]), 1.0
    touch = start + way * (stop - start)
    high = [log_gaussian_tangent(touch, end, mu)[0] - 1e-11 for end in (start, stop)]
    for other in {0.0, 0.5, 1.0} - {way}:
        beside = [log_gaussian_tangent(start + other * (stop - start), end, mu)[0] for end in (start, stop)]
        assert beside[0] < high[0] or beside[1] < high[1]
    assert below_some_tangent(np.stack([start, stop, *high]), mu).tolist() == [True]
    assert below_some_tangent(np.stack([start, stop, *(each + 1e-3 for each in high)]), mu).tolist() == [False]


# -- extreme losses ----------------------------------------------------------------------------------------------------


def test_what_is_impossible_on_either_side_is_no_extreme_loss() -> None:
    """Into the first state lead a path that was impossible on the right and is now so on the left, and one with losses
    from log 2 to log 6; into the second one the former alone."""
    before = LossRange(np.array([math.inf, 0.0]), np.array([math.inf, math.log(3)]))
    moves = PairTransitions(
        np.array([0, 1, 0]), np.array([0, 0, 1]), np.array([0.0, 0.5, 0.0]), np.array([0.5, 0.25, 0.25])
    )
    with np.errstate(invalid="ignore"):
        found = before.after_step(log_transitions(moves))
    assert found.low == pytest.approx([math.log(2), math.inf], rel=1e-15, abs=0)
    assert found.high == pytest.approx([math.log(6), -math.inf], rel=1e-15, abs=0)


def test_the_powers_of_what_is_impossible_on_one_side() -> None:
    """p^a q^(1 - a) is p at order 1 and q at order 0 also where the other is 0, and elsewhere infinite."""
    step = log_transitions(
        PairTransitions(np.array([0, 0]), np.array([0, 1]), np.array([0.0, 0.25]), np.array([0.5, 0.125]))
    )
    found = step.log_moment_factors(np.array([2.0, 1.0, 0.0, -1.0, 0.5]))
    assert found[:, 0].tolist() == [math.inf, -math.inf, math.log(0.5), math.inf, math.inf]
    assert found[:, 1] == pytest.approx(np.log([0.5, 0.25, 0.125, 0.0625, 0.125 * 2**0.5]), rel=1e-14, abs=0)
    turned = log_transitions(PairTransitions(step.moves.source, step.moves.target, step.moves.right, step.moves.left))
    assert turned.log_moment_factors(np.array([1.0, 0.0, 3.0]))[:, 0].tolist() == [math.log(0.5), -math.inf, math.inf]


def test_the_rounding_of_a_step_is_that_of_its_deepest_logarithm() -> None:
    """Eight units of its size and of 1, wherever it is; at least twice as many. Zeros are no logarithms to round."""
    where, sides = (np.array([0, 0]), np.array([0, 1])), (np.array([0.9, 0.1]), np.array([0.1, 0.9]))
    logs = np.array([[-0.1, -np.inf], [-5000.0, -0.1]])
    assert log_transitions(PairTransitions(*where, *sides, log=logs)).rounding == pytest.approx(
        2.0**-53 * 8 * 5001, rel=1e-15, abs=0
    )
    assert log_transitions(PairTransitions(*where, *sides, log=logs / 1e6)).rounding == pytest.approx(
        2.0**-53 * 16, rel=1e-15, abs=0
    )
    deep = math.log(1e-200)
    for left, right in (((1e-200, 0.5), (0.5, 0.5)), ((0.5, 0.5), (0.5, 1e-200))):
        found = log_transitions(PairTransitions(*where, np.array(left), np.array(right))).rounding
        assert found == pytest.approx(2.0**-53 * (8 - 8 * deep), rel=1e-14, abs=0)


# -- phases ------------------------------------------------------------------------------------------------------------


def soft(means: Any) -> Chances:
    """One of three arms is kept, by the exponentials of their means; the errors grow with the outcome."""
    log = 3 * means - np.logaddexp.reduce(3 * means, axis=1)[:, None]
    return Chances(np.eye(3, dtype=np.bool_), log, np.broadcast_to([0.01, 0.02, 0.05], log.shape))


@pytest.mark.parametrize(("grid", "step"), [([0.0, 0.5, 0.25, 0.75, 1.0], 0.25), ([-1.0, 0.0], 0.5), ([1.0], 0.1)])
def test_the_worst_phase_is_the_worst_of_all_means_on_the_grid(grid: list[float], step: float) -> None:
    """One arm's mean moves by a reward: up, or down where up is beyond 1."""
    best = -math.inf
    for means in product(grid, repeat=3):
        moved = (means[0] + step if means[0] + step <= 1 else means[0] - step, *means[1:])
        left, right = (soft(np.array([each])).log[0] for each in (means, moved))
        best = max(best, max(abs(left - right) - 2 * np.array([0.01, 0.02, 0.05])))
    found = phases.worst_change(soft, 3, np.array(grid), step, 1.0)
    assert found.loss.low == pytest.approx(max(best, 0), rel=1e-13)
    (kept,) = found.kept
    assert found.loss.high - found.loss.low == pytest.approx(4 * [0.01, 0.02, 0.05][kept], rel=1e-12)
    assert found.changed == found.means[0] + (step if found.means[0] + step <= 1 else -step)
    moved = np.array([[found.changed, *found.means[1:]]])
    loss = abs(soft(np.array([found.means])).log[0, kept] - soft(moved).log[0, kept])
    assert loss == pytest.approx((found.loss.low + found.loss.high) / 2, rel=1e-13)


def test_what_is_impossible_before_and_after_a_change_is_no_loss() -> None:
    def never(means: Any) -> Chances:
        found = soft(means)
        return found._replace(log=np.where([True, False, True], found.log, -math.inf))

    assert phases.worst_change(never, 3, np.array([0.0, 0.5]), 0.5, 1.0).kept != (1,)


def test_the_worst_phase_is_looked_for_at_both_ends_and_in_the_middle() -> None:
    """At multiples of 1/20: at the ends and half a width, one and two from there, and at 1/2; one reward changes."""
    asked = []

    class Soft:
        """What a search asks of a policy."""

        def numbers(self, epoch: int, active: int) -> Any:
            assert (epoch, active) == (2, 3)
            return SimpleNamespace(rounds=20, width=0.21)

        def survival(self, epoch: int, means: Any) -> Chances:
            asked.append((epoch, means))
            return soft(means)

    policy: Any = Soft()
    phase = phases.worst_phase(policy, 2, 3)
    assert (phase.epoch, phase.changed - phase.means[0]) in ((2, -0.05), (2, pytest.approx(0.05, rel=1e-12)))
    (epoch, before), (again, after) = asked
    assert epoch == again == 2
    assert np.unique(before * 20).tolist() == pytest.approx([0, 2, 4, 8, 10, 12, 16, 18, 20], rel=1e-12)
    assert (np.abs(after - before) * 20).sum(axis=1) == pytest.approx(1, rel=1e-12)
    assert after.max() <= 1


@pytest.mark.parametrize(
    ("means", "changed"), [((0.25, 0.75, 0.5), 0.5), ((1.0, 0.0, 0.25), 0.75), ((0.25, 1.0, 1.0), 0.0)]
)
def test_the_tables_of_a_phase_have_its_means(means: tuple[float, ...], changed: float) -> None:
    """Of four rewards for each arm, and nothing after them: one of arm 0's goes from 0 to 1, or from 1 to 0."""
    numbers = {(1, 3): SimpleNamespace(rounds=4)}  # of epoch 1 and three arms
    policy: Any = SimpleNamespace(arms=3, horizon=20, numbers=lambda *of: numbers[of])
    phase = phases.Phase(phases.Loss(0.0, 1.0), 1, means, changed, (0,))
    pair = phases.tables_of_phase(policy, phase)
    left, right = (np.repeat(side, pair.lengths, axis=1) for side in (pair.left, pair.right))
    assert left.shape == right.shape == (3, 20)
    assert (left[:, :4].mean(axis=1) == means).all()
    assert (right[:, :4].mean(axis=1) == (changed, *means[1:])).all()
    assert not left[:, 4:].any()
    assert (left != right).sum() == 1
    with pytest.raises(ValueError, match="the number of arms left in phase 1 is 2; tables can"):
        phases.tables_of_phase(policy, phase._replace(means=means[:2]))


def test_more_transcripts_than_can_be_followed_are_refused() -> None:
    """Of two arms, the first phase keeps the one, the other, or both."""
    policy, pair = DPSE(2, 600, 1.0, 0.5, SMALL), phases.flipped("pull", np.zeros((2, 600)), 0, 0, 1.0)
    with pytest.raises(ValueError, match="step 2: there are more than 2 transcripts; give fewer arms,"):
        phases.chains(policy, pair, most=2)
    many = len(phases.chains(policy, pair).left)
    assert len(phases.chains(policy, pair, most=many).left) == many


# -- profiles ----------------------------------------------------------------------------------------------------------


def test_the_worst_event_speaks_for_the_direction_in_which_it_shows_more() -> None:
    """At eps = log 2: 0.7 - 2 * 0.2 one way, 0.7 - 2 * 0.2 + 0.1 - 2 * 0.02 the other."""
    left, right = np.array([0.2, 0.08, 0.02, 0.7]), np.array([0.7, 0.0, 0.1, 0.2])
    found = worst_event(ExactProfile(MeasurePair(left, right), MeasurePair(left, right)), math.log(2))
    assert (found.indices, found.swapped) == ((1, 3), False)
    assert found.delta == pytest.approx(0.38, rel=1e-12)
    left[1], right[1] = 0.0, 0.0
    for sides, swapped in (((left, right), True), ((right, left), False)):
        found = worst_event(ExactProfile(MeasurePair(*sides), MeasurePair(*sides)), math.log(2))
        assert (found.indices, found.swapped) == ((0, 2), swapped)
        assert found.delta == pytest.approx(0.36, rel=1e-12)
    same = worst_event(ExactProfile(MeasurePair(left[::3], right[::3]), MeasurePair(left[::3], right[::3])), 0.0)
    assert (same.indices, same.swapped) == ((1,), False)


def test_a_pass_is_as_deep_as_it_is_asked_to_be() -> None:
    """By itself where its states are few; and it knows no tail where it is not."""
    policy, pair = ALGORITHM_1(2, 5), flipped("pull", np.zeros((2, 5)), 1, 0, 1.0)
    assert exact_profile(policy, pair, deep=False).tail is None
    assert exact_profile(policy, pair, deep=True).tail is not None
    states = unfold_states(state_graph(policy, pair), 1000)[0]
    assert exact_profile(policy, pair).tail is not None
    assert exact_profile(policy, pair, most=states).tail is not None
    with pytest.raises(TooManyStates, match=f"more than {states - 1} states to follow"):
        exact_profile(policy, pair, most=states - 1)


@pytest.mark.parametrize("prune", [0.9, 1e-3])
def test_little_more_mass_is_left_out_than_is_allowed(prune: float) -> None:
    """Far less, for what is left out is counted cell by cell; but something is, where so much may be."""
    table = np.repeat([[1.0], [0.0]], 20, axis=1)
    found = exact_profile(ALGORITHM_1(2, 20), flipped("pull", table, 1, 0, 1.0), prune=prune, deep=False)
    for gone in (found.lost, found.missing):
        assert 1e-4 * prune < gone[0] < prune / 10
        assert 1e-4 * prune < gone[1] < prune / 10


def test_orders_of_the_tail_reach_from_1_to_three_horizons_and_are_mirrored() -> None:
    for horizon in (1, 500):
        orders = tail_orders(horizon)
        above = orders[orders > 1]
        assert above.min() == pytest.approx(1.1, rel=1e-12)
        assert above.max() == pytest.approx(3 * horizon + 11, rel=1e-12)
        assert len(above) == 30
        assert sorted(1 - orders[orders < 0]) == pytest.approx(sorted(above), rel=1e-12)
        assert len(orders) == 60


@pytest.mark.parametrize("alpha", [1.0, 0.5, math.nan])
def test_divergences_have_orders_above_1(alpha: float) -> None:
    law = MeasurePair(np.array([0.5, 0.5]), np.array([0.25, 0.75]))
    with pytest.raises(ValueError, match="give a Renyi order above 1"):
        ExactProfile(law, law).renyi(alpha)


def test_a_divergence_is_known_where_no_mass_is_lost_on_the_left_and_nothing_is_blurred() -> None:
    law = MeasurePair(np.array([0.5, 0.3, 0.2]), np.array([0.25, 0.35, 0.4]))
    exact = math.log(0.5**3 / 0.25**2 + 0.3**3 / 0.35**2 + 0.2**3 / 0.4**2) / 2
    low, high = ExactProfile(law, law).renyi(3.0)
    assert low <= exact <= high <= exact * (1 + 1e-12)
    assert ExactProfile(law, law, lost=(0.0, 1e-9)).renyi(3.0) == (low, high)
    assert ExactProfile(law, law, lost=(1e-9, 0.0)).renyi(3.0) == (low, math.inf)
    assert ExactProfile(law, law, absolute_error=1e-9).renyi(3.0) == (0.0, math.inf)


def test_the_slack_of_a_divergence_counts_every_exponential_by_its_size() -> None:
    """Eight units of the largest factors' logarithm, and four for each of n terms, of 1 and of the sum's size."""
    left = np.linspace(1, 2, 500) / 750
    right = left[::-1] * 1e-3
    profile, alpha = ExactProfile(MeasurePair(left, right), MeasurePair(left, right)), 50.0
    low, high = profile.renyi(alpha)
    log = np.logaddexp.reduce(alpha * np.log(left) + (1 - alpha) * np.log(right))
    factors = alpha * np.abs(np.log(left)) + (alpha - 1) * np.abs(np.log(right))
    slack = 2.0**-53 * (8 * factors.max() + 4 * 500 * (1 + log))
    assert (high - low) * (alpha - 1) / 2 == pytest.approx(slack, rel=0.01)


def test_moments_show_a_mu_also_where_no_loss_is_large() -> None:
    """Losses of 1/2 and -0.6: the true delta is that of no smaller mu than what its moments show, which is most."""
    share = math.expm1(0.6) / (math.exp(0.6) - math.exp(-0.5))  # so that both sides have all of their mass
    left, losses = np.array([share, 1 - share]), np.array([0.5, -0.6])
    orders = 1 + np.append(0.0, np.geomspace(0.1, 3000, 40))
    moments = np.logaddexp.reduce(np.log(left) + (orders[:, None] - 1) * losses, axis=1)
    tail = TailBound(orders, moments, moments, -0.6, 0.5, 0.0)
    law = MeasurePair(left, left * np.exp(-losses))
    shown = ExactProfile(
        MeasurePair(np.ones(1), np.ones(1)), MeasurePair(np.ones(1), np.ones(1)), tail=tail
    ).mu_low_from_tail()
    exact = ExactProfile(law, law).mu_low_from_delta()
    assert 0.8 * exact < shown <= exact * (1 + 1e-6)


def test_a_blur_that_leaves_nothing_leaves_no_curve() -> None:
    law = MeasurePair(np.array([0.5, 0.5]), np.array([0.25, 0.75]))
    assert ExactProfile(law, law, absolute_error=0.9).tradeoff_low() == [(0.0, 0.0), (1.0, 0.0)]
    above = ExactProfile(law, law, absolute_error=0.9).tradeoff_high()[1:-1]
    assert all(0.9 <= end <= 1 for point in above for end in point)
    assert ExactProfile(law, law, absolute_error=0.1).tradeoff_low()[0][1] > 0.5


@pytest.mark.parametrize("rare", [1e-12, 1e-26, 1e-200])
def test_the_low_curve_stays_low_where_one_side_all_but_excludes_what_the_other_does(rare: float) -> None:
    """Rejecting but the last outcome: alpha is 0.9, and beta `rare`, which is 0 beside the other numbers."""
    law = MeasurePair(np.array([0.2, 0.7, 0.1]), np.array([0.3, 0.7, rare]))
    low, high = (np.transpose(curve) for curve in ExactProfile(law, law).tradeoff())
    alpha = np.array([0.0, 0.2, 0.5, 0.9, 0.95, 1.0])
    truth = np.interp(alpha, [0, 0.2, 0.9, 1], [1, 0.7, rare, 0])
    assert (np.interp(alpha, *low) <= truth + 1e-12).all()
    assert (truth <= np.interp(alpha, *high) + 1e-12).all()
    assert np.interp(0.5, *low) == pytest.approx(0.4, rel=1e-9)


def test_the_low_curve_has_the_corners_of_a_few_outcomes() -> None:
    """The tests of Neyman and Pearson: the outcomes are rejected one after the other, by their ratios."""
    left, right = np.array([0.05, 0.15, 0.2, 0.25, 0.35]), np.array([0.4, 0.3, 0.15, 0.1, 0.05])
    low = np.transpose(ExactProfile(law := MeasurePair(left, right), law).tradeoff_low())
    assert np.interp(np.cumsum(left)[:-1], *low) == pytest.approx(1 - np.cumsum(right)[:-1], rel=1e-9)
    assert np.interp(0.3, *low) == pytest.approx((0.3 + 0.15) / 2, rel=1e-9)


# -- shifts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [[-1.0], [1.0, math.nan], [math.inf]])
def test_sizes_of_shifts_are_finite_and_not_negative(sizes: list[float]) -> None:
    for kind in ("normal", "laplace"):
        with pytest.raises(ValueError, match="kind must be normal or laplace, and sizes must be finite and at least 0"):
            shifted_noise_profile(kind, sizes)
    with pytest.raises(ValueError, match="shifts have kind 'gaussian' and sizes"):
        shifted_noise_profile("gaussian", [1.0])


def test_shifts_that_no_double_holds_have_no_profile() -> None:
    """A ratio of e^600, or a mass of e^-(d/2) 2^-n, whichever comes first; and shifts by nothing are none."""
    assert shifted_noise_profile("laplace", [MAX_SHIFT_SUM / 2, MAX_SHIFT_SUM / 2]) is not None
    assert shifted_noise_profile("laplace", [MAX_SHIFT_SUM / 2, MAX_SHIFT_SUM / 2 + 1e-9]) is None
    few = int(MAX_SHIFT_SUM / math.log(2) / 2) + 10
    assert shifted_noise_profile("laplace", [2 * (MAX_SHIFT_SUM - few * math.log(2)) / few * 1.001] * few) is None
    assert shifted_noise_profile("laplace", [2 * (MAX_SHIFT_SUM - few * math.log(2)) / few * 0.999] * few) is not None
    assert shifted_noise_profile("normal", [0.0, 0.0]) is shifted_noise_profile("laplace", []) is None
    assert shifted_noise_profile("normal", [3.0, 0.0, 4.0]) == NormalShift(5.0)
    assert shifted_noise_profile("normal", [1000.0]) is not None


def test_where_all_of_a_delta_cancels_its_first_term_is_left() -> None:
    """Of Phi(m/2 - eps/m) - e^eps Phi(-m/2 - eps/m) the high end is the first one and a few units, the low end 0."""
    for eps, first in ((0.0, 0.5), (3e-17, ndtr(-3.0)), (-2e-17, ndtr(2.0))):
        low, high = NormalShift(1e-17).delta(eps)
        assert low == 0
        assert first <= high <= first * (1 + 1e-13)


@pytest.mark.parametrize("distance", [0.3, 2.0])
def test_the_polylines_of_a_normal_shift_are_close(distance: float) -> None:
    """Tangents below and chords above, at 241 points: they part by the square of what lies between these."""
    low, high = NormalShift(distance).tradeoff()
    alpha = ndtr(np.linspace(-5, 4, 400))
    beta = ndtr(-ndtri(alpha) - distance)
    below, above = (np.interp(alpha, *zip(*line, strict=True)) for line in (low, high))
    assert (below <= beta * (1 + 1e-9)).all()
    assert (beta <= above * (1 + 1e-9)).all()
    assert (above - below).max() < 6e-4 * distance


# -- hidden means ------------------------------------------------------------------------------------------------------


def test_a_release_is_drawn_from_what_can_happen() -> None:
    """In the order of the outcomes; a number that rounding left above all chances stands for the last possible one."""
    counts = np.broadcast_to([[1, 0], [0, 1], [2, 0], [0, 2]], (5, 4, 2))
    chance = np.array([[0.25, 0.5, 0.25, 0.0]] * 4 + [[0.0, 1.0 - 1e-12, 0.0, 0.0]])

    class Known(ByComparisons):
        def law(self, t: int, state: Any) -> Law:
            return Law(counts, chance, None, 0.0, 0.0)

    policy = Known(AnytimeLazyUCB(2, 10))
    noise: Any = SimpleNamespace(uniform=lambda *_: np.array([0.0, 0.25, 0.74, 0.75, 1.0 - 1e-13]))
    released = policy.act(1, policy.init(5), noise).counts
    assert released.tolist() == [[1, 0], [0, 1], [0, 1], [2, 0], [0, 1]]


def test_two_arms_have_a_law_by_comparisons_and_more_have_none() -> None:
    two = AnytimeLazyUCB(2, 10)
    assert of_two(two) == ByComparisons(two)
    assert of_two(AnytimeLazyUCB(3, 10)) is None
    found = ByComparisons(two)
    assert (found.arms, found.horizon) == (2, 10)
    assert found.init(3).past.shape == (3, 10, 6)
    assert found.act(1, found.init(3), Seeded(0, 3)).counts.shape == (3, 2)


def test_the_hidden_means_of_a_known_run_are_without_noise() -> None:
    quiet = Quiet(3)
    for draw in (quiet.normal, quiet.laplace, quiet.uniform):
        assert draw("means", 1, (2,)).tolist() == [[0.0, 0.0]] * 3
        assert draw("release", 4).tolist() == [0.0] * 3


def test_an_outcome_that_nothing_leads_to_shows_nothing() -> None:
    """Twice the same pulls, of which one needs a difference between 2 and 2; and longer blocks of other arms."""
    counts = np.array([[[1, 0], [1, 0], [0, 2], [2, 1]]])
    ways = Comparing(counts, np.array([[2.0, 0.0, -math.inf, -5.0]]), np.array([[2.0, 1.0, 0.0, 7.0]]))
    assert interval(ways, Pulls(np.array([[1, 0]]))).tolist() == [[0.0, 1.0]]
    assert interval(ways, Pulls(np.array([[0, 1]]))).tolist() == [[-math.inf, 0.0]]
    assert interval(ways, Pulls(np.array([[1, 1]]))).tolist() == [[-5.0, 7.0]]
    assert interval(ways, Pulls(np.array([[2, 0]]))).tolist() == [[-math.inf, math.inf]]


# -- what a law says that it may be wrong by ---------------------------------------------------------------------------


class Seen(NamedTuple):
    last: Any


@dataclass(frozen=True)
class Halves:
    """Two pulls; the law says halves of either, and of the second, after what the first paid, no more than `error`."""

    error: float
    arms: int = 2
    horizon: int = 2

    def init(self, trials: int) -> Seen:
        return Seen(np.full(trials, -1.0))

    def law(self, t: int, state: Seen) -> Law:
        return one_arm(np.full((len(state.last), 2), 0.5), error=self.error if t == 2 else 0.0, absolute_error=0.0)

    def act(self, t: int, state: Seen, noise: Any) -> Pulls:
        raise NotImplementedError

    def learn(self, t: int, state: Seen, pulls: Pulls, sums: Any, noise: Any) -> Seen:
        return Seen(sums.sum(axis=1))


@pytest.mark.parametrize("error", [0.01, 0.5, 0.75])
def test_a_law_that_may_be_wrong_by_a_share_of_its_chances_may_be_so_downwards(error: float) -> None:
    """Stated are halves: of a half, (1 - error)/2 may be true on one side, and the rest on the other."""
    policy = Halves(error)
    truth = math.log((1 + error) / (1 - error))
    found = exact_profile(policy, flipped("pull", np.zeros((2, 2)), 0, 0, 1.0)).eps(0.0)
    assert found[0] == 0
    assert truth < found[1] < -2 * math.log1p(-error) + 1e-9
