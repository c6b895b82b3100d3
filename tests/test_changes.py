"""What changed between two findings documents: by claim, in which respect, and why."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dpbandits.audit.cli.command_line import main
from dpbandits.audit.runner import changes
from dpbandits.audit.runner.changes import Change, compare_documents, found_digest
from dpbandits.reports.document import schema

EXAMPLE = Path(__file__).parents[1] / "reports" / "example" / "findings.json"


def document(*findings: dict[str, Any], **other: Any) -> dict[str, Any]:
    profile = {"name": "quick", "trials": 20_000}
    return {"version": "1", "profile": profile, "seed": 0, "risk": 1e-6, "findings": list(findings), **other}


def finding(name: str, verdict: str = "PROVED", **other: Any) -> dict[str, Any]:
    said = {"statement": "x <= 1", "summary": "it is 0.5", "expect": ["PROVED"], "note": "", "follows": []}
    return {"id": name, "verdict": verdict, **said, **other}


def only(old: dict[str, Any], new: dict[str, Any]) -> Change:
    (one,) = compare_documents(old, new).changes
    return one


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["diff", *map(str, arguments)])


def saved(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_every_field_of_a_finding_is_about_something() -> None:
    """A new field of the schema is put where it belongs, and none is in two places."""
    rooms = [
        *changes.CLAIM_FIELDS,
        *changes.EXPECTATION_FIELDS,
        *changes.FOUND,
        *changes.EVIDENCE,
        *changes.UNCOMPARED_FIELDS,
    ]
    assert sorted(rooms) == sorted(schema()["$defs"]["finding"]["properties"])


@pytest.mark.parametrize("profile", ["quick", None, ["quick"]])
def test_a_run_whose_profile_has_no_name_is_compared_all_the_same(profile: Any) -> None:
    unnamed = document(finding("a/b"), profile=profile)
    found = compare_documents(unnamed, document(finding("a/b", "REFUTED")))
    assert (found.old["profile"], found.new["profile"]) == ("?", "quick")
    assert [each.kinds for each in found.changes] == [("verdict",)]


def test_a_verdict_is_louder_than_the_numbers() -> None:
    one = only(document(finding("a/b")), document(finding("a/b", "REFUTED", summary="it is 1.5")))
    assert (one.kinds, one.before, one.after) == (("verdict", "wording"), "PROVED", "REFUTED")
    assert one.fields == {"summary": ("it is 0.5", "it is 1.5")}
    assert one.why.startswith("neither the claim nor the run was changed")


def test_a_finding_about_your_own_policy_may_have_changed_with_the_policy() -> None:
    own = {"file": "test_mine.py", "line": 3}
    one = only(document(finding("own/Mine@t", own=own)), document(finding("own/Mine@t", "REFUTED", own=own)))
    assert (
        one.why
        == "neither the claim nor the run was changed, but your policy or mechanism, dpbandits, or a library, was"
    )
    assert changes.as_text(compare_documents(document(finding("a/b")), document())).startswith(
        "1 (1 claim, quick, seed 0)"
    )


def test_data_tell_other_numbers_from_other_words() -> None:
    """Where both sides hold what was found as data, digits in a sentence decide nothing."""
    data = {"kind": "check", "runs": 7}
    was = finding("a/b") | {"found": data}
    reworded = was | {"summary": "with a confidence of 95 %, it is 0.5"}
    assert only(document(was), document(reworded)).kinds == ("wording",)
    other = was | {"summary": "it is 0.6", "found": data | {"runs": 8}}
    assert only(document(was), document(other)).kinds == ("number", "evidence")
    assert only(document(was), document(other)).fields["found"] == ("data about check",) * 2
    unheld = was | {"summary": "it is 0.6", "found": None}
    assert "number" not in only(document(was), document(unheld)).kinds
    recorded = finding("a/b") | {"found_digest": found_digest(was)}
    assert only(document(recorded), document(reworded)).kinds == ("wording",)
    assert only(document(recorded), document(other)).kinds == ("number",)


@pytest.mark.parametrize(
    ("field", "value", "kind"),
    [
        ("summary", "it is -2.5e-3", "wording"),
        ("summary", "it was 0.5", "wording"),
        ("statement", "x <= 2", "claim"),
        ("note", "because", "expectation"),
        ("expect", ["REFUTED"], "expectation"),
    ],
)
def test_each_field_has_its_kind(field: str, value: Any, kind: str) -> None:
    one = only(document(finding("a/b")), document(finding("a/b", **{field: value})))
    assert one.kinds == (kind,)
    assert one.fields == {field: (finding("a/b")[field], value)}


def test_why_names_what_the_documents_tell() -> None:
    old = document(finding("a/b"), finding("a/c", follows=["a/b"]))
    changed = finding("a/b", "ARGUED", statement="x <= 2", expect=["ARGUED"], note="a gap was found")
    new = document(changed, finding("a/c", "ARGUED", follows=["a/b"]), seed=7)
    new["profile"] = {"name": "quick", "trials": 30_000}
    found = compare_documents(old, new).changes
    assert {one.id: one.reasons for one in found} == {"a/b": ("statement", "run"), "a/c": ("premises", "run")}
    why = {one.id: one.why for one in found}
    settings = "the profile sets trials to 30000, not 20000; the run's seed is 7, not 0"
    assert {"; ".join(one.settings) for one in found} == {settings}
    assert why["a/b"] == f"the claim was changed (statement); {settings}; note of the claim: a gap was found"
    assert why["a/c"] == f"the claim follows from a/b, whose verdict has changed; {settings}"


def test_a_reason_is_told_only_by_what_the_documents_contain() -> None:
    """A record without bases tells of a theorem by its verdict alone."""
    kernel = ["machine-checked proof"]

    def told(was: dict[str, Any], now: dict[str, Any]) -> tuple[str, ...]:
        return only(document(finding("a/b", **was)), document(finding("a/b", **now))).reasons

    assert told({"verdict": "ARGUED"}, {"verdict": "PROVED", "rests_on": kernel}) == ("theorem",)
    assert told({"verdict": "PROVED"}, {"verdict": "REFUTED", "rests_on": kernel}) == ("code",)
    assert told({"verdict": "ARGUED", "rests_on": kernel}, {"verdict": "PROVED", "rests_on": kernel}) == ("code",)
    assert told({"rests_on": ["samples"]}, {"rests_on": ["exact law"]}) == ("method",)
    assert told({"rests_on": ["samples"]}, {"rests_on": kernel}) == ("theorem", "method")
    assert told({"scope": ""}, {"scope": "for T = 1", "verdict": "REFUTED"}) == ("reading",)


def test_claims_that_are_new_or_gone_and_the_order() -> None:
    old = document(finding("a/1"), finding("a/2"), finding("a/3"))
    new = document(finding("a/4"), finding("a/2", summary="it is 0.6"), finding("a/1", "REFUTED"))
    found = compare_documents(old, new).changes
    assert [(one.id, one.kinds[0]) for one in found] == [
        ("a/1", "verdict"),
        ("a/4", "added"),
        ("a/3", "removed"),
        ("a/2", "wording"),
    ]


def test_a_judge_that_failed_is_a_verdict_that_is_missing() -> None:
    one = only(document(finding("a/b")), document(errors=[{"id": "a/b", "error": "ZeroDivisionError"}]))
    assert (one.before, one.after) == ("PROVED", "no verdict")
    assert one.fields == {"summary": ("it is 0.5", "ZeroDivisionError")}


def test_a_record_with_fewer_fields_is_compared_where_both_say_something() -> None:
    record = document({"id": "a/b", "verdict": "PROVED"})
    assert compare_documents(record, document(finding("a/b"))).changes == ()
    assert only(record, document(finding("a/b", "ARGUED"))).kinds == ("verdict",)


def test_evidence_is_counted_in_words() -> None:
    text = {"kind": "text", "text": "so"}
    one = only(document(finding("a/b", evidence=[])), document(finding("a/b", evidence=[text, text])))
    assert (one.kinds, one.fields) == (("evidence",), {"evidence": ("none", "2 text")})


def test_what_follows_from_other_fields_is_no_change_of_its_own() -> None:
    old, new = finding("a/b", repro="one", surprise=False), finding("a/b", repro="another", surprise=True)
    assert compare_documents(document(old), document(new)).changes == ()


# -- the command -------------------------------------------------------------------------------------------------------


def test_marks_of_code_and_of_sentences_are_no_change() -> None:
    was = document(finding("a/b", note="See a/c. Not a/d.", summary="Follows from a/c."))
    marked = finding("a/b", note="See `a/c`.\nNot `a/d`.", summary="Follows from `a/c`.")
    assert compare_documents(was, document(marked)).changes == ()
    other = only(was, document(marked | {"summary": "Follows from `a/d`."}))
    assert (other.kinds, list(other.fields)) == (("wording",), ["summary"])


def test_the_exit_status_says_whether_anything_changed(tmp_path: Path) -> None:
    assert (run(EXAMPLE, EXAMPLE).exit_code, run(EXAMPLE, EXAMPLE).output.splitlines()[-1]) == (0, "no change")
    content = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    other = deepcopy(content)
    other["findings"][0]["verdict"] = "REFUTED"
    done = run(EXAMPLE, saved(tmp_path, "new.json", other))
    assert done.exit_code == 1
    name, verdict = (content["findings"][0][field] for field in ("id", "verdict"))
    assert f"verdict  {name}: {verdict} -> REFUTED\n    why: neither" in done.output
    assert done.output.endswith("claims that changed: 1 (1 verdict)\n")
    assert run(EXAMPLE, tmp_path / "gone.json").exit_code == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([], " has no list `findings`"),
        ({"findings": 1}, " has no list `findings`"),
        ({"findings": [{"id": "a/b"}]}, ": findings[0] has no id or no verdict"),
        (
            {"findings": [finding("a/b"), finding("a/b")]},
            " has two findings for the claim a/b; give an unmodified findings.json",
        ),
    ],
)
def test_what_is_no_findings_document_is_named(tmp_path: Path, content: Any, said: str) -> None:
    path = saved(tmp_path, "odd.json", content)
    done = run(EXAMPLE, path)
    assert done.exit_code == 2
    assert f"{path}{said}" in done.stderr


def test_as_json(tmp_path: Path) -> None:
    old, new = document(finding("a/b")), document(finding("a/b", summary="it is 0.6"), version="2")
    done = run("--json", saved(tmp_path, "old.json", old), saved(tmp_path, "new.json", new))
    told = json.loads(done.stdout)
    assert (told["old"]["version"], told["new"]["version"]) == ("1", "2")
    assert told["new"]["verdicts"] == {"PROVED": 1}
    (one,) = told["changes"]
    assert (one["id"], one["kinds"]) == ("a/b", ["wording"])
    assert one["fields"] == {"summary": {"before": "it is 0.5", "after": "it is 0.6"}}


def test_as_markdown(tmp_path: Path) -> None:
    old = document(finding("a/b"), finding("a/c"))
    new = document(finding("a/b", "REFUTED", summary="x_1 > 1*2"), finding("a/c"), finding("a/d"), version="2")
    done = run("--markdown", saved(tmp_path, "old.json", old), saved(tmp_path, "new.json", new))
    assert done.exit_code == 1
    lines = done.output.splitlines()
    assert lines[:5] == [
        "| verdict | 1 | 2 |",
        "|---|---:|---:|",
        "| PROVED | 2 | 2 |",
        "| REFUTED | 0 | 1 |",
        "| all claims | 2 | 3 |",
    ]
    assert "### Other verdicts" in lines
    started = r'- `a/b`: PROVED -> REFUTED; "x\_1 \> 1\*2", formerly "it is 0.5"; neither'
    assert any(line.startswith(started) for line in lines)
    assert lines[-3:] == ["### New claims", "", "- `a/d`: PROVED."]


def test_what_was_changed_in_a_claim_is_said_in_the_order_of_its_fields() -> None:
    changed = {"statement": "x <= 2", "quote": "x is at most 2", "where": "Lemma 2", "note": "a misprint"}
    old = document(finding("a/b", quote="x is small", where="Lemma 1"))
    one = only(old, document(finding("a/b", "REFUTED", **changed)))
    assert one.why.startswith("the claim was changed (where, quote, statement)")
    one = only(old, document(finding("a/b", **changed)))
    assert one.why.startswith("the definition of the claim was changed: where, quote, statement, note")


ROOT = Path(__file__).parents[1]
RECORDS = sorted((ROOT / "docs" / "ledger").glob("*.json"))


@pytest.mark.parametrize("path", RECORDS, ids=[path.stem for path in RECORDS])
def test_old_records_are_compared_with_a_document_of_today(path: Path) -> None:
    """A record of schema 3 or 4 has fewer fields than a document; what both have is compared."""
    record = json.loads(path.read_text(encoding="utf-8"))
    assert record["schema"] in (3, 4)
    today = json.loads((ROOT / "reports" / "example" / "findings.json").read_text(encoding="utf-8"))
    assert today["schema"] == 5
    known = {each["id"]: each for each in record["findings"]}
    shared = [each for each in today["findings"] if each["id"] in known]
    assert len(shared) > 10
    found = {each.id: each for each in compare_documents(record, {**today, "findings": shared}).changes}
    for each in shared:
        was, changed = known[each["id"]], found.get(each["id"])
        assert ("verdict" in (changed.kinds if changed else ())) == (was["verdict"] != each["verdict"])
        assert ("summary" in (changed.fields if changed else ())) == (was["summary"] != each["summary"])
        assert changed is None or "found" not in changed.fields
