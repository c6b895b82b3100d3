"""The value of the fixture `audit`: audits of a user's policy or mechanism in one test."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from dpbandits import registry
from dpbandits.audit.claims.statements import statement
from dpbandits.audit.judges.effort import with_trials
from dpbandits.audit.judges.judge_registry import row_of
from dpbandits.audit.privacy.own_claims import judge_own_policy, own_claim
from dpbandits.audit.pytest_plugin.failures import complaint, refuse, without_own_frames
from dpbandits.audit.pytest_plugin.session import plan_of, record_entry
from dpbandits.audit.runner import entries
from dpbandits.reference.bandits.policy import Policy, Step
from dpbandits.reference.bandits.protocol import complaint_text, protocol_faults
from dpbandits.reference.claims.model import HOLDS, Claim, Finding, Private, Verdict
from dpbandits.reference.claims.records import Entry, OwnExpectation, OwnRecord, StatementFields
from dpbandits.reference.curves import derived

if TYPE_CHECKING:
    from dpbandits.audit.privacy.mechanism_calls import Mechanism

PAPERS_OWN_POLICY: Any = object()  # the default policy; not None, which a forgotten `return` would give
NO_GUARANTEE = {"eps": None, "delta": None, "mu": None, "curve": None}
GUARANTEE_ARGUMENTS = (*NO_GUARANTEE, "relation", "view", "pairs", "contexts")
STEP_RELATIONS = {"history", "query", "queries"}  # adjacency of claims about a single step


class Auditor:
    """The value of the fixture `audit` in one test.

    test: the test's node id. place: its file and line, for annotations.
    """

    def __init__(self, config: pytest.Config, test: str, place: tuple[str, int | None]):
        """Prepares the audits of one test. test: its id. place: the file and line of the test."""
        self.config, self.test, self.place, self.numbers = config, test, place, count(1)

    def __call__(
        self,
        claim_id: Any,
        policy: Policy = PAPERS_OWN_POLICY,
        trials: int | None = None,
        sequential: bool = False,
        **own: Any,
    ) -> Entry:
        """Audits a claim, or a user's policy against a claim, and returns the finding's entry, as in findings.json.
        Fails the test if the verdict is not the required one.

        audit(claim_id): the claim of the ledger about the paper's own policy; the verdict must be the expected one.
        audit(claim_id, policy): whether this policy satisfies the claim's guarantee; it must hold. audit(policy,
        eps=1.0): whether this policy satisfies a guarantee of your own, as `audit_policy`.

        trials: runs on each side of a pair, instead of the profile's number. sequential: treat `trials` as a budget,
        and stop as soon as the guarantee is refuted.
        """
        __tracebackhide__ = True
        if own:
            return self.own_guarantee(claim_id, policy, trials, sequential, own)
        from dpbandits.audit.pytest_plugin.ledger_claims import claim_by_id, ledger_entry

        claim, config = claim_by_id(self.config, claim_id), self.config
        if policy is PAPERS_OWN_POLICY and (trials is not None or sequential):
            named = f"trials={trials!r}" if trials is not None else "sequential=True"
            refuse(
                f"audit({claim_id!r}, {named}): this option is for a policy of your own; give the policy as well, "
                f"audit({claim_id!r}, policy, {named})"
            )
        if policy is PAPERS_OWN_POLICY:
            return fail_on_surprise(ledger_entry(config, claim))
        return self.own(claim.id, repr(policy), partial(of_policy, config, claim, policy, trials, sequential))

    def own_guarantee(
        self, policy: Policy, more: Any, trials: int | None, sequential: bool, own: dict[str, Any]
    ) -> Entry:
        """Audits a user's policy against a guarantee given as eps=, mu= or curve=, and returns the finding's entry.
        more: a second positional argument, which is not allowed here."""
        __tracebackhide__ = True
        if isinstance(policy, str) or more is not PAPERS_OWN_POLICY:
            refuse(
                f"audit({policy!r}, ...): give the id of a claim or a guarantee of your own, not both: "
                "audit('ou24/lemma-3', policy), or audit(policy, eps=1.0)"
            )
        if unknown := [name for name in own if name not in GUARANTEE_ARGUMENTS]:
            takes = ", ".join((*GUARANTEE_ARGUMENTS, "trials", "sequential"))
            refuse(f"audit(policy, ...) has no {', '.join(unknown)}; it takes {takes}")
        try:
            claim = own_claim(policy, **NO_GUARANTEE | own)
        except (TypeError, ValueError) as error:
            refuse(f"audit: {error}")
        return self.own(claim.id, repr(policy), partial(of_policy, self.config, claim, policy, trials, sequential))

    def counter(self, counter: Mechanism, length: int, **claim: Any) -> Entry:
        """Audits a counter on the streams of this length that distinguish best, as `audit_counter`.
        Fails the test if the guarantee is refuted. trials, seed and risk are the session's by default."""
        __tracebackhide__ = True
        from dpbandits.audit.privacy.counters import judge_counter

        sequential = bool(claim.pop("sequential", False))
        settings = self.settings("counter", claim)
        name = str(getattr(counter, "__name__", type(counter).__name__))
        judged = partial(judge_counter, counter, length, sequential, **settings)
        return self.own(f"counter/{name}", name, partial(of_mechanism, judged))

    def mechanism(self, mechanism: Mechanism, left: Any, right: Any, **claim: Any) -> Entry:
        """Audits a mechanism on two neighbouring inputs, as `audit_mechanism`.
        Fails the test if the guarantee is refuted. trials, seed and risk are the session's by default."""
        __tracebackhide__ = True
        from dpbandits.audit.privacy.mechanism import judge_mechanism, mechanism_audit
        from dpbandits.audit.privacy.output_batches import OutputBatches

        sequential = bool(claim.pop("sequential", False))
        settings = self.settings("mechanism", claim)
        try:
            asked = mechanism_audit(mechanism, left, right, **settings, sequential=sequential)
        except ValueError as error:
            raise without_own_frames("audit.mechanism", error) from None
        judged = partial(judge_mechanism, asked, OutputBatches(asked) if sequential else None)
        return self.own(f"mechanism/{asked.name}", asked.name, partial(of_mechanism, judged))

    def settings(self, kind: str, claim: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a mechanism's audit: those of the session, overridden by those in `claim`.
        kind: the method's name, for messages."""
        __tracebackhide__ = True
        run = plan_of(self.config).own
        usual = NO_GUARANTEE | {
            "trials": run.profile.trials,
            "seed": run.seed,
            "risk": run.level,
            "score": None,
            "floating_point": "warn",
            "on_error": "error",
        }
        if unknown := [name for name in claim if name not in usual]:
            refuse(f"audit.{kind}(...) has no {', '.join(unknown)}; it takes {', '.join(usual)}, sequential")
        return usual | claim

    def own(self, about: str, subject: str, make: Callable[[], tuple[Entry, str]]) -> Entry:
        """Makes the entry about a user's own subject, as in findings.json, and stores it for the session's report.
        about: the claim. make: makes the entry, and the claimed guarantee in words; its time is measured."""
        __tracebackhide__ = True
        name = own_id(about, self.test, next(self.numbers))
        file, line = self.place

        def timed() -> Entry:
            """Makes the audit's entry, and adds the test, the subject, the place in the code and the seconds."""
            start = perf_counter()
            entry, promise = make()
            own: OwnRecord = {
                "test": self.test,
                "subject": " ".join(subject.split()),
                "file": file,
                "line": line,
                "seconds": round(perf_counter() - start, 2),
                "promise": promise,
            }
            return {**entry, "own": own}

        try:
            entry = record_entry(self.config, name, repeat_command(self.config, self.test), timed)
        except Exception as error:
            raise without_own_frames(about, error) from error.__cause__
        return fail_on_surprise(entry)


def fail_on_surprise(entry: Entry) -> Entry:
    """Returns the entry; fails the test if the entry's verdict is unexpected."""
    __tracebackhide__ = True
    if entry["surprise"]:
        pytest.fail(complaint(entry), pytrace=False)
    return entry


def of_mechanism(judged: Callable[[], tuple[Claim, Finding]]) -> tuple[Entry, str]:
    """Returns the entry about a user's mechanism, whose guarantee is expected to hold, and this guarantee in words.
    judged: makes the claim and the finding."""
    claim, finding = judged()
    entry: Entry = {**entries.finding_entry(claim, finding, "quick"), **own_expectation(finding)}
    return entry, guarantee_in_words(claim, None)


def guarantee_in_words(claim: Claim, subject: Policy | None) -> str:
    """Returns the audited guarantee of a user's own subject as text: numbers from the test, or the id of a claim."""
    if claim.source.paper == "own" and isinstance(claim.says, Private):
        return str(derived.guarantee_name(claim.says.curve(subject)))
    return claim.id


def own_id(about: str, test: str, number: int) -> str:
    """The id of an audit of a user's subject: the claim, the test, and the number of the audit in the test."""
    named = re.sub(r"[\s%#]", lambda found: quote(found[0]), test)  # no two tests by one name
    claim = re.sub(r"\s", lambda found: quote(found[0]), about)  # a policy's own name may have spaces
    return f"{claim}@{named}" + (f"#{number}" if number > 1 else "")


def repeat_command(config: pytest.Config, test: str) -> str:
    """Returns the command line that repeats the audits of a test."""
    option = config.option
    quoted = test.replace("'", "'\"'\"'")
    pages = "".join(f" --audit-page={shlex.quote(file)}" for file in option.audit_pages)
    return f"pytest '{quoted}'{pages} --audit-profile {option.audit_profile} --audit-seed {option.audit_seed}"


def of_policy(
    config: pytest.Config, claim: Claim, policy: Policy, trials: int | None = None, sequential: bool = False
) -> tuple[Entry, str]:
    """Returns the entry about a user's policy, which has to satisfy the claim's guarantee, and this guarantee in words.
    Theorems that the claim follows from are about the paper's policy, and are not used."""
    __tracebackhide__ = True
    if not row_of(claim).subject:
        refuse(f"{claim.id} is not about a policy ({statement(claim)}); omit the policy: audit({claim.id!r})")
    faults = () if isinstance(policy, Step) else protocol_faults(policy)
    if faults:
        refuse(f"{claim.id}: {complaint_text(policy, faults)}")
    says = guarantee_or_failure(claim, policy)
    run = plan_of(config).run(claim)
    try:
        run = replace(run, profile=with_trials(run.profile, policy, trials))
        if sequential:
            from dpbandits.audit.privacy.sequential import require_sequential

            require_sequential(claim.says, policy)
    except ValueError as error:
        refuse(f"{claim.id}: {error}")
    finding, _ = judge_own_policy(claim, policy, run, sequential, registry.added().own_policy_looks)
    entry = entries.finding_entry(claim, finding, run.profile.name, plan_of(config).file(claim))
    about_policy: Entry = {**entry, **own_expectation(finding), **says, "follows": [], "by": "", "note": ""}
    return about_policy, guarantee_in_words(claim, policy)


def guarantee_or_failure(claim: Claim, policy: Policy) -> StatementFields:
    """Returns the fields of an entry that state the claim's guarantee for a user's policy.
    Fails the test if the policy lacks an attribute that the statement needs."""
    __tracebackhide__ = True
    try:
        return guarantee_about_policy(claim, policy)
    except AttributeError as error:
        told = f"its guarantee depends on an attribute that the policy lacks ({error}); add this attribute"
        if isinstance(claim.says, Private) and claim.says.relation in STEP_RELATIONS and not isinstance(policy, Step):
            told = (
                f"its guarantee is about a single step, and depends on the step's numbers ({error}): give a "
                "Step(mechanism, left, right, sensitivities) of dpbandits, or audit the policy against a claim about "
                "whole runs"
            )
        refuse(f"{claim.id}: {told}")


def guarantee_about_policy(claim: Claim, policy: Policy) -> StatementFields:
    """The fields of an entry that state the claim about a policy.
    A claim about a single step is stated about some round of the policy."""
    try:
        return entries.statement_fields(claim, policy)
    except AttributeError:
        if not isinstance(claim.says, Private) or claim.says.relation != "history" or isinstance(policy, Step):
            raise
        from dpbandits.audit.privacy.single_rounds import SomeRound

        return entries.statement_fields(claim, SomeRound(policy))


def own_expectation(finding: Finding) -> OwnExpectation:
    """Returns the expectation that a user's own subject satisfies the guarantee, and whether the finding is a surprise.
    The expectation does not depend on what the ledger expects of the paper's own subject."""
    return {"expect": [str(Verdict.PROVED), str(Verdict.CONSISTENT)], "surprise": finding.verdict not in HOLDS}
