"""Three independent normal numbers of standard deviation 1: the chance of a cone at the origin, relatively exact.

A simplicial cone has rays v_1, v_2, v_3 of length 1, all in one orthant. With p(s, t) = (1 - s) v_1 + s ((1 - t) v_2 +
t v_3) on the unit square, y = r p has the density |det| s r^2, so the chance is |det| (2 pi)^(-3/2) e^(-m^2/2) times
the integral of s F over the square, where m is the centre, q = p . p, l = p . m, and

    F = int_0^inf r^2 e^(-q r^2/2 + l r) dr = q^(-3/2) g(l/sqrt(q)),    g(a) = k(a) e^(a^2/2).

**Gauss's rule in both variables, with a relative bound.** For one of them in the ellipse around a panel (see the
package) and the other one on the panel, p = P + iQ with |Q| bounded, and P = c + D: c the panel's middle, D a
combination of three vectors with coefficients in [-1, 1]. Then Re(-q r^2/2 + l r) <= -(c^2 + 2 c . D - Q^2) r^2/2 + (c
+ D) . m r, which is linear in D: so |F| is at most the sum of F's values there at the eight corners of D. On the panel,
F is at least its least value at the panel's four corners: F^(-1/3) is a convex function of p (Ball 1988; Brazitikos,
Giannopoulos, Valettas and Vritsiou 2014, Theorem 2.5.5), as the density is log-concave. A panel whose relative bound
exceeds GAUSS is halved; one that cannot matter beside what the others are worth at least is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np
from scipy.special import erfcx, ndtr

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import NoLaw
from dpbandits.reference.arithmetic.elementary import UNIT_ROUNDOFF
from dpbandits.reference.arithmetic.linear import legendre, matrix_product
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.release_laws.selections.noises import LOG_ROOT_2_PI
from dpbandits.reference.papers.chen24.algorithms.whole_numbers import determinant, log_quotient

GAUSS = 1e-15  # the relative error of Gauss's rule, panel by panel
CONE_NODES, CONE_WEIGHTS = legendre(12)
ELLIPSES = (4.0, 8.0, 16.0)  # q: the sums of the semi-axes, in half widths; the best one counts
LEFT_OUT = 50.0  # a panel's upper bound is below e^-50 of its outcome's lower one, times its share of the square
MAX_CONE_CENTRE = 1e4  # scales: the panels grow thinner with the centre
# Up to here from the formula, beyond by so many terms of a continued fraction
CONTINUED_FRACTION_START, CONTINUED_FRACTION_TERMS = 2.0, 120
LOST = 200  # units of k(a): the formula loses a factor of 20 at CONTINUED_FRACTION_START, of 8 units
CORNERS = np.array([(a, b, c) for a in (-1.0, 1.0) for b in (-1.0, 1.0) for c in (-1.0, 1.0)])
MAX_BATCH_NODES = 2**13  # panels whose nodes are evaluated together: about so many numbers


class Rays(NamedTuple):
    """All cones. row: of which outcome. unit: (cones, 3, 3), the rays. log_det: the logarithm of |det| of these."""

    row: Any
    unit: Array
    log_det: Array


class SquarePanels(NamedTuple):
    """Rectangles of the unit square: of which cone, middles and half widths in s and t."""

    cone: Any
    s: Array
    t: Array
    half_s: Array
    half_t: Array

    def some(self, index: Any) -> SquarePanels:
        return SquarePanels(*(each[index] for each in self))


def log_k(a: Array) -> Array:
    """log of k(a) = int_0^inf r^2 e^(-(r - a)^2/2) dr. For a < 0 it is e^(-a^2/2) times the integral I_2 of r^2
    e^(-r^2/2 - r x), x = -a: near 0 (1 + x^2) M(x) - x with Mills's ratio M = I_0; beyond, I_2 = M rho_1 rho_2 with the
    quotients rho_n = I_n/I_(n-1) = n/(x + rho_(n+1)), all positive."""
    a = np.asarray(a, dtype=np.float64)
    b, x = np.maximum(a, 0.0), np.maximum(-a, 0.0)
    right = el.log((1 + b * b) * np.sqrt(2 * np.pi) * ndtr(b) + b * el.exp(-b * b / 2))
    mills = np.sqrt(np.pi / 2) * erfcx(x / np.sqrt(2))
    near = (1 + x * x) * mills - x
    far = x > CONTINUED_FRACTION_START
    if far.any():
        y = x[far]
        quotient = (np.sqrt(y * y + 4 * CONTINUED_FRACTION_TERMS) - y) / 2
        for n in range(CONTINUED_FRACTION_TERMS, 0, -1):
            before, quotient = quotient, n / (y + quotient)
        near[far] = mills[far] * quotient * before  # rho_1, and the one before it
    return np.asarray(np.where(a >= 0, right, el.log(near) - x * x / 2))


def log_f(q: Array, along: Array) -> Array:
    """log F, along its l; infinite where q is not positive."""
    safe = np.where(q > 0, q, 1.0)
    a = along / np.sqrt(safe)
    return np.where(q > 0, log_k(a) + a * a / 2 - 1.5 * el.log(safe), np.inf)


def log_cones(found: Any, means: Array) -> tuple[Array, Array]:
    """The logarithm of every set's chance, (m, outcomes), and how far it may be off. found: a fan of three dimensions.
    NoLaw for a centre beyond MAX_CONE_CENTRE."""
    size = np.sqrt((means * means).sum(axis=1))
    if (size > MAX_CONE_CENTRE).any():
        raise NoLaw(
            f"combined: a centre is {size.max():.3g} scales from 0; with normal noise in three dimensions, "
            f"at most {MAX_CONE_CENTRE:g} are supported"
        )
    rays = rays_of(found)
    log_chance, error = np.empty((len(means), len(found.cones))), np.empty((len(means), len(found.cones)))
    for number, mean in enumerate(means):
        log_chance[number], error[number] = log_outcome_chances(
            rays, mean, refine_square_panels(rays, mean, len(found.cones)), len(found.cones)
        )
    return log_chance, error


def rays_of(found: Any) -> Rays:
    """The rays of all cones, from integers: however thin a cone is, its determinant is exact."""
    row, unit, log_det = [], [], []
    for number, cones in enumerate(found.cones):
        for cone in cones:
            largest = [max(map(abs, ray)) for ray in cone]
            scaled = np.array([[x / most for x in ray] for ray, most in zip(cone, largest, strict=True)])
            length = np.sqrt((scaled * scaled).sum(axis=1))
            row.append(number)
            unit.append(scaled / length[:, None])
            log_det.append(log_quotient(abs(determinant(cone)), prod(largest)) - float(el.log(length).sum()))
    return Rays(np.array(row), np.array(unit), np.array(log_det))


# -- panels ----------------------------------------------------------------------------------------------------------


PanelBounds = Callable[[Rays, Array, SquarePanels], tuple[Array, Array, Array, Array]]


def refine_square_panels(rays: Rays, mean: Array, outcomes: int, known: PanelBounds | None = None) -> SquarePanels:
    """The panels that matter, halved until each one's relative error is within GAUSS. known: `bounds` by default."""
    known = known or bounds
    many = len(rays.row)
    half = np.full(many, 0.5)
    done, panels = [], SquarePanels(np.arange(many), half, half, half, half)
    sure = np.full(outcomes, -np.inf)  # what the panels that are done are worth at least
    while len(panels.cone):
        log_low, log_high, in_s, in_t = known(rays, mean, panels)
        row = rays.row[panels.cone]
        least = sure.copy()
        np.logaddexp.at(least, row, log_low)
        share = el.log(4 * panels.half_s * panels.half_t)
        left_out = log_high <= least[row] + share - LEFT_OUT
        good = (np.logaddexp(in_s, in_t) <= el.log(GAUSS)) & ~left_out
        done.append(panels.some(good))
        np.logaddexp.at(sure, row[good], log_low[good])
        rest = ~good & ~left_out
        panels = cut(panels.some(rest), in_s[rest] >= in_t[rest])
    return SquarePanels(*(np.concatenate(each) for each in zip(*done, strict=True)))


