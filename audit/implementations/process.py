"""A program in any language as a policy: JSON lines over its standard input and output, all trials in one line.

The protocol is described for the program's author in the README beside this file, and by `wire.schema.json`.
A program plays one batch of runs at a time and remembers it. What asks here for another past than the one that the
program is in (a round looked at twice, a history led elsewhere) makes it begin anew and learn that past.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from time import monotonic
from typing import Any

import numpy as np

from dpbandits.audit.implementations.objects import seeds
from dpbandits.reference.checks import at_least
from dpbandits.reference.noise import Array, Noise
from dpbandits.reference.policy import Policy, Pulls

VERSION = 1
GLANCE = 0.5  # seconds between two looks whether a silent program still runs
CHUNK = 1 << 16  # bytes read at once
LONGEST = 1 << 28  # bytes of one answer, at most
TAIL = 600  # characters of the program's own complaints that an error shows


class ProgramError(ValueError):
    """The program ended, was silent for too long, or said what is no answer."""


@dataclass(frozen=True, eq=False)
class Past:
    """What a batch has learnt so far: a chain of lessons, which nobody changes."""

    trials: int
    before: Past | None = None
    lesson: Mapping[str, Any] = field(default_factory=dict)

    def lessons(self) -> list[Mapping[str, Any]]:
        """From the first to the last."""
        found: list[Mapping[str, Any]] = []
        past: Past | None = self
        while past is not None and past.before is not None:
            found.append(past.lesson)
            past = past.before
        return found[::-1]

    def __deepcopy__(self, memo: Any) -> Past:
        return self


@dataclass(frozen=True)
class Program:
    """A policy that a program plays; made by `from_program`, which says what the parts are."""

    command: tuple[str, ...]
    arms: int
    horizon: int
    parameters: tuple[tuple[str, Any], ...] = ()
    patience: float = 60.0

    def init(self, trials: int) -> Past:
        return Past(trials)

    def act(self, t: int, state: Past, noise: Noise) -> Pulls:
        return channel_of(self).act(t, state, noise)

    def learn(self, t: int, state: Past, pulls: Pulls, sums: Array, noise: Noise) -> Past:
        if pulls.bound is not None:
            raise ValueError(f"step {t}: the protocol has no truncated rewards")
        return Past(state.trials, state, lesson(t, pulls, sums))


def lesson(t: int, pulls: Pulls, sums: Array) -> dict[str, Any]:
    """The message that teaches these pulls: single pulls as arms and rewards, anything else as counts and sums."""
    single = pulls.counts.sum(axis=1)
    if (single == 1).all():
        arm = pulls.counts.argmax(axis=1)
        return {"do": "learn", "t": t, "arms": arm.tolist(), "rewards": sums[np.arange(len(arm)), arm].tolist()}
    return {"do": "learn", "t": t, "counts": pulls.counts.tolist(), "sums": sums.tolist()}


def from_program(
    command: tuple[str, ...] | list[str],
    arms: int,
    horizon: int,
    parameters: Mapping[str, Any] | None = None,
    patience: float = 60.0,
) -> Policy:
    """A policy that a program plays, over the protocol of JSON lines.

    command: the program and its arguments; it is started when it is first needed, once in every process. parameters:
    handed to it as they are. patience: seconds that it may take for one answer. Raises ValueError for an empty command,
    arms or a horizon below 1, or a patience that is not positive; ProgramError in play.
    """
    if isinstance(command, str) or not command:
        raise ValueError(f"from_program: command is {command!r}; give the program and its arguments, ('./mine', '-x')")
    at_least("from_program: arms", arms, 1)
    at_least("from_program: horizon", horizon, 1)
    if not patience > 0:
        raise ValueError(f"from_program: patience is {patience}; give seconds above 0")
    return Program(tuple(command), arms, horizon, tuple((parameters or {}).items()), patience)


# -- the program at the other end ------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def channel_of(program: Program) -> Channel:
    """The running program of a policy: one for each in a process, as long as nobody needs many others."""
    return Channel(program)


class Channel:
    """A running program, and which past it is in."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.at: Past | None = None  # the past that it is in, if it has not acted on it yet
        self.acted: Past | None = None  # the past that it has acted on last, and may learn more of
        self.rest = b""
        self.complaints = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the program)
        try:
            self.process = subprocess.Popen(
                program.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.complaints,
                start_new_session=True,  # so that what it has started ends with it
            )
        except OSError as error:
            raise ProgramError(f"{program.command[0]!r} cannot be started: {error}") from None
        assert self.process.stdin is not None
        os.set_blocking(self.process.stdin.fileno(), False)
        atexit.register(self.close)

    def act(self, t: int, past: Past, noise: Noise) -> Pulls:
        self.lead_to(past, noise)
        self.at = None  # whoever asks again wants fresh draws
        answer = self.ask({"do": "act", "t": t})
        shape = (past.trials, self.program.arms)
        if "arms" in answer:
            arms = whole(answer["arms"], f"step {t}: arms", shape[:1])
            self.acted = past
            return Pulls.one(arms, self.program.arms)
        if "counts" in answer:
            self.acted = past
            return Pulls(whole(answer["counts"], f"step {t}: counts", shape))
        raise ProgramError(
            f"{self.named}: step {t}: act was answered by {shortly(answer)}; it takes 'arms' or 'counts'"
        )

    def lead_to(self, past: Past, noise: Noise) -> None:
        """Brings the program into this past: by the last lesson where it has just acted on the one before, else from
        the beginning."""
        if self.at is past:
            return
        if past.before is not None and self.acted is past.before:
            self.ask(past.lesson)
        else:
            program = self.program
            begin = {"do": "init", "version": VERSION, "trials": past.trials, "arms": program.arms}
            begin |= {"horizon": program.horizon, "seeds": seeds(noise, "program")}
            self.ask(begin | {"parameters": dict(program.parameters)})
            for each in past.lessons():
                self.ask(each)
        self.at, self.acted = past, None

    def ask(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The program's answer to one message. ProgramError where there is none, or it is an error of its own."""
        self.send(message)
        line = self.line(message)
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            raise self.failure(f"it answered {line[:80]!r}, which is no JSON") from None
        if not isinstance(answer, dict):
            raise self.failure(f"it answered {line[:80]!r}, which is no JSON object")
        if "error" in answer:
            raise ProgramError(f"{self.named}: {message['do']} failed: {answer['error']}")
        return answer

    def send(self, message: Mapping[str, Any]) -> None:
        """Writes the message, as fast as the program reads it."""
        assert self.process.stdin is not None
        sink, until = self.process.stdin.fileno(), monotonic() + self.program.patience
        left = memoryview(json.dumps(message).encode() + b"\n")
        while left:
            if not self.ready([], [sink], until):
                raise self.failure(f"it did not read {message['do']!r} in {self.program.patience:g} s")
            try:
                left = left[os.write(sink, left[:CHUNK]) :]
            except OSError:
                raise self.failure("it ended") from None

    def ready(self, sources: list[int], sinks: list[int], until: float) -> bool:
        """Waits for one of these to be ready; False where none is in time. ProgramError where the program has ended,
        though something that it started may still hold its ends."""
        while (left := until - monotonic()) > 0:
            if any(select.select(sources, sinks, [], min(left, GLANCE))):
                return True
            if self.process.poll() is not None and not any(select.select(sources, sinks, [], 0)):
                raise self.failure("it ended")
        return False

    def line(self, message: Mapping[str, Any]) -> bytes:
        assert self.process.stdout is not None
        source, until, parts = self.process.stdout.fileno(), monotonic() + self.program.patience, [self.rest]
        size = len(self.rest)
        while b"\n" not in parts[-1]:
            if not self.ready([source], [], until):
                raise self.failure(f"no answer to {message['do']!r} in {self.program.patience:g} s")
            parts.append(os.read(source, CHUNK))
            size += len(parts[-1])
            if not parts[-1]:
                raise self.failure("it ended")
            if size > LONGEST:
                raise self.failure(f"an answer of more than {LONGEST} bytes")
        line, _, self.rest = b"".join(parts).partition(b"\n")
        return line

    @property
    def named(self) -> str:
        return " ".join(self.program.command)

    def failure(self, what: str) -> ProgramError:
        """The error, with the end of what the program complained of; the program is over."""
        self.close()
        channel_of.cache_clear()
        self.complaints.seek(max(0, self.complaints.seek(0, os.SEEK_END) - 4 * TAIL))
        said = self.complaints.read().decode(errors="replace").strip()[-TAIL:]
        status = f" (status {self.process.returncode})" if self.process.returncode else ""
        return ProgramError(f"{self.named}: {what}{status}" + (f"; on its standard error:\n{said}" if said else ""))

    def close(self) -> None:
        """Ends the program: politely, and then not."""
        atexit.unregister(self.close)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue
        try:
            self.process.wait(1.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        with suppress(OSError):  # nobody is left
            os.killpg(self.process.pid, signal.SIGKILL)


def whole(values: Any, what: str, shape: tuple[int, ...]) -> Any:
    """Whole numbers of this shape; ProgramError otherwise."""
    try:
        array = np.array(values)
    except ValueError:
        array = np.array(None)
    if array.dtype.kind not in "iu" or array.shape != shape:
        raise ProgramError(f"{what}: {shortly(values)}; it must be {' x '.join(map(str, shape))} whole numbers")
    return array.astype(np.int64)


def shortly(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
