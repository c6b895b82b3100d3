"""Replay with frozen releases: what reads a reward in the clear is found and named, what has noise is left alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import mutants
import mutants_forgetting
import numpy as np
import pytest
from late_leaks import BROKEN as LATE
from late_leaks import RIGHT as PRIVATE_LATE
from leaks import DoublingUCB
from own_policies import Own

from dpbandits import Approximate, Gaussian, Noise, Pulls, Seeded, check_policy, flipped, from_object
from dpbandits.audit.privacy.own_claims import own_claim
from dpbandits.audit.privacy.search.pairs import candidates
from dpbandits.extensions.conformance.frozen import (
    ARMS_HIDE,
    REFUTED_MEANS,
    FrozenRun,
    limits_of,
    look_at_own_policy,
    replay,
    replay_frozen,
    replay_text,
)
from dpbandits.extensions.conformance.traced_noise import Trace, TracedNoise
from dpbandits.papers.auer02 import UCB1
from dpbandits.papers.azize22 import AdaPUCB
from dpbandits.papers.hu22 import LazyDPTS
from dpbandits.papers.hu25 import DPTSUCB
from dpbandits.papers.ou24 import ThompsonSampling
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Private, Verdict

PRIVATE = {Verdict.PROVED, Verdict.ARGUED, Verdict.CONSISTENT}


def private_policies() -> Iterator[tuple[Any, str]]:
    """The policies of all claims about privacy that the ledger keeps, one of each kind."""
    seen = set()
    for claim in ledger().claims:
        says = claim.says
        if not isinstance(says, Private) or says.relation not in ("pull", "round") or claim.expect not in PRIVATE:
            continue
        for one in claim.params or ({},):
            assert claim.subject is not None
            policy = claim.subject(**one)
            key = type(policy), says.relation
            if hasattr(policy, "act") and policy.horizon <= 100 and key not in seen:
                seen.add(key)
                yield policy, says.relation


@pytest.mark.first(3)
@pytest.mark.parametrize(
    "policy",
    [ThompsonSampling(3, 3), AdaPUCB(2, 8), LazyDPTS(2, 6), DPTSUCB(2, 4, 0.5), Own(2, 4), DoublingUCB(2, 8)],
    ids=lambda policy: type(policy).__name__,
)
def test_a_private_policy_is_left_alone(policy: Any) -> None:
    finding = replay_frozen(policy, policy)
    assert finding.verdict is Verdict.CONSISTENT
    assert "with the same noisy values" in finding.summary


@pytest.mark.thorough
def test_no_private_policy_of_the_ledger_is_accused() -> None:
    found = [(policy, replay_frozen(policy, policy, relation)) for policy, relation in private_policies()]
    assert len({type(policy) for policy, _ in found}) > 10
    assert {finding.verdict for _, finding in found} == {Verdict.CONSISTENT}, [
        (policy, finding.summary) for policy, finding in found if finding.verdict is not Verdict.CONSISTENT
    ]


STANDS = [each for each in mutants.MUTANTS if each.privacy.startswith("stands")]
LITTLE_NOISE = [
    each
    for each in mutants.MUTANTS
    if each not in STANDS and each.bug in ("wrong scale", "wrong sensitivity") and "uniform" not in each.name
]


def name_of(mutant: Any) -> str:
    return str(mutant.name).replace(" ", "-")


@pytest.mark.first(1)
@pytest.mark.parametrize("mutant", STANDS, ids=name_of)
def test_a_planted_bug_that_is_private_is_not_accused(mutant: Any) -> None:
    assert replay_frozen(mutant.policy, mutant.reference).verdict is Verdict.CONSISTENT


@pytest.mark.first(5)
@pytest.mark.parametrize("mutant", LITTLE_NOISE, ids=name_of)
def test_a_planted_bug_of_too_little_noise_is_accused(mutant: Any) -> None:
    assert replay_frozen(mutant.policy, mutant.reference).verdict is Verdict.REFUTED


@pytest.mark.parametrize("name", ["RawFirstAdaP", "HalfNoiseAdaP"])
def test_what_a_page_protects_is_held_against_the_page(name: str) -> None:
    mutant = getattr(mutants_forgetting, name)
    finding = replay_frozen(mutant(2, 10), AdaPUCB(2, 10))
    assert finding.verdict is Verdict.REFUTED
    assert "in AdaPUCB by at most 1 times" in finding.summary


class Memory(NamedTuple):
    pulls: Ints
    total: Array


@dataclass(frozen=True)
class Plain:
    """Thompson sampling, in which `theta` is made by `how(mean, deviation, noise, t, arms)`."""

    how: Any
    arms: int = 2
    horizon: int = 5

    def init(self, trials: int) -> Memory:
        return Memory(np.zeros((trials, self.arms), dtype=np.int64), np.zeros((trials, self.arms)))

    def act(self, t: int, state: Memory, noise: Noise) -> Pulls:
        mean, deviation = state.total / (state.pulls + 1), 1 / np.sqrt(state.pulls + 1)
        return Pulls.one(np.asarray(self.how(mean, deviation, noise, t, self.arms)).argmax(axis=1), self.arms)

    def learn(self, t: int, state: Memory, pulls: Pulls, sums: Array, noise: Noise) -> Memory:
        return Memory(state.pulls + pulls.counts, state.total + sums)


def exploring(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    anything = np.eye(arms)[np.argmax(noise.uniform("anything", t, (arms,)), 1)]
    explores = noise.uniform("explores", t)[:, None] < 0.3
    return np.where(explores, anything, mean + deviation * noise.normal("theta", t, (arms,)))


def in_other_steps(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    drawn = -noise.normal("theta", t, (arms,))
    drawn *= -1
    drawn = drawn.reshape(-1, arms) / (1 / deviation)
    best = mean.copy()
    best += drawn
    return np.maximum(best, -1e9)


def responses(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    """Randomized response: a coin decides what is told, and freezing the coin is not freezing what is told."""
    coin = noise.uniform("coin", t, (arms,)) < 0.7
    return np.where(coin, mean > 0.3, mean <= 0.3)


def selected(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    weights = np.exp(mean)
    chosen = (
        noise.uniform("choice", t)[:, None] * weights.sum(axis=1, keepdims=True) > np.cumsum(weights, axis=1)[:, :1]
    )
    return np.concatenate([~chosen, chosen], axis=1)


@pytest.mark.first(2)
@pytest.mark.parametrize("how", [exploring, in_other_steps, responses, selected])
def test_noise_is_followed_however_it_is_added(how: Any) -> None:
    finding = replay_frozen(Plain(how))
    assert finding.verdict is Verdict.CONSISTENT, finding.summary


def largest_below(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    return np.max(noise.uniform("coin", t, (arms, 2)), 2) < 0.84


def largest_of_array(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    return noise.uniform("coin", t, (arms, 2)).max(axis=2) < 0.84


def some_below(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    return (noise.uniform("coin", t, (arms, 2)) < 0.45).any(axis=2)


def all_below(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    return np.all(noise.uniform("coin", t, (arms, 2)) < 0.84, axis=2)


def place_of_largest(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    return np.argmax(noise.uniform("coin", t, (arms, 3)), 2) > 0


def place_in_array(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    return noise.uniform("coin", t, (arms, 3)).argmin(axis=2) > 0


def first_in_order(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    return np.argsort(noise.uniform("coin", t, (arms, 3)), axis=2)[:, :, 0] > 0


def larger_below(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    return np.maximum(noise.uniform("one", t, (arms,)), noise.uniform("two", t, (arms,))) < 0.84


def rejected(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    """A uniform number below 1/2, of at most six tries."""
    accepted, open_still = np.zeros(mean.shape), np.ones(mean.shape, dtype=bool)
    for number in range(6):
        drawn = noise.uniform(f"try {number}", t, (arms,))
        accepted = np.where(open_still & (drawn < 0.5), drawn, accepted)
        open_still = open_still & (drawn >= 0.5)
    return accepted < 0.35


def smallest_of_rows(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    return np.array([[min(row) < 0.3 for row in each] for each in noise.uniform("coin", t, (arms, 3))])


def sign_of_shifted(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    return np.sign(noise.uniform("coin", t, (arms,)) - 0.7) < 0


@pytest.mark.parametrize(
    "coin",
    [
        largest_below,
        largest_of_array,
        some_below,
        all_below,
        place_of_largest,
        place_in_array,
        first_in_order,
        larger_below,
        rejected,
        smallest_of_rows,
        sign_of_shifted,
    ],
)
def test_randomised_response_is_not_accused_however_its_coin_is_tossed(coin: Any) -> None:
    def how(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
        return np.where(coin(mean, deviation, noise, t, arms), mean > 0.3, mean <= 0.3)

    finding = replay_frozen(Plain(how, horizon=3))
    assert finding.verdict is not Verdict.REFUTED, finding.summary


@pytest.mark.parametrize("coin", [largest_below, some_below])
def test_a_reward_in_the_clear_is_found_beside_a_coin(coin: Any) -> None:
    def how(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
        told = np.where(coin(mean, deviation, noise, t, arms), mean > 0.3, mean <= 0.3)
        return np.where(np.arange(arms) == 0, told, 2 * mean + 0.5)

    finding = replay_frozen(Plain(how, horizon=3))
    assert finding.verdict is Verdict.REFUTED, finding.summary


def branching(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    if mean.max() > 0.4:
        return mean + deviation * noise.normal("theta", t, (arms,))
    return mean + deviation * noise.normal("other", t, (arms,))


def louder(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    return mean + (deviation + 0.1 * mean) * noise.normal("theta", t, (arms,))


def seldom(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    noisy = noise.uniform("noisy", t) >= 0.01
    return mean + deviation * noise.normal("theta", t, (arms,)) * noisy[:, None]


def bare_sum(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    """Exponential noise, which cannot be followed, is drawn and multiplied by 0."""
    return -mean - 0 * np.log(noise.uniform("theta", t, (arms,)))


def sorted_out(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    theta = np.asarray(mean + deviation * noise.normal("theta", t, (arms,)))
    return np.where((mean > 0.6).any(axis=1)[:, None], mean, theta)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (bare_sum, "the same noisy values lead to the pulls"),
        (sorted_out, "the same noisy values lead to the pulls"),
    ],
)
def test_a_reward_in_the_clear_is_named_with_its_place(how: Any, said: str) -> None:
    finding = replay_frozen(Plain(how))
    assert finding.verdict is Verdict.REFUTED
    assert said in finding.summary
    assert "the state differs in total" in finding.summary


def noise_of_reward(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    one, other = (noise.normal(site, t, (arms,)) for site in ("one", "other"))
    return mean + deviation * np.where(mean > 0.2, one, other)


def coin_of_reward(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    one, other = (noise.uniform(site, t, (arms,)) for site in ("one", "other"))
    coin = np.asarray(np.where(mean > 0.2, one, other) < 0.7)
    return np.where(coin, mean > 0.3, mean <= 0.3)


def coin_of_block(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    place = (3 * mean).astype(int)[:, :, None]
    coin = np.asarray(np.take_along_axis(noise.uniform("block", t, (arms, 4)), place, axis=2)[:, :, 0] < 0.7)
    return np.where(coin, mean > 0.3, mean <= 0.3)


def coin_turned(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    drawn = noise.uniform("coin", t, (arms,))
    coin = np.asarray(np.where(mean > 0.2, drawn, 1 - drawn) < 0.7)
    return np.where(coin, mean > 0.3, mean <= 0.3)


def race(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    """The exponential mechanism: the first of exponential times."""
    return -np.asarray(np.where(mean >= 0, -np.log(noise.uniform("time", t, (arms,))) / np.exp(mean), np.inf))


@pytest.mark.parametrize("how", [noise_of_reward, coin_of_reward, coin_of_block, coin_turned, race, branching, louder])
def test_noise_that_a_reward_chooses_is_not_accused(how: Any) -> None:
    finding = replay_frozen(Plain(how, horizon=2), curves=[Gaussian(1.0)])
    assert finding.verdict is not Verdict.REFUTED, finding.summary


def test_what_a_reward_decides_about_noise_is_said() -> None:
    assert "one side draws normal draws of shape (2,) at 'other'" in replay_frozen(Plain(branching, horizon=2)).summary
    assert "the noise has different scales" in replay_frozen(Plain(louder, horizon=2)).summary


def test_more_than_a_choice_between_draws_is_found() -> None:
    def how(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
        one = noise.normal("one", t, (arms,))
        return mean + deviation * np.where(mean > 0.2, one, one + 10)

    finding = replay_frozen(Plain(how), ThompsonSampling(2, 5), curves=[Gaussian(1.5)])
    assert finding.verdict is Verdict.REFUTED
    assert "times the scale of its noise, in ThompsonSampling by at most" in finding.summary


@dataclass(frozen=True)
class Accumulates:
    """Pulls each arm twice, then the one with the larger sum; noise is added to an arm's first reward only."""

    spread: float = 1.0
    arms: int = 2
    horizon: int = 6

    def init(self, trials: int) -> Array:
        return np.zeros((trials, self.arms))

    def act(self, t: int, state: Array, noise: Noise) -> Pulls:
        return Pulls.one(np.full(len(state), (t - 1) % 2) if t <= 4 else state.argmax(axis=1), self.arms)

    def learn(self, t: int, state: Array, pulls: Pulls, sums: Array, noise: Noise) -> Array:
        state = state.copy()
        if t <= 4:
            state += sums + noise.laplace("first", t, (self.arms,)) * (self.spread * pulls.counts * (t <= 2))
        return state


