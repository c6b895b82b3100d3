"""The bits in which outputs are written: floating-point noise is found by them, and exact samplers are left alone."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from dpbandits import Verdict, audit_counter, audit_mechanism
from dpbandits.audit.privacy.mechanism import mechanism_audit, numbers_and_bits
from dpbandits.audit.privacy.mechanism_scores import score_bits
from dpbandits.audit.privacy.scores.bit_features import (
    Guess,
    bit_scores,
    can_give,
    can_multiply,
    grid_codes,
    guess,
    last_bits,
    likely_factor,
)
from dpbandits.audit.statistics.events import certify_tests, plan_tests_by_scores
from dpbandits.reference.claims.model import Finding
from dpbandits.reference.curves import Approximate

SURE = 1e-6
TRIALS = 8_000


def drawn(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def noisy(kind: str, value: Any, trials: int, seed: int) -> Any:
    return value + getattr(drawn(seed), kind)(size=trials)


def inverted(value: float, trials: int, seed: int) -> Any:
    """Laplace noise as textbooks have it."""
    half = drawn(seed).random(trials) - 0.5
    return value - np.sign(half) * np.log(1 - 2 * np.abs(half))


def geometric(value: int, trials: int, seed: int) -> Any:
    random, ends = drawn(seed), 1 - np.exp(-1)
    return value + random.geometric(ends, trials) - random.geometric(ends, trials)


def on_a_grid(value: float, trials: int, seed: int) -> Any:
    """Whole multiples of 2^-10, the input among them: its noise is geometric."""
    return geometric(round(value * 1024), trials, seed) / 1024


def signs_its_last_bits(value: int, trials: int, seed: int) -> Any:
    """Noise of whole numbers and seven digits, right as a number; its last four bits are the input."""
    out = 1e-7 * np.round(1e7 * drawn(seed).laplace(scale=2.0, size=trials))
    return ((out.view(np.int64) >> 4 << 4) + value).view(float)


def rows(finding: Finding) -> list[list[Any]]:
    (table,) = [each for each in finding.evidence if str(each.get("title", "")).startswith("The mechanism, and")]
    return table["rows"]  # type: ignore[no-any-return]


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("mechanism", "left", "right", "claim", "least"),
    [
        (partial(noisy, "laplace"), 0.0, 1.0, {"eps": 1.0}, 4.0),
        (partial(noisy, "laplace"), 9.3, 8.3, {"eps": 1.0}, 2.0),  # on one grid: only membership tells much
        (inverted, 0.0, 1.0, {"eps": 1.0}, 4.0),
        (partial(noisy, "normal"), 0.0, 1.0, {"mu": 1.0}, 1.5),
        (signs_its_last_bits, 0, 1, {"eps": 1.0}, 4.0),
    ],
)
def test_bits_refute_programs_whose_numbers_keep_the_claim(
    mechanism: Any, left: Any, right: Any, claim: dict[str, float], least: float
) -> None:
    finding = audit_mechanism(mechanism, left, right, **claim, trials=30_000, floating_point="error")
    assert finding.verdict is Verdict.REFUTED
    assert "floating-point implementation: " in finding.summary
    numbers, bits = rows(finding)
    assert numbers[-1] == "CONSISTENT"
    assert bits[-1] == "REFUTED"
    assert bits[6] > least
    alone = audit_mechanism(mechanism, left, right, **claim, trials=TRIALS, floating_point="ignore")
    assert alone.verdict is Verdict.CONSISTENT
    assert "floating-point implementation: not tested (floating_point='ignore')" in alone.summary
    warned = audit_mechanism(mechanism, left, right, **claim, trials=30_000)
    assert warned.verdict is Verdict.CONSISTENT
    assert "Mechanism: CONSISTENT (samples certify" in warned.summary
    assert "floating-point implementation: REFUTED (samples certify" in warned.summary


@pytest.mark.parametrize(("mechanism", "right"), [(geometric, 1), (on_a_grid, 1 / 1024)])
def test_exact_samplers_are_left_alone(mechanism: Any, right: Any) -> None:
    finding = audit_mechanism(mechanism, 0, right, eps=1.0, trials=TRIALS)
    assert finding.verdict is Verdict.CONSISTENT, finding.summary
    assert "floating-point implementation: CONSISTENT (samples certify eps" in finding.summary


@pytest.mark.planted
def test_bits_of_what_attains_its_claim_alarm_no_more_often_than_allowed() -> None:
    """Hundreds of exact samplers, at a level of 20 %, so that alarms can be counted."""
    audits, alarms, trials = 300, 0, 400
    for seed in range(audits):
        mechanism, right = ((geometric, 1), (on_a_grid, 1 / 1024))[seed % 2]
        asked = mechanism_audit(mechanism, 0, right, eps=1.0, trials=trials, seed=seed, risk=0.2)
        sides = [mechanism(value, trials, 2 * seed + k).astype(float)[:, None] for k, value in enumerate((0, right))]
        found = score_bits(asked, sides[0], sides[1], 1).scored
        assert found is not None
        alarms += float(certify_tests(*found, asked.curve, 0.2).excess.amount) > 0
    assert 0 < alarms <= binom.ppf(1 - SURE, audits, 0.2)


def test_numbers_and_bits_share_the_risk() -> None:
    numbers, bits = numbers_and_bits(mechanism_audit(geometric, 0, 1, eps=1.0, trials=400, seed=0, risk=0.01))
    assert numbers.sampled is not None
    assert bits is not None
    assert bits.sampled is not None
    assert numbers.sampled.level + bits.sampled.level == pytest.approx(0.01)
    ignoring = mechanism_audit(geometric, 0, 1, eps=1.0, trials=400, seed=0, risk=0.01, floating_point="ignore")
    alone, none = numbers_and_bits(ignoring)
    assert none is None
    assert alone.sampled is not None
    assert alone.sampled.level == 0.01


@pytest.mark.thorough
def test_a_counter_of_floats_is_refuted_by_its_bits_and_one_of_whole_numbers_is_not() -> None:
    def sums(draw: Any, values: Any, trials: int, seed: int) -> Any:
        return np.cumsum(values) + draw(drawn(seed), (trials, len(values)))

    def whole(random: Any, size: Any) -> Any:
        return random.geometric(1 - np.exp(-0.5), size) - random.geometric(1 - np.exp(-0.5), size)

    floats = partial(sums, lambda random, size: random.laplace(scale=2.0, size=size))
    assert audit_counter(floats, 2, eps=1.0, trials=4_000, floating_point="error").verdict is Verdict.REFUTED
    warned = audit_counter(floats, 2, eps=1.0, trials=4_000)
    assert warned.verdict is Verdict.CONSISTENT
    assert "floating-point implementation: REFUTED" in warned.summary
    assert audit_counter(partial(sums, whole), 2, eps=1.0, trials=2_000).verdict is Verdict.CONSISTENT


def test_the_looks_are_functions_of_a_row_alone_whatever_it_holds() -> None:
    odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -1.0, 1.5, 2.0**60, 1e308])
    outputs = np.stack([odd, odd[::-1]], axis=1)
    guessed = Guess(np.zeros(2), np.ones(2), np.ones(2), np.full(2, 1.5))
    for name, score, _ in bit_scores(np.tile(outputs, (3, 1)), np.tile(outputs[::2], (3, 1)), guessed):
        found = score(outputs)
        assert np.isfinite(found).all(), name
        assert np.array_equal(found, [float(score(row[None])[0]) for row in outputs]), name


def test_codes_say_the_lowest_set_bit_and_the_last_ones() -> None:
    assert len(np.unique(grid_codes(np.array([1.0, 1.5, 1.25, -1.0, 2.0, 0.0, -0.0, np.inf])))) == 8
    assert grid_codes(np.array([1.5]))[0] == grid_codes(np.array([1.5]))[0]
    assert grid_codes(np.array([1.25]))[0] == grid_codes(np.array([1.75]))[0]
    assert last_bits(np.array([1.0, np.nextafter(1.0, 2.0), 1 + 3 * 2.0**-52])).tolist() == [0, 1, 3]


def test_membership_knows_its_own_noise_from_shifted_noise() -> None:
    """All of numpy's noise is known for its own; of what is moved by a third, a part, in the tail."""
    noise = drawn(1).laplace(size=50_000)
    far = np.abs(noise) > 6
    assert can_give(2.0, 0.5, 2.0 + 0.5 * noise).all()
    assert can_give(0.0, 1.0, noise).all()
    assert can_give(0.0, 1.0, noise + 1 / 3)[far].mean() < 0.5


