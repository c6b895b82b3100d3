"""Single proofs of chen24: the numbers of their notes by hand, and something planted that each has to notice."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import exp, log

import mpmath
import numpy as np
import pytest
from chen24_policies import few
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr
from scipy.stats import binom
from vacuity import nonvacuous_if

from dpbandits import Verdict
from dpbandits.audit.claims.proofs import proofs_of
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.papers.chen24 import (
    appendix_e,
    appendix_f,
    appendix_g_3_and_4,
    appendix_j,
    experiments,
    section_3_budget,
    section_3_max_det,
)
from dpbandits.reference.papers.chen24.algorithms.od_linbai import dp_od
from dpbandits.reference.papers.chen24.algorithms.parameters import REPAIRED, every_arm_reserve, repaired_reserve
from dpbandits.reference.papers.chen24.claims import CLAIMS

LEMMAS = proofs_of("chen24")

LEDGER = {claim.id: claim for claim in CLAIMS}


def test_every_claim_has_its_sentence():
    assert [claim.id for claim in CLAIMS if not claim.source.quote] == []


def verdict_with(proof, name, **planted):
    """The verdict about a claim if the proof has other parameters than its own."""
    return proof(LEDGER[f"chen24/{name}"], Effort(), 0, **planted).verdict


def verdict(name):
    return LEMMAS[name](LEDGER[name], Effort(), 0).verdict


# -- Section 3.1: the budget -----------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_budget_by_hand():
    """K = 36, d = 6, T = 40: T' = 1, and 36 + 13 + 5 + 3 + 2 arms are pulled once each; not with what is kept
    repaired."""
    finding = LEMMAS["chen24/budget"](LEDGER["chen24/budget"], Effort(), 0)
    assert finding.verdict is Verdict.REFUTED
    assert ["1010 printed", 40, 36 + 13 + 5 + 3 + 2] in finding.evidence[1]["rows"]
    assert len(finding.evidence[1]["rows"]) == 4 * 16
    assert [row[-1] for row in finding.evidence[2]["rows"]] == ["44%", "25%", "21%", "13%"]  # no edge case
    assert verdict_with(section_3_budget.budget, "budget", reserve=repaired_reserve) is Verdict.CONSISTENT


def test_the_smallest_budget_is_positive_if_nothing_is_kept():
    """T' of K = 36, d = 6 and T = 39 is 0, with nothing kept it is 39."""
    assert verdict("chen24/budget/positive") is Verdict.REFUTED
    assert verdict_with(section_3_budget.positive, "budget/positive", reserve=lambda *_: 0) is Verdict.PROVED


def test_baseline_s_budget_by_hand():
    """T = 100 has T' = 98; the one phase of K = 30 arms and d = 2 pulls each of them ceil(98/30) = 4 times."""
    finding = LEMMAS["chen24/baseline/budget"](LEDGER["chen24/baseline/budget"], Effort(), 0)
    assert finding.verdict is Verdict.REFUTED
    assert finding.evidence[0]["rows"][:3] == [[100, 30 * 4], [200, 210], [400, 420]]
    assert verdict_with(experiments.overdrawn, "baseline/budget", reserve=every_arm_reserve) is Verdict.CONSISTENT
    assert verdict("chen24/baseline/budget/repaired") is Verdict.ARGUED
    assert experiments.wrong_baseline((30, 2, 61), lambda *_: 0) == "K = 30, d = 2, T = 61: 90 pulls"


def test_a_collection_that_does_not_span_would_have_less_noise():
    assert verdict("chen24/max-det/noise") is Verdict.ARGUED
    plane = [(1, 0), (0, 1), (1, 1)]
    assert section_3_max_det.wrong_collection(plane) == ""
    assert section_3_max_det.wrong_collection(plane, lambda _: [(1,)]) == "collection (1,) of 1, in 2 dimensions"
    assert section_3_max_det.wrong_collection([*plane, (2, 2)], lambda _: [(2, 3)]) != ""


# -- Lemma G.3 -------------------------------------------------------------------------------------------------------


def test_the_last_phase_of_the_first_stage():
    """(69) fails where fewer than g_0 arms are kept, and by the chance that the argument counts."""
    finding = LEMMAS["chen24/lemma-g.3/printed"](LEDGER["chen24/lemma-g.3/printed"], Effort(), 0)
    assert finding.verdict is Verdict.REFUTED
    for *_, kept, n, lost, printed in finding.evidence[0]["rows"]:
        by_hand = -n / 128 - log(2) * (kept + 1)
        assert printed < by_hand < lost + 0.01  # the arms that are far behind may come between
    for planted in ({"near": 1 / 2}, {"indices": REPAIRED}):  # all gaps alike, where (69) is right
        found = verdict_with(appendix_g_3_and_4.first_stage_loses, "lemma-g.3/printed", **planted)
        assert found is Verdict.CONSISTENT


