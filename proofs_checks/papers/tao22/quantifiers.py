"""Lower bounds to the letter: no instance is hard for every algorithm."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.reductions import Reduction, lemma_by_argument
from dpbandits.reference.claims.model import Verdict

NO_INSTANCE = lemma_by_argument(
    Reduction(
        "Fix any instance. An algorithm that pulls the best arm of this instance in all rounds reads no reward. So the "
        "algorithm is 0-DP and 0-LDP, and its regret on this instance is 0 for every T, below every power of T. So no "
        "instance is hard for every algorithm. A true statement either names a bad instance for every algorithm and "
        "every T, or it is about algorithms with small regret on several instances, like the proof.",
        (),
    ),
    verdict=Verdict.REFUTED,
)
