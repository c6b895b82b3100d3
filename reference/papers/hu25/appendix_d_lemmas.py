"""Appendix D: Lemmas D.1 to D.3, with equations (26) and (27)."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Reading, Real, Verdict
from dpbandits.reference.papers.hu25.page import page
from dpbandits.reference.papers.hu25.shared import HORIZON, PAST_E, POSITIVE, source

chapter = page.chapter("Appendix D")
EQ_26 = source("Proof of Lemma D.1, eq. (26)", "<= O(T * phi * 1/(T Delta_i^2 * phi)) <= O(1/Delta_i^2)")
EQ_27 = source(
    "Proof of Lemma D.2, eq. (27)",
    "<= sum_{s=0}^{log(T)} 2 e^{-2 ln(T Delta_i^2)} * 2^{s+1} <= O(T * 1/(T Delta_i^2 * T Delta_i^2)) <= "
    "O(1/Delta_i^2)",
)


@chapter.identity(
    "lemma-d.1/sum",
    EQ_26,
    over={"T": HORIZON, "gap": POSITIVE, "phi": Real(1, np.inf, True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="As sum_{s <= log2 T} 2^{s+1} < 4 T and e^{-ln x} = 1/x, the constant of O(1/D^2) is 2.",
)
def lemma_d_1_sum(m: Vocabulary, T: Number, gap: Number, phi: Number) -> Sides:
    """The formula is sum_{s <= log T} 2^{s+1} phi (1/2) e^{-ln(T D^2 phi)} <= O(1/D^2)."""
    return 4 * T * (phi * (1 / (T * gap * gap * phi)) / 2), 2 / (gap * gap)


chapter.add(
    "lemma-d.1",
    source(
        "Lemma D.1",
        "We have sum_{t=K+1}^T E[1{i_t = i, not E_i^theta(t), n_i(t-1) >= L_i}] <= O(1/Delta_i^2).",
    ),
    Consequence(
        "the sum over t of the probability that i_t = i, E_i^theta(t) fails and n_i(t-1) >= L_i is O(1/Delta_i^2)"
    ),
    expect=Verdict.ARGUED,
    follows=("hu25/fact-a.3/eq-4", "hu25/lemma-d.1/sum"),
    by="a union bound over the samples of an epoch, and equation (4)",
    note="MAX_i may also be its initial value 0, which is below the threshold, because means are not negative.",
)


@chapter.inequality(
    "lemma-d.2/sum",
    EQ_27,
    over={"y": PAST_E},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="Both sides are multiplied by D^2, with y = T D^2. As sum_{s <= log2 T} 2^{s+1} < 4 T, the constant is 8.",
)
def lemma_d_2_sum(m: Vocabulary, y: Number) -> Sides:
    """The formula is sum 2 e^{-2 ln(T D^2)} 2^{s+1} <= O(T/(T D^2)^2) <= O(1/D^2)."""
    return 8 / y, m.number(8)


chapter.add(
    "lemma-d.2",
    source(
        "Lemma D.2",
        "We have sum_{t=K+1}^T E[1{i_t = i, not E_i^mu(t-1), n_i(t-1) >= L_i}] <= O(1/Delta_i^2).",
    ),
    Consequence(
        "the sum over t of the probability that i_t = i, E_i^mu(t-1) fails and n_i(t-1) >= L_i is O(1/Delta_i^2)"
    ),
    expect=Verdict.ARGUED,
    follows=("hu25/fact-a.2", "hu25/lemma-d.2/sum"),
    by="Hoeffding's inequality for the mean of 2^s fresh rewards, which is used in an epoch of at most 2^{s+1} pulls",
)
LEMMA_D_3 = source(
    "Lemma D.3, eq. (21)",
    "For any instantiation F_{t-1} of F_{t-1}, we have E[1{i_t = i, T_1(t), theta_i(t) <= mu_i + 0.5 Delta_i} | "
    "F_{t-1} = F_{t-1}] <= (1/P{theta_{1,n_1(t-1)} > mu_1 - 0.5 Delta_i | F_{t-1} = F_{t-1}} - 1) E[1{i_t = 1} | "
    "F_{t-1} = F_{t-1}].",
    statement="Lemma D.3",
)


@chapter.identity(
    "lemma-d.3/formula",
    LEMMA_D_3,
    over={"p": Real(0, 1), "q": Real(0, 1, True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="In the formula, p = P(theta_1 > z) and q = P(all other theta <= z).",
)
def lemma_d_3_formula(m: Vocabulary, p: Number, q: Number) -> Sides:
    """The formula is the step from (31) and (32) to equation (33): (1 - p) q = (1/p - 1) p q."""
    return (1 - p) * q, (1 / p - 1) * (p * q)


chapter.add(
    "lemma-d.3",
    LEMMA_D_3,
    Consequence(
        "for every history, the probability that i_t = i, T_1(t) holds and theta_i(t) <= mu_i + 0.5 Delta_i "
        "is at most (1/p - 1) times the probability that i_t = 1, where p = P(theta_1 > mu_1 - 0.5 Delta_i)"
    ),
    expect=Verdict.ARGUED,
    follows=("hu25/lemma-d.3/formula",),
    by="independence of arm 1's fresh sample, given the history",
    note="Let z = mu_i + 0.5 D, p = P(theta_1 > z) and q = P(all other theta <= z). The text of (28) to (33) has mu_i "
    "+ 0.5 D, which equals the mu_1 - 0.5 D of (21). In one place (30) prints mu_1 + 0.5 D instead. This slip makes "
    "no difference: (30) is for histories in which T_1(t) does not hold, and for these histories the left side is 0.",
)
