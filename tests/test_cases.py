"""The loop over claims: nothing finished is lost, nothing stale is reused, nothing depends on the workers."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import inf, nan
from pathlib import Path
from time import process_time, sleep
from typing import Any

import pytest

from dpbandits import QUICK, Finding, Gaussian, Verdict
from dpbandits.audit.judges.effort import RISK, Plan
from dpbandits.audit.runner import cache, dispatch, documents, entries, run_claims, workers
from dpbandits.audit.runner.selection import selected
from dpbandits.proofs_checks.certificates import verify_any as verify
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.reference.bandits.quantities import REGRET
from dpbandits.reference.claims import ledger
from dpbandits.reference.claims.ledger import Ledger
from dpbandits.reference.claims.model import Claim, Inequality, Ordering, Private, Real, Source, Unjudged
from dpbandits.reference.papers.ou24 import ALGORITHM_1

TINY = replace(QUICK, name="tiny", trials=2_000, steps=20_000, pair_effort=4)

CERTIFICATE = {
    "type": "formula",
    "claim": "toy/b",
    "relation": "<=",
    "left": "2",
    "right": "1",
    "within": "0",
    "given": [],
    "variables": {},
    "left_enclosure": ["2", "2"],
    "right_enclosure": ["1", "1"],
}


def claim(name: str, *follows: str, **fields: Any) -> Claim:
    beats: dict[str, Any] = {"expect": Verdict.PROVED, **fields}
    return Claim(name, Source("toy", name, "so it is"), Unjudged("a toy"), follows=follows, **beats)


def judge_of(verdicts: Mapping[str, str], log: Path | None = None) -> Callable[..., Finding]:
    """A judge with these answers: a verdict, "raise", "stop" (Ctrl-C), "bare" (no Exception), "nan" or
    "picture" (no such kind)."""

    def judge(claim: Claim, run: Any, subject: Any = None) -> Finding:
        answer = verdicts.get(claim.id, "PROVED")
        if log:
            with log.open("a") as file:
                file.write(claim.id + "\n")
        if answer == "raise":
            raise ZeroDivisionError("the judge divided by nothing")
        if answer == "stop":
            raise KeyboardInterrupt
        if answer == "bare":
            raise BaseException("no Exception")
        if answer == "nan":
            return Finding(claim.id, Verdict.PROVED, "", ({"kind": "text", "text": nan},))
        if answer == "picture":
            return Finding(claim.id, Verdict.PROVED, "", ({"kind": "picture"},))
        carried = {"kind": "certificate", "certificate": CERTIFICATE | {"claim": claim.id}}
        evidence = (carried,) if answer == "REFUTED" else ()
        return Finding(claim.id, Verdict(answer), "looked at", evidence, "0.5", "look again")

    return judge


def test_what_is_no_json_is_no_finding() -> None:
    """Whoever judges, and wherever in the evidence it stands. How long it took is no part of what was found."""
    good = Finding("toy/a", Verdict.PROVED, "told", ({"kind": "text", "deep": [{"in": 0.5}]},), seconds=3.0)
    found = dispatch.rounded_finding(good)
    assert (found, found.seconds) == (good, 0.0)
    for wrong, error in ((nan, ValueError), (inf, ValueError), (-inf, ValueError), ({1, 2}, TypeError)):
        bad = replace(good, evidence=({"kind": "text", "deep": [{"in": wrong}]},))
        with pytest.raises(error):
            dispatch.rounded_finding(bad)


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    return lambda verdicts, log=None: monkeypatch.setattr(run_claims, "judge", judge_of(verdicts, log))


TOYS = (claim("toy/a"), claim("toy/b", expect=Verdict.REFUTED), claim("toy/c"))


def found(document: dict[str, Any]) -> dict[str, str]:
    return {entry["id"]: entry["verdict"] for entry in document["findings"]}


# -- the loop ------------------------------------------------------------------------------------------------


def test_every_claim_is_judged_once_and_documented(judge: Any, tmp_path: Path) -> None:
    log = tmp_path / "log"
    judge({"toy/b": "REFUTED", "toy/c": "NOT_EXERCISED"}, log)
    document = run_claims.audit(TOYS, TINY, seed=3)
    assert log.read_text().split() == ["toy/a", "toy/b", "toy/c"]
    assert found(document) == {"toy/a": "PROVED", "toy/b": "REFUTED", "toy/c": "NOT_EXERCISED"}
    assert [entry["surprise"] for entry in document["findings"]] == [False, False, True]
    assert documents.exit_status(document) == 1
    assert (document["seed"], document["risk"], document["profile"]["name"]) == (3, RISK, "tiny")


def test_expected_verdicts_only_is_success(judge: Any) -> None:
    judge({"toy/b": "REFUTED"})
    assert documents.exit_status(run_claims.audit(TOYS, TINY)) == 0


def test_a_positive_control_that_is_not_refuted_is_a_surprise(judge: Any) -> None:
    judge({"toy/b": "CONSISTENT"})
    assert documents.exit_status(run_claims.audit(TOYS, TINY)) == 1


def test_what_is_no_exception_is_an_error_as_well(judge: Any) -> None:
    judge({"toy/a": "bare", "toy/b": "REFUTED"})
    document = run_claims.audit(TOYS, TINY)
    assert document["errors"][0]["error"].endswith("BaseException: no Exception\n")
    assert found(document)["toy/c"] == "PROVED"


def test_a_judge_that_raises_is_an_error_and_loses_nothing(judge: Any, tmp_path: Path) -> None:
    judge({"toy/a": "raise", "toy/b": "REFUTED"})
    document = run_claims.audit(TOYS, TINY, out=tmp_path)
    assert found(document) == {"toy/b": "REFUTED", "toy/c": "PROVED"}
    (error,) = document["errors"]
    assert error["id"] == "toy/a"
    assert "ZeroDivisionError: the judge divided by nothing" in error["error"]
    assert documents.exit_status(document) == 2
    judge({"toy/b": "REFUTED"})  # an error is never kept: the next run asks again
    assert documents.exit_status(run_claims.audit(TOYS, TINY, out=tmp_path)) == 0


def test_half_a_character_loses_no_finding(judge: Any) -> None:
    """As in the name of a file that is no UTF-8."""
    document = run_claims.audit([claim("toy/d", note="caf\udce9 é")], TINY)
    written = documents.serialised(document).encode()
    assert json.loads(written) == document
    assert "é".encode() in written


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError("it has no text")


def test_what_cannot_be_described_is_judged_beside_the_others(judge: Any, tmp_path: Path) -> None:
    judge({"toy/b": "REFUTED"})
    odd = claim("toy/d", params=({"arms": Unspeakable()},))
    assert set(found(run_claims.audit([*TOYS, odd], TINY, out=tmp_path))) == {"toy/a", "toy/b", "toy/c", "toy/d"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"claim": "toy/a/formula"}, ""),
        ({"claim": "toy/a"}, ""),
        ({"claim": "toy/b"}, "certificate 1 of 1 names the claim 'toy/b'; it has to name 'toy/a/formula', or "),
        ({"claim": "toy"}, "certificate 1 of 1 names the claim 'toy'; "),
        ({"claim": "toy/a/form"}, "certificate 1 of 1 names the claim 'toy/a/form'; "),
        ({"claim": "toy/a/formula", "right": "3"}, "certificate 1 of 1 does not hold: "),
    ],
)
def test_a_finding_that_would_not_be_read_back_is_an_error_of_its_claim(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, change: dict[str, str], why: str
) -> None:
    """Else every run would judge it again, and no shards would ever finish. A certificate may be about the statement
    that the claim is a variant of."""
    made = claim("toy/a/formula", expect=Verdict.REFUTED)
    carried = CERTIFICATE | change
    asked: list[str] = []

    def judge(claim: Claim, run: Any, subject: Any = None) -> Finding:
        asked.append(claim.id)
        return Finding(claim.id, Verdict.REFUTED, "false", ({"kind": "certificate", "certificate": carried},))

    monkeypatch.setattr(run_claims, "judge", judge)
    documents_of = [run_claims.audit([made], TINY, out=tmp_path) for _ in range(2)]
    if why:
        assert not documents_of[1]["findings"]
        assert why in documents_of[1]["errors"][0]["error"]
    else:
        assert found(documents_of[1]) == {"toy/a/formula": "REFUTED"}
    assert len(asked) == (2 if why else 1)
    assert len(list((tmp_path / "cases").glob("*"))) == (0 if why else 1)


@pytest.mark.parametrize("answer", ["nan", "picture"])
def test_evidence_that_no_report_can_show_is_an_error_of_its_claim(judge: Any, answer: str) -> None:
    judge({"toy/a": answer, "toy/b": "REFUTED"})
    document = run_claims.audit(TOYS, TINY)
    assert found(document) == {"toy/b": "REFUTED", "toy/c": "PROVED"}
    assert [error["id"] for error in document["errors"]] == ["toy/a"]


def test_premises_are_judged_but_not_listed(judge: Any, tmp_path: Path) -> None:
    follower = claim("toy/d", "toy/a", by="Theorem 1")
    judge({"toy/d": "UNSUPPORTED"}, tmp_path / "log")
    document = run_claims.audit([follower], TINY, ledger=Ledger.of((*TOYS, follower)))
    assert found(document) == {"toy/d": "ARGUED"}, "how it follows is said in words"
    assert (tmp_path / "log").read_text().split() == ["toy/a", "toy/d"]


def test_a_refuted_consequence_of_proofs_is_an_error(judge: Any) -> None:
    judge({"toy/d": "REFUTED"})
    document = run_claims.audit([TOYS[0], claim("toy/d", "toy/a")], TINY)
    assert "a finding or the theorem is wrong" in document["errors"][0]["error"]
    assert documents.exit_status(document) == 2


def test_the_ledgers_order_not_the_callers(judge: Any) -> None:
    judge({})
    assert list(found(run_claims.audit([claim("my/own"), *reversed(TOYS)], TINY, ledger=Ledger.of(TOYS)))) == [
        "toy/a",
        "toy/b",
        "toy/c",
        "my/own",
    ]


def test_the_line_that_repeats_a_finding_selects_its_claim_alone() -> None:
    """Also where its id means something to a shell, or as a pattern."""
    odd = tuple(claim(name) for name in ("toy/it's [a]?", "toy/it's ab", "toy/*", "toy/T=1000"))
    plan = Plan(Ledger.of(odd), TINY, 0)
    for each in odd:
        words = shlex.split(dispatch.repeat_command(each, plan.run(each)))
        assert selected(plan.ledger, (words[words.index("--claims") + 1],)) == (each,)
    assert "--claims 'toy/T=1000' " in dispatch.repeat_command(odd[-1], plan.run(odd[-1]))


def test_two_claims_with_one_id_are_refused(judge: Any) -> None:
    with pytest.raises(ValueError, match="two claims have the id 'toy/a'"):
        run_claims.audit([TOYS[0], TOYS[0]], TINY)


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


def test_the_level_is_the_whole_ledgers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A selection must not buy itself a weaker test."""
    says = Private("pull", "arms", lambda policy: Gaussian(1.0))
    many = tuple(replace(claim(f"toy/{i}"), says=says, params=({}, {})) for i in range(10))
    levels = []

    def judge(claim: Claim, run: Any, subject: Any = None) -> Finding:
        levels.append(run.level)
        return Finding(claim.id, Verdict.CONSISTENT, "")

    monkeypatch.setattr(run_claims, "judge", judge)
    monkeypatch.setattr(entries, "statement_fields", lambda claim: {"statement": "", "parts": []})
    run_claims.audit(many[:1], TINY, ledger=Ledger.of(many))
    assert levels == [pytest.approx(RISK / 20, rel=1e-12, abs=0)]  # ten claims with two instances each


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


