"""Section 2.1: equation (2), on all policies of three rounds, and Theorem 2."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import lcm

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.methods import judge_by_methods
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.theorems import checked_step
from dpbandits.proofs_checks.papers.ou24.shared import REGRET_OF_RUNS
from dpbandits.reference.claims.model import Claim, Finding, Verdict
from dpbandits.reference.claims.records import text_item
from dpbandits.reference.papers.ou24.page import page

proves = Proofs(page)


@proves("eq-2")
def equation_2(claim: Claim, effort: Effort, seed: int) -> Finding:
    """One round by algebra; three rounds of every deterministic two-armed policy by enumeration, exactly."""
    finding = judge_by_methods(claim, effort, seed)
    wrong = [policy for policy in policies() for mu in MEANS if len(set(three_rounds(policy, mu))) > 1]
    text = (
        f"The three expressions agree exactly for all 128 deterministic policies at {len(MEANS)} pairs of means."
        if not wrong
        else f"The three expressions differ for {len(wrong)} policies, the first is {wrong[0]}."
    )
    evidence = (*finding.evidence, text_item(text))
    verdict = finding.verdict if not wrong else Verdict.REFUTED
    return replace(finding, verdict=verdict, evidence=evidence)


MEANS = tuple(product((Fraction(0), Fraction(1, 3), Fraction(3, 4)), repeat=2))
Policy = tuple[int, ...]  # the arm after the rewards (), (0), (1), (0,0), (0,1), (1,0), (1,1)


def policies() -> Iterator[Policy]:
    return product((0, 1), repeat=7)


def three_rounds(policy: Policy, means: tuple[Fraction, ...]) -> tuple[Fraction, Fraction, Fraction]:
    """mu* T - E[sum r_t], E[sum (mu* - mu_{a_t})] and sum_i Delta_i E[n_i], T = 3, rewards 0 or 1."""
    whole = lcm(*(mean.denominator for mean in means))  # in parts of which everything is a whole number
    parts = [mean.numerator * (whole // mean.denominator) for mean in means]
    best, paid, missed, by_arm = max(parts), 0, 0, 0
    for rewards in product((0, 1), repeat=3):
        places = (0, 1 + rewards[0], 3 + 2 * rewards[0] + rewards[1])
        arms = [policy[place] for place in places]
        weight = 1  # in parts of whole^3
        for arm, reward in zip(arms, rewards, strict=True):
            weight *= parts[arm] if reward else whole - parts[arm]
        paid += weight * sum(rewards)
        missed += weight * sum(best - parts[arm] for arm in arms)
        by_arm += weight * sum((best - parts[arm]) * arms.count(arm) for arm in (0, 1))
    return Fraction(3 * best, whole) - Fraction(paid, whole**3), Fraction(missed, whole**4), Fraction(by_arm, whole**4)


THEOREM_2_SAYS = f"""Algorithm 1 is Algorithm 2 with b = 0 and c = 1, and the constants of both O are explicit.
{REGRET_OF_RUNS}"""
proves("theorem-2")(checked_step(__file__, "theorem_2", THEOREM_2_SAYS))
