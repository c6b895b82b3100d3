"""What a run has to judge: whole tasks, and groups that are divided into pieces, of which some need others first.

Calls are handed out in rounds: all tasks and all pieces that need nothing, then the blocks of what has begun. All that
comes back is a value, and this is the only place that knows what has become of which claim.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dpbandits.audit.run import divided
from dpbandits.audit.run.divided import Group, Piece
from dpbandits.audit.run.judging import Home, Task, concluded, judged_now, piece_now
from dpbandits.audit.run.kept import Case, Place, keep
from dpbandits.reference.ledger import Finding


class Call(NamedTuple):
    """A task's key, and what joblib takes: it returns the key, with cases or with a piece."""

    key: str
    call: Any


@dataclass(frozen=True)
class Work:
    """tasks: by key, the claims that go to one worker; those of a group, where there is one, have its key. groups: what
    is divided. places: of cases, by claim; empty where nothing is kept. files: of the ledger. remote: whether workers
    keep nothing, so that it has to be done here. cases: what is finished."""

    tasks: Mapping[str, Sequence[Task]]
    groups: Mapping[str, Group]
    places: Mapping[str, Place]
    files: tuple[str, ...] | None
    judge: Callable[..., Finding]
    home: Home
    remote: bool
    cases: dict[str, Case]

    @property
    def order(self) -> list[str]:
        """The keys, the long ones first: a worker that begins with them does not keep the others waiting at the end."""
        once = (key for key in self.tasks if key not in self.groups)
        return [*self.groups, *sorted(once, key=lambda key: len(self.tasks[key]), reverse=True)]

    def name(self, key: str) -> str:
        """Of a task, for readers: its first claim, and how many more."""
        (first, *_), *others = self.tasks[key]
        return (first if isinstance(first, str) else first.id) + (f" and {len(others)} more" if others else "")

    @property
    def most(self) -> int:
        """So many calls at most are left."""
        open_groups = [group for group in self.groups.values() if group.claims[0].id not in self.cases]
        return len(self.tasks) - len(self.groups) + sum(len(group.mine) for group in open_groups)

    def rounds(self) -> Iterator[list[Call]]:
        """All calls. Whoever asks for a round has told what came of the one before."""
        from joblib import delayed

        once = [key for key in self.order if key not in self.groups]
        judge = delayed(judged_now)
        calls = self.pieces(patient=True)
        calls += [Call(key, judge(key, self.tasks[key], self.files, self.judge, self.home)) for key in once]
        while calls:
            yield calls
            calls = self.pieces(patient=False)

    def pieces(self, patient: bool) -> list[Call]:
        """The calls for all pieces that can be done now; what is whole by now is finished. patient: as `Group.todo`."""
        from joblib import delayed

        calls, judge = [], delayed(piece_now)
        for key, group in self.groups.items():
            one, run, _ = self.tasks[key][0]
            for number in self.left(key, patient):
                there = None if self.remote else group.place(number)
                begun = group.begun(number)
                calls.append(Call(key, judge(key, one, run, number, begun, there, self.files, self.judge, self.home)))
        return calls

    def left(self, key: str, patient: bool) -> list[int]:
        """The pieces of a group that can be done now."""
        group = self.groups[key]
        while group.claims[0].id not in self.cases:
            numbers = group.todo(patient)
            if numbers or not group.whole:
                return numbers
            self.finish(key)
        return []

    # -- what comes back -----------------------------------------------------------------------------------------------

    def told(self, key: str, made: list[Case] | Piece) -> list[Case]:
        """The cases that are finished with what a call has made."""
        if isinstance(made, list):
            return self.hold(made)
        group = self.groups[key]
        if group.take(made):
            doubt(group, made.error)
        elif self.remote and not made.error and (place := group.place(made.number)):
            divided.keep(made, place)
        return self.finish(key) if group.whole else []

    def finish(self, key: str) -> list[Case]:
        """The cases of a group whose pieces are all done, which then may go; none where kept ones are no such pieces,
        and have to be done again."""
        group = self.groups[key]
        made = concluded(group, self.tasks[key], self.files, self.judge)
        failed = next((case.error for case in made if case.error), "")
        if failed and group.kept and not group.error:
            doubt(group, failed)
            group.drop(sorted(group.kept))
            return []
        if not failed:
            group.forget()
        return self.hold(made)

    def hold(self, made: list[Case]) -> list[Case]:
        """Keeps what comes from afar; all others are kept already."""
        for case in made if self.remote else ():
            if case.finding is not None and case.claim in self.places:
                keep(case, self.places[case.claim])
        self.cases.update({case.claim: case for case in made})
        return made


def doubt(group: Group, error: str) -> None:
    """Says that what was kept is judged again."""
    why = error.strip().splitlines()[-1]
    print(f"{group.claims[0].id}: what was kept of it is judged again, for it is none of it ({why})", file=sys.stderr)
