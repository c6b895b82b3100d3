"""How private DP-BAI-Gauss is, exactly: delta(eps) of its first phase over the whole stated ranges."""

from __future__ import annotations

import numpy as np

from dpbandits.proofs_checks.judge.effort import Effort
from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.chen24.evidence import table
from dpbandits.proofs_checks.papers.chen24.losses import Told, normal_phase
from dpbandits.reference.curves import gaussian_delta
from dpbandits.reference.ledger import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.vocabulary import doubles

LEVELS = (0.1, 1.0, 3.7, 7.5, 10.0, 30.0, 100.0)
DELTAS = (1e-9, 1e-5, 0.01, 0.5, 0.9)
NAMES = ("two unit vectors", "two on a line", "five in the plane")
BROKEN = {(10.0, 1e-5), (30.0, 1e-9), (7.5, 0.01), (7.5, 0.5)}  # where the arms certainly tell more than delta
SMALL = 3.7  # up to here no delta is exceeded by any table tried


def told(claim: Claim, effort: Effort, seed: int) -> Finding:
    """PROVED where the exact delta is above delta at the named pairs, and nowhere for eps <= SMALL."""
    rows, most = [], {}
    for eps in LEVELS:
        for delta in DELTAS:
            found: dict[str, Told] = {name: normal_phase(name, eps, delta)[1] for name in NAMES}
            mean = float(gaussian_delta(doubles, eps, eps / np.sqrt(2 * np.log(1.25 / delta))))
            rows.append([eps, delta, *(found[name].low / delta for name in NAMES), mean / delta])
            most[eps, delta] = (max(each.low for each in found.values()), max(each.high for each in found.values()))
    columns = ["eps", "delta", *(f"{name}: true delta/delta, at least" for name in NAMES), "one noisy mean"]
    evidence = (table("delta(eps) of the first phase, on the worst tables tried", columns, rows),)
    quiet = all(high <= delta * (1 + 1e-6) for (eps, delta), (_, high) in most.items() if eps <= SMALL)
    loud = all(most[pair][0] > pair[1] for pair in BROKEN)
    worst = max(low / delta for (_, delta), (low, _) in most.items())
    text = f"the arms tell up to {worst:.4g} times delta"
    if quiet and loud:
        return established(claim.id, text, evidence, Basis.EXACT_LAW)
    return Finding(claim.id, Verdict.REFUTED, text, evidence, rests_on=(Basis.EXACT_LAW,))


LEMMAS: dict[str, Lemma] = {"chen24/proposition-d.2/told": told}
