"""The table of libraries: rows, page, issue texts and scripts, and that every kind of comparison can fail.

No test needs a library. What the libraries do is in `results.json`, which `make implementations` writes."""

from __future__ import annotations

import ast
import importlib
import json
import math
import re
import sys
from html import unescape
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import beta, binom

import dpbandits
from dpbandits import from_object
from dpbandits.audit.runner import documents
from dpbandits.extensions.conformance import command
from dpbandits.extensions.conformance.libraries_page import validate_table
from dpbandits.reference.papers import auer02
from dpbandits.reports import pages
from dpbandits.reports.words import symbols

FOLDER = Path(__file__).parents[3] / "implementations"
RESULTS = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
ROWS = RESULTS["implementations"]
SCRIPTS = sorted((FOLDER / "repro").glob("*.py"))
MODULES = ("adapters", "comparisons", "environments", "issue_texts", "page", "references", "rows", "table")
MAX_SCRIPT_LINES = 25


@pytest.fixture
def parts(monkeypatch):
    """The modules of the folder, by name."""
    monkeypatch.syspath_prepend(str(FOLDER))
    yield SimpleNamespace(**{name: importlib.import_module(name) for name in MODULES})
    for name in [name for name in sys.modules if name.partition(".")[0] in MODULES]:
        del sys.modules[name]


# -- the committed results -------------------------------------------------------------------------------------------


def test_the_page_and_the_rows_are_those_of_the_adapters(parts):
    """Every row of every adapter has a result, with the versions that are pinned; and the page shows these results."""
    assert parts.table.Places().page.read_text(encoding="utf-8") == parts.page.page(ROWS)
    assert RESULTS["words"] == parts.page.words(ROWS)
    texts = ("policy", *parts.table.TEXTS)
    wanted = []
    for name in parts.adapters.NAMES:
        module = parts.adapters.module(name)
        version = parts.environments.pinned_version(name, module.LIBRARY)
        wanted += [(module.LIBRARY, version, *(getattr(row, text) for text in texts)) for row in module.ROWS]
    assert [tuple(row[field] for field in ("library", "version", *texts)) for row in ROWS] == wanted
    assert len(ROWS) >= 25
    assert len({row["library"] for row in ROWS}) >= 15


def test_no_row_is_a_surprise_and_differences_are_strict(parts):
    """A known difference that is gone is unexpected, as is an unknown one, or another than the text describes."""
    for row in ROWS:
        parts.rows.validate_row(row)
        assert not parts.rows.is_unexpected(row), row["policy"]
        if row["verdict"] != parts.rows.NOT_INSTALLED:
            assert parts.rows.is_unexpected(row | {"differs": "" if row["differs"] else "something"})
            assert parts.rows.is_unexpected(row | {"confirmed": False})
        assert parts.rows.is_unexpected(row | {"verdict": "NOT_RUN"})
        assert not parts.rows.is_unexpected(row | {"verdict": "NOT_INSTALLED"})
    assert {"AGREES", "REFUTED"} <= {row["verdict"] for row in ROWS}


def test_every_refuted_row_has_a_script_that_showed_the_difference(parts):
    refuted = [row for row in ROWS if row["verdict"] == "REFUTED"]
    assert sorted(row["script"] for row in refuted) == [path.name for path in SCRIPTS]
    for row in refuted:
        assert row["script_output"], row["script"]
        assert "exit status" not in row["script_output"], row["script"]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_are_short_and_need_the_library_and_numpy_alone(path, parts):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_SCRIPT_LINES
    tree = ast.parse(text)
    assert ast.get_docstring(tree)
    imported = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names] if isinstance(node, ast.Import)
            else [node.module] if isinstance(node, ast.ImportFrom) else []
        )
    }  # fmt: skip
    others = imported - {"contextlib", "io", "math", "numpy", "scipy"}  # scipy: where SMPyBandits needs it itself
    assert len(others) == 1, others
    assert "dpbandits" not in text
    assert "raise SystemExit(" in text.splitlines()[-1]  # with a reason: exit status 1


# -- rows ------------------------------------------------------------------------------------------------------------


