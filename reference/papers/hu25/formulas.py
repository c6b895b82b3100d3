"""The formulas that the paper prints, each against a context m, in the paper's order.

T: the horizon. alpha: in [0, 1]. gap: Delta. c_0 = sqrt(2 pi e). All logarithms are natural unless they say log2.
"""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary
from dpbandits.reference.arithmetic.vocabulary import power as power


def c_0(m: Vocabulary) -> Number:
    """sqrt(2 pi e). Section 4.1."""
    return m.sqrt(2 * m.pi * m.exp(m.number(1)))


def log_power(m: Vocabulary, T: Number, alpha: Number) -> Number:
    """ln^alpha(T), the variance multiplier of line 6."""
    return power(m, m.log(T), alpha)


def phi(m: Vocabulary, T: Number, alpha: Number) -> Number:
    """c_0 T^{(1-alpha)/2} ln^{(3-alpha)/2}(T). Line 1."""
    return c_0(m) * power(m, T, (1 - alpha) / 2) * power(m, m.log(T), (3 - alpha) / 2)


# -- Section 4.3: privacy ----------------------------------------------------------------------------------------


def theorem_4_4_eta(m: Vocabulary, T: Number, alpha: Number) -> Number:
    """sqrt(2 c_0 T^{(1-alpha)/2} ln^{3(1-alpha)/2}(T)). Theorem 4.4."""
    return m.sqrt(2 * c_0(m) * power(m, T, (1 - alpha) / 2) * power(m, m.log(T), 3 * (1 - alpha) / 2))


def theorem_4_6_eta(m: Vocabulary, T: Number, alpha: Number) -> Number:
    """sqrt(2 phi): what Theorem 4.6 puts into the profile."""
    return m.sqrt(2 * phi(m, T, alpha))


def composed_eta(m: Vocabulary, samples: Number, variance: Number) -> Number:
    """sqrt(samples/variance): so many samples of this variance around one mean, each 1/sqrt(variance)-GDP."""
    return m.sqrt(samples / variance)


def fresh_samples(m: Vocabulary, budget: Number, T: Number, K: Number) -> Number:
    """min(floor(phi), T - K): how many samples are drawn around one mean, at most."""
    return m.minimum(m.floor(budget), T - K)


def proof_eta(m: Vocabulary, T: Number, alpha: Number) -> Number:
    """sqrt(2 phi/ln^alpha T): two phases of sqrt(phi/ln^alpha T) each. Proof of Theorem 4.4."""
    return composed_eta(m, 2 * phi(m, T, alpha), log_power(m, T, alpha))


def quoted_eta(m: Vocabulary, T: Number, b: Number, c: Number) -> Number:
    """sqrt(T/(c(b+1))), M-TS-Gaussian's parameter as this paper quotes it."""
    return m.sqrt(T / (c * (b + 1)))


def always_other(m: Vocabulary, T: int, reward: int) -> Number:
    """P(TS-Gaussian as quoted, with two arms that pay 0, pulls arm 1 in rounds 3 to T), by arm 0's one reward, 0 or 1.

    theta_0 ~ N(reward, 1) against theta_1 ~ N(0, 1/n) with n = 1, 2, ..., T - 2: rounds are independent along it.
    """
    if not reward:
        return (1 / m.number(2)) ** (T - 2)
    chance = m.number(1)
    for n in range(1, T - 1):
        chance = chance * m.ncdf(-1 / m.sqrt(1 + 1 / m.number(n)))
    return chance


def matching_c(m: Vocabulary, T: Number, alpha: Number, b: Number) -> Number:
    """T^{(1+alpha)/2} ln^{-3(1-alpha)/2}(T)/(2 c_0 (b+1)). Appendix E.1."""
    return power(m, T, (1 + alpha) / 2) / (power(m, m.log(T), 3 * (1 - alpha) / 2) * 2 * c_0(m) * (b + 1))


def matching_c_rooted(m: Vocabulary, T: Number, alpha: Number, b: Number) -> Number:
    """The square root of it. Section 5.3."""
    return m.sqrt(matching_c(m, T, alpha, b))


# -- Appendix B: Lemma 4.1 -----------------------------------------------------------------------------------------


def anti_concentration(m: Vocabulary, z: Number) -> Number:
    """z/(z^2+1) e^{-z^2/2}/sqrt(2 pi), a lower bound of the normal tail. Equation (5)."""
    return z / (z * z + 1) * m.exp(-z * z / 2) / m.sqrt(2 * m.pi)


