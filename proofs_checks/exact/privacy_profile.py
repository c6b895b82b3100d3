"""Exact privacy profiles and trade-off functions of a pair of neighbours, with certified lower and upper bounds.

A pair of neighbours is given as two pairs of finite measures on atoms (`MeasurePair`): one at least as easy to
distinguish as the transcripts, one at most as easy. `ExactProfile` computes delta(eps), eps(delta), mu, Renyi
divergences and the trade-off function from them. `TailBound` bounds the mass that was pruned by its moments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dpbandits.proofs_checks.exact.gaussian_profile import SMALLEST_MU, below_some_tangent, mu_lower_bound
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.bisection import crossing_bracket, ending_bracket
from dpbandits.reference.arithmetic.elementary import SMALLEST_DOUBLE, UNIT_ROUNDOFF
from dpbandits.reference.bandits.noise import Array

TAIL_ROUNDING = 1e-12  # of 1 and of a logarithm's size, or of a product's: some thousand roundings


class MeasurePair(NamedTuple):
    """A pair of finite measures on atoms: left, right: (atoms,), their masses on either side."""

    left: Array
    right: Array


class TailBound(NamedTuple):
    """Moments of the privacy loss, which bound what was pruned better than its mass does.

    orders: alpha, any reals in ascending or descending order, among them 0 and 1. lost: upper bounds on the log of the
    moment sum P^alpha Q^(1-alpha) of the pruned transcripts. total: the log of that moment over all transcripts. low,
    high: the extreme losses log(P/Q) of all transcripts. log_error: all this is computed from probabilities within a
    factor exp(+-log_error) of the true ones. sharp: whether every probability was large enough to keep its relative
    precision as a double.
    """

    orders: Array
    lost: Array
    total: Array
    low: float
    high: float
    log_error: float
    sharp: bool = True

    @property
    def swapped(self) -> TailBound:
        """The tail bound for the pair of neighbours with left and right exchanged."""
        return TailBound(1 - self.orders, self.lost, self.total, -self.high, -self.low, self.log_error, self.sharp)

    def log_pruned_delta(self, eps: Array) -> Array:
        """An upper bound on the log of the pruned transcripts' contribution to delta(eps), left over right.

        For y >= 0, (1 - e^-y) e^(-(alpha-1) y) is at most c = ((alpha-1)/alpha)^(alpha-1)/alpha; so a part with moment
        M of order alpha >= 1 adds at most c M e^(-(alpha-1) eps).
        """
        some = self.orders >= 1
        alpha, lost = self.orders[some], self.lost[some]
        slope = alpha - 1
        # x log x -> 0 as x -> 0, so c = 1 for alpha = 1.
        ratio = np.where(slope > 0, slope, 1) / alpha
        start = slope * el.log(ratio) - el.log(alpha) + lost + (alpha + slope) * self.log_error
        falls = np.multiply.outer(eps, slope)
        return np.asarray((start - falls + TAIL_ROUNDING * np.abs(falls)).min(axis=-1, initial=np.inf))

    def log_delta_low(self, eps: Array, largest: float) -> Array:
        """The log of a lower bound on delta(eps), left over right, from the moments; -inf if they give none.

        largest: no transcript has a larger loss. eps: (n,), from 0 to below it.

        With M(alpha) = E e^((alpha-1) loss) under left, and orders a > b >= 1, the function of the loss
        A (e^((a-1) y) - e^((b-1) y)), y = loss - eps, is negative where y < 0. Where y > 0, its quotient by 1 - e^-y,
        which is A e^(by) (e^((a-b)y) - 1)/(e^y - 1), rises in y: the logarithm's slope is b + c/(1 - e^(-cy)) -
        1/(1 - e^-y), c = a - b, and there c/(1 - e^(-cy)) > 1/y > 1/(1 - e^-y) - 1. So with the A at which the quotient
        is 1 at the largest y, it lies below max(0, 1 - e^-y) throughout, whose expectation under left is delta(eps).
        """
        some = (self.orders >= 1) & np.isfinite(self.total)
        order = np.argsort(self.orders[some], kind="stable")
        alpha, total = self.orders[some][order], self.total[some][order]
        a, b, high, low = alpha[1:, None], alpha[:-1, None], total[1:, None], total[:-1, None]
        away = largest - eps
        more = high - (a - 1) * eps - self.log_error_bound(a, high, eps)
        less = low - (b - 1) * eps + self.log_error_bound(b, low, eps)
        with np.errstate(divide="ignore", invalid="ignore"):
            gap = el.log(-el.expm1(-away)) + el.log(-el.expm1(less - more)) - el.log(-el.expm1((b - a) * away))
        value = more + gap - (a - 1) * away - TAIL_ROUNDING * (1 + np.abs(gap) + (a - 1) * away)
        return np.asarray(np.fmax.reduce(np.where(more > less, value, -np.inf), axis=0, initial=-np.inf))

    def log_error_bound(self, alpha: Array, log: Array, eps: Array) -> Array:
        """A bound on the error of the logarithm of M e^(-(alpha-1) eps), for a moment M of order alpha; log: log M."""
        return np.asarray((2 * alpha - 1) * self.log_error + TAIL_ROUNDING * (1 + np.abs(log) + (alpha - 1) * eps))


def relative_to_log_error(error: float, value: float) -> float:
    """A bound on the error of log(value), if the positive value has this absolute error.
    inf if the error can be as large as the value."""
    if error == 0:
        return 0.0
    return float(-el.log1p(-error / value)) if value > error else float(np.inf)


class SortedAtoms:
    """A pair of finite measures, sorted by the loss log(left/right).

    mass_from[side][i] is the mass of atoms i, i+1, ...; mass_before[side][i] that of atoms 0, ..., i-1. loss_error
    bounds the error of a loss; error is the relative error of a sum of masses.
    """

    def __init__(self, masses: MeasurePair) -> None:
        """Sorts the atoms of a pair of measures (left, right) by privacy loss."""
        some = (masses.left > 0) | (masses.right > 0)
        left, right = masses.left[some], masses.right[some]
        with np.errstate(divide="ignore"):
            logs = np.stack([el.log(left), el.log(right)])
        loss = logs[0] - logs[1]
        order = np.argsort(loss, kind="stable")
        self.loss: Array = loss[order]
        self.left: Array = left[order]
        self.right: Array = right[order]
        # above[i]: the mass of the atoms i, i+1, ...; below[i]: that of the atoms 0, ..., i-1.
        self.mass_from = [np.append(np.cumsum(side[::-1])[::-1], 0.0) for side in (self.left, self.right)]
        self.mass_before = [np.append(0.0, np.cumsum(side)) for side in (self.left, self.right)]
        # What a loss, and so an atom's place among the others, is off by: two logarithms and their difference. Where
        # both masses are the same, or one is 0, it is exact.
        inexact = np.isfinite(loss) & (left != right)
        self.loss_error = 8 * UNIT_ROUNDOFF * float(np.abs(logs[:, inexact]).sum(axis=0).max(initial=0.0))
        self.error = 2 * UNIT_ROUNDOFF * (self.loss.size + 8) + self.loss_error  # relative, of a sum over the atoms

    def delta(self, eps: Array) -> tuple[Array, Array]:
        """delta(eps) of the pair of measures, sum max(0, left - exp(eps) right), and a bound on its rounding error."""
        first = np.searchsorted(self.loss, eps, side="right")
        left, right = self.mass_from[0][first], self.mass_from[1][first]
        with np.errstate(over="ignore", invalid="ignore"):
            rest = np.where(right > 0, el.exp(eps) * right, 0.0)  # where right > 0, this is at most left
        return np.maximum(left - np.minimum(rest, left), 0.0), self.error * left * 2


def tradeoff_positions(atoms: SortedAtoms, points: int) -> Array:
    """The indices of up to `points` atoms at which the trade-off function is evaluated.
    Evenly along it, and denser near its two ends."""
    way = atoms.mass_before[0] + atoms.mass_before[1]
    near = el.geometric(1e-9, 0.05, max(points // 4, 2))
    positions = [
        np.searchsorted(way, np.linspace(0, way[-1], max(points - 2 * near.size, 3)) * (1 - 1e-15)),
        np.searchsorted(atoms.mass_before[0], near),
        atoms.loss.size - np.searchsorted(atoms.mass_from[1][::-1], near),
    ]
    return np.unique(np.clip(np.concatenate(positions), 0, atoms.loss.size))


TRADEOFF_POINTS = 200  # of a trade-off curve
OVERFLOW_EXPONENT = 700.0  # exp of more overflows

Curve = list[tuple[float, float]]


@dataclass(frozen=True, eq=False)
class ExactProfile:
    """The privacy profile and the trade-off function of a pair of neighbours, each between two certified curves.

    upper: a pair of measures that is at least as easy to distinguish as the transcripts. lower: one that is at most as
    easy. lost: (left, right), the mass that `upper` leaves out; it counts as fully revealing, unless `tail` bounds it
    better. missing: the same for `lower`. log_error: the masses belong to probabilities within a factor
    exp(+-log_error) of the true ones. absolute_error: in addition, the true probability of any event is within this
    distance. step_absolute_error: the largest absolute error that the law of a step states; if it is not 0, smaller
    probabilities are unknown, and delta = 0 cannot be decided.
    """

    upper: MeasurePair
    lower: MeasurePair
    lost: tuple[float, float] = (0.0, 0.0)
    missing: tuple[float, float] = (0.0, 0.0)
    log_error: float = 0.0
    absolute_error: float = 0.0
    step_absolute_error: float = 0.0
    tail: TailBound | None = None

    @cached_property
    def atoms(self) -> tuple[SortedAtoms, SortedAtoms]:
        """The atoms of the lower pair and of the upper pair of measures, each sorted by privacy loss."""
        return SortedAtoms(self.lower), SortedAtoms(self.upper)

    @cached_property
    def swapped(self) -> ExactProfile:
        """The profile of the pair with its sides swapped."""
        tail = None if self.tail is None else self.tail.swapped
        upper, lower = MeasurePair(*reversed(self.upper)), MeasurePair(*reversed(self.lower))
        return replace(self, upper=upper, lower=lower, lost=self.lost[::-1], missing=self.missing[::-1], tail=tail)

    @cached_property
    def upper_log_error(self) -> float:
        """A bound on the log error of the upper curve.
        log_error plus the error of an atom's loss, `SortedAtoms.loss_error`. The right mass is the one that belongs to
        the computed loss, which is within this error."""
        return self.log_error + self.atoms[1].loss_error

    # -- delta at eps ----------------------------------------------------------------------------------------

    # With every mass off by a factor within exp(+-r), the sum of max(0, p - e^eps q) lies between e^-r times the
    # computed sum at eps + 2r and e^r times the computed sum at eps - 2r.

    def delta_one_way(self, eps: ArrayLike) -> tuple[Array, Array]:
        """(low, high): bounds on the smallest delta with left(S) <= exp(eps) right(S) + delta for every event S."""
        return self.delta_low(eps), self.delta_high(eps)

    def delta_low(self, eps: ArrayLike) -> Array:
        """A lower bound on the smallest delta with left(S) <= exp(eps) right(S) + delta for every event S."""
        eps = np.asarray(eps, dtype=np.float64)
        low, error = self.atoms[0].delta(eps + 2 * self.log_error)
        low = el.exp(-self.log_error) * (low - error) - self.delta_error(eps)
        return np.asarray(np.minimum(np.maximum(low, 0.0), 1.0))

    def delta_high(self, eps: ArrayLike) -> Array:
        """An upper bound on the smallest delta with left(S) <= exp(eps) right(S) + delta for every event S."""
        eps = np.asarray(eps, dtype=np.float64)
        absolute_error, gone = (
            self.delta_error(eps),
            self.log_pruned_delta(eps),
        )  # rounded up below the smallest double
        high = (
            self.followed_delta(eps)
            + np.maximum(el.exp(gone), np.where(gone > -np.inf, SMALLEST_DOUBLE, 0.0))
            + absolute_error
        )
        # delta falls with eps; beyond the largest loss it is 0, up to the absolute error.
        return np.asarray(np.minimum(np.where(eps >= self.largest_loss, absolute_error, np.minimum(high, 1.0)), 1.0))

    def delta_error(self, eps: Array) -> Any:
        """A bound on the error of delta(eps) that `absolute_error` causes."""
        with np.errstate(over="ignore"):
            return self.absolute_error * (1 + el.exp(eps)) if self.absolute_error else 0.0

    def followed_delta(self, eps: Array) -> Array:
        """An upper bound on what transcripts that were not pruned contribute to delta(eps), left over right."""
        high, error = self.atoms[1].delta(eps - 2 * self.upper_log_error)
        return np.asarray(el.exp(self.upper_log_error) * (high + error))

    def delta(self, eps: ArrayLike) -> tuple[Array, Array]:
        """(low, high): bounds on the smallest delta for which the pair is (eps, delta)-close in both directions.
        eps >= 0."""
        (low, high), (other_low, other_high) = self.delta_one_way(eps), self.swapped.delta_one_way(eps)
        return np.maximum(low, other_low), np.maximum(high, other_high)

    @cached_property
    def largest_loss(self) -> float:
        """An upper bound on the loss log(left/right) of every transcript; inf if none is known."""
        if self.tail is not None:
            return self.tail.high + 2 * self.tail.log_error
        if self.lost[0] == 0 and self.lost[1] == 0:
            return float(self.atoms[1].loss[-1]) + 2 * self.upper_log_error if self.atoms[1].loss.size else 0.0
        return np.inf

    @property
    def known_large_loss(self) -> float:
        """A lower bound on the largest loss log(left/right) of a transcript; 0 if none is known."""
        if self.tail is None or not self.tail.sharp or not np.isfinite(self.tail.log_error):
            return 0.0
        return max(float(self.tail.high - 2 * self.tail.log_error), 0.0)

    def log_pruned_delta(self, eps: Array) -> Array:
        """The logarithm of an upper bound on what pruned transcripts contribute to delta(eps), left over right."""
        with np.errstate(divide="ignore"):
            bound = np.full(np.shape(eps), el.log(self.lost[0]) + self.log_error)
        return bound if self.tail is None else np.minimum(bound, self.tail.log_pruned_delta(eps))

    # -- eps at delta ----------------------------------------------------------------------------------------

    def eps(self, delta: float) -> tuple[float, float]:
        """(low, high): bounds on the smallest eps >= 0 for which the pair is (eps, delta)-close in both directions.

        high is inf if the pruned mass alone exceeds delta. At delta = 0 the single most revealing transcript decides; a
        deep pass knows it, however rare it is. Raises ValueError unless delta is in [0, 1].
        """
        if not 0 <= delta <= 1:
            raise ValueError(f"delta is {delta}; give a number in [0, 1], such as 1e-6")
        return self.eps_low(delta), self.eps_bound(delta, 1)

    def eps_low(self, delta: float) -> float:
        """The lower bound of `eps`, without the upper one, which takes several times as long."""
        low = self.eps_bound(delta, 0)
        return max(low, self.known_large_loss, self.swapped.known_large_loss) if delta == 0 else low

    def eps_bound(self, delta: float, which: int) -> float:
        """A bound on the smallest eps at this delta: from below (which=0) or from above (which=1)."""
        one, other = (side.delta_high if which else side.delta_low for side in (self, self.swapped))
        return crossing_bracket(lambda eps: np.maximum(one(eps), other(eps)), delta)[which]

    # -- Gaussian privacy ------------------------------------------------------------------------------------

    def mu(self) -> tuple[float, float]:
        """(low, high): bounds on the smallest mu for which the pair is mu-GDP.

        high is inf if mass was pruned in a pass that was not deep, or if there is an absolute error.
        """
        sides = (self, self.swapped)
        return max(side.mu_low() for side in sides), max(side.mu_high() for side in sides)

    def mu_low(self) -> float:
        """A lower bound on mu in this direction, from delta(eps) and from the moments of a deep pass.
        The pair is not mu-GDP for any smaller mu."""
        return self.largest_mu_bound

    @cached_property
    def largest_mu_bound(self) -> float:
        """The lower bound on mu in this direction, the largest of three bounds, computed once."""
        return max(self.mu_low_from_delta(), self.mu_low_from_tail(), self.mu_low_from_moments())

    def mu_low_from_moments(self) -> float:
        """A lower bound on mu, from Renyi divergences.
        mu-GDP implies a divergence of at most alpha mu^2/2 at every order alpha > 1 (ou24, C.2)."""
        if self.tail is None:
            return 0.0
        some = (self.tail.orders > 1) & np.isfinite(self.tail.total)
        alpha, log = self.tail.orders[some], self.tail.total[some]
        # The log is off by the drift, and by a few units of its size and of the number of states.
        log = log - (2 * alpha - 1) * self.tail.log_error - TAIL_ROUNDING * (1 + np.abs(log))
        return float(np.sqrt(np.maximum(2 * log / (alpha - 1) / alpha, 0.0)).max(initial=0.0))

    def mu_low_from_delta(self) -> float:
        """A lower bound on mu, from delta(eps).
        The largest mu for which the delta of mu-GDP touches the lower curve."""
        loss = self.atoms[0].loss
        top = float(loss[np.isfinite(loss)].max(initial=0.0))
        eps = np.linspace(0, max(top, 0.0), eps_grid_size(top))
        low = self.delta_low(eps)
        return mu_lower_bound(eps[low > 0], el.log(low[low > 0]))

    def mu_low_from_tail(self) -> float:
        """A lower bound on mu, from the moments.
        The largest mu for which the delta of mu-GDP touches the lower bound on delta that the moments give, up to the
        largest loss."""
        if self.tail is None or not 0 < self.largest_loss < np.inf:
            return 0.0
        eps = np.linspace(0, self.largest_loss, eps_grid_size(self.largest_loss))[:-1]
        low = self.tail.log_delta_low(eps, self.largest_loss)
        return mu_lower_bound(eps[low > -np.inf], low[low > -np.inf])

    def log_delta_high(self, eps: Array) -> Array:
        """The log of an upper bound on delta(eps) of the left side against the right one; needs `absolute_error` = 0.
        It is valid even if delta is too small for a double."""
        with np.errstate(divide="ignore"):
            high = np.minimum(np.logaddexp(el.log(self.followed_delta(eps)), self.log_pruned_delta(eps)), 0.0)
        return np.where(eps >= self.largest_loss, -np.inf, high * (1 - TAIL_ROUNDING))

    def mu_high(self) -> float:
        """An upper bound on mu in this direction: left and right are mu-GDP for this mu.

        As functions of E = exp(eps), the true delta and a Gaussian's are both convex. So between two points, delta lies
        below the chord of its upper ends, and the Gaussian's above any of its tangents: it is enough that a tangent
        lies above both ends. The Gaussian's tangent at c is Phi(mu/2 - c/mu) - E Phi(-mu/2 - c/mu).
        """
        if self.largest_loss == np.inf or self.absolute_error > 0:
            return float(np.inf)
        if self.largest_loss <= 0:
            return 0.0
        eps = np.linspace(0, self.largest_loss, eps_grid_size(self.largest_loss))
        high = self.log_delta_high(eps)
        ends = np.stack([eps[:-1], eps[1:], high[:-1], high[1:]])  # of the intervals between neighbouring points
        hard = ends[:, :0]  # intervals that the last failing Gaussian did not dominate: tested first

        def dominates(mu: float) -> bool:
            """Whether mu-GDP dominates the profile on every interval."""
            nonlocal hard
            for some in (hard, ends):
                if not (good := below_some_tangent(some, mu)).all():
                    hard = some[:, ~good]
                    return False
            return True

        return ending_bracket(lambda mu: not dominates(mu), 1e-6, 1e6, SMALLEST_MU)[1]

    # -- Renyi -----------------------------------------------------------------------------------------------

    def renyi(self, alpha: float) -> tuple[float, float]:
        """(low, high): bounds on the Renyi divergence of order alpha > 1 of left from right.
        High is inf if mass was pruned. Raises ValueError unless alpha > 1."""
        if not alpha > 1:
            raise ValueError(f"alpha is {alpha}; give a Renyi order above 1, such as 2")
        ends = []
        for atoms in self.atoms:
            some = atoms.left > 0
            parts = alpha * safe_log(atoms.left[some]), (1 - alpha) * safe_log(atoms.right[some])
            ends.append(float(np.logaddexp.reduce(parts[0] + parts[1])))
        # Of a part the logarithm, the factor, the product and the sum are rounded; and each step of summing n
        # exponentials loses a few units of 1 and of its own size.
        largest = float((np.abs(parts[0]) + np.abs(parts[1])).max(initial=0.0))
        slack = (2 * alpha - 1) * self.log_error + UNIT_ROUNDOFF * (
            8 * largest + 4 * parts[0].size * (1 + abs(ends[1]))
        )
        # With an absolute error, small masses on the right may be much smaller, and a mass of 0 positive; or all
        # mass was pruned.
        if self.absolute_error > 0 or not parts[0].size:
            return 0.0, float(np.inf)
        # What is possible on the left alone is infinitely revealing.
        low = ends[0] if ends[0] == np.inf else max(ends[0] - slack, 0.0)
        return low / (alpha - 1), (ends[1] + slack) / (alpha - 1) if self.lost[0] == 0 else float(np.inf)

    # -- trade-off curves ------------------------------------------------------------------------------------

    def tradeoff(self, points: int = TRADEOFF_POINTS) -> tuple[Curve, Curve]:
        """(low, high): certified polylines (alpha, beta) below and above the pair's trade-off function.

        alpha is the probability of rejecting left where it is true, beta that of accepting it under right. low consists
        of supporting lines, so it is below the function between its points as well; high joins tests that exist.
        """
        return self.tradeoff_low(points), self.tradeoff_high(points)

    def tradeoff_high(self, points: int = TRADEOFF_POINTS) -> Curve:
        """A polyline (alpha, beta) above the trade-off function.
        Certified upper bounds on both errors of tests that exist."""
        atoms, grow = self.atoms[0], el.exp(self.log_error)
        pick = tradeoff_positions(atoms, points)
        alpha = grow * (atoms.mass_before[0][pick] * (1 + atoms.error) + self.missing[0]) + self.absolute_error
        beta = grow * atoms.mass_from[1][pick] * (1 + atoms.error) + self.absolute_error
        inner = zip(np.minimum(alpha, 1.0).tolist(), np.minimum(beta, 1.0).tolist(), strict=True)
        return [(0.0, 1.0), *inner, (1.0, 0.0)]

    def tradeoff_low(self, points: int = TRADEOFF_POINTS) -> Curve:
        """A polyline (alpha, beta) below the trade-off function.
        It joins the intersections of neighbouring supporting lines."""
        atoms, shrink = self.atoms[1], el.exp(-self.upper_log_error)
        if not atoms.loss.size:
            return [(0.0, 0.0), (1.0, 0.0)]
        pick = np.minimum(tradeoff_positions(atoms, points), atoms.loss.size - 1)
        loss = np.unique(np.clip(atoms.loss[pick], -OVERFLOW_EXPONENT, OVERFLOW_EXPONENT))
        # Every test has beta + exp(-c) alpha >= sum min(exp(-c) left, right) =: value, for every c.
        first = np.searchsorted(atoms.loss, loss, side="right")
        slope = el.exp(-loss)
        value = shrink * (1 - atoms.error) * (slope * atoms.mass_before[0][first] + atoms.mass_from[1][first])
        value = value - self.absolute_error * (1 + slope)
        # With an absolute error, lines steeper than the one that begins highest lie below it, and others below 0.
        some = (slope <= slope[value.argmax()]) & (value > 0)
        if not some.any():
            return [(0.0, 0.0), (1.0, 0.0)]
        slope, value = slope[some], value[some]
        # Neighbouring lines meet in the polyline's corners; steepest first.
        run = slope[:-1] - slope[1:]
        alpha = np.clip((value[:-1] - value[1:]) / run, 0.0, 1.0)
        beta = np.maximum(np.minimum(value[:-1] - slope[:-1] * alpha, value[1:] - slope[1:] * alpha), 0.0)
        order = np.argsort(alpha, kind="stable")
        alpha, beta = alpha[order], np.minimum.accumulate(beta[order])
        # Where mass is missing, all lines are below 0 before alpha = 1: the curve is 0 from the last one's foot on.
        foot = float((value / slope).max())
        # Its first 0 counts as well, though it be one by rounding: what joins the corners before and after lies above.
        above = (alpha < foot) & (np.append(np.inf, beta[:-1]) > 0)
        inner = zip(alpha[above].tolist(), beta[above].tolist(), strict=True)
        rest = [(foot, 0.0)] if foot < 1 else []
        return [(0.0, min(float(value[0]), 1.0)), *inner, *rest, (1.0, max(float(value[-1] - slope[-1]), 0.0))]


def eps_grid_size(top: float) -> int:
    """The number of points of the grid of eps from 0 to `top`: one every 0.01, at least 400 and at most 20 000."""
    return int(np.clip(np.ceil(top / 0.01), 400, 20_000)) + 1


def safe_log(values: Array) -> Array:
    """The natural logarithm, -inf at 0, without a warning."""
    with np.errstate(divide="ignore"):
        return np.asarray(el.log(values))
