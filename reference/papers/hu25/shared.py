"""Domains, subjects and quantities that several chapters use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary, doubles
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.policy import Step
from dpbandits.reference.bandits.release_laws.mechanisms import GaussianNoisyMax
from dpbandits.reference.claims.model import OneOf, Real, Source
from dpbandits.reference.papers.hu25 import formulas as f

# Algorithm 1 asks for T >= max(K, 3). The formulas are judged for real T, which includes the integers.
HORIZON = Real(3, np.inf, closed=True)
ALPHA = Real(0, 1, closed=True)
ALPHAS = OneOf((0.0, 0.25, 0.5, 0.75, 1.0))  # the values of Figures 3 and 4
EPS = Real(0, np.inf, closed=True)
ETA = Real(0, np.inf)
MILLION = OneOf((10**6,))


def source(where: str, quote: str, statement: str = "") -> Source:
    return Source("hu25", where, quote, statement=statement)


def printed_eta(policy: Any) -> float:
    """Theorem 4.4's parameter of a DP-TS-UCB, whatever its budget: formulas.proof_eta."""
    return float(f.composed_eta(doubles, 2 * policy.phi, policy.variance))


def sharp_eta(policy: Any) -> float:
    """sqrt(min(floor(phi), T - K)/ln^alpha T), whatever the budget. Ours: the second phase only repeats samples of the
    first.

    A reward enters one mean, over n >= 1 observations; at most floor(phi) samples are drawn around it, none before
    round K + 1, each of them sqrt(1/(n ln^alpha T))-GDP.
    """
    samples = f.fresh_samples(doubles, policy.phi, policy.horizon, policy.arms)
    return float(f.composed_eta(doubles, samples, policy.variance))


def quoted_step(used: int, variance: float, others: tuple[int, ...], reward: float) -> Step:
    """One round of a quoted algorithm: arm 0's mean over `used` observations, of which one changes from 0 to 1.

    others: the pull counts of the other arms, all with mean `reward`.
    """
    pulls = (used, *others)
    means = tuple(reward for _ in others)
    return Step(
        GaussianNoisyMax(tuple(float(np.sqrt(variance / n)) for n in pulls)),
        (0.0, *means),
        (1 / used, *means),
        tuple(1 / n for n in pulls),
    )


@dataclass(frozen=True)
class Draws:
    """A sampling budget of one's own choice instead of line 1's: this many draws in every epoch."""

    number: float

    def __call__(self, alpha: Any, horizon: int) -> Any:
        return self.number + 0 * alpha


# So small that the UCB phase is reached and every transcript's probability can be computed.
TINY = tuple(
    {"arms": 2, "horizon": 6, "alpha": alpha, "budget": Draws(number)} for alpha in (0.0, 1.0) for number in (1.0, 2.0)
)
GAP = Real(0, 1)
POSITIVE = Real(0, np.inf)  # of a gap: what is proved does not need that it is at most 1
# y = T gap^2 and the like: Appendices C and D assume T gap^2 > e.
PAST_E = Real(float(np.nextafter(np.e, 3)), np.inf, closed=True)


def past_e(m: Vocabulary, T: Number, gap: Number, **others: Number) -> Number:
    """ln(T gap^2): the appendices assume that it exceeds 1."""
    return m.log(T * gap * gap)


def one(m: Vocabulary, **others: Number) -> Number:
    return m.number(1)


def regret_bound(policy: Any, environment: Any) -> float | None:
    """Sum of gap_i times `formulas.pulls_bound`; None where some gap has T gap^2 <= e, which the proof excludes."""
    T, best = float(policy.horizon), max(environment.means)
    gaps = [best - mean for mean in environment.means if mean < best]
    if any(T * gap * gap <= np.e for gap in gaps):
        return None
    return float(sum(gap * f.pulls_bound(doubles, T, policy.alpha, gap) for gap in gaps))


FAR_APART = Bernoulli((0.95, 0.05))
PAPERS_ARMS = Bernoulli((0.95, 0.75, 0.55, 0.35, 0.15))  # Section 5
PROOF_OF_4_2 = (
    "hu25/lemma-4.1",
    "hu25/lemma-c.1/12.34",
    "hu25/lemma-c.1/72",
    "hu25/theorem-4.2/eq-17",
    "hu25/theorem-4.2/eq-19/repaired",
    "hu25/theorem-4.2/eq-19/mean",
    "hu25/theorem-4.2/eq-22",
    "hu25/theorem-4.2/eq-22/tail",
    "hu25/theorem-4.2/eq-23",
    "hu25/lemma-d.1",
    "hu25/lemma-d.2",
    "hu25/lemma-d.3",
)
