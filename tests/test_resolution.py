"""Resolutions are true of the mechanisms that they name, and so are the trials that a violation needs."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, isnan
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ndtri
from scipy.stats import binom

from dpbandits import Approximate, Gaussian, Seeded, trials_needed
from dpbandits.audit.statistics import resolution
from dpbandits.audit.statistics.events import MAIN_SHARE, certify_tests, plan_tests_by_scores
from dpbandits.audit.statistics.region import planned_region
from dpbandits.audit.statistics.resolution import (
    RESOLUTION_POWER,
    Resolution,
    certified_with_power,
    claimed_points,
    min_caught_truth,
    min_caught_violations,
)
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.curves import Curve, Family, gaussian_delta
from dpbandits.reference.curves.extremal_mechanisms import MECHANISMS, gaussian_mu

SURE = 1e-6  # how improbable a failure of a statistical test here is, if the code is right
FRESH, SEARCH, LEVEL = 3_000, 1_000, 1e-6


def laplace_curve(m, delta):
    """(eps, delta) for pure 1-DP: the same eps at every delta."""
    return m.number(1) + 0 * delta


def smallest(shown: Callable[[Array], Array], claimed: Array) -> Array:
    """The naive twin of `min_caught_truth`: at every place the smallest truth of which more than `claimed` is shown, to
    4 digits of the excess; inf where not even claimed + WIDEST is."""
    width = np.ones(claimed.shape)
    while (short := (shown(claimed + width) <= claimed) & (width < resolution.MAX_SOUGHT_EXCESS)).any():
        width = np.where(short, 2 * width, width)
    low, high = np.zeros(claimed.shape), width
    never = shown(claimed + width) <= claimed
    for _ in range(resolution.EXCESS_BITS):
        middle = (low + high) / 2
        caught = shown(claimed + middle) > claimed
        low, high = np.where(caught, low, middle), np.where(caught, middle, high)
    return np.where(never, np.inf, claimed + high)


def scores(found: Resolution, seed: int) -> tuple[Array, Array]:
    """Likelihood ratios (up to a growing function) of the mechanism that a resolution names, written anew."""
    noise = [Seeded(address(seed, side), SEARCH + FRESH) for side in ("left", "right")]
    value, delta, mechanism = found
    if mechanism == "Gaussian":
        mu = value if isnan(delta) else float(gaussian_mu(np.array([value]), np.array([delta]))[0])
        return noise[0].normal("x", 0), noise[1].normal("x", 0) + mu
    if mechanism == "Laplace":
        shift = value - 2 * np.log1p(-delta)
        left, right = noise[0].laplace("x", 0), noise[1].laplace("x", 0) + shift
        return np.clip(left, 0, shift).round(9), np.clip(right, 0, shift).round(9)
    told = []
    for own, side in ((-1.0, noise[0]), (1.0, noise[1])):
        u = side.uniform("x", 0)
        truthful = delta + (1 - delta) / (1 + np.exp(-value))
        told.append(np.where(u < delta, 2 * own, np.where(u < truthful, own, -own)))
    return told[0], told[1]


def caught(found: Resolution, curve: Curve, audits: int) -> int:
    many = 0
    for seed in range(audits):
        left, right = scores(found, seed)
        events = plan_tests_by_scores(left[:SEARCH], right[:SEARCH], curve, FRESH, LEVEL)
        many += float(certify_tests(left[SEARCH:], right[SEARCH:], events, curve, LEVEL).excess.amount) > 0
    return many


@pytest.mark.parametrize("curve", [Gaussian(1.0), Approximate(1.0), Approximate(2.0, 1e-3)], ids=str)
@pytest.mark.thorough
def test_the_mechanism_at_the_resolution_is_caught_as_often_as_promised(curve: Curve) -> None:
    """The whole of an audit, its choice of a threshold included. 22 of 40 and fewer would be a chance below 1e-6."""
    audits = 40
    for found in min_caught_violations(curve, FRESH, LEVEL * MAIN_SHARE):
        assert caught(found, curve, audits) >= binom.ppf(SURE, audits, RESOLUTION_POWER), found


@pytest.mark.thorough
def test_the_test_above_could_fail() -> None:
    """The randomized response's number is no Laplace mechanism's, and far from a Gaussian one's."""
    response, laplace, gaussian = min_caught_violations(Approximate(2.0, 1e-3), FRESH, LEVEL * MAIN_SHARE)
    assert response.value < laplace.value < gaussian.value
    lie = response._replace(mechanism="Laplace")
    assert caught(lie, Approximate(2.0, 1e-3), 40) < binom.ppf(SURE, 40, RESOLUTION_POWER)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize(("eps", "delta"), [(0.5, 0.01), (1.0, 0.3), (3.0, 1e-4)])
