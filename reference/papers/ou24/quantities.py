"""Quantities of the experiments of Sections 5 and D other than the regret: the pre-pulls and the later rounds
separately."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.quantities import Quantity, Runs, weighted


def prepulls(policy: Any) -> int:
    """How often each arm is pulled in advance: never by the policies that Appendix D compares with."""
    return int(getattr(policy, "prepulls", 0))


def prepull_regret(policy: Any, environment: Any, runs: Runs) -> Array:
    """The pseudo-regret of the pre-pulls, which is no random number: b times the sum of the gaps."""
    return weighted(np.full_like(runs.pulls, prepulls(policy)), environment)


def later_regret(policy: Any, environment: Any, runs: Runs) -> Array:
    """The pseudo-regret per round after the pre-pulls."""
    rounds = policy.horizon - prepulls(policy) * policy.arms
    if rounds < 1:
        raise ValueError(f"{policy}: no rounds are left after the pre-pulls; increase T (horizon), or decrease b")
    return np.asarray(weighted(runs.pulls - prepulls(policy), environment) / rounds)


PREPULL_REGRET = Quantity("regret of the pre-pulls", prepull_regret)
LATER_REGRET = Quantity("pseudo-regret per later round", later_regret)
