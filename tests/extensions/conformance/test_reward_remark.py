"""A violation at a reward that a policy may not be made for: the remark says how to declare the rewards."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbandits import Pulls, Verdict, audit_policy


@dataclass(frozen=True)
class ForZerosAndOnes:
    """Randomised response with odds 7 to 3 for the rewards 0 and 1; another reward of arm 0 decides by itself."""

    reward_range: Any = (0.0, 1.0)
    arms: int = 2
    horizon: int = 2

    def init(self, trials):
        return np.zeros(trials)

    def act(self, t, state, noise):
        second = noise.uniform("coin", t) < np.select([state == 0, state == 1], [0.3, 0.7], 1.0)
        return Pulls.one(second * (t > 1), 2)

    def learn(self, t, state, pulls, sums, noise):
        return sums[:, 0] if t == 1 else state


def test_a_violation_at_a_reward_inside_the_range_proposes_to_declare_the_rewards():
    def audited(**rewards):
        return audit_policy(ForZerosAndOnes(**rewards), eps=1.0, trials=4_000)

    found = audited()
    assert found.verdict is Verdict.REFUTED
    remark = found.evidence[-1]["text"]
    assert remark.startswith("The violation was found on tables with the reward 0.")
    assert "reward_range={0.0, 1.0}" in remark
    assert audited(reward_range={0.0, 1.0}).verdict is not Verdict.REFUTED
