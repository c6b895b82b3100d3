"""Audits that stop by themselves: what a bet pays, false alarms at every look, and when they stop."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from leaks import DoublingUCB
from own_policies import Own, algorithm_1
from sampled_audits import audit_by_samples
from scipy.special import expit, ndtr
from scipy.stats import binom

from dpbandits import (
    Finding,
    Noise,
    Seeded,
    Step,
    Table,
    audit_counter,
    audit_mechanism,
    audit_policy,
    fits_law,
    follows_law,
    log_of,
    play,
)
from dpbandits.audit.judges.effort import QUICK, Run
from dpbandits.audit.privacy.black_box import without_law
from dpbandits.audit.privacy.mechanism import mechanism_audit
from dpbandits.audit.privacy.output_batches import OutputBatches
from dpbandits.audit.privacy.sequential import why_not_sequential
from dpbandits.audit.statistics import betting
from dpbandits.audit.statistics.betting import (
    BET_SHARES,
    BetBatch,
    NamingTests,
    bet_batch,
    certified_number,
    log_betting_evidence,
    log_capital,
    plan_naming_tests,
)
from dpbandits.audit.statistics.e_values import doubling_looks
from dpbandits.extensions.conformance import law
from dpbandits.extensions.conformance.battery_checks import guarantees_about, judge_guarantee
from dpbandits.papers.ou24 import ThompsonSampling
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.play import released_arms
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Verdict
from dpbandits.reference.curves import Approximate, Concentrated, Curve, Gaussian

LEVEL = 0.2


def laplace(value: float, trials: int, seed: int) -> Any:
    return np.random.default_rng(seed).laplace(size=trials) + value


def geometric(value: int, trials: int, seed: int) -> Any:
    random, ends = np.random.default_rng(seed), 1 - np.exp(-1)
    return value + random.geometric(ends, trials) - random.geometric(ends, trials)


def payoff(curve: Curve, tests: NamingTests, left: Array, right: Array) -> Array:
    """What one pair of trials is expected to multiply each player's stake by, where these are the chances of a score
    below, between and above the cuts."""
    paid, one = np.zeros(len(BET_SHARES)), np.eye(3, dtype=np.int64)
    for i, p in enumerate(left):
        for j, q in enumerate(right):
            paid += p * q * np.exp(log_capital(curve, BetBatch(tests, one[i], one[j])))
    return paid


@pytest.mark.parametrize("curve", [Approximate(0.7), Approximate(1.0, 0.05), Gaussian(0.8), Concentrated(0.3)])
def test_a_bet_is_worth_no_more_than_its_stake_where_the_claim_holds(curve: Curve) -> None:
    """Whatever was expected of the tests, and however they lie; and more where the claim is broken as expected."""
    random, number = np.random.default_rng(5), float(curve.claimed_parameters()[0][0])
    for _ in range(15):
        called = np.sort(random.uniform(0.01, 0.99, (2, 2)))[:, ::-1]
        tests = NamingTests(*random.permutation([0.0, 1.0]).tolist(), called)
        cuts, delta = np.sort(random.normal(0.5, 1.0, 2)), float(curve.claimed_parameters()[1][0])
        shift = np.sqrt(2 * number) if isinstance(curve, Concentrated) else number
        cdf = expit if isinstance(curve, Approximate) else ndtr  # a logistic law that moves by eps is (eps, 0)-DP
        left, right = (np.diff(cdf(cuts - by), prepend=0, append=1) for by in (0.0, shift))
        if delta > 0:  # and in a share delta, each side says who it is
            left, right = (1 - delta) * left + [delta, 0, 0], (1 - delta) * right + [0, 0, delta]
        for one, other in ((left, right), (right, left)):
            assert payoff(curve, tests, one, other).max() <= 1 + 1e-12
    broken = NamingTests(1.0, 0.0, np.array([[0.9, 0.05], [0.9, 0.05]]))
    assert payoff(curve, broken, np.array([0.9, 0.05, 0.05]), np.array([0.05, 0.05, 0.9])).min() > 1.1


def ever(seed: int, peeks: bool) -> bool:
    """Whether some look alarms, on Laplace noise that attains the claim. peeks: whether the tests are chosen by the
    batch that they are then asked of."""
    curve, random = Approximate(1.0), np.random.default_rng(seed)
    left, right = random.laplace(size=480), random.laplace(size=480) + 1.0
    won, start = np.zeros(len(BET_SHARES)), 60
    while start < len(left):
        end = 2 * start
        taught = slice(start, end) if peeks else slice(0, start)
        tests, _ = plan_naming_tests(left[taught], right[taught], curve)
        won += log_capital(curve, bet_batch(tests, left[start:end], right[start:end]))
        if np.logaddexp.reduce(won) - np.log(len(won)) >= -np.log(LEVEL):
            return True
        start = end
    return False


def test_false_alarms_hold_at_every_look() -> None:
    """40 times three looks each; 17 alarms and more would come once in a thousand, were the level spent."""
    alarms, planted = (sum(ever(seed, peeks) for seed in range(40)) for peeks in (False, True))
    assert alarms < 17
    assert planted >= 17  # a bet that knows its batch is no bet, and this test sees it


def test_a_number_is_certified_from_below() -> None:
    curve, random = Approximate(1.0), np.random.default_rng(1)
    left, right = random.laplace(size=4_000), random.laplace(size=4_000) + 2.0
    tests, growth = plan_naming_tests(left[:500], right[:500], curve)
    assert growth > 0
    batches = [bet_batch(tests, left[500:], right[500:])]
    found = certified_number(curve, batches, 1e-3)
    assert 1.3 < found < 2.0
    assert (
        log_betting_evidence(Approximate(found), batches)
        >= -np.log(1e-3)
        > log_betting_evidence(Approximate(2.0), batches)
    )


@pytest.mark.parametrize(("claimed", "share"), [(1.0, 0.9), (3.0, 0.1)])
def test_the_claim_and_the_numbers_below_it_have_their_shares_of_the_risk(claimed: float, share: float) -> None:
    """A number is certified from the risk on at which it and all before it are refuted, and not before: 0.9 of the risk
    is for the claim and all above it, 0.1 for what lies below."""
    random, curve = np.random.default_rng(2), Approximate(claimed)
    left, right = random.laplace(size=3_000), random.laplace(size=3_000) + 1.5
    tests, _ = plan_naming_tests(left[:500], right[:500], curve)
    batches = [bet_batch(tests, left[500:], right[500:])]
    every = [(n, log_betting_evidence(each, batches)) for n, each in betting.claims_by_number(curve)]
    asked = [(n, log) for n, log in every if n >= claimed or share < 0.5]
    together = np.minimum.accumulate([log for _, log in asked])  # of a number and all before it
    tried = np.flatnonzero(together[:-1] > together[1:] + 1e-3)
    tried = tried[together[tried] > 3].tolist()
    assert len(tried) >= 4
    for place in tried:
        number, enough = asked[place][0], np.exp(-together[place]) / share
        assert certified_number(curve, batches, enough * (1 + 1e-6)) == pytest.approx(number, abs=1e-12)
        less = certified_number(curve, batches, enough * (1 - 1e-6))
        assert less < number - 1e-3
    if share > 0.5:  # the claim alone is refuted: the truth is larger
        assert certified_number(curve, batches, np.exp(-asked[0][1]) / share * (1 + 1e-6)) > claimed


@pytest.mark.first(1)
@pytest.mark.parametrize("truth", [0.5, 1.0, 2.0])
def test_a_certified_number_is_missed_with_the_risk_and_no_more(truth: float) -> None:
    """Whatever evidence one has, if only each true claim is refuted at a level no more often than it says: here what
    tells against one has nothing to do with what tells against another, and false claims are always refuted."""
    random, chances = np.random.default_rng(1), dict[float, float]()

    def evidence(claim: Any, batches: Any) -> float:
        return -np.log(chances[claim.eps]) if claim.eps >= truth else np.inf

    every = [number for number, _ in betting.claims_by_number(Approximate(1.0))]
    truth = min(every, key=lambda number: abs(number - truth))
    runs, missed = 400, 0
    for _ in range(runs):
        chances.update((number, random.random()) for number in every)
        shown = certified_number(Approximate(1.0), [], LEVEL, evidence)
        missed += shown >= truth
        assert shown >= max(number for number in every if number < truth)
    assert missed <= binom.ppf(1 - 1e-6, runs, LEVEL)


def test_a_claim_of_nothing_is_refuted_or_not() -> None:
    """eps = 0 has no number below it, and none that it could be told from."""
    random, claim = np.random.default_rng(1), Approximate(0.0)
    left, right = random.laplace(size=2_000), random.laplace(size=2_000)
    tests, _ = plan_naming_tests(left[:500], right[:500], claim)
    assert certified_number(claim, [bet_batch(tests, left[500:], right[500:])], 1e-3) == 0
    tests, _ = plan_naming_tests(left[:500], right[:500] + 2, claim)
    assert certified_number(claim, [bet_batch(tests, left[500:], right[500:] + 2)], 1e-3) > 0.5


def test_an_audit_stops_as_soon_as_it_is_certain() -> None:
    few, many = (
        audit_mechanism(laplace, 0.0, 2.0, eps=1.0, sequential=True, floating_point="ignore", trials=budget, seed=3)
        for budget in (900, 9_000)
    )
    assert few.verdict is many.verdict is Verdict.REFUTED
    assert "trials a side, after" in few.summary
    assert few.summary.replace("at most 900", "at most 9000") == many.summary  # a budget changes nothing before its end
    assert trials_of(few) < 900


def trials_of(finding: Finding) -> int:
    return int(finding.summary.split("samples (")[1].split(" trials")[0])


@pytest.mark.thorough
def test_an_audit_spends_its_budget_on_what_is_true() -> None:
    found = audit_mechanism(geometric, 0, 1, eps=1.0, sequential=True, trials=900)
    assert found.verdict is Verdict.CONSISTENT
    assert trials_of(found) == 900
    assert "floating-point implementation: CONSISTENT (samples certify eps" in found.summary
    assert "with probability 0.9" in found.resolution


@pytest.mark.thorough
def test_bits_stop_an_audit_and_say_that_numbers_are_open() -> None:
    found = audit_mechanism(laplace, 0.0, 1.0, eps=1.0, sequential=True, trials=1_500, floating_point="error")
    assert found.verdict is Verdict.REFUTED
    assert trials_of(found) < 500
    assert "laplace, floating-point implementation:" in found.summary
    assert "it may still break the claim" in found.summary
    warned = audit_mechanism(laplace, 0.0, 1.0, eps=1.0, sequential=True, trials=1_500)
    assert warned.verdict is Verdict.CONSISTENT
    assert trials_of(warned) == 1_500  # bits alone end no audit
    assert "floating-point implementation: REFUTED" in warned.summary
    asked = mechanism_audit(laplace, 0.0, 1.0, eps=1.0, trials=1_500, seed=0, risk=LEVEL)
    assert sum(look.share for look in OutputBatches(asked).looks) == 1


def test_bits_that_calls_share_say_nothing() -> None:
    """A mechanism that is right as a number, and whose calls draw their last bits once."""
    found = audit_mechanism(late_calls, 0, 1, eps=1.0, sequential=True, trials=700)
    assert found.verdict is Verdict.CONSISTENT, found.summary
    assert (
        "floating-point implementation: cannot be tested: the trials of one call are not independent" in found.summary
    )


def late_calls(value: int, trials: int, seed: int) -> Any:
    random = np.random.default_rng(seed)
    out = 1e-7 * np.round(1e7 * random.laplace(scale=2.0, size=trials))
    late = value if random.random() < 0.5 else 3
    return ((out.view(np.int64) >> 4 << 4) + late).view(float)


@pytest.mark.planted
def test_bits_and_numbers_together_alarm_no_more_often_than_allowed() -> None:
    """At every look, of a mechanism that attains its claim: 60 audits at a level of 20 %."""
    alarms = sum(
        audit_mechanism(geometric, 0, 1, eps=1.0, sequential=True, trials=300, seed=seed, risk=LEVEL).verdict
        is Verdict.REFUTED
        for seed in range(60)
    )
    assert alarms <= binom.ppf(1 - 1e-6, 60, LEVEL)


def in_the_open(value: float, trials: int, seed: int) -> Any:
    return np.full(trials, value) + np.random.default_rng(seed).integers(0, 2, trials)


def shared(value: float, trials: int, seed: int) -> Any:
    return np.full(trials, np.random.default_rng(seed).laplace() + value)


def twice(value: float, trials: int, seed: int) -> Any:
    return np.random.default_rng(seed % 2).laplace(size=trials) + value


def constant(value: float, trials: int, seed: int) -> Any:
    return np.ones(trials)


@pytest.mark.parametrize(
    ("mechanism", "verdict"),
    [
        (in_the_open, Verdict.REFUTED),
        (shared, Verdict.NOT_APPLICABLE),
        (twice, Verdict.NOT_APPLICABLE),
        (constant, Verdict.NOT_EXERCISED),
    ],
)
def test_what_cannot_be_counted_is_said(mechanism: Any, verdict: Verdict) -> None:
    assert audit_mechanism(mechanism, 0.0, 5.0, eps=1.0, sequential=True, trials=600).verdict is verdict


def test_a_score_of_ones_own_is_asked() -> None:
    found = audit_mechanism(
        laplace, 0.0, 3.0, eps=1.0, sequential=True, trials=900, score=lambda out: -np.minimum(out[:, 0], 1.5)
    )
    assert found.verdict is Verdict.REFUTED


def test_a_policy_without_a_law_stops_by_itself() -> None:
    leaks = audit_policy(DoublingUCB(2, 4, noised_first=False), eps=1.0, sequential=True, trials=500)
    assert leaks.verdict is Verdict.REFUTED
    assert trials_of(leaks) < 400
    assert "Replayed with frozen releases, step 3: a reward is read in the clear" in leaks.summary


@pytest.mark.thorough
def test_a_private_policy_without_a_law_spends_its_budget() -> None:
    """Where no proof by alignment comes first."""
    keeps = audit_by_samples(DoublingUCB(2, 4), eps=1.0, sequential=True, trials=500)
    assert keeps.verdict is Verdict.CONSISTENT
    assert trials_of(keeps) == 500
    assert "Replayed" not in keeps.summary


def halved(seen: Any, noise: Noise) -> Any:
    return 0.5


def test_a_law_is_followed_until_it_is_not() -> None:
    reference, table = ThompsonSampling(2, 4), {"uneven": Table(np.arange(8).reshape(2, 4) / 8)}
    broken, right = (
        follows_law(Own(2, 4, factor=factor), reference, table, trials=1_000, sequential=True, level=1e-3)
        for factor in (halved, algorithm_1)
    )
    assert broken.verdict is Verdict.REFUTED
    assert "stopped after 512 of 1000 runs" in broken.summary
    assert broken.repro.endswith("trials=1000, seed=0, sequential=True)")
    assert right.verdict is Verdict.CONSISTENT
    assert "stopped after 1000 of 1000 runs" in right.summary


def test_a_log_is_read_until_it_does_not_fit() -> None:
    reference, table = ThompsonSampling(2, 4), Table(np.arange(8).reshape(2, 4) / 8)
    wild, right = (
        fits_law(log_of(recorded(policy, table)), reference, level=1e-3, sequential=True)
        for policy in (Own(2, 4, choose=lambda theta, seen, noise: theta.argmin(axis=1)), reference)
    )
    assert wild.verdict is Verdict.REFUTED
    assert "of 400 runs" in wild.summary
    assert "stopped after 400" not in wild.summary
    assert right.verdict is Verdict.CONSISTENT
    assert "stopped after 400 of 400 runs" in right.summary


def recorded(policy: Any, table: Table) -> list[tuple[list[int], list[float]]]:
    """400 runs: the arms of each, and what they paid."""
    found = []
    for arms in released_arms(play(policy, table, Seeded(4, 400), 400)).tolist():
        places = [arms[:k].count(arm) for k, arm in enumerate(arms)]
        found.append((arms, [float(table.rewards[arm, place]) for arm, place in zip(arms, places, strict=True)]))
    return found


def test_every_look_gets_its_share_of_the_level() -> None:
    """Each is a test of its own, so that these shares are all that a false alarm at any look rests on. Whether trials
    depend on each other is asked once, before the first look."""
    played = list[int]()

    class Noting(ThompsonSampling):
        def init(self, trials: int) -> Any:
            played.append(trials)
            return super().init(trials)

    policy, reference, table = Noting(2, 2), ThompsonSampling(2, 2), {"uneven": Table(np.arange(4).reshape(2, 2) / 4)}
    looked = follows_law(policy, reference, table, trials=300, sequential=True, level=0.1)
    looks, first = doubling_looks(300), played.index(64)
    before, at_looks = played[:first], played[first:]
    assert [*dict.fromkeys(at_looks)] == [64, 128, 256, 300] == looks
    played.clear()
    follows_law(policy, reference, table, trials=300, level=0.1)
    assert played[:first] == before
    assert played[first:] == at_looks[-2:]
    game = law.LawGame(policy, reference, reference, table, 0, False)
    last, whole = (law.finding_by_law(game, 300, level) for level in (0.1 / len(looks), 0.1))
    assert (looked.resolution, looked.body) == (last.resolution, last.body)
    assert looked.resolution != whole.resolution


def test_runs_of_ones_own_randomness_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are few, and looked at as few as they are."""
    machine = np.random.default_rng(7)

    def forgetful(theta: Array, seen: Any, noise: Noise) -> Any:
        return (seen.mean + machine.normal(size=theta.shape) / np.sqrt(seen.pulls + 1)).argmax(axis=1)

    monkeypatch.setattr(law, "MAX_SINGLE_STEPS", 400)
    reference, table = ThompsonSampling(2, 4), {"uneven": Table(np.arange(8).reshape(2, 4) / 8)}
    looked = follows_law(Own(2, 4, choose=forgetful), reference, table, trials=20_000, sequential=True)
    assert looked.verdict is Verdict.CONSISTENT
    assert "stopped after 100 of 100 runs in each environment: 100 runs in each of" in looked.summary


