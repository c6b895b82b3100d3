"""Audits of plain mechanisms: true claims survive, false ones do not, and odd outputs are named."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from functools import partial
from math import log
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import dpbandits.audit.pytest_plugin.auditor  # noqa: F401  (numpy does not like to be imported twice, by pytest in pytest)
from dpbandits import Approximate, Gaussian, Verdict
from dpbandits import audit_mechanism as audit_with_bits
from dpbandits.audit.play.calls import (
    chernoff_p_value,
    hoeffding_p_value,
    log_repeated_calls_p_value,
    repeated_calls_p_value,
    uneven_calls_p_value,
    uneven_event_p_value,
)
from dpbandits.audit.privacy.mechanism import mechanism_audit
from dpbandits.audit.privacy.mechanism_calls import MechanismAudit, are_same_inputs
from dpbandits.audit.privacy.mechanism_calls import drawn as drawn_side
from dpbandits.audit.privacy.mechanism_scores import learnt_score, score_outputs
from dpbandits.audit.privacy.pipeline import Score
from dpbandits.audit.privacy.scores.classifier import choose_score
from dpbandits.audit.privacy.scores.output_features import NONFINITE_SCORE, learnt_scores, merge_rounded_outputs
from dpbandits.audit.statistics.events import certify_tests

audit_mechanism = partial(audit_with_bits, floating_point="ignore")  # numpy's noise: its bits are for test_bit_features
SURE = 1e-6  # how improbable a failure of a statistical test here is, if the code is right
TRIALS = 8_000


def drawn(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def laplace(value: float, trials: int, seed: int) -> Any:
    return value + drawn(seed).laplace(size=trials)


def normal(value: Any, trials: int, seed: int) -> Any:
    value = np.asarray(value, dtype=float)
    return value + drawn(seed).normal(size=(trials, *value.shape))


def wider(value: float, trials: int, seed: int) -> Any:
    return drawn(seed).normal(size=trials) * (1 + value)


def response(value: int, trials: int, seed: int) -> Any:
    return np.where(drawn(seed).random(trials) < 0.75, value, 1 - value)  # log(3)-DP


def parity(value: int, trials: int, seed: int) -> Any:
    """Three bits, each of them fair whatever the value; their parity is not."""
    random = drawn(seed)
    bits = random.integers(2, size=(trials, 3))
    bits[:, 2] = bits[:, 0] ^ bits[:, 1] ^ (random.random(trials) < (0.75 if value else 0.25))
    return bits


def crash(value: int, trials: int, seed: int) -> Any:
    """Says nan, or infinity, where it should say nothing."""
    random = drawn(seed)
    noise = random.normal(size=trials)
    fails = random.random(trials) < 0.1
    noise[fails] = np.nan if value else np.inf
    return noise


@pytest.mark.parametrize(
    ("mechanism", "left", "right", "claim", "verdict"),
    [
        (laplace, 0.0, 1.0, {"eps": 1.0}, Verdict.CONSISTENT),
        (laplace, 0.0, 1.6, {"eps": 1.0}, Verdict.REFUTED),
        (normal, 0.0, 1.0, {"mu": 1.0}, Verdict.CONSISTENT),
        (normal, 1.5, 0.0, {"mu": 1.0}, Verdict.REFUTED),  # the larger on the left
        (normal, 0.0, 1.0, {"eps": 1.0, "delta": 0.13}, Verdict.CONSISTENT),  # delta(1) = 0.127
        (normal, 0.0, 1.0, {"eps": 0.5, "delta": 0.13}, Verdict.REFUTED),
        (normal, (0.0, 0.0, 0.0), (0.6, 0.6, 0.6), {"mu": 1.04}, Verdict.CONSISTENT),  # sqrt(3) 0.6 = 1.039
        (normal, (0.0, 0.0, 0.0), (0.8, 0.8, -0.8), {"mu": 1.04}, Verdict.REFUTED),
        (wider, 0.0, 1.0, {"eps": 1.0, "delta": 0.01}, Verdict.REFUTED),
        (response, 0, 1, {"eps": 1.1}, Verdict.CONSISTENT),
        (response, 0, 1, {"eps": 0.8}, Verdict.REFUTED),
        (parity, 0, 1, {"eps": 1.1}, Verdict.CONSISTENT),
        (parity, 0, 1, {"eps": 0.8}, Verdict.REFUTED),
        # A crash is certain about its side, so the true eps is infinite. Of 6000 fresh trials 541 or more crash, with
        # probability 0.995. The cut may lie among numbers, beyond all of the 2000 search trials of the side that never
        # crashes so: one more of them in it costs a factor 1.4 (Clopper and Pearson at 0.01), which 80 more of the
        # other side's would have to pay for. Then 19 or more of the 6000 lie beyond it with probability
        # prod_{i<19} (6000 - i)/(8000 - i) = 0.0042. With 18 and 541, log((1 - beta)/alpha) is at least 2.34 at a
        # risk of 0.96e-6, with any of the weights that do not lean to beta (`events.ALPHA_WEIGHTS`).
        (crash, 0, 1, {"eps": 2.0}, Verdict.REFUTED),
        (crash, 0, 0, {"eps": 1.0}, Verdict.NOT_EXERCISED),  # the same input twice
        (lambda value, trials, seed: crash(value % 2, trials, seed), 0, 2, {"eps": 1.0}, Verdict.CONSISTENT),
        (laplace, 0.0, 1.0, {"eps": 50.0}, Verdict.NOT_EXERCISED),  # no sample could refute it
        (lambda value, trials, seed: np.ones(trials), 0, 1, {"eps": 1.0}, Verdict.NOT_EXERCISED),
        (lambda value, trials, seed: np.full(trials, np.nan), 0, 1, {"eps": 1.0}, Verdict.NOT_EXERCISED),
        (lambda value, trials, seed: np.full(trials, value), 0, 1, {"eps": 1.0}, Verdict.REFUTED),
    ],
)
@pytest.mark.first(4)
def test_verdicts(mechanism: Any, left: Any, right: Any, claim: dict[str, float], verdict: Verdict) -> None:
    finding = audit_mechanism(mechanism, left, right, **claim, trials=TRIALS)
    assert finding.verdict == verdict, finding.summary


def test_the_finding_says_what_was_claimed_found_and_would_have_been_caught() -> None:
    finding = audit_mechanism(laplace, 0.0, 1.0, eps=1.0, trials=TRIALS)
    assert finding.claim == "mechanism/laplace"
    assert "(1, 0)-DP is claimed; samples certify eps >= 0." in finding.summary
    assert "a Laplace mechanism that is exactly (1." in finding.resolution
    assert finding.resolution.startswith(
        "Power for laplace: this test would refute (1, 0)-DP with probability 0.9 for a "
    )
    assert " The test has 6000 fresh runs on each of the two inputs and error probability " in finding.resolution
    assert "The score of an output was learnt from samples, so the real power may be lower" in finding.resolution
    assert "learnt and chosen on 2000 trials" in finding.evidence[-1]["text"]


def test_findings_repeat_and_depend_on_the_seed() -> None:
    first, again, other = (audit_mechanism(normal, 0.0, 1.0, mu=1.0, trials=2_000, seed=seed) for seed in (0, 0, 1))
    assert first == again
    assert first != other


@pytest.mark.planted
def test_tight_claims_alarm_no_more_often_than_allowed() -> None:
    """Three mechanisms that attain their claims, at a level of 20 %, so that alarms can be counted."""
    audits, alarms = 40, 0
    for mechanism, right, claim in ((laplace, 1.0, {"eps": 1.0}), (normal, 1.0, {"mu": 1.0}), (response, 1, {})):
        for seed in range(audits):
            claim = claim or {"eps": float(np.log(3))}
            finding = audit_mechanism(mechanism, 0, right, **claim, trials=1_000, seed=seed, risk=0.2)
            alarms += finding.verdict == Verdict.REFUTED
    assert alarms <= binom.ppf(1 - SURE, 3 * audits, 0.2)


# -- what no middle shows, in either order ---------------------------------------------------------------------------


def wide(value: float, trials: int, seed: int) -> Any:
    """Uniform on a width of 50: two outputs in a hundred tell for certain."""
    return value + drawn(seed).uniform(-25, 25, size=trials)


def clipped(value: float, trials: int, seed: int) -> Any:
    return value + np.clip(drawn(seed).laplace(size=trials), -4, 4)


def one_is_wide(value: float, trials: int, seed: int) -> Any:
    others = drawn(seed + 1).laplace(scale=3.0, size=(trials, 2))
    return np.insert(others, 1, wide(value, trials, seed), axis=1)


def dropped(value: float, trials: int, seed: int) -> Any:
    random = drawn(seed)
    return value + random.laplace(size=trials) * (random.random(trials) > 0.02)


def narrow(value: float, trials: int, seed: int) -> Any:
    """Sometimes noise of a thousandth."""
    random = drawn(seed)
    return value + random.laplace(size=trials) * np.where(random.random(trials) > 0.04, 1.0, 1e-3)


def decimals(value: float, trials: int, seed: int) -> Any:
    return value / 3 + drawn(seed).laplace(size=trials).round(6)


def single(value: float, trials: int, seed: int) -> Any:
    return value / 3 + drawn(seed).laplace(size=trials).astype(np.float32)


def odd_grid(value: float, trials: int, seed: int) -> Any:
    """Noise on a grid that no base has."""
    return value / 3 + drawn(seed).laplace(size=trials).round(5) / np.pi


def shuffled(value: float, trials: int, seed: int) -> Any:
    """Ten numbers in an order of their own; one of them is the input."""
    random = drawn(seed)
    rows = random.laplace(scale=3.0, size=(trials, 10))
    rows[:, 0] = 5 + value / 100
    return random.permuted(rows, axis=1)


def common_noise(value: float, trials: int, seed: int) -> Any:
    """Two numbers with the same noise, wide enough for both."""
    return drawn(seed).laplace(scale=9.0, size=(trials, 1)) + np.array([0.0, value])


def equal_neighbours(value: float, trials: int, seed: int) -> Any:
    """Two numbers of three that are equal now and then, for one input alone."""
    random = drawn(seed)
    rows = random.laplace(scale=30.0, size=(trials, 3))
    same = random.random(trials) < 0.02 * value
    rows[same, 2] = rows[same, 1]
    return rows


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    "mechanism",
    [wide, clipped, one_is_wide, dropped, narrow, decimals, single, odd_grid, shuffled, common_noise, equal_neighbours],
)
@pytest.mark.first(4)
def test_leaks_are_found_whichever_input_is_called_left(mechanism: Any, turned: bool) -> None:
    left, right = (1.0, 0.0) if turned else (0.0, 1.0)
    finding = audit_mechanism(mechanism, left, right, eps=1.0, trials=20_000)
    assert finding.verdict == Verdict.REFUTED, finding.summary


def geometric(value: int, trials: int, seed: int) -> Any:
    random, stays = drawn(seed), 1 - np.exp(-1)
    return value + random.geometric(stays, trials) - random.geometric(stays, trials)


def staircase(value: float, trials: int, seed: int) -> Any:
    """Geng and Viswanath 2014, eps = 1."""
    random, narrow = drawn(seed), 1 / (1 + np.exp(0.5))
    steps, place = random.geometric(1 - np.exp(-1), trials) - 1, random.random(trials)
    outer = random.random(trials) < (1 - narrow) / (narrow * np.e + 1 - narrow)
    size = steps + np.where(outer, narrow + (1 - narrow) * place, narrow * place)
    return value + np.where(random.random(trials) < 0.5, size, -size)


def permute_and_flip(value: int, trials: int, seed: int) -> Any:
    random = drawn(seed)
    keeps = np.exp(np.array([value, 1 - value, 0]) / 2 - 0.5)
    order = random.permuted(np.tile(np.arange(3), (trials, 1)), axis=1)
    return order[np.arange(trials), (random.random((trials, 3)) < keeps[order]).argmax(axis=1)]


def answered(value: int, trials: int, seed: int, eps: float) -> Any:
    return np.where(drawn(seed).random(trials) < 1 / (1 + np.exp(-eps)), value, 1 - value)


def noisy_of(kind: str) -> Any:
    return lambda value, trials, seed: value + getattr(drawn(seed), kind)(size=trials)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("mechanism", "moved", "eps"),
    [
        (noisy_of("standard_cauchy"), 1.0, 1.0),
        (noisy_of("logistic"), 1.0, 1.0),
        (lambda value, trials, seed: value + drawn(seed).standard_t(3, trials), 0.5, 0.6),
        (geometric, 1, 1.0),
        (staircase, 1.0, 1.0),
        (permute_and_flip, 1, 1.0),
        (lambda value, trials, seed: 1e9 + laplace(value, trials, seed), 1.0, 1.0),
        (lambda value, trials, seed: 1e6 + 1e-4 * laplace(value, trials, seed), 1.0, 1.0),
        (lambda value, trials, seed: laplace(value, trials, seed).round(6), 1 / 3, 0.4),  # rounded after noise is added
        (lambda value, trials, seed: laplace(value, trials, seed).astype(np.float32), 1 / 3, 0.4),
        (lambda value, trials, seed: np.clip(laplace(value, trials, seed), 0, 1), 1.0, 1.0),
        (lambda value, trials, seed: drawn(seed).permuted(normal([value] + [0] * 4, trials, seed)), 1.0, 5.0),
        *((partial(answered, eps=eps), 1, eps) for eps in (1e-6, 1.0, 6.0)),
    ],
)  # fmt: skip
@pytest.mark.first(6)
def test_what_is_right_stands_whichever_input_is_called_left(
    mechanism: Any, moved: Any, eps: float, turned: bool
) -> None:
    left, right = (moved, 0) if turned else (0, moved)
    finding = audit_mechanism(mechanism, left, right, eps=eps, trials=TRIALS)
    assert finding.verdict == Verdict.CONSISTENT, finding.summary


def test_the_smaller_end_of_a_score_that_is_given_tells_as_much() -> None:
    for sign in (1.0, -1.0):
        finding = audit_mechanism(
            laplace, 0, 1.6, eps=1.0, trials=TRIALS, score=lambda out, sign=sign: sign * out[:, 0]
        )
        assert finding.verdict == Verdict.REFUTED


# -- floating point ----------------------------------------------------------------------------------------------


def ulps(value: float, trials: int, seed: int) -> Any:
    """Whole numbers with noise of 0 and 1, which differ between the sides in a last bit alone."""
    noise = drawn(seed).integers(0, 2, size=trials).astype(float)
    return noise + 1 + (value * np.finfo(float).eps)


def test_last_bits_count_only_for_a_score_that_reads_them() -> None:
    assert audit_mechanism(ulps, 0, 1, eps=1.0, trials=TRIALS).verdict == Verdict.CONSISTENT
    reads = audit_mechanism(ulps, 0, 1, eps=1.0, trials=TRIALS, score=lambda out: (out[:, 0] % 1 > 0).astype(float))
    assert reads.verdict == Verdict.REFUTED


def test_a_score_that_is_given_is_not_called_learnt() -> None:
    for score, said in ((None, True), (lambda outputs: np.clip(outputs[:, 0], 0, 1), False)):
        finding = audit_mechanism(laplace, 0, 1, eps=1.0, trials=TRIALS, score=score)
        assert ("The score of an output was learnt" in finding.resolution) is said


@pytest.mark.parametrize("digits", [2, 3])
def test_noise_on_a_grid_tells_the_number_that_it_is_added_to(digits: int) -> None:
    """One is a multiple of 0.01 and the other is not, so that no output comes on both sides; few outputs come twice."""

    def late(value: float, trials: int, seed: int) -> Any:
        return value + drawn(seed).laplace(size=trials).round(digits)

    def grid(value: float, trials: int, seed: int) -> Any:
        return (value + drawn(seed).laplace(size=trials)).round(digits)

    for mechanism, verdict in ((late, Verdict.REFUTED), (grid, Verdict.CONSISTENT)):
        assert audit_mechanism(mechanism, 0.0, 1 / 3, eps=1.0, trials=TRIALS).verdict == verdict


def test_rounding_keeps_nine_digits_of_the_spread() -> None:
    known = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [np.nan, 5.0]])
    rounded = merge_rounded_outputs(known)
    found = rounded(np.array([[1 + 1e-13, 5.0], [1 + 1e-6, np.inf], [np.nan, -0.0]]))
    assert found[0, 0] == 1.0
    assert found[1, 0] == pytest.approx(1 + 1e-6, abs=1e-9)
    assert found[1, 0] != 1.0
    assert found[1, 1] == np.inf
    assert np.isnan(found[2, 0])
    assert not np.signbit(found[2, 1])


def test_supports_that_differ_by_little_are_two() -> None:
    """Noise of 0 and 1 on a value that moves by 1e-10: either output tells the side, and no last bit is needed."""

    def coin(value: float, trials: int, seed: int) -> Any:
        return value + drawn(seed).integers(0, 2, trials)

    for step in (1e-10, 1e-12):
        assert audit_mechanism(coin, 0.0, step, eps=1.0, trials=TRIALS).verdict == Verdict.REFUTED
        assert audit_mechanism(coin, 5.0, 5.0 + step, eps=1.0, trials=TRIALS).verdict == Verdict.REFUTED


@pytest.mark.parametrize("far", [0.0, 1.0, -1e9, 1e300])
def test_rounding_merges_neighbours_alone(far: float) -> None:
    """Numbers become numbers like themselves, each of them one of the known ones; what lies apart stays apart."""
    size = max(1.0, abs(far))
    known = far + size * 1e-6 * drawn(1).laplace(size=2_000)
    outputs = np.concatenate([known, np.nextafter(known, np.inf), far + size * 1e-6 * drawn(2).laplace(size=2_000)])
    rounded = merge_rounded_outputs(known[:, None])(outputs[:, None])[:, 0]
    assert np.isin(rounded[:2_000], known).all()
    assert (np.abs(rounded - outputs) <= 2e-13 * size).all()
    assert len(np.unique(rounded[:2_000])) > 1_990  # about 1e-7 of all pairs lie within 1e-13 of one another
    assert (rounded[2_000:4_000] == rounded[:2_000]).all()  # one last unit is nothing


def test_rounding_looks_at_nine_digits_of_a_spread_far_from_0() -> None:
    """1e6 + noise of 1e-4: 13 digits of the size alone would take noise that differs by 1e-3 of itself for one."""
    known = 1e6 + np.arange(8)[:, None] * 1e-8
    assert len(np.unique(merge_rounded_outputs(known)(known))) == 8


def test_rounding_of_nothing_and_of_one_number() -> None:
    outputs = np.array([[np.nan], [np.inf], [1.0], [np.nextafter(1.0, 2.0)], [1.5]])
    nothing = merge_rounded_outputs(np.full((3, 1), np.nan))(outputs)
    assert np.array_equal(nothing, outputs, equal_nan=True)
    one = merge_rounded_outputs(np.ones((3, 1)))(outputs)
    assert np.array_equal(one[:, 0], [np.nan, np.inf, 1.0, 1.0, 1.5], equal_nan=True)


# -- trials that depend on each other --------------------------------------------------------------------------------


def common(value: float, trials: int, seed: int) -> Any:
    """One draw for all trials: 1-DP, for one trial."""
    return np.full(trials, value + drawn(seed).laplace())


def partly(value: float, trials: int, seed: int) -> Any:
    random = drawn(seed)
    return value + random.laplace(size=trials) + random.normal()


def loaded(value: int, trials: int, seed: int) -> Any:
    """A coin for all trials, and one for each."""
    random = drawn(seed)
    return np.where(random.random() < 0.5, random.integers(0, 2, trials), value)


def crashes(value: int, trials: int, seed: int) -> Any:
    """All trials of some calls crash."""
    random = drawn(seed)
    return np.where(random.random() < 0.2, np.nan, random.normal(size=trials))


@pytest.mark.parametrize(
    ("mechanism", "trials"),
    [(common, 400), (crashes, 400), (common, TRIALS), (crashes, TRIALS), (partly, TRIALS), (loaded, TRIALS)],
)
@pytest.mark.first(2)
def test_a_draw_that_trials_share_is_no_refutation(mechanism: Any, trials: int) -> None:
    finding = audit_mechanism(mechanism, 0, 1, eps=1.0, trials=trials)
    assert finding.verdict == Verdict.NOT_APPLICABLE, finding.summary
    assert "the trials of one call are not independent" in finding.summary
    scored = audit_mechanism(mechanism, 0, 1, eps=1.0, trials=trials, score=lambda out: np.nan_to_num(out[:, 0]))
    assert scored.verdict == Verdict.NOT_APPLICABLE


def test_independent_trials_are_seldom_called_uneven() -> None:
    """The bound on the chance is one: at 20 %, and for events of every share, calls of every size."""
    rounds = 400
    for share in (0.5, 0.1, 0.003):
        for calls, trials in ((64, 1_000), (8, 150), (1, 50)):
            random = drawn(calls)
            seen = [uneven_calls_p_value([random.random(trials) < share], 7, calls) for _ in range(rounds)]
            assert sum(chance < 0.2 for chance in seen) <= binom.ppf(1 - SURE, rounds, 0.2)


def test_uneven_calls_are_as_improbable_as_a_binomial_says() -> None:
    """Two calls of 100, all inside and none: (10^2/sqrt(25))^2 by two, so 100 e^(1 - 100) at two degrees; and each is
    100 log 2 from a half, so that (q e^(1 - q))^2 with q = 99 log 2 is the other bound."""
    inside, each = np.arange(200) % 2 == 0, np.array([100, 100])
    assert hoeffding_p_value(np.array([100, 0]), each) == pytest.approx(100 * np.exp(-99.0), rel=1e-9, abs=0)
    half = 50 * 51 * 2 / 101  # of 50 and 51, of which 51/101 are inside
    found = hoeffding_p_value(np.array([0, 51]), np.array([50, 51]))
    assert found == pytest.approx(half * np.exp(1 - half), rel=1e-9, abs=0)
    q = 99 * np.log(2)
    assert chernoff_p_value(np.array([100, 0]), each) == pytest.approx((q * np.exp(1 - q)) ** 2, rel=1e-9, abs=0)
    assert uneven_calls_p_value([inside], 0, 2) == pytest.approx(2 * (q * np.exp(1 - q)) ** 2, rel=1e-9, abs=0)
    assert uneven_calls_p_value([inside, inside], 0, 2) == pytest.approx(4 * (q * np.exp(1 - q)) ** 2, rel=1e-9, abs=0)
    assert uneven_calls_p_value([inside], 0, 1) == 1.0


@pytest.mark.parametrize("spread", [0, 2, 4, 6, 7, 8, 9, 10])
def test_both_bounds_of_uneven_calls_are_the_best_of_their_kind(spread: int) -> None:
    """Markov's for exp(s x): by the moments that their docstrings name, the best s found by trying many; 1 for none."""
    counts, sizes = np.array([10 + spread, 10 - spread, 20, 30]), np.array([50, 50, 100, 150])
    shares = np.linspace(0, 1, 200_001)[:-1]
    squares = float((4 * (counts - sizes / 5) ** 2 / sizes).sum())
    by_squares = np.exp(-shares / 2 * squares) * (1 - shares) ** (-4 / 2)
    assert hoeffding_p_value(counts, sizes) == pytest.approx(by_squares.min(), rel=1e-6)
    apart = 0.0
    for count, size in zip(counts.tolist(), sizes.tolist(), strict=True):
        apart += count * log(count / size / 0.2) if count else 0.0
        apart += (size - count) * log((size - count) / size / 0.8)
    by_entropy = np.exp(-shares * apart) * (2**shares / (1 - shares)) ** 4
    assert chernoff_p_value(counts, sizes) == pytest.approx(min(1.0, by_entropy.min()), rel=1e-6)


