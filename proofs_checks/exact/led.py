"""The walk led by transcripts: only where they went, and the law of what they released next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.proofs_checks.exact.walk import Layer, Offers, Walk
from dpbandits.reference.bandits.policy import Ints

RARE = 0.01  # the share of a level for releases that a blurred law excludes, which may happen nevertheless


class Released(NamedTuple):
    """What n transcripts released in one step: transcript i the pulls kinds[kind[i]]; no two kinds are equal."""

    kind: Any  # (n,) whole numbers
    kinds: Ints  # (k, arms)


class Visit(NamedTuple):
    """One step of the transcripts that are still followed, m states among them."""

    t: int
    trial: Ints | slice  # which transcripts these are
    node: Ints  # the state that each one is in, 0 to m - 1
    offers: Offers  # what these states may release
    way: Ints  # which of the offers each one took; -1 where its state does not offer what it released
    kind: Any  # what each one released, as in Released
    layer: Layer  # the m states


def excluded(visit: Visit, arms: int, level: float) -> NDArray[np.bool_]:
    """Which transcripts released what their state's law excludes: none where the law is blurred, and so few did that
    a law as wrong as it may be makes them do so with a probability above `level`."""
    wrong = visit.way < 0
    seldom = len(wrong) * visit.offers.blur * arms  # in expectation, and no fewer than the chance of one
    return np.zeros_like(wrong) if seldom > 0 and seldom ** int(wrong.sum()) > level else np.asarray(wrong)


Release = Callable[[int, Offers], Released | None]
Apart = Callable[[Offers], Any]


def follow_transcripts(
    walk: Walk, released: Release, apart: Apart | None = None, of: Ints | None = None
) -> Iterator[Visit]:
    """Follow transcripts, each only as far as the law offers what it releases, until all have used up the horizon.

    released: what they released in step t, where so much is offered; None where they end. apart: given the ways that
    were taken, what must not be merged (see `Walk.arrive`). of: on which of the walk's many tables each one plays.
    """
    layer, trial, node, t = walk.start(), None, of, 0
    while walk.steps(layer):
        t += 1
        offers = walk.offers(t, layer)
        step = released(t, offers)
        if step is None:
            return
        many = len(step.kinds)
        if node is None:
            node = np.zeros(len(step.kind), dtype=np.int64)
        here = step.kind if trial is None else step.kind[trial]
        names = {row.tobytes(): kind for kind, row in enumerate(np.ascontiguousarray(step.kinds, dtype=np.int64))}
        known = np.array([names.get(row.tobytes(), -1) for row in offers.outcomes])[offers.outcome]
        some = np.flatnonzero(known >= 0)
        offered = known[some]
        ways = np.full(len(layer.made) * many, -1)
        ways[offers.source[some] * many + offered] = some
        edge = node * many + here
        way = ways[edge]
        yield Visit(t, slice(None) if trial is None else trial, node, offers, way, here, layer)
        taken = np.sort(ways[np.flatnonzero(np.bincount(edge, minlength=len(ways)))])
        if taken.size and taken[0] < 0:
            stay = np.flatnonzero(way >= 0)
            trial, way, taken = stay if trial is None else trial[stay], way[stay], taken[taken >= 0]
        if not taken.size:
            return
        chosen = offers.chosen(taken)
        target, layer = walk.arrive(t, layer, chosen, None if apart is None else apart(chosen))
        place = np.zeros(len(offers.source), dtype=np.int64)
        place[taken] = target
        node = place[way]
