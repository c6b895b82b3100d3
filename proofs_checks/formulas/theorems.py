"""Claims with an argument in words and a Rocq theorem. If the effort includes Rocq's kernel, the kernel checks the
theorem."""

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
# What a theorem about random variables adds to its own sentence.
EXPECTATIONS = (
    "W is any sample space and P any probability measure on it, given by its expectations: random_variable are the "
    "measurable functions, has_mean those with a finite expectation, and mean P X is E X. The theorem uses only the "
    "properties that the two records list. Every probability space has them, which Rocq has not checked."
)
INDEPENDENCE = (
    "independent says that the expectation of a product of continuous functions, one of each variable, is the product "
    "of the expectations. Independent variables have this property, which Rocq has not checked."
)
ALMOST_SURELY = (
    "Bounds of variables hold at every point: a variable may be changed on an event of probability 0 without any "
    "change of a probability or an expectation."
)
BY_PREMISES_ALONE = "checked only by what it follows from, which was not established"


class KernelError(RuntimeError):
    """Rocq's kernel gave no verdict on a theorem."""


class NotInstalled(KernelError):
    """The compiler, a library, or the extension for Rocq is not installed on this machine."""


class Checked(NamedTuple):
    """A theorem that the kernel has accepted: its statement as printed by Coq, the full names of the axioms that all
    theorems and witnesses in its file use together, the compiler's version, and the lemma that its hypotheses are
    satisfiable, as printed by Coq ("" if there is none)."""

    statement: str
    axioms: tuple[str, ...]
    version: str
    witness: str = ""


@dataclass(frozen=True)
class Theorem:
    """A Rocq theorem that proves a claim. name: in its file. place: the file, or the code that writes it, relative to
    the project's folder. says: how the theorem corresponds to the claim. source: returns its file; some theorems with
    numbers are written by this call."""

    name: str
    place: str
    says: str
    source: Callable[[], Path]


@dataclass(frozen=True)
class MachineChecked:
    """A proof in words with a theorem for the same claim, which the kernel checks if the effort includes it.

    Then an ARGUED claim becomes PROVED, its basis is the kernel instead of words, and the finding shows the theorem as
    printed by Coq, with its axioms. Raises KernelError if the kernel does not accept the theorem, or cannot be run;
    then there is no verdict.
    """

    proof: Proof
    theorem: Theorem

    def __post_init__(self) -> None:
        """Gives this proof the docstring of the proof in words."""
        object.__setattr__(self, "__doc__", self.proof.__doc__)

    def __call__(self, claim: Claim, effort: Effort, seed: int) -> Finding:
        """The finding of the proof in words; its verdict is PROVED if the effort includes a check by Rocq's kernel."""
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

    With the kernel the claim is PROVED, with the kernel as its only basis. Without it, the audit checks the claim as if
    it had no proof; then its premises decide, and the step is an argument in words. Raises KernelError if the kernel
    does not accept the theorem, or cannot be run.
    """

    theorem: Theorem

    def __call__(self, claim: Claim, effort: Effort, seed: int) -> Finding:
        """The finding PROVED if the effort includes the kernel; otherwise UNSUPPORTED, so that the premises decide."""
        if not effort.kernel:
            return Finding(claim.id, Verdict.UNSUPPORTED, BY_PREMISES_ALONE)
        evidence = registry.loaded(required_kernel().evidence)(self.theorem, claim)
        summary = f"The theorem {self.theorem.name} of Rocq states all of it, and the kernel has checked its proof."
        return established(claim.id, summary, evidence, Basis.KERNEL)


def machine_checked(module: str, theorem: str, statement: str) -> Callable[[Proof], MachineChecked]:
    """A decorator for a proof in words that a Rocq theorem also proves.
    The theorem is in the .v file next to the proof's module.

    module: __file__ of the proof. theorem: its name there. statement: how the theorem corresponds to the claim, for
    readers, in lines of any length.
    """
    about = theorem_beside(module, theorem, statement)
    return lambda proof: MachineChecked(proof, about)


def checked_step(module: str, theorem: str, statement: str) -> CheckedStep:
    """Returns a proof that a claim follows from other claims, by a Rocq theorem in the .v file next to the module.
    Arguments as in `machine_checked`."""
    return CheckedStep(theorem_beside(module, theorem, statement))


def theorem_beside(module: str, theorem: str, statement: str) -> Theorem:
    """The theorem with this name in the Rocq file next to the module, such as section_2.v next to section_2.py.
    statement: its statement in words."""
    file = Path(module).with_suffix(".v")
    place = f"proofs_checks/papers/{file.parent.name}/{file.name}"
    return Theorem(theorem, place, " ".join(statement.split()), lambda: file)


def required_kernel() -> registry.Kernel:
    """The interface to Rocq's kernel. Raises NotInstalled if no extension provides it."""
    found = registry.added().kernel
    if found is None:
        raise NotInstalled("no installed extension can run Rocq's kernel; restore the folder extensions/rocq")
    return found


def demand_kernel(theorems: Iterable[Theorem]) -> None:
    """Raises NotInstalled if the kernel cannot check these theorems.
    The extension, coqc, or a library that one of them needs may be missing."""
    registry.loaded(required_kernel().demand)(theorems)


def kernel_evidence(name: str) -> Any:
    """Loads the function in field `name` of the interface to Rocq's kernel, `registry.Kernel`.
    Raises NotInstalled if no extension provides it."""
    return registry.loaded(getattr(required_kernel(), name))
