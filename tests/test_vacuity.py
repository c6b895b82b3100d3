"""The plugin that counts examples of property tests: what it refuses, and what it counts. Not covered: xdist."""

from __future__ import annotations

from textwrap import indent

import pytest

HEAD = """
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from vacuity import nonvacuous_if

@settings(max_examples=20, deadline=None, derandomize=True, database=None)
"""


@pytest.fixture
def ran(pytester: pytest.Pytester):
    """Runs one property test, given by its decorators and body, and returns what pytest prints and the outcomes."""

    def run(decorators: str, body: str) -> tuple[str, dict[str, int]]:
        pytester.makeconftest('pytest_plugins = ["vacuity"]')
        pytester.makepyfile(f"{HEAD}{decorators}\ndef test_it(x):\n{indent(body, '    ')}\n")
        done = pytester.runpytest_inprocess("-p", "no:dpbandits", "-p", "no:xdist", "-p", "no:cacheprovider")
        return done.stdout.str(), done.parseoutcomes()

    return run


TRUE = "@pytest.mark.nonvacuous(10)\n@given(st.integers(0, 99))"


def test_enough_examples_pass_and_are_reported(ran):
    out, outcomes = ran(TRUE, "nonvacuous_if(x >= 0)\nassert x >= 0")
    assert outcomes == {"passed": 1}
    assert "1 property tests: 20 of 20 drawn examples were not vacuous" in out


@pytest.mark.parametrize(
    "body",
    [
        "nonvacuous_if(x > 99)\nassert True",  # the premise never holds
        "if x > 99:\n    nonvacuous_if(True)\n    assert False",
        "nonvacuous_if(x > 97)\nassert True",  # too rarely
        "if x < 97:\n    return\nnonvacuous_if(True)\nassert x > 96",  # hardly any example reaches the end
    ],
)
def test_too_few_examples_fail(ran, body):
    out, outcomes = ran(TRUE, body)
    assert outcomes == {"failed": 1}
    assert "drawn examples were not vacuous; stated minimum: 10" in out


def test_a_strategy_that_never_meets_the_premise_fails(ran):
    """The same test with a strategy that does is green."""
    body = "nonvacuous_if(sorted(x) != x)\nassert sorted(sorted(x)) == sorted(x)"
    for strategy, outcome in (
        ("st.lists(st.integers(), max_size=1)", "failed"),
        ("st.permutations(range(9))", "passed"),
    ):
        out, outcomes = ran(f"@pytest.mark.nonvacuous(5)\n@given({strategy})", body)
        assert outcomes == {outcome: 1}, out


def test_examples_given_by_hand_do_not_count(ran):
    given = "".join(f"@example({k})\n" for k in range(100, 110))
    out, outcomes = ran(f"{given}{TRUE}", "nonvacuous_if(x >= 100)\nassert True")
    assert outcomes == {"failed": 1}
    assert "0 of 20 drawn examples were not vacuous" in out


@pytest.mark.parametrize(
    ("decorators", "message"),
    [
        ("@given(st.integers())", "a @given test states how many examples are not vacuous"),
        ("@pytest.mark.nonvacuous(4)\n@given(st.integers())", "nonvacuous(4): state at least 5 of 20 examples"),
        ("@pytest.mark.nonvacuous(0)\n@given(st.integers())", "nonvacuous(0): state at least 5 of 20 examples"),
    ],
)
def test_a_minimum_is_stated_and_is_one(ran, decorators, message):
    out, outcomes = ran(decorators, "assert x == x")
    assert outcomes == {"failed": 1}
    assert message in out


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("assert x == x", "passed"),
        ("if x > 99:\n    return\nassert x <= 99", "failed"),
        ("if x > 99:\n    assert False", "failed"),
        ("for y in range(0):\n    assert False", "failed"),
        ("assert_small = lambda y: y\nassert_small(x)", "passed"),
        ("with pytest.raises(ZeroDivisionError):\n    x / 0", "passed"),
        ("def double(y):\n    return 2 * y\nassert double(x) == x + x", "passed"),
        ("pass", "failed"),
    ],
)
def test_all_examples_count_only_where_each_is_asserted_about(ran, body, outcome):
    out, outcomes = ran(TRUE, body)
    assert outcomes == {outcome: 1}, out
    assert ("an example may pass without reaching an assertion" in out) is (outcome == "failed")


def test_a_condition_outside_of_a_property_test_is_an_error(pytester: pytest.Pytester):
    pytester.makepyfile("from vacuity import nonvacuous_if\ndef test_it():\n    nonvacuous_if(True)")
    done = pytester.runpytest_inprocess("-p", "no:dpbandits", "-p", "vacuity", "-p", "no:cacheprovider")
    assert done.parseoutcomes() == {"failed": 1}
    done.stdout.fnmatch_lines("*nonvacuous_if was called outside of a property test*")


def test_what_is_drawn_does_not_depend_on_being_counted(pytester: pytest.Pytester):
    """hypothesis derives its examples from the source of the test, not of the function that counts."""
    source = "drawn = []\n" + HEAD.strip() + "\n@pytest.mark.nonvacuous(10)\n@given(st.integers())\ndef test_it(x):\n"
    source += "    drawn.append(x)\n    assert True\ndef test_drawn():\n    print('DRAWN', drawn)\n"
    pytester.makepyfile(source)
    rows = []
    for plugin in (["-p", "vacuity"], ["-p", "no:vacuity"]):
        done = pytester.runpytest_inprocess("-s", "-p", "no:dpbandits", "-p", "no:cacheprovider", *plugin)
        rows += [row for row in done.stdout.lines if "DRAWN" in row]
    assert len(rows) == 2
    assert rows[0] == rows[1]
