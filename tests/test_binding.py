"""Certificates and the claims that they name: forgeries are told apart, real ones are not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from math import inf, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from dpbandits import QUICK, Approximate, Gaussian, GaussianNoisyMax, Step, Verdict, flipped
from dpbandits.audit.cli.command_line import main
from dpbandits.audit.judges.effort import Plan
from dpbandits.audit.matching import NotAbout
from dpbandits.audit.matching import binding as binding_module
from dpbandits.audit.matching.binding import Binding, binding_of
from dpbandits.audit.matching.privacy_claims import release_difference, steps_agree
from dpbandits.audit.privacy.certificates import policy_refutation
from dpbandits.audit.runner import run_claims
from dpbandits.proofs_checks.certificates import verify_any as verify
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.proofs_checks.formulas.certificates import formula_certificate, step_certificate
from dpbandits.proofs_checks.papers.ou24 import (
    appendix_c_1_algorithm_3,
    appendix_c_1_standard_dp,
    appendix_c_1_theorem_6,
)
from dpbandits.proofs_checks.vocabularies.decimals import exact_text
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Claim, Identity, Inequality, OneOf, Private, Real, Source, Unjudged, Whole
from dpbandits.reference.curves import Family
from dpbandits.reference.papers.hu25 import QuotedThompsonSampling
from dpbandits.reference.papers.ou24 import ThompsonSampling
from dpbandits.reference.papers.ou24.algorithms import ModifiedThompsonSampling, forgotten

LEDGER = ledger().by_id
Certificate = dict[str, Any]


def bound(certificate: Certificate, ledger: Mapping[str, Claim] = LEDGER) -> Binding:
    """What binds a certificate whose arithmetic is right: everything here is about what comes after."""
    checked = verify(certificate)
    assert checked.ok, checked.lines
    return binding_of(certificate, ledger)


def only(claim: Claim) -> dict[str, Claim]:
    return {claim.id: claim}


def formula(says: Any, expect: Any = Verdict.REFUTED) -> Claim:
    return Claim("toy/claim", Source("toy", "Lemma 1", "so it is"), says, expect=expect)


@pytest.mark.parametrize("room", [0, -1])
def test_formulas_are_written_down_as_far_as_the_room_goes(room: int) -> None:
    """n is filled in, one value after the other. What is written before the right one may take all the room, and not
    a character more."""
    says = Inequality(lambda m, n, x: x + n, lambda m, n, x: x, {"n": Whole(0, 9), "x": Real(0, 1)})
    written = [(trace(says.left), trace(says.right)) for trace in binding_module.ways_to_write(says, {"x"})]
    place = written.index(("x + 3", "x"))
    assert place > 3
    most = sum(len(side) for pair in written[:place] for side in pair) + room
    certificate = {"left": "x + 3", "right": "x", "given": [], "variables": {"x": "0"}}
    if room == 0:
        binding_module.require_same_formulas(certificate, says, most)
        return
    with pytest.raises(
        NotAbout, match=r"the left side of the certificate differs from that of the claim, which is x \+ n"
    ):
        binding_module.require_same_formulas(certificate, says, most)


@pytest.mark.parametrize(
    ("domain", "values"),
    [
        (Whole(2, 5), {2, 3, 4, 5}),
        (Whole(-3, -3), {-3}),
        (Whole(4), set(range(4, 4 + binding_module.MAX_COUNTED + 1))),
        (OneOf((1, 2.5, 4, 5.5)), {1, 4}),
        (Real(0, 3), set()),
    ],
    ids=["2 to 5", "-3", "from 4", "one of four", "real"],
)
def test_what_is_filled_in_lies_in_the_domain(domain: Any, values: set[int]) -> None:
    """Else a certificate about n = 6 would be about a claim of n <= 5."""
    says = Inequality(lambda m, n, x: x + n, lambda m, n, x: x, {"n": domain, "x": Real(0, 1)})
    written = {trace(says.left) for trace in binding_module.ways_to_write(says, {"x"})}
    for value in values:
        assert {f"x + {value}", f"x + ({value})", f"x - {-value}"} & written
    assert len(written) == 1 + len(values)
    assert "x + n" in written


CARRIED = {
    "ou24/algorithm-3/formula": appendix_c_1_algorithm_3.laplace_pair,
    "ou24/theorem-6/formula": appendix_c_1_theorem_6.threshold_pair,
    "ou24/theorem-7/formula": appendix_c_1_standard_dp.reached_state,
}


def carried(name: str) -> Certificate:
    """The certificate that the page's own lemma carries."""
    (item,) = CARRIED[name](LEDGER[name])
    return dict(item["certificate"])


