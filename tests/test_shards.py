"""Shards: every claim is somebody's, whoever comes first; what they find together is what one run finds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dpbandits import CI, DEEP, QUICK, Bernoulli, Finding, Verdict
from dpbandits.audit.cli.command_line import main
from dpbandits.audit.judges.effort import asking_kernel
from dpbandits.audit.privacy.affordable import auditing
from dpbandits.audit.regret.run_seconds import playing
from dpbandits.audit.runner import cache, cases, cost, store, work, workers
from dpbandits.audit.runner.cost import Shard, deal, shard_of
from dpbandits.audit.runner.selection import by_experiment
from dpbandits.audit.runner.workers import Unavailable, Workers
from dpbandits.reference.claims.ledger import Ledger, ledger
from dpbandits.reference.claims.model import Claim, Ordering, Private, Source, Unjudged
from dpbandits.reference.papers.hu22 import LazyDPTS
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.ou24 import ThompsonSampling
from dpbandits.reference.papers.sajed19 import DPSE

TOYS = tuple(
    Claim(f"toy/{name}", Source("toy", name, ""), Unjudged("a toy"), expect=Verdict.PROVED) for name in "abcdefg"
)


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    def install(*broken: str) -> list[str]:
        asked: list[str] = []

        def judged(claim: Claim, run: Any, subject: Any = None) -> Finding:
            asked.append(claim.id)
            if claim.id in broken:
                raise ZeroDivisionError("the judge divided by nothing")
            return Finding(claim.id, Verdict.PROVED, f"looked at {claim.id}", repro="look again")

        monkeypatch.setattr(cases, "judge", judged)
        return asked

    return install


def whole_folder(out: Path) -> dict[str, bytes]:
    """All that a run wrote, but for durations."""
    files = (path for path in out.rglob("*") if path.is_file() and "cases" not in path.parts)
    return {str(path.relative_to(out)): path.read_bytes() for path in files if path.name != "timings.json"}


@pytest.mark.parametrize("many", [1, 5])
def test_every_claim_of_the_ledger_is_in_one_shard(many: int) -> None:
    groups = by_experiment(ledger().claims)
    parts = [deal(groups, QUICK, Shard(number, many)) for number in range(1, many + 1)]
    assert sorted(claim.id for part in parts for claim in part) == sorted(ledger().by_id)
    costs = {group[0].id: cost.group_seconds(group, QUICK) for group in groups}
    shares = [{claim.id for claim in part} for part in parts]
    load = []
    for share in shares:  # claims about one experiment are together
        whole = [group for group in groups if group[0].id in share]
        assert share == {claim.id for group in whole for claim in group}
        load.append(sum(costs[group[0].id] for group in whole))
    assert max(load) - min(load) <= max(costs.values()) + 1e-9


def test_claims_about_one_experiment_are_found_by_its_settings() -> None:
    about = [claim for claim in ledger().claims if isinstance(claim.says, Ordering)]
    groups = by_experiment(ledger().claims)
    assert len([group for group in groups if isinstance(group[0].says, Ordering)]) < len(about) / 2
    odd = replace(about[0], says=replace(about[0].says, settings={"a": ([1], [2])}))  # which have no hash
    assert by_experiment([odd, odd]) == [[odd, odd]]


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2)])
@pytest.mark.first(1)
def test_shards_find_what_one_run_finds(judge: Any, tmp_path: Path, order: tuple[int, ...]) -> None:
    asked = judge()
    every = Ledger.of(TOYS)
    one = cases.audit(TOYS, QUICK, out=tmp_path / "one", ledger=every)
    assert sorted(asked) == sorted(claim.id for claim in TOYS)
    parts = [cases.audit_shard(TOYS, QUICK, Shard(number, 3), tmp_path / "all", ledger=every) for number in order]
    assert sorted(asked) == sorted(2 * [claim.id for claim in TOYS])  # nobody's claim was judged twice
    assert [part.document is None for part in parts] == [True, True, False]
    assert [part.missing for part in parts] == [7 - parts[0].judged, parts[2].judged, 0]
    assert parts[2].document == one
    assert whole_folder(tmp_path / "all") == whole_folder(tmp_path / "one")
    again = cases.audit_shard(TOYS, QUICK, Shard(1, 3), tmp_path / "all", ledger=every)
    assert again.document == one
    assert len(asked) == 14


def test_what_a_shard_could_not_judge_is_missing_until_it_can(judge: Any, tmp_path: Path) -> None:
    judge("toy/c")
    every = Ledger.of(TOYS)
    parts = [cases.audit_shard(TOYS, QUICK, Shard(number, 2), tmp_path, ledger=every) for number in (1, 2)]
    assert [*parts[0].failed, *parts[1].failed] == ["toy/c"]
    assert (parts[1].missing, parts[1].document) == (1, None)
    asked = judge()
    document = cases.audit(TOYS, QUICK, out=tmp_path, ledger=every)
    assert asked == ["toy/c"]
    assert len(document["findings"]) == 7


def test_a_case_that_somebody_spoils_is_named(judge: Any, tmp_path: Path, monkeypatch: Any) -> None:
    """It is not just missing: else shards would be run again and again."""
    judge()
    keep = work.keep

    def spoilt(case: Any, place: Any) -> None:
        keep(case, place)
        if case.claim == "ou24/lemma-1":
            place.path.write_text("{}")

    monkeypatch.setattr(work, "keep", spoilt)
    call = ["audit", "ou24/lemma-1", "ou24/5.1/316*", "--out", str(tmp_path), "--shard", "1/1"]
    done = CliRunner().invoke(main, call)
    assert done.exit_code == 2
    assert "error: ou24/lemma-1: the finding in the folder's cases/ was changed after it was written" in done.output


def test_a_subject_that_cannot_be_made_stops_neither_shards_nor_plans(tmp_path: Path) -> None:
    """Its judge will say what is wrong with it; the other claims are judged all the same."""

    def broken(**_: Any) -> Any:
        raise KeyError("arms")

    odd = next(claim for claim in ledger().claims if isinstance(claim.says, Private) and claim.subject is not None)
    odd = replace(odd, id="toy/odd", source=Source("toy", "odd", ""), subject=broken, follows=(), by="")
    every = (odd, *TOYS)
    shares = [deal(by_experiment(every), QUICK, Shard(k, 2)) for k in (1, 2)]
    assert {claim.id for share in shares for claim in share} == {claim.id for claim in every}
    assert "none (KeyError: 'arms')  toy/odd\n" in cost.cost_table(every, QUICK, 1, tmp_path)
    document = cases.audit([odd], QUICK, ledger=Ledger.of(every))
    assert "KeyError: 'arms'" in document["errors"][0]["error"]


def test_shards_share_a_folder_with_shards_alone(tmp_path: Path) -> None:
    with store.lock_folder(tmp_path, among_shards=True):
        with store.lock_folder(tmp_path, among_shards=True):
            pass
        with pytest.raises(store.Refused, match="another run is writing here"), store.lock_folder(tmp_path):
            pass
    with store.lock_folder(tmp_path), pytest.raises(store.Refused), store.lock_folder(tmp_path, among_shards=True):
        pass


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "1/0", "-1/2", "1/2/3", "a/b", "1/1000000"])
def test_a_shard_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"write i/n, the i-th of n parts"):
        shard_of(text)


def test_the_command_says_what_the_others_have_to_do(judge: Any, tmp_path: Path, monkeypatch: Any) -> None:
    judge()
    call = ["audit", "ou24/lemma-1", "ou24/5.1/316*", "--out", str(tmp_path)]
    first = CliRunner().invoke(main, [*call, "--shard", "1/2"])
    assert first.exit_code == 0
    found = re.search(r"shard 1/2: (\d+) claims checked; of all claims, (\d+) are missing", first.output)
    assert found is not None
    assert all(int(number) > 0 for number in found.groups())
    last = CliRunner().invoke(main, [*call, "--shard", "2/2"])
    assert "report: " in last.output
    assert last.exit_code == 1  # this judge proves what is false
    planned = CliRunner().invoke(main, [*call, "--plan"])
    assert "profile quick: 0 core seconds, 0 seconds with --jobs 1 (" in planned.output
    assert f"({sum(map(int, found.groups()))} kept)" in planned.output
    assert "profile deep: " in planned.output
    for options, told in (
        (["--shard", "3/2"], "write i/n"),
        (["--scheduler", "tcp://x:1"], "needs --backend dask"),
        (["--backend", "dask"], "name its scheduler"),
        (["--backend", "dask", "--scheduler", "x", "--jobs", "3"], "the cluster determines the number of workers"),
        (["--backend", "dask", "--scheduler", "x", "--shard", "1/2"], "cannot be combined with --backend dask"),
    ):
        refused = CliRunner().invoke(main, [*call, *options])
        assert refused.exit_code == 2
        assert told in refused.output


def test_a_shard_names_the_environment_whose_findings_do_not_count(
    judge: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two machines whose versions differ never finish a folder: the second one says so, and so does the first one when
    it comes back. Other settings in the same folder are nobody's mistake."""
    judge()
    call = ["audit", "ou24/lemma-1", "ou24/5.1/316*", "--out", str(tmp_path)]
    here = cache.environment(False)
    other = {**here, "numpy": "1.0", "coqc": "8.16.1"}
    for shard, versions, status, differs in (
        ("1/2", other, 0, ""),
        ("2/2", here, 2, f"coqc 8.16.1 (here none), numpy 1.0 (here {here['numpy']})"),
        ("1/2", other, 2, f"coqc none (here 8.16.1), numpy {here['numpy']} (here 1.0)"),
    ):
        for module in (cache, cases):
            monkeypatch.setattr(module, "environment", lambda kernel, versions=versions: versions)
        done = CliRunner().invoke(main, [*call, "--shard", shard])
        assert done.exit_code == status, done.output
        assert ("kept by another environment" in done.output) == (status == 2)
        assert differs in done.output, done.output
    for module in (cache, cases):
        monkeypatch.setattr(module, "environment", lambda kernel: here)
    assert CliRunner().invoke(main, [*call, "--shard", "1/2", "--seed", "7"]).exit_code == 0
    monkeypatch.setattr(cases, "package_hash", lambda: "0123456789")
    code = CliRunner().invoke(
        main, [*call, "--shard", "1/2"]
    )  # of other code, the files of these claims being the same
    assert code.exit_code in (0, 1)


