"""What numba would compile, run as plain Python: a kernel has to be right wherever numba is installed or not.

In the place of numba stands a module whose decorators leave functions as they are. The tables of the ziggurat, which
numba brings along, are made anew by the recipe of Marsaglia and Tsang (2000).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial, partialmethod
from math import exp, inf, log, sqrt
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaincinv

from dpbandits import Bernoulli, Noise, Pulls, Seeded, Stream, Table, play
from dpbandits.audit.play.fastest import play_fastest, play_to_end
from dpbandits.audit.play.many import TableBatch
from dpbandits.audit.play.runs import joint_policy
from dpbandits.audit.privacy.black_box import PolicyWithoutLaw
from dpbandits.audit.privacy.search.players import Noted
from dpbandits.extensions.compiled import betas_in_numba, compiled, kernels, rounds_in_numba, scalar_text, worlds
from dpbandits.extensions.compiled.compiled import (
    Disagreement,
    NotCompiled,
    compiled_steps,
    demand_agreement,
    page_step,
)
from dpbandits.extensions.compiled.registration import NUMBA
from dpbandits.extensions.compiled.streams_in_numba import laplace_numbers, streams
from dpbandits.reference.bandits.environments import TruncatedExponential
from dpbandits.reference.bandits.heavy_tails import Pareto, TwoPoint
from dpbandits.reference.bandits.play import Batch
from dpbandits.reference.papers.hu22 import LazyDPTS
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.ou24 import ModifiedThompsonSampling, ThompsonSampling
from dpbandits.reference.papers.ou24.algorithms import State, letter

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
            monkeypatch.setattr(
                rounds_in_numba, f"plain_{called.__name__}", lambda *given: make(*given)(*given), raising=False
            )
            called.__code__ = codes[called.__name__]

        return with_maker

    random = module("numba.np.random", _constants=tables())
    for each in (
        module("numba", njit=njit, uint64=np.uint64, types=SimpleNamespace(Optional=(), BaseNamedTuple=0)),
        module("numba.extending", overload=overload, overload_method=lambda *_, **__: lambda method: method),
        module("numba.core"),
        module("numba.core.registry", cpu_target=SimpleNamespace(typing_context=SimpleNamespace(refresh=int))),
        module("numba.typed"),
        module("numba.typed.typedobjectutils", _nonoptional=None),
        module("numba.np"),
        random,
    ):
        monkeypatch.setitem(sys.modules, each.__name__, each)
    remembered = (
        *(streams, rounds_in_numba.of_each_array, rounds_in_numba.present, rounds_in_numba.rounds_of),
        *(scalar_text.compiled_text, scalar_text.numpy_of_numbers, scalar_text.kind_of),
        *(scalar_text.vocabulary_of_numbers, rounds_in_numba.beginning, laplace_numbers),
        *(betas_in_numba.beta_rounds, betas_in_numba.largest_in_numba),
    )
    monkeypatch.setattr(scalar_text, "OFFERED", {})
    monkeypatch.setattr(compiled, "PLAYED_AHEAD", set())
    for each in (rounds_in_numba, betas_in_numba):
        monkeypatch.setattr(each, "cache_compiled", lambda *_: None)
    monkeypatch.setattr(betas_in_numba, "beta_quantile", lambda: betaincinv)
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
    started, normal, uniform = streams()
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
    started, normal, _ = streams()
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


class Later(ThompsonSampling):
    """Asks what the state alone says, and adds the step to it."""

    def posterior(self, t: int, state: Any) -> Any:
        mean, deviation = self.believed(state)
        return mean + state.pulls * t / 64, deviation / 2


class Forgetful(ThompsonSampling):
    """Forgets in some steps, of all arms."""

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Noise) -> Any:
        return State(state.pulls + pulls.counts, (0.5 if t % 5 == 3 else 1.0) * state.total + sums)


class Moved(ThompsonSampling):
    """Asks what the state says, of another state."""

    def posterior(self, t: int, state: Any) -> Any:
        if t > 5:
            state = state._replace(pulls=state.pulls + 1)
        return self.believed(state)


def test_means_are_kept_where_the_text_says_nothing_but_what_is_believed() -> None:
    kept = (ThompsonSampling, ModifiedThompsonSampling, Forgetful)
    assert [kernels.has_believed_posterior(each.posterior) for each in kept] == [True] * 3
    assert [kernels.has_believed_posterior(each.posterior) for each in (Later, Moved, Drifting, DPTSUCB)] == [False] * 4
    assert not kernels.has_believed_posterior(
        eval("lambda self, t, state: self.believed(state)")
    )  # a text that nobody finds


def half(sums: Any) -> Any:
    return sums / 2


def side_by_side(*policies: Any) -> Any:
    """Policies of one kind as one, for six trials."""
    return joint_policy(policies, np.arange(6) * len(policies) // 6)


def same_runs(policy: Any, environment: Any, trials: int, keep: bool, together: int = 1024) -> Any:
    """The compiled runs, which are the page's."""
    noise = Seeded(7, trials, block=2)
    batch, kernel = Batch(policy, environment, noise, trials, keep), kernels.kernel_of(policy, environment, noise)
    found, due = (
        play_to_end(batch, compiled_steps(kernel, policy, together)),
        play(policy, environment, noise, trials, keep),
    )
    for mine, theirs in zip(found, due, strict=True):
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        assert np.array_equal(mine, theirs)
    return found


