"""Arguments in words that a kernel has taken over: where coqc is at hand, a theorem carries the claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proof
from dpbandits.proofs_checks.rocq.kernel import Checked, checked, logical
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established


def machine_checked(module: str, theorem: str, says: str) -> Callable[[Proof], Proof]:
    """A decorator of an argued proof: a theorem in the file of the same name that ends in .v carries what the words
    carry.

    module: __file__ of the proof. theorem: its name there. says: how the theorem is the claim, for readers.

    Where coqc is not installed, or the argument shows nothing, the finding stays what it is. Otherwise the kernel is
    asked: the finding is PROVED, rests on the kernel instead of on words, and shows the theorem as Coq prints it, with
    its axioms. Raises NotAccepted where the kernel refuses: the file is broken then, and no verdict is given.
    """

    file = Path(module).with_suffix(".v")

    def decorate(proof: Proof) -> Proof:
        @wraps(proof)
        def proved(claim: Claim, effort: Effort, seed: int) -> Finding:
            found = proof(claim, effort, seed)
            accepted = checked(file, theorem) if found.verdict is Verdict.ARGUED else None
            if accepted is None:
                return found
            bases = [Basis.KERNEL, *(basis for basis in found.rests_on if basis is not Basis.WORDS)]
            evidence = (*shown(file, theorem, says, accepted), *found.evidence)
            carried = established(claim.id, found.summary, evidence, *bases)
            return replace(found, verdict=carried.verdict, evidence=evidence, rests_on=carried.rests_on)

        return proved

    return decorate


def shown(file: Path, theorem: str, says: str, accepted: Checked) -> tuple[Mapping[str, Any], ...]:
    axioms = ", ".join(accepted.axioms) or "none"
    rows = [
        ["file", f"proofs_checks/papers/{logical(file)}"],
        ["theorem", theorem],
        ["axioms", axioms],
        ["checked by", f"coqc {accepted.version}"],
        ["how it is the statement", says],
    ]
    table = {"kind": "table", "title": "Checked by Rocq's kernel", "columns": ["what", "which"], "rows": rows}
    return table, {"kind": "text", "text": f"As Coq prints it: {accepted.statement}"}
