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
    harm=Harm.STATEMENT,
    same_error_as="tao22/theorem-7",
    note="It is not attained, by Algorithm 4 (tao22/theorem-7) or any other (tao22/theorem-7/no-algorithm). The lower "
    "bound can be raised with the paper's own instance, whose total variation squared is ~ Delta^{2(1+v)/v} where "
    "Lemma 15 has a divergence ~ Delta^{(1+v)/v}: tao22/theorem-11/raised. So the price of privacy is a factor of "
    "Delta^{-(1+v)/v}/eps^2, and not 1/eps^2, as the remark goes on.",
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
    """As a formula: one of the printed lower bounds over the other."""
    q = v / (1 + v)
    private = m.power(K / (eps * eps), q) * m.power(T, 1 - q)
    return private / (m.power(K, q) * m.power(T, 1 - q)), m.power(1 / (eps * eps), q)


chapter.add(
    "remark-4",
    source("Remark 4", "From Theorem 9, we can see the upper bound (11) of Algorithm 4 is nearly optimal."),
    Stated("Algorithm 4 attains (11), with one constant for all instances, eps in (0, 1] and large T"),
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.STATEMENT,
    same_error_as="tao22/theorem-7",
    note="(11) does not hold for Algorithm 4 (tao22/theorem-7/independent): the gap to Theorem 9 is a power of T.",
)
