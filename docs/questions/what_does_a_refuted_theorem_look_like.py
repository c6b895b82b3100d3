"""
What does a refuted theorem look like?
======================================

Theorem 7 of Ou et al. (2024) states that a single decision of Gaussian Thompson
sampling with N arms is (eps, delta)-DP for eps = sqrt(log((N - 1)/(2 delta))) / (2
sqrt(2)). This page computes the true eps of one decision with two arms.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from dpbandits import audit_policy
from dpbandits.papers.ou24 import ThompsonSampling

# %%
# A counterexample
# ----------------
#
# The audit searches all single decisions of runs with 300 pulls, and computes the exact
# probabilities of each decision.

DELTA = 0.01


def printed(delta):
    return np.sqrt(np.log(1 / (2 * delta))) / (2 * np.sqrt(2))


policy = ThompsonSampling(arms=2, horizon=300)
finding = audit_policy(
    policy, eps=float(printed(DELTA)), delta=DELTA, relation="history", trials=2000
)
print(finding.verdict)
print(finding.summary)

# %%
# The picture
# -----------
#
# In the state that the audit found, arm 0 was pulled once, and paid 1 or 0; arm 1 was
# pulled 298 times, and always paid 1. The decision compares two normal samples, so the
# probability of pulling arm 0 is a value of the normal distribution function. Let this
# probability be P[left] if arm 0 paid 1, and P[right] if arm 0 paid 0. The true eps of
# this decision at delta solves P[left] = exp(eps) P[right] + delta.

PULLS = 298
deviation = np.sqrt(1 / 2 + 1 / (PULLS + 1))
on_left, on_right = (
    ndtr((mean - PULLS / (PULLS + 1)) / deviation) for mean in (1 / 2, 0)
)
most = np.log(on_left / on_right)


def true(delta):
    def excess(eps):
        return on_left - np.exp(eps) * on_right - delta

    return brentq(excess, 0.0, most) if excess(0.0) > 0 else 0.0


deltas = np.geomspace(1e-6, 0.3, 200)
theorem, exact = printed(deltas), np.array([true(delta) for delta in deltas])
wrong = exact > theorem

figure, axes = plt.subplots(figsize=(6.4, 3.8))
axes.semilogx(deltas, theorem, color="0.5")
axes.semilogx(deltas, exact, color="C3")
axes.fill_between(
    deltas, theorem, exact, where=wrong, color="C3", alpha=0.15, linewidth=0
)
axes.text(2e-6, 1.25, "Theorem 7", color="0.4")
axes.text(1.5e-6, 0.88, "true eps of\nthis decision", color="C3")
axes.text(6e-3, 0.88, "false here", color="C3", ha="center")
axes.set(xlabel="delta", ylabel="eps", ylim=(0, 1.5))
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The answer
# ----------

low, high = deltas[wrong][[0, -1]]
print(f"{finding.verdict}: at delta = {DELTA} the theorem states {printed(DELTA):.3f},")
print(f"and the true eps of this decision is {true(DELTA):.3f}. Here the theorem is")
print(f"false for delta from {low:.1e} to {high:.2f}.")

# %%
# The claim's page in the report contains the repaired theorem, and a certificate that
# ``dpbandits verify`` checks. Corollary 1 of the paper, which composes Theorem 7 over
# all rounds, is true.
