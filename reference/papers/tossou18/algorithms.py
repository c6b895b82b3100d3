"""Tossou, Dimitrakakis: On The Differential Privacy of Thompson Sampling With Gaussian Prior (arXiv 2018).

The oldest paper on the privacy of Gaussian Thompson sampling as it stands. From a secondary source: the abstract is
public, the two theorems were read in a picture of them in somebody's notes; neither proofs nor the definition of
neighbours were at hand. Nothing else is quoted. log is natural. What is played, Algorithm 2 of Agrawal and Goyal
(2013), is Algorithm 1 of ou24, and stands on its page:

     1  of every arm i: k_i <- 0, mu_i <- 0
     2  for every round t:
     3      theta_i ~ N(mu_i, 1/(k_i + 1)) of every arm, independently
     4      pull i = argmax theta_i, observe r
     5      mu_i <- (mu_i (k_i + 1) + r)/(k_i + 2), k_i <- k_i + 1

Theorem 2 draws with variance ln^2(T)/(eps (k_i + 1)) in line 3.
"""

from __future__ import annotations

from dpbandits.reference.arithmetic.checks import at_least, positive
from dpbandits.reference.arithmetic.elementary import log
from dpbandits.reference.papers.ou24.algorithms import ModifiedThompsonSampling, ThompsonSampling

THEOREM_1 = ThompsonSampling


def variance(horizon: int, eps: float) -> float:
    """ln^2(T)/eps: what Theorem 2 puts over k_i + 1. horizon: T >= 2. eps: > 0."""
    at_least("T (horizon)", horizon, 2)
    positive("eps", eps)
    return float(log(horizon) ** 2 / eps)


def with_more_variance(arms: int, horizon: int, eps: float) -> ModifiedThompsonSampling:
    """The policy of Theorem 2. arms: K >= 1. horizon: T >= 2. eps: > 0, the privacy that is wanted."""
    return ModifiedThompsonSampling(arms, horizon, variance=variance(horizon, eps))


def private_for(policy: ModifiedThompsonSampling) -> float:
    """The eps that Theorem 2 says this policy was made for."""
    return float(log(policy.horizon) ** 2 / policy.variance)
