"""What Table 1 and the introduction say of Algorithm 4: Theorem 7, once more."""

from __future__ import annotations

from collections.abc import Mapping

from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.tao22.section_5 import NO_RATE, NO_RATE_INDEPENDENT

LEMMAS: Mapping[str, Lemma] = {
    "tao22/table-1/ldp-upper": NO_RATE,
    "tao22/table-1/ldp-independent-upper": NO_RATE_INDEPENDENT,
    "tao22/introduction/ldp-optimal": NO_RATE,
}
