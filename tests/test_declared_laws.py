"""The gate for laws: what is no law is told by name, wherever a law is asked for, and never becomes a number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.special import ndtr

from dpbandits import (
    QUICK,
    Approximate,
    Gaussian,
    GaussianNoisyMax,
    Pair,
    Pulls,
    Step,
    Verdict,
    audit_policy,
    flipped,
    follows_law,
)
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.play.transcripts import simulate_transcripts, transcripts_of_arms
from dpbandits.audit.privacy.goodness import misfit
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.privacy.rounds import exact_laws
from dpbandits.audit.privacy.scores.distinguishers import log_likelihood_ratio
from dpbandits.audit.privacy.single_rounds import History, NextArm, round_of
from dpbandits.audit.privacy.steps import unlawful_release
from dpbandits.proofs_checks.exact.engine import LAW_ERROR, exact_profile, step_profile
from dpbandits.proofs_checks.exact.enumeration import enumerated_profile
from dpbandits.proofs_checks.exact.shifted_noise import NormalShift
from dpbandits.reference.bandits.policy import RELATIVE, HasLaw, Law, by_logarithms, one_arm
from dpbandits.reference.bandits.release_laws import argmax_law
from dpbandits.reference.bandits.release_laws.checked import Accuracy, checked_law, checked_release, tolerance
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Claim, Private, Source
from dpbandits.reference.papers.ou24 import ThompsonSampling

PAIR = flipped("pull", np.full((2, 4), 0.5), 0, 0, 1.0)
NAN = float("nan")
EXACT = Accuracy(0.0, 0.0)
PAST = History((0, 1, 1), (1, 1, 1), (0.0, 0.5, 0.0), (1.0, 0.5, 0.0))


@dataclass(frozen=True)
class Declares(ThompsonSampling):
    """Plays as Thompson sampling does, and declares another law from step `since` on."""

    wrong: Any = None
    since: int = 1

    def law(self, t: int, state: Any) -> Any:
        law = super().law(t, state)
        return law if t < self.since else self.wrong(law.chance.copy())


def rare_nan(law: Any) -> Any:
    law[-1, 0] = NAN
    return law


WRONG = {
    "nan": (rare_nan, r"the probability of arm 0 is nan; every probability must be finite"),
    "infinite": (lambda law: law * [[1.0, np.inf]], r"the probability of arm 1 is inf"),
    "negative": (lambda law: law - [[0, 2]] + [[2, 0]], r"the probability of arm 1 is negative; .* at least 0"),
    "a bit too much": (
        lambda law: law * (1 + 1e-9),
        r"the sum of the probabilities is 1\.00000000\d+, which differs from 1 by 1e-09; at most 1e-11",
    ),
    "too little": (lambda law: law * 0.9999, r"differs from 1 by -0\.0001"),
    "percent": (lambda law: 100 * law, "the sum of the probabilities is 100"),
    "one row": (lambda law: law[0], r"shape \(2,\); expected \(\d+, 2\), a row of probabilities for every state"),
    "transposed": (lambda law: np.zeros((2, 5)), r"shape \(2, 5\); expected"),
    "words": (lambda law: "equal", r"returned 'equal'; it must return an array of probabilities"),
    "ragged": (lambda law: [[0.5], [0.5, 0.5]], r"it must return an array of probabilities"),
    "complex": (
        lambda law: law + 0.5j,
        r"returned an array of type complex128; it must return an array of probabilities",
    ),
    "digits": (
        lambda law: law.astype(str),
        r"returned an array of type <U\d+; it must return an array of probabilities",
    ),
    "single": (
        lambda law: np.stack([np.float32(0.7), 1 - np.float32(0.7)]) + 0 * law.astype(np.float32),
        "type float32",
    ),
    "none": (lambda law: None, "shape|array of probabilities"),
}


def after(policy):
    """The round after the past, by the policy's law."""
    mechanism = NextArm(policy, PAST.counts(2), PAST.t, PAST)
    return round_of(mechanism, PAST.totals(2, 0), PAST.totals(2, 1))


ASKS = {
    "exact engine": lambda policy: exact_profile(policy, PAIR),
    "enumeration": lambda policy: enumerated_profile(policy, PAIR),
    "scores": lambda policy: log_likelihood_ratio(policy, PAIR, transcripts_of_arms(np.zeros((3, 4)), 2)),
    "goodness": lambda policy: misfit(policy, PAIR, seen(), 1e-6),
    "rounds": lambda policy: exact_laws([after(policy)], 0, 2),
    "one round": lambda policy: step_profile(after(policy)),
    "conformance": lambda policy: follows_law(ThompsonSampling(2, 4), policy, trials=20),
}


