"""Formulas as MathML: what is typeset is the formula, safe whatever stands in it; counterexamples that can be typed."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vacuity import nonvacuous_if

from dpbandits.audit.claims.statements import statement_parts
from dpbandits.reference.claims import formula_trees
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reports import lines, mathml
from dpbandits.reports.refutations import counterexample

MADE = runpy.run_path(str(Path(__file__).with_name("sample_findings.py")))


def flat(source: str) -> str:
    """The formula's MathML as text that says its structure."""
    return spoken(ElementTree.fromstring(str(mathml.inline(source))))


def spoken(node: ElementTree.Element) -> str:
    inner = [spoken(child) for child in node]
    if node.tag == "mfrac":
        return f"[{inner[0]} / {inner[1]}]"
    if node.tag == "msup":
        return f"{inner[0]}^{{{inner[1]}}}"
    if node.tag == "msub":
        return f"{inner[0]}_{{{inner[1]}}}"
    if node.tag == "msqrt":
        return f"root{{{''.join(inner)}}}"
    return (node.text or "").replace("\u2062", "") + "".join(inner)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("eps / 2", "[ε / 2]"),
        ("1 / (2 * delta)", "[1 / 2δ]"),
        ("(a + b) * c", "(a+b)c"),
        ("a - (b - c)", "a−(b−c)"),
        ("a - b - c", "a−b−c"),
        ("f()", "f()"),
        ("f(a, b)", "f(a,b)"),
        ("-(a + b)", "−(a+b)"),
        ("-a * b / c / d", "−[ab / cd]"),
        ("a / b * c", "[a / b]c"),
        ("a / (b / c)", "[a / [b / c]]"),
        ("a * (b / c)", "a[b / c]"),
        ("2 * 3", "2⋅3"),
        ("share * n", "share⋅n"),
        ("sigma * 2", "2σ"),
        ("x**2", "x^{2}"),
        ("(-x)**2", "(−x)^{2}"),
        ("(x**2)**3", "(x^{2})^{3}"),
        ("x**(a / b)", "x^{a/b}"),
        ("x**(a / (b * c))", "x^{a/(bc)}"),
        ("x**(a / (b / c))", "x^{a/(b/c)}"),
        ("x**((a + b) / c)", "x^{(a+b)/c}"),
        ("exp(-x)", "e^{−x}"),
        ("exp(x)**2", "(e^{x})^{2}"),
        ("sqrt(x + 1) * y", "root{x+1}y"),
        ("ncdf(-eps / mu)", "Φ(−[ε / μ])"),
        ("log(1 / delta)", "log([1 / δ])"),
        ("log_T", "logT"),
        ("log_T**2", "(logT)^{2}"),
        ("log_T * x", "logT⋅x"),
        ("2 * (3 / 4)", "2⋅[3 / 4]"),  # no mixed number
        ("exp(a / 2 * t)", "e^{a/2⋅t}"),
        ("1e" + "9" * 5000, "1e" + "9" * 5000),
        ("n_1 + sigma_i + K0", "n_{1}+σ_{i}+K_{0}"),
        ("maximum(x, -x)", "|x|"),
        ("maximum(x, -y)", "max(x,−y)"),
        ("floor(x) + ceil(y)", "⌊x⌋+⌈y⌉"),
        ("0 < delta <= 1", "0<δ≤1"),
        ("c in {1, 2}", "c∈{1,2}"),
        ("0 <= n <= 1e+08", "0≤n≤10^{8}"),
        ("100000000 + 0.05 + 2500000", "10^{8}+0.05+25×10^{5}"),
        ("1.5e-07", "1.5×10^{−7}"),
        ("0.1234567890123456789", "0.12345678901…"),
    ],
)
def test_typeset(source: str, said: str) -> None:
    assert flat(source) == said


trees = st.recursive(
    st.sampled_from(["x", "y", "2", "0.5", "eps"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "**"]), inner).map(
            lambda t: f"(({t[0]}) {t[1]} ({t[2]}))"
        ),
        inner.map(lambda one: f"(-({one}))"),
        inner.map(lambda one: f"sqrt({one})"),
    ),
    max_leaves=8,
)


