"""Sequential audits: batches of trials are drawn until the claim is refuted or a budget of trials is spent.

Earlier batches determine the tests of the next batch and the bets on them (`audit.statistics.betting`), so the error
probability holds whenever the audit stops. Every batch has its own noise addresses, so the same seed stops at the same
trial. An audit target defines in `Batches` how a batch is drawn and how a score is learned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from dpbandits.audit.judges.effort import RISK, Run
from dpbandits.audit.play.calls import UNEVEN_CALLS
from dpbandits.audit.play.probes import PLAYED_SINGLY
from dpbandits.audit.play.transcripts import BLOCK, Transcripts, simulate_transcripts, stacked
from dpbandits.audit.privacy.instances import GIVEN_SUBJECT, combined_with_event
from dpbandits.audit.privacy.pipeline import AuditedInstance, Choice, NotTestable, result_without_test
from dpbandits.audit.privacy.released_runs import ReleasedRuns
from dpbandits.audit.privacy.result import Result
from dpbandits.audit.privacy.scores.learning import ExcessEstimate, best_learnt, expected_excess
from dpbandits.audit.privacy.search.pairs import checked_hints
from dpbandits.audit.statistics import betting
from dpbandits.audit.statistics.copies import is_deterministic
from dpbandits.audit.statistics.events import CertifiedTrials
from dpbandits.audit.statistics.region import CertifiedPoint, Excess, Region
from dpbandits.audit.statistics.resolution import Resolution, min_caught_violations
from dpbandits.reference.bandits.adjacency import SIDES, Pair
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.bandits.policy import HasLaw, Policy, Step
from dpbandits.reference.bandits.protocol import demand_policy, name_of
from dpbandits.reference.claims.model import Claim, Finding, Private, Statement
from dpbandits.reference.curves import Curve

FIRST_BATCH, BATCH_SHARE = 60, 0.3  # trials that teach before the first bet; of all so far, that the next batch has
MAX_TEACHING_TRIALS = 20_000  # on either side; later batches keep the score that these have taught
FIRST_SEARCH = 2_000  # trials of the first search for a pair
SEARCH_GROWTH = 8  # a later search comes after so many times as many trials, and has as many

SEVERAL_NUMBERS = "a claim with several parameters is audited with all trials at once"
SideTrials = Any  # the trials of a side: outputs (trials, d), or Transcripts


class Taught(NamedTuple):
    """The result of learning from earlier trials: a score with its name, and the scores of trials from which it was not
    learned."""

    name: str
    score: Callable[[SideTrials], Array]
    left: Array
    right: Array


class FreshBatch(NamedTuple):
    """A batch of new trials. of: their inputs; batches whose inputs are the same object may be used together to learn a
    score."""

    left: SideTrials
    right: SideTrials
    of: Any = None

    @property
    def trials(self) -> int:
        """The number of trials on either side."""
        return len(self.left.arms if isinstance(self.left, Transcripts) else self.left)


class BatchLook(NamedTuple):
    """A kind of test that is applied to every batch. teach: learns a score from earlier trials. share: of the risk,
    fixed in advance. label: what it tests, appended to the subject's name. decides: whether a refutation by it ends the
    audit."""

    teach: Callable[[FreshBatch], Taught]
    share: float = 1.0
    label: str = ""
    decides: bool = True


class Batches(Protocol):
    """A subject that can be audited in batches. level: the risk, which the looks share; nothing is certified if the
    first look cannot certify. draw: batch `number`, with a number of trials on either side, after a number of earlier
    trials. uneven: an upper bound on the probability that trials of one call are distributed as unevenly as observed,
    from tests (trials,) on either side. completed: the result with its other fields."""

    @property
    def level(self) -> float:
        """The probability with which the audit may refute a true claim."""

    @property
    def looks(self) -> Sequence[BatchLook]:
        """The scores that are bet on in each batch, one entry for each kind of score."""

    def draw(self, number: int, before: int, trials: int) -> FreshBatch | NotTestable:
        """A batch of fresh trials on either side. before: the number of earlier trials."""

    def join(self, one: FreshBatch, other: FreshBatch) -> FreshBatch:
        """Returns the trials of both batches together."""

    def uneven(self, past: FreshBatch, fresh: FreshBatch, inside: Sequence[Any]) -> float:
        """An upper bound on the probability of an event as unevenly spread over a batch's calls as observed."""

    def completed(self, result: Result, past: FreshBatch) -> Result:
        """Returns the result with remarks that only the source of the batches can make, such as on its search."""


