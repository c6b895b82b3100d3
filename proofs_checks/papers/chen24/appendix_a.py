"""Lemmas A.1, A.3 and A.4, argued in words."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import ALMOST_SURELY, EXPECTATIONS, INDEPENDENCE, machine_checked
from dpbandits.reference.papers.chen24.page import page

proves = Proofs(page)
HOEFFDING = Reduction(
    "Write X in [a, b] as a + (b - a) Y. The second derivative of log E e^{sY} is the variance of Y under the law with "
    "density e^{sY}/E e^{sY} with respect to the law of Y. As Y is in [0, 1], this variance is at most q - q^2 <= 1/4, "
    "where q is the mean under that law. At s = 0 the function is 0 and its derivative is E Y, so by Taylor's formula "
    "log E e^{s (X - E X)} <= s^2 (b - a)^2/8. For independent X_i these bounds add up, and by Markov's inequality for "
    "e^{s (S_n - E S_n)} the probability in (25) is at most exp(s^2 sum (b_i - a_i)^2/8 - s epsilon), for every s > 0. "
    "Inequality (26) follows from (25) for X and for -X.",
    (),
)


SUMS = f"""sum_to n adds X 0 to X (n-1). {EXPECTATIONS} {INDEPENDENCE}"""
BOTH_TAILS = f"""upper_tail P Z t is P(Z >= t) and far_from W P S m t is P(|S - m| >= t); the sum of (b_i - a_i)^2, by
which the exponent divides, is positive. {SUMS} {ALMOST_SURELY}"""
proves("lemma-a.1")(machine_checked(__file__, "lemma_a_1", BOTH_TAILS)(lemma_by_argument(HOEFFDING)))
COMBINATION = Reduction(
    "For |lambda| < 1/b, |lambda a_i| < 1/b_i. Terms with a_i = 0 contribute nothing. By independence E exp(lambda "
    "sum a_i X_i) is the product of E exp(lambda a_i X_i) <= exp(lambda^2 a_i^2 tau_i^2/2), and exponents add up.",
    (),
)


SUM_TERMS = f"""sub_exponential is Definition A.2 with the parameters (tau2, b), and that E exp(lambda X) is finite. The
largest b_i |a_i|, largest_to, is positive: otherwise all a_i are 0, and the sum has no b > 0 of this form. {SUMS}"""
proves("lemma-a.3")(machine_checked(__file__, "lemma_a_3", SUM_TERMS)(lemma_by_argument(COMBINATION)))
TAILS = Reduction(
    "By Markov's inequality for e^{lambda X}, the probability is at most exp(lambda^2 tau^2/2 - lambda epsilon) for "
    "0 < lambda < 1/b. For epsilon < tau^2/b, take lambda = epsilon/tau^2. For epsilon >= tau^2/b, take the limit "
    "lambda = 1/b, as the bound is continuous in lambda.",
    (),
)


TWO_RANGES = f"""sub_exponential is Definition A.2 with the parameters (tau^2, b), and that E exp(lambda X) is finite;
upper_tail P Z t is P(Z >= t). The first bound divides by tau. {EXPECTATIONS}"""
proves("lemma-a.4")(machine_checked(__file__, "lemma_a_4", TWO_RANGES)(lemma_by_argument(TAILS)))
