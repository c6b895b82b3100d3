"""What numba compiles: the rounds of a policy, by the text of its page's own functions, and the streams that `Seeded`
draws from, bit for bit.

`kernel_of` answers with what plays a policy against an environment, or says why nothing does (`NotCompiled`).
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from math import exp, inf, isnan, log1p
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.play.many import Many
from dpbandits.reference.bandits.environments import Bernoulli, Stream, Table
from dpbandits.reference.bandits.noise import Seeded
from dpbandits.reference.bandits.play import Batch
from dpbandits.reference.bandits.policy import Pulls
from dpbandits.reference.bandits.recommendations import answers
from dpbandits.reference.bandits.reward_rows import length_of


class NotCompiled(Exception):
    """Why these runs cannot be played compiled; the page plays everything."""


class Drawn(NamedTuple):
    """A draw that a page makes in a step."""

    kind: str
    site: str
    index: int
    shape: tuple[int, ...]


@dataclass(frozen=True)
class NormalSamples:
    """Plays the steps in which a policy draws z and nothing else, and pulls the arm with the largest of theta = mean +
    deviation z, of which its `posterior` speaks."""

    rounds: Callable[..., None]
    numbers: tuple[str, ...]  # fields of the policy
    remembered: Any  # what its states are

    def plays(self, drawn: list[Drawn], batch: Batch) -> bool:
        """Whether a step in which the page makes these draws is of this kind."""
        return [(each.kind, each.shape) for each in drawn] == [("normal", (batch.policy.arms,))]

    def play(self, batch: Batch, steps: int, drawn: list[Drawn]) -> None:
        """The next steps of these runs, as `Batch.advance` plays them. drawn: what the page draws in the first one; in
        the others its index is larger by one each."""
        (draw,), first, (trials, arms) = drawn, batch.step + 1, batch.made.shape
        noise, outside = batch.noise, batch.outside
        assert isinstance(noise, Seeded)
        assert isinstance(outside, Seeded)
        theta = words([noise.start(draw.kind, draw.site, draw.index + k, draw.shape) for k in range(steps)])
        reward = words([outside.start("uniform", "reward", first + k) for k in range(steps)])
        own = tuple(column(getattr(joint(batch.policy), name), trials) for name in self.numbers)
        state = tuple(np.array(part, order="C") for part in batch.state)
        made, total, left = (np.array(part, order="C") for part in (batch.made, batch.total, batch.left))
        seen = np.zeros((steps if batch.keep else 0, trials), dtype=np.int64)
        pays = paying(batch.environment, trials)
        try:
            self.rounds(own, state, first, theta, reward, pays, left, made, total, seen)
        except (compile_error(), TypeError) as error:  # TypeError: samples are none where they were some
            name = type(joint(batch.policy)).__name__
            raise NotCompiled(f"numba cannot compile the functions of {name}: {str(error).strip()[:500]}") from None
        batch.record += [(arm[:, None] == np.arange(arms)).astype(np.int64) for arm in seen]
        batch.state, batch.made, batch.total, batch.left = self.remembered(*state), made, total, left
        batch.step, batch.least = batch.step + steps, int(left.min(initial=0))


def kernel_of(policy: Any, environment: Any, noise: Any) -> NormalSamples:
    """What plays this policy against this environment. Raises NotCompiled, with the reason, where nothing does."""
    one = joint(policy)
    name = type(one).__name__
    if not (is_dataclass(one) and all(hasattr(one, each) for each in ("posterior", "learn", "init"))) or answers(one):
        raise NotCompiled(f"{name} is no policy of normal samples: it says no `posterior`, or answers")
    if (kind := kind_of(environment)) is None:
        raise NotCompiled(f"only tables, streams and arms that pay 0 or 1 are compiled, not {environment!r:.80}")
    if not isinstance(noise, Seeded):
        raise NotCompiled("only the draws of Seeded are compiled")
    try:
        import numba  # noqa: F401
    except ImportError:
        raise NotCompiled("numba is not installed: python -m pip install numba") from None
    start = one.init(1)
    if not (
        isinstance(start, tuple)
        and hasattr(start, "_fields")
        and all(np.shape(each) == (1, one.arms) for each in start)
    ):
        raise NotCompiled(f"a state of {name} is no NamedTuple of arrays (trials, arms)")
    functions = tuple(
        (each.name, value) for each in fields(one) if isinstance(value := getattr(one, each.name), FunctionType)
    )
    numbers = tuple(each.name for each in fields(one) if np.asarray(getattr(one, each.name)).dtype.kind in "biuf")
    return NormalSamples(rounds_of(type(one), numbers, functions, type(start), kind), numbers, type(start))


def compile_error() -> type[Exception]:
    from numba.core.errors import NumbaError

    return NumbaError  # type: ignore[no-any-return]


def joint(policy: Any) -> Any:
    """The policy whose numbers may be columns, (trials, 1)."""
    return getattr(policy, "joint", policy)


def column(number: Any, trials: int) -> Any:
    """A number of each trial, (trials,)."""
    return np.array(np.broadcast_to(np.reshape(number, -1), (trials,)))


def words(starts: list[Any]) -> Any:
    """What the streams at these addresses start from, (addresses, 3)."""
    return np.array([start.generate_state(3, np.uint64) for start in starts], dtype=np.uint64)


# -- rewards -----------------------------------------------------------------------------------------------------------


def kind_of(environment: Any) -> str | None:
    """How its single pulls are paid: by "chance", or as a table says by "pull" or "round"; None for what is not
    compiled."""
    if isinstance(environment, Many):
        return environment.relation
    kinds = {Bernoulli: "chance", Table: "pull", Stream: "round"}
    return kinds.get(type(environment))


def paying(environment: Any, trials: int) -> tuple[Any, ...]:
    """The arrays that say what an environment pays: its means, or tables, which of them a trial plays, and where their
    runs end."""
    if isinstance(environment, Bernoulli):
        return (np.array(environment.means),)
    many = isinstance(environment, Many)
    which = environment.which if many else np.zeros(trials, dtype=np.int64)
    tables = environment.tables if many else environment.rewards[None]
    ends = np.arange(0) if environment.lengths is None else np.cumsum(environment.lengths)
    return np.array(tables, dtype=np.float64, order="C"), np.array(which), np.array(ends)


def steps_paid(environment: Any, made: Any) -> float:
    """How many more steps there is something to pay whatever is pulled; beyond, the environment complains."""
    if not isinstance(environment, Table | Stream):
        return inf
    used = made.max(initial=0) if isinstance(environment, Table) else made.sum(axis=1).max(initial=0)
    return length_of(environment.rewards, environment.lengths) - int(used)


@lru_cache(maxsize=4)
def payment(kind: str) -> Any:
    """What a single pull of an arm pays trial i after the pulls `made`; u is uniform where chance pays."""
    from numba import njit

    @njit
    def by_chance(numbers, i, arm, made, u):  # type: ignore[no-untyped-def]
        return 1.0 if u < numbers[0][arm] else 0.0

    @njit
    def by_table(numbers, i, arm, place):  # type: ignore[no-untyped-def]
        tables, which, ends = numbers
        if len(ends):
            place = min(np.searchsorted(ends, place, side="right"), len(ends) - 1)
        return tables[which[i], arm, min(place, tables.shape[2] - 1)]

    @njit
    def by_pull(numbers, i, arm, made, u):  # type: ignore[no-untyped-def]
        return by_table(numbers, i, arm, made[i, arm])

    @njit
    def by_round(numbers, i, arm, made, u):  # type: ignore[no-untyped-def]
        rounds = 0
        for j in range(made.shape[1]):
            rounds += made[i, j]
        return by_table(numbers, i, arm, rounds)

    return {"chance": by_chance, "pull": by_pull, "round": by_round}[kind]


# -- the page's text ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def rounds_of(
    policy: type, numbers: tuple[str, ...], functions: tuple[tuple[str, FunctionType], ...], remembered: Any, kind: str
) -> Callable[..., None]:
    """Some steps of all trials, for policies of this class with these functions among their fields."""
    from numba import njit

    made_of = of_page(policy, numbers, dict(functions))
    page = njit(error_model="numpy")  # as numpy divides: by zero is infinite, and no error
    posterior, learn, pays = page(policy.posterior), page(policy.learn), payment(kind)  # type: ignore[attr-defined]
    started, normal, uniform = streams()
    numbers_at, put = of_each_array()
    sampled, chance = sample_of(), kind == "chance"

    @njit(error_model="numpy")
    def rounds(own, state, first, theta_words, reward_words, payed, left, made, total, seen):  # type: ignore[no-untyped-def]
        trials, arms = made.shape
        for row in range(len(theta_words)):
            t, u = first + row, 0.0
            samples, rewards = started(theta_words[row]), started(reward_words[row])
            for i in range(trials):
                mine = made_of(*numbers_at(own, (i,)))
                best, arm = -inf, 0
                for j in range(arms):
                    z, samples = normal(samples)
                    mean, deviation = sampled(posterior(mine, t, remembered(*numbers_at(state, (i, j)))))
                    theta = mean + deviation * z
                    if theta > best or (isnan(theta) and not isnan(best)):  # as numpy's argmax
                        best, arm = theta, j
                if chance:
                    u, rewards = uniform(rewards)
                once = np.int64(left[i] > 0)
                paid = pays(payed, i, arm, made, u)
                for j in range(arms):
                    here = once * np.int64(j == arm)
                    pulls = Pulls(here, None)  # type: ignore[arg-type]
                    put(state, (i, j), learn(mine, t, remembered(*numbers_at(state, (i, j))), pulls, here * paid, None))
                made[i, arm] += once
                total[i, arm] += once * paid
                left[i] -= once
                if row < len(seen):
                    seen[row, i] = arm if once else arms

    return rounds  # type: ignore[no-any-return]


def of_page(policy: type, numbers: tuple[str, ...], functions: dict[str, FunctionType]) -> Any:
    """What compiled functions take a policy for: its numbers, with those methods, properties and functions among its
    fields that they name."""
    from numba import njit

    made_of = namedtuple("Fields", numbers)  # type: ignore[misc]
    for name, (function, called) in named_in(policy, functions).items():
        compiled = njit(error_model="numpy")(function)
        ANSWERS[made_of, name] = compiled
        of_name(name, called)
    return made_of


ANSWERS: dict[tuple[Any, str], Any] = {}  # by what stands for the policy, and the name


def named_in(policy: type, functions: dict[str, FunctionType]) -> dict[str, tuple[FunctionType, str]]:
    """The functions that posterior and learn name, and those that these name: a "method", which takes the policy, a
    "field", which does not, or a "property"."""
    found: dict[str, tuple[FunctionType, str]] = {}
    waiting = [policy.posterior, policy.learn]  # type: ignore[attr-defined]
    while waiting:
        for name in names_in(waiting.pop().__code__):
            said = functions.get(name, getattr(policy, name, None))
            function = said.fget if isinstance(said, property) else said
            if name not in found and isinstance(function, FunctionType):
                how = "field" if name in functions else "property" if isinstance(said, property) else "method"
                found[name] = function, how
                waiting.append(function)
    return found


def names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from names_in(each)


@lru_cache(maxsize=256)
def of_name(name: str, called: str) -> None:
    """From now on, what stands for a policy has this method, property, or function among its fields."""
    from numba import types
    from numba.extending import overload_attribute, overload_method

    def answer(self: Any) -> Any:
        return ANSWERS.get((getattr(self, "instance_class", None), name))

    def method(self, *given):  # type: ignore[no-untyped-def]
        function = answer(self)
        return (lambda self, *given: function(self, *given)) if function else None

    def field(self, *given):  # type: ignore[no-untyped-def]
        function = answer(self)
        return (lambda self, *given: function(*given)) if function else None

    def attribute(self):  # type: ignore[no-untyped-def]
        function = answer(self)
        return (lambda self: function(self)) if function else None

    if called == "property":
        overload_attribute(types.BaseNamedTuple, name)(attribute)
    else:
        overload_method(types.BaseNamedTuple, name)(method if called == "method" else field)


@lru_cache(maxsize=1)
def sample_of() -> Any:
    """What a posterior says in a step in which theta is sampled; else it says None, and compiled code raises."""
    from numba import types
    from numba.extending import overload
    from numba.typed.typedobjectutils import _nonoptional

    def sampled(said: Any) -> Any:
        raise NotImplementedError("compiled code alone calls it")

    @overload(sampled)
    def _(said):  # type: ignore[no-untyped-def]
        return (lambda said: _nonoptional(said)) if isinstance(said, types.Optional) else lambda said: said

    return sampled


@lru_cache(maxsize=1)
def of_each_array() -> tuple[Any, Any]:
    """How a kernel reads the numbers at a place from a tuple of arrays, and writes them."""
    from numba.extending import overload

    def numbers_at(arrays: Any, place: Any) -> Any:
        raise NotImplementedError("compiled code alone calls it")

    def put(arrays: Any, place: Any, new: Any) -> Any:
        raise NotImplementedError("compiled code alone calls it")

    @overload(numbers_at)
    def _(arrays, place):  # type: ignore[no-untyped-def]
        if not len(arrays):
            return lambda arrays, place: ()
        return lambda arrays, place: (arrays[0][place],) + numbers_at(arrays[1:], place)  # noqa: RUF005  not in numba

    @overload(put)
    def _(arrays, place, new):  # type: ignore[no-untyped-def]
        def rest(arrays, place, new):  # type: ignore[no-untyped-def]
            arrays[0][place] = new[0]
            put(arrays[1:], place, new[1:])

        return rest if len(arrays) else lambda arrays, place, new: None

    return numbers_at, put


@lru_cache(maxsize=1)
def streams() -> tuple[Any, Any, Any]:
    """What numpy makes of the words of SFC64: where a stream starts, and its next normal and uniform number, each with
    the stream after it. The ziggurat and its tables are numba's own, which follow numpy's."""
    from numba import njit, uint64
    from numba.np.random import _constants as ziggurat

    edges, widths = np.array(ziggurat.ki_double, dtype=np.uint64), np.array(ziggurat.wi_double)
    heights = np.array(ziggurat.fi_double)
    end, inverse = float(ziggurat.ziggurat_nor_r), float(ziggurat.ziggurat_nor_inv_r)
    eight, mask = uint64(8), uint64(0x000FFFFFFFFFFFFF)
    started, following = words_of_a_stream()

    @njit
    def uniform(stream):  # type: ignore[no-untyped-def]
        word, stream = following(stream)
        return (word >> uint64(11)) * 2.0**-53, stream

    @njit
    def normal(stream):  # type: ignore[no-untyped-def]
        while True:
            word, stream = following(stream)
            place, word = word & uint64(0xFF), word >> eight
            size = (word >> uint64(1)) & mask
            x = size * widths[place]
            if word & uint64(1):
                x = -x
            if size < edges[place]:
                return x, stream
            if place == 0:
                while True:
                    u, stream = uniform(stream)
                    v, stream = uniform(stream)
                    beyond, height = -inverse * log1p(-u), -log1p(-v)
                    if height + height > beyond * beyond:
                        return (-(end + beyond) if (size >> eight) & uint64(1) else end + beyond), stream
            u, stream = uniform(stream)
            if (heights[place - uint64(1)] - heights[place]) * u + heights[place] < exp(-0.5 * x * x):
                return x, stream

    return started, normal, uniform


def words_of_a_stream() -> tuple[Any, Any]:
    """numpy's SFC64: where a stream starts, and its next word, with the stream after it."""
    from numba import njit, uint64

    twelve = 12

    @njit
    def following(stream):  # type: ignore[no-untyped-def]
        a, b, c, count = stream
        out = a + b + count
        turned = (c << uint64(24)) | (c >> uint64(40))
        return out, (b ^ (b >> uint64(11)), c + (c << uint64(3)), turned + out, count + uint64(1))

    @njit
    def started(words):  # type: ignore[no-untyped-def]
        stream = (words[0], words[1], words[2], uint64(1))
        for _ in range(twelve):
            _, stream = following(stream)
        return stream

    return started, following
