"""Policies with contexts: how they are played and followed, what others see of them, and what an audit finds."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from linear_policies import Known, LinearThompson, LinearUCB, OneDraw, WithoutLaw

from dpbandits import (
    QUICK,
    Bernoulli,
    Contexts,
    Pair,
    Pulls,
    Seeded,
    Stream,
    Table,
    Verdict,
    audit_policy,
    check_policy,
    flipped,
    follows_law,
    from_object,
    play,
    replay,
)
from dpbandits.audit.play.many import both_tables
from dpbandits.audit.play.transcripts import transcripts_of_arms
from dpbandits.audit.privacy.scores.distinguishers import log_likelihood_ratio, scores_of_pairs
from dpbandits.audit.privacy.scores.samples import scores_of_many
from dpbandits.audit.privacy.search.pairs import candidates_with_contexts, mutated_in_context
from dpbandits.audit.privacy.search.proposals import batch_of_pairs, mutations, propose, space_of
from dpbandits.extensions.conformance.frozen import replay_frozen
from dpbandits.laws import Law, Noisy
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.proofs_checks.exact.enumeration import enumerate_transcripts, enumerated_profile
from dpbandits.proofs_checks.exact.joint_privacy import joint_privacy_profile
from dpbandits.proofs_checks.exact.state_graph import state_graph
from dpbandits.reference.bandits.contexts import why_contexts_do_not_fit
from dpbandits.reference.bandits.noisy_values import Undeclared
from dpbandits.reference.bandits.protocol import protocol_faults
from dpbandits.reference.papers.ou24 import ThompsonSampling

FEW = replace(QUICK, trials=2_000)
T = 5
RANDOM = np.random.default_rng(0)
REWARDS, FEATURES = RANDOM.random((2, T)), RANDOM.uniform(-0.7, 0.7, (T, 2, 2))
SEEN = Contexts(FEATURES)
POLICY = LinearThompson(T)


def user_pair(place: int) -> Pair:
    """One user's context and rewards changed."""
    right, other = REWARDS.copy(), [[0.0, 0.5], [1.0, 0.0]]
    right[:, place] = [1.0, 0.0]
    return Pair("user", REWARDS, right, contexts=(SEEN, SEEN.changed(place, np.array(other))))


# -- the protocol ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Notes(LinearThompson):
    """Pulls the arm whose first feature is larger, and notes what it sees."""

    def act(self, t: int, state: Any, noise: Any, seen: Any) -> Pulls:
        assert seen.shape[1:] == (2, 2)
        assert not seen.flags.writeable
        return Pulls.one(seen[:, :, 0].argmax(axis=1), 2)


def test_a_policy_sees_the_context_of_the_round() -> None:
    released = play(Notes(T), Stream(REWARDS, contexts=SEEN), Seeded(0, 3), 3).released
    assert (released.argmax(axis=2) == FEATURES[:, :, 0].argmax(axis=1)).all()
    in_runs = Contexts(FEATURES[[0, 3]], [3, 2])
    released = play(Notes(T), Table(REWARDS, contexts=in_runs), Seeded(0, 3), 3).released
    assert (released.argmax(axis=2) == FEATURES[[0, 0, 0, 3, 3], :, 0].argmax(axis=1)).all()


def test_trials_may_see_contexts_of_their_own() -> None:
    class Drawn:
        def seen(self, t: int, trials: int) -> Any:
            return np.tile([[[0.0, 1.0], [1.0, 0.0]]], (trials, 1, 1)) * (np.arange(trials) % 2)[:, None, None]

    played = play(Notes(T), Stream(REWARDS, contexts=Drawn()), Seeded(0, 4), 4)
    assert played.released.argmax(axis=2)[:, 0].tolist() == [0, 1, 0, 1]


