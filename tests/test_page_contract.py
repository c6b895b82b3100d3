"""What every page of the ledger has to keep, read off its own claims: a page that joins is tried without a word."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from dpbandits import QUICK, Policy, Seeded, Table, Verdict, play, replay
from dpbandits.audit.claims.statements import statement
from dpbandits.audit.judges.effort import run_over
from dpbandits.audit.runner.dispatch import judge, rounded_finding
from dpbandits.reference.bandits.contexts import Contexts, context_dimension
from dpbandits.reference.bandits.protocol import protocol_faults
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Claim, Identity, Inequality, expectations

VOLUMES = {volume.page.key: volume for volume in ledger().volumes}
MAX_HORIZON = 200  # of a policy that is played here, where one of its kind can be made with less
FORMULAS = 3  # claims with formulas that are judged, of each page: the audit of the ledger judges all


@cache
def policies(page: str) -> dict[str, Any]:
    """A policy of each kind that the page's claims are about, the one with the fewest pulls of all."""
    found: dict[str, Any] = {}
    for claim in VOLUMES[page].claims:
        for instance in claim.params if claim.subject is not None else ():
            made = claim.subject(**{name: value for name, value in instance.items() if name != "environment"})
            if isinstance(made, Policy):
                known = found.setdefault(type(made).__name__, made)
                if made.arms * made.horizon < known.arms * known.horizon:
                    found[type(made).__name__] = made
    return {name: shortened(policy) for name, policy in found.items()}


def shortened(policy: Any) -> Any:
    """The policy with a horizon that can be played, if it may have another."""
    return policy if policy.horizon <= MAX_HORIZON else replace(policy, horizon=MAX_HORIZON)


CASES = [(page, name) for page in VOLUMES for name in policies(page)]
every_policy = pytest.mark.parametrize(("page", "name"), CASES, ids=[f"{page}-{name}" for page, name in CASES])


def table(policy: Any) -> Table:
    """Rewards in eighths, whose sums are exact, and contexts too where the policy sees some."""
    generator, d = np.random.default_rng(1), context_dimension(policy)
    rewards = generator.integers(0, 9, (policy.arms, policy.horizon)) / 8
    features = generator.integers(-4, 5, (policy.horizon, policy.arms, d)) / 8
    return Table(rewards, contexts=Contexts(features) if d else None)


every_page = pytest.mark.parametrize("page", VOLUMES)


@every_page
def test_a_pages_claims_say_where_they_stand_what_they_say_and_what_is_wrong(page: str) -> None:
    for claim in VOLUMES[page].claims:
        assert claim.id.startswith(f"{page}/"), claim.id
        assert claim.source.where, claim.id
        assert all(premise in ledger().by_id for premise in claim.follows), claim.id
        assert claim.note or Verdict.REFUTED not in expectations(claim), claim.id
        assert statement(claim), claim.id


@every_page
def test_a_page_has_policies(page: str) -> None:
    assert policies(page)


@every_policy
def test_a_pages_policies_keep_the_protocol(page: str, name: str) -> None:
    assert protocol_faults(policies(page)[name]) == ()


@every_policy
def test_the_first_trials_of_a_pages_policy_are_those_of_a_larger_batch(page: str, name: str) -> None:
    """Noise has an address, so nothing hangs on how many are played together."""
    policy = policies(page)[name]
    many, few = (play(policy, table(policy), Seeded(3, trials), trials) for trials in (20, 3))
    steps = few.released.shape[1]
    assert np.array_equal(few.released, many.released[:3, :steps])
    assert not many.released[:3, steps:].any()
    assert np.array_equal(few.sums, many.sums[:3])
    assert (few.pulls.sum(axis=1) <= policy.horizon).all()


@every_policy
def test_a_pages_policy_replays(page: str, name: str) -> None:
    policy = policies(page)[name]
    assert replay(policy, policy, {"table": table(policy)}, trials=20).verdict is Verdict.CONSISTENT


def formulas_of(page: str) -> list[Claim]:
    return [claim for claim in VOLUMES[page].claims if isinstance(claim.says, Identity | Inequality)]


@pytest.mark.parametrize("page", [page for page in VOLUMES if formulas_of(page)])
def test_some_formulas_of_a_page_are_decided_as_it_expects(page: str) -> None:
    run = run_over(VOLUMES[page].claims, QUICK, 0)
    for claim in formulas_of(page)[:FORMULAS]:
        finding = rounded_finding(judge(claim, run))
        argued = {Verdict.PROVED} if Verdict.ARGUED in expectations(claim) and claim.follows else set()
        assert finding.verdict in {*expectations(claim), *argued}, (claim.id, finding.summary)
