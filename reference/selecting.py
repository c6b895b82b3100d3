"""How a release follows from noise: what a policy says of a step that keeps some arms, for whoever writes it down."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple, Protocol, runtime_checkable


class Selecting(NamedTuple):
    """One step of one run: of these arms, those are kept whose noisy centres are within a width of the largest, or the
    top few; the release pulls who is kept, and nobody else.

    The centre of an arm is the sum of so many of its latest rewards, those beyond `bound` counted as 0, over its
    divisor. noise: "laplace" or "gaussian", independent, of these scales. rule: "within" or "top"; size: the width, or
    how many are kept.
    """

    noise: str
    rule: str
    size: float
    arms: tuple[int, ...]
    latest: tuple[int, ...]
    divisors: tuple[float, ...]
    scales: tuple[float, ...]
    bound: float = inf


@runtime_checkable
class Selects(Protocol):
    """A policy that says how noise selects what it releases: selecting(t, state), for a state of one trial; None where
    the release of step t is certain. It hangs on the pulls so far alone, not on what they paid."""

    def selecting(self, t: int, state: Any) -> Selecting | None: ...
