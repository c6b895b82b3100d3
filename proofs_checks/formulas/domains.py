"""The domain of a formula's variables: tests whether a point belongs to the domain, and yields its simple, extreme and
random points."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf, isfinite
from typing import Literal

import numpy as np

from dpbandits.proofs_checks.vocabularies.decimals import exact_as_printed, exact_fraction
from dpbandits.proofs_checks.vocabularies.rounded_doubles import double_above, double_below
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.claims.model import Domain, OneOf, Real, Whole

# Offsets from an end, as shares of a finite range or absolutely; the values that people try first.
RANGE_SHARES = (1e-12, 1e-6, 1e-3, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999, 1 - 1e-6, 1 - 1e-12)
EXTREME_VALUES = (1e-100, 1e-12, 1e-9, 1e-6, 1e-3, 0.01, 1e4, 1e6, 1e9, 1e12, 1e100)
FAMILIAR_VALUES = (0.0, 0.1, 0.2, 0.25, 0.5, 0.9, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 20.0, 50.0, 100.0, 1000.0)


@dataclass(frozen=True)
class Axis:
    """One numeric variable: a range of reals or integers, or a finite list of values.

    low, high: exact, or infinite floats. closed: whether finite ends belong to it, as in `Real`.
    """

    name: str
    low: Fraction | float
    high: Fraction | float
    closed: bool | Literal["left", "right"]
    whole: bool = False
    values: tuple[Fraction, ...] = ()

    @property
    def low_closed(self) -> bool:
        """Whether the lower end belongs to the range."""
        return self.closed in (True, "left")

    @property
    def high_closed(self) -> bool:
        """Whether the upper end belongs to the range."""
        return self.closed in (True, "right")

    @property
    def empty(self) -> bool:
        """Whether no number lies in the range."""
        return self.low > self.high or (self.low == self.high and self.closed is not True)

    def contains(self, value: Fraction) -> bool:
        """Whether the value belongs to the range."""
        if self.values:
            return value in self.values
        above = self.low <= value if self.low_closed else self.low < value
        below = value <= self.high if self.high_closed else value < self.high
        return bool(above and below) and (not self.whole or value.denominator == 1)

    @property
    def ends(self) -> tuple[float, float]:
        """The lower and the upper end of the variable's range as doubles, rounded outwards."""
        low = double_below(self.low) if isinstance(self.low, Fraction) else self.low
        return low, double_above(self.high) if isinstance(self.high, Fraction) else self.high

    def specials(self) -> Array:
        """The values of the variable that a search tries first: simple numbers, ends, and numbers close to ends."""
        if self.values:
            return np.array([float(value) for value in self.values])
        low, high = self.ends
        candidates = [*FAMILIAR_VALUES, *EXTREME_VALUES, *(-x for x in (*FAMILIAR_VALUES, *EXTREME_VALUES)), low, high]
        if isfinite(low) and isfinite(high):
            candidates += [low + (high - low) * share for share in RANGE_SHARES]
        elif isfinite(low):
            candidates += [low + x for x in (*FAMILIAR_VALUES, *EXTREME_VALUES)]
        elif isfinite(high):
            candidates += [high - x for x in (*FAMILIAR_VALUES, *EXTREME_VALUES)]
        if self.whole:
            candidates = [float(round(x)) for x in candidates if isfinite(x)]
        return np.array(sorted({x for x in candidates if isfinite(x) and self.holds(x)}))

    def holds(self, value: float) -> bool:
        """Whether the double, or the decimal that it is printed as, belongs to the range."""
        return self.contains(Fraction(value)) or self.contains(Fraction(repr(float(value))))

    def sample(self, rng: np.random.Generator, count: int) -> Array:
        """Pseudo-random values of the variable, (count,).
        A third on a linear scale, the rest on log scales from either end."""
        if self.values:
            return rng.choice(np.array([float(value) for value in self.values]), count)
        low, high = self.ends
        way, u = rng.integers(0, 6, count), rng.random(count)
        if isfinite(low) and isfinite(high):
            width = high - low
            close = width * 10.0 ** (-12 * u)
            out = np.where(way < 2, low + width * u, np.where(way < 4, low + close, high - close))
        else:
            modest = np.where(way < 2, 10 * u, 10.0 ** (24 * u - 12))
            far = np.where(way < 5, modest, 10.0 ** (600 * u - 300))
            if isfinite(low):
                out = low + far
            elif isfinite(high):
                out = high - far
            else:
                out = far * rng.choice([-1.0, 1.0], count)
        return self.clipped(np.floor(out) if self.whole else out)

    def moved(self, x: Array, rng: np.random.Generator, radius: float) -> Array:
        """Random values near x that belong to the range, by multiplicative or additive steps.
        Multiplicative steps start from either end."""
        if self.values:
            jump = rng.random(x.shape) < radius
            return np.where(jump, rng.choice(np.array([float(v) for v in self.values]), x.shape), x)
        low, high = self.ends
        step, way = radius * rng.standard_normal(x.shape), rng.integers(0, 3, x.shape)
        start = low if isfinite(low) else 0.0
        from_low = start + (x - start) * el.exp(step)
        from_high = high - (high - x) * el.exp(step) if isfinite(high) else from_low
        spread = high - low if isfinite(high - low) else np.maximum(np.abs(x), 1e-6)
        out = np.where(way == 0, x + step * spread, np.where(way == 1, from_low, from_high))
        out = np.where(rng.random(x.shape) < 0.3, x, out)  # so that some proposals move one variable only
        return self.clipped(np.asarray(np.round(out) if self.whole else out, dtype=float))

    def clipped(self, x: Array) -> Array:
        """The values x, moved into the range if rounding has put them on an excluded end or beyond an end."""
        low, high = self.ends
        # Of the double after an end, the decimal that it prints as may be the end itself: 0.1 is none of (0.1, 1).
        if not self.low_closed:
            low = float(np.nextafter(low, inf))
            low = low if not isfinite(low) or exact_as_printed(low) > self.low else float(np.nextafter(low, inf))
        if not self.high_closed:
            high = float(np.nextafter(high, -inf))
            high = high if not isfinite(high) or exact_as_printed(high) < self.high else float(np.nextafter(high, -inf))
        return np.asarray(np.clip(x, low, high), dtype=float)