@pytest.mark.parametrize("together", [256, 7])
@pytest.mark.parametrize(
    "policy",
    [
        PolicyWithoutLaw(ThompsonSampling(3, 21)),
        ThompsonSampling(3, 21),
        Later(3, 21),
        Forgetful(3, 21),
        Drifting(3, 22, half),
        Noted(letter(arms=3, horizon=22, prepulls=2, variance=0.5)),
        DPTSUCB(3, 24, 1.0),
        DPTSUCB(3, 24, 0.5, floor=-inf),
        side_by_side(DPTSUCB(3, 20, 1.0), DPTSUCB(3, 20, 0.5)),
        LazyDPTS(3, 60, 4.0),
        side_by_side(LazyDPTS(3, 40, 4.0), LazyDPTS(3, 40, 0.5)),
        side_by_side(*(ModifiedThompsonSampling(3, 20, b, c) for b, c in ((0, 1.0), (1, 2.0), (5, 0.5)))),
    ],
)
def test_the_runs_are_those_of_the_page(policy: Any, together: int) -> None:
    """Also where it takes several calls, prepulls, and where some runs end earlier."""
    found = same_runs(policy, ARMS, 6, together == 7, together)
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
        TableBatch("pull", np.stack([REWARDS, REWARDS[::-1]]), np.array([0, 1, 1, 0, 1])),
        TableBatch("round", np.stack([REWARDS, REWARDS[::-1]]), np.array([0, 1, 1, 0, 1])),
    ],
)
def test_rewards_are_those_of_the_environment(environment: Any) -> None:
    same_runs(ThompsonSampling(3, 20), environment, 5, True)


def test_the_page_s_own_first_state_is_not_written_into() -> None:
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

    coin = worlds.reward_function("coin")

    def none(own: Any, t: int, state: Any) -> Any:
        return False

    text = rounds_in_numba.Text(own.kind, State, posterior, *[None] * 5, learnt, True, coin, True)
    rounds = rounds_in_numba.rounds_of(text)
    saying = rounds_in_numba.rounds_of(
        text._replace(fresh=none, always=False)
    )  # knows numbers alone, and infinity of one sign
    noise = Seeded(0, 1)
    starts = [kernels.stream_starts(noise, kind, "x", 1, (), 1) for kind in ("normal", "uniform")]
    for order, best in (((2, 1, 0), 2), ((0, 1, 2), 0), ((1, 0, 0), 1), ((2, 2, 1), 2), ((2, 1, 1), 1), ((2, 2, 2), 0)):
        state = (np.array([order]), np.zeros((1, 3)))
        made, total, seen, left = np.zeros((1, 3), dtype=int), np.zeros((1, 3)), np.full((1, 1), -1), np.array([2])
        rounds(own.values, state, 1, *starts, (np.ones(3),), left, made, total, seen)
        assert made[0].tolist() == total[0].tolist() == [int(arm == best) for arm in range(3)]
        assert (seen[0, 0], left[0]) == (best, 1)
        other, numbers = np.zeros((1, 3), dtype=int), 0 not in order and len({1, 2} & set(order)) == 1
        assert saying(own.values, state, 1, *starts, (np.ones(3),), left, other, total, seen) == numbers
        assert not numbers or other[0, best] == 1


class Quiet(DPTSUCB):
    """Says of no sample that it is drawn, and draws it."""

    def fresh(self, t: int, state: Any) -> Any:
        return state.left < -1

    def posterior(self, t: int, state: Any) -> Any:
        drawn = state.left >= 1
        return None if t <= 3 else (np.where(drawn, state.mean, 0.0), np.where(drawn, 1.0, 0.0))


