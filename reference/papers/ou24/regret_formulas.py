"""Definitions that the regret claims share: the formulas that the paper prints, the quantities that they bound, and
domains.

gap: Delta_i in (0, 1]. rounds: T - bN. y: (T - bN) Delta_i^2. n: an arm's pulls, pre-pulls included. Formulas take
a context m; bounds for the audit take a policy and an environment, and are None where a precondition fails.
"""

from __future__ import annotations

from math import comb, floor, inf, log, sqrt

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Real, Source

UNIT = Real(0, 1, closed=True)
GAP = Real(0, 1)  # what is proved holds at 1 as well
MORE = Real(0, inf, closed=True)
SOME = Real(0, inf)
LARGE = Real(1, inf, closed=True)
LOG_4 = Real(1.386, inf, closed=True)  # y >= 4, rounded down: log 4 = 1.38629...


def at(where: str, quote: str, statement: str = "") -> Source:
    return Source("ou24", where, quote, statement=statement)


# -- Section 4.2 and Appendix B.1: the bounds --------------------------------------------------------------------

PLAIN = 14  # the coefficient of 1/Delta_i in eq. (10)
LOG_Y = 5130  # the coefficient of c log(y)/Delta_i in eq. (10)
CHAIN = 6344  # what the problem-independent chain's O(c sqrt(N (T-bN) log N)) comes to for N >= 2
WHOLE = 6347  # the same with e sqrt(N (T-bN) log N) for the arms with small gaps
LAST = 59874  # the integer part of e^11


def gaps(environment: Number) -> list[float]:
    """The gaps of the suboptimal arms."""
    best = max(environment.means)
    return [best - mean for mean in environment.means if mean < best]


def later_rounds(policy: Number) -> int:
    """T - bN."""
    return int(policy.horizon - policy.prepulls * policy.arms)


def problem_dependent(policy: Number, environment: Number) -> Number:
    """bN plus equation (10) summed over the suboptimal arms; None unless T > bN + 4/min Delta_i^2 over these arms."""
    rounds, found = later_rounds(policy), gaps(environment)
    if rounds * min(found, default=inf) ** 2 <= 4:
        return None
    return policy.prepulls * policy.arms + sum(
        (PLAIN + LOG_Y * policy.variance * log(rounds * gap**2)) / gap for gap in found
    )


def sharpened(policy: Number, environment: Number) -> Number:
    """b sum Delta_i plus sum (18 c log y_i + 50 c)/Delta_i: what our proof of Lemma 8 makes of equation (10)."""
    rounds, found = later_rounds(policy), gaps(environment)
    if rounds * min(found, default=inf) ** 2 <= 4:
        return None
    return sum(policy.prepulls * gap + policy.variance * (18 * log(rounds * gap**2) + 50) / gap for gap in found)


def problem_independent(policy: Number, environment: Number) -> Number:
    """bN + 6347 c sqrt(N (T-bN) log N): Theorem 5 with the constant that its proof gives. Needs no gap."""
    spread = sqrt(policy.arms * later_rounds(policy) * log(policy.arms))
    return policy.prepulls * policy.arms + WHOLE * policy.variance * spread


# -- Appendix B: what is bounded --------------------------------------------------------------------------------
# Numbers of terms (n, k, rounds, last) are plain integers; `others` are variables that play no part.


def binomial(m: Vocabulary, n: int, k: int, mu: Number) -> Number:
    """P(S = k) for the sum S of n rewards that are 1 with probability mu, else 0."""
    return comb(n, k) * m.number(1) * mu**k * (1 - mu) ** (n - k)


def at_most(m: Vocabulary, n: int, k: int, mu: Number, **others: Number) -> Number:
    """P(S <= k)."""
    return sum((binomial(m, n, j, mu) for j in range(k + 1)), m.number(0))


def at_least(m: Vocabulary, n: int, k: int, mu: Number, **others: Number) -> Number:
    """P(S >= k)."""
    return sum((binomial(m, n, j, mu) for j in range(k, n + 1)), m.number(0))


def mean_too_high(m: Vocabulary, rounds: int, b: int, mu: Number, gap: Number) -> Number:
    """Lemma 5's left side where arm i pays 0 or 1 and is pulled in every round. mu, gap: exact numbers."""
    total = m.number(0)
    for n in range(b, b + rounds):
        first = floor((n + 1) * (mu + gap / 3)) + 1  # the least S with S/(n+1) > mu + gap/3
        total = total + at_least(m, n, first, m.number(mu))
    return total


def shortfall(m: Vocabulary, n: int, k: int, mu: Number, gap: Number, c: Number) -> Number:
    """(y_i - S/(n+1)) sqrt((n+1)/c) at S = k: how many deviations arm 1's sample must gain to pass y_i."""
    return ((n + 1) * (mu - gap / 3) - k) / m.sqrt(c * (n + 1))