@dataclass(frozen=True)
class Betting:
    """A look with its own level and its results so far: the learned scores, the bets on every batch, the gains of each
    player, and the probability that trials are distributed as unevenly as in each batch."""

    look: BatchLook
    level: float
    taught: Taught | None = None
    scored_by: str = ""
    batches: tuple[betting.BetBatch, ...] = ()
    won: Array = field(default_factory=lambda: np.zeros(len(betting.BET_SHARES)))
    chances: tuple[float, ...] = ()

    @property
    def odd(self) -> str:
        """Returns the reason why the trials cannot be counted, UNEVEN_CALLS; "" if they can be counted."""
        return UNEVEN_CALLS if self.chances and len(self.chances) * min(self.chances) < RISK else ""

    @property
    def certain(self) -> bool:
        """Whether the bets refute the claim, and there is no reason why the trials cannot be counted."""
        return not self.odd and betting.refutes(betting.log_mean_capital(self.won), betting.CLAIM_SHARE * self.level)

    def bet(self, curve: Curve, subject: Batches, past: FreshBatch, fresh: FreshBatch) -> Betting:
        """Bets on one more batch, and returns a copy of this object with the result.
        The score of the batch is one that earlier trials taught."""
        if self.odd:
            return self
        taught = self.taught
        if taught is None or past.trials <= MAX_TEACHING_TRIALS:
            taught = self.look.teach(past)
        left, right = (taught.score(side) for side in fresh[:2])
        tests, _ = betting.plan_naming_tests(taught.left, taught.right, curve)
        batch = betting.bet_batch(tests, left, right)
        chance = subject.uneven(past, fresh, [[side >= tests.high, side < tests.low] for side in (left, right)])
        return replace(
            self,
            taught=taught._replace(left=np.append(taught.left, left), right=np.append(taught.right, right)),
            scored_by=taught.name,
            batches=(*self.batches, batch),
            won=self.won + betting.log_capital(curve, batch),
            chances=(*self.chances, chance),
        )


def audit_in_batches(label: str, curve: Curve, subject: Batches, budget: int) -> list[Result]:
    """Audits one subject sequentially against a claimed curve with one parameter; returns a result for each score.
    At most `budget` trials are made on either side, and the audit stops as soon as it refutes the claim. If no test is
    possible, there is one result with the reason. Raises ValueError for a curve with several parameters."""
    if len(curve.claimed_parameters()[0]) != 1:
        raise ValueError(f"sequential=True is not possible here: {SEVERAL_NUMBERS}; omit sequential")
    every = [Betting(look, look.share * subject.level) for look in subject.looks]
    past, trials, number = None, 0, 0
    while trials < budget and not every[0].odd and not any(each.certain and each.look.decides for each in every):
        fresh = subject.draw(number, trials, min(budget - trials, max(FIRST_BATCH, int(BATCH_SHARE * trials))))
        if isinstance(fresh, NotTestable):
            return [result_without_test(label, curve, fresh)]
        trials, number = trials + fresh.trials, number + 1
        if past is None or fresh.of is not past.of:
            past, every = fresh, [replace(each, taught=None) for each in every]
            continue
        every = [each.bet(curve, subject, past, fresh) for each in every]
        past = subject.join(past, fresh)
    return [result_of_bets(label, curve, subject, each, past, trials, budget) for each in every]


