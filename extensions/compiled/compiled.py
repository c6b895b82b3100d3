"""Plays long runs of a policy faster: numba compiles the policy's own source, if the saved time exceeds the compilation
time.

A backend plays steps of a `Batch`. The numpy policy can play any step. Of the steps that `kernels` compiles, the numpy
policy also plays the first one of every call, a random one, and the last one, in all trials, from the same state: both
must agree in everything that the batch holds, number by number, or the run is an error (`Disagreement`). When a policy
is first played, numpy also plays some trials ahead, step by step, through the early calls. If it meets a step of
another kind, numpy plays that step. A policy that behaves differently only in a few late steps between those that numpy
plays, or only in states that these trials do not reach, goes unnoticed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from inspect import getattr_static
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpbandits.audit.play.fastest import play_to_end
from dpbandits.audit.play.many import TableBatch
from dpbandits.extensions.compiled.kernels import BETA_METHODS, METHODS, Drawn, Samples, joint_policy_of, kernel_of
from dpbandits.extensions.compiled.scalar_text import NotCompiled, own_names
from dpbandits.reference.bandits.environments import Environment
from dpbandits.reference.bandits.noise import Array, ByKind, Flags, Noise, Reals, Seeded, address, draw_of_kind
from dpbandits.reference.bandits.passing import State, copy_state
from dpbandits.reference.bandits.play import Batch, Played, demand_playable
from dpbandits.reference.bandits.policy import Ints, Policy

FIRST_CALL, LARGEST_CALL = 8, 1024  # steps; in between a call plays as many as have been played
AHEAD_TRIALS = 32  # which cost hardly more than one
EARLY_STEPS = 1024  # calls that begin before this step are early
OTHER_STEPS = 64  # beside one for every arm, after which a policy is left alone that still does what is not compiled
REPORT = (
    "`dpbandits.play` plays the policy without compilation. If `act` and `learn` of the policy do no more than the "
    "methods that are compiled, report this error"
)


class Disagreement(RuntimeError):
    """Raised if the compiled run differs from the run of the numpy policy."""


def play_compiled(policy: Policy, environment: Environment, noise: Seeded, trials: int) -> Played:
    """The runs of `play(policy, environment, noise, trials, keep=False)`, compiled by numba, however short they are.

    policy: has a `posterior`, and pulls the arm with the largest of normal samples, as Thompson sampling does. If
    samples change its state, it also has `sampled` and `observed`, of which `learn` consists. environment: `Bernoulli`,
    `TwoPoint` or `TruncatedExponential` arms, a `Table` or a `Stream`. noise: a `Seeded` with the same number of
    trials. trials: the number of runs.

    Returns exactly what `play` returns. Some steps of every run are also played by the policy's Python code, and must
    agree exactly.

    Raises NotCompiled for other policies and environments, or if numba is missing; Disagreement if the steps of the
    Python code differ.
    """
    demand_playable(policy, environment, noise, trials, False)
    batch = Batch(policy, environment, noise, trials, False)
    return play_to_end(batch, steps_by_numba(policy, environment, noise))


def steps_by_numba(policy: Policy, environment: Environment, noise: Noise) -> Callable[[Batch], None]:
    """Returns the backend that plays runs of this policy by compiled code.
    Raises NotCompiled if the policy, the environment or the noise cannot be compiled."""
    return compiled_steps(kernel_of(policy, environment, noise), policy)


def compiled_steps(kernel: Samples, policy: Policy, largest_call: int = LARGEST_CALL) -> Callable[[Batch], None]:
    """Returns a function that plays the next steps of a batch.
    They are played by compiled code if possible, otherwise by the numpy policy. A new policy is first played ahead in
    some trials, as a check. largest_call: the largest number of steps in one call of the compiled code."""
    where: set[tuple[Drawn, ...]] = set()  # the page draws, counted from the step: at the same place in all steps
    known = policy_key(joint_policy_of(policy))

    def advance(batch: Batch) -> None:
        """Plays one or several steps of a batch, and compares the last step with the numpy policy."""
        page, drawn = page_step(batch)
        if not (kernel.plays(drawn, batch) and same_types(page.state, batch.state)):
            if batch.step > batch.policy.arms + OTHER_STEPS:
                what = "does not pull the arm with the largest sample"
                raise NotCompiled(f"step {page.step}: {policy_name(batch)} {what}")
            continue_from(batch, page)
            return
        where.add(counted_from(page.step, drawn))
        if len(where) > 1:
            raise Disagreement(
                f"step {page.step}: {policy_name(batch)} draws noise at different addresses than in its first steps: "
                f"{REPORT}"
            )
        kernel.play(batch, 1, drawn)
        demand_agreement(batch, page)
        more = int(min(largest_call, max(FIRST_CALL, batch.step), batch.left.max(initial=0)))
        some = None if known in PLAYED_AHEAD or not batch.left[:AHEAD_TRIALS].any() else first_trials(batch)
        if some is not None:
            more = played_ahead(some, min(more, int(some.left.max())), where)
        if more:
            play_checked(kernel, batch, more, drawn, page.step, where)
        if some is not None:
            demand_agreement(first_trials(batch), some, more)
        if batch.step >= EARLY_STEPS or not batch.unfinished():
            PLAYED_AHEAD.add(known)

    return advance


def play_checked(
    kernel: Samples, batch: Batch, steps: int, drawn: list[Drawn], first: int, where: set[tuple[Drawn, ...]]
) -> None:
    """Plays this many steps by compiled code, and compares two of them with the numpy policy.
    These two are a random one and the last. drawn: the numpy policy's draws in step `first`. where: the addresses of
    these draws relative to their step. Raises Disagreement if the results differ."""

    def play(steps: int) -> None:
        """Plays this many steps with the compiled code."""
        moved = batch.step + 1 - first
        kernel.play(batch, steps, [each._replace(number=each.number + moved) for each in drawn])

    seed = batch.noise.seed if isinstance(batch.noise, Seeded) else 0
    done = 0
    for place in sorted({address("compiled", seed, batch.step) % steps, steps - 1}):
        if place > done:
            play(place - done)
        page, there = page_step(batch)
        if not kernel.plays(there, batch) or counted_from(page.step, there) not in where:
            raise Disagreement(
                f"step {page.step}: {policy_name(batch)} draws noise at different addresses than in its first steps: "
                f"{REPORT}"
            )
        play(1)
        demand_agreement(batch, page)
        done = place + 1


def counted_from(step: int, drawn: list[Drawn]) -> tuple[Drawn, ...]:
    """The draws with their indices counted from `step`, so that equal draws of different steps become equal."""
    return tuple(each._replace(number=each.number - step) for each in drawn)


def policy_name(batch: Batch) -> str:
    """The name of the class of the compiled policy."""
    return type(joint_policy_of(batch.policy)).__name__


# -- held against the page ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Listener(ByKind):
    """A policy's noise that records which numbers are drawn."""

    noise: Noise
    drawn: list[Drawn] = field(default_factory=list)

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Array:
        """The draw of the batch's noise, after its address was recorded in `drawn`."""
        self.drawn.append(Drawn(kind, site, index, shape, where is True))
        return draw_of_kind(self.noise, kind, site, index, shape, where)


