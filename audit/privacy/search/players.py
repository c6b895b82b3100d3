"""Plays many pairs of tables at once, with the same noise on both sides of each pair.

So if a release differs, the changed reward is the cause.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.play.fastest import play_fastest
from dpbandits.audit.play.many import TableBatch
from dpbandits.audit.play.transcripts import BLOCK, NO_ARM, BothSides, Transcripts, compact_transcripts, stacked
from dpbandits.audit.privacy.scores.contexts import symbols
from dpbandits.audit.privacy.search.pairs import pair_in_words
from dpbandits.audit.privacy.search.proposals import PairBatch
from dpbandits.reference.bandits.adjacency import SIDES
from dpbandits.reference.bandits.noise import Array, Noise, Seeded, address
from dpbandits.reference.bandits.play import play
from dpbandits.reference.bandits.policy import Ints, OfSameShape, Policy, Pulls
from dpbandits.reference.bandits.recommendations import answers

PROBED_RUNS = 120  # of the first look, which are played again in a batch of their own


class Player(NamedTuple):
    """Plays runs of a policy on pairs of tables. noise: the address of all its noise. hidden: whether the adversary
    does not see the release of the changed round."""

    policy: Policy
    noise: int
    hidden: bool = False

    def play(self, batch: PairBatch, each: int, purpose: str) -> BothSides:
        """Plays `each` runs of every pair on either side, with the same noise on both, and returns the transcripts.
        The k-th runs of all pairs are adjacent: trial i plays pair i modulo their number."""
        seed = address(self.noise, purpose)
        try:
            return self.play_seeded(batch, each, seed)
        except Exception:
            self.blame(batch, each, seed)
            raise

    def play_seeded(self, batch: PairBatch, runs: int, seed: int) -> BothSides:
        """Plays `runs` runs of every pair on either side, from this seed.
        Releases that the adversary does not see are left out."""
        left, right = (play_tables(self.policy, tables, runs, seed) for tables in batch.tables())
        return (hide_changed(left, batch.place), hide_changed(right, batch.place)) if self.hidden else (left, right)

    def blame(self, batch: PairBatch, runs: int, seed: int) -> None:
        """Finds a pair on which the policy raises its error again, and raises it with a note that names the pair.
        Does nothing if no single pair raises it."""
        while len(batch) > 1:
            for half in (batch.take(np.arange(len(batch) // 2)), batch.take(np.arange(len(batch) // 2, len(batch)))):
                try:
                    self.play_seeded(half, -(-runs * len(batch) // len(half)), seed)
                except Exception:
                    batch = half
                    break
            else:
                return
            runs = 2 * runs
        for side, tables in zip(SIDES, batch.tables(), strict=True):
            try:
                play_tables(self.policy, tables, runs, seed)
            except Exception as error:
                error.add_note(f"the policy was playing the {side} table of this pair: {pair_in_words(batch.pair(0))}")
                raise

    def batch_matters(self, batch: PairBatch, played: BothSides) -> bool:
        """Whether some runs release something else in a smaller batch, so that runs are not independent.
        Equal calls give equal runs. played: the result of `play` for the purpose "first"."""
        seed = address(self.noise, "first")
        for tables, side in zip(batch.tables(), played, strict=True):
            for few in (1, min(len(batch), PROBED_RUNS)):
                smaller = tables.playing(np.arange(few))
                alone, again = (
                    compact_transcripts(play(self.policy, smaller, Seeded(seed, few), few)) for _ in range(2)
                )
                alone, again = (hide_changed(one, batch.place) if self.hidden else one for one in (alone, again))
                many = symbols(stacked([alone, again, side.part(0, few)])).reshape(3, few, -1)
                if (many[0] == many[1]).all() and (many[0] != many[2]).any():
                    return True
        return False


def play_tables(policy: Policy, tables: TableBatch, runs: int, seed: int) -> Transcripts:
    """Plays `runs` runs on every table, and returns the transcripts of the (tables * runs) trials.
    A trial's table is its number modulo the number of tables."""
    total, parts = len(tables.tables) * runs, []
    many = -(-total // BLOCK)
    for block in range(many):
        size = min(BLOCK, total - block * BLOCK)
        which = (np.arange(size) + block * BLOCK) % len(tables.tables)
        noise = Seeded(seed, size, block)
        parts.append(compact_transcripts(play_fastest(Noted(policy), tables.playing(which), noise, size, batches=many)))
    return stacked(parts)


def hide_changed(seen: Transcripts, places: Ints) -> Transcripts:
    """Returns a copy of the transcripts without the arm pulled in the changed round, which other users do not see.
    places: the changed round of each pair, (pairs,), counted from 0. Raises ValueError if a step up to the changed
    round pulls several times, or not at all, because then steps are not rounds."""
    rows, arms = np.arange(seen.trials), np.array(seen.arms, order="F")
    rounds = places[rows % len(places)]
    if seen.counts.shape[1] or (seen.sizes[:, : rounds.max(initial=0) + 1] != 1).any():
        raise ValueError(
            "the view of all other users requires exactly one pull in every step, because it leaves out the changed "
            "round; this policy makes no pull or several pulls in some steps; use another view"
        )
    arms[rows, rounds] = NO_ARM
    return seen._replace(arms=arms)


def aligned(sides: BothSides) -> BothSides:
    """The transcripts of both sides, padded to the same number of steps and stored in the same form."""
    both = stacked(sides)
    return both.part(0, sides[0].trials), both.part(sides[0].trials, both.trials)


def of_each_pair(sides: BothSides, pairs: int) -> list[BothSides]:
    """Returns the runs of each pair, from runs in which trial i belongs to pair i modulo the number of pairs."""
    return [(every_nth(sides[0], place, pairs), every_nth(sides[1], place, pairs)) for place in range(pairs)]


def every_nth(seen: Transcripts, start: int, step: int) -> Transcripts:
    """The transcripts of every step-th trial, beginning with trial `start`."""
    rows = slice(start, None, step)
    return Transcripts(np.asfortranarray(seen.arms[rows]), np.asfortranarray(seen.sizes[rows]), seen.counts[rows])


@dataclass(frozen=True)
class Noted(OfSameShape):
    """A policy whose errors name the step in which they were raised."""

    policy: Policy

    @property
    def answers(self) -> bool:
        """Whether the wrapped policy ends its runs with an answer."""
        return answers(self.policy)

    @property
    def joint(self) -> Policy:
        """The wrapped policy's compiled form if it has one, otherwise the wrapped policy."""
        return getattr(self.policy, "joint", self.policy)

    def init(self, trials: int) -> Any:
        """The wrapped policy's state of `trials` runs before the first step."""
        return self.policy.init(trials)

    @property
    def contexts(self) -> int | None:
        """The number of features of an arm that the wrapped policy sees; None if it declares none."""
        return getattr(self.policy, "contexts", None)

    def act(self, t: int, state: Any, noise: Noise, *seen: Array) -> Pulls:
        """Returns the wrapped policy's releases in step t; an exception gets a note that names the step."""
        with note_on_errors(f"raised in step {t}, when the policy chose its pulls (`act`)"):
            return self.policy.act(t, state, noise, *seen)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Array, noise: Noise, *seen: Array) -> Any:
        """Returns the wrapped policy's state after step t's pulls; an exception gets a note that names the step."""
        with note_on_errors(f"raised in step {t}, when the policy saw its rewards (`learn`)"):
            return self.policy.learn(t, state, pulls, sums, noise, *seen)


@contextmanager
def note_on_errors(note: str) -> Iterator[None]:
    """A context manager that adds the note to an exception raised within it."""
    try:
        yield
    except Exception as error:
        error.add_note(note)
        raise
