"""Policies without privacy: two neighbouring tables that no release has in common."""

from __future__ import annotations

import numpy as np

from dpbandits.proofs_checks.exact.enumeration import Transcripts, enumerate_transcripts
from dpbandits.reference.bandits.adjacency import flipped
from dpbandits.reference.bandits.policy import HasLaw
from dpbandits.reference.claims.findings import nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established


def parted(claim: Claim, policy: HasLaw) -> Finding:
    """PROVED where every release on one of two tables, where the first reward of arm 0 is 0.625 or 0 and all other
    rewards of the two arms are 1/2, is impossible on the other."""
    table = np.full((policy.arms, policy.horizon), 0.5)
    table[0, 0] = 0.625
    return concluded(claim, policy, enumerate_transcripts(policy, flipped("pull", table, 0, 0, 0.0)))


def concluded(claim: Claim, policy: HasLaw, found: Transcripts) -> Finding:
    """PROVED where no transcript is possible on both tables, by probabilities without any error."""
    rows = [
        [str(released.tolist()), left, right]
        for released, left, right in zip(found.released, found.left.tolist(), found.right.tolist(), strict=True)
    ]
    columns = ["released pulls", nearest("arm 0 pays 0.625 first"), nearest("arm 0 pays 0 first")]
    shown = table_item(f"All releases of `{policy}`", columns, rows)
    apart = bool((found.left * found.right == 0).all()) and found.error == 0 and found.absolute_error == 0
    if not apart:
        return Finding(claim.id, Verdict.CONSISTENT, "Both tables can lead to the same release.", (shown,))
    said = "Two tables differ in one reward and have no possible output in common, so delta is 1 for every eps."
    return established(claim.id, said, (shown,), Basis.EXACT_LAW)
