"""Appendix B: the proof of Lemma 4. L is log(4|S|tau^2/beta)."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Real, Verdict, Whole
from dpbandits.reference.papers.tao22 import formulas as f
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import EPOCH, POSITIVE, SHARE, U_CONSTANT, V

chapter = page.chapter("Appendix B: Theorem 3, Lemma 4 and Theorem 4")
DEVIATION = source(
    "Proof of Lemma 4",
    "we have, with probability at least 1 - beta/(4|S|tau^2), |mu_a - mu-bar_a| [...] <= sqrt(2 B_tau^{1-v} u "
    "log(4|S|tau^2/beta)/R_tau) + B_tau log(4|S|tau^2/beta)/(3 R_tau) + u/B_tau^v <= 4 u^{1/(1+v)} "
    "(log(4|S|tau^2/beta)/(R_tau eps))^{v/(1+v)} = 4 err_tau.",
)


@chapter.identity("lemma-4/deviation", DEVIATION, over=EPOCH, reading=Reading.OURS, expect=Verdict.PROVED)
def lemma_4_deviation(m: Vocabulary, eps: Number, v: Number, u: Number, L: Number, R: Number) -> Sides:
    """The step is sqrt(2 B^{1-v} u L/R) = sqrt(2 eps) err, after division by sqrt(2). Here L = log(4|S|tau^2/beta) and
    R = R_tau."""
    left = m.sqrt(m.power(f.threshold_3(m, eps, v, u, L, R), 1 - v) * u * L / R)
    return left, m.sqrt(eps) * f.err_3(m, eps, v, u, L, R)


@chapter.identity("lemma-4/range", DEVIATION, over=EPOCH, reading=Reading.OURS, expect=Verdict.PROVED)
def lemma_4_range(m: Vocabulary, eps: Number, v: Number, u: Number, L: Number, R: Number) -> Sides:
    """The formula is B L/(3 R) = (eps/3) err, with L = log(4|S|tau^2/beta) and R = R_tau."""
    return f.threshold_3(m, eps, v, u, L, R) * L / (3 * R), eps / 3 * f.err_3(m, eps, v, u, L, R)


@chapter.identity("lemma-4/bias", DEVIATION, over=EPOCH, reading=Reading.OURS, expect=Verdict.PROVED)
def lemma_4_bias(m: Vocabulary, eps: Number, v: Number, u: Number, L: Number, R: Number) -> Sides:
    """The formula is u/B^v = err, with L = log(4|S|tau^2/beta) and R = R_tau."""
    return u / m.power(f.threshold_3(m, eps, v, u, L, R), v), f.err_3(m, eps, v, u, L, R)


@chapter.inequality(
    "lemma-4/four-err",
    DEVIATION,
    over={"eps": Real(0, 1, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    given="eps <= 1, as in Theorem 4, whose lemma it is",
    related=("tao22/lemma-4/deviation", "tao22/lemma-4/range", "tao22/lemma-4/bias"),
)
def lemma_4_four_err(m: Vocabulary, eps: Number) -> Sides:
    """The three terms of the bound add up to at most 4 err. Each term is divided by err, as in
    `tao22/lemma-4/deviation`, `tao22/lemma-4/range` and `tao22/lemma-4/bias`."""
    return m.sqrt(2 * eps) + eps / 3 + 1, m.number(4)


@chapter.inequality(
    "lemma-4/four-err/every-eps",
    DEVIATION,
    over={"eps": POSITIVE},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    same_error_as="tao22/lemma-4/every-eps",
    note="The inequality holds up to eps = 2.41.\n"
    "Theorem 4 assumes eps <= 1, but Lemma 4 does not assume it.\n"
    "The sampling error does not depend on eps, but err decreases as eps grows.",
)
def lemma_4_four_err_every_eps(m: Vocabulary, eps: Number) -> Sides:
    """The claim is that for every eps > 0, the three terms of the bound add up to at most 4 err. Each term is divided
    by err."""
    return m.sqrt(2 * eps) + eps / 3 + 1, m.number(4)


@chapter.identity(
    "lemma-4/noise",
    source(
        "Proof of Lemma 4",
        "|mu-bar_a - mu-tilde_a| = |Lap(2 B_tau/(eps R_tau))| <= (2 B_tau/(eps R_tau)) log(4|S|tau^2/beta) = 2 "
        "u^{1/(1+v)} (log(4|S|tau^2/beta)/(R_tau eps))^{v/(1+v)} = 2 err_tau.",
    ),
    over=EPOCH,
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def lemma_4_noise(m: Vocabulary, eps: Number, v: Number, u: Number, L: Number, R: Number) -> Sides:
    """The last two equalities are checked. Here L = log(4|S|tau^2/beta) and R = R_tau."""
    return 2 * f.threshold_3(m, eps, v, u, L, R) / (eps * R) * L, 2 * f.err_3(m, eps, v, u, L, R)


@chapter.inequality(
    "lemma-4/union",
    source(
        "Proof of Lemma 4",
        "By taking the union bound, we have P(E_tau) >= 1 - beta/(2 tau^2) and P(E) >= 1 - (beta/2) (sum_{tau >= 1} "
        "tau^{-2}) >= 1 - beta.",
    ),
    over={},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The paper prints E as the union of the E_tau, but means their intersection. E bounds |mu_a - mu-bar_a| on "
    "both sides, but Lemma 6 bounds one side only. So for the intersection, the argument gives probability 1 - 1.24 "
    "beta. The printed probabilities are right for the event that the proof needs. This event bounds one side for "
    "each arm: from below for the best arm, and from above for the others.",
)
def lemma_4_union(m: Vocabulary) -> Sides:
    """The formula is the last inequality: half of sum_{tau >= 1} tau^-2 = pi^2/6 is at most 1."""
    return m.pi * m.pi / 6 / 2, m.number(1)


@chapter.identity(
    "lemma-4/half-gap",
    source(
        "Proof of Lemma 4",
        "Due to R_tau = u^{1/v} (24^{(1+v)/v} log(4|S|tau^2/beta)/(eps D_tau^{(1+v)/v})) + 1, we know that 12 err_tau "
        "< D_tau/2.",
    ),
    over={"eps": POSITIVE, "v": V, "u": POSITIVE, "L": POSITIVE, "D": POSITIVE},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="As R grows, err decreases. R_tau exceeds this R by at least 1, so 12 err_tau < D_tau/2 holds.",
)
def lemma_4_half_gap(m: Vocabulary, eps: Number, v: Number, u: Number, L: Number, D: Number) -> Sides:
    """The formula is 12 err = D/2 at R = u^{1/v} 24^{(1+v)/v} L/(eps D^{(1+v)/v}), to which line 8 adds 1. Both sides
    are divided by 12."""
    p = (1 + v) / v
    R = m.power(u, 1 / v) * m.power(m.number(24), p) * L / (eps * m.power(D, p))
    return f.err_3(m, eps, v, u, L, R), D / 24


def reached(m: Vocabulary, gap: Number) -> Sides:
    """Delta_a >= D_1."""
    return m.number("0.5"), gap


@chapter.inequality(
    "lemma-4/large-gap",
    source(
        "Proof of Lemma 4",
        "Let tau(a) be the first epoch such that Delta_a >= D_{tau(a)}, which implying D_{tau(a)} <= Delta_a <= "
        "D_{tau(a)-1} = 2 D_{tau(a)}.",
    ),
    over={"gap": POSITIVE},
    where=(reached,),
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.PROOF,
    note="The lemma is about any instance, and no assumption bounds the gaps by 1. An arm with a larger gap is "
    "eliminated in epoch 1, after R_1 pulls, but the bound decreases like (1/Delta_a)^{(1+v)/v}. No gap exceeds 2 "
    "u^{1/(1+v)}, so for constant u the order of the bound is right.",
)
def lemma_4_large_gap(m: Vocabulary, gap: Number) -> Sides:
    """The claim is for tau(a) = 1, that is, for arms with Delta_a >= D_1 = 1/2. It states that these arms have Delta_a
    <= 2 D_1 = 1."""
    return gap, m.number(1)


def fewer(m: Vocabulary, K: Number, S: Number, **others: Number) -> Sides:
    """Arms are eliminated, and none come back."""
    return S, K


@chapter.inequality(
    "lemma-4/geometric",
    source(
        "Proof of Lemma 4",
        "Thus, the total number of pulls of arm a is sum_{tau <= tau(a)} R_tau <= sum_{tau <= tau(a)} "
        "2^{((1+v)/v)[tau - tau(a)]} R_{tau(a)} <= R_{tau(a)} sum_{i=0}^{tau(a)-1} 2^{-((1+v)/v) i}",
    ),
    over={"K": Whole(2), "S": Whole(2), "beta": SHARE, "v": V, "c": Real(36, np.inf)},
    where=(fewer,),
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.PROOF,
    note="The logarithm in R_tau decreases if most arms are eliminated at once, and the 1 that line 8 adds does not "
    "grow.\n"
    "With K in place of |S| and with the additional term 2 tau(a), the bound is right: `tao22/lemma-4/repaired`. The "
    "formula has c > 36. The reason is that a gap of at least 1/4 needs u^{1/(1+v)} >= 1/8, so that c >= 6^{(1+v)/v} "
    "for eps <= 1.",
    related=("tao22/lemma-4/repaired",),
)
def lemma_4_geometric(m: Vocabulary, K: Number, S: Number, beta: Number, v: Number, c: Number) -> Sides:
    """The formula is R_1 + R_2 <= 2^{-(1+v)/v} R_2 + R_2 for tau(a) = 2 and confidence level beta, before rounding up.
    Epoch 1 has K arms, and epoch 2 has S arms. Here c = u^{1/v} 48^{(1+v)/v}/eps."""
    fold = m.power(m.number(2), (1 + v) / v)
    first = c * f.log_3(m, K, 1, beta) + 1
    second = c * fold * f.log_3(m, S, 2, beta) + 1
    return first + second, second / fold + second


@chapter.identity(
    "lemma-4/u",
    source(
        "Proof of Lemma 4",
        "<= (1/(1 - 2^{-(1+v)/v})) R_{tau(a)} = (2^{(1+v)/v}/(2^{(1+v)/v} - 1)) (u^{1/(1+v)} "
        "(24^{(1+v)/v}/D_tau^{(1+v)/v}) log(4|S|tau(a)^2/beta)/eps + 1)",
    ),
    over={"eps": POSITIVE, "v": V, "u": POSITIVE, "L": POSITIVE, "tau": Whole(1)},
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.NUMBER,
    same_error_as="tao22/lemma-4/power-of-u",
    note=f"R_tau has u^{{1/v}} in line 8 and in the proof's quotation of this line.\n{U_CONSTANT}\nSee "
    "`tao22/lemma-4/power-of-u`.",
)
def lemma_4_u(m: Vocabulary, eps: Number, v: Number, u: Number, L: Number, tau: Number) -> Sides:
    """The claim is that R_{tau(a)} of line 8, before rounding up, does not change if u^{1/(1+v)} takes the place of
    u^{1/v}. Here L = log(4|S|tau(a)^2/beta)."""
    p, D = (1 + v) / v, m.power(m.number("0.5"), tau)
    printed = m.power(u, 1 / (1 + v)) * m.power(m.number(24), p) * L / (eps * m.power(D, p)) + 1
    return f.length_3(m, eps, v, u, L, D), printed


LAST_LINE = source(
    "Proof of Lemma 4",
    "<= u^{1/(1+v)} (48^{(1+v)/v}/D_tau^{(1+v)/v}) log(4|S|tau(a)^2/beta)/eps + 2 <= u^{1/(1+v)} "
    "(96/Delta_a)^{(1+v)/v} (log(4K/beta) + log log(2/Delta_a))/eps + 2 [...] where the last inequality is due to the "
    "bounds D_tau > Delta_a/2, |S| <= K, tau(a) <= log_2(2/Delta_a) and K <= 2.",
)


@chapter.inequality(
    "lemma-4/log-log",
    LAST_LINE,
    over={"tau": Whole(1), "ratio": Real(0.5, 1), "K": Whole(2), "beta": SHARE, "v": V},
    expect=Verdict.REFUTED,
    fault=Fault.FACTOR,
    harm=Harm.PROOF,
    note="log tau(a)^2 is 2 log log2(2/Delta_a), not log log(2/Delta_a).\n"
    "The last line holds nevertheless (`tao22/lemma-4/log-log/whole`), because the preceding step uses 48^{(1+v)/v}. "
    "In its place (4/3) 24^{(1+v)/v} suffices, which is at most a third of 48^{(1+v)/v}. (K <= 2 is printed, but K >= "
    "2 is used.)",
    repaired_by=("tao22/lemma-4/log-log/whole",),
)
def lemma_4_log_log(m: Vocabulary, tau: Number, ratio: Number, K: Number, beta: Number, v: Number) -> Sides:
    """The formula is the last inequality without its factor 2, for |S| = K, D = 2^-tau and Delta_a = 2 ratio D. Both
    sides are divided by u^{1/(1+v)} (48/D)^{(1+v)/v}/eps. So 96/Delta_a = 48/(ratio D), and log(2/Delta_a) = tau log 2
    - log ratio."""
    log_log = m.log(tau * m.log(m.number(2)) - m.log(ratio))
    return f.log_3(m, K, tau, beta), m.power(ratio, -(1 + v) / v) * (f.log_3(m, K, 1, beta) + log_log)


@chapter.inequality(
    "lemma-4/log-log/whole",
    LAST_LINE,
    over={"x": Real(2, np.inf, closed=True), "y": Real(0, np.inf, closed=True)},
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
    note="So (4/3) (24/D)^{(1+v)/v} times the left side is at most 4 (24/D)^{(1+v)/v} times the bracket on the right, "
    "and 4 <= 2^{(1+v)/v}. As D > Delta_a/2, this bound is at most (96/Delta_a)^{(1+v)/v} times the bracket, as "
    "printed.",
)
def lemma_4_log_log_whole(m: Vocabulary, x: Number, y: Number) -> Sides:
    """The formula covers the last two steps, with (4/3) 24^{(1+v)/v} in place of 48^{(1+v)/v}. It states that log(4K
    tau(a)^2/beta) <= 3 (log(4K/beta) + log(tau(a) log 2)). In the formula, x = log(4K/beta) is at least log 8 > 2, and
    y = log tau(a)."""
    return x + 2 * y, 3 * (x + y + m.log(m.log(m.number(2))))
