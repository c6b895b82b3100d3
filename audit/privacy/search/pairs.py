"""Candidate pairs of neighbouring inputs: systematic ones, small changes of a given pair, and hints from papers'
modules.

Hints are pairs that a paper's module suggests because its claim is likely to be violated there; they are tried first.

A claim is about all pairs of neighbours, so any pair may be tried. Hints only extend the search, so they can reveal a
violation but cannot hide one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

from dpbandits.reference.bandits.adjacency import Pair, flipped
from dpbandits.reference.bandits.contexts import Contexts, context_dimension, context_norm, why_contexts_do_not_fit
from dpbandits.reference.bandits.noise import Array, Ints, address
from dpbandits.reference.bandits.policy import HasLaw, Policy, PullsInAdvance
from dpbandits.reference.bandits.protocol import name_of
from dpbandits.reference.bandits.reward_ranges import (
    UNIT_RANGE,
    Range,
    nearest_payable,
    reward_range,
    reward_values,
    unpayable,
)
from dpbandits.reference.bandits.reward_rows import columns_of
from dpbandits.reference.claims.model import Private

MAX_CANDIDATES = 120  # candidates, about: a first look at each must leave time for a second one
MAX_CANDIDATE_ARMS = 4  # that take the changed reward in turn
WRITTEN_OUT = 2**14  # longer tables stand in runs


def candidates(policy: Policy, relation: str) -> list[Pair]:
    """Systematic pairs of neighbouring tables with which a search begins, about MAX_CANDIDATES of them.
    Arms that are equal, opposite, intermediate, alternating, better late or worse late; one reward is changed, up and
    down: one of the first, a middle one, or the last one that can matter. The first place is changed in every table;
    the other changes are thinned evenly if there are too many. A few more pairs have rewards that rise, fall, or are
    all different.

    relation: "pull" (the changed reward is the arm's n-th pull) or "round" (the reward vector of a round).
    """
    found: dict[Hashable, tuple[int, Pair]] = {}
    for index, pair in systematic_pairs(policy, relation):
        found.setdefault(tables_of_pair(pair), (index, pair))
    first = [pair for index, pair in found.values() if index == 0][:MAX_CANDIDATES]
    rest = [pair for index, pair in found.values() if index != 0]
    changing = pairs_changing_in_time(policy, relation)
    room = min(len(rest), max(MAX_CANDIDATES - len(first) - len(changing), MAX_CANDIDATES // 3))
    return [*first, *(rest[k * len(rest) // room] for k in range(room)), *changing]


def tables_of_pair(pair: Pair) -> Hashable:
    """A key that is equal for pairs with the same tables; contexts, relation and range are not compared."""
    lengths = None if pair.lengths is None else tuple(np.asarray(pair.lengths).tolist())
    return pair.left.shape, pair.left.tobytes(), pair.right.tobytes(), lengths


def pairs_changing_in_time(policy: Policy, relation: str) -> list[Pair]:
    """Returns pairs of tables whose rewards change from pull to pull, for policies that react only to such rewards.
    Rewards rise, fall, or are all different; the second reward, of an arm or of a round, is changed into the first one,
    or into an end of the range. An empty list for a policy with a law, which would be followed through all sums of
    rewards; these would be too many here."""
    if policy.horizon < 2 or isinstance(policy, HasLaw):
        return []
    lengths = None if policy.horizon <= WRITTEN_OUT else lengths_of_runs(policy.horizon, [0, 1, 2, 3])
    begins = np.arange(policy.horizon) if lengths is None else np.cumsum(lengths) - lengths
    later = np.arange(policy.arms)[:, None] / policy.arms  # so that it rises as well where arms are pulled in turn
    rising = (begins + later) / policy.horizon
    thousandths = max(1000, rising.size)  # or finer, so that there are as many as rewards
    draws = np.random.Generator(np.random.Philox(address("uneven", *rising.shape)))
    uneven = draws.choice(thousandths, rising.shape, replace=False) / thousandths
    rewards, found = reward_range(policy), []
    for shares in (rising, 1 - rising, uneven):
        table = nearest_payable(policy, rewards.at(shares))
        ends = rewards.at(1 - np.round(rewards.share(table[:, 1])))
        for arm in changed_arms(policy.arms) if relation == "pull" else [slice(None)]:
            for paid in (table[:, 0], ends):
                other = table.copy()
                other[arm, 1] = paid[arm]
                if (other != table).any():
                    found.append(Pair(relation, table, other, lengths, *rewards))
    return found


def first_candidate(policy: Policy, relation: str) -> Pair | None:
    """The first of the pairs that `candidates` returns, without computing the others; None if there is none."""
    return next((pair for _, pair in systematic_pairs(policy, relation)), None)


def systematic_pairs(policy: Policy, relation: str) -> Iterator[tuple[int, Pair]]:
    """Yields the index of the changed reward, from 0, and the pair of tables, for all systematic pairs.
    Some pairs occur twice."""
    horizon = policy.horizon
    ahead = (policy.prepulls - 1, policy.prepulls) if isinstance(policy, PullsInAdvance) else ()
    places = [n for n in (0, 1, 2, 3, (horizon - 1) // 2, horizon - 2, *ahead) if 0 <= n < horizon]
    lengths = None if horizon <= WRITTEN_OUT else lengths_of_runs(horizon, places)
    rewards = reward_range(policy)
    for index in dict.fromkeys(places):
        for table in reward_tables(policy.arms, horizon, lengths):
            for pair in neighbours_of_table(
                relation, nearest_payable(policy, rewards.at(table)), index, lengths, rewards
            ):
                yield index, pair


def lengths_of_runs(horizon: int, places: list[int]) -> Ints:
    """Returns lengths of runs of equal rewards in which each of these places is a run of its own.
    The second half of the horizon begins a run, too."""
    ends = {end for place in places for end in (place, place + 1)} | {horizon // 2, horizon}
    return np.diff(sorted(ends - {0}), prepend=0)


def reward_tables(arms: int, horizon: int, lengths: Ints | None = None) -> list[Array]:
    """Reward tables that a policy may treat differently, as fractions of the range of rewards.
    (arms, horizon), or in runs of these lengths, (arms, runs)."""
    begins = np.arange(horizon) if lengths is None else np.cumsum(lengths) - lengths
    zeros = np.zeros((arms, len(begins)))
    first_best, last_best, middle_best, ramp = (zeros.copy() for _ in range(4))
    first_best[0], last_best[-1], middle_best[arms // 2] = 1, 1, 1
    ramp[:] = np.linspace(0, 1, arms)[:, None]
    late, fading = zeros.copy(), zeros + 1
    late[-1, begins >= horizon // 2] = 1  # the best arm pays only later: a change early on has long to work
    fading[-1, begins >= horizon // 2] = 0  # the last arm is good at first and poor later
    by_turns = zeros + begins % 2  # every mean stays near one half, where no run is longer than one
    quarters = 0.25 + by_turns / 2  # what treats a reward between the ends otherwise, and them alike, shows here alone
    alike = [zeros, zeros + 1, zeros + 0.5, by_turns]
    return [
        *alike,
        *(first_best, last_best, middle_best, ramp, 1 - last_best),
        *(0.5 * last_best, 1 - 0.5 * last_best, late, fading, quarters),
    ]


def changed_arms(arms: int) -> list[int]:
    """The arms in which a reward is changed, one arm in each pair.
    All arms, or the first, the last and some between."""
    return sorted({*np.linspace(0, arms - 1, min(arms, MAX_CANDIDATE_ARMS)).round().astype(int).tolist()})


def neighbours_of_table(
    relation: str, table: Array, index: int, lengths: Ints | None = None, rewards: Range = UNIT_RANGE
) -> Iterator[Pair]:
    """Yields the neighbours of a table that differ from it in one pull or round.
    The change is as large as the range of rewards allows. lengths: the lengths of the table's runs; the changed place
    is a run of its own."""
    column = int(columns_of(lengths, index))
    if relation == "pull":
        for arm in changed_arms(table.shape[0]):
            for value in rewards:
                if table[arm, column] != value:
                    yield flipped(relation, table, arm, index, value, lengths, *rewards)
        return
    if relation != "round":
        raise ValueError(f"relation is {relation!r}; choose 'pull' or 'round'")
    for arm in changed_arms(table.shape[0]):  # one arm's reward in this round
        for value in rewards:
            if table[arm, column] != value:
                yield flipped(relation, table, arm, index, value, lengths, *rewards)
    opposite = 1 - np.round(rewards.share(table[:, column]))
    for paid in map(rewards.at, (np.zeros(table.shape[0]), np.ones(table.shape[0]), opposite)):
        if (table[:, column] != paid).sum() > 1:  # the whole reward vector
            other = table.copy()
            other[:, column] = paid
            yield Pair(relation, table, other, lengths, *rewards)


def mutated(pair: Pair, generator: np.random.Generator) -> Pair | None:
    """Returns the pair after a random small change; None if the changed pair has equal sides."""
    arms, length = pair.left.shape[0], pair.length
    arm, index = spot_of(pair)
    where = int(generator.integers(arms))
    begin, end = stretch(length, generator)
    pair = pair.parted(begin, begin + 1, end)
    rewards = pair.range
    left = np.array(rewards.share(pair.left))  # shares of the range, in which 0 and 1 are its ends
    index, first = pair.column(index), pair.column(begin)
    last = pair.column(end - 1) + 1
    paid = np.array(rewards.share(pair.right[:, index]))
    kind = int(generator.integers(6))
    if kind == 0:
        left[where, first] = generator.integers(2)
    elif kind == 1:
        left[where, first:last] = generator.integers(2)
    elif kind == 2:
        left[where, first:] = 1 - left[where, first:]
    elif kind == 3:
        left[where] = left[int(generator.integers(arms))]
    elif kind == 4:
        arm, index = where, first
        paid = 1 - np.round(left[:, index])
    else:
        left[arm, index] = generator.integers(2)
        paid = 1 - np.round(left[:, index])
    right = left.copy()
    if pair.relation == "pull":
        right[arm, index] = paid[arm] if paid[arm] != left[arm, index] else 1 - paid[arm]
    else:
        right[:, index] = paid
    one, other = map(rewards.at, (left, right))
    return Pair(pair.relation, one, other, pair.lengths, *rewards) if (one != other).any() else None


def spot_of(pair: Pair) -> tuple[int, int]:
    """The arm and the place of the first difference of a pair, whose sides must differ."""
    spot = pair.spot
    assert spot is not None
    return spot


def stretch(length: int, generator: np.random.Generator) -> tuple[int, int]:
    """Chooses some consecutive pulls or rounds at random; returns the first, and the one after the last of them.
    First ones and lengths are log-uniform, because early rewards matter most."""
    begin = min(int(length ** generator.random()) - 1, length - 1)
    return begin, min(begin + int((length - begin + 1) ** generator.random()), length)


def pair_in_words(pair: Pair) -> str:
    """Returns a line of text about a pair: each arm's rewards in runs, and the difference between the sides."""
    rows = [f"arm {arm}: {runs(row, pair.lengths)}" for arm, row in enumerate(pair.left)]
    change, spot = "no change", pair.spot
    if pair.relation == "pull" and spot is not None:
        (arm, index), column = spot, pair.column(spot[1])
        change = f"pull {index + 1} of arm {arm}: {pair.left[arm, column]:g} -> {pair.right[arm, column]:g}"
    elif spot is not None:
        change = f"round {spot[1] + 1} changed"
        if pair.relation == "user":
            was, becomes = (side.features_of(spot[1]).tolist() for side in pair.both_contexts)
            change = f"{change}, context {was} -> {becomes}" if was != becomes else change
    return "; ".join([*rows, change])


def runs(row: Array, lengths: Ints | None) -> str:
    """A row of rewards as text, value x count for each run."""
    starts = np.nonzero(np.diff(row, prepend=np.nan))[0]
    counts = np.add.reduceat(np.ones(row.size, dtype=np.int64) if lengths is None else lengths, starts)
    return " ".join(f"{row[start]:g} x{count}" for start, count in zip(starts, counts, strict=True))


# -- hints -------------------------------------------------------------------------------------------------------------

MAX_HINTS = 8  # more would leave little time for the search


def checked_hints(policy: Any, statement: Private) -> list[Pair]:
    """Returns the claim's hints for this policy as pairs of tables.
    For long horizons, they are stored as runs of equal rewards.

    Raises TypeError for an object that is not a Pair, and ValueError for more than MAX_HINTS hints, for a pair with
    another relation, number of arms or horizon than the policy's, and for rewards or contexts that the policy does
    not accept.
    """
    if statement.pairs is None:
        return []
    every = list(statement.pairs(policy))
    if len(every) > MAX_HINTS:
        raise ValueError(
            f"pairs has length {len(every)}; give at most {MAX_HINTS}, namely the pairs that you expect to violate the "
            "claim most"
        )
    return [checked_hint(policy, statement.relation, pair, place) for place, pair in enumerate(every)]


def checked_hint(policy: Any, relation: str, pair: object, place: int) -> Pair:
    """Returns one of the claim's hints as a pair that fits the policy. Raises TypeError or ValueError otherwise."""
    who = f"hint {place} for {name_of(policy)}"
    if not isinstance(pair, Pair):
        raise TypeError(f"{who} has type {type(pair).__name__}; give a Pair of dpbandits")
    given = pair.relation, len(pair.left), pair.length
    if given != (relation, policy.arms, policy.horizon):
        raise ValueError(
            f"{who} has relation {given[0]!r}, arms = {given[1]} and length {given[2]}; the claim needs "
            f"relation {relation!r}, arms = {policy.arms} and length T = {policy.horizon}"
        )
    if objection := context_objection(policy, pair):
        raise ValueError(f"{who}: {objection}")
    long, lengths = policy.horizon > WRITTEN_OUT, pair.lengths
    column = np.arange(pair.left.shape[1])
    if lengths is not None and not long:
        column, lengths = np.repeat(column, lengths), None
    elif lengths is None and long:
        sides = np.concatenate([pair.left, pair.right])
        column = np.flatnonzero(np.concatenate([[True], (sides[:, 1:] != sides[:, :-1]).any(axis=0)]))
        lengths = np.diff(column, append=pair.length)
    left, right = pair.left[:, column], pair.right[:, column]
    hint = Pair(relation, left, right, lengths, *reward_range(policy), pair.contexts)
    if (accepted := reward_values(policy)) is not None and (wrong := unpayable(policy, [left, right])).size:
        raise ValueError(
            f"{who} has the reward {wrong[0]:g}; the policy accepts only the rewards {set(accepted.tolist())}"
        )
    return hint


def context_objection(policy: Policy, pair: Pair) -> str:
    """The reason why a pair's contexts do not fit this policy; "" if they do."""
    if not (d := context_dimension(policy)):
        return (
            ""
            if pair.contexts is None
            else "it has contexts, but the policy uses none; set the attribute contexts = d of the policy"
        )
    if pair.contexts is None:
        return f"it has no contexts, but the policy has contexts = {d}; give contexts=Contexts(features)"
    return why_contexts_do_not_fit(policy, pair.both_contexts)


# -- policies with contexts: the candidate reward tables, combined with contexts worth trying --------------------------

FEATURE_UNITS = 2.0**10  # of features in a norm of 1: sums of their products are exact, so that equal states are equal
LEAST = 2 / FEATURE_UNITS  # the share of features that are as good as none, for policies with a law: few say it at 0
CHANGES_OF_CONTEXT = 4  # of so many changed tables, one changes rewards alone


def candidates_with_contexts(policy: Policy, relation: str, contexts: Contexts | None = None) -> list[Pair]:
    """Systematic pairs of neighbouring tables, with contexts if the policy sees contexts.
    contexts: the contexts of all pairs, except for the round of a changed user; None to try several contexts that the
    policy may treat differently, each with a part of the reward tables."""
    d = context_dimension(policy)
    if not d:
        return candidates(policy, relation)
    every = candidates(policy, "pull" if relation == "pull" else "round")
    seen = [contexts] if contexts is not None else list(context_patterns(policy).values())
    if relation != "user":
        return [in_contexts(relation, pair, seen[k % len(seen)]) for k, pair in enumerate(every)]
    found = []
    for k, pair in enumerate(every):
        here, (_, place) = seen[k % len(seen)], spot_of(pair)
        other = changed_features(policy, here.features_of(place))
        turn = k % (len(other) + 1)
        found.append(in_contexts(relation, pair, here, other[turn] if turn < len(other) else None))
    tables = {pair.left.tobytes(): pair for pair in every}
    for k, pair in enumerate(tables.values()):  # the context alone
        same = Pair("round", pair.left, pair.left, pair.lengths, *pair.range)
        here, place = seen[k % len(seen)], 0 if k % 3 else spot_of(pair)[1]
        other = changed_features(policy, here.features_of(place))
        found += [in_contexts(relation, same, here, each, place) for each in other]
    return found


def in_contexts(
    relation: str, pair: Pair, contexts: Contexts, changed_features: Array | None = None, place: int | None = None
) -> Pair:
    """A copy of the pair of tables with these contexts.
    changed_features: the contexts of the changed round on the right side, (arms, d); None for the same contexts. place:
    the changed round, by default that of the pair."""
    if changed_features is None or relation != "user":
        return Pair(relation, pair.left, pair.right, pair.lengths, *pair.range, contexts)
    place = spot_of(pair)[1] if place is None else place
    here = contexts.parted(place)
    return Pair(
        relation, pair.left, pair.right, pair.lengths, *pair.range, (here, here.changed(place, changed_features))
    )


def context_patterns(policy: Policy) -> dict[str, Contexts]:
    """Returns systematic contexts that policies may treat differently, each by its description."""
    arms, d, rounds, norm = policy.arms, context_dimension(policy), policy.horizon, context_norm(policy)
    arm, t, axis = np.arange(arms), np.arange(rounds)[:, None], np.eye(d)
    signs = np.where(t[:, None] % 2, 1.0, -1.0) * axis[arm % d]
    seldom = np.where(t[:, None] <= rounds // 8, axis[-1], axis[0])
    parting = np.where(t[:, None] < 1, axis[0], np.where(arm % 2, -1.0, 1.0)[:, None] * axis[arm // 2 % d])
    bare = np.where(arm[:, None], axis[0], no_features(policy) / norm)
    drawn = np.random.Generator(np.random.Philox(rounds)).standard_normal((rounds, arms, d))
    drawn /= np.maximum(np.sqrt((drawn**2).sum(axis=2, keepdims=True)), 1e-9)
    dense = np.full(d, np.sqrt(1 / d))
    every = {
        "each arm has a feature of its own": axis[arm % d],
        "all arms have the same feature": axis[0],
        "all arms have all features": dense,
        "arms have features in turn": axis[(t + arm) % d],
        "drawn features": drawn,
        "features change their signs": signs,
        "the first features come never again": seldom,
        "the first arm has none": bare,
        "all arms alike in the first round, and then apart": parting,
    }
    return {name: Contexts(in_units(norm * np.broadcast_to(x, drawn.shape), norm)) for name, x in every.items()}


def no_features(policy: Policy) -> Array:
    """Features of an arm about which nothing is known, (d,): zeros, or nearly zeros for a policy with a law."""
    found = np.zeros(context_dimension(policy))
    found[0] = LEAST * context_norm(policy) if isinstance(policy, HasLaw) else 0.0
    return found


def in_units(features: Array, norm: float) -> Array:
    """Returns the features, rounded towards 0 to multiples of 1/FEATURE_UNITS of the norm.
    The norm is itself first rounded down to a power of 2; so no norm grows."""
    units = np.ldexp(FEATURE_UNITS, 1 - int(np.frexp(norm)[1]))
    return np.asarray(np.trunc(features * units) / units)


def changed_features(policy: Policy, features: Array) -> list[Array]:
    """Other features, (arms, d), to which a user's features may change.
    The opposite sign, the features of other arms, zeros, another direction, and half the length."""
    norm, turned = context_norm(policy), np.zeros_like(features)
    turned[:, -1] = norm
    one = features.copy()
    one[0] = turned[0] if features.shape[1] > 1 else -features[0]
    every = [
        -features,
        features[::-1],
        0 * features + no_features(policy),
        in_units(turned, norm),
        in_units(one, norm),
        in_units(features / 2, norm),
    ]
    return [each + 0.0 for each in every if (each != features).any()]


def mutated_in_context(policy: Policy, pair: Pair, generator: np.random.Generator, free: bool) -> Pair | None:
    """A pair close to this one; None if its sides are equal.
    free: whether the contexts may change outside the changed user's round."""
    if pair.contexts is None:
        return mutated(pair, generator)
    seen, after = pair.both_contexts
    place = spot_of(pair)[1]
    other = None if pair.relation != "user" else after.features_of(place)
    bare = Pair("pull" if pair.relation == "pull" else "round", pair.left, pair.right, pair.lengths, *pair.range)
    rewards_alone = bare.spot is not None and not generator.integers(CHANGES_OF_CONTEXT)
    if rewards_alone or (not free and other is None):
        changed = mutated(bare, generator)
        return None if changed is None else neighbours_in_contexts(pair.relation, changed, seen, other)
    if free and (other is None or generator.integers(2)):
        seen = seen.changed_from(
            *stretch(seen.rounds, generator), some_arms(policy.arms, generator), features_tried(policy, generator)
        )
    else:
        assert other is not None
        other = other.copy()
        other[some_arms(policy.arms, generator)] = features_tried(policy, generator)
    return neighbours_in_contexts(pair.relation, bare, seen, other, place)


def neighbours_in_contexts(
    relation: str,
    pair_without_contexts: Pair,
    contexts: Contexts,
    changed_features: Array | None,
    place: int | None = None,
) -> Pair | None:
    """Returns a copy of the pair of tables with these contexts; None if its two sides are then equal.
    changed_features: the contexts of the changed round on the right side, (arms, d), or None for the same. place: the
    changed round, by default that of the pair."""
    if place is None:
        place = spot_of(pair_without_contexts)[1]
    if changed_features is not None and (contexts.features_of(place) == changed_features).all():
        changed_features = None
    pair = in_contexts(relation, pair_without_contexts, contexts, changed_features, place)
    return None if pair.spot is None else pair


def some_arms(arms: int, generator: np.random.Generator) -> int | slice:
    """Returns one random arm, or all arms."""
    return slice(None) if not generator.integers(3) else int(generator.integers(arms))


def features_tried(policy: Policy, generator: np.random.Generator) -> Array:
    """Random features of an arm: an axis in either direction, zeros, or any vector, often of the largest norm."""
    kind = int(generator.integers(4))
    d, norm = context_dimension(policy), context_norm(policy)
    found = no_features(policy)
    if kind < 2:
        found = np.zeros(d)
        found[int(generator.integers(d))] = norm * (1 - 2 * kind)
    elif kind == 2:
        drawn = generator.standard_normal(d)
        found = norm * drawn / max(1e-9, float(np.sqrt((drawn**2).sum())))
    return in_units(found, norm) + 0.0
