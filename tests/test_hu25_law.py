"""The exact law of DP-TS-UCB's released arms, its sharp parameter, and the algebra of powers."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise, product

import mpmath
import numpy as np
import pytest
from fits import LEVEL, chi_square
from scipy.special import ndtr, ndtri

from dpbandits import QUICK, Gaussian, Pulls, Seeded, Table, Verdict, follows_law, play
from dpbandits.audit.claims.proofs import proofs_of
from dpbandits.audit.judges.effort import run_over
from dpbandits.audit.runner.dispatch import judge
from dpbandits.proofs_checks.formulas.algebra.real_powers import equal_powers
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.papers.hu25.by_transcript import ByTranscript
from dpbandits.proofs_checks.papers.hu25.section_4_3_law import law, laws, probability, rounds, transcripts
from dpbandits.proofs_checks.papers.hu25.section_4_3_theorem_4_4 import (
    attained,
    budgeted,
    certain,
    means_of,
    sharp,
    unpulled,
)
from dpbandits.proofs_checks.papers.hu25.section_4_3_tiny import delta, gdp, quantiles, tables
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.play import released_arms
from dpbandits.reference.bandits.release_laws.argmax_law import argmax_law
from dpbandits.reference.claims.model import ESTABLISHED_VERDICTS, Identity, Inequality, OneOf, Private, Real
from dpbandits.reference.curves import gaussian_delta
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.claims import CLAIMS
from dpbandits.reference.papers.hu25.experiments import ALPHAS, BEST, MILLION, PREPULLS, equal_privacy, equal_regret
from dpbandits.reference.papers.hu25.shared import Draws, sharp_eta

LEMMAS = proofs_of("hu25")

QUADRATURE = 1e-11  # the two resolutions below agree to 1e-13 a transcript, and at most 81 are added up
REWARDS = np.array(
    [[1.0, 0.25, 0.5, 0.75, 0.0, 1.0], [0.5, 1.0, 0.75, 0.0, 0.25, 0.5], [0.25, 0.5, 0.0, 1.0, 1.0, 0.0]]
)
TINY = [
    DPTSUCB(2, 6, 1.0, budget=Draws(1.0)),
    DPTSUCB(2, 6, 0.5, budget=Draws(2.5)),
    DPTSUCB(2, 6, 0.0, budget=Draws(1.0), floor=-np.inf),
    DPTSUCB(3, 6, 1.0, budget=Draws(1.0)),
    DPTSUCB(2, 6, 1.0, budget=Draws(1.0), floor=0.75),  # the constant decides many rounds
]
every = pytest.mark.parametrize("policy", TINY, ids=lambda p: f"{p.arms}-{p.alpha:g}-{p.budget.number:g}-{p.floor:g}")


@pytest.mark.planted
@every
def test_probabilities_add_up_and_do_not_depend_on_the_resolution(policy):
    fine, coarse = (law(policy, REWARDS[: policy.arms], *size) for size in ((24, 10), (14, 12)))
    assert fine.sum() == pytest.approx(1, abs=QUADRATURE)
    assert np.abs(fine - coarse).max() < QUADRATURE


@pytest.mark.planted
@every
def test_the_law_fits_simulated_runs(policy):
    trials, table = 100_000, Table(REWARDS[: policy.arms])
    arms = released_arms(play(policy, table, Seeded(2, trials), trials))[:, policy.arms :]
    cells = arms @ policy.arms ** np.arange(arms.shape[1])[::-1]
    expected = law(policy, table.rewards, 16, 8)
    expected[expected < QUADRATURE] = 0
    assert chi_square(np.bincount(cells, minlength=len(expected)), trials * expected) > LEVEL


@pytest.mark.parametrize("arms", [2, 3])
def test_without_a_second_phase_rounds_are_independent_given_the_past(arms):
    """A budget beyond the horizon: the probability is the product of the rounds' argmax laws."""
    policy, table = DPTSUCB(arms, 5, 0.5), Table(REWARDS[:arms])
    assert policy.phi > 5
    found = law(policy, table.rewards)
    for transcript, probability_ in zip(transcripts(policy), found, strict=True):
        state, noise, product = policy.init(1), Seeded(0, 1), 1.0
        made = np.zeros((1, arms), dtype=np.int64)
        for t, arm in enumerate((*range(arms), *transcript), start=1):
            if t > arms:
                product *= argmax_law(*policy.posterior(t, state))[0, arm]
            pulls = Pulls.one(np.array([arm]), arms)
            state = policy.learn(t, state, pulls, table.draw(t, made, pulls.counts, None, noise), noise)
            made = made + pulls.counts
        assert probability_ == pytest.approx(product, abs=QUADRATURE)


