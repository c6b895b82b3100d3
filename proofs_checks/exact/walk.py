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

from dpbandits.proofs_checks.exact.law_errors import log_error, sums_error
from dpbandits.proofs_checks.exact.same import as_words, equal, flatten_words, state_words, unique_rows
from dpbandits.proofs_checks.exact.ways import law_of_many, layer_ways
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import context_dimension, demand_contexts, demand_one_pull, seen_by
from dpbandits.reference.bandits.environments import Stream, Table, per_trial
from dpbandits.reference.bandits.noise import Array, frozen
from dpbandits.reference.bandits.passing import checked_state, copy_state, state_rows
from dpbandits.reference.bandits.policy import HasLaw, Ints, Law, Pulls
from dpbandits.reference.bandits.recommendations import answered, answers, pulls_without_answers
from dpbandits.reference.bandits.release_laws.checked import checked_law

Side = Table | Stream
MAX_LAYER_WAYS = 2**20  # ways out of a layer that are followed; their states take about a kilobyte each in a profile


class Layer(NamedTuple):
    """All states that are followed after some number of steps."""

    made: Ints  # (states, arms): the pulls so far
    state: Any  # the policy's State, of all sides one below another; first axis: sides * states
    sides: int
    alike: NDArray[np.bool_]  # (states,): whether the State is the same on every side
    left: Ints  # (states,): how much of the horizon is left, and one for the answer that is still to be given
    of: Any = None  # (states,): on which of many pairs of tables each state plays; None where there is one

    def stand(self, index: Ints) -> Ints:
        """Where the chosen states stand on all sides, one below another."""
        many = len(self.made)
        return index if self.sides == 1 else np.concatenate([index + side * many for side in range(self.sides)])


class Offers(NamedTuple):
    """The ways out of a layer, in the order of their sources: what may be released, each release of a state once."""

    source: Ints  # (ways,): which state
    outcomes: Ints  # (outcomes, arms): all that is released on some way, each once
    outcome: Ints  # (ways,): which of them
    chance: Array  # (sides, ways): not 0 on all sides
    bounds: tuple[Any, ...]  # one for each side: None, or the truncation of the pulls, (ways, arms)
    error: float  # relative, of every chance; of its logarithm, where the law states those
    blur: float  # absolute
    log: Any = None  # None, or (sides, ways): the logarithms of the chances, where the law states them

    @property
    def drift(self) -> float:
        """What the logarithm of a chance may be off by."""
        return log_error(self.error) if self.log is None else self.error

    @property
    def counts(self) -> Ints:
        """The released pulls, (ways, arms)."""
        return np.asarray(state_rows(self.outcomes, self.outcome))

    def chosen(self, index: Any) -> Offers:
        """Only the ways with these indices."""
        return self._replace(
            source=self.source[index],
            outcome=self.outcome[index],
            chance=self.chance[:, index],
            bounds=tuple(None if bound is None else bound[index] for bound in self.bounds),
            log=None if self.log is None else self.log[:, index],
        )


class Moves(NamedTuple):
    """The ways from one layer to the next, sorted by target."""

    source: Ints  # (moves,): index into the old layer
    target: Ints  # (moves,): index into the new layer
    left: Array  # (moves,): probability on the left table
    right: Array  # (moves,): probability on the right table
    error: float = 0.0  # of their logarithms
    blur: float = 0.0  # absolute
    log: Any = None  # None, or (2, moves): their logarithms, also of chances too small for doubles


class DrawsWhileLearning(ValueError):
    """A policy draws while it learns, so that every trial has a state of its own."""


class Silence:
    """The noise that `learn` gets: none. A draw raises DrawsWhileLearning."""

    def normal(self, site: str, index: int, shape: tuple[int, ...] = (), where: Any = True) -> Array:
        raise DrawsWhileLearning(
            f"learn draws noise at site {site!r}: a policy with a law draws in act alone, for what learn draws stands "
            "in no law; keep what act released, and draw it there"
        )

    laplace = uniform = normal