def made_row(**other):
    found = {
        "library": "lib", "version": "1.0", "policy": "Policy", "claims": "UCB1", "reference": "auer02.UCB1",
        "verdict": "AGREES", "number": "all decisions equal", "evidence": "9 decisions", "log10_evidence": None,
        "power": None, "trials": 3, "confirmed": None, "differs": "", "departs_from": "", "cost": "",
        "undecided": "", "script": "", "upstream": "", "seconds": 1.5, "script_output": "",
    }  # fmt: skip
    return found | other


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"verdict": "WRONG"}, "verdict is 'WRONG'; choose one of AGREES"),
        ({"verdict": "CONSISTENT"}, "verdict is 'CONSISTENT'"),
        ({"seconds": "1.5"}, "seconds is '1.5'"),
        ({"confirmed": 1}, "confirmed is 1"),
        ({"trials": True}, "trials is True"),
        ({"log10_evidence": "12"}, "log10_evidence is '12'"),
        ({"log10_evidence": math.inf}, "log10_evidence is inf; give a finite number"),
        ({"differs": "it is greedy"}, "script is empty; a row with a known difference needs the script"),
        ({"differs": "it is greedy", "script": "s.py"}, "departs_from is empty; .* the sentence of the documentation"),
        ({"differs": "it is greedy", "script": "s.py", "departs_from": "UCB1"}, "cost is empty"),
    ],
)
def test_what_is_no_row_is_refused(parts, wrong, message):
    parts.rows.validate_row(made_row())
    with pytest.raises(ValueError, match=message):
        parts.rows.validate_row(made_row(**wrong))


def test_every_field_of_a_row_is_required(parts):
    for name in parts.rows.FIELDS:
        with pytest.raises(ValueError, match=f"the row lacks {name}"):
            parts.rows.validate_row({key: value for key, value in made_row().items() if key != name})
    with pytest.raises(ValueError, match="a row is list"):
        parts.rows.validate_row([])


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ([], "must have the keys 'implementations' and 'words'"),
        ({"implementations": []}, "must have the keys 'implementations' and 'words'"),
        (RESULTS | {"implementations": [*ROWS, {"library": "x"}]}, f"row {len(ROWS)}: missing keys: version"),
    ],
)
def test_what_is_no_table_is_refused(results, message):
    with pytest.raises(ValueError, match=message):
        validate_table(results)


def test_a_library_that_cannot_be_installed_is_reported_and_changes_nothing_else(parts, monkeypatch, tmp_path, capsys):
    def fails(name):
        raise parts.environments.CannotInstall("no wheel | for this <Python>")

    results, docs = tmp_path / "results.json", tmp_path / "libraries.md"
    results.write_text(json.dumps(RESULTS), encoding="utf-8")
    monkeypatch.setattr(parts.table, "python_of", fails)
    assert parts.table.main(["--only", "river"], parts.table.Places(results, docs)) == 0
    after = json.loads(results.read_text(encoding="utf-8"))["implementations"]
    assert [row for row in after if row["library"] != "river"] == [row for row in ROWS if row["library"] != "river"]
    lost = [row for row in after if row["library"] == "river"]
    assert [row["policy"] for row in lost] == [row["policy"] for row in ROWS if row["library"] == "river"]
    assert {row["verdict"] for row in lost} == {"NOT_INSTALLED"}
    assert r"no wheel \| for this &lt;Python>" in docs.read_text(encoding="utf-8")
    assert f"{len(lost)} rows have no verdict" in " ".join(docs.read_text(encoding="utf-8").split())
    assert "about" in capsys.readouterr().out.splitlines()[0]  # how long it takes


def test_the_page_can_be_written_again_after_a_text_was_changed(parts, tmp_path):
    """Results stay, texts become those of the adapters, and rows that no adapter has any more are dropped."""
    results, docs = tmp_path / "results.json", tmp_path / "libraries.md"
    changed = [*ROWS[:3], ROWS[3] | {"claims": "an old text"}, *ROWS[4:], ROWS[0] | {"policy": "one that was removed"}]
    results.write_text(json.dumps({"implementations": changed}), encoding="utf-8")
    assert parts.table.main(["--page"], parts.table.Places(results, docs)) == 0
    assert json.loads(results.read_text(encoding="utf-8")) == RESULTS
    assert docs.read_text(encoding="utf-8") == parts.page.page(ROWS)


# -- page and issue texts --------------------------------------------------------------------------------------------


def test_cells_are_escaped(parts):
    row = made_row(policy="a|b <script>", claims="x\ny", number="p | q\\")
    cells = re.split(r"(?<!\\)\|", parts.page.table_row(row))
    assert len(cells) == 8  # six cells between the outer bars
    assert cells[3].strip() == r"a\|b &lt;script>"
    assert "\n" not in parts.page.table_row(row)