def test_workers_judge_the_ledgers_own_claims(tmp_path: Path) -> None:
    """Not copies: a proof asks whether a formula is the one that it is about, and functions are equal to themselves
    alone."""

    def judge(claim: Claim, run: Any, subject: Any = None) -> Finding:
        own = any(claim is other for other in ledger.ledger().claims)
        return Finding(claim.id, Verdict.PROVED if own else Verdict.REFUTED, "")

    some = [claim for claim in ledger.ledger().claims if not claim.follows][:3]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_claims, "judge", judge)
        document = run_claims.audit([*some, TOYS[0]], TINY, jobs=2)
    assert found(document) == {**dict.fromkeys((claim.id for claim in some), "PROVED"), "toy/a": "REFUTED"}


def test_claims_about_one_experiment_go_to_one_process() -> None:
    """One experiment of 1e5 rounds takes longer than everything else: it must not be played once per worker."""

    def judge(claim: Claim, run: Any, subject: Any = None) -> Finding:

        return Finding(claim.id, Verdict.PROVED, str(os.getpid()))

    arms = {"one": (1, 2), "other": (3, 4)}
    about = [replace(claim(f"toy/{i}"), says=Ordering(REGRET, dict(arms), (("one", "other"),))) for i in range(6)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_claims, "judge", judge)
        document = run_claims.audit([*about, *TOYS], TINY, jobs=2)
    processes = {entry["summary"] for entry in document["findings"] if entry["id"] in {one.id for one in about}}
    assert len(processes) == 1


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