def cut(panels: SquarePanels, by_s: Any) -> SquarePanels:
    """Both halves of every panel, along s or along t."""
    half_s = np.where(by_s, panels.half_s / 2, panels.half_s)
    half_t = np.where(by_s, panels.half_t, panels.half_t / 2)
    move_s, move_t = panels.half_s - half_s, panels.half_t - half_t
    both = [
        SquarePanels(panels.cone, panels.s + way * move_s, panels.t + way * move_t, half_s, half_t)
        for way in (-1.0, 1.0)
    ]
    return SquarePanels(*(np.concatenate(each) for each in zip(*both, strict=True)))


def bounds(rays: Rays, mean: Array, panels: SquarePanels) -> tuple[Array, Array, Array, Array]:
    """Of every panel, in logarithms: the integral of s F |det| at least and at most, and the relative errors of Gauss's
    rule in s and in t."""
    first, second, third = np.moveaxis(rays.unit[panels.cone], 1, 0)
    s, t, half_s, half_t = (each[:, None] for each in panels[1:])
    edge = third - second
    along_s, along_t = second + t * edge - first, s * edge
    middle = first + s * along_s
    area = el.log(4 * panels.half_s * panels.half_t) + rays.log_det[panels.cone]
    least = np.full(len(panels.s), np.inf)
    for way_s in (-1.0, 1.0):
        for way_t in (-1.0, 1.0):
            corner = middle + way_s * half_s * along_s + way_t * half_t * (along_t + way_s * half_s * edge)
            least = np.minimum(least, log_f((corner * corner).sum(axis=1), matrix_product(corner, mean)))
    least = least + el.log(panels.s)

    def most(axis_s: float, axis_t: float, imaginary: Array, factor: Array) -> Array:
        """log of |s F| at most, with half widths grown by these axes, and an imaginary part."""
        vectors = np.stack(
            [axis_s * half_s * along_s, axis_t * half_t * along_t, axis_s * axis_t * half_s * half_t * edge]
        )
        off = np.einsum("ck,kpx->cpx", CORNERS, vectors)
        q = (middle * middle).sum(axis=1) + 2 * (middle * off).sum(axis=2) - imaginary**2
        return np.asarray(np.logaddexp.reduce(log_f(q, matrix_product(middle + off, mean)), axis=0) + el.log(factor))

    def length(vectors: Array) -> Array:
        return np.asarray(np.sqrt((vectors * vectors).sum(axis=1)))

    reach_s = panels.half_s * (length(along_s) + panels.half_t * length(edge))
    reach_t = panels.half_t * (length(along_t) + panels.half_s * length(edge))
    in_s, in_t = np.full(len(panels.s), np.inf), np.full(len(panels.s), np.inf)
    for ellipse in ELLIPSES:
        major, minor = (ellipse + 1 / ellipse) / 2, (ellipse - 1 / ellipse) / 2
        rate = el.log(4 / (ellipse - 1)) - (2 * len(CONE_NODES) - 1) * el.log(ellipse) - least
        in_s = np.minimum(in_s, rate + most(major, 1.0, minor * reach_s, panels.s + major * panels.half_s))
        in_t = np.minimum(in_t, rate + most(1.0, major, minor * reach_t, panels.s + panels.half_s))
    high = most(1.0, 1.0, np.zeros(len(panels.s)), panels.s + panels.half_s)
    return least + area, high + area, in_s, in_t


