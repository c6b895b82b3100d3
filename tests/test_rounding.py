"""Every rounding that is counted is needed: each bound against its own formula, or against exact arithmetic with no
tolerance at all."""

from __future__ import annotations

from fractions import Fraction
from math import log
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import libmp

from dpbandits.proofs_checks import normal
from dpbandits.proofs_checks.contexts import iv
from dpbandits.proofs_checks.enumeration import enumerated_profile
from dpbandits.proofs_checks.lattice import forward, sizes
from dpbandits.proofs_checks.laws import LAW_ERROR, exact_profile
from dpbandits.proofs_checks.moments import UNIT
from dpbandits.proofs_checks.normal import density, phi_ends
from dpbandits.proofs_checks.profile import ExactProfile
from dpbandits.proofs_checks.spectrum import Masses, Tail
from dpbandits.reference.argmax_law import TAIL, trapezoid, trapezoid_step
from dpbandits.reference.neighbours import Pair, flipped
from dpbandits.reference.papers.ou24 import ALGORITHM_1


def zeros(arms: int, horizon: int) -> Pair:
    return flipped("pull", np.zeros((arms, horizon)), 0, 0, 1.0)


# -- the exact engine ------------------------------------------------------------------------------------------------


def least_laws(horizon: int, pair: Pair) -> list[float]:
    """The smallest probability of each step, on either side."""
    walk = forward(ALGORITHM_1(2, horizon), pair)
    layer, least = walk.start(), []
    for t, size in sizes(walk.policy):
        moves, layer = walk.advance(t, size, layer)
        least.append(float(min(moves.left.min(), moves.right.min())))
    return least


def test_the_drift_of_a_deep_tail_counts_the_law_and_every_logarithm() -> None:
    """Per step LAW_ERROR, and 8 roundings of numbers of size 1 and of the size of the largest logarithm."""
    horizon = 30
    pair = zeros(2, horizon)
    tail = exact_profile(ALGORITHM_1(2, horizon), pair, deep=True).tail
    assert tail is not None
    counted = [LAW_ERROR + UNIT * (8 + 8 * max(-log(least), 1.0)) for least in least_laws(horizon, pair)]
    assert tail.drift == pytest.approx(sum(counted), rel=1e-12, abs=0)


def test_the_drift_of_a_spectrum_counts_the_law_and_every_mass() -> None:
    """Per step LAW_ERROR, 24 roundings of a mass and 8 of a loss, whose size is at least the largest atom's."""
    horizon = 30
    profile = exact_profile(ALGORITHM_1(2, horizon), zeros(2, horizon), deep=False)
    widest = max(abs(float(log(p / q))) for p, q in zip(*profile.upper, strict=True) if p > 1e-200 and q > 1e-200)
    assert profile.drift >= horizon * (LAW_ERROR + UNIT * (24 + 8 * widest))
    assert profile.drift <= 2 * horizon * (LAW_ERROR + UNIT * (24 + 8 * widest))


def test_the_drift_of_an_enumeration_counts_the_law() -> None:
    horizon = 6
    profile = enumerated_profile(ALGORITHM_1(2, horizon), zeros(2, horizon))
    assert profile.drift == pytest.approx(horizon * (LAW_ERROR + 4 * UNIT), rel=1e-12, abs=0)


@pytest.mark.parametrize("alpha", [1.0, 1.5, 3.0, 20.0])
@pytest.mark.parametrize("drift", [0.0, 1e-3, 0.2])
def test_what_pruned_transcripts_add_is_bounded_also_at_its_worst(alpha: float, drift: float) -> None:
    """One pruned transcript whose probabilities are off by the whole drift, at the eps where the bound is attained."""
    computed = 1e-6, 1e-9
    left, right = computed[0] * np.exp(drift), computed[1] * np.exp(-drift)
    moment = alpha * np.log(computed[0]) + (1 - alpha) * np.log(computed[1])
    tail = Tail(np.array([alpha]), np.array([moment]), np.array([0.0]), -50.0, 50.0, drift)
    nothing = Masses(np.zeros(1), np.zeros(1))
    profile = ExactProfile(nothing, nothing, lost=(1.0, 1.0), tail=tail)
    # (1 - e^-y) e^(-(alpha - 1) y) is largest at e^-y = (alpha - 1)/alpha
    worst = np.log(left / right) - (np.log(alpha / (alpha - 1)) if alpha > 1 else 60.0)
    added = np.maximum(left - np.exp(worst) * right, 0)
    assert np.log(added) <= float(profile.log_lost(worst)) + 1e-12
    assert np.log(added) >= float(profile.log_lost(worst)) - 1e-9  # it is attained


# -- the normal distribution function --------------------------------------------------------------------------------

truth = mpmath.MPContext()
truth.dps = 160
GRID: list[Any] = [Fraction(k, 16) for k in (1, 7, 16, 23, 40, 77, 80, 81, 130, 333)]


def raw(x: Fraction) -> Any:
    return libmp.from_rational(x.numerator, x.denominator, 200)


@pytest.mark.parametrize("prec", range(10, 90))
def test_the_density_is_enclosed_at_every_precision(prec: int) -> None:
    for x in GRID:
        low, high = density(raw(x), prec)
        exact = truth.npdf(truth.mpf(x.numerator) / x.denominator)
        assert truth.make_mpf(low) <= exact <= truth.make_mpf(high)


def test_the_constant_of_the_density_is_enclosed_at_every_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the exponential, whose own margin would hide an end of pi that is rounded the wrong way."""
    monkeypatch.setattr(normal, "exp_ends", lambda ends, prec: (libmp.fone, libmp.fone))
    exact = 1 / truth.sqrt(2 * truth.pi)
    for prec in range(4, 400):
        low, high = density(libmp.fone, prec)
        assert truth.make_mpf(low) <= exact <= truth.make_mpf(high), prec


@pytest.mark.parametrize("prec", [12, 17, 24, 33, 53, 90])
def test_the_distribution_function_is_enclosed_at_every_precision(prec: int) -> None:
    for x in GRID:
        for sign in (1, -1):
            low, high = phi_ends(raw(sign * x), prec)
            exact = truth.ncdf(sign * truth.mpf(x.numerator) / x.denominator)
            assert truth.make_mpf(low) <= exact <= truth.make_mpf(high)


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
def test_the_line_is_cut_where_the_budget_says(step: float) -> None:
    """At most 2 Phi(-TAIL) is lost: the first point left out lies a step beyond TAIL. And 3e-16 for the sum of some
    tens of doubles."""
    assert abs(lost_beyond(step)) <= 2 * float(mpmath.ncdf(-TAIL)) + 3e-16
