"""The judge of orderings: exact counts, honest about averages, and undecided where nothing is certain."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy import stats

from dpbandits import CI, DEEP, QUICK, Bernoulli, Verdict
from dpbandits.audit.judges.effort import PROFILES, Plan, Run
from dpbandits.audit.regret.orderings import (
    cached_runs,
    compare,
    critical_count,
    detectable_share,
    finding_of_values,
    judge_ordering,
    longest_horizon,
    longest_run,
    planned_runs,
    quantity_values,
    repetition_means,
    runs_of,
)
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET, REGRET
from dpbandits.reference.claims import text
from dpbandits.reference.claims.findings import Side, rounded
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Claim, Ordering, Source
from dpbandits.reference.papers.ou24 import REPAIRED, ThompsonSampling

LEVEL = 1e-9
EASY = Bernoulli((0.9, 0.1))
RUN = Run(replace(QUICK, experiment_runs=8), seed=0, level=LEVEL)  # 40 runs of a short horizon
GOOD = REPAIRED(arms=2, horizon=200, variance=0.5)
BAD = REPAIRED(arms=2, horizon=200, variance=500.0)
SETTINGS = {"good": (GOOD, EASY), "bad": (BAD, EASY), "same": (BAD, EASY), "bad minus good": ((BAD, GOOD), EASY)}


def ordering(*pairs, quantity=PSEUDO_REGRET, averaged=1, settings=SETTINGS):
    return Claim(
        "test/order",
        Source("test", "here", "text"),
        Ordering(quantity, settings, pairs, averaged),
        expect=Verdict.CONSISTENT,
    )


def judged(pair, level=LEVEL, averaged=1):
    """The finding where the runs of two settings came out at given values."""
    values = dict(zip(("one", "other"), (np.asarray(each, dtype=float) for each in pair), strict=True))
    claim = ordering(("one", "other"), averaged=averaged, settings={"one": (GOOD, EASY), "other": (BAD, EASY)})
    return finding_of_values(claim, replace(RUN, level=level), values)


def played(settings, quantity, runs, seed):
    """The quantity in every run of an experiment."""
    return quantity_values(settings, quantity, cached_runs(settings, runs, seed))


# -- the test ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "level"), [(1, 0.5), (1, 0.4), (29, 1e-9), (30, 1e-9), (40, 1e-9), (320, 2e-9), (9, 0.1)]
)
def test_the_fewest_that_certify_are_those_of_the_binomial(n, level):
    count = critical_count(n, level)
    tails = [Fraction(sum(comb(n, k) for k in range(low, n + 1)), 2**n) for low in (count, count - 1)]
    assert tails[0] <= Fraction(level) < tails[1]
    assert stats.binom.sf(count - 1, n, 0.5) == pytest.approx(float(tails[0]), rel=1e-9, abs=0)


def test_a_unanimous_outcome_decides_from_thirty_on():
    assert critical_count(29, 1e-9) == 30
    assert critical_count(30, 1e-9) == 30
    assert (critical_count(1, 0.5), critical_count(1, 0.49)) == (1, 2)


@pytest.mark.parametrize(("needed", "n"), [(30, 30), (118, 160)])
def test_the_resolution_is_found_with_the_power_it_names(needed, n):
    assert stats.binom.sf(needed - 1, n, detectable_share(needed, n)) == pytest.approx(0.9, rel=1e-9)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_an_order_is_certified_where_counts_and_averages_agree(scale):
    """Nine of ten repetitions one way, and the average of all of them that way, the other way, or nowhere."""
    for average, both in ((scale, True), (0.0, False), (-scale, False)):
        smaller = np.zeros(10)
        larger = np.full(10, scale)
        larger[0] = 10 * average - 9 * scale
        one = compare("a", "b", {"a": smaller, "b": larger}, 0.0)
        other = compare("b", "a", {"a": smaller, "b": larger}, 0.0)
        assert (one.as_claimed, other.reversed) == (9 + (average == scale), 9 + (average == scale))
        one, other = one._replace(difference=average), other._replace(difference=-average)  # up to rounding
        for needed, certified in ((9, both), (10, average == scale), (11, False)):
            assert one.certified(needed) == (text.AS_CLAIMED if certified else text.UNDECIDED)
            assert other.certified(needed) == (text.REVERSED if certified else text.UNDECIDED)


def test_a_comparison_counts_every_repetition_once():
    """One way in four, the other in two, none in three; differences of a tie are none yet."""
    smaller, larger = np.arange(9.0), np.arange(9.0) + np.array([1, 2, 3, 0.75, -1, -0.75, 0.5, -0.5, 0])
    found = compare("a", "b", {"b": larger, "a": smaller}, 0.5)
    assert found[:5] == ("a", "b", 4, 2, 3)
    assert found.difference == pytest.approx(5 / 9, rel=1e-12)
    assert compare("b", "a", {"b": larger, "a": smaller}, 0.5)[2:5] == (2, 4, 3)


def test_the_table_of_settings_says_how_far_repetitions_scatter():
    """The standard deviation of one repetition, from n - 1 degrees of freedom."""
    values = np.where(np.arange(40) % 4 == 0, 5.0, 1.0)
    finding = judged((values, values + 1))
    (_, average, deviation, many), _ = finding.evidence[0]["rows"]
    assert (average, many) == (2.0, 40)
    assert deviation == rounded((40 * 3 / 39) ** 0.5, Side.NEAREST)


def test_the_longest_run_of_all_settings_counts():
    """Algorithm 1 has a step a round; who pre-pulls all has one an arm, however long its horizon is."""
    short, long = REPAIRED(arms=2, horizon=400, prepulls=200), ThompsonSampling(2, 300)
    settings = {"short": (short, EASY), "both": ((long, short), EASY), "good": (GOOD, EASY)}
    says = ordering(("good", "short"), settings=settings).says
    assert longest_run(says, 500) == 400  # what is short enough by its horizon is not played
    assert longest_run(says, 350) == 300
    assert longest_run(says, 299) == 300
    assert longest_run(ordering(("short", "short"), settings={"short": (short, EASY)}).says, 350) == 2


# -- verdicts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pairs", "verdict", "told"),
    [
        ([("good", "bad")], Verdict.CONSISTENT, " 1 of 1 comparison is certified as claimed"),
        (
            [("bad", "good")],
            Verdict.REFUTED,
            "Certified as reversed: 1; undecided: 0. The pseudo-regret of bad was larger than that of good",
        ),
        ([("bad", "same")], Verdict.CONSISTENT, "reversed: 0; undecided: 1."),
        ([("good", "bad minus good")], Verdict.CONSISTENT, " 1 of 1 comparison is certified as claimed"),
        (
            [("good", "bad"), ("bad", "good"), ("bad", "same")],
            Verdict.REFUTED,
            "Certified as reversed: 1; undecided: 1.",
        ),
    ],
)
def test_orderings(pairs, verdict, told):
    finding = judge_ordering(ordering(*pairs), RUN)
    assert finding.verdict == verdict
    assert told in finding.summary


def test_a_false_order_is_certified_from_the_last_count_on():
    """35 of 40 at a level that asks for `least`; one less stays undecided, and so does it for the claimed order."""
    needed = critical_count(40, LEVEL)
    for wrong, found in ((needed, Verdict.REFUTED), (needed - 1, Verdict.CONSISTENT)):
        larger = np.where(np.arange(40) < wrong, -1.0, 1.0)
        assert judged((np.zeros(40), larger)).verdict == found
    for right, told in (
        (needed, " 1 of 1 comparison is certified as claimed"),
        (needed - 1, " 0 of 1 comparison is certified as claimed"),
    ):
        smaller = np.where(np.arange(40) < right, -1.0, 1.0)
        assert told in judged((smaller, np.zeros(40))).summary


def test_thirty_repetitions_of_one_mind_refute():
    """Nothing less than all of them certifies at this level, and that is enough."""
    assert judged((np.ones(30), np.zeros(30))).verdict == Verdict.REFUTED
    settings = {name: (replace(policy, horizon=10_001), EASY) for name, policy in (("one", GOOD), ("other", BAD))}
    claim = ordering(("one", "other"), settings=settings)
    few, enough = (replace(RUN, profile=replace(QUICK, experiment_runs=many)) for many in (29, 30))
    assert planned_runs(claim, enough) == 30
    assert judge_ordering(claim, few).verdict == Verdict.NOT_EXERCISED


def test_the_summary_names_the_clearest_of_the_refuted_pairs():
    values = {"a": np.full(40, 3.0), "b": np.full(40, 2.0), "c": np.full(40, 1.0), "d": np.full(40, 2.9)}
    values["d"][:2] = 3.1
    claim = ordering(("a", "d"), ("a", "b"), ("a", "c"), settings=dict.fromkeys(values, (GOOD, EASY)))
    finding = finding_of_values(claim, RUN, values)
    assert (
        "Certified as reversed: 3; undecided: 0. The pseudo-regret of a was larger than that of c in 40 of 40"
        in finding.summary
    )
    assert [row[-1] for row in finding.evidence[1]["rows"]] == ["other way round"] * 3


def test_ties_count_for_neither_order():
    """Also those that rounding hides: 1e-13 a round is none of the settings' doing."""
    values = np.linspace(100, 200, 40)
    for larger in (values, values - 1e-11, values + 1e-11):
        finding = judged((values, larger))
        assert finding.verdict == Verdict.CONSISTENT
        assert "undecided: 1" in finding.summary
        assert finding.evidence[1]["rows"][0][2:5] == [0, 0, 40]
    assert judged((values, values - 1e-9)).verdict == Verdict.REFUTED


