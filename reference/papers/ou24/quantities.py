"""What the experiments of Sections 5 and D show beside the regret: pre-pulls apart from the rounds after them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.noise import Array
from dpbandits.reference.quantities import Quantity, Runs, weighted


def prepull_regret(policy: Any, environment: Any, runs: Runs) -> Array:
    """The pseudo-regret of the pre-pulls, which is no random number: b times the sum of the gaps."""
    return weighted(np.full_like(runs.pulls, policy.prepulls), environment)


def later_regret(policy: Any, environment: Any, runs: Runs) -> Array:
    """The pseudo-regret per round after the pre-pulls."""
    rounds = policy.horizon - policy.prepulls * policy.arms
    if rounds < 1:
        raise ValueError(f"{policy}: no rounds are left after the pre-pulls")
    return np.asarray(weighted(runs.pulls - policy.prepulls, environment) / rounds)


PREPULL_REGRET = Quantity("regret of the pre-pulls", prepull_regret)
LATER_REGRET = Quantity("pseudo-regret per later round", later_regret)
