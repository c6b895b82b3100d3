"""A proof in steps proves what it is about, and nothing where a step was not shown."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from dpbandits import Approximate, Verdict
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.reductions import (
    ProofStep,
    Reduction,
    enclosure_step,
    equality_step,
    inequality_step,
    lemma_by_reduction,
    one_line,
)
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers import hidden_means
from dpbandits.reference.claims.model import Basis, Claim, Finding, Identity, Inequality, Private, Real, Source

QUICK = Effort(points=200, rounds=5, boxes=50, exact=4)


def claim(within: float = 0.0) -> Claim:
    """e log x <= x, with equality at e: neither algebra nor boxes decide it."""
    says = Inequality(lambda m, x: m.exp(m.number(1)) * m.log(x), lambda m, x: x + m.number(within), {"x": Real(1, 9)})
    return Claim("toy/tangent", Source("toy", "Lemma 1", "so it is"), says, expect=Verdict.PROVED)


def step(holds: bool, how: Basis = Basis.INTERVALS) -> ProofStep:
    return ProofStep("a step", lambda: holds, how)


@pytest.mark.parametrize("shown", [(True, True, False), (False, True, True), (False,)])
def test_a_step_that_was_not_shown_proves_nothing(shown: tuple[bool, ...]) -> None:
    lemma = lemma_by_reduction(Reduction("because", tuple(map(step, shown))), claim())
    found = lemma(claim(), QUICK, 0)
    assert found.verdict is Verdict.CONSISTENT
    assert found.summary.endswith("A step of the proof was not shown.")
    assert [row[2] for row in found.evidence[-1]["rows"]] == ["yes" if ok else "not shown" for ok in shown]


def test_a_proof_in_words_is_argued_on_all_that_its_steps_rest_on() -> None:
    steps = (step(True), step(True, Basis.ALGEBRA))
    found = lemma_by_reduction(Reduction("because", steps), claim())(claim(), QUICK, 0)
    assert (found.verdict, found.summary) == (Verdict.ARGUED, "because")
    assert set(found.rests_on) == {Basis.WORDS, Basis.INTERVALS, Basis.ALGEBRA}


def test_a_proof_that_a_theorem_carries_too_says_its_own_words() -> None:
    @machine_checked(__file__, "toy_tangent", "Word for word.")
    def tangent(claim: Claim, effort: Effort, seed: int) -> Finding:
        """The line is
        the tangent."""
        return Finding(claim.id, Verdict.ARGUED, one_line(tangent))

    assert tangent(claim(), QUICK, 0).summary == "The line is the tangent."


def test_no_argument_overrules_a_violation_that_the_checker_does_not_follow() -> None:
    """As of a variable that is called like one of the checker's functions."""
    false = replace(claim(), says=Inequality(lambda m, exp: exp, lambda m, exp: m.number(5), {"exp": Real(1, 9)}))
    found = lemma_by_reduction(Reduction("because", (step(True),)), false)(false, QUICK, 0)
    assert found.verdict is Verdict.CONSISTENT
    assert found.uncertified


def test_a_proof_does_not_speak_about_other_formulas() -> None:
    found = lemma_by_reduction(Reduction("because", (step(True),)), claim())(claim(1e-30), QUICK, 0)
    assert found.verdict is Verdict.CONSISTENT
    assert "about other formulas" in found.summary


def test_a_proof_of_near_equality_is_none_of_equality() -> None:
    """The sides differ by e^-1000000, which 50 digits do not show."""

    def near(within: float) -> Claim:
        says = Identity(lambda m, x: x + m.exp(m.number(-(10**6))), lambda m, x: x, {"x": Real(1, 9)}, within)
        return Claim("toy/near", Source("toy", "Lemma 2", "so it is"), says, expect=Verdict.PROVED)

    found = lemma_by_reduction(Reduction("because", (step(True),)), near(0.005))(near(0), QUICK, 0)
    assert found.verdict is Verdict.CONSISTENT
    assert "about other formulas" in found.summary