def test_a_sample_of_which_it_says_that_it_is_not_drawn_is_not_compiled() -> None:
    with pytest.raises(NotCompiled, match="in step 4 or later, a sample is not a number, or was drawn"):
        compiled.play_compiled(Quiet(3, 20, 0.5), ARMS, Seeded(0, 4), 4)


@dataclass(frozen=True)
class Late(ThompsonSampling):
    """Draws at other addresses than it should from a step on, or other draws than it says."""

    other: int = 10
    factor: float = 1.0

    def posterior(self, t: int, state: Any) -> Any:
        return self.believed(state)

    def believed(self, state: Any) -> Any:
        return state.total / (state.pulls + 1), np.sqrt(1 / (state.pulls + 1))

    def act(self, t: int, state: Any, noise: Noise) -> Pulls:
        mean, deviation = self.posterior(t, state)
        drawn = noise.normal("theta", t if t < self.other else t + 1, (self.arms,))
        return Pulls.one((mean + self.factor * deviation * drawn).argmax(axis=1), self.arms)


@pytest.mark.parametrize(
    ("other", "factor", "why"),
    [
        (25, 1.0, "step 25: Late draws noise at different addresses than"),
        (99, 0.5, r"compiled Late pulls arm \d in step 4 of trial \d+, but `act` pulls arm \d"),
        (5, 1.0, "step 5: Late draws noise at different addresses"),
    ],
)
def test_a_run_that_is_not_the_page_s_is_an_error(other: int, factor: float, why: str) -> None:
    """The first step of every call is played by the page as well, and by some trials of it the others."""
    policy = Late(3, 40, other=other, factor=factor)
    batch = Batch(policy, Bernoulli((0.5, 0.5, 0.5)), Seeded(0, 30), 30, False)
    steps = compiled_steps(kernels.kernel_of(policy, batch.environment, batch.noise), policy, 7)
    with pytest.raises(Disagreement, match=why):
        play_to_end(batch, steps)


# -- what the page does otherwise ------------------------------------------------------------------------------------


class Forced(Drifting):
    """Pulls an arm without samples now and then."""

    posterior, act_by_samples = Drifting.posterior, Drifting.act

    def act(self, t: int, state: Any, noise: Noise) -> Pulls:
        if t % 7 == 5:
            return Pulls.one(np.full(len(state.pulls), t % 3), self.arms)
        return self.act_by_samples(t, state, noise)


def test_a_step_of_another_kind_between_two_that_are_looked_at_is_the_page_s() -> None:
    same_runs(Forced(3, 41, half), ARMS, 6, True)
    assert {compiled.policy_key(Forced(3, 41, half))} == compiled.PLAYED_AHEAD


def otherwise(name: str, of: type, parts: tuple[str, ...], at: int) -> Any:
    """A class that says these parts like another one, whose `act` pulls, or `learn` learns otherwise at one step."""
    whole = getattr(of, name)

    def act(self: Any, t: int, state: Any, noise: Noise) -> Pulls:
        pulls = whole(self, t, state, noise)
        return Pulls(np.roll(pulls.counts, 1, axis=1)) if t == at else pulls

    def learn(self: Any, t: int, state: Any, pulls: Pulls, sums: Any, noise: Noise) -> Any:
        return whole(self, t, state, pulls, sums + (t == at) * pulls.counts, noise)

    made = {"act": act, "learn": learn}[name]
    return type("Otherwise", (of,), {name: made, **{each: vars(of)[each] for each in parts}})


