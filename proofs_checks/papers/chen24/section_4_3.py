"""Lemma 4.3, Corollary 4.4, Lemma 4.5: arguments in words, and tests on random policies by exact enumeration."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf
from pathlib import Path
from random import Random

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import one_line
from dpbandits.proofs_checks.formulas.theorems import EXPECTATIONS, checked_step, machine_checked
from dpbandits.proofs_checks.papers.chen24.enumeration import (
    LARGE,
    at_most_power,
    instance_ratio,
    numbered,
    path_loss,
    random_law,
    rare,
    respondent,
    stopped_events,
    stopped_losses,
    total_variation,
)
from dpbandits.proofs_checks.papers.chen24.evidence import refuted, tried
from dpbandits.reference.claims.findings import above, nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, established
from dpbandits.reference.papers.chen24.histories import AUXILIARY, Arms, Rewards, Tiny, Transcript, early_stopping
from dpbandits.reference.papers.chen24.page import page

proves = Proofs(page)

Case = tuple[Tiny, Random]
EVENT = "few S is the event, None is arm 0; the rewards are any expectation, of an instance say; n, T, iota, S are any."
INSTANCES = (
    "M is ES(pi, n, iota), its eps-DP the last condition, e = exp(eps); v and w are laws of the rewards, equal but for "
    "arm iota; TV is the largest difference of their probabilities."
)
INPUTS = "e is exp(eps), None is arm 0; by reads_n_rewards the inputs are X^(n, iota). Nobody reads entries beyond T."
# Expectations of any laws need the real numbers of Coquelicot: these theorems are in a file of their own.
ANY_LAW = str(Path(__file__).with_name("section_4_3_any_law.v"))
ALL_LAWS = f"""pick h a and recommend h a are the probabilities that the policy pi pulls arm a next, and recommends it,
given the pulls and rewards h so far, the last one first. early_stopping n iota pi is ES(pi, n, iota), by (18) and (19).
Its arm 0 pays the reward `nothing` for certain, and its arm a + 1 is arm a of pi, which are numbered from 0. chance is
the probability that the list of the recommendation and all pulls, the last one first, lies in the event: one average
after another, over the choice and the reward of each round. by_instance v is the instance in which v a is the law of
the rewards of arm a; v and w differ in arm iota alone, and q is any number that is at least TV, such as TV itself.
private_on_tables is the eps-DP constraint: on any two tables with entries in W (in the paper, a subset of [0, 1]) that
differ in one entry, the probability of each event differs by a factor of at most e^eps; entry x a m is paid by the pull
of arm a after m earlier ones, and by reads_n_rewards ES reads no entry x iota m with m >= n, so that the inputs are
X^(n, iota). measurable_policy says that the probabilities of pi are measurable functions of all rewards so far
(bounded_measurable: for the product of the sigma-algebras); the part of Fubini's theorem that is needed, that averages
over one reward are measurable functions of the other rewards, is proved. closed_under_limits says that a pointwise
limit of measurable functions is measurable, and bounded_convergence is Lebesgue's theorem: every sigma-algebra and
every countably additive probability has these properties, which Rocq has not checked. {EXPECTATIONS}"""
CASES, LARGE_CASES = 30, 16  # of all shapes in turn: K = 2 and 3, T up to 4


def dice_of(case: Case) -> tuple[Tiny, int, int, Arms]:
    """The policy of a case, and a random n in 0, ..., T + 1, arm iota and instance."""
    policy, dice = case
    n, iota = dice.randrange(policy.horizon + 2), dice.choice(policy.arms)
    return policy, n, iota, {arm: random_law(dice) for arm in policy.arms}


# -- the definition of ES ---------------------------------------------------------------------------------------------


@proves("early-stopping/sentence")
def sentence(
    claim: Claim, effort: Effort, seed: int, *, stopping: Callable[[Tiny, int, int], Tiny] = early_stopping
) -> Finding:
    """What ES(pi, 1, 1) does after one pull of arm 1, by (18) and the line after it."""
    policy, _ = next(case for case in numbered(CASES, seed, LARGE) if case[0].horizon > 1)
    after = stopping(policy, 1, 1).after(((1, Fraction(1)),))
    if after == {AUXILIARY: Fraction(1)}:
        return refuted(
            claim, "After one pull of arm 1, ES(pi, 1, 1) pulls arm 0 with probability 1 and arm 1 with probability 0."
        )
    return established(claim.id, f"the probabilities of the next arm are {after}", (), Basis.ALGEBRA)


# -- Lemma 4.3 -------------------------------------------------------------------------------------------------------


def wrong_events(case: Case, is_rare: Callable[[Transcript, int, int], bool] = rare) -> str:
    policy, n, iota, instance = dice_of(case)
    for label, (left, right) in zip(policy.arms, stopped_events(policy, instance, n, iota, is_rare), strict=True):
        if left != right:
            return f"arm {label} with N_{iota} < {n}: {left} under pi, {right} under ES"
    return ""


@proves("lemma-4.3")
@machine_checked(
    __file__,
    "lemma_4_3",
    EVENT,
)
def lemma_4_3(claim: Claim, effort: Effort, seed: int) -> Finding:
    """A transcript with N_{iota,T} < n has fewer than n pulls of iota before every time t. So ES(pi, n, iota) draws
    each of its steps by pi's law, never pulls arm 0, and recommends by pi's law: the transcript's probability is the
    same product under both policies. E is a set of such transcripts."""
    return tried(claim, one_line(lemma_4_3), numbered(CASES, seed, LARGE), wrong_events, "policies")


# -- Corollary 4.4 ---------------------------------------------------------------------------------------------------


def wrong_losses(case: Case) -> str | None:
    policy, n, iota, _ = dice_of(case)
    before, after = stopped_losses(policy, n, iota)
    if before == inf:
        return None  # not differentially private for any eps: the corollary says nothing
    return "" if after <= before else f"e^eps = {before} of pi, {after} of ES(pi, {n}, {iota})"


@proves("corollary-4.4")
@machine_checked(
    __file__,
    "corollary_4_4",
    INPUTS,
)
def corollary_4_4(claim: Claim, effort: Effort, seed: int) -> Finding:
    """Up to its n-th pull of iota, ES(pi, n, iota) has the same output as pi. Afterwards it releases zeros. So its
    transcript is a function of pi's transcript, and it reads no reward of iota beyond the n-th. Hence ES is
    post-processing of pi on the table whose unread entries are set to 0. Neighbours in X^(n, iota) are still neighbours
    after these entries are set to 0."""
    return tried(claim, one_line(corollary_4_4), numbered(LARGE_CASES, seed, LARGE), wrong_losses, "policies")


# -- Lemma 4.5 -------------------------------------------------------------------------------------------------------


@proves("lemma-4.5/attained")
def attained(claim: Claim, effort: Effort, seed: int) -> Finding:
    """One mechanism: its exact loss, and its exact ratio on two instances."""
    rows = []
    for n in (1, 2, 3):
        for base in (Fraction(2), Fraction(10), Fraction(100)):
            for share in (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2)):
                mechanism = early_stopping(respondent(3, base, n), n, 1)
                one, other = bernoulli(share, 3), bernoulli(Fraction(0), 3)
                found, distance = instance_ratio(mechanism, one, other), total_variation(one[1], other[1])
                if path_loss(mechanism) != base or found != (1 + distance * (base - 1)) ** n or distance != share:
                    return refuted(claim, f"n = {n}, e^eps = {base}, TV = {share}: the ratio is {found}")
                printed = at_most_power(found, base, 6 * n * distance)
                most = float(base) ** float(6 * n * distance)
                rows.append([n, int(base), float(share), float(found), most, "holds" if printed else "fails"])
    columns = [
        "n",
        "e^eps",
        nearest("TV"),
        nearest("exact ratio"),
        above("printed: at most e^{6 eps n TV}"),
        "the lemma here",
    ]
    evidence = (table_item("The ratio that the mechanism attains, beside the printed bound", columns, rows),)
    text = (
        "In every case of the table, the largest likelihood ratio of the mechanism on neighbouring tables is "
        "exactly e^eps, and the ratio of the two probabilities of the event is exactly (1 + TV (e^eps - 1))^n."
    )
    return established(claim.id, text, evidence, Basis.ALGEBRA)


def bernoulli(share: Fraction, arms: int) -> Arms:
    """Arm 1 pays 1 with this probability; the others pay 1/2 of 1 and nothing, so that only arm 1 differs."""
    others: dict[int, Rewards] = {arm: {Fraction(arm - 1, arms): Fraction(1)} for arm in range(2, arms + 1)}
    first: Rewards = {1: share, 0: 1 - share}
    return {1: first} | others


def wrong_ratio(case: Case, factor: Fraction | None = None) -> str | None:
    """Against the exact exponent, or against e^{factor eps n TV}."""
    policy, n, iota, one = dice_of(case)
    n = max(n, 1)
    mechanism = early_stopping(policy, n, iota)
    base = path_loss(mechanism)
    if base == inf:
        return None  # not differentially private for any eps: the lemma says nothing
    other = {**one, iota: random_law(case[1])}
    distance = total_variation(one[iota], other[iota])
    found = instance_ratio(mechanism, one, other)
    if factor is not None:
        fine = at_most_power(found, Fraction(base), factor * n * distance)
    else:
        fine = found <= (1 + distance * (Fraction(base) - 1)) ** n
    return "" if fine else f"n = {n}, iota = {iota}, e^eps = {base}, TV = {distance}: the ratio is {found}"


@proves("lemma-4.5/exact")
@machine_checked(ANY_LAW, "lemma_4_5_any_law", ALL_LAWS)
def lemma_4_5_exact(claim: Claim, effort: Effort, seed: int) -> Finding:
    """Change the laws of iota's n rewards from P to Q one after another. With the other rewards fixed, the event's
    probability is a function f of one reward, and max f <= e^eps min f. So E_P f = E_Q f + sum (P - Q) f <= E_Q f +
    TV (max f - min f) <= E_Q f (1 + TV (e^eps - 1)), as min f <= E_Q f. Each of the n rewards contributes one such
    factor."""
    return tried(
        claim, one_line(lemma_4_5_exact), numbered(LARGE_CASES, seed, LARGE), wrong_ratio, "policies and instances"
    )


@proves("lemma-4.5/exact/finite")
@machine_checked(__file__, "lemma_4_5", INSTANCES)
def lemma_4_5_finite(claim: Claim, effort: Effort, seed: int) -> Finding:
    """The law of transcripts is the same whether a reward is drawn when its arm is pulled or the whole table is drawn
    in advance. So the argument of chen24/lemma-4.5/exact applies: the rewards of iota change their laws one after
    another, and each of the n changes costs a factor of at most 1 + TV (e^eps - 1)."""
    return tried(claim, one_line(lemma_4_5_finite), numbered(LARGE_CASES, seed, LARGE), wrong_ratio, "policies")


proves("lemma-4.5/repaired")(checked_step(ANY_LAW, "lemma_4_5_repaired", f"INR n is n. {ALL_LAWS}"))
