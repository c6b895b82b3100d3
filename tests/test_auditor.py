"""The `audit` fixture's value: what it asks for, and what it says of a call that it cannot make sense of."""

from __future__ import annotations

import shlex
from types import SimpleNamespace
from typing import Any

import pytest

from dpbandits import Finding, Verdict
from dpbandits.audit.pytest_plugin.auditor import Auditor, fail_on_surprise, own_expectation, own_id, repeat_command
from dpbandits.audit.pytest_plugin.ledger_claims import claim_by_id
from dpbandits.reference.papers.ou24 import ThompsonSampling

OPTIONS: Any = SimpleNamespace(option=SimpleNamespace(audit_profile="ci", audit_seed=7, audit_pages=[]))


@pytest.mark.parametrize(
    ("given", "named", "message"),
    [
        (("ou24/lemma-3",), {"trials": 5}, r"give the policy as well, audit\('ou24/lemma-3', policy, trials=5\)"),
        (("ou24/lemma-3",), {"eps": 1.0}, r"or a guarantee of your own, not both: .* or audit\(policy, eps=1.0\)"),
        (
            (ThompsonSampling(2, 3), ThompsonSampling(2, 3)),
            {"eps": 1.0},
            "a claim or a guarantee of your own, not both",
        ),
        ((ThompsonSampling(2, 3),), {}, r"audit\(ThompsonSampling.*: no guarantee is given; give eps=, mu= or curve="),
        (("ou24/lemma-33",), {}, "no claim 'ou24/lemma-33' in the ledger"),
        ((ThompsonSampling(2, 3),), {"eps": -1.0}, "^audit: "),
    ],
)
def test_what_cannot_be_audited_is_told(given: tuple[Any, ...], named: dict[str, Any], message: str) -> None:
    audit = Auditor(OPTIONS, "test_x", ("here.py", 3))
    with pytest.raises(pytest.fail.Exception, match=message):
        audit(*given, **named)


def test_every_audit_of_a_test_has_a_name_of_its_own() -> None:
    assert own_id("ou24/lemma-3", "here.py::test x", 1) == "ou24/lemma-3@here.py::test%20x"
    assert own_id("own/my bandit", "here.py::test", 1) == "own/my%20bandit@here.py::test"
    assert own_id("ou24/lemma-3", "here.py::test x", 2) == "ou24/lemma-3@here.py::test%20x#2"
    others = "here.py::test_x", "here.py::test\tx", "here.py::test%20x", "here.py::test x#2"
    assert len({own_id("a", test, 1) for test in others} | {own_id("a", "here.py::test x", n) for n in (1, 2)}) == 6
    assert repeat_command(OPTIONS, "here.py::test_x") == "pytest 'here.py::test_x' --audit-profile ci --audit-seed 7"
    assert shlex.split(repeat_command(OPTIONS, "here.py::test[it's]"))[1] == "here.py::test[it's]"
    paged: Any = SimpleNamespace(option=SimpleNamespace(**vars(OPTIONS.option) | {"audit_pages": ["my page.py"]}))
    line = "pytest x '--audit-page=my page.py' --audit-profile ci --audit-seed 7"
    assert shlex.split(repeat_command(paged, "x")) == shlex.split(line)


@pytest.mark.parametrize("verdict", Verdict)
def test_an_own_subject_is_expected_to_keep_its_promise(verdict: Verdict) -> None:
    """Whoever could not see anything has no promise kept."""
    found = own_expectation(Finding("toy/x", verdict, ""))
    assert found["surprise"] is (verdict not in (Verdict.PROVED, Verdict.ARGUED, Verdict.CONSISTENT))


def test_only_a_surprise_fails_a_test() -> None:
    entry = {"surprise": False, "verdict": "PROVED"}
    assert fail_on_surprise(entry) is entry
    assert claim_by_id(OPTIONS, "ou24/lemma-3").id == "ou24/lemma-3"