def seen() -> Any:
    return simulate_transcripts(ThompsonSampling(2, 4), PAIR.environments()[0], 20, seed=1)


@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.first(8)
def test_what_is_no_law_is_told_wherever_it_is_asked_for(ask, wrong):
    made, message = WRONG[wrong]
    with pytest.raises(ValueError, match=rf"^Declares\.law, step \d.*({message})"):
        ASKS[ask](Declares(2, 4, wrong=made, since=3))


@pytest.mark.parametrize("ask", ASKS)
def test_a_law_passes_as_it_is(ask):
    ASKS[ask](Declares(2, 4, wrong=lambda law: law.tolist()))


def test_a_law_that_is_none_is_never_a_verdict():
    """The policy behaves exactly as it should; its law is no number in a state of the last step."""
    lemma = ledger().by_id["ou24/lemma-3"]
    run = Run(replace(QUICK, trials=2_000, steps=20_000), seed=0, level=1e-6)
    with pytest.raises(ValueError, match=r"Declares\.law, step 3, state \d+: the probability of arm 0 is nan"):
        judge_private(lemma, run, Declares(2, 3, wrong=rare_nan, since=3))


def test_the_tolerance_is_what_the_exact_engine_takes_for_granted():
    assert (RELATIVE, 1e-13) == (LAW_ERROR, argmax_law.ERROR)
    assert tolerance(RELATIVE, argmax_law.ERROR, 50) == pytest.approx(1e-11 + 50 * 1e-13, rel=1e-2)
    for arms in (2, 3, 50):
        law = np.full((1, arms), 1 / arms)
        within = tolerance(RELATIVE, argmax_law.absolute_error(arms), arms)
        near = law * (1 + 0.9 * within)
        policy = Declares(arms, 4, wrong=lambda _, near=near: near)
        assert isinstance(policy, HasLaw)
        assert checked_law(policy, 1, policy.init(1)).chance.sum() > 1 + RELATIVE / 2
        for factor in (1 + 1.1 * within, 1 - 1.1 * within):
            with pytest.raises(ValueError, match="the sum of the probabilities is"):
                checked_law(replace(policy, wrong=lambda _, law=law * factor: law), 1, policy.init(1))


def test_the_row_that_is_wrong_is_named():
    policy = Declares(2, 4, wrong=lambda law: np.array([[0.5, 0.5], [0.25, 0.75], [0.5, 0.75]]))
    for states in (2, 4):
        with pytest.raises(ValueError, match=rf"step 7: probabilities have shape \(3, 2\); expected \({states}, 2\)"):
            checked_law(policy, 7, policy.init(states))
    with pytest.raises(ValueError, match=r"step 7, state 2: .* probabilities is 1\.25.*the law is \[0\.5, 0\.75\]"):
        checked_law(policy, 7, policy.init(3))


def test_nobody_can_write_to_a_law_and_it_is_nobody_s_buffer():
    buffer = np.full((1, 2), 0.5)
    policy = Declares(2, 4, wrong=lambda law: buffer)
    law = checked_law(policy, 1, policy.init(1)).chance
    buffer[0] = 0
    assert law.tolist() == [[0.5, 0.5]]
    with pytest.raises(ValueError, match="read-only"):
        law[0, 0] = 1


BLOCKS = Law(np.array([[[4, 4], [4, 0], [0, 4]], [[9, 0], [0, 0], [0, 0]]]), [[0.5, 0.25, 0.25], [1, 0, 0]], [[0.5]])


