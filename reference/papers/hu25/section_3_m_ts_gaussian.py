"""Section 3: M-TS-Gaussian with one more pull of every arm than quoted. The quoted parameter holds for this
algorithm."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary, doubles
from dpbandits.reference.claims.model import Reading, Real, Stated, Verdict, Whole
from dpbandits.reference.curves import Curve, Gaussian
from dpbandits.reference.papers.hu25 import QuotedThompsonSampling
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.page import page
from dpbandits.reference.papers.hu25.section_3 import M_TS_GAUSSIAN

chapter = page.chapter("Section 3 and Table 1")


@chapter.inequality(
    "section-3/m-ts-gaussian-step/one-more",
    M_TS_GAUSSIAN,
    over={"b": Whole(0), "more": Whole(0), "c": Real(0, np.inf)},
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
    note="After squaring, the left side is ((1/n)/sqrt(c/n))^2 = 1/(c n), with n = b + 1 + more.",
)
def section_3_m_ts_gaussian_step_one_more(m: Vocabulary, b: Number, more: Number, c: Number) -> Sides:
    """The formula is the rate of a single round for the quoted variance c/n_i and n_i >= b + 1."""
    return 1 / (c * (b + 1 + more)), 1 / (c * (b + 1))


chapter.add(
    "section-3/m-ts-gaussian-step/every-history",
    M_TS_GAUSSIAN,
    Stated(
        "if b >= 0, c > 0, every arm was pulled at least b + 1 times, and one reward of one arm changes, then the "
        "samples N(S/n, c/n) of the next round are sqrt(1/(c(b+1)))-GDP, and so is the arm pulled"
    ),
    scope="The claim is about a single round, for the quoted variance, any number of arms and rewards in [0, 1].",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("ou24/gaussian-mechanism", "hu25/section-3/m-ts-gaussian-step/one-more"),
)


chapter.add(
    "section-3/m-ts-gaussian/every-run",
    M_TS_GAUSSIAN,
    Stated(
        "if every one of K arms is first pulled n >= 1 times, T > n K, and the samples are N(S/n_a, c/n_a) with c > "
        "0, the pulls of a run are sqrt((T - n K)/(c n))-GDP"
    ),
    scope="The claim covers the quoted algorithms, for neighbours of either relation, any number of arms and rewards "
    "in [0, 1]. For n = 1 and c = 1 the algorithm is TS-Gaussian.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/lemma-3/all-samples",),
    note="The proof cites no theorem. TS-Gaussian is sqrt(T - K)-GDP. M-TS-Gaussian with n = b + 1 first pulls of each "
    "arm is sqrt((T - n K)/(c n))-GDP, which is less than sqrt(T/(c(b+1))).",
)


@chapter.private(
    "section-3/m-ts-gaussian/one-more",
    M_TS_GAUSSIAN,
    "pull",
    "arms",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    subject=QuotedThompsonSampling,
    params=(
        {"arms": 2, "horizon": 20, "first": 1, "variance": 2.0},
        {"arms": 2, "horizon": 20, "first": 3, "variance": 0.5},
    ),
    follows=("hu25/section-3/m-ts-gaussian/every-run",),
    note="M-TS-Gaussian is read as TS-Gaussian in which every arm is first pulled b + 1 times, not once. So with b = 0 "
    "and c = 1, M-TS-Gaussian is TS-Gaussian.",
)
def section_3_m_ts_gaussian_one_more(p: Any) -> Curve | None:
    """The claim has the parameter sqrt(T/(c(b+1))), if every arm is first pulled b + 1 times."""
    return Gaussian(float(f.quoted_eta(doubles, p.horizon, p.first - 1, p.variance)))
