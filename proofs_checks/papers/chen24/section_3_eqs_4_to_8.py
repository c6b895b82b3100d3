"""The readings of (4) to (8), compared with the paper's statements about them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from string import ascii_lowercase

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import one_line
from dpbandits.proofs_checks.papers.chen24.evidence import refuted, tried
from dpbandits.proofs_checks.papers.chen24.sizes import EXAMPLE, GRID, SIZES
from dpbandits.reference.claims.findings import table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.claims.records import Item, text_item
from dpbandits.reference.papers.chen24.algorithms.parameters import (
    APPENDIX_B,
    PRINTED,
    REPAIRED,
    Indices,
    Phases,
    growth,
    phases,
    quarter,
)
from dpbandits.reference.papers.chen24.page import page

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
    evidence: tuple[Item, ...] = (
        text_item(f"{DIGITS} The statements: {legend}."),
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
    text = f"Each of the {len(found)} readings makes at least {fewest} of the {len(columns)} statements false."
    return established(claim.id, text, evidence, Basis.ALGEBRA)


@proves("eq-4-8/repaired")
def repaired(claim: Claim, effort: Effort, seed: int) -> Finding:
    """If K <= ceil(d^2/4), then M_1 = 0 and s_1 = g_0 = K. Otherwise s_p = g_0 + h_{p-1} also holds for p = M_1 + 1,
    because h_{M_1} = 0. So s_1 = K, and (6) gives h_p + 1 >= (h_{p-1} + 1)/lambda, which is (d) and (e) of Lemma G.3.
    As lambda >= 2, h_p < (h_{p-1} + 1)/2, so h decreases until it is 0. From s_{M_1+1} = g_0 on, s_{p+1} = ceil(s_p/2),
    so every phase removes an arm and the last size is 1. Let a = s_p = 4k + r with r = 0, 1, 2 or 3, b = s_{p+1} and c
    = s_{p+2}. Then a <= 4c, which is (75). Moreover, 2(a - c) <= 6(b - c + 1). For r = 0, 1, 2 and 3, the left side is
    6k, 6k, 6k + 2 and 6k + 4, and the right side is 6(k + 1), 6(k + 1), 6(k + 1) and 6(k + 2)."""
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


@proves("eq-4-8/m-1")
def none_left(claim: Claim, effort: Effort, seed: int) -> Finding:
    """M_1 of (8) for few arms, and s_1, wherever N begins."""
    rows = []
    for arms, d in ((3, 3), (4, 4), (16, 8)):
        for start in (1, 0):
            plan = phases(arms, d, PRINTED._replace(start=start))
            rows.append([arms, d, "0, 1, ..." if start == 0 else "1, 2, ...", plan.first_stage, plan.sizes[0]])
    evidence = (table_item("K <= ceil(d^2/4)", ["K", "d", "N", "M_1", "s_1"], rows),)
    if all(row[3] == 1 for row in rows[::2]):
        return refuted(
            claim, "In every case of the table, M_1 = 1 and s_1 = K. With M_1 = 0, s_1 is too small.", evidence
        )
    return Finding(claim.id, Verdict.CONSISTENT, "M_1 = 0 in a case of the table", evidence)
