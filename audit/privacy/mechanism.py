"""The audit of a plain mechanism: any function that turns an input into noisy numbers, on two neighbouring inputs.

    from dpbandits import audit_mechanism

    def noisy_sum(values, trials, seed):
        return sum(values) + np.random.default_rng(seed).laplace(scale=1.0, size=trials)

    audit_mechanism(noisy_sum, [1, 0, 1], [1, 0, 0], eps=1.0)

Nothing is known of the mechanism, so a score is learnt on a quarter of the trials; the others certify. They come from
many calls with seeds of their own: where outputs differ more from call to call than inside of one, something is common
to the trials of a call, and their errors cannot be counted as if they were independent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from dpbandits.audit.judges.effort import RISK, demand_trials
from dpbandits.audit.play.calls import REPEATED, UNEVEN, calls_for, chance_of, chance_of_twins, interleaved
from dpbandits.audit.privacy.instances import combined_with_event
from dpbandits.audit.privacy.pipeline import SIDES, Choice, DrawnTrials, Exactly, Score, Stop, audit_exhibit
from dpbandits.audit.privacy.result import Result
from dpbandits.audit.privacy.scores.outputs import cautious_promise, choose_score
from dpbandits.audit.privacy.scores.rounded_outputs import OutputScore, merge_rounded_outputs, outputs_as_rows
from dpbandits.audit.statistics.events import Scored, require_finite, scored_by_search
from dpbandits.reference.arithmetic.checks import checked_integer, is_number, reals
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.bandits.protocol import accepts_arguments
from dpbandits.reference.claims.model import Claim, Finding, Private, Source, Verdict
from dpbandits.reference.curves import Approximate, Curve, Gaussian, derived

SEARCH = 0.25  # the share of the trials that chooses score and threshold
MIN_MECHANISM_TRIALS = 200  # trials a side; fewer leave nothing to learn from
# A batch of another size may be rounded otherwise: in double precision by so much of a score, in single precision by so
# much of the scores' spread. Where such rounding decides, so many scores may come out otherwise.
SAME_SCORE, SAME_SINGLE, ODD_SCORES = 1e-12, 1e-5, 0.01
AGAIN = 100  # trials of the calls that look whether a seed repeats
SAME_INPUTS = "both inputs are the same, so that nothing could tell them apart: give two neighbouring ones"

Mechanism = Callable[[Any, int, int], Any]


def audit_mechanism(
    mechanism: Mechanism,
    left: Any,
    right: Any,
    *,
    eps: float | None = None,
    delta: float | None = None,
    mu: float | None = None,
    trials: int = 200_000,
    seed: int = 0,
    risk: float = RISK,
    score: OutputScore | None = None,
) -> Finding:
    """Whether a mechanism keeps what it promises about two neighbouring inputs: REFUTED, CONSISTENT with what would
    have been caught, NOT_EXERCISED where nothing could have been (two inputs that are the same, say), or NOT_APPLICABLE
    where the trials of a call depend on each other, or come twice.

    mechanism: (input, trials, seed) to outputs, (trials,) or (trials, d), floats or whole numbers; the trials must be
    independent, and the seed their only source. It is called some 130 times, with a part of the trials each. left,
    right: two neighbouring inputs, handed on as they are. eps and delta (0 unless given), or mu: what is claimed,
    (eps, delta)-DP or mu-GDP. trials: on each side. risk: the probability with which a true claim may be refuted, of
    this one audit. score: your own distinguisher, (trials, d) to (trials,), large where one side is likelier and small
    where the other is, of every row by itself; it gets the outputs as they are. Otherwise scores are learnt.

    A learnt score takes outputs for one that differ by rounding errors alone (1e-13 of their size), and reads what is
    left of their digits. The last bits of floating-point noise are part of the mechanism and may tell much more
    (Mironov 2012): they are audited with a `score` that reads them, and with no other. An output that is nan or
    infinite is an event of its own. Same arguments, same finding, if the seed decides all; where a seed does not repeat
    its outputs, the finding says so. Raises ValueError for claims that are none, too few trials, a seed that is none,
    outputs that are no numbers or not as many as asked for, and inputs that a call uses up or changes.
    """
    asked = question(
        mechanism, left, right, eps=eps, delta=delta, mu=mu, trials=trials, seed=seed, risk=risk, score=score
    )
    return judge_mechanism(asked)[1]


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

    @property
    def name(self) -> str:
        return function_name(self.mechanism)


def function_name(function: Any) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def question(
    mechanism: Mechanism,
    left: Any,
    right: Any,
    *,
    eps: float | None = None,
    delta: float | None = None,
    mu: float | None = None,
    trials: int,
    seed: int,
    risk: float,
    score: OutputScore | None = None,
) -> Asked:
    """The arguments of `audit_mechanism`, checked."""
    if not callable(mechanism):
        raise ValueError(f"{mechanism!r} is no mechanism: give a function (input, trials, seed) to outputs")
    if not accepts_arguments(mechanism, 3):
        raise ValueError(
            f"{function_name(mechanism)}{signature(mechanism)} does not take (input, trials, seed): it is called so"
        )
    if score is not None and not callable(score):
        raise ValueError(f"score = {score!r} is no score: give a function, outputs (trials, d) to (trials,), or None")
    if score is not None and not accepts_arguments(score, 1):
        raise ValueError(
            f"the score {function_name(score)}{signature(score)} does not take the outputs, and nothing else"
        )
    for side, given in (("left", left), ("right", right)):
        if isinstance(given, Iterator):
            raise ValueError(f"the {side} input is used up by the first of many calls: give a list, not {given!r}")
    demand_trials("trials (on each side)", trials, MIN_MECHANISM_TRIALS)
    checked_integer(seed, "seed", 0, 2**64 - 1)
    if not (is_number(risk) and 0 < risk < 1):
        raise ValueError(f"risk = {risk!r} is no probability between 0 and 1")
    return Asked(mechanism, left, right, claimed(eps, delta, mu), int(trials), int(seed), float(risk), score)


def claimed(eps: float | None, delta: float | None, mu: float | None) -> Curve:
    """The curve that is claimed. Raises ValueError unless it is eps (and delta), or mu, within their ranges."""
    if (eps is None) == (mu is None) or (mu is not None and delta is not None):
        raise ValueError("claim either eps=... (and delta=...) or mu=...")
    for name, value in (("eps", eps), ("delta", delta), ("mu", mu)):
        if value is not None and not (is_number(value) and 0 <= value < (1 if name == "delta" else np.inf)):
            raise ValueError(f"{name} = {value!r}: it must be a number >= 0{', below 1' if name == 'delta' else ''}")
    return Gaussian(float(mu)) if mu is not None else Approximate(float(eps or 0.0), float(delta or 0.0))


def judge_mechanism(asked: Asked) -> tuple[Claim, Finding]:
    """The audit as a claim, and what was found about it."""
    name = asked.name
    source = Source("own", name, f"{name} is {derived.name(asked.curve)}.")
    says = Private("two given inputs", "outputs", lambda _: asked.curve)
    claim = Claim(f"mechanism/{name}", source, says, expect=Verdict.CONSISTENT)
    if are_same_inputs(asked.left, asked.right):
        return claim, combined_with_event(claim, [Result(name, asked.curve, idle=SAME_INPUTS)])
    remarks = repeats(asked)
    result = audit_exhibit(name, asked.curve, Calls(asked, calls_for(asked.trials)))
    finding = combined_with_event(claim, [result])
    text = {"kind": "text", "text": f"Score: {result.scored_by or 'none'}. {remarks}".strip()}
    summary = f"{finding.summary} {remarks}".strip()
    return claim, replace(finding, summary=summary, evidence=(*finding.evidence, text))


@dataclass(frozen=True)
class Calls:
    """A mechanism on two given inputs, as an exhibit: the outputs of so many calls on either side."""

    asked: Asked
    calls: int

    @property
    def level(self) -> float:
        return self.asked.risk

    def choose(self) -> Choice:
        return Choice((self.asked.left, self.asked.right))

    def draw(self, choice: Choice) -> DrawnTrials | Stop:
        sides = [drawn(self.asked, side, self.calls) for side in SIDES]
        if sides[0].shape != sides[1].shape:
            raise ValueError(f"outputs of shape {sides[0].shape} on the left and {sides[1].shape} on the right")
        if min(chance_of_twins(side, self.calls) for side in sides) < RISK:
            return Stop(unfit=REPEATED)
        both = zip(SIDES, sides, strict=True)
        return DrawnTrials([shuffled(outputs, self.calls, address(self.asked.seed, side)) for side, outputs in both])

    def score(self, choice: Choice, drawn: DrawnTrials, exactly: Exactly) -> Score:
        with threadpool_limits(limits=1):  # a sum over several threads depends on how many there are
            return score_outputs(self.asked, drawn.sides[0], drawn.sides[1], self.calls)


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
    if len({part.shape[1] for part in parts}) > 1:
        shapes = sorted({part.shape[1] for part in parts})
        raise ValueError(f"the mechanism on the {side} input: {shapes} numbers a trial in one call and another")
    return interleaved(parts)


def called(asked: Asked, side: str, purpose: str, trials: int) -> Array:
    """The outputs of so many trials on one side, (trials, d), from one call."""
    given = asked.left if side == "left" else asked.right
    before = copy_of_input(given)
    outputs = asked.mechanism(given, trials, address(asked.seed, "mechanism", side, purpose))
    if before is not None and not are_same_inputs(before, given):
        raise ValueError(
            f"the mechanism changes the {side} input that it is given, so that the next call gets another one: let it "
            "work on a copy"
        )
    return outputs_as_rows(outputs, trials, f"the mechanism on the {side} input")


def repeats(asked: Asked) -> str:
    """A remark on a mechanism whose outputs are not a function of the seed."""
    first, again = (called(asked, "left", "again", AGAIN) for _ in range(2))
    if np.array_equal(first, again, equal_nan=True):
        return ""
    return "The same seed gives other outputs each time, so that this finding will not repeat: draw from the seed."


def score_outputs(asked: Asked, left: Array, right: Array, calls: int) -> Score:
    """The scores of outputs, (trials, d), and the tests that are to be certified; calls: that made either side."""
    search, curve = int(asked.trials * SEARCH), asked.curve
    pooled = np.concatenate([left, right])
    if ((pooled == pooled[0]) | (np.isnan(pooled) & np.isnan(pooled[0]))).all():
        return Score(idle="every trial gave the same output, on either side")
    if asked.score is not None:
        every = [score_by_user(asked.score, side) for side in (left, right)]
        found, name = better_end(every[0], every[1], search, curve, asked.risk), "the one that was given"
    else:
        rounded = merge_rounded_outputs(np.concatenate([left[:search], right[:search]]))
        left, right = rounded(left), rounded(right)
        best = choose_score(left[:search], right[:search], curve, asked.trials - search, asked.risk)
        fresh = [require_finite(best.score(side[search:]), "a learnt score") for side in (left, right)]
        found = Scored(fresh[0], fresh[1], best.events)
        name = f"{best.name}, learnt and chosen on {search} trials a side"
    for side, scores in ((left, found.left), (right, found.right)):
        seen = [*halves_and_finite(side[:search], side[search:]), *[scores >= event.cut for event in found.events]]
        if chance_of(seen, search, calls) < RISK:
            return Score(unfit=UNEVEN, scored_by=name)
    return Score(found, learnt=asked.score is None, scored_by=name)


def better_end(left: Array, right: Array, search: int, curve: Curve, level: float) -> Scored:
    """The scores, or the scores with the other sign, whichever should say more about the claim by the search trials:
    which input is called left is nothing that an audit should hang on."""
    both = [scored_by_search(sign * left, sign * right, search, curve, level) for sign in (1, -1)]
    fresh = len(left) - search
    likely = [
        cautious_promise(sign * left[:search], sign * right[:search], each.events[0], curve, fresh)
        for sign, each in zip((1, -1), both, strict=True)
    ]
    return both[likely[1] > likely[0]]


def halves_and_finite(search: Array, fresh: Array) -> Iterator[Any]:
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
    """The scores that a user's function gives. Raises ValueError where it gives not one a trial, and where a trial's
    score hangs on the others: the mean of a side, say, tells any two inputs apart, and no trial does."""
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
