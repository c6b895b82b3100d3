"""Certificates of type "transcripts": Gaussian Thompson sampling (two arms, prior count 1) violates DP for two
neighbouring reward tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from .agreement import AGREE, require_violation
from .intervals import Interval, interval, sum_of_intervals, work
from .normal import normal_distribution
from .untrusted import Fields, Rejected, pay_for_operation, read_decimal, spend_effort

RewardRows = list[list[Fraction]]  # a row an arm
# By the next arm: the probability of the beginning up to it, what was seen then, and the same for what may follow.
Beginnings = dict[int, tuple[Interval, "ArmCounts", "Beginnings"]]


def check_transcripts(certificate: Fields) -> list[str]:
    """Recomputes the probability of the listed transcripts on either side, and returns lines for the reader. Raises
    Rejected if the tables are not neighbours, or if the event does not distinguish them."""
    left, right = tables = read_tables(certificate)
    require_neighbours(left, right, certificate["relation"])
    event = [tuple(transcript) for transcript in certificate["event"]]
    if len(set(event)) != len(event):
        raise Rejected("event: a transcript occurs twice")
    if len({len(transcript) for transcript in event}) > 1:
        raise Rejected("event: all transcripts must have the same length")
    prepulls = certificate["policy"]["prepulls"]
    variance = read_decimal(certificate["policy"]["variance"], "policy/variance")
    if variance <= 0:
        raise Rejected(f"policy/variance: {certificate['policy']['variance'][:60]} must be positive")
    chance = {}
    for side, table in zip(("left", "right"), tables, strict=True):
        law = ThompsonLaw(table, certificate["relation"], prepulls, variance, side)
        chance[side] = sum_of_intervals(law.probability(transcript) for transcript in event)
    lines = require_violation(certificate, chance["left"], chance["right"], AGREE)
    noise = f"b = {prepulls}, c = {certificate['policy']['variance'][:60]}"
    return [
        f"Gaussian Thompson sampling, two arms, {noise}; {len(event)} transcripts of {len(event[0])} rounds",
        *lines,
    ]


def read_tables(certificate: Fields) -> list[RewardRows]:
    """The tables of both sides: two rows each, of equal length, in [0, 1]."""
    tables = [
        [
            [read_decimal(text, f"{side}/{a}/{n}") for n, text in enumerate(row)]
            for a, row in enumerate(certificate[side])
        ]
        for side in ("left", "right")
    ]
    width = len(tables[0][0])
    for side, table in zip(("left", "right"), tables, strict=True):
        if len(table) != 2 or any(len(row) != width for row in table):
            raise Rejected(
                f"{side}: the table must have two rows (arms) of equal length, and this length must be the same on "
                "both sides"
            )
        for a, row in enumerate(table):
            for n, entry in enumerate(row):
                if not 0 <= entry <= 1:
                    raise Rejected(f"{side}/{a}/{n}: the reward {certificate[side][a][n][:60]} is outside [0, 1]")
    return tables


def require_neighbours(left: RewardRows, right: RewardRows, relation: str) -> None:
    """Raises Rejected unless the tables are neighbours under the relation."""
    moved = [(a, n) for a in range(2) for n in range(len(left[0])) if left[a][n] != right[a][n]]
    if relation == "pull" and len(moved) > 1:
        raise Rejected(
            f"right: not a neighbour of left, because the tables differ in {len(moved)} entries, but may differ in "
            "only one"
        )
    if relation == "round" and len({n for _, n in moved}) > 1:
        raise Rejected(
            "right: not a neighbour of left, because the tables differ in several rounds, but may differ in only one"
        )


class ThompsonLaw:
    """The law of transcripts on one fixed table; probabilities of common beginnings are computed once."""

    def __init__(self, table: RewardRows, relation: str, prepulls: int, variance: Fraction, side: str):
        self.table, self.relation, self.side, self.variance = table, relation, side, variance
        self.start = ArmCounts((0, 0), (Fraction(0), Fraction(0)))
        for arm in [0] * prepulls + [1] * prepulls:
            self.start = self.after(self.start, arm)
        self.known: Beginnings = {}

    def probability(self, transcript: Sequence[int]) -> Interval:
        """The probability of a transcript; what transcripts have in common is computed once."""
        known, seen, chance = self.known, self.start, work.mpf(1)
        for place, arm in enumerate(transcript):
            if arm not in known:
                known[arm] = (
                    chance * self.step(seen, arm),
                    seen if place == len(transcript) - 1 else self.after(seen, arm),
                    {},
                )
            spend_effort(1)
            chance, seen, known = known[arm]
        return chance

    def after(self, seen: ArmCounts, arm: int) -> ArmCounts:
        """The counts and sums after one more pull of this arm. Raises Rejected if the table has no such reward."""
        column = seen.pulls[arm] if self.relation == "pull" else sum(seen.pulls)
        if column >= len(self.table[arm]):
            raise Rejected(f"{self.side}: the table of width {len(self.table[arm])} is too short for the event")
        pulls, sums = list(seen.pulls), list(seen.sums)
        pay_for_operation(sums[arm], self.table[arm][column])
        pulls[arm] += 1
        sums[arm] += self.table[arm][column]
        return ArmCounts((pulls[0], pulls[1]), (sums[0], sums[1]))

    def step(self, seen: ArmCounts, arm: int) -> Interval:
        """P(next arm | arms so far): theta_i ~ N(S_i/(n_i + 1), c/(n_i + 1)), and the arm with the larger one is
        pulled."""
        pay_for_operation(*seen.sums, self.variance)
        pulls, sums = seen
        lead = sums[arm] / (pulls[arm] + 1) - sums[1 - arm] / (pulls[1 - arm] + 1)
        spread = self.variance * (Fraction(1, pulls[0] + 1) + Fraction(1, pulls[1] + 1))
        return normal_distribution(interval(lead) / work.sqrt(interval(spread)))


class ArmCounts(NamedTuple):
    """The number of pulls of each arm, and its total reward."""

    pulls: tuple[int, int]
    sums: tuple[Fraction, Fraction]
