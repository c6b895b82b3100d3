"""What a worker does: it judges the claims of a task, or one piece of a group's work, and keeps what it has found."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from threading import Lock, Thread
from time import process_time, sleep
from traceback import format_exc
from typing import Any, NamedTuple

from dpbandits.audit.effort import Run
from dpbandits.audit.run import divided
from dpbandits.audit.run.dispatch import directly
from dpbandits.audit.run.divided import Group, Piece, piece_of
from dpbandits.audit.run.kept import Case, Place, fault, keep
from dpbandits.audit.run.workers import demand_version
from dpbandits.reference import library
from dpbandits.reference.ledger import Claim, Finding

Task = tuple[Claim | str, Run, Place | None]  # the claim as a worker gets it, its settings, where its case is kept


class Home(NamedTuple):
    """The process that asked. process: its id; 0 where it is on another machine. version: of its code, as
    `workers.version`; "" where it is ours."""

    process: int
    version: str = ""


ONE = Lock()  # intervals have one precision for all threads of a process, so that these judge one after another


def judged_now(
    key: str, task: Sequence[Task], files: tuple[str, ...] | None, judge: Callable[..., Finding], home: Home
) -> tuple[str, list[Case]]:
    """The cases of some claims, by the task's key, each on disk before the next one begins. An exception becomes a
    text, and is not kept. files: of the ledger that the ids are of. home: without it there is nobody to work for.
    Raises RuntimeError where this process runs other code."""
    at_home(home)
    with ONE:
        return key, in_turn(task, files, judge)


def at_home(home: Home) -> None:
    """Ends with the process that asked, or demands its version."""
    if home.version:
        demand_version(home.version)
    else:
        leave_with(home.process)


def piece_now(
    key: str,
    claim: Claim | str,
    run: Run,
    number: int,
    begun: Any,
    place: Place | None,
    files: tuple[str, ...] | None,
    judge: Callable[..., Finding],
    home: Home,
) -> tuple[str, Piece]:
    """A piece of a group's work, by the group's key; on disk before the next one begins. begun: of a block, what its
    beginning came to. As `judged_now`."""
    at_home(home)
    with ONE:
        piece = piece_of(opened(claim, files), run, number, judge, begun)
    if place and not piece.error:
        divided.keep(piece, place)
    return key, piece


def opened(claim: Claim | str, files: tuple[str, ...] | None) -> Claim:
    """The claim that was sent."""
    return library.opened(files or ()).by_id[claim] if isinstance(claim, str) else claim


def in_turn(
    task: Sequence[Task], files: tuple[str, ...] | None, judge: Callable[..., Finding], spent: float = 0.0
) -> list[Case]:
    """spent: seconds that have gone into the first claim."""
    made: list[Case] = []
    for one, run, place in task:
        claim = opened(one, files)
        start = process_time() - (0.0 if made else spent)
        try:
            finding = directly(judge, claim, run)
            why = fault(claim.id, finding)
            error = why and f"the finding would never be read back: {why}"
        except KeyboardInterrupt:
            raise
        except BaseException:  # a page's code may well ask to end the process, or raise what is no Exception
            error = format_exc()
        made.append(Case(claim.id, None if error else finding, error, process_time() - start))
        if place and not error:
            keep(made[-1], place)
    return made


@cache
def leave_with(home: int) -> None:
    """Ends this worker when the process that it works for has gone, however that ended."""

    def watch() -> None:
        while os.getppid() == home:
            sleep(0.5)
        os._exit(1)

    if os.getpid() != home:
        Thread(target=watch, daemon=True).start()


def ready(home: int, files: tuple[str, ...] | None) -> None:
    """Loads the ledger that claims will be of."""
    leave_with(home)
    if files is not None:
        library.opened(files)


def concluded(
    group: Group, task: Sequence[Task], files: tuple[str, ...] | None, judge: Callable[..., Finding]
) -> list[Case]:
    """The cases of a group whose pieces are all done. The first claim of it gets their seconds."""
    seconds = sum(piece.seconds for piece in group.done.values())
    if group.error:
        first, *others = (Case(claim.id, None, group.error, 0.0) for claim in group.claims)
        return [first._replace(seconds=seconds), *others]
    with ONE, group.asking():
        return in_turn(task, files, judge, seconds)
