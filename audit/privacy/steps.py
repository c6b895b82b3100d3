"""The privacy audit of a one-shot mechanism on two neighbouring inputs (a page's Step): exact law and samples.

Where a claim speaks of all inputs, the place on the line matters: a violation may show only where the other
queries' values put the threshold into a tail. So the other values are also tried shifted, all by the same amount.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from dpbandits.audit.effort import Run
from dpbandits.audit.privacy.certificates import step_refutation
from dpbandits.audit.privacy.goodness import FIT, SLACK
from dpbandits.audit.privacy.outcomes import FAINT, Outcome, unknown
from dpbandits.audit.scores.samples import Overheard
from dpbandits.audit.tradeoff.binomial import at_least, at_most
from dpbandits.audit.tradeoff.curve import excess, outline, said
from dpbandits.audit.tradeoff.events import MAIN, certify, finite, scored_by_law, scored_by_search
from dpbandits.proofs_checks.exact.laws import step_profile
from dpbandits.proofs_checks.vocabulary.contexts import fp
from dpbandits.reference.curves import Curve, gaussian_delta, gaussian_renyi
from dpbandits.reference.curves.curve import Exact
from dpbandits.reference.laws import checked_release
from dpbandits.reference.ledger import Private
from dpbandits.reference.mechanisms import ReportNoisyMax
from dpbandits.reference.noise import Array, Seeded, address

ROUNDING = 1e-12  # relative, of a few operations on doubles
SHIFTS = tuple(np.linspace(-6.0, 6.0, 25))  # in units of the largest scale


def is_step(subject: Any) -> bool:
    return all(hasattr(subject, name) for name in ("mechanism", "left", "right", "sensitivities"))


def release_law(mechanism: Any, values: Array) -> Array:
    """The law of the released index, (n,), to about 1e-10; exact up to rounding for Gaussian noise and two queries.

    Raises TypeError for a mechanism that offers no `law` and is no `ReportNoisyMax`: what else has a scale may well do
    something else with it.
    """
    if hasattr(mechanism, "law") and not isinstance(mechanism, TwoLaplace):
        return checked_release(mechanism, values)
    if not isinstance(mechanism, ReportNoisyMax | TwoLaplace):
        raise TypeError(f"{mechanism!r} has no law(values) and is no ReportNoisyMax: its release law is unknown")
    return np.array([laplace_wins(values / mechanism.scale, index) for index in range(len(values))])


def laplace_wins(values: Array, index: int) -> float:
    """P(values[index] plus standard Laplace noise is the largest)."""
    others = np.delete(values, index) - values[index]
    if len(others) == 1:
        gap = float(-others[0])
        tail = np.exp(-abs(gap)) * (0.5 + abs(gap) / 4)
        return float(1 - tail if gap >= 0 else tail)

    def density(x: float) -> float:
        gaps = x - others
        return float(0.5 * np.exp(-abs(x)) * np.where(gaps < 0, np.exp(gaps) / 2, 1 - np.exp(-gaps) / 2).prod())

    knots = sorted({0.0, *(float(other) for other in others)})
    ends = [knots[0] - 40.0, *knots, knots[-1] + 40.0]
    return float(sum(quad(density, a, b, epsabs=1e-13)[0] for a, b in pairwise(ends)))


def audit_step(step: Any, says: Private, curve: Curve, run: Run, label: str, site: tuple[str, ...]) -> Outcome:
    """Audit a one-shot mechanism against one claimed curve: exactly where that says most, and from samples where
    they say most. site: what the noise is addressed by, with the run's seed."""
    if says.view == "samples":
        return audit_noisy_values(step, curve, run, label, site)
    if not knows_law(step.mechanism):
        return audit_black_box(step, curve, run, label, site)
    trials, level = run.profile.trials, run.level * (1 - FIT)
    worst, found, laws = placed(step, says, curve, trials, level * MAIN)
    exact = exactly(worst)
    outcome = Outcome(label, curve)
    if exact is not None:
        ends = curve.bounds(exact)
        outcome = outcome._replace(looked=FAINT) if unknown(exact, ends) else Outcome(label, curve, None, ends, exact)
    if outcome.bounds is not None and outcome.bounds.refutes:
        outcome = outcome._replace(
            certificate=partial(step_refutation, site[0], worst, curve, exact, outcome.bounds.at)
        )
    if np.array_equal(laws[0], laws[1]):
        return outcome._replace(idle="the release has the same law on either side")
    score, seen, wrong = log_ratio(laws), [], ""
    for side, values, law in zip(("left", "right"), (found.left, found.right), laws, strict=True):
        noise = Seeded(address(run.seed, *site, side, "audit"), trials)
        released = found.mechanism.release(np.asarray(values), noise)
        seen.append(score[released])
        wrong = wrong or unlawful_release(np.bincount(released, minlength=len(law)), law, run.level * FIT / 2)
    cuts = np.unique(score)[1:]
    scored = scored_by_law(seen[0], seen[1], cuts, errors(laws, score, cuts), curve, level)
    return outcome._replace(sampled=certify(*scored, curve, level), wrong=wrong)