def constants(claim: str, left: str, right: str, **other: Any) -> Certificate:
    """left <= right, with numbers for sides."""
    return {
        "type": "formula",
        "claim": claim,
        "relation": "<=",
        "left": left,
        "right": right,
        "within": "0",
        "given": [],
        "variables": {},
        "left_enclosure": [left, left],
        "right_enclosure": [right, right],
    } | other


# -- the ledger's own ----------------------------------------------------------------------------------------------

FORMULAS = {
    "ou24/lemma-12": {"delta": "0.01", "eps": "2", "share": "0.5", "t": "3"},
    "ou24/remark-1/renyi": {},
    "ou24/section-3/variance": {"n": "1"},
    "ou24/theorem-6/proof/sensitivity": {"c_j": "1", "move": "7", "s_i": "1", "s_j": "9"},
    "hu25/section-3/ts-gaussian-step": {"n": "1"},
}


@pytest.mark.parametrize("name", FORMULAS)
def test_the_ledgers_formulas(name: str) -> None:
    assert bound(formula_certificate(LEDGER[name], FORMULAS[name])) == Binding(True, True, "")


@pytest.mark.parametrize("name", CARRIED)
def test_certificates_of_sibling_claims_are_about_the_printed_statement(name: str) -> None:
    certificate = carried(name)
    assert certificate["claim"] == name.removesuffix("/formula")
    assert bound(certificate) == Binding(True, True, "")


REAL = ("ou24/theorem-7", "ou24/lemma-12", "hu25/section-3/ts-gaussian-round", "ou24/theorem-7/formula")


@pytest.mark.thorough
def test_the_certificates_of_a_run(tmp_path: Path) -> None:
    """Of Theorem 7's instances, two that refute it: one of two arms, one of three."""
    claims = [LEDGER[name] for name in REAL]
    step = claims[0]
    claims[0] = replace(step, params=(step.params[8], step.params[10]))
    run_claims.audit(claims, QUICK, out=tmp_path)
    assert set(run_claims.stored_cases(claims, Plan(ledger(), QUICK, 0), tmp_path / "cases")) == set(REAL)
    files = sorted((tmp_path / "certificates").iterdir())
    assert len(files) >= len(REAL)
    done = CliRunner().invoke(main, ["verify", *map(str, files)])
    assert done.exit_code == 0, done.output
    assert done.output.count(": verified, and about claim ") == len(files)


# -- forgeries -----------------------------------------------------------------------------------------------------


def weaker() -> Certificate:
    """Theorem 7's event against (0.1, 0)-DP, which Theorem 7 does not promise."""
    return carried("ou24/theorem-7/formula") | {"eps": "0.1", "delta": "0", "variables": {}}


def outside(name: str, **point: str) -> Certificate:
    """A claim's own formulas, at a point where they are false because it lies outside of the domain."""
    return formula_certificate(LEDGER[name], point)


def louder() -> Certificate:
    """Algorithm 3 with half the noise: twice the scale's eps."""
    return step_certificate(
        "ou24/algorithm-3", "laplace", ["1/2"] * 2, ["0", "0"], ["-1", "1"], ["1", "1"], [0], "1", "0", "all"
    )


