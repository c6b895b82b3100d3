"""The orderings' benchmark: how often is a true order of skewed regrets refuted?

Two arms (0.6 and 0.4), T = 10 000. Algorithm 2 with c = 0.05 and no pre-pulls (skewed: most runs have next to no
regret, a few stay with the wrong arm) against Algorithm 1. Experiments are drawn with replacement from a pool of runs,
so that the truth about the pool is known exactly, and judged at enlarged levels, as many as it takes to count mistakes.
Three pairs of settings: the two against one another; the skewed one against its own median; and against itself. With
single runs, neither order holds in more than half of all repetitions of the last two, which is the hardest case.

Student's limits with Welch's degrees of freedom, which assume a regret close to normal, stand beside for comparison:
how often they exclude the true difference of the means.

Run with: python bench/orderings.py
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from dpbandits.audit.play.runs import side_by_side
from dpbandits.audit.regret.orderings import compare, critical_count, repetition_means
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.bandits.quantities import pseudo_regret
from dpbandits.reference.claims import text
from dpbandits.reference.papers.ou24 import ModifiedThompsonSampling, ThompsonSampling

POOL, EXPERIMENTS, ARMS, HORIZON = 4_000, 10_000, Bernoulli((0.6, 0.4)), 10_000


def pools() -> tuple[Array, Array]:
    """The pseudo-regret of POOL runs of either policy."""
    policies = ModifiedThompsonSampling(2, HORIZON, variance=0.05), ThompsonSampling(2, HORIZON)
    played = side_by_side(policies, ARMS, POOL, address(0, "skewed"))
    skewed, plain = (pseudo_regret(policy, ARMS, runs) for policy, runs in zip(policies, played, strict=True))
    return skewed, plain


def mistakes(one: Array, other: Array, runs: int, averaged: int, level: float) -> str:
    """How often an order of the first and the second is certified, and how often Student's limits miss."""
    generator, needed = np.random.default_rng(0), critical_count(runs // averaged, level)
    smaller = larger = missed = 0
    truth = other.mean() - one.mean()
    for _ in range(EXPERIMENTS):
        drawn = {"a": generator.choice(one, runs), "b": generator.choice(other, runs)}
        each = compare(
            "a", "b", {name: repetition_means(values, averaged, name) for name, values in drawn.items()}, 1e-8
        )
        smaller += each.certified(needed) == text.AS_CLAIMED
        larger += each.certified(needed) == text.REVERSED
        variance = [values.var(ddof=1) / runs for values in drawn.values()]
        if sum(variance) == 0:
            continue
        freedom = sum(variance) ** 2 / sum(part**2 / (runs - 1) for part in variance)
        error = abs(drawn["b"].mean() - drawn["a"].mean() - truth) / np.sqrt(sum(variance))
        missed += bool(error > stats.t.isf(level / 2, freedom))
    rates = " ".join(f"{count / EXPERIMENTS:9.5f}" for count in (smaller, larger, missed))
    return f"{runs:5d} {averaged:4d} {level:8.3g} {rates}"


def main() -> None:
    skewed, plain = pools()
    for name, values in (("skewed", skewed), ("plain", plain)):
        print(f"{name}: mean {values.mean():.1f}, median {np.median(values):.1f}, skewness {stats.skew(values):.2f}")
    less = np.mean([(skewed < value).mean() for value in plain])
    print(f"the skewed one has less regret in {less:.1%} of all pairs of runs, and more on average")
    print("                        certified:         Student's limits")
    print(" runs  avg    level   a < b     b < a     miss the difference")
    middle = np.full(POOL, np.median(skewed))
    for title, one, other in (
        ("a = plain, b = skewed", plain, skewed),
        ("a = skewed, b = its median", skewed, middle),
        ("a = b = skewed", skewed, skewed),
    ):
        print(title)
        for runs, averaged, level in ((32, 1, 0.01), (32, 1, 0.05), (160, 1, 0.01), (320, 10, 0.01), (320, 10, 0.05)):
            print(mistakes(one, other, runs, averaged, level))
    print("a = plain, b = skewed, at the ledger's level")
    print(mistakes(plain, skewed, 32, 1, 1.7e-9))


if __name__ == "__main__":
    main()
