"""Finds the steps in which a policy's law determines the release, and the steps in which the law leaves the choice
between tied arms open.

For tied arms a law states only the sum of their probabilities. So the state graph must contain all tied arms, and
evidence must count them as one outcome.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dpbandits.proofs_checks.exact.follow_transcripts import TranscriptStep
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.passing import State
from dpbandits.reference.bandits.policy import HasLaw, Ints, Law, OfSameShape
from dpbandits.reference.bandits.release_laws.checked import checked_law
from dpbandits.reference.bandits.release_laws.ties import best_arms

Number = TypeVar("Number", np.int64, np.float64)


class Decisions(NamedTuple):
    """Decisions that a law determines, and that a policy made accordingly.

    compared: their number; each state of a run counts once. tied: the number of decisions in which several arms were
    right. margin: the smallest distance between the best score and the largest score that does not tie with it; inf if
    there is none. scored: whether the law states scores.
    """

    compared: int = 0
    tied: int = 0
    margin: float = inf
    scored: bool = False

    def joined(self, other: Decisions) -> Decisions:
        """Returns the counts of both records together, with the smaller margin."""
        scored = self.scored or other.scored
        return Decisions(self.compared + other.compared, self.tied + other.tied, min(self.margin, other.margin), scored)

    @property
    def remarks(self) -> str:
        """Returns the number of decisions with tied arms, and the margin, as the end of a sentence; "" without both."""
        ties = f"; in {self.tied} of them several arms tie, and any of these is right" if self.tied else ""
        apart = f"; the smallest distance between the best score and the next is {self.margin:.3g}"
        return ties + (apart if self.margin < inf else "")


@dataclass(frozen=True, eq=False, repr=False)
class OpenChoices(OfSameShape):
    """A policy that offers every arm among which its law leaves the choice open, with equal probabilities.

    laws: the law that was computed last, as the policy states it.
    """

    policy: HasLaw
    laws: list[Law] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        """Returns any other attribute of the wrapped policy."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.policy, name)

    def init(self, trials: int) -> State:
        """Returns the wrapped policy's state of `trials` runs before the first step."""
        return self.policy.init(trials)

    def act(self, *step: Any) -> Any:
        """Returns the releases of the wrapped policy in a step."""
        return self.policy.act(*step)

    def learn(self, *step: Any) -> Any:
        """Returns the wrapped policy's state after the pulls of a step."""
        return self.policy.learn(*step)

    def law(self, t: int, state: State, *seen: Array) -> Law:
        """Returns the wrapped policy's law of step t, and stores it so that open choices can be compared with it."""
        law = checked_law(self.policy, t, state, None, *seen)
        self.laws[:] = [law]
        return with_open_choices_made(law)


def with_open_choices_made(law: Law) -> Law:
    """Returns a law with all choices made: arms that were left open share their probability equally."""
    if law.open is None or not law.open.any():
        return law
    some = law.open.any(axis=1, keepdims=True)
    shared = np.where(law.open, law.chance, 0.0).sum(axis=1, keepdims=True) / np.maximum(
        law.open.sum(axis=1, keepdims=True), 1
    )
    return law._replace(chance=np.where(some & law.open, shared, law.chance), log=None)


def open_as_one(values: NDArray[Number], law: Law) -> NDArray[Number]:
    """Moves the values of all open arms of a state, (states, arms), to its first open arm.
    Open arms are those among which the law leaves the choice open; all but the first get 0."""
    if law.open is None or not law.open.any():
        return values
    some, first = np.flatnonzero(law.open.any(axis=1)), law.open.argmax(axis=1)
    found = np.where(law.open, 0, values)
    found[some, first[some]] = np.where(law.open, values, 0).sum(axis=1)[some]
    return found


def rows_of_states(visit: TranscriptStep) -> Ints:
    """Returns the law's row for each state at the visit; -1 for states whose horizon is used up."""
    live = visit.layer.pulls_left > 0
    return np.where(live, np.cumsum(live) - 1, -1)


def counted_as_one(visit: TranscriptStep, law: Law) -> TranscriptStep:
    """Returns a copy of the visit in which all open arms of a state count as its first open arm.
    law: as the policy states it."""
    if law.open is None or not law.open.any():
        return visit
    offers, row = visit.transitions, rows_of_states(visit)[visit.transitions.source]
    left_open = np.flatnonzero((row >= 0) & law.open[row, offers.counts.argmax(axis=1)])
    first = np.full(len(visit.layer.pulls), -1)
    first[offers.source[left_open][::-1]] = left_open[::-1]
    target = np.arange(len(offers.source))
    target[left_open] = first[offers.source[left_open]]
    chance: Array = np.stack([np.bincount(target, each, len(target)) for each in offers.chance]).astype(np.float64)
    way = np.where(visit.way >= 0, target[visit.way], -1)
    return visit._replace(transitions=offers._replace(chance=chance), way=way)


def decisions_of(visit: TranscriptStep, law: Law, certain: NDArray[np.bool_] | np.bool_) -> Decisions:
    """Counts a policy's decisions at a visit, those with tied arms, and finds the smallest margin between scores.
    certain: whether the release is certain in each state, (m,)."""
    row = rows_of_states(visit)[np.intersect1d(np.flatnonzero(certain), visit.node)]
    return decisions_in_rows(law.rows(row[row >= 0]), np.True_)


def decisions_in_rows(law: Law, certain: NDArray[np.bool_] | np.bool_) -> Decisions:
    """Counts the decisions in a law's states, those with tied arms, and finds the smallest margin between scores.
    certain: whether the release is certain in each state, (states,); other states are no decisions."""
    if law.counts.shape[2] < 2:  # one arm is no decision
        return Decisions()
    row = np.flatnonzero(np.broadcast_to(certain, len(law.chance)))
    tied = 0 if law.open is None else int(law.open[row].any(axis=1).sum())
    if law.scores is None:
        return Decisions(len(row), tied)
    return Decisions(len(row), tied, float(margins(law.scores[row]).min(initial=inf)), True)


def margins(scores: Array) -> Array:
    """Returns the best score minus the best score that is not tied with it, (rows,). inf if all scores are tied."""
    with np.errstate(invalid="ignore", over="ignore"):  # inf - inf, and differences that no double holds
        below = scores.max(axis=1, keepdims=True) - scores
    return np.asarray(np.where(best_arms(scores, "any").tied, inf, below).min(axis=1))


def decision_in_words(law: Law, row: int, arm: int) -> str:
    """Returns a part of a sentence that compares a pulled arm's score with the arm that the reference pulls.
    It also contains all scores, and tied arms. row: the law's row."""
    assert law.scores is not None
    scores, best = law.scores[row], np.flatnonzero(law.scores[row] == law.scores[row].max())
    right = np.flatnonzero(law.chance[row] > 0 if law.open is None or not law.open[row].any() else law.open[row])
    listed = ", ".join(f"{score:.6g}" for score in scores)
    named = " or ".join(map(str, right.tolist()))
    tie = f"; arms {', '.join(map(str, best.tolist()))} tie" if len(best) > 1 else ""
    where = f"but the reference pulls arm {named}, with the scores {listed}{tie}"
    return f"pulls arm {arm} (score {scores[arm]:.6g}), {where}"
