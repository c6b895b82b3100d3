"""Theorem 5 to the letter, and what Algorithm 3 decides by rewards."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Evidence, Reduction, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers.tao22.quantifiers import NO_INSTANCE
from dpbandits.proofs_checks.papers.tao22.section_4_theorem_4 import TRIALS
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.noise import Seeded
from dpbandits.reference.bandits.play import play
from dpbandits.reference.claims.findings import table_item
from dpbandits.reference.claims.model import Verdict
from dpbandits.reference.papers.tao22 import DPRSE
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)
GAP, EPOCHS = 0.1, 2


def decided() -> tuple[bool, Evidence]:
    """Two arms with a gap of 1/10: how many runs have ended epochs with both."""
    policy = DPRSE(2, 10**9, 1.0, 1.0, 1.0)
    played = play(policy, Bernoulli((0.5, 0.5 - GAP)), Seeded(0, TRIALS), TRIALS)
    both = (played.released[:, 1 : EPOCHS + 1] > 0).all(axis=2).sum(axis=0)
    rows = [[epoch + 1, int(both[epoch])] for epoch in range(EPOCHS)]
    title = f"Played: eps = u = v = 1, K = 2, gap {GAP}, T = 10^9, {TRIALS} runs"
    columns = ["epoch", "runs that go on with both arms"]
    return bool((both == TRIALS).all()), table_item(title, columns, rows)


REMOVALS = Reduction(
    "An eliminated arm does not come back, and the last arm survives. So at most K - 1 arms are eliminated, in at "
    "most K - 1 rounds. Between these rounds all remaining arms are pulled in turn, whatever their rewards are.",
    (),
)


REMOVALS_SAYS = """state_after is the state of Algorithm 3 after the noisy means h, the last first, as in
`tao22/theorem-3`; rounds and width are R_tau and 12 err_tau, any numbers, 12 err_tau not negative. removals counts the
noisy means after which fewer arms are active than before, and length arms is K. So the bound holds for every outcome of
the noise. That the remaining arms are pulled in turn between these rounds is in_turns, in the definition of the
algorithm."""
proves("section-4/special-rounds")(
    machine_checked(__file__, "special_rounds", REMOVALS_SAYS)(lemma_by_argument(REMOVALS))
)
DECISIONS = Reduction(
    "At the end of every epoch line 23 asks whether the noisy means differ by more than 12 err. The noisy means "
    "depend on this epoch's rewards, and with the noise both answers are possible. For two arms, K - 1 = 1. In the "
    "first epochs 12 err is just below D_tau/2, which is 1/4 in the first epoch. With a gap of 1/10 neither arm is "
    "eliminated, unless both estimates have large errors, so the run has several such decisions.",
    (),
)

proves("theorem-5/letter")(NO_INSTANCE)

proves("section-4/special-rounds/decisions")(lemma_by_argument(DECISIONS, decided, verdict=Verdict.REFUTED))
