"""Section 5.2: what the experiment with truncated exponential rewards shows, one claim per sentence."""

from __future__ import annotations

from dpbandits.reference.bandits.quantities import PSEUDO_REGRET
from dpbandits.reference.claims.model import Claim, Reading
from dpbandits.reference.papers.ou24.experiments import (
    ETAS,
    GRID,
    SECOND,
    SMALL,
    best_depends_on_eta,
    effect,
    effect_of_privacy,
    extremes_worst,
    intermediate_wins,
    named,
    panels,
    per_round_regret,
    prepulling,
    weaker_privacy,
    without,
)
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.quantities import LATER_REGRET

chapter = page.chapter("Sections 4 to 6: experiments")
LARGER_C = (
    "larger c corresponds to higher per-round regret, with the largest value of c (i.e., b = 0) having much higher "
    "regret"
)
LESS_NOTICEABLE = (
    "For smaller b values, we observe that increasing the privacy parameter (i.e., weaker privacy) leads to lower "
    "regret, whereas this effect is less noticeable for larger values of b."
)
SECTION_5_2: tuple[Claim, ...] = (
    prepulling(SECOND, "larger b corresponds to high initial regret"),
    per_round_regret(SECOND, "larger b corresponds to high initial regret and then low per-round regret"),
    SECOND.claim(
        "5.2/larger-c",
        SECOND.here,
        LARGER_C,
        LATER_REGRET,
        [*panels(SMALL), *((named(eta, b), named(eta, 0)) for eta in ETAS for b in GRID[2:])],
        scope="Within one panel of the figure eta is fixed, so a larger c means a smaller b. The claim is that b = 0 "
        "has the largest regret.",
    ),
    SECOND.claim(
        "5.2/larger-c/much-higher",
        SECOND.here,
        LARGER_C,
        PSEUDO_REGRET,
        [(named(eta, b), without(named(eta, 0), named(eta, b))) for eta, b in SECOND.best.items()],
        scope="'Much higher' is read as more than twice the regret of the best b of the panel.",
        note="The regret includes the pre-pulls. At the other end of the grid, b = 19 000, nearly all rounds are "
        "pre-pulls, and the regret is about as large as at b = 0.",
    ),
    intermediate_wins(SECOND, "the optimal regret-minimizing parameter regimes involve intermediate values of b and c"),
    extremes_worst(
        SECOND,
        "the lowest regret is achieved with intermediate values of b, with substantially higher regret under the "
        "largest and smallest values of b",
    ),
    best_depends_on_eta(SECOND, "the optimal parameter values depend on the desired GDP parameter"),
    weaker_privacy(
        SECOND,
        SECOND.arxiv,
        "For smaller b values, we observe that increasing the privacy parameter (i.e., weaker privacy) leads to lower "
        "regret",
    ),
    effect_of_privacy(SECOND, LESS_NOTICEABLE),
    SECOND.claim(
        "5.2/effect-of-privacy/no-prepulls",
        SECOND.arxiv,
        LESS_NOTICEABLE,
        PSEUDO_REGRET,
        [(effect(more), effect(0)) for more in (4000, 10_000, 19_000)],
        scope="The smaller values of b include b = 0. The larger values of b are those of at least 4000.",
    ),
    SECOND.claim(
        "5.2/effect-of-privacy/no-prepulls/less",
        SECOND.arxiv,
        LESS_NOTICEABLE,
        PSEUDO_REGRET,
        [(effect(0), effect(100))],
        reading=Reading.OURS,
        scope="The claim is that the effect does not keep growing as b decreases to 0: the effect is smaller at b = "
        "0 than at b = 100.",
        note="Without pre-pulls the noise is so large that play is nearly uniform at every privacy level.",
    ),
)

chapter.take(*SECTION_5_2)
