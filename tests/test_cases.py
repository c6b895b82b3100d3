"""The loop over claims: nothing finished is lost, nothing stale is reused, nothing depends on the workers."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from math import inf, nan
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from toy_page import FOLDER, LEDGER, toys

from dpbandits import QUICK, Finding, Gaussian, Profile, Verdict
from dpbandits.audit.judges.effort import RISK, Plan, Run
from dpbandits.audit.runner import cache, dispatch, documents, run_claims
from dpbandits.audit.runner.selection import selected
from dpbandits.audit.runner.workers import Workers
from dpbandits.proofs_checks.certificates import verify_any as verify
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.reference.claims.ledger import Ledger
from dpbandits.reference.claims.model import Claim, Inequality, Private, Real, Source, Unjudged
from dpbandits.reference.papers.ou24 import ALGORITHM_1

TINY = replace(QUICK, name="tiny", trials=2_000, steps=20_000, pair_effort=4)

CERTIFICATE = {
    "type": "formula",
    "claim": "toy/told/variant",
    "relation": "<=",
    "left": "2",
    "right": "1",
    "within": "0",
    "given": [],
    "variables": {},
    "left_enclosure": ["2", "2"],
    "right_enclosure": ["1", "1"],
}
TOYS = toys("proved", "refuted", "equal")


def claim(name: str, *follows: str, **fields: Any) -> Claim:
    beats: dict[str, Any] = {"expect": Verdict.PROVED, **fields}
    return Claim(name, Source("toy", name, "so it is"), Unjudged("a toy"), follows=follows, **beats)


def audit(claims: Iterable[Claim], profile: Profile = TINY, **options: Any) -> dict[str, Any]:
    return run_claims.audit(claims, profile, ledger=LEDGER, **options)


def told(name: str, verdict: Verdict, *evidence: Any, **fields: Any) -> Claim:
    """A claim of the page whose check finds this verdict, with this evidence."""
    params = {"verdict": verdict, "summary": "told", "evidence": evidence}
    return replace(*toys(name), params=(params,), **fields)


def test_what_is_no_json_is_no_finding() -> None:
    """Whoever judges, and wherever in the evidence it stands. How long it took is no part of what was found."""
    good = Finding("toy/a", Verdict.PROVED, "told", ({"kind": "text", "deep": [{"in": 0.5}]},), seconds=3.0)
    found = dispatch.rounded_finding(good)
    assert (found, found.seconds) == (good, 0.0)
    for wrong, error in ((nan, ValueError), (inf, ValueError), (-inf, ValueError), ({1, 2}, TypeError)):
        bad = replace(good, evidence=({"kind": "text", "deep": [{"in": wrong}]},))
        with pytest.raises(error):
            dispatch.rounded_finding(bad)


def found(document: dict[str, Any]) -> dict[str, str]:
    return {entry["id"]: entry["verdict"] for entry in document["findings"]}


# -- the loop ------------------------------------------------------------------------------------------------


def test_every_claim_is_judged_once_and_documented(asked: Any) -> None:
    document = audit(toys("proved", "refuted", "idle"), seed=3)
    assert asked() == ["toy/proved", "toy/refuted", "toy/idle"]
    assert found(document) == {"toy/proved": "PROVED", "toy/refuted": "REFUTED", "toy/idle": "NOT_EXERCISED"}
    assert [entry["surprise"] for entry in document["findings"]] == [False, False, True]
    assert documents.exit_status(document) == 1
    assert (document["seed"], document["risk"], document["profile"]["name"]) == (3, RISK, "tiny")


def test_expected_verdicts_only_is_success() -> None:
    assert documents.exit_status(audit(TOYS)) == 0


def test_a_positive_control_that_is_not_refuted_is_a_surprise() -> None:
    assert documents.exit_status(audit(toys("proved", "consistent"))) == 1


def test_what_is_no_exception_is_an_error_as_well() -> None:
    document = audit(toys("throws", "equal"))
    assert document["errors"][0]["error"].endswith("BaseException: no Exception\n")
    assert found(document) == {"toy/equal": "PROVED"}


def test_a_judge_that_raises_is_an_error_and_loses_nothing(
    asked: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_FAULTS", "1")
    claims = toys("refuted", "raises", "equal")
    document = audit(claims, out=tmp_path)
    assert found(document) == {"toy/refuted": "REFUTED", "toy/equal": "PROVED"}
    (error,) = document["errors"]
    assert error["id"] == "toy/raises"
    assert "ZeroDivisionError: the check divided by nothing" in error["error"]
    assert documents.exit_status(document) == 2
    assert documents.exit_status(audit(claims, out=tmp_path)) == 0  # an error is never kept: the next run asks again


def test_half_a_character_loses_no_finding() -> None:
    """As in the name of a file that is no UTF-8."""
    document = audit([claim("toy/d", note="caf\udce9 é")])
    written = documents.serialised(document).encode()
    assert json.loads(written) == document
    assert "é".encode() in written


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError("it has no text")


def test_what_cannot_be_described_is_judged_beside_the_others(tmp_path: Path) -> None:
    odd = claim("toy/d", params=({"arms": Unspeakable()},))
    assert set(found(audit([*TOYS, odd], out=tmp_path))) == {"toy/proved", "toy/refuted", "toy/equal", "toy/d"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({}, ""),
        ({"claim": "toy/told"}, ""),
        ({"claim": "toy/b"}, "certificate 1 of 1 names the claim 'toy/b'; it has to name 'toy/told/variant', or "),
        ({"claim": "toy"}, "certificate 1 of 1 names the claim 'toy'; "),
        ({"claim": "toy/told/var"}, "certificate 1 of 1 names the claim 'toy/told/var'; "),
        ({"right": "3"}, "certificate 1 of 1 does not hold: "),
    ],
)
def test_a_finding_that_would_not_be_read_back_is_an_error_of_its_claim(
    asked: Any, tmp_path: Path, change: dict[str, str], why: str
) -> None:
    """Else every run would judge it again, and no shards would ever finish. A certificate may be about the statement
    that the claim is a variant of."""
    evidence = {"kind": "certificate", "certificate": CERTIFICATE | change}
    made = told("told/variant", Verdict.REFUTED, evidence, expect=Verdict.REFUTED)
    documents_of = [audit([made], out=tmp_path) for _ in range(2)]
    if why:
        assert not documents_of[1]["findings"]
        assert why in documents_of[1]["errors"][0]["error"]
    else:
        assert found(documents_of[1]) == {"toy/told/variant": "REFUTED"}
    assert len(asked()) == (2 if why else 1)
    assert len(list((tmp_path / "cases").glob("*"))) == (0 if why else 1)


@pytest.mark.parametrize("evidence", [{"kind": "text", "text": nan}, {"kind": "picture"}], ids=["nan", "picture"])
def test_evidence_that_no_report_can_show_is_an_error_of_its_claim(evidence: dict[str, Any]) -> None:
    document = audit([*TOYS, told("told", Verdict.PROVED, evidence)])
    assert found(document) == {"toy/proved": "PROVED", "toy/refuted": "REFUTED", "toy/equal": "PROVED"}
    assert [error["id"] for error in document["errors"]] == ["toy/told"]


def test_premises_are_judged_but_not_listed(asked: Any) -> None:
    assert found(audit(toys("follows"))) == {"toy/follows": "ARGUED"}, "how it follows is said in words"
    assert asked() == ["toy/proved"]


def test_a_refuted_consequence_of_proofs_is_an_error() -> None:
    document = audit([TOYS[0], told("told", Verdict.REFUTED, follows=("toy/proved",))])
    assert "a finding or the theorem is wrong" in document["errors"][0]["error"]
    assert documents.exit_status(document) == 2


def test_the_ledgers_order_not_the_callers() -> None:
    listed = found(audit([claim("my/own"), *reversed(TOYS)]))
    assert list(listed) == ["toy/proved", "toy/refuted", "toy/equal", "my/own"]


def test_the_line_that_repeats_a_finding_selects_its_claim_alone() -> None:
    """Also where its id means something to a shell, or as a pattern."""
    odd = tuple(claim(name) for name in ("toy/it's [a]?", "toy/it's ab", "toy/*", "toy/T=1000"))
    plan = Plan(Ledger.of(odd), TINY, 0)
    for each in odd:
        words = shlex.split(dispatch.repeat_command(each, plan.run(each)))
        assert selected(plan.ledger, (words[words.index("--claims") + 1],)) == (each,)
    assert "--claims 'toy/T=1000' " in dispatch.repeat_command(odd[-1], plan.run(odd[-1]))


def test_two_claims_with_one_id_are_refused() -> None:
    with pytest.raises(ValueError, match="two claims have the id 'toy/proved'"):
        audit([TOYS[0], TOYS[0]])


def test_every_certificate_has_a_file_of_its_own() -> None:
    """The second one of a claim, beside a claim that is called so."""

    def entry(name: str, *carried: int) -> dict[str, Any]:
        return {"id": name, "evidence": [{"kind": "certificate", "certificate": {"n": n}} for n in carried]}

    found = [entry("a/b", 1, 2, 3), entry("a/b-2", 4, 5), entry("a/c")]
    named = documents.certificates({"findings": found})
    assert sorted(each["n"] for each in named.values()) == [1, 2, 3, 4, 5]
    assert (named["a__b"]["n"], named["a__b-2"]["n"]) == (1, 4)
    alike, long = ("a/b/c", "a/b__c", "a__b/c"), ("a/" + "b" * 300, "a/" + "b" * 299)
    named = documents.certificates({"findings": [entry(name, 1, 2) for name in (*alike, *long)]})
    assert len({name.casefold() for name in named}) == 10
    assert max(len(name.encode()) for name in named) < 220  # what is written beside it has endings


def test_the_level_is_the_whole_ledgers() -> None:
    """A selection must not buy itself a weaker test."""
    (one,) = toys("private")
    others = [replace(one, id=f"toy/{i}", params=one.params * 2) for i in range(9)]  # with two instances each
    (entry,) = run_claims.audit([one], TINY, ledger=Ledger.of([one, *others]))["findings"]
    shared, alone = (dispatch.rounded_finding(dispatch.judge(one, Run(TINY, 0, RISK / many))) for many in (19, 1))
    assert entry["evidence"] == list(shared.evidence)
    assert shared.evidence != alone.evidence


def test_a_thousand_audits_of_what_is_on_no_page_take_the_risk_of_a_ledger() -> None:
    assert 1000 * Plan(Ledger.of(()), TINY, 0).own.level == pytest.approx(RISK, rel=1e-12, abs=0)


# -- workers -------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_documents_bytes_do_not_depend_on_the_workers(tmp_path: Path) -> None:
    """The real judge on a formula, a policy and a false formula, by one process and by two."""
    inverse = Inequality(lambda m, x: 1 / x, lambda m, x: x, {"x": Real(0.5, 3)})
    real = (
        Claim("toy/formula", Source("toy", "1", "exp(x) >= 1 + x"), says_exp(), expect=Verdict.PROVED),
        Claim("toy/false", Source("toy", "2", "1/x <= x"), inverse, expect=Verdict.REFUTED),
        Claim(
            "toy/policy",
            Source("toy", "3", "Algorithm 1 is 2-GDP"),
            Private("pull", "arms", lambda policy: Gaussian(2.0)),
            subject=ALGORITHM_1,
            params=({"arms": 2, "horizon": 6},),
            expect=Verdict.CONSISTENT,
        ),
    )
    one, two = tmp_path / "one", tmp_path / "two"
    first = run_claims.audit(real, TINY, seed=5, jobs=1, out=one)
    second = run_claims.audit(real, TINY, seed=5, jobs=2, out=two)
    assert documents.exit_status(first) == 0, first
    assert documents.exit_status(second) == 0, second
    assert (one / "findings.json").read_bytes() == (two / "findings.json").read_bytes()
    assert (one / "index.html").read_bytes() == (two / "index.html").read_bytes()
    assert first == second == json.loads((one / "findings.json").read_text())
    (certificate,) = (one / "certificates").iterdir()
    assert certificate.name == "toy__false.json"
    assert verify(json.loads(certificate.read_text())).ok


def says_exp() -> Inequality:
    return Inequality(lambda m, x: 1 + x, lambda m, x: m.exp(x), {"x": Real(0.5, 2)})


def test_workers_judge_the_ledgers_own_claims() -> None:
    """Not copies: a proof asks whether a formula is the one that it is about, and functions are equal to themselves
    alone."""
    claims = toys("original", "equal")
    assert found(audit(claims, jobs=2)) == {"toy/original": "PROVED", "toy/equal": "PROVED"}
    copied = replace(claims[0], note="a copy")
    assert found(audit([copied])) == {"toy/original": "CONSISTENT"}, "its check tells them apart"


def test_claims_about_one_experiment_go_to_one_process() -> None:
    """One experiment of 1e5 rounds takes longer than everything else: it must not be played once per worker."""
    claims = toys("experiment/1", "equal", "experiment/2")
    calls, failed = run_claims.planned_calls(claims, Plan(LEDGER, TINY, 0), Workers(2), {})
    assert failed == []
    together = [tuple(each.id for each in call.group.claims) for call in calls]
    assert sorted(together) == [("toy/equal",), ("toy/experiment/1", "toy/experiment/2")]


@pytest.mark.thorough
def test_another_seed_is_another_sample(tmp_path: Path) -> None:
    """The seed reaches the judge; the expectation above would hold for a document that ignored it."""
    policy = Claim(
        "toy/policy",
        Source("toy", "3", "Algorithm 1 is 2-GDP"),
        Private("pull", "arms", lambda policy: Gaussian(2.0)),
        subject=ALGORITHM_1,
        params=({"arms": 2, "horizon": 6},),
        expect=Verdict.CONSISTENT,
    )
    evidence = [run_claims.audit([policy], TINY, seed=seed)["findings"][0]["evidence"] for seed in (0, 1)]
    assert evidence[0] != evidence[1]


# -- interruption and reuse ----------------------------------------------------------------------------------


def test_an_interrupted_run_goes_on_where_it_stopped(
    asked: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = toys("proved", "refuted", "interrupts")
    monkeypatch.setenv("TOY_FAULTS", "1")
    with pytest.raises(KeyboardInterrupt):
        audit(claims, out=tmp_path)
    assert sorted(path.name for path in (tmp_path / "cases").iterdir()) == ["toy__proved.json", "toy__refuted.json"]
    assert not (tmp_path / "findings.json").exists()
    assert asked() == ["toy/proved", "toy/refuted", "toy/interrupts"]
    document = audit(claims, out=tmp_path)
    assert asked() == ["toy/interrupts"]  # the finished ones are not asked again
    assert document == audit(claims)


INTERRUPTED = """
import signal, sys
from dpbandits.audit.cli.command_line import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it, and so would this one
if __name__ == "__main__":
    main(sys.argv[1:])
