"""Checks certificates of type "formula": proofs that an inequality or identity fails at a point where all of its
preconditions hold."""

from __future__ import annotations

from fractions import Fraction

from .agreement import AGREE, enclosures_agree, format_enclosure
from .expressions import evaluator, require_all_used
from .intervals import as_interval, high, low
from .untrusted import Fields, Rejected, read_decimal


def check_formula(certificate: Fields) -> list[str]:
    """Checks that a formula fails at a point: recomputes both sides and all preconditions.
    Returns lines of text that report the result. Raises Rejected if nothing is refuted."""
    walker = evaluator(certificate)
    within = read_decimal(certificate["within"], "within")
    relation = certificate["relation"]
    if within < 0 or (relation != "==" and within != 0):
        raise Rejected(
            f"within: {certificate['within']} is not allowed for the relation {relation!r}; use a number of at "
            "least 0 with ==, and 0 with other relations"
        )
    for i, (left, right) in enumerate(certificate["given"]):
        p, q = walker.value(left, f"given/{i}/0"), walker.value(right, f"given/{i}/1")
        if not high(p) <= low(q):
            raise Rejected(f"given/{i}: the precondition {left} <= {right} is not certain to hold")
    p, q = walker.value(certificate["left"], "left"), walker.value(certificate["right"], "right")
    require_all_used(walker)
    enclosures_agree(certificate["left_enclosure"], p, "left_enclosure", AGREE)
    enclosures_agree(certificate["right_enclosure"], q, "right_enclosure", AGREE)
    gap = p - q if isinstance(p, Fraction) and isinstance(q, Fraction) else as_interval(p) - as_interval(q)
    violated = {
        "<=": low(p) > high(q),
        "<": low(p) >= high(q),
        "==": low(gap) > within or high(gap) < -within,
    }[relation]
    if not violated:
        raise Rejected(
            f"left {relation} right is not violated: left is {format_enclosure(p)}, right is {format_enclosure(q)}"
        )
    point = ", ".join(f"{name} = {text}" for name, text in certificate["variables"].items())
    return [
        f"at {point or 'no variables'}:",
        f"left  = {certificate['left']} = {format_enclosure(p)}",
        f"right = {certificate['right']} = {format_enclosure(q)}",
        f"so that left {relation} right is false" + (f" (within {certificate['within'][:60]})" if within else ""),
    ]
