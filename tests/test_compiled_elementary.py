"""The compiled loops of exp, expm1 and log return the same bits as the functions in numpy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from dpbandits.proofs_checks import compiled_elementary
from dpbandits.proofs_checks.compiled_elementary import use_compiled_loops, use_compiled_loops_if_loaded
from dpbandits.reference.arithmetic import elementary as el

pytest.importorskip("numba")
FUNCTIONS = ("exp", "expm1", "log")
ENDS = (708.0, 760.0, 711.0, 60.0, 2.0**-1022, float(np.finfo(np.float64).max), 0.75, 1.5, 1.0, 5e-324)
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan)


@pytest.fixture(autouse=True)
def loops(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The compiled loops, which tests switch on by `el.LOOPS.update`."""
    use_compiled_loops()
    compiled = dict(el.LOOPS)
    monkeypatch.setattr(el, "LOOPS", {})
    return compiled


def numbers() -> Iterator[np.ndarray[Any, Any]]:
    draws = np.random.Generator(np.random.Philox(7))
    for scale in (1e-300, 1e-17, 1e-9, 1e-3, 1.0, 30.0, 300.0):
        yield draws.normal(size=4097) * scale
    yield draws.uniform(-708, 708, 20_000)
    yield draws.integers(2**52, 0x7FF0000000000000, 20_000).view(np.float64)  # all positive normal numbers
    yield 1 + draws.normal(size=5000) * 1e-12
    yield np.arange(1, 4098) / 2048
    for end in (*ENDS, *(-each for each in ENDS)):
        yield np.full(12, end)
        yield np.full(12, np.nextafter(end, np.inf))
        yield np.full(12, np.nextafter(end, -np.inf))
    for value in SPECIAL:
        yield np.append(np.full(20, 0.5), value)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore")
def test_every_bit_is_the_same(name: str, loops: dict[str, Any]) -> None:
    function = getattr(el, name)
    every = [np.abs(each) if name == "log" and k < 8 else each for k, each in enumerate(numbers())]
    expected = [function(each) for each in every]
    el.LOOPS.update(loops)
    for values, due in zip(every, expected, strict=True):
        assert function(values).tobytes() == due.tobytes()
    assert sum(loops[name](values) is not None for values in every) > 20  # the loop itself was compared


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arrays_of_any_form(name: str, loops: dict[str, Any]) -> None:
    function, square = getattr(el, name), np.arange(1.0, 401.0).reshape(20, 20) / 7
    fixed = square.copy()
    fixed.flags.writeable = False
    every = [square, square.T, square[::3, ::-2], fixed, np.broadcast_to(square[0], (5, 20)), square[:0], square[0, :1]]
    every += [np.arange(1, 20), np.asfortranarray(square)]
    expected = [function(each) for each in every]
    before = square.copy()
    el.LOOPS.update(loops)
    for values, due in zip(every, expected, strict=True):
        found = function(values)
        assert found.shape == due.shape
        assert found.dtype == due.dtype
        assert (found == due).all()
        assert found.flags.writeable
        assert not np.shares_memory(found, values)
    assert (square == before).all()


def test_numba_is_not_loaded_for_the_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(compiled_elementary, "use_compiled_loops", lambda: asked.append(True))
    monkeypatch.setitem(compiled_elementary.sys.modules, "numba", np)  # type: ignore[attr-defined]
    use_compiled_loops_if_loaded()
    assert asked == [True]
    monkeypatch.delitem(compiled_elementary.sys.modules, "numba")  # type: ignore[attr-defined]
    use_compiled_loops_if_loaded()
    assert asked == [True]
