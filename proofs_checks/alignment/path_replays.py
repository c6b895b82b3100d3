"""Runs a policy on numbers along every path of an alignment proof, to check that the policy does what the symbolic run
did. The numbers come from numpy's own generators.

A traced run shows what a policy does with symbols. Here the policy itself is run on numbers that lead along the path,
and on those of the neighbour: the changed reward, and the draws moved as in the proof. Each run has to release what the
path releases, and to execute the same instructions. A batch of equal trials has to release the same as a single trial.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import NamedTuple

import numpy as np

from dpbandits.proofs_checks.alignment.branches import Interval, Key, Numbers, SymbolTable
from dpbandits.proofs_checks.alignment.executed_code import Codes, Executed, Recording, recorded, repeats
from dpbandits.proofs_checks.alignment.forms import WHOLE, NotLinear, Symbol, draw_symbol
from dpbandits.proofs_checks.alignment.interior_points import NoPoint, interior_point, is_inside, points_at_ends
from dpbandits.proofs_checks.alignment.other_randomness import ONE_AT_A_TIME
from dpbandits.proofs_checks.alignment.prescribed_draws import (
    Bits,
    PrescribingGenerator,
    Tape,
    Unreachable,
    bits_of,
    genuine_generator,
    reachable,
)
from dpbandits.proofs_checks.alignment.runs_on_numbers import Drawn, SameDraws
from dpbandits.proofs_checks.alignment.single_runs import Past, SingleRuns
from dpbandits.proofs_checks.alignment.traced_runs import TracedPath, Tracer, released_in_step, seen_in
from dpbandits.reference.bandits.contexts import Contexts
from dpbandits.reference.bandits.noise import Array, Noise, Once, Seeded, frozen
from dpbandits.reference.bandits.passing import Pulls, copy_state
from dpbandits.reference.bandits.policy import Policy

BATCHES = (3, 1000, 30)  # equal trials: few, many, and a number between; other sizes remain untested
IN_ALL_BATCHES = 20  # the first paths are repeated in each batch, later ones, which may be thousands, in one in turn
LEAST_CHANGE = 0.05  # of a reward, in parts of its range, on the neighbour
TOO_THIN = (
    "the outcomes of a path lie so close together that no numbers were found on which the policy could repeat the path"
)


class Point(NamedTuple):
    """Draws and rewards, by the numbers of their symbols. genuine: whether numpy's generators can give these draws."""

    values: Drawn
    genuine: bool