def test_each_mechanism_has_the_eps_that_it_is_named_by(mechanism: str, eps: float, delta: float) -> None:
    """No test of it shows more than eps at delta, and some test shows nearly as much."""
    alpha, beta = (error[0] for error in MECHANISMS[mechanism](np.array([eps]), np.array([delta])))
    shown = 1 - beta - np.exp(eps) * alpha  # at most delta, for every test of an (eps, delta)-DP mechanism
    assert shown.max() <= delta * (1 + 1e-6)
    assert shown.max() > 0.9 * delta


def test_the_randomized_response_in_numbers() -> None:
    """eps = log 3, delta = 0.2: the truth in so many words in 1/5; of the rest, 3/4 true and 1/4 false."""
    alpha, beta = MECHANISMS["randomized response"](np.log([3.0]), np.array([0.2]))
    assert alpha[0] == pytest.approx([0.0, 0.2, 0.8])
    assert beta[0] == pytest.approx([0.8, 0.2, 0.0])


def test_the_gaussian_of_an_eps_and_delta() -> None:
    mu = gaussian_mu(np.array([1.0, 40.0]), np.array([1e-3, 0.5]))
    assert gaussian_delta(doubles, np.array([1.0, 40.0]), mu) == pytest.approx([1e-3, 0.5], rel=1e-6)


def test_the_errors_of_laplace_noise_are_integrals() -> None:
    alpha, beta = (error[0] for error in MECHANISMS["Laplace"](np.array([1.5]), np.array([0.0])))
    order = np.argsort(alpha)
    for a, b in zip(alpha[order], beta[order], strict=True):
        cut = -np.log(2 * a) if a < 0.5 else np.log(2 * (1 - a))
        whole = quad(lambda x: 0.5 * np.exp(-abs(x - 1.5)), -60, cut, points=sorted({0.0, 1.5, cut} - {cut}))[0]
        assert b == pytest.approx(whole, abs=1e-6)


def test_what_no_count_can_show_has_no_resolution() -> None:
    """With no errors at all, both may be 1 - u^(1/(2n)), where u (1 - log u) = level: mu is at most -2 Phi^-1 of it,
    and beyond that nothing can be caught."""
    product = brentq(lambda u: u * (1 - np.log(u)) - 1e-6, 1e-12, 1e-6, xtol=1e-20)
    most = -2 * ndtri(-np.expm1(np.log(product) / 2_000))
    assert min_caught_violations(Gaussian(most + 0.01), 1_000, 1e-6)[0].value == inf
    assert isfinite(min_caught_violations(Gaussian(most - 0.5), 1_000, 1e-6)[0].value)


@pytest.mark.thorough
def test_resolutions_exceed_the_claim_and_shrink_with_trials() -> None:
    few, many = (min_caught_violations(Approximate(1.0, 1e-3), trials, 1e-6) for trials in (2_000, 20_000))
    for less, more in zip(few, many, strict=True):
        assert 1.0 < more.value < less.value
    assert min(each.value for each in min_caught_violations(Family(laplace_curve, 0.0, 0.5), 20_000, 1e-6)) > 1.0


def test_a_family_without_a_number_has_no_resolution() -> None:
    empty = Family(lambda m, delta: m.log(delta), 0.1, 0.2)
    assert all(each.value == inf for each in min_caught_violations(empty, 1_000, 1e-6))


def test_pure_privacy_is_not_a_question_for_gaussian_noise() -> None:
    assert list(Approximate(1.0).extremal_mechanisms) == ["randomized response", "Laplace"]
    assert list(Approximate(1.0, 1e-9).extremal_mechanisms)[-1] == "Gaussian"
    assert list(Gaussian(1.0).extremal_mechanisms) == ["Gaussian"]


