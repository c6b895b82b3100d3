"""Addressed noise: a draw is a function of its address (seed, block, who draws, kind, site, index, shape), never of
the order of calls.

A policy asks for *standard* draws at a named site and writes the scale itself, where the reader looks for it.
The first k trials of a large batch see the draws of a batch of k trials, and batches with a different `block` see
different draws: so one trial is the prefix of a hundred thousand, and the number of workers changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from operator import index as whole
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.random import SFC64, Generator
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import NDArray

from dpbandits.reference.arithmetic import checks

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]
Reals = Array | float
ScalarType = TypeVar("ScalarType", bound=np.generic)
LARGEST_BATCH = 2**40  # trials; of more no array is made


class Noise(Protocol):
    """Where a policy gets its randomness from; every method returns an array of shape (trials, *shape).

    site: a text, the name of the place in the policy. index: a whole number, such as the step. One address (site,
    index) is drawn once in a step. All draws are standard: the policy writes the scale itself.
    """

    def normal(self, site: str, index: int, shape: tuple[int, ...] = (), where: bool | Flags = True) -> Array:
        """Normal draws of mean 0 and variance 1. where: which numbers are needed, (trials, *shape), decided before this
        draw; what is not needed is not drawn, and is 0."""
        ...

    def laplace(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        """Laplace draws about 0 of scale 1, so of variance 2."""
        ...

    def uniform(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        """Uniform draws in [0, 1)."""
        ...


class ByKind:
    """The methods of a noise, each of which is one method of who inherits them: `draw`, given the name of the kind."""

    def normal(self, site: str, index: int, shape: tuple[int, ...] = (), where: bool | Flags = True) -> Array:
        return self.draw("normal", site, index, shape, where)

    def laplace(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.draw("laplace", site, index, shape)

    def uniform(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.draw("uniform", site, index, shape)

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Array:
        raise NotImplementedError


def draw_of_kind(
    noise: Noise, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True
) -> Array:
    """What this method of a noise draws. where: of normal draws, which are needed."""
    drawn: Array = getattr(noise, kind)(site, index, shape, *(() if where is True else (where,)))
    return drawn


def digest(text: str, size: int) -> bytes:
    return blake2b(text.encode(), digest_size=size).digest()


def digests(before: str, numbers: Iterable[int], after: str, size: int) -> bytes:
    """The digests of all texts that have a number between the same two, one after another: what stands before is read
    once."""
    begun, end, found = blake2b(before.encode(), digest_size=size), after.encode(), []
    for number in numbers:
        one = begun.copy()
        one.update(b"%d%b" % (number, end))
        found.append(one.digest())
    return b"".join(found)


def encoded(part: object) -> str:
    """A text that no other address has: texts carry their length, so that nothing inside of one looks like a
    separator, and 1 is not "1". numpy's integers are integers. TypeError for what is no text, number or tuple."""
    if isinstance(part, str):
        return f"{len(part)}:{part}"
    if isinstance(part, int | np.integer):
        return f"i{int(part)}"
    if isinstance(part, tuple):
        return f"({','.join([encoded(each) for each in part])})"
    if isinstance(part, float):
        return f"f{float(part)!r}"
    raise TypeError(f"{part!r} in an address: use texts, integers, floats, and tuples of them")


def address(*parts: object) -> int:
    """A 64-bit number that stands for the parts, the same on every machine and in every process: how a seed is derived
    from a seed and names."""
    return int.from_bytes(digest(encoded(parts), 8), "little")


class Address(ISeedSequence):
    """The start of a stream: its words are the hash of its address, an encoded tuple, so that no state has to be mixed
    twice."""

    def __init__(self, text: str) -> None:
        self.text = text

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        word = np.dtype(dtype).newbyteorder("<")
        return np.frombuffer(digest(self.text, n_words * word.itemsize), dtype=word)


