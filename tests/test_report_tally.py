"""What a report says first, and what it refuses to say: harms, groups, repairs, and findings that no page can hold."""

from __future__ import annotations

import math
import runpy
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dpbandits import Verdict
from dpbandits.audit.runner import changes
from dpbandits.reference.claims.model import Harm
from dpbandits.reports import document as module
from dpbandits.reports.document import (
    MAX_SHOWN_FAULTS,
    MAX_WHOLE_NUMBER,
    faults_beyond_schema,
    non_finite_numbers,
    place_name,
    raise_problems,
    validate_document,
    visible,
)
from dpbandits.reports.glossary import VERDICTS
from dpbandits.reports.page import worst_first
from dpbandits.reports.tally import (
    HARMS,
    HEADS,
    REASONS,
    Broken,
    RefutationGroup,
    changed_since,
    featured,
    holding_instead,
    summed,
    tally,
)


def finding(name: str, **fields: Any) -> dict[str, Any]:
    """A refutation that was expected, unless said otherwise."""
    usual = {
        "paper": name.split("/")[0], "where": "Lemma 1", "verdict": Verdict.REFUTED, "expect": [Verdict.REFUTED],
        "surprise": False, "harm": str(Harm.STATEMENT), "fault": "", "quote": "", "note": "", "reading": "printed",
        "evidence": [],
    }  # fmt: skip
    return {"id": name} | usual | fields


# -- the tally ---------------------------------------------------------------------------------------------------------


def test_harms_come_the_worst_first_and_count_by_paper() -> None:
    every = [
        finding("b/1", harm=str(Harm.NONE)),
        finding("a/1", harm=str(Harm.PROOF)),
        finding("b/2", harm=str(Harm.GUARANTEE)),
        finding("a/2", harm=str(Harm.PROOF), where="Lemma 2"),
        finding("b/3", harm=str(Harm.PROOF)),
        finding("a/3", harm=str(Harm.PROOF), verdict=Verdict.PROVED),
        finding("a/4", harm="", surprise=True, expect=[Verdict.PROVED]),
    ]
    found = tally(every)
    order = list(HARMS)
    assert [(each.number, each.total, each.folded) for each in found.harms] == [
        (order.index(str(Harm.GUARANTEE)), 1, False),
        (order.index(str(Harm.PROOF)), 3, True),
        (order.index(str(Harm.NONE)), 1, True),
        (order.index(""), 1, False),
    ]
    proof = found.harms[1]
    assert dict(proof.counts) == {"a": 2, "b": 1}
    assert (proof.words, proof.head) == (HARMS[str(Harm.PROOF)], HEADS[str(Harm.PROOF)])
    assert [(group.paper, group.where, len(group.findings)) for group in proof.groups] == [
        ("a", "Lemma 1", 1), ("a", "Lemma 2", 1), ("b", "Lemma 1", 1),
    ]  # fmt: skip
    assert found.harmless == 4
    assert dict(found.counts) == {Verdict.REFUTED: 6, Verdict.PROVED: 1}
    assert [verdict for verdict, _ in found.counts] == [each for each in VERDICTS if each in dict(found.counts)]
    assert [each["id"] for each in found.surprises] == ["a/4"]
    assert len(found.refuted_as_expected) == 5
    assert [each["id"] for each in found.missing] == ["a/3"]
    either = finding("c/1", verdict=Verdict.CONSISTENT, expect=[Verdict.REFUTED, Verdict.CONSISTENT])
    assert tally([either]).missing == ()


def test_an_error_that_several_claims_tell_counts_once() -> None:
    every = [
        finding("a/1"),
        finding("a/2", where="Lemma 2", same_error_as="a/1"),
        finding("a/3", where="Lemma 2", same_error_as="a/1", harm=str(Harm.GUARANTEE)),
        finding("a/4", where="Lemma 3", same_error_as="a/9"),
        finding("a/5", verdict=Verdict.PROVED, same_error_as="a/6"),
        finding("b/1", same_error_as=""),
        finding("b/2", same_error_as="a/1"),  # each paper has its own errors
    ]
    found = tally(every)
    guarantee, statement = found.harms
    assert found.errors == 4
    assert (guarantee.errors, guarantee.total) == (1, 1)
    # a/1 is counted with the guarantee, which is worse.
    assert (statement.errors, statement.total, dict(statement.counts)) == (3, 5, {"a": 1, "b": 2})
    assert sum(harm.errors for harm in found.harms) == found.errors
    assert [group.recorded_by for group in statement.groups] == ["", "a/1", "a/9", ""]
    # The list of false statements: Lemma 1 of either paper, and Lemma 3, whose error a/9 no entry there records.
    assert [group.findings[0]["id"] for group in statement.recorded] == ["a/1", "b/1"]
    assert list(statement.recorded_elsewhere) == ["a/9"]
    assert statement.entries == 3
    assert (guarantee.recorded, list(guarantee.recorded_elsewhere), guarantee.entries) == ([], ["a/1"], 1)


