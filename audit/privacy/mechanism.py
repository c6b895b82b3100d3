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

from collections.abc import Iterator
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from dpbandits.audit.judges.effort import RISK, demand_trials
from dpbandits.audit.play.calls import REPEATED, calls_for, chance_of_twins
from dpbandits.audit.privacy.instances import combined_with_event
from dpbandits.audit.privacy.mechanism_calls import (
    Asked,
    Mechanism,
    are_same_inputs,
    drawn,
    function_name,
    repeats,
    shuffled,
)
from dpbandits.audit.privacy.mechanism_scores import score_outputs
from dpbandits.audit.privacy.pipeline import SIDES, Choice, DrawnTrials, Exactly, Score, Stop, audit_exhibit
from dpbandits.audit.privacy.result import Result
from dpbandits.audit.privacy.scores.rounded_outputs import OutputScore
from dpbandits.audit.privacy.sequential import OutputBatches, audit_in_batches
from dpbandits.reference.arithmetic.checks import checked_integer, is_number
from dpbandits.reference.bandits.noise import address
from dpbandits.reference.bandits.protocol import accepts_arguments
from dpbandits.reference.claims.model import Claim, Finding, Private, Source, Verdict
from dpbandits.reference.curves import Approximate, Curve, Gaussian, derived

MIN_MECHANISM_TRIALS = 200  # trials a side; fewer leave nothing to learn from
SAME_INPUTS = "both inputs are the same, so that nothing could tell them apart: give two neighbouring ones"


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
    sequential: bool = False,
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
    sequential: whether to stop as soon as the claim is refuted: `trials` is then a budget, from which batch after batch
    is drawn, and the risk holds at every moment.

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
    return judge_mechanism(asked, sequential)[1]


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


def judge_mechanism(asked: Asked, sequential: bool = False) -> tuple[Claim, Finding]:
    """The audit as a claim, and what was found about it."""
    name = asked.name
    source = Source("own", name, f"{name} is {derived.name(asked.curve)}.")
    says = Private("two given inputs", "outputs", lambda _: asked.curve)
    claim = Claim(f"mechanism/{name}", source, says, expect=Verdict.CONSISTENT)
    if are_same_inputs(asked.left, asked.right):
        return claim, combined_with_event(claim, [Result(name, asked.curve, idle=SAME_INPUTS)])
    remarks = repeats(asked)
    if sequential:
        result = audit_in_batches(name, asked.curve, OutputBatches(asked), asked.trials)
    else:
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
