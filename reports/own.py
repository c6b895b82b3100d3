"""The report about a user's own policy: what was tested and what failed, with the most likely cause first."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from dpbandits.reports.page import filled
from dpbandits.reports.tally import Finding
from dpbandits.reports.words import sentences, shorten_text

MAX_HEADING_CHARACTERS = 200  # characters of a heading
SUBJECT = 80  # and of a policy's name, which may hold whole tables: what was found of it has to fit as well


def is_own(finding: Finding) -> bool:
    """Whether the finding is about a user's own policy or mechanism, not about the ledger's."""
    return "own" in finding


def own_page(data: Mapping[str, Any], variables: dict[str, Any], sources: str = "") -> str:
    """The page: failures first, each finding once; statements of the ledger at the end, if any were checked. sources:
    the folder to which the file names of the tests refer, relative to the page."""
    findings = data["findings"]
    own = [
        {
            **with_subject_name(finding, finding["own"]["subject"]),
            "checked": is_check(finding),
            "subject": finding["own"]["subject"],
        }
        for finding in findings
        if is_own(finding)
    ]
    seconds = [finding["own"]["seconds"] for finding in own]
    failed = [finding for finding in own if finding["surprise"]]
    return filled(
        "own.html",
        **variables,
        failed=failed,
        broken=sum(finding["verdict"] == "REFUTED" for finding in failed),
        passed=[finding for finding in own if not finding["surprise"]],
        others=[finding for finding in findings if not is_own(finding)],
        subjects=list(dict.fromkeys(finding["own"]["subject"] for finding in own)),
        seconds=sum(seconds) if seconds and None not in seconds else None,
        repeat=own[0]["repro"] if len({finding["repro"] for finding in own}) == 1 < len(own) else "",
        heading=heading,
        shown={finding["verdict"] for finding in findings},
        source=lambda finding: source_link(finding["own"], sources),
    )


def heading(finding: Finding) -> tuple[str, bool]:
    """The heading of a finding, and whether it says everything that was found; the name of the check if it is one."""
    if is_check(finding):
        return str(finding["own"]["test"]), False
    said = str(finding["summary"])
    if 0 < len(said) <= MAX_HEADING_CHARACTERS:
        return said, True
    return sentences(said, MAX_HEADING_CHARACTERS) or str(finding["id"]), False


def is_check(finding: Finding) -> bool:
    """Whether the finding is about a named check, not about a claimed guarantee."""
    return bool(finding["own"].get("check"))


def source_link(own: Finding, sources: str) -> str:
    """The link from the page to the file with the test's line."""
    path = quote(posixpath.normpath(posixpath.join(sources, own["file"])))
    return f"./{path}" + (f"#L{own['line']}" if own["line"] else "")


def with_subject_name(node: Any, subject: str) -> Any:
    """The data with the subject's name shortened."""
    if isinstance(node, str):
        return node.replace(subject, short_policy_name(subject)) if subject else node
    if isinstance(node, dict):
        return {name: with_subject_name(part, subject) for name, part in node.items()}
    return [with_subject_name(part, subject) for part in node] if isinstance(node, list) else node


def short_policy_name(subject: str) -> str:
    """A policy's short name: the first parameters, as code."""
    head = subject[:SUBJECT].rpartition(", ")[0]
    if len(subject) <= SUBJECT or not head or not subject.endswith(")"):
        return shorten_text(subject, SUBJECT)
    return f"{head}, ...)"