def test_a_group_says_what_the_first_of_its_findings_says() -> None:
    group = RefutationGroup(
        "a",
        "Lemma 1",
        (
            finding("a/1", fault="sign", repair="first\nand more."),
            finding("a/2", fault="direction", quote="so it is", note="It costs them a half.", repair="later."),
            finding("a/3", fault="sign", quote="another", note="Nothing. Repairs are many."),
        ),
    )
    assert group.fault == "sign, direction"
    assert group.quote == "so it is"
    assert group.why == "It costs them a half."
    assert group.repair == "first\nand more."
    none = RefutationGroup("a", "Lemma 1", (finding("a/1"),))
    assert (none.fault, none.quote, none.why, none.repair) == ("", "", "", "")


def test_in_the_place_of_a_refutation_stand_the_claims_of_its_fields_and_its_repairs() -> None:
    """What a note names is in a field as well; the note itself is not searched."""
    refuted = finding(
        "a/lemma-1/printed",
        note="See a/lemma-9/blunt.",
        related=["a/lemma-8", "a/lemma-9/sharp"],
        repaired_by=["a/lemma-9/sharper"],
    )
    every = [
        refuted,
        finding("a/lemma-9/sharp", verdict=Verdict.PROVED),
        finding("a/lemma-9/sharper", verdict=Verdict.ARGUED, reading="repaired"),
        finding("a/lemma-9/blunt", verdict=Verdict.PROVED),
        finding("a/lemma-8", verdict=Verdict.REFUTED, reading="repaired"),
        finding("a/lemma-1/second", verdict=Verdict.ARGUED, reading="repaired"),
        finding("a/lemma-1/third", verdict=Verdict.CONSISTENT, reading="repaired"),
        finding("a/lemma-1/fourth", verdict=Verdict.PROVED, reading="ours"),
        finding("a/lemma-1/fifth", verdict=Verdict.NOT_EXERCISED, reading="repaired"),
        finding("b/lemma-1/other", verdict=Verdict.PROVED, reading="repaired"),
    ]
    found = holding_instead(RefutationGroup("a", "Lemma 1", (refuted,)), every)
    wanted = ["a/lemma-9/sharp", "a/lemma-9/sharper", "a/lemma-1/second", "a/lemma-1/third"]
    assert [each["id"] for each in found] == wanted


def test_a_report_begins_with_the_wanted_finding_or_the_worst_that_has_a_picture() -> None:
    picture, text = [{"kind": "text"}, {"kind": "lines"}], [{"kind": "text"}]
    number = finding("a/1", harm=str(Harm.NUMBER), evidence=picture)
    statement = finding("a/2", evidence=picture)
    plain = finding("a/3", harm=str(Harm.GUARANTEE), evidence=text)
    proved = finding("a/4", harm=str(Harm.GUARANTEE), verdict=Verdict.PROVED, evidence=picture)
    worst = finding("a/5", harm=str(Harm.GUARANTEE), evidence=picture)

    def first(findings: list[dict[str, Any]], *wanted: str) -> str | None:
        found = featured(findings, wanted, ("lines", "band"))
        return None if found is None else str(found["id"])

    every = [number, statement, plain, proved, worst]
    assert first(every) == "a/5"
    assert first(every, "b/1", "a/3", "a/1", "a/4") == "a/1"  # one that is unknown, one without a picture
    assert first(every[:4]) == "a/2"
    assert first([number, plain, proved]) is None


# -- what is refused ---------------------------------------------------------------------------------------------------


def sample() -> Any:
    return runpy.run_path(str(Path(__file__).with_name("sample_findings.py")))["document"]()


def test_numbers_that_json_or_a_double_cannot_hold_have_a_place() -> None:
    tree = {
        "a": [1.5, math.inf, {"b": -math.inf}],
        "c": (MAX_WHOLE_NUMBER, MAX_WHOLE_NUMBER + 1, -MAX_WHOLE_NUMBER, -MAX_WHOLE_NUMBER - 1),
        "d": True,
    }
    assert list(non_finite_numbers(tree, ())) == [
        (("a", 1), math.inf), (("a", 2, "b"), -math.inf), (("c", 1), math.inf), (("c", 3), math.inf),
    ]  # fmt: skip
    assert [place for place, _ in non_finite_numbers([math.nan], ("x",))] == [("x", 0)]


