"""What the pytest plugin does once there is something to audit."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from time import perf_counter
from typing import Any
from urllib.parse import quote

import pytest

from dpbandits.audit.claims.deduction import name_suggestion
from dpbandits.audit.claims.statements import statement
from dpbandits.audit.cli_shared.tracebacks import refuse, without_own_frames
from dpbandits.audit.judges.budget import with_trials
from dpbandits.audit.judges.effort import PROFILES
from dpbandits.audit.judges.judge_registry import row_of
from dpbandits.audit.judges.run_settings import Plan
from dpbandits.audit.privacy.counters import judge_counter
from dpbandits.audit.privacy.mechanism import judge_mechanism, question
from dpbandits.audit.privacy.mechanism_scores import Mechanism
from dpbandits.audit.privacy.output_batches import OutputBatches
from dpbandits.audit.privacy.own_claims import demand_batches, judge_in_batches, promise
from dpbandits.audit.privacy.rounds.single import SomeRound
from dpbandits.audit.pytest_plugin.complaints import complaint
from dpbandits.audit.pytest_plugin.entries import record_entry
from dpbandits.audit.pytest_plugin.session_folder import session_folder
from dpbandits.audit.runner import documents, run_claims, selection
from dpbandits.audit.runner.dispatch import repro
from dpbandits.reference.bandits.protocol import complaints, protocol_faults
from dpbandits.reference.bandits.release_laws.mechanisms import is_step
from dpbandits.reference.claims import ledger as library
from dpbandits.reference.claims.model import HOLDS, Claim, Finding, Private, Verdict
from dpbandits.reference.curves import derived

__all__ = ["Auditor", "plan_of", "selected"]
PAPERS_OWN_POLICY: Any = object()  # in the place of a policy: the paper's own. None is what somebody forgot to return
NO_NUMBERS = {"eps": None, "delta": None, "mu": None, "curve": None}
OF_A_PROMISE = (*NO_NUMBERS, "relation", "view", "pairs", "contexts")
OF_STEPS = {"history", "query", "queries"}  # neighbours that a claim about a single step has


def plan_of(config: pytest.Config) -> Plan:
    """The run that the options ask for. Own policies are audited at the level of the ledger's claims: so a
    session with as many audits as the ledger has keeps the ledger's risk."""
    return Plan(library.ledger(), PROFILES[config.option.audit_profile], config.option.audit_seed)


def selected(globs: Sequence[str]) -> tuple[Claim, ...]:
    """The claims of the ledger that a glob selects. Raises ValueError for a glob that selects none."""
    return selection.selected(library.ledger(), globs)


# -- the fixture ---------------------------------------------------------------------------------------------