# -- nodes -----------------------------------------------------------------------------------------------------------


def log_outcome_chances(rays: Rays, mean: Array, panels: SquarePanels, outcomes: int) -> tuple[Array, Array]:
    """The logarithms of the outcomes' chances, and how far they may be off."""
    size = float(np.sqrt((mean * mean).sum()))
    peak, total = np.full(outcomes, -np.inf), np.zeros(outcomes)
    lost, count = np.zeros(outcomes), np.zeros(outcomes)
    batch = max(1, MAX_BATCH_NODES // len(CONE_NODES) ** 2)
    for start in range(0, len(panels.cone), batch):
        mine = panels.some(slice(start, start + batch))
        row = rays.row[mine.cone]
        first, second, third = (each[:, None, None] for each in np.moveaxis(rays.unit[mine.cone], 1, 0))
        s = (mine.s[:, None] + mine.half_s[:, None] * CONE_NODES)[:, :, None, None]
        t = (mine.t[:, None] + mine.half_t[:, None] * CONE_NODES)[:, None, :, None]
        p = (1 - s) * first + s * ((1 - t) * second + t * third)
        weight = el.log(CONE_WEIGHTS)[:, None] + el.log(CONE_WEIGHTS) + el.log(s[..., 0])
        area = el.log(mine.half_s * mine.half_t) + rays.log_det[mine.cone] - 3 * LOG_ROOT_2_PI
        log = log_f((p * p).sum(axis=3), matrix_product(p, mean)) - size * size / 2 + weight + area[:, None, None]
        # a is good to 8 units of m, and moves log k and a^2/2 by at most m + 2 times as much; as in two dimensions.
        off = UNIT_ROUNDOFF * (8 * size * (2 * size + 2) + LOST + 32 + np.abs(log))
        top = peak.copy()
        np.maximum.at(top, row, log.max(axis=(1, 2)))
        with np.errstate(invalid="ignore"):
            fade = np.where(peak > -np.inf, el.exp(peak - top), 0.0)
        values = el.exp(log - top[row][:, None, None])
        total = total * fade + np.bincount(row, values.sum(axis=(1, 2)), outcomes)
        lost = lost * fade + np.bincount(row, (values * off).sum(axis=(1, 2)), outcomes)
        peak = top
        count += np.bincount(row, minlength=outcomes) * len(CONE_NODES) ** 2
    missing = len(rays.row) * el.exp(-LEFT_OUT)
    return peak + el.log(total), lost / total + 2 * GAUSS + missing + UNIT_ROUNDOFF * (count + 8 + 2 * np.abs(peak))