def impossible() -> Certificate:
    """sensitivity 1/2, so one pull, and a mean of 5: no rewards in [0, 1] pay this."""
    return step_certificate(
        "ou24/theorem-7",
        "gaussian",
        ["0.7071067811865476", "0.00001"],
        ["5", "5.5"],
        ["4.5", "5.5"],
        ["1/2", "1e-10"],
        [0],
        "sqrt(log(1/(2*delta)))/(2*sqrt(2))",
        "delta",
        variables={"delta": "0.0001"},
    )


FORGERIES: dict[str, tuple[Callable[[], Certificate], str]] = {
    "a false formula under a privacy claim's name": (
        lambda: constants("ou24/lemma-2", "1", "0"),
        "the certificate compares two formulas, but the claim is about privacy",
    ),
    "theorem 7's step against lemma 2": (
        lambda: carried("ou24/theorem-7/formula") | {"claim": "ou24/lemma-2"},
        "the claim states delta = ",
    ),
    "theorem 7's step against a smaller eps": (
        weaker,
        "the claim guarantees no eps at delta = 0; it is stated for 0.0001 <= delta",
    ),
    "the same against lemma 2": (lambda: weaker() | {"claim": "ou24/lemma-2"}, "the claim states delta = "),
    "a smaller eps at a delta of the family": (
        lambda: carried("ou24/theorem-7/formula") | {"eps": "0.1"},
        "the claim states eps = ",
    ),
    "theorem 6's step against the repaired claim": (
        lambda: carried("ou24/theorem-6/formula") | {"claim": "ou24/theorem-6/repaired"},
        "the claim states delta = ",
    ),
    "theorem 6's step against theorem 7": (
        lambda: carried("ou24/theorem-6/formula") | {"claim": "ou24/theorem-7"},
        "the subject of the claim does not accept these numbers",
    ),
    "normal noise against Laplace": (
        lambda: carried("ou24/theorem-6/formula") | {"claim": "ou24/algorithm-3"},
        "the noise of the certificate is gaussian, that of the claim is laplace",
    ),
    "all queries where one may move": (
        lambda: carried("ou24/algorithm-3/formula") | {"claim": "ou24/algorithm-3/one-query"},
        "the answers of all queries, but neighbours under the relation of the claim differ only in one query",
    ),
    "less noise than the claim's": (louder, "the scales of the certificate are "),
    "means that no rewards have": (impossible, "the subject of the claim does not accept these numbers (left history"),
    "another delta's step against 100 arms": (
        lambda: carried("ou24/theorem-7/formula") | {"claim": "ou24/theorem-7/many-arms"},
        "no instance of the claim has 2 options",
    ),
    "a step against a whole run": (
        lambda: carried("ou24/theorem-7/formula") | {"claim": "ou24/lemma-3"},
        "the certificate is about a single noisy maximum, but the claim is about whole runs of a policy",
    ),
    "a step against a formula": (
        lambda: carried("ou24/theorem-7/formula") | {"claim": "ou24/theorem-7/formula"},
        "the certificate is about privacy, but the claim has a statement of type Inequality",
    ),
    "no tolerance": (
        lambda: formula_certificate(LEDGER["ou24/5.1/316/value"], {}) | {"within": "0"},
        "the tolerance of the certificate is 0, but the tolerance of the claim is 0.05",
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries_are_told_apart(name: str) -> None:
    make, why = FORGERIES[name]
    found = bound(make())
    assert (found.known, found.about) == (True, False)
    assert why in found.why


# -- formulas: each part of the statement --------------------------------------------------------------------------

SQUARE = Inequality(lambda m, x: x * x, lambda m, x: 2 * x, {"x": Real(0, 9)})


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({}, ""),
        ({"left": "x**2"}, "the left side of the certificate differs from that of the claim, which is x * x"),
        ({"right": "2*x"}, "the right side of the certificate differs from that of the claim, which is 2 * x"),
        ({"given": [["0", "x"]]}, "the preconditions of the certificate differ from those of the claim: none"),
        ({"relation": "<"}, "the certificate refutes left < right, but the claim states left <= right"),
    ],
)
def test_formulas_letter_by_letter(changed: dict[str, Any], why: str) -> None:
    claim = formula(SQUARE)
    certificate = formula_certificate(claim, {"x": "3"}) | changed
    assert bound(certificate, only(claim)) == Binding(True, not why, why)


