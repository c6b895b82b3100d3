"""The bonus of Lazy-DP-TS, written once."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary


def noise_bonus(m: Vocabulary, for_noise: Number, round: Number, eps: Number, used: Number) -> Number:
    """Line 3: 3 ln(t)/(eps O), with 3 as `for_noise`. round: t; used: O; eps: the privacy parameter."""
    return for_noise * m.log(round) / (eps * used)
