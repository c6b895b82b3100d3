"""Thompson with the Gauss posterior uses 1/n as standard deviation, where the documentation has the variance 1/n."""

import contextlib
import io

import numpy as np
import scipy.special

scipy.special.btdtri = scipy.special.betaincinv  # newer versions of scipy have only this name
with contextlib.redirect_stdout(io.StringIO()):  # the import prints warnings
    from SMPyBandits.Policies.Posterior import Gauss

np.random.seed(0)  # noqa: NPY002
posterior = Gauss()
for _ in range(100):
    posterior.update(0.5)
spread = np.std([posterior.sample() for _ in range(10_000)])
print(f"standard deviation of samples after 100 rewards: {spread:.4f}; documented: sqrt(1/100) = 0.1")
if spread < 0.05:
    raise SystemExit("the deviation is about 1/n instead of sqrt(1/n)")
