"""Reads a ceiling, a certificate of an upper bound on eps, from an untrusted file: its statement and the choices of its
computation. Also estimates the cost of checking it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any, NamedTuple

from .rounds import FIRST_THRESHOLD, LAST_THRESHOLD, PART, tangent_positions
from .sampler import Choices, Rejected, Sampler

SIZE_LIMITS = {"horizon": 3000, "cells": 6000, "levels": 400}
REACH = 150  # a grid reaches from likelihood ratios of at least e^-REACH to at most e^REACH
EFFORT = 2e10  # what a ceiling may take, in units of PACE: about half an hour
PACE = 1e-7  # seconds; measured, with each of what follows, on one core of 2024: only the time that is said hangs on it
CORNER = 1000  # of one corner: Phi and an exponential, and divisions at 320 bits
COIN = 400  # of a coin in a state, beside a unit for each cell
STATE, FOLDS = 1000, 12  # of a state, and how often its ratio is moved by one of the grid: log(4)/log(ratio) times
WAITING = 4  # a state before the changed reward takes as much as so many coins
NONNEGATIVE_PATTERN = re.compile(r"\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,2})?|\d{1,40}/\d{1,40}", re.ASCII)


class Subject(NamedTuple):
    """What a ceiling states: the sampler, the relation and the bound."""

    sampler: Sampler
    relation: str
    eps: Fraction
    delta: Fraction


def read_subject(ceiling: Any, longest: int, largest: int) -> Subject:
    """Reads a ceiling's sampler, relation, eps and delta. longest, largest: the largest allowed horizon and eps.
    largest: the largest eps. Raises Rejected for an invalid ceiling."""
    policy = read_entry(ceiling, "policy", Mapping)
    if ceiling.get("type") != "ceiling" or policy.get("name") != "gaussian-thompson":
        raise Rejected('`type` must be "ceiling", and the `name` of `policy` must be "gaussian-thompson"')
    arms, relation = ceiling.get("arms"), ceiling.get("relation")
    if arms not in (2, "any") or relation not in ("pull", "round"):
        raise Rejected('arms must be 2 or "any", and relation "pull" or "round"')
    horizon = read_integer(ceiling.get("horizon"), "horizon", 1, longest)
    sampler = Sampler(
        horizon,
        arms == 2,
        read_integer(policy.get("prepulls"), "policy/prepulls", 0, horizon // 2),
        read_nonnegative(policy.get("variance"), "policy/variance"),
    )
    eps, delta = read_nonnegative(ceiling.get("eps"), "eps"), read_nonnegative(ceiling.get("delta"), "delta")
    if not sampler.variance or not Fraction(1, 100) <= sampler.variance <= 10**6 or eps > largest or not 0 < delta < 1:
        raise Rejected(
            f"variance must be from 0.01 to 10^6, eps from 0 to {largest}, and delta strictly between 0 and 1"
        )
    return Subject(sampler, relation, eps, delta)


def read_ceiling(ceiling: Any) -> tuple[Sampler, str, tuple[Choices, ...], Fraction, Fraction]:
    """Reads a ceiling that is checked round by round: sampler, relation, settings of both sides, eps and delta.
    Raises Rejected for an invalid one."""
    sampler, relation, eps, delta = read_subject(ceiling, SIZE_LIMITS["horizon"], 700)
    games = tuple(
        read_choices(game, sampler, f"games/{i}") for i, game in enumerate(read_entry(ceiling, "games", Sequence)[:2])
    )
    if sorted(game.higher for game in games) != ["left", "right"]:
        raise Rejected('games: there must be two entries, one with "higher": "left" and one with "higher": "right"')
    effort = sum(estimated_work(sampler, game) for game in games)
    if effort > EFFORT:
        raise Rejected(
            f"checking this certificate would take about {effort * PACE / 60:.0f} minutes, but at most "
            f"{EFFORT * PACE / 60:.0f} are allowed; use a shorter run, a coarser grid, fewer tangents or longer spans"
        )
    return sampler, relation, games, eps, delta


def expected_seconds(ceiling: Any) -> float:
    """An approximate upper bound on the seconds to check a ceiling.
    0 for one that is rejected immediately, or that contains prices, which takes seconds. Never raises."""
    try:
        if "prices" in ceiling:
            return 0.0
        sampler, _, games, _, _ = read_ceiling(ceiling)
    except Exception:  # whatever is wrong with it, the check says
        return 0.0
    return sum(estimated_work(sampler, game) for game in games) * PACE


def estimated_work(sampler: Sampler, choices: Choices) -> float:
    """An upper bound on the time of the game for one side, in units of PACE, estimated before the computation.
    Each state, each use of a coin in it, and each new corner. All tangents are counted, even those beyond the limits of
    a round."""
    cells = choices.below + choices.above + 1
    state = STATE + FOLDS / math.log(choices.ratio) + (WAITING * (COIN + cells) if sampler.two else 0)
    spans, coins, effort = list(choices.spans), [0], 0.0
    for total in range(sampler.horizon - 1, sampler.begin - 1, -1):
        states = max(min(choices.last, total - sampler.prepulls) - sampler.first + 1, 0)
        begins = bool(spans) and total <= spans[0][0]
        if begins:  # coins[k]: those of k pull counts; beyond the last row, each has as many as it
            rows = spans.pop(0)[1]
            coins = [0, *accumulate(len(tangent_positions((low, high), choices.width)) + 5 for low, high, _ in rows)]
        beyond = max(states - len(coins) + 1, 0)
        used = coins[states - beyond] + beyond * (coins[-1] - coins[-2])
        effort += states * state + used * (COIN + cells) + begins * used * CORNER
    return effort


def read_choices(game: Any, sampler: Sampler, place: str) -> Choices:
    """Reads a ceiling's settings of the computation for one side of the change. Raises Rejected for invalid ones."""
    ratio = read_nonnegative(read_entry(game, "ratio", str), f"{place}/ratio")
    below, above = (
        read_integer(game.get(side), f"{place}/{side}", 1, SIZE_LIMITS["cells"]) for side in ("below", "above")
    )
    last = read_integer(
        game.get("last"), f"{place}/last", sampler.first + 1, max(SIZE_LIMITS["levels"], sampler.first + 1)
    )
    width = read_integer(game.get("width"), f"{place}/width", 1, PART)
    if not Fraction(1001, 1000) <= ratio <= 2 or below + above > SIZE_LIMITS["cells"]:
        raise Rejected(
            f"{place}: ratio must be from 1.001 to 2, and below + above at most {SIZE_LIMITS['cells']} cells"
        )
    spans = []
    for i, span in enumerate(read_entry(game, "spans", Sequence)[: SIZE_LIMITS["horizon"]]):
        at = f"{place}/spans/{i}"
        given = [row for row in read_entry(span, "rows", Sequence) if isinstance(row, list | tuple) and len(row) == 3]
        rows = [
            (
                read_integer(a, at, FIRST_THRESHOLD, LAST_THRESHOLD),
                read_integer(b, at, FIRST_THRESHOLD, LAST_THRESHOLD),
                read_nonnegative(drift, at),
            )
            for a, b, drift in given[: SIZE_LIMITS["levels"] + 1]
        ]
        if not rows or any(a > b or not Fraction(1, 4) <= drift <= 4 for a, b, drift in rows):
            raise Rejected(
                f"{at}: every row must be [low, high, drift], with thresholds low <= high and a drift from 1/4 to 4"
            )
        spans.append((read_integer(span.get("top"), at, 0, sampler.horizon - 1), tuple(rows)))
    tops = [top for top, _ in spans]
    if sampler.horizon > sampler.begin and (
        not tops or tops[0] != sampler.horizon - 1 or tops != sorted(set(tops), reverse=True)
    ):
        raise Rejected(
            f"{place}/spans: the numbers `top` must decrease from span to span, and the first must be "
            f"{sampler.horizon - 1}"
        )
    return Choices(str(game.get("higher")), ratio, below, above, last, width, tuple(spans))