def test_an_interrupted_run_goes_on_where_it_stopped(judge: Any, tmp_path: Path) -> None:
    out, log = tmp_path / "out", tmp_path / "log"
    judge({"toy/b": "REFUTED", "toy/c": "stop"}, log)
    with pytest.raises(KeyboardInterrupt):
        run_claims.audit(TOYS, TINY, out=out)
    assert sorted(path.name for path in (out / "cases").iterdir()) == ["toy__a.json", "toy__b.json"]
    assert not (out / "findings.json").exists()
    log.unlink()
    judge({"toy/a": "raise", "toy/b": "raise", "toy/c": "PROVED"}, log)  # the finished ones are not asked again
    document = run_claims.audit(TOYS, TINY, out=out)
    assert log.read_text().split() == ["toy/c"]
    judge({"toy/b": "REFUTED"})
    assert document == run_claims.audit(TOYS, TINY)


INTERRUPTED = """
import os, signal, sys, time
from pathlib import Path
from dpbandits.audit.runner import run_claims
from dpbandits.audit.judges.effort import QUICK
from dpbandits.reference.claims.model import Claim, Finding, Source, Unjudged, Verdict
from dpbandits.reference.claims.ledger import Ledger

out, jobs, kind = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it, and so would this one

def main():
    def judge(claim, run, subject=None):
        with open(out.with_name("log"), "a") as log:
            log.write(claim.id + "\\n")
        if claim.id == "toy/b" and kind:  # once the other finding is on disk: the signal, to all processes
            while not (out / "cases" / "toy__a.json").exists():
                time.sleep(0.01)
            os.killpg(0, kind)
        return Finding(claim.id, Verdict.PROVED, "")

    run_claims.judge = judge
    claims = [Claim(name, Source("toy", name, ""), Unjudged(""), Verdict.PROVED) for name in ("toy/a", "toy/b")]
    run_claims.audit(claims, QUICK, jobs=jobs, out=out, ledger=Ledger.of(claims))  # the whole one need not be loaded

main()
"""


