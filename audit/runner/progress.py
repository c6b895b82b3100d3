"""The progress of a run: a bar on a terminal, else a line every 20 seconds, so that a log is never silent for long."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from threading import Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tqdm import tqdm

EVERY = 20.0  # seconds between two lines
MAX_NAMED_CLAIMS = 3  # claims that a line names


@contextmanager
def print_now_and_then(line: Callable[[], str], seconds: float | None = None) -> Iterator[None]:
    """A context manager that prints `line()` to standard error at regular intervals.
    The interval is EVERY seconds by default. An empty line is not printed."""
    ended = Event()

    def tell() -> None:
        """Prints the current line at regular intervals until the work has ended."""
        while not ended.wait(EVERY if seconds is None else seconds):
            if text := line():
                print(text, file=sys.stderr, flush=True)

    Thread(target=tell, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def one_by_one(things: Sequence[str], unit: str, seconds: float | None = None) -> Iterator[str]:
    """Yields the things in their order, and shows on standard error how many are done.
    unit: the word for one thing, such as "page"."""
    if sys.stderr is not None and sys.stderr.isatty():
        from tqdm import tqdm

        yield from tqdm(things, unit=unit)
        return
    done = 0
    with print_now_and_then(lambda: f"{done} of {len(things)} {unit}s", seconds):
        for each in things:
            yield each
            done += 1


def duration_in_words(seconds: float) -> str:
    """A duration, such as "1 second", "89 seconds", "2 minutes" or "1.5 hours"."""
    if seconds < 90:
        return "1 second" if round(seconds) == 1 else f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


class Progress:
    """The progress of a run over claims. total: the number of claims. ready: the number of claims read from the cache.
    jobs: the number of workers. wanted: whether to display progress. seconds: between two lines."""

    def __init__(self, total: int, ready: int, jobs: int, wanted: bool, seconds: float | None = None):
        """Prepares the display of progress. total: the number of claims; ready: those that are finished already."""
        self.seconds = seconds
        self.total, self.ready, self.jobs = total, ready, jobs
        self.waiting: list[str] = []
        self.terminal = sys.stderr is not None and sys.stderr.isatty()
        self.wanted, self.lines = wanted, ExitStack()
        self.bar: tqdm | None = None

    def __enter__(self) -> Progress:
        """Starts the display of progress: a bar on a terminal, otherwise lines at intervals."""
        from tqdm import tqdm

        if self.wanted and self.terminal:
            self.bar = tqdm(total=self.total, initial=self.ready, unit="claim")
        elif self.wanted:
            self.lines.enter_context(print_now_and_then(self.line, self.seconds))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the display of progress."""
        self.lines.close()
        if self.bar is not None:
            self.bar.close()

    def begin(self, names: Sequence[str]) -> None:
        """Records which calls will be made. names: the names of the calls, in the order in which workers take them."""
        self.waiting = list(names)

    def back(self, name: str, done: Sequence[str]) -> None:
        """Records that a call has returned. name: the name of the call.
        done: the ids of the claims that are finished with it."""
        self.waiting.remove(name)
        self.ready += len(done)
        if self.bar is not None and done:
            self.bar.set_postfix_str(done[-1], refresh=False)
            self.bar.update(len(done))

    def line(self) -> str:
        """Returns the number of finished claims and the names of the calls in progress, as a line of text.
        Calls start in order, so these are the first that have not returned."""
        running = list(dict.fromkeys(self.waiting[: self.jobs]))
        more = ", ..." if len(running) > MAX_NAMED_CLAIMS else ""
        names = ", ".join(running[:MAX_NAMED_CLAIMS])
        return f"{self.ready} of {self.total} claims; at work: {names}{more}" if running else ""
