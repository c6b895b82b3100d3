"""The bound that randomness alignment proves for a policy. The bound is computed on the tree of all runs or, if this
tree is too large, on a graph of merged states.

Before a bound on merged states is accepted, the policy is played on random numbers while its run is followed through
the graph: its releases and states must be those of the graph. A policy whose runs depend on more than the passed state
is likely to leave the graph.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dpbandits.proofs_checks.alignment.bounds import (
    EFFORT,
    LEAVES,
    WITHOUT_MOVES,
    Alignment,
    Outcome,
    alignment_bound,
    bound_if_runs_agree,
    objection_on_numbers,
    run_search,
)
from dpbandits.proofs_checks.alignment.branches import Numbers, SymbolTable
from dpbandits.proofs_checks.alignment.compared_sums import ComparedSums
from dpbandits.proofs_checks.alignment.finite_states import FiniteStates
from dpbandits.proofs_checks.alignment.hidden_state import Notes, objection_to_memory, stored_values
from dpbandits.proofs_checks.alignment.merged_runs import RunsOfStates, number_of_runs
from dpbandits.proofs_checks.alignment.merged_states import MergedStates
from dpbandits.proofs_checks.alignment.merged_steps import Known, Node, Transition
from dpbandits.proofs_checks.alignment.runs_on_numbers import SIZES, Drawn, SameDraws
from dpbandits.proofs_checks.alignment.single_runs import PlaysOneRun
from dpbandits.proofs_checks.alignment.state_replays import StateReplays, represents_state, skeleton_and_numbers
from dpbandits.proofs_checks.alignment.traced_runs import KINDS, released_in_step
from dpbandits.proofs_checks.alignment.unequal_trials import first_dependent_trial
from dpbandits.reference.bandits.contexts import Contexts
from dpbandits.reference.bandits.noise import Once, frozen
from dpbandits.reference.bandits.passing import State
from dpbandits.reference.bandits.policy import Policy

WALKS = 8  # on drawn numbers, for what a policy keeps from step to step; every transition is replayed by itself
WALKED_STEPS = 1000  # of all of them together, as far as two walks allow
LEAST_WALKS = 2


def bound_on_runs_or_states(
    policy: Policy, effort: int = EFFORT, seed: int = 0, contexts: Contexts | None = None
) -> Alignment:
    """Returns the bound on eps or mu that is proved on whole runs, or else on merged states.
    Merged states are searched if there are too many runs, or no bound was found on runs. Each search may take the whole
    effort. States of policies with contexts, and of code that plays one run, are not merged."""
    found = alignment_bound(policy, effort, seed, contexts)
    if contexts is not None or isinstance(policy, PlaysOneRun):
        return found
    if found.outcome not in (Outcome.TOO_LONG, Outcome.NO_BOUND, Outcome.NO_NOISE):
        return found
    less = WITHOUT_MOVES if found.outcome is Outcome.NO_BOUND else 1
    merged = merged_bound(policy, effort // less, seed, whole_runs=True)
    return merged if merged.outcome is Outcome.BOUND else found


def merged_bound(
    policy: Policy, effort: int = EFFORT, seed: int = 0, whole_runs: bool = False, foresees: bool = False
) -> Alignment:
    """The bound on eps or mu that is proved on a graph of merged states, for the first kind of noise that gives one.
    policy, effort, seed: as for `alignment_bound`. whole_runs: whether moves are also searched for whole runs, if the
    graph without idle decisions has few, and whether finite noise is also followed. foresees: as of `MergedStates`.

    NO_BOUND only means that none was found here, because moves are decided step by step.
    """
    found = Alignment(Outcome.NO_NOISE, reason="the policy draws neither Laplace nor normal noise")
    before, merged = stored_values(policy), None
    for noise in KINDS:
        if merged is None or objection_to_memory(before, stored_values(policy)):
            merged = MergedStates(policy, noise, effort, foresees)
        else:
            merged = merged.with_noise(noise)
        tried = bound_on_states(merged, seed, whole_runs)
        if merged.has_noise or tried.outcome is Outcome.NOT_LINEAR:
            found = tried
        if found.outcome in (Outcome.BOUND, Outcome.NOT_LINEAR, Outcome.TOO_LONG):
            return found
    if whole_runs and merged is not None and merged.effort_of_states is not None:
        finite = finite_bound(merged, seed, before)
        return finite if finite.outcome is Outcome.BOUND else found
    return found


def finite_bound(merged: MergedStates, seed: int, before: Notes) -> Alignment:
    """The bound from finite draws alone, on merged states that an earlier search has found.
    before: the values that the policy stored outside its state before that search."""
    trees: FiniteStates | ComparedSums = FiniteStates(merged.policy, (), merged.most_effort, merged=merged)
    outcome, reason = run_search(trees)
    if outcome in (Outcome.NOT_LINEAR, Outcome.NO_BOUND):
        trees = ComparedSums(merged.policy, (), merged.most_effort, merged=merged)
        outcome, reason = run_search(trees)
    if outcome is Outcome.BOUND:
        replays = StateReplays(merged)
        reason = objection_to_memory(before, stored_values(merged.policy)) or objection_on_numbers(
            merged.policy, lambda: replays.first_objection(seed) or first_departure(merged, seed)
        )
        outcome = Outcome.NOT_LINEAR if reason else outcome
    transitions = sum(len(node.transitions) for node in merged.nodes)
    return Alignment(
        outcome,
        "finite",
        trees.cost,
        reason,
        trees.worst,
        transitions,
        merged.steps.steps,
        merged=merged,
        finite=trees,
    )


def bound_on_states(merged: MergedStates, seed: int, whole_runs: bool) -> Alignment:
    """Searches the graph, replays it on random numbers, and returns the outcome. whole_runs: as of `merged_bound`."""
    policy = merged.policy
    before = stored_values(policy)
    outcome, reason = run_search(merged, "no move of a step's own noise makes up for a change", "states")
    transitions = sum(len(node.transitions) for node in merged.nodes)
    found = Alignment(
        outcome, merged.noise, merged.cost, reason, merged.worst, transitions, merged.steps.steps, merged=merged
    )
    if whole_runs and merged.effort_of_states is not None and merged.has_noise:
        found = cheaper_on_runs(found, merged)
    if found.outcome is Outcome.BOUND and merged.has_noise:
        objection = objection_to_memory(before, stored_values(policy))
        replays = StateReplays(merged)
        objection = objection or objection_on_numbers(
            policy, lambda: replays.first_objection(seed) or first_departure(merged, seed)
        )
        if objection:
            return replace(found, outcome=Outcome.NOT_LINEAR, reason=objection)
        if found.tree is not None:
            return bound_if_runs_agree(found, policy, seed, None)
    return found


def cheaper_on_runs(bound: Alignment, merged: MergedStates) -> Alignment:
    """The bound on whole runs through the graph, if there are few runs and the bound is smaller than `bound`.
    Otherwise `bound`."""
    if number_of_runs(merged.nodes) > LEAVES:
        return bound
    runs = RunsOfStates(merged.policy, merged.noise, merged.most_effort, LEAVES, pays=False, nodes=merged.nodes)
    if run_search(runs)[0] is not Outcome.BOUND or (bound.outcome is Outcome.BOUND and runs.cost >= bound.cost):
        return bound
    return Alignment(Outcome.BOUND, merged.noise, runs.cost, "", runs.worst, runs.paths, merged.steps.steps, tree=runs)


# -- on numbers -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Walk:
    """A path through the graph that follows a run on random numbers. values: of draws and rewards."""

    merged: MergedStates
    values: Drawn

    def transition(self, node: Node, state: State) -> tuple[int, Transition] | None:
        """The transition of a node that the numbers of this walk take, with its index.
        None if there is none."""
        _, real = skeleton_and_numbers(state)
        unknowns = [
            each for number, each in zip(node.place.numbers, real, strict=True) if not isinstance(number, Known)
        ]
        values = {number: self.value(node, number) for number in range(1 + len(unknowns), len(node.table.symbols))}
        run = Numbers(node.table, values | dict(enumerate(unknowns, 1)))
        for number, transition in enumerate(node.transitions):
            if all(run.outcome_of(decision) == decision.taken for decision in transition.decisions):
                return number, transition
        return None

    def value(self, node: Node, number: int) -> float:
        """The number drawn for symbol `number` of a node's step: a draw or a reward."""
        return self.values[self.values.table.number_of(node.table.symbols[number])]


