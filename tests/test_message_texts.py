"""Messages of errors: whatever a slot holds, the sentence around it agrees with it.

Most messages that the code raises are templates with slots. Each is rendered with awkward values, and the
result is checked for agreement of articles and numbers, doubled words and stray punctuation.
"""

from __future__ import annotations

import ast
import re
import traceback
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpbandits.audit.pytest_plugin.failures import without_own_frames
from dpbandits.reference.arithmetic import checks

ROOT = Path(__file__).parents[1]
ROOMS = ("reference", "proofs_checks", "audit", "extensions", "reports", "src")
KINDS = re.compile(r"kind|before|part\.dtype")  # slots that hold "normal", "laplace", ...: an "a" before them is right
AT_LEAST_TWO = re.compile(r"[A-Z][A-Z_]+(\[.*\])?|[A-Z_.]+ \*\* \d+")  # constants: a plural after them is right
# What a count is compared with, or a part of: a plural after the number is right, for it is rarely 1, and reads well.
BEFORE_A_LIMIT = re.compile(r"(most|least|than|to|of|every|each|all|in|after|because|from|about) $")
PLURAL = re.compile(
    r"(arms|runs|rounds|trials|rewards|columns|entries|labels|fields|features|arguments|scores|steps|claims|lines|samples"
    r"|files|digits|states|points|seconds|options|pairs|keys)\b"
)
AWKWARD = (
    None, True, float("nan"), float("inf"), "", "a text of {braces}", (), [], {}, 10**30, -1, 1e-320, np.float64(0.5),
    np.int64(3), np.array([1.0, 2.0]), np.array([]), np.ma.array([1.0], mask=[True]), 1j, print, b"bytes",
)  # fmt: skip


@cache
def templates() -> list[tuple[str, list[str]]]:
    """All of them; when a test asks, for reading every module takes a second or two."""
    return list(raised_templates())


def raised_templates() -> Iterator[tuple[str, list[str]]]:
    """Where a message is raised, and its texts and the sources of its slots in turn, beginning with a text.
    Most have slots; a text without slots is alone."""
    for path in sorted(each for room in ROOMS for each in (ROOT / room).rglob("*.py")):
        if "out" in path.relative_to(ROOT).parts or path.is_symlink():
            continue
        source = path.read_text("utf-8")
        for node in ast.walk(ast.parse(source if "raise " in source else "")):
            if not isinstance(node, ast.Raise) or node.exc is None:
                continue
            texts = [each for each in ast.walk(node.exc) if isinstance(each, ast.JoinedStr)]
            within = {id(part) for each in texts for part in ast.walk(each) if part is not each}
            for said in ast.walk(node.exc):
                if isinstance(said, ast.Constant) and id(said) not in within:
                    if re.search("[a-z]", str(said.value)):  # and not only what joins others
                        yield f"{path.relative_to(ROOT)}:{said.lineno}", [str(said.value)]
                elif isinstance(said, ast.JoinedStr):
                    parts = [""]
                    for each in said.values:
                        if isinstance(each, ast.Constant):
                            parts[-1] += str(each.value)
                        elif isinstance(each, ast.FormattedValue):
                            parts += [ast.unparse(each.value), ""]
                    yield f"{path.relative_to(ROOT)}:{said.lineno}", parts


def faults(parts: list[str]) -> Iterator[str]:
    """What does not agree, whatever the slots hold."""
    texts, slots = parts[::2], parts[1::2]
    for before, slot, after in zip(texts[:-1], slots, texts[1:], strict=True):
        if re.search(r"\b[Aa]n? $", before) and not KINDS.search(slot):
            yield f"an article before {{{slot}}}"
        one = re.match(rf" {PLURAL.pattern}", after)
        if one and not AT_LEAST_TWO.fullmatch(slot) and not BEFORE_A_LIMIT.search(before):
            yield f"1 {one[1]}, if {{{slot}}} is 1"
    for filler in ("1", "x" * 60)[: len(texts)]:
        said = texts[0] + "".join(f"{filler}{place}{text}" for place, text in enumerate(texts[1:]))
        if found := re.search(
            rf"  |[,;]{{2}}|[,;] ?$| [,;)]|\.\.(?!\.)(?<!\.\.\.)|\( |\b(?i:([a-z]{{2,}}) \1)\b|\b1 {PLURAL.pattern}",
            said,
        ):
            yield f"{found.group()!r} in {said!r}"


def test_there_are_messages() -> None:
    assert sum(len(parts) > 1 for _, parts in templates()) > 600
    assert sum(len(parts) == 1 for _, parts in templates()) > 200


@pytest.mark.parametrize(
    ("parts", "wrong"),
    [
        (["a ", "name", " is missing"], ["an article before {name}"]),
        (["a ", "kind", " draw"], []),
        (["the log has ", "n", " runs"], ["1 runs, if {n} is 1"]),
        (["at most ", "n", " runs"], []),
        (["it has ", "MOST", " runs"], []),
        (["it has 1 runs"], ["'1 runs' in 'it has 1 runs'"]),
        (["The the log is empty"], ["'The the' in 'The the log is empty'"]),
        (["it is 3 ; give 4"], ["' ;' in 'it is 3 ; give 4'"]),
    ],
)
def test_the_rules_of_agreement(parts: list[str], wrong: list[str]) -> None:
    assert list(faults(parts)) == wrong


def test_messages_agree_with_whatever_they_hold() -> None:
    wrong = {where: found for where, parts in templates() if (found := list(faults(parts)))}
    assert wrong == {}


@pytest.mark.parametrize("value", AWKWARD, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize(
    "check",
    [
        lambda value: checks.at_least("horizon", value, 10**40),
        lambda value: checks.checked_integer(value, "seed", 5, 7),
        lambda value: checks.require_in_closed_interval("delta", value, 0.25, 0.3),
        lambda value: checks.require_in_open_interval("delta", value, 0.25, 0.3),
    ],
)
def test_checks_name_the_argument_its_value_and_what_is_accepted(check: Any, value: Any) -> None:
    """In one sentence, in this order: "delta is nan; it must lie in [0.25, 0.3]"."""
    with pytest.raises(ValueError, match=r"^(horizon|seed|delta) (is|=) (.|\n)*; it must (be|lie) ") as raised:
        check(value)
    assert repr(value) in str(raised.value)


class Selects:
    """As results of an audit are computed: by a cached property, which calls the user's code."""

    @cached_property
    def chosen(self) -> int:
        return {"left": 0}["right"]


def test_an_exception_of_a_user_keeps_the_users_frames_alone() -> None:
    with pytest.raises(KeyError) as raised:
        Selects().chosen  # noqa: B018
    shown = traceback.extract_tb(without_own_frames("audit", raised.value).__traceback__)
    assert [frame.name for frame in shown] == ["test_an_exception_of_a_user_keeps_the_users_frames_alone", "chosen"]
    assert str(raised.value) == "'right'"
