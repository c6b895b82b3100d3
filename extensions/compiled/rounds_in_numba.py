"""The rounds of a policy, compiled by numba from the policy's own source.

`rounds_of` compiles policies that pull the arm with the largest normal sample. This module also contains the code that
other kinds of rounds share.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from math import inf, isnan
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from dpbandits.extensions.compiled import scalar_text, streams_in_numba, worlds
from dpbandits.extensions.compiled.scalar_text import Compiled, TupleType, compiled, compiled_text
from dpbandits.extensions.compiled.streams_in_numba import streams
from dpbandits.proofs_checks.compiled_cache import cache_compiled
from dpbandits.reference.bandits.policy import Pulls

TEXTS = (__file__, *(str(each.__file__) for each in (scalar_text, streams_in_numba, worlds)))


class Text(NamedTuple):
    """What the compiled rounds of a policy with normal samples are made of.

    kind, remembered: the named tuples of the policy and of its state. posterior, believed, fresh, sampled, ended,
    processed, learnt: methods of the policy. believed is None if the state alone does not determine the posterior,
    fresh if it does not determine which samples are drawn, sampled if samples change nothing, ended and processed if
    nothing waits. always: whether a sample is also drawn at scale 0. pays, draws: of a `worlds.World`.
    """

    kind: TupleType
    remembered: TupleType
    posterior: Compiled
    believed: Compiled | None
    fresh: Compiled | None
    sampled: Compiled | None
    ended: Compiled | None
    processed: Compiled | None
    learnt: Compiled
    always: bool
    pays: Compiled
    draws: bool


@lru_cache(maxsize=8)
def text_of(file: str) -> str:
    """The text of a Python file at the time of the first call."""
    return Path(file).read_text(encoding="utf-8")


def made_of(text: Any) -> tuple[object, ...]:
    """All source texts and functions on which compiled code depends; equal results mean equal code."""
    methods = [(name, getattr(each, "__func__", each)) for name, each in vars(text.kind).items()]
    functions = sorted((name, each) for name, each in methods if isinstance(each, FunctionType))
    return (*map(text_of, TEXTS), Pulls, *functions, *text)


@lru_cache(maxsize=64)
def rounds_of(text: Text) -> Callable[..., bool]:
    """Returns a compiled function that plays some steps of all trials, one trial after another.
    Every step has its own random stream, which the trials share. The code returns False if the page's statement of
    which samples are drawn is wrong, or if a sample is nan (or some are infinite with different signs); then the
    written results are invalid."""
    kind, remembered, always = text.kind, text.remembered, text.always
    sampling, saying = text.sampled is not None, text.fresh is not None
    fresh = compiled_text(text.fresh) if saying else compiled(lambda own, t, state: True)
    posterior, sampled = compiled_text(text.posterior), compiled_text(text.sampled or text.posterior)
    # Where every arm draws in every step, it is sooner to make the number in place than to call for it.
    (_, normal, uniform), begin, pays, draws = streams(within=always), beginning(), text.pays, text.draws
    numbers, put, views = of_each_array()
    standing = always and text.believed is not None
    known, learn = present(), state_update(text, standing)
    believed: Any = compiled_text(text.believed) if standing and text.believed is not None else None

    @compiled
    def rounds(own, state, first, theta, reward, world, left, made, total, seen):  # type: ignore[no-untyped-def]
        """Plays one step from `first` on for each row of `theta`, the random stream of the step's samples.
        Returns False if a sample is nan, or if other samples are drawn than the policy states."""
        trials, arms = made.shape
        samples, rewards = begin(theta), begin(reward)
        means, deviations = np.empty(arms), np.empty(arms)  # of the arms, as long as nothing is learnt of them
        for i in range(trials):
            mine, here = kind(*numbers(own, i)), views(state, i)
            used = made[i].sum()
            if standing:
                for j in range(arms):
                    means[j], deviations[j] = believed(mine, remembered(*numbers(here, j)))
            for row in range(len(samples)):
                t, best, arm, drew, added = first + row, -inf, 0, always, 0.0
                stream = samples[row, 0], samples[row, 1], samples[row, 2], samples[row, 3]
                for j in range(arms):
                    if standing:
                        z, stream = normal(stream)
                        theta_j = means[j] + deviations[j] * z
                    elif always or fresh(mine, t, remembered(*numbers(here, j))):
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
                learn(mine, t, here, arm, once, paid, means, deviations)
        return True

    cache_compiled(rounds, made_of(text))
    return rounds  # type: ignore[no-any-return]


@lru_cache(maxsize=1)
def beginning() -> Compiled:
    """Returns a compiled function that starts random streams from their seeds; see `begin`."""
    started, _, _ = streams()

    @compiled
    def begin(words):  # type: ignore[no-untyped-def]
        """The streams, (steps, 4), from their initial words, (steps, 3)."""
        found = np.empty((len(words), 4), dtype=np.uint64)
        for row in range(len(words)):
            found[row, 0], found[row, 1], found[row, 2], found[row, 3] = started(words[row])
        return found

    return begin


def state_update(text: Text, posterior_is_stored: bool) -> Compiled:
    """Returns a compiled function that updates a policy's state after a step.
    The state is updated by `observed` for the pulled arm, or by `learn` for every arm. posterior_is_stored: whether
    `means` and `deviations` are stored, and follow the state of an arm."""
    if text.sampled is not None:
        return pulled_arm_update(text)
    learnt, remembered = compiled_text(text.learnt), text.remembered
    believed: Any = compiled_text(text.believed) if posterior_is_stored and text.believed is not None else None
    numbers, put, _ = of_each_array()

    @partial(compiled, within=True)
    def learn(own, t, here, arm, once, paid, means, deviations):  # type: ignore[no-untyped-def]
        """Updates the state of every arm after one step of a trial.
        once: 1 if the trial made a pull in this step, otherwise 0. paid: its reward."""
        for j in range(len(here[0])):
            pulled, old = once * np.int64(j == arm), remembered(*numbers(here, j))
            pulls = Pulls(pulled, None)  # type: ignore[arg-type]
            new = learnt(own, t, old, pulls, pulled * paid, None)
            if posterior_is_stored and new == old:  # most often: that is what is saved
                continue
            put(here, j, new)
            if posterior_is_stored:
                means[j], deviations[j] = believed(own, remembered(*numbers(here, j)))

    return learn


def pulled_arm_update(text: Any) -> Compiled:
    """Returns a compiled function that updates the state of the pulled arm.
    It is updated with `observed`, and then with `processed` if `ended` holds. text: contains the source of these
    functions, under the names of `Text`."""
    learnt, remembered, waiting = compiled_text(text.learnt), text.remembered, text.ended is not None
    ended, processed = (compiled_text(each or text.learnt) for each in (text.ended, text.processed))
    numbers, put, _ = of_each_array()

    @compiled
    def observe(own, t, here, arm, once, paid, means=None, deviations=None):  # type: ignore[no-untyped-def]
        """Updates the state of the pulled arm after one step of a trial.
        once: 1 if the trial made a pull in this step, otherwise 0. paid: its reward."""
        if once:
            put(here, arm, learnt(own, t, remembered(*numbers(here, arm)), once, paid))
            if waiting:
                new = remembered(*numbers(here, arm))
                if ended(own, t, new):
                    put(here, arm, processed(own, t, new))

    return observe


@lru_cache(maxsize=1)
def present() -> Compiled:
    """Returns a function `known(value)` that returns its argument and tells numba that it is not None.
    This is true once samples have been drawn."""
    from numba import types
    from numba.extending import overload
    from numba.typed.typedobjectutils import _nonoptional

    def known(value: object) -> object:
        """The value, which is not None."""
        raise NotImplementedError("this function can be called in compiled code only")

    def itself(value):  # type: ignore[no-untyped-def]
        """Returns the implementation of `known` for values of this numba type."""
        if isinstance(value, types.Optional):
            return lambda value: _nonoptional(value)
        return lambda value: value

    overload(known)(itself)
    return known


@lru_cache(maxsize=1)
def of_each_array() -> tuple[Compiled, Compiled, Compiled]:
    """Returns three compiled functions that read or write the entries at one index of all arrays in a tuple.
    Read entry i of each array, write entry i of each, and take row i of each."""
    from numba.extending import overload

    def numbers(arrays: object, i: int) -> Any:
        """Entry i of every array."""
        raise NotImplementedError("this function can be called in compiled code only")

    def put(arrays: object, i: int, new: object) -> object:
        """Writes entry i of every array."""
        raise NotImplementedError("this function can be called in compiled code only")

    def numbers_of_many(arrays, i):  # type: ignore[no-untyped-def]
        """A function that reads entry i of all arrays, for any number of arrays."""
        if not len(arrays):
            return lambda arrays, i: ()
        return lambda arrays, i: (arrays[0][i],) + numbers(arrays[1:], i)  # noqa: RUF005  not in numba

    def put_many(arrays, i, new):  # type: ignore[no-untyped-def]
        """A function that writes entry i of all arrays, for any number of arrays."""

        def rest(arrays, i, new):  # type: ignore[no-untyped-def]
            """Writes entry i of the first array, then of the others."""
            arrays[0][i] = new[0]
            put(arrays[1:], i, new[1:])

        return rest if len(arrays) else lambda arrays, i, new: None

    overload(numbers)(numbers_of_many)
    overload(put)(put_many)
    return numbers, put, numbers  # row i of an array of two axes is its element i
