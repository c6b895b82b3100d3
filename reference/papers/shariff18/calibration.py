"""The exact privacy of the noisy Gram matrices as a function of sigma."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.elementary import log
from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Reading, Real, Stated, Verdict
from dpbandits.reference.curves import Gaussian
from dpbandits.reference.papers.shariff18 import PrivateLinUCB
from dpbandits.reference.papers.shariff18 import formulas as f
from dpbandits.reference.papers.shariff18.page import page

chapter = page.chapter("Calibration")
SOURCE = page.source("The Gaussian noise's variance")


@chapter.private(
    "calibration/gaussian",
    SOURCE,
    relation="user",
    view="others",
    subject=PrivateLinUCB,
    params=({"arms": 2, "horizon": 16, "contexts": 2, "eps": 1.0},),
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="For all p-sums together, this parameter is exact. Two users with reward 1 and features (1, 0) and (-1, 0) "
    "have the largest allowed distance, and for T = 2^(m-1) some round is in m p-sums.",
)
def gaussian_privacy(policy: PrivateLinUCB) -> Gaussian:
    """The claim is eps/(4 ln(4/delta))-GDP for the arms of all rounds except the changed round, for every eps, delta,
    K, d and T."""
    return Gaussian(policy.eps / (4 * float(log(4 / policy.delta))))


@chapter.identity(
    "calibration/mu",
    SOURCE,
    over={
        "nodes": Real(1, inf, closed=True),
        "squared_length": Real(0, inf),
        "log_risk": Real(0, inf),
        "eps": Real(0, inf),
    },
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def squared_mu(m: Vocabulary, nodes: Number, squared_length: Number, log_risk: Number, eps: Number) -> Sides:
    """The formula states that a changed round shifts m p-sums by matrices of squared Frobenius norm at most 2 L^4. With
    noise of variance sigma^2, the mu^2 of each p-sum is half of this norm, divided by sigma^2. The mu^2 of all p-sums
    together is (eps/(4 ln(4/delta)))^2."""
    variance = f.noise_variance(m, nodes, squared_length, log_risk, eps)
    return nodes * (2 * squared_length**2) / (2 * variance), f.gaussian_privacy(m, log_risk, eps) ** 2


@chapter.inequality(
    "calibration/loose",
    SOURCE,
    over={"times": Real(1, 14, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def loose(m: Vocabulary, times: Number) -> Sides:
    """The formula states that at eps = 1 and delta = 10^-6, a sigma that is smaller by any factor up to 14 is enough.
    So the variance may be smaller by a factor of 196."""
    mu = times * f.gaussian_privacy(m, m.log(m.number(4_000_000)), m.number(1))
    return f.gaussian_delta(m, mu, m.number(1)), m.number("0.000001")


chapter.add(
    "calibration/large",
    SOURCE,
    Stated("for eps = 64 ln(4/delta)^2 the noisy p-sums of a run are not (eps, 0.99)-DP, for any delta < 1"),
    reading=Reading.OURS,
    scope="All p-sums are released, and T = 2^(m-1). For delta = 10^-6, eps is 14 800. For eps up to 16 "
    "ln(4/delta)^2 the guarantee holds (`shariff18/abstract/joint`).",
    expect=Verdict.ARGUED,
    note="The formula for sigma is meant for small eps. The formula decreases like 1/eps, but for large eps sigma "
    "may only decrease like 1/sqrt(eps).",
    related=("shariff18/abstract/joint",),
)
