"""Runs a user's code with a time limit, in a thread that can be abandoned; and finds containers that two of its objects
share, through which one run could learn from another.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic
from types import ModuleType
from typing import NamedTuple, NoReturn, TypeVar

import numpy as np

LIFE_POLL_SECONDS = 0.5  # seconds between two looks whether it still gives signs of life
CONTAINERS = (list, dict, set, deque, bytearray, np.ndarray)
# How deep, and at how many values of one object, what is shared is looked for
MAX_SHARED_DEPTH, MAX_SHARED_VALUES = 3, 1_000


class GivenUp(BaseException):
    """Raised in a thread that was abandoned."""


Result = TypeVar("Result")


class Worker:
    """A thread that runs one piece of work after another. Starting a thread for each would cost more than most of the
    work does. Every piece finds what it would find in a thread of its own: the trace and profile functions that
    `threading` has at the time, and a new context of context variables.
    """

    def __init__(self) -> None:
        """Starts the thread."""
        self.tasks = SimpleQueue[Callable[[], None] | None]()
        self.thread = Thread(target=self.run_tasks, daemon=True)
        self.thread.start()

    def run_tasks(self) -> None:
        """Runs the pieces of work until one of them is None, or until the thread is given up."""
        with suppress(GivenUp):
            for task in iter(self.tasks.get, None):
                sys.setprofile(threading.getprofile())
                sys.settrace(threading.gettrace())
                try:
                    Context().run(task)
                finally:
                    sys.settrace(None)
                    sys.setprofile(None)
                    del task  # the state of a run should not live until the next piece of work

    def give_up(self) -> None:
        """Makes the interpreter raise GivenUp in the thread as soon as the thread runs Python code.

        Not under a debugger or a coverage tool: there CPython 3.11 does not leave the next traced function until the
        other thread has raised, which a thread that waits forever never does. The thread is then left running.
        """
        self.tasks.put(None)
        if sys.gettrace() is None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self.thread.ident or 0), ctypes.py_object(GivenUp)
            )


IDLE: list[Worker] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=IDLE.clear)  # a forked process has none of these threads


class Watch:
    """One piece of work in a worker's thread. The work calls `beat` as a sign of life."""

    def __init__(self) -> None:
        """Starts without any sign of life."""
        self.beats, self.ended = 0, SimpleQueue[Ending]()

    def beat(self) -> None:
        """Counts a sign of life. The user's code is abandoned if there is none for too long."""
        self.beats += 1

    def run(self, work: Callable[[], Result], patience: float, silent: Callable[[], Exception]) -> Result:
        """Runs the work in another thread and returns the work's result.
        Raises the work's own exceptions, and `silent()` if the work gives no sign of life for `patience` seconds."""
        found: list[Result] = []

        def worked() -> None:
            """Runs the work and stores its result or its exception."""
            try:
                found.append(work())
            except GivenUp:
                raise
            except BaseException as error:
                self.ended.put(Ending(error))
            else:
                self.ended.put(Ending())

        try:
            worker = IDLE.pop()
        except IndexError:
            worker = Worker()
        worker.tasks.put(worked)
        ending = self.wait_for_end(patience)
        if ending is None:
            worker.give_up()
            raise silent()
        if ending.is_idle:
            IDLE.append(worker)
        if ending.error is not None:
            raise ending.error
        return found[0]

    def wait_for_end(self, patience: float) -> Ending | None:
        """Waits for the end of the work; None if the work gives no sign of life for `patience` seconds."""
        heard, until = self.beats, monotonic() + patience
        while True:
            try:
                return self.ended.get(timeout=min(LIFE_POLL_SECONDS, max(0.0, until - monotonic())))
            except Empty:
                if self.beats != heard:
                    heard, until = self.beats, monotonic() + patience
                elif monotonic() >= until:
                    return None

    def leave(self, error: Exception) -> NoReturn:
        """Makes the waiting caller raise this error, and never returns: the thread of the work sleeps from then on.
        The work calls this method if no exception can end it."""
        self.ended.put(Ending(error, is_idle=False))
        while True:
            Event().wait()


class Ending(NamedTuple):
    """How a piece of work ended: its exception, if any, and whether its worker may run another one."""

    error: BaseException | None = None
    is_idle: bool = True


@dataclass(eq=False)
class Shared:
    """A container that two objects share, with its content at the time of recording. A dict may grow, because it may be
    a cache."""

    name: str
    held: object
    before: dict[object, bytes] | None = None

    def __post_init__(self) -> None:
        """Records the present content of the container, to compare it later."""
        self.before = self.now()

    def now(self) -> dict[object, bytes] | None:
        """Returns the present content as bytes, by key for a dict; None if it cannot be pickled."""
        try:
            parts = self.held.items() if isinstance(self.held, dict) else ((None, self.held),)
            return {key: pickle.dumps(part) for key, part in parts}
        except Exception:  # whatever somebody's object says to that
            return None

    def changed(self) -> bool:
        """Whether a part of the container differs from the content that was recorded."""
        now = self.now()
        return self.before is not None and now is not None and any(now.get(k) != old for k, old in self.before.items())


def shared_by(members: Sequence[object]) -> list[Shared]:
    """Returns the mutable containers that the first two objects share, including attributes of their class.
    Containers in modules and in functions' caches are not found."""
    if len(members) < 2:
        return []
    first, second = (dict(containers_within(member)) for member in members)
    return [Shared(name, held) for key, (name, held) in first.items() if key in second]


def containers_within(member: object) -> Iterator[tuple[int, tuple[str, object]]]:
    """Yields the mutable containers in an object: the id of each, its name, and the container."""
    todo = [(f".{name}", part, 1) for name, part in getattr(member, "__dict__", {}).items()]
    for kind in type(member).__mro__[:-1]:
        known = ((name, part) for name, part in vars(kind).items() if not name.startswith("__"))
        todo += [
            (f"{kind.__name__}.{name}", part, MAX_SHARED_DEPTH) for name, part in known if isinstance(part, CONTAINERS)
        ]
    for name, part, depth in todo:  # which grows meanwhile
        if isinstance(part, CONTAINERS):
            yield id(part), (name, part)
        if depth < MAX_SHARED_DEPTH and len(todo) < MAX_SHARED_VALUES:
            if isinstance(part, dict):
                todo += [(f"{name}[{key!r}]", each, depth + 1) for key, each in part.items()]
            elif isinstance(part, list | tuple):
                todo += [(f"{name}[{place}]", each, depth + 1) for place, each in enumerate(part)]
            elif not isinstance(part, type | ModuleType):
                todo += [(f"{name}.{key}", each, depth + 1) for key, each in getattr(part, "__dict__", {}).items()]
