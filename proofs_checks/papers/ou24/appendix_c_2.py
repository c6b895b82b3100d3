"""Appendix C.2: Theorem 8, by Renyi divergences."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import (
    Reduction,
    equality_step,
    lemma_by_argument,
    reductions_of_chapter,
)
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.proofs_checks.papers.ou24.section_2 import PHI, TAIL
from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary
from dpbandits.reference.papers.ou24.appendix_c_2 import chapter
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.privacy_formulas import lemma_3_mu, theorem_8_eps

proves = Proofs(page)


def log_inverse(m: Vocabulary, delta: Number) -> Number:
    return m.log(1 / delta)


def both_halves(m: Vocabulary, T: Number, alpha: Number, delta: Number, sign: int) -> Number:
    """(alpha-1) mu/2 + sign * l/((alpha-1) mu), l = log(1/delta)."""
    mu = lemma_3_mu(m, T)
    return (alpha - 1) * mu / 2 + sign * log_inverse(m, delta) / ((alpha - 1) * mu)


THEOREM_8 = Reduction(
    "Let l = log(1/delta), mu = sqrt(T/2). Let z = eps/mu - mu/2 = (alpha-1) mu/2 + l/((alpha-1) mu). Then z^2 >= 2l "
    "by the inequality of arithmetic and geometric means. So GDP's delta is at most Q(z) <= Q(sqrt(2l)) <= exp(-l)/2 "
    "= delta/2.",
    (
        TAIL,
        equality_step(
            "eps/mu - mu/2 = (alpha-1) mu/2 + l/((alpha-1) mu)",
            lambda m, T, alpha, delta: theorem_8_eps(m, T, alpha, delta) / lemma_3_mu(m, T) - lemma_3_mu(m, T) / 2,
            lambda m, T, alpha, delta: both_halves(m, T, alpha, delta, 1),
            "T",
            "alpha",
            "delta",
        ),
        equality_step(
            "z^2 - 2l = ((alpha-1) mu/2 - l/((alpha-1) mu))^2",
            lambda m, T, alpha, delta: both_halves(m, T, alpha, delta, 1) ** 2 - 2 * log_inverse(m, delta),
            lambda m, T, alpha, delta: both_halves(m, T, alpha, delta, -1) ** 2,
            "T",
            "alpha",
            "delta",
        ),
    ),
)

FORMS = Reduction(
    "r^alpha = r r^(alpha-1).",
    (
        equality_step(
            "alpha log r = log r + (alpha - 1) log r",
            lambda m, alpha, log_r: alpha * log_r,
            lambda m, alpha, log_r: log_r + (alpha - 1) * log_r,
            "alpha",
            "log_r",
        ),
    ),
)

FROM_GDP = """Let P and Q be the laws of a release on two neighbours, and let L = dP/dQ. Let E(g) be the maximum of P(S)
- g Q(S) over all events S, and E'(g) the maximum of Q(S) - g P(S). Let f(x) = x^alpha - 1 - alpha (x - 1), so that f(1)
= f'(1) = 0 and f'' >= 0. By Taylor's formula, f(x) is the integral of f''(g) (x - g)_+ over g > 1 plus the integral of
f''(g) (g - x)_+ over g < 1. Under Q, the mean of (L - g)_+ is at most E(g), and the mean of (g - L)_+ is g E'(1/g). By
Definition 2, for P and Q in either order, both means are at most the corresponding values of a Gaussian mechanism with
this mu, which attains its values by threshold tests. So the mean of f(L) under Q is at most that of the Gaussian
mechanism. As L has mean 1, the mean of f(L) is the mean of L^alpha minus 1, so the mean of L^alpha is at most exp(alpha
(alpha-1) mu^2/2), the value for the Gaussian mechanism. P is absolutely continuous with respect to Q: an event with
Q-probability 0 has a P-probability of at most E(g) for all g, and E(g) tends to 0."""

FORMULA_SAYS = f"renyi_eps is Theorem 8's eps, gaussian_delta(mu, eps) the formula of Definition 2. {PHI}"
EVERY_RUN = Reduction("At this eps, `ou24/lemma-3/every-run` gives a smaller delta (`ou24/theorem-8/formula`).", ())
EVERY_RUN_SAYS = f"""pulls_private is (eps, delta)-DP of the list of all pulls of a run, and renyi_eps the eps of the
quote. Algorithm 1 has no pre-pulls ([]), variance and prior count 1, and the first one among ties; neighbours are of
either relation r, and rewards lie in [0, 1]. {INTEGRALS}"""

in_words = reductions_of_chapter(chapter, {"theorem-8/formula": THEOREM_8, "definition-3/forms": FORMS})
proves("c2/from-gdp")(lemma_by_argument(Reduction(" ".join(FROM_GDP.split()), ())))
proves("definition-3/forms")(in_words["definition-3/forms"])
proves("theorem-8/formula")(machine_checked(__file__, "theorem_8_formula", FORMULA_SAYS)(in_words["theorem-8/formula"]))
proves("theorem-8/every-run")(machine_checked(__file__, "theorem_8", EVERY_RUN_SAYS)(lemma_by_argument(EVERY_RUN)))
