"""The Thompson sampler that a certificate of an upper bound on eps is about, and the choices that make this bound
sharp."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple


class Rejected(Exception):
    """The ceiling is not proved; the message says where and why."""


class Sampler(NamedTuple):
    """Algorithms 1 and 2 of ou24. two: two arms, else any number of them. prepulls: b of every arm. variance: c."""

    horizon: int
    two: bool
    prepulls: int
    variance: Fraction

    @property
    def first(self) -> int:
        """The smallest number of pulls after which an arm's mean can contain the changed reward."""
        return max(self.prepulls, 1)

    @property
    def begin(self) -> int:
        """The number of pulls before the first round in which an arm's mean can differ between the two tables."""
        return max(2 * self.prepulls, 1)


class Choices(NamedTuple):
    """Numbers that make a bound sharp; the bound is valid for any choice. higher: the side where the changed arm pays
    more. ratio, below, above: of the grid. last: the pull count from which on further pulls count no more. width:
    between tangents. spans: (top, rows): rounds up to `top`, down to the next one's, with (from, to, drift) for each
    pull count; the last one given is used for all larger counts."""

    higher: str
    ratio: Fraction
    below: int
    above: int
    last: int
    width: int
    spans: tuple[tuple[int, tuple[tuple[int, int, Fraction], ...]], ...]
