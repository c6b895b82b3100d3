"""Lemmas 3 and 11: what they allow is more than their proofs take for the tree's noise, and that is enough."""

from __future__ import annotations

from math import inf

import numpy as np

from dpbandits.proofs_checks.formulas.reductions import ProofStep, Reduction, enclosure_step, inequality_step
from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary
from dpbandits.reference.claims.model import Formula, Real

ROOM = (
    "For n pulls let U = u^{1/(1+v)} (log^1.5 T/(eps n))^{v/(1+v)}, and L = log T. The bias is at most (1 + v) U, as "
    "in (13). Except with probability e^-r on either side, the sampling error is at most sqrt(2 B^{1-v} u r/n) + B "
    "r/(3 n). The first term is sqrt(2 eps r/L^1.5) U, and the second term is eps r/(3 L^1.5) U. (The bound "
    "on the sampling error is Bernstein's inequality in its sub-gamma form. It uses that for i <= n, the moments of x "
    "1_{|x| <= B_i} are at most the moments of x 1_{|x| <= B_n}.) The noise is (2 S/sqrt(L)) U. "
    "Here S is a sum of independent Laplace variables with scales of at most 1. There is one "
    "such variable for each digit 1 of n in binary, so there are at most log2(n + 1) of them. Smaller scales or fewer "
    "variables make the tail smaller (Anderson's lemma). The claimed bound is 18 log(1/delta)^{v/(1+v)} L^{1/(1+v)} U. "
    "For eps <= 1 <= L and v <= 1, the bound on either side holds if S is at most s = sqrt(L) (9 "
    "log(1/delta)^{v/(1+v)} L^{1/(1+v)} - 1 - sqrt(r/2) - r/6). By Chernoff's bound, S > s has probability at most "
    "e^{-h s} (1 - h^2)^{-m} for m digits. "
)


def room(m: Vocabulary, L: Number, r: Number) -> Number:
    """s, where log(1/delta) is at least L."""
    return m.sqrt(L) * (9 * L - 1 - m.sqrt(r / 2) - r / 6)


def pulled_often(words: str, c: str, root: str, first: float) -> ProofStep:
    """Chernoff's bound at 0.85 for log2 T digits, r <= c L: 0.85 s - 1.85 L >= c L, divided by x = sqrt(L)."""
    return inequality_step(
        words,
        lambda m, x: (m.number("1.85") + m.number(c)) * x,
        lambda m, x: (
            m.number("0.85") * (9 * x * x - 1 - m.number("0.7072") * m.number(root) * x - m.number(c) * x * x / 6)
        ),
        {"x": Real(first, inf, closed=True)},
    )


def few_digits(words: str, factor: Formula, needed: Formula, first: int, last: int) -> ProofStep:
    """r <= s - log factor(s), where the tail is factor(s) e^-s, for first <= T <= last; needed: r, of L."""
    low, high = float(np.nextafter(np.log(first), 0)), float(np.nextafter(np.log(last), inf))

    def left(m: Vocabulary, L: Number) -> Number:
        s = room(m, L, needed(m, L))
        return s - m.log(factor(m, s))

    return enclosure_step(words, needed, left, {"L": Real(low, high, closed=True)})


def one(m: Vocabulary, x: Number) -> Number:
    return m.number("0.5")


def two(m: Vocabulary, x: Number) -> Number:
    return (2 + x) / 4


def needed_3(m: Vocabulary, L: Number) -> Number:
    """log(2 t^5) at T = t."""
    return m.log(m.number(2)) + 5 * L


def needed_11(m: Vocabulary, L: Number) -> Number:
    """At most log(4 T^4) for log(2/delta)."""
    return 2 * m.log(m.number(2)) + 4 * L


