"""The mathematical judge of formulas: hunts for a counterexample, then tries to prove by branch and bound.

REFUTED needs interval arithmetic at one exact point, and carries a certificate. PROVED needs interval
arithmetic over the whole domain. Everything else is CONSISTENT, with the share that was proved and the
smallest slack found. A point where a side is not defined (a logarithm of a negative number) neither refutes
nor proves: it is reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from dpbandits.proofs_checks.certificates import verify
from dpbandits.proofs_checks.judge.cost import Tally, TooLong
from dpbandits.proofs_checks.judge.counts import with_counts
from dpbandits.proofs_checks.judge.domains import Axis, axes_of, cases, written
from dpbandits.proofs_checks.judge.effort import Effort
from dpbandits.proofs_checks.judge.hunt import CLEAR, Hunt, exact_points, hardness, hunt, plainness, relative_slack
from dpbandits.proofs_checks.judge.prover import FAILURES, Proof, prove
from dpbandits.proofs_checks.judge.refutations import formula_certificate
from dpbandits.proofs_checks.vocabulary.contexts import fp, text
from dpbandits.proofs_checks.vocabulary.decimals import decimal
from dpbandits.proofs_checks.vocabulary.intervals import Defined, Interval
from dpbandits.proofs_checks.vocabulary.rational import at_most, enclosed, points
from dpbandits.reference.ledger import Basis, Claim, Finding, Formula, Identity, Inequality, Side, Verdict, established
from dpbandits.reference.noise import address

NOT_TRIED = Proof(0.0, 0.0, 0.0, 0, False, False)


NONE: frozenset[str] = frozenset()
SMALL_COUNTS, MOST_COUNTS = 40, 150  # formulas that count with n take time proportional to n
LARGE_COUNTS = (50, 100, 200, 500, 1000, 2000)
# Operations of one evaluation: left out where shorter choices exist, refused, and too many for a certificate.
LONG, TOO_LONG, WRITABLE = 10_000, 1_500_000, 4_000
FEWEST_BOXES = 32  # each round of subdivision has a fixed cost


class Statement:
    """An Inequality or Identity with the variables that are no numbers filled in: left <= right demands."""

    def __init__(self, says: Inequality | Identity, fixed: Mapping[str, Any], counts: frozenset[str] = NONE):
        self.says = says
        self.fixed = fixed
        self.counts = counts  # the fixed variables that are whole numbers to count with
        self.strict = says.strict
        self.within = Fraction(written(says.within))

    def every(self, m: Any, variables: Mapping[str, Any]) -> dict[str, Any]:
        return {**with_counts(m, self.fixed, self.counts), **variables}

    def sides(self, m: Any, variables: Mapping[str, Any]) -> tuple[Any, Any]:
        return both(self.says.left, self.says.right, m, self.every(m, variables))

    def demands(self, m: Any, variables: Mapping[str, Any]) -> list[tuple[Any, Any]]:
        """The pairs (left, right) with left <= right that make up the statement."""
        left, right = self.sides(m, variables)
        if self.says.sign != "==":
            return [(left, right)]
        within = m.number(self.within)
        return [(left, right + within), (right, left + within)]

    def given(self, m: Any, variables: Mapping[str, Any]) -> list[tuple[Any, Any]]:
        every = self.every(m, variables)
        return [both(p, q, m, every) for p, q in self.says.given]

    def slack(self, variables: Mapping[str, Any]) -> tuple[Any, Any]:
        """In doubles: the relative slack, and whether the preconditions hold."""
        holds: Any = True
        for p, q in self.given(fp, variables):
            holds = holds & np.less_equal(p, q)
        return relative_slack(self.demands(fp, variables)), holds


def both(left: Formula, right: Formula, m: Any, variables: Mapping[str, Any]) -> tuple[Any, Any]:
    """The values of two formulas; the two sides of one function are evaluated once."""
    if isinstance(left, Side) and right == Side(left.function, 1) and left.place == 0:
        first, second = left.function(m, **variables)
        return first, second
    return left(m, **variables), right(m, **variables)


@dataclass(frozen=True)
class Exact:
    """A statement at one exact point. slack: relative, the smallest over its demands, to about 15 digits."""

    point: Mapping[str, Fraction]
    applies: bool | None  # None: the preconditions cannot be decided
    violated: bool
    holds: bool
    undefined: bool
    slack: float


def at_point(statement: Statement, point: Mapping[str, Fraction]) -> Exact:
    """The statement at one exact point, judged in rational and 50-digit interval arithmetic."""
    variables = {name: points.number(value) for name, value in point.items()}
    applies: bool | None = True
    for p, q in statement.given(points, variables):
        if at_most(q, p, strictly=True) or nowhere(p) or nowhere(q):
            return Exact(point, False, False, True, False, float("inf"))
        applies = applies if at_most(p, q) else None
    violated, holds, undefined, slack = False, True, False, float("inf")
    for left, right in statement.demands(points, variables):
        undefined |= nowhere(left) or nowhere(right)
        violated |= at_most(right, left, strictly=not statement.strict)
        holds &= at_most(left, right, strictly=statement.strict)
        if not undefined:
            slack = min(slack, relative(enclosed(left), enclosed(right)))
    return Exact(point, applies, violated and applies is True, holds, undefined, slack)


def nowhere(value: Any) -> bool:
    return enclosed(value).defined == Defined.NOWHERE


def relative(left: Interval, right: Interval) -> float:
    """(right - left)/(|left| + |right|) of the enclosures, roughly: a number to show."""
    size, gap = abs(left) + abs(right), right - left
    if size.low == size.high == 0:
        return 0.0
    low, high = (gap / size).bounds
    if not np.isfinite(low) or not np.isfinite(high):
        return float("inf")
    return low / 2 + high / 2 if high - low < 0.01 else 0.0  # 0.0: rounding hides it, even at 50 digits


def judge_formula(claim: Claim, effort: Effort | None = None, seed: int = 0) -> Finding:
    """Judge a claim whose statement is an Inequality or an Identity. Raises TypeError for others."""
    effort = effort or Effort()
    says = claim.says
    if not isinstance(says, Inequality | Identity):
        raise TypeError(f"claim {claim.id}: judge_formula judges Inequality and Identity, not {type(says).__name__}")
    axes, others = axes_of(says.over)
    empty = [axis.name for axis in axes if axis.empty] + [name for name, values in others.items() if not values]
    if empty:
        summary = f"the domain is empty: no value of {', '.join(empty)}"
        return Finding(claim.id, Verdict.NOT_EXERCISED, summary)
    try:
        counted = counting(Statement(says, next(cases(others))), axes)
    except FAILURES as error:
        summary = f"the formula cannot be evaluated: {type(error).__name__}: {error}"
        return Finding(claim.id, Verdict.UNSUPPORTED, summary)
    choices: list[dict[str, int]] = [{}]
    everything = True
    if counted:
        choices, everything = combinations(counted, np.random.default_rng(address(seed, claim.id)))
        axes = [axis for axis in axes if axis not in counted]
    runs, names = [], frozenset(axis.name for axis in counted)
    parts = [Statement(says, {**other, **choice}, names) for other, choice in product(cases(others), choices)]
    try:
        work = [operations(part, axes) for part in parts]
    except FAILURES as error:
        summary = f"the formula cannot be evaluated: {type(error).__name__}: {error}"
        return Finding(claim.id, Verdict.UNSUPPORTED, summary)
    if len(parts) > 1 and min(work) <= LONG < max(work):
        parts = [part for part, size in zip(parts, work, strict=True) if size <= LONG]
        work, everything = [size for size in work if size <= LONG], False
    if max(work) > TOO_LONG:
        summary = f"one evaluation of the formula takes more than {TOO_LONG} operations"
        return Finding(claim.id, Verdict.UNSUPPORTED, summary)
    effort = effort.scaled(sum(work))
    for number, part in enumerate(parts):
        rng = np.random.default_rng(address(seed, claim.id, number))
        try:
            run = investigate(part, axes, effort, rng)
        except FAILURES as error:
            summary = f"the formula cannot be evaluated: {type(error).__name__}: {error}"
            return Finding(claim.id, Verdict.UNSUPPORTED, summary)
        for exact in run.bad:
            finding = refuted(claim, part, exact.point)
            if isinstance(finding, Finding):
                return finding
            because = f"a violation at {shown_point(exact.point, part.fixed)} is not certified: {finding}"
            run = replace(run, because=because)
        runs.append(run)
    return concluded(claim, runs, effort, everything)


def operations(statement: Statement, axes: list[Axis]) -> int:
    """The work of one evaluation; TOO_LONG + 1 where it is more than TOO_LONG."""
    tally = Tally(TOO_LONG)
    variables = {axis.name: tally.token for axis in axes}
    try:
        statement.given(tally, variables)
        statement.demands(tally, variables)
    except TooLong:
        return TOO_LONG + 1
    return tally.operations


def counting(statement: Statement, axes: list[Axis]) -> list[Axis]:
    """The whole-number axes, if the formulas need plain integers there (range(n), comb(n, k), a list's
    index)."""
    tally = Tally(TOO_LONG)
    variables = {axis.name: tally.token for axis in axes}
    try:
        statement.given(tally, variables)
        statement.demands(tally, variables)
    except TooLong:
        return []
    except TypeError:
        whole = [axis for axis in axes if axis.whole or all(value.denominator == 1 for value in axis.values)]
        whole = [axis for axis in whole if axis.whole or axis.values]
        if not whole:
            raise
        return whole
    return []


def combinations(axes: list[Axis], rng: np.random.Generator) -> tuple[list[dict[str, int]], bool]:
    """Values to count with: all combinations where they are few, else small ones and random ones."""
    ranges = []
    complete = True
    for axis in axes:
        values = [int(value) for value in axis.values]
        if not values:
            first = int(axis.low)
            last = min(axis.high, first + SMALL_COUNTS)
            complete &= last == axis.high
            values = [*range(first, int(last) + 1), *(n for n in LARGE_COUNTS if last < n <= axis.high)]
        ranges.append(values)
    total = int(np.prod([float(len(values)) for values in ranges]))
    names = [axis.name for axis in axes]
    if total <= MOST_COUNTS:
        return [dict(zip(names, choice, strict=True)) for choice in product(*ranges)], complete
    few = [values[: max(2, int(MOST_COUNTS ** (1 / len(axes)) / 2))] for values in ranges]
    picked = set(product(*few))
    while len(picked) < MOST_COUNTS:
        picked.add(tuple(values[int(rng.integers(len(values)))] for values in ranges))
    return [dict(zip(names, choice, strict=True)) for choice in sorted(picked)], False


@dataclass(frozen=True)
class Investigation:
    """What one choice of the non-numeric variables gave."""

    bad: tuple[Exact, ...]  # violations in intervals, the easiest to read first
    proof: Proof
    tightest: Exact | None
    seen: Hunt | None
    undefined: tuple[Exact, ...]
    same_text: bool
    because: str = ""


def investigate(statement: Statement, axes: list[Axis], effort: Effort, rng: np.random.Generator) -> Investigation:
    because, seen = "", None
    if not axes:
        exact = at_point(statement, {})
        settled = not exact.violated and (exact.applies is False or (exact.holds and not exact.undefined))
        void = 1.0 if exact.applies is False else 0.0
        applied = exact.applies is not False
        proof = Proof(float(settled), void, float(exact.undefined), 1, settled, True, applied=applied)
        unclear = (exact,) if exact.undefined and exact.applies else ()
        tightest = None if unclear or exact.applies is False else exact
        same = statement.says.sign == "==" and same_text(statement, axes)
        return Investigation((exact,) if exact.violated else (), proof, tightest, None, unclear, same)
    try:
        seen = hunt(statement.slack, axes, effort.points, effort.rounds, rng)
        candidates = [*worth_checking(seen, effort.exact), *seen.strange[: effort.exact // 2]]
    except FAILURES as error:
        because = f"the formula cannot be evaluated on arrays ({type(error).__name__}: {error})"
        candidates = [np.array([axis.sample(rng, 1)[0] for axis in axes]) for _ in range(effort.exact)]
    looked = [at_point(statement, point) for row in candidates if (point := exact_points(row, axes)) is not None]
    bad = [exact for exact in looked if exact.violated]
    undefined = tuple(exact for exact in looked if exact.undefined and exact.applies)
    defined = [exact for exact in looked if exact.applies and not exact.undefined]
    tightest = min(defined, key=lambda exact: exact.slack, default=None)
    if bad:
        chosen = (simplest(statement, bad, axes), *sorted(bad, key=lambda exact: exact.slack)[:4])
        return Investigation(chosen, NOT_TRIED, tightest, seen, undefined, False, because)
    if effort.boxes >= FEWEST_BOXES:
        proof = prove(statement.demands, statement.given, statement.strict, axes, effort.boxes)
    else:
        proof = replace(NOT_TRIED, because="the formula is too long for a proof by subdivision")
    if proof.points:
        exacts = [at_point(statement, point) for point in proof.points[: 16 * effort.exact]]
        for exact in exacts:
            if exact.violated:
                return Investigation((exact,), proof, exact, seen, undefined, False, because)
        settled = all(e.applies is False or (e.holds and not e.undefined) for e in exacts)
        if proof.but_points and settled and len(exacts) == len(proof.points):
            applied = proof.applied or any(e.applies is not False for e in exacts)
            proof = replace(proof, complete=True, closed=1.0, points=(), applied=applied)
    same = statement.says.sign == "==" and same_text(statement, axes)
    return Investigation((), proof, tightest, seen, undefined, same, because)


def worth_checking(seen: Hunt, count: int) -> list[Any]:
    """The worst points, and among clear violations those of the most moderate magnitude."""
    worst = list(seen.points[:count])
    clear = seen.points[seen.slack <= CLEAR]
    return worst + list(clear[plainness(clear).argsort(kind="stable")[:count]])


def simplest(statement: Statement, bad: list[Exact], axes: list[Axis]) -> Exact:
    """A clear violation at a point that is easy to read: few digits, moderate magnitudes."""
    worst = min(exact.slack for exact in bad)
    enough = max(worst / 2, CLEAR)
    chosen = min((e for e in bad if e.slack <= enough), key=lambda e: sum(map(hardness, map(float, e.point.values()))))
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
    """Whether both sides of an identity are, letter by letter, the same expression."""
    try:
        left, right = statement.sides(text, {axis.name: text.variable(axis.name) for axis in axes})
        return text.source(left) == text.source(right)
    except FAILURES:
        return False


# -- what to say about it --------------------------------------------------------------------------------


def shown_point(point: Mapping[str, Fraction], fixed: Mapping[str, Any] | None = None) -> str:
    parts = [f"{name} = {decimal(value, 12)}" for name, value in point.items()]
    parts += [f"{name} = {value}" for name, value in (fixed or {}).items()]
    return ", ".join(parts) or "(no variables)"


def refuted(claim: Claim, statement: Statement, point: Mapping[str, Fraction]) -> Finding | str:
    """The finding for a violated statement, once its certificate is verified; else why it could not be."""
    size = operations(statement, [Axis(name, value, value, True) for name, value in point.items()])
    if size > WRITABLE:
        return f"with {size} operations the formula is too long to be written down"
    try:
        certificate = formula_certificate(claim, point, statement.fixed, statement.counts)
    except FAILURES as error:
        return f"no certificate can be written down ({type(error).__name__}: {error})"
    check = verify(certificate)
    if not check.ok:
        return "the checker of certificates does not follow: " + "; ".join(check.lines)
    left, right = certificate["left_enclosure"], certificate["right_enclosure"]
    relation = certificate["relation"]
    summary = (
        f"violated at {shown_point(point, statement.fixed)}: "
        f"left = {short(left)}, right = {short(right)}, claimed left {relation} right"
    )
    if relation == "==" and certificate["within"] != "0":
        summary += f" within {certificate['within']}"
    evidence = ({"kind": "certificate", "certificate": certificate},)
    return Finding(claim.id, Verdict.REFUTED, summary, evidence, rests_on=(Basis.INTERVALS,))


def short(enclosure: list[str]) -> str:
    return decimal(Fraction(enclosure[0]), 8) if "inf" not in "".join(enclosure) else f"[{', '.join(enclosure)}]"


def concluded(claim: Claim, runs: list[Investigation], effort: Effort, everything: bool) -> Finding:
    """The finding for a statement that was not refuted in any of its runs."""
    evidence: list[Mapping[str, Any]] = []
    undefined = [exact for run in runs for exact in run.undefined]
    if undefined:
        at = shown_point(undefined[0].point)
        evidence.append(words(f"The statement is undefined in part of its domain, for example at {at}."))
    for run in runs:
        if run.because or run.proof.because:
            evidence.append(words("Limited search: " + (run.because or run.proof.because) + "."))
            break
    if not everything:
        few = f"Of the whole-number variables, {len(runs)} combinations were tried, not all."
        evidence.append(words(few))
    looked = sum(run.proof.boxes for run in runs)
    if everything and all(run.proof.complete for run in runs):
        if not any(run.proof.applied for run in runs):
            return Finding(
                claim.id,
                Verdict.NOT_APPLICABLE,
                "the preconditions hold nowhere in the domain",
                tuple(evidence),
            )
        count = "1 box" if looked == 1 else f"{looked} boxes"
        summary = f"proved by interval arithmetic over the whole domain ({count})"
        return established(claim.id, summary, tuple(evidence), Basis.INTERVALS)
    if everything and all(run.same_text for run in runs) and not undefined:
        return established(claim.id, "both sides are the same expression", tuple(evidence), Basis.ALGEBRA)
    tightest = min((run.tightest for run in runs if run.tightest), key=lambda exact: exact.slack, default=None)
    if tightest is None:
        summary = "no point was found at which the preconditions hold and the statement is defined"
        return Finding(claim.id, Verdict.NOT_EXERCISED, summary, tuple(evidence))
    closed = min(sum(run.proof.closed for run in runs) / len(runs), 1 - 1e-9)
    tried = sum(run.seen.applicable for run in runs if run.seen) or effort.exact
    if claim.says.sign == "==" and not claim.says.within:  # type: ignore[union-attr]
        apart = max((abs(run.tightest.slack) for run in runs if run.tightest), default=0.0)
        summary = f"no difference found at {tried} points; 50-digit intervals overlap at every point looked at"
        resolution = f"a relative difference above {max(apart, 1e-45):.1e} at one of the points evaluated exactly"
    else:
        slack = f"{tightest.slack:.3g}"
        summary = (
            f"not refuted at {tried} points; {share(closed)} of the domain proved by interval arithmetic; "
            f"smallest relative slack {slack} at {shown_point(tightest.point)}"
        )
        resolution = f"any violation at one of {tried} points searched; {share(1 - closed)} of the domain is open"
        rows = [[decimal(value, 12) for value in tightest.point.values()] + [slack]]
        columns = [*tightest.point, "relative slack"]
        evidence.append({"kind": "table", "title": "Where it is tightest", "columns": columns, "rows": rows})
    return Finding(claim.id, Verdict.CONSISTENT, summary, tuple(evidence), resolution)


def share(part: float) -> str:
    """A share as a percentage that never rounds up to all or down to nothing."""
    if part <= 0 or part >= 1:
        return "0 %" if part <= 0 else "100 %"
    return f"{min(max(100 * part, 0.0001), 99.9999):.4g} %"


def words(sentence: str) -> dict[str, Any]:
    return {"kind": "text", "text": sentence}
