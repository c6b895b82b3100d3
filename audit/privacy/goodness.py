"""Goodness-of-fit tests: does a policy follow the law that it declares? The exact engine trusts the declared law, so
the law is tested here.

Given the transcripts so far, the next releases of trials in the same state are independent draws from the law of this
state, so the number of trials with a given release is binomial. In every step the most visited states are tested, each
release two-sided, at levels that add up to the total level. A release that the law excludes must never occur. In long
runs hardly any two trials are in the same state, so e-values also test all states together, for groups of runs with the
same beginning.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from dpbandits.audit.play.transcripts import Transcripts, step_counts
from dpbandits.audit.privacy.pipeline import NotTestable
from dpbandits.audit.statistics.along import PROBABILITY_SLACK
from dpbandits.audit.statistics.binomial import binomial_cdf, binomial_tail
from dpbandits.audit.statistics.decisions import OpenChoices, counted_as_one
from dpbandits.audit.statistics.e_values import EvidenceGroup, log_mean_evidence, strongest_rows
from dpbandits.audit.statistics.pasts import Pasts
from dpbandits.proofs_checks.exact.follow_transcripts import (
    EXCLUDED_RISK_SHARE,
    TranscriptStep,
    excluded_by_law,
    follow_transcripts,
)
from dpbandits.proofs_checks.exact.state_graph import StateGraph
from dpbandits.reference.bandits.adjacency import SIDES, Pair
from dpbandits.reference.bandits.noise import Array, Ints
from dpbandits.reference.bandits.policy import HasLaw
from dpbandits.reference.bandits.recommendations import answered
from dpbandits.reference.bandits.release_laws.checked import Accuracy

POOLED = 0.5  # the share of the level of a fit that all states together spend
OPEN_TIES = NotTestable(
    unfit="its law leaves open which of several tied arms is pulled, the exact engine takes the first, and the policy "
    'does not: say in its law how it breaks ties, such as `laws.largest(scores, ties="last")`'
)
STATES = 8  # tested in each step, the most visited first


class Misfit(NamedTuple):
    """The most significant cell: in this step and state, or after this past, a release occurred far more or far less
    often than the law states."""

    where: str
    visits: int
    release: str
    observed: float
    declared: float
    chance: float  # of a count at least as extreme, before the correction for many cells, or a bound on it


def misfit(policy: HasLaw, pair: Pair, seen: Transcripts, level: float, any_tied: bool = False) -> Misfit | None:
    """Returns the group of runs whose releases contradict the law most, or None if the law can explain all.
    seen: transcripts from the pair's left table. A right law gives None with probability >= 1 - level. any_tied:
    whether a release of any tied arm is accepted, if the law leaves ties open, rather than only the arm to which the
    law assigns their probability.

    Only the left table is tested: the law of a state is needed once, and states that differ only in the other table are
    merged.
    """
    worst: Misfit | None = None
    together = Pasts(policy.arms, policy.horizon, "", 0.0)
    rare, level = EXCLUDED_RISK_SHARE * level / (policy.horizon + 1), (1 - EXCLUDED_RISK_SHARE) * level
    offering = OpenChoices(policy)
    graph = StateGraph(offering if any_tied else policy, pair.environments()[:1])
    for visit in follow_transcripts(graph, seen.released):
        lawless = excluded_release(visit, seen, rare)
        if lawless is not None:
            return lawless
        if any_tied:
            visit = counted_as_one(visit, offering.laws[0])
        together.add(visit)
        # Half of the level is spread over all steps evenly, half goes to the first ones: 1/(t (t + 1)) adds up to 1.
        half = ((visit.t <= policy.horizon) / policy.horizon + 1 / (visit.t * (visit.t + 1))) / 2
        share = (1 - POOLED) * level * half
        source, law = visit.transitions.source, visit.transitions.chance[0]
        counts = np.bincount(visit.way[visit.way >= 0], minlength=len(source))
        visited = np.bincount(visit.node, minlength=len(visit.layer.pulls))
        most = np.argsort(-visited, kind="stable")[:STATES]
        cells = np.flatnonzero(np.isin(source, most))
        tests = 2 * STATES * np.maximum(policy.arms, np.bincount(source)[source[cells]])
        hits, of, declared = counts[cells], visited[source[cells]], law[cells]
        chance = chance_of(hits, of, declared, Accuracy(visit.transitions.error, visit.transitions.absolute_error))
        first = int((chance * tests).argmin())
        if chance[first] * tests[first] < share and (worst is None or chance[first] < worst.chance):
            release = release_in_words(visit.transitions.counts[cells[first]])
            observed = float(hits[first] / of[first])
            where = f"step {visit.t}, in the same state"
            worst = Misfit(where, int(of[first]), release, observed, float(declared[first]), float(chance[first]))
    return worst or most_contradicting_set(together.groups, POOLED * level)


def most_contradicting_set(groups: list[EvidenceGroup], level: float) -> Misfit | None:
    """The set of runs that contradicts the law most, if the combined e-value of all sets is improbably large.
    Otherwise None."""
    if not groups or log_mean_evidence(groups) < -log(level):
        return None
    where, arm, visits, released, due, evidence = strongest_rows(groups)[0]
    return Misfit(where, visits, f"arm {arm}", released / visits, due / visits, min(1.0, 10.0**-evidence))


def chance_of(counts: Ints, trials: Ints | int, law: Array, within: Accuracy) -> Array:
    """Returns the largest probability of counts at least as extreme as the observed one.
    The extremes are in the direction of the observed count. The probability is the largest over all laws within the
    stated accuracy of the given law."""
    slack = np.maximum(PROBABILITY_SLACK, within.error * law + within.absolute_error)
    many = binomial_tail(counts, trials, np.clip(law + slack, 0, 1))
    few = binomial_cdf(counts, trials, np.clip(law - slack, 0, 1))
    return np.minimum(many, few)


def excluded_release(visit: TranscriptStep, seen: Transcripts, level: float) -> Misfit | None:
    """The first observed release that the law excludes in its state, compared with the other runs in this state.
    None if there is none. `excluded_by_law` decides which releases are excluded at this level."""
    wrong = excluded_by_law(visit, seen.counts.shape[2], level)
    if not wrong.any():
        return None
    place = int(wrong.argmax())
    here = visit.node == visit.node[place]
    alike = here & (visit.kind == visit.kind[place])
    trial = np.arange(seen.trials)[visit.trial][place]
    release = release_in_words(step_counts(seen.part(trial, trial + 1), seen.counts.shape[2])[0, visit.t - 1])
    return Misfit(
        f"step {visit.t}, in the same state", int(here.sum()), release, float(alike.sum() / here.sum()), 0.0, 0.0
    )


def release_in_words(counts: Ints) -> str:
    """Returns a release in words: the answer; or the arm, if one arm is pulled once; or the pulls of every arm."""
    if answered(counts):
        return f"the answer arm {counts.argmin()}"
    pulled = np.flatnonzero(counts)
    return f"arm {pulled[0]}" if len(pulled) == 1 and counts[pulled[0]] == 1 else f"the pulls {counts.tolist()}"


def why_unlawful(policy: HasLaw, pair: Pair, seen: tuple[Transcripts, Transcripts], level: float) -> str | NotTestable:
    """Returns why the behaviour contradicts the declared law, as text; "" if it does not.
    NotTestable if the behaviour is explained by another choice between tied arms, which the law allows; the exact
    engine then has the law of another policy."""
    ties: str | NotTestable = ""
    for side, table, runs in zip(SIDES, (pair, pair.swapped()), seen, strict=True):
        found = misfit(policy, table, runs, level / 2)
        if found is not None and misfit(policy, table, runs, level / 2, any_tied=True) is None:
            ties = OPEN_TIES
        elif found is not None:
            return (
                f"behaviour does not follow its declared law: in {found.where}, {found.visits} runs "
                f"({side} table) released {found.release} with frequency {found.observed:.4g} where the law "
                f"says {found.declared:.4g} (chance {found.chance:.1g})"
            )
    return ties
