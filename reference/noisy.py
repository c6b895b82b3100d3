"""Noisy values that a policy releases, or that a proof argues about: what they are made of."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

from dpbandits.reference.noise import Array, Noise
from dpbandits.reference.policy import Pulls

KINDS = ("normal", "laplace")


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
class HasNoisy(Protocol):
    """A policy that says which noisy values it draws in step t: noisy(t, state) -> Noisy, None where it draws none.

    What it releases has to follow from these values, the earlier ones, and draws at other sites: never from the rewards
    in another way.
    """

    @property
    def arms(self) -> int: ...

    @property
    def horizon(self) -> int: ...

    def init(self, trials: int) -> Any: ...

    def act(self, t: int, state: Any, noise: Noise) -> Pulls: ...

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Array, noise: Noise) -> Any: ...

    def noisy(self, t: int, state: Any) -> Noisy | None: ...
