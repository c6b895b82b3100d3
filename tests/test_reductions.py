"""A proof in steps proves what it is about, and nothing where a step was not shown."""

from __future__ import annotations

from typing import Any

import pytest

from dpbandits.proofs_checks.judge.effort import Effort
from dpbandits.proofs_checks.judge.reductions import Reduction, Step, encloses, never_less, reduced, same
from dpbandits.reference.ledger import Basis, Claim, Identity, Inequality, Real, Source, Verdict

QUICK = Effort(points=200, rounds=5, boxes=50, exact=4)


def claim(within: float = 0.0) -> Claim:
    """e log x <= x, with equality at e: neither algebra nor boxes decide it."""
    says = Inequality(lambda m, x: m.exp(m.number(1)) * m.log(x), lambda m, x: x + m.number(within), {"x": Real(1, 9)})
    return Claim("toy/tangent", Source("toy", "Lemma 1", "so it is"), says, expect=Verdict.PROVED)


def step(holds: bool, how: Basis = Basis.INTERVALS) -> Step:
    return Step("a step", lambda: holds, how)


@pytest.mark.parametrize("shown", [(True, True, False), (False, True, True), (False,)])
def test_a_step_that_was_not_shown_proves_nothing(shown: tuple[bool, ...]) -> None:
    lemma = reduced(Reduction("because", tuple(map(step, shown))), claim())
    found = lemma(claim(), QUICK, 0)
    assert found.verdict is Verdict.CONSISTENT
    assert found.summary.endswith("A step of the proof was not shown.")
    assert [row[2] for row in found.evidence[-1]["rows"]] == ["yes" if ok else "not shown" for ok in shown]


def test_a_proof_in_words_is_argued_on_all_that_its_steps_rest_on() -> None:
    steps = (step(True), step(True, Basis.ALGEBRA))
    found = reduced(Reduction("because", steps), claim())(claim(), QUICK, 0)
    assert (found.verdict, found.summary) == (Verdict.ARGUED, "because")
    assert set(found.rests_on) == {Basis.WORDS, Basis.INTERVALS, Basis.ALGEBRA}


def test_a_proof_does_not_speak_about_other_formulas() -> None:
    found = reduced(Reduction("because", (step(True),)), claim())(claim(1e-30), QUICK, 0)
    assert found.verdict is Verdict.CONSISTENT
    assert "about other formulas" in found.summary


def test_a_proof_of_near_equality_is_none_of_equality() -> None:
    """The sides differ by e^-1000000, which 50 digits do not show."""

    def near(within: float) -> Claim:
        says = Identity(lambda m, x: x + m.exp(m.number(-(10**6))), lambda m, x: x, {"x": Real(1, 9)}, within)
        return Claim("toy/near", Source("toy", "Lemma 2", "so it is"), says, expect=Verdict.PROVED)

    found = reduced(Reduction("because", (step(True),)), near(0.005))(near(0), QUICK, 0)
    assert found.verdict is Verdict.CONSISTENT
    assert "about other formulas" in found.summary


@pytest.mark.parametrize(
    ("made", "holds"),
    [
        (same("s", lambda m, x: (x + 1) ** 2, lambda m, x: x * x + 2 * x + 1, "x"), True),
        (same("s", lambda m, x: (x + 1) ** 2, lambda m, x: x * x + 2 * x, "x"), False),
        (never_less("n", lambda m, x: x, lambda m, x: x * x, {"x": Real(1, 5)}), True),
        (never_less("n", lambda m, x: x * x, lambda m, x: x, {"x": Real(1, 5)}), False),
        (encloses("e", lambda m, x: m.exp(x), lambda m, x: m.number(3), {"x": Real(0, 1)}), True),
        (encloses("e", lambda m, x: m.exp(x), lambda m, x: m.number("2.7"), {"x": Real(0, 1)}), False),
    ],
)  # fmt: skip
def test_steps_hold_where_they_are_true(made: Any, holds: bool) -> None:
    assert made.holds() is holds
