"""How far sums and chances that follow from a law may be off."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import context_dimension
from dpbandits.reference.bandits.policy import RELATIVE, HasLaw


def log_error(error: float) -> float:
    """How far a logarithm may be off where its number is, by this share of itself."""
    return float(-el.log1p(-error)) if error < 1 else float(np.inf)


def sums_error(policy: HasLaw, pair: Pair) -> float:
    """What the sums of the rewards add to a law's relative error: nothing where all are multiples of 2^-20, whose sums
    a double holds. Contexts are factors besides, and nothing is taken for exact."""
    exact = not context_dimension(policy) and all(
        (np.mod(side * 2.0**20, 1) == 0).all() for side in (pair.left, pair.right)
    )
    size = max(1.0, pair.range.size)
    if context_dimension(policy):
        size *= max(1.0, *(float(np.abs(side.features).max()) for side in pair.both_contexts))
    return 0.0 if exact and size * policy.horizon <= 2**33 else RELATIVE * policy.horizon * size / 3
