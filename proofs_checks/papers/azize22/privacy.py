"""The privacy of AdaP-UCB: an argument for any number of arms, and an exact computation for two."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.proofs_checks.papers import hidden_means
from dpbandits.proofs_checks.papers.by_comparisons import of_two
from dpbandits.reference.claims.model import Claim, Finding
from dpbandits.reference.papers.azize22 import AdaPUCB
from dpbandits.reference.papers.azize22 import formulas as f
from dpbandits.reference.papers.azize22.page import page

proves = Proofs(page)

# The policy's own state has no law, because the means that it compares are hidden; with two arms one knows it.
LAWS: Mapping[type, Callable[[Any], Any]] = {AdaPUCB: of_two}

NAME = "AdaP-UCB"
WORDS = """The index of an arm depends on the pulls so far and on its noisy mean; so the pulls are a function of the
noisy means of all episodes. An episode pulls rewards of one arm whose places in the stream, or in the table, follow
from the pulls so far, and no two episodes share a reward (line 6 forgets). Fix all noisy means that a run draws, one
after another: they fix the pulls, and with them which rewards each mean is made of. So the density of a sequence of
noisy means is a product of Laplace densities of scale 1/(eps n); a changed reward lies in one episode at most, whose
mean it moves by 1/n at most, and changes one factor by e^eps at most. Sums over sequences with the same pulls, and
over events, change by no more. The rewards of an episode that T cuts short are in no mean."""

THEOREM = f"""adap_ucb_chance draws the means of lines 2 and 7 one by one; index is line 4's of a noisy mean, of n_a
and of the round, any function of them, and T draws are always enough. bounded is a table in [0, 1]; near is a change
of one reward of a table of pulls, or of all rewards of a round; an event is any set of lists of pulls. {INTEGRALS}"""


@proves("privacy", "privacy/pull")
@machine_checked(__file__, "adap_ucb_private", THEOREM)
def private(claim: Claim, effort: Effort, seed: int) -> Finding:
    return hidden_means.private(claim, NAME, WORDS, (hidden_means.calibrated(f.noise_scale),))


@proves("privacy/attained")
def attained(claim: Claim, effort: Effort, seed: int) -> Finding:
    return hidden_means.attained(claim, NAME, [AdaPUCB(2, 12, eps) for eps in (0.1, 1.0, 4.0)])
