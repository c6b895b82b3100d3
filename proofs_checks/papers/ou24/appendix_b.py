"""Proofs and attacks for the regret claims of ou24 that branch and bound does not decide.

Most steps of Appendix B are inequalities between quotients of polynomials that are tight somewhere: exact algebra.
Statements about binomial sums are computed exactly at listed points. Lemma 8 has a module of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import floor, fsum, inf, lcm, log, nextafter
from typing import Any

import numpy as np

from dpbandits.proofs_checks.algebra.identities import identical
from dpbandits.proofs_checks.judge.effort import Effort
from dpbandits.proofs_checks.judge.ladder import climb
from dpbandits.proofs_checks.judge.points import Point, search
from dpbandits.proofs_checks.judge.reductions import (
    Lemma,
    Reduction,
    encloses,
    reduced,
    same,
    shown,
)
from dpbandits.proofs_checks.papers.ou24.appendix_b_2 import (
    doubles,
    first_branch,
    least_pulls,
    second_branch,
    summed,
    table,
)
from dpbandits.proofs_checks.vocabulary.boxes import boxes
from dpbandits.proofs_checks.vocabulary.contexts import Intervals, certainly_at_most, certainly_less, fp
from dpbandits.reference.ledger import Basis, Claim, Finding, Inequality, Real, Verdict, established
from dpbandits.reference.papers.ou24.claims import REGRET
from dpbandits.reference.papers.ou24.regret_formulas import (
    LAST,
    LOG_Y,
    PLAIN,
    first_sum,
    first_term,
    gaps,
    maximum_term,
    mean_too_high,
)
from dpbandits.reference.papers.ou24.section_4_2 import BERNOULLI, EXPONENTIAL

LEDGER: Mapping[str, Claim] = {claim.id: claim for claim in REGRET}
m = Intervals(25)


# -- the normal tail ---------------------------------------------------------------------------------------------

MILLS = Reduction(
    "Beyond t, 1 < x/t, so Q(t) is less than the integral of (x/t) phi(x) over x > t, which is phi(t)/t.",
    (
        same(
            "-phi(x)/t has the derivative (x/t) phi(x), since exp(-x^2/2) has the derivative -x exp(-x^2/2)",
            lambda m, x, t: -(-x * m.exp(-x * x / 2)) / (t * m.sqrt(2 * m.pi)),
            lambda m, x, t: x / t * (m.exp(-x * x / 2) / m.sqrt(2 * m.pi)),
            "x",
            "t",
        ),
    ),
)
TAIL = Reduction(
    "Near 0 by interval arithmetic, beyond by Mill's inequality Q(t) < exp(-t^2/2)/(t sqrt(2 pi)).",
    (
        encloses(
            "Q(t) <= exp(-t^2/2) for 0 <= t <= 1",
            lambda m, t: m.ncdf(-t),
            lambda m, t: m.exp(-t * t / 2),
            {"t": Real(0, 1, closed=True)},
        ),
        encloses(
            "1 <= t sqrt(2 pi) for t >= 1",
            lambda m, t: m.number(1),
            lambda m, t: t * m.sqrt(2 * m.pi),
            {"t": Real(1, inf, closed=True)},
        ),
    ),
)

LONGEST = 650  # rewards: beyond, binomial coefficients leave the range of doubles soon

# -- expectations over rewards -----------------------------------------------------------------------------------


def equation_2(claim: Claim, effort: Effort, seed: int) -> Finding:
    """One round by algebra; three rounds of every deterministic two-armed policy by enumeration, exactly."""
    finding = climb(claim, effort, seed)
    wrong = [policy for policy in policies() for mu in MEANS if len(set(three_rounds(policy, mu))) > 1]
    text = (
        f"The three expressions agree exactly for all 128 deterministic policies at {len(MEANS)} pairs of means."
        if not wrong
        else f"The three expressions differ for {len(wrong)} policies, the first is {wrong[0]}."
    )
    evidence = (*finding.evidence, {"kind": "text", "text": text})
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


def hoeffding(claim: Claim, effort: Effort, seed: int) -> Finding:
    """Lemma 9. The cumulant function psi of mu - X satisfies psi(0) = psi'(0) = 0 and psi'' = the variance of X under
    a tilted law. On [0, 1] with tilted mean q that is at most q(1-q) <= 1/4, so psi(t) <= t^2/8, and Markov's
    inequality for exp(t (n mu - S)) with t = 4a/n gives exp(-2a^2/n)."""
    found = search(claim, tail_points())
    variance = identical(lambda m, q: m.number("0.25") - q * (1 - q), lambda m, q: (m.number("0.5") - q) ** 2, ("q",))
    exponent = identical(
        lambda m, a, n: n * (4 * a / n) ** 2 / 8 - (4 * a / n) * a, lambda m, a, n: -2 * a**2 / n, ("a", "n")
    )
    if found.verdict is not Verdict.CONSISTENT or claim.says != LEDGER[claim.id].says or not (variance and exponent):
        return found
    summary = "psi'' = q(1-q) <= 1/4 (a square) for the cumulants, then Markov's inequality at t = 4a/n (algebra)"
    words = {"kind": "text", "text": hoeffding.__doc__ or ""}
    return established(claim.id, summary, (*found.evidence, words), Basis.WORDS, Basis.ALGEBRA)


def tail_points() -> list[Point]:
    return [
        {"n": n, "k": k, "mu": Fraction(j, 10)}
        for n in (1, 2, 3, 5, 10, 25)
        for j in range(1, 11)
        for k in range(n + 1)
    ]


def upper_tail_points() -> list[Point]:
    return [
        {"n": n, "k": floor((n + 1) * (mu + gap / 3)) + more, "mu": mu, "gap": gap}
        for n in (0, 1, 2, 3, 5, 10, 25, 60)
        for mu in (Fraction(j, 10) for j in range(10))
        for gap in (Fraction(j, 10) for j in (1, 3, 5, 8, 10))
        for more in (0, 1, 2)
    ]


def lemma_5_points() -> list[Point]:
    return [
        {"rounds": rounds, "b": b, "mu": Fraction(j, 20), "gap": gap}
        for rounds, b in ((1, 0), (10, 0), (40, 0), (20, 5), (20, 30))
        for j in (0, 1, 5, 8, 10, 13)
        for gap in (Fraction(1, 5), Fraction(1, 2), Fraction(1))
        if Fraction(j, 20) + gap <= 1
    ]


def in_range_points(c: tuple[int, ...]) -> list[dict[str, int | Fraction]]:
    """Few pulls beyond the least n that the second branch of Lemma 8 allows."""
    points: list[dict[str, int | Fraction]] = []
    for variance, y in product(c, (4, 8)):
        for gap in (Fraction(1), Fraction(7, 10), Fraction(1, 2)):
            for mu in (gap, (gap + 1) / 2, (3 * gap + 1) / 4):
                n = least_pulls(Fraction(variance), Fraction(y), gap)
                if n > LONGEST:
                    continue
                points.append({"n": n, "mu": mu, "gap": gap, "y": Fraction(y), "c": Fraction(variance)})
    return points


def outside_points() -> list[Point]:
    """k: the least S in the event A."""
    return [
        {**point, "k": -floor(-(point["n"] + 1) * (point["mu"] - Fraction(point["gap"]) / 6))}
        for point in in_range_points((1, 2))
    ]


def below_points() -> list[Point]:
    """k: the largest S outside of A, or on its edge."""
    return [
        {
            **{name: point[name] for name in ("n", "mu", "gap", "y")},
            "k": floor((point["n"] + 1) * (point["mu"] - Fraction(point["gap"]) / 6)),
        }
        for point in in_range_points((1,))
    ]


def at_points(points: Callable[[], list[Point]], raw: tuple[str, ...] = ()) -> Lemma:
    """The lemma that searches these points."""

    def lemma(claim: Claim, effort: Effort, seed: int) -> Finding:
        return search(claim, points(), frozenset(raw))

    return lemma


def lemma_5_evidence(claim: Claim) -> tuple[dict[str, Any], ...]:
    rows = [
        [gap, b, left, right, left / right]
        for gap in (0.2, 0.5)
        for b in (0, 30)
        for left, right in [
            (float(mean_too_high(fp, 150, b, 0.3, gap)), 9 / gap**2 * float(np.exp(-2 * b * gap**2 / 9)))
        ]
    ]
    return (table("The sum for a Bernoulli arm of mean 0.3, 150 rounds", ["gap", "b", "sum", "bound", "ratio"], rows),)


# -- the sums of Lemma 8 -----------------------------------------------------------------------------------------


def first_sum_enclosed(claim: Claim, effort: Effort, seed: int) -> Finding:
    """The printed sum of 59873 terms, each enclosed in doubles rounded outwards, against its printed limit."""
    says = claim.says
    assert isinstance(says, Inequality)
    if says.left is not first_sum:
        return Finding(claim.id, Verdict.UNSUPPORTED, "the page's proof is about another sum")
    low, high = sum_between(first_term)
    limit = m.of(says.right(m, last=LAST))
    evidence = (sums_table(claim)[0],)
    if certainly_at_most(m.number(high), limit):
        return established(claim.id, f"the sum is at most {high:.6f}", evidence, Basis.INTERVALS)
    if certainly_less(limit, m.number(low)):
        return Finding(
            claim.id, Verdict.REFUTED, f"the sum is at least {low:.6f}", evidence, rests_on=(Basis.INTERVALS,)
        )
    return Finding(claim.id, Verdict.CONSISTENT, f"the sum in [{low}, {high}] is too close to the limit", evidence)


def sum_between(term: Callable[[Any, Any], Any]) -> tuple[float, float]:
    """Numbers below and above term(2) + ... + term(LAST), positive terms. fsum rounds once, correctly."""
    terms = term(boxes, doubles(np.arange(2, LAST + 1)))
    return nextafter(fsum(terms.low), -inf), nextafter(fsum(terms.high), inf)


def sums_table(claim: Claim) -> tuple[dict[str, Any], ...]:
    rows: list[list[Any]] = [
        ["exp(-sqrt(r/(2 pi log r))), as printed", *sum_between(first_term)],
        ["Phi(sqrt(log r))^r, the exact probability", *sum_between(maximum_term)],
    ]
    return (table("Sums over r = 2, ..., 59874", ["term", "at least", "at most"], rows),)


# -- how little the explicit bound says --------------------------------------------------------------------------


def informative(claim: Claim) -> tuple[dict[str, Any], ...]:
    """The bound of eq. (10) at the arms of both experiments, b = 0, c = 1, and from which T on it says anything."""
    rows: list[list[Any]] = []
    for name, environment in (("5.1", BERNOULLI), ("5.2", EXPONENTIAL)):
        for gap in gaps(environment):
            bound = (PLAIN + LOG_Y * log(1e5 * gap**2)) / gap
            rows.append([name, gap, bound, 1e5 * gap, bound / (1e5 * gap), threshold() / gap**2])
    columns = ["section", "gap", "eq. (10) at T = 1e5", "T gap", "ratio", "says something from T ="]
    return (table("The explicit bound against the trivial one, c = 1, b = 0", columns, rows),)


def threshold() -> float:
    """The y beyond which 14 + 5130 log y < y, by fixed-point iteration."""
    y = 1e5
    for _ in range(100):
        y = PLAIN + LOG_Y * log(y)
    return y


LEMMAS: dict[str, Lemma] = {
    "ou24/eq-2": equation_2,
    "ou24/theorem-5/informative": shown(informative),
    "ou24/lemma-5": shown(lemma_5_evidence, at_points(lemma_5_points, ("mu", "gap"))),
    "ou24/eq-11/second": at_points(upper_tail_points),
    "ou24/lemma-8/first": first_branch,
    "ou24/lemma-8/first/sharp": first_branch,
    "ou24/lemma-8/second": second_branch,
    "ou24/lemma-8/summed": summed,
    "ou24/lemma-8/sum/65.58": first_sum_enclosed,
    "ou24/lemma-8/route": shown(sums_table),
    "ou24/lemma-9": hoeffding,
    "ou24/lemma-10": reduced(MILLS, LEDGER["ou24/lemma-10"]),
    "ou24/lemma-11": reduced(TAIL, LEDGER["ou24/lemma-11"]),
    "ou24/eq-24/in-range": at_points(outside_points),
    "ou24/eq-25/in-range": at_points(below_points),
}