def test_the_page_has_every_row_and_counts_them(parts):
    rows = [
        made_row(),
        made_row(library="other", verdict="REFUTED", differs="it is greedy", script="s.py", confirmed=True,
                 departs_from="README, UCB1", cost="users who explore", upstream="https://example.org/1"),
        made_row(library="third", verdict="NOT_INSTALLED", evidence="no wheel", number=""),
    ]  # fmt: skip
    text = " ".join(parts.page.page(rows).split())
    assert "covers 3 policies and mechanisms of 3 libraries: 1 agree and 1 do not" in text
    assert "1 row has no verdict" in text
    assert (
        "**other, Policy**: - The code differs from README, UCB1. - Found: it is greedy. Confirmed. - Affected: users "
        "who explore. - Evidence: 9 decisions. Reported by others: <https://"
    ) in text
    assert "| third 1.0 | NOT_INSTALLED | Policy | auer02.UCB1 | no wheel | 1.5 |" in text
    assert max(map(len, parts.page.page(rows).splitlines())) <= 200


def test_an_issue_text_has_what_maintainers_need(parts):
    script = '"""It is greedy."""\n\nprint("""\n```\n""")\nraise SystemExit("greedy")\n'
    row = made_row(verdict="REFUTED", differs="the bonus is missing", script="s.py", script_output="pulled arm 1",
                   departs_from="README, \"it is UCB1\"", cost="users who explore",
                   upstream="https://example.org/1")  # fmt: skip
    text = parts.issue_texts.issue_text(row, script)
    assert text.startswith("# lib: It is greedy\n")
    for part in ("specified as: UCB1.", "README, \"it is UCB1\"", "Users who explore.",
                 "The bonus is missing.", "pulled arm 1", "pip install lib==1.0 numpy",
                 "<https://example.org/1>"):  # fmt: skip
        assert part in text
    blocks = re.findall(r"^(`{3,})(\w+)\n(.*?)^\1$", text, re.MULTILINE | re.DOTALL)
    assert [(language, body) for _, language, body in blocks] == [("text", "pulled arm 1\n"), ("python", script)]


def test_repro_writes_a_script_and_an_issue_text_for_each_refuted_row(parts, tmp_path, capsys):
    assert parts.table.main(["--repro", str(tmp_path / "out")]) == 0
    names = {path.stem for path in SCRIPTS}
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        f"{each}{end}" for each in names for end in (".py", ".md")
    }
    assert capsys.readouterr().out.count("\n- ") + 1 == len(names)
    for path in (tmp_path / "out").glob("*.md"):
        text = path.read_text(encoding="utf-8")
        assert re.match(r"# .+: .+\n\n## Expected\n", text)
        assert path.with_suffix(".py").read_text(encoding="utf-8") in text
        assert "dpbandits" not in text


@pytest.mark.thorough
def test_the_reports_page_has_every_row_in_fair_words():
    """And no verdict of REFUTED on a library; a link leads there from the overview and back."""
    document = run_path(str(Path(__file__).parents[2] / "sample_findings.py"))["document"]()
    document |= {"findings": document["findings"][:1], "headlines": []}  # what else a report has takes its time
    alone, made = pages(document), pages(document, beside={"libraries": RESULTS})
    assert set(made) - set(alone) == {"papers/libraries.html"}
    text = " ".join(unescape(re.sub("<[^>]+>", " ", made["papers/libraries.html"])).split())
    for row in ROWS:
        for part in (row["library"], row["version"], row["reference"].split(",")[0]):
            assert symbols(part) in text
        assert row["policy"].split("(")[0] in text  # code, which is no formula
    refuted = [row for row in ROWS if row["verdict"] == "REFUTED"]
    assert made["papers/libraries.html"].count("<td>differs") == len(refuted)
    assert text.count("differs, evidence 10") == sum(row["log10_evidence"] is not None for row in refuted)
    assert "A library may implement another policy on purpose" in text
    assert 'class="badge REFUTED"' not in made["papers/libraries.html"]
    for evidence in (row["log10_evidence"] for row in ROWS if row["log10_evidence"]):
        assert symbols(f"differs, evidence 10^{math.floor(evidence)}") in text  # rounded down
    assert 'href="papers/libraries.html"' in made["index.html"]
    assert 'href="../index.html"' in made["papers/libraries.html"]
    assert "libraries.html" not in alone["index.html"]


