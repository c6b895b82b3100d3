"""The page tossou18: the steps of its arguments in numbers, and its two events' chances by the policy's own law."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_ndtr, ndtr
from vacuity import nonvacuous_if

from dpbandits.audit.claims.proofs import proofs_of
from dpbandits.proofs_checks.papers.tossou18 import theorem_2
from dpbandits.reference.claims.model import Consequence, Stated
from dpbandits.reference.papers.ou24.algorithms import State
from dpbandits.reference.papers.tossou18 import private_for, variance, with_more_variance
from dpbandits.reference.papers.tossou18.claims import CLAIMS

LEMMAS = proofs_of("tossou18")

PULLS = st.integers(1, 10_000)
SHARES = st.floats(0.01, 1.0)
# The constants that the words leave open: of s^2 where X < 1, and of the exchanged bracket.
NEAR, EXCHANGED = 2e4, 8.0


def coin(pulls, threshold, share):
    """log p, log(1-p), log q, log(1-q), and s, of a coin whose mean moved by a share of s^2."""
    s = 1 / sqrt(pulls + 1)
    moved = share * s - threshold
    return *(float(log_ndtr(x)) for x in (-threshold, threshold, moved, -moved)), s


def less_one(first, second, rate, price):
    """The bracket less 1, (1st: the coin of the likelihood in the numerator), without cancellation."""
    (p, not_p), (q, not_q) = first, second
    pulled = np.exp(p) * np.expm1(rate * (p - q) - price)
    return float(pulled + np.exp(not_p) * np.expm1(rate * (not_p - not_q)))


@given(PULLS, st.floats(-8, 30), SHARES, st.floats(0.01, 1.0), st.floats(0, 5))
@pytest.mark.nonvacuous(20)
def test_one_round_is_bounded_as_the_words_say(pulls, threshold, share, rate, price):
    p, not_p, q, not_q, s = coin(pulls, threshold, share)
    y, chance = q - p, np.exp(p)
    assert y <= s * (1 + max(threshold, 0)) * (1 + 1e-9)
    assert y**2 <= 2 * s**2 * -p * (1 + 1e-9)
    apart = 2 * y**2 * np.exp(2 * y) if threshold >= 1 else NEAR * s**2
    most = chance * (rate * (2 * y**2 * np.exp(y) + apart) + np.exp(-rate * y) * np.expm1(-price))
    assert less_one((p, not_p), (q, not_q), rate, price) <= most + 1e-12 * np.exp(q)
    far = EXCHANGED * y**2 * np.exp(2 * y) + (NEAR * s**2 if threshold < 1 else 0)
    most = np.exp(q) * (rate * far + np.expm1(-price))
    assert less_one((q, not_q), (p, not_p), rate, price) <= most + 1e-12 * np.exp(q)


@pytest.mark.parametrize(("horizon", "eps"), [(50, 1.0), (1000, 0.1)])
def test_the_events_chances_are_the_policys(horizon, eps):
    policy, waited = with_more_variance(2, horizon, eps), 20
    loss = 0.0
    for m in range(1, waited + 1):
        sides = State(np.array([[1, m - 1]] * 2), np.array([[0.0, 0.0], [1.0, 0.0]]))
        left, right = policy.law(m + 1, sides).chance[:, 1]
        assert left == pytest.approx(0.5)
        loss += log(left / right)
    spread = variance(horizon, eps)
    assert loss >= waited * sqrt(2 / np.pi) / sqrt(6 * spread)
    assert theorem_2.shown(horizon, eps) > 1.2 * sqrt(eps)


@given(PULLS, PULLS, st.floats(0.01, 1.0), st.floats(0.1, 100.0))
@pytest.mark.nonvacuous(10)
def test_the_worse_arm_is_pulled_as_often_as_the_argument_says(better, worse, gap, eps):
    horizon = better + worse + 1
    policy = with_more_variance(2, horizon, eps)
    state = State(np.array([[better, worse]]), np.array([[gap * better, 0.0]]))
    least = ndtr(-gap * sqrt(horizon + 1) / (2 * sqrt(policy.variance)))
    nonvacuous_if(least > 0)
    assert policy.law(horizon, state).chance[0, 1] >= least * (1 - 1e-9)


def test_the_policy_is_made_for_its_eps():
    assert private_for(with_more_variance(3, 100, 0.5)) == pytest.approx(0.5)
    with pytest.raises(ValueError, match=r"T \(horizon\)"):
        with_more_variance(2, 1, 1.0)


def test_words_are_decided_by_proofs_of_the_page():
    """A proof of its own decides every claim in words; a consequence may have one as well."""
    stated = {claim.id for claim in CLAIMS if isinstance(claim.says, Stated)}
    assert stated <= set(LEMMAS) <= stated | {claim.id for claim in CLAIMS if isinstance(claim.says, Consequence)}
