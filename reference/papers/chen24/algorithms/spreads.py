"""The noise of DP-BAI and of DP-BAI-Gauss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from dpbandits.reference.arithmetic.checks import normalize_numeric_fields, positive, require_in_open_interval
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.release_laws.selections import LAPLACE, NORMAL, NoiseKind


class Spread(Protocol):
    """The noise of a mean of n rewards. kind: the family of the standard noise."""

    @property
    def kind(self) -> NoiseKind: ...

    def scale(self, each: Any) -> Any:
        """The factor of the standard noise. each: n, of any shape."""
        ...

    def draw(self, noise: Noise, p: int, each: Any, arms: int) -> Array:
        """The noise of phase p, (trials, arms). each: n, (trials, 1)."""
        ...


@dataclass(frozen=True)
class LaplaceNoise:
    """Algorithm 1, lines 10 and 16: Lap(1/(eps n))."""

    eps: float

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        positive("eps", self.eps)

    @property
    def kind(self) -> NoiseKind:
        return LAPLACE

    def scale(self, each: Any) -> Any:
        return 1 / (self.eps * each)

    def draw(self, noise: Noise, p: int, each: Any, arms: int) -> Array:
        drawn: Array = self.scale(each) * noise.laplace("mean", p, (arms,))
        return drawn


@dataclass(frozen=True)
class NormalNoise:
    """Algorithm 2, lines 10 and 16: N(0, 2 log(1.25/delta)/(eps n)^2). delta: in (0, 1)."""

    eps: float
    delta: float

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        positive("eps", self.eps)
        require_in_open_interval(
            "delta (every mechanism is (eps, 1)-DP, and for delta >= 1.25 the formula gives no variance)",
            self.delta,
            0,
            1,
        )

    @property
    def kind(self) -> NoiseKind:
        return NORMAL

    def scale(self, each: Any) -> Any:
        return float(np.sqrt(2 * (np.log(1.25) - np.log(self.delta)))) / (self.eps * each)

    def draw(self, noise: Noise, p: int, each: Any, arms: int) -> Array:
        drawn: Array = self.scale(each) * noise.normal("mean", p, (arms,))
        return drawn