NUMBERS = (
    enclosure_step(
        "-log(1 - 0.85^2) <= 1.85 log 2",
        lambda m: -m.log(m.number("0.2775")),
        lambda m: m.number("1.85") * m.log(m.number(2)),
        {},
    ),
    enclosure_step("1/2 <= 0.7072^2", lambda m: m.number("0.5"), lambda m: m.number("0.7072") * m.number("0.7072"), {}),
)
LEMMA_3 = Reduction(
    ROOM
    + "With delta = 1/(2 t^4), r = log(2 t^5) and n <= t - 2, S > s has probability at most e^-r. The worst case is T "
    "= t, where log(1/delta) > L, together with the smallest power of log(1/delta), which is 0: there s is smallest. "
    "So for each of the fewer than t numbers n, the estimate violates the bound on one side with probability at most "
    "2/(2 t^5).",
    (
        *NUMBERS,
        few_digits("3 <= t <= 4, n <= 2: one digit, e^-s/2", one, needed_3, 3, 4),
        few_digits("5 <= t <= 8, n <= 6: two digits, ((2 + s)/4) e^-s", two, needed_3, 5, 8),
        enclosure_step(
            "t >= 9: log(2 t^5) <= 5.32 log t",
            lambda m: m.log(m.number(2)),
            lambda m: m.number("0.32") * m.log(m.number(9)),
            {},
        ),
        enclosure_step("sqrt(5.32) <= 2.31", lambda m: m.sqrt(m.number("5.32")), lambda m: m.number("2.31"), {}),
        enclosure_step(
            "1.48^2 <= log 9", lambda m: m.number("1.48") * m.number("1.48"), lambda m: m.log(m.number(9)), {}
        ),
        pulled_often("t >= 9, Chernoff's bound at 0.85", "5.32", "2.31", 1.48),
    ),
)
LEMMA_11 = Reduction(
    ROOM + "With r = log(2/delta) and n <= T - 1, S > s has probability at most e^-r = delta/2. So the sampling error "
    "or the noise is too large, on one of the two sides, with probability at most 2 delta. If 2 delta >= 1, the lemma "
    "is trivial, so let delta < 1/2 and l = log(1/delta) > log 2. If l > L, the worst case is the smallest power of l, "
    "which is 0, and r <= log(4 T^4). If l <= L, the worst case is the largest power of l, which is 1/2, and r <= 2 l.",
    (
        *NUMBERS,
        few_digits("l > L, T = 3, n <= 2: one digit, e^-s/2", one, needed_11, 3, 3),
        few_digits("l > L, 4 <= T <= 7, n <= 6: two digits, ((2 + s)/4) e^-s", two, needed_11, 4, 7),
        enclosure_step(
            "T >= 7: log(4 T^4) <= 4.78 log T",
            lambda m: m.log(m.number(4)),
            lambda m: m.number("0.78") * m.log(m.number(7)),
            {},
        ),
        enclosure_step("sqrt(4.78) <= 2.19", lambda m: m.sqrt(m.number("4.78")), lambda m: m.number("2.19"), {}),
        enclosure_step(
            "1.39^2 <= log 7", lambda m: m.number("1.39") * m.number("1.39"), lambda m: m.log(m.number(7)), {}
        ),
        pulled_often("l > L, T >= 7, Chernoff's bound at 0.85", "4.78", "2.19", 1.39),
        enclosure_step(
            "log(4/3) <= 0.4152 log 2",
            lambda m: m.log(m.number("4/3")),
            lambda m: m.number("0.4152") * m.log(m.number(2)),
            {},
        ),
        enclosure_step(
            "0.8325^2 <= log 2", lambda m: m.number("0.8325") * m.number("0.8325"), lambda m: m.log(m.number(2)), {}
        ),
        inequality_step(
            "l <= L, Chernoff's bound at 1/2: (log2(4/3)) L + 2 l <= s/2, with z = sqrt(l) and sqrt(L) = z + h",
            lambda m, z, h: m.number("0.4152") * (z + h) * (z + h) + 2 * z * z,
            lambda m, z, h: (z + h) / 2 * (9 * z * (z + h) - 1 - z - z * z / 3),
            {"z": Real(0.8325, inf, closed=True), "h": Real(0, inf, closed=True)},
        ),
    ),
)
