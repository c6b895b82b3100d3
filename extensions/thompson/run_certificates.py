"""Writes an attack on Thompson sampling as a certificate: a run of many rounds, for the independent checker."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np

from dpbandits.extensions.thompson.attack import attack
from dpbandits.extensions.thompson.checking import verify_run
from dpbandits.extensions.thompson.many_arm_attack import many_arm_attack
from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.proofs_checks.vocabularies.decimals import exact_text
from dpbandits.reference.bandits.adjacency import Pair

OWN_CLAIM_ID = "own/thompson"  # no claim of a ledger: the certificate stands for itself
LOSS_STEP = 0.25  # of the losses that the checker tells apart
SHARES = (0.9995, 0.998, 0.99, 0.95)  # of the eps that the same step shows here: the first one that the checker accepts


def run_certificate(sampler: Sampler, pair: Pair, delta: float, levels: int, highest: float) -> dict[str, Any]:
    """Returns a certificate, accepted by the checker, that the sampler is not private below a certain eps.
    The certificate contains this eps, which an attack certifies. The checker has accepted it.

    pair: differs in one reward, the left one paying less. levels: the most pulls of the changed arm that are followed.
    highest: an upper bound on eps. Raises ValueError where the pair shows nothing, and for more arms and rounds than
    the checker is allowed to follow.
    """
    reach = -10.0, highest + 10.0
    if pair.relation == "pull" and sampler.arms == 2:
        eps = attack(sampler, pair, LOSS_STEP, levels, reach, delta).eps(delta)
    else:
        eps = many_arm_attack(sampler, pair, levels, LOSS_STEP, reach).eps(delta)
    why = "the attack certifies eps = 0 only"
    for share in SHARES if eps > 0 else ():
        certificate = unverified_certificate(sampler, pair, delta, levels, eps * share)
        check = verify_run(certificate)
        if check.ok:
            return certificate
        why = f"the checker rejects eps = {certificate['eps']}: {'; '.join(check.lines)}"
    raise ValueError(f"no certificate of the attack at delta = {delta:g} can be written: {why}")


def unverified_certificate(sampler: Sampler, pair: Pair, delta: float, levels: int, eps: float) -> dict[str, Any]:
    """Returns a certificate, not yet checked, that a pair of tables refutes (eps, delta)-privacy of the sampler."""
    ((arm, place),) = np.argwhere(pair.left != pair.right).tolist()
    return {
        "type": "run",
        "claim": OWN_CLAIM_ID,
        "policy": {"name": "gaussian-thompson", "prepulls": sampler.prepulls, "variance": exact_text(sampler.variance)},
        "relation": pair.relation,
        "horizon": sampler.horizon,
        "rewards": [
            [[len(list(same)), exact_text(value)] for value, same in groupby(row[: sampler.horizon].tolist())]
            for row in pair.left
        ],
        "changed": [arm, place],
        "becomes": exact_text(float(pair.right[arm, place])),
        "pulls": levels,
        "step": exact_text(LOSS_STEP),
        "eps": f"{eps:.6f}",
        "delta": exact_text(repr(delta)),
        "variables": {},
    }
