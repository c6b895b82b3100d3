"""The judge of privacy statements: a claim's instances, a given subject, or a given policy's rounds; one finding. And
how long its audits take."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import comb
from typing import Any

import numpy as np

from dpbandits.audit.claims.spelling import spelt
from dpbandits.audit.judges.effort import Profile, Run
from dpbandits.audit.judges.kinds import Work
from dpbandits.audit.play.probes import DEPENDENT, OWN, SINGLY, level_table, probe, remarks
from dpbandits.audit.privacy.instances import (
    as_sentence,
    audit_alone,
    audit_one,
    combine_results,
    combined_with_event,
    not_applicable,
)
from dpbandits.audit.privacy.released_runs import affordable_singly
from dpbandits.audit.privacy.result import Result
from dpbandits.audit.privacy.rounds.ranking import worst_rounds
from dpbandits.audit.privacy.rounds.single import NoRounds, Singly, SomeRound
from dpbandits.audit.privacy.rounds.spots import Tried, rounds_beyond, rounds_tried
from dpbandits.audit.privacy.samples import STEP_COST_IN_ARMS, how_many_steps, trials_of
from dpbandits.audit.privacy.search.in_context import context_patterns
from dpbandits.audit.privacy.sentences import summary_of
from dpbandits.audit.privacy.steps import indices
from dpbandits.audit.privacy.without_law import unsaid, without_law
from dpbandits.reference.arithmetic.checks import NoLaw
from dpbandits.reference.bandits.adjacency import RELATIONS
from dpbandits.reference.bandits.contexts import context_dimension
from dpbandits.reference.bandits.noise import address
from dpbandits.reference.bandits.noisy_values import HasShifts
from dpbandits.reference.bandits.policy import HasLaw
from dpbandits.reference.bandits.release_laws.mechanisms import Step, is_step
from dpbandits.reference.claims.model import Claim, Finding, Private, Verdict

MAX_LATER = 2  # rounds beyond a policy's own horizon that are certified, for a remark
BEYOND_HORIZON = "Beyond its own horizon, for a remark alone: the same policy, run on while it releases the same."
PROBED = 300  # the longest horizon of runs whose trials are probed
AUDITED = 3.5e-7  # of a step, for each arm: two sides, played, searched, held against a law, and scored
LOOKED_FOR = 5e-7  # as AUDITED, of the trials that look for a pair, where no law chooses it
STATE_FOLLOWED = 5e-5  # of a state of pull counts, where a law chooses the pair
BLOCK_FOLLOWED, BLOCK = 6e-4, 4  # as STATE_FOLLOWED, where a step has so many pulls: blocks, and a dearer law
SAMPLED = 1.3e-7  # as AUDITED of all that is drawn, for each arm, and STEP_COST_IN_ARMS more: no law is asked
LOOKS = 20_000  # trials, of a search for a pair about which all that is drawn says most
PLAYED, MOST_PLAYED = ("pull", "round"), 1_000  # one run of so many pulls says how many steps it has
RUNS_LOOKED_AT = 0.5  # of an instance about runs: candidates, and the first look at them
AUDIT = 0.2  # of an instance of a privacy claim, whatever it plays


def judge_rounds(claim: Claim, says: Private, policy: Any, run: Run) -> Finding:
    """The finding on a policy's telling rounds: all are looked at, those that look worst are certified. What the same
    policy would do beyond its own horizon is a remark, and no part of the verdict.

    NOT_APPLICABLE where no round of the policy can be looked at by itself, or its trials share something, or may do.
    """
    try:
        try:
            return judge_tried_rounds(claim, says, policy, run)
        except NoLaw as reason:
            found = judge_tried_rounds(claim, says, without_law(policy), run)
            return replace(found, summary=f"{found.summary} {as_sentence(unsaid(reason))}")
    except NoRounds as reason:
        return Finding(claim.id, Verdict.NOT_APPLICABLE, f"{reason}.")


def judge_tried_rounds(claim: Claim, says: Private, policy: Any, run: Run) -> Finding:
    """The finding on the rounds that look worst. Raises NoLaw where the law of some round cannot be said, NoRounds
    where none can be looked at."""
    tried = rounds_tried(policy)
    if not tried.rounds:
        none = f"no round of T = {policy.horizon} comes after a reward"
        nothing = Result("the given policy", says.curve(SomeRound(policy)))
        why = nothing._replace(same=none) if policy.horizon == 1 else nothing._replace(idle=none)
        return combined_with_event(claim, [why])
    worst = rounds_to_certify(claim, says, tried, run)
    shared = probe_rounds(policy, list(worst.values()), address(run.seed, claim.id))
    if DEPENDENT in shared:
        return not_applicable(claim, shared)
    if OWN in shared:
        fewer = affordable_singly(run, policy.horizon, run.profile.trials)
        run, shared = replace(run, profile=replace(run.profile, trials=fewer)), (SINGLY,)
        worst = {label: step._replace(mechanism=Singly(step.mechanism)) for label, step in worst.items()}
    # Two shares are set aside for the remark, whether it is needed or not: a level must not hang on what was found.
    share = replace(run, level=run.level / (len(worst) + MAX_LATER))
    finding = combined_with_event(claim, [audit_one(claim, says, step, share, label) for label, step in worst.items()])
    later, remark = "", ""
    if finding.verdict is not Verdict.REFUTED and SINGLY not in shared:
        later, remark = look_beyond(claim, says, policy, run, share)
    return finding_on_rounds(finding, tried, len(worst), later, [*filter(None, [remark]), *map(as_sentence, shared)])


def finding_on_rounds(finding: Finding, tried: Tried, audited: int, later: str, remarks: list[str]) -> Finding:
    """The finding, and which rounds it is about."""
    rounds = (
        f"{len(tried.rounds)} rounds tried ({tried.brief}; taught pull by pull), {audited} of them audited in full."
    )
    texts = [tried.description, *([f"{BEYOND_HORIZON} {later}"] if later else [])]
    return replace(
        finding,
        summary=" ".join([rounds, finding.summary, *remarks]),
        evidence=(*({"kind": "text", "text": text} for text in texts), *finding.evidence),
        resolution=f"{finding.resolution}; in the rounds tried, no others" if finding.resolution else "",
    )


def look_beyond(claim: Claim, says: Private, policy: Any, run: Run, share: Run) -> tuple[str, str]:
    """Which rounds after a policy's own horizon were looked at, if there is anything to say, and a remark on them."""
    try:
        beyond = rounds_beyond(policy)
        for label, step in list(rounds_to_certify(claim, says, beyond, run).items())[:MAX_LATER]:
            result = audit_one(claim, says, step, share, label)
            if result.verdict is Verdict.REFUTED:
                return beyond.description, (
                    f"A remark, and no part of the verdict: with the horizon {step.mechanism.policy.horizon} it "
                    f"releases the same up to step {policy.horizon}, and breaks the claim later, in {label}: "
                    f"{summary_of(result)}"
                )
        return beyond.description, ""
    except Exception as reason:  # nobody promised a longer run: its tables may well end at its own horizon
        ended = f"A longer run ended with {type(reason).__name__}: {reason}"
        return f"{ended}, so that none of its rounds is looked at.", ""


