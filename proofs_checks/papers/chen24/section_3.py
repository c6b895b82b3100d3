"""Section 3: the readings of (4) to (8) against what is said about them, the budget, the order of M."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import ceil, lcm, log
from string import ascii_lowercase
from typing import Any

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import one_line
from dpbandits.proofs_checks.papers.chen24.evidence import refuted, table, tried
from dpbandits.proofs_checks.papers.chen24.exact_sets import Vector, maximisers, sets, size, solved
from dpbandits.proofs_checks.papers.chen24.sizes import EXAMPLE, GRID, SIZES
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.papers.chen24.algorithms.parameters import (
    APPENDIX_B,
    PRINTED,
    REPAIRED,
    Indices,
    Phases,
    Reserve,
    growth,
    phases,
    printed_reserve,
    pulled_arms,
    pulls_each,
    quarter,
    repaired_reserve,
)
from dpbandits.reference.papers.chen24.page import page
from dpbandits.reference.papers.chen24.section_3 import BROKEN, TIED

proves = Proofs(page)

Statement = Callable[[int, int, Phases], bool]


# -- what the paper says about the phases ----------------------------------------------------------------------------


def at(plan: Phases, p: int) -> int:
    """s_p, with s_{M+2} = 1 (Lemma G.4)."""
    return plan.sizes[p - 1] if p <= len(plan.sizes) else 1


def stage_one(plan: Phases) -> range:
    return range(1, min(plan.first_stage, plan.last) + 1)


def stage_two(plan: Phases) -> range:
    return range(plan.first_stage + 1, plan.last + 1)


def g_3(arms: int, d: int, plan: Phases) -> bool:
    """(d) and (e): s_{p+1} >= g_0, and s_p - g_0 + 1 <= lambda (s_{p+1} - g_0 + 1), for p in [M_1]."""
    g_0, ratio = min(arms, quarter(d)), growth(arms, d)
    kept = [(at(plan, p) - g_0 + 1, at(plan, p + 1) - g_0 + 1) for p in stage_one(plan)]
    return all(after >= 1 and before <= ratio * after for before, after in kept)


def g_4(arms: int, d: int, plan: Phases) -> bool:
    """(d): 2 (s_p - s_{p+2})/(s_{p+1} - s_{p+2} + 1) <= 6 for p > M_1."""
    steps = [(at(plan, p), at(plan, p + 1), at(plan, p + 2)) for p in stage_two(plan)]
    return all(b - c + 1 > 0 and 2 * (a - c) <= 6 * (b - c + 1) for a, b, c in steps)


STATEMENTS: dict[str, Statement] = {
    "s_1 = K": lambda arms, d, plan: plan.sizes[0] == arms,
    "s_{M+1} = 1: the only arm left": lambda arms, d, plan: plan.last >= 1 and plan.sizes[-1] == 1,
    "every phase removes an arm": lambda arms, d, plan: all(
        at(plan, p + 1) < at(plan, p) for p in range(1, plan.last + 1)
    ),
    "M_1 = 0 if K <= ceil(d^2/4)": lambda arms, d, plan: plan.first_stage == 0 or arms > quarter(d),
    "Lemma G.3, (d) and (e)": g_3,
    "Lemma G.4, (d)": g_4,
    "(75): s_p <= 4 s_{p+2} + 4": lambda arms, d, plan: all(
        at(plan, p) <= 4 * at(plan, p + 2) + 4 for p in stage_two(plan)
    ),
}
EXAMPLES: dict[str, Callable[[Phases], bool]] = {
    "Appendix B: s_1, ..., s_10": lambda plan: plan.sizes[: len(SIZES)] == SIZES,
    "Appendix B: M_1 = 4": lambda plan: plan.first_stage == 4,
    "Appendix B: M = 10": lambda plan: plan.last == 10,
}


def failing(statement: Statement, indices: Indices) -> str:
    """The first (K, d) of the grid where the statement is false; nothing where it holds on all of it."""
    for arms, d in GRID:
        if not statement(arms, d, phases(arms, d, indices)):
            return f"K = {arms}, d = {d}"
    return ""


def judged(indices: Indices) -> dict[str, str]:
    """Statement -> where it fails in this reading."""
    found = {name: failing(statement, indices) for name, statement in STATEMENTS.items()}
    example = phases(*EXAMPLE, indices)
    return found | {name: "" if holds(example) else "here" for name, holds in EXAMPLES.items()}


def named(indices: Indices) -> str:
    """Its four digits, and what it is known as."""
    known = {PRINTED: "printed", REPAIRED: "repaired", APPENDIX_B: "Appendix B"}
    digits = "".join(map(str, indices))
    return f"{digits} {known[indices]}" if indices in known else digits


DIGITS = (
    "A reading is four digits: the first element of N; 1 where s_p = g_(p - M_1 - 1) for p > M_1, 0 where it is g_(p - "
    "M_1); 1 where M = M_1 + min - 1, 0 without the - 1; and the index at which both sequences begin."
)


def matrix() -> dict[Indices, dict[str, str]]:
    return {each: judged(each) for each in (Indices(*bits) for bits in product((0, 1), repeat=4))}


@proves("eq-4-8/readings")
def readings(claim: Claim, effort: Effort, seed: int) -> Finding:
    """The matrix; PROVED where every reading fails somewhere."""
    found = matrix()
    columns = dict(zip(ascii_lowercase, (*STATEMENTS, *EXAMPLES), strict=False))
    legend = "; ".join(f"({letter}) {name}" for letter, name in columns.items())
    evidence: tuple[dict[str, Any], ...] = (
        {"kind": "text", "text": f"{DIGITS} The statements: {legend}."},
        {
            "kind": "matrix",
            "title": "Readings of (4) to (8) against the paper's statements",
            "of": "reading",
            "names": [named(each) for each in found],
            "columns": list(columns),
            "cells": [list(cells.values()) for cells in found.values()],
        },
    )
    right = [named(each) for each, cells in found.items() if not any(cells.values())]
    if right:
        return refuted(claim, f"all holds in the reading: {right[0]}", evidence)
    fewest = min(sum(map(bool, cells.values())) for cells in found.values())
    text = f"each of the {len(found)} readings makes at least {fewest} of the {len(columns)} statements false"
    return established(claim.id, text, evidence, Basis.ALGEBRA)


@proves("eq-4-8/repaired")
def repaired(claim: Claim, effort: Effort, seed: int) -> Finding:
    """K <= ceil(d^2/4): M_1 = 0 and s_1 = g_0 = K. Otherwise s_p = g_0 + h_{p-1} also for p = M_1 + 1, where h is 0, so
    s_1 = K, and (6) gives h_p + 1 >= (h_{p-1} + 1)/lambda, which is (d) and (e) of Lemma G.3; as lambda >= 2, h_p <
    (h_{p-1} + 1)/2, so that h falls until it is 0. From s_{M_1+1} = g_0 on, s_{p+1} = ceil(s_p/2), so every phase
    removes an arm and the last one is 1; with a = s_p = 4k + r that is a <= 4c, which is (75), and 2(a - c) <= 6(b - c
    + 1) for r = 0, 1, 2, 3: 6k, 6k, 6k + 2, 6k + 4 against 6(k + 1), 6(k + 1), 6(k + 1), 6(k + 2)."""
    cells = judged(REPAIRED)
    wrong = {
        name: where
        for name, where in cells.items()
        if where and name not in ("Appendix B: M_1 = 4", "Appendix B: M = 10")
    }
    return tried(
        claim,
        one_line(repaired),
        [(name, wrong.get(name, "")) for name in (*STATEMENTS, "Appendix B: s_1, ..., s_10")],
        lambda case: f"{case[0]}: {case[1]}" if case[1] else "",
        f"statements on {len(GRID)} pairs (K, d)",
    )


# -- the budget ------------------------------------------------------------------------------------------------------


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


def too_many(indices: Indices) -> list[list[int]]:
    """Budgets and their pulls, for K = 36 and d = 6, with what (8) keeps: T' = 1 modulo M lcm(k) makes every ceiling as
    large as it can be."""
    arms, d = BROKEN
    plan = phases(arms, d, indices)
    period = plan.last * lcm(*(pulled_arms(each, min(d, each)) for each in plan.sizes[:-1]))
    totals = [turn * period + 1 + printed_reserve(arms, d, plan) for turn in (0, 1, 10, 10**6)]
    return [[total, most_pulls(arms, d, total, indices, printed_reserve)] for total in totals]


@proves("budget")
def budget(claim: Claim, effort: Effort, seed: int) -> Finding:
    """REFUTED where every reading of the indices pulls too often, so that it hangs on none of them."""
    found = {Indices(*bits): too_many(Indices(*bits)) for bits in product((0, 1), repeat=4)}
    rows = [[named(indices), *each] for indices, pairs in found.items() for each in pairs]
    title = f"K = {BROKEN[0]}, d = {BROKEN[1]}, what is kept as printed"
    shares = [[arms, d, f"{share(arms, d):.0%}"] for arms, d in SHARES]
    evidence: tuple[dict[str, Any], ...] = (
        {"kind": "text", "text": DIGITS},
        table(title, COLUMNS, rows),
        table(f"How many T up to {FAR} are too small, as printed", ["K", "d", "share"], shares),
    )
    if all(pulled > total for pairs in found.values() for total, pulled in pairs):
        first, last = found[PRINTED][0], found[PRINTED][-1]
        text = f"T = {first[0]}: {first[1]} pulls; {last[1]} for T = {last[0]}; too many in all {len(found)} readings"
        return refuted(claim, text, evidence)
    return Finding(claim.id, Verdict.CONSISTENT, "the pulls stay within some of these budgets", evidence)


@proves("budget/positive")
def positive(claim: Claim, effort: Effort, seed: int) -> Finding:
    """T' of the smallest budget that is enough for every arm once, and of the first ones from there on."""
    arms, d = BROKEN
    kept = printed_reserve(arms, d, phases(arms, d, PRINTED))
    rows = [[total, total - kept] for total in range(arms, kept + 3)]
    evidence = (table(f"K = {arms}, d = {d}", ["T", "T'"], rows),)
    least = max((total for total, left in rows if left < 1), default=0)
    if least:
        return refuted(claim, f"T' = {least - kept} for T = {least}, which is at least K = {arms}", evidence)
    return established(claim.id, f"T' >= 1 from T = K = {arms} on", evidence, Basis.ALGEBRA)


