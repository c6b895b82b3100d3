"""UCB with a distribution as reward_obj has no confidence bonus: the policy is greedy."""

from river import bandit, proba, stats

pulled = {}
for name, reward in (("stats.Mean", stats.Mean()), ("proba.Gaussian", proba.Gaussian())):
    policy = bandit.UCB(delta=1, reward_obj=reward, seed=0)
    policy.update(0, 0.5)
    for _ in range(100):
        policy.update(1, 0.6)
    pulled[name] = policy.pull([0, 1])
print(f"after 1 reward of arm 0 (0.5) and 100 of arm 1 (0.6), UCB1 must pull arm 0: {pulled}")
print("indices: 0.5 + sqrt(2 log(101)/1) = 3.54 and 0.6 + sqrt(2 log(101)/100) = 0.90")
if pulled["proba.Gaussian"] != 0:
    raise SystemExit("with a distribution, the index is reward.mode alone")
