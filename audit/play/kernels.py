"""What numba compiles: the rounds of a policy, by the text of its page, and the streams that `Seeded` draws from, bit
for bit."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import exp, inf, isnan, log1p
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.play.scalar_text import compiled, compiled_text
from dpbandits.reference.bandits.policy import Pulls

METHODS = ("posterior", "sampled", "ended", "processed", "observed", "learn")  # of a policy: what a kernel calls


class Text(NamedTuple):
    """What a kernel is made of.

    kind, remembered: the named tuples of the policy and of its state. posterior, sampled, ended, processed, learnt:
    functions of the page, sampled None where samples change nothing, ended and processed where nothing waits. always:
    whether a sample is drawn at scale 0 as well. pays, draws: of a `worlds.World`.
    """

    kind: Any
    remembered: Any
    posterior: Any
    sampled: Any
    ended: Any
    processed: Any
    learnt: Any
    always: bool
    pays: Any
    draws: bool


@lru_cache(maxsize=64)
def kernel_of(text: Text) -> Callable[..., None]:
    """Some steps of all trials, one trial after another; every step has a stream of its own, which they share."""
    kind, remembered, pays, draws, always = text.kind, text.remembered, text.pays, text.draws, text.always
    sampling, waiting = text.sampled is not None, text.ended is not None
    posterior, *others = (
        compiled_text(each or text.posterior) for each in (text.posterior, text.sampled, text.ended, text.processed)
    )
    sampled, ended, processed = others
    learnt = learning(text)
    started, normal, uniform = streams()
    numbers, put, views = of_each_array()
    known = present()

    @compiled
    def begin(words):  # type: ignore[no-untyped-def]
        found = np.empty((len(words), 4), dtype=np.uint64)
        for row in range(len(words)):
            found[row, 0], found[row, 1], found[row, 2], found[row, 3] = started(words[row])
        return found

    @compiled
    def rounds(own, state, first, theta, reward, world, left, made, total, seen):  # type: ignore[no-untyped-def]
        trials, arms = made.shape
        samples, rewards = begin(theta), begin(reward)
        for i in range(trials):
            mine, here = kind(*numbers(own, i)), views(state, i)
            used = made[i].sum()
            for row in range(len(samples)):
                t, best, arm, drew = first + row, -inf, 0, always
                stream = samples[row, 0], samples[row, 1], samples[row, 2], samples[row, 3]
                for j in range(arms):
                    old = remembered(*numbers(here, j))
                    mean, deviation = known(posterior(mine, t, old))
                    z = 0.0
                    if always or deviation > 0:
                        z, stream = normal(stream)
                        drew = True
                    theta_j = mean + deviation * z
                    if sampling and deviation > 0:
                        put(here, j, sampled(mine, t, old, theta_j))
                    if theta_j > best or (isnan(theta_j) and not isnan(best)):  # as numpy's argmax
                        best, arm = theta_j, j
                if drew:
                    samples[row, 0], samples[row, 1], samples[row, 2], samples[row, 3] = stream
                u = 0.0
                if draws:
                    u, stream = uniform((rewards[row, 0], rewards[row, 1], rewards[row, 2], rewards[row, 3]))
                    rewards[row, 0], rewards[row, 1], rewards[row, 2], rewards[row, 3] = stream
                if left[i] > 0:
                    paid = pays(world, i, arm, u, made[i, arm], used)
                    put(here, arm, learnt(mine, t, remembered(*numbers(here, arm)), np.int64(1), paid))
                    if waiting:
                        new = remembered(*numbers(here, arm))
                        if ended(mine, t, new):
                            put(here, arm, processed(mine, t, new))
                    left[i] -= 1
                    used += 1
                    made[i, arm] += 1
                    total[i, arm] += paid
                    if i < seen.shape[1]:
                        seen[row, i] = arm

    return rounds  # type: ignore[no-any-return]


def learning(text: Text) -> Any:
    """What is learnt of an arm that was pulled: `observed`, or `learn` without noise."""
    learnt = compiled_text(text.learnt)
    if text.sampled is not None:
        return learnt

    @compiled
    def learn(own, t, state, here, paid):  # type: ignore[no-untyped-def]
        return learnt(own, t, state, Pulls(here, None), paid, None)

    return learn


@lru_cache(maxsize=1)
def present() -> Any:
    """A function that returns its argument, which numba thinks might be None: it never is, once samples are drawn."""
    from numba import types
    from numba.extending import overload
    from numba.typed.typedobjectutils import _nonoptional

    def known(value: Any) -> Any:
        raise NotImplementedError("compiled code alone calls it")

    def itself(value):  # type: ignore[no-untyped-def]
        if isinstance(value, types.Optional):
            return lambda value: _nonoptional(value)
        return lambda value: value

    overload(known)(itself)
    return known


@lru_cache(maxsize=1)
def of_each_array() -> tuple[Any, Any, Any]:
    """How a kernel reads the numbers at place i from a tuple of arrays, writes them, and takes their rows i."""
    from numba.extending import overload

    def numbers(arrays: Any, i: Any) -> Any:
        raise NotImplementedError("compiled code alone calls it")

    def put(arrays: Any, i: Any, new: Any) -> Any:
        raise NotImplementedError("compiled code alone calls it")

    def numbers_of_many(arrays, i):  # type: ignore[no-untyped-def]
        if not len(arrays):
            return lambda arrays, i: ()
        return lambda arrays, i: (arrays[0][i],) + numbers(arrays[1:], i)  # noqa: RUF005  not in numba

    def put_many(arrays, i, new):  # type: ignore[no-untyped-def]
        def rest(arrays, i, new):  # type: ignore[no-untyped-def]
            arrays[0][i] = new[0]
            put(arrays[1:], i, new[1:])

        return rest if len(arrays) else lambda arrays, i, new: None

    overload(numbers)(numbers_of_many)
    overload(put)(put_many)
    return numbers, put, numbers  # row i of an array of two axes is its element i


@lru_cache(maxsize=1)
def streams() -> tuple[Any, Any, Any]:
    """What numpy makes of the words of SFC64: where a stream starts, and its next normal and uniform number, each with
    the stream after it. The ziggurat and its tables are numba's own, which follow numpy's."""
    from numba import njit, uint64
    from numba.np.random import _constants as ziggurat

    edges, widths = np.array(ziggurat.ki_double, dtype=np.uint64), np.array(ziggurat.wi_double)
    heights = np.array(ziggurat.fi_double)
    end, inverse = float(ziggurat.ziggurat_nor_r), float(ziggurat.ziggurat_nor_inv_r)
    eight, mask = uint64(8), uint64(0x000FFFFFFFFFFFFF)
    started, following = words_of_a_stream()

    @njit
    def uniform(stream):  # type: ignore[no-untyped-def]
        word, stream = following(stream)
        return (word >> uint64(11)) * 2.0**-53, stream

    @njit
    def normal(stream):  # type: ignore[no-untyped-def]
        while True:
            word, stream = following(stream)
            place, word = word & uint64(0xFF), word >> eight
            size = (word >> uint64(1)) & mask
            x = size * widths[place]
            if word & uint64(1):
                x = -x
            if size < edges[place]:
                return x, stream
            if place == 0:
                while True:
                    u, stream = uniform(stream)
                    v, stream = uniform(stream)
                    beyond, height = -inverse * log1p(-u), -log1p(-v)
                    if height + height > beyond * beyond:
                        return (-(end + beyond) if (size >> eight) & uint64(1) else end + beyond), stream
            u, stream = uniform(stream)
            if (heights[place - uint64(1)] - heights[place]) * u + heights[place] < exp(-0.5 * x * x):
                return x, stream

    return started, normal, uniform


def words_of_a_stream() -> tuple[Any, Any]:
    """numpy's SFC64: where a stream starts, and its next word, with the stream after it."""
    from numba import njit, uint64

    twelve = 12

    @njit
    def following(stream):  # type: ignore[no-untyped-def]
        a, b, c, count = stream
        out = a + b + count
        turned = (c << uint64(24)) | (c >> uint64(40))
        return out, (b ^ (b >> uint64(11)), c + (c << uint64(3)), turned + out, count + uint64(1))

    @njit
    def started(words):  # type: ignore[no-untyped-def]
        stream = (words[0], words[1], words[2], uint64(1))
        for _ in range(twelve):
            _, stream = following(stream)
        return stream

    return started, following
