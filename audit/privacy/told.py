"""What an audit of one instance says of itself, as plain data: all that a finding is put together from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from dpbandits.audit.claims.spelling import json_number
from dpbandits.audit.privacy.inputs import inputs
from dpbandits.audit.privacy.outcomes import Outcome, figure, resolved, said_of
from dpbandits.reference.ledger import Basis, Verdict, bases


class Told(NamedTuple):
    """One instance. figure, certificate: make one, which costs time; certificate None where there is none to make, and
    what it makes is None where that fails. unit: of the claimed number; "" where the claim says nothing here. row: of
    the table of all instances. idle: whether it is said why nothing was tested. inputs: those that refute it, as a
    table. judged: of a one-shot mechanism, a row for each way that it was judged, with both inputs."""

    verdict: Verdict
    pressure: float
    said: str
    resolution: str
    unit: str
    row: list[Any]
    rests_on: tuple[Basis, ...]
    idle: bool
    inputs: Mapping[str, Any] | None
    judged: list[list[str]]
    figure: Callable[[], Mapping[str, Any] | None]
    certificate: Callable[[], Mapping[str, Any] | None] | None


def told(outcome: Outcome) -> Told:
    verdict = outcome.verdict
    drawn = outcome.sampled is not None or outcome.exact is not None
    return Told(
        verdict,
        outcome.pressure,
        said_of(outcome),
        resolved(outcome),
        outcome.curve.unit if outcome.curve is not None else "",
        row(outcome, verdict),
        rests_on(verdict, outcome),
        bool(outcome.idle),
        inputs(outcome.pair) if outcome.pair is not None and verdict is Verdict.REFUTED else None,
        [each.row(outcome.label) for each in outcome.judged],
        partial(figure, outcome) if drawn else no_figure,
        outcome.certificate,
    )


def told_of(audit: Callable[[], Outcome]) -> Told:
    """The audit, done."""
    return told(audit())


def no_figure() -> None:
    """Nothing was drawn, so that there is nothing to show."""


def row(outcome: Outcome, verdict: Verdict) -> list[Any]:
    """One line of the table of all instances."""
    sampled, exact = outcome.sampled, outcome.bounds
    return [
        outcome.named,
        outcome.curve.name if outcome.curve is not None else "not applicable",
        claimed_number(outcome),
        json_number(exact.low if exact else None),
        json_number(exact.high if exact else None),
        json_number(float(sampled.excess.shown) if sampled else None),
        json_number(sampled.resolution.value if sampled else None),
        sampled.trials if sampled else None,
        str(verdict),
    ]


def claimed_number(outcome: Outcome) -> float | None:
    """The claimed number, at the place that was looked at; None where nothing was, and there are many."""
    if outcome.bounds is not None:
        return json_number(outcome.bounds.claimed)
    if outcome.sampled is not None:
        return json_number(float(outcome.sampled.excess.shown - outcome.sampled.excess.amount))
    if outcome.curve is None:
        return None
    claimed, _ = outcome.curve.points()
    return json_number(float(claimed[0])) if len(claimed) == 1 else None


def rests_on(verdict: Verdict, outcome: Outcome) -> tuple[Basis, ...]:
    """What decided."""
    if verdict is Verdict.CONSISTENT:
        return bases(
            *[Basis.EXACT_LAW] * (outcome.bounds is not None), *[Basis.SAMPLES] * (outcome.sampled is not None)
        )
    if verdict is not Verdict.REFUTED:
        return ()
    by_law = outcome.bounds is not None and outcome.bounds.refutes
    by_samples = bool(outcome.wrong) or (outcome.sampled is not None and float(outcome.sampled.excess.amount) > 0)
    return bases(*[Basis.EXACT_LAW] * by_law, *[Basis.SAMPLES] * by_samples)