def meant(node: ElementTree.Element) -> str:
    """The typeset formula as Python: built from the MathML alone, with a multiplication between neighbours."""
    inner = [meant(child) for child in node]
    if node.tag == "mfrac":
        return f"(({inner[0]}) / ({inner[1]}))"
    if node.tag == "msup":
        return f"(({inner[0]})**({inner[1]}))"
    if node.tag == "msqrt":
        return f"sqrt({''.join(inner)})"
    text = node.text or ""
    for shown, written in (("−", "-"), ("⋅", "*"), ("\u2062", "*"), ("ε", "eps")):
        text = text.replace(shown, written)
    return text + "".join(inner)


@settings(max_examples=80, deadline=None)
@given(trees)
@pytest.mark.nonvacuous(40)
def test_what_is_typeset_means_the_same(source: str) -> None:
    """Read back from the MathML, with no more parentheses than are shown, a formula has the value that it had."""
    at = {"x": 1.7, "y": 0.6, "eps": 2.3}
    wanted = formula_trees.value(source, at)
    nonvacuous_if(wanted is not None)
    made = meant(ElementTree.fromstring(str(mathml.inline(source))))
    found = formula_trees.value(made, at)
    assert (found is None) == (wanted is None), made
    if wanted is not None and found is not None:
        assert found == pytest.approx(wanted, rel=1e-9), (source, made)


@pytest.mark.parametrize(
    "nonsense",
    [
        "",
        "x +",
        "__import__('os')",
        "x.y",
        "[1]",
        "'text'",
        "lambda: 1",
        "f(x=1)",
        "x if y else z",
        "x\n+ y",
        "(" * 300 + "x" + ")" * 300,
        "-" * 5000 + "x",
        "x" + "+x" * 9000,
        "α + 1",
        "True",
        "1j",
    ],
)
def test_what_is_no_formula_stays_text(nonsense: str) -> None:
    assert formula_trees.parse_formula(nonsense) is None
    assert "<math" not in mathml.inline(nonsense)
    assert lines.display(nonsense, "<=", "1") is None


def test_repeated_parts_get_names() -> None:
    part = "sqrt(log(1 / delta) + eps * mu / 2)"
    shown = str(lines.display(f"{part} + x * y * z + exp({part} / 3)", "<=", f"ncdf({part} - a * b * c) / {part}"))
    assert shown.count('<p class="with">') == 1
    assert shown.count("<mi>A</mi>") == 5
    assert shown.count("<msqrt>") == 1
    assert str(lines.display("sqrt(x + 1)", "<=", "sqrt(x + 1)")).count("<msqrt>") == 2  # small: stays as it is


def test_equal_factors_are_a_power() -> None:
    assert "48</mn>" in str(lines.display("1" + " * (1 / 2)" * 48, "<=", "x"))
    assert str(mathml.inline("x * x")).count("<mi>x</mi>") == 2


def test_long_formulas_are_folded() -> None:
    assert "<details" in str(lines.display(" + ".join(f"ncdf(x / {n})" for n in range(2, 80)), "<=", "1"))
    assert "<details" not in str(lines.display("ncdf(x)", "<=", "1"))


@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.thorough)])
def test_every_formula_of_the_ledger_is_typeset(step: int) -> None:
    """None falls back to program text, and the MathML of each is well-formed."""
    count = 0
    for claim in ledger().claims[::step]:
        for part in statement_parts(claim):
            if part["kind"] in ("formula", "where"):
                shown = lines.display(part["left"], part["sign"], part["right"])
                assert shown is not None, (claim.id, part)
                ElementTree.fromstring(f"<div>{shown}</div>")
                count += 1
            elif part["kind"] == "range":
                assert "<code>" not in mathml.typeset_range(part["text"]), (claim.id, part)
    assert count > 300 / step


# -- counterexamples -----------------------------------------------------------------------------------------


def made(**changes: Any) -> dict[str, Any]:
    certificate: dict[str, Any] = MADE["formula_certificate"]("made24/x")["certificate"]
    return {**certificate, **changes}


def test_a_counterexample_can_be_typed_in() -> None:
    shown = counterexample(made())
    assert shown is not None
    assert shown.words == "So the claim says 0.5 ≤ 0.12275, which is false."
    done = subprocess.run(["sh", "-c", shown.command], capture_output=True, text=True, check=True)
    left, right = map(float, done.stdout.split())
    assert (left, right) == (0.5, pytest.approx(0.1227501319481792, rel=1e-12))


