"""The number of trials that fit into a time budget, for policies whose cost for each decision is unknown."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from dpbandits.audit.judges.effort import Profile, with_trials
from dpbandits.reference.bandits.environments import Environment
from dpbandits.reference.bandits.noise import Seeded
from dpbandits.reference.bandits.play import play
from dpbandits.reference.bandits.policy import Policy

# Trials of the first measurement, and the seconds that a measurement must take to be reliable
FIRST_LOOK_TRIALS, MIN_LOOK_SECONDS = 8, 0.2
GAMES = 6.0  # a check plays about six times its trials: four tables or two sides, a search, and probes
MIN_BOUGHT_TRIALS = 200


def seconds_per_decision(policy: Policy, environment: Environment) -> float:
    """Seconds per decision of one trial, measured with four times as many trials until the measurement is reliable."""
    trials = FIRST_LOOK_TRIALS
    while True:
        start = perf_counter()
        play(policy, environment, Seeded(0, trials), trials)
        took = perf_counter() - start
        if took >= MIN_LOOK_SECONDS or trials >= 2**14:
            return float(took / (trials * policy.horizon))
        trials *= 4


def profile_for_budget(
    seconds: float, policy: Policy, environment: Environment, checks: float, profile: Profile
) -> Profile:
    """Returns the profile with as many trials as fit into a time budget, but not more than the profile itself has.

    seconds: the budget of all checks together. checks: their number; one with runs half as long counts half. Findings
    depend on the number of trials, and here this number depends on the machine: `with_trials` with this number repeats
    them. Raises ValueError for a budget that is not positive.
    """
    if not (np.isfinite(seconds) and seconds > 0):
        raise ValueError(f"seconds is {seconds}; a time budget must be a positive number of seconds, such as 60")
    afford = seconds / (seconds_per_decision(policy, environment) * policy.horizon * GAMES * max(1, checks))
    return with_trials(profile, policy, int(min(profile.trials, max(MIN_BOUGHT_TRIALS, afford))))
