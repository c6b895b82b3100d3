"""Audit target: the transcripts of a policy with a law. The exact engine decides by this law, and samples test the
decision.

The exact engine trusts a policy's `law`. So the released arms are always tested against this law too, and every
statement is also tested from samples alone; for these tests the law is used at most to choose the inputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any

import numpy as np

from dpbandits.audit.judges.shared_answers import Answer, shared_answer, unshared_answer
from dpbandits.audit.play.probes import TrialFault, probe
from dpbandits.audit.play.transcripts import BLOCK, BothSides, simulate_transcripts, stacked
from dpbandits.audit.privacy.black_box import without_law
from dpbandits.audit.privacy.exact_pairs import (
    ALL_CLAIMS,
    ONE_CLAIM,
    few_states,
    followed_if_small,
    number_of_states,
    others_if_followed,
    profile_if_followed,
    worst_nearby,
    worst_pairs,
)
from dpbandits.audit.privacy.goodness import why_unlawful
from dpbandits.audit.privacy.pipeline import (
    FAINT_REMARK,
    FIT,
    ByLaw,
    Choice,
    DrawnTrials,
    LawBounds,
    NotTestable,
    Score,
    affordable_by_law,
    certificate_by,
)
from dpbandits.audit.privacy.released_runs import (
    LEARN,
    ONE_RUN,
    SAME_IN_EVERY_RUN,
    SAME_UNDER_SAME_NOISE,
    ReleasedRuns,
    uncertifiable,
)
from dpbandits.audit.privacy.result import NOTHING, told_apart_by
from dpbandits.audit.privacy.scores.distinguishers import log_likelihood_ratio
from dpbandits.audit.privacy.scores.learning import expected_excess
from dpbandits.audit.privacy.search.between import interior_rewards_by_behaviour
from dpbandits.audit.privacy.search.pairs import checked_hints
from dpbandits.audit.privacy.search.players import Player
from dpbandits.audit.privacy.search.search import ReleasedView, Search, search_pairs, search_released
from dpbandits.audit.statistics.events import require_finite, scored_by_search
from dpbandits.reference.bandits.adjacency import SIDES, Pair
from dpbandits.reference.bandits.contexts import Contexts, context_dimension
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.bandits.policy import HasLaw
from dpbandits.reference.curves import Gaussian

SUSPECTS, ODD_RUNS = 2, 8  # pairs of either kind; runs of every pair with a reward between the ends
OTHER_PAIRS_SHARE = 0.5  # the share of the fit's level for other pairs than the one that is audited
LOOKED = 8  # an eighth of the trials searches for such pairs, and an eighth is compared with the law there
SAME_BY_LAW = "by its law, all that was released is as likely on either side"
WITHOUT = "a search that asks no law chose the pair, and trials taught the score"


@dataclass(frozen=True)
class LawfulRuns(ReleasedRuns):
    """The runs of one policy that states the law of its releases. If runs have few states, the law chooses the pair of
    tables; otherwise the search by behaviour chooses it, as for any policy."""

    policy: HasLaw

    @property
    def answer(self) -> Answer:
        """The function that computes results which do not depend on the claim, and may share them.
        All claims of the ledger about a policy share such results; audits of other subjects compute their own."""
        return shared_answer if self.instance.shared else unshared_answer

    def common_seed(self, *purpose: Any) -> int:
        """Returns a seed for noise that all audits of the ledger's claims share for the same purpose.
        An audit of another subject gets a seed of its own."""
        run = self.instance.run
        return address(run.seed, "all claims", *purpose) if self.instance.shared else self.instance.address(*purpose)

    def choose(self) -> Choice[Pair] | NotTestable:
        """Chooses the pair of tables to audit; returns NotTestable if no pair can be tested.
        Samples and the exact profile may use different pairs."""
        policy, run, trials, curve = self.policy, self.instance.run, self.trials, self.instance.curve
        hints = checked_hints(policy, self.says)
        plain = self.says.relation == "pull" and not context_dimension(policy)
        states = self.answer(number_of_states, policy, run.profile.exact_states) if plain else inf
        if states < inf:
            tries, seed = int(run.profile.pair_effort / states), self.common_seed("pair")
            effort = ALL_CLAIMS if self.instance.shared else ONE_CLAIM
            worst, pair = worst_pairs(policy, curve, trials, run, seed, tries, hints, effort, self.answer)
            fault = self.answer(probe, policy, pair.environments()[0], seed)
            if fault is TrialFault.DEPENDENT_TRIALS:
                return NotTestable(unfit=fault)
            return Choice(pair, self.law_at(worst), singly=fault is TrialFault.OWN_RANDOMNESS)
        fresh, seed = trials - int(trials * run.profile.search), self.instance.address("pair")
        if hopeless := uncertifiable(policy, curve, fresh, self.level):
            return NotTestable(hopeless)
        judge, noise = expected_excess(curve, fresh, self.level), address(seed, "search")
        looks = int(run.profile.pair_trials * trials)
        return self.choose_by_search(self.search(policy, judge, looks, noise, tuple(hints)), seed)

    def choose_by_search(self, search: Search, seed: int) -> Choice[Pair] | NotTestable:
        """Chooses the pairs of tables to audit, by a search that compares released arms.
        Samples use the pair that the search finds; the exact profile uses the same pair, or a worse one nearby if the
        exact engine finds one."""
        found = self.search_and_probe(search, seed)
        if isinstance(found, NotTestable):
            return found
        best, singly = found
        followable = self.hidden or few_states(self.policy, best.pair, self.instance.run)
        return Choice(
            best.pair,
            law=self.law_at(self.worst_by_law(best.pair, seed)) if followable else None,
            looked=best.looked,
            idle=f"{best.looked}{SAME_UNDER_SAME_NOISE}" if best.idle else "",
            singly=singly,
            searched=best.runs,
        )

    def worst_by_law(self, pair: Pair, seed: int) -> Pair:
        """Returns the pair of tables for which the exact profile is computed.
        If there are contexts, or other users are the adversary, a local search from the given pair chooses it;
        otherwise it is the given pair."""
        policy, run = self.policy, self.instance.run
        if self.hidden:
            exact = partial(others_if_followed, policy, run=run)
        elif context_dimension(policy):
            exact = partial(followed_if_small, policy, run=run)
        else:
            return pair
        return worst_nearby(policy, self.instance.curve, pair, exact, run, seed, self.says.contexts is None)

    def law_at(self, pair: Pair) -> ByLaw:
        """Returns the exact profile of a pair, and the certificate if the profile violates the claim."""
        about = self.instance.claim, self.policy, pair, self.instance.curve
        if self.hidden:
            found = partial(certificate_by, "refutation_in_context", *about, view="others")
            return ByLaw(partial(others_if_followed, self.policy, pair, self.instance.run), found, pair)
        exact = partial(self.answer, profile_if_followed, self.policy, pair, self.instance.run.profile.grid)
        return ByLaw(exact, partial(certificate_by, "policy_refutation", *about), pair)

    def draw(self, choice: Choice[Pair]) -> DrawnTrials[BothSides] | NotTestable:
        """Plays trials on both tables; also returns why they contradict the policy's declared law, if they do."""
        sides = self.play_to_certify(choice)
        if isinstance(sides, NotTestable):
            return sides
        certain = self.are_certain(choice.sampled, sides)
        held = self.held_against_law(sides)
        fit = self.instance.run.level * FIT * (1 - OTHER_PAIRS_SHARE)
        wrong = why_unlawful(self.policy, choice.sampled, (sides[0].part(0, held), sides[1].part(0, held)), fit)
        elsewhere = None if wrong or certain or choice.singly else self.unlawful_elsewhere(held)
        wrong, where = elsewhere or (wrong, None)
        if isinstance(wrong, NotTestable):
            return wrong
        return DrawnTrials(self.seen(choice.sampled, sides), wrong, where, certain)

    def in_stages(self, choice: Choice[Pair]) -> bool:
        """Returns False, because trials that the law scores are certified in one stage."""
        return False

    def held_against_law(self, sides: BothSides) -> int:
        """Returns how many trials are compared with the law: all, unless evaluating the law is too expensive."""
        steps = max(side.arms.shape[1] for side in sides)
        return affordable_by_law(self.policy, sides[0].trials, steps, self.instance.run)

    def unlawful_elsewhere(self, held: int) -> tuple[str | NotTestable, Pair] | None:
        """Compares the policy with its declared law on other pairs; returns a contradiction and its pair, or None.
        held: how many trials are compared with the law on the audited pair.

        All claims of the ledger about one policy share the answer, because it depends on nothing that differs between
        them.
        """
        level = self.instance.run.level * FIT * OTHER_PAIRS_SHARE
        plain = self.says.relation in ("pull", "round") and self.says.contexts is None
        relation = "pull" if plain and not context_dimension(self.policy) else self.says.relation
        asked = self.policy, relation, self.says.contexts, held // LOOKED, level, address(self.instance.run.seed, "law")
        return self.answer(unlawful_elsewhere, *asked)

    def score(self, choice: Choice[Pair], drawn: DrawnTrials[BothSides], exactly: LawBounds) -> Score:
        """Scores the trials by the policy's law if possible, otherwise by a learned score.
        A score by the law is a log-likelihood ratio. If neither is possible, the result contains the reason. exactly:
        the exact bounds by the law, if they were computed."""
        if drawn.certain:
            return Score(idle=ONE_RUN, pair=choice.sampled, played=choice.sampled)
        scores = self.scores_by_law(choice.sampled, drawn)
        silent = scores is not None and bool((np.abs(scores) < NOTHING).all())
        if scores is not None and silent and not (told_apart_by(exactly.bounds) or exactly.below_resolution):
            return self.score_without_law(choice, drawn, scores, exactly)
        if stacked(drawn.sides).constant():
            return Score(idle=f"{SAME_IN_EVERY_RUN}; {FAINT_REMARK}" if exactly.below_resolution else SAME_IN_EVERY_RUN)
        return self.scored(choice, choice.sampled, drawn.sides, scores, drawn.pair)._replace(idle=choice.idle)

    def scores_by_law(self, pair: Pair, drawn: DrawnTrials[BothSides]) -> Array | None:
        """Returns the log-likelihood ratios of all trials; None if the law is contradicted or too slow to evaluate.
        Also None if the release of the changed round is hidden."""
        if drawn.wrong or self.hidden or self.held_against_law(drawn.sides) < drawn.sides[0].trials:
            return None
        return log_likelihood_ratio(self.policy, pair, stacked(drawn.sides))

    def score_without_law(
        self, choice: Choice[Pair], drawn: DrawnTrials[BothSides], scores: Array, exactly: LawBounds
    ) -> Score:
        """Scores trials of a policy whose law is the same on both sides of the audited pair of tables.
        Such a law cannot distinguish the sides, so a pair is searched and scored as for a policy without a law."""
        if exactly.bounds is not None and exactly.bounds.high == inf:
            return Score(idle=f"{SAME_BY_LAW}, as far as its chances are right")
        same = f"{SAME_BY_LAW}; {choice.idle or WITHOUT}"
        if choice.idle:
            return self.scored(choice, choice.sampled, drawn.sides, scores)._replace(same=same)
        trials, noise = drawn.sides[0].trials, address(self.instance.address("pair"), "without its law")
        judge = expected_excess(self.instance.curve, trials - int(trials * LEARN), 1e-9)
        looks = int(self.instance.run.profile.pair_trials * trials)
        search = self.search(without_law(self.policy), judge, looks, noise)
        pair = search_released(search).pair
        sides = self.play(pair, trials, "without its law", 1 if choice.singly else BLOCK)
        return self.scored(choice, pair, sides, None)._replace(same=same)

    def scored(
        self, choice: Choice[Pair], played: Pair, sides: BothSides, scores: Array | None, shown: Pair | None = None
    ) -> Score:
        """Returns the scores of the trials that certify, with the tests, which the scores of earlier trials choose.
        scores: those of all trials; if they are None or incomplete, a score is learned. played: the tables of the
        trials. shown: the tables that the finding displays, if they are others."""
        if scores is None or np.isnan(scores).any():  # nan: what a blurred law excludes has happened
            return self.score_learnt(choice, played, sides, shown)
        require_finite(scores, "the score of released transcripts")
        trials, run = sides[0].trials, self.instance.run
        search = int(trials * run.profile.search)
        found = scored_by_search(scores[:trials], scores[trials:], search, self.instance.curve, self.level)
        releases = partial(self.releases, played, sides, 1 if choice.singly else BLOCK)
        return Score(found, by_law=True, pair=shown or played, played=played, releases=releases)


