"""Sentences and tables about findings, made from their data. All text about findings is generated here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from itertools import groupby
from math import isfinite

from dpbandits.reference.claims.findings import (
    INPUT_DIGITS,
    ArgumentFound,
    Assigned,
    Beginning,
    Beginnings,
    Bound,
    BoundedMean,
    CheckFound,
    Enclosure,
    Event,
    FormulaFound,
    FormulaProof,
    Found,
    Instance,
    InstanceParameter,
    LabelPart,
    Neighbours,
    OrderFound,
    Power,
    PrivacyFound,
    RegretFound,
    Sampled,
    Setting,
    Side,
    above,
    below,
    nearest,
    rounded,
    table_item,
)
from dpbandits.reference.claims.model import Basis, DifferenceLabel, Finding, Parameter, SettingLabel, Verdict
from dpbandits.reference.claims.records import Cell, ClaimRecord, Item, RegretRow, text_item

BRIEF_DIGITS, ENCLOSED_DIGITS = 4, 5  # of a number in a sentence; of one that is enclosed, if both ends share them
NEAR_MISS_SHARE = 0.9  # of what is claimed
NEAR_MISS_REMARK = (
    "The certified bound is close to the claim, so the mechanism may attain the claim exactly or violate it slightly. "
    "More trials (the ci profile, or `trials=`) or an exact law can distinguish these two cases."
)
NEIGHBOURS_TITLE = "The neighbouring inputs: what each arm pays"
EVENT_TITLE = "The event that distinguishes the two inputs"
BEGINNINGS_TITLE = "Beginnings of transcripts that distinguish the two inputs, and how often each occurred"


def counted(count: int, singular: str, plural: str) -> str:
    """A number with a word that agrees with it, such as "1 run" or "7 runs"."""
    return f"{count} {singular if count == 1 else plural}"


def list_in_words(parts: Sequence[str]) -> str:
    """The parts as a list in a sentence: "a", "a and b", "a, b and c"; "" for no parts."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def brief(bound: Bound) -> str:
    """A bound as text with few digits, rounded so that it is never stronger."""
    return "inf" if bound.value is None else f"{rounded(bound.value, bound.side, BRIEF_DIGITS):.{BRIEF_DIGITS}g}"


def where(bound: Bound) -> str:
    """The delta or order of a bound, as the end of a phrase: " at delta 1e-06"; "" if there is none."""
    return "" if bound.at is None else f" at {bound.place} {bound.at:.{BRIEF_DIGITS}g}"


def between(low: Bound, high: Bound) -> str:
    """An enclosed number as text: "1.1142" if both ends have these digits, "between 1.1 and 1.3", or "at least 1.1" if
    it may be infinite."""
    ends = ["inf" if end.value is None else f"{end.value:.6g}" for end in (low, high)]
    shared = ["inf" if end.value is None else f"{end.value:.{ENCLOSED_DIGITS}g}" for end in (low, high)]
    if shared[0] == shared[1]:
        return shared[0]
    return f"at least {ends[0]}" if high.value is None else f"between {ends[0]} and {ends[1]}"


def note_in_full(entry: ClaimRecord) -> str:
    """The reason for the expected verdict, and what holds instead, from the claim's record.
    "" if there is neither."""
    repair = entry.get("repair")
    return " ".join(filter(None, (in_one_line(entry["note"]), repair and f"Repair: {repair}")))


def in_one_line(note: str) -> str:
    """A note of several lines as one line of text."""
    return " ".join(note.split("\n"))


# -- privacy -----------------------------------------------------------------------------------------------------------


def instance_name(instance: Instance) -> str:
    """The name of an instance: its parameters, followed by the inputs that decided if they are not its own.
    "" for a given subject with its own inputs."""
    judged = f"with query values {instance.judged_at}" if instance.judged_at else ""
    return ", ".join(filter(None, (printed_name(instance), judged)))


def printed_name(instance: Instance | BoundedMean) -> str:
    """The instance's parameters as papers write them; its own name if it has no parameters."""
    return parameters_in_words(instance.parameters) or instance.name


def named(name: str, sentence: str) -> str:
    """The sentence about the instance `name`, as text "name: sentence".
    The sentence alone if the name is empty, as for a given subject."""
    return f"{name}: {sentence}" if name else sentence