DOMAINS = [
    (Real(2, 5), {"2": False, "2.000001": True, "4.999999": True, "5": False, "6": False}),
    (Real(2, 5, closed=True), {"1.999999": False, "2": True, "5": True, "5.000001": False}),
    (Real(0.1, inf, closed=True), {"0.1": True, "0.0999999999999999999": False, "1e100": True}),
    (Whole(2, 4), {"1": False, "2": True, "3.5": False, "4": True, "5": False}),
    (Whole(2), {"2": True, "1000000": True, "5/2": False}),
    (OneOf((1, 2, 5)), {"1": True, "5": True, "8": False, "3": False}),
]


@pytest.mark.parametrize(
    ("domain", "value", "inside"),
    [(domain, value, inside) for domain, values in DOMAINS for value, inside in values.items()],
)
def test_points_of_the_domain(domain: Any, value: str, inside: bool) -> None:
    claim = formula(Inequality(lambda m, x: x, lambda m, x: x - 1, {"x": domain}))
    found = bound(formula_certificate(claim, {"x": value}), only(claim))
    assert found.about is inside
    assert inside or f"x = {exact_text(Fraction(value))} is outside the domain of the claim" in found.why


def test_points_outside_of_the_ledgers_domains() -> None:
    magnitudes = LEDGER["ou24/5.1/orders-of-magnitude"]
    assert isinstance(magnitudes.says, Inequality | Identity)
    domain = magnitudes.says.over["eta"]
    assert isinstance(domain, OneOf)
    assert 8 not in domain.values
    for name, variable, value in (("ou24/5.1/orders-of-magnitude", "eta", "8"), ("ou24/definition-2", "mu", "-1")):
        claim = LEDGER[name]
        assert isinstance(claim.says, Inequality | Identity)
        point = dict.fromkeys(claim.says.over, "1") | {variable: value}
        found = binding_of(formula_certificate(claim, point), LEDGER)
        assert not found.about
        assert f"{variable} = {value} is outside the domain of the claim" in found.why


def test_variables_of_another_name() -> None:
    claim = formula(SQUARE)
    renamed = constants(
        "toy/claim", "y * y", "2 * y", variables={"y": "3"}, left_enclosure=["9", "9"], right_enclosure=["6", "6"]
    )
    assert bound(renamed, only(claim)).why == "y is not a variable of the claim"


@pytest.mark.parametrize("many", [Whole(1), Whole(1, 3), Whole(3)])
def test_a_sum_that_is_written_out(many: Whole) -> None:
    """sum_{k<=n} x <= 2x is false from n = 3 on; the certificate keeps x, and n is in the sum."""
    claim = formula(
        Inequality(
            lambda m, n, x: sum((x for _ in range(n)), m.number(0)), lambda m, n, x: 2 * x, {"n": many, "x": Real(0, 9)}
        )
    )
    certificate = formula_certificate(claim, {"x": "1"}, {"n": 3}, ("n",))
    assert bound(certificate, only(claim)).about
    other = certificate | {"left": "0 + x + x + 2 * x", "left_enclosure": ["4", "4"]}
    assert not bound(other, only(claim)).about


def test_a_claim_without_formulas_has_no_certificate() -> None:
    claim = formula(Unjudged("a toy"))
    found = bound(constants("toy/claim", "1", "0"), only(claim))
    assert found.why == "the certificate compares two formulas, but the claim has a statement of type Unjudged"


def test_the_ledger_is_contradicted_loudly() -> None:
    claim = formula(SQUARE, expect=Verdict.PROVED)
    found = bound(formula_certificate(claim, {"x": "3"}), only(claim))
    assert found.about
    assert found.why.startswith("CONTRADICTION: the ledger expects toy/claim to be PROVED")


