"""Detects randomness that code takes from other sources than the noise or generator that it is given.

A proof is about the given draws only. Code that uses another source, however rarely this has an effect, is not the code
that was traced.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from threading import RLock
from typing import Any

import numpy as np
from numpy.random import bit_generator

ENTROPY = ((bit_generator, "randbits"), (random, "_urandom"))  # what numpy, and `secrets`, start from without a seed
ONE_AT_A_TIME = RLock()  # what is replaced is the process's


class OtherRandomness(AbstractContextManager["OtherRandomness"]):
    """Detects draws from the generators of the whole process, and new generators that the operating system seeds.

    Attributes:
        found: what was detected, in words; "" for nothing. It is known at the end.
    """

    def __init__(self) -> None:
        """Starts without having found anything."""
        self.found = ""
        self.before: tuple[Hashable, ...] = ()
        self.replaced = list[tuple[Any, str, Any]]()

    def __enter__(self) -> OtherRandomness:
        """Starts to watch all other sources of randomness."""
        ONE_AT_A_TIME.acquire()
        self.before = self.states()
        for where, name in ENTROPY:
            if hasattr(where, name):
                self.replace(where, name, self.noticing(getattr(where, name)))
        seed = random.Random.seed

        def seeded(
            generator: random.Random, a: int | float | str | bytes | bytearray | None = None, version: int = 2
        ) -> None:
            """Seeds the generator, and records if it is not given a seed."""
            if a is None:
                self.found = "it makes a generator that is not seeded"
            seed(generator, a, version)

        self.replace(random.Random, "seed", seeded)
        return self

    def __exit__(self, *error: object) -> None:
        """Ends the watch."""
        for where, name, function in self.replaced:
            setattr(where, name, function)
        ONE_AT_A_TIME.release()
        if repr(self.states()) != repr(self.before):
            self.found = "it draws from the generator of the whole process"

    def states(self) -> tuple[Hashable, ...]:
        """The states of the random generators that the whole process shares: Python's and numpy's."""
        kind, words, *rest = np.random.get_state(legacy=True)  # noqa: NPY002
        return random.getstate(), kind, np.asarray(words).tobytes(), *rest

    def replace(self, where: object, name: str, function: Callable[..., object]) -> None:
        """Replaces the attribute `name` of the object `where` by a function, and remembers the original."""
        self.replaced.append((where, name, getattr(where, name)))
        setattr(where, name, function)

    def noticing(self, function: Callable[..., object]) -> Callable[..., object]:
        """A wrapper of the function that records that it was called."""

        def noticed(*given: object, **named: object) -> object:
            """Notes the call, then calls the original function."""
            self.found = "it makes a generator that is not seeded"
            return function(*given, **named)

        return noticed