def instance_summary(instance: Instance) -> str:
    """A sentence with the result for one instance."""
    if instance.promise is None:
        return named(instance_name(instance), "a precondition is false.")
    parts = [instance.wrong] if instance.wrong else []
    parts += [law_in_words(instance.law)] if instance.law is not None else []
    parts += [samples_in_words(instance.sampled)] if instance.sampled is not None else []
    parts += [instance.idle] if instance.idle else []
    parts += instance.remarks
    return named(instance_name(instance), f"{instance.promise.name} is claimed; {'; '.join(parts)}.")


def law_in_words(law: Enclosure) -> str:
    """A sentence that states the exact bounds on the privacy parameter, and the claimed value if it is exceeded."""
    against = f", above the claimed {law.claimed:.4g}" if law.refutes else ""
    return f"exact computation: {law.low.unit}{where(law.low)} is {between(law.low, law.high)}{against}"


def samples_in_words(sampled: Sampled) -> str:
    """A sentence that states what the samples certify, and whether it exceeds the claimed value."""
    against = f", more than the claimed {sampled.claimed:.4g}" if sampled.refutes else ""
    drawn = f" (query values {sampled.drawn_at})" if sampled.drawn_at else ""
    certified = sampled.certified.value or 0.0
    asked = ", for an event that was chosen by its law alone" if sampled.by_law and certified <= 0 else ""
    stopped, sign = (f" ({sampled.stopped})", ">") if sampled.stopped else (drawn, ">=")
    number = f"{sampled.certified.unit} {sign} {brief(sampled.certified)}{where(sampled.certified)}"
    return f"samples{stopped} certify {number}{asked}{against}"


def instance_resolution(instance: Instance) -> str:
    """A sentence about the smallest violation of an instance that samples would have detected; "" without samples."""
    sampled = instance.sampled
    if sampled is None or instance.promise is None:
        return ""
    runs = counted(sampled.trials, "fresh run", "fresh runs")
    confidence = f"{runs} on each of the two inputs and error probability {sampled.certified.risk:.2g}"
    claimed = instance.promise.name
    if not instance.power:
        return named(
            printed_name(instance), f"with {confidence}, samples could not have certified any violation of {claimed}."
        )
    those = " or ".join(map(violating, instance.power))
    pair = "On the pair of inputs found, the" if sampled.learnt and instance.search else "The"
    said = [
        f"this test would refute {claimed} with probability {instance.power[0].probability} for {those}.",
        f"{pair} test has {confidence}.",
        "The score of an output was learnt from samples, so the real power may be lower." if sampled.learnt else "",
        "For other mechanisms, the smallest detectable violation may be larger.",
        instance.search,
        NEAR_MISS_REMARK if is_near(instance) else "",
    ]
    return named(" for ".join(filter(None, ("Power", printed_name(instance)))), " ".join(filter(None, said)))


def is_near(instance: Instance) -> bool:
    """Whether the number that samples certify is close to the claimed number, but does not exceed it.
    Only if samples alone decided."""
    sampled = instance.sampled
    if sampled is None or instance.law is not None or instance.verdict != Verdict.CONSISTENT:
        return False
    certified = sampled.certified.value or 0.0
    return certified > 0 and certified >= NEAR_MISS_SHARE * (sampled.claimed or 0.0)


def violating(power: Power) -> str:
    """A description of the mechanism whose violation the samples would have detected."""
    kind = "" if "response" in power.mechanism else "mechanism "
    return f"a {power.mechanism} {kind}that is exactly {power.called}"


def privacy_summary(data: PrivacyFound) -> str:
    """Returns a sentence with the verdict and the result for the hardest instance.
    It states how many instances have this verdict."""
    chosen = data.instances[data.hardest]
    if len(data.instances) == 1:
        return instance_summary(chosen)
    alike, of = [each.verdict for each in data.instances].count(chosen.verdict), len(data.instances)
    how_many = "all" if alike == of else f"{alike} of"
    return f"{chosen.verdict} for {how_many} {of} instances. Hardest instance: {instance_summary(chosen)}"


def privacy_resolution(data: PrivacyFound) -> str:
    """A sentence about the violation that would have been detected at the hardest instance; "" without a test."""
    chosen = data.instances[data.hardest]
    if chosen.verdict == Verdict.NOT_EXERCISED and chosen.idle:
        return ""
    said = instance_resolution(chosen)
    return f"{said} The table lists every instance." if said and len(data.instances) > 1 else said


