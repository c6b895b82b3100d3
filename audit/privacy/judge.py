"""The judge of privacy statements: every instance audited, one finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dpbandits.audit.claims.spelling import spelt
from dpbandits.audit.effort import Profile, Run
from dpbandits.audit.play import pieces
from dpbandits.audit.play.probes import DEPENDENT, OWN, SINGLY, level_table, probe, remarks
from dpbandits.audit.privacy.beginnings import beginnings
from dpbandits.audit.privacy.inputs import steps
from dpbandits.audit.privacy.outcomes import Outcome, said_of, telling
from dpbandits.audit.privacy.policies import affordable_singly, privacy_of_policy
from dpbandits.audit.privacy.samples import SIDES, how_many_blocks
from dpbandits.audit.privacy.steps import audit_step, indices, is_step
from dpbandits.audit.privacy.told import Told, read, told, told_of, written
from dpbandits.audit.privacy.without_law import unsaid, without_law
from dpbandits.audit.rounds.histories import NoRounds
from dpbandits.audit.rounds.ranking import worst_rounds
from dpbandits.audit.rounds.single import Round, Singly, SomeRound
from dpbandits.audit.rounds.spots import Tried, rounds_beyond, rounds_tried
from dpbandits.audit.scores.values import Undeclared, Unheard
from dpbandits.reference.checks import NoLaw
from dpbandits.reference.ledger import Claim, Finding, Private, Verdict
from dpbandits.reference.noise import address

# The claim's verdict is the first of these that some instance has.
ORDER = (
    Verdict.REFUTED,
    Verdict.CONSISTENT,
    Verdict.NOT_EXERCISED,
    Verdict.NOT_APPLICABLE,
    Verdict.UNSUPPORTED,
)
CERTIFICATES = 4  # so many instances are asked for a certificate, the most telling one first; one is kept
LATER = 2  # rounds beyond a policy's own horizon that are certified, for a remark
BEYOND = "Beyond its own horizon, for a remark alone: the same policy, run on while it releases the same."
PROBED = 300  # the longest horizon of runs whose trials are probed


def judge_private(claim: Claim, run: Run, subject: Any = None) -> Finding:
    """Audit a Private claim on all its instances, or on the given subject (a policy or a Step) instead. A claim about
    a single step is judged in a policy's telling rounds: no others are covered.

    REFUTED where the exact engine or fresh samples contradict the claimed curve, or where a policy does not behave
    as its declared law says. CONSISTENT with the resolution otherwise; NOT_EXERCISED where no violation could
    have been seen. Raises ValueError for a claim that names no subject when none is given.
    """
    says = claim.says
    if not isinstance(says, Private):
        raise TypeError(f"{claim.id}: judge_private judges Private statements, not {type(says).__name__}")
    if subject is None and claim.subject is None:
        raise ValueError(f"{claim.id}: a privacy claim needs a subject; give the claim one, or the judge")
    if subject is not None and says.relation == "history" and not is_step(subject):
        return judge_rounds(claim, says, subject, run)
    if subject is not None:
        said = shared(subject, says, address(run.seed, claim.id, "probe"))
        if said:
            return unshared(claim, said)
        return combined(claim, [audit_one(claim, says, subject, run, "the given subject")])
    assert claim.subject is not None
    subjects = [(claim.subject(**one), spelt(one)) for one in claim.params or ({},)]
    every = [partial(told_of, partial(audit_one, claim, says, subject, run, label)) for subject, label in subjects]
    many = [blocks_of(says, subject, run.profile) for subject, _ in subjects]
    return put_together(claim, pieces.each(every, written, read, many))


def blocks_of(says: Private, subject: Any, profile: Profile) -> int:
    """How many blocks the audit of an instance has, of both sides together; 0 where each side is one."""
    many = how_many_blocks(subject, profile) if says.view == "samples" and not is_step(subject) else 1
    return len(SIDES) * many if many > 1 else 0


def judge_rounds(claim: Claim, says: Private, policy: Any, run: Run) -> Finding:
    """The finding on a policy's telling rounds: all are looked at, those that look worst are certified. What the same
    policy would do beyond its own horizon is a remark, and no part of the verdict.

    NOT_APPLICABLE where no round of the policy can be looked at by itself, or its trials share something, or may do.
    """
    try:
        try:
            return judge_some_rounds(claim, says, policy, run)
        except NoLaw as reason:
            found = judge_some_rounds(claim, says, without_law(policy), run)
            return replace(found, summary=f"{found.summary} {sentence(unsaid(reason))}")
    except NoRounds as reason:
        return Finding(claim.id, Verdict.NOT_APPLICABLE, f"{reason}.")


def judge_some_rounds(claim: Claim, says: Private, policy: Any, run: Run) -> Finding:
    """`judge_rounds`; NoLaw where the law of some round cannot be said, NoRounds where none can be looked at."""
    tried = rounds_tried(policy)
    if not tried.rounds:
        none = f"no round of T = {policy.horizon} comes after a reward"
        outcome = Outcome("the given policy", says.curve(SomeRound(policy)))
        return combined(claim, [outcome._replace(same=none) if policy.horizon == 1 else outcome._replace(idle=none)])
    chosen = worst(claim, says, tried, run)
    said = trials_of(policy, list(chosen.values()), address(run.seed, claim.id))
    if DEPENDENT in said:
        return unshared(claim, said)
    if OWN in said:
        fewer = affordable_singly(run, policy.horizon, run.profile.trials)
        run, said = replace(run, profile=replace(run.profile, trials=fewer)), (SINGLY,)
        chosen = {label: step._replace(mechanism=Singly(step.mechanism)) for label, step in chosen.items()}
    # Two shares are set aside for the remark, whether it is needed or not: a level must not hang on what was found.
    share = replace(run, level=run.level / (len(chosen) + LATER))
    finding = combined(claim, [audit_one(claim, says, step, share, label) for label, step in chosen.items()])
    later, remark = "", list[str]()
    if finding.verdict is not Verdict.REFUTED and SINGLY not in said:
        later, remark = looked_beyond(claim, says, policy, run, share)
    summary = " ".join(
        [
            f"{len(tried.rounds)} rounds tried ({tried.brief}; taught pull by pull), {len(chosen)} of them audited in "
            f"full. {finding.summary}",
            *remark,
            *map(sentence, said),
        ]
    )
    resolution = f"{finding.resolution}; in the rounds tried, no others" if finding.resolution else ""
    texts = [tried.told, *([f"{BEYOND} {later}"] if later else [])]
    evidence = (*({"kind": "text", "text": text} for text in texts), *finding.evidence)
    return replace(finding, summary=summary, evidence=evidence, resolution=resolution)


def looked_beyond(claim: Claim, says: Private, policy: Any, run: Run, share: Run) -> tuple[str, list[str]]:
    """Which rounds after a policy's own horizon were looked at, if there is anything to say, and a remark on them."""
    try:
        beyond = rounds_beyond(policy)
        later = list(worst(claim, says, beyond, run).items())[:LATER]
        outcomes = [audit_one(claim, says, one, share, label) for label, one in later]
        return beyond.told, remark_on(policy, beyond, outcomes)
    except Exception as reason:  # nobody promised a longer run: its tables may well end at its own horizon
        ended = f"A longer run ended with {type(reason).__name__}: {reason}"
        return f"{ended}, so that none of its rounds is looked at.", []


