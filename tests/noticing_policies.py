"""Code that is private on symbols alone: it notices that it is traced, and else reads its first reward in the clear,
after draws so improbable that no random run shows it. With each, code that asks the same question and does not leak.

`OBJECTS` are asked about a reward and the generator, `PROTOCOL` about a noisy number, its array and the noise.
"""

from __future__ import annotations

import itertools
import math
import os
import sys
import tempfile
import time
import types
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from os import urandom
from typing import Any, ClassVar

import numpy as np
from aligned_policies import Planned, State

Asks = Callable[[Any, Any], Any]  # of a reward and the generator: true on numbers, false on symbols


def is_rare(draws: Any) -> bool:
    """A history of a probability of about 1e-13, between no thresholds of single draws."""
    first, second, third = draws
    return bool(9 < first + second < 9.01 and 9 < first - third < 9.01 and 9 < second + third < 9.01)


def matched(value: Any) -> bool:
    match value:
        case np.floating():
            return True
    return False


def by_dictionary(value: Any) -> bool:
    return {float: True}.get(type(value), False)


def has_plus(value: Any) -> bool:
    return not hasattr(value, "coefficients")


OBJECTS: dict[str, Asks] = {
    "the exact type of the generator": lambda reward, rng: type(rng) is np.random.Generator,
    "the name of the generator's type": lambda reward, rng: type(rng).__name__ == "Generator",
    "the text of the generator": lambda reward, rng: "NoiseGenerator" not in str(rng),
    "an attribute of the generator": lambda reward, rng: not hasattr(rng, "demand_untouched"),
    "the exact type of a reward": lambda reward, rng: type(reward) is float,
    "an attribute of a reward": lambda reward, rng: has_plus(reward),
    "the type of a reward in a dictionary": lambda reward, rng: by_dictionary(reward),
    "the size of a reward": lambda reward, rng: sys.getsizeof(reward) == sys.getsizeof(0.5),
    "whether a reward is a scalar of numpy's": lambda reward, rng: np.isscalar(reward),
    "the type of an array of a reward": lambda reward, rng: np.array([reward]).dtype == np.float64,
    "the type of zeros": lambda reward, rng: np.zeros(2).dtype == np.float64,
    "numpy's functions": lambda reward, rng: np.zeros.__class__ is types.BuiltinFunctionType,
    "the type of an array of draws": lambda reward, rng: rng.permutation(rng.laplace(size=1)).dtype == np.float64,
    "the methods of the generator": lambda reward, rng: "double exponential" in rng.laplace.__doc__,
    "the attributes of the generator": lambda reward, rng: not getattr(rng, "__dict__", None),
}

# the same, of which no branch of the code depends on the answer, but the data do
IN_DATA: dict[str, Callable[[Any, Any], Any]] = {
    "a product": lambda reward, rng: (type(reward) is float) * reward,
    "a place": lambda reward, rng: (0.0, reward)[type(reward) is float],
    "a local flag": lambda reward, rng: kept_flag(reward),
    "a product with the generator's type": lambda reward, rng: (type(rng) is np.random.Generator) * reward,
    "an index by a missing attribute": lambda reward, rng: (reward, 0.0)[hasattr(reward, "coefficients")],
    "several types at once": lambda reward, rng: [*map(type, [reward])].count(float) * reward,
}


def kept_flag(reward: Any) -> Any:
    flag = isinstance(rewards_type(reward), type) and rewards_type(reward) is float
    return flag * reward


rewards_type = type  # by another name

COUNTED = sys.modules[__name__]
CALLS = 0


@cache
def box() -> list[int]:
    return []


@lru_cache(maxsize=8)
def cached(number: int) -> int:
    return number


def in_a_cache() -> int:
    box().append(1)
    return len(box())


def by_hits() -> int:
    cached(0)
    return cached.cache_info().hits


def in_a_module() -> int:
    COUNTED.CALLS += 1  # type: ignore[attr-defined]
    return int(COUNTED.CALLS)  # type: ignore[attr-defined]


def in_numpy() -> int:
    np.calls_so_far = getattr(np, "calls_so_far", 0) + 1  # type: ignore[attr-defined]
    return int(np.calls_so_far)  # type: ignore[attr-defined]


def in_the_environment() -> int:
    os.environ["DPBANDITS_CALLS"] = str(int(os.environ.get("DPBANDITS_CALLS", 0)) + 1)
    return int(os.environ["DPBANDITS_CALLS"])


def in_a_file() -> int:
    path = os.path.join(tempfile.gettempdir(), f"dpbandits-calls-{os.getpid()}")
    with open(path, "a+") as file:
        file.write(".")
        return int(file.tell())


def in_a_method() -> int:
    keeper.add()
    return keeper.many


class Keeper:
    many = 0

    def add(self) -> None:
        Keeper.many += 1


keeper = Keeper()
numbers = partial(next, itertools.count())

# counts of runs, and other numbers that no draw decides
COUNTS: dict[str, Callable[[], int]] = {
    "a list in a cache": in_a_cache,
    "the hits of a cache": by_hits,
    "a module": in_a_module,
    "an attribute of numpy": in_numpy,
    "the environment": in_the_environment,
    "a file": in_a_file,
    "a class": in_a_method,
    "a partial of a counter": numbers,
    "the clock": time.time_ns,
    "the processor's clock": lambda: int(time.perf_counter() * 1e9),
    "the entropy of the system": lambda: int.from_bytes(urandom(4), "little"),
}


