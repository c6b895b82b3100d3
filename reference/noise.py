"""Addressed noise: a draw is a function of (seed, site, index, block), never of the order of calls.

A policy asks for *standard* draws at a named site and writes the scale itself, where the reader looks for it.
The first k trials of a large batch see the draws of a batch of k trials, and batches that start at a
different `block` see different draws: so results depend neither on the batch size nor on the number of workers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Noise(Protocol):
    """Where a policy gets its randomness from; every method returns an array of shape (trials, *shape)."""

    def normal(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array: ...

    def laplace(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array: ...

    def uniform(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array: ...


def address(*parts: object) -> int:
    """A 64-bit number that stands for the parts, the same on every machine and in every process."""
    return int.from_bytes(blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8).digest(), "little")


@dataclass(frozen=True)
class Seeded:
    """Draws from numpy's Philox generator, keyed by (seed, site) and counted by (index, block).

    seed: any non-negative integer below 2**64. trials: the batch size. block: which batch this is.
    """

    seed: int
    trials: int
    block: int = 0

    def generator(self, site: str, index: int) -> np.random.Generator:
        """The stream at one address. Streams at different addresses never overlap (2**128 values apart)."""
        return np.random.Generator(
            np.random.Philox(
                key=np.array([self.seed, address(site)], dtype=np.uint64),
                counter=np.array([0, 0, index, self.block], dtype=np.uint64),
            )
        )

    def normal(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.generator(site, index).standard_normal((self.trials, *shape))

    def laplace(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.generator(site, index).laplace(size=(self.trials, *shape))

    def uniform(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.generator(site, index).random((self.trials, *shape))


@dataclass(frozen=True)
class Tape:
    """Replays recorded draws: values[(site, index)] has shape (trials, *shape). A missing draw is an error."""

    values: Mapping[tuple[str, int], Any]

    def replay(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        if (site, index) not in self.values:
            raise KeyError(f"the tape holds no draw for site {site!r}, index {index}: record it, or shorten the run")
        draw = np.asarray(self.values[site, index], dtype=np.float64)
        if draw.shape[1:] != shape:
            raise ValueError(f"site {site!r}, index {index}: recorded shape {draw.shape[1:]}, asked for {shape}")
        return draw

    normal = laplace = uniform = replay
