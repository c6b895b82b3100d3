"""Parts of the gate for laws: logarithms of chances, what doubles hold of them, and the chances of arms."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpbandits.reference.bandits.policy import RELATIVE, Law, by_logarithms, one_arm
from dpbandits.reference.bandits.release_laws.checked import arm_chances, checked_law, in_doubles, possible, state_count

NAN = float("nan")


def gate(law: Law) -> Law:
    """The law of step 5 from two states of two arms."""
    policy: Any = SimpleNamespace(arms=2, law=lambda t, state: law)
    return checked_law(policy, 5, np.zeros(2))


LOGS = np.log([[0.5, 0.5], [0.25, 0.75]])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"absolute_error": 1e-15}, "log is combined with absolute_error=1e-15"),
        ({"log": LOGS[:1]}, r"log has shape \(1, 2\); expected \(2, 2\), the shape of the probabilities"),
        (
            {"log": LOGS + np.array([[0, 0], [NAN, 0]], float)},
            "state 1: the logarithm of the probability of outcome 0 is nan",
        ),
        (
            {"log": LOGS + np.array([[0, np.inf], [0, 0]], float)},
            "state 0: the logarithm of the probability of outcome 1 is inf",
        ),
        (
            {"log": LOGS + np.array([[0, 0], [0, 2e-11]], float)},
            "state 1: the logarithm of the probability of outcome 1 is ",
        ),
        ({"log": LOGS - [[0, 2e-11], [0, 0]]}, "state 0: the logarithm of the probability of outcome 1 is "),
        (
            {"log": LOGS - [[0, np.inf], [0, 0]]},
            "state 0: the logarithm of the probability of outcome 1 is -inf, but the probability is 0.5",
        ),
        ({"error": 1}, r"error is 1; it must be a number in \[0, 1\)"),
        ({"absolute_error": 1.0}, "absolute_error is 1.0"),
    ],
)
def test_logarithms_that_are_none_of_the_chances_are_told(changed: dict[str, Any], message: str) -> None:
    law = by_logarithms(np.tile(np.eye(2, dtype=int), (2, 1, 1)), LOGS)
    assert gate(law).log.tolist() == LOGS.tolist()
    near = law._replace(log=LOGS + 0.9 * RELATIVE)
    assert gate(near).log.tolist() == near.log.tolist()
    with pytest.raises(ValueError, match=rf"^SimpleNamespace\.law, step 5.*{message}"):
        gate(law._replace(**changed))


def test_a_chance_of_nothing_has_the_logarithm_of_nothing() -> None:
    """And one that doubles do not hold is 0 beside its logarithm."""
    log = np.array([[0.0, -np.inf], [0.0, -2500.0]])
    law = by_logarithms(np.tile(np.eye(2, dtype=int), (2, 1, 1)), log)
    assert law.chance.tolist() == [[1, 0], [1, 0]]
    checked = gate(law)
    assert checked.log.tolist() == log.tolist()
    assert possible(checked).tolist() == [[True, False], [True, True]]
    assert possible(checked._replace(log=None)).tolist() == [[True, False], [True, False]]


def test_a_law_in_doubles_is_blurred_where_something_is_too_faint_for_them() -> None:
    """Below e^-700, and possible."""
    counts = np.tile(np.eye(2, dtype=int), (1, 1, 1))
    for faint, chance, absolute_error in (
        (-699.9, np.exp(-699.9), 0.0),
        (-700.1, 0.0, np.exp(-700.0)),
        (-np.inf, 0.0, 0.0),
    ):
        found = in_doubles(by_logarithms(counts, [[0.0, faint]]))
        assert found.log is None
        assert found.chance[0].tolist() == pytest.approx([1.0, chance], rel=1e-12, abs=0)
        assert found.absolute_error == pytest.approx(absolute_error, rel=1e-12, abs=0)
    plain = one_arm([[0.5, 0.5]])
    assert in_doubles(plain) is plain


def test_the_chances_of_arms_where_several_outcomes_pull_them() -> None:
    """An outcome that cannot come may pull as it likes."""
    counts = np.array([[[2, 0, 0], [1, 0, 0], [0, 0, 3]], [[0, 1, 0], [1, 1, 0], [0, 4, 0]]])
    law = Law(counts, np.array([[0.25, 0.5, 0.25], [0.125, 0.0, 0.875]]))
    assert arm_chances(law, "toy").tolist() == [[0.75, 0, 0.25], [0, 1, 0]]
    for chance, wrong in (([0.125, 0.5, 0.375], counts), ([0.5, 0.0, 0.5], counts * [1, 0, 1])):
        with pytest.raises(ValueError, match="toy: the law releases several"):
            arm_chances(Law(wrong, np.array([[0.25, 0.5, 0.25], chance])), "toy")


def test_the_height_of_a_state_is_that_of_its_first_array() -> None:
    assert state_count((1, np.float64(2), (3, np.zeros((4, 2))), np.zeros(5))) == 4
    assert state_count(np.zeros((3, 7))) == 3
    assert state_count((1, (2, np.float64(3)))) is state_count(7) is None
    assert state_count(((), np.zeros(0))) == 0
