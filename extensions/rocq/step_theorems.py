"""Writes certificates of kind "step" as Rocq theorems: a noisy maximum distinguishes two neighbouring inputs.

`noisy_maximum.v` has the definitions. The probability that an option wins is an integral over its noise. For two
options with normal noise it is a value of Phi; all other integrals are enclosed by cells between points. The cells are
computed in doubles; the proof does not depend on their accuracy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby, pairwise
from math import erfc, exp, prod, sqrt
from typing import NamedTuple

from dpbandits.extensions.rocq.point_theorems import (
    HEADER_AT_POINT,
    SECONDS_AT_POINT,
    NotTranslated,
    PointSpeller,
    parsed,
    read_number,
    spelled_number,
    value_of,
)
from dpbandits.reference.claims.records import Certificate

HEADER_OF_STEP = f"""From Coq Require Import List.
{HEADER_AT_POINT}Import ListNotations.
"""
NOISES = {"gaussian": "gaussian", "laplace": "laplacian"}
FIRST_POINTS = {"gaussian": (-9, -4, -2, -1, 0, 1, 2, 4, 9), "laplace": (-40, -20, -10, -5, 0, 5, 10, 20, 40)}
MOST_CELLS = 300  # of one chance
MOST_OPTIONS = 20  # as measured: with a hundred the kernel's arithmetic is not done in SECONDS_AT_POINT
# Of an enclosure, relatively: the first that decides is taken.
WIDTHS = (1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64)
# How far enclosures are from what doubles say, relatively: of noise, of what is behind, and of what is summed up.
NOISE_SHARE, BEHIND_SHARE, DOUBLE_SHARE = 1e-4, 1e-3, 1e-6
NEARLY_0 = 1e-25  # of smaller chances it is known that they are not negative

Option = tuple[Fraction, Fraction]  # its mean and its scale


class Point(NamedTuple):
    """A value of the option's noise, with bounds on two probabilities: that the noise is at most this value, and that
    all other options are smaller if the noise has it."""

    u: Fraction
    noise: tuple[Fraction, Fraction]
    behind: tuple[Fraction, Fraction]


class Cells(NamedTuple):
    """An enclosure of an option's probability, and the points between which it is computed."""

    least: Fraction
    most: Fraction
    points: Sequence[Point]


def theorem_of_step(certificate: Certificate, name: str, opposite: bool = False) -> str:
    """Returns the statement of a "step" certificate, or its opposite, as a Rocq theorem called `name`, with its proof.
    It says that eps and delta are defined and at least 0, the inputs are neighbours, and the event distinguishes them.
    The text follows HEADER_OF_STEP. opposite: whether to state instead that the event does not distinguish them. Raises
    NotTranslated."""
    speller = PointSpeller({name: read_number(text) for name, text in certificate["variables"].items()})
    eps, delta = speller.side(certificate["eps"]), speller.side(certificate["delta"])
    noise, event = NOISES[certificate["noise"]], "; ".join(map(str, certificate["event"]))
    lists = {
        field: [read_number(text) for text in certificate[field]]
        for field in ("scales", "left", "right", "sensitivities")
    }
    demand_translatable(lists, certificate["event"])
    lets = [f"let {field} := [{spelled_list(values)}] in" for field, values in lists.items()]
    lets = [*speller.let_definitions(), *lets, f"let event := [{event}]%nat in"]
    left, right = (f"noisy_maximum {noise} scales {side} event" for side in ("left", "right"))
    compared = f"{left} <= exp ({eps}) * {right} + ({delta})"
    try:
        enclosing = enclosures(certificate, speller, lists)
    except OverflowError:
        raise NotTranslated("a number of the certificate is too large for doubles") from None
    neighbours = [
        f"neighbouring_means {certificate['changed']} scales left right sensitivities",
        f"places event {len(lists['left'])}",
    ]
    defined = [*speller.conditions, f"0 <= {eps}", f"0 <= {delta}"]
    concluded = [*defined, *([compared] if opposite else [*neighbours, f"~ {compared}"])]
    return "\n".join(
        [
            f"Theorem {name} :",
            *(f"  {line}" for line in lets),
            "  " + " /\\\n  ".join(concluded) + ".",
            "Proof.",
            "intros.",
            *enclosing,
            f"Timeout {SECONDS_AT_POINT} settle_step.",
            "Qed.\n",
        ]
    )