def test_what_is_no_policy_with_contexts_is_said() -> None:
    assert protocol_faults(POLICY) == ()
    assert "contexts is 0" in protocol_faults(replace(POLICY, contexts=0))[0]

    class Without(ThompsonSampling):
        contexts = 2

    faults = protocol_faults(Without(2, 3))
    assert len(faults) == 3
    assert all("seen" in fault for fault in faults)

    class TwoPulls(LinearThompson):
        def act(self, t: int, state: Any, noise: Any, seen: Any) -> Pulls:
            return Pulls(np.ones((len(seen), 2), dtype=int))

    assert "one arm in every step" in protocol_faults(TwoPulls(T))[0]
    with pytest.raises(ValueError, match="one arm in every step"):
        play(TwoPulls(T), Stream(REWARDS, contexts=SEEN), Seeded(0, 2), 2)


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        (Stream(REWARDS), "this Stream has no contexts"),
        (Bernoulli((0.1, 0.2)), "this Bernoulli has no contexts"),
        (
            Stream(REWARDS, contexts=Contexts(FEATURES[:, :, :1])),
            r"contexts have shape \(2, 2, 1\); expected \(2, 2, 2\)",
        ),
        (Stream(REWARDS, contexts=Contexts(FEATURES[:3])), "round 4: there are contexts only up to round 3"),
    ],
)
def test_contexts_must_fit(environment: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        play(POLICY, environment, Seeded(0, 2), 2)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Contexts(FEATURES[0]), r"features have shape \(2, 2\)"),
        (lambda: Contexts(FEATURES * np.inf), "must be finite"),
        (lambda: Pair("round", REWARDS, REWARDS, contexts=SEEN), "use 'reward'"),
        (lambda: Pair("reward", REWARDS, REWARDS), "give contexts"),
        (
            lambda: Pair("reward", REWARDS, REWARDS, contexts=(SEEN, SEEN.changed(1, FEATURES[0]))),
            "contexts of round 2 differ, .* only for relation",
        ),
        (lambda: Pair("user", REWARDS, REWARDS, contexts=(SEEN, Contexts(-FEATURES))), "differ in 5 rounds"),
        (lambda: Pair("reward", REWARDS, REWARDS, contexts=Contexts(FEATURES[:3])), "rounds = 3"),
        (
            lambda: Pair("user", user_pair(1).left, user_pair(1).right, contexts=user_pair(2).contexts),
            "a user belongs to one",
        ),
        (lambda: state_graph(POLICY, flipped("round", REWARDS, 0, 0, 1.0)), "has no contexts"),
    ],
)
def test_neighbours_must_fit(make: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()


# -- exact profiles ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", [user_pair(0), user_pair(3), flipped("reward", REWARDS, 1, 0, 1.0, contexts=SEEN),
                                  flipped("pull", REWARDS, 0, 1, 1.0, contexts=SEEN)])  # fmt: skip
def test_the_walk_agrees_with_all_transcripts(pair: Pair) -> None:
    for eps in (0.0, 0.2):
        low, high = exact_profile(POLICY, pair).delta(eps)
        listed = enumerated_profile(POLICY, pair).delta(eps)
        assert low <= listed[1]
        assert high >= listed[0]
        assert high - low < 1e-3


def by_hand(pair: Pair, eps: float) -> float:
    """Delta of all releases but the changed round's, from the list of transcripts."""
    found, seen = enumerate_transcripts(POLICY, pair), {}
    assert pair.spot is not None
    for arms, left, right in zip(found.arms, found.left, found.right, strict=True):
        seen.setdefault(tuple(np.delete(arms, pair.spot[1])), []).append((left, right))
    left, right = np.array([np.sum(both, axis=0) for both in seen.values()]).T
    return max(float(np.maximum(one - np.exp(eps) * two, 0).sum()) for one, two in ((left, right), (right, left)))


@pytest.mark.parametrize("pair", [*map(user_pair, range(T)), flipped("reward", REWARDS, 1, 1, 1.0, contexts=SEEN)])
def test_what_others_see_is_the_sum_over_the_changed_round(pair: Pair) -> None:
    for eps in (0.0, 0.1):
        low, high = joint_privacy_profile(POLICY, pair).delta(eps)
        assert low - 1e-12 <= by_hand(pair, eps) <= high + 1e-12
        assert high - low < 1e-8
    if pair.spot is not None and pair.spot[1] == T - 1:
        assert joint_privacy_profile(POLICY, pair).delta(0.0)[1] < 1e-9  # nobody comes after the last user