# -- Appendix J ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shares", [(Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 4), Fraction(3, 4))])
def test_the_split_of_the_gap_is_needed(shares):
    """Halves are too little for the noise of two arms, a quarter for the rewards."""
    assert not any(map(appendix_j.less_than_printed, appendix_j.CASES))
    assert any(appendix_j.less_than_printed(case, *shares) for case in appendix_j.CASES)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_lemma_j_1_where_the_rewards_are_certain(d):
    """The exact chance that another arm's noisy estimate is the larger one, on random features whose means lie in
    [0, 1], is at most the second term of (114), with one arm of a Max-Det collection pulled n times each."""
    draw = np.random.default_rng(d)
    for _ in range(20):
        features = draw.normal(size=(d * d + 3, d))
        theta = draw.normal(size=d)
        features[features @ theta < 0] *= -1
        means = features @ theta / (features @ theta).max()
        basis = max(combinations(range(len(features)), d), key=lambda some: abs(np.linalg.det(features[list(some)])))
        alpha = np.linalg.solve(features[list(basis)].T, features.T).T
        best = int(means.argmax())
        for y in (13, 40, 600):
            n, c = -(-y // d), -(-y // d**2)
            for j in set(range(len(means))) - {best}:
                gap, deviation = means[best] - means[j], np.linalg.norm(alpha[j] - alpha[best]) * np.sqrt(2) / n
                assert ndtr(-gap / deviation) <= 2 * np.exp(-((gap * c) ** 2) / 32)  # eps^2 = log(1.25/delta)


def test_the_last_phase_of_the_first_stage_with_normal_noise():
    finding = LEMMAS["chen24/lemma-j.2/printed"](LEDGER["chen24/lemma-j.2/printed"], Effort(), 0)
    assert finding.verdict is Verdict.REFUTED
    for *_, kept, n, lost, printed in finding.evidence[0]["rows"]:
        fewer = float(binom.logcdf(n // 2, n, 65 / 128))
        assert printed < lost < fewer - log(2) * (kept + 1) < lost + log(n + 1)
    for planted in ({"best": Fraction(63, 64)}, {"indices": REPAIRED}):  # coins that seldom fall short by so much
        found = verdict_with(appendix_j.normal_stage_loses, "lemma-j.2/printed", **planted)
        assert found is Verdict.CONSISTENT


# -- Appendices F and I ----------------------------------------------------------------------------------------------

weights = st.lists(st.integers(0, 5), min_size=6, max_size=6).filter(any)


def chances(found):
    return {(k // 3, k % 3): Fraction(weight, sum(found)) for k, weight in enumerate(found)}


@given(weights, weights, st.fractions(1, 3, max_denominator=4))
@few
@pytest.mark.nonvacuous(5)
def test_products_are_enough_without_delta_and_no_more_than_all_sets_with_it(one, other, factor):
    laws = appendix_f.Laws(chances(one), chances(other), factor)
    nonvacuous_if(appendix_f.over_products(laws) > 0)
    assert not appendix_f.wrong_products(laws)
    assert 0 <= appendix_f.over_products(laws) <= appendix_f.over_all(laws) <= 1


def test_two_coins_by_hand():
    found = appendix_f.over_products(appendix_f.COINS), appendix_f.over_all(appendix_f.COINS)
    assert found == (Fraction(1, 5), Fraction(2, 5))
    assert appendix_f.COINS.factor > 1  # eps > 0, as Definition D.1 has it
    independent = appendix_f.COINS._replace(one=appendix_f.COINS.other)
    assert verdict_with(appendix_f.with_delta, "appendix-i/products", coins=independent) is Verdict.PROVED


def rows_alone(laws):
    """As `over_products`, of sets of the first coordinate only."""
    firsts = appendix_f.subsets({first for first, _ in laws.one})
    return max(appendix_f.excess(laws, {cell for cell in laws.one if cell[0] in some}) for some in firsts)


def test_rows_alone_would_not_be_enough():
    """Two laws with the same first coordinate look the same."""
    assert verdict("chen24/appendix-f/products") is Verdict.ARGUED
    assert any(appendix_f.wrong_products(laws, rows_alone) for laws in appendix_f.numbered(0))


# -- Appendix E ------------------------------------------------------------------------------------------------------


def test_the_tail_of_two_laplace_variables():
    """Equal scales are the limit of unequal ones; at 0 it is 1/2; and a scale of nearly nothing leaves the other."""
    for far in (0.0, 0.7, 5.0):
        near, equal = (appendix_e.below(mpmath.mpf(2), mpmath.mpf(b), mpmath.mpf(far)) for b in ("2.0001", "2"))
        assert float(near) == pytest.approx(float(equal), 1e-3)
    assert float(appendix_e.below(mpmath.mpf(3), mpmath.mpf(1), mpmath.mpf(0))) == pytest.approx(1 / 2)
    single = appendix_e.below(mpmath.mpf(1), mpmath.mpf(10) ** -9, mpmath.mpf(4))
    assert float(mpmath.log(2 * single)) == pytest.approx(-4)


def test_how_often_dp_od_errs_can_fail():
    """The bound, against the error's third power; the pulls, against a policy that has one more in its budget."""
    case = appendix_e.Two(1.0, 1.0, 0.1, 1.0, 100)
    assert appendix_e.wrong_lower(case) == ""
    assert appendix_e.wrong_lower(case, tail=lambda *scales: appendix_e.below(*scales) ** 3) != ""
    assert appendix_e.wrong_pulls(((1.0, 2.0), 12)) == ""
    larger = appendix_e.wrong_pulls(((1.0, 2.0), 12), lambda features, T, eps: dp_od(features, T + 1, eps))
    assert larger == "x = 1.0, y = 2.0, T = 12: [6, 6]"


def test_the_longer_arm_makes_dp_od_worse():
    """The bound at n = 100, gap = 0.3, eps = 1: 2e-3 of an error at equal lengths, nearly 1/4 at a ratio of 1000."""
    bounds = [(1 - exp(-9)) * exp(-2 * 100 * 0.3 / ratio) / 4 for ratio in (1, 1000)]
    assert log(bounds[0]) < -60
    assert bounds[1] > 0.23
