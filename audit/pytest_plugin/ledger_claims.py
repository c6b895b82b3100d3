"""Claims of the ledger in a pytest session: they are audited on the papers' own policies, and collected as test
items."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dpbandits.audit.claims.deduction import name_suggestion
from dpbandits.audit.pytest_plugin.failures import complaint, refuse
from dpbandits.audit.pytest_plugin.session import ledger_of, plan_of, record_entry, session_folder
from dpbandits.audit.runner import run_claims, selection
from dpbandits.audit.runner.dispatch import repeat_command
from dpbandits.reference.claims.model import Claim
from dpbandits.reference.claims.records import Entry


def selected(config: pytest.Config) -> tuple[Claim, ...]:
    """The claims that --audit-claims selects in the session's ledger. Raises ValueError for a glob without a match."""
    return selection.selected(ledger_of(config), config.option.audit_claims)


def claim_by_id(config: pytest.Config, claim_id: object) -> Claim:
    """Returns the claim of the session's ledger with this id; fails the test if there is none."""
    __tracebackhide__ = True
    if not isinstance(claim_id, str):
        refuse(
            f"audit({claim_id!r:.60}): no guarantee is given; give eps=, mu= or curve=, as in audit(policy, eps=1.0), "
            "or the id of a claim first, as in audit('ou24/lemma-3', policy) (`dpbandits claims` lists them)"
        )
    ledger = ledger_of(config).by_id
    if claim_id not in ledger:
        refuse(f"no claim {claim_id!r} in the ledger{name_suggestion(claim_id, ledger)}")
    return ledger[claim_id]


def ledger_entry(config: pytest.Config, claim: Claim) -> Entry:
    """Audits a claim about the paper's own subject, stores the entry for the session's report, and returns it.
    Raises JudgeFailed if the check failed."""
    __tracebackhide__ = True
    plan = plan_of(config)
    repeat = repeat_command(claim, plan.run(claim), plan.file(claim))
    return record_entry(config, claim.id, repeat, partial(of_ledger, config, claim))


def of_ledger(config: pytest.Config, claim: Claim) -> Entry:
    """Checks a claim about the paper's own policy or mechanism, and returns the finding's entry.
    Raises JudgeFailed, with the traceback, if the check failed."""
    document, _ = run_claims.judged_document([claim], plan_of(config), folder=session_folder(config) / "cases")
    for failed in document["errors"]:
        raise JudgeFailed(f"the check of {failed['id']} raised an exception:\n{failed['error']}")
    entry: Entry = document["findings"][0]
    return entry


class JudgeFailed(Exception):
    """The check raised an exception, so there is no verdict."""


def claim_items(session: pytest.Session) -> list[pytest.Item]:
    """Returns a test item for every claim that --audit-claims selects."""
    parent = Ledger.from_parent(session, name="dpbandits", nodeid="dpbandits")
    return [ClaimItem.from_parent(parent, name=claim.id) for claim in selected(session.config)]


class Ledger(pytest.Collector):
    """The parent of the items; it belongs to no file."""

    def collect(self) -> list[pytest.Item]:
        """Returns no test items; `pytest_collection_modifyitems` adds them."""
        return []


class UnexpectedVerdict(Exception):
    """The verdict is not the one that the ledger expects."""


class ClaimItem(pytest.Item):
    """A test about one claim, which passes if its verdict is expected."""

    def runtest(self) -> None:
        """Audits the claim; the test fails if the verdict is unexpected."""
        entry = ledger_entry(self.config, claim_by_id(self.config, self.name))
        if entry["surprise"]:
            raise UnexpectedVerdict(complaint(entry))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Returns the message of a failed audit, without a traceback."""
        if isinstance(excinfo.value, UnexpectedVerdict | JudgeFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Returns the place and the title that pytest shows for the claim."""
        return self.config.rootpath, None, f"claim {self.name}"
