"""What numba compiles: the rounds of a policy, by the text of its page.

`kernel_of` answers with what plays a policy against an environment, or says why nothing does (`NotCompiled`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from inspect import signature
from math import inf, isnan
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.play import scalar_text, streams_in_numba, worlds
from dpbandits.audit.play.kept_code import keep
from dpbandits.audit.play.scalar_text import NotCompiled, Own, compiled, compiled_text
from dpbandits.audit.play.streams_in_numba import streams
from dpbandits.audit.play.worlds import world_of
from dpbandits.reference.bandits.contexts import context_dimension
from dpbandits.reference.bandits.noise import Seeded, digests
from dpbandits.reference.bandits.play import Batch
from dpbandits.reference.bandits.policy import Pulls
from dpbandits.reference.bandits.recommendations import answers

# Of a policy: what a kernel calls.
METHODS = ("posterior", "fresh", "sampled", "ended", "processed", "observed", "learn")
TEXTS = (__file__, *(str(each.__file__) for each in (scalar_text, streams_in_numba, worlds)))


class Drawn(NamedTuple):
    """A draw that a page makes in a step. number: its index. whole: whether it is of all numbers, needed or not."""

    kind: str
    site: str
    number: int
    shape: tuple[int, ...]
    whole: bool


@dataclass(frozen=True)
class NormalSamples:
    """Plays the steps in which a policy draws z and nothing else, and pulls the arm with the largest of theta = mean +
    deviation z, of which its `posterior` speaks."""

    methods: tuple[str, ...]
    last: list[tuple[Any, Own]] = field(default_factory=list, compare=False)  # the policy that was played, as numbers

    def plays(self, drawn: list[Drawn], batch: Batch) -> bool:
        """Whether a step in which the page makes these draws is of this kind."""
        return [(each.kind, each.shape) for each in drawn] == [("normal", (batch.policy.arms,))]

    def play(self, batch: Batch, steps: int, drawn: list[Drawn]) -> None:
        """The next steps of these runs, as `Batch.advance` plays them. drawn: what the page draws in the first one; in
        the others its index is larger by one each."""
        (draw,), first, arms = drawn, batch.step + 1, batch.policy.arms
        state, made, total, left = (own_copy(part) for part in (batch.state, batch.made, batch.total, batch.left))
        world = world_of(batch.environment, batch.policy.horizon, batch.trials)
        policy = joint(batch.policy)
        if not self.last or self.last[0][0] is not policy:
            self.last[:] = [(policy, Own(policy, self.methods, batch.trials))]
        own = self.last[0][1]
        *parts, learnt = (getattr(type(policy), name) if name in self.methods else None for name in METHODS[:-1])
        learnt = learnt or type(policy).learn
        text = Text._make((own.kind, type(state), *parts, learnt, draw.whole, world.pays, world.draws))
        theta = stream_starts(batch.noise, draw.kind, draw.site, draw.number, draw.shape, steps)
        reward = stream_starts(batch.outside, "uniform", "reward", first, (), steps)
        seen = np.full((steps, batch.trials if batch.keep else 0), -1, dtype=np.int32)
        try:
            rounds = rounds_of(text)
            known = rounds(own.values, tuple(state), first, theta, reward, world.numbers, left, made, total, seen)
        except Exception as error:  # nothing that is compiled raises, and numba has many ways to say what it cannot
            said = str(error).strip()[:500]
            raise NotCompiled(f"numba cannot compile the functions of {type(policy).__name__}: {said}") from None
        if not known:
            odd = "is no number, or drawn where `fresh` says that none is"
            raise NotCompiled(f"step {first} or a later one: a sample of {type(policy).__name__} {odd}")
        if batch.keep:
            batch.record += list(np.eye(arms + 1, arms, dtype=np.int64)[seen])  # -1 is the last row: nothing is pulled
        batch.state, batch.made, batch.total, batch.left = state, made, total, left
        batch.step, batch.least = batch.step + steps, int(left.min(initial=0))


def kernel_of(policy: Any, environment: Any, noise: Any) -> NormalSamples:
    """What plays this policy against this environment. Raises NotCompiled, with the reason, where nothing does."""
    one = type(joint(policy))
    if not all(callable(getattr(one, name, None)) for name in ("posterior", "learn", "init")) or answers(policy):
        raise NotCompiled(f"{one.__name__} is no policy of normal samples: it says no `posterior`, or answers")
    if context_dimension(policy):
        raise NotCompiled(f"{one.__name__} sees contexts, which are not compiled")
    if (takes := list(signature(joint(policy).posterior).parameters)) != ["t", "state"]:
        raise NotCompiled(f"posterior of {one.__name__} is about ({', '.join(takes)}); compiled is one of (t, state)")
    if not isinstance(noise, Seeded) or noise.trials < 1:
        raise NotCompiled("only the draws of Seeded are compiled, of at least one trial")
    try:
        import numba  # noqa: F401
    except ImportError:
        raise NotCompiled("numba is not installed: python -m pip install numba") from None
    world_of(environment, policy.horizon, noise.trials)
    methods = [name for name in METHODS if hasattr(one, name)]
    made_of_others = "sampled" in methods  # which is what learn is then
    return NormalSamples(
        tuple(name for name in methods if name != "learn") if made_of_others else ("posterior", "learn")
    )


def joint(played: Any) -> Any:
    """The policy whose methods are asked: that of all settings, where several are played side by side."""
    return getattr(played, "joint", played)


def own_copy(part: Any) -> Any:
    """What a kernel writes into: a page may well hand out arrays that it keeps. NotCompiled for another state than
    named arrays."""
    if isinstance(part, np.ndarray):
        return np.array(part, order="C")
    if not hasattr(part, "_fields") or not all(np.ndim(each) == 2 for each in part):
        raise NotCompiled(f"a state {type(part).__name__} that is no named tuple of arrays (trials, arms)")
    return type(part)(*(np.array(each, order="C") for each in part))


def stream_starts(noise: Any, kind: str, site: str, first: int, shape: tuple[int, ...], steps: int) -> Any:
    """What the streams of so many steps start from, (steps, 3). first: the index of the first one."""
    before, after = noise.around_index(kind, site, shape)
    words = digests(before, range(first, first + steps), after, 24)
    return np.frombuffer(words, dtype="<u8").reshape(-1, 3).astype(np.uint64)


# -- rounds ------------------------------------------------------------------------------------------------------------


class Text(NamedTuple):
    """What a kernel is made of.

    kind, remembered: the named tuples of the policy and of its state. posterior, fresh, sampled, ended, processed,
    learnt: functions of the page, fresh None where it does not say which samples are due, sampled where samples change
    nothing, ended and processed where nothing waits. always: whether a sample is drawn at scale 0 as well. pays, draws:
    of a `worlds.World`.
    """

    kind: Any
    remembered: Any
    posterior: Any
    fresh: Any
    sampled: Any
    ended: Any
    processed: Any
    learnt: Any
    always: bool
    pays: Any
    draws: bool


@lru_cache(maxsize=4)
def text_of(file: str) -> str:
    """A module's text, as it stood when it was first asked for."""
    return Path(file).read_text(encoding="utf-8")


