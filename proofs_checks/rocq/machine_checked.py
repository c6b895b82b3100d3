"""Arguments in words that a kernel has taken over: where coqc is at hand, a theorem carries the claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, wraps
from pathlib import Path
from typing import Any

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proof
from dpbandits.proofs_checks.rocq.game_instances import write_game
from dpbandits.proofs_checks.rocq.game_values import GameTheorem
from dpbandits.proofs_checks.rocq.instances import Prices, write_instance
from dpbandits.proofs_checks.rocq.kernel import ALLOWED_LIBRARIES, Answers, Checked, checked, logical, workshop
from dpbandits.reference.claims.findings import table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established

# What a theorem about densities adds to its own sentence.
INTEGRALS = (
    "Chances are Lebesgue's upper integrals, one number after another. They are the probabilities of all events that "
    "are measurable: that is not proved there, but for integrals of continuous functions. The sure event has chance 1."
)
MINUTES_BOXES = 400_000  # whose effort looks at so many boxes has minutes for a proof, too: deep


def machine_checked(module: str, theorem: str, says: str) -> Callable[[Proof], Proof]:
    """A decorator of an argued proof: a theorem in the file of the same name that ends in .v carries what the words
    carry.

    module: __file__ of the proof. theorem: its name there. says: how the theorem is the claim, for readers, in
    lines of any length.

    Where coqc is not installed, or the argument shows nothing, the finding stays what it is. Otherwise the kernel is
    asked: the finding is PROVED, rests on the kernel instead of on words, and shows the theorem as Coq prints it, with
    its axioms. Raises NotAccepted where the kernel refuses: the file is broken then, and no verdict is given.
    """
    file = Path(module).with_suffix(".v")
    place = f"proofs_checks/papers/{logical(file)}"
    return carried_by(lambda effort: checked(file, theorem), place, theorem, says)


def machine_checked_instance(prices: Prices, says: str) -> Callable[[Proof], Proof]:
    """A decorator of an argued proof, like `machine_checked`, of a theorem with numbers that is written for the kernel:
    it takes minutes, and is asked for in deep alone."""

    def ask(effort: Effort) -> Checked | None:
        return instance_checked(prices) if effort.boxes >= MINUTES_BOXES else None

    return carried_by(ask, "written by proofs_checks/rocq/instances.py", "thompson_private_here", says)


@cache
def instance_checked(prices: Prices) -> Checked | None:
    """The theorem at these prices, once the kernel has accepted it; None where coqc or a library is not installed.
    Raises NotAccepted, and ValueError for prices that cannot pay."""
    return checked(write_instance(prices, written_proofs()), "thompson_private_here")


@cache
def game_checked(theorem: GameTheorem) -> Checked | None:
    """The theorem about the game once the kernel has computed its value; None and errors like `instance_checked`'s."""
    return checked(write_game(theorem, written_proofs()), "thompson_private_here")


def written_proofs() -> Path:
    folder = workshop() / "sources" / "written"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def carried_by(
    ask: Callable[[Effort], Checked | None], place: str, theorem: str, says: str
) -> Callable[[Proof], Proof]:
    def decorate(proof: Proof) -> Proof:
        @wraps(proof)
        def proved(claim: Claim, effort: Effort, seed: int) -> Finding:
            found = proof(claim, effort, seed)
            accepted = ask(effort) if found.verdict is Verdict.ARGUED else None
            if accepted is None:
                return found
            evidence = (*shown(place, theorem, " ".join(says.split()), accepted), *found.evidence)
            return established(claim.id, found.summary, evidence, Basis.KERNEL)

        return proved

    return decorate


def shown(place: str, theorem: str, says: str, accepted: Checked) -> tuple[Mapping[str, Any], ...]:
    rows = [
        ["file", place],
        ["theorem", theorem],
        ["axioms", named_axioms(accepted)],
        ["checked by", f"coqc {accepted.version}"],
        ["how it is the statement", says],
    ]
    table = table_item("Checked by Rocq's kernel", ["what", "which"], rows)
    return table, {"kind": "text", "text": f"As Coq prints it: {accepted.statement}"}


def named_axioms(accepted: Checked | Answers) -> str:
    """The axioms of real numbers one by one, those of Coq's integers by their number."""
    integers = [name for name in accepted.axioms if name.startswith(ALLOWED_LIBRARIES)]
    named = [name for name in accepted.axioms if name not in integers]
    counted = [f"{len(integers)} of Coq's 63-bit integers"] if integers else []
    return ", ".join([*named, *counted]) or "none"
