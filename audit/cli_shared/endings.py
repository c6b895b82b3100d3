"""How a command ends: every exception becomes a sentence and an exit status, so that an error never looks like a
verdict.

Exit status 2 is an error, 130 Ctrl-C, 141 a closed output pipe, 143 SIGTERM.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from traceback import format_exception
from types import TracebackType
from typing import Any, NoReturn

import click

from dpbandits.audit.cli_shared import INTERRUPTED, TERMINATED

UNREAD = 141  # and after SIGPIPE
TRACEBACK = "DPBANDITS_TRACEBACK"  # this environment variable set, an internal error shows where it happened


class Trouble(click.ClickException):
    """An error with a remedy. Its exit status is 2, so that it is not mistaken for a verdict."""

    exit_code = 2

    def format_message(self) -> str:
        """Returns the error's message with every character printable."""
        return by_line(self.message)


@contextmanager
def as_trouble(subject: object = "") -> Iterator[None]:
    """A context manager in which a ValueError ends the command with the error's message.
    The message is preceded by `subject`, the description of a subject, if one is given."""
    try:
        yield
    except ValueError as error:
        raise Trouble(f"{printable(subject)}: {error}" if subject else printable(error)) from None


def printable(text: object) -> str:
    """Returns the object as text on one line; invisible characters, and those that move a cursor, are escaped."""

    from dpbandits.audit.runner.store import printable as escaped

    return escaped(text)


def by_line(text: str) -> str:
    """Returns the text with every character printable except line breaks."""
    return "\n".join(map(printable, text.split("\n")))


def say(text: str, aside: bool = False) -> None:
    """Prints text that may contain other people's names, quotes and errors; aside: on standard error.
    Characters that cannot be encoded are replaced, so that they do not end the command after the report is written;
    control characters that would move the cursor are escaped."""
    click.echo(by_line(text), err=aside)


@contextmanager
def convert_to_trouble() -> Iterator[None]:
    """A context manager that turns every exception into an error message and an exit status reserved for errors."""
    try:
        with exit_on_closed_pipe():
            yield
            if sys.stdout is not None:  # it is None if the command was started without a standard output
                sys.stdout.flush()
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except KeyboardInterrupt as stop:
        click.echo("\ninterrupted", err=True)
        exit_with_status(TERMINATED if isinstance(stop, Stopped) else INTERRUPTED)
    except SystemExit as error:  # none of ours: those go through `exit_with_status`
        raise Trouble(
            f"the code of a policy, or of the module of a paper, called sys.exit() (SystemExit: {error}); remove this "
            "call"
        ) from None
    except BaseException as error:  # also what is no Exception: a page's own, pytest.fail, GeneratorExit
        if os.environ.get(TRACEBACK):
            raise Trouble("internal error\n" + "".join(format_exception(error))) from None
        text = f"{type(error).__name__}: {error}"[:500]
        if where := raised_in_a_page(error):
            raise Trouble(f"{where}: {text}") from None
        if isinstance(error, MemoryError) or (isinstance(error, ImportError) and error.name is None):
            # A library whose file cannot be mapped is one that the loader, and not the import system, has given up.
            raise Trouble(
                f"not enough memory ({text}); use smaller values of --trials, --horizon, --arms or --jobs, or give "
                "the process more memory"
            ) from None
        raise Trouble(
            f"internal error ({text}); set {TRACEBACK}=1 to see the traceback, and report the error"
        ) from None


@contextmanager
def exit_on_closed_pipe() -> Iterator[None]:
    """A context manager that ends the command without a message if the output pipe is closed, for example by `head`.
    The process ends as after SIGPIPE."""
    try:
        yield
    except BrokenPipeError:
        if not is_unread():
            raise  # it was another pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for what is flushed when Python ends
        exit_with_status(UNREAD)


def is_unread() -> bool:
    """Whether the standard output is a pipe without a reader. True if this cannot be determined, as without poll."""
    if not hasattr(select, "poll"):
        return True
    waiting = select.poll()
    waiting.register(1, 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in waiting.poll(0))


def raised_in_a_page(error: BaseException) -> str:
    """Returns the file and line of a module outside the ledger whose code raised this error, or used an undefined name.
    "" for all other errors."""
    frames = [each for each in traceback_frames(error.__traceback__) if each.tb_frame.f_code.co_name != "__getattr__"]
    if not frames:
        return ""
    top = module_of(frames[-1])
    module = sys.modules.get(top)
    is_page = top != "dpbandits" and hasattr(module, "page") and hasattr(module, "CLAIMS")
    return f"{frames[-1].tb_frame.f_code.co_filename}:{frames[-1].tb_lineno}" if is_page else ""


def exit_with_status(status: int) -> NoReturn:
    """Ends the command with this exit status."""
    raise click.exceptions.Exit(status)


class Guarded(click.Group):
    """A group of commands that never end with a traceback."""

    def make_context(self, *given: Any, **more: Any) -> click.Context:
        """Parses the arguments of the command; a closed output pipe ends it without a message."""
        with exit_on_closed_pipe():  # --help and --version speak from here
            return super().make_context(*given, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command.
        Every exception becomes a sentence and an exit status, and SIGTERM ends the run like Ctrl-C."""
        with convert_to_trouble(), stoppable():  # so that also SIGTERM ends what we have started
            return super().invoke(ctx)


class Stopped(KeyboardInterrupt):
    """Raised for SIGTERM, and handled like Ctrl-C."""


@contextmanager
def stoppable() -> Iterator[None]:
    """A context manager in which SIGTERM ends the run like Ctrl-C: workers end, and finished results are kept."""

    def stop(number: int, frame: object) -> None:
        """Handles SIGTERM by raising Stopped."""
        raise Stopped

    try:
        before = signal.signal(signal.SIGTERM, stop)
    except ValueError:  # not the main thread: signals go elsewhere
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def example_lines(*lines: str) -> str:
    """The epilog of a command: examples, one per line, which are not wrapped."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def traceback_frames(trace: TracebackType | None) -> Iterator[TracebackType]:
    """Yields the entries of a traceback, the outermost call first."""
    while trace is not None:
        yield trace
        trace = trace.tb_next


def module_of(trace: TracebackType) -> str:
    """Returns the top-level package of the code that was running. trace: an entry of a traceback."""
    return str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
