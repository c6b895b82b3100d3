"""The states that a policy with a law can reach, in layers, and the transitions between them.

A layer contains all states after some number of steps, for both tables of a pair, or for a single table. `transitions`
evaluates the law of the next release; `next_layer` passes the release to the policy's `learn` and merges equal states.
Two states are equal if the policy's State is the same bit by bit on every side, and so is the position in the rewards:
the pull counts on a table, their total on a stream. Equal states have the same future. Exact profiles, scores, goodness
of fit, conformance and enumerations use this graph.

The second part turns a law into transitions: outcomes are cut to the pulls that are left, and listed once for each
state with a probability on every side. Axes are (sides, transitions).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpbandits.proofs_checks.exact.unique_rows import as_words, equal_rows, flatten_words, state_words, unique_rows
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import context_dimension, demand_contexts, demand_one_pull, seen_by
from dpbandits.reference.bandits.environments import Stream, Table, per_trial
from dpbandits.reference.bandits.noise import Array, Flags, frozen
from dpbandits.reference.bandits.passing import State, checked_state, copy_state, cut_to_horizon, state_rows
from dpbandits.reference.bandits.policy import RELATIVE, HasLaw, Ints, Law, Pulls
from dpbandits.reference.bandits.recommendations import answered, answers, pulls_without_answers
from dpbandits.reference.bandits.release_laws.checked import checked_law, possible

Side = Table | Stream
Truncations = tuple[
    Array | None, ...
]  # for each side None, or the bounds of the transitions' pulls, (transitions, arms)
MAX_TRANSITIONS = 2**20  # out of a layer; their states take about a kilobyte each in a profile
MAX_COUNTS = 2**24  # pulls counted arm by arm for the transitions out of a layer; each takes about 100 bytes


class Layer(NamedTuple):
    """All states that are followed after some number of steps."""

    pulls: Ints  # (states, arms): pulls so far
    state: State  # the policy's State on every side, stacked; first axis: sides * states
    sides: int
    same_on_all_sides: Flags  # (states,): whether the State is the same on every side
    pulls_left: Ints  # (states,): pulls left of the horizon, plus one for an answer that is still to come
    table: Ints | None = None  # (states,): which of many tables each state is played on; None for a single one

    def rows_on_all_sides(self, index: Ints) -> Ints:
        """The rows of the policy's state that belong to the states with these indices, one side after another."""
        many = len(self.pulls)
        return index if self.sides == 1 else np.concatenate([index + side * many for side in range(self.sides)])


class Transitions(NamedTuple):
    """The transitions out of a layer, ordered by source state; each release of a state once."""

    source: Ints  # (transitions,): which state
    outcomes: Ints  # (outcomes, arms): all distinct releases
    outcome: Ints  # (transitions,): which of the outcomes
    chance: Array  # (sides, transitions): probabilities, not 0 on all sides
    bounds: Truncations  # for each side None, or the truncation of the pulls, (transitions, arms)
    error: float  # relative, of every probability; absolute, of its logarithm, where the law gives logarithms
    absolute_error: float  # of every probability
    log: Array | None = None  # None, or (sides, transitions): logarithms of the probabilities, if the law gives them

    @property
    def log_error(self) -> float:
        """A bound on the error of the logarithms of the transitions' probabilities."""
        return log_error(self.error) if self.log is None else self.error

    @property
    def counts(self) -> Ints:
        """The released pulls, (transitions, arms)."""
        return np.asarray(state_rows(self.outcomes, self.outcome))

    def chosen(self, index: Ints) -> Transitions:
        """A copy that contains only the transitions with these indices."""
        return self._replace(
            source=self.source[index],
            outcome=self.outcome[index],
            chance=self.chance[:, index],
            bounds=tuple(None if bound is None else bound[index] for bound in self.bounds),
            log=None if self.log is None else self.log[:, index],
        )


class PairTransitions(NamedTuple):
    """The transitions of a pair from one layer to the next, sorted by target."""

    source: Ints  # (transitions,): index into the old layer
    target: Ints  # (transitions,): index into the new layer
    left: Array  # (transitions,): probability on the left table
    right: Array  # (transitions,): probability on the right table
    error: float = 0.0  # of the logarithms of the probabilities
    absolute_error: float = 0.0  # of the probabilities
    log: Array | None = None  # None, or (2, transitions): their logarithms, also of probabilities too small for doubles