def test_a_call_without_trials_says_nothing() -> None:
    """Where there are more calls than trials, or the trials of some calls went to the search."""
    inside = np.arange(200) % 3 == 0
    call = np.arange(200) % 3
    assert uneven_event_p_value(inside, call, 3) < 1e-9
    assert uneven_event_p_value(inside, 2 * call, 7) == uneven_event_p_value(inside, call, 3)
    assert uneven_calls_p_value([inside[:5]], 0, 9) == uneven_event_p_value(inside[:5], np.arange(5), 5)


def test_rare_events_are_uneven_where_they_come_in_few_calls() -> None:
    """One call of 64 has a tenth of its 1000 trials inside, the others none: no square of 64 is large."""
    counts, sizes = np.eye(64, dtype=np.int64)[5] * 100, np.full(64, 1_000)
    assert hoeffding_p_value(counts, sizes) > 0.1
    assert chernoff_p_value(counts, sizes) < 1e-9


def flags(value: int, trials: int, seed: int) -> Any:
    """A tenth of the trials of some calls say so; the input does not matter."""
    random = drawn(seed)
    return np.where(random.random(trials) < 0.1 * (random.random() < 0.03), 1e3, random.laplace(size=trials))


@pytest.mark.thorough
def test_what_is_rare_and_shared_is_no_refutation() -> None:
    found = [audit_mechanism(flags, 0, 1, eps=0.5, trials=30_000, seed=seed).verdict for seed in range(4)]
    assert Verdict.REFUTED not in found
    assert Verdict.NOT_APPLICABLE in found


