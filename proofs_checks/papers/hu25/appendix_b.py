"""Appendix B: Lemma 4.1. L = ln T, Q = 1 - Phi."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import (
    Reduction,
    enclosure_step,
    equality_step,
    inequality_step,
    reductions_of_chapter,
)
from dpbandits.proofs_checks.formulas.theorems import EXPECTATIONS, INDEPENDENCE, machine_checked
from dpbandits.proofs_checks.papers.hu25.shared import finding, m
from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary
from dpbandits.reference.claims.model import Claim, Finding, Real, Verdict
from dpbandits.reference.papers.hu25 import appendix_b
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.page import page

proves = Proofs(page)


def density_rate(m: Vocabulary, z: Number) -> Number:
    """-(d/dz) of (Q(z) - z/(z^2+1) phi(z)), divided by phi(z): 1 + (1-z^2)/(1+z^2)^2 - z^2/(1+z^2)."""
    square = z * z
    return 1 + (1 - square) / (1 + square) ** 2 - square / (1 + square)


GORDON = equality_step(
    "the difference falls at the rate phi(z) 2/(1+z^2)^2",
    density_rate,
    lambda m, z: 2 / (1 + z * z) ** 2,
    "z",
)

SPLIT = "0.52"  # where the proof of Lemma 4.1 cuts: any value with 2 SPLIT > 1 and a rate above 1 would do


SAMPLES = f"""X 0, ..., X (s-1) are the first s rewards of the arm, independent, in [0, 1] and with the mean mu. B is
floor(phi). all_below is the probability, given these rewards, that B independent normal samples with the mean mu-hat
and the variance ln^alpha(T)/s are all below mu, so that 1 - mean P of it is the probability that the largest is at
least mu. T is any real number from 3 on. {EXPECTATIONS} {INDEPENDENCE}"""


@proves("lemma-4.1")
@machine_checked(__file__, "lemma_4_1", SAMPLES)
def lemma_4_1(claim: Claim, effort: Effort, seed: int) -> Finding:
    """For every T >= 3 and alpha: with L = ln T, u = 1 - alpha, w = L^{u/2} >= 1, B = floor(phi) > phi - 1 and the
    cut x0 = sqrt(0.52 L): the failure needs D >= x0, which has probability at most e^{-2 x0^2} = T^{-1.04}, or all
    B samples below mu-hat + x0/sqrt(s), which has at most Phi(x0/L^{alpha/2})^B = Phi(sqrt(0.52) w)^B.
    Fact A.1 (w^2 <= u L + 1) gives phi = c_0 e^{uL/2} L w >= c_0 e^{(w^2-1)/2} w L. So with
    g(w) = c_0 e^{(w^2-1)/2} w (-ln Phi(sqrt(0.52) w)) >= 1.1 for all w >= 1, that is at most
    T^{-1.1}/Phi(sqrt(0.52)), and both together at most (1 + 1/Phi(sqrt(0.52)))/T < 3/T.
    g >= 1.1 is checked on [1, 4] by intervals, and beyond by -ln Phi(y) >= Q(y) >= phi(y) y/(1+y^2), under which
    the bound of g is an increasing function."""
    cut = m.sqrt(m.number(SPLIT))
    pieces = 600

    def rate(w: Any) -> Any:
        return -m.log(m.ncdf(cut * w)) * f.c_0(m) * m.exp((w * w - 1) / 2) * w

    lowest = None
    for k in range(pieces):
        # On [a, b] the factor before the logarithm increases and -ln Phi decreases: the ends bound the product.
        a, b = 1 + m.number(3) * k / pieces, 1 + m.number(3) * (k + 1) / pieces
        low = -m.log(m.ncdf(cut * b)) * f.c_0(m) * m.exp((a * a - 1) / 2) * a
        lowest = low.low if lowest is None else min(lowest, low.low)
    y = cut * 4
    beyond = f.anti_concentration(m, y) * f.c_0(m) * m.exp(m.number(15) / 2) * 4
    assert lowest is not None
    smallest = m.minimum(m.number(lowest), beyond)
    constant = 1 + 1 / m.ncdf(cut)
    done = smallest.low >= m.number("1.1").high
    argument = (
        lemma_4_1.__doc__ or ""
    ) + f" Here min g >= {float(smallest.low):.4f}; g(1) = {rate(m.number(1)).middle:.4f}."
    if not done:
        return Finding(claim.id, Verdict.CONSISTENT, "the rate g >= 1.1 was not closed by intervals")
    return finding(claim, constant, m.number(3), "T times the failure probability", argument)


WORDS: Mapping[str, Reduction] = {
    "lemma-4.1/step-a": Reduction(
        "The step is equation (5) at z = sqrt(ln^{1-alpha} T). The difference Q(z) - z/(z^2+1) phi(z) decreases to "
        "0, so it is positive.",
        (GORDON,),
    ),
    "lemma-4.1/step-b/doubled": Reduction(
        "With w = L^u >= 1, Fact A.1 (w <= u L + 1, by convexity) gives e^{-(uL+1)/2} <= e^{-w/2}. Moreover, 2w/(w+1) "
        ">= 1.",
        (
            inequality_step(
                "1 <= 2w/(w+1)", lambda m, w: m.number(1), lambda m, w: 2 * w / (w + 1), {"w": Real(1, np.inf, True)}
            ),
        ),
    ),
    "lemma-4.1/step-b/alpha-0": Reduction(
        "With L = ln T, the quotient of the two sides is e^{-1/2} (1 + 1/L), which is below 1 for T >= 21.",
        (
            enclosure_step(
                "1 + 1/L <= e^{1/2} for L >= 3",
                lambda m, L: 1 + 1 / L,
                lambda m, L: m.exp(m.number("0.5")),
                {"L": Real(3, np.inf, True)},
            ),
            enclosure_step("ln 21 >= 3", lambda m: m.number(3), lambda m: m.log(m.number(21)), {}),
        ),
    ),
}

in_words = reductions_of_chapter(appendix_b.chapter, WORDS)

TAILS = """anti_concentration is eq. (5), z its argument, and Rpower x y is x^y. Phi is 1/2 and the integral of the
normal density from 0 on."""
DOUBLED = "Over the claim's whole domain; Rpower log_T u is log_T^u."
proves("lemma-4.1/step-a")(machine_checked(__file__, "step_a", TAILS)(in_words["lemma-4.1/step-a"]))
proves("lemma-4.1/step-b/alpha-0")(
    machine_checked(__file__, "step_b_alpha_0", TAILS)(in_words["lemma-4.1/step-b/alpha-0"])
)
proves("lemma-4.1/step-b/doubled")(
    machine_checked(__file__, "step_b_doubled", DOUBLED)(in_words["lemma-4.1/step-b/doubled"])
)
