"""Recommends an arm at the end of every run, over dpbandits' JSON lines, version 2; Python alone.

It pulls the arms in turn, and answers with the largest of their noisy sums: Laplace noise of scale 1/eps, for rewards
in [0, 1] and eps = 1, so that its runs are 1-DP.

python recommend.py         the algorithm
python recommend.py --bug   the same with a planted bug: the sums have no noise
"""

import json
import random
import sys

EPS = 1.0
BUG = "--bug" in sys.argv[1:]


class Run:
    """One run: its generator, and what each arm has paid."""

    def __init__(self, seed, arms):
        self.random, self.total = random.Random(seed), [0.0] * arms

    def laplace(self):
        return self.random.expovariate(EPS) - self.random.expovariate(EPS)

    def recommend(self):
        noisy = [total + (0.0 if BUG else self.laplace()) for total in self.total]
        return noisy.index(max(noisy))


def main():
    runs, horizon = [], 0
    for line in sys.stdin:
        message = json.loads(line)
        answer = {"done": True}
        if message["do"] == "init":
            runs, horizon = [Run(seed, message["arms"]) for seed in message["seeds"]], message["horizon"]
        elif message["do"] == "act" and message["t"] > horizon:  # the horizon is used up: the final answer
            answer = {"answers": [run.recommend() for run in runs]}
        elif message["do"] == "act":
            answer = {"arms": [(message["t"] - 1) % len(run.total) for run in runs]}
        elif "arms" in message:
            for run, arm, reward in zip(runs, message["arms"], message["rewards"], strict=True):
                run.total[arm] += reward
        else:
            answer = {"error": "this program learns from single pulls"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
