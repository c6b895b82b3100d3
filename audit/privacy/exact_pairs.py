"""Finds the pair of neighbouring reward tables with the largest privacy loss, for a policy whose exact law is known.
Candidate pairs are ranked, exact privacy profiles are computed for the first ones, and a local search improves the best
one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from typing import NamedTuple

import numpy as np

from dpbandits.audit.judges.effort import Run
from dpbandits.audit.judges.shared_answers import Answer, unshared_answer
from dpbandits.audit.privacy.scores.learning import MAX_CLOSER_LOOKS
from dpbandits.audit.privacy.search.between import finalists_by_law, interior_rewards_by_law, levels_by_law
from dpbandits.audit.privacy.search.pairs import (
    candidates,
    first_candidate,
    mutated,
    mutated_in_context,
    tables_of_pair,
)
from dpbandits.audit.statistics.events import MAIN_SHARE
from dpbandits.audit.statistics.region import excess_over_region, planned_region
from dpbandits.proofs_checks.exact.engine import ExactProfile, TooManyStates, exact_profile, unfold_states
from dpbandits.proofs_checks.exact.state_graph import state_graph
from dpbandits.reference.arithmetic.checks import NoLaw
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.noise import address
from dpbandits.reference.bandits.policy import HasLaw, Policy
from dpbandits.reference.curves import Curve, derived
from dpbandits.reference.curves.curve import ExactPrivacy

SEARCH_GRID = 0.05  # the loss grid of a search: the lower curve, which is the objective, is certified at any grid
STARTS = 2  # candidates from which a local search sets out: the best ones
RISE = 1e-9  # a change of the objective by less is rounding
LISTED_STATES = 2  # states behind what others see that are followed, as a multiple of those of a walk
NEARBY = 4  # pairs near the one that a search found, as a multiple of a profile's tries


class CandidateEffort(NamedTuple):
    """The effort of a search by law that does not depend on the claimed curve. runs: of every candidate, on either
    side; they choose the pairs that are tried. every_few: so many tries of candidates come with one of a pair with
    rewards between the ends, and one with an arm there."""

    runs: int
    every_few: int


ONE_CLAIM, ALL_CLAIMS = CandidateEffort(1, 4), CandidateEffort(8, 2)


def worst_pairs(
    policy: HasLaw,
    curve: Curve,
    trials: int,
    run: Run,
    seed: int,
    max_pairs: int,
    hints: list[Pair],
    effort: CandidateEffort = ONE_CLAIM,
    answer: Answer = unshared_answer,
) -> tuple[Pair, Pair]:
    """Returns two pairs of tables: the worst by the exact law, and the best one for samples.
    The first has the largest exact violation. For the second, samples should certify the largest violation.

    max_pairs: the number of pairs that may be tried, if the profile allows as many. Tries that remain after all
    candidates go into a local search for the exactly worst pair. hints: additional pairs. For every few tries, the
    search also tries one pair with rewards strictly inside the range and one pair with an arm of this kind; at least
    one of either. answer: calls the functions whose results do not depend on the curve, so that several claims may
    share them.
    """
    every, afford = len(hints) + len(candidates(policy, "pull")), min(run.profile.pair_tries, max_pairs)
    tried, perhaps = answer(profiled_pairs, policy, tuple(hints), afford, seed, run.profile.exact_states, effort)
    if not perhaps:
        return tried[0], tried[0]
    if None in perhaps:
        return (tried[perhaps.index(None)],) * 2
    profiles = [profile for profile in perhaps if profile is not None]
    low = [derived.certified_lower_bound(curve, profile) for profile in profiles]
    worst = tried[int(np.argmax(low))]
    if afford > 2 * every:
        objective, known = derived.search_objective(curve, max(low)), dict[Hashable, float]()
        if objective[0] == "mu":  # which alone asks for profiles as deep as these
            known = {
                tables_of_pair(pair): value_of(each, objective) for pair, each in zip(tried, profiles, strict=True)
            }
        value = partial(objective_value, policy, objective=objective)
        more = worst_pair(candidates(policy, "pull"), value, seed, (afford - 2 * every) // 2, known)
        profile = profile_if_followed(policy, more, SEARCH_GRID)
        # Far out in a tail, all deltas are alike.
        if profile is not None and derived.certified_lower_bound(curve, profile) > max(low):
            worst = more
    fresh = trials - int(trials * run.profile.search)
    seen = [likely_excess(profile, curve, fresh, run.level * MAIN_SHARE) for profile in profiles]
    return worst, tried[int(np.argmax(seen))]


def objective_value(policy: HasLaw, pair: Pair, objective: tuple[str | float, ...]) -> float:
    """Returns the certified lower bound on an objective, such as delta at an eps, for a pair of tables.
    objective: ("delta", eps) for the delta at eps, ("eps", delta) for the eps at delta, or ("mu",)."""
    if objective[0] not in ("delta", "eps", "mu"):
        raise ValueError(f"objective is {objective!r}; choose ('delta', eps), ('eps', delta) or ('mu',)")
    # Gaussian privacy is decided by rare transcripts of high loss, which only a deep pass follows.
    return value_of(exact_profile(policy, pair, SEARCH_GRID, deep=None if objective[0] == "mu" else False), objective)


def value_of(profile: ExactProfile, objective: tuple[str | float, ...]) -> float:
    """The certified lower bound on the objective by a pair's exact profile. objective: as in `objective_value`."""
    match objective:
        case ("delta", eps):
            return float(profile.delta(float(eps))[0])
        case ("eps", delta):
            return profile.eps_bound(float(delta), 0)
    return max(profile.mu_low(), profile.swapped.mu_low())


