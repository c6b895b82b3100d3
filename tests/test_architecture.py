"""The house's own rules: which folder may import which, what is packaged, and what no file may mention."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from setuptools import find_packages

import dpbandits
from dpbandits.reference.claims.ledger import paper_keys

ROOT = Path(__file__).parents[1]
CHECKER = ROOT / "proofs_checks" / "checker"
CEILINGS = ROOT / "extensions" / "thompson" / "ceilings"  # a checker of the standard library alone
RUN_CHECKER = ROOT / "extensions" / "thompson" / "run_checker"
FOLDERS = ("reference", "proofs_checks", "audit", "reports", "extensions")
# What each folder may import of the others (itself always).
ALLOWED = {
    "reference": set(),
    "proofs_checks": {"reference"},
    "audit": {"reference", "proofs_checks"},
    "reports": {"reference"},
    "extensions": {"reference", "proofs_checks", "audit", "reports"},
}
REGISTRY = "registry"  # the core asks it what extensions add; all but the reference may
# What a page may import of the face, so that one that lives elsewhere joins as it is.
FACES = {"reference": {"pages", "laws"}, "proofs_checks": {"pages", "laws", "proofs"}}
# The command line and the plugin call the report last, inside of a function.
FRONTS = {"documents", "privacy_command", "plugin", "reporting", "showing", "site_files"}
HEAVY = {"numpy", "scipy", "statsmodels", "matplotlib", "pandas", "mpmath", "flint", "jinja2", "joblib", "jsonschema"}


def modules(folder: str) -> list[Path]:
    return [path for path in sorted((ROOT / folder).rglob("*.py")) if "out" not in path.parts]


@cache
def nodes(path: Path) -> Mapping[type[ast.AST], list[Any]]:
    """Every node of a module's tree, by its kind; no kind of node inherits from another. A file is read once."""
    kinds = defaultdict(list)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        kinds[type(node)].append(node)
    return kinds


@pytest.fixture(scope="module", autouse=True)
def _forgets_the_trees() -> Iterator[None]:
    """They are large, and nobody else's."""
    yield
    nodes.cache_clear()


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Every imported module's dotted name, and whether the import stands at the top level."""
    kinds = nodes(path)
    (module,) = kinds[ast.Module]
    top = {id(node) for node in module.body}
    for node in kinds[ast.Import]:
        for alias in node.names:
            yield alias.name, id(node) in top
    for node in kinds[ast.ImportFrom]:
        if node.level and (path.is_relative_to(CHECKER) or path.is_relative_to(CEILINGS)):
            continue
        assert node.level == 0, f"{path}: a relative import; write the name in full"
        assert node.module is not None
        yield node.module, id(node) in top
        if node.module == "dpbandits":
            for alias in node.names:
                yield f"dpbandits.{alias.name}", id(node) in top


@pytest.mark.parametrize("folder", FOLDERS)
def test_arrows_point_down(folder: str) -> None:
    for path in modules(folder):
        for name, at_top in imports(path):
            if not name.startswith("dpbandits."):
                continue
            other = name.split(".")[1]
            if other == REGISTRY and folder != "reference":
                continue
            if "papers" in path.relative_to(ROOT).parts and (other in FACES[folder] or other == "extensions"):
                continue  # papers are content: they may use extensions
            if folder == "audit" and other == "reports" and path.stem in FRONTS and not at_top:
                continue
            assert other == folder or other in ALLOWED[folder], f"{path.relative_to(ROOT)} imports {name}"


def test_what_pages_import_of_the_face_is_of_the_reference_alone() -> None:
    for face in FACES["reference"]:
        for name, _ in imports(ROOT / "src" / "dpbandits" / f"{face}.py"):
            assert name.startswith("dpbandits.reference."), f"dpbandits.{face} imports {name}"


