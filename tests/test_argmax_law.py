"""The exact law of an argmax of normals, against quadrature at 30 digits; and the error bound it states."""

from __future__ import annotations

import itertools

import flint
import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import states
from vacuity import nonvacuous_if

from dpbandits.reference.bandits.release_laws.argmax_law import ERROR, TAIL, TRAPEZOID, argmax_law, trapezoid_step


def quadrature(means, scales, arm):
    """P(arm wins), to about 30 digits: the integral as a ball that holds it, cut off where 1e-43 is left."""
    m, s = [flint.acb(float(x)) for x in means], [flint.acb(float(x)) for x in scales]
    root = flint.acb(2).sqrt()

    def density(x, _):
        value = (-x * x / 2).exp()
        for j in set(range(len(m))) - {arm}:
            value *= (-(m[arm] - m[j] + s[arm] * x) / s[j] / root).erfc() / 2
        return value

    with flint.ctx.workprec(120):
        return (flint.acb.integral(density, -14, 14, rel_tol=1e-30, abs_tol=1e-30) / (2 * flint.acb.pi()).sqrt()).real


def misses(means, scales, arms=None):
    """The largest error over some arms."""
    law = argmax_law(np.array([means]), np.array([scales]))[0]
    tried = range(len(means)) if arms is None else arms
    return np.max([float(abs(quadrature(means, scales, arm) - float(law[arm])).upper()) for arm in tried])


def deviations(pulls):
    return 1 / np.sqrt(np.asarray(pulls) + 1.0)


@pytest.mark.parametrize(
    ("means", "pulls", "arms"),
    [
        ((0.2, 0.5, 0.4), (3, 7, 1), None),
        ((0.9, 0.1, 0.9), (1, 10**6, 10**6), None),  # one wide arm against two needles
        ((0.0, 0.9, 0.89), (0, 10**6, 30), None),
        ((0.5, 0.5, 0.5, 0.5, 0.5), (1, 10, 100, 10**4, 10**6), (0, 2)),
        ((1.0, 0.0, 0.0, 0.0, 0.999), (10**6, 1, 1, 1, 10**6), (0, 1)),
        (tuple(np.linspace(0, 0.9, 10)), (1, 10**6) * 5, (8, 9)),
    ],
)
def test_against_quadrature_with_extreme_pull_ratios(means, pulls, arms):
    assert misses(means, deviations(pulls), arms) <= ERROR


@pytest.mark.parametrize("shift", [-1.0, 0.3, 4.0])
@pytest.mark.parametrize("ratio", [0.01, 1.0, 40.0])
def test_against_quadrature_wherever_the_step_lies(shift, ratio):
    """A needle of another arm at any place on the line, which is where a coarse rule would alias."""
    assert misses((0.0, shift, shift + 0.1), (1.0, 1 / ratio, 1 / ratio), (0,)) <= ERROR


@pytest.mark.thorough
def test_the_error_bound_bounds_the_rule():
    """The trapezoidal rule itself, at 30 digits and steps so large that its error shows: for f = phi Phi(l + r x)
    the exact integral is Phi(l/sqrt(1 + r^2)), so that no quadrature is needed; and in the worst place the bound
    is nearly attained, which says that it is no wild exaggeration either."""
    with mpmath.workdps(30):
        for ratio in (mpmath.mpf("0.1"), mpmath.mpf(3)):
            squares, worst = 1 + ratio**2, mpmath.mpf(0)
            for a in (1, 3, 6):
                step = mpmath.pi * mpmath.sqrt(2 / (squares * a))
                bound = 1 / mpmath.sinh(a)
                for lead, offset in itertools.product((-2, -1, 0, 1), (0, 0.25, 0.5, 0.75)):
                    # Moving the grid is the same as moving f along the line, under which the bound is invariant.
                    nodes = [(k + offset) * step for k in range(-30, 31)]
                    rule = step * mpmath.fsum(mpmath.npdf(x) * mpmath.ncdf(lead + ratio * x) for x in nodes)
                    exact = mpmath.ncdf(lead / mpmath.sqrt(squares))
                    assert abs(rule - exact) <= bound
                    worst = max(worst, abs(rule - exact) / bound)
            assert worst > mpmath.mpf("0.01")