def worst_pair(
    starts: Sequence[Pair],
    value: Callable[[Pair], float],
    seed: int,
    proposals: int,
    known: Mapping[Hashable, float] | None = None,
    change: Callable[[Pair, np.random.Generator], Pair | None] = mutated,
) -> Pair:
    """Searches, deterministically, for the pair of tables that differ in one pull and have the largest value.

    All starts are evaluated. From the best STARTS of them, `proposals` changes each are tried: one reward or a segment
    set to 0, to 1 or to its complement, another arm's row copied, or the changed place moved. A change is accepted if
    the value rises. known: values of pairs, by `tables_of_pair`, which are not computed again.
    """
    values = dict(known or {})

    def value_at(pair: Pair) -> float:
        """Returns the value of a pair of tables, computed once: changes of short tables often lead to the same pair."""
        tables = tables_of_pair(pair)
        if tables not in values:
            values[tables] = value(pair)
        return values[tables]

    first = sorted(((value_at(pair), pair) for pair in starts), key=lambda each: -each[0])[:STARTS]
    highest, best = first[0]
    for start, (most, pair) in enumerate(first):
        generator = np.random.Generator(np.random.Philox(address("worst_pair", seed, start)))
        for _ in range(proposals):
            proposal = change(pair, generator)
            if proposal is None:
                continue
            new = value_at(proposal)
            if new > most * (1 + RISE):
                most, pair = new, proposal
        if most > highest:
            highest, best = most, pair
    return best


def profile_if_followed(policy: HasLaw, pair: Pair, grid: float, max_states: float = inf) -> ExactProfile | None:
    """Returns the exact profile of a pair of tables, if the exact engine can follow the policy's runs on it.
    None if no transcript is possible on both sides, or if the engine cannot follow any; then samples alone decide, and
    such a pair is tried first. Raises TooWide if the pair has more than `max_states` states."""
    try:
        return exact_profile(policy, pair, grid, most=max_states)
    except TooManyStates:
        raise
    except ValueError:
        return None


def others_if_followed(policy: HasLaw, pair: Pair, run: Run) -> ExactProfile | None:
    """The exact profile of the outputs of all other users.
    None if there are too many outputs to list, or if a probability is unknown."""
    from dpbandits.proofs_checks.exact.enumeration import MAX_TRANSCRIPTS
    from dpbandits.proofs_checks.exact.joint_privacy import joint_privacy_profile

    try:
        return joint_privacy_profile(policy, pair, min(MAX_TRANSCRIPTS, LISTED_STATES * run.profile.exact_states))
    except ValueError:
        return None


def followed_if_small(policy: HasLaw, pair: Pair, run: Run) -> ExactProfile | None:
    """Returns the exact profile on a coarse grid; None if there are too many states, or none that can be followed."""
    try:
        return profile_if_followed(policy, pair, SEARCH_GRID, run.profile.exact_states)
    except TooManyStates:
        return None


