"""Randomness alignment on merged states: bounds at horizons with too many runs, never below those of the tree of runs;
policies that hide what they remember; certificates, and forged ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from copy import deepcopy
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from aligned_policies import LocalNoise, State
from hiding_policies import (
    PLACES,
    Counts,
    Equal,
    HidesAnArm,
    HidesAnArmInContext,
    HidesAnArmInGlobal,
    InList,
    InNumber,
    InTuple,
    Twice,
)
from random_aligned import RandomLinear
from test_certificates import changed

from dpbandits import QUICK, Pulls, flipped
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.privacy.own_claims import judge_own_policy, own_claim
from dpbandits.papers.azize22 import AdaPUCB
from dpbandits.papers.hu21 import AnytimeLazyUCB
from dpbandits.papers.sajed19 import DPSE
from dpbandits.papers.tao22 import DPRSE
from dpbandits.proofs_checks.alignment import merged_bounds
from dpbandits.proofs_checks.alignment.bounds import Outcome, alignment_bound, run_search
from dpbandits.proofs_checks.alignment.hidden_state import stored_values, what_changed
from dpbandits.proofs_checks.alignment.merged_bounds import bound_on_runs_or_states, merged_bound
from dpbandits.proofs_checks.alignment.merged_certificate import merged_certificate
from dpbandits.proofs_checks.alignment.merged_states import MergedStates
from dpbandits.proofs_checks.alignment.traced_runs import NoBound, Tree
from dpbandits.proofs_checks.checker.verification import verify
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.reference.papers.tao22.algorithms.dprucb import with_whole_levels

# -- bounds ----------------------------------------------------------------------------------------------------------


@pytest.mark.first(3)
@pytest.mark.parametrize(
    ("policy", "eps"),
    [
        (DPSE(3, 100_000, 0.5), Fraction(1, 2)),
        (AnytimeLazyUCB(2, 8, 1.0), 1),
        (AnytimeLazyUCB(3, 7, 1.0), 1),
        (LocalNoise(2, 14), 1),
        (LocalNoise(3, 8, scale=0.5), 2),
        (AdaPUCB(2, 500, 1.0), 1),
    ],
    ids=str,
)
def test_right_policies_have_the_bound_that_their_noise_is_made_for(policy: Any, eps: Fraction) -> None:
    found = merged_bound(policy)
    assert (found.outcome, found.cost, found.reason) == (Outcome.BOUND, eps, "")
    assert found.worst is not None
    assert found.worst.reward.kind == "reward"


@pytest.mark.parametrize(("arms", "horizon"), [(2, 8), (3, 4)])
def test_a_tree_mechanism_with_whole_levels_keeps_its_promise(arms: int, horizon: int) -> None:
    policy = with_whole_levels(arms=arms, horizon=horizon, eps=1.0, v=1.0, u=1.0)
    found = merged_bound(policy)
    assert found.outcome is Outcome.BOUND
    assert 0 < found.cost <= 1


def test_too_little_noise_costs_more_than_the_claim() -> None:
    assert merged_bound(LocalNoise(2, 8, scale=0.9)).cost == Fraction(10, 9)
    shrinking = merged_bound(LocalNoise(2, 12, shrinks=1.0))
    assert shrinking.outcome is Outcome.BOUND
    assert shrinking.cost >= 10
    forgetful = merged_bound(LocalNoise(2, 8, forgets=4))
    assert forgetful.outcome is not Outcome.BOUND


def test_normal_noise_has_a_bound_on_mu() -> None:
    found = merged_bound(LocalNoise(2, 15, kind="normal", scale=2.0))
    assert (found.outcome, found.noise, found.cost) == (Outcome.BOUND, "normal", Fraction(1, 4))


class TreeWithIdleDecisions(Tree):
    """A tree of runs that keeps the moves for all decisions, also for those that no pull depends on."""

    def moves_without_idle(self, paths: Any) -> None:
        pass


def both_bounds(policy: RandomLinear, kind: type[Tree] = Tree) -> tuple[Fraction | None, Fraction | None]:
    """The bound on merged states and that on the tree of runs; None for none."""
    merged, tree = MergedStates(policy, policy.kind, 10**6), kind(policy, policy.kind, 10**6)
    found: list[Fraction | None] = []
    for search in (merged, tree):
        try:
            search.search()
            found.append(search.cost)
        except NoBound:
            found.append(None)
    return found[0], found[1]


@pytest.mark.first(2)
@pytest.mark.parametrize(("seed", "kind"), [(seed, kind) for seed in range(60) for kind in ("laplace", "normal")])
def test_merging_never_proves_less_than_all_runs_need(seed: int, kind: str) -> None:
    """Random policies: more runs are possible in merged states, and moves are decided earlier. So a bound is at least
    that of the tree of runs, and where some change has no move there, there is no bound here."""
    merged, tree = both_bounds(RandomLinear(seed, 4, noisy=0.95, kind=kind))
    assert merged is None or (tree is not None and tree <= merged)


@pytest.mark.thorough
@pytest.mark.parametrize(("horizon", "often"), [(3, 5), (4, 7)])
def test_random_policies_often_have_the_same_bound_either_way(horizon: int, often: int) -> None:
    """So many of ten. Else the comparison above could hold because merging proves nothing. Idle decisions, which only
    trees leave out, count on both sides."""
    pairs = [both_bounds(RandomLinear(seed, horizon, noisy=1.0), TreeWithIdleDecisions) for seed in range(10)]
    assert None not in {bound for pair in pairs for bound in pair}
    assert sum(merged == tree for merged, tree in pairs) >= often


def outcome_of_search(search: MergedStates) -> tuple[Any, ...]:
    """Everything that the bound on merged states is made from."""
    return run_search(search), search.cost, search.worst, search.has_noise, search.steps.steps


@pytest.mark.parametrize("effort", [10**6, 1_700, 250])
@pytest.mark.parametrize("kind", ["laplace", "normal"])
def test_states_found_for_one_kind_of_noise_serve_the_other(kind: str, effort: int) -> None:
    """The whole effort, one that ends while changes are followed, and one that ends while states are found."""
    policy, other = LocalNoise(2, 4, kind=kind), {"laplace": "normal", "normal": "laplace"}[kind]
    first = MergedStates(policy, other, effort)
    run_search(first)
    again, afresh = first.with_noise(kind), MergedStates(policy, kind, effort)
    assert outcome_of_search(again) == outcome_of_search(afresh)
    assert [node.losses for node in again.nodes] == [node.losses for node in afresh.nodes]


@pytest.mark.first(1)
@pytest.mark.parametrize("policy", [LocalNoise(2, 5), LocalNoise(2, 4, forgets=2), AdaPUCB(2, 8, 1.0)], ids=str)
def test_where_all_runs_can_be_followed_their_result_counts(policy: Any) -> None:
    one, other = bound_on_runs_or_states(policy), alignment_bound(policy)
    assert (one.outcome, one.cost, one.paths, one.merged) == (other.outcome, other.cost, other.paths, None)


def test_a_search_that_is_too_long_says_so() -> None:
    assert merged_bound(LocalNoise(2, 30), effort=10_000).outcome is Outcome.TOO_LONG
    both = bound_on_runs_or_states(LocalNoise(2, 30), effort=10_000)
    assert (both.outcome, both.merged) == (Outcome.TOO_LONG, None)


def test_a_search_that_foresees_its_end_gives_up_early_or_finds_the_same_bound() -> None:
    found, foreseen = (merged_bound(LocalNoise(2, 30), 10_000, foresees=each) for each in (False, True))
    assert (foreseen.outcome, found.outcome) == (Outcome.TOO_LONG, Outcome.TOO_LONG)
    assert foreseen.steps < found.steps / 2
    for policy in (LocalNoise(2, 8), AdaPUCB(2, 8, 1.0)):
        found, foreseen = (merged_bound(policy, 100_000, foresees=each) for each in (False, True))
        assert (found.outcome, foreseen.outcome, foreseen.cost) == (Outcome.BOUND, Outcome.BOUND, found.cost)


@pytest.mark.parametrize("seed", range(3))
def test_exact_laws_never_lose_more_than_the_bound(seed: int) -> None:
    """DP-SE's declared law, on random neighbours."""
    generator = np.random.default_rng(seed)
    policy = DPSE(2, 200, 1.0, beta=0.5)
    found = merged_bound(policy)
    table = generator.integers(0, 2, (2, 200)).astype(float)
    arm, index = int(generator.integers(2)), int(generator.integers(40))
    low, _ = exact_profile(policy, flipped("pull", table, arm, index, 1 - table[arm, index])).eps(0.0)
    assert found.outcome is Outcome.BOUND
    assert low <= found.eps