@pytest.mark.thorough
def test_noise_of_an_earlier_reward_may_protect_a_later_one() -> None:
    """The array of sums turns noise into plain numbers, to which the second rewards are added in the clear."""
    found = replay_frozen(Accumulates(), curves=[Approximate(1.0)])
    assert found.verdict is Verdict.CONSISTENT
    assert "cost at most eps = 1 (claimed: 1)" in found.summary
    assert replay_frozen(Accumulates(0.5), curves=[Approximate(1.0)]).verdict is Verdict.REFUTED


@dataclass(frozen=True)
class InCents(Plain):
    reward_range: Any = (-100.0, 100.0)


def test_rewards_of_any_range_are_replayed() -> None:
    finding = replay_frozen(InCents(sorted_out))
    assert finding.verdict is Verdict.REFUTED, finding.summary


def bare(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    return mean + deviation * np.asarray(noise.normal("theta", t, (arms,)), dtype=np.float64)


def of_its_own(mean: Array, deviation: Array, noise: Noise, t: int, arms: int) -> Any:
    return mean + deviation * np.random.default_rng().normal(size=mean.shape)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (bare, "converts noise to plain numbers before a changed reward is added"),
        (of_its_own, "something else the second time"),
    ],
)
def test_what_cannot_be_followed_is_said(how: Any, said: str) -> None:
    finding = replay_frozen(Plain(how))
    assert finding.verdict is Verdict.NOT_APPLICABLE
    assert said in finding.summary