class Walk(NamedTuple):
    """A policy on one or two sides. slack: what the sums of rewards add to the relative error of a law. many: where the
    sides are so many tables each (`audit.play.many`), which are walked at once, from a state for each; else 0. until:
    of two sides, the pulls of every arm after which they pay alike, (arms,), or on streams the pulls in all; None where
    that is not known. apart: the last round in which the contexts of the sides may differ; 0 where they are alike."""

    policy: HasLaw
    sides: tuple[Any, ...]  # Side, or many tables
    slack: float = 0.0
    many: int = 0
    until: Any = None
    apart: int = 0

    def start(self) -> Layer:
        first = max(1, self.many)
        zero: Ints = np.zeros((first, self.policy.arms), dtype=np.int64)
        state = copy_state(self.policy.init(first * len(self.sides)))
        of = np.arange(first) if self.many else None
        left = np.full(first, self.policy.horizon + self.last)
        return Layer(zero, state, len(self.sides), np.full(first, not self.apart), left, of)

    @property
    def last(self) -> bool:
        """Whether every run ends with an answer."""
        return answers(self.policy)

    def steps(self, layer: Layer) -> bool:
        """Whether there is a step to come."""
        return bool(layer.left.max() > 0)

    def advance(self, t: int, layer: Layer) -> tuple[Moves, Layer]:
        """Step t of two sides, from every state of a layer. What lies ahead of a state that is the same on both sides,
        where both pay alike from now on, tells nothing: all such states end there, as one."""
        offers = self.offers(t, layer)
        target, following = self.arrive(t, layer, offers)
        target, following = merge_ended_states(target, following, self.told(following))
        order = target.argsort(kind="stable")
        left, right = offers.chance.take(order, axis=1)
        log = None if offers.log is None else offers.log.take(order, axis=1)
        return Moves(offers.source[order], target[order], left, right, offers.drift, offers.blur, log), following

    def told(self, layer: Layer) -> Ints:
        """Which states tell nothing any more."""
        if self.until is None:
            return np.zeros(0, dtype=np.int64)
        made = layer.made if np.ndim(self.until) else per_trial(layer.made)[:, None]
        return np.flatnonzero(layer.alike & (made >= self.until).all(axis=1))

    def offers(self, t: int, layer: Layer) -> Offers:
        """What may be released in step t. Who has used up the horizon releases zeros; who would exceed it is cut."""
        left, last = layer.left, self.last
        law, places = self.law(t, layer, np.flatnonzero(left > 0))
        source, outcomes, outcome, chance, bounds, log = layer_ways(law, places, layer.alike, left, last)
        if len(source) > MAX_LAYER_WAYS:
            raise ValueError(f"step {t}: more than {MAX_LAYER_WAYS} ways to follow; shorten the horizon")
        if context_dimension(self.policy):
            demand_one_pull(t, outcomes, outcomes.any(axis=1))
        if last and ((left[source] == 1) & ~answered(outcomes)[outcome]).any():
            raise ValueError(
                f"step {t}: the horizon is used up, and the law gives no answer: return one_answer(chance)"
            )
        if not outcomes.any():
            raise ValueError(f"step {t}: the law pulls no arm, with {left.max()} pulls of the horizon left")
        return Offers(source, outcomes, outcome, chance, bounds, law.error + self.slack, law.blur, log)

    def law(self, t: int, layer: Layer, live: Ints) -> tuple[Law, list[Ints]]:
        """The law of all sides, one below another, and of which states of each it speaks: of all that live on the first
        side, and on the others of those where they differ."""
        ask, states = law_of_many if self.many else checked_law, len(layer.made)
        places = [live, *[live[~layer.alike[live]]] * (len(self.sides) - 1)]
        stand = np.concatenate([place + side * states for side, place in enumerate(places)])
        seen = self.seen(t, layer.of, places)
        return ask(self.policy, t, state_rows(layer.state, stand), len(stand), *seen), places

    def seen(self, t: int, of: Any, places: list[Ints]) -> tuple[Array, ...]:
        """The contexts of step t that these states see on each side, one below another; nothing without contexts."""
        if not context_dimension(self.policy):
            return ()
        sides = [
            side if of is None else side.playing(of[place]) for side, place in zip(self.sides, places, strict=True)
        ]
        each = [seen_by(self.policy, side, t, len(place)) for side, place in zip(sides, places, strict=True)]
        return (frozen(np.concatenate([one for (one,) in each])),)

    def arrive(self, t: int, layer: Layer, offers: Offers, apart: Any = None) -> tuple[Ints, Layer]:
        """Where the ways lead: the index of each one's state, (ways,), and the layer of these states.

        apart: whole numbers (ways, k) that ways must share as well to be merged; None for nothing.
        """
        before, source, released = state_rows(layer.made, offers.source), offers.source, frozen(offers.counts)
        counts, last = pulls_without_answers(released), self.last
        made, left = before + counts, layer.left[source] - per_trial(counts)
        left = np.where(answered(released), 0, left) if last else left
        of = None if layer.of is None else layer.of[source]
        sides = self.sides if of is None else tuple(side.playing(of) for side in self.sides)
        silence: Any = Silence()
        paid = [side.draw(t, before, counts, bound, silence) for side, bound in zip(sides, offers.bounds, strict=True)]
        # All sides learn at once, one below another.
        pulls = Pulls(repeated(counts, len(sides)), bounds_below(offers.bounds, counts.shape))
        known = state_rows(layer.state, layer.stand(source))
        seen = self.seen(t, layer.of, [source] * len(sides))
        after = self.policy.learn(t, known, pulls, frozen(np.concatenate(paid)), silence, *seen)
        checked_state(after, len(sides) * len(source), f"step {t}: learn")
        table = isinstance(self.sides[0], Table) or getattr(self.sides[0], "relation", "") == "pull"
        place = repeated(made if table else per_trial(made), len(sides))
        told = flatten_words([as_words(place), *state_words(after)]).reshape(len(sides), len(source), -1)
        alike = np.asarray(equal(told[1:], told[:1]).all(axis=0)) & (t >= self.apart)
        every = [*told, *(as_words(np.asarray(part)) for part in (apart, of) if part is not None)]
        every += [as_words(left)] if last else []
        key = numbered(made, self.policy.horizon) if table and apart is None and of is None else None
        layer = Layer(made, after, len(sides), alike, left, of)
        first, target = unique_rows(every, key)
        return target, select_states(layer, first)


