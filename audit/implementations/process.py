"""A program in any language as a policy: JSON lines over its standard input and output, all trials in one line.

The protocol is described for the program's author in the README beside this file, and by `wire.schema.json`.
A program plays one batch of runs at a time and remembers it. What asks here for another past than the one that the
program is in (a round looked at twice, a history led elsewhere) makes it begin anew and learn that past.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np

from dpbandits.audit.implementations.channel import Channel, ProgramError
from dpbandits.audit.implementations.objects import seeds
from dpbandits.reference.checks import at_least
from dpbandits.reference.environments import UNIT, reward_values
from dpbandits.reference.environments import reward_range as checked_rewards
from dpbandits.reference.noise import Array, Noise
from dpbandits.reference.policy import Policy, Pulls


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


@dataclass(frozen=True, eq=False)
class Program:
    """A policy that a program plays; made by `from_program`, which says what the parts are. Two are the same where they
    read the same: 1 is no True to a program, and a set or a list has no hash."""

    command: tuple[str, ...]
    arms: int
    horizon: int
    parameters: tuple[tuple[str, Any], ...] = ()
    patience: float = 60.0
    answers: bool = False
    reward_range: Any = UNIT

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    @property
    def terms(self) -> dict[str, Any]:
        """What `init` says beyond version 1, where there is something to say; the version then is 2."""
        said: dict[str, Any] = {"answers": True} if self.answers else {}
        if self.reward_range != UNIT:
            said["reward_range"] = list(checked_rewards(self))
        if (values := reward_values(self)) is not None:
            said["rewards"] = values.tolist()
        return {"version": 2 if said else 1} | said

    def init(self, trials: int) -> Past:
        return Past(trials)

    def act(self, t: int, state: Past, noise: Noise) -> Pulls:
        return player(self).act(t, state, noise)

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
    answers: bool = False,
    reward_range: Any = UNIT,
) -> Policy:
    """A policy that a program plays, over the protocol of JSON lines.

    command: the program and its arguments; it is started when it is first needed, once in every process. parameters:
    handed to it as they are. patience: seconds that it may take for one answer. answers: whether runs end with an arm
    that is recommended. reward_range: the rewards that it is made for, (low, high) or the set of all. Raises ValueError
    for an empty command, arms or a horizon below 1, or a patience that is not positive; ProgramError in play.
    """
    if isinstance(command, str) or not command:
        raise ValueError(f"from_program: command is {command!r}; give the program and its arguments, ('./mine', '-x')")
    at_least("from_program: arms", arms, 1)
    at_least("from_program: horizon", horizon, 1)
    if not patience > 0:
        raise ValueError(f"from_program: patience is {patience}; give seconds above 0")
    program = Program(tuple(command), arms, horizon, tuple((parameters or {}).items()), patience, answers, reward_range)
    checked_rewards(program)
    return program


# -- the program at the other end ------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def player_of(program: Program) -> Player:
    """The running program of a policy: one for each in a process, as long as nobody needs many others."""
    return Player(program)


def player(program: Program) -> Player:
    """The same, anew where it has ended."""
    if player_of(program).channel.ended:
        player_of.cache_clear()
    return player_of(program)


class Player:
    """A running program, and which past it is in."""

    def __init__(self, program: Program) -> None:
        self.program, self.channel = program, Channel(program.command, program.patience)
        self.at: Past | None = None  # the past that it is in, if it has not acted on it yet
        self.acted: Past | None = None  # the past that it has acted on last, and may learn more of

    def act(self, t: int, past: Past, noise: Noise) -> Pulls:
        self.lead_to(past, noise)
        self.at = None  # whoever asks again wants fresh draws
        answer = self.channel.ask({"do": "act", "t": t})
        shape = (past.trials, self.program.arms)
        if len(answer.keys() & {"arms", "counts", "answers"}) > 1:
            raise ProgramError(
                f"{self.channel.named}: step {t}: act was answered by {shortly(answer)}; give one of them"
            )
        if "arms" in answer:
            arms = whole(answer["arms"], f"step {t}: arms", shape[:1])
            self.acted = past
            return Pulls.one(arms, self.program.arms)
        if "counts" in answer:
            self.acted = past
            return Pulls(whole(answer["counts"], f"step {t}: counts", shape))
        if "answers" in answer and self.program.answers:
            self.acted = past
            return Pulls.answer(whole(answer["answers"], f"step {t}: answers", shape[:1]), self.program.arms)
        raise ProgramError(
            f"{self.channel.named}: step {t}: act was answered by {shortly(answer)}; it takes 'arms' or 'counts'"
            + (", and at the end of a run 'answers'" if self.program.answers else "")
        )

    def lead_to(self, past: Past, noise: Noise) -> None:
        """Brings the program into this past: by the last lesson where it has just acted on the one before, else from
        the beginning."""
        if self.at is past:
            return
        if past.before is not None and self.acted is past.before:
            self.channel.ask(past.lesson)
        else:
            program = self.program
            begin = {"do": "init", "trials": past.trials, "arms": program.arms} | program.terms
            begin |= {"horizon": program.horizon, "seeds": seeds(noise, "program")}
            self.channel.ask(begin | {"parameters": dict(program.parameters)})
            for each in past.lessons():
                self.channel.ask(each)
        self.at, self.acted = past, None


def whole(values: Any, what: str, shape: tuple[int, ...]) -> Any:
    """Whole numbers of this shape; ProgramError otherwise."""
    try:
        array = np.array(values)
    except ValueError:
        array = np.array(None)
    # An array of what no int64 holds is unsigned, and one with a true in it would have a 1 there.
    if array.dtype.kind != "i" or array.shape != shape or any(type(each) is bool for each in flat(values)):
        raise ProgramError(f"{what}: {shortly(values)}; it must be {' x '.join(map(str, shape))} whole numbers")
    return array.astype(np.int64)


def flat(values: Any) -> Iterator[Any]:
    """The entries of a list, or of a list of lists."""
    return chain.from_iterable(each if isinstance(each, list) else (each,) for each in values)


def shortly(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
