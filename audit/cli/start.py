"""The entry point of the `dpbandits` command: an interruption prints a sentence, even while modules are still being
imported."""

from __future__ import annotations

import contextlib
import os
import signal
import sys

from dpbandits.audit.cli_shared import INTERRUPTED


def main() -> None:
    """Runs the command. Raises SystemExit, with the command's status."""
    try:
        from dpbandits.audit.cli.command_line import main as command

        command()
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None
    finally:
        # What is finished is on disk by now, and workers end when this process has: nobody need wait for the rest.
        with contextlib.suppress(ValueError):  # not the main thread: signals go elsewhere
            signal.signal(signal.SIGINT, at_once)


def at_once(number: int, frame: object) -> None:
    """Handles a second Ctrl-C: ends the process immediately.
    The exit hooks of libraries, which would print errors, do not run."""
    os._exit(INTERRUPTED)
