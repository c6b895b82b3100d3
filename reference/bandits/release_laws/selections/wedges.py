"""The probability that a pair of independent normal numbers of standard deviation 1 lies in a wedge at the origin, with
a bound on its relative error.

The probability is an integral over the angles w of the wedge. The density of the angle is e^(-c^2/2) k(a)/(2 pi), where
k(a) = int_0^inf r e^(-(r - a)^2/2) dr. Here a = m cos(w - psi) is the component of the centre in the direction w, and
c = m sin(w - psi) is the distance of the centre from the line in this direction.

**Gaussian quadrature, with a relative bound.** int r e^(-r^2/2 + a r) dr = k(a) e^(a^2/2) = g(a) is entire and
increasing, and |g(a)| <= g(Re a); for a complex angle u + iv, Re a = m cos(u - psi) cosh v. So in the ellipse around a
panel (see the package), the integrand is at most g at the largest Re a, and on the panel at least g at the smallest a,
both times e^(-m^2/2). A panel whose relative bound exceeds GAUSS is halved; one that is negligible compared with a
lower bound on the others is left out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import erfcx, ndtr

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.elementary import UNIT_ROUNDOFF, arctan2, cos, sin
from dpbandits.reference.bandits.noise import Array, Flags, Ints
from dpbandits.reference.bandits.release_laws.selections.integrals import (
    AXIS,
    ELLIPSE,
    GAUSS,
    PANEL_NODES,
    PANEL_WEIGHTS,
)
from dpbandits.reference.bandits.release_laws.selections.noises import LOG_ROOT_2_PI

MINOR = (ELLIPSE - 1 / ELLIPSE) / 2  # the ellipse's other semi-axis, in half widths
LEFT_OUT = 50.0  # a panel's upper bound is below e^-50 of its outcome's lower one, times its share of the circle
MAX_WEDGE_CENTRE = 1e6  # scales: from there on, rounding of the centre's size squared leaves not two digits
MILLS_SERIES_START = 50.0  # beyond it, 1 - x M(x) by its series
SERIES = (1.0, -3.0, 15.0, -105.0, 945.0, -10395.0)  # the next term is below 135135/50^12 < 1e-15
# 1 - x M(x), about 1/x^2, of a Mills ratio that is good to 8 units: up to 8 MILLS_SERIES_START^2 units.
LOST = 8 * MILLS_SERIES_START * MILLS_SERIES_START


class AnglePanels(NamedTuple):
    """Intervals of angles: the outcome (counted from centre to centre), the direction where its wedge begins, both ends
    relative to it, and the centre."""

    row: Any
    start: Array  # (panels, 2), of length 1
    left: Array
    right: Array
    mean: Array  # (panels, 2)

    @property
    def rows(self) -> int:
        """The number of outcomes, each of which has a panel."""
        return int(self.row.max(initial=-1)) + 1

    def take(self, index: Ints | Flags) -> AnglePanels:
        """The panels that an array of indices or a mask selects."""
        return AnglePanels(*(part[index] for part in self))


def log_g(a: Array) -> Array:
    """The logarithm of g(a) = k(a) e^(a^2/2), the integral of r e^(-r^2/2 + a r) over r > 0."""
    a = np.asarray(a, dtype=np.float64)
    return np.asarray(log_k(a) + a * a / 2)


def log_k(a: Array) -> Array:
    """The logarithm of k(a), the integral of r e^(-(r-a)^2/2) over r > 0, without cancellation for negative a."""
    a = np.asarray(a, dtype=np.float64)
    x = np.maximum(-a, 1e-300)
    square = np.maximum(x, 1.0) ** 2
    far, power = np.zeros_like(x), square
    for c in SERIES:
        far, power = far + c / power, power * square
    with np.errstate(over="ignore"):
        near = 1 - x * np.sqrt(np.pi / 2) * erfcx(x / np.sqrt(2))
    left = el.log(np.where(x > MILLS_SERIES_START, far, np.maximum(near, 1e-300))) - x * x / 2
    b = np.maximum(a, 0.0)
    right = el.log(el.exp(-b * b / 2) + b * np.sqrt(2 * np.pi) * ndtr(b))
    return np.asarray(np.where(a >= 0, right, left))


def angle_panel_sums(whole: AnglePanels) -> tuple[Array, Array]:
    """The logarithm of the sum of each row's panels, and a bound on its error, (rows,)."""
    mine, rows = refine_angle_panels(whole), whole.rows
    middle, half = (mine.left + mine.right) / 2, (mine.right - mine.left) / 2
    along, across = turned(mine, middle[:, None] + half[:, None] * PANEL_NODES)
    log = log_k(along) - across * across / 2 - 2 * LOG_ROOT_2_PI + el.log(half[:, None] * PANEL_WEIGHTS)
    size = np.hypot(*mine.mean.T)[:, None]
    # a and c are good to 8 units of m, and move log k and c^2/2 by at most m + 2 times as much.
    off = UNIT_ROUNDOFF * (8 * size * (2 * size + 2) + LOST + 16 + np.abs(log))
    peak = np.full(rows, -np.inf)
    np.maximum.at(peak, mine.row, log.max(axis=1))
    share = el.exp(log - peak[mine.row, None])
    total = np.bincount(mine.row, share.sum(axis=1), rows)
    count = np.bincount(mine.row, minlength=rows) * len(PANEL_NODES)
    error = np.bincount(mine.row, (share * off).sum(axis=1), rows) / total
    error += GAUSS + el.exp(-LEFT_OUT) + UNIT_ROUNDOFF * (count + 8 + 2 * np.abs(peak))
    return np.asarray(peak + el.log(total)), np.asarray(error)


