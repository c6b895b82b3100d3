"""Traced noise: every draw keeps track of what is added to it, until the policy converts it to plain numbers.

A policy writes `centre + scale * noise.laplace(...)`. Here a draw is an array-like object that knows its centre and
scale. When the policy uses the noisy value on one side, the value is recorded; on the other side the same value is
returned, whatever its centre is. In this sense the releases are frozen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import ArrayLike, DTypeLike

from dpbandits.proofs_checks.alignment.forms import line_outside
from dpbandits.reference.bandits import passing
from dpbandits.reference.bandits.noise import ByKind, Flags, Noise, address, draw_of_kind

AUDIT_FOLDER = Path(__file__).parents[1]
OUR_FILES = (__file__, passing.__file__, np.__path__[0])  # which have no part in where a policy looks at a value
SHAPING = (
    np.broadcast_to,
    np.reshape,
    np.expand_dims,
    np.squeeze,
    np.transpose,
    np.take_along_axis,
    np.repeat,
    np.tile,
)
REDUCING = ("max", "min", "any", "all")  # of bare noise: the result is noise, of an unknown scale


class Unfrozen(Exception):
    """A use of a draw after which nothing can be followed."""


class Look(NamedTuple):
    """A noisy value that was converted to plain numbers. place: the line of the policy. scale: that of its noise, 0 for
    entries without noise. draws: of which draws each entry is made, see `Followed`. known: whether centre and scale are
    known; otherwise only the presence of noise is known."""

    place: str
    values: np.ndarray
    centre: np.ndarray
    scale: np.ndarray
    draws: np.ndarray
    known: bool


class Draw(NamedTuple):
    """A draw that the policy asked for."""

    kind: str
    site: str
    at: int
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Trace:
    """A record of one side's run: the draws of the policy, and its looks, the noisy values that it converted to plain
    numbers. due: the looks of the other side, whose values are returned; None on the first side. bare: the places at
    which a draw was converted to which no plain numbers had been added. moved: the places at which a changed reward
    changes a look, whose noise therefore protects this reward. chosen: the places at which a changed reward decides of
    which draws a look is made, or with which sign or scale. astray: the places at which the looks of the second side
    differ from those of the first."""

    due: list[Look] | None = None
    draws: list[Draw] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    bare: list[str] = field(default_factory=list)
    moved: set[str] = field(default_factory=set)
    chosen: list[str] = field(default_factory=list)
    astray: list[str] = field(default_factory=list)

    @property
    def lost(self) -> list[str]:
        """The places at which noise that protects no changed reward was converted to plain numbers.
        It may be a coin that hides a reward, so a difference in what is released afterwards is no fault."""
        apart = (each.place for each in self.looks if each.place not in self.moved and np.any(each.scale))
        return [*dict.fromkeys([*self.bare, *self.chosen, *apart])]

    def to_plain_numbers(self, seen: Followed) -> np.ndarray:
        """Converts a noisy value to plain numbers, and records this.
        On the second side, the numbers recorded on the first side are returned if the value has noise on both sides."""
        place, values = caller(), seen.values
        if not seen.mixed:
            self.bare.append(place)
        here = Look(place, values, seen.centre, seen.scale, seen.draws, seen.known)
        self.looks.append(here)
        if self.due is None or self.astray:
            return values
        there = self.due[len(self.looks) - 1] if len(self.looks) <= len(self.due) else None
        if there is None or there.place != place or np.shape(there.values) != np.shape(values):
            self.astray.append(place)
            return values
        noisy = (there.scale != 0) & (seen.scale != 0)
        apart = noisy & ~same_numbers(values, there.values)
        added = (seen.draws == there.draws) & ~(seen.known & there.known & same_numbers(seen.centre, there.centre))
        if (apart & added).any():
            self.moved.add(place)
        if (apart & ~added).any():
            self.chosen.append(place)
        return np.where(noisy, there.values, values)


def same_numbers(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Whether the entries of two arrays are equal; nan equals nan."""
    return np.asarray((left == right) | ((left != left) & (right != right)))


def caller() -> str:
    """Returns the file and line of the policy's code that is being executed, such as "folder/mine.py:12"."""
    place = line_outside(OUR_FILES)
    return f"{place[0]}:{place[1]}" if place is not None else "?"


