"""Appendix B: the proof of Theorem 4, independent of the instance."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Real, Verdict
from dpbandits.reference.papers.tao22 import formulas as f
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import POSITIVE, W

chapter = page.chapter("Appendix B: Theorem 3, Lemma 4 and Theorem 4")
GAP_STAR = source(
    "Proof of Theorem 4",
    "That is, Delta* T/K = C (u^{1/(1+v)} log T/eps) (1/Delta*)^{1/v}. It can be easily derived that Delta* = "
    "O(u^{v/(1+v)^2} ((C K/eps) (log T/T))^{v/(1+v)}).",
)
STAR = {"c": POSITIVE, "K": POSITIVE, "eps": POSITIVE, "T": Real(3, np.inf), "u": POSITIVE, "w": W}


def gap_star(m: Vocabulary, c: Number, K: Number, eps: Number, T: Number, u: Number, w: Number) -> Number:
    """The solution of Delta T/K = C u^{1/(1+v)} (log T/eps) Delta^{-1/v}."""
    q = 1 / (1 + w)
    return f.power(m, u, q * w / (1 + w)) * f.power(m, c * K / eps * m.log(T) / T, q)


@chapter.identity("theorem-4/gap-star", GAP_STAR, over=STAR, expect=Verdict.PROVED)
def theorem_4_gap_star(m: Vocabulary, c: Number, K: Number, eps: Number, T: Number, u: Number, w: Number) -> Sides:
    """It equates the two: Delta* T/K = C u^{1/(1+v)} (log T/eps) Delta*^{-1/v}."""
    gap = gap_star(m, c, K, eps, T, u, w)
    return gap * T / K, c * f.power(m, u, w / (1 + w)) * m.log(T) / eps * f.power(m, gap, -w)


@chapter.inequality(
    "theorem-4/log-KT",
    source(
        "Proof of Theorem 4",
        "the expected regret will be at most C (u^{1/(1+v)} log(KT)/eps) sum_{a=k'+1}^K (1/Delta_a)^{1/v} <= 2 C "
        "(u^{1/(1+v)} log T/eps) sum_{a=k'+1}^K (1/Delta*)^{1/v}",
    ),
    over={"rounds": Real(1, np.inf, closed=True)},
    expect=Verdict.PROVED,
    note="Lemma 4 has log(4 K T): 3 log T for T >= 2 K.",
)
def theorem_4_log_kt(m: Vocabulary, rounds: Number) -> Sides:
    """Of the logarithms, as a formula: log K + log T <= 2 log T for T = K rounds, log T - log K = log rounds."""
    return m.number(0), m.log(rounds)


@chapter.identity(
    "theorem-4/independent",
    source(
        "Proof of Theorem 4",
        "It is simple to see that the expected regret is upper bounded by O(T Delta*) = O(u^{v/(1+v)^2} (C K log "
        "T/eps)^{v/(1+v)} T^{1/(1+v)}).",
    ),
    over=STAR,
    expect=Verdict.PROVED,
    note="With the right power of u it is u^{1/(1+v)}: see tao22/lemma-4/power-of-u.",
)
def theorem_4_independent(m: Vocabulary, c: Number, K: Number, eps: Number, T: Number, u: Number, w: Number) -> Sides:
    """The equality, as a formula: T Delta*, with C to the power v/(1+v)."""
    q = 1 / (1 + w)
    right = f.power(m, u, q * w / (1 + w)) * f.power(m, c * K * m.log(T) / eps, q) * f.power(m, T, 1 - q)
    return T * gap_star(m, c, K, eps, T, u, w), right