# -- what it costs -------------------------------------------------------------------------------------------------


def test_a_plan_takes_what_was_measured_and_scales_it() -> None:
    claims = [ledger().by_id[name] for name in ("ou24/lemma-3", "ou24/lemma-4", "ou24/lemma-1")]
    known = {"quick": {"ou24/lemma-3": 10.0}}
    quick = cost.costs(claims, QUICK, known, kept=["ou24/lemma-1"])
    assert [(each.source, each.seconds) for each in quick[::2]] == [("measured", 10.0), ("kept", 0.0)]
    assert quick[1].source == "estimate"
    deeper = cost.costs(claims, CI, known)
    ratio = cost.estimate(claims[0], CI).seconds / cost.estimate(claims[0], QUICK).seconds
    assert deeper[0].seconds == pytest.approx(10 * ratio)
    assert ratio > 5
    assert [each.source for each in deeper] == ["scaled from quick", "estimate", "estimate"]


def test_a_plan_counts_the_kernel_where_it_is_asked(tmp_path: Path) -> None:
    instance_cost = pytest.importorskip("dpbandits.extensions.thompson.theorems.carried").INSTANCE_COST
    claim, asking = ledger().by_id["ou24/theorem-3/law/thousand"], asking_kernel(QUICK, True)
    without, asked = (cost.estimate(claim, profile).seconds for profile in (QUICK, asking))
    assert asked - without == pytest.approx(instance_cost)
    known = {"quick": {claim.id: 1.0}, "quick --rocq": {claim.id: 99.0}}
    found = [cost.costs([claim], profile, known)[0] for profile in (QUICK, asking)]
    assert [(each.source, each.seconds) for each in found] == [("measured", 1.0), ("measured", 99.0)]
    for profile, ci in ((QUICK, 0.0), (asking, instance_cost)):
        (line,) = [
            each for each in cost.cost_table([claim], profile, 1, tmp_path).splitlines() if "profile ci:" in each
        ]
        assert ci <= float(line.split()[2]) < ci + 10


