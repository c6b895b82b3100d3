"""Abscissae for plotting a curve, dense enough that straight lines between the points look like the curve on a
screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array

ACROSS, UP = 400.0, 280.0  # pixels that a picture of the report takes, at most
# Of a pixel: how far a curve may lie from the middle of a chord; a bend between may be off by twice that
CHORD_TOLERANCE_PIXELS = 0.25
MAX_STEP_HALVINGS = 12  # of halving: 2^-12 of the first step is no pixel any more
LOG_AXIS_FLOOR = 1e-15  # nothing smaller is drawn on a logarithmic axis


def adaptive_abscissae(curve: Callable[[Array], Any], x: Array, log_x: bool = False, log_y: bool = False) -> Array:
    """The points x, (n,), ascending, with further points between them where the curve bends.

    curve: maps (m,) to (m,) or, for several curves at the same x, to (curves, m). log_x, log_y: whether the axes are
    logarithmic; values below LOG_AXIS_FLOOR, and below the least positive value at the given x, are drawn at the end of
    the axis.
    """
    values = np.atleast_2d(np.asarray(curve(x), float))
    bottom = max(LOG_AXIS_FLOOR, float(values[values > 0].min(initial=1.0))) if log_y else 0.0

    def flat(at: Array, value: Array) -> tuple[Array, Array]:
        """Positions on the screen, in units of the plot's size."""
        return (el.log(np.maximum(at, LOG_AXIS_FLOOR)) if log_x else at), (
            el.log(np.maximum(value, bottom)) if log_y else value
        )

    wide, high = (float(np.ptp(side)) or 1.0 for side in flat(x, values))
    ends = np.stack([x[:-1], x[1:]])  # of chords that are still to be looked at: (2, m),
    heights = np.stack([values[:, :-1], values[:, 1:]], axis=1)  # and the curves there: (curves, 2, m)
    found = [x]
    for _ in range(MAX_STEP_HALVINGS):
        middle = np.sqrt(ends[0] * ends[1]) if log_x and (ends[0] > 0).all() else ends.mean(axis=0)
        here = np.atleast_2d(np.asarray(curve(middle), float))
        at, up = flat(ends, heights)
        seen_at, seen = flat(middle, here)
        run = np.maximum((at[1] - at[0]) / wide * ACROSS, 1e-9)
        rise = (up[:, 1] - up[:, 0]) / high * UP
        share = (seen_at - at[0]) / wide * ACROSS / run
        away = np.abs((seen - up[:, 0]) / high * UP - share * rise) * run / np.hypot(run, rise)
        bent = (away > CHORD_TOLERANCE_PIXELS).any(axis=0)
        if not bent.any():
            break
        found.append(middle[bent])
        both = np.tile(bent, 2)
        halves = [np.stack([ends[0], middle]), np.stack([middle, ends[1]])]
        sides = [np.stack([heights[:, 0], here], axis=1), np.stack([here, heights[:, 1]], axis=1)]
        ends, heights = np.concatenate(halves, axis=1)[:, both], np.concatenate(sides, axis=2)[..., both]
    return np.unique(np.concatenate(found))
