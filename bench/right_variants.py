"""False alarms of `follows_law` on right variants of deterministic policies: ties, orders of first pulls, seeds.

Each variant decides by the same index as the reference, computed by its own formula in another order of operations. It
breaks ties in one of four ways, pulls the arms first in one of three orders, and has its own seed. The script prints,
for each reference policy, how many of these variants were refuted, and how many faulty variants (a wrong constant).
"""

from __future__ import annotations

from itertools import product
from time import process_time
from typing import Any

import numpy as np

from dpbandits import Verdict, follows_law, from_object, laws
from dpbandits.papers.auer02 import UCB1
from dpbandits.papers.bubeck13 import RobustUCB
from dpbandits.papers.contextual import ExploringRidge, LinUCB

ARMS, HORIZON, FEATURES = 3, 8, 2
TIES, ORDERS = ("first", "last", "drawn", "fewest pulls"), ("up", "down", "drawn")


class Variant:
    """A policy that pulls the arm with the largest index. scale: of the bonus; 1 is right."""

    ordered = True  # pulls every arm once at first

    def __init__(self, rng: np.random.Generator, ties: str, order: str, scale: float) -> None:
        self.rng, self.ties, self.scale = rng, ties, scale
        self.first = [*range(ARMS)] if order == "up" else [*range(ARMS)][::-1]
        if order == "drawn":
            self.rng.shuffle(self.first)
        self.rewards: list[list[float]] = [[] for _ in range(ARMS)]
        self.seen: list[list[Any]] = [[] for _ in range(ARMS)]

    def index(self, arm: int, features: Any) -> float:
        raise NotImplementedError

    def select(self, features: Any = None) -> int:
        if self.ordered and self.first:
            return self.first[0]
        values = np.array([self.index(arm, features) for arm in range(ARMS)])
        best = np.flatnonzero(values >= values.max() - 1e-12)
        if self.ties == "drawn":
            return int(self.rng.choice(best))
        if self.ties == "fewest pulls":
            return int(min(best, key=lambda arm: len(self.rewards[arm])))
        return int(best[0] if self.ties == "first" else best[-1])

    def update(self, arm: int, reward: float, features: Any = None) -> None:
        self.first = [each for each in self.first if each != arm]
        self.rewards[arm].append(reward)
        self.seen[arm].append(None if features is None else features[arm])


class MyUCB(Variant):
    def index(self, arm: int, features: Any) -> float:
        n, total = len(self.rewards[arm]), sum(map(len, self.rewards))
        return sum(self.rewards[arm]) / n + self.scale * (2 * np.log(total) / n) ** 0.5


class MyRobust(Variant):
    def index(self, arm: int, features: Any) -> float:
        t, rewards = sum(map(len, self.rewards)) + 1, self.rewards[arm]
        kept = [r for s, r in enumerate(rewards, start=1) if r * r <= s / np.log(t**2)]
        return sum(kept) / len(rewards) + 4 * self.scale * (np.log(t**2) / len(rewards)) ** 0.5


class MyLinear(Variant):
    ordered = False

    def index(self, arm: int, features: Any) -> float:
        x = np.reshape(self.seen[arm], (-1, FEATURES))
        inverse = np.linalg.inv(np.eye(FEATURES) + x.T @ x)
        here = features[arm]
        return float(here @ inverse @ (x.T @ self.rewards[arm]) + self.scale * np.sqrt(here @ inverse @ here))


class MyRidge(Variant):
    ordered = False

    def index(self, arm: int, features: Any) -> float:
        pairs = [(x, r) for k in range(ARMS) for x, r in zip(self.seen[k], self.rewards[k], strict=True)]
        x = np.reshape([each for each, _ in pairs], (-1, FEATURES))
        gram = self.scale * np.eye(FEATURES) + x.T @ x
        return float(features[arm] @ np.linalg.solve(gram, x.T @ np.array([r for _, r in pairs])))


class MyEpsilonGreedy(MyRidge):
    def select(self, features: Any = None) -> int:
        return int(self.rng.integers(ARMS)) if self.rng.random() < 0.2 else super().select(features)


PAGES: dict[str, tuple[Any, type[Variant], float, int]] = {  # reference, variant, a wrong constant, trials
    "auer02.UCB1": (UCB1(ARMS, HORIZON), MyUCB, 0.7, 20),
    "bubeck13.RobustUCB": (RobustUCB(ARMS, HORIZON), MyRobust, 0.25, 20),
    "contextual.LinUCB": (LinUCB(ARMS, HORIZON, FEATURES), MyLinear, 0.7, 20),
    "greedy ridge": (ExploringRidge(ARMS, HORIZON, FEATURES, laws.largest), MyRidge, 3.0, 20),
    "epsilon-greedy ridge": (
        ExploringRidge(ARMS, HORIZON, FEATURES, lambda scores: laws.epsilon_greedy(scores, 0.2, "any")),
        MyEpsilonGreedy, 3.0, 400,
    ),
}  # fmt: skip


def verdict(page: str, ties: str, order: str, scale: float, seed: int) -> Verdict:
    reference, variant, _, trials = PAGES[page]
    contexts = getattr(reference, "contexts", None)
    policy = from_object(
        lambda rng: variant(rng, ties, order, scale), variant.select, variant.update, ARMS, HORIZON, contexts=contexts,
        patience=None,
    )  # fmt: skip
    return follows_law(policy, reference, trials=trials, seed=seed).verdict


def main() -> None:
    print("policy: right variants refuted, not consistent, of all; faulty variants refuted; seconds", flush=True)
    for page, (_, variant, wrong, _) in PAGES.items():
        start, orders = process_time(), ORDERS if variant.ordered else ("up",)
        kinds = [*product(TIES, orders, range(1 if variant.ordered else 3))]
        right = [verdict(page, ties, order, 1.0, seed) for ties, order, seed in kinds]
        faulty = [verdict(page, ties, "up", wrong, 0) for ties in TIES]
        refuted, other = right.count(Verdict.REFUTED), sum(each is not Verdict.CONSISTENT for each in right)
        caught = faulty.count(Verdict.REFUTED)
        print(f"  {page:22} {refuted}, {other} of {len(right)}; {caught} of {len(faulty)}; "
              f"{process_time() - start:.0f} s", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
