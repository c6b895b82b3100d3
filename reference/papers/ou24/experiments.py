"""The experiments of Section 5, 5.1 and 5.2: arms, settings and repetitions, and the claims that are made of both.

The paper does not print its values of b. GRID goes from no pre-pulls to nearly all pulls, and brackets the smallest
regret at every privacy level; c follows from Lemma 4, c = T/(eta^2 (b+1)). For eta = 5 this is below 1 from b = 4000
on, which Algorithm 2 does not admit (c >= 1): these settings lie outside of the algorithm as printed. The privacy
proof needs c > 0 only, so they are played all the same. What is compared is the pseudo-regret, the sum of the pulled
arms' gaps, whose mean is that of the realised regret (3), with less noise.

The paper's curves are averages of AVERAGED runs. A claim says what most repetitions show: of single runs, which few
repetitions decide, or, where its id ends in "figure", of such averages, which takes ten times as many runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise, product
from typing import Any, NamedTuple

from dpbandits.reference.bandits.environments import Bernoulli, TruncatedExponential
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET, Quantity
from dpbandits.reference.claims.model import (
    Claim,
    DifferenceLabel,
    Ordering,
    Parameter,
    Phrase,
    SettingLabel,
    Verdict,
    per_profile,
    setting_label,
)
from dpbandits.reference.papers.ou24 import REPAIRED
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.quantities import LATER_REGRET, PREPULL_REGRET
from dpbandits.reference.papers.ou24.rivals import rivals

HORIZON = 10**5
AVERAGED = 10  # Section 5.1: "averaged over 10 runs"

# The quick profile plays too few runs to certify an order of such averages.
AVERAGES_REFUTED = per_profile(Verdict.NOT_EXERCISED, Verdict.REFUTED, Verdict.REFUTED)
ETAS = (1, 2, 5)
GRID = (0, 100, 300, 1000, 2000, 4000, 10_000, 19_000)
BERNOULLI = Bernoulli((0.75, 0.625, 0.5, 0.375, 0.25))
EXPONENTIAL = TruncatedExponential((0.1, 1.0, 2.0, 5.0, 10.0))

# The only b that can be best at eta = 5: the larger of them is certainly better than any other b of the grid.
CANDIDATES = (300, 1000)

# A b that is certainly better than both of these at eta = 1.
BEST_AT_1 = 2000
B_ALONE = 4000  # where c = 1 gives eta = 5
INNER = GRID[1:-1]
SMALL = GRID[:6]  # up to 4000: beyond, the pre-pulls are nearly all the regret there is, whatever eta
PLAIN = SettingLabel([Parameter("b", 0, "b=0"), Phrase("c=1: Algorithm 1", "c = 1: Algorithm 1")])
WARM = {b: setting_label(b=b, c=1) for b in (2, 10, 100)}
Pairs = Iterable[tuple[str, str]]


def tuned(eta: int, prepulls: int) -> Any:
    """Algorithm 2 with the c that Lemma 4 needs for eta-GDP."""
    return REPAIRED(arms=5, horizon=HORIZON, prepulls=prepulls, variance=HORIZON / (eta**2 * (prepulls + 1)))


def named(eta: int, prepulls: int) -> str:
    return setting_label(eta=eta, b=prepulls)


def effect(prepulls: int) -> str:
    return without(named(1, prepulls), named(5, prepulls))


def without(label: str, baseline: str) -> str:
    return DifferenceLabel((label, baseline))


def settings(environment: Any, best: Mapping[int, int]) -> Mapping[str, tuple[Any, Any]]:
    """All settings of one experiment, played side by side; and differences of two of them: the strongest minus the
    weakest privacy at each b, what tuning costs against Algorithm 1, and what b = 0 costs against the best b."""
    single = {named(eta, b): tuned(eta, b) for eta, b in product(ETAS, GRID)}
    single[PLAIN] = REPAIRED(arms=5, horizon=HORIZON)
    single |= {label: REPAIRED(arms=5, horizon=HORIZON, prepulls=b) for b, label in WARM.items()}
    if environment == BERNOULLI:
        single |= rivals(HORIZON, tuned, named)  # Appendix D plays on the same arms
    pairs = {effect(b): (named(1, b), named(5, b)) for b in GRID}
    pairs |= {without(label, PLAIN): (label, PLAIN) for label in (*WARM.values(), *at_best(best))}
    pairs |= {without(named(eta, 0), named(eta, b)): (named(eta, 0), named(eta, b)) for eta, b in best.items()}
    alone = {label: (policy, environment) for label, policy in single.items()}
    return alone | {label: ((single[one], single[other]), environment) for label, (one, other) in pairs.items()}


def at_best(best: Mapping[int, int]) -> list[str]:
    """The settings with the smallest regret of the grid, one for each eta."""
    return [named(eta, b) for eta, b in best.items()]


def pairs_within(smaller: tuple[int, ...], larger: tuple[int, ...]) -> tuple[tuple[str, str], ...]:
    """(eta, b) below (eta, b') at every eta, for all b in the first and b' in the second."""
    return tuple((named(eta, b), named(eta, other)) for eta in ETAS for b, other in product(smaller, larger))


class Experiment(NamedTuple):
    """An experiment of the paper. section: where it stands. best: eta -> where the grid's smallest regret lies, by our
    runs. played: all of its settings."""

    section: str
    best: Mapping[int, int]
    played: Mapping[str, tuple[Any, Any]]

    @property
    def here(self) -> str:
        return f"Section {self.section}"

    @property
    def arxiv(self) -> str:
        return f"arXiv: Section {self.section} (not in PMLR)"

    def claim(
        self, name: str, where: str, quote: str, quantity: Quantity, pairs: Pairs, averaged: int = 1, **beats: Any
    ) -> Claim:
        """What a sentence says of the experiment, as an ordering of its settings."""
        says = Ordering(quantity, self.played, tuple(pairs), averaged, f"Section {self.section}")
        return Claim(f"ou24/{name}", page.source(where, quote), says, **{"expect": Verdict.CONSISTENT, **beats})


def experiment(section: str, environment: Any, best: Mapping[int, int]) -> Experiment:
    return Experiment(section, best, settings(environment, best))


FIRST = experiment("5.1", BERNOULLI, {1: 2000, 2: 1000, 5: 1000})
SECOND = experiment("5.2", EXPONENTIAL, {1: 2000, 2: 2000, 5: 1000})


# -- what the paper finds in both: the second is "qualitatively similar" --------------------------------------------


def panels(grid: tuple[int, ...]) -> Pairs:
    """At every eta, where b and c vary together: less with the next larger b."""
    return [(named(eta, more), named(eta, b)) for eta in ETAS for b, more in pairwise(grid)]


def weaker_is_better(grid: tuple[int, ...]) -> Pairs:
    return [(named(weak, b), named(strong, b)) for strong, weak in pairwise(ETAS) for b in grid]


def different_minimisers() -> Pairs:
    """At eta = 5 nothing but a candidate can be best; at eta = 1 no candidate is."""
    others = [b for b in GRID if b not in CANDIDATES]
    return [
        *((named(5, max(CANDIDATES)), named(5, b)) for b in others),
        *((named(1, BEST_AT_1), named(1, b)) for b in CANDIDATES),
    ]


def prepulling(of: Experiment, quote: str) -> Claim:
    return of.claim(
        f"{of.section}/prepulling",
        of.here,
        quote,
        PREPULL_REGRET,
        [(named(eta, b), named(eta, more)) for eta in ETAS for b, more in pairwise(GRID)],
        note="The expected regret of the pre-pulls is b times the sum of the gaps, so the order is certain.",
    )


def per_round_regret(of: Experiment, quote: str) -> Claim:
    return of.claim(
        f"{of.section}/per-round-regret",
        of.here,
        quote,
        LATER_REGRET,
        panels(SMALL),
        scope="Only values of b up to 4000 are compared.",
        note="For b of 10 000 and more there is almost no later regret.",
    )


def intermediate_wins(of: Experiment, quote: str) -> Claim:
    return of.claim(
        f"{of.section}/intermediate-wins",
        of.here,
        quote,
        PSEUDO_REGRET,
        [*pairs_within((1000,), (GRID[0], GRID[-1])), (named(5, 1000), named(5, B_ALONE))],
        note="With b = 0, only c is tuned. With b = 19 000, the pre-pulls leave 5 % of the rounds. At eta = 5 and b "
        "= 4000, only b is tuned, because c differs from 1 by 0.03 %. At eta = 1 and 2, c = 1 would need more "
        "pre-pulls than there are rounds.",
    )


def extremes_worst(of: Experiment, quote: str) -> Claim:
    return of.claim(
        f"{of.section}/extremes-worst",
        of.arxiv,
        quote,
        PSEUDO_REGRET,
        pairs_within(INNER, (GRID[0], GRID[-1])),
        scope="Every b between the two ends of the grid has less regret than both ends. The sentence does not say how "
        "large a 'substantial' difference is.",
    )


def best_depends_on_eta(of: Experiment, quote: str) -> Claim:
    return of.claim(
        f"{of.section}/best-depends-on-eta",
        of.here,
        quote,
        PSEUDO_REGRET,
        different_minimisers(),
        scope="The b of the grid with the least regret differs between eta = 1 and eta = 5.",
        note="All comparisons together imply the sentence. At eta = 5 only b = 300 or 1000 can be best, since 1000 "
        "is better than every other b. At eta = 1 neither b = 300 nor b = 1000 is best, since b = 2000 is better "
        "than both.",
    )


def weaker_privacy(of: Experiment, where: str, quote: str) -> Claim:
    return of.claim(
        f"{of.section}/weaker-privacy",
        where,
        quote,
        PSEUDO_REGRET,
        weaker_is_better(SMALL),
        scope="Only values of b up to 4000 are compared.",
        note="At larger b nearly all regret comes from the pre-pulls, for every eta.",
    )


def effect_of_privacy(of: Experiment, quote: str) -> Claim:
    return of.claim(
        f"{of.section}/effect-of-privacy",
        of.arxiv,
        quote,
        PSEUDO_REGRET,
        [(effect(more), effect(b)) for b, more in pairwise(GRID[1:6])],
        scope="Only values of b of at least 100 are compared.",
    )
