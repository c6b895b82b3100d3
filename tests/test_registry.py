"""What extensions register is there, and what the core does where one is missing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from dpbandits import registry
from dpbandits.audit.cli.command_line import main
from dpbandits.registry import Extension

FOLDER = Path(__file__).parents[1] / "extensions"
TOY = Extension("toy", commands={"greet": "toy.command:greet"})


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[SimpleNamespace]]:
    """Entry points of other distributions, to be filled."""
    points: list[SimpleNamespace] = []
    monkeypatch.setattr(registry.metadata, "entry_points", lambda group: points if "extensions" in group else [])
    forget()
    yield points
    forget()


def forget() -> None:
    for known in (registry.extensions, registry.added):
        known.cache_clear()


def point(extension: Extension, version: str = "1.0") -> SimpleNamespace:
    return SimpleNamespace(
        name=extension.name, load=lambda: extension, dist=SimpleNamespace(name="elsewhere", version=version)
    )


def names_of(value: object) -> Iterator[str]:
    """Every "package.module:name" in a registration."""
    if isinstance(value, str):
        if value.startswith("dpbandits.") and ":" in value:
            yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from names_of(each)
    elif isinstance(value, tuple):
        for each in value:
            yield from names_of(each)
    elif hasattr(value, "__dataclass_fields__"):
        for each in fields(value):
            yield from names_of(getattr(value, each.name))


def test_each_folder_is_an_extension_of_its_name_with_a_readme() -> None:
    folders = {path.parent.name for path in FOLDER.glob("*/__init__.py")}
    assert {each.name for each in registry.extensions()} == folders
    for name in folders:
        assert (FOLDER / name / "README.md").is_file(), name
        assert (Path(__file__).parent / "extensions" / name).is_dir(), name


def test_what_is_registered_is_there() -> None:
    known = {each.name for each in registry.extensions()}
    whole = [each for each in registry.extensions() if {*each.uses} <= known]
    named = [name for each in whole for name in names_of(each)]
    assert len(named) >= len(whole)
    for name in named:
        assert registry.loaded(name) is not None
    for name, file in registry.added().commands.items():
        assert main.get_command(None, name) is registry.loaded(file)
    assert set(registry.added().commands) <= set(main.list_commands(None))


def test_an_extension_uses_others_only_as_it_says_and_in_no_circle() -> None:
    known = {each.name: each for each in registry.extensions()}
    for name, each in known.items():
        texts = [path.read_text(encoding="utf-8") for path in (FOLDER / name).rglob("*.py")]
        used = {other for other in known if any(f"dpbandits.extensions.{other}" in text for text in texts)} - {name}
        assert used <= set(each.uses), f"{name} imports {sorted(used - set(each.uses))}"
        assert not any(name in known[other].uses for other in used), name


def test_another_distribution_adds_an_extension(installed: list[SimpleNamespace]) -> None:
    installed.append(point(TOY))
    assert TOY in registry.extensions()
    assert registry.added().commands["greet"] == "toy.command:greet"
    assert registry.foreign_versions() == ["toy elsewhere 1.0"]


def test_two_extensions_of_one_name_or_one_command_are_refused(installed: list[SimpleNamespace]) -> None:
    installed += [point(TOY), point(replace(TOY, commands={}))]
    with pytest.raises(ValueError, match=r"two extensions have the same name: .*toy, toy"):
        registry.extensions()
    installed[1] = point(replace(TOY, name="toys"))
    with pytest.raises(
        ValueError, match="extension toys: the names greet of its commands are already used by another extension"
    ):
        registry.added()
    registry.extensions.cache_clear()
    kernel = registry.Kernel(*["toy.kernel:x"] * len(fields(registry.Kernel)))
    installed[:] = [point(Extension("toy", kernel=kernel)), point(Extension("toys", kernel=kernel))]
    with pytest.raises(ValueError, match="registers a way to run Rocq's kernel, but another extension already does"):
        registry.added()


def test_a_name_that_is_not_there_says_so() -> None:
    with pytest.raises(ImportError, match=r"registry:nothing does not exist: .* has no nothing"):
        registry.loaded("dpbandits.registry:nothing")


def test_a_missing_extension_says_what_to_restore() -> None:
    told = "the extension nowhere is not installed; restore the folder extensions/nowhere"
    for module in ("dpbandits.extensions.nowhere", "dpbandits.extensions.nowhere.deeper"):
        with pytest.raises(ModuleNotFoundError, match=told) as caught:
            __import__(module)
        assert registry.names_extension(caught.value)
    with pytest.raises(ModuleNotFoundError) as caught:
        __import__("nowhere_at_all")
    assert not registry.names_extension(caught.value)


def test_a_module_that_an_extension_does_not_have_is_an_ordinary_error() -> None:
    if not registry.extensions():
        pytest.skip("no extension is here")
    name = registry.extensions()[0].name
    with pytest.raises(ModuleNotFoundError, match="No module named"):
        __import__(f"dpbandits.extensions.{name}.nowhere")


def test_the_registry_needs_the_standard_library_alone(tmp_path: Path) -> None:
    """And finds all extensions without loading what they add."""
    script = (
        "import sys; from dpbandits import registry; registry.extensions(); "
        "ours = {name for name in sys.modules if name.startswith('dpbandits.')}; "
        "print(sorted({'click', 'numpy', 'scipy'} & set(sys.modules)), "
        "sorted(name for name in ours if name.count('.') > 2 and not name.endswith('.registration')))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] []"
