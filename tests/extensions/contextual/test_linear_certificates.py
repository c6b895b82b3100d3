"""Certificates about linear bandits: what they say is checked, and is about one policy and its users alone."""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from linear_policies import LinearThompson, LinearUCB
from test_contextual_policies import FEATURES, POLICY, T, user_pair

from dpbandits import Contexts, Pair, Pulls, Verdict
from dpbandits.audit.matching.binding import binding_of
from dpbandits.extensions.contextual.certificates import linear_refutation
from dpbandits.extensions.contextual.certificates import verify_linear as verify
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.proofs_checks.exact.joint_privacy import joint_privacy_profile
from dpbandits.reference.bandits.release_laws.declared_steps import LinearRule
from dpbandits.reference.claims.model import Claim, Private, Source
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.ou24 import ThompsonSampling


def certified(policy: Any, pair: Pair, view: str, eps: float = 0.05) -> dict[str, Any]:
    """A certificate that the policy is not (eps, 0)-DP on this pair."""
    profile = (joint_privacy_profile if view == "others" else exact_profile)(policy, pair)
    made = linear_refutation("test/claim", policy, pair, Approximate(eps, 0.0), profile, 0.0, view)
    assert made is not None
    return made


def somebody_or_nobody() -> Pair:
    """A first user with features, or with none, among users who each show both arms by themselves."""
    seen = Contexts(np.tile(np.eye(2), (T, 1, 1)))
    return Pair("user", np.zeros((2, T)), np.zeros((2, T)), contexts=(seen, seen.changed(0, np.zeros((2, 2)))))


@dataclass(frozen=True)
class SharedThompson(LinearThompson):
    """Both arms share one regression, of which one parameter is sampled."""

    @property
    def linear_rule(self) -> LinearRule:
        return LinearRule("thompson", self.scale, shared=True)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any, seen: Any) -> Any:
        x = (pulls.counts[..., None] * seen).sum(axis=1)
        gram = state.gram + (x[:, :, None] * x[:, None, :])[:, None]
        return type(state)(gram, state.paid + (sums.sum(axis=1)[:, None] * x)[:, None])

    def posterior(self, state: Any, seen: Any) -> Any:
        apart = np.stack([seen[:, 0] - seen[:, 1], 0 * seen[:, 0]], axis=1)
        return LinearThompson.posterior(self, state, apart)


@pytest.mark.parametrize("policy", [LinearThompson(T), LinearUCB(T), SharedThompson(T)])
@pytest.mark.parametrize("view", ["arms", "others"])
def test_a_certificate_is_checked_and_is_about_its_policy_alone(policy: Any, view: str) -> None:
    pair = somebody_or_nobody() if isinstance(policy, LinearUCB) else user_pair(0)
    found = certified(policy, pair, view)
    assert verify(found).ok
    says = Private("user", view, lambda _: Approximate(0.05, 0.0))
    claim = Claim("test/claim", Source("test", "here", "it is private."), says, subject=lambda: policy,
                  expect=Verdict.REFUTED)  # fmt: skip
    assert binding_of(found, {claim.id: claim}).about
    for other in (replace(policy, scale=0.5), replace(policy, horizon=T + 1), ThompsonSampling(2, T)):
        assert not binding_of(found, {claim.id: replace(claim, subject=lambda other=other: other)}).about
    elsewhere = replace(says, view="arms" if view == "others" else "others")
    seen = pair.both_contexts[0]
    fixed = replace(says, contexts=Contexts(-FEATURES))
    for statement in (elsewhere, fixed, replace(says, relation="reward")):
        assert not binding_of(found, {claim.id: replace(claim, says=statement)}).about
    assert binding_of(found, {claim.id: replace(claim, says=replace(says, contexts=seen))}).about


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("relation", "reward", "a context changes"),
        ("changed", 1, "also differ in round"),
        ("view", "arms", "contains arm -1"),
        ("norm", "0.5", "the norm of the features is larger than"),
        ("range", ["0", "0.5"], "a reward is outside the range"),
        ("policy/ridge", "0", "policy: ridge must be positive, and width at least 0"),
        ("policy/ridge", "2", "probability"),
        ("policy/width", "3", "probability"),
        ("policy/shared", True, "probability"),
        ("policy/rule", "ucb", "probability"),
        ("contexts/2/0/0", "0.125", "probability"),
        ("becomes/1/0", "0.75", "probability"),
        ("left/1/0", "0.5", "probability"),
        ("event/0/1", 2, "contains arm 2"),
        ("event/0/1", -1, "contains arm -1"),
        ("eps", "5", "not violated"),
        ("left_probability/0", "0.9", "left_probability"),
    ],
)
def test_no_field_of_a_certificate_can_be_changed(place: str, value: Any, said: str) -> None:
    found = copy.deepcopy(others_certificate())
    *path, last = (int(part) if part.isdigit() else part for part in place.split("/"))
    inside: Any = found
    for part in path:
        inside = inside[part]
    inside[last] = value
    checked = verify(found)
    assert not checked.ok
    assert re.search(said, checked.lines[0]), checked.lines


@cache
def others_certificate() -> dict[str, Any]:
    return certified(POLICY, user_pair(0), "others")