def page_step(batch: Batch) -> tuple[Batch, list[Drawn]]:
    """Plays one step of a copy of these runs with the numpy policy; returns the copy and its draws.
    Returns the copy, and the draws that were made; no draws if the step is not a single pull in each trial."""
    page, heard, bounds = copy.copy(batch), Listener(batch.noise), list[Reals | None]()

    def single(t: int, made: Ints, counts: Ints, bound: Reals | None, noise: Noise) -> Array:
        """The rewards of step t, as the batch's own `single` returns them; records `bound`."""
        bounds.append(bound)
        return np.asarray(batch.single(t, made, counts, bound, noise))

    page.state, page.total, page.record = copy_state(batch.state), batch.total.copy(), []
    page.noise, page.single = heard, single
    page.advance()
    return page, heard.drawn if bounds == [None] else []


PLAYED_AHEAD: set[Hashable] = set()  # policies whose early steps agreed, in this process


def policy_key(policy: Policy) -> Hashable:
    """A key that is equal for policies that play alike, as far as can be told.
    The class, the fields, and the class's present functions, which may be replaced."""
    parts = tuple((name, type(part), *part_key(part)) for name, part in vars(policy).items())
    names = sorted({*own_names(policy, ("act", "learn")), *METHODS, *BETA_METHODS})
    told = type(policy), parts, tuple(getattr_static(type(policy), each, None) for each in names)
    try:
        hash(told)
    except TypeError:  # it holds a list, say
        return object()
    return told


