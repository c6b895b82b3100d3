"""Writes certificates of kind "release" as Rocq theorems: a sequence of steps distinguishes two neighbouring tables.

`releases.v` has the definitions, for steps that release the larger of two independent normal values, whose
probabilities are values of Phi, and for steps whose options share one or two noisy values. Other steps are not
translated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, chain, pairwise
from math import exp
from typing import Any, NamedTuple

from dpbandits.extensions.rocq.point_theorems import (
    SECONDS_AT_POINT,
    NotTranslated,
    PointSpeller,
    parsed,
    read_number,
    spelled_number,
    value_of,
)
from dpbandits.extensions.rocq.shared_theorems import Enclosed, Shared, enclosed_shared
from dpbandits.extensions.rocq.step_theorems import HEADER_OF_STEP, NOISES, WIDTHS, bounds_decide, spelled_list
from dpbandits.reference.claims.records import Certificate

MOST_OFF = Fraction(1, 1000)  # that a certificate may say of its numbers
MOST_RELEASES = 32  # of all steps: two chances each, of SECONDS_AT_POINT at most, so that it is 16 hours at worst

HEADER_OF_RELEASE = f"""From Coq Require Import ZArith.
{HEADER_OF_STEP}From Dpbandits Require Import shared_values releases.
"""


class Step(NamedTuple):
    """A step of a certificate, with its numbers read."""

    number: int
    noise: str
    size: int
    windows: Sequence[tuple[int, int, Fraction, Fraction]]
    scales: Sequence[Fraction]
    divisors: Sequence[Fraction]
    factors: Sequence[Fraction]
    weights: Sequence[Sequence[Fraction]]
    off: Fraction
    releases: Sequence[tuple[tuple[int, ...], int]]


def theorem_of_release(certificate: Certificate, name: str, opposite: bool = False) -> str:
    """Returns a "release" certificate's statement, or its opposite, as a Rocq theorem called `name`, with its proof.
    It says that eps and delta are defined and at least 0, the tables are neighbours with rewards in their range, and
    the event distinguishes them, for all mechanisms that the steps describe. The text follows HEADER_OF_RELEASE.
    opposite: whether to state instead that the event does not distinguish them. Raises NotTranslated."""
    speller = PointSpeller({name: read_number(text) for name, text in certificate["variables"].items()})
    eps, delta = speller.side(certificate["eps"]), speller.side(certificate["delta"])
    lengths = [read_number(text) for text in certificate["lengths"]]
    left, right = ([[read_number(text) for text in row] for row in certificate[side]] for side in ("left", "right"))
    least, most = (spelled_number(read_number(text)).text for text in certificate["range"])
    steps = read_steps(certificate, lengths, left, right)
    shared = bool(steps[0].weights)
    lets = [
        *speller.let_definitions(),
        f"let lengths := [{'; '.join(integer_text(n) for n in lengths)}]%Z in",
        f"let left := {spelled_table(left)} in",
        f"let right := {spelled_table(right)} in",
        *(f"let step_{step.number} := {spelled_step(step)} in" for step in steps),
        f"let steps := [{'; '.join(f'step_{step.number}' for step in steps)}] in",
    ]
    asked = [
        f"{least} < {most}",
        "List.Forall (fun n => (1 <= n)%Z) lengths",
        *(f"table_of lengths {len(left)} ({least}) ({most}) {side}" for side in ("left", "right")),
        f"neighbouring_tables {certificate['relation']} lengths left right",
        "sound steps",
    ]
    defined = [*speller.conditions, f"0 <= {eps}", f"0 <= {delta}"]
    # The statement that the event distinguishes the tables, or that it does not
    p, q = (f"release_chance lengths {'made' if shared else 'steps'} {side}" for side in ("left", "right"))
    compared = f"{p} <= exp ({eps}) * {q} + ({delta})"
    found = compared if opposite else f"~ {compared}"
    concluded = [*defined, *asked, (f"(forall made, Forall2 alike steps made -> {found})" if shared else found)]
    stated = "\n".join([f"Theorem {name} :", *(f"  {line}" for line in lets), "  " + " /\\\n  ".join(concluded) + "."])
    try:
        known = enclosures(steps, {"left": left, "right": right}, lengths, certificate, speller) if shared else []
    except ArithmeticError:
        raise NotTranslated("a number of the certificate is too large or too small for doubles") from None
    decide = (
        f"Timeout {SECONDS_AT_POINT} settle_{'alike' if shared else 'release'} {first_difference(left, right)}%nat."
    )
    return "\n".join([stated, "Proof.", "intros.", *known, decide, "Qed.\n"])


def read_steps(
    certificate: Certificate, lengths: list[Fraction], left: list[list[Fraction]], right: list[list[Fraction]]
) -> list[Step]:
    """Reads all steps of a certificate of kind "release".
    Raises NotTranslated unless all of them have a translation and fit the tables."""
    if len(left) != len(right) or any(len(row) != len(lengths) for row in [*left, *right]):
        raise NotTranslated(
            "left, right: both sides must have the same number of rows, and every row must have one reward for each "
            "entry of lengths"
        )
    for _, row, _, last in chain(*(step["windows"] for step in certificate["steps"])):
        if row >= len(left) or read_number(last) > sum(lengths):
            raise NotTranslated("a window refers to a row that does not exist, or ends after the last reward")
    releases = sum(len(step["releases"]) for step in certificate["steps"])
    if releases > MOST_RELEASES:
        raise NotTranslated(f"the steps have {releases} releases in all; the kernel can check at most {MOST_RELEASES}")
    steps = [read_step(step, number) for number, step in enumerate(certificate["steps"])]
    if any(bool(step.weights) != bool(steps[0].weights) for step in steps):
        raise NotTranslated(
            "some steps have weights (options that share noisy values) and some do not; a certificate can be "
            "translated only if all of its steps have weights or none has"
        )
    return steps


def read_step(step: Mapping[str, Any], number: int) -> Step:
    """Reads a step of a certificate. Raises NotTranslated if it has no translation."""
    scales, divisors = ([read_number(text) for text in step[field]] for field in ("scales", "divisors"))
    windows, weights = read_windows(step, number), step.get("weights", [])
    if step["rule"] != "top" or "cuts" in step or step["bounds"] != ["inf"] * len(scales):
        raise NotTranslated(
            f'steps/{number}: only steps with the rule "top", without cuts and bounds, can be translated'
        )
    if not weights and (step["noise"] != "gaussian" or len(scales) != 2 or "factors" in step or step["size"] != "1"):
        raise NotTranslated(
            f"steps/{number}: without weights, only the larger of two normal values can be translated (two "
            "options, size 1, no factors)"
        )
    if weights and (len(scales) > 2 or any(len(row) != len(scales) for row in weights)):
        raise NotTranslated(
            f"steps/{number}: options with weights can be translated only if all of them use the same one or two "
            "noisy values"
        )
    options, off = len(weights or scales), read_number(step.get("within", "0"))
    if "within" in step and not (weights and 0 <= off <= MOST_OFF):
        raise NotTranslated(
            f"steps/{number}: `within` is {float(off):.6g}; it must be from 0 to {float(MOST_OFF):.6g}, and only steps "
            "with `weights` may have it"
        )
    kept, size = [tuple(sorted(release["kept"])) for release in step["releases"]], read_number(step["size"])
    if not 1 <= size < options:
        raise NotTranslated(f"steps/{number}: `size` is {step['size']}; it must be from 1 to {options - 1}")
    if any(len(each) != size or len(set(each)) != size or max(each) >= options for each in kept):
        raise NotTranslated(
            f"steps/{number}: `kept` must list {step['size']} different options, each from 0 to {options - 1}"
        )
    factors = [read_number(text) for text in step.get("factors", ["1"] * len(windows))]
    if len(factors) != len(windows) or len(divisors) != len(scales) or min(*scales, *divisors) <= 0:
        raise NotTranslated(
            f"steps/{number}: the lists of the step have different lengths, or a scale or divisor is not positive"
        )
    return Step(
        number,
        step["noise"],
        int(size),
        windows,
        scales,
        divisors,
        factors,
        [[read_number(text) for text in row] for row in weights],
        off,
        [(each, steps_on(release, number)) for each, release in zip(kept, step["releases"], strict=True)],
    )


def spelled_step(step: Step) -> str:
    """A step as a record of `releases.v`, in Rocq's syntax.
    Following steps are given by their offset from the next step."""
    windows = (f"({i}%nat, {row}%nat, ({integer_text(a)}%Z, {integer_text(b)}%Z))" for i, row, a, b in step.windows)
    released = (
        f"({spelled_arms(kept)}, {'None' if later == -1 else f'Some {later}%nat'})" for kept, later in step.releases
    )
    rows = "; ".join(f"[{spelled_list(row)}]" for row in step.weights)
    return (
        f"{{| noise_of := {NOISES[step.noise]}; scales := [{spelled_list(step.scales)}]; "
        f"divisors := [{spelled_list(step.divisors)}]; windows := [{'; '.join(windows)}]; "
        f"factors := [{spelled_list(step.factors)}]; weights := [{rows}]; off := {spelled_number(step.off).text}; "
        f"size := {step.size}; released := [{'; '.join(released)}] |}}"
    )


def spelled_arms(arms: Sequence[int]) -> str:
    """A list of arms in Rocq's syntax."""
    return f"[{'; '.join(f'{each}%nat' for each in arms)}]"


