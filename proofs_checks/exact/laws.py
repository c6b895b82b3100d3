"""Exact laws: the certified privacy profile of a policy on a pair of neighbours, and of a one-shot mechanism.

What "certified" rests on, beyond the construction in `spectrum`:

- The policy's `law` states what its probabilities are wrong by, as a share of themselves (`error`) and absolutely
  (`blur`; a stated 0 is taken as 0). The default is LAW_ERROR, for one value of ndtr: a few units of roundoff in its
  argument x, which change its value by (1 + x^2) such units; the argument itself carries the rounding of the means
  over a standard deviation of at least 1/sqrt(T). For T up to 10 000, c >= 0.01 and |x| < 37 that stays below
  LAW_ERROR by a factor above ten; tested against mpmath. Three arms to six state their own error
  (`release_laws.winners`); for more it is `argmax_law.ERROR` besides, and so it is for plain arrays of three arms on.
  Sums of rewards that are multiples of 2^-20 are exact; of other rewards, a sum of n is off by n units, and the error
  grows by LAW_ERROR T/3.
- A law by logarithms is relative at any depth: what no double holds counts as pruned mass, of at most the least double
  that is trusted, and the largest loss and the moments follow it nevertheless.
- Where both sides are in the same state, and pay alike from there on, every future has the same probability on both
  sides: nothing that follows changes a loss, so that it is not followed.
- A law that cannot be that exact is refused: one with a negative probability, or a sum that differs from 1 by more
  than its error and its blur for each outcome (see `release_laws.checked`). What the sum cannot show is believed: a law
  written as [p, 1 - p] is exact to 1e-16, so to LAW_ERROR relative to 1 - p down to 1e-5 only; where it gets smaller,
  write both probabilities without a difference.
- A transcript's probability is a product of at most T such values, so that its relative error is at most the sum of
  its steps' errors, plus the rounding of the forward pass: per step at most 24 roundings of a mass (the products of a
  path, the root, the split), per move of the rows as many as there are paths and rows that add up to one cell, and of a
  loss of size L, which sits in exp(+-L/2), at most 8 roundings of size L a step. Their sum is the profile's `drift` r:
  true delta(eps) lies between e^-r delta(eps + 2r) and e^r delta(eps - 2r).
- What is pruned counts as fully revealing in the upper curve (or, in a deep pass, by its exact Renyi
  moments), and is left out of the lower one.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from dpbandits.proofs_checks.exact.law_errors import log_error
from dpbandits.proofs_checks.exact.profile import ExactProfile
from dpbandits.proofs_checks.exact.rows import Masses
from dpbandits.proofs_checks.exact.spectrum import spectrum
from dpbandits.proofs_checks.exact.walk import Layer, Moves, Walk, walk
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import RELATIVE, HasLaw
from dpbandits.reference.bandits.release_laws.checked import accuracy, checked_release
from dpbandits.reference.bandits.release_laws.mechanisms import LawfulMechanism

LAW_ERROR = RELATIVE  # what the gate lets through is what the engine accounts for
GRID = 0.01
REMEMBERED = 2**18  # moves of a walk that are kept for who goes through it again: their states take some megabytes
DEEP_STATES = 130_000  # by default a pass is deep up to about this many states: T = 500 for two arms

__all__ = ["LAW_ERROR", "Event", "ExactProfile", "exact_profile", "step_profile", "worst_event"]


class TooWide(ValueError):
    """A pair on which a policy has more states than are to be followed."""


def exact_profile(
    policy: HasLaw,
    pair: Pair,
    grid: float = GRID,
    prune: float = 1e-12,
    deep: bool | None = None,
    most: float = inf,
) -> ExactProfile:
    """The privacy profile of everything released on a pair of neighbours, between two certified curves.

    policy: with a `law`. grid: the step of the privacy loss; the gap shrinks with its square. prune:
    about how much mass may be left out altogether. deep: follow also transcripts that are rare but reveal
    much, down to masses of 1e-150, and keep account of the Renyi moments of the rest; needed for the upper
    end of mu(), and costs all states of the walk. None: where that is cheap. most: states, up to DEEP_STATES, of which
    a walk may not have more, where `deep` is None. Raises ValueError or TypeError where the policy or the pair cannot
    be followed, TooWide where it has more states than that.
    """
    if not (grid > 0 and 0 < prune < 1):
        raise ValueError(f"grid is {grid}, prune is {prune}; want grid > 0 and 0 < prune < 1")
    along, steps = walk(policy, pair), None
    if deep is None:
        states, steps = unfold_walk(along, int(min(most, DEEP_STATES)))
        if states > most:
            raise TooWide(f"more than {most} states to follow; shorten the horizon, or change an earlier reward")
        deep = states <= DEEP_STATES
    orders = tail_orders(policy.horizon) if deep else None
    return spectrum(along, grid, tiny=prune / (1000 * policy.horizon), orders=orders, steps=steps)


def unfold_walk(along: Walk, most: int) -> tuple[int, list[tuple[Moves, Layer]] | None]:
    """How many states the walk has after all of its steps; some number above `most` where there are more.

    And every step's moves and the layer that they lead to, in order; None where these are not known, or more than
    REMEMBERED."""
    layer, t, total, ways = along.start(), 0, 0, 0
    steps: list[tuple[Moves, Layer]] | None = []
    while along.steps(layer) and total <= most:
        t += 1
        moves, layer = along.advance(t, layer)
        total, ways = total + len(layer.made), ways + len(moves.source)
        if steps is not None and ways <= REMEMBERED:
            steps.append((moves, layer))
        else:
            steps = None
    return total, steps if total <= most else None


def step_profile(step: Any) -> ExactProfile:
    """The privacy profile of a one-shot mechanism on two neighbouring inputs (a page's Step).

    step: mechanism with law(values) -> (n,), left, right. The masses stand in the order of the mechanism's
    outputs. Raises TypeError for a mechanism without a law.
    """
    if not isinstance(step.mechanism, LawfulMechanism):
        raise TypeError(f"{step.mechanism} offers no law(values): its profile cannot be computed exactly")
    left, right = (checked_release(step.mechanism, side) for side in (step.left, step.right))
    masses = Masses(left, right)
    errors, blurs = zip(*(accuracy(step.mechanism, side) for side in (step.left, step.right)), strict=True)
    # A stated 0 is taken as what the gate lets through.
    return ExactProfile(
        masses, masses, drift=max(LAW_ERROR, *map(log_error, errors)), blur=left.size * max(blurs), faint=max(blurs)
    )


class Event(NamedTuple):
    """An event of a one-shot mechanism: left(indices) > exp(eps) right(indices) + delta for all delta <
    `delta`.

    swapped: the event speaks for the swapped pair. delta is certified.
    """

    indices: tuple[int, ...]
    swapped: bool
    delta: float


def worst_event(profile: ExactProfile, eps: float) -> Event:
    """The event of a one-shot mechanism that shows the largest delta at eps, over both directions."""
    sides = (profile, profile.swapped)
    low = [float(side.one_way(eps)[0]) for side in sides]
    best = int(low[1] > low[0])
    left, right = sides[best].lower
    inside = np.nonzero(left > el.exp(eps) * right)[0]
    return Event(tuple(int(i) for i in inside), bool(best), low[best])


def tail_orders(horizon: int) -> Array:
    """Orders for the deep tail, from near 1 (moderate eps) to a few T (the largest losses), and their
    mirrors.
    """
    orders = 1 + el.geometric(0.1, 3.0 * horizon + 10, 30)
    return np.concatenate([orders, 1 - orders])
