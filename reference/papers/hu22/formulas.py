"""The bonus of Lazy-DP-TS, written once."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number


def noise_bonus(for_noise: Number, log_round: Number, eps: Number, used: Number) -> Number:
    """Line 3: 3 ln(t)/(eps O), with 3 as `for_noise`. log_round: ln(t); used: O; eps: the privacy parameter."""
    return for_noise * log_round / (eps * used)
