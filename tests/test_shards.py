"""Shards: every claim is somebody's, whoever comes first; what they find together is what one run finds."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from test_cli import PAGE
from toy_page import LEDGER, toys

from dpbandits import CI, QUICK
from dpbandits.audit.cli.command_line import main
from dpbandits.audit.judges.effort import Plan
from dpbandits.audit.runner import cache, run_claims, store, workers
from dpbandits.audit.runner.run_claims import planned_calls
from dpbandits.audit.runner.selection import sharing_work
from dpbandits.audit.runner.timings import (
    UNMEASURED_SECONDS,
    Shard,
    claims_of_shard,
    parse_shard,
    read_timings,
    seconds_of_group,
)
from dpbandits.audit.runner.workers import Unavailable, Workers
from dpbandits.reference.claims.ledger import Ledger, ledger
from dpbandits.reference.claims.model import Ordering, Private, Source

TOYS = toys("proved", "refuted", "equal", "wrong", "consistent", "idle")


def whole_folder(out: Path) -> dict[str, bytes]:
    """All that a run wrote, but for durations."""
    files = (path for path in out.rglob("*") if path.is_file() and "cases" not in path.parts)
    return {str(path.relative_to(out)): path.read_bytes() for path in files if path.name != "timings.json"}


@pytest.mark.parametrize("many", [1, 5])
def test_every_claim_of_the_ledger_is_in_one_shard(many: int) -> None:
    groups = sharing_work(ledger().claims)
    parts = [claims_of_shard(groups, QUICK, Shard(number, many)) for number in range(1, many + 1)]
    assert sorted(claim.id for part in parts for claim in part) == sorted(ledger().by_id)
    costs = {group[0].id: seconds_of_group(group, QUICK) or UNMEASURED_SECONDS * len(group) for group in groups}
    shares = [{claim.id for claim in part} for part in parts]
    load = []
    for share in shares:  # claims about one experiment are together
        whole = [group for group in groups if group[0].id in share]
        assert share == {claim.id for group in whole for claim in group}
        load.append(sum(costs[group[0].id] for group in whole))
    assert max(load) - min(load) <= max(costs.values()) + 1e-9


def test_claims_about_one_experiment_are_found_by_its_settings() -> None:
    about = [claim for claim in ledger().claims if isinstance(claim.says, Ordering)]
    groups = sharing_work(ledger().claims)
    assert len([group for group in groups if isinstance(group[0].says, Ordering)]) < len(about) / 2
    odd = replace(about[0], says=replace(about[0].says, settings={"a": ([1], [2])}))  # which have no hash
    assert sharing_work([odd, odd]) == [[odd, odd]]


def test_claims_about_the_same_runs_of_a_policy_are_checked_in_one_process() -> None:
    """There they share the worst inputs and the tests of the law, which cost more than all else."""
    by_id, plan = ledger().by_id, Plan(ledger(), QUICK, 0)
    (pair,) = sharing_work([by_id["ou24/lemma-3"], by_id["ou24/lemma-3/sharp"]])
    apart = ["ou24/lemma-3", "ou24/lemma-3/round", "ou24/lemma-4"]  # the relation or the policy differs
    assert len(sharing_work([by_id[name] for name in apart])) == len(apart)
    calls = [call for call in planned_calls(ledger().claims, plan, Workers(2), {})[0] if pair[0] in call.group.claims]
    assert [call.task for call in calls] == [None]
    assert len(calls[0].group.claims) > len(pair)
    # Where they alone would keep one of the workers busy, each is divided among all workers.
    alone = planned_calls(pair, plan, Workers(2, min_divided_seconds=0.0), {})[0]
    assert [(call.group.claims, call.task) for call in sorted(alone, key=lambda call: call.group.name)] == [
        ([claim], task) for claim in pair for task in range(len(claim.params))
    ]


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2)])
@pytest.mark.first(1)
def test_shards_find_what_one_run_finds(asked: Any, tmp_path: Path, order: tuple[int, ...]) -> None:
    one = run_claims.audit(TOYS, QUICK, out=tmp_path / "one", ledger=LEDGER)
    assert asked() == [claim.id for claim in TOYS]
    parts = [run_claims.audit_shard(TOYS, QUICK, Shard(number, 3), tmp_path / "all", ledger=LEDGER) for number in order]
    assert sorted(asked()) == sorted(claim.id for claim in TOYS)  # nobody's claim was judged twice
    assert [part.document is None for part in parts] == [True, True, False]
    assert [part.missing for part in parts] == [len(TOYS) - parts[0].judged, parts[2].judged, 0]
    assert parts[2].document == one
    assert whole_folder(tmp_path / "all") == whole_folder(tmp_path / "one")
    again = run_claims.audit_shard(TOYS, QUICK, Shard(1, 3), tmp_path / "all", ledger=LEDGER)
    assert again.document == one
    assert asked() == []


def test_what_a_shard_could_not_judge_is_missing_until_it_can(
    asked: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_FAULTS", "1")
    every = toys("proved", "raises", "refuted", "equal")
    parts = [run_claims.audit_shard(every, QUICK, Shard(number, 2), tmp_path, ledger=LEDGER) for number in (1, 2)]
    assert [*parts[0].failed, *parts[1].failed] == ["toy/raises"]
    assert (parts[1].missing, parts[1].document) == (1, None)
    asked()
    document = run_claims.audit(every, QUICK, out=tmp_path, ledger=LEDGER)
    assert asked() == ["toy/raises"]
    assert len(document["findings"]) == 4


def test_a_case_that_somebody_spoils_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not just missing: else shards would be run again and again."""
    monkeypatch.setenv("TOY_SPOILED", str(tmp_path / "cases" / "toy__proved.json"))
    call = ["audit", *PAGE, "toy/proved", "toy/spoils", "--out", str(tmp_path), "--shard", "1/1"]
    done = CliRunner().invoke(main, call)
    assert done.exit_code == 2
    assert "error: toy/proved: the finding in the folder's cases/ was changed after it was written" in done.output


