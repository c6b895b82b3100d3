"""The printed experiments: which they are, the table of how they ended, its page, and the picture of an ordering."""

from __future__ import annotations

import importlib.util
import json
import re
from dataclasses import replace
from html import unescape
from itertools import pairwise
from pathlib import Path
from runpy import run_path
from urllib.parse import quote

import numpy as np
import pytest

from dpbandits import QUICK, Bernoulli, Verdict
from dpbandits.audit.judges.effort import PROFILES, Plan, Run
from dpbandits.audit.regret.orderings import (
    MAX_DRAWN_SETTINGS,
    SPREAD_POINTS,
    critical_count,
    judge_ordering,
    longest_run,
    runs_of,
    spread_picture,
)
from dpbandits.audit.runner.entries import claim_as_data
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET
from dpbandits.reference.claims.codec import as_data
from dpbandits.reference.claims.file_names import stem
from dpbandits.reference.claims.findings import Order, OrderFound, Setting
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Claim, Ordering, Parameter, SettingLabel, Source, expected, setting_label
from dpbandits.reference.claims.text import AS_CLAIMED, REVERSED, UNDECIDED, label_parts
from dpbandits.reference.papers.ou24.algorithms import ModifiedThompsonSampling
from dpbandits.reports import pages
from dpbandits.reports.experiments import (
    DOT_PICTURE_EDGE,
    DOT_PICTURE_WIDTH,
    figure_key,
    figures_of,
    played_experiment,
    setting_name,
    settings_in_order,
    validate_results,
)
from dpbandits.reports.page import anchor

