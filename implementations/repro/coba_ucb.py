"""BanditUCBLearner forgets the first reward of every action."""

from coba import BanditUCBLearner

learner = BanditUCBLearner()
for reward in (1.0, 0.0, 0.0):
    learner.learn(None, "a", reward, 1.0)
mean = learner._m["a"]
print(f"mean of the rewards 1, 0, 0 in the learner: {mean}; expected: 1/3")
if abs(mean - 1 / 3) > 1e-9:
    raise SystemExit("the second reward replaces the first: s is the count before it, in (1 - 1/s) m + r/s")
