"""Appendix C.2: Theorem 8, by Renyi divergences."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, equality_step, reductions
from dpbandits.proofs_checks.papers.ou24.section_2 import TAIL
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
    "Let l = log(1/delta), mu = sqrt(T/2). z := eps/mu - mu/2 = (alpha-1) mu/2 + l/((alpha-1) mu), and z^2 >= 2l, the "
    "inequality of the means. So GDP's delta is at most Q(z) <= Q(sqrt(2l)) <= exp(-l)/2 = delta/2.",
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

proves.each(reductions(chapter, {"theorem-8/formula": THEOREM_8, "definition-3/forms": FORMS}))
