"""The privacy audit of one policy: pick neighbours, ask the exact engine, and then ask nothing but behaviour.

The exact engine believes a policy's `law`. So the released arms are always also tested against this law, and every
statement is always also certified from samples alone, in which the law at most chose what to look at.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from dpbandits.audit.certificates import policy_refutation
from dpbandits.audit.curve import excess, upper_limit
from dpbandits.audit.events import MAIN, Sampled, certify, finite, thresholds
from dpbandits.audit.goodness import FIT, misfit
from dpbandits.audit.outcomes import Exact, Outcome, bounds
from dpbandits.audit.pairs import COARSE, candidates, worst_pair
from dpbandits.audit.profile import Run
from dpbandits.audit.samples import HasPosterior, sample_scores
from dpbandits.audit.scores import fits_law, learnt, log_likelihood_ratio
from dpbandits.audit.transcripts import Transcripts, stacked, transcripts
from dpbandits.proofs_checks.laws import ExactProfile, exact_profile, states
from dpbandits.reference.curves import Curve, Gaussian
from dpbandits.reference.ledger import Private
from dpbandits.reference.neighbours import Pair
from dpbandits.reference.noise import Array, Seeded, address
from dpbandits.reference.policy import HasLaw, Policy, play

NOTHING = 1e-9  # an exact delta(0) below this is none: the engine's own rounding is near 1e-11
SHORTLIST = 4  # so many candidate pairs are compared by simulation where the exact engine cannot
SIDES = ("left", "right")

Scores = tuple[Array, Array]


def audit_policy(policy: Policy, says: Private, curve: Curve, run: Run, label: str, site: tuple[str, ...]) -> Outcome:
    """Audit one policy against one claimed curve.

    site: what the noise is addressed by, with the run's seed. The policy's own arms and horizon are used.
    """
    if says.view == "samples":
        return audit_samples(policy, says, curve, run, label, site)
    steps = how_many_steps(policy, says.relation)
    trials = max(2_000, min(run.profile.trials, run.profile.steps // steps))
    seed = address(run.seed, *site, "pair")
    outcome: Outcome = Outcome(label, curve)
    exact: ExactProfile | None = None
    if isinstance(policy, HasLaw) and says.relation == "pull" and states(policy) <= run.profile.exact_states:
        worst, pair = worst_pairs(policy, curve, trials, run, seed)
        exact = followed(policy, worst, run.profile.grid)
        found = bounds(curve, exact) if exact is not None else None
        outcome = outcome._replace(bounds=found, exact=exact)
        if exact is not None and found is not None and found.refutes:
            maker = partial(policy_refutation, site[0], policy, worst, curve, exact, found.delta)
            outcome = outcome._replace(certificate=maker)
    else:
        choices = shortlist(candidates(policy, says.relation), SHORTLIST, seed)
        pair = most_telling(policy, curve, choices, trials, run, site)
    seen = play_both(policy, pair, trials, run, site, "audit")
    both = stacked(seen)
    if both.constant():
        return outcome._replace(idle="every run released the same, on either side")
    search = int(trials * run.profile.search)
    wrong = unlawful(policy, pair, seen, run.level * FIT)
    lawful = not wrong and fits_law(policy, both)
    scores = best_score(policy, pair, seen, search, lawful)
    idle = ""
    if exact is not None and not wrong and float(np.max(exact.delta(0.0)[1])) < NOTHING:
        idle = "the released arms have the same law on either side of every pair tried"
    sampled = from_scores(scores, search, curve, run.level * (1 - FIT))
    return outcome._replace(sampled=sampled, wrong=wrong, idle=idle, learnt=not lawful)


def worst_pairs(policy: HasLaw, curve: Curve, trials: int, run: Run, seed: int) -> tuple[Pair, Pair]:
    """The pair that is worst for the claim exactly, and the pair about which samples should certify most.

    The profile says how many pairs to try, and how many lattice states to visit on the way; where there is effort
    left after all candidates, the exactly worst pair comes from a local search.
    """
    every = candidates(policy, "pull")
    afford = min(run.profile.pair_tries, int(run.profile.pair_effort / states(policy)))
    tried = shortlist(every, max(1, afford), seed)
    if len(tried) == 1:
        return tried[0], tried[0]
    perhaps = [followed(policy, pair, COARSE) for pair in tried]
    if None in perhaps:
        return (tried[perhaps.index(None)],) * 2
    profiles = [profile for profile in perhaps if profile is not None]
    low = [certified_low(curve, profile) for profile in profiles]
    worst = tried[int(np.argmax(low))]
    if afford > 2 * len(every):
        objective = ("mu",) if isinstance(curve, Gaussian) else ("delta", max(low))
        worst = worst_pair(policy, "pull", objective, seed, proposals=(afford - 2 * len(every)) // 2).pair
    fresh = trials - int(trials * run.profile.search)
    seen = [likely_excess(profile, curve, fresh, run.level * MAIN) for profile in profiles]
    return worst, tried[int(np.argmax(seen))]


def followed(policy: HasLaw, pair: Pair, grid: float) -> ExactProfile | None:
    """The exact profile; None where the engine finds no transcript that is possible on both sides, or none that it
    can follow: then samples decide alone, and such a pair is the first to look at."""
    try:
        return exact_profile(policy, pair, grid)
    except ValueError:
        return None


def certified_low(curve: Curve, exact: ExactProfile) -> float:
    """What the exact engine certifies about a pair from below: mu, or eps at the delta where the claim suffers."""
    if isinstance(curve, Gaussian):
        return max(exact.mu_low(), exact.swapped.mu_low())
    return bounds(curve, exact).low


def likely_excess(exact: Exact, curve: Curve, fresh: int, level: float) -> float:
    """What samples should certify about a pair with this trade-off curve, at its best threshold."""
    alpha, beta = np.clip(np.array(exact.tradeoff()[1]).T, 0.0, 1.0)
    limits = [upper_limit(error * fresh, fresh, level / 2) for error in (alpha, beta)]
    return float(np.max(excess(curve, *limits).amount))


def how_many_steps(policy: Policy, relation: str) -> int:
    """The number of steps of one run."""
    environment = candidates(policy, relation)[0].environments()[0]
    return max(1, int(play(policy, environment, Seeded(0, 1), 1).released.shape[1]))


def shortlist(every: list[Pair], many: int, seed: int) -> list[Pair]:
    """So many of the candidate pairs, the first one always, in an order that the seed fixes."""
    rest = np.random.default_rng(seed).permutation(len(every) - 1)[: many - 1] + 1
    return [every[0], *(every[int(index)] for index in sorted(rest))]


def most_telling(
    policy: Policy, curve: Curve, choices: list[Pair], trials: int, run: Run, site: tuple[str, ...]
) -> Pair:
    """The pair that looks worst for the claim in a few trials of its own."""
    few = max(500, trials // (4 * len(choices)))

    def looks(index: int) -> float:
        seen = play_both(policy, choices[index], few, run, site, f"shortlist {index}")
        lawful = fits_law(policy, stacked(seen))
        scores = best_score(policy, choices[index], seen, few // 2, lawful)
        return promise(scores, few // 2, few - few // 2, curve, run.level)

    return choices[int(np.argmax([looks(index) for index in range(len(choices))]))]


def play_both(
    policy: Policy, pair: Pair, trials: int, run: Run, site: tuple[str, ...], purpose: str
) -> tuple[Transcripts, Transcripts]:
    left, right = (
        transcripts(policy, table, trials, address(run.seed, *site, side, purpose))
        for side, table in zip(SIDES, pair.environments(), strict=True)
    )
    return left, right


def unlawful(policy: Policy, pair: Pair, seen: tuple[Transcripts, Transcripts], level: float) -> str:
    """Why the behaviour contradicts the declared law; empty where it does not, or no law is declared."""
    if not isinstance(policy, HasLaw):
        return ""
    if not fits_law(policy, stacked(seen)):
        return "behaviour does not follow its declared law: some step does not pull one arm, `size` times"
    for side, table, transcripts_ in zip(SIDES, (pair, pair.swapped()), seen, strict=True):
        found = misfit(policy, table, transcripts_, level / 2)
        if found is not None:
            return (
                f"behaviour does not follow its declared law: in step {found.step}, {found.visits} runs in the same "
                f"state ({side} table) released arm {found.arm} with frequency {found.observed:.4g} where the law "
                f"says {found.declared:.4g} (chance {found.chance:.1g})"
            )
    return ""


def best_score(
    policy: Policy,
    pair: Pair,
    seen: tuple[Transcripts, Transcripts],
    search: int,
    lawful: bool,
) -> Scores:
    """Scores of all trials on both sides: by the law where behaviour is lawful, else learnt on the search trials."""
    if lawful:
        assert isinstance(policy, HasLaw)
        everything = log_likelihood_ratio(policy, pair, stacked(seen).arms)
        return everything[: seen[0].trials], everything[seen[0].trials :]
    # Features speak of the steps of all transcripts, so both sides are padded to the same length.
    both = stacked(seen)
    left, right = both.part(0, seen[0].trials), both.part(seen[0].trials, both.trials)
    score = learnt(left.part(0, search), right.part(0, search))
    return score(left), score(right)


def from_scores(scores: Scores, search: int, curve: Curve, level: float) -> Sampled:
    """Thresholds from the first `search` trials of each side, certification from the others."""
    left, right = scores
    finite(np.concatenate(scores), "the score of released transcripts")
    events = thresholds(left[:search], right[:search], curve, len(left) - search, level)
    return certify(left[search:], right[search:], events, curve, level)


def promise(scores: Scores, search: int, fresh: int, curve: Curve, level: float) -> float:
    """How much the best threshold says about the claim, estimated: for comparing pairs, not for verdicts."""
    left, right = scores
    cut = thresholds(left[:search], right[:search], curve, fresh, level)[0].cut
    errors = [float((left[search:] >= cut).sum()), float((right[search:] < cut).sum())]
    limits = [upper_limit(error, fresh, 0.05) for error in errors]
    return float(excess(curve, *limits).amount)


# -- all sampled theta -------------------------------------------------------------------------------------------


def audit_samples(policy: Any, says: Private, curve: Curve, run: Run, label: str, site: tuple[str, ...]) -> Outcome:
    """The same for the view of all sampled theta, from samples alone."""
    if not isinstance(policy, HasPosterior):
        return Outcome(label, curve, idle="this policy does not say what it draws theta from (no `posterior`)")
    steps = how_many_steps(policy, says.relation)
    trials = max(2_000, min(run.profile.trials, run.profile.steps // (2 * steps)))

    def scored(pair: Pair, many: int, purpose: str) -> Scores:
        left, right = (
            sample_scores(policy, pair, side, many, address(run.seed, *site, SIDES[side], purpose)) for side in (0, 1)
        )
        return left, right

    choices = shortlist(candidates(policy, says.relation), SHORTLIST, address(run.seed, *site, "pair"))
    few = max(500, trials // (4 * len(choices)))
    looks: list[float] = []
    for index, pair in enumerate(choices):
        found = scored(pair, few, f"shortlist {index}")
        looks.append(promise(found, few // 2, few - few // 2, curve, run.level))
    scores = scored(choices[int(np.argmax(looks))], trials, "audit")
    if not (scores[0].any() or scores[1].any()):
        return Outcome(label, curve, idle="the sampled values have the same law on either side of every pair tried")
    return Outcome(label, curve, from_scores(scores, int(trials * run.profile.search), curve, run.level))