def test_a_strangers_claim() -> None:
    found = bound(constants("mine/claim", "1", "0"))
    assert (found.known, found.about) == (False, False)
    assert "'mine/claim' is not in this version's ledger" in found.why


# -- promises ------------------------------------------------------------------------------------------------------


def threshold(eps: str, delta: str, **variables: str) -> Certificate:
    """A threshold test between N(0, 1) and N(1, 1), nearly: P = 1/2 and P = Phi(-1) = 0.1587."""
    return step_certificate(
        "toy/claim", "gaussian", ["1", "1/1000"], ["1", "1"], ["0", "1"], ["1", "0"], [0], eps, delta, "one", variables
    )


def noisy(curve: Any, relation: str = "query") -> Claim:
    def subject(left: tuple[float, ...], right: tuple[float, ...]) -> Step:
        return Step(GaussianNoisyMax((1.0, 1e-3)), left, right, (1.0, 0.0))

    says = Private(relation, "arms", lambda step: curve)
    return replace(formula(says), subject=subject, params=({"left": (0.0, 0.0), "right": (1.0, 0.0)},))


FAMILY = Family(lambda m, delta: 1 / m.number(2) - delta, 0.1, 0.2)  # eps = 0.4 at delta = 0.1


@pytest.mark.parametrize(
    ("curve", "eps", "delta", "about"),
    [
        (Approximate(1.0, 0.01), "1", "0.01", True),
        (Approximate(1.0, 0.01), "1.05", "0.02", True),
        (Approximate(1.0, 0.01), "0.99", "0.01", False),
        (Approximate(1.0, 0.01), "1", "0.009", False),
        (FAMILY, "0.4", "0.1", True),
        (FAMILY, "0.5", "0.1", True),
        (FAMILY, "0.39", "0.1", False),
        (FAMILY, "0.5", "0.09", False),
        (FAMILY, "0.3", "0.2", True),
        (FAMILY, "0.3", "0.21", False),
        (Gaussian(0.5), "0", "ncdf(1/4) - ncdf(-1/4)", True),
        (Gaussian(0.5), "0", "0.19", False),  # Phi(1/4) - Phi(-1/4) = 0.1974
        (Gaussian(0.0), "1", "0", True),
        (None, "1", "0", False),
    ],
)
@pytest.mark.parametrize("relation", ["query", "queries"])
def test_what_the_claim_promises(curve: Any, eps: str, delta: str, about: bool, relation: str) -> None:
    assert bound(threshold(eps, delta), only(noisy(curve, relation))).about is about


def test_a_violation_by_rounding_is_none() -> None:
    """P_left = 1/2 against e^eps P_right with eps short of log(P_left/P_right) by 1e-12 only."""
    exact = threshold("0", "0")
    eps = "log(0.5/ncdf(-1/sqrt(1.000001))) - 1e-12"
    promise = Family(lambda m, delta: m.log(m.number("0.5") / m.ncdf(-1 / m.sqrt(m.number("1.000001")))) - 1e-12, 0, 1)
    assert verify(exact).ok
    found = bound(threshold(eps, "0"), only(noisy(promise)))
    assert (
        found.why
        == "the certified violation is so small that the rounding of the claim's numbers in the ledger could explain "
        "the violation"
    )


def test_a_promise_that_fails_is_none() -> None:
    """log(-delta) at the certificate's delta: the claim says nothing there, and nothing is about it."""
    found = bound(threshold("1", "0.01"), only(noisy(Family(lambda m, delta: m.log(-delta), 0, 1))))
    assert not found.about
    assert found.why.startswith("the claim cannot be rebuilt from it (ValueError: ")


def thompson(curve: Any, relation: str = "pull", **other: Any) -> Claim:
    return replace(
        formula(Private(relation, "arms", lambda policy: curve)),
        subject=lambda **parameters: ThompsonSampling(**parameters, **other),
        params=({"arms": 2, "horizon": 2},),
    )