def instances_table(instances: Sequence[Instance], title: str = "Every instance") -> Item:
    """Returns the table with a row for every instance of an audit.
    Its numbers are those at one delta, or one order; what samples certify is shown with its own, and with what is
    claimed there, where they differ."""
    units = dict.fromkeys(each.promise.unit for each in instances if each.promise is not None)
    places = dict.fromkeys(each.law.low.place for each in instances if each.law is not None and each.law.low.place)
    place = " or ".join(places) or "delta"
    columns = [
        "instance",
        "claimed",
        nearest(" or ".join(units) or "claimed number"),
        nearest(f"at {place}"),
        below("exact, at least"),
        above("exact, at most"),
        below("certified from samples"),
        nearest(f"samples: at {place}"),
        nearest("samples: claimed there"),
        above("would be detected, at best"),
        "new runs per side",
        "verdict",
    ]
    return table_item(title, columns, [*map(instance_row, instances)])


def instance_row(instance: Instance) -> list[Cell]:
    """The row for one instance in the table of all instances."""
    law, sampled = instance.law, instance.sampled
    detectable = [each.violation.value for each in instance.power if each.violation.value is not None]
    promise = instance.promise
    elsewhere = sampled if sampled and promise and sampled.certified.at != promise.at else None
    return [
        instance_name(instance),
        "not applicable" if promise is None else promise.name,
        None if promise is None else promise.value,
        None if promise is None else promise.at,
        law.low.value if law else None,
        law.high.value if law else None,
        sampled.certified.value if sampled else None,
        elsewhere.certified.at if elsewhere else None,
        elsewhere.claimed if elsewhere else None,
        min(detectable, default=None),
        sampled.trials if sampled else None,
        instance.verdict,
    ]


def neighbours_table(pair: Neighbours) -> Item:
    """The table of neighbouring inputs, one row for each stretch of equal rewards."""
    columns = [pair.relation, *(f"arm {arm}" for arm in range(pair.arms))]
    return table_item(NEIGHBOURS_TITLE, columns, [[each.place, *each.rewards] for each in pair.stretches])


def event_table(event: Event) -> Item:
    """The table of how often the event occurred on either side, and the certified bound."""
    number = f"{event.certified.unit}{where(event.certified)}, certified from samples"
    columns = ["", nearest("left"), nearest("right"), "runs on either side", below(number)]
    row: list[Cell] = ["how often", event.left, event.right, event.runs, event.certified.value]
    return table_item(EVENT_TITLE, columns, [row])


def event_in_words(event: Event) -> str:
    """A line of text that states how often the event occurred on either side, and the certified bound."""
    often = f"P[event] {event.left:.3g} on the left against {event.right:.3g} on the right"
    shown = event.certified
    return f"{often}, in {event.runs} runs each: {shown.unit}{where(shown)} >= {brief(shown)}"


def beginning_in_words(beginning: Beginning) -> str:
    """A line of text with the frequencies of a beginning of transcripts on both sides."""
    return f"{beginning.released}: {beginning.left:.3g} on the left, {beginning.right:.3g} on the right"


def beginnings_table(data: Beginnings) -> Item:
    """The table of how often each beginning occurred in the runs of either side."""
    columns = [f"released in the first {data.length} steps", nearest("left"), nearest("right")]
    title = f"{BEGINNINGS_TITLE}, in {data.runs} runs on either side"
    return table_item(title, columns, [[each.released, each.left, each.right] for each in data.every])


# -- orders of an experiment's settings --------------------------------------------------------------------------------

AS_CLAIMED, REVERSED, UNDECIDED = "as claimed", "other way round", "undecided"


def label_parts(label: str) -> tuple[LabelPart, ...]:
    """The parts of a setting's label (texts and parameters) as a finding stores them; none for a plain text."""
    if isinstance(label, DifferenceLabel):
        return (LabelPart("({}) minus ({})".format(*map(printed_label, label.settings))),)
    parts = label.parts if isinstance(label, SettingLabel) else ()
    return tuple(
        LabelPart(each.text, each.name, float(each.value))
        if isinstance(each, Parameter)
        else LabelPart(each if isinstance(each, str) else each.printed)
        for each in parts
    )


def printed_label(label: str) -> str:
    """A setting's label as papers write it: "DP-SE, eps = 0.5, T = 3000"."""
    return parts_in_words(label_parts(label)) or label


