"""The audit of a counter: a mechanism that releases noisy sums of a stream, one after every value.

    from dpbandits.audit.counters import audit_counter

    def noisy_sums(values, trials, seed):
        noise = np.random.default_rng(seed).laplace(size=(trials, len(values)))
        return np.cumsum(values) + noise  # every sum has noise for one

    audit_counter(noisy_sums, length=16, eps=1.0)

Which streams tell most is searched for on trials of its own; the pair that tells most is certified on fresh ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.effort import RISK
from dpbandits.audit.mechanism import FEWEST, Asked, audited, drawn, judged, question
from dpbandits.audit.play.calls import calls_for
from dpbandits.reference.checks import whole
from dpbandits.reference.ledger import Finding
from dpbandits.reference.noise import Array, address

LOOK = 1.0  # the trials of all looks together, as a multiple of the audit's own


class Streams(NamedTuple):
    """Two streams of values in [0, 1] that differ in one of them."""

    label: str
    left: Array
    right: Array


def audit_counter(
    counter: Any,
    length: int,
    *,
    eps: float | None = None,
    delta: float | None = None,
    mu: float | None = None,
    trials: int = 100_000,
    seed: int = 0,
    risk: float = RISK,
) -> Finding:
    """Whether a counter keeps what it promises about streams of `length` values in [0, 1] that differ in one of them.

    counter: (values, trials, seed) to the noisy sums, (trials, length) or however many numbers it releases; see
    `audit_mechanism`, whose other arguments these are. Raises ValueError as it does, and for a length below 1.
    """
    asked = counting(counter, length, eps=eps, delta=delta, mu=mu, trials=trials, seed=seed, risk=risk)
    return judged(asked)[1]


def counting(counter: Any, length: int, **settings: Any) -> Asked:
    """The audit of the pair of streams that tells most."""
    pairs = list(neighbours(whole(length, "length", 1, 2**20)))
    asked = [question(counter, each.left, each.right, **settings) for each in pairs]
    look = max(FEWEST, int(LOOK * asked[0].trials / len(pairs)))
    pressures = [
        pressure(replace(each, trials=look, seed=address(each.seed, "look", k))) for k, each in enumerate(asked)
    ]
    return asked[int(np.argmax(pressures))]


def pressure(asked: Asked) -> float:
    """How hard so few trials press on the claim."""
    calls = min(calls_for(asked.trials), 8)
    left, right = (drawn(asked, side, calls) for side in ("left", "right"))
    outcome, _ = audited(asked, left, right, "look", calls)
    return -np.inf if outcome.sampled is None else float(outcome.sampled.excess.amount)


def neighbours(length: int) -> Iterator[Streams]:
    """All zeros and all ones, with a value changed: the first, the last, and those that open and close the blocks of a
    binary tree."""
    powers = {2**k + shift for k in range(length.bit_length()) for shift in (-1, 0)}
    places = sorted({0, length // 2, length - 1} | {place for place in powers if place < length})
    for value in (0.0, 1.0):
        for place in places:
            left = np.full(length, value)
            right = left.copy()
            right[place] = 1 - value
            yield Streams(f"value {place + 1} of {length} changed, the others {value:g}", left, right)