@proves("eq-4-8/m-1")
def none_left(claim: Claim, effort: Effort, seed: int) -> Finding:
    """M_1 of (8) for few arms, and s_1, wherever N begins."""
    rows = []
    for arms, d in ((3, 3), (4, 4), (16, 8)):
        for start in (1, 0):
            plan = phases(arms, d, PRINTED._replace(start=start))
            rows.append([arms, d, "0, 1, ..." if start == 0 else "1, 2, ...", plan.first_stage, plan.sizes[0]])
    evidence = (table("K <= ceil(d^2/4)", ["K", "d", "N", "M_1", "s_1"], rows),)
    if all(row[3] == 1 for row in rows[::2]):
        return refuted(claim, "M_1 = 1 in every case of the table, and s_1 = K; M_1 = 0 makes s_1 too small", evidence)
    return Finding(claim.id, Verdict.CONSISTENT, "M_1 = 0 in a case of the table", evidence)


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


@proves("budget/repaired")
def budget_repaired(claim: Claim, effort: Effort, seed: int) -> Finding:
    """For integers ceil(T'/(M k)) <= (T' + M k - 1)/(M k), so a phase that pulls k arms takes at most
    T'/M + k - 1/M, and all M of them T' + sum k - 1. A phase pulls k = d_p arms (one, where d_p is 0), or all s_p where
    s_p <= d_p^2: so k <= min(s_p, d^2), and T' + sum k <= T. At least one pull is left."""
    return tried(claim, one_line(budget_repaired), budgets(), wrong_budget, "budgets, over all ranks of all phases")


