"""Thompson sampling with Gaussian priors (Ou et al. 2024, Algorithm 1), over dpbandits' JSON lines; Python alone.

python thompson.py         the algorithm
python thompson.py --bug   the same with a planted bug: the reward of a pull is credited to the next arm
python thompson.py --vectors tapes.json   plays dpbandits' golden tapes instead, and says how many came out right
"""

import json
import random
import sys

BUG = "--bug" in sys.argv[1:]


class Run:
    """One run: its generator, and what each arm was pulled and has paid."""

    def __init__(self, seed, arms):
        self.random, self.pulls, self.total = random.Random(seed), [0] * arms, [0.0] * arms

    def select(self, noise=None):
        noise = noise or [self.random.gauss(0, 1) for _ in self.pulls]
        thetas = [
            total / (n + 1) + z * (1 / (n + 1)) ** 0.5
            for n, total, z in zip(self.pulls, self.total, noise, strict=True)
        ]
        return thetas.index(max(thetas))

    def update(self, arm, reward):
        self.pulls[arm] += 1
        self.total[(arm + 1) % len(self.total) if BUG else arm] += reward


def played(tape):
    """The arm of every step, from the tape's noise and rewards."""
    run, arms = Run(0, tape["parameters"]["arms"]), []
    for draw in tape["noise"]:
        arm = run.select(draw["values"])
        run.update(arm, tape["rewards"][arm][arms.count(arm)])
        arms.append(arm)
    return arms


def check(path):
    with open(path, encoding="utf-8") as file:
        tapes = [each for each in json.load(file)["vectors"] if each["policy"] == "ou24.ThompsonSampling"]
    right = sum(played(tape) == [counts.index(1) for counts in tape["released"]] for tape in tapes)
    print(f"{right} of {len(tapes)} tapes")
    sys.exit(right < len(tapes))


def main():
    if "--vectors" in sys.argv:
        check(sys.argv[sys.argv.index("--vectors") + 1])
    runs = []
    for line in sys.stdin:
        message = json.loads(line)
        answer = {"done": True}
        if message["do"] == "init":
            runs = [Run(seed, message["arms"]) for seed in message["seeds"]]
        elif message["do"] == "act":
            answer = {"arms": [run.select() for run in runs]}
        elif "arms" in message:
            for run, arm, reward in zip(runs, message["arms"], message["rewards"], strict=True):
                run.update(arm, reward)
        else:
            answer = {"error": "this program learns from single pulls"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