def test_a_second_phase_of_one_sample_by_hand():
    """Budget 1, T = 5: arm 0 loses round 3 and both rounds after only repeat what round 3 drew, arm 1's first mean
    living for two pulls: so a win of arm 1 in round 3 is a win in round 4, unless both samples are negative and both
    maxima are the constant 0, where arm 0 is the lower index."""
    policy = DPTSUCB(2, 4, 0.0, budget=Draws(1.0))
    rewards = np.array([[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    negative = 0.25 / 2  # both samples negative, and arm 1's the larger
    assert probability(policy, rewards, (1, 0)) == pytest.approx(negative, abs=QUADRATURE)
    assert probability(policy, rewards, (1, 1)) == pytest.approx(0.5 - negative, abs=QUADRATURE)
    assert probability(policy, rewards, (0, 0)) == pytest.approx(0.5, abs=QUADRATURE)


# -- the law given the past ----------------------------------------------------------------------------------------


@pytest.mark.planted
@every
def test_the_laws_of_the_steps_multiply_to_the_law_of_the_transcript(policy):
    table, known, noise = Table(REWARDS[: policy.arms]), ByTranscript(policy), Seeded(0, 1)
    for transcript, expected in zip(transcripts(policy), law(policy, table.rewards, 12, 8), strict=True):
        state, made, found = known.init(1), np.zeros((1, policy.arms), dtype=np.int64), 1.0
        for t, arm in enumerate((*range(policy.arms), *transcript), start=1):
            found *= known.law(t, state).chance[0, arm]
            pulls = Pulls.one(np.array([arm]), policy.arms)
            state = known.learn(t, state, pulls, table.draw(t, made, pulls.counts, None, noise), noise)
            made = made + pulls.counts
        assert found == pytest.approx(expected, abs=QUADRATURE)


@pytest.mark.parametrize("policy", [TINY[1], TINY[3], DPTSUCB(2, 20, 0.0)], ids=["budget", "three-arms", "printed"])
@pytest.mark.thorough
def test_dp_ts_ucb_follows_its_law(policy):
    """With budgets that end, and with a printed one that never does."""
    assert follows_law(policy, policy, trials=1_000).verdict == Verdict.CONSISTENT
    if policy.horizon < 10:
        generous = replace(policy, budget=Draws(policy.phi + 1))
        assert follows_law(generous, policy, trials=1_000).verdict == Verdict.REFUTED


@pytest.mark.thorough
def test_who_plays_by_the_law_of_the_transcript_follows_it():
    policy = DPTSUCB(2, 4, 1.0, budget=Draws(1.0))
    assert follows_law(ByTranscript(policy), policy, trials=500).verdict == Verdict.CONSISTENT


@pytest.mark.thorough
def test_where_too_many_samples_hang_together_there_is_no_law():
    finding = follows_law(DPTSUCB(2, 20, 1.0), DPTSUCB(2, 20, 1.0), trials=2_000)
    assert finding.verdict == Verdict.NOT_APPLICABLE
    assert "hidden samples are compatible with the transcript, too" in finding.summary


def test_what_no_arm_will_repeat_is_forgotten():
    """So that a budget beyond the horizon leaves a state as small as Thompson sampling's."""
    known, noise = ByTranscript(DPTSUCB(2, 30, 0.0)), Seeded(0, 1)
    state = known.init(1)
    for t, arm in enumerate((0, 1, 0, 1, 1), start=1):
        pulls = Pulls.one(np.array([arm]), 2)
        state = known.learn(t, state, pulls, 0.5 * pulls.counts, noise)
    assert (state.winners == -1).all()
    tight = ByTranscript(TINY[0])
    state = tight.learn(2, tight.learn(1, tight.init(1), Pulls.one(np.array([0]), 2), np.zeros((1, 2)), noise),
                        Pulls.one(np.array([1]), 2), np.zeros((1, 2)), noise)  # fmt: skip
    state = tight.learn(3, state, Pulls.one(np.array([1]), 2), np.zeros((1, 2)), noise)
    assert state.winners[0].tolist() == [-1, -1, 1, -1, -1, -1]


# -- parameters ----------------------------------------------------------------------------------------------------


def test_the_parameter_of_a_finely_cut_gaussian_pair_is_its_distance():
    """Finitely many cells of N(0, 1) against N(mu, 1): every threshold between cells gives exactly mu."""
    edges = np.linspace(-6, 7, 60)
    left, right = (np.diff(np.concatenate([[0], ndtr(edges - mu), [1]])) for mu in (0.0, 0.8))
    assert gdp(left, right) == pytest.approx(0.8, abs=1e-6)
    assert delta(left, right, 0.5) <= float(gaussian_delta(doubles, 0.5, 0.8)) + 1e-12
    assert delta(left, right, 0.0) == pytest.approx(float(gaussian_delta(doubles, 0.0, 0.8)), rel=0.05)
    assert gdp(left, left) == 0


def test_quantiles_of_partial_sums_come_from_the_smaller_side():
    """Of sums near 1 the rest counts, digit by digit; where one side is an error of quadrature, nothing is said."""
    masses = np.array([1e-13, 1e-9, 0.25, 0.25, 0.5 - 2e-10, 1.7e-10, 3e-11])
    with mpmath.workdps(40):
        below = [mpmath.fsum(map(mpmath.mpf, masses[:k].tolist())) for k in range(1, 7)]
        rest = [mpmath.fsum(map(mpmath.mpf, masses[k:].tolist())) for k in range(1, 7)]
        wanted = [
            float(-mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * a) if a < b else mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * b))
            for a, b in zip(below, rest, strict=True)
        ]
    found = quantiles(masses)
    assert np.isnan(found[0])
    assert found[1:] == pytest.approx(wanted[1:], rel=1e-11, abs=1e-9)
    assert np.isnan(quantiles(masses[::-1])[-1])


def test_the_parameter_of_a_finite_law_is_that_of_its_best_likelihood_test():
    """Against all events, in both directions; masses that one law does not have are rejected first."""
    left, right = np.array([0.1, 0.05, 0.45, 0.4]), np.array([0.02, 0.3, 0.28, 0.4])
    tests = [np.array(chosen, dtype=bool) for chosen in product((0, 1), repeat=4) if 0 < sum(chosen) < 4]
    best = max(abs(ndtri(left[event].sum()) - ndtri(right[event].sum())) for event in tests)
    for one, other in ((left, right), (right, left), (left[::-1], right[::-1])):
        assert gdp(one, other) == pytest.approx(best, rel=1e-12, abs=0)
    some, others = np.array([0.0, 0.25, 0.75]), np.array([0.125, 0.25, 0.625])
    assert gdp(some, others) == pytest.approx(ndtri(0.75) - ndtri(0.625), rel=1e-12, abs=0)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_event_behind_the_attained_parameter_has_its_exact_probability(alpha):
    policy, rounds = DPTSUCB(2, 7, alpha), 5
    for first, logarithm in zip((0.0, 1.0), unpulled(policy, rounds), strict=True):
        table = np.zeros((2, 7))
        table[0, 0] = first
        assert np.log(probability(policy, table, (1,) * rounds)) == pytest.approx(logarithm, abs=1e-9)
    assert means_of(8).tolist() == [1, 1, 2, 2, 2, 2, 4, 4]


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_attained_lies_below_sharp_below_printed(alpha):
    for T in (50, 500, 5000):
        policy = DPTSUCB(2, T, alpha)
        assert sharp(policy) == pytest.approx(sharp_eta(policy))
        assert 0 < attained(policy) < sharp(policy) <= float(f.theorem_4_4_eta(doubles, float(T), alpha)) / np.sqrt(2)


def test_intervals_certify_what_is_attained_and_no_more():
    policy = DPTSUCB(2, 300, 0.0)
    rounds = budgeted(policy)
    value = attained(policy)
    assert certain(policy, rounds, value)
    assert not certain(policy, rounds, value * 1.001)


@pytest.mark.thorough
def test_ground_truth_is_about_all_pairs_of_01_tables():
    """Of either arm, for arm 1 is the more exposed one; only rewards that no sample hangs on are left alone."""
    policy = DPTSUCB(2, 6, 0.0, budget=Draws(1.0))
    pairs = list(tables(policy))
    changed = Counter(tuple(map(tuple, np.argwhere(left != right).tolist())) for left, right in pairs)
    assert changed == {((arm, pull),): 32 for arm in range(2) for pull in range(3)}
    assert len({(left.tobytes(), right.tobytes()) for left, right in pairs}) == len(pairs)
    others = REWARDS[:2].copy()
    others[:, 3:] = 1 - others[:, 3:]
    for transcript in transcripts(policy):
        assert rounds(policy, others, transcript) == rounds(policy, REWARDS[:2], transcript)
    left, right = np.zeros((2, 6)), np.zeros((2, 6))
    left[1, 1:3] = right[1, :3] = 1
    assert any((left.tolist(), right.tolist()) == (one.tolist(), other.tolist()) for one, other in pairs)
    assert gdp(*(law(policy, table, 12, 8) for table in (left, right))) == pytest.approx(0.9732, abs=1e-4)
    released = laws(policy, 12, 8)
    found = [
        [gdp(released(one), released(other)) for one, other in pairs if (one != other)[arm].any()] for arm in (0, 1)
    ]
    (claim,) = (each for each in CLAIMS if each.id == "hu25/theorem-4.4/tiny")
    assert max(found[0]) < max(found[1]) <= claim.says.curve(policy).mu
    assert max(found[1]) == gdp(*(law(policy, table, 12, 8) for table in (left, right)))  # with nothing shared


@pytest.mark.thorough
def test_a_claim_below_the_exact_parameter_is_refuted():
    claim = next(claim for claim in CLAIMS if claim.id == "hu25/theorem-4.4/tiny")
    lemma = LEMMAS[claim.id]
    claim = replace(claim, params=claim.params[:1])
    assert lemma(claim, Effort(), 0).verdict == Verdict.CONSISTENT
    lower = replace(claim, says=Private("pull", "arms", lambda p: Gaussian(0.7)))
    assert lemma(lower, Effort(), 0).verdict == Verdict.REFUTED


# -- algebra and the page ------------------------------------------------------------------------------------------

RUN = run_over(CLAIMS, QUICK, seed=0)
OVER = {"T": Real(3, np.inf, True), "a": Real(0, 1, True)}


def test_the_algebra_of_powers_knows_equals_from_unequals():
    def left(m, T, a):
        return f.power(m, T, (1 - a) / 2) * f.power(m, m.log(T), a)

    assert equal_powers(left, lambda m, T, a: m.sqrt(T) / m.exp(a * m.log(T) / 2) * m.exp(a * m.log(m.log(T))), OVER)
    for wrong in (
        lambda m, T, a: left(m, T, a) * 2,
        lambda m, T, a: f.power(m, T, (1 - a) / 2) * f.power(m, m.log(T), 1 - a),
        lambda m, T, a: f.power(m, T, (1 + a) / 2),
        lambda m, T, a: left(m, T, a) + 1,
    ):
        assert not equal_powers(left, wrong, OVER)


def test_logarithms_of_what_may_be_negative_are_not_split():
    """ln(x^2) is not 2 ln x for negative x, and ln ln T needs T >= 1."""
    square = lambda m, x: m.log(x * x)  # noqa: E731
    assert equal_powers(square, lambda m, x: 2 * m.log(x), {"x": Real(0, 1)})
    assert not equal_powers(square, lambda m, x: 2 * m.log(x), {"x": Real(-1, 1)})
    twice = lambda m, x: m.log(m.log(x) * m.log(x))  # noqa: E731
    assert equal_powers(twice, lambda m, x: 2 * m.log(m.log(x)), {"x": Real(1, 5)})
    assert not equal_powers(twice, lambda m, x: 2 * m.log(m.log(x)), {"x": OneOf((0.5,))})


@pytest.mark.parametrize(
    "claim", [c for c in CLAIMS if isinstance(c.says, Identity) and c.id in LEMMAS], ids=lambda claim: claim.id
)
def test_identities_are_proved_and_broken_ones_are_not(claim):
    lemma = LEMMAS[claim.id]
    assert lemma(claim, Effort(), 0).verdict in ESTABLISHED_VERDICTS
    says = claim.says
    broken = replace(says, right=lambda m, **v: says.right(m, **v) * m.number("1.001"))
    assert lemma(replace(claim, says=broken), Effort(), 0).verdict == Verdict.REFUTED


def test_every_id_with_a_proof_is_a_claim():
    assert set(LEMMAS) <= {claim.id for claim in CLAIMS}
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)


