"""The privacy audit of one policy: pick neighbours, ask the exact engine, and then ask nothing but behaviour.

The exact engine believes a policy's `law`. So the released arms are always also tested against this law, and every
statement is always also certified from samples alone, in which the law at most chose what to look at.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from math import inf

import numpy as np

from dpbandits.audit.effort import QUICK, Run
from dpbandits.audit.play.probes import DEPENDENT, OWN, SINGLE, SINGLY, probe
from dpbandits.audit.play.transcripts import BLOCK, Transcripts, stacked, transcripts
from dpbandits.audit.privacy.certificates import policy_refutation
from dpbandits.audit.privacy.goodness import FIT, misfit
from dpbandits.audit.privacy.outcomes import FAINT, NOTHING, Outcome, known, number
from dpbandits.audit.privacy.samples import LEAST, SIDES, audit_samples, how_many_steps
from dpbandits.audit.scores.distinguishers import log_likelihood_ratio
from dpbandits.audit.scores.learning import BEST, best_learnt, likely
from dpbandits.audit.search.by_law import apart_by_law, odd_by_law
from dpbandits.audit.search.halving import Search, finalists, searched
from dpbandits.audit.search.hints import hinted
from dpbandits.audit.search.pairs import COARSE, candidates, first_candidate, worst_pair
from dpbandits.audit.tradeoff.curve import outline, region, said
from dpbandits.audit.tradeoff.events import MAIN, Sampled, certify, finite, scored_by_search, thresholds
from dpbandits.audit.tradeoff.resolution import resolutions
from dpbandits.proofs_checks.exact.laws import ExactProfile, TooWide, exact_profile
from dpbandits.proofs_checks.exact.walk import count_states, walk
from dpbandits.reference.checks import NoLaw
from dpbandits.reference.curves import Curve
from dpbandits.reference.curves.curve import Exact
from dpbandits.reference.ledger import Private
from dpbandits.reference.neighbours import Pair
from dpbandits.reference.noise import address
from dpbandits.reference.policy import HasLaw, Policy

LEARN = 0.4  # the share of the trials that teaches a score where no law gives one
SEARCH = 1.0  # the trials of a search for a pair, on either side, as a multiple of an audit's own
EVERY_FEW = 4  # tries of candidates come with one of a pair with rewards between the ends, and one with an arm there
LAWS = 1_250_000  # pairs of arms in states whose law the quick profile asks for: some ten seconds


def audit_policy(policy: Policy, says: Private, curve: Curve, run: Run, label: str, site: tuple[str, ...]) -> Outcome:
    """Audit one policy against one claimed curve.

    site: what the noise is addressed by, with the run's seed. The policy's own arms and horizon are used.
    """
    if says.view == "samples":
        return audit_samples(policy, says, curve, run, label, site)
    steps = how_many_steps(policy, says.relation)
    trials = affordable(run, steps)
    seed = address(run.seed, *site, "pair")
    outcome: Outcome = Outcome(label, curve)
    exact: ExactProfile | None = None
    idle = ""
    level = run.level * (1 - FIT)
    states = visited(policy, run.profile.exact_states) if says.relation == "pull" else inf
    if isinstance(policy, HasLaw) and states < inf:
        effort = int(run.profile.pair_effort / states)
        worst, pair = worst_pairs(policy, curve, trials, run, seed, effort, hinted(policy, says))
        outcome, exact = by_law(outcome, policy, worst, followed(policy, worst, run.profile.grid), site)
        remarks = probe(policy, pair.environments()[0], seed)
    else:
        fresh = trials - int(trials * (run.profile.search if isinstance(policy, HasLaw) else LEARN))
        if hopeless := uncertifiable(policy, curve, fresh, level):
            return outcome._replace(idle=hopeless)
        judge = likely(curve, fresh, level)
        looks, hints = int(SEARCH * trials), tuple(hinted(policy, says))
        found_pair = searched(Search(policy, says.relation, judge, looks, address(seed, "search"), hints))
        pair = worst = found_pair.pair
        remarks = probe(policy, pair.environments()[0], seed)
        if found_pair.dependent and OWN not in remarks:
            remarks = (DEPENDENT,)
        outcome = outcome._replace(looked=found_pair.told)
        if found_pair.idle:
            idle = f"{found_pair.told}: with the same noise, the same was released on either side of every one"
            if not isinstance(policy, HasLaw) and DEPENDENT not in remarks:
                return outcome._replace(looked="", idle=idle)
        if isinstance(policy, HasLaw) and few_states(policy, pair, run):
            outcome, exact = by_law(outcome, policy, pair, followed(policy, pair, run.profile.grid), site)
    if DEPENDENT in remarks:
        return Outcome(label, curve, unfit=DEPENDENT)
    together = BLOCK
    if OWN in remarks:
        outcome = outcome._replace(looked="; ".join(filter(None, (outcome.looked, SINGLY))))
        together, trials = 1, affordable_singly(run, steps, trials)
    seen = play_both(policy, pair, trials, run, site, "audit", together)
    both = stacked(seen)
    held = affordable_by_law(policy, trials, both.arms.shape[1], run)
    wrong = unlawful(policy, pair, (seen[0].part(0, held), seen[1].part(0, held)), run.level * FIT)
    if both.constant():
        blurred = f"; {FAINT}" if FAINT in outcome.looked else ""
        return outcome._replace(idle=f"every run released the same, on either side{blurred}", wrong=wrong)
    untold = exact is not None and not wrong and not outcome.told and alike(exact)
    if untold and (pair is worst or alike_on(policy, pair)):
        idle = "the released arms have the same law on either side of every pair tried"
    lawful = isinstance(policy, HasLaw) and not wrong and held == trials
    sampled = certified_from(policy, pair, seen, curve, run, lawful)
    outcome = outcome._replace(pair=outcome.pair or pair)  # what its law refutes is the first to be shown
    return outcome._replace(sampled=sampled, wrong=wrong, idle=idle, learnt=not lawful)


def alike(exact: Exact) -> bool:
    """Whether the releases have the same law on both sides, as far as the engine can tell."""
    return float(np.max(exact.delta(0.0)[1])) < NOTHING


def alike_on(policy: Policy, pair: Pair) -> bool:
    """The same of a pair that samples look at, where it is not the one that the law is worst on."""
    profile = followed(policy, pair, COARSE) if isinstance(policy, HasLaw) else None
    return profile is not None and alike(profile)


def by_law(
    outcome: Outcome, policy: HasLaw, pair: Pair, exact: ExactProfile | None, site: tuple[str, ...]
) -> tuple[Outcome, ExactProfile | None]:
    """What the exact profile of a pair says about the claim, and how a refutation becomes a certificate."""
    curve = outcome.curve
    if exact is None or curve is None:
        return outcome, exact
    found = known(curve, exact)
    if found is None:
        return outcome._replace(looked="; ".join(filter(None, (outcome.looked, FAINT)))), exact
    outcome = outcome._replace(bounds=found, exact=exact)
    if found.refutes:
        maker = partial(policy_refutation, site[0], policy, pair, curve, exact, found.at)
        outcome = outcome._replace(certificate=maker, pair=pair)
    return outcome, exact


def visited(policy: Policy, most: int) -> float:
    """How many states the walk has on the first candidate; inf where there are more than `most`, or no walk. Raises
    NoLaw where the law cannot be said there."""
    if not isinstance(policy, HasLaw) or (first := first_candidate(policy, "pull")) is None:
        return inf
    try:
        found = count_states(walk(policy, first), most)
    except NoLaw:
        raise
    except ValueError:
        return inf
    return found if found <= most else inf


def few_states(policy: HasLaw, pair: Pair, run: Run) -> bool:
    """Whether the walk on this pair has no more states than the exact engine is asked for; fewer where there are many
    arms, for the law of a state takes about as long as there are pairs of arms."""
    most = run.profile.exact_states * 4 // max(4, policy.arms**2)
    try:
        return count_states(walk(policy, pair), most) <= most
    except ValueError:
        return False


def affordable(run: Run, steps: int) -> int:
    """The trials on either side of a pair, for runs of so many steps."""
    return max(LEAST, min(run.profile.trials, run.profile.steps // steps))


def affordable_singly(run: Run, steps: int, trials: int) -> int:
    """So many of the trials are played where each is a run of its own, which costs much more."""
    return max(LEAST, min(trials, SINGLE * run.profile.trials // (QUICK.trials * steps)))


def affordable_by_law(policy: Policy, trials: int, steps: int, run: Run) -> int:
    """So many of the trials are held against a policy's law: all for three arms or fewer, else as many as some
    seconds allow, for the law of a state costs about as many microseconds as there are pairs of arms."""
    if policy.arms <= 3:
        return trials
    afford = LAWS * run.profile.trials // (QUICK.trials * steps * policy.arms**2)
    return min(trials, max(100, afford))


def uncertifiable(policy: Policy, curve: Curve, fresh: int, level: float) -> str:
    """Why nothing could be certified against this claim with so many fresh trials; empty where something could."""
    if any(np.isfinite(each.value) for each in resolutions(curve, fresh, level * MAIN)):
        return ""
    most = said(curve, region(0, 0, fresh, level * MAIN))  # no error at all on either side
    told = number(curve, float(most.shown), float(most.at))
    return (
        f"no violation could be certified, so nothing was searched: {fresh} fresh trials of T = {policy.horizon} show "
        f"at most {told}; audit a smaller horizon, a single round (a claim about one), or with a larger profile"
    )


def worst_pairs(
    policy: HasLaw, curve: Curve, trials: int, run: Run, seed: int, most: int, hints: list[Pair]
) -> tuple[Pair, Pair]:
    """The pair that is worst for the claim exactly, and the pair about which samples should certify most.

    most: so many pairs may be tried, if the profile has so many tries; where some are left after all candidates, the
    exactly worst pair comes from a local search. hints: pairs that are tried besides, and so are, for every
    few tries, a pair with rewards between the ends and one with an arm between them; at least one of either.
    """
    every = [*hints, *candidates(policy, "pull")]
    afford = min(run.profile.pair_tries, most)
    tried = every
    if afford < len(every):
        tried = [*hints, *finalists(policy, every[len(hints) :], max(1, afford), seed)]
    for look in (odd_by_law, apart_by_law):
        tried = [*tried, *look(policy, "pull", seed)[: max(1, afford // EVERY_FEW)]]
    if len(tried) == 1:
        return tried[0], tried[0]
    tried, perhaps = narrow(policy, tried, run)
    if None in perhaps:
        return (tried[perhaps.index(None)],) * 2
    profiles = [profile for profile in perhaps if profile is not None]
    low = [curve.certified(profile) for profile in profiles]
    worst = tried[int(np.argmax(low))]
    if afford > 2 * len(every):
        more = worst_pair(
            policy, "pull", curve.objective(max(low)), seed, proposals=(afford - 2 * len(every)) // 2
        ).pair
        profile = followed(policy, more, COARSE)
        if profile is not None and curve.certified(profile) > max(low):  # far out in a tail, all deltas are alike
            worst = more
    fresh = trials - int(trials * run.profile.search)
    seen = [likely_excess(profile, curve, fresh, run.level * MAIN) for profile in profiles]
    return worst, tried[int(np.argmax(seen))]


def followed(policy: HasLaw, pair: Pair, grid: float, most: float = inf) -> ExactProfile | None:
    """The exact profile; None where the engine finds no transcript that is possible on both sides, or none that it
    can follow: then samples decide alone, and such a pair is the first to look at. Raises TooWide where the pair has
    more than `most` states."""
    try:
        return exact_profile(policy, pair, grid, most=most)
    except TooWide:
        raise
    except ValueError:
        return None


def narrow(policy: HasLaw, tried: list[Pair], run: Run) -> tuple[list[Pair], list[ExactProfile | None]]:
    """Those of the pairs that have no more states than the exact engine is asked for, and their profiles. A policy that
    forgets may have few on one pair, and many on another one; it has few on the first candidate."""
    found: list[tuple[Pair, ExactProfile | None]] = []
    for pair in tried:
        with suppress(TooWide):
            found.append((pair, followed(policy, pair, COARSE, run.profile.exact_states)))
    if not found:
        first = candidates(policy, "pull")[0]
        found = [(first, followed(policy, first, COARSE))]
    return [pair for pair, _ in found], [profile for _, profile in found]


def likely_excess(exact: Exact, curve: Curve, fresh: int, level: float) -> float:
    """What samples should certify about a pair with this trade-off curve, at its best threshold: of all, those whose
    outline's middle says most are looked at closer."""
    left, right = np.clip(np.array(exact.tradeoff()[1]).T, 0.0, 1.0) * fresh
    rough = said(curve, outline(left, right, fresh, level, points=1)).amount
    good = np.argsort(-rough, kind="stable")[:BEST]
    return float(np.max(said(curve, outline(left[good], right[good], fresh, level)).amount))


