"""Makes a policy of a program in any language. Messages are lines of JSON over its standard input and output; each line
contains all trials.

The protocol is described for the program's author in `protocol.md` in this folder, and by `wire.schema.json`. A program
plays one batch of runs at a time and remembers it. If another past is needed (a round is played twice, or from another
history), the program starts again and replays that past.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np

from dpbandits.audit.statistics.copies import WatchedGenerators
from dpbandits.extensions.conformance.channel import Channel, ProgramError
from dpbandits.extensions.conformance.objects import seeds
from dpbandits.reference.arithmetic.checks import at_least, is_number, require_flag
from dpbandits.reference.bandits.contexts import context_dimension
from dpbandits.reference.bandits.contexts import context_norm as norm_of_contexts
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.policy import ContextualPolicy, Ints, Policy, Pulls
from dpbandits.reference.bandits.reward_ranges import UNIT_RANGE, reward_values
from dpbandits.reference.bandits.reward_ranges import reward_range as checked_rewards

MAX_LIVE_PROGRAMS = 8  # programs that run at once in a process
IN_CONTEXTS = 3  # the version of the protocol that has contexts, which a program has to say as well


@dataclass(frozen=True, eq=False)
class Past:
    """The messages about rewards that a batch of runs has received so far, as an immutable chain."""

    trials: int
    before: Past | None = None
    lesson: Mapping[str, object] = field(default_factory=dict)

    def reward_messages(self) -> list[Mapping[str, object]]:
        """Returns the messages to the program about all rewards so far, the first message first."""
        found: list[Mapping[str, object]] = []
        past: Past | None = self
        while past is not None and past.before is not None:
            found.append(past.lesson)
            past = past.before
        return found[::-1]

    def __deepcopy__(self, memo: object) -> Past:
        """Returns this object itself, because a past never changes."""
        return self


@dataclass(frozen=True, eq=False)
class Program:
    """A policy that a program plays; made by `from_program`, which describes its fields. Two are equal if their JSON is
    equal: 1 differs from True for a program, and a set or a list has no hash."""

    command: tuple[str, ...]
    arms: int
    horizon: int
    parameters: tuple[tuple[str, object], ...] = ()
    patience: float = 60.0
    answers: bool = False
    reward_range: Collection[float] = UNIT_RANGE
    contexts: int | None = None
    context_norm: float = 1.0
    deterministic: bool = False
    given_randomness: ClassVar[str] = "the `seeds` that init passes to the program have no effect"

    def watched(self, generators: WatchedGenerators) -> Program:
        """Returns the program itself, because its randomness cannot be observed from outside."""
        return self

    def __eq__(self, other: object) -> bool:
        """Whether both objects are programs with the same command and parameters."""
        return isinstance(other, Program) and repr(self) == repr(other)

    def __hash__(self) -> int:
        """The hash of the program's command and parameters."""
        return hash(repr(self))

    @property
    def terms(self) -> dict[str, object]:
        """Returns the protocol version, with the fields of the message `init` that exist only in later versions.
        The version is 2 for answers or other rewards, 3 for contexts."""
        said: dict[str, object] = {"answers": True} if self.answers else {}
        if self.reward_range != UNIT_RANGE:
            said["reward_range"] = list(checked_rewards(self))
        if (values := reward_values(self)) is not None:
            said["rewards"] = values.tolist()
        version = 2 if said else 1
        if self.contexts is not None:
            said |= {"contexts": context_dimension(self), "context_norm": norm_of_contexts(self)}
            version = IN_CONTEXTS
        return {"version": version} | said

    def init(self, trials: int) -> Past:
        """Returns the past of `trials` runs before the first step, in which nothing was learned."""
        return Past(trials)

    def act(self, t: int, state: Past, noise: Noise, *seen: Array) -> Pulls:
        """Asks the program for the pulls of step t, and returns them."""
        return player_of(self).act(t, state, noise, *seen)

    def learn(self, t: int, state: Past, pulls: Pulls, sums: Array, noise: Noise, *seen: Array) -> Past:
        """Returns the past with one more message about rewards.
        The message is sent to the program only when the program next has to act."""
        if pulls.bound is not None:
            raise ValueError(
                f"step {t}: truncated rewards are not part of the protocol for programs; use a policy without them"
            )
        return Past(state.trials, state, with_features(lesson_message(t, pulls, sums), *seen))