def test_where_most_runs_and_the_average_disagree_nothing_is_certified():
    """Forty runs, one of them very bad: most have less regret in the second setting, the average has more."""
    rare = np.where(np.arange(40) == 7, 1e4, 1.0)
    for pair in ((np.full(40, 2.0), rare), (rare, np.full(40, 2.0))):
        finding = judged(pair)
        assert finding.verdict == Verdict.CONSISTENT
        assert "undecided: 1" in finding.summary


def test_averages_are_compared_where_the_claim_averages():
    """Of every ten runs three are so bad that the average follows them, so the two statements differ."""
    often = np.where(np.arange(400) % 10 < 3, 100.0, 1.0)
    assert judged((np.full(400, 2.0), often), averaged=10).summary.startswith(
        "Sign tests over 40 paired repetitions compare the pseudo-regret. Each repetition averages 10 runs of each "
        "setting. 1 of 1"
    )
    assert judged((often, np.full(400, 2.0)), averaged=10).verdict == Verdict.REFUTED
    assert judged((often, np.full(400, 2.0))).verdict == Verdict.CONSISTENT


def test_averages_are_those_of_consecutive_runs():
    assert repetition_means(np.arange(7.0), 3, "x").tolist() == [1.0, 4.0]
    with pytest.raises(ValueError, match="setting 'x': a run has the result nan; results must be finite"):
        repetition_means(np.array([1.0, np.nan]), 1, "x")
    with pytest.raises(ValueError, match="averaged is 0; a repetition must average"):
        Ordering(REGRET, {}, (), 0)