def parts_in_words(parts: Sequence[LabelPart]) -> str:
    """The parts of a setting's label as one text, such as "DP-SE, eps = 0.5"; "" for none."""
    return ", ".join(f"{each.name} = {value_text(each.value)}" if each.name else each.text for each in parts)


def setting_name(setting: Setting) -> str:
    """A setting's name for use in a comparison: in parentheses if it has several parts."""
    name = parts_in_words(setting.parts)
    return f"({name})" if len(setting.parts) > 1 else name or setting.label


def order_summary(data: OrderFound) -> str:
    """A sentence with the number of comparisons certified as claimed, as reversed, and undecided."""
    words = [each.certified for each in data.orders]
    each_has = "has one run" if data.averaged == 1 else f"averages {data.averaged} runs"
    n = data.repetitions
    comparisons = counted(len(words), "comparison is", "comparisons are")
    text = (
        f"Sign tests over {n} paired repetitions compare the {data.quantity}. Each repetition {each_has} of each "
        f"setting. {words.count(AS_CLAIMED)} of {comparisons} certified as claimed. Certified as reversed: "
        f"{words.count(REVERSED)}; undecided: {words.count(UNDECIDED)}."
    )
    reversed_ones = [each for each in data.orders if each.certified == REVERSED]
    if not reversed_ones:
        return text
    worst = max(reversed_ones, key=lambda each: (each.reversed, -each.difference))
    settings = {each.label: each for each in data.settings}
    larger, smaller = settings[worst.smaller], settings[worst.larger]
    often = f"{worst.reversed} of {counted(n, 'repetition', 'repetitions')}"
    return (
        f"{text} {comparison_in_words(data.quantity, larger, smaller)} in {often} "
        f"(averages: {larger.average:.5g} and {smaller.average:.5g})."
    )


def comparison_in_words(quantity: str, larger: Setting, smaller: Setting) -> str:
    """A sentence which states that the quantity of `larger` was larger than the quantity of `smaller`."""
    more, less = setting_name(larger), setting_name(smaller)
    if larger.difference and smaller.difference:
        return f"The difference in {quantity}, {more}, was larger than the difference {less}"
    return f"The {quantity} of {more} was larger than that of {less}"


def order_resolution(data: OrderFound) -> str:
    """A sentence about the test's power: which reversed order would have been certified, with which probability."""
    all_agree = data.needed == data.repetitions > 1
    needed = f"all {data.needed}" if all_agree else f"at least {data.needed} of"
    needed += " repetitions" if all_agree else f" {counted(data.repetitions, 'repetition', 'repetitions')}"
    return (
        "Power: suppose that a claimed comparison is reversed on average, and that each single repetition reverses it "
        f"with probability {data.detectable:.2%}. Then this test certifies the reversed comparison with probability "
        f"{data.probability:g}. A comparison is certified if {needed} agree with it, and also the averages (exact "
        f"binomial test with error probability {data.risk:.2g} for each comparison)."
    )


def order_tables(data: OrderFound) -> tuple[Item, ...]:
    """Two tables: a row for every setting, and a row for every comparison."""
    spread = "standard deviation of one repetition"
    printed = {each.label: parts_in_words(each.parts) or each.label for each in data.settings}
    settings = table_item(
        f"The {data.quantity} of every setting",
        ["setting", nearest("average"), nearest(spread), "repetitions"],
        [[printed[each.label], each.average, each.spread, each.repetitions] for each in data.settings],
    )
    orders = table_item(
        f"Every comparison; {data.needed} of {data.repetitions} repetitions certify a comparison",
        [
            *("claimed smaller", "claimed larger", AS_CLAIMED, REVERSED, "tied"),
            nearest("larger minus smaller, on average"),
            "certified",
        ],
        [
            [
                *(printed[each.smaller], printed[each.larger], each.as_claimed, each.reversed, each.tied),
                *(each.difference, each.certified),
            ]
            for each in data.orders
        ],
    )
    return settings, orders


# -- an implementation against a law -----------------------------------------------------------------------------------


def shifts_in_words(data: CheckFound) -> str:
    """The error of a probability that would have been detected; "" if none is certain to be detected."""
    if data.every_step is None:
        return ""
    one, runs, steps = data.one_step, counted(data.runs, "run", "runs"), counted(data.steps, "step", "steps")
    off = "more than 0.5 (which none is: too few runs)" if one is None else f"about {one:.2g}"
    return (
        f"detected with probability {data.probability:g}: in one environment, a probability off by {off} in one step "
        f"of all {runs}, or by {data.every_step:.2g} in all {steps}"
    )