def test_the_page_says_what_a_verdict_does_not_mean(parts):
    text = " ".join(parts.table.Places().page.read_text(encoding="utf-8").split())
    assert "does not concern privacy" in text
    assert "A library may implement another policy on purpose" in text
    assert "the order of the first pulls, ties" in text


def test_the_report_shows_what_the_checkout_has():
    found = documents.report_extras({"findings": [{"paper": "ou24"}]})
    assert found["beside"]["libraries"] == RESULTS
    assert "libraries" not in documents.report_extras({"findings": [{"paper": "chen24"}]}).get("beside", {})
    assert (Path(dpbandits.__file__).with_name("shipped") / "libraries.json").resolve() == FOLDER / "results.json"
    assert Path(command.__file__).with_name("protocol.md").is_file()


# -- every kind of comparison can fail -------------------------------------------------------------------------------


class Ucb1:
    """UCB1 that pulls the last arm first and takes the last of equal indices. bonus: its factor."""

    bonus = 1.0

    def __init__(self, rng):
        self.pulls, self.total = np.zeros(3), np.zeros(3)

    def select(self):
        if (new := np.flatnonzero(self.pulls == 0)).size:
            return int(new[-1])
        index = self.total / self.pulls + self.bonus * np.sqrt(2 * np.log(self.pulls.sum()) / self.pulls)
        return int(2 - index[::-1].argmax())

    def update(self, arm, paid):
        self.pulls[arm] += 1
        self.total[arm] += paid


class Timid(Ucb1):
    """The same with a bonus that is a tenth too small."""

    bonus = 0.9


@pytest.mark.thorough
def test_a_right_policy_agrees_in_any_order_and_a_wrong_copy_of_it_does_not(parts):
    def compared(kind, instead=None):
        def make(arms, horizon):
            return from_object(kind, kind.select, kind.update, arms, horizon)

        return parts.comparisons.by_law(make, auer02.UCB1, instead, horizon=12, trials=2)

    right, wrong = compared(Ucb1), compared(Timid, lambda *size: auer02.UCB1(*size, 2 * 0.9**2))
    assert (right.verdict, right.number, right.confirmed) == ("AGREES", "all decisions equal", None)
    assert (wrong.verdict, wrong.number, wrong.confirmed) == ("REFUTED", "a decision differs", True)
    assert compared(Timid, auer02.UCB1).confirmed is False
    assert "the reference law" in right.evidence


class Greedy:
    """Epsilon-greedy with epsilon = 1/2. explored: the arms among which it explores."""

    explored = 3

    def __init__(self, rng):
        self.rng, self.pulls, self.total = rng, np.zeros(3), np.zeros(3)

    def select(self):
        if self.rng.random() < 0.5:
            return int(self.rng.integers(self.explored))
        mean = self.total / np.maximum(self.pulls, 1)
        return int(self.rng.choice(np.flatnonzero(mean == mean.max())))

    def update(self, arm, paid):
        self.pulls[arm] += 1
        self.total[arm] += paid


class ExploresTwo(Greedy):
    explored = 2


@pytest.mark.thorough
def test_exploration_that_leaves_out_an_arm_is_refuted(parts):
    def compared(kind):
        def make(arms, horizon):
            return from_object(kind, kind.select, kind.update, arms, horizon)

        law = parts.references.counted(parts.references.greedy_with(0.5))
        return parts.comparisons.by_law(make, law, horizon=3, trials=400)

    assert compared(Greedy).verdict == "AGREES"
    assert compared(ExploresTwo).verdict == "REFUTED"


@pytest.mark.thorough
def test_outputs_with_other_probabilities_are_refuted(parts):
    chances, other = np.array([0.5, 0.3, 0.2]), np.array([0.4, 0.4, 0.2])

    def compared(drawn, instead=None):
        return parts.comparisons.by_outputs(lambda rng: int(rng.choice(3, p=drawn)), chances, instead, trials=2_000)

    assert compared(chances).verdict == "AGREES"
    assert (compared(other, other).verdict, compared(other, other).confirmed) == ("REFUTED", True)
    assert compared(other, chances).confirmed is False


