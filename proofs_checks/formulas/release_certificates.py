"""Writes certificates that a policy violates DP, for policies that select their releases by noisy values. A certificate
contains the steps of the policy along given transcripts.

The steps are those that the policy declares (`release_laws.declared_steps`). The checker computes the probabilities,
which are then compared with the policy's law.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import isfinite
from typing import Any, cast

import numpy as np

from dpbandits.proofs_checks.checker import intervals as checker_intervals
from dpbandits.proofs_checks.checker import releases as checker_releases
from dpbandits.proofs_checks.checker import untrusted as checker_untrusted
from dpbandits.proofs_checks.checker import verification as checker_verification
from dpbandits.proofs_checks.checker.intervals import Interval
from dpbandits.proofs_checks.exact.state_graph import ForbiddenNoise
from dpbandits.proofs_checks.formulas.certificates import Certificate, guarantee_as_data
from dpbandits.proofs_checks.vocabularies.decimals import exact_text
from dpbandits.reference.arithmetic.checks import is_number
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.passing import State
from dpbandits.reference.bandits.policy import Ints, Policy, Pulls
from dpbandits.reference.bandits.recommendations import answered
from dpbandits.reference.bandits.release_laws.declared_steps import Selecting

Step = dict[str, Any]  # one selection of a release certificate, as JSON
CHANCE_DIGITS = 30  # of a stored probability


class NotCertifiable(ValueError):
    """The releases of a policy along these transcripts cannot be written as selections; the message gives the
    reason."""


def release_certificate(
    claim: str,
    policy: Policy,
    numbers: Mapping[str, object],
    pair: Pair,
    event: Sequence[Ints],
    eps: object,
    delta: object,
    variables: Mapping[str, object] | None = None,
) -> Certificate:
    """A certificate that a policy which selects arms by noise violates (eps, delta)-DP on two neighbouring tables.

    event: transcripts, each the released pulls (steps, arms). numbers: the policy's parameters. claim: the claim's id.
    Raises NotCertifiable if this cannot be written down.
    """
    return certificate_of_steps(claim, numbers, pair, selection_tree(policy, pair, event), eps, delta, variables)


def certificate_of_steps(
    claim: str,
    numbers: Mapping[str, object],
    pair: Pair,
    steps: list[Step],
    eps: object,
    delta: object,
    variables: Mapping[str, object] | None = None,
) -> Certificate:
    """A release certificate with these steps; the checker computes the event's probabilities on both tables.
    Raises NotCertifiable if the checker would reject it."""
    left, right, lengths = compress_to_runs(pair)
    found: Certificate = {
        "type": "release",
        "claim": claim,
        "parameters": {name: exact_text(value) for name, value in numbers.items()},
        "relation": pair.relation,
        "range": [exact_text(pair.low), exact_text(pair.high)],
        "lengths": [str(each) for each in lengths.tolist()],
        "left": [[exact_text(value) for value in row] for row in left.tolist()],
        "right": [[exact_text(value) for value in row] for row in right.tolist()],
        "steps": steps,
        **guarantee_as_data(eps, delta, variables),
    }
    with checker_untrusted.limited_effort(checker_verification.EFFORT):
        try:
            tables = checker_releases.require_neighbouring_tables(found)
            for side, table in zip(("left", "right"), tables, strict=True):
                found[f"{side}_probability"] = stored_enclosure(
                    checker_releases.event_probability(found["steps"], table)
                )
        except checker_untrusted.Rejected as wrong:
            raise NotCertifiable(
                f"no certificate was written, because the checker would reject this certificate: {wrong}"
            ) from None
    return found


def numeric_fields(policy: Any) -> dict[str, float]:
    """The finite numeric fields of a policy, {name: value}."""
    values = {each.name: getattr(policy, each.name) for each in fields(policy)}
    return {name: value for name, value in values.items() if is_number(value) and isfinite(value)}


def compress_to_runs(pair: Pair) -> tuple[Array, Array, Ints]:
    """Merges equal neighbouring columns of both tables; returns the tables and the number of columns merged."""
    lengths = np.ones(pair.left.shape[1], dtype=np.int64) if pair.lengths is None else pair.lengths
    both = np.concatenate([pair.left, pair.right])
    begins = np.flatnonzero(np.append(True, (both[:, 1:] != both[:, :-1]).any(axis=0)))
    return pair.left[:, begins], pair.right[:, begins], np.add.reduceat(lengths, begins)


def stored_enclosure(enclosure: Interval) -> list[str]:
    """The ends of an enclosed probability as two decimal strings, rounded outwards, for a certificate."""
    ends = []
    for end, rounding in (
        (checker_intervals.low(enclosure), ROUND_FLOOR),
        (checker_intervals.high(enclosure), ROUND_CEILING),
    ):
        value, context = Fraction(end), Context(prec=CHANCE_DIGITS, rounding=rounding, Emin=-(10**6), Emax=10**6)
        ends.append(f"{context.divide(Decimal(value.numerator), Decimal(value.denominator)):e}".replace("E", "e"))
    return [end.replace("e+", "e") for end in ends]


Places = tuple[tuple[tuple[int, int], ...], ...]  # of every arm, where its rewards stood: (first, last) in order


def selection_tree(policy: Any, pair: Pair, event: Sequence[Ints]) -> list[Step]:
    """The steps of a certificate for the event that consists of these transcripts.
    A tree of selections, in which each step is listed before those that follow it. Raises NotCertifiable."""
    steps: list[Step] = []
    silence = cast(Any, ForbiddenNoise())

    def write_steps(t: int, state: State, paid: Places, transcripts: list[Ints]) -> int:
        """Writes all steps that follow after t steps of the given transcripts; returns the index of the first, or -1.
        transcripts: the transcripts that lead here."""
        if t == len(transcripts[0]) or not transcripts[0][t].any():
            return -1
        says = policy.selecting(t + 1, state)
        kinds = {tuple(path[t].tolist()): path[t] for path in transcripts}
        if says is None and len(kinds) > 1:
            raise NotCertifiable(
                f"step {t + 1}: the policy declares that its release is certain, but the transcripts of the "
                "event contain several"
            )
        place, after = len(steps), -1
        if says is not None:
            steps.append(selection_step(says, paid))
        for name, counts in kinds.items():
            after = -1
            if not answered(counts):
                # What is selected next hangs on the pulls, and not on what they paid.
                later = policy.learn(t + 1, state, Pulls(counts[None]), np.zeros((1, policy.arms)), silence)
                here = [path for path in transcripts if tuple(path[t].tolist()) == name]
                after = write_steps(t + 1, later, reward_sources_after(pair.relation, paid, counts), here)
            if says is not None:
                kept = [option for option, arm in enumerate(says.arms) if counts[arm]]
                steps[place]["releases"].append({"kept": kept, "next": after})
        return after if says is None else place

    write_steps(0, policy.init(1), ((),) * policy.arms, [np.asarray(path) for path in event])
    if not steps:
        raise NotCertifiable("there is nothing to certify: in these transcripts, no release is selected by noise")
    return steps


def reward_sources_after(relation: str, paid: Places, counts: Ints) -> Places:
    """The positions [(first, last), ...] of the rewards that each arm has paid after a further block of pulls.
    On a table they are in the arm's own row; on a stream they are rounds, of which a block takes its pulls in the order
    of arms."""
    made = [sum(last - first for first, last in places) for places in paid]
    used, found = sum(made), []
    for places, before, count in zip(paid, made, counts.tolist(), strict=True):
        first = before if relation == "pull" else used
        used += count
        joins = bool(places) and places[-1][1] == first
        begin = places[-1][0] if joins else first
        found.append((*places[: -1 if joins else None], (begin, first + count)) if count else places)
    return tuple(found)


def latest_rewards(places: tuple[tuple[int, int], ...], count: int) -> list[tuple[int, int]]:
    """The positions (first, last) of an arm's latest `count` rewards, among its rewards at `places`.
    Raises NotCertifiable if there are fewer."""
    found: list[tuple[int, int]] = []
    for first, last in reversed(places):
        if count <= 0:
            break
        found.append((max(first, last - count), last))
        count -= last - first
    if count > 0:
        raise NotCertifiable(f"step: the policy declares selections that use {count} more rewards than it has received")
    return found[::-1]


def selection_step(selection: Selecting, paid: Places) -> Step:
    """A step of a certificate, without its releases, for one selection by noise as the policy declares it.
    paid: the places of the earlier rewards of every arm."""
    heard = selection.arms if selection.heard is None else selection.heard
    shares = [[float(k == arm) for arm in range(len(heard))] for k in range(len(heard))]
    terms = [
        ([value, arm, str(first), str(last)], factor)
        for value, row in enumerate(shares if selection.mixed is None else selection.mixed)
        for arm, many, factor in zip(heard, selection.latest, row, strict=True)
        if factor
        for first, last in latest_rewards(paid[arm], many)
    ]
    found: Step = {
        "noise": selection.noise,
        "rule": selection.rule,
        "size": exact_text(selection.size),
        "options": list(selection.arms),
        "windows": [window for window, _ in terms],
        "divisors": [exact_text(value) for value in selection.divisors],
        "bounds": [exact_text(selection.bound) if isfinite(selection.bound) else "inf"] * len(selection.divisors),
        "scales": [exact_text(value) for value in selection.scales],
        "releases": [],
    }
    if selection.mixed is not None:
        found["factors"] = [exact_text(factor) for _, factor in terms]
    if selection.weights is not None:
        found["weights"] = [[exact_text(value) for value in row] for row in selection.weights]
    if selection.within:
        found["within"] = exact_text(selection.within)
    return found
