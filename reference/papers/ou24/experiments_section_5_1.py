"""Section 5.1: what the experiment with Bernoulli rewards shows, one claim per sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET
from dpbandits.reference.claims.model import Claim, Fault, Harm, OneOf, Reading, Unjudged, Verdict
from dpbandits.reference.papers.ou24.experiments import (
    AVERAGED,
    AVERAGES_REFUTED,
    BERNOULLI,
    FIRST,
    GRID,
    best_depends_on_eta,
    effect,
    effect_of_privacy,
    extremes_worst,
    intermediate_wins,
    per_round_regret,
    prepulling,
    weaker_is_better,
    weaker_privacy,
)
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.quantities import LATER_REGRET

chapter = page.chapter("Sections 4 to 6: experiments")
WEAKER = "The regret for all parameters decreases with weaker privacy guarantees, as expected."
PRONOUNCED = (
    "regret is lower with lower levels of privacy protection. This effect is more pronounced with smaller values of b."
)
NO_PREPULLS: Mapping[str, Any] = {  # "more pronounced with smaller values of b", to the letter
    "where": FIRST.arxiv,
    "quote": PRONOUNCED,
    "quantity": PSEUDO_REGRET,
    "pairs": [(effect(100), effect(0))],
    "reading": Reading.LETTER,
    "fault": Fault.QUANTIFIER,
    "harm": Harm.NONE,
    "note": "Without pre-pulls the noise is so large that play is nearly uniform at every privacy level, so the level "
    "matters less for b = 0 than for b = 100.\n"
    "For b >= 100 the sentence holds (`ou24/5.1/effect-of-privacy`): only a reader who includes b = 0 is "
    "misled.",
    "related": ("ou24/5.1/effect-of-privacy",),
}
SECTION_5_1: tuple[Claim, ...] = (
    prepulling(
        FIRST,
        "For each parameter setting, we observe an initial period of high regret, corresponding to the pre-pulling "
        "phase; this is more pronounced for larger b values.",
    ),
    per_round_regret(
        FIRST,
        "Parameter regimes with larger b values perform extremely well in this phase [...]. Smaller b values do not "
        "suffer this initial period of loss, but they do incur more per-round regret",
    ),
    FIRST.claim(
        "5.1/larger-c",
        "Section 4",
        "it also adds higher levels of noise to the algorithm's estimated empirical reward of each arm, thus "
        "increasing regret",
        LATER_REGRET,
        weaker_is_better(GRID[:5]),
        scope="On the arms of Section 5.1, at the same b, a larger c gives more regret per later round.",
        note="This effect of c is also the second of two reasons that Section 5.1 gives for the low regret of large b "
        "in the rounds after the pre-pulls.",
    ),
    intermediate_wins(
        FIRST,
        "the lowest regret at time T is achieved by parameter settings with intermediate values of b and c, rather "
        "than settings that only involve tuning each parameter alone",
    ),
    extremes_worst(
        FIRST,
        "the highest and lowest values of b correspond to the highest regret, across all privacy levels, and [...] "
        "substantially lower regret is achieved with intermediate values of b",
    ),
    best_depends_on_eta(
        FIRST, "the values of b and c that lead to the lowest empirical regret depend on the privacy budget"
    ),
    weaker_privacy(FIRST, FIRST.here, WEAKER),
    FIRST.claim(
        "5.1/weaker-privacy/all-b",
        FIRST.here,
        WEAKER,
        PSEUDO_REGRET,
        weaker_is_better(GRID),
        reading=Reading.LETTER,
        scope="The claim is read for all parameters, that is, for every b of the grid.",
        note="At b = 10 000 and 19 000, some comparisons stay undecided, whatever the number of runs. With 19 000 "
        "pre-pulls and eta = 1, a later round pulls a suboptimal arm with a probability of about 1e-7, so nearly all "
        "runs have the same regret at every eta. The expected regret still decreases, but no experiment of ten runs "
        "shows the decrease.",
    ),
    effect_of_privacy(FIRST, PRONOUNCED),
    FIRST.claim(
        "5.1/effect-of-privacy/no-prepulls",
        expect=Verdict.REFUTED,
        scope="The value b = 0 is included.",
        **NO_PREPULLS,
    ),
    FIRST.claim(
        "5.1/effect-of-privacy/no-prepulls/figure",
        averaged=AVERAGED,
        expect=AVERAGES_REFUTED,
        scope="The value b = 0 is included. Averages of 10 runs are compared, as in the figure.",
        same_error_as="ou24/5.1/effect-of-privacy/no-prepulls",
        **NO_PREPULLS,
    ),
)

chapter.take(*SECTION_5_1)


def gap(arm: int) -> float:
    return max(BERNOULLI.means) - BERNOULLI.means[arm]


@chapter.inequality(
    "5.1/convex",
    page.source(
        "Section 5.1",
        "The convex shape of the regret in the pre-pulling phase is an artifact of our specific setting, where the "
        "algorithm pre-pulls the arms with the highest average rewards first.",
    ),
    over={"arm": OneOf((0, 1, 2, 3))},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def section_5_1_convex(m: Vocabulary, arm: Number) -> Sides:
    """The formula states that the gaps do not decrease in the order of the arms' indices. Each pre-pull adds the gap of
    its arm to the regret."""
    return m.number(gap(arm)), m.number(gap(arm + 1))


chapter.add(
    "5.1/converged",
    page.source(
        "Section 5.1",
        "The empirical regret is averaged over 10 runs, for which we already observe convergence of the average "
        "regret empirically.",
    ),
    Unjudged(
        "the sentence names no threshold for convergence. The tables of the other claims of this section list the "
        "standard deviation of one run's regret"
    ),
    expect=Verdict.UNSUPPORTED,
)

chapter.add(
    "5.1/no-prepulls",
    page.source("Section 5.1", "at the extreme, b = 0 has so much noise that its estimates do not converge"),
    Unjudged("the sentence does not say in what sense estimates fail to converge within 1e5 rounds"),
    expect=Verdict.UNSUPPORTED,
)
