"""Audit targets: one-shot mechanisms (a `Step`, or a round of a policy) on two neighbouring inputs.

There are three targets: a mechanism with a law, a mechanism without a law, and a mechanism of which the adversary sees
all noisy values.

If a claim is about all inputs, a violation may show only if the values of the other queries put the threshold into a
tail. So the other values are also tried with a common shift.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.play.probes import TrialFault, trial_fault
from dpbandits.audit.privacy.goodness import OPEN_TIES, chance_of
from dpbandits.audit.privacy.pipeline import (
    FIT,
    AuditedInstance,
    ByLaw,
    Choice,
    DrawnTrials,
    LawBounds,
    NotTestable,
    Score,
    certificate_by,
)
from dpbandits.audit.privacy.result import AS_NUMBERS, BY_LAW, BY_SAMPLES, judged_in_ways
from dpbandits.audit.privacy.scores.values import RecordedNoise, privacy_losses, round_scores
from dpbandits.audit.privacy.single_rounds import NextArm
from dpbandits.audit.statistics.events import MAIN_SHARE, ScoredTrials, plan_tests, require_finite, scored_by_search
from dpbandits.audit.statistics.region import excess_at_errors, excess_over_region, planned_region
from dpbandits.proofs_checks.exact.engine import step_profile
from dpbandits.proofs_checks.exact.shifted_noise import shifted_noise_profile
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.adjacency import SIDES
from dpbandits.reference.bandits.noise import Array, Seeded
from dpbandits.reference.bandits.policy import Ints, Step
from dpbandits.reference.bandits.protocol import demand_mechanism
from dpbandits.reference.bandits.release_laws.checked import Accuracy, accuracy, checked_release
from dpbandits.reference.bandits.release_laws.mechanisms import NoisyMax
from dpbandits.reference.claims.model import Private
from dpbandits.reference.curves import Curve

MIN_TRIALS = 8  # a quarter of them learns a score and chooses a test
MAX_INDICES = 2**24  # that a mechanism may release: each is counted
SHIFTS = tuple(np.linspace(-6.0, 6.0, 25))  # in units of the largest scale, or move


@dataclass(frozen=True)
class LawfulStep:
    """A step whose mechanism states its law. It is bounded exactly at the input for which the exact bound is largest,
    and sampled at the input for which samples should certify most."""

    step: Step
    says: Private
    instance: AuditedInstance

    @property
    def level(self) -> float:
        """The error probability of the certified tests.
        The rest of the audit's error probability is spent on comparing the trials with the law."""
        return self.instance.run.level * (1 - FIT)

    def choose(self) -> Choice[LawfulPlace]:
        """Chooses the two inputs that are worst by the law, and the two inputs on which samples should certify most."""
        trials, level = self.instance.run.profile.trials, self.level * MAIN_SHARE
        exactly, sampled = worst_places(self.step, self.says.relation, self.instance.curve, trials, level)
        rows = (*judged_in_ways(exactly.step, self.step, BY_LAW), *judged_in_ways(sampled.step, self.step, BY_SAMPLES))
        refutation = partial(certificate_by, "step_refutation", self.instance.claim, exactly.step, self.instance.curve)
        return Choice(sampled, ByLaw(partial(step_profile, exactly.step), refutation), judged=rows)

    def draw(self, choice: Choice[LawfulPlace]) -> DrawnTrials[list[Ints]] | NotTestable:
        """Draws the released indices on both inputs, and compares them with the law.
        An index that the law does not have is replaced by the law's last index."""
        seen, wrong, (step, laws) = [], "", choice.sampled
        for side, values, law in zip(SIDES, (step.left, step.right), laws, strict=True):
            noise = Seeded(self.instance.address(side, "audit"), self.instance.run.profile.trials)
            released = indices(step.mechanism, np.asarray(values), noise)
            if released.max() >= len(law):
                told = f"index {int(released.max())} was released, and the law has {len(law)} outcomes"
                wrong = wrong or f"behaviour does not follow its declared law: {told}"
                released = np.minimum(released, len(law) - 1)
            counts, within = np.bincount(released, minlength=len(law)), accuracy(step.mechanism, values)
            share = self.instance.run.level * FIT / 2
            contradicted = unlawful_release(counts, law, within, share)
            if contradicted and (free := arms_left_open(step.mechanism, values)).any():
                tied, any_tied = (np.append(each[~free], each[free].sum()) for each in (counts, law))
                if not unlawful_release(tied, any_tied, within, share):
                    return OPEN_TIES
            wrong = wrong or contradicted
            seen.append(released)
        return DrawnTrials(seen, wrong)

    def score(self, choice: Choice[LawfulPlace], drawn: DrawnTrials[list[Ints]], exactly: LawBounds) -> Score:
        """Returns the scores of the drawn releases by the law of the step. exactly: the exact bounds by this law."""
        laws = choice.sampled.laws
        if np.array_equal(laws[0], laws[1]):
            return Score(same="" if drawn.wrong else "the release has the same law on either side")
        ratio = log_ratio(laws)
        cuts = np.unique(ratio)[1:]
        left, right = (ratio[each] for each in drawn.sides)
        # The law has made the score, and says which errors to expect: all trials are fresh.
        tests = plan_tests(cuts, *errors(laws, ratio, cuts), self.instance.curve, len(left), self.level)
        return Score(ScoredTrials(left, right, tests), by_law=True)


