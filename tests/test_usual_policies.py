"""Policies of kinds that users write (bench/usual_policies.py): bounds of the private ones and of their twins."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from usual_policies import POLICIES, ExploreThenCommit, NoisyMaxElimination, SparseVectorStopping

from dpbandits.proofs_checks.alignment.bounds import Outcome
from dpbandits.proofs_checks.alignment.merged_bounds import merged_bound


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("kind", "horizon", "bound", "of_twin"),
    [(NoisyMaxElimination, 11, 1, 2), (SparseVectorStopping, 5, Fraction(1, 2), 2), (ExploreThenCommit, 10, 1, 3)],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_only_what_decides_costs_privacy(kind: type, horizon: int, bound: Fraction, of_twin: Fraction) -> None:
    """Noisy sums are compared in every step, and used at the end of a phase or before the answer. The threshold of the
    twin of sparse vector has no noise, so every sum has to move."""
    for broken, eps in ((False, bound), (True, of_twin)):
        found = merged_bound(kind(horizon=horizon, broken=broken), whole_runs=True)
        assert (found.outcome, found.cost) == (Outcome.BOUND, eps)


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_has_a_twin_of_the_same_size(name: str) -> None:
    one, other = POLICIES[name]
    assert one != other
    assert (one.arms, one.horizon) == (other.arms, other.horizon)
