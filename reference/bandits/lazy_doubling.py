"""Lazy doubling, as two papers use it: for every arm, a policy uses the noisy mean of the arm's latest complete batch.

Every arm is first pulled once, which is a batch of size O = 1. Later rewards of an arm are collected until there are 2
O of them, which form the next batch. Their mean replaces the old mean, with noise of scale 1/(eps O) for the new O,
drawn once. Older rewards are not used again, so each reward is in one mean.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary, doubles
from dpbandits.reference.bandits.noise import Array, Flags, Noise, again
from dpbandits.reference.bandits.noisy_values import Noisy
from dpbandits.reference.bandits.policy import Ints, Pulls


class Batches(NamedTuple):
    """The state of every arm; all (trials, arms)."""

    pulls: Ints  # all pulls so far
    used: Ints  # O: how many rewards the mean is made of; 0 before the first
    total: Array  # the sum of these. SECRET
    fresh: Ints  # 1 where the mean has not met its noise yet
    mean: Array  # with its noise; where `fresh`, that of the batch before
    waiting: Ints  # pulls since, whose rewards are not looked at yet
    pending: Array  # their sum. SECRET


def none_yet(trials: int, arms: int) -> Batches:
    """The batches of every arm before the first pull: no pulls, no rewards and no noisy means."""
    nothing, zero = np.zeros((trials, arms), dtype=np.int64), np.zeros((trials, arms))
    return Batches(nothing, nothing, zero, nothing, zero, nothing, zero)


def noise_scale(m: Vocabulary, eps: Number, used: Number) -> Number:
    """The scale 1/(eps O) of the Laplace noise that is added to a mean of O rewards."""
    return 1 / (eps * used)


def next_batch_size(state: Batches) -> Ints:
    """The number of pulls in the next batch of each arm: 1 at first, then twice as many as in the batch before."""
    return np.where(state.used == 0, 1, 2 * state.used)


def initial_pulls(t: int, trials: int, arms: int) -> Pulls:
    """The pulls of an initial step t <= K: every trial pulls arm t - 1."""
    return Pulls.one(np.full(trials, t - 1), arms)


def noisy(state: Batches, eps: Any, may_draw: Any = True) -> Noisy:
    """The noisy means to draw now, with centres and scales: those of batches that have just become complete.
    The scale is 0 for all other arms. may_draw: whether means may be drawn at all: none is drawn before every arm was
    pulled."""
    used, fresh = np.maximum(state.used, 1), (state.fresh > 0) & may_draw
    return Noisy("laplace", "mean", state.total / used, np.where(fresh, noise_scale(doubles, eps, used), 0.0))


def with_noise(state: Batches, drawn: Noisy, z: Array) -> Batches:
    """The state after noise is added to the means of the batches that have just become complete.
    drawn: what `noisy` declares for this state; z: standard Laplace draws (trials, arms), used where the scale is
    positive."""
    mean = np.where(drawn.scale > 0, drawn.centre + drawn.scale * z, state.mean)
    return Batches(state.pulls, state.used, state.total, 0 * state.fresh, mean, state.waiting, state.pending)


def means(t: int, state: Batches, drawn: Noisy, noise: Noise) -> Array:
    """The noisy mean of every arm, (trials, arms), in step t > K."""
    return with_noise(state, drawn, noise.laplace(drawn.site, t, drawn.centre.shape[1:])).mean


def observed(state: Batches, counts: Ints, sums: Array) -> Batches:
    """The state after `counts` further pulls, whose rewards `sums` are stored until their batch is complete."""
    waiting, pending = state.waiting + counts, state.pending + sums
    return Batches(state.pulls + counts, state.used, state.total, state.fresh, state.mean, waiting, pending)


def ended(state: Batches) -> Flags:
    """Whether the current batch of each arm is complete, (trials, arms)."""
    return state.waiting >= next_batch_size(state)


def processed(state: Batches) -> Batches:
    """The state after the current batch of every arm is closed, as if all of these batches were complete."""
    waiting, pending = 0 * state.waiting, 0.0 * state.pending
    return Batches(state.pulls, state.waiting, state.pending, waiting + 1, state.mean, waiting, pending)


def batches_after_pulls(t: int, state: Batches, drawn: Noisy, pulls: Pulls, sums: Array, noise: Noise) -> Batches:
    """The state after the pulls of step t: complete batches are closed, and their means wait for noise.
    drawn: what `noisy` declares for this step; its draws are those that `act` used."""
    if t > state.used.shape[1]:
        state = with_noise(state, drawn, again(noise).laplace(drawn.site, t, drawn.centre.shape[1:]))
    state = observed(state, pulls.counts, sums)
    whole, both = ended(state), zip(processed(state), state, strict=True)
    parts: Any = (old if new is old else np.where(whole, new, old) for new, old in both)
    return Batches(*parts)
