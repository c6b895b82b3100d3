"""Popularity does not pull arms with the documented probabilities: it takes the largest coordinate of a Dirichlet."""

import numpy as np
from mabwiser.mab import MAB, LearningPolicy

mab = MAB([0, 1, 2], LearningPolicy.Popularity(), seed=0)
mab.fit([0, 1, 2], [0.8, 0.3, 0.1])
documented = np.array([0.8, 0.3, 0.1]) / 1.2
found = np.bincount([mab.predict() for _ in range(50_000)], minlength=3) / 50_000
print(f"documented P(arm): {documented.round(3).tolist()}")
print(f"measured in 50000 predictions: {found.round(3).tolist()} (standard error 0.002)")
if abs(found - documented).max() > 0.015:
    raise SystemExit("the argmax of a Dirichlet(p) sample is not distributed as p")
