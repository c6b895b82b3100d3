"""Section 3: M-TS-Gaussian as quoted, with any number of arms: one round, and a whole run."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.reference.papers.hu25.page import page

proves = Proofs(page)

ROUND = """Only the sample of the arm with the changed reward has different laws on the two inputs: its mean changes by
at most 1/n, and its standard deviation is sqrt(c/n). So the mean changes by at most sqrt(1/(c n)) standard deviations,
with n >= b + 1. The other samples are independent of this sample. Given the other samples, any event is an event of
this sample, and no event distinguishes the inputs better than a threshold test does (`ou24/gaussian-mechanism`). The
same bound then holds on average over the other samples. The pull is a function of the samples."""
ROUND_SAYS = f"""An event is any set of lists of the samples, so also of those in which a given arm has the largest, and
eps is any number; gaussian_delta is delta(eps) of Theorem 2.4. count and total are how often each arm was pulled, and
what it paid in all: of arm j it differs by a reward in [0, 1] at most. Samples are drawn in turn. {INTEGRALS}"""
proves("section-3/m-ts-gaussian-step/every-history")(
    machine_checked(__file__, "quoted_round", ROUND_SAYS)(lemma_by_argument(Reduction(" ".join(ROUND.split()), ())))
)

RUN = """All samples of a run together are mu-GDP, by the argument of `ou24/lemma-3/all-samples`. The squared shifts of
the means, in standard deviations, add up, even if each round depends on all earlier rounds. The changed reward is one
of at least n rewards of its arm in every round after it was read. So after the first pulls, each round draws at most
one sample whose mean changes, by at most 1/n_a at variance c/n_a. The squared shift of this sample is at most 1/(c n).
A run has T - n K rounds after the first pulls. The pulls are a function of the samples, and the first pulls depend on
no reward."""
RUN_SAYS = f"""pulls_gdp holds the promise of every event of the list of all pulls of a run, for every eps;
gaussian_delta is delta(eps) of Theorem 2.4. Samples are drawn in turn, an arm of the largest is pulled, the first one
among ties (thompson_samples.v); c is the variance, and 0 the prior count, so that they are N(S/n_a, c/n_a). first are
the n K first pulls, n of every arm, in any order; neighbours are of either relation r, and rewards lie in [0, 1].
{INTEGRALS}"""
proves("section-3/m-ts-gaussian/every-run")(
    machine_checked(__file__, "quoted_run", RUN_SAYS)(lemma_by_argument(Reduction(" ".join(RUN.split()), ())))
)