def test_products_know_their_own_factor_and_centre() -> None:
    """Whatever sampler is multiplied; a power of 2 leaves nothing out, and neither does a far centre."""
    random = drawn(3)
    for noise in (random.normal(size=5_000), random.uniform(-1, 1, 5_000)):
        assert can_multiply(10.0, 4.84, 10.0 + 4.84 * noise).all()
        assert can_multiply(1e6, 1.5, noise).mean() < 0.01  # closer to 0 than any sum around a million
        assert can_multiply(0.0, 2.0, noise).all()
    moved = 11.0 + 4.84 * random.normal(size=5_000)
    assert 0.9 < can_multiply(10.0, 4.84, moved).mean() < 0.99
    assert likely_factor(11.0, moved, [4.9, np.nextafter(4.84, 5.0), 0.0]) == 4.84


def test_the_products_of_normal_noise_are_a_look_of_its_own() -> None:
    """numpy's normal noise of the usual deviation for (1, 1e-5), on whose grid both sides lie."""
    deviation = float(np.sqrt(2 * np.log(1.25 / 1e-5)))

    def gaussian(value: float, trials: int, seed: int) -> Any:
        return value + drawn(seed).normal(scale=deviation, size=trials)

    left, right = (gaussian(value, 10_000, k)[:, None] for k, value in enumerate((10.0, 11.0)))
    guessed = guess(10.0, 11.0, left, 1.0, 1e-5)
    assert guessed is not None
    assert guessed.factor[0] == deviation
    curve, search, shown = Approximate(1.0, 1e-5), 2_500, {}
    for name, score, _ in bit_scores(left[:search], right[:search], guessed):
        one, other = score(left), score(right)
        events = plan_tests_by_scores(one[:search], other[:search], curve, len(left) - search, SURE)
        shown[name] = float(certify_tests(one[search:], other[search:], events, curve, SURE).excess.shown)
    assert shown.pop("the frequencies of what a product with the scale can give") > 2
    assert max(shown.values()) < 1


