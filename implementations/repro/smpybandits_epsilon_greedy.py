"""EpsilonGreedy never explores the last arm: numpy.random.randint(0, K - 1) excludes K - 1."""

import contextlib
import io

import numpy as np
import scipy.special

scipy.special.btdtri = scipy.special.betaincinv  # newer versions of scipy have only this name
with contextlib.redirect_stdout(io.StringIO()):  # the import prints warnings
    from SMPyBandits.Policies import EpsilonGreedy

np.random.seed(0)  # noqa: NPY002
policy = EpsilonGreedy(3, epsilon=1.0)  # explores always
policy.startGame()
policy.getReward(0, 1.0)
counts = np.bincount([policy.choice() for _ in range(30_000)], minlength=3)
print(f"choices of three arms with epsilon = 1: {counts.tolist()}; expected: about 10000 each")
if counts[2] == 0:
    raise SystemExit("arm 2 is never explored")
