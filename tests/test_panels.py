"""Panels of wedges and of cones: what Gauss's rule is bounded by on each of them, and which of them are halved."""

from __future__ import annotations

from itertools import product

import mpmath
import numpy as np
import pytest
from scipy.special import ndtr

from dpbandits.reference.bandits.release_laws.selections import wedges
from dpbandits.reference.papers.chen24.algorithms import cones
from dpbandits.reference.papers.chen24.algorithms import wedges as chen24_wedges
from dpbandits.reference.papers.chen24.algorithms.fans import fan

RANDOM = np.random.default_rng(0)
SPACE = fan(tuple(map(tuple, RANDOM.normal(size=(4, 3)).tolist())), 1)
PLANE = fan(tuple(map(tuple, RANDOM.normal(size=(5, 2)).tolist())), 1)


def rate(ellipse, nodes):
    """The relative error of Gauss's rule beside the quotient of the bounds: 8 r/((q - 1) q^(2n - 1)) over 2 r."""
    return np.log(4 / (ellipse - 1)) - (2 * nodes - 1) * np.log(ellipse)


# -- cones -----------------------------------------------------------------------------------------------------------


def log_f(q, along):
    """log of q^(-3/2) int r^2 e^(-r^2/2 + a r) dr, a = along/sqrt(q), in closed form; infinite where q <= 0."""
    if q <= 0:
        return np.inf
    with mpmath.workdps(25):  # much cancels where a is far below 0
        a = mpmath.mpf(along) / mpmath.sqrt(q)
        mass = mpmath.sqrt(mpmath.pi / 2) * mpmath.exp(a * a / 2) * mpmath.erfc(-a / mpmath.sqrt(2))
        return float(mpmath.log((1 + a * a) * mass + a) - 1.5 * mpmath.log(q))


def of_a_panel(unit, log_det, mean, s, t, half_s, half_t):
    """What `bounds` says of one panel, corner by corner."""
    first, second, third = unit

    def point(at_s, at_t):
        return (1 - at_s) * first + at_s * ((1 - at_t) * second + at_t * third)

    middle = point(s, t)
    # How far the point moves with s, with t, and with both.
    in_s = (point(s + half_s, t) - point(s - half_s, t)) / 2
    in_t = (point(s, t + half_t) - point(s, t - half_t)) / 2
    both = half_s * half_t * (third - second)
    ends = [point(s + a * half_s, t + b * half_t) for a, b in product((-1, 1), repeat=2)]
    least = min(log_f(p @ p, p @ mean) for p in ends) + np.log(s)

    def most(axis_s, axis_t, imaginary, factor):
        found = []
        for a, b, c in product((-1, 1), repeat=3):
            off = a * axis_s * in_s + b * axis_t * in_t + c * axis_s * axis_t * both
            found.append(log_f(middle @ middle + 2 * middle @ off - imaginary**2, (middle + off) @ mean))
        return np.logaddexp.reduce(found) + np.log(factor)

    def length(vector):
        return np.sqrt(vector @ vector)

    error_s, error_t = np.inf, np.inf
    for ellipse in cones.ELLIPSES:
        major, minor = (ellipse + 1 / ellipse) / 2, (ellipse - 1 / ellipse) / 2
        beside = rate(ellipse, len(cones.CONE_NODES)) - least
        moved = [minor * (length(each) + length(both)) for each in (in_s, in_t)]
        error_s = min(error_s, beside + most(major, 1, moved[0], s + major * half_s))
        error_t = min(error_t, beside + most(1, major, moved[1], s + half_s))
    area = np.log(4 * half_s * half_t) + log_det
    return least + area, most(1, 1, 0, s + half_s) + area, error_s, error_t


def test_the_bounds_of_a_panel_of_a_cone_are_those_of_its_corners():
    rays = cones.rays_of(SPACE)
    rng = np.random.default_rng(3)
    many = 7
    which = rng.integers(0, len(rays.row), many)
    half_s, half_t = 0.4 * 4.0 ** -rng.integers(0, 5, (2, many))
    s, t = (half + (1 - 2 * half) * rng.random(many) for half in (half_s, half_t))
    for mean in (np.array([1.5, -1.0, 0.5]), np.array([-2.0, 3.0, 4.0])):
        found = np.array(cones.bounds(rays, mean, cones.SquarePanels(which, s, t, half_s, half_t)))
        for k in range(many):
            wanted = of_a_panel(rays.unit[which[k]], rays.log_det[which[k]], mean, s[k], t[k], half_s[k], half_t[k])
            assert found[:, k] == pytest.approx(wanted, rel=1e-9, abs=1e-9)  # logarithms
        assert (np.isfinite(found).all(axis=0)).sum() > many / 2


