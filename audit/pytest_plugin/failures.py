"""The output of a failing test: the message about an audit, and tracebacks without frames of dpbandits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import NoReturn

import pytest

from dpbandits.reference.claims.codec import found_in
from dpbandits.reference.claims.findings import PrivacyFound
from dpbandits.reference.claims.records import Entry
from dpbandits.reference.claims.text import beginning_in_words, event_in_words, note_in_full


def complaint(entry: Entry) -> str:
    """Returns the message of a failed audit.
    The claim and its source, the finding, the event and the inputs that show the violation, remarks, the resolution if
    nothing was refuted, and the command line that repeats the audit."""
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
    if (pair := private.neighbours) is not None:
        for stretch in pair.stretches:  # of equal rewards
            paid = ", ".join(f"arm {arm} pays {reward}" for arm, reward in enumerate(stretch.rewards))
            lines.append(f"  inputs     {pair.relation} {stretch.place}: {paid}")
    lines += [f"  remark     {item['text']}" for item in entry["evidence"] if item["kind"] == "text"]
    if entry["resolution"] and entry["verdict"] != "REFUTED":
        lines.append(f"  resolution {entry['resolution']}")
    if note := note_in_full(entry):
        lines.append(f"  note       {note}")
    return "\n".join([*lines, f"  repeat     {entry['repro']}"])


def certified_lines(entry: Entry) -> Iterator[str]:
    """Yields a line of text for each figure and each certificate in the evidence.
    The line of a figure contains its last certified point."""
    for item in entry["evidence"]:
        if (item["kind"] == "tradeoff" or item["kind"] == "profile") and item["points"]:
            if item["kind"] == "tradeoff":
                test = item["points"][-1]
                shown = f"type I error {test['alpha_upper']:.6g} with type II error {test['beta_upper']:.6g}"
                told = f"a test whose errors come no nearer to the claim than {shown}"
            else:
                bound = item["points"][-1]
                told = f"delta({bound['eps']:.6g}) >= {bound['delta_lower']:.6g}"
            others = len(item["points"]) - 1
            yield told + (f", and {others} more in the report" if others else "")
        elif item["kind"] == "certificate":
            yield f"a {item['certificate'].get('type')} certificate, in the report"


# -- errors of a user's own code --------------------------------------------------------------------------------------


NO_USERS_CODE = {"dpbandits", "numpy", "scipy", "contextlib", "functools", "threadpoolctl"}  # top-level packages
# Modules that check what a user's code returns: an error of theirs is a message to the user, without a traceback.
CHECKING_MODULES = (
    "dpbandits.reference.",
    "dpbandits.extensions.conformance.",
    "dpbandits.audit.privacy.mechanism",
    "dpbandits.audit.privacy.own_claims",
    "dpbandits.audit.privacy.scores.",
    "dpbandits.audit.statistics.",
)


def without_own_frames(subject: str, error: Exception) -> Exception:
    """Returns an error of the user's policy or mechanism with only the user's frames in its traceback.
    subject: the audit.

    A TypeError or ValueError of CHECKING_MODULES without a frame of the user fails the test with its message and
    without a traceback. Any other error without a frame of the user is a fault of dpbandits, and is not changed.
    """
    from dpbandits.audit.cli_shared.endings import module_of, traceback_frames

    __tracebackhide__ = True
    frames = list(traceback_frames(error.__traceback__))
    if any(module_of(each) not in NO_USERS_CODE for each in frames):
        return error.with_traceback(traceback_of([each for each in frames if module_of(each) not in NO_USERS_CODE]))
    raised_in = str(frames[-1].tb_frame.f_globals["__name__"])
    if isinstance(error, TypeError | ValueError) and raised_in.startswith(CHECKING_MODULES):
        refuse(f"{subject}: {error}")
    return error


def refuse(message: str) -> NoReturn:
    """Fails the test with this message, without a traceback and without the exception that is being handled."""
    __tracebackhide__ = True
    raise pytest.fail.Exception(message, pytrace=False) from None


def traceback_of(frames: Sequence[TracebackType]) -> TracebackType | None:
    """A traceback that consists of the given frames alone."""
    trace: TracebackType | None = None
    for each in reversed(frames):
        trace = TracebackType(trace, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return trace
