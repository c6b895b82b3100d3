"""The laws of three ways to select options by noisy values: the largest value, all values within a given width of the
largest, or the s largest values."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import NoLaw, at_least, positive, reals
from dpbandits.reference.arithmetic.elementary import UNIT_ROUNDOFF
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.release_laws.selections.integrals import Products, log_integrals
from dpbandits.reference.bandits.release_laws.selections.noises import NoiseKind, known_noise

Sets = NDArray[np.bool_]

MAX_LISTED_SETS = 1 << 12  # sets that are listed without being asked for
MAX_SELECTION_RATIO = 1e4  # the largest ratio of scales: the number of nodes grows with it
MAX_GAP_SCALES = 1e8  # the largest gap, and the largest width, in scales: beyond, a double's own spacing is felt


class Chances(NamedTuple):
    """The law of a selection among K numbers, in m states.

    sets: (outcomes, K), the numbers that each outcome selects. log: (m, outcomes), the logarithm of every probability.
    error: a bound on the absolute error of the logarithm, to first order the relative error of the probability.
    """

    sets: Sets
    log: Array
    error: Array

    @property
    def chance(self) -> Array:
        """The probabilities of the outcomes; 0 if smaller than about e^-745."""
        return np.asarray(el.exp(self.log))


def argmax(kind: NoiseKind, centres: ArrayLike, scales: ArrayLike, among: ArrayLike | None = None) -> Chances:
    """The law of which of K noisy numbers is the largest; outcome i is number i.

    kind: of the noise, `noises.NORMAL` or `noises.LAPLACE`. centres, scales: (m, K), or broadcastable to it. among:
    boolean (m, K), the numbers that take part in each row (the values of the others do not matter); None for all.
    Raises ValueError for other noise, centres that are not finite, scales that are not positive and finite, and a row
    in which too few numbers take part; NoLaw for a ratio of scales above 1e4, and a gap above 1e8 scales.
    """
    return top(kind, centres, scales, 1, among=among)


def top(
    kind: NoiseKind,
    centres: ArrayLike,
    scales: ArrayLike,
    size: int,
    sets: ArrayLike | None = None,
    among: ArrayLike | None = None,
) -> Chances:
    """The law of which `size` numbers are the largest, 1 <= size < K, or K = 1.

    kind, centres, scales, among: as for `argmax`. size: the number of selected numbers. sets: the requested outcomes,
    boolean (outcomes, K); None for all of them, in the order of `itertools.combinations`. Raises ValueError and NoLaw
    as `argmax` does; ValueError also for sets of another size, NoLaw for more than 4096 outcomes if `sets` is None.
    """
    kind = known_noise(kind)
    at_least("s (size)", size, 1)
    if among is not None:
        rows = PartialRows(centres, scales, among, size)
        listed = rows.outcomes(size, size) if sets is None else of_size(checked_sets(sets, rows.arms), size)
        return rows.chances(listed, lambda _, means, spread, some: top(kind, means, spread, size, some))
    centres, scales = checked_centres(centres, scales)
    arms = centres.shape[1]
    if size >= max(arms, 2):
        raise ValueError(f"top: size is {size}, but K = {arms}; the size must be smaller than K")
    if sets is None:
        if comb(arms, size) > MAX_LISTED_SETS:
            raise NoLaw(
                f"top: {size} of {arms} numbers can be selected in {comb(arms, size)} ways, too many to list; give the "
                "sets that you need as sets="
            )
        sets = subsets(arms, size, size)
    return chances(kind, centres, scales, of_size(checked_sets(sets, arms), size), None)


def survivors(
    kind: NoiseKind,
    centres: ArrayLike,
    scales: ArrayLike,
    width: ArrayLike,
    sets: ArrayLike | None = None,
    among: ArrayLike | None = None,
) -> Chances:
    """The law of which numbers lie within `width` of the largest one, which is included.

    kind, centres, scales, among: as for `argmax`. width: positive, a number or (m,). sets: the requested outcomes,
    boolean (outcomes, K), none of them empty; None for all, the small ones first. Raises ValueError and NoLaw as `top`
    does, and NoLaw for a width above 1e8 scales.
    """
    kind = known_noise(kind)
    if among is not None:
        rows = PartialRows(centres, scales, among, 1)
        listed = rows.outcomes(1, rows.arms) if sets is None else checked_sets(sets, rows.arms)
        wide = np.broadcast_to(reals("width", width), len(rows.among))
        return rows.chances(
            listed, lambda which, means, spread, some: survivors(kind, means, spread, wide[which], some)
        )
    centres, scales = checked_centres(centres, scales)
    widths = np.broadcast_to(reals("width", width), len(centres))
    for each in np.unique(widths):
        positive("width", float(each))
    if (widths > MAX_GAP_SCALES * scales.min(axis=1)).any():
        raise NoLaw(
            f"survivors: the width is {widths.max():.3g}; it must be at most {MAX_GAP_SCALES:g} times the "
            "smallest scale"
        )
    arms = centres.shape[1]
    if sets is None:
        if 2**arms > MAX_LISTED_SETS:
            raise NoLaw(
                f"survivors: {arms} numbers have {2**arms - 1} possible sets of survivors, too many to list; give the "
                "sets that you need as sets="
            )
        sets = subsets(arms, 1, arms)
    return chances(kind, centres, scales, checked_sets(sets, arms), widths)


def chances(kind: NoiseKind, centres: Array, scales: Array, sets: Sets, widths: Array | None) -> Chances:
    """The probability that noise selects each of these sets, for every row of centres.
    The probability of a set is a sum over the numbers i in it, of the integrals (`log_integrals`) in which X_i is the
    largest (survivors) or the smallest (top) selected number."""
    many, arms = centres.shape
    which, own = np.nonzero(sets)  # one row for every outcome and each number that it selects
    others = np.array([[j for j in range(arms) if j != i] for i in range(arms)], dtype=np.intp)[own]
    joint = sets[which[:, None], others]  # (rows, K - 1): selected as well
    away = np.abs(centres[:, own, None] - centres[:, others])
    lead = centres[:, own, None] - centres[:, others]
    width = np.zeros(lead.shape)
    if widths is None:
        sign, window = np.where(joint, -1.0, 1.0), np.full(lead.shape, np.inf)
    else:
        width[:] = widths[:, None, None]
        sign, window = np.ones(joint.shape), np.where(joint, width, np.inf)
        lead = np.where(joint, lead, lead - width)
    spread = scales[:, others]
    shape = (many * len(own), arms - 1)
    products = Products(
        (sign * lead / spread).reshape(shape),
        (sign * scales[:, own, None] / spread).reshape(shape),
        (window / spread).reshape(shape),
        ((away + width) / spread).reshape(shape),
    )
    found = log_integrals(kind, products)
    log, error = (each.reshape(many, len(own)) for each in found)
    starts = np.flatnonzero(np.diff(which, prepend=-1))
    peak = np.maximum.reduceat(log, starts, axis=1)
    total = np.add.reduceat(el.exp(log - peak[:, which]), starts, axis=1)
    worst = np.maximum.reduceat(error, starts, axis=1)
    return Chances(sets, np.minimum(peak + el.log(total), 0.0), worst + UNIT_ROUNDOFF * (arms + 4 + np.abs(peak)))


class PartialRows:
    """Rows in which only some of the numbers take part, grouped by which ones. least: the smallest allowed number of
    participants."""

    def __init__(self, centres: ArrayLike, scales: ArrayLike, among: ArrayLike, least: int) -> None:
        """Checks the centres and scales. among: the numbers that take part in each row."""
        taken = reals("selections: centres", centres), reals("selections: scales", scales)
        means, spread, some = np.broadcast_arrays(*taken, among)
        if means.ndim != 2 or some.dtype != np.bool_:
            raise ValueError(
                f"selections: `among` has shape {np.shape(among)} and type {some.dtype}, and centres have "
                f"shape {np.shape(centres)}; `among` must be booleans of shape (m, K), one for every centre"
            )
        if (few := some.sum(axis=1) < least).any():
            row = int(few.argmax())
            raise ValueError(
                f"selections: in row {row} `size` is {least}, which exceeds the number of options in `among`: "
                f"{some[row].sum()}"
            )
        self.centres, self.scales, self.among, self.least, self.arms = means, spread, some, least, means.shape[1]

    def outcomes(self, least: int, most: int) -> Sets:
        """All sets of `least` to `most` arms as rows of booleans. Raises NoLaw if there are too many."""
        many = sum(comb(self.arms, size) for size in range(least, most + 1))
        if many > MAX_LISTED_SETS:
            raise NoLaw(
                f"selections: {self.arms} numbers have {many} possible outcomes, too many to list; give the sets that "
                "you need as sets="
            )
        return subsets(self.arms, least, most)

    def chances(self, sets: Sets, select: Any) -> Chances:
        """The probability of each of these sets in every row, where only the row's own numbers take part.
        select(rows, centres, scales, sets): computes them for some rows, given only the numbers that take part
        there."""
        log = np.full((len(self.among), len(sets)), -np.inf)
        error = np.zeros(log.shape)
        kinds, kind = np.unique(self.among, axis=0, return_inverse=True)
        for place, mask in enumerate(kinds):
            rows = np.flatnonzero(kind.reshape(-1) == place)
            fit = np.flatnonzero(~(sets & ~mask).any(axis=1))
            if mask.sum() == self.least or not fit.size:  # all that take part, for certain
                log[np.ix_(rows, fit)] = 0.0
                continue
            found = select(rows, self.centres[rows][:, mask], self.scales[rows][:, mask], sets[fit][:, mask])
            log[np.ix_(rows, fit)], error[np.ix_(rows, fit)] = found.log, found.error
        return Chances(sets, log, error)


# -- what comes in ---------------------------------------------------------------------------------------------------


def subsets(arms: int, min_size: int, max_size: int) -> Sets:
    """All sets of `min_size` to `max_size` arms, boolean (sets, arms)."""
    every = [chosen for size in range(min_size, max_size + 1) for chosen in combinations(range(arms), size)]
    out = np.zeros((len(every), arms), dtype=np.bool_)
    for row, chosen in enumerate(every):
        out[row, list(chosen)] = True
    return out


def checked_centres(centres: ArrayLike, scales: ArrayLike) -> tuple[Array, Array]:
    """The centres and the scales as two arrays (m, K). Raises ValueError or NoLaw if they give no law."""
    means, spread = np.broadcast_arrays(reals("selections: centres", centres), reals("selections: scales", scales))
    if means.ndim != 2 or 0 in means.shape:
        raise ValueError(
            f"selections: centres have shape {means.shape}; they must have shape (m, K), a row for every state"
        )
    if not np.isfinite(means).all():
        raise ValueError(f"selections: a centre is {means[~np.isfinite(means)][0]}; every centre must be finite")
    if not (np.isfinite(spread).all() and (spread > 0).all()):
        bad = spread[~(np.isfinite(spread) & (spread > 0))][0]
        raise ValueError(f"selections: a scale is {bad}; every scale must be positive and finite")
    widest = float((spread.max(axis=1) / spread.min(axis=1)).max())
    if widest > MAX_SELECTION_RATIO:
        raise NoLaw(
            f"selections: the largest scale is {widest:.3g} times the smallest; at most {MAX_SELECTION_RATIO:g} "
            "times is supported"
        )
    farthest = float((np.ptp(means, axis=1) / spread.min(axis=1)).max())
    if farthest > MAX_GAP_SCALES:
        raise NoLaw(f"selections: two centres are {farthest:.3g} scales apart; at most {MAX_GAP_SCALES:g} is supported")
    return means, spread


def checked_sets(sets: ArrayLike, arms: int) -> Sets:
    """The sets as booleans (outcomes, arms). Raises ValueError for another shape or an empty set."""
    chosen = np.asarray(sets)
    if chosen.ndim != 2 or chosen.shape[1] != arms or chosen.dtype != np.bool_ or not len(chosen):
        raise ValueError(
            f"sets have shape {chosen.shape} and type {chosen.dtype}; they must be booleans of shape (outcomes, {arms})"
        )
    if not chosen.any(axis=1).all():
        raise ValueError("sets contains an empty set, which is never selected; omit it")
    return chosen


def of_size(sets: Sets, size: int) -> Sets:
    """Returns the sets unchanged. Raises ValueError unless each of them has this size."""
    if (sets.sum(axis=1) != size).any():
        raise ValueError(f"top: the size of every set must be {size}, but the sizes are {sets.sum(axis=1).tolist()}")
    return sets