@pytest.mark.thorough
def test_broken_inequalities_lose_their_proof():
    for claim in CLAIMS:
        says = claim.says
        if claim.id not in LEMMAS or not isinstance(says, Inequality):
            continue
        wrong = replace(says, left=says.right, right=says.left)
        assert LEMMAS[claim.id](replace(claim, says=wrong), Effort(), 0).verdict not in ESTABLISHED_VERDICTS, claim.id


# Dear ones to decide; make audit decides them as well.
DEAR = ("hu25/section-3/m-ts-gaussian", "hu25/section-3/ts-gaussian")


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(each, id=each.id, marks=[pytest.mark.thorough] if each.id in DEAR else [])
        for each in CLAIMS
        if isinstance(each.says, Identity | Inequality)
    ],
)
@pytest.mark.first(4)
def test_every_formula_is_decided(claim):
    """No formula claim is left at "not refuted": what is not expected to be refuted is proved."""
    assert judge(claim, RUN).verdict is claim.expect


# -- experiments ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", sorted(BEST))
def test_opponents_have_the_parameters_of_the_paper(alpha):
    for b in PREPULLS:
        policy = equal_privacy(alpha, MILLION, b)
        assert policy.variance == pytest.approx(float(f.matching_c(doubles, 1e6, alpha, b)), rel=1e-12, abs=0)
    assert equal_regret(alpha, MILLION).variance == pytest.approx(5 * np.log(1e6) ** alpha)


def test_the_printed_values_of_c():
    """Appendix E.1: b = 1, c = 1.18 and b = 2000, c = 60.46."""
    assert round(equal_privacy(0.0, MILLION, 1).variance, 2) == 1.18
    assert round(equal_privacy(1.0, MILLION, 2000).variance, 2) == 60.46


@pytest.mark.thorough
def test_a_horizon_beyond_the_profile_is_not_played():
    claims = {claim.id: claim for claim in CLAIMS}
    finding = judge(claims["hu25/figure-5b"], RUN)
    assert finding.verdict == Verdict.NOT_EXERCISED
    assert "1000000" in finding.summary
    trend = judge(claims["hu25/figure-3a/trend/T=1000"], RUN)
    assert trend.verdict == Verdict.CONSISTENT
    assert "Certified as reversed: 0; undecided: 0." in trend.summary


def test_eta_falls_with_alpha_on_the_grid():
    etas = [float(f.theorem_4_4_eta(doubles, 1e6, alpha)) for alpha in ALPHAS]
    assert all(later < earlier for earlier, later in pairwise(etas))
