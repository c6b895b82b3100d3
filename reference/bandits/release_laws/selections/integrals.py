"""Computes logarithms of integrals of products of log-concave functions over the real line, many integrals at once. The
package docstring has the mathematics.

A row is int f(z) prod_j W(lead_j + ratio_j z; v_j) dz, where f is the density of the standard noise, and W(x; v) the
probability that the standard noise lies in the window that ends at x and has width v. Rows with different numbers of
nodes are concatenated in flat arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.elementary import UNIT_ROUNDOFF
from dpbandits.reference.arithmetic.linear import legendre
from dpbandits.reference.arithmetic.rows import distinct_rows, row_sums
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.release_laws.selections.noises import (
    LAPLACE,
    NoiseKind,
    laplace_log_density,
    lower_half,
)

RowIndex = NDArray[np.intp]

DROP = 45.0  # the logarithm by which g has fallen where the line is cut
CUT = 4e-18  # and what is lost there: each end loses e^-45 (1 + 45) at most, as an integral or as a sum over nodes
TRAPEZOID = 2e-16  # the relative error of the trapezoidal rule
GAUSS = 1e-16  # and of Gauss's rule, panel by panel
PANEL_NODES, PANEL_WEIGHTS = legendre(24)
ELLIPSE = 4.0  # q: the sum of the semi-axes of the ellipse around a panel, in half widths
AXIS = (ELLIPSE + 1 / ELLIPSE) / 2
MAX_BATCH_FACTORS = 2**14  # about this many factors at once: they fit a processor's cache
GOLDEN = float((np.sqrt(5) - 1) / 2)


class Products(NamedTuple):
    """The integrands. lead, ratio, window: (rows, factors); size: the size of the quantities from which |lead| was
    computed, for rounding errors."""

    lead: Array
    ratio: Array
    window: Array
    size: Array

    def take(self, rows: RowIndex | slice) -> Products:
        """The products in the rows with these indices."""
        if isinstance(rows, slice):
            return Products(*(part[rows] for part in self))
        return Products(*(part.take(rows, axis=0) for part in self))  # several times as fast as by brackets


class GaussRule(NamedTuple):
    """Gauss's rule on panels: the nodes in [-1, 1] and their weights. accuracy: panels are halved until the relative
    error of each is at most this."""

    nodes: Array
    weights: Array
    accuracy: float


GAUSS_RULE = GaussRule(PANEL_NODES, PANEL_WEIGHTS, GAUSS)


class Integrals(NamedTuple):
    """The integrals. log: the logarithms (rows,). error: a bound on the absolute error of each, which is to first order
    the relative error of the integral."""

    log: Array
    error: Array


def log_integrals(kind: NoiseKind, products: Products) -> Integrals:
    """The logarithm of the integral of every row's product of probabilities, with a bound on its error."""
    if products.lead.shape[1] == 0:
        return Integrals(np.zeros(len(products.lead)), np.zeros(len(products.lead)))
    products, place = distinct_products(products)
    many, factors = products.lead.shape
    low, high = np.empty(many), np.empty(many)
    batch = max(1, MAX_BATCH_FACTORS // factors)
    for start in range(0, many, batch):
        rows = slice(start, start + batch)
        low[rows], high[rows] = region(kind, products.take(rows))
    nodes = panels if kind is LAPLACE else trapezoid
    return Integrals(*(each[place] for each in nodes(kind, products, low, high)))


def distinct_products(products: Products) -> tuple[Products, RowIndex]:
    """The distinct integrands, with sorted factors, and the index of each row's integrand among them.
    Equal centres make many outcomes equally likely: their integrands differ at most in the order of the factors."""
    order = np.lexsort(products[::-1], axis=1)
    factors = np.stack([np.take_along_axis(part, order, axis=1) for part in products], axis=1)
    factors += 0.0  # -0 becomes 0
    distinct, place = distinct_rows(factors.reshape(len(factors), -1))
    return Products(*distinct.reshape(-1, *factors.shape[1:]).transpose(1, 0, 2)), place


def log_integrand(kind: NoiseKind, products: Products, z: Array) -> Array:
    """The logarithm of the integrand g at one point z for each row, (rows,)."""
    windows = kind.log_window(products.lead + products.ratio * z[:, None], products.window)
    return kind.log_density(z) + row_sums(windows)


# -- where the integrand lives ---------------------------------------------------------------------------------------


def region(kind: NoiseKind, products: Products) -> tuple[Array, Array]:
    """Returns an interval (low, high) for each row, outside of which the integrand g is negligible.
    Outside of it, log g is at least DROP below its value at some point inside."""
    kinks = np.concatenate([-products.lead / products.ratio, np.zeros((len(products.lead), 1))], axis=1)
    with np.errstate(invalid="ignore"):
        other = (products.window - products.lead) / products.ratio
    ends = np.concatenate([kinks, np.where(np.isfinite(other), other, 0.0)], axis=1)
    wide = 10 * np.maximum(1, 1 / np.abs(products.ratio)).max(axis=1)
    top = argmax_of_integrand(kind, products, ends.min(axis=1) - wide, ends.max(axis=1) + wide)
    target = log_integrand(kind, products, top) - DROP
    return dropped_point(kind, products, top, target, -1.0), dropped_point(kind, products, top, target, 1.0)


def argmax_of_integrand(kind: NoiseKind, products: Products, low: Array, high: Array) -> Array:
    """A point near the maximum of the integrand g of each row, by golden-section search.
    The point of a row does not depend on the other rows."""
    first, second = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_first, at_second = (log_integrand(kind, products, z) for z in (first, second))
    top, searched = first, np.ones(len(low), dtype=bool)
    # On both sides of a narrow peak, g may be equal and far smaller; so the interval gets as short as the peak is wide.
    near = 1 / np.maximum(1, np.abs(products.ratio)).max(axis=1)
    for _ in range(100):
        left = at_first >= at_second  # the maximum lies in [low, second]
        low, high = np.where(left, low, first), np.where(left, second, high)
        fresh = np.where(left, high - GOLDEN * (high - low), low + GOLDEN * (high - low))
        value = log_integrand(kind, products, fresh)
        first, second = np.where(left, fresh, second), np.where(left, first, fresh)
        at_first, at_second = np.where(left, value, at_second), np.where(left, at_first, value)
        top = np.where(searched, np.where(at_first >= at_second, first, second), top)
        searched &= (np.abs(at_first - at_second) >= 0.5) | (high - low > near)
        if not searched.any():
            break
    return top


def dropped_point(kind: NoiseKind, products: Products, top: Array, target: Array, side: float) -> Array:
    """A point on this side of `top` with log g <= target, not far beyond the first such point."""
    out = np.ones(len(top))
    open_: RowIndex = np.arange(len(top))
    while len(open_):
        short = log_integrand(kind, products.take(open_), top[open_] + side * out[open_]) > target[open_]
        open_ = open_[short]
        out[open_] *= 2
    inside = np.where(out > 1, out / 2, 0.0)
    for _ in range(6):
        middle = (inside + out) / 2
        beyond = log_integrand(kind, products, top + side * middle) <= target
        inside, out = np.where(beyond, inside, middle), np.where(beyond, middle, out)
    return np.asarray(top + side * out)


# -- sums over nodes -------------------------------------------------------------------------------------------------


def node_rounding(kind: NoiseKind, products: Products, z: Array, windows: Array) -> Array:
    """A bound on the rounding error of log g at one point z for each row; see `noises`."""
    y = products.lead + products.ratio * z[:, None]
    moved = 4 * (products.size + np.abs(products.ratio * z[:, None])) * kind.slope(y, products.window)
    # 40 units of each logarithm: 8 of log_ndtr, five times; the sum over the factors rounds once for each.
    logs = (40 + windows.shape[1]) * (1 + np.abs(windows))
    return np.asarray(UNIT_ROUNDOFF * (row_sums(moved + logs) + 16 * (1 + np.abs(kind.log_density(z)))))


class Nodes(NamedTuple):
    """The nodes of many rows, concatenated."""

    row: RowIndex  # (nodes,), increasing
    z: Array
    log_weight: Array


def log_row_sums(kind: NoiseKind, products: Products, nodes: Nodes) -> Integrals:
    """The logarithm of each row's quadrature sum, sum_k weight_k g(z_k), with a bound on its error.
    All rows must have nodes."""
    mine = products.take(nodes.row)
    windows = kind.log_window(mine.lead + mine.ratio * nodes.z[:, None], mine.window)
    log = kind.log_density(nodes.z) + row_sums(windows) + nodes.log_weight
    off = node_rounding(kind, mine, nodes.z, windows)
    starts = np.flatnonzero(np.diff(nodes.row, prepend=-1))
    peak = np.maximum.reduceat(log, starts)
    share = el.exp(log - np.repeat(peak, np.diff(starts, append=len(log))))
    total = np.add.reduceat(share, starts)
    # log, exp and the sum of n positive numbers: n units, and one of each exponent, which is at most 2 DROP and more.
    count = np.diff(starts, append=len(log))
    error = np.add.reduceat(share * off, starts) / total + UNIT_ROUNDOFF * (count + 4 * DROP + 2 * np.abs(peak))
    return Integrals(np.asarray(peak + el.log(total)), np.asarray(error))


def chunks(counts: NDArray[np.intp], factors: int) -> list[slice]:
    """Splits the rows into consecutive chunks with about MAX_BATCH_FACTORS factors each."""
    cells = np.cumsum(counts) * factors
    edges, start = [], 0
    while start < len(counts):
        before = cells[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(cells, before + MAX_BATCH_FACTORS, side="right")))
        edges.append(slice(start, stop))
        start = stop
    return edges


