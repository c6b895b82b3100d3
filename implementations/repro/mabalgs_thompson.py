"""ThompsomSampling does not count the first failure of an arm: it samples from Beta(1 + s, max(1, f))."""

import numpy as np
from mab.algs import ThompsomSampling

np.random.seed(0)  # noqa: NPY002
pulls = []
for _ in range(20_000):
    policy = ThompsomSampling(2)
    first = policy.select()[0]  # no reward: a failure
    pulls.append(policy.select()[0] == first)
share = float(np.mean(pulls))
print(f"after one failure of an arm, the same arm is selected with probability {share:.3f}")
print("expected for Beta(1, 2) against Beta(1, 1): 1/3; without the failure: 1/2")
if abs(share - 1 / 3) > 0.03:
    raise SystemExit("the first failure has no effect")