def enclosures(
    steps: Sequence[Step],
    tables: Mapping[str, Sequence[Sequence[Fraction]]],
    lengths: Sequence[Fraction],
    certificate: Certificate,
    speller: PointSpeller,
) -> list[str]:
    """Returns lines of a Rocq proof: for each side and each release, bounds on the release's probability.
    Only for steps whose options share noisy values."""
    eps, delta = (
        value_of(parsed(certificate[field]), certificate[field], speller.values) for field in ("eps", "delta")
    )
    for width in WIDTHS:
        found = {
            side: {
                (step.number, kept): enclosed_shared(shared_values(step, kept, table, lengths), width)
                for step in steps
                for kept, _ in step.releases
            }
            for side, table in tables.items()
        }
        p, q = (
            (
                event_chance(steps, {place: each.least for place, each in chances.items()}),
                event_chance(steps, {place: each.most for place, each in chances.items()}),
            )
            for chances in found.values()
        )
        if eps is None or delta is None or bounds_decide(p, q, exp(float(eps)), float(delta)):
            return [
                enclosure_line(side, steps[number], kept, each)
                for side, chances in found.items()
                for (number, kept), each in chances.items()
            ]
    raise NotTranslated(
        "the two probabilities are so close to the claimed bound that the kernel cannot decide (sums over strips "
        "enclose the probabilities with some error)"
    )


