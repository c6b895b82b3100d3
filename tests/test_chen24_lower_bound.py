"""Theorem 4.7 of chen24: its change of measure on policies that hypothesis makes, and the instances (95)."""

from __future__ import annotations

from fractions import Fraction
from math import exp, isclose, log

import numpy as np
import pytest
from chen24_policies import few, many, tiny_policies
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from vacuity import nonvacuous_if

from dpbandits import Verdict
from dpbandits.audit.claims.proofs import proofs_of
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.papers.chen24 import enumeration as e
from dpbandits.proofs_checks.papers.chen24 import theorem_4_7 as lower
from dpbandits.reference.papers.chen24.claims import CLAIMS
from dpbandits.reference.papers.chen24.histories import Tiny, law_on_instance

LEMMAS = proofs_of("chen24")

LEDGER = {claim.id: claim for claim in CLAIMS}
inner = st.fractions(Fraction(1, 9), Fraction(8, 9), max_denominator=9).map(lambda p: {e.BITS[0]: 1 - p, e.BITS[1]: p})


def divergence(one, other):
    """KL of two laws with the same support, in doubles."""
    return sum(float(p) * log(p / other[seen]) for seen, p in one.items() if p)


@given(tiny_policies(), st.data())
@few
@pytest.mark.nonvacuous(5)
def test_what_is_released_tells_no_more_than_the_pulls_of_the_changed_arm(policy, data):
    """The first half of appendix-h/transport, for whole transcripts: KL <= E[N_i] KL(nu_i, nu'_i)."""
    one = {arm: data.draw(inner) for arm in policy.arms}
    iota = data.draw(st.sampled_from(policy.arms))
    other = {**one, iota: data.draw(inner)}
    laws = [law_on_instance(policy, each) for each in (one, other)]
    pulls = lower.sides(policy, one, other, iota, 1)[2]
    nonvacuous_if(divergence(*laws) > 1e-9)
    assert divergence(*laws) <= float(pulls) * divergence(one[iota], other[iota]) + 1e-12


@given(*2 * [st.dictionaries(st.sampled_from("abc"), st.sampled_from([Fraction(k, 6) for k in range(6)]))])
@pytest.mark.nonvacuous(7)
def test_the_largest_ratio_of_two_laws_is_that_of_a_single_transcript(left, right):
    every = [(left[seen], right.get(seen, Fraction(0))) for seen in left]
    ratios = [Fraction(one, other) if other else np.inf if one else Fraction(0) for one, other in every]
    nonvacuous_if(0 < max(ratios, default=0) < np.inf)
    assert e.ratio(left, right) == max(ratios, default=0)


def test_a_policy_that_tells_all_tells_exactly_that():
    """T = 1: it pulls arm 1, and recommends arm 1 after a reward of 1. So the inequality above is an equality."""
    tells = Tiny((1, 2), 1, lambda past: {1: Fraction(1)} if not past or past[0][1] else {2: Fraction(1)})
    one, other = (
        {1: {Fraction(0): 1 - p, Fraction(1): p}, 2: {Fraction(0): Fraction(1)}} for p in map(Fraction, (0.5, 0.75))
    )
    laws = [law_on_instance(tells, each) for each in (one, other)]
    assert isclose(divergence(*laws), divergence(one[1], other[1]))
    assert lower.sides(tells, one, other, 1, 1) == (Fraction(1, 2), Fraction(3, 4), 1)


@given(st.floats(1e-9, 1 - 1e-9) | st.floats(0.7, 1 - 1e-9), st.floats(1, 20).map(lambda x: exp(-x)))
@many
@pytest.mark.nonvacuous(10)
def test_two_chances_are_no_nearer_than_their_divergence_says(p, q):
    """The second half: kl(p, q) >= p log(1/q) - log 2."""
    nonvacuous_if(p * log(1 / q) > log(2))
    assert p * log(p / q) + (1 - p) * log((1 - p) / (1 - q)) >= p * log(1 / q) - log(2) - 1e-12


@pytest.mark.parametrize(("factor", "found"), [(Fraction(1), False), (Fraction(9, 10), True)])
@pytest.mark.thorough
def test_the_search_sees_nine_tenths_of_the_bound(factor, found):
    assert any(lower.wrong_transport(case, factor) for case in lower.cases(0)) is found


@given(st.integers(4, 12), st.integers(0, 9))
@few
@pytest.mark.nonvacuous(8)
def test_the_instances_are_no_harder_than_their_own_gap(arms, more):
    assert not lower.wrong_hardness((arms, arms + 2 + more))


def test_equal_gaps_are_harder():
    """What (95)'s quotients of K are for: with all gamma equal, the bound of eq-102/b is wrong from K = 5 on."""
    assert lower.too_hard([Fraction(1, 100)] * 5)
    assert not lower.too_hard([Fraction(1, 100)] * 4)


def test_a_policy_that_is_not_private_errs_less_often_than_lemma_h_5_says():
    """The argument of lemma-h.5/any-policy in numbers: T/H_BAI from 1e-4 to 1e10, H_BAI from 2 to 1e12, and H_pri the
    least that is allowed. And the chances of four arms' coins themselves, by convolution, at T = 4000."""
    hardness, t = np.geomspace(2, 1e12, 60)[:, None], np.geomspace(1e-4, 1e10, 400)
    said = -97 * t * hardness / (np.log(4) * np.maximum(1e12, hardness**2))
    most = np.minimum(np.log(3 / 4), np.log(3) - t / 4)
    assert (most <= said).all()
    means, n, own = (0.6, 0.5, 0.5, 0.4), 1000, 3 / 0.1**2  # H_BAI
    counts = [binom(n, mean) for mean in means]
    k = np.arange(n + 1)
    beaten = sum(counts[0].pmf(k) * (1 - np.prod([each.cdf(k - 1) for each in counts[1:]], axis=0)))  # ties lose here
    assert beaten <= 3 * np.exp(-4 * n / own / 4) < 1 / 4
    finding = LEMMAS["chen24/lemma-h.5/any-policy"](LEDGER["chen24/lemma-h.5/any-policy"], Effort(), 0)
    assert finding.verdict is Verdict.REFUTED


@pytest.mark.parametrize("K", [4, 7, 30])
def test_the_arithmetic_of_lemma_h_1(K):
    """Worst pulls: E N_i in proportion to 1/(9 gamma_i^2 H_i); then every instance has the same exponent, 36 T/log K
    at most over H_i. And the divergence of the Bernoulli laws is below 9 gamma^2 at the largest gamma."""
    share = sum(1 / (9 * i) for i in range(2, K + 1))
    assert 2 / share <= 36 / log(K)
    gamma = 1 / 64
    one, other = ({0: 0.5 + gamma, 1: 0.5 - gamma}, {0: 0.5 - gamma, 1: 0.5 + gamma})
    assert divergence(one, other) <= 9 * gamma**2
    assert 36 / log(K) + log(4) <= 37 / log(K) * (1 + log(4) * log(K))  # at T = H (1 + log 4 log K), over H