@dataclass(frozen=True)
class Seeded:
    """Draws from numpy's SFC64 generator, started anew at the hash of every address. Draws are read-only.

    seed: any integer. trials: the batch size. block: which batch this is. space: who draws. Beside
    these an address is made of the kind of the draw, its site, index and shape: what differs in any of them is
    independent, and what differs in none is the same draw.
    """

    seed: int
    trials: int
    block: int = 0
    space: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checks.checked_integer(self.trials, "noise: trials", 0, LARGEST_BATCH)

    @cached_property
    def prefix(self) -> str:
        """What all addresses of this noise begin with."""
        return encoded((self.seed, self.block, self.space))

    def stream(self, kind: str, site: str, index: int, shape: tuple[int, ...] = ()) -> Generator:
        """The stream at one address. Its state is 192 bits of hash beside a counter, so that among n streams of
        length m any two overlap with probability below n**2 m/2**192."""
        start: Any = self.start(kind, site, index, shape)  # numpy's stubs know only its own seed sequence
        return Generator(SFC64(start))

    def start(self, kind: str, site: str, index: int, shape: tuple[int, ...] = ()) -> Address:
        """What the stream at one address starts from."""
        before, after = self.around_index(kind, site, shape)
        return Address(f"{before}{whole(index)}{after}")

    def around_index(self, kind: str, site: str, shape: tuple[int, ...]) -> tuple[str, str]:
        """The text of an address before and after its index."""
        return f"({self.prefix},{kind},{len(site)}:{site},i", f",{'x'.join(map(str, shape))})"

    def generator(self, site: str, index: int) -> Generator:
        """A stream of its own for what is neither normal, Laplace nor uniform."""
        return self.stream("generator", site, index)

    def normal(self, site: str, index: int, shape: tuple[int, ...] = (), where: bool | Flags = True) -> Array:
        if np.all(where):
            return frozen(self.stream("normal", site, index, shape).standard_normal((self.trials, *shape)))
        drawn, places = np.zeros((self.trials, *shape)), np.flatnonzero(where)
        if len(places):
            drawn.reshape(-1)[places] = self.stream("normal", site, index, shape).standard_normal(len(places))
        return frozen(drawn)

    def laplace(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return frozen(self.stream("laplace", site, index, shape).laplace(size=(self.trials, *shape)))

    def uniform(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return frozen(self.stream("uniform", site, index, shape).random((self.trials, *shape)))


def frozen(values: NDArray[ScalarType]) -> NDArray[ScalarType]:
    """The array itself, which nobody can write to from now on."""
    values.flags.writeable = False
    return values


# -- who draws, and how often --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Within(ByKind):
    """Another noise under sites of its own: "space: site"."""

    noise: Noise
    space: str

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Array:
        return draw_of_kind(self.noise, kind, f"{self.space}: {site}", index, shape, where)


def separate_noise(noise: Noise, space: str) -> Noise:
    """Noise for somebody else: its draws share no stream with those of `noise`, whatever the sites. But a
    `Recorder` or a `Tape`, which know no spaces, are asked for the site "space: site": nobody else may use that one."""
    if isinstance(noise, Seeded):
        return replace(noise, space=(*noise.space, space))
    return Within(noise, space)


def unknown_draw_message(name: str) -> str:
    """What is said to whoever asks a policy's noise for something else."""
    return (
        f"a policy's noise has no {name!r}: it draws normal, laplace and uniform, each (site, index, shape); make "
        "others of these, by a quantile function of a uniform draw, say"
    )


@dataclass(frozen=True)
class Once(ByKind):
    """The noise of one step of a policy: every address is drawn once, for a second draw would repeat the first.

    A policy that meant two draws would have one. Whoever wants the same draw again (because a sample that `act` took
    is needed in `learn`) says so: `again(noise)`. trials: of the run. step: for the error messages.
    Raises ValueError for a second draw, and for draws of another number of trials.
    """

    noise: Noise
    trials: int
    step: int
    drawn: dict[tuple[str, int], tuple[str, tuple[int, ...], Array]] = field(default_factory=dict, repr=False)

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Array:
        if (site, index) in self.drawn:
            before, size, _ = self.drawn[site, index]
            raise ValueError(
                f"step {self.step}: site {site!r}, index {index} is drawn a second time ({kind} {shape}, after "
                f"{before} {size}), and one address is one draw: draw all of it at once with a shape, such "
                "as (arms,); or give every turn of a loop a site of its own; or, where the very same values are meant, "
                "ask again(noise) of dpbandits for them"
            )
        try:
            draw = draw_of_kind(self.noise, kind, site, index, shape, where)
        except TypeError as error:
            raise TypeError(
                f"step {self.step}: {kind}({site!r}, {index!r}, {shape!r}): {error}; a draw has a site, a text, an "
                f"index, a whole number, and a shape, a tuple: noise.{kind}('sample', t, (arms,))"
            ) from error
        if draw.shape != (self.trials, *shape):
            raise ValueError(
                f"step {self.step}: the noise gives an array of shape {draw.shape} at site {site!r}, index {index}, "
                f"expected {(self.trials, *shape)}, (trials, *shape): are the trials of the noise those of the run?"
            )
        self.drawn[site, index] = kind, shape, draw
        return draw

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(unknown_draw_message(name))

    def fork(self) -> Once:
        """What has been drawn so far, for one of several that go on from here and must not meet."""
        return replace(self, drawn=dict(self.drawn))


@dataclass(frozen=True)
class Again(ByKind):
    """What was drawn at an address in this step, and what is not yet drawn."""

    once: Once

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(unknown_draw_message(name))

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Array:
        if (site, index) not in self.once.drawn:
            return self.once.draw(kind, site, index, shape, where)
        before, size, draw = self.once.drawn[site, index]
        if (before, size) != (kind, shape):
            raise ValueError(
                f"step {self.once.step}: site {site!r}, index {index} is asked for again as {kind} {shape}, but was "
                f"drawn as {before} {size}: ask for the same kind and shape"
            )
        return draw


def again(noise: Noise) -> Noise:
    """Noise for a reader of draws that have been made: `again(noise).normal(site, index, shape)` is what
    the step has drawn there. (Noise outside of a run repeats itself anyway.)"""
    return Again(noise) if isinstance(noise, Once) else noise
