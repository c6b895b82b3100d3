"""How private, seen by all others: the exact law of every release but that of the changed round, which is summed out.

That is joint differential privacy, of one pair: the user of the changed round may see what was decided for him, and
all others together, whatever they saw, shall not tell his neighbour from him. A claim is about every round in turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpbandits.proofs_checks.exact.enumeration import MAX_TRANSCRIPTS
from dpbandits.proofs_checks.exact.moments import UNIT_ROUNDOFF, relative
from dpbandits.proofs_checks.exact.profile import ExactProfile
from dpbandits.proofs_checks.exact.rows import Masses
from dpbandits.proofs_checks.exact.same import as_words, unique_rows
from dpbandits.proofs_checks.exact.walk import Layer, Walk, walk
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.environments import per_trial
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import HasLaw, Ints
from dpbandits.reference.bandits.release_laws.checked import in_doubles


class SeenByOthers(NamedTuple):
    """What was released to others so far, with the states that may be behind it. seen: (states,), which of the releases
    that others can tell apart, or that matter to them. mass: (2, states), on either side. error, least, blur: what the
    logarithms of the masses may be off by; the smallest chance of a step; and what one is wrong by, absolutely.
    outcomes: of a step, at most. steps: so many were taken."""

    layer: Layer
    seen: Ints
    mass: Array
    error: float = 0.0
    least: float = 1.0
    blur: float = 0.0
    outcomes: int = 0
    steps: int = 0


def others_profile(policy: HasLaw, pair: Pair, most: int = MAX_TRANSCRIPTS) -> ExactProfile:
    """The privacy profile of all releases but that of the changed round, on a pair of neighbours.

    policy: with a `law`; it pulls once in every step. pair: of relation "round", "reward" or "user", for in a table of
    pulls the changed reward has no round. States before the change are merged where they are equal, and what follows is
    listed. most: so many states may lie behind the releases of a step. Raises ValueError where there are more, and
    where the pair has no changed round.
    """
    hidden, along = pair.changed_round, walk(policy, pair)
    layer = along.start()
    found = SeenByOthers(layer, np.zeros(1, dtype=np.int64), np.ones((2, 1)))
    while along.steps(found.layer):
        found = one_more_step(along, found, hidden)
        if len(found.seen) > most:
            raise ValueError(f"more than {most} transcripts at step {found.steps}; shorten the horizon")
    left, right = (np.asarray(np.bincount(found.seen, side), dtype=np.float64) for side in found.mass)
    drift, blur = relative(found.blur, found.least), 0.0
    if drift == np.inf:
        drift, blur = 0.0, found.steps * found.outcomes * found.blur
    # Sums of positive masses: of a few roundings each, and as many as there are terms.
    rounding = UNIT_ROUNDOFF * (4 * found.steps + len(found.seen))
    masses = Masses(left, right)
    return ExactProfile(masses, masses, drift=found.error + found.steps * drift + rounding, blur=blur, faint=found.blur)


def one_more_step(along: Walk, before: SeenByOthers, hidden: int) -> SeenByOthers:
    """The step after these releases; the round `hidden` is seen by nobody."""
    t = before.steps + 1
    offers = in_doubles(along.offers(t, before.layer))
    offers = offers.chosen(np.flatnonzero(offers.chance.max(axis=0)))
    if (per_trial(offers.outcomes) != 1).any():
        raise ValueError(f"step {t}: what others see leaves out a round, and this policy pulls not once in every step")
    mass = before.mass[:, offers.source] * offers.chance
    if t < hidden:  # before the change both sides are alike, and only the state matters
        seen = np.zeros(len(offers.source), dtype=np.int64)
    elif t == hidden:
        seen = offers.source
    else:
        release = before.seen[offers.source] * len(offers.outcomes) + offers.outcome
        seen = unique_rows([as_words(release)])[1]
    target, layer = along.arrive(t, before.layer, offers, seen)
    merged = np.stack([np.bincount(target, side, len(layer.made)) for side in mass]).astype(np.float64)
    label = np.zeros(len(layer.made), dtype=np.int64)
    label[target] = seen
    return SeenByOthers(
        layer,
        label,
        merged,
        before.error + offers.drift + UNIT_ROUNDOFF * int(np.bincount(target).max()),
        min(before.least, float(offers.chance.min())),
        max(before.blur, offers.blur),
        max(before.outcomes, len(offers.outcomes)),
        t,
    )
