"""Draws batches of outputs of a mechanism or counter for sequential audits, and learns scores from earlier batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from dpbandits.audit.judges.effort import RISK
from dpbandits.audit.play.calls import (
    MIN_CALL_TRIALS,
    REPEATED_CALLS,
    calls_for,
    repeated_calls_p_value,
    uneven_calls_p_value,
)
from dpbandits.audit.privacy.mechanism_calls import (
    MechanismAudit,
    are_same_inputs,
    drawn,
    shuffled,
    why_constant,
    with_equal_widths,
)
from dpbandits.audit.privacy.mechanism_scores import (
    BITS_LABEL,
    BITS_SHARE,
    learner_of_bits,
    output_events,
    score_by_user,
)
from dpbandits.audit.privacy.pipeline import NotTestable
from dpbandits.audit.privacy.result import Result
from dpbandits.audit.privacy.scores.classifier import Learner, OutputScore
from dpbandits.audit.privacy.scores.output_features import (
    as_they_are,
    learnt_scores,
    merge_rounded_outputs,
    score_after,
)
from dpbandits.audit.privacy.sequential import BatchLook, FreshBatch, Taught, due_search
from dpbandits.audit.statistics.betting import plan_naming_tests
from dpbandits.reference.bandits.adjacency import SIDES
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.curves import Curve

LEARNT_SHARE = 0.8  # of its growth that a score counts with which trials have made: the best of many flatters


@dataclass(frozen=True)
class OutputBatches:
    """The outputs of a mechanism in batches, on two given inputs or on the inputs that a search with this many trials
    finds. found: the results of searches, by their number of trials; heads: the first outputs of every call, on either
    side."""

    asked: MechanismAudit
    search: Callable[[int], MechanismAudit] | None = None
    found: dict[int, MechanismAudit] = field(default_factory=dict)
    heads: tuple[list[Array], list[Array]] = field(default_factory=lambda: ([], []))

    @property
    def level(self) -> float:
        """The probability with which the audit may refute a true claim: the requested risk."""
        return self.asked.risk

    @property
    def looks(self) -> tuple[BatchLook, ...]:
        """The tests of a batch: one of numbers, and one of bits unless bits are not tested."""
        if not self.asked.bits:
            return (BatchLook(self.teach),)
        decides = self.asked.floating_point == "error"
        return BatchLook(self.teach, 1 - BITS_SHARE), BatchLook(self.teach_bits, BITS_SHARE, BITS_LABEL, decides)

    def inputs_after(self, before: int) -> MechanismAudit:
        """Returns the inputs to audit after this many trials; the same object for the same inputs."""
        many = due_search(before)
        if self.search is not None and many not in self.found:
            new, seen = self.search(many), self.found.values()
            same = (
                old for old in seen if are_same_inputs(old.left, new.left) and are_same_inputs(old.right, new.right)
            )
            self.found[many] = next(same, new)
        return self.found.get(many, self.asked)

    def draw(self, number: int, before: int, trials: int) -> FreshBatch | NotTestable:
        """Draws fresh trials on either input; NotTestable if calls with different seeds give the same outputs."""
        inputs = self.inputs_after(before)
        batch = replace(inputs, trials=trials, seed=address(self.asked.seed, "batch", number))
        calls, found = calls_for(trials), []
        for side, heads in zip(SIDES, self.heads, strict=True):
            outputs = drawn(batch, side, calls)
            heads += [outputs[k::calls][:MIN_CALL_TRIALS] for k in range(calls)]
            first = [np.stack([head[k] for head in heads]) for k in range(min(map(len, heads)))]
            if repeated_calls_p_value(np.concatenate(first), len(heads)) < RISK:
                return NotTestable(unfit=REPEATED_CALLS)
            found.append(shuffled(outputs, calls, address(batch.seed, side)))
        return FreshBatch(*with_equal_widths(inputs, *found), inputs)

    def teach(self, past: FreshBatch) -> Taught:
        """Returns the score of outputs as numbers on which bets are expected to grow fastest."""
        if self.asked.score is None:
            rounded = merge_rounded_outputs(np.concatenate(past[:2]))
            return learnt_by_half(past, self.asked.curve, rounded, learnt_scores)
        given = [score_by_user(self.asked.score, side) for side in past[:2]]
        signs = [plan_naming_tests(sign * given[0], sign * given[1], self.asked.curve)[1] for sign in (1, -1)]
        sign = -1 if signs[1] > signs[0] else 1
        by = partial(score_by_user, self.asked.score)
        return Taught("the one that was given", lambda side: sign * by(side), sign * given[0], sign * given[1])

    def teach_bits(self, past: FreshBatch) -> Taught:
        """Returns the score of the outputs' bits on which bets are expected to grow fastest."""
        return learnt_by_half(past, self.asked.curve, as_they_are, learner_of_bits(past.of, past.left))

    def join(self, one: FreshBatch, other: FreshBatch) -> FreshBatch:
        """Returns the trials of both batches together, with the inputs of the second batch."""
        left, right = (np.concatenate(both) for both in zip(one[:2], other[:2], strict=True))
        return FreshBatch(left, right, other.of)

    def uneven(self, past: FreshBatch, fresh: FreshBatch, inside: Sequence[Any]) -> float:
        """An upper bound on the probability that outputs and events are spread as unevenly over the calls as observed.
        inside: for either side, whether each fresh trial lies in each event."""
        calls = calls_for(fresh.trials)
        each = zip(past[:2], fresh[:2], inside, strict=True)
        chances = [uneven_calls_p_value([*output_events(known, new), *events], 0, calls) for known, new, events in each]
        return len(chances) * min(chances)

    def completed(self, result: Result, past: FreshBatch) -> Result:
        """Returns the result with remarks on the search for inputs; certifies nothing if all outputs are equal."""
        idle = why_constant(past.left, past.right)
        looked = f"The last search for inputs had about {max(self.found)} trials on each side." if self.found else ""
        sampled = None if idle else result.sampled
        return result._replace(idle=idle, sampled=sampled, looked=looked, learnt=self.asked.score is None)


def learnt_by_half(past: FreshBatch, curve: Curve, seen: OutputScore, learn: Learner) -> Taught:
    """Returns, of the scores learned from the first half of the trials, the best one on the second half.
    The best score is the one on which bets grow fastest. seen: computes the features of outputs, (n, d) to (n, e)."""
    half = past.trials // 2
    first, rest = ([seen(side[part]) for side in past[:2]] for part in (slice(half), slice(half, None)))
    best, most = None, -inf
    with threadpool_limits(limits=1):  # a sum over several threads depends on how many there are
        for found in learn(*first):
            left, right = (found.score(side) for side in rest)
            growth = plan_naming_tests(left, right, curve)[1] * (LEARNT_SHARE if found.learnt else 1)
            if best is None or growth > most:
                if not found.learnt:  # no trials taught it, so that all may choose its tests
                    left, right = (found.score(seen(side)) for side in past[:2])
                best, most = Taught(found.name, score_after(seen, found.score), left, right), growth
    assert best is not None
    return best
