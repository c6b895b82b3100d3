"""ThompsonSampling with proba.Gaussian samples rewards instead of means, so it keeps pulling a worse arm."""

from river import bandit, proba

policy = bandit.ThompsonSampling(reward_obj=proba.Gaussian(), seed=0)
for k in range(10_000):  # means 1/4 and 3/4, standard deviation 0.43
    policy.update("worse", float(k % 4 == 0))
    policy.update("better", float(k % 4 != 0))
pulls = [policy.pull(["worse", "better"]) for _ in range(1000)]
worse = pulls.count("worse")
print(f"after 10000 rewards of each arm, the worse arm is pulled {worse} times of 1000")
print("a posterior of the mean has a deviation of about 0.004 by then, and the means are 0.5 apart: expected 0")
if worse > 10:
    raise SystemExit("samples do not concentrate: they come from the distribution of rewards")
