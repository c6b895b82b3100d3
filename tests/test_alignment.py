"""Randomness alignment: bounds of policies, against exact laws; what is not followed; certificates, and forged ones."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import inf, sqrt
from typing import Any

import numpy as np
import pytest
from aligned_policies import (
    AsksForFloats,
    AsksForTypes,
    Blocks,
    Catches,
    CopiesDeeply,
    LocalNoise,
    MaskedMaximum,
    OwnGenerator,
    Powers,
    Raw,
    Rewrites,
    SameStream,
    SecretPowers,
    Squares,
    Undefined,
)
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr
from test_certificates import changed
from vacuity import nonvacuous_if

from dpbandits import Contexts, Pulls, audit_policy, flipped
from dpbandits.audit.privacy.alignment import gaussian_delta_above, proved_by_alignment
from dpbandits.audit.privacy.own_claims import own_claim
from dpbandits.papers.azize22 import AdaPUCB
from dpbandits.papers.hu21 import AnytimeLazyUCB
from dpbandits.papers.ou24 import ThompsonSampling
from dpbandits.papers.sajed19 import DPSE
from dpbandits.proofs_checks.alignment.bounds import Alignment, Outcome, alignment_bound, bound_on_tree
from dpbandits.proofs_checks.alignment.branches import Interval
from dpbandits.proofs_checks.alignment.forms import rational, rational_factor
from dpbandits.proofs_checks.alignment.traced_runs import Tree, truncated_range
from dpbandits.proofs_checks.alignment.tree_certificate import tree_certificate
from dpbandits.proofs_checks.checker import alignment as checker
from dpbandits.proofs_checks.checker.verification import KINDS, verify
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.reference.curves.family import Family

# -- bounds --------------------------------------------------------------------------------


@pytest.mark.first(4)
@pytest.mark.parametrize(
    ("policy", "eps"),
    [
        (LocalNoise(3, 5), 1),
        (LocalNoise(2, 5, scale=0.5), 2),
        (DPSE(2, 100_000, 0.5), Fraction(1, 2)),
        (AnytimeLazyUCB(2, 8, 1.0), 1),
        (LocalNoise(2, 6), 1),
        (LocalNoise(2, 6, scale=1 / 3), 3),
        (AdaPUCB(2, 16, 1.0), 1),
    ],
    ids=str,
)
def test_right_laplace_policies_have_the_bound_that_their_noise_is_made_for(policy: Any, eps: Fraction) -> None:
    found = alignment_bound(policy)
    assert (found.outcome, found.noise, found.cost) == (Outcome.BOUND, "laplace", eps)
    assert found.eps >= eps > 0
    assert found.mu == inf


@pytest.mark.parametrize(
    ("policy", "at_least"),
    [
        (LocalNoise(2, 5, forgets=2), 2),  # the noise of two rewards has to make up for a third one
        (LocalNoise(2, 6, shrinks=0.5), 1.9),
        (LocalNoise(2, 5, reuses=True), 2),
        (LocalNoise(2, 5, scale=0.9), 1.1),
    ],
    ids=str,
)
def test_faults_cost_more_than_the_claim(policy: Any, at_least: float) -> None:
    found = alignment_bound(policy)
    assert found.outcome in (Outcome.BOUND, Outcome.NO_BOUND)
    assert found.outcome is Outcome.NO_BOUND or found.cost >= Fraction(at_least)
    assert found.worst is not None
    assert "aligned_policies.py:" in found.worst.line


def test_normal_noise_has_a_bound_on_mu() -> None:
    found = alignment_bound(LocalNoise(2, 6, kind="normal"))
    assert (found.outcome, found.noise, found.cost) == (Outcome.BOUND, "normal", Fraction(4, 5))
    assert found.mu == pytest.approx(sqrt(0.8), abs=1e-15)
    assert Fraction(found.mu) ** 2 >= found.cost


def test_thompson_samplings_bound_lies_between_its_exact_mu_and_the_papers() -> None:
    """With T = 4 the paper's Theorem gives sqrt(4/2) under one changed pull."""
    policy = ThompsonSampling(2, 4)
    found = alignment_bound(policy)
    table = np.zeros((2, 4))
    low, _ = exact_profile(policy, flipped("pull", table, 0, 0, 1.0)).mu()
    assert 0 < low <= found.mu < sqrt(2)


