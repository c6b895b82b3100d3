"""Certificates come from anybody: what is huge, deep or disguised is rejected, and soon."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from fuzz_certificates import holds, hostile
from pace import paced
from test_certificates import VALID, changed, formula, gaussian, three

from dpbandits.proofs_checks.checker import expressions as checker_expressions
from dpbandits.proofs_checks.checker import intervals as checker_intervals
from dpbandits.proofs_checks.checker import noisy_maximum as checker_noisy_maximum
from dpbandits.proofs_checks.checker import normal as checker_normal
from dpbandits.proofs_checks.checker import untrusted as checker_untrusted
from dpbandits.proofs_checks.checker import verification as checker_verification
from dpbandits.proofs_checks.checker.verification import verify


def saying(left: str) -> dict[str, Any]:
    return formula() | {"left": left, "variables": {}, "given": []}


def summed(terms: Iterable[str]) -> str:
    """A sum in groups of thirty, so that it is nowhere deep."""
    parts = list(terms)
    while len(parts) > 1:
        parts = [f"({'+'.join(parts[i : i + 30])})" for i in range(0, len(parts), 30)]
    return parts[0]


def options(count: int, event: int, noise: str = "gaussian") -> dict[str, Any]:
    return gaussian() | {
        "noise": noise,
        "scales": ["1"] * count,
        "left": ["0"] * count,
        "right": [*["0"] * (count - 1), "1"],
        "sensitivities": ["1"] * count,
        "event": list(range(event)),
        "variables": {},
        "eps": "0",
        "delta": "0",
    }


BOMBS = {
    "powers of powers": saying("((10.5**5000)**5000)**2"),
    "more powers": saying("(((10.5**5000)**5000)**5000)**5000"),
    "small powers": saying("(((0.1**5000)**5000)**5000)**5000"),
    "many ones": saying(f"maximum({','.join(['1'] * 9900)})"),
    "many thirds": saying(f"maximum({','.join(['1/3'] * 4900)})"),
    "normal tails": saying(summed(f"ncdf({16 + i / 1000})" for i in range(1300))),
    "odd powers": saying(summed(["(1/3 + sqrt(2))**4095"] * 700)),
    "unlike fractions": saying(summed(f"1/{10**300 + i}" for i in range(60))),
    "exact powers": saying(summed(["(1/3)**5000"] * 1500)),
    "floors": saying(summed(["floor(exp(160000))"] * 900)),
    "nested": saying("(" * 9000 + "1" + ")" * 9000),
    "minus": saying("-" * 19000 + "1"),
    "chain": saying("1" + "+1" * 9000),
    "digits": saying("9" * 19999),
    "exponent": saying("1e999999999"),
    "tiny literals": saying(summed(["1e-5000"] * 2400)),
    "5 options": options(5, 4),
    "16 options": options(16, 15),
    "17 options": options(17, 1),
    "16 laplace options": options(16, 15, "laplace"),
    "unlike scales": options(5, 4) | {"scales": ["1e-5000", "1e5000", "1", "1e-10", "3"]},
    "large": formula() | {"claim": "c" * 10**6},
    "many variables": formula() | {"variables": {f"v{i}": "1" for i in range(30_000)}},
}


SOON = 130  # units of pace: three seconds
LATE = 440  # ten


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.first(9)
def test_bombs_are_rejected_soon(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the budget is enough to see that it is the budget that ends them."""
    for kind, row in checker_verification.KINDS.items():
        monkeypatch.setitem(checker_verification.KINDS, kind, row._replace(effort=row.effort // 10))
    took, found = paced(lambda: verify(BOMBS[name]), SOON)
    assert took < SOON
    assert not found.ok
    assert "the checker failed" not in found.lines[0]
    assert len(found.lines[0]) < 1000


def test_the_limits_leave_room() -> None:
    """The costliest certificate of the suite takes less than two thirds of what is allowed."""
    with checker_untrusted.limited_effort(checker_verification.EFFORT * 2 // 3):
        assert checker_noisy_maximum.check_step(three())


@pytest.mark.parametrize("source", ["exp(160000)**{}", "1/exp(160000)**{}"])
def test_values_stay_within_the_numbers_that_are_written_out(source: str) -> None:
    """e^160000 is about 2^230831: its square lies below 2^(2^19), its cube beyond."""
    assert verify(saying(source.format(2))).lines[0].startswith("left_enclosure: ")
    assert "above 2^524288" in verify(saying(source.format(3))).lines[0]


@pytest.mark.parametrize(
    "source",
    [
        "1 # x",
        "1\n+1",
        "1\\\n+1",
        "x\x1b[2K",
        "1;1",
        "ｘ",
        "ｐｉ",
        "\u0660",
        "1\u20031",
        "1if 1else 1",
        "1_0",
        "0x1",
        "1.e",
        "'1'",
    ],
)
def test_nothing_in_disguise_is_read(source: str) -> None:
    found = verify(formula() | {"left": source})
    assert not found.ok
    assert found.lines[0].isascii()
    assert found.lines[0].isprintable()


@pytest.mark.parametrize("text", ["a\x1b[2Kb", "a\nb", "a\u202eb", "a\u200bb", "\ud800", "\x7f"])
@pytest.mark.parametrize("path", ["claim", "variables/x", "left_enclosure/0"])
def test_no_text_that_moves_a_cursor(path: str, text: str) -> None:
    (line,) = verify(changed(formula(), path, text)).lines
    assert line.isprintable()
    assert line.isascii()
    (line,) = verify(formula() | {"variables": {text: "1"}}).lines
    assert line.isprintable()


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("gaussian", "event/0", 0.0),
        ("gaussian", "event/0", 10**400),
        ("formula", "within", float("nan")),
        ("formula", "variables", [[[[[[[[[]]]]]]]]]),
    ],
)
def test_odd_numbers_are_rejected_not_raised(name: str, path: str, value: Any) -> None:
    found = verify(changed(VALID[name](), path, value))
    assert not found.ok
    assert "the checker failed" not in found.lines[0]


@pytest.mark.parametrize("value", ["3", "4"])
def test_pi_cannot_be_given_another_value(value: str) -> None:
    """Neither by a variable of the certificate, nor beside one that is used."""
    says = saying("pi") | {"right": "3.5", "left_enclosure": [value, value], "right_enclosure": ["3.5", "3.5"]}
    (line,) = verify(says | {"variables": {"pi": value}}).lines
    assert line == "variables/pi: this name has another meaning in expressions; choose another name"
    assert (
        checker_expressions.Evaluator({"pi": Fraction(value)}).value("pi", "here")._mpi_
        == checker_intervals.work.pi._mpi_
    )


# -- the counted rounding ------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [3, 5, 8, 12, 30, 60, 200])
@pytest.mark.first(1)
def test_the_alternating_sum_is_no_more_wrong_than_it_says(bits: int) -> None:
    """At any precision, also where the terms that are left out, or the rounding of early ones, are all there is."""
    context = mpmath.MPContext()
    context.dps = 400
    for x in (Fraction(k, 7) for k in range(1, 120)):
        total, wrong = checker_normal.alternating_sum(x, bits)
        size = context.mpf(x.numerator) / x.denominator
        true = context.sqrt(2 * context.pi) * context.erf(size / context.sqrt(2)) / 2 * 2**bits
        assert abs(total - true) <= wrong, x


@pytest.mark.parametrize("bits", [8, 60, 200])
def test_the_rounding_of_every_term_is_counted(bits: int) -> None:
    """The bound does not rely on errors that cancel: the terms' own errors add up to less."""
    for x in (Fraction(k, 3) for k in range(1, 40, 6)):
        unit, square = 2**bits, (x * x * 2**bits).__floor__()
        term, exact, lost = (x * unit).__floor__(), x * unit, Fraction(0)
        for k in range(30):
            lost += abs(term - exact) / (2 * k + 1)
            term, exact = (term * square >> bits) // (2 * (k + 1)), exact * x * x / (2 * (k + 1))
        assert lost <= checker_normal.alternating_sum(x, bits)[1], x


@pytest.mark.parametrize(
    ("name", "path"),
    [("gaussian", "right/0"), ("identity", "within")],
)
@pytest.mark.parametrize("value", ["1e5000", "-1e-5000"])
def test_numbers_of_many_digits_are_not_written_out(name: str, path: str, value: str) -> None:
    (line,) = verify(changed(VALID[name](), path, value)).lines
    assert "the checker failed" not in line


def test_odd_powers_keep_their_sign_and_cost_little() -> None:
    mixed = checker_intervals.work.mpf([-2, 3])
    assert (checker_intervals.low(checker_intervals.whole_power(mixed, 3)), checker_intervals.high(mixed**3)) == (
        -8,
        27,
    )
    below = checker_intervals.work.mpf([-3, -2])
    raised = checker_intervals.whole_power(below, 5)
    assert (checker_intervals.low(raised), checker_intervals.high(raised)) == (-243, -32)
    with checker_untrusted.limited_effort(200):
        checker_intervals.whole_power(checker_intervals.work.mpf([-1, 1]), 4095)


# -- by the hundred ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("many", "right"), [(50, 7), pytest.param(150, 20, marks=pytest.mark.thorough)])
@pytest.mark.thorough
def test_hostile_certificates_by_the_hundred(many: int, right: int) -> None:
    """A sample of the long run, `python tests/fuzz_certificates.py 10000`."""
    accepted = 0
    for certificate in hostile(many, seed=20):
        took, found = paced(lambda certificate=certificate: verify(certificate), LATE)
        assert took < LATE, certificate
        assert "the checker failed" not in found.lines[0], certificate
        if found.ok:
            accepted += 1
            assert holds(certificate), certificate
    assert accepted > right  # else nothing was tested
