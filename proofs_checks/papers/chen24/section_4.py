"""Sections 4.1 and 4.2: the exact privacy of the first phase; an argument for Theorem 4.2 for every T; and its bound
compared with certified error probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import comb, log
from random import Random
from typing import Any

import numpy as np

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, lemma_by_argument, one_line
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.proofs_checks.papers.chen24.errors import Chain, clopper_pearson, hardness, simulated
from dpbandits.proofs_checks.papers.chen24.evidence import tried
from dpbandits.proofs_checks.papers.chen24.exact_sets import Vectors, maximisers, sets, solved
from dpbandits.proofs_checks.papers.chen24.losses import SHAPES, Told, private_phase
from dpbandits.proofs_checks.papers.chen24.noisy_sums import Between
from dpbandits.proofs_checks.papers.chen24.sizes import GRID, wrong_index
from dpbandits.reference.claims.findings import above, below, nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.claims.records import Item
from dpbandits.reference.papers.chen24 import dp_bai
from dpbandits.reference.papers.chen24.algorithms.parameters import growth
from dpbandits.reference.papers.chen24.instances import Features
from dpbandits.reference.papers.chen24.page import page

proves = Proofs(page)

# -- Proposition 4.1 -------------------------------------------------------------------------------------------------

LEVELS = (0.01, 1.0, 100.0)  # eps
ATTAINED = tuple(name for name in SHAPES if name != "two unit vectors")
SMALL = (0.01, 1.0)  # for which the named shapes show all of eps
CLOSE = 0.99999
NINE_DIGITS = 1 + 1e-9  # how much of eps an end of a loss that is eps may lie above it


def shown(found: Mapping[tuple[str, float], tuple[Any, Told]]) -> Item:
    rows = [
        [
            name,
            policy.horizon,
            f"{policy.plan.sizes[0]} to {policy.plan.sizes[1]}",
            eps,
            told.low,
            told.high,
            told.low / eps,
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
        "claimed eps",
        below("loss, at least"),
        above("at most"),
        below("loss/eps"),
        "means, in scales",
        "moved",
        "kept",
    ]
    return table_item("The exact loss of the first phase, on the worst tables tried", columns, rows)


@proves("proposition-4.1/attained")
def attained(
    claim: Claim,
    effort: Effort,
    seed: int,
    *,
    phase: Callable[[str, float], tuple[Any, Told]] = private_phase,
    shapes: Sequence[str] = tuple(SHAPES),
) -> Finding:
    """REFUTED by a loss certainly above eps; PROVED where none can be and the named shapes come as near as claimed."""
    found = {(name, eps): phase(name, eps) for name in shapes for eps in LEVELS}
    evidence = (shown(found),)
    above = max(told.low / eps for (_, eps), (_, told) in found.items())
    most = max(told.high / eps for (_, eps), (_, told) in found.items())
    close = min(found[name, eps][1].low / eps for name in ATTAINED if name in shapes for eps in SMALL)
    if above > NINE_DIGITS:
        words = f"a loss of at least {above:.9g} eps"
        return Finding(claim.id, Verdict.REFUTED, words, evidence, rests_on=(Basis.EXACT_LAW,))
    text = f"The largest losses are at least {close:.7f} eps, and no loss is above {most:.9f} eps."
    if close < CLOSE or most > NINE_DIGITS:
        return Finding(claim.id, Verdict.CONSISTENT, f"Certified, but not as claimed: {text}", evidence)
    return established(claim.id, text, evidence, Basis.EXACT_LAW)


PRIVATE = Reduction(
    "Every reward of the table enters the noisy mean of one arm in one phase, or is not read. The counts, "
    "collections and coefficients of a phase are functions of the earlier noisy means. So on two tables that differ "
    "in one reward, the joint density of all noisy means is a product in which at most one factor differs. The two "
    "values of this factor have a quotient of at most e^eps. The releases are functions of these noisy means.",
    (),
)
THEOREM = f"""phases_chance draws the noisy means of all phases in turn, each of the next rewards of its arm, with noise
of scale 1/(eps n); block, each and recommended are what is computed from them: which arms the next phase pulls, how
often (once at least), and what is recommended, any functions, the algorithm's among them. bounded is a table in [0, 1],
near pull one reward changed, and an event is any set of pulls of all phases with a recommendation. {INTEGRALS}"""

proves("proposition-4.1")(machine_checked(__file__, "proposition_4_1", THEOREM)(lemma_by_argument(PRIVATE)))


# -- Theorem 4.2: certified error probabilities ----------------------------------------------------------------------

UNITS_4: Features = tuple(tuple(map(float, row)) for row in np.eye(4))
FIVE: Features = ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (0.3, 0.6), (0.7, 0.1))
Instance = tuple[str, Features, tuple[float, ...], float]  # name, features, theta and eps
CASES: tuple[Instance, ...] = (
    ("two unit vectors", ((1.0, 0.0), (0.0, 1.0)), (0.9, 0.1), 1.0),
    ("five in the plane", FIVE, (0.9, 0.2), 1.0),
    ("five in the plane", FIVE, (0.9, 0.2), 0.1),
    ("four unit vectors", UNITS_4, (0.9, 0.2, 0.5, 0.1), 1.0),
)
FLAT: Features = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.5, 0.6, 0.0), (0.3, 0.6, 0.0), (0.7, 0.1, 0.0))
# d_p = 3 < sqrt(10): three are pulled.
AXES: Features = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.9, 0.0, 0.0), (0.0, 0.9, 0.0), (0.0, 0.0, 0.9))
TEN: Features = (*AXES, *((length, 0.0, 0.0) for length in (0.5, 0.4, 0.3, 0.2)))
SEEN: tuple[Instance, ...] = (
    *CASES[1:],
    ("five of rank 2, five phases", FLAT, (0.8, 0.3, 0.0), 1.0),
    ("ten in space", TEN, (0.9, 0.3, 0.2), 1.0),
)
RISK = 1e-13
BUDGETS = (20, 100, 1000, 10_000, 100_000)


def chain(features: Features, theta: tuple[float, ...], eps: float, horizon: int) -> Chain:
    means = tuple((np.array(features) @ np.array(theta)).tolist())
    return Chain(dp_bai(features, horizon, eps), means, fine=1 if horizon > 20_000 else 4)


def bounds(found: Chain) -> tuple[float, float]:
    """log of (76), second line, and of (16)."""
    policy = found.policy
    plan, H = policy.plan, sum(hardness(found))
    front = 12 * plan.last + 4 * plan.first_stage * float(growth(policy.arms, policy.dimension))
    rate = policy.left / (plan.last * H)
    return log(front) - rate / 64, -rate / 65


@proves("theorem-4.2/instances")
def instances(
    claim: Claim,
    effort: Effort,
    seed: int,
    *,
    cases: Sequence[Instance] = CASES,
    budgets: Sequence[int] = BUDGETS,
    claimed: Callable[[Chain], tuple[float, float]] = bounds,
) -> Finding:
    """REFUTED where an error probability is certainly above (16) or (76); PROVED where all are certainly below."""
    rows: list[list[Any]] = []
    wrong, open_ = [], []
    for name, features, theta, eps in cases:
        for horizon in budgets:
            found = chain(features, theta, eps, horizon)
            error: Between = found.error()
            second, last = claimed(found)
            rows.append([name, eps, horizon, found.policy.left, sum(hardness(found)), second, last, *error])
            where = f"{name}, eps = {eps}, T = {horizon}"
            if error.low > min(second, last):
                wrong.append(where)
            if error.high > min(second, last):
                open_.append(where)
    columns = [
        "features",
        nearest("eps"),
        "T",
        "T'",
        nearest("H"),
        nearest("log of (76)"),
        nearest("log of (16)"),
        below("log of the error, at least"),
        above("at most"),
    ]
    evidence = (table_item("The bounds, and certified error probabilities of Bernoulli arms", columns, rows),)
    if wrong:
        return Finding(claim.id, Verdict.REFUTED, f"above: {wrong[0]}", evidence, rests_on=(Basis.EXACT_LAW,))
    if open_:
        return Finding(claim.id, Verdict.CONSISTENT, f"not decided: {open_[0]}", evidence)
    loose = [row[-1] / row[-3] for row in rows if row[2] == budgets[-1]]
    text = (
        f"The certified error probability is below both bounds in all {len(rows)} cases. At T = {budgets[-1]}, its "
        f"exponent is {min(loose):.0f} to {max(loose):.0f} times the claimed exponent."
    )
    return established(claim.id, text, evidence, Basis.EXACT_LAW)


@proves("theorem-4.2/runs")
def runs(
    claim: Claim,
    effort: Effort,
    seed: int,
    *,
    cases: Sequence[Instance] = SEEN,
    count_errors: Callable[[Chain, int, int], int] = simulated,
) -> Finding:
    """REFUTED where Clopper and Pearson's limits miss the certified ones, which has probability at most RISK a
    case: of the page's own risk of 1e-6/30, that is three millionths."""
    many = 5 * effort.points  # a million in deep
    rows: list[list[Any]] = []
    apart = []
    for name, features, theta, eps in cases:
        found = replace(chain(features, theta, eps, BUDGETS[0]), fine=32)
        low, high = np.exp(found.error())
        wrong = count_errors(found, many, seed)
        limits = clopper_pearson(wrong, many, RISK)
        rows.append([name, eps, BUDGETS[0], float(low), float(high), wrong / many, *limits])
        if limits[0] > high or limits[1] < low:
            apart.append(name)
    columns = [
        "features",
        nearest("eps"),
        "T",
        below("certified, at least"),
        above("at most"),
        nearest("share of wrong runs"),
        below("limits"),
        above("to"),
    ]
    evidence = (table_item(f"Error probabilities, and {many} runs of each", columns, rows),)
    if apart:
        return Finding(claim.id, Verdict.REFUTED, f"apart: {apart[0]}", evidence, rests_on=(Basis.SAMPLES,))
    wide = max(row[-1] - row[-2] for row in rows)
    text = (
        f"In {many} runs of each of {len(rows)} instances, the rates of errors agree with the certified probabilities."
    )
    resolution = f"an error probability that differs by {wide:.2g} would have been detected"
    return Finding(claim.id, Verdict.CONSISTENT, text, evidence, resolution, rests_on=(Basis.EXACT_LAW, Basis.SAMPLES))


