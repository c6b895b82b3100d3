"""Section 3: composition, and the Laplace mechanism."""

from __future__ import annotations

from collections.abc import Mapping

from dpbandits.proofs_checks.formulas.arguments import argued
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction
from dpbandits.proofs_checks.rocq.machine_checked import machine_checked
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)

WORDS: Mapping[str, Reduction] = {
    "lemma-1": Reduction(
        "Neighbours differ in one entry, which lies in one of the disjoint data sets: all other mechanisms have the "
        "same law on both sides, so that the densities of their joint outputs have the ratio of that one mechanism.",
        (),
    ),
    "definition-3": Reduction(
        "The densities at y have the ratio exp(sum (|y_i - f_i(D')| - |y_i - f_i(D)|) eps/Delta), which is at most "
        "exp(eps ||f(D) - f(D')||_1/Delta) <= e^eps by the triangle inequality.",
        (),
    ),
}
proves.each({name: argued(reduction) for name, reduction in WORDS.items()})

FINITE = """private says e^eps of single outcomes, which of finitely many is eps-DP of all sets of them; near are the
neighbours, M k is mechanism k and x k its data set, and an event is a set of the lists of all outcomes."""
proves("lemma-1/finite")(machine_checked(__file__, "lemma_1", " ".join(FINITE.split()))(argued(WORDS["lemma-1"])))
