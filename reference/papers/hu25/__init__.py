"""Hu, Huang, Zhang, Lecuyer, Hegde: Connecting Thompson Sampling and UCB (ICML 2025, PMLR 267)."""

from dpbandits.reference.papers.hu25.algorithms import (
    DPTSUCB,
    M_TS_GAUSSIAN,
    PRINTED,
    REPAIRED,
    TS_GAUSSIAN,
    QuotedThompsonSampling,
    sampling_budget,
)

__all__ = [
    "DPTSUCB",
    "M_TS_GAUSSIAN",
    "PRINTED",
    "REPAIRED",
    "TS_GAUSSIAN",
    "QuotedThompsonSampling",
    "sampling_budget",
]