def play_both(
    policy: Policy, pair: Pair, trials: int, run: Run, site: tuple[str, ...], purpose: str, together: int = BLOCK
) -> tuple[Transcripts, Transcripts]:
    left, right = (
        transcripts(policy, table, trials, address(run.seed, *site, side, purpose), together)
        for side, table in zip(SIDES, pair.environments(), strict=True)
    )
    return left, right


def unlawful(policy: Policy, pair: Pair, seen: tuple[Transcripts, Transcripts], level: float) -> str:
    """Why the behaviour contradicts the declared law; empty where it does not, or no law is declared."""
    if not isinstance(policy, HasLaw):
        return ""
    for side, table, transcripts_ in zip(SIDES, (pair, pair.swapped()), seen, strict=True):
        found = misfit(policy, table, transcripts_, level / 2)
        if found is not None:
            return (
                f"behaviour does not follow its declared law: in {found.where}, {found.visits} runs "
                f"({side} table) released {found.release} with frequency {found.observed:.4g} where the law "
                f"says {found.declared:.4g} (chance {found.chance:.1g})"
            )
    return ""


def certified_from(
    policy: Policy, pair: Pair, seen: tuple[Transcripts, Transcripts], curve: Curve, run: Run, lawful: bool
) -> Sampled:
    """What the last trials of either side certify; the first ones choose the events, by the law where behaviour is
    lawful, else by a score that they teach."""
    trials, level, both = seen[0].trials, run.level * (1 - FIT), stacked(seen)
    everything = log_likelihood_ratio(policy, pair, both) if lawful and isinstance(policy, HasLaw) else None
    if everything is not None and not np.isnan(everything).any():  # nan: what a blurred law excludes has happened
        finite(everything, "the score of released transcripts")
        search = int(trials * run.profile.search)
        scored = scored_by_search(everything[:trials], everything[trials:], search, curve, level)
        return certify(*scored, curve, level)
    # Scores speak of the steps of all transcripts, so both sides are padded to the same length.
    left, right = both.part(0, trials), both.part(trials, both.trials)
    search = int(trials * LEARN)
    chosen = best_learnt(left.part(0, search), right.part(0, search), pair, likely(curve, trials - search, level))
    events = thresholds(chosen.left, chosen.right, curve, trials - search, level)
    fresh = [chosen.score(side.part(search, trials)) for side in (left, right)]
    return certify(fresh[0], fresh[1], events, curve, level)
