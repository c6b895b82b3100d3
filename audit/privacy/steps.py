"""The privacy audit of a one-shot mechanism on two neighbouring inputs (a page's Step): exact law and samples.

Where a claim speaks of all inputs, the place on the line matters: a violation may show only where the other
queries' values put the threshold into a tail. So the other values are also tried shifted, all by the same amount.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.effort import Run
from dpbandits.audit.privacy.certificates import step_refutation
from dpbandits.audit.privacy.goodness import FIT, chance_of
from dpbandits.audit.privacy.inputs import BY_LAW, BY_SAMPLES, judged
from dpbandits.audit.privacy.outcomes import FAINT, Outcome, known
from dpbandits.audit.rounds.single import NextArm, Round
from dpbandits.audit.scores.values import Heard, losses, rounded
from dpbandits.audit.tradeoff.curve import excess, outline, said
from dpbandits.audit.tradeoff.events import MAIN, certify, finite, scored_by_law, scored_by_search
from dpbandits.proofs_checks.exact.laws import step_profile
from dpbandits.proofs_checks.exact.shifts import shifted
from dpbandits.reference import elementary as el
from dpbandits.reference.curves import Curve
from dpbandits.reference.laws import Accuracy, accuracy, checked_release
from dpbandits.reference.ledger import Private
from dpbandits.reference.mechanisms import LawfulMechanism, NoisyMax, Step
from dpbandits.reference.noise import Array, Seeded, address
from dpbandits.reference.policy import Ints
from dpbandits.reference.protocol import demand_mechanism

FEWEST = 8  # trials, a quarter of which learn a score and choose a test
MOST = 2**24  # indices that a mechanism may release: each is counted
SHIFTS = tuple(np.linspace(-6.0, 6.0, 25))  # in units of the largest scale, or move


def is_step(subject: Any) -> bool:
    """Whether it is a one-shot mechanism on two inputs, or a round of a policy."""
    return isinstance(subject, Step | Round)


def audit_step(step: Any, says: Private, curve: Curve, run: Run, label: str, site: tuple[str, ...]) -> Outcome:
    """Audit a one-shot mechanism against one claimed curve: exactly where that says most, and from samples where
    they say most. site: what the noise is addressed by, with the run's seed."""
    if says.view == "samples":
        return audit_noisy_values(step, curve, run, label, site)
    if not isinstance(step.mechanism, LawfulMechanism):
        return audit_black_box(step, curve, run, label, site)
    trials, level = run.profile.trials, run.level * (1 - FIT)
    worst, found, laws = placed(step, says, curve, trials, level * MAIN)
    exact = step_profile(worst)
    ends = known(curve, exact)
    where = (*judged(worst, step, *[BY_LAW] * (ends is not None)), *judged(found, step, BY_SAMPLES))
    outcome = Outcome(label, curve, looked=FAINT) if ends is None else Outcome(label, curve, None, ends, exact)
    outcome = outcome._replace(judged=where)
    if outcome.bounds is not None and outcome.bounds.refutes:
        outcome = outcome._replace(
            certificate=partial(step_refutation, site[0], worst, curve, exact, outcome.bounds.at)
        )
    score, seen, wrong = log_ratio(laws), [], ""
    for side, values, law in zip(("left", "right"), (found.left, found.right), laws, strict=True):
        noise = Seeded(address(run.seed, *site, side, "audit"), trials)
        released = indices(found.mechanism, np.asarray(values), noise)
        if released.max() >= len(law):
            wrong = wrong or unknown_index(int(released.max()), len(law))
            released = np.minimum(released, len(law) - 1)
        seen.append(score[released])
        counts, within = np.bincount(released, minlength=len(law)), accuracy(found.mechanism, values)
        wrong = wrong or unlawful_release(counts, law, within, run.level * FIT / 2)
    if np.array_equal(laws[0], laws[1]):
        return outcome._replace(wrong=wrong, same="" if wrong else "the release has the same law on either side")
    cuts = np.unique(score)[1:]
    scored = scored_by_law(seen[0], seen[1], cuts, errors(laws, score, cuts), curve, level)
    return outcome._replace(sampled=certify(*scored, curve, level), wrong=wrong, by_law=True)