# -- formulas ----------------------------------------------------------------------------------------------------------

PROOFS_IN_WORDS = {
    FormulaProof.SAME_TEXT: "Both sides are the same expression.",
    FormulaProof.SAME_EXPRESSION: "Both sides are the same expression, by exact algebra.",
    FormulaProof.SAME_SQUARE: "Both sides have the same square, by exact algebra, and neither is negative.",
    FormulaProof.NONNEGATIVE_COEFFICIENTS: (
        "Proved by exact algebra. Each variable is expressed by a nonnegative variable t, for example x = lower bound "
        "+ t. In these variables, the right side minus the left side is at least a quotient of polynomials. The signs "
        "of the coefficients show that the quotient is nonnegative. If both sides of the claim are nonnegative, the "
        "proof may compare their squares instead."
    ),
    FormulaProof.SMALLER_POWERS: (
        "Both sides are products of powers. Exact algebra of their logarithms shows that the left side is at most the "
        "right side."
    ),
    FormulaProof.SAME_POWERS: "Both sides are the same product of powers, by exact algebra.",
    FormulaProof.DERIVATIVE: (
        "By exact algebra, the right side minus the left side is nonincreasing, or first rises from a nonnegative "
        "value and then falls. The right side minus the left side tends to 0 at infinity, so it is never negative."
    ),
}
TIGHTEST_TITLE = "Where it is tightest"
SMALLEST_DIFFERENCE = 1e-45  # relative: what arithmetic with 50 digits can tell apart for certain


def point_in_words(point: Sequence[Assigned]) -> str:
    """A point of a formula's domain: "n = 1, mean = 0.5"."""
    return ", ".join(f"{each.name} = {each.value}" for each in point) or "(no variables)"


def formula_summary(data: FormulaFound) -> str:
    """A sentence with the result for a formula."""
    if data.violated is not None:
        return violation_in_words(data)
    if data.proof is FormulaProof.SUBDIVISION:
        divided = "without subdividing it" if data.boxes == 1 else f"divided into {data.boxes} boxes"
        return f"Proved by interval arithmetic on the whole domain, {divided}."
    if data.proof is not None:
        return PROOFS_IN_WORDS[data.proof]
    if not data.applies:
        return "no point of the domain satisfies the preconditions"
    points = counted(data.tried, "point", "points")
    if data.difference is not None:
        return f"no difference found at {points}; 50-digit intervals overlap at every point evaluated"
    if data.tightest is None:
        return "no point was found at which the preconditions hold and the statement is defined"
    return (
        f"not refuted at {points}; {share(data.closed)} of the domain proved by interval arithmetic; "
        f"smallest relative slack {data.tightest.slack:.3g} at {point_in_words(data.tightest.point)}"
    )


def violation_in_words(data: FormulaFound) -> str:
    """A sentence about a point at which a formula fails, with the values of both sides there."""
    assert data.violated is not None
    at = f"violated at {point_in_words(data.violated.point)}" if data.violated.point else "violated"
    if not data.violated.certified:
        return f"{at} in intervals, but not certified, so not refuted"
    within = f" within {data.within}" if data.within else ""
    sides = f"left = {data.violated.left}, right = {data.violated.right}"
    return f"{at}: {sides}, but left {data.relation} right{within} is claimed"


def formula_resolution(data: FormulaFound) -> str:
    """A sentence about the smallest violation that a search would have found; "" if the verdict is exact."""
    if data.violated is not None or data.proof is not None or not data.applies:
        return ""
    if data.difference is not None:
        seen = rounded(max(data.difference, SMALLEST_DIFFERENCE), Side.ABOVE, 2)
        return f"a relative difference above {seen:.1e} at one of the points evaluated exactly"
    if data.tightest is None:
        return ""
    points = counted(data.tried, "point", "points")
    return (
        f"any violation beyond the rounding of doubles at one of {points} searched; "
        f"{share(data.open)} of the domain is open"
    )


def formula_limits(data: FormulaFound) -> tuple[Item, ...]:
    """The parts of the domain that were not searched, or on which the formula is undefined; one text for each."""
    said = []
    if data.undefined_at is not None:
        at = point_in_words(data.undefined_at)
        said.append(f"The statement is undefined in part of its domain, for example at {at}.")
    if data.limited:
        said.append(f"Limited search: {data.limited}.")
    if data.combinations:
        said.append(f"Of the whole-number variables, {data.combinations} combinations were tried, not all.")
    return tuple(text_item(sentence) for sentence in said)


