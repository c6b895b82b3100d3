"""LinUCB with l2_lambda other than 1: an arm without rewards has the width of lambda I instead of its inverse."""

from mabwiser.mab import MAB, LearningPolicy

mab = MAB([0, 1], LearningPolicy.LinUCB(alpha=1.0, l2_lambda=4.0), seed=0)
mab.fit([0], [0.0], [[0.0, 0.0]])  # arm 1 has no rewards, and arm 0 learnt from a context of zeros
bounds = mab.predict_expectations([[1.0, 0.0]])
print(f"upper confidence bounds at x = (1, 0): {bounds}")
print("documented for both: alpha sqrt(x'(X'X + lambda I)^-1 x) = sqrt(1/4) = 0.5")
if bounds[1] > 1:
    raise SystemExit("A_inv starts as lambda I; it must start as I/lambda")