def turned(panels: AnglePanels, angle: Array) -> tuple[Array, Array]:
    """Returns the components (a, c) of each panel's mean vector, along and across the given directions.
    angle: the angles of the directions, measured from the start of each panel."""
    (x0, y0), (x1, y1) = panels.start.T, panels.mean.T
    along, across = x0 * x1 + y0 * y1, x0 * y1 - y0 * x1
    x, y = cos(angle), sin(angle)
    return along[:, None] * x + across[:, None] * y, across[:, None] * x - along[:, None] * y


def refine_angle_panels(panels: AnglePanels) -> AnglePanels:
    """The panels that are not negligible, halved until the relative error of each is within GAUSS."""
    done: list[AnglePanels] = []
    sure = np.full(panels.rows, -np.inf)  # what the panels that are done are worth at least
    while len(panels.row):
        low, high, bound = angle_panel_bounds(panels)
        least = sure.copy()
        np.logaddexp.at(least, panels.row, low)
        share = el.log((panels.right - panels.left) / (2 * np.pi))
        left_out = high < least[panels.row] + share - LEFT_OUT
        good = (bound <= el.log(GAUSS)) & ~left_out
        done.append(panels.take(good))
        np.logaddexp.at(sure, panels.row[good], low[good])
        rest = panels.take(~good & ~left_out)
        middle = (rest.left + rest.right) / 2
        lower, upper = rest._replace(right=middle), rest._replace(left=middle)
        panels = AnglePanels(*(np.concatenate(each) for each in zip(lower, upper, strict=True)))
    return AnglePanels(*(np.concatenate(each) for each in zip(*done, strict=True)))


def angle_panel_bounds(panels: AnglePanels) -> tuple[Array, Array, Array]:
    """Logarithms of bounds on each panel's integral of g, and on the relative error of its quadrature.
    They are three arrays, (panels,): the lower bound, the upper bound, and the bound on the error of Gaussian
    quadrature."""
    size = np.hypot(*panels.mean.T)
    middle, half = (panels.left + panels.right) / 2, (panels.right - panels.left) / 2
    along, across = turned(panels, middle[:, None])
    off = np.abs(arctan2(across, along))[:, 0]  # the angle between the panel's middle and the centre, 0 to pi
    ends = np.minimum(off + half, np.pi), np.maximum(off - half, 0.0), np.maximum(off - AXIS * half, 0.0)
    last, first, near = cos(np.stack(ends))
    # Re a = m cos u cosh v; where the cosine is negative, v = 0 is the largest.
    most = np.where(near > 0, near * el.cosh(np.minimum(MINOR * half, 20.0)), near)
    least, largest, beyond = log_g(size * np.stack([last, first, most]))
    wide = el.log(2 * half)
    rate = el.log(4 / (ELLIPSE - 1)) - (2 * len(PANEL_NODES) - 1) * el.log(ELLIPSE)
    return np.asarray(wide + least), np.asarray(wide + largest), np.asarray(rate + beyond - least)
