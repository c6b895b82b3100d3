"""Compares findings documents claim by claim, with the reasons for changes, and collects the history of a claim over
releases.

A record of a release is a findings document with fewer fields. A field is compared if both documents have it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, NotRequired, TypedDict, TypeGuard

import dpbandits
from dpbandits.reference.claims.model import Basis, Verdict
from dpbandits.reference.claims.records import Document, Entry, StageRecord
from dpbandits.reference.claims.text import in_one_line

DIGEST_CHARACTERS = 16  # of what was found, in a record
FAILED = "no verdict"  # stands for the verdict of a claim whose judge failed

# The fields of a finding by what they are about; together with UNCOMPARED_FIELDS they are all fields of the schema.
READING_FIELDS = ("quote", "relation", "view", "seen_in", "unseen", "reading", "scope")
STATEMENT_FIELDS = ("kind", "formula_only", "statement", "ranges", "given", "follows", "by", "cites")
CLAIM_FIELDS = ("paper", "section", "where", *READING_FIELDS, *STATEMENT_FIELDS)
EXPECTATION_FIELDS = ("expect", "fault", "harm", "same_error_as", "repaired_by", "repair", "related", "note")
FOUND = ("summary", "resolution")
EVIDENCE = ("evidence", "found", "uncertified", "needs", "rests_on", "theorem")
# Not compared: the id; what follows from place, verdict, expectation, statement or profile; times; and the history.
UNCOMPARED_FIELDS = ("id", "numbered", "verdict", "surprise", "parts", "repro", "page_file", "own", "history")

# The kinds of changes, the most important first, with their titles in a changelog.
CHANGE_KINDS = {
    "verdict": "Other verdicts",
    "added": "New claims",
    "removed": "Claims that are gone",
    "number": "Same verdict, other numbers",
    "wording": "Same verdict, other words",
    "claim": "The claim itself was changed",
    "expectation": "Something else was expected",
    "evidence": "Other evidence, or other bases",
}

# Why a claim changed, the most telling reason first: a theorem is machine-checked now, the sentence is read
# differently, another statement is checked, the verdict of a premise changed, the verdict rests on another basis, the
# run has another profile, seed or risk; or only the code that checks it, or a library, was changed.
REASONS = ("theorem", "reading", "statement", "premises", "method", "run", "code")


class RunHeader(TypedDict):
    """What a document says of its run. verdicts: how many claims have each verdict."""

    version: str
    profile: str
    seed: int | None
    verdicts: dict[str, int]


StoredDocument = Mapping[str, object]  # a findings document of any version of the schema, or the record of a release


class StoredEntry(TypedDict):
    """The fields of a claim's entry in a stored document that a comparison reads by name. Further fields are compared
    if both documents have them."""

    id: str
    verdict: str
    summary: NotRequired[str]
    note: NotRequired[str]
    follows: NotRequired[Sequence[str]]
    rests_on: NotRequired[Sequence[str]]
    evidence: NotRequired[Sequence[object]]
    found: NotRequired[object]
    found_digest: NotRequired[str]
    own: NotRequired[object]


class Change(NamedTuple):
    """The change of one claim.

    kinds: keys of CHANGE_KINDS, the most important first. before, after: the verdicts; "" if the claim is not in that
    document. fields: the values before and after of each field that differs; evidence and data are described in words.
    why: the reasons, as far as the two documents show them. reasons: the same as words of REASONS; empty for a claim
    that is in one document alone. settings: the differences between the runs, in words, if they are a reason.
    """

    id: str
    kinds: tuple[str, ...]
    before: str
    after: str
    fields: Mapping[str, tuple[object, object]]
    why: str
    reasons: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()


class Changes(NamedTuple):
    """All changes, the most important kind first, each kind in the order of the new document, then of the old one. old,
    new: the runs of the documents."""

    old: RunHeader
    new: RunHeader
    changes: tuple[Change, ...]


def compare_documents(old: StoredDocument, new: StoredDocument, names: tuple[str, str] = ("old", "new")) -> Changes:
    """The changes from the document `old` to the document `new`. names: the documents' names in messages.
    Raises ValueError if one is no findings document."""
    before, after = by_claim(old, names[0]), by_claim(new, names[1])
    settings = run_changes(old, new)
    verdicts = {name for name in before.keys() & after.keys() if before[name]["verdict"] != after[name]["verdict"]}
    found = [
        change_of_claim(name, before.get(name), after.get(name), settings, verdicts)
        for name in dict.fromkeys((*after, *before))
        if before.get(name) != after.get(name)
    ]
    order = list(CHANGE_KINDS)
    ordered = sorted((each for each in found if each.kinds), key=lambda each: order.index(each.kinds[0]))
    return Changes(document_header(old, before), document_header(new, after), tuple(ordered))


def by_claim(document: object, name: str) -> dict[str, StoredEntry]:
    """The findings by claim id; an error takes the place of the finding if the check failed.
    Raises ValueError if this is no findings document."""
    findings = document.get("findings") if isinstance(document, Mapping) else None
    errors = document.get("errors", []) if isinstance(document, Mapping) else None
    if not isinstance(findings, list) or not isinstance(errors, list):
        raise ValueError(f"{name} has no list `findings`; give a findings.json, or a record of a release")
    failed = [{**item, "verdict": FAILED, "summary": item.get("error", "")} for item in errors if has_id(item)]
    found: dict[str, StoredEntry] = {}
    for place, item in enumerate([*findings, *failed]):
        if not is_entry(item):
            raise ValueError(f"{name}: findings[{place}] has no id or no verdict; give an unmodified findings.json")
        if item["id"] in found:
            raise ValueError(f"{name} has two findings for the claim {item['id']}; give an unmodified findings.json")
        found[item["id"]] = item
    return found


def has_id(item: object) -> TypeGuard[Mapping[str, object]]:
    """Whether an item of a document has an id, as the entries of claims and of failed checks have."""
    return isinstance(item, Mapping) and isinstance(item.get("id"), str)


def is_entry(item: object) -> TypeGuard[StoredEntry]:
    """Whether an item of a document is about a claim and has a verdict."""
    return has_id(item) and isinstance(item.get("verdict"), str)


def document_header(document: StoredDocument, found: Mapping[str, StoredEntry]) -> RunHeader:
    """Returns the version, profile and seed of a document's run, and how often each verdict occurs.
    found: its findings."""
    profile, seed = document.get("profile"), document.get("seed")
    return {
        "version": str(document.get("version", "?")),
        "profile": str(profile.get("name", "?")) if isinstance(profile, Mapping) else "?",
        "seed": seed if isinstance(seed, int) else None,
        "verdicts": dict(Counter(item["verdict"] for item in found.values())),
    }


def run_changes(old: StoredDocument, new: StoredDocument) -> list[str]:
    """The differences between the runs themselves in words, as far as both documents record them."""
    said = []
    one, two = old.get("profile"), new.get("profile")
    if isinstance(one, Mapping) and isinstance(two, Mapping):
        if one.get("name") != two.get("name"):
            said.append(f"the run's profile is {two.get('name')}, not {one.get('name')}")
        else:
            other = [name for name in one if name in two and one[name] != two[name]]
            said += [f"the profile sets {name} to {two[name]}, not {one[name]}" for name in other]
    for name in ("seed", "risk", "kernel"):
        if name in old and name in new and old[name] != new[name]:
            before, after = ("none" if each[name] is None else each[name] for each in (old, new))
            said.append(f"the run's {name} is {after}, not {before}")
    return said


def change_of_claim(
    name: str,
    before: StoredEntry | None,
    after: StoredEntry | None,
    settings: Sequence[str],
    verdicts: set[str],
) -> Change:
    """The change of a claim between two documents. before, after: its entries; None if a document does not have it.
    settings: the differences between the runs, in words. verdicts: the ids of all claims whose verdict changed."""
    if after is None:
        assert before is not None
        return Change(name, ("removed",), before["verdict"], "", {}, "it is not in the new document")
    if before is None:
        return Change(name, ("added",), "", after["verdict"], {}, in_one_line(str(after.get("note", ""))))
    old, new = stored_fields(before), stored_fields(after)
    different = {field for field in old.keys() & new.keys() if without_marks(old[field]) != without_marks(new[field])}
    kinds = sorted(kinds_of(before, after, different), key=list(CHANGE_KINDS).index)
    shown = [*FOUND, *CLAIM_FIELDS, *EXPECTATION_FIELDS, *EVIDENCE]
    fields: dict[str, tuple[object, object]] = {
        field: (old[field], new[field]) for field in shown if field in different
    }
    if "evidence" in fields:
        fields["evidence"] = evidence_in_words(before["evidence"]), evidence_in_words(after["evidence"])
    if "found" in fields:
        fields["found"] = found_in_words(before["found"]), found_in_words(after["found"])
    why = reasons(after, different, settings, verdicts)
    told = tuple(reason_kinds(before, after, different, settings, verdicts))
    verdict = before["verdict"], after["verdict"]
    return Change(name, tuple(kinds), *verdict, fields, "; ".join(why), told, tuple(settings))


def stored_fields(entry: StoredEntry) -> Mapping[str, object]:
    """All fields of an entry, also those that only one version of the schema has."""
    return entry


def without_marks(value: object) -> object:
    """Returns a text on one line and without backquotes; other values unchanged."""
    return in_one_line(value).replace("`", "") if isinstance(value, str) else value


def kinds_of(before: StoredEntry, after: StoredEntry, different: set[str]) -> Iterator[str]:
    """Yields the kinds of change between two entries of a claim, such as "verdict" or "wording", each at most once.
    different: the names of the fields that differ."""
    if "verdict" in different:
        yield "verdict"
    if different & set(FOUND):
        one, two = found_digest(before), found_digest(after)
        yield "number" if one and two and one != two else "wording"
    for kind, fields in (("claim", CLAIM_FIELDS), ("expectation", EXPECTATION_FIELDS), ("evidence", EVIDENCE)):
        if different & set(fields):
            yield kind


def found_in_words(found: object) -> str:
    """Returns the kind of a finding's data as text, such as "data about privacy"; "none" without data."""
    return f"data about {found.get('kind')}" if isinstance(found, Mapping) else "none"