def test_an_entire_integrand_obeys_the_strip_bound():
    """|Phi(u + iv)| <= exp(v^2/2) Phi(u), on which the bound rests."""
    with mpmath.workdps(30):
        for u, v in itertools.product((-6, -1, 0, 0.5, 4), (-5, -1, 0.1, 2)):
            value = abs(1 + mpmath.erf(mpmath.mpc(u, v) / mpmath.sqrt(2))) / 2
            assert value <= mpmath.exp(mpmath.mpf(v) ** 2 / 2) * mpmath.ncdf(u) * (1 + mpmath.mpf(10) ** -20)


def test_the_budget_of_the_error_adds_up():
    cut = 2 * float(mpmath.ncdf(-TAIL))
    assert TRAPEZOID + cut + 8e-15 <= ERROR  # the last one for the rounding of at most 20 factors
    # The step that the rule takes is the largest that its bound allows.
    a = 2 * np.pi**2 / (3.0 * trapezoid_step(3.0) ** 2)
    assert 1 / np.sinh(a) == pytest.approx(TRAPEZOID, rel=1e-9, abs=0)


@given(state=states(arms=2))
@pytest.mark.nonvacuous(8)
def test_two_arms_are_one_value_of_phi(state):
    """Relative 1e-12: the argument is off by a few units of 1e-16 times itself, which Phi magnifies by its square,
    below 40^2 where Phi is a normal double."""
    means, scales = state.total / (state.pulls + 1), deviations(state.pulls)
    gap = (means[0, 0] - means[0, 1]) / np.sqrt((scales**2).sum())
    nonvacuous_if(gap != 0)
    law = argmax_law(means, scales)[0]
    with mpmath.workdps(30):
        assert law[0] == pytest.approx(float(mpmath.ncdf(float(gap))), rel=1e-12, abs=1e-300)
        assert law[1] == pytest.approx(float(mpmath.ncdf(float(-gap))), rel=1e-12, abs=1e-300)


@given(state=states(arms=4, trials=3), shift=st.floats(-2, 2), stretch=st.floats(0.1, 10))
@pytest.mark.nonvacuous(12)
def test_laws_are_laws(state, shift, stretch):
    """Probabilities, adding up to one, indifferent to moving and stretching the line and to the order of arms."""
    means, scales = state.total / (state.pulls + 1), deviations(state.pulls)
    law = argmax_law(means, scales)
    nonvacuous_if(np.ptp(law) > 0.01)
    assert ((law >= 0) & (law <= 1)).all()
    assert np.abs(law.sum(axis=1) - 1).max() <= 4 * ERROR
    # Moving and stretching rounds the gaps between means, by at most 1e-14 in units of the smallest scale 1e-3.
    moved = argmax_law(shift + stretch * means, stretch * scales)
    assert np.abs(moved - law).max() <= 2 * ERROR + 1e-11
    order = [2, 0, 3, 1]
    assert np.abs(argmax_law(means[:, order], scales[:, order]) - law[:, order]).max() <= 2 * ERROR


@given(state=states(arms=3, trials=5))
@pytest.mark.nonvacuous(12)
def test_a_row_does_not_depend_on_the_others(state):
    means, scales = state.total / (state.pulls + 1), deviations(state.pulls)
    together = argmax_law(means, scales)
    nonvacuous_if(np.ptp(together, axis=0).max() > 0.01)
    for row in range(5):
        alone = argmax_law(means[row : row + 1], scales[row : row + 1])[0]
        assert np.abs(alone - together[row]).max() <= 1e-15  # the same nodes; sums may associate differently


def test_equal_arms_win_equally_often():
    for arms in (1, 2, 3, 7, 20):
        law = argmax_law(np.zeros((1, arms)), np.ones((1, arms)))[0]
        assert np.abs(law - 1 / arms).max() <= ERROR


@pytest.mark.parametrize(
    ("means", "scales", "message"),
    [
        ([0, 0, 0], [1, 0, 1], "a scale is 0.0; every scale must be positive"),
        ([0, 0, 0], [1, float("nan"), 1], "a scale is nan; every scale must be positive"),
        ([0, 0, 0], [1, float("inf"), 1], "a scale is inf; every scale must be positive and finite"),
        ([0, float("nan"), 0], [1, 1, 1], "a mean is nan; every mean must be finite"),
        ([0, 0, 0], [1, 1e-6, 1], "is 1e\\+06 times the smallest; at most 100000 times is supported"),
    ],
)
def test_bad_laws_are_refused(means, scales, message):
    with pytest.raises(ValueError, match=message):
        argmax_law(np.array([means], float), np.array([scales], float))