def test_others_of_a_policy_without_contexts() -> None:
    policy, pair = ThompsonSampling(2, 4), flipped("round", np.zeros((2, 4)), 0, 1, 1.0)
    seen = {}
    found = enumerate_transcripts(policy, pair)
    for arms, left, right in zip(found.arms, found.left, found.right, strict=True):
        seen.setdefault(tuple(np.delete(arms, 1)), []).append((left, right))
    left, right = np.array([np.sum(both, axis=0) for both in seen.values()]).T
    low, high = joint_privacy_profile(policy, pair).delta(0.0)
    assert low <= np.maximum(left - right, 0).sum() <= high
    with pytest.raises(ValueError, match="changes a pull and not a round"):
        joint_privacy_profile(policy, flipped("pull", np.zeros((2, 4)), 0, 1, 1.0))


def test_contexts_of_few_types_merge_states() -> None:
    policy, few = LinearThompson(8), Contexts(np.tile(np.eye(2), (8, 1, 1)))
    along = state_graph(policy, flipped("reward", np.zeros((2, 8)), 0, 0, 1.0, contexts=few))
    layer = along.first_layer()
    for t in range(1, 8):
        _, layer = along.pair_step(t, layer)
    assert len(layer.pulls) < 20  # of 2^7 transcripts


# -- the search --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("relation", ["reward", "user", "pull"])
def test_all_pairs_that_are_looked_at_are_what_the_policy_is_made_for(relation: str) -> None:
    policy = LinearThompson(6)
    every = candidates_with_contexts(policy, relation)
    assert all(pair.relation == relation and pair.spot is not None for pair in every)
    generator = np.random.default_rng(0)
    changed = [mutated_in_context(policy, every[k], generator, True) for k in range(40)]
    kept = [mutated_in_context(policy, every[k], generator, False) for k in range(40)]
    for pair in [*every, *filter(None, changed + kept)]:
        assert not why_contexts_do_not_fit(policy, pair.both_contexts)
    for pair, before in zip(kept, every, strict=False):  # given contexts stay, but for a user's
        if pair is not None and relation != "user":
            assert (pair.both_contexts[0].features == before.both_contexts[0].features).all()
    if relation == "user":
        alone = [pair for pair in every if (pair.left == pair.right).all()]
        both = [pair for pair in every if (pair.left != pair.right).any() and isinstance(pair.contexts, tuple)]
        assert len(alone) > 20
        assert len(both) > 20
    assert "norm 2" in why_contexts_do_not_fit(policy, [Contexts(np.full((6, 2, 2), np.sqrt(2)))])


@pytest.mark.parametrize("relation", ["reward", "user", "pull"])
@pytest.mark.parametrize("given", [None, SEEN])
def test_mutations_change_features_where_these_may_change(relation: str, given: Contexts | None) -> None:
    """Everywhere if none are given, and else those of the changed user alone."""
    generator = np.random.default_rng(0)
    space = space_of(POLICY, relation, given)
    batch = propose(space, generator, 60)
    common, own = 0, 0  # mutations that change features of both sides, and of the changed user alone
    for parent in range(len(batch)):
        for found in mutations(space, batch, [parent], generator):
            (left, right), place = found.pair(0).both_contexts, int(found.column[0])
            assert not why_contexts_do_not_fit(POLICY, [left, right])
            apart = (left.features != right.features).any(axis=(1, 2))
            assert not apart[np.arange(T) != place].any()
            assert relation == "user" or not apart.any()
            old_left, old_right = batch.pair(parent).both_contexts
            common += bool((left.features != old_left.features).any())
            changed = (right.features != old_right.features).any(axis=(1, 2))
            own += (
                bool(changed[place])
                and place == batch.column[parent]
                and bool((left.features == old_left.features).all())
            )
    assert common > 5 if given is None else common == 0
    assert own > 5 if relation == "user" else own == 0


def test_pairs_in_one_batch_see_their_own_contexts() -> None:
    tables = both_tables([user_pair(0), user_pair(2), flipped("user", REWARDS, 0, 0, 1.0, contexts=SEEN)])
    for t in (1, 3):
        seen = [side.contexts.seen(t, 3) for side in tables]  # type: ignore[union-attr]
        assert (seen[0] == FEATURES[t - 1]).all()
        changed = (seen[1] != FEATURES[t - 1]).any(axis=(1, 2)).tolist()
        assert changed == [t == 1, t == 3, False]


