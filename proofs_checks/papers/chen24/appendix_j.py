"""Appendix J: Lemma J.1 by another split, and Lemma J.2 with the printed indices."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil
from operator import lt

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, enclosure_step, lemma_by_reduction, one_line
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers.chen24.appendix_g_3_and_4 import STAGES, TIMES, few_kept
from dpbandits.proofs_checks.papers.chen24.evidence import tried
from dpbandits.proofs_checks.vocabularies.intervals import certainly_less, iv
from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary, doubles
from dpbandits.reference.claims.findings import below, nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Real, Verdict
from dpbandits.reference.papers.chen24 import appendix_j as claims
from dpbandits.reference.papers.chen24.algorithms.parameters import PRINTED, Indices, growth, quarter
from dpbandits.reference.papers.chen24.page import page

proves = Proofs(page)

# -- Lemma J.1 -------------------------------------------------------------------------------------------------------

Case = tuple[int, int, Fraction]  # d_Q, s_p, T'/M
CASES = tuple(product(range(1, 13), (2, 3, 4, 5, 9, 16, 40, 200), [Fraction(k**3, 4) for k in range(1, 41)]))
REWARDS, NOISE = Fraction(3, 8), Fraction(5, 8)  # the shares of the gap that either must use up


def less_than_printed(case: Case, rewards: Fraction = REWARDS, noise: Fraction = NOISE) -> str | None:
    """Where an exponent of the split is below (114)'s, with gap = 1 and eps^2 = log(1.25/delta), or nothing; None
    where so few arms cannot span d_Q dimensions, or (114) is at least 1."""
    d, size, y = case
    c = ceil(y / min(d * d, size))
    if d > size or c < claims.WANTED:
        return None
    n = ceil(y / d)
    found = {
        "all arms pulled": (Fraction(c, 4), Fraction(c * c, 32)),
        "one arm": (2 * rewards**2 * n, noise**2 * n * n / 4),
        "Max-Det": (rewards**2 * n / (2 * d), noise**2 * n * n / (16 * d)),
    }
    how = "all arms pulled" if d * d > size else "one arm" if d == 1 else "Max-Det"
    if all(own >= printed for own, printed in zip(found[how], (Fraction(c, 16), Fraction(c * c, 32)), strict=True)):
        return ""
    return f"d_Q = {d}, s_p = {size}, T'/M = {y}: exponents {found[how]}"


@proves("lemma-j.1")
def split(claim: Claim, effort: Effort, seed: int) -> Finding:
    """For c <= 11 the bound is trivial. If all arms of Q are pulled c times, the bound is (116) together with the line
    after (117). Otherwise a Max-Det collection is pulled, and each of its arms is pulled n = ceil(T'/(M d_Q)) >= d_Q (c
    - 1) + 1 times. Then the difference of two estimates is a sum of beta_i times the noisy mean of arm i, with |beta_i|
    <= 2. For d_Q >= 2, the error of this difference exceeds the gap only if the error of the rewards exceeds 3/8 of the
    gap or the noise exceeds 5/8 of the gap. For d_Q = 1, every mean is the pulled arm's mean times a factor in [0, 1],
    because no mean is negative and the best mean is positive. So the pulled arm is the best one. Another arm is
    estimated above the pulled arm only if the noisy mean of the pulled arm is not positive, and the mean of the pulled
    arm is at least the gap. So the exponents are 2 (3/8)^2 c and (5/8)^2 c^2/4, which are larger than c/16 and c^2/32,
    respectively."""
    return tried(claim, one_line(split), CASES, less_than_printed, "triples (d_Q, s_p, T'/M)")


AFTER_117 = Reduction(
    "For z <= 0.8 the bound holds by interval arithmetic. For larger z the bound follows from Mills' inequality Q(z) "
    "<= phi(z)/z.",
    (
        enclosure_step(
            "Q(z) <= exp(-z^2/2) for 0 <= z <= 0.8",
            lambda m, z: m.ncdf(-z),
            lambda m, z: m.exp(-z * z / 2),
            {"z": Real(0, 0.8, closed=True)},
        ),
        enclosure_step("1/sqrt(2 pi) <= 0.8", lambda m: 1 / m.sqrt(2 * m.pi), lambda m: m.number("0.8"), {}),
    ),
)

TAIL = "Phi is 1/2 and the integral of the normal density from 0 on; z is any number that is not negative."
proves("lemma-j.1/after-117")(
    machine_checked(__file__, "after_117", TAIL)(lemma_by_reduction(AFTER_117, claims.after_117))
)


# -- Lemma J.2, as printed -------------------------------------------------------------------------------------------

BEST = Fraction(65, 128)  # the best arm's mean, and its gap to the arms that pay nothing; the others pay 1/2
LEVEL = Fraction(1, 100)  # delta; eps = 1
LEAST = 65  # pulls; from there on the chance falls more slowly than the bound


def lost_at_least(m: Vocabulary, kept: int, n: int, best: Fraction) -> Number:
    """The log of a probability: the best arm pays at most n/2, one of whose outcomes has a binomial coefficient
    of at least 2^n/(n + 1); its noise is not positive, and that of `kept` others is not negative."""
    odd = m.log(m.number((1 - best) / best)) / 2  # one success less than failures, where n is odd
    coins = m.log(m.number(4 * best * (1 - best))) * n / 2 - m.log(m.number(n + 1))
    return coins + odd - (kept + 1) * m.log(m.number(2))


def promised_at_most(m: Vocabulary, ratio: Fraction, n: int, best: Fraction) -> Number:
    """The log of the lemma's bound. ratio: lambda, or more."""
    rewards = m.exp(m.number(-n * best**2 / 16))
    noise = m.exp(m.number(-((n * best) ** 2) / 32) / m.log(m.number("1.25") / m.number(LEVEL)))
    return m.log(m.number(2 * ratio) * (rewards + noise))