@pytest.mark.parametrize("seed", range(4))
def test_exact_laws_never_lose_more_than_the_bound(seed: int) -> None:
    """DP-SE's declared law, on random neighbours."""
    generator = np.random.default_rng(seed)
    policy = DPSE(2, 200, 1.0, beta=0.5)
    found = alignment_bound(policy)
    assert found.outcome is Outcome.BOUND
    table = generator.integers(0, 2, (2, 200)).astype(float)
    arm, index = int(generator.integers(2)), int(generator.integers(40))
    profile = exact_profile(policy, flipped("pull", table, arm, index, 1 - table[arm, index]))
    low, _ = profile.eps(0.0)
    assert low <= found.eps


# -- what is not followed --------------------------------------------------------------------------------


def test_a_reward_without_noise_has_no_bound_and_is_named() -> None:
    found = alignment_bound(Raw(2, 4))
    assert found.outcome in (Outcome.NO_BOUND, Outcome.NO_NOISE)
    assert audit_policy(Raw(2, 4), eps=1.0, trials=1000).verdict == "REFUTED"


def test_what_is_not_linear_is_named_with_its_line() -> None:
    found = alignment_bound(Squares(2, 4))
    assert found.outcome is Outcome.NOT_LINEAR
    assert "a power" in found.reason
    assert "aligned_policies.py:" in found.reason


def test_noise_of_ones_own_is_not_believed() -> None:
    """Traced, it is plain numbers beside which the policy reads its rewards in the clear, or replays differ."""
    assert alignment_bound(OwnGenerator(2, 4)).outcome is not Outcome.BOUND


def test_a_policy_with_a_memory_of_its_own_is_not_believed() -> None:
    class Counts(LocalNoise):
        def act(self, t: int, state: Any, noise: Any) -> Any:
            object.__setattr__(self, "calls", getattr(self, "calls", 0) + 1)
            pulls = super().act(t, state, noise)
            return pulls._replace(counts=pulls.counts[:, ::-1]) if self.calls % 7 == 0 else pulls

    assert alignment_bound(Counts(2, 4)).outcome is not Outcome.BOUND


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        (Catches(2, 3, scale=0.01), "the policy catches the exception that dpbandits raised while tracing it"),
        (AsksForTypes(2, 3, scale=0.01), "on numbers"),
        (Powers(2, 3, scale=0.01), "a power"),
        (SecretPowers(2, 3, scale=0.01), "plain number"),
        (MaskedMaximum(2, 3, scale=0.01), "`where` or `initial`"),
        (Undefined(2, 3, scale=0.01), "nan"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_what_would_go_otherwise_on_numbers_is_refused(policy: Any, says: str) -> None:
    found = alignment_bound(policy)
    assert found.outcome is Outcome.NOT_LINEAR
    assert says in found.reason


def test_a_symbol_is_a_float_to_who_asks() -> None:
    assert alignment_bound(AsksForFloats(2, 3, scale=0.01)).cost == 100


@pytest.mark.parametrize(
    "policy", [Rewrites(2, 3), SameStream(2, 3), Blocks(2, 4)], ids=lambda each: type(each).__name__
)
def test_raw_comparisons_that_hide_in_a_state_a_stream_or_a_sum_have_no_bound(policy: Any) -> None:
    assert alignment_bound(policy).outcome is Outcome.NO_BOUND


def test_a_run_that_goes_otherwise_when_it_is_repeated_is_refused() -> None:
    class Alternates(LocalNoise):
        def act(self, t: int, state: Any, noise: Any) -> Any:
            object.__setattr__(self, "calls", getattr(self, "calls", 0) + 1)
            _ = [state.total[0, 0] > place for place in range(self.calls % 2)] if t == self.horizon else []
            return super().act(t, state, noise)

    found = alignment_bound(Alternates(2, 3))
    assert found.outcome is Outcome.NOT_LINEAR
    assert "takes another path when it is repeated" in found.reason


def test_a_policy_may_copy_its_state_deeply() -> None:
    found = alignment_bound(CopiesDeeply(2, 5))
    assert (found.outcome, found.cost, found.paths) == (Outcome.BOUND, 1, 8)


def test_a_search_that_is_too_long_gives_up_and_says_so() -> None:
    found = alignment_bound(LocalNoise(2, 12), effort=20_000)
    assert found.outcome is Outcome.TOO_LONG
    assert "20000" in found.reason
    assert found.eps == inf


# -- small parts --------------------------------------------------------------------------------


def test_doubles_are_read_as_the_simple_fractions_that_they_round() -> None:
    assert rational(1 / 3) == Fraction(1, 3)
    assert rational(0.1) == Fraction(1, 10)
    assert rational(1 / 3 + 1e-12) == Fraction(1 / 3 + 1e-12)
    assert rational(sqrt(2)) == Fraction(sqrt(2))
    below_one, computed = float(np.nextafter(1, 0)), 0.1 + 0.2  # is not 0.3
    assert rational(below_one) == Fraction(below_one)
    assert rational(computed) == Fraction(computed)
    assert rational_factor(Fraction(computed)) == Fraction(3, 10)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("above", "below"), [(0, 1), (7, 2), (99_999, 100_000), (1, 123_457), (97, 10**12 + 39)])
