"""Finds the proofs of a paper by the paper's key: which proof decides which claim. The proofs of a paper can also
contain laws for policies that declare none. Only the proofs of this paper are loaded; for a single claim, only those of
its chapter."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from dpbandits import registry
from dpbandits.audit.judges.effort import Run
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proof, Proofs
from dpbandits.proofs_checks.formulas.theorems import CheckedStep, MachineChecked, Theorem
from dpbandits.reference.bandits.policy import HasLaw, Policy
from dpbandits.reference.claims.ledger import load_volume, paper_keys
from dpbandits.reference.claims.model import Claim, Finding
from dpbandits.reference.claims.paper import Chapter

PROOFS = "dpbandits.proofs_checks.papers"
PAGES = "dpbandits.reference.papers."


def proof_of(claim: Claim) -> Proof | None:
    """Returns the claim's own proof, or None. For a registered paper only the file of the claim's chapter is loaded."""
    key = claim.source.paper
    if key not in paper_keys():
        return proofs_of(key).get(claim.id)
    file = f"{PROOFS}.{key}.{chapter_files(key).get(claim.id)}"
    there = find_spec(f"{PROOFS}.{key}") and find_spec(file)
    return declared_in(import_module(file)).get(claim.id) if there else None


def judge_formula(claim: Claim, run: Run) -> Finding:
    """The finding about an Inequality or Identity that has no proof of its own."""
    from dpbandits.proofs_checks.formulas.methods import judge_by_methods

    return judge_by_methods(claim, run.profile.effort, run.seed)


def deciding_proof(claim: Claim, effort: Effort) -> Proof | None:
    """Returns the proof that decides the claim at this effort, if any.
    A checked step decides only if the kernel is asked; without it, the claim is checked like one without a proof, and
    its premises may establish it."""
    proof = proof_of(claim)
    return None if isinstance(proof, CheckedStep) and not effort.kernel else proof


def theorem_of(claim: Claim) -> Theorem | None:
    """Returns the Rocq theorem that proves the claim; None if there is none."""
    proof = proof_of(claim)
    return proof.theorem if isinstance(proof, MachineChecked | CheckedStep) else None


@cache
def chapter_files(key: str) -> Mapping[str, str]:
    """Returns the file that contains each claim of a registered paper, by claim id."""
    load_volume(key)
    names = [file.name for file in iter_modules(sys.modules[PAGES + key].__path__)]
    chapters = {name: getattr(sys.modules.get(f"{PAGES}{key}.{name}"), "chapter", None) for name in names}
    return {each.id: name for name, made in chapters.items() if isinstance(made, Chapter) for each in made.claims}


def proofs_of(key: str) -> Mapping[str, Proof]:
    """Returns the proofs of a paper's module by claim id; empty if there are none.
    For a module outside the ledger, loaded under its key, they are in its module or package `proofs`."""
    if key in paper_keys():
        return installed_proofs(key)
    elsewhere = f"{key}.proofs"
    inside = key.isidentifier() and hasattr(sys.modules.get(key), "__path__") and find_spec(elsewhere) is not None
    return proofs_of_files(files_of(elsewhere)) if inside else {}


@cache
def installed_proofs(key: str) -> Mapping[str, Proof]:
    """Returns the proofs of a paper by claim; empty if no module with its proofs is installed."""
    return proofs_of_files(files_of(f"{PROOFS}.{key}")) if find_spec(f"{PROOFS}.{key}") else {}


def files_of(name: str) -> Iterator[ModuleType]:
    """Yields the module of this name and its submodules, except those that need a missing extension."""
    package = import_module(name)
    yield package
    for file in iter_modules(getattr(package, "__path__", ()), f"{name}."):
        try:
            module = import_module(file.name)
        except ModuleNotFoundError as error:
            if registry.names_extension(error):
                continue
            raise
        yield module


def declared_in(file: ModuleType) -> Mapping[str, Proof]:
    """Returns the proofs that a module declares in `proves`, by claim."""
    proves = getattr(file, "proves", None)
    return proves.by_claim if isinstance(proves, Proofs) else {}


def proofs_of_files(files: Iterator[ModuleType]) -> Mapping[str, Proof]:
    """Returns the proofs of all files by claim. Raises ValueError if two of them prove the same claim."""
    found: dict[str, Proof] = {}
    for file in files:
        own = declared_in(file)
        if twice := sorted(found.keys() & own.keys()):
            raise ValueError(
                f"{file.__name__}: the claim {twice[0]} already has a proof in another file; remove one of these proofs"
            )
        found |= own
    return found


def lawful(policy: Policy) -> HasLaw | None:
    """Returns the policy itself if it has an exact law.
    Otherwise an equivalent policy with a law (same releases, same probabilities), if the proofs of its paper contain
    one; otherwise None."""
    if isinstance(policy, HasLaw):
        return policy
    module = type(policy).__module__
    known = laws_of(module.removeprefix(PAGES).partition(".")[0]) if module.startswith(PAGES) else {}
    make = known.get(type(policy))
    return None if make is None else make(policy)


def laws_of(key: str) -> Mapping[type, Callable[[Any], Any]]:
    """Returns functions that make policies with laws, by class of policy, as a registered paper's proofs define them.
    They are the mappings LAWS of the files with the paper's proofs."""
    if find_spec(f"{PROOFS}.{key}") is None:
        return {}
    return {kind: make for file in files_of(f"{PROOFS}.{key}") for kind, make in getattr(file, "LAWS", {}).items()}
