"""What a paper's page begins with: which statements fall, stand or hold once repaired, by readings, verdicts and harms
alone."""

from __future__ import annotations

from typing import Any

import pytest

from dpbandits.reference.claims.model import Harm, Source, StatementKind, numbered_statement
from dpbandits.reports.remember import MAX_FALLEN, STATEMENT_KINDS, memory, statement_name

GUARANTEE, NUMBER, PROOF, NONE = (str(harm) for harm in (Harm.GUARANTEE, Harm.NUMBER, Harm.PROOF, Harm.NONE))


def found(where: str, verdict: str, reading: str = "printed", harm: str = "", scope: str = "") -> dict[str, Any]:
    name = f"made24/{where.lower().replace(' ', '-')}/{reading}/{verdict}/{scope}".replace(" ", "-")
    given = {"paper": "made24", "quote": "", "note": "", "fault": "", "statement": "x", "evidence": []}
    numbered = numbered_statement(where)
    given |= {"numbered": numbered and numbered._asdict()}
    return {"id": name, "where": where, "verdict": verdict, "reading": reading, "harm": harm, "scope": scope, **given}


def told(*findings: dict[str, Any]) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for row in memory(findings).rows:
        out.setdefault(row.outcome, []).extend(each.name for each in row.statements)
    return out


def test_each_statement_ends_as_its_readings_do() -> None:
    assert told(
        found("Theorem 1", "ARGUED"),
        found("Theorem 2", "REFUTED", harm=GUARANTEE),
        found("Theorem 2", "PROVED", "repaired"),
        found("Theorem 3", "REFUTED", "to the letter", NUMBER),
        found("Theorem 3", "ARGUED", "repaired"),
        found("Corollary 4", "PROVED", "repaired"),
        found("Theorem 5", "CONSISTENT"),
        found("Theorem 6", "UNSUPPORTED"),
    ) == {"falls": ["Theorem 2"], "letter": ["Theorem 3"], "repaired": ["Corollary 4"], "stands": ["Theorem 1"]}


def test_a_gap_of_a_proof_or_a_misprint_fells_no_theorem() -> None:
    assert told(
        found("Theorem 1", "ARGUED"),
        found("Theorem 1, proof", "REFUTED", harm=NONE),
        found("Theorem 1 (informal)", "REFUTED", harm=PROOF),
        found("Proof of Theorem 1", "REFUTED", harm=PROOF),
    ) == {"stands": ["Theorem 1"]}
    proof = found("Theorem 1, proof", "REFUTED", harm=GUARANTEE)  # it falls by itself
    assert told(found("Theorem 1", "ARGUED"), proof) == {"falls": ["Theorem 1, proof"], "stands": ["Theorem 1"]}


def test_what_is_ours_says_nothing_of_the_paper_and_a_formula_is_no_theorem() -> None:
    part = found("Theorem 5", "PROVED", scope="one step") | {"formula_only": True}
    assert told(found("Theorem 5", "REFUTED", "ours", GUARANTEE), part) == {"stands": ["Theorem 5"]}
    assert memory([found("Theorem 9", "UNSUPPORTED", "ours")]).undecided == ()
    whole = found("Theorem 5", "ARGUED", "repaired", scope="over suboptimal arms")
    made = memory([part, whole])
    assert [row.outcome for row in made.rows] == ["repaired"]
    assert made.rows[0].statements[0].main is whole


def test_what_holds_instead_is_whole_rather_than_a_formula() -> None:
    part = found("Theorem 5", "PROVED", "repaired", scope="a part of the range") | {"formula_only": True}
    whole = found("Theorem 5", "ARGUED", "repaired", scope="for every eps")
    (row,) = memory([found("Theorem 5", "REFUTED", harm=GUARANTEE), part, whole]).rows
    assert row.instead is whole


def test_the_worst_and_weightiest_come_first_and_the_rest_is_counted() -> None:
    findings = [
        found("Lemma 1", "REFUTED", harm=GUARANTEE),
        found("Theorem 2", "REFUTED", harm=NUMBER),
        found("Algorithm 9", "REFUTED", harm=GUARANTEE),
        found("Theorem 3", "REFUTED", harm=GUARANTEE),
        found("Corollary 4", "REFUTED", harm=GUARANTEE),
    ]
    made = memory(findings)
    assert told(*findings)["falls"] == ["Theorem 3", "Corollary 4", "Lemma 1"]
    assert MAX_FALLEN == 3
    assert made.more == 2
    assert made.lemmas == (0, 1)
    assert memory([]).rows == ()
    assert not memory([]).more


def test_an_error_that_several_statements_tell_falls_once() -> None:
    first = found("Theorem 1", "REFUTED", harm=GUARANTEE)
    second = found("Table 1", "REFUTED", harm=GUARANTEE) | {"same_error_as": first["id"]}
    assert told(first, second) == {"falls": ["Theorem 1"]}
    assert memory([first, second]).more == 0
    lemma = found("Lemma 9", "REFUTED", harm=GUARANTEE) | {"same_error_as": first["id"]}
    assert told(first, lemma, second) == {"falls": ["Theorem 1", "Lemma 9"]}
    assert len(memory([first, lemma, second]).rows) == 1
    own = found("Table 1", "REFUTED", harm=NUMBER, scope="of its own")
    assert told(first, second, own) == {"falls": ["Theorem 1", "Table 1"]}


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Theorem 4.2", "Theorem 4.2"),
        ("Corollary C.3", "Corollary C.3"),
        ("Lemma 12", "Lemma 12"),
        ("Theorem 7 (LDP Upper Bound), eq. (10)", None),
        ("Theorem 6, proof", None),
        ("Theorem", None),
        ("Theorem A", None),
        ("Table 1", None),
        ("", None),
    ],
)
def test_a_label_is_a_numbered_statement_if_it_is_a_kind_and_a_number(label: str, name: str | None) -> None:
    made = numbered_statement(label)
    assert (made and made.name) == name
    assert made is None or isinstance(made.kind, StatementKind)


def test_places_of_one_statement_have_its_name() -> None:
    """By the statement that the place names; a place that is no more than that names it itself."""
    whole = found("Theorem 7", "ARGUED")
    part = found("Theorem 7, eq. (11)", "REFUTED", harm=GUARANTEE)
    part["numbered"] = Source("made24", "Theorem 7, eq. (11)", "", statement="Theorem 7").numbered._asdict()
    assert statement_name(whole) == statement_name(part) == (0, "Theorem 7")
    assert statement_name(found("Theorem 7, proof", "ARGUED")) == (len(STATEMENT_KINDS), "Theorem 7, proof")
    assert statement_name(found("", "ARGUED")) == (len(STATEMENT_KINDS), "Unnumbered")
    assert told(whole, part) == {"falls": ["Theorem 7"]}
    with pytest.raises(
        ValueError, match=r"made24, Section 3: statement is 'the theorem'; write one of Theorem, .*'Theorem 7'"
    ):
        _ = Source("made24", "Section 3", "", statement="the theorem").numbered


def test_a_statement_is_shown_by_what_holds_of_it_and_a_single_finding_by_itself() -> None:
    held = found("Theorem 5", "ARGUED", scope="whole")
    alone = found("Theorem 5", "CONSISTENT")
    for findings, main in (([alone], alone), ([held], held), ([alone, held], held), ([held, alone], held)):
        made = memory(findings)
        (statement,) = made.undecided or made.rows[0].statements
        assert statement.main is main
