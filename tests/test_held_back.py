"""The policies that are held back leak as much as their witnesses say, by quadrature, by law and by runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import held_back_second
import held_back_third
import numpy as np
import pytest
from held_back import (
    BROKEN_POLICIES,
    LEAST,
    PRIVATE_POLICIES,
    WITNESSES,
    FreshChoice,
    probabilities,
    tables_of,
    true_eps,
)

from dpbandits import Verdict
from dpbandits.audit.play.transcripts import simulate_transcripts
from dpbandits.extensions.conformance.frozen import limits_of, replay
from dpbandits.reference.bandits.environments import Table
from dpbandits.reference.curves import Approximate

LATER_SETS: dict[str, Any] = {"second": held_back_second, "third": held_back_third}
OF_LATER_SETS = sorted(
    ((which, name) for which, given in LATER_SETS.items() for name in given.BROKEN_POLICIES),
    key=lambda each: (LATER_SETS[each[0]].BROKEN_POLICIES[each[1]].horizon, each),
)
RUNS = 40_000
STANDARD_ERRORS = 5.0
QUADRATURE = 0.06  # relative, of the grid


def test_the_set_has_broken_policies_of_many_kinds_and_private_ones() -> None:
    assert len(BROKEN_POLICIES) >= 20
    assert len(PRIVATE_POLICIES) >= 12
    assert WITNESSES.keys() == BROKEN_POLICIES.keys()
    assert max(policy.horizon for policy in BROKEN_POLICIES.values()) <= 12


@pytest.mark.first(1)
@pytest.mark.parametrize("name", sorted(BROKEN_POLICIES, key=lambda name: (BROKEN_POLICIES[name].horizon, name)))
def test_broken_policies_have_a_true_eps_of_five_quarters_of_the_claim(name: str) -> None:
    assert true_eps(BROKEN_POLICIES[name], WITNESSES[name]) >= LEAST


@pytest.mark.first(1)
@pytest.mark.parametrize("name", sorted(BROKEN_POLICIES, key=lambda name: (BROKEN_POLICIES[name].horizon, name)))
def test_runs_pull_as_often_like_the_witness_as_is_computed(name: str) -> None:
    policy, witness = BROKEN_POLICIES[name], WITNESSES[name]
    for table, (low, high) in zip(tables_of(policy, witness), probabilities(policy, witness), strict=True):
        reward_range = getattr(policy, "reward_range", (0.0, 1.0))
        runs = simulate_transcripts(policy, Table(table, None, *reward_range), RUNS, 11)
        seen = (runs.arms[:, : len(witness.pulled)] == np.array(witness.pulled)).all(axis=1).mean()
        error = STANDARD_ERRORS * np.sqrt(high * (1 - high) / RUNS) + STANDARD_ERRORS / RUNS
        slack = 0.0 if isinstance(policy, FreshChoice) else QUADRATURE * high
        assert low - error - slack <= seen <= high + error + slack


@pytest.mark.thorough
@pytest.mark.parametrize("name", PRIVATE_POLICIES)
def test_no_private_policy_is_accused_by_replay(name: str) -> None:
    policy: Any = PRIVATE_POLICIES[name]
    for seed in range(3):
        found = replay(policy, seed=seed, limits=limits_of([Approximate(1.0)]))
        assert found.verdict is not Verdict.REFUTED


@pytest.mark.parametrize(("which", "broken", "private"), [("second", 30, 15), ("third", 12, 5)])
def test_later_sets_have_policies_of_their_own(which: str, broken: int, private: int) -> None:
    given = LATER_SETS[which]
    assert len(given.BROKEN_POLICIES) >= broken
    assert len(given.PRIVATE_POLICIES) >= private
    assert given.WITNESSES.keys() == given.BROKEN_POLICIES.keys()
    every = [*given.BROKEN_POLICIES.values(), *given.PRIVATE_POLICIES.values()]
    assert max(policy.horizon for policy in every) <= 12
    assert {policy.arms for policy in every} == {2, 3}


@pytest.mark.thorough
@pytest.mark.parametrize(("which", "name"), OF_LATER_SETS)
def test_broken_policies_of_later_sets_leak_as_much_as_their_witnesses_say(which: str, name: str) -> None:
    given = LATER_SETS[which]
    assert given.true_eps(given.BROKEN_POLICIES[name], given.WITNESSES[name]) >= LEAST


def test_the_limit_of_a_log_ratio_lies_below_it_and_approaches_it() -> None:
    limit = held_back_second.log_ratio_limit
    assert limit(0, 0, 1000) == 0.0
    assert limit(100, 100, 1000) == 0.0
    few, many = (limit(round(0.3 * runs), round(0.1 * runs), runs) for runs in (1000, 1_000_000))
    assert 0.2 < few < many < np.log(3) < many + 0.05
    assert limit(300, 0, 1000) > 2.0


OF_LATER_PRIVATE = sorted(
    ((which, name) for which, given in LATER_SETS.items() for name in given.PRIVATE_POLICIES),
    key=lambda each: not isinstance(LATER_SETS[each[0]].PRIVATE_POLICIES[each[1]], held_back_second.SparseVector),
)


@pytest.mark.first(1)
@pytest.mark.parametrize(("which", "name"), OF_LATER_PRIVATE)
def test_private_policies_of_later_sets_are_not_accused_by_replay(which: str, name: str) -> None:
    """Among them one that still compares its noisy sum with the threshold when no pull depends on it any more."""
    policy = LATER_SETS[which].PRIVATE_POLICIES[name]
    assert replay(policy, seed=0, limits=limits_of([Approximate(1.0)])).verdict == "CONSISTENT"


class AsksTwice(held_back_second.SparseVector):
    def learn(self, t: int, state: Any, pulls: Any, sums: Any, noise: Any) -> Any:
        total = state.sum + sums[:, 0]
        noisy, bar = total + self.query * noise.laplace("query", t), self.level + self.bar * noise.laplace("bar", 0)
        seen = noisy > bar
        if (seen != (noisy > bar)).any():
            raise ValueError("two answers to one question")
        return held_back_second.Watched(state.left | seen, total)


@pytest.mark.first(1)
@pytest.mark.parametrize(("scale", "cost"), [(2.0, 1.0), (0.6, 1 / 0.6)])
def test_a_policy_that_refuses_impossible_outcomes_costs_what_others_cost(scale: float, cost: float) -> None:
    found = replay(AsksTwice(9, scale, scale), seed=0, limits=limits_of([Approximate(1.0)]))
    assert found.account is not None
    assert found.account.value == pytest.approx(cost)
    assert found.verdict == ("REFUTED" if cost > 1 else "CONSISTENT")


@pytest.mark.thorough
def test_replay_names_most_broken_policies_of_later_sets() -> None:
    found = [replay(LATER_SETS[which].BROKEN_POLICIES[name], seed=0, limits=limits_of([Approximate(1.0)])).verdict
             for which, name in OF_LATER_SETS]  # fmt: skip
    assert len(found) == 55
    assert found.count("REFUTED") >= 39  # not "ties: rounded means, raw means": noise after rounding cannot be followed