def knows_law(mechanism: Any) -> bool:
    return hasattr(mechanism, "law") or isinstance(mechanism, ReportNoisyMax)


def audit_black_box(step: Any, curve: Curve, run: Run, label: str, site: tuple[str, ...]) -> Outcome:
    """A mechanism that says nothing of its law: its outputs are scored by their frequencies in one half of the search
    trials, and the other half chooses the thresholds, for a score looks best where it was learnt."""
    trials, search = run.profile.trials, int(run.profile.trials * run.profile.search)
    released = [  # copies: a mechanism may well reuse its buffer
        np.array(step.mechanism.release(np.asarray(values), Seeded(address(run.seed, *site, side, "audit"), trials)))
        for side, values in (("left", step.left), ("right", step.right))
    ]
    if np.array_equal(step.left, step.right):
        return Outcome(label, curve, idle="both inputs are the same, so that nothing could tell them apart")
    if all((each == released[0][0]).all() for each in released):
        return Outcome(label, curve, idle="every trial released the same, on either side")
    size = 1 + max(int(each.max()) for each in released)
    half = search // 2
    counts = [np.bincount(each[:half], minlength=size) for each in released]
    laws = [np.asarray((count + 0.5) / (half + size / 2), dtype=np.float64) for count in counts]
    left, right = (log_ratio(laws)[each] for each in released)
    scored = scored_by_search(left, right, search, curve, run.level, taught=half)
    return Outcome(label, curve, certify(*scored, curve, run.level), learnt=True)


def unlawful_release(counts: Any, law: Array, level: float) -> str:
    """Why the counts of released indices contradict the law; empty where they do not, which a right law's counts
    do with probability at least 1 - level."""
    trials, share = int(counts.sum()), level / (2 * len(law))
    many = at_least(counts, trials, np.clip(law + SLACK, 0, 1))
    few = at_most(counts, trials, np.clip(law - SLACK, 0, 1))
    chance = np.minimum(many, few)
    worst = int(chance.argmin())
    if chance[worst] >= share:
        return ""
    return (
        f"behaviour does not follow its declared law: index {worst} was released with frequency "
        f"{counts[worst] / trials:.4g} where the law says {law[worst]:.4g} (chance {chance[worst]:.1g})"
    )


class TwoLaplace(NamedTuple):
    """Report noisy max with Laplace noise on two queries, which has a law in closed form."""

    scale: float

    def law(self, values: Array) -> Array:
        return release_law(self, values)


def exactly(step: Any) -> Exact | None:
    """The certified profile of the step; None where its law is known numerically only."""
    if hasattr(step.mechanism, "law"):
        return step_profile(step)
    if len(step.left) == 2 and isinstance(step.mechanism, ReportNoisyMax):
        return step_profile(step._replace(mechanism=TwoLaplace(step.mechanism.scale)))
    return None


