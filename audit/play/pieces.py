"""Work that a judge divides into pieces that know nothing of each other: instances of a claim, batches of runs.

A judge does them all, one after another. Who runs many processes asks the same judge otherwise: how many pieces there
are; for one of them; and for the finding, given what all of them came to. So nothing is said twice, and a claim that
was divided comes out as one that was not, byte for byte. What a piece comes to is plain JSON data, which passes through
files and between machines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")
COUNT = "how many"
Asked = str | int | list[Any] | None  # COUNT, the number of a piece, what all came to; None for all of the work
ASKED: ContextVar[Asked] = ContextVar("asked", default=None)


class Answer(Exception):
    """What was asked for: the number of pieces, or what one of them came to."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


def each(pieces: Sequence[Callable[[], T]], write: Callable[[T], Any], read: Callable[[Any], T]) -> list[T]:
    """What the pieces come to, in order. write, read: to JSON data, and back. A piece that divides its own work does
    it alone. Raises Answer where no more is asked for."""
    asked = ASKED.get()
    if asked is None:
        return [piece() for piece in pieces]
    if asked == COUNT:
        raise Answer(len(pieces))
    token = ASKED.set(None)
    try:
        if isinstance(asked, int):
            raise Answer(write(pieces[asked]()))
        assert isinstance(asked, list)
        if len(asked) != len(pieces):
            raise ValueError(f"{len(asked)} pieces are done, and there are {len(pieces)}: judge the claim anew")
        return [read(data) for data in asked]
    finally:
        ASKED.reset(token)


def divided() -> bool:
    """Whether somebody asks for a part of the work: then nothing that was remembered stands in for it."""
    return ASKED.get() is not None


@contextmanager
def asking(what: Asked) -> Iterator[None]:
    """Whoever works meanwhile is asked for this."""
    token = ASKED.set(what)
    try:
        yield
    finally:
        ASKED.reset(token)


def how_many(work: Callable[[], Any]) -> int:
    """The pieces of the work; 1 where it is not divided. Whatever comes before the pieces is done for it."""
    with asking(COUNT):
        try:
            work()
        except Answer as answer:
            return int(answer.value)
    return 1


def one(work: Callable[[], Any], number: int) -> Any:
    """What one piece of the work comes to, as JSON data. Raises ValueError where the work has no pieces."""
    with asking(number):
        try:
            work()
        except Answer as answer:
            return answer.value
    raise ValueError(f"piece {number} of work that is not divided")


def together(work: Callable[[], T], every: list[Any]) -> T:
    """What the work comes to, given what all pieces came to, in order."""
    with asking(every):
        return work()
