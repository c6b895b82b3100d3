"""Appendix C: Lemma C.1, sums and expectations, each reduced to finitely many intervals.

Notation: Q = 1 - Phi, h = 1/Q, which increases. Hoeffding's inequality says that D = (mu - mu-hat) sqrt(s), for the
mean mu-hat of s rewards in [0, 1], has P(D >= x) <= e^{-2x^2} for x >= 0. For an increasing f >= 0 that gives
E f(D) <= f(0) + int_0^inf f'(x) e^{-2x^2} dx, and the integral is at most a Riemann-Stieltjes sum:
sum_k (f(x_{k+1}) - f(x_k)) e^{-2 x_k^2}, plus the tail.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import one_line
from dpbandits.proofs_checks.formulas.theorems import EXPECTATIONS, INDEPENDENCE, machine_checked
from dpbandits.proofs_checks.papers.hu25.shared import finding, m, total
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.claims.model import Claim, Finding
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.page import page

proves = Proofs(page)
SAMPLES = f"""X 0, ..., X (s-1) are the first s rewards of arm 1, independent, in [0, 1] and with the mean mu; average
is mu-hat_{{1,s}}. sample_above is the probability that a normal sample with the mean mu-hat_{{1,s}} and the variance
ln^alpha(T)/s exceeds z, and inverse_excess is 1/P{{theta_{{1,s}} > z | mu-hat_{{1,s}}}} - 1. alpha is in [0, 1].
{EXPECTATIONS} {INDEPENDENCE}"""


@proves("lemma-c.1/3.176")
def ring_sum(claim: Claim, effort: Effort, seed: int) -> Finding:
    """sum of ring_term. Beyond r = N >= 200: 2 sqrt(ln(r+2)) + 1/sqrt(ln(r+2)) <= sqrt(r+1) (both sides at 201:
    5.04 and 14.2, and the right one grows faster), so a term is at most 2 sqrt(pi) (1 + 1/(N+1)) (r+1)^{-5/2}, and
    the tail at most (4/3) sqrt(pi) (1 + 1/(N+1)) (N+1)^{-3/2}."""
    last = 4000
    n = m.number(last + 1)
    tail = m.sqrt(m.pi) * (1 + 1 / n) * 4 / (3 * n * m.sqrt(n))
    body = total(lambda r: f.ring_term(m, m.number(r)), last)
    bare = total(lambda r: f.printed_ring_term(m, m.number(r)), last)
    text = f"The last but one printed line, without the factor r + 2, sums to {bare.middle:.4f} instead."
    return finding(
        claim, body + tail, m.number("3.176"), "the sum with the factor r + 2", f"{one_line(ring_sum)} {text}"
    )


@proves("lemma-c.1/7.034")
def tail_sum(claim: Claim, effort: Effort, seed: int) -> Finding:
    """sum of tail_term. Beyond N, with a = 1/N: sqrt(r+1) <= sqrt(1+a) sqrt(r) and ln(r+1) <= ln r + a, and the
    summand bound decreases, so the tail is at most sqrt(1+a) int_N^inf x^{-3/2} (sqrt(ln x + a) + 1) dx; with
    sqrt(u) <= (u + w)/(2 sqrt w), w = ln N + 2, and int x^{-3/2} ln x = 2 N^{-1/2} (ln N + 2), it is at most
    sqrt(1+a) 2 N^{-1/2} (1 + (2 w + a)/(2 sqrt w))."""
    last = 60_000
    n = m.number(last)
    w = m.log(n) + 2
    tail = m.sqrt(1 + 1 / n) * 2 / m.sqrt(n) * (1 + (2 * w + 1 / n) / (2 * m.sqrt(w)))
    # In doubles: every summand has a handful of correctly rounded operations (log within an ulp), and a sum of
    # 60 000 positive numbers adds at most 60 000 roundings of 2^-53, so 1e-10 covers both by far.
    body = m.number(float(f.tail_term(doubles, np.arange(1.0, last + 1)).sum())) * (1 + m.number("1e-10"))
    return finding(claim, body + tail, m.number("7.034"), "the sum", one_line(tail_sum))


def inverse_tail(x: Any) -> Any:
    """h(x) = 1/Q(x)."""
    return 1 / m.ncdf(-x)


@proves("lemma-c.1/12.34")
@machine_checked(__file__, "lemma_c_1_first", SAMPLES)
def lemma_c1_first(claim: Claim, effort: Effort, seed: int) -> Finding:
    """E h(D/ln^{alpha/2} T) - 1 with ln T >= 1, so at most E h(max(D, 0)) - 1 <= h(0) - 1 + int h'(x) e^{-2x^2} dx.
    Sum over steps of 1/200 up to 6; beyond, by parts, int h' e^{-2x^2} <= int h 4x e^{-2x^2} dx with
    h(x) <= sqrt(2 pi) (x + 1/x) e^{x^2/2} is below int 8 sqrt(2 pi) x^2 e^{-3x^2/2} dx < 10^-20."""
    value, x, before = m.number(1), m.number(0), m.number(2)
    for k in range(1200):
        after = inverse_tail(m.number(k + 1) / 200)
        value = value + (after - before) * m.exp(-2 * x * x)
        x, before = m.number(k + 1) / 200, after
    argument = one_line(lemma_c1_first) + (
        " So the constant 12.34 can be replaced by this bound; the largest value that exact binomial sums show is "
        "near 1.414, for rewards 0 and 1 with mean 1/2 and large s."
    )
    return finding(claim, value + m.number("1e-20"), m.number("12.34"), "the expectation", argument)


@proves("lemma-c.1/72")
@machine_checked(__file__, "lemma_c_1_second", f"Delta, which is gap, is in (0, 1]. {SAMPLES}")
def lemma_c1_second(claim: Claim, effort: Effort, seed: int) -> Finding:
    """With y = T Delta^2 = e^v, v > 1, and k = (1 + sqrt 2) sqrt(v): the condition on s says that theta_{1,s} exceeds
    mu_1 - Delta/2 with probability at least Q(D/ln^{alpha/2} T - k), so by parts the expectation is at most
    int_0^inf (h(x - k) - 1) 4x e^{-2x^2} dx. Up to x = k: h(z) - 1 = Phi(z)/Q(z) <= 2 Phi(z) <= e^{-z^2/2} for
    z <= 0, and 2x^2 + (k-x)^2/2 = 2k^2/5 + (5/2)(x - k/5)^2, so this part is at most
    e^{-2k^2/5} 4 ((k/5) sqrt(2 pi/5) + 1/5). Beyond, x = k + t: h(t) <= 2 sqrt(2 pi)(1 + t) e^{t^2/2} (Birnbaum's
    Q(t) >= phi(t) 2/(t + sqrt(t^2 + 4)) shows it without the factor 2), so it is at most
    e^{-2k^2} 8 sqrt(2 pi) int (1+t)(k+t) e^{-3t^2/2} dt <= e^{-2k^2} 8 sqrt(2 pi) (k+1) 4.
    Times y = e^{k^2/(1+sqrt 2)^2} both parts decrease in k >= 1 + sqrt 2, so k = 1 + sqrt 2 decides."""
    k = 1 + m.sqrt(m.number(2))
    first = m.exp(-2 * k * k / 5) * 4 * (k / 5 * m.sqrt(2 * m.pi / 5) + m.number(1) / 5)
    second = m.exp(-2 * k * k) * 32 * m.sqrt(2 * m.pi) * (k + 1)
    value = m.exp(m.number(1)) * (first + second)
    return finding(claim, value, m.number(72), "y times the expectation", one_line(lemma_c1_second))