def made_of(text: Text) -> tuple[Any, ...]:
    """All that the code of a kernel hangs on."""
    methods = [(name, getattr(each, "__func__", each)) for name, each in vars(text.kind).items()]
    functions = sorted((name, each) for name, each in methods if isinstance(each, FunctionType))
    return (*map(text_of, TEXTS), Pulls, *functions, *text)


@lru_cache(maxsize=64)
def rounds_of(text: Text) -> Callable[..., bool]:
    """Some steps of all trials, one trial after another; every step has a stream of its own, which they share. False
    where the page says which samples are due, and is wrong, or one is no number (or some are infinite of either sign):
    then what was written into is worth nothing."""
    kind, remembered, pays, draws, always = text.kind, text.remembered, text.pays, text.draws, text.always
    sampling, saying = text.sampled is not None, text.fresh is not None
    fresh = compiled_text(text.fresh) if saying else compiled(lambda own, t, state: True)
    posterior, sampled = compiled_text(text.posterior), compiled_text(text.sampled or text.posterior)
    started, normal, uniform = streams()
    numbers, put, views = of_each_array()
    known, learn = present(), learning(text)

    @compiled
    def begin(words):  # type: ignore[no-untyped-def]
        found = np.empty((len(words), 4), dtype=np.uint64)
        for row in range(len(words)):
            found[row, 0], found[row, 1], found[row, 2], found[row, 3] = started(words[row])
        return found

    @compiled
    def rounds(own, state, first, theta, reward, world, left, made, total, seen):  # type: ignore[no-untyped-def]
        trials, arms = made.shape
        samples, rewards = begin(theta), begin(reward)
        for i in range(trials):
            mine, here = kind(*numbers(own, i)), views(state, i)
            used = made[i].sum()
            for row in range(len(samples)):
                t, best, arm, drew, added = first + row, -inf, 0, always, 0.0
                stream = samples[row, 0], samples[row, 1], samples[row, 2], samples[row, 3]
                for j in range(arms):
                    if always or fresh(mine, t, remembered(*numbers(here, j))):
                        old = remembered(*numbers(here, j))
                        mean, deviation = known(posterior(mine, t, old))
                        z = 0.0
                        if always or deviation > 0:
                            z, stream = normal(stream)
                            drew = True
                        theta_j = mean + deviation * z
                        if sampling and deviation > 0:
                            put(here, j, sampled(mine, t, old, theta_j))
                    else:  # the page's words once more: a compiler that knows of no sample reads only what they need
                        mean, deviation = known(posterior(mine, t, remembered(*numbers(here, j))))
                        if deviation > 0:
                            return False
                        theta_j = mean + deviation * 0.0
                    if saying:
                        added += theta_j  # costs less than to ask each
                    if theta_j > best or (not saying and isnan(theta_j) and not isnan(best)):  # as numpy's argmax
                        best, arm = theta_j, j
                if isnan(added):
                    return False
                if drew:
                    samples[row, 0], samples[row, 1], samples[row, 2], samples[row, 3] = stream
                u = 0.0
                if draws:
                    u, stream = uniform((rewards[row, 0], rewards[row, 1], rewards[row, 2], rewards[row, 3]))
                    rewards[row, 0], rewards[row, 1], rewards[row, 2], rewards[row, 3] = stream
                paid, once = 0.0, np.int64(left[i] > 0)
                if once:
                    paid = pays(world, i, arm, u, made[i, arm], used)
                    left[i] -= 1
                    used += 1
                    made[i, arm] += 1
                    total[i, arm] += paid
                    if i < seen.shape[1]:
                        seen[row, i] = arm
                learn(mine, t, here, arm, once, paid)
        return True

    keep(rounds, made_of(text))
    return rounds  # type: ignore[no-any-return]


