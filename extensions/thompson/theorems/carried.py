"""Claims that are proved by a Rocq theorem about specific numbers. When such a claim is checked, the theorem is written
and Rocq's kernel checks it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dpbandits.extensions.thompson.theorems.instances import Prices
from dpbandits.proofs_checks.formulas.proofs import Proof
from dpbandits.proofs_checks.formulas.theorems import MachineChecked, Theorem


def machine_checked_instance(prices: Prices, statement: str) -> Callable[[Proof], MachineChecked]:
    """A decorator for an argument in words whose claim, for these prices, is proved by a Rocq theorem.
    The theorem is about these numbers. It is written when the claim is checked; the kernel takes seconds."""

    def source() -> Path:
        """Writes the Rocq theorem for these prices, and returns its file."""
        from dpbandits.extensions.thompson.theorems.checked import written_instance  # with what asks the kernel

        return written_instance(prices)

    place = "written by extensions/thompson/theorems/instances.py"
    about = Theorem("thompson_private_here", place, " ".join(statement.split()), source)
    return lambda proof: MachineChecked(proof, about)
