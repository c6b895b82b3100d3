"""Errors of what a user gave to the pytest plugin, told without our frames."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import NoReturn

import pytest

from dpbandits.audit.cli_shared.endings import module_of, traceback_frames

MACHINERY = {"dpbandits", "numpy", "scipy", "contextlib", "threadpoolctl"}  # what is never a user's code
# What looks at a user's numbers, and says what is wrong with them.
GATES = (
    "dpbandits.reference.",
    "dpbandits.audit.privacy.mechanism",
    "dpbandits.audit.privacy.scores.",
    "dpbandits.audit.statistics.",
)


def without_own_frames(about: str, error: Exception) -> Exception:
    """The error of a user's policy or mechanism without our frames around the user's own; what the gates refuse is said
    without a traceback. An error of which no frame is the user's is ours, and stays as it is."""
    __tracebackhide__ = True
    frames = list(traceback_frames(error.__traceback__))
    if any(module_of(each) not in MACHINERY for each in frames):
        return error.with_traceback(chained([each for each in frames if module_of(each) not in MACHINERY]))
    if isinstance(error, TypeError | ValueError) and frames[-1].tb_frame.f_globals["__name__"].startswith(GATES):
        refuse(f"{about}: {error}")
    return error


def refuse(said: str) -> NoReturn:
    """Fails the test with these words alone: not with what was being handled when they were found."""
    __tracebackhide__ = True
    raise pytest.fail.Exception(said, pytrace=False) from None


def chained(frames: Sequence[TracebackType]) -> TracebackType | None:
    """A traceback of these frames alone."""
    trace: TracebackType | None = None
    for each in reversed(frames):
        trace = TracebackType(trace, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return trace
