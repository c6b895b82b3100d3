"""The judge of privacy statements: every instance audited, one finding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dpbandits.audit.claims.spelling import json_number, spelt
from dpbandits.audit.effort import Run
from dpbandits.audit.play.probes import DEPENDENT, OWN, SINGLY, level_table, probe, remarks
from dpbandits.audit.privacy.outcomes import Outcome, figure, resolved, said_of
from dpbandits.audit.privacy.policies import affordable_singly, audit_policy
from dpbandits.audit.privacy.steps import audit_step, is_step
from dpbandits.audit.rounds.histories import NoRounds
from dpbandits.audit.rounds.ranking import worst_rounds
from dpbandits.audit.rounds.single import Round, Singly, SomeRound
from dpbandits.audit.rounds.spots import Tried, rounds_beyond, rounds_tried
from dpbandits.audit.scores.values import Undeclared, Unheard
from dpbandits.reference.ledger import Basis, Claim, Finding, Private, Verdict, bases
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
    outcomes = []
    if subject is not None:
        said = shared(subject, says, address(run.seed, claim.id, "probe"))
        if said:
            return unshared(claim, said)
        outcomes.append(audit_one(claim, says, subject, run, "the given subject"))
    else:
        assert claim.subject is not None
        for instance in claim.params or ({},):
            outcomes.append(audit_one(claim, says, claim.subject(**instance), run, spelt(instance)))
    return combined(claim, outcomes)


def judge_rounds(claim: Claim, says: Private, policy: Any, run: Run) -> Finding:
    """The finding on a policy's telling rounds: all are looked at, those that look worst are certified. What the same
    policy would do beyond its own horizon is a remark, and no part of the verdict.

    NOT_APPLICABLE where no round of the policy can be looked at by itself, or its trials share something, or may do.
    """
    try:
        tried = rounds_tried(policy)
    except NoRounds as reason:
        return Finding(claim.id, Verdict.NOT_APPLICABLE, f"{reason}.")
    if not tried.rounds:
        idle = f"no round of T = {policy.horizon} comes after a reward"
        return combined(claim, [Outcome("the given policy", says.curve(SomeRound(policy)), idle=idle)])
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
    beyond, remark = Tried({}, "", "", ()), []
    if finding.verdict is not Verdict.REFUTED and SINGLY not in said:
        beyond = rounds_beyond(policy)
        later = list(worst(claim, says, beyond, run).items())[:LATER]
        remark = remark_on(policy, beyond, [audit_one(claim, says, step, share, label) for label, step in later])
    summary = " ".join(
        [
            f"{len(tried.rounds)} rounds tried ({tried.brief}; taught pull by pull), {len(chosen)} of them audited in "
            f"full. {finding.summary}",
            *remark,
            *map(sentence, said),
        ]
    )
    resolution = f"{finding.resolution}; in the rounds tried, no others" if finding.resolution else ""
    texts = [tried.told, *([f"{BEYOND} {beyond.told}"] if beyond.told else [])]
    evidence = (*({"kind": "text", "text": text} for text in texts), *finding.evidence)
    return replace(finding, summary=summary, evidence=evidence, resolution=resolution)


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
    arms `audit_policy` finds it out itself, and plays its runs one by one where that helps."""
    if is_step(subject):
        return tuple(dict.fromkeys(of_step(subject, seed)))
    if says.view == "samples" and subject.horizon <= PROBED:
        return probe(subject, level_table(subject), seed)
    return ()


def of_step(step: Any, seed: int) -> list[str]:
    """What the probes say of the trials of a one-shot mechanism, on either input."""
    inputs = (np.asarray(step.left), np.asarray(step.right))
    return [said for values in inputs for said in remarks(partial(step.mechanism.release, values), seed)]


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
    site = (claim.id, label)
    try:
        return (audit_step if is_step(subject) else audit_policy)(subject, says, curve, run, label, site)
    except Undeclared as reason:
        return Outcome(label, curve, wrong=str(reason))
    except Unheard as reason:
        return Outcome(label, curve, idle=str(reason))