def formula_tables(data: FormulaFound) -> tuple[Item, ...]:
    """The table of the point at which a formula that was neither proved nor refuted comes closest to failing."""
    if data.tightest is None or not formula_resolution(data) or data.difference is not None:
        return ()
    columns = [*(each.name for each in data.tightest.point), "relative slack"]
    row = [*(each.value for each in data.tightest.point), f"{data.tightest.slack:.3g}"]
    return (table_item(TIGHTEST_TITLE, columns, [row]),)


def share(part: float) -> str:
    """The fraction `part` as a percentage that is rounded to 0 % or 100 % only if it is 0 or 1."""
    if part <= 0 or part >= 1:
        return "0 %" if part <= 0 else "100 %"
    return f"{min(max(100 * part, 0.0001), 99.99):.4g} %"


# -- bounds on expectations --------------------------------------------------------------------------------------------


def regret_summary(data: RegretFound) -> str:
    """Returns a sentence with the result for the instance that is closest to its bound.
    It states how many bounds hold trivially."""
    trivial = [each for each in data.instances if each.mean is None and each.verdict != Verdict.NOT_APPLICABLE]
    if data.hardest is not None:
        said = mean_in_words(data, data.instances[data.hardest])
        return said + (f" {len(trivial)} of {len(data.instances)} instances hold trivially." if trivial else "")
    return trivial_in_words(data, trivial) if trivial else "A precondition is false at every instance."


def trivial_in_words(data: RegretFound, trivial: Sequence[BoundedMean]) -> str:
    """A sentence that gives the reason why no simulation is needed: no policy can exceed the bounds."""
    first = trivial[0]
    bound = f"{first.bound:.4g}" if first.bound is not None else "inf"
    beyond = (
        f"the bound is {bound} and no policy's expected {data.quantity} exceeds {first.most:.4g}"
        if data.upper
        else f"the bound is {bound} and every policy's expected {data.quantity} is at least {first.least:.4g}"
    )
    if len(trivial) == 1:
        return f"The claim holds trivially, because {beyond}."
    every = "both" if len(trivial) == 2 else f"all {len(trivial)}"
    return f"The claim holds trivially at {every} instances to which it applies. For example, {beyond}."


def mean_in_words(data: RegretFound, instance: BoundedMean) -> str:
    """A sentence with the mean of an instance's runs, its certified limit, and the claimed bound."""
    runs = counted(instance.runs, "run", "runs")
    low, high = ("lower", "upper") if data.upper else ("upper", "lower")
    certified = instance.low if data.upper else instance.high
    return (
        f"{printed_name(instance)}: the mean {data.quantity} of {runs} is {instance.mean:.6g}. The certified {low} "
        f"bound on the expectation is {certified:.6g}, and the claimed {high} bound is {instance.bound:.6g}."
    )


def regret_resolution(data: RegretFound) -> str:
    """A sentence about the runs that would have refuted the bounds; "" if nothing was played."""
    parts = [
        f"{printed_name(each)}: {refuting_in_words(data, each)}." for each in data.instances if each.mean is not None
    ]
    return f"{' '.join(parts)} The error probability of each test is {data.risk:.2g}." if parts else ""


def refuting_in_words(data: RegretFound, instance: BoundedMean) -> str:
    """The runs of an instance that would have refuted its bound."""
    runs = counted(instance.runs, "run", "runs")
    if instance.refuting is None:
        return f"no outcome of {runs} could have refuted the bound {instance.bound:.6g}"
    if instance.refuting.runs is None:
        side = "above" if data.upper else "below"
        return (
            f"with {runs}, this test refutes the bound {instance.bound:.6g} if the {data.quantity} of every run is "
            f"{side} {instance.refuting.mean:.6g}"
        )
    side, more = ("more", "at least") if data.upper else ("less", "at most")
    wrong = data.quantity == "error probability"
    event = "the recommendation is wrong" if wrong else f"the {data.quantity} has the larger of its two values"
    return (
        f"this test refutes the bound {instance.bound:.6g} if {event} in {more} {instance.refuting.runs} of {runs}. "
        f"A true expectation of {instance.refuting.detected:.4g} or {side} would be detected with probability "
        f"{instance.refuting.probability:g}"
    )


