"""Searches for the neighbouring pair on which a policy seems to violate a claim most, with the same loop for all
policies.

1. Propose. Hints first, then random tables with one change each (`proposals`). Half of them take the possible changes
   (arm, place) in turn.
2. Discard. A few runs of every pair with the same noise on either side: pairs that never differ are dropped. Pairs are
   not ranked by how often runs differ, because an early change affects every run and may still leak little.
3. Halve. Every look plays about as many runs in total, on half as many pairs, until a few are left.
4. Rank by the estimated violation: the number of standard deviations by which a learned likelihood ratio violates the
   claimed curve.
5. Select half of the next look's pairs by this rank alone, and half separately for each place, so that pairs with early
   changes do not displace a leak that shows only at late places. A quarter of every look are mutations of the best
   pairs.
6. Of the last few pairs, choose the one for which fresh runs should certify the largest violation.

The result is no verdict: the audit plays the chosen pair again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.play.transcripts import BothSides, stacked
from dpbandits.audit.privacy.scores.contexts import symbols
from dpbandits.audit.privacy.scores.learning import ExcessEstimate
from dpbandits.audit.privacy.scores.violation import Scores, cross_fitted_scores, separations, violations
from dpbandits.audit.privacy.search.pairs import candidates_with_contexts
from dpbandits.audit.privacy.search.players import Player, aligned, of_each_pair
from dpbandits.audit.privacy.search.proposals import (
    TABLES,
    PairBatch,
    Space,
    hints_in,
    joined_batches,
    mutations,
    propose,
    space_of,
)
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import Contexts
from dpbandits.reference.bandits.noise import address
from dpbandits.reference.bandits.policy import HasLaw, Ints, Policy
from dpbandits.reference.claims.text import counted
from dpbandits.reference.curves import Curve


@dataclass(frozen=True)
class SearchPlan:
    """How a search spends its runs. Shares are fractions of its trials on either side.

    proposal_share: of the first look at all proposals. first_runs: runs of every pair in it. proposals: the largest and
    the smallest number. batches: how many more batches are proposed if fewer than `enough` pairs differ. look_share: of
    every halving look. pairs: in the first of them, at most, for 20 000 trials (more in proportion to the square root
    of the trials); runs: of every pair in it, at least. finalists: the number at which halving ends. mutants: fraction
    of a look's pairs. by_place: the number of pairs from which on half are selected separately for each place. in_turn:
    whether half of the proposals take all changes in turn. between: whether a quarter go through values strictly inside
    the range. structured: whether the candidates of `pairs` are proposed as well. tables: the kinds of random tables.
    `bench/search_ablation.py` shows the effect of each.
    """

    proposal_share: float = 0.6
    first_runs: int = 4
    proposals: tuple[int, int] = (120, 6_000)
    batches: int = 4
    enough: int = 24
    look_share: float = 0.6
    pairs: int = 360
    runs: int = 32
    finalists: int = 4
    mutants: float = 0.25
    by_place: int = 16
    in_turn: bool = True
    between: bool = True
    structured: bool = False
    tables: tuple[str, ...] = TABLES


PLAN = SearchPlan()
USUAL_TRIALS = 20_000  # for which the numbers of a plan are made
PAIRS_BY_LAW = 96  # in the first halving look, where a law scores the runs
LAW_SHARE = 0.04  # of the search's trials, on either side: so many of a look are scored by a law of three arms or more
BY_LAW = (3, 60)  # arms and steps up to which a law is worth its time in every look
MIN_LAW_RUNS = 16


class FoundPair(NamedTuple):
    """The result of a search. looked: a description of the search. dependent: whether the same runs in a smaller batch
    had other releases. idle: whether the same noise led to the same releases on both sides of all pairs. runs: of the
    last look at this pair, on either side; they chose the pair, and a score may be learned from them."""

    pair: Pair
    looked: str
    dependent: bool = False
    idle: bool = False
    runs: BothSides | None = None


class Search(NamedTuple):
    """The settings of one search. curve: the claim. judge: estimates, from scores on the left and on the right, what
    can be certified. trials: on either side, in total, about a quarter of the runs that are played. noise: the address
    of all its noise. hints: pairs that are searched in addition, and stay to the end. hidden: whether the adversary
    does not see the release of the changed round. contexts: those of all pairs, if they are given. suggestions: pairs
    with which the proposals begin, and which stay only while they are among the best."""

    policy: Policy
    relation: str
    curve: Curve
    judge: ExcessEstimate
    trials: int
    noise: int
    hints: tuple[Pair, ...] = ()
    hidden: bool = False
    contexts: Contexts | None = None
    plan: SearchPlan = PLAN
    suggestions: tuple[Pair, ...] = ()


class View(Protocol):
    """How runs on many pairs are observed. differing: which pairs differ in a few runs with the same noise on either
    side, (pairs,). scores: of a number of runs of each pair, large if the right side is likelier; one or several
    scores. dependent: whether runs of the first look depend on the batch in which they are played. most_pairs: the
    largest number of pairs in a halving look."""

    @property
    def most_pairs(self) -> int:
        """The largest number of pairs that the search may play together."""

    def dependent(self, first: PairBatch) -> bool:
        """Whether runs depend on the other runs of their batch, judged by the search's first runs.
        first: their pairs."""

    def differing(self, batch: PairBatch, runs: int, purpose: str) -> NDArray[np.bool_]:
        """Returns which pairs release different outputs on both sides under the same noise in some run, (pairs,)."""

    def scores(self, batch: PairBatch, runs: int, purpose: str) -> list[Scores]:
        """Returns one or several scores of this many runs of each pair, large if the right side is likelier."""


class ReleasedView:
    """The released arms, scored by learned ratios, or by the policy's law if that is fast. last: the runs of the last
    look."""

    last: BothSides

    def __init__(self, player: Player, relation: str, trials: int) -> None:
        """Prepares a comparison of pairs by their released arms. trials: the number of trials of the search."""
        self.player, self.relation, self.trials = player, relation, trials

    @property
    def most_pairs(self) -> int:
        """The largest number of pairs that are compared at a time; 10^9 unless the law is evaluated."""
        return PAIRS_BY_LAW if self.by_law else 10**9

    def dependent(self, first: PairBatch) -> bool:
        """Whether runs depend on the other runs of their batch. first: the pairs of the first runs."""
        return self.player.batch_matters(first, self.last)

    def differing(self, batch: PairBatch, runs: int, purpose: str) -> NDArray[np.bool_]:
        """Plays both sides under the same noise; returns which pairs release different outputs: (pairs,)."""
        left, right = aligned(self.play(batch, runs, purpose))
        differ = (symbols(left) != symbols(right)).any(axis=1)
        return np.asarray(differ.reshape(-1, len(batch)).any(axis=0))

    def play(self, batch: PairBatch, runs: int, purpose: str) -> BothSides:
        """Plays runs of every pair on both sides, returns their transcripts, and keeps them as `last`."""
        self.last = self.player.play(batch, runs, purpose)
        return self.last

    def scores(self, batch: PairBatch, runs: int, purpose: str) -> list[Scores]:
        """Returns the scores of this many runs of each pair: by the law if possible, otherwise learned ones."""
        sides = aligned(self.play(batch, runs, purpose))
        return self.scores_by_law(batch, sides, runs) or cross_fitted_scores(
            sides, self.relation, batch.arm, batch.place
        )

    @property
    def by_law(self) -> bool:
        """Whether the scores use the policy's law: the policy has one and is small enough."""
        policy = self.player.policy
        return isinstance(policy, HasLaw) and policy.arms <= BY_LAW[0] and policy.horizon <= BY_LAW[1]

    def scores_by_law(self, batch: PairBatch, sides: BothSides, runs: int) -> list[Scores]:
        """Scores the runs by the law; returns a list of one set of scores, or an empty list.
        The list is empty if the law is slow, or excludes an observed release. Even from few runs, these scores reveal
        more than those learned from all runs."""
        policy, many = self.player.policy, len(batch)
        if not (self.by_law and isinstance(policy, HasLaw)):
            return []
        from dpbandits.audit.privacy.scores.distinguishers import scores_of_pairs

        few = runs if policy.arms <= 2 else min(runs, max(MIN_LAW_RUNS, int(LAW_SHARE * self.trials) // many))
        both = stacked([side.part(0, few * many) for side in sides])
        left, right = scores_of_pairs(policy, batch.pairs(), both).reshape(2, few, many)
        return [] if np.isnan(left).any() or np.isnan(right).any() else [Scores(left.T, right.T, exact=True)]


def search_released(search: Search) -> FoundPair:
    """Searches for the pair of tables whose releases seem to violate the claim most, and returns it."""
    view = ReleasedView(Player(search.policy, search.noise, search.hidden), search.relation, search.trials)
    ranked = search_pairs(search, view)
    if ranked.batch is None:
        return FoundPair(ranked.first, ranked.looked, ranked.dependent, not ranked.dependent)
    left, right = of_each_pair(aligned(view.last), len(ranked.batch))[ranked.order[0]]
    return FoundPair(ranked.batch.pair(ranked.order[0]), ranked.looked, runs=(left, right))


class Ranked(NamedTuple):
    """The pairs of the last look and their order, the best first; no pairs if none differed. first: the number of all
    pairs in the first look."""

    first: Pair
    looked: str
    batch: PairBatch | None = None
    order: tuple[int, ...] = ()
    dependent: bool = False


def search_pairs(search: Search, view: View) -> Ranked:
    """Searches for the pairs of inputs that violate the claim most; returns the last pairs by violation.
    Proposes pairs, drops those that never differ, halves the rest repeatedly, and orders the last ones."""
    plan = search.plan
    given = [*search.hints, *search.suggestions]
    space = space_of(search.policy, search.relation, search.contexts, given)
    space = space._replace(in_turn=plan.in_turn, between=plan.between, tables=plan.tables)
    rng = np.random.Generator(np.random.Philox(address(search.noise, "proposals")))
    known = candidates_with_contexts(search.policy, search.relation, search.contexts) if plan.structured else []
    first = joined_batches([*hints_in(space, [*given, *known]), propose(space, rng, proposals_of(search))])
    differing = view.differing(first, plan.first_runs, "first")
    if view.dependent(first):
        return Ranked(first.pair(0), "", dependent=True)
    pairs, seen = more_that_differ(search, view, space, rng, first, differing)
    if not len(pairs):
        return Ranked(first.pair(0), f"pairs of inputs searched: {seen}")
    hinted = int(differing[: len(search.hints)].sum())
    batch, scores, mutants = halve(search, view, space, rng, pairs, hinted)
    places = len({*zip(pairs.arm.tolist(), pairs.place.tolist(), strict=True)})
    looked = (
        f"Pairs of inputs searched: {seen + mutants}. Under the same noise, {len(pairs)} of the {seen + mutants} pairs "
        "had different outputs on their two inputs (with the changed value at "
        f"{counted(places, 'position', 'different positions')})."
    )
    return Ranked(first.pair(0), looked, batch, order_of(search, scores))


def proposals_of(search: Search) -> int:
    """The number of pairs that the search proposes first."""
    least, most = search.plan.proposals
    return min(most, max(least, int(search.plan.proposal_share * search.trials) // search.plan.first_runs))


def more_that_differ(
    search: Search, view: View, space: Space, rng: np.random.Generator, first: PairBatch, differing: NDArray[np.bool_]
) -> tuple[PairBatch, int]:
    """Returns all proposed pairs whose sides release different outputs, and the number of proposals.
    If few pairs differ, more are proposed, including mutations of those that differ."""
    found, seen = [first.take(differing)], len(first)
    for number in range(search.plan.batches):
        if sum(map(len, found)) >= search.plan.enough:
            break
        fresh = [propose(space, rng, proposals_of(search))]
        known = joined_batches(found)
        if len(known):
            parents = rng.integers(len(known), size=len(fresh[0]) // 8).tolist()
            fresh += mutations(space, known, parents, rng)
        batch = joined_batches(fresh)
        seen += len(batch)
        found.append(batch.take(view.differing(batch, search.plan.first_runs, f"more {number}")))
    return joined_batches([each for each in found if len(each)] or found[:1]), seen


def halve(
    search: Search, view: View, space: Space, rng: np.random.Generator, pairs: PairBatch, hinted: int
) -> tuple[PairBatch, list[Scores], int]:
    """Plays the pairs several times, each time drops the least revealing ones, and returns the rest.
    Returns the pairs of the last look, their scores, and the number of mutations that were tried. hinted: the number of
    pairs, at the beginning, that are hints and stay to the end."""
    plan = search.plan
    runs = max(plan.runs, int(plan.look_share * search.trials))
    most = min(plan.pairs, view.most_pairs)
    size = min(max(plan.finalists, runs // plan.runs), int(most * np.sqrt(max(1.0, search.trials / USUAL_TRIALS))))
    some = remaining_pairs(pairs, np.arange(len(pairs)), size, plan.by_place)
    batch = pairs.take(np.array(list(dict.fromkeys([*range(hinted), *some]))))
    mutants = 0
    for look in range(int(size).bit_length() + 1):
        each = max(plan.runs, runs // len(batch) // 2 * 2)
        scores = view.scores(batch, each, f"look {look}")
        if len(batch) <= plan.finalists + hinted:
            break
        z = np.max([violations(search.curve, some) for some in scores], axis=0)
        apart = np.max([separations(some) for some in scores], axis=0)
        order = np.lexsort((-apart, -z))
        size = max(plan.finalists, -(-min(size, len(batch)) // 2))
        if apart[order[0]] >= 1 - 1e-12:  # every run tells the sides apart: nothing promises more
            size = min(size, plan.finalists)
        fresh = int(plan.mutants * size) if size > 2 * plan.finalists else 0
        kept = remaining_pairs(batch, order, size - fresh, plan.by_place)
        kept = list(dict.fromkeys([*range(hinted), *kept]))
        parents = order[: max(plan.finalists, fresh // 3)]
        chosen = [int(parents[int(len(parents) * share**2)]) for share in rng.random(fresh)]
        changed = mutations(space, batch, chosen, rng)
        mutants += len(changed)
        batch = joined_batches([batch.take(np.array(kept)), *changed])
    return batch, scores, mutants


def remaining_pairs(batch: PairBatch, order: Ints, keep: int, by_place: int) -> list[int]:
    """Returns the indices of the `keep` pairs that the search goes on with.
    order: the indices of all pairs, the best first. Half of the kept pairs are the first in this order; the other half
    are the best pair at every place, then the second best at every place, and so on. If `keep` is at most `by_place`,
    all are the first in this order."""
    if keep <= by_place:
        return [int(k) for k in order[:keep]]
    kept = dict.fromkeys(int(k) for k in order[: keep // 2])
    places: dict[tuple[int, int], list[int]] = {}
    for k in order.tolist():
        places.setdefault((int(batch.arm[k]), int(batch.column[k])), []).append(k)
    for depth in range(max(map(len, places.values()))):
        for ranked in places.values():
            if depth < len(ranked) and len(kept) < keep:
                kept.setdefault(ranked[depth])
    return list(kept)


def order_of(search: Search, scores: Sequence[Scores]) -> tuple[int, ...]:
    """Returns the positions of the pairs in order of the violation that is expected on them, the largest first.
    Pairs are ordered by the violation that fresh runs should certify with the best score of each pair, or by the
    estimated violation if likelihood ratios are known."""
    apart = np.max([separations(some) for some in scores], axis=0)
    if scores[0].exact:
        promised = violations(search.curve, scores[0])
    else:
        every = range(len(apart))
        promised = np.array([max(search.judge(some.left[k], some.right[k]) for some in scores) for k in every])
    return tuple(np.lexsort((-apart, -promised)).tolist())