def enclosure_line(side: str, step: Step, selected: Sequence[int], enclosed: Enclosed) -> str:
    """The line of a Rocq proof that states bounds on the probability of a release, and proves them.
    selected: the released options."""
    low, high = (spelled_number(end).text for end in (enclosed.least, enclosed.most))
    largest = (
        f"({spelled_number(max(map(abs, numbers), default=Fraction(0))).text})"
        for numbers in (step.factors, [x for row in step.weights for x in row])
    )
    stated = f"{low} <= kept_chance lengths {side} s {spelled_arms(selected)} <= {high}"
    by = f"enclose_kept {' '.join(largest)}; {enclosed.tactic}"
    return f"assert (forall s, alike step_{step.number} s -> {stated}) by (timeout {SECONDS_AT_POINT} {by})."


def event_chance(steps: Sequence[Step], chances: Mapping[tuple[int, tuple[int, ...]], Fraction]) -> Fraction:
    """The probability of a release certificate's event, from the probabilities of its releases.
    The event is that every step makes a release after which the run goes on as listed, until it ends. chances: the
    probability of each release."""
    after: dict[int, Fraction] = {}
    for step in reversed(steps):
        after[step.number] = sum(
            (
                chances[step.number, kept] * (1 if later < 0 else after.get(step.number + 1 + later, 0))
                for kept, later in step.releases
            ),
            Fraction(0),
        )
    return after[0]