def test_raw_sums_are_pruned_by_their_ranges() -> None:
    """What is certain by the range of a sum needs no noise, though the state says nothing of its rewards."""

    class Certain(LocalNoise):
        def act(self, t: int, state: State, noise: Any) -> Pulls:
            certain = np.asarray(state.total[:, 0] > state.pulls[:, 0]).astype(np.int64)
            return Pulls.one(certain, 2)

        def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
            noise.laplace("unused", t)
            return State(state.pulls + pulls.counts, state.total + sums)

    class Possible(Certain):
        def act(self, t: int, state: State, noise: Any) -> Pulls:
            return Pulls.one(np.asarray(state.total[:, 0] < state.pulls[:, 0]).astype(np.int64), 2)

    assert merged_bound(Certain(2, 6)).outcome is Outcome.BOUND
    assert merged_bound(Possible(2, 6)).outcome is Outcome.NO_BOUND


class DrawsAgain(LocalNoise):
    """Reveals a reward if a stored number is the draw that it is: the draw is the same one in each step."""

    def same(self, stored: Any, drawn: Any) -> Any:
        return np.asarray(stored >= drawn) & np.asarray(stored <= drawn)

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        if t < 3:
            return Pulls.one(np.zeros(len(state.pulls), dtype=np.int64), 2)
        drawn = noise.laplace("first", 0)
        rarely = np.asarray(drawn > 0.5) & np.asarray(drawn < 0.502)
        leaks = self.same(state.total[:, 1], drawn) & rarely & np.asarray(state.total[:, 0] > 0.5)
        return Pulls.one(leaks.astype(np.int64), 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        kept = noise.laplace("first", 0) if t == 1 else state.total[:, 1]
        return State(state.pulls, np.stack([sums[:, 0], kept], axis=1))


class EqualsAgain(DrawsAgain):
    def same(self, stored: Any, drawn: Any) -> Any:
        return np.asarray(stored == drawn)


@pytest.mark.parametrize("kind", [DrawsAgain, EqualsAgain], ids=lambda kind: kind.__name__)
def test_a_stored_draw_may_be_equal_to_the_same_draw(kind: type[LocalNoise]) -> None:
    """Without these outcomes no release would depend on the draw, nor on the reward."""
    found = merged_bound(kind(2, 4), whole_runs=True)
    assert found.outcome is not Outcome.BOUND


class OneOfTwo(LocalNoise):
    """A coin decides which arm is pulled first, and in which way its reward is used: states of one step that differ in
    one thing alone must not become one."""

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        if t == 1:
            return Pulls.one(np.asarray(noise.uniform("coin", 1) < 0.5).astype(np.int64), 2)
        way = state.pulls[:, 1] == 1
        return Pulls.one(np.asarray(self.used(t, way, state.total[:, 0], noise)).astype(np.int64), 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        if t > 1:
            return State(state.pulls, np.zeros_like(state.total))
        return State(pulls.counts, np.repeat(sums.sum(axis=1)[:, None], 2, axis=1))


class OtherNoise(OneOfTwo):
    """Laplace or normal noise: there is no bound by either of them alone."""

    def used(self, t: int, way: Any, stored: Any, noise: Any) -> Any:
        return np.where(way, stored + noise.laplace("one", t), stored + noise.normal("other", t)) > 0.5


class FlippedRelease(OneOfTwo):
    """Whether the first reward was above 1/2 decides which outcome of the same comparison leads to which arm."""

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        high = np.asarray(sums.sum(axis=1) > 0.5).astype(np.int64) if t == 1 else state.pulls[:, 1]
        return State(np.stack([1 - high, high], axis=1), np.zeros_like(state.total))

    def used(self, t: int, way: Any, stored: Any, noise: Any) -> Any:
        above = np.asarray(noise.laplace("one", t) > 1.0)
        return np.where(way, above, ~above)


@pytest.mark.parametrize("kind", [OtherNoise, FlippedRelease], ids=lambda kind: kind.__name__)
def test_states_that_use_a_reward_in_different_ways_are_not_joined(kind: type[LocalNoise]) -> None:
    assert merged_bound(kind(2, 3), whole_runs=True).outcome is not Outcome.BOUND


class OtherSize(OneOfTwo):
    """The stored reward gets the whole noise in one way, and half of it in the other way."""

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        if t == 1:
            return super().learn(t, state, pulls, sums, noise)
        way = (state.pulls[:, 1] == 1) == (self.scale < 1)
        noisy = state.total[:, 0] + np.where(way, 0.5, 1.0) * noise.laplace("one", t)
        return State(np.ones_like(state.pulls), np.stack([noisy, 0.0 * noisy], axis=1))

    def used(self, t: int, way: Any, stored: Any, noise: Any) -> Any:
        return (stored > 0.5) & (t == 3)


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_states_that_add_different_noise_are_not_joined(scale: float) -> None:
    assert merged_bound(OtherSize(2, 3, scale)).cost == 2


class Copies(LocalNoise):
    """Stores a noisy reward twice, and uses it if the one copy and `scale` are above the other: for certain, or never.
    shrinks: whether ties count as above."""

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        one, other = state.total[:, 0] + self.scale, state.total[:, 1]
        above = np.asarray(one >= other if self.shrinks else one > other)
        return Pulls.one((above & np.asarray(other > 0.5) & (t == 2)).astype(np.int64), 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        noisy = (sums[:, 0] + noise.laplace("reward", t))[:, None]
        return State(state.pulls, np.concatenate([noisy, 1.0 * noisy], axis=1))


@pytest.mark.parametrize(("apart", "ties", "eps"), [(1.0, 0.0, 1), (0.0, 0.0, 0), (0.0, 1.0, 1), (-1.0, 0.0, 0)])
def test_numbers_that_are_apart_for_certain_are_compared_as_constants(apart: float, ties: float, eps: int) -> None:
    assert merged_bound(Copies(2, 3, apart, shrinks=ties), whole_runs=True).cost == eps


# -- policies that remember more than their state --------------------------------------------------------------------


@pytest.mark.parametrize("kind", PLACES, ids=lambda kind: kind.__name__)
def test_a_noisy_or_secret_value_outside_of_the_state_is_refused(kind: Any) -> None:
    found = merged_bound(kind(2, 4))
    assert found.outcome is Outcome.NOT_LINEAR
    assert "stored outside the state is used at hiding_policies.py:" in found.reason


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        (InNumber(2, 4), "a part of type Bit"),
        (InList(2, 4), "a part of type list"),
        (InTuple(2, 4), "hidden"),
        (Twice(2, 5), "use the same draw"),
        (Equal(2, 4), "by == is not supported"),
        (Counts(2, 6), "outside of its state: Counts.calls"),
        (HidesAnArmInGlobal(2, 6), "outside of its state: HidesAnArmInGlobal.class.hidden.global.SEEN"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_other_hiding_places_are_refused(policy: Any, says: str) -> None:
    found = merged_bound(policy)
    assert found.outcome is Outcome.NOT_LINEAR
    assert says in found.reason


@pytest.fixture
def _clean_environment() -> Iterator[None]:
    yield
    os.environ.pop("DPBANDITS_TEST_HIDDEN", None)


@pytest.mark.usefixtures("_clean_environment")
def test_a_memory_that_is_not_found_is_noticed_by_runs_on_numbers() -> None:
    policy = HidesAnArmInContext(2, 6)
    before = stored_values(policy)
    found = merged_bound(policy)
    assert what_changed(before, stored_values(policy)) == ""
    assert found.outcome is Outcome.NOT_LINEAR
    assert "step 6 releases" in found.reason


@pytest.mark.usefixtures("_clean_environment")
def test_a_memory_in_the_environment_is_refused() -> None:
    assert "uses files or the environment" in merged_bound(HidesAnArm(2, 6)).reason


def test_runs_on_numbers_follow_the_graph() -> None:
    """If each step of the graph led to the state of another one, they would notice."""
    merged = merged_bound(LocalNoise(2, 6)).merged
    assert merged is not None
    assert merged_bounds.first_departure(merged, 0) == ""
    node = next(node for node in merged.states if len(set(node.next)) == 2)
    node.next = node.next[::-1]
    assert "none of the merged states" in merged_bounds.first_departure(merged, 0)


def test_what_a_policy_computes_once_is_no_memory() -> None:
    """DP-SE's and the trees' formulas are remembered in caches."""
    for policy in (DPSE(3, 100_000, 1.0), DPRSE(2, 10**6, 1.0, 1.0, 1.0)):
        before = stored_values(policy)
        assert merged_bound(policy).outcome is Outcome.BOUND
        assert what_changed(before, stored_values(policy)) == ""


# -- verdicts ----------------------------------------------------------------------------------------------------------


def test_an_own_policy_is_proved_that_has_too_many_runs() -> None:
    policy, search = LocalNoise(2, 14), partial(bound_on_runs_or_states, effort=50_000)
    assert alignment_bound(policy, 50_000).outcome is Outcome.TOO_LONG
    claim = own_claim(policy, eps=1.0, delta=None, mu=None)
    finding, _ = judge_own_policy(claim, policy, Run(QUICK, 0, 1e-9), search=search)
    assert finding.verdict == "PROVED"
    assert "merged states" in finding.summary
    certificate = finding.evidence[0]["certificate"]
    assert certificate["type"] == "alignment-states"
    assert verify(certificate).ok


# -- certificates ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificates() -> dict[str, Any]:
    made = {}
    for name, policy in {
        "laplace": LocalNoise(2, 5),
        "normal": LocalNoise(2, 5, kind="normal"),
        "episodes": AdaPUCB(2, 8, 1.0),
    }.items():
        found = merged_bound(policy)
        assert found.merged is not None
        made[name] = merged_certificate(found.merged, f"own/{name}", found.cost)
    return made


@pytest.mark.parametrize("name", ["laplace", "normal", "episodes"])
def test_certificates_hold(certificates: dict[str, Any], name: str) -> None:
    checked = verify(certificates[name])
    assert checked.ok, checked.lines
    assert "merged states" in checked.lines[0]


class OfBits(LocalNoise):
    reward_range = frozenset((0.0, 1.0))


def test_a_certificate_of_rewards_0_and_1_holds() -> None:
    """Such rewards are marked in the certificates of trees, for integer noise, which merged states do not support."""
    found = merged_bound(OfBits(2, 4))
    assert found.merged is not None
    checked = verify(merged_certificate(found.merged, "own/bits", found.cost))
    assert checked.ok, checked.lines


def step_states(made: dict[str, Any]) -> list[Any]:
    return [state for state in made["states"] if state["ways"]]


def lower_bound(made: dict[str, Any]) -> None:
    made["bound"] = str(Fraction(made["bound"]) - Fraction(1, 10**6))


def leave_out(made: dict[str, Any]) -> None:
    node = next(state for state in step_states(made) if state["nodes"])["nodes"][-1]
    node["next"] = [None, *node["next"][1:]]


def no_change(made: dict[str, Any]) -> None:
    """No noise moves in the step in which a reward is changed."""
    for state in made["states"]:
        state["changes"] = []
    for listed in (listed for state in made["states"] for listed in state["differences"]):
        listed["moves"] = [made["moves"].index([])] * len(listed["moves"])


def less_moved(made: dict[str, Any]) -> None:
    move = next(move for move in made["moves"] if move)
    move[1] = str(Fraction(move[1]) * Fraction(99, 100))


def another_kind(made: dict[str, Any]) -> None:
    for row in made["symbols"]:
        if row[0] in ("laplace", "normal"):
            row[0] = "normal" if made["noise"] == "laplace" else "laplace"


def narrow_rewards(made: dict[str, Any]) -> None:
    """Rewards have one value, which makes outcomes impossible, and change all the same."""
    for row in made["symbols"]:
        if row[0] == "reward":
            row[1] = row[2] = str((Fraction(row[1]) + Fraction(row[2])) / 2)


def less_noise(made: dict[str, Any]) -> None:
    for form in made["forms"]:
        for place in range(2, len(form), 2):
            if form[place].startswith("1") and place > 3:
                form[place] = str(Fraction(form[place]) / 2)


def known_at_first(made: dict[str, Any]) -> None:
    """The first state holds an unknown, of which nobody says what it is."""
    made["symbols"].append(["unknown", "-inf", "inf", "0"])
    made["states"][0]["unknowns"] = 1
    made["states"][0]["symbols"].insert(0, len(made["symbols"]) - 1)


FORGERIES = (
    lower_bound,
    leave_out,
    no_change,
    less_moved,
    narrow_rewards,
    another_kind,
    less_noise,
    known_at_first,
)


@pytest.mark.parametrize("name", ["laplace", "normal", "episodes"])
@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_forged_certificates_are_rejected(
    certificates: dict[str, Any], name: str, forge: Callable[[dict[str, Any]], None]
) -> None:
    forged = deepcopy(certificates[name])
    forge(forged)
    assert forged != certificates[name]
    checked = verify(forged)
    assert not checked.ok
    assert "the checker failed" not in checked.lines[0]


def no_differences(made: dict[str, Any]) -> None:
    for state in made["states"]:
        state["differences"] = []


def free_differences(made: dict[str, Any]) -> None:
    """The loss is promised away."""
    for state in made["states"]:
        for listed in state["differences"]:
            listed["loss"] = "0"


def negative_loss(made: dict[str, Any]) -> None:
    last = next(state for state in reversed(made["states"]) if state["differences"])
    for listed in last["differences"]:
        listed["loss"] = "-1"


def no_moves(made: dict[str, Any]) -> None:
    still = made["moves"].index([])
    for state in made["states"]:
        for listed in state["differences"]:
            listed["moves"] = [still] * len(listed["moves"])


def another_difference(made: dict[str, Any]) -> None:
    for state in made["states"]:
        for listed in state["differences"]:
            listed["apart"][1] = str(Fraction(listed["apart"][1]) / 2)


def one_move_less(made: dict[str, Any]) -> None:
    listed = next(each for state in step_states(made) for each in state["differences"])
    listed["moves"].pop()


@pytest.mark.parametrize(
    "forge",
    [no_differences, free_differences, negative_loss, no_moves, another_difference, one_move_less],
    ids=lambda forge: forge.__name__,
)
def test_forged_differences_are_rejected(certificates: dict[str, Any], forge: Callable[[dict[str, Any]], None]) -> None:
    forged = deepcopy(certificates["episodes"])
    forge(forged)
    assert forged != certificates["episodes"]
    checked = verify(forged)
    assert not checked.ok
    assert "the checker failed" not in checked.lines[0]


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("symbols/2", ["unknown", "1", "0", "0"], "symbols/2: an unknown must have low <= high"),
        ("symbols/2", ["unknown", "-inf", "inf", "1"], "symbols/2: an unknown must have low <= high"),
        ("symbols/2", ["unknown", "0", "1", "0"], "states/0: transition 0 leads to a value outside the range"),
        ("states/1/unknowns", 0, "states/1: the first 0 symbols must be unknowns"),
        ("states/1/symbols", [2, 0, 1, 2], "states/1: the first 1 symbols must be unknowns"),
        ("states/1/symbols/0", 3, "symbols/3: there is no such entry; symbols has length 3"),
        ("moves/0", ["1", "-1"], "states/0, moves/0: '1', '-1' must be the number of a symbol and a coefficient"),
        ("moves/0", [9, "-1"], "states/0, moves/0: 9 cannot be moved"),
        ("moves/0", [0, "-1"], "states/0, moves/0: 0 cannot be moved"),
        ("states/2/ways/0/next", 99, "states/99: there is no such entry; states has length"),
        ("states/2/ways/0/next", 1, "states/2: transition 0 must lead to a state of the next step"),
        ("states/2/step", 4, "states/1: transition 0 must lead to a state of the next step"),
        ("states/0/ways/0/unknowns", [0, 0], "states/0: the list `unknowns` of transition 0 has length 2; it must"),
        ("states/0/ways/0/unknowns", [5], "states/0: transition 0 contains a linear form"),
        ("states/2/nodes/0/next", [-1, -1], "states/2: two branches of its step lead to the same node or transition"),
        ("states/2/root", -1, "states/2: no outcome of the step leads to transition "),
    ],
)
def test_tampering_is_rejected_and_named(certificates: dict[str, Any], path: str, value: Any, says: str) -> None:
    """With the place and what is wrong there."""
    checked = verify(changed(certificates["normal"], path, value))
    assert not checked.ok
    assert checked.lines[0].startswith(says), checked.lines


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (
            "states/1/differences",
            [{"apart": [0, "1"], "loss": "1", "moves": [0]}, {"apart": [0, "1"], "loss": "1", "moves": [0]}],
            "states/1: a difference is listed twice",
        ),
        ("states/1/differences/0/apart", [0, "0"], "states/1: a difference must be a list of unknowns"),
        ("states/1/differences/0/apart", [99, "1"], "states/1: a difference must be a list of unknowns"),
        ("states/1/differences/0/apart", [], "states/1: a difference must be a list of unknowns"),
        ("states/1/differences/0/apart", [0, 1], "states/1: 0, 1 must be the number of a symbol and a coefficient"),
        ("states/1/differences/0/loss", "-1", "states/1: a loss is below 0"),
    ],
)
def test_tampering_with_differences_is_rejected_and_named(
    certificates: dict[str, Any], path: str, value: Any, says: str
) -> None:
    """With the place and what is wrong there."""
    checked = verify(changed(certificates["episodes"], path, value))
    assert not checked.ok
    assert checked.lines[0].startswith(says), checked.lines
