"""A mechanism on two given inputs, called with seeds of its own: what an audit asks, and the outputs of its calls."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbandits.audit.play.calls import interleaved
from dpbandits.audit.privacy.scores.rounded_outputs import OutputScore, outputs_as_rows
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.curves import Curve

AGAIN = 100  # trials of the calls that look whether a seed repeats
Mechanism = Callable[[Any, int, int], Any]


@dataclass(frozen=True)
class Asked:
    """The arguments of one audit."""

    mechanism: Mechanism
    left: Any
    right: Any
    curve: Curve
    trials: int
    seed: int
    risk: float
    score: OutputScore | None
    bits: bool = True

    @property
    def name(self) -> str:
        return function_name(self.mechanism)


def function_name(function: Any) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def are_same_inputs(left: Any, right: Any) -> bool:
    """Whether two inputs are known to be the same."""
    try:
        return left is right or bool(np.array_equal(left, right))
    except Exception:  # objects that cannot be compared are taken for two
        return False


def have_same_inputs(one: Asked, other: Asked) -> bool:
    return are_same_inputs(one.left, other.left) and are_same_inputs(one.right, other.right)


def copy_of_input(given: Any) -> Any:
    """A copy of an input that a call may change, to compare with; None where there is none to be had."""
    if not (isinstance(given, list | dict | set | tuple | bytearray) or hasattr(given, "__array__")):
        return None
    try:
        copied = deepcopy(given)
    except Exception:  # what cannot be copied is handed on unwatched
        return None
    return copied if are_same_inputs(copied, given) else None  # nan is not like itself


def shuffled(outputs: Array, calls: int, seed: int) -> Array:
    """These trials, (trials, d), with those of each call in an order of their own: where a mechanism sorts its trials,
    say, the first of them, which choose the tests, would else be other trials than those that certify."""
    mixed = outputs.copy()
    for k in range(calls):
        mixed[k::calls] = np.random.default_rng(address(seed, "order", k)).permutation(outputs[k::calls])
    return mixed


def drawn(asked: Asked, side: str, calls: int) -> Array:
    """The outputs of all trials on one side, (trials, d), from so many calls: trial i is in call i % calls."""
    parts = [called(asked, side, f"audit {k}", len(range(k, asked.trials, calls))) for k in range(calls)]
    if len({part.shape[1] for part in parts}) > 1:
        shapes = sorted({part.shape[1] for part in parts})
        raise ValueError(f"the mechanism on the {side} input: {shapes} numbers a trial in one call and another")
    return interleaved(parts)


def called(asked: Asked, side: str, purpose: str, trials: int) -> Array:
    """The outputs of so many trials on one side, (trials, d), from one call."""
    given = asked.left if side == "left" else asked.right
    before = copy_of_input(given)
    outputs = asked.mechanism(given, trials, address(asked.seed, "mechanism", side, purpose))
    if before is not None and not are_same_inputs(before, given):
        raise ValueError(
            f"the mechanism changes the {side} input that it is given, so that the next call gets another one: let it "
            "work on a copy"
        )
    return outputs_as_rows(outputs, trials, f"the mechanism on the {side} input")


def repeats(asked: Asked) -> str:
    """A remark on a mechanism whose outputs are not a function of the seed."""
    first, again = (called(asked, "left", "again", AGAIN) for _ in range(2))
    if np.array_equal(first, again, equal_nan=True):
        return ""
    return "The same seed gives other outputs each time, so that this finding will not repeat: draw from the seed."