@dataclass(frozen=True)
class SampledStep:
    """A step whose mechanism does not state its law. Its outputs are scored by their frequencies in one half of the
    search trials, and the other half chooses the thresholds, because a score looks too good on the trials that taught
    it."""

    step: Step
    instance: AuditedInstance

    @property
    def level(self) -> float:
        """The probability with which the audit may refute a true claim."""
        return self.instance.run.level

    def choose(self) -> Choice[Step]:
        """Returns the two inputs of the step, as the pair to audit."""
        return Choice(self.step, judged=judged_in_ways(self.step, self.step, BY_SAMPLES))

    def draw(self, choice: Choice[Step]) -> DrawnTrials[list[Ints]] | NotTestable:
        """Draws the released indices on both inputs; NotTestable if they are all equal, or the trials are too few."""
        step, profile = self.step, self.instance.run.profile
        released = [
            indices(step.mechanism, np.asarray(values), Seeded(self.instance.address(side, "audit"), profile.trials))
            for side, values in zip(SIDES, (step.left, step.right), strict=True)
        ]
        if np.array_equal(step.left, step.right):
            return NotTestable("both inputs are equal; give two different neighbouring inputs")
        if all((each == released[0][0]).all() for each in released):
            return NotTestable("every trial released the same, on either side")
        if not int(profile.trials * profile.search) // 2:
            return NotTestable(f"{profile.trials} trials are too few to choose a test by: give at least {MIN_TRIALS}")
        return DrawnTrials(released)

    def score(self, choice: Choice[Step], drawn: DrawnTrials[list[Ints]], exactly: LawBounds) -> Score:
        """Scores the drawn releases by their frequencies in the first half of the search trials.
        exactly: the exact bounds by a law, which are not used."""
        search = int(self.instance.run.profile.trials * self.instance.run.profile.search)
        half, size = search // 2, 1 + max(int(each.max()) for each in drawn.sides)
        counts = [np.bincount(each[:half], minlength=size) for each in drawn.sides]
        laws = [np.asarray((count + 0.5) / (half + size / 2), dtype=np.float64) for count in counts]
        left, right = (log_ratio(laws)[each] for each in drawn.sides)
        return Score(scored_by_search(left, right, search, self.instance.curve, self.level, taught=half), learnt=True)