class Auditor:
    """The `audit` fixture's value for one test."""

    def __init__(self, config: pytest.Config, test: str, place: tuple[str, int | None]):
        self.config, self.test, self.place, self.numbers = config, test, place, count(1)

    def __call__(
        self,
        claim_id: Any,
        policy: Any = PAPERS_OWN_POLICY,
        trials: int | None = None,
        sequential: bool = False,
        **own: Any,
    ) -> dict[str, Any]:
        """Judges a claim of the ledger, or a policy against what the claim promises; or, with numbers in the place of
        an id, the policy against these. trials: of the policy in each game, in the place of the profile's. sequential:
        whether they are a budget, and the audit stops as soon as the promise is refuted."""
        __tracebackhide__ = True
        if own:
            return self.promised(claim_id, policy, trials, sequential, own)
        claim, config = claim_by_id(claim_id), self.config
        if policy is PAPERS_OWN_POLICY and (trials is not None or sequential):
            named = f"trials={trials!r}" if trials is not None else "sequential=True"
            pytest.fail(f"audit({claim_id!r}, {named}): trials are of a policy; give one", pytrace=False)
        if policy is PAPERS_OWN_POLICY:
            repeat = repro(claim, plan_of(config).run(claim))
            return fail_on_surprise(record_entry(config, claim.id, repeat, partial(of_ledger, config, claim)))
        return self.own(claim.id, repr(policy), partial(of_policy, config, claim, policy, trials, sequential))

    def promised(
        self, policy: Any, more: Any, trials: int | None, sequential: bool, own: dict[str, Any]
    ) -> dict[str, Any]:
        __tracebackhide__ = True
        if isinstance(policy, str) or more is not PAPERS_OWN_POLICY:
            pytest.fail(
                f"audit({policy!r}, ...): the claim is the ledger's, or your own; write audit(policy, eps=1.0) for one "
                "of your own",
                pytrace=False,
            )
        if unknown := [name for name in own if name not in OF_A_PROMISE]:
            takes = ", ".join((*OF_A_PROMISE, "trials", "sequential"))
            pytest.fail(f"audit(policy, ...) has no {', '.join(unknown)}; it takes {takes}", pytrace=False)
        try:
            claim = promise(policy, **NO_NUMBERS | own)
        except (TypeError, ValueError) as error:
            refuse(f"audit: {error}")
        return self.own(claim.id, repr(policy), partial(of_policy, self.config, claim, policy, trials, sequential))

    def counter(self, counter: Mechanism, length: int, **claim: Any) -> dict[str, Any]:
        """Judges a counter on the streams of this length that tell most, as `counters.audit_counter` does."""
        __tracebackhide__ = True
        sequential = bool(claim.pop("sequential", False))
        settings = self.settings("counter", claim)
        name = str(getattr(counter, "__name__", type(counter).__name__))
        judged = partial(judge_counter, counter, length, sequential, **settings)
        return self.own(f"counter/{name}", name, partial(of_mechanism, judged))

    def mechanism(self, mechanism: Mechanism, left: Any, right: Any, **claim: Any) -> dict[str, Any]:
        """Judges a plain mechanism on two neighbouring inputs, as `mechanism.audit_mechanism` does, whose arguments
        it takes; trials, seed and risk are the session's unless given."""
        __tracebackhide__ = True
        sequential = bool(claim.pop("sequential", False))
        settings = self.settings("mechanism", claim)
        try:
            asked = question(mechanism, left, right, **settings)
        except ValueError as error:
            raise without_own_frames("audit.mechanism", error) from None
        judged = partial(judge_mechanism, asked, OutputBatches(asked) if sequential else None)
        return self.own(f"mechanism/{asked.name}", asked.name, partial(of_mechanism, judged))

    def settings(self, kind: str, claim: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a mechanism's audit: those that are given, and the session's."""
        __tracebackhide__ = True
        run = plan_of(self.config).own
        usual = NO_NUMBERS | {
            "trials": run.profile.trials,
            "seed": run.seed,
            "risk": run.level,
            "score": None,
            "bits": True,
        }
        if unknown := [name for name in claim if name not in usual]:
            told = f"audit.{kind}(...) has no {', '.join(unknown)}; it takes {', '.join(usual)}, sequential"
            pytest.fail(told, pytrace=False)
        return usual | claim

    def own(self, about: str, subject: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        __tracebackhide__ = True
        name = own_id(about, self.test, next(self.numbers))
        file, line = self.place

        def timed() -> dict[str, Any]:
            start = perf_counter()
            entry = make()
            about_it = {"test": self.test, "subject": " ".join(subject.split()), "file": file, "line": line}
            return entry | {"own": {**entry["own"], **about_it, "seconds": round(perf_counter() - start, 2)}}

        try:
            entry = record_entry(self.config, name, repeated(self.config, self.test), timed)
        except Exception as error:
            raise without_own_frames(about, error) from error.__cause__
        return fail_on_surprise(entry)


def fail_on_surprise(entry: dict[str, Any]) -> dict[str, Any]:
    """The entry; fails the test where it is a surprise."""
    __tracebackhide__ = True
    if entry["surprise"]:
        pytest.fail(complaint(entry), pytrace=False)
    return entry


def of_mechanism(judged: Callable[[], tuple[Claim, Finding]]) -> dict[str, Any]:
    """The finding about a user's mechanism, which is expected to keep its promise."""
    claim, finding = judged()
    promised = {"own": {"promise": promise_in_words(claim, None)}}
    return documents.finding_entry(claim, finding, "quick") | own_expectation(finding) | promised


def promise_in_words(claim: Claim, subject: Any) -> str:
    """What a user's own subject was held against: the numbers that a test gives, or the id of a paper's claim."""
    if claim.source.paper == "own" and isinstance(claim.says, Private):
        return str(derived.name(claim.says.curve(subject)))
    return claim.id


def claim_by_id(claim_id: Any) -> Claim:
    __tracebackhide__ = True
    if not isinstance(claim_id, str):
        pytest.fail(
            f"audit(claim_id) and audit(claim_id, policy) take a claim's id, such as 'ou24/lemma-3', not {claim_id!r}; "
            "`dpbandits claims` lists them; a claim of your own is audit(policy, eps=1.0)",
            pytrace=False,
        )
    ledger = library.ledger().by_id
    if claim_id not in ledger:
        pytest.fail(f"no claim {claim_id!r} in the ledger{name_suggestion(claim_id, ledger)}", pytrace=False)
    return ledger[claim_id]


def of_ledger(config: pytest.Config, claim: Claim) -> dict[str, Any]:
    """The finding about the paper's own subject. JudgeFailed carries the traceback of a judge that failed."""
    document, _ = run_claims.document([claim], plan_of(config), folder=session_folder(config) / "cases")
    for failed in document["errors"]:
        raise JudgeFailed(f"the check of {failed['id']} raised an exception:\n{failed['error']}")
    entry: dict[str, Any] = document["findings"][0]
    return entry


class JudgeFailed(Exception):
    """A judge died of an exception, so that there is no verdict."""


def own_id(about: str, test: str, number: int) -> str:
    """An id of its own for every audit: what it is about, the test, and which audit of the test it is."""
    named = re.sub(r"[\s%#]", lambda found: quote(found[0]), test)  # no two tests by one name
    return f"{about}@{named}" + (f"#{number}" if number > 1 else "")


def repeated(config: pytest.Config, test: str) -> str:
    """The line that runs an audit of this session again."""
    option = config.option
    quoted = test.replace("'", "'\"'\"'")
    return f"pytest '{quoted}' --audit-profile {option.audit_profile} --audit-seed {option.audit_seed}"


def of_policy(
    config: pytest.Config, claim: Claim, policy: Any, trials: int | None = None, sequential: bool = False
) -> dict[str, Any]:
    """The finding about a user's policy, which is expected to keep the promise.

    Theorems that the claim follows from speak about the paper's policy, so they are not used.
    """
    __tracebackhide__ = True
    if not row_of(claim).subject:
        pytest.fail(f"{claim.id} says nothing about a policy ({statement(claim)}): audit it without one", pytrace=False)
    faults = () if is_step(policy) else protocol_faults(policy)
    if faults:
        pytest.fail(f"{claim.id}: {complaints(policy, faults)}", pytrace=False)
    says = promise_or_failure(claim, policy)
    plan = plan_of(config)
    try:
        profile = with_trials(plan.profile, policy, trials)
        if sequential:
            demand_batches(claim.says, policy)
    except ValueError as error:
        refuse(f"{claim.id}: {error}")
    judge = judge_in_batches if sequential else run_claims.judge_subject
    finding = judge(claim, replace(plan.run(claim), profile=profile), policy)
    entry = documents.finding_entry(claim, finding, plan.profile.name)
    promised = {"own": {"promise": promise_in_words(claim, policy)}}
    return entry | own_expectation(finding) | says | {"follows": [], "by": "", "note": ""} | promised


def promise_or_failure(claim: Claim, policy: Any) -> dict[str, Any]:
    """What the claim says of a policy; fails the test where it says it by an attribute that the policy lacks."""
    __tracebackhide__ = True
    try:
        return promise_about_policy(claim, policy)
    except AttributeError as error:
        told = f"what it promises depends on an attribute that the policy lacks ({error}): add it"
        if isinstance(claim.says, Private) and claim.says.relation in OF_STEPS and not is_step(policy):
            told = (
                f"it promises something about one step, by the step's own numbers ({error}), and not about a policy: "
                "give a Step(mechanism, left, right, sensitivities) of dpbandits, or audit the "
                "policy against a claim about its runs"
            )
        refuse(f"{claim.id}: {told}")


def promise_about_policy(claim: Claim, policy: Any) -> dict[str, Any]:
    """What the claim says of a policy; one about a step may go by how many arms a round of it has."""
    try:
        return documents.said(claim, policy)
    except AttributeError:
        if not isinstance(claim.says, Private) or claim.says.relation != "history" or is_step(policy):
            raise
        return documents.said(claim, SomeRound(policy))


def own_expectation(finding: Finding) -> dict[str, Any]:
    """What is expected of a user's own subject, whatever the ledger expects of the paper's: that the promise holds."""
    return {"expect": [str(Verdict.PROVED), str(Verdict.CONSISTENT)], "surprise": finding.verdict not in HOLDS}
