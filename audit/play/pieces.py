"""Work that a judge divides into pieces that know nothing of each other: instances of a claim, batches of runs.

A judge does them all, one after another. Who runs many processes asks the same judge otherwise: which pieces there
are; for one of them; and for the finding, given what all of them came to. So nothing is said twice, and a claim that
was divided comes out as one that was not, byte for byte. What a piece comes to is plain JSON data, which passes through
files and between machines.

A long piece may have blocks: then the piece itself is its beginning alone (the search for a pair, say), and each block
of what comes after that (trials, say) is one more piece, which is told what the beginning came to. A piece that ends in
its beginning, or in a block (where an exception is an answer, say), has come to what it ended with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")
U = TypeVar("U")


class Begin(NamedTuple):
    """A piece with blocks is asked for its beginning."""


class Block(NamedTuple):
    """It is asked for one of its blocks, given what its beginning came to."""

    number: int
    begun: Any


class Known(NamedTuple):
    """It is asked for what it comes to, given what its beginning and all its blocks came to."""

    begun: Any
    blocks: list[Any]


COUNT = "how many"
Asked = str | int | list[Any] | Begin | Block | Known | None
# COUNT, the number of a piece, or what all came to; within a piece with blocks what is asked of it; None for all work.
ASKED: ContextVar[Asked] = ContextVar("asked", default=None)
BEGUN: ContextVar[Any] = ContextVar("begun", default=None)  # of a block that is asked for: what its beginning came to
ENDED, GOES_ON = "ended", "goes on"  # keys of what a beginning or a block came to


class Answer(Exception):
    """What was asked for: the pieces, or what one of them came to."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Unread(Exception):
    """What a piece is said to have come to cannot be read."""


class Form(NamedTuple, Generic[T]):
    """How something becomes JSON data, and how it is read back."""

    write: Callable[[T], Any]
    read: Callable[[Any], T]

    def taken(self, data: Any) -> T:
        """What was read. Raises Unread where it cannot be."""
        try:
            return self.read(data)
        except Exception as error:
            raise Unread(f"what a piece came to cannot be read: {error!r}") from error


# -- the judge's side ------------------------------------------------------------------------------------------------


def each(
    pieces: Sequence[Callable[[], T]], write: Callable[[T], Any], read: Callable[[Any], T], blocks: Sequence[int] = ()
) -> list[T]:
    """What the pieces come to, in order. write, read: to JSON data, and back. blocks: how many each piece has, where
    some have any; a piece that divides its own work otherwise does it alone. Raises Answer where no more is asked for,
    and Unread."""
    asked, many, form = ASKED.get(), len(pieces), Form(write, read)
    if not isinstance(asked, str | int | list):
        return [piece() for piece in pieces]
    owners = [*range(many), *(owner for owner, own in enumerate(blocks) for _ in range(own))]
    token = ASKED.set(None)
    try:
        if isinstance(asked, str):
            raise Answer(owners)
        if isinstance(asked, int):
            owner = owners[asked]
            if owner not in owners[many:]:
                raise Answer(write(pieces[owner]()))
            first = owners.index(owner, many)
            what = Begin() if asked == owner else Block(asked - first, BEGUN.get())
            raise Answer(inside(pieces[owner], what, form))
        if len(asked) != len(owners):
            raise ValueError(f"{len(asked)} pieces are done, and there are {len(owners)}: judge the claim anew")
        came = [[what for what, of in zip(asked, owners, strict=True) if of == owner] for owner in range(many)]
        return [put(piece, own, form) for piece, own in zip(pieces, came, strict=True)]
    finally:
        ASKED.reset(token)


def inside(piece: Callable[[], T], asked: Begin | Block, form: Form[T]) -> dict[str, Any]:
    """What the beginning of a piece came to, or one of its blocks."""
    ASKED.set(asked)
    try:
        return {ENDED: form.write(piece())}
    except Answer as answer:
        return {GOES_ON: answer.value}


def put(piece: Callable[[], T], came: list[Any], form: Form[T]) -> T:
    """What a piece comes to, from what it came to, and after that its blocks."""
    if len(came) == 1:
        return form.taken(came[0])
    for one in came:
        if ended(one):
            return form.taken(one[ENDED])
    begun, *blocks = map(carried, came)
    ASKED.set(Known(begun, blocks))
    return piece()


def ended(came: Any) -> bool:
    """Whether a piece with blocks has ended where it came to this, so that no later block is needed."""
    return isinstance(came, dict) and ENDED in came


def carried(came: Any) -> Any:
    """What a beginning or a block came to that goes on. Raises Unread."""
    if isinstance(came, dict) and GOES_ON in came:
        return came[GOES_ON]
    raise Unread("what a piece came to cannot be read: it neither ended nor goes on")


def in_blocks(
    begin: Callable[[], T], block: Callable[[T, int], U], many: int, begun_as: Form[T], block_as: Form[U]
) -> tuple[T, list[U]]:
    """What a beginning comes to, and so many blocks that are told of it. Raises Answer where no more is asked for, and
    Unread."""
    asked = ASKED.get()
    ASKED.set(None)  # a piece that turns back after this, because of an exception, does all of its work alone
    match asked:
        case Begin():
            raise Answer(begun_as.write(begin()))
        case Block(number, begun):
            raise Answer(block_as.write(block(begun_as.taken(carried(begun)), number)))
        case Known(begun, blocks):
            return begun_as.taken(begun), [block_as.taken(one) for one in blocks]
    begun = begin()
    return begun, [block(begun, number) for number in range(many)]


def divided() -> bool:
    """Whether somebody asks for a part of the work: then nothing that was remembered stands in for it."""
    return ASKED.get() is not None


# -- who runs many processes -----------------------------------------------------------------------------------------


@contextmanager
def asking(what: Asked) -> Iterator[None]:
    """Whoever works meanwhile is asked for this."""
    token = ASKED.set(what)
    try:
        yield
    finally:
        ASKED.reset(token)


def owners(work: Callable[[], Any]) -> list[int]:
    """The pieces of the work: for each its own number, or, for a block, that of the piece which is its beginning and
    comes before it. [0] where the work is not divided. Whatever comes before the pieces is done for it."""
    with asking(COUNT):
        try:
            work()
        except Answer as answer:
            return list(answer.value)
    return [0]


def one(work: Callable[[], Any], number: int, begun: Any = None) -> Any:
    """What one piece of the work comes to, as JSON data. begun: of a block, what its beginning came to. Raises
    ValueError where the work has no pieces; Unread where the beginning cannot be read."""
    token = BEGUN.set(begun)
    try:
        with asking(number):
            work()
    except Answer as answer:
        return answer.value
    finally:
        BEGUN.reset(token)
    raise ValueError(f"piece {number} of work that is not divided")


def together(work: Callable[[], T], every: list[Any]) -> T:
    """What the work comes to, given what all pieces came to, in order; None for blocks that were not needed."""
    with asking(every):
        return work()