@pytest.mark.parametrize(
    ("policy", "given"),
    [
        (ThompsonSampling(2, 3), {}),
        (DoublingUCB(2, 4), {"view": "samples"}),
        (DoublingUCB(2, 6), {"relation": "history"}),
        (Step(lambda *_: None, (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)), {}),
    ],
)
def test_what_is_judged_in_one_go_is_refused(policy: Any, given: Any) -> None:
    with pytest.raises(ValueError, match=r"sequential=True is not possible here: .*omit sequential"):
        audit_policy(policy, eps=1.0, sequential=True, **given)


def noisy_sums(values: Any, trials: int, seed: int) -> Any:
    return np.cumsum(values) + 0.3 * np.random.default_rng(seed).laplace(size=(trials, len(values)))


def test_a_counter_stops_by_itself() -> None:
    """On the streams that a small search finds."""
    leaks = audit_counter(noisy_sums, 2, eps=1.0, sequential=True, trials=900)
    assert leaks.verdict is Verdict.REFUTED
    assert trials_of(leaks) < 300
    assert "floating-point implementation: " in leaks.summary
    assert "The last search for inputs had about 2000 trials on each side." in leaks.resolution


def test_later_searches_keep_inputs_that_they_find_again() -> None:
    """So that what was learnt of them is not thrown away; others are learnt anew."""
    first, other = (
        mechanism_audit(laplace, 0.0, right, eps=1.0, trials=200, seed=0, risk=LEVEL) for right in (1.0, 2.0)
    )
    found = {2_000: first, 16_000: replace(first), 128_000: other}
    batches = OutputBatches(first, found.__getitem__)
    asked = [batches.inputs_after(before) for before in (0, 15_999, 16_000, 128_000)]
    assert [each is first for each in asked] == [True, True, True, False]
    assert asked[-1] is other


def test_the_battery_stops_by_itself() -> None:
    """Where the policy says no law; a check of single rounds is judged in one go as before."""
    run = Run(replace(QUICK, trials=600), 0, 1e-6)
    page = ThompsonSampling(2, 4)
    claims = {claim.id: claim for claim in guarantees_about(ledger(), page)}
    leaks = DoublingUCB(2, 4, noised_first=False)
    whole = judge_guarantee(claims["ou24/lemma-3"], page, leaks, run, sequential=True)
    assert whole.verdict is Verdict.REFUTED
    assert "of at most 600" in whole.summary
    assert not why_not_sequential(claims["ou24/lemma-3"].says, leaks)
    assert "single rounds" in why_not_sequential(claims["ou24/lemma-2"].says, leaks)
    assert "several parameters" in why_not_sequential(claims["ou24/corollary-1"].says, without_law(page))
