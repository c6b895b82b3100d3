"""What Algorithm 1 really spends: the lower bounds beside Lemma 3, on tables and on Definition 1's streams."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from dpbandits import Verdict
from dpbandits.proofs_checks.exact.enumeration import enumerate_transcripts
from dpbandits.proofs_checks.exact.privacy_profile import ExactProfile, MeasurePair
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.papers.ou24 import section_3_attained as attained
from dpbandits.reference.papers.ou24 import ALGORITHM_1
from dpbandits.reference.papers.ou24.claims import CLAIMS
from dpbandits.reference.papers.ou24.section_3_attained import stream_pair

(CLAIM,) = (claim for claim in CLAIMS if claim.id == "ou24/lemma-3/attained/round")


def cut_normals(mu, cells):
    """N(mu, 1) and N(0, 1), cut into cells: as a profile without any error."""
    ends = np.concatenate([[-np.inf], np.linspace(-9, 9 + mu, cells), [np.inf]])
    masses = MeasurePair(np.diff(ndtr(ends - mu)), np.diff(ndtr(ends)))
    return ExactProfile(masses, masses)


@pytest.mark.parametrize("mu", [0.5, 1.0, 3.0])
def test_tests_that_are_not_rare_show_the_distance_of_two_normals(mu):
    assert attained.without_rare(cut_normals(mu, 4000)) == pytest.approx(mu, rel=1e-6)


def test_what_only_rare_tests_show_is_left_out():
    """An event of probability 1e-7 on one side and 0 on the other refutes every mu, but no common test sees it."""
    left, right = np.array([0.5 - 1e-7, 0.5, 1e-7]), np.array([0.5, 0.5, 0.0])
    assert attained.without_rare(ExactProfile(MeasurePair(left, right), MeasurePair(left, right))) < 1e-6


def test_a_stream_changes_one_round_whichever_arm_is_played():
    pair = stream_pair(5)
    assert pair.relation == "round"
    assert ((pair.left != pair.right).any(axis=0) == [True, False, False, False, False]).all()
    assert pair.right[:, 0].tolist() == [1.0, 1.0]


def test_the_parameter_on_streams_is_the_largest_difference_of_quantiles():
    """At T = 6, from all 64 transcripts, by Neyman and Pearson's tests; here every error is far above 1e-6."""
    found = enumerate_transcripts(ALGORITHM_1(arms=2, horizon=6), stream_pair(6))
    order = np.argsort(found.right / found.left)
    power, error = np.cumsum(found.left[order])[:-1], np.cumsum(found.right[order])[:-1]
    largest = float((ndtri(power) - ndtri(error)).max())
    low, high = attained.enumerated_profile(ALGORITHM_1(arms=2, horizon=6), stream_pair(6)).mu()
    assert low - 1e-4 < largest < high + 1e-4


@pytest.mark.parametrize(("rate", "verdict"), [(0.42, Verdict.PROVED), (0.43, Verdict.CONSISTENT)])
@pytest.mark.thorough
def test_the_rate_on_streams(rate, verdict):
    finding = attained.attained_on_streams(CLAIM, Effort(), 0, rate=rate)  # at T = 10 it is 0.4243
    assert finding.verdict is verdict
    assert "0.4243" in finding.summary
    for horizon, claimed, low, high, share, _ in finding.evidence[0]["rows"]:
        assert claimed == pytest.approx((horizon / 2) ** 0.5, rel=1e-12)
        assert 0 < low <= high < claimed
        assert share == pytest.approx(claimed / low, rel=1e-12)
