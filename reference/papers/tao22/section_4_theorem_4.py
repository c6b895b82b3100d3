"""Section 4: Theorem 4, the regret of Algorithm 3, (7) and (8)."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Stated, Verdict
from dpbandits.reference.papers.tao22 import DPRSE, TwoPoint
from dpbandits.reference.papers.tao22 import formulas as f
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import U_CONSTANT, largest_moment

chapter = page.chapter("Section 4: Algorithm 3")
THEOREM_4 = source(
    "Theorem 4, eq. (7)",
    "If we set beta = 1/T in Algorithm 3, then for sufficiently large T and any eps in (0, 1], the instance-dependent "
    "expected regret of Algorithm 3 satisfies R_T <= O((u^{1/(1+v)} log T/eps) sum_{Delta_a > 0} (1/Delta_a)^{1/v} + "
    "max_a Delta_a).",
    statement="Theorem 4",
)
EQ_8 = source(
    "Theorem 4, eq. (8)",
    "Moreover, the instance-independent expected regret of Algorithm 3 satisfies R_T <= O(u^{v/(1+v)^2} (K log "
    "T/eps)^{v/(1+v)} T^{1/(1+v)}), where the O(.)-notation omits log log(1/Delta_a) terms.",
    statement="Theorem 4",
)


@chapter.at_most(
    "theorem-4/explicit",
    THEOREM_4,
    PSEUDO_REGRET,
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    subject=DPRSE,
    params=(
        {"arms": 2, "horizon": 10**9, "eps": 1.0, "v": 1.0, "u": 1.0, "environment": Bernoulli((0.9, 0.1))},
        {"arms": 3, "horizon": 10**11, "eps": 0.5, "v": 1.0, "u": 1.0, "environment": Bernoulli((0.9, 0.6, 0.1))},
        {
            "arms": 2,
            "horizon": 10**13,
            "eps": 1.0,
            "v": 0.5,
            "u": 0.5,
            "environment": TwoPoint((4.0, 4.0), (0.06, 0.0)),
        },
    ),
    follows=(
        "tao22/lemma-4/bias",
        "tao22/lemma-4/deviation",
        "tao22/lemma-4/range",
        "tao22/lemma-4/four-err",
        "tao22/lemma-4/noise",
        "tao22/lemma-4/union",
        "tao22/lemma-4/half-gap",
        "tao22/lemma-4/repaired",
    ),
    by="the repaired Lemma 4, which holds with probability 1 - 1/T, and the bound T max Delta_a on the regret "
    "otherwise",
    given="eps <= 1, beta = 1/T, 0 < Delta_a <= 1",
    note="Unlike the printed bound, this bound has the power of u from line 8, a term for the rounding up, and 2 log "
    "tau(a) in place of the proof's log log(2/Delta_a).",
)
def theorem_4_explicit(p: Any, environment: Any) -> float | None:
    """R_T is at most the sum of Delta_a ((4/3) u^{1/v} (24/D)^{(1+v)/v} log(4 K tau(a)^2 T)/eps + 2 tau(a)), plus
    max Delta_a, where tau(a) = max(1, ceil(log2(1/Delta_a))) and D = 2^-tau(a)."""
    best = max(environment.means)
    gaps = [best - mean for mean in environment.means if mean < best]
    if p.eps > 1 or max(gaps) > 1 or largest_moment(environment, 1 + p.v) > p.u:
        return None
    total = max(gaps)
    for gap in gaps:
        tau = max(1.0, float(np.ceil(-np.log2(gap))))
        log = f.log_3(doubles, p.arms, tau, p.risk)
        rounds = f.length_3(doubles, p.eps, p.v, p.u, log, 2.0**-tau) - 1
        total += gap * (4 / 3 * rounds + 2 * tau)
    return float(total)


chapter.add(
    "theorem-4/order",
    THEOREM_4,
    Consequence(
        "R_T <= C ((u^{1/(1+v)} log T/eps) sum_{Delta_a > 0} (1/Delta_a)^{1/v} + max_a Delta_a) for eps in (0, 1], "
        "beta = 1/T and large T"
    ),
    scope="C may depend on v and u, and log log(1/Delta_a) is omitted. The claim is for T >= 2 K.",
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-4/explicit", "tao22/lemma-4/repaired", "tao22/lemma-4/order/logs"),
    note="The claim follows from `tao22/theorem-4/explicit` and three facts. For T >= 2 K, log(4 K T) <= 3 log T + 1. "
    f"An arm with a gap above 1 is eliminated in epoch 1. No gap exceeds 2 u^{{1/(1+v)}}. {U_CONSTANT} With the "
    "printed power no constant works for every u: `tao22/theorem-4/every-u`.",
    related=("tao22/theorem-4/every-u",),
)

chapter.add(
    "theorem-4/every-u",
    THEOREM_4,
    Stated("the regret bound (7) holds with one constant for every u >= 1"),
    scope="The claim is for fixed v, eps = 1, and T large enough for u and the instance.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.NUMBER,
    same_error_as="tao22/lemma-4/power-of-u",
    note=f"{U_CONSTANT}\nThe right power is u^{{1/v}}: `tao22/theorem-4/explicit`.",
    repaired_by=("tao22/theorem-4/explicit",),
)

chapter.add(
    "theorem-4/eq-8/every-u",
    EQ_8,
    Stated("the regret bound (8) holds with one constant for every u >= 1"),
    scope="The claim is for fixed v, eps = 1, K = 2, and T large enough for u.",
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.NUMBER,
    same_error_as="tao22/lemma-4/power-of-u",
    note=f"{U_CONSTANT}\nThe right power is u^{{1/(1+v)}}: rewards c X have c times the regret and moments "
    "c^{1+v} u.",
)

chapter.add(
    "theorem-4/eq-8",
    EQ_8,
    Consequence("R_T <= C u^{v/(1+v)^2} (K log T/eps)^{v/(1+v)} T^{1/(1+v)} for eps in (0, 1] and T >= 2 K"),
    scope="C may depend on v and u.",
    expect=Verdict.ARGUED,
    follows=(
        "tao22/lemma-4/repaired",
        "tao22/lemma-4/order/logs",
        "tao22/theorem-4/gap-star",
        "tao22/theorem-4/log-KT",
        "tao22/theorem-4/independent",
    ),
    note="The proof has two groups of arms, as the paper's proof. The arms with gaps up to Delta* together have "
    "regret at most T Delta*. Each other arm adds a regret of at most a constant times (log T/eps) Delta*^{-1/v} = "
    "Delta* T/K, because Delta* >= 1/T implies log log(2/Delta_a) <= log(2 T). No gap exceeds 2 u^{1/(1+v)}, and D = "
    "1/2 can be used for all gaps of at least 1/2. With probability 1/T the regret is at most T max Delta_a.",
)