class DrawsWhileLearning(ValueError):
    """The policy draws noise while it learns, so every trial has a state of its own."""


class ForbiddenNoise:
    """The noise that the exact engine passes to `learn`: every draw raises DrawsWhileLearning."""

    def normal(self, site: str, index: int, shape: tuple[int, ...] = (), where: bool | Flags = True) -> Array:
        """Raises DrawsWhileLearning, because a law covers only the draws made in `act`."""
        raise DrawsWhileLearning(
            f"`learn` draws noise at site {site!r}, but a law covers only the draws made in `act`; draw the noise in "
            "`act` and store it in the state"
        )

    laplace = uniform = normal


class StateGraph(NamedTuple):
    """A policy on one or two sides, as a graph of its states.

    policy: one with a `law`. sides: a table or stream each, or `many` tables each (`audit.play.many`), which are
    followed together from one state for each; many is 0 otherwise. sums_error: the relative error that rounded sums of
    rewards add to a law. equal_rewards_after: after so many pulls of every arm, (arms,), or in all on a stream, the
    rewards of two sides are equal; None if unknown. last_context_difference: the last round in which the contexts of
    the sides may differ; 0 if they are equal.
    """

    policy: HasLaw
    sides: tuple[Any, ...]  # Side, or many tables
    sums_error: float = 0.0
    many: int = 0
    equal_rewards_after: Ints | np.int64 | None = None
    last_context_difference: int = 0

    def first_layer(self) -> Layer:
        """The layer before the first step: the policy's initial state, once for each table if there are several."""
        first = max(1, self.many)
        zero: Ints = np.zeros((first, self.policy.arms), dtype=np.int64)
        state = copy_state(self.policy.init(first * len(self.sides)))
        of = np.arange(first) if self.many else None
        left = np.full(first, self.policy.horizon + self.ends_with_answer)
        return Layer(zero, state, len(self.sides), np.full(first, not self.last_context_difference), left, of)

    @property
    def ends_with_answer(self) -> bool:
        """Whether every run ends with an answer."""
        return answers(self.policy)

    def has_steps_left(self, layer: Layer) -> bool:
        """Whether some state of the layer has a part of the horizon left."""
        return bool(layer.pulls_left.max() > 0)

    def pair_step(self, t: int, layer: Layer) -> tuple[PairTransitions, Layer]:
        """The transitions of step t on a pair of tables, and the layer of states after them.

        If a state is the same on both sides and rewards are equal from now on, the future has a privacy loss of 0. All
        such states end here, merged into one.
        """
        offers = self.transitions(t, layer)
        target, following = self.next_layer(t, layer, offers)
        target, following = merge_ended_states(target, following, self.settled_states(following))
        order = target.argsort(kind="stable")
        left, right = offers.chance.take(order, axis=1)
        log = None if offers.log is None else offers.log.take(order, axis=1)
        return PairTransitions(
            offers.source[order], target[order], left, right, offers.log_error, offers.absolute_error, log
        ), following

    def settled_states(self, layer: Layer) -> Ints:
        """The indices of the states from which all sides behave alike, so that no further privacy is lost."""
        if self.equal_rewards_after is None:
            return np.zeros(0, dtype=np.int64)
        made = layer.pulls if np.ndim(self.equal_rewards_after) else per_trial(layer.pulls)[:, None]
        return np.flatnonzero(layer.same_on_all_sides & (made >= self.equal_rewards_after).all(axis=1))

    def transitions(self, t: int, layer: Layer) -> Transitions:
        """The possible releases of step t from every state of a layer, with their probabilities on all sides.
        States without pulls left release zeros; releases that exceed the horizon are cut.
        """
        left, last = layer.pulls_left, self.ends_with_answer
        live = np.flatnonzero(left > 0)
        self.demand_few_transitions(t, len(live))  # each has one at least
        law, places = self.law(t, layer, live)
        self.demand_few_transitions(t, int(np.count_nonzero(possible(law)[: len(live)])))
        found = layer_transitions(law, places, layer.same_on_all_sides, left, last)
        source, outcomes = found.source, found.outcomes
        self.demand_few_transitions(t, len(source))
        if context_dimension(self.policy):
            demand_one_pull(t, outcomes, outcomes.any(axis=1))
        if last and ((left[source] == 1) & ~answered(outcomes)[found.outcome]).any():
            raise ValueError(
                f"step {t}: the horizon is used up, but the law gives no final recommendation; return "
                "one_answer(probabilities)"
            )
        if not outcomes.any():
            raise ValueError(
                f"step {t}: the law pulls no arm, although the horizon is not used up (pulls left: {left.max()})"
            )
        return found._replace(error=law.error + self.sums_error)

    def demand_few_transitions(self, t: int, number: int) -> None:
        """Raises ValueError if there are more transitions out of the layer of step t than can be followed."""
        most = min(MAX_TRANSITIONS, MAX_COUNTS // self.policy.arms)
        if number > most:
            raise ValueError(f"step {t}: more than {most} transitions to follow; shorten the horizon")

    def law(self, t: int, layer: Layer, live: Ints) -> tuple[Law, list[Ints]]:
        """Returns the policy's law of step t in the states `live`, with the rows of all sides stacked.
        The second result gives for each side the states of its rows: all of them on the first side, on the other sides
        only those that differ from the first."""
        ask, states = law_of_distinct_states if self.many else checked_law, len(layer.pulls)
        places = [live, *[live[~layer.same_on_all_sides[live]]] * (len(self.sides) - 1)]
        stand = np.concatenate([place + side * states for side, place in enumerate(places)])
        seen = self.contexts_seen(t, layer.table, places)
        return ask(self.policy, t, state_rows(layer.state, stand), len(stand), *seen), places

    def contexts_seen(self, t: int, tables: Ints | None, places: list[Ints]) -> tuple[Array, ...]:
        """The contexts that the policy sees in step t, for the states `places` of each side, stacked.
        () for a policy without contexts. tables: the table of each state."""
        if not context_dimension(self.policy):
            return ()
        sides = [
            side if tables is None else side.playing(tables[place])
            for side, place in zip(self.sides, places, strict=True)
        ]
        each = [seen_by(self.policy, side, t, len(place)) for side, place in zip(sides, places, strict=True)]
        return (frozen(np.concatenate([one for (one,) in each])),)

    def next_layer(
        self, t: int, layer: Layer, offers: Transitions, keys: Array | Ints | None = None
    ) -> tuple[Ints, Layer]:
        """The index of the next state of each transition, (transitions,), and the layer of these next states.

        keys: whole numbers (transitions, k); states where they differ are not merged. None for none.
        """
        before, source, released = state_rows(layer.pulls, offers.source), offers.source, frozen(offers.counts)
        counts, last = pulls_without_answers(released), self.ends_with_answer
        made, left = before + counts, layer.pulls_left[source] - per_trial(counts)
        left = np.where(answered(released), 0, left) if last else left
        of = None if layer.table is None else layer.table[source]
        sides = self.sides if of is None else tuple(side.playing(of) for side in self.sides)
        silence: Any = ForbiddenNoise()
        paid = [side.draw(t, before, counts, bound, silence) for side, bound in zip(sides, offers.bounds, strict=True)]
        # All sides learn at once, one below another.
        pulls = Pulls(repeat_for_sides(counts, len(sides)), stack_truncations(offers.bounds, counts.shape))
        known = state_rows(layer.state, layer.rows_on_all_sides(source))
        seen = self.contexts_seen(t, layer.table, [source] * len(sides))
        after = self.policy.learn(t, known, pulls, frozen(np.concatenate(paid)), silence, *seen)
        checked_state(after, len(sides) * len(source), f"step {t}: learn")
        table = isinstance(self.sides[0], Table) or getattr(self.sides[0], "relation", "") == "pull"
        place = repeat_for_sides(made if table else per_trial(made), len(sides))
        told = flatten_words([as_words(place), *state_words(after)]).reshape(len(sides), len(source), -1)
        alike = np.asarray(equal_rows(told[1:], told[:1]).all(axis=0)) & (t >= self.last_context_difference)
        every = [*told, *(as_words(np.asarray(part)) for part in (keys, of) if part is not None)]
        every += [as_words(left)] if last else []
        key = number_pull_counts(made, self.policy.horizon) if table and keys is None and of is None else None
        layer = Layer(made, after, len(sides), alike, left, of)
        first, target = unique_rows(every, key)
        return target, select_states(layer, first)


def repeat_for_sides(counts: Ints, sides: int) -> Ints:
    """The counts, repeated for every side along the first axis."""
    return counts if sides == 1 else frozen(np.concatenate([counts] * sides))


def stack_truncations(bounds: Truncations, shape: tuple[int, ...]) -> Array | None:
    """The truncation bounds of all sides, stacked along the first axis; infinite for a side without one.
    None if no side has one."""
    if all(bound is None for bound in bounds):
        return None
    return np.concatenate([np.full(shape, np.inf) if bound is None else bound for bound in bounds])


def state_graph(policy: HasLaw, pair: Pair) -> StateGraph:
    """The graph of a policy's states on both sides of a pair.
    Raises ValueError or TypeError if the policy cannot be followed there."""
    if not isinstance(policy, HasLaw):
        raise TypeError(
            f"{policy} has no method law(t, state), which the exact engine needs; add one that returns a Law, such as "
            "one_arm(probabilities)"
        )
    if pair.left.shape[0] != policy.arms:
        raise ValueError(
            f"the policy has arms = {policy.arms}, but the reward tables of the pair have shape {pair.left.shape}; "
            "give tables with a row for every arm"
        )
    sides = pair.environments()
    demand_contexts(policy, sides[0])
    return StateGraph(
        policy,
        sides,
        sums_error(policy, pair),
        equal_rewards_after=pulls_until_equal_rewards(pair),
        last_context_difference=last_differing_context(pair),
    )


def last_differing_context(pair: Pair) -> int:
    """The last round (counted from 1) in which the two sides have different contexts; 0 if there is none."""
    one, other = pair.both_contexts
    place = None if one is None else one.place_apart(other)
    return 0 if place is None else place + 1


def pulls_until_equal_rewards(pair: Pair) -> Ints | np.int64:
    """The number of pulls of each arm, (arms,), after which both sides pay equal rewards.
    For a stream, the number of pulls of all arms together."""
    spot = pair.spot
    if pair.relation != "pull":
        return np.int64(0 if spot is None else spot[1] + 1)
    pulls: Ints = np.zeros(len(pair.left), dtype=np.int64)
    if spot is not None:
        pulls[spot[0]] = spot[1] + 1
    return pulls


def merge_ended_states(target: Ints, layer: Layer, ended: Ints) -> tuple[Ints, Layer]:
    """The layer with all states `ended` merged into the first of them, and the transitions' targets in this layer.
    It has no pulls left."""
    if not ended.size:
        return target, layer
    stays = np.ones(len(layer.pulls), dtype=bool)
    stays[ended[1:]] = False
    place = np.cumsum(stays) - 1
    place[ended] = place[ended[0]]
    left = np.array(layer.pulls_left)
    left[ended] = 0
    return place[target], select_states(layer._replace(pulls_left=left), np.flatnonzero(stays))


def select_states(layer: Layer, index: Ints) -> Layer:
    """A copy of the layer with only the states that have these indices."""
    of = None if layer.table is None else layer.table[index]
    state = state_rows(layer.state, layer.rows_on_all_sides(index))
    return Layer(
        state_rows(layer.pulls, index), state, layer.sides, layer.same_on_all_sides[index], layer.pulls_left[index], of
    )


def number_pull_counts(made: Ints, horizon: int) -> Ints | None:
    """One integer for each row of pull counts, (n,), equal for equal rows.
    None if these integers do not fit into 62 bits."""
    arms = made.shape[1]
    if (horizon + 1.0) ** arms > 2**62:
        return None
    digits = (horizon + 1) ** np.arange(arms)
    # All rows of most layers have the same total, which stands for the last arm's count.
    digits[:-1] += digits[-1]
    return np.asarray(made @ digits)


def layer_transitions(law: Law, places: list[Ints], alike: Flags, remaining: Ints, may_answer: bool) -> Transitions:
    """The transitions of one step from the states of a layer, on all sides.

    law, places: from `StateGraph.law`. alike, remaining: for every state of the layer, whether it is the same on all
    sides, and the pulls left. may_answer: whether runs end with an answer.
    """
    if (common := common_outcomes(law, places, remaining - may_answer)) is not None:
        return common
    ended, laws = np.flatnonzero(remaining <= 0), split_law(law, [len(place) for place in places])
    ends = [ended, *[ended[~alike[ended]]] * (len(laws) - 1)]
    sides = [possible_transitions(*side, remaining, may_answer) for side in zip(laws, places, ends, strict=True)]
    return join_sides(law, sides, alike, remaining)


def common_outcomes(law: Law, places: list[Ints], remaining: Ints) -> Transitions | None:
    """The transitions of one step if all states have the same outcomes and nothing is truncated; None otherwise.
    The case: all states are live and share one array of distinct outcomes, and nothing is truncated or cut."""
    outcomes, states, sides = law.counts[0], len(remaining), len(places)
    shared = len(law.counts) < 2 or law.counts.strides[0] == 0
    if law.bound is not None or not shared or len(places[0]) < states or outcomes.sum(axis=1).max() > remaining.min():
        return None
    if len(set(map(tuple, outcomes.tolist()))) < len(outcomes):
        return None
    chance = spread_to_all_states(law.chance, places, states)
    log = None if law.log is None else spread_to_all_states(law.log, places, states)
    index = np.flatnonzero(chance.max(axis=0) if log is None else log.max(axis=0) > -np.inf)
    source, outcome = np.divmod(index, len(outcomes))
    log = None if log is None else log.reshape(sides, -1).take(index, axis=1)
    chance = chance.reshape(sides, -1).take(index, axis=1)
    return Transitions(source, outcomes, outcome, chance, (None,) * sides, law.error, law.absolute_error, log)


def spread_to_all_states(values: Array, places: list[Ints], states: int) -> Array:
    """Spreads values that are given for distinct states to all states of all sides, (sides, states, outcomes).
    values: given for all states on the first side, and on the other sides only for the states that differ."""
    every = np.concatenate([values[:states]] * len(places)).reshape(len(places), states, -1)
    start = states
    for side, place in zip(every[1:], places[1:], strict=True):
        side[place] = values[start : start + len(place)]
        start += len(place)
    return every


class SideTransitions(NamedTuple):
    """The transitions of one side. bound: None, or (transitions, arms). log: None, or the logarithms of the
    probabilities.
    """

    source: Ints
    counts: Ints
    chance: Array
    bound: Array | None
    log: Array | None

    def chosen(self, index: Ints) -> SideTransitions:
        """A copy that contains only the transitions with these indices."""
        return SideTransitions(
            self.source[index],
            self.counts[index],
            self.chance[index],
            None if self.bound is None else self.bound[index],
            None if self.log is None else self.log[index],
        )


def possible_transitions(law: Law, states: Ints, ended: Ints, remaining: Ints, may_answer: bool) -> SideTransitions:
    """The transitions of one side from these states: the possible releases, cut to the remaining horizon.
    Zeros from states that have ended."""
    row, outcome = np.nonzero(possible(law))
    source = states[row]
    counts = cut_to_horizon(Pulls(law.counts[row, outcome]), remaining[source], may_answer)[0].counts
    bound = None if law.bound is None else law.bound[row, outcome]
    if ended.size:
        zeros = np.zeros((ended.size, counts.shape[1]))
        bound = None if bound is None else np.concatenate([bound, zeros])
        counts = np.concatenate([counts, zeros.astype(np.int64)])
        source = np.concatenate([source, ended])
    chance = np.concatenate([law.chance[row, outcome], np.ones(ended.size)])
    log = None if law.log is None else np.concatenate([law.log[row, outcome], np.zeros(ended.size)])
    return SideTransitions(source, counts, chance, bound, log)


def join_sides(law: Law, sides: list[SideTransitions], alike: Flags, remaining: Ints) -> Transitions:
    """Joins the transitions of all sides: one for each source state and release, with a probability on each side.

    law: whose errors the result has. sides: for all states on the first side, for the differing states on the others.
    Raises ValueError if one release would be truncated in two ways, unless it is the last one, after which no state
    matters.
    """
    first = sides[0]
    same = np.flatnonzero(alike[first.source])
    each = [first, *(concatenate_transitions(first.chosen(same), side) for side in sides[1:])]
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
        if log is not None and side.log is not None:
            np.logaddexp.at(log[number], mine, side.log)
        bounds.append(truncation_by_release(side, mine, len(head), remaining))
        start += len(mine)
    outcomes = counts[head]
    once, outcome = unique_rows([as_words(outcomes)])
    return Transitions(source[head], outcomes[once], outcome, chance, tuple(bounds), law.error, law.absolute_error, log)


def concatenate_transitions(first: SideTransitions, second: SideTransitions) -> SideTransitions:
    """The transitions of `first` followed by those of `second`; a missing truncation bound becomes an infinite one."""
    bounds = [
        np.full(side.counts.shape, np.inf) if side.bound is None else side.bound
        for side in (first, second)
        if len(side.source)
    ]
    none = all(side.bound is None for side in (first, second))
    source, counts, chance = (
        np.concatenate([mine, theirs]) for mine, theirs in zip(first[:3], second[:3], strict=True)
    )
    log = None if first.log is None or second.log is None else np.concatenate([first.log, second.log])
    return SideTransitions(source, counts, chance, None if none else np.concatenate(bounds), log)


def truncation_by_release(side: SideTransitions, kind: Ints, transitions: int, remaining: Ints) -> Array | None:
    """Returns the truncation bound of each joint transition on one side, (transitions, arms).
    Infinite where the side has no such transition. kind: the joint transition of each of the side's transitions."""
    if side.bound is None:
        return None
    bound = np.full((transitions, side.counts.shape[1]), np.inf)
    bound[kind] = side.bound
    pulled = (side.counts > 0) & (per_trial(side.counts) < remaining[side.source])[:, None]
    if (bound[kind] != side.bound)[pulled].any():
        row = int((((bound[kind] != side.bound) & pulled).any(axis=1)).argmax())
        raise ValueError(
            f"two outcomes of one state release the same pulls {side.counts[row].tolist()} with different truncation "
            "bounds, so the release does not determine the next state; use the same bound for equal pulls"
        )
    return bound


# -- laws of several sides -------------------------------------------------------------------------------------------


def split_law(law: Law, sizes: list[int]) -> list[Law]:
    """Splits a law into the laws of consecutive groups of states. sizes: the number of states in each group."""
    ends = np.cumsum(sizes).tolist()
    return [law.rows(slice(end - size, end)) for size, end in zip(sizes, ends, strict=True)]


def law_of_distinct_states(policy: HasLaw, t: int, state: State, states: int, *seen: Array) -> Law:
    """The checked law in each state, for states of different tables, evaluated only once for equal states."""
    first, kind = unique_rows([*state_words(state), *map(as_words, seen)])
    law = checked_law(policy, t, state_rows(state, first), len(first), *(one[first] for one in seen))
    shared = len(first) < 2 or law.counts.strides[0] == 0
    counts = np.broadcast_to(law.counts[:1], (states, *law.counts.shape[1:])) if shared else law.counts[kind]
    return law.rows(kind)._replace(counts=counts)


def log_error(error: float) -> float:
    """A bound on the error of log(x), if x has this relative error; inf for an error of at least 1."""
    return float(-el.log1p(-error)) if error < 1 else float(np.inf)


def sums_error(policy: HasLaw, pair: Pair) -> float:
    """The relative error that a policy's law can have because sums of rewards are rounded.

    0 if all rewards are multiples of 2^-20, whose sums doubles hold exactly, and the policy sees no contexts.
    """
    exact = not context_dimension(policy) and all(
        (np.mod(side * 2.0**20, 1) == 0).all() for side in (pair.left, pair.right)
    )
    size = max(1.0, pair.range.size)
    if context_dimension(policy):
        size *= max(1.0, *(float(np.abs(side.features).max()) for side in pair.both_contexts))
    return 0.0 if exact and size * policy.horizon <= 2**33 else RELATIVE * policy.horizon * size / 3
