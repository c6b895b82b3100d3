"""The registry of proofs: a proof is declared next to its code, with the names of the claims that it decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.reference.claims.model import Claim, Finding
from dpbandits.reference.claims.paper import Page

Proof = Callable[[Claim, Effort, int], Finding]  # the third is the seed
P = TypeVar("P", bound=Proof)


@dataclass(frozen=True)
class Proofs:
    """The proofs in one file of a paper's module. page: the paper whose claims they decide. by_claim: by the whole
    id."""

    page: Page
    by_claim: dict[str, Proof] = field(default_factory=dict, repr=False, compare=False)

    def __call__(self, *names: str) -> Callable[[P], P]:
        """A decorator that registers a function as the proof of the claims with these names.
        The names are ids without the paper's key. Raises ValueError for a name that already has a proof."""

        def decorate(proof: P) -> P:
            """Registers the function as a proof of the claims with these names, and returns it unchanged."""
            self.each(dict.fromkeys(names, proof))
            return proof

        return decorate

    def each(self, proofs: Mapping[str, Proof]) -> None:
        """Registers several proofs, by the names of their claims. Raises ValueError for a name that already has one."""
        for name, proof in proofs.items():
            claim = f"{self.page.key}/{name}"
            if claim in self.by_claim:
                raise ValueError(f"{claim} has two proofs, {self.by_claim[claim]!r} and {proof!r}; remove one of them")
            self.by_claim[claim] = proof
