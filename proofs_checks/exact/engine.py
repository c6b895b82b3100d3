"""The exact engine: certified privacy profiles of a policy on a pair of neighbours, and of a one-shot mechanism.

`exact_profile` follows all states that a policy can reach (`state_graph`), keeps the privacy loss distribution of each
(`privacy_loss_distribution`) and returns an `ExactProfile` (`privacy_profile`): delta(eps), eps(delta), mu and the
trade-off function, each between a certified lower and a certified upper end.

What "certified" rests on:

- The policy's `law` states the relative error of its probabilities (`error`) and their absolute error
  (`absolute_error`; a stated 0 counts as 0). The default, LAW_ERROR, is made for one value of ndtr: its argument x is
  off by a few units of roundoff, which changes the value by (1 + x^2) such units; x itself carries the rounding of the
  means, divided by a standard deviation of at least 1/sqrt(T). For T up to 10 000, c >= 0.01 and |x| < 37 this is below
  LAW_ERROR by a factor above ten (tested against mpmath). For three to six arms the law states its own error
  (`release_laws.winners`); for more arms, and for plain arrays of three arms or more, `argmax_law.ERROR` is added.
  Sums of rewards that are multiples of 2^-20 are exact. A sum of n other rewards is off by n units, which adds
  LAW_ERROR T/3 to the error.
- A law that gives logarithms is relative at any depth. Probabilities below the range of doubles count as pruned mass,
  at most LEAST_PROBABILITY each; the largest loss and the moments still follow them.
- If both sides are in the same state, and their rewards are equal from then on, every future has the same probability
  on both sides. The losses no longer change, so these states are not followed.
- A law is refused if a probability is negative, or if a sum differs from 1 by more than its errors allow
  (`release_laws.checked`). Errors that the sum cannot reveal go unnoticed: a law written as [p, 1 - p] is accurate to
  1e-16, so to LAW_ERROR relative to 1 - p only down to 1e-5. Where 1 - p gets smaller, write both probabilities without
  a difference.
- A transcript's probability is a product of at most T such values. Its relative error is at most the sum of the errors
  of the steps plus the rounding of the forward pass: at most 24 roundings of a mass per step (the products of a path,
  the square root, the split), as many roundings per move as paths and rows add up in one cell, and 8 roundings of size
  L per step for a loss of size L in exp(+-L/2). The sum r is the profile's `log_error`: the true delta(eps) lies
  between e^-r delta(eps + 2r) and e^r delta(eps - 2r).
- Pruned mass counts as fully revealing in the upper profile (in a deep pass: by its exact Renyi moments) and is left
  out of the lower one.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from dpbandits.proofs_checks.exact.privacy_loss_distribution import privacy_loss_distribution
from dpbandits.proofs_checks.exact.privacy_profile import ExactProfile, MeasurePair
from dpbandits.proofs_checks.exact.state_graph import Layer, PairTransitions, StateGraph, log_error, state_graph
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import RELATIVE, HasLaw, LawfulMechanism, Step
from dpbandits.reference.bandits.release_laws.checked import accuracy, checked_release

LAW_ERROR = RELATIVE  # the error that the check of laws lets through
GRID = 0.01  # step of the privacy loss grid
MAX_KEPT_TRANSITIONS = 2**18  # transitions kept for a second pass: their states take some megabytes
DEEP_STATES = 130_000  # a pass is deep by default up to about this many states: T = 500 for two arms

__all__ = ["LAW_ERROR", "ExactProfile", "WorstEvent", "exact_profile", "step_profile", "worst_event"]


class TooManyStates(ValueError):
    """The policy reaches more states on this pair than the caller allows."""


def exact_profile(
    policy: HasLaw,
    pair: Pair,
    grid: float = GRID,
    prune: float = 1e-12,
    deep: bool | None = None,
    most: float = inf,
) -> ExactProfile:
    """The privacy profile of all releases of a policy on a pair of neighbours, as certified lower and upper bounds.

    policy: one with a `law`. grid: the step of the privacy loss grid; the gap between the profiles shrinks with its
    square. prune: approximately how much probability mass may be left out in total. deep: whether to follow rare
    transcripts with a large loss as well, down to masses of 1e-150, and to account for the rest by Renyi moments. A
    finite upper end of mu() needs this, and it visits every reachable state; None follows them if that is cheap. most:
    the largest number of states allowed if `deep` is None, at most DEEP_STATES.

    Raises ValueError or TypeError if the policy cannot be followed on this pair, TooManyStates above `most`.
    """
    if not (grid > 0 and 0 < prune < 1):
        raise ValueError(
            f"grid is {grid}, prune is {prune}; give grid > 0 and 0 < prune < 1, such as grid=0.01, prune=1e-12"
        )
    graph, steps = state_graph(policy, pair), None
    if deep is None:
        states, steps = unfold_states(graph, int(min(most, DEEP_STATES)))
        if states > most:
            raise TooManyStates(
                f"the policy has more than {most} states to follow; shorten the horizon, or choose a pair of reward "
                "tables that differ in an earlier reward"
            )
        deep = states <= DEEP_STATES
    orders = tail_orders(policy.horizon) if deep else None
    return privacy_loss_distribution(graph, grid, tiny=prune / (1000 * policy.horizon), orders=orders, steps=steps)


def unfold_states(graph: StateGraph, max_states: int) -> tuple[int, list[tuple[PairTransitions, Layer]] | None]:
    """The number of reachable states, and, for every step, its transitions and the layer of states after it.

    Counting stops at some number above `max_states` if there are more states. The steps are None if it stopped, or if
    there are more than MAX_KEPT_TRANSITIONS transitions.
    """
    layer, t, total, transitions = graph.first_layer(), 0, 0, 0
    steps: list[tuple[PairTransitions, Layer]] | None = []
    while graph.has_steps_left(layer) and total <= max_states:
        t += 1
        moves, layer = graph.pair_step(t, layer)
        total, transitions = total + len(layer.pulls), transitions + len(moves.source)
        if steps is not None and transitions <= MAX_KEPT_TRANSITIONS:
            steps.append((moves, layer))
        else:
            steps = None
    return total, steps if total <= max_states else None


def step_profile(step: Step) -> ExactProfile:
    """The privacy profile of a one-shot mechanism on two neighbouring inputs.

    step: its `mechanism` has law(values) -> probabilities (outputs,); `left` and `right` are the two inputs. The masses
    of the profile are in the order of the mechanism's outputs. Raises TypeError for a mechanism without a law.
    """
    if not isinstance(step.mechanism, LawfulMechanism):
        raise TypeError(
            f"{step.mechanism} has no method law(values), which an exact profile needs; add one that returns the "
            "probability of every output"
        )
    left, right = (checked_release(step.mechanism, side) for side in (step.left, step.right))
    masses = MeasurePair(left, right)
    errors, blurs = zip(*(accuracy(step.mechanism, side) for side in (step.left, step.right)), strict=True)
    # A mechanism that states an error of 0 still gets the error that the check of its law lets through.
    return ExactProfile(
        masses,
        masses,
        log_error=max(LAW_ERROR, *map(log_error, errors)),
        absolute_error=left.size * max(blurs),
        step_absolute_error=max(blurs),
    )


class WorstEvent(NamedTuple):
    """A set S of outputs of a one-shot mechanism with left(S) - exp(eps) right(S) >= delta, certified.

    indices: the outputs in S. swapped: whether left and right change places in this inequality.
    """

    indices: tuple[int, ...]
    swapped: bool
    delta: float


def worst_event(profile: ExactProfile, eps: float) -> WorstEvent:
    """The event of a one-shot mechanism that certifies the largest delta at eps, in either direction."""
    sides = (profile, profile.swapped)
    low = [float(side.delta_one_way(eps)[0]) for side in sides]
    best = int(low[1] > low[0])
    left, right = sides[best].lower
    inside = np.nonzero(left > el.exp(eps) * right)[0]
    return WorstEvent(tuple(int(i) for i in inside), bool(best), low[best])


def tail_orders(horizon: int) -> Array:
    """The orders alpha of the moments that bound the deep tail, and their mirrors 1 - alpha.
    They range from near 1 (moderate eps) to a few T (the largest losses)."""
    orders = 1 + el.geometric(0.1, 3.0 * horizon + 10, 30)
    return np.concatenate([orders, 1 - orders])