def unlawful_elsewhere(
    policy: HasLaw, relation: str, contexts: Contexts | None, trials: int, level: float, seed: int
) -> tuple[str | NotTestable, Pair] | None:
    """Compares a policy with its declared law on suspicious pairs; returns a contradiction and its pair, or None.

    The pairs are those that runs distinguish best, as if perfect privacy were claimed. trials: the number for the
    search; the comparison with the law uses as many in total. level: the probability that a right law is contradicted.
    """
    nothing_leaks = Gaussian(0.0)
    judge, noise = expected_excess(nothing_leaks, trials, level), address(seed, "search")
    search = Search(without_law(policy), relation, nothing_leaks, judge, trials, noise, contexts=contexts)
    others = suspicious_pairs(search)
    for place, other in enumerate(others):
        each = trials // len(others)
        left, right = (
            simulate_transcripts(policy, table, each, address(seed, side, place))
            for side, table in zip(SIDES, other.environments(), strict=True)
        )
        if wrong := why_unlawful(policy, other, (left, right), level / len(others)):
            return wrong, other
    return None


def suspicious_pairs(asked: Search) -> list[Pair]:
    """Returns a few pairs of tables on which a declared law should be compared with the behaviour.
    They are the pairs that seem to violate the claim most, and pairs with a reward strictly inside the range on which
    runs diverge earlier than on similar pairs. Empty if the trials are too few for the fewest proposals."""
    if asked.trials < asked.plan.proposals[0] * asked.plan.first_runs:
        return []
    player = Player(asked.policy, asked.noise)
    ranked = search_pairs(asked, ReleasedView(player, asked.relation, asked.trials))
    found = [] if ranked.batch is None else [ranked.batch.pair(k) for k in ranked.order[:SUSPECTS]]
    if context_dimension(asked.policy):
        return found
    most = asked.trials // ODD_RUNS
    return [*found, *interior_rewards_by_behaviour(player, asked.relation, most, ODD_RUNS)[:SUSPECTS]]
