"""Checks certificates of type "run": proofs that a run of Thompson sampling, with two arms or a few more, violates
(eps, delta)-DP for two neighbouring inputs.

The inputs differ in the reward of one pull, or of one arm in one round. The event is that of a likelihood test:
transcripts with the same pulls and totals and about the same ratio of probabilities form a heap, and so do those that
differ only in the names of arms that pay alike; the event consists of the heaps whose left mass is more than e^eps
times the right one. Transcripts with more than `pulls` pulls of the changed arm are in no heap. Each row of the tables
is stored as runs: [number of equal rewards, reward].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from dpbandits.extensions.thompson.run_checker.pull_chances import CHANCE, pull_chances
from dpbandits.proofs_checks.checker.agreement import format_enclosure
from dpbandits.proofs_checks.checker.expressions import evaluator, require_all_used
from dpbandits.proofs_checks.checker.intervals import (
    Interval,
    as_interval,
    high,
    interval,
    interval_exp,
    interval_log,
    low,
    work,
)
from dpbandits.proofs_checks.checker.untrusted import ExtendedRational, Fields, Rejected, read_decimal, spend_effort

UNLIKELY = 30  # rounds less likely than 2^-UNLIKELY are in no heap
NEGLIGIBLE = 40  # nor are states whose heaps all have 2^-NEGLIGIBLE of delta, or less
MOST_HEAPS = 4000


class RunClaim(NamedTuple):
    """The numbers in a certificate: the policy's variance, the width of a heap, and the eps and delta that are
    refuted."""

    variance: Fraction
    step: Fraction
    eps: Interval
    delta: Interval


def check_run(certificate: Fields) -> list[str]:
    """Checks a certificate by computing the probability of its event; returns the result as lines of text.
    It computes a lower bound on the left side and an upper bound on the right side. Raises Rejected if these
    probabilities do not distinguish the inputs."""
    claim = read_run_claim(certificate)
    p, q = event_chances(certificate, claim)
    eps, delta = claim.eps, claim.delta
    bound = interval_exp(eps) * q + delta
    if not low(p) > high(bound):
        raise Rejected(
            f"(eps, delta)-DP is not violated: the lower bound on P_left is {format_enclosure(p)}, the upper bound on "
            f"e^eps P_right + delta is {format_enclosure(bound)}"
        )
    arms, changed, policy = len(certificate["rewards"]), certificate["changed"], certificate["policy"]
    when = "" if certificate["relation"] == "pull" else f" in round {changed[1] + 1}"
    many = f"{'two' if arms == 2 else arms} arms, {certificate['horizon']} rounds"
    return [
        f"Gaussian Thompson sampling, {many}, b = {policy['prepulls']}, c = {policy['variance'][:60]}; "
        f"a reward of arm {changed[0]} changed{when}",
        f"P_left(event) >= {format_enclosure(p)}, P_right(event) <= {format_enclosure(q)}",
        f"eps = {format_enclosure(eps)}, delta = {format_enclosure(delta)}: e^eps P_right + delta <= "
        f"{format_enclosure(bound)}",
        "so that P_left(event) > e^eps P_right(event) + delta",
    ]


def read_run_claim(certificate: Fields) -> RunClaim:
    """Reads variance, step, eps and delta of a certificate. Raises Rejected for invalid numbers."""
    variance = read_decimal(certificate["policy"]["variance"], "policy/variance")
    step = read_decimal(certificate["step"], "step")
    walker = evaluator(certificate)
    eps, delta = (as_interval(walker.value(certificate[field], field)) for field in ("eps", "delta"))
    require_all_used(walker)
    if variance <= 0 or not Fraction(1, 1000) <= step <= 10 or low(eps) < 0 or low(delta) <= 0:
        raise Rejected("variance and delta must be positive, eps at least 0, and step from 0.001 to 10")
    return RunClaim(variance, step, eps, delta)


def event_chances(certificate: Fields, claim: RunClaim) -> tuple[Interval, Interval]:
    """Returns a lower bound on the event's probability on the left side, and an upper bound on the right side."""
    horizon, pulls, arms = certificate["horizon"], certificate["pulls"], len(certificate["rewards"])
    prepulls, step = certificate["policy"]["prepulls"], claim.step
    if arms * prepulls > horizon or pulls < prepulls:
        raise Rejected(
            f"prepulls = {prepulls} for each of {arms} arms is too large for horizon = {horizon} and pulls = {pulls} "
            "(the pull count of the changed arm)"
        )
    run = read_run_tables(certificate, horizon, claim.variance, pulls)
    reach = math.ceil(float(high(claim.eps)) + 10), 10  # losses from -reach[1] to reach[0] are told apart
    heaps = math.ceil(sum(reach) / step)
    if heaps > MOST_HEAPS:
        raise Rejected(
            f"step: {certificate['step'][:60]} is too small, because the check would need more than {MOST_HEAPS} cells"
        )
    small = float(low(log_2(claim.delta)))
    bits = math.ceil(1.4427 * reach[0] - small + 60)
    heap = Heaps(bits, heaps, float(step), max(int(bits + small) - NEGLIGIBLE, 0))
    heap.begin(run.start(prepulls, certificate["changed"][0]), round(reach[1] / step))
    for t in range(arms * prepulls, horizon):
        for state in sorted(heap.rows, reverse=True):
            heap.move(state, partial(run.outcomes_of_round, state, t))
    left, right = heap.event_masses(high(interval_exp(claim.eps)))
    return interval(Fraction(left, 1 << bits)), interval(Fraction(right, 1 << bits))


