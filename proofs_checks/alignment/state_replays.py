"""Runs a policy on numbers for every transition of a graph of merged states, to check its releases and next states.
The draws and rewards are chosen so that each comparison has the outcome of the transition, and not nearly another one.

The policy is put into a state that the merged state represents, and plays one step with numpy's own generators. It must
have the releases of the transition, reach the following state, and execute the same instructions.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import isinf

import numpy as np

from dpbandits.proofs_checks.alignment.branches import Numbers, SymbolTable
from dpbandits.proofs_checks.alignment.executed_code import Executed, recorded, repeats
from dpbandits.proofs_checks.alignment.forms import NotLinear
from dpbandits.proofs_checks.alignment.interior_points import NoPoint, interior_point, points_at_ends
from dpbandits.proofs_checks.alignment.merged_states import MergedStates
from dpbandits.proofs_checks.alignment.merged_steps import (
    Known,
    Node,
    Place,
    Skeleton,
    Transition,
    array_of_forms,
    dismantled,
    forms_at,
    rebuilt,
)
from dpbandits.proofs_checks.alignment.path_replays import (
    TOO_THIN,
    Point,
    batch_sizes,
    copied,
    genuine_noise,
    how_played,
    nearest_point,
    other_code_message,
    other_release_message,
)
from dpbandits.proofs_checks.alignment.runs_on_numbers import ROUNDING, Drawn, SameDraws
from dpbandits.proofs_checks.alignment.traced_runs import Tracer, released_in_step
from dpbandits.reference.bandits.noise import Noise, Once, frozen
from dpbandits.reference.bandits.passing import State, mapped_state

STATES_OF_A_BATCH = 5  # trials whose states are compared, one by one; releases are compared in all trials at once


@dataclass(frozen=True)
class StateReplays:
    """Repeats the transitions of a graph."""

    merged: MergedStates

    def first_objection(self, seed: int) -> str:
        """A sentence that states the first difference between the policy, run on numbers, and the graph.
        "" if there is none."""
        generator, played = np.random.default_rng(seed), 0
        for node in self.merged.states:
            table = SymbolTable([*node.table.symbols], {**node.table.numbers})  # which a certificate lists, as it is
            for number, transition in enumerate(node.transitions):
                intervals = dict(transition.intervals)
                values = Drawn(table, generator, 1.0)
                try:
                    found = interior_point(intervals, table.symbols, values)
                except NoPoint:
                    return TOO_THIN
                if found is None:  # no run takes it
                    continue
                point = nearest_point(table.symbols, intervals, found, values)
                objection = self.objection(node, number, point)
                for trials in batch_sizes(played):
                    objection = objection or self.objection_in_batch(node, number, point, trials)
                for end in points_at_ends(intervals, table.symbols, point.values):
                    at_end = nearest_point(table.symbols, intervals, end, copied(point.values))
                    objection = objection or self.objection(node, number, at_end)
                played += 1
                if objection:
                    return objection
        return ""

    def objection(self, node: Node, number: int, point: Point, trials: int = 1) -> str:
        """A sentence that states how equal trials differ from transition `number` of the node; "" if they do not.
        point: the draws and rewards. trials: the size of the batch. Only a single trial draws from genuine
        generators."""
        policy, codes, transition, values = (
            self.merged.policy,
            self.merged.steps.codes,
            node.transitions[number],
            point.values,
        )
        step, used, genuine = node.place.step, node.place.used, point.genuine and trials == 1
        plain: AbstractContextManager[Noise] = nullcontext(SameDraws(values.table, values, trials))
        with genuine_noise(values.table, values) if genuine else plain as noise:
            once = Once(noise, trials, step)
            state = mapped_state(state_of_numbers(node.place, values), partial(repeated, trials))
            with recorded(codes) as recording:
                released, pulls, _ = released_in_step(policy, step, state, used, once)
                if released != transition.released:
                    return other_release_message(step, released, transition.released, trials)
                paid = {values.table.symbols[reward].name[1]: float(values[reward]) for reward in transition.rewards}
                sums = np.array([[paid.get(arm, 0.0) for arm in range(pulls.counts.shape[1])]])
                state = policy.learn(step, state, pulls, frozen(np.repeat(sums, trials, axis=0)), once)
        if codes is not None and recording.result() != transition.executed:
            found_again = self.executed_again(node, values)  # what is cached runs only once
            if not repeats(found_again, recording.result(), trials):
                return other_code_message(codes, step, found_again, recording.result(), trials)
        following, unknowns = self.merged.states[node.next[number]].place, unknowns_after(transition, values)
        for trial in sorted({*np.linspace(0, trials - 1, STATES_OF_A_BATCH).astype(int).tolist()}):
            if not represents_state(following, mapped_state(state, partial(row_of, trials, trial)), unknowns):
                return f"after step {step} the state {how_played(trials)} is none of the merged states"
        return ""

    def objection_in_batch(self, node: Node, number: int, point: Point, trials: int) -> str:
        """A sentence that states how a batch of `trials` equal trials differs from transition `number` of the node.
        "" if it does not."""
        try:
            return self.objection(node, number, point, trials)
        except NotLinear as error:
            return str(error)

    def executed_again(self, node: Node, values: Drawn) -> Executed:
        """Runs one step again on symbols, with comparisons decided by `values`; returns its instructions."""
        numbers = Numbers(values.table, values)
        state = rebuilt(node.place.skeleton, iter(forms_at(node.place, numbers)), array_of_forms)
        tracer = Tracer(self.merged.policy, numbers, codes=self.merged.steps.codes)
        return tracer.step(node.place.step, state, node.place.used).executed


def repeated(trials: int, part: State) -> State:
    """A part of a one-trial state, repeated for `trials` equal trials.
    A part without an axis of trials is unchanged."""
    if not isinstance(part, np.ndarray) or part.shape[:1] != (1,):
        return part
    many = np.repeat(part, trials, axis=0)
    many.flags.writeable = part.flags.writeable
    return many


def row_of(trials: int, trial: int, part: State) -> State:
    """The entry of trial number `trial` in one part of a batch's state."""
    return part[trial : trial + 1] if isinstance(part, np.ndarray) and part.shape[:1] == (trials,) else part