def run_certificate(reward: float = 1.0) -> Certificate:
    """Thompson sampling of 2 rounds is not (0.01, 0)-DP: this first reward instead of 0 makes arm 0 likelier."""
    policy, pair = ThompsonSampling(2, 2), flipped("pull", [[0.0, 0.0], [0.0, 0.0]], 0, 0, reward)
    made = policy_refutation("toy/claim", policy, pair, Approximate(0.01), exact_profile(policy, pair, 1e-3), 0.0)
    assert made is not None
    return made


def test_whole_runs() -> None:
    certificate = run_certificate()
    assert bound(certificate, only(thompson(Approximate(0.01)))) == Binding(True, True, "")
    assert (
        "the claim states eps = 0.02, but the certificate refutes only eps = 0.01"
        in bound(certificate, only(thompson(Approximate(0.02)))).why
    )
    assert (
        "the certificate uses the relation 'pull', but the claim uses"
        in bound(certificate, only(thompson(Approximate(0.01), "round"))).why
    )
    louder = thompson(Approximate(0.01), spread=lambda n: 4 / (n + 1))
    assert "the steps of the certificate differ from those of" in bound(certificate, only(louder)).why
    assert "the certificate is about a single" in bound(threshold("1", "0"), only(thompson(Approximate(1.0)))).why


class Halves(ThompsonSampling):
    """For rewards up to 1/2."""

    reward_range = (0.0, 0.5)


class Coins(ThompsonSampling):
    """For rewards of 0 and 1."""

    reward_range = frozenset({0.0, 1.0})


def test_a_run_on_rewards_that_the_policy_does_not_take() -> None:
    claim = thompson(Approximate(0.01))
    whole = bound(run_certificate(), only(replace(claim, subject=Halves)))
    assert whole == Binding(
        True, False, "the rewards of the certificate lie in (0.0, 1.0), those of the claim in (0.0, 0.5)"
    )
    assert bound(run_certificate(), only(replace(claim, subject=Coins))).about
    fractional = bound(run_certificate(0.5), only(replace(claim, subject=Coins)))
    assert fractional == Binding(
        True, False, "a reward of the certificate is 0.5, but the policy of the claim takes {0.0, 1.0}"
    )


@pytest.mark.parametrize(
    ("policy", "relation", "place", "eps"),
    [
        pytest.param(ThompsonSampling(3, 3), "pull", 0, 0.1, marks=pytest.mark.thorough),  # its checker takes a while
        (ModifiedThompsonSampling(2, 9, 3, warm=forgotten), "round", 6, 0.05),
        (QuotedThompsonSampling(2, 8), "round", 0, 0.5),
    ],
)
def test_whole_runs_of_other_thompson_sampling(policy: Any, relation: str, place: int, eps: float) -> None:
    """Three arms, pre-pulls that are forgotten, no prior count: as selections among normals, on tables and streams."""
    table = np.zeros((policy.arms, policy.horizon))
    table[0, :place] = 1.0  # what is forgotten
    pair = flipped(relation, table, 0, place, 1.0)
    exact = exact_profile(policy, pair, 1e-3)
    certificate = policy_refutation("toy/claim", policy, pair, Approximate(eps, 1e-9), exact, eps)
    assert certificate is not None
    assert certificate["type"] == "release"
    assert verify(certificate).ok
    assert release_difference(certificate, policy) == ""
    louder = replace(
        policy, **({"variance": 4.0} if hasattr(policy, "variance") else {"spread": lambda n: 4 / (n + 1)})
    )
    assert "the steps of the certificate differ from those of" in release_difference(certificate, louder)
    longer = replace(policy, horizon=policy.horizon + 1)
    assert release_difference(certificate, longer).endswith(
        f" rewards for each arm, but T = {policy.horizon + 1} in the claim"
    )
    more = replace(policy, arms=policy.arms + 1)
    assert release_difference(certificate, more).endswith(f" arms, but the policy of the claim has {policy.arms + 1}")


