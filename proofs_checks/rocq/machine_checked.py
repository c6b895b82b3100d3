"""Arguments in words that a kernel has taken over: where it is asked, a theorem carries the claim."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proof
from dpbandits.proofs_checks.rocq.compiled_files import libraries_of, logical, workshop
from dpbandits.proofs_checks.rocq.coqc import demand_libraries
from dpbandits.proofs_checks.rocq.kernel import ALLOWED_LIBRARIES, Answers, Checked, checked
from dpbandits.reference.claims.findings import table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established

if TYPE_CHECKING:
    from dpbandits.proofs_checks.rocq.game_values import GameTheorem
    from dpbandits.proofs_checks.rocq.instances import Prices

# What a theorem about densities adds to its own sentence.
INTEGRALS = (
    "Chances are Lebesgue's upper integrals, one number after another. They are the probabilities of all events that "
    "are measurable: that is not proved there, but for integrals of continuous functions. The sure event has chance 1."
)
WRITTEN = "written from the ledger's formula, domain and preconditions; the theorem named above proves it"
LEDGER_THEOREM = "from_the_ledger"
# Processor seconds of one core, about, for planning alone: compiling a file and asking about it, on average over the
# package's own; and checking a theorem that is written for numbers.
FILE_COST, INSTANCE_COST = 5.0, 150.0


@dataclass(frozen=True)
class Theorem:
    """A theorem of Rocq that carries a claim. name: in its file. place: the file, or what writes it, below the
    project's folder. says: how the theorem is the claim. source: its file, which some theorems with numbers are written
    into when this is called. ask: has the kernel check it; raises KernelError. seconds: of one core, that this takes,
    about."""

    name: str
    place: str
    says: str
    source: Callable[[], Path]
    ask: Callable[[], Checked]
    seconds: float


@dataclass(frozen=True)
class MachineChecked:
    """A proof in words whose claim a theorem carries as well: the kernel is asked where the effort wants that.

    Then what is ARGUED is PROVED, rests on the kernel instead of on words, and shows the theorem as Coq prints it, with
    its axioms. Raises KernelError where the kernel does not accept the theorem, or cannot be asked: no verdict is given
    then."""

    proof: Proof
    theorem: Theorem

    def __call__(self, claim: Claim, effort: Effort, seed: int) -> Finding:
        found = self.proof(claim, effort, seed)
        if found.verdict is not Verdict.ARGUED or not effort.kernel:
            return found
        evidence = (*shown(self.theorem, self.asked(claim)), *found.evidence)
        return established(claim.id, found.summary, evidence, Basis.KERNEL)

    def asked(self, claim: Claim) -> Checked:
        """The theorem once the kernel has accepted it: where the claim is a formula that has a translation, the theorem
        that is written from the claim, which the page's theorem proves. Raises KernelError."""
        written = from_the_ledger(claim, self.theorem)
        return checked(written, LEDGER_THEOREM) if written is not None else self.theorem.ask()


def machine_checked(module: str, theorem: str, says: str) -> Callable[[Proof], MachineChecked]:
    """A decorator of an argued proof: a theorem in the file of the same name that ends in .v carries what the words
    carry.

    module: __file__ of the proof. theorem: its name there. says: how the theorem is the claim, for readers, in
    lines of any length.
    """
    file = Path(module).with_suffix(".v")
    place = f"proofs_checks/papers/{logical(file)}"
    about = Theorem(theorem, place, " ".join(says.split()), lambda: file, lambda: checked(file, theorem), FILE_COST)
    return lambda proof: MachineChecked(proof, about)


def machine_checked_instance(prices: Prices, says: str) -> Callable[[Proof], MachineChecked]:
    """A decorator of an argued proof, like `machine_checked`, of a theorem with numbers that is written for the kernel,
    which needs minutes for it."""
    about = Theorem(
        "thompson_private_here",
        "written by proofs_checks/rocq/instances.py",
        " ".join(says.split()),
        lambda: written_instance(prices),
        lambda: instance_checked(prices),
        INSTANCE_COST,
    )
    return lambda proof: MachineChecked(proof, about)


def demand_kernel(theorems: Iterable[Theorem]) -> None:
    """Raises NotInstalled where coqc is missing, or a library that one of these theorems needs."""
    demand_libraries({name for theorem in theorems for name in libraries_of(theorem.source())})


def from_the_ledger(claim: Claim, theorem: Theorem) -> Path | None:
    """The file of the theorem that is written from the claim; None where the claim has no translation."""
    from dpbandits.proofs_checks.rocq.ledger_theorems import translated, write_ledger_theorem

    return write_ledger_theorem(claim, theorem.source(), theorem.name, written_proofs()) if translated(claim) else None


@cache
def written_instance(prices: Prices) -> Path:
    """The file of the theorem at these prices. Raises ValueError for prices that cannot pay."""
    from dpbandits.proofs_checks.rocq.instances import write_instance

    return write_instance(prices, written_proofs())


@cache
def instance_checked(prices: Prices) -> Checked:
    """The theorem at these prices, once the kernel has accepted it. Raises KernelError, and ValueError for prices that
    cannot pay."""
    return checked(written_instance(prices), "thompson_private_here")


@cache
def game_checked(theorem: GameTheorem) -> Checked:
    """The theorem about the game once the kernel has computed its value; errors like `instance_checked`'s."""
    from dpbandits.proofs_checks.rocq.game_instances import write_game

    return checked(write_game(theorem, written_proofs()), "thompson_private_here")


def written_proofs() -> Path:
    folder = workshop() / "sources" / "written"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def shown(theorem: Theorem, accepted: Checked) -> tuple[Mapping[str, Any], ...]:
    rows = [
        ["file", theorem.place],
        ["theorem", theorem.name],
        *([["statement", WRITTEN]] if accepted.statement.startswith(LEDGER_THEOREM) else []),
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