@dataclass(frozen=True)
class NoisyStep:
    """All noisy values of a noisy maximum: shifted noise with an exactly known profile."""

    step: Step
    instance: AuditedInstance

    @property
    def level(self) -> float:
        """The probability with which the audit may refute a true claim."""
        return self.instance.run.level

    def choose(self) -> Choice[Step] | NotTestable:
        """Returns the step's two inputs, with the exact profile of its noisy values.
        NotTestable if the values are not declared or reveal nothing."""
        if not isinstance(self.step.mechanism, NoisyMax):
            idle = "it does not say what its noisy values are, as a noisy maximum does"
            return NotTestable(
                f"{idle}; what a policy samples is judged over whole runs, where the relation is 'pull' or 'round'"
            )
        left, right = (np.asarray(side) for side in (self.step.left, self.step.right))
        drawn = self.step.mechanism.noisy(left)
        if (exact := shifted_noise_profile(drawn.kind, np.abs(right - left) / drawn.scale[0])) is None:
            return NotTestable("the noisy values have the same law on either side, or lie too far apart")
        judged = judged_in_ways(self.step, self.step, BY_LAW, BY_SAMPLES)
        return Choice(self.step, ByLaw(lambda: exact), AS_NUMBERS, judged=judged)

    def draw(self, choice: Choice[Step]) -> DrawnTrials[list[Array]]:
        """Draws noisy values on both inputs; returns their privacy losses, search trials first, then fresh trials."""
        return DrawnTrials(
            [np.concatenate([self.losses(side, purpose) for purpose in ("search", "audit")]) for side in (0, 1)]
        )

    def losses(self, side: int, purpose: str) -> Array:
        """log p_right/p_left of all noisy values, (trials,). Raises ValueError if the release is not their maximum."""
        trials, mechanism = self.instance.run.profile.trials, self.step.mechanism
        inputs = [np.asarray(values) for values in (self.step.left, self.step.right)]
        sides = [mechanism.noisy(values) for values in inputs]
        here = sides[side]
        heard = RecordedNoise(Seeded(self.instance.address(SIDES[side], purpose), trials))
        released = mechanism.release(inputs[side], heard)
        draw = heard.draws[here.kind, here.site][0]
        if ((here.centre + sides[0].scale * draw).argmax(axis=1) != released).any():
            raise ValueError(
                f"{self.instance.label}: the index that `release` returned is not the argmax of values + scales "
                f"* draw, with the draw at site {here.site}; correct `release`, or the method `noisy` that declares "
                "the values"
            )
        return round_scores(privacy_losses(here.kind, sides[0][2:], sides[1][2:], side, draw))

    def score(self, choice: Choice[Step], drawn: DrawnTrials[list[Array]], exactly: LawBounds) -> Score:
        """Returns the scores of the fresh trials, with the tests that the search trials choose.
        exactly: the exact bounds by a law, which are not used."""
        left, right = drawn.sides
        return Score(scored_by_search(left, right, self.instance.run.profile.trials, self.instance.curve, self.level))


def indices(mechanism: Any, values: Array, noise: Any) -> Ints:
    """The indices that a one-shot mechanism releases, (trials,), as a copy because the mechanism may reuse its buffer.
    Raises ValueError for anything other than one index for each trial, TypeError for an object that is no mechanism."""
    demand_mechanism(mechanism)
    released = np.asarray(mechanism.release(values, noise))
    who = f"{type(mechanism).__name__}.release"
    if released.dtype.kind not in "biu" or released.shape != (noise.trials,):
        raise ValueError(
            f"{who} returned an array of shape {released.shape} and type {released.dtype}; it must return the released "
            f"index of each trial, integers of shape ({noise.trials},). For noisy numbers use `audit_mechanism`"
        )
    if not 0 <= int(released.min(initial=0)) <= int(released.max(initial=0)) < MAX_INDICES:
        odd = released.min() if released.min() < 0 else released.max()
        raise ValueError(f"{who} released the index {odd}; indices must be at least 0 and below {MAX_INDICES}")
    return released.astype(np.int64)


def arms_left_open(mechanism: Any, values: Sequence[float] | Array) -> NDArray[np.bool_]:
    """Marks the arms among which the law of a policy's round leaves the choice open, (arms,).
    All False for other mechanisms, and for a law that leaves nothing open."""
    left_open = mechanism.law_after_history(values).open if isinstance(mechanism, NextArm) else None
    return np.zeros(len(values), dtype=np.bool_) if left_open is None else np.asarray(left_open[0])


def probe_step(step: Step, seed: int) -> list[TrialFault]:
    """Returns the faults of the trials of a one-shot mechanism on its two inputs."""
    inputs = (np.asarray(step.left), np.asarray(step.right))
    faults = [trial_fault(partial(indices, step.mechanism, values), seed) for values in inputs]
    return [fault for fault in faults if fault is not None]


