"""What DP-SE computes in an epoch, written once: the policy evaluates it, and the analysis is about it.

m: the vocabulary. active: |S| at the epoch's start; epoch: e = 1, 2, ...; gap: Delta = 2^-e; beta: the risk; eps: the
privacy parameter; rounds: R. constants: see `Constants`.
"""

from __future__ import annotations

from typing import NamedTuple

from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary


class Constants(NamedTuple):
    """The constants of DP-SE, in which three public implementations agree; the paper itself was not at hand."""

    rounds_mean: int = 32  # line 5: 32 ln(8 |S| e^2/beta)/Delta^2
    rounds_noise: int = 8  # line 5: 8 ln(4 |S| e^2/beta)/(eps Delta)
    log_mean: int = 8  # lines 5 and 8: the 8 in ln(8 |S| e^2/beta)
    log_noise: int = 4  # lines 5 and 9: the 4 in ln(4 |S| e^2/beta)
    widths: int = 2  # line 11: 2 h + 2 c


CONSTANTS = Constants()


def log_risk(m: Vocabulary, factor: int, active: Number, epoch: Number, beta: Number) -> Number:
    """ln(factor |S| e^2/beta)."""
    return m.log(factor * active * epoch * epoch / beta)


def rounds_for_mean(
    m: Vocabulary, active: Number, epoch: Number, gap: Number, beta: Number, k: Constants = CONSTANTS
) -> Number:
    """Line 5's first term."""
    return k.rounds_mean * log_risk(m, k.log_mean, active, epoch, beta) / (gap * gap)


def rounds_for_noise(
    m: Vocabulary, active: Number, epoch: Number, gap: Number, eps: Number, beta: Number, k: Constants = CONSTANTS
) -> Number:
    """Line 5's second term."""
    return k.rounds_noise * log_risk(m, k.log_noise, active, epoch, beta) / (eps * gap)


def real_rounds(
    m: Vocabulary, active: Number, epoch: Number, gap: Number, eps: Number, beta: Number, k: Constants = CONSTANTS
) -> Number:
    """Line 5 before it is rounded up: R is the least integer that is no smaller."""
    for_mean = rounds_for_mean(m, active, epoch, gap, beta, k)
    return m.maximum(for_mean, rounds_for_noise(m, active, epoch, gap, eps, beta, k)) + 1


def noise_scale(m: Vocabulary, eps: Number, rounds: Number) -> Number:
    """Line 7: the scale of the Laplace noise, 1/(eps R)."""
    return 1 / (eps * rounds)


def squared_mean_error(
    m: Vocabulary, active: Number, epoch: Number, rounds: Number, beta: Number, k: Constants = CONSTANTS
) -> Number:
    """Line 8 squared: h^2 = ln(8 |S| e^2/beta)/(2 R)."""
    return log_risk(m, k.log_mean, active, epoch, beta) / (2 * rounds)


def noise_error(
    m: Vocabulary, active: Number, epoch: Number, rounds: Number, eps: Number, beta: Number, k: Constants = CONSTANTS
) -> Number:
    """Line 9: c = ln(4 |S| e^2/beta)/(R eps)."""
    return log_risk(m, k.log_noise, active, epoch, beta) / (rounds * eps)