def test_a_mechanism_with_too_little_noise_is_refuted(parts):
    def with_scale(scale):
        def noisy(value, trials, seed):
            return value + np.random.default_rng(seed).laplace(scale=scale, size=trials)

        return parts.comparisons.by_audit(noisy, 0.0, 1.0, eps=1.0, trials=8_000)

    right, wrong = with_scale(1.0), with_scale(0.5)
    assert (right.verdict, wrong.verdict) == ("AGREES", "REFUTED")
    assert float(wrong.number.split()[-1]) > 1 > float(right.number.split()[-1])


def test_shares_above_the_documented_probability_are_refuted(parts):
    assert parts.comparisons.by_share(53, 10_000, 0.005, "event").verdict == "AGREES"
    assert parts.comparisons.by_share(0, 10_000, 0.005, "event").verdict == "AGREES"
    assert parts.comparisons.by_share(0, 10_000, 0.0, "event").verdict == "AGREES"
    assert parts.comparisons.by_share(1, 10_000, 0.0, "event").verdict == "REFUTED"  # an event that is impossible
    once = [parts.comparisons.by_share(1, 1, most, "event").verdict for most in (2e-6, 5e-7)]
    assert once == ["AGREES", "REFUTED"]  # one trial: its probability is `most`, against a risk of 1e-6
    wrong = parts.comparisons.by_share(130, 10_000, 0.005, "event")
    assert wrong.verdict == "REFUTED"
    assert wrong.log10_evidence > 6
    tail = parts.comparisons.log_tail(422, 2_000, 1e-3)  # below the smallest double
    assert -np.inf < tail < -1_000
    assert parts.comparisons.log_tail(53, 10_000, 0.005) == pytest.approx(
        binom.logsf(52, 10_000, 0.005), rel=1e-9, abs=0
    )
    assert parts.comparisons.by_share(1, 9, 0.0, "event").log10_evidence is None  # certain


def test_numbers_are_compared_on_the_side_that_matters(parts):
    def compared(theirs, side):
        return parts.comparisons.by_numbers({"a": (1.0, 1.0), "b": (theirs, 2.0)}, 1e-6, "eps", side).verdict

    assert [compared(2 + 1e-9, side) for side in ("two-sided", "above")] == ["AGREES", "AGREES"]
    assert [compared(2.1, side) for side in ("two-sided", "above")] == ["REFUTED", "AGREES"]
    assert [compared(1.9, side) for side in ("two-sided", "above")] == ["REFUTED", "REFUTED"]
    assert compared(math.nan, "above") == "REFUTED"
    with pytest.raises(ValueError, match="side is 'below'"):
        compared(2.0, "below")


# -- reference laws --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0.02, 0.3, 0.5, 0.7, 0.95])
def test_the_largest_gamma_variable_of_two_is_a_beta_tail(parts, first):
    found = parts.references.largest_gamma(np.array([[first, 1 - first]]))[0]
    assert found == pytest.approx([beta.sf(0.5, first, 1 - first), beta.cdf(0.5, first, 1 - first)], rel=1e-5, abs=0)


def test_permute_and_flip_of_two_candidates(parts):
    worse = math.exp(-0.7) / 2  # it is visited first and accepted
    assert parts.references.permute_and_flip([0.0, 0.7]) == pytest.approx([worse, 1 - worse], rel=1e-12, abs=0)


def test_discrete_laplace_noise_is_a_law_with_the_right_ratio(parts):
    law = parts.references.discrete_laplace(2.0, 5)
    assert law.sum() == pytest.approx(1, rel=1e-12, abs=0)
    assert (law[2] / law[1], law[5] / law[6]) == pytest.approx((math.exp(0.5), math.exp(0.5)), rel=1e-12, abs=0)
    assert law[0] == pytest.approx(law[1] * math.exp(-0.5) / (1 - math.exp(-0.5)), rel=1e-12, abs=0)


def test_exact_numbers_of_noise_agree_with_each_other(parts):
    exact = parts.references
    assert exact.gaussian_eps(exact.smallest_sigma(1.0, 1e-5), 1e-5) == pytest.approx(1.0, rel=1e-9, abs=0)
    assert exact.smallest_sigma(1.0, 1e-5) == pytest.approx(3.7306316348, rel=1e-9, abs=0)  # Balle and Wang (2018)
    assert exact.laplace_delta(2.0, exact.laplace_eps(2.0, 0.01)) == pytest.approx(0.01, rel=1e-12, abs=0)
    assert exact.laplace_delta(1.0, 1.0) == 0