@pytest.mark.parametrize(
    ("name", "of", "parts"),
    [
        ("act", Drifting, ("posterior",)),
        ("act", DPTSUCB, kernels.METHODS[:1] + kernels.METHODS[2:-1]),
        ("learn", DPTSUCB, kernels.METHODS[:1] + kernels.METHODS[2:-1]),
        ("act", LazyDPTS, kernels.BETA_METHODS),
        ("learn", LazyDPTS, kernels.BETA_METHODS),
    ],
)
def test_one_step_that_is_not_made_of_the_parts_is_seen(name: str, of: Any, parts: tuple[str, ...]) -> None:
    """Also where the page did not look at it in all trials; a younger class that says no more than this is not
    compiled, and neither is an object with a function of its own."""
    more = {"worth": half} if of is Drifting else {"alpha": 0.5} if of is DPTSUCB else {}
    for _ in range(2):  # an agreement alone is remembered
        with pytest.raises(Disagreement, match=r"compiled Otherwise (pulls|and its) .* in steps? \d+ "):
            compiled.play_compiled(otherwise(name, of, parts, 16)(3, 40, **more), ARMS, Seeded(0, 12), 12)
    with pytest.raises(NotCompiled, match=f"Otherwise overrides `{name}` but not `"):
        kernels.kernel_of(otherwise(name, of, (), 16)(3, 40, **more), ARMS, Seeded(0, 12))
    policy = of(3, 40, **more)
    vars(policy)[name] = getattr(policy, name)
    with pytest.raises(NotCompiled, match=f"{of.__name__} overrides `{name}` but not `"):
        kernels.kernel_of(policy, ARMS, Seeded(0, 12))
    policy = of(3, 40, **more)
    vars(policy)[parts[0]] = getattr(policy, parts[0])
    with pytest.raises(
        NotCompiled, match=f"class {of.__name__} has its own function `{parts[0]}` as an attribute; only"
    ):
        kernels.kernel_of(policy, ARMS, Seeded(0, 12))


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ({"act": property(lambda self: partial(ThompsonSampling.act, self))}, "Younger overrides `act` but not `"),
        ({"act": partialmethod(ThompsonSampling.act)}, "Younger overrides `act` but not `"),
        ({"__getattribute__": object.__getattribute__}, "Younger defines __getattr__ or __getattribute__"),
    ],
)
def test_a_younger_act_is_not_followed_whatever_it_is(named: dict[str, Any], why: str) -> None:
    younger = type("Younger", (ThompsonSampling,), named)
    with pytest.raises(NotCompiled, match=why):
        kernels.kernel_of(younger(3, 40), ARMS, Seeded(0, 12))


def test_a_class_that_gets_another_act_is_not_known_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a notebook, where a class is mended after it was played."""
    same_runs(Drifting(3, 40, half), ARMS, 12, False)
    monkeypatch.setattr(Drifting, "act", vars(otherwise("act", Drifting, (), 16))["act"])
    with pytest.raises(Disagreement, match=r"compiled Drifting pulls arm \d in steps? \d+ "):
        compiled.play_compiled(Drifting(3, 40, half), ARMS, Seeded(0, 12), 12)


class InSlots(NamedTuple):
    """A policy that is a tuple."""

    arms: int = 3
    horizon: int = 9
    worth: Any = half
    init, posterior, act, learn = Drifting.init, Drifting.posterior, Drifting.act, Drifting.learn


def test_what_a_policy_holds_tells_it_from_others() -> None:
    with pytest.raises(NotCompiled, match="InSlots has __slots__; to be compiled it must hold its numbers in fields"):
        kernels.kernel_of(InSlots(), ARMS, Seeded(0, 4))
    assert (
        compiled.policy_key(DPTSUCB(3, 9, 0.5))
        == compiled.policy_key(DPTSUCB(3, 9, 0.5))
        != compiled.policy_key(DPTSUCB(3, 9, 1.0))
    )
    one, other = (side_by_side(*(DPTSUCB(3, 20, alpha) for alpha in both)).joint for both in ((0, 1), (0, 0.5)))
    assert compiled.policy_key(one) == compiled.policy_key(one) != compiled.policy_key(other)
    assert compiled.policy_key(Drifting(3, 9, 1)) != compiled.policy_key(
        Drifting(3, 9, True)
    )  # other code, by its type
    assert compiled.policy_key(Drifting(3, 9, [1])) != compiled.policy_key(Drifting(3, 9, [1]))  # it may have changed


@pytest.mark.parametrize("part", ["total", "left", "state"])
def test_whatever_the_page_knows_otherwise_is_an_error(part: str) -> None:
    batch = Batch(ThompsonSampling(3, 9), ARMS, Seeded(0, 4), 4, False)
    page, drawn = page_step(batch)
    kernels.kernel_of(batch.policy, ARMS, batch.noise).play(batch, 1, drawn)
    demand_agreement(batch, page)
    if part == "state":
        batch.state = batch.state._replace(total=batch.state.total + 1)
    else:
        setattr(batch, part, getattr(batch, part) + 1)
    with pytest.raises(Disagreement, match=r"compiled ThompsonSampling and its Python methods differ in .* in step 1"):
        demand_agreement(batch, page)


def test_what_numba_does_not_understand_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise NumbaError(" what is this " + "?" * 900)

    monkeypatch.setattr(kernels, "rounds_of", lambda *_: refuse)
    with pytest.raises(NotCompiled, match=r"compile the functions of ThompsonSampling: what is this \?{487}$"):
        compiled.play_compiled(ThompsonSampling(3, 5), ARMS, Seeded(0, 4), 4)


# -- the choice --------------------------------------------------------------------------------------------------------


def test_numpy_plays_on_where_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is too short is not even asked about; a longer one is the same with and without."""
    asked = []

    def kernel_of(*given: Any) -> Any:
        asked.append(given)
        return kernels.kernel_of(*given)

    monkeypatch.setattr(compiled, "kernel_of", kernel_of)
    noise, due = Seeded(7, 5), play(ThompsonSampling(3, 20), ARMS, Seeded(7, 5), 5, keep=False)
    for least, times in ((10**9, 0), (0, 1)):
        players = [replace(NUMBA, worth=least)]
        found = play_fastest(ThompsonSampling(3, 20), ARMS, noise, 5, keep=False, players=players)
        assert all(map(np.array_equal, found, due))
        assert len(asked) == times
    monkeypatch.setattr(compiled, "OTHER_STEPS", 4)
    wild = Wild(3, 20)
    assert all(map(np.array_equal, play_fastest(wild, ARMS, noise, 5, players=players), play(wild, ARMS, noise, 5)))
    with pytest.raises(NotCompiled, match="step 9: Wild does not pull the arm with the largest sample"):
        compiled.play_compiled(wild, ARMS, noise, 5)


