"""Audit target: the transcripts of a policy without a law.

The audit searches many pairs of tables for the one whose releases seem to violate the claim most. It learns a score
from fresh runs on this pair and tests other fresh runs, in up to three stages. Policies with a law: `lawful_runs`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from dpbandits.audit.play.probes import TrialFault, probe
from dpbandits.audit.play.transcripts import BLOCK, BothSides, simulate_transcripts, stacked
from dpbandits.audit.privacy.black_box import without_law
from dpbandits.audit.privacy.pipeline import (
    FIT,
    AuditedInstance,
    ByLaw,
    Choice,
    DrawnTrials,
    LawBounds,
    NotTestable,
    Score,
    affordable_singly,
    affordable_trials,
    how_many_steps,
)
from dpbandits.audit.privacy.scores.learning import ExcessEstimate, best_learnt, expected_excess
from dpbandits.audit.privacy.search.pairs import checked_hints
from dpbandits.audit.privacy.search.players import hide_changed
from dpbandits.audit.privacy.search.search import PLAN, FoundPair, Search, SearchPlan, search_released
from dpbandits.audit.statistics.copies import (
    copies_remark,
    differing_runs,
    is_deterministic,
    unused_randomness,
    watched_trials,
)
from dpbandits.audit.statistics.events import MAIN_SHARE, ScoredTrials, plan_tests_by_scores
from dpbandits.audit.statistics.region import excess_over_region, joint_region
from dpbandits.audit.statistics.resolution import Resolution, min_caught_violations
from dpbandits.audit.statistics.stages import STAGES, NextStage
from dpbandits.proofs_checks.exact.privacy_profile import ExactProfile, MeasurePair
from dpbandits.reference.bandits.adjacency import SIDES, Pair
from dpbandits.reference.bandits.noise import address
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.bandits.recommendations import answers
from dpbandits.reference.claims.model import Private
from dpbandits.reference.curves import Curve, derived

# Of the trials, on either side, the share that teaches a score where no law gives one; where certification may go on in
# stages, these are played besides
LEARN = 0.4
MAX_STAGE_STEPS = 10_000_000  # of the runs of a later stage on either side, at most; the first stage's trials at least
ONE_RUN_PLAN = SearchPlan(look_share=0.0, runs=2)  # of a deterministic policy, whose runs on a table are all the same
ONE_RUN = "the policy is deterministic, so that one run on either side decides, and no samples are counted"
SAME_UNDER_SAME_NOISE = ": with the same noise, the same was released on either side of every one"  # behind pairs
SAME_IN_EVERY_RUN = "every run released the same, on either side"


@dataclass(frozen=True)
class ReleasedRuns:
    """The runs of one policy with its own arms and horizon. No law is used."""

    policy: Policy
    says: Private
    instance: AuditedInstance

    @property
    def level(self) -> float:
        """The error probability of the certified tests.
        The rest of the audit's error probability is left for a comparison with a law."""
        return self.instance.run.level * (1 - FIT)

    @property
    def first_level(self) -> float:
        """The level of the first stage, if certification may continue in further stages."""
        return self.level * STAGES[0].share

    @property
    def hidden(self) -> bool:
        """Whether the adversary does not see the release of the changed round."""
        return self.says.view == "others"

    @cached_property
    def steps(self) -> int:
        """The number of steps of a run."""
        return how_many_steps(self.policy, self.says.relation)

    @cached_property
    def trials(self) -> int:
        """The number of trials on either side of a pair, if many runs are played together."""
        return affordable_trials(self.instance.run, self.steps)

    def choose(self) -> Choice[Pair] | NotTestable:
        """Searches for the pair of tables to audit; NotTestable if the trials could not certify a violation on any."""
        curve, run, seed = self.instance.curve, self.instance.run, self.instance.address("pair")
        hints = tuple(checked_hints(self.policy, self.says))
        if hopeless := uncertifiable(self.policy, curve, self.trials, self.first_level):
            return NotTestable(hopeless)
        judge, noise = expected_excess(curve, self.trials, self.first_level), address(seed, "search")
        runs = int(run.profile.pair_trials * self.trials)
        return self.choose_by_search(self.search(self.policy, judge, runs, noise, hints), seed)

    def search(
        self, policy: Policy, judge: ExcessEstimate, trials: int, noise: int, hints: tuple[Pair, ...] = ()
    ) -> Search:
        """The settings of a search for revealing pairs of tables. trials: the number of trials of the whole search.
        noise: the seed of its noise."""
        subject = without_law(policy) if self.hidden else policy  # its law is of all that is released
        return Search(
            subject,
            self.says.relation,
            self.instance.curve,
            judge,
            trials,
            noise,
            hints=hints,
            hidden=self.hidden,
            contexts=self.says.contexts,
            plan=ONE_RUN_PLAN if is_deterministic(policy) else PLAN,
            suggestions=self.instance.run.suggestions,
        )

    def choose_by_search(self, search: Search, seed: int) -> Choice[Pair] | NotTestable:
        """Returns the pair of tables that a search by released arms finds; NotTestable if no pair reveals anything."""
        found = self.search_and_probe(search, seed)
        if isinstance(found, NotTestable):
            return found
        best, singly = found
        pair, looked = best.pair, best.looked
        if best.idle:
            return NotTestable(f"{looked}{SAME_UNDER_SAME_NOISE}")
        if is_deterministic(self.policy):
            differing = (differing_runs(self.policy, each, seed) for each in pair.environments())
            if wrong := next(filter(None, differing), ""):
                return NotTestable(unfit=wrong)
            apart = best.runs is not None and not stacked(best.runs).constant()
            certain = apart and self.uses_no_randomness(pair)
            law = ByLaw(apart_for_certain, pair=pair) if certain else None
            return Choice(pair, law=law, looked=looked, singly=singly, certain=certain)
        return Choice(pair, looked=looked, singly=singly, searched=best.runs)

    def search_and_probe(self, search: Search, seed: int) -> tuple[FoundPair, bool] | NotTestable:
        """Searches for a pair of tables; also returns whether its trials must be played one by one.
        NotTestable if trials depend on each other, or if no pull follows a reward."""
        policy, found = self.policy, search_released(search)
        fault = probe(policy, found.pair.environments()[0], seed)
        singly = fault is TrialFault.OWN_RANDOMNESS
        if fault is TrialFault.DEPENDENT_TRIALS or (found.dependent and not singly):
            return NotTestable(unfit=TrialFault.DEPENDENT_TRIALS)
        if found.idle and policy.horizon == 1 and fault is None and not answers(policy):
            own = self.says.relation == "user" and not self.hidden
            return NotTestable(same=f"its one pull {'tells no context' if own else 'comes before any reward'}")
        return found, singly

    def play(self, pair: Pair, trials: int, purpose: str, together: int = BLOCK) -> BothSides:
        """Plays `trials` runs on each of the two tables, and returns everything that they release.
        together: the number of runs that are played in one batch."""
        left, right = (
            simulate_transcripts(self.policy, table, trials, self.instance.address(side, purpose), together)
            for side, table in zip(SIDES, pair.environments(), strict=True)
        )
        return left, right

    def without_chance(self, sides: BothSides) -> bool:
        """Whether the two sides differ and all runs of each side are equal."""
        return all(side.constant() for side in sides) and not stacked(sides).constant()

    def why_copies(self, pair: Pair, sides: BothSides) -> str:
        """The reason why the runs on these tables are copies, which certify nothing; "" if they are not copies.
        Runs that are equal on both sides reveal nothing and need no reason."""
        if not self.without_chance(sides):
            return ""
        return copies_remark(self.policy, pair.environments()[0], self.instance.address("copies"), sides[0].trials)

    def are_certain(self, pair: Pair, sides: BothSides) -> bool:
        """Whether the violation is certain after one run: the sides differ, and the policy draws nothing."""
        return self.without_chance(sides) and self.uses_no_randomness(pair)

    def draw(self, choice: Choice[Pair]) -> DrawnTrials[BothSides] | NotTestable:
        """Plays the trials on both tables as the adversary sees them; NotTestable if they are copies of one run."""
        sides = self.play_to_certify(choice)
        if isinstance(sides, NotTestable):
            return sides
        certain = self.without_chance(sides) if choice.certain else self.are_certain(choice.sampled, sides)
        return DrawnTrials(self.seen(choice.sampled, sides), certain=certain)

    def play_to_certify(self, choice: Choice[Pair]) -> BothSides | NotTestable:
        """Plays the trials on both tables; returns NotTestable if they are copies of one run."""
        trials = affordable_singly(self.instance.run, self.steps, self.trials) if choice.singly else self.trials
        if self.in_stages(choice):
            trials += int(trials * LEARN)
        if choice.certain:
            trials = min(trials, watched_trials(self.policy))
        sides = self.play(choice.sampled, trials, "audit", 1 if choice.singly else BLOCK)
        why = self.why_copies(choice.sampled, sides)
        return NotTestable(unfit=why) if why else sides

    def uses_no_randomness(self, pair: Pair) -> bool:
        """Whether the policy draws nothing in a few runs on either table, so that all runs on a table are the same."""
        seed = self.instance.address("copies")
        return all(unused_randomness(self.policy, table, seed)[0] for table in pair.environments())

    def in_stages(self, choice: Choice[Pair]) -> bool:
        """Whether certification may continue in stages: only if many runs are played together."""
        return not choice.singly

    def seen(self, pair: Pair, sides: BothSides) -> BothSides:
        """Returns the runs on both sides of a pair as the adversary sees them.
        If the adversary does not see the release of the changed round, it is left out."""
        if not self.hidden:
            return sides
        place = np.array([pair.changed_round - 1])
        return hide_changed(sides[0], place), hide_changed(sides[1], place)

    def score(self, choice: Choice[Pair], drawn: DrawnTrials[BothSides], exactly: LawBounds) -> Score:
        """Learns a score and applies it to the drawn trials. exactly: the exact bounds by a law, which are not used."""
        if drawn.certain:
            return Score(idle=ONE_RUN, pair=choice.sampled, played=choice.sampled)
        if stacked(drawn.sides).constant():
            return Score(idle=SAME_IN_EVERY_RUN)
        return self.score_learnt(choice, choice.sampled, drawn.sides)

    def releases(self, played: Pair, sides: BothSides, together: int, pair: Pair) -> BothSides:
        """Returns transcripts on both sides of the pair that the finding shows.
        They are the given runs if these were played on this pair, otherwise as many new runs."""
        return sides if pair is played else self.seen(pair, self.play(pair, sides[0].trials, "shown", together))

    def score_learnt(self, choice: Choice[Pair], played: Pair, sides: BothSides, shown: Pair | None = None) -> Score:
        """Learns a score from the first trials of both sides; returns its values on the other trials, and the tests.
        shown: the most revealing tables, if they differ from those that were played."""
        pair, releases = shown or played, partial(self.releases, played, sides, 1 if choice.singly else BLOCK)
        found = Score(learnt=True, pair=pair, played=played, releases=releases)
        trials = sides[0].trials
        if not self.in_stages(choice):
            known, fresh = parted(sides, int(trials * LEARN))
            return found._replace(scored=self.learnt_trials(played, known, fresh, self.level))
        known, fresh = parted(sides, trials - self.trials)
        if choice.searched is not None:
            known = joined_runs([choice.searched, known])
        first = self.learnt_trials(played, known, fresh, self.first_level)
        return found._replace(scored=first, next_stage=self.later_stages(played, joined_runs([known, fresh])))

    def learnt_trials(self, pair: Pair, known: BothSides, fresh: BothSides, level: float) -> ScoredTrials:
        """Scores the fresh runs on a pair by what the known runs teach; returns scores and the tests to certify.
        The scores of the known runs choose the tests."""
        # Scores speak of the steps of all transcripts, so that all are padded to the same length.
        every = stacked([*known, *fresh])
        teach, certify = known[0].trials, fresh[0].trials
        left, right = every.part(0, teach), every.part(teach, 2 * teach)
        chosen = best_learnt(left, right, pair, expected_excess(self.instance.curve, certify, level))
        events = plan_tests_by_scores(chosen.left, chosen.right, self.instance.curve, certify, level)
        starts = 2 * teach, 2 * teach + certify
        scores = [chosen.score(every.part(start, start + certify)) for start in starts]
        return ScoredTrials(scores[0], scores[1], events)

    def later_stages(self, pair: Pair, known: BothSides) -> NextStage:
        """Returns a function that plays and scores the trials of each later stage of certification.
        The runs of all earlier stages teach the score of the next."""
        earlier = [known]

        def next_stage(number: int, level: float) -> ScoredTrials:
            """Plays more trials of the pair; returns their scores, learned from earlier stages, and the tests."""
            trials = min(self.trials * STAGES[number].factor, max(self.trials, MAX_STAGE_STEPS // self.steps))
            fresh = self.seen(pair, self.play(pair, trials, f"stage {number}"))
            scored = self.learnt_trials(pair, joined_runs(earlier), fresh, level)
            earlier.append(fresh)
            return scored

        return next_stage


def apart_for_certain() -> ExactProfile:
    """Returns the exact profile of two inputs on which a deterministic policy has different releases."""
    masses = MeasurePair(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    return ExactProfile(masses, masses)


def parted(sides: BothSides, first: int) -> tuple[BothSides, BothSides]:
    """Splits the runs of both sides into the first `first` runs of each side, and the rest."""
    left, right = sides
    return (left.part(0, first), right.part(0, first)), (left.part(first, left.trials), right.part(first, right.trials))


def joined_runs(groups: Sequence[BothSides]) -> BothSides:
    """Several groups of runs joined into one: all left sides together, and all right sides together."""
    return stacked([left for left, _ in groups]), stacked([right for _, right in groups])


def uncertifiable(
    policy: Policy,
    curve: Curve,
    fresh: int,
    level: float,
    caught: Callable[[Curve, int, float], Sequence[Resolution]] = min_caught_violations,
) -> str:
    """The reason why `fresh` fresh trials cannot certify a violation of this claim; "" if they can."""
    if any(np.isfinite(each.value) for each in caught(curve, fresh, level * MAIN_SHARE)):
        return ""
    most = excess_over_region(curve, joint_region(0, 0, fresh, level * MAIN_SHARE))  # no error at all on either side
    largest = derived.parameter_in_words(curve, float(most.shown), float(most.at))
    return (
        f"no violation could be certified, so nothing was searched: {fresh} fresh trials of T = {policy.horizon} show "
        f"at most {largest}; audit a smaller horizon, a single round (a claim about one), or with a larger profile"
    )