def test_every_trial_comes_from_its_call() -> None:
    calls: list[tuple[int, int]] = []
    asked = partial(mechanism_audit, left=0.0, right=0.0, eps=1.0, trials=203, seed=0, risk=0.1)

    def counted(value: float, trials: int, seed: int) -> Any:
        calls.append((trials, seed))
        return np.full(trials, float(seed))

    outputs = drawn_side(asked(counted), "left", 8)[:, 0]
    assert [trials for trials, _ in calls] == [26, 26, 26, 25, 25, 25, 25, 25]
    assert len({seed for _, seed in calls}) == 8
    assert list(outputs) == [float(calls[i % 8][1]) for i in range(203)]
    with pytest.raises(
        ValueError,
        match=r"on the left input 0.0, different calls of the mechanism return outputs of length 1 or 2 per trial",
    ):
        drawn_side(asked(lambda v, n, s: np.zeros((n, 1 + s % 2))), "left", 8)


# -- scores ------------------------------------------------------------------------------------------------------


def test_outputs_that_are_no_numbers_are_events_of_their_own() -> None:
    left, right = (crash(value, 1_000, value)[:, None] for value in (0, 1))
    for name, score, _ in learnt_scores(left, right):
        told = score(np.array([[np.inf], [np.nan], [-np.inf], [0.0]]))
        assert list(np.sign(told[:3])) == [-1, 1, 0], name
        assert np.abs(told[:2]).min() == NONFINITE_SCORE or name == "the frequencies of whole outputs"
        assert abs(told[3]) < NONFINITE_SCORE


