"""Claims of the page hu25 that follow from exact algebra, and from a few words of analysis beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dpbandits.proofs_checks.algebra.powers import equal_powers
from dpbandits.proofs_checks.judge.reductions import (
    Lemma,
    Reduction,
    Step,
    encloses,
    never_less,
    reduced,
    same,
)
from dpbandits.reference.ledger import Basis, Claim, Domain, Formula, Real
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.claims import CLAIMS

LEDGER: Mapping[str, Claim] = {claim.id: claim for claim in CLAIMS}
HORIZON = Real(3, np.inf, True)


def same_power(words: str, left: Formula, right: Formula, over: Domain) -> Step:
    """A step: two products of powers are equal."""
    return Step(words, lambda: equal_powers(left, right, over), Basis.ALGEBRA)


def density_rate(m: Any, z: Any) -> Any:
    """-(d/dz) of (Q(z) - z/(z^2+1) phi(z)), divided by phi(z): 1 + (1-z^2)/(1+z^2)^2 - z^2/(1+z^2)."""
    square = z * z
    return 1 + (1 - square) / (1 + square) ** 2 - square / (1 + square)


GORDON = same(
    "the difference falls at the rate phi(z) 2/(1+z^2)^2",
    density_rate,
    lambda m, z: 2 / (1 + z * z) ** 2,
    "z",
)

FACT_A_1 = Reduction(
    "With u = 1 - alpha, L^u = e^{u ln L} is a convex function of u, so on [0, 1] it lies below the line through "
    "its ends 1 and L, which is 1 + u (L - 1) <= 1 + u L.",
    (
        never_less(
            "1 + u (L - 1) <= 1 + u L",
            lambda m, u, L: 1 + u * (L - 1),
            lambda m, u, L: 1 + u * L,
            {"u": Real(0, 1, True), "L": Real(0, np.inf, True)},
        ),
    ),
)

WORDS: Mapping[str, Reduction] = {
    "hu25/theorem-2.4": Reduction(
        "The left side's derivative in t is e^eps phi(t) - phi(t - eta) = phi(t) (e^eps - e^{eta t - eta^2/2}): "
        "positive before t = eps/eta + eta/2, negative after; so there is its maximum, and it is the right side.",
        (
            same(
                "the exponents agree at t = eps/eta + eta/2",
                lambda m, eps, eta: eta * (eps / eta + eta / 2) - eta * eta / 2,
                lambda m, eps, eta: eps,
                "eps",
                "eta",
            ),
            same(
                "eta - t = -eps/eta + eta/2 there",
                lambda m, eps, eta: eta - (eps / eta + eta / 2),
                lambda m, eps, eta: -eps / eta + eta / 2,
                "eps",
                "eta",
            ),
        ),
    ),
    "hu25/definition-2.2": Reduction(
        "Phi(x) = 1 - Phi(-x).",
        (same("eta - t = -(t - eta)", lambda m, eta, t: eta - t, lambda m, eta, t: -(t - eta), "eta", "t"),),
    ),
    "hu25/theorem-2.4/remark": Reduction(
        "With a = -eps/eta + eta/2 and b = -eps/eta - eta/2, d delta/d eta = phi(a) (eps/eta^2 + 1/2) - e^eps phi(b) "
        "(eps/eta^2 - 1/2), and e^eps phi(b) = phi(a): the derivative is phi(a) > 0.",
        (
            same(
                "b^2/2 - eps = a^2/2",
                lambda m, eps, eta: (eps / eta + eta / 2) ** 2 / 2 - eps,
                lambda m, eps, eta: (-eps / eta + eta / 2) ** 2 / 2,
                "eps",
                "eta",
            ),
        ),
    ),
    "hu25/preview/better-than-ts-gaussian": Reduction(
        "With v = ln T, twice the logarithm of the quotient is ln(4 c_0) + 1.5 ln v - v/2, which falls for v > 3: so "
        "T = 10^6 decides.",
        (
            encloses(
                "ln(4 c_0) + 1.5 ln v <= v/2 at v = ln 10^6",
                lambda m: m.log(4 * f.c_0(m)) + 3 * m.log(m.log(m.number(10**6))) / 2,
                lambda m: m.log(m.number(10**6)) / 2,
                {},
            ),
            encloses("ln 10^6 > 3", lambda m: m.number(3), lambda m: m.log(m.number(10**6)), {}),
        ),
    ),
    "hu25/discussion-4.3/m-ts-log": Reduction(
        "With v = ln T, twice the logarithm of the quotient is ln(2 c_0) + (1 - alpha)(v/2 + 1.5 ln v) + 2 alpha ln v "
        "- v: linear in alpha, so its ends decide, and both ends fall for v > 3: so T = 10^6 decides.",
        (
            encloses(
                "alpha = 0: ln(2 c_0) + 1.5 ln v <= v/2 at v = ln 10^6",
                lambda m: m.log(2 * f.c_0(m)) + 3 * m.log(m.log(m.number(10**6))) / 2,
                lambda m: m.log(m.number(10**6)) / 2,
                {},
            ),
            encloses(
                "alpha = 1: ln(2 c_0) + 2 ln v <= v at v = ln 10^6",
                lambda m: m.log(2 * f.c_0(m)) + 2 * m.log(m.log(m.number(10**6))),
                lambda m: m.log(m.number(10**6)),
                {},
            ),
            encloses("ln 10^6 > 3", lambda m: m.number(3), lambda m: m.log(m.number(10**6)), {}),
        ),
    ),
    "hu25/figure-3b/decreases": Reduction(
        "The exponential function increases.",
        (
            never_less(
                "(1 - alpha - more) x <= (1 - alpha) x for x > 0",
                lambda m, x, alpha, more: (1 - alpha - more) * x,
                lambda m, x, alpha, more: (1 - alpha) * x,
                {"x": Real(0, np.inf), "alpha": Real(0, 1, True), "more": Real(0, 1, True)},
            ),
        ),
    ),
    "hu25/fact-a.1": FACT_A_1,
    "hu25/fact-a.1/everywhere": FACT_A_1,
    "hu25/fact-a.3/eq-4": Reduction(
        "e^{-z^2/2}/2 - Q(z) vanishes at 0 and in the limit, and its derivative e^{-z^2/2} (1/sqrt(2 pi) - z/2) is "
        "positive before z = sqrt(2/pi) and negative after: it rises from 0 and falls back to 0.",
        (
            encloses(
                "at the top, z = sqrt(2/pi)",
                lambda m: m.ncdf(-m.sqrt(2 / m.pi)),
                lambda m: m.exp(-1 / m.pi) / 2,
                {},
            ),
        ),
    ),
    "hu25/fact-a.3/eq-5": Reduction(
        "Q(z) - z/(z^2+1) phi(z) tends to 0 as z grows, and falls all the way: so it is positive.", (GORDON,)
    ),
    "hu25/lemma-4.1/step-a": Reduction(
        "Eq. (5) at z = sqrt(ln^{1-alpha} T): Q(z) - z/(z^2+1) phi(z) falls to 0, so it is positive.", (GORDON,)
    ),
    "hu25/lemma-4.1/step-b/doubled": Reduction(
        "With w = L^u >= 1, Fact A.1 (w <= u L + 1, by convexity) gives e^{-(uL+1)/2} <= e^{-w/2}; and 2w/(w+1) >= 1.",
        (
            never_less(
                "1 <= 2w/(w+1)", lambda m, w: m.number(1), lambda m, w: 2 * w / (w + 1), {"w": Real(1, np.inf, True)}
            ),
        ),
    ),
    "hu25/lemma-4.1/step-b/alpha-0": Reduction(
        "With L = ln T the quotient of the two sides is e^{-1/2} (1 + 1/L).",
        (
            encloses(
                "1 + 1/L <= e^{1/2} for L >= 3",
                lambda m, L: 1 + 1 / L,
                lambda m, L: m.exp(m.number("0.5")),
                {"L": Real(3, np.inf, True)},
            ),
            encloses("ln 21 >= 3", lambda m: m.number(3), lambda m: m.log(m.number(21)), {}),
        ),
    ),
    "hu25/figure-3b/base": Reduction(
        "ln T and ln ln T increase, so T = 3 decides.",
        (
            encloses(
                "0.69 <= ln 3/2 + 1.5 ln ln 3",
                lambda m: m.number("0.69"),
                lambda m: m.log(m.number(3)) / 2 + 3 * m.log(m.log(m.number(3))) / 2,
                {},
            ),
        ),
    ),
    "hu25/theorem-4.2/eq-17": Reduction(
        "2^ceil(log2 L) is below 2 L, that is 2 L - d with d >= 0.",
        (
            never_less(
                "2 (2 L - d) - 1 <= 4 L",
                lambda m, L, d: 2 * (2 * L - d) - 1,
                lambda m, L, d: 4 * L,
                {"L": Real(1, np.inf, True), "d": Real(0, np.inf, True)},
            ),
        ),
    ),
    "hu25/theorem-4.2/eq-22": Reduction(
        "2^ceil(log2 L) is below 2 L, that is 2 L - d with d >= 0.",
        (
            never_less(
                "12.34 (2 (2 L - d) - 2) <= 50 L",
                lambda m, L, d: m.number("12.34") * (2 * (2 * L - d) - 2),
                lambda m, L, d: 50 * L,
                {"L": Real(1, np.inf, True), "d": Real(0, np.inf, True)},
            ),
        ),
    ),
    "hu25/theorem-4.2/omega-1": Reduction(
        "288 x <= 288 v w x as v, w >= 1, and 8 ln T <= 8 v x <= 8 v w x.",
        (
            never_less(
                "288 x + 8 v x <= 296 v w x",
                lambda m, v, w, x: 288 * x + 8 * v * x,
                lambda m, v, w, x: 296 * v * w * x,
                {name: Real(1, np.inf, True) for name in ("v", "w", "x")},
            ),
        ),
    ),
    "hu25/theorem-4.2/eq-24": Reduction(
        "With y = T D^2, ln y > 1 and x = 1/D^2 >= 1: ln T = ln y + ln x, and ln y + ln x <= x ln y because "
        "ln x <= x - 1 <= (x - 1) ln y.",
        (
            same_power(
                "T = y x",
                lambda m, T, gap: T,
                lambda m, T, gap: (T * gap * gap) * (1 / (gap * gap)),
                {"T": HORIZON, "gap": Real(0, 1, True)},
            ),
            never_less(
                "x - 1 <= (x - 1) v for v >= 1",
                lambda m, x, v: x - 1,
                lambda m, x, v: (x - 1) * v,
                {"x": Real(1, np.inf, True), "v": Real(1, np.inf, True)},
            ),
        ),
    ),
    "hu25/discussion-4.2/better-than-ucb1/small-gaps": Reduction(
        "T^{3/2}/(sqrt(T) x^2) = T/x^2 <= T, and the logarithm increases.",
        (
            same_power(
                "T^{3/2}/(sqrt(T) x^2) = T/x^2",
                lambda m, T, x: f.power(m, T, m.number("1.5")) / (m.sqrt(T) * x * x),
                lambda m, T, x: T / (x * x),
                {"T": HORIZON, "x": Real(1, np.inf, True)},
            ),
            never_less(
                "T/x^2 <= T",
                lambda m, T, x: T / (x * x),
                lambda m, T, x: T,
                {"T": HORIZON, "x": Real(1, np.inf, True)},
            ),
        ),
    ),
}

LEMMAS: dict[str, Lemma] = {
    **{name: reduced(reduction, LEDGER[name]) for name, reduction in WORDS.items()},
}
