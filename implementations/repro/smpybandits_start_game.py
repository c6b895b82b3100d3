"""startGame() of Thompson with the Gauss posterior keeps the rewards of the previous game."""

import contextlib
import io

import scipy.special

scipy.special.btdtri = scipy.special.betaincinv  # newer versions of scipy have only this name
with contextlib.redirect_stdout(io.StringIO()):  # the import prints warnings
    from SMPyBandits.Policies import Thompson
    from SMPyBandits.Policies.Posterior import Gauss

fresh, used = Thompson(2, posterior=Gauss), Thompson(2, posterior=Gauss)
used.startGame()
used.getReward(0, 1.0)
for policy in (fresh, used):
    policy.startGame()
    policy.getReward(0, 0.0)
means = [policy.posterior[0].mu for policy in (fresh, used)]
print(f"posterior means after startGame() and one reward 0: {means[0]} if new, {means[1]} if used before")
if means[0] != means[1]:
    raise SystemExit("a reward of the previous game is still in the posterior")