def regret_item(data: RegretFound) -> Item:
    """The table of all instances of a regret claim: means with certified limits, and bounds."""
    rows: list[RegretRow] = [
        {
            "label": printed_name(each),
            "mean": each.mean,
            "low": each.low,
            "high": each.high,
            "bound": each.bound,
            "ratio": each.ratio,
            "trials": each.runs,
        }
        for each in data.instances
    ]
    return {"kind": "regret", "title": f"{data.quantity} and its bound", "rows": rows}


# -- arguments ---------------------------------------------------------------------------------------------------------


def argument_summary(data: ArgumentFound) -> str:
    """The argument in words if it holds, otherwise a sentence that a step was not shown."""
    if data.holds:
        return data.words
    return f"A step of the {'proof' if data.of_formula else 'argument'} was not shown."


def argument_tables(data: ArgumentFound) -> tuple[Item, ...]:
    """The table of the argument's steps: how each is decided, and whether it holds."""
    if not data.steps:
        return ()
    title = f"The {'proof' if data.of_formula else 'argument'}'s steps"
    rows = [[step.words, step.by, "yes" if step.holds else "not shown"] for step in data.steps]
    return (table_item(title, ["step", "by", "holds"], rows),)


# -- all kinds ---------------------------------------------------------------------------------------------------------


def summary_of(data: Found) -> str:
    """The summary of a finding, made from its data: the result in one or two sentences."""
    match data:
        case PrivacyFound():
            return privacy_summary(data)
        case OrderFound():
            return order_summary(data)
        case FormulaFound():
            return formula_summary(data)
        case RegretFound():
            return regret_summary(data)
        case ArgumentFound():
            return argument_summary(data)
        case CheckFound():
            return ""  # the check writes its own summary; it is no statement of a paper


def resolution_of(data: Found) -> str:
    """A sentence about the smallest violation that would have been detected; "" if the verdict is exact."""
    match data:
        case PrivacyFound():
            return privacy_resolution(data)
        case OrderFound():
            return order_resolution(data)
        case FormulaFound():
            return formula_resolution(data)
        case RegretFound():
            return regret_resolution(data)
        case CheckFound():
            return shifts_in_words(data)
        case ArgumentFound():
            return ""


def items_of(data: Found) -> tuple[Item, ...]:
    """The tables and texts with all results of a finding, made from its data, as evidence."""
    match data:
        case PrivacyFound():
            return (instances_table(data.instances),)
        case OrderFound():
            return order_tables(data)
        case FormulaFound():
            return (*formula_limits(data), *formula_tables(data))
        case RegretFound():
            return (regret_item(data),)
        case ArgumentFound():
            return argument_tables(data)
        case CheckFound():
            return ()


def finding_of(
    claim: str,
    verdict: Verdict,
    body: Found,
    evidence: Sequence[Item] = (),
    rests_on: tuple[Basis, ...] = (),
) -> Finding:
    """The finding with this verdict, whose summary, tables and resolution are made from the data `body`."""
    items = (*items_of(body), *evidence)
    return Finding(claim, verdict, summary_of(body), items, resolution_of(body), rests_on=rests_on, body=body)


# -- values ----------------------------------------------------------------------------------------------------------


# Parameters as the papers write them. Others with a short name, or a Greek letter's, are written "name = value".
PARAMETER_SYMBOLS = {
    **{"arms": "K", "horizon": "T", "prepulls": "b", "variance": "c"},
    **{"for_mean": "c_H", "for_noise": "c_L"},
}
PARAMETER_WORDS = {
    **{"pulls": "pull counts", "used": "own pulls"},
    **{"others": "the others' pulls", "reward": "reward", "features": "features", "means": "means"},
    **{"scales": "scales", "sensitivities": "sensitivities", "shape": "shape", "rates": "rates"},
    **{"sizes": "sizes", "chances": "probabilities"},
}
SIDES = ("left", "right")  # what the two neighbours have: inputs, or reward totals beside pull counts
ENVIRONMENT = "environment"
ENVIRONMENT_WORDS = {
    "TruncatedExponential": "truncated exponential",
    "TwoPoint": "two-point",
}  # of the classes whose names are no words
MAX_LISTED_EQUALS = 6  # equal numbers in a row that are written out
LARGE_INTEGER, LARGEST_SHORT_INTEGER = 10**6, 10**300


