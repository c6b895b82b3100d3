"""How much noise private linear UCB adds, written once.

m: the vocabulary. log_risk: ln(4/delta); eps: the privacy parameter; nodes: the p-sums that a round may be in;
squared_length: L^2, of a context and its reward together.
"""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary


def noise_variance(m: Vocabulary, nodes: Number, squared_length: Number, log_risk: Number, eps: Number) -> Number:
    """Line 2's sigma^2 = 16 m L^4 ln(4/delta)^2/eps^2."""
    return 16 * nodes * squared_length**2 * log_risk**2 / eps**2


def gaussian_privacy(m: Vocabulary, log_risk: Number, eps: Number) -> Number:
    """What all noisy p-sums together are: mu-GDP with mu = eps/(4 ln(4/delta))."""
    return eps / (4 * log_risk)


def gaussian_delta(m: Vocabulary, mu: Number, eps: Number) -> Number:
    """The least delta with which mu-GDP is (eps, delta)-DP (Dong, Roth and Su 2022, Corollary 2.13)."""
    return m.ncdf(mu / 2 - eps / mu) - m.exp(eps) * m.ncdf(-mu / 2 - eps / mu)