@pytest.mark.parametrize(
    ("made", "holds"),
    [
        (equality_step("s", lambda m, x: (x + 1) ** 2, lambda m, x: x * x + 2 * x + 1, "x"), True),
        (equality_step("s", lambda m, x: (x + 1) ** 2, lambda m, x: x * x + 2 * x, "x"), False),
        (inequality_step("n", lambda m, x: x, lambda m, x: x * x, {"x": Real(1, 5)}), True),
        (inequality_step("n", lambda m, x: x * x, lambda m, x: x, {"x": Real(1, 5)}), False),
        (enclosure_step("e", lambda m, x: m.exp(x), lambda m, x: m.number(3), {"x": Real(0, 1)}), True),
        (enclosure_step("e", lambda m, x: m.exp(x), lambda m, x: m.number("2.7"), {"x": Real(0, 1)}), False),
    ],
)  # fmt: skip
def test_steps_hold_where_they_are_true(made: Any, holds: bool) -> None:
    assert made.holds() is holds


# -- policies that hold noisy means in secret --------------------------------------------------------------------------


def known_losses(shares: dict[float, float]) -> hidden_means.Losses:
    """Of each eps one policy, whose largest loss is at least this share of it, and at most 1.5 times that."""

    def loss(policy: Any, base: tuple[int, int], spot: int, relation: str = "pull") -> hidden_means.Loss:
        low = shares[policy.eps] * policy.eps
        least = low if (base, spot) in (((0, 0), 0), ((1, 0), 1)) else 0.0
        return hidden_means.Loss(policy, base, hidden_means.place(spot, relation), least, 1.5 * low)

    return loss


@pytest.mark.parametrize(
    ("shares", "verdict"),
    [
        ({0.5: 0.9, 4.0: 0.7}, Verdict.ARGUED),
        ({0.5: 1 + 5e-10, 4.0: 0.1}, Verdict.ARGUED),  # within what doubles say
        ({0.5: 1 + 2e-9, 4.0: 0.99}, Verdict.REFUTED),
        ({0.5: 0.99, 4.0: 1.01}, Verdict.REFUTED),
    ],
)
def test_a_loss_is_measured_by_the_eps_of_its_own_policy(shares: dict[float, float], verdict: Verdict) -> None:
    loss = known_losses(shares)
    says = Private("pull", "arms", lambda policy: Approximate(policy.eps, 0.0))
    source = Source("toy", "Theorem 1", "so it is")
    given = tuple({"eps": eps, "horizon": 7} for eps in shares)
    about = Claim("toy/private", source, says, Verdict.PROVED, subject=SimpleNamespace, params=given)
    found = hidden_means.private(about, "Toy", "because", (step(True),), loss_of=loss)
    assert found.verdict is verdict
    worst = max(shares, key=lambda eps: shares[eps])
    if verdict is Verdict.REFUTED:
        assert f"a loss of at least {shares[worst] * worst:.9g}" in found.summary
        assert f"eps={worst}" in found.summary
    else:
        assert f"is {shares[worst]:.9f} eps" in found.summary
        unproved = hidden_means.private(about, "Toy", "because", (step(True), step(False)), loss_of=loss)
        assert unproved.verdict is Verdict.CONSISTENT
    rows = found.evidence[0]["rows"]
    assert [(row[0], row[3]) for row in rows] == [(f"T = 7, eps = {eps:g}", eps) for eps in shares for _ in range(4)]
    assert [row[4] for row in rows[:4]] == [shares[0.5] / 2, 0.0, 0.0, shares[0.5] / 2]
    assert rows[3][1:3] == ["arm 0 pays 1, arm 1 pays 0", "pull 1 of arm 0"]


@pytest.mark.parametrize(("least", "verdict"), [(0.999_999_1, Verdict.PROVED), (0.999_998_9, Verdict.CONSISTENT)])
def test_a_bound_is_attained_by_each_policy(least: float, verdict: Verdict) -> None:
    policies: list[Any] = [SimpleNamespace(eps=eps, horizon=7) for eps in (0.5, 4.0)]
    found = hidden_means.attained(claim(), "Toy", policies, loss_of=known_losses({0.5: 1.0, 4.0: least}))
    assert (found.verdict, found.summary) == (verdict, f"The privacy loss is at least {least:.9f} eps.")
    assert [row[4] for row in found.evidence[0]["rows"]] == [0.5, 4 * least]


def test_neighbours_of_hidden_means_differ_in_one_reward_that_pays_the_other() -> None:
    for base, spot in (((0, 0), 1), ((1, 0), 0), ((0, 1), 2)):
        pair = hidden_means.neighbours(3, base, spot)
        assert pair.relation == "pull"
        assert pair.left.tolist() == [[base[0]] * 3, [base[1]] * 3]
        right = [[base[0]] * 3, [base[1]] * 3]
        right[0][spot] = 1 - base[0]
        assert pair.right.tolist() == right
