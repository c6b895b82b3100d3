"""What a piece of code depends on: in small packages, of which everything can be counted by hand."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

import pytest

from dpbandits.audit.run import sources
from dpbandits.audit.run.sources import Module, Sources, around, is_data, top_level, versioned
from dpbandits.audit.run.trees import parsed

READS = "TABLE = open('x')\n"


def laid(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def depends(root: Path, name: str) -> set[str] | None:
    """The names of what the module depends on, itself included."""
    modules, _ = Sources({"house": root}).closure([name])
    return None if modules is None else {module.name.removesuffix(".__init__") for module in modules}


# -- which data files count ------------------------------------------------------------------------------------

DATA = {
    "inner/reader.py": READS,
    "inner/own.csv": "",
    "inner/notes.md": "",
    "inner/__pycache__/x.bin": "",
    "inner/below/deep.json": "",
    "inner/below/other.py": "",
    "inner/near/far/last.txt": "",
    "top.csv": "",
    "aside/far.csv": "",
    "aside/more.csv": "",
}


def data(top: str, root: Path, text: str = READS) -> set[str]:
    laid(root, DATA | {"__init__.py": "", "inner/__init__.py": "", "inner/reader.py": text})
    code = Sources({top: root})
    module = code.place(f"{top}.inner.reader")
    assert module == Module(f"{top}.inner.reader", root / "inner" / "reader.py", f"{top}.inner")
    return {path.resolve().relative_to(root.resolve()).as_posix() for path in code.data(module)}


WITHIN = {"inner/own.csv", "inner/below/deep.json", "inner/near/far/last.txt"}


def test_of_ours_the_folder_counts_and_of_others_the_whole_package(tmp_path: Path) -> None:
    assert data("dpbandits", tmp_path) == WITHIN
    assert data("house", tmp_path) == WITHIN | {"top.csv", "aside/far.csv", "aside/more.csv"}
    assert data("house", tmp_path, "TABLE = 'top.csv'\n") == set()  # who reads no files


def test_what_a_constant_names_counts_as_well(tmp_path: Path) -> None:
    """A file anywhere, and a folder below the module's own. A long text, or one of no letters, is no name."""
    assert data("dpbandits", tmp_path, f"{READS}X = '../top.csv'\n") == WITHIN | {"top.csv"}
    assert data("dpbandits", tmp_path, f"{READS}X = '{tmp_path}/aside'\n") == WITHIN
    assert data("dpbandits", tmp_path, f"{READS}X = '{'y' * 5000}'\nY = '\\0'\nZ = ''\n") == WITHIN


def test_a_single_foreign_module_reads_its_folder(tmp_path: Path) -> None:
    laid(tmp_path, {"alone.py": READS, "own.csv": "", "below/deep.csv": ""})
    code = Sources({"alone": tmp_path / "alone"})
    module = code.place("alone")
    assert isinstance(module, Module)
    assert [path.name for path in code.data(module)] == ["own.csv"]
    (tmp_path / "alone.py").write_text(f"{READS}X = 'below'\n")  # and a folder below it that it names
    named = Sources({"alone": tmp_path / "alone"})
    assert sorted(path.name for path in named.data(module)) == ["deep.csv", "own.csv"]


def test_the_text_of_a_data_file_counts(tmp_path: Path) -> None:
    laid(tmp_path, {"__init__.py": "", "reader.py": READS, "own.csv": "1"})
    digests = set()
    for text in ("1", "2", "1"):
        (tmp_path / "own.csv").write_text(text)
        digests.add(Sources({"house": tmp_path}).digest(["house.reader"]))
    assert len(digests) == 2
    assert None not in digests


def test_what_is_data() -> None:
    here = Path(__file__)
    assert not is_data(here)
    assert not is_data(here.parent)
    assert is_data(here.parents[1] / "pyproject.toml")


# -- which modules count ---------------------------------------------------------------------------------------

