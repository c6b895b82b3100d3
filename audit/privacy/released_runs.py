"""What a policy releases, run by run, as an audit target: its law is asked where it has one, and its behaviour always.

The exact engine believes a policy's `law`. So the released arms are always also tested against this law, and every
statement is always also certified from samples alone, in which the law at most chose what to look at.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property, lru_cache, partial
from math import inf
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.play.probes import DEPENDENT_TRIALS, OWN_RANDOMNESS, PLAYED_SINGLY, probe
from dpbandits.audit.play.transcripts import BLOCK, simulate_transcripts, stacked
from dpbandits.audit.privacy.affordable import affordable_by_law, affordable_singly, affordable_trials, how_many_steps
from dpbandits.audit.privacy.black_box import without_law
from dpbandits.audit.privacy.exact_pairs import (
    few_states,
    followed_if_small,
    others_if_followed,
    profile_if_followed,
    visited,
    worst_nearby,
    worst_pairs,
)
from dpbandits.audit.privacy.goodness import FIT, OPEN_TIES, unlawful
from dpbandits.audit.privacy.pipeline import (
    FAINT_REMARK,
    SIDES,
    ByLaw,
    Choice,
    DrawnTrials,
    Instance,
    LawBounds,
    NotTestable,
    Score,
    certificate_by,
)
from dpbandits.audit.privacy.result import NOTHING, BothSides, told_apart_by
from dpbandits.audit.privacy.scores.distinguishers import log_likelihood_ratio
from dpbandits.audit.privacy.scores.learning import ExcessEstimate, best_learnt, expected_excess
from dpbandits.audit.privacy.search.hints import hinted
from dpbandits.audit.privacy.search.players import hide_changed
from dpbandits.audit.privacy.search.search import Search, search_released, suspicious_pairs
from dpbandits.audit.statistics.copies import copies_remark, differing_runs, is_deterministic, unused_randomness
from dpbandits.audit.statistics.events import (
    MAIN_SHARE,
    ScoredTrials,
    plan_tests_by_scores,
    require_finite,
    scored_by_search,
)
from dpbandits.audit.statistics.region import excess_over_region, joint_region
from dpbandits.audit.statistics.resolution import min_caught_violations
from dpbandits.audit.statistics.stages import STAGES, NextStage
from dpbandits.proofs_checks.exact.privacy_profile import ExactProfile, MeasurePair
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import Contexts, context_dimension
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.bandits.policy import HasLaw, Policy
from dpbandits.reference.bandits.recommendations import answers
from dpbandits.reference.claims.model import Private
from dpbandits.reference.curves import Curve, Gaussian, derived

# Of the trials, on either side, the share that teaches a score where no law gives one; where certification may go on in
# stages, these are played besides
LEARN = 0.4
MAX_STAGE_STEPS = 10_000_000  # of the runs of a later stage on either side, at most; the first stage's trials at least
OTHER_PAIRS_SHARE = 0.5  # the share of the fit's level for other pairs than the one that is audited
LOOKED = 8  # an eighth of the trials searches for such pairs, and an eighth is compared with the law there
SAME_BY_LAW = "by its law, all that was released is as likely on either side"
ONE_RUN = "the policy is deterministic, so that one run on either side decides, and no samples are counted"
WITHOUT = "a search that asks no law chose the pair, and trials taught the score"


@dataclass(frozen=True)
class ReleasedRuns:
    """The runs of one policy, of its own arms and horizon."""

    policy: Policy
    says: Private
    asked: Instance

    @property
    def level(self) -> float:
        return self.asked.run.level * (1 - FIT)

    @property
    def first_level(self) -> float:
        """What the first stage may spend, where certification may go on."""
        return self.level * STAGES[0].share

    @property
    def hidden(self) -> bool:
        """Whether the release of the changed round is not seen."""
        return self.says.view == "others"

    @cached_property
    def steps(self) -> int:
        return how_many_steps(self.policy, self.says.relation)

    @cached_property
    def trials(self) -> int:
        """On either side of a pair, where many runs are played at once."""
        return affordable_trials(self.asked.run, self.steps)

    def choose(self) -> Choice | NotTestable:
        policy, run, trials = self.policy, self.asked.run, self.trials
        hints, seed = hinted(policy, self.says), self.asked.address("pair")
        plain = self.says.relation == "pull" and not context_dimension(policy)
        states = visited(policy, run.profile.exact_states) if plain else inf
        if isinstance(policy, HasLaw) and states < inf:
            tries = int(run.profile.pair_effort / states)
            worst, pair = worst_pairs(policy, self.asked.curve, trials, run, seed, tries, hints)
            remarks = probe(policy, pair.environments()[0], seed)
            if DEPENDENT_TRIALS in remarks:
                return NotTestable(unfit=DEPENDENT_TRIALS)
            return Choice(pair, self.law_at(worst), singly=PLAYED_SINGLY * (OWN_RANDOMNESS in remarks))
        lawful = isinstance(policy, HasLaw)
        fresh, level = (trials - int(trials * run.profile.search), self.level) if lawful else (trials, self.first_level)
        if hopeless := uncertifiable(policy, self.asked.curve, fresh, level):
            return NotTestable(hopeless)
        judge, noise = expected_excess(self.asked.curve, fresh, level), address(seed, "search")
        looks = int(run.profile.pair_trials * trials)
        return self.searched(self.search(policy, judge, looks, noise, tuple(hints)), seed)

    def search(
        self, policy: Policy, judge: ExcessEstimate, trials: int, noise: int, hints: tuple[Pair, ...] = ()
    ) -> Search:
        subject = without_law(policy) if self.hidden else policy  # its law is of all that is released
        return Search(
            subject,
            self.says.relation,
            self.asked.curve,
            judge,
            trials,
            noise,
            hints,
            self.hidden,
            self.says.contexts,
            suggestions=self.asked.run.suggestions,
        )

    def searched(self, search: Search, seed: int) -> Choice | NotTestable:
        """The pair that a search finds, which goes by what is released."""
        policy, found = self.policy, search_released(search)
        remarks = probe(policy, found.pair.environments()[0], seed)
        if DEPENDENT_TRIALS in remarks or (found.dependent and OWN_RANDOMNESS not in remarks):
            return NotTestable(unfit=DEPENDENT_TRIALS)
        idle = ""
        if found.idle:
            if policy.horizon == 1 and not remarks and not answers(policy):
                own = self.says.relation == "user" and not self.hidden
                return NotTestable(same=f"its one pull {'tells no context' if own else 'comes before any reward'}")
            idle = f"{found.looked}: with the same noise, the same was released on either side of every one"
            if not isinstance(policy, HasLaw):
                return NotTestable(idle)
        if is_deterministic(policy) and not isinstance(policy, HasLaw):
            differing = (differing_runs(policy, each, seed) for each in found.pair.environments())
            if wrong := next(filter(None, differing), ""):
                return NotTestable(unfit=wrong)
            apart = found.runs is not None and not stacked(found.runs).constant()
            law = ByLaw(apart_for_certain, pair=found.pair) if apart else None
            return Choice(found.pair, law, found.looked, idle)
        followable = isinstance(policy, HasLaw) and (self.hidden or few_states(policy, found.pair, self.asked.run))
        law = self.law_at(self.worst_by_law(found.pair, seed)) if followable else None
        return Choice(
            found.pair, law, found.looked, idle, PLAYED_SINGLY * (OWN_RANDOMNESS in remarks), searched=found.runs
        )

    def worst_by_law(self, pair: Pair, seed: int) -> Pair:
        """The pair on which the law is asked: near the one that was found, where there are contexts, or others see."""
        policy, run = self.policy, self.asked.run
        assert isinstance(policy, HasLaw)
        if self.hidden:
            exact = partial(others_if_followed, policy, run=run)
        elif context_dimension(policy):
            exact = partial(followed_if_small, policy, run=run)
        else:
            return pair
        return worst_nearby(policy, self.asked.curve, pair, exact, run, seed, self.says.contexts is None)

    def law_at(self, pair: Pair) -> ByLaw:
        assert isinstance(self.policy, HasLaw)
        exact = partial(profile_if_followed, self.policy, pair, self.asked.run.profile.grid)
        if self.hidden:
            about = self.asked.claim, self.policy, pair, self.asked.curve
            found = partial(certificate_by, "refutation_in_context", *about, view="others")
            return ByLaw(partial(others_if_followed, self.policy, pair, self.asked.run), found, pair)
        found = partial(certificate_by, "policy_refutation", self.asked.claim, self.policy, pair, self.asked.curve)
        return ByLaw(exact, found, pair)

    def play(self, pair: Pair, trials: int, purpose: str, together: int = BLOCK) -> BothSides:
        """So many runs on either table, with all that they release. together: so many are played at once."""
        left, right = (
            simulate_transcripts(self.policy, table, trials, self.asked.address(side, purpose), together)
            for side, table in zip(SIDES, pair.environments(), strict=True)
        )
        return left, right

    @property
    def copies_seed(self) -> int:
        """Of the runs that show whether a policy uses its randomness."""
        return self.asked.address("copies")

    def without_chance(self, sides: BothSides) -> bool:
        """Whether all runs of a side are equal, and the sides differ."""
        return all(side.constant() for side in sides) and not stacked(sides).constant()

    def why_copies(self, pair: Pair, sides: BothSides) -> str:
        """Why the runs on these tables are copies, which certify nothing; "" where they are not. Runs that are the same
        on both sides tell nothing apart, and need no reason."""
        if not self.without_chance(sides):
            return ""
        return copies_remark(self.policy, pair.environments()[0], self.copies_seed, sides[0].trials)

    def is_one_run(self, pair: Pair) -> bool:
        """Whether runs on the left table are one run for certain: the policy says so, or uses no randomness there."""
        table = pair.environments()[0]
        return is_deterministic(self.policy) or bool(unused_randomness(self.policy, table, self.copies_seed)[0])

    def draw(self, choice: Choice) -> DrawnTrials | NotTestable:
        trials = affordable_singly(self.asked.run, self.steps, self.trials) if choice.singly else self.trials
        if self.in_stages(choice):
            trials += int(trials * LEARN)
        sides = self.play(choice.sampled, trials, "audit", 1 if choice.singly else BLOCK)
        if why := self.why_copies(choice.sampled, sides):
            return NotTestable(unfit=why)
        certain = self.without_chance(sides) and self.is_one_run(choice.sampled)
        if not isinstance(self.policy, HasLaw):
            return DrawnTrials(self.seen(choice.sampled, sides), certain=certain)
        held = self.held_against_law(trials, sides)
        fit = self.asked.run.level * FIT * (1 - OTHER_PAIRS_SHARE)
        wrong = unlawful(self.policy, choice.sampled, (sides[0].part(0, held), sides[1].part(0, held)), fit)
        elsewhere = None if wrong or certain or choice.singly else self.unlawful_elsewhere(held)
        wrong, where = elsewhere or (wrong, None)
        if wrong == OPEN_TIES:
            return NotTestable(unfit=OPEN_TIES)
        return DrawnTrials(self.seen(choice.sampled, sides), wrong, where, certain)

    def in_stages(self, choice: Choice) -> bool:
        """Whether certification may go on: for policies without a law whose runs are played many at once."""
        return not isinstance(self.policy, HasLaw) and not choice.singly

    def seen(self, pair: Pair, sides: BothSides) -> BothSides:
        """What is seen of these runs on a pair."""
        if not self.hidden:
            return sides
        place = np.array([pair.changed_round - 1])
        return hide_changed(sides[0], place), hide_changed(sides[1], place)

    def held_against_law(self, trials: int, sides: BothSides) -> int:
        """So many of the trials are: all, unless the law is too dear."""
        steps = max(side.arms.shape[1] for side in sides)
        return affordable_by_law(self.policy, trials, steps, self.asked.run)

    def unlawful_elsewhere(self, held: int) -> tuple[str, Pair] | None:
        """Why behaviour contradicts the declared law on one of a few other pairs, and on which; None if it does not.
        held: how many trials are compared with the law on the audited pair.

        All claims of the ledger about one policy share the answer: it depends on nothing that differs between them.
        """
        level = self.asked.run.level * FIT * OTHER_PAIRS_SHARE
        plain = self.says.relation in ("pull", "round") and self.says.contexts is None
        relation = "pull" if plain and not context_dimension(self.policy) else self.says.relation
        asked = self.policy, relation, self.says.contexts, held // LOOKED, level, address(self.asked.run.seed, "law")
        if self.asked.shared and (key := told(asked)) is not None:
            return cached_unlawful_elsewhere(Told(key, asked))
        return unlawful_elsewhere(*asked)

    def score(self, choice: Choice, drawn: DrawnTrials, exactly: LawBounds) -> Score:
        if drawn.certain:
            return Score(idle=ONE_RUN, pair=choice.sampled, played=choice.sampled)
        both, scores = stacked(drawn.sides), self.scores_by_law(choice.sampled, drawn)
        silent = scores is not None and bool((np.abs(scores) < NOTHING).all())
        if scores is not None and silent and not (told_apart_by(exactly.bounds) or exactly.below_resolution):
            return self.score_where_law_is_silent(choice, drawn, scores, exactly)
        if both.constant():
            remark = f"; {FAINT_REMARK}" if exactly.below_resolution else ""
            return Score(idle=f"every run released the same, on either side{remark}")
        return self.scored(choice, choice.sampled, drawn.sides, scores, drawn.pair)._replace(idle=choice.idle)

    def scores_by_law(self, pair: Pair, drawn: DrawnTrials) -> Array | None:
        """The log-likelihood ratios of all trials; None where no law is to be believed, or asked so often."""
        trials = drawn.sides[0].trials
        if drawn.wrong or self.hidden or not isinstance(self.policy, HasLaw):
            return None
        if self.held_against_law(trials, drawn.sides) < trials:
            return None
        return log_likelihood_ratio(self.policy, pair, stacked(drawn.sides))

    def score_where_law_is_silent(self, choice: Choice, drawn: DrawnTrials, scores: Array, exactly: LawBounds) -> Score:
        """By its law nothing tells the sides apart, and nothing chooses: so the search goes on without it."""
        if exactly.bounds is not None and exactly.bounds.high == inf:
            return Score(idle=f"{SAME_BY_LAW}, as far as its chances are right")
        same = f"{SAME_BY_LAW}; {choice.idle or WITHOUT}"
        if choice.idle:
            return self.scored(choice, choice.sampled, drawn.sides, scores)._replace(same=same)
        trials, noise = drawn.sides[0].trials, address(self.asked.address("pair"), "without its law")
        judge = expected_excess(self.asked.curve, trials - int(trials * LEARN), 1e-9)
        looks = int(self.asked.run.profile.pair_trials * trials)
        search = self.search(without_law(self.policy), judge, looks, noise)
        pair = search_released(search).pair
        sides = self.play(pair, trials, "without its law", 1 if choice.singly else BLOCK)
        return self.scored(choice, pair, sides, None)._replace(same=same)

    def releases(self, played: Pair, sides: BothSides, together: int, pair: Pair) -> BothSides:
        """What comes out on either side of a pair: the trials, if they are of this one, or as many others."""
        return sides if pair is played else self.seen(pair, self.play(pair, sides[0].trials, "shown", together))

    def scored(
        self, choice: Choice, played: Pair, sides: BothSides, scores: Array | None, shown: Pair | None = None
    ) -> Score:
        """The last trials of either side, and tests that the first ones choose: by scores that a law gave to all of
        them, else by a score that they teach. shown: the tables that tell most, where these are others."""
        trials, curve, level, pair = sides[0].trials, self.asked.curve, self.level, shown or played
        releases = partial(self.releases, played, sides, 1 if choice.singly else BLOCK)
        if scores is not None and not np.isnan(scores).any():  # nan: what a blurred law excludes has happened
            require_finite(scores, "the score of released transcripts")
            search = int(trials * self.asked.run.profile.search)
            scored = scored_by_search(scores[:trials], scores[trials:], search, curve, level)
            return Score(scored, by_law=True, pair=pair, played=played, releases=releases)
        found = Score(learnt=True, pair=pair, played=played, releases=releases)
        if not self.in_stages(choice):
            search = int(trials * LEARN)
            known, fresh = parted(sides, search)
            return found._replace(scored=self.learnt_trials(played, known, fresh, level))
        known, fresh = parted(sides, trials - self.trials)
        if choice.searched is not None:
            known = joined_runs([choice.searched, known])
        first = self.learnt_trials(played, known, fresh, self.first_level)
        return found._replace(scored=first, next_stage=self.later_stages(played, joined_runs([known, fresh])))

    def learnt_trials(self, pair: Pair, known: BothSides, fresh: BothSides, level: float) -> ScoredTrials:
        """Fresh runs on a pair, scored by what known ones teach, with the tests that these choose."""
        # Scores speak of the steps of all transcripts, so that all are padded to the same length.
        every = stacked([*known, *fresh])
        teach, certify = known[0].trials, fresh[0].trials
        left, right = every.part(0, teach), every.part(teach, 2 * teach)
        chosen = best_learnt(left, right, pair, expected_excess(self.asked.curve, certify, level))
        events = plan_tests_by_scores(chosen.left, chosen.right, self.asked.curve, certify, level)
        starts = 2 * teach, 2 * teach + certify
        scores = [chosen.score(every.part(start, start + certify)) for start in starts]
        return ScoredTrials(scores[0], scores[1], events)

    def later_stages(self, pair: Pair, known: BothSides) -> NextStage:
        """Plays and scores the later stages; what an earlier one has certified on teaches the next."""
        earlier = [known]

        def next_stage(number: int, level: float) -> ScoredTrials:
            trials = min(self.trials * STAGES[number].factor, max(self.trials, MAX_STAGE_STEPS // self.steps))
            fresh = self.seen(pair, self.play(pair, trials, f"stage {number}"))
            scored = self.learnt_trials(pair, joined_runs(earlier), fresh, level)
            earlier.append(fresh)
            return scored

        return next_stage


def unlawful_elsewhere(
    policy: Policy, relation: str, contexts: Contexts | None, trials: int, level: float, seed: int
) -> tuple[str, Pair] | None:
    """Why a policy's behaviour contradicts its declared law on some pair that stands out by behaviour alone, and on
    which; None if it does not.

    The pairs are those that runs distinguish best, as if perfect privacy were claimed. trials: of the search for them,
    and as many in all are compared with the law. level: the probability that a right law is contradicted.
    """
    nothing_leaks = Gaussian(0.0)
    judge, noise = expected_excess(nothing_leaks, trials, level), address(seed, "search")
    search = Search(without_law(policy), relation, nothing_leaks, judge, trials, noise, (), False, contexts)
    others = suspicious_pairs(search)
    for place, other in enumerate(others):
        each = trials // len(others)
        left, right = (
            simulate_transcripts(policy, table, each, address(seed, side, place))
            for side, table in zip(SIDES, other.environments(), strict=True)
        )
        if wrong := unlawful(policy, other, (left, right), level / len(others)):
            return wrong, other
    return None


class Told(NamedTuple):
    """Arguments that share an answer with all that are told alike. key: see `told`."""

    key: Hashable
    arguments: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Told) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@lru_cache(maxsize=256)
def cached_unlawful_elsewhere(asked: Told) -> tuple[str, Pair] | None:
    return unlawful_elsewhere(*asked.arguments)


def told(value: Any) -> Hashable:
    """All that a value holds, also what `==` does not compare: values that are told alike behave alike, and go on doing
    so. None for what may change, or hide something: any object but numbers, words, arrays, functions that close over
    nothing, and frozen dataclasses and tuples of such."""
    if value is None or isinstance(value, bool | int | float | str | np.generic):
        return type(value), repr(value)
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, FunctionType) and value.__closure__ is None and not vars(value):
        return value, told((value.__defaults__, tuple((value.__kwdefaults__ or {}).items())))
    if isinstance(value, tuple):
        every = [told(each) for each in value]
    elif is_dataclass(value) and type(value).__dataclass_params__.frozen:  # type: ignore[union-attr]
        names = sorted({each.name for each in fields(value)} | set(getattr(value, "__dict__", ())))
        every = [told((name, getattr(value, name))) for name in names]
    else:
        return None
    return None if None in every else (type(value), *every)


def apart_for_certain() -> ExactProfile:
    """The profile of two inputs on which a deterministic policy releases different things."""
    masses = MeasurePair(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    return ExactProfile(masses, masses)


def parted(sides: BothSides, first: int) -> tuple[BothSides, BothSides]:
    """The first so many runs of either side, and the others."""
    left, right = sides
    return (left.part(0, first), right.part(0, first)), (left.part(first, left.trials), right.part(first, right.trials))


def joined_runs(every: Sequence[BothSides]) -> BothSides:
    """All runs of the left sides, and all of the right ones."""
    return stacked([left for left, _ in every]), stacked([right for _, right in every])


def uncertifiable(policy: Policy, curve: Curve, fresh: int, level: float) -> str:
    """Why nothing could be certified against this claim with so many fresh trials; empty where something could."""
    if any(np.isfinite(each.value) for each in min_caught_violations(curve, fresh, level * MAIN_SHARE)):
        return ""
    most = excess_over_region(curve, joint_region(0, 0, fresh, level * MAIN_SHARE))  # no error at all on either side
    largest = derived.parameter_in_words(curve, float(most.shown), float(most.at))
    return (
        f"no violation could be certified, so nothing was searched: {fresh} fresh trials of T = {policy.horizon} show "
        f"at most {largest}; audit a smaller horizon, a single round (a claim about one), or with a larger profile"
    )
