"""The result of auditing one instance: its numbers, and the verdict that follows from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dpbandits.audit.play.transcripts import BothSides
from dpbandits.audit.statistics.events import CertifiedTrials
from dpbandits.audit.statistics.resolution import RESOLUTION_POWER, Resolution
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.policy import Step
from dpbandits.reference.claims.findings import (
    Bound,
    Enclosure,
    Instance,
    InstanceParameter,
    Power,
    Promise,
    Sampled,
    Side,
    rounded,
    stored,
)
from dpbandits.reference.claims.model import Basis, Verdict, distinct_bases
from dpbandits.reference.claims.records import Certificate
from dpbandits.reference.claims.text import input_text, value_text
from dpbandits.reference.curves import Curve, derived
from dpbandits.reference.curves.curve import Bounds, ExactPrivacy

AS_NUMBERS = "The values are compared as real numbers. The bits of their floating-point form were not examined."
BY_LAW, BY_SAMPLES = "law", "samples"
NOTHING = 1e-9  # an exact delta(0) below this is none: the engine's own rounding is near 1e-11


class Judged(NamedTuple):
    """The inputs on which a one-shot mechanism was judged. by: BY_LAW or BY_SAMPLES. moved: whether these inputs differ
    from those of the claim's own instance, as they may, because the claim is about all inputs."""

    by: str
    left: tuple[float, ...]
    right: tuple[float, ...]
    moved: bool

    @property
    def place(self) -> str:
        """The two inputs of the audit, left and right, as a short text."""
        return f"{value_text(self.left)} and {value_text(self.right)}"

    def row(self, label: str) -> list[str]:
        """Returns a row of the table of inputs: the label, the method, and both inputs."""
        return [label, self.by, *map(input_text, (self.left, self.right))]


def judged_in_ways(step: Step, own: Step, *ways: str) -> tuple[Judged, ...]:
    """Returns, for each method that audited this step, a record with the method's name and the step's two inputs.
    own: the claim's own instance; each record states whether the step is another one."""
    left, right = (tuple(map(float, side)) for side in (step.left, step.right))
    return tuple(Judged(by, left, right, step is not own) for by in ways)


