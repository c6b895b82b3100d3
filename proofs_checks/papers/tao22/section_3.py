"""Section 3: composition, and the Laplace mechanism."""

from __future__ import annotations

from collections.abc import Mapping

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import EXPECTATIONS, INTEGRALS, checked_step, machine_checked
from dpbandits.proofs_checks.papers.tao22 import appendix_a
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)

WORDS: Mapping[str, Reduction] = {
    "lemma-1": Reduction(
        "Neighbours differ in one entry, which lies in one of the disjoint data sets. All other mechanisms have the "
        "same law on both inputs, so the ratio of the joint densities is the ratio of the densities of this one "
        "mechanism.",
        (),
    ),
    "definition-3": Reduction(
        "The densities at y have the ratio exp(sum (|y_i - f_i(D')| - |y_i - f_i(D)|) eps/Delta), which is at most "
        "exp(eps ||f(D) - f(D')||_1/Delta) <= e^eps by the triangle inequality.",
        (),
    ),
}

ANY = """A probability is a law by its integrals, of functions that can be integrated: linear, monotone, c of a constant
c, and with f the events f >= c are among them, as of all bounded measurable functions of a probability space. dp_laws
says e^eps of all events. M k is mechanism k, with outcomes of a kind of its own, x k its data set, and near are the
neighbours. joint_mean integrates over one output after another; that this can be done (measurable), and is the
probability of an event under independent laws, is Fubini's theorem, which Rocq has not checked."""
proves("lemma-1")(machine_checked(__file__, "lemma_1_any", ANY)(lemma_by_argument(WORDS["lemma-1"])))

FINITE = """private says e^eps of single outcomes, which of finitely many is eps-DP of all sets of them; near are the
neighbours, M k is mechanism k and x k its data set, and an event is a set of the lists of all outcomes."""
proves("lemma-1/finite")(machine_checked(__file__, "lemma_1", FINITE)(lemma_by_argument(WORDS["lemma-1"])))

DRAWN = f"""f is the d coordinates of f(D), near are the neighbours and sensitivity is any bound of the l_1-distance of
theirs that is not 0; M z is the probability of an event on data z, and an event is any set of lists of d numbers.
{INTEGRALS}"""
proves("definition-3")(machine_checked(__file__, "definition_3", DRAWN)(lemma_by_argument(WORDS["definition-3"])))

MOMENTS = f"""X is one random variable with a mean, mu. Of the two expectations, both are finite or neither. abs_power p
x is |x|^p. {EXPECTATIONS}"""
proves("section-3.1/moments")(checked_step(appendix_a.__file__, "moments_finite", MOMENTS))
