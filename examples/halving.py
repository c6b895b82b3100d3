"""A policy that selects by noise among the arms that are left, with its exact law: bring your own like this.

It pulls every arm a few times, keeps the half with the larger noisy sums, and so on, until one arm is left, which it
recommends. Each reward is in one sum, of one phase, so that Laplace noise of scale 1/eps for rewards in [0, 1] makes
it eps-DP.

    python examples/halving.py
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpbandits import Pulls, audit_policy
from dpbandits.laws import LAPLACE, Law, released, top


class State(NamedTuple):
    left: np.ndarray  # (trials, arms)
    total: np.ndarray  # (trials, arms), of this phase alone


@dataclass(frozen=True)
class Halving:
    eps: float
    arms: int = 4
    each: int = 2
    horizon: int = 12  # 4 arms twice, then 2 arms twice
    answers: bool = True

    def init(self, trials):
        return State(np.ones((trials, self.arms), dtype=bool), np.zeros((trials, self.arms)))

    def act(self, t, state, noise):
        if t == 1:
            return Pulls(state.left * self.each)
        noisy = state.total + noise.laplace("sum", t, (self.arms,)) / self.eps
        order = np.argsort(np.where(state.left, -noisy, np.inf), axis=1)
        size = self.arms >> (t - 1)
        if size == 1:
            return Pulls.answer(order[:, 0], self.arms)
        kept = np.zeros_like(state.left)
        np.put_along_axis(kept, order[:, :size], True, axis=1)
        return Pulls(kept * self.each)

    def learn(self, t, state, pulls, sums, noise):
        return State(pulls.counts > 0, sums)

    def law(self, t, state):
        """The same in three lines: the largest `size` sums among those that are left, and what is released then."""
        if t == 1:
            return Law(state.left[:, None, :] * self.each, np.ones((len(state.left), 1)))
        size = self.arms >> (t - 1)
        found = top(LAPLACE, state.total, 1 / self.eps, size, among=state.left)
        return released(found, found.sets * (self.each if size > 1 else -1))


if __name__ == "__main__":
    for eps in (1.0, 0.7):
        finding = audit_policy(Halving(1.0), eps=eps)
        print(f"{eps}-DP: {finding.verdict}, {finding.summary}")
