"""Sentences and tables about what was found, made from its fields: the one place where numbers become words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpbandits.reference.claims.findings import (
    Beginning,
    Beginnings,
    Bound,
    CheckFound,
    Enclosure,
    Event,
    Instance,
    Neighbours,
    OrderFound,
    Power,
    PrivacyFound,
    Sampled,
    above,
    below,
    nearest,
    rounded,
    table_item,
)
from dpbandits.reference.claims.model import Verdict

BRIEF_DIGITS, ENCLOSED_DIGITS = 4, 5  # of a number in a sentence; of one that is enclosed, if both ends share them
NEAR_MISS_SHARE = 0.9  # of what is claimed
NEAR_MISS_REMARK = (
    "the certified bound is close to the claim, as for a mechanism that attains the claim or violates it slightly; "
    "more trials (the ci profile, or `trials=`) or an exact law distinguish the two"
)
NEIGHBOURS_TITLE = "The neighbouring inputs: what each arm pays"
EVENT_TITLE = "The event that tells the two inputs apart"
BEGINNINGS_TITLE = "Beginnings of transcripts that tell the two inputs apart: how often each came"


def counted(many: int, one: str, several: str) -> str:
    """A count with the words that agree with it: "1 run is", "7 runs are"."""
    return f"{many} {one if many == 1 else several}"


def brief(bound: Bound) -> str:
    """A bound with few digits, rounded toward its side: never into a stronger one."""
    return "inf" if bound.value is None else f"{rounded(bound.value, bound.side, BRIEF_DIGITS):.{BRIEF_DIGITS}g}"


def where(bound: Bound) -> str:
    """The place that a bound belongs to, as the end of a phrase: " at delta 1e-06"; empty where there is none."""
    return "" if bound.at is None else f" at {bound.place} {bound.at:.3g}"


def between(low: Bound, high: Bound) -> str:
    """What is known of an enclosed number: "1.1142", where both ends have these digits, or "between 1.1 and 1.3"."""
    ends = ["inf" if end.value is None else f"{end.value:.6g}" for end in (low, high)]
    shared = ["inf" if end.value is None else f"{end.value:.{ENCLOSED_DIGITS}g}" for end in (low, high)]
    return shared[0] if shared[0] == shared[1] else f"between {ends[0]} and {ends[1]}"


def note_in_full(entry: Mapping[str, Any]) -> str:
    """Why a verdict is expected, and what holds instead, of an entry of a findings document; empty for neither."""
    repair = entry.get("repair")
    return " ".join(filter(None, (entry["note"], repair and f"Repair: {repair}")))


# -- privacy -----------------------------------------------------------------------------------------------------------


def instance_name(instance: Instance) -> str:
    """The instance, and the inputs that decided, where they are not its own; empty for a given subject at its own."""
    judged = f"judged at {instance.judged_at}" if instance.judged_at else ""
    return ", ".join(filter(None, (instance.name, judged)))


def named(name: str, said: str) -> str:
    """What is said of an instance, after its name; what is said alone of a given subject, which has none."""
    return f"{name}: {said}" if name else said


def instance_summary(instance: Instance) -> str:
    """What was found about one instance, in a sentence."""
    if instance.promise is None:
        return named(instance_name(instance), "a precondition is false.")
    parts = [instance.wrong] if instance.wrong else []
    parts += [law_in_words(instance.law)] if instance.law is not None else []
    parts += [samples_in_words(instance.sampled)] if instance.sampled is not None else []
    parts += [instance.idle] if instance.idle else []
    parts += instance.remarks
    return named(instance_name(instance), f"{instance.promise.name} claimed; {'; '.join(parts)}.")


def law_in_words(law: Enclosure) -> str:
    against = f", and the claim is {law.claimed:.4g}" if law.refutes else ""
    return f"by its exact law, {law.low.unit}{where(law.low)} is {between(law.low, law.high)}{against}"


def samples_in_words(sampled: Sampled) -> str:
    against = f", more than the claimed {sampled.claimed:.4g}" if sampled.refutes else ""
    drawn = f", drawn at {sampled.drawn_at}," if sampled.drawn_at else ""
    certified = sampled.certified.value or 0.0
    asked = ", where its own law alone was asked what to look for" if sampled.by_law and certified <= 0 else ""
    more = f" ({sampled.stopped}) certify more than" if sampled.stopped else f"{drawn} certify"
    number = f"{sampled.certified.unit} {brief(sampled.certified)}{where(sampled.certified)}"
    return f"samples{more} {number}{asked}{against}"


def instance_resolution(instance: Instance) -> str:
    """The smallest violation that would have been detected; empty where no samples were drawn."""
    sampled = instance.sampled
    if sampled is None or instance.promise is None:
        return ""
    runs = counted(sampled.trials, "new run", "new runs")
    confidence = f"{runs} per side, error probability {sampled.certified.risk:.2g}"
    claimed = instance.promise.name
    if not instance.power:
        return named(instance.name, f"no violation of {claimed} could have been certified from samples ({confidence})")
    looked = f"; {instance.search}" if instance.search else ""
    own = "; the score was learnt, so the real power may be lower" if sampled.learnt else ""
    those = ", or ".join(map(violating, instance.power))
    close = f"; {NEAR_MISS_REMARK}" if is_near(instance) else ""
    pair = " on the pair found" if sampled.learnt and instance.search else ""
    return named(
        instance.name,
        f"power: {those} would be detected with probability {instance.power[0].probability}{pair} "
        f"against a claim of {claimed} ({confidence}){own}; other mechanisms may need a larger violation{looked}"
        f"{close}",
    )


def is_near(instance: Instance) -> bool:
    """Whether samples alone decided, and what they certify comes near to the claim without passing it."""
    sampled = instance.sampled
    if sampled is None or instance.law is not None or instance.verdict != Verdict.CONSISTENT:
        return False
    certified = sampled.certified.value or 0.0
    return certified > 0 and certified >= NEAR_MISS_SHARE * (sampled.claimed or 0.0)


def violating(power: Power) -> str:
    """The mechanism that would have been detected."""
    kind = "" if "response" in power.mechanism else "mechanism "
    return f"a {power.mechanism} {kind}that is exactly {power.called}"


def privacy_summary(found: PrivacyFound) -> str:
    """The hardest instance in a sentence, and how many came out like it."""
    chosen = found.instances[found.hardest]
    if len(found.instances) == 1:
        return instance_summary(chosen)
    alike = [each.verdict for each in found.instances].count(chosen.verdict)
    return f"{alike} of {len(found.instances)} instances {chosen.verdict}. Hardest: {instance_summary(chosen)}"


def privacy_resolution(found: PrivacyFound) -> str:
    """What would have been detected at the hardest instance; empty where nothing was tested."""
    chosen = found.instances[found.hardest]
    if chosen.verdict == Verdict.NOT_EXERCISED and chosen.idle:
        return ""
    said = instance_resolution(chosen)
    return f"{said}; the table says it for every instance" if said and len(found.instances) > 1 else said


def instances_table(instances: Sequence[Instance], title: str = "Every instance") -> dict[str, Any]:
    """A row for every instance."""
    units = dict.fromkeys(each.promise.unit for each in instances if each.promise is not None)
    columns = [
        "instance",
        "claimed",
        nearest(" or ".join(units) or "claimed number"),
        below("exact, at least"),
        above("exact, at most"),
        below("certified from samples"),
        above("would be caught, at best"),
        "fresh trials a side",
        "verdict",
    ]
    return table_item(title, columns, [*map(instance_row, instances)])


def instance_row(instance: Instance) -> list[Any]:
    """One line of the table of all instances."""
    law, sampled = instance.law, instance.sampled
    detectable = [each.violation.value for each in instance.power if each.violation.value is not None]
    return [
        instance_name(instance),
        "not applicable" if instance.promise is None else instance.promise.name,
        None if instance.promise is None else instance.promise.value,
        law.low.value if law else None,
        law.high.value if law else None,
        sampled.certified.value if sampled else None,
        min(detectable, default=None),
        sampled.trials if sampled else None,
        instance.verdict,
    ]


def neighbours_table(pair: Neighbours) -> dict[str, Any]:
    """A line for each stretch of equal rewards."""
    columns = [pair.relation, *(f"arm {arm}" for arm in range(pair.arms))]
    return table_item(NEIGHBOURS_TITLE, columns, [[each.place, *each.rewards] for each in pair.stretches])


def event_table(event: Event) -> dict[str, Any]:
    """How often the event came about on either side, and what that certifies."""
    number = f"{event.certified.unit}{where(event.certified)}, certified from samples"
    columns = ["", nearest("left"), nearest("right"), "runs on either side", below(number)]
    row = ["how often", event.left, event.right, event.runs, event.certified.value]
    return table_item(EVENT_TITLE, columns, [row])


def event_in_words(event: Event) -> str:
    """How often the event came about, and what that certifies, in a line."""
    often = f"P[event] {event.left:.3g} on the left against {event.right:.3g} on the right"
    shown = event.certified
    return f"{often}, in {event.runs} runs each: {shown.unit}{where(shown)} >= {brief(shown)}"


def beginning_in_words(each: Beginning) -> str:
    """How often transcripts began so, in a line."""
    return f"{each.released}: {each.left:.3g} on the left, {each.right:.3g} on the right"


def beginnings_table(found: Beginnings) -> dict[str, Any]:
    """How often each beginning came among the runs of either side."""
    columns = [f"released in the first {found.length} steps", nearest("left"), nearest("right")]
    title = f"{BEGINNINGS_TITLE}, in {found.runs} runs on either side"
    return table_item(title, columns, [[each.released, each.left, each.right] for each in found.every])


# -- orders of an experiment's settings --------------------------------------------------------------------------------

AS_CLAIMED, REVERSED, UNDECIDED = "as claimed", "other way round", "undecided"


def order_summary(found: OrderFound) -> str:
    """How many comparisons are certified which way, and the one that is reversed most often."""
    words = [each.certified for each in found.orders]
    of = "one run" if found.averaged == 1 else f"the average of {found.averaged} runs"
    n = found.repetitions
    text = (
        f"Sign tests over {n} paired repetitions ({found.quantity} of {of} of each setting): {words.count(AS_CLAIMED)} "
        f"of {len(words)} certified as claimed, {words.count(REVERSED)} reversed, {words.count(UNDECIDED)} undecided."
    )
    reversed_ones = [each for each in found.orders if each.certified == REVERSED]
    if not reversed_ones:
        return text
    worst = max(reversed_ones, key=lambda each: (each.reversed, -each.difference))
    average = {each.label: each.average for each in found.settings}
    return (
        f"{text} {worst.smaller} came out larger than {worst.larger} in {worst.reversed} of {n}: on average "
        f"{average[worst.smaller]:.5g} against {average[worst.larger]:.5g}."
    )


def order_resolution(found: OrderFound) -> str:
    """The reversed order that would have been certified."""
    return (
        f"power: an order that is reversed in {found.detectable:.2%} of all repetitions is certified (in "
        f"{found.needed} of {found.repetitions}) with probability {found.probability:g}, provided that the "
        f"averages agree (risk {found.risk:.2g} each, exact binomial)"
    )


def order_tables(found: OrderFound) -> tuple[dict[str, Any], ...]:
    """A row for every setting; a row for every comparison."""
    spread = "standard deviation of one repetition"
    settings = table_item(
        f"The {found.quantity} of every setting",
        ["setting", nearest("average"), nearest(spread), "repetitions"],
        [[each.label, each.average, each.spread, each.repetitions] for each in found.settings],
    )
    orders = table_item(
        f"Every comparison; {found.needed} of {found.repetitions} repetitions certify an order",
        [
            *("claimed smaller", "claimed larger", AS_CLAIMED, REVERSED, "tied"),
            nearest("larger minus smaller, on average"),
            "certified",
        ],
        [
            [each.smaller, each.larger, each.as_claimed, each.reversed, each.tied, each.difference, each.certified]
            for each in found.orders
        ],
    )
    return settings, orders


# -- an implementation against a law -----------------------------------------------------------------------------------


def shifts_in_words(found: CheckFound) -> str:
    """The shift of a probability that would have been detected; empty where none would have been for certain."""
    if found.every_step is None:
        return ""
    one, runs, steps = found.one_step, counted(found.runs, "run", "runs"), counted(found.steps, "step", "steps")
    off = "more than 0.5 (which none is: too few runs)" if one is None else f"about {one:.2g}"
    return (
        f"caught with probability {found.probability:g}: in one environment, a chance off by {off} in one step of all "
        f"{runs}, or by {found.every_step:.2g} in all {steps}"
    )