# -- the inverse -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("curve", [Gaussian(0.7), Approximate(1.0), Approximate(2.0, 1e-2)], ids=str)
@pytest.mark.first(1)
def test_the_trials_that_a_resolution_needs_are_its_own(curve: Gaussian | Approximate) -> None:
    """Counts are whole, so that what is shown moves in small steps: a tenth of room, far less than a factor."""
    for found in min_caught_violations(curve, FRESH, LEVEL):
        needed = trials_needed(curve, found.value, LEVEL, mechanism=found.mechanism)
        assert 0.9 * FRESH <= needed <= 1.1 * FRESH


def test_small_violations_high_powers_and_small_risks_need_more_trials() -> None:
    base = trials_needed(Gaussian(1.0), 1.2, 1e-3)
    assert 3 < trials_needed(Gaussian(1.0), 1.1, 1e-3) / base < 5  # the square of the distance
    assert trials_needed(Gaussian(1.0), 1.2, 1e-3, power=0.99) > base
    assert trials_needed(Gaussian(1.0), 1.2, 1e-9) > base


@pytest.mark.thorough
def test_what_trials_needed_says_is_caught_at_that_power(monkeypatch: pytest.MonkeyPatch) -> None:
    claimed, power, audits = Approximate(1.0), 0.6, 40
    violation = resolution.min_caught_violations(claimed, 1_000, 0.05)[1].value
    needed = trials_needed(claimed, violation, 0.05 * MAIN_SHARE, power=power)
    many = 0
    for seed in range(audits):
        noise = [Seeded(address(seed, side), needed + SEARCH) for side in ("left", "right")]
        left, right = noise[0].laplace("x", 0), noise[1].laplace("x", 0) + violation
        events = plan_tests_by_scores(left[:SEARCH], right[:SEARCH], claimed, needed, 0.05)
        many += float(certify_tests(left[SEARCH:], right[SEARCH:], events, claimed, 0.05).excess.amount) > 0
    assert many >= binom.ppf(SURE, audits, power)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((Gaussian(1.0), 1.0, 1e-6), "it must be finite and larger than the claimed 1.0"),
        ((Gaussian(1.0), inf, 1e-6), "it must be finite and larger than the claimed 1.0"),
        ((Approximate(2.0), 1.0, 1e-6), "it must be finite and larger than the claimed 2.0"),
        ((Gaussian(1.0), 2.0, 0.0), "risk is 0"),
        ((Gaussian(1.0), 2.0, 0.1, 1.0), "power is 1"),
        ((Gaussian(1.0), 2.0, 0.1, 0.9, "Laplace"), "one of the mechanisms Gaussian"),
        (
            (Gaussian(1.0), 1.0 + 1e-9, 1e-6),
            r"which cannot be distinguished from the claimed 1\.0 with up to 1e\+12 trials per side",
        ),
        (
            (Gaussian(1.0), 1.0 - 1e-9, 1e-6),
            r"violation is 0\.999999999; it must be finite and larger than the claimed 1\.0",
        ),
    ],
)
def test_questions_without_an_answer(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        trials_needed(*arguments)


def test_trials_are_asked_for_one_number() -> None:
    with pytest.raises(TypeError, match="not Family"):
        trials_needed(Family(laplace_curve, 0.0, 0.5), 2.0, 1e-6)  # type: ignore[arg-type]


# -- the parts -----------------------------------------------------------------------------------------------------


def test_the_smallest_truth_is_found_to_four_digits_of_its_excess() -> None:
    claimed = np.array([1.0, 0.0, 2.0, 0.5])
    kept = np.array([0.5, 0.9, 2.0 / 65.9, 2.0 / 66.1])  # of the truth, so much is shown

    def shown(value: Array) -> Array:
        return kept * (value if value[1] else value + 0) - np.array([0.0, 0.27, 0.0, 0.0])

    found = smallest(shown, claimed)
    wanted = np.array([2.0, 0.3, 65.9, 0.5 / kept[3]])
    assert found == pytest.approx(wanted, rel=0, abs=65 * 2.0**-14)
    for k in range(4):  # what is caught is caught: never a truth below the smallest one
        assert shown(found)[k] > claimed[k]
    assert smallest(lambda value: value - 63.9, np.array([1.0])) == pytest.approx([64.9], abs=64 * 2.0**-14)
    assert smallest(lambda value: value - 64.1, np.array([1.0])).tolist() == [inf]


@pytest.mark.parametrize("seed", range(30))
def test_the_least_excess_of_all_places_is_that_of_the_twin(seed: int) -> None:
    """Also where it is the same at several places, or where nothing is ever shown at some of them, or at all."""
    random = np.random.default_rng(seed)
    claimed, kept = random.choice([0.0, 0.1, 1.0, 3.0], 6), random.choice([0.01, 0.3, 0.5, 0.9, 1.0], 6)
    short = random.choice([0.0, 0.27, 70.0], 6) if seed else np.full(6, 700.0)
    asked = 0

    def shown(value: Array, some: Any) -> Array:
        nonlocal asked
        asked += len(some)
        return np.asarray(claimed[some] + kept[some] * (value - claimed[some]) - short[some])

    excesses = smallest(lambda value: shown(value, np.arange(6)), claimed) - claimed
    naive, asked = asked, 0
    value, place = min_caught_truth(shown, claimed)
    assert place == int(np.argmin(excesses))
    assert value - claimed[place] == excesses[place]
    assert asked < naive


def test_what_is_enough_ends_no_look_too_early() -> None:
    """Where less than enough is certified at some place all weights have their say: here another than the even one."""
    curve, value, at = Approximate(1.0), np.array([2.0, 3.0]), np.zeros(2)
    every = certified_with_power(curve, "Laplace", value, at, FRESH, LEVEL)
    for enough in (every, every - 1e-9, np.array([every[0] - 1e-3, 0.0])):
        found = certified_with_power(curve, "Laplace", value, at, FRESH, LEVEL, enough=enough)
        assert ((found > enough) == (every > enough)).all()


def test_a_curve_is_looked_at_at_six_of_its_places_the_ends_among_them() -> None:
    curve = Family(lambda m, delta: 1 + delta, 0.0, 0.5)
    every, at = curve.claimed_parameters()
    claimed, where = claimed_points(curve)
    assert len(where) == 6
    assert (where[0], where[-1]) == (at[0], at[-1])
    steps = np.diff([int(np.flatnonzero(at == place)[0]) for place in where])
    assert steps.max() - steps.min() <= 1
    assert claimed.tolist() == [every[np.flatnonzero(at == place)[0]] for place in where]


@pytest.mark.parametrize("power", [0.5, 0.9])
def test_what_is_seen_with_a_power_is_shown_by_unlucky_counts(power: float) -> None:
    """Both counts of errors stay below a quantile with this power; of all tests and weights, the best."""
    curve, trials, level = Approximate(1.0, 1e-3), 2_000, 1e-6
    for mechanism, shape in curve.extremal_mechanisms.items():
        alpha, beta = (error[0] for error in shape(np.array([2.0]), np.array([1e-3])))
        most = -inf
        for a, b in zip(alpha, beta, strict=True):
            counts = [binom.ppf(1 - (1 - power) / 2, trials, error) for error in (a, b)]
            for weight in (0.5, 0.65, 0.8):
                likely = planned_region(*counts, trials, level, weight)
                most = max(most, float(curve.implied_parameter(likely.alpha, likely.beta, 1e-3).min()))
        found = certified_with_power(curve, mechanism, np.array([2.0]), np.array([1e-3]), trials, level, power)
        assert found == pytest.approx([most], abs=1e-9)


def test_the_trials_that_are_needed_are_the_first_that_catch() -> None:
    """To within a hundredth, from above."""
    claimed, value, at = Gaussian(1.0), np.array([1.3]), np.array([np.nan])
    needed = trials_needed(claimed, 1.3, 1e-4)
    assert certified_with_power(claimed, "Gaussian", value, at, needed, 1e-4)[0] > 1.0
    assert certified_with_power(claimed, "Gaussian", value, at, int(0.98 * needed), 1e-4)[0] <= 1.0
    assert trials_needed(Approximate(1.0), 1.3, 1e-4) == trials_needed(Approximate(1.0), 1.3, 1e-4, mechanism="Laplace")