# -- states of numbers -------------------------------------------------------------------------------------------------


def state_of_numbers(place: Place, values: Mapping[int, float]) -> State:
    """The state at a place (merged state) whose unknown numbers have these values.
    values: the values of its unknowns, by symbol number from 1 on."""
    unknown, numbers = 0, []
    for number in place.numbers:
        unknown += not isinstance(number, Known)
        numbers.append(np.float64(number.value if isinstance(number, Known) else values[unknown]))
    return rebuilt(place.skeleton, iter(numbers), lambda array: array.astype(np.float64))


def unknowns_after(transition: Transition, values: Mapping[int, float]) -> list[float]:
    """The values of the next state's unknowns after this transition. values: of the symbols of the step."""
    return [
        sum((float(factor) * values[number] for number, factor in row.terms), float(row.constant))
        for row in transition.unknowns
    ]


def skeleton_and_numbers(state: State) -> tuple[Skeleton, list[float]]:
    """The skeleton of a state (its structure without real numbers), and its real numbers."""
    numbers: list[float] = []
    return dismantled(state, numbers), numbers


def represents_state(place: Place, state: State, unknowns: list[float] | None = None) -> bool:
    """Whether this place of the graph represents the state, apart from the ranges of its unknowns.
    unknowns: the values that the unknowns must have; None for any."""
    skeleton, values = skeleton_and_numbers(state)
    if skeleton != place.skeleton or len(values) != len(place.numbers):
        return False
    both = [*zip(place.numbers, values, strict=True)]
    found = [value for number, value in both if not isinstance(number, Known)]
    return all(is_close(number.value, value) for number, value in both if isinstance(number, Known)) and (
        unknowns is None or all(is_close(Fraction(one), other) for one, other in zip(unknowns, found, strict=True))
    )


def is_close(exact: Fraction | float, value: float) -> bool:
    """Whether a double equals an exact number up to rounding."""
    if isinf(value) or isinstance(exact, float):
        return float(exact) == value
    return abs(float(exact) - value) <= ROUNDING * max(1.0, abs(value))
