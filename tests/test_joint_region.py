"""The joint region of two errors: it misses the truth no more often than its level says, and its corners miss none
of it."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from flint import arb, ctx
from scipy.integrate import quad
from scipy.stats import binom

from dpbandits import Approximate, Gaussian
from dpbandits.audit.statistics.events import ALPHA_WEIGHTS
from dpbandits.audit.statistics.region import (
    EVEN_WEIGHT,
    PLANNED_POINTS,
    REGION_CORNERS,
    ROUNDING_SHARE,
    Region,
    certify_point,
    edge_p_values,
    excess_at_errors,
    excess_over_region,
    joint_region,
    log_edge,
    log_risk_of_edge,
    planned_region,
    probability_upper_limit,
    raised_upper_limit,
    weakest_corner,
)
from dpbandits.audit.statistics.resolution import SYMMETRIC_WEIGHTS as RESOLVED
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.curves import Curve
from dpbandits.reference.curves.extremal_mechanisms import laplace_errors, normal_errors, randomized_response_errors

LEVEL = 0.2  # enlarged, so that misses can be counted
ATTAINED: list[tuple[Curve, tuple[Array, Array]]] = [
    (Gaussian(1.0), normal_errors(np.array([1.0]))),
    (Approximate(1.0), laplace_errors(np.array([1.0]), np.zeros(1))),
    (Approximate(2.0, 0.1), randomized_response_errors(np.array([2.0]), np.array([0.1]))),
]


@pytest.mark.parametrize("weight", [0.2, 0.35, 0.5, 0.8, 0.5 + 1e-9])
@pytest.mark.parametrize("edge", [-0.1, -3.0, -25.0])
def test_the_level_of_an_edge_is_an_integral(weight: float, edge: float) -> None:
    """P(U^w V^(1 - w) <= s), over V given U = e^-t; where U^w <= s, every V will do."""
    free = -edge / weight
    whole = exp(-free) + quad(lambda t: exp(-t + (edge + weight * t) / (1 - weight)), 0.0, free, epsabs=0)[0]
    assert log_risk_of_edge(edge, weight) == pytest.approx(log(whole), abs=1e-7)
    assert log_edge(whole, weight) == pytest.approx(edge, abs=1e-6)


def test_an_even_edge_is_fishers() -> None:
    """u (1 - log u) = level of the product u of both p-values."""
    product = exp(2 * log_edge(1e-9, EVEN_WEIGHT))
    assert product * (1 - log(product)) == pytest.approx(1e-9, rel=1e-9, abs=0)


@pytest.mark.parametrize(("level", "weight"), [(0.0, 0.5), (1.0, 0.5), (0.1, 0.0), (0.1, 1.0), (float("nan"), 0.5)])
def test_an_edge_has_a_level_and_a_weight(level: float, weight: float) -> None:
    with pytest.raises(ValueError, match="both must lie strictly between 0 and 1"):
        log_edge(level, weight)


def chances(trials: int, alpha: float, beta: float) -> Array:
    """Of every pair of counts, (trials + 1, trials + 1)."""
    counts = np.arange(trials + 1)
    return np.outer(binom.pmf(counts, trials, alpha), binom.pmf(counts, trials, beta))


def every_region(trials: int, weight: float) -> Region:
    """That of every pair of counts, (trials + 1, trials + 1, corners)."""
    counts = np.arange(trials + 1)
    return joint_region(counts[:, None], counts[None, :], trials, LEVEL, weight)


@pytest.mark.parametrize("weight", ALPHA_WEIGHTS)
@pytest.mark.parametrize("trials", [2, 9])
def test_a_mechanism_that_attains_its_claim_is_accused_at_most_as_often_as_the_level_says(
    trials: int, weight: float
) -> None:
    """By enumeration of all counts, at the tests of mechanisms that attain their claims: no sampling, no tolerance but
    that of adding up."""
    regions = every_region(trials, weight)
    for curve, errors in ATTAINED:
        accused = excess_over_region(curve, regions).amount > 1e-12  # what is claimed attains itself up to rounding
        worst = max(float(chances(trials, a, b)[accused].sum()) for a, b in zip(*(e[0] for e in errors), strict=True))
        assert worst <= LEVEL, (curve, worst)


@pytest.mark.parametrize("weight", ALPHA_WEIGHTS)
def test_the_region_misses_any_truth_at_most_as_often_as_the_level_says(weight: float) -> None:
    """Whatever the two errors are, and nearly as often where counts are many: the level is not wasted."""
    trials, most = 150, 0.0
    counts = np.arange(trials + 1)
    edge = log_edge(LEVEL, weight)
    for alpha in (0.02, 0.3, 0.7):
        for beta in (0.01, 0.1, 0.5, 0.9):
            p_left, p_right = binom.cdf(counts, trials, alpha), binom.cdf(counts, trials, beta)
            with np.errstate(divide="ignore"):
                outside = weight * np.log(p_left)[:, None] + (1 - weight) * np.log(p_right) <= edge
            most = max(most, float(chances(trials, alpha, beta)[outside].sum()))
    assert 0.8 * LEVEL < most <= LEVEL


@pytest.mark.parametrize("weight", ALPHA_WEIGHTS)
@pytest.mark.parametrize(("left", "right", "trials"), [(0, 0, 30), (3, 11, 30), (30, 2, 30), (150, 7_000, 15_000)])
@pytest.mark.first(10)
def test_the_corners_exceed_everything_in_the_region(weight: float, left: int, right: int, trials: int) -> None:
    """Points all over the square, most of them next to the edge: whatever the definition puts into the region lies
    below and to the left of some corner; and the corners lie hardly beyond it."""
    level = 1e-6
    found = joint_region(left, right, trials, level, weight)
    random = np.random.default_rng(1)
    near = random.integers(0, REGION_CORNERS, 3_000)
    a = found.alpha[near] * random.uniform(0.97, 1.003, near.shape)
    b = found.beta[near] * random.uniform(0.97, 1.003, near.shape)
    a, b = np.clip(np.append(a, random.random(1_000)), 0, 1), np.clip(np.append(b, random.random(1_000)), 0, 1)
    with np.errstate(divide="ignore"):
        height = weight * binom.logcdf(left, trials, a) + (1 - weight) * binom.logcdf(right, trials, b)
    inside = height > log_edge(level, weight)
    assert 100 < inside.sum() < 3_900
    covered = ((a[:, None] <= found.alpha) & (b[:, None] <= found.beta)).any(axis=1)
    assert covered[inside].all()
    far = height < 1.05 * log_edge(level, weight)  # a twentieth beyond the edge
    assert not covered[far].any()


def test_the_corners_are_not_rounded_into_the_region() -> None:
    """Against ball arithmetic: the p-value of a corner's error is at most the one that was asked for, up to a hundredth
    of ROOM, and hardly less where doubles can say so."""
    ctx.prec = 200
    for count, trials in ((0, 15_000), (3, 900), (170, 15_000), (14_990, 15_000), (899, 900), (400_000, 1_500_000)):
        for level in (0.5, 1e-4, 1e-9, 1e-13, 1e-30, 1e-60):
            limit = float(raised_upper_limit(count, trials, np.float64(level)))
            # P(Bin(n, a) <= x) = I_(1 - a)(n - x, x + 1)
            true = (1 - arb(limit)).beta_lower(trials - count, count + 1, regularized=True)
            assert float(true / arb(level)) < 1 + ROUNDING_SHARE / 100, (count, trials, level, float(true))
            if limit < 0.999:
                assert float(true / arb(level)) > 1 - ROUNDING_SHARE, (count, trials, level, float(true))


def test_the_edge_runs_from_one_error_to_the_other() -> None:
    """At its ends one error is free, and the other has spent everything."""
    left, right = edge_p_values(1e-6, 0.8, np.linspace(0, 1, 5))
    edge = log_edge(1e-6 * (1 - ROUNDING_SHARE), 0.8)
    assert (left[0], right[-1]) == pytest.approx((1.0, 1.0))
    assert (np.log(left[-1]), np.log(right[0])) == pytest.approx((edge / 0.8, edge / 0.2))
    assert 0.8 * np.log(left) + 0.2 * np.log(right) == pytest.approx(edge)


def test_the_outline_lies_on_the_edge_and_says_nearly_what_the_corners_say() -> None:
    for curve in (Gaussian(1.0), Approximate(1.0), Approximate(1.0, 0.01)):
        rough = planned_region(700, 2_400, 15_000, 1e-9, 0.65)
        assert rough.alpha.shape == (PLANNED_POINTS,)
        exact, hoped = (
            float(excess_over_region(curve, each).shown)
            for each in (joint_region(700, 2_400, 15_000, 1e-9, 0.65), rough)
        )
        assert exact < hoped < 1.01 * exact


def test_the_outline_runs_the_same_from_either_error_to_the_other() -> None:
    """With the sides in the other order, and the weight of the other one; of a single point it is the middle."""
    for points in (1, 2, 7):
        one = planned_region(700, 2_400, 15_000, 1e-9, 0.65, points)
        other = planned_region(2_400, 700, 15_000, 1e-9, 0.35, points)
        assert other.alpha[::-1] == pytest.approx(one.beta, rel=1e-9)
        assert other.beta[::-1] == pytest.approx(one.alpha, rel=1e-9)
        assert (np.diff(one.alpha) > 0).all()
    middle = planned_region(700, 700, 15_000, 1e-9, 0.5, 1)
    assert middle.alpha == pytest.approx(middle.beta, rel=1e-9)


def test_the_corner_that_comes_nearest_shows_what_is_certified() -> None:
    for curve in (Gaussian(1.0), Approximate(1.0, 0.01)):
        point = certify_point(700, 2_400, 15_000, 1e-9)
        assert (point.alpha, point.beta) == (700 / 15_000, 2_400 / 15_000)
        nearest = weakest_corner(curve, point.region)
        assert float(excess_at_errors(curve, *nearest).shown) == float(excess_over_region(curve, point.region).shown)
        assert nearest in list(zip(*point.region, strict=True))
        assert max(nearest[0] / point.alpha, nearest[1] / point.beta) > 1


def test_where_nothing_is_shown_the_middle_of_the_edge_is_named() -> None:
    nearest = weakest_corner(Gaussian(1.0), certify_point(400, 400, 1_000, 1e-9).region)
    assert nearest[0] == pytest.approx(nearest[1], rel=0.01)


def test_two_limits_would_need_more() -> None:
    """The point of it all: where both errors decide, one region shows more than a limit for each of them."""
    for curve, counts in ((Gaussian(1.0), (4_000, 4_000)), (Approximate(1.0), (2_150, 7_500))):
        limits = (float(probability_upper_limit(count, 15_000, 1e-9 / 2)) for count in counts)
        joint = max(
            float(excess_over_region(curve, joint_region(*counts, 15_000, 1e-9, weight)).shown)
            for weight in ALPHA_WEIGHTS
        )
        assert joint > float(excess_at_errors(curve, *limits).shown) * 1.02


def test_every_weight_that_is_tried_has_its_mirror_image() -> None:
    """Which side is called left must not matter; a resolution's mechanisms are symmetric, and need one half."""
    assert {round(1 - weight, 9) for weight in ALPHA_WEIGHTS} == set(ALPHA_WEIGHTS)
    assert set(RESOLVED) == {weight for weight in ALPHA_WEIGHTS if weight >= EVEN_WEIGHT}