def unlawful_release(counts: Ints, law: Array, within: Accuracy, level: float) -> str:
    """The reason why the counts of released indices contradict the law; "" if they do not.
    If the law is right within its accuracy, this is "" with probability at least 1 - level."""
    trials, share = int(counts.sum()), level / (2 * len(law))
    chance = chance_of(counts, trials, law, within)
    worst = int(chance.argmin())
    if chance[worst] >= share:
        return ""
    return (
        f"behaviour does not follow its declared law: index {worst} was released with frequency "
        f"{counts[worst] / trials:.4g} where the law says {law[worst]:.4g} (chance {chance[worst]:.1g})"
    )


def log_ratio(laws: list[Array]) -> Array:
    """log P_right/P_left of each output. Raises ValueError if a law contains a nan."""
    ratio = el.log(np.maximum(laws[1], 1e-300)) - el.log(np.maximum(laws[0], 1e-300))
    return require_finite(ratio, "the law of a release")


def errors(laws: list[Array], score: Array, cuts: Array) -> tuple[Array, Array]:
    """The exact errors (alpha, beta) of the tests "right if score >= cut", both (cuts,)."""
    beyond = [np.array([law[score >= cut].sum() for cut in cuts]) for law in laws]
    missed = np.array([laws[1][score < cut].sum() for cut in cuts])
    return beyond[0], missed


class LawfulPlace(NamedTuple):
    """A step at the chosen values of its other queries, and the release laws there, on either side."""

    step: Step
    laws: list[Array]


def worst_places(step: Step, relation: str, curve: Curve, trials: int, level: float) -> tuple[LawfulPlace, LawfulPlace]:
    """The variant of the step that violates the claim most, and the one for which trials certify most.
    Variants differ in the values of the other queries (see `moved_steps`). The first one is the worst by its exact
    errors, the second one is that for which this many trials should certify most."""
    every = [
        LawfulPlace(moved, [checked_release(moved.mechanism, values) for values in (moved.left, moved.right)])
        for moved in moved_steps(step, relation)
    ]
    worst, most = [every[0]] * 2, [-np.inf, -np.inf]
    for place in every:
        score = log_ratio(place.laws)
        cuts = np.unique(score)[1:]
        if not len(cuts):
            continue
        true = errors(place.laws, score, cuts)
        likely = planned_region(trials * true[0], trials * true[1], trials, level)
        for way, each in enumerate((excess_at_errors(curve, *true), excess_over_region(curve, likely))):
            amount = float(np.max(each.amount))
            if amount > most[way]:
                worst[way], most[way] = place, amount
    return worst[0], worst[1]


def moved_steps(step: Step, relation: str) -> list[Step]:
    """Returns the step itself, and variants in which all queries but one have other values.
    The exception is the query that differs most between the sides.

    "query": the others are shifted, equally on both sides, by multiples of the largest scale, or of the largest move if
    no scale is known. "history": the others' running means are fractions of the largest that rewards in [0, 1] allow,
    which is 1 - s_i = n_i/(n_i + 1).
    """
    if isinstance(step.mechanism, NextArm):
        return [step]  # a policy's round was chosen among those that a run reaches
    left, right = np.asarray(step.left, float), np.asarray(step.right, float)
    pivot = int(np.abs(right - left).argmax())
    others = np.arange(len(left)) != pivot
    if relation == "history":
        still = others & (left == right)
        top = np.where(still, 1 - np.asarray(step.sensitivities), left)
        moved = [
            (np.where(still, share * top, left), np.where(still, share * top, right))
            for share in (0.0, 0.25, 0.5, 0.75, 1.0)
        ]
    else:
        known = isinstance(step.mechanism, NoisyMax)
        unit = float((step.mechanism.noisy(left).scale if known else np.abs(right - left)).max())
        moved = [(left + shift * unit * others, right + shift * unit * others) for shift in SHIFTS]
    return [step, *(step._replace(left=tuple(map(float, a)), right=tuple(map(float, b))) for a, b in moved)]
