"""The audit of a plain mechanism: any function that turns an input into noisy numbers, on two neighbouring inputs.

    from dpbandits import audit_mechanism

    def noisy_sum(values, trials, seed):
        return sum(values) + np.random.default_rng(seed).laplace(scale=1.0, size=trials)

    audit_mechanism(noisy_sum, [1, 0, 1], [1, 0, 0], eps=1.0)

Nothing is known of the mechanism, so a score is learnt on a quarter of the trials; the others certify. They come from
many calls with seeds of their own: if outputs vary more between calls than within a call, trials of a call share
something, and their errors cannot be counted as independent. A mechanism is a program: the bits of its outputs are
tested as well as the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

from threadpoolctl import threadpool_limits

from dpbandits.audit.judges.effort import RISK, demand_trials
from dpbandits.audit.play.calls import REPEATED_CALLS, calls_for, repeated_calls_p_value
from dpbandits.audit.privacy.instances import combined_with_event
from dpbandits.audit.privacy.mechanism_calls import (
    Mechanism,
    MechanismAudit,
    are_same_inputs,
    drawn,
    function_name,
    seed_remark,
    shuffled,
    with_equal_widths,
)
from dpbandits.audit.privacy.mechanism_scores import BITS_LABEL, BITS_SHARE, score_bits, score_outputs
from dpbandits.audit.privacy.output_batches import OutputBatches
from dpbandits.audit.privacy.own_claims import claimed_curve
from dpbandits.audit.privacy.pipeline import Choice, DrawnTrials, LawBounds, NotTestable, Score, audit_target
from dpbandits.audit.privacy.result import Result
from dpbandits.audit.privacy.scores.classifier import OutputScore
from dpbandits.audit.privacy.sequential import audit_in_batches
from dpbandits.reference.arithmetic.checks import checked_integer, require_in_open_interval
from dpbandits.reference.bandits.adjacency import SIDES
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.bandits.protocol import accepts_arguments
from dpbandits.reference.claims.model import Claim, Finding, Private, Source, Verdict
from dpbandits.reference.claims.records import Item, text_item
from dpbandits.reference.claims.text import instances_table
from dpbandits.reference.curves import Curve, derived

MIN_MECHANISM_TRIALS = 200  # trials a side; fewer leave nothing to learn from
FLOATING_POINT = ("warn", "error", "ignore")
ON_ERROR = ("error", "output")
REMEDY = (
    "The low-order bits of its outputs reveal the input: release integers, or multiples of a fixed step. "
    "floating_point='error' makes this the verdict, 'ignore' leaves it untested."
)
BITS_OF_NUMBERS = (
    "The test of bits also sees what the numbers themselves reveal, so it can show a leak of the implementation only "
    "after the mechanism satisfies the claim."
)
Scoring = Callable[[MechanismAudit, Array, Array, int], Score]
SAME_INPUTS = "the left and the right input are equal; give two different neighbouring inputs"


def audit_mechanism(
    mechanism: Mechanism,
    left: object,
    right: object,
    *,
    eps: float | None = None,
    delta: float | None = None,
    mu: float | None = None,
    curve: Curve | None = None,
    trials: int = 200_000,
    seed: int = 0,
    risk: float = RISK,
    score: OutputScore | None = None,
    floating_point: str = "warn",
    on_error: str = "error",
    sequential: bool = False,
) -> Finding:
    """Audits a privacy claim about a mechanism on two neighbouring inputs.
    The verdict is REFUTED or CONSISTENT (with the size of the violations that would have been detected). It is
    NOT_EXERCISED if no violation could have been detected, and NOT_APPLICABLE if the trials of a call depend on each
    other, or repeat.

    mechanism: a function of (input, trials, seed) that returns outputs (trials,) or (trials, d), floats or integers;
    trials must be independent, and the seed must be their only source of randomness. The mechanism is called about 130
    times, each time with a part of the trials. left, right: two neighbouring inputs, which are passed to the mechanism
    unchanged. eps and delta (default 0), or mu: the claim, (eps, delta)-DP or mu-GDP. curve: any other guarantee, such
    as Concentrated(rho) of `dpbandits.pages`. trials: the number of trials with each input. risk: the largest
    probability that this audit refutes a true claim. score: your own distinguisher, a function from outputs (trials, d)
    to scores (trials,). It is computed for each row separately, and is large for one input and small for the other. By
    default scores are learned. floating_point: what happens if the mechanism satisfies the claim in real arithmetic,
    but the low-order bits of the outputs violate it. "warn" states both results, and the verdict is about real
    arithmetic. "error" makes the verdict REFUTED. "ignore" does not test bits. on_error: what to do about an exception
    of the mechanism, or a varying number of outputs. "error" raises an error that names the input and the call.
    "output" treats the exception as an output (the mechanism is then called once for every trial). sequential: whether
    to stop as soon as the claim is refuted. The number of trials is then an upper limit, trials are drawn in batches,
    and the risk holds whenever the audit stops.

    A learned score treats outputs that differ only by rounding errors (1e-13 of their size) as equal. The low-order
    bits of floating-point noise reveal much more (Mironov 2012). These bits are therefore tested separately, with a
    tenth of the risk (`scores.bit_features`). The finding states one result for the mechanism, and one for its
    floating-point implementation. Outputs nan, inf and -inf are separate events. Equal arguments give equal findings if
    the seed determines the outputs; if it does not, the finding states this. Raises ValueError for an invalid claim or
    seed, too few trials, outputs that are not numbers or have the wrong shape, and inputs that a call consumes or
    modifies.
    """
    claim: dict[str, Any] = {"eps": eps, "delta": delta, "mu": mu, "curve": curve}
    asked = mechanism_audit(
        mechanism, left, right, **claim, trials=trials, seed=seed, risk=risk, score=score,
        floating_point=floating_point, on_error=on_error, sequential=sequential,
    )  # fmt: skip
    return judge_mechanism(asked, OutputBatches(asked) if sequential else None)[1]


def mechanism_audit(
    mechanism: Mechanism,
    left: object,
    right: object,
    *,
    eps: float | None = None,
    delta: float | None = None,
    mu: float | None = None,
    curve: Curve | None = None,
    trials: int,
    seed: int,
    risk: float,
    score: OutputScore | None = None,
    floating_point: str = "warn",
    on_error: str = "error",
    sequential: bool = False,
) -> MechanismAudit:
    """Checks the arguments of `audit_mechanism`, and returns them as one object."""
    if not callable(mechanism):
        raise ValueError(
            f"mechanism is {mechanism!r}; it must be a function f(input, trials, seed) that returns one output "
            "for each trial"
        )
    if not accepts_arguments(mechanism, 3):
        raise ValueError(
            f"{function_name(mechanism)}{signature(mechanism)} must accept the arguments (input, trials, "
            "seed), for example def f(x, trials, seed): ..."
        )
    if score is not None and not callable(score):
        raise ValueError(
            f"score is {score!r}; it must be None, or a function that maps outputs of shape (trials, d) to "
            "scores of shape (trials,)"
        )
    if score is not None and not accepts_arguments(score, 1):
        raise ValueError(
            f"the score {function_name(score)}{signature(score)} must accept exactly one argument, the outputs"
        )
    for side, given in (("left", left), ("right", right)):
        if isinstance(given, Iterator):
            raise ValueError(
                f"the {side} input is {given!r}, which can be read only once, but the mechanism is called many "
                "times; give a list"
            )
    demand_trials("trials (on each side)", trials, MIN_MECHANISM_TRIALS)
    checked_integer(seed, "seed", 0, 2**64 - 1)
    require_in_open_interval("risk", risk, 0, 1)
    for name, value, known in (("floating_point", floating_point, FLOATING_POINT), ("on_error", on_error, ON_ERROR)):
        if value not in known:
            raise ValueError(f"{name} is {value!r}; choose one of {', '.join(map(repr, known))}")
    if sequential and on_error == "output":
        raise ValueError("on_error='output' cannot be combined with sequential=True; omit sequential")
    says = claimed_curve(eps, delta, mu, curve)
    return MechanismAudit(
        mechanism, left, right, says, int(trials), int(seed), float(risk), score, floating_point, on_error
    )


def judge_mechanism(settings: MechanismAudit, batches: OutputBatches | None = None) -> tuple[Claim, Finding]:
    """Audits a mechanism; returns the claim that was checked, and the finding. batches: for a sequential audit."""
    name = settings.name
    source = Source("own", name, f"{name} is {derived.guarantee_name(settings.curve)}.")
    says = Private("two given inputs", "outputs", lambda _: settings.curve)
    claim = Claim(f"mechanism/{name}", source, says, expect=Verdict.CONSISTENT)
    if are_same_inputs(settings.left, settings.right):
        return claim, combined_with_event(claim, [Result(name, settings.curve, idle=SAME_INPUTS)])
    remarks = seed_remark(settings)
    if batches is None:
        numbers, bits = numbers_and_bits(settings)
    else:
        numbers, *looked = audit_in_batches(name, settings.curve, batches, settings.trials)
        bits = looked[0] if looked and numbers.sampled is not None else None
    breaks = bits is not None and bits_decide(numbers, bits)
    chosen = bits if bits is not None and breaks and settings.floating_point == "error" else numbers
    finding = combined_with_event(claim, [chosen])
    said = two_results(numbers, bits) if numbers.sampled is not None else ""
    scored = f"Score: {numbers.scored_by or 'none'}. " + (f"Bits: {bits.scored_by}. " if bits is not None else "")
    evidence: list[Item] = [text_item(f"{scored}{remarks}".strip())]
    if bits is not None:
        both = [each.instance for each in (numbers, bits)]
        evidence.insert(0, instances_table(both, "The mechanism, and its floating-point implementation"))
    summary = " ".join(filter(None, (finding.summary, said, remarks)))
    return claim, replace(finding, summary=summary, evidence=(*finding.evidence, *evidence))


def numbers_and_bits(settings: MechanismAudit) -> tuple[Result, Result | None]:
    """Audits the outputs as numbers and by their bits, each with a share of the risk; returns both results.
    The second result is None if bits are not tested, or if the numbers could not be tested."""
    calls = calls_for(settings.trials)
    outputs = outputs_of_calls(settings, calls)

    def audit_by_score(label: str, share: float, score: Scoring) -> Result:
        """Audits the outputs with one kind of score, at this share of the error probability, and returns the result."""
        own = replace(settings, risk=share * settings.risk)
        return audit_target(label, settings.curve, Calls(own, calls, outputs, score))

    numbers = audit_by_score(settings.name, 1 - BITS_SHARE if settings.bits else 1.0, score_outputs)
    if not settings.bits or numbers.sampled is None:
        return numbers, None
    return numbers, audit_by_score(f"{settings.name}{BITS_LABEL}", BITS_SHARE, score_bits)


def outputs_of_calls(settings: MechanismAudit, calls: int) -> DrawnTrials[list[Array]] | NotTestable:
    """Returns the outputs of the mechanism on either side, (trials, d).
    If different seeds give the same outputs, the reason why nothing can be certified."""
    sides = with_equal_widths(settings, *(drawn(settings, side, calls) for side in SIDES))
    if min(repeated_calls_p_value(side, calls) for side in sides) < RISK:
        return NotTestable(unfit=REPEATED_CALLS)
    both = zip(SIDES, sides, strict=True)
    return DrawnTrials([shuffled(outputs, calls, address(settings.seed, side)) for side, outputs in both])


@dataclass(frozen=True)
class Calls:
    """Audit target: a mechanism on two given inputs. It holds the outputs of a number of calls on either side, and the
    choice of the score."""

    asked: MechanismAudit
    calls: int
    outputs: DrawnTrials[list[Array]] | NotTestable
    scored: Scoring

    @property
    def level(self) -> float:
        """The probability with which the audit may refute a true claim: the requested risk."""
        return self.asked.risk

    def choose(self) -> Choice[tuple[object, object]]:
        """Returns the two inputs that the user gave, as the pair to audit."""
        return Choice((self.asked.left, self.asked.right))

    def draw(self, choice: Choice[tuple[object, object]]) -> DrawnTrials[list[Array]] | NotTestable:
        """Returns the outputs of both sides, which were drawn when this object was made."""
        return self.outputs

    def score(
        self, choice: Choice[tuple[object, object]], drawn: DrawnTrials[list[Array]], exactly: LawBounds
    ) -> Score:
        """Returns the scores of the drawn outputs, by the function `scored`.
        exactly: bounds by a law, which are not used."""
        with threadpool_limits(limits=1):  # a sum over several threads depends on how many there are
            return self.scored(self.asked, drawn.sides[0], drawn.sides[1], self.calls)


# -- in words ----------------------------------------------------------------------------------------------------------


def bits_decide(numbers: Result, bits: Result) -> bool:
    """Whether the floating-point implementation violates the claim, and no violation by the mechanism was found."""
    return bits.verdict is Verdict.REFUTED and numbers.verdict is not Verdict.REFUTED


def two_results(numbers: Result, bits: Result | None) -> str:
    """The verdicts on the mechanism and on its floating-point implementation, in one or two sentences."""
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
    """The certified lower bound on the claim's parameter, such as "eps >= 1.2"."""
    assert result.sampled is not None
    assert result.curve is not None
    _, shown, at = result.sampled.excess
    return derived.parameter_in_words(result.curve, shown, at, ">= ")
