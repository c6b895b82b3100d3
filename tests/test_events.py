"""Certified events: what cannot be seen counts for the claim, the level is kept, and overfitting is not rewarded."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from dpbandits import Approximate, Gaussian, Seeded
from dpbandits.audit.statistics.events import (
    ALPHA_WEIGHTS,
    CAUTIOUS_LEVEL,
    MAIN_SHARE,
    MINOR_TESTS,
    Event,
    certify_tests,
    count_errors,
    even_ranks,
    plan_tests,
    plan_tests_by_scores,
    require_finite,
)
from dpbandits.audit.statistics.region import excess_over_region, joint_region, planned_region, probability_upper_limit
from dpbandits.audit.statistics.resolution import min_caught_violations
from dpbandits.reference.bandits.noise import Array, address

LEVEL = 1e-3


def sides(trials: int, mu: float, seed: int = 0) -> tuple[Array, Array]:
    left, right = (Seeded(address(seed, side), trials).normal("x", 0) for side in ("left", "right"))
    return left, right + mu


def test_a_score_that_is_no_number_is_an_error_of_every_test() -> None:
    """2000 trials a side that nothing tells apart, all nan: no test of them is without errors."""
    nothing = np.full(2_000, np.nan)
    found = certify_tests(nothing, nothing, (Event(0.0, LEVEL),), Gaussian(0.1), LEVEL)
    assert (found.best.alpha, found.best.beta) == (1.0, 1.0)
    assert float(found.excess.shown) == 0


@pytest.mark.parametrize("spoilt", ["left", "right", "both"])
def test_nan_never_helps_to_refute(spoilt: str) -> None:
    left, right = sides(4_000, 1.0)
    whole = certify_tests(left, right, (Event(0.5, LEVEL),), Gaussian(0.5), LEVEL)
    left, right = left.copy(), right.copy()
    left[::10] = np.nan if spoilt != "right" else left[::10]
    right[::10] = np.nan if spoilt != "left" else right[::10]
    found = certify_tests(left, right, (Event(0.5, LEVEL),), Gaussian(0.5), LEVEL)
    assert found.best.alpha >= whole.best.alpha
    assert found.best.beta >= whole.best.beta
    assert float(found.excess.shown) < float(whole.excess.shown)


def test_thresholds_count_as_certification_does() -> None:
    left, right = (side.copy() for side in sides(500, 1.0))
    left[:50], right[:20] = np.nan, np.nan
    cuts = np.array([-1.0, float(left[60]), 2.0])
    alpha, beta = count_errors(left, right, cuts)
    for place, cut in enumerate(cuts):
        point = certify_tests(left, right, (Event(float(cut), LEVEL),), Gaussian(1.0), LEVEL).best
        assert (alpha[place] / 500, beta[place] / 500) == (point.alpha, point.beta)


def test_scores_none_of_which_is_a_number_are_an_error() -> None:
    nothing = np.full(10, np.nan)
    with pytest.raises(ValueError, match="all scores of the search trials are nan"):
        plan_tests_by_scores(nothing, nothing, Gaussian(1.0), 100, LEVEL)


def test_a_score_of_ours_must_be_finite() -> None:
    assert (require_finite(np.arange(3.0), "here") == np.arange(3)).all()
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match=r"here: the score of trial 1 is"):
            require_finite(np.array([0.0, bad]), "here")


def test_infinite_scores_are_told_apart() -> None:
    """An output that only the right side has is the best event there is."""
    left = np.zeros(1_000)
    right = np.where(np.arange(1_000) % 2, np.inf, 0.0)
    events = plan_tests_by_scores(left, right, Approximate(1.0), 1_000, LEVEL)
    assert events[0].cut == np.inf
    assert certify_tests(left, right, events, Approximate(1.0), LEVEL).best.alpha == 0


@pytest.mark.parametrize("curve", [Gaussian(1.0), Approximate(1.0, 0.0), Approximate(0.5, 0.1)])
def test_the_tests_of_an_audit_spend_its_level_and_no_more(curve: Gaussian | Approximate) -> None:
    left, right = sides(1_000, 1.5)
    events = plan_tests_by_scores(left, right, curve, 3_000, LEVEL)
    assert 0.9 * LEVEL < sum(event.level for event in events) <= LEVEL * (1 + 1e-12)
    assert events[0].level == pytest.approx(MAIN_SHARE * LEVEL)
    assert all(0 < event.weight < 1 for event in events)
    with pytest.raises(
        ValueError, match=r"the error probabilities of the events have the sum .*; the sum must be at most the level"
    ):
        certify_tests(left, right, events, curve, LEVEL / 2)


def test_a_point_is_its_events_region() -> None:
    left, right = sides(1_000, 1.0)
    event = Event(0.3, 1e-4, 0.8)
    (point,) = certify_tests(left, right, (event,), Gaussian(1.0), LEVEL).points
    wrong = int((left >= 0.3).sum()), int((right < 0.3).sum())
    assert (point.alpha, point.beta) == (wrong[0] / 1_000, wrong[1] / 1_000)
    for found, wanted in zip(point.region, joint_region(*wrong, 1_000, 1e-4, 0.8), strict=True):
        assert found.tolist() == wanted.tolist()


def test_the_resolution_is_that_of_the_fresh_trials_and_the_main_test() -> None:
    left, right = sides(1_000, 1.0)
    events = plan_tests_by_scores(left, right, Gaussian(1.0), 1_000, LEVEL)
    found = certify_tests(left, right, events, Gaussian(1.0), LEVEL)
    assert found.resolutions == min_caught_violations(Gaussian(1.0), 1_000, LEVEL * MAIN_SHARE)
    assert found.trials == 1_000


def test_the_region_leans_to_the_error_that_decides() -> None:
    """eps = log((1 - beta)/alpha): where alpha is small and beta a half, alpha's limit is what hurts; and mirrored."""
    for alpha, beta, side in ((0.01, 0.5, 1), (0.5, 0.01, -1)):
        best = plan_tests(np.zeros(1), np.array([alpha]), np.array([beta]), Approximate(1.0), 10_000, LEVEL)[0]
        assert side * (best.weight - 0.5) > 0


