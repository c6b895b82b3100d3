"""The formulas that the paper prints, each against a vocabulary m, in the paper's order.

v: in (0, 1], the moments' order less 1. u: their bound. p = (1+v)/v and q = v/(1+v) = 1/p are the exponents of all
rates. L: what the algorithms call log(4|S|tau^2/beta) or log(8|S|tau^2/beta). D: D_tau. All logarithms are natural.
"""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary

# -- Algorithms 1 and 2 --------------------------------------------------------------------------------------------


def tree_log(m: Vocabulary, T: Number) -> Number:
    """log^1.5 T."""
    return m.power(m.log(T), m.number("1.5"))


def threshold_1(m: Vocabulary, eps: Number, v: Number, u: Number, T: Number, n: Number) -> Number:
    """B_n = (eps u n/log^1.5 T)^{1/(1+v)}. Algorithm 1, line 4."""
    return m.power(eps * u * n / tree_log(m, T), 1 / (1 + v))


def width_unit(m: Vocabulary, eps: Number, v: Number, u: Number, T: Number, n: Number, ell: Number) -> Number:
    """u^{1/(1+v)} (ell log^1.5 T/(eps n))^{v/(1+v)}, in which (13) to (15) are written; ell = log(1/delta)."""
    return m.power(u, 1 / (1 + v)) * m.power(ell * tree_log(m, T) / (eps * n), v / (1 + v))


def width(m: Vocabulary, eps: Number, v: Number, u: Number, T: Number, n: Number, ell: Number) -> Number:
    """u^{1/(1+v)} (ell log^{1.5 + 1/v} T/(n eps))^{v/(1+v)}: line 13 and Lemma 3, without the 18."""
    logs = m.power(m.log(T), m.number("1.5") + 1 / v)
    return m.power(u, 1 / (1 + v)) * m.power(ell * logs / (n * eps), v / (1 + v))


def log_2t4(m: Vocabulary, t: Number) -> Number:
    """log(2 t^4), written so that no horizon overflows."""
    return m.log(m.number(2)) + 4 * m.log(t)


def two_laplace_tail(m: Vocabulary, x: Number) -> Number:
    """P(|X + Y| > x) for two standard Laplace variables, x >= 0: (1 + x/2) e^{-x}."""
    return (1 + x / 2) * m.exp(-x)


# -- Algorithm 3 ---------------------------------------------------------------------------------------------------


def log_3(m: Vocabulary, S: Number, tau: Number, beta: Number) -> Number:
    """log(4|S|tau^2/beta)."""
    return m.log(4 * S * tau * tau / beta)


def length_3(m: Vocabulary, eps: Number, v: Number, u: Number, L: Number, D: Number) -> Number:
    """u^{1/v} 24^p L/(eps D^p) + 1: R_tau before it is rounded up. Line 8."""
    p = (1 + v) / v
    return m.power(u, 1 / v) * m.power(m.number(24), p) * L / (eps * m.power(D, p)) + 1


def threshold_3(m: Vocabulary, eps: Number, v: Number, u: Number, L: Number, R: Number) -> Number:
    """B_tau = (u R eps/L)^{1/(1+v)}. Line 9."""
    return m.power(u * R * eps / L, 1 / (1 + v))


def err_3(m: Vocabulary, eps: Number, v: Number, u: Number, L: Number, R: Number) -> Number:
    """err_tau = u^{1/(1+v)} (L/(R eps))^{v/(1+v)}. Line 21."""
    return m.power(u, 1 / (1 + v)) * m.power(L / (R * eps), v / (1 + v))


# -- Algorithm 4 ---------------------------------------------------------------------------------------------------


def log_4(m: Vocabulary, S: Number, tau: Number, beta: Number) -> Number:
    """log(8|S|tau^2/beta)."""
    return m.log(8 * S * tau * tau / beta)


def length_4(m: Vocabulary, eps: Number, v: Number, u: Number, L: Number, D: Number) -> Number:
    """u^{2/v} 28^{2p} L/(eps^2 D^{2p}) + L: R_tau before it is rounded up. Line 8."""
    p2 = 2 * (1 + v) / v
    return m.power(u, 2 / v) * m.power(m.number(28), p2) * L / (eps * eps * m.power(D, p2)) + L


def threshold_4(m: Vocabulary, eps: Number, v: Number, u: Number, L: Number, R: Number) -> Number:
    """B_tau = (u sqrt(R) eps/sqrt(L))^{1/(1+v)}. Line 9."""
    return m.power(u * m.sqrt(R) * eps / m.sqrt(L), 1 / (1 + v))


def printed_err_4(m: Vocabulary, eps: Number, v: Number, u: Number, L: Number, R: Number) -> Number:
    """err_tau = u^{1/(1+v)} (sqrt(L)/(R eps))^{v/(1+v)}. Line 21, where R has no root."""
    return m.power(u, 1 / (1 + v)) * m.power(m.sqrt(L) / (R * eps), v / (1 + v))


def err_4(m: Vocabulary, eps: Number, v: Number, u: Number, L: Number, R: Number) -> Number:
    """u^{1/(1+v)} (sqrt(L)/(sqrt(R) eps))^{v/(1+v)}: what the proof of Theorem 7 bounds deviations by."""
    return m.power(u, 1 / (1 + v)) * m.power(m.sqrt(L) / (m.sqrt(R) * eps), v / (1 + v))
