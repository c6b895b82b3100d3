"""Mechanisms that raise, or return another number of outputs, on one of two neighbouring inputs."""

import numpy as np
import pytest

from dpbandits import audit_mechanism
from dpbandits.reference.claims.model import Verdict


def raises_on_one(value, trials, seed):
    noise = np.random.default_rng(seed).geometric(0.5, size=trials)
    if value == 1:
        raise RuntimeError("no candidate")
    return noise


def longer_on_one(value, trials, seed):
    return np.random.default_rng(seed).geometric(0.5, size=(trials, 2 + value))


def raises_at_random(share):
    """Raises with a probability that depends on the input, and returns a constant otherwise."""

    def mechanism(value, trials, seed):
        if np.random.default_rng(seed).random() < share[value]:
            raise KeyError("gone")
        return np.zeros(trials)

    return mechanism


def test_an_exception_names_the_input_and_the_call_and_says_that_it_is_an_output():
    with pytest.raises(RuntimeError, match="no candidate") as caught:
        audit_mechanism(raises_on_one, 0, 1, eps=1.0, trials=400)
    (note,) = caught.value.__notes__
    assert "the mechanism raised RuntimeError on the right input 1, in the call 'audit 0'" in note
    assert "give on_error='output'" in note


@pytest.mark.parametrize("sequential", [False, True])
def test_another_number_of_outputs_names_both_inputs(sequential):
    message = "have length 2 per trial on the left input 0 and length 3 on the right input 1; .*on_error='output'"
    with pytest.raises(ValueError, match=message):
        audit_mechanism(longer_on_one, 0, 1, eps=1.0, trials=400, sequential=sequential)


@pytest.mark.parametrize("mechanism", [raises_on_one, longer_on_one])
def test_as_an_output_it_refutes(mechanism):
    found = audit_mechanism(mechanism, 0, 1, eps=1.0, trials=400, on_error="output")
    assert found.verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("share", "verdict"), [((0.5, 0.5 * np.e**-1.0), Verdict.REFUTED), ((0.5, 0.45), Verdict.CONSISTENT)]
)
def test_exceptions_at_random_are_counted_as_outputs(share, verdict):
    """At eps = 0.5: in one case the probability of the exception differs by a factor e, in the other by 1.1."""
    found = audit_mechanism(raises_at_random(share), 0, 1, eps=0.5, trials=3_000, on_error="output")
    assert found.verdict is verdict


def test_settings_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="on_error is 'nan'; choose one of 'error', 'output'"):
        audit_mechanism(raises_on_one, 0, 1, eps=1.0, on_error="nan")
    with pytest.raises(ValueError, match="on_error='output' cannot be combined with sequential=True"):
        audit_mechanism(raises_on_one, 0, 1, eps=1.0, on_error="output", sequential=True)


def test_a_mechanism_that_changes_its_input_is_no_output():
    def changes(values, trials, seed):
        values[0] += 1
        return np.zeros(trials)

    with pytest.raises(ValueError, match="the mechanism modifies its left input, so later calls"):
        audit_mechanism(changes, [0.0], [1.0], eps=1.0, trials=400, on_error="output")