@dataclass(frozen=True)
class TracedNoise(ByKind):
    """A noise whose draws are traced: a trace records each draw and each conversion to plain numbers."""

    noise: Noise
    trace: Trace

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Any:
        """Draws noise, records the draw, and returns it with centre 0 and scale 1."""
        self.trace.draws.append(Draw(kind, site, int(index), tuple(shape)))
        draw = draw_of_kind(self.noise, kind, site, index, shape, where)
        names = np.random.default_rng(address(kind, site, int(index), *shape))  # the same on both sides
        draws = names.integers(2**64, size=draw.shape, dtype=np.uint64)
        return Followed(self.trace, draw, np.zeros(draw.shape), np.ones(draw.shape), draws)


Operand = Union["Followed", ArrayLike]


class Followed(NDArrayOperatorsMixin):
    """A traced noisy value, an array centre + scale * z with noise z. draws: for each entry, the sum of the names of
    its draws with their signs, where names are random 64-bit numbers; so entries of the same draws have the same sum.
    mixed: whether plain numbers were added to the noise, or chosen by it. known: whether centre and scale are known, as
    in `Look`."""

    def __init__(
        self,
        trace: Trace,
        values: ArrayLike,
        centre: ArrayLike,
        scale: ArrayLike,
        draws: ArrayLike,
        mixed: bool = False,
        known: bool = True,
    ) -> None:
        """Stores a traced value: values = centre + scale * noise, entry by entry.
        draws: the names of the draws. mixed: whether the noise was combined with other values. known: whether the scale
        is known. Centre, scale and draws may be numbers or arrays."""
        self.trace, self.values, self.mixed, self.known = trace, np.asarray(values), mixed, known
        self.centre, self.scale, self.draws = (
            np.broadcast_to(each, self.values.shape) for each in (centre, scale, draws)
        )

    def rearranged(self, make: Callable[[np.ndarray], np.ndarray]) -> Followed:
        """Applies `make`, which reshapes or selects entries, to a traced value together with its centre, scale and
        draws."""
        values, centre, scale, draws = (make(each) for each in (self.values, self.centre, self.scale, self.draws))
        return Followed(self.trace, values, centre, scale, draws, self.mixed, self.known)

    def with_unknown_scale(self, values: ArrayLike, draws: ArrayLike, mixed: bool) -> Followed:
        """Returns the result of a computation with this value after which the noise's scale is unknown.
        draws: the names of the draws in the result."""
        noisy = np.broadcast_to(np.asarray(self.scale != 0).any(), np.shape(values)).astype(float)
        same = np.shape(values) == np.shape(self.values)
        return Followed(
            self.trace, values, values, (self.scale != 0) * 1.0 if same else noisy, draws, self.mixed or mixed, False
        )

    def reduced(self, name: str, *given: Any, **named: Any) -> Followed:
        """The result of a method of arrays such as "max", whose first argument is the axis.
        All draws along this axis are in it."""
        shaped = {key: each for key, each in named.items() if key in ("axis", "keepdims")}
        draws = self.draws.sum(*given[:1], **shaped)
        return self.with_unknown_scale(getattr(self.values, name)(*given, **named), draws, False)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the traced array."""
        return self.values.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions of the traced array."""
        return self.values.ndim

    @property
    def size(self) -> int:
        """The number of entries of the traced array."""
        return self.values.size

    @property
    def dtype(self) -> np.dtype:
        """The type of the entries of the traced array."""
        return self.values.dtype

    @property
    def T(self) -> Followed:
        """The transposed array, still traced."""
        return self.rearranged(np.transpose)

    def __len__(self) -> int:
        """The length of the first axis of the traced array."""
        return len(self.values)

    def __getitem__(self, key: Any) -> Followed:
        """The selected entries, still traced."""
        return self.rearranged(lambda each: each[key])

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        """The values as a plain array; the conversion is recorded as a look at noisy values."""
        return np.asarray(self.trace.to_plain_numbers(self), dtype=dtype)

    def __int__(self) -> int:
        """Raises Unfrozen, because later draws may depend on an integer made from a noise draw, such as a seed."""
        line = Path(caller())
        if line.is_relative_to(AUDIT_FOLDER):  # which seeds the generator of an object, a loop or a program
            raise Unfrozen("the policy draws from a generator of its own, so its draws cannot be repeated")
        raise Unfrozen(
            f"{line.name} converts a noise draw to an integer, for example to a seed, and later draws may depend on "
            "this integer"
        )

    def __float__(self) -> float:
        """The value as a plain number; the conversion is recorded as a look at a noisy value."""
        return float(self.trace.to_plain_numbers(self))

    def __bool__(self) -> bool:
        """Whether the value is not 0; the test is recorded as a look at a noisy value."""
        return bool(self.trace.to_plain_numbers(self))

    def __getattr__(self, name: str) -> Any:
        """Returns an attribute of the array: results of reshaping and sums keep their centre and scale.
        All other attributes are those of the plain numbers."""
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("reshape", "squeeze", "transpose", "copy", "repeat", "ravel", "flatten"):
            return lambda *given, **named: self.rearranged(lambda each: getattr(each, name)(*given, **named))
        if name == "astype":
            return lambda kind, **named: (
                self.with_unknown_scale(self.values.astype(kind), self.draws, False) if self.dtype != kind else self
            )
        if name in ("sum", "cumsum"):
            return lambda *given, **named: added_up(self, name, *given, **named)
        if name in REDUCING and not self.mixed:
            return lambda *given, **named: self.reduced(name, *given, **named)
        return getattr(self.trace.to_plain_numbers(self), name)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *given: Any, **named: Any) -> Any:
        """Applies a numpy function of single entries: sums and products keep their centre and scale.
        After other functions the scale is unknown, or the values are converted to plain numbers."""
        if method == "__call__" and [*named] == ["out"]:  # in place
            made, (out,) = ufunc(*given), named["out"]
            if isinstance(out, Followed):
                return made
            out[...] = made
            return out
        if method != "__call__" or named:
            return call_with_plain_numbers(getattr(ufunc, method), given, named)
        if ufunc is np.negative:
            return Followed(self.trace, -self.values, -self.centre, self.scale, -self.draws, self.mixed, self.known)
        if ufunc in (np.add, np.subtract):
            return sum_of(self.trace, ufunc, *given)
        followed = [each for each in given if isinstance(each, Followed)]
        if ufunc is np.multiply or (ufunc is np.divide and not isinstance(given[1], Followed)):
            return scaled_by(self.trace, ufunc, *given)
        if any(each.mixed and each.dtype != bool for each in followed):
            return call_with_plain_numbers(ufunc, given, named)
        chosen = any(np.ndim(each) for each in given if not isinstance(each, Followed)) or len(followed) > 1
        values = ufunc(*(each.values if isinstance(each, Followed) else each for each in given))
        return self.with_unknown_scale(values, sum_of_draws(*followed), chosen)

    def __array_function__(
        self, function: Callable[..., Any], types: object, given: Sequence[Any], named: Mapping[str, Any]
    ) -> Any:
        """Applies a numpy function of whole arrays: reshaping, selections and sums stay traced.
        Other functions get plain numbers."""
        if function is np.where and len(given) == 3:
            return chosen_by(self.trace, *given)
        if (
            function in SHAPING
            and isinstance(given[0], Followed)
            and not any(isinstance(each, Followed) for each in given[1:])
        ):
            return given[0].rearranged(lambda each: function(each, *given[1:], **named))
        if function in (np.sum, np.cumsum) and isinstance(given[0], Followed):
            return added_up(given[0], function.__name__, *given[1:], **named)
        if function in (np.zeros_like, np.ones_like, np.full_like, np.empty_like, np.shape, np.ndim, np.size):
            return function(given[0].values, *given[1:], **named)
        if isinstance(given[0], Followed) and not given[0].mixed and function in (np.max, np.min, np.any, np.all):
            return given[0].reduced(function.__name__, *given[1:], **named)
        return call_with_plain_numbers(function, given, named)


