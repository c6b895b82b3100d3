"""The law of DP-TS-UCB's next arm for an observer of all releases and rewards.

The samples that DP-TS-UCB repeats are hidden, so that it has no law of its own state. But they are independent
normals, and all that the past says about them is who won each round (`section_4_3_law`): the chance of the next arm is
the joint probability of the past rounds and the next, over that of the past rounds. With it, whatever asks a policy
for its law can be asked about DP-TS-UCB: conformance, goodness of fit, recorded runs, exact profiles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpbandits.proofs_checks.exact.unique_rows import state_words, unique_rows
from dpbandits.proofs_checks.papers.hu25.section_4_3_law import CONSTANT, Round, Sample, jointly, separate
from dpbandits.reference.arithmetic.checks import NoLaw
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.passing import state_rows
from dpbandits.reference.bandits.policy import RELATIVE, Ints, Law, OfSameShape, Pulls, one_arm
from dpbandits.reference.bandits.release_laws.argmax_law import argmax_law
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.hu25.algorithms import State

ERROR = 1e-11  # absolute, of a joint probability: two resolutions of the quadrature agree to 1e-13 a transcript
MOST = 14  # samples that fit together; each one doubles the time, and 14 take seconds for every state
TINY = 1e-300
GRID = (12, 8)  # panels on either side of the constant, and nodes in each


class Known(NamedTuple):
    """What a transcript says about a run of DP-TS-UCB. Rounds are forgotten when nothing depends on them any more."""

    mean: Array  # (trials, arms): as in `hu25.State`. SECRET
    used: Ints  # (trials, arms)
    epoch: Ints  # (trials, arms)
    waiting: Ints  # (trials, arms)
    pending: Array  # (trials, arms). SECRET
    left: Array  # (trials, arms)
    since: Ints  # (trials, arms): the step after which the epoch began
    winners: Ints  # (trials, horizon): what each step released; -1 for what is to come, or forgotten
    means: Array  # (trials, horizon, arms): of each step's sample; 0 where none was drawn. SECRET
    deviations: Array  # (trials, horizon, arms): 0 where none was drawn
    begun: Ints  # (trials, horizon, arms): `since`, as it was in each step


@dataclass(frozen=True)
class ByTranscript(OfSameShape):
    """A policy with the same releases and probabilities as DP-TS-UCB, and with a law."""

    policy: DPTSUCB

    def init(self, trials: int) -> Known:
        state, past = self.policy.init(trials), (trials, self.horizon, self.arms)
        return Known(
            state.mean, state.used, state.epoch, state.waiting, state.pending, state.left,
            since=np.zeros(past[::2], dtype=np.int64), winners=np.full(past[:2], -1), means=np.zeros(past),
            deviations=np.zeros(past), begun=np.zeros(past, dtype=np.int64),
        )  # fmt: skip

    def act(self, t: int, state: Known, noise: Noise) -> Pulls:
        chance = self.law(t, state).chance
        drawn = noise.uniform("arm", t)
        arm = (chance.cumsum(axis=1) <= drawn[:, None]).sum(axis=1)
        return Pulls.one(np.minimum(arm, self.arms - 1), self.arms)

    def learn(self, t: int, state: Known, pulls: Pulls, sums: Array, noise: Noise) -> Known:
        """Lines 7 and 12 to 16, but for the maxima, which are hidden."""
        left, past = state.left, (state.winners, state.means, state.deviations, state.begun)
        if t > self.arms:
            past = self.remembered(t, state, pulls.counts.argmax(axis=1))
            left = left - (left >= 1)
        unseen = np.zeros(left.shape)  # deviations and maxima, which the other numbers do not depend on
        before = State(state.mean, state.used, unseen, state.epoch, left, unseen, state.waiting, state.pending)
        after = self.policy.informed(t, before, pulls.counts, sums)
        known = Known(
            after.mean, after.used, after.epoch, after.waiting, after.pending, after.left,
            np.where(after.epoch > state.epoch, t, state.since), *past,
        )  # fmt: skip
        return forgetful(known, known.left < self.horizon - t)

    def remembered(self, t: int, state: Known, winner: Ints) -> tuple[Ints, Array, Array, Ints]:
        winners, begun = state.winners.copy(), state.begun.copy()
        means, deviations = state.means.copy(), state.deviations.copy()
        fresh = state.left >= 1
        winners[:, t - 1] = winner
        means[:, t - 1] = np.where(fresh, state.mean, 0.0)
        deviations[:, t - 1] = np.where(fresh, np.sqrt(self.policy.variance / np.maximum(state.used, 1)), 0.0)
        begun[:, t - 1] = state.since
        return winners, means, deviations, begun

    def law(self, t: int, state: Known) -> Law:
        """The probability of each arm in step t, given all earlier releases and rewards."""
        trials = len(state.left)
        if t <= self.arms:
            return one_arm(Pulls.one(np.full(trials, t - 1), self.arms).counts)
        scale = np.sqrt(self.policy.variance / np.maximum(state.used, 1))
        chance, absolute_error = (
            argmax_law(state.mean, scale),
            one_arm(np.ones((1, self.arms)) / self.arms).absolute_error,
        )
        # A round of fresh samples that nothing else depends on is a law by itself; others differ by their pasts.
        entangled = np.flatnonzero((state.left < 1).any(axis=1))
        first, kind = (
            unique_rows([part[entangled] for part in state_words(state)]) if entangled.size else (entangled, entangled)
        )
        for number, row in enumerate(entangled[first]):
            joint = np.array([self.together(t, state, int(row), arm) for arm in range(self.arms)])
            total = float(joint.sum())
            chance[entangled[kind == number]] = joint / total if total > 0 else 1 / self.arms
            absolute_error = max(absolute_error, min(0.5, ERROR / max(total, ERROR)))
        return one_arm(chance, 1, RELATIVE, absolute_error)

    def together(self, t: int, state: Known, row: int, arm: int) -> float:
        """The probability that step t releases this arm, and that the rounds that fit together with it were won by
        those who won them."""
        samples: list[Sample] = []
        drawn: dict[tuple[int, int], set[int]] = {}  # an arm's samples, by the step after which its epoch began
        start = {CONSTANT} if np.isfinite(self.policy.floor) else set()
        now = self.remembered(t, state_rows(state, slice(row, row + 1)), np.array([arm]))
        played: list[Round] = []
        for winner, means, deviations, begun in zip(*(part[0] for part in now), strict=True):
            if winner < 0:
                continue
            offers: list[frozenset[int]] = []
            for k in range(self.arms):
                epoch = drawn.setdefault((k, int(begun[k])), set())
                if deviations[k] > 0:
                    samples.append(Sample(k, float(means[k]), float(deviations[k])))
                    epoch.add(len(samples) - 1)
                    offers.append(frozenset({len(samples) - 1}))
                else:
                    offers.append(frozenset(epoch | start))
            played.append(Round(tuple(offers), int(winner)))
        mine = next(part for part in separate(played) if any(each is played[-1] for each in part))
        many = len(frozenset().union(*(offer for each in mine for offer in each.offers)) - {CONSTANT})
        if many > MOST:
            raise NoLaw(
                f"step {t}: {many} hidden samples are compatible with the transcript, too many to integrate "
                f"over (at most {MOST}); with a budget of {float(self.policy.phi):.3g} samples per epoch, "
                f"choose a T below {self.horizon}"
            )
        found = jointly(samples, mine, self.policy.floor, *GRID)
        return max(found, TINY) if found else 0.0  # 0 is impossible; below it is the quadrature's rounding


def forgetful(state: Known, short: Any) -> Known:
    """The state without past rounds where no arm will repeat what it drew in them. short: (trials, arms), where the
    budget may end before the run does."""
    gone = ~short.any(axis=1)
    if not gone.any():
        return state
    every = gone[:, None, None]
    return state._replace(
        since=np.where(gone[:, None], 0, state.since),
        winners=np.where(gone[:, None], -1, state.winners),
        means=np.where(every, 0.0, state.means),
        deviations=np.where(every, 0.0, state.deviations),
        begun=np.where(every, 0, state.begun),
    )


LAWS: Mapping[type, Callable[[Any], Any]] = {DPTSUCB: ByTranscript}