def combined(claim: Claim, outcomes: list[Outcome]) -> Finding:
    """One finding from all instances; the one that presses hardest on the claim gets the picture."""
    verdicts = [outcome.verdict for outcome in outcomes]
    verdict = next(kind for kind in ORDER if kind in verdicts)
    chosen = max(
        (each for each, own in zip(outcomes, verdicts, strict=True) if own is verdict), key=lambda each: each.pressure
    )
    evidence: list[Mapping[str, Any]] = []
    if chosen.sampled is not None or chosen.exact is not None:
        evidence.append(figure(chosen))
    evidence.append(table(outcomes, verdicts))
    others = [each for each in outcomes if each is not chosen]
    makers = [each.certificate for each in (chosen, *others) if each.certificate is not None]
    made = (maker() for maker in makers[:CERTIFICATES])
    evidence += [{"kind": "certificate", "certificate": each} for each in [next(filter(None, made), None)] if each]
    resolution = "" if verdict is Verdict.NOT_EXERCISED and chosen.idle else resolved(chosen)
    if resolution and len(outcomes) > 1:
        resolution += "; the table says it for every instance"
    said = summary(outcomes, verdicts, verdict, chosen)
    return Finding(claim.id, verdict, said, tuple(evidence), resolution, rests_on=rests_on(verdict, chosen))


def rests_on(verdict: Verdict, chosen: Outcome) -> tuple[Basis, ...]:
    """What decided about the chosen instance."""
    if verdict is Verdict.CONSISTENT:
        return bases(*[Basis.EXACT_LAW] * (chosen.bounds is not None), *[Basis.SAMPLES] * (chosen.sampled is not None))
    if verdict is not Verdict.REFUTED:
        return ()
    by_law = chosen.bounds is not None and chosen.bounds.refutes
    by_samples = bool(chosen.wrong) or (chosen.sampled is not None and float(chosen.sampled.excess.amount) > 0)
    return bases(*[Basis.EXACT_LAW] * by_law, *[Basis.SAMPLES] * by_samples)


def summary(outcomes: list[Outcome], verdicts: list[Verdict], verdict: Verdict, chosen: Outcome) -> str:
    if len(outcomes) == 1:
        return said_of(chosen)
    return f"{verdicts.count(verdict)} of {len(outcomes)} instances {verdict}. Hardest: {said_of(chosen)}"


def table(outcomes: list[Outcome], verdicts: list[Verdict]) -> dict[str, Any]:
    rows = []
    for outcome, verdict in zip(outcomes, verdicts, strict=True):
        sampled, exact = outcome.sampled, outcome.bounds
        rows.append(
            [
                outcome.label,
                outcome.curve.name if outcome.curve is not None else "not applicable",
                claimed_number(outcome),
                json_number(exact.low if exact else None),
                json_number(exact.high if exact else None),
                json_number(float(sampled.excess.shown) if sampled else None),
                json_number(sampled.resolution.value if sampled else None),
                sampled.trials if sampled else None,
                str(verdict),
            ]
        )
    units = dict.fromkeys(each.curve.unit for each in outcomes if each.curve is not None)
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
    return {"kind": "table", "title": "Every instance", "columns": columns, "rows": rows}


def claimed_number(outcome: Outcome) -> float | None:
    """The claimed number, at the place that was looked at; None where nothing was, and there are many."""
    if outcome.bounds is not None:
        return json_number(outcome.bounds.claimed)
    if outcome.sampled is not None:
        return json_number(float(outcome.sampled.excess.shown - outcome.sampled.excess.amount))
    if outcome.curve is None:
        return None
    claimed, _ = outcome.curve.points()
    return json_number(float(claimed[0])) if len(claimed) == 1 else None
