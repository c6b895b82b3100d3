"""Appendix A: the technical lemmas, and their repaired forms."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, enclosure_step, equality_step, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import (
    ALMOST_SURELY,
    EXPECTATIONS,
    INDEPENDENCE,
    INTEGRALS,
    machine_checked,
)
from dpbandits.reference.claims.model import Real
from dpbandits.reference.papers.tao22.page import page
from dpbandits.reference.papers.tao22.shared import V

proves = Proofs(page)

WORDS: Mapping[str, Reduction] = {
    "lemma-5": Reduction(
        "The probability is 2 int_{tb}^inf e^{-x/b}/(2b) dx = e^{-t} for t >= 0.",
        (),
    ),
    "lemma-6": Reduction(
        "The mean E X is 0, and E X^k <= s M^{k-2} and k! >= 2 3^{k-2} for k >= 2. So E e^{lambda X} is at most 1 + "
        "(lambda^2 s/2) sum (lambda M/3)^{k-2}, which is at most exp(lambda^2 s/(2 (1 - lambda M/3))) for lambda < "
        "3/M. Chernoff's bound at lambda = t/(s + M t/3) gives the lemma: -lambda t + lambda^2 s/(2 (1 - lambda M/3)) "
        "= -(t^2/2)/(s + M t/3).",
        (
            equality_step(
                "the exponent at this lambda",
                lambda m, t, s, M: (
                    t / (s + M * t / 3) * t - (t / (s + M * t / 3)) ** 2 * s / (2 * (1 - t / (s + M * t / 3) * M / 3))
                ),
                lambda m, t, s, M: t * t / 2 / (s + M * t / 3),
                "t",
                "s",
                "M",
            ),
        ),
    ),
    "lemma-6/sub-gamma": Reduction(
        "Because log y <= y - 1, log E e^{lambda (X - E X)} is at most E e^{lambda X} - 1 - lambda E X. As in Lemma 6, "
        "this bound is at most lambda^2 s/(2 (1 - lambda c)) with c = M/3. Let q = sqrt(2 r/s), so that r = s q^2/2 "
        "and sqrt(2 s r) = s q. At lambda = q/(1 + c q), 1 - lambda c is 1/(1 + c q), and Chernoff's bound has the "
        "exponent -n r.",
        (
            equality_step(
                "lambda (s q + c s q^2/2) - lambda^2 s (1 + c q)/2 = s q^2/2",
                lambda m, q, s, c: (
                    q / (1 + c * q) * (s * q + c * s * q * q / 2) - (q / (1 + c * q)) ** 2 * s * (1 + c * q) / 2
                ),
                lambda m, q, s, c: s * q * q / 2,
                "q",
                "s",
                "c",
            ),
        ),
    ),
    "lemma-7": Reduction(
        "For every value of X, X 1_{|X| > B} is at most |X|^{1+v}/B^v, because |X| = x B > B implies 1 <= x^v. Take "
        "expectations.",
        (
            enclosure_step(
                "1 <= x^v for x >= 1",
                lambda m, x, v: m.number(1),
                lambda m, x, v: m.power(x, v),
                {"x": Real(1, inf, closed=True), "v": V},
            ),
        ),
    ),
    "lemma-7/second-moment": Reduction(
        "For every value of X, X^2 1_{|X| <= B} is at most |X|^{1+v} B^{1-v}, because |X| = x B <= B implies x^{1-v} "
        "<= 1. Take expectations.",
        (
            enclosure_step(
                "x^{1-v} <= 1 for x <= 1",
                lambda m, x, v: m.power(x, 1 - v),
                lambda m, x, v: m.number(1),
                {"x": Real(0, 1), "v": V},
            ),
        ),
    ),
    "lemma-8/repaired": Reduction(
        "A Laplace variable X of scale b has E e^{lambda X} = 1/(1 - lambda^2 b^2). Let r = log(2/beta)/n <= 1 and "
        "lambda b = sqrt(r/2). Chernoff's bound for n independent Laplace variables is P(|mean| > 2 sqrt(2) b sqrt(r)) "
        "<= 2 e^{-n (2 r + log(1 - r/2))} <= 2 e^{-n r} = beta.",
        (
            enclosure_step(
                "-log(1 - r/2) <= r for 0 <= r <= 1",
                lambda m, r: -m.log(1 - r / 2),
                lambda m, r: r,
                {"r": Real(0, 1, closed=True)},
            ),
        ),
    ),
    "lemma-9": Reduction(
        "A convex function lies above its tangent line at E X: psi(x) >= psi(E X) + c (x - E X). Then take "
        "expectations.",
        (),
    ),
    "lemma-10/1": Reduction(
        "The function |x|^{1+v} is convex, so at the midpoint a + b of 2a and 2b, |a + b|^{1+v} <= 2^v (|a|^{1+v} + "
        "|b|^{1+v}) <= 2 (|a|^{1+v} + |b|^{1+v}). Put a = X and b = -mu, and use |mu|^{1+v} <= E|X|^{1+v}, which is "
        "Jensen's inequality.",
        (),
    ),
    "lemma-10/2": Reduction(
        "The proof is that of (1), with a = X - mu and b = mu. Jensen's inequality is not needed.",
        (),
    ),
}
BOUNDED = f"""sum_to n adds X 0 to X (n-1), and upper_tail P Z t is P(Z >= t). {EXPECTATIONS} {INDEPENDENCE}
{ALMOST_SURELY}"""
POWER = f"""abs_power p x is |x|^p. {EXPECTATIONS}"""
LAPLACE = f"""laplace b 0 is the density of Lap(b), and the integral is over |x| >= t b. {INTEGRALS}"""
BERNSTEIN = f"""{BOUNDED} The sum s + M t/3, by which the exponent divides, is positive."""
SUB_GAMMA = f"""{BOUNDED} strict_upper_tail P Z t is P(Z > t). The theorem is about one side; the variables -X i give
the other one."""
LAPLACES = f"""The X i are independent, which the lemma does not say, but without which the repaired lemma is false too
(if all X i are equal). has_density P X p says that X has the density p: E f(X) is the integral of p f for every
continuous f >= 0 with a finite integral. Every variable with the density p has this property. laplace (s/eps) 0 is the
density of Lap(s/eps), and the mean of the indicator is the probability that |(1/n) sum X i| is at most the bound. The
witness is n = 1 and beta = 9/10: the identity on the real line, with Lebesgue's integral of the density times a
function as E. The integral is an upper integral. Here it is that of a continuous function, and so Lebesgue's integral.
{EXPECTATIONS} {INDEPENDENCE}"""
FIRST = f"""The expectation exists and is bounded. {POWER}"""
JENSEN = f"""psi is a convex function of all real numbers, by the definition with two points. E psi(X) is finite, as
otherwise it is infinite, and nothing is left to prove. {EXPECTATIONS}"""
CENTRAL = f"""The conclusion also says that both expectations exist, which is "< inf". {POWER}"""
RAW = f"""X has a mean, which the lemma calls mu. {CENTRAL}"""
THEOREMS = {
    "lemma-5": ("lemma_5", LAPLACE),
    "lemma-6": ("lemma_6", BERNSTEIN),
    "lemma-6/sub-gamma": ("lemma_6_sub_gamma", SUB_GAMMA),
    "lemma-7": ("lemma_7", FIRST),
    "lemma-7/second-moment": ("lemma_7_second_moment", FIRST),
    "lemma-8/repaired": ("lemma_8_repaired", LAPLACES),
    "lemma-9": ("lemma_9", JENSEN),
    "lemma-10/1": ("lemma_10_1", CENTRAL),
    "lemma-10/2": ("lemma_10_2", RAW),
}
proves.each(
    {name: machine_checked(__file__, *theorem)(lemma_by_argument(WORDS[name])) for name, theorem in THEOREMS.items()}
)
