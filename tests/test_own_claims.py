"""Claims of one's own: numbers of no paper, asked of policies, steps and counters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from linear_policies import LinearThompson

from dpbandits import QUICK, Contexts, Pair, Pulls, ReportNoisyMax, Step, Verdict, audit_policy, flipped
from dpbandits import audit_counter as audit_counter_with_bits
from dpbandits.audit.privacy.counters import (
    ends_of_blocks,
    glance_distances,
    most_telling_streams,
    neighbouring_streams,
)
from dpbandits.audit.privacy.mechanism import mechanism_audit
from dpbandits.audit.privacy.own_claims import own_claim
from dpbandits.reference.papers.ou24 import ThompsonSampling

audit_counter = partial(audit_counter_with_bits, floating_point="ignore")  # numpy's noise: of the numbers
FEW = replace(QUICK, trials=4_000, pair_tries=2)


@pytest.mark.planted
def test_the_same_policy_keeps_one_number_and_not_another():
    """One round of Thompson sampling after one reward, T = 2, is exactly 0.41-GDP and more; claimed are 1 and 0.1."""
    policy = ThompsonSampling(2, 2)
    assert audit_policy(policy, mu=1.0, profile=FEW).verdict == Verdict.PROVED
    finding = audit_policy(policy, mu=0.1, profile=FEW)
    assert finding.verdict == Verdict.REFUTED
    assert finding.claim == "own/ThompsonSampling"
    assert finding.repro == ""
    assert audit_policy(policy, eps=0.05, profile=FEW).verdict == Verdict.REFUTED
    assert audit_policy(policy, eps=0.05, delta=0.9, profile=FEW).verdict != Verdict.REFUTED
    assert audit_policy(policy, mu=0.1, relation="round", profile=FEW).verdict == Verdict.REFUTED


@pytest.mark.thorough
def test_a_step_is_asked_about_its_queries():
    step = Step(ReportNoisyMax(2.0), (0.0, 0.0), (1.0, 0.0), (1.0, 1.0))
    assert own_claim(step, eps=1.0, delta=None, mu=None).says.relation == "query"
    assert audit_policy(step, eps=1.0, profile=FEW).verdict == Verdict.CONSISTENT
    assert audit_policy(step, eps=0.2, profile=FEW).verdict == Verdict.REFUTED


class Above(NamedTuple):
    """Whether the first value and Laplace noise exceed a threshold: a scale, and no noisy maximum."""

    scale: float

    def release(self, values, noise, index=0):
        return (values[0] + self.scale * noise.laplace("report", index) > 0.5).astype(int)


def test_a_mechanism_with_a_scale_is_not_taken_for_a_noisy_maximum():
    """The other value counts for nothing: changing it tells nothing, and changing the first tells up to 1/scale."""
    for scale, verdict in ((1.0, Verdict.CONSISTENT), (0.25, Verdict.REFUTED)):
        step = Step(Above(scale), (0.0, 0.0), (1.0, 0.0), (1.0, 1.0))
        finding = audit_policy(step, eps=1.0, profile=FEW)
        assert finding.verdict == verdict, finding.summary
        assert "law" not in finding.summary
    still = Step(Above(0.25), (0.0, 0.0), (0.0, 9.0), (1.0, 9.0))
    assert audit_policy(still, eps=1.0, profile=FEW).verdict != Verdict.REFUTED


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"eps": 1.0, "relation": "row"}, "relation is 'row'; choose one of 'pull'"),
        ({"eps": 1.0, "view": "sums"}, "view is 'sums'; choose one of 'arms'"),
        ({}, "give exactly one guarantee: eps= "),
        ({"eps": 1.0, "mu": 1.0}, "give exactly one guarantee: eps= "),
        ({"eps": -1.0}, "eps is -1.0"),
        ({"eps": 1.0, "risk": 2}, "risk is 2; it must lie strictly between 0 and 1"),
        ({"eps": 1.0, "seed": -1}, "seed"),
    ],
)
def test_a_claim_that_is_none_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        audit_policy(ThompsonSampling(2, 2), **settings)


@pytest.mark.parametrize(
    ("policy", "contexts", "kind", "message"),
    [
        (LinearThompson(3), [[1.0]], TypeError, r"contexts is \[\[1.0\]\]; give Contexts\(features\) of dpbandits"),
        (
            LinearThompson(3),
            Contexts(np.zeros((3, 4, 2))),
            ValueError,
            r"shape \(3, 4, 2\).*, but the .* arms = 2",
        ),
        (
            LinearThompson(3),
            Contexts(np.zeros((2, 2, 2))),
            ValueError,
            r"shape \(2, 2, 2\).*, but the .* T = 3",
        ),
        (LinearThompson(3), Contexts(np.zeros((3, 2, 5))), ValueError, r"contexts = 2; give .* of shape \(3, 2, 2\)"),
        (ThompsonSampling(2, 3), Contexts(np.zeros((3, 2, 2))), ValueError, "but ThompsonSampling uses none; set its"),
    ],
)
def test_contexts_that_do_not_fit_the_policy_are_refused(policy, contexts, kind, message):
    with pytest.raises(kind, match=message):
        audit_policy(policy, eps=1.0, contexts=contexts)


@dataclass(frozen=True)
class Remembers:
    """Pulls arms by coins, unless arm 0 has paid 0.3719: then arm 1, for good. No table that is searched pays that."""

    arms: int = 2
    horizon: int = 4

    def init(self, trials):
        return np.zeros(trials, dtype=bool)

    def act(self, t, state, noise):
        coin = noise.uniform("coin", t) < 0.5
        return Pulls.one(np.where(state, 1, coin.astype(int)), self.arms)

    def learn(self, t, state, pulls, sums, noise):
        return state | ((pulls.counts[:, 0] > 0) & (np.abs(sums[:, 0] - 0.3719) < 1e-9))


@pytest.mark.parametrize("relation", ["pull", "round"])
@pytest.mark.first(1)
def test_pairs_of_ones_own_are_looked_at_first(relation):
    """What no search can guess is shown by a pair of tables."""
    policy, pair = Remembers(), flipped(relation, np.full((2, 4), 0.5), 0, 0, 0.3719)
    assert audit_policy(policy, eps=1.0, relation=relation, profile=FEW).verdict != Verdict.REFUTED
    assert own_claim(policy, eps=1.0, delta=None, mu=None, pairs=[pair]).says.relation == relation
    finding = audit_policy(policy, eps=1.0, pairs=[pair], profile=FEW)
    assert finding.verdict == Verdict.REFUTED, finding.summary


@pytest.mark.parametrize(
    ("pairs", "settings", "kind", "message"),
    [
        (["pair"], {}, TypeError, "has type str; give a Pair of dpbandits"),
        (
            [Pair("pull", np.zeros((2, 4)), np.zeros((2, 4)))],
            {},
            ValueError,
            r"pairs\[0\]: both reward tables are equal",
        ),
        (
            [flipped("pull", np.zeros((2, 3)), 0, 0, 1.0)],
            {},
            ValueError,
            "and length 3; the claim needs relation 'pull'",
        ),
        ([flipped("pull", np.zeros((2, 4)), 0, 0, 1.0)], {"relation": "round"}, ValueError, "relation 'pull'"),
    ],
)
def test_pairs_that_do_not_fit_are_refused(pairs, settings, kind, message):
    with pytest.raises(kind, match=message):
        audit_policy(Remembers(), eps=1.0, pairs=pairs, **settings)


@pytest.mark.parametrize("relation", ["", "query"])
def test_a_step_takes_no_pairs(relation: str) -> None:
    step, pairs = (
        Step(ReportNoisyMax(2.0), (0.0, 0.0), (1.0, 0.0), (1.0, 1.0)),
        [flipped("pull", np.zeros((2, 4)), 0, 0, 1.0)],
    )
    with pytest.raises(ValueError, match="a Step already has its two inputs"):
        audit_policy(step, eps=1.0, pairs=pairs, relation=relation)


# -- counters --------------------------------------------------------------------------------------------------------


def with_noise(scale):
    def sums(values, trials, seed):
        return np.cumsum(values) + np.random.default_rng(seed).laplace(scale=scale, size=(trials, len(values)))

    return sums


def last_forgotten(values, trials, seed):
    """Noise enough for all but the last sum, which has a tenth of it."""
    noise = np.random.default_rng(seed).laplace(scale=8.0, size=(trials, len(values)))
    noise[:, -1] /= 10
    return np.cumsum(values) + noise


def tells_the_last(values, trials, seed):
    """Sums with noise enough, and the last value with little."""
    noise = np.random.default_rng(seed).laplace(scale=80.0, size=(trials, len(values)))
    noise[:, 0] /= 100
    return np.append(values[-1], np.cumsum(values[:-1])) + noise


def tells_of_late_ones(values, trials, seed):
    """Nothing but zeros, unless the last value is large."""
    return values[-1:] * np.random.default_rng(seed).laplace(scale=9.0, size=(trials, 1))


def test_a_counters_noisy_sums_are_the_view():
    """A change moves all later sums: with noise of scale L for each of L sums the first one is worth eps = 1."""
    assert audit_counter(with_noise(4.0), 4, eps=1.0, trials=2_000).verdict == Verdict.CONSISTENT
    assert audit_counter(with_noise(1.0), 4, eps=1.0, trials=2_000).verdict == Verdict.REFUTED


@pytest.mark.thorough
def test_a_counters_last_sum_needs_noise_as_well():
    assert audit_counter(last_forgotten, 8, eps=1.0, trials=20_000).verdict == Verdict.REFUTED


def tree(values, trials, seed, raw=10):
    """A binary tree of noisy sums, but that the leaves at places 10 modulo 16 have no noise."""
    random, noisy = np.random.default_rng(seed), dict[tuple[int, int], np.ndarray]()
    sums = np.zeros((trials, len(values)))
    for place in range(len(values)):
        start, left = 0, place + 1
        while left:
            size = 1 << left.bit_length() - 1
            if (start, size) not in noisy:
                noise = 0.0 if size == 1 and start % 16 == raw else random.laplace(scale=7.0, size=trials)
                noisy[start, size] = sum(values[start : start + size]) + noise
            sums[:, place] += noisy[start, size]
            start, left = start + size, left - size
    return sums


@pytest.mark.planted
@pytest.mark.parametrize(("length", "trials"), [(12, 1_000), (16, 20_000), (40, 20_000), (64, 20_000)])
def test_a_raw_leaf_in_the_middle_of_a_tree_is_found(length, trials):
    assert audit_counter(tree, length, eps=1.0, trials=trials).verdict == Verdict.REFUTED
    assert audit_counter(partial(tree, raw=None), length, eps=1.0, trials=trials).verdict == Verdict.CONSISTENT


def test_the_streams_that_tell_most_are_found():
    late = most_telling_streams(tells_the_last, 4, eps=0.5, delta=None, mu=None, trials=4_000, seed=0, risk=1e-6)
    assert np.flatnonzero(late.left != late.right).tolist() == [3]
    silent = most_telling_streams(tells_of_late_ones, 4, eps=0.5, delta=None, mu=None, trials=4_000, seed=0, risk=1e-6)
    assert max(silent.left[-1], silent.right[-1]) == 1  # where it is 0 on both sides, nothing is drawn at all


def tells_the_seventh(values, trials, seed):
    """Noise, and the seventh value with some."""
    outputs = np.random.default_rng(seed).laplace(size=(trials, len(values)))
    outputs[:, 6] += 3 * values[6]
    return outputs


def test_streams_that_differ_inside_of_a_block_get_a_glance():
    """The seventh value is at no block's end of eleven: its pairs are looked at closely because glances tell them."""
    asked = {"eps": 0.5, "delta": None, "mu": None, "trials": 1_000, "seed": 0, "risk": 1e-6}
    pairs = [each for each in neighbouring_streams(11) if each.place in (6, 9)]
    assert not {6, 9} & {*ends_of_blocks(11)}
    apart = glance_distances(
        [mechanism_audit(tells_the_seventh, each.left, each.right, **asked) for each in pairs],
        [each.place for each in pairs],
    )
    by_place = {place: [far for far, each in zip(apart, pairs, strict=True) if each.place == place] for place in (6, 9)}
    assert min(by_place[6]) > 0.5 > 0.25 > max(by_place[9])