def test_simple_fractions_are_recovered_however_they_are_signed_and_however_small(
    sign: int, above: int, below: int
) -> None:
    simple = Fraction(sign * above, below)
    assert rational(float(simple)) == simple
    if above:  # off by the rounding of one operation
        assert rational_factor(Fraction(float(simple) * 3.0 / 3.0 * 1.1 / 1.1)) == simple
    around = [float(np.nextafter(float(simple), end)) for end in (-np.inf, np.inf)]
    assert rational(around[0]) < simple < rational(around[1])
    assert [float(rational(each)) for each in around] == around


@pytest.mark.parametrize(
    ("before", "above", "threshold", "strict", "after"),
    [
        (Interval(0, 1, False, False), True, Fraction(1), False, Interval(1, 1, False, False)),
        (Interval(0, 1, False, False), True, Fraction(1), True, None),
        (Interval(0, 1, False, False), False, Fraction(0), True, None),
        (Interval(0, 1, False, True), True, Fraction(1), False, None),
        (Interval(0, 1, False, False), False, Fraction(2), True, Interval(0, 1, False, False)),
        (Interval(0, 1, False, False), True, Fraction(0), True, Interval(0, 1, True, False)),
    ],
)
def test_intervals_are_cut_at_their_ends(
    before: Interval, above: bool, threshold: Fraction, strict: bool, after: Interval | None
) -> None:
    assert before.cut(above, threshold, strict) == after


@pytest.mark.parametrize(
    ("low", "high", "bound", "after"),
    [
        (0, 1, inf, (0, 1)),
        (-1, 1, 0.5, (-0.5, 0.5)),
        (0.75, 1, 0.875, (0, 0.875)),
        (0.75, 1, 1.0, (0.75, 1)),
        (-2, -1, 1.5, (-1.5, 0)),
    ],
)
def test_a_truncated_reward_may_be_0(low: float, high: float, bound: float, after: tuple[float, float]) -> None:
    assert truncated_range(Fraction(low), Fraction(high), bound) == after


@pytest.mark.parametrize(("mu", "eps"), [(1.0, 1.0), (0.5, 2.0), (2.0, 0.0)])
def test_a_gaussians_delta_is_bounded_from_above_and_closely(mu: float, eps: float) -> None:
    bound = float(gaussian_delta_above(Fraction(mu) ** 2, Fraction(eps)))
    assert bound == pytest.approx(ndtr(mu / 2 - eps / mu) - np.exp(eps) * ndtr(-mu / 2 - eps / mu), abs=1e-13)