def after_step_a(m: Vocabulary, T: Number, alpha: Number) -> Number:
    """The chance of one sample after step (a): equation (5) at z^2 = ln^{1-alpha}(T)."""
    return anti_concentration(m, m.sqrt(log_power(m, T, 1 - alpha)))


def after_step_b(m: Vocabulary, T: Number, alpha: Number) -> Number:
    """The same after step (b): (1/sqrt(2 pi)) (1/z) e^{-((1-alpha) ln T + 1)/2}; the +1 of z^2 + 1 is gone."""
    exponent = ((1 - alpha) * m.log(T) + 1) / 2
    return m.exp(-exponent) / (m.sqrt(2 * m.pi) * m.sqrt(log_power(m, T, 1 - alpha)))


# -- Appendix C: Lemma C.1 -----------------------------------------------------------------------------------------


def ring_term(m: Vocabulary, r: Number) -> Number:
    """The r-th summand of equation (12): sqrt(pi) (2 ln(r+2) + 1)/sqrt(ln(r+2)) (r+2) 2/(r+1)^4."""
    log = m.log(r + 2)
    return m.sqrt(m.pi) * (2 * log + 1) / m.sqrt(log) * (r + 2) * 2 / (r + 1) ** 4


def printed_ring_term(m: Vocabulary, r: Number) -> Number:
    """The last but one line of equation (12), where the factor (r+2) = e^{ln(r+2)} is missing."""
    return ring_term(m, r) / (r + 2)


def tail_term(m: Vocabulary, r: Number) -> Number:
    """The r-th summand behind 7.034 in equation (16): (sqrt((r+1) ln(r+1)) + sqrt(r+1))/r^2."""
    return (m.sqrt((r + 1) * m.log(r + 1)) + m.sqrt(r + 1)) / r**2


# -- Appendix D: Theorem 4.2 ---------------------------------------------------------------------------------------


def printed_enough(m: Vocabulary, T: Number, alpha: Number, gap: Number) -> Number:
    """L_i = ((sqrt 2 + 1)^2/4) ln(T gap^2 phi) ln^alpha(T)/gap^2."""
    wide = m.log(T * gap * gap * phi(m, T, alpha))
    return (m.sqrt(2) + 1) ** 2 / 4 * wide * log_power(m, T, alpha) / (gap * gap)


def repaired_enough(m: Vocabulary, T: Number, alpha: Number, gap: Number) -> Number:
    """L_i with the 4 in the numerator, what equation (19) needs."""
    return 16 * printed_enough(m, T, alpha, gap)


def optimal_enough(m: Vocabulary, T: Number, alpha: Number, gap: Number) -> Number:
    """L_{1,i} = 4 (1 + sqrt 2)^2 ln(T gap^2) ln^alpha(T)/gap^2. Before equation (22)."""
    return 4 * (1 + m.sqrt(2)) ** 2 * m.log(T * gap * gap) * log_power(m, T, alpha) / (gap * gap)


def overshoot(m: Vocabulary, T: Number, alpha: Number, gap: Number, enough: Number) -> Number:
    """(1 + sqrt 2) sqrt(ln(T gap^2 phi) ln^alpha(T)/L_i), what equation (19) sets equal to gap/2."""
    wide = m.log(T * gap * gap * phi(m, T, alpha))
    return (1 + m.sqrt(2)) * m.sqrt(wide * log_power(m, T, alpha) / enough)


def log2(m: Vocabulary, x: Number) -> Number:
    return m.log(x) / m.log(m.number(2))


def pulls_bound(m: Vocabulary, T: Number, alpha: Number, gap: Number) -> Number:
    """E[N_i(T)] with every constant of Appendix D put in, from the repaired L_i:

    4 L_i (eq. 17) + 50 L_{1,i} + 288/gap^2 (eq. 22 with 72/(T gap^2) and sum_{s <= log2 T} 2^{s+1} <= 4 T)
    + 3 (log2 T + 1) (eq. 23, with Lemma 4.1's 3/T) + 2/gap^2 (Lemma D.1) + 8/(T gap^4) (Lemma D.2).
    """
    square = gap * gap
    first = 4 * repaired_enough(m, T, alpha, gap) + 50 * optimal_enough(m, T, alpha, gap)
    return first + 288 / square + 3 * (log2(m, T) + 1) + 2 / square + 8 / (T * square * square)
