"""The entry point of the checker: verifies a certificate of any type and reports the result."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import jsonschema

from .alignment import check_alignment
from .finite import check_finite
from .formula import check_formula
from .merged_alignment import check_merged_alignment
from .noisy_maximum import check_step
from .releases import check_release
from .untrusted import SIZE, Fields, Rejected, limited_effort, require_moderate_size

EFFORT = 250_000  # of one certificate, in units of some five microseconds
ALIGNMENT_EFFORT = 2_000_000  # of a decision tree, which the size of a certificate limits to a few thousand paths
STATES_SIZE = 1_000_000  # characters and items of a graph of merged states: ten thousand ways of steps, say


class Verification(NamedTuple):
    """The result of the checker. ok: the certificate is valid. lines: the recomputed values, or the faults."""

    ok: bool
    lines: tuple[str, ...]


class Kind(NamedTuple):
    """A kind of certificate. check: recomputes it; returns lines for the reader, raises Rejected. effort: the largest
    cost of checking one, in units of some five microseconds. schema: for a kind that is not in certificate.schema.json,
    the JSON file whose `$defs` contain the fields of the kind, under its name. size: the largest number of characters
    and items."""

    check: Callable[[Fields], list[str]]
    effort: int = EFFORT
    schema: Path | None = None
    size: int = SIZE


KINDS = {
    "formula": Kind(check_formula),
    "step": Kind(check_step),
    "release": Kind(check_release),
    "alignment": Kind(check_alignment, ALIGNMENT_EFFORT),
    "finite": Kind(check_finite, ALIGNMENT_EFFORT),
    "alignment-states": Kind(check_merged_alignment, ALIGNMENT_EFFORT, size=STATES_SIZE),
}


def verify(certificate: Any, more: Mapping[str, Kind] = MappingProxyType({})) -> Verification:
    """Checks a certificate.
    Returns whether it is valid, and lines of printable text that report the result or the fault. Never raises for an
    invalid certificate. more: further kinds besides KINDS, by name."""
    try:
        require_schema(certificate, more)
        kind = {**more, **KINDS}[certificate["type"]]
        with limited_effort(kind.effort):
            return Verification(True, tuple(kind.check(certificate)))
    except Rejected as wrong:
        return Verification(False, (str(wrong),))
    except Exception as error:  # nothing has been shown, so it is rejected; that it was our fault is said
        return Verification(False, (f"the checker failed at it ({type(error).__name__}: {str(error)[:200]!a})",))


def require_schema(certificate: Any, more: Mapping[str, Kind] = MappingProxyType({})) -> None:
    """Raises Rejected unless the certificate has moderate size and satisfies the schema. more: further kinds."""
    kind = certificate.get("type") if isinstance(certificate, dict) else None
    known = {**more, **KINDS}.get(kind) if isinstance(kind, str) else None
    require_moderate_size(certificate, SIZE if known is None else known.size)
    files = tuple((name, kind.schema) for name, kind in more.items() if kind.schema is not None)
    error = jsonschema.exceptions.best_match(islice(schema_validator(files).iter_errors(certificate), 50))
    if error is not None:
        place = "/".join(map(str, error.absolute_path)) or "the certificate"
        raise Rejected(f"schema: {place}: {error.message[:300]}")


@lru_cache(maxsize=4)
def schema_validator(more: tuple[tuple[str, Path], ...] = ()) -> Any:
    """The JSON schema validator for certificates. more: further kinds, each with the file that defines its fields."""
    whole = json.loads(Path(__file__).with_name("certificate.schema.json").read_text(encoding="utf-8"))
    for name, file in more:
        fields = json.loads(file.read_text(encoding="utf-8"))["$defs"]
        whole["properties"]["type"]["enum"].append(name)
        is_this = {"properties": {"type": {"const": name}}}
        whole["allOf"].append({"if": is_this, "then": {"$ref": f"#/$defs/{name}"}})
        whole["$defs"] = {**fields, **whole["$defs"]}
    return jsonschema.Draft202012Validator(whole)
