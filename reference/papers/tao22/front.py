"""The abstract, the introduction and Table 1."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Stated, Unjudged, Verdict
from dpbandits.reference.papers.tao22 import formulas as f
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import HORIZON, LDP_RATE, LDP_RATE_INDEPENDENT, W

chapter = page.chapter("Abstract, introduction and Table 1")


@chapter.identity(
    "introduction/log-factor",
    source(
        "Section 1",
        "To further improve the result, we then develop a private and robust version of the Successive Elimination "
        "(SE) algorithm and show that the (expected) regret bound is improved by a factor of log^{1.5+1/v} T, where T "
        "is the number of rounds.",
    ),
    over={"T": HORIZON, "w": W},
    expect=Verdict.PROVED,
)
def introduction_log_factor(m: Vocabulary, T: Number, w: Number) -> Sides:
    """As a formula: log^{2.5 + 1/v} T over log T, of the printed bounds (5) and (7), in T alone."""
    log = m.log(T)
    return f.power(m, log, m.number("2.5") + w) / log, f.power(m, log, m.number("1.5") + w)


chapter.add(
    "introduction/dp-optimal",
    source(
        "Section 1",
        "Moreover, we establish the lower bound and show that the instance-dependent regret bound of O((log T/eps) "
        "sum_{Delta_a > 0} (1/Delta_a)^{1/v} + max_a Delta_a) achieved by our second algorithm is optimal (up to "
        "poly(log log(1/Delta_a)) factors), where Delta_a is the mean gap defined in Section 3.1.",
    ),
    Consequence("the upper bound (7) and the lower bound (9) have the same order"),
    scope="eps <= 1, and constants that hang on v and u; for the instances of Theorem 5.",
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-4/order", "tao22/theorem-5"),
    by="(log T/eps) sum (1/Delta_a)^{1/v} in both",
)


chapter.add(
    "introduction/ldp-optimal",
    source(
        "Section 1",
        "We first develop a LDP version of the SE algorithm which achieves an instance-dependent regret bound of "
        "O((log T/eps^2) sum_{Delta_a > 0} (1/Delta_a)^{1/v} + max_a Delta_a) and an O~((K/eps^2)^{v/(1+v)} "
        "T^{1/(1+v)}) instance-independent bound. Then, we show that the above instance-dependent regret bound is "
        "optimal and the instance-independent regret bound is near-optimal (up to poly(log T) factors).",
    ),
    Stated(f"Algorithm 4 has the regret that is called optimal: {LDP_RATE}"),
    scope="The instance-dependent bound.",
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.STATEMENT,
    same_error_as="tao22/theorem-7",
    note="No eps-LDP algorithm has it (tao22/theorem-7/no-algorithm), and Algorithm 4 does not (tao22/theorem-7).",
)


chapter.add(
    "table-1/dp-upper",
    source(
        "Table 1",
        "Heavy-tailed Reward (Instance-dependent Bound) eps-DP O((log T/eps) sum_{Delta_a > 0} (1/Delta_a)^{1/v} + "
        "max_a Delta_a)",
    ),
    Consequence("Theorem 4 at u = 1"),
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-4/explicit",),
    by="log(4 K T) <= 3 log T for T >= 2 K, up to log log(1/Delta), which the paper leaves out",
)


chapter.add(
    "table-1/ldp-upper",
    source(
        "Table 1",
        "Heavy-tailed Reward (Instance-dependent Bound) [...] eps-LDP O((log T/eps^2) sum_{Delta_a > 0} "
        "(1/Delta_a)^{1/v} + max_a Delta_a)",
    ),
    Stated(LDP_RATE),
    scope="Of Algorithm 4, the only one that the paper offers for it; u = 1.",
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.GUARANTEE,
    same_error_as="tao22/theorem-7",
    note="Theorem 7 (tao22/theorem-7). The rate of Algorithm 4 is (log T/eps^2) sum (1/Delta_a)^{1 + 2/v}, "
    "tao22/theorem-7/rate, and no eps-LDP algorithm has the printed one (tao22/theorem-7/no-algorithm).",
)


chapter.add(
    "table-1/ldp-independent-upper",
    source(
        "Table 1",
        "Heavy-tailed Reward (Instance-independent Bound) [...] eps-LDP O((K log T/eps^2)^{v/(1+v)} T^{1/(1+v)})",
    ),
    Stated(LDP_RATE_INDEPENDENT),
    scope="Of Algorithm 4, the only one that the paper offers for it; u = 1.",
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.GUARANTEE,
    same_error_as="tao22/theorem-7",
    note="Theorem 7, eq. (11) (tao22/theorem-7/independent); no eps-LDP algorithm has it "
    "(tao22/theorem-7/independent/no-algorithm).",
)


chapter.add(
    "table-1/dp-lower",
    source(
        "Table 1",
        "Heavy-tailed Reward (Instance-dependent Bound) eps-DP [...] Omega((log T/eps) sum_{Delta_a > 0} "
        "(1/Delta_a)^{1/v})",
    ),
    Consequence("Theorem 5"),
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-5",),
    by="its instances have u <= 1; for eps <= 1, and algorithms with little regret on all of them",
)


chapter.add(
    "table-1/ldp-lower",
    source(
        "Table 1",
        "Heavy-tailed Reward (Instance-dependent Bound) [...] eps-LDP [...] Omega((log T/eps^2) sum_{Delta_a > 0} "
        "(1/Delta_a)^{1/v})",
    ),
    Consequence("Theorem 8"),
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-8",),
    by="its instances have u <= 1; for eps <= 1, and algorithms with little regret on all of them",
    note="True and loose: tao22/theorem-8/raised.",
)


chapter.add(
    "table-1/dp-independent-upper",
    source(
        "Table 1",
        "Heavy-tailed Reward (Instance-independent Bound) eps-DP O((K log T/eps)^{v/(1+v)} T^{1/(1+v)})",
    ),
    Consequence("Theorem 4, eq. (8), at u = 1"),
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-4/eq-8",),
    by="u = 1",
)


chapter.add(
    "table-1/ldp-independent-lower",
    source(
        "Table 1",
        "Heavy-tailed Reward (Instance-independent Bound) [...] eps-LDP [...] Omega((K/eps^2)^{v/(1+v)} T^{1/(1+v)})",
    ),
    Consequence("Theorem 9"),
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-9",),
    by="for every algorithm there is an instance",
    note="True and loose: tao22/theorem-9/raised.",
)


chapter.add(
    "table-1/bounded",
    source(
        "Table 1",
        "Bounded/sub-Gaussian Reward (Instance-dependent Bound) [...] Bounded/sub-Gaussian Reward "
        "(Instance-independent Bound) [...]",
    ),
    Unjudged("four rows of bounds of other papers, which have no pages here"),
    expect=Verdict.UNSUPPORTED,
)


chapter.add(
    "abstract/first-study",
    source(
        "Section 1",
        "We conduct a comprehensive and the first study on MAB with heavy-tailed rewards in both central and local DP "
        "models, where the reward distribution of each arm only has the (1+v)-th moment for some v in (0, 1].",
    ),
    Unjudged("history"),
    expect=Verdict.UNSUPPORTED,
)