@dataclass(frozen=True)
class PathReplays:
    """Repeats paths of a policy. table: of the symbols of all paths. values: of rewards, where these are followed value
    by value."""

    policy: Policy
    table: SymbolTable
    codes: Codes | None
    contexts: Contexts | None = None
    values: tuple[Fraction, ...] = ()

    def first_objection(self, paths: Sequence[TracedPath], seed: int) -> str:
        """A sentence that states the first difference between the policy, run on numbers, and one of the paths.
        "" if there is none."""
        generator, repeated = np.random.default_rng(seed), 0
        for path in paths:
            try:
                point = self.point_of(path, generator)
            except NoPoint:
                return TOO_THIN
            if point is None:  # no run takes this path
                continue
            objection = self.objection(path, point, self.codes)
            for trials in batch_sizes(repeated):
                objection = objection or self.objection_in_batch(path, point, trials)
            repeated += 1
            for found in points_at_ends(path.intervals, self.table.symbols, point.values):
                end = nearest_point(self.table.symbols, path.intervals, found, copied(point.values))
                objection = objection or self.objection(path, end, self.codes)
            if not objection and (neighbour := self.neighbour(path, point, generator)) is not None:
                objection = self.objection(path, neighbour, None)
            if objection:
                return objection
        return ""

    def point_of(self, path: TracedPath, generator: np.random.Generator) -> Point | None:
        """Draws and rewards on which a run takes this path; None if no run takes it.
        Raises NoPoint if none were found."""
        values = Drawn(self.table, generator, 1.0)
        for symbol, outcome in path.finite:
            values[self.table.number_of(symbol)] = float(outcome)
        found = interior_point(path.intervals, self.table.symbols, values)
        if found is None:
            return None
        return nearest_point(self.table.symbols, path.intervals, found, values)

    def neighbour(self, path: TracedPath, at: Point, generator: np.random.Generator) -> Point | None:
        """Draws and rewards of a neighbouring input on the same path of the decision tree; None if there are none.
        One reward is changed, and the draws are shifted to compensate. None if no reward of the path needs a shift, or
        the change has no room."""
        point = at.values
        symbols, moving = self.table.symbols, [each for each in path.moves.items() if each[1].shifts]
        if not moving:
            return None
        (reward, sign), move = moving[int(generator.integers(len(moving)))]
        symbol, paid = symbols[reward], Fraction(point[reward])
        room = Fraction(symbol.high) - paid if sign > 0 else paid - Fraction(symbol.low)
        part = min(Fraction(1), room / symbol.sensitivity)
        if part < LEAST_CHANGE or (part < 1 and any(symbols[number].kind in WHOLE for number in move.shifts)):
            return None
        moved = {reward: float(paid + sign * part * symbol.sensitivity)}
        moved |= {number: float(Fraction(point[number]) + part * shift) for number, shift in move.shifts.items()}
        compared = {number for key in path.intervals for number, _ in key if number >= 0}
        found = {number: moved.get(number, point[number]) for number in compared | moved.keys()}
        if not is_inside(path.intervals, symbols, found):
            return None  # by rounding: a move keeps the outcomes
        return nearest_point(self.table.symbols, path.intervals, found, copied(point))

    def objection(self, path: TracedPath, point: Point, codes: Codes | None) -> str:
        """A sentence that states how the policy differs from the path at these draws and rewards; "" if it does not."""
        if isinstance(self.policy, SingleRuns):
            return self.object_objection(path, point, codes)
        return self.policy_objection(path, point, codes)

    def objection_in_batch(self, path: TracedPath, point: Point, trials: int) -> str:
        """A sentence that states how a batch of equal trials differs from the path; "" if it does not.
        "" also for code that plays one run."""
        if isinstance(self.policy, SingleRuns):
            return ""
        try:
            return self.policy_objection(path, point, self.codes, trials)
        except NotLinear as error:
            return str(error)

    def paid_sums(self, step: int, pulls: Pulls, values: Drawn) -> Array:
        """The sum of each arm's rewards in a step, (1, arms), at these values of the symbols."""
        numbers = Numbers(self.table, values)
        sums, _ = Tracer(self.policy, numbers, self.contexts, self.values).paid_sums(step, pulls)
        return np.array([[numbers.value_of(form) for form in sums.ravel()]])

    def policy_objection(self, path: TracedPath, point: Point, codes: Codes | None, trials: int = 1) -> str:
        """A sentence that states how a batch of equal trials differs from the path; "" if it does not.
        The policy passes its state. Only a single trial draws from genuine generators."""
        policy, genuine = self.policy, point.genuine and trials == 1
        state, used = policy.init(trials), 0
        drawing: AbstractContextManager[Noise] = nullcontext(SameDraws(self.table, point.values, trials))
        with genuine_noise(self.table, point.values) if genuine else drawing as noise:
            for step, (released, executed) in enumerate(zip(path.released, path.executed, strict=True), start=1):
                once, seen = Once(noise, trials, step), seen_in(self.contexts, step, trials)
                with recorded(codes) as recording:
                    found, pulls, spent = released_in_step(policy, step, state, used, once, *seen)
                    if found != released:
                        return other_release_message(step, found, released, trials)
                    paid = self.paid_sums(step, of_first_trial(pulls), point.values)
                    state = policy.learn(step, state, pulls, frozen(np.repeat(paid, trials, axis=0)), once, *seen)
                used += spent
                if codes is not None and recording.result() != executed:
                    found_again = self.executed_again(path, point.values)[step - 1]  # what is cached runs only once
                    if not repeats(found_again, recording.result(), trials):
                        return other_code_message(codes, step, found_again, recording.result(), trials)
        return ""

    def object_objection(self, path: TracedPath, point: Point, codes: Codes | None) -> str:
        """A sentence that states how code that plays one run differs from the path; "" if it does not.
        The code runs with a generator that records bits and, if instructions are compared, again with numpy's own
        generator, which draws these bits."""
        last, values = len(path.released), point.values
        arms = [int(np.argmax(np.abs(each))) for each in path.released]  # an answer is -1 at its arm
        assert isinstance(self.policy, SingleRuns)
        code = self.policy.policy
        pulls = [Pulls.one(np.array([arm]), self.policy.arms) for arm in arms[:-1]]
        rewards = tuple(
            float(self.paid_sums(step, each, values)[0, arm])
            for step, (each, arm) in enumerate(zip(pulls, arms, strict=False), start=1)
        )
        seen = tuple(each[0] for step in range(1, last + 1) for each in seen_in(self.contexts, step))
        past = Past(tuple(arms[:-1]), rewards, seen)
        writing = PrescribingGenerator(SameDraws(self.table, values).single)
        with recorded(codes) as recording:
            arm = code.arm_after(past, writing, nullcontext())
        if arm != arms[-1]:
            return other_release_message(last, one_hot(arm, path), path.released[-1])
        bits = writing._prescribed
        if bits is None or not point.genuine or codes is None:
            return self.other_code_of_object(path, point, recording, codes)
        tape = Tape(list(bits))
        with recorded(codes) as recording:
            arm = code.arm_after(past, genuine_generator(tape), nullcontext())
        if arm != arms[-1]:
            return f"with numpy's own generator, {other_release_message(last, one_hot(arm, path), path.released[-1])}"
        if tape.astray or tape.left:
            return tape.astray or "the code draws less from numpy's own generator"
        return self.other_code_of_object(path, point, recording, codes)

    def other_code_of_object(self, path: TracedPath, point: Point, run: Recording, codes: Codes | None) -> str:
        """A sentence that states how the run's instructions in the last step differ from those of the path.
        "" if they do not."""
        if codes is None or run.result() == path.executed[-1]:
            return ""
        found_again = self.executed_again(path, point.values)[-1]
        return (
            other_code_message(codes, len(path.released), found_again, run.result())
            if run.result() != found_again
            else ""
        )

    def executed_again(self, path: TracedPath, values: Drawn) -> list[Executed]:
        """Runs the policy again on symbols, with comparisons decided by `values`; returns its instructions by step.
        They are those of the path, except for results that the policy has cached meanwhile."""
        tracer = Tracer(self.policy, Numbers(self.table, values), self.contexts, self.values, self.codes)
        state, used, found = tracer.first_state(), 0, []
        for step in range(1, len(path.released) + 1):
            traced = tracer.step(step, copy_state(state), used)
            state, used = traced.state, used + traced.used
            found.append(traced.executed)
        return found