def log_2(x: Interval) -> Interval:
    """An interval that contains the logarithm to base 2 of the interval x."""
    return interval_log(x) / work.log(work.mpf(2))


def read_run_tables(certificate: Fields, horizon: int, variance: Fraction, pulls: int) -> RunTables:
    """Reads the reward tables of both sides from a certificate; the changed arm comes first.
    Raises Rejected for invalid rewards."""
    arm, place = certificate["changed"]
    rows = [
        [(count, read_decimal(text, f"rewards/{a}/{i}/1")) for i, (count, text) in enumerate(row)]
        for a, row in enumerate(certificate["rewards"])
    ]
    becomes = read_decimal(certificate["becomes"], "becomes")
    if not all(0 <= value <= 1 for row in rows for _, value in row) or not 0 <= becomes <= 1:
        raise Rejected("rewards: every reward must be in [0, 1]")
    unit = math.lcm(becomes.denominator, *(value.denominator for row in rows for _, value in row))
    if unit > 1 << 64:
        raise Rejected("rewards: the common denominator must be at most 2^64")
    if any(sum(count for count, _ in row) != horizon for row in rows) or place >= horizon or arm >= len(rows):
        raise Rejected(f"rewards: every row must have length {horizon}, and contain the changed reward")
    spend_effort((len(rows) + 1) * horizon)
    lists = [[int(value * unit) for count, value in row for _ in range(count)] for row in rows]
    left = [lists[arm], *lists[:arm], *lists[arm + 1 :]]
    right = [list(left[0]), *left[1:]]
    right[0][place] = int(becomes * unit)
    alike = all(row == left[1] for row in left[2:])
    return RunTables(left, right, certificate["relation"], unit, variance, pulls, alike)


ArmTotals = tuple[tuple[int, int, int], ...]  # by arm: pulls, what it has paid on the left, and on the right
Way = tuple[ArmTotals, int, int]  # where a pull leads; how likely at least on the left, and at most on the right


