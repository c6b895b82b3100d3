"""Bounds on eps of random policies with few states, against their exact law."""

from __future__ import annotations

import pytest
from random_automata import KINDS, Automaton

from dpbandits.proofs_checks.alignment.bounds import Outcome, alignment_bound
from dpbandits.proofs_checks.alignment.merged_bounds import bound_on_runs_or_states, merged_bound

ROUNDING = 1e-9  # relative: of the exact law in doubles


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_no_bound_is_below_the_exact_eps(kind: str, seed: int) -> None:
    policy = Automaton(seed, kind, horizon=3)
    exact = policy.eps_at_ends()
    for found in (
        alignment_bound(policy),
        merged_bound(policy),
        merged_bound(policy, whole_runs=True),
        bound_on_runs_or_states(policy),
    ):
        if found.outcome is Outcome.BOUND:
            assert found.eps >= exact * (1 - ROUNDING)
