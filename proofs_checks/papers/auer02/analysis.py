"""That UCB1 is not private: one reward decides for certain."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dpbandits.proofs_checks.judge.effort import Effort
from dpbandits.proofs_checks.judge.parted import parted
from dpbandits.reference.ledger import Claim, Finding
from dpbandits.reference.papers.auer02 import UCB1


def none(claim: Claim, effort: Effort, seed: int) -> Finding:
    return parted(claim, UCB1(2, 3))


LEMMAS: Mapping[str, Callable[[Claim, Effort, int], Finding]] = {"auer02/privacy/none": none}