@pytest.mark.parametrize(("beyond", "stays"), [(-1e-6, False), (1e-6, True)])
def test_a_panel_is_left_out_where_it_holds_no_more_than_its_share_of_what_counts_for_nothing(beyond, stays):
    """Two cones of one outcome: the second one, and every part of it, has e^-50 of the first one's integral, times its
    share of the square, and a millionth less or more. A third cone is another outcome's."""
    rays = cones.Rays(np.array([0, 0, 1]), np.zeros((3, 3, 3)), np.zeros(3))

    def bounds(rays, mean, panels):
        area = np.log(4 * panels.half_s * panels.half_t)
        low = np.array([2.0, -np.inf, -900.0])[panels.cone]
        high = np.array([3.0, 2.0 - cones.LEFT_OUT + beyond, -899.0])[panels.cone] + area
        coarse = (panels.cone == 1) & (area > np.log(0.2))  # the second one is good after three cuts
        error = np.log(cones.GAUSS / 2) - 1e-6
        return low, high, np.where(coarse, 1.0, error), np.where(coarse, 1.0 + (area < -0.1), error)

    found = cones.refine_square_panels(rays, np.zeros(3), 2, bounds)
    rows = [tuple(float(x) for x in row) for row in zip(*found, strict=True)]
    assert [row for row in rows if row[0] != 1] == [(0, 0.5, 0.5, 0.5, 0.5), (2, 0.5, 0.5, 0.5, 0.5)]
    # Cut along s where both errors are alike, then twice along t, whose error is larger.
    parts = [(1, s, t, 0.25, 0.125) for s in (0.25, 0.75) for t in (0.125, 0.375, 0.625, 0.875)]
    assert sorted(row for row in rows if row[0] == 1) == (parts if stays else [])


def test_a_panel_is_good_where_both_of_its_errors_together_are_small():
    rays = cones.Rays(np.array([0]), np.zeros((1, 3, 3)), np.zeros(1))
    for apart, pieces in ((-1e-6, 1), (1e-6, 2)):

        def bounds(rays, mean, panels, apart=apart):
            whole = panels.half_s > 0.4
            errors = [np.where(whole, np.log(share * cones.GAUSS) + apart, -99.0) for share in (0.25, 0.75)]
            return np.zeros(len(whole)), np.zeros(len(whole)), errors[1], errors[0]

        assert len(cones.refine_square_panels(rays, np.zeros(3), 1, bounds).cone) == pieces
    assert cones.GAUSS == 1e-15
    assert cones.LEFT_OUT == 50


# -- wedges ----------------------------------------------------------------------------------------------------------


def log_g(a):
    """log of int r e^(-r^2/2 + a r) dr, in closed form."""
    return np.log(1 + a * np.sqrt(2 * np.pi) * ndtr(a) * np.exp(a * a / 2))


def test_the_bound_of_a_panel_of_a_wedge_is_that_of_its_rectangle():
    """Re a = m cos(u - psi) cosh v: the largest in the rectangle around the ellipse, the least on the panel itself, of
    points that lie so close that less than a millionth is missed."""
    rng = np.random.default_rng(2)
    q = wedges.ELLIPSE
    axes = (q + 1 / q) / 2, (q - 1 / q) / 2
    for mean in (np.array([0.0, 1e-9]), np.array([1.5, -1.0]), np.array([-3.0, 2.0])):
        size, psi = float(np.hypot(*mean)), np.arctan2(mean[1], mean[0])
        whole = chen24_wedges.wedges(PLANE, mean[None])
        width = (whole.right - whole.left) * 3.0 ** -rng.integers(0, 4, len(whole.row))
        left = rng.random(len(width)) * (whole.right - whole.left - width)
        _, _, found = wedges.angle_panel_bounds(whole._replace(left=left, right=left + width))
        for k, bound in enumerate(found):
            begin = np.arctan2(whole.start[k, 1], whole.start[k, 0])
            middle, half = begin + left[k] + width[k] / 2, width[k] / 2
            u = middle + half * np.linspace(-axes[0], axes[0], 4001)
            v = half * np.linspace(0, axes[1], 5)[:, None]
            most = (size * np.cos(u - psi) * np.cosh(v)).max()
            least = (size * np.cos(middle + half * np.linspace(-1, 1, 4001) - psi)).min()
            wanted = rate(q, len(wedges.PANEL_NODES)) + log_g(most) - log_g(least)
            assert bound == pytest.approx(wanted, rel=1e-4, abs=0)


def test_the_angles_of_a_panel():
    """Along and across the direction that lies at an angle from where the wedge begins."""
    mean = np.array([0.7, -1.9])
    whole = chen24_wedges.wedges(PLANE, mean[None])
    angle = np.linspace(-1, 2, len(whole.row))[:, None]
    along, across = wedges.turned(whole, angle)
    for k, w in enumerate(angle[:, 0]):
        cos, sin = whole.start[k]
        direction = np.array([cos * np.cos(w) - sin * np.sin(w), sin * np.cos(w) + cos * np.sin(w)])
        assert along[k, 0] == pytest.approx(direction @ mean, rel=1e-12)
        assert across[k, 0] == pytest.approx(direction[0] * mean[1] - direction[1] * mean[0], rel=1e-12)
