"""Declarations of noisy values that a policy releases or that a proof considers: their kind, centres and scales, and
how far the centres move between neighbours."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.environments import Table
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Policy

NOISE_KINDS = ("normal", "laplace")


class Undeclared(ValueError):
    """What a policy does otherwise than it declares, in a sentence: the declaration is refuted."""


class Unheard(ValueError):
    """Why the values cannot be read off the noise, in a sentence."""


class Noisy(NamedTuple):
    """The values centre + scale * z of one step, z the policy's standard draws `noise.<kind>(site, ...)` of this step.

    kind: "normal" or "laplace". site: of the noise. centre, scale: (trials, values), the shape of the draw; scale 0
    where nothing is drawn or released.
    """

    kind: str
    site: str
    centre: Array
    scale: Array


@runtime_checkable
class HasNoisy(Policy, Protocol):
    """A policy that says which noisy values it draws in step t: noisy(t, state) -> Noisy, None where it draws none. One
    with contexts says noisy(t, state, seen).

    What it releases has to follow from these values, the earlier ones, and draws at other sites: never from the rewards
    in another way.
    """

    def noisy(self, t: int, state: Any) -> Noisy | None: ...


class Moving(NamedTuple):
    """How a noisy value is computed: the sum of an arm's rewards number first to last - 1 (from 0), with rewards |x| >
    bound counted as 0, divided by `divisor`, plus noise of this scale."""

    arm: int
    first: int
    last: int
    divisor: float
    scale: float
    bound: float = inf

    def centre(self, side: Table) -> float:
        """The centre of the value on this table. Raises ValueError if the table has no such rewards."""
        if not (0 <= self.arm < side.arms and 0 <= self.first <= self.last and self.divisor > 0 and self.scale > 0):
            raise ValueError(
                f"{self} does not fit a table with arms = {side.arms}: its arm must exist, and its divisor "
                "and scale must be positive"
            )
        begun, counts = np.zeros((2, 1, side.arms), dtype=np.int64)
        begun[0, self.arm], counts[0, self.arm] = self.first, self.last - self.first
        silence: Any = None  # a table draws nothing
        paid = side.draw(0, begun, counts, None if self.bound == inf else self.bound, silence)
        return float(paid[0, self.arm]) / self.divisor


class Shifts(NamedTuple):
    """How far the noisy values of a run move between the sides of a pair.

    kind: of these values. sizes: |centre_left - centre_right|/scale of every value that moves, in the order in which
    they are drawn, within a step from the first to the last. made: what each of them is made of, for certificates; None
    where that is not said.
    """

    kind: str
    sizes: tuple[float, ...]
    made: tuple[Moving, ...] | None = None


@runtime_checkable
class HasShifts(HasNoisy, Protocol):
    """A policy that knows for some pairs beforehand how far its values move: shifts(pair) -> Shifts, the same in every
    run on either side, whatever values are drawn; None for a pair of which it can't be said.

    The values then tell as much as independent ones that move so far (`proofs_checks.exact.shifted_noise`), exactly.
    """

    def shifts(self, pair: Pair) -> Shifts | None: ...