def axes_of(domain: Domain) -> tuple[list[Axis], dict[str, tuple[object, ...]]]:
    """Splits a domain into its numeric variables (as axes) and the values of its other variables."""
    axes, others = [], {}
    for name, over in domain.items():
        if isinstance(over, Real):
            axes.append(Axis(name, exact_as_printed(over.low), exact_as_printed(over.high), over.closed))
        elif isinstance(over, Whole):
            axes.append(Axis(name, *integer_ends(name, over), True, whole=True))
        elif isinstance(over, OneOf):
            if not isinstance(over.values, Collection):
                raise ValueError(f"variable {name!r}: OneOf({over.values!r}) can be read only once; give a tuple")
            try:
                values = tuple(exact_as_printed(value) for value in over.values)
            except (TypeError, ValueError):
                others[name] = over.values
                continue
            finite = tuple(value for value in values if isinstance(value, Fraction))
            if len(finite) < len(values):
                raise ValueError(f"variable {name!r}: OneOf contains an infinite value; all values must be finite")
            low, high = (min(finite), max(finite)) if finite else (Fraction(1), Fraction(0))
            axes.append(Axis(name, low, high, True, values=finite))
        else:
            raise TypeError(f"variable {name!r}: the domain is {over!r}; it must be a Real, Whole or OneOf")
    return axes, others


def integer_ends(name: str, over: Whole) -> tuple[Fraction, Fraction | float]:
    """The ends of a range of integers. Raises ValueError if one is not an integer."""
    ends = over.low, inf if over.high is None else over.high
    low, high = (end if isinstance(end, float) and np.isinf(end) else exact_fraction(end) for end in ends)
    if isinstance(low, float) or low.denominator != 1 or (high != inf and Fraction(high).denominator != 1):
        raise ValueError(
            f"variable {name!r}: {over} must have integers as ends; write high=None if there is no upper end"
        )
    return low, high


def categorical_cases(others: Mapping[str, tuple[object, ...]]) -> Iterator[dict[str, object]]:
    """Yields every combination of values of the non-numeric variables, {name: value}.
    One empty combination if there are none."""
    for choice in product(*others.values()):
        yield dict(zip(others, choice, strict=True))