@pytest.mark.parametrize(
    ("count", "more"), [(1, ""), (MAX_SHOWN_FAULTS, ""), (MAX_SHOWN_FAULTS + 1, "and 1 more"), (20, "and 12 more")]
)
def test_so_many_faults_are_listed_and_the_rest_is_counted(count: int, more: str) -> None:
    with pytest.raises(ValueError, match=r"^findings: ") as error:
        raise_problems([f"fault {k}" for k in range(count)])
    lines = str(error.value).removeprefix("findings: ").split("\n  ")
    assert lines == [f"fault {k}" for k in range(min(count, 8))] + [more] * bool(more)
    raise_problems([])


def test_characters_that_no_page_can_hold_are_written_as_what_they_are() -> None:
    """New lines and tabs stay, controls and surrogates do not, nor what turns the direction of writing."""
    for mark in ("\x00", "\x08", "\x0b", "\x1f", "\x7f", "\x9f", "\ud800", "\udfff", "\ufffe", "\uffff", "\u202a",
                 "\u202e", "\u2066", "\u2069"):  # fmt: skip
        assert visible({f"a{mark}": [f"{mark}b", 3]}) == {f"a\\x{ord(mark):02x}": [f"\\x{ord(mark):02x}b", 3]}
    for mark in ("\t", "\n", " ", "~", "\xa0", "\ud7ff", "\ue000", "\ufffd", "\u2029", "\u202f", "\u2065", "\u206a"):
        assert visible([mark]) == [mark]


def test_rows_cells_and_bands_are_as_long_as_what_they_belong_to() -> None:
    """A fault each, and none where they are."""

    def said(**item: Any) -> list[str]:
        return [
            each.partition(": ")[2] for each in faults_beyond_schema({"findings": [finding("a/1", evidence=[item])]})
        ]

    cells = "expected a row for each of the 2 names, with a cell for each of the 3 columns"
    matrix = {"kind": "matrix", "names": ["a", "b"], "columns": ["x", "y", "z"]}
    assert said(**matrix, cells=[[1, 2, 3], [4, 5, 6]]) == []
    for wrong in ([[1, 2, 3]], [[1, 2, 3], [4, 5]], [[1, 2, 3, 4], [4, 5, 6]], [[1, 2, 3]] * 3):
        assert said(**matrix, cells=wrong) == [cells]
    table = {"kind": "table", "columns": ["x", "y"]}
    assert said(**table, rows=[[1], [1, 2], [1, 2, 3]]) == [
        "1 cells, expected one for each of the 2 columns", "3 cells, expected one for each of the 2 columns",
    ]  # fmt: skip
    points = [[0, 1], [1, 2], [2, 2]]
    assert said(kind="lines", series=[{"points": points}, {"points": points, "low": [1, 2, 3], "high": [3] * 3}]) == []
    assert said(kind="lines", series=[{"points": points, "high": [3] * 4, "low": [1] * 3}]) == [
        "4 values, expected one for each of the 3 points"
    ]
    names = [
        each.split()[1:3]
        for each in faults_beyond_schema({"findings": [finding("a/1"), finding("b/1"), finding("a/1")]})
    ]
    assert names == [["'a/1'", "appears"]]


def test_a_place_is_named_with_the_finding_s_id() -> None:
    document = {"findings": [{"id": "a/1"}, None]}
    for place, words in (
        ((), "the document"),
        (("profile", "trials"), "profile.trials"),
        (("findings",), "findings"),
        (("findings", 0), "findings[0] (a/1)"),
        (("findings", 0, "evidence", 2, "rows"), "findings[0] (a/1), evidence[2].rows"),
        (("findings", 1, "id"), "findings[1].id"),
        (("findings", 2, "id"), "findings[2].id"),
    ):
        assert place_name(document, place) == words


def test_a_long_message_is_cut_and_says_what_is_meant() -> None:
    kinds = {"type": "object", "properties": {"a": {"maxLength": 2, "description": "a short word"}, "b": {"const": 1}}}
    (only,) = module.by_schema({"a": "x" * 400}, kinds)
    assert only == "a: '" + "x" * 299 + " … (this is: a short word)"
    rest = len("'' is too long")
    for length, dots in ((300 - rest, False), (301 - rest, True)):
        (only,) = module.by_schema({"a": "x" * length}, kinds)
        assert ("…" in only) == dots
    assert [each.partition(":")[0] for each in module.by_schema({"b": 2, "a": "long"}, kinds)] == ["a", "b"]


def test_what_is_checked_is_plain_and_in_order() -> None:
    made = sample()
    found = validate_document(made)
    assert list(found) == sorted(found)
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="nested too deeply"):
        validate_document(made | {"findings": deep})


# -- what changed, and which paper comes first -------------------------------------------------------------------------


