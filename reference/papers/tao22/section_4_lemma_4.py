"""Section 4: Lemma 4, how often Algorithm 3 pulls an arm."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Stated, Verdict
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import POSITIVE, U_CONSTANT, V

chapter = page.chapter("Section 4: Algorithm 3")
LEMMA_4 = source(
    "Lemma 4, eq. (6)",
    "For any instance of the K-MAB problem, denote by a* its optimal arm. Fix the time horizon T and confidence level "
    "beta in (0, 1). Then, with probability at least 1 - beta, in Algorithm 3, the total number of rounds to pull each "
    "sub-optimal arm a != a* is at most min{T, O((u^{1/(1+v)}/(eps Delta_a^{(1+v)/v})) (log(K/beta) + log "
    "log(1/Delta_a)))}.",
    statement="Lemma 4",
)

chapter.add(
    "lemma-4",
    LEMMA_4,
    Consequence(
        "with probability at least 1 - beta every sub-optimal arm is pulled at most C (u^{1/(1+v)}/(eps "
        "Delta_a^{(1+v)/v})) (log(K/beta) + log log(1/Delta_a)) times in Algorithm 3"
    ),
    scope="C may depend on v and u. The claim is for eps <= 1, as in Theorem 4, which uses the lemma. The claim has "
    "log log(2/Delta_a), as in the proof, in place of log log(1/Delta_a), and 0 if this logarithm is negative or "
    "undefined.",
    expect=Verdict.ARGUED,
    follows=("tao22/lemma-4/repaired", "tao22/lemma-4/order/logs"),
    note="The bound follows from `tao22/lemma-4/repaired` and three facts for Delta_a <= 1. First, D >= Delta_a/2 "
    "in (24/D)^{(1+v)/v}. Second, the logarithm is at most 10 (log(K/beta) + log log(2/Delta_a)) "
    "(`tao22/lemma-4/order/logs`). Third, 2 tau(a) is of smaller order. "
    "An arm with a larger gap is eliminated in epoch 1. No gap exceeds 2 u^{1/(1+v)}, so 48^{(1+v)/v} "
    "is at most a constant times Delta_a^{-(1+v)/v}. No single constant works for every u, eps or gap "
    "(`tao22/lemma-4/every-u`, `tao22/lemma-4/every-eps`, `tao22/lemma-4/large-gap`).",
    related=("tao22/lemma-4/every-u", "tao22/lemma-4/every-eps", "tao22/lemma-4/large-gap"),
)

chapter.add(
    "lemma-4/every-eps",
    LEMMA_4,
    Stated("the bound (6) on the number of pulls holds with one constant for every eps > 0"),
    scope="u, v, K, beta and the instance are fixed.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    note="The lemma does not state the condition eps <= 1. Theorem 4, which uses the lemma, states this condition.\n"
    "Every arm is pulled at least twice, while the bound tends to 0 as eps grows. Moreover, log log(1/Delta_a) is "
    "undefined for Delta_a >= 1 and negative for Delta_a > 1/e. The paper means log log(2/Delta_a), as in the proof.",
)

chapter.add(
    "lemma-4/every-u",
    LEMMA_4,
    Stated("the bound (6) on the number of pulls holds with one constant for every u >= 1"),
    scope="The claim is for fixed v and eps = 1.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.NUMBER,
    same_error_as="tao22/lemma-4/power-of-u",
    note=f"{U_CONSTANT}\nThe right power is u^{{1/v}}: `tao22/lemma-4/repaired`.",
    repaired_by=("tao22/lemma-4/repaired",),
)


@chapter.inequality(
    "lemma-4/order/logs",
    LEMMA_4,
    over={"x": Real(0.69, np.inf), "y": Real(-0.37, np.inf)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="tau(a) is the first epoch with 2^-tau(a) <= Delta_a, so tau(a) <= log_2(2/Delta_a) for Delta_a <= 1, and "
    "log tau(a) <= y - log log 2. K >= 2 makes x >= log 2 > 0.69, and Delta_a <= 1 makes y >= log log 2 > -0.37.",
)
def lemma_4_order_logs(m: Vocabulary, x: Number, y: Number) -> Sides:
    """The formula is log(4K tau(a)^2/beta) <= 10 (log(K/beta) + log log(2/Delta_a)) at the largest tau(a), with x =
    log(K/beta) and y = log log(2/Delta_a)."""
    two = m.log(m.number(2))
    return 2 * two + x + 2 * (y - m.log(two)), 10 * (x + y)


chapter.add(
    "lemma-4/repaired",
    LEMMA_4,
    Stated(
        "with probability at least 1 - beta every sub-optimal arm is pulled at most (4/3) u^{1/v} (24/D)^p log(4 K "
        "tau(a)^2/beta)/eps + 2 tau(a) times"
    ),
    scope="Here tau(a) is the first epoch with D = 2^-tau(a) <= Delta_a, and p = (1+v)/v.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    given="eps <= 1",
    note="The proof is the proof of Lemma 4 with five changes: one-sided events, the power of u from line 8, K in "
    "place of |S|, the rounding up, and Bernstein's inequality in its sub-gamma form.",
)


@chapter.inequality(
    "lemma-4/power-of-u",
    source(
        "Lemma 4, with the constant of its proof",
        "Thus, the total number of pulls of arm a is sum_{tau <= tau(a)} R_tau <= [...] <= u^{1/(1+v)} "
        "(96/Delta_a)^{(1+v)/v} (log(4K/beta) + log log(2/Delta_a))/eps + 2",
    ),
    over={"u": POSITIVE, "v": V},
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.NUMBER,
    note="Line 8 has u^{1/v}. The proof replaces this power by u^{1/(1+v)} from one line to the next, and (6), (7) "
    "and (8) have the wrong power too.\n"
    "No constant makes these bounds hold for every u (`tao22/lemma-4/every-u`, `tao22/theorem-4/every-u`, "
    "`tao22/theorem-4/eq-8/every-u`).\n"
    "Scaling shows the right power: rewards c X have gaps c Delta, moments c^{1+v} u and c times the regret. The "
    "factor (u/Delta)^{1/v}, as in Theorem 2, also scales like c. The paper treats u as a constant, but this bound "
    "has its constants written out.",
    related=("tao22/lemma-4/every-u", "tao22/theorem-4/every-u", "tao22/theorem-4/eq-8/every-u"),
)
def lemma_4_power_of_u(m: Vocabulary, u: Number, v: Number) -> Sides:
    """The formula is for an arm with Delta_a = 1/2, and both sides are divided by log(4K/beta)/eps. The arm certainly
    gets R_1 pulls, and R_1 is at least u^{1/v} 48^{(1+v)/v} log(4K/beta)/eps. The left side is this lower bound on R_1.
    The right side is the bound u^{1/(1+v)} 192^{(1+v)/v} (log(4K/beta) + log log 4)/eps + 2, which is at most twice its
    main term if the main term is at least 4."""
    p = (1 + v) / v
    left = m.power(u, 1 / v) * m.power(m.number(48), p)
    return left, 2 * m.power(u, 1 / (1 + v)) * m.power(m.number(192), p)
