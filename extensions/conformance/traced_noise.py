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
from dpbandits.reference.bandits.noise import ByKind, Flags, Noise, draw_of_kind

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
    entries without noise. known: whether centre and scale are known; otherwise only the presence of noise is known."""

    place: str
    values: np.ndarray
    centre: np.ndarray
    scale: np.ndarray
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
    changes a look. astray: the places at which the looks of the second side differ from those of the first."""

    due: list[Look] | None = None
    draws: list[Draw] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    bare: list[str] = field(default_factory=list)
    moved: set[str] = field(default_factory=set)
    astray: list[str] = field(default_factory=list)

    @property
    def lost(self) -> list[str]:
        """The places at which noise that protects no changed reward was converted to plain numbers.
        It may be a coin that hides a reward, so a difference in what is released afterwards is no fault."""
        apart = (each.place for each in self.looks if each.place not in self.moved and np.any(each.scale))
        return [*dict.fromkeys([*self.bare, *apart])]

    def to_plain_numbers(self, seen: Followed) -> np.ndarray:
        """Converts a noisy value to plain numbers, and records this.
        On the second side, the numbers recorded on the first side are returned if the value has noise on both sides."""
        place, values = caller(), seen.values
        if not seen.mixed:
            self.bare.append(place)
        here = Look(place, values, seen.centre, seen.scale, seen.known)
        self.looks.append(here)
        if self.due is None or self.astray:
            return values
        there = self.due[len(self.looks) - 1] if len(self.looks) <= len(self.due) else None
        if there is None or there.place != place or np.shape(there.values) != np.shape(values):
            self.astray.append(place)
            return values
        if not np.array_equal(values, there.values, equal_nan=values.dtype.kind in "fc"):
            self.moved.add(place)
        return np.where((np.asarray(there.scale) != 0) & (np.asarray(seen.scale) != 0), there.values, values)


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
        return Followed(self.trace, draw, np.zeros(draw.shape), np.ones(draw.shape))


Operand = Union["Followed", ArrayLike]


class Followed(NDArrayOperatorsMixin):
    """A traced noisy value, an array centre + scale * z with noise z. mixed: whether plain numbers were added to the
    noise, or chosen by it. known: whether centre and scale are known, as in `Look`."""

    def __init__(
        self,
        trace: Trace,
        values: ArrayLike,
        centre: ArrayLike,
        scale: ArrayLike,
        mixed: bool = False,
        known: bool = True,
    ) -> None:
        """Stores a traced value: values = centre + scale * noise, entry by entry.
        mixed: whether the noise was combined with other values. known: whether the scale is known.
        Centre and scale may be numbers or arrays."""
        self.trace, self.values, self.mixed, self.known = trace, np.asarray(values), mixed, known
        self.centre, self.scale = (np.broadcast_to(each, self.values.shape) for each in (centre, scale))

    def rearranged(self, make: Callable[[np.ndarray], np.ndarray]) -> Followed:
        """Applies `make`, which reshapes or selects entries, to a traced value together with its centre and scale."""
        return Followed(self.trace, make(self.values), make(self.centre), make(self.scale), self.mixed, self.known)

    def with_unknown_scale(self, values: ArrayLike, mixed: bool) -> Followed:
        """Returns the result of a computation with this value after which the noise's scale is unknown."""
        noisy = np.broadcast_to(np.asarray(self.scale != 0).any(), np.shape(values)).astype(float)
        same = np.shape(values) == np.shape(self.values)
        return Followed(
            self.trace, values, values, (self.scale != 0) * 1.0 if same else noisy, self.mixed or mixed, False
        )

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
        maker = "dpbandits" if line.is_relative_to(AUDIT_FOLDER) else line.name  # for an object that has its own draws
        raise Unfrozen(
            f"{maker} converts a noise draw to an integer, for example to a seed, and later draws may depend on this "
            "integer"
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
                self.with_unknown_scale(self.values.astype(kind), False) if self.dtype != kind else self
            )
        if name in ("sum", "cumsum"):
            return lambda *given, **named: added_up(self, name, *given, **named)
        if name in REDUCING and not self.mixed:
            return lambda *given, **named: self.with_unknown_scale(getattr(self.values, name)(*given, **named), False)
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
            return Followed(self.trace, -self.values, -self.centre, self.scale, self.mixed, self.known)
        if ufunc in (np.add, np.subtract):
            return sum_of(self.trace, ufunc, *given)
        followed = [each for each in given if isinstance(each, Followed)]
        if ufunc is np.multiply or (ufunc is np.divide and followed == [given[0]]):
            return scaled_by(self.trace, ufunc, *given)
        if any(each.mixed and each.dtype != bool for each in followed):
            return call_with_plain_numbers(ufunc, given, named)
        chosen = any(np.ndim(each) for each in given if not isinstance(each, Followed)) or len(followed) > 1
        values = ufunc(*(each.values if isinstance(each, Followed) else each for each in given))
        return self.with_unknown_scale(values, chosen)

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
            return getattr(given[0], function.__name__)(*given[1:], **named)
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


