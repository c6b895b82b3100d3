"""Policies that remember something outside of their state, each in another place, for tests of merged states.

Each adds noise to every reward and plays by the noisy sums of its state. In its last step it looks at what it has
hidden: at the first reward itself, or at a noisy value whose noise it has used before.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from aligned_policies import LocalNoise, State

from dpbandits import Pulls

SEEN: list[Any] = []


@dataclass(frozen=True)
class Hiding(LocalNoise):
    """Hides the first reward with `hide`, and finds it again with `hidden`."""

    def hide(self, value: Any) -> None:
        raise NotImplementedError

    def hidden(self) -> Any:
        raise NotImplementedError

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        if t == self.horizon:
            return Pulls.one(np.asarray([self.hidden() > 0.5]).astype(np.int64), self.arms)
        return super().act(t, state, noise)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        if t == 1:
            self.hide(sums[0, 0])
        return super().learn(t, state, pulls, sums, noise)


class InGlobal(Hiding):
    def hide(self, value: Any) -> None:
        SEEN.append(value)

    def hidden(self) -> Any:
        return SEEN[-1]


class InDefault(Hiding):
    def hide(self, value: Any) -> None:
        self.box(value)

    def hidden(self) -> Any:
        return self.box()

    def box(self, value: Any = None, kept: list[Any] = []) -> Any:  # noqa: B006
        if value is not None:
            kept.append(value)
        return kept[-1]


class InAttribute(Hiding):
    def hide(self, value: Any) -> None:
        object.__setattr__(self, "kept", value)

    def hidden(self) -> Any:
        return self.kept  # type: ignore[attr-defined]


class InClass(Hiding):
    kept: Any = None

    def hide(self, value: Any) -> None:
        type(self).kept = value

    def hidden(self) -> Any:
        return type(self).kept


class InCache(Hiding):
    @cached_property
    def kept(self) -> list[Any]:
        return []

    def hide(self, value: Any) -> None:
        self.kept.append(value)

    def hidden(self) -> Any:
        return self.kept[-1]


def in_closure() -> type[Hiding]:
    kept: list[Any] = []

    class InClosure(Hiding):
        def hide(self, value: Any) -> None:
            kept.append(value)

        def hidden(self) -> Any:
            return kept[-1]

    return InClosure


def echo() -> Iterator[Any]:
    """A generator that returns what it was sent last, or "" first."""
    kept = yield None
    while True:
        new = yield kept
        kept = kept if new is None else new


def in_generator() -> type[Hiding]:
    keeper: Any = echo()
    next(keeper)

    class InGenerator(Hiding):
        def hide(self, value: Any) -> None:
            keeper.send(value)

        def hidden(self) -> Any:
            return keeper.send(None)

    return InGenerator


class Slotted:
    """An object whose attribute is in a slot."""

    __slots__ = ("kept",)


SLOTTED = Slotted()


class InSlot(Hiding):
    def hide(self, value: Any) -> None:
        SLOTTED.kept = value  # type: ignore[attr-defined]

    def hidden(self) -> Any:
        return SLOTTED.kept  # type: ignore[attr-defined]


PLACES: tuple[Any, ...] = (InGlobal, InDefault, InAttribute, InClass, InCache, InSlot, in_closure(), in_generator())


class Counts(LocalNoise):
    """Counts its calls, and looks at the last reward without noise in the 2000th."""

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        object.__setattr__(self, "calls", getattr(self, "calls", 0) + 1)
        if self.calls == 2000:  # type: ignore[attr-defined]
            _ = sums[0, 0] > 0.5
        return super().learn(t, state, pulls, sums, noise)


class Bit(int):
    """An integer with attributes."""


class InNumber(LocalNoise):
    """Hides the first reward in an attribute of an integer of its state."""

    def init(self, trials: int) -> Any:
        return Numbered(*super().init(trials), Bit(0))

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        if t == self.horizon:
            return Pulls.one(np.asarray([state.bit.hidden > 0.5]).astype(np.int64), self.arms)
        return super().act(t, State(*state[:2]), noise)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        if t == 1:
            state.bit.hidden = sums[0, 0]
        return Numbered(*super().learn(t, State(*state[:2]), pulls, sums, noise), state.bit)


class Numbered(NamedTuple):
    pulls: np.ndarray
    total: np.ndarray
    bit: Any


class InList(InNumber):
    """Hides the first reward in a list of its state."""

    def init(self, trials: int) -> Any:
        return Numbered(*super().init(trials)[:2], [])

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        if t == self.horizon:
            return Pulls.one(np.asarray([state.bit[0] > 0.5]).astype(np.int64), self.arms)
        return LocalNoise.act(self, t, State(*state[:2]), noise)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        return Numbered(*LocalNoise.learn(self, t, State(*state[:2]), pulls, sums, noise), [*state.bit, sums[0, 0]])


class Subclassed(State):
    """A state with attributes beside its parts."""


class InTuple(LocalNoise):
    """Hides the first reward in an attribute of its state."""

    def init(self, trials: int) -> Any:
        return Subclassed(*super().init(trials))

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        if t == self.horizon:
            return Pulls.one(np.asarray([state.hidden > 0.5]).astype(np.int64), self.arms)
        return super().act(t, state, noise)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        made: Any = Subclassed(*super().learn(t, state, pulls, sums, noise))
        made.hidden = sums[0, 0] if t == 1 else state.hidden
        return made


class Twice(LocalNoise):
    """Takes the draw of its first step again in its last step but one, and so looks at the first reward."""

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        return super().learn(t % (self.horizon - 2), state, pulls, sums, noise)


class Equal(LocalNoise):
    """Keeps every noisy sum twice, and looks at the last reward without noise where the two are equal."""

    def init(self, trials: int) -> Any:
        return Numbered(*super().init(trials), np.zeros((trials, self.arms)))

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        return super().act(t, State(*state[:2]), noise)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        new = super().learn(t, State(*state[:2]), pulls, sums, noise)
        if t == self.horizon and state.total[0, 0] == state.bit[0, 0]:
            _ = sums[0, 0] > 0.5
        return Numbered(*new, new.total.copy())


@dataclass(frozen=True)
class HidesAnArm(LocalNoise):
    """Pulls in its last step the arm of step 3, which it has hidden, and not the best one."""

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        pulls = super().act(t, state, noise)
        if t == 3:
            self.hide(str(int(pulls.counts[0, 1])))
        return Pulls.one(np.array([int(self.hidden())] * len(pulls.counts)), 2) if t == self.horizon else pulls

    def hide(self, value: str) -> None:
        os.environ["DPBANDITS_TEST_HIDDEN"] = value

    def hidden(self) -> str:
        return os.environ.get("DPBANDITS_TEST_HIDDEN", "0")


IN_CONTEXT: ContextVar[str] = ContextVar("hidden", default="0")


class HidesAnArmInContext(HidesAnArm):
    """Hides it where no name leads to."""

    def hide(self, value: str) -> None:
        IN_CONTEXT.set(value)

    def hidden(self) -> str:
        return IN_CONTEXT.get()


class HidesAnArmInGlobal(HidesAnArm):
    def hide(self, value: str) -> None:
        SEEN.append(value)

    def hidden(self) -> str:
        return SEEN[-1]
