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

from dpbandits import Bernoulli, Noise, Pulls, Seeded, Stream, Table, play
from dpbandits.audit.play import compiled, kernels, scalar_text, worlds
from dpbandits.audit.play.compiled import Disagreement, NotCompiled, demand
from dpbandits.audit.play.many import Many
from dpbandits.audit.play.runs import columns
from dpbandits.reference.bandits.environments import TruncatedExponential
from dpbandits.reference.bandits.heavy_tails import Pareto, TwoPoint
from dpbandits.reference.papers.hu22 import LazyDPTS
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.ou24 import ThompsonSampling
from dpbandits.reference.papers.ou24.algorithms import ModifiedThompsonSampling, State, letter

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


def known(*given: Any) -> Any:
    return plain_known(*given)  # type: ignore[name-defined]  # noqa: F821


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """numba's place is taken, and nothing that the real one has compiled is remembered."""
    codes = {each.__name__: each.__code__ for each in (numbers, put, known)}

    def overload(called: Any) -> Any:
        """Whoever calls the function gets what is made for its arguments."""

        def with_maker(make: Any) -> None:
            monkeypatch.setattr(kernels, f"plain_{called.__name__}", lambda *given: make(*given)(*given), raising=False)
            called.__code__ = codes[called.__name__]

        return with_maker

    random = module("numba.np.random", _constants=tables())
    for each in (
        module("numba", njit=njit, uint64=np.uint64, types=SimpleNamespace(Optional=(), NamedTuple=0, NamedUniTuple=0)),
        module("numba.extending", overload=overload, overload_method=lambda *_, **__: lambda method: method),
        module("numba.typed"),
        module("numba.typed.typedobjectutils", _nonoptional=None),
        module("numba.np"),
        random,
    ):
        monkeypatch.setitem(sys.modules, each.__name__, each)
    remembered = (
        *(kernels.streams, kernels.of_each_array, kernels.present, kernels.kernel_of),
        *(scalar_text.compiled_text, scalar_text.numpy_of_numbers, scalar_text.kind_of),
    )
    monkeypatch.setattr(scalar_text, "OFFERED", {})
    # The tables of the ziggurat are off by some units of the last place, and so is what is made of samples.
    monkeypatch.setattr(compiled, "same_numbers", lambda due, found: np.allclose(due, found, rtol=1e-10, atol=0))
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


