"""Every rounding that is counted is needed: each bound against its own formula, or against exact arithmetic with no
tolerance at all."""

from __future__ import annotations

from fractions import Fraction
from math import log, log1p
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import ctx

from dpbandits import Pair, flipped
from dpbandits.proofs_checks.exact.engine import LAW_ERROR, exact_profile
from dpbandits.proofs_checks.exact.enumeration import enumerated_profile
from dpbandits.proofs_checks.exact.privacy_profile import ExactProfile, MeasurePair, TailBound, relative_to_log_error
from dpbandits.proofs_checks.exact.state_graph import log_error, state_graph
from dpbandits.proofs_checks.vocabularies import intervals
from dpbandits.proofs_checks.vocabularies.intervals import Interval, interval_of_number, iv
from dpbandits.reference.arithmetic.elementary import UNIT_ROUNDOFF
from dpbandits.reference.bandits.release_laws.argmax_law import TAIL, trapezoid, trapezoid_step
from dpbandits.reference.papers.ou24 import ALGORITHM_1


def zeros(arms: int, horizon: int) -> Pair:
    return flipped("pull", np.zeros((arms, horizon)), 0, 0, 1.0)


# -- the exact engine ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("error", "value"), [(1e-9, 1.0), (1e-3, 1e-2), (1e-12, 1e-9), (0.5, 0.6), (0.3, 7.0)])
def test_what_an_absolute_error_may_change_a_logarithm_by(error: float, value: float) -> None:
    true = max(abs(log(value + sign * error) - log(value)) for sign in (-1, 1))
    assert relative_to_log_error(error, value) == pytest.approx(true, rel=1e-6, abs=0)
    assert relative_to_log_error(0.0, value) == 0
    assert relative_to_log_error(value, value) == np.inf


@pytest.mark.parametrize("error", [0.0, 1e-9, 0.5, 0.99])
def test_what_a_relative_error_may_change_a_logarithm_by(error: float) -> None:
    true = max(abs(log1p(sign * error)) for sign in (-1, 1))
    assert log_error(error) == pytest.approx(true, rel=1e-9, abs=0)
    assert log_error(1.0) == log_error(1.0 + error) == np.inf


def least_laws(horizon: int, pair: Pair) -> list[float]:
    """The smallest probability of each step, on either side."""
    along = state_graph(ALGORITHM_1(2, horizon), pair)
    layer, least = along.first_layer(), []
    for t in range(1, horizon + 1):
        moves, layer = along.pair_step(t, layer)
        least.append(float(min(moves.left.min(), moves.right.min())))
    return least


def test_the_drift_of_a_deep_tail_counts_the_law_and_every_logarithm() -> None:
    """Per step LAW_ERROR, and 8 roundings of numbers of size 1 and of the size of the largest logarithm."""
    horizon = 30
    pair = zeros(2, horizon)
    tail = exact_profile(ALGORITHM_1(2, horizon), pair, deep=True).tail
    assert tail is not None
    counted = [
        -log1p(-LAW_ERROR) + UNIT_ROUNDOFF * (8 + 8 * max(-log(least), 1.0)) for least in least_laws(horizon, pair)
    ]
    assert tail.log_error == pytest.approx(sum(counted), rel=1e-12, abs=0)


def test_the_drift_of_a_spectrum_counts_the_law_and_every_mass() -> None:
    """Per step LAW_ERROR, 24 roundings of a mass and 8 of a loss, whose size is at least the largest atom's."""
    horizon = 30
    profile = exact_profile(ALGORITHM_1(2, horizon), zeros(2, horizon), deep=False)
    widest = max(abs(float(log(p / q))) for p, q in zip(*profile.upper, strict=True) if p > 1e-200 and q > 1e-200)
    assert profile.log_error >= horizon * (LAW_ERROR + UNIT_ROUNDOFF * (24 + 8 * widest))
    assert profile.log_error <= 2 * horizon * (LAW_ERROR + UNIT_ROUNDOFF * (24 + 8 * widest))


def test_the_drift_of_an_enumeration_counts_the_law() -> None:
    horizon = 6
    profile = enumerated_profile(ALGORITHM_1(2, horizon), zeros(2, horizon))
    assert profile.log_error == pytest.approx(horizon * (-log1p(-LAW_ERROR) + 4 * UNIT_ROUNDOFF), rel=1e-12, abs=0)


@pytest.mark.parametrize("alpha", [1.0, 1.5, 3.0, 20.0])
@pytest.mark.parametrize("drift", [0.0, 1e-3, 0.2])
def test_what_pruned_transcripts_add_is_bounded_also_at_its_worst(alpha: float, drift: float) -> None:
    """One pruned transcript whose probabilities are off by the whole drift, at the eps where the bound is attained."""
    computed = 1e-6, 1e-9
    left, right = computed[0] * np.exp(drift), computed[1] * np.exp(-drift)
    moment = alpha * np.log(computed[0]) + (1 - alpha) * np.log(computed[1])
    tail = TailBound(np.array([alpha]), np.array([moment]), np.array([0.0]), -50.0, 50.0, drift)
    nothing = MeasurePair(np.zeros(1), np.zeros(1))
    profile = ExactProfile(nothing, nothing, lost=(1.0, 1.0), tail=tail)
    # (1 - e^-y) e^(-(alpha - 1) y) is largest at e^-y = (alpha - 1)/alpha
    worst = np.log(left / right) - (np.log(alpha / (alpha - 1)) if alpha > 1 else 60.0)
    added = np.maximum(left - np.exp(worst) * right, 0)
    assert np.log(added) <= float(profile.log_pruned_delta(worst)) + 1e-12
    assert np.log(added) >= float(profile.log_pruned_delta(worst)) - 1e-9  # it is attained


