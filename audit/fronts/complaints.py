"""What a failing test says of an audit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpbandits.audit.privacy.inputs import TITLE


def complaint(entry: dict[str, Any]) -> str:
    """Why the test failed: what was claimed where, what was found, and the line that shows it again."""
    lines = [
        f"{entry['id']}: {entry['verdict']}, expected {' or '.join(entry['expect'])}",
        f"  source     {entry['paper']}, {entry['where']}: {entry['quote']}",
        f"  statement  {entry['statement']}",
        f"  found      {entry['summary']}",
        *(f"  certified  {point}" for point in certified(entry)),
        *(f"  inputs     {line}" for line in paid(entry)),
    ]
    if entry["resolution"]:
        lines.append(f"  resolution {entry['resolution']}")
    if entry["note"]:
        lines.append(f"  note       {entry['note']}")
    return "\n".join([*lines, f"  repeat     {entry['repro']}"])


def paid(entry: dict[str, Any]) -> Iterator[str]:
    """The neighbouring inputs that were told apart, a line for each stretch of equal rewards."""
    for item in entry["evidence"]:
        if item["kind"] == "table" and item["title"] == TITLE:
            unit, *arms = item["columns"]
            for place, *rewards in item["rows"]:
                told = ", ".join(f"{arm} pays {reward}" for arm, reward in zip(arms, rewards, strict=True))
                yield f"{unit} {place}: {told}"


def certified(entry: dict[str, Any]) -> Iterator[str]:
    """The certified points and certificates in the evidence, a line each."""
    for item in entry["evidence"]:
        if item["kind"] == "tradeoff":
            for point in item["points"]:
                yield (
                    "a test whose errors come no nearer to the claim than "
                    f"type I error {point['alpha_upper']:.6g} with type II error {point['beta_upper']:.6g}"
                )
        elif item["kind"] == "profile":
            for point in item["points"]:
                yield f"delta({point['eps']:.6g}) >= {point['delta_lower']:.6g}"
        elif item["kind"] == "certificate":
            yield f"a {item['certificate'].get('type')} certificate, in the report"
