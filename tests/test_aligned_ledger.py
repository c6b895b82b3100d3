"""What randomness alignment proves beside the ledger's claims agrees with their verdicts and with exact laws."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from aligned_policies import LocalNoise
from test_alignment_finite import TRUTH, ByProtocol

from dpbandits import flipped
from dpbandits.audit.claims.proofs import lawful, theorem_of
from dpbandits.audit.judges.effort import PROFILES, Run
from dpbandits.audit.judges.shared_answers import remembered_answer
from dpbandits.audit.privacy.alignment import TITLE, aligned_rows, with_aligned_instances
from dpbandits.audit.privacy.own_claims import own_claim
from dpbandits.audit.runner.dispatch import judge
from dpbandits.proofs_checks.alignment.merged_bounds import merged_bound
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Claim, Finding, Private, Verdict
from dpbandits.reference.curves import Gaussian
from dpbandits.reference.papers.ou24 import ThompsonSampling


def claim(name: str) -> Claim:
    return next(each for each in ledger().claims if each.id == name)


@pytest.mark.first(1)
@pytest.mark.parametrize(
    "name",
    ["azize22/privacy", "hu21/privacy", "sajed19/privacy"],
)
def test_claims_with_a_machine_checked_theorem_are_proved_as_well(name: str) -> None:
    rows = aligned_rows(claim(name), 0)
    assert theorem_of(claim(name)) is not None
    assert len(rows) == 3
    for _, claimed, parameter, value in rows:
        assert (parameter, claimed) == ("eps", f"({value:g}, 0)-DP")


def test_finite_noise_has_a_bound_on_eps() -> None:
    own = own_claim(ByProtocol(TRUTH, horizon=3), eps=1.0, delta=None, mu=None)
    (row,) = aligned_rows(replace(own, subject=lambda: ByProtocol(TRUTH, horizon=3)), 0)
    assert row[1:] == ["(1, 0)-DP", "eps", 1.0]


def test_a_finding_shows_what_is_proved_beside_it() -> None:
    finding = judge(claim("azize22/privacy"), Run(PROFILES["quick"], 0, 1e-9))
    shown = [item for item in finding.evidence if item.get("title") == TITLE]
    assert len(shown) == 1
    assert [row[-1] for row in shown[0]["rows"]] == [0.1, 1.0, 4.0]


def test_claims_about_one_policy_share_the_search_for_a_bound() -> None:
    """For either relation: three policies, whose first search proves the claim."""
    every, before = aligned_rows(claim("azize22/privacy"), 1), remembered_answer.cache_info()
    assert aligned_rows(claim("azize22/privacy/pull"), 1) == every
    again = remembered_answer.cache_info()
    assert (again.hits, again.misses) == (before.hits + 3, before.misses)


def test_a_refuted_claim_gets_no_table() -> None:
    refuted = Finding("azize22/privacy", Verdict.REFUTED, "")
    assert with_aligned_instances(claim("azize22/privacy"), refuted, 0) == refuted


@pytest.mark.thorough
def test_no_refuted_claim_is_proved() -> None:
    refuted = [
        each
        for each in ledger().claims
        if isinstance(each.says, Private) and each.says.view == "arms" and each.expect is Verdict.REFUTED
    ]
    assert refuted
    for each in refuted:
        assert aligned_rows(each, 0) == [], each.id


@pytest.mark.parametrize(
    ("name", "instance"),
    [
        ("sajed19/privacy", {"arms": 2, "horizon": 200, "eps": 1.0, "beta": 0.5}),
        ("azize22/privacy/pull", {"arms": 2, "horizon": 8, "eps": 1.0}),
        ("ou24/lemma-3", {"arms": 2, "horizon": 5}),
        ("ou24/theorem-4", {"arms": 2, "horizon": 4, "prepulls": 1, "variance": 0.5}),
    ],
)
def test_exact_laws_lose_no_more_than_alignment_proves(name: str, instance: dict[str, Any]) -> None:
    """On random neighbours; and on some of them they lose at least a tenth of it."""
    subject = claim(name).subject
    assert subject is not None
    policy = subject(**instance)
    found, generator, largest = merged_bound(policy), np.random.default_rng(7), 0.0
    _, bound = found.parameter
    law = lawful(policy)
    assert law is not None
    for _ in range(6):
        table = generator.integers(0, 2, (2, policy.horizon)).astype(float)
        arm, index = int(generator.integers(2)), int(generator.integers(2))
        profile = exact_profile(law, flipped("pull", table, arm, index, 1 - table[arm, index]))
        low, _ = profile.eps(0.0) if found.noise == "laplace" else profile.mu()
        assert low <= bound
        largest = max(largest, low)
    assert largest >= bound / 10


def test_a_longer_run_is_not_searched_where_a_shorter_one_has_too_many_states() -> None:
    """Even if the longer one has few. Nor are the shorter one's single runs, of which there are no fewer."""

    def policy(horizon: int) -> Any:
        return ThompsonSampling(2, 12) if horizon == 12 else LocalNoise(2, horizon, kind="normal")

    says = Private("pull", "arms", lambda policy: Gaussian(2.0))
    rows, searches = [], []
    for horizons in ((13,), (8, 12), (8, 12, 13)):
        made = replace(
            claim("ou24/lemma-3"), says=says, subject=policy, params=[{"horizon": T} for T in horizons], more_params=()
        )
        before = remembered_answer.cache_info().misses
        rows.append([row[0] for row in aligned_rows(made, len(horizons))])
        searches.append(remembered_answer.cache_info().misses - before)
    assert rows == [["T = 13"], ["T = 8"], ["T = 8"]]
    assert searches == [1, 2, 2]
