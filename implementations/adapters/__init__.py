"""One module for each library: how to run its policies, and what they are compared with.

A module is named after its file of requirements. LIBRARY is the name on the package index; ROWS are the comparisons.
The modules import the libraries only inside functions, so that the rows can be read without any of them.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dpbandits import Policy, from_object

NAMES = tuple(sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem != "__init__"))


def module(name: str) -> Any:
    """The module of this name, with LIBRARY and ROWS."""
    return importlib.import_module(f"adapters.{name}")


def seed_everything(number: int) -> None:
    """Seeds the generators of the whole process, for libraries that use these."""
    random.seed(number)
    np.random.seed(number % 2**32)  # noqa: NPY002


class EveryArmFirst:
    """Pulls every arm once, lowest first, and then asks a library's object, which needs rewards of all arms first.

    select, update: as for `from_object`; they get the features of a round as well, if there are any."""

    def __init__(self, arms: int, policy: Any, select: Callable[..., int], update: Callable[..., None]) -> None:
        self.unpulled, self.policy = list(range(arms)), policy
        self.choose, self.learn = select, update

    def select(self, *features: Any) -> int:
        return self.unpulled[0] if self.unpulled else self.choose(self.policy, *features)

    def update(self, arm: int, paid: float, *features: Any) -> None:
        if arm in self.unpulled:
            self.unpulled.remove(arm)
        self.learn(self.policy, arm, paid, *features)


def pulls_every_arm(
    make: Callable[[int, Any], Any],
    select: Callable[..., int],
    update: Callable[..., None],
    contexts: int | None = None,
) -> Callable[[int, int], Policy]:
    """(arms, horizon) to a policy that pulls every arm once and then asks the library. make: (arms, generator) to the
    library's object. contexts: as for `from_object`."""

    def policy(arms: int, horizon: int) -> Policy:
        return from_object(
            lambda rng: EveryArmFirst(arms, make(arms, rng), select, update),
            EveryArmFirst.select, EveryArmFirst.update, arms, horizon, contexts=contexts,
        )  # fmt: skip

    return policy