# -- how many phases -------------------------------------------------------------------------------------------------


def wrong_order(case: tuple[int, int]) -> str:
    arms, d = case
    bound = ceil(log(d)) + (quarter(d) - 1).bit_length() + 2
    worst = max(phases(arms, d, each).last for each in (PRINTED, REPAIRED))
    return "" if worst <= bound else f"K = {arms}, d = {d}: M = {worst}, the bound is {bound}"


@proves("phases/order")
def order(claim: Claim, effort: Effort, seed: int) -> Finding:
    """(6): h_i < (h_{i-1} + 1)/lambda, so h_i < h_0/lambda^i + 1/(lambda - 1) <= h_0/lambda^i + 1. For i = ceil(log
    d) the first term is at most 1 by (4), so h_i <= 1, and h_{i+1} <= ceil(2/lambda) - 1 = 0. (5): g_i = 1 for
    i = ceil(log_2 g_0). So M_1 <= ceil(log d) + 1, and the second stage adds at most ceil(log_2 ceil(d^2/4)) + 1."""
    return tried(claim, one_line(order), GRID, wrong_order, "pairs (K, d)")


def wrong_growth(case: tuple[int, int]) -> str:
    arms, d = case
    least = min(phases(arms, d, each).last for each in (PRINTED, REPAIRED))
    return "" if 2**least >= d else f"K = {arms}, d = {d}: M = {least}"