# -- audits --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("promise", "policy"),
    [
        ({"eps": 1.0}, LocalNoise(2, 5)),
        ({"eps": 3.0}, LocalNoise(2, 5, scale=1 / 3)),
        ({"eps": 1.0, "delta": 1e-6, "relation": "round"}, LocalNoise(2, 5)),
        ({"mu": 0.9}, LocalNoise(2, 5, kind="normal")),
        ({"eps": 1.0, "delta": 0.2}, LocalNoise(2, 5, kind="normal")),
    ],
)
def test_a_claim_that_the_bound_implies_is_proved(promise: dict[str, Any], policy: Any) -> None:
    finding = audit_policy(policy, **promise)
    assert finding.verdict == "PROVED"
    assert [*finding.rests_on] == ["randomness alignment"]
    (certificate,) = [item["certificate"] for item in finding.evidence if item["kind"] == "certificate"]
    assert verify(certificate).ok


def test_a_curve_of_which_some_points_are_known_is_not_proved_by_them() -> None:
    """Below 0.9999 between two deltas that are looked at, say."""
    family = Family(lambda m, delta: 1 + 0 * delta, 0.0, 0.1)
    claim = own_claim(LocalNoise(2, 4), eps=None, delta=None, mu=None, curve=family)
    assert proved_by_alignment(claim, LocalNoise(2, 4), 0).proved is None


def half_of_the_bound(policy: Any, seed: int, contexts: Contexts | None) -> Alignment:
    """A search that is wrong: it finds half of what the changes cost."""
    found = alignment_bound(policy, seed=seed, contexts=contexts)
    return replace(found, cost=found.cost / 2)


def test_a_rejected_certificate_proves_nothing() -> None:
    """Were the search wrong, the checker would say so."""
    policy = LocalNoise(2, 4)
    claim, too_strong = (own_claim(policy, eps=eps, delta=None, mu=None) for eps in (1.0, 0.5))
    assert proved_by_alignment(claim, policy, 0).proved is not None
    assert proved_by_alignment(too_strong, policy, 0, half_of_the_bound).proved is None