def test_a_subject_that_cannot_be_made_does_not_stop_shards() -> None:
    """Its judge will say what is wrong with it; the other claims are judged all the same."""

    def broken(**_: Any) -> Any:
        raise KeyError("arms")

    odd = next(claim for claim in ledger().claims if isinstance(claim.says, Private) and claim.subject is not None)
    odd = replace(odd, id="toy/odd", source=Source("toy", "odd", ""), subject=broken, follows=(), by="")
    every = (odd, *TOYS)
    shares = [claims_of_shard(sharing_work(every), QUICK, Shard(k, 2)) for k in (1, 2)]
    assert {claim.id for share in shares for claim in share} == {claim.id for claim in every}
    document = run_claims.audit([odd], QUICK, ledger=Ledger.of(every))
    assert "KeyError: 'arms'" in document["errors"][0]["error"]


def test_shards_share_a_folder_with_shards_alone(tmp_path: Path) -> None:
    with store.lock_folder(tmp_path, among_shards=True):
        with store.lock_folder(tmp_path, among_shards=True):
            pass
        with pytest.raises(store.Refused, match="another run is writing to"), store.lock_folder(tmp_path):
            pass
    with store.lock_folder(tmp_path), pytest.raises(store.Refused), store.lock_folder(tmp_path, among_shards=True):
        pass


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "1/0", "-1/2", "1/2/3", "a/b", "1/1000000"])
def test_a_shard_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"the form I/N \(the I-th of N parts\)"):
        parse_shard(text)


