"""LinUCBDisjoint uses the deviation of the next reward; in Li et al. (2010) it is that of the mean."""

import math

from river import bandit

policy = bandit.LinUCBDisjoint(alpha=1.0, beta=1.0, seed=0)
for _ in range(99):
    policy.update(0, {"x": 1.0}, 0.5)
found = policy._bayes_lin_regs[0].predict_one({"x": 1.0}, with_dist=True)
mean, width = 99 * 0.5 / 100, math.sqrt(1 / 100)  # A = 1 + 99
print(f"index after 99 rewards: {found.mu + found.sigma:.4f}; Li et al., Algorithm 1: {mean + width:.4f}")
print(f"deviation: {found.sigma:.4f}; sqrt(x'A^-1 x) = {width:.4f}; sqrt(1 + x'A^-1 x) = {math.sqrt(1.01):.4f}")
if found.sigma > 2 * width:
    raise SystemExit("the width does not go to 0: it contains the noise of the next reward")
