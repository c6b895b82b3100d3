"""The abstract, the introduction and Table 1."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Stated, Unjudged, Verdict
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import HORIZON, LDP_RATE, LDP_RATE_INDEPENDENT, V

chapter = page.chapter("Abstract, introduction and Table 1")


@chapter.identity(
    "introduction/log-factor",
    source(
        "Section 1",
        "To further improve the result, we then develop a private and robust version of the Successive Elimination "
        "(SE) algorithm and show that the (expected) regret bound is improved by a factor of log^{1.5+1/v} T, where T "
        "is the number of rounds.",
    ),
    over={"T": HORIZON, "v": V},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def introduction_log_factor(m: Vocabulary, T: Number, v: Number) -> Sides:
    """The formula is about the dependence on T. The bounds (5) and (7) depend on T by log^{2.5 + 1/v} T and log T,
    whose quotient is log^{1.5 + 1/v} T."""
    log = m.log(T)
    return m.power(log, m.number("2.5") + 1 / v) / log, m.power(log, m.number("1.5") + 1 / v)


chapter.add(
    "introduction/dp-optimal",
    source(
        "Section 1",
        "Moreover, we establish the lower bound and show that the instance-dependent regret bound of O((log T/eps) "
        "sum_{Delta_a > 0} (1/Delta_a)^{1/v} + max_a Delta_a) achieved by our second algorithm is optimal (up to "
        "poly(log log(1/Delta_a)) factors), where Delta_a is the mean gap defined in Section 3.1.",
    ),
    Consequence(
        "the upper bound (7) for Algorithm 3 and the lower bound (9) for all eps-DP algorithms have the same order in "
        "T, eps and the gaps, (log T/eps) sum_{Delta_a > 0} (1/Delta_a)^{1/v}"
    ),
    scope="The claim is for eps <= 1 and the instances of Theorem 5. Constants may depend on v and u, and log "
    "log(1/Delta_a) is omitted.",
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-4/order", "tao22/theorem-5"),
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
    Stated(f"Algorithm 4 has the instance-dependent regret that the paper calls optimal, that is, {LDP_RATE}"),
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.GUARANTEE,
    same_error_as="tao22/theorem-7",
    note="Algorithm 4 does not have the claimed rate (`tao22/theorem-7`), and no eps-LDP algorithm has this rate "
    "(`tao22/theorem-7/no-algorithm`).",
    related=("tao22/theorem-7/no-algorithm",),
)


chapter.add(
    "table-1/dp-upper",
    source(
        "Table 1",
        "Heavy-tailed Reward (Instance-dependent Bound) eps-DP O((log T/eps) sum_{Delta_a > 0} (1/Delta_a)^{1/v} + "
        "max_a Delta_a)",
    ),
    Consequence("Algorithm 3 has regret O((log T/eps) sum_{Delta_a > 0} (1/Delta_a)^{1/v} + max_a Delta_a) for u = 1"),
    scope="The claim is for eps <= 1 and T >= 2 K. The constant may depend on v, and log log(1/Delta_a) is omitted, "
    "as in Theorem 4.",
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-4/explicit",),
    by="because log(4 K T) <= 3 log T for T >= 2 K",
)


chapter.add(
    "table-1/ldp-upper",
    source(
        "Table 1",
        "Heavy-tailed Reward (Instance-dependent Bound) [...] eps-LDP O((log T/eps^2) sum_{Delta_a > 0} "
        "(1/Delta_a)^{1/v} + max_a Delta_a)",
    ),
    Stated(LDP_RATE),
    scope="The claim is about Algorithm 4, the only algorithm that the paper gives for this rate, with u = 1.",
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.GUARANTEE,
    same_error_as="tao22/theorem-7",
    note="The rate of Algorithm 4 is (log T/eps^2) sum (1/Delta_a)^{1 + 2/v} (`tao22/theorem-7/rate`), and no "
    "eps-LDP algorithm has the printed rate (`tao22/theorem-7/no-algorithm`).\n"
    "The error is the same as in Theorem 7 (`tao22/theorem-7`).",
    related=("tao22/theorem-7/no-algorithm",),
    repaired_by=("tao22/theorem-7/rate",),
)


chapter.add(
    "table-1/ldp-independent-upper",
    source(
        "Table 1",
        "Heavy-tailed Reward (Instance-independent Bound) [...] eps-LDP O((K log T/eps^2)^{v/(1+v)} T^{1/(1+v)})",
    ),
    Stated(LDP_RATE_INDEPENDENT),
    scope="The claim is about Algorithm 4, the only algorithm that the paper gives for this rate, with u = 1.",
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.GUARANTEE,
    same_error_as="tao22/theorem-7",
    note="The error is the same as in equation (11) of Theorem 7 (`tao22/theorem-7/independent`).\n"
    "No eps-LDP algorithm has this rate (`tao22/theorem-7/independent/no-algorithm`).",
    related=("tao22/theorem-7/independent", "tao22/theorem-7/independent/no-algorithm"),
)


chapter.add(
    "table-1/dp-lower",
    source(
        "Table 1",
        "Heavy-tailed Reward (Instance-dependent Bound) eps-DP [...] Omega((log T/eps) sum_{Delta_a > 0} "
        "(1/Delta_a)^{1/v})",
    ),
    Consequence("every eps-DP algorithm has regret Omega((log T/eps) sum_{Delta_a > 0} (1/Delta_a)^{1/v})"),
    scope="The claim is about eps <= 1, the instances of Theorem 5 (for which u <= 1), and algorithms whose regret is "
    "at most T^{3/4} on each of these instances.",
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-5",),
)


chapter.add(
    "table-1/ldp-lower",
    source(
        "Table 1",
        "Heavy-tailed Reward (Instance-dependent Bound) [...] eps-LDP [...] Omega((log T/eps^2) sum_{Delta_a > 0} "
        "(1/Delta_a)^{1/v})",
    ),
    Consequence("every eps-LDP algorithm has regret Omega((log T/eps^2) sum_{Delta_a > 0} (1/Delta_a)^{1/v})"),
    scope="The claim is about eps <= 1, the instances of Theorem 8 (for which u <= 1), and algorithms whose regret is "
    "o(T^alpha) for every alpha > 0 on each of these instances.",
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-8",),
    note="A larger lower bound holds: `tao22/theorem-8/raised`.",
    related=("tao22/theorem-8/raised",),
)


chapter.add(
    "table-1/dp-independent-upper",
    source(
        "Table 1",
        "Heavy-tailed Reward (Instance-independent Bound) eps-DP O((K log T/eps)^{v/(1+v)} T^{1/(1+v)})",
    ),
    Consequence("Algorithm 3 has regret O((K log T/eps)^{v/(1+v)} T^{1/(1+v)}) on every instance with u = 1"),
    scope="The claim is for eps <= 1 and T >= 2 K. The constant may depend on v.",
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-4/eq-8",),
)


chapter.add(
    "table-1/ldp-independent-lower",
    source(
        "Table 1",
        "Heavy-tailed Reward (Instance-independent Bound) [...] eps-LDP [...] Omega((K/eps^2)^{v/(1+v)} T^{1/(1+v)})",
    ),
    Consequence("every eps-LDP algorithm has regret Omega((K/eps^2)^{v/(1+v)} T^{1/(1+v)}) on some instance"),
    scope="The claim is for eps <= 1 and large T. The instance depends on the algorithm and on T.",
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-9",),
    note="A larger lower bound holds: `tao22/theorem-9/raised`.",
    related=("tao22/theorem-9/raised",),
)


chapter.add(
    "table-1/bounded",
    source(
        "Table 1",
        "Bounded/sub-Gaussian Reward (Instance-dependent Bound) [...] Bounded/sub-Gaussian Reward "
        "(Instance-independent Bound) [...]",
    ),
    Unjudged("the four rows repeat bounds of other papers, which we do not check"),
    expect=Verdict.UNSUPPORTED,
)


chapter.add(
    "abstract/first-study",
    source(
        "Section 1",
        "We conduct a comprehensive and the first study on MAB with heavy-tailed rewards in both central and local DP "
        "models, where the reward distribution of each arm only has the (1+v)-th moment for some v in (0, 1].",
    ),
    Unjudged("whether a study is the first one is a question of history"),
    expect=Verdict.UNSUPPORTED,
)
