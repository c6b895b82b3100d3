"""No profile may rot: what only a larger profile does is done here, with its costly numbers made small.

Covered: the one lemma proof whose work depends on the effort, under every profile, with short horizons in place of its
long ones; that no other lemma proof reads the effort (they hand it to the judge of formulas, or ignore it); every kind
of judge once under every profile's settings, with few samples; that findings hold no infinite number. Not covered:
what real sizes do, memory and time above all, and verdicts that need them.
"""

from __future__ import annotations

import ast
import json
from dataclasses import asdict, replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpbandits.proofs_checks.papers as lemma_pages
from dpbandits import Approximate, Finding, Gaussian, Profile, Verdict
from dpbandits.audit.judges.effort import PROFILES, run_over
from dpbandits.audit.privacy.evidence import result_figures
from dpbandits.audit.privacy.result import Result
from dpbandits.audit.runner.dispatch import judge, rounded_finding
from dpbandits.proofs_checks.exact.privacy_profile import ExactProfile, MeasurePair
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.papers.ou24 import section_3_attained as attained
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Claim, accepted_verdicts, expectations

LEDGER = ledger().by_id
LARGER = [name for name, profile in PROFILES.items() if profile.effort.boxes > Effort().boxes]


def plain(finding: Finding) -> dict[str, Any]:
    """The finding as JSON data; ValueError where it holds an infinite number."""
    content: dict[str, Any] = json.loads(json.dumps(asdict(finding), allow_nan=False))
    return content


# -- the lemma that does more with more effort -----------------------------------------------------------------------


def attained_claim() -> Claim:
    return LEDGER["ou24/lemma-3/attained"]


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.first(1)
def test_longer_horizons_are_bounded_from_both_sides(name: str) -> None:
    """Also so long that a shallow pass prunes."""
    assert LARGER
    finding = attained.attained(attained_claim(), PROFILES[name].effort, 0, horizons=(10, 12), longer=(16, 60))
    assert finding.verdict is attained_claim().expect, finding.summary
    table, same = [item for item in plain(finding)["evidence"] if item["kind"] == "table"]
    assert [row[0] for row in same["rows"]] == [row[0] for row in table["rows"]]
    for row in same["rows"]:  # of each delta: what is claimed is no less than what is certified
        assert row[1] >= row[2] > 0
        assert row[4] >= row[5] > 0
    assert [row[0] for row in table["rows"]] == ([10, 12, 16, 60] if name in LARGER else [10, 12])
    for row in table["rows"]:
        assert attained.RATE * np.sqrt(row[0]) <= row[2] <= row[3] <= 1.01 * row[2]
        assert row[3] <= np.sqrt((row[0] - 1) / 2)  # what is provable for every pair of tables


@pytest.mark.parametrize(("low", "verdict"), [(5.0, Verdict.PROVED), (3.99, Verdict.CONSISTENT)])
def test_where_nothing_bounds_mu_the_finding_says_so(low: float, verdict: Verdict) -> None:
    known = attained.Measured(25, 2.5, 2.6, ((1.0, "both pay 0"), (2.0, "both pay 1")))
    open_ended = attained.Measured(100, low, inf, ((inf, "both pay 0"), (2.0, "both pay 1")))
    finding = attained.concluded(attained_claim(), [known, open_ended])
    assert finding.verdict is verdict
    content = plain(finding)
    assert content["evidence"][1]["rows"][1][3] == "no bound"
    assert "T = 25, 100" in finding.summary
    assert "at most" not in finding.summary


def test_rates_are_rounded_down() -> None:
    shown = ((1.0, "both pay 0"), (2.0, "both pay 1"))
    found = [attained.Measured(100, low, 5.0, shown) for low in (4.9999999, 4.12349)]
    assert "mu is at least 0.4123 sqrt(T)" in attained.concluded(attained_claim(), found).summary
    assert "at least 0.4999" in attained.concluded(attained_claim(), found[:1]).summary


def test_no_other_lemma_reads_the_effort() -> None:
    """One that does needs a test like those above, or in its own page's tests (chen24: test_chen24_errors)."""
    readers = set()
    root = Path(str(lemma_pages.__file__)).parent
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            reads = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "effort"
            if reads and isinstance(node, ast.Attribute):
                readers.add((path.relative_to(root).as_posix(), node.attr))
    assert readers
    assert readers <= {("ou24/section_3_attained.py", "boxes"), ("chen24/section_4.py", "points")}


# -- every kind of judge under every profile -------------------------------------------------------------------------

KINDS = {
    "Identity": "ou24/update/pre-pulls",
    "Inequality": "ou24/theorem-1/informative",
    "Private, a policy": "ou24/lemma-2",
    "Ordering": "ou24/section-4/lower-regret/5.1",
    "AtMost": "ou24/theorem-5/problem-dependent",
}


def small(profile: Profile) -> Profile:
    return replace(
        profile, trials=200, steps=20_000, regret_runs=4, experiment_runs=3, pair_tries=2, pair_effort=200,
        exact_states=100, experiment_horizon=1000,
        effort=replace(profile.effort, points=100, rounds=2, exact=2),
    )  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.first(1)
def test_every_judge_makes_a_finding(name: str, kind: str) -> None:
    claim = LEDGER[KINDS[kind]]
    assert type(claim.says).__name__ == kind.split(",")[0]
    finding = rounded_finding(judge(claim, run_over(ledger().claims, small(PROFILES[name]), 0)))
    # So few samples may say nothing, but never the opposite.
    accepted = {verdict for wanted in expectations(claim) for verdict in accepted_verdicts(wanted, finding)}
    assert finding.verdict in {*accepted, Verdict.CONSISTENT, Verdict.NOT_EXERCISED}, finding.summary
    plain(finding)


# -- infinite bounds -------------------------------------------------------------------------------------------------


def test_events_that_are_impossible_on_one_side_can_be_shown() -> None:
    """Their delta never vanishes, so that eps has no end; pictures have one."""
    for left, right in (([0.5, 0.5], [1.0, 0.0]), ([0.5, 0.3, 0.2], [0.4, 0.6, 0.0]), ([1.0, 0.0], [0.0, 1.0])):
        masses = MeasurePair(np.array(left), np.array(right))
        profile = ExactProfile(masses, masses)
        assert profile.eps(1e-3)[1] == inf
        for curve in (Approximate(1.0, 1e-3), Gaussian(1.0)):
            item = result_figures(Result("a", curve, bounds=curve.bounds(profile), exact=profile))[0]
            json.dumps(item, allow_nan=False)
            assert item["exact_low"][-1][0] > 0
