"""Appendix C: differential privacy of a policy, and table-DP of its dual."""

from __future__ import annotations

from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Stated, Verdict
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.chen24.algorithms.dp_bai import Elimination, dp_bai
from dpbandits.reference.papers.chen24.instances import PLANE, UNITS
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Appendix C")

COROLLARY_C_3 = page.source(
    "Corollary C.3",
    "the dual policy D(M) satisfies eps-table-DP if and only if for any t in [T] and any pair of column-neighbouring "
    "x, x' [...] P([D(M)(x)]_{t+1}^{T+1} in S) <= e^eps P([D(M)(x')]_{t+1}^{T+1} in S)",
)
COROLLARY_C_6 = page.source("Corollary C.6", "A policy π satisfies ε-DP if and only if D(π) satisfies ε-table-DP.")

chapter.add(
    "corollary-c.3",
    COROLLARY_C_3,
    Stated(
        "D(M) is eps-table-DP if and only if, for every column t and all tables that differ in column t, the laws of "
        "the outputs released after time t have likelihood ratios of at most e^eps"
    ),
    scope="The law of [D(M)(x)]_{t+1}^{T+1} is read as printed, that is, not conditional on the outputs up to time t.",
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.STATEMENT,
    note="The direction 'only if' holds. The direction 'if' fails: the output after t may be an encrypted reward "
    "whose key was released before t. A check of table-DP by the corollary may accept a policy that reveals a reward "
    "exactly.\n"
    "The paper does not use the corollary: Propositions C.4 and C.5 compare whole transcripts.",
)
chapter.add(
    "corollary-c.3/repaired",
    COROLLARY_C_3,
    Stated(
        "D(M) is eps-table-DP if and only if, for every column t and all tables that differ in column t, the "
        "conditional laws of the outputs after time t, given the outputs up to time t, have likelihood ratios of at "
        "most e^eps"
    ),
    scope="The claim is for every prefix with positive probability.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
)
chapter.add(
    "proposition-c.4",
    page.source("Proposition C.4", "If π satisfies ε-DP, then D(π) satisfies ε-table-DP."),
    Stated("if pi satisfies eps-DP, then D(pi) satisfies eps-table-DP"),
    scope="The claim is for every policy and eps > 0.",
    expect=Verdict.ARGUED,
)
chapter.add(
    "proposition-c.4/eq-29",
    page.source("Eqs. (29), (33)", "n_{i,t} = sum_{t=1}^T 1_{z_t = i}"),
    Stated("(32) holds with the printed n_{i,t} = sum_{t=1}^T 1{z_t = i}"),
    scope="As printed, the sum runs to T, so n_{i,t} does not depend on t.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The paper means the sum up to t, as the text says: 'n_{i,t} is equal to N_{i,t} if A_tau = z_tau for all "
    "tau <= t'. With this sum, (32) and Proposition C.4 hold.",
)
chapter.add(
    "proposition-c.5",
    page.source("Proposition C.5", "If D(π) satisfies ε-table-DP, then π satisfies ε-DP."),
    Stated("if D(pi) satisfies eps-table-DP, then pi satisfies eps-DP"),
    scope="The claim is for every policy and eps > 0.",
    expect=Verdict.ARGUED,
)
chapter.add(
    "corollary-c.6",
    COROLLARY_C_6,
    Consequence("pi satisfies eps-DP if and only if D(pi) satisfies eps-table-DP"),
    scope="The claim is for every policy and eps > 0.",
    expect=Verdict.ARGUED,
    follows=("chen24/proposition-c.4", "chen24/proposition-c.5"),
)


@chapter.private(
    "corollary-c.6/arms",
    COROLLARY_C_6,
    relation="round",
    view="arms",
    subject=dp_bai,
    params=({"features": UNITS, "horizon": 16, "eps": 1.0}, {"features": PLANE, "horizon": 13, "eps": 0.5}),
    expect=Verdict.CONSISTENT,
    note="D(DP-BAI) is DP-BAI with rewards indexed by time. The privacy loss of D(DP-BAI) is computed by its exact "
    "law, with the arms of a phase pulled one after another.",
)
def corollary_c_6_arms(policy: Elimination) -> Approximate:
    """The claim is that D(DP-BAI) is eps-table-DP. One column of the table changes, that is, the rewards of all arms at
    one time."""
    return Approximate(policy.spread.eps, 0.0)  # type: ignore[attr-defined]
