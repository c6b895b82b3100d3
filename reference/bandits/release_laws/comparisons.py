"""How a release shows a comparison of two hidden values: what an index policy of two arms says of a step."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.noisy_values import Noisy
from dpbandits.reference.bandits.policy import Ints, Policy


class Comparing(NamedTuple):
    """One step: it releases counts[s, o] exactly where X_0 - X_1 lies between low[s, o] and high[s, o], X_i the noisy
    mean that the policy holds of arm i.

    counts: (states, outcomes, arms); an outcome with low >= high cannot happen. low, high: (states, outcomes); the
    infinities where nothing is compared. The intervals of a state's outcomes cover the line once.
    """

    counts: Ints
    low: Array
    high: Array


@runtime_checkable
class Compares(Policy, Protocol):
    """A policy that holds a noisy mean of each arm in secret, draws some of them anew (`noisy`, of one value an arm, no
    scale where it is not), and releases nothing but how they compare: compares(t, state), for two arms."""

    def noisy(self, t: int, state: Any) -> Noisy: ...

    def compares(self, t: int, state: Any) -> Comparing: ...
