"""Who wins among independent normals, as the law of a release: with a relative error, in every tail."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.argmax_law import ERROR, argmax_law
from dpbandits.reference.noise import Array
from dpbandits.reference.policy import RELATIVE, Law, one_arm
from dpbandits.reference.selections import NORMAL, argmax

FAINT = 1e-3  # of a chance above it, the error of `argmax_law` is at most 1e-10; others are integrated anew
MOST = 6  # arms: with more, an integral for each faint chance takes too long, and the law is blurred instead


def winner(means: Array, scales: Array, size: Any = 1) -> Law:
    """The law of pulling, `size` times, the arm whose normal draw is the largest. means, scales: (states, arms).

    For up to MOST arms with a relative error alone; for more, blurred as `argmax_law` states. Raises ValueError as
    `argmax_law` does and, for three arms to MOST, `selections.argmax`.
    """
    chance = argmax_law(means, scales)
    arms = chance.shape[1]
    if not 2 < arms <= MOST:
        return one_arm(chance, size)
    least = chance.min(axis=1)
    faint = np.flatnonzero(least < FAINT)
    error = max(RELATIVE, ERROR / (float(least[least >= FAINT].min(initial=1.0)) - ERROR))
    if faint.size:
        means, scales = (np.broadcast_to(part, chance.shape)[faint] for part in (means, scales))
        found = argmax(NORMAL, means, scales)
        chance[faint] = found.chance
        error = max(error, float(found.error[found.chance > 0].max()))
    return one_arm(chance, size, error, 0.0)
