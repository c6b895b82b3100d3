"""Declarations of noisy values that a policy releases or that a proof considers: their kind, centres and scales, and
how far the centres move between neighbours."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.environments import Table
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.passing import State
from dpbandits.reference.bandits.policy import Policy

NOISE_KINDS = ("normal", "laplace")


class Undeclared(ValueError):
    """Raised if a policy does not behave as it declares; the sentence says how. The declaration is then refuted."""


class Unheard(ValueError):
    """Raised if the values cannot be determined from the noise; the sentence gives the reason."""


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
    """A policy that declares the noisy values of step t: noisy(t, state) -> Noisy, or None if it draws none. With
    contexts: noisy(t, state, seen).

    Its releases must be functions of these values, earlier values, and draws at other sites, and must not depend on
    rewards in any other way.
    """

    def noisy(self, t: int, state: State) -> Noisy | None:
        """The noisy values that the policy draws in step t; None if it draws none."""


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
        """The centre of the noisy value on a reward table. Raises ValueError if the table has no such rewards."""
        if not (0 <= self.arm < side.arms and 0 <= self.first <= self.last and self.divisor > 0 and self.scale > 0):
            raise ValueError(
                f"{self} does not fit a reward table with arms = {side.arms}: arm must be from 0 to {side.arms - 1}, "
                "first and last must satisfy 0 <= first <= last, and divisor and scale must be positive"
            )
        begun, counts = np.zeros((2, 1, side.arms), dtype=np.int64)
        begun[0, self.arm], counts[0, self.arm] = self.first, self.last - self.first
        silence: Any = None  # a table draws nothing
        paid = side.draw(0, begun, counts, None if self.bound == inf else self.bound, silence)
        return float(paid[0, self.arm]) / self.divisor


class Shifts(NamedTuple):
    """How far the noisy values of a run move between the sides of a pair.

    kind: of these values. sizes: |centre_left - centre_right|/scale of every value that moves, in the order in which
    they are drawn, within a step from the first to the last. made: the composition of each, for certificates; None if
    not declared.
    """

    kind: str
    sizes: tuple[float, ...]
    made: tuple[Moving, ...] | None = None


@runtime_checkable
class HasShifts(HasNoisy, Protocol):
    """A policy that knows in advance for some pairs how far its values move: shifts(pair) -> Shifts, the same in every
    run on either side, whatever values are drawn; None for pairs for which this is not known.

    The privacy loss of the values is then exactly that of independent values that move by these sizes
    (`proofs_checks.exact.shifted_noise`).
    """

    def shifts(self, pair: Pair) -> Shifts | None:
        """How far the noisy values move between the sides of the pair; None if this is not known in advance."""
