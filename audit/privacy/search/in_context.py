"""Neighbouring pairs for policies with contexts: reward tables worth trying, combined with contexts worth trying.

The reward tables are those of `pairs`; this module adds contexts to them.
"""

from __future__ import annotations

import numpy as np

from dpbandits.audit.privacy.search.pairs import candidates, mutated
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import Contexts, context_dimension, context_norm
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import HasLaw, Policy

FEATURE_UNITS = 2.0**10  # of features in a norm of 1: sums of their products are exact, so that equal states are equal
LEAST = 2 / FEATURE_UNITS  # the share of features that are as good as none, for policies with a law: few say it at 0
CHANGES_OF_CONTEXT = 4  # of so many changed tables, one changes rewards alone


def candidates_of(policy: Policy, relation: str, contexts: Contexts | None = None) -> list[Pair]:
    """A systematic set of candidate pairs. contexts: those of all pairs, except for the round of a changed user; None
    to try several contexts that the policy may treat differently, each with a part of the reward tables."""
    d = context_dimension(policy)
    if not d:
        return candidates(policy, relation)
    every = candidates(policy, "pull" if relation == "pull" else "round")
    seen = [contexts] if contexts is not None else list(context_patterns(policy).values())
    if relation != "user":
        return [dressed(relation, pair, seen[k % len(seen)]) for k, pair in enumerate(every)]
    found = []
    for k, pair in enumerate(every):
        here, (_, place) = seen[k % len(seen)], spot_of(pair)
        other = changed_features(policy, here.features_of(place))
        found.append(
            dressed(relation, pair, here, other[k % (len(other) + 1)] if k % (len(other) + 1) < len(other) else None)
        )
    tables = {pair.left.tobytes(): pair for pair in every}
    for k, pair in enumerate(tables.values()):  # the context alone
        same = Pair("round", pair.left, pair.left, pair.lengths, *pair.range)
        here, place = seen[k % len(seen)], 0 if k % 3 else spot_of(pair)[1]
        other = changed_features(policy, here.features_of(place))
        found += [dressed(relation, same, here, each, place) for each in other]
    return found


def spot_of(pair: Pair) -> tuple[int, int]:
    spot = pair.spot
    assert spot is not None
    return spot


def dressed(
    relation: str, pair: Pair, contexts: Contexts, other: Array | None = None, place: int | None = None
) -> Pair:
    """The pair with these contexts. other: the contexts of the changed round on the right side, (arms, d); None for the
    same contexts. place: the changed round, by default that of the pair."""
    if other is None or relation != "user":
        return Pair(relation, pair.left, pair.right, pair.lengths, *pair.range, contexts)
    place = spot_of(pair)[1] if place is None else place
    here = contexts.parted(place)
    return Pair(relation, pair.left, pair.right, pair.lengths, *pair.range, (here, here.changed(place, other)))


def context_patterns(policy: Policy) -> dict[str, Contexts]:
    """Contexts that a policy may treat differently, by name."""
    arms, d, rounds, norm = policy.arms, context_dimension(policy), policy.horizon, context_norm(policy)
    arm, t, axis = np.arange(arms), np.arange(rounds)[:, None], np.eye(d)
    signs = np.where(t[:, None] % 2, 1.0, -1.0) * axis[arm % d]
    seldom = np.where(t[:, None] <= rounds // 8, axis[-1], axis[0])
    parting = np.where(t[:, None] < 1, axis[0], np.where(arm % 2, -1.0, 1.0)[:, None] * axis[arm // 2 % d])
    bare = np.where(arm[:, None], axis[0], nothing(policy) / norm)
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


def nothing(policy: Policy) -> Array:
    """Features of an arm about which nothing is known, (d,): zeros, or nearly zeros for a policy with a law."""
    found = np.zeros(context_dimension(policy))
    found[0] = LEAST * context_norm(policy) if isinstance(policy, HasLaw) else 0.0
    return found


def in_units(features: Array, norm: float) -> Array:
    """The features as multiples of the norm, rounded to a power of 2, over FEATURE_UNITS; rounded towards 0, so that no
    norm grows."""
    units = np.ldexp(FEATURE_UNITS, 1 - int(np.frexp(norm)[1]))
    return np.asarray(np.trunc(features * units) / units)


def changed_features(policy: Policy, features: Array) -> list[Array]:
    """The features to which a user's features, (arms, d), may change: the opposite sign, those of other arms, zeros,
    another direction, and half the length."""
    norm, turned = context_norm(policy), np.zeros_like(features)
    turned[:, -1] = norm
    one = features.copy()
    one[0] = turned[0] if features.shape[1] > 1 else -features[0]
    every = [
        -features,
        features[::-1],
        0 * features + nothing(policy),
        in_units(turned, norm),
        in_units(one, norm),
        in_units(features / 2, norm),
    ]
    return [each + 0.0 for each in every if (each != features).any()]


def mutated_in_context(policy: Policy, pair: Pair, generator: np.random.Generator, free: bool) -> Pair | None:
    """A pair close to this one; None if its sides are equal. free: whether the contexts may change outside the changed
    user's round."""
    if pair.contexts is None:
        return mutated(pair, generator)
    seen, after = pair.both_contexts
    place = spot_of(pair)[1]
    other = None if pair.relation != "user" else after.features_of(place)
    bare = Pair("pull" if pair.relation == "pull" else "round", pair.left, pair.right, pair.lengths, *pair.range)
    if bare.spot is not None and not generator.integers(CHANGES_OF_CONTEXT):
        changed = mutated(bare, generator)
        return None if changed is None else redressed(pair.relation, changed, seen, other)
    if free and (other is None or generator.integers(2)):
        seen = seen.changed_from(
            *stretch(seen.rounds, generator), some_arms(policy.arms, generator), features_tried(policy, generator)
        )
    elif other is not None:
        other = other.copy()
        other[some_arms(policy.arms, generator)] = features_tried(policy, generator)
    else:
        changed = mutated(bare, generator)
        return None if changed is None else redressed(pair.relation, changed, seen, other)
    return redressed(pair.relation, bare, seen, other, place)


def redressed(relation: str, bare: Pair, seen: Contexts, other: Array | None, place: int | None = None) -> Pair | None:
    """The pair with these contexts, if its sides differ."""
    if place is None:
        place = spot_of(bare)[1]
    if other is not None and (seen.features_of(place) == other).all():
        other = None
    pair = dressed(relation, bare, seen, other, place)
    return None if pair.spot is None else pair


def stretch(rounds: int, generator: np.random.Generator) -> tuple[int, int]:
    """The first and last of some consecutive rounds, chosen at random; early rounds are likelier, because they matter
    most."""
    begin = min(int(rounds ** generator.random()) - 1, rounds - 1)
    return begin, min(begin + int((rounds - begin + 1) ** generator.random()), rounds)


def some_arms(arms: int, generator: np.random.Generator) -> int | slice:
    """One arm, or all."""
    return slice(None) if not generator.integers(3) else int(generator.integers(arms))


def features_tried(policy: Policy, generator: np.random.Generator) -> Array:
    """Random features of an arm: an axis in either direction, zeros, or any vector, often of the largest norm."""
    kind = int(generator.integers(4))
    d, norm = context_dimension(policy), context_norm(policy)
    found = nothing(policy)
    if kind < 2:
        found = np.zeros(d)
        found[int(generator.integers(d))] = norm * (1 - 2 * kind)
    elif kind == 2:
        drawn = generator.standard_normal(d)
        found = norm * drawn / max(1e-9, float(np.sqrt((drawn**2).sum())))
    return in_units(found, norm) + 0.0
