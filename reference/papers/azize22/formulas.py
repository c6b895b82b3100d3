"""What AdaP-UCB computes at the start of an episode, written once.

m: the vocabulary. round: t_l, the round in which the episode starts; used: n_a, the rewards of the arm's last episode;
eps: the privacy parameter; alpha: the exploration parameter.
"""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary


def noise_scale(m: Vocabulary, eps: Number, used: Number) -> Number:
    """Line 7: the scale of the Laplace noise, 1/(eps n)."""
    return 1 / (eps * used)


def squared_mean_bonus(m: Vocabulary, alpha: Number, round: Number, used: Number) -> Number:
    """Line 4's first bonus, squared: alpha ln(2 t_l)/(2 n)."""
    return alpha * m.log(2 * round) / (2 * used)


def noise_bonus(m: Vocabulary, alpha: Number, round: Number, eps: Number, used: Number) -> Number:
    """Line 4's second bonus: alpha ln(t_l)/(eps n)."""
    return alpha * m.log(round) / (eps * used)
