"""
How much noise is enough for my eps?
====================================

Gaussian Thompson sampling with two arms draws samples with c times the usual variance.
For a given eps, ``calibrate`` computes a c for which the pulls of T = 100 rounds are
certified to be (eps, 1e-6)-DP, and the c that Theorem 4 of Ou et al. requires.
"""

import matplotlib.pyplot as plt

from dpbandits import calibrate

# %%
# With ``within=2``, ``calibrate`` reads the answers from the table of certified bounds.
# Each answer is at most twice the smallest c that can be certified.

goals = [1.0, 2.0, 4.0, 8.0, 16.0]
found = [
    calibrate(eps=eps, delta=1e-6, horizon=100, arms=2, within=2.0) for eps in goals
]
for eps, each in zip(goals, found, strict=True):
    enough, required = each.certified.variance, each.theorem.variance
    print(f"eps = {eps:2g}: c = {enough:3g} certified, {required:6.1f} by Theorem 4")

# %%
# The picture
# -----------

figure, axes = plt.subplots(figsize=(6.4, 3.8))
certified, theorem = (
    [getattr(each, name).variance for each in found]
    for name in ("certified", "theorem")
)
axes.loglog(goals, theorem, "o-", color="0.5")
axes.loglog(goals, certified, "o-", color="C0")
axes.fill_between(goals, certified, theorem, color="0.5", alpha=0.12, linewidth=0)
axes.text(2.1, theorem[1] * 1.15, "Theorem 4", color="0.4")
axes.text(1.9, certified[1] / 1.3, "certified", color="C0", ha="right", va="top")
axes.text(1.5, 250, "noise that\nis not needed", color="0.4", ha="center", va="center")
axes.set(xlabel="eps at delta = 1e-6", ylabel="variance factor c")
axes.set_xticks(goals, [f"{eps:g}" for eps in goals])
axes.minorticks_off()
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The answer
# ----------

two = found[1]
enough, required = two.certified.variance, two.theorem.variance
regret = {each.sampler.variance: each.played[0] for each in two.regret}
print(
    f"For eps = 2, c = {enough:g} is enough, and Theorem 4 requires c = {required:.1f}."
)
print(f"At a gap of 0.1, regret rises from {regret[1.0]:.2f} to {regret[enough]:.2f}.")
