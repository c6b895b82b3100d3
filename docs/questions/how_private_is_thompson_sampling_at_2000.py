"""
How much privacy does Thompson sampling give at T = 2000?
=========================================================

This page bounds the eps of Gaussian Thompson sampling with two arms at delta = 1e-6,
against an adversary who sees all pulled arms. Theorem 3 of Ou et al. (2024) states an
upper bound for every horizon T. dpbandits computes a smaller upper bound, which is
certified, and a lower bound from an attack.
"""

import matplotlib.pyplot as plt
import numpy as np

from dpbandits import Sampler, thompson_privacy
from dpbandits.games import certified_curve

DELTA = 1e-6

# %%
# Up to T = 1000, the bounds come from a table that is installed with dpbandits. The
# bound for T = 2000 is computed here, which takes about ten seconds.

horizons = [100, 200, 500, 1000]
found = [thompson_privacy(Sampler(horizon, arms=2), DELTA) for horizon in horizons]
for horizon, each in zip(horizons, found, strict=True):
    print(f"T = {horizon:4}: theorem {each.theorem:5.1f}", end=", ")
    print(f"certified {each.certified}, attack {each.attack}")

sampler = Sampler(2000, arms=2)
certified = np.ceil(certified_curve(sampler).eps(DELTA) * 100) / 100  # rounded up
theorem = thompson_privacy(sampler, DELTA, seek=False, exact=False).theorem
print(f"T = 2000: theorem {theorem:.1f}, certified {certified:.2f}")

# %%
# The picture
# -----------
#
# An adversary who sees 2000 pulls also sees the first 1000, so the lower bound for
# T = 1000 also holds for T = 2000.

figure, axes = plt.subplots(figsize=(6.4, 3.8))
axes.loglog(
    [*horizons, 2000], [*(each.theorem for each in found), theorem], "o-", color="0.5"
)
axes.loglog(
    [*horizons, 2000],
    [*(each.certified for each in found), certified],
    "o-",
    color="C0",
)
axes.loglog(
    [*horizons, 2000],
    [*(each.attack for each in found), found[-1].attack],
    "x--",
    color="C3",
)
axes.text(330, 200, "Theorem 3", color="0.4", ha="right")
axes.text(330, 42, "certified: eps is at most this", color="C0", ha="right")
axes.text(480, 29, "attack: eps is at least this", color="C3")
axes.set(xlabel="horizon T", ylabel="eps at delta = 1e-6", ylim=(15, 900))
axes.set_xticks([*horizons, 2000], [*map(str, horizons), "2000"])
axes.set_yticks([20, 50, 100, 200, 500], ["20", "50", "100", "200", "500"])
axes.minorticks_off()
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The answer
# ----------

print(f"At T = 2000 the true eps lies between {found[-1].attack} and {certified}.")
print(f"Theorem 3 states {theorem:.0f}, {theorem / certified:.0f} times as much.")
