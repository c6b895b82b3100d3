"""Long claims, judged in pieces: instances of a claim, or batches of an experiment, wherever a worker is free.

Whether a claim is divided depends on the claim and the profile, never on the workers, so that pieces which some run has
finished are found by the next one, and by other shards. A piece is on disk the moment it exists, beside the finished
cases; when all of a claim's pieces are there, the finding is put together from them, and they go.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
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
    None with the text of the error that the judge died of. seconds: of the processor, as a Case's."""

    claim: str
    number: int
    data: Any
    error: str
    seconds: float


def counted(groups: Mapping[str, Sequence[Claim]], plan: Plan, judge: Judge) -> dict[str, int]:
    """How many pieces the work of a group has, for those that are divided. A group: a claim, or the claims about one
    experiment, which share its pieces."""
    found, shared = {}, Shared()
    for key, group in groups.items():
        first = group[0]
        if not row_of(first).statistical or proof_of(first) is not None:
            continue
        # What a judge cannot even begin with is its claim's error, in its turn.
        with suppress(Exception):
            if sum(estimated(claim, plan.run(claim), shared) for claim in group) < LONG:
                continue
            if (many := pieces.how_many(partial(judge, first, plan.run(first)))) > 1:
                found[key] = many
    return found


def piece_of(claim: Claim, run: Run, number: int, judge: Judge) -> Piece:
    """One piece, done here; an exception becomes a text."""
    start = process_time()
    try:
        data = json.loads(json.dumps(pieces.one(lambda: directly(judge, claim, run), number)))
    except (Exception, SystemExit):
        return Piece(claim.id, number, None, format_exc(), process_time() - start)
    return Piece(claim.id, number, data, "", process_time() - start)


@dataclass
class Group:
    """A group that is divided. run: of the first claim, whose pieces these are. places: where the pieces are kept;
    empty where they are not. mine: the pieces that are to be done here; others may be done elsewhere. done: those that
    are."""

    claims: list[Claim]
    run: Run
    many: int
    places: list[Place]
    mine: Collection[int]
    done: dict[int, Piece] = field(default_factory=dict)

    def todo(self) -> list[int]:
        """What is left to do here, after a look at what is kept."""
        for number, place in enumerate(self.places):
            if number not in self.done and (piece := read_back(self.claims[0].id, number, place)):
                self.done[number] = piece
        return [number for number in self.mine if number not in self.done]

    def take(self, piece: Piece) -> None:
        """A piece is done."""
        self.done[piece.number] = piece

    def place(self, number: int) -> Place | None:
        return self.places[number] if self.places else None

    @property
    def error(self) -> str:
        """What the first piece died of that died; empty where none did."""
        return next((self.done[number].error for number in sorted(self.done) if self.done[number].error), "")

    @property
    def whole(self) -> bool:
        """Whether nothing more has to be waited for."""
        return len(self.done) == self.many

    def asking(self) -> AbstractContextManager[None]:
        """Whoever judges a claim of the group meanwhile puts it together."""
        return pieces.asking([self.done[number].data for number in range(self.many)])

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