"""


@pytest.mark.thorough
@pytest.mark.parametrize(("jobs", "kind"), [(2, signal.SIGINT), (1, signal.SIGKILL)])
def test_a_run_that_is_killed_keeps_what_is_finished_and_goes_on_from_there(
    asked: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int, kind: int
) -> None:
    """All of its processes get the signal, once one finding is on disk and the other claim is being checked."""
    monkeypatch.setenv("TOY_FAULTS", "1")
    options = ["--page", str(FOLDER), "--jobs", str(jobs), "--out", str(tmp_path), "toy/proved", "toy/waits"]
    command = [sys.executable, "-c", INTERRUPTED, "audit", *options]
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE)
    known, end = set[str](), monotonic() + 600
    while not ("toy/waits" in known and (tmp_path / "cases" / "toy__proved.json").exists()) and monotonic() < end:
        known |= set(asked())
        sleep(0.01)
    os.killpg(process.pid, kind)
    _, errors = process.communicate()  # returns once all who hold stderr have ended, workers included
    assert process.returncode == (130 if kind == signal.SIGINT else -kind)
    assert (b"Repeat the command to continue" in errors) is (kind == signal.SIGINT)
    assert [path.name for path in (tmp_path / "cases").glob("*.json")] == ["toy__proved.json"]
    asked()  # what the killed run asked since it was last read
    assert subprocess.run(command, check=False).returncode == 0
    assert asked() == ["toy/waits"]
    found = json.loads((tmp_path / "findings.json").read_text())["findings"]
    assert {each["id"]: each["verdict"] for each in found} == {"toy/proved": "PROVED", "toy/waits": "PROVED"}


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"profile": replace(TINY, effort=Effort(points=9))},
        {"claims": (replace(TOYS[0], note="new"), *TOYS[1:])},
        {"digest": "another numpy"},
    ],
    ids=["seed", "profile", "claim", "library"],
)
@pytest.mark.first(4)
def test_a_changed_run_is_judged_anew(
    asked: Any, tmp_path: Path, change: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    audit(TOYS, out=tmp_path)
    if "digest" in change:
        monkeypatch.setattr(cache, "environment", lambda kernel: {"numpy": change["digest"]})
    asked()
    audit(change.get("claims", TOYS), change.get("profile", TINY), seed=change.get("seed", 0), out=tmp_path)
    assert asked() == (["toy/proved"] if "claims" in change else [each.id for each in TOYS])


def test_a_damaged_case_is_judged_anew(asked: Any, tmp_path: Path) -> None:
    audit(TOYS, out=tmp_path)
    (tmp_path / "cases" / "toy__proved.json").write_text('{"fingerprint": ')
    (tmp_path / "cases" / "toy__equal.json").write_text("[]")
    asked()
    audit(TOYS, out=tmp_path)
    assert asked() == ["toy/proved", "toy/equal"]


# -- files ---------------------------------------------------------------------------------------------------


def test_seconds_are_of_the_processor(tmp_path: Path) -> None:
    """So that a plan made of them does not hang on what else the machine did: waiting costs nothing, working does."""
    audit(toys("works"), out=tmp_path)
    (seconds,) = json.loads((tmp_path / "timings.json").read_text())["seconds"].values()
    assert 0.09 < seconds < 0.5


def test_the_files_of_a_run(tmp_path: Path) -> None:
    document = audit(TOYS, out=tmp_path)
    assert json.loads((tmp_path / "findings.json").read_text()) == document
    assert "seconds" not in (tmp_path / "findings.json").read_text()
    seconds = json.loads((tmp_path / "timings.json").read_text())["seconds"]
    assert set(seconds) == {"toy/proved", "toy/refuted", "toy/equal"}
    (carried,) = (item for item in document["findings"][1]["evidence"] if item["kind"] == "certificate")
    assert json.loads((tmp_path / "certificates" / "toy__refuted.json").read_text()) == carried["certificate"]
    assert "<html" in (tmp_path / "index.html").read_text()


def test_certificates_of_earlier_runs_go(tmp_path: Path) -> None:
    audit(TOYS, out=tmp_path)
    assert [path.name for path in (tmp_path / "certificates").iterdir()] == ["toy__refuted.json"]
    audit(TOYS[:1], seed=1, out=tmp_path)
    assert not list((tmp_path / "certificates").iterdir())


def test_selection_by_globs() -> None:
    assert selected(Ledger.of(TOYS), ()) == TOYS
    assert selected(LEDGER, ("toy/[pe]*l", "toy/proved")) == (TOYS[0], TOYS[2])
    with pytest.raises(ValueError, match=r"no claim matches 'tpy/equal'; did you mean toy/equal"):
        selected(LEDGER, ("toy/refuted", "tpy/equal"))


@pytest.mark.parametrize("field", ["summary", "resolution", "repro"])
def test_a_finding_whose_words_are_none_is_not_read_back(tmp_path: Path, field: str) -> None:
    place = cache.CasePlace(tmp_path / "toy__a.json", "mark")
    good = cache.Case("toy/a", Finding("toy/a", Verdict.PROVED, "told"), "", 0.5)
    cache.store_case(good, place)
    assert cache.read_back("toy/a", place) == good
    assert good.finding is not None
    cache.store_case(good._replace(finding=replace(good.finding, **{field: 3})), place)
    assert cache.read_back("toy/a", place) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names here")
def test_nobody_waits_for_a_pipe_in_the_place_of_a_case(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "toy__a.json")
    assert cache.read_back("toy/a", cache.CasePlace(tmp_path / "toy__a.json", "mark")) is None
