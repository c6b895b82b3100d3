"""The algorithms that Appendix D compares with, at its three privacy levels, on the arms and horizon of Section 5.1.

DP-SE is that of sajed19, and Anytime-Lazy-UCB that of hu21. Both are from secondary sources, and the constant c_H = 3
of hu21's index is unconfirmed. "The (b, c) parameters used by TS are set via grid search": at eta = 1 we use the grid
of Section 5.1; at eta = 10 we use BEST_AT_10, which is nearly the best b and enough for the comparisons.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpbandits.reference.claims.model import setting_label
from dpbandits.reference.papers.hu21 import AnytimeLazyUCB
from dpbandits.reference.papers.sajed19 import DPSE

EPSILONS = {1: 4.88, 5: 35.57, 10: 96.71}  # by eta, at delta = 1e-6
BEST_AT_10 = 300


def lazy_ucb(eta: int) -> str:
    return setting_label("Anytime-Lazy-UCB", eps=EPSILONS[eta])


def dp_se(eta: int) -> str:
    return setting_label("DP-SE", eps=EPSILONS[eta])


def rivals(horizon: int, tuned: Callable[[int, int], Any], named: Callable[[int, int], str]) -> dict[str, Any]:
    """The policies that Section 5.1's experiment does not play, by label."""
    others = {dp_se(eta): DPSE(5, horizon, eps) for eta, eps in EPSILONS.items()}
    lazy = {lazy_ucb(eta): AnytimeLazyUCB(5, horizon, eps) for eta, eps in EPSILONS.items()}
    return {named(10, BEST_AT_10): tuned(10, BEST_AT_10), **others, **lazy}
