"""The law of a policy that compares two hidden noisy means, for an observer of its releases and rewards.

Such a policy has no law of its own state, because the means that it holds are hidden. Given the past there is one: the
chance of what comparisons showed, and of the next comparison, over that of the past (`comparing`). With it, whatever
asks a policy for its law can be asked about these: exact profiles, goodness of fit, conformance, recorded runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Any, NamedTuple

import numpy as np
from flint import arb

from dpbandits.proofs_checks.exact.unique_rows import state_words, unique_rows
from dpbandits.proofs_checks.papers.comparing import (
    Hidden,
    HiddenValue,
    chance,
    redraw_value,
    restrict_difference,
    start_hidden,
)
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.policy import RELATIVE, Law, OfSameShape, Pulls
from dpbandits.reference.bandits.release_laws.declared_steps import Compares, Comparing

COMPARED_ARMS = 2
ComparisonStep = tuple[
    float, ...
]  # the centres and scales of the values drawn in a step, then low and high of what it showed


class Known(NamedTuple):
    """What a transcript reveals about a run."""

    inner: Any  # the policy's own state, its hidden means without their noise. SECRET
    past: Array  # (trials, horizon, 6): a `Step` each, zeros for those to come. SECRET


class Quiet:
    """Zero noise: hidden means without noise."""

    def __init__(self, trials: int) -> None:
        self.trials = trials

    def normal(self, site: str, index: int, shape: tuple[int, ...] = (), where: Any = True) -> Array:
        return np.zeros((self.trials, *shape))

    laplace = uniform = normal


@dataclass(frozen=True)
class ByComparisons(OfSameShape):
    """A policy with the same releases and probabilities as the given one, and with a law. Two arms."""

    policy: Compares

    def __post_init__(self) -> None:
        if self.policy.arms != COMPARED_ARMS:
            raise ValueError(
                f"{self.policy} has arms = {self.policy.arms}; the exact law of comparisons of hidden means "
                f"is available for {COMPARED_ARMS} arms only"
            )

    def init(self, trials: int) -> Known:
        return Known(self.policy.init(trials), np.zeros((trials, self.horizon, 6)))

    def act(self, t: int, state: Known, noise: Noise) -> Pulls:
        law, drawn_at = self.law(t, state), noise.uniform("release", t)
        outcome = (law.chance.cumsum(axis=1) <= drawn_at[:, None]).sum(axis=1)
        last = law.chance.shape[1] - 1 - (law.chance[:, ::-1] > 0).argmax(axis=1)  # that can happen
        return Pulls(law.counts[np.arange(len(law.chance)), np.minimum(outcome, last)])

    def learn(self, t: int, state: Known, pulls: Pulls, sums: Array, noise: Noise) -> Known:
        values = self.policy.noisy(t, state.inner)
        past = state.past.copy()
        past[:, t - 1, :4] = np.concatenate([np.where(values.scale > 0, values.centre, 0.0), values.scale], axis=1)
        past[:, t - 1, 4:] = interval(self.policy.compares(t, state.inner), pulls)
        return Known(self.policy.learn(t, state.inner, pulls, sums, Quiet(len(past))), past)

    def law(self, t: int, state: Known) -> Law:
        """The probability of every release of step t, given all earlier releases and rewards."""
        values, ways = self.policy.noisy(t, state.inner), self.policy.compares(t, state.inner)
        now = np.concatenate([np.where(values.scale > 0, values.centre, 0.0), values.scale], axis=1)
        found = np.zeros(ways.low.shape)
        first, kind = unique_rows(state_words((state.past, now, ways.low, ways.high)))
        for number, row in enumerate(first):
            before = past_of(tuple(map(tuple, state.past[row, : t - 1].tolist())))
            laid = hidden_after_step(before, (*now[row].tolist(), -inf, inf))
            joint = [
                comparison_chance(laid, low, high) if low < high else 0.0
                for low, high in zip(ways.low[row].tolist(), ways.high[row].tolist(), strict=True)
            ]
            found[kind == number] = np.array(joint) / sum(joint)
        return Law(ways.counts, found, None, RELATIVE, 0.0)


def interval(ways: Comparing, pulls: Pulls) -> Array:
    """Between what X_0 - X_1 lies where these pulls are released, (states, 2). A block that the horizon has cut may be
    the beginning of any that is as long; what no outcome releases shows nothing."""
    counts = pulls.counts[:, None]
    same = (ways.counts == counts).all(axis=2)
    longer = ((ways.counts >= counts) & ((ways.counts > 0) == (counts > 0))).all(axis=2)
    fits = np.where(same.any(axis=1, keepdims=True), same, longer) & (ways.low < ways.high)
    low, high = np.where(fits, ways.low, inf).min(axis=1), np.where(fits, ways.high, -inf).max(axis=1)
    none = ~fits.any(axis=1)
    return np.stack([np.where(none, -inf, low), np.where(none, inf, high)], axis=1)


def comparison_chance(state: Hidden | None, low: float, high: float) -> float:
    """The chance of all that was shown, and of this. Before any mean is drawn, all is certain. Raises ValueError where
    means are compared that never met any noise."""
    if state is None and (low > -inf or high < inf):
        raise ValueError(
            "the release compares means that have no noise (scale 0), so the law of Laplace noise does not apply"
        )
    if state is None:
        return 1.0
    state = restrict_difference(state, low, high)
    if state.low >= state.high:
        return 0.0
    return known_chance(chance(state))


def known_chance(ball: arb) -> float:
    """The middle of a ball that holds a chance. Raises ValueError where the ball says too little of it."""
    middle, radius = float(ball.mid()), float(ball.rad())
    if not (middle > 0 and radius <= MAX_BALL_RADIUS * middle):
        raise ValueError(
            f"the probability of the past comparisons is {ball}, which may be 0 at this precision; increase `PRECISION`"
        )
    return middle


MAX_BALL_RADIUS = 1e-13  # what a ball's radius may be, as a share of the chance: far below what a law may be wrong by


@lru_cache(maxsize=100_000)
def past_of(steps: tuple[ComparisonStep, ...]) -> Hidden | None:
    """All that the steps have drawn and shown; None before any mean is drawn."""
    return hidden_after_step(past_of(steps[:-1]), steps[-1]) if steps else None


def hidden_after_step(state: Hidden | None, step: ComparisonStep) -> Hidden | None:
    first, second, *scales, low, high = step
    values = (HiddenValue(first, scales[0]), HiddenValue(second, scales[1]))
    fresh = [arm for arm in range(COMPARED_ARMS) if scales[arm] > 0]
    if len(fresh) == COMPARED_ARMS:
        state = start_hidden(*values)
    elif state is not None:
        for arm in fresh:
            state = redraw_value(state, arm, values[arm])
    return None if state is None else restrict_difference(state, low, high)


def of_two(policy: Compares) -> ByComparisons | None:
    """The policy with the law of its comparisons, if it has two arms; None for other policies, whose law is not
    computed."""
    return ByComparisons(policy) if policy.arms == COMPARED_ARMS else None
