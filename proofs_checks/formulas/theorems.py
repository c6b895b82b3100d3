"""Arguments in words whose claims a theorem of Rocq proves as well; if the effort asks for it, Rocq's kernel checks the
theorem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from dpbandits import registry
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proof
from dpbandits.reference.claims.findings import ArgumentFound
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established

# What a theorem about densities adds to its own sentence.
INTEGRALS = (
    "Chances are Lebesgue's upper integrals, one number after another. They are the probabilities of all events that "
    "are measurable: that is not proved there, but for integrals of continuous functions. The sure event has chance 1."
)
BY_PREMISES_ALONE = "checked only by what it follows from, which was not established"


class KernelError(RuntimeError):
    """Rocq's kernel gave no verdict on a theorem."""


class NotInstalled(KernelError):
    """The compiler is not on this machine, or a library or the extension that asks it is not."""


class Checked(NamedTuple):
    """A theorem that the kernel has accepted: its statement as Coq prints it, the axioms below it by their full names,
    the compiler's version, and the lemma that all its hypotheses can hold together, as Coq prints it: empty where there
    is none."""

    statement: str
    axioms: tuple[str, ...]
    version: str
    witness: str = ""


@dataclass(frozen=True)
class Theorem:
    """A theorem of Rocq that carries a claim. name: in its file. place: the file, or what writes it, below the
    project's folder. says: how the theorem is the claim. source: its file, which some theorems with numbers are written
    into when this is called."""

    name: str
    place: str
    says: str
    source: Callable[[], Path]


@dataclass(frozen=True)
class MachineChecked:
    """A proof in words whose claim a theorem carries as well: the kernel is asked where the effort wants that.

    Then what is ARGUED is PROVED, rests on the kernel instead of on words, and shows the theorem as Coq prints it, with
    its axioms. Raises KernelError where the kernel does not accept the theorem, or cannot be asked: no verdict is given
    then."""

    proof: Proof
    theorem: Theorem

    def __post_init__(self) -> None:
        """The proof shows its own docstring under its own name, as if undecorated."""
        object.__setattr__(self, "__doc__", self.proof.__doc__)

    def __call__(self, claim: Claim, effort: Effort, seed: int) -> Finding:
        found = self.proof(claim, effort, seed)
        if found.verdict is not Verdict.ARGUED or not effort.kernel:
            return found
        evidence = (*registry.loaded(required_kernel().evidence)(self.theorem, claim), *found.evidence)
        body = found.body
        if isinstance(body, ArgumentFound):
            body = replace(body, theorem=self.theorem.name)
        return established(claim.id, found.summary, evidence, Basis.KERNEL, body=body)


@dataclass(frozen=True)
class CheckedStep:
    """A consequence that a theorem states as a whole, so that the step from its premises is checked as well.

    With the kernel the claim is PROVED and rests on it alone. Without, its premises decide, and the step is words.
    Raises KernelError where the kernel does not accept the theorem, or cannot be asked."""

    theorem: Theorem

    def __call__(self, claim: Claim, effort: Effort, seed: int) -> Finding:
        if not effort.kernel:
            return Finding(claim.id, Verdict.UNSUPPORTED, BY_PREMISES_ALONE)
        evidence = registry.loaded(required_kernel().evidence)(self.theorem, claim)
        summary = f"The theorem {self.theorem.name} of Rocq states all of it, and the kernel has checked its proof."
        return established(claim.id, summary, evidence, Basis.KERNEL)


def machine_checked(module: str, theorem: str, says: str) -> Callable[[Proof], MachineChecked]:
    """A decorator of an argued proof: a theorem in the file of the same name that ends in .v carries what the words
    carry.

    module: __file__ of the proof. theorem: its name there. says: how the theorem is the claim, for readers, in
    lines of any length.
    """
    about = theorem_beside(module, theorem, says)
    return lambda proof: MachineChecked(proof, about)


def checked_step(module: str, theorem: str, says: str) -> CheckedStep:
    """The proof of a consequence that is a theorem in the file of the module's name that ends in .v. Arguments as in
    `machine_checked`."""
    return CheckedStep(theorem_beside(module, theorem, says))


def theorem_beside(module: str, theorem: str, says: str) -> Theorem:
    file = Path(module).with_suffix(".v")
    place = f"proofs_checks/papers/{file.parent.name}/{file.name}"
    return Theorem(theorem, place, " ".join(says.split()), lambda: file)


def required_kernel() -> registry.Kernel:
    """How Rocq's kernel is asked. Raises NotInstalled where no extension says it."""
    found = registry.added().kernel
    if found is None:
        raise NotInstalled("no installed extension can run Rocq's kernel; restore the folder extensions/rocq")
    return found


def demand_kernel(theorems: Iterable[Theorem]) -> None:
    """Raises NotInstalled where the kernel cannot be asked about these theorems: the extension is missing, coqc, or a
    library that one of them needs."""
    registry.loaded(required_kernel().demand)(theorems)


def kernel_evidence(name: str) -> Any:
    """A part of what an extension says about the kernel, by its field of `registry.Kernel`. Raises NotInstalled."""
    return registry.loaded(getattr(required_kernel(), name))
