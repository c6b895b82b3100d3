"""Runs a user's code with a time limit, in a thread that can be abandoned; and finds containers that two of its objects
share, through which one run could learn from another.
"""

from __future__ import annotations

import ctypes
import pickle
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Event, Thread
from time import monotonic
from types import ModuleType
from typing import NoReturn, TypeVar

import numpy as np

LIFE_POLL_SECONDS = 0.5  # seconds between two looks whether it still gives signs of life
CONTAINERS = (list, dict, set, deque, bytearray, np.ndarray)
# How deep, and at how many values of one object, what is shared is looked for
MAX_SHARED_DEPTH, MAX_SHARED_VALUES = 3, 1_000


class GivenUp(BaseException):
    """Raised in a thread that was abandoned."""


Result = TypeVar("Result")


def give_up(thread: Thread) -> None:
    """Makes the interpreter raise GivenUp in a thread as soon as the thread runs Python code.

    Not under a debugger or a coverage tool: there CPython 3.11 does not leave the next traced function until the other
    thread has raised, which a thread that waits forever never does. The thread is then left running.
    """
    if sys.gettrace() is None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(GivenUp))


class Watch:
    """One piece of work in its own thread. The work calls `beat` as a sign of life."""

    def __init__(self) -> None:
        """Starts without any sign of life."""
        self.beats, self.done = 0, Event()
        self.error: BaseException | None = None

    def beat(self) -> None:
        """Counts a sign of life. The user's code is abandoned if there is none for too long."""
        self.beats += 1

    def run(self, work: Callable[[], Result], patience: float, silent: Callable[[], Exception]) -> Result:
        """Runs the work in a thread and returns the work's result.
        Raises the work's own exceptions, and `silent()` if the work gives no sign of life for `patience` seconds."""
        found: list[Result] = []

        def worked() -> None:
            """Runs the work and stores its result or its exception."""
            try:
                found.append(work())
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
        return found[0]

    def leave(self, error: Exception) -> NoReturn:
        """Makes the waiting caller raise this error, and never returns: the thread of the work sleeps from then on.
        The work calls this method if no exception can end it."""
        self.error = error
        self.done.set()
        while True:
            Event().wait()


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