def inverse_excess(m: Vocabulary, n: int, mu: Number, gap: Number, c: Number, **others: Number) -> Number:
    """E[1/p] - 1, p = P(N(S/(n+1), c/(n+1)) > mu - gap/3): Lemma 8's left side where arm 1 pays 0 or 1."""
    total = m.number(0)
    for k in range(n + 1):
        z = shortfall(m, n, k, mu, gap, c)
        total = total + binomial(m, n, k, mu) * m.ncdf(z) / m.ncdf(-z)
    return total


def summed_excess(m: Vocabulary, last: int, mu: Number, gap: Number, c: Number) -> Number:
    """The sum of inverse_excess over n = 0, ..., last."""
    return sum((inverse_excess(m, n, mu, gap, c) for n in range(last + 1)), m.number(0))


def outside(m: Vocabulary, n: int, k: int, mu: Number, gap: Number, c: Number, **others: Number) -> Number:
    """E[1/p; S < k]: what the histories outside the event A = {S >= k} add to E[1/p]."""
    shares = (binomial(m, n, j, mu) / m.ncdf(-shortfall(m, n, j, mu, gap, c)) for j in range(k))
    return sum(shares, m.number(0))


def allowance(m: Vocabulary, n: int, k: int, mu: Number, gap: Number, c: Number, **others: Number) -> Number:
    """What equation (24) allows for them: E[1/p; A] (1/P(A)^2 - 1), with 1 - P(A)^2 written as q (2 - q)."""
    inside = (binomial(m, n, j, mu) / m.ncdf(-shortfall(m, n, j, mu, gap, c)) for j in range(k, n + 1))
    q = at_most(m, n, k - 1, mu)
    return sum(inside, m.number(0)) * q * (2 - q) / (1 - q) ** 2


def first_term(m: Vocabulary, r: Number) -> Number:
    """exp(-sqrt(r/(2 pi log r))): what equation (19) leaves of P(MAX_r stays below its threshold)."""
    return m.exp(-m.sqrt(r / (2 * m.pi * m.log(r))))


def maximum_term(m: Vocabulary, r: Number) -> Number:
    """Phi(sqrt(log r))^r: what P(MAX_r stays below its threshold) is."""
    return m.ncdf(m.sqrt(m.log(r))) ** r


def first_sum(m: Vocabulary, last: int) -> Number:
    """The sum of first_term over r = 2, ..., last."""
    return sum((first_term(m, m.number(r)) for r in range(2, last + 1)), m.number(0))


def maximum_blocks(m: Vocabulary) -> Number:
    """Less than the sum of maximum_term over r = 2, 3, ...: the first seven terms, then stretches up to 4/3 as long,
    up to r = 5000, each with its last term for all.

    The terms fall from r = 8 on: that is 2 z^2 Phi(z) >= 1 + z^2 for z^2 = log r >= 2 (by Q(z) >= phi(z) z/(1+z^2)).
    """
    total, done = sum((maximum_term(m, m.number(r)) for r in range(2, 9)), m.number(0)), 8
    while done < 5000:
        end = min(5000, done * 4 // 3)
        total, done = total + (end - done) * maximum_term(m, m.number(end)), end
    return total


def mills(m: Vocabulary, x: Number) -> Number:
    """exp(-x^2/2)/(x sqrt(2 pi)): Mill's upper bound for 1 - Phi(x)."""
    return m.exp(-(x**2) / 2) / (x * m.sqrt(2 * m.pi))


# -- preconditions: the first side is at most the second ---------------------------------------------------------


def gap_below_mean(m: Vocabulary, mu: Number, gap: Number, **others: Number) -> Sides:
    """Delta_i <= mu_1, as mu_i >= 0."""
    return gap, mu


def enough_pulls(m: Vocabulary, n: Number, gap: Number, y: Number, **others: Number) -> Sides:
    """72 log(y)/Delta_i^2 <= n + 1."""
    return 72 * m.log(y) / gap**2, m.number(1) * (n + 1)


def enough_pulls_scaled(m: Vocabulary, n: Number, gap: Number, y: Number, c: Number, **others: Number) -> Sides:
    """72 c log(y)/Delta_i^2 <= n + 1."""
    return 72 * c * m.log(y) / gap**2, m.number(1) * (n + 1)


def total_not_high(m: Vocabulary, n: Number, k: Number, mu: Number, gap: Number, **others: Number) -> Sides:
    """S = k is at most (n + 1)(mu - Delta_i/6)."""
    return m.number(1) * k, (n + 1) * (mu - gap / 6)
