"""DP-SE, broken on purpose: one bug each, of the kinds that real code has.

A mutant says what its bug does to privacy, and `law`: whether its decision still has the law that it states, so that
the exact judge may be asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpbandits.reference.bandits.release_laws.selections import Chances
from dpbandits.reference.bandits.release_laws.selections.laws import subsets
from dpbandits.reference.bandits.release_laws.selections.noises import laplace_log_window
from dpbandits.reference.papers.sajed19 import DPSE, Epoch
from dpbandits.reference.papers.sajed19.formulas import Constants

# Constants so small that short runs see several epochs: R = 17 and 85 for three arms.
SMALL = Constants(rounds_mean=1, rounds_noise=1, widths=1)
SETTING: dict[str, Any] = {"arms": 3, "horizon": 600, "eps": 1.0, "beta": 0.5, "constants": SMALL}


@dataclass(frozen=True)
class HalfNoise(DPSE):
    """Noise for a sensitivity of 1/(2 R)."""

    def numbers(self, epoch, active) -> Epoch:
        right = super().numbers(epoch, active)
        return right._replace(scale=right.scale / 2)


@dataclass(frozen=True)
class Reused(DPSE):
    """Every epoch adds the noise of the first."""

    def kept(self, t, state, noise):
        return super().kept(1, state, noise)


@dataclass(frozen=True)
class Frozen(DPSE):
    """|S| in lines 5, 8 and 9 is K for ever."""

    def numbers(self, epoch, active) -> Epoch:
        return super().numbers(epoch, np.full(np.shape(active), self.arms))


@dataclass(frozen=True)
class BareMaximum(DPSE):
    """Line 10 looks for the best mean before the noise is added; the best arm is never removed."""

    def kept(self, t, state, noise):
        rounds, scale, width = (
            each[:, None] for each in self.numbers(np.maximum(state.epoch, 1), state.active.sum(axis=1))
        )
        means = np.where(state.active, state.total / rounds, -np.inf)
        noisy = means + scale * noise.laplace("mean", t, (self.arms,))
        best = means.max(axis=1, keepdims=True)
        return state.active & ((best - noisy <= width) | (means == best) | (state.epoch == 0)[:, None])

    def survival(self, epoch, means) -> Chances:
        """A product: each arm but the best ones stays by its own noise."""
        means = np.asarray(means, dtype=float)
        _, scale, width = self.numbers(epoch, means.shape[1])
        best = means.max(axis=1, keepdims=True)
        inf = np.full(means.shape, np.inf)
        # It stays where its noise is at least best - mean - width, in units of the scale.
        stays = laplace_log_window(-(best - means - width) / scale, inf)
        goes = laplace_log_window((best - means - width) / scale, inf)
        stays, goes = np.where(means == best, 0.0, stays), np.where(means == best, -np.inf, goes)
        sets = subsets(means.shape[1], 1, means.shape[1])
        log = np.where(sets[None], stays[:, None], goes[:, None]).sum(axis=2)
        return Chances(sets, log, np.full(log.shape, 1e-9))


@dataclass(frozen=True)
class Remembering(DPSE):
    """Line 3 forgets nothing: the sums of all epochs are divided by this epoch's R."""

    def learn(self, t, state, pulls, sums, noise):
        return super().learn(t, state, pulls, np.asarray(sums) + state.total, noise)


@dataclass(frozen=True)
class OneEpochLate(DPSE):
    """Epochs count from 0: Delta is 2^-(e-1)."""

    def numbers(self, epoch, active) -> Epoch:
        return super().numbers(np.maximum(np.asarray(epoch) - 1, 0.5), active)


@dataclass(frozen=True)
class NarrowWidth(DPSE):
    """Line 11 compares with half the width."""

    def numbers(self, epoch, active) -> Epoch:
        right = super().numbers(epoch, active)
        return right._replace(width=right.width / 2)


class Mutant(NamedTuple):
    """privacy: "broken" or "stands", and why. law: whether the exact judge's law is its own."""

    policy: type[DPSE]
    privacy: str
    law: bool = True


MUTANTS = (
    Mutant(HalfNoise, "broken: half the noise is 2 eps"),
    Mutant(Reused, "broken: two sets bound the same noise from two sides, and a reward moves one bound", law=False),
    Mutant(Frozen, "stands: the noise still belongs to the R that was pulled"),
    Mutant(BareMaximum, "broken: the best arm stays for certain, and a reward decides which one that is"),
    Mutant(Remembering, "broken: a reward counts in every later epoch", law=False),
    Mutant(OneEpochLate, "stands: the noise belongs to the R that was pulled"),
    Mutant(NarrowWidth, "stands: where the threshold lies is no secret"),
)
