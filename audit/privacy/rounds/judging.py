"""The finding on a policy's telling rounds: which are looked at, which are certified, and what comes after them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpbandits.audit.judges.effort import Run
from dpbandits.audit.play.probes import DEPENDENT_TRIALS, OWN_RANDOMNESS, PLAYED_SINGLY, constant_table, probe
from dpbandits.audit.privacy.affordable import MAX_PROBED_HORIZON, affordable_singly
from dpbandits.audit.privacy.instances import as_sentence, audit_one, combined_with_event, not_applicable
from dpbandits.audit.privacy.result import Result
from dpbandits.audit.privacy.rounds.ranking import worst_rounds
from dpbandits.audit.privacy.rounds.single import NoRounds, Singly, SomeRound
from dpbandits.audit.privacy.rounds.spots import Tried, rounds_beyond, rounds_tried
from dpbandits.audit.privacy.steps import probe_step
from dpbandits.audit.privacy.without_law import unsaid, without_law
from dpbandits.audit.statistics.copies import copies_remark, is_deterministic
from dpbandits.reference.arithmetic.checks import NoLaw
from dpbandits.reference.bandits.noise import address
from dpbandits.reference.bandits.policy import HasLaw
from dpbandits.reference.bandits.release_laws.mechanisms import Step
from dpbandits.reference.claims.model import Claim, Finding, Private, Verdict
from dpbandits.reference.claims.text import instance_summary

DETERMINISTIC_ROUNDS = (
    "the policy is deterministic, so that the trials of a round are copies: audit its whole runs, of which one on "
    "either side decides"
)
MAX_LATER = 2  # rounds beyond a policy's own horizon that are certified, for a remark
BEYOND_HORIZON = "Beyond its own horizon, for a remark alone: the same policy, run on while it releases the same."


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
    if DEPENDENT_TRIALS in shared:
        return not_applicable(claim, shared)
    if OWN_RANDOMNESS in shared:
        fewer = affordable_singly(run, policy.horizon, run.profile.trials)
        run, shared = replace(run, profile=replace(run.profile, trials=fewer)), (PLAYED_SINGLY,)
        worst = {label: step._replace(mechanism=Singly(step.mechanism)) for label, step in worst.items()}
    # Two shares are set aside for the remark, whether it is needed or not: a level must not hang on what was found.
    share = replace(run, level=run.level / (len(worst) + MAX_LATER))
    finding = combined_with_event(claim, [audit_one(claim, says, step, share, label) for label, step in worst.items()])
    if (
        finding.verdict is Verdict.REFUTED
        and PLAYED_SINGLY not in shared
        and (copies := why_rounds_are_copies(policy, run))
    ):
        return not_applicable(claim, (copies,))
    later, remark = "", ""
    if finding.verdict is not Verdict.REFUTED and PLAYED_SINGLY not in shared:
        later, remark = look_beyond(claim, says, policy, run, share)
    return finding_on_rounds(finding, tried, len(worst), later, [*filter(None, [remark]), *map(as_sentence, shared)])


def why_rounds_are_copies(policy: Any, run: Run) -> str:
    """Why the trials of single rounds are copies, which certify nothing; "" where they are not."""
    if is_deterministic(policy) and not isinstance(policy, HasLaw):
        return DETERMINISTIC_ROUNDS
    return copies_remark(policy, constant_table(policy), run.seed)


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
                    f"{instance_summary(result.instance)}"
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
    found = [*probe(policy, constant_table(policy), seed)] if policy.horizon <= MAX_PROBED_HORIZON else []
    for each in rounds[:1]:
        found += probe_step(each, seed)
    return tuple(dict.fromkeys(found))