def log_ratio(laws: list[Array]) -> Array:
    """log P_right/P_left of each output. Raises ValueError where a law holds a nan."""
    ratio = np.log(np.maximum(laws[1], 1e-300)) - np.log(np.maximum(laws[0], 1e-300))
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
    laws_here = [release_law(step.mechanism, np.asarray(values)) for values in (step.left, step.right)]
    best, most = Place(step, step, laws_here), [-np.inf, -np.inf]
    for place in places(step, says.relation):
        laws = [release_law(place.mechanism, np.asarray(values)) for values in (place.left, place.right)]
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

    "query": the others shifted, on both sides alike, by multiples of the largest scale. "history": the others'
    running means at shares of the largest that rewards in [0, 1] allow, which is 1 - s_i = n_i/(n_i + 1).
    """
    if getattr(step.mechanism, "history", None) is not None:
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
        unit = float(np.max(getattr(step.mechanism, "scales", getattr(step.mechanism, "scale", 1.0))))
        moved = [(left + shift * unit * others, right + shift * unit * others) for shift in SHIFTS]
    return [step, *(step._replace(left=tuple(map(float, a)), right=tuple(map(float, b))) for a, b in moved)]


# -- the noisy values themselves ---------------------------------------------------------------------------------


class NormalShift(NamedTuple):
    """The exact profile of N(0, 1) against N(distance, 1): what releasing all noisy values amounts to."""

    distance: float

    def mu(self) -> tuple[float, float]:
        return self.distance * (1 - ROUNDING), self.distance * (1 + ROUNDING)

    def mu_low(self) -> float:
        return self.mu()[0]

    def renyi(self, alpha: float) -> tuple[float, float]:
        value = float(gaussian_renyi(fp, alpha, self.distance))
        return value * (1 - ROUNDING), value * (1 + ROUNDING)

    @property
    def swapped(self) -> NormalShift:
        return self  # the other direction looks the same

    def delta(self, eps: Any) -> tuple[Array, Array]:
        value = np.asarray(gaussian_delta(fp, np.asarray(eps, float), self.distance))
        return np.maximum(0.0, value * (1 - ROUNDING) - 1e-15), value * (1 + ROUNDING) + 1e-15

    def eps(self, delta: float) -> tuple[float, float]:
        if delta <= 0:
            return np.inf, np.inf
        if float(gaussian_delta(fp, 0.0, self.distance)) <= delta:
            return 0.0, 0.0
        found = float(brentq(lambda eps: float(gaussian_delta(fp, eps, self.distance)) - delta, 0.0, 700.0))
        return found * (1 - 1e-9), found * (1 + 1e-9)

    def tradeoff(self) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
        alphas = np.concatenate([[0.0], ndtr(np.linspace(-8.0, 8.0, 161)), [1.0]])  # close where the curve is steep
        curve = list(zip(alphas, ndtr(-ndtri(alphas) - self.distance), strict=True))
        return curve, curve


def audit_noisy_values(step: Any, curve: Curve, run: Run, label: str, site: tuple[str, ...]) -> Outcome:
    """The view of all noisy values of a mechanism with normal noise."""
    if not hasattr(step.mechanism, "scales"):
        return Outcome(label, curve, idle="the noisy values are audited for normal noise only")
    scales = np.asarray(step.mechanism.scales)
    left, right = np.asarray(step.left), np.asarray(step.right)
    distance = float(np.linalg.norm((right - left) / scales))
    if distance == 0:
        return Outcome(label, curve, idle="the noisy values have the same law on either side")
    exact, trials, weights = NormalShift(distance), run.profile.trials, (right - left) / scales**2
    seen = []
    for side, values in (("left", left), ("right", right)):
        heard = Overheard(Seeded(address(run.seed, *site, side, "audit"), trials), "X")
        released = step.mechanism.release(values, heard)
        noisy = values + scales * heard.heard[0]
        if (noisy.argmax(axis=1) != released).any():
            raise ValueError(f"{label}: the released index is not the argmax of values + scales * X")
        seen.append(noisy @ weights)
    middle, cuts = float((left + right) @ weights) / 2, np.linspace(-4.0, 4.0, 33)
    likely = ndtr(-cuts - distance / 2), ndtr(cuts - distance / 2)
    scored = scored_by_law(seen[0], seen[1], middle + distance * cuts, likely, curve, run.level)
    return Outcome(label, curve, certify(*scored, curve, run.level), curve.bounds(exact), exact)