def rounds_to_certify(claim: Claim, says: Private, tried: Tried, run: Run) -> dict[str, Step]:
    """Rounds that look worst, or the first where a claim has no look for them."""
    first = dict(list(tried.rounds.items())[:1])
    for one in first.values():
        curve = says.curve(one)
        if says.view == "arms" and curve is not None:
            return worst_rounds(one.mechanism.policy, tried, curve, run, claim.id)
    return first


def probe_rounds(policy: Any, rounds: list[Step], seed: int) -> tuple[str, ...]:
    """What the probes say of a policy's trials, in its runs where they are short, and in the first of these rounds."""
    found = [*probe(policy, level_table(policy), seed)] if policy.horizon <= PROBED else []
    for each in rounds[:1]:
        found += probe_step(each, seed)
    return tuple(dict.fromkeys(found))


def probe_step(step: Any, seed: int) -> list[str]:
    """What the probes say of the trials of a one-shot mechanism, on either input."""
    inputs = (np.asarray(step.left), np.asarray(step.right))
    return [found for values in inputs for found in remarks(partial(indices, step.mechanism, values), seed)]


def judge_private(claim: Claim, run: Run, subject: Any = None) -> Finding:
    """Audit a Private claim on all its instances, or on the given subject (a policy or a Step) instead. A claim about
    a single step is judged in a policy's telling rounds: no others are covered.

    REFUTED where the exact engine or fresh samples contradict the claimed curve, or where a policy does not behave
    as its declared law says. CONSISTENT with the resolution otherwise; NOT_EXERCISED where no violation could
    have been seen. Raises ValueError for a claim that names no subject when none is given.
    """
    says = private_statement(claim)
    if subject is None:
        return split_private(claim, run).finding()
    if says.relation == "history" and not is_step(subject):
        return judge_rounds(claim, says, subject, run)
    if shared := shared_by_trials(subject, says, address(run.seed, claim.id, "probe")):
        return not_applicable(claim, shared)
    return combined_with_event(claim, [audit_one(claim, says, subject, run, "the given subject")])


def split_private(claim: Claim, run: Run) -> Work[Result]:
    """The audits of a claim's instances, each a task. Raises ValueError for a claim that names no subject, and for one
    about a single step whose subject is a policy."""
    says = private_statement(claim)
    if claim.subject is None:
        raise ValueError(f"{claim.id}: a privacy claim needs a subject; give the claim one, or the judge")
    instances = [(claim.subject(**one), spelt(one)) for one in claim.params or ({},)]
    for subject, label in instances:
        if says.relation not in RELATIONS and not is_step(subject):
            raise ValueError(
                f"{claim.id} ({label}): the relation {says.relation!r} is about a single step, which "
                f"{type(subject).__name__} is not: make the subject a Step(mechanism, left, right, sensitivities) of "
                "dpbandits.pages and the relation 'query' or 'queries', or the relation 'pull' or 'round'"
            )
    every = [partial(audit_alone, claim, says, subject, run, label) for subject, label in instances]
    return Work(every, partial(combine_results, claim))


def private_statement(claim: Claim) -> Private:
    """What the claim says. Raises TypeError for another kind of statement."""
    if not isinstance(claim.says, Private):
        raise TypeError(f"{claim.id}: judge_private judges Private statements, not {type(claim.says).__name__}")
    return claim.says


def shared_by_trials(subject: Any, says: Private, seed: int) -> tuple[str, ...]:
    """What the trials of a given subject may share, if it is a step, or a policy's samples are the view; of a policy's
    arms `ReleasedRuns` finds it out itself, and plays its runs one by one where that helps."""
    if is_step(subject):
        return tuple(dict.fromkeys(probe_step(subject, seed)))
    if says.view == "samples" and subject.horizon <= PROBED:
        table = level_table(subject)
        if context_dimension(subject):
            table = replace(table, contexts=says.contexts or next(iter(context_patterns(subject).values())))
        return probe(subject, table, seed)
    return ()


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
