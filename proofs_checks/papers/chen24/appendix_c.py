"""Corollary C.3 and Propositions C.4 and C.5: arguments in words, and tests on random policies by exact enumeration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import inf
from random import Random

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import one_line
from dpbandits.proofs_checks.formulas.theorems import checked_step, machine_checked
from dpbandits.proofs_checks.papers.chen24.enumeration import (
    TABLES,
    Loss,
    chance_along,
    dual_loss,
    numbered,
    one_time_pad,
    pull_loss,
    suffix_loss,
)
from dpbandits.proofs_checks.papers.chen24.evidence import refuted, tried
from dpbandits.reference.claims.findings import table_item
from dpbandits.reference.claims.model import Claim, Finding, Verdict
from dpbandits.reference.papers.chen24.histories import History, Tiny, by_pull, law
from dpbandits.reference.papers.chen24.page import page

proves = Proofs(page)

Case = tuple[Tiny, Random]
TABLES_OF_COQ = (
    "e is exp(eps); k releases, the recommendation among them; a table has an entry for every number, those beyond T "
    "are read by nobody."
)
CASES = 20


@proves("corollary-c.3")
def corollary_c_3(claim: Claim, effort: Effort, seed: int, *, make: Callable[[], Tiny] = one_time_pad) -> Finding:
    """The one-time pad: what follows column t reveals nothing alone, and everything together with the prefix."""
    policy = make()
    printed, whole = suffix_loss(policy, given_the_prefix=False), dual_loss(policy)
    rows = [
        ["what is released after t, alone (printed)", str(printed)],
        ["the same, given what was released before", str(suffix_loss(policy, given_the_prefix=True))],
        ["the whole transcript (table-DP)", str(whole)],
    ]
    evidence = (table_item("e^eps of a policy with three arms and T = 2", ["of", "e^eps"], rows),)
    if printed == 1 and whole == inf:
        words = (
            "In a counterexample, a fair coin determines the first pulled arm. The recommendation is this arm after a "
            "reward of 0 and the other arm after a reward of 1. For every column, the outputs after this column have "
            "the same law whatever the column contains (e^eps = 1). Yet the transcript reveals the second reward "
            "exactly, so the policy is not eps-table-DP for any eps."
        )
        return refuted(claim, words, evidence)
    return Finding(claim.id, Verdict.CONSISTENT, "the policy made for this does not separate the two", evidence)


def wrong_given_the_prefix(case: Case) -> str:
    whole, suffix = dual_loss(case[0]), suffix_loss(case[0], given_the_prefix=True)
    return "" if whole == suffix else f"e^eps = {whole} of table-DP, {suffix} of the suffixes given their prefix"


@proves("corollary-c.3/repaired")
@machine_checked(__file__, "corollary_c_3_repaired", TABLES_OF_COQ)
def corollary_c_3_repaired(claim: Claim, effort: Effort, seed: int) -> Finding:
    """The outputs up to time t depend only on the columns before t, so a change of column t does not change their
    probability. Division by this probability turns the ratio of the probabilities of whole transcripts into the ratio
    of the conditional probabilities of the suffixes given the prefix."""
    cases = [(one_time_pad(), Random(0)), *numbered(CASES, seed, TABLES)]
    return tried(claim, one_line(corollary_c_3_repaired), cases, wrong_given_the_prefix, "policies")


def wrong_dual(case: Case, loss: Callable[[Tiny], Loss] = dual_loss) -> str | None:
    pulls, dual = pull_loss(case[0]), loss(case[0])
    if pulls == inf:
        return None  # not differentially private for any eps: the proposition says nothing
    return "" if dual <= pulls else f"e^eps = {pulls} of pi, {dual} of D(pi)"


def wrong_pulls(case: Case) -> str | None:
    pulls, dual = pull_loss(case[0]), dual_loss(case[0])
    if dual == inf:
        return None
    return "" if pulls <= dual else f"e^eps = {dual} of D(pi), {pulls} of pi"


@proves("proposition-c.4")
@machine_checked(__file__, "proposition_c_4", TABLES_OF_COQ)
def proposition_c_4(claim: Claim, effort: Effort, seed: int) -> Finding:
    """Fix a transcript z. At time t, D(pi) reads the entry (z_t, t) of its table, and pi reads the entry (z_t, n) if
    this pull of z_t is the n-th. Move each entry that z reads to the position where pi reads it, as in (30). On the new
    table, pi releases z with the same probability as D(pi) on the original table. Two tables that differ in column t
    become tables that differ at most in one entry, the entry that is read at time t. So the eps of pi bounds the
    ratio."""
    return tried(claim, one_line(proposition_c_4), numbered(CASES, seed, TABLES), wrong_dual, "policies")


@proves("proposition-c.5")
@machine_checked(__file__, "proposition_c_5", TABLES_OF_COQ)
def proposition_c_5(claim: Claim, effort: Effort, seed: int) -> Finding:
    """Fix a transcript z, and move the entries of pi's table that z reads to the positions where D(pi) reads them, as
    in (34). On the new table D(pi) releases z with the same probability as pi on the original table. A changed entry
    (i, n) is read when z pulls i for the n-th time, or never. So the new tables differ at most in this column, and the
    eps of D(pi) bounds the ratio of the probabilities."""
    return tried(claim, one_line(proposition_c_5), numbered(CASES, seed, TABLES), wrong_pulls, "policies")


def recommends_what_it_saw_first() -> Tiny:
    """Two arms and T = 2: pulls arm 1 twice, and recommends it with probability 3/4 if its first reward was 1,
    and with probability 1/4 otherwise."""

    def after(history: History) -> Mapping[int, Fraction]:
        if len(history) < 2:
            return {1: Fraction(1)}
        first = Fraction(3, 4) if history[0][1] == 1 else Fraction(1, 4)
        return {1: first, 2: 1 - first}

    return Tiny((1, 2), 2, after)


@proves("proposition-c.4/eq-29")
def eq_29(claim: Claim, effort: Effort, seed: int) -> Finding:
    """As printed, n_{1,t} = 2 for both pulls of arm 1: (30) writes both rewards to the entry (1, 2), so the first
    one is lost, and the entry (1, 1) is 0."""
    policy, seen, paid = recommends_what_it_saw_first(), (1, 1, 1), (Fraction(1), Fraction(0))
    table = {(arm, t): Fraction(0) for arm in policy.arms for t in (1, 2)} | {(1, 2): paid[1]}
    left, right = law(policy, by_pull(table)).get(seen, Fraction(0)), chance_along(policy, seen, paid)
    if left == right:
        return Finding(claim.id, Verdict.CONSISTENT, "the policy made for this does not separate the two tables")
    return refuted(
        claim,
        "Let there be two arms and T = 2. The policy pi pulls arm 1 twice, and recommends it with probability 3/4 if "
        "its first reward was 1, and with probability 1/4 otherwise. Let z = (1, 1, 1), with rewards 1 and 0. As "
        "printed, n_{1,t} = 2 for both pulls. So the table of (30) has the second reward, which is 0, in the entry (1, "
        f"2), and the entry (1, 1) is 0. On this table pi releases z with probability {left}. But D(pi) releases z "
        f"with probability {right} if its rewards are 1 and 0. Equation (32) needs {left} and {right} to be equal",
    )


proves("corollary-c.6")(checked_step(__file__, "corollary_c_6", TABLES_OF_COQ))