def test_pairs_differ_in_rewards_or_in_a_context() -> None:
    same = Pair("user", REWARDS, REWARDS, contexts=(SEEN, SEEN))
    context = Pair("user", REWARDS, REWARDS, contexts=user_pair(2).contexts)
    rewards = flipped("user", REWARDS, 0, 0, 1.0, contexts=SEEN)
    batch = batch_of_pairs([same, context, rewards, user_pair(3)])
    kept = batch.differing().pairs()
    assert [(pair.left != pair.right).any() for pair in kept] == [False, True, True]
    assert [(one.features != other.features).any() for one, other in (pair.both_contexts for pair in kept)] == [
        True, False, True,
    ]  # fmt: skip


def test_many_pairs_are_scored_as_each_alone() -> None:
    pairs = [user_pair(0), user_pair(2), flipped("user", REWARDS, 0, 0, 1.0, contexts=SEEN)]
    arms = np.array(list(np.ndindex(*[2] * T)))
    alone = [log_likelihood_ratio(POLICY, pair, transcripts_of_arms(arms, 2)) for pair in pairs]
    together = scores_of_pairs(POLICY, pairs, transcripts_of_arms(np.repeat(arms, len(pairs), axis=0), 2))
    assert np.allclose(together.reshape(-1, len(pairs)).T, alone, atol=1e-8)


# -- audits ------------------------------------------------------------------------------------------------------


@pytest.mark.planted
@pytest.mark.parametrize("view", ["arms", "others"])
def test_ucb_is_refuted_and_thompson_is_left_alone(view: str) -> None:
    found = audit_policy(LinearUCB(4), eps=3.0, delta=0.1, view=view, profile=FEW)
    assert found.verdict == Verdict.REFUTED
    assert "above the claimed 3" in found.summary
    found = audit_policy(LinearThompson(4), eps=3.0, delta=0.1, view=view, profile=FEW)
    assert found.verdict == Verdict.CONSISTENT
    assert "exact computation: " in found.summary


@pytest.mark.planted
def test_noise_on_what_is_paid_does_not_protect_contexts() -> None:
    policy: Any = WithoutLaw(4, moment=1.0)
    assert audit_policy(policy, mu=1.5, profile=FEW).verdict == Verdict.CONSISTENT
    assert audit_policy(policy, mu=1.5, view="others", profile=FEW).verdict == Verdict.REFUTED


@pytest.mark.planted
def test_a_context_that_leaks_into_others_releases_is_found_and_ones_own_arm_is_not() -> None:
    assert audit_policy(WithoutLaw(3, leaks=True), eps=1.0, view="others", profile=FEW).verdict == Verdict.REFUTED
    assert audit_policy(OwnArm(3), eps=1.0, view="others", profile=FEW).verdict != Verdict.REFUTED
    assert audit_policy(OwnArm(3), eps=1.0, relation="user", profile=FEW).verdict == Verdict.REFUTED


class Declaring(WithoutLaw):
    """Thompson sampling that says what theta is drawn from; with deviations that are `off` times as large."""

    off = 1.0

    def act(self, t: int, state: Any, noise: Any, seen: Any) -> Pulls:
        return POLICY.act(t, Known(*state[:2]), noise, seen)

    def posterior(self, t: int, state: Any, seen: Any) -> Any:
        mean, deviation = POLICY.posterior(Known(*state[:2]), seen)
        return mean, self.off * deviation


class Noisily(LinearThompson):
    def noisy(self, t: int, state: Any, seen: Any) -> Noisy:
        return Noisy("normal", "theta", *self.posterior(state, seen))


@pytest.mark.parametrize("policy", [Declaring(2), Noisily(2)], ids=["posterior", "noisy"])
def test_all_noisy_values_tell_what_their_means_move_by(policy: Any) -> None:
    """Both arms show the same feature of length 1: of the arm that was pulled, the Gram matrix is 2, the mean moves by
    1/2, and the deviation is sqrt(1/2)."""
    pair = replace(one_round(), contexts=Contexts(np.full((2, 2, 2), [1.0, 0.0])))
    losses = scores_of_many(policy, [pair], 0, 4_000, 1)[0]
    assert losses.std() == pytest.approx(np.sqrt(0.5), rel=0.05)
    assert losses.mean() == pytest.approx(-0.25, abs=0.05)


