"""Certified lower bounds on the eps of Thompson sampling with two arms, on one pair of neighbouring tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.reference.claims.findings import Side, below, nearest, rounded, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.papers.ou24.algorithms import ModifiedThompsonSampling, ThompsonSampling
from dpbandits.reference.papers.ou24.section_3_attained import constant_pair

PAIR = "both pay 0"  # and the first reward of arm 0 becomes 1
GRID = 1e-3  # of privacy losses


class Exceeded(NamedTuple):
    """At delta, eps is at least `certified`, where `bound` would have been promised; `at` names the parameters."""

    at: str
    delta: float
    bound: float
    certified: float


def exceeded(policy: ThompsonSampling | ModifiedThompsonSampling, at: str, delta: float, bound: float) -> Exceeded:
    """The eps that the exact law of the released arms certifies at delta. policy: with two arms."""
    profile = exact_profile(policy, constant_pair(PAIR, policy.horizon), grid=GRID, deep=True)
    return Exceeded(at, delta, bound, profile.eps_bound(delta, 0))


def all_exceeded(claim: Claim, found: Sequence[Exceeded]) -> Finding:
    """PROVED where every certified eps is above its bound."""
    table = table_item(
        "Both arms pay 0; the first reward of arm 0 is 0 on one side and 1 on the other",
        ["instance", nearest("delta"), nearest("bound"), below("eps is at least"), "exceeded"],
        [[each.at, each.delta, each.bound, each.certified, each.certified > each.bound] for each in found],
    )
    each_in_words = (
        f"at {each.at}, the policy's true privacy parameter eps is at least "
        f"{rounded(each.certified, Side.BELOW, 4):g}, above the bound {each.bound:.4g}"
        for each in found
    )
    said = "; ".join(each_in_words)
    if all(each.certified > each.bound for each in found):
        return established(claim.id, f"{said[:1].upper()}{said[1:]}.", (table,), Basis.EXACT_LAW)
    return Finding(claim.id, Verdict.CONSISTENT, f"not all bounds are exceeded: {said}.", (table,))
