"""The budget: the total number of pulls of all phases."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import lcm

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import one_line
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers.chen24.evidence import refuted, tried
from dpbandits.proofs_checks.papers.chen24.section_3_eqs_4_to_8 import DIGITS, named
from dpbandits.proofs_checks.papers.chen24.sizes import GRID
from dpbandits.reference.claims.findings import nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.claims.records import Cell, Item, text_item
from dpbandits.reference.papers.chen24.algorithms.parameters import (
    PRINTED,
    REPAIRED,
    Indices,
    Reserve,
    phases,
    printed_reserve,
    pulled_arms,
    pulls_each,
    repaired_reserve,
)
from dpbandits.reference.papers.chen24.page import page
from dpbandits.reference.papers.chen24.section_3_max_det import BROKEN

proves = Proofs(page)


def most_pulls(arms: int, d: int, budget: int, indices: Indices, reserve: Reserve) -> int:
    """The pulls of all phases where features are in general position: d_p = min(d, s_p)."""
    plan = phases(arms, d, indices)
    left = budget - reserve(arms, d, plan)
    counts = [pulled_arms(each, min(d, each)) for each in plan.sizes[:-1]]
    return sum(k * pulls_each(left, plan.last, k) for k in counts)


COLUMNS = ["reading", "T", "pulls"]
SHARES = ((16, 4), (4, 2), (36, 6), (10, 4))  # K and d
FAR = 20_000  # up to this T


def share(arms: int, d: int) -> float:
    """Of all T up to FAR with T' >= 1, the share that is too small, as printed."""
    kept = printed_reserve(arms, d, phases(arms, d, PRINTED))
    every = range(kept + 1, FAR + 1)
    return sum(most_pulls(arms, d, total, PRINTED, printed_reserve) > total for total in every) / len(every)


def too_many(indices: Indices, reserve: Reserve) -> list[list[int]]:
    """Budgets and their pulls, for K = 36 and d = 6, where `reserve` is kept: T' = 1 modulo M lcm(k) makes every
    ceiling as large as it can be."""
    arms, d = BROKEN
    plan = phases(arms, d, indices)
    period = plan.last * lcm(*(pulled_arms(each, min(d, each)) for each in plan.sizes[:-1]))
    totals = [turn * period + 1 + reserve(arms, d, plan) for turn in (0, 1, 10, 10**6)]
    return [[total, most_pulls(arms, d, total, indices, reserve)] for total in totals]


@proves("budget")
def budget(claim: Claim, effort: Effort, seed: int, *, reserve: Reserve = printed_reserve) -> Finding:
    """REFUTED where every reading of the indices pulls too often, so that it depends on none of them."""
    found = {Indices(*bits): too_many(Indices(*bits), reserve) for bits in product((0, 1), repeat=4)}
    rows: list[list[Cell]] = [[named(indices), *each] for indices, pairs in found.items() for each in pairs]
    title = f"K = {BROKEN[0]}, d = {BROKEN[1]}, what is kept as printed"
    shares: list[list[Cell]] = [[arms, d, f"{share(arms, d):.0%}"] for arms, d in SHARES]
    evidence: tuple[Item, ...] = (
        text_item(DIGITS),
        table_item(title, COLUMNS, rows),
        table_item(f"How many T up to {FAR} are too small, as printed", ["K", "d", nearest("share")], shares),
    )
    if all(pulled > total for pairs in found.values() for total, pulled in pairs):
        first, last = found[PRINTED][0], found[PRINTED][-1]
        text = (
            f"For T = {first[0]} the phases make {first[1]} pulls, and for T = {last[0]} they make {last[1]}. Under "
            f"each of the {len(found)} readings, the number of pulls exceeds T for every T tried."
        )
        return refuted(claim, text, evidence)
    return Finding(claim.id, Verdict.CONSISTENT, "the pulls stay within some of these budgets", evidence)


@proves("budget/positive")
def positive(claim: Claim, effort: Effort, seed: int, *, reserve: Reserve = printed_reserve) -> Finding:
    """T' of the smallest budget that is enough for every arm once, and of the first ones from there on."""
    arms, d = BROKEN
    kept = reserve(arms, d, phases(arms, d, PRINTED))
    rows = [[total, total - kept] for total in range(arms, kept + 3)]
    evidence = (table_item(f"K = {arms}, d = {d}", ["T", "T'"], rows),)
    least = max((total for total, left in rows if left < 1), default=0)
    if least:
        return refuted(claim, f"For T = {least}, which is at least K = {arms}, T' is {least - kept}.", evidence)
    return established(claim.id, f"T' >= 1 from T = K = {arms} on", evidence, Basis.ALGEBRA)


def budgets() -> Iterator[tuple[int, int, int]]:
    for arms, d in GRID:
        kept = repaired_reserve(arms, d, phases(arms, d, REPAIRED))
        for rest in (1, 2, 3, 7, 60, 61, 997):
            yield arms, d, kept + rest


def wrong_budget(case: tuple[int, int, int]) -> str:
    arms, d, total = case
    plan = phases(arms, d, REPAIRED)
    left = total - repaired_reserve(arms, d, plan)
    worst = 0
    for each in plan.sizes[:-1]:  # whatever the rank of the arms that are left
        counts = {pulled_arms(each, rank) for rank in range(1, min(d, each) + 1)}
        worst += max(k * pulls_each(left, plan.last, k) for k in counts)
    return "" if worst < total else f"K = {arms}, d = {d}, T = {total}: {worst} pulls"


SAYS = """s p is the number of active arms of phase p and rank p that of their features. They are any numbers, s p at
least 1 and rank p at most d, so they cover every K, d, features and outcome. pulled_arms is line 6, with one arm where
d_p is 0, and ceiling a b is ceil(a/b). left is T'; the theorem asks for T' >= 1 and for at least one phase, M >= 1. The
sum over the phases 1 to M is below T, so at least one pull stays unused."""


@proves("budget/repaired")
@machine_checked(__file__, "budget_repaired", SAYS)
def budget_repaired(claim: Claim, effort: Effort, seed: int) -> Finding:
    """For integers, ceil(T'/(M k)) <= (T' + M k - 1)/(M k). So a phase that pulls k arms takes at most T'/M + k - 1/M,
    and all M phases take at most T' + sum k - 1. The number k of arms is s_p if s_p <= d_p^2, and d_p otherwise, or 1
    if d_p is 0. So k <= min(s_p, d^2), and T' + sum k <= T. At least one pull stays unused."""
    return tried(claim, one_line(budget_repaired), budgets(), wrong_budget, "budgets, over all ranks of all phases")
