"""Answers two questions about Rocq theorems that prove claims: is coqc available, and does Rocq's kernel accept the
theorem?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpbandits.extensions.rocq.compiled_files import demand_libraries, libraries_of, workshop
from dpbandits.extensions.rocq.coqc import NotAccepted, compiler, version
from dpbandits.extensions.rocq.kernel import ALLOWED_LIBRARIES, checked, witness_of
from dpbandits.extensions.rocq.ledger_theorems import translated, write_ledger_theorem
from dpbandits.proofs_checks.formulas.theorems import Checked, Theorem
from dpbandits.reference.claims.findings import table_item
from dpbandits.reference.claims.model import Claim
from dpbandits.reference.claims.records import text_item

AXIOMS_TOGETHER = "axioms, of all theorems and witnesses in its file"
WRITTEN = "written from the ledger's formula, domain and preconditions; the theorem named above proves it"
LEDGER_THEOREM = "from_the_ledger"


def demand_kernel(theorems: Iterable[Theorem]) -> None:
    """Raises NotInstalled if coqc is missing, or a library that one of these theorems needs."""
    demand_libraries({name for theorem in theorems for name in libraries_of(theorem.source())})


def evidence_of(theorem: Theorem, claim: Claim) -> tuple[Mapping[str, Any], ...]:
    """Returns the evidence that Rocq's kernel accepts the theorem, which proves the claim. Raises KernelError."""
    return evidence_items(theorem, check_theorem_of_claim(theorem, claim))


def check_theorem_of_claim(theorem: Theorem, claim: Claim) -> Checked:
    """Lets the kernel check the theorem that proves a claim, and that its hypotheses are satisfiable.
    If the claim is a formula with a translation, another theorem is written from the claim and is proved by the page's
    theorem; that one is returned. Raises KernelError."""
    own, written = witnessed(theorem), from_the_ledger(claim, theorem)
    return own if written is None else checked(written, LEDGER_THEOREM)._replace(witness=own.witness)


def witnessed(theorem: Theorem) -> Checked:
    """Lets the kernel check a page's theorem, and returns its checked statement.
    Raises KernelError, also if no lemma shows that its hypotheses are satisfiable, because a theorem with contradictory
    hypotheses says nothing."""
    accepted, name = checked(theorem.source(), theorem.name), witness_of(theorem.name)
    if not accepted.witness:
        raise NotAccepted(
            f"{theorem.place}: there is no proof that the hypotheses of {theorem.name} can hold together. "
            f"Below the theorem, prove `Lemma {name} : satisfiable {theorem.name}.` (with From Dpbandits "
            "Require Import satisfiable)"
        )
    return accepted


def from_the_ledger(claim: Claim, theorem: Theorem) -> Path | None:
    """Writes the theorem that states a claim's own formula, and returns its file.
    None if the claim has no translation."""
    return write_ledger_theorem(claim, theorem.source(), theorem.name, written_proofs()) if translated(claim) else None


def written_proofs() -> Path:
    """Creates and returns the folder for theorems that are written for one question."""
    folder = workshop() / "sources" / "written"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def evidence_items(theorem: Theorem, accepted: Checked) -> tuple[Mapping[str, Any], ...]:
    """Returns tables and texts which show, as evidence of a finding, that the kernel checked a theorem.
    A table with the axioms of its file, its statement as Coq prints it, and the lemma that its hypotheses are
    satisfiable."""
    rows = [
        ["file", theorem.place],
        ["theorem", theorem.name],
        *([["statement", WRITTEN]] if accepted.statement.startswith(LEDGER_THEOREM) else []),
        [AXIOMS_TOGETHER, named_axioms(accepted.axioms)],
        ["checked by", f"coqc {accepted.version}"],
        ["how it is the statement", theorem.says],
    ]
    table = table_item("Checked by Rocq's kernel", ["what", "which"], rows)
    statement = text_item(f"As Coq prints it: {accepted.statement}")
    return table, statement, text_item(f"Its hypotheses can hold together: {accepted.witness}")


def named_axioms(axioms: Sequence[str]) -> str:
    """The full names of axioms as one text; axioms of Coq's integers are only counted.
    Axioms of real numbers by name, axioms of Coq's integers only by their number."""
    integers = [name for name in axioms if name.startswith(ALLOWED_LIBRARIES)]
    named = [name for name in axioms if name not in integers]
    counted = [f"{len(integers)} of Coq's 63-bit integers"] if integers else []
    return ", ".join([*named, *counted]) or "none"


def program() -> str | None:
    """The name and version of the compiler, such as "coqc 8.16.1"; None if it is not installed."""
    return None if compiler() is None else f"coqc {version()}"
