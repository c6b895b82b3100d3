"""Tests whether all trials of a policy are copies of one run, because the policy never uses the randomness that it is
given.

Certified error counts require independent trials. If a policy ignores the generator that it is given, because a seed is
fixed somewhere, all runs on one table are the same run. A thousand copies then contain no more information than one
run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.play.probes import TrialFault, probe
from dpbandits.reference.arithmetic.checks import NoLaw
from dpbandits.reference.bandits.noise import Array, ByKind, Flags, Seeded, address, draw_of_kind
from dpbandits.reference.bandits.play import Played, play
from dpbandits.reference.bandits.policy import HasLaw, Policy
from dpbandits.reference.bandits.recommendations import answers

if TYPE_CHECKING:
    from dpbandits.proofs_checks.exact.state_graph import Side

MAX_WATCHED_STEPS = 4_000  # trials times steps that are played to see whether randomness is used, about
MAX_WATCHED, MIN_WATCHED = 64, 4  # trials
NOT_DETERMINISTIC = (
    "the policy says deterministic=True, and {many} runs on the same rewards, with different seeds, are not the same "
    "run: leave deterministic=True away, or remove the randomness"
)


@dataclass(frozen=True)
class WatchedNoise(ByKind):
    """Noise that counts a policy's draws from it. Draws of the environment are not counted."""

    noise: Seeded
    drawn: list[str] = field(default_factory=list)

    @property
    def trials(self) -> int:
        """The number of trials of the watched noise."""
        return self.noise.trials

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Array:
        """Returns the noise drawn for this address; the site is recorded unless it is that of an environment."""
        if not site.startswith("environment: "):
            self.drawn.append(site)
        return draw_of_kind(self.noise, kind, site, index, shape, where)


class WatchedGenerators:
    """The generators that a policy passes to foreign code, and whether any of them was used."""

    def __init__(self) -> None:
        """Starts the record of generators handed to a policy, without any generator."""
        self.handed = list[tuple[np.random.Generator, object]]()

    def add(self, generator: np.random.Generator) -> np.random.Generator:
        """Records the present state of a generator, and returns the generator."""
        self.handed.append((generator, state_of(generator)))
        return generator

    @property
    def used(self) -> bool:
        """Whether a generator that was handed to the policy has changed its state."""
        return any(state_of(generator) != before for generator, before in self.handed)


@runtime_checkable
class HandsGenerators(Protocol):
    """Foreign code that receives generators or seeds, and no `noise`."""

    @property
    def given_randomness(self) -> str:
        """A description of the randomness that the foreign code received and never used."""

    def watched(self, generators: WatchedGenerators) -> Policy:
        """Returns the policy with these watched generators in place of its own."""


def state_of(generator: np.random.Generator) -> tuple[object, int]:
    """Returns the state of a generator, and the number of children that it has spawned."""
    bits = generator.bit_generator
    return bits.state, int(getattr(bits.seed_seq, "n_children_spawned", 0))


def is_deterministic(policy: Policy) -> bool:
    """Whether the policy declares that it is deterministic on purpose."""
    return getattr(policy, "deterministic", False) is True


def are_equal(released: np.ndarray) -> bool:
    """Whether all trials release the same. released: an array whose first axis is the trial."""
    return bool((released == released[:1]).all())


def copies_remark(policy: Policy, environment: Side, seed: int, runs: int | None = None) -> str:
    """The reason why a policy's trials on these rewards cannot be counted; "" if they can.
    The reason is that they are copies of one run, and the policy's randomness was never used. "" if trials differ, if
    randomness is used, or if the policy is deterministic on purpose: it declares `deterministic = True`, or its law
    leaves nothing random.

    environment: fixed rewards. seed: of the noise of the few runs that are played. runs: the number of equal runs that
    were observed elsewhere, for the sentence.
    """
    if is_deterministic(policy):
        return ""
    unused, played = unused_randomness(policy, environment, seed)
    if not unused or (isinstance(policy, HasLaw) and follows_a_certain_law(policy, environment, played)):
        return ""
    return (
        f"all {max(len(played.pulls), runs or 0)} runs on the same rewards were the same run, and {unused}: is a seed "
        "fixed somewhere? Equal runs are copies of one run, not independent draws, so that their number certifies "
        "nothing. Draw from what is given, or, if the policy is meant to use no randomness, say deterministic=True"
    )


def watched_trials(policy: Policy) -> int:
    """The number of runs that are played to see whether they differ, and whether they use randomness."""
    return int(max(MIN_WATCHED, min(MAX_WATCHED, MAX_WATCHED_STEPS // max(1, policy.horizon))))


def unused_randomness(policy: Policy, environment: Side, seed: int) -> tuple[str, Played]:
    """A description of the randomness that a few runs were given and did not use, and these runs.
    The description is "" if the runs use it, or differ."""
    trials = watched_trials(policy)
    noise, generators = WatchedNoise(Seeded(address(seed, "copies"), trials)), WatchedGenerators()
    given, watched = "", policy
    if isinstance(policy, HandsGenerators):
        given, watched = policy.given_randomness, policy.watched(generators)
    played = play(watched, environment, noise, trials)
    if generators.used or (noise.drawn and not given) or not are_equal(all_released(played)):
        return "", played
    if probe(policy, environment, seed) is TrialFault.OWN_RANDOMNESS:  # the runs of a batch share a draw from elsewhere
        return "", played
    return given or "its `noise` was never drawn from", played


def all_released(played: Played) -> NDArray[np.int64]:
    """Returns the released pulls and the answers of all runs, one row for each trial."""
    return np.column_stack([played.released.reshape(len(played.released), -1), played.answers])


def follows_a_certain_law(policy: HasLaw, environment: Side, played: Played) -> bool:
    """Whether the law of the policy makes each of its own runs certain, and allows them."""
    from dpbandits.audit.statistics.along import left_to_chance, reference_steps

    try:
        steps = reference_steps(policy, environment, played, answers(policy))
    except NoLaw:
        return False
    return not isinstance(steps, str) and not any(left_to_chance(step.law).any() for step in steps)


def differing_runs(policy: Policy, environment: Side, seed: int) -> str:
    """The reason why `deterministic=True` is false for a policy: some runs on the same rewards differ.
    "" if none do."""
    trials = watched_trials(policy)
    played = play(policy, environment, Seeded(address(seed, "deterministic"), trials), trials)
    return "" if are_equal(all_released(played)) else NOT_DETERMINISTIC.format(many=trials)