def found_digest(entry: StoredEntry) -> str:
    """Returns a short hash of the data of an entry's finding; "" if there is no data."""
    if not entry.get("found"):
        return str(entry.get("found_digest", ""))
    return sha256(json.dumps(entry["found"], sort_keys=True).encode()).hexdigest()[:DIGEST_CHARACTERS]


def evidence_in_words(items: Iterable[object]) -> str:
    """Returns the number of items of evidence of each kind, in words."""
    kinds = Counter(str(item.get("kind")) for item in items if isinstance(item, Mapping))
    return ", ".join(f"{many} {kind}" for kind, many in kinds.items()) or "none"


def reason_kinds(
    before: StoredEntry, after: StoredEntry, different: set[str], settings: Sequence[str], verdicts: set[str]
) -> list[str]:
    """Returns the reasons for a change as words of REASONS, in their order.
    A document that does not say what a verdict rests on tells of a theorem only by its verdict."""
    rested = set(before["rests_on"]) if "rests_on" in before else None
    rests = set(after.get("rests_on", ()))
    had_theorem = before["verdict"] == Verdict.PROVED if rested is None else Basis.KERNEL in rested
    applies = {
        "theorem": Basis.KERNEL in rests and not had_theorem,
        "reading": bool(different & set(READING_FIELDS)),
        "statement": bool(different & set(STATEMENT_FIELDS)),
        "premises": any(each in verdicts for each in after.get("follows", ())),
        "method": rested is not None and rested != rests,
        "run": bool(settings),
    }
    return [reason for reason in REASONS if applies.get(reason)] or ["code"]