def repeated(counts: Ints, sides: int) -> Ints:
    return counts if sides == 1 else frozen(np.concatenate([counts] * sides))


def bounds_below(bounds: tuple[Any, ...], shape: tuple[int, ...]) -> Any:
    """The truncations of all sides, one below another; no bound is an infinite one, if some side has one."""
    if all(bound is None for bound in bounds):
        return None
    return np.concatenate([np.full(shape, np.inf) if bound is None else bound for bound in bounds])


def walk(policy: HasLaw, pair: Pair) -> Walk:
    """A policy on both sides of a pair. Raises ValueError or TypeError where it cannot be walked there."""
    if not isinstance(policy, HasLaw):
        raise TypeError(f"{policy} offers no law(t, state): the exact engine cannot follow it")
    if pair.left.shape[0] != policy.arms:
        raise ValueError(f"the policy has {policy.arms} arms, the pair {pair.left.shape[0]}: make them equal")
    sides = pair.environments()
    demand_contexts(policy, sides[0])
    return Walk(policy, sides, sums_error(policy, pair), until=alike_from(pair), apart=contexts_apart(pair))


def contexts_apart(pair: Pair) -> int:
    """The last round in which the contexts of both sides differ, from 1; 0 where they do not."""
    one, other = pair.both_contexts
    place = None if one is None else one.place_apart(other)
    return 0 if place is None else place + 1


def alike_from(pair: Pair) -> Any:
    """After how many pulls of every arm, (arms,), or of all arms on a stream, both sides pay alike; see `Walk`."""
    spot = pair.spot
    if pair.relation != "pull":
        return np.int64(0 if spot is None else spot[1] + 1)
    pulls: Ints = np.zeros(len(pair.left), dtype=np.int64)
    if spot is not None:
        pulls[spot[0]] = spot[1] + 1
    return pulls


def merge_ended_states(target: Ints, layer: Layer, ended: Ints) -> tuple[Ints, Layer]:
    """The layer in which these states are the first one of them, with nothing left to do, and where the ways lead."""
    if not ended.size:
        return target, layer
    stays = np.ones(len(layer.made), dtype=bool)
    stays[ended[1:]] = False
    place = np.cumsum(stays) - 1
    place[ended] = place[ended[0]]
    left = np.array(layer.left)
    left[ended] = 0
    return place[target], select_states(layer._replace(left=left), np.flatnonzero(stays))


def select_states(layer: Layer, index: Ints) -> Layer:
    """The layer with only the chosen states."""
    of = None if layer.of is None else layer.of[index]
    state = state_rows(layer.state, layer.stand(index))
    return Layer(state_rows(layer.made, index), state, layer.sides, layer.alike[index], layer.left[index], of)


def numbered(made: Ints, horizon: int) -> Ints | None:
    """One number for every row of pull counts, (n,); None where they do not fit 62 bits."""
    arms = made.shape[1]
    if (horizon + 1.0) ** arms > 2**62:
        return None
    digits = (horizon + 1) ** np.arange(arms)
    # All rows of most layers have the same total, which stands for the last arm's count.
    digits[:-1] += digits[-1]
    return np.asarray(made @ digits)
