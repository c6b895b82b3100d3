"""Exact privacy profiles and trade-off curves of a pair of neighbours, certified from both sides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from dpbandits.proofs_checks.exact.atoms import Atoms, tradeoff_positions
from dpbandits.proofs_checks.exact.gaussian import SMALLEST_MU, dominated, least_mu
from dpbandits.proofs_checks.exact.moments import TINIEST, UNIT_ROUNDOFF
from dpbandits.proofs_checks.exact.rows import Masses
from dpbandits.proofs_checks.exact.tails import TAIL_ROUNDING, Tail
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.bisection import crossing_bracket, ending_bracket
from dpbandits.reference.bandits.noise import Array

TRADEOFF_POINTS = 200  # of a trade-off curve
OVERFLOW_EXPONENT = 700.0  # exp of more overflows

Curve = list[tuple[float, float]]


@dataclass(frozen=True, eq=False)
class ExactProfile:
    """The privacy profile and the trade-off curve of a pair of neighbours, each between two certified curves.

    upper: a pair of measures that is at least as easy to tell apart as the transcripts. lower: one that is at
    most as easy. lost: the mass that `upper` leaves out (left, right): it counts as fully revealing, unless
    `tail` knows more. missing: the same for `lower`. drift: the masses belong to probabilities within a
    factor exp(+-drift) of the true ones. blur: and the true probability of any event is this close. faint: the largest
    blur that a step's law has stated; where it is not 0, smaller chances are not known, and they decide at delta = 0.
    """

    upper: Masses
    lower: Masses
    lost: tuple[float, float] = (0.0, 0.0)
    missing: tuple[float, float] = (0.0, 0.0)
    drift: float = 0.0
    blur: float = 0.0
    faint: float = 0.0
    tail: Tail | None = None

    @cached_property
    def atoms(self) -> tuple[Atoms, Atoms]:
        return Atoms(self.lower), Atoms(self.upper)

    @cached_property
    def swapped(self) -> ExactProfile:
        """The profile of the swapped pair."""
        tail = None if self.tail is None else self.tail.swapped
        upper, lower = Masses(*reversed(self.upper)), Masses(*reversed(self.lower))
        return replace(self, upper=upper, lower=lower, lost=self.lost[::-1], missing=self.missing[::-1], tail=tail)

    @cached_property
    def above(self) -> float:
        """What the upper curve is wrong by: the drift, and that an atom's loss is known up to `Atoms.blunt`. Its right
        mass is taken to be the one that the computed loss belongs to, which is this close."""
        return self.drift + self.atoms[1].blunt

    # -- delta at eps ----------------------------------------------------------------------------------------

    # With every mass off by a factor within exp(+-r), the sum of max(0, p - e^eps q) lies between e^-r times the
    # computed sum at eps + 2r and e^r times the computed sum at eps - 2r.

    def one_way(self, eps: Any) -> tuple[Array, Array]:
        """(low, high): the smallest delta with left(S) <= exp(eps) right(S) + delta for every event S."""
        return self.least(eps), self.most(eps)

    def least(self, eps: Any) -> Array:
        """The low end of `one_way`."""
        eps = np.asarray(eps, dtype=np.float64)
        low, error = self.atoms[0].delta(eps + 2 * self.drift)
        low = el.exp(-self.drift) * (low - error) - self.blurred(eps)
        return np.asarray(np.minimum(np.maximum(low, 0.0), 1.0))

    def most(self, eps: Any) -> Array:
        """The high end of `one_way`."""
        eps = np.asarray(eps, dtype=np.float64)
        blur, gone = self.blurred(eps), self.log_lost(eps)  # rounded up where no double is as small
        high = self.followed(eps) + np.maximum(el.exp(gone), np.where(gone > -np.inf, TINIEST, 0.0)) + blur
        # delta falls with eps; beyond the largest loss it is 0, up to the blur.
        return np.asarray(np.minimum(np.where(eps >= self.largest, blur, np.minimum(high, 1.0)), 1.0))

    def blurred(self, eps: Array) -> Any:
        """What delta may be wrong by."""
        with np.errstate(over="ignore"):
            return self.blur * (1 + el.exp(eps)) if self.blur else 0.0

    def followed(self, eps: Array) -> Array:
        """What all that was not pruned adds to delta at most, left over right."""
        high, error = self.atoms[1].delta(eps - 2 * self.above)
        return np.asarray(el.exp(self.above) * (high + error))

    def delta(self, eps: Any) -> tuple[Array, Array]:
        """(low, high): the smallest delta at eps >= 0 such that the pair is (eps, delta)-close, both ways."""
        (low, high), (other_low, other_high) = self.one_way(eps), self.swapped.one_way(eps)
        return np.maximum(low, other_low), np.maximum(high, other_high)

    @cached_property
    def largest(self) -> float:
        """No transcript has a larger loss log(left/right); inf where that is not known."""
        if self.tail is not None:
            return self.tail.high + 2 * self.tail.drift
        if self.lost[0] == 0 and self.lost[1] == 0:
            return float(self.atoms[1].loss[-1]) + 2 * self.above if self.atoms[1].loss.size else 0.0
        return np.inf

    @property
    def least_largest(self) -> float:
        """Some transcript has at least this loss log(left/right); 0 where none is known."""
        if self.tail is None or not self.tail.sharp or not np.isfinite(self.tail.drift):
            return 0.0
        return max(float(self.tail.high - 2 * self.tail.drift), 0.0)

    def log_lost(self, eps: Array) -> Array:
        """The log of what the pruned transcripts add to delta at most, left over right."""
        with np.errstate(divide="ignore"):
            bound = np.full(np.shape(eps), el.log(self.lost[0]) + self.drift)
        return bound if self.tail is None else np.minimum(bound, self.tail.log_lost(eps))

    # -- eps at delta ----------------------------------------------------------------------------------------

    def eps(self, delta: float) -> tuple[float, float]:
        """(low, high): the smallest eps >= 0 such that the pair is (eps, delta)-close both ways.

        high is inf where the pruned mass alone exceeds delta. At delta = 0 a single transcript decides: the most
        revealing one, which a deep pass knows, however rare it is.
        """
        if not 0 <= delta <= 1:
            raise ValueError(f"delta is {delta}; it must lie in [0, 1]")
        low = self.crossing(delta, 0)
        if delta == 0:
            low = max(low, self.least_largest, self.swapped.least_largest)
        return low, self.crossing(delta, 1)

    def crossing(self, delta: float, which: int) -> float:
        """Where the low (0) or the high (1) curve falls to delta: rounded down for low, up for high."""
        one, other = (side.most if which else side.least for side in (self, self.swapped))
        return crossing_bracket(lambda eps: np.maximum(one(eps), other(eps)), delta)[which]

    # -- Gaussian privacy ------------------------------------------------------------------------------------

    def mu(self) -> tuple[float, float]:
        """(low, high): the smallest mu such that the pair is mu-GDP.

        high is inf where the deep tail is unknown (mass was pruned, and the pass was not deep), or blurred.
        """
        sides = (self, self.swapped)
        return max(side.mu_low() for side in sides), max(side.mu_high() for side in sides)

    def mu_low(self) -> float:
        """The pair is not mu-GDP for any smaller mu; from delta(eps), and from the moments of a deep pass."""
        return self.least_of_mu

    @cached_property
    def least_of_mu(self) -> float:
        """`mu_low`, which several ask for."""
        return max(self.mu_from_delta(), self.mu_from_tail(), self.mu_from_moments())

    def mu_from_moments(self) -> float:
        """mu-GDP implies a Renyi divergence of at most alpha mu^2/2 at every order alpha > 1 (ou24, C.2)."""
        if self.tail is None:
            return 0.0
        some = (self.tail.orders > 1) & np.isfinite(self.tail.total)
        alpha, log = self.tail.orders[some], self.tail.total[some]
        # The log is off by the drift, and by a few units of its size and of the number of states.
        log = log - (2 * alpha - 1) * self.tail.drift - TAIL_ROUNDING * (1 + np.abs(log))
        return float(np.sqrt(np.maximum(2 * log / (alpha - 1) / alpha, 0.0)).max(initial=0.0))

    def mu_from_delta(self) -> float:
        """The largest mu whose Gaussian touches the lower curve."""
        loss = self.atoms[0].loss
        top = float(loss[np.isfinite(loss)].max(initial=0.0))
        eps = np.linspace(0, max(top, 0.0), points_for(top))
        low = self.least(eps)
        return least_mu(eps[low > 0], el.log(low[low > 0]))

    def mu_from_tail(self) -> float:
        """The largest mu whose Gaussian touches what the moments say of delta, up to the largest loss."""
        if self.tail is None or not 0 < self.largest < np.inf:
            return 0.0
        eps = np.linspace(0, self.largest, points_for(self.largest))[:-1]
        low = self.tail.log_least(eps, self.largest)
        return least_mu(eps[low > -np.inf], low[low > -np.inf])

    def log_high(self, eps: Array) -> Array:
        """The log of the high end of delta, left over right, where there is no blur: also where delta is too small for
        a double."""
        with np.errstate(divide="ignore"):
            high = np.minimum(np.logaddexp(el.log(self.followed(eps)), self.log_lost(eps)), 0.0)
        return np.where(eps >= self.largest, -np.inf, high * (1 - TAIL_ROUNDING))

    def mu_high(self) -> float:
        """left and right are mu-GDP for this mu, one way.

        As functions of E = exp(eps), both the true delta and a Gaussian's are convex. So between two points,
        delta lies below the chord of its upper ends, and the Gaussian's above any of its tangents: it is
        enough that a tangent lies above both ends. The Gaussian's tangent at c is Phi(mu/2 - c/mu) - E
        Phi(-mu/2 - c/mu).
        """
        if self.largest == np.inf or self.blur > 0:
            return float(np.inf)
        if self.largest <= 0:
            return 0.0
        eps = np.linspace(0, self.largest, points_for(self.largest))
        high = self.log_high(eps)
        ends = np.stack([eps[:-1], eps[1:], high[:-1], high[1:]])  # of the stretches between neighbouring points
        hard = ends[:, :0]  # those that were not dominated by the last Gaussian that failed: asked first

        def enough(mu: float) -> bool:
            nonlocal hard
            for some in (hard, ends):
                if not (good := dominated(some, mu)).all():
                    hard = some[:, ~good]
                    return False
            return True

        return ending_bracket(lambda mu: not enough(mu), 1e-6, 1e6, SMALLEST_MU)[1]

    # -- Renyi -----------------------------------------------------------------------------------------------

    def renyi(self, alpha: float) -> tuple[float, float]:
        """(low, high): the Renyi divergence of order alpha > 1 of left from right; inf if mass was pruned."""
        if not alpha > 1:
            raise ValueError(f"alpha is {alpha}; the order must exceed 1")
        ends = []
        for atoms in self.atoms:
            some = atoms.left > 0
            parts = alpha * safe_log(atoms.left[some]), (1 - alpha) * safe_log(atoms.right[some])
            ends.append(float(np.logaddexp.reduce(parts[0] + parts[1])))
        # Of a part the logarithm, the factor, the product and the sum are rounded; and each step of summing n
        # exponentials loses a few units of 1 and of its own size.
        largest = float((np.abs(parts[0]) + np.abs(parts[1])).max(initial=0.0))
        slack = (2 * alpha - 1) * self.drift + UNIT_ROUNDOFF * (8 * largest + 4 * parts[0].size * (1 + abs(ends[1])))
        # What is faint on the right may be much fainter, and what is 0 may be possible; or all mass is lost.
        if self.blur > 0 or not parts[0].size:
            return 0.0, float(np.inf)
        # What is possible on the left alone is infinitely revealing.
        low = ends[0] if ends[0] == np.inf else max(ends[0] - slack, 0.0)
        return low / (alpha - 1), (ends[1] + slack) / (alpha - 1) if self.lost[0] == 0 else float(np.inf)

    # -- trade-off curves ------------------------------------------------------------------------------------

    def tradeoff(self, points: int = TRADEOFF_POINTS) -> tuple[Curve, Curve]:
        """(low, high): certified polylines (alpha, beta) below and above the pair's trade-off curve.

        alpha is the probability of rejecting left where it is true, beta that of accepting it under right.
        low is made of supporting lines, so that it stays below also between its points; high joins tests that
        exist.
        """
        return self.tradeoff_low(points), self.tradeoff_high(points)

    def tradeoff_high(self, points: int = TRADEOFF_POINTS) -> Curve:
        atoms, grow = self.atoms[0], el.exp(self.drift)
        pick = tradeoff_positions(atoms, points)
        alpha = grow * (atoms.below[0][pick] * (1 + atoms.error) + self.missing[0]) + self.blur
        beta = grow * atoms.above[1][pick] * (1 + atoms.error) + self.blur
        inner = zip(np.minimum(alpha, 1.0).tolist(), np.minimum(beta, 1.0).tolist(), strict=True)
        return [(0.0, 1.0), *inner, (1.0, 0.0)]

    def tradeoff_low(self, points: int = TRADEOFF_POINTS) -> Curve:
        atoms, shrink = self.atoms[1], el.exp(-self.above)
        if not atoms.loss.size:
            return [(0.0, 0.0), (1.0, 0.0)]
        pick = np.minimum(tradeoff_positions(atoms, points), atoms.loss.size - 1)
        loss = np.unique(np.clip(atoms.loss[pick], -OVERFLOW_EXPONENT, OVERFLOW_EXPONENT))
        # Every test has beta + exp(-c) alpha >= sum min(exp(-c) left, right) =: value, for every c.
        first = np.searchsorted(atoms.loss, loss, side="right")
        slope = el.exp(-loss)
        value = shrink * (1 - atoms.error) * (slope * atoms.below[0][first] + atoms.above[1][first])
        value = value - self.blur * (1 + slope)
        # With a blur, lines that are steeper than the one that begins highest lie below it, and others below 0.
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


def points_for(top: float) -> int:
    """How many values of eps to look at between 0 and top: one every 0.01, but 400 to 20 000."""
    return int(np.clip(np.ceil(top / 0.01), 400, 20_000)) + 1


def safe_log(values: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.asarray(el.log(values))
