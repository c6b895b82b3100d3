"""What numba would compile, run as plain Python: a kernel has to be right wherever numba is installed or not.

In the place of numba stands a module whose decorators leave functions as they are. The tables of the ziggurat, which
numba brings along, are made anew by the recipe of Marsaglia and Tsang (2000).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import exp, inf, log, sqrt
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from dpbandits import Bernoulli, Noise, Pulls, Seeded, play
from dpbandits.audit.play import compiled, kernels
from dpbandits.audit.play.compiled import Disagreement, NotCompiled, Noted, begun, compare, demand, next_arm
from dpbandits.reference.papers.ou24 import ThompsonSampling
from dpbandits.reference.papers.ou24.algorithms import State

ARMS = Bernoulli((0.75, 0.5, 0.25))
END = 3.6541528853610088  # where the ziggurat ends and the tail begins


def tables() -> SimpleNamespace:
    """256 layers of equal area under exp(-x^2/2), the lowest of them with the tail; 52 bits for a place in a layer."""
    area = END * exp(-(END**2) / 2) + sqrt(2 * np.pi) * float(stats.norm.sf(END))
    ends = [END]
    while len(ends) < 255:
        ends.append(sqrt(-2 * log(area / ends[-1] + exp(-(ends[-1] ** 2) / 2))))
    ends = [0.0, *ends[::-1]]  # of the layers 1 to 255, at 0 the top
    base = area / exp(-(END**2) / 2)
    inside = [END / base, 0.0, *(ends[k - 1] / ends[k] for k in range(2, 256))]
    return SimpleNamespace(
        ki_double=[int(share * 2**52) for share in inside],
        wi_double=[each / 2**52 for each in (base, *ends[1:])],
        fi_double=[1.0, *(exp(-(each**2) / 2) for each in ends[1:])],
        ziggurat_nor_r=END,
        ziggurat_nor_inv_r=1 / END,
    )


class NumbaError(Exception):
    """What numba raises for what it cannot compile."""


def module(name: str, **parts: Any) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(parts)
    return made


def njit(function: Any = None, **_: Any) -> Any:
    return (lambda each: each) if function is None else function


def numbers(*given: Any) -> Any:
    return plain_numbers(*given)  # type: ignore[name-defined]  # noqa: F821  a name of the module that is tested


def put(*given: Any) -> Any:
    return plain_put(*given)  # type: ignore[name-defined]  # noqa: F821


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """numba's place is taken, and nothing that the real one has compiled is remembered."""
    codes = {each.__name__: each.__code__ for each in (numbers, put)}

    def overload(called: Any) -> Any:
        """Whoever calls the function gets what is made for its arguments."""

        def with_maker(make: Any) -> None:
            monkeypatch.setattr(kernels, f"plain_{called.__name__}", lambda *given: make(*given)(*given), raising=False)
            called.__code__ = codes[called.__name__]

        return with_maker

    random = module("numba.np.random", _constants=tables())
    for each in (
        module("numba", njit=njit, uint64=np.uint64),
        module("numba.extending", overload=overload),
        module("numba.core"),
        module("numba.core.errors", NumbaError=NumbaError),
        module("numba.np"),
        random,
    ):
        monkeypatch.setitem(sys.modules, each.__name__, each)
    remembered = (kernels.streams, kernels.of_each_array, kernels.kernel_of, kernels.compiled_function)
    for cached in remembered:
        cached.cache_clear()
    with np.errstate(over="ignore"):  # words of 64 bits
        yield
    for cached in remembered:
        cached.cache_clear()


def test_the_draws_are_those_of_numpy() -> None:
    """From the start of a stream: normal numbers, and then uniform ones."""
    started, normal, uniform = kernels.streams()
    noise = Seeded(1, 1)
    stream, generator = (
        started(noise.start("normal", "x", 3).generate_state(3, np.uint64)),
        noise.stream("normal", "x", 3),
    )
    for due in generator.standard_normal(1_500):
        found, stream = normal(stream)
        assert found == pytest.approx(due, rel=1e-11, abs=0)
    for due in generator.random(5):
        found, stream = uniform(stream)
        assert found == due


