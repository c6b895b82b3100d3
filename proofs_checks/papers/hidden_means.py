"""Policies with hidden noisy means: their privacy is argued for any number of arms, and computed exactly for two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dpbandits.proofs_checks.exact.enumeration import enumerated_profile
from dpbandits.proofs_checks.formulas.reductions import ProofStep, equality_step
from dpbandits.proofs_checks.papers.by_comparisons import ByComparisons
from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary
from dpbandits.reference.bandits.adjacency import Pair, flipped
from dpbandits.reference.bandits.release_laws.declared_steps import Compares
from dpbandits.reference.claims.findings import above, below, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Private, Verdict, established
from dpbandits.reference.claims.records import Item, text_item

SPOTS = 2  # of arm 0, its first rewards, that are changed, one at a time: they come before the most decisions
SHARE = 0.999_999


class Loss(NamedTuple):
    """The largest loss of a transcript on a pair of tables, between two certified numbers. base: what arm 0 and arm 1
    pay; place: which reward pays the other, in words."""

    policy: Any
    base: tuple[int, int]
    place: str
    low: float
    high: float


def place(spot: int, relation: str) -> str:
    return f"pull {spot} of arm 0" if relation == "pull" else f"round {spot}, both arms"


def neighbours(horizon: int, base: tuple[int, int], spot: int, relation: str = "pull") -> Pair:
    table = np.repeat(np.array(base, dtype=np.float64)[:, None], horizon, axis=1)
    if relation == "pull":
        return flipped("pull", table, 0, spot, 1.0 - base[0])
    changed = table.copy()
    changed[:, spot] = 1.0 - changed[:, spot]
    return Pair("round", table, changed)


def loss(policy: Compares, base: tuple[int, int], spot: int, relation: str = "pull") -> Loss:
    low, high = enumerated_profile(ByComparisons(policy), neighbours(policy.horizon, base, spot, relation)).eps(0.0)
    return Loss(policy, base, place(spot, relation), low, high)


Losses = Callable[..., Loss]  # of a policy, what arms 0 and 1 pay, the changed reward, and the relation


def losses(policy: Compares, relation: str, loss_of: Losses) -> list[Loss]:
    """The losses on tables on which one arm is better, or on which both are equal."""
    return [
        loss_of(policy, base, spot, relation) for base in ((0, 0), (1, 0)) for spot in range(min(SPOTS, policy.horizon))
    ]


def table(rows: list[Loss], name: str) -> Item:
    shown = [
        [
            f"T = {each.policy.horizon}, eps = {each.policy.eps:g}",
            f"arm 0 pays {each.base[0]}, arm 1 pays {each.base[1]}",
            each.place,
            each.policy.eps,
            each.low,
            each.high,
        ]
        for each in rows
    ]
    columns = [
        "instance",
        "tables",
        "where they differ",
        "claimed eps",
        below("eps at delta 0, at least"),
        above("at most"),
    ]
    return table_item(f"All transcripts of {name} with two arms", columns, shown)


def calibrated(noise_scale: Callable[[Vocabulary, Number, Number], Number]) -> ProofStep:
    """Whether the scale of the Laplace noise of a mean of rewards in [0, 1] is its sensitivity divided by eps."""
    words = "the noise's scale is the sensitivity 1/n over eps"
    return equality_step(words, noise_scale, lambda m, eps, used: 1 / used / eps, "eps", "used")


def private(claim: Claim, name: str, words: str, steps: tuple[ProofStep, ...], *, loss_of: Losses = loss) -> Finding:
    """REFUTED where some transcript's loss exceeds the claimed eps for certain, otherwise the argument."""
    assert isinstance(claim.says, Private)
    assert claim.subject is not None
    rows: list[Loss] = []
    for instance in claim.params:
        policy = claim.subject(**instance)
        rows += losses(policy, claim.says.relation, loss_of)
    shares = [each.low / claim.says.curve(each.policy).eps for each in rows]
    most = rows[int(np.argmax(shares))]
    evidence = (table(rows, name), text_item(words))
    if max(shares) > 1 + 1e-9:
        said = (
            f"{most.policy}, arm 0 paying {most.base[0]} and arm 1 {most.base[1]}, {most.place} changed: "
            f"some transcript has a loss of at least {most.low:.9g}"
        )
        return Finding(claim.id, Verdict.REFUTED, said, evidence[:1], rests_on=(Basis.EXACT_LAW,))
    held = [step.holds() for step in steps]
    if not all(held):
        return Finding(claim.id, Verdict.CONSISTENT, "A step of the proof was not shown.", evidence[:1])
    said = (
        "The pulls are a function of means with Laplace noise, and each reward enters one of these means. The largest "
        f"loss found exactly is {max(shares):.9f} eps"
    )
    return established(claim.id, said, evidence, Basis.WORDS, Basis.EXACT_LAW, *(step.how for step in steps))


def attained(claim: Claim, name: str, policies: list[Compares], *, loss_of: Losses = loss) -> Finding:
    """PROVED where each of the policies has a transcript whose loss is at least SHARE eps."""
    rows = [loss_of(policy, (0, 0), 0) for policy in policies]
    least = min(each.low / each.policy.eps for each in rows)
    evidence = (table(rows, name),)
    if least < SHARE:
        return Finding(claim.id, Verdict.CONSISTENT, f"The privacy loss is at least {least:.9f} eps.", evidence)
    return established(claim.id, f"The privacy loss is at least {least:.9f} eps.", evidence, Basis.EXACT_LAW)
