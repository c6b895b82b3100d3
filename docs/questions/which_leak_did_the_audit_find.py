"""
Which leak did the audit find?
==============================

A policy adds noise to its rewards, but by mistake the third reward of each arm gets no
noise. The audit has no information about this bug and must find it.
"""

from dataclasses import dataclass
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np

from dpbandits import Pulls, audit_policy


class State(NamedTuple):
    pulls: np.ndarray  # (runs, arms)
    total: np.ndarray  # (runs, arms), with noise


@dataclass(frozen=True)
class Forgetful:
    arms: int
    horizon: int

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
        scale = np.where(state.pulls == 2, 0.0, 1.0)  # the bug
        drawn = scale * noise.laplace("reward", t, (self.arms,))
        return State(
            state.pulls + pulls.counts, state.total + sums + pulls.counts * drawn
        )


finding = audit_policy(Forgetful(arms=2, horizon=8), eps=1.0)
print(finding.verdict)
print(finding.summary)

# %%
# The evidence
# ------------
#
# ``finding.body`` holds the evidence as data: two reward tables that differ in one
# entry, and the event whose probabilities on the two reward tables violate the claim.

stretches, event = finding.body.neighbours.stretches, finding.body.event
for stretch in stretches:
    print(f"pull {stretch.place:9} arms pay {', '.join(stretch.rewards)}")

# %%
# The picture
# -----------


def pulls_of(place):
    """The numbers in a place such as "3", "3, left" or "4 to 6"."""
    first, _, last = place.split(",")[0].partition(" to ")
    return range(int(first), int(last or first) + 1)


(left,) = [each for each in stretches if each.place.endswith("left")]
(right,) = [each for each in stretches if each.place.endswith("right")]
(changed,) = [arm for arm in (0, 1) if left.rewards[arm] != right.rewards[arm]]
(pull,) = pulls_of(left.place)

figure, (tables, shares) = plt.subplots(
    1, 2, figsize=(7.4, 3.2), width_ratios=(3, 1), layout="constrained"
)
for stretch in stretches:
    for arm, color in enumerate(("C0", "C1")):
        paid = float(stretch.rewards[arm])
        tables.plot(
            pulls_of(stretch.place),
            [paid] * len(pulls_of(stretch.place)),
            "o",
            color=color,
        )
        if stretch is stretches[-1]:
            tables.text(8.3, paid, f"arm {arm}", color=color, va="center")
ends = [(pull, float(side.rewards[changed])) for side in (right, left)]
arrow = {"arrowstyle": "->", "color": "C3", "linewidth": 2}
tables.annotate("", *ends, arrowprops=arrow)
tables.text(pull + 0.15, 0.33, "the changed reward", color="C3")
tables.set(
    xlabel="pull of the arm", ylabel="reward", xlim=(0.5, 9.4), ylim=(-0.06, 1.08)
)
shares.bar(["left", "right"], [event.left, event.right], color="C3", width=0.5)
shares.set(ylabel="share of runs with the event")
for axes in (tables, shares):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The answer
# ----------

print(f"The tables differ in pull {pull} of arm {changed}, whose noise is missing.")
print(f"The event occurs in {event.left:.2%} of the runs on the left table and in")
print(
    f"{event.right:.2%} on the right, which certifies eps >= {event.certified.value}."
)
