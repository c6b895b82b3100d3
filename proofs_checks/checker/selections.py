"""Reads one step of a release certificate: options with noisy values, and the event, which is the set of options that
are selected."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from .noisy_maximum import CHOICES
from .untrusted import ExtendedRational, Fields, Rejected, pay_for_operation, read_decimal, read_end, spend_effort


class Tables(NamedTuple):
    """Rewards in runs: the ends of the runs, and the reward of each row in each run."""

    ends: list[Fraction]
    rows: list[list[Fraction]]

    def paid(self, row: int, first: Fraction, last: Fraction, bound: ExtendedRational) -> Fraction:
        """The sum of the rewards number first, ..., last - 1 (from 0) in a row of the reward table.
        Rewards whose absolute value exceeds the bound count as 0."""
        total, begin = Fraction(0), Fraction(0)
        for end, value in zip(self.ends, self.rows[row], strict=True):
            some = min(end, last) - max(begin, first)
            spend_effort(1)
            if some > 0 and abs(value) <= bound:
                pay_for_operation(total, value, some)
                total += some * value
            begin = end
        return total


class Selection(NamedTuple):
    """Noisy options, and which of them are selected: those within `size` of the largest, or the `size` largest.
    weights: of the noisy values in each option, if they are not the options themselves. cuts: the bounds of the
    interval that contains the released value; the options are then the intervals between cuts. within: the relative
    error of factors and weights (as a fraction of the largest) and of scales (as a fraction of each); a centre then has
    an error of within times reach."""

    noise: str
    rule: str
    size: Fraction
    centres: list[Fraction]
    scales: list[Fraction]
    weights: list[list[Fraction]] | None = None
    cuts: list[Fraction] | None = None
    within: Fraction = Fraction(0)
    reach: list[Fraction] | None = None


def read_selection(step: Fields, tables: Tables, place: str) -> Selection:
    """A selection step, read from a certificate, with its centres on these reward tables.
    place: of the step, for errors. Raises Rejected for an invalid step."""
    scales = [read_decimal(text, f"{place}/scales/{i}") for i, text in enumerate(step["scales"])]
    divisors = [read_decimal(text, f"{place}/divisors/{i}") for i, text in enumerate(step["divisors"])]
    bounds = [read_end(text, f"{place}/bounds/{i}") for i, text in enumerate(step["bounds"])]
    values, size = len(scales), read_decimal(step["size"], f"{place}/size")
    if len(divisors) != values or len(bounds) != values or min(*scales, *divisors) <= 0 or min(bounds) < 0:
        raise Rejected(
            f"{place}: every noisy value needs a positive scale, a positive divisor, and a bound of at least 0"
        )
    weights = weighted_mean(step, values, place) if "weights" in step else None
    cuts = read_cuts(step, values, weights, place) if "cuts" in step or step["rule"] == "between" else None
    options = len(cuts) + 1 if cuts is not None else values if weights is None else len(weights)
    if cuts is None and values > CHOICES:
        raise Rejected(f"{place}: there are {values} noisy values; a selection may have at most {CHOICES}")
    if step["rule"] == "within" and size < 0:
        raise Rejected(f"{place}/size: the width is {step['size'][:60]}; it must be at least 0")
    if step["rule"] == "top" and not (size.denominator == 1 and 1 <= size <= options):
        raise Rejected(f"{place}/size: the number of kept options must be an integer from 1 to {options}")
    sums, sizes = window_sums(step, tables, bounds, place)
    centres = [total / divisor for total, divisor in zip(sums, divisors, strict=True)]
    within = read_decimal(step["within"], f"{place}/within") if "within" in step else Fraction(0)
    if "within" in step and (cuts is not None or weights is None or not 0 <= within <= Fraction(1, 1000)):
        raise Rejected(
            f"{place}/within: the number must be from 0 to 1/1000. It is allowed only for options that share noisy "
            "values (with weights and without cuts)"
        )
    reach = [total / divisor for total, divisor in zip(sizes, divisors, strict=True)]
    for release in step["releases"]:
        kept = release["kept"]
        if len(set(kept)) != len(kept) or any(option >= options for option in kept):
            raise Rejected(f"{place}: {kept} must be a set of different options from 0 to {options - 1}")
        if cuts is not None and len(kept) != 1:  # sets of intervals would not be different events
            raise Rejected(f"{place}: with cuts, `kept` must name one interval, not {len(kept)}")
    return Selection(step["noise"], step["rule"], size, centres, scales, weights, cuts, within, reach)


def window_sums(
    step: Fields, tables: Tables, bounds: list[ExtendedRational], place: str
) -> tuple[list[Fraction], list[Fraction]]:
    """Returns, for each noisy value, the weighted sum of the rewards in its windows, and a bound on its size.
    Each reward is multiplied by its factor. The bound is the sum of their sizes, times the largest factor."""
    windows, values = step["windows"], len(bounds)
    sums, sizes = [Fraction(0)] * values, [Fraction(0)] * values
    factors = [
        read_decimal(text, f"{place}/factors/{i}") for i, text in enumerate(step.get("factors", ["1"] * len(windows)))
    ]
    if len(factors) != len(windows):
        raise Rejected(f"{place}/factors: the length is {len(factors)}, but windows has length {len(windows)}")
    for i, ((value, row, first, last), factor) in enumerate(zip(windows, factors, strict=True)):
        a, b = (read_decimal(text, f"{place}/windows/{i}") for text in (first, last))
        if not (0 <= value < values and 0 <= row < len(tables.rows) and 0 <= a <= b <= tables.ends[-1]):
            raise Rejected(
                f"{place}/windows/{i}: the window refers to a noisy value, a row or a range of rewards that does not "
                "exist"
            )
        if a.denominator != 1 or b.denominator != 1:
            raise Rejected(f"{place}/windows/{i}: the window must begin and end at integers")
        paid = tables.paid(row, a, b, bounds[value])
        pay_for_operation(sums[value], factor, paid, sizes[value])
        sums[value] += factor * paid
        sizes[value] += abs(paid)
    most = max(map(abs, factors), default=Fraction(0))
    return sums, [most * total for total in sizes]


def read_cuts(step: Fields, values: int, weights: Any, place: str) -> list[Fraction]:
    """The cuts of a step with the rule "between", in ascending order.
    The step releases the interval between two cuts that contains the value. Raises Rejected if the cuts do not fit the
    step."""
    cuts = [read_decimal(text, f"{place}/cuts/{i}") for i, text in enumerate(step.get("cuts", []))]
    if step["rule"] != "between" or step["size"] != "0" or not cuts:
        raise Rejected(f'{place}: the rule "between" needs a list of cuts and size 0; other rules must not have cuts')
    if any(a >= b for a, b in pairwise(cuts)):
        raise Rejected(f"{place}/cuts: cuts must be in ascending order")
    if values > 1 and (step["noise"] != "gaussian" or weights is None):
        raise Rejected(
            f"{place}: a step with cuts compares {values} noisy values; several values need normal noise and a row of "
            "weights, so use gaussian noise with weights, or a single value"
        )
    if weights is not None and (len(weights) != 1 or not any(weights[0])):
        raise Rejected(
            f"{place}/weights: with cuts, there must be exactly one row, and at least one of its entries must not be 0"
        )
    return cuts


def weighted_mean(step: Fields, values: int, place: str) -> list[list[Fraction]]:
    """Reads the weights of the noisy values in each compared mean, (means, values).
    Raises Rejected if the step's rule does not allow weights."""
    if step["rule"] != "between" and (step["rule"] != "top" or values > 2):
        raise Rejected(
            f'{place}/weights: weights are allowed for the rule "between", and for the rule "top" with one or '
            "two noisy values"
        )
    weights = [
        [read_decimal(text, f"{place}/weights/{i}/{k}") for k, text in enumerate(row)]
        for i, row in enumerate(step["weights"])
    ]
    if any(len(row) != values for row in weights):
        raise Rejected(f"{place}/weights: every row must have length {values}, one entry for each noisy value")
    return weights