class Result(NamedTuple):
    """One instance's audit. Missing parts are None. `wrong` is the reason for a refutation that is no privacy violation
    (behaviour that does not follow the law)."""

    label: str
    curve: Curve | None
    sampled: CertifiedTrials | None = None
    bounds: Bounds | None = None
    exact: ExactPrivacy | None = None
    wrong: str = ""
    idle: str = ""  # why nothing was tested; empty where something was
    same: str = ""  # why nothing that is released can tell anything; empty where something may
    certificate: Callable[[], Certificate | None] | None = None  # makes one; costs time
    learnt: bool = False  # whether the score was learnt from search trials, for want of a law
    by_law: bool = False  # whether the score is what the subject's own law says, right or wrong
    looked: str = ""  # how the pair was searched for, and what is to be known about the trials
    unfit: str = ""  # why this subject cannot be judged by trials; empty where it can
    unsaid: str = ""  # why samples decide alone about a subject that has a law; empty where they do not
    pair: Pair | None = None  # whose sides are told apart; None for no tables of rewards
    sampled_pair: Pair | None = None  # whose sides the samples are of, which may be another one than the law's worst
    releases: Callable[[], BothSides] | None = None  # what comes out on either side of `pair`, in as many runs
    scored_by: str = ""  # the score that certifies, where there were several
    judged: tuple[Judged, ...] = ()  # what a one-shot mechanism was given, in each way that it was judged
    arms: int | None = None  # of an instance with pull counts: of how many arms
    parameters: tuple[InstanceParameter, ...] = ()  # of the instance

    @property
    def sampled_at(self) -> str:
        """Returns the inputs of the samples as text; "" if all methods judged the same inputs."""
        places = {each.by: each.place for each in self.judged}
        return places[BY_SAMPLES] if len(set(places.values())) > 1 else ""

    @property
    def refuted_by_law(self) -> bool:
        """Whether exact computation shows a violation of the claim."""
        return self.bounds is not None and self.bounds.refutes

    @property
    def refuted_by_samples(self) -> bool:
        """Whether samples certify a violation of the claim."""
        return self.sampled is not None and self.sampled.excess.amount > 0

    @property
    def verdict(self) -> Verdict:
        """The verdict on this instance.
        A contradiction of the claim counts first, then a reason why the claim was not tested."""
        if self.curve is None or self.unfit:
            return Verdict.NOT_APPLICABLE
        if self.wrong or self.refuted_by_samples or self.refuted_by_law:
            return Verdict.REFUTED
        if self.same:
            return Verdict.CONSISTENT
        if self.idle and not told_apart_by(self.bounds):
            return Verdict.NOT_EXERCISED
        known = self.bounds is not None and (self.bounds.low > 0 or self.bounds.high < np.inf)
        return Verdict.CONSISTENT if self.caught or known else Verdict.NOT_EXERCISED

    @property
    def rests_on(self) -> tuple[Basis, ...]:
        """The evidence that decided the verdict."""
        if self.verdict is Verdict.CONSISTENT:
            by_law, by_samples = self.bounds is not None, self.sampled is not None
        elif self.verdict is Verdict.REFUTED:
            by_law, by_samples = self.refuted_by_law, bool(self.wrong) or self.refuted_by_samples
        else:
            return ()
        return distinct_bases(*[Basis.EXACT_LAW] * by_law, *[Basis.SAMPLES] * by_samples)

    @property
    def pressure(self) -> float:
        """Returns the ratio of the certified parameter to the claimed one, 0 if nothing is certified."""
        ratios = [0.0]
        if self.bounds is not None:
            ratios.append(self.bounds.low / max(self.bounds.claimed, 1e-9))
        if self.sampled is not None:
            amount, shown, _ = self.sampled.excess
            ratios.append(min(1e9, shown / max(shown - amount, 1e-9)))
        return max(ratios)

    @property
    def caught(self) -> list[Resolution]:
        """Returns the violations that the samples would have detected, by kind of mechanism; none without samples."""
        return [each for each in self.sampled.resolutions if np.isfinite(each.value)] if self.sampled else []

    @property
    def instance(self) -> Instance:
        """Returns the audit of this instance as a record, without figures; bounds are rounded to their safe side."""
        remarks = tuple(filter(None, (self.same, self.unfit, self.unsaid)))
        first = next(iter(self.judged), None)
        about = Instance(
            self.label, str(self.verdict), None, self.arms, first.place if first is not None and first.moved else "",
            wrong=self.wrong, idle=self.idle, remarks=remarks, search=self.looked, parameters=self.parameters,
        )  # fmt: skip
        if self.curve is None:
            return about
        return replace(
            about, promise=self.promise(self.curve), law=self.enclosure(self.curve), sampled=self.certified(self.curve),
            power=self.power(self.curve),
        )  # fmt: skip

    def promise(self, curve: Curve) -> Promise:
        """Returns the claimed guarantee with its number, at the delta or order that was examined.
        It is determined by the exact bounds if there are any, otherwise by the samples."""
        claimed: float | None = None
        at = np.nan
        numbers, places = curve.claimed_parameters()
        if self.bounds is not None:
            claimed, at = self.bounds.claimed, self.bounds.at
        elif self.sampled is not None:
            amount, shown, at = self.sampled.excess
            claimed = shown - amount
        elif len(numbers) == 1:
            claimed, at = float(numbers[0]), float(places[0])
        return Promise(derived.guarantee_name(curve), derived.parameter_name(curve), stored(claimed), stored(at))

    def enclosure(self, curve: Curve) -> Enclosure | None:
        """The exact bounds by the law; None if no law was used."""
        if self.bounds is None:
            return None
        low, high, claimed, at = self.bounds
        below = bound_of(curve, low, Side.BELOW, at, Basis.EXACT_LAW)
        above = bound_of(curve, high, Side.ABOVE, at, Basis.EXACT_LAW)
        return Enclosure(below, above, stored(claimed), self.bounds.refutes)

    def certified(self, curve: Curve) -> Sampled | None:
        """Returns the bound that samples certify for the curve's parameter; None if no samples were drawn."""
        if self.sampled is None:
            return None
        amount, shown, at = map(float, self.sampled.excess)
        return Sampled(
            bound_of(curve, shown, Side.BELOW, at, Basis.SAMPLES, self.sampled.level),
            stored(shown - amount),
            amount > 0,
            self.sampled.trials,
            self.sampled_at,
            self.sampled.stopped,
            self.learnt,
            self.by_law,
        )

    def power(self, curve: Curve) -> tuple[Power, ...]:
        """The violations that samples would have detected, by kind of mechanism."""
        return tuple(
            Power(
                bound_of(curve, value, Side.ABOVE, at), curve.format_parameter(value, at), mechanism, RESOLUTION_POWER
            )
            for value, at, mechanism in self.caught
        )


def bound_of(curve: Curve, value: float, side: Side, at: float, method: str = "", risk: float = 0.0) -> Bound:
    """A record of a bound on the curve's parameter at this delta or order.
    side: the side of `value` on which the truth lies."""
    return Bound(
        stored(value, side),
        side,
        derived.parameter_name(curve),
        stored(at),
        derived.index_name(curve),
        method,
        rounded(risk, Side.ABOVE),
    )


def told_apart_by(bounds: Bounds | None) -> bool:
    """Whether the exact bounds prove that the two sides have different distributions.
    At delta 0 a difference in improbable outcomes suffices."""
    return bounds is not None and bounds.low > NOTHING