PACKAGE = {
    "__init__.py": "",
    "one.py": "",
    "two.py": "",
    "sub/__init__.py": "",
    "sub/here.py": "",
    "sub/there.py": "",
    "sub/deep/__init__.py": "",
    "sub/deep/last.py": "",
    "other/__init__.py": "",
    "other/far.py": "",
}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("", set()),
        ("import house.one", {"one"}),
        ("from house import two", {"two"}),
        ("from house.other.far import name", {"other", "other.far"}),
        ("from .. import one", {"one"}),
        ("from ..one import name", {"one"}),
        ("from . import there", {"sub.there"}),
        ("from .deep import last", {"sub.deep", "sub.deep.last"}),
        ("from .deep.last import name", {"sub.deep", "sub.deep.last"}),
        ("from ..other import far", {"other", "other.far"}),
        ("from .. import *", {"one", "two", "other"}),  # packages as such: none of the modules in them
        ("from .deep import *", {"sub.deep", "sub.deep.last"}),
        ("from ..one import *", {"one"}),
        ("from .missing import name", None),
        ("import nothing_of_this_name", None),
    ],
)
def test_every_module_that_an_import_may_load(tmp_path: Path, line: str, wanted: set[str] | None) -> None:
    """And the packages around it: here always house and house.sub."""
    root = laid(tmp_path, PACKAGE | {"sub/here.py": f"{line}\n"})
    always = {"house", "house.sub", "house.sub.here"}
    assert depends(root, "house.sub.here") == (
        None if wanted is None else always | {f"house.{each}" for each in wanted}
    )


def test_a_packages_own_relative_imports_start_within_it(tmp_path: Path) -> None:
    root = laid(tmp_path, PACKAGE | {"sub/__init__.py": "from .there import name\nfrom .. import one\n"})
    assert depends(root, "house.sub") == {"house", "house.sub", "house.sub.there", "house.one"}


LAZY = PACKAGE | {
    "__init__.py": "import lazy_loader\n",
    "__init__.pyi": "from . import two\nfrom .sub.there import name as name\nfrom .other.far import more as more\n",
}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("from house import name", {"house.sub", "house.sub.there"}),
        ("from house import two", {"house.two"}),
        ("from house import one", {"house.one"}),  # is in no stub, and a module
        ("from house import more, name", {"house.sub", "house.sub.there", "house.other", "house.other.far"}),
        ("import house", {"house.two", "house.sub", "house.sub.there", "house.other", "house.other.far"}),
    ],
)
def test_what_a_stub_promises_counts_where_it_is_taken(tmp_path: Path, line: str, wanted: set[str]) -> None:
    root = laid(tmp_path / "house", LAZY)
    (tmp_path / "page.py").write_text(f"{line}\n", encoding="utf-8")
    modules, _ = Sources({"house": root, "page": tmp_path / "page"}).closure(["page"])
    assert modules is not None
    assert {module.name for module in modules} == {"page", "house"} | wanted


def test_our_own_modules_that_import_the_package_take_nothing_by_it() -> None:
    names, _ = Sources().imports(Module("dpbandits.audit.run.sources", Path(sources.__file__), "dpbandits.audit.run"))
    assert "dpbandits" in names
    assert "dpbandits.audit.own" not in names


def test_what_is_imported_along_the_way_counts(tmp_path: Path) -> None:
    root = laid(tmp_path, {"__init__.py": "", "a.py": "from . import b", "b.py": "from . import c, a", "c.py": ""})
    assert depends(root, "house.a") == {"house", "house.a", "house.b", "house.c"}
    assert depends(root, "house.c") == {"house", "house.c"}
    assert depends(root, "house.d") is None


