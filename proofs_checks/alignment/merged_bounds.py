"""The bound that randomness alignment proves of a policy, on its tree of runs or, where that is too long, on its merged
states.

Before a bound on merged states counts, the policy is played on drawn numbers, beside a walk through the graph: what it
releases, and the state that it reaches, have to be those of the graph. A policy whose runs depend on more than the
state that it passes leaves the graph sooner or later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isinf
from typing import Any

import numpy as np

from dpbandits.proofs_checks.alignment.bounds import (
    EFFORT,
    REPLAYS,
    SIZES,
    Alignment,
    Drawn,
    Outcome,
    SameDraws,
    alignment_bound,
    how_it_ended,
    objection_on_numbers,
    objection_to_memory,
)
from dpbandits.proofs_checks.alignment.branches import Decision, Numbers, SymbolTable
from dpbandits.proofs_checks.alignment.forms import Form, lifted_state
from dpbandits.proofs_checks.alignment.hidden_state import kept_values
from dpbandits.proofs_checks.alignment.merged_states import MergedStates, Node
from dpbandits.proofs_checks.alignment.merged_steps import Known, Place, Way, dismantled
from dpbandits.proofs_checks.alignment.single_runs import PlaysOneRun
from dpbandits.proofs_checks.alignment.traced_runs import KINDS, asked
from dpbandits.reference.bandits.contexts import Contexts
from dpbandits.reference.bandits.noise import Once

REPLAYED_STEPS = 4000  # of all runs on drawn numbers together, as far as four runs allow
LEAST_REPLAYS = 4
ROUNDING = 1e-9  # relative: of numbers that a policy computes in doubles, and the graph in fractions


def bound_on_runs_or_states(
    policy: Any, effort: int = EFFORT, seed: int = 0, contexts: Contexts | None = None
) -> Alignment:
    """The bound of `alignment_bound`, or that on merged states where there are too many runs. Each may take the whole
    effort. States of policies with contexts, and of code that plays one run, are not merged."""
    found = alignment_bound(policy, effort, seed, contexts)
    if found.outcome is not Outcome.TOO_LONG or contexts is not None or isinstance(policy, PlaysOneRun):
        return found
    merged = merged_bound(policy, effort, seed)
    return merged if merged.outcome is Outcome.BOUND else found


def merged_bound(policy: Any, effort: int = EFFORT, seed: int = 0) -> Alignment:
    """The bound on merged states. policy, effort, seed: as of `alignment_bound`.

    At least the bound on the tree of runs. NO_BOUND says only that none was found here: moves are decided step by step.
    """
    found = Alignment(Outcome.NO_NOISE, reason="the policy draws neither Laplace nor normal noise")
    before, merged = kept_values(policy), None
    for noise in KINDS:
        if merged is None or objection_to_memory(before, kept_values(policy)):
            merged = MergedStates(policy, noise, effort)
        else:
            merged = merged.with_noise(noise)
        tried = searched(merged, seed)
        if merged.has_noise or tried.outcome is Outcome.NOT_LINEAR:
            found = tried
        if found.outcome in (Outcome.BOUND, Outcome.NOT_LINEAR, Outcome.TOO_LONG):
            return found
    return found


def searched(merged: MergedStates, seed: int) -> Alignment:
    """The search, the runs on drawn numbers after it, and how they ended."""
    policy = merged.policy
    before = kept_values(policy)
    outcome, reason = how_it_ended(merged, "no move of a step's own noise makes up for a change", "states")
    if outcome is Outcome.BOUND and merged.has_noise:
        reason = objection_to_memory(before, kept_values(policy))
        reason = reason or objection_on_numbers(policy, lambda: first_departure(merged, seed))
        outcome = Outcome.NOT_LINEAR if reason else outcome
    ways = sum(len(node.ways) for node in merged.nodes)
    return Alignment(outcome, merged.noise, merged.cost, reason, merged.worst, ways, merged.steps.steps, merged=merged)


# -- on numbers -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Walk:
    """A walk through the graph beside a run on drawn numbers. values: of draws and rewards."""

    merged: MergedStates
    values: Drawn

    def way(self, node: Node, state: Any) -> tuple[int, Way] | None:
        """The way that the drawn numbers take from a node, where the policy has this state."""
        unknowns = dict(enumerate(real_unknowns(node.place, state), 1))

        def value_of(form: Form) -> float:
            drawn = float(form.constant)
            for number, factor in form.coefficients.items():
                drawn += float(factor) * (unknowns[number] if number in unknowns else self.value(node, number))
            return drawn

        for number, way in enumerate(node.ways):
            if all(outcome(decision, value_of) == decision.taken for decision in way.decisions):
                return number, way
        return None

    def value(self, node: Node, number: int) -> float:
        """The value of a draw or reward of a node's step."""
        return self.values[self.values.table.number_of(node.table.symbols[number])]