def call_with_plain_numbers(
    function: Callable[..., Any], arguments: Sequence[object], named: Mapping[str, object]
) -> Any:
    """Calls the function with plain numbers.
    Every traced value among the arguments is converted, and the conversion is recorded."""

    def plain(each: object) -> object:
        """Returns the argument with all traced values in it converted to plain numbers."""
        if isinstance(each, Followed):
            return each.trace.to_plain_numbers(each)
        return type(each)(plain(one) for one in each) if isinstance(each, list | tuple) else each

    return function(*(plain(each) for each in arguments), **{name: plain(each) for name, each in named.items()})


class Parts(NamedTuple):
    """The attributes of a traced value, see `Followed`."""

    values: np.ndarray
    centre: np.ndarray
    scale: np.ndarray
    draws: np.ndarray
    mixed: bool
    known: bool


def parts(value: Operand) -> Parts:
    """Returns the parts of a traced value. A plain number is its own centre, with scale 0 and no draws."""
    if isinstance(value, Followed):
        return Parts(value.values, value.centre, value.scale, value.draws, value.mixed, value.known)
    plain = np.asarray(value)
    return Parts(plain, plain, np.zeros(()), np.zeros((), dtype=np.uint64), True, True)


def sum_of_draws(*followed: Followed) -> np.ndarray:
    """The names of all draws in several traced values, entry by entry."""
    return np.asarray(sum((each.draws for each in followed), np.zeros((), dtype=np.uint64)))


