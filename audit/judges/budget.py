"""How many trials a time budget buys, for policies whose decisions cost what nobody knows before."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from dpbandits.audit.judges.effort import Profile, demand_profile, demand_trials
from dpbandits.reference.bandits.environments import Environment
from dpbandits.reference.bandits.noise import Seeded
from dpbandits.reference.bandits.play import play

# Trials of the first look, and the seconds that a look should take to be worth something
FIRST_LOOK_TRIALS, MIN_LOOK_SECONDS = 8, 0.2
GAMES = 6.0  # a check plays about so many times its trials: four tables or two sides, a search, and probes
MIN_BOUGHT_TRIALS = 200


def cost(policy: Any, environment: Environment) -> float:
    """Seconds for a decision of one trial, in batches as large as pay: looked at with more and more trials."""
    trials = FIRST_LOOK_TRIALS
    while True:
        start = perf_counter()
        play(policy, environment, Seeded(0, trials), trials)
        took = perf_counter() - start
        if took >= MIN_LOOK_SECONDS or trials >= 2**14:
            return float(took / (trials * policy.horizon))
        trials *= 4


def profile_for_budget(
    seconds: float, policy: Any, environment: Environment, checks: float, profile: Profile
) -> Profile:
    """The profile with as many trials as so many checks may play in about so many seconds; no more than it has. A check
    of runs half as long is half a check.

    Findings hang on the number of trials, and that on the machine: with `with_trials` and this number they repeat.
    Raises ValueError for a budget that is not positive.
    """
    if not (np.isfinite(seconds) and seconds > 0):
        raise ValueError(f"{seconds} seconds are no budget; give a number above 0")
    afford = seconds / (cost(policy, environment) * policy.horizon * GAMES * max(1, checks))
    return with_trials(profile, policy, int(min(profile.trials, max(MIN_BOUGHT_TRIALS, afford))))


def with_trials(profile: Profile, policy: Any, trials: int | None) -> Profile:
    """The profile with so many trials of this policy in each game; the same for None. (An audit of privacy takes at
    least `privacy.affordable.MIN_TRIALS`: with fewer there is nothing to learn from.)"""
    profile = demand_profile(profile)
    if trials is None:
        return profile
    trials = demand_trials("trials", trials)
    return replace(profile, trials=trials, steps=trials * getattr(policy, "horizon", 1))  # a single step has none