def trapezoid(kind: NoiseKind, products: Products, low: Array, high: Array, accuracy: float = TRAPEZOID) -> Integrals:
    """The logarithm of each row's integral for normal noise, by the trapezoidal rule, with a bound on its error.
    The step is a power of two, so that all nodes are doubles. accuracy: the largest relative error of the rule."""
    squares = 1 + (products.ratio**2).sum(axis=1)
    step = 2.0 ** el.whole_log2(np.pi * np.sqrt(2 / (squares * el.arcsinh(1 / accuracy))))
    first, last = np.floor(low / step), np.ceil(high / step)
    counts = (last - first).astype(np.intp) + 1
    log, error = np.empty(len(low)), np.empty(len(low))
    for rows in chunks(counts, products.lead.shape[1]):
        own = counts[rows]
        row = np.repeat(np.arange(len(own)), own)
        place = np.arange(len(row)) - np.repeat(np.cumsum(own) - own, own)
        z = step[rows][row] * (first[rows][row] + place)
        found = log_row_sums(kind, products.take(rows), Nodes(row, z, np.zeros(len(z))))
        log[rows], error[rows] = found.log + el.log(step[rows]), found.error
    return Integrals(log, error + accuracy + CUT)


# -- panels ----------------------------------------------------------------------------------------------------------


