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
from dpbandits.audit.privacy.without_law import without_law
from dpbandits.audit.scores.distinguishers import log_likelihood_ratio
from dpbandits.audit.scores.learning import BEST, best_learnt, likely
from dpbandits.audit.search.by_law import apart_by_law, odd_by_law
from dpbandits.audit.search.halving import Search, finalists, searched, suspects
from dpbandits.audit.search.hints import hinted
from dpbandits.audit.search.pairs import COARSE, candidates, first_candidate, worst_pair
from dpbandits.audit.tradeoff.curve import outline, region, said
from dpbandits.audit.tradeoff.events import MAIN, Sampled, certify, finite, scored_by_search, thresholds
from dpbandits.audit.tradeoff.resolution import resolutions
from dpbandits.proofs_checks.exact.laws import ExactProfile, TooWide, exact_profile
from dpbandits.proofs_checks.exact.walk import count_states, walk
from dpbandits.reference.answers import answers
from dpbandits.reference.checks import NoLaw
from dpbandits.reference.curves import Curve
from dpbandits.reference.curves.curve import Exact
from dpbandits.reference.ledger import Private
from dpbandits.reference.neighbours import Pair
from dpbandits.reference.noise import Array, address
from dpbandits.reference.policy import HasLaw, Policy

LEARN = 0.4  # the share of the trials that teaches a score where no law gives one
SEARCH = 1.0  # the trials of a search for a pair, on either side, as a multiple of an audit's own
EVERY_FEW = 4  # tries of candidates come with one of a pair with rewards between the ends, and one with an arm there
ELSEWHERE = 0.5  # the share of the fit's level for other pairs than the one that is audited
LOOKED = 8  # an eighth of the trials looks for such pairs, and an eighth is held against the law there
SAME = "by its law, all that was released is as likely on either side"
WITHOUT = "a search that asks no law chose the pair, and trials taught the score"
LAWS = 1_250_000  # pairs of arms in states whose law the quick profile asks for: some ten seconds


def privacy_of_policy(
    policy: Policy, says: Private, curve: Curve, run: Run, label: str, site: tuple[str, ...]
) -> Outcome:
    """Audit one policy against one claimed curve.

    site: what the noise is addressed by, with the run's seed. The policy's own arms and horizon are used.
    """
    if says.view == "samples":
        return audit_samples(policy, says, curve, run, label, site)
    steps = how_many_steps(policy, says.relation)
    trials = affordable(run, steps)
    seed = address(run.seed, *site, "pair")
    outcome: Outcome = Outcome(label, curve)
    idle = ""
    level = run.level * (1 - FIT)
    states = visited(policy, run.profile.exact_states) if says.relation == "pull" else inf
    if isinstance(policy, HasLaw) and states < inf:
        effort = int(run.profile.pair_effort / states)
        worst, pair = worst_pairs(policy, curve, trials, run, seed, effort, hinted(policy, says))
        outcome = by_law(outcome, policy, worst, followed(policy, worst, run.profile.grid), site)
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
            if policy.horizon == 1 and not remarks and not answers(policy):
                return outcome._replace(looked="", same="its one pull comes before any reward")
            if not isinstance(policy, HasLaw) and DEPENDENT not in remarks:
                return outcome._replace(looked="", idle=idle)
        if isinstance(policy, HasLaw) and few_states(policy, pair, run):
            outcome = by_law(outcome, policy, pair, followed(policy, pair, run.profile.grid), site)
    if DEPENDENT in remarks:
        return Outcome(label, curve, unfit=DEPENDENT)
    together = BLOCK
    if OWN in remarks:
        outcome = outcome._replace(looked="; ".join(filter(None, (outcome.looked, SINGLY))))
        together, trials = 1, affordable_singly(run, steps, trials)
    played, seen = pair, play_both(policy, pair, trials, run, site, "audit", together)
    both = stacked(seen)
    held = affordable_by_law(policy, trials, both.arms.shape[1], run)
    fit = run.level * FIT * (1 - ELSEWHERE)
    wrong, shown = unlawful(policy, pair, (seen[0].part(0, held), seen[1].part(0, held)), fit), pair
    if isinstance(policy, HasLaw) and not wrong and together > 1:
        wrong, shown = unlawful_elsewhere(policy, says.relation, pair, held, run, site)
    scores = None
    if isinstance(policy, HasLaw) and not wrong and held == trials:
        scores = log_likelihood_ratio(policy, pair, both)
    if scores is not None and not outcome.told and FAINT not in outcome.looked and (np.abs(scores) < NOTHING).all():
        if outcome.bounds is not None and outcome.bounds.high == inf:
            return outcome._replace(idle=f"{SAME}, as far as its chances are right", wrong=wrong)
        # The law tells nothing, and chooses nothing: so the search goes on without it.
        outcome = outcome._replace(same=f"{SAME}; {idle or WITHOUT}")
        if not idle:
            found_pair = searched(beside(policy, says.relation, curve, trials, address(seed, "without its law")))
            played, shown, scores = found_pair.pair, found_pair.pair, None
            seen = play_both(policy, shown, trials, run, site, "without its law", together)
        idle = ""
    elif both.constant():
        blurred = f"; {FAINT}" if FAINT in outcome.looked else ""
        return outcome._replace(idle=f"every run released the same, on either side{blurred}", wrong=wrong)
    sampled = certified_from(shown, seen, curve, run, scores)
    first = outcome.pair or shown  # what its law refutes is the first to be shown
    again = partial(play_both, policy, first, trials, run, site, "shown", together)
    outcome = outcome._replace(pair=first, sampled_pair=played, releases=again if first is not played else lambda: seen)
    return outcome._replace(sampled=sampled, wrong=wrong, idle=idle, learnt=scores is None, by_law=scores is not None)


