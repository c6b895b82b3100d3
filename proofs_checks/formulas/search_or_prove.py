"""Checks a formula numerically: searches for a counterexample, then tries to prove it by branch and bound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain, product
from typing import NamedTuple

import numpy as np

from dpbandits.proofs_checks.formulas.branch_and_bound import FAILURES, Proof, prove_by_subdivision
from dpbandits.proofs_checks.formulas.conclusions import Investigation, conclude_search, refuted_finding
from dpbandits.proofs_checks.formulas.counterexample_search import (
    CLEAR,
    SearchResult,
    digit_count,
    exact_points,
    reading_difficulty,
    search_counterexample,
)
from dpbandits.proofs_checks.formulas.domains import Axis, axes_of, categorical_cases
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.statement import (
    TOO_LONG,
    ExactEvaluation,
    Statement,
    at_point,
    count_operations,
    counting_axes,
    counting_values,
    shown_point,
)
from dpbandits.proofs_checks.vocabularies.expressions import text
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.claims.model import Claim, Finding, Identity, Inequality, Verdict

NOT_TRIED = Proof(0.0, 0.0, 0, False, False)


LONG_FORMULA_OPERATIONS = 10_000  # operations of one evaluation: longer choices are left out where shorter ones exist
# Where no violation that the search found has a certificate: so many points are looked at, and so many violations tried
FEW_POINTS, MODERATE_POINTS = 256, 8
FEWEST_BOXES = 32  # each round of subdivision has a fixed cost


def search_or_prove(claim: Claim, effort: Effort | None = None, seed: int = 0) -> Finding:
    """The finding about an Inequality or an Identity, from a numerical search and then a proof by subdivision.
    Raises TypeError for a claim of another kind."""
    effort = effort or Effort()
    says = claim.says
    if not isinstance(says, Inequality | Identity):
        raise TypeError(
            f"claim {claim.id}: the statement has type {type(says).__name__}, but search_or_prove checks only "
            "statements of type Inequality or Identity"
        )
    axes, others = axes_of(says.over)
    empty = [axis.name for axis in axes if axis.empty] + [name for name, values in others.items() if not values]
    if empty:
        summary = f"the domain is empty: no value of {', '.join(empty)}"
        return Finding(claim.id, Verdict.NOT_EXERCISED, summary)
    try:
        parts = parts_of(says, axes, others, np.random.default_rng(address(seed, claim.id)))
    except FAILURES as error:
        return not_evaluable(claim, error)
    if max(parts.work) > TOO_LONG:
        summary = f"one evaluation of the formula takes more than {TOO_LONG} operations"
        return Finding(claim.id, Verdict.UNSUPPORTED, summary)
    effort, runs = effort.scaled(sum(parts.work)), []
    for number, part in enumerate(parts.statements):
        rng = np.random.default_rng(address(seed, claim.id, number))
        try:
            investigation = investigate_part(part, parts.axes, effort, rng)
        except FAILURES as error:
            return not_evaluable(claim, error)
        run = certified_finding(claim, part, parts.axes, investigation, rng)
        if isinstance(run, Finding):
            return run
        runs.append(run)
    return conclude_search(claim, runs, effort, parts.everything)


def not_evaluable(claim: Claim, error: Exception) -> Finding:
    """The finding UNSUPPORTED for a formula whose evaluation raises this error."""
    summary = f"the formula cannot be evaluated: {type(error).__name__}: {error}"
    return Finding(claim.id, Verdict.UNSUPPORTED, summary)


class StatementParts(NamedTuple):
    """A formula over its domain, part by part. statements: one for each choice of the non-numeric variables. axes: the
    domain of the others. work: operations of one evaluation of each. everything: whether all choices are included."""

    statements: list[Statement]
    axes: list[Axis]
    work: list[int]
    everything: bool


def parts_of(
    statement: Inequality | Identity,
    axes: list[Axis],
    others: Mapping[str, tuple[object, ...]],
    rng: np.random.Generator,
) -> StatementParts:
    """The statements that a search examines: one for each choice of the formula's non-numeric and counting variables.
    Long ones are left out if shorter ones exist. Raises FAILURES for a formula that cannot be evaluated."""
    counted = counting_axes(Statement(statement, next(categorical_cases(others))), axes)
    choices: list[dict[str, int]] = [{}]
    everything = True
    if counted:
        choices, everything = counting_values(counted, rng)
        axes = [axis for axis in axes if axis not in counted]
    names = frozenset(axis.name for axis in counted)
    statements = [
        Statement(statement, {**other, **choice}, names)
        for other, choice in product(categorical_cases(others), choices)
    ]
    work = [count_operations(part, axes) for part in statements]
    if len(statements) > 1 and min(work) <= LONG_FORMULA_OPERATIONS < max(work):
        statements = [part for part, size in zip(statements, work, strict=True) if size <= LONG_FORMULA_OPERATIONS]
        work, everything = [size for size in work if size <= LONG_FORMULA_OPERATIONS], False
    return StatementParts(statements, axes, work, everything)


def certified_finding(
    claim: Claim, part: Statement, axes: list[Axis], run: Investigation, rng: np.random.Generator
) -> Investigation | Finding:
    """The finding REFUTED if a violation that the search found has a valid certificate; otherwise the search's result,
    with the reason why no certificate is valid."""
    more = moderate_violations(part, axes, rng) if run.bad and run.seen is not None else ()
    for exact in chain(run.bad, more):
        finding = refuted_finding(claim, part, exact.point)
        if isinstance(finding, Finding):
            return finding
        because = f"a violation at {shown_point(exact.point, part.fixed)} is not certified: {finding}"
        run = replace(run, because=because)
    return run


def moderate_violations(statement: Statement, axes: list[Axis], rng: np.random.Generator) -> Iterator[ExactEvaluation]:
    """Violations at a few points of the domain, those that are easy to read first. Where a formula fails by most, its
    numbers may be too large for a certificate, and a long search keeps only such points."""
    seen = search_counterexample(statement.slack, axes, FEW_POINTS, 0, rng)
    clear = seen.points[seen.slack <= CLEAR]
    for row in clear[reading_difficulty(clear).argsort(kind="stable")[:MODERATE_POINTS]]:
        if (point := exact_points(row, axes)) is not None and (exact := at_point(statement, point)).violated:
            yield exact


def investigate_part(statement: Statement, axes: list[Axis], effort: Effort, rng: np.random.Generator) -> Investigation:
    """Searches one part of a statement for violations, and tries to prove it if there are none."""
    if not axes:
        return evaluate_at_point(statement)
    because, seen = "", None
    try:
        seen = search_counterexample(statement.slack, axes, effort.points, effort.rounds, rng)
        candidates = [*points_to_check(seen, effort.exact), *seen.strange[: effort.exact // 2]]
    except FAILURES as error:
        because = f"the formula cannot be evaluated on arrays ({type(error).__name__}: {error})"
        candidates = [np.array([axis.sample(rng, 1)[0] for axis in axes]) for _ in range(effort.exact)]
    looked = [at_point(statement, point) for row in candidates if (point := exact_points(row, axes)) is not None]
    bad = [exact for exact in looked if exact.violated]
    undefined = tuple(exact for exact in looked if exact.undefined and exact.applies)
    defined = [exact for exact in looked if exact.applies and not exact.undefined]
    tightest = min(defined, key=lambda exact: exact.slack, default=None)
    if bad:
        chosen = (simplest_violation(statement, bad, axes), *sorted(bad, key=lambda exact: exact.slack)[:4])
        return Investigation(chosen, NOT_TRIED, tightest, seen, undefined, False, because)
    proof, violation = prove_or_refute(statement, axes, effort)
    if violation is not None:
        return Investigation((violation,), proof, violation, seen, undefined, False, because)
    same = statement.says.sign == "==" and same_text(statement, axes)
    return Investigation((), proof, tightest, seen, undefined, same, because)


def evaluate_at_point(statement: Statement) -> Investigation:
    """The investigation of a statement without variables: a single exact evaluation decides it."""
    exact = at_point(statement, {})
    settled = not exact.violated and (exact.applies is False or (exact.holds and not exact.undefined))
    proof = Proof(float(settled), float(exact.undefined), 1, settled, True, applied=exact.applies is not False)
    unclear = (exact,) if exact.undefined and exact.applies else ()
    tightest = None if unclear or exact.applies is False else exact
    same = statement.says.sign == "==" and same_text(statement, [])
    return Investigation((exact,) if exact.violated else (), proof, tightest, None, unclear, same)


def prove_or_refute(statement: Statement, axes: list[Axis], effort: Effort) -> tuple[Proof, ExactEvaluation | None]:
    """Tries to prove a statement by subdivision; returns the proof, and a violation found on the way (None if none).
    If the statement holds exactly at all of these points, and nothing else remains, the proof is complete."""
    if effort.boxes < FEWEST_BOXES:
        return replace(NOT_TRIED, because="the formula is too long for a proof by subdivision"), None
    proof = prove_by_subdivision(statement.demands, statement.given, statement.strict, axes, effort.boxes)
    if not proof.points:
        return proof, None
    exacts = [at_point(statement, point) for point in proof.points[: 16 * effort.exact]]
    if violation := next((exact for exact in exacts if exact.violated), None):
        return proof, violation
    settled = all(e.applies is False or (e.holds and not e.undefined) for e in exacts)
    if proof.but_points and settled and len(exacts) == len(proof.points):
        applied = proof.applied or any(e.applies is not False for e in exacts)
        proof = replace(proof, complete=True, closed=1.0, points=(), applied=applied)
    return proof, None


def points_to_check(search: SearchResult, count: int) -> list[Array]:
    """Returns the points to check exactly: those with the smallest slack, and violations that are easy to read."""
    worst = list(search.points[:count])
    clear = search.points[search.slack <= CLEAR]
    return worst + list(clear[reading_difficulty(clear).argsort(kind="stable")[:count]])


def simplest_violation(statement: Statement, bad: list[ExactEvaluation], axes: list[Axis]) -> ExactEvaluation:
    """A violation with a clear gap whose point has few digits, chosen among the violations `bad`."""
    worst = min(exact.slack for exact in bad)
    enough = max(worst / 2, CLEAR)
    chosen = min(
        (e for e in bad if e.slack <= enough), key=lambda e: sum(map(digit_count, map(float, e.point.values())))
    )
    enough = max(chosen.slack / 2, CLEAR)
    names = [axis.name for axis in axes]
    for group in [names, *([name] for name in names)]:
        for digits in range(1, 12):
            row = np.array([float(chosen.point[name]) for name in names])
            short = exact_points(row, axes, digits)
            if short is None:
                continue
            trial = at_point(statement, {**chosen.point, **{name: short[name] for name in group}})
            if trial.violated and trial.slack <= enough:
                chosen = trial
                break
    return chosen


def same_text(statement: Statement, axes: list[Axis]) -> bool:
    """Whether both sides of an identity have literally the same source text."""
    try:
        left, right = statement.sides(text, {axis.name: text.variable(axis.name) for axis in axes})
        return text.source(left) == text.source(right)
    except FAILURES:
        return False