def worst_nearby(
    policy: HasLaw,
    curve: Curve,
    start: Pair,
    exact: Callable[[Pair], ExactProfile | None],
    run: Run,
    seed: int,
    free: bool,
) -> Pair:
    """Returns the pair with the largest exact violation that a local search from `start` finds.
    The search changes rewards and contexts. exact: computes the profile of a pair; if it returns None for `start`, the
    result is `start`. free: whether all contexts may change."""
    best, first = start, exact(start)
    if first is None:
        return start
    highest = derived.certified_lower_bound(curve, first)
    generator = np.random.Generator(np.random.Philox(address(seed, "nearby")))
    for _ in range(NEARBY * run.profile.pair_tries):
        changed = mutated_in_context(policy, best, generator, free)
        profile = None if changed is None else exact(changed)
        if (
            changed is not None
            and profile is not None
            and (new := derived.certified_lower_bound(curve, profile)) > highest
        ):
            best, highest = changed, new
    return best


class ProfiledPairs(NamedTuple):
    """Pairs of tables, and the exact profile of each on a coarse grid; None for a pair that the engine cannot follow.
    No profile is computed for a single pair."""

    pairs: tuple[Pair, ...]
    profiles: tuple[ExactProfile | None, ...]


def profiled_pairs(
    policy: HasLaw, hints: tuple[Pair, ...], max_candidates: int, seed: int, max_states: int, effort: CandidateEffort
) -> ProfiledPairs:
    """Returns candidate pairs of tables with their exact profiles, as a basis for finding the worst pair of any claim.
    max_candidates: the number of candidates that may be tried. max_states: the largest number of states of a pair."""
    known = candidates(policy, "pull")
    tried = [*hints, *known]
    if max_candidates < len(tried):
        tried = [*hints, *finalists_by_law(policy, known, max(1, max_candidates), seed, effort.runs)]
    for look in (interior_rewards_by_law, levels_by_law):
        tried = [*tried, *look(policy, "pull", seed)[: max(1, max_candidates // effort.every_few)]]
    return ProfiledPairs((tried[0],), ()) if len(tried) == 1 else pairs_with_few_states(policy, tried, max_states)


def pairs_with_few_states(policy: HasLaw, tried: list[Pair], max_states: int) -> ProfiledPairs:
    """Returns the pairs with at most `max_states` states, each with its exact profile or None.
    A policy that forgets may have few states on one pair and many on another; it has few on the first candidate."""
    found: list[tuple[Pair, ExactProfile | None]] = []
    for pair in tried:
        with suppress(TooManyStates):
            found.append((pair, profile_if_followed(policy, pair, SEARCH_GRID, max_states)))
    if not found:
        first = candidates(policy, "pull")[0]
        found = [(first, profile_if_followed(policy, first, SEARCH_GRID))]
    return ProfiledPairs(tuple(pair for pair, _ in found), tuple(profile for _, profile in found))


def likely_excess(exact: ExactPrivacy, curve: Curve, fresh: int, level: float) -> float:
    """Returns the violation that samples should certify, at the best threshold, for a pair with this exact curve.
    Promising thresholds, by the middle of the curve's bounds, are examined more closely."""
    left, right = np.clip(np.array(exact.tradeoff()[1]).T, 0.0, 1.0) * fresh
    rough = excess_over_region(curve, planned_region(left, right, fresh, level, points=1)).amount
    good = np.argsort(-rough, kind="stable")[:MAX_CLOSER_LOOKS]
    return float(np.max(excess_over_region(curve, planned_region(left[good], right[good], fresh, level)).amount))


def number_of_states(policy: Policy, max_states: int) -> float:
    """The number of states of the exact computation on the first candidate.
    inf if there are more than `max_states`, or if there is no exact computation. Raises NoLaw if the law cannot be
    stated there."""
    if not isinstance(policy, HasLaw) or (first := first_candidate(policy, "pull")) is None:
        return inf
    try:
        found = unfold_states(state_graph(policy, first), max_states)[0]
    except NoLaw:
        raise
    except ValueError:
        return inf
    return found if found <= max_states else inf


def few_states(policy: HasLaw, pair: Pair, run: Run) -> bool:
    """Whether the exact computation on this pair has few enough states.
    Fewer are allowed with many arms, because the law of a state takes time proportional to the number of pairs of
    arms."""
    most = run.profile.exact_states * 4 // max(4, policy.arms**2)
    try:
        return unfold_states(state_graph(policy, pair), most)[0] <= most
    except ValueError:
        return False