def with_features(message: dict[str, object], *seen: Array) -> dict[str, object]:
    """Returns the message with the features of the step, (trials, arms, d); unchanged without contexts."""
    return message | {"contexts": seen[0].tolist()} if seen else message


def lesson_message(t: int, pulls: Pulls, sums: Array) -> dict[str, object]:
    """Returns the message that tells a program its rewards.
    For single pulls the arms and rewards, otherwise counts and sums."""
    single = pulls.counts.sum(axis=1)
    if (single == 1).all():
        arm = pulls.counts.argmax(axis=1)
        return {"do": "learn", "t": t, "arms": arm.tolist(), "rewards": sums[np.arange(len(arm)), arm].tolist()}
    return {"do": "learn", "t": t, "counts": pulls.counts.tolist(), "sums": sums.tolist()}


def from_program(
    command: Sequence[str | os.PathLike[str]],
    arms: int,
    horizon: int,
    parameters: Mapping[str, object] | None = None,
    patience: float = 60.0,
    answers: bool = False,
    reward_range: Collection[float] = UNIT_RANGE,
    contexts: int | None = None,
    context_norm: float = 1.0,
    deterministic: bool = False,
) -> Policy | ContextualPolicy:
    """Makes a policy that is played by a program, over a protocol of JSON lines.

    command: the program and its arguments; the program is started when it is first needed, once in every process.
    parameters: passed to the program as JSON. patience: the time limit in seconds for one answer of the program.
    answers: whether runs end with a recommended arm. reward_range: the rewards for which the program is designed, (low,
    high) or the set of all possible rewards. contexts: None, or the number of features of every arm that the program
    receives before it pulls (version 3 of the protocol). context_norm: the largest Euclidean norm of an arm's features
    for which the program is designed. deterministic: True for a program that uses no randomness on purpose, as in
    `from_object`. Raises ValueError for an invalid command, arms or a horizon below 1, parameters that JSON cannot
    represent, a patience that is not positive, and contexts combined with recommendations; ProgramError during play.
    """
    try:
        words = () if isinstance(command, str) else tuple(map(os.fsdecode, command))
    except TypeError:  # a number, or a single path
        words = ()
    if not words:
        raise ValueError(
            f"from_program: command is {command!r}; give a tuple with the program and its arguments, such as "
            "('./mine', '-x')"
        )
    at_least("from_program: arms", arms, 1)
    at_least("from_program: horizon", horizon, 1)
    if not (is_number(patience) and patience > 0):
        raise ValueError(f"from_program: patience is {patience!r}; it must be a positive number of seconds")
    said = tuple(in_json({} if parameters is None else parameters).items())
    require_flag("from_program: deterministic", deterministic)
    program = Program(
        words, int(arms), int(horizon), said, patience, answers, reward_range, contexts, context_norm, deterministic
    )
    checked_rewards(program)
    context_dimension(program)
    norm_of_contexts(program)
    return program


def in_json(parameters: Mapping[str, object]) -> dict[str, object]:
    """Returns a copy of the parameters, converted to JSON and back. Raises ValueError if JSON cannot represent them."""
    try:
        return dict(json.loads(json.dumps(dict(parameters), allow_nan=False)))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"from_program: parameters is {parameters!r} ({error}); give a dict from names to finite "
            "numbers, strings, or lists of these (no numpy types)"
        ) from None


# -- the program at the other end ------------------------------------------------------------------------------------


PLAYERS: dict[tuple[int, Program], Player] = {}  # by process, for a fork has its parent's; the last used at the end


def player_of(program: Program) -> Player:
    """Returns the running program of a policy, restarted if it has ended. Each process has its own.
    If too many programs run, the least recently used one is ended."""
    key = (os.getpid(), program)
    player = PLAYERS.pop(key, None)
    if player is None or player.channel.ended:
        player = Player(program)
    PLAYERS[key] = player
    if len(PLAYERS) > MAX_LIVE_PROGRAMS:
        PLAYERS.pop(next(iter(PLAYERS))).channel.close()
    return player


