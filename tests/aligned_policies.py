"""Small policies whose noise is right, and the same ones with planted faults, for tests of randomness alignment."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpbandits import Pulls


class State(NamedTuple):
    pulls: np.ndarray  # (trials, arms)
    total: np.ndarray  # (trials, arms), with noise


@dataclass(frozen=True)
class LocalNoise:
    """Every reward gets noise when it arrives; the arm with the best noisy mean is pulled.

    forgets: from which pull of an arm on the noise is forgotten. shrinks: the power of the pull count by which noise is
    divided. reuses: whether all rewards of an arm get the same draw.
    """

    arms: int
    horizon: int
    scale: float = 1.0
    kind: str = "laplace"
    forgets: int = 10**9
    shrinks: float = 0.0
    reuses: bool = False

    def init(self, trials: int) -> State:
        return State(np.zeros((trials, self.arms), dtype=np.int64), np.zeros((trials, self.arms)))

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        mean = state.total / np.maximum(state.pulls, 1)
        return Pulls.one(np.where(state.pulls == 0, np.inf, mean).argmax(axis=1), self.arms)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        drawn = getattr(noise, self.kind)("reward", 0 if self.reuses else t, (self.arms,))
        size = self.scale * (state.pulls < self.forgets) / (state.pulls + 1.0) ** self.shrinks
        return State(state.pulls + pulls.counts, state.total + sums + pulls.counts * size * drawn)


@dataclass(frozen=True)
class Raw(LocalNoise):
    """Compares the last reward of arm 0 without noise in its last step, and says that it uses none."""

    deterministic = True

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        if t == self.horizon:
            return Pulls.one(np.asarray(state.total[:, 0] > 0.5).astype(np.int64), self.arms)
        return Pulls.one(np.full(len(state.pulls), (t - 1) % self.arms), self.arms)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        return State(state.pulls + pulls.counts, np.where(pulls.counts > 0, sums, state.total))


@dataclass(frozen=True)
class Squares(LocalNoise):
    """Compares squares of noisy values."""

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        return Pulls.one((state.total**2).argmax(axis=1), self.arms)


class OwnGenerator(LocalNoise):
    """Draws its noise from a generator of its own."""

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        noise.laplace("reward", t, (self.arms,))
        drawn = np.random.default_rng().laplace(size=state.total.shape)
        return State(state.pulls + pulls.counts, state.total + sums + pulls.counts * drawn)


class Planned(LocalNoise):
    """Pulls the arms in turn; only the last step depends on rewards, as its `last` says."""

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        if t < self.horizon:
            return Pulls.one(np.full(len(state.pulls), (t - 1) % self.arms), self.arms)
        return Pulls.one(np.asarray(self.last(state, noise)).astype(np.int64), self.arms)

    def last(self, state: State, noise: Any) -> Any:
        raise NotImplementedError


class Catches(Planned):
    """Reveals a value with little noise, where numbers are numbers."""

    def last(self, state: State, noise: Any) -> Any:
        try:
            return [float(state.total[0, 0]) > 1.05] * len(state.total)
        except Exception:
            return [False] * len(state.total)


class AsksForFloats(Planned):
    """Reveals a value with little noise, where it is a float."""

    def last(self, state: State, noise: Any) -> Any:
        return [isinstance(total, float) and total > 1.05 for total in state.total[:, 0]]


class AsksForTypes(Planned):
    """Reveals a value with little noise, where it is of a type of numpy's."""

    def last(self, state: State, noise: Any) -> Any:
        return [type(state.total[0, 0]) is np.float64 and state.total[0, 0] > 1.05] * len(state.total)


class Powers(Planned):
    """Reveals a value if the cube of a uniform draw is below its square, which it always is."""

    def last(self, state: State, noise: Any) -> Any:
        drawn = noise.uniform("power", 0)
        return (state.total[:, 0] > 0.5) & np.asarray(drawn**3 < drawn**2)


class SecretPowers(Planned):
    """Reveals a value as the exponent of a uniform draw."""

    def last(self, state: State, noise: Any) -> Any:
        return noise.uniform("power", 0) ** state.total[:, 0] > 0.5


class MaskedMaximum(Planned):
    """Looks at the first of two values, the other of which hides it from a maximum of both."""

    def last(self, state: State, noise: Any) -> Any:
        values = np.concatenate([state.total[:, :1], 0 * state.total[:, :1] + 1.05], axis=1)
        return values.max(axis=1, where=np.array([[True, False]]), initial=-9.0) > 1.04


class Undefined(Planned):
    """Takes the largest of values that are inf - inf, and then reveals a value."""

    def init(self, trials: int) -> Any:
        state = super().init(trials)
        return Limited(*state, np.full_like(state.total, np.inf))

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        return Limited(*super().learn(t, state, pulls, sums, noise), state.limit)

    def last(self, state: Any, noise: Any) -> Any:
        with np.errstate(invalid="ignore"):
            first = (state.limit - state.limit).argmax(axis=1)
        return (first == 0) & (state.total[:, 0] > 0.5)


class Limited(NamedTuple):
    pulls: np.ndarray
    total: np.ndarray
    limit: np.ndarray  # (trials, arms), inf


class Rewrites(Planned):
    """Writes to its own state, and reveals its first reward if it has pulled arm 0 twice and nothing else."""

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        if t == 1:
            return Pulls.one(np.zeros(1, dtype=np.int64), 2)
        if t == 2:
            return Pulls.one(np.asarray(state.total[:, 0] > 0.5).astype(np.int64), 2)
        leaks = (state.pulls == (2, 0)).all(axis=1)
        return Pulls.one(np.asarray(np.where(leaks, state.total[:, 1], 0.0) > 0.5).astype(np.int64), 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        if t == 1:
            state.total[:, 0] = sums[:, 0] + noise.laplace("reward", 1)
            state.total[:, 1] = sums[:, 0]
        state.pulls[...] += pulls.counts
        return state


class CopiesDeeply(LocalNoise):
    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        return super().learn(t, deepcopy(state), pulls, sums, noise)


class SameStream(LocalNoise):
    """Draws for the pulled arm alone, at one address: so both rewards get the same number, and it cancels."""

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        arm = np.asarray(state.total[:, 0] > state.total[:, 1]) if t == 3 else np.full(len(state.pulls), t - 1)
        return Pulls.one(arm.astype(np.int64), 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        drawn = noise.normal("reward", 0, (2,), where=pulls.counts > 0)
        return State(state.pulls + pulls.counts, state.total + sums + drawn)


class Blocks(Planned):
    """Pulls arm 0 three times in its first step, and reveals whether more than half of it was paid."""

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        return super().act(self.horizon if t > 1 else 1, state, noise)._replace(**({} if t > 1 else {"counts": BLOCK}))

    def last(self, state: State, noise: Any) -> Any:
        return state.total[:, 0] > 1.5

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        noise.laplace("unused", t)
        return State(state.pulls + pulls.counts, state.total + sums)


BLOCK = np.array([[3, 0]])