def outcome(decision: Decision, value_of: Callable[[Form], float]) -> int:
    values = [value_of(form) for form in decision.forms]
    if len(values) > 1:
        return values.index(max(values))
    return 0 if values[0] > 0 or (not decision.strict and values[0] == 0) else 1


def real_numbers(state: Any) -> tuple[Any, list[float]]:
    """The skeleton of a state of numbers, and its real numbers."""
    forms: list[Form] = []
    table = SymbolTable()
    skeleton = dismantled(lifted_state(Numbers(table, {}), state), forms)
    return skeleton, [float(form.constant) for form in forms]


def real_unknowns(place: Place, state: Any) -> list[float]:
    _, values = real_numbers(state)
    return [value for number, value in zip(place.numbers, values, strict=True) if not isinstance(number, Known)]


def is_at(place: Place, state: Any) -> bool:
    """Whether a state of numbers is one of those that a place stands for, but for the ranges of its unknowns."""
    skeleton, values = real_numbers(state)
    if skeleton != place.skeleton or len(values) != len(place.numbers):
        return False
    return all(
        not isinstance(number, Known) or is_close(number.value, value)
        for number, value in zip(place.numbers, values, strict=True)
    )


def is_close(exact: Fraction | float, value: float) -> bool:
    if isinf(value) or isinstance(exact, float):
        return float(exact) == value
    return abs(float(exact) - value) <= ROUNDING * max(1.0, abs(value))


def first_departure(merged: MergedStates, seed: int) -> str:
    """Where the policy on drawn numbers leaves the graph; "" where it never does."""
    generator = np.random.default_rng(seed)
    longest = max(node.place.step for node in merged.nodes)
    thresholds = merged.steps.run.thresholds
    runs = max(LEAST_REPLAYS, min(REPLAYS, REPLAYED_STEPS // longest))
    for run in range(runs):
        departure = departure_of(Walk(merged, Drawn(SymbolTable(), generator, SIZES[run % len(SIZES)], thresholds)))
        if departure:
            return departure
    return ""


def departure_of(walk: Walk) -> str:
    """Where one run on drawn numbers leaves the graph."""
    merged, values, node = walk.merged, walk.values, walk.merged.nodes[0]
    policy, state = merged.policy, merged.policy.init(1)
    if not is_at(node.place, state):
        return "the first state on numbers is another one than on symbols"
    while not merged.steps.is_last(node.place):
        step, used = node.place.step, node.place.used
        found = walk.way(node, state)
        if found is None:
            return f"step {step} compares on numbers in a way that it does not have on symbols"
        number, way = found
        once = Once(SameDraws(values.table, values), 1, step)
        released, pulls, _ = asked(policy, step, state, used, once)
        if released != way.released:
            return f"step {step} releases {list(released)} on numbers, {list(way.released)} in its merged state"
        paid = {node.table.symbols[reward].name[1]: walk.value(node, reward) for reward in way.rewards}
        sums = np.array([[paid.get(arm, 0.0) for arm in range(pulls.counts.shape[1])]])
        state = policy.learn(step, state, pulls, sums, once)
        node = merged.nodes[node.next[number]]
        if not is_at(node.place, state):
            return f"after step {step} the state on numbers is none of the merged states"
    return ""
