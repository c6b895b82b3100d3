"""Certified lower bounds on eps for two arms and long horizons, from an adversary that distinguishes two reward tables.

Transcripts with the same counts and nearly the same loss are merged, as in `privacy_loss_distribution` of
`proofs_checks.exact`. Merging is a post-processing, so the event that is found is an event of the transcripts. It
contains no transcript with more than `levels` pulls of the changed arm, or with a loss outside the window. Unlike that
module, this one computes no upper curve, keeps all counts in one array, and skips what the attack does not need: T = 10
000 takes seconds.

What "certified" rests on: every probability of a round is one value of ndtr, good to LAW_ERROR (see
`proofs_checks.exact.engine`: the same arguments hold for T up to 100 000); a mass is a product of T of them and of sums
of positive numbers, 24 roundings a round. Their sum is the drift r: the true delta(eps) is at least e^-r times the
computed one at eps + 2r.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from dpbandits.extensions.thompson.rules import Sampler, checked_sampler
from dpbandits.proofs_checks.compiled_cache import cached_kernel
from dpbandits.proofs_checks.exact.engine import LAW_ERROR
from dpbandits.proofs_checks.exact.privacy_profile import MeasurePair, SortedAtoms
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.elementary import UNIT_ROUNDOFF
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

ATTACK_LOSS_STEP = 0.05
ATTACK_PULL_LEVELS = 40  # pulls of the changed arm that are followed beside its pre-pulls
MIN_ROUND_CHANCE = 1e-20  # rounds that are less likely are left out,
LEAST_MASS = 1e-200  # and masses below this, looked at every CLEAN rounds: doubles keep their precision;
LEAST_SHOWN = 1e-24  # and cells less likely than this where the arm pays less: in all of T = 100 000 less than 1e-12;
MIN_CELL_SHARE = 1e-12  # where a smaller delta is asked for, cells less likely than this share of it
CLEAN = 4
COMPILED_MASSES = 2e5  # with fewer of them, compiling takes longer than it saves


class Attack(NamedTuple):
    """A certified attack: its adversary guesses "the changed arm pays less" for the transcripts that are more likely in
    this case."""

    atoms: SortedAtoms
    drift: float

    def delta(self, eps: float) -> float:
        """A lower bound on the true delta at eps."""
        value, error = self.atoms.delta(np.asarray(eps + 2 * self.drift))
        return max(float(el.exp(-self.drift) * (value - error)), 0.0)

    def eps(self, delta: float) -> float:
        """A certified lower bound on eps: the sampler is not (eps, delta)-private for any smaller eps."""
        # delta(eps) is the largest P_k - e^eps Q_k, over the k atoms of the largest losses.
        left, right = self.atoms.mass_from
        some = (left > 0) & (right > 0)
        left, right = left[some] * (1 - self.atoms.error), right[some] * (1 + self.atoms.error)
        enough = left * el.exp(-self.drift) > delta
        if not enough.any():
            return 0.0
        best = el.log((left[enough] * el.exp(-self.drift) - delta) / right[enough]) - self.drift
        return max(float(best.max()) * (1 - 1e-12), 0.0)

    def mu(self, error: float) -> float:
        """A certified lower bound on mu: the sampler is not mu'-GDP for any smaller mu'.
        For every smaller mu', some test of the adversary has both errors at least `error` and is better than every test
        under mu'-GDP."""
        left, right = self.atoms.mass_from
        left = left * (1 - self.atoms.error) * el.exp(-self.drift)
        first, second = right * (1 + self.atoms.error) * el.exp(self.drift), 1 - left + 1e-15
        seen = (first >= error) & (second >= error) & (first < 1) & (second < 1)
        return max(float((-ndtri(first[seen]) - ndtri(second[seen])).max(initial=0.0)) * (1 - 1e-12), 0.0)


def negligible_mass(delta: float) -> float:
    """Returns the mass below which a cell can be dropped without a visible effect on delta.
    The mass is on the side where the arm pays less. Deltas of at least this size do not change visibly."""
    return min(LEAST_SHOWN, MIN_CELL_SHARE * delta)


