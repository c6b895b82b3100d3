"""The index of UCB1, and its regret bound, written once. m: the vocabulary."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary


def squared_bonus(m: Vocabulary, exploration: Number, plays: Number, used: Number) -> Number:
    """Line 2's bonus, squared: 2 ln(n)/n_j, with 2 as `exploration`. plays: n; used: n_j."""
    return exploration * m.log(plays) / used
