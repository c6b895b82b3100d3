"""Noise that does not depend on the order of calls. Each draw is a function of its address (seed, block, user of the
noise, kind, site, index, shape).

A policy requests *standard* draws at a named site and multiplies them by the scale itself, so that the scale is visible
in the policy. The first k trials of a large batch see the draws of a batch of k trials, and batches with a different
`block` see different draws: so results do not depend on batch sizes or on the number of workers.
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
    """The source of randomness of a policy; every method returns an array of shape (trials, *shape).

    site: a text, the name of the place in the policy. index: an integer, such as the step. Each address (site, index)
    may be used for one draw in a step. All draws have a standard distribution, and the policy multiplies them by its
    scale.
    """

    def normal(self, site: str, index: int, shape: tuple[int, ...] = (), where: bool | Flags = True) -> Array:
        """Normal draws of mean 0 and variance 1.
        where: booleans that broadcast to (trials, *shape), the numbers that are needed; the others are not drawn, and
        are 0."""
        ...

    def laplace(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        """Laplace draws with mean 0 and scale 1, hence variance 2."""
        ...

    def uniform(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        """Uniform draws in [0, 1)."""
        ...


class ByKind:
    """The methods of a noise, each implemented by one method of the subclass: `draw`, with the name of the kind."""

    def normal(self, site: str, index: int, shape: tuple[int, ...] = (), where: bool | Flags = True) -> Array:
        """Normal draws, made by the subclass's method `draw`."""
        return self.draw("normal", site, index, shape, where)

    def laplace(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        """Laplace draws, made by the subclass's method `draw`."""
        return self.draw("laplace", site, index, shape)

    def uniform(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        """Uniform draws, made by the subclass's method `draw`."""
        return self.draw("uniform", site, index, shape)

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Array:
        """Draws of any kind; subclasses define it."""
        raise NotImplementedError


def draw_of_kind(
    noise: Noise, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True
) -> Array:
    """The draws of a noise, made by its method `kind` ("normal", "laplace" or "uniform")."""
    drawn: Array = getattr(noise, kind)(site, index, shape, *(() if where is True else (where,)))
    return drawn


def digest(text: str, size: int) -> bytes:
    """A BLAKE2b hash of the text, of `size` bytes."""
    return blake2b(text.encode(), digest_size=size).digest()


def digests(before: str, numbers: Iterable[int], after: str, size: int) -> bytes:
    """The hash digests of the texts before + number + after, one after another, for all `numbers`."""
    begun, end, found = blake2b(before.encode(), digest_size=size), after.encode(), []
    for number in numbers:
        one = begun.copy()
        one.update(b"%d%b" % (number, end))
        found.append(one.digest())
    return b"".join(found)


def encoded(part: object) -> str:
    """An injective encoding of an address as text.
    Texts carry their length, so that none contains a separator, and 1 differs from "1". numpy's integers count as
    integers. Raises TypeError for anything other than a text, number or tuple."""
    if isinstance(part, str):
        return f"{len(part)}:{part}"
    if isinstance(part, int | np.integer):
        return f"i{int(part)}"
    if isinstance(part, tuple):
        return f"({','.join([encoded(each) for each in part])})"
    if isinstance(part, float):
        return f"f{float(part)!r}"
    raise TypeError(
        f"{part!r} cannot be part of the address of a draw; use strings, integers, floats, and tuples of these"
    )


def address(*parts: object) -> int:
    """address(part, ...): a 64-bit hash of its arguments, equal on every machine and in every process, to derive seeds.
    It derives a seed from a seed and names."""
    return int.from_bytes(digest(encoded(parts), 8), "little")


class Address(ISeedSequence):
    """The start of a stream: its state is the hash of its address, an encoded tuple, so that no state has to be mixed
    twice."""

    def __init__(self, text: str) -> None:
        """Stores the address of a random stream, from whose hash its generator starts."""
        self.text = text

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        """The initial state of a generator: a hash of the address."""
        word = np.dtype(dtype).newbyteorder("<")
        return np.frombuffer(digest(self.text, n_words * word.itemsize), dtype=word)


@dataclass(frozen=True)
class Seeded:
    """Draws from numpy's SFC64 generator, which is seeded with a hash of the address for every draw. Draws are
    read-only.

    seed: any integer. trials: the batch size. block: the number of the batch. space: the user of the noise. The address
    of a draw also contains its kind, site, index and shape: draws with different addresses are independent, and draws
    with equal addresses are equal.
    """

    seed: int
    trials: int
    block: int = 0
    space: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raises ValueError unless the number of trials is an integer from 0 to LARGEST_BATCH."""
        checks.checked_integer(self.trials, "noise: trials", 0, LARGEST_BATCH)

    @cached_property
    def prefix(self) -> str:
        """The common beginning of all addresses of this noise, as text."""
        return encoded((self.seed, self.block, self.space))

    def stream(self, kind: str, site: str, index: int, shape: tuple[int, ...] = ()) -> Generator:
        """The random stream at one address, as a numpy Generator.
        Its state is a hash of 192 bits and a counter, so that among n streams of length m any two overlap with
        probability below n**2 m/2**192."""
        start: Any = self.start(kind, site, index, shape)  # numpy's stubs know only its own seed sequence
        return Generator(SFC64(start))

    def start(self, kind: str, site: str, index: int, shape: tuple[int, ...] = ()) -> Address:
        """The initial state of the stream at one address, as a seed sequence for numpy's bit generator."""
        before, after = self.around_index(kind, site, shape)
        return Address(f"{before}{whole(index)}{after}")

    def around_index(self, kind: str, site: str, shape: tuple[int, ...]) -> tuple[str, str]:
        """The text of an address before its index, and the text after it."""
        return f"({self.prefix},{kind},{len(site)}:{site},i", f",{'x'.join(map(str, shape))})"

    def generator(self, site: str, index: int) -> Generator:
        """A numpy Generator at this address, for distributions other than normal, Laplace and uniform."""
        return self.stream("generator", site, index)

    def normal(self, site: str, index: int, shape: tuple[int, ...] = (), where: bool | Flags = True) -> Array:
        """Normal draws of the stream at this address; 0 where `where` is false."""
        if np.all(where):
            return frozen(self.stream("normal", site, index, shape).standard_normal((self.trials, *shape)))
        drawn = np.zeros((self.trials, *shape))
        places = np.flatnonzero(np.broadcast_to(where, drawn.shape))
        if len(places):
            drawn.reshape(-1)[places] = self.stream("normal", site, index, shape).standard_normal(len(places))
        return frozen(drawn)

    def laplace(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        """Laplace draws of the stream at this address."""
        return frozen(self.stream("laplace", site, index, shape).laplace(size=(self.trials, *shape)))

    def uniform(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        """Uniform draws of the stream at this address."""
        return frozen(self.stream("uniform", site, index, shape).random((self.trials, *shape)))


def frozen(values: NDArray[ScalarType]) -> NDArray[ScalarType]:
    """Makes an array read-only, and returns it."""
    values.flags.writeable = False
    return values


# -- who draws, and how often --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Within(ByKind):
    """Another noise with sites of its own: "space: site"."""

    noise: Noise
    space: str

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Array:
        """The draws of the wrapped noise, at a site whose name begins with this space."""
        return draw_of_kind(self.noise, kind, f"{self.space}: {site}", index, shape, where)


def separate_noise(noise: Noise, space: str) -> Noise:
    """Noise that is independent of `noise`, even at sites with equal names. space: the name of its user.
    A `Recorder` or a `Tape`, which know no spaces, use the site "space: site", which nothing else may use."""
    if isinstance(noise, Seeded):
        return replace(noise, space=(*noise.space, space))
    return Within(noise, space)


def unknown_draw_message(name: str) -> str:
    """The error message for a draw of a kind that noise does not have."""
    return (
        f"the noise of a policy has no method {name}; it has normal, laplace and uniform, each with "
        "arguments (site, index, shape). Compute other distributions from a uniform draw, by the quantile "
        "function"
    )


@dataclass(frozen=True)
class Once(ByKind):
    """The noise of one step of a policy. Every address is drawn only once, because a second draw would repeat the
    first, although the policy probably wants a new one.

    A policy that needs the same draw again (for example in `learn`, a sample that `act` took) calls `again(noise)`.
    trials: of the run. step: for the error messages. Raises ValueError for a second draw, and for draws for another
    number of trials.
    """

    noise: Noise
    trials: int
    step: int
    drawn: dict[tuple[str, int], tuple[str, tuple[int, ...], Array]] = field(default_factory=dict, repr=False)

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Array:
        """The draw at this address of the wrapped noise, recorded so that it cannot be drawn twice.
        Raises ValueError if the step has drawn at this address before."""
        if (site, index) in self.drawn:
            before, size, _ = self.drawn[site, index]
            raise ValueError(
                f"step {self.step}: the draw at site {site!r}, index {index} was requested twice ({kind} {shape}, "
                f"after {before} {size}), but each address can be used for only one draw. Draw all values at once with "
                "a shape such as (arms,), or use a different site in each turn of a loop. To read the same values "
                "again, use again(noise) of dpbandits"
            )
        if where is not True:
            where = self.needed(f"{kind}({site!r}, {index!r}, {shape!r})", shape, where)
        try:
            draw = draw_of_kind(self.noise, kind, site, index, shape, where)
        except TypeError as error:
            raise TypeError(
                f"step {self.step}: {kind}({site!r}, {index!r}, {shape!r}): {error}; a draw needs a site (a "
                f"string), an index (an integer) and a shape (a tuple), for example noise.{kind}('sample', "
                "t, (arms,))"
            ) from error
        if draw.shape != (self.trials, *shape):
            raise ValueError(
                f"step {self.step}: the noise returned an array of shape {draw.shape} for site {site!r}, "
                f"index {index}; expected {(self.trials, *shape)} = (trials, *shape). Give the noise as many "
                "trials as the run"
            )
        self.drawn[site, index] = kind, shape, draw
        return draw

    def needed(self, request: str, shape: tuple[int, ...], where: Any) -> Flags:
        """`where` as an array of shape (trials, *shape). Raises ValueError if it does not broadcast to this shape.
        request: the draw, for the error message."""
        try:
            return np.broadcast_to(np.asarray(where, dtype=bool), (self.trials, *shape))
        except ValueError:
            raise ValueError(
                f"step {self.step}: {request}: the argument `where` has the shape {np.shape(where)}; it must "
                f"broadcast to {(self.trials, *shape)} = (trials, *shape). Give a flag of each trial as flag[:, None]"
            ) from None

    def __getattr__(self, name: str) -> Any:
        """Raises AttributeError for a kind of draw that does not exist."""
        raise AttributeError(unknown_draw_message(name))

    def fork(self) -> Once:
        """A copy of this noise with its own record of draws, for one of several continuations of a run."""
        return replace(self, drawn=dict(self.drawn))


@dataclass(frozen=True)
class Again(ByKind):
    """The draws made in this step at their addresses, and which are still missing."""

    once: Once

    def __getattr__(self, name: str) -> Any:
        """Raises AttributeError for a kind of draw that does not exist."""
        raise AttributeError(unknown_draw_message(name))

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Array:
        """The recorded draw at this address, or a new draw, which is recorded, if there is none.
        Raises ValueError if the recorded draw has another kind or shape."""
        if (site, index) not in self.once.drawn:
            return self.once.draw(kind, site, index, shape, where)
        before, size, draw = self.once.drawn[site, index]
        if (before, size) != (kind, shape):
            raise ValueError(
                f"step {self.once.step}: again(noise) requests site {site!r}, index {index} as {kind} "
                f"{shape}, but it was drawn as {before} {size}; request the same kind and shape"
            )
        return draw


def again(noise: Noise) -> Noise:
    """Noise that repeats the draws which the current step has made.
    `again(noise).normal(site, index, shape)` is the draw that the step has already made there. (Outside a run, noise
    may be drawn repeatedly anyway.)"""
    return Again(noise) if isinstance(noise, Once) else noise
