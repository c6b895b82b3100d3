"""The report about a user's own policy: what was tested, what failed, and the most likely cause first."""

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
    """Whether the finding is about a user's own policy or mechanism, and not about the ledger's."""
    return "own" in finding


def own_page(data: Mapping[str, Any], variables: dict[str, Any], sources: str = "") -> str:
    """The page: what fails first, each finding once; the ledger's own statements, if some were judged, at the end.
    sources: the folder that the tests' files are named in, as seen from the page."""
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
    """What stands over a finding, and whether that is all that was found: of a check its name."""
    if is_check(finding):
        return str(finding["own"]["test"]), False
    said = str(finding["summary"])
    if 0 < len(said) <= MAX_HEADING_CHARACTERS:
        return said, True
    return sentences(said, MAX_HEADING_CHARACTERS) or str(finding["id"]), False


def is_check(finding: Finding) -> bool:
    """Whether it is about a check by its name, and not about what somebody promised."""
    return bool(finding["own"].get("check"))


def source_link(own: Finding, sources: str) -> str:
    """Where the line of a test leads: its file, from the page."""
    path = quote(posixpath.normpath(posixpath.join(sources, own["file"])))
    return f"./{path}" + (f"#L{own['line']}" if own["line"] else "")


def with_subject_name(node: Any, subject: str) -> Any:
    """Data with the subject's name in short."""
    if isinstance(node, str):
        return node.replace(subject, short_policy_name(subject)) if subject else node
    if isinstance(node, dict):
        return {name: with_subject_name(part, subject) for name, part in node.items()}
    return [with_subject_name(part, subject) for part in node] if isinstance(node, list) else node


def short_policy_name(subject: str) -> str:
    """A policy's name in short: the numbers that come first, as code."""
    head = subject[:SUBJECT].rpartition(", ")[0]
    if len(subject) <= SUBJECT or not head or not subject.endswith(")"):
        return shorten_text(subject, SUBJECT)
    return f"{head}, ...)"
