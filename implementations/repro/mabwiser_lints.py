"""LinTS with l2_lambda other than 1: an arm without rewards has the covariance alpha^2 lambda I, not its inverse."""

import numpy as np
from mabwiser.mab import MAB, LearningPolicy

mab = MAB([0, 1], LearningPolicy.LinTS(alpha=1.0, l2_lambda=4.0), seed=0)
mab.fit([0], [0.0], [[0.0, 0.0]])  # arm 1 has no rewards, and arm 0 learnt from a context of zeros
samples = [mab.predict_expectations([[1.0, 0.0]]) for _ in range(10_000)]
spread = [float(np.std([each[arm] for each in samples])) for arm in (0, 1)]
print(f"deviation at x = (1, 0): {spread[0]:.3f} for arm 0, {spread[1]:.3f} for arm 1, which has no rewards")
print("documented for both: sqrt(alpha^2 x'(X'X + lambda I)^-1 x) = sqrt(1/4) = 0.5")
if spread[1] > 1:
    raise SystemExit("A_inv starts as lambda I; it must start as I/lambda")
