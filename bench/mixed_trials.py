"""How often code that mixes the trials of a batch is detected, by the number of trials that are also played alone.

The first table is about the probe of sampled audits (`audit.play.probes`): code for outputs, with one output a trial.
The second table is about randomness alignment (`proofs_checks.alignment.unequal_trials`): policies of
tests/test_alignment_attacks.py. The last column of both tables is code that treats each trial by itself. Each entry is
the number of seeds, of SEEDS, in which a dependence is reported.

Run with: python bench/mixed_trials.py; some seconds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import test_alignment_attacks as policies

from dpbandits.audit.play import probes
from dpbandits.proofs_checks.alignment import unequal_trials

SEEDS = 24
ALONE = (0, 4, 8, 12, 16, 24)
BATCHES = (0, 1, 2, 3, 6)


def noisy(needs: np.ndarray, added: Any, noise: Any) -> np.ndarray:
    """The outputs: noise where it is added, otherwise whether it was needed."""
    return np.where(added, noise.laplace("noise", 1) > 0, needs)[:, None]


def if_all_need(share: float) -> Callable[[Any], np.ndarray]:
    def released(noise: Any) -> np.ndarray:
        needs = noise.uniform("needs", 1) < share
        return noisy(needs, needs.all(), noise)

    return released


def if_any_needs(noise: Any) -> np.ndarray:
    needs = noise.uniform("needs", 1) < 0.05
    return noisy(needs, needs.any(), noise)


def above_the_mean(noise: Any) -> np.ndarray:
    drawn = noise.laplace("noise", 1)
    return (drawn > drawn.mean())[:, None]


def by_itself(noise: Any) -> np.ndarray:
    needs = noise.uniform("needs", 1) < 0.5
    return noisy(needs, needs, noise)


OUTPUTS = {
    "noise if all need it, 1/2 do": if_all_need(0.5),
    "noise if all need it, 1/10 do": if_all_need(0.1),
    "noise if any needs it, 1/20 do": if_any_needs,
    "compared with the mean of all": above_the_mean,
    "each trial by itself": by_itself,
}
POLICIES = {
    "noise if all phases end": policies.NoiseIfAllTrialsEnd(),
    "noise if most phases end": policies.NoiseIfMostTrialsEnd(),
    "each trial by itself": policies.NoiseForEachTrial(),
}


@contextmanager
def changed(module: ModuleType, name: str, value: int) -> Iterator[None]:
    kept = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, kept)


def table(
    heads: Sequence[str], module: ModuleType, name: str, values: Sequence[int], reported: Callable[[str, int], bool]
) -> None:
    """Prints a row for each value of a constant of the module. reported: whether a dependence is, for a column and a
    seed."""
    print(f"| {name} | {' | '.join(heads)} |\n|--:|{'--:|' * len(heads)}")
    for value in values:
        with changed(module, name, value):
            row = [sum(reported(head, seed) for seed in range(SEEDS)) for head in heads]
        print(f"| {value}{' (used)' * (value == getattr(module, name))} | {' | '.join(map(str, row))} |")
    print()


if __name__ == "__main__":
    table(
        list(OUTPUTS), probes, "ALONE", ALONE,
        lambda head, seed: probes.TrialFault.DEPENDENT_TRIALS is probes.trial_fault(OUTPUTS[head], seed),
    )  # fmt: skip
    table(
        list(POLICIES), unequal_trials, "BATCHES", BATCHES,
        lambda head, seed: bool(unequal_trials.first_dependent_trial(POLICIES[head], seed, POLICIES[head].horizon)),
    )  # fmt: skip