# -- the normal distribution function --------------------------------------------------------------------------------

truth = mpmath.MPContext()
truth.dps = 160
GRID: list[Any] = [Fraction(k, 16) for k in (1, 7, 16, 23, 40, 77, 80, 81, 130, 333, 1599, 1601)]


def encloses(value: Interval, exact: Any) -> bool:
    """Without any tolerance: the exact number has 160 digits, the enclosure at most 40."""
    low, high = Fraction(value.low), Fraction(value.high)
    return bool(truth.mpf(low.numerator) / low.denominator <= exact <= truth.mpf(high.numerator) / high.denominator)


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "ncdf", "cut", "root"])
@pytest.mark.first(4)
def test_functions_are_enclosed_at_every_precision(name: str) -> None:
    ours: dict[str, Any] = {"cut": lambda x: intervals.iv.ncdf(-x), "root": lambda x: x ** Fraction(2, 3)}
    known: dict[str, Any] = {"cut": lambda x: truth.ncdf(-x), "root": lambda x: truth.cbrt(x) ** 2}
    function, reference = (
        ours.get(name, getattr(intervals.iv, name, None)),
        known.get(name, getattr(truth, name, None)),
    )
    for x in GRID:
        exact = reference(truth.mpf(x.numerator) / x.denominator)
        for prec in (*range(10, 60), 90, 120):
            assert encloses(function(interval_of_number(x, prec)), exact), (x, prec)


@pytest.mark.parametrize("x", ["-99.9", "-100", "-100.1", "-3000", "-1e5", "-1e9"])
def test_the_far_tail_keeps_its_digits(x: str) -> None:
    """erfc loses them, from 10^5 on all of them: there the incomplete gamma function takes over."""
    value = iv.log(iv.ncdf(x))
    assert value.high - value.low <= -value.low * Fraction(1, 10**45)
    exact = truth.mpf(x)
    tail = truth.log(truth.hyperu(0.5, 0.5, exact**2 / 2) / (2 * truth.sqrt(truth.pi))) - exact**2 / 2
    slack = Fraction(1, 10**60)  # of the reference, of which 120 digits are read
    assert value.low * (1 + slack) <= Fraction(truth.nstr(tail, 120)) <= value.high * (1 - slack)


def test_operations_leave_the_precision_of_others_alone() -> None:
    before = ctx.prec
    with pytest.raises(ValueError, match="NaN"):
        iv.number(1) + float("nan")
    for value in (iv.pi + 1, iv.exp(iv.pi), iv.pi**0.3, iv.ncdf(iv.pi), iv.floor(iv.pi), iv.pi**7):
        assert value.low <= value.high
        assert ctx.prec == before


def test_ends_are_points() -> None:
    """An end that were a ball would compare as nothing does: Arb's minus sign makes balls of long numbers."""
    long = iv.number(Fraction(2**300 + 1, 2**300))
    values = [-long, abs(-long), iv.minimum(long, 2), -iv.exp(iv.pi), abs(-iv.pi), long - 2, iv.ceil(long), -(long**3)]
    for value in values:
        assert all(end.is_exact() for end in value.ends), value
    assert abs(-long) == long
    assert (-long).low == -Fraction(2**300 + 1, 2**300)


# -- long powers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [99, 150, 151, 400])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("size", [Fraction(2**170 // 3, 2**170), Fraction(2**170 // 3 * 5 + 1, 2**170)])
def test_powers_too_long_to_be_exact_are_enclosed(n: int, sign: int, size: Fraction) -> None:
    x = sign * size
    value = iv.number(x) ** n
    assert value.low <= x**n <= value.high
    assert value.low < value.high
    assert value.high - value.low <= abs(x**n) * Fraction(1, 10**45)
    below = iv.between(x - Fraction(1, 2**60), x) ** n
    for end in (x, x - Fraction(1, 2**60)):
        assert below.low <= end**n <= below.high


# -- the law of an argmax --------------------------------------------------------------------------------------------


def lost_beyond(step: float) -> float:
    """What the trapezoidal rule leaves out of the sum over the whole lattice, for an integrand phi."""
    taken = float(trapezoid(np.array([[60.0]]), np.array([[1.0]]), step)[0])
    with mpmath.workdps(30):
        last = int(40 / step)
        whole = mpmath.mpf(step) * mpmath.fsum(mpmath.npdf(k * mpmath.mpf(step)) for k in range(-last, last + 1))
        return float(whole - taken)


@pytest.mark.parametrize("step", [*(trapezoid_step(2.0**p) for p in range(1, 9)), *(TAIL / (n - 1e-3) for n in (6, 8))])
@pytest.mark.first(5)
def test_the_line_is_cut_where_the_budget_says(step: float) -> None:
    """At most 2 Phi(-TAIL) is lost: the first point left out lies a step beyond TAIL. And 3e-16 for the sum of some
    tens of doubles."""
    assert abs(lost_beyond(step)) <= 2 * float(mpmath.ncdf(-TAIL)) + 3e-16
