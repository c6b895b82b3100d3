"""Recorded noise, and its replay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpbandits.reference.bandits.noise import Array, ByKind, Flags, Noise, draw_of_kind, frozen


@dataclass(frozen=True)
class Tape(ByKind):
    """Replays recorded draws: values[(site, index)] has shape (trials, *shape). A missing draw is an error.

    kinds: the kind of the recorded draw at an address ("normal", "laplace", "uniform"), if known; a draw of another
    kind is an error as well.
    """

    values: Mapping[tuple[str, int], Any]
    kinds: Mapping[tuple[str, int], str] = field(default_factory=dict)

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Array:
        """The draw that the tape has recorded at this address.
        Raises KeyError if there is none; ValueError for one of another kind or shape, or with a number that is not
        finite."""
        place = f"site {site!r}, index {index}"
        if (site, index) not in self.values:
            raise KeyError(f"the tape contains no draw for {place}; record this draw, or shorten the run")
        draw = np.asarray(self.values[site, index], dtype=np.float64)
        if draw.shape[1:] != shape:
            raise ValueError(
                f"{place}: a draw of shape {shape} is requested, but the recorded draw has shape {draw.shape[1:]}"
            )
        if not np.isfinite(draw).all():
            raise ValueError(f"{place}: the recorded draw contains a value that is not finite")
        if self.kinds.get((site, index), kind) != kind:
            raise ValueError(f"{place}: a {kind} draw is requested, but a {self.kinds[site, index]} draw was recorded")
        return frozen(draw.view())


@dataclass(frozen=True)
class Recorder(ByKind):
    """Passes draws on and records them: `tape()` replays exactly these. Each address has one draw: it may be requested
    again, but another kind or shape at the same address raises ValueError."""

    noise: Noise
    values: dict[tuple[str, int], Array] = field(default_factory=dict)
    kinds: dict[tuple[str, int], str] = field(default_factory=dict)

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Array:
        """A draw of the wrapped noise, recorded by its address.
        Raises ValueError for another kind or shape than before at this address."""
        draw = draw_of_kind(self.noise, kind, site, index, shape, where)
        before = self.kinds.get((site, index), kind)
        if before != kind or self.values.get((site, index), draw).shape != draw.shape:
            raise ValueError(
                f"site {site!r}, index {index}: a {kind} draw of shape {draw.shape} was requested, but an earlier "
                f"request was for a {before} draw of shape {self.values[site, index].shape}; give one of these two "
                "draws another site"
            )
        self.values[site, index], self.kinds[site, index] = frozen(draw.copy()), kind
        return draw

    @property
    def trials(self) -> int | None:
        """The number of trials of the recorded noise; None if it has none."""
        return getattr(self.noise, "trials", None)

    def tape(self) -> Tape:
        """A tape with all draws that were recorded so far."""
        return Tape(dict(self.values), dict(self.kinds))
