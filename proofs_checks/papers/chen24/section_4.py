"""How private a phase of DP-BAI is, exactly, where it pulls all active arms: their noises are independent."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from dpbandits.proofs_checks.judge.effort import Effort
from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.chen24.evidence import table
from dpbandits.reference.ledger import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.selections import LAPLACE, top

PHASES = ((2, 1), (3, 2), (4, 2), (5, 3))  # (s_p, s_{p+1})
LEVELS = (0.1, 1.0, 5.0)  # eps
GAPS = (0.0, 5.0, 40.0)  # how far the other arms' means lie above, in scales of the noise
SCALE = 1.0  # of the noise, in units of 1/(eps n); Algorithm 1 has 1
CLOSE = 0.999
ATTAINED = ((4, 2), (5, 3))


class Loss(NamedTuple):
    """The loss of one phase on the worst means tried, between two ends, as a share of eps."""

    low: float
    high: float
    gaps: tuple[float, float]


def phase_loss(arms: int, kept: int, eps: float) -> Loss:
    """One arm's mean moves by 1/n, that is eps scales, below `arms - 2` others at one gap and one at another."""
    worst = Loss(0.0, 0.0, (0.0, 0.0))
    for many, last in product(GAPS, repeat=2):
        others = [many] * (arms - 2) + [last]
        law = top(LAPLACE, np.array([[0.0, *others], [eps, *others]]), SCALE, kept)
        moved, doubt = np.abs(law.log[0] - law.log[1]), law.error.sum(axis=0)
        found = Loss(float((moved - doubt).max()) / eps, float((moved + doubt).max()) / eps, (many, last))
        worst = max(worst, found)
    return worst


def attained(claim: Claim, effort: Effort, seed: int) -> Finding:
    """REFUTED by a loss certainly above eps; PROVED where the named phases come within 0.1 per cent of it."""
    losses = {(phase, eps): phase_loss(*phase, eps) for phase in PHASES for eps in LEVELS}
    rows = [
        [f"{phase[0]} to {phase[1]}", eps, found.low, found.high, f"{found.gaps[0]:g}, {found.gaps[1]:g}"]
        for (phase, eps), found in losses.items()
    ]
    columns = ["arms", "eps", "loss/eps, at least", "at most", "the others' gaps, in scales"]
    evidence = (table("The exact loss of one phase on the worst means tried", columns, rows),)
    above = max(found.low for found in losses.values())
    close = min(losses[phase, eps].low for phase in ATTAINED for eps in LEVELS)
    if above > 1:
        words = f"a loss of at least {above:.6g} eps"
        return Finding(claim.id, Verdict.REFUTED, words, evidence, rests_on=(Basis.EXACT_LAW,))
    if close < CLOSE:
        return Finding(claim.id, Verdict.CONSISTENT, f"only {close:.6g} eps is certified", evidence)
    return established(claim.id, f"losses of at least {close:.6f} eps, none above eps", evidence, Basis.EXACT_LAW)


LEMMAS: dict[str, Lemma] = {"chen24/proposition-4.1/attained": attained}