def test_too_few_repetitions_are_not_played():
    few = replace(RUN, profile=replace(QUICK, experiment_runs=5))  # 25 runs
    for claim, run in ((ordering(("bad", "good")), few), (ordering(("bad", "good"), averaged=2), RUN)):
        before = cached_runs.cache_info()
        finding = judge_ordering(claim, run)
        assert cached_runs.cache_info() == before
        assert finding.verdict == Verdict.NOT_EXERCISED
        assert "So few repetitions cannot certify any comparison" in finding.summary


def test_the_longest_horizon_decides_whether_it_is_played():
    """The longer of a pair of policies, in whichever place it stands."""
    long = replace(BAD, horizon=300)
    for pair in ((GOOD, long), (long, GOOD)):
        settings = {"good": (GOOD, EASY), "both": (pair, EASY)}
        assert longest_horizon(ordering(("good", "both"), settings=settings).says) == 300
        run = replace(RUN, profile=replace(RUN.profile, experiment_horizon=299))
        finding = judge_ordering(ordering(("good", "both"), settings=settings), run)
        assert finding.verdict == Verdict.NOT_EXERCISED
        assert finding.summary == (
            "This experiment was not run. Each run has 300 rounds and takes more than 299 steps, the limit of the "
            "profile 'quick'; use `--profile ci`."
        )
        enough = replace(RUN, profile=replace(RUN.profile, experiment_horizon=300))
        assert judge_ordering(ordering(("good", "both"), settings=settings), enough).verdict != Verdict.NOT_EXERCISED


