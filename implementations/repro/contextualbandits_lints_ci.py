"""LinTS with sample_from="ci" multiplies the standard deviation by v_sq; documented: the covariance."""

import numpy as np
from contextualbandits.online import LinTS

spread = {}
for v_sq in (1.0, 0.25):
    policy = LinTS(2, sample_from="ci", v_sq=v_sq, fit_intercept=False, random_state=1)
    for arm in (0, 1):
        policy.partial_fit(np.ones((10, 1)), np.full(10, arm), np.full(10, 0.5))
    scores = [policy.decision_function(np.ones((1, 1)))[0, 0] for _ in range(5000)]
    spread[v_sq] = float(np.std(scores))
    print(f"v_sq = {v_sq}: deviation of the sampled score after 10 rewards {spread[v_sq]:.4f}")
print(f"documented: sqrt(v_sq x'B^-1 x) = {(1 / 11) ** 0.5:.4f} for v_sq = 1, {(0.25 / 11) ** 0.5:.4f} for v_sq = 0.25")
if spread[0.25] < 0.35 * spread[1.0]:
    raise SystemExit("a quarter of v_sq gives a quarter of the deviation, and not half of it")
