"""What Algorithm 1 has to pull, however bad an arm is: its bonus is large, and outlives what Theorem 2 counts."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary
from dpbandits.reference.papers.tao22 import formulas as f

WORDS = (
    "Let U be the unit u^{1/(1+v)} (log(2T^4) log^{1.5+1/v} T/(n eps))^{v/(1+v)} of the bonus after n pulls. Use the "
    "repaired steps (13) to (16) of Lemma 11, with log(1/delta) = log(2T^4) and the noise that the tree has at this "
    "delta. Let c = (4 + sqrt(10))/log^{1/(1+v)} T + 2 (log(2T^4)/log T)^{1/(1+v)}. Except with probability 2 K/T^3, "
    "the errors of the estimates are at most c U, on both sides, for all arms and numbers of pulls. Suppose that arm a "
    "is pulled fewer than X times, where X <= T/K. Some other arm is pulled at least T/K times. Before its last pull "
    "it had at least T/K - 1 pulls, and this last pull is not before round T/K. At this pull, the index of the other "
    "arm is at least that of a, so the bonus of a minus c U(X) is at most the largest gap plus (18 + c) U(T/K - 1). At "
    "round t the bonus is 18 (log(2t^4)/log(2T^4))^{v/(1+v)} U. Hence every arm is pulled at least X times. Here X "
    "solves (18 r - c) U(X) = largest gap + (18 + c) U(T/K - 1), with r = (log(2(T/K)^4)/log(2T^4))^{v/(1+v)}. "
)


def least_pulls(m: Vocabulary, K: Number, T: Number, eps: Number, v: Number, u: Number, gap: Number) -> Number:
    """X: how often Algorithm 1 pulls every arm, except with probability 2 K/T^3, where no gap exceeds this one; eps <=
    1 and K >= 2, and line 4 of Algorithm 2 with the natural logarithm."""
    ell, log = f.log_2t4(m, T), m.log(T)
    off = (4 + m.sqrt(m.number(10))) / m.power(log, 1 / (1 + v)) + 2 * m.power(ell / log, 1 / (1 + v))
    late = m.power(f.log_2t4(m, T / K) / ell, v / (1 + v))
    most = gap + (18 + off) * f.width(m, eps, v, u, T, T / K - 1, ell)
    return m.power((18 * late - off) * f.width(m, eps, v, u, T, m.number(1), ell) / most, (1 + v) / v)
