"""tao22 at long horizons: regret by the arithmetic of epochs against runs, and what Algorithm 1 has to pull."""

from __future__ import annotations

from dataclasses import replace
from math import expm1, tanh

import numpy as np
import pytest

from dpbandits import Bernoulli, Seeded, Verdict, play
from dpbandits.audit.claims.proofs import proofs_of
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.papers.tao22 import appendix_c_theorem_11, optimism, phases, section_4_theorem_2
from dpbandits.proofs_checks.papers.tao22 import section_6 as orders
from dpbandits.proofs_checks.papers.tao22.phases import regret, truncated_moments
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.papers.tao22 import DPRSE, DPRUCB, LDPRSE, Pareto, repaired_ldprse
from dpbandits.reference.papers.tao22.algorithms.parameters import each_once
from dpbandits.reference.papers.tao22.arms import S_1, S_3, section_6
from dpbandits.reference.papers.tao22.claims import CLAIMS

LEMMAS = proofs_of("tao22")

LEDGER = {claim.id: claim for claim in CLAIMS}


def test_moments_of_truncated_rewards():
    environment = Pareto(1.7, (1.0, 30.0))
    one, two = truncated_moments(environment, 9.0)
    x = np.linspace(1, 9, 200_001)
    density = 1.7 * x**-2.7
    assert one == pytest.approx([np.trapezoid(x * density, x), 0], rel=1e-6)
    assert two == pytest.approx([np.trapezoid(x * x * density, x), 0], rel=1e-6)


@pytest.mark.parametrize("counts", [[[3, 0], [3, 7]], [[5 * 10**8, 7], [7, 5 * 10**8]], [[10**15], [0]]])
def test_numbers_that_occur_are_listed_once_however_large(counts):
    numbers, place = each_once(np.array(counts))
    assert numbers.tolist() == sorted({each for row in counts for each in row})
    assert numbers[place].tolist() == counts


@pytest.mark.thorough
def test_a_run_of_six_million_rounds_is_between_the_bounds():
    fits, table = orders.drawn()
    assert fits
    assert max(row[3] for row in table["rows"][1:]) < 0.75 * 6_000_000 * 0.5  # less than round robin
    assert not orders.drawn(lambda *given: replace(DPRSE(*given), cut=1e9))[0]  # nothing is ever removed


def test_before_the_first_epoch_ends_it_is_round_robin():
    environment = section_6(S_1, 0.9)
    u = environment.moment(1.9)
    for policy in (DPRSE(5, 10_000, 1.0, 0.9, u), LDPRSE(5, 10_000, 20.0, 0.9, u)):
        assert regret(policy, environment) == pytest.approx((4000, 4000), rel=1e-6)
    with pytest.raises(
        ValueError,
        match=r"has arms = 5 and shape 1\.95.*, and the policy has arms = 3; give equally many",
    ):
        regret(DPRSE(3, 10_000, 1.0, 0.9, u), environment)


def test_a_threshold_below_the_noise_is_no_certain_end():
    """Line 21 as printed: whatever is removed is open."""
    environment = section_6(S_3, 0.9)
    given = {"arms": 5, "horizon": 10**18, "eps": 10.0, "v": 0.9, "u": environment.moment(1.9)}
    printed, repaired = (regret(kind(**given), environment) for kind in (LDPRSE, repaired_ldprse))
    assert printed.low <= repaired.low
    assert printed.high > 100 * repaired.high  # the best arm may be gone


@pytest.mark.parametrize(("low", "fits"), [(3.0, False), (3.0 * (1 + 2e-6), True)])
def test_an_order_that_is_not_so_is_not_shown(low, fits):
    """The smaller regret is at most 3, and the larger one must be more, by what doubles may be wrong."""
    shown = orders.Order("somewhere", "one", 1.0, "other", 2.0)
    assert orders.compared([shown, shown._replace(high=3.0, low=low)], "Orders")[0] is fits


@pytest.mark.thorough
def test_algorithm_1_pulls_bad_arms_as_often_as_is_said():
    policy = DPRUCB(2, 1000, 1.0, 1.0, 1.0)
    least = float(optimism.least_pulls(doubles, 2, 1000.0, 1.0, 1.0, 1.0, 1.0))
    pulls = play(policy, Bernoulli((1.0, 0.0)), Seeded(1, 4), 4, keep=False).pulls
    assert (pulls[:, 1] >= least).all()
    assert least > 80


@pytest.mark.thorough
def test_the_printed_constant_is_missed_by_the_bonus_alone():
    claim = LEDGER["tao22/theorem-2/explicit"]
    assert LEMMAS[claim.id](claim, Effort(), 0).verdict is Verdict.REFUTED

    class Timid(DPRUCB):
        """A bonus of 9 for 18."""

        def width(self, n, t):
            return super().width(n, t) / 2

    assert not section_4_theorem_2.chosen(Timid)[0]


def test_the_divergence_of_private_messages_is_a_large_share_of_its_bound():
    """By Pinsker's inequality at least 2 tanh(eps/2)^2 (p - q)^2, where (e^eps - 1)^2 (p - q)^2 is claimed: almost half
    of it for a small eps."""
    fits, table = appendix_c_theorem_11.randomised_responses()
    assert fits
    shares = [(eps, share) for eps, *_, share in table["rows"]]
    assert all(2 * (tanh(eps / 2) / expm1(eps)) ** 2 <= share <= 1 for eps, share in shares)
    assert shares[0][1] > 0.4


def test_lapses_of_the_noise_bound_widen_the_bounds():
    environment = section_6(S_1, 0.9)
    policy = DPRSE(5, 10**8, 1.0, 0.9, environment.moment(1.9))
    second = truncated_moments(environment, 10.0)[1]
    assert (phases.spread(policy, 1e6, 10.0, second) < phases.spread(replace(policy, eps=0.1), 1e6, 10.0, second)).all()