def test_the_arrow_test_sees_imports(tmp_path: Path) -> None:
    """The test above could not fail if `imports` were blind."""
    path = tmp_path / "x.py"
    path.write_text(
        "import dpbandits.audit\nfrom dpbandits import reports\n"
        "def f():\n    from dpbandits.audit.cli.command_line import main\n"
    )
    assert list(imports(path)) == [
        ("dpbandits.audit", True),
        ("dpbandits", True),
        ("dpbandits.reports", True),
        ("dpbandits.audit.cli.command_line", False),
    ]


def test_the_reference_needs_numpy_and_scipy_only() -> None:
    for path in modules("reference"):
        for name, _ in imports(path):
            first = name.split(".")[0]
            assert first in {"dpbandits", "numpy", "scipy"} or first in sys.stdlib_module_names, f"{path}: {name}"


def test_every_dataclass_is_frozen() -> None:
    """What is handed around cannot be changed behind somebody's back; but for these, which keep account."""
    keeping = {"Arm", "ObjectBatch", "JobGroup", "Moves", "Numbers", "Paths", "Shared", "SymbolTable", "Tree"}
    keeping |= {"ComparedSums", "FinitePaths", "FiniteStates", "FiniteTree", "FrozenOutcomes", "NearPaths"}
    keeping |= {"Codes", "Recorded", "Tape"}
    keeping |= {"MergedStates", "Node", "RunsOfStates", "Shorter", "StepSymbols", "Steps"}
    loose, seen = set(), 0
    for folder in FOLDERS:
        for path in modules(folder):
            for node in nodes(path)[ast.ClassDef]:
                for each in node.decorator_list:
                    name = each.func if isinstance(each, ast.Call) else each
                    if isinstance(name, ast.Name) and name.id == "dataclass":
                        said = {word.arg: word.value for word in each.keywords} if isinstance(each, ast.Call) else {}
                        seen += 1
                        if not (isinstance(found := said.get("frozen"), ast.Constant) and found.value is True):
                            loose.add(node.name)
    assert seen > 50
    assert loose <= keeping


# Nothing that could start or fetch anything; what checks ceilings is of the standard library alone.
CHECKER_IMPORTS = {
    "__future__", "ast", "collections.abc", "contextlib", "fractions", "functools", "itertools", "json", "jsonschema",
    "math", "mpmath", "mpmath.ctx_iv", "pathlib", "re", "types", "typing",
}  # fmt: skip


def test_the_checkers_import_nothing_of_ours() -> None:
    """They can be copied anywhere: what they import of their own folder, they name by where it lies beside them."""
    for path in [*CHECKER.rglob("*.py"), *CEILINGS.rglob("*.py")]:
        assert all(node.level < 2 for node in nodes(path)[ast.ImportFrom]), f"{path}: it reaches out of its folder"
        for name, _ in imports(path):
            if path.is_relative_to(CEILINGS):
                assert name.split(".")[0] in sys.stdlib_module_names, (path, name)
            else:
                assert name in CHECKER_IMPORTS, (path, name)
    ours = ("dpbandits.proofs_checks.checker.", "dpbandits.extensions.thompson.run_checker.")
    for path in RUN_CHECKER.rglob("*.py"):  # of a kind that an extension adds
        for name, _ in imports(path):
            assert name in CHECKER_IMPORTS or name.startswith(ours), (path, name)


def test_a_copy_of_the_checkers_works_by_itself(tmp_path: Path) -> None:
    """In a process of its own, which finds nothing of the project."""
    shutil.copytree(CHECKER, tmp_path / "checker")
    if CEILINGS.is_dir():
        shutil.copytree(CEILINGS, tmp_path / "ceilings")
    example = sorted((ROOT / "reports/example/certificates").glob("*.json"))[0]
    script = (
        "import json, sys; from checker.verification import verify"
        f"; print(verify(json.load(open({str(example)!r}))).ok, 'dpbandits' in sys.modules)"
    )
    if CEILINGS.is_dir():
        script += "; from ceilings.verification import verify as bound; print(bound({}).ok, 'dpbandits' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", *["False"] * (3 if CEILINGS.is_dir() else 1)]


