"""Audit target: all values that a policy draws, either sampled theta or the noisy values that it declares.

The audit uses samples. If the policy declares by how much the centres of its values differ between neighbours, the
audit also uses the exact profile of the worst pair. This profile has no absolute error, so it can decide claims at
delta 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.play.probes import MAX_PROBED_HORIZON, TrialFault, constant_table, probe
from dpbandits.audit.privacy.pipeline import (
    AuditedInstance,
    ByLaw,
    Choice,
    DrawnTrials,
    LawBounds,
    NotTestable,
    Score,
    affordable_trials,
    certificate_by,
    how_many_steps,
)
from dpbandits.audit.privacy.result import AS_NUMBERS
from dpbandits.audit.privacy.scores.learning import expected_excess
from dpbandits.audit.privacy.scores.moves import worst_shifts
from dpbandits.audit.privacy.scores.samples import Declares, scores_of_many
from dpbandits.audit.privacy.scores.violation import Scores
from dpbandits.audit.privacy.search.between import ODD_PAIR_STEPS, most_conspicuous, rows_between
from dpbandits.audit.privacy.search.pairs import candidates_with_contexts, checked_hints, context_patterns
from dpbandits.audit.privacy.search.proposals import PairBatch
from dpbandits.audit.privacy.search.search import Search, SearchPlan, search_pairs
from dpbandits.audit.statistics.events import require_finite, scored_by_search
from dpbandits.reference.bandits.adjacency import SIDES, Pair
from dpbandits.reference.bandits.contexts import context_dimension
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.noisy_values import HasShifts
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.bandits.protocol import name_of
from dpbandits.reference.claims.model import Private

MAX_SAMPLED_PAIRS = 96  # in a halving look
# Exact ratios rank pairs by few runs, both sides of which are followed
SAMPLED_PLAN = SearchPlan(proposal_share=0.3, look_share=0.3)
ODD_PAIR_RUNS = 2  # of every pair with a reward between the ends

ScoresOfSides = tuple[Array, Array]


@dataclass(frozen=True)
class NoisyRuns:
    """The values that one policy draws in its runs, with its own arms and horizon."""

    policy: Policy
    says: Private
    instance: AuditedInstance

    @property
    def level(self) -> float:
        """The probability with which this audit refutes a true claim."""
        return self.instance.run.level

    @cached_property
    def steps(self) -> int:
        """The number of steps of a run."""
        return how_many_steps(self.policy, self.says.relation)

    @property
    def trials(self) -> int:
        """The number of trials on either side of a pair."""
        return affordable_trials(self.instance.run, 2 * self.steps)  # both sides of a run are followed together

    def play(self, pairs: Sequence[Pair], trials: int, purpose: str) -> list[ScoresOfSides]:
        """Plays `trials` runs on each side of every pair; returns the scores log p_right/p_left of sampled values."""
        assert isinstance(self.policy, Declares)  # as `choose` has seen to
        left, right = (
            scores_of_many(self.policy, pairs, side, trials, self.instance.address(SIDES[side], purpose))
            for side in (0, 1)
        )
        return list(zip(left, right, strict=True))

    def choose(self) -> Choice[Pair] | NotTestable:
        """Chooses the pair on which trials should certify most, and the pair that is worst by the declared shifts.
        NotTestable if the policy does not declare its sampled values, or if no pair changes their law."""
        if not isinstance(self.policy, Declares):
            return NotTestable(
                f"view 'samples' is about the noisy values that a policy draws, and {name_of(self.policy)} declares "
                "none; add a method `noisy(t, state)` that returns them (for normal samples of each arm: `posterior`), "
                "or audit the view 'arms'"
            )
        search = self.search()
        ranked = search_pairs(search, SampledView(self))
        if ranked.batch is None:
            return NotTestable("the sampled values have the same law on either side of every pair tried")
        pair, looked = ranked.batch.pair(ranked.order[0]), f"{ranked.looked} {AS_NUMBERS}"
        if not isinstance(self.policy, HasShifts) or context_dimension(self.policy):
            return Choice(pair, looked=looked)
        every = [*search.hints, *candidates_with_contexts(self.policy, self.says.relation), pair]
        shifts = worst_shifts(self.policy, self.instance.curve, every)
        if shifts is None:
            return Choice(pair, looked=looked)
        worst, exact = every[shifts[0]], shifts[1]
        refutation = partial(
            certificate_by, "values_refutation", self.instance.claim, self.policy, worst, self.instance.curve
        )
        return Choice(pair, ByLaw(lambda: exact, refutation, worst), looked)

    def search(self) -> Search:
        """Returns the settings of a search for pairs of tables whose sampled values seem to violate the claim most."""
        fresh = self.trials - int(self.trials * self.instance.run.profile.search)
        return Search(
            self.policy,
            self.says.relation,
            self.instance.curve,
            expected_excess(self.instance.curve, fresh, self.level),
            self.trials,
            self.instance.address("values"),
            (*checked_hints(self.policy, self.says), *self.odd_pairs()),
            contexts=self.says.contexts,
            plan=SAMPLED_PLAN,
        )

    def odd_pairs(self) -> list[Pair]:
        """Returns unusual pairs of tables whose sampled values differ most in a few runs, or more than similar pairs.
        Unusual pairs have a reward strictly inside the range, or a change at any place. Empty if there are contexts."""
        if context_dimension(self.policy):
            return []
        rows = rows_between(
            self.policy, self.says.relation, ODD_PAIR_STEPS // self.steps, self.instance.address("values")
        )
        every = [pair for row in rows for pair in row]
        played = self.play(every, ODD_PAIR_RUNS, "odd")
        loss = np.array([np.abs(np.concatenate(sides)).mean() for sides in played])
        return [every[place] for place in most_conspicuous(loss, [len(row) for row in rows])]

    def draw(self, choice: Choice[Pair]) -> DrawnTrials[ScoresOfSides] | NotTestable:
        """Plays runs on both sides of the chosen pair, and returns the scores of their sampled values.
        If another pair is worse by the declared shifts, it is played as well, so that its runs are compared with the
        declaration."""
        worst = choice.law.pair if choice.law is not None else None
        pairs = [choice.sampled, *([worst] if worst not in (None, choice.sampled) else [])]
        sides = self.play(pairs, self.trials, "audit")[0]
        if not (sides[0].any() or sides[1].any()):
            return NotTestable("the sampled values have the same law on either side of every pair tried")
        require_finite(np.concatenate(sides), "the score of sampled values")
        return DrawnTrials(sides)

    def score(self, choice: Choice[Pair], drawn: DrawnTrials[ScoresOfSides], exactly: LawBounds) -> Score:
        """Returns the scores of the fresh trials, with the tests that the first trials choose.
        exactly: the exact bounds by a law, which are not used."""
        left, right = drawn.sides
        search = int(self.trials * self.instance.run.profile.search)
        return Score(
            scored_by_search(left, right, search, self.instance.curve, self.level),
            pair=choice.sampled,
            played=choice.sampled,
        )


@dataclass(frozen=True)
class SampledView:
    """The values drawn in runs on many pairs, scored by their exact likelihood ratio."""

    runs: NoisyRuns

    @property
    def most_pairs(self) -> int:
        """The largest number of pairs that the search may play together."""
        return MAX_SAMPLED_PAIRS

    def dependent(self, first: PairBatch) -> bool:
        """Returns False, because the runs of a batch do not depend on each other."""
        return False

    def differing(self, batch: PairBatch, runs: int, purpose: str) -> NDArray[np.bool_]:
        """Returns which pairs have a run whose likelihood ratio is not 1: (pairs,)."""
        (found,) = self.scores(batch, runs, purpose)
        return np.asarray(found.left.any(axis=1) | found.right.any(axis=1))

    def scores(self, batch: PairBatch, runs: int, purpose: str) -> list[Scores]:
        """Returns one set of scores: the exact log-likelihood ratios of this many runs on either side of every pair."""
        left, right = zip(*self.runs.play(batch.pairs(), runs, purpose), strict=True)
        return [Scores(np.array(left), np.array(right), exact=True)]


def probe_runs(policy: Policy, says: Private, seed: int) -> TrialFault | None:
    """Returns the fault of a policy's trials, as `probe` reports it; None if none was found, or for long runs."""
    if policy.horizon > MAX_PROBED_HORIZON:
        return None
    table = constant_table(policy)
    if context_dimension(policy):
        table = replace(table, contexts=says.contexts or next(iter(context_patterns(policy).values())))
    return probe(policy, table, seed)