def attack(
    sampler: Sampler,
    pair: Pair,
    step: float = ATTACK_LOSS_STEP,
    levels: int | None = None,
    reach: tuple[float, float] = (-12.0, 100.0),
    smallest: float = 1.0,
) -> Attack:
    """Returns the certified attack that distinguishes the two tables of `pair`, for two arms.

    pair: of relation "pull". step: of the losses; the attack gets weaker with its square. levels: the largest number of
    pulls of the changed arm that are followed, initial pulls included; by default ATTACK_PULL_LEVELS more than those.
    reach: the range of losses that is followed. smallest: the smallest delta of interest, if it is tiny; for smaller
    ones the result is weaker. Raises ValueError for another relation, more arms, tables shorter than the horizon, no
    change, or fewer levels than initial pulls.
    """
    T, b = checked_sampler(sampler).horizon, sampler.prepulls
    levels = b + ATTACK_PULL_LEVELS if levels is None else levels
    if levels < b:
        raise ValueError(
            f"attack: levels is {levels}; it must be at least {b}, the number of pre-pulls of the changed arm"
        )
    arm, place = changed_reward(pair, T)
    sides = sorted((pair.left, pair.right), key=lambda table: float(table[arm, place]))
    low, high = (means(side[arm], T)[: levels + 1] for side in sides)
    other = means(pair.left[1 - arm], T)
    losses = Losses(step, reach, low.size, negligible_mass(smallest))
    losses.start(b)
    for total in range(2 * b, T):
        pulls = np.arange(b, min(total - b, low.size - 1) + 1)
        rest = total - pulls
        deviation = np.sqrt(sampler.variance * (1 / (pulls + 1) + 1 / (rest + 1)))
        losses.move(pulls, (low[pulls] - other[rest]) / deviation, (high[pulls] - other[rest]) / deviation)
        if total % CLEAN == 0:
            losses.clean()
    losses.clean()
    return Attack(SortedAtoms(losses.all()), T * (law_error(pair, T) + 24 * UNIT_ROUNDOFF))


def changed_reward(pair: Pair, horizon: int) -> tuple[int, int]:
    """The arm and the index of the one reward that differs between two tables for two arms.
    Raises ValueError if the tables are too short for this horizon, or do not differ in one reward."""
    if pair.relation != "pull" or pair.left.shape[0] != 2 or pair.left.shape[1] < horizon:
        shape = pair.left.shape
        raise ValueError(
            f"attack: the pair has relation {pair.relation!r} and reward tables of shape {shape}; it needs relation "
            f"'pull', two arms and at least {horizon} rewards for each"
        )
    changed = np.argwhere(pair.left != pair.right)
    if len(changed) != 1:
        raise ValueError("attack: the two reward tables of the pair are equal; they must differ in one reward")
    arm, place = (int(i) for i in changed[0])
    return arm, place


def means(rewards: Array, horizon: int) -> Array:
    """An arm's reward sums after n = 0, ..., horizon pulls, each divided by n + 1, (horizon + 1,)."""
    return np.append(0.0, np.cumsum(rewards[:horizon])) / np.arange(1, horizon + 2)


def law_error(pair: Pair, horizon: int) -> float:
    """A bound on the error of each computed probability of a pull.
    It is larger if the rewards are not multiples of 2^-20, because sums of rewards are then rounded."""
    exact = all((np.mod(side * 2.0**20, 1) == 0).all() for side in (pair.left, pair.right))
    return LAW_ERROR * (1.0 if exact else 1 + horizon / 3)