def test_the_centre_and_scale_of_noise_are_guessed_from_inputs_and_claim() -> None:
    random = drawn(2)
    sums = guess([1, 0, 1], [1, 0, 0], 2 + random.laplace(scale=1 / 3, size=(1_000, 1)), 3.0, 0.0)
    assert sums is not None
    assert (sums.left[0], sums.right[0], sums.scale[0]) == (2.0, 1.0, 1 / 3)
    running = guess([1.0, 0, 1], [1.0, 1, 1], np.array([1, 1, 2]) + random.laplace(size=(1_000, 3)), 1.0, 0.0)
    assert running is not None
    assert running.right.tolist() == [1, 2, 3]
    for left, right in (("a", "b"), (0, 0), ([[1]], [[0]]), ([1], [1, 0]), (np.nan, 1)):
        assert guess(left, right, np.array([[0.0], [1.0]]), 1.0, 0.0) is None


def test_a_guess_is_made_of_finite_outputs() -> None:
    noise = drawn(2).laplace(size=(1_000, 1))
    some = np.where(np.arange(1_000)[:, None] % 5, noise, [[np.inf]])
    assert guess(0, 1, some, 0.0, 0.0) == guess(0, 1, noise[np.isfinite(some)][:, None], 0.0, 0.0)
    assert guess(0, 1, np.full((3, 1), np.nan), 1.0, 0.0) is None
    assert guess(0, 1, np.array([[1.5e308], [-1e308], [1e308]]), 0.0, 0.0) is None


def test_bits_are_looked_at_or_not() -> None:
    with pytest.raises(ValueError, match="floating_point is 'no'; choose one of 'warn', 'error', 'ignore'"):
        audit_mechanism(geometric, 0, 1, eps=1.0, floating_point="no")
