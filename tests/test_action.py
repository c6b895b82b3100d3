"""The action for a CI: it parses, asks for nothing that it does not declare, and its steps do what they say.

Its steps in shell are run here, with what a runner would give them; those of others (a Python, a cache, an upload) are
not. `make docs` runs this, where YAML can be read."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest

yaml = pytest.importorskip("yaml", reason="the extra `docs` is not installed: make docs")
pytestmark = pytest.mark.docs

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
PAGE = ROOT / "docs" / "how-to" / "pytest_in_ci.md"
ASKED = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")
TEST = """
from dpbandits.papers.ou24 import ThompsonSampling


def test_mine(audit):
    audit(ThompsonSampling(arms=2, horizon=3), mu={mu})
"""


def texts(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, Mapping):
        for part in node.values():
            yield from texts(part)
    elif isinstance(node, list):
        for part in node:
            yield from texts(part)


def test_the_action_asks_for_what_it_declares_and_no_more():
    asked = {name for text in texts(STEPS) for name in ASKED.findall(text)}
    asked |= {name for step in STEPS for name in re.findall(r"inputs\.[\w-]+", step.get("if", ""))}
    inputs = {name.removeprefix("inputs.") for name in asked if name.startswith("inputs.")}
    assert inputs == set(ACTION["inputs"])
    outputs = {name for name in asked if name.startswith("steps.")}
    named = {(step["id"], step["run"]) for step in STEPS if "id" in step}
    for name in outputs:
        _, step, _, output = name.split(".")
        assert any(step == each and f'echo "{output}=' in script for each, script in named)
    assert asked - outputs <= {f"inputs.{name}" for name in inputs} | {"runner.os"}
    for step in STEPS:  # an expression in a script would be run as a part of it
        assert "uses" in step or (step["shell"] == "bash" and not ASKED.search(step["run"]))


def steps_of(block: Any) -> list[dict[str, Any]]:
    """The steps of a workflow, or those of a block that shows steps alone."""
    return block if isinstance(block, list) else [step for job in block["jobs"].values() for step in job["steps"]]


def test_the_page_gives_the_action_inputs_that_it_has_and_pins_it():
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    used = [
        step for block in blocks for step in steps_of(yaml.safe_load(block)) if "dpbandits@" in step.get("uses", "")
    ]
    assert used
    for step in used:
        assert set(step.get("with", {})) <= set(ACTION["inputs"])
        assert re.search(r"@(v\d+\.\d+\.\d+|[0-9a-f]{40})$", step["uses"])


FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
FIELDS = {"markdown", "input", "textarea", "dropdown", "checkboxes"}


def test_forms_for_issues_are_those_that_the_docs_promise():
    assert {path.stem for path in FORMS} == {"bug", "config", "library", "new_paper", "objection"}


@pytest.mark.parametrize("path", [path for path in FORMS if path.stem != "config"], ids=lambda path: path.stem)
def test_a_form_for_issues_is_one_that_the_host_accepts(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= set(form) <= {"name", "description", "body", "labels", "title"}
    ids = [field["id"] for field in form["body"]]
    assert len(set(ids)) == len(ids)
    assert any(field.get("validations", {}).get("required") for field in form["body"])
    for field in form["body"]:
        assert field["type"] in FIELDS
        assert set(field) <= {"type", "id", "attributes", "validations"}
        assert field["attributes"]["label"]
        options = field["attributes"].get("options", [])
        assert bool(options) is (field["type"] in ("dropdown", "checkboxes"))
        assert all(("label" in each) if field["type"] == "checkboxes" else isinstance(each, str) for each in options)


# -- its steps, run ------------------------------------------------------------------------------------------


class Runner(NamedTuple):
    """What a runner has: the action as it was checked out, and the folder of a Python's programs."""

    action: Path
    programs: Path


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """The libraries are those of this Python; dpbandits is installed by the action."""
    folder = tmp_path_factory.mktemp("runner")
    names = (
        "src",
        "audit",
        "proofs_checks",
        "reference",
        "reports",
        "extensions",
        "examples",
        "docs/ledger",
        "experiments",
    )
    skipped = shutil.ignore_patterns("__pycache__", "out", "*.egg-info", "_build")
    for name in (*names, "implementations"):
        shutil.copytree(ROOT / name, folder / "action" / name, symlinks=True, ignore=skipped)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / "action" / name)
    venv.create(folder / "python", with_pip=True)
    (site,) = (folder / "python" / "lib").glob("python*/site-packages")
    for path in [*site.glob("setuptools*"), *site.glob("pkg_resources")]:  # older than what builds dpbandits
        shutil.rmtree(path)
    (own,) = {path for path in sys.path if path.startswith(sys.prefix) and path.endswith("site-packages")}
    libraries = folder / "libraries"
    libraries.mkdir()
    for path in Path(own).iterdir():  # all of them but this checkout
        if "dpbandits" not in path.name and path.suffix != ".pth":
            (libraries / path.name).symlink_to(path)
    (site / "libraries.pth").write_text(f"{libraries}\n")
    return Runner(folder / "action", folder / "python" / "bin")


def run_steps(runner: Runner, workspace: Path, **inputs: str) -> tuple[int, str]:
    """The steps in shell, one after another until one fails: the status, and all that was printed."""
    given = {f"inputs.{name}": each["default"] for name, each in ACTION["inputs"].items()}
    given |= {f"inputs.{name}": value for name, value in inputs.items()}
    (workspace / "output").write_text("")
    environment = {
        "PATH": f"{runner.programs}:/usr/bin:/bin",
        "HOME": str(workspace),
        "GITHUB_ACTIONS": "true",
        "GITHUB_WORKSPACE": str(workspace),
        "GITHUB_ACTION_PATH": str(runner.action),
        "GITHUB_OUTPUT": str(workspace / "output"),
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads it so: the build's own libraries are those that are here
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    said = ""
    for step in (each for each in STEPS if "run" in each):
        own = {name: ASKED.sub(lambda found: given[found[1]], text) for name, text in step.get("env", {}).items()}
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(shell, cwd=workspace, env=environment | own, capture_output=True, text=True, check=False)
        said += done.stdout + done.stderr
        if done.returncode:
            return done.returncode, said
    return 0, said


@pytest.mark.parametrize(("mu", "status"), [(1.2248, 0), (0.1, 1)])
def test_the_steps_install_and_audit_and_leave_what_is_uploaded(runner, tmp_path, mu, status):
    (tmp_path / "test_mine.py").write_text(TEST.format(mu=mu))
    ended, said = run_steps(runner, tmp_path, tests="test_mine.py", arguments="-q -p no:cacheprovider")
    assert ended == status, said
    assert ("::error file=test_mine.py,line=5,title=audit failed%3A test_mine::" in said) is bool(status)
    outputs = dict(line.split("=", 1) for line in (tmp_path / "output").read_text().splitlines())
    assert set(outputs) == {"folder", "key"}
    assert outputs["key"].isdigit()
    (suite,) = ElementTree.parse(tmp_path / "audit-report" / "junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("1", str(status))
    page = (tmp_path / "audit-report" / "report.html").read_text()
    assert ("1 promise does not hold" in page) is bool(status)
