"""Section 3: the samples of a round, and all of a run, without a cited theorem about composition."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.reference.papers.ou24.page import page

proves = Proofs(page)

WORDS = """For P, Q > 0 let G(r, P, Q) be the integral of (P phi(x-r) - Q phi(x))_+. This integral is the maximum of P
Phi(t) - Q Phi(t-r) over t, so G is at least 0 and at least P - Q. *One sample:* suppose the mean of the next sample
shifts by mu standard deviations, and the rest of the run costs at most G(nu, P', Q'). Then the sample and the rest of
the run together cost at most the integral over x of G(nu, P phi(x-mu), Q phi(x)). The best t in this integral is linear
in x. For independent standard normal variables, one is below the linear function a + b x of the other with probability
Phi(a/sqrt(1+b^2)). So the integral is P Phi(t) - Q Phi(t-r) for some t and r^2 = mu^2 + nu^2, which is at most G(r, P,
Q). A sample that does not shift costs nothing, because G is homogeneous. Let r^2 be above the largest possible sum of
squared shifts. By induction from the last sample on, a run costs at most G(r, 1, e^eps). Because G is continuous, the
bound also holds at the largest sum itself. *The squared shifts:* one reward of one arm changes, and the arm is known
after the first pull that depends on this reward. From then on, each round draws one sample whose mean shifts. The
shifted sample has the variance v/(n+1) with n >= m, and its mean shifts by at most 1/(n+1). So the squared shift is at
most 1/(v (m+1)). At most R rounds draw a shifted sample."""
SAYS = f"""samples_chance (thompson_samples.v) draws the samples of each round in turn, N(S/(n+1), v/(n+1)), as the
prior count is 1, and then pulls the arm of the largest; K T draws are always enough (samples_enough). first are the
pre-pulls, B of every arm, whose rewards are kept, or forgotten where `kept` is false; neighbours and in_range are of
either relation r and of [0, 1], an event is any set of lists of samples, and gaussian_delta is delta(eps) of Definition
2, for all eps. {INTEGRALS}"""


ROUND = """Only the law of arm j's sample differs between the two inputs: its mean changes by at most the sensitivity,
which the formula bounds in units of the sample's standard deviation. The other samples are independent of this sample.
Given the other samples, any event is an event of arm j's sample, and no event distinguishes the inputs better than a
threshold test does (`ou24/gaussian-mechanism`). The same bound then holds on average over the other samples. The pull
is a function of the samples."""
ROUND_SAYS = """round_gdp holds the promise of every set of lists of the samples, so also of those in which a given arm
has the largest, for every eps; gaussian_delta is delta(eps) of Definition 2. count and total are how often each arm was
pulled, and what it paid in all: of arm j it differs by a reward in [0, 1] at most. Samples are drawn in turn,
N(total/(n+1), c/(n+1))."""


proves("lemma-2/every-history")(
    machine_checked(__file__, "lemma_2", f"{ROUND_SAYS} c is 1. {INTEGRALS}")(
        lemma_by_argument(Reduction(" ".join(ROUND.split()), ()))
    )
)
proves("lemma-3/all-samples")(
    machine_checked(__file__, "all_samples_private", SAYS)(lemma_by_argument(Reduction(" ".join(WORDS.split()), ())))
)


SHARP = """The pulls are a function of all samples, so an event of pulls is an event of samples, and
`ou24/lemma-3/all-samples` applies."""
SHARP_SAYS = f"""pulls_gdp holds the promise of every event of the list of all pulls of a run, for every eps;
gaussian_delta is delta(eps) of Definition 2. The pulls are those of `ou24/lemma-3/all-samples`: samples in turn, an arm
of the largest, the first one among ties. first are the B K pre-pulls, B of every arm, in any order; their rewards are
kept, or forgotten where `kept` is false. {INTEGRALS}"""
EVERY_RUN = """The pulls are a function of all samples, so an event of pulls is an event of samples. By
`ou24/lemma-3/all-samples`, the samples are mu-GDP for every mu^2 >= R/(v (m+1)). For v = 1 and B = 0 this bound is
(T-1)/2, which is below T/2."""
EVERY_RUN_SAYS = f"""pulls_gdp holds the promise of every event of the list of all pulls of a run, for every eps;
gaussian_delta is delta(eps) of Definition 2. Algorithm 1 has no pre-pulls ([]), variance and prior count 1, and the
first one among ties; neighbours are of either relation r, and rewards lie in [0, 1]. {INTEGRALS}"""

proves("lemma-3/sharp/every-run")(
    machine_checked(__file__, "sharp_pulls_private", SHARP_SAYS)(
        lemma_by_argument(Reduction(" ".join(SHARP.split()), ()))
    )
)
proves("lemma-3/every-run")(
    machine_checked(__file__, "lemma_3", EVERY_RUN_SAYS)(lemma_by_argument(Reduction(" ".join(EVERY_RUN.split()), ())))
)
