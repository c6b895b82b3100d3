"""What a failing test says of an audit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpbandits.reference.claims.codec import found_in
from dpbandits.reference.claims.findings import Neighbours, PrivacyFound
from dpbandits.reference.claims.text import beginning_in_words, event_in_words, note_in_full


def complaint(entry: dict[str, Any]) -> str:
    """Why the test failed: what was claimed where, what was found, and the line that shows it again. What could have
    been found stands there where nothing was."""
    lines = [f"{entry['id']}: {entry['verdict']}, expected {' or '.join(entry['expect'])}"]
    if entry["paper"] != "own":  # whose claim is the statement itself
        lines.append(f"  source     {entry['paper']}, {entry['where']}: {entry['quote']}")
    lines += [f"  statement  {entry['statement']}", f"  found      {entry['summary']}"]
    found = found_in(entry)
    private = found if isinstance(found, PrivacyFound) else PrivacyFound(())
    if private.event is not None:
        lines.append(f"  event      {event_in_words(private.event)}")
    else:
        lines += [f"  certified  {one}" for one in certified_lines(entry)]
    begun = private.beginnings.every if private.beginnings is not None else ()
    lines += [f"  released   {beginning_in_words(each)}" for each in begun]
    lines += [f"  inputs     {line}" for line in (input_lines(private.neighbours) if private.neighbours else ())]
    if entry["resolution"] and entry["verdict"] != "REFUTED":
        lines.append(f"  resolution {entry['resolution']}")
    if note := note_in_full(entry):
        lines.append(f"  note       {note}")
    return "\n".join([*lines, f"  repeat     {entry['repro']}"])


def input_lines(pair: Neighbours) -> Iterator[str]:
    """The neighbouring inputs that were told apart, a line for each stretch of equal rewards."""
    for stretch in pair.stretches:
        told = ", ".join(f"arm {arm} pays {reward}" for arm, reward in enumerate(stretch.rewards))
        yield f"{pair.relation} {stretch.place}: {told}"


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