@pytest.mark.parametrize("step", [6945, 9415, 10495, 11299, 20439, 24014, 24831, 31090, 33681, 34759])
def test_in_the_tail_they_are_those_of_numpy_as_well(step: int) -> None:
    """First draws of streams that lie beyond the last layer; two of them not at the first attempt."""
    started, normal, _ = kernels.streams()
    noise = Seeded(2, 1)
    generator = noise.stream("normal", "x", step)
    due = generator.standard_normal(2)  # the second one is right where as many words were taken for the first
    found, stream = normal(started(noise.start("normal", "x", step).generate_state(3, np.uint64)))
    assert abs(found) > END
    assert [found, normal(stream)[0]] == pytest.approx(due, rel=1e-11, abs=0)


@dataclass(frozen=True)
class Drifting:
    """Means that fall with the step and rise with rewards, which count by a field's function; three numbers an arm."""

    arms: int
    horizon: int
    worth: Any = None

    def init(self, trials: int) -> Any:
        return State(np.zeros((trials, self.arms), dtype=np.int64), np.full((trials, self.arms), 0.25))

    def posterior(self, t: int, state: Any) -> Any:
        return state.total / (state.pulls + 1) - t / 64, 0.5 / (state.pulls + 1)

    def act(self, t: int, state: Any, noise: Noise) -> Pulls:
        mean, deviation = self.posterior(t, state)
        return Pulls.one((mean + deviation * noise.normal("theta", t, (self.arms,))).argmax(axis=1), self.arms)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Noise) -> Any:
        return State(state.pulls + pulls.counts, state.total + self.worth(sums) + pulls.counts * t / 256)


def half(sums: Any) -> Any:
    return sums / 2


