"""Claims as pytest's test items: one for every claim that a glob selects."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dpbandits.audit.pytest_plugin.complaints import complaint
from dpbandits.audit.pytest_plugin.entries import record_entry
from dpbandits.audit.pytest_plugin.support import JudgeFailed, claim_by_id, of_ledger, plan_of, selected
from dpbandits.audit.runner.dispatch import repro


def claim_items(session: pytest.Session, globs: Sequence[str]) -> list[pytest.Item]:
    """A test item for every claim that a glob selects."""
    parent = Ledger.from_parent(session, name="dpbandits", nodeid="dpbandits")
    return [ClaimItem.from_parent(parent, name=claim.id) for claim in selected(globs)]


class Ledger(pytest.Collector):
    """The items' parent; it is in no file."""

    def collect(self) -> list[pytest.Item]:
        return []


class Surprise(Exception):
    """A verdict that the ledger does not expect."""


class ClaimItem(pytest.Item):
    """One claim: passes with an expected verdict."""

    def runtest(self) -> None:
        claim = claim_by_id(self.name)
        repeat = repro(claim, plan_of(self.config).run(claim))
        entry = record_entry(self.config, claim.id, repeat, partial(of_ledger, self.config, claim))
        if entry["surprise"]:
            raise Surprise(complaint(entry))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, Surprise | JudgeFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.config.rootpath, None, f"claim {self.name}"