def shared_values(
    step: Step, selected: Sequence[int], table: Sequence[Sequence[Fraction]], lengths: Sequence[Fraction]
) -> Shared:
    """Returns the means, scales and option differences of the noisy values that a step computes from a table.
    The ranges hold for all mechanisms that the step describes. The second result contains the differences between
    selected and other options in each value. selected: the selected options."""
    ends = [*accumulate(lengths, initial=Fraction(0))]

    def sum_of_rewards(row: int, first: Fraction, last: Fraction) -> Fraction:
        """The sum of a row's rewards from `first` to `last`; parts of a reward count in proportion."""
        return sum(
            (
                max(min(b, last) - max(a, first), Fraction(0)) * x
                for (a, b), x in zip(pairwise(ends), table[row], strict=True)
            ),
            Fraction(0),
        )

    factor, weight = (max(map(abs, each), default=Fraction(0)) for each in (step.factors, chain(*step.weights)))
    means = []
    for value, divisor in enumerate(step.divisors):
        parts = [
            (f, sum_of_rewards(row, a, b))
            for (i, row, a, b), f in zip(step.windows, step.factors, strict=True)
            if i == value
        ]
        middle, reach = sum(f * x for f, x in parts) / divisor, factor * sum(abs(x) for _, x in parts) / divisor
        means.append((float(middle - step.off * reach), float(middle + step.off * reach)))
    off = 2 * step.off * weight
    leads = [
        [(float(x - y - off), float(x - y + off)) for x, y in zip(step.weights[i], step.weights[j], strict=True)]
        for i in selected
        for j in range(len(step.weights))
        if j not in selected
    ]
    scales = [(float(s * (1 - step.off)), float(s * (1 + step.off))) for s in step.scales]
    return Shared(step.noise, means, scales, leads)


def steps_on(release: Mapping[str, Any], number: int) -> int:
    """The number of steps in the list between step `number` and the step that follows this release.
    -1 if the run ends with this release. Raises NotTranslated for an invalid number."""
    if release["next"] == -1:
        return -1
    if not number < release["next"] <= MOST_RELEASES:  # as many steps there are at most
        raise NotTranslated(f"steps/{number}: `next` must be -1 or the number of a later step")
    return int(release["next"]) - number - 1


def read_windows(step: Mapping[str, Any], number: int) -> list[tuple[int, int, Fraction, Fraction]]:
    """Reads the windows of a step as (option, row, first, last). Raises NotTranslated for an invalid window."""
    windows = [(i, row, read_number(a), read_number(b)) for i, row, a, b in step["windows"]]
    if any(i >= len(step["scales"]) or not 0 <= a <= b for i, _, a, b in windows):
        raise NotTranslated(
            f"steps/{number}: a window refers to an option that does not exist, or ends before it begins"
        )
    return windows


def integer_text(number: Fraction) -> str:
    """An integer as text. Raises NotTranslated for any other number."""
    if number.denominator != 1:
        raise NotTranslated(f"{number} is not an integer")
    return f"{number}"


def spelled_table(rows: Sequence[Sequence[Fraction]]) -> str:
    """A table of numbers in Rocq's syntax, row by row."""
    return f"[{'; '.join(f'[{spelled_list(row)}]' for row in rows)}]"


def first_difference(left: Sequence[Sequence[Fraction]], right: Sequence[Sequence[Fraction]]) -> int:
    """The index of the first run of equal rewards in which the left and the right table differ.
    Raises NotTranslated if they are equal."""
    places = [
        n for x, y in zip(left, right, strict=False) for n, (a, b) in enumerate(zip(x, y, strict=False)) if a != b
    ]
    if not places:
        raise NotTranslated("left and right are equal")
    return min(places)
