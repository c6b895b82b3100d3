"""What `dpbandits` shows: the public names, which the stub lists, and nothing that hides behind them."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

import dpbandits
from dpbandits.reference.claims.ledger import paper_keys
from dpbandits.registry import names_extension

ROOT = Path(__file__).parents[1]
FACE = Path(dpbandits.__file__).parent
NAMES = sorted(dpbandits.__all__)
OF_PAPERS = [f"papers.{path.stem}" for path in sorted((FACE / "papers").glob("[a-z]*.py"))]
MODULES = ("games", "laws", "pages", "proofs", *OF_PAPERS)


def exported(module: str) -> list[str]:
    """The names that a module of the face hands on: those that are imported as themselves."""
    tree = ast.parse((FACE / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"))
    taken = [alias for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert all(alias.asname == alias.name for alias in taken), module
    return [alias.name for alias in taken]


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_there_and_says_what_it_is(name: str) -> None:
    value = getattr(dpbandits, name)
    assert isinstance(value, ModuleType) or value.__doc__, f"dpbandits.{name} has no docstring"


@pytest.mark.parametrize("module", MODULES)
def test_a_public_module_says_what_it_holds(module: str) -> None:
    try:
        found = import_module(f"dpbandits.{module}")
    except ModuleNotFoundError as error:
        if not names_extension(error):
            raise
        pytest.skip(str(error))
    assert found.__doc__
    assert exported(module)
    for name in exported(module):
        value = getattr(found, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert value.__doc__, f"dpbandits.{module}.{name} has no docstring"


def test_every_paper_has_its_policies_in_the_face() -> None:
    assert {each.partition(".")[2] for each in MODULES if each.startswith("papers.")} == {
        *paper_keys(),
        "bernoulli",
        "contextual",
    }


def test_the_star_takes_the_public_names_alone() -> None:
    found: dict[str, object] = {}
    exec("from dpbandits import *", found)
    assert sorted(set(found) - {"__builtins__"}) == NAMES
    assert set(NAMES) <= set(dir(dpbandits))


def test_who_asks_for_nothing_loads_nothing(tmp_path: Path) -> None:
    script = "import sys, dpbandits\nprint(sorted(name for name in sys.modules if name.startswith('dpbandits.')))"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_version_is_that_of_what_is_installed() -> None:
    assert dpbandits.__version__ == version("dpbandits")


def test_the_package_is_a_command(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dpbandits", "--version"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[-1] == dpbandits.__version__


DEEP = re.compile(r"dpbandits\.(?:audit|extensions|reference|proofs_checks|reports)\b[\w.]*")
SHOWN = [ROOT / "README.md", *(ROOT / "examples").rglob("*.py")]


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_users_are_shown_imports_from_the_face_alone(path: Path) -> None:
    found = DEEP.findall(path.read_text(encoding="utf-8"))
    assert not found, f"import these from dpbandits, or from a module of its face: {found}"
