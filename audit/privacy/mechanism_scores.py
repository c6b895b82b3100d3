"""A mechanism on two given inputs: its calls, the scores of their outputs, and what a finding says of their bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.judges.effort import RISK
from dpbandits.audit.play.calls import UNEVEN_CALLS, interleaved, uneven_calls_p_value
from dpbandits.audit.privacy.pipeline import Score
from dpbandits.audit.privacy.result import Result
from dpbandits.audit.privacy.scores.bit_features import bit_scores, guess
from dpbandits.audit.privacy.scores.classifier import Learner, OutputScore, cautious_excess, choose_score
from dpbandits.audit.privacy.scores.output_features import (
    learnt_scores,
    merge_rounded_outputs,
    outputs_as_rows,
    rare_atoms,
)
from dpbandits.audit.statistics.events import (
    Event,
    ScoredTrials,
    plan_tests_by_scores,
    require_finite,
    scored_by_search,
)
from dpbandits.reference.arithmetic.checks import reals
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.claims.model import Verdict
from dpbandits.reference.curves import Curve, derived

AGAIN = 100  # trials of the calls that look whether a seed repeats
Mechanism = Callable[[Any, int, int], Any]
SEARCH = 0.25  # the share of the trials that chooses score and threshold
# A batch of another size may be rounded otherwise: in double precision by so much of a score, in single precision by so
# much of the scores' spread. Where such rounding decides, so many scores may come out otherwise.
SAME_SCORE, SAME_SINGLE, ODD_SCORES = 1e-12, 1e-5, 0.01
BITS_SHARE = 0.1  # of the risk is the bits': they tell much or nothing, and numbers would pay for a larger share
ATOMS_SHARE = 0.1  # of the risk goes to rare outputs that come again, where there are any
BITS_LABEL = ", floating-point implementation"  # behind a mechanism's name
FLOATING_POINT = ("warn", "error", "ignore")
ON_ERROR = ("error", "output")
REMEDY = (
    "The low-order bits of its outputs reveal the input: release integers, or multiples of a fixed step. "
    "floating_point='error' makes this the verdict, 'ignore' leaves it untested."
)
BITS_OF_NUMBERS = (
    "Bits also hold what the numbers reveal: whether they add anything shows where the numbers keep the claim."
)
OBSERVABLE = "if others can observe it, it is an output: on_error='output' audits it as one, or return nan"
KINDS = 2**40  # of numbers that stand for exceptions and shapes


@dataclass(frozen=True)
class Asked:
    """The arguments of one audit."""

    mechanism: Mechanism
    left: Any
    right: Any
    curve: Curve
    trials: int
    seed: int
    risk: float
    score: OutputScore | None
    floating_point: str = "warn"
    on_error: str = "error"

    @property
    def bits(self) -> bool:
        """Whether the bits of outputs are tested."""
        return self.floating_point != "ignore"

    @property
    def name(self) -> str:
        return function_name(self.mechanism)


def function_name(function: Any) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def are_same_inputs(left: Any, right: Any) -> bool:
    """Whether two inputs are known to be the same."""
    try:
        return left is right or bool(np.array_equal(left, right))
    except Exception:  # objects that cannot be compared are taken for two
        return False


def copy_of_input(given: Any) -> Any:
    """A copy of an input that a call may change, to compare with; None where there is none to be had."""
    if not (isinstance(given, list | dict | set | tuple | bytearray) or hasattr(given, "__array__")):
        return None
    try:
        copied = deepcopy(given)
    except Exception:  # what cannot be copied is handed on unwatched
        return None
    return copied if are_same_inputs(copied, given) else None  # nan is not like itself


def shuffled(outputs: Array, calls: int, seed: int) -> Array:
    """These trials, (trials, d), with those of each call in an order of their own: where a mechanism sorts its trials,
    say, the first of them, which choose the tests, would else be other trials than those that certify."""
    mixed = outputs.copy()
    for k in range(calls):
        mixed[k::calls] = np.random.default_rng(address(seed, "order", k)).permutation(outputs[k::calls])
    return mixed


def drawn(asked: Asked, side: str, calls: int) -> Array:
    """The outputs of all trials on one side, (trials, d), from so many calls: trial i is in call i % calls."""
    parts = [called(asked, side, f"audit {k}", len(range(k, asked.trials, calls))) for k in range(calls)]
    widths = sorted({part.shape[1] for part in parts})
    if len(widths) > 1 and asked.on_error == "error":
        numbers = " numbers a trial in one call, and ".join(map(str, widths))
        raise ValueError(f"the mechanism returns {numbers} in another, on the {shown_input(asked, side)}; {OBSERVABLE}")
    return interleaved([widened(part, widths[-1]) for part in parts])


def widened(outputs: Array, width: int) -> Array:
    """Outputs (trials, d) with columns of zeros, (trials, width)."""
    return np.pad(outputs, ((0, 0), (0, width - outputs.shape[1])))


def with_equal_widths(asked: Asked, left: Array, right: Array) -> tuple[Array, Array]:
    """The outputs of both sides, (trials, d) each, with as many columns. Raises ValueError where the mechanism returns
    more numbers on one side, unless that is an output."""
    one, other = left.shape[1], right.shape[1]
    if one != other and asked.on_error == "error":
        raise ValueError(
            f"the mechanism returns {one} numbers a trial on the {shown_input(asked, 'left')}, and {other} on the "
            f"{shown_input(asked, 'right')}; {OBSERVABLE}"
        )
    return widened(left, max(one, other)), widened(right, max(one, other))


def why_constant(left: Array, right: Array) -> str:
    """Why these outputs of both sides, (trials, d), certify nothing: all of them are the same; "" where they are
    not."""
    pooled = np.concatenate([left, right])
    same = ((pooled == pooled[0]) | (np.isnan(pooled) & np.isnan(pooled[0]))).all()
    return "every trial gave the same output, on either side" if same else ""


def shown_input(asked: Asked, side: str) -> str:
    """The input of a side, in words."""
    return f"{side} input {(asked.left if side == 'left' else asked.right)!r:.80}"


def called(asked: Asked, side: str, purpose: str, trials: int) -> Array:
    """The outputs of so many trials on one side, (trials, d), from one call; where exceptions and shapes are outputs,
    from a call for each trial, with a first column that stands for them."""
    if asked.on_error == "output":
        seeds = (f"{purpose}, trial {k}" for k in range(trials))
        rows = [outcome(asked, side, each) for each in seeds]
        width = max(len(row) for row in rows)
        return np.array([row + [0.0] * (width - len(row)) for row in rows])
    where = shown_input(asked, side)
    try:
        outputs = mechanism_call(asked, side, purpose, trials)
    except Exception as error:
        error.add_note(
            f"the mechanism raised {type(error).__name__} on the {where}, in the call {purpose!r}; {OBSERVABLE}"
        )
        raise
    return outputs_as_rows(outputs, trials, f"the mechanism on the {side} input")


def mechanism_call(asked: Asked, side: str, purpose: str, trials: int) -> Any:
    """What one call returns. Raises ValueError where it changes its input."""
    given = asked.left if side == "left" else asked.right
    before = copy_of_input(given)
    outputs = asked.mechanism(given, trials, address(asked.seed, "mechanism", side, purpose))
    if before is not None and not are_same_inputs(before, given):
        raise InputChanged(
            f"the mechanism changes the {side} input that it is given, so that the next call gets another one: let it "
            "work on a copy"
        )
    return outputs


class InputChanged(ValueError):
    """A mechanism changes the input that it is given."""


def outcome(asked: Asked, side: str, purpose: str) -> list[float]:
    """The outcome of one trial: a number for the kind of exception, or for how many numbers come out, and these."""
    try:
        row = outputs_as_rows(mechanism_call(asked, side, purpose, 1), 1, f"the mechanism on the {side} input")[0]
    except InputChanged:
        raise
    except Exception as error:
        return [float(address("exception", type(error).__name__) % KINDS)]
    return [float(-len(row)), *row.tolist()]


def repeats(asked: Asked) -> str:
    """A remark on a mechanism whose outputs are not a function of the seed."""
    first, again = (called(asked, "left", "again", AGAIN) for _ in range(2))
    if np.array_equal(first, again, equal_nan=True):
        return ""
    return "The same seed gives other outputs each time, so that this finding will not repeat: draw from the seed."


def score_outputs(asked: Asked, left: Array, right: Array, calls: int) -> Score:
    """The scores of outputs as numbers, (trials, d), and the tests that are to be certified; calls: that made either
    side."""
    search = int(asked.trials * SEARCH)
    if idle := why_constant(left, right):
        return Score(idle=idle)
    if asked.score is not None:
        every = [score_by_user(asked.score, side) for side in (left, right)]
        found = better_end(every[0], every[1], search, asked.curve, asked.risk)
        return evenly_scored(Score(found, scored_by="the one that was given"), left, right, search, calls)
    rounded = merge_rounded_outputs(np.concatenate([left[:search], right[:search]]))
    return learnt_score(asked, rounded(left), rounded(right), calls, learnt_scores)


def score_bits(asked: Asked, left: Array, right: Array, calls: int) -> Score:
    """The scores of the bits in which outputs, (trials, d), are written, and the tests that are to be certified."""
    return learnt_score(asked, left, right, calls, learner_of_bits(asked, left[: int(asked.trials * SEARCH)]))


def learner_of_bits(asked: Asked, known: Array) -> Learner:
    """What learns scores of bits, with centres and scales that are guessed from known outputs on the left, (n, d)."""
    claimed, at = asked.curve.claimed_parameters()
    guessed = guess(asked.left, asked.right, known, float(claimed[0]), float(at[0])) if len(claimed) else None
    return partial(bit_scores, guessed=guessed)


def learnt_score(asked: Asked, left: Array, right: Array, calls: int, learn: Learner) -> Score:
    """The best of what is learnt on the search trials, as scores of the fresh ones."""
    search = int(asked.trials * SEARCH)
    known = left[:search], right[:search]
    atoms = rare_atoms(*known)
    share = 0.0 if atoms is None else ATOMS_SHARE
    best = choose_score(*known, asked.curve, asked.trials - search, (1 - share) * asked.risk, learn)
    fresh = [require_finite(best.score(side[search:]), "a learnt score") for side in (left, right)]
    name = f"{best.name}, learnt and chosen on {search} trials a side"
    found = Score(ScoredTrials(fresh[0], fresh[1], best.events), learnt=True, scored_by=name)
    if atoms is not None:
        events = plan_tests_by_scores(
            atoms(known[0]), atoms(known[1]), asked.curve, asked.trials - search, share * asked.risk
        )
        also = ScoredTrials(atoms(left[search:]), atoms(right[search:]), events)
        name = f"{name}; and rare outputs that came again, with {ATOMS_SHARE:g} of the risk"
        found = found._replace(also=also, scored_by=name)
    return evenly_scored(found, left, right, search, calls)


def evenly_scored(score: Score, left: Array, right: Array, search: int, calls: int) -> Score:
    """The score, unless outputs or tests of it come more often in some calls than in others."""
    assert score.scored is not None
    every = [each for each in (score.scored, score.also) if each is not None]
    for side, mine in ((left, [each.left for each in every]), (right, [each.right for each in every])):
        tests = [
            scores >= event.cut
            for scores, each in zip(mine, every, strict=True)
            for event in each.events
            if isinstance(event, Event)
        ]
        seen = [*halves_and_finite(side[:search], side[search:]), *tests]
        if uneven_calls_p_value(seen, search, calls) < RISK:
            return Score(unfit=UNEVEN_CALLS, scored_by=score.scored_by)
    return score


def better_end(left: Array, right: Array, search: int, curve: Curve, level: float) -> ScoredTrials:
    """The scores, or the scores with the other sign, whichever should say more about the claim by the search trials:
    an audit should not depend on which input is called left."""
    both = [scored_by_search(sign * left, sign * right, search, curve, level) for sign in (1, -1)]
    fresh = len(left) - search
    likely = [
        cautious_excess(sign * left[:search], sign * right[:search], each.events[0], curve, fresh)
        for sign, each in zip((1, -1), both, strict=True)
    ]
    return both[likely[1] > likely[0]]


def halves_and_finite(search: Array, fresh: Array) -> Iterator[NDArray[np.bool_]]:
    """For every number of an output, which fresh ones lie above the middle of the search trials' and which are finite,
    (trials,) each; (trials, d)."""
    for known, column in zip(search.T, fresh.T, strict=True):
        yield np.isfinite(column)
        numbers = known[np.isfinite(known)]
        if len(numbers):
            middle = np.median(numbers)
            # An atom in the middle goes to the side that then comes nearer to a half.
            with_it = abs(np.mean(numbers >= middle) - 0.5) < abs(np.mean(numbers > middle) - 0.5)
            yield column >= middle if with_it else column > middle


def score_by_user(score: OutputScore, outputs: Array) -> Array:
    """The scores that a user's function gives. Raises ValueError where it does not give one for each trial, and where a
    trial's score depends on other trials: the mean of a side, say, differs between any two inputs, although no trial
    reveals anything."""
    scores = reals("the score", score(outputs.copy()))  # a copy: a score may well reuse its buffer
    if scores.shape != (len(outputs),):
        raise ValueError(f"the score of {len(outputs)} outputs has shape {scores.shape}; give one number a trial")
    bad = np.flatnonzero(np.isnan(scores))
    if len(bad):
        raise ValueError(f"the score of trial {int(bad[0])} of {len(outputs)} is nan, which no test can order")
    few = len(outputs) // 2
    again, numbers = reals("the score", score(outputs[:few].copy())), scores[np.isfinite(scores)]
    spread = float(np.subtract(*np.quantile(numbers, [0.75, 0.25])) or np.ptp(numbers)) if len(numbers) else 0.0
    if (
        again.shape != (few,)
        or np.mean(~np.isclose(again, scores[:few], rtol=SAME_SCORE, atol=SAME_SINGLE * spread)) > ODD_SCORES
    ):
        raise ValueError(
            f"the score of the first {few} of {len(outputs)} outputs by themselves is another one than among all of "
            "them: score every trial by its own row alone, with numbers that are fixed beforehand"
        )
    return scores


def bits_decide(numbers: Result, bits: Result) -> bool:
    """Whether the floating-point implementation breaks the claim, and the mechanism is not seen to."""
    return bits.verdict is Verdict.REFUTED and numbers.verdict is not Verdict.REFUTED


def two_results(numbers: Result, bits: Result | None) -> str:
    """The verdicts on the mechanism and on its floating-point implementation, in a sentence or two."""
    stopped = numbers.sampled is not None and bool(numbers.sampled.stopped)
    open_ = stopped and bits is not None and bits_decide(numbers, bits)
    found = f"Mechanism: {numbers.verdict}"
    if numbers.sampled is not None:
        found += f" (samples certify {certified_by_samples(numbers)}{'; it may still break the claim' * open_})"
    if bits is None:
        return f"{found}; floating-point implementation: not tested (floating_point='ignore')."
    if bits.unfit:
        return f"{found}; floating-point implementation: cannot be tested: {bits.unfit}."
    known = f" (samples certify {certified_by_samples(bits)})" if bits.sampled is not None else ""
    remedy = ""
    if bits.verdict is Verdict.REFUTED:
        remedy = f" {REMEDY if bits_decide(numbers, bits) else BITS_OF_NUMBERS}"
    return f"{found}; floating-point implementation: {bits.verdict}{known}.{remedy}"


def certified_by_samples(result: Result) -> str:
    assert result.sampled is not None
    assert result.curve is not None
    _, shown, at = result.sampled.excess
    return derived.parameter_in_words(result.curve, shown, at)
