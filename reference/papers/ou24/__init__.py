"""Ou, Avella Medina, Cummings: Thompson Sampling Itself is Differentially Private (AISTATS 2024, PMLR 238)."""

from dpbandits.reference.papers.ou24.algorithms import (
    ALGORITHM_1,
    ARXIV_27,
    PRINTED,
    REPAIRED,
    ModifiedThompsonSampling,
    State,
    ThompsonSampling,
    letter,
    single_step,
)

__all__ = [
    "ALGORITHM_1",
    "ARXIV_27",
    "PRINTED",
    "REPAIRED",
    "ModifiedThompsonSampling",
    "State",
    "ThompsonSampling",
    "letter",
    "single_step",
]