def parts(value: Operand) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool, bool]:
    """Returns (values, centre, scale, mixed, known) of a traced value.
    A plain number is its own centre, with scale 0."""
    if isinstance(value, Followed):
        return value.values, value.centre, value.scale, value.mixed, value.known
    plain = np.asarray(value)
    return plain, plain, np.zeros(()), True, True


def sum_of(trace: Trace, ufunc: np.ufunc, a: Operand, b: Operand) -> Followed:
    """Returns the sum or difference of two values, with its centre and scale.
    If both have noise, the squares of their scales add up."""
    left, right = parts(a), parts(b)
    scale = np.where(
        np.asarray(right[2]) == 0, left[2], np.where(np.asarray(left[2]) == 0, right[2], np.hypot(left[2], right[2]))
    )
    return Followed(
        trace, ufunc(left[0], right[0]), ufunc(left[1], right[1]), scale, left[3] or right[3], left[4] and right[4]
    )


def scaled_by(trace: Trace, ufunc: np.ufunc, a: Operand, b: Operand) -> Followed:
    """Returns the product or quotient of two values, at least one of them traced, with its centre and scale.
    If both are traced, a boolean one acts as a mask for the other."""
    left, right = parts(a), parts(b)
    if isinstance(a, Followed) and isinstance(b, Followed):
        coin, noise = (a, b) if a.values.dtype == bool else (b, a)
        kept = np.asarray(coin.values) if coin.values.dtype == bool else 1.0
        return Followed(
            trace, left[0] * right[0], kept * noise.centre, np.abs(kept * noise.scale), noise.mixed, noise.known
        )
    followed, plain = (a, right[0]) if isinstance(a, Followed) else (b, left[0])
    assert isinstance(followed, Followed)
    if followed.values.dtype == bool:  # a coin that keeps a value, or not
        return followed.with_unknown_scale(ufunc(left[0], right[0]), True)
    return Followed(
        trace,
        ufunc(left[0], right[0]),
        ufunc(followed.centre, plain),
        np.abs(ufunc(followed.scale, plain)),
        followed.mixed,
        followed.known,
    )


def chosen_by(trace: Trace, mask: Operand, left_value: Operand, right_value: Operand) -> Followed:
    """Computes np.where with a centre and scale for each entry.
    If the mask itself is noisy, the whole result counts as noise."""
    left, right = parts(left_value), parts(right_value)
    if isinstance(mask, Followed):
        values: np.ndarray = np.where(mask.values, left[0], right[0])
        return Followed(trace, values, values, np.ones(values.shape), True, False)
    values, centre, scale = (np.where(mask, left[k], right[k]) for k in range(3))
    both = [each for each in (left_value, right_value) if isinstance(each, Followed)]
    mixed = any(each.mixed for each in both) or (len(both) == 1 and bool((scale == 0).any()))
    return Followed(trace, values, centre, scale, mixed, left[4] and right[4])


def added_up(seen: Followed, name: str, *given: Any, **named: Any) -> Followed:
    """Computes np.sum or np.cumsum of a traced value, with the centre and scale of the result.
    name: "sum" or "cumsum"."""
    add = getattr(np, name)
    squares = add(np.square(np.broadcast_to(seen.scale, seen.shape)), *given, **named)
    values, centre = add(seen.values, *given, **named), add(np.asarray(seen.centre, dtype=float), *given, **named)
    return Followed(seen.trace, values, centre, np.sqrt(squares), seen.mixed, seen.known)
