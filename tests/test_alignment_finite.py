"""Randomised response and other finite noise: bounds against laws by enumeration, and certificates."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import exp, log
from typing import Any

import numpy as np
import pytest
from test_certificates import changed

from dpbandits import Pulls, Verdict, audit_policy
from dpbandits.audit.privacy.alignment import proved_by_alignment
from dpbandits.audit.privacy.own_claims import own_claim
from dpbandits.proofs_checks.alignment.bounds import Alignment, Outcome, alignment_bound, value_by_value
from dpbandits.proofs_checks.alignment.finite_runs import FiniteTree, finite_certificate
from dpbandits.proofs_checks.alignment.single_runs import SingleRuns
from dpbandits.proofs_checks.checker.finite import power_of_e_below
from dpbandits.proofs_checks.checker.verification import verify

TRUTH = exp(1) / (1 + exp(1))
Mechanism = Callable[[Any, Any, int], Any]


@dataclass(frozen=True)
class Responses:
    """Pulls both arms, and then the one with more reported bits. report: makes a bit of a reward, with a generator."""

    report: Mechanism
    horizon: int = 4
    arms: int = 2
    reward_range: Any = frozenset((0.0, 1.0))
    init = act = learn = None

    def arm_after(self, past: Any, rng: Any, within: Any) -> int:
        with within:
            total = np.zeros(2)
            for step, (arm, reward) in enumerate(zip(past.arms, past.rewards, strict=True)):
                total[arm] += self.report(reward, rng, step)
            return len(past.arms) if len(past.arms) < 2 else int(total.argmax())


def flips(reward: Any, rng: Any, step: int) -> Any:
    return reward if rng.random() < TRUTH else 1 - reward


def by_choice(reward: Any, rng: Any, step: int) -> Any:
    return rng.choice([reward, 1 - reward], p=[TRUTH, 1 - TRUTH])


def by_threshold(reward: Any, rng: Any, step: int) -> Any:
    return float(rng.random() > TRUTH) if reward < 0.5 else float(rng.random() > 1 - TRUTH)


def by_probability(reward: Any, rng: Any, step: int) -> Any:
    return rng.binomial(1, reward * TRUTH + (1 - reward) * (1 - TRUTH))


def by_equality(reward: Any, rng: Any, step: int) -> Any:
    answer = rng.random() < TRUTH
    return int(answer) if reward == 1 else int(not answer)


def twice(reward: Any, rng: Any, step: int) -> Any:
    return (flips(reward, rng, step) + flips(reward, rng, step)) / 2


def forced_response(reward: Any, rng: Any, step: int) -> Any:
    """A fair coin decides whether another fair coin answers."""
    return rng.integers(2) if rng.integers(2) else reward


def sometimes(reward: Any, rng: Any, step: int) -> Any:
    return reward if step == 1 else flips(reward, rng, step)


def coin_is_kept(reward: Any, rng: Any, step: int) -> Any:
    """The answer reveals the coin."""
    drawn = rng.random()
    return (reward if drawn < TRUTH else 1 - reward) + 10 * (drawn < TRUTH)


def coin_is_read_again(reward: Any, rng: Any, step: int) -> Any:
    drawn = rng.random()
    return (reward if drawn < TRUTH else 1 - reward) + 0.1 * (drawn < TRUTH / 2)


def always(reward: Any, rng: Any, step: int) -> Any:
    return reward if rng.random() < 1 else 1 - reward


def never(reward: Any, rng: Any, step: int) -> Any:
    return rng.choice([reward, 1 - reward], p=[0, 1])


@pytest.mark.parametrize("report", [flips, by_choice, by_threshold, by_probability, by_equality])
def test_randomised_response_has_the_logarithm_of_its_odds(report: Mechanism) -> None:
    found = alignment_bound(Responses(report, horizon=4 if report is flips else 3))
    assert (found.outcome, found.noise, found.cost, found.reason) == (Outcome.BOUND, "finite", 1, "")


def test_other_finite_noise_has_the_logarithm_of_its_largest_ratio() -> None:
    assert alignment_bound(Responses(twice, horizon=3)).cost == 2
    assert alignment_bound(Responses(forced_response, horizon=3)).eps == pytest.approx(log(3), abs=1e-14)


@pytest.mark.parametrize("report", [sometimes, coin_is_kept, coin_is_read_again, always, never])
def test_what_a_coin_does_not_protect_has_no_bound(report: Mechanism) -> None:
    assert alignment_bound(Responses(report, horizon=3)).outcome is not Outcome.BOUND


@pytest.mark.parametrize(
    ("report", "what"),
    [
        (lambda reward, rng, step: reward + rng.random(), "maximum"),
        (lambda reward, rng, step: reward + rng.laplace(), "maximum"),
        (lambda reward, rng, step: float(reward + rng.laplace() > 0.5), "comparison"),
        (lambda reward, rng, step: flips(reward, rng, step) * (rng.random() > rng.random()), "comparison"),
    ],
)
def test_outcomes_of_continuous_noise_are_not_followed_one_by_one(report: Mechanism, what: str) -> None:
    tree = FiniteTree(SingleRuns(Responses(report, horizon=3)), (Fraction(0), Fraction(1)), 10**6)
    found = value_by_value(tree, 0)
    assert found.outcome is Outcome.NOT_LINEAR
    assert f"a {what} of continuous noise is not supported if rewards have finitely many values" in found.reason


def test_draws_that_nobody_looks_at_may_depend_on_rewards() -> None:
    def report(reward: Any, rng: Any, step: int) -> Any:
        bit = flips(reward, rng, step)
        return bit if reward == 0 else bit + 0 * rng.integers(2)

    assert alignment_bound(Responses(report, horizon=3)).cost == 1


def test_rewards_of_a_whole_range_have_to_be_said_to_be_bits() -> None:
    assert alignment_bound(Responses(flips, reward_range=(0.0, 1.0))).outcome is not Outcome.BOUND


@dataclass(frozen=True)
class ByProtocol:
    """Randomised response of a policy that passes its state."""

    truth: float
    arms: int = 2
    horizon: int = 4
    reward_range: Any = frozenset((0.0, 1.0))

    def init(self, trials: int) -> Any:
        return (np.zeros((trials, 2)),)

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        arm = np.full(len(state[0]), t - 1) if t < 3 else state[0].argmax(axis=1)
        return Pulls.one(arm, 2)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        kept = noise.uniform("coin", t)[:, None] < self.truth
        return (state[0] + pulls.counts * np.where(kept, sums, 1 - sums),)


def test_a_policy_of_the_protocol_is_followed_value_by_value_too() -> None:
    assert alignment_bound(ByProtocol(TRUTH, horizon=3)).cost == 1
    assert alignment_bound(ByProtocol(1.0, horizon=3)).outcome is not Outcome.BOUND


# -- laws by enumeration ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Random:
    """Two rewards become one of three outcomes each, by tables of probabilities; outcomes and a coin decide what is
    pulled."""

    first: Any  # (2, 3): by value and outcome
    second: Any
    arms_after: Any  # (3,), and (3, 3, 2): by outcomes and coin
    last: Any
    horizon: int = 3
    arms: int = 2
    reward_range: Any = frozenset((0.0, 1.0))
    init = act = learn = None

    def arm_after(self, past: Any, rng: Any, within: Any) -> int:
        outcomes = [
            int(rng.choice(3, p=table[int(reward)]))
            for table, reward in zip((self.first, self.second), past.rewards, strict=False)
        ]
        if not outcomes:
            return 0
        if len(outcomes) == 1:
            return int(self.arms_after[outcomes[0]])
        return int(self.last[(*outcomes, int(rng.binomial(1, 0.25)))])

    def law(self, one: int, two: int) -> dict[tuple[int, int], float]:
        """Probabilities of the last two pulls, for two rewards."""
        found: dict[tuple[int, int], float] = {}
        for a, b, coin in product(range(3), range(3), range(2)):
            release = int(self.arms_after[a]), int(self.last[a, b, coin])
            chance = self.first[one][a] * self.second[two][b] * (0.25 if coin else 0.75)
            found[release] = found.get(release, 0.0) + chance
        return found


@pytest.mark.first(3)
@pytest.mark.parametrize("seed", range(12))
def test_no_random_finite_policy_loses_more_than_its_bound(seed: int) -> None:
    generator = np.random.default_rng(seed)

    def table() -> Any:
        return generator.multinomial(16, [1 / 3] * 3, size=2).clip(1) / generator.choice([16])

    tables = [each / each.sum(axis=1, keepdims=True) for each in (table(), table())]
    policy = Random(*tables, generator.integers(0, 2, 3), generator.integers(0, 2, (3, 3, 2)))
    found = alignment_bound(policy)
    assert found.outcome is Outcome.BOUND
    laws = {rewards: policy.law(*rewards) for rewards in product((0, 1), repeat=2)}
    losses = [
        log(laws[one][release] / laws[other].get(release, 0))
        for one, other in product(laws, repeat=2)
        if (one[0] != other[0]) != (one[1] != other[1])
        for release in laws[one]
    ]
    assert max(losses) <= found.eps + 1e-12


# -- certificates ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate() -> dict[str, Any]:
    found: Alignment = alignment_bound(Responses(flips))
    assert found.finite is not None
    made = finite_certificate(found.finite, "own/Responses", found.cost)
    assert verify(made).ok, verify(made).lines
    return made


def node_of(made: dict[str, Any], kind: str) -> dict[str, Any]:
    node: dict[str, Any] = next(node for node in made["nodes"] if node["kind"] == kind)
    return node


def lower_bound(made: dict[str, Any]) -> None:
    made["bound"] = str(Fraction(made["bound"]) - Fraction(1, 10**9))


def fewer_values(made: dict[str, Any]) -> None:
    made["values"].append("2")


def same_values(made: dict[str, Any]) -> None:
    made["values"] = ["0", "0"]


def other_weights(made: dict[str, Any]) -> None:
    node_of(made, "draw")["weights"] = ["1/5", "4/5"]


def weights_beyond_1(made: dict[str, Any]) -> None:
    node_of(made, "draw")["weights"] = ["1", "1"]


def negative_weight(made: dict[str, Any]) -> None:
    node_of(made, "draw")["weights"] = ["2", "-1"]


def circle(made: dict[str, Any]) -> None:
    node_of(made, "release")["next"] = [len(made["nodes"]) - 1]


def same_reward_again(made: dict[str, Any]) -> None:
    for node in made["nodes"]:
        if node["kind"] == "reward":
            node["label"] = [1, 0]


def no_such_root(made: dict[str, Any]) -> None:
    made["root"] = len(made["nodes"])


FORGERIES = [lower_bound, fewer_values, same_values, other_weights, weights_beyond_1, negative_weight, circle,
             same_reward_again, no_such_root]  # fmt: skip


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_forged_certificates_are_rejected(certificate: dict[str, Any], forge: Callable[[dict[str, Any]], None]) -> None:
    forged = deepcopy(certificate)
    forge(forged)
    assert forged != certificate
    assert not verify(forged).ok


@pytest.mark.parametrize("exponent", [0, Fraction(1, 3), 1, 5, 40])
def test_powers_of_e_are_bounded_from_below_and_closely(exponent: Fraction) -> None:
    found = power_of_e_below(Fraction(exponent))
    assert float(found) == pytest.approx(exp(float(exponent)), rel=1e-14)
    assert power_of_e_below(Fraction(1)) < Fraction("2.71828182845904523536028747135266249775724709369996")


def test_the_remark_names_the_reward_of_finite_noise() -> None:
    """No line compares it."""
    policy = ByProtocol(0.9, horizon=3)
    said = proved_by_alignment(own_claim(policy, eps=1.0, delta=None, mu=None), policy, 0).remark
    assert "proves eps <= 2.19723; the most expensive change is that of the reward of arm" in said
    assert "compared at" not in said


@pytest.mark.parametrize("truth", [0.8, 1.0])
def test_an_audit_goes_on_where_finite_noise_is_too_small(truth: float) -> None:
    finding = audit_policy(ByProtocol(truth, horizon=3), eps=1.0, trials=4000)
    assert finding.verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("nodes/13/next", [4, 8], "nodes/13: tree 4 is possible after one value of the reward"),
        ("nodes/13/next", [9, 4], "nodes/13: tree 8 is possible after one value of the reward"),
        ("nodes/13/next", [13, 13], "nodes/13: the node leads to a later node"),
        ("nodes/9/weights", ["1/2", "1/3"], "nodes/9: probabilities must be positive and add up to 1"),
        ("nodes/9/weights", ["-1", "2"], "nodes/9: probabilities must be positive and add up to 1"),
        ("nodes/9/weights", ["1/1000000", "999999/1000000"], "nodes/13: tree 4 is more probable"),
        ("nodes/9/kind", "release", "nodes/9: the fields of this node do not agree with its kind release"),
        ("bound", "0.999999", "nodes/13: tree 4 is more probable"),
        ("bound", "-1", "values must be different, with at least one value, and bound must lie between 0 and 1000"),
    ],
)
def test_tampering_is_rejected_and_named(certificate: dict[str, Any], path: str, value: Any, says: str) -> None:
    """With the place and what is wrong there."""
    checked = verify(changed(certificate, path, value))
    assert not checked.ok
    assert checked.lines[0].startswith(says), checked.lines
