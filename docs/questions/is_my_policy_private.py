"""
Is my policy private at eps = 1?
================================

A policy adds Laplace noise to each reward when it arrives, and then uses only the noisy
reward. Rewards lie in [0, 1], so noise of scale 1 should make the sequence of pulled
arms (1, 0)-DP. The first index of every array is the number of the simulated run.
"""

from dataclasses import dataclass
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np

from dpbandits import Pulls, Seeded, audit_policy, flipped, play


class State(NamedTuple):
    pulls: np.ndarray  # (runs, arms)
    total: np.ndarray  # (runs, arms), with noise


@dataclass(frozen=True)
class NoisyGreedy:
    arms: int
    horizon: int
    scale: float = 1.0

    def init(self, trials):
        return State(
            np.zeros((trials, self.arms), dtype=np.int64), np.zeros((trials, self.arms))
        )

    def act(self, t, state, noise):
        mean = np.where(
            state.pulls == 0, np.inf, state.total / np.maximum(state.pulls, 1)
        )
        return Pulls.one(mean.argmax(axis=1), self.arms)

    def learn(self, t, state, pulls, sums, noise):
        drawn = self.scale * noise.laplace("reward", t, (self.arms,))
        return State(
            state.pulls + pulls.counts, state.total + sums + pulls.counts * drawn
        )


# %%
# The audit
# ---------
#
# ``audit_policy`` first tries to prove the claim for all reward tables. If no proof is
# found, it searches for two reward tables that violate the claim.

policy = NoisyGreedy(arms=2, horizon=6)
finding = audit_policy(policy, eps=1.0)
print(finding.verdict)
print(finding.summary)

# %%
# What the claim means
# --------------------
#
# The next cell simulates 200 000 runs on each of two reward tables. The two tables
# differ only in the first reward of arm 0. Every point of the picture is one sequence
# of six pulls, and its coordinates are the frequencies of this sequence on the two
# reward tables. If the claim is true, all probabilities lie inside the band.

rewards = np.full((2, 6), 0.5)
rewards[0, 0] = 0.0
pair = flipped("pull", rewards, arm=0, index=0, value=1.0)
runs = 200_000
shares = []
for table in pair.environments():
    released = play(policy, table, Seeded(0, runs), runs).released
    code = (released[:, :, 1] << np.arange(6)).sum(axis=1)
    shares.append(np.bincount(code, minlength=64) / runs)
left, right = shares

common = np.minimum(left, right) * runs > 500
worst = np.exp(np.abs(np.log(left[common] / right[common]))).max()

figure, axes = plt.subplots(figsize=(5.4, 4.4))
grid = np.array([0.0, 0.5])
axes.fill_between(grid, grid / np.e, grid * np.e, color="C0", alpha=0.15, linewidth=0)
axes.plot(left[common], right[common], "o", color="C0", markersize=5)
axes.text(
    0.11, 0.11, "allowed by eps = 1", color="C0", rotation=42, ha="center", va="center"
)
axes.set(xscale="log", yscale="log", xlim=(2e-3, 0.5), ylim=(2e-3, 0.5))
axes.set(
    xlabel="probability on the left table", ylabel="probability on the right table"
)
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The answer
# ----------

print(
    f"{finding.verdict}: six pulls of this policy are (1, 0)-DP for all reward tables."
)
print("On these two reward tables, the probability of a sequence of pulls changes by")
print(f"at most a factor of {worst:.2f}; eps = 1 allows {np.e:.2f}.")