@pytest.mark.parametrize("together", [256, 7])
@pytest.mark.parametrize("policy", [ThompsonSampling(3, 21), Drifting(3, 22, half)], ids=["page", "drifting"])
def test_the_runs_are_those_of_the_page(policy: Any, together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it takes several calls, and of more trials than are held against the page."""
    monkeypatch.setattr(compiled, "STEPS_PER_CALL", together)
    monkeypatch.setattr(compiled, "COMPARED_TRIALS", 2)
    noise = Seeded(7, 5, block=2)
    found, due = compiled.play_compiled(policy, ARMS, noise, 5), play(policy, ARMS, noise, 5, keep=False)
    for mine, theirs in zip(found, due, strict=True):
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        assert np.array_equal(mine, theirs)
    assert len(np.unique(found.pulls)) > 2


def test_the_page_s_own_first_state_is_not_written_into(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = State(np.zeros((4, 3), dtype=np.int64), np.zeros((4, 3)))

    class Keeps(ThompsonSampling):
        def init(self, trials: int) -> Any:
            return kept if trials == 4 else super().init(trials)

    compiled.play_compiled(Keeps(3, 5), ARMS, Seeded(0, 4), 4)
    assert not kept.pulls.any()
    assert not kept.total.any()


def test_a_value_that_is_no_number_is_the_largest() -> None:
    kernel = kernels.kernel_of(
        lambda own, t, state: ((np.nan, inf, -inf)[int(state.pulls)], 0.0), lambda own, t, state, *_: state, State
    )
    noise = Seeded(0, 1)
    starts = [compiled.stream_starts(noise, kind, "x", range(1, 2), ()) for kind in ("normal", "uniform")]
    for order, best in (((2, 1, 0), 2), ((0, 1, 2), 0), ((1, 0, 0), 1), ((2, 2, 1), 2), ((2, 1, 1), 1), ((2, 2, 2), 0)):
        state = State(np.array([order]), np.zeros((1, 3)))
        made, total, seen = np.zeros((1, 3), dtype=int), np.zeros((1, 3)), np.full((1, 1), -1)
        kernel(None, state, 1, *starts, np.ones(3), made, total, seen)
        assert made[0].tolist() == total[0].tolist() == [int(arm == best) for arm in range(3)]
        assert seen[0, 0] == best


class Late(ThompsonSampling):
    """Draws at other addresses than it should from step 10 on."""

    def act(self, t: int, state: Any, noise: Noise) -> Pulls:
        mean, deviation = self.posterior(t, state)
        drawn = noise.normal("theta", t if t < 10 else t + 1, (self.arms,))
        return Pulls.one((mean + deviation * drawn).argmax(axis=1), self.arms)


@pytest.mark.parametrize("steps", [4, 100])
def test_a_run_that_is_not_the_page_s_is_an_error(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the page has been played so far, or shows one step of a later call."""
    monkeypatch.setattr(compiled, "STEPS_PER_CALL", 6)
    monkeypatch.setattr(compiled, "COMPARED_STEPS", steps)
    even = Bernoulli((0.5, 0.5, 0.5))
    with pytest.raises(
        Disagreement, match=r"Late, compiled, pulls arm \d in step 1[39] of trial \d+, and the page arm \d"
    ):
        compiled.play_compiled(Late(3, 40), even, Seeded(0, 30), 30)
    monkeypatch.setattr(compiled, "STEPS_PER_CALL", 256)
    if steps == 100:
        with pytest.raises(Disagreement, match="in step 10 of trial"):
            compiled.play_compiled(Late(3, 12), even, Seeded(0, 30), 30)
    else:
        compiled.play_compiled(Late(3, 12), even, Seeded(0, 30), 30)  # longer than anybody looks


def test_the_first_trial_that_differs_is_told() -> None:
    page = [np.array([0, 1, 2]), np.array([0, 0, 0])]
    compare(ThompsonSampling(3, 9), 5, page, np.array([[0, 1, 2], [0, 0, 0], [9, 9, 9]]))  # no more than the page has
    with pytest.raises(Disagreement, match="pulls arm 2 in step 6 of trial 1, and the page arm 0:"):
        compare(ThompsonSampling(3, 9), 5, page, np.array([[0, 1, 2], [0, 2, 1]]))


def test_what_numba_does_not_understand_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise NumbaError(" what is this " + "?" * 900)

    monkeypatch.setattr(compiled, "kernel_of", lambda *_: refuse)
    with pytest.raises(NotCompiled, match=r"compile posterior or learn of ThompsonSampling: what is this \?{487}$"):
        compiled.play_compiled(ThompsonSampling(3, 5), ARMS, Seeded(0, 4), 4)


# -- the page's own part ---------------------------------------------------------------------------------------------


def test_the_page_shows_the_arms_of_so_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    policy, noise = ThompsonSampling(3, 9), Seeded(3, 6)
    released = play(policy, ARMS, noise, 6).released.argmax(axis=2)
    for steps in (1, 4, 9, 100):
        monkeypatch.setattr(compiled, "COMPARED_STEPS", steps)
        found = begun(policy, ARMS, noise)
        assert np.array_equal(found, released.T[:steps])
    assert next_arm(policy, 1, policy.init(6), noise).tolist() == released[:, 0].tolist()


@pytest.mark.parametrize("counts", [[[1, 1, 0]], [[0, 0, 0]], [[2, 0, 0]], [[-1, 2, 0]]])
def test_other_releases_than_one_pull_are_noted(counts: Any) -> None:
    noted = Noted(ARMS, 3)
    assert noted.arms == 3
    with pytest.raises(NotCompiled, match="step 4: the policy makes other releases than one pull"):
        noted.draw(4, np.zeros((1, 3), dtype=int), np.array(counts), None, Seeded(0, 1))
    with pytest.raises(NotCompiled, match="step 4"):
        noted.draw(4, np.zeros((1, 3), dtype=int), np.array([[0, 1, 0]]), 0.5, Seeded(0, 1))
    assert noted.arms_pulled == []


class Plain:
    """Has all methods, and no fields that could be compiled."""

    arms, horizon = 3, 9
    init = posterior = learn = None


def test_what_the_kernel_is_made_for() -> None:
    policy, noise = ThompsonSampling(3, 9), Seeded(0, 4)
    demand(policy, ARMS, noise, 4)
    answering = type("Answering", (ThompsonSampling,), {"answers": True})(3, 9)
    for odd in (Plain(), answering):
        with pytest.raises(NotCompiled, match="is no policy of normal samples"):
            demand(odd, ARMS, noise, 4)
    for trials in (0, 3):
        with pytest.raises(NotCompiled, match="of as many trials as the run has, at least one"):
            demand(policy, ARMS, replace(noise, trials=4 * (trials > 0)), trials)
    demand(policy, ARMS, replace(noise, trials=1), 1)
