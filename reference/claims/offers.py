"""Private policies that a paper's module offers for `compare`. An offer has a policy, the rule that turns a target
(eps, delta) into the policy's parameters, and the claim that guarantees this target. The offers are in the tuple
`OFFERS` of the module's file `offers`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

from dpbandits.reference.arithmetic.bisection import crossing_bracket
from dpbandits.reference.curves import Curve


class Wanted(NamedTuple):
    """The requested policy. arms: K >= 2. horizon: T >= K. eps: > 0, finite. delta: in [0, 1)."""

    arms: int
    horizon: int
    eps: float
    delta: float


class OutOfReach(Exception):
    """No parameters of this policy give the requested privacy, or none that it allows; the message is a sentence."""


@dataclass(frozen=True)
class Offer:
    """A policy to choose from.

    name: as in tables, unique in the ledger. make: makes the policy from the request; raises OutOfReach, and ValueError
    for unsupported shapes. claim: the id of the claim that guarantees its privacy; "" for a policy that is not private.
    told: the parameters that a table displays. curve: (policy, delta) -> the guarantee of the policy for neighbours
    that differ in one pull, needed at delta; None if the claim itself is about policies and states it. best_arm:
    whether it identifies the best arm, instead of maximising reward. short: the name beside a line of a picture, of at
    most 22 characters; "" for the name itself.
    """

    name: str
    make: Callable[[Wanted], Any]
    claim: str = ""
    told: tuple[str, ...] = ()
    curve: Callable[[Any, float], Curve] | None = None
    best_arm: bool = False
    short: str = ""


LARGEST_EPS = 2.0**20  # some 1e6, as doubling meets it, where a promise says nothing any more


def promised_eps_at(curve: Curve, delta: float) -> float:
    """The smallest eps at which the curve guarantees delta, up to a relative error of 1e-9, rounded up.
    inf if there is none up to 1e6. For delta = 0 only an explicit guarantee of pure privacy counts: a delta that is 0
    only in doubles does not."""
    if delta == 0:
        numbers, at = curve.claimed_parameters()
        return min((float(eps) for eps, place in zip(numbers, at, strict=True) if place == 0), default=inf)
    return crossing_bracket(curve.delta_at, delta, 1e-9, LARGEST_EPS)[1]