def instance_parameters(instance: Mapping[str, object]) -> tuple[InstanceParameter, ...]:
    """The parameters of an instance in the form that findings store."""
    found: list[InstanceParameter] = []
    for name, value in instance.items():
        if name == ENVIRONMENT and is_dataclass(value):
            found.append(InstanceParameter(name, type(value).__name__))
            found += [InstanceParameter(each.name, plain_value(getattr(value, each.name))) for each in fields(value)]
        else:
            found.append(InstanceParameter(name, plain_value(value)))
    return tuple(found)


def plain_value(value: object) -> int | float | str | tuple[object, ...]:
    """A parameter's value as findings store it: a number, a text, or a tuple of these."""
    if isinstance(value, tuple | list):
        return tuple(map(plain_value, value))
    return value if isinstance(value, int | str) or (isinstance(value, float) and isfinite(value)) else str(value)


def parameters_in_words(parameters: Sequence[InstanceParameter]) -> str:
    """The parameters as papers write them: "K = 2, T = 10", "Bernoulli rewards with means (0.9, 0.4)"; "" for none."""
    values = {
        each.name: value_text(with_short_integers(each.value), format_repeated=repeated_in_words) for each in parameters
    }
    said: list[str] = []
    joint = ""  # between the kind of rewards and their own parameters
    for name, value in values.items():
        if name == ENVIRONMENT:
            said.append(f"{ENVIRONMENT_WORDS.get(value, value)} rewards")
            joint = " with "
        elif name == SIDES[0]:
            both = " and ".join(values[side] for side in SIDES if side in values)
            said.append(f"{'reward totals' if 'pulls' in values else 'inputs'} {both}")
        elif name in PARAMETER_WORDS:
            words = f"{PARAMETER_WORDS[name]} {value}"
            if joint:
                said[-1] += joint + words
                joint = " and "
            else:
                said.append(words)
        elif name not in SIDES:
            said.append(f"{PARAMETER_SYMBOLS.get(name, name)} = {value}")
    return ", ".join(said)


def repeated_in_words(one: str, count: int, first: bool) -> str:
    """The text `one` repeated `count` times; many times in words, such as "99 zeros" or "99 times 1".
    first: whether nothing is in front, so that "then" is not needed."""
    if count <= MAX_LISTED_EQUALS:
        return ", ".join([one] * count)
    return f"{'' if first else 'then '}{f'{count} zeros' if one == '0' else f'{count} times {one}'}"


def instance_in_words(instance: Mapping[str, object]) -> str:
    """The parameters of an instance as papers write them; "" for none."""
    return parameters_in_words(instance_parameters(instance))


def with_short_integers(value: object) -> object:
    """The value, with each integer of many zeros as a float, so that 100000000 is written 1e+08."""
    if isinstance(value, tuple):
        return tuple(map(with_short_integers, value))
    large = isinstance(value, int) and LARGE_INTEGER <= abs(value) < LARGEST_SHORT_INTEGER
    return float(value) if large and float(f"{value:.6g}") == value else value  # type: ignore[arg-type, str-format]


def instance_text(instance: Mapping[str, object]) -> str:
    """The parameters of an instance as a short text that identifies it; random seeds depend on this text."""
    return ", ".join(f"{name}={value_text(value)}" for name, value in instance.items()) or "the subject"


def input_text(value: object) -> str:
    """An input, or a tuple of inputs, as text that a user can type in again."""
    return value_text(value, f"{{:.{INPUT_DIGITS}g}}".format)


def repeated_text(one: str, count: int, first: bool) -> str:
    """The text `one` repeated `count` times, in short: "1, 1" or "99 times 1". Random seeds depend on this text."""
    return ", ".join([one] * count) if count < 4 else f"{count} times {one}"


def value_text(
    value: object,
    format_float: Callable[[float], str] = "{:.6g}".format,
    format_repeated: Callable[[str, int, bool], str] = repeated_text,
) -> str:
    """A value as a short text. format_float: writes a float. format_repeated: writes equal values in a row."""
    if isinstance(value, float):
        return format_float(value)
    if isinstance(value, tuple | list):
        groups = enumerate(groupby(value_text(one, format_float, format_repeated) for one in value))
        return f"({', '.join(format_repeated(text, len(list(alike)), place == 0) for place, (text, alike) in groups)})"
    return str(value)