def test_an_output_that_came_once_is_an_event_too() -> None:
    left, right = np.zeros((4_000, 1)), np.zeros((4_000, 1))
    left[7], right[9] = np.nan, np.inf
    for name, score, _ in learnt_scores(left, right):
        nan, infinite = score(np.array([[np.nan], [np.inf]]))
        assert nan < 0 < infinite, name


@pytest.mark.parametrize("numbers", [0, 1])
def test_where_a_side_has_hardly_any_numbers_the_others_are_the_event(numbers: int) -> None:
    few, many = np.full((400, 2), np.nan), np.random.default_rng(0).normal(size=(400, 2))
    few[:numbers] = 0.5
    for left, right, sign in ((few, many, -1), (many, few, 1)):
        for name, score, _ in learnt_scores(left, right):
            nan, number = score(np.array([[np.nan, np.nan], [0.1, 0.2]]))
            if name.startswith(("number", "differences", "the frequencies of its remainder")):
                continue  # single numbers are tried from both ends, and digits say nothing of what is no number
            assert sign * (nan - number) > 0, name


def test_the_score_is_chosen_where_it_was_not_learnt() -> None:
    """Two sides of one law, five numbers each: a score believed where it was learnt would certify a lot of nothing."""
    left, right = (drawn(side).normal(size=(400, 5)) for side in (0, 1))
    best = choose_score(left, right, Gaussian(0.1), 2_000, 0.05, learnt_scores)
    fresh = [best.score(drawn(side).normal(size=(2_000, 5))) for side in (2, 3)]
    assert float(certify_tests(*fresh, best.events, Gaussian(0.1), 0.05).excess.amount) <= 0


