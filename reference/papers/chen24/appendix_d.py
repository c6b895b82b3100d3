"""Appendix D, with I and J: DP-BAI-Gauss."""

from __future__ import annotations

from math import inf

from dpbandits.reference.curves import gaussian_delta
from dpbandits.reference.ledger import Fault, Harm, Reading, Real, Unjudged, Verdict
from dpbandits.reference.papers.chen24.page import page
from dpbandits.reference.vocabulary import Number, Sides, Vocabulary

chapter = page.chapter("Appendices D, I and J")
PROPOSITION_D_2 = page.source("Proposition D.2")
SHARE = "0.99"  # a lower bound of the chance that phase 1 retains the two arms of the argument below


@chapter.inequality(
    "proposition-d.2",
    PROPOSITION_D_2,
    over={"eps": Real(0, inf), "delta": Real(0, 1)},
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.GUARANTEE,
    note="K = 3 = d, two phases. In phase 1 two arms pay 1 and the third 0, so the two are retained with a chance of "
    "at least 0.99 once T is large. In phase 2 the recommendation is whether a difference of two normals, each of "
    "standard deviation sqrt(2 log(1.25/delta))/(eps n), is positive, and one reward moves it by 1/n: a Gaussian "
    "mechanism with mu = eps/(2 sqrt(log(1.25/delta))), and the other rewards put its threshold anywhere, for large n. "
    "The classical calibration that Appendix I cites is for eps < 1. So few arms show it late: from eps = 20 on at "
    "delta = 0.01, and 38 at 1e-5; a noisy mean, which the proof is about, from 6.8 and 8.5 on.",
)
def proposition_d_2(m: Vocabulary, eps: Number, delta: Number) -> Sides:
    """For every eps > 0 and delta in (0, 1): what the recommendation of three arms shows, against delta."""
    mu = eps / (2 * m.sqrt(m.log(m.number("1.25") / delta)))
    return m.number(SHARE) * gaussian_delta(m, eps, mu), delta


@chapter.inequality(
    "proposition-d.2/repaired",
    PROPOSITION_D_2,
    over={"eps": Real(0, 1.8, closed=True), "s": Real(0.67, inf)},
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    note="s = sqrt(2 log(1.25/delta)), so delta = 1.25 e^{-s^2/2}; delta < 1 is s > 0.668. One arm's noisy mean is a "
    "Gaussian mechanism with mu = eps/s, each reward is in one mean, and what follows is post-processing.",
)
def proposition_d_2_repaired(m: Vocabulary, eps: Number, s: Number) -> Sides:
    """For eps <= 1.8: delta(eps) of one noisy mean is at most delta."""
    return gaussian_delta(m, eps, eps / s), m.number("1.25") * m.exp(-s * s / 2)


chapter.add(
    "proposition-d.3",
    page.source("Proposition D.3"),
    Unjudged("exp(-Omega(...)) names no constant"),
    expect=Verdict.UNSUPPORTED,
)


@chapter.inequality(
    "lemma-j.1/after-117",
    page.source("Lemma J.1, after (117)"),
    over={"z": Real(0, inf, closed=True)},
    expect=Verdict.ARGUED,
    note="z = gap/2 in standard deviations of the difference, whose variance is 4 log(1.25/delta)/(eps n)^2.",
)
def after_117(m: Vocabulary, z: Number) -> Sides:
    """P(N >= z) <= exp(-z^2/2), which is the printed exponent (gap eps n)^2/(32 log(1.25/delta))."""
    return m.ncdf(-z), m.exp(-z * z / 2)


@chapter.inequality(
    "lemma-j.1/123",
    page.source("Lemma J.1, (123), first line"),
    over={"z": Real(0, inf, closed=True)},
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.PROOF,
    note="The variance is at most d 2 log(1.25/delta)/(eps n)^2, attained where all |alpha| = 1, and the deviation "
    "gap/4: in z = gap/4 over the standard deviation, (123)'s 32 d says exp(-z^2). It should be 64 d: exp(-z^2/2). The "
    "next step has a factor d to spare, so the lemma is shown for d >= 3 and T' large, and its constant 32 not for d "
    "<= 2.",
)
def eq_123(m: Vocabulary, z: Number) -> Sides:
    """P(N >= z) against the printed exp(-(gap eps n)^2/(32 d log(1.25/delta))) = exp(-z^2)."""
    return m.ncdf(-z), m.exp(-z * z)