def demand_translatable(lists: Mapping[str, Sequence[Fraction]], event: Sequence[int]) -> None:
    """Raises NotTranslated if the kernel would take too long for a certificate, or if its lists do not fit together.
    Also if the lists of the certificate have different lengths."""
    options = len(lists["left"])
    if len({len(each) for each in lists.values()}) > 1 or any(i >= options for i in event):
        raise NotTranslated(
            "left, right, scales and sensitivities must have equal lengths, and the event may contain only numbers of "
            "existing options"
        )
    if options > MOST_OPTIONS:
        raise NotTranslated(f"the number of options is {options}; the kernel can check at most {MOST_OPTIONS}")
    if min(lists["scales"]) <= 0:
        raise NotTranslated("every scale must be positive")


def spelled_list(values: Sequence[Fraction], mark: str = "; ") -> str:
    """The numbers in Rocq's syntax, separated by `mark`."""
    return mark.join(spelled_number(value).text for value in values)


def pair(value: Fraction) -> str:
    """A fraction as a pair of integers in Rocq's syntax: the numerator and the denominator."""
    return f"({value.numerator}, {value.denominator})"


def pairs(bounds: tuple[Fraction, Fraction]) -> str:
    """A lower and an upper bound as pairs of integers in Rocq's syntax."""
    return f"({pair(bounds[0])}, {pair(bounds[1])})"


def enclosures(certificate: Certificate, speller: PointSpeller, lists: Mapping[str, Sequence[Fraction]]) -> list[str]:
    """Returns the lines of a Rocq proof that bound the winning probability of each option in the event.
    There are such lines for each side, but none for two options with normal noise, whose probability is a value of
    Phi."""
    noise, event = certificate["noise"], certificate["event"]
    if noise == "gaussian" and len(lists["left"]) == 2:
        return []
    sides = {side: list(zip(lists[side], lists["scales"], strict=True)) for side in ("left", "right")}
    eps, delta = (
        value_of(parsed(certificate[field]), certificate[field], speller.values) for field in ("eps", "delta")
    )
    for width in WIDTHS:
        found = {side: [enclosed_chance(noise, options, i, width) for i in event] for side, options in sides.items()}
        p, q = (
            (sum((x.least for x in each), Fraction(0)), sum((x.most for x in each), Fraction(0)))
            for each in found.values()
        )
        if eps is None or delta is None or bounds_decide(p, q, exp(float(eps)), float(delta)):
            return [
                enclosure_line(noise, side, sides[side], i, each)
                for side in sides
                for i, each in zip(event, found[side], strict=True)
            ]
    raise NotTranslated(
        "the two probabilities are so close to the claimed bound that the kernel cannot decide (sums over cells "
        "enclose the probabilities with some error)"
    )


def bounds_decide(p: tuple[Fraction, Fraction], q: tuple[Fraction, Fraction], factor: float, delta: float) -> bool:
    """Whether these bounds on p and q decide whether p <= factor * q + delta."""
    more, less = 1 + DOUBLE_SHARE, 1 - DOUBLE_SHARE
    return p[0] > (factor * q[1] + delta) * more or p[1] < (factor * q[0] + delta) * less