FOLDER = Path(__file__).parents[1] / "experiments"
RESULTS = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
ROWS = RESULTS["experiments"]
EASY = Bernoulli((0.9, 0.1))
SETTINGS = {
    "good": (ModifiedThompsonSampling(2, 200, variance=0.5), EASY),
    "bad": (ModifiedThompsonSampling(2, 200, variance=500.0), EASY),
}
ORDER = Claim(
    "test/order",
    Source("test", "here", "good | bad"),
    Ordering(PSEUDO_REGRET, SETTINGS, (("good", "bad"), ("bad", "good"))),
    expect=Verdict.REFUTED,
)
FEW = replace(QUICK, experiment_runs=8)


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("experiments", FOLDER / "experiments.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_says_how_every_comparison_ended(script):
    finding = judge_ordering(ORDER, Run(FEW, 0, 1e-9))
    row = script.ended({**claim_as_data(ORDER), "verdict": finding.verdict, "found": as_data(finding.body)})
    assert (row["repetitions"], row["certified"], row["reversed"], row["undecided"]) == (40, 1, 1, 0)
    shown = script.page("quick", [row], script.experiments())
    assert "## test\n\n> good \\| bad\n\n" in shown
    assert "\n\n- `test/order` (printed): **REFUTED**; 1 as claimed, 1 reversed, in 40 repetitions\n" in shown
    assert script.ended({**claim_as_data(ORDER), "verdict": "NOT_EXERCISED", "found": None}) is None


def test_every_experiment_of_the_ledger_is_one(script):
    ids = {claim.id for claim in script.experiments()}
    assert {"hu25/figure-7a", "ou24/appendix-d/large-eps", "tao22/figure-4/early"} <= ids
    assert len(ids) > 60


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
@pytest.mark.first(1)
def test_what_is_expected_of_an_experiment_is_what_a_profile_can_play(script, profile):
    """NOT_EXERCISED where its runs have more steps than the profile plays, or make too few repetitions, and nowhere
    else."""
    for claim in script.experiments():
        level = Plan(ledger(), profile, 0).run(claim).level
        steps = longest_run(claim.says, profile.experiment_horizon)
        repetitions = runs_of(profile, steps) // claim.says.averaged
        plays = steps <= profile.experiment_horizon and critical_count(repetitions, level) <= repetitions
        assert (expected(claim, profile.name) is Verdict.NOT_EXERCISED) != plays, claim.id


def test_an_experiment_with_long_runs_is_played_in_the_first_profile_that_plays_them(script):
    short, long = (
        replace(ORDER, id=name, says=replace(ORDER.says, settings={"good": (policy, EASY), "bad": (policy, EASY)}))
        for name, policy in (("short", SETTINGS["good"][0]), ("long", ModifiedThompsonSampling(2, 201)))
    )
    two, three = replace(FEW, name="two", experiment_horizon=200), replace(FEW, name="three", experiment_horizon=200)
    all_of_it = replace(FEW, name="all", experiment_horizon=201)
    assert script.shared_out([long, short], [two, three, all_of_it]) == {two: [short], all_of_it: [long]}
    assert script.shared_out([long], [two, three]) == {three: [long]}
    assert list(script.shared_out([long, short], [two, all_of_it])) == [two, all_of_it]
    assert script.in_words([two]) == "two"
    longer = replace(two, experiment_horizon=20_000)
    assert script.in_words([longer, all_of_it]) == "two, runs of more than 20 000 steps in all"


def test_the_table_is_made_of_every_profile_s_findings_in_the_order_of_the_ledger(script, tmp_path):
    places = script.Places(tmp_path, tmp_path / "results.json", tmp_path / "page.md")
    first, second, third = every = [replace(ORDER, id=name) for name in ("a", "b", "c")]
    finding = judge_ordering(ORDER, Run(FEW, 0, 1e-9))
    told = {"verdict": finding.verdict, "found": as_data(finding.body)}
    for name, claims in (("two", [third, first]), ("all", [second])):
        (tmp_path / name).mkdir()
        found = json.dumps({"seed": 0, "findings": [{**claim_as_data(claim), **told} for claim in claims]})
        (tmp_path / name / "findings.json").write_text(found, encoding="utf-8")
    script.write([replace(FEW, name="two", experiment_horizon=200), replace(FEW, name="all")], every, places)
    results = validate_results(json.loads(places.results.read_text(encoding="utf-8")))
    assert [row["claim"] for row in results["experiments"]] == ["a", "b", "c"]
    assert results["profile"] == "two, runs of more than 200 steps in all"
    made = script.page(results["profile"], results["experiments"], every)
    assert places.page.read_text(encoding="utf-8") == made


def test_rows_that_were_played_elsewhere_stay_in_the_table(script, tmp_path):
    places = script.Places(tmp_path / "out", tmp_path / "results.json", tmp_path / "page.md")
    claims = [replace(ORDER, id=name) for name in ("a", "b")]
    finding = judge_ordering(ORDER, Run(FEW, 0, 1e-9))
    told = {"verdict": finding.verdict, "found": as_data(finding.body)}
    elsewhere = [{"claim": name, "repetitions": 7, "quote": name, "reading": "", "verdict": ""} for name in "cba"]
    for row in elsewhere:
        row |= {"paper": "", "certified": 0, "reversed": 0, "undecided": 0}
    with pytest.raises(SystemExit, match="contains no results; run this without --table first"):
        script.write([FEW], claims, places)
    (tmp_path / "results.json").write_text(json.dumps({"seed": 0, "experiments": elsewhere}), encoding="utf-8")
    (tmp_path / "out" / FEW.name).mkdir(parents=True)
    for seed in (1, 0):
        found = json.dumps({"seed": seed, "findings": [{**claim_as_data(claims[0]), **told}]})
        (tmp_path / "out" / FEW.name / "findings.json").write_text(found, encoding="utf-8")
        if seed:
            with pytest.raises(SystemExit, match=re.escape("the seeds [0, 1]")):
                script.write([FEW, replace(FEW, name="never played")], claims, places)
    script.write([FEW, replace(FEW, name="never played")], claims, places)
    rows = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["experiments"]
    assert [(row["claim"], row["repetitions"]) for row in rows] == [("a", 40), ("b", 7)]  # c is no experiment any more


# -- the table that is kept ------------------------------------------------------------------------------------------


def test_the_page_is_made_of_the_results(script):
    """And a sentence that several experiments are about stands there once."""
    shown = script.Places().page.read_text(encoding="utf-8")
    assert shown == script.page(RESULTS["profile"], ROWS, script.experiments())
    said = re.findall("^> .*", shown, re.MULTILINE)
    assert len(said) == len(set(said)) == len({(row["paper"], row["quote"]) for row in ROWS}) < len(ROWS)
    assert shown.count("\n- `") == len(ROWS)


def test_every_experiment_of_the_ledger_was_played_in_today_s_words():
    claims = {claim.id: claim for claim in ledger().claims if isinstance(claim.says, Ordering)}
    assert {row["claim"] for row in ROWS} <= set(claims)
    for row in ROWS:
        claim = claims[row["claim"]]
        assert (row["paper"], row["quote"], row["reading"]) == (claim.source.paper, claim.source.quote, claim.reading)
        says = claim.says
        assert row["certified"] + row["reversed"] + row["undecided"] == len(says.pairs)
        assert {name for name, _, _ in row["settings"]} == {name for pair in says.pairs for name in pair}


def test_what_an_experiment_s_finding_says_is_its_row(script):
    """And an experiment that was not played has none."""
    settings = (Setting("a", 1.23456789, 0.5, 30), Setting("b", 2.0, 0.25, 30))
    orders = (
        Order("a", "b", 27, 2, 1, 1.0, AS_CLAIMED),
        Order("b", "a", 3, 27, 0, -1.0, REVERSED),
        Order("a", "a", 9, 11, 10, 0.0, UNDECIDED),
    )
    found = OrderFound("regret", 1, 30, 27, 1e-9, 0.9, 0.9, settings, orders)
    words = {"id": "x/1", "paper": "x", "section": "s", "quote": "q|q", "reading": "printed", "verdict": "REFUTED"}
    finding = {**words, "evidence": [], "found": as_data(found)}
    row = script.ended(finding)
    assert (row["certified"], row["reversed"], row["undecided"], row["repetitions"]) == (1, 1, 1, 30)
    assert row["settings"] == [["a", 1.2346, 0.5], ["b", 2.0, 0.25]]
    assert script.ended({**finding, "found": None}) is None
    assert script.page("ci", [row], script.experiments()).endswith(
        "\n\n## x\n\n> q\\|q\n\n"
        "- `x/1` (printed): **REFUTED**; 1 as claimed, 1 reversed, 1 undecided, in 30 repetitions\n"
    )
    assert validate_results({"experiments": [row], "profile": "ci"})["experiments"] == [row]


# -- the page of the report --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page():
    document = run_path(str(Path(__file__).with_name("sample_findings.py")))["document"]()
    first = document["findings"][0]  # what else a report has takes its time
    papers = sorted({row["paper"] for row in ROWS})
    document |= {"findings": [{**first, "id": f"{paper}/x", "paper": paper} for paper in papers], "headlines": []}
    alone, made = pages(document), pages(document, replayed=RESULTS)
    assert set(made) - set(alone) == {"papers/experiments.html"}
    assert 'href="papers/experiments.html"' in made["index.html"]
    assert "experiments.html" not in alone["index.html"]
    return made["papers/experiments.html"]


@pytest.mark.thorough
def test_a_claims_page_says_how_its_experiment_ended_when_it_was_played_again() -> None:
    """With the verdict that came out then, beside that of the report's own run, and where all of it stands."""
    document = run_path(str(Path(__file__).with_name("sample_findings.py")))["document"]()
    finding = {**document["findings"][0], "verdict": "NOT_EXERCISED", "rests_on": []}
    reversed_ = next(row for row in ROWS if row["verdict"] == "REFUTED")
    row = {**reversed_, "claim": finding["id"], "repetitions": 320, "certified": 1, "reversed": 2, "undecided": 0}
    document |= {"findings": [finding], "headlines": []}
    made = pages(document, replayed={"experiments": [row], "profile": "ci"})
    at = anchor(finding["id"])
    words = "320 repetitions; of 3 comparisons: 1 as claimed, 2 the other way round"
    repeated = '<dt>Repeated</dt><dd><span class="badge REFUTED">refuted</span> <a href="{}#{}">{}</a></dd>'
    folders = {"papers/made24.html": "", f"claims/{stem(finding['id'])}.html": "../papers/"}
    for name, folder in folders.items():  # the paper's page, and the claim's own
        assert repeated.format(f"{folder}experiments.html", quote(at), words) in made[name], name
    assert f'id="{at}"' in made["papers/experiments.html"]
    said = 'agree with the papers, <a href="#otherwise"><strong>one does not</strong></a>.</p>'
    left_out = "; 0 could not be decided. This run left out 1 long experiment; in an earlier run 0"
    assert f"{left_out} {said}" in made["index.html"]
    (href,) = re.findall(r'id="otherwise">.*?<li><p><a href="([^"]*)"', made["index.html"], re.DOTALL)
    assert href.endswith(f"#{quote(at)}")
    document |= {"findings": [{**finding, "verdict": "CONSISTENT"}]}
    assert "otherwise" not in pages(document, replayed={"experiments": [row], "profile": "ci"})["index.html"]
    assert not any("<dt>Repeated</dt>" in text for text in pages(document).values())
    assert not any("<dt>Repeated</dt>" in text for text in pages(document, replayed=RESULTS).values())


@pytest.mark.thorough
def test_the_reports_page_has_every_experiment_and_every_setting(page):
    text = " ".join(unescape(re.sub("<[^>]+>", " ", page)).split())
    assert all(row["claim"] in text for row in ROWS)
    assert page.count('class="experiment"') == len(ROWS)
    assert page.count('<td class="setting">') == sum(len(row["settings"]) for row in ROWS)
    for verdict in ("CONSISTENT", "REFUTED"):
        assert page.count(f'class="badge {verdict}"') == sum(row["verdict"] == verdict for row in ROWS)
    assert len(page) < 400_000


@pytest.mark.thorough
def test_what_came_out_otherwise_stands_first_and_open_with_its_figures_once(page):
    """The rest is folded; each figure is drawn once, whatever number of sentences is about it."""
    first, rest = page.split('<h2 id="of-1">')
    refuted = {row["claim"] for row in ROWS if row["verdict"] == "REFUTED"}
    assert set(re.findall(r'class="experiment" id="claim-([^"]+)"', first)) == refuted
    assert first.count("<details open>") == len(refuted)
    assert "<details open>" not in rest
    drawn = re.findall(r'id="(drawn-\d+)-title"', page)
    assert len(drawn) == len(set(drawn)) == len(figures_of(ROWS))
    opened = {figure_key(row) for row in ROWS if row["claim"] in refuted} & set(figures_of(ROWS))
    assert len(re.findall(r'id="drawn-\d+-title"', first)) == len(opened) > 0


def test_no_figure_is_drawn_of_papers_that_a_report_is_not_about():
    """Drawing takes seconds; their settings stand there with dots."""
    document = run_path(str(Path(__file__).with_name("sample_findings.py")))["document"]()
    first = {**document["findings"][0], "id": "chen24/x", "paper": "chen24"}
    document |= {"findings": [first], "headlines": []}
    made = pages(document, replayed=RESULTS)["papers/experiments.html"]
    assert len(re.findall(r'id="drawn-\d+-title"', made)) == sum(where[0] == "chen24" for where in figures_of(ROWS)) > 0
    assert made.count('class="experiment"') == len(ROWS)
    assert made.count("<circle") > sum(len(row["settings"]) for row in ROWS if row["paper"] == "ou24")


def test_a_figure_has_a_line_for_each_setting_and_what_rests_on_the_most_runs():
    def row(figure: str, repetitions: int, *settings: list[object]) -> dict[str, object]:
        said = {"paper": "p", "figure": figure, "measure": "regret", "repetitions": repetitions}
        said |= {"parts": {label: as_data(label_parts(label)) for label, *_ in settings}}
        return {"settings": [*settings, ["eta=1 minus eta=2, b=5", 7.0, 1.0]], **said}

    def at(**parameters: float) -> str:
        return setting_label(**parameters)

    algorithm_1 = SettingLabel([Parameter("b", 0, "b=0"), "c=1: Algorithm 1"])

    played_twice = [
        row("Section 5.1", 32, [at(eta=1, b=0), 9.0, 1.0], [at(eta=1, b=5), 4.0, 1.0], [algorithm_1, 1.0, 0.1]),
        row("Section 5.1", 320, [at(eta=1, b=0), 8.0, 1.0], [at(eta=1, b=20), 6.0, 1.0], [at(b=5, eta=2), 2.0, 0.5]),
        row("Section 5.1", 32, [at(b=0, eta=2), 3.0, 0.5], [at(b=20, eta=2), 3.5, 0.5]),
    ]
    ((where, made),) = figures_of(played_twice).items()
    assert where == ("p", "Section 5.1", "regret")
    assert made.varied == "b"
    assert {name: [(point.x, point.average) for point in points] for name, points in made.lines.items()} == {
        "eta = 1": [(0, 8.0), (5, 4.0), (20, 6.0)],
        "eta = 2": [(0, 3.0), (5, 2.0), (20, 3.5)],
    }
    assert figures_of([row("", 32, ["AdaP-UCB", 1.0, 0.1], ["DP-SE", 2.0, 0.1])]) == {}
    assert figures_of(played_twice[:1]) == {}  # two values are no line


@pytest.mark.parametrize("row", ROWS, ids=[row["claim"] for row in ROWS])
def test_dots_stand_in_the_order_of_the_averages_and_on_the_picture(row):
    drawn = played_experiment(row)
    averages = [average for _, average, _ in settings_in_order(row)]
    order = sorted(zip(averages, drawn.dots, strict=True), key=lambda pair: pair[0])
    assert all(left.centre <= right.centre for (_, left), (_, right) in pairwise(order))
    for dot in drawn.dots:
        assert DOT_PICTURE_EDGE <= dot.left <= dot.centre <= dot.right <= DOT_PICTURE_WIDTH - DOT_PICTURE_EDGE
    assert order[0][1].centre < order[-1][1].centre
    assert drawn.log == (order[0][0] > 0 and order[-1][0] > 100 * order[0][0])


def test_settings_stand_in_the_order_of_their_parameters():
    (row,) = (row for row in ROWS if row["claim"] == "ou24/5.1/per-round-regret")
    values = [[part["value"] for part in row["parts"][name]] for name, _, _ in settings_in_order(row)]
    assert values == sorted(values)
    assert len(values) == 18
    assert [dot.setting for dot in played_experiment(row).dots][:2] == ["eta = 1, b = 0", "eta = 1, b = 100"]
    parts = {
        row["settings"][0][0]: [{**row["parts"][row["settings"][0][0]][0], "value": value} for value in (0.5, 7.0)]
    }
    assert setting_name({**row, "parts": parts}, row["settings"][0][0]) == "eta = 0.5, eta = 7"
    mixed = {**row, "parts": {}}
    assert settings_in_order(mixed) == row["settings"]


def test_dots_are_to_scale():
    row = {**ROWS[0], "settings": [["a", 1.0, 1.0], ["b", 3.0, 1.0]], "certified": 1, "reversed": 0, "undecided": 0}
    drawn = played_experiment(row)
    whole = DOT_PICTURE_WIDTH - 2 * DOT_PICTURE_EDGE
    assert [(dot.left, dot.centre, dot.right) for dot in drawn.dots] == [
        (DOT_PICTURE_EDGE, DOT_PICTURE_EDGE + whole / 4, DOT_PICTURE_EDGE + whole / 2),
        (DOT_PICTURE_EDGE + whole / 2, DOT_PICTURE_EDGE + 3 * whole / 4, DOT_PICTURE_EDGE + whole),
    ]
    assert drawn.ends == ("0", "4")
    assert drawn.came_out == "of 1 comparison: 1 as claimed"
    alike = played_experiment({**row, "settings": [["a", 0.0, 0.0], ["b", 0.0, 0.0]]})
    assert {dot.centre for dot in alike.dots} == {DOT_PICTURE_EDGE}


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ([], "the results of experiments must have the keys 'experiments' and 'profile'"),
        ({"experiments": []}, "the results of experiments must have the keys 'experiments' and 'profile'"),
        ({"profile": "ci", "experiments": [{"claim": "x"}]}, "row 0: missing keys: paper"),
        (
            {"profile": "ci", "experiments": [ROWS[0] | {"settings": []}]},
            "results of experiments, row 0: the list of settings is empty",
        ),
    ],
)
def test_what_is_no_table_is_refused(results, message):
    with pytest.raises(ValueError, match=message):
        validate_results(results)


# -- the picture of an ordering --------------------------------------------------------------------------------------


def test_the_picture_shows_the_distribution_of_every_setting():
    values = {"one": np.arange(41.0) + 1, "other": np.arange(41.0) * 10 + 1}
    (picture,) = spread_picture(PSEUDO_REGRET, values)
    assert [each["label"] for each in picture["series"]] == ["one", "other"]
    points = np.array(picture["series"][1]["points"])
    assert points.shape == (SPREAD_POINTS, 2)
    assert points[0].tolist() == [1, 0]
    assert points[SPREAD_POINTS // 2].tolist() == [201, 0.5]
    assert points[-1].tolist() == [401, 1]
    assert picture["log_x"]
    assert not spread_picture(PSEUDO_REGRET, {"zero": np.zeros(3), "far": np.full(3, 1e6)})[0]["log_x"]
    assert spread_picture(PSEUDO_REGRET, {str(k): np.ones(3) for k in range(MAX_DRAWN_SETTINGS + 1)}) == ()
