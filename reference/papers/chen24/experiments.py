"""Section 5 and Appendix E.2: the experiments."""

from __future__ import annotations

from dpbandits.reference.ledger import Fault, Harm, Unjudged, Verdict
from dpbandits.reference.papers.chen24.page import page
from dpbandits.reference.vocabulary import Sides, Vocabulary

chapter = page.chapter("Section 5 and Appendix E.2")
ORDERINGS = "fractions of successes: no judge here compares error probabilities, and the grids of T are not printed"

chapter.add(
    "figure-1/orderings",
    page.source("Section 5, Figure 1"),
    Unjudged(ORDERINGS),
    expect=Verdict.UNSUPPORTED,
    note="Single runs agree: see tests/test_chen24_policies.py.",
)


@chapter.inequality(
    "figure-1/support",
    page.source("Section 5; Section 2"),
    over={},
    expect=Verdict.PROVED,
    note="omega_i <= 0.8 gives means of at most 0.445 for the other arms.",
)
def figure_1_support(m: Vocabulary) -> Sides:
    """Rewards uniform on [0, 2 mu_i] lie in [0, 1]: the largest mean is mu_1 = 0.5."""
    return 2 * m.number("0.5"), m.number(1)


@chapter.inequality(
    "figure-2/support",
    page.source("Appendix E.2; Section 2", "the reward distribution is uniform distribution in [0,2μ_i] for arm i=1,2"),
    over={},
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NUMBER,
    note="Rewards up to 1.1, where the model has [0, 1] and the noise is calibrated to it: one reward moves a mean by "
    "1.1/n, so the runs of Figure 2 are 1.1 eps-DP. Its orderings do not hang on that.",
)
def figure_2_support(m: Vocabulary) -> Sides:
    """Rewards uniform on [0, 2 mu_i] lie in [0, 1], with mu_1 = 0.5 + Delta and Delta = 0.05."""
    return 2 * (m.number("0.5") + m.number("0.05")), m.number(1)


@chapter.inequality(
    "figure-2/arms",
    page.source("Appendix E.2; Section 2", "a multi-armed bandit with K>2 arms"),
    over={},
    strict=True,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="K >= 2 is meant: DP-BAI is well defined for two arms.",
)
def figure_2_arms(m: Vocabulary) -> Sides:
    """Two arms are more than two."""
    return m.number(2), m.number(2)


chapter.add(
    "figure-2/orderings",
    page.source("Appendix E.2, Figure 2"),
    Unjudged(ORDERINGS),
    expect=Verdict.UNSUPPORTED,
)