class Losses:
    """The probabilities, on both sides, of transcripts grouped by pull count and by loss log(low/high), in cells of
    width `step` that start at `least` + offset."""

    def __init__(self, step: float, reach: tuple[float, float], rows: int, least_shown: float = LEAST_SHOWN) -> None:
        """Prepares an array of masses by privacy loss, one row of cells for each pull count. step: a cell's width.
        reach: the smallest and the largest loss."""
        self.step, self.least, self.least_shown = step, reach[0], least_shown
        self.width = int(np.ceil((reach[1] - reach[0]) / step))
        self.masses = np.zeros((2, rows, self.width))
        self.offset = np.zeros(rows)
        self.some = slice(0, rows)  # rows beyond have no mass
        self.kernel = spread_kernel() if self.masses.size >= COMPILED_MASSES else None

    def start(self, row: int) -> None:
        """Gives the state `row` mass 1 on both sides, at privacy loss 0, for the start of a run."""
        self.masses[:, row, round(-self.least / self.step)] = 1.0
        self.some = slice(row, row + 1)

    def move(self, rows: Ints, low: Array, high: Array) -> None:
        """Plays one round in the states of these consecutive rows: moves their masses by a pull or no pull.
        The changed arm is pulled with probability ndtr(low) on one side and ndtr(high) on the other."""
        start = int(rows[0])
        first, last = max(start, self.some.start), min(start + len(rows), self.some.stop) - 1
        low, high = low[first - start : last + 1 - start], high[first - start : last + 1 - start]
        pulled, tails = (np.stack([ndtr(sign * low), ndtr(sign * high)]) for sign in (1, -1))
        pulled, tails = (np.where(side.min(axis=0) < MIN_ROUND_CHANCE, 0.0, side) for side in (pulled, tails))
        with np.errstate(divide="ignore", invalid="ignore"):
            up, stay = (np.nan_to_num(el.log(side[0] / side[1])) for side in (pulled, tails))
        landing = self.offset[first : last + 1] + up
        self.offset[first : last + 1] += stay
        if self.kernel is None:
            self.spread(first, last, pulled, tails, landing)
        else:
            self.kernel(self.masses, self.offset, self.step, first, pulled, tails, landing)
        self.some = slice(first, min(last + 2, self.offset.size))

    def spread(self, first: int, last: int, pulled: Array, tails: Array, landing: Array) -> None:
        """Moves the masses of the rows `first` to `last` through one round: a pull leads to the next row.
        landing: the loss at which a pull's cells begin. (`spread_kernel` does the same, one mass at a time, with the
        same bits.)"""
        here = self.masses[:, first : last + 1]
        leaving = here * pulled[:, :, None]
        here *= tails[:, :, None]
        fresh = first + 1 + np.flatnonzero(~self.masses[0, first + 1 : last + 2].any(axis=1))
        for row, place in enumerate(landing.tolist(), start=first + 1):
            if row < self.offset.size:
                if row in fresh:
                    self.offset[row] = place
                self.add(row, leaving[:, row - first - 1], round((place - self.offset[row]) / self.step))
        for row in np.flatnonzero(np.abs(self.offset) >= self.step).tolist():
            cells = int(np.floor(self.offset[row] / self.step))
            kept, self.masses[:, row] = self.masses[:, row].copy(), 0.0
            self.offset[row] -= cells * self.step
            self.add(row, kept, cells)

    def add(self, row: int, masses: Array, cells: int) -> None:
        """Adds masses to a row, shifted upwards by `cells` cells; masses that leave the window are dropped."""
        size = self.width - abs(cells)
        if size > 0:
            into, start = max(cells, 0), max(-cells, 0)
            self.masses[:, row, into : into + size] += masses[:, start : start + size]

    def clean(self) -> None:
        """Drops masses that are too small to count, and the first and last rows if they are empty then."""
        left, right = masses = self.masses[:, self.some]
        masses *= (left > self.least_shown) & (right > LEAST_MASS)
        rows = np.flatnonzero(left.any(axis=1))
        if rows.size:
            self.some = slice(self.some.start + int(rows[0]), self.some.start + int(rows[-1]) + 1)

    def all(self) -> MeasurePair:
        """The masses of all cells, as one array for the left side and one for the right side."""
        left, right = self.masses.reshape(2, -1)
        return MeasurePair(left, right)


@lru_cache(maxsize=1)
def spread_kernel() -> Any:
    """Returns `Losses.spread` compiled by numba; None if numba is not installed."""

    @cached_kernel("void(float64[:,:,::1],float64[::1],float64,int64,float64[:,:],float64[:,:],float64[:])")
    def kernel(masses, offset, step, first, pulled, tails, landing):  # type: ignore[no-untyped-def]
        """Moves masses through one round as `Losses.spread` does, in place."""
        _, rows, width = masses.shape
        for k in range(landing.size - 1, -1, -1):  # from the last row on: a pull leads to one that was moved before
            row = first + k
            begin, end = 0, width  # beyond, there is nothing
            while begin < end and masses[0, row, begin] == 0:
                begin += 1
            while begin < end and masses[0, row, end - 1] == 0:
                end -= 1
            if row + 1 < rows:
                if not masses[0, row + 1].any():
                    offset[row + 1] = landing[k]
                cells = int(np.rint((landing[k] - offset[row + 1]) / step))
                start, stop = max(begin, -cells), min(end, width - cells)
                for side in range(2 if start < stop else 0):
                    here, chance = masses[side, row, start:stop], pulled[side, k]
                    there = masses[side, row + 1, start + cells : stop + cells]
                    for i in range(here.size):
                        there[i] += here[i] * chance
            for side in range(2):
                masses[side, row, begin:end] *= tails[side, k]
        for row in range(rows):
            if abs(offset[row]) >= step:
                cells = int(np.floor(offset[row] / step))
                offset[row] -= cells * step
                size, begin, into = width - abs(cells), max(-cells, 0), max(cells, 0)
                for side in range(2):
                    kept = masses[side, row, begin : begin + max(size, 0)].copy()
                    masses[side, row] = 0.0
                    if size > 0:
                        masses[side, row, into : into + size] = kept

    return kernel
