"""What numba compiles: the rounds of a policy, by the text of its page's own `posterior` and `learn`, and the streams
that `Seeded` draws from, bit for bit."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from dataclasses import fields
from functools import lru_cache
from math import exp, inf, isnan, log1p
from types import FunctionType
from typing import Any

import numpy as np

from dpbandits.reference.bandits.policy import Pulls


def fields_of(policy: Any) -> Any:
    """The policy as numba takes it: its fields, of which functions are compiled as well."""
    values = {each.name: getattr(policy, each.name) for each in fields(policy)}
    compiled = (compiled_function(each) if isinstance(each, FunctionType) else each for each in values.values())
    return of_names(tuple(values))(*compiled)


@lru_cache(maxsize=64)
def of_names(names: tuple[str, ...]) -> Any:
    return namedtuple("Fields", names)


@lru_cache(maxsize=64)
def compiled_function(function: FunctionType) -> Any:
    from numba import njit

    return njit(error_model="numpy")(function)


@lru_cache(maxsize=64)
def kernel_of(posterior_of_page: Any, learn_of_page: Any, remembered: Any) -> Callable[..., None]:
    """Some steps of all trials, for policies with these methods, and states of this kind."""
    from numba import njit

    page = njit(error_model="numpy")  # as numpy divides: by zero is infinite, and no error
    posterior, learn = page(posterior_of_page), page(learn_of_page)
    started, normal, uniform = streams()
    numbers, put = of_each_array()

    @njit(error_model="numpy")
    def rounds(own, state, first, theta_words, reward_words, means, made, total, seen):  # type: ignore[no-untyped-def]
        trials, arms = made.shape
        for row in range(len(theta_words)):
            t = first + row
            samples, rewards = started(theta_words[row]), started(reward_words[row])
            for i in range(trials):
                best, arm = -inf, 0
                for j in range(arms):
                    z, samples = normal(samples)
                    mean, deviation = posterior(own, t, remembered(*numbers(state, i, j)))
                    theta = mean + deviation * z
                    if theta > best or (isnan(theta) and not isnan(best)):  # as numpy's argmax
                        best, arm = theta, j
                u, rewards = uniform(rewards)
                paid = 1.0 if u < means[arm] else 0.0
                for j in range(arms):
                    here = np.int64(j == arm)
                    pulls = Pulls(here, None)  # type: ignore[arg-type]
                    new = learn(own, t, remembered(*numbers(state, i, j)), pulls, here * paid, None)
                    put(state, i, j, new)
                made[i, arm] += 1
                total[i, arm] += paid
                if i < seen.shape[1]:
                    seen[row, i] = arm

    return rounds  # type: ignore[no-any-return]


@lru_cache(maxsize=1)
def of_each_array() -> tuple[Any, Any]:
    """How a kernel reads the numbers of trial i and arm j from a tuple of arrays, and writes them."""
    from numba.extending import overload

    def numbers(arrays: Any, i: Any, j: Any) -> Any:
        raise NotImplementedError("compiled code alone calls it")

    def put(arrays: Any, i: Any, j: Any, new: Any) -> Any:
        raise NotImplementedError("compiled code alone calls it")

    def numbers_of_many(arrays, i, j):  # type: ignore[no-untyped-def]
        if not len(arrays):
            return lambda arrays, i, j: ()
        return lambda arrays, i, j: (arrays[0][i, j],) + numbers(arrays[1:], i, j)  # noqa: RUF005  not in numba

    def put_many(arrays, i, j, new):  # type: ignore[no-untyped-def]
        def rest(arrays, i, j, new):  # type: ignore[no-untyped-def]
            arrays[0][i, j] = new[0]
            put(arrays[1:], i, j, new[1:])

        return rest if len(arrays) else lambda arrays, i, j, new: None

    overload(numbers)(numbers_of_many)
    overload(put)(put_many)
    return numbers, put


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