def learning(text: Text) -> Any:
    """What is learnt in a step: by `observed` of the arm that was pulled, by `learn` of every arm."""
    learnt, remembered, waiting = compiled_text(text.learnt), text.remembered, text.ended is not None
    ended, processed = (compiled_text(each or text.learnt) for each in (text.ended, text.processed))
    numbers, put, _ = of_each_array()

    @compiled
    def observe(own, t, here, arm, once, paid):  # type: ignore[no-untyped-def]
        if once:
            put(here, arm, learnt(own, t, remembered(*numbers(here, arm)), once, paid))
            if waiting:
                new = remembered(*numbers(here, arm))
                if ended(own, t, new):
                    put(here, arm, processed(own, t, new))

    @compiled
    def learn(own, t, here, arm, once, paid):  # type: ignore[no-untyped-def]
        for j in range(len(here[0])):
            pulled = once * np.int64(j == arm)
            pulls = Pulls(pulled, None)  # type: ignore[arg-type]
            put(here, j, learnt(own, t, remembered(*numbers(here, j)), pulls, pulled * paid, None))

    return learn if text.sampled is None else observe


@lru_cache(maxsize=1)
def present() -> Any:
    """A function that returns its argument, which numba thinks might be None: it never is, once samples are drawn."""
    from numba import types
    from numba.extending import overload
    from numba.typed.typedobjectutils import _nonoptional

    def known(value: Any) -> Any:
        raise NotImplementedError("compiled code alone calls it")

    def itself(value):  # type: ignore[no-untyped-def]
        if isinstance(value, types.Optional):
            return lambda value: _nonoptional(value)
        return lambda value: value

    overload(known)(itself)
    return known


@lru_cache(maxsize=1)
def of_each_array() -> tuple[Any, Any, Any]:
    """How a kernel reads the numbers at place i from a tuple of arrays, writes them, and takes their rows i."""
    from numba.extending import overload

    def numbers(arrays: Any, i: Any) -> Any:
        raise NotImplementedError("compiled code alone calls it")

    def put(arrays: Any, i: Any, new: Any) -> Any:
        raise NotImplementedError("compiled code alone calls it")

    def numbers_of_many(arrays, i):  # type: ignore[no-untyped-def]
        if not len(arrays):
            return lambda arrays, i: ()
        return lambda arrays, i: (arrays[0][i],) + numbers(arrays[1:], i)  # noqa: RUF005  not in numba

    def put_many(arrays, i, new):  # type: ignore[no-untyped-def]
        def rest(arrays, i, new):  # type: ignore[no-untyped-def]
            arrays[0][i] = new[0]
            put(arrays[1:], i, new[1:])

        return rest if len(arrays) else lambda arrays, i, new: None

    overload(numbers)(numbers_of_many)
    overload(put)(put_many)
    return numbers, put, numbers  # row i of an array of two axes is its element i
