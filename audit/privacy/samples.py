"""All that a policy draws, sampled theta or the noisy values that it declares, as an exhibit.

From samples, and where the policy declares how far its values move, exactly for the worst pair. No blur is in that, so
that it may speak at delta 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from dpbandits.audit.privacy.affordable import MIN_TRIALS, how_many_steps, trials_of
from dpbandits.audit.privacy.inputs import AS_NUMBERS
from dpbandits.audit.privacy.pipeline import (
    SIDES,
    ByLaw,
    Choice,
    DrawnTrials,
    Exactly,
    Instance,
    Score,
    Stop,
    certificate_by,
)
from dpbandits.audit.privacy.scores.learning import gap, likely
from dpbandits.audit.privacy.scores.moves import worst_shifts
from dpbandits.audit.privacy.scores.samples import Declares, scores_of_many
from dpbandits.audit.privacy.search.between import rows_between, standing_out
from dpbandits.audit.privacy.search.by_behaviour import MIN_LOOK_TRIALS
from dpbandits.audit.privacy.search.hints import hinted
from dpbandits.audit.privacy.search.in_context import candidates_of, rows_of
from dpbandits.audit.privacy.search.search import Look, pick_from_rows, search
from dpbandits.audit.statistics.events import require_finite, scored_by_search
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import context_dimension
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.noisy_values import HasShifts
from dpbandits.reference.claims.model import Private

MAX_LOOKED_STEPS = 12_000  # pairs times steps that all get a look
ODD = 10_000  # pairs with rewards between the ends, times steps, that get ODD_PAIR_RUNS runs each, about
ODD_PAIR_RUNS = 2

ScoresOfSides = tuple[Array, Array]


@dataclass(frozen=True)
class NoisyRuns:
    """The values that one policy draws in its runs, of its own arms and horizon."""

    policy: Any
    says: Private
    asked: Instance

    @property
    def level(self) -> float:
        return self.asked.run.level

    @cached_property
    def steps(self) -> int:
        return how_many_steps(self.policy, self.says.relation)

    @property
    def trials(self) -> int:
        """On either side of a pair."""
        return max(MIN_TRIALS, trials_of(self.steps, self.asked.run.profile))

    def play(self, pairs: Sequence[Pair], trials: int, purpose: str) -> list[ScoresOfSides]:
        """log p_right/p_left of all values, in so many runs of every pair on either side."""
        left, right = (
            scores_of_many(self.policy, pairs, side, trials, self.asked.address(SIDES[side], purpose))
            for side in (0, 1)
        )
        return list(zip(left, right, strict=True))

    def choose(self) -> Choice | Stop:
        """The pair about which trials should certify most, and the one that is worst by the declared shifts."""
        if not isinstance(self.policy, Declares):
            return Stop(
                "this policy does not say what it draws theta from (no `posterior`), nor other values (no `noisy`)"
            )
        first, looked = self.first_pairs()
        every = [*first, *candidates_of(self.policy, self.says.relation, self.says.contexts)]
        shifts = None
        if isinstance(self.policy, HasShifts) and not context_dimension(self.policy):
            shifts = worst_shifts(self.policy, self.asked.curve, every)
        some, looked = every, f"{len(every)} pairs looked at{looked}"
        # A run costs the same however few trials it has, so that a long horizon has fewer looks, not smaller ones.
        if len(every) * self.steps > MAX_LOOKED_STEPS:
            many = len(first) + max(4, MAX_LOOKED_STEPS // self.steps)
            some = shortlist(every, many, self.asked.address("pair"), 1 + len(first))
            looked = f"{len(some)} of {looked}"
        looked = f"{looked}; {AS_NUMBERS}"
        if shifts is None or not isinstance(self.policy, HasShifts):
            return Choice(self.best_of(some), looked=looked)
        pair, exact = every[shifts[0]], shifts[1]
        refutation = partial(certificate_by, "values_refutation", self.asked.claim, self.policy, pair, self.asked.curve)
        return Choice(self.best_of(some), ByLaw(lambda: exact, refutation, pair), looked)

    def first_pairs(self) -> tuple[list[Pair], str]:
        """Hints, and pairs with rewards between the ends that stand out in a few runs; and what was looked at."""
        first = hinted(self.policy, self.says)
        policy, seed, most = self.policy, self.asked.address("values"), ODD // self.steps
        rows, looked = rows_of(
            policy, self.says.relation, lambda plain: rows_between(policy, plain, most, seed), self.says.contexts
        )
        return [*first, *pick_from_rows(rows, self.mean_losses, standing_out)], looked

    def mean_losses(self, pairs: list[Pair]) -> list[float]:
        return [float(np.abs(np.concatenate(sides)).mean()) for sides in self.play(pairs, ODD_PAIR_RUNS, "values")]

    def best_of(self, pairs: list[Pair]) -> Pair:
        """The pair that promises most. All pairs of a look together get no more than half the runs of the audit, but a
        pair at least MIN_LOOK_TRIALS."""
        fresh = self.trials - int(self.trials * self.asked.run.profile.search)
        judge, looks, many = likely(self.asked.curve, fresh, self.level), [], len(pairs)
        for few, keep in ((100, 8), (500, 2), (2_000, 1)):
            looks.append(Look(f"look {few}", max(MIN_LOOK_TRIALS, min(few, self.trials // 2 // many)), keep))
            many = min(many, keep)

        def promises(some: Sequence[Pair], look: Look) -> list[tuple[float, float]]:
            return [(judge(*sides), gap(*sides)) for sides in self.play(some, look.trials, look.purpose)]

        best: Pair = search(pairs, promises, looks)[0].proposal
        return best

    def draw(self, choice: Choice) -> DrawnTrials | Stop:
        """The scores of either side. A worse pair by the declared shifts is played beside the one that is sampled: its
        runs are held against what is declared."""
        worst = choice.law.pair if choice.law is not None else None
        pairs = [choice.sampled, *([worst] if worst not in (None, choice.sampled) else [])]
        sides = self.play(pairs, self.trials, "audit")[0]
        if not (sides[0].any() or sides[1].any()):
            return Stop("the sampled values have the same law on either side of every pair tried")
        require_finite(np.concatenate(sides), "the score of sampled values")
        return DrawnTrials(sides)

    def score(self, choice: Choice, drawn: DrawnTrials, exactly: Exactly) -> Score:
        left, right = drawn.sides
        search = int(self.trials * self.asked.run.profile.search)
        return Score(
            scored_by_search(left, right, search, self.asked.curve, self.level),
            pair=choice.sampled,
            played=choice.sampled,
        )


def shortlist(every: list[Pair], many: int, seed: int, first: int = 1) -> list[Pair]:
    """So many of the candidate pairs, the first ones always, in an order that the seed fixes."""
    rest = np.random.default_rng(seed).permutation(len(every) - first)[: max(0, many - first)] + first
    return [*every[:first], *(every[int(index)] for index in sorted(rest))]
