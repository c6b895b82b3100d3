"""Fact A.2: Hoeffding's inequality for rewards in [0, 1], argued."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, equality_step, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import ALMOST_SURELY, EXPECTATIONS, INDEPENDENCE, machine_checked
from dpbandits.reference.papers.hu25.page import page

proves = Proofs(page)

HOEFFDING = """Let X be one of the X_i, m its mean and t > 0. Because x -> e^{tx} is convex, e^{tX} <= 1 - X + X e^t. So
E e^{tX} <= 1 - m + m e^t, which is e^{g(t)} for a function g with g(0) = 0 and g'(0) = m. Moreover, g'' = u (1 - u),
where u = m e^t/(1 - m + m e^t) is in [0, 1]. So g'' <= 1/4, and by Taylor's formula E e^{t (X - m)} <= e^{t^2/8}. For
independent X_1, ..., X_n, Markov's inequality gives P{mu_{1:n} - E[mu_{1:n}] >= a} <= exp(-n t a + n t^2/8), and at t =
4 a this bound is e^{-2 n a^2}. The same holds for the variables 1 - X_i, and the probabilities of both tails add up to
at most 2 e^{-2 n a^2}."""

FACT_A_2 = Reduction(
    " ".join(HOEFFDING.split()),
    (
        equality_step(
            "1/4 - u (1 - u) is the square of u - 1/2",
            lambda m, u: m.number("0.25") - u * (1 - u),
            lambda m, u: (u - m.number("0.5")) ** 2,
            "u",
        ),
        equality_step(
            "t a - t^2/8 = 2 a^2 at t = 4 a", lambda m, a: 4 * a * a - (4 * a) ** 2 / 8, lambda m, a: 2 * a * a, "a"
        ),
    ),
)

AVERAGE = f"""average is mu_(1:n), and far_from W P Z m t is P(|Z - m| >= t). {EXPECTATIONS} {INDEPENDENCE}
{ALMOST_SURELY}"""
proves("fact-a.2")(machine_checked(__file__, "fact_a_2", AVERAGE)(lemma_by_argument(FACT_A_2)))
