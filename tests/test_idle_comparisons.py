"""Comparisons on which no pull depends: replay does not count them, and proofs by alignment leave them out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest
from idle_comparisons import RULES, Step, Watching
from random_aligned import RandomLinear

from dpbandits import Approximate, audit_policy
from dpbandits.audit.privacy.alignment import checked_certificate
from dpbandits.extensions.conformance.frozen import limits_of, replay
from dpbandits.proofs_checks.alignment.bounds import Outcome, alignment_bound
from dpbandits.proofs_checks.alignment.branches import Comparison, Decision, Numbers, Paths, SymbolTable
from dpbandits.proofs_checks.alignment.crossings import HalfSpace, crossings
from dpbandits.proofs_checks.alignment.executed_code import repeats
from dpbandits.proofs_checks.alignment.forms import Form, NotLinear, Symbol, draw_symbol
from dpbandits.proofs_checks.alignment.idle_decisions import paths_without_idle
from dpbandits.proofs_checks.alignment.merged_bounds import merged_bound
from dpbandits.proofs_checks.alignment.merged_idle import without_idle
from dpbandits.proofs_checks.alignment.merged_runs import RunsOfStates
from dpbandits.proofs_checks.alignment.merged_states import MergedStates
from dpbandits.proofs_checks.alignment.merged_steps import DIFFERENCE, Node, Place, Row, Transition, Unknown
from dpbandits.proofs_checks.alignment.noise_account import noise_account
from dpbandits.proofs_checks.alignment.traced_runs import NoBound, Tree
from dpbandits.proofs_checks.alignment.tree_certificate import tree_certificate
from dpbandits.proofs_checks.checker.verification import verify
from dpbandits.reference.bandits.adjacency import Pair

LIMITS = limits_of([Approximate(1.0)])
ACCUSED_ONCE = (  # by a replay that changed one outcome at a time, although some imply others
    "counts_near_misses", "at_least_zero", "never", "a_loop_besides", "levels_with_an_early_exit",
    "two_of_three_lead_to_one_arm", "clipped_afterwards", "best_of_fresh_sums",
)  # fmt: skip


def failing(policy: Any, steps: int) -> int:
    tables = np.random.default_rng(5).integers(0, 2, (6, policy.arms, policy.horizon)).astype(float)
    pairs = [Pair("pull", table, table, None, 0.0, 1.0) for table in tables]
    return len(noise_account(policy, pairs, 3, LIMITS, (1.0,), steps).failing)


@pytest.mark.first(5)
@pytest.mark.parametrize("name", ACCUSED_ONCE)
def test_comparisons_on_which_no_pull_depends_are_not_counted(name: str) -> None:
    assert not failing(Watching(RULES[name], horizon=5), 60)


@pytest.mark.parametrize("name", ["asks_the_opposite", "clipped_afterwards"])
def test_twins_with_less_noise_are_named(name: str) -> None:
    assert failing(Watching(RULES[name], horizon=5, scale=0.6), 60)


@pytest.mark.thorough
@pytest.mark.parametrize("name", RULES)
def test_replay_accuses_broken_twins_alone(name: str) -> None:
    assert replay(Watching(RULES[name]), seed=0, limits=LIMITS).verdict == "CONSISTENT"
    twin = replay(Watching(RULES[name], scale=0.6), seed=0, limits=LIMITS)
    # If some draws are rejected, others can take their place: then the cost of one of them says little.
    assert twin.verdict == ("CONSISTENT" if name in ("never", "rejected_draws") else "REFUTED")
    assert ("not followed" in twin.finding().summary) is (name == "rejected_draws")


# -- crossing a comparison ---------------------------------------------------------------------------------------------


def half_space(constant: float, *terms: float, above: bool = True) -> HalfSpace:
    return HalfSpace({k: Fraction(value) for k, value in enumerate(terms) if value}, Fraction(constant), above)


TWO = [draw_symbol("laplace", (name,)) for name in ("x", "y")]


def value_at(space: HalfSpace, draws: dict[int, float], start: tuple[float, float] = (1.0, 2.0)) -> float:
    """At these draws, and those from which the crossing starts."""
    here = dict(enumerate(start)) | draws
    return float(space.constant) + sum(float(part) * here[number] for number, part in space.terms.items())


def test_a_crossing_changes_one_outcome() -> None:
    """x > 0, y > 0, and x + y < 4 (as 4 - x - y > 0), from (1, 2)."""
    spaces = [half_space(0, 1, 0), half_space(0, 0, 1), half_space(4, -1, -1)]
    for crossed in spaces:
        found = list(crossings(spaces, crossed, {0: 1.0, 1: 2.0}, TWO))
        assert len(found) == 3
        for inside, beyond in found:
            assert all(value_at(each, inside) > 0 for each in spaces)
            assert [value_at(each, beyond) > 0 for each in spaces] == [each is not crossed for each in spaces]


def test_what_follows_from_other_outcomes_is_not_crossed() -> None:
    spaces = [half_space(0, 1, 0), half_space(0, 0, 1), half_space(1, 1, 1)]  # x > 0, y > 0, x + y > -1
    assert not list(crossings(spaces, spaces[2], {0: 1.0, 1: 2.0}, TWO))


@pytest.mark.parametrize("factor", [1, -2, 3])
def test_equal_questions_are_crossed_together(factor: int) -> None:
    spaces = [half_space(-1, 1, 1), half_space(-factor, factor, factor, above=factor > 0)]
    (inside, beyond), *_ = crossings(spaces, spaces[0], {0: 1.0, 1: 2.0}, TWO)
    for space in spaces:
        assert (value_at(space, inside) > 0) == space.above != (value_at(space, beyond) > 0)


def test_one_sided_draws_stay_in_their_range() -> None:
    symbols = [draw_symbol("exponential", ("x",)), draw_symbol("laplace", ("y",))]
    spaces = [half_space(1, 1, 1)]
    for inside, beyond in crossings(spaces, spaces[0], {0: 0.5, 1: 0.5}, symbols):
        assert all(each.get(0, 0.5) >= -1e-12 for each in (inside, beyond))


def test_whole_numbers_are_not_crossed() -> None:
    with pytest.raises(ValueError, match="integer-valued noise"):
        list(crossings([half_space(1, 1)], half_space(1, 1), {0: 2.0}, [draw_symbol("geometric", ("x",))]))


# -- proofs ------------------------------------------------------------------------------------------------------------


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("name", "eps", "paths"),
    [("asks_the_opposite", 1, 3), ("stores_near_misses", 1, 3), ("one_of_many", 1, 2), ("never", 0, 1)],
)
def test_proofs_leave_out_comparisons_on_which_no_pull_depends(name: str, eps: int, paths: int) -> None:
    found = alignment_bound(Watching(RULES[name], horizon=5 if name == "one_of_many" else 3))
    assert found.outcome is Outcome.BOUND
    assert found.cost == eps
    assert found.paths <= paths
    assert found.tree is not None
    certificate = tree_certificate(found.tree, "own/Watching", found.cost)
    assert verify(certificate).ok
    assert len(certificate["leaves"]) == found.paths


def test_half_the_noise_costs_twice_as_much() -> None:
    found = alignment_bound(Watching(RULES["asks_the_opposite"], horizon=4, scale=0.5))
    assert found.outcome is Outcome.BOUND
    assert found.cost == 2


def shared_noise_alone(now: Step) -> tuple[Any, Any]:
    """One draw, which would have to move both ways if minus the sum counted as well."""
    drawn = now.noise.laplace("both", now.t)
    there = np.where(drawn - now.sum > -1.0, 1.0, 0.0) if now.t == 2 else 0.0
    return (now.sum + drawn > 2.0) & (now.t == 2), there


def test_a_comparison_that_no_move_keeps_does_not_count_if_it_is_idle() -> None:
    found = alignment_bound(Watching(shared_noise_alone, horizon=3))
    assert found.outcome is Outcome.BOUND
    assert found.cost == 1
    finding = audit_policy(Watching(shared_noise_alone, horizon=3), eps=1.0, trials=1000)
    assert finding.verdict == "PROVED"


def uses_it_in_the_end(now: Step) -> tuple[Any, Any]:
    """What was stored in step 2 decides in step 3."""
    drawn = now.noise.laplace("both", now.t)
    answer = drawn - now.sum > -1.0
    return (answer | (now.sum + drawn > 2.0)) & (now.t == 2), 0.0


def test_a_comparison_that_is_used_counts() -> None:
    assert alignment_bound(Watching(uses_it_in_the_end, horizon=3)).outcome is Outcome.NO_BOUND


SMALL = ("asks_twice", "asks_the_opposite", "stores_near_misses", "goes_on_with_fresh_noise", "one_of_many", "never",
         "shared_noise", "absolute_value")  # fmt: skip


@pytest.mark.parametrize(
    "policy",
    [*(RandomLinear(seed, 3) for seed in range(8)), *(Watching(RULES[name], horizon=3) for name in SMALL)],
    ids=lambda policy: f"random {policy.seed}" if isinstance(policy, RandomLinear) else policy.rule.__name__,
)
def test_trees_without_idle_decisions_release_the_same(policy: Any) -> None:
    """On random draws and rewards, small and large."""
    tree = Tree(policy, "laplace", 10**6, 400, pays=False)
    with suppress(NoBound):
        tree.search()
    shorter = paths_without_idle(tree.runs, tree.run)
    assert shorter is not None
    generator = np.random.default_rng(1)
    for size in (0.3, 1.0, 3.0) * 10:
        values = {}
        for number, symbol in enumerate(tree.table.symbols):
            uniform = float(generator.random())
            low, high = (float(symbol.low), float(symbol.high)) if symbol.kind == "reward" else (0.0, 1.0)
            bounded = symbol.kind in ("reward", "uniform")
            values[number] = low + uniform * (high - low) if bounded else float(size * generator.laplace())
        numbers = Numbers(tree.table, values)
        before = [released for released, decisions in tree.runs if taken(decisions, numbers)]
        after = [path.released for path in shorter if taken(path.decisions, numbers)]
        assert len(before) == 1
        assert after == before


def taken(decisions: Sequence[Decision], numbers: Numbers) -> bool:
    return all(numbers.outcome_of(each) == each.taken for each in decisions)


# -- merged states -----------------------------------------------------------------------------------------------------

WITHOUT_BOUND = {"sign_drawn_apart"}  # the size of the noise may fall below 0
ABOVE = {"at_least_zero", "two_of_three_lead_to_one_arm"}  # proved above their claim, see the limits in the docs
CLAIMED = [name for name in RULES if name not in WITHOUT_BOUND | ABOVE]
QUICK = ("later_alone", "shared_noise")


def certificate_from(found: Any) -> Any:
    item = checked_certificate(found, "own/Watching")
    assert item is not None
    return item["certificate"]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.thorough) for name in CLAIMED]
)
def test_idle_decisions_are_left_out_of_merged_states(name: str) -> None:
    """Of private policies, whose bound is their claim, and of twins with less noise."""
    found = merged_bound(Watching(RULES[name], horizon=5), whole_runs=True)
    assert found.reason == ""
    assert found.cost == (0 if name == "never" else 1)
    certificate = certificate_from(found)
    assert verify(certificate).ok
    twin = merged_bound(Watching(RULES[name], horizon=5, scale=0.6), whole_runs=True)
    assert twin.outcome is not Outcome.BOUND or twin.cost == (0 if name == "never" else Fraction(5, 3))


def test_a_threshold_that_is_drawn_first_moves_for_later_rewards() -> None:
    """On merged states alone every query would have to move."""
    found = merged_bound(Watching(RULES["asks_the_opposite"], horizon=6, scale=0.5), whole_runs=True)
    assert (found.outcome, found.cost, found.paths) == (Outcome.BOUND, 2, 6)
    certificate = certificate_from(found)
    assert verify(certificate).ok
    moved = next(leaf for leaf in certificate["leaves"] if leaf["moves"])
    moved["moves"] = moved["moves"][1:]
    assert not verify(certificate).ok


@pytest.mark.first(1)
@pytest.mark.parametrize("seed", [0, 4, 7, 1, 2, 3, 5, 6])
def test_runs_through_shorter_graphs_release_the_same(seed: int) -> None:
    """On random draws and rewards, small and large."""
    policy = RandomLinear(seed, 4) if seed < 4 else Watching(RULES[SMALL[seed]], horizon=4)
    tree, merged = Tree(policy, "laplace", 10**6, 400, pays=False), MergedStates(policy, "laplace", 10**6)
    for search in (tree, merged):
        with suppress(NoBound, NotLinear):
            search.search()
    runs = RunsOfStates(policy, "laplace", 10**6, 400, pays=False, nodes=merged.nodes)
    with suppress(NoBound):
        runs.search()
    generator = np.random.default_rng(seed)
    for size in (0.3, 1.0, 3.0) * 10:
        drawn = {}
        for symbol in {*tree.table.symbols, *runs.table.symbols}:
            uniform = symbol.kind in ("reward", "uniform")
            ends = (float(symbol.low), float(symbol.high)) if uniform else (0.0, size)
            drawn[symbol] = float(generator.uniform(*ends) if uniform else size * generator.laplace())
        found = []
        for table, paths in (
            (tree.table, tree.runs),
            (runs.table, [(path.released, path.decisions) for path in runs.whole]),
        ):
            numbers = Numbers(table, {number: drawn[symbol] for number, symbol in enumerate(table.symbols)})
            found.append([released for released, decisions in paths if taken(decisions, numbers)])
        assert len(found[0]) == 1
        assert found[0] == found[1]


@dataclass(frozen=True)
class Middle:
    """A state of the second of three steps: an unknown and a draw are compared, and their sum is stored."""

    high: float = inf
    kind: str = "laplace"
    threshold: int = 0
    strict: bool = True
    first: int = 0
    kept: int = 1
    after: int = 3

    def node(self, following: Node) -> Node:
        table = SymbolTable([DIFFERENCE, Symbol("unknown", (0,), -inf, self.high), Symbol(self.kind, ("y",))])
        form = Form(Paths(table), {1: Fraction(1), 2: Fraction(1)}, Fraction(-self.threshold))
        row = Row(((1, Fraction(self.kept)), (2, Fraction(1))))
        ways = [
            transition(Decision((form,), self.strict, (0, 1), each), each == self.first, following, (row,))
            for each in (0, 1)
        ]
        return Node(Place(2, 1, (), (Unknown(-inf, self.high),)), table, ways, [self.after] * 2)


def transition(decision: Decision, left: bool, following: Node, unknowns: tuple[Row, ...]) -> Transition:
    (form,) = decision.forms
    key = tuple(form.coefficients.items())
    compared = Comparison(key, decision.taken == 0, -Fraction(form.constant), "")
    released = (1, 0) if left else (0, 1)
    return Transition(released, (decision,), (compared,), (), following.place, unknowns, (), ())


def graph(one: Middle, other: Middle) -> list[Node]:
    """A first step that leads to one of two states, without a release that says which."""
    end, lasts = Node(Place(4, 3, (), ())), []
    for threshold in (0, 1):
        table = SymbolTable([DIFFERENCE, Symbol("unknown", (0,))])
        form = Form(Paths(table), {1: Fraction(1)}, Fraction(-threshold))
        ways = [transition(Decision((form,), True, (0, 1), each), each == 0, end, ()) for each in (0, 1)]
        lasts.append(Node(Place(3, 2, (), (Unknown(-inf, inf),)), table, ways, [5, 5]))
    middle = [one.node(lasts[0]), other.node(lasts[0])]
    table = SymbolTable([DIFFERENCE, draw_symbol("laplace", ("x",))])
    form, row = Form(Paths(table), {1: Fraction(1)}), Row(((1, Fraction(1)),))
    ways = [transition(Decision((form,), True, (0, 1), each), True, middle[each], (row,)) for each in (0, 1)]
    return [Node(Place(1, 0, (), ()), table, ways, [1, 2]), *middle, *lasts, end]


OTHER = [Middle(high=9.0), Middle(kind="normal"), Middle(threshold=1), Middle(strict=False), Middle(first=1),
         Middle(kept=2), Middle(after=4)]  # fmt: skip


@pytest.mark.parametrize("other", OTHER, ids=str)
def test_states_that_differ_in_one_thing_are_not_joined(other: Middle) -> None:
    assert [len(node.transitions) for node in without_idle(graph(Middle(), Middle()))] == [1, 2, 2, 0]
    for one, two in ((Middle(), other), (other, Middle())):
        found = without_idle(graph(one, two))
        assert len(found) >= 5
        assert len(found[0].transitions) == 2


# -- loops over the trials of a batch ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "batch", "trials", "same"),
    [
        ("abcd", "abcd", 3, True),
        ("abcd", "abcbcbcd", 3, True),
        ("abcd", "abcbcd", 3, False),  # one trial is left out
        ("abcd", "abcbcbxd", 3, False),
        ("abcd", "abcbcbc", 3, False),
        ("abc", "abcbcbc", 3, True),
        ("abcdbce", "abcbcdbcbce", 2, True),
        ("abcd", "abcbcbcd", 1, False),
        ("abcd", "abxd", 3, False),
    ],
)
def test_a_batch_executes_loops_over_its_trials_for_each_of_them(one: str, batch: str, trials: int, same: bool) -> None:
    assert repeats(tuple(map(ord, one)), tuple(map(ord, batch)), trials) is same


def test_a_batch_that_goes_another_way_is_refused() -> None:
    def leaks_in_batches(now: Step) -> tuple[Any, Any]:
        seen = np.zeros(len(now.left), dtype=bool)
        for k in range(len(seen)):
            seen[k] = now.noisy[k] > now.bar[k]
            if k:
                seen[k] = seen[0]
        return seen, 0.0

    found = alignment_bound(Watching(leaks_in_batches, horizon=2))
    assert found.outcome is Outcome.NOT_LINEAR
    assert "in a batch of 3" in found.reason


# -- trees by hand -----------------------------------------------------------------------------------------------------


class ByHand:
    """Forms of x, y and z, and decisions about them."""

    def __init__(self) -> None:
        self.table = SymbolTable()
        self.run = Paths(self.table)
        self.x, self.y, self.z = (
            Form(self.run, {self.table.number_of(Symbol("laplace", (name,))): Fraction(1)}) for name in "xyz"
        )

    def above(self, form: Form, outcome: int, *possible: int) -> Decision:
        return Decision((form,), True, possible or (0, 1), outcome)


def coin(outcome: int) -> Decision:
    return Decision((), False, (0, 1), outcome)


LEFT, RIGHT = ((1, 0),), ((0, 1),)


def test_draws_of_different_decisions_are_not_taken_for_one() -> None:
    """x decides which of two coins is thrown. A decision does not say with which probabilities."""
    hand = ByHand()
    paths = [((LEFT, RIGHT)[side], (hand.above(hand.x, first), coin(side))) for first in (0, 1) for side in (0, 1)]
    assert paths_without_idle(paths, hand.run) is None


def test_an_idle_decision_before_others_is_left_out() -> None:
    hand = ByHand()
    paths = [((LEFT, RIGHT)[after], (hand.above(hand.x, first), hand.above(hand.y, after)))
             for first in (0, 1) for after in (0, 1)]  # fmt: skip
    found = paths_without_idle(paths, hand.run)
    assert found is not None
    assert [(path.released, len(path.comparisons), path.made) for path in found] == [(LEFT, 1, (1,)), (RIGHT, 1, (1,))]


def test_an_idle_draw_is_left_out() -> None:
    hand = ByHand()
    paths = [((LEFT, RIGHT)[after], (coin(first), hand.above(hand.y, after))) for first in (0, 1) for after in (0, 1)]
    found = paths_without_idle(paths, hand.run)
    assert found is not None
    assert len(found) == 2


def test_trees_that_compare_other_forms_are_not_taken_for_one() -> None:
    hand = ByHand()
    for one, other in ((hand.y, hand.z), (hand.y, hand.y - 1), (hand.y, 2 * hand.y + 1)):
        paths = [((LEFT, RIGHT)[after], (hand.above(hand.x, first), hand.above((one, other)[first], after)))
                 for first in (0, 1) for after in (0, 1)]  # fmt: skip
        assert paths_without_idle(paths, hand.run) is None


def test_thresholds_of_one_form_are_merged() -> None:
    """x > 1 matters, and whether x > 0 first; the same for half of x and for minus x."""
    for factor in (1, Fraction(1, 2), -1):
        hand = ByHand()
        low, high = (1, 0) if factor < 0 else (0, 1)
        first, then = factor * hand.x, factor * (hand.x - 1)
        paths = [
            (LEFT, (hand.above(first, 1 - high), hand.above(then, 1 - high))),
            (RIGHT, (hand.above(first, 1 - high), hand.above(then, 1 - low))),
            (RIGHT, (hand.above(first, 1 - low),)),
        ]
        found = paths_without_idle(paths, hand.run)
        assert found is not None
        assert [(path.released, len(path.comparisons)) for path in found] == [(LEFT, 1), (RIGHT, 1)]
        paths[2] = (LEFT, paths[2][1])  # x <= 0 is not like x <= 1
        assert paths_without_idle(paths, hand.run) is None


def test_an_idle_decision_that_excludes_an_outcome_is_kept() -> None:
    """By x > 0 or x <= 0 the policy knows that the third of three numbers is not the largest. Without it, the checker
    would see three outcomes and two that are followed."""
    hand = ByHand()
    three = [Decision((hand.y, hand.z, hand.x), False, (0, 1), after) for after in (0, 1)]
    paths = [((LEFT, RIGHT)[after], (hand.above(hand.x, first), three[after])) for first in (0, 1) for after in (0, 1)]
    assert paths_without_idle(paths, hand.run) is None


def test_what_follows_is_left_out_where_all_runs_release_the_same() -> None:
    """Also where the idle decisions before it are kept for what they exclude."""
    hand = ByHand()
    three = [Decision((hand.y, hand.z, hand.x), False, (0, 1), after) for after in (0, 1)]
    last = [hand.above(hand.z - 3, outcome) for outcome in (0, 1)]
    paths = [((LEFT, RIGHT)[after], (hand.above(hand.x, first), three[after], last[end]))
             for first in (0, 1) for after in (0, 1) for end in (0, 1)]  # fmt: skip
    assert paths_without_idle(paths, hand.run) is None  # of three numbers, two outcomes are still not excluded
    plain = [((LEFT, RIGHT)[first], (hand.above(hand.x, first), last[end])) for first in (0, 1) for end in (0, 1)]
    found = paths_without_idle(plain, hand.run)
    assert found is not None
    assert [len(path.decisions) for path in found] == [1, 1]


def test_a_decision_is_idle_only_if_all_of_its_outcomes_are_alike() -> None:
    hand = ByHand()
    three = [Decision((hand.y, hand.z, hand.x), False, (0, 1, 2), each) for each in (0, 1, 2)]
    for ends in ((LEFT, LEFT, RIGHT), (LEFT, RIGHT, LEFT), (RIGHT, LEFT, LEFT)):
        assert paths_without_idle([(end, (each,)) for end, each in zip(ends, three, strict=True)], hand.run) is None


def test_trees_with_and_without_ties_are_not_taken_for_one() -> None:
    hand = ByHand()
    paths = [((LEFT, RIGHT)[after], (hand.above(hand.x, first), Decision((hand.y,), first == 0, (0, 1), after)))
             for first in (0, 1) for after in (0, 1)]  # fmt: skip
    assert paths_without_idle(paths, hand.run) is None