def copied(values: Drawn) -> Drawn:
    """A copy of these draws and rewards that can be changed."""
    found = Drawn(values.table, values.generator, values.size)
    found.update(values)
    return found


def nearest_point(
    symbols: Sequence[Symbol], intervals: Mapping[Key, Interval], values: Mapping[int, float], rest: Drawn
) -> Point:
    """The point nearest to `values` whose draws numpy's generators can produce, if it lies in the intervals.
    Otherwise `values` itself, marked as not genuine. rest: values of the other symbols, which are added."""
    try:
        near = {number: reachable(symbols[number], value) for number, value in values.items()}
    except Unreachable:
        near = {}
    genuine = bool(near) and is_inside(intervals, symbols, near)
    rest.update(near if genuine else values)
    return Point(rest, genuine or not values)


def of_first_trial(pulls: Pulls) -> Pulls:
    """The pulls of a batch's first trial only, with its truncation bound."""
    bound = None if pulls.bound is None else np.broadcast_to(pulls.bound, pulls.counts.shape)[:1]
    return Pulls(pulls.counts[:1], bound)


def one_hot(arm: int, path: TracedPath) -> tuple[int, ...]:
    """A release of one arm: 1 at this arm and 0 elsewhere, as long as the path's last release."""
    size = len(path.released[-1])
    return tuple(int(place == arm) for place in range(size))


def batch_sizes(place: int) -> tuple[int, ...]:
    """The numbers of equal trials with which path number `place` is played again."""
    return BATCHES if place < IN_ALL_BATCHES else (BATCHES[place % len(BATCHES)],)


def how_played(trials: int) -> str:
    """The way of playing in words, for messages: on numbers, or in a batch of equal trials."""
    return "on numbers" if trials == 1 else f"in a batch of {trials} equal trials"


def other_release_message(step: int, released: Sequence[int], traced: Sequence[int], trials: int = 1) -> str:
    """The error message that a step releases `released` on numbers, but `traced` on symbols."""
    return f"step {step} releases {list(released)} {how_played(trials)}, {list(traced)} when it is traced"


def other_code_message(codes: Codes, step: int, traced: Executed, executed: Executed, trials: int = 1) -> str:
    """The message that a step executes other instructions on numbers than on symbols, with the line."""
    line = codes.first_difference(traced, executed)
    return f"step {step} executes other instructions {how_played(trials)} than when it is traced, at {line}"


@contextmanager
def genuine_noise(table: SymbolTable, values: Mapping[int, float]) -> Iterator[Seeded]:
    """A context manager with a policy's usual noise (`Seeded`), whose generators make the prescribed draws.
    values: of the draws, by the numbers of their symbols in `table`."""
    noise, own = Seeded(0, 1), Seeded.stream

    def stream(self: Seeded, kind: str, site: str, index: int, shape: tuple[int, ...] = ()) -> np.random.Generator:
        """The generator for this address of the noise, whose draws are the prescribed ones."""
        if self is not noise:
            return own(self, kind, site, index, shape)
        symbols = (draw_symbol(kind, (site, int(index), shape, rank)) for rank in range(prod(shape)))
        return genuine_generator(Tape([bit for symbol in symbols for bit in nearest_bits(symbol)]))

    def nearest_bits(symbol: Symbol) -> tuple[Bits, ...]:
        """The bits with which numpy draws the prescribed value, or the nearest value that it can draw."""
        value = values[table.number_of(symbol)]
        try:
            return bits_of(symbol.kind, value)
        except Unreachable:
            return bits_of(symbol.kind, float(np.clip(value, -8, 8)))

    with ONE_AT_A_TIME:
        Seeded.stream = stream  # type: ignore[method-assign]
        try:
            yield noise
        finally:
            Seeded.stream = own  # type: ignore[method-assign]
