"""What robust UCB computes in a round, written once.

m: the vocabulary. u, v: E|X|^{1+v} <= u; round: t.
"""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary


def power(m: Vocabulary, base: Number, exponent: Number) -> Number:
    """base^exponent for a positive base."""
    return m.exp(exponent * m.log(base))


def threshold(m: Vocabulary, u: Number, v: Number, order: Number, round: Number) -> Number:
    """Line 2: (u s/ln(t^2))^{1/(1+v)}. order: s."""
    return power(m, u * order / (2 * m.log(round)), 1 / (1 + v))


def bonus(m: Vocabulary, width: Number, u: Number, v: Number, used: Number, round: Number) -> Number:
    """Line 4: 4 u^{1/(1+v)} (ln(t^2)/n)^{v/(1+v)}, with 4 as `width`. used: n."""
    return width * power(m, u, 1 / (1 + v)) * power(m, 2 * m.log(round) / used, v / (1 + v))
