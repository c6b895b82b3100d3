"""A pytest plugin: every property test states how many of its drawn examples are not vacuous, and fails below that.

A property "for all x with P(x), Q(x)" passes as well where P(x) never holds. So a `@given` test has a mark,
`@pytest.mark.nonvacuous(minimum)`. Only examples that hypothesis draws are counted, without those of `@example`:

- If the test calls `nonvacuous_if(condition)`, an example counts where a condition was true and the test then reached
  its end. The condition says what makes the statement falsifiable at this example: the two laws differ, the event has
  positive probability, the premise holds.
- Otherwise every example counts that reaches the end (`assume` ends the others). This is for tests that assert
  something at every example: the test must contain an assertion that no `if`, loop or `return` can skip.

`-rP` shows the count of each test, the summary their sum.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

PROPERTY = "nonvacuous examples"  # the name under which a test's report has its count
LEAST_SHARE = 4  # a minimum below a quarter of the examples that are asked for is no minimum


@dataclass
class Example:
    """The example that is being tried."""

    nonvacuous: bool = False


current: list[Example] = []  # the running test's example, if a property test is running


class Count(NamedTuple):
    """What a test's examples came to: drawn ones that reached the test's end, and those that were not vacuous."""

    drawn: int
    nonvacuous: int
    minimum: int

    def __str__(self) -> str:
        return f"{self.nonvacuous} of {self.drawn} drawn examples were not vacuous; stated minimum: {self.minimum}"


def nonvacuous_if(condition: Any) -> None:
    """Counts this example of a property test as not vacuous if the condition is true. Of several calls in one example,
    one true condition is enough."""
    if not current:
        raise RuntimeError("nonvacuous_if was called outside of a property test (@given)")
    current[-1].nonvacuous |= bool(condition)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "nonvacuous(minimum): so many examples of a @given test are not vacuous (tests/vacuity.py)"
    )


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[Any]:
    """Counts the examples of a property test while it runs, and fails it below its minimum, or where it states none."""
    test = pyfuncitem.obj
    if not getattr(test, "is_hypothesis_test", False):
        return (yield)
    handle, inner = test.hypothesis, test.hypothesis.inner_test
    conditional = calls(inner, nonvacuous_if.__name__)
    minimum = stated(pyfuncitem, inner, conditional)
    # Examples given by @example run first; they are no evidence about the strategy.
    given = len(getattr(test, "hypothesis_explicit_examples", ()))
    ended: list[bool] = []
    handle.inner_test = counting(inner, conditional, ended)
    try:
        result = yield
    finally:
        handle.inner_test = inner
    count = Count(len(ended[given:]), sum(ended[given:]), minimum)
    pyfuncitem.user_properties.append((PROPERTY, tuple(count)))  # xdist sends plain types only
    pyfuncitem.add_report_section("call", PROPERTY, str(count))
    if count.nonvacuous < minimum:
        pytest.fail(f"{count}. Draw inputs that meet the statement's premises", pytrace=False)
    return result


def counting(inner: Callable[..., Any], conditional: bool, ended: list[bool]) -> Callable[..., Any]:
    """The test's function, which appends to `ended` whether an example that reached its end was not vacuous."""

    @functools.wraps(inner)  # hypothesis derives its examples from the source, which it reads through __wrapped__
    def run(*args: Any, **kwargs: Any) -> Any:
        current.append(Example(nonvacuous=not conditional))
        try:
            result = inner(*args, **kwargs)
            ended.append(current[-1].nonvacuous)
        finally:
            current.pop()
        return result

    return run


def stated(item: pytest.Function, inner: Callable[..., Any], conditional: bool) -> int:
    """The minimum that a property test states. Fails a test that states none, or could reach it without asserting."""
    mark = item.get_closest_marker("nonvacuous")
    if mark is None:
        pytest.fail(
            "a @given test states how many examples are not vacuous: @pytest.mark.nonvacuous(minimum), see "
            "tests/vacuity.py",
            pytrace=False,
        )
    (minimum,) = mark.args
    asked = item.obj._hypothesis_internal_use_settings.max_examples
    if minimum * LEAST_SHARE < asked:
        pytest.fail(f"nonvacuous({minimum}): state at least {asked / LEAST_SHARE:g} of {asked} examples", pytrace=False)
    if not conditional and not always_asserts(body(inner)):
        pytest.fail(
            "an example may pass without reaching an assertion; say with nonvacuous_if(condition) which examples count",
            pytrace=False,
        )
    return minimum


def body(function: Callable[..., Any]) -> list[ast.stmt]:
    """The statements of a function, read from its source."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(definition, ast.FunctionDef)
    return definition.body


def calls(function: Callable[..., Any], name: str) -> bool:
    """Whether a function's source contains a call of this name."""
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
        for statement in body(function)
        for node in ast.walk(statement)
    )


def always_asserts(statements: list[ast.stmt]) -> bool:
    """Whether an assertion comes before any `return`, outside of conditions and loops: `assert`, a call of a function
    whose name begins with "assert", or a `with` block that expects an exception."""
    for statement in statements:
        if isinstance(statement, ast.Assert) or (isinstance(statement, ast.Expr) and asserts(statement.value)):
            return True
        if isinstance(statement, ast.With) and (
            any("raises" in ast.unparse(item.context_expr) for item in statement.items)
            or always_asserts(statement.body)
        ):
            return True
        is_definition = isinstance(statement, ast.FunctionDef)  # whose returns are its own
        if not is_definition and any(isinstance(node, ast.Return) for node in ast.walk(statement)):
            return False
    return False


def asserts(expression: ast.expr) -> bool:
    return isinstance(expression, ast.Call) and ast.unparse(expression.func).rpartition(".")[2].startswith("assert")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    counts = [
        count
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "call"
        for name, count in report.user_properties
        if name == PROPERTY
    ]
    if counts:
        drawn, nonvacuous, _ = map(sum, zip(*counts, strict=True))
        terminalreporter.write_line(
            f"{len(counts)} property tests: {nonvacuous} of {drawn} drawn examples were not vacuous"
        )