def panels(kind: NoiseKind, products: Products, low: Array, high: Array, rule: GaussRule = GAUSS_RULE) -> Integrals:
    """The logarithm of each row's integral for Laplace noise, by Gaussian quadrature, with a bound on its error."""
    factors = products.lead.shape[1]
    log, error = np.empty(len(low)), np.empty(len(low))
    batch = max(1, MAX_BATCH_FACTORS // (16 * factors * factors))
    for start in range(0, len(low), batch):
        rows = slice(start, start + batch)
        mine = products.take(rows)
        row, left, right = refine_line_panels(mine, *pieces(mine, low[rows], high[rows]), rule)
        middle, half = (left + right) / 2, (right - left) / 2
        found = []
        for part in chunks(np.bincount(row, minlength=len(mine.lead)) * len(rule.nodes), factors):
            inside = slice(*np.searchsorted(row, (part.start, part.stop)))
            z = middle[inside, None] + half[inside, None] * rule.nodes
            weight = el.log(half[inside, None]) + el.log(rule.weights)
            nodes = Nodes(np.repeat(row[inside] - part.start, len(rule.nodes)), z.ravel(), weight.ravel())
            found.append(log_row_sums(kind, mine.take(part), nodes))
        log[rows], error[rows] = (np.concatenate(each) for each in zip(*found, strict=True))
    return Integrals(log, error + rule.accuracy + CUT)


LinePanels = tuple[RowIndex, Array, Array]  # the row, and both ends; sorted by row


def pieces(products: Products, low: Array, high: Array) -> LinePanels:
    """The panels of each row: its interval from low to high, cut at the kinks of its factors."""
    with np.errstate(invalid="ignore"):
        second = np.where(np.isfinite(products.window), products.window - products.lead, -products.lead)
    kinks = np.concatenate([-products.lead, second], axis=1) / np.tile(products.ratio, 2)
    every = np.concatenate([low[:, None], kinks, high[:, None], np.zeros((len(low), 1))], axis=1)
    edges = np.sort(np.clip(every, low[:, None], high[:, None]), axis=1)
    row, place = np.nonzero(edges[:, 1:] > edges[:, :-1])
    return row, edges[row, place], edges[row, place + 1]


def refine_line_panels(
    products: Products, row: RowIndex, left: Array, right: Array, rule: GaussRule = GAUSS_RULE
) -> LinePanels:
    """Halves panels until the rule is accurate on each of them; returns them."""
    done: list[LinePanels] = []
    while len(row):
        good = log_bound(products.take(row), left, right, len(rule.nodes)) <= el.log(rule.accuracy)
        # Where no double lies between the ends, there is nothing left to integrate.
        good |= np.nextafter(left, np.inf) >= right
        done.append((row[good], left[good], right[good]))
        row, left, right = (each[~good] for each in (row, left, right))
        middle = (left + right) / 2
        row, left, right = (
            np.repeat(row, 2),
            np.column_stack([left, middle]).ravel(),
            np.column_stack([middle, right]).ravel(),
        )
    row, left, right = (np.concatenate(each) for each in zip(*done, strict=True))
    order = np.lexsort([left, row])
    return row[order], left[order], right[order]


def log_bound(products: Products, left: Array, right: Array, nodes: int = len(PANEL_NODES)) -> Array:
    """The logarithm of a bound on the relative error of Gaussian quadrature on each panel, (panels,). nodes: of each.

    Besides the exponential, a factor is 1 - e^-h/2 if the end of an infinite window is at a distance h above 0, and (1
    - e^-h)/2 + (1 - e^-k)/2 if 0 lies inside a window, h above its lower and k below its upper end: all are positive
    and concave, so smallest at the panel's ends. In the ellipse, |1 - e^-h| <= min(1 + e^-Re h, |h| max(1, e^-Re h)).
    """
    middle, half = (left + right) / 2, (right - left) / 2
    y = products.lead + products.ratio * middle[:, None]
    reach = np.abs(products.ratio) * half[:, None]
    high = lower_half(y, products.window)
    inner = high > 0
    sign = np.sign(products.ratio) * np.where(high == y, 1.0, -1.0)
    slope = np.sign(-middle) + np.where(inner, 0.0, sign * np.abs(products.ratio)).sum(axis=1)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        half_line = np.isinf(products.window)
        above, below = high, np.where(half_line, np.inf, products.window - high)  # the distances h and k of the middle
        most = np.where(
            half_line, 1 + el.exp(AXIS * reach - above) / 2, (modulus(above, reach) + modulus(below, reach)) / 2
        )
        least = np.minimum(
            window_probability(above - reach, below + reach), window_probability(above + reach, below - reach)
        )
        other = np.where(inner, el.log(most / least), 0.0).sum(axis=1)
    rate = el.log(4 / (ELLIPSE - 1)) - (2 * nodes - 1) * el.log(ELLIPSE)
    return np.asarray(rate + AXIS * np.abs(slope) * half + other)


def modulus(distance: Array, reach: Array) -> Array:
    """A bound on |1 - e^-h| in the ellipse around a panel with midpoint h and half width `reach`."""
    decay = el.exp(AXIS * reach - distance)
    return np.asarray(np.minimum(1 + decay, (distance + AXIS * reach) * np.maximum(1, decay)))


def window_probability(above: Array, below: Array) -> Array:
    """The probability ((1 - e^-above) + (1 - e^-below))/2 for two distances; negative distances count as 0."""
    return np.asarray(-(el.expm1(-np.maximum(above, 0)) + el.expm1(-np.maximum(below, 0))) / 2)


assert laplace_log_density is LAPLACE.log_density  # `log_bound` speaks of this law alone
