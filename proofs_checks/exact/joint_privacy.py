"""Joint differential privacy for one pair of neighbours, computed exactly: the law of all releases except the release
of the changed round, which is summed out.

The user of the changed round may see their own decision. Everybody else together, whatever they saw, must not be able
to distinguish the user from a neighbour. A claim of joint DP is about every round in turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpbandits.proofs_checks.exact.enumeration import MAX_TRANSCRIPTS
from dpbandits.proofs_checks.exact.privacy_profile import ExactProfile, MeasurePair, relative_to_log_error
from dpbandits.proofs_checks.exact.state_graph import Layer, StateGraph, state_graph
from dpbandits.proofs_checks.exact.unique_rows import as_words, unique_rows
from dpbandits.reference.arithmetic.elementary import UNIT_ROUNDOFF
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.environments import per_trial
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import HasLaw, Ints
from dpbandits.reference.bandits.release_laws.checked import in_doubles


class SeenByOthers(NamedTuple):
    """The releases that other users have seen so far, with the states that may have led to them.

    seen: (states,), the index of the release sequence that others can distinguish. mass: (2, states), probabilities on
    either side. error: a bound on the error of their logarithms. least: the smallest probability of a step.
    absolute_error: the largest of a step. outcomes: the largest number of outcomes of a step. steps: the number of
    steps so far.
    """

    layer: Layer
    seen: Ints
    mass: Array
    error: float = 0.0
    least: float = 1.0
    absolute_error: float = 0.0
    outcomes: int = 0
    steps: int = 0


def joint_privacy_profile(policy: HasLaw, pair: Pair, max_states: int = MAX_TRANSCRIPTS) -> ExactProfile:
    """The privacy profile of all releases except that of the changed round, on a pair of neighbours.

    policy: has a `law` and pulls once in every step. pair: of relation "round", "reward" or "user" (in a table of pulls
    the changed reward belongs to no round). max_states: the largest number of states for the releases of a step; equal
    states are merged until the changed round, and listed afterwards. Raises ValueError above it, and for a pair without
    a changed round.
    """
    hidden, graph = pair.changed_round, state_graph(policy, pair)
    layer = graph.first_layer()
    found = SeenByOthers(layer, np.zeros(1, dtype=np.int64), np.ones((2, 1)))
    while graph.has_steps_left(found.layer):
        found = extend_by_a_step(graph, found, hidden)
        if len(found.seen) > max_states:
            raise ValueError(f"more than {max_states} transcripts at step {found.steps}; shorten the horizon")
    left, right = (np.asarray(np.bincount(found.seen, side), dtype=np.float64) for side in found.mass)
    drift, absolute_error = relative_to_log_error(found.absolute_error, found.least), 0.0
    if drift == np.inf:
        drift, absolute_error = 0.0, found.steps * found.outcomes * found.absolute_error
    # Sums of positive masses: of a few roundings each, and as many as there are terms.
    rounding = UNIT_ROUNDOFF * (4 * found.steps + len(found.seen))
    masses = MeasurePair(left, right)
    return ExactProfile(
        masses,
        masses,
        log_error=found.error + found.steps * drift + rounding,
        absolute_error=absolute_error,
        step_absolute_error=found.absolute_error,
    )


def extend_by_a_step(graph: StateGraph, before: SeenByOthers, hidden: int) -> SeenByOthers:
    """Extends what all other users see, and the states, by one step; round `hidden` is not seen.
    They do not see the release of round `hidden`."""
    t = before.steps + 1
    offers = in_doubles(graph.transitions(t, before.layer))
    offers = offers.chosen(np.flatnonzero(offers.chance.max(axis=0)))
    if (per_trial(offers.outcomes) != 1).any():
        raise ValueError(
            f"step {t}: the view of all other users requires exactly one pull in every step, because it leaves out "
            "the changed round; this policy makes no pull or several pulls in this step; use another view"
        )
    mass = before.mass[:, offers.source] * offers.chance
    if t < hidden:  # before the change both sides are alike, and only the state matters
        seen = np.zeros(len(offers.source), dtype=np.int64)
    elif t == hidden:
        seen = offers.source
    else:
        release = before.seen[offers.source] * len(offers.outcomes) + offers.outcome
        seen = unique_rows([as_words(release)])[1]
    target, layer = graph.next_layer(t, before.layer, offers, seen)
    merged = np.stack([np.bincount(target, side, len(layer.pulls)) for side in mass]).astype(np.float64)
    label = np.zeros(len(layer.pulls), dtype=np.int64)
    label[target] = seen
    return SeenByOthers(
        layer,
        label,
        merged,
        before.error + offers.log_error + UNIT_ROUNDOFF * int(np.bincount(target).max()),
        min(before.least, float(offers.chance.min())),
        max(before.absolute_error, offers.absolute_error),
        max(before.outcomes, len(offers.outcomes)),
        t,
    )
