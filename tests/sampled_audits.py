"""Audits of own policies by samples alone, where a proof by randomness alignment would come first."""

from __future__ import annotations

from dpbandits import Finding, Policy, registry
from dpbandits.audit.judges.effort import OWN, QUICK, Run, with_trials
from dpbandits.audit.privacy.own_claims import judge_own_policy, own_claim
from dpbandits.proofs_checks.alignment.bounds import Alignment, Outcome
from dpbandits.reference.curves import Curve


def no_bound(*_: object, **__: object) -> Alignment:
    """A search that finds no alignment, as for a policy without noise."""
    return Alignment(Outcome.NO_NOISE)


def audit_by_samples(
    policy: Policy,
    eps: float | None = None,
    curve: Curve | None = None,
    trials: int | None = None,
    seed: int = 0,
    sequential: bool = False,
) -> Finding:
    """The finding of `audit_policy` if randomness alignment proves nothing."""
    claim = own_claim(policy, eps=eps, delta=None, mu=None, curve=curve)
    run = Run(with_trials(QUICK, policy, trials), seed, OWN)
    return judge_own_policy(claim, policy, run, sequential, registry.added().own_policy_looks, no_bound)[0]