def test_a_law_of_blocks_passes_as_it_is_and_is_nobody_s_buffer():
    given = BLOCKS._replace(counts=BLOCKS.counts.copy(), chance=np.array(BLOCKS.chance))
    policy = Declares(2, 4, wrong=lambda _: given)
    law = checked_law(policy, 1, policy.init(2))
    for kept, buffer in ((law.counts, given.counts), (law.chance, given.chance)):
        assert np.array_equal(kept, buffer)
        assert not kept.flags.writeable
        buffer[:] = 7
        assert not np.array_equal(kept, buffer)
    assert law.bound.tolist() == np.full((2, 3, 2), 0.5).tolist()
    assert (law.error, law.absolute_error) == (RELATIVE, 0.0)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"counts": -BLOCKS.counts}, "a pull count is -9; counts must be at least 0"),
        ({"counts": BLOCKS.counts / 1}, r"type float64; expected integers of shape \(2, outcomes, 2\)"),
        ({"counts": BLOCKS.counts[:1]}, r"counts have shape \(1, 3, 2\)"),
        ({"counts": BLOCKS.counts[0]}, r"counts have shape \(3, 2\)"),
        ({"counts": BLOCKS.counts[:, :2]}, r"shape \(2, 3\); expected \(2, 2\)"),
        ({"chance": [[0.5, 0.25, 0.25], [1, 0, 1e-6]]}, "state 1: .* probabilities is 1.000001.* at most 1e-11"),
        ({"chance": [[0.5, 0.25, 0.25], [1, 0, 1e-12]], "error": 0.0}, "at most 6.7e-16"),
        ({"chance": [[0.5, 0.75, -0.25], [1, 0, 0]]}, "arm 2 is negative"),
        ({"bound": -1}, "the truncation bound is -1.0; it must be at least 0"),
        ({"bound": NAN}, "the truncation bound is nan"),
        ({"bound": np.ones(3)}, r"truncation bound has shape \(3,\); it must be a number, or broadcast to \(2, 3, 2\)"),
        ({"error": NAN}, r"error is nan; it must be a number in \[0, 1\)"),
        ({"absolute_error": -1e-13}, "absolute_error is -1e-13"),
        ({"error": None}, "error is None"),
    ],
)
def test_what_is_no_law_of_blocks_is_told(changed, message):
    policy = Declares(2, 4, wrong=lambda _: BLOCKS._replace(**changed))
    with pytest.raises(ValueError, match=rf"^Declares\.law, step 5.*{message}"):
        checked_law(policy, 5, policy.init(2))


def test_a_law_may_be_as_wrong_as_it_says():
    chance = np.full((1, 3), (1 + 3e-9) / 3)
    law = BLOCKS._replace(counts=BLOCKS.counts[:1], chance=chance)
    for stated in ({"error": 4e-9}, {"absolute_error": 1.1e-9, "error": 0.0}):
        policy = Declares(2, 4, wrong=lambda _, stated=stated: law._replace(**stated))
        assert np.array_equal(checked_law(policy, 1, policy.init(1)).chance, chance)


def test_one_arm_is_the_law_of_a_block_of_one_arm():
    law = one_arm([[0.25, 0.75], [1.0, 0.0]], size=np.array([3, 1]))
    assert law.counts.tolist() == [[[3, 0], [0, 3]], [[1, 0], [0, 1]]]
    assert (law.error, law.absolute_error) == (RELATIVE, 0.0)
    assert one_arm(np.full((1, 3), 1 / 3), 7).counts.tolist() == [(7 * np.eye(3)).tolist()]
    assert one_arm(np.full((1, 3), 1 / 3)).absolute_error == argmax_law.ERROR


def test_a_law_of_less_than_double_precision_states_its_error():
    """[p, 1 - p] adds up to 1 in any precision, and log(p / (1 - p)) is off by as much as the numbers are."""
    for kind, off in ((np.float32, 2.0**-23), (np.float16, 2.0**-10)):
        chance = np.array([[0.7, 0.3], [0.5, 0.5]], dtype=kind)
        with pytest.raises(
            ValueError,
            match=rf"^one_arm: numbers of type {kind.__name__} have a relative error of .*; compute them in double",
        ):
            one_arm(chance)
        with pytest.raises(ValueError, match=r"^by_logarithms: numbers of type float"):
            by_logarithms(np.eye(2, dtype=np.int64)[None], np.log(chance[:1]))
        assert one_arm(chance, error=off).error == one_arm(chance, absolute_error=off).absolute_error == off
        assert one_arm(chance[1:]).chance.tolist() == [[0.5, 0.5]]
        policy = Declares(2, 4, wrong=lambda law, kind=kind: np.eye(2, dtype=kind)[:1])
        assert checked_law(policy, 1, policy.init(1)).chance.tolist() == [[1, 0]]