def test_objects_draw_where_nobody_sees_it() -> None:
    class Greedy:
        def __init__(self, rng: Any) -> None:
            self.rng = rng

        def select(self) -> int:
            return int(self.rng.integers(2))

        def update(self, arm: int, reward: float) -> None: ...

    finding = replay_frozen(from_object(Greedy, arms=2, horizon=3, select=Greedy.select, update=Greedy.update))
    assert finding.verdict is Verdict.NOT_APPLICABLE
    assert "the policy draws from a generator of its own" in finding.summary


def test_neighbours_that_are_the_same_follow() -> None:
    policy = DoublingUCB(2, 8, noised_first=False)
    pairs = [flipped("pull", each.left, 0, 0, float(each.left[0, 0])) for each in candidates(policy, "pull")[:3]]
    run = FrozenRun(policy, pairs, 1)
    while run.left.any():
        assert run.advance() is None
    assert run.largest.size == 0


def test_the_battery_asks_for_it_where_a_page_promises_privacy() -> None:
    def judged(policy: Any, reference: Any) -> dict[str, Any]:
        return {check.name: check for check in check_policy(policy, reference)}

    private = judged(Own(2, 4, factor=lambda seen, noise: 0.5), ThompsonSampling(2, 4))["frozen replay"]
    finding = private.judge()
    assert finding.verdict is Verdict.REFUTED
    assert finding.summary.endswith(f"{REFUTED_MEANS} {ARMS_HIDE}")
    assert "frozen replay" not in judged(UCB1(2, 4), UCB1(2, 4))


