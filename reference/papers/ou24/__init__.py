"""Ou, Avella Medina, Cummings: Thompson Sampling Itself is Differentially Private (AISTATS 2024, PMLR 238).

Numbers are those of the PMLR version; the arXiv version counts its lemmas one higher from Lemma 2 on. log is
natural. An argmax takes the lowest index. The claims stand in the files of their sections and appendices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dpbandits.reference.checks import at_least, is_number, positive
from dpbandits.reference.mechanisms import GaussianNoisyMax, Step
from dpbandits.reference.noise import Array
from dpbandits.reference.policy import Ints
from dpbandits.reference.thompson import ModifiedThompsonSampling, State, ThompsonSampling, forgotten, remembered

__all__ = [
    "ALGORITHM_1",
    "ARXIV_27",
    "PRINTED",
    "REPAIRED",
    "ModifiedThompsonSampling",
    "State",
    "ThompsonSampling",
    "forgotten",
    "letter",
    "remembered",
    "single_step",
]

# -- Algorithms 1 and 2 stand in `reference.thompson`; here are the readings of their print ------------------------

ALGORITHM_1 = ThompsonSampling
# Equation (27) of the arXiv version squares the variance; the PMLR version does not.
ARXIV_27: Callable[[Ints], Array] = lambda n: 1 / (n + 1.0) ** 2  # noqa: E731


def letter(**parameters: Any) -> ModifiedThompsonSampling:
    """Algorithm 2 as printed: line 7 to the letter."""
    return replace(ModifiedThompsonSampling(**parameters), warm=forgotten)


PRINTED: Callable[..., Any] = letter
REPAIRED: Callable[..., Any] = ModifiedThompsonSampling


# -- The single step M_TS; Algorithms 3 and 4, report noisy max, stand in `reference.mechanisms` -------------------


def single_step(
    pulls: tuple[int, ...], left: tuple[float, ...], right: tuple[float, ...], variance: float = 1.0
) -> Step:
    """M_TS on two neighbouring histories: Algorithm 4 on the running means.

    pulls: n_i. left, right: the reward totals S_i, which differ in one arm, by at most one reward. variance: c.
    Raises ValueError where no such histories exist.
    """
    positive("c (variance)", variance)
    if not len(pulls) == len(left) == len(right):
        raise ValueError(
            f"{len(pulls)} pull counts beside {len(left)} and {len(right)} reward totals; give one of each per arm"
        )
    for side, totals in (("left", left), ("right", right)):
        for arm, (n, total) in enumerate(zip(pulls, totals, strict=True)):
            at_least(f"n_{arm} (pulls)", n, 0)
            if not (is_number(total) and 0 <= total <= n):
                raise ValueError(f"{side} history: arm {arm} cannot have total {total} after {n} pulls")
    moved = [arm for arm in range(len(pulls)) if left[arm] != right[arm]]
    # Totals are rounded where rewards are added up: 8.8 - 7.8 is more than 1.
    if len(moved) > 1 or any(abs(left[arm] - right[arm]) > 1 + pulls[arm] * 2.0**-52 for arm in moved):
        raise ValueError(f"histories {left} and {right} differ by more than one reward in one arm")
    return Step(
        GaussianNoisyMax(tuple(float(np.sqrt(variance / (n + 1))) for n in pulls)),
        tuple(total / (n + 1) for n, total in zip(pulls, left, strict=True)),
        tuple(total / (n + 1) for n, total in zip(pulls, right, strict=True)),
        tuple(1 / (n + 1) for n in pulls),
    )