def side_by_side(*policies: Any) -> Any:
    """Policies of one kind as one, for six trials."""
    return columns(policies, np.arange(6) * len(policies) // 6)


def same_runs(policy: Any, environment: Any, trials: int, keep: bool) -> Any:
    """The compiled runs, which are the page's."""
    noise = Seeded(7, trials, block=2)
    found = compiled.play_compiled(policy, environment, noise, trials, keep)
    for mine, theirs in zip(found, play(policy, environment, noise, trials, keep), strict=True):
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        assert np.array_equal(mine, theirs)
    return found


@pytest.mark.parametrize("together", [256, 7])
@pytest.mark.parametrize(
    "policy",
    [
        ThompsonSampling(3, 21),
        Drifting(3, 22, half),
        letter(arms=3, horizon=22, prepulls=2, variance=0.5),
        DPTSUCB(3, 24, 1.0),
        DPTSUCB(3, 24, 0.5, floor=-inf),
        side_by_side(DPTSUCB(3, 20, 1.0), DPTSUCB(3, 20, 0.5)),
        side_by_side(*(ModifiedThompsonSampling(3, 20, b, c) for b, c in ((0, 1.0), (1, 2.0), (5, 0.5)))),
    ],
)
def test_the_runs_are_those_of_the_page(policy: Any, together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it takes several calls, and of more trials than are held against the page."""
    monkeypatch.setattr(compiled, "STEPS_PER_CALL", together)
    monkeypatch.setattr(compiled, "COMPARED_STEPS", 5)
    monkeypatch.setattr(compiled, "COMPARED_TRIALS", 2)
    found = same_runs(policy, ARMS, 6, together == 7)
    assert len(np.unique(found.pulls)) > 2


REWARDS = np.random.default_rng(5).random((3, 20))


@pytest.mark.parametrize(
    "environment",
    [
        TruncatedExponential((0.1, 2.0, 5.0)),
        TwoPoint((1.0, 4.0, 2.0), (0.5, 0.2, 0.3)),
        Table(REWARDS),
        Stream(REWARDS),
        Table(REWARDS[:, :3], [3, 9, 8]),
        Stream(REWARDS[:, :3], [3, 9, 8]),
        Many("pull", np.stack([REWARDS, REWARDS[::-1]]), np.array([0, 1, 1, 0, 1])),
        Many("round", np.stack([REWARDS, REWARDS[::-1]]), np.array([0, 1, 1, 0, 1])),
    ],
)
def test_rewards_are_those_of_the_environment(environment: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "COMPARED_TRIALS", 2)
    same_runs(ThompsonSampling(3, 20), environment, 5, True)


def test_the_page_s_own_first_state_is_not_written_into(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = State(np.zeros((4, 3), dtype=np.int64), np.zeros((4, 3)))

    class Keeps(ThompsonSampling):
        def init(self, trials: int) -> Any:
            return kept if trials == 4 else super().init(trials)

    compiled.play_compiled(Keeps(3, 5), ARMS, Seeded(0, 4), 4)
    assert not kept.pulls.any()
    assert not kept.total.any()


def test_a_value_that_is_no_number_is_the_largest() -> None:
    own = scalar_text.Own(ThompsonSampling(3, 9), (), 1)

    def posterior(own: Any, t: int, state: Any) -> Any:
        return (np.nan, inf, -inf)[int(state.pulls)], 0.0

    def learnt(own: Any, t: int, state: Any, *_: Any) -> Any:
        return state

    coin = worlds.paying("coin")
    kernel = kernels.kernel_of(kernels.Text(own.kind, State, posterior, *(None,) * 3, learnt, True, coin, True))
    noise = Seeded(0, 1)
    starts = [compiled.stream_starts(noise, kind, "x", range(1, 2), ()) for kind in ("normal", "uniform")]
    for order, best in (((2, 1, 0), 2), ((0, 1, 2), 0), ((1, 0, 0), 1), ((2, 2, 1), 2), ((2, 1, 1), 1), ((2, 2, 2), 0)):
        state = (np.array([order]), np.zeros((1, 3)))
        made, total, seen = np.zeros((1, 3), dtype=int), np.zeros((1, 3)), np.full((1, 1), -1)
        kernel(own.values, state, 1, *starts, (np.ones(3),), np.ones(1, dtype=int), made, total, seen)
        assert made[0].tolist() == total[0].tolist() == [int(arm == best) for arm in range(3)]
        assert seen[0, 0] == best


class Late(ThompsonSampling):
    """Draws at other addresses than it should from step 10 on."""

    def act(self, t: int, state: Any, noise: Noise) -> Pulls:
        mean, deviation = self.posterior(t, state)
        drawn = noise.normal("theta", t if t < 10 else t + 1, (self.arms,))
        return Pulls.one((mean + deviation * drawn).argmax(axis=1), self.arms)


@pytest.mark.parametrize(("steps", "where"), [(4, 11), (100, 10)])
def test_a_run_that_is_not_the_page_s_is_an_error(steps: int, where: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the page plays all steps of the first call, or shows one of a later call."""
    monkeypatch.setattr(compiled, "STEPS_PER_CALL", 6)
    monkeypatch.setattr(compiled, "COMPARED_STEPS", steps)
    even = Bernoulli((0.5, 0.5, 0.5))
    with pytest.raises(
        Disagreement, match=rf"Late, compiled, pulls arm \d in step {where} of trial \d+, and the page arm \d"
    ):
        compiled.play_compiled(Late(3, 40), even, Seeded(0, 30), 30)
    if steps == 4:
        compiled.play_compiled(Late(3, 10), even, Seeded(0, 30), 30)  # longer than anybody looks


class Forgetful(ThompsonSampling):
    """Plays as it should, and its sums are others than the kernel's: in learn numpy's arrays are told from numbers."""

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Noise) -> Any:
        return State(state.pulls + pulls.counts, state.total + sums * (1 if np.ndim(sums) else 1 + 1e-9))


def test_what_was_learnt_is_held_against_the_page_as_well() -> None:
    with pytest.raises(Disagreement, match="Forgetful, compiled, has learnt something else than the page by step 8"):
        compiled.play_compiled(Forgetful(3, 8), ARMS, Seeded(0, 5), 5)


def test_what_numba_does_not_understand_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise NumbaError(" what is this " + "?" * 900)

    monkeypatch.setattr(compiled, "kernel_of", lambda *_: refuse)
    with pytest.raises(NotCompiled, match=r"compile posterior or learn of ThompsonSampling: what is this \?{487}$"):
        compiled.play_compiled(ThompsonSampling(3, 5), ARMS, Seeded(0, 4), 4)


# -- what is refused -------------------------------------------------------------------------------------------------


class Odd(ThompsonSampling):
    """Pulls, and draws, as it is told."""

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        counts, bound, kind, shape = ODD[self.horizon]
        getattr(noise, kind)("theta", t, shape)
        return Pulls(np.array([counts] * len(state.pulls)), bound)


ODD: dict[int, Any] = {
    1: ([1, 1, 0], None, "normal", (3,)),
    2: ([0, 0, 0], None, "normal", (3,)),
    3: ([2, -1, 0], None, "normal", (3,)),
    4: ([0, 1, 0], 0.5, "normal", (3,)),
    5: ([0, 1, 0], None, "normal", (2,)),
    6: ([0, 1, 0], None, "laplace", (3,)),
}


@pytest.mark.parametrize(
    ("row", "why"),
    [*((row, "step 1: the policy makes other releases than one pull") for row in (1, 2, 3, 4)),
     (5, "compiled is one normal sample of each arm"), (6, "act draws laplace numbers")],
)  # fmt: skip
def test_other_releases_and_other_draws_are_told(row: int, why: str) -> None:
    with pytest.raises(NotCompiled, match=why):
        compiled.play_compiled(Odd(3, row), ARMS, Seeded(0, 4), 4)


def test_environments_that_are_refused() -> None:
    policy, noise = ThompsonSampling(3, 9), Seeded(0, 4)
    for environment, why in (
        (Table(np.zeros((3, 8))), "8 rewards an arm, and a horizon of 9"),
        (Pareto(1.5, (1.0, 1.0, 2.0)), "rewards of Pareto are not compiled: its powers are made for arrays"),
        (Noisy(), "rewards of Noisy are not compiled: no such environment is known"),
    ):
        with pytest.raises(NotCompiled, match=why):
            demand(policy, environment, noise, 4)


class Noisy:
    arms = 3


class Plain:
    """Has all methods, and no fields that could be compiled."""

    arms, horizon = 3, 9
    init = posterior = learn = None


def test_what_the_kernel_is_made_for() -> None:
    policy, noise = ThompsonSampling(3, 9), Seeded(0, 4)
    demand(policy, ARMS, noise, 4)
    with pytest.raises(NotCompiled, match=r"posterior of LazyDPTS is about \(t, state, mean\); compiled is one of"):
        demand(LazyDPTS(3, 9), ARMS, noise, 4)
    answering = type("Answering", (ThompsonSampling,), {"answers": True})(3, 9)
    for odd in (Plain(), answering):
        with pytest.raises(NotCompiled, match="is no policy of normal samples"):
            demand(odd, ARMS, noise, 4)
    for trials in (0, 3):
        with pytest.raises(NotCompiled, match="of as many trials as the run has, at least one"):
            demand(policy, ARMS, replace(noise, trials=4 * (trials > 0)), trials)
    demand(policy, ARMS, replace(noise, trials=1), 1)
