"""Follows a reference policy along released transcripts. In each step this gives the states of the runs, the next
releases, and the probabilities of these releases by the reference's law."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.play.transcripts import compact_transcripts
from dpbandits.audit.statistics.decisions import (
    Decisions,
    OpenChoices,
    counted_as_one,
    decision_in_words,
    decisions_of,
    rows_of_states,
)
from dpbandits.proofs_checks.exact.follow_transcripts import (
    Release,
    ReleasedPulls,
    TranscriptStep,
    excluded_by_law,
    follow_transcripts,
)
from dpbandits.proofs_checks.exact.state_graph import Side, StateGraph, Transitions
from dpbandits.proofs_checks.exact.unique_rows import as_words, unique_rows
from dpbandits.reference.bandits.environments import Table, per_trial
from dpbandits.reference.bandits.noise import Array, Flags
from dpbandits.reference.bandits.play import Played
from dpbandits.reference.bandits.policy import HasLaw, Ints, Law
from dpbandits.reference.bandits.recommendations import answered, pulls_without_answers, unit
from dpbandits.reference.bandits.reward_rows import paid_before

# What a law's probability may be wrong by numerically, or what it states itself; argmax_law: 1e-13
PROBABILITY_SLACK = 1e-12
MAX_PASTS = 300  # so many different pasts are told apart; beyond, only states and last arms
MAX_SHOWN_RELEASES = 8  # releases that are spelt out
See = Callable[[TranscriptStep], None]


class ReferenceStep(NamedTuple):
    """One step of the reference, for m groups of runs: runs with the same releases so far or, once there are more than
    MAX_PASTS, with the same state of the reference and the same last arm."""

    t: int
    past: list[str]  # (m,): what the runs of a group have in common, in words
    last: Ints  # (m,): the last arm, -1 before the first pull
    visits: Ints  # (m,): how many runs
    released: Ints  # (m, arms): how many of them pull each arm next
    law: Array  # (m, arms): the probability of each arm by the reference's law
    left: int  # so much of the horizon, the answer included, a run has left at most before this step
    even: bool  # whether the reference goes on by one pull in every run, or gives an answer that was all that was left
    slack: float = PROBABILITY_SLACK  # bounds the absolute error of these probabilities
    decisions: Decisions = Decisions()  # those in which nothing is left to chance
    single: Flags | np.bool_ = (
        np.True_
    )  # (m,), or one for all: whether every release that is possible pulls one arm alone
    pulls: Ints | None = None  # (m, arms): pulls of each arm so far; None where they are not known
    paid: Array | None = None  # (m, arms): the sums of their rewards; None where they are not known
    runs: Ints | None = None  # (m,): the number of the run, where every group is one run


def see_nothing(visit: TranscriptStep) -> None:
    """Does nothing; the default of the argument `see`."""


class UnevenSteps(Exception):
    """The reference may make different numbers of pulls in a step, so single pulls do not determine its steps."""


def reference_steps(
    reference: HasLaw, environment: Side, played: Played, by_steps: bool, level: float = 0.0, see: See = see_nothing
) -> list[ReferenceStep] | str:
    """Returns the steps of the reference policy along recorded runs, or a text about a release that it cannot make.
    The text describes the first such release. The runs are followed pull by pull, unless single pulls do not determine
    the reference's steps. by_steps: whether to skip the attempt pull by pull. level, see: as in `steps_along`."""
    if not by_steps:
        try:
            pulls = releases_in_turn(pull_sequence(played), reference.arms)
            return steps_along(reference, environment, pulls, level, see)
        except UnevenSteps:
            pass
    return steps_along(reference, environment, compact_transcripts(played).released, level, see)


def steps_along(
    reference: HasLaw, environment: Side, released: Release, level: float = 0.0, see: See = see_nothing
) -> list[ReferenceStep] | str:
    """Returns the steps of the reference policy along all runs, or a text about a release that it cannot make.
    The text describes the first such release. level: an upper bound on the total probability that a right run is
    reported to make such a release, if the law is known only approximately. see: is called with every visit of a step.
    A run with a release that such a law does not know is followed no further; its visit counts as one without a pull.
    """
    steps, past, last, before = list[ReferenceStep](), [""], np.array([-1]), None
    offering, kinds = OpenChoices(reference), list[Any]()

    def remembered(t: int, offers: Transitions) -> ReleasedPulls | None:
        """Returns the releases of all runs in step t, and stores them in `kinds`.
        offers: the releases that the reference allows."""
        kinds[:] = [released(t, offers)]
        return kinds[0]  # type: ignore[no-any-return]

    for visit in follow_transcripts(StateGraph(offering, (environment,)), remembered, past_key):
        if before is not None:
            _, run = np.unique(visit.node, return_index=True)  # a run in each state
            run = np.flatnonzero(before.way >= 0)[run]
            last = before.transitions.counts[before.way[run]].argmax(axis=1)
            if len(np.unique(before.way)) <= MAX_PASTS:
                past = [f"{past[k]} {arm}" for k, arm in zip(before.node[run], last, strict=True)]
            else:
                made = visit.layer.pulls.tolist()
                past = [f" {n} pulls, arm {arm} last" for n, arm in zip(made, last, strict=True)]
        law = offering.laws[0]
        if (wrong := excluded_by_law(visit, reference.arms, level / (reference.horizon + 1))).any():
            first = int(wrong.argmax())
            return impossible_release(visit, first, law, kinds[0].kinds[visit.kind[first]])
        counted = counted_as_one(visit, law)
        steps.append(step_of_visit(counted, past, last, law)._replace(paid=known_sums(environment, visit.layer.pulls)))
        see(counted)
        before = visit
    return steps