def reasons(after: StoredEntry, different: set[str], settings: Sequence[str], verdicts: set[str]) -> list[str]:
    """Returns the reasons for a change, as far as the two documents show them. after: the claim's new entry."""
    if (
        not different - set(EXPECTATION_FIELDS) - set(UNCOMPARED_FIELDS) - set(CLAIM_FIELDS)
        and "verdict" not in different
    ):
        fields = fields_in_order(different, CLAIM_FIELDS + EXPECTATION_FIELDS)
        return [f"the definition of the claim was changed: {', '.join(fields)}"]
    said = []
    if changed := fields_in_order(different, CLAIM_FIELDS):
        said.append(f"the claim was changed ({', '.join(changed)})")
    if premises := [each for each in after.get("follows", ()) if each in verdicts]:
        said.append(f"the claim follows from {', '.join(premises)}, whose verdict has changed")
    said += settings
    if not said:
        code = "your policy or mechanism, dpbandits" if after.get("own") else "the code that checks the claim"
        said.append(f"neither the claim nor the run was changed, but {code}, or a library, was")
    if "verdict" in different and "expect" in different and after.get("note"):
        said.append(f"note of the claim: {in_one_line(after['note'])}")
    return said


def fields_in_order(different: set[str], fields: Iterable[str]) -> list[str]:
    """Returns the fields that differ, in the order of `fields`."""
    return [field for field in fields if field in different]


# -- as text, as JSON, as Markdown ---------------------------------------------------------------------------------


def changes_as_json(found: Changes) -> dict[str, object]:
    """The changes as the JSON that `dpbandits diff --json` prints."""
    changes = [
        each._asdict() | {"fields": {name: {"before": one, "after": two} for name, (one, two) in each.fields.items()}}
        for each in found.changes
    ]
    return {"old": dict(found.old), "new": dict(found.new), "changes": changes}


