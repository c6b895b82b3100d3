"""Communication with a program over pipes: a line of JSON for each question and answer, with a time limit."""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from time import monotonic

from dpbandits.audit.cli_shared.json_files import no_number, reject_repeated_keys

PROGRAM_POLL_SECONDS = 0.5  # seconds between two looks whether a silent program still runs
CHUNK = 1 << 16  # bytes read at once
MAX_ANSWER_BYTES = 1 << 28  # bytes of one answer, at most
STDERR_END_CHARACTERS = 600  # characters of either end of the program's own complaints that an error shows
MAX_QUOTED_CHARACTERS = 120  # characters of a message that an error shows
ENDED = "the program ended"  # or closed its standard output: `Channel.failure` finds out which


class ProgramError(ValueError):
    """Raised if the program ended, gave no answer in time, or gave an invalid answer."""


class Complaints:
    """The beginning and the end of the program's standard error, whatever its length."""

    def __init__(self) -> None:
        """Starts without any bytes."""
        self.head, self.tail, self.size = b"", b"", 0

    def add(self, data: bytes) -> None:
        """Appends bytes of the program's standard error. Only the beginning and the end of a long text are stored."""
        room = 4 * STDERR_END_CHARACTERS - len(self.head)  # a character has up to four bytes
        self.head += data[:room]
        self.tail = (self.tail + data[room:])[-4 * STDERR_END_CHARACTERS :]
        self.size += len(data)

    def shown(self) -> str:
        """The program's standard error; if it is long, its beginning and its end, with a line [...] between them."""
        if len(self.head) + len(self.tail) == self.size:
            whole = (self.head + self.tail).decode(errors="replace").strip()
            if len(whole) <= 2 * STDERR_END_CHARACTERS:
                return whole
            head, tail = whole[:STDERR_END_CHARACTERS], whole[-STDERR_END_CHARACTERS:]
        else:
            head, tail = (each.decode(errors="replace") for each in (self.head, self.tail))
        return f"{head[:STDERR_END_CHARACTERS].strip()}\n[...]\n{tail[-STDERR_END_CHARACTERS:].strip()}"