def beside(policy: Policy, relation: str, curve: Curve, trials: int, seed: int) -> Search:
    """The search for a pair that asks no law."""
    fresh = trials - int(trials * LEARN)
    return Search(without_law(policy), relation, likely(curve, fresh, 1e-9), int(SEARCH * trials), seed)


def unlawful_elsewhere(
    policy: HasLaw, relation: str, pair: Pair, held: int, run: Run, site: tuple[str, ...]
) -> tuple[str, Pair]:
    """Why behaviour contradicts the declared law on one of a few other pairs, which stand out by behaviour alone, and
    on which; empty, and this pair, where it does not."""
    look = Search(
        without_law(policy), relation, lambda one, other: 0.0, held // LOOKED, address(run.seed, *site, "fit")
    )
    others = suspects(look)
    for place, other in enumerate(others):
        seen = play_both(policy, other, held // LOOKED // len(others), run, site, f"fit {place}")
        if wrong := unlawful(policy, other, seen, run.level * FIT * ELSEWHERE / len(others)):
            return wrong, other
    return "", pair


def by_law(outcome: Outcome, policy: HasLaw, pair: Pair, exact: ExactProfile | None, site: tuple[str, ...]) -> Outcome:
    """What the exact profile of a pair says about the claim, and how a refutation becomes a certificate."""
    curve = outcome.curve
    if exact is None or curve is None:
        return outcome
    found = known(curve, exact)
    if found is None:
        return outcome._replace(looked="; ".join(filter(None, (outcome.looked, FAINT))))
    outcome = outcome._replace(bounds=found, exact=exact)
    if found.refutes:
        maker = partial(policy_refutation, site[0], policy, pair, curve, exact, found.at)
        outcome = outcome._replace(certificate=maker, pair=pair)
    return outcome


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
    pair: Pair, seen: tuple[Transcripts, Transcripts], curve: Curve, run: Run, scores: Array | None
) -> Sampled:
    """What the last trials of either side certify; the first ones choose the events, by scores that a law gave to all
    of them, else by a score that they teach."""
    trials, level, both = seen[0].trials, run.level * (1 - FIT), stacked(seen)
    if scores is not None and not np.isnan(scores).any():  # nan: what a blurred law excludes has happened
        finite(scores, "the score of released transcripts")
        search = int(trials * run.profile.search)
        return certify(*scored_by_search(scores[:trials], scores[trials:], search, curve, level), curve, level)
    # Scores speak of the steps of all transcripts, so both sides are padded to the same length.
    left, right = both.part(0, trials), both.part(trials, both.trials)
    search = int(trials * LEARN)
    chosen = best_learnt(left.part(0, search), right.part(0, search), pair, likely(curve, trials - search, level))
    events = thresholds(chosen.left, chosen.right, curve, trials - search, level)
    fresh = [chosen.score(side.part(search, trials)) for side in (left, right)]
    return certify(fresh[0], fresh[1], events, curve, level)
