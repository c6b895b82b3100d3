"""Calls of a mechanism on two given inputs: their outputs, as rows of numbers."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbandits.audit.play.calls import interleaved
from dpbandits.audit.privacy.scores.classifier import OutputScore
from dpbandits.audit.privacy.scores.output_features import outputs_as_rows
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.curves import Curve

REPEAT_TRIALS = 100  # trials of the calls that look whether a seed repeats
Mechanism = Callable[[Any, int, int], Any]
OBSERVABLE = (
    "If an observer can see exceptions and lengths of outputs, give on_error='output', which audits them as outputs; "
    "otherwise return nan"
)
EXCEPTION_CODES = 2**40  # of numbers that stand for exceptions and shapes


@dataclass(frozen=True)
class MechanismAudit:
    """The arguments of one audit."""

    mechanism: Mechanism
    left: Any
    right: Any
    curve: Curve
    trials: int
    seed: int
    risk: float
    score: OutputScore | None
    floating_point: str = "warn"
    on_error: str = "error"

    @property
    def bits(self) -> bool:
        """Whether the bits of outputs are tested."""
        return self.floating_point != "ignore"

    @property
    def name(self) -> str:
        """The name of the audited mechanism."""
        return function_name(self.mechanism)


def function_name(function: object) -> str:
    """The name of a function; of another callable, the name of its class."""
    return str(getattr(function, "__name__", type(function).__name__))


def are_same_inputs(left: Any, right: Any) -> bool:
    """Whether two inputs are known to be the same."""
    try:
        return left is right or bool(np.array_equal(left, right))
    except Exception:  # objects that cannot be compared are taken for two
        return False


def copy_of_input(given: object) -> object:
    """A copy of an input that a call may change, for comparison after the call; None if it cannot be copied."""
    if not (isinstance(given, list | dict | set | tuple | bytearray) or hasattr(given, "__array__")):
        return None
    try:
        copied = deepcopy(given)
    except Exception:  # what cannot be copied is handed on unwatched
        return None
    return copied if are_same_inputs(copied, given) else None  # nan is not like itself


def shuffled(outputs: Array, calls: int, seed: int) -> Array:
    """Returns the trials, (trials, d), in an order that is random within each call.
    If a mechanism sorts its trials, say, the first of them, which choose the tests, would otherwise differ in
    distribution from those that certify."""
    mixed = outputs.copy()
    for k in range(calls):
        mixed[k::calls] = np.random.default_rng(address(seed, "order", k)).permutation(outputs[k::calls])
    return mixed


def drawn(settings: MechanismAudit, side: str, calls: int) -> Array:
    """Calls the mechanism `calls` times on one side; returns the outputs of all trials, (trials, d).
    Trial i is in call i % calls."""
    parts = [outputs_of_call(settings, side, f"audit {k}", len(range(k, settings.trials, calls))) for k in range(calls)]
    widths = sorted({part.shape[1] for part in parts})
    if len(widths) > 1 and settings.on_error == "error":
        raise ValueError(
            f"on the {input_in_words(settings, side)}, different calls of the mechanism return outputs of length "
            f"{' or '.join(map(str, widths))} per trial; return equally many numbers in every call. {OBSERVABLE}"
        )
    return interleaved([padded_outputs(part, widths[-1]) for part in parts])


def padded_outputs(outputs: Array, width: int) -> Array:
    """Returns the outputs (trials, d), padded with columns of zeros to (trials, width)."""
    return np.pad(outputs, ((0, 0), (0, width - outputs.shape[1])))


def with_equal_widths(settings: MechanismAudit, left: Array, right: Array) -> tuple[Array, Array]:
    """Returns the outputs of both sides, (trials, d) each, padded to equally many columns.
    Raises ValueError if the mechanism returns more numbers on one side, unless a different number counts as an output.
    """
    one, other = left.shape[1], right.shape[1]
    if one != other and settings.on_error == "error":
        raise ValueError(
            f"the outputs of the mechanism have length {one} per trial on the {input_in_words(settings, 'left')} "
            f"and length {other} on the {input_in_words(settings, 'right')}; return equally many numbers on both. "
            f"{OBSERVABLE}"
        )
    return padded_outputs(left, max(one, other)), padded_outputs(right, max(one, other))


def why_constant(left: Array, right: Array) -> str:
    """Returns the reason why outputs (trials, d) of both sides certify nothing: all are equal; "" if they differ."""
    pooled = np.concatenate([left, right])
    same = ((pooled == pooled[0]) | (np.isnan(pooled) & np.isnan(pooled[0]))).all()
    return "every trial gave the same output, on either side" if same else ""


def input_in_words(settings: MechanismAudit, side: str) -> str:
    """The input of a side, in words."""
    return f"{side} input {(settings.left if side == 'left' else settings.right)!r:.80}"


def outputs_of_call(settings: MechanismAudit, side: str, purpose: str, trials: int) -> Array:
    """Calls the mechanism on one side, and returns the outputs of this many trials, (trials, d).
    All trials are made by one call. If exceptions and shapes count as outputs, one call is made for each trial, and the
    first column encodes them."""
    if settings.on_error == "output":
        seeds = (f"{purpose}, trial {k}" for k in range(trials))
        rows = [outcome_of_trial(settings, side, each) for each in seeds]
        width = max(len(row) for row in rows)
        return np.array([row + [0.0] * (width - len(row)) for row in rows])
    where = input_in_words(settings, side)
    try:
        outputs = mechanism_call(settings, side, purpose, trials)
    except Exception as error:
        error.add_note(
            f"the mechanism raised {type(error).__name__} on the {where}, in the call {purpose!r}. {OBSERVABLE}"
        )
        raise
    return outputs_as_rows(outputs, trials, f"the mechanism on the {side} input")


def mechanism_call(settings: MechanismAudit, side: str, purpose: str, trials: int) -> Any:
    """Calls the mechanism once and returns its outputs. Raises ValueError if the mechanism changes its input."""
    given = settings.left if side == "left" else settings.right
    before = copy_of_input(given)
    outputs = settings.mechanism(given, trials, address(settings.seed, "mechanism", side, purpose))
    if before is not None and not are_same_inputs(before, given):
        raise InputChanged(
            f"the mechanism modifies its {side} input, so later calls would get another input; let the "
            "mechanism copy its input first"
        )
    return outputs


class InputChanged(ValueError):
    """Raised if a mechanism changes its input."""


def outcome_of_trial(settings: MechanismAudit, side: str, purpose: str) -> list[float]:
    """Runs one trial; returns a code for the kind of exception or the number of outputs, followed by the outputs."""
    try:
        row = outputs_as_rows(mechanism_call(settings, side, purpose, 1), 1, f"the mechanism on the {side} input")[0]
    except InputChanged:
        raise
    except Exception as error:
        return [float(address("exception", type(error).__name__) % EXCEPTION_CODES)]
    return [float(-len(row)), *row.tolist()]


def seed_remark(settings: MechanismAudit) -> str:
    """Returns a remark if the mechanism's outputs are not a function of the seed; otherwise ""."""
    first, again = (outputs_of_call(settings, "left", "again", REPEAT_TRIALS) for _ in range(2))
    if np.array_equal(first, again, equal_nan=True):
        return ""
    return "The same seed gives other outputs each time, so that this finding will not repeat: draw from the seed."
