"""AdaP-UCB's privacy, argued for any number of arms, and judged exactly for two."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dpbandits.proofs_checks.judge import hidden_means
from dpbandits.proofs_checks.judge.effort import Effort
from dpbandits.reference.ledger import Claim, Finding
from dpbandits.reference.papers.azize22 import AdaPUCB
from dpbandits.reference.papers.azize22 import formulas as f

NAME = "AdaP-UCB"
WORDS = """The index of an arm hangs on the pulls so far and on its noisy mean; so the pulls are a function of the
noisy means of all episodes. An episode pulls rewards of one arm whose places in the stream, or in the table, follow
from the pulls so far, and no two episodes share a reward (line 6 forgets). Fix all noisy means that a run draws, one
after another: they fix the pulls, and with them which rewards each mean is made of. So the density of a sequence of
noisy means is a product of Laplace densities of scale 1/(eps n); a changed reward lies in one episode at most, whose
mean it moves by 1/n at most, and changes one factor by e^eps at most. Sums over sequences with the same pulls, and
over events, change by no more. The rewards of an episode that T cuts short are in no mean."""


def private(claim: Claim, effort: Effort, seed: int) -> Finding:
    return hidden_means.private(claim, NAME, WORDS, (hidden_means.calibrated(f.noise_scale),))


def attained(claim: Claim, effort: Effort, seed: int) -> Finding:
    return hidden_means.attained(claim, NAME, [AdaPUCB(2, 12, eps) for eps in (0.1, 1.0, 4.0)])


LEMMAS: Mapping[str, Callable[[Claim, Effort, int], Finding]] = {
    "azize22/privacy": private,
    "azize22/privacy/pull": private,
    "azize22/privacy/attained": attained,
}
