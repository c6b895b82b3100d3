"""What the core asks about theorems that carry claims: whether they can be asked about, and what the kernel says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dpbandits.extensions.rocq.compiled_files import libraries_of
from dpbandits.extensions.rocq.coqc import compiler, demand_libraries, version
from dpbandits.extensions.rocq.kernel import ALLOWED_LIBRARIES, Answers, checked
from dpbandits.proofs_checks.formulas.theorems import Checked, Theorem
from dpbandits.reference.claims.findings import table_item


def demand_kernel(theorems: Iterable[Theorem]) -> None:
    """Raises NotInstalled where coqc is missing, or a library that one of these theorems needs."""
    demand_libraries({name for theorem in theorems for name in libraries_of(theorem.source())})


def evidence_of(theorem: Theorem) -> tuple[Mapping[str, Any], ...]:
    """The evidence of a finding that the theorem carries, once the kernel has accepted it. Raises KernelError."""
    return shown(theorem, checked(theorem.source(), theorem.name))


def shown(theorem: Theorem, accepted: Checked) -> tuple[Mapping[str, Any], ...]:
    rows = [
        ["file", theorem.place],
        ["theorem", theorem.name],
        ["axioms", named_axioms(accepted)],
        ["checked by", f"coqc {accepted.version}"],
        ["how it is the statement", theorem.says],
    ]
    table = table_item("Checked by Rocq's kernel", ["what", "which"], rows)
    return table, {"kind": "text", "text": f"As Coq prints it: {accepted.statement}"}


def named_axioms(accepted: Checked | Answers) -> str:
    """The axioms of real numbers one by one, those of Coq's integers by their number."""
    integers = [name for name in accepted.axioms if name.startswith(ALLOWED_LIBRARIES)]
    named = [name for name in accepted.axioms if name not in integers]
    counted = [f"{len(integers)} of Coq's 63-bit integers"] if integers else []
    return ", ".join([*named, *counted]) or "none"


def program() -> str | None:
    """What is asked, such as "coqc 8.16.1"; None where it is not installed."""
    return None if compiler() is None else f"coqc {version()}"
