"""A time limit for a computation that finds better and better answers; at the limit it ends as if by Ctrl-C.

limit = TimeLimit(5.0)
try:
    with limit:
        ...
except KeyboardInterrupt as stop:
    if not limit.ended_by(stop):
        raise
"""

from __future__ import annotations

import _thread
import signal
from threading import Lock, Timer, main_thread
from time import sleep
from types import TracebackType

from dpbandits.audit.cli_shared.endings import Stopped


class TimeLimit:
    """A context manager that raises KeyboardInterrupt in its block, in the main thread, after this many seconds; None
    for no limit."""

    def __init__(self, seconds: float | None) -> None:
        """Prepares a limit of this many seconds; None for no limit."""
        self.is_up, self.ended, self.lock = False, False, Lock()
        self.ignoring = False  # whether the process ignores SIGINT, as what a script starts with "&" does
        self.timer = None if seconds is None else Timer(seconds, self.end)

    def end(self) -> None:
        """Interrupts the main thread because the time is over, unless the limited computation has ended."""
        with self.lock:
            if self.ended:
                return
            self.is_up = True
            thread = main_thread().ident
            if hasattr(signal, "pthread_kill") and thread is not None:  # wakes up what waits for other processes
                signal.pthread_kill(thread, signal.SIGINT)
            else:
                _thread.interrupt_main()

    def __enter__(self) -> TimeLimit:
        """Starts the timer of the limit, and returns the limit."""
        if self.timer is not None:
            self.ignoring = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            if self.ignoring:
                signal.signal(signal.SIGINT, self.interrupt)
            self.timer.daemon = True
            self.timer.start()
        return self

    def interrupt(self, *ignored: object) -> None:
        """Handles SIGINT: raises KeyboardInterrupt if the time is over.
        A handler of SIGINT for processes that otherwise ignore this signal."""
        if self.is_up:
            raise KeyboardInterrupt

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stops the timer of the limit."""
        if self.timer is not None:
            self.timer.cancel()
        with self.lock:
            self.ended = True
        try:
            if self.is_up and kind is None:
                sleep(0.05)  # the signal comes now, if it has not come yet
        finally:
            if self.ignoring:
                signal.signal(signal.SIGINT, signal.SIG_IGN)

    def ended_by(self, stop: KeyboardInterrupt) -> bool:
        """Whether the limit, and not Ctrl-C, ended the block or prevented it from starting."""
        return self.is_up and not isinstance(stop, Stopped)
