"""Numba code for the rounds of a policy that draws a Beta sample for each arm and pulls the arm with the largest.

The code computes few quantiles, as `betas.largest_sample` does. If every other arm's sample certainly lies below a
lower bound on the sample of the arm with the largest mean, this arm is pulled. Otherwise scipy's quantile function
computes the samples in question.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import inf, isnan
from typing import NamedTuple

import numpy as np

from dpbandits.extensions.compiled.rounds_in_numba import beginning, made_of, of_each_array, pulled_arm_update, text_of
from dpbandits.extensions.compiled.scalar_text import Compiled, NotCompiled, TupleType, compiled, compiled_text
from dpbandits.extensions.compiled.streams_in_numba import laplace_numbers, streams
from dpbandits.proofs_checks.compiled_cache import cache_compiled
from dpbandits.reference.arithmetic.elementary import log_of_one
from dpbandits.reference.bandits.release_laws import betas

BOUNDS = (
    *(betas.depth, betas.rough_depth, betas.lower_end, betas.exponent, betas.rough_exponent),
    betas.depth_of_rest,
)
NAME = "dpbandits_betaincinv"  # a symbol, whose address is another one in every process: kept code knows the name


class BetaText(NamedTuple):
    """What the compiled rounds of a policy with Beta samples are made of.

    kind, remembered: the named tuples of the policy and of its state. noisy, with_noise, beta_posterior, ended,
    processed, learnt: methods of the policy. pays, draws: of a `worlds.World`.
    """

    kind: TupleType
    remembered: TupleType
    noisy: Compiled
    with_noise: Compiled
    beta_posterior: Compiled
    ended: Compiled
    processed: Compiled
    learnt: Compiled
    pays: Compiled
    draws: bool


@lru_cache(maxsize=16)
def beta_rounds(text: BetaText) -> Callable[..., bool]:
    """Returns a compiled function that plays some steps of all trials for policies with Beta samples.
    Every step has its own random stream, which the trials share. The code returns False if a sample is nan; then the
    written results are invalid."""
    kind, remembered = text.kind, text.remembered
    noisy, with_noise, law = map(compiled_text, (text.noisy, text.with_noise, text.beta_posterior))
    (_, _, uniform), laplace, largest = streams(), laplace_numbers(), largest_in_numba()
    numbers, put, views = of_each_array()
    begin, observe, log, pays, draws = (
        beginning(),
        pulled_arm_update(text),
        compiled_text(log_of_one),
        text.pays,
        text.draws,
    )

    @compiled
    def rounds(own, state, first, noises, quantiles, reward, world, left, made, total, seen):  # type: ignore[no-untyped-def]
        """Plays len(reward) steps, beginning with step `first`, which pay the rows of `reward`.
        The rows of `noises` and `quantiles` are the streams of these steps. Returns False if a sample is nan."""
        trials, arms = made.shape
        noises, quantiles, rewards = begin(noises), begin(quantiles), begin(reward)
        a, b, levels, logs = np.empty(arms), np.empty(arms), np.empty(arms), np.empty(len(rewards))
        for row in range(len(rewards)):
            logs[row] = log(float(first + row))
        for i in range(trials):
            mine, here = kind(*numbers(own, i)), views(state, i)
            used = made[i].sum()
            for row in range(len(rewards)):
                t, log_t = first + row, logs[row]
                noise = noises[row, 0], noises[row, 1], noises[row, 2], noises[row, 3]
                quantile = quantiles[row, 0], quantiles[row, 1], quantiles[row, 2], quantiles[row, 3]
                for j in range(arms):
                    old = remembered(*numbers(here, j))
                    z, noise = laplace(noise, noisy(mine, t, old).scale > 0)
                    new = with_noise(mine, t, old, z)
                    put(here, j, new)
                    a[j], b[j] = law(mine, log_t, new)
                    levels[j], quantile = uniform(quantile)
                noises[row, 0], noises[row, 1], noises[row, 2], noises[row, 3] = noise
                quantiles[row, 0], quantiles[row, 1], quantiles[row, 2], quantiles[row, 3] = quantile
                arm = largest(a, b, levels)
                if arm < 0:
                    return False
                u = 0.0
                if draws:
                    u, stream = uniform((rewards[row, 0], rewards[row, 1], rewards[row, 2], rewards[row, 3]))
                    rewards[row, 0], rewards[row, 1], rewards[row, 2], rewards[row, 3] = stream
                paid, once = 0.0, np.int64(left[i] > 0)
                if once:
                    paid = pays(world, i, arm, u, made[i, arm], used)
                    left[i] -= 1
                    used += 1
                    made[i, arm] += 1
                    total[i, arm] += paid
                    if i < seen.shape[1]:
                        seen[row, i] = arm
                observe(mine, t, here, arm, once, paid)
        return True

    cache_compiled(rounds, (text_of(__file__), *BOUNDS, *made_of(text)))
    return rounds  # type: ignore[no-any-return]


@lru_cache(maxsize=1)
def largest_in_numba() -> Compiled:
    """Returns a compiled function that finds the index of the largest Beta sample among the arms.
    The lowest index among equal samples, -1 if a sample is nan."""
    depth, rough_depth, lower_end, exponent, rough_exponent, of_rest = map(compiled_text, BOUNDS)
    look_up = beta_quantile()

    @compiled
    def largest(a, b, u):  # type: ignore[no-untyped-def]
        """The index of the largest quantile: arm j's is that of Beta(a[j], b[j]) at the level u[j].
        All arguments have shape (arms,)."""
        leader, most = 0, -inf
        for j in range(len(a)):
            mean = a[j] / (a[j] + b[j])
            if isnan(mean):
                return -1
            if mean > most:
                leader, most = j, mean
        bar, rivals = lower_end(a[leader], b[leader], rough_depth(u[leader])), 0
        for j in range(len(a)):
            if j != leader and not rough_exponent(a[j], b[j], bar) > rough_depth(1 - u[j]):
                rivals += 1
        if not rivals:
            return leader
        bar, rivals, may = lower_end(a[leader], b[leader], depth(u[leader])), 0, np.zeros(len(a), dtype=np.bool_)
        for j in range(len(a)):
            may[j] = j == leader or not exponent(a[j], b[j], bar) > of_rest(u[j])
            rivals += may[j]
        if rivals == 1:
            return leader
        best, arm = -inf, 0
        for j in range(len(a)):
            if may[j]:
                sample = look_up(a[j], b[j], u[j])
                if isnan(sample):
                    return -1
                if sample > best:
                    best, arm = sample, j
        return arm

    return largest


@lru_cache(maxsize=1)
def beta_quantile() -> Compiled:
    """Returns the quantile function of the Beta distribution in a form that compiled code can call.
    It is scipy's betaincinv(a, b, u)."""
    from llvmlite import binding
    from numba import types
    from numba.extending import get_cython_function_address
    from scipy.special import cython_special

    offered = vars(cython_special)["__pyx_capi__"]
    named = [each for each in offered if each.endswith("betaincinv")]
    name = next((each for each in named if "double (double" in repr(offered[each])), "")
    if not name:
        raise NotCompiled("the installed scipy has no compiled function betaincinv for doubles; install scipy >= 1.10")
    binding.add_symbol(NAME, get_cython_function_address("scipy.special.cython_special", name))
    skip = [types.int32] * ("__pyx_skip_dispatch" in repr(offered[name]))
    call = types.ExternalFunction(NAME, types.float64(types.float64, types.float64, types.float64, *skip))
    if skip:
        return compiled(lambda a, b, u: call(a, b, u, 0))
    return compiled(lambda a, b, u: call(a, b, u))