def test_sides_of_different_lengths_are_an_error() -> None:
    for left, right in ((np.zeros(3), np.zeros(4)), (np.zeros(0), np.zeros(0))):
        with pytest.raises(ValueError, match="must be equal and at least 1"):
            certify_tests(left, right, (Event(0.0, LEVEL),), Gaussian(1.0), LEVEL)


@pytest.mark.thorough
def test_the_choice_does_not_chase_luck() -> None:
    """Laplace noise, eps = 1.25 where 1 is claimed. The event "beyond 1.25" certifies most on average, by the exact
    errors; a choice that trusted the raw frequencies of rare events would lose a tenth of it now and then."""
    shift, trials, search = 1.25, 40_000, 10_000
    best = joint_region(round(0.5 * np.exp(-shift) * 30_000), 15_000, 30_000, 0.05, 0.65)
    hoped = float(excess_over_region(Approximate(1.0), best).shown)
    shown = []
    for seed in range(8):
        left, right = (Seeded(address(seed, side), trials).laplace("x", 0) for side in ("left", "right"))
        right = right + shift
        events = plan_tests_by_scores(left[:search], right[:search], Approximate(1.0), trials - search, 0.05)
        shown.append(float(certify_tests(left[search:], right[search:], events, Approximate(1.0), 0.05).excess.shown))
    # Each varies by about 0.016, the standard deviation of log(alpha) at these trials.
    assert np.median(shown) > hoped - 3 * 0.016
    assert min(shown) > hoped - 6 * 0.016


# -- which tests ---------------------------------------------------------------------------------------------------


def amounts(alpha: Array, beta: Array, curve: Gaussian | Approximate, fresh: int, weight: float) -> Array:
    """What each test should certify about a claim, by the outline of its region with this weight."""
    likely = planned_region(alpha * fresh, beta * fresh, fresh, MAIN_SHARE * LEVEL, weight)
    return np.asarray(excess_over_region(curve, likely).amount)


