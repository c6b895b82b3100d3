"""Validates a findings document before anything is drawn: an error names the finding, the field and a remedy."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from dpbandits.reference.claims.records import Document

FINDINGS_SCHEMA = Path(__file__).with_name("findings.schema.json")
MAX_WHOLE_NUMBER = 10**300  # of whole numbers: larger ones are no doubles, and nothing can be drawn of them
# No page can hold these; the last ones would turn around what stands behind them, in words that are ours.
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]")
MAX_SHOWN_FAULTS = 8  # an error message lists at most this many faults

DocumentPath = tuple[str | int, ...]


def validate_document(document: object) -> Document:
    """The findings document as plain JSON data. Raises ValueError with a list of faults and their places.

    Beyond the schema: every number is finite, ids are unique, rows are as long as their headings, matrices have a cell
    for each name and column, and bands are as long as their curves.
    """
    try:
        problems = [
            f"{place_name(document, place)}: {value} is not a JSON number; write null for what has no finite value"
            for place, value in non_finite_numbers(document, ())
        ]
        raise_problems(problems)
        # Sorted: the page must not depend on whether it is made from the file or from memory.
        text = json.dumps(document, sort_keys=True)
        plain: Document = visible(json.loads(text))
    except TypeError as error:
        raise ValueError(
            f"findings is not JSON data ({error}); convert it to lists, dicts, strings and numbers"
        ) from None
    except RecursionError:
        raise ValueError("findings is nested too deeply for a report") from None
    require_present_schema(plain)
    raise_problems(faults(text))
    return plain


def require_present_schema(document: object) -> None:
    """Raises ValueError, with a remedy, if the findings were written for another version of the schema.
    A list of faults would not help then."""
    present = schema()["properties"]["schema"]["const"]
    fields = document if isinstance(document, dict) else {}
    written = fields.get("schema")
    if isinstance(written, int) and written != present:
        raise ValueError(
            f"findings: their schema is {written}, and this version of dpbandits reads {present}; repeat the audit, "
            "for example `dpbandits audit --out dpbandits-report`, or use the version that wrote them "
            f"({fields.get('version', 'unknown')})"
        )


@lru_cache(maxsize=1)
def faults(text: str) -> tuple[str, ...]:
    """Returns the faults of a document, given as JSON.
    Cached, because a command that writes a report has just checked which findings the report can show, and checking a
    large document takes seconds."""
    plain = visible(json.loads(text))
    return tuple(by_schema(plain)) or tuple(faults_beyond_schema(plain))


def raise_problems(problems: Sequence[str], title: str = "findings") -> None:
    """Raises ValueError with a list of the problems, if there are any. title: the beginning of the message."""
    if problems:
        more = [f"and {len(problems) - MAX_SHOWN_FAULTS} more"] if len(problems) > MAX_SHOWN_FAULTS else []
        raise ValueError(f"{title}: " + "\n  ".join([*problems[:MAX_SHOWN_FAULTS], *more]))


def non_finite_numbers(node: object, place: DocumentPath) -> Iterator[tuple[DocumentPath, float]]:
    """Yields each number in the data that JSON cannot represent (infinities and nan), with its place."""
    if (isinstance(node, float) and not math.isfinite(node)) or (
        isinstance(node, int) and abs(node) > MAX_WHOLE_NUMBER
    ):
        yield place, node if isinstance(node, float) else math.inf
    elif isinstance(node, dict):
        for key, value in node.items():
            yield from non_finite_numbers(value, (*place, key))
    elif isinstance(node, list | tuple):
        for index, value in enumerate(node):
            yield from non_finite_numbers(value, (*place, index))


def visible(node: Any) -> Any:
    """Returns the data with every character escaped that an HTML page cannot contain."""
    if isinstance(node, str):
        return UNSEEN.sub(lambda found: f"\\x{ord(found[0]):02x}", node)
    if isinstance(node, dict):
        return {visible(key): visible(value) for key, value in node.items()}
    return [visible(part) for part in node] if isinstance(node, list) else node


@cache
def schema(file: Path = FINDINGS_SCHEMA) -> dict[str, Any]:
    """Reads the JSON schema in this file, by default that of findings."""
    return json.loads(file.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def by_schema(document: object, against: Mapping[str, object] | None = None) -> Iterator[str]:
    """Yields the places where a document violates a JSON schema, as messages.
    against: by default the schema of findings."""
    faults = Draft202012Validator(against or schema()).iter_errors(document)
    for fault in sorted(faults, key=lambda fault: [str(step) for step in fault.absolute_path]):
        text = fault.message if len(fault.message) <= 300 else fault.message[:300] + " …"
        meaning = fault.schema.get("description") if isinstance(fault.schema, dict) else None
        yield f"{place_name(document, tuple(fault.absolute_path))}: {text}" + (
            f" (this is: {meaning})" if meaning else ""
        )


def faults_beyond_schema(document: Document) -> Iterator[str]:
    """Yields messages about faults that a JSON schema cannot express, such as ids that are not unique."""
    ids = Counter(finding["id"] for finding in document["findings"])
    for name, times in ids.items():
        if times > 1:
            yield f"finding {name!r} appears {times} times; every id may appear once"
    for i, finding in enumerate(document["findings"]):
        for j, item in enumerate(finding["evidence"]):
            place: DocumentPath = ("findings", i, "evidence", j)
            if item["kind"] == "table":
                for k, row in enumerate(item["rows"]):
                    if len(row) != len(item["columns"]):
                        yield (
                            f"{place_name(document, (*place, 'rows', k))}: {len(row)} cells, "
                            f"expected one for each of the {len(item['columns'])} columns"
                        )
            if item["kind"] == "matrix":
                rows, wide = item["cells"], len(item["columns"])
                if len(rows) != len(item["names"]) or any(len(row) != wide for row in rows):
                    yield (
                        f"{place_name(document, (*place, 'cells'))}: expected a row for each of the "
                        f"{len(item['names'])} "
                        f"names, with a cell for each of the {wide} columns"
                    )
            if item["kind"] == "lines":
                for k, series in enumerate(item["series"]):
                    for end in ("low", "high"):
                        if end in series and len(series[end]) != len(series["points"]):
                            yield (
                                f"{place_name(document, (*place, 'series', k, end))}: {len(series[end])} values, "
                                f"expected one for each of the {len(series['points'])} points"
                            )


def place_name(document: Any, place: DocumentPath) -> str:
    """Returns the name of a place in a document, such as "findings[3] (ou24/lemma-2), evidence[0].points[7][1]"."""
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).lstrip(".")
    if len(place) < 2 or place[0] != "findings":
        return steps or "the document"
    try:
        name = document["findings"][place[1]]["id"]
    except (KeyError, IndexError, TypeError):
        return steps
    head = f"findings[{place[1]}]"
    rest = steps.removeprefix(head).lstrip(".")
    return f"{head} ({name})" + (f", {rest}" if rest else "")
