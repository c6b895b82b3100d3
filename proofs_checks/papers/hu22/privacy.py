"""The privacy of Lazy-DP-TS: an argument."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.proofs_checks.papers import hidden_means
from dpbandits.reference.bandits import lazy_doubling
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.claims.records import text_item
from dpbandits.reference.papers.hu22.page import page

proves = Proofs(page)

WORDS = """The parameters of line 5 depend on the round, on how many rewards an arm's noisy mean is made of, and on this
mean; its coins are independent of all rewards. So the pulls are a function of the noisy means of all batches and of
these coins. Which rewards a batch is made of is known beforehand: of every arm the first, the next two, the next four,
and so on (line 8 forgets). Fix the coins, and all noisy means that a run draws, one after another: they fix the pulls,
and with them when the next batch is whole. So the density of a sequence of noisy means is a product of Laplace
densities of scale 1/(eps O); a changed reward lies in one batch, whose sum it moves by 1 at most, and changes one
factor by e^eps at most. Sums over sequences with the same pulls, and over events, change by no more. The rewards of a
batch that T leaves unfinished are in no mean."""

THEOREM = f"""lazy_ts_chance draws the samples of line 5 and the means of lines 1 and 9 as they come; theta is the
density of line 5, from a noisy mean, O and the round: any density whose integral is 1, and T (K + 1) draws are always
enough. bounded is a table in [0, 1], near pull one reward changed, and an event is any set of lists of pulls.
{INTEGRALS}"""


@proves("privacy")
@machine_checked(__file__, "lazy_ts_private", THEOREM)
def private(claim: Claim, effort: Effort, seed: int) -> Finding:
    step = hidden_means.calibrated(lazy_doubling.noise_scale)
    text = text_item(WORDS)
    if not step.holds():
        return Finding(claim.id, Verdict.CONSISTENT, "A step of the proof was not shown.", (text,))
    said = (
        "The pulls are a function of coins and of means with Laplace noise, and each reward enters one of these means."
    )
    return established(claim.id, said, (text,), Basis.WORDS, step.how)