def read_entry(value: Any, name: str, kind: Any) -> Any:
    """Reads the field `name`, which must have the type `kind`. Raises Rejected otherwise."""
    found = value.get(name) if isinstance(value, Mapping) else None
    if not isinstance(found, kind) or (isinstance(found, str) and kind is not str):
        raise Rejected(f"{name}: this field is missing, or has the wrong type")
    return found


def read_integer(value: Any, place: str, lower: int, upper: int) -> int:
    """Reads an integer from `lower` to `upper`. Raises Rejected otherwise."""
    if type(value) is not int or not lower <= value <= upper:
        raise Rejected(f"{place}: {ascii_excerpt(value)} is not an integer from {lower} to {upper}")
    return value


def ascii_excerpt(value: Any) -> str:
    """The first characters of a value, in ASCII. Python prints no integer of more than 4300 digits."""
    try:
        return ascii(str(value)[:40])
    except (ValueError, RecursionError):
        return f"a value ({type(value).__name__}) that is too long to be written out"


def read_nonnegative(text: Any, place: str) -> Fraction:
    """Reads a number of at least 0 from text, exactly. Raises Rejected otherwise."""
    if not isinstance(text, str) or not NONNEGATIVE_PATTERN.fullmatch(text):
        raise Rejected(f"{place}: {ascii_excerpt(text)} is not a string with a number of at least 0")
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise Rejected(f"{place}: the number {text[:40]} contains a division by 0") from None
