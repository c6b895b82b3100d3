"""The types of a findings document have the fields of its schema, with the same types; and mypy reports a misspelt
field."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from dpbandits.reference.claims import records
from dpbandits.reference.curves.curve import FormulaPart, StatementPart, WordsPart
from dpbandits.reports.document import schema

JSON_TYPES = {str: {"string"}, int: {"integer"}, float: {"number"}, bool: {"boolean"}, NoneType: {"null"}}
# Types whose definition in the schema has a name of its own; all others are reached through the fields.
KINDS = {
    "text": records.TextItem,
    "table": records.Table,
    "matrix": records.Matrix,
    "lines": records.Lines,
    "tradeoff": records.Tradeoff,
    "profile": records.PrivacyProfile,
    "regret": records.Regret,
    "certificate": records.CertificateItem,
}
ELSEWHERE = {"found", "ranges", "needs", "certificate"}  # data that `codec` or a checker reads by its own types


def hints_of(record: type) -> dict[str, Any]:
    return get_type_hints(record, localns={"StatementPart": StatementPart}, include_extras=True)


def resolved(part: Any) -> Any:
    """The part of the schema behind a reference."""
    return schema()["$defs"][part["$ref"].rpartition("/")[2]] if "$ref" in part else part


def json_types(part: Mapping[str, Any]) -> set[str]:
    """The JSON types that a part of the schema admits."""
    if "const" in part or "enum" in part:
        every = part.get("enum", [part.get("const")])
        return {"integer" if isinstance(each, int) else "string" for each in every}
    types = part.get("type", [])
    return {types} if isinstance(types, str) else set(types)


def disagreements(hint: Any, part: Any, place: str) -> list[str]:
    """The places at which a type and a part of the schema differ."""
    part, origin, inner = resolved(part), get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return disagreements(inner[0], part, place)
    if is_typeddict(hint):
        return differing_fields(hint, part, place)
    if origin is Literal:
        return [] if set(inner) <= {*part.get("enum", ()), part.get("const")} else [f"{place}: {inner}"]
    if origin in (Union, UnionType):
        if all(map(is_typeddict, inner)):
            return []  # evidence and parts of a statement, kind by kind
        rest = [each for each in inner if each is not NoneType]
        if len(rest) == 1 and NoneType in inner and "null" in json_types(part):
            return disagreements(rest[0], {**part, "type": sorted(json_types(part) - {"null"})}, place)
        wanted = set[str]().union(*(JSON_TYPES[each] for each in inner))
        # True and False are numbers in Python, and int is a float
        return [] if wanted <= json_types(part) <= {*wanted, "boolean"} else [f"{place}: {wanted}, {json_types(part)}"]
    if origin is Sequence:
        if json_types(part) != {"array"}:
            return [f"{place}: a list, {json_types(part)}"]
        return disagreements(inner[0], part["items"], f"{place}[]")
    if origin is Mapping:
        return disagreements(inner[1], part["additionalProperties"], f"{place}{{}}")
    return [] if json_types(part) == JSON_TYPES[hint] else [f"{place}: {hint}, {json_types(part)}"]


def differing_fields(record: type, part: Mapping[str, Any], place: str) -> list[str]:
    hints, properties = hints_of(record), part["properties"]
    found = [f"{place}.{name}: only one has it" for name in hints.keys() ^ properties.keys()]
    optional: frozenset[str] = record.__optional_keys__  # type: ignore[attr-defined]
    required = {name for name, hint in hints.items() if name not in optional and get_origin(hint) is not NotRequired}
    found += [f"{place}.{name}: required in one" for name in (required ^ {*part["required"]}) - {"kind"}]
    for name in sorted(hints.keys() & properties.keys() - ELSEWHERE):
        if properties[name] is not True:  # the kind of evidence, which the schema states once for all kinds
            found += disagreements(hints[name], properties[name], f"{place}.{name}")
    return found


def test_the_document_has_the_fields_of_the_schema() -> None:
    assert disagreements(records.Document, schema(), "document") == []


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_evidence_has_the_fields_of_the_schema(kind: str) -> None:
    assert disagreements(KINDS[kind], schema()["$defs"][kind], kind) == []
    assert get_args(hints_of(KINDS[kind])["kind"]) == (kind,)


def test_every_kind_of_evidence_and_of_parts_has_a_type() -> None:
    assert set(get_args(records.Item)) == {*KINDS.values()}
    assert [KINDS[kind] for kind in records.PICTURED_KINDS] == [*get_args(records.PicturedItem)]
    assert {*KINDS} == {*schema()["$defs"]["evidence"]["properties"]["kind"]["enum"]}
    for record, part in zip((WordsPart, FormulaPart), schema()["$defs"]["part"]["oneOf"], strict=True):
        assert disagreements(record, {**part, "required": [*part["required"], "kind"]}, record.__name__) == []


@pytest.mark.parametrize(
    ("record", "field", "changed"),
    [
        (records.TestErrors, "alpha", {"type": "string"}),
        (records.TestErrors, "alpha", None),
        (records.Lines, "log_x", {"type": "string"}),
        (records.SeriesRecord, "points", {"type": "array", "items": {"type": "number"}}),
    ],
)
def test_a_difference_would_be_found(record: Any, field: str, changed: Any) -> None:
    """The comparison sees a field of another type, and one that is missing."""
    part: dict[str, Any] = {
        records.TestErrors: schema()["$defs"]["tradeoff"]["properties"]["points"]["items"],
        records.Lines: schema()["$defs"]["lines"],
        records.SeriesRecord: schema()["$defs"]["lines"]["properties"]["series"]["items"],
    }[record]
    assert disagreements(record, part, "") == []
    others = {name: each for name, each in part["properties"].items() if name != field}
    made = {**part, "properties": others | ({} if changed is None else {field: changed})}
    assert disagreements(record, made, "")


@pytest.mark.thorough
def test_a_misspelt_field_is_a_type_error(tmp_path: Path) -> None:
    """mypy reports fields that do not exist, and accepts those that do."""
    pytest.importorskip("mypy")
    lines = (
        "from dpbandits.reference.claims.records import Entry, Item",
        "def right(entry: Entry, item: Item) -> str:",
        "    return entry['summary'] + (item['title'] if item['kind'] == 'lines' else '')",
        "def wrong(entry: Entry, item: Item) -> object:",
        "    return entry['sumary'], entry.get('histroy'), item['cells'] if item['kind'] == 'table' else ''",
    )
    (tmp_path / "reader.py").write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(tmp_path / "reader.py")]
    told = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    errors = [line for line in told.stdout.splitlines() if ": error: " in line]
    assert [line.partition("reader.py:")[2][0] for line in errors] == ["5"] * len(errors), told.stdout
    assert all(any(f'"{name}"' in line for line in errors) for name in ("sumary", "cells")), told.stdout