def test_what_noisy_values_are_is_held_against_what_is_released() -> None:
    wrong = Declaring(2)
    wrong.off = 2.0
    with pytest.raises(Undeclared, match="does not follow its declared posterior"):
        scores_of_many(wrong, [replace(one_round(), contexts=SEEN)], 1, 2_000, 1)
    found = audit_policy(Declaring(2), mu=0.3, view="samples", profile=FEW)
    assert found.verdict is Verdict.REFUTED
    assert audit_policy(Declaring(2), mu=0.75, view="samples", profile=FEW).verdict is Verdict.CONSISTENT


STOPPING = partial(audit_policy, eps=1.0, trials=200, sequential=True)


def one_round() -> Pair:
    nothing = np.zeros((2, 2))
    return Pair("reward", nothing, np.array([[1.0, 0.0]] * 2), contexts=Contexts(nothing[:, :, None]))


def test_an_audit_that_stops_by_itself_sees_contexts_and_what_others_see() -> None:
    found = STOPPING(WithoutLaw(3, leaks=True), view="others")
    assert found.verdict is Verdict.REFUTED
    assert "120 trials a side, after 1 look" in found.summary
    blind = STOPPING(WithoutLaw(3), contexts=Contexts(np.zeros((3, 2, 2))))  # in which no reward counts
    assert blind.verdict is Verdict.PROVED
    assert "for all reward tables under the given contexts" in blind.summary


@pytest.mark.thorough
def test_an_audit_that_stops_by_itself_does_not_blame_an_arm_on_its_own_context() -> None:
    assert STOPPING(MostlyOwnArm(3), relation="user").verdict is Verdict.REFUTED
    assert STOPPING(MostlyOwnArm(3), view="others").verdict is not Verdict.REFUTED


class MostlyOwnArm(WithoutLaw):
    """And now and then that of the user before: others see 0.62 of it."""

    def act(self, t: int, state: Any, noise: Any, seen: Any) -> Pulls:
        how, coin = noise.uniform("how", t), noise.uniform("coin", t) < 0.5
        return Pulls.one(np.where(how < 0.9, seen[:, :, 0].argmax(axis=1), np.where(how < 0.93, state[2] > 0, coin)), 2)


class OwnArm(WithoutLaw):
    """Everybody's arm is that of his own context, and nothing is learnt."""

    def act(self, t: int, state: Any, noise: Any, seen: Any) -> Pulls:
        return Pulls.one(np.where(noise.uniform("odd", t) < 0.1, 0, seen[:, :, 0].argmax(axis=1)), 2)


@pytest.mark.planted
def test_objects_see_contexts() -> None:
    class Agent:
        def __init__(self, rng: Any) -> None:
            self.rng, self.last = rng, 0.0

        def select(self, features: Any) -> int:
            return int(self.last > 0)

        def update(self, arm: int, reward: float, features: Any) -> None:
            assert features.shape == (2, 2)
            self.last = features[arm, 0]

    policy: Any = from_object(Agent, Agent.select, Agent.update, arms=2, horizon=3, contexts=2, deterministic=True)
    found = audit_policy(policy, eps=1.0, view="others", profile=FEW, trials=500)
    assert found.verdict == Verdict.REFUTED
    tables = [each for each in found.evidence if each["kind"] == "table" and each["columns"][0]["name"] == "user"]
    assert any("context of round" in str(row[0]) for row in tables[0]["rows"])


def test_what_is_asked_must_be_about_contexts() -> None:
    with pytest.raises(ValueError, match="relation is 'round'; choose one of"):
        audit_policy(POLICY, eps=1.0, relation="round")
    with pytest.raises(ValueError, match="relation is 'pull'; choose one of 'user'"):
        audit_policy(POLICY, eps=1.0, relation="pull", view="others")
    with pytest.raises(ValueError, match="own context, so view 'samples' is available for relations"):
        audit_policy(POLICY, eps=1.0, relation="user", view="samples")
    with pytest.raises(ValueError, match="ThompsonSampling uses none"):
        audit_policy(ThompsonSampling(2, 3), eps=1.0, contexts=SEEN)
    with pytest.raises(ValueError, match="it has no contexts"):
        audit_policy(POLICY, eps=1.0, relation="pull", pairs=[flipped("pull", REWARDS, 0, 0, 1.0)])
    with pytest.raises(ValueError, match="norm"):
        audit_policy(POLICY, eps=1.0, contexts=Contexts(9 * FEATURES))