# -- an own policy's claim ---------------------------------------------------------------------------------------------


def claim_of(policy: Any, eps: float, **settings: Any) -> Any:
    return own_claim(policy, eps=eps, delta=None, mu=None, **settings)


def test_noise_that_costs_more_than_the_claim_is_a_remark_and_a_pair_for_the_search() -> None:
    policy = LATE["noise / sqrt(n)"](6)
    words, pairs = look_at_own_policy(claim_of(policy, 1.0), policy, 0)
    assert "late_leaks.py:" in words
    assert "by the cheapest shift of the noise (claimed: 1): its step adds a draw of scale" in words
    assert "by itself it refutes no claim" in words
    assert pairs
    assert look_at_own_policy(claim_of(policy, 10.0), policy, 0) == ("", ())


@pytest.mark.thorough
def test_a_right_policy_has_no_remark() -> None:
    policy = PRIVATE_LATE["noise at arrival"](6)
    assert look_at_own_policy(claim_of(policy, 1.0), policy, 0) == ("", ())


def test_nothing_is_said_to_be_certain_where_draws_are_not_followed() -> None:
    found = replay_frozen(Plain(responses))
    why = "a comparison depends on uniform noise, which is not supported"
    assert f"which draws protect which reward was not followed ({why}" in found.summary
    assert "reused or shared is not found" in found.resolution


def test_what_single_runs_show_is_said_of_these_runs() -> None:
    found = replay_frozen(PRIVATE_LATE["noise at arrival"](6), curves=[Approximate(1.0)])
    assert "cost at most eps = 1 (claimed: 1)" in found.summary
    assert "these runs only" in found.resolution


