"""Independent trials pass the probes; randomness of one's own and trials that share something do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from elimination import Elimination

from dpbandits.audit.play.probes import DEPENDENT, OWN, probe
from dpbandits.reference.environments import Table
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.ou24 import ModifiedThompsonSampling, ThompsonSampling
from dpbandits.reference.policy import Pulls


@dataclass(frozen=True)
class Drawing(ThompsonSampling):
    """Algorithm 1 with a draw of its own: kind says which."""

    kind: str = ""

    def drawn(self, t: int, noise: Any, shape: tuple[int, ...]) -> Any:
        z = noise.normal("theta", t, shape)
        if self.kind == "common":  # 1 % of the variance is the same in all trials
            return np.sqrt(0.99) * z + 0.1 * noise.normal("common", t, shape)[:1]
        if self.kind == "centred":
            return z - z.mean(axis=0)
        if self.kind == "batch size":
            return z if len(z) > 200 else z / 2
        if self.kind == "alone":
            return z if len(z) > 1 else z / 2
        return np.random.default_rng().standard_normal(z.shape)

    def act(self, t, state, noise):
        mean, deviation = self.posterior(t, state)
        return Pulls.one((mean + deviation * self.drawn(t, noise, (self.arms,))).argmax(axis=1), self.arms)


def probed(policy):
    return probe(policy, Table(np.full((policy.arms, policy.horizon), 0.5)), seed=1)


@pytest.mark.parametrize(
    "policy",
    [ThompsonSampling(2, 20), ModifiedThompsonSampling(3, 40, prepulls=2), Elimination(3, 200), DPTSUCB(2, 20, 1.0)],
    ids=repr,
)
def test_independent_trials_need_no_remark(policy):
    assert probed(policy) == ()


@pytest.mark.parametrize("kind", ["common", "centred", "batch size"])
def test_trials_that_share_something_are_dependent(kind):
    assert probed(Drawing(2, 20, kind=kind)) == (DEPENDENT,)


def test_a_lone_trial_must_be_the_first_of_many():
    """Only its steps can show it: so the horizon is long."""
    assert probed(Drawing(2, 400, kind="alone")) == (DEPENDENT,)


def test_randomness_of_ones_own_is_said():
    assert probed(Drawing(2, 20, kind="own")) == (OWN,)
