"""Section 4.2: Theorem 4.2, and that its bound at alpha = 0 is of the order ln T."""

from __future__ import annotations

from math import inf

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, enclosure_step, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import EXPECTATIONS, INDEPENDENCE, checked_step
from dpbandits.reference.claims.model import Real, Verdict
from dpbandits.reference.papers.hu25.page import page

proves = Proofs(page)

ORDER = """At alpha = 0 the bound is the sum of O(ln(T^{1.5} Delta_i^2)/Delta_i + 3 ln ln(T)/Delta_i). As Delta_i <= 1
and ln ln T <= ln T, both terms are at most constants times ln(T)/Delta_i: for fixed gaps the order is ln T."""

proves("discussion-4.2/not-optimal")(
    lemma_by_argument(
        Reduction(
            " ".join(ORDER.split()),
            (
                enclosure_step(
                    "1.5 x + 3 ln x <= 4.5 x for x = ln T >= 1",
                    lambda m, x: m.number("1.5") * x + 3 * m.log(x),
                    lambda m, x: m.number("4.5") * x,
                    {"x": Real(1, inf, closed=True)},
                ),
            ),
        ),
        verdict=Verdict.REFUTED,
    )
)

RUN = f"""ts_ucb_run is Algorithm 1 after one pull of each arm. X a 0, X a 1, ... are arm a's rewards in the order of
its pulls: in [0, 1], with the mean mu a, and independent in each epoch. one is an arm with the largest mean. draws a s
h is the h-th sample of epoch s, and B is floor(phi). The score of an arm is the fresh sample of the round, or the
largest of 0 and all B samples once they are drawn. A round pulls an arm with a largest score, whatever breaks ties. Of
normal samples only three laws are used. fresh_law: given the mean of its epoch, and that it is fresh and no other score
is above z = mu_1 - Delta_i/2, the sample of arm 1 exceeds z with its normal probability. epoch_law: all B samples of an
epoch of arm 1 are at most mu_1 with the mean of their normal probability given the rewards. tails: a sample of a
suboptimal arm exceeds its epoch's mean, by as many standard deviations as Lemma D.1 needs, with its normal probability.
numbers_given lists these numbers. That Algorithm 1 has these laws follows from its independent samples, which Rocq has
not checked. pulls_of counts the pulls of all T rounds. That rewards, samples and pulls are measurable is a hypothesis.
{EXPECTATIONS} {INDEPENDENCE}"""
DEPENDENT = f"""pulls_bound is the bound on E[N_i(T)] with every constant of Appendix D and the repaired L_i. stated is
the bracket of the theorem's first sentence, and its constant is 1800. long_enough says T Delta_i^2 > e. {RUN}"""
proves("theorem-4.2/explicit")(checked_step(__file__, "problem_dependent", DEPENDENT))
proves("theorem-4.2/problem-dependent")(checked_step(__file__, "problem_dependent", DEPENDENT))
WORST = f"""K is the number of arms, T is at least 3 and at least K, and the hidden constant is 8102. The
theorem does not need that one has the largest mean. {RUN}"""
proves("theorem-4.2/worst-case")(checked_step(__file__, "worst_case", WORST))
AT_ALPHA_0 = f"""The hidden constants are 8102, and 1800 and 5400; the first bound of the corollary is for T Delta_i^2 >
e (long_enough). K is the number of arms, and T is at least 3 and at least K. {RUN}"""
proves("corollary-4.3")(checked_step(__file__, "corollary_4_3", AT_ALPHA_0))