# -- Theorem 4.2: the argument ---------------------------------------------------------------------------------------


def wrong_spread(vectors: Vectors) -> str:
    """|c| <= 2 and sum c^2 <= 4 d for the differences c of coefficients in every Max-Det collection."""
    for chosen in maximisers(vectors):
        rows = [solved(vectors, chosen, vector) for vector in vectors]
        for one, other in combinations(rows, 2):
            c = [a - b for a, b in zip(one, other, strict=True)]
            if max(map(abs, c)) > 2 or sum(x * x for x in c) > 4 * len(chosen):
                return f"collection {chosen}: differences {[str(x) for x in c]}"
    return ""


@proves("theorem-4.2/pair")
def pair(claim: Claim, effort: Effort, seed: int) -> Finding:
    """Let c be the difference of the best arm's and arm j's coefficients, and n = ceil(T'/(M k)) the pulls of each of k
    arms. In a phase that pulls all s_p arms, sum c^2 = 2 and |c| <= 1. Such a phase has s_p <= d_Q^2, so its k = s_p
    equals D. In a phase with a Max-Det collection, |c| <= 2 by Lemma G.1, so sum c^2 <= 4 d_Q. Such a phase has k = d_Q
    and d_Q^2 <= D. Arm j is estimated above the best
    arm only if, in the difference of the estimates, the error of the rewards or the error of the noise is at least
    gap/2. By Hoeffding's inequality, the error of the rewards has probability at most exp(-n gap^2/(2 sum c^2)) <=
    exp(-T' gap^2/(8 M D)). Each of the k factors of the moment generating function at eps n/4 is at most 1/(1 - 1/4).
    So, as k <= D, the error of the noise has probability at most (4/3)^k exp(-n eps gap/8) <= (4/3)^(d^2) exp(-T' eps
    gap/(8 M D))."""
    cases = [each for each in sets(25, seed, 4) if comb(len(each), len(each[0])) <= 300]
    return tried(claim, one_line(pair), cases, wrong_spread, "sets of rational vectors, all their Max-Det collections")


