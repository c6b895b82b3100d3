"""The index of Anytime-Lazy-UCB, written once.

m: the vocabulary. round: t; used: O_j; eps: the privacy parameter; for_mean, for_noise: c_H and c_L.
"""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary


def squared_mean_bonus(m: Vocabulary, for_mean: Number, round: Number, used: Number) -> Number:
    """Line 4's first bonus, squared: c_H ln(t)/O."""
    return for_mean * m.log(round) / used


def noise_bonus(m: Vocabulary, for_noise: Number, round: Number, eps: Number, used: Number) -> Number:
    """Line 4's second bonus: c_L ln(t)/(eps O)."""
    return for_noise * m.log(round) / (eps * used)
