"""The JSON Schema of what findings hold, made from the types of its fields.

python tests/schema_of_found.py    writes it into reports/findings.schema.json
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from dpbandits.reference.claims.codec import hints
from dpbandits.reference.claims.findings import Found, Needs, VariableRange

SCHEMA = Path(__file__).parents[1] / "reports" / "findings.schema.json"
PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def schema_of(wanted: Any, defined: dict[str, Any]) -> dict[str, Any]:
    """The schema of a type; those of dataclasses by reference, into `defined`."""
    origin, inner = get_origin(wanted), get_args(wanted)
    if origin in (Union, UnionType):
        return {"anyOf": [schema_of(each, defined) for each in inner]}
    if origin is tuple:
        return {"type": "array", "items": schema_of(inner[0], defined)}
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        return {"enum": [each.value for each in wanted]}
    if wanted is object:
        return {}
    if not (isinstance(wanted, type) and is_dataclass(wanted)):
        return {"type": PLAIN[wanted]}
    if wanted.__name__ not in defined:
        defined[wanted.__name__] = {}  # of a type within itself
        properties = {name: schema_of(hint, defined) for name, hint in hints(wanted).items()}
        for each in fields(wanted):
            if each.name == "kind":
                properties["kind"] = {"const": each.default}
        defined[wanted.__name__] = {
            "description": " ".join((wanted.__doc__ or "").split()),
            "type": "object",
            "required": list(properties),
            "additionalProperties": False,
            "properties": properties,
        }
    return {"$ref": f"#/$defs/{wanted.__name__}"}


def definitions() -> dict[str, Any]:
    """The schemas of all types that a finding may hold, by their names, and "found": one of them, or nothing."""
    defined: dict[str, Any] = {}
    found = schema_of(Found | None, defined)
    schema_of(VariableRange, defined)
    schema_of(Needs, defined)
    return defined | {
        "found": {"description": "the result of the check as data; null if the result is text only", **found}
    }


def write() -> None:
    made = [f"    {json.dumps(name)}: {json.dumps(each)}" for name, each in definitions().items()]
    *lines, end, last = SCHEMA.read_text(encoding="utf-8").rstrip().splitlines()
    kept = [line for line in lines if not any(line.startswith(each.partition(": ")[0]) for each in made)]
    kept[-1] = kept[-1].rstrip(",")
    SCHEMA.write_text("\n".join([*kept[:-1], f"{kept[-1]},", ",\n".join(made), end, last, ""]), encoding="utf-8")


if __name__ == "__main__":
    write()
