"""That SequentialHalving is not private: one reward decides for certain."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dpbandits.proofs_checks.judge.effort import Effort
from dpbandits.proofs_checks.judge.parted import parted
from dpbandits.reference.ledger import Claim, Finding
from dpbandits.reference.papers.karnin13 import SequentialHalving


def none(claim: Claim, effort: Effort, seed: int) -> Finding:
    return parted(claim, SequentialHalving(2, 2))


LEMMAS: Mapping[str, Callable[[Claim, Effort, int], Finding]] = {"karnin13/privacy/none": none}