def staged(name: str, *verdicts: str) -> dict[str, Any]:
    """A finding whose last verdict is this run's, and whose others those of releases 1, 2, ..."""
    stages = [
        {"version": str(k), "verdict": verdict, "kinds": ["verdict"], "reasons": ["theorem", "reading"]}
        for k, verdict in enumerate(verdicts, 1)
    ]
    return {"id": name, "verdict": verdicts[-1], "history": stages}


def test_what_changed_since_the_last_release() -> None:
    findings = [
        staged("same", "REFUTED", "PROVED", "PROVED"),
        staged("argued", "PROVED", "CONSISTENT", "ARGUED"),
        staged("changed", "PROVED", "ARGUED", "REFUTED"),
        staged("mended", "REFUTED", "REFUTED", "PROVED"),
        staged("new", "REFUTED"),
        staged("new and fine", "PROVED"),
    ]
    _, argued, changed, mended, new, fine = findings
    found = changed_since(findings)
    assert found is not None
    assert (found.version, found.new) == ("2", (new, fine))
    why = "a theorem is machine-checked now, the sentence is read differently"
    assert found.verdicts == ((argued, "CONSISTENT", why), (changed, "ARGUED", why), (mended, "REFUTED", why))
    assert found.refuted_now == ((changed, "ARGUED", why), (new, "", "a new claim"))
    assert found.refuted_no_longer == ((mended, "REFUTED", why),)
    assert found.new_and_refuted == 1
    assert found.new_by_verdict == [("REFUTED", [new]), ("PROVED", [fine])]
    assert found.groups == [
        ("ARGUED", "REFUTED", why, (changed,)),
        ("REFUTED", "PROVED", why, (mended,)),
        ("CONSISTENT", "ARGUED", why, (argued,)),
    ]
    assert found.expected == ()
    assert changed_since([staged("new", "REFUTED"), {"id": "without", "verdict": "PROVED"}]) is None


def test_an_expectation_that_changed_alone_is_told_with_its_reason() -> None:
    one = staged("otherwise", "PROVED", "PROVED")
    one["history"][-1] |= {"kinds": ["expectation"], "reasons": ["statement"]}
    found = changed_since([one, staged("same", "PROVED", "PROVED")])
    assert found is not None
    assert found.expected == ((one, "another statement is checked"),)
    assert found.verdicts == ()


def test_a_changed_run_is_told_by_the_settings_that_differ() -> None:
    one = staged("mended", "CONSISTENT", "REFUTED")
    one["history"][-1] |= {"reasons": ["run"], "settings": ["the profile sets trials to 30000, not 20000"]}
    found = changed_since([one])
    assert found is not None
    assert [each.why for each in found.verdicts] == ["the profile sets trials to 30000, not 20000"]


def test_the_words_for_reasons_are_about_all_that_a_history_names() -> None:
    assert list(REASONS) == list(changes.REASONS)


class Shelved(NamedTuple):
    key: str


def test_the_paper_with_the_worst_errors_comes_first_and_those_without_are_left_out() -> None:
    harms = [
        Broken(k, "", "", "", counts, (), 0, 0, False)
        for k, counts in enumerate(({"b": 1, "c": 2}, {"a": 9}, {"b": 3}))
    ]
    told = tally([])._replace(harms=tuple(harms))
    assert [paper.key for paper in worst_first(list(map(Shelved, "abcd")), told)] == ["c", "b", "a"]


def test_the_rows_of_the_sums_add_up_to_all_statements() -> None:
    """Of 1 + 2 + 1 + 4 statements; two of the undecided ones are experiments that the run left out."""
    every = [
        finding("a/1", verdict=Verdict.PROVED),
        finding("a/2", harm=str(Harm.GUARANTEE)),
        finding("a/3", harm=str(Harm.NONE)),
        finding("a/4", verdict=Verdict.CONSISTENT),
        *(finding(f"a/{n}", verdict=Verdict.NOT_EXERCISED) for n in (5, 6, 7)),
        finding("a/8", verdict=Verdict.UNSUPPORTED),
    ]
    hold, tested, false, undecided = rows = summed(tally(every), 2)
    assert [row.total for row in rows] == [1, 1, 2, 4]
    assert (hold.verdicts, tested.verdicts) == (((1, "PROVED"),), ((1, "CONSISTENT"),))
    assert false.parts == ((1, "guarantee fails"), (1, "misprint"))
    assert undecided.verdicts == ((3, "NOT_EXERCISED"), (1, "UNSUPPORTED"))
    assert [number for number, _ in undecided.parts] == [2, 2]
    assert summed(tally(every[:1])) == [hold]
    assert summed(tally(every), 0)[-1].parts == ()
