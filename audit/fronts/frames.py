"""The frames of a traceback, and whose code they are."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType


def traceback_frames(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def module_of(trace: TracebackType) -> str:
    """The top-level package of the code that was running."""
    return str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
