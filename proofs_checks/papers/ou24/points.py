"""Search at listed points, for statements about sums that no interval arithmetic over boxes can follow.

A point gives every variable an exact number; integers are to count with, as terms are. Doubles
screen all points; the tightest ones are decided in interval arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpbandits.proofs_checks.checker.expressions import MAX_EXPRESSION_SIZE
from dpbandits.proofs_checks.checker.verification import verify
from dpbandits.proofs_checks.formulas.certificates import formula_certificate
from dpbandits.proofs_checks.formulas.integer_operands import with_integer_operands
from dpbandits.proofs_checks.vocabularies.decimals import decimal_text
from dpbandits.proofs_checks.vocabularies.intervals import Intervals, certainly_at_most, certainly_less
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.claims.findings import nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Inequality, Verdict
from dpbandits.reference.claims.records import Cell, certificate_item

FormulaPoint = Mapping[str, int | Fraction]
DECIDED = 3  # so many of the tightest points are decided in intervals
m = Intervals(25)


def search(claim: Claim, points: Iterable[FormulaPoint], raw: frozenset[str] = frozenset()) -> Finding:
    """REFUTED at one of the points, or CONSISTENT with the tightest ones. raw: variables that the formulas convert
    themselves, because they count with them. Points where a precondition fails, or may fail, are left out."""
    says = claim.says
    if not isinstance(says, Inequality):
        raise TypeError(
            f"{claim.id}: only an Inequality can be searched for a violated point, not {type(says).__name__}"
        )
    admitted = [point for point in points if applies(says, point, raw)]
    if not admitted:
        return Finding(claim.id, Verdict.NOT_EXERCISED, "the preconditions hold at none of the points")
    order = sorted(admitted, key=lambda point: slack(says, point, raw))
    rows: list[list[Cell]] = []
    for point in order[:DECIDED]:
        given = prepared(m, point, raw)
        left, right = m.of(says.left(m, **given)), m.of(says.right(m, **given))
        if certainly_at_most(right, left) if says.strict else certainly_less(right, left):
            return refuted(claim, point, raw, left, right)
        rows.append([*(decimal_text(Fraction(value), 6) for value in point.values()), left.middle, right.middle])
    table = table_item("The tightest of the points searched", [*order[0], nearest("left"), nearest("right")], rows)
    tightest = slack(says, order[0], raw)
    return Finding(
        claim.id,
        Verdict.CONSISTENT,
        f"not refuted at {len(admitted)} points; smallest relative slack {tightest:.3g}",
        (table,),
        f"any violation beyond the rounding of doubles at one of {len(admitted)} points",
    )


def prepared(context: Any, point: FormulaPoint, raw: frozenset[str]) -> dict[str, Any]:
    counts = counting_variables(point, raw)
    rest = {
        name: value if name in raw else context.number(value) for name, value in point.items() if name not in counts
    }
    return with_integer_operands(context, {name: point[name] for name in counts}, counts) | rest


def counting_variables(point: FormulaPoint, raw: frozenset[str]) -> frozenset[str]:
    """The variables to count with."""
    return frozenset(name for name, value in point.items() if isinstance(value, int) and name not in raw)


def applies(says: Inequality, point: FormulaPoint, raw: frozenset[str]) -> bool:
    given = prepared(m, point, raw)
    return all(certainly_at_most(m.of(p(m, **given)), m.of(q(m, **given))) for p, q in says.given)


def slack(says: Inequality, point: FormulaPoint, raw: frozenset[str]) -> float:
    """(right - left)/(|left| + |right|) in doubles; 0 where both are 0."""
    given = prepared(doubles, point, raw)
    left, right = float(says.left(doubles, **given)), float(says.right(doubles, **given))
    size = abs(left) + abs(right)
    return (right - left) / size if size else 0.0


def refuted(claim: Claim, point: FormulaPoint, raw: frozenset[str], left: Any, right: Any) -> Finding:
    """With a certificate where the sums can be written out: plain numbers of terms, and not too many."""
    whole = {name: value for name, value in point.items() if isinstance(value, int)}
    rest = {name: value for name, value in point.items() if name not in whole}
    where = ", ".join(f"{name} = {decimal_text(Fraction(value), 12)}" for name, value in point.items())
    finding = Finding(
        claim.id,
        Verdict.REFUTED,
        f"violated at {where}: left = {left.middle:.8g}, right = {right.middle:.8g}",
        rests_on=(Basis.INTERVALS,),
    )
    if raw & set(rest):
        return finding
    certificate = formula_certificate(claim, rest, whole, counting_variables(point, raw))
    if max(len(certificate["left"]), len(certificate["right"])) > MAX_EXPRESSION_SIZE:
        return finding
    check = verify(certificate)
    if not check.ok:
        raise AssertionError(
            f"claim {claim.id}: the checker rejects the certificate that dpbandits wrote (an error in "
            f"dpbandits): {'; '.join(check.lines)}"
        )
    return replace(finding, evidence=(certificate_item(certificate),))
