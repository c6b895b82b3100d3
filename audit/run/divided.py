"""Long claims, judged in pieces: instances of a claim, blocks of their trials, or batches of an experiment, wherever a
worker is free.

Whether a claim is divided depends on the claim and the profile, never on the workers, so that pieces which some run has
finished are found by the next one, and by other shards. A piece is on disk the moment it exists, beside the finished
cases; when all of a claim's pieces are there, the finding is put together from them, and they go. What cannot be put
together, though nothing is damaged, is judged again, once: somebody else's hand was in it, or a mistake of ours.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import partial
from time import process_time
from traceback import format_exc
from typing import Any, NamedTuple

from dpbandits.audit.effort import Run
from dpbandits.audit.kinds import row_of
from dpbandits.audit.play import pieces
from dpbandits.audit.run.costs import LONG, Shared, estimated
from dpbandits.audit.run.dispatch import directly, proof_of
from dpbandits.audit.run.kept import UNREADABLE, Place, put, taken
from dpbandits.audit.run.plan import Plan
from dpbandits.reference.ledger import Claim, Finding

Judge = Callable[..., Finding]


class Piece(NamedTuple):
    """What became of one piece of a group's work. claim: the first of the group. data: what it came to, as JSON data;
    None with the text of the error that the judge died of. seconds: of the processor, as a Case's. unread: whether it
    was a block that could not read what the beginning came to."""

    claim: str
    number: int
    data: Any
    error: str
    seconds: float
    unread: bool = False


def counted(groups: Mapping[str, Sequence[Claim]], plan: Plan, judge: Judge) -> dict[str, list[int]]:
    """The pieces (`pieces.owners`) of the work of a group, for those that are divided. A group: a claim, or the claims
    about one experiment, which share its pieces."""
    found, shared = {}, Shared()
    for key, group in groups.items():
        first = group[0]
        if not row_of(first).statistical or proof_of(first) is not None:
            continue
        # What a judge cannot even begin with is its claim's error, in its turn.
        with suppress(Exception):
            if sum(estimated(claim, plan.run(claim), shared) for claim in group) < LONG:
                continue
            owners = pieces.owners(partial(judge, first, plan.run(first)))
            if len(owners) > 1:
                found[key] = owners
    return found


def piece_of(claim: Claim, run: Run, number: int, judge: Judge, begun: Any = None) -> Piece:
    """One piece, done here; an exception becomes a text. begun: of a block, what its beginning came to."""
    start = process_time()
    try:
        data = json.loads(json.dumps(pieces.one(lambda: directly(judge, claim, run), number, begun)))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        unread = isinstance(error, pieces.Unread)
        return Piece(claim.id, number, None, format_exc(), process_time() - start, unread)
    return Piece(claim.id, number, data, "", process_time() - start)


@dataclass
class Group:
    """A group that is divided. run: of the first claim, whose pieces these are. owners: as `pieces.owners`. places:
    where the pieces are kept; empty where they are not. mine: the pieces that are to be done here; others may be done
    elsewhere. done: those that are. kept: those of them that were not done now, but read back."""

    claims: list[Claim]
    run: Run
    owners: list[int]
    places: list[Place]
    mine: Collection[int]
    done: dict[int, Piece] = field(default_factory=dict)
    kept: set[int] = field(default_factory=set)

    def todo(self, patient: bool) -> list[int]:
        """What can be done here now, after a look at what is kept. patient: others may still do the beginnings that
        are theirs, and blocks of ours wait for them."""
        for number, place in enumerate(self.places):
            if number not in self.done and (piece := read_back(self.claims[0].id, number, place)):
                self.done[number] = piece
                self.kept.add(number)
        left = [number for number in self.mine if number not in self.done and self.needed(number)]
        now = [number for number in left if self.owners[number] in (number, *self.done)]
        return now if now or patient else sorted({self.owners[number] for number in left})

    def needed(self, number: int) -> bool:
        """Whether the piece is needed: a block is not where all ended with its beginning, or in an error."""
        owner = self.owners[number]
        return owner == number or owner not in self.done or not (self.begun(number) is None or self.ended(owner))

    def ended(self, owner: int) -> bool:
        return pieces.ended(self.done[owner].data)

    def begun(self, number: int) -> Any:
        """What the beginning of a block came to; None for what is no block, and where it died."""
        owner = self.owners[number]
        return None if owner == number else self.done[owner].data

    def take(self, piece: Piece) -> bool:
        """A piece is done. Whether it was a block that could not read what is kept of its beginning: both are then
        done again."""
        owner = self.owners[piece.number]
        if piece.unread and owner in self.kept:
            self.drop([owner])
            return True
        if not piece.unread or owner in self.done:
            self.done.setdefault(piece.number, piece)
        return False

    def drop(self, numbers: Iterable[int]) -> None:
        """These pieces were kept, and are to be done again, here."""
        for number in numbers:
            self.places[number].path.unlink(missing_ok=True)
            self.kept.discard(number)
            self.done.pop(number, None)
        self.mine = sorted({*self.mine, *numbers})

    def place(self, number: int) -> Place | None:
        return self.places[number] if self.places else None

    @property
    def error(self) -> str:
        """What the first piece died of that died; empty where none did."""
        return next((self.done[number].error for number in sorted(self.done) if self.done[number].error), "")

    @property
    def whole(self) -> bool:
        """Whether nothing more has to be waited for."""
        return all(number in self.done or not self.needed(number) for number in range(len(self.owners)))

    def asking(self) -> AbstractContextManager[None]:
        """Whoever judges a claim of the group meanwhile puts it together."""
        came = [self.done[number].data if number in self.done else None for number in range(len(self.owners))]
        return pieces.asking(came)

    def forget(self) -> None:
        """Removes the pieces, whose findings are kept."""
        for place in self.places:
            place.path.unlink(missing_ok=True)


# -- pieces on disk ------------------------------------------------------------------------------------------------


def place_of(claim: Place, number: int, many: int) -> Place:
    """Where a piece of the claim that is kept there stands."""
    path = claim.path.with_name(f"{claim.path.stem}.{number + 1}of{many}.json")
    return Place(path, f"{claim.mark} {number + 1}/{many}")


def keep(piece: Piece, place: Place) -> None:
    """Writes the piece, which has no error."""
    told = {"claim": piece.claim, "number": piece.number, "data": piece.data}
    put(place, "piece", told, piece.seconds)


def read_back(claim: str, number: int, place: Place) -> Piece | None:
    """The stored piece, or None where there is none, it is another one's, or it is not what was stored."""
    try:
        told, seconds = taken(place, "piece")
        if (told["claim"], told["number"]) != (claim, number):
            return None
        return Piece(claim, number, told["data"], "", seconds)
    except UNREADABLE:
        return None