@pytest.mark.thorough
@pytest.mark.parametrize(("jobs", "kind"), [(2, signal.SIGINT), (1, signal.SIGKILL)])
def test_a_run_that_is_killed_keeps_what_is_finished_and_goes_on_from_there(
    tmp_path: Path, jobs: int, kind: int
) -> None:
    out = tmp_path / "out"

    def run(kind: int) -> tuple[int, bytes]:
        command = [sys.executable, "-c", INTERRUPTED, str(out), str(jobs), str(kind)]
        process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE)
        _, errors = process.communicate()  # returns once all who hold stderr have ended, workers included
        return process.returncode, errors

    status, errors = run(kind)
    assert status != 0
    assert (b"KeyboardInterrupt" in errors) is (kind == signal.SIGINT)
    assert [path.name for path in (out / "cases").glob("*.json")] == ["toy__a.json"]
    assert run(0) == (0, b"")
    assert Counter((tmp_path / "log").read_text().split()) == {"toy/a": 1, "toy/b": 2}
    assert {found["id"] for found in json.loads((out / "findings.json").read_text())["findings"]} == {"toy/a", "toy/b"}


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
    judge: Any, tmp_path: Path, change: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge({"toy/b": "REFUTED"})
    run_claims.audit(TOYS, TINY, out=tmp_path)
    if "digest" in change:
        monkeypatch.setattr(cache, "environment", lambda kernel: {"numpy": change["digest"]})
    log = tmp_path / "log"
    judge({"toy/b": "REFUTED"}, log)
    run_claims.audit(change.get("claims", TOYS), change.get("profile", TINY), change.get("seed", 0), out=tmp_path)
    assert log.read_text().split() == (["toy/a"] if "claims" in change else ["toy/a", "toy/b", "toy/c"])


