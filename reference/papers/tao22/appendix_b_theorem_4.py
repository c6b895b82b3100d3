"""Appendix B: the proof of Theorem 4, independent of the instance."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Reading, Real, Verdict, Whole
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import POSITIVE, V

chapter = page.chapter("Appendix B: Theorem 3, Lemma 4 and Theorem 4")
GAP_STAR = source(
    "Proof of Theorem 4",
    "That is, Delta* T/K = C (u^{1/(1+v)} log T/eps) (1/Delta*)^{1/v}. It can be easily derived that Delta* = "
    "O(u^{v/(1+v)^2} ((C K/eps) (log T/T))^{v/(1+v)}).",
)
STAR = {"C": POSITIVE, "K": POSITIVE, "eps": POSITIVE, "T": Real(3, np.inf), "u": POSITIVE, "v": V}


def gap_star(m: Vocabulary, C: Number, K: Number, eps: Number, T: Number, u: Number, v: Number) -> Number:
    """The solution of Delta T/K = C u^{1/(1+v)} (log T/eps) Delta^{-1/v}."""
    q = v / (1 + v)
    return m.power(u, v / (1 + v) ** 2) * m.power(C * K / eps * m.log(T) / T, q)


@chapter.identity("theorem-4/gap-star", GAP_STAR, over=STAR, expect=Verdict.PROVED)
def theorem_4_gap_star(m: Vocabulary, C: Number, K: Number, eps: Number, T: Number, u: Number, v: Number) -> Sides:
    """The claim is that Delta* = u^{v/(1+v)^2} ((C K/eps) (log T/T))^{v/(1+v)}, which is the second sentence with
    equality, solves the equation of the first sentence."""
    gap = gap_star(m, C, K, eps, T, u, v)
    return gap * T / K, C * m.power(u, 1 / (1 + v)) * m.log(T) / eps * m.power(gap, -1 / v)


@chapter.inequality(
    "theorem-4/log-KT",
    source(
        "Proof of Theorem 4",
        "the expected regret will be at most C (u^{1/(1+v)} log(KT)/eps) sum_{a=k'+1}^K (1/Delta_a)^{1/v} <= 2 C "
        "(u^{1/(1+v)} log T/eps) sum_{a=k'+1}^K (1/Delta*)^{1/v}",
    ),
    over={"K": Whole(2), "rounds": Real(1, np.inf, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="Lemma 4 has log(4 K T), which is at most 3 log T for T >= 2 K.",
)
def theorem_4_log_kt(m: Vocabulary, K: Number, rounds: Number) -> Sides:
    """The formula is log(KT) <= 2 log T for T = K rounds, with rounds >= 1."""
    return m.log(K * (K * rounds)), 2 * m.log(K * rounds)


@chapter.identity(
    "theorem-4/independent",
    source(
        "Proof of Theorem 4",
        "It is simple to see that the expected regret is upper bounded by O(T Delta*) = O(u^{v/(1+v)^2} (C K log "
        "T/eps)^{v/(1+v)} T^{1/(1+v)}).",
    ),
    over=STAR,
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="With the right power of u in (7), u^{1/v}, the factor is u^{1/(1+v)} (`tao22/lemma-4/power-of-u`).",
    related=("tao22/lemma-4/power-of-u",),
)
def theorem_4_independent(m: Vocabulary, C: Number, K: Number, eps: Number, T: Number, u: Number, v: Number) -> Sides:
    """The equality gives T Delta*, with C to the power v/(1+v)."""
    q = v / (1 + v)
    right = m.power(u, v / (1 + v) ** 2) * m.power(C * K * m.log(T) / eps, q) * m.power(T, 1 - q)
    return T * gap_star(m, C, K, eps, T, u, v), right
