"""Follows given transcripts through the state graph of a policy, and returns the states that they visit and the law of
the next release in each state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.proofs_checks.exact.state_graph import Layer, StateGraph, Transitions
from dpbandits.reference.bandits.noise import Array, Flags
from dpbandits.reference.bandits.policy import Ints

EXCLUDED_RISK_SHARE = (
    0.01  # the share of a level for releases that a blurred law excludes, which may happen nevertheless
)


class ReleasedPulls(NamedTuple):
    """What n transcripts released in one step: transcript i released the pulls kinds[kind[i]]. The kinds differ."""

    kind: NDArray[np.integer]  # (n,) whole numbers
    kinds: Ints  # (k, arms)


class TranscriptStep(NamedTuple):
    """One step of the transcripts that are still followed. They are in m states."""

    t: int
    trial: Ints | slice  # indices of these transcripts
    node: Ints  # the state of each transcript, 0 to m - 1
    transitions: Transitions  # what these states may release
    way: Ints  # the transition that each took; -1 where its state does not offer what it released
    kind: NDArray[np.integer]  # the kind of release of each, as in `ReleasedPulls`
    layer: Layer  # the m states


def excluded_by_law(visit: TranscriptStep, arms: int, level: float) -> Flags:
    """Whether each transcript contains a release that has probability 0 under the policy's law, (transcripts,).

    All False if the law has an absolute error, and so few transcripts did so that a law with this error explains it
    with probability above `level`.
    """
    wrong = visit.way < 0
    seldom = len(wrong) * visit.transitions.absolute_error * arms  # in expectation, and no fewer than the chance of one
    return np.zeros_like(wrong) if seldom > 0 and seldom ** int(wrong.sum()) > level else np.asarray(wrong)


Release = Callable[[int, Transitions], ReleasedPulls | None]
Apart = Callable[[Transitions], Array | Ints]


def follow_transcripts(
    graph: StateGraph, releases_at: Release, keys_of: Apart | None = None, tables: Ints | None = None
) -> Iterator[TranscriptStep]:
    """Yields, for each step, the states that given transcripts visit and the possible transitions from them.
    A transcript is followed as long as the law allows its releases.

    releases_at: called with (t, transitions); returns the releases of the transcripts in step t, None at their end.
    keys_of: called with the transitions that were taken; returns numbers, and states with different numbers are not
    merged (see `StateGraph.next_layer`). tables: the table on which each transcript is played, if the graph has many.
    """
    layer, trial, node, t = graph.first_layer(), None, tables, 0
    while graph.has_steps_left(layer):
        t += 1
        transitions = graph.transitions(t, layer)
        step = releases_at(t, transitions)
        if step is None:
            return
        many = len(step.kinds)
        if node is None:
            node = np.zeros(len(step.kind), dtype=np.int64)
        here = step.kind if trial is None else step.kind[trial]
        names = {row.tobytes(): kind for kind, row in enumerate(np.ascontiguousarray(step.kinds, dtype=np.int64))}
        known = np.array([names.get(row.tobytes(), -1) for row in transitions.outcomes])[transitions.outcome]
        some = np.flatnonzero(known >= 0)
        kinds_released = known[some]
        ways = np.full(len(layer.pulls) * many, -1)
        ways[transitions.source[some] * many + kinds_released] = some
        edge = node * many + here
        way = ways[edge]
        yield TranscriptStep(t, slice(None) if trial is None else trial, node, transitions, way, here, layer)
        taken = np.sort(ways[np.flatnonzero(np.bincount(edge, minlength=len(ways)))])
        if taken.size and taken[0] < 0:
            stay = np.flatnonzero(way >= 0)
            trial, way, taken = stay if trial is None else trial[stay], way[stay], taken[taken >= 0]
        if not taken.size:
            return
        chosen = transitions.chosen(taken)
        target, layer = graph.next_layer(t, layer, chosen, None if keys_of is None else keys_of(chosen))
        place = np.zeros(len(transitions.source), dtype=np.int64)
        place[taken] = target
        node = place[way]
