"""Audits one instance of a privacy claim, that is, one choice of its parameters, and combines the results of all
instances into one finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dpbandits.audit.judges.effort import Run
from dpbandits.audit.privacy.black_box import unused_law_remark, without_law
from dpbandits.audit.privacy.evidence import (
    distinguishing_beginnings,
    refuting_event,
    result_figures,
    stored_neighbours,
    table_of_steps,
)
from dpbandits.audit.privacy.pipeline import AuditedInstance, AuditTarget, audit_target
from dpbandits.audit.privacy.result import Result
from dpbandits.reference.arithmetic.checks import NoLaw
from dpbandits.reference.bandits.noisy_values import Undeclared, Unheard
from dpbandits.reference.bandits.policy import HasLaw, LawfulMechanism, Step, Subject
from dpbandits.reference.claims import text
from dpbandits.reference.claims.findings import PrivacyFound
from dpbandits.reference.claims.model import Claim, Finding, Private, Verdict
from dpbandits.reference.claims.records import Item, certificate_item
from dpbandits.reference.curves.curve import require_curve

# The claim's verdict is the first of these that some instance has.
ORDER = (Verdict.REFUTED, Verdict.CONSISTENT, Verdict.NOT_EXERCISED, Verdict.NOT_APPLICABLE, Verdict.UNSUPPORTED)
GIVEN_SUBJECT = "the given subject"  # names the noise of an audit whose subject is not the claim's own
MAX_CERTIFICATES = 4  # so many instances are asked for one, the most telling first; one is shown


def audit_one(claim: Claim, statement: Private, subject: Subject, run: Run, label: str, shared: bool = False) -> Result:
    """Audits one instance of a claim and returns the result.
    If the law of the instance cannot be stated, samples alone decide."""
    curve = statement.curve(subject)
    if curve is None:
        return Result(label, None)
    require_curve(curve)
    if not len(curve.claimed_parameters()[0]):
        return Result(
            label,
            curve,
            idle="the claim guarantees nothing: its formula returned no number >= 0 at any point that was tried",
        )
    instance = AuditedInstance(claim.id, label, curve, run, shared)
    try:
        try:
            return audit_target(label, curve, audit_target_of(subject, statement, instance))
        except NoLaw as reason:
            found = audit_target(label, curve, audit_target_of(without_law(subject), statement, instance))
            return found._replace(unsaid=unused_law_remark(reason))
    except Undeclared as reason:
        return Result(label, curve, wrong=str(reason))
    except Unheard as reason:
        return Result(label, curve, idle=str(reason))
    except NoLaw as reason:
        return Result(label, curve, idle=f"its law cannot be evaluated, and it cannot be played ({reason})")


def audit_target_of(subject: Subject, statement: Private, instance: AuditedInstance) -> AuditTarget[Any, Any]:
    """Returns the object that audits this subject in the claim's view, by an exact law or by samples.
    A new kind of subject needs one more case here. Modules are loaded only when needed."""
    if not isinstance(subject, Step):
        if statement.view == "samples":
            from dpbandits.audit.privacy.samples import NoisyRuns

            return NoisyRuns(subject, statement, instance)
        if isinstance(subject, HasLaw):
            from dpbandits.audit.privacy.lawful_runs import LawfulRuns

            return LawfulRuns(subject, statement, instance)
        from dpbandits.audit.privacy.released_runs import ReleasedRuns

        return ReleasedRuns(subject, statement, instance)
    from dpbandits.audit.privacy import steps

    if statement.view == "samples":
        return steps.NoisyStep(subject, instance)
    if isinstance(subject.mechanism, LawfulMechanism):
        return steps.LawfulStep(subject, statement, instance)
    return steps.SampledStep(subject, instance)


# -- one finding -------------------------------------------------------------------------------------------------------


def hardest_result(results: Sequence[Result]) -> Result:
    """Among the instances with the claim's verdict, the one with the largest violation or the smallest margin."""
    verdict = next(kind for kind in ORDER if any(each.verdict is kind for each in results))
    return max((each for each in results if each.verdict is verdict), key=lambda each: each.pressure)


def combine_results(claim: Claim, results: Sequence[Result]) -> Finding:
    """Combines the results of all instances into one finding; the hardest instance gets the pictures."""
    chosen = hardest_result(results)
    pair = stored_neighbours(chosen.pair) if chosen.pair is not None and chosen.verdict is Verdict.REFUTED else None
    body = PrivacyFound(tuple(each.instance for each in results), results.index(chosen), pair)
    evidence = (
        *(result_figures(chosen) if chosen.sampled is not None or chosen.exact is not None else ()),
        text.neighbours_table(pair) if pair is not None else None,
        text.instances_table(body.instances),
        table_of_steps([judged.row(text.printed_name(each.instance)) for each in results for judged in each.judged]),
        certificate_of([chosen, *(each for each in results if each is not chosen)]),
    )
    return Finding(
        claim.id,
        chosen.verdict,
        text.privacy_summary(body),
        tuple(each for each in evidence if each is not None),
        text.privacy_resolution(body),
        rests_on=chosen.rests_on,
        body=body,
    )


def combined_with_event(claim: Claim, results: Sequence[Result]) -> Finding:
    """Combines the results of all instances into one finding.
    If samples refute the claim, the finding also names the refuting event and the transcripts that distinguish the two
    inputs."""
    finding, worst = combine_results(claim, results), hardest_result(results)
    if finding.verdict is not Verdict.REFUTED or not isinstance(finding.body, PrivacyFound):
        return finding
    event, begun = (
        refuting_event(worst),
        distinguishing_beginnings(*worst.releases()) if worst.releases is not None else None,
    )
    shown = [text.event_table(event)] if event is not None else []
    shown += [text.beginnings_table(begun)] if begun is not None else []
    body = replace(finding.body, event=event, beginnings=begun)
    return replace(finding, evidence=(*finding.evidence, *shown), body=body)


def certificate_of(results: Sequence[Result]) -> Item | None:
    """Returns the first certificate that can be made for one of the results, as an item of evidence.
    None if none can be made."""
    makers = [each.certificate for each in results if each.certificate is not None][:MAX_CERTIFICATES]
    made = next(filter(None, (maker() for maker in makers)), None)
    return None if made is None else certificate_item(made)


def not_applicable(claim: Claim, reasons: Sequence[str]) -> Finding:
    """Returns the finding NOT_APPLICABLE for trials that share randomness, or may share it."""
    words = " ".join(map(as_sentence, reasons))
    return Finding(claim.id, Verdict.NOT_APPLICABLE, f"{words} Nothing can be certified.")


def as_sentence(words: str) -> str:
    """Returns the words as a sentence, with a capital letter and a full stop."""
    return f"{words[0].upper()}{words[1:]}."