def result_of_bets(
    label: str, curve: Curve, subject: Batches, bets: Betting, past: FreshBatch | None, trials: int, budget: int
) -> Result:
    """Returns the result of the audit by one kind of score, after all bets made so far."""
    named = f"{label}{bets.look.label}"
    if past is None or not bets.batches or bets.odd:
        idle = "" if bets.odd else "too few trials to learn from, and to bet on"
        return Result(named, curve, unfit=bets.odd, idle=idle)
    sampled = what_bets_show(curve, bets.batches, bets.level, trials, budget)
    return subject.completed(Result(named, curve, sampled, learnt=True, scored_by=bets.scored_by), past)


def what_bets_show(
    curve: Curve, batches: Sequence[betting.BetBatch], level: float, trials: int, budget: int
) -> CertifiedTrials:
    """Returns what the bets on all batches certify, at this level and at any stopping time.
    They certify a lower bound on the true number, which exceeds the claimed one if the claim is refuted. The result
    also contains the violation that as many bets would have detected."""
    claimed, at = (float(each[0]) for each in curve.claimed_parameters())
    shown = betting.certified_number(curve, batches, level)
    left, right = (sum((getattr(each, side) for each in batches), np.zeros(3, dtype=np.int64)) for side in SIDES)
    fresh = int(left.sum())
    point = CertifiedPoint(float(left[2] / fresh), float(1 - right[2] / fresh), Region(np.empty(0), np.empty(0)))
    seen = resolution_in_batches(curve, fresh, level)
    looks = f"{len(batches)} look{'s' * (len(batches) > 1)}"
    stopped = f"{trials} trials a side, after {looks}, of at most {budget}"
    return CertifiedTrials((), point, Excess(shown - claimed, shown, at), seen, fresh, level, stopped)


def due_search(before: int) -> int:
    """The size, in trials, of the latest search for a pair that should be complete after `before` trials."""
    many = FIRST_SEARCH
    while many * SEARCH_GROWTH <= before:
        many *= SEARCH_GROWTH
    return many


def resolution_in_batches(curve: Curve, fresh: int, level: float) -> tuple[Resolution, ...]:
    """Returns the smallest violation that bets on `fresh` fresh trials detect, for each kind of mechanism.
    It is approximately that of a fixed test with one player's share of the risk. This is measured by
    `bench/auditors.py`, and not proved."""
    return min_caught_violations(curve, fresh, betting.CLAIM_SHARE * level / len(betting.BET_SHARES))


