"""That RobustUCB is not private: one reward decides for certain."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dpbandits.proofs_checks.judge.effort import Effort
from dpbandits.proofs_checks.judge.parted import parted
from dpbandits.reference.ledger import Claim, Finding
from dpbandits.reference.papers.bubeck13 import RobustUCB


def none(claim: Claim, effort: Effort, seed: int) -> Finding:
    return parted(claim, RobustUCB(2, 3))


LEMMAS: Mapping[str, Callable[[Claim, Effort, int], Finding]] = {"bubeck13/privacy/none": none}
