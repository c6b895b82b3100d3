"""Reductions for the privacy claims of Sections 2 to 4 that branch and bound leaves open, and shared steps."""

from __future__ import annotations

from math import inf
from typing import Any

from dpbandits.proofs_checks.judge.reductions import Reduction, encloses, never_less, same
from dpbandits.reference.curves import gaussian_delta, threshold_delta
from dpbandits.reference.ledger import Real, Whole
from dpbandits.reference.papers.ou24.privacy_formulas import lemma_3_mu, lemma_4_mu, sharp_mu

POSITIVE = Real(0, inf)
NOT_NEGATIVE = Real(0, inf, closed=True)
SHARE = Real(0, 1, closed=True)
TAIL = encloses(
    "Q(z) <= exp(-z^2/2)/2 for 0 <= z <= 0.8 (beyond, by Mill's inequality Q(z) <= phi(z)/z, as z sqrt(2 pi) >= 2)",
    lambda m, z: m.ncdf(-z),
    lambda m, z: m.exp(-z * z / 2) / 2,
    {"z": Real(0, 0.8, closed=True)},
)
# The two halves of Definition 2's maximum over thresholds t.
SLOPE = same(
    "the logarithm of phi(mu - t)/(e^eps phi(t)) is mu (t - eps/mu - mu/2)",
    lambda m, eps, mu, t: t * t / 2 - (mu - t) ** 2 / 2 - eps,
    lambda m, eps, mu, t: mu * (t - eps / mu - mu / 2),
    "eps",
    "mu",
    "t",
)
ATTAINED = same(
    "delta(eps; mu) = Phi(mu - t) - e^eps Phi(-t) at t = eps/mu + mu/2",
    lambda m, eps, mu: threshold_delta(m, eps, mu, eps / mu + mu / 2),
    gaussian_delta,
    "eps",
    "mu",
)
DEFINITION_2 = Reduction(
    "In t, Phi(mu - t) - e^eps Phi(-t) has the derivative e^eps phi(t) - phi(mu - t), which is positive before t = "
    "eps/mu + mu/2 and negative after it: so its maximum is there, and it is delta(eps).",
    (SLOPE, ATTAINED),
)
MONOTONE = Reduction(
    "At the threshold that shows delta(eps; mu), a larger mu shows more, as Phi increases; and no threshold shows "
    "more than delta(eps; mu + more), by Definition 2's maximum.",
    (ATTAINED, SLOPE),
)
GAUSSIAN_MECHANISM = Reduction(
    "share > 0: a threshold test shows at most delta(eps; share s/sigma), by Definition 2's maximum, and that is at "
    "most delta(eps; s/sigma), which increases with s/sigma. share <= 0: the test shows nothing, as "
    "Phi(mu - t) <= Phi(-t) <= e^eps Phi(-t).",
    (
        SLOPE,
        ATTAINED,
        never_less(
            "share s/sigma <= s/sigma",
            lambda m, s, sigma, share: share * s / sigma,
            lambda m, s, sigma, share: s / sigma,
            {"s": POSITIVE, "sigma": POSITIVE, "share": SHARE},
        ),
    ),
)
MODIFIED_MONOTONE = Reduction(
    "delta(eps; mu) increases with mu, by Definition 2's maximum, and mu falls as b and c grow.",
    (
        SLOPE,
        ATTAINED,
        never_less(
            "sqrt(T/((c + more_c)(b + more_b + 1))) <= sqrt(T/(c(b+1)))",
            lambda m, T, b, c, more_b, more_c: lemma_4_mu(m, T, b + more_b, c + more_c),
            lambda m, T, b, c, more_b, more_c: lemma_4_mu(m, T, b, c),
            {"T": Whole(1), "b": Whole(0), "c": Real(1, inf), "more_b": Whole(0), "more_c": NOT_NEGATIVE},
        ),
    ),
)

BRACKET = Reduction(
    "Squared and times c(b+1): T <= T^2.",
    (never_less("T <= T^2", lambda m, T: T, lambda m, T: T * T, {"T": Whole(1)}),),
)
SHARP_MONOTONE = Reduction(
    "delta(eps; mu) increases with mu, by Definition 2's maximum, and sqrt((T-1)/2) is less than sqrt(T/2).",
    (
        SLOPE,
        ATTAINED,
        never_less(
            "sqrt((T-1)/2) <= sqrt(T/2)",
            lambda m, T: sharp_mu(m, T),
            lambda m, T: lemma_3_mu(m, T),
            {"T": Whole(2)},
        ),
    ),
)


def place(m: Any, x: Any) -> Any:
    """Where the eps with eps/mu - mu/2 = x at mu^2 = 1000 lies after both changes: 0.6 eps at mu^2 = 500."""
    eps = m.sqrt(m.number(1000)) * x + 500
    return m.number("0.6") * eps / m.sqrt(m.number(500)) - m.sqrt(m.number(500)) / 2


DRAMATIC = Reduction(
    "With x = eps/mu - mu/2 and mu^2 = 1000: delta(eps; mu) = Q(x) - e^eps Q(x + mu), and e^eps Q(x + mu) <= "
    "phi(x)/(x + mu) by Mill's inequality; while delta(0.6 eps) at mu^2 = 500 is at most Q of its own place.",
    (
        encloses(
            "Q(place) + phi(x)/(x + sqrt(1000)) <= Q(x) for 0 <= x <= 7",
            lambda m, x: m.ncdf(-place(m, x)) + m.exp(-x * x / 2) / m.sqrt(2 * m.pi) / (x + m.sqrt(m.number(1000))),
            lambda m, x: m.ncdf(-x),
            {"x": Real(0, 7, closed=True)},
        ),
        encloses(
            "eps <= 720 is x < 7",
            lambda m: m.number(720),
            lambda m: 7 * m.sqrt(m.number(1000)) + 500,
            {},
        ),
    ),
)
