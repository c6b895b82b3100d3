"""The report about a user's own policy: what was tested and what failed, with the most likely cause first."""

from __future__ import annotations

import json
import posixpath
from typing import Any, NamedTuple, TypeGuard
from urllib.parse import quote

from markupsafe import Markup

from dpbandits.reference.claims.codec import found_in
from dpbandits.reference.claims.findings import Neighbours, PrivacyFound
from dpbandits.reference.claims.records import Document, Entry, OwnRecord, StageRecord
from dpbandits.reports.page import PageVariables, rendered_page
from dpbandits.reports.words import format_number, shorten_text

MAX_HEADING_CHARACTERS = 200  # characters of what a card says was found
MAX_CARD_ROWS = 4  # rows of the inputs in a card
SUBJECT = 80  # and of a policy's name, which may hold whole tables: what was found of it has to fit as well


def is_own(finding: Entry) -> bool:
    """Whether the finding is about a user's own policy or mechanism, not about the ledger's."""
    return "own" in finding


def own_page(data: Document, variables: PageVariables, sources: str = "") -> str:
    """Returns the HTML page about a user's own policies: failures first, each finding once.
    Statements of the ledger at the end, if any were checked. sources: the folder to which the file names of the tests
    refer, relative to the page."""
    findings = data["findings"]
    own = [own_entry(finding) for finding in findings if is_own(finding)]
    others = [finding for finding in findings if not is_own(finding)]
    seconds = [took for finding in own if (took := finding["own"]["seconds"]) is not None]
    names = {str(name) for finding in own for name in (finding["subject"], finding["own"]["subject"], finding["where"])}
    failed = [finding for finding in own if finding["surprise"]]
    kept = {finding["id"]: finding["history"] for finding in own if finding.get("history")}
    return rendered_page(
        "own.html",
        **variables,
        failed=failed,
        broken=sum(finding["verdict"] == "REFUTED" for finding in failed),
        passed=[finding for finding in own if not finding["surprise"]],
        others=others,
        alarming={"surprises": [finding for finding in others if finding["surprise"]], "missing": []},
        subjects=list(dict.fromkeys(finding["own"]["subject"] for finding in own)),
        seconds=sum(seconds) if seconds and len(seconds) == len(own) else None,
        repeat=own[0]["repro"] if len({finding["repro"] for finding in own}) == 1 < len(own) else "",
        card=card,
        verbatim=[name for name in names if len(name) > 1],
        kept_history=Markup(json.dumps(kept).replace("<", "\\u003c")),
        shown={finding["verdict"] for finding in findings},
        source=lambda finding: source_link(finding["own"], sources),
    )


class OwnEntry(Entry):
    """An entry about a user's own policy, in whose texts the policy has a short name. checked: whether it is about a
    named check. subject: the full name."""

    checked: bool
    subject: str


def own_entry(finding: Entry) -> OwnEntry:
    """The entry as the page about a user's own policies shows it."""
    named: Entry = with_subject_name(finding, finding["own"]["subject"])
    return {**named, "checked": is_check(finding), "subject": finding["own"]["subject"]}


class Card(NamedTuple):
    """What a reader of a failed audit wants first. title: the test, or the check. number: what was found, in a sentence
    or two. event: what tells the inputs apart, in words. inputs: the first rows of what each arm pays, a place and a
    number for each arm, the changed ones first; rows: how many there are in all."""

    title: str
    number: str
    event: str
    arms: int
    inputs: tuple[tuple[str, ...], ...]
    rows: int


def card(finding: Entry) -> Card:
    """The short summary of a failed finding about a user's own policy, for the top of the page."""
    found = found_in(finding)
    found = found if isinstance(found, PrivacyFound) else PrivacyFound(())
    neighbours = found.neighbours or Neighbours("", 0, ())
    stretches = sorted(neighbours.stretches, key=lambda each: not each.side)  # what differs comes first
    inputs = [(each.place, *each.rewards) for each in stretches[:MAX_CARD_ROWS]]
    summary = str(finding["summary"]) or "No reason was given."
    whole = is_check(finding) or len(summary) <= MAX_HEADING_CHARACTERS
    number = summary if whole else shorten_text(summary, MAX_HEADING_CHARACTERS)
    own = finding["own"]
    title = str(own["test"] or own["subject"] or finding["id"])
    return Card(
        title,
        number,
        event_in_words(found),
        neighbours.arms,
        tuple(inputs),
        len(stretches),
    )