@proves("lemma-j.2/printed")
def normal_stage_loses(
    claim: Claim, effort: Effort, seed: int, *, best: Fraction = BEST, indices: Indices = PRINTED
) -> Finding:
    """With the printed indices, the last phase of the first stage keeps g_1 = ceil(g_0/2) arms. In this phase g_1 arms
    pay 1/2, the best arm pays 1 with probability 65/128, and all others pay 0. So Delta_(g_0) = 65/128 if g_1 + 2 <=
    g_0. The features are (mean, rest) with rests in general position, so all arms of Q are pulled n times. Earlier
    phases can leave Q, because their noise has full support: if they pull a Max-Det collection, choose for Q the best
    arms in a direction near (1, 0). The best arm is eliminated if it pays at most n/2 in total, its noise is below 0,
    and the noise of the g_1 arms is above 0. This event has probability at least (4 (65/128) (63/128))^{n/2}
    sqrt(63/65)/((n + 1) 2^{g_1 + 1}). From n = 65 on, the logarithm of this probability decreases by less than 1/8000 +
    1/66 < 1/64 for each further pull, but the logarithm of the lemma's bound decreases by at least 1/64. So the lemma
    is false for all n from the first n of the table on."""
    rows, above = [], True
    for arms, d in STAGES:
        stage, ratio = few_kept(arms, d, indices), Fraction(growth(arms, d)) * (1 + Fraction(1, 10**50))
        if stage is None:
            return Finding(claim.id, Verdict.CONSISTENT, f"K = {arms}, d = {d}: it is another phase")
        size, kept = stage

        def sides(m: Vocabulary, n: int, kept: int = kept, ratio: Fraction = ratio) -> tuple[Number, Number]:
            return promised_at_most(m, ratio, n, best), lost_at_least(m, kept, n, best)

        least = next((n for n in range(LEAST, 20 * LEAST) if lt(*sides(doubles, n))), 0)
        if not least:
            return Finding(claim.id, Verdict.CONSISTENT, f"K = {arms}, d = {d}: as far as was looked, the lemma holds")
        for n in (least * times for times in TIMES):
            above = above and certainly_less(*sides(iv, n))
            rows.append([arms, d, size, quarter(d), kept, n, *map(float, reversed(sides(doubles, n)))])
    columns = [
        "K",
        "d",
        "s_(M_1)",
        "g_0",
        "g_1",
        "n",
        below("log of the probability, at least"),
        nearest("log of the lemma's bound"),
    ]
    evidence = (table_item("The probability that the last phase of the first stage loses the best arm", columns, rows),)
    if above:
        bases = (Basis.INTERVALS, Basis.WORDS)
        return Finding(claim.id, Verdict.REFUTED, one_line(normal_stage_loses), evidence, rests_on=bases)
    return Finding(claim.id, Verdict.CONSISTENT, "the lemma holds for the numbers of the table", evidence)
