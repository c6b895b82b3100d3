"""
Is my private counter private?
==============================

A counter releases a noisy sum after every reward. This page compares two counters with
Laplace noise of scale 1. One counter adds fresh noise to every sum, and the other adds
noise to every reward once. The page tests the claim that each counter is (1, 0)-DP for
one changed reward in [0, 1].
"""

import matplotlib.pyplot as plt
import numpy as np

from dpbandits import audit_counter


def fresh_noise(values, trials, seed):
    noise = np.random.default_rng(seed).laplace(size=(trials, len(values)))
    return np.cumsum(values) + noise


def noise_once(values, trials, seed):
    noise = np.random.default_rng(seed).laplace(size=(trials, len(values)))
    return np.cumsum(values + noise, axis=1)


# %%
# The audit searches for two streams of rewards whose releases differ as much as
# possible, and for an event that is much more probable on one stream than on the other.

lengths = [1, 2, 4, 8]
certified = {}
for counter in (fresh_noise, noise_once):
    for length in lengths:
        finding = audit_counter(
            counter, length, eps=1.0, trials=20_000, floating_point="ignore"
        )
        bound = finding.body.instances[0].sampled.certified.value
        certified.setdefault(counter.__name__, []).append(bound)
        print(
            f"{counter.__name__}, {length} rewards: eps >= {bound}, {finding.verdict}"
        )

# %%
# The picture
# -----------

figure, axes = plt.subplots(figsize=(6.4, 3.6))
axes.axhline(1.0, color="C0")
axes.text(5.5, 1.06, "claimed", color="C0")
for name, color, label in (
    ("fresh_noise", "C3", "fresh noise\nfor every sum"),
    ("noise_once", "C2", "noise once"),
):
    axes.plot(lengths, certified[name], "o-", color=color)
    axes.text(
        8.1,
        certified[name][-1],
        label,
        color=color,
        va="center" if name == "fresh_noise" else "top",
    )
axes.set(
    xlabel="number of rewards",
    ylabel="certified lower bound on eps",
    xlim=(0.7, 9.6),
    ylim=(0, None),
    xticks=lengths,
)
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The answer
# ----------

fresh, once = (max(certified[name]) for name in ("fresh_noise", "noise_once"))
print(f"With fresh noise, no: privacy losses add up, and eps >= {fresh} is certified.")
print("With noise added once, no violation was found:")
print(f"the largest certified lower bound is {once}.")
