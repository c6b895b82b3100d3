"""How many trials an audit of runs may take by its profile, and about how long it lasts."""

from __future__ import annotations

from math import comb
from typing import Any

from dpbandits.audit.judges.effort import QUICK, Profile, Run
from dpbandits.audit.play.probes import SINGLE
from dpbandits.audit.privacy.search.pairs import first_candidate
from dpbandits.reference.bandits.contexts import context_dimension
from dpbandits.reference.bandits.noise import Seeded
from dpbandits.reference.bandits.noisy_values import HasShifts
from dpbandits.reference.bandits.play import play
from dpbandits.reference.bandits.policy import HasLaw, Policy
from dpbandits.reference.claims.model import Claim, Private

MAX_PROBED_HORIZON = 300  # the longest horizon of runs whose trials are probed
MIN_TRIALS = 2_000  # of an audit
LAWS = 1_250_000  # pairs of arms in states whose law the quick profile asks for: some ten seconds
AUDITED = 3.5e-7  # of a step, for each arm: two sides, played, searched, held against a law, and scored
LOOKED_FOR = 5e-7  # as AUDITED, of the trials that look for a pair, where no law chooses it
STATE_FOLLOWED = 5e-5  # of a state of pull counts, where a law chooses the pair
BLOCK_FOLLOWED, BLOCK = 6e-4, 4  # as STATE_FOLLOWED, where a step has so many pulls: blocks, and a dearer law
SAMPLED = 1.3e-7  # as AUDITED of all that is drawn, for each arm, and STEP_COST_IN_ARMS more: no law is asked
STEP_COST_IN_ARMS = 4  # a step of a run costs as much as so many arms, besides its own
LOOKS = 20_000  # trials, of a search for a pair about which all that is drawn says most
PLAYED, MOST_PLAYED = ("pull", "round"), 1_000  # one run of so many pulls says how many steps it has
RUNS_LOOKED_AT = 0.5  # of an instance about runs: candidates, and the first look at them
AUDIT = 0.2  # of an instance of a privacy claim, whatever it plays


def how_many_steps(policy: Policy, relation: str) -> int:
    """The number of steps of one run."""
    if context_dimension(policy):
        return policy.horizon
    first = first_candidate(policy, relation)
    assert first is not None  # every run has a first reward
    environment = first.environments()[0]
    return max(1, int(play(policy, environment, Seeded(0, 1), 1).released.shape[1]))


def affordable_trials(run: Run, steps: int) -> int:
    """The trials on either side of a pair, for runs of so many steps."""
    return max(MIN_TRIALS, min(run.profile.trials, run.profile.steps // steps))


def trials_of(steps: int, profile: Profile) -> int:
    """The trials on either side of a pair, for runs of so many steps, both sides of which are followed at once."""
    return min(profile.trials, profile.steps // (2 * steps))


def affordable_singly(run: Run, steps: int, trials: int) -> int:
    """So many of the trials are played where each is a run of its own, which costs much more."""
    return max(MIN_TRIALS, min(trials, SINGLE * run.profile.trials // (QUICK.trials * steps)))


def affordable_by_law(policy: Policy, trials: int, steps: int, run: Run) -> int:
    """So many of the trials are held against a policy's law: all for three arms or fewer, else as many as some
    seconds allow, for the law of a state costs about as many microseconds as there are pairs of arms."""
    if policy.arms <= 3:
        return trials
    afford = LAWS * run.profile.trials // (QUICK.trials * steps * policy.arms**2)
    return min(trials, max(100, afford))


def private_seconds(claim: Claim, profile: Profile) -> list[float]:
    """The instances of a privacy claim."""
    says, subject = claim.says, claim.subject
    assert isinstance(says, Private)
    if subject is None:
        return []
    return [auditing(says, subject(**one), profile) for one in claim.params or ({},)]


def auditing(says: Private, subject: Any, profile: Profile) -> float:
    """One instance of a privacy claim."""
    pulls, arms = max(1, int(getattr(subject, "horizon", 1))), int(getattr(subject, "arms", 2))
    looked = RUNS_LOOKED_AT * (says.relation in PLAYED)
    steps = how_many_steps(subject, says.relation) if looked and 1 < pulls <= MOST_PLAYED else pulls
    if says.view == "samples":
        trials = trials_of(steps, profile)
        pairs = 2 if isinstance(subject, HasShifts) else 1  # the pair that is worst by them is played as well
        each = SAMPLED * (arms + STEP_COST_IN_ARMS)
        return AUDIT + looked + each * steps * (pairs * trials + min(LOOKS, trials))
    trials, states = min(profile.trials, profile.steps // steps), comb(steps + arms, arms)
    each = AUDITED
    if isinstance(subject, HasLaw) and says.relation == "pull" and states <= profile.exact_states:
        followed = STATE_FOLLOWED if BLOCK * steps > pulls else BLOCK_FOLLOWED
        looked += followed * min(profile.pair_tries * states, profile.pair_effort)
    else:
        each += LOOKED_FOR * profile.pair_trials
    return AUDIT + looked + each * trials * steps * arms