def enclosed_chance(noise: str, options: Sequence[Option], i: int, width: float) -> Cells:
    """Encloses the probability that option i wins, an integral over its noise, by sums over cells.
    The cells are refined until the relative width of the enclosure is at most `width`, or until there are too many."""
    (mean, scale), others = options[i], [option for j, option in enumerate(options) if j != i]
    leads = [(float((mean - m) / s), float(scale / s)) for m, s in others]

    def behind(u: float) -> float:
        """The probability that all other options are below option i if the noise of option i is u."""
        return prod(distribution_function(noise, lead + rate * u) for lead, rate in leads)

    heights = {float(u): behind(u) for u in FIRST_POINTS[noise]}
    parts = {
        (a, b): interval_probability(noise, a, b) * (heights[b] - heights[a]) for a, b in pairwise(sorted(heights))
    }
    most = sum(interval_probability(noise, a, b) * heights[b] for a, b in parts)
    while sum(parts.values()) > width * most and len(parts) < MOST_CELLS:
        a, b = max(parts, key=lambda part: parts[part])
        middle = (a + b) / 2
        heights[middle] = behind(middle)
        most -= interval_probability(noise, a, middle) * (heights[b] - heights[middle])
        del parts[a, b]
        for x, y in ((a, middle), (middle, b)):
            parts[x, y] = interval_probability(noise, x, y) * (heights[y] - heights[x])
    return between([enclosed_point(noise, u, height) for u, height in sorted(heights.items())])


def enclosed_point(noise: str, u: float, height: float) -> Point:
    """A point of the integral, with bounds on the noise's distribution function there and on `height`.
    height: the probability that all other options are lower."""
    least, most = bounds_around(distribution_function(noise, -abs(u)), NOISE_SHARE)
    return Point(Fraction(u), (least, most) if u <= 0 else (1 - most, 1 - least), bounds_around(height, BEHIND_SHARE))


def bounds_around(x: float, relative_distance: float) -> tuple[Fraction, Fraction]:
    """A lower and an upper bound on a probability x, with few digits, at the relative distance `relative_distance`."""
    least = Fraction(f"{x * (1 - relative_distance):.6e}") if x > NEARLY_0 else Fraction(0)
    return least, min(Fraction(f"{max(x, NEARLY_0) * (1 + relative_distance):.6e}"), Fraction(1))


def between(points: Sequence[Point]) -> Cells:
    """Bounds on an integral by sums over the cells between these points and the two tails."""
    least = sum(((b.noise[0] - a.noise[1]) * a.behind[0] for a, b in pairwise(points)), Fraction(0))
    most = sum(((b.noise[1] - a.noise[0]) * b.behind[1] for a, b in pairwise(points)), Fraction(0))
    most += points[0].noise[1] * points[0].behind[1] + 1 - points[-1].noise[0]
    low, high = (Fraction(f"{float(x * (1 + sign * DOUBLE_SHARE)):.9e}") for x, sign in ((least, -1), (most, 1)))
    return Cells(low, high, points)


def distribution_function(noise: str, x: float) -> float:
    """The probability that noise of scale 1 is at most x. noise: "gaussian" or "laplace"."""
    if noise == "gaussian":
        return erfc(-x / sqrt(2)) / 2
    return exp(x) / 2 if x <= 0 else 1 - exp(-x) / 2


def interval_probability(noise: str, a: float, b: float) -> float:
    """The probability that noise of scale 1 lies between a and b, computed from the smaller tail."""
    return (
        distribution_function(noise, b) - distribution_function(noise, a)
        if a < 0
        else distribution_function(noise, -a) - distribution_function(noise, -b)
    )


def enclosure_line(noise: str, side: str, options: Sequence[Option], i: int, cells: Cells) -> str:
    """The line of a Rocq proof that states bounds on the probability that option i is the largest, and proves them."""
    others = [option for j, option in enumerate(options) if j != i]
    groups = "; ".join(
        f"({spelled_number(m).text}, {spelled_number(s).text}, {len(list(same))}%nat)"
        for (m, s), same in groupby(others)
    )
    first, *later = (f"({pair(u)}, {pairs(chances)}, {pairs(behind)})" for u, chances, behind in cells.points)
    low, high = (spelled_number(x).text for x in (cells.least, cells.most))
    stated = f"{low} <= winning {NOISES[noise]} (combine {side} scales) {i} <= {high}"
    by = f"enclose_winning [{groups}] {first}%Z [{'; '.join(later)}]%Z"
    return f"assert ({stated}) by (timeout {SECONDS_AT_POINT} {by})."
