"""Addressed noise: a draw is a function of (seed, site, index, block), never of the order of calls.

A policy asks for *standard* draws at a named site and writes the scale itself, where the reader looks for it.
The first k trials of a large batch see the draws of a batch of k trials, and batches with a different `block` see
different draws: so one trial is the prefix of a hundred thousand, and the number of workers changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Protocol

import numpy as np
from numpy.random import SFC64, Generator
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Noise(Protocol):
    """Where a policy gets its randomness from; every method returns an array of shape (trials, *shape)."""

    def normal(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array: ...

    def laplace(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array: ...

    def uniform(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array: ...


def hashed(parts: tuple[object, ...], size: int) -> bytes:
    """`size` bytes that stand for the parts, the same on every machine and in every process."""
    return blake2b("\x1f".join(map(str, parts)).encode(), digest_size=size).digest()


def address(*parts: object) -> int:
    """A 64-bit number that stands for the parts: how a seed is derived from a seed and names."""
    return int.from_bytes(hashed(parts, 8), "little")


class Address(ISeedSequence):
    """The start of a stream: its words are the hash of its address, so that no state has to be mixed twice."""

    def __init__(self, *parts: object) -> None:
        self.parts = parts

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        word = np.dtype(dtype).newbyteorder("<")
        return np.frombuffer(hashed(self.parts, n_words * word.itemsize), dtype=word)


@dataclass(frozen=True)
class Seeded:
    """Draws from numpy's SFC64 generator, started anew at the hash of every (seed, site, index, block).

    seed: any integer. trials: the batch size. block: which batch this is. last: the latest normal draw by its
    address, kept (read-only) because a policy that remembers a sample needs it in `act` and again in `learn`.
    """

    seed: int
    trials: int
    block: int = 0
    last: dict[tuple[str, int, tuple[int, ...]], Array] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def generator(self, site: str, index: int) -> Generator:
        """The stream at one address. Its state is 192 bits of hash beside a counter, so that among n streams of
        length m any two overlap with probability below n**2 m/2**192."""
        start: Any = Address(self.seed, site, index, self.block)  # numpy's stubs know only its own seed sequence
        return Generator(SFC64(start))

    def normal(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        where = (site, index, shape)
        if where not in self.last:
            draw = self.generator(site, index).standard_normal((self.trials, *shape))
            draw.flags.writeable = False
            self.last.clear()
            self.last[where] = draw
        return self.last[where]

    def laplace(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.generator(site, index).laplace(size=(self.trials, *shape))

    def uniform(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.generator(site, index).random((self.trials, *shape))


@dataclass(frozen=True)
class Tape:
    """Replays recorded draws: values[(site, index)] has shape (trials, *shape). A missing draw is an error.

    kinds: what was recorded at an address ("normal", "laplace", "uniform"), where that is known; a draw of another
    kind is an error as well.
    """

    values: Mapping[tuple[str, int], Any]
    kinds: Mapping[tuple[str, int], str] = field(default_factory=dict)

    def normal(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.replay("normal", site, index, shape)

    def laplace(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.replay("laplace", site, index, shape)

    def uniform(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.replay("uniform", site, index, shape)

    def replay(self, kind: str, site: str, index: int, shape: tuple[int, ...]) -> Array:
        where = f"site {site!r}, index {index}"
        if (site, index) not in self.values:
            raise KeyError(f"the tape holds no draw for {where}: record it, or shorten the run")
        draw = np.asarray(self.values[site, index], dtype=np.float64)
        if draw.shape[1:] != shape:
            raise ValueError(f"{where}: recorded shape {draw.shape[1:]}, asked for {shape}")
        if not np.isfinite(draw).all():
            raise ValueError(f"{where}: a recorded value is not finite")
        if self.kinds.get((site, index), kind) != kind:
            raise ValueError(f"{where}: recorded a {self.kinds[site, index]} draw, asked for a {kind} one")
        return draw


@dataclass(frozen=True)
class Recorder:
    """Passes draws on and remembers them: `tape()` replays exactly these."""

    noise: Noise
    values: dict[tuple[str, int], Array] = field(default_factory=dict)
    kinds: dict[tuple[str, int], str] = field(default_factory=dict)

    def normal(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.remember("normal", site, index, self.noise.normal(site, index, shape))

    def laplace(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.remember("laplace", site, index, self.noise.laplace(site, index, shape))

    def uniform(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.remember("uniform", site, index, self.noise.uniform(site, index, shape))

    def remember(self, kind: str, site: str, index: int, draw: Array) -> Array:
        self.values[site, index], self.kinds[site, index] = draw, kind
        return draw

    def tape(self) -> Tape:
        return Tape(dict(self.values), dict(self.kinds))
