"""The sampler that a ceiling is about, and the choices that make the bound sharp."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple


class Rejected(Exception):
    """The ceiling is not shown; the message says where and why."""


class Sampler(NamedTuple):
    """Algorithms 1 and 2 of ou24. two: two arms, else any number of them. prepulls: b of every arm. variance: c."""

    horizon: int
    two: bool
    prepulls: int
    variance: Fraction

    @property
    def first(self) -> int:
        """The smallest pull count with a changed reward in the mean."""
        return max(self.prepulls, 1)

    @property
    def begin(self) -> int:
        """The pulls before the first round in which an arm's mean can differ."""
        return max(2 * self.prepulls, 1)


class Choices(NamedTuple):
    """What makes a bound sharp, and may be anything. higher: the side where the changed arm pays more. ratio, below,
    above: of the grid. last: from this pull count on, a further pull counts no more. width: between tangents. spans:
    (top, rows): rounds up to `top`, down to the next one's, with (from, to, drift) for each pull count; the last one
    given serves for all beyond."""

    higher: str
    ratio: Fraction
    below: int
    above: int
    last: int
    width: int
    spans: tuple[tuple[int, tuple[tuple[int, int, Fraction], ...]], ...]
