"""The number of trials of an audit, from its profile and the cost of playing the policy."""

from __future__ import annotations

from dpbandits.audit.judges.effort import QUICK, Profile, Run
from dpbandits.audit.play.probes import MAX_SINGLE_STEPS
from dpbandits.audit.privacy.search.pairs import first_candidate
from dpbandits.reference.bandits.contexts import context_dimension
from dpbandits.reference.bandits.noise import Seeded
from dpbandits.reference.bandits.play import play
from dpbandits.reference.bandits.policy import Policy

MAX_PROBED_HORIZON = 300  # the longest horizon of runs whose trials are probed
MIN_TRIALS = 2_000  # of an audit
LAWS = 1_250_000  # pairs of arms in states whose law the quick profile asks for: some ten seconds


def how_many_steps(policy: Policy, relation: str) -> int:
    """The number of steps of one run."""
    if context_dimension(policy):
        return policy.horizon
    first = first_candidate(policy, relation)
    assert first is not None  # every run has a first reward
    environment = first.environments()[0]
    return max(1, int(play(policy, environment, Seeded(0, 1), 1).released.shape[1]))


def affordable_trials(run: Run, steps: int) -> int:
    """The number of trials on either side of a pair for runs with this many steps."""
    return max(MIN_TRIALS, min(run.profile.trials, run.profile.steps // steps))


def trials_of(steps: int, profile: Profile) -> int:
    """The number of trials on either side of a pair if runs have this many steps and both sides are followed
    together."""
    return min(profile.trials, profile.steps // (2 * steps))


def affordable_singly(run: Run, steps: int, trials: int) -> int:
    """The number of trials that are played, out of the given number, if the policy plays one run at a time, which costs
    much more."""
    return max(MIN_TRIALS, min(trials, MAX_SINGLE_STEPS * run.profile.trials // (QUICK.trials * steps)))


def affordable_by_law(policy: Policy, trials: int, steps: int, run: Run) -> int:
    """The number of trials that are compared with a policy's law: all for three arms or fewer, otherwise as many as fit
    into some seconds. The law of one state costs about one microsecond for each pair of arms."""
    if policy.arms <= 3:
        return trials
    afford = LAWS * run.profile.trials // (QUICK.trials * steps * policy.arms**2)
    return min(trials, max(100, afford))