class Seeing:
    """Sees two features."""

    def __init__(self, rng: Any) -> None: ...

    def select(self, features: Any) -> int:
        return int((features @ np.ones(2)).argmax())

    def update(self, arm: int, reward: float, features: Any) -> None: ...


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: seeing(), r"from_object: select\(self, features.* does not take .* set contexts = d"),
        (
            lambda: from_object(list, len, list.insert, 2, 3, contexts=2),
            r"select\(object, features\); remove the attribute contexts",
        ),
        (
            lambda: seeing(contexts=SEEN),
            "from_object: contexts is a Contexts object; give the number of features of an arm instead, contexts=2",
        ),
        (lambda: seeing(contexts=0), "from_object: contexts is 0"),
        (
            lambda: audit_policy(seeing(contexts=3), eps=1.0),
            r"called with features of shape \(2, 2, 3\) .* attribute contexts",
        ),
        (
            lambda: audit_policy(OfOneMore(2, 3), eps=1.0),
            r"act\(t, state, noise\); set contexts = d if the policy uses d",
        ),
        (lambda: audit_policy(ThompsonSampling(2, T), eps=1.0, relation="user"), "ThompsonSampling uses no contexts"),
        (lambda: audit_policy(ThompsonSampling(2, T), eps=1.0, pairs=[pulled_once()]), "but the policy uses none"),
        (
            lambda: Table(REWARDS, contexts=FEATURES),
            "reward table: contexts is an array of type float64; give Contexts",
        ),
    ],
)
def test_what_does_not_fit_is_named_with_its_remedy(make: Any, said: str) -> None:
    with pytest.raises((TypeError, ValueError)) as error:
        make()
    assert re.search(said, "; ".join([str(error.value), *getattr(error.value, "__notes__", ())]))


def seeing(contexts: Any = None) -> Any:
    return from_object(Seeing, Seeing.select, Seeing.update, 2, T, contexts=contexts)


class OfOneMore(ThompsonSampling):
    def act(self, t: int, state: Any, noise: Any, seen: Any) -> Pulls:  # type: ignore[override]
        return super().act(t, state, noise)


def pulled_once() -> Pair:
    return flipped("pull", REWARDS, 0, 0, 1.0, contexts=SEEN)


# -- held against a reference ------------------------------------------------------------------------------------


class OtherArms(LinearThompson):
    """Learns with the features of the other arm."""

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any, seen: Any) -> Any:
        return super().learn(t, state, pulls, sums, noise, seen[:, ::-1])


class OneRoundLate(LinearThompson):
    """Pulls by the posterior before the last round."""

    def init(self, trials: int) -> Any:
        return super().init(trials), super().init(trials)

    def act(self, t: int, state: Any, noise: Any, seen: Any) -> Pulls:
        return super().act(t, state[0], noise, seen)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any, seen: Any) -> Any:
        return state[1], super().learn(t, state[1], pulls, sums, noise, seen)

    def law(self, t: int, state: Any, seen: Any) -> Any:
        return super().law(t, state[0], seen)


@pytest.mark.planted
def test_a_law_is_followed_in_contexts() -> None:
    assert follows_law(OneRoundLate(T), POLICY, trials=2_000).verdict == Verdict.REFUTED
    assert follows_law(OneRoundLate(T), OneRoundLate(T), trials=500).verdict == Verdict.CONSISTENT
    assert follows_law(POLICY, POLICY, trials=500).verdict == Verdict.CONSISTENT
    assert follows_law(OtherArms(T), POLICY, trials=500).verdict == Verdict.REFUTED
    assert replay(OtherArms(T), POLICY, trials=50).verdict == Verdict.REFUTED
    checks = {check.name: check for check in check_policy(OtherArms(T), POLICY, profile=FEW)}
    assert {"protocol", "repeats", "own law", "page law", "replay"} == set(checks)
    assert checks["repeats"].judge().verdict == Verdict.CONSISTENT
    with pytest.raises(ValueError, match="the policy has no contexts, but the reference has contexts = 2"):
        follows_law(ThompsonSampling(2, T), POLICY)


