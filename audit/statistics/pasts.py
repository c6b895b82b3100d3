"""E-values of releases against a law, for groups of runs with the same beginning, or the same last pulls.

A release may depend on the past in a wrong way, and still have the right frequency in each state that is visited often,
and on average over all states. For example, the last pull may repeat the third pull after some first rewards, and do
the opposite after others. So in every step runs are pooled over states: all runs; runs with the same first pulls; with
the same arm in one of these pulls; with the same last pulls. The group of a run depends only on its past, so the
products of `e_values` are e-values here as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import inf, log

import numpy as np

from dpbandits.audit.statistics.along import arm_law, law_slack
from dpbandits.audit.statistics.e_values import EvidenceGroup
from dpbandits.proofs_checks.exact.follow_transcripts import TranscriptStep
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

PAST_TILTS = np.array([s * sign for s in (0.2, 0.8, 3.2) for sign in (1, -1)])  # tilts: as `e_values.TILTS`, but fewer
MAX_BEGINNINGS, MAX_ENDINGS = 64, 16  # so many beginnings are told apart, and so many ends
PAST_GROUPINGS = 4  # all runs, beginnings, one of the first pulls, ends


@dataclass(frozen=True)
class Pasts:
    """Groups of e-values along the visits of one environment; their weights add up to at most exp(log_share).

    name: of the environment. The share of a step is fixed before the step, whatever the number of steps: half of the
    total is spread evenly over the horizon, half goes to the first steps, as 1/(t (t + 1)).
    """

    arms: int
    horizon: int
    name: str
    log_share: float
    groups: list[EvidenceGroup] = field(default_factory=list)
    # What each run began with, as a number with a digit for each pull, and what its last pulls were; none at first.
    told: list[Ints] = field(default_factory=list)

    @property
    def digits(self) -> int:
        """Returns how many first pulls define a group of runs: the runs of a group begin with the same pulls."""
        return int(log(MAX_BEGINNINGS + 0.5) / log(max(2, self.arms)))

    def add(self, visit: TranscriptStep) -> None:
        """Adds the releases of one more step.
        A first step restarts the groups, because single pulls may not distinguish a reference's steps, and then its
        runs are followed again, step by step (`along.reference_steps`).
        """
        many, t = len(visit.way), visit.t
        if t == 1:
            self.groups.clear()
            self.told[:] = np.zeros((2, many), dtype=np.int64)
        first, last = self.told
        told = min(t - 1, self.digits)
        terms = terms_of(visit)
        begun = sums_by_label(visit, terms, first[visit.trial], self.arms**told)
        place = log((t <= self.horizon) / self.horizon + 1 / (t * (t + 1))) - log(2)
        weight, where = (
            self.log_share + place - log(PAST_GROUPINGS),
            f"{self.name}: step {t}" if self.name else f"step {t}",
        )
        shape = (*[self.arms] * told, *begun.shape[1:])
        alone = [np.moveaxis(begun.reshape(shape), k, 0) for k in range(told)]
        each = [one.reshape(self.arms, -1, *begun.shape[1:]).sum(axis=1) for one in alone]
        self.groups.append(group_of_sums(begun.sum(axis=0, keepdims=True), lambda _: f"{where}, all runs", weight))
        if told:
            self.groups.append(group_of_sums(begun, partial(after_beginning_label, where, self.arms, told), weight))
            self.groups.append(group_of_sums(np.concatenate(each), partial(after_pull_label, where, self.arms), weight))
        ends = self.arms ** int(log(MAX_ENDINGS + 0.5) / log(max(2, self.arms)))
        if told and self.arms > 1:
            self.groups.append(
                group_of_sums(
                    sums_by_label(visit, terms, last[visit.trial], ends), partial(after_ending_label, where), weight
                )
            )
        arm = np.abs(visit.transitions.counts[visit.way]).argmax(axis=1)
        if t <= self.digits:
            first[visit.trial] = first[visit.trial] * self.arms + arm
        last[visit.trial] = (last[visit.trial] * self.arms + arm) % ends


def after_beginning_label(where: str, arms: int, length: int, k: int) -> str:
    """Returns the label, in words, of the runs that began with the k-th sequence of `length` arms."""
    return f"{where}, after the arms {', '.join(map(str, np.unravel_index(k, [arms] * length)))} at first"


def after_pull_label(where: str, arms: int, k: int) -> str:
    """Returns the label, in words, of the runs that pulled arm k % arms in step k // arms + 1."""
    return f"{where}, after arm {k % arms} in step {k // arms + 1}"


def after_ending_label(where: str, k: int) -> str:
    """Returns the label, in words, of the k-th set of runs with the same last pulls."""
    return f"{where}, after the same last arms (number {k})"


def terms_of(visit: TranscriptStep) -> Array:
    """Returns what one run in a state adds to the sums of its set, for each arm, (arms, states, 1 + tilts).
    The entries are the probability of the arm, and the logarithm of one over the denominator of each e-value."""
    law, slack, grown = arm_law(visit).T, law_slack(visit), np.expm1(PAST_TILTS)
    # Where the law may be off by the slack, the denominator errs on the policy's side.
    chance = np.clip(law[:, :, None] + np.where(grown > 0, 1, -1) * slack, 0.0, 1.0)
    return np.concatenate([law[:, :, None], -np.log1p(chance * grown)], axis=2)


def sums_by_label(visit: TranscriptStep, terms: Array, label: Ints, sets: int) -> Array:
    """Adds up pulls and evidence over the runs of each set, for each arm, (sets, arms, 3 + tilts).
    They are the number of runs, the number that released the arm, the expected number, and the logarithms of the
    e-values. terms: `terms_of` the visit. label: the set that contains each run."""
    arms, states, _ = terms.shape
    found = np.zeros((sets, arms, 3 + len(PAST_TILTS)))
    found[:, :, 0] = np.bincount(label, minlength=sets)[:, None]
    visits = np.bincount(label * states + visit.node, minlength=sets * states) if sets * states <= len(label) else None
    hit = visit.transitions.counts[visit.way] != 0
    for arm, due in enumerate(terms):
        found[:, arm, 1] = np.bincount(label, hit[:, arm] & (visit.way >= 0), sets)
        if visits is not None:
            found[:, arm, 2:] = np.einsum("ls,sc->lc", visits.reshape(sets, states), due)
        else:
            found[:, arm, 2:] = np.stack([np.bincount(label, each[visit.node], sets) for each in due.T], axis=1)
    found[:, :, 3:] += found[:, :, 1, None] * PAST_TILTS
    return found


def group_of_sums(sums: Array, name: Callable[[int], str], log_weight: float) -> EvidenceGroup:
    """Returns one group of evidence against the law, made from the sums over each set of runs.
    sums: the sums for each set and arm."""
    sets, arms, _ = sums.shape
    evidence = np.logaddexp.reduce(sums[:, :, 3:], axis=-1) - log(len(PAST_TILTS))
    weight = log_weight - log(sets * arms)
    visits, released, due = sums[:, 0, 0], sums[:, :, 1], sums[:, :, 2]
    return EvidenceGroup(name, visits, released, due, evidence, np.full_like(due, -inf), weight)