@proves("phases/theta")
def growing(claim: Claim, effort: Effort, seed: int) -> Finding:
    """g_0 = min(K, ceil(d^2/4)) >= d for K >= d >= 3, and halving it takes ceil(log_2 g_0) steps; M is at least that
    in both readings ((8) subtracts 1 from a sum with M_1 >= 1). For d = 2, M >= 1."""
    return tried(claim, one_line(growing), [c for c in GRID if c[0] >= c[1]], wrong_growth, "pairs (K, d) with K >= d")


@proves("phases/theta/few-arms")
def few_arms(claim: Claim, effort: Effort, seed: int) -> Finding:
    """K = 3 <= ceil(d^2/4) for d >= 3: g_0 = 3 and h_0 = 0 do not depend on d, and lambda = 2 by (4)."""
    rows = [[d, *(phases(3, d, each).last for each in (PRINTED, REPAIRED))] for d in (3, 10, 100, 10**4, 10**8)]
    evidence = (table("M for K = 3", ["d", "printed", "repaired"], rows),)
    if all(row[1:] == [2, 2] for row in rows):
        return refuted(claim, one_line(few_arms) + " So M = 2 for every d, and log d grows.", evidence)
    return Finding(claim.id, Verdict.CONSISTENT, "M grows with d", evidence)


# -- Max-Det and the noise -------------------------------------------------------------------------------------------


def wrong_collection(vectors: Sequence[Vector]) -> str:
    """Of every Max-Det collection: it spans; and none of its vectors can be left out."""
    d = len(vectors[0])
    for chosen in maximisers(vectors):
        if len(chosen) != d or not size(vectors, chosen):
            return f"collection {chosen} of {len(chosen)}, in {d} dimensions"
    return ""


@proves("max-det/noise")
def fewest(claim: Claim, effort: Effort, seed: int) -> Finding:
    """A collection determines all means only if it spans what all features span, so it has at least d_p arms; a Max-Det
    collection has d_p, with det != 0. T'/M pulls divided evenly among k arms are T'/(M k) for each, and the scale of
    the noise (11) at each of them is M k/(eps T'), which is least for k = d_p."""
    return tried(claim, one_line(fewest), sets(25, seed, 3), wrong_collection, "sets of rational vectors")


@proves("max-det/variance")
def variance(claim: Claim, effort: Effort, seed: int) -> Finding:
    """The largest sum_j alpha_{i,j}^2 of every collection of the named set."""
    vectors: list[Vector] = [tuple(map(Fraction, vector)) for vector in TIED]
    best = maximisers(vectors)
    spread: dict[tuple[int, ...], Fraction] = {
        chosen: max(sum((b * b for b in solved(vectors, chosen, each)), Fraction(0)) for each in vectors)
        for chosen in combinations(range(len(vectors)), 2)
        if size(vectors, chosen)
    }
    rows = [[str(c), str(size(vectors, c)), "yes" if c in best else "no", str(spread[c])] for c in spread]
    evidence = (table(f"Collections of {TIED}", ["places", "|det|", "Max-Det", "largest variance, in units"], rows),)
    least = min(spread.values())
    if min(spread[chosen] for chosen in best) <= least:
        return refuted(claim, "a Max-Det collection has the least variance", evidence)
    text = f"{float(least):.4f} is the least of the largest variances; Max-Det collections have at least "
    return established(claim.id, f"{text}{float(min(spread[c] for c in best)):.4f}", evidence, Basis.ALGEBRA)