def worst(claim: Claim, says: Private, tried: Tried, run: Run) -> dict[str, Round]:
    """The rounds that are certified: those that look worst, or the first where a claim has no look for them."""
    some = dict(list(tried.rounds.items())[:1])
    for one in some.values():
        curve = says.curve(one)
        if says.view == "arms" and curve is not None:
            return worst_rounds(one.mechanism.policy, tried, curve, run, claim.id)
    return some


def remark_on(policy: Any, beyond: Tried, outcomes: list[Outcome]) -> list[str]:
    """What is to be said of the rounds after a policy's own horizon."""
    broken = [each for each in outcomes if each.verdict is Verdict.REFUTED]
    if not broken:
        return []
    horizon = next(iter(beyond.rounds.values())).mechanism.policy.horizon
    return [
        f"A remark, and no part of the verdict: with the horizon {horizon} it releases the same up to step "
        f"{policy.horizon}, and breaks the claim later, in {broken[0].label}: {said_of(broken[0])}"
    ]


def trials_of(policy: Any, chosen: list[Round], seed: int) -> tuple[str, ...]:
    """What the probes say of a policy's trials, in its runs where they are short, and in the worst round."""
    said: list[str] = []
    if policy.horizon <= PROBED:
        said += probe(policy, level_table(policy), seed)
    for each in chosen[:1]:
        said += of_step(each, seed)
    return tuple(dict.fromkeys(said))