def audit_black_box(step: Any, curve: Curve, run: Run, label: str, site: tuple[str, ...]) -> Outcome:
    """A mechanism that says nothing of its law: its outputs are scored by their frequencies in one half of the search
    trials, and the other half chooses the thresholds, for a score looks best where it was learnt."""
    trials, search = run.profile.trials, int(run.profile.trials * run.profile.search)
    released = [
        indices(step.mechanism, np.asarray(values), Seeded(address(run.seed, *site, side, "audit"), trials))
        for side, values in (("left", step.left), ("right", step.right))
    ]
    if np.array_equal(step.left, step.right):
        return Outcome(label, curve, idle="both inputs are the same, so that nothing could tell them apart")
    if all((each == released[0][0]).all() for each in released):
        return Outcome(label, curve, idle="every trial released the same, on either side")
    if not (half := search // 2):
        return Outcome(label, curve, idle=f"{trials} trials are too few to choose a test by: give at least {FEWEST}")
    size = 1 + max(int(each.max()) for each in released)
    counts = [np.bincount(each[:half], minlength=size) for each in released]
    laws = [np.asarray((count + 0.5) / (half + size / 2), dtype=np.float64) for count in counts]
    left, right = (log_ratio(laws)[each] for each in released)
    scored = scored_by_search(left, right, search, curve, run.level, taught=half)
    return Outcome(label, curve, certify(*scored, curve, run.level), learnt=True, judged=judged(step, step, BY_SAMPLES))


def indices(mechanism: Any, values: Any, noise: Any) -> Ints:
    """What a one-shot mechanism releases, a copy (trials,), for it may well reuse its buffer. ValueError for anything
    but an index for every trial, TypeError for what is no mechanism."""
    demand_mechanism(mechanism)
    released = np.asarray(mechanism.release(values, noise))
    who = f"{type(mechanism).__name__}.release"
    if released.dtype.kind not in "biu" or released.shape != (noise.trials,):
        raise ValueError(
            f"{who}: returned an array of shape {released.shape} and type {released.dtype}; it must be whole numbers "
            f"({noise.trials},), the index that every trial releases (`audit_mechanism` takes noisy numbers)"
        )
    if not 0 <= int(released.min(initial=0)) <= int(released.max(initial=0)) < MOST:
        odd = released.min() if released.min() < 0 else released.max()
        raise ValueError(f"{who}: released the index {odd}; indices are at least 0 and below {MOST}")
    return released.astype(np.int64)


def unknown_index(index: int, outcomes: int) -> str:
    return (
        f"behaviour does not follow its declared law: index {index} was released, and the law has {outcomes} outcomes"
    )


def unlawful_release(counts: Any, law: Array, within: Accuracy, level: float) -> str:
    """Why the counts of released indices contradict the law; empty where they do not, which the counts of a law that is
    right within its accuracy do with probability at least 1 - level."""
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
    """log P_right/P_left of each output. Raises ValueError where a law holds a nan."""
    ratio = el.log(np.maximum(laws[1], 1e-300)) - el.log(np.maximum(laws[0], 1e-300))
    return finite(ratio, "the law of a release")


def errors(laws: list[Array], score: Array, cuts: Array) -> tuple[Array, Array]:
    """The exact errors (alpha, beta) of the tests "right if score >= cut", both (cuts,)."""
    beyond = [np.array([law[score >= cut].sum() for cut in cuts]) for law in laws]
    missed = np.array([laws[1][score < cut].sum() for cut in cuts])
    return beyond[0], missed


class Place(NamedTuple):
    """Where a step was looked at."""

    exactly: Any  # the step where its exact errors say most about the claim
    sampled: Any  # the step where so many trials may be expected to certify most
    laws: list[Array]  # the release laws of the latter on either side


def placed(step: Any, says: Private, curve: Curve, trials: int, level: float) -> Place:
    """The step with its other queries moved to where the claim looks worst."""
    laws_here = [checked_release(step.mechanism, values) for values in (step.left, step.right)]
    best, most = Place(step, step, laws_here), [-np.inf, -np.inf]
    for place in places(step, says.relation):
        laws = [checked_release(place.mechanism, values) for values in (place.left, place.right)]
        score = log_ratio(laws)
        cuts = np.unique(score)[1:]
        if not len(cuts):
            continue
        true = errors(laws, score, cuts)
        likely = outline(trials * true[0], trials * true[1], trials, level)
        here = [float(np.max(each.amount)) for each in (excess(curve, *true), said(curve, likely))]
        if here[0] > most[0]:
            best, most[0] = best._replace(exactly=place), here[0]
        if here[1] > most[1]:
            best, most[1] = best._replace(sampled=place, laws=laws), here[1]
    return best


def places(step: Any, relation: str) -> list[Any]:
    """The step, and the same step with every query but the one that moves most elsewhere.

    "query": the others shifted, on both sides alike, by multiples of the largest scale, or where no scale is known of
    the largest move. "history": the others' running means at shares of the largest that rewards in [0, 1] allow, which
    is 1 - s_i = n_i/(n_i + 1).
    """
    if isinstance(step.mechanism, NextArm) and step.mechanism.history is not None:
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


# -- the noisy values themselves ---------------------------------------------------------------------------------


def audit_noisy_values(step: Any, curve: Curve, run: Run, label: str, site: tuple[str, ...]) -> Outcome:
    """The view of all noisy values of a noisy maximum: shifted noise, whose profile is known exactly."""
    mechanism, sides = step.mechanism, (np.asarray(step.left), np.asarray(step.right))
    if not isinstance(mechanism, NoisyMax):
        idle = "it does not say what its noisy values are, as a noisy maximum does"
        whole = "what a policy samples is judged over whole runs, where the relation is 'pull' or 'round'"
        return Outcome(label, curve, idle=f"{idle}; {whole}")
    drawn = [mechanism.noisy(values) for values in sides]
    kind, scale = drawn[0].kind, drawn[0].scale
    if (exact := shifted(kind, np.abs(sides[1] - sides[0]) / scale[0])) is None:
        return Outcome(label, curve, idle="the noisy values have the same law on either side, or lie too far apart")
    trials = run.profile.trials

    def scores(side: int, purpose: str) -> Array:
        heard = Heard(Seeded(address(run.seed, *site, ("left", "right")[side], purpose), trials))
        released, here = mechanism.release(sides[side], heard), drawn[side]
        draw = heard.draws[kind, here.site][0]
        if ((here.centre + scale * draw).argmax(axis=1) != released).any():
            raise ValueError(f"{label}: the released index is not the argmax of values + scales * {here.site}")
        return rounded(losses(kind, drawn[0][2:], drawn[1][2:], side, draw))

    seen = [np.concatenate([scores(side, purpose) for purpose in ("search", "audit")]) for side in (0, 1)]
    scored = scored_by_search(seen[0], seen[1], trials, curve, run.level)
    where = judged(step, step, BY_LAW, BY_SAMPLES)
    return Outcome(label, curve, certify(*scored, curve, run.level), curve.bounds(exact), exact, judged=where)