def test_a_policy_that_releases_an_event_with_another_chance_is_another_one() -> None:
    """Another by more than a millionth of it, beyond either of the ends that the checker has certified."""
    policy, pair = ThompsonSampling(3, 2), flipped("pull", np.zeros((3, 2)), 0, 0, 1.0)
    exact = exact_profile(policy, pair, 1e-3)
    certificate = policy_refutation("toy/claim", policy, pair, Approximate(0.01, 1e-9), exact, 0.01)
    assert certificate is not None
    for side in ("left", "right"):
        name = f"{side}_probability"
        low, high = certificate[name]
        own = re.search(
            rf"with probability (.*) on the {side} table$", release_difference(certificate | {name: [1, 1]}, policy)
        )
        assert own is not None
        assert 0.01 < Fraction(low) <= Fraction(own[1]) <= Fraction(high) < 0.5
        for factor, alike in ((1 + 9e-7, True), (1 - 9e-7, True), (1 + 1.1e-6, False), (1 - 1.1e-6, False)):
            end = str(Fraction(own[1]) * Fraction(factor))
            ends = [end, high] if factor > 1 else [low, end]
            assert (release_difference(certificate | {name: ends}, policy) == "") is alike


@pytest.mark.parametrize(("close", "alike"), [(9e-13, True), (1.1e-12, False)])
def test_steps_are_the_same_up_to_the_rounding_of_their_numbers(close: float, alike: bool) -> None:
    """Wherever a number stands; of words and of what is listed nothing may differ."""
    steps = [{"noise": "laplace", "scales": ["3", "1/7"], "releases": [{"kept": [0, 1], "next": -1}]}]
    for sign in (1, -1):
        for place in (0, 1):
            other = deepcopy(steps)
            scales: Any = other[0]["scales"]
            scales[place] = str(Fraction(scales[place]) * (1 + sign * Fraction(close)))
            assert steps_agree(steps, other) is steps_agree(other, steps) is alike
    assert steps_agree(steps, deepcopy(steps))
    for change in (
        {"noise": "gaussian"},
        {"scales": ["3"]},
        {"scales": ["-3", "1/7"]},
        {"releases": [{"kept": [0, 2], "next": -1}]},
        {"releases": [{"kept": [0, 1], "next": 0}]},
        {"size": "0"},
    ):
        assert not steps_agree(steps, [steps[0] | change])
        assert not steps_agree([steps[0] | change], steps)


def test_a_run_against_a_lemma_that_it_does_not_break() -> None:
    """Lemma 3 promises 1-GDP at T = 2; (0.01, 0)-DP is far less."""
    found = bound(run_certificate() | {"claim": "ou24/lemma-3"})
    assert sqrt(2 / 2) == 1
    assert found.why.startswith("for the parameters in the certificate, the claim states delta = ")


# -- the command ---------------------------------------------------------------------------------------------------


def test_the_command_says_which_of_three(tmp_path: Path) -> None:
    good = formula_certificate(LEDGER["ou24/lemma-12"], FORMULAS["ou24/lemma-12"])
    files = {
        "good": (good, 0, "verified, and about claim ou24/lemma-12\n"),
        "forged": (
            constants("ou24/lemma-2", "1", "0"),
            1,
            "the arithmetic is right, but it is not about claim ou24/lemma-2: ",
        ),
        "wrong": (constants("ou24/lemma-2", "0", "1"), 1, "rejected: left <= right is not violated"),
        "mine": (constants("mine/claim", "1", "0"), 0, "verified, the arithmetic only: claim 'mine/claim' is not in"),
    }
    for name, (certificate, status, words) in files.items():
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(certificate))
        done = CliRunner().invoke(main, ["verify", str(path)])
        assert done.exit_code == status, done.output
        assert f"{path}: {words}" in done.output
        assert (": verified" in done.output) is (status == 0)