@pytest.mark.parametrize("curve", [Gaussian(0.8), Approximate(1.0), Approximate(0.5, 0.1)], ids=str)
@pytest.mark.parametrize("mu", [0.7, 1.5, 3.0])
@pytest.mark.first(3)
def test_the_main_test_is_the_best_of_all_with_its_best_weight(curve: Gaussian | Approximate, mu: float) -> None:
    """Against all tests with all weights; the others have errors of 2 % and 20 % on either side, and share the rest."""
    cuts = np.linspace(-3, 3 + mu, 200)
    alpha, beta = ndtr(-cuts), ndtr(cuts - mu)
    main, *others = plan_tests(cuts, alpha, beta, curve, 3_000, LEVEL)
    every = {weight: amounts(alpha, beta, curve, 3_000, weight) for weight in ALPHA_WEIGHTS}
    most = max(float(each.max()) for each in every.values())
    assert every[main.weight][int(np.argmin(np.abs(cuts - main.cut)))] == pytest.approx(most, abs=1e-9)
    wanted = {float(cuts[np.abs(error - share).argmin()]) for error in (alpha, beta) for share in (0.02, 0.2)}
    assert {event.cut for event in others} == wanted - {main.cut}
    assert all(event.level == pytest.approx(LEVEL * 0.04 / 4) and event.weight == 0.5 for event in others)
    assert MINOR_TESTS == 4


def test_every_weight_is_the_best_one_somewhere() -> None:
    """Errors from one in a thousand to nearly one, on either side."""
    found = set()
    for alpha in (1e-3, 0.01, 0.05, 0.2, 0.6):
        for beta in (1e-3, 0.01, 0.05, 0.2, 0.6):
            for curve in (Approximate(0.1), Approximate(0.1, 1e-2), Gaussian(0.1)):
                found.add(plan_tests(np.zeros(1), np.array([alpha]), np.array([beta]), curve, 3_000, LEVEL)[0].weight)
    assert found == set(ALPHA_WEIGHTS)


def test_among_few_scores_every_threshold_is_looked_at_with_cautious_errors() -> None:
    left, right = (side.round(1) for side in sides(300, 1.2))
    cuts = np.unique(np.concatenate([left, right]))
    wrong = [(left[:, None] >= cuts).sum(axis=0), (right[:, None] < cuts).sum(axis=0)]
    alpha, beta = (probability_upper_limit(each, 300, 0.01) for each in wrong)
    assert plan_tests_by_scores(left, right, Gaussian(0.5), 2_000, LEVEL) == plan_tests(
        cuts, alpha, beta, Gaussian(0.5), 2_000, LEVEL
    )
    assert CAUTIOUS_LEVEL == 0.01


def test_of_many_scores_all_in_the_tails_are_thresholds_and_even_steps_between() -> None:
    ranks = np.unique(np.rint(even_ranks(10_000) * 9_999).astype(int))
    assert len(even_ranks(10_000)) == 400
    assert ranks[:60].tolist() == list(range(60))
    assert ranks[-60:].tolist() == list(range(9_940, 10_000))
    assert np.diff(ranks).max() <= 37  # 9999/279, rounded to a rank on either side


def test_no_threshold_in_the_tails_is_skipped() -> None:
    """What twenty-five of 5000 trials a side do, all of them on the right: the first of their scores is the cut."""
    left, right = sides(5_000, 0.0)
    right[:25] = 100 + np.arange(25)
    (main, *_) = plan_tests_by_scores(left, right, Approximate(0.5), 20_000, LEVEL)
    assert main.cut == 100


def test_the_best_point_is_the_one_that_says_most() -> None:
    left, right = sides(2_000, 1.5)
    events = tuple(Event(cut, LEVEL / 3) for cut in (-1.0, 0.75, 2.5))
    found = certify_tests(left, right, events, Gaussian(1.0), LEVEL)
    amounts_ = [float(excess_over_region(Gaussian(1.0), point.region).amount) for point in found.points]
    assert amounts_.index(max(amounts_)) == 1
    assert found.best is found.points[1]
    assert float(found.excess.amount) == max(amounts_)
    with pytest.raises(ValueError, match=r"the events have the sum 0\.001; the sum must be at most the level 0\.00099"):
        certify_tests(left, right, events, Gaussian(1.0), LEVEL * 0.99)
    with pytest.raises(ValueError, match=r"the error probabilities of the events have the sum"):
        certify_tests(left, right, events, Gaussian(1.0), LEVEL * (1 - 1e-6))
