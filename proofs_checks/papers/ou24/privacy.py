"""Proofs, refutations and pictures for the privacy claims of ou24, by claim id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpbandits.proofs_checks.judge.reductions import Lemma, Reduction, reduced, shown
from dpbandits.proofs_checks.judge.refutations import step_certificate
from dpbandits.proofs_checks.papers.ou24 import appendix_c_1 as c1
from dpbandits.proofs_checks.papers.ou24 import appendix_c_2 as c2
from dpbandits.proofs_checks.papers.ou24 import privacy_curves
from dpbandits.proofs_checks.papers.ou24 import section_2_to_4 as main
from dpbandits.reference.ledger import Claim
from dpbandits.reference.papers.ou24.claims import APPENDIX, PRIVACY

LEDGER: Mapping[str, Claim] = {claim.id: claim for claim in (*PRIVACY, *APPENDIX)}

REDUCTIONS: dict[str, Reduction] = {
    "ou24/definition-2": main.DEFINITION_2,
    "ou24/definition-2/monotone": main.MONOTONE,
    "ou24/gaussian-mechanism": main.GAUSSIAN_MECHANISM,
    "ou24/figure-1/monotone": main.MODIFIED_MONOTONE,
    "ou24/figure-1/dramatic": main.DRAMATIC,
    "ou24/remark-2/improvement": main.SHARP_MONOTONE,
    "ou24/algorithm-3/gap": c1.LAPLACE_GAP,
    "ou24/lemma-12/classical": c1.CLASSICAL,
    "ou24/lemma-12/every-eps": c1.EVERY_EPS,
    "ou24/theorem-7/two-arms": c1.TWO_ARMS,
    "ou24/corollary-1/formula": c1.COROLLARY_1,
    "ou24/theorem-8/formula": c2.THEOREM_8,
    "ou24/c3/no-worse": c2.NO_WORSE,
    "ou24/c3/best-order": c2.BEST_ORDER,
    "ou24/c3/depends-on-N": c2.DEPENDS_ON_N,
    "ou24/c3/when-delta-is-large": c2.ADVANTAGE,
    "ou24/c3/when-delta-is-small/in-delta": c2.ADVANTAGE_IN_DELTA,
    "ou24/definition-3/forms": c2.FORMS,
    "ou24/lemma-4/bracket": main.BRACKET,
}


def carried(certificate: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    return ({"kind": "certificate", "certificate": dict(certificate)},)


def laplace_pair(claim: Claim) -> tuple[Mapping[str, Any], ...]:
    """Algorithm 3 with eps = s = 1: two answers 0, 0 that become -1, 1; the event that query 1 is released."""
    return carried(
        step_certificate(
            "ou24/algorithm-3", "laplace", ["1", "1"], ["0", "0"], ["-1", "1"], ["1", "1"], [0], "1", "0", changed="all"
        )
    )


def threshold_pair(claim: Claim) -> tuple[Mapping[str, Any], ...]:
    """Theorem 6 at delta = 1/10, s/sigma = 2: a nearly constant query at 2, so a threshold test between the means."""
    eps = "sqrt(log(1/(2*delta)))"  # (1/2) sqrt(log((n-1)/(2 delta))) s/sigma
    return carried(
        step_certificate(
            "ou24/theorem-6",
            "gaussian",
            ["1", "1/1000"],
            ["2", "2"],
            ["0", "2"],
            ["2", "0"],
            [0],
            eps,
            "delta",
            variables={"delta": "1/10"},
        )
    )


def reached_state(claim: Claim) -> tuple[Mapping[str, Any], ...]:
    """Theorem 7 at delta = 1/100, in a state where all scales are rational: arm 1 was pulled 3 times and paid 1 or 0
    in all, arm 2 was pulled 99 times and paid 75."""
    eps = "sqrt(log(1/(2*delta)))/(2*sqrt(2))"
    return carried(
        step_certificate(
            "ou24/theorem-7",
            "gaussian",
            ["1/2", "1/10"],
            ["1/4", "3/4"],
            ["0", "3/4"],
            ["1/4", "1/100"],
            [0],
            eps,
            "delta",
            variables={"delta": "1/100"},
        )
    )


PICTURES = {
    "ou24/figure-1/monotone": privacy_curves.figure_1,
    "ou24/lemma-12": privacy_curves.lemma_12_map,
    "ou24/theorem-7/formula": privacy_curves.theorem_7_ranges,
    "ou24/corollary-1/formula": privacy_curves.corollary_1_margins,
    "ou24/c3/significantly-tighter": privacy_curves.figure_4,
    "ou24/appendix-d/1-gdp/rounded": privacy_curves.three_epsilons,
}
CERTIFICATES = {
    "ou24/algorithm-3/formula": laplace_pair,
    "ou24/theorem-6/formula": threshold_pair,
    "ou24/theorem-7/formula": reached_state,
}


def lemmas() -> dict[str, Lemma]:
    """Every claim that has more than the general judge, and what it has."""
    found: dict[str, Lemma] = {name: reduced(reduction, LEDGER[name]) for name, reduction in REDUCTIONS.items()}
    for extras in (CERTIFICATES, PICTURES):
        for name, evidence in extras.items():
            found[name] = shown(evidence, found[name]) if name in found else shown(evidence)
    return found


LEMMAS: Mapping[str, Lemma] = lemmas()