def test_of_installed_packages_the_version_counts(tmp_path: Path) -> None:
    root = laid(
        tmp_path, {"__init__.py": "", "a.py": "import os, numpy.linalg\nfrom numpy import *\nfrom json import x"}
    )
    modules, libraries = Sources({"house": root}).closure(["house.a"])
    assert modules is not None
    assert {module.name for module in modules} == {"house", "house.a"}
    assert libraries == {"", "numpy"}
    assert versioned("") == ""
    assert versioned("numpy") == f"numpy {metadata.version('numpy')}"
    assert versioned("mpl_toolkits").startswith("matplotlib ")  # installed by another name


def test_a_module_that_imports_by_name_is_known_to_whoever_says_what(tmp_path: Path) -> None:
    root = laid(tmp_path, {"__init__.py": "", "a.py": "import importlib", "b.py": "from . import a"})
    for name in ("house.a", "house.b"):
        assert Sources({"house": root}).digest([name]) is None
        assert Sources({"house": root}, alone=["house.a"]).digest([name]) is not None
        assert Sources({"house": root}, alone=["house.b"]).digest([name]) is None


def test_docstrings_count_where_any_module_reads_them(tmp_path: Path) -> None:
    for reads in (False, True):
        found = set()
        for words in ("One.", "Two."):
            said = "X = len.__doc__" if reads else "X = 1"
            root = laid(tmp_path, {"__init__.py": "", "a.py": f'"""{words}"""\nfrom . import b', "b.py": said})
            found.add(Sources({"house": root}).digest(["house.a"]))
        assert len(found) == 1 + reads


def test_where_a_top_level_module_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    laid(tmp_path, {"one_of_mine.py": "", "two_of_mine/__init__.py": ""})
    monkeypatch.syspath_prepend(str(tmp_path))
    assert top_level("one_of_mine") == tmp_path.resolve() / "one_of_mine"
    assert top_level("two_of_mine") == tmp_path.resolve() / "two_of_mine"
    assert top_level("numpy") == "numpy"
    assert top_level("none_of_mine") is None
    monkeypatch.setitem(sys.modules, "gone_of_mine", type(sys)("gone_of_mine"))  # without a file
    assert top_level("gone_of_mine") is None
    assert Sources().place("one_of_mine") == Module("one_of_mine", tmp_path.resolve() / "one_of_mine.py", "")


def test_the_packages_around_a_module() -> None:
    assert list(around("a.b.c")) == ["a.b", "a"]
    assert list(around("a")) == []


# -- what a module's text says ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "unseen"),
    [
        ("import importlib", True),
        ("import importlib.util", True),
        ("import importlib.resources", False),
        ("import importlib.metadata as m", False),
        ("from importlib import resources, util", True),
        ("from importlib import metadata", False),
        ("from .importlib import util", False),  # a module of one's own
        ("import json, importlib", True),
        ("from sys import path", False),
        ("from json import modules", False),
        ("import sys; x = sys.modules", True),
        ("x = here.modules", False),
        ("x = here.sys.modules", False),
        ("x = sys.path", False),
        ("x = here.eval", False),
        ("x = eval", True),
        ("x = os.getenv", True),
        ("from os import getenv", True),
        ("x = 'eval'", False),
    ],
)
def test_what_reaches_more_than_imports_show(line: str, unseen: bool) -> None:
    assert parsed(line.encode()).unseen is unseen


def test_functions_begin_with_their_decorators() -> None:
    text = "@one\n@two\ndef f():\n    def g(): pass\n\nasync def h(): pass\n\nclass C:\n    @p\n    def m(self): pass\n"
    assert parsed(text.encode()).functions == (1, 4, 6, 9)


def test_texts_and_docstrings_are_told_where_files_are_read() -> None:
    text = '"""Top."""\nX = "one"\ndef f():\n    "two"\n    return 3, b"four"\n'
    assert parsed(text.encode()).texts == frozenset()
    reads = parsed((text + "Y = f.read_text('five')\n").encode())
    assert reads.reads
    assert reads.texts >= {"Top.", "one", "two", "five"}
    assert parsed(b"from numpy import loadtxt").reads
    assert parsed(b"x = f.__doc__").words
    assert not parsed(b"x = '__doc__'").words
