"""The walk over states: what a policy with a law can release and know after each of its steps.

A layer holds all states that a policy can be in after some number of steps, on every side at once: on both tables of a
pair, or on one. From a layer, `offers` asks the law what may be released next, and `arrive` teaches the policy what was
released, and merges whatever has become the same. Two ways lead to the same state where the policy's State is the same
on every side, bit by bit, and so is the place in the rewards: the pull counts on a table, their total on a stream. Then
they have the same future. Exact profiles, scores, goodness of fit, conformance and enumerations are all led by this.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.proofs_checks.exact.same import equal, kinds, word, words
from dpbandits.reference.answers import answered, answers, pulled
from dpbandits.reference.environments import Stream, Table, per_trial
from dpbandits.reference.laws import checked_law
from dpbandits.reference.neighbours import Pair
from dpbandits.reference.noise import Array, frozen
from dpbandits.reference.policy import RELATIVE, HasLaw, Ints, Law, Pulls, checked_state, cut, owned, rows

Side = Table | Stream
WIDEST = 2**20  # ways out of a layer that are followed; their states take about a kilobyte each in a profile


class Layer(NamedTuple):
    """All states that are followed after some number of steps."""

    made: Ints  # (states, arms): the pulls so far
    states: tuple[Any, ...]  # one for each side, the policy's State; first axis: states
    alike: NDArray[np.bool_]  # (states,): whether the State is the same on every side
    over: NDArray[np.bool_]  # (states,): whether an answer has been given
    of: Any = None  # (states,): on which of many pairs of tables each state plays; None where there is one


class Offers(NamedTuple):
    """The ways out of a layer, in the order of their sources: what may be released, each release of a state once."""

    source: Ints  # (ways,): which state
    outcomes: Ints  # (outcomes, arms): all that is released on some way, each once
    outcome: Ints  # (ways,): which of them
    chance: Array  # (sides, ways): not 0 on all sides
    bounds: tuple[Any, ...]  # one for each side: None, or the truncation of the pulls, (ways, arms)
    error: float  # relative, of every chance
    blur: float  # absolute

    @property
    def counts(self) -> Ints:
        """The released pulls, (ways, arms)."""
        return np.asarray(self.outcomes[self.outcome])

    def chosen(self, index: Any) -> Offers:
        """Only the ways with these indices."""
        return self._replace(
            source=self.source[index],
            outcome=self.outcome[index],
            chance=self.chance[:, index],
            bounds=tuple(None if bound is None else bound[index] for bound in self.bounds),
        )


class Moves(NamedTuple):
    """The ways from one layer to the next, sorted by target."""

    source: Ints  # (moves,): index into the old layer
    target: Ints  # (moves,): index into the new layer
    left: Array  # (moves,): probability on the left table
    right: Array  # (moves,): probability on the right table
    error: float = 0.0  # relative, of these
    blur: float = 0.0  # absolute


class Silence:
    """The noise that `learn` gets: none."""

    def normal(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        raise ValueError(
            f"learn draws noise at site {site!r}: a policy with a law draws in act alone, for what learn draws stands "
            "in no law; keep what act released, and draw it there"
        )

    laplace = uniform = normal


class Walk(NamedTuple):
    """A policy on one or two sides. slack: what the sums of rewards add to the relative error of a law. many: where the
    sides are so many tables each (`audit.play.many`), which are walked at once, from a state for each; else 0."""

    policy: HasLaw
    sides: tuple[Any, ...]  # Side, or many tables
    slack: float = 0.0
    many: int = 0

    def start(self) -> Layer:
        first = max(1, self.many)
        zero: Ints = np.zeros((first, self.policy.arms), dtype=np.int64)
        states = tuple(owned(self.policy.init(first)) for _ in self.sides)
        of = np.arange(first) if self.many else None
        return Layer(zero, states, np.ones(first, dtype=bool), np.zeros(first, dtype=bool), of)

    @property
    def last(self) -> bool:
        """Whether every run ends with an answer."""
        return answers(self.policy)

    def left(self, layer: Layer) -> Ints:
        """How much of the horizon is left in each state, and one for the answer, (states,)."""
        left: Ints = self.policy.horizon - per_trial(layer.made)
        return np.where(layer.over, 0, left + 1) if self.last else left

    def steps(self, layer: Layer) -> bool:
        """Whether there is a step to come."""
        return bool((self.left(layer) > 0).any())

    def advance(self, t: int, layer: Layer) -> tuple[Moves, Layer]:
        """Step t of two sides, from every state of a layer."""
        offers = self.offers(t, layer)
        target, following = self.arrive(t, layer, offers)
        order = np.argsort(target, kind="stable")
        left, right = offers.chance[:, order]
        return Moves(offers.source[order], target[order], left, right, offers.error, offers.blur), following

    def offers(self, t: int, layer: Layer) -> Offers:
        """What may be released in step t. Who has used up the horizon releases zeros; who would exceed it is cut."""
        left = self.left(layer)
        live = np.flatnonzero(left > 0)
        laws, places = self.laws(t, layer, live)
        error, blur = max(law.error for law in laws) + self.slack, max(law.blur for law in laws)
        found = in_step(laws, places, left - self.last) if live.size == left.size else None
        if found is None:
            ended = np.flatnonzero(left <= 0)
            ends = [ended, *[ended[~layer.alike[ended]]] * (len(laws) - 1)]
            each = [ways(law, place, end, left, self.last) for law, place, end in zip(laws, places, ends, strict=True)]
            found = joined(each, layer.alike, left)
        source, outcomes, outcome, chance, bounds = found
        if len(source) > WIDEST:
            raise ValueError(f"step {t}: more than {WIDEST} ways to follow; shorten the horizon")
        if self.last and ((left[source] == 1) & ~answered(outcomes)[outcome]).any():
            raise ValueError(
                f"step {t}: the horizon is used up, and the law gives no answer: return one_answer(chance)"
            )
        if not outcomes.any():
            raise ValueError(f"step {t}: the law pulls no arm, with {left.max()} pulls of the horizon left")
        return Offers(source, outcomes, outcome, chance, bounds, error, blur)

    def laws(self, t: int, layer: Layer, live: Ints) -> tuple[list[Law], list[Ints]]:
        """The law of every side, and of which states it speaks: of all that live on the first side, and on the others
        of those where they differ, unless these are all."""
        everyone = live.size == len(layer.made)
        ask = law_of_many if self.many else checked_law
        first = ask(self.policy, t, layer.states[0] if everyone else rows(layer.states[0], live), live.size)
        laws, places = [first], [live]
        other = live[~layer.alike[live]]
        for state in layer.states[1:]:
            same = len(other) == len(layer.made)
            if len(other):
                laws.append(ask(self.policy, t, state if same else rows(state, other), len(other)))
            else:
                laws.append(Law(first.counts[:0], first.chance[:0], None, first.error, first.blur))
            places.append(other)
        return laws, places

    def arrive(self, t: int, layer: Layer, offers: Offers, apart: Any = None) -> tuple[Ints, Layer]:
        """Where the ways lead: the index of each one's state, (ways,), and the layer of these states.

        apart: whole numbers (ways, k) that ways must share as well to be merged; None for nothing.
        """
        before, source, released = layer.made[offers.source], offers.source, frozen(offers.counts)
        counts = pulled(released)
        made, states, over = before + counts, [], layer.over[source] | answered(released)
        of = None if layer.of is None else layer.of[source]
        sides = self.sides if of is None else tuple(side.playing(of) for side in self.sides)
        for side, state, bound in zip(sides, layer.states, offers.bounds, strict=True):
            silence: Any = Silence()
            pulls = Pulls(counts, bound)
            paid = frozen(side.draw(t, before, counts, bound, silence))
            after = owned(self.policy.learn(t, rows(state, source), pulls, paid, silence))
            states.append(checked_state(after, len(source), f"step {t}: learn"))
        known = [words(state) for state in states]
        alike = np.ones(len(source), dtype=bool)
        for other in known[1:]:
            for mine, theirs in zip(known[0], other, strict=True):
                alike &= equal(mine, theirs)
        table = isinstance(self.sides[0], Table) or getattr(self.sides[0], "relation", "") == "pull"
        place = made if table else per_trial(made)
        every = [word(place), *(part for side in known for part in side), *([word(over)] if self.last else [])]
        every += [word(np.asarray(part)) for part in (apart, of) if part is not None]
        key = numbered(made, self.policy.horizon) if table and apart is None and of is None else None
        first, target = kinds(every, key)
        layer = Layer(made, tuple(states), alike, over, of)
        return target, kept(layer, first)


def walk(policy: HasLaw, pair: Pair) -> Walk:
    """A policy on both sides of a pair. Raises ValueError or TypeError where it cannot be walked there."""
    if not isinstance(policy, HasLaw):
        raise TypeError(f"{policy} offers no law(t, state): the exact engine cannot follow it")
    if pair.left.shape[0] != policy.arms:
        raise ValueError(f"the policy has {policy.arms} arms, the pair {pair.left.shape[0]}: make them equal")
    return Walk(policy, pair.environments(), sums_error(policy, pair))


def sums_error(policy: HasLaw, pair: Pair) -> float:
    """What the sums of the rewards add to a law's relative error: nothing where all are multiples of 2^-20, whose sums
    a double holds."""
    exact = all((np.mod(side * 2.0**20, 1) == 0).all() for side in (pair.left, pair.right))
    size = max(1.0, pair.range.size)
    return 0.0 if exact and size * policy.horizon <= 2**33 else RELATIVE * policy.horizon * size / 3


def count_states(walk: Walk, most: int) -> int:
    """How many states the walk has after all of its steps; some number above `most` where there are more."""
    layer, t, total = walk.start(), 0, 0
    while walk.steps(layer) and total <= most:
        t += 1
        _, layer = walk.advance(t, layer)
        total += len(layer.made)
    return total


def kept(layer: Layer, index: Any) -> Layer:
    """The layer with only the chosen states."""
    states = tuple(rows(state, index) for state in layer.states)
    of = None if layer.of is None else layer.of[index]
    return Layer(layer.made[index], states, layer.alike[index], layer.over[index], of)


def numbered(made: Ints, horizon: int) -> Ints | None:
    """One number for every row of pull counts, (n,); None where they do not fit 62 bits."""
    arms = made.shape[1]
    if (horizon + 1.0) ** arms > 2**62:
        return None
    digits = (horizon + 1) ** np.arange(arms)
    # All rows of most layers have the same total, which stands for the last arm's count.
    return np.asarray(made[:, :-1] @ digits[:-1] + per_trial(made) * digits[-1])


def law_of_many(policy: HasLaw, t: int, state: Any, many: int) -> Law:
    """`checked_law` where states of different pairs are the same, which it is then asked about once."""
    first, kind = kinds(words(state))
    law = checked_law(policy, t, rows(state, first), len(first))
    shared = len(first) < 2 or law.counts.strides[0] == 0
    counts = np.broadcast_to(law.counts[:1], (many, *law.counts.shape[1:])) if shared else law.counts[kind]
    return law._replace(counts=counts, chance=law.chance[kind], bound=None if law.bound is None else law.bound[kind])


# -- what is offered -------------------------------------------------------------------------------------------------

Found = tuple[Ints, Ints, Ints, Array, tuple[Any, ...]]  # as in Offers: source, outcomes, outcome, chance, bounds


def in_step(laws: list[Law], places: list[Ints], left: Ints) -> Found | None:
    """The ways where all states of all sides have the same different outcomes, none of which is truncated or needs to
    be cut: most policies in most steps. None elsewhere. places: as in `Walk.laws`, which speaks of all states here."""
    outcomes = laws[0].counts[0]
    if outcomes.sum(axis=1).max() > left.min() or len(set(map(tuple, outcomes.tolist()))) < len(outcomes):
        return None
    chance = np.empty((len(laws), *laws[0].chance.shape))
    for side, law, place in zip(chance, laws, places, strict=True):
        if law.bound is not None or not shares(law, outcomes):
            return None
        side[:] = laws[0].chance
        side[place] = law.chance
    source, outcome = np.nonzero((chance > 0).any(axis=0))
    return source, outcomes, outcome, chance[:, source, outcome], (None,) * len(laws)


def shares(law: Law, outcomes: Ints) -> bool:
    """Whether these are the outcomes of every state; where they are, but apart in memory, perhaps not."""
    one = len(law.counts) < 2 or law.counts.strides[0] == 0
    return one and all(np.array_equal(counts, outcomes) for counts in law.counts[:1])


class Ways(NamedTuple):
    """What one side may release next. bound: None, or (ways, arms)."""

    source: Ints
    counts: Ints
    chance: Array
    bound: Any


def ways(law: Law, states: Ints, ended: Ints, left: Ints, last: bool) -> Ways:
    """The possible outcomes of a law of these states, cut to what is left of the horizon; zeros from those that ended.
    left: of every state of the layer. last: whether runs end with an answer."""
    row, outcome = np.nonzero(law.chance > 0)
    source = states[row]
    counts = cut(Pulls(law.counts[row, outcome]), left[source], last)[0].counts
    bound = None if law.bound is None else law.bound[row, outcome]
    if ended.size:
        zeros = np.zeros((ended.size, counts.shape[1]))
        bound = None if bound is None else np.concatenate([bound, zeros])
        counts = np.concatenate([counts, zeros.astype(np.int64)])
        source = np.concatenate([source, ended])
    chance = np.concatenate([law.chance[row, outcome], np.ones(ended.size)])
    return Ways(source, counts, chance, bound)


def joined(sides: list[Ways], alike: NDArray[np.bool_], left: Ints) -> Found:
    """All sides' ways together, by source and release. sides: of all states on the first side, and on the others of
    those that are not alike. Raises ValueError where one release would be truncated in two ways, unless it is the
    last: no state after it matters."""
    first = sides[0]
    same = np.flatnonzero(alike[first.source])
    each = [first, *(stacked(Ways(*(none_or(part, same) for part in first)), side) for side in sides[1:])]
    source, counts = (np.concatenate([getattr(side, name) for side in each]) for name in ("source", "counts"))
    head, kind = kinds([word(source), word(counts)])
    order = np.argsort(source[head], kind="stable")  # by source, and then as the sides list them
    head, rank = head[order], np.argsort(order)
    kind = rank[kind]
    chance, bounds, start = np.zeros((len(sides), len(head))), [], 0
    for number, side in enumerate(each):
        mine = kind[start : start + len(side.source)]
        chance[number] = np.bincount(mine, side.chance, len(head))
        bounds.append(bound_of(side, mine, len(head), left))
        start += len(mine)
    outcomes = counts[head]
    once, outcome = kinds([word(outcomes)])
    return source[head], outcomes[once], outcome, chance, tuple(bounds)


def none_or(part: Any, index: Ints) -> Any:
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
    return Ways(source, counts, chance, None if none else np.concatenate(bounds))


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
