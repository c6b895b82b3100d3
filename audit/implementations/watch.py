"""Somebody's code, run where it can be given up: what is silent for too long, or cannot be stopped, is left alone."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from threading import Event, Thread
from time import monotonic
from typing import Any, NoReturn

LIFE_POLL_SECONDS = 0.5  # seconds between two looks whether it still gives signs of life


class GivenUp(BaseException):
    """Thrown into a thread that nobody waits for any more."""


def give_up(thread: Thread) -> None:
    """Has the interpreter raise GivenUp in a thread as soon as it runs Python code.

    Not below a debugger, or what measures coverage: CPython 3.11 never leaves the traced function that it enters next,
    until the other thread has raised, and what waits for ever does not. The thread is left as it is then.
    """
    if sys.gettrace() is None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(GivenUp))


class Watch:
    """One piece of work in a thread of its own. The work calls `beat` as a sign of life."""

    def __init__(self) -> None:
        self.beats, self.done = 0, Event()
        self.found: Any = None
        self.error: BaseException | None = None

    def beat(self) -> None:
        self.beats += 1

    def run(self, work: Callable[[], Any], patience: float, silent: Callable[[], Exception]) -> Any:
        """What the work returns; raises what it raises, and `silent()` where it gives no sign of life for so many
        seconds."""

        def worked() -> None:
            try:
                self.found = work()
            except GivenUp:
                return
            except BaseException as error:
                self.error = error
            self.done.set()

        thread = Thread(target=worked, daemon=True)
        thread.start()
        heard, until = self.beats, monotonic() + patience
        while not self.done.wait(min(LIFE_POLL_SECONDS, max(0.0, until - monotonic()))):
            if self.beats != heard:
                heard, until = self.beats, monotonic() + patience
            elif monotonic() >= until:
                give_up(thread)
                raise silent()
        if self.error is not None:
            raise self.error
        return self.found

    def leave(self, error: Exception) -> NoReturn:
        """Called by the work: it cannot be ended by anything that is thrown. Its thread sleeps from here on."""
        self.error = error
        self.done.set()
        while True:
            Event().wait()