@proves("theorem-4.2/explicit")
def explicit(claim: Claim, effort: Effort, seed: int) -> Finding:
    """The best arm is eliminated only if s_{p+1} other arms are estimated above it. Let i = s_{p+1} + 1 and i' = min(i,
    d^2), so that 2 <= i' <= min(d^2, K). One of these arms has a gap of at least Delta_(i), and so of at least
    Delta_(i'). The inequality D <= 8 i' holds in both stages. In the first stage s_{p+1} is at least ceil(d^2/4), or
    half of it in the last phase of this stage with the printed indices. In the second stage s_{p+1} is half of s_p. So
    8 D/Delta_(i')^2 <= 64 H_BAI. The corresponding private term is at most 64 H_pri, and both bounds are at most 64 H.
    The union bound is over fewer than K arms and over M phases."""
    return tried(claim, one_line(explicit), GRID, wrong_index, "pairs (K, d), all phases of both readings")


@proves("hardness/h-2")
@machine_checked(
    __file__,
    "same_hardness",
    """delta i is Delta_(i), the i-th smallest gap of K arms. H_BAI and H_pri are (15), the maxima over i from 2 to
    min(d^2, K), and H_2 is the maximum over all i from 1 on, where Delta_(1) = Delta_(2). There are at least two arms
    and at most d^2, and a unique best arm, so that Delta_(2) > 0. The second part says that H_pri tends to 0 as eps
    grows.""",
)
def same_hardness(claim: Claim, effort: Effort, seed: int) -> Finding:
    """For K <= d^2 the maximum (15) runs over i = 2, ..., K. H_2 has the additional term 1/Delta_(1)^2 = 1/Delta_(2)^2,
    which is at most half of 2/Delta_(2)^2. H_pri tends to 0 as eps grows, because eps H_pri does not depend on eps."""
    dice = Random(f"chen24 hardness {seed}")
    cases = [sorted(Fraction(dice.randint(1, 99), 100) for _ in range(dice.randint(1, 9))) for _ in range(60)]
    return tried(claim, one_line(same_hardness), cases, wrong_hardness, "lists of gaps")


def wrong_hardness(gaps: list[Fraction]) -> str:
    """gaps: of the arms but the best one, sorted."""
    ours = max(i / gap**2 for i, gap in enumerate(gaps, start=2))
    theirs = max(i / gap**2 for i, gap in enumerate([gaps[0], *gaps], start=1))
    return "" if ours == theirs else f"{gaps}: {ours} and {theirs}"