# -- a policy ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RunBatches:
    """The releases of a policy without a law, on the pair that the last search found. found: by the number of runs of
    each search."""

    runs: ReleasedRuns
    budget: int
    found: dict[int, Choice[Pair] | NotTestable] = field(default_factory=dict)

    @property
    def level(self) -> float:
        """The probability with which the audit may refute a true claim."""
        return self.runs.instance.run.level

    @property
    def looks(self) -> tuple[BatchLook]:
        """The only kind of score: one that is learned from earlier trials."""
        return (BatchLook(self.teach),)

    def choice(self, runs: int) -> Choice[Pair] | NotTestable:
        """Returns the pair of tables that a search with this many runs finds; every search is made only once.
        If the search finds no pair on which the releases differ, it is repeated with more runs."""
        if runs not in self.found:
            asked, policy = self.runs.instance, self.runs.policy
            seed = asked.address("pair", f"{runs}")
            hints = tuple(checked_hints(policy, self.runs.says))
            search = self.runs.search(policy, self.judge(), runs, address(seed, "search"), hints)
            found = self.runs.choose_by_search(search, seed)
            more = isinstance(found, NotTestable) and found.idle and runs * SEARCH_GROWTH <= self.budget
            self.found[runs] = self.choice(runs * SEARCH_GROWTH) if more else found
        return self.found[runs]

    def judge(self) -> ExcessEstimate:
        """A function that estimates, from scores on either side, the violation that the whole budget should certify."""
        return expected_excess(self.runs.instance.curve, self.budget, self.level)

    def draw(self, number: int, before: int, trials: int) -> FreshBatch | NotTestable:
        """Plays a batch of fresh runs on either side of the pair that the latest completed search found."""
        choice = self.choice(due_search(before))
        if isinstance(choice, NotTestable):
            return choice
        seed, together = self.runs.instance.address("batch", f"{number}"), 1 if choice.singly else BLOCK
        sides = [
            simulate_transcripts(self.runs.policy, table, trials, address(seed, side), together)
            for side, table in zip(SIDES, choice.sampled.environments(), strict=True)
        ]
        if why := self.runs.why_copies(choice.sampled, (sides[0], sides[1])):
            return NotTestable(unfit=why)
        return FreshBatch(*self.runs.seen(choice.sampled, (sides[0], sides[1])), choice)

    def teach(self, past: FreshBatch) -> Taught:
        """Learns a score from the earlier trials, and returns it."""
        best = best_learnt(past.left, past.right, past.of.sampled, self.judge())
        return Taught("a learnt one", best.score, best.left, best.right)

    def join(self, one: FreshBatch, other: FreshBatch) -> FreshBatch:
        """Returns the trials of both batches together."""
        return FreshBatch(stacked([one.left, other.left]), stacked([one.right, other.right]), other.of)

    def uneven(self, past: FreshBatch, fresh: FreshBatch, inside: Sequence[Any]) -> float:
        """Returns 1.0, because runs of a policy are not drawn by calls of a user's function."""
        return 1.0

    def completed(self, result: Result, past: FreshBatch) -> Result:
        """Returns the result with remarks on the search for the pair, and with the releases of both sides."""
        searched = f"the last search for a pair had about {max(self.found)} runs a side"
        looked = "; ".join(filter(None, (past.of.looked, searched, PLAYED_SINGLY if past.of.singly else "")))
        idle = "every run released the same, on either side" if stacked(past[:2]).constant() else ""
        pair, sides = past.of.sampled, (past.left, past.right)
        return result._replace(looked=looked, idle=idle, pair=pair, sampled_pair=pair, releases=lambda: sides)


def judge_in_batches(claim: Claim, run: Run, subject: Any) -> Finding:
    """Audits a policy without a law sequentially, and returns the finding.
    Raises ValueError for a statement that needs all trials together."""
    says = require_sequential(claim.says, subject)
    demand_policy(subject)
    asked = AuditedInstance(claim.id, GIVEN_SUBJECT, says.curve(subject), run)
    batches = RunBatches(ReleasedRuns(subject, says, asked), run.profile.trials)
    return combined_with_event(claim, audit_in_batches("", asked.curve, batches, run.profile.trials))


def why_not_sequential(statement: Statement, policy: Policy) -> str:
    """Returns why a statement about a policy cannot be audited sequentially; "" if it can be."""
    if not isinstance(statement, Private):
        return "only privacy claims can be audited sequentially"
    if isinstance(policy, Step):
        return "a Step is decided by its law, or with all trials at once"
    if statement.relation == "history":
        return "single rounds are audited with all trials at once"
    if statement.view == "samples":
        return "the view 'samples' is audited with all trials at once"
    if isinstance(policy, HasLaw):
        return f"{type(policy).__name__} declares its law, which decides without samples"
    if is_deterministic(policy):
        return f"{name_of(policy)} is deterministic, so one run on each side decides"
    curve = statement.curve(policy)
    return SEVERAL_NUMBERS if curve is None or len(curve.claimed_parameters()[0]) != 1 else ""


def require_sequential(statement: Statement, policy: Policy) -> Private:
    """Returns the statement unchanged. Raises ValueError if it cannot be audited sequentially."""
    if why := why_not_sequential(statement, policy):
        raise ValueError(f"sequential=True is not possible here: {why}; omit sequential")
    assert isinstance(statement, Private)
    return statement