def test_a_damaged_case_is_judged_anew(judge: Any, tmp_path: Path) -> None:
    judge({"toy/b": "REFUTED"})
    run_claims.audit(TOYS, TINY, out=tmp_path)
    (tmp_path / "cases" / "toy__a.json").write_text('{"fingerprint": ')
    (tmp_path / "cases" / "toy__c.json").write_text("[]")
    judge({"toy/b": "REFUTED"}, log := tmp_path / "log")
    run_claims.audit(TOYS, TINY, out=tmp_path)
    assert log.read_text().split() == ["toy/a", "toy/c"]


# -- files ---------------------------------------------------------------------------------------------------


def test_seconds_are_of_the_processor(judge: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a plan made of them does not hang on what else the machine did: waiting costs nothing, working does."""
    at_once = workers.rounded_finding

    def slowly(finding: Finding) -> Finding:
        sleep(0.5)
        end = process_time() + 0.1
        while process_time() < end:
            pass
        return at_once(finding)

    judge({})
    monkeypatch.setattr(workers, "rounded_finding", slowly)
    run_claims.audit(TOYS[:1], TINY, out=tmp_path)
    (seconds,) = json.loads((tmp_path / "timings.json").read_text())["seconds"].values()
    assert 0.09 < seconds < 0.5


def test_the_files_of_a_run(judge: Any, tmp_path: Path) -> None:
    judge({"toy/b": "REFUTED"})
    document = run_claims.audit(TOYS, TINY, out=tmp_path)
    assert json.loads((tmp_path / "findings.json").read_text()) == document
    assert "seconds" not in (tmp_path / "findings.json").read_text()
    assert set(json.loads((tmp_path / "timings.json").read_text())["seconds"]) == {"toy/a", "toy/b", "toy/c"}
    assert json.loads((tmp_path / "certificates" / "toy__b.json").read_text()) == CERTIFICATE
    assert "<html" in (tmp_path / "index.html").read_text()


def test_certificates_of_earlier_runs_go(judge: Any, tmp_path: Path) -> None:
    judge({"toy/b": "REFUTED"})
    run_claims.audit(TOYS, TINY, out=tmp_path)
    judge({})
    run_claims.audit(TOYS, TINY, seed=1, out=tmp_path)
    assert not list((tmp_path / "certificates").iterdir())


def test_selection_by_globs() -> None:
    toys = Ledger.of(TOYS)
    assert selected(toys, ()) == TOYS
    assert selected(toys, ("toy/[ac]", "toy/c")) == (TOYS[0], TOYS[2])
    with pytest.raises(ValueError, match=r"no claim matches 'tpy/a'; did you mean toy/a"):
        selected(toys, ("toy/b", "tpy/a"))


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
