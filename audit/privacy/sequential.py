"""An audit that stops by itself: batch after batch, until the claim is refuted or a budget of trials is spent.

What earlier batches taught chooses the next one's tests, and the bets on them (`audit.statistics.betting`), so that the
risk holds at whatever moment somebody looks. Every batch has noise of an address of its own: the same seed stops at the
same trial. What is audited says in `Batches` how a batch is drawn, and how a score is learnt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import Any, NamedTuple, Protocol

import numpy as np
from threadpoolctl import threadpool_limits

from dpbandits.audit.judges.effort import RISK
from dpbandits.audit.play.calls import MIN_CALL_TRIALS, REPEATED, UNEVEN, calls_for, chance_of, chance_of_twins
from dpbandits.audit.play.transcripts import BLOCK, Transcripts, simulate_transcripts, stacked
from dpbandits.audit.privacy.mechanism_calls import Asked, drawn, have_same_inputs, shuffled
from dpbandits.audit.privacy.mechanism_scores import halves_and_finite, score_by_user
from dpbandits.audit.privacy.pipeline import SIDES, Choice, Stop, result_of_stop
from dpbandits.audit.privacy.released_runs import ReleasedRuns
from dpbandits.audit.privacy.result import Result
from dpbandits.audit.privacy.scores.learning import Judge, best_learnt, likely
from dpbandits.audit.privacy.scores.outputs import UNLEARNT_NAMES, learnt_scores, score_after_split
from dpbandits.audit.privacy.scores.rounded_outputs import merge_rounded_outputs
from dpbandits.audit.privacy.search.by_behaviour import Search
from dpbandits.audit.privacy.search.hints import hinted
from dpbandits.audit.statistics.betting import (
    CLAIM_SHARE,
    STAKES,
    BetBatch,
    batch_of,
    certified_number,
    fastest_tests,
    log_capital,
    log_mean,
)
from dpbandits.audit.statistics.events import Sampled
from dpbandits.audit.statistics.region import CertifiedPoint, Excess, Region
from dpbandits.audit.statistics.resolution import Resolution, resolutions
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.curves import Curve

FIRST_BATCH, BATCH_SHARE = 60, 0.3  # trials that teach before the first bet; of all so far, that the next batch has
LEARNT_SHARE = 0.8  # of its growth that a score counts with which trials have made: the best of many flatters
MAX_TEACHING_TRIALS = 20_000  # on either side; later batches keep the score that these have taught
FIRST_SEARCH, SEARCH_GROWTH = (
    2_000,
    8,
)  # trials of the first search for a pair; a later one comes, and has, so many times

SEVERAL_NUMBERS = "a promise of several numbers is judged all at once"
SideTrials = Any  # the trials of a side: outputs (trials, d), or Transcripts


class Taught(NamedTuple):
    """What earlier trials teach: a score, by name, and their own scores, of those that did not make it."""

    name: str
    score: Callable[[SideTrials], Array]
    left: Array
    right: Array


class FreshBatch(NamedTuple):
    """A batch. of: the inputs that it is of: the same object for those that a score may be learnt on together."""

    left: SideTrials
    right: SideTrials
    of: Any = None

    @property
    def trials(self) -> int:
        return len(self.left.arms if isinstance(self.left, Transcripts) else self.left)


class Batches(Protocol):
    """What can be audited so. level: the risk. draw: batch `number`, of so many trials on either side, after so many.
    odd: why the trials cannot be counted, "" where they can. known: what else a result says."""

    @property
    def level(self) -> float: ...

    def draw(self, number: int, before: int, trials: int) -> FreshBatch | Stop: ...

    def teach(self, past: FreshBatch) -> Taught: ...

    def join(self, one: FreshBatch, other: FreshBatch) -> FreshBatch: ...

    def odd(self, past: FreshBatch, fresh: FreshBatch, inside: Sequence[Any]) -> str: ...

    def known(self, result: Result, past: FreshBatch) -> Result: ...


def audit_in_batches(label: str, curve: Curve, subject: Batches, budget: int) -> Result:
    """One subject against one claimed curve of a single number, with at most `budget` trials on either side. Raises
    ValueError for a curve of several numbers."""
    if len(curve.points()[0]) != 1:
        raise ValueError(f"sequential=True: {SEVERAL_NUMBERS}; leave sequential away")
    past, taught, odd, trials, looks = None, None, "", 0, 0
    won, batches = np.zeros(len(STAKES)), list[BetBatch]()
    while trials < budget and not odd and log_mean(won) < -np.log(CLAIM_SHARE * subject.level):
        fresh = subject.draw(looks, trials, min(budget - trials, max(FIRST_BATCH, int(BATCH_SHARE * trials))))
        if isinstance(fresh, Stop):
            return result_of_stop(label, curve, fresh)
        trials, looks = trials + fresh.trials, looks + 1
        if past is None or fresh.of is not past.of:
            past, taught = fresh, None
            continue
        if taught is None or past.trials <= MAX_TEACHING_TRIALS:
            taught = subject.teach(past)
        left, right = taught.score(fresh.left), taught.score(fresh.right)
        tests, _ = fastest_tests(taught.left, taught.right, curve)
        batches.append(batch_of(tests, left, right))
        won = won + log_capital(curve, batches[-1])
        odd = subject.odd(past, fresh, [[side >= tests.high, side < tests.low] for side in (left, right)])
        taught = taught._replace(left=np.append(taught.left, left), right=np.append(taught.right, right))
        past = subject.join(past, fresh)
    if past is None or taught is None or odd:
        return Result(label, curve, unfit=odd, idle="" if odd else "too few trials to learn from, and to bet on")
    sampled = what_bets_show(curve, batches, subject.level, trials, budget)
    return subject.known(Result(label, curve, sampled, learnt=True, scored_by=taught.name), past)


def what_bets_show(curve: Curve, batches: Sequence[BetBatch], level: float, trials: int, budget: int) -> Sampled:
    """What the bets of all batches show, at this level and at whatever moment: a number that the truth is larger than,
    which is more than the claimed one where the claim is refuted; and what as many bets would have seen."""
    claimed, at = (float(each[0]) for each in curve.points())
    shown = certified_number(curve, batches, level)
    left, right = (sum((getattr(each, side) for each in batches), np.zeros(3, dtype=np.int64)) for side in SIDES)
    fresh = int(left.sum())
    point = CertifiedPoint(float(left[2] / fresh), float(1 - right[2] / fresh), Region(np.empty(0), np.empty(0)))
    seen = resolution_in_batches(curve, fresh, level)
    looks = f"{len(batches)} look{'s' * (len(batches) > 1)}"
    stopped = f"{trials} trials a side, after {looks}, of at most {budget}"
    return Sampled((), point, Excess(shown - claimed, shown, at), seen, fresh, level, stopped)


def due_search(before: int) -> int:
    """The trials of the last search for a pair that is due after so many trials."""
    many = FIRST_SEARCH
    while many * SEARCH_GROWTH <= before:
        many *= SEARCH_GROWTH
    return many


def resolution_in_batches(curve: Curve, fresh: int, level: float) -> tuple[Resolution, ...]:
    """What bets on so many fresh trials resolve: about what a fixed test does at a player's share of the risk, as
    `bench/auditors.py` measures, and nothing proves."""
    return resolutions(curve, fresh, CLAIM_SHARE * level / len(STAKES))


# -- a mechanism, a counter ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OutputBatches:
    """The outputs of a mechanism on two given inputs, or on those that a search with so many trials finds. found: what
    searches found, by their trials; heads: the first outputs of every call, on either side; chances: that trials of a
    call lie as unevenly as they do, for every batch."""

    asked: Asked
    search: Callable[[int], Asked] | None = None
    found: dict[int, Asked] = field(default_factory=dict)
    heads: tuple[list[Array], list[Array]] = field(default_factory=lambda: ([], []))
    chances: list[float] = field(default_factory=list)

    @property
    def level(self) -> float:
        return self.asked.risk

    def inputs_after(self, before: int) -> Asked:
        """What is asked after so many trials: the same object for the same inputs."""
        many = due_search(before)
        if self.search is not None and many not in self.found:
            new, seen = self.search(many), self.found.values()
            self.found[many] = next((each for each in seen if have_same_inputs(each, new)), new)
        return self.found.get(many, self.asked)

    def draw(self, number: int, before: int, trials: int) -> FreshBatch:
        inputs = self.inputs_after(before)
        batch = replace(inputs, trials=trials, seed=address(self.asked.seed, "batch", number))
        calls, found = calls_for(trials), []
        for side, heads in zip(SIDES, self.heads, strict=True):
            outputs = drawn(batch, side, calls)
            heads += [outputs[k::calls][:MIN_CALL_TRIALS] for k in range(calls)]
            found.append(shuffled(outputs, calls, address(batch.seed, side)))
        if found[0].shape != found[1].shape:
            raise ValueError(f"outputs of shape {found[0].shape} on the left and {found[1].shape} on the right")
        return FreshBatch(found[0], found[1], inputs)

    def teach(self, past: FreshBatch) -> Taught:
        """The score on which bets should grow fastest, by the half of the trials that did not make it."""
        if self.asked.score is not None:
            given = [score_by_user(self.asked.score, side) for side in past[:2]]
            signs = [fastest_tests(sign * given[0], sign * given[1], self.asked.curve)[1] for sign in (1, -1)]
            sign = -1 if signs[1] > signs[0] else 1
            by = partial(score_by_user, self.asked.score)
            return Taught("the one that was given", lambda side: sign * by(side), sign * given[0], sign * given[1])
        rounded, half = merge_rounded_outputs(np.concatenate(past[:2])), past.trials // 2
        first, rest = ([rounded(side[part]) for side in past[:2]] for part in (slice(half), slice(half, None)))
        best, most = None, -inf
        with threadpool_limits(limits=1):  # a sum over several threads depends on how many there are
            for name, score in learnt_scores(*first):
                left, right = (score(side) for side in rest)
                growth = fastest_tests(left, right, self.asked.curve)[1] * (
                    1 if name in UNLEARNT_NAMES else LEARNT_SHARE
                )
                if best is None or growth > most:
                    if name in UNLEARNT_NAMES:  # nobody made it: it may be asked of all trials
                        left, right = (score(rounded(side)) for side in past[:2])
                    best, most = Taught(name, score_after_split(rounded, score), left, right), growth
        assert best is not None
        return best

    def join(self, one: FreshBatch, other: FreshBatch) -> FreshBatch:
        left, right = (np.concatenate(both) for both in zip(one[:2], other[:2], strict=True))
        return FreshBatch(left, right, other.of)

    def odd(self, past: FreshBatch, fresh: FreshBatch, inside: Sequence[Any]) -> str:
        """Why the outputs cannot be counted: calls come twice, or differ more than the trials of one."""
        calls = calls_for(fresh.trials)
        for known, new, events, heads in zip(past[:2], fresh[:2], inside, self.heads, strict=True):
            self.chances.append(chance_of([*halves_and_finite(known, new), *events], 0, calls))
            first = [np.stack([head[k] for head in heads]) for k in range(min(map(len, heads)))]
            if chance_of_twins(np.concatenate(first), len(heads)) < RISK:
                return REPEATED
        return UNEVEN if len(self.chances) * min(self.chances) < RISK else ""

    def known(self, result: Result, past: FreshBatch) -> Result:
        pooled = np.concatenate(past[:2])
        same = ((pooled == pooled[0]) | (np.isnan(pooled) & np.isnan(pooled[0]))).all()
        idle = "every trial gave the same output, on either side" if same else ""
        looked = f"the last search for inputs had about {max(self.found)} trials a side" if self.found else ""
        sampled = None if same else result.sampled
        return result._replace(idle=idle, sampled=sampled, looked=looked, learnt=self.asked.score is None)


# -- a policy ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RunBatches:
    """What a policy without a law releases, on the pair that the last search found. found: by the runs of searches."""

    runs: ReleasedRuns
    budget: int
    found: dict[int, Choice | Stop] = field(default_factory=dict)

    @property
    def level(self) -> float:
        return self.runs.asked.run.level

    def choice(self, many: int) -> Choice | Stop:
        """The pair that a search with so many runs finds; with more, where these find none."""
        if many not in self.found:
            asked, policy = self.runs.asked, self.runs.policy
            seed = asked.address("pair", f"{many}")
            search = Search(policy, self.runs.says.relation, self.judge(), many, address(seed, "search"),
                            tuple(hinted(policy, self.runs.says)))  # fmt: skip
            found = self.runs.searched(search, seed)
            more = isinstance(found, Stop) and found.idle and many * SEARCH_GROWTH <= self.budget
            self.found[many] = self.choice(many * SEARCH_GROWTH) if more else found
        return self.found[many]

    def judge(self) -> Judge:
        """Judges scores by what a whole budget should certify."""
        return likely(self.runs.asked.curve, self.budget, self.level)

    def draw(self, number: int, before: int, trials: int) -> FreshBatch | Stop:
        choice = self.choice(due_search(before))
        if isinstance(choice, Stop):
            return choice
        seed, together = self.runs.asked.address("batch", f"{number}"), 1 if choice.singly else BLOCK
        sides = [
            simulate_transcripts(self.runs.policy, table, trials, address(seed, side), together)
            for side, table in zip(SIDES, choice.sampled.environments(), strict=True)
        ]
        return FreshBatch(sides[0], sides[1], choice)

    def teach(self, past: FreshBatch) -> Taught:
        best = best_learnt(past.left, past.right, past.of.sampled, self.judge())
        return Taught("a learnt one", best.score, best.left, best.right)

    def join(self, one: FreshBatch, other: FreshBatch) -> FreshBatch:
        return FreshBatch(stacked([one.left, other.left]), stacked([one.right, other.right]), other.of)

    def odd(self, past: FreshBatch, fresh: FreshBatch, inside: Sequence[Any]) -> str:
        return ""

    def known(self, result: Result, past: FreshBatch) -> Result:
        searched = f"the last search for a pair had about {max(self.found)} runs a side"
        looked = "; ".join(filter(None, (past.of.looked, searched, past.of.singly)))
        idle = "every run released the same, on either side" if stacked(past[:2]).constant() else ""
        pair, sides = past.of.sampled, (past.left, past.right)
        return result._replace(looked=looked, idle=idle, pair=pair, sampled_pair=pair, releases=lambda: sides)
