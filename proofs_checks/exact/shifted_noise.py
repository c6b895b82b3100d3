"""Exact privacy of releasing noisy values: normal or Laplace values whose centres differ between the sides by known
distances.

`shifted_noise_profile(kind, sizes)` is the profile of releasing all of them; a size is |centre_left -
centre_right|/scale. Earlier values may decide which value comes next, its scale and its centre: that changes nothing as
long as the sizes are the same, because given the past the loss of a value has the same law, and so the losses are
independent.

**Normal values** (Dong, Roth and Su 2022): N(0, 1) against N(m, 1) has a normal loss, and losses add up, so a sequence
is exactly mu-GDP with mu^2 the sum of the squared sizes.

**Laplace values.** For one value centred at 0 or at d, log(p/q) at x is d for x <= 0, d - 2x for 0 <= x <= d, and -d
beyond: two atoms, of masses 1/2 and e^-d/2, and an interval between them. The interval is cut into equal pieces of
length g/2. On the piece from x to x + g/2, p/q lies between e^(d - 2x) and e^(d - 2x - g), and its masses have the
ratio e^(d - 2x - g/2).

- Lower profile: release the piece instead of the value. This pair is at most as easy to distinguish.
- Upper profile: the mass sqrt(pq) = m of a piece is split over the two ends of its losses, m/(2 cosh(g/4)) each. Both
  masses stay, and merging the halves gives the piece back. delta(eps) is the sum of a convex function of the loss, so
  everything between the ends is at most as easy to distinguish as the ends.

For several values, lower profiles are convolved by the positions of their pieces (releasing the sum of the positions
releases less), upper profiles by their losses. Where the sizes differ, losses are split onto a common grid, as in
`privacy_loss_distribution`. Everything is a sum of positive terms, so the errors are relative.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtr

from dpbandits.proofs_checks.exact.gaussian_profile import log_gaussian_tangent, log_tangent_error
from dpbandits.proofs_checks.exact.privacy_loss_distribution import split_weights
from dpbandits.proofs_checks.exact.privacy_profile import ExactProfile, MeasurePair
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.bisection import crossing_bracket
from dpbandits.reference.arithmetic.elementary import UNIT_ROUNDOFF
from dpbandits.reference.arithmetic.linear import convolved
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.curves import gaussian_renyi
from dpbandits.reference.curves.curve import ExactPrivacy

VALUE_ROUNDING = 1e-12  # relative, of a few operations on doubles
PIECES_PER_VALUE = 200  # of a value's stretch, about: the gap shrinks with their square
MIN_TOTAL_PIECES, MAX_TOTAL_PIECES = 1000, 20_000  # of all stretches together
GRID_SNAP_TOLERANCE = 1e-11  # steps of the grid: so far off, an atom lies on it
MAX_SHIFT_SUM = 600.0  # sum of d, and of d/2 + log 2: beyond, ratios and masses leave the range of doubles


def shifted_noise_profile(kind: str, sizes: Sequence[float]) -> ExactPrivacy | None:
    """The privacy profile of releasing all of these noisy values together. kind: "normal" or "laplace".

    sizes: the shifts in units of the scale. Returns None if nothing is shifted, or if doubles cannot hold the profile
    (Laplace values whose sum of d, or of d/2 + log 2, exceeds MAX_SHIFT_SUM). Raises ValueError for another kind, and
    for sizes that are negative or not finite.
    """
    every = np.asarray(sizes, dtype=np.float64).reshape(-1)
    if kind not in PROFILE_MAKERS or not (np.isfinite(every).all() and (every >= 0).all()):
        raise ValueError(
            f"shifts have kind {kind!r} and sizes {sizes!r}; kind must be {' or '.join(PROFILE_MAKERS)}, and "
            "sizes must be finite and at least 0"
        )
    moved = every[every > 0]
    return PROFILE_MAKERS[kind](moved) if moved.size else None


class NormalShift(NamedTuple):
    """The exact profile of N(0, 1) against N(distance, 1), which equals that of releasing all normal values."""

    distance: float

    def mu(self) -> tuple[float, float]:
        """(low, high): bounds on the smallest mu for which the release is mu-GDP."""
        return self.distance * (1 - VALUE_ROUNDING), self.distance * (1 + VALUE_ROUNDING)

    def mu_low(self) -> float:
        """The lower bound on the smallest mu for which the release is mu-GDP."""
        return self.mu()[0]

    def renyi(self, alpha: float) -> tuple[float, float]:
        """(low, high): bounds on the Renyi divergence of order alpha."""
        value = float(gaussian_renyi(doubles, alpha, self.distance))
        return value * (1 - VALUE_ROUNDING), value * (1 + VALUE_ROUNDING)

    @property
    def swapped(self) -> NormalShift:
        """The profile with left and right exchanged, which is the profile itself."""
        return self  # the other direction looks the same

    def delta(self, eps: ArrayLike) -> tuple[Array, Array]:
        """(low, high): bounds on the smallest delta at each eps >= 0."""
        mu, eps = self.distance, np.asarray(eps, dtype=np.float64)
        log, share = log_gaussian_tangent(eps, eps, mu)
        off = log_tangent_error(eps, eps, mu, share)
        # Its first term, where all of it cancels
        most = log_ndtr(mu / 2 - eps / mu) + log_tangent_error(eps, eps, mu, np.zeros(()))
        with np.errstate(over="ignore", invalid="ignore"):
            return el.exp(log - off), np.minimum(np.fmin(el.exp(log + off), el.exp(most)), 1.0)

    def eps(self, delta: float) -> tuple[float, float]:
        """(low, high): bounds on the smallest eps at this delta; inf for delta = 0."""
        return self.eps_low(delta), np.inf if delta <= 0 else self.eps_bound(delta, 1)

    def eps_low(self, delta: float) -> float:
        """The lower bound of `eps`; inf for delta = 0."""
        return np.inf if delta <= 0 else self.eps_bound(delta, 0)

    def eps_bound(self, delta: float, which: int) -> float:
        """A bound on the smallest eps at this delta: from below (which=0) or from above (which=1)."""
        return crossing_bracket(lambda eps: self.delta(eps)[which], delta)[which]

    def tradeoff(self) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
        """Two polylines (alpha, beta), below and above the trade-off function.
        The lower one follows tangents, the upper one joins points of the function."""
        x = np.linspace(-8.0 - self.distance, 8.0, 241)  # close where the curve is steep, at either end
        alpha, beta = ndtr(x), ndtr(-x - self.distance)
        high = [(0.0, 1.0), *curve_points(alpha, np.minimum(beta * (1 + VALUE_ROUNDING), 1.0)), (1.0, 0.0)]
        # A point that lies on or below the tangents at both of its neighbours: so does what joins it with the next one.
        with np.errstate(over="ignore", invalid="ignore"):
            slope = el.exp(-self.distance * (x + self.distance / 2))
            at = (np.diff(beta + slope * alpha) / np.diff(slope)).clip(alpha[:-1], alpha[1:])
            at = np.where(np.isnan(at), alpha[1:], at)
            ends = [
                beta[k] - slope[k] * (at - alpha[k]) - VALUE_ROUNDING * slope[k] * at
                for k in (slice(-1), slice(1, None))
            ]
        corners = curve_points(
            at, np.minimum.accumulate(np.nan_to_num(np.minimum(*ends) * (1 - VALUE_ROUNDING)).clip(0.0))
        )
        return [(0.0, float(beta[0])), *corners, (float(alpha[-1]), 0.0), (1.0, 0.0)], high


def curve_points(alpha: Array, beta: Array) -> list[tuple[float, float]]:
    """The points (alpha, beta) of a curve as a list of pairs."""
    return list(zip(alpha.tolist(), beta.tolist(), strict=True))


def shifted_normal_profile(sizes: Array) -> NormalShift:
    """The privacy profile of normal noise on several values. sizes: their shifts, in units of the noise scale."""
    return NormalShift(float(np.sqrt((sizes * sizes).sum())))


def shifted_laplace_profile(sizes: Array) -> ExactProfile | None:
    """The privacy profile of Laplace noise on several values. sizes: their positive shifts, in units of the scale.
    None if doubles cannot hold it."""
    total = float(sizes.sum())
    if max(total, total / 2 + len(sizes) * el.log(2)) > MAX_SHIFT_SUM:
        return None
    grid = 2 * total / np.clip(PIECES_PER_VALUE * len(sizes), MIN_TOTAL_PIECES, MAX_TOTAL_PIECES)
    grid = 2 * float(sizes.max()) / max(1, round(2 * float(sizes.max()) / grid))  # sizes that are alike fit it
    root, left, right, roundings = np.ones(1), np.ones(1), np.ones(1), 0.0
    for size in sizes:
        m, p, q = shifted_laplace_cells(float(size), grid)
        root, left, right = convolved(root, m), convolved(left, p), convolved(right, q)
        # Of each cell: the sum, and what its terms are made of; the shift itself is a quotient of doubles.
        roundings += len(m) + 64 + 8 * size + (VALUE_ROUNDING * size + GRID_SNAP_TOLERANCE * grid) / UNIT_ROUNDOFF
    half = el.exp((total - grid * np.arange(len(root))) / 2)
    drift = float(UNIT_ROUNDOFF * (roundings + 8 * (total + grid)))
    return ExactProfile(MeasurePair(root * half, root / half), MeasurePair(left, right), log_error=drift)


def shifted_laplace_cells(size: float, grid: float) -> tuple[Array, Array, Array]:
    """The privacy loss distribution of Laplace noise on one value that is shifted by `size`, as three arrays.
    They are in descending order of the loss from `size`: sqrt(pq) at every loss of the grid, and p and q at every half
    step."""
    pieces = max(1, round(2 * size / grid)) if 2 * size >= grid else 1
    own = 2 * size / pieces  # the grid of its own losses
    x = size * np.arange(pieces) / pieces
    step = -el.expm1(-own / 2)
    p, q = el.exp(-x) * step / 2, el.exp(x + own / 2 - size) * step / 2
    ends = np.zeros(pieces + 1)
    halves = np.sqrt(p) * np.sqrt(q) / (2 * el.cosh(own / 4))
    ends[:-1] += halves
    ends[1:] += halves
    ends[[0, -1]] += el.exp(-size / 2) / 2
    root = split_onto_grid(np.arange(pieces + 1) * (own / grid), ends, grid)
    place = np.rint(2 * np.concatenate([[0], np.arange(pieces) + 0.5, [pieces]]) * (own / grid)).astype(np.int64)
    far = el.exp(-size) / 2
    masses = (np.concatenate([[0.5], p, [far]]), np.concatenate([[far], q, [0.5]]))
    left, right = (np.asarray(np.bincount(place, each), dtype=np.float64) for each in masses)
    return root, left, right


def split_onto_grid(place: Any, root: Array, grid: float) -> Array:
    """The masses sqrt(p q) of atoms, each split between the two neighbouring grid points.
    place: the atoms' positions in grid steps. root: their sqrt(pq)."""
    down = np.floor(place + GRID_SNAP_TOLERANCE)
    part = np.where(place - down <= GRID_SNAP_TOLERANCE, 0.0, place - down)
    low, high = split_weights(part, grid)
    cells = np.zeros(int(down[-1]) + 2)
    np.add.at(cells, down.astype(np.int64), root * low)
    np.add.at(cells, down.astype(np.int64) + 1, root * high)
    return cells[: -1 if cells[-1] == 0 else None]


PROFILE_MAKERS = {"normal": shifted_normal_profile, "laplace": shifted_laplace_profile}