@pytest.mark.parametrize(
    ("changes", "has_command"),
    [
        ({"variables": {"delta": "0.1; import os", "eps": "2"}}, False),
        ({"variables": {"delta": "0.1'; rm -rf /; '", "eps": "2"}}, False),
        ({"variables": {"print": "1", "delta'": "0.1", "eps": "2"}}, False),
        ({"left": "1 / 2 # '; rm -rf /"}, True),
        ({"left": "__import__('os').system('true')"}, False),
        ({"left_enclosure": ["0.4", "0.4"]}, False),  # not what the formula gives
        ({"right_enclosure": ["inf", "inf"]}, False),
        ({"left": "9**9**9**9"}, False),
        ({"relation": "!="}, False),
        ({"variables": []}, False),
        ({"left": None}, False),
    ],
)
def test_nothing_of_a_strangers_text_is_put_into_a_command(changes: dict[str, Any], has_command: bool) -> None:
    shown = counterexample(made(**changes))
    assert (shown is not None and bool(shown.command)) == has_command
    if shown is not None and has_command:
        assert re.fullmatch(r"python3 -c '[^'\n#;]*(; [^'\n#;]*)*'", shown.command)
        assert "rm" not in shown.command
        assert "os" not in shown.command


def test_a_violation_that_doubles_cannot_show_has_no_line() -> None:
    """The two sides agree to 17 digits: a calculator would say that they are equal."""
    shown = counterexample(
        made(left="1", right="1 - 1e-18", variables={}, left_enclosure=["1", "1"], right_enclosure=["1", "1"])
    )
    assert shown is not None
    assert shown.command == ""


@pytest.mark.parametrize("changes", [{"left_enclosure": ["0.4", "0.4"]}, {"right_enclosure": ["0.1", "0.1"]}])
def test_one_side_that_doubles_do_not_give_is_enough_for_no_line(changes: dict[str, Any]) -> None:
    shown = counterexample(made(**changes))
    assert shown is not None
    assert shown.command == ""


PART = "sqrt(log(1 / delta) + eps * {} / 2)"


def test_what_stands_twice_in_a_counterexample_is_a_letter_with_its_meaning() -> None:
    """On both sides the same one; what differs in a number alone is a function. Their values are those of the whole."""
    part, other = PART.format("mu"), PART.format("mu * mu")
    sides = {"left": f"{part} + x * exp({part} / 3) + {other}", "right": f"ncdf({part} - x * x) / {other}"}
    shown = counterexample(made(**sides, variables={"delta": "0.1", "eps": "2", "mu": "1", "x": "3"}))
    assert shown is not None
    assert [flat_of(letter) for letter, _ in shown.letters] == ["A", "B"]
    assert {stands.count("<msqrt>") for _, stands in shown.letters} == {1}
    assert "<msqrt>" not in shown.left + shown.right
    assert "<mi>A</mi>" in shown.left
    assert "<mi>A</mi>" in shown.right
    slopes = " + ".join(f"ncdf({PART.format(k)}) / {k}" for k in (0.5, 0.25, 0.125))
    functions = counterexample(made(left=slopes, right="1", variables={"delta": "0.1", "eps": "2"}))
    assert functions is not None
    assert [flat_of(letter) for letter, _ in functions.letters] == ["F(x)"]
    small = counterexample(made(left="sqrt(eps)", right="sqrt(eps)"))
    assert small is not None
    assert small.letters == ()


def flat_of(markup: str) -> str:
    return spoken(ElementTree.fromstring(markup))


def test_the_published_counterexamples_hold_when_typed() -> None:
    """Every line made of the example's certificates is computed, and shows its violation."""
    folder = Path(__file__).parents[1] / "reports" / "example" / "certificates"
    certificates = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    lines = [shown.command for each in certificates if (shown := counterexample(each)) and shown.command]
    assert len(lines) >= len(certificates) / 2
    for line in lines:
        program = line.removeprefix("python3 -c '").removesuffix("'").replace("print(", "found = (")
        space: dict[str, Any] = {}
        exec(program, space)
        left, right = space["found"]
        assert left != right
