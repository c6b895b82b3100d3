"""How private the policies are, exactly: the first phase of DP-BAI on features of every shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpbandits.proofs_checks.judge.effort import Effort
from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.chen24.evidence import table
from dpbandits.proofs_checks.papers.chen24.losses import SHAPES, Told, private_phase
from dpbandits.reference.ledger import Basis, Claim, Finding, Verdict, established

LEVELS = (0.01, 1.0, 100.0)  # eps
ATTAINED = tuple(name for name in SHAPES if name != "two unit vectors")
SMALL = (0.01, 1.0)  # for which the named shapes show all of eps
CLOSE = 0.99999


def shown(found: Mapping[tuple[str, float], tuple[Any, Told]]) -> dict[str, Any]:
    rows = [
        [
            name,
            policy.horizon,
            f"{policy.plan.sizes[0]} to {policy.plan.sizes[1]}",
            eps,
            told.low / eps,
            told.high / eps,
            ", ".join(f"{mean:.4g}" for mean in told.means),
            told.place,
            ", ".join(map(str, told.kept)),
        ]
        for (name, eps), (policy, told) in found.items()
    ]
    columns = [
        "features",
        "T",
        "arms",
        "eps",
        "loss/eps, at least",
        "at most",
        "means, in scales",
        "moved",
        "kept",
    ]
    return table("The exact loss of the first phase, on the worst tables tried", columns, rows)


def attained(claim: Claim, effort: Effort, seed: int) -> Finding:
    """REFUTED by a loss certainly above eps; PROVED where the named shapes come as near to it as claimed."""
    found = {(name, eps): private_phase(name, eps) for name in SHAPES for eps in LEVELS}
    evidence = (shown(found),)
    above = max(told.low / eps for (_, eps), (_, told) in found.items())
    close = min(found[name, eps][1].low / eps for name in ATTAINED for eps in SMALL)
    if above > 1 + 1e-9:
        words = f"a loss of at least {above:.9g} eps"
        return Finding(claim.id, Verdict.REFUTED, words, evidence, rests_on=(Basis.EXACT_LAW,))
    if close < CLOSE:
        return Finding(claim.id, Verdict.CONSISTENT, f"only {close:.6g} eps is certified", evidence)
    return established(claim.id, f"losses of at least {close:.7f} eps, none above eps", evidence, Basis.EXACT_LAW)


LEMMAS: dict[str, Lemma] = {"chen24/proposition-4.1/attained": attained}
