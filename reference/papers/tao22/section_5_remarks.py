"""Section 5: Remarks 3 and 4, on the lower bounds, which stand in Appendix C."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Stated, Verdict
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import POSITIVE, V

chapter = page.chapter("Section 5")

chapter.add(
    "remark-3",
    source(
        "Remark 3",
        "Theorem 11 reveals that the term of 1/(eps^2 Delta^{1/v}) is unavoidable in the regret bound. As a result, "
        "the attained bound in Theorem 7 is optimal.",
    ),
    Stated("Algorithm 4 attains (10), with one constant for all instances, eps in (0, 1] and large T"),
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.GUARANTEE,
    same_error_as="tao22/theorem-7",
    note="Neither Algorithm 4 (`tao22/theorem-7`) nor any other eps-LDP algorithm (`tao22/theorem-7/no-algorithm`) "
    "attains (10).\n"
    "The paper's own instance gives a larger lower bound, with 1 + 2/v in place of 1/v (`tao22/theorem-11/raised`), "
    "and Algorithm 4 attains that rate (`tao22/theorem-7/rate`).\n"
    "So the price of local privacy is a factor of order Delta^{-(1+v)/v}/eps^2, not 1/eps^2 as the next sentence of "
    "the remark says.",
    related=("tao22/theorem-7/no-algorithm", "tao22/theorem-11/raised", "tao22/theorem-7/rate"),
)


@chapter.identity(
    "remark-4/factor",
    source(
        "Remark 4",
        "However, for heavy-tailed MAB, compared with the lower bound of Omega(K^{v/(1+v)} T^{1/(1+v)}) in the "
        "non-private case, from Theorem 9 we can observe that the difference is a factor of (1/eps^2)^{v/(1+v)}.",
    ),
    over={"K": POSITIVE, "T": POSITIVE, "eps": POSITIVE, "v": V},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def remark_4_factor(m: Vocabulary, K: Number, T: Number, eps: Number, v: Number) -> Sides:
    """The formula is the quotient of the two printed lower bounds: that of Theorem 9, and the lower bound without
    privacy."""
    q = v / (1 + v)
    private = m.power(K / (eps * eps), q) * m.power(T, 1 - q)
    return private / (m.power(K, q) * m.power(T, 1 - q)), m.power(1 / (eps * eps), q)


chapter.add(
    "remark-4",
    source("Remark 4", "From Theorem 9, we can see the upper bound (11) of Algorithm 4 is nearly optimal."),
    Stated("Algorithm 4 attains (11), with one constant for all instances, eps in (0, 1] and large T"),
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.GUARANTEE,
    same_error_as="tao22/theorem-7",
    note="Equation (11) does not hold for Algorithm 4 (`tao22/theorem-7/independent`): its regret exceeds the lower "
    "bound of Theorem 9 by a power of T. The lower bound can be raised, up to logarithms, to the order of the regret "
    "of Algorithm 4 (`tao22/theorem-9/raised`).",
    related=("tao22/theorem-7/independent", "tao22/theorem-9/raised"),
)
