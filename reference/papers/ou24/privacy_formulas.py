"""The privacy formulas that the paper prints, each against a context m, in the paper's order.

eps, delta: of one release unless a name says total. rounds: T. arms: N. pulls: n_i before the round.
"""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary
from dpbandits.reference.curves import advanced_composition, eps_from_renyi, gaussian_delta

# -- Sections 2 to 4 ---------------------------------------------------------------------------------------------


def half(m: Vocabulary) -> Number:
    return m.number("0.5")


def mean_sensitivity(m: Vocabulary, pulls: Number) -> Number:
    """How far one reward in [0, 1] moves a running mean mu-hat: 1/(n+1). A.1."""
    return 1 / (pulls + 1)


def step_mu(m: Vocabulary, pulls: Number, variance: Number = 1) -> Number:
    """Sensitivity over standard deviation, as equation (4) and A.2 print it (variance: c)."""
    return mean_sensitivity(m, pulls) / m.sqrt(variance / (pulls + 1))


def lemma_3_mu(m: Vocabulary, rounds: Number) -> Number:
    """sqrt(T/2). Lemma 3."""
    return m.sqrt(half(m) * rounds)


def sharp_mu(m: Vocabulary, rounds: Number) -> Number:
    """sqrt((T-1)/2): the first round reads no reward. Ours, not the paper's."""
    return m.sqrt(half(m) * (rounds - 1))


def lemma_4_mu(m: Vocabulary, rounds: Number, prepulls: Number, variance: Number) -> Number:
    """sqrt(T/(c(b+1))). Lemma 4."""
    return m.sqrt(rounds / (variance * (prepulls + 1)))


def sharp_modified_mu(m: Vocabulary, rounds: Number, arms: Number, prepulls: int, variance: Number) -> Number:
    """Ours: only rounds that read a reward count, T - bN of them (b >= 1), or T - 1 with n >= 1 (b = 0)."""
    if prepulls == 0:
        return m.sqrt((rounds - 1) / (2 * variance))
    return m.sqrt((rounds - prepulls * arms) / (variance * (prepulls + 1)))


# -- Appendix C.1: standard DP -----------------------------------------------------------------------------------


def noisy_max_eps(m: Vocabulary, queries: Number, ratio: Number, delta: Number) -> Number:
    """(1/2) sqrt(log((n-1)/(2 delta))) max s_i/sigma_i. Theorem 6; ratio: the maximum."""
    return half(m) * m.sqrt(m.log((queries - 1) / (2 * delta))) * ratio


def step_eps(m: Vocabulary, arms: Number, delta: Number) -> Number:
    """(1/(2 sqrt 2)) sqrt(log((N-1)/(2 delta))). Theorem 7."""
    return m.sqrt(m.log((arms - 1) / (2 * delta))) / (2 * m.sqrt(2))


def corollary_1_eps(m: Vocabulary, rounds: Number, arms: Number, delta: Number, slack: Number) -> Number:
    """eps_TS of Corollary 1; slack: delta_TS - T delta."""
    return advanced_composition(m, step_eps(m, arms, delta), rounds, slack)


def split_eps(m: Vocabulary, rounds: Number, arms: Number, delta_total: Number, share: Number) -> Number:
    """eps_TS where the rounds together get the share of delta_TS, and the slack gets the rest."""
    return corollary_1_eps(m, rounds, arms, share * delta_total / rounds, (1 - share) * delta_total)


def lemma_12_shift(m: Vocabulary, eps: Number, delta: Number) -> Number:
    """2 eps/sqrt(log(1/(2 delta))): the largest shift that Lemma 12 admits."""
    return 2 * eps / m.sqrt(m.log(1 / (2 * delta)))


def classical_shift(m: Vocabulary, eps: Number, delta: Number) -> Number:
    """eps/sqrt(2 log(1.25/delta)): the Gaussian mechanism of Dwork and Roth (2014, Theorem A.1)."""
    return eps / m.sqrt(2 * m.log(m.number("1.25") / delta))


def tail_shift(m: Vocabulary, eps: Number, delta: Number) -> Number:
    """sqrt(z^2 + 2 eps) - z with z^2 = 2 log(1/(2 delta)): ours, from Q(z) <= exp(-z^2/2)/2."""
    square = 2 * m.log(1 / (2 * delta))
    return m.sqrt(square + 2 * eps) - m.sqrt(square)


def two_arm_eps(m: Vocabulary) -> Number:
    """log(Q(1/sqrt 2)/Q(sqrt 2)) = 1.115: with two arms one step is purely (this, 0)-DP. Ours."""
    return m.log(m.ncdf(-m.sqrt(half(m))) / m.ncdf(-m.sqrt(2)))


# -- Appendix C.2: RDP -------------------------------------------------------------------------------------------


def theorem_8_eps(m: Vocabulary, rounds: Number, alpha: Number, delta: Number) -> Number:
    """alpha T/4 + log(1/delta)/(alpha-1). Theorem 8."""
    return eps_from_renyi(m, rounds * alpha / 4, alpha, delta)


def best_renyi_eps(m: Vocabulary, rounds: Number, delta: Number) -> Number:
    """Theorem 8 at the best order, 1 + sqrt(4 log(1/delta)/T): T/4 + sqrt(T log(1/delta))."""
    return rounds / 4 + m.sqrt(rounds * m.log(1 / delta))


def renyi_delta(m: Vocabulary, eps: Number, rounds: Number) -> Number:
    """The smallest delta of Theorem 8 at eps >= T/4, over all orders: exp(-(eps - T/4)^2/T)."""
    return m.exp(-((eps - rounds / m.number(4)) ** 2) / rounds)


def renyi_at_gdp(m: Vocabulary, eps: Number, mu: Number) -> Number:
    """The best Renyi eps at the delta that mu-GDP gives at eps: mu^2/2 + mu sqrt(2 log(1/delta(eps)))."""
    return mu * mu / 2 + mu * m.sqrt(2 * m.log(1 / gaussian_delta(m, eps, mu)))
