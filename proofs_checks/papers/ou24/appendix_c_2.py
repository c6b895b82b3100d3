"""Reductions for the claims of Appendices C.2 and C.3: Theorem 8, and which analysis is tighter."""

from __future__ import annotations

from typing import Any

from dpbandits.proofs_checks.judge.reductions import Reduction, encloses, same
from dpbandits.proofs_checks.papers.ou24.section_2_to_4 import TAIL
from dpbandits.reference.curves import gaussian_delta
from dpbandits.reference.ledger import Real
from dpbandits.reference.papers.ou24.privacy_formulas import best_renyi_eps, lemma_3_mu, theorem_8_eps


def log_inverse(m: Any, delta: Any) -> Any:
    return m.log(1 / delta)


def both_halves(m: Any, T: Any, alpha: Any, delta: Any, sign: int) -> Any:
    """(alpha-1) mu/2 + sign * l/((alpha-1) mu), l = log(1/delta)."""
    mu = lemma_3_mu(m, T)
    return (alpha - 1) * mu / 2 + sign * log_inverse(m, delta) / ((alpha - 1) * mu)


THEOREM_8 = Reduction(
    "Let l = log(1/delta), mu = sqrt(T/2). z := eps/mu - mu/2 = (alpha-1) mu/2 + l/((alpha-1) mu), and z^2 >= 2l, the "
    "inequality of the means. So GDP's delta is at most Q(z) <= Q(sqrt(2l)) <= exp(-l)/2 = delta/2.",
    (
        TAIL,
        same(
            "eps/mu - mu/2 = (alpha-1) mu/2 + l/((alpha-1) mu)",
            lambda m, T, alpha, delta: theorem_8_eps(m, T, alpha, delta) / lemma_3_mu(m, T) - lemma_3_mu(m, T) / 2,
            lambda m, T, alpha, delta: both_halves(m, T, alpha, delta, 1),
            "T",
            "alpha",
            "delta",
        ),
        same(
            "z^2 - 2l = ((alpha-1) mu/2 - l/((alpha-1) mu))^2",
            lambda m, T, alpha, delta: both_halves(m, T, alpha, delta, 1) ** 2 - 2 * log_inverse(m, delta),
            lambda m, T, alpha, delta: both_halves(m, T, alpha, delta, -1) ** 2,
            "T",
            "alpha",
            "delta",
        ),
    ),
)
NO_WORSE = Reduction(
    "z := eps/mu - mu/2 is sqrt(2 log(1/delta)) at the best order, so GDP's delta is at most Q(z) <= delta/2.",
    (
        TAIL,
        same(
            "(eps/mu - mu/2)^2 = 2 log(1/delta)",
            lambda m, T, delta: (best_renyi_eps(m, T, delta) / lemma_3_mu(m, T) - lemma_3_mu(m, T) / 2) ** 2,
            lambda m, T, delta: 2 * log_inverse(m, delta),
            "T",
            "delta",
        ),
    ),
)
BEST_ORDER = Reduction(
    "The difference is a square over (alpha-1) T.",
    (
        same(
            "eps(alpha) - T/4 - s = ((alpha-1) T/2 - s)^2/((alpha-1) T), s = sqrt(T log(1/delta))",
            lambda m, T, alpha, delta: theorem_8_eps(m, T, alpha, delta) - best_renyi_eps(m, T, delta),
            lambda m, T, alpha, delta: (
                ((alpha - 1) * T / 2 - m.sqrt(T * log_inverse(m, delta))) ** 2 / ((alpha - 1) * T)
            ),
            "T",
            "alpha",
            "delta",
        ),
    ),
)
DEPENDS_ON_N = Reduction(
    "eps_TS increases strictly with the step's eps, which increases strictly with N where its logarithm is positive.",
    (
        encloses(
            "0 < log((N-1)/(2 delta)) already at N = 2 and delta = 0.001",
            lambda m: m.number(1),
            lambda m: m.log(1 / (2 * m.number("0.001"))),
            {},
        ),
    ),
)
ADVANTAGE = Reduction(
    "Let R(eps) = mu^2/2 + mu sqrt(2l), l = -log delta(eps), mu^2 = 500. As delta' = -e^eps Phi(-eps/mu - mu/2), "
    "R' = mu e^eps Phi(-eps/mu - mu/2)/(delta sqrt(2l)). Where R' <= 1, R(eps) - eps falls.",
    (
        encloses(
            "mu e^eps Phi(-eps/mu - mu/2) <= delta(eps) sqrt(2 log(1/delta(eps))) for 250 <= eps <= 400",
            lambda m, eps: (
                lemma_3_mu(m, 1000) * m.exp(eps) * m.ncdf(-eps / lemma_3_mu(m, 1000) - lemma_3_mu(m, 1000) / 2)
            ),
            lambda m, eps: (
                gaussian_delta(m, eps, lemma_3_mu(m, 1000))
                * m.sqrt(2 * m.log(1 / gaussian_delta(m, eps, lemma_3_mu(m, 1000))))
            ),
            {"eps": Real(250, 400, closed=True)},
        ),
    ),
)
ADVANTAGE_IN_DELTA = Reduction(
    "The logarithm of the ratio has the derivative e^eps Phi(-eps/mu - mu/2)/delta(eps) - (eps - 250)/500, mu^2 = 500. "
    "Where that is not negative, the ratio grows.",
    (
        encloses(
            "(eps - 250) delta(eps) <= 500 e^eps Phi(-eps/mu - mu/2) for 250 <= eps <= 400",
            lambda m, eps: (eps - 250) * gaussian_delta(m, eps, lemma_3_mu(m, 1000)),
            lambda m, eps: 500 * m.exp(eps) * m.ncdf(-eps / lemma_3_mu(m, 1000) - lemma_3_mu(m, 1000) / 2),
            {"eps": Real(250, 400, closed=True)},
        ),
    ),
)
FORMS = Reduction(
    "r^alpha = r r^(alpha-1).",
    (
        same(
            "alpha log r = log r + (alpha - 1) log r",
            lambda m, alpha, log_r: alpha * log_r,
            lambda m, alpha, log_r: log_r + (alpha - 1) * log_r,
            "alpha",
            "log_r",
        ),
    ),
)