@pytest.mark.parametrize("size", [0, -1, 1.0, NAN, None, "1", True, [1, 2, 3]])
def test_one_arm_is_pulled_a_whole_number_of_times(size):
    with pytest.raises(ValueError, match="size must be an integer of at least 1"):
        one_arm([[0.5, 0.5], [0.5, 0.5]], size)


@dataclass(frozen=True)
class Mechanism:
    answer: Any

    def law(self, values: Any) -> Any:
        return self.answer


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([0.5, NAN], "arm 1 is nan"),
        ([0.5, 0.25], "the sum of the probabilities is 0.75"),
        ([[0.5, 0.5]], "shape"),
        ([], "shape|probabilities is 0"),
        (None, "array of probabilities|shape"),
        ("no", "array of probabilities"),
    ],
)
def test_the_law_of_a_mechanism_passes_the_same_gate(answer, message):
    step = Step(Mechanism(answer), (0.0, 0.0), (1.0, 0.0), (1.0, 1.0))
    for ask in (lambda: step_profile(step), lambda: checked_release(step.mechanism, np.zeros(2))):
        with pytest.raises(ValueError, match=rf"^Mechanism\.law.*({message})"):
            ask()


def test_the_law_of_a_mechanism_passes_as_it_is():
    mechanism = GaussianNoisyMax((1.0, 2.0))
    assert checked_release(mechanism, [0.0, 1.0]).tolist() == mechanism.law([0.0, 1.0]).tolist()
    assert checked_release(Mechanism([0.25, 0.25, 0.5]), (0.0, 1.0)).tolist() == [0.25, 0.25, 0.5]


def test_counts_contradict_a_law_exactly_where_a_binomial_says_so():
    """Ten of ten, at one half: chance 2^-10, in each of two directions for each of two indices."""
    law, chance = np.array([0.5, 0.5]), 2.0**-10
    for counts in ([10, 0], [0, 10]):
        assert "does not follow its declared law" in unlawful_release(np.array(counts), law, EXACT, 4.01 * chance)
        assert unlawful_release(np.array(counts), law, EXACT, 3.99 * chance) == ""
    nine = 11 * chance  # nine or more of ten
    assert unlawful_release(np.array([9, 1]), law, EXACT, 4.01 * nine) != ""
    assert unlawful_release(np.array([9, 1]), law, EXACT, 3.99 * nine) == ""
    sure = np.array([1.0, 0.0])
    assert unlawful_release(np.array([10, 0]), sure, EXACT, 0.5) == ""
    assert unlawful_release(np.array([9, 1]), sure, EXACT, 1e-9) != ""


@pytest.mark.parametrize(("within", "true"), [(Accuracy(0.2, 0.0), 0.3), (Accuracy(0.1, 0.05), 0.325)])
def test_counts_may_be_off_by_as_much_as_the_law_says_of_itself(within, true):
    """Thirty of thirty, where the law says 1/4."""
    law, counts = np.array([0.25, 0.75]), np.array([30, 0])
    assert unlawful_release(counts, law, within, 4.01 * true**30) != ""
    assert unlawful_release(counts, law, within, 3.99 * true**30) == ""


@pytest.mark.parametrize("distance", [0.3, 1.0, 4.0])
def test_the_noisy_values_have_a_gaussian_profile(distance):
    exact = NormalShift(distance)
    low, high = exact.mu()
    assert low < distance < high < distance * (1 + 1e-9)
    for eps in (0.0, 0.5, 3.0):
        delta = ndtr(distance / 2 - eps / distance) - np.exp(eps) * ndtr(-distance / 2 - eps / distance)
        below, above = exact.delta(eps)
        assert below < delta < above < below + 1e-10
        found = exact.eps(float(delta))
        assert found[0] <= eps + 1e-9
        assert eps - 1e-9 <= found[1]
        assert found[1] - found[0] < 1e-7
    assert exact.eps(1.0) == (0.0, 0.0)


# -- what doubles lose --------------------------------------------------------------------------------------------


class Paid(NamedTuple):
    reward: np.ndarray  # (trials,)