def test_a_proof_without_a_certificate_says_what_has_checked_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the certificate is too large, and where the tree has too many paths for one. A large certificate that is
    wrong proves nothing."""
    policy = LocalNoise(2, 4)
    claim, too_strong = (own_claim(policy, eps=eps, delta=None, mu=None) for eps in (1.0, 0.5))
    monkeypatch.setitem(KINDS, "alignment", KINDS["alignment"]._replace(size=100))
    large, _ = audit_policy(policy, eps=1.0).evidence
    assert "too large for `dpbandits verify`" in large["text"]
    assert proved_by_alignment(too_strong, policy, 0, half_of_the_bound).proved is None

    def few_paths(policy: Any, seed: int, contexts: Contexts | None) -> Alignment:
        return bound_on_tree(Tree(policy, "laplace", 10**6, 3, contexts))

    finding = proved_by_alignment(claim, policy, 0, few_paths).proved
    assert finding is not None
    assert "too many paths for a certificate" in finding.evidence[0]["text"]


def test_a_bound_above_the_claim_refutes_nothing_and_is_a_remark() -> None:
    finding = audit_policy(LocalNoise(2, 4), eps=0.99, trials=2000)
    assert finding.verdict != "PROVED"
    assert any("only proves eps <= 1;" in str(item.get("text")) for item in finding.evidence)


def test_a_search_that_is_not_finished_says_what_a_run_costs() -> None:
    """The cost of one run is a lower bound on what the method could prove: it is named where it exceeds the claim, and
    only there."""
    policy = LocalNoise(2, 6)
    assert alignment_bound(policy).eps == 1.0
    assert alignment_bound(policy, UNFINISHED).outcome is Outcome.TOO_LONG
    said = [remark_of_unfinished(policy, eps) for eps in (1.0, 0.5)]
    assert "not applicable: there are more runs" in said[0]
    assert "cannot prove the claim" in said[1]
    assert "already costs eps = 1." in said[1]


UNFINISHED = 8000  # effort: a few runs of two arms


def remark_of_unfinished(policy: Any, eps: float) -> str:
    search = partial(alignment_bound, effort=UNFINISHED)
    claim = own_claim(policy, eps=eps, delta=None, mu=None)
    return proved_by_alignment(claim, policy, 0, search).remark


# -- certificates --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificates() -> dict[str, Any]:
    """Of Laplace and of normal noise."""
    made = {}
    for kind in ("laplace", "normal"):
        found = alignment_bound(LocalNoise(2, 5, kind=kind))
        assert found.tree is not None
        made[kind] = tree_certificate(found.tree, "own/LocalNoise", found.cost)
    return made


@pytest.mark.parametrize("kind", ["laplace", "normal"])
def test_certificates_hold(certificates: dict[str, Any], kind: str) -> None:
    checked = verify(certificates[kind])
    assert checked.ok, checked.lines
    assert "8 paths" in checked.lines[0]


def lower_bound(made: dict[str, Any]) -> None:
    made["bound"] = str(Fraction(made["bound"]) - Fraction(1, 10**6))


def still(made: dict[str, Any]) -> None:
    leaf = next(leaf for leaf in made["leaves"] if leaf["moves"])
    leaf["moves"].pop()


def less_moved(made: dict[str, Any]) -> None:
    leaf = next(leaf for leaf in made["leaves"] if leaf["moves"])
    leaf["moves"][0][-1] = str(Fraction(leaf["moves"][0][-1]) * Fraction(99, 100))


def moved_reward(made: dict[str, Any]) -> None:
    reward = next(number for number, row in enumerate(made["symbols"]) if row[0] == "reward")
    next(leaf for leaf in made["leaves"] if leaf["moves"])["moves"][0][2] = reward


def narrow_rewards(made: dict[str, Any]) -> None:
    """Rewards have one value, which makes outcomes impossible, and change all the same."""
    for row in made["symbols"]:
        if row[0] == "reward":
            row[1] = row[2] = str((Fraction(row[1]) + Fraction(row[2])) / 2)


def circle(made: dict[str, Any]) -> None:
    made["nodes"][-1]["next"] = [0, *made["nodes"][-1]["next"][1:]]


def less_noise(made: dict[str, Any]) -> None:
    noise = {number for number, row in enumerate(made["symbols"]) if row[0] in ("laplace", "normal")}
    for form in made["forms"]:
        for place in range(1, len(form), 2):
            if form[place] in noise:
                form[place + 1] = str(Fraction(form[place + 1]) / 2)


FORGERIES = (
    lower_bound,
    still,
    less_moved,
    narrow_rewards,
    moved_reward,
    circle,
    less_noise,
)


@pytest.mark.parametrize("kind", ["laplace", "normal"])
@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_forged_certificates_are_rejected(
    certificates: dict[str, Any], kind: str, forge: Callable[[dict[str, Any]], None]
) -> None:
    forged = deepcopy(certificates[kind])
    forge(forged)
    assert forged != certificates[kind]
    assert not verify(forged).ok


def test_a_reward_that_may_not_change_is_said(certificates: dict[str, Any]) -> None:
    """Without a sensitivity, a reward needs no noise: the reader has to see that."""
    forged = deepcopy(certificates["laplace"])
    number = next(number for number, row in enumerate(forged["symbols"]) if row[0] == "reward")
    forged["symbols"][number][3] = "0"
    for leaf in forged["leaves"]:
        leaf["moves"] = [move for move in leaf["moves"] if move[0] != number]
    checked = verify(forged)
    assert checked.ok
    assert "its sensitivity (0 to 1)" in checked.lines[1]
    assert "its sensitivity (1)" in verify(certificates["laplace"]).lines[1]


# -- contexts --------------------------------------------------------------------------------


@dataclass(frozen=True)
class SeesFeatures(LocalNoise):
    """Pulls the arm whose features agree most with a sum of features times noisy rewards."""

    contexts: int = 2

    def init(self, trials: int) -> Any:
        return (np.zeros((trials, 2)),)

    def act(self, t: int, state: Any, noise: Any, seen: Any) -> Pulls:  # type: ignore[override]
        return Pulls.one((seen * state[0][:, None, :]).sum(axis=2).argmax(axis=1), self.arms)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any, seen: Any) -> Any:  # type: ignore[override]
        paid = sums + self.scale * noise.laplace("reward", t, (self.arms,))
        return (state[0] + (seen * (pulls.counts * paid)[:, :, None]).sum(axis=1),)


def test_a_policy_with_contexts_is_proved_for_those_that_are_given() -> None:
    features = Contexts(np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5], [1.0, 0.0]], [[0.0, 1.0], [0.5, -0.5]]]))
    policy = SeesFeatures(2, 3, scale=2.0)
    found = alignment_bound(policy, contexts=features)
    assert (found.outcome, found.cost) == (Outcome.BOUND, Fraction(1, 2))
    assert audit_policy(policy, eps=0.5, contexts=features).verdict == "PROVED"
    assert alignment_bound(policy).outcome is Outcome.NOT_LINEAR
    assert alignment_bound(SeesFeatures(2, 3, scale=0.0), contexts=features).outcome is Outcome.NO_BOUND


forms_of_the_checker = st.builds(
    lambda values, constant: checker.Form({k: Fraction(v) for k, v in values.items() if v}, Fraction(constant)),
    st.dictionaries(st.integers(0, 2), st.integers(-1, 1), min_size=2),
    st.integers(-3, 3),
)


@given(forms_of_the_checker, forms_of_the_checker, st.integers(-2, 2))
@pytest.mark.nonvacuous(7)
def test_forms_of_the_checker_calculate_as_their_values_do(one: Any, other: Any, factor: int) -> None:
    """And a symbol whose coefficients cancel is gone: a form without symbols is decided by its constant."""
    nonvacuous_if(any(other.terms.get(number) == value for number, value in one.terms.items()))

    def value(form: Any) -> Fraction:
        return form.constant + sum(each * 7**number for number, each in form.terms.items())

    found = checker.difference(one, other)
    assert value(found) == value(one) - value(other)
    assert all(found.terms.values())
    assert value(checker.scaled(one, Fraction(factor))) == factor * value(one)


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("nodes/0/next", [-1, -99], "leaves/98: there is no such entry; leaves has length 8"),
        ("nodes/0/next", [-1, None], "node 0: `next` is null for a possible outcome"),
        ("nodes/0/next", [-1, -1], "leaf 0: the move for reward 0 changes the outcome of a comparison"),
        ("nodes/0/forms", [0, 99], "forms/99: there is no such entry; forms has length 8"),
        ("root", 99, "nodes/99: there is no such entry; nodes has length 7"),
        ("root", -99, "leaves/98: there is no such entry"),
        ("symbols/0", ["reward", "0", "inf", "1"], "symbols/0: a reward needs a finite range with low <= high"),
        ("symbols/0", ["reward", "1", "0", "0"], "symbols/0: a reward needs a finite range with low <= high"),
        ("symbols/0", ["reward", "0", "1", "-1"], "symbols/0: a reward needs a finite range with low <= high"),
        ("symbols/0", ["reward", "0", "1", "1.001"], "symbols/0: the sensitivity of a reward is 1001/1000, more than"),
        (
            "symbols/1",
            ["laplace", "-inf", "inf", "0", "1"],
            "symbols/1: the fifth entry of a geometric symbol",
        ),
        ("symbols/1", ["laplace", "0", "inf", "0"], "symbols/1: a symbol of kind 'laplace' must have the range"),
        ("symbols/1", ["laplace", "-inf", "inf", "1"], "symbols/1: a symbol of kind 'laplace' must have the range"),
        ("forms/0", ["0", 0], "forms/0: the entry must be a list [constant, symbol, "),
        ("forms/0", ["0", 0, "1", 0, "1"], "forms/0: the entry must be a list [constant, symbol, "),
        ("forms/0", ["0", 0, 1], "forms/0: 0, 1 must be the number of a symbol and a coefficient"),
        ("forms/0", ["0", 18, "1"], "forms/0: 18, '1' must be the number of a symbol and a coefficient"),
        ("forms/0", [0, 0, "1"], "forms/0: the constant 0 must be a number written as a string"),
    ],
)
def test_tampering_is_rejected_and_named(certificates: dict[str, Any], path: str, value: Any, says: str) -> None:
    """With the place and what is wrong there."""
    checked = verify(changed(certificates["laplace"], path, value))
    assert not checked.ok
    assert checked.lines[0].startswith(says), checked.lines