def part_key(part: object) -> tuple[object, ...]:
    """One field's part of a policy's key: bytes, type and shape of an array, or the value itself."""
    return (part.dtype.str, part.shape, part.tobytes()) if isinstance(part, np.ndarray) else (part,)


def first_trials(batch: Batch) -> Batch:
    """A copy of the batch with only a few of its first trials, to be played ahead."""
    some, many, policy = copy.copy(batch), min(AHEAD_TRIALS, batch.trials), batch.policy
    some.keep_first(many, policy.first(many) if hasattr(policy, "fewer") else policy)
    if isinstance(batch.environment, TableBatch):
        some.environment = batch.environment.playing(batch.environment.which[:many])
        some.single = some.environment.draw
    return some


def played_ahead(batch: Batch, max_steps: int, addresses: set[tuple[Drawn, ...]]) -> int:
    """Plays ahead with the numpy policy until a step's draws are not in `addresses`; returns the number of steps.
    Returns the number of steps before that, at most `max_steps`."""
    for step in range(max_steps):
        page, drawn = page_step(batch)
        if counted_from(page.step, drawn) not in addresses:
            return step
        continue_from(batch, page)
    return max_steps


def continue_from(batch: Batch, page: Batch) -> None:
    """Replaces the batch's state by the state which the numpy policy reached in a copy of the batch."""
    vars(batch).update(
        {**vars(page), "noise": batch.noise, "single": batch.single, "record": [*batch.record, *page.record]}
    )


def same_types(a: Iterable[ArrayLike], b: Iterable[ArrayLike]) -> bool:
    """Whether the arrays of two states have the same number types."""
    return [np.asarray(each).dtype for each in a] == [np.asarray(each).dtype for each in b]


def demand_agreement(batch: Batch, page: Batch, steps: int = 1) -> None:
    """Raises Disagreement unless compiled code and the numpy policy reached the same state.
    Both played this many steps from the same state: compiled code in the batch, the numpy policy in the copy `page`."""
    name, last = policy_name(batch), page.step
    step = f"step {last}" if steps == 1 else f"steps {last - steps + 1} to {last}"
    if (apart := (batch.made != page.made).any(axis=1)).any():
        trial = int(apart.argmax())
        pulled = [int((each.made - np.minimum(batch.made, page.made))[trial].argmax()) for each in (batch, page)]
        raise Disagreement(
            f"compiled {name} pulls arm {pulled[0]} in {step} of trial {trial}, but `act` pulls arm {pulled[1]}: "
            f"{REPORT}"
        )
    due = {"the sums of rewards": page.total, "what is left of the horizon": page.left, **state_parts(page.state)}
    found = {"the sums of rewards": batch.total, "what is left of the horizon": batch.left, **state_parts(batch.state)}
    for what, value in due.items():
        if not same_numbers(value, found[what]):
            raise Disagreement(f"compiled {name} and its Python methods differ in {what} in {step}: {REPORT}")


def same_numbers(expected: ArrayLike, found: ArrayLike) -> bool:
    """Whether both arrays have the same shape and numbers; nan equals nan."""
    return np.array_equal(expected, found, equal_nan=True)


def state_parts(state: State) -> dict[str, Any]:
    """The arrays of a policy's state, {phrase for error messages: array}."""
    return {f"{name} of its state": part for name, part in state._asdict().items()}
