"""Normal noise in one or two dimensions: the chances of a fan's half-lines and wedges."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import log_ndtr

from dpbandits.reference.arithmetic.checks import SMALLEST_NORMAL, NoLaw
from dpbandits.reference.arithmetic.elementary import UNIT_ROUNDOFF, arctan2
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.release_laws.selections.wedges import MAX_WEDGE_CENTRE, AnglePanels, angle_panel_sums

CENTRES_PER_BATCH = 64  # centres at once


def log_wedges(found: Any, means: Array) -> tuple[Array, Array]:
    """The logarithm of every set's chance, (m, outcomes), and how far it may be off. found: a fan of one or two
    dimensions. NoLaw for a centre beyond MAX_WEDGE_CENTRE in two."""
    if means.shape[1] == 1:
        return log_lines(found, means)
    far = np.hypot(*means.T).max(initial=0.0)
    if far > MAX_WEDGE_CENTRE:
        raise NoLaw(
            f"combined: the distance of a centre from 0 is {far:.3g} times the scale of the noise; with normal noise "
            f"in two dimensions, the largest supported distance is {MAX_WEDGE_CENTRE:g} times the scale"
        )
    log_chance, error = np.empty((len(means), len(found.cones))), np.empty((len(means), len(found.cones)))
    for first in range(0, len(means), CENTRES_PER_BATCH):
        some = slice(first, first + CENTRES_PER_BATCH)
        for whole, part in zip((log_chance, error), angle_panel_sums(wedges(found, means[some])), strict=True):
            whole[some] = part.reshape(-1, len(found.cones))
    return log_chance, error


def log_lines(found: Any, means: Array) -> tuple[Array, Array]:
    """One dimension: the two half-lines."""
    log_chance = np.full((len(means), len(found.cones)), -np.inf)
    for row, cones in enumerate(found.cones):
        for ((sign,),) in cones:
            side = log_ndtr(np.sign(sign) * means[:, 0])
            log_chance[:, row] = np.logaddexp(log_chance[:, row], side)
    return log_chance, UNIT_ROUNDOFF * (16 + 16 * np.abs(np.where(np.isfinite(log_chance), log_chance, 0.0)))


def wedges(found: Any, means: Array) -> AnglePanels:
    """The wedges of all sets, once for every centre: angles between integer rays, by exact products. NoLaw for one
    below SMALLEST_NORMAL."""
    row, start, width = [], [], []
    for number, cones in enumerate(found.cones):
        for one, other in cones:
            cross = one[0] * other[1] - one[1] * other[0]
            if cross < 0:
                one, other, cross = other, one, -cross
            inner = one[0] * other[0] + one[1] * other[1]
            scale = max(abs(inner), cross)
            row.append(number)
            largest = max(map(abs, one))
            start.append([one[0] / largest, one[1] / largest])
            width.append(float(arctan2(cross / scale, inner / scale)))
    if min(width) < SMALLEST_NORMAL:
        raise NoLaw(
            "combined: the weights differ so much in size that the angle between two of them is below the "
            "resolution of doubles; rescale them"
        )
    begin = np.array(start)
    begin /= np.hypot(*begin.T)[:, None]
    many = len(means)
    rows = (np.arange(many)[:, None] * len(found.cones) + np.array(row)).ravel()
    ends, centres = np.tile(np.array(width), many), np.repeat(means, len(row), axis=0)
    return AnglePanels(rows, np.tile(begin, (many, 1)), np.zeros(len(ends)), ends, centres)
