"""The audit of a counter: a mechanism that releases noisy sums of a stream, one after every value.

    from dpbandits import audit_counter

    def noisy_sums(values, trials, seed):
        noise = np.random.default_rng(seed).laplace(size=(trials, len(values)))
        return np.cumsum(values) + noise  # every sum has noise for one

    audit_counter(noisy_sums, length=16, eps=1.0)

A search with its own trials looks for the pair of streams that reveals most. Fresh trials certify this pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.judges.effort import RISK, demand_trials
from dpbandits.audit.play.calls import calls_for
from dpbandits.audit.privacy.mechanism import MIN_MECHANISM_TRIALS, judge_mechanism, mechanism_audit
from dpbandits.audit.privacy.mechanism_calls import Mechanism, MechanismAudit, drawn
from dpbandits.audit.privacy.mechanism_scores import score_outputs
from dpbandits.audit.privacy.output_batches import OutputBatches
from dpbandits.audit.privacy.scores.classifier import ends_apart
from dpbandits.audit.privacy.sequential import FIRST_SEARCH
from dpbandits.audit.statistics.events import certify_tests
from dpbandits.reference.arithmetic.checks import checked_integer
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.claims.model import Claim, Finding
from dpbandits.reference.curves import Curve

LOOK_TRIALS_FACTOR = 1.0  # the trials of all looks together, as a multiple of the audit's own
GLANCE_TRIALS, MAX_LOOKED_PAIRS = 400, 8  # trials that every pair of streams has; pairs that have a look then
MAX_STREAM_PLACES = 64  # of a stream that are tried: all of a stream that is no longer
NEARBY_OUTPUTS = 32  # outputs after a change that a glance is at, and as many of all
GOLDEN = (5**0.5 - 1) / 2  # multiples of it, modulo 1, are spread evenly however many they are


class Streams(NamedTuple):
    """Two streams of values in [0, 1] that differ in one value."""

    place: int
    left: Array
    right: Array


def audit_counter(
    counter: Mechanism,
    length: int,
    *,
    eps: float | None = None,
    delta: float | None = None,
    mu: float | None = None,
    curve: Curve | None = None,
    trials: int = 100_000,
    seed: int = 0,
    risk: float = RISK,
    floating_point: str = "warn",
    sequential: bool = False,
) -> Finding:
    """Audits a privacy claim about a counter, for streams of `length` values in [0, 1] that differ in one value.
    The audit searches for the pair of streams with the largest privacy loss.

    counter: a function from (values, trials, seed) to the noisy sums, (trials, length), or to any fixed number of
    outputs for each trial. length: the number of input values. eps, delta, mu, curve, trials, seed, risk,
    floating_point, sequential: as for `audit_mechanism`. A sequential audit first searches for streams with a few
    trials, and later again with more trials. Raises ValueError as `audit_mechanism` does, and for a length below 1.
    """
    claim: dict[str, Any] = {"eps": eps, "delta": delta, "mu": mu, "curve": curve}
    return judge_counter(
        counter,
        length,
        sequential,
        **claim,
        trials=trials,
        seed=seed,
        risk=risk,
        score=None,
        floating_point=floating_point,
    )[1]


def judge_counter(counter: Mechanism, length: int, sequential: bool, **settings: Any) -> tuple[Claim, Finding]:
    """Audits a counter, and returns the claim that was checked with the finding about it.
    settings: the keyword arguments of `mechanism.mechanism_audit`."""
    if not sequential:
        return judge_mechanism(most_telling_streams(counter, length, **settings))

    def searched(trials: int) -> MechanismAudit:
        """Returns the audit settings for the pair of streams that a search with this many trials finds."""
        return most_telling_streams(counter, length, **settings | {"trials": trials, "sequential": True})

    asked = replace(searched(FIRST_SEARCH), trials=demand_trials("trials", settings["trials"], MIN_MECHANISM_TRIALS))
    return judge_mechanism(asked, OutputBatches(asked, searched, {FIRST_SEARCH: asked}))


def most_telling_streams(counter: Mechanism, length: int, **settings: Any) -> MechanismAudit:
    """Returns the audit settings for the neighbouring streams that a counter's outputs seem to distinguish best.
    Candidates are the pairs suggested by the blocks of a binary tree, and the pairs that a quick test ranks highest."""
    pairs = list(neighbouring_streams(checked_integer(length, "length", 1, 2**20)))
    asked = [mechanism_audit(counter, each.left, each.right, **settings) for each in pairs]
    ends = ends_of_blocks(length)
    looked = [k for k, each in enumerate(pairs) if each.place in ends]

    if others := [k for k in range(len(pairs)) if k not in looked]:
        few = [replace(asked[k], trials=GLANCE_TRIALS) for k in others]
        apart = dict(zip(others, glance_distances(few, [pairs[k].place for k in others]), strict=True))
        looked = sorted([*looked, *sorted(others, key=apart.__getitem__, reverse=True)[:MAX_LOOKED_PAIRS]])
    each = max(MIN_MECHANISM_TRIALS, int(LOOK_TRIALS_FACTOR * asked[0].trials / len(looked)))
    looks = {k: replace(asked[k], trials=each, seed=address(asked[k].seed, "look", k)) for k in looked}
    return asked[max(looked, key=lambda k: estimated_violation(looks[k]))]


def glance_distances(audits: Sequence[MechanismAudit], changed: Sequence[int]) -> list[float]:
    """Returns, for each pair of streams, how much the tails of its outputs differ between the two sides.
    The score of a pair is the largest difference over the outputs, and over differences of two outputs, as `ends_apart`
    measures it. audits: the audit settings of each pair. changed: the position at which the streams of each pair
    differ.
    """
    found, seen = [], dict[bytes, Array]()
    for k, (each, place) in enumerate(zip(audits, changed, strict=True)):
        few = replace(each, seed=address(each.seed, "glance", k))
        key = few.left.tobytes()
        if key not in seen:  # most streams have a side in common
            seen[key] = drawn(few, "left", 1)
        right = drawn(few, "right", 1)
        found.append(
            float(ends_apart(outputs_and_differences(seen[key], place), outputs_and_differences(right, place)).max())
        )
    return found


def outputs_and_differences(outputs: Array, place: int) -> Array:
    """Returns some outputs of each trial, and differences of these outputs from earlier outputs, (n, d).
    The outputs begin at a place or are spread evenly over all; the differences are from the outputs 1, 2, 4, ... places
    earlier. In such differences the noise of a tree's earlier blocks cancels."""
    many = outputs.shape[1]
    near, evenly = np.arange(place, place + NEARBY_OUTPUTS), np.linspace(0, many - 1, NEARBY_OUTPUTS).astype(int)
    some = np.unique(np.concatenate([near[near < many], evenly]))
    before = [(each, each - 2**k) for each in some.tolist() for k in range(each.bit_length())]
    late, early = np.array(before, dtype=int).reshape(-1, 2).T
    with np.errstate(invalid="ignore"):
        every = np.concatenate([outputs[:, some], outputs[:, late] - outputs[:, early]], axis=1)
    return np.asarray(np.nan_to_num(every))