def test_claims_limit_what_noise_may_cost() -> None:
    assert limits_of([Approximate(2.0), Approximate(0.1), Approximate(0.01, 1e-6), Gaussian(3.0), None]) == {
        "laplace": Fraction(1, 10),
        "normal": Fraction(9),
    }


@pytest.mark.thorough
def test_no_reward_of_a_private_policy_of_the_ledger_costs_more_than_its_claim() -> None:
    followed = 0
    for claim in ledger().claims:
        says = claim.says
        if not isinstance(says, Private) or says.relation not in ("pull", "round") or claim.expect not in PRIVATE:
            continue
        assert claim.subject is not None
        policy = claim.subject(**(claim.params or ({},))[0])
        if says.view == "others" or not hasattr(policy, "act") or policy.horizon > 100:
            continue
        found = replay(policy, relation=says.relation, limits=limits_of([says.curve(policy)]))
        assert found.verdict is not Verdict.REFUTED, (claim.id, replay_text(found))
        followed += found.account is not None
    assert followed > 10


def test_a_followed_draw_has_the_attributes_of_an_array() -> None:
    """Code that asks for them goes on as it would with numpy's own numbers."""
    trace = Trace()
    plain = Seeded(0, 3).normal("theta", 1, (2,))
    draw = TracedNoise(Seeded(0, 3), trace).normal("theta", 1, (2,))
    assert np.array_equal(draw.values, plain)
    for name in ("shape", "ndim", "size", "dtype"):
        assert getattr(draw, name) == getattr(plain, name)
    assert (len(draw), draw.T.shape) == (3, (2, 3))
    assert np.array_equal(draw.T.values, plain.T)
    assert [each[1:] for each in trace.draws] == [("theta", 1, (2,))]


def test_only_another_type_hides_the_scale_of_a_noisy_value() -> None:
    trace = Trace()
    noisy = 5 + 2 * TracedNoise(Seeded(0, 3), trace).normal("theta", 1, (2,))
    same, other = noisy.astype(np.float64), noisy.astype(np.float32)
    assert same is noisy
    assert np.array_equal(other.values, noisy.values.astype(np.float32))
    assert other.dtype == np.float32
    assert (same.known, other.known) == (True, False)


@pytest.mark.parametrize(
    "add",
    [
        lambda noisy: noisy.sum(axis=1), lambda noisy: np.sum(noisy, axis=1),
        lambda noisy: noisy.cumsum(axis=1)[:, 1], lambda noisy: np.cumsum(noisy, axis=1)[:, 1],
        lambda noisy: noisy[:, 0] + noisy[:, 1],
    ],
)  # fmt: skip
def test_sums_of_noisy_values_keep_their_centre_and_scale(add: Callable[[Any], Any]) -> None:
    """The sum of 5 + 2 Z and of 5 - 3 Z' has the centre 10 and the standard deviation sqrt(13)."""
    trace, plain = Trace(), Seeded(0, 3).normal("theta", 1, (2,))
    noisy = 5 + np.array([2.0, -3.0]) * TracedNoise(Seeded(0, 3), trace).normal("theta", 1, (2,))
    total = add(noisy)
    assert total.values == pytest.approx(10 + 2 * plain[:, 0] - 3 * plain[:, 1])
    assert total.centre.tolist() == [10.0] * 3
    assert total.scale == pytest.approx([13**0.5] * 3)
    assert trace.looks == []  # nothing was converted to plain numbers


def test_the_second_side_sees_the_numbers_of_the_first_as_long_as_it_looks_at_the_same() -> None:
    def looked(trace: Trace, centre: float, rows: int, looks: int = 1) -> list[np.ndarray]:
        noisy = centre + 2 * TracedNoise(Seeded(0, 3), trace).normal("theta", 1, (2,))[:rows]
        return [np.asarray(noisy) for _ in range(looks)]

    first = Trace()
    (numbers,) = looked(first, 0.0, 3)
    same = Trace(due=first.looks)
    assert np.array_equal(looked(same, 1.0, 3)[0], numbers)
    assert (same.astray, len(same.moved), same.chosen) == ([], 1, [])
    longer = Trace(due=first.looks)
    seen = looked(longer, 1.0, 3, looks=3)
    assert np.array_equal(seen[0], numbers)
    assert np.array_equal(seen[1], numbers + 1)  # the first side has no such look
    assert np.array_equal(seen[2], numbers + 1)
    assert len(longer.astray) == 1
    shorter = Trace(due=first.looks)
    assert np.array_equal(looked(shorter, 1.0, 2)[0], numbers[:2] + 1)
    assert len(shorter.astray) == 1