def as_text(found: Changes) -> str:
    """A line for each changed claim, followed by the reasons and by each field before and after."""
    lines = [f"{run_in_words(found.old)} -> {run_in_words(found.new)}"]
    for each in found.changes:
        lines.append(f"{', '.join(each.kinds)}  {each.id}: {verdict_in_words(each)}")
        lines += [f"    why: {each.why}"] if each.why else []
        for name, (before, after) in each.fields.items():
            lines += [f"    {name}", f"    - {value_as_text(before)}", f"    + {value_as_text(after)}"]
    counts = Counter(each.kinds[0] for each in found.changes)
    summed = ", ".join(f"{counts[kind]} {kind}" for kind in CHANGE_KINDS if counts[kind])
    lines.append(f"claims that changed: {len(found.changes)} ({summed})" if found.changes else "no change")
    return "\n".join(lines)


def run_in_words(run: RunHeader) -> str:
    """A run in words: its version, number of claims, profile and seed."""
    many = sum(run["verdicts"].values())
    return f"{run['version']} ({many} {'claim' if many == 1 else 'claims'}, {run['profile']}, seed {run['seed']})"


def verdict_in_words(each: Change) -> str:
    """The verdict before and after a change, such as "PROVED -> REFUTED"; a single verdict if both are equal."""
    return " -> ".join(verdict for verdict in dict.fromkeys((each.before, each.after)) if verdict)


def value_as_text(value: object) -> str:
    """The value as text; the parts of a list are separated by commas."""
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def as_markdown(found: Changes) -> str:
    """Returns the changes of verdicts and claims as a part of a changelog in Markdown.
    The verdicts come first, then a list for each kind of change."""
    before, after = found.old["verdicts"], found.new["verdicts"]
    lines = [f"| verdict | {found.old['version']} | {found.new['version']} |", "|---|---:|---:|"]
    lines += [f"| {name} | {before.get(name, 0)} | {after.get(name, 0)} |" for name in sorted({*before, *after})]
    lines.append(f"| all claims | {sum(before.values())} | {sum(after.values())} |")
    for kind, title in CHANGE_KINDS.items():
        of_kind = [each for each in found.changes if each.kinds[0] == kind]
        lines += ["", f"### {title}", ""] if of_kind else []
        for each in of_kind:
            told = [verdict_in_words(each)]
            if "summary" in each.fields:
                before_words, after_words = (escaped(str(text)) for text in each.fields["summary"])
                told.append(f'"{after_words}", formerly "{before_words}"')
            lines.append(f"- `{each.id}`: {'; '.join([*told, *filter(None, [escaped(each.why)])])}.")
    return "\n".join(lines)


def escaped(text: str) -> str:
    """Returns the text on one line, with Markdown's special characters escaped."""
    return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", text.replace("\n", " "))


# -- from release to release ------------------------------------------------------------------------------------------


RECORDS = Path(dpbandits.__file__).with_name("shipped") / "records"  # a file a release


def release_records(folder: Path = RECORDS) -> list[tuple[str, StoredDocument]]:
    """Reads the stored findings of every release; returns pairs ("release", record), the oldest first."""
    paths = sorted(folder.glob("*.json"), key=lambda path: [int(part) for part in path.stem.split(".")])
    return [("release", json.loads(path.read_text(encoding="utf-8"))) for path in paths]


def histories(documents: Sequence[tuple[str, StoredDocument]]) -> dict[str, tuple[StageRecord, ...]]:
    """The history of every claim: its stages in the documents that contain it, in order.

    documents: (name, findings document or record). A document without a claim does not end its history, because the
    claim may have been checked elsewhere. Raises ValueError, with its name, if one is no findings document.
    """
    found: dict[str, tuple[StageRecord, ...]] = {}
    latest: dict[str, tuple[StoredEntry, StoredDocument]] = {}  # the last entry of a claim, and its document
    for name, document in documents:
        entries = by_claim(document, name)
        others = {
            claim for claim, (before, _) in latest.items() if entries.get(claim, before)["verdict"] != before["verdict"]
        }
        run = document_header(document, entries)
        for claim, entry in entries.items():
            before, earlier = latest.get(claim, (entry, document))
            settings = [] if earlier is document else run_changes(earlier, document)
            became = change_of_claim(claim, before, entry, settings, others)
            stage: StageRecord = {
                "source": name,
                "version": run["version"],
                "profile": run["profile"],
                "seed": run["seed"],
                "verdict": entry["verdict"],
                "summary": str(entry.get("summary", "")),
                "kinds": became.kinds,
                "why": became.why if became.kinds else "",
                "reasons": became.reasons if became.kinds else (),
                "settings": became.settings if became.kinds else (),
            }
            found[claim] = (*found.get(claim, ()), stage)
            latest[claim] = entry, document
    return found


def with_histories(document: Document) -> Document:
    """The document with a field `history` in every finding: the stages of its claim in all releases and in this run."""
    known = histories([*release_records(), ("this run", document)])
    findings: list[Entry] = [{**finding, "history": known[finding["id"]]} for finding in document["findings"]]
    return {**document, "findings": findings}