@dataclass(frozen=True)
class Threshold:
    """One pull of arm 0; then arm 1 if Laplace noise exceeds far - 4 r, so that it is 4-DP, far out in a tail. said:
    how the law is written down."""

    said: str
    far: float = 40.0
    arms: int = 2
    horizon: int = 2

    def init(self, trials):
        return Paid(np.zeros(trials))

    def act(self, t, state, noise):
        beyond = noise.laplace("threshold", t) > self.far - 4 * state.reward
        return Pulls.one(beyond if t > 1 else np.zeros(len(state.reward), dtype=int), 2)

    def learn(self, t, state, pulls, sums, noise):
        return Paid(np.where(pulls.counts[:, 0] > 0, sums[:, 0], state.reward))

    def law(self, t, state):
        tail = 0.5 * np.exp(4 * state.reward - self.far) if t > 1 else 0 * state.reward
        if self.said == "sloppy":  # 1 - tail is 1 or the double below it
            return np.stack([1 - tail, 1 - (1 - tail)], axis=1)
        chance = np.stack([1 - tail, tail], axis=1)
        return chance if self.said == "plain" else one_arm(chance, absolute_error=float(self.said))


def of_threshold(said, curve, far=40.0):
    run = Run(replace(QUICK, trials=2_000), 0, 1e-9)
    says = Private("pull", "arms", lambda _: curve)
    return judge_private(
        Claim("toy/x", Source("toy", "X", "x"), says, expect=Verdict.CONSISTENT), run, Threshold(said, far)
    )


@pytest.mark.parametrize("said", ["sloppy", "plain", "1e-15"])
@pytest.mark.parametrize("curve", [Approximate(4.0), Gaussian(4.0)])
@pytest.mark.first(3)
def test_what_rounding_leaves_of_a_chance_is_no_violation(said, curve):
    assert of_threshold(said, curve).verdict == Verdict.NOT_EXERCISED


@pytest.mark.parametrize("curve", [Approximate(4.0), Gaussian(4.0)])
def test_an_exact_law_judges_what_no_run_comes_to(curve):
    finding = of_threshold("0.0", curve)
    assert finding.verdict == Verdict.CONSISTENT
    assert "; every run released the same, on either side" in finding.summary


@pytest.mark.thorough
def test_pure_privacy_is_not_asked_of_a_blurred_law():
    told = "exact computation: eps at delta 0 is 4"
    assert told in of_threshold("0.0", Approximate(4.0)).summary
    assert of_threshold("0.0", Approximate(3.9)).verdict == Verdict.REFUTED
    for said in ("sloppy", "plain", "1e-15"):
        finding = of_threshold(said, Approximate(3.9))
        assert finding.verdict == Verdict.NOT_EXERCISED
        assert "exact computation: " not in finding.summary
        assert "its law has an absolute error and cannot decide delta = 0" in finding.summary


class Never(Threshold):
    """The same law, and always arm 0."""

    def act(self, t, state, noise):
        return Pulls.one(np.zeros(len(state.reward), dtype=int), 2)


@pytest.mark.thorough
def test_runs_that_are_all_the_same_may_still_contradict_a_law():
    finding = audit_policy(Never("0.0", 5.0), eps=4.0, trials=1_000)
    assert finding.verdict == Verdict.REFUTED
    assert "behaviour does not follow its declared law" in finding.summary
    assert "every run released the same" in finding.summary


def test_chances_above_the_blur_refute_pure_privacy():
    """The first step's law, [1, 0], is blurred; what breaks the claim has chances of 0.18 and 0.003."""
    assert of_threshold("plain", Approximate(4.0), far=5.0).verdict == Verdict.CONSISTENT
    finding = of_threshold("plain", Approximate(3.99), far=5.0)
    assert finding.verdict == Verdict.REFUTED
    assert "exact computation: eps at delta 0 is at least 3.99999, above the claimed 3.99" in finding.summary


def test_a_plain_array_is_as_exact_as_a_difference_of_doubles():
    state = Paid(np.array([0.0]))
    for gap, absolute_error in ((0.3, 0.0), (3e-5, 0.0), (2e-5, 2.0**-52), (0.0, 2.0**-52)):
        policy = SimpleNamespace(arms=2, law=lambda t, state, gap=gap: np.array([[1 - gap, gap]]))
        assert checked_law(policy, 1, state).absolute_error == absolute_error


def test_what_a_blurred_law_excludes_happens_seldom():
    """Both trials of the last step release what the law gives a chance of 0, blurred by 1e-15."""
    policy = Threshold("1e-15")
    pair = Pair("pull", np.zeros((2, 2)), np.array([[1.0, 0.0], [0.0, 0.0]]))
    seen = transcripts_of_arms(np.array([[0, 0], [0, 1], [0, 1]]), 2)
    assert misfit(policy, pair, seen, 1e-9) is not None
