"""A policy that plays many pairs of tables at once, with the same noise on either side of each: what a look is at.

Where a release differs, the changed reward made it differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.play.many import Many, both_tables
from dpbandits.audit.play.soonest import play_soonest
from dpbandits.audit.play.transcripts import BLOCK, NO_ARM, Transcripts, compact, stacked
from dpbandits.audit.privacy.scores.contexts import symbols
from dpbandits.audit.privacy.search.pairs import pair_in_words
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.noise import Array, Noise, Seeded, address
from dpbandits.reference.bandits.play import play
from dpbandits.reference.bandits.policy import OfSameShape, Policy, Pulls
from dpbandits.reference.bandits.recommendations import answers

SIDES = ("left", "right")
BothSides = tuple[Transcripts, Transcripts]


class Player(NamedTuple):
    """noise: the address of all its noise. hidden: whether the release of the changed round is not seen."""

    policy: Policy
    noise: int
    hidden: bool = False

    def play(self, pairs: Sequence[Pair], each: int, purpose: str) -> BothSides:
        """`each` runs of every pair on either side. The k-th runs of all pairs stand together: trial i plays pair i
        modulo their number."""
        seed = address(self.noise, purpose)
        try:
            left, right = (play_tables(self.policy, tables, each, seed) for tables in both_tables(pairs))
            return (hide_changed(left, pairs), hide_changed(right, pairs)) if self.hidden else (left, right)
        except Exception:
            self.blame(pairs, each, seed)
            raise

    def blame(self, pairs: Sequence[Pair], each: int, seed: int) -> None:
        """Raise the policy's error once more, on the first pair that provokes it alone, with a note about the pair."""
        for pair in pairs:
            for side, tables in zip(SIDES, both_tables([pair]), strict=True):
                try:
                    play_tables(self.policy, tables, each * len(pairs), seed)
                except Exception as error:
                    error.add_note(f"the policy was playing the {side} table of this pair: {pair_in_words(pair)}")
                    raise

    def batch_matters(self, pairs: Sequence[Pair], played: BothSides) -> bool:
        """Whether runs release something else in a smaller batch, though they repeat: then they are not independent.
        played: what `play` returned for the purpose "first"."""
        seed = address(self.noise, "first")
        for tables, side in zip(both_tables(pairs), played, strict=True):
            for few in (1, len(pairs)):
                batch = tables.playing(np.arange(few))
                alone, again = (compact(play(self.policy, batch, Seeded(seed, few), few)) for _ in range(2))
                alone, again = (hide_changed(one, pairs) if self.hidden else one for one in (alone, again))
                many = symbols(stacked([alone, again, side.part(0, few)])).reshape(3, few, -1)
                if (many[0] == many[1]).all() and (many[0] != many[2]).any():
                    return True
        return False


def play_tables(policy: Policy, tables: Many, each: int, seed: int) -> Transcripts:
    """`each` runs on every table, (tables * each) trials; those of a table are its number modulo the tables."""
    total, parts = len(tables.tables) * each, []
    many = -(-total // BLOCK)
    for block in range(many):
        size = min(BLOCK, total - block * BLOCK)
        which = (np.arange(size) + block * BLOCK) % len(tables.tables)
        noise = Seeded(seed, size, block)
        parts.append(compact(play_soonest(Noted(policy), tables.playing(which), noise, size, batches=many)))
    return stacked(parts)


def hide_changed(seen: Transcripts, pairs: Sequence[Pair]) -> Transcripts:
    """What others see of runs that play in turn on so many pairs: not the arm of the changed round. Raises ValueError
    where a step up to there pulls several times, or not at all: then it is not the round's."""
    rows, arms = np.arange(seen.trials), np.array(seen.arms, order="F")
    rounds = np.array([pair.changed_round - 1 for pair in pairs])[rows % len(pairs)]
    if seen.counts.shape[1] or (seen.sizes[:, : rounds.max(initial=0) + 1] != 1).any():
        raise ValueError("what others see leaves out a round, and this policy pulls not once in every step")
    arms[rows, rounds] = NO_ARM
    return seen._replace(arms=arms)


def aligned(sides: BothSides) -> BothSides:
    """Both sides padded to the same number of steps, in the same form."""
    both = stacked(sides)
    return both.part(0, sides[0].trials), both.part(sides[0].trials, both.trials)


def of_each_pair(sides: BothSides, pairs: int) -> list[BothSides]:
    """What was played of each of so many pairs."""
    return [(every_nth(sides[0], place, pairs), every_nth(sides[1], place, pairs)) for place in range(pairs)]


def every_nth(seen: Transcripts, start: int, step: int) -> Transcripts:
    rows = slice(start, None, step)
    return Transcripts(np.asfortranarray(seen.arms[rows]), np.asfortranarray(seen.sizes[rows]), seen.counts[rows])


@dataclass(frozen=True)
class Noted(OfSameShape):
    """A policy whose errors say in which step they were raised."""

    policy: Policy

    @property
    def answers(self) -> bool:
        return answers(self.policy)

    @property
    def joint(self) -> Policy:
        """What is compiled in its place."""
        return getattr(self.policy, "joint", self.policy)

    def init(self, trials: int) -> Any:
        return self.policy.init(trials)

    @property
    def contexts(self) -> int | None:
        return getattr(self.policy, "contexts", None)

    def act(self, t: int, state: Any, noise: Noise, *seen: Array) -> Pulls:
        with note_on_errors(f"raised in step {t}, when the policy chose its pulls (`act`)"):
            return self.policy.act(t, state, noise, *seen)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Array, noise: Noise, *seen: Array) -> Any:
        with note_on_errors(f"raised in step {t}, when the policy saw its rewards (`learn`)"):
            return self.policy.learn(t, state, pulls, sums, noise, *seen)


@contextmanager
def note_on_errors(note: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        error.add_note(note)
        raise