def test_a_plan_knows_the_longest_task_of_a_long_claim(tmp_path: Path) -> None:
    """With many workers the wall time is that of the longest task, and not of the longest claim."""
    claims = [ledger().by_id[name] for name in ("hu25/figure-5a", "ou24/lemma-4", "ou24/lemma-1")]
    figure, audit, formula = cost.costs(claims, DEEP, {})
    instances = cost.estimate(claims[1], DEEP).tasks
    assert figure.longest < figure.seconds / 5
    assert len(instances) == len(claims[1].params)
    assert audit.longest == pytest.approx(max(instances))
    assert audit.longest < audit.seconds == pytest.approx(sum(instances))
    assert formula.longest == formula.seconds
    total = figure.seconds + audit.seconds + formula.seconds
    table = cost.cost_table(claims, DEEP, 1000, tmp_path)
    assert f"deep: {total:.0f} core seconds" in table
    assert f", {cost.spoken_seconds(max(figure.longest, audit.longest))} with --jobs 1000" in table
    half = cost.costs(claims, DEEP, {"deep": {"ou24/lemma-4": audit.seconds / 2}})[1]
    assert half.longest == pytest.approx(audit.longest / 2)


def test_what_all_draws_cost_is_estimated_as_it_was_measured() -> None:
    """T = 300 with two arms took a tenth of T = 100 with sixty, on one machine: seven seconds and seventy."""
    says = ledger().by_id["hu25/theorem-4.4/sharp"].says
    policies = DPTSUCB(arms=2, horizon=300, alpha=1.0), DPTSUCB(arms=60, horizon=100, alpha=1.0)
    few, many = (auditing(says, policy, CI) for policy in policies)
    assert 7 / 3 < few < 7 * 3
    assert 70 / 3 < many < 70 * 3


