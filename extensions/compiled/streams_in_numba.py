"""Random streams compiled by numba: the same numbers as `Seeded` draws with numpy, bit for bit."""

from __future__ import annotations

from functools import lru_cache
from math import exp, log, log1p

import numpy as np

from dpbandits.extensions.compiled.scalar_text import Compiled


@lru_cache(maxsize=2)
def streams(within: bool = False) -> tuple[Compiled, Compiled, Compiled]:
    """Returns three compiled functions: start a stream of SFC64, draw a normal and draw a uniform number.
    Both draws also return the stream after the number. The ziggurat tables are numba's own, which follow numpy's.
    within: whether the code for a normal number is inlined, which is faster for callers that draw repeatedly."""
    from numba import njit, uint64
    from numba.np.random import _constants as ziggurat

    edges, widths = np.array(ziggurat.ki_double, dtype=np.uint64), np.array(ziggurat.wi_double)
    heights = np.array(ziggurat.fi_double)
    end, inverse = float(ziggurat.ziggurat_nor_r), float(ziggurat.ziggurat_nor_inv_r)
    eight, mask = uint64(8), uint64(0x000FFFFFFFFFFFFF)
    start_stream, next_word = words_of_a_stream()

    @njit
    def uniform(stream):  # type: ignore[no-untyped-def]
        """The next uniform number in [0, 1), and the stream after it."""
        word, stream = next_word(stream)
        return (word >> uint64(11)) * 2.0**-53, stream

    @njit(forceinline=within)
    def normal(stream):  # type: ignore[no-untyped-def]
        """The next standard normal number, by the ziggurat method, and the stream after it."""
        while True:
            word, stream = next_word(stream)
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

    return start_stream, normal, uniform


@lru_cache(maxsize=1)
def laplace_numbers() -> Compiled:
    """Returns compiled code that draws numpy's next Laplace number, see `laplace`."""
    from numba import njit

    _, _, uniform = streams()

    @njit
    def laplace(stream, needed):  # type: ignore[no-untyped-def]
        """The next standard Laplace number, and the stream after it.
        If the number is not needed, 0 instead of the number; the stream advances all the same."""
        u, stream = uniform(stream)
        while u == 0:
            u, stream = uniform(stream)
        if not needed:
            return 0.0, stream
        return (-log(2.0 - u - u) if u >= 0.5 else log(u + u)), stream

    return laplace  # type: ignore[no-any-return]


def words_of_a_stream() -> tuple[Compiled, Compiled]:
    """Returns two compiled functions of numpy's generator SFC64: one starts a stream, one draws its next 64 bits.
    Start a stream, and draw its next word, with the stream after the word."""
    from numba import njit, uint64

    twelve = 12

    @njit
    def next_word(stream):  # type: ignore[no-untyped-def]
        """The next 64 bits, and the stream after them."""
        a, b, c, count = stream
        out = a + b + count
        turned = (c << uint64(24)) | (c >> uint64(40))
        return out, (b ^ (b >> uint64(11)), c + (c << uint64(3)), turned + out, count + uint64(1))

    @njit
    def start_stream(words):  # type: ignore[no-untyped-def]
        """The stream with these three words as its seed, after 12 discarded words."""
        stream = (words[0], words[1], words[2], uint64(1))
        for _ in range(twelve):
            _, stream = next_word(stream)
        return stream

    return start_stream, next_word
