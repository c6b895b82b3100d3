"""Claims of Section 2.2: Gaussian differential privacy, composition, the Gaussian mechanism."""

from __future__ import annotations

from math import inf
from typing import Any

from dpbandits.reference.curves import composed, gaussian_delta
from dpbandits.reference.ledger import PROVED, Claim, Identity, Inequality, Real, Source, Whole
from dpbandits.reference.papers.ou24.privacy_formulas import threshold_delta

EPS = Real(0, inf, closed=True)
MU = Real(0, inf)
LINE = Real(-inf, inf)
ROUNDS = Whole(1)
DEFINITION_2 = Source(
    "ou24",
    "Definition 2 (arXiv: Lemma 1)",
    "A mechanism M is eta-GDP if and only if it is (eps, delta(eps))-DP for all eps >= 0, where "
    "delta(eps) = Phi(-eps/eta + eta/2) - e^eps Phi(-eps/eta - eta/2).",
)


def product_profile(m: Any, eps: Any, etas: list[Any]) -> Any:
    """The profile of independent N(eta_t, 1) against N(0, 1): their loss is N(V/2, V) with V = sum eta_t^2."""
    variance = sum((eta**2 for eta in etas), m.number(0))
    scale = m.sqrt(variance)
    return m.ncdf((variance / 2 - eps) / scale) - m.exp(eps) * m.ncdf((-variance / 2 - eps) / scale)


SECTION_2 = (
    Claim(
        "ou24/definition-2",
        DEFINITION_2,
        Inequality(
            left=lambda m, eps, mu, t: threshold_delta(m, eps, mu, t),
            right=lambda m, eps, mu, t: gaussian_delta(m, eps, mu),
            over={"eps": EPS, "mu": MU, "t": LINE},
        ),
        reading="delta(eps) is the most that any test shows",
        expect=PROVED,
        note="By Neyman and Pearson the best tests between N(0,1) and N(mu,1) are thresholds; the largest value "
        "over all thresholds t is an independent form of delta(eps). As every point of the trade-off curve is a "
        "threshold, this with the next claim is the 'if and only if'.",
    ),
    Claim(
        "ou24/definition-2/attained",
        DEFINITION_2,
        Identity(
            left=lambda m, eps, mu: threshold_delta(m, eps, mu, eps / mu + mu / 2),
            right=lambda m, eps, mu: gaussian_delta(m, eps, mu),
            over={"eps": EPS, "mu": MU},
        ),
        reading="the threshold eps/mu + mu/2 shows delta(eps)",
        expect=PROVED,
        note="So the maximum is attained, and the formula cannot be improved.",
    ),
    Claim(
        "ou24/definition-2/monotone",
        DEFINITION_2,
        Inequality(
            left=lambda m, eps, mu, more: gaussian_delta(m, eps, mu),
            right=lambda m, eps, mu, more: gaussian_delta(m, eps, mu + more),
            over={"eps": EPS, "mu": MU, "more": Real(0, inf, closed=True)},
        ),
        reading="a larger eta promises less",
        follows=("ou24/definition-2", "ou24/definition-2/attained"),
        by="the maximum over thresholds: each threshold shows more for a larger mu",
        expect=PROVED,
        note="Used wherever a bound on the GDP parameter is turned into a bound on delta.",
    ),
    Claim(
        "ou24/lemma-1",
        Source(
            "ou24",
            "Lemma 1 (arXiv: Lemma 2)",
            "Let M_t be an eta_t-GDP mechanism, for t = 1, ..., T. Then the adaptive T-fold composition of all M_1, "
            "..., M_T is sqrt(sum_t eta_t^2)-GDP.",
        ),
        Identity(
            left=lambda m, eps, first, second, third: product_profile(m, eps, [first, second, third]),
            right=lambda m, eps, first, second, third: gaussian_delta(m, eps, composed(m, [first, second, third])),
            over={"eps": EPS, "first": MU, "second": MU, "third": MU},
        ),
        reading="three Gaussian mechanisms, which is the worst case",
        expect=PROVED,
        note="The loss of independent normals is normal with mean M^2/2 and variance M^2, M^2 = sum eta_t^2: so the "
        "bound is attained. That adaptive mechanisms are no worse is the cited theorem (Dong, Roth, Su 2022).",
    ),
    Claim(
        "ou24/gaussian-mechanism",
        Source(
            "ou24",
            "Section 2.2",
            "The Gaussian Mechanism satisfies (s_f/sigma)-GDP, where s_f is the sensitivity of f.",
        ),
        Inequality(
            left=lambda m, eps, s, sigma, share, t: threshold_delta(m, eps, share * s / sigma, t),
            right=lambda m, eps, s, sigma, share, t: gaussian_delta(m, eps, s / sigma),
            over={"eps": EPS, "s": MU, "sigma": MU, "share": Real(-1, 1, closed=True), "t": LINE},
        ),
        reading="any move of f by share * s, any threshold",
        follows=("ou24/definition-2", "ou24/definition-2/monotone"),
        by="monotonicity in |share|; a move to the left is shown by the mirrored test",
        expect=PROVED,
        note="In units of sigma the two releases are normals at distance |share| s/sigma <= s/sigma.",
    ),
)
