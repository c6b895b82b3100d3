"""Late, small and rare leaks are found at the default settings; private policies like them are not refuted."""

from __future__ import annotations

from typing import Any

import pytest
from late_leaks import BROKEN, CLAIMS, RIGHT, RandomisedResponse
from sampled_audits import audit_by_samples

from dpbandits import Finding, Verdict, audit_policy


def claimed(name: str) -> dict[str, Any]:
    return {"curve": CLAIMS[name]} if name in CLAIMS else {"eps": 1.0}


def audited(policy: Any, name: str = "", **settings: Any) -> Finding:
    return audit_policy(policy, **claimed(name), **settings)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["no noise from the 4th pull", "noise / sqrt(n)"])
def test_leaks_that_need_many_pulls_of_an_arm_are_found_at_the_default_settings(name: str) -> None:
    found = audited(BROKEN[name](8), name)
    assert found.verdict is Verdict.REFUTED
    assert "Pairs of inputs searched: " in found.resolution


@pytest.mark.thorough
def test_a_small_late_leak_is_often_found_at_the_default_settings() -> None:
    """Five audits in eight refute it (121 of 192 seeds): then fewer than four of twelve have probability 0.01."""
    name = "noise clipped at 2 scales"
    found = [audited(BROKEN[name](8), name, seed=seed).verdict for seed in range(12)]
    assert found.count(Verdict.REFUTED) >= 4


@pytest.mark.planted
@pytest.mark.parametrize("horizon", [8, 12])
def test_most_late_leaks_are_found(horizon: int) -> None:
    """At least three of four; the table in docs/contributing/benchmarks.md has the rates."""
    found = [audited(make(horizon), name).verdict is Verdict.REFUTED for name, make in BROKEN.items()]
    assert sum(found) >= 0.75 * len(found)


@pytest.mark.planted
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", RIGHT)
def test_private_policies_are_not_refuted(name: str, seed: int) -> None:
    """By samples alone, also where randomness alignment would prove the claim first."""
    found = audit_by_samples(RIGHT[name](8), **claimed(name), seed=seed)
    assert found.verdict is Verdict.CONSISTENT


def test_an_audit_that_goes_on_says_so() -> None:
    """At a level so small that the first stage cannot certify what it sees."""
    found = audited(RandomisedResponse(2, 3, eps=1.3), trials=2_000, risk=1e-30)
    assert found.verdict is Verdict.REFUTED
    assert "certification went on with 4000" in found.resolution
    assert "went on" not in audited(RandomisedResponse(2, 3), trials=2_000).resolution


@pytest.mark.thorough
def test_the_same_seed_finds_the_same() -> None:
    first, again = (audited(BROKEN["noise / sqrt(n)"](5), trials=2_000, seed=5) for _ in range(2))
    assert first == again
