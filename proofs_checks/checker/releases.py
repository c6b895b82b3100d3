"""Checks certificates of type "release": proofs that a mechanism which selects options by noise, step by step, violates
DP for two neighbouring inputs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from .agreement import AGREE, COARSELY, require_violation
from .integrals import interval_probability, laplace_integral, normal_integral
from .intervals import Interval, checked_magnitude, sum_of_intervals, work
from .noisy_maximum import two_option_probability
from .quadrature import MAX_INTEGRAL_CELLS
from .selections import Selection, Tables, read_selection
from .untrusted import Fields, Rejected, read_decimal
from .wedges import cone_probability


def check_release(certificate: Fields) -> list[str]:
    """Checks a certificate of a selection mechanism.
    Recomputes, for each side, the probability of the event, which is that the steps reach an end. Returns lines of text
    that report the result. Raises Rejected if the tables are not neighbours, or if the event does not distinguish
    them."""
    steps = certificate["steps"]
    ways = sum(release["next"] == -1 for step in steps for release in step["releases"])
    left, right = require_neighbouring_tables(certificate)
    chances = [event_probability(steps, side) for side in (left, right)]
    rough = any(step["noise"] == "gaussian" and not has_closed_form(step) for step in steps)
    what = "values" if all("cuts" in step for step in steps) else "selections"
    return [
        f"{len(steps)} noisy {what}, {ways} ways to an end",
        *require_violation(certificate, chances[0], chances[1], COARSELY if rough else AGREE),
    ]


def event_probability(steps: Sequence[Fields], tables: Tables) -> Interval:
    """The probability of a certificate's event on these reward tables.
    Every step releases a set that leads to a later step or to an end."""
    found: dict[int, Interval] = {-1: work.mpf(1)}
    for number, step in reversed(list(enumerate(steps))):
        kept = [tuple(sorted(release["kept"])) for release in step["releases"]]
        if len(set(kept)) != len(kept):
            raise Rejected(f"steps/{number}: `releases` contains the same set twice")
        chosen = read_selection(step, tables, f"steps/{number}")
        total = work.mpf(0)
        for release in step["releases"]:
            after = release["next"]
            if after != -1 and not number < after < len(steps):
                raise Rejected(f"steps/{number}: `next` must be -1 (the run ends) or the number of a later step")
            total += selection_step_probability(chosen, frozenset(release["kept"])) * found[after]
        found[number] = checked_magnitude(total)
    return found[0]


def has_closed_form(step: Fields) -> bool:
    """Whether the probability of a step has a closed form.
    Two normal values are compared, whose difference is normal, or only the position of one value matters."""
    if "cuts" in step:
        return True
    if "weights" in step:
        return len(step["scales"]) == 1
    size = read_decimal(step["size"], "size")
    return len(step["scales"]) == 2 and size == (0 if step["rule"] == "within" else 1)


def require_neighbouring_tables(certificate: Fields) -> tuple[Tables, Tables]:
    """The left and the right reward table.
    Raises Rejected unless they are neighbours: one reward of one row, or of every row in one column, differs."""
    lengths = [read_decimal(text, f"lengths/{i}") for i, text in enumerate(certificate["lengths"])]
    if any(each < 1 or each.denominator != 1 for each in lengths):
        raise Rejected("lengths: every entry must be an integer of at least 1")
    running, reached = [], Fraction(0)
    for each in lengths:
        reached += each
        running.append(reached)
    least, most = (read_decimal(text, f"range/{i}") for i, text in enumerate(certificate["range"]))
    if not least < most:
        raise Rejected("range: there must be two different numbers, the smaller one first")
    sides = []
    for side in ("left", "right"):
        given = certificate[side]
        rows = [[read_decimal(text, f"{side}/{a}/{n}") for n, text in enumerate(row)] for a, row in enumerate(given)]
        if any(len(row) != len(lengths) for row in rows) or len(rows) != len(certificate["left"]):
            raise Rejected(
                f"{side}: both sides must have the same number of rows, and every row must have one reward for each "
                "entry of lengths"
            )
        for a, row in enumerate(rows):
            for n, entry in enumerate(row):
                if not least <= entry <= most:
                    raise Rejected(f"{side}/{a}/{n}: the reward {given[a][n][:60]} is outside the range")
        sides.append(Tables(running, rows))
    left, right = sides
    moved = [(a, n) for a, row in enumerate(left.rows) for n in range(len(lengths)) if row[n] != right.rows[a][n]]
    if any(lengths[n] > 1 for _, n in moved):
        raise Rejected(
            "right: not a neighbour of left, because the reward tables differ in an entry that represents several "
            "equal rewards"
        )
    if certificate["relation"] == "pull" and len(moved) > 1:
        raise Rejected(
            f"right: not a neighbour of left, because the reward tables differ in {len(moved)} entries, but may differ "
            "in only one"
        )
    if certificate["relation"] == "round" and len({n for _, n in moved}) > 1:
        raise Rejected(
            "right: not a neighbour of left, because the reward tables differ in several rounds, but may differ "
            "in only one"
        )
    return left, right


def selection_step_probability(
    chosen: Selection, selected: frozenset[int], cells: int = MAX_INTEGRAL_CELLS
) -> Interval:
    """The probability that exactly the options `selected` are selected in this step.
    Integrals over normal values have about `cells` cells at most."""
    if chosen.cuts is not None:
        return interval_probability(chosen, chosen.cuts, next(iter(selected)))
    options = len(chosen.centres if chosen.weights is None else chosen.weights)
    every = frozenset(range(options))
    if not selected or (chosen.rule == "top" and len(selected) != chosen.size):
        return work.mpf(0)
    if chosen.rule == "within" and chosen.size == 0 and len(selected) > 1:
        return work.mpf(0)
    if (chosen.rule == "top" and selected == every) or options == 1:
        return work.mpf(1)
    if chosen.weights is not None:
        return cone_probability(chosen, chosen.weights, selected)
    if chosen.noise == "gaussian" and options == 2 and chosen.size == (0 if chosen.rule == "within" else 1):
        return two_option_probability("gaussian", chosen.centres, chosen.scales, sorted(selected))
    integral = laplace_integral if chosen.noise == "laplace" else partial(normal_integral, cells=cells)
    # Within: the largest is one of the kept, the others of them are close behind, and the rest is far behind. Top: the
    # largest of the rest is one of them, the others of them are below it, and the kept are above it; or the smallest of
    # the kept is one of them, the others of them are above it, and the rest is below: whichever are fewer.
    if chosen.rule == "within":
        return sum_of_intervals(
            integral(chosen, i, sorted(selected - {i}), sorted(every - selected), []) for i in sorted(selected)
        )
    rest = every - selected
    if len(selected) < len(rest):
        return sum_of_intervals(integral(chosen, i, [], sorted(rest), sorted(selected - {i})) for i in sorted(selected))
    return sum_of_intervals(integral(chosen, i, [], sorted(rest - {i}), sorted(selected)) for i in sorted(rest))
