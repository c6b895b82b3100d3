"""Lemma checks of the page hu25: statements about sums and expectations, each reduced to finitely many intervals.

Notation: Q = 1 - Phi, h = 1/Q, which increases. Hoeffding's inequality says that D = (mu - muhat) sqrt(s), for the
mean muhat of s rewards in [0, 1], has P(D >= x) <= e^{-2x^2} for x >= 0. For an increasing f >= 0 that gives
E f(D) <= f(0) + int_0^inf f'(x) e^{-2x^2} dx, and the integral is at most a Riemann-Stieltjes sum:
sum_k (f(x_{k+1}) - f(x_k)) e^{-2 x_k^2}, plus the tail.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dpbandits.proofs_checks.judge.effort import Effort
from dpbandits.proofs_checks.papers import hu25_law, hu25_reductions, hu25_sharp
from dpbandits.proofs_checks.vocabulary.contexts import Intervals, fp
from dpbandits.reference.ledger import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.papers.hu25 import formulas as f

m = Intervals(20)


def finding(claim: Claim, left: Any, right: Any, what: str, argument: str, more: tuple[Any, ...] = ()) -> Finding:
    """ARGUED where the enclosures decide left <= right; CONSISTENT where they overlap. argument: the words.

    A certain violation is reported as CONSISTENT, too, unless the quantities themselves were enclosed (`more`
    empty): an upper bound above the limit refutes nothing.
    """
    left, right = m.of(left), m.of(right)
    rows = [[what, *m.enclosure(left, 12)], ["printed limit", *m.enclosure(right, 12)]]
    evidence = (
        {"kind": "table", "title": "Enclosures", "columns": ["quantity", "low", "high"], "rows": rows},
        {"kind": "text", "text": argument},
        *more,
    )
    if left.high <= right.low:
        summary = f"{what} is at most {float(left.high):.6g}"
        return established(claim.id, summary, evidence, Basis.WORDS, Basis.INTERVALS)
    return Finding(claim.id, Verdict.CONSISTENT, f"{what}: not decided by these intervals", evidence)


def total(term: Callable[[int], Any], last: int) -> Any:
    """The enclosure of term(1) + ... + term(last)."""
    value = m.number(0)
    for r in range(1, last + 1):
        value = value + term(r)
    return value


# -- sums ----------------------------------------------------------------------------------------------------------


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
        claim, body + tail, m.number("3.176"), "the sum with the factor r + 2", (ring_sum.__doc__ or "") + text
    )


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
    body = m.number(float(f.tail_term(fp, np.arange(1.0, last + 1)).sum())) * (1 + m.number("1e-10"))
    return finding(claim, body + tail, m.number("7.034"), "the sum", tail_sum.__doc__ or "")


# -- Lemma 4.1 -------------------------------------------------------------------------------------------------------

SPLIT = "0.52"  # where the proof of Lemma 4.1 cuts: any value with 2 SPLIT > 1 and a rate above 1 would do


def lemma_4_1(claim: Claim, effort: Effort, seed: int) -> Finding:
    """For every T >= 3 and alpha: with L = ln T, u = 1 - alpha, w = L^{u/2} >= 1, B = floor(phi) > phi - 1 and the
    cut x0 = sqrt(0.52 L): the failure needs D >= x0, which has probability at most e^{-2 x0^2} = T^{-1.04}, or all
    B samples below muhat + x0/sqrt(s), which has at most Phi(x0/L^{alpha/2})^B = Phi(sqrt(0.52) w)^B.
    Fact A.1 (w^2 <= u L + 1) gives phi = c_0 e^{uL/2} L w >= c_0 e^{(w^2-1)/2} w L. So with
    g(w) = c_0 e^{(w^2-1)/2} w (-ln Phi(sqrt(0.52) w)) >= 1.1 for all w >= 1, that is at most
    T^{-1.1}/Phi(sqrt(0.52)), and both together at most (1 + 1/Phi(sqrt(0.52)))/T < 3/T.
    g >= 1.1 is checked on [1, 4] by intervals, and beyond by -ln Phi(y) >= Q(y) >= phi(y) y/(1+y^2), under which
    the bound of g is an increasing function."""
    cut = m.sqrt(m.number(SPLIT))
    pieces = 600

    def rate(w: Any) -> Any:
        return -m.log(m.ncdf(cut * w)) * f.c_0(m) * m.exp((w * w - 1) / 2) * w

    lowest = None
    for k in range(pieces):
        # On [a, b] the factor before the logarithm increases and -ln Phi decreases: the ends bound the product.
        a, b = 1 + m.number(3) * k / pieces, 1 + m.number(3) * (k + 1) / pieces
        low = -m.log(m.ncdf(cut * b)) * f.c_0(m) * m.exp((a * a - 1) / 2) * a
        lowest = low.low if lowest is None else min(lowest, low.low)
    y = cut * 4
    beyond = f.anti_concentration(m, y) * f.c_0(m) * m.exp(m.number(15) / 2) * 4
    assert lowest is not None
    smallest = m.minimum(m.number(lowest), beyond)
    constant = 1 + 1 / m.ncdf(cut)
    done = smallest.low >= m.number("1.1").high
    argument = (
        lemma_4_1.__doc__ or ""
    ) + f" Here min g >= {float(smallest.low):.4f}; g(1) = {rate(m.number(1)).middle:.4f}."
    if not done:
        return Finding(claim.id, Verdict.CONSISTENT, "the rate g >= 1.1 was not closed by intervals")
    return finding(claim, constant, m.number(3), "T times the failure probability", argument)


# -- Lemma C.1 -------------------------------------------------------------------------------------------------------


def inverse_tail(x: Any) -> Any:
    """h(x) = 1/Q(x)."""
    return 1 / m.ncdf(-x)


def lemma_c1_first(claim: Claim, effort: Effort, seed: int) -> Finding:
    """E h(D/ln^{alpha/2} T) - 1 with ln T >= 1, so at most E h(max(D, 0)) - 1 <= h(0) - 1 + int h'(x) e^{-2x^2} dx.
    Sum over steps of 1/200 up to 6; beyond, by parts, int h' e^{-2x^2} <= int h 4x e^{-2x^2} dx with
    h(x) <= sqrt(2 pi) (x + 1/x) e^{x^2/2} is below int 8 sqrt(2 pi) x^2 e^{-3x^2/2} dx < 10^-20."""
    value, x, before = m.number(1), m.number(0), m.number(2)
    for k in range(1200):
        after = inverse_tail(m.number(k + 1) / 200)
        value = value + (after - before) * m.exp(-2 * x * x)
        x, before = m.number(k + 1) / 200, after
    argument = (lemma_c1_first.__doc__ or "") + (
        " So the constant 12.34 can be replaced by this bound; the largest value that exact binomial sums show is "
        "near 1.42, for rewards 0 and 1 with mean 1/2 and large s."
    )
    return finding(claim, value + m.number("1e-20"), m.number("12.34"), "the expectation", argument)


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
    return finding(claim, value, m.number(72), "y times the expectation", lemma_c1_second.__doc__ or "")


LEMMAS: Mapping[str, Callable[[Claim, Effort, int], Finding]] = {
    **hu25_reductions.LEMMAS,
    "hu25/theorem-4.4/sharp/attained": hu25_sharp.sharpness,
    "hu25/section-3/ts-gaussian/order": hu25_sharp.least_order,
    "hu25/introduction/not-tight": hu25_sharp.smaller_order,
    "hu25/theorem-4.4/once": hu25_sharp.once,
    "hu25/theorem-4.4/tiny": hu25_law.ground_truth,
    "hu25/preview/better-than-ts-gaussian/algorithm": hu25_sharp.less_private,
    "hu25/lemma-4.1": lemma_4_1,
    "hu25/lemma-c.1/12.34": lemma_c1_first,
    "hu25/lemma-c.1/72": lemma_c1_second,
    "hu25/lemma-c.1/3.176": ring_sum,
    "hu25/lemma-c.1/7.034": tail_sum,
}