def event_in_words(data: PrivacyFound) -> str:
    """Returns how often the refuting event occurred on either input, in words; "" if samples refuted nothing.
    With the beginning of releases that best distinguishes the inputs."""
    said, event, beginnings = [], data.event, data.beginnings
    if event:
        left, right = (format_number(100 * share, 3) for share in (event.left, event.right))
        said.append(f"it came about in {left} % of {event.runs} runs on the left input, in {right} % on the right")
    if beginnings and beginnings.every:
        most = max(beginnings.every, key=lambda each: abs(each.left - each.right))
        left, right = (format_number(100 * share, 3) for share in (most.left, most.right))
        said.append(f"releases began with {most.released} in {left} % against {right} % of {beginnings.runs}")
    return "; ".join(said)


# -- what earlier runs found -------------------------------------------------------------------------------------------

HISTORY_BEGINS, HISTORY_ENDS = '<script type="application/json" id="history">', "</script>"
MAX_STAGES = 10


def with_earlier(document: Document, page: str) -> Document:
    """Returns the document, with the results of earlier runs added to the findings about the user's own code.
    page: the report that this run will overwrite, which stores these results; "" if there is none. A run with the same
    results adds nothing, so its report is the same."""
    kept = page.partition(HISTORY_BEGINS)[2].partition(HISTORY_ENDS)[0]
    try:
        known = json.loads(kept)
    except ValueError:  # there is none, or it was changed by hand
        known = {}

    def staged(finding: Entry) -> Entry:
        """Returns the finding with its history: the stored results of earlier runs and the result of this run."""
        if not is_own(finding):
            return finding
        stages: list[StageRecord] = list(filter(is_stage, known.get(finding["id"], ())))
        now: StageRecord = {
            "source": "run",
            "version": document["version"],
            "profile": document["profile"]["name"],
            "seed": document["seed"],
            "verdict": finding["verdict"],
            "summary": finding["summary"],
            "kinds": [],
            "why": "",
        }
        same = stages and {**stages[-1], "version": ""} == {**now, "version": ""}
        return {**finding, "history": stages if same else [*stages, now][-MAX_STAGES:]}

    return {**document, "findings": [staged(finding) for finding in document["findings"]]}


def is_stage(stored: object) -> TypeGuard[StageRecord]:
    """Whether a part of a stored history may be a stage of it; the report's schema checks its fields."""
    return isinstance(stored, dict)


def is_check(finding: Entry) -> bool:
    """Whether the finding is about a named check, not about a claimed guarantee."""
    return bool(finding["own"].get("check"))


def source_link(own: OwnRecord, sources: str) -> str:
    """Returns the address of the line of the user's test, relative to the page.
    sources: the folder of the tests, relative to the page."""
    path = quote(posixpath.normpath(posixpath.join(sources, own["file"])))
    return f"./{path}" + (f"#L{own['line']}" if own["line"] else "")


def with_subject_name(node: Any, subject: str) -> Any:
    """Returns the data with the policy's long name, `subject`, replaced by a short name in all texts."""
    if isinstance(node, str):
        return node.replace(subject, short_policy_name(subject)) if subject else node
    if isinstance(node, dict):
        return {name: with_subject_name(part, subject) for name, part in node.items()}
    return [with_subject_name(part, subject) for part in node] if isinstance(node, list) else node


def short_policy_name(subject: str) -> str:
    """Returns a short name of a policy: its class with the first parameters, as code."""
    head = subject[:SUBJECT].rpartition(", ")[0]
    if len(subject) <= SUBJECT or not head or not subject.endswith(")"):
        return shorten_text(subject, SUBJECT)
    return f"{head}, ...)"