def test_the_command_says_what_the_others_have_to_do(tmp_path: Path) -> None:
    call = ["audit", *PAGE, *(claim.id for claim in TOYS), "--out", str(tmp_path)]
    first = CliRunner().invoke(main, [*call, "--shard", "1/2"])
    assert first.exit_code == 0
    found = re.search(r"shard 1/2: (\d+) claims checked; of all claims, (\d+) are missing", first.output)
    assert found is not None
    assert all(int(number) > 0 for number in found.groups())
    last = CliRunner().invoke(main, [*call, "--shard", "2/2"])
    assert "report: " in last.output
    assert last.exit_code == 1  # as not all is as expected
    planned = CliRunner().invoke(main, [*call, "--plan"])
    assert "profile quick: nothing is left to judge" in planned.output
    assert f"counted above: {sum(map(int, found.groups()))} claims" in planned.output
    assert "profile deep: " in planned.output
    for options, told in (
        (["--shard", "3/2"], "the form I/N"),
        (["--scheduler", "tcp://x:1"], "needs --backend dask"),
        (["--backend", "dask"], "needs the address of the scheduler"),
        (["--backend", "dask", "--scheduler", "x", "--jobs", "3"], "the cluster determines the number of workers"),
        (["--backend", "dask", "--scheduler", "x", "--shard", "1/2"], "cannot be combined with --backend dask"),
    ):
        refused = CliRunner().invoke(main, [*call, *options])
        assert refused.exit_code == 2
        assert told in refused.output


def test_a_shard_names_the_environment_whose_findings_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two machines whose versions differ never finish a folder: the second one says so, and so does the first one when
    it comes back. Other settings in the same folder are nobody's mistake."""
    call = ["audit", *PAGE, "toy/proved", "toy/refuted", "--out", str(tmp_path)]
    here = cache.environment(False)
    other = {**here, "numpy": "1.0", "coqc": "8.16.1"}
    for shard, versions, status, differs in (
        ("1/2", other, 0, ""),
        ("2/2", here, 2, f"coqc 8.16.1 (here none), numpy 1.0 (here {here['numpy']})"),
        ("1/2", other, 2, f"coqc none (here 8.16.1), numpy {here['numpy']} (here 1.0)"),
    ):
        for module in (cache, run_claims):
            monkeypatch.setattr(module, "environment", lambda kernel, versions=versions: versions)
        done = CliRunner().invoke(main, [*call, "--shard", shard])
        assert done.exit_code == status, done.output
        assert ("kept by another environment" in done.output) == (status == 2)
        assert differs in done.output, done.output
    for module in (cache, run_claims):
        monkeypatch.setattr(module, "environment", lambda kernel: here)
    assert CliRunner().invoke(main, [*call, "--shard", "1/2", "--seed", "7"]).exit_code == 0
    monkeypatch.setattr(run_claims, "package_hash", lambda: "0123456789")
    # Of other code, on which the keys of these claims do not depend.
    assert CliRunner().invoke(main, [*call, "--shard", "1/2"]).exit_code == 0


# -- timings -----------------------------------------------------------------------------------------------------


def test_timings_of_all_profiles_are_remembered(tmp_path: Path) -> None:
    for profile, some in ((QUICK, TOYS[:2]), (CI, TOYS[:1]), (QUICK, TOYS[2:3])):
        run_claims.audit(some, profile, out=tmp_path, ledger=LEDGER)
    found = read_timings(tmp_path / "timings.json")
    assert {name: set(seconds) for name, seconds in found.items()} == {
        "quick": {"toy/proved", "toy/refuted", "toy/equal"},
        "ci": {"toy/proved"},
    }
    assert set(json.loads((tmp_path / "timings.json").read_text())["seconds"]) == {"toy/equal"}
    (tmp_path / "timings.json").write_text('{"seconds": {}, "profiles": [1]}')
    assert read_timings(tmp_path / "timings.json") == {}


# -- clusters --------------------------------------------------------------------------------------------------------


def test_a_worker_with_other_code_judges_nothing() -> None:
    workers.require_version(workers.code_version())
    with pytest.raises(RuntimeError, match="different versions of dpbandits"):
        workers.judge_claims([], workers.Origin(None, 0, "another"))
    assert workers.judge_claims([], workers.Origin(None, 0, workers.code_version())) == []


def test_a_cluster_without_its_package_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "distributed", None)
    told = "--backend dask needs the package distributed, which is not installed; run python -m pip install"
    with pytest.raises(Unavailable, match=told), Workers(1, "dask", "tcp://127.0.0.1:1").parallel():
        pass