class Channel:
    """A running program. patience: the seconds that it may take to read a message, and to answer it."""

    def __init__(self, command: tuple[str, ...], patience: float) -> None:
        """Starts the program and the exchange of messages.
        Raises ProgramError if it cannot be started. patience: the time limit of each answer, in seconds."""
        self.command, self.patience = command, patience
        self.rest, self.asked, self.ended, self.owner = b"", "", False, os.getpid()
        self.complaints = Complaints()
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # so that what it has started ends with it
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise ProgramError(
                f"{command[0]!r} cannot be started ({why}); give an executable program, such as ./mine, or "
                "an interpreter and a script: python mine.py"
            ) from None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.sink, self.source, self.aside = (
            each.fileno() for each in (self.process.stdin, self.process.stdout, self.process.stderr)
        )
        for end in (self.sink, self.aside):
            os.set_blocking(end, False)
        atexit.register(self.close)

    def ask(self, message: Mapping[str, object]) -> dict[str, object]:
        """Sends one message and returns the program's answer.
        Raises ProgramError if there is no answer, or if it is an error."""
        try:
            return self.answered(message)
        except BaseException as error:
            if not isinstance(error, ProgramError):  # Ctrl-C, say: an answer to this message may yet come
                self.close()
            raise

    def answered(self, message: Mapping[str, object]) -> dict[str, object]:
        """Sends the message, and returns the JSON object that the program answers.
        Raises ProgramError for anything else, and for an error that it reports."""
        if self.rest or select.select([self.source], [], [], 0)[0]:
            self.unasked()
        text = json.dumps(message)
        self.asked = text
        self.send(text.encode() + b"\n", message)
        line = self.line(message)
        try:
            answer = json.loads(line, object_pairs_hook=reject_repeated_keys, parse_constant=no_number)
        except (ValueError, RecursionError) as error:
            why = "write only answers to the standard output" if type(error) is not ValueError else str(error)
            raise self.failure(
                f"the program answered {line[:80]!r}, which is not JSON ({why}); write one JSON object on one line"
            ) from None
        if not isinstance(answer, dict):
            raise self.failure(
                f'the program answered {line[:80]!r}, which is not a JSON object such as {{"done":true}}'
            )
        if answer.get("done", True) is not True:
            raise self.failure(
                f'the program answered {line[:80]!r}, in which "done" is not true; write {{"done":true}}, or, after an '
                'error, {"error":"why"}'
            )
        if "error" in answer:
            raise ProgramError(f"{self.named}: {message['do']} failed: {str(answer['error'])[:500]}; {self.request}")
        return answer

    def unasked(self) -> None:
        """Raises ProgramError if the program has written something without being asked."""
        said = self.rest or os.read(self.source, CHUNK)
        if not said:
            raise self.failure(ENDED)
        when = "after its answer" if self.asked else "before the first message to the program"
        raise self.failure(
            f"the program wrote {said[:80]!r} {when}; the program must write exactly one line for each message"
        )

    def send(self, data: bytes, message: Mapping[str, object]) -> None:
        """Writes the message to the program's input. Raises ProgramError if the program does not read it in time."""
        left, until = memoryview(data), monotonic() + self.patience
        while left:
            if not self.ready([], [self.sink], until):
                raise self.failure(
                    f"the program did not read the message {message['do']!r} within {self.patience:g} s. If the "
                    "program needs more time, give --patience (patience= of from_program)"
                )
            try:
                left = left[os.write(self.sink, left[:CHUNK]) :]
            except OSError:
                raise self.failure(ENDED) from None

    def line(self, message: Mapping[str, object]) -> bytes:
        """Reads the next line of the program's output.
        Raises ProgramError if the line does not come in time, or is too long."""
        until, parts, size = monotonic() + self.patience, [self.rest], len(self.rest)
        while b"\n" not in parts[-1]:
            if not self.ready([self.source], [], until):
                raise self.failure(
                    f"the program sent no answer to {message['do']!r} within {self.patience:g} s. Flush the output "
                    "after each line, and read the input line by line (mawk: -W interactive); if the program needs "
                    "more time, give --patience (patience= of from_program)"
                )
            parts.append(os.read(self.source, CHUNK))
            size += len(parts[-1])
            if not parts[-1]:
                raise self.failure(ENDED)
            if size > MAX_ANSWER_BYTES:
                raise self.failure(
                    f"an answer of the program has more than {MAX_ANSWER_BYTES} bytes; an answer must be one line that "
                    "ends with a newline"
                )
        line, _, self.rest = b"".join(parts).partition(b"\n")
        return line

    def ready(self, sources: list[int], sinks: list[int], until: float) -> bool:
        """Waits until one of the pipes is ready, and reads the program's standard error meanwhile.
        Returns False if no pipe is ready at the time `until`. Raises ProgramError if the program has ended, even if its
        children still hold the pipes."""
        aside = [self.aside]
        while (left := until - monotonic()) > 0:
            read, write, _ = select.select(sources + aside, sinks, [], min(left, PROGRAM_POLL_SECONDS))
            if self.aside in read and not self.listen():
                aside = []
            if write or set(read) & set(sources):
                return True
            if self.process.poll() is not None and not any(select.select(sources, sinks, [], 0)):
                raise self.failure(ENDED)
        return False

    def listen(self) -> bool:
        """Reads some of the program's standard error. Returns False at the end of that stream, otherwise True."""
        with suppress(BlockingIOError):
            said = os.read(self.aside, CHUNK)
            self.complaints.add(said)
            return bool(said)
        return True

    @property
    def named(self) -> str:
        """The command line of the program, as text."""
        return " ".join(self.command)

    @property
    def request(self) -> str:
        """The last message to the program, as a phrase for error messages."""
        shown = self.asked if len(self.asked) <= MAX_QUOTED_CHARACTERS else f"{self.asked[:MAX_QUOTED_CHARACTERS]}..."
        return f"the last message to the program was {shown}" if shown else "the program had got no message yet"

    def failure(self, reason: str) -> ProgramError:
        """Ends the program, and returns the error to raise.
        It contains the last message, how the program ended, and the program's standard error."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(PROGRAM_POLL_SECONDS if reason == ENDED else 0)
        status = self.process.returncode
        reason = "the program closed its standard output" if reason == ENDED and status is None else reason
        for _ in range(MAX_ANSWER_BYTES // CHUNK // 64):  # what it said last; others may hold its end, and go on
            if not select.select([self.aside], [], [], 0)[0] or not self.listen():
                break
        self.close()
        how = "" if status is None else f" (status {status})" if status >= 0 else f" (killed by {signal_name(-status)})"
        said = self.complaints.shown()
        return ProgramError(
            f"{self.named}: {reason}{how}; {self.request}" + (f"; on its standard error:\n{said}" if said else "")
        )

    def close(self) -> None:
        """Ends the program, first by closing its input, then by force.
        In a forked process the program is left to the process that started it."""
        self.ended = True
        atexit.unregister(self.close)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        if os.getpid() != self.owner:
            return
        try:
            self.process.wait(1.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        with suppress(OSError):  # nobody is left
            os.killpg(self.process.pid, signal.SIGKILL)


def signal_name(number: int) -> str:
    """The name of a signal, such as SIGKILL."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
