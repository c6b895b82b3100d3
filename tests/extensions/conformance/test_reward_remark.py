"""A violation at a reward that a policy may not be made for: the remark says how to declare the rewards."""

from dataclasses import replace

from dpbandits import QUICK, Verdict, audit_policy, from_object

FEW = replace(QUICK, trials=4_000, pair_tries=2)


class ForZerosAndOnes:
    """Randomised response with odds 7 to 3 for the rewards 0 and 1; another reward of arm 0 decides by itself."""

    def __init__(self, rng):
        self.rng, self.rewards = rng, []

    def select(self):
        if not self.rewards:
            return 0
        first = self.rewards[0]
        return int(self.rng.random() < {0.0: 0.3, 1.0: 0.7}.get(first, 1.0))

    def update(self, arm, reward):
        self.rewards.append(reward)


def test_a_violation_at_a_reward_inside_the_range_proposes_to_declare_the_rewards():
    def audited(**rewards):
        kind = ForZerosAndOnes
        policy = from_object(kind, kind.select, kind.update, arms=2, horizon=2, **rewards)
        return audit_policy(policy, eps=1.0, profile=FEW)

    found = audited()
    assert found.verdict is Verdict.REFUTED
    remark = found.evidence[-1]["text"]
    assert remark.startswith("The violation was found on tables with the reward 0.")
    assert "reward_range={0.0, 1.0}" in remark
    assert audited(reward_range={0.0, 1.0}).verdict is not Verdict.REFUTED