class RunTables(NamedTuple):
    """The rewards on both sides, the changed arm first. alike: all other arms pay the same, so that they may be
    exchanged."""

    left: list[list[int]]
    right: list[list[int]]
    relation: str
    unit: int
    variance: Fraction
    pulls: int
    alike: bool

    def start(self, prepulls: int, changed: int) -> ArmTotals:
        """Returns the state (pulls and totals of every arm) after `prepulls` pulls of each arm.
        changed: the number of the changed arm, which comes first in the state."""
        order = [changed, *(a for a in range(len(self.left)) if a != changed)]
        named = self._replace(alike=False)  # here a place in the state is an arm
        state: ArmTotals = tuple((0, 0, 0) for _ in order)
        for t in range(prepulls * len(order)):
            state = named.after(state, order.index(t // prepulls), t)
        return state[:1] + (tuple(sorted(state[1:])) if self.alike else state[1:])

    def after(self, state: ArmTotals, arm: int, t: int) -> ArmTotals:
        """Returns the state after the arm at position `arm` of the state is pulled in round t."""
        n, left, right = state[arm]
        column = n if self.relation == "pull" else t
        paid = n + 1, left + self.left[arm][column], right + self.right[arm][column]
        after: ArmTotals = (*state[:arm], paid, *state[arm + 1 :])
        return after[:1] + tuple(sorted(after[1:])) if self.alike else after

    def outcomes_of_round(self, state: ArmTotals, t: int) -> list[Way]:
        """The possible states after round t, each with bounds on its probability (lower on the left, upper right).
        Outcomes with too many pulls of
        the changed arm are left out."""
        left = self.chances([(n, total) for n, total, _ in state])
        same = all(a == b for _, a, b in state)
        right = left if same else self.chances([(n, total) for n, _, total in state])
        found = [(self.after(state, arm, t), left[arm][0], right[arm][1]) for arm in range(len(state))]
        return [way for way in found if way[0][0][0] <= self.pulls]

    def chances(self, arms: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Bounds on each arm's probability of a pull, in units of 2^-CHANCE. arms: pulls and totals."""
        return pull_chances(arms, self.unit * self.unit * self.variance)


class Heaps:
    """Probabilities of transcripts, grouped by pulls and totals of the arms and by the rounded log of the ratio of both
    sides' probabilities. A row of heaps is one whole number for each side: `wide` bits a heap, of which the mass is the
    lowest ones, in units of 2^-bits. Left masses are rounded down, right ones up. The heap of a transcript is chosen in
    doubles: whatever it is, it is the same on both sides, and nothing else is needed."""

    def __init__(self, bits: int, heaps: int, step: float, negligible: int) -> None:
        """Prepares rows of masses, each packed into one large integer. bits: the precision of a mass.
        heaps: the number of masses in a row, one for each range of losses. step: the width of a range."""
        self.bits, self.heaps, self.step = bits, heaps, step
        self.wide = -(-(bits + CHANCE + 24) // 8) * 8  # whole bytes
        ones = ((1 << self.wide * heaps) - 1) // ((1 << self.wide) - 1)
        self.ones, self.mask = ones, ones * ((1 << bits + 20) - 1)
        self.heavy = ones * ((1 << bits + 20) - (1 << negligible))
        self.rows: dict[ArmTotals, tuple[int, int, float]] = {}

    def begin(self, state: ArmTotals, place: int) -> None:
        """Gives a state mass 1 on both sides, in heap number `place` of its row."""
        mass = 1 << (self.bits + self.wide * place)
        self.rows[state] = mass, mass, 0.0

    def move(self, state: ArmTotals, ways: Callable[[], list[Way]]) -> None:
        """Plays one round from a state: adds its row to the rows of the next states, and removes it.
        ways: a function that returns the outcomes; it is called only if the row has mass."""
        left, right, offset = self.rows.pop(state)
        spend_effort(4 + self.heaps * self.wide / 3000)
        if not left & self.heavy:
            return
        for target, low_left, high_right in ways():
            if min(low_left, high_right) < 1 << (CHANCE - UNLIKELY):
                continue
            p = (left * low_left >> CHANCE) & self.mask
            q = ((right * high_right >> CHANCE) & self.mask) + self.ones
            self.add_masses(target, p, q, offset + math.log(low_left) - math.log(high_right))

    def add_masses(self, state: ArmTotals, p: int, q: int, loss: float) -> None:
        """Adds the masses p and q, each packed into one integer, to the row of a state.
        Heap k of the added row contains losses of about loss + step k."""
        before_p, before_q, offset = self.rows.get(state, (0, 0, loss))
        cells = round((loss - offset) / self.step)
        if state not in self.rows and abs(offset) >= self.step:
            cells = math.floor(offset / self.step)
            offset -= cells * self.step
        self.rows[state] = before_p + self.moved(p, cells), before_q + self.moved(q, cells), offset

    def moved(self, row: int, cells: int) -> int:
        """Returns the row shifted upwards by `cells` heaps; mass that leaves the range is dropped."""
        bits = abs(cells) * self.wide
        return row >> bits if cells < 0 else (row << bits) & ((1 << self.wide * self.heaps) - 1)

    def event_masses(self, odds: ExtendedRational) -> tuple[int, int]:
        """Returns the probability of the event on both sides, in units of 2^-bits.
        The event is the union of all heaps whose left mass exceeds odds times the right one."""
        spend_effort(len(self.rows) * self.heaps)
        over, under = odds.as_integer_ratio() if isinstance(odds, Fraction) else (1, 0)
        heaps = (
            pair for p, q, _ in self.rows.values() for pair in zip(self.unpacked(p), self.unpacked(q), strict=True)
        )
        event = [(p, q) for p, q in heaps if p * under > q * over]
        return sum(p for p, _ in event), sum(q for _, q in event)

    def unpacked(self, row: int) -> list[int]:
        """Unpacks a row into the masses of its heaps."""
        size = self.wide // 8
        data = row.to_bytes(size * self.heaps, "little")
        return [int.from_bytes(data[begin : begin + size], "little") for begin in range(0, len(data), size)]
