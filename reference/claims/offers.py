"""Private policies that a page offers for `compare`: a policy, the rule that turns a target (eps, delta) into its
parameters, and the claim that guarantees it. They are in the tuple `OFFERS` of the page's file `offers`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple, Protocol

from dpbandits.reference.arithmetic.bisection import crossing_bracket


class Wanted(NamedTuple):
    """arms: K >= 2. horizon: T >= K. eps: > 0, finite. delta: in [0, 1)."""

    arms: int
    horizon: int
    eps: float
    delta: float


class OutOfReach(Exception):
    """No parameters of this policy keep the wanted privacy, or none that it allows; the message is a sentence."""


class HasDelta(Protocol):
    """As much of a curve as is needed here."""

    def delta_at(self, eps: Any) -> Any: ...
    def claimed_parameters(self) -> tuple[Any, Any]: ...


@dataclass(frozen=True)
class Offer:
    """A policy to choose from.

    name: as tables show it, unique in the ledger. make: the policy for what is wanted; raises OutOfReach, and
    ValueError for shapes that it does not have. claim: the id of what promises its privacy; "" for a policy that is not
    private. told: the parameters that a table shows. curve: (policy, delta) -> what is promised of the policy, for
    neighbours that differ in one pull, and is wanted at delta; None where the claim itself is about policies, and says
    it. best_arm: whether it answers for the best arm, in the place of earning.
    """

    name: str
    make: Callable[[Wanted], Any]
    claim: str = ""
    told: tuple[str, ...] = ()
    curve: Callable[[Any, float], HasDelta] | None = None
    best_arm: bool = False


LARGEST_EPS = 2.0**20  # some 1e6, as doubling meets it, where a promise says nothing any more


def promised_eps_at(curve: HasDelta, delta: float) -> float:
    """The least eps at which the curve promises delta, within a relative 1e-9, from above; inf for none up to 1e6. For
    delta = 0 what the curve says of pure privacy in so many words: a delta that doubles take for 0 is none."""
    if delta == 0:
        numbers, at = curve.claimed_parameters()
        return min((float(eps) for eps, place in zip(numbers, at, strict=True) if place == 0), default=inf)
    return crossing_bracket(curve.delta_at, delta, 1e-9, LARGEST_EPS)[1]
