"""
Can I evaluate another policy on my log?
========================================

A log of Thompson sampling with Beta posteriors contains the arms and rewards, but no
propensities: the probability of each logged pull is missing. Off-policy estimators need
these probabilities. From such a log, this page estimates the reward of another policy,
which pulls all arms equally often.
"""

import matplotlib.pyplot as plt
import numpy as np

from dpbandits import beta_propensities

RATES, ROUNDS = np.array([0.6, 0.5, 0.4]), 3000
TRUTH = RATES.mean()  # what the other policy earns in each round

# %%
# A log
# -----
#
# This page simulates a log; replace the simulated log by your own log. ``a`` and ``b``
# are the parameters of the posteriors before each pull: the numbers of successes and
# failures so far, each plus 1.

rng = np.random.default_rng(2)
a, b = np.ones((2, ROUNDS, 3))
arm, reward = np.zeros((2, ROUNDS), dtype=int)
for t in range(ROUNDS):
    if t:
        a[t], b[t] = a[t - 1], b[t - 1]
        a[t, arm[t - 1]] += reward[t - 1]
        b[t, arm[t - 1]] += 1 - reward[t - 1]
    arm[t] = rng.beta(a[t], b[t]).argmax()
    reward[t] = rng.random() < RATES[arm[t]]

# %%
# Propensities, exact and from samples
# ------------------------------------

rows = np.arange(ROUNDS)
exact = beta_propensities(a, b)[rows, arm]
SAMPLES = 100
drawn = rng.beta(a[:, None], b[:, None], (ROUNDS, SAMPLES, 3)).argmax(axis=2)
sampled = np.maximum((drawn == arm[:, None]).mean(axis=1), 1 / SAMPLES)


def doubly_robust(propensity):
    """Each round's estimate: the posterior means plus a weighted residual."""
    model = a / (a + b)
    return model.mean(axis=1) + (reward - model[rows, arm]) / (3 * propensity)


# %%
# The picture
# -----------
#
# The band extends two standard errors to either side of the estimate with exact
# propensities.

figure, axes = plt.subplots(figsize=(6.4, 3.6))
axes.axhline(TRUTH, color="0.6")
axes.text(ROUNDS, TRUTH - 0.006, "true value", color="0.4", ha="right", va="top")
estimates = {}
for name, propensity, color in (
    ("exact", exact, "C0"),
    (f"{SAMPLES} samples per round", sampled, "C1"),
):
    terms = doubly_robust(propensity)
    running = np.cumsum(terms) / (rows + 1)
    error = terms.std() / np.sqrt(ROUNDS)
    estimates[name] = (running[-1], error)
    axes.plot(rows[50:], running[50:], color=color, label=name)
    if name == "exact":
        band = 2 * terms.std() / np.sqrt(rows[50:] + 1)
        axes.fill_between(
            rows[50:],
            running[50:] - band,
            running[50:] + band,
            color=color,
            alpha=0.15,
            linewidth=0,
        )
axes.set(
    xlabel="rounds of the log", ylabel="estimated reward per round", ylim=(0.2, 1.0)
)
axes.legend(title="propensities", frameon=False, loc="upper right")
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The answer
# ----------

(value, error), (other, _) = estimates.values()
print(f"Yes: with exact propensities the estimate is {value:.3f} +- {error:.3f};")
print(f"the true value is {TRUTH:.3f}. The smallest propensity is {exact.min():.1e},")
print(f"which is too small for {SAMPLES} samples per round. With propensities from")
print(f"these samples, the estimate is {other:.3f}.")