@pytest.mark.planted
def test_frozen_releases_show_a_reward_in_the_clear() -> None:
    assert "read in the clear" in replay_frozen(LinearUCB(3), relation="reward").summary
    assert replay_frozen(LinearThompson(3), relation="reward").verdict == Verdict.CONSISTENT


# -- faults that hide --------------------------------------------------------------------------------------------


class Odd(WithoutLaw):
    """Fair coins, but after a first user whose feature or reward lies in a narrow place: then arm 0 for ever."""

    def __init__(self, horizon: int, place: str) -> None:
        super().__init__(horizon)
        self.place = place

    def act(self, t: int, state: Any, noise: Any, seen: Any) -> Pulls:
        coin = (noise.uniform("arm", t) < 0.5).astype(int)
        return Pulls.one(np.where(state[2] > 0, 0, coin), 2)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any, seen: Any) -> Any:
        x, paid = seen[:, 0], (pulls.counts * sums).sum(axis=1)
        found = {
            "a feature between": (x[:, 0] > 0.4) & (x[:, 0] < 0.6),
            "a negative feature": x[:, 0] < -0.2,
            "a long context": (x**2).sum(axis=1) > 0.99,
            "a reward between": (paid > 0.36) & (paid < 0.38),
            "a reward and a feature": (paid > 0.9) & (x[:, 1] > 0.9),
        }[self.place]
        return state[0], state[1], np.maximum(state[2], found & (t == 1))


@pytest.mark.planted
@pytest.mark.parametrize(
    "place", ["a feature between", "a negative feature", "a long context", "a reward between", "a reward and a feature"]
)
def test_faults_that_hide_in_contexts_and_rewards_are_found(place: str) -> None:
    found = audit_policy(Odd(6, place), eps=1.0, view="others", profile=FEW)
    assert found.verdict == Verdict.REFUTED, found.summary


def test_a_round_changes_to_features_of_its_own_shape_alone() -> None:
    seen = Contexts(np.zeros((3, 2, 2)))
    for place in (-1, 3):
        with pytest.raises(ValueError, match=f"no round {place}; rounds are counted from 0 to 2"):
            seen.changed(place, np.ones((2, 2)))
    for features in (np.ones(2), np.ones((2, 3))):
        with pytest.raises(
            ValueError, match=r"features for round 0 have shape .*; they must have shape \(arms, d\) = \(2, 2\)"
        ):
            seen.changed(0, features)
    assert seen.changed(2, np.ones((2, 2))).features_of(2).all()


@pytest.mark.parametrize("horizon", [4, 3, 5, 6, 7, 8, 10, 12])
@pytest.mark.parametrize(("reuses", "relation"), [("paid", "user"), ("samples", "reward"), ("shared", "pull")])
@pytest.mark.first(1)
def test_one_draw_for_a_whole_run_is_found_at_every_horizon(horizon: int, reuses: str, relation: str) -> None:
    """Features are searched with the rewards: no horizon between two at which the leak is found misses it."""
    found = audit_policy(OneDraw(horizon, reuses), mu=1.0, relation=relation)
    assert found.verdict is Verdict.REFUTED


class FairCoin:
    """Pulls either arm with probability 1/2, which doubles hold exactly."""

    arms = 2

    def __init__(self, horizon: int) -> None:
        self.horizon = horizon

    def init(self, trials: int) -> Any:
        return np.zeros(trials)

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        return Pulls.one((noise.uniform("coin", t) < 0.5).astype(np.int64), 2)

    def learn(self, t: int, state: Any, pulls: Any, sums: Any, noise: Any) -> Any:
        return state

    def law(self, t: int, state: Any) -> Law:
        size = len(state)
        return Law(np.tile(np.eye(2, dtype=np.int64), (size, 1, 1)), np.full((size, 2), 0.5), error=0.0)


@pytest.mark.parametrize("horizon", [2, 3, 6])
def test_sums_over_what_others_do_not_see_are_known_up_to_their_roundings(horizon: int) -> None:
    pair = flipped("round", np.zeros((2, horizon)), 0, 0, 1.0)
    found = joint_privacy_profile(FairCoin(horizon), pair)
    assert found.log_error >= 2.0**-53 * 4 * horizon
    assert found.delta(0.0)[0] <= 0 <= found.delta(0.0)[1] <= 1e-13