@pytest.mark.thorough
def test_an_early_value_of_a_counter_tells_most():
    asked = most_telling_streams(with_noise(2.0), 8, eps=0.5, delta=None, mu=None, trials=20_000, seed=0, risk=1e-6)
    assert np.flatnonzero(asked.left != asked.right)[0] <= 1  # an early value is in all sums, or in all but one


def test_the_neighbours_of_a_counter_differ_in_one_value_each():
    for each in neighbouring_streams(1):
        assert (each.left != each.right).sum() == 1
    for each in neighbouring_streams(9):  # a counter is told of values in [0, 1], and of all of them on the way
        assert {0.0, 1.0} >= {*each.left, *each.right}
    assert {tuple(each.left) for each in neighbouring_streams(9)} == {(0.0,) * 9, (1.0,) * 9}
    for length in (1, 2, 9, 63, 64):  # all places
        assert [each.place for each in neighbouring_streams(length)] == [*range(length)] * 2
        assert all(
            np.flatnonzero(each.left != each.right).tolist() == [each.place] for each in neighbouring_streams(length)
        )
    for length in (65, 100, 1000):  # the first, the ends of a tree's blocks, and others
        tried = [each.place for each in neighbouring_streams(length)][:64]
        assert len(set(tried)) == 64
        assert tried == sorted(tried)
        assert {*range(32), 63, 64, length // 2, length - 1} <= {*tried} <= {*range(length)}
    for length, ends in ((3, [0, 1, 2]), (11, [0, 1, 2, 3, 4, 5, 7, 8, 10]), (17, [0, 1, 2, 3, 4, 7, 8, 15, 16])):
        assert ends_of_blocks(length) == ends
    with pytest.raises(ValueError, match="length = 0; it must be an integer from 1 to"):
        audit_counter(with_noise(1.0), 0, eps=1.0)


# -- in a test -------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_fixture_takes_numbers(pytester):
    pytester.makepyfile(
        """
        import numpy as np
        from dpbandits.reference.bandits.adjacency import flipped
        from dpbandits.reference.papers.ou24 import ThompsonSampling

        def test_broken(audit):
            audit(ThompsonSampling(2, 2), eps=0.05, relation="round", trials=4_000)

        def test_with_pairs(audit):
            audit(ThompsonSampling(2, 2), mu=1.0, trials=4_000, pairs=[flipped("round", np.zeros((2, 2)), 0, 0, 1.0)])

        def test_counter(audit):
            def sums(values, trials, seed):
                return np.cumsum(values) + np.random.default_rng(seed).laplace(size=(trials, len(values)))
            audit.counter(sums, 4, eps=1.0, trials=2_000)

        def test_slip(audit):
            audit("ou24/lemma-3", eps=1.0)

        def test_trials(audit):
            few, more = (
                audit(ThompsonSampling(2, 2), mu=1.0, relation="history", trials=trials) for trials in (4_000, 8_000)
            )
            assert few["statement"].startswith("If one reward of the history changes, the released arms are 1-GDP")
            assert "The test has 4000 fresh runs on each" in few["resolution"]
            assert "The test has 8000 fresh runs on each" in more["resolution"]

        def test_claim_of_the_ledger(audit):
            found = audit("ou24/lemma-3", ThompsonSampling(2, 2), trials=4_000)
            assert found["verdict"] == "PROVED" and "randomness alignment" in found["summary"]

        def test_no_trials(audit):
            audit(ThompsonSampling(2, 2), mu=1.0, trials=0)

        def test_trials_of_the_ledger(audit):
            audit("ou24/lemma-3", trials=1_000)
        """
    )
    result = pytester.runpytest_inprocess("-n0", "--audit-html", "report.html")
    result.assert_outcomes(passed=3, failed=5)
    text = "\n".join(result.outlines)
    assert "own/ThompsonSampling@test_the_fixture_takes_numbers.py::test_broken: REFUTED" in text
    assert "  inputs     round 1, left: arm 0 pays " in text
    assert "counter/sums@test_the_fixture_takes_numbers.py::test_counter: REFUTED" in text
    assert "audit('ou24/lemma-3', policy), or audit(policy, eps=1.0)" in text
    assert "own/ThompsonSampling: trials is 0; it must be an integer of at least 1" in text
    assert "audit('ou24/lemma-3', trials=1000): this option is for a policy of your own; give the policy" in text
    assert (pytester.path / "report.html").exists()