class Wild(Drifting):
    """Pulls every arm twice in every step."""

    posterior, learn = Drifting.posterior, ThompsonSampling.learn

    def act(self, t: int, state: Any, noise: Noise) -> Pulls:
        return Pulls(2 * super().act(t, state, noise).counts)


def test_environments_that_are_refused() -> None:
    policy, noise = ThompsonSampling(3, 9), Seeded(0, 4)
    for environment, why in (
        (Table(np.zeros((3, 8))), "have length 8 for each arm, less than the horizon 9"),
        (Pareto(1.5, (1.0, 1.0, 2.0)), "rewards of Pareto are not compiled: its powers are computed for arrays only"),
        (Noisy(), "rewards of Noisy are not compiled: no such environment is known"),
    ):
        with pytest.raises(NotCompiled, match=why):
            kernels.kernel_of(policy, environment, noise)


class Noisy:
    arms = 3


class Plain:
    """Has all methods, and no fields that could be compiled."""

    arms, horizon = 3, 9
    init = posterior = learn = None


def test_what_kernels_are_made_for() -> None:
    odd = type("Odd", (ThompsonSampling,), {"posterior": lambda self, t, state, mean: None})(3, 9)
    with pytest.raises(NotCompiled, match=r"Odd.posterior takes \(t, state, mean\); it must take"):
        kernels.kernel_of(odd, ARMS, Seeded(0, 4))
    answering = type("Answering", (ThompsonSampling,), {"answers": True})(3, 9)
    for odd in (Plain(), answering):
        with pytest.raises(NotCompiled, match="has neither `posterior` nor"):
            kernels.kernel_of(odd, ARMS, Seeded(0, 4))
    odd = type("Odd", (ThompsonSampling,), {"init": lambda self, trials: State(np.zeros(trials), None)})(3, 9)
    with pytest.raises(
        NotCompiled, match="the state has type State; to be compiled, it must be a NamedTuple of arrays"
    ):
        kernels.own_copy(odd.init(1))


@pytest.mark.first(1)
@pytest.mark.parametrize(("horizon", "since"), [(1100, 1099), (2000, 1500)])
def test_a_policy_that_changes_late_is_seen_at_the_last_step_of_a_call(horizon: int, since: int) -> None:
    """The page agrees in all of the first 1024 steps, and pulls another arm from a late step on."""
    whole = Drifting.act

    def act(self: Any, t: int, state: Any, noise: Noise) -> Pulls:
        pulls = whole(self, t, state, noise)
        return Pulls(np.roll(pulls.counts, 1, axis=1)) if t >= since else pulls

    late = type("Changed", (Drifting,), {"act": act, "posterior": vars(Drifting)["posterior"]})
    with pytest.raises(Disagreement, match=r"compiled Changed pulls arm \d in step \d+ of trial \d+, but `act`"):
        compiled.play_compiled(late(3, horizon, half), ARMS, Seeded(0, 12), 12)