@pytest.mark.parametrize(
    ("name", "place", "took"),
    [("ou24/lemma-3/sharp", 0, 2.2), ("ou24/lemma-3/sharp", 1, 9.5), ("chen24/proposition-d.2/repaired/arms", 0, 3.8)],
)
def test_what_runs_cost_in_deep_is_estimated_as_it_was_measured(name: str, place: int, took: float) -> None:
    """Seconds of one instance: of two steps, of ten, and of forty pulls in two steps."""
    assert took / 3 < cost.estimate(ledger().by_id[name], DEEP).tasks[place] < took * 3


def test_runs_are_estimated_as_they_were_measured() -> None:
    """Seconds of a million decisions among five arms: compiled, in numpy, with Beta samples; few steps, and none."""
    arms = Bernoulli((0.9, 0.8, 0.6, 0.4, 0.2))
    for policy, took in (
        (ThompsonSampling(5, 100_000), 0.04),
        (ThompsonSampling(5, 1_000), 0.16),
        (LazyDPTS(5, 100_000), 0.4),
    ):
        about = sum(playing(policy, arms, 2_000, 10**6)) / (2_000 * policy.horizon) * 10**6
        assert took / 2 < about < took * 2
    assert 0 < sum(playing(DPSE(5, 100_000, 1.0), arms, 2_000, 10**6)) < 0.1
    assert playing(ThompsonSampling(5, 10**7), arms, 2_000, 10**6) == (0, 0)


def test_timings_of_all_profiles_are_remembered(judge: Any, tmp_path: Path) -> None:
    judge()
    for profile, some in ((QUICK, TOYS[:2]), (CI, TOYS[:1]), (QUICK, TOYS[2:3])):
        cases.audit(some, profile, out=tmp_path, ledger=Ledger.of(TOYS))
    found = cost.measured(tmp_path)
    assert {name: set(seconds) for name, seconds in found.items()} == {
        "quick": {"toy/a", "toy/b", "toy/c"},
        "ci": {"toy/a"},
    }
    assert set(json.loads((tmp_path / "timings.json").read_text())["seconds"]) == {"toy/c"}
    (tmp_path / "timings.json").write_text('{"seconds": {}, "profiles": [1]}')
    assert cost.measured(tmp_path) == {}


def test_an_experiment_is_paid_for_once() -> None:
    about = [claim for claim in ledger().claims if isinstance(claim.says, Ordering) and "ou24/5.1/" in claim.id]
    first, *rest = (each.seconds for each in cost.costs(about, CI, {}))
    assert first > 5
    assert max(rest) == cost.FORMULA_SECONDS


# -- clusters --------------------------------------------------------------------------------------------------------


def test_a_worker_with_other_code_judges_nothing() -> None:
    workers.demand_version(workers.version())
    with pytest.raises(RuntimeError, match="another version of dpbandits"):
        work.judge_claims([], work.Home(cases.judge, None, 0, "another"))
    assert work.judge_claims([], work.Home(cases.judge, None, 0, workers.version())) == []


def test_a_cluster_without_its_package_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "distributed", None)
    told = "--backend dask needs the package distributed, which is not installed: python -m pip install"
    with pytest.raises(Unavailable, match=told), Workers(1, "dask", "tcp://127.0.0.1:1").parallel():
        pass
