"""
How does the power of an audit grow with the number of runs?
============================================================

A mechanism that releases a noisy mean claims eps = 1, but its noise is too small: the
true eps is 1.25. This page shows how many runs an audit needs to refute the claim.
"""

import matplotlib.pyplot as plt
import numpy as np

from dpbandits import Approximate, audit_mechanism, trials_needed

CLAIM, TRUE, RISK = 1.0, 1.25, 1e-6


def noisy_mean(values, trials, seed):
    noise = np.random.default_rng(seed).laplace(size=trials)
    return np.mean(values) + noise / (TRUE * len(values))


# %%
# Audits of different sizes
# -------------------------
#
# ``RISK`` bounds the probability that an audit refutes a true claim. All audits on this
# page use the same ``RISK``.

sizes = [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000]
certified, verdicts = [], []
for size in sizes:
    finding = audit_mechanism(
        noisy_mean,
        [1, 0, 1],
        [1, 0, 0],
        eps=CLAIM,
        trials=size,
        risk=RISK,
        floating_point="ignore",
    )
    certified.append(finding.body.instances[0].sampled.certified.value)
    verdicts.append(str(finding.verdict))
    print(f"{size:7} runs: eps >= {certified[-1]}, {finding.verdict}")

# %%
# What can be known in advance
# ----------------------------
#
# ``trials_needed`` computes how many fresh runs are needed to detect a violation with
# probability 0.9. An audit uses a quarter of its runs to learn an event, so the audit
# needs 4/3 times this number of runs in total.

violations = np.array([1.1, 1.15, 1.2, 1.25, 1.3, 1.4, 1.5, 1.7])
needed = [
    trials_needed(Approximate(CLAIM), each, RISK, mechanism="Laplace") * 4 / 3
    for each in violations
]

# %%
# The picture
# -----------

figure, axes = plt.subplots(figsize=(6.4, 3.8))
axes.axhline(TRUE, color="0.6")
axes.text(1000, TRUE + 0.008, "true eps", color="0.4")
axes.axhline(CLAIM, color="C0")
axes.text(130_000, CLAIM - 0.008, "claimed eps", color="C0", ha="right", va="top")
axes.semilogx(sizes, certified, color="C3", linewidth=1)
for size, bound, verdict in zip(sizes, certified, verdicts, strict=True):
    axes.plot(
        size,
        bound,
        "o",
        color="C3",
        markerfacecolor="C3" if verdict == "REFUTED" else "white",
    )
axes.text(5000, 0.86, "certified lower bound (filled: REFUTED)", color="C3")
axes.semilogx(needed, violations, "--", color="C2")
axes.text(
    needed[6] * 1.15,
    violations[6],
    "detected with probability 0.9",
    color="C2",
    va="center",
)
axes.set(
    xlabel="runs on each of the two inputs",
    ylabel="eps",
    xlim=(800, 170_000),
    ylim=(0.7, 1.6),
)
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The answer
# ----------

first = sizes[verdicts.index("REFUTED")]
ten, five = (
    trials_needed(Approximate(CLAIM), each, RISK, mechanism="Laplace") * 4 // 3
    for each in (1.1, 1.05)
)
print(
    f"Here {first} runs refuted the claim. To detect eps = {TRUE} with probability 0.9,"
)
print(f"an audit needs {needed[3]:.0f} runs on each input.")
print(f"A violation half as large needs about {five / ten:.0f} times as many runs:")
print(f"{ten} for eps = 1.1, and {five} for eps = 1.05.")