def test_tests_are_chosen_for_as_many_trials_as_are_left_to_certify() -> None:
    """A quarter of the trials chooses; the others are fresh, and spend all of the risk."""
    left, right = (laplace(value, 4_000, side)[:, None] for side, value in enumerate((0.0, 2.0)))
    curve = Approximate(1.0)
    scored = learnt_score(MechanismAudit(laplace, 0.0, 2.0, curve, 4_000, 0, 1e-4, None), left, right, 1, learnt_scores)
    assert scored.scored is not None
    best, *others = (
        choose_score(left[:1_000], right[:1_000], curve, fresh, level, learnt_scores)
        for fresh, level in ((3_000, 1e-4), (4_000, 1e-4), (3_000, 1e-3))
    )
    assert scored.scored.left.tolist() == best.score(left[1_000:]).tolist()
    assert scored.scored.right.tolist() == best.score(right[1_000:]).tolist()
    assert scored.scored.events == best.events
    assert best.events not in [each.events for each in others]


# -- bad input ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ({}, "give exactly one guarantee"),
        ({"eps": 1.0, "mu": 1.0}, "give exactly one guarantee"),
        ({"mu": 1.0, "delta": 0.1}, "give exactly one guarantee"),
        ({"delta": 0.1}, "give exactly one guarantee"),
        ({"eps": -1.0}, "eps is -1"),
        ({"eps": np.inf}, "eps is inf"),
        ({"mu": np.nan}, "mu is nan"),
        ({"eps": 1.0, "delta": 1.0}, "delta is 1.0; .* in .0, 1"),
        ({"eps": 1.0, "trials": 199}, "at least 200"),
        ({"eps": 1.0, "risk": 0.0}, "risk is 0"),
        ({"eps": 1.0, "risk": "x"}, "risk is 'x'"),
        ({"eps": "1"}, "eps is '1'; it must be a finite number"),
        ({"eps": 1j}, "eps is 1j; it must be a finite number"),
        ({"eps": 1.0, "trials": 1000.5}, r"trials \(on each side\) is 1000.5; it must be an integer"),
        ({"eps": 1.0, "seed": -1}, "seed = -1; it must be an integer from 0"),
        ({"eps": 1.0, "seed": "x"}, "seed = 'x'; it must be an integer from 0"),
        ({"eps": 1.0, "seed": 2**64}, "seed = 18446744073709551616; it must be an"),
        ({"eps": 1.0, "score": lambda out: np.zeros(3)}, r"has shape \(3,\)"),
        ({"eps": 1.0, "score": 1}, "score is 1; it must be None, or a function"),
        ({"eps": 1.0, "score": lambda one, other: one}, r"the score <lambda>\(one, other\) must accept exactly one"),
    ],
)
def test_claims_that_are_none(claim: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        audit_mechanism(laplace, 0.0, 1.0, **{"trials": 400, **claim})


def test_what_cannot_be_called_is_no_mechanism() -> None:
    with pytest.raises(ValueError, match="mechanism is 'laplace'; it must be a"):
        audit_mechanism("laplace", 0.0, 1.0, eps=1.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"<lambda>\(\) must accept the arguments"):
        audit_mechanism(lambda: 1, 0.0, 1.0, eps=1.0)  # type: ignore[arg-type,misc]


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (
            lambda value, trials, seed: np.zeros(3),
            r"on the left input: outputs have shape \(3,\); for trials = 100 the shape must be",
        ),
        (lambda value, trials, seed: 1.0, "outputs have shape"),
        (lambda value, trials, seed: np.zeros((trials, 2, 2)), "outputs have shape"),
        (lambda value, trials, seed: np.zeros((trials, 0)), "outputs have shape"),
        (lambda value, trials, seed: ["a"] * trials, "must be numbers"),
        (lambda value, trials, seed: np.ma.masked_array(np.full(trials, value), True), "a masked array"),
        (lambda value, trials, seed: [[1.0], [1.0, 2.0]] * (trials // 2), "on the left input.*different lengths"),
        (
            lambda value, trials, seed: np.zeros((trials, 1 + value)),
            "length 1 per trial on the left input 0 and length 2 on the right input 1",
        ),
        ("laplace", "mechanism is 'laplace'; it must be a function"),
    ],
)
def test_outputs_that_are_none(mechanism: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        audit_mechanism(mechanism, 0, 1, eps=1.0, trials=400)


def test_a_seed_that_does_not_decide_is_told() -> None:
    shared = drawn(0)

    def careless(value: float, trials: int, seed: int) -> Any:
        return value + shared.normal(size=trials)

    assert "will not repeat" in audit_mechanism(careless, 0.0, 1.0, mu=1.0, trials=400).summary
    assert "seed" not in audit_mechanism(normal, 0.0, 1.0, mu=1.0, trials=400).summary


@pytest.mark.parametrize("own", [laplace, partly, response, flags])
@pytest.mark.parametrize("trials", [200, 4_001])
def test_a_mechanism_that_ignores_its_seed_is_not_applicable(own: Any, trials: int) -> None:
    """Every call has the same draws, so that none would show what the trials of a call share."""

    def stubborn(value: float, trials: int, seed: int) -> Any:
        return own(value, trials, 1)

    def by_size(value: float, trials: int, seed: int) -> Any:
        return own(value, trials, trials)

    for mechanism in (stubborn, by_size):
        finding = audit_mechanism(mechanism, 0, 1, eps=1.1, trials=trials)
        assert finding.verdict == Verdict.NOT_APPLICABLE, finding.summary
        assert "draw from the whole seed" in finding.summary


@pytest.mark.parametrize("same", [0.5, (1, 0, 1), "text", {"a": [1, 2]}, np.arange(3.0)])
def test_the_same_input_twice_is_no_question(same: Any) -> None:
    finding = audit_mechanism(lambda value, trials, seed: drawn(seed).laplace(size=trials), same, same, eps=0.1)
    assert finding.verdict == Verdict.NOT_EXERCISED
    assert "the left and the right input are equal" in finding.summary


@pytest.mark.parametrize("others", [(1, 2), ([1], [1, 2]), ({"a": 1}, {"a": 2}), (object(), object()), ("a", "b")])
def test_other_inputs_are_other_inputs(others: Any) -> None:
    assert not are_same_inputs(*others)
    assert are_same_inputs(others[0], others[0])


def test_seeds_that_collide_are_no_refutation() -> None:
    """64 calls of ten streams: few draws, each many times over. What one draw shows by chance, all of them repeat."""

    def collides(value: float, trials: int, seed: int) -> Any:
        return value + drawn(seed % 10).laplace(size=trials)

    def coin(value: int, trials: int, seed: int) -> Any:
        return response(value, trials, seed % 10)

    for mechanism, eps in ((collides, 1.0), (coin, 1.2)):
        finding = audit_mechanism(mechanism, 0, 1, eps=eps, trials=4_000)
        assert finding.verdict == Verdict.NOT_APPLICABLE
        assert "draw from the whole seed" in finding.summary


def test_equal_calls_are_as_improbable_as_their_outputs() -> None:
    """Two calls of 30 fair coins, the same: 2^-30; of outputs that are always the same, nothing unlikely; and where no
    two calls are the same, nothing is."""
    coins = np.repeat(np.arange(30) % 2, 2)[:, None].astype(float)
    assert repeated_calls_p_value(coins, 2) == pytest.approx(2.0**-30, rel=2e-9, abs=0)
    assert repeated_calls_p_value(np.ones((60, 1)), 2) == 1.0
    once = drawn(2).permutation(np.arange(30) % 2)[:, None].astype(float)
    three = np.stack([once, once, 1 - once], axis=1).reshape(90, 1)  # one of three pairs, and there may be three alike
    assert repeated_calls_p_value(three, 3) == pytest.approx(2 * 3 * 2.0**-30, rel=2e-9, abs=0)
    assert repeated_calls_p_value(np.arange(60.0)[:, None], 2) == 1.0
    assert repeated_calls_p_value(np.repeat(np.arange(500.0), 8)[:, None], 8) == 0.0
    assert log_repeated_calls_p_value(np.array([1e-6, 1 - 1e-6]), 30, 64, 64) == -np.inf


@pytest.mark.parametrize(("calls", "trials", "rare"), [(2, 6, 0.2), (3, 4, 0.3), (4, 3, 0.1)])
def test_so_many_equal_calls_are_no_likelier_than_it_says(calls: int, trials: int, rare: float) -> None:
    """Over all outputs of coins: the largest number of calls that are alike, and not all of them the commoner side."""
    every = np.array(list(itertools.product((0, 1), repeat=trials)))
    chance = (rare ** every.sum(axis=1)) * (1 - rare) ** (trials - every.sum(axis=1))
    told = every.any(axis=1) & ~every.all(axis=1)
    likely = np.zeros(calls + 1)
    for made in itertools.product(range(len(every)), repeat=calls):
        alike_ = max((n for k, n in Counter(made).items() if told[k]), default=0)
        likely[alike_] += chance[list(made)].prod()
    for same in range(2, calls + 1):
        said = np.exp(log_repeated_calls_p_value(np.array([1 - rare, rare]), trials, same, calls))
        assert likely[same:].sum() <= said * (1 + 1e-9)


def test_the_order_of_trials_is_nothing() -> None:
    """1-DP, of trials that are sorted: the first of them choose the tests, and would be other trials than the last."""

    def sorted_(value: float, trials: int, seed: int) -> Any:
        return np.sort(value + drawn(seed).laplace(size=trials))

    assert audit_mechanism(sorted_, 0.0, 1.0, eps=1.0, trials=4_000).verdict == Verdict.CONSISTENT
    assert audit_mechanism(sorted_, 0.0, 1.6, eps=1.0, trials=8_000).verdict == Verdict.REFUTED


# -- in pytest ---------------------------------------------------------------------------------------------------


def test_the_fixture_judges_mechanisms_and_reports_them(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import numpy as np

        def noisy(value, trials, seed):
            return value + np.random.default_rng(seed).laplace(size=trials)

        def test_kept(audit):
            entry = audit.mechanism(noisy, 0, 1, eps=1.0, trials=2_000, floating_point="ignore")
            assert entry["verdict"] == "CONSISTENT"

        def test_broken(audit):
            audit.mechanism(noisy, 0, 3, eps=1.0)

        def test_faulty(audit):
            audit.mechanism(lambda value, trials, seed: np.zeros(3), 0, 3, eps=1.0)

        def test_claims_nothing(audit):
            audit.mechanism(noisy, 0, 3)

        def test_scores_of_no_use(audit):
            audit.mechanism(noisy, 0, 3, eps=1.0, score=lambda outputs: outputs)

        def test_its_own_error(audit):
            audit.mechanism(lambda value, trials, seed: {}[value], 0, 3, eps=1.0)

        def test_misspelt(audit):
            audit.mechanism(noisy, 0, 3, epsilon=1.0)
        """
    )
    result = pytester.runpytest_inprocess("--audit-html", "out.html")
    result.assert_outcomes(passed=1, failed=6)
    told = result.stdout.str()
    assert "mechanism/<lambda>: the mechanism on the left input: outputs have shape (3,); for trials = 100 the" in told
    assert "audit.mechanism: give exactly one guarantee: eps= (optionally with delta=), mu= or curve=" in told
    assert "outputs has shape (" in told
    assert "KeyError: 0" in told
    assert "audit/privacy/mechanism" not in told  # no frame of ours
    assert "pytest_plugin/auditor.py" not in told
    assert "audit/cli_shared/" not in told
    assert "privacy/scores/" not in told
    result.stdout.fnmatch_lines(
        [
            "mechanism/noisy@*::test_broken: REFUTED, expected PROVED or CONSISTENT",
            "*statement*For the two given inputs, the outputs are (1, 0)-DP",
            "*found*noisy: (1, 0)-DP is claimed; samples certify eps >= 2.*",
            "*repeat*::test_broken' --audit-profile quick --audit-seed 0",
        ]
    )
    page = (pytester.path / "out.html").read_text()
    assert "mechanism/noisy@" in page
    assert "test_kept" in page


class Reused:
    """v + 0.2 Laplace noise, eps = 5 for inputs 0 and 1, in one buffer for every call."""

    def __init__(self) -> None:
        self.buffer = np.empty(200_000)

    def __call__(self, value: float, trials: int, seed: int) -> Any:
        outputs = self.buffer[:trials]
        np.copyto(outputs, value + 0.2 * np.random.default_rng(seed).laplace(size=trials))
        return outputs

    def score(self, outputs: Any) -> Any:
        told = self.buffer[: len(outputs)]
        np.copyto(told, -outputs[:, 0])
        return told


def test_a_reused_buffer_hides_nothing() -> None:
    assert audit_mechanism(Reused(), 1.0, 0.0, eps=1, trials=20_000).verdict == Verdict.REFUTED
    scored = audit_mechanism(Reused(), 1.0, 0.0, eps=1, trials=20_000, score=Reused().score)
    assert scored.verdict == Verdict.REFUTED


@pytest.mark.parametrize(
    "score",
    [
        lambda outputs: np.full(len(outputs), outputs.mean()),  # tells any two inputs apart, and no trial does
        lambda outputs: 1e9 + outputs[:, 0] - outputs.mean(),
        lambda outputs: np.sort(outputs[:, 0]),
    ],
)
def test_a_score_that_looks_at_other_trials_refutes_nobody(score: Any) -> None:
    with pytest.raises(ValueError, match="compute the score of a trial only from the outputs of this trial"):
        audit_mechanism(laplace, 0, 1, eps=1.0, trials=TRIALS, score=score)


def test_a_score_may_be_rounded_as_its_batch_has_it() -> None:
    """In single precision, as neural networks have it; some have infinities."""

    def single(outputs: Any) -> Any:
        return (outputs[:, 0] * (1 + 1e-7 * (len(outputs) % 3 + 1))).astype(np.float32)

    for score in (single, lambda outputs: np.where(outputs[:, 0] > 2, np.inf, single(outputs))):
        finding = audit_mechanism(laplace, 0, 1, eps=1.0, trials=TRIALS, score=score)
        assert finding.verdict == Verdict.CONSISTENT
        assert finding.resolution


def test_an_input_that_a_call_uses_up_is_no_input() -> None:
    """Whoever gets nothing from the second call on looks the same on both sides."""

    def summed(values: Any, trials: int, seed: int) -> Any:
        return laplace(sum(values), trials, seed)

    for given in (iter([1, 0]), (value for value in (1, 0)), map(int, "10")):
        with pytest.raises(ValueError, match=r"the left input is .*, which can be read only once"):
            audit_mechanism(summed, given, [0, 0], eps=0.5, trials=1_000)


@pytest.mark.parametrize("make", [list, np.array, bytearray])
def test_a_mechanism_that_changes_its_input_is_told_so(make: Any) -> None:
    def zeroing(values: Any, trials: int, seed: int) -> Any:
        total = sum(values)
        values[0] = 0
        return laplace(total, trials, seed)

    with pytest.raises(ValueError, match=r"modifies its right input, .* copy its input first"):
        audit_mechanism(zeroing, make([0, 0]), make([1, 0]), eps=0.5, trials=1_000)
    with pytest.raises(ValueError, match="modifies its left input"):
        audit_mechanism(zeroing, make([1, 0]), make([0, 0]), eps=0.5, trials=1_000)


def test_an_input_that_cannot_be_watched_is_handed_on() -> None:
    class Stubborn(list[float]):
        def __deepcopy__(self, memo: Any) -> Any:
            raise TypeError("no copies")

    def summed(values: Any, trials: int, seed: int) -> Any:
        return laplace(float(np.nansum(values)), trials, seed)

    for left, right in ((Stubborn([0.0]), Stubborn([1.0])), (np.array([0.0, np.nan]), np.array([1.0, np.nan]))):
        assert audit_mechanism(summed, left, right, eps=1.0, trials=1_000).verdict == Verdict.CONSISTENT


@pytest.mark.parametrize("other", [np.nan, np.inf, -np.inf])
@pytest.mark.first(1)
def test_numbers_beside_what_is_none_are_seen(other: float) -> None:
    """As where rows are filled up with nan after the last number: all of them, or all but one of two places."""

    def always(value: float, trials: int, seed: int) -> Any:
        return np.stack([laplace(value, trials, seed), np.full(trials, other)], axis=1)

    def either(value: float, trials: int, seed: int) -> Any:
        places = np.arange(trials)[:, None] % 2 == [0, 1]
        return np.where(places, laplace(value, trials, seed)[:, None], other)

    for mechanism in (always, either):
        assert audit_mechanism(mechanism, 0, 3, eps=1.0, trials=TRIALS).verdict == Verdict.REFUTED
        assert audit_mechanism(mechanism, 0, 1, eps=1.0, trials=TRIALS).verdict == Verdict.CONSISTENT


def test_a_risk_is_any_number() -> None:
    assert audit_mechanism(laplace, 0, 1, eps=1.0, trials=200, risk=Fraction(1, 1000)).verdict == Verdict.CONSISTENT


def test_outputs_and_scores_that_would_lose_what_they_tell() -> None:
    def large(value: int, trials: int, seed: int) -> Any:
        return np.int64(2**60) + value + np.random.default_rng(seed).integers(0, 3, trials)

    with pytest.raises(ValueError, match=r"above 2\^53"):
        audit_mechanism(large, 1, 0, eps=1, trials=20_000)
    with pytest.raises(ValueError, match="is nan; every score must be a number"), np.errstate(invalid="ignore"):
        audit_mechanism(Reused(), 1.0, 0.0, eps=1, trials=20_000, score=lambda outputs: np.log(outputs[:, 0]))


@pytest.mark.parametrize("other", [np.nan, np.inf, 1.0])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.first(2)
def test_one_number_and_what_is_none_are_two_outputs(other: float, turned: bool) -> None:
    """Nine trials in ten give the one on the left, and the other on the right: (log 9)-DP."""

    def mechanism(value: int, trials: int, seed: int) -> Any:
        return np.where(drawn(seed).random(trials) < 0.9, *((0.0, other) if value == turned else (other, 0.0)))

    assert audit_mechanism(mechanism, 0, 1, eps=1.0, trials=3_000).verdict == Verdict.REFUTED
    assert audit_mechanism(mechanism, 0, 1, eps=2.3, trials=3_000).verdict == Verdict.CONSISTENT


def test_inputs_that_cannot_be_compared_are_two() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise TypeError("no order of mine")

        __hash__ = None  # type: ignore[assignment]

    one = Odd()
    assert are_same_inputs(one, one)
    assert not are_same_inputs(one, Odd())
    assert are_same_inputs([1.0, 2.0], np.array([1, 2]))
    assert not are_same_inputs([1.0, 2.0], [1.0, 2.5])


@pytest.mark.parametrize("place", [0, 1, 2, 2_999])
@pytest.mark.parametrize(("most", "one"), [(0.0, np.nan), (np.nan, 0.0), (0.0, 1.0)])
@pytest.mark.first(4)
def test_outputs_are_all_the_same_only_if_every_one_is(place: int, most: float, one: float) -> None:
    asked = mechanism_audit(flags, 0, 1, eps=1.0, trials=3_000, seed=0, risk=1e-9)
    left, right = np.full((2, 3_000, 1), most)
    assert score_outputs(asked, left, right, 1) == Score(idle="every trial gave the same output, on either side")
    left[place] = one
    assert not score_outputs(asked, left, right, 1).idle
    assert not score_outputs(asked, right, left, 1).idle


def copies_now_and_then(chance: float) -> Any:
    def mechanism(value: float, trials: int, seed: int) -> Any:
        draw = np.random.default_rng(seed)
        noisy = value + draw.laplace(size=trials)
        return np.where(draw.random(trials) < chance, value, noisy)

    return mechanism


@pytest.mark.first(1)
@pytest.mark.parametrize("side", [(0.0, 1.0), (1.0, 0.0)])
def test_exact_copies_of_the_input_are_found_however_rare(side: tuple[float, float]) -> None:
    """One output in a thousand: 150 copies against none among the fresh trials."""
    found = audit_mechanism(copies_now_and_then(1e-3), *side, eps=1.0, floating_point="ignore")
    assert found.verdict is Verdict.REFUTED
    assert (
        audit_mechanism(copies_now_and_then(0.0), *side, eps=1.0, floating_point="ignore").verdict is Verdict.CONSISTENT
    )


@pytest.mark.thorough
@pytest.mark.parametrize("side", [(0.0, 1.0), (1.0, 0.0)])
def test_neighbouring_outputs_that_are_seldom_equal_are_found(side: tuple[float, float]) -> None:
    """In one trial of fifty the second output repeats the first, which is another number in every trial."""

    def twins(chance: float, value: float, trials: int, seed: int) -> Any:
        draw = drawn(seed)
        out = draw.laplace(scale=30.0, size=(trials, 3))
        same = (draw.random(trials) < chance) & (value > 0)
        out[same, 1] = out[same, 0]
        return out

    verdicts = [audit_mechanism(partial(twins, chance), *side, eps=1.0).verdict for chance in (0.02, 0.0)]
    assert verdicts == [Verdict.REFUTED, Verdict.CONSISTENT]


@pytest.mark.thorough
def test_rare_outputs_share_the_risk_with_all_outputs() -> None:
    """A public atom, as likely on either side, and noise of exactly eps = 1: no more alarms than a risk of 0.2."""

    def mechanism(value: float, trials: int, seed: int) -> Any:
        draw = np.random.default_rng(seed)
        truth = (draw.random(trials) < np.e / (1 + np.e)) == (value > 0)
        jitter = np.where(truth, 1.0, -1.0) * (1 + draw.random(trials))
        return np.where(draw.random(trials) < 0.01, 7.0, jitter)

    found = [
        audit_mechanism(mechanism, 0.0, 1.0, eps=1.0, floating_point="ignore", trials=2_000, risk=0.2, seed=s)
        for s in range(40)
    ]
    refuted = sum(each.verdict is Verdict.REFUTED for each in found)
    assert refuted <= 40 * 0.2 + 3 * np.sqrt(40 * 0.2 * 0.8)
    assert any("rare outputs" in str(each.evidence) for each in found)


def test_bits_are_blamed_only_for_what_numbers_do_not_reveal():
    """An exception on one side is no low-order bit: numbers reveal it."""

    def raises_on_ones(values, trials, seed):
        rng = np.random.default_rng(seed)
        if values[0] == 1 and rng.random() < 0.5:
            raise RuntimeError
        return rng.laplace(size=trials)

    found = audit_with_bits(raises_on_ones, [1], [0], eps=1.0, trials=1_000, on_error="output")
    assert found.verdict is Verdict.REFUTED
    assert "low-order bits" not in found.summary
    assert "The test of bits also sees what the numbers themselves reveal" in found.summary
