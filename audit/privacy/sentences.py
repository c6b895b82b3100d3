"""The words of a finding about privacy: a sentence, a resolution and a row of the table, of one result each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpbandits.audit.claims.spelling import json_number
from dpbandits.audit.privacy.result import Result
from dpbandits.audit.statistics.resolution import RESOLUTION_POWER, Resolution
from dpbandits.reference.claims.findings import above, below, nearest, table_item
from dpbandits.reference.claims.model import Verdict
from dpbandits.reference.curves import Curve, derived

NEAR_MISS_SHARE = 0.9  # of what is claimed
NEAR_MISS_REMARK = (
    "what is certified comes near to the claim: so does a mechanism that attains it, and one that breaks it by little; "
    "more trials tell them apart (the ci profile, or `trials=`), or an exact law"
)


def value_in_words(curve: Curve, value: float, at: float) -> str:
    return f"{derived.unit(curve)} {value:.4g}{derived.where(curve, at)}"


def summary_of(result: Result) -> str:
    """One sentence about one instance."""
    if result.curve is None:
        return f"{result.name}: a precondition is false."
    parts = [result.wrong] if result.wrong else []
    if result.bounds is not None:
        low, high, promised, at = result.bounds
        against = f" where {promised:.4g} is promised" if result.bounds.refutes else ""
        ends = f"{low:.6g}", f"{high:.6g}"
        between = f"between {ends[0]} and {ends[1]}" if ends[0] != ends[1] else ends[0]
        parts.append(f"{derived.unit(result.curve)}{derived.where(result.curve, at)} is {between} by its law{against}")
    if result.sampled is not None:
        amount, certified, at = result.sampled.excess
        against = f", more than the promised {certified - amount:.4g}" if amount > 0 else ""
        where = f", drawn at {result.sampled_at}," if result.sampled_at else ""
        asked = ", where its own law alone was asked what to look for" if result.by_law and certified <= 0 else ""
        more = f" ({result.sampled.stopped}) certify more than" if result.sampled.stopped else f"{where} certify"
        parts.append(f"samples{more} {value_in_words(result.curve, certified, at)}{asked}{against}")
    parts += filter(None, (result.same, result.idle, result.unfit, result.unsaid))
    return f"{result.name}: {derived.name(result.curve)} claimed; {'; '.join(parts)}."


def resolution_of(result: Result) -> str:
    """What would have been caught, in words; empty where no samples were drawn."""
    if result.sampled is None or result.curve is None:
        return ""
    confidence = f"{result.sampled.trials} fresh trials a side, risk {result.sampled.level:.2g}"
    claimed = derived.name(result.curve)
    if not result.caught:
        return f"{result.label}: no violation of {claimed} could have been certified from samples ({confidence})"
    looked = f"; {result.looked}" if result.looked else ""
    own = "; the score here is learnt, which promises less: such a violation may well pass" if result.learnt else ""
    those = ", or ".join(violating(result.curve, each) for each in result.caught)
    close = f"; {NEAR_MISS_REMARK}" if is_near(result) else ""
    return (
        f"{result.label}: by its likelihood ratio {those} is caught with probability {RESOLUTION_POWER} where "
        f"{claimed} is claimed ({confidence}){own}; another shape may take more{looked}{close}"
    )


def is_near(result: Result) -> bool:
    """Whether samples alone decided, and what they certify comes near to the claim without passing it."""
    if result.sampled is None or result.bounds is not None or result.verdict is not Verdict.CONSISTENT:
        return False
    amount, certified, _ = result.sampled.excess
    return bool(certified > 0 and certified >= NEAR_MISS_SHARE * (certified - amount))


def violating(curve: Curve, resolution: Resolution) -> str:
    """The mechanism that a resolution is about."""
    value, at, mechanism = resolution
    kind = "" if "response" in mechanism else "mechanism "
    return f"a {mechanism} {kind}that is exactly {curve.called(value, at)}"


def table_of(results: Sequence[Result]) -> dict[str, Any]:
    """The evidence: a row for every instance."""
    units = dict.fromkeys(derived.unit(each.curve) for each in results if each.curve is not None)
    columns = [
        "instance",
        "claimed",
        nearest(" or ".join(units) or "claimed number"),
        below("exact, at least"),
        above("exact, at most"),
        below("certified from samples"),
        above("would be caught, at best"),
        "fresh trials a side",
        "verdict",
    ]
    return table_item("Every instance", columns, [*map(row_of, results)])


def row_of(result: Result) -> list[Any]:
    """One line of the table of all instances."""
    sampled, exact = result.sampled, result.bounds
    return [
        result.name,
        derived.name(result.curve) if result.curve is not None else "not applicable",
        claimed_number(result),
        json_number(exact.low if exact else None),
        json_number(exact.high if exact else None),
        json_number(sampled.excess.shown if sampled else None),
        json_number(sampled.resolution.value if sampled else None),
        sampled.trials if sampled else None,
        str(result.verdict),
    ]


def claimed_number(result: Result) -> float | None:
    """The claimed number, at the place that was looked at; None where nothing was, and there are many."""
    if result.bounds is not None:
        return json_number(result.bounds.claimed)
    if result.sampled is not None:
        return json_number(result.sampled.excess.shown - result.sampled.excess.amount)
    if result.curve is None:
        return None
    claimed, _ = result.curve.points()
    return json_number(float(claimed[0])) if len(claimed) == 1 else None