def shared(subject: Any, says: Private, seed: int) -> tuple[str, ...]:
    """What the trials of a given subject may share, if it is a step, or a policy's samples are the view; of a policy's
    arms `privacy_of_policy` finds it out itself, and plays its runs one by one where that helps."""
    if is_step(subject):
        return tuple(dict.fromkeys(of_step(subject, seed)))
    if says.view == "samples" and subject.horizon <= PROBED:
        return probe(subject, level_table(subject), seed)
    return ()


def of_step(step: Any, seed: int) -> list[str]:
    """What the probes say of the trials of a one-shot mechanism, on either input."""
    inputs = (np.asarray(step.left), np.asarray(step.right))
    return [said for values in inputs for said in remarks(partial(indices, step.mechanism, values), seed)]


def unshared(claim: Claim, said: tuple[str, ...]) -> Finding:
    """The finding on trials that share something, or may do."""
    words = " ".join(map(sentence, said))
    return Finding(claim.id, Verdict.NOT_APPLICABLE, f"{words} Nothing can be certified.")


def sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def audit_one(claim: Claim, says: Private, subject: Any, run: Run, label: str) -> Outcome:
    curve = says.curve(subject)
    if curve is None:
        return Outcome(label, None)
    if not len(curve.points()[0]):
        return Outcome(label, curve, idle="it promises nothing: wherever its formula was asked, it gave no number >= 0")
    audit = partial(audit_step if is_step(subject) else privacy_of_policy, says=says, curve=curve, run=run, label=label)
    try:
        return by_law_or_samples(partial(audit, site=(claim.id, label)), subject)
    except Undeclared as reason:
        return Outcome(label, curve, wrong=str(reason))
    except Unheard as reason:
        return Outcome(label, curve, idle=str(reason))
    except NoLaw as reason:
        return Outcome(label, curve, idle=f"it can neither say its law nor be played ({reason})")


def by_law_or_samples(audit: Callable[[Any], Outcome], subject: Any) -> Outcome:
    """The audit of a subject; where its law cannot be said, of the same subject without a law."""
    try:
        return audit(subject)
    except NoLaw as reason:
        return audit(without_law(subject))._replace(unsaid=unsaid(reason))


def combined(claim: Claim, outcomes: list[Outcome]) -> Finding:
    """One finding from all instances; and of the one that is refuted hardest, the event by which samples refute it, and
    the transcripts that tell its inputs apart."""
    finding = put_together(claim, list(map(told, outcomes)))
    refuted = [each for each in outcomes if each.verdict is Verdict.REFUTED]
    if not refuted:
        return finding
    worst = max(refuted, key=lambda each: each.pressure)
    seen = telling(worst), beginnings(*worst.releases()) if worst.releases is not None else None
    return replace(finding, evidence=(*finding.evidence, *filter(None, seen)))


def put_together(claim: Claim, every: list[Told]) -> Finding:
    """One finding from all instances; the one that presses hardest on the claim gets the picture."""
    verdicts = [each.verdict for each in every]
    verdict = next(kind for kind in ORDER if kind in verdicts)
    chosen = max((each for each in every if each.verdict is verdict), key=lambda each: each.pressure)
    picture = chosen.figure()
    evidence: list[Mapping[str, Any]] = [] if picture is None else [picture]
    evidence += [dict(chosen.inputs)] if chosen.inputs else []
    evidence.append(table(every))
    evidence += [steps(rows)] if (rows := [row for each in every for row in each.judged]) else []
    others = [each for each in every if each is not chosen]
    makers = [each.certificate for each in (chosen, *others) if each.certificate is not None]
    made = (maker() for maker in makers[:CERTIFICATES])
    evidence += [{"kind": "certificate", "certificate": each} for each in [next(filter(None, made), None)] if each]
    resolution = "" if verdict is Verdict.NOT_EXERCISED and chosen.idle else chosen.resolution
    if resolution and len(every) > 1:
        resolution += "; the table says it for every instance"
    said = chosen.said
    if len(every) > 1:
        said = f"{verdicts.count(verdict)} of {len(every)} instances {verdict}. Hardest: {said}"
    return Finding(claim.id, verdict, said, tuple(evidence), resolution, rests_on=chosen.rests_on)


def table(every: list[Told]) -> dict[str, Any]:
    units = dict.fromkeys(each.unit for each in every if each.unit)
    columns = [
        "instance",
        "claimed",
        " or ".join(units) or "claimed number",
        "exact, at least",
        "exact, at most",
        "certified from samples",
        "would be caught, at best",
        "fresh trials a side",
        "verdict",
    ]
    return {"kind": "table", "title": "Every instance", "columns": columns, "rows": [each.row for each in every]}