def sum_of(trace: Trace, ufunc: np.ufunc, a: Operand, b: Operand) -> Followed:
    """Returns the sum or difference of two values, with its centre and scale.
    If both have noise, the squares of their scales add up."""
    left, right = parts(a), parts(b)
    both = np.hypot(left.scale, right.scale)
    scale = np.where(right.scale == 0, left.scale, np.where(left.scale == 0, right.scale, both))
    draws = ufunc(left.draws * (left.scale != 0), right.draws * (right.scale != 0))
    values, centre = ufunc(left.values, right.values), ufunc(left.centre, right.centre)
    return Followed(trace, values, centre, scale, draws, left.mixed or right.mixed, left.known and right.known)


def scaled_by(trace: Trace, ufunc: np.ufunc, a: Operand, b: Operand) -> Followed:
    """Returns the product or quotient of two values, at least one of them traced, with its centre and scale.
    If both are traced, a boolean one acts as a mask for the other."""
    left, right = parts(a), parts(b)
    if isinstance(a, Followed) and isinstance(b, Followed):
        coin, noise = (a, b) if a.values.dtype == bool else (b, a)
        kept = np.asarray(coin.values) if coin.values.dtype == bool else 1.0
        centre, scale = kept * noise.centre, np.abs(kept * noise.scale)
        return Followed(trace, left.values * right.values, centre, scale, sum_of_draws(a, b), noise.mixed, noise.known)
    followed, plain = (a, right.values) if isinstance(a, Followed) else (b, left.values)
    assert isinstance(followed, Followed)
    if followed.values.dtype == bool:  # a coin that keeps a value, or not
        values = ufunc(left.values, right.values)
        return followed.with_unknown_scale(values, followed.draws, True)
    return Followed(
        trace,
        ufunc(left.values, right.values),
        ufunc(followed.centre, plain),
        np.abs(ufunc(followed.scale, plain)),
        np.where(plain < 0, -followed.draws, followed.draws),
        followed.mixed,
        followed.known,
    )


def chosen_by(trace: Trace, mask: Operand, left_value: Operand, right_value: Operand) -> Followed:
    """Computes np.where with a centre and scale for each entry.
    If the mask itself is noisy, the whole result counts as noise."""
    left, right = parts(left_value), parts(right_value)
    if isinstance(mask, Followed):
        values: np.ndarray = np.where(mask.values, left.values, right.values)
        draws = mask.draws + left.draws + right.draws
        return Followed(trace, values, values, np.ones(values.shape), draws, True, False)
    values, centre, scale, draws = (np.where(mask, *each) for each in zip(left[:4], right[:4], strict=True))
    both = [each for each in (left_value, right_value) if isinstance(each, Followed)]
    mixed = any(each.mixed for each in both) or (len(both) == 1 and bool((scale == 0).any()))
    return Followed(trace, values, centre, scale, draws, mixed, left.known and right.known)


def added_up(seen: Followed, name: str, *given: Any, **named: Any) -> Followed:
    """Computes np.sum or np.cumsum of a traced value, with the centre and scale of the result.
    name: "sum" or "cumsum"."""
    add = getattr(np, name)
    squares = add(np.square(np.broadcast_to(seen.scale, seen.shape)), *given, **named)
    values, centre = add(seen.values, *given, **named), add(np.asarray(seen.centre, dtype=float), *given, **named)
    draws = add(seen.draws * (seen.scale != 0), *given, **named)
    return Followed(seen.trace, values, centre, np.sqrt(squares), draws, seen.mixed, seen.known)