def first_departure(merged: MergedStates, seed: int) -> str:
    """Names the first step at which the policy, run on random numbers, leaves the graph; "" if it does not.
    A sentence. Also for a step that releases something else in a batch of different trials."""
    generator = np.random.default_rng(seed)
    longest = max(node.place.step for node in merged.states)
    thresholds = merged.steps.run.thresholds
    runs = max(LEAST_WALKS, min(WALKS, WALKED_STEPS // longest))
    for run in range(runs):
        departure = departure_of(Walk(merged, Drawn(SymbolTable(), generator, SIZES[run % len(SIZES)], thresholds)))
        if departure:
            return departure
    return first_dependent_trial(merged.policy, seed, longest)


def departure_of(walk: Walk) -> str:
    """A sentence that names the step at which this run on random numbers leaves the graph; "" if it does not."""
    merged, values, node = walk.merged, walk.values, walk.merged.states[0]
    policy, state = merged.policy, merged.policy.init(1)
    if not represents_state(node.place, state):
        return "the first state on numbers is another one than on symbols"
    while not merged.steps.is_last(node.place):
        step, used = node.place.step, node.place.used
        found = walk.transition(node, state)
        if found is None:
            return f"step {step} compares numbers otherwise than on symbols"
        number, transition = found
        once = Once(SameDraws(values.table, values), 1, step)
        released, pulls, _ = released_in_step(policy, step, state, used, once)
        if released != transition.released:
            return f"step {step} releases {list(released)} on numbers, {list(transition.released)} in its merged state"
        paid = {node.table.symbols[reward].name[1]: walk.value(node, reward) for reward in transition.rewards}
        sums = frozen(np.array([[paid.get(arm, 0.0) for arm in range(pulls.counts.shape[1])]]))
        state = policy.learn(step, state, pulls, sums, once)
        node = merged.states[node.next[number]]
        if not represents_state(node.place, state):
            return f"after step {step} the state on numbers is none of the merged states"
    return ""