def test_nothing_of_the_house_imports_its_face() -> None:
    """Arrows run down: `dpbandits` hands on what the rooms hold. A page may have joined with what authors import."""
    shown = {f"dpbandits.{name}" for name in dpbandits.__all__}
    for folder in FOLDERS:
        of_authors = {f"dpbandits.{face}" for face in FACES.get(folder, ())}
        for path in modules(folder):
            taken = shown & {name for name, _ in imports(path)}
            if "papers" in path.relative_to(ROOT).parts:
                taken -= of_authors
            remedy = f"a page takes what it needs from {sorted(of_authors)}"
            assert not taken, f"{path.relative_to(ROOT)} imports {sorted(taken)}; {remedy}"


def test_nobody_imports_the_folders_by_their_bare_names() -> None:
    bare = re.compile(rf"^\s*(?:from|import) (?:{'|'.join(FOLDERS)})\b", re.MULTILINE)
    assert bare.search("import numpy\n    from reference.policy import play")
    assert not bare.search("from dpbandits.reference import policy\nimport references")
    for folder in (*FOLDERS, "tests"):
        for path in modules(folder):
            assert not bare.search(path.read_text(encoding="utf-8")), path.relative_to(ROOT)


def test_bare_folders_cannot_be_imported_elsewhere(tmp_path: Path) -> None:
    """From another directory there is `dpbandits.reference`, and no `reference`."""
    script = (
        "from importlib.util import find_spec\n"
        f"print([name for name in {FOLDERS!r} if find_spec(name) or not find_spec('dpbandits.' + name)])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_pytest_plugin_is_light(tmp_path: Path) -> None:
    """Every pytest run of an environment imports the plugin: it must not cost the scientific libraries."""
    script = (
        "import sys, pytest, dpbandits.audit.pytest_plugin.plugin\n"
        f"print(sorted({HEAVY!r} & {{name.split('.')[0] for name in sys.modules}}))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_command_line_is_light_until_it_works(tmp_path: Path) -> None:
    loaded = "{name.split('.')[0] for name in sys.modules}"
    script = f"import sys, dpbandits.audit.cli.command_line\nprint(sorted({HEAVY!r} & {loaded}))"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_own_certificates_are_verified_without_the_ledger(tmp_path: Path) -> None:
    """The checker needs no numpy and no paper, nor does a certificate that is about no claim of the ledger."""
    example = sorted((ROOT / "reports/example/certificates").glob("*.json"))[0]
    own = tmp_path / "own.json"
    own.write_text(json.dumps(json.loads(example.read_text(encoding="utf-8")) | {"claim": "own/x"}), encoding="utf-8")
    script = (
        "import sys\nfrom dpbandits.audit.cli.command_line import main\n"
        f"main(['verify', {str(own)!r}], standalone_mode=False)\n"
        "print('numpy' in sys.modules, any('reference' in name for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "verified, the arithmetic only" in done.stdout
    assert done.stdout.splitlines()[-1] == "False False"


def test_every_package_is_installed() -> None:
    """Setuptools finds the packages through the links of src/dpbandits, and leaves out folders without an __init__."""
    listed = find_packages(str(ROOT / "src"))
    for folder in FOLDERS:
        assert (ROOT / "src" / "dpbandits" / folder).resolve() == (ROOT / folder).resolve()
        for path in modules(folder):
            package = ".".join(("dpbandits", *path.parent.relative_to(ROOT).parts))
            assert package in listed, f"{path.relative_to(ROOT)} is in no package"
    assert (ROOT / "src" / "dpbandits" / "py.typed").exists()


# Written in two parts each, so that this file does not contain them.
UNWANTED = tuple(
    first + second
    for first, second in (
        ("pypi", ".org"),
        ("python", "hosted.org"),
        ("npmjs", ".org"),
        ("conda.ana", "conda.org"),
        ("/ro", "ot/"),
        ("/ho", "me/"),
        ("/Us", "ers/"),
        ("C:\\", "Users"),
        ("/op", "t/"),
        ("/wo", "rk/"),
        ("/tm", "p/"),
    )
)
SKIPPED = {".git", ".hypothesis", ".venv", ".axe", "build", "out", "dpbandits-report", "_build", "__pycache__"}
TEXT = {".py", ".md", ".toml", ".txt", ".json", ".html", ".css", ".yml", ".yaml", ".sh", ""}


def test_no_file_mentions_registries_or_somebodys_folders() -> None:
    for folder, inner, files in os.walk(ROOT):
        inner[:] = [each for each in inner if not (each in SKIPPED or each.endswith((".egg-info", "_cache")))]
        for path in (Path(folder, name) for name in files if Path(name).suffix in TEXT and name not in SKIPPED):
            content = path.read_text(encoding="utf-8")
            for name in UNWANTED:
                assert name not in content, f"{path.relative_to(ROOT)} mentions {name}"


def test_nobody_asks_which_curve_it_is() -> None:
    """What is asked of a promise is a method of its own, so that a new curve is one file; pages know their own."""
    folder = ROOT / "reference" / "curves"
    curves = {node.name for path in folder.glob("*.py") for node in nodes(path)[ast.Module][0].body if is_curve(node)}
    assert curves >= {"Approximate", "Concentrated", "Family", "Gaussian", "Renyi"}  # it sees those that there are
    for path in (
        path for folder in FOLDERS for path in modules(folder) if "papers" not in path.relative_to(ROOT).parts
    ):
        for node in nodes(path)[ast.Call]:
            if getattr(node.func, "id", "") in ("isinstance", "type"):
                asked = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} & curves
                assert not asked, f"{path.relative_to(ROOT)}:{node.lineno} asks whether a curve is {asked}"


# Named nowhere in the four folders: what libraries call by its name, and tools of tests.
CALLED_FROM_OUTSIDE = {
    "format_options",  # by click
    "own_axioms",  # by make statements
    "statement_text",  # by make statements, and by the tests of what it wrote
    "released_arms",
    *(
        "list_commands",
        "get_command",
        "collect",
        "runtest",
        "reportinfo",
        "generate_state",
        "load_overload",
        "save_overload",
    ),
}


def test_what_is_defined_is_used() -> None:
    """Functions and classes; claims and proofs aside, which the ledger uses. The face names what users call, templates
    call by name."""
    texts = [*(ROOT / "src" / "dpbandits").glob("*.py*"), *(ROOT / "reports").rglob("templates/*.html")]
    used = {word for text in texts for word in WORD.findall(text.read_text(encoding="utf-8"))}
    defined = {}
    for path in (path for folder in FOLDERS for path in modules(folder)):
        kinds = nodes(path)
        used |= {node.attr for node in kinds[ast.Attribute]} | {node.arg for node in kinds[ast.keyword] if node.arg}
        texts = {node.value for node in kinds[ast.Constant] if isinstance(node.value, str)}
        used |= {text for text in texts if text.isidentifier()}
        used |= {text.rpartition(":")[2] for text in texts if REFERENCE.search(text)}
        used |= {node.id for node in kinds[ast.Name] if isinstance(node.ctx, ast.Load)}
        for node in kinds[ast.FunctionDef] + kinds[ast.ClassDef]:
            if not any(map(is_claim_or_proof, node.decorator_list)):
                defined[node.name] = path
    hooks = ("__", "pytest_", "visit_")
    alone = {name for name in defined.keys() - used - CALLED_FROM_OUTSIDE if not name.startswith(hooks) and name != "_"}
    assert not alone, f"use them, delete them, or name them above: { {name: str(defined[name]) for name in alone} }"


WORD = re.compile(r"[a-zA-Z_]\w*")
REFERENCE = re.compile(r"\.\w+:\w+$")  # how a registration names what an extension adds
STATEMENTS = {"inequality", "identity", "private", "at_most", "at_least"}


def is_claim_or_proof(decorator: ast.expr) -> bool:
    if not isinstance(decorator, ast.Call):
        return False
    return getattr(decorator.func, "attr", "") in STATEMENTS or getattr(decorator.func, "id", "") == "proves"


# Where a help, an error or an example may name a paper; and one room that is about what a paper plays.
NAMING_PAPERS = {
    *(
        "audit/cli",  # and `calibrating`, which is about what a paper plays
        "audit/pytest_plugin",
    )
}


def test_the_engine_knows_no_paper() -> None:
    """The core imports none by name, and asks for none: what is a paper's own is said by its page and its policies."""
    known = re.compile(rf"\b({'|'.join(paper_keys())})\b")
    naming = set()
    for path in (
        path for folder in FOLDERS[:4] for path in modules(folder) if "papers" not in path.relative_to(ROOT).parts
    ):
        kinds = nodes(path)
        documented = (*kinds[ast.Module], *kinds[ast.ClassDef], *kinds[ast.FunctionDef])
        docstrings = {id(each.body[0].value) for each in documented if ast.get_docstring(each) is not None}
        texts = [
            node.value for node in kinds[ast.Constant] if isinstance(node.value, str) and id(node) not in docstrings
        ]
        if any(map(known.search, [*texts, *(name for name, _ in imports(path))])):
            name = path.relative_to(ROOT).as_posix()
            naming.add(next((each for each in NAMING_PAPERS if name == each or name.startswith(f"{each}/")), name))
    assert naming <= NAMING_PAPERS


def test_one_claim_loads_one_page_its_proofs_and_its_judge_alone(tmp_path: Path) -> None:
    script = """
import sys
from dpbandits.audit.judges.effort import QUICK
from dpbandits.audit.runner.run_claims import audit
from dpbandits.audit.runner.selection import selected
from dpbandits.reference.claims.ledger import ledger

document = audit(selected(ledger(), ["auer02/privacy/none"]), QUICK)
parts = [name.split(".") for name in sys.modules if ".papers." in name]
print(document["findings"][0]["verdict"], sorted({(part[1], part[3]) for part in parts if len(part) > 4}))
idle = [("audit", "play"), ("audit", "privacy"), ("audit", "statistics"), ("proofs_checks", "checker")]
asked = [name for name in sys.modules if name.count(".") > 2 and not name.endswith(".registration")]
rooms = {tuple(name.split(".")[1:3]) for name in asked if name.startswith("dpbandits.")}
print(sorted(rooms.intersection([*idle, ("extensions", "thompson")])))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    pages, rooms = done.stdout.splitlines()
    assert pages == "PROVED [('proofs_checks', 'auer02'), ('reference', 'auer02')]"
    assert rooms == "[]", "rooms of judges whom nobody asked"


def test_an_audit_of_runs_loads_no_other_audit_target(tmp_path: Path) -> None:
    """Who asks about the runs of a policy asks of no single round, step or noisy value, checks no certificate, and
    lists what others see where others see it."""
    script = """
import sys
from dpbandits.audit.privacy import judge, lawful_runs

idle = "privacy.rounds.", "privacy.steps", "privacy.samples", "scores.values", "privacy.certificates"
idle += "exact.shifted_noise", "exact.joint_privacy", "exact.enumeration"
print([name for name in sys.modules if any(part in name for part in idle)])
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_formulas_have_names() -> None:
    """A page's formulas are functions of a vocabulary and numbers: no lambda over m."""
    for path in modules("reference"):
        nameless = [node for node in nodes(path)[ast.Lambda] if node.args.args]
        assert not any(node.args.args[0].arg == "m" for node in nameless), path


def test_no_judge_imports_the_output() -> None:
    judging = ("claims", "play", "privacy", "regret", "rounds", "scores", "search", "tradeoff", "verify")
    paths = [path for room in judging for path in (ROOT / "audit" / room).glob("*.py")] + modules("proofs_checks")
    assert len(paths) > 60
    for path in paths:
        for node in nodes(path)[ast.ImportFrom]:
            if node.module:
                names = {node.module.split(".")[-1], *(alias.name for alias in node.names)}
                assert not names & FRONTS, f"{path.relative_to(ROOT)}:{node.lineno} imports what is called last"


def is_curve(node: ast.stmt) -> bool:
    """A class with the methods of a curve that is no protocol."""
    if not isinstance(node, ast.ClassDef) or node.bases:
        return False
    return {"implied_parameter", "delta_at", "bounds"} <= {
        each.name for each in node.body if isinstance(each, ast.FunctionDef)
    }


def test_nothing_that_judges_reads_what_is_expected() -> None:
    """Only what reports a finding, or holds a certificate against the ledger, may ask."""
    asking = {"audit/runner/entries.py", "audit/matching/binding.py"}
    for folder in ("proofs_checks", "audit"):
        for path in modules(folder):
            kinds = nodes(path)
            names = {node.attr for node in kinds[ast.Attribute]} | {node.id for node in kinds[ast.Name]}
            told = str(path.relative_to(ROOT)) in asking or not names & {"expect", "expected", "expectations"}
            assert told, f"{path.relative_to(ROOT)} reads what is expected"


# What numpy computes by whatever the processor has, in the last bits: `arithmetic.elementary` and `linear` have
# the same for all processors.
DISPATCHED = re.compile(
    "exp|exp2|expm1|log|log1p|log2|log10|power|cbrt|sin|cos|tan|arcsin|arccos|arctan|arctan2|sinh|cosh|tanh|arcsinh|"
    "arccosh|arctanh|geomspace|logspace|dot|vdot|inner|matmul|tensordot|correlate|convolve|polyfit|linalg|polynomial"
)
# Where they are asked for nevertheless, and why that is no matter.
ELSEWHERE = {
    "reference/arithmetic/linear.py": "the name of an exception",
    "proofs_checks/vocabularies/rounded_doubles.py": "rounded outward",
    "proofs_checks/exact/state_graph.py": "a product of whole numbers",
    "extensions/thompson/track.py": "complex numbers; what is found is rounded",
    "extensions/thompson/blocks.py": "complex numbers, for the same ascent",
    "audit/privacy/scores/classifier.py": "sums that are exact in any order",
    "extensions/conformance": "of no claim of the ledger; printed with few digits",
    "audit/statistics": "compared with a level, and printed with few digits",
    "papers": "bounds and printed numbers, which are rounded; chen24's choices are made with a tolerance",
}


def test_nothing_hangs_on_what_a_processor_has() -> None:
    found: dict[str, list[str]] = {}
    for path in (path for folder in (*FOLDERS[:3], "extensions") for path in modules(folder)):
        kinds = nodes(path)
        of_numpy = [node for node in kinds[ast.Attribute] if getattr(node.value, "id", "") in ("np", "numpy")]
        asked = [f"line {node.lineno}: np.{node.attr}" for node in of_numpy if DISPATCHED.fullmatch(node.attr)]
        asked += [f"line {node.lineno}: @" for node in kinds[ast.BinOp] if isinstance(node.op, ast.MatMult)]
        if asked:
            name = path.relative_to(ROOT).as_posix()
            found[next((each for each in ELSEWHERE if each == name or f"{each}/" in name), name)] = asked
    assert found, "the numerical modules are no longer seen"
    unlisted = {name: asked for name, asked in found.items() if name not in ELSEWHERE}
    assert not unlisted, f"use dpbandits.reference.arithmetic.elementary or linear in {unlisted}"


DOCS = ROOT / "docs"


def test_the_picture_has_these_arrows_and_no_other() -> None:
    """And is what its script draws; no box hides another, but for the checkers, which stand in their folder."""
    picture = run_path(str(DOCS / "explanation" / "architecture.py"))
    assert picture["FILE"].read_text(encoding="utf-8") == picture["drawn"]()
    named = [box.name for box in picture["BOXES"] if box.lines]
    assert named == ["extensions", "audit", "reports", "proofs_checks", "reference"]
    arrows = {(arrow.who, arrow.whom) for arrow in picture["ARROWS"] if not arrow.last}
    allowed = {(who, whom) for who, others in ALLOWED.items() for whom in others}
    assert arrows == {each for each in allowed if each[0] != "extensions" or each[1] in ("audit", "reports")}
    assert [(arrow.who, arrow.whom) for arrow in picture["ARROWS"] if arrow.last] == [("audit", "reports")]
    places = {box.name: box for box in picture["BOXES"]}
    for arrow in picture["ARROWS"]:
        for place, end in ((arrow.who, arrow.points[0]), (arrow.whom, arrow.points[-1])):
            box = places[place]
            assert box.x - 2 <= end[0] <= box.x + box.width + 2
            assert box.y - 2 <= end[1] <= box.y + box.height + 2


def test_the_map_names_every_room() -> None:
    text = (DOCS / "contributing" / "rooms.md").read_text(encoding="utf-8")
    parts = re.split(r"^## ", text, flags=re.MULTILINE)
    for folder in ("reference", "proofs_checks", "audit"):
        (own,) = (part for part in parts if part.startswith(f"{folder}: "))
        named = set(re.findall(r"`([\w]+)/?", own))
        rooms = {
            path.stem for path in (ROOT / folder).iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
        }
        assert not rooms - named - {"__init__"}, f"{folder}: rooms that rooms.md does not name"


NAMED = re.compile(rf"`((?:{'|'.join(FOLDERS)})(?:\.[a-z]\w*)+)(?:\.[A-Z]\w*)*`")


def test_a_module_that_a_text_names_is_there() -> None:
    """Names in prose outlive what they name: no import asks for them."""
    found = 0
    for path in (path for folder in FOLDERS for path in modules(folder)):
        for name in NAMED.findall(path.read_text(encoding="utf-8")):
            found += 1
            place = ROOT.joinpath(*name.split("."))
            told = f"{path.relative_to(ROOT)} names {name}, which is no module"
            assert place.is_dir() or place.with_suffix(".py").exists(), told
    assert found > 5


def rooms_between(path: Path) -> Iterator[tuple[str, str]]:
    """From which room a module imports from which other one, lazily or not."""
    for name, _ in imports(path):
        if name.startswith("dpbandits.") and name.split(".")[1] in FOLDERS:
            yield room_of(str(path.relative_to(ROOT))), room_of(name.removeprefix("dpbandits.").replace(".", "/") + "/")


def room_of(place: str) -> str:
    """The room of a module: its folder below one of the four, or that one itself."""
    return "/".join(place.split("/")[:-1][:2])


def test_rooms_stand_in_no_circle() -> None:
    """Whoever reads a room need not read those above it. Fronts call the report last, and a paper's room is found by
    its key, so that nobody imports it by name."""
    below = defaultdict(set)
    for folder in FOLDERS:
        for path in modules(folder):
            for room, other in rooms_between(path):
                if room != other and other.split("/")[0] != "reports":
                    below[room].add(other)
    assert len(below) > 15
    try:
        order = list(TopologicalSorter(below).static_order())
    except CycleError as error:
        raise AssertionError(f"rooms that import each other: {' -> '.join(error.args[1])}") from None
    assert order.index("reference/arithmetic") < order.index("reference/bandits") < order.index("audit/privacy")


def files_between(path: Path) -> Iterator[str]:
    """The files of ours that a module imports, lazily or not; the faces of packages only hand names on."""
    for node in nodes(path)[ast.ImportFrom]:
        if (node.module or "").startswith("dpbandits."):
            asked = ROOT.joinpath(*str(node.module).split(".")[1:])
            for place in (asked, *(asked / alias.name for alias in node.names)):
                if place.with_suffix(".py").is_file():
                    yield place.with_suffix(".py").relative_to(ROOT).as_posix()


def test_files_stand_in_no_circle() -> None:
    below = {
        path.relative_to(ROOT).as_posix(): set(files_between(path)) for folder in FOLDERS for path in modules(folder)
    }
    try:
        order = list(TopologicalSorter(below).static_order())
    except CycleError as error:
        raise AssertionError(f"files that import each other: {' -> '.join(error.args[1])}") from None
    assert order.index("reference/bandits/policy.py") < order.index("audit/privacy/pipeline.py")
