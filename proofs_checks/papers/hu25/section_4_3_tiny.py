"""Theorem 4.4 on tiny instances: the exact parameter of the released arms, by their law."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from scipy.special import ndtri

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.papers.hu25 import section_4_3_law
from dpbandits.proofs_checks.papers.hu25.section_4_3_law import laws
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.claims.findings import nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Private, Verdict
from dpbandits.reference.claims.records import Cell, text_item
from dpbandits.reference.curves import Gaussian
from dpbandits.reference.papers.hu25 import DPTSUCB

NOTHING = 1e-12  # a probability below this may be an error of quadrature
TOLERANCE = 1e-6  # of a parameter; quadrature is far more accurate, but quantiles of small probabilities amplify it


# -- two laws ------------------------------------------------------------------------------------------------------


def delta(left: Array, right: Array, eps: float) -> float:
    """The smallest delta at eps, in the worse of both directions."""
    return float(max(np.maximum(0, a - el.exp(eps) * b).sum() for a, b in ((left, right), (right, left))))


def gdp(left: Array, right: Array) -> float:
    """The smallest mu for which two finite laws are mu-GDP, both ways: the largest Phi^-1(1 - alpha) - Phi^-1(beta) at
    a vertex (alpha, beta) of the trade-off curve. (Between vertices the curve is straight and Gaussian curves are
    convex, so that the vertices decide.)"""
    largest = 0.0
    for a, b in ((left, right), (right, left)):
        order = np.argsort(-b / np.maximum(a, 1e-300), kind="stable")
        steps = quantiles(b[order]) - quantiles(a[order])
        largest = max(largest, float(np.max(steps[np.isfinite(steps)], initial=0.0)))
    return largest


def quantiles(masses: Array) -> Array:
    """Phi^-1 of all partial sums but the last; each from the smaller of the sums on its two sides, which cancels
    least. Not finite where either side is as small as the quadrature's error."""
    below = np.cumsum(masses)[:-1]
    above = np.cumsum(masses[::-1])[::-1][1:]
    found = np.where(below < above, ndtri(np.minimum(below, 1.0)), -ndtri(np.minimum(above, 1.0)))
    return np.where(np.minimum(below, above) > NOTHING, found, np.nan)


# -- the claim ---------------------------------------------------------------------------------------------------


def tables(policy: DPTSUCB) -> Iterator[tuple[Array, Array]]:
    """All pairs of 0-1 tables that differ in one pull, of any arm. Rewards that no mean can use are 0: an arm's first
    2^r - 1 pulls make its first r means, and what is pulled in the last round makes none that anybody samples from."""
    used = 2 ** int(el.whole_log2(policy.horizon - policy.arms + 1)) - 1
    for rewards in product((0.0, 1.0), repeat=policy.arms * used):
        left = np.zeros((policy.arms, policy.horizon))
        left[:, :used] = np.reshape(rewards, (policy.arms, used))
        for arm, pull in zip(*np.nonzero(left[:, :used] == 0), strict=True):
            right = left.copy()
            right[arm, pull] = 1.0
            yield left, right


def ground_truth(claim: Claim, effort: Effort, seed: int) -> Finding:
    """The exact GDP parameter of the released arms, largest over `tables`, beside the claimed one."""
    assert claim.subject is not None
    assert isinstance(claim.says, Private)
    rows: list[list[Cell]] = []
    for instance in claim.params:
        policy = claim.subject(**instance)
        released = laws(policy, panels=12, order=8)
        found = [(gdp(released(left), released(right)), left, right) for left, right in tables(policy)]
        largest, *pair = max(found, key=lambda each: each[0])
        curve = claim.says.curve(policy)
        assert isinstance(curve, Gaussian)
        label = f"alpha={policy.alpha:g}, budget {policy.phi:g}, T={policy.horizon}"
        shown = [str(table.astype(int).tolist()) for table in pair]
        rows.append([label, curve.mu, largest, largest / curve.mu, *shown])
    columns = [
        "instance",
        nearest("claimed mu"),
        nearest("exact mu of the worst pair"),
        nearest("share"),
        "its left table",
        "its right table",
    ]
    table_ = table_item("Exact parameters of the released arms", columns, rows)
    worst = max(rows, key=lambda row: float(str(row[3])))
    verdict = Verdict.REFUTED if float(str(worst[3])) > 1 + TOLERANCE else Verdict.CONSISTENT
    return Finding(
        claim.id,
        verdict,
        f"For {worst[0]}, the exact parameter of the worst pair is {worst[2]:.6g}, and the claimed parameter is "
        f"{worst[1]:.6g}.",
        (table_, text_item(section_4_3_law.__doc__ or "")),
        "any pair of these tables with a larger parameter would have been found; all probabilities are right to about "
        "1e-12",
        rests_on=(Basis.EXACT_LAW,),
    )