def known_sums(environment: Side, pulls: Ints) -> Array | None:
    """Returns each arm's total reward in each state, (states, arms); None unless the environment is a reward table.
    pulls: the pulls of each arm so far."""
    if not isinstance(environment, Table):
        return None
    return paid_before(environment.rewards, environment.prefix, environment.lengths, pulls)


def past_key(taken: Transitions) -> Any:
    """Returns a key for each transition taken; histories with equal keys are counted together.
    If there are more than MAX_PASTS pasts, the key is only the arm pulled last."""
    return np.arange(len(taken.source)) if len(taken.source) <= MAX_PASTS else taken.counts.argmax(axis=1)


def step_of_visit(visit: TranscriptStep, past: list[str], last: Ints, stated: Law) -> ReferenceStep:
    """Returns, for each state at a visit, how many runs released each arm, and the law of the released arm.
    stated: the law as the policy states it."""
    offers, states = visit.transitions, len(visit.layer.pulls)
    taken = np.bincount(visit.way[visit.way >= 0], minlength=len(offers.source))
    released = sums_by_arm(offers, taken, states).astype(np.int64)
    left, visits = visit.layer.pulls_left, np.bincount(visit.node, minlength=states)
    used = np.where(answered(offers.counts), left[offers.source], per_trial(offers.counts))
    even = bool((used[left[offers.source] > 0] == 1).all())
    law = arm_law(visit)
    decisions = decisions_of(visit, stated, ~left_to_chance(law).any(axis=1))
    several = (offers.counts != 0).sum(axis=1) > 1
    single = np.bincount(offers.source[several & (offers.chance[0] > 0)], minlength=states) == 0
    return ReferenceStep(
        visit.t, past, last, visits, released, law, int(left.max()), even, law_slack(visit), decisions, single,
        visit.layer.pulls,
    )  # fmt: skip


def left_to_chance(law: Array) -> NDArray[np.bool_]:
    """Whether a release is neither certain nor impossible."""
    return np.asarray((law > PROBABILITY_SLACK) & (law < 1 - PROBABILITY_SLACK))


def arm_law(visit: TranscriptStep) -> Array:
    """Returns the probability that each arm is released in each state at a visit, (states, arms)."""
    return np.minimum(sums_by_arm(visit.transitions, visit.transitions.chance[0], len(visit.layer.pulls)), 1.0)


def sums_by_arm(offers: Transitions, amounts: Any, states: int) -> Array:
    """Adds up `amounts`, one for each release, over the releases that pull each arm in each state, (states, arms)."""
    pulls = offers.counts.T != 0
    return np.stack([np.bincount(offers.source[some], amounts[some], states) for some in pulls], axis=1)


def law_slack(visit: TranscriptStep) -> float:
    """Returns a bound on the absolute error of the law's probabilities at a visit."""
    return max(PROBABILITY_SLACK, visit.transitions.absolute_error, visit.transitions.error)  # a chance is at most 1


def impossible_release(visit: TranscriptStep, run: int, law: Law, released: Ints) -> str:
    """Describes a release in a run that the reference policy cannot make.
    run: the index of the run in the visit. law: as the reference states it. released: the pulls, (arms,)."""
    own = visit.transitions.counts[visit.transitions.source == visit.node[run]]
    sizes, done = per_trial(own), int(visit.layer.pulls[visit.node[run]].sum())
    each = ", or ".join(
        f"nothing more and answers arm {counts.argmin()}" if answered(counts) else str(counts.tolist())
        for counts in own[:MAX_SHOWN_RELEASES]
    )
    if ((own > 0).sum(axis=1) == 1).all() and (sizes == sizes[0]).all():
        each = f"one arm {'once' if sizes[0] == 1 else f'{sizes[0]} times'}"
    number = run if isinstance(visit.trial, slice) else int(visit.trial[run])
    if law.scores is not None and (row := int(rows_of_states(visit)[visit.node[run]])) >= 0 and released.sum() == 1:
        return f"run {number}, step {visit.t}: the policy {decision_in_words(law, row, int(released.argmax()))}"
    return f"run {number}: from pull {done + 1} on, the pulls differ from those of the reference, which pulls {each}"


def releases_in_turn(pulled: Ints, arms: int) -> Release:
    """Returns a function that gives the pulls of recorded runs, (trials, horizon), step by step of the reference.
    The function raises UnevenSteps if the reference may make different numbers of pulls in a step."""
    done = 0

    def released(t: int, offers: Transitions) -> ReleasedPulls:
        """Returns the pulls of step t in the recorded runs, as indices into the distinct pull counts.
        offers: the releases that the reference allows in this step."""
        nonlocal done
        sizes = per_trial(offers.counts)
        if sizes.min() != sizes.max():
            raise UnevenSteps
        block, done = pulled[:, done : done + sizes[0]], done + int(sizes[0])
        if sizes[0] == 1:
            return ReleasedPulls(block[:, 0], unit(arms))
        counts = (block[:, :, None] == np.arange(arms)).sum(axis=1)
        first, kind = unique_rows([as_words(counts)])
        return ReleasedPulls(kind, counts[first])

    return released


def pull_sequence(played: Played) -> Ints:
    """Returns the arm of every pull of every run, in order, (trials, pulls); -1 after the last pull.
    Pulls of one step are in the order of arms."""
    trials, steps, arms = played.released.shape
    which = np.tile(np.arange(arms), trials * steps)
    made = played.pulls.sum(axis=1)
    out: Ints = np.full((trials, made.max(initial=0)), -1)
    out[np.arange(out.shape[1]) < made[:, None]] = np.repeat(which, pulls_without_answers(played.released).ravel())
    return out
