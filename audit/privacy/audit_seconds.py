"""How long privacy audits take, in seconds of one core: trials times steps, at the pace of a common server."""

from __future__ import annotations

from math import comb
from typing import Any

from dpbandits.audit.judges.effort import Profile
from dpbandits.audit.privacy.samples import STEP_COST_IN_ARMS, how_many_steps, trials_of
from dpbandits.reference.bandits.policy import HasLaw
from dpbandits.reference.claims.model import Claim, Private

AUDITED = 3.5e-7  # of a step, for each arm: two sides, played, searched, held against a law, and scored
LOOKED_FOR = 5e-7  # as AUDITED, of the trials that look for a pair, where no law chooses it
STATE_FOLLOWED = 5e-5  # of a state of pull counts, where a law chooses the pair
BLOCK_FOLLOWED, BLOCK = 6e-4, 4  # as STATE_FOLLOWED, where a step has so many pulls: blocks, and a dearer law
SAMPLED = 1.3e-7  # as AUDITED of all that is drawn, for each arm, and STEP_COST_IN_ARMS more: no law is asked
LOOKS = 20_000  # trials, of a search for a pair about which all that is drawn says most
PLAYED, MOST_PLAYED = ("pull", "round"), 1_000  # one run of so many pulls says how many steps it has
RUNS_LOOKED_AT = 0.6  # of an instance about runs: candidates, and the first look at them
AUDIT = 0.2  # of an instance of a privacy claim, whatever it plays


def private_seconds(claim: Claim, profile: Profile) -> list[float]:
    """The instances of a privacy claim."""
    says, subject = claim.says, claim.subject
    assert isinstance(says, Private)
    if subject is None:
        return []
    return [auditing(says, subject(**one), profile) for one in claim.params or ({},)]


def auditing(says: Private, subject: Any, profile: Profile) -> float:
    """One instance of a privacy claim."""
    steps, arms = max(1, int(getattr(subject, "horizon", 1))), int(getattr(subject, "arms", 2))
    if says.view == "samples":
        trials = trials_of(steps, profile)
        return AUDIT + SAMPLED * steps * (arms + STEP_COST_IN_ARMS) * (trials + min(LOOKS, trials))
    pulls = steps
    if says.relation in PLAYED and 1 < steps <= MOST_PLAYED:
        steps = how_many_steps(subject, says.relation)
    trials, states = min(profile.trials, profile.steps // steps), comb(steps + arms, arms)
    each, looked = AUDITED, RUNS_LOOKED_AT * (says.relation in PLAYED)
    if isinstance(subject, HasLaw) and says.relation == "pull" and states <= profile.exact_states:
        followed = STATE_FOLLOWED if BLOCK * steps > pulls else BLOCK_FOLLOWED
        looked += followed * min(profile.pair_tries * states, profile.pair_effort)
    else:
        each += LOOKED_FOR * profile.pair_trials
    return AUDIT + looked + each * trials * steps * arms
