"""Appendix B: the proof of Theorem 5, the lower bound for K arms."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Reading, Real, Verdict, Whole
from dpbandits.reference.papers.tao22.appendix_b_theorem_10 import FIFTH
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import POSITIVE, SHARE, V

chapter = page.chapter("Appendix B: Theorems 10 and 5")
MEAN, GAP = Real(0, 0.17), Real(0, 0.084)  # 1/6 and 1/12, rounded up
THEOREM_5 = "Proof of Theorem 5"


def s_of(m: Vocabulary, mean: Number, v: Number) -> Number:
    """s_a = (2 mu_a)^{1/v}."""
    return m.power(2 * mean, 1 / v)


def gamma_a(m: Vocabulary, gap: Number, v: Number) -> Number:
    """gamma_a = (4 Delta_a)^{1/v}."""
    return m.power(4 * gap, 1 / v)


CHANGED = "It is also easy to verify that E[nu'_a] = mu_a + 2 Delta_a = mu_1 + Delta_a, u(v'_a) = 1."


@chapter.identity(
    "theorem-5/mean",
    source(THEOREM_5, "It is easy to verify for each a in [K] that E[nu_a] = mu_a, u(nu_a) = 1/2 < 1."),
    over={"mean": SHARE, "v": V},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_5_mean(m: Vocabulary, mean: Number, v: Number) -> Sides:
    """The mean of nu_a is the value 1/s_a times its probability, where s_a = (2 mu_a)^{1/v}."""
    s = s_of(m, mean, v)
    return m.power(s, 1 + v) / 2 / s, mean


@chapter.identity(
    "theorem-5/moment",
    source(THEOREM_5, "It is easy to verify for each a in [K] that E[nu_a] = mu_a, u(nu_a) = 1/2 < 1."),
    over={"mean": SHARE, "v": V},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_5_moment(m: Vocabulary, mean: Number, v: Number) -> Sides:
    """The moment u of nu_a is (1/s_a)^{1+v} times its probability, where s_a = (2 mu_a)^{1/v}."""
    power = m.power(s_of(m, mean, v), 1 + v)
    return power / 2 / power, m.number("0.5")


@chapter.identity(
    "theorem-5/mean/changed",
    source(THEOREM_5, CHANGED),
    over={"gap": FIFTH, "v": V},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_5_mean_other(m: Vocabulary, gap: Number, v: Number) -> Sides:
    """The new value 1/gamma_a, gamma_a = (4 Delta_a)^{1/v}, adds 2 Delta_a to the mean."""
    gamma = gamma_a(m, gap, v)
    return 2 * gap * gamma / gamma, 2 * gap


@chapter.identity(
    "theorem-5/moment/changed",
    source(THEOREM_5, CHANGED),
    over={"gap": FIFTH, "v": V},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_5_moment_other(m: Vocabulary, gap: Number, v: Number) -> Sides:
    """The new value 1/gamma_a, gamma_a = (4 Delta_a)^{1/v}, adds 1/2 to the moment 1/2 of nu_a."""
    gamma = gamma_a(m, gap, v)
    return 2 * gap * gamma / m.power(gamma, 1 + v), m.number("0.5")


@chapter.inequality(
    "theorem-5/chances",
    source(
        THEOREM_5,
        "Note that since mu_a <= 1/6 and Delta_a <= 1/12, we have mu_a^{1+v} < 1/6 and Delta_a^{1+v} < 1/12, and then "
        "s_a^{1+v}/2 + 2 Delta_a gamma_a = [...] < 1, thus the postulated nu'_a is reasonable.",
    ),
    over={"mean": MEAN, "gap": GAP, "v": V},
    strict=True,
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_5_chances(m: Vocabulary, mean: Number, gap: Number, v: Number) -> Sides:
    """The formula is s_a^{1+v}/2 + 2 Delta_a gamma_a < 1, where the left side is (2 mu_a)^{1/v} mu_a + 2 Delta_a (4
    Delta_a)^{1/v}."""
    return s_of(m, mean, v) * mean + 2 * gap * gamma_a(m, gap, v), m.number(1)


COUPLED_5 = source(
    THEOREM_5,
    "By lemma 12, for sufficiently large T such that T^0.13 > max_{Delta_a > 0} 4K/Delta_a, we have P_{A,P-bar}(E_a) "
    "<= e^{6 eps t_a d_TV(nu_a, nu'_a)} P_{A,Q-bar_a}(E_a) <= e^{6 eps t_a 2 Delta_a gamma_a} (2/(Delta_a T^{1/4})) "
    "<= e^{(12/100) log T} (2/Delta_a) T^{-1/4} = T^{-0.13} (2/Delta_a) < 1/(2K).",
)


@chapter.identity(
    "theorem-5/exponent",
    COUPLED_5,
    over={"gap": FIFTH, "v": V, "eps": POSITIVE, "T": Real(3, float("inf"))},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_5_exponent(m: Vocabulary, gap: Number, v: Number, eps: Number, T: Number) -> Sides:
    """The two sides of the third inequality are equal, and the formula states this: 6 eps t_a 2 Delta_a gamma_a =
    (12/100) log T. Here t_a = (log T/(100 eps 4^{1/v})) (1/Delta_a)^{(1+v)/v} and gamma_a = (4 Delta_a)^{1/v}."""
    t_a = m.log(T) / (100 * eps * m.power(m.number(4), 1 / v)) * m.power(gap, -(1 + v) / v)
    return 6 * eps * t_a * 2 * gap * gamma_a(m, gap, v), m.number("0.12") * m.log(T)


@chapter.identity(
    "theorem-5/half",
    COUPLED_5,
    over={"gap": FIFTH, "K": Whole(2)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="So the probability is less than 1/(2K) if T^0.13 > 4K/Delta_a.",
)
def theorem_5_half(m: Vocabulary, gap: Number, K: Number) -> Sides:
    """The formula is the limiting case of the last inequality: T^{-0.13} (2/Delta_a) = 1/(2K) if T^0.13 =
    4K/Delta_a."""
    return 2 / gap / (4 * K / gap), 1 / (2 * K)
