"""A page for each theorem of Rocq that carries a claim: what it says, with all definitions that it depends on, the
lemma that its hypotheses can hold together, and its axioms.

The pages are kept in `extensions/rocq/statements`. `make statements` writes them again, after a change of a
statement or of a definition that is meant: read the difference before you commit it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from textwrap import fill

from dpbandits.audit.claims.proofs import theorem_of
from dpbandits.extensions.rocq.carrying import witnessed
from dpbandits.extensions.rocq.compiled_files import path_in_library
from dpbandits.extensions.rocq.coqc import required_compiler
from dpbandits.extensions.rocq.kept_statements import KEPT
from dpbandits.extensions.rocq.kernel import own_axioms
from dpbandits.extensions.rocq.statement_texts import statement_text
from dpbandits.proofs_checks.formulas.theorems import Checked, Theorem
from dpbandits.reference.claims.ledger import ledger

PRINTED, READ = "As Coq prints it:", "In the files, with all definitions of ours that it depends on:"
WITNESS, AXIOMS = "Its hypotheses can hold together:", "Axioms below it:"
COLUMNS = 110
UPDATE = "If the change is meant, run `make statements` (it needs coqc), read the difference, and commit it"


def theorems_by_page() -> Mapping[str, tuple[Theorem, list[str]]]:
    """The theorems that carry claims, each with the ids of these, by the names of their pages."""
    found: dict[str, tuple[Theorem, list[str]]] = {}
    for claim in ledger().claims:
        theorem = theorem_of(claim)
        if theorem is not None:
            file = path_in_library(theorem.source())
            page = f"{file.parent}/{file.stem}.{theorem.name}.txt"
            found.setdefault(page, (theorem, []))[1].append(claim.id)
    return found


def read_part(theorem: Theorem, claims: list[str]) -> str:
    """What a page says that is read from the files: which theorem, of which claims, and its statement."""
    head = f"Theorem {theorem.name}, {theorem.place}\nIt carries {', '.join(claims)}."
    return f"{head}\n\n{READ}\n\n{statement_text(theorem.source(), theorem.name)}"


def printed_part(accepted: Checked, own: Sequence[str]) -> str:
    """What a page says that Coq has printed: the statement, its witness, and the theorem's own axioms below it."""
    axioms = "\n".join(f"  {name}" for name in sorted(own)) or "  none"
    statement, witness = filled(accepted.statement), filled(accepted.witness)
    return f"{PRINTED}\n\n{statement}\n\n{WITNESS}\n\n{witness}\n\n{AXIOMS}\n{axioms}\n"


def filled(statement: str) -> str:
    return fill(statement, COLUMNS, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def kept_parts(page: str) -> tuple[str, str]:
    """The two parts of a page as they are kept; empty where there is no such page."""
    file = KEPT / page
    read, mark, printed = (file.read_text(encoding="utf-8") if file.exists() else "").partition(f"\n{PRINTED}")
    return read, f"{PRINTED}{printed}" if mark else ""


def kept_axioms(page: str) -> list[str]:
    """The theorem's own axioms, as they are kept."""
    _, _, names = kept_parts(page)[1].partition(f"{AXIOMS}\n")
    return [name.strip() for name in names.splitlines() if name.strip() != "none"]


def main() -> None:
    required_compiler()
    pages = theorems_by_page()
    for page, (theorem, claims) in pages.items():  # axioms are asked of each theorem alone: minutes in all
        print(page, file=sys.stderr)
        printed = printed_part(witnessed(theorem), own_axioms(theorem.source(), theorem.name))
        text = f"{read_part(theorem, claims)}\n{printed}"
        (KEPT / page).parent.mkdir(parents=True, exist_ok=True)
        (KEPT / page).write_text(text, encoding="utf-8")
    for file in KEPT.rglob("*.txt"):
        if str(file.relative_to(KEPT)) not in pages:
            file.unlink()


if __name__ == "__main__":
    main()