def test_short_horizons_get_more_runs():
    assert runs_of(QUICK, 10_001) == QUICK.experiment_runs
    assert runs_of(QUICK, 10_000) == 5 * QUICK.experiment_runs


def test_every_profile_can_decide_single_runs_and_the_larger_ones_the_figures():
    for profile in PROFILES.values():
        plan = Plan(ledger(), profile, 0)
        level = min(plan.run(volume.claims[0]).level for volume in ledger().volumes)
        assert critical_count(profile.experiment_runs, level) <= profile.experiment_runs
        if profile in (CI, DEEP):
            assert critical_count(profile.experiment_runs // 10, level) <= profile.experiment_runs // 10
    assert critical_count(DEEP.experiment_runs // 20, level) <= DEEP.experiment_runs // 20


def test_errors_name_what_is_missing():
    with pytest.raises(TypeError, match="the quantity is 'loss'; give a Quantity"):
        ordering(("good", "bad"), quantity="loss")
    with pytest.raises(ValueError, match="pairs contains 'best', but there is no setting with this name"):
        judge_ordering(ordering(("good", "best")), RUN)
    with pytest.raises(TypeError, match="judge_ordering checks only statements of type Ordering"):
        judge_ordering(replace(ledger().claims[0]), RUN)


def test_orderings_do_not_depend_on_what_was_judged_before():
    wanted = ordering(("good", "bad"))
    first = judge_ordering(wanted, RUN)
    judge_ordering(ordering(("bad", "good"), quantity=REGRET), RUN)
    assert judge_ordering(wanted, RUN) == first


# -- the runs ----------------------------------------------------------------------------------------------------


def test_a_pair_of_policies_is_the_first_minus_the_second():
    values = played(tuple(SETTINGS.items()), PSEUDO_REGRET, 20, 0)
    assert (values["bad minus good"] == values["bad"] - values["good"]).all()
    assert (values["bad"] == values["same"]).all()


def test_seeds_environments_and_kinds_of_policy_have_noise_of_their_own():
    """Two environments that are all but equal, and Algorithm 1 in two guises: equal noise would mean equal runs."""
    near = Bernoulli((0.9, 0.1 + 1e-12))
    settings = (("here", (GOOD, EASY)), ("there", (GOOD, near)))
    guises = (("one", (ThompsonSampling(2, 200), EASY)), ("other", (REPAIRED(arms=2, horizon=200), EASY)))
    first, again = (played(settings, REGRET, 20, seed) for seed in (0, 1))
    assert not np.allclose(first["here"], first["there"])
    assert not np.allclose(first["here"], again["here"])
    both = played(guises, REGRET, 20, 0)
    assert not np.allclose(both["one"], both["other"])


# -- the promise -------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_skewed_runs_refute_a_true_order_no_more_often_than_allowed():
    """Two settings whose runs are worse in exactly half of all repetitions, one of them very skewed: Student's limits
    would miss the difference of the means a hundred times as often as they say."""
    generator, audits, level = np.random.default_rng(0), 2_000, 0.02
    skewed, other = generator.lognormal(0, 3, (audits, 40)), generator.lognormal(0, 0.3, (audits, 40))
    found = [judged(pair, level).verdict for pair in zip(skewed, other, strict=True)]
    assert found.count(Verdict.REFUTED) <= stats.binom.ppf(1 - 1e-6, audits, level)
    counts = [compare("a", "b", {"a": a, "b": b}, 0.0) for a, b in zip(skewed, other, strict=True)]
    one_sided = sum(each.reversed >= critical_count(40, level) for each in counts)
    assert stats.binom.ppf(1e-6, audits, 0.01) <= one_sided <= stats.binom.ppf(1 - 1e-6, audits, level)
