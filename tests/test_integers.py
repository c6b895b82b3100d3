"""Whole numbers alone: the sampler is exact, DP-SE with it follows its law, and its bits tell nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.stats import chisquare

from dpbandits import Seeded, Table, Verdict, audit_mechanism, audit_policy, follows_law, play
from dpbandits.papers.sajed19 import IntegerDPSE
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.tapes import Recorder
from dpbandits.reference.bandits.whole_noise import MAX_PART, below, discrete_laplace, shows_exp
from dpbandits.reference.papers.sajed19.formulas import Constants
from dpbandits.reference.papers.sajed19.integers import discrete_laplace_of_ratio, log_chances_between, log_survival
from dpbandits.reference.papers.sajed19.rationals import (
    at_the_whole_width,
    hockey_stick,
    kept_chances,
    largest_factor,
    release_chances,
)

SURE = 1e-6
FEW = Constants(1, 1, 8, 4, 1)  # R is 12 in the first epoch
SMALL = IntegerDPSE(2, 80, 0.5, 0.5, FEW)


def released(trials: int, seed: int, scale: Fraction = Fraction(2)) -> Any:
    return discrete_laplace(Seeded(seed, trials), "z", 0, (), scale)


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(5, 2)])
def test_draws_have_the_chances_of_the_discrete_laplace_law(scale: Fraction) -> None:
    trials, q = 20_000, float(np.exp(-1 / float(scale)))
    seen = Counter(np.clip(released(trials, 7, scale), -6, 6).tolist())
    law = [(1 - q) / (1 + q) * q ** abs(z) for z in range(-5, 6)]
    law = [(1 - sum(law)) / 2, *law, (1 - sum(law)) / 2]
    some = [k for k, chance in enumerate(law) if trials * chance > 5]
    counts = np.array([seen[k - 6] for k in some] + [trials - sum(seen[k - 6] for k in some)], dtype=float)
    wanted = np.array([law[k] for k in some] + [1 - sum(law[k] for k in some)]) * trials
    assert chisquare(counts + 1e-9, wanted + 1e-9).pvalue > SURE


def test_a_trial_draws_the_same_in_any_batch() -> None:
    assert np.array_equal(released(1_000, 3)[:10], released(10, 3))


def test_words_that_do_not_divide_evenly_are_thrown_away() -> None:
    """Below 3 there are 2^53 - 2 words that count; the last two are asked for again."""
    heard = []

    def words(place: str) -> Any:
        heard.append(place)
        return np.array([2**53 - 1, 5]) if len(heard) == 1 else np.array([4, 7])

    assert below(words, "x", 3, np.array([True, True])).tolist() == [1, 2]
    assert heard == ["x 0", "x 1"]


def test_coins_show_e_to_the_minus_x() -> None:
    noise = Seeded(5, 40_000)

    def words(place: str) -> Any:
        return (noise.uniform(place, 0) * 2.0**53).astype(np.int64)

    for x in (0, 2, 3):
        share = float(shows_exp(words, f"x {x}", np.full(40_000, x), 3, np.ones(40_000, dtype=bool)).mean())
        assert abs(share - np.exp(-x / 3)) < 5 * np.sqrt(0.25 / 40_000)


@pytest.mark.parametrize("scale", [Fraction(0), Fraction(-1, 2), Fraction(MAX_PART + 1, 2)])
def test_scales_that_no_word_holds_are_refused(scale: Fraction) -> None:
    with pytest.raises(ValueError, match="must be a positive fraction"):
        released(1, 0, scale)


def test_chances_between_two_numbers_are_sums_of_chances() -> None:
    q = mpmath.exp(mpmath.mpf(-1) / 3)

    def chance(low: int, high: int) -> Any:
        return mpmath.fsum((1 - q) / (1 + q) * q ** abs(z) for z in range(low, high + 1))

    for low, high in [(0, 0), (-2, 5), (-5, 2), (1, 1), (3, 9), (-9, -3), (-900, -800)]:
        found = float(log_chances_between(low, high, 3.0))
        assert found == pytest.approx(float(mpmath.log(chance(low, high))), rel=1e-13)
    assert float(log_chances_between(-np.inf, -4, 3.0)) == pytest.approx(float(mpmath.log(chance(-400, -4))), rel=1e-13)


def test_the_law_of_what_is_kept_is_that_of_all_noise() -> None:
    """Three sums and a narrow law: every value of the noise up to 40 scales, one by one."""
    sums, width, scale = np.array([2, 0, 1]), 1, 0.25
    q = np.exp(-4.0)
    sets = np.array([kept for kept in product([False, True], repeat=3) if any(kept)])
    z = np.stack(np.meshgrid(*[np.arange(-16, 17)] * 3), axis=-1).reshape(-1, 3)
    chance = np.prod((1 - q) / (1 + q) * q ** np.abs(z), axis=1)
    whole = (sums + z).max(axis=1, keepdims=True) - (sums + z) <= width
    totals = {tuple(kept): float(chance[(whole == kept).all(axis=1)].sum()) for kept in sets.tolist()}
    for kept, log in zip(sets.tolist(), log_survival(sums[None], width, scale, sets)[0], strict=True):
        assert np.exp(log) == pytest.approx(totals[tuple(kept)], rel=1e-12, abs=1e-20)


def test_what_is_kept_has_the_chances_of_the_law() -> None:
    """After an epoch of three arms, two of them near the width."""
    trials, policy = 8_000, IntegerDPSE(3, 80, 0.5, 0.5, FEW)
    state = policy.init(trials)._replace(
        epoch=np.ones(trials, dtype=np.int64), total=np.tile([12.0, 0, 1], (trials, 1))
    )
    kept = policy.kept(2, state, Seeded(4, trials))
    found = policy.survival(1, np.array([[12.0, 0, 1]]) / policy.numbers(1, 3).rounds)
    seen = [(kept == each).all(axis=1).sum() for each in found.sets]
    assert chisquare(np.array(seen) + 1e-9, found.chance[0] * trials + 1e-9, sum_check=False).pvalue > SURE
    assert 0.05 < found.chance[0].max() < 0.9


@pytest.mark.thorough
def test_the_program_follows_its_law() -> None:
    assert follows_law(SMALL, SMALL, trials=500).verdict is Verdict.CONSISTENT
    other = IntegerDPSE(2, 80, 2.0, 0.5, FEW)
    assert follows_law(other, SMALL, trials=500).verdict is Verdict.REFUTED


@pytest.mark.thorough
def test_the_program_keeps_its_promise_and_no_better_one() -> None:
    found = audit_policy(SMALL, eps=0.5, trials=2_000)
    assert found.verdict is Verdict.CONSISTENT, found.summary
    assert audit_policy(SMALL, eps=0.4, trials=2_000).verdict is Verdict.REFUTED


def test_its_noisy_sums_are_consistent_with_bits_on() -> None:
    def noisy_sum(rewards: list[int], trials: int, seed: int) -> Any:
        return sum(rewards) + released(trials, seed)

    finding = audit_mechanism(noisy_sum, [1, 0, 1], [1, 0, 0], eps=0.5, trials=1_000)
    assert finding.verdict is Verdict.CONSISTENT, finding.summary
    assert "floating-point implementation: CONSISTENT (samples certify eps >= " in finding.summary


def test_everything_that_is_drawn_is_a_word_of_53_bits() -> None:
    recorder = Recorder(Seeded(2, 20))
    rewards = np.random.default_rng(0).integers(0, 2, (2, 80)).astype(float)
    played = play(SMALL, Table(rewards), recorder, 20)
    assert set(recorder.kinds.values()) == {"uniform"}
    assert all(np.array_equal(draw * 2.0**53, np.rint(draw * 2.0**53)) for draw in recorder.values.values())
    assert np.array_equal(play(SMALL, Table(rewards), recorder.tape(), 20).released, played.released)


RATIO = Fraction(3, 5)
RATIONAL = IntegerDPSE(3, 150, beta=0.5, constants=FEW, ratio=RATIO)


@pytest.mark.parametrize("ratio", [Fraction(1, 9), RATIO])
def test_draws_of_a_ratio_have_its_chances(ratio: Fraction) -> None:
    trials, q = 20_000, float(ratio)
    drawn = discrete_laplace_of_ratio(Seeded(7, trials), "z", 0, (), ratio)
    kinds = range(-3, 4)
    law = np.array([(1 - q) / (1 + q) * q ** abs(z) for z in kinds])
    seen = np.array([(drawn == z).sum() for z in kinds])
    assert chisquare([*seen, trials - seen.sum()], trials * np.array([*law, 1 - law.sum()])).pvalue > SURE
    assert np.array_equal(drawn[:10], discrete_laplace_of_ratio(Seeded(7, 10), "z", 0, (), ratio))


def test_chances_in_fractions_are_those_of_the_law_in_doubles() -> None:
    """Also where a width is 0, and far from every sum; and they add up to 1 exactly."""
    for sums, width in (([2, 0, 1], 1), ([5, 0, 3], 0), ([9, 9], 4), ([40, 0], 3), ([-3, 4, 0, 0], 2)):
        sets = [kept for kept in product([False, True], repeat=len(sums)) if any(kept)]
        exact = kept_chances(sums, width, RATIO, sets)
        assert sum(exact) == 1
        logs = log_survival(np.array([sums]), width, -1 / np.log(0.6), np.array(sets))[0]
        assert np.exp(logs) == pytest.approx([float(chance) for chance in exact], rel=1e-12, abs=1e-15)


def test_the_releases_of_a_table_are_a_table_of_fractions() -> None:
    """Whose privacy is what the exact engine encloses, by the law in doubles."""
    left, right = at_the_whole_width(RATIONAL)
    sides = [release_chances(RATIONAL, table) for table in (left, right)]
    assert [sum(side.values()) for side in sides] == [1, 1]
    assert Fraction(8, 5) < largest_factor(*sides) < 1 / RATIO
    assert hockey_stick(*sides, 1 / RATIO) == 0 < hockey_stick(*sides, Fraction(3, 2))
    profile = exact_profile(RATIONAL, Pair("pull", left.astype(float), right.astype(float)), deep=True)
    delta = float(hockey_stick(*sides, Fraction(3, 2)))
    low, high = profile.delta(float(np.log(1.5)))
    assert low <= delta * (1 + 1e-9)
    assert delta * (1 - 1e-9) <= high < 1.2 * delta


def test_the_program_releases_what_the_fractions_say() -> None:
    """Planted: coins of 1/2, where 3/5 is said."""
    left, trials = at_the_whole_width(RATIONAL)[0], 3_000
    exact = release_chances(RATIONAL, left)
    wanted = np.array([float(chance) for chance in exact.values()]) * trials
    often = wanted > 5
    for ratio, right in ((RATIO, True), (Fraction(1, 2), False)):
        played = play(replace(RATIONAL, ratio=ratio), Table(left.astype(float)), Seeded(1, trials), trials)
        seen = Counter(tuple(map(tuple, run[run.any(axis=1)].tolist())) for run in played.released)
        counts = np.array([seen[each] for each in exact])
        assert counts.sum() == trials
        rest = [each[~often].sum() + 1e-9 for each in (counts, wanted)]
        fit = chisquare([*counts[often], rest[0]], [*wanted[often], rest[1]], sum_check=False)
        assert bool(fit.pvalue > SURE) is right


def test_what_it_is_not_made_for_is_refused() -> None:
    for ratio in (Fraction(5, 3), (0, 1), "3/5", (1, 2**21), 0.6):
        with pytest.raises(ValueError, match=r"it must be a Fraction between 0 and 1 .*, such as Fraction\(3, 5\)"):
            IntegerDPSE(2, 10, ratio=ratio)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="-eps is not a fraction, so probabilities are not rational"):
        release_chances(SMALL, np.zeros((2, 80)))
    for rewards in (np.full((3, 150), 0.5), np.zeros((3, 149))):
        with pytest.raises(ValueError, match="a table of zeros and ones"):
            release_chances(RATIONAL, rewards)
    with pytest.raises(ValueError, match=r"as a double; give a fraction of integers up to 2\^20"):
        IntegerDPSE(2, 10, 0.1)
    with pytest.raises(ValueError, match="eps"):
        IntegerDPSE(2, 10, -1.0)
    with pytest.raises(ValueError, match=r"0 nor 1|rewards"):
        play(SMALL, Table(np.full((2, 80), 0.5)), Seeded(0, 1), 1)
