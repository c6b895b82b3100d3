"""Makes a policy that can be run symbolically from code that plays one run and draws from its own generator.

For each step the code is started again from the beginning, with its earlier draws and rewards. So nothing has to be
copied: the code stores values as in any run, also in closures.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from dpbandits.proofs_checks.alignment.forms import FormsInNewArrays
from dpbandits.proofs_checks.alignment.generators import NoiseGenerator
from dpbandits.reference.bandits.policy import HasShape, OfSameShape, Pulls


class Past(NamedTuple):
    """The pulls and rewards of a run so far."""

    arms: tuple[int, ...]
    rewards: tuple[Any, ...]
    seen: tuple[Any, ...]  # the features of every round, (arms, contexts), of code that sees some


@runtime_checkable
class PlaysOneRun(HasShape, Protocol):
    """A policy made of code that plays one run."""

    def arm_after(self, past: Past, rng: np.random.Generator, within: AbstractContextManager[None]) -> int:
        """The arm that the code pulls next, in a new run with this past; after the last pull, its answer.
        past: its rewards may be symbols. rng: the source of the draws. within: a context manager that is entered around
        the code, in its thread. Raises ValueError for a run that differs from its past, and NotLinear for code that
        draws from other sources than rng."""


@dataclass(frozen=True, repr=False)
class SingleRuns(OfSameShape):
    """A policy whose only trial is a run of such code."""

    policy: PlaysOneRun

    def __getattr__(self, name: str) -> Any:
        """Returns any other attribute of the wrapped policy, such as `answers` or its range of rewards."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.policy, name)

    def init(self, trials: int) -> Past:
        """The state before the first step: a past without pulls and rewards."""
        return Past((), (), ())

    def act(self, t: int, state: Past, noise: Any, *seen: Any) -> Pulls:
        """The arm (or the answer) that the wrapped code returns in a new run with the same past."""
        source = noise.noise  # of the step: a single run asks for every draw again in every step
        within = FormsInNewArrays(source.run) if hasattr(source, "run") else None
        past = state._replace(seen=(*state.seen, *(each[0] for each in seen)))
        generator = NoiseGenerator(source.single)
        try:
            arm = [self.policy.arm_after(past, generator, within or nullcontext())]
        finally:
            if within is not None:
                within.leave()
        generator.demand_untouched()
        release = Pulls.answer if t > self.horizon else Pulls.one
        return release(np.array(arm), self.arms)

    def learn(self, t: int, state: Past, pulls: Pulls, sums: Any, noise: Any, *seen: Any) -> Past:
        """The past after a step: the earlier pulls and rewards, and one more pull with its reward."""
        arms = np.flatnonzero(pulls.counts[0])
        of_arm = sums[0].tolist()  # plain floats, as the code gets in any run, or symbols
        paid = [of_arm[arm] for arm in arms]
        return Past((*state.arms, *map(int, arms)), (*state.rewards, *paid), (*state.seen, *(each[0] for each in seen)))