def estimated_violation(settings: MechanismAudit) -> float:
    """Estimates from few trials how far the outputs on a pair of streams violate the claim.
    settings: the pair's settings."""
    calls = min(calls_for(settings.trials), 8)
    found = score_outputs(settings, drawn(settings, "left", calls), drawn(settings, "right", calls), calls)
    if found.scored is None:
        return -np.inf
    return float(certify_tests(*found.scored, settings.curve, settings.risk).excess.amount)


def neighbouring_streams(length: int) -> Iterator[Streams]:
    """Returns pairs of streams that differ in one value.
    The stream of zeros and the stream of ones are each paired with the stream in which one value is changed, for each
    place that is tried."""
    for value in (0.0, 1.0):
        for place in places_to_change(length):
            left = np.full(length, value)
            right = left.copy()
            right[place] = 1 - value
            yield Streams(place, left, right)


def places_to_change(length: int) -> list[int]:
    """Returns the places of a stream at which a change of the value is tried, in order.
    Up to MAX_STREAM_PLACES, all places are tried."""
    evenly = [int(length * (k * GOLDEN % 1)) for k in range(1, 2 * MAX_STREAM_PLACES)]
    wanted = [
        *ends_of_blocks(length),
        *range(length if length <= MAX_STREAM_PLACES else MAX_STREAM_PLACES // 2),
        *evenly,
    ]
    return sorted(list(dict.fromkeys(wanted))[:MAX_STREAM_PLACES])


def ends_of_blocks(length: int) -> list[int]:
    """Returns places of a stream: the first, the middle, the last, and the ends of the blocks of a binary tree."""
    powers = {2**k + shift for k in range(length.bit_length()) for shift in (-1, 0)}
    return sorted({0, length // 2, length - 1} | {place for place in powers if place < length})
