"""What may be released from a layer of states: the outcomes of a law, cut to what is left of the horizon, on all sides.

A way is a state and a release that is possible there on some side; each stands once, with its chance on every side.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.proofs_checks.exact.same import as_words, state_words, unique_rows
from dpbandits.reference.bandits.environments import per_trial
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.passing import cut_to_horizon, state_rows
from dpbandits.reference.bandits.policy import HasLaw, Ints, Law, Pulls
from dpbandits.reference.bandits.release_laws.checked import checked_law, possible

# As in Offers: source, outcomes, outcome, chance, bounds, log.
OfferParts = tuple[Ints, Ints, Ints, Array, tuple[Any, ...], Any]


def layer_ways(law: Law, places: list[Ints], alike: NDArray[np.bool_], left: Ints, last: bool) -> OfferParts:
    """The ways out of a layer. law, places: as in `Walk.law`. alike, left: of every state of the layer. last: whether
    runs end with an answer."""
    if (common := in_step(law, places, left - last)) is not None:
        return common
    ended, laws = np.flatnonzero(left <= 0), split_law(law, [len(place) for place in places])
    ends = [ended, *[ended[~alike[ended]]] * (len(laws) - 1)]
    return join_sides([possible_ways(*side, left, last) for side in zip(laws, places, ends, strict=True)], alike, left)


def in_step(law: Law, places: list[Ints], left: Ints) -> OfferParts | None:
    """The ways where all states live, and all share the same different outcomes in memory, none of which is truncated
    or needs to be cut: most policies in most steps. None elsewhere."""
    outcomes, states, sides = law.counts[0], len(left), len(places)
    shared = len(law.counts) < 2 or law.counts.strides[0] == 0
    if law.bound is not None or not shared or len(places[0]) < states or outcomes.sum(axis=1).max() > left.min():
        return None
    if len(set(map(tuple, outcomes.tolist()))) < len(outcomes):
        return None
    chance: Any = on_all(law.chance, places, states)
    log: Any = None if law.log is None else on_all(law.log, places, states)
    index = np.flatnonzero(chance.max(axis=0) if log is None else log.max(axis=0) > -np.inf)
    source, outcome = np.divmod(index, len(outcomes))
    log = None if log is None else log.reshape(sides, -1).take(index, axis=1)
    return source, outcomes, outcome, chance.reshape(sides, -1).take(index, axis=1), (None,) * sides, log


def on_all(values: Array, places: list[Ints], states: int) -> Any:
    """What a law says of all states on the first side, and elsewhere of those that differ, for all: (sides, states,
    outcomes)."""
    every = np.concatenate([values[:states]] * len(places)).reshape(len(places), states, -1)
    start = states
    for side, place in zip(every[1:], places[1:], strict=True):
        side[place] = values[start : start + len(place)]
        start += len(place)
    return every


class Ways(NamedTuple):
    """What one side may release next. bound: None, or (ways, arms). log: None, or of the chances."""

    source: Ints
    counts: Ints
    chance: Array
    bound: Any
    log: Any


def possible_ways(law: Law, states: Ints, ended: Ints, left: Ints, last: bool) -> Ways:
    """The possible outcomes of a law of these states, cut to what is left of the horizon; zeros from those that ended.
    left, last: as in `found`."""
    row, outcome = np.nonzero(possible(law))
    source = states[row]
    counts = cut_to_horizon(Pulls(law.counts[row, outcome]), left[source], last)[0].counts
    bound = None if law.bound is None else law.bound[row, outcome]
    if ended.size:
        zeros = np.zeros((ended.size, counts.shape[1]))
        bound = None if bound is None else np.concatenate([bound, zeros])
        counts = np.concatenate([counts, zeros.astype(np.int64)])
        source = np.concatenate([source, ended])
    chance = np.concatenate([law.chance[row, outcome], np.ones(ended.size)])
    log = None if law.log is None else np.concatenate([law.log[row, outcome], np.zeros(ended.size)])
    return Ways(source, counts, chance, bound, log)


def join_sides(sides: list[Ways], alike: NDArray[np.bool_], left: Ints) -> OfferParts:
    """All sides' ways together, by source and release. sides: of all states on the first side, and on the others of
    those that are not alike. Raises ValueError where one release would be truncated in two ways, unless it is the
    last: no state after it matters."""
    first = sides[0]
    same = np.flatnonzero(alike[first.source])
    each = [first, *(stacked(Ways(*(none_or(part, same) for part in first)), side) for side in sides[1:])]
    source, counts = (np.concatenate([getattr(side, name) for side in each]) for name in ("source", "counts"))
    head, kind = unique_rows([as_words(source), as_words(counts)])
    order = np.argsort(source[head], kind="stable")  # by source, and then as the sides list them
    head, rank = head[order], np.argsort(order)
    kind = rank[kind]
    chance, bounds, start = np.zeros((len(sides), len(head))), [], 0
    log = None if first.log is None else np.full(chance.shape, -np.inf)
    for number, side in enumerate(each):
        mine = kind[start : start + len(side.source)]
        chance[number] = np.bincount(mine, side.chance, len(head))
        if log is not None:
            np.logaddexp.at(log[number], mine, side.log)
        bounds.append(bound_of(side, mine, len(head), left))
        start += len(mine)
    outcomes = counts[head]
    once, outcome = unique_rows([as_words(outcomes)])
    return source[head], outcomes[once], outcome, chance, tuple(bounds), log


def none_or(part: Any, index: Any) -> Any:
    return None if part is None else part[index]


def stacked(one: Ways, other: Ways) -> Ways:
    """The ways of both; no bound is an infinite one."""
    bounds = [
        np.full(side.counts.shape, np.inf) if side.bound is None else side.bound
        for side in (one, other)
        if len(side.source)
    ]
    none = all(side.bound is None for side in (one, other))
    source, counts, chance = (np.concatenate([mine, theirs]) for mine, theirs in zip(one[:3], other[:3], strict=True))
    log = None if one.log is None else np.concatenate([one.log, other.log])
    return Ways(source, counts, chance, None if none else np.concatenate(bounds), log)


def bound_of(side: Ways, kind: Ints, many: int, left: Ints) -> Any:
    """The truncation of each kind of way on one side, (many, arms); infinite where the side has no such way."""
    if side.bound is None:
        return None
    bound = np.full((many, side.counts.shape[1]), np.inf)
    bound[kind] = side.bound
    pulled = (side.counts > 0) & (per_trial(side.counts) < left[side.source])[:, None]
    if (bound[kind] != side.bound)[pulled].any():
        row = int((((bound[kind] != side.bound) & pulled).any(axis=1)).argmax())
        raise ValueError(
            f"two outcomes of a state release the pulls {side.counts[row].tolist()} with different truncation bounds: "
            "the state after them would not follow from the release; give one release one bound"
        )
    return bound


# -- laws of several sides -------------------------------------------------------------------------------------------


def split_law(law: Law, sizes: list[int]) -> list[Law]:
    """The laws of so many states each, from that of all of them."""
    ends = np.cumsum(sizes).tolist()
    return [law.rows(slice(end - size, end)) for size, end in zip(sizes, ends, strict=True)]


def law_of_many(policy: HasLaw, t: int, state: Any, many: int, *seen: Array) -> Law:
    """`checked_law` where states of different pairs are the same, which it is then asked about once."""
    first, kind = unique_rows([*state_words(state), *map(as_words, seen)])
    law = checked_law(policy, t, state_rows(state, first), len(first), *(one[first] for one in seen))
    shared = len(first) < 2 or law.counts.strides[0] == 0
    counts = np.broadcast_to(law.counts[:1], (many, *law.counts.shape[1:])) if shared else law.counts[kind]
    return law.rows(kind)._replace(counts=counts)
