"""What a failing test says of an audit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpbandits.audit.privacy.beginnings import BEGINNINGS
from dpbandits.audit.privacy.inputs import EVENT, TITLE

GIVEN = "the given subject: "  # whom the statement names


def complaint(entry: dict[str, Any]) -> str:
    """Why the test failed: what was claimed where, what was found, and the line that shows it again. What could have
    been found stands there where nothing was."""
    lines = [f"{entry['id']}: {entry['verdict']}, expected {' or '.join(entry['expect'])}"]
    if entry["paper"] != "own":  # whose claim is the statement itself
        lines.append(f"  source     {entry['paper']}, {entry['where']}: {entry['quote']}")
    lines += [f"  statement  {entry['statement']}", f"  found      {entry['summary'].removeprefix(GIVEN)}"]
    lines += [f"  event      {seen}" for seen in events(entry)] or [
        f"  certified  {one}" for one in certified_lines(entry)
    ]
    lines += [f"  released   {line}" for line in told_apart(entry)]
    lines += [f"  inputs     {line}" for line in input_lines(entry)]
    if entry["resolution"] and entry["verdict"] != "REFUTED":
        lines.append(f"  resolution {entry['resolution']}")
    if entry["note"] and not entry["note"].startswith("audited: "):  # which the statement names
        lines.append(f"  note       {entry['note']}")
    return "\n".join([*lines, f"  repeat     {entry['repro']}"])


def input_lines(entry: dict[str, Any]) -> Iterator[str]:
    """The neighbouring inputs that were told apart, a line for each stretch of equal rewards."""
    for item in entry["evidence"]:
        if item["kind"] == "table" and item["title"] == TITLE:
            unit, *arms = (column["name"] for column in item["columns"])
            for place, *rewards in item["rows"]:
                told = ", ".join(f"{arm} pays {reward}" for arm, reward in zip(arms, rewards, strict=True))
                yield f"{unit} {place}: {told}"


def events(entry: dict[str, Any]) -> Iterator[str]:
    """What tells them apart, and by how much."""
    for item in entry["evidence"]:
        if item["kind"] == "table" and item["title"] == EVENT:
            number = item["columns"][-1]["name"].partition(",")[0]
            for _, left, right, runs, shown in item["rows"]:
                often = f"P[event] {left:.3g} on the left against {right:.3g} on the right"
                yield f"{often}, in {runs} runs each: {number} >= {shown:.4g}"


def told_apart(entry: dict[str, Any]) -> Iterator[str]:
    """The beginnings of transcripts that tell the inputs apart, with how often they came on either side."""
    for item in entry["evidence"]:
        if item["kind"] == "table" and item["title"].startswith(BEGINNINGS):
            for released, left, right in item["rows"]:
                yield f"{released}: {left:.3g} on the left, {right:.3g} on the right"


def certified_lines(entry: dict[str, Any]) -> Iterator[str]:
    """What is certified, a line for each picture and certificate in the evidence: the last of a picture's points."""
    for item in entry["evidence"]:
        if item["kind"] in ("tradeoff", "profile") and item["points"]:
            *others, point = item["points"]
            if item["kind"] == "tradeoff":
                shown = f"type I error {point['alpha_upper']:.6g} with type II error {point['beta_upper']:.6g}"
                told = f"a test whose errors come no nearer to the claim than {shown}"
            else:
                told = f"delta({point['eps']:.6g}) >= {point['delta_lower']:.6g}"
            yield told + (f", and {len(others)} more in the report" if others else "")
        elif item["kind"] == "certificate":
            yield f"a {item['certificate'].get('type')} certificate, in the report"