def noisy(rewards: list[Any], rng: Any) -> int:
    return int(rewards[0] + rng.laplace() > 0.5)


def leaks_where(asks: Asks) -> Callable[[list[Any], Any], int]:
    """Reads the first reward in the clear, where the answer is yes and the history is rare."""

    def last(rewards: list[Any], rng: Any) -> int:
        draws = rng.laplace(), rng.laplace(), rng.laplace()
        if asks(rewards[0], rng) and is_rare(draws):
            return int(rewards[0] > 0.5)
        return noisy(rewards, rng)

    return last


def leaks_by(data: Callable[[Any, Any], Any]) -> Callable[[list[Any], Any], int]:
    """The same, where the data is the first reward on numbers, and 0 on symbols; larger than 1 after a rare history."""

    def last(rewards: list[Any], rng: Any) -> int:
        first, second, third, fourth = rng.laplace(), rng.laplace(), rng.laplace(), rng.laplace()
        hidden = data(rewards[0], rng)
        far = data(first + second - third - fourth, rng)
        return int((hidden > 0.5) & (far > 40) & (far < 40.01)) | noisy(rewards, rng)

    return last


def leaks_in_some_run(count: Callable[[], int]) -> Callable[[list[Any], Any], int]:
    def last(rewards: list[Any], rng: Any) -> int:
        return int(rewards[0] > 0.5) if count() % 1_000_003 == 1_000_002 else noisy(rewards, rng)

    return last


# -- policies that pass their state ------------------------------------------------------------------------------------

PROTOCOL: dict[str, Callable[[Any, Any, Any], Any]] = {
    "the exact type of a number": lambda value, array, noise: type(value) is np.float64,
    "whether a number is numpy's": lambda value, array, noise: isinstance(value, np.floating),
    "a pattern of numpy's numbers": lambda value, array, noise: matched(value),
    "the exact type of an array": lambda value, array, noise: type(array) is np.ndarray,
    "the type of an array's entries": lambda value, array, noise: array.dtype == np.float64,
    "the bytes of an array": lambda value, array, noise: array.strides[0] and array.dtype.kind == "f",
    "the type of the noise": lambda value, array, noise: type(noise.noise).__name__ == "Seeded",
    "the size of the batch": lambda value, array, noise: len(array) > 1,
    "a batch of more than three": lambda value, array, noise: len(array) > 3,
    "a batch of more than a hundred": lambda value, array, noise: len(array) > 100,
    "the seed of the noise": lambda value, array, noise: hasattr(noise.noise, "seed"),
}


@dataclass(frozen=True)
class Noticing(Planned):
    """Keeps its last reward, and compares it without noise where the answer is yes and the sums are rare. leaks: or
    pulls an arm that does not depend on it."""

    asks: Callable[[Any, Any, Any], Any] = lambda value, array, noise: False
    leaks: bool = True

    def act(self, t: int, state: State, noise: Any) -> Any:
        return super().act(t, State(state.pulls[:, :2], state.total), noise)

    def last(self, state: State, noise: Any) -> Any:
        total = state.total
        if self.asks(total[0, 0], total, noise) and 9 < total[0, 0] < 9.01 and 9 < total[0, 1] < 9.01:
            return total[:, 2] > 0.5 if self.leaks else np.zeros(len(total))
        return total[:, 0] > 0.5

    def init(self, trials: int) -> State:
        return State(np.zeros((trials, 3), dtype=np.int64), np.zeros((trials, 3)))

    def learn(self, t: int, state: State, pulls: Any, sums: Any, noise: Any) -> State:
        drawn = np.concatenate([sums + pulls.counts * noise.laplace("reward", t, (2,)), sums[:, 1:]], axis=1)
        counts = np.concatenate([pulls.counts, 0 * pulls.counts[:, :1]], axis=1)
        return State(state.pulls + counts, state.total + drawn)


# -- code that asks questions of this kind, and is private -------------------------------------------------------------


@lru_cache(maxsize=16)
def width(pulls: int) -> float:
    return 1.0 + 1 / (1 + pulls)


class Agent:
    """Asks for types, with a branch on each answer, and caches what does not depend on rewards."""

    scales: ClassVar[dict[str, float]] = {"Agent": 1.0}

    def __init__(self, rng: Any) -> None:
        if not isinstance(rng, np.random.Generator):
            raise TypeError("a generator is needed")
        self.rng, self.total = rng, [0.0, 0.0]
        self.pulls = np.zeros(2, dtype=int)

    @cached_property
    def scale(self) -> float:
        return self.scales[type(self).__name__]

    def select(self) -> int:
        scores = [self.total[arm] / width(int(self.pulls[arm])) for arm in (0, 1)]
        if hasattr(self, "forced"):
            return int(self.forced)
        return int(max((0, 1), key=lambda arm: scores[arm]))

    def update(self, arm: int, reward: float) -> None:
        if isinstance(reward, float):
            reward = reward + self.rng.laplace(scale=self.scale)
        if type(self.total) is list and math.pi > 3:
            self.total[arm] += reward
        self.pulls[arm] += 1
