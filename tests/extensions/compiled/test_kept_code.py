"""Compiled code that is kept is found again, and never by a page that has changed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from dpbandits import Bernoulli, Seeded, play
from dpbandits.extensions.compiled import compiled, rounds_in_numba
from dpbandits.extensions.thompson import attack, best_coins, grids, pull_levels, ratios
from dpbandits.proofs_checks import compiled_cache
from dpbandits.proofs_checks.compiled_cache import UnnamedCode, cached_kernel, value_fingerprint
from dpbandits.reference.papers.ou24 import ThompsonSampling
from dpbandits.reference.papers.ou24.algorithms import State


def named(text: str, **world: object) -> tuple[str, ...]:
    """What the function f of a text means, where these are its globals."""
    names = dict(world)
    exec(text, names)
    return tuple(value_fingerprint(names["f"], set()))


def helped(number: float) -> ModuleType:
    module = ModuleType("helper")
    exec(f"def g(x): return x + {number}", vars(module))
    return module


ONE = named("def f(x): return x * 2")


@pytest.mark.parametrize(
    "text",
    ["def f(x): return x * 3", "def f(x): return x / 2", "def f(x, y=2): return x * y", "def f(x): return 2 * x"],
)
def test_another_text_has_another_name(text: str) -> None:
    assert named(text) != ONE == named("def f(x): return x * 2  # a comment")


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ("def f(x): return x * g", {"g": 2}, {"g": 2.0}),
        ("def f(x): return g[0]", {"g": np.arange(2)}, {"g": np.array([0, 2])}),
        ("def f(x): return (lambda y: y + g)(x)", {"g": 1}, {"g": 2}),
        ("def f(x): return g.g(x)", {"g": helped(1)}, {"g": helped(2)}),
        ("def g(x): return x * h\ndef f(x): return g(x)", {"h": 1}, {"h": 2}),
        ("def f(x, y=g): return x", {"g": 1}, {"g": 2}),
        ("def f(x, y=g): return x[y]", {"g": slice(None)}, {"g": slice(None, 2)}),
        ("def f(x, *, y=g): return x", {"g": 1}, {"g": 2}),
        ("def made(y):\n def f(x): return x + y\n return f\nf = made(g)", {"g": 1}, {"g": 2}),
    ],
)
def test_what_it_names_counts(text: str, one: dict[str, object], other: dict[str, object]) -> None:
    assert named(text, **one) == named(text, **one)
    assert named(text, **one) != named(text, **other)


@pytest.mark.parametrize("odd", [object(), {}, int, compiled_cache, len])
def test_what_cannot_be_hashed_is_not_kept(odd: object) -> None:
    with pytest.raises(UnnamedCode):
        tuple(value_fingerprint((odd,), set()))
    compiled_cache.cache_compiled(given := type("Compiled", (), {}), (odd,))
    assert not hasattr(given, "_cache")


def test_a_function_that_calls_itself_has_a_name() -> None:
    assert named("def f(x): return f(x - 1)")
    assert named("def f(x): return g(x)", g=State) != named("def f(x): return g(x)", g=rounds_in_numba.Pulls)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (attack, "spread_kernel"),
        (best_coins, "rows_kernel"),
        (grids, "stored_ratios_kernel"),
        (pull_levels, "shifted_rows_kernel"),
        (ratios, "wait_kernel"),
    ],
)
def test_kernels_of_the_game_are_kept(module: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "cached_kernel", lambda types: lambda function: function)
    assert tuple(value_fingerprint(getattr(module, name).__wrapped__(), set()))


def test_a_kernel_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba", reason="this Python has no numba yet")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def one_more(values):  # type: ignore[no-untyped-def]
        values[0] += 1

    def two_more(values):  # type: ignore[no-untyped-def]
        values[0] += 2

    def made(function: Callable[..., None], types: str) -> tuple[int, list[float]]:
        kernel, values = cached_kernel(types)(function), np.ones(2)
        kernel(values)
        return sum(kernel._cache_hits.values()), values.tolist()

    assert made(one_more, "void(float64[:])") == made(one_more, "void(float64[::1])") == (0, [2, 1])
    assert made(two_more, "void(float64[:])") == (0, [3, 1])
    assert made(one_more, "void(float64[:])") == (1, [2, 1])
    assert made(two_more, "void(float64[:])") == (1, [3, 1])  # the second one in the same folder
    monkeypatch.setitem(sys.modules, "numba", None)
    assert cached_kernel("void(float64[:])")(one_more) is None


@pytest.mark.thorough
def test_it_is_found_again_and_spoilt_code_is_made_anew(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba", reason="this Python has no numba yet")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    noise, arms = Seeded(0, 5), Bernoulli((0.5, 0.25))
    due = play(ThompsonSampling(2, 30), arms, noise, 5, keep=False)

    loaded, load = [], compiled_cache.CompiledCache.load_overload
    monkeypatch.setattr(
        compiled_cache.CompiledCache, "load_overload", lambda *given: (loaded.append(load(*given)), loaded[-1])[1]
    )

    def hits() -> int:
        rounds_in_numba.rounds_of.cache_clear()
        loaded.clear()
        found = compiled.play_compiled(ThompsonSampling(2, 30), arms, noise, 5)
        assert all(map(np.array_equal, found, due))
        return sum(each is not None for each in loaded)

    assert [hits(), hits()] == [0, 1]
    (file,) = (tmp_path / "dpbandits" / "compiled").iterdir()
    whole = file.read_bytes()
    for spoilt in (b"", whole[:-100], whole[:50_000] + b"?" + whole[50_001:]):
        file.write_bytes(spoilt)
        assert hits() == 0
        assert hits() == 1
    monkeypatch.setattr(compiled_cache, "code_versions", lambda: ["others"])
    assert hits() == 0
    tmp_path.joinpath("file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))  # where nothing can be kept
    assert hits() == 0