class Player:
    """A running program, and the past that it is in."""

    def __init__(self, program: Program) -> None:
        """Starts the program of a policy, and the channel to it."""
        self.program, self.channel = program, Channel(program.command, program.patience)
        self.acted: Past | None = None  # the past that it has acted on last, and may learn more of

    def act(self, t: int, past: Past, noise: Noise, *seen: Array) -> Pulls:
        """Brings the program into this past and asks for its pulls. Raises ProgramError for an invalid answer."""
        self.replay_past(past, noise)
        answer = self.channel.ask(with_features({"do": "act", "t": t}, *seen))
        shape = (past.trials, self.program.arms)
        if len(answer.keys() & {"arms", "counts", "answers"}) > 1:
            raise ProgramError(
                f"{self.channel.named}: step {t}: the answer to act was {shortened_json(answer)}, which has "
                "several of 'arms', 'counts' and 'answers'; give one of them"
            )
        for name, make in (("arms", Pulls.one), *[("answers", Pulls.answer)] * self.program.answers):
            if name in answer:
                arms = require_whole_numbers(answer[name], f"{self.channel.named}: step {t}: {name}", shape[:1])
                pulls = self.named(t, partial(make, arms, self.program.arms))
                self.acted = past
                return pulls
        if "counts" in answer and not seen:
            self.acted = past
            return Pulls(require_whole_numbers(answer["counts"], f"{self.channel.named}: step {t}: counts", shape))
        raise ProgramError(
            f"{self.channel.named}: step {t}: the answer to act was {shortened_json(answer)}; it must contain 'arms'"
            + (" (with contexts, a step is one pull)" if seen else " or 'counts'")
            + (", and at the end of a run 'answers'" if self.program.answers else "")
        )

    def named(self, t: int, made: Callable[[], Pulls]) -> Pulls:
        """Returns the pulls that `made` builds from the program's answer.
        Raises ProgramError, with program, step and message, for an invalid arm."""
        try:
            return made()
        except ValueError as error:
            raise ProgramError(f"{self.channel.named}: step {t}: {error}; {self.channel.request}") from None

    def replay_past(self, past: Past, noise: Noise) -> None:
        """Informs the program of all rewards of this past, so that it can act next.
        If the program has just acted on the past before, one message is enough; otherwise the run starts again, so that
        a repeated question gets fresh draws."""
        acted, self.acted = self.acted, None  # it is in no known past if a lesson fails
        if past.before is not None and acted is past.before:
            self.channel.ask(past.lesson)
        else:
            program = self.program
            begin = {"do": "init", "trials": past.trials, "arms": program.arms} | program.terms
            begin |= {"horizon": program.horizon, "seeds": seeds(noise, "program")}
            self.demand_version(self.channel.ask(begin | {"parameters": dict(program.parameters)}))
            for each in past.reward_messages():
                self.channel.ask(each)

    def demand_version(self, answer: Mapping[str, object]) -> None:
        """Raises ProgramError if contexts are needed, and the program does not declare that it reads them.
        Its answer to `init` has to declare this, because a program of an earlier version would ignore them."""
        if self.program.contexts is not None and answer.get("version") != IN_CONTEXTS:
            raise ProgramError(
                f"{self.channel.named}: init has contexts = {self.program.contexts} and protocol version "
                f"{IN_CONTEXTS}, but the program answered {shortened_json(answer)}, which does not declare that it "
                'reads contexts. Let the program read "contexts" in act and learn, and answer init by {"done": true, '
                f'"version": {IN_CONTEXTS}}}; or compare it with a policy without contexts'
            )


def require_whole_numbers(values: object, name: str, shape: tuple[int, ...]) -> Ints:
    """Returns the values as an array of integers of this shape. Raises ProgramError otherwise."""
    try:
        array = np.array(values)
    except ValueError:
        array = np.array(None)
    # An array of what no int64 holds is unsigned, and one with a true in it would have a 1 there.
    if (
        array.dtype.kind != "i"
        or array.shape != shape
        or any(type(each) is bool for each in np.array(values, dtype=object).ravel())
    ):
        raise ProgramError(
            f"{name}: the answer is {shortened_json(values)}; it must contain {' x '.join(map(str, shape))} integers, "
            'written as 1 and not as 1.0 or "1"'
        )
    return array.astype(np.int64)


def shortened_json(value: object) -> str:
    """Returns the value as JSON text, cut to 80 characters."""
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
