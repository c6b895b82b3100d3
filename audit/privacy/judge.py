"""Checks a privacy claim on all of its instances, on a given subject, or on rounds of a given policy, and returns one
finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from dpbandits.audit.judges.effort import Run
from dpbandits.audit.judges.judge_registry import Work
from dpbandits.audit.play.probes import TrialFault
from dpbandits.audit.privacy.instances import (
    GIVEN_SUBJECT,
    audit_one,
    combine_results,
    combined_with_event,
    not_applicable,
)
from dpbandits.audit.privacy.result import Result
from dpbandits.reference.bandits.adjacency import RELATIONS
from dpbandits.reference.bandits.noise import address
from dpbandits.reference.bandits.policy import Step, Subject
from dpbandits.reference.claims import text
from dpbandits.reference.claims.model import Claim, Finding, Private
from dpbandits.reference.claims.records import text_item


def judge_private(claim: Claim, run: Run, subject: Subject | None = None) -> Finding:
    """Audits a Private claim on all its instances, or on the given subject (a policy or a Step) instead.
    A claim about a single step is tested in the policy's most revealing rounds; other rounds are not covered.

    REFUTED if the exact engine or fresh samples contradict the claimed curve, or if a policy does not behave as its
    declared law states. CONSISTENT with the resolution otherwise; NOT_EXERCISED if no violation could have been
    detected. Raises ValueError for a claim that names no subject if none is given.
    """
    says = private_statement(claim)
    if subject is None:
        return split_private(claim, run).finding()
    if says.relation == "history" and not isinstance(subject, Step):
        from dpbandits.audit.privacy.rounds import judge_rounds

        return judge_rounds(claim, says, subject, run)
    if faults := trial_faults(subject, says, address(run.seed, claim.id, "probe")):
        return not_applicable(claim, faults)
    return combined_with_event(claim, [audit_one(claim, says, subject, run, GIVEN_SUBJECT)._replace(label="")])


def split_private(claim: Claim, run: Run) -> Work[Result]:
    """Returns the audits of the instances that the profile includes, as separate tasks.
    Raises ValueError for a claim that names no subject, and for a claim about a single step whose subject is a policy.
    """
    says = private_statement(claim)
    if claim.subject is None:
        raise ValueError(
            f"{claim.id}: a privacy claim needs a subject (a policy or mechanism); give subject= to the claim"
        )
    chosen = claim.instances if run.profile.all_instances or not claim.params else claim.params
    instances = [(claim.subject(**one), text.instance_text(one), one) for one in chosen]
    for subject, label, _ in instances:
        if says.relation not in RELATIONS and not isinstance(subject, Step):
            raise ValueError(
                f"{claim.id} ({label}): relation {says.relation!r} is about a single step, but the subject "
                f"has type {type(subject).__name__}. For a claim about a step, make the subject a Step(mechanism, "
                "left, right, sensitivities) of dpbandits.pages, with relation 'query' or 'queries'. For a claim about "
                "whole runs, use relation 'pull' or 'round'"
            )

    def audited(subject: Subject, label: str, instance: Mapping[str, Any]) -> Result:
        """Audits one instance; returns the result without transcripts, so that little data passes between processes."""
        arms = len(instance["pulls"]) if "pulls" in instance else None
        parameters = text.instance_parameters(instance)
        result = audit_one(claim, says, subject, run, label, shared=True)
        return result._replace(releases=None, arms=arms, parameters=parameters)

    def combined(results: Sequence[Result]) -> Finding:
        """Combines the results into one finding, which says whether the profile leaves instances out."""
        finding = combine_results(claim, results)
        if len(chosen) == len(claim.instances):
            return finding
        said = (
            f"The profile {run.profile.name} checks {len(chosen)} of the {len(claim.instances)} instances of this "
            "claim. The profiles ci and deep check all."
        )
        return replace(finding, evidence=(*finding.evidence, text_item(said)))

    return Work([partial(audited, *each) for each in instances], combined)


def private_statement(claim: Claim) -> Private:
    """The claim's statement. Raises TypeError if it is not a Private statement."""
    if not isinstance(claim.says, Private):
        raise TypeError(
            f"{claim.id}: the statement has type {type(claim.says).__name__}, but judge_private checks only statements "
            "of type Private"
        )
    return claim.says


def trial_faults(subject: Subject, statement: Private, seed: int) -> tuple[TrialFault, ...]:
    """Returns the faults of the trials of a user's step, or of a policy in the view "samples"; empty if none was found.
    An example is randomness of their own. For a policy in other views the result is empty: `ReleasedRuns` finds such
    faults, and plays the runs one by one if this helps."""
    if isinstance(subject, Step):
        from dpbandits.audit.privacy.steps import probe_step

        return tuple(dict.fromkeys(probe_step(subject, seed)))
    if statement.view == "samples":
        from dpbandits.audit.privacy.samples import probe_runs

        fault = probe_runs(subject, statement, seed)
        return () if fault is None else (fault,)
    return ()
