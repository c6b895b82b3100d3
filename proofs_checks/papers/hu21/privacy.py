"""The privacy of Anytime-Lazy-UCB: an argument for any number of arms, and an exact computation for two."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.proofs_checks.papers import hidden_means
from dpbandits.proofs_checks.papers.by_comparisons import of_two
from dpbandits.reference.bandits import lazy_doubling
from dpbandits.reference.claims.model import Claim, Finding
from dpbandits.reference.papers.hu21 import AnytimeLazyUCB
from dpbandits.reference.papers.hu21.page import page

proves = Proofs(page)

# The policy's own state has no law, because the means that it compares are hidden; with two arms one knows it.
LAWS: Mapping[type, Callable[[Any], Any]] = {AnytimeLazyUCB: of_two}

NAME = "Anytime-Lazy-UCB"
WORDS = """The index of an arm depends on the round, on how many rewards its noisy mean is made of, and on this mean; so
the pulls are a function of the noisy means of all batches. Which rewards a batch is made of is known beforehand: of
every arm the first, the next two, the next four, and so on (line 6 forgets). Fix all noisy means that a run draws,
one after another: they fix the pulls, and with them when the next batch is whole. So the density of a sequence of
noisy means is a product of Laplace densities of scale 1/(eps O); a changed reward lies in one batch, whose mean it
moves by 1/O at most, and changes one factor by e^eps at most. Sums over sequences with the same pulls, and over
events, change by no more. The rewards of a batch that T leaves unfinished are in no mean."""

THEOREM = f"""lazy_ucb_chance draws the means of lines 1 and 7 as batches become whole; index is line 4's of a noisy
mean, of O and of the round, any function of them, and T + 1 draws are always enough. bounded is a table in [0, 1],
near pull one reward changed, and an event is any set of lists of pulls. {INTEGRALS}"""


@proves("privacy")
@machine_checked(__file__, "lazy_ucb_private", THEOREM)
def private(claim: Claim, effort: Effort, seed: int) -> Finding:
    return hidden_means.private(claim, NAME, WORDS, (hidden_means.calibrated(lazy_doubling.noise_scale),))


@proves("privacy/attained")
def attained(claim: Claim, effort: Effort, seed: int) -> Finding:
    return hidden_means.attained(claim, NAME, [AnytimeLazyUCB(2, 10, eps) for eps in (0.1, 1.0, 4.0)])
